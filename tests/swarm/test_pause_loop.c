/*
 * test_pause_loop.c - headroom schemes in a closed loop: senders at line rate that obey pauses as late as they may, and
 * one MMU that congests.
 *
 * Each input port has a sender that always has packets of every class, of random sizes up to the MTU and often of those
 * that waste most of their cells, with no gaps. A pause that the MMU decides takes effect after a random delay of at
 * most waiting, PAUSE frame, propagation and processing; what the sender has begun then still comes. Output ports stop
 * now and then. Beside the lossless classes a random egress policy holds lossy ones, and the naive model follows every
 * call.
 *
 * With a headroom of weir_headroom_safe_cells no lossless packet may be lost; with senders that do not obey, without
 * insurance or with a part of the headroom only, losses must be seen over the rounds: else the first says nothing. A
 * failure prints the seed that replays it (WEIR_SEED=...).
 */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/support/error_line.h"
#include "weir/fixed.h"
#include "weir/headroom.h"
#include "weir/naive.h"

#define INPUTS_MAX 6u
#define PACKET_MIN 64u
#define FLYING_MAX 4096u
#define FRAMES_MAX 4096u
#define LOOP_EVENTS 3000u
#define LOOP_ROUNDS 40u
#define LOOP_SEED UINT64_C(0x6c6f73736c657373)

struct frame {
    weir_ps effect_ps;
    uint32_t mask; /* classes held from then on */
};

struct flying {
    weir_ps arrival_ps;
    struct weir_packet packet;
};

struct sender {
    weir_ps free_ps;    /* when it may begin the next packet */
    weir_ps byte_ps;    /* of its link */
    weir_ps delay_ps;   /* of its link, one way */
    weir_ps latest_ps;  /* at which a frame takes effect, so far: frames do not overtake */
    uint32_t told_mask; /* classes that the MMU wants held */
    uint32_t held_mask; /* classes that are */
    uint32_t frame_first, frame_count, flying_first, flying_count;
    struct frame frame[FRAMES_MAX];
    struct flying flying[FLYING_MAX];
};

struct loop {
    uint64_t seed;
    struct weir_random random;
    struct weir_mmu_config config;
    struct weir_values egress_values, ingress_values;
    struct weir_uplink uplinks[INPUTS_MAX];
    weir_bps input_rates_bps[INPUTS_MAX];
    struct weir_mmu *mmu;
    struct weir_naive *naive;
    weir_ps now;
    weir_ps output_free_ps[INPUTS_MAX];
    uint32_t mtu_bytes, processing_bytes;
    uint32_t usual_bytes;               /* of two packets in three */
    bool obeys;                         /* the senders obey pauses */
    uint64_t packets, refused, charged; /* lossless ones: sent, lost, and most cells of headroom at a time */
    struct sender sender[INPUTS_MAX];
};

/* What is tried, and what has to come of it. */
struct trial {
    const char *name, *scheme, *settings;
    uint32_t part_percent; /* of the safe headroom */
    bool obeys;
    bool lossless; /* nothing is lost, else something is */
};

static const struct trial trials[] = {
    {"sih", "sih", "", 100, true, true},
    {"sih, delta", "sih", "delta=3000B:alpha=0.5", 100, true, true},
    {"adaptive, all terms", "adaptive", "terms=safe", 100, true, true},
    {"oversubscribed, ratio 1", "oversubscribed", "ratio=1", 100, true, true},
    {"sai-groups", "sai-groups", "alpha=0.0625:xon=1000B:delta=3000B", 100, true, true},
    {"dsh", "dsh", "", 100, true, true},
    {"dsh, tables", "dsh", "estimate=table:delta_queue=3000B:delta_port=3000B", 100, true, true},
    {"dsh, alpha 0.5", "dsh", "alpha=0.5:window=20us", 100, true, true},
    {"dsh without shared headroom", "dsh", "shared_headroom=no", 100, true, true},
    {"sih with 80 %", "sih", "", 80, true, false},
    {"oversubscribed", "oversubscribed", "", 100, true, false},
    {"dsh without insurance", "dsh", "insurance=no", 100, true, false},
    {"dsh with 80 %", "dsh", "", 80, true, false},
    {"sai-groups with 80 %", "sai-groups", "alpha=0.0625", 80, true, false},
    {"sih, nobody obeys", "sih", "", 100, false, false},
    {"dsh, nobody obeys", "dsh", "", 100, false, false},
};

static uint32_t loop_below(struct loop *l, uint32_t n)
{
    return weir_random_below(&l->random, n);
}

static void loop_set(struct weir_values *values, const struct weir_policy *policy, const char *settings)
{
    char text[256];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    weir_values_init(values, policy);
    snprintf(text, sizeof text, "%s", settings);
    for (char *at = text; *at != '\0';) {
        char *end = at + strcspn(at, ":"), *equals = strchr(at, '=');
        bool last = *end == '\0';
        *end = *equals = '\0';
        if (!weir_values_set(values, policy, at, equals + 1, &error))
            fail_msg("%s", ERROR_LINE(&error));
        at = last ? end : end + 1;
    }
}

/* Sizes of packets and cells; what a packet of the MTU takes. */
static weir_cells loop_draw_sizes(struct loop *l)
{
    static const uint32_t cell_bytes[] = {1, 1, 80, 150, 208, 1000};
    l->config.cell_bytes = cell_bytes[loop_below(l, 6)];
    l->mtu_bytes = loop_below(l, 2) == 0 ? 1500 : 200;
    l->processing_bytes = loop_below(l, 2) == 0 ? WEIR_PFC_PROCESSING_BYTES : 8000;
    const uint32_t usual[] = {l->mtu_bytes, l->config.cell_bytes + 1, PACKET_MIN};
    l->usual_bytes = usual[loop_below(l, 3)];
    if (l->usual_bytes < PACKET_MIN || l->usual_bytes > l->mtu_bytes)
        l->usual_bytes = l->mtu_bytes;
    return weir_cells_for_bytes(l->mtu_bytes, l->config.cell_bytes);
}

static void loop_draw_links(struct loop *l, const struct trial *trial)
{
    static const weir_bps rates_bps[] = {8000000000, 80000000000}; /* whole picoseconds per byte */
    struct weir_mmu_config *config = &l->config;
    config->rate_bps = rates_bps[loop_below(l, 2)];
    for (uint32_t i = 0; i < config->ports; i++) {
        l->input_rates_bps[i] = rates_bps[loop_below(l, 2)];
        l->uplinks[i] = (struct weir_uplink){.delay_ps = loop_below(l, 2) * WEIR_PS_PER_US / 10,
                                             .mtu_bytes = l->mtu_bytes,
                                             .least_bytes = PACKET_MIN,
                                             .processing_bytes = l->processing_bytes};
        weir_cells safe = weir_headroom_safe_cells(&l->uplinks[i], l->input_rates_bps[i], config->cell_bytes);
        l->uplinks[i].headroom_cells = safe * trial->part_percent / 100;
        l->sender[i].byte_ps = 8 * WEIR_PS_PER_S / l->input_rates_bps[i];
        l->sender[i].delay_ps = l->uplinks[i].delay_ps;
    }
    config->input_rates_bps = l->input_rates_bps;
    config->uplinks = l->uplinks;
}

static void loop_configure(struct loop *l, const struct trial *trial)
{
    struct weir_mmu_config *config = &l->config;
    uint32_t ports = 2 + loop_below(l, INPUTS_MAX - 1), classes = 1 + loop_below(l, 8);
    weir_cells packet = loop_draw_sizes(l);
    uint32_t cell_bytes = config->cell_bytes;
    weir_mmu_config_init(config, ports, classes, packet * (20 + loop_below(l, 400)));
    config->cell_bytes = cell_bytes;
    do
        config->egress = weir_policies[loop_below(l, weir_policy_count)];
    while (config->egress->needs & /* refuses, unpaused */
           (WEIR_NEED_INGRESS | WEIR_NEED_ORACLE | WEIR_NEED_LOSSLESS | WEIR_NEED_FLOW));
    weir_values_init(&l->egress_values, config->egress);
    config->egress_values = &l->egress_values;
    config->ingress = weir_policy_find(trial->scheme);
    loop_set(&l->ingress_values, config->ingress, trial->settings);
    config->ingress_values = &l->ingress_values;
    config->scheduler = (struct weir_scheduler_config){.kind = WEIR_SCHED_DRR, .quantum_bytes = 1600};
    config->lossless_mask = (1 + loop_below(l, (1u << classes) - 1)) & 0xff;
    loop_draw_links(l, trial);
    for (uint32_t c = 0; loop_below(l, 2) == 0 && c < classes; c++)
        config->ingress_private_cells[c] = loop_below(l, 2 * (uint32_t)packet);
    config->headroom_cells = weir_mmu_headroom_cells(config);
    config->buffer_cells += config->headroom_cells + weir_mmu_inputs(config) * classes * 2 * packet;
    config->packets_max = 65536;
}

/* The MMU has changed its mind about an input: a frame sets out. */
static void loop_tell(struct loop *l, uint32_t input)
{
    const struct weir_port_state *p = &weir_mmu_ingress_view(l->mmu)->port[input];
    struct sender *s = &l->sender[input];
    uint32_t wanted = p->paused_mask | (p->paused ? l->config.lossless_mask : 0);
    if (wanted == s->told_mask)
        return;
    s->told_mask = wanted;
    weir_ps most_ps = (l->mtu_bytes + WEIR_PFC_FRAME_BYTES + l->processing_bytes) * s->byte_ps + s->delay_ps;
    weir_ps least_ps = WEIR_PFC_FRAME_BYTES * s->byte_ps + s->delay_ps;
    /* Often at the bound: that is what headroom is for. */
    weir_ps after_ps = loop_below(l, 2) == 0 ? most_ps : least_ps + loop_below(l, (uint32_t)(most_ps - least_ps) + 1);
    weir_ps effect_ps = l->now + after_ps;
    s->latest_ps = effect_ps > s->latest_ps ? effect_ps : s->latest_ps;
    assert_true(s->frame_count < FRAMES_MAX);
    s->frame[(s->frame_first + s->frame_count++) % FRAMES_MAX] = (struct frame){s->latest_ps, wanted};
}

static void loop_agree(struct loop *l)
{
    for (uint32_t i = 0; i < l->config.ports; i++) {
        const struct weir_port_state *p = &weir_mmu_ingress_view(l->mmu)->port[i];
        bool port_level;
        uint32_t mask = weir_naive_paused(l->naive, (weir_port){i}, &port_level);
        if (mask != p->paused_mask || port_level != p->paused)
            fail_msg("input %u: %#x and %d paused, the naive model says %#x and %d. Replay with WEIR_SEED=0x%" PRIx64,
                     i, p->paused_mask, p->paused, mask, port_level, l->seed);
        loop_tell(l, i);
    }
    weir_cells used = weir_mmu_view(l->mmu)->pools->headroom_cells;
    l->charged = (uint64_t)used > l->charged ? (uint64_t)used : l->charged;
    const char *problem = weir_mmu_check(l->mmu);
    if (problem != NULL)
        fail_msg("invariant: %s. Replay with WEIR_SEED=0x%" PRIx64, problem, l->seed);
}

/* The sender begins a packet of a class that it may send; without one it waits for the next frame. */
static void loop_begin_packet(struct loop *l, uint32_t input)
{
    struct sender *s = &l->sender[input];
    uint32_t classes = (1u << l->config.classes) - 1, free = classes & ~(l->obeys ? s->held_mask : 0);
    if (free == 0) {
        s->free_ps = s->frame_count > 0 ? s->frame[s->frame_first].effect_ps : l->now + WEIR_PS_PER_US;
        return;
    }
    uint32_t tc = loop_below(l, l->config.classes);
    while (!(free >> tc & 1))
        tc = (tc + 1) % l->config.classes;
    uint32_t bytes = loop_below(l, 3) == 0 ? PACKET_MIN + loop_below(l, l->mtu_bytes - PACKET_MIN + 1) : l->usual_bytes;
    s->free_ps = l->now + bytes * s->byte_ps;
    assert_true(s->flying_count < FLYING_MAX);
    s->flying[(s->flying_first + s->flying_count++) % FLYING_MAX] =
        (struct flying){s->free_ps + s->delay_ps,
                        {.output = {loop_below(l, 4) > 0 ? 0 : loop_below(l, l->config.ports)},
                         .input = {input},
                         .tc = {tc},
                         .bytes = bytes}};
}

static void loop_arrive(struct loop *l, struct sender *s)
{
    struct weir_packet packet = s->flying[s->flying_first].packet;
    s->flying_first = (s->flying_first + 1) % FLYING_MAX;
    s->flying_count--;
    const struct weir_effects *fx = weir_mmu_arrive(l->mmu, &packet, l->now);
    struct weir_naive_result r = weir_naive_arrive(l->naive, &packet, l->now);
    if (fx->accepted != r.accepted)
        fail_msg("accepted: %d in the MMU, %d in the naive model. Replay with WEIR_SEED=0x%" PRIx64, fx->accepted,
                 r.accepted, l->seed);
    if (!(l->config.lossless_mask >> packet.tc.i & 1))
        return;
    l->packets++;
    l->refused += !fx->accepted;
}

static void loop_depart(struct loop *l, uint32_t port)
{
    const struct weir_effects *fx = weir_mmu_depart(l->mmu, (weir_port){port}, l->now);
    for (uint32_t i = 0; i < fx->lost_count; i++)
        weir_naive_leave(l->naive, fx->lost[i].account, l->now);
    if (fx->departed)
        assert_true(weir_naive_leave(l->naive, fx->account, l->now).index == fx->departed_index);
    else
        weir_naive_idle(l->naive, (weir_port){port}, l->now);
    weir_ps byte_ps = 8 * WEIR_PS_PER_S / l->config.rate_bps;
    l->output_free_ps[port] = l->now + (fx->departed ? fx->bytes : l->mtu_bytes) * byte_ps;
    if (loop_below(l, 40) == 0) /* its peer holds it for a while */
        l->output_free_ps[port] += loop_below(l, 300) * l->mtu_bytes * byte_ps;
}

/* The next thing that happens: frames take effect before packets begin, and packets arrive before any port sends. */
static void loop_step(struct loop *l)
{
    weir_ps next = WEIR_NEVER;
    for (uint32_t i = 0; i < l->config.ports; i++) {
        const struct sender *s = &l->sender[i];
        weir_ps arrival = s->flying_count > 0 ? s->flying[s->flying_first].arrival_ps : WEIR_NEVER;
        weir_ps earlier = arrival < s->free_ps ? arrival : s->free_ps;
        earlier = earlier < l->output_free_ps[i] ? earlier : l->output_free_ps[i];
        next = earlier < next ? earlier : next;
    }
    l->now = next;
    for (uint32_t i = 0; i < l->config.ports; i++) {
        struct sender *s = &l->sender[i];
        while (s->frame_count > 0 && s->frame[s->frame_first].effect_ps <= l->now) {
            s->held_mask = s->frame[s->frame_first].mask;
            s->frame_first = (s->frame_first + 1) % FRAMES_MAX;
            s->frame_count--;
        }
        if (s->free_ps <= l->now)
            loop_begin_packet(l, i);
        if (s->flying_count > 0 && s->flying[s->flying_first].arrival_ps <= l->now)
            loop_arrive(l, s);
        else if (l->output_free_ps[i] <= l->now)
            loop_depart(l, i);
        loop_agree(l);
    }
}

static void loop_run(struct loop *l, const struct trial *trial, uint64_t seed)
{
    memset(l, 0, sizeof *l);
    l->seed = seed;
    l->random = weir_random_stream(seed, "lossless");
    l->obeys = trial->obeys;
    loop_configure(l, trial);
    l->mmu = world_build(&l->config);
    l->naive = weir_naive_new(&l->config);
    assert_non_null(l->naive);
    for (uint32_t step = 0; step < LOOP_EVENTS; step++)
        loop_step(l);
    if (weir_mmu_hash(l->mmu) != weir_naive_hash(l->naive))
        fail_msg("the state differs. Replay with WEIR_SEED=0x%" PRIx64, seed);
    weir_naive_free(l->naive);
    free(l->mmu);
}

static void swarm__lossless_as_promised(void **state)
{
    static struct loop loop;
    const struct trial *trial = *state;
    uint64_t wanted = world_seed_wanted(), packets = 0, refused = 0, with_headroom = 0;
    for (uint32_t round = 0; round < (wanted ? 1 : world_rounds(LOOP_ROUNDS)); round++) {
        uint64_t seed = wanted ? wanted : weir_hash(LOOP_SEED, round);
        loop_run(&loop, trial, seed);
        if (trial->lossless && loop.refused > 0)
            fail_msg("%s: %" PRIu64 " of %" PRIu64 " lossless packets lost. Replay with WEIR_SEED=0x%" PRIx64,
                     trial->name, loop.refused, loop.packets, seed);
        packets += loop.packets;
        refused += loop.refused;
        with_headroom += loop.charged > 0;
    }
    print_message("%u rounds, %" PRIu64 " lossless packets, %" PRIu64 " lost, headroom used in %" PRIu64 " rounds\n",
                  world_rounds(LOOP_ROUNDS), packets, refused, with_headroom);
    if (!wanted && !trial->lossless)
        assert_true(refused > 0);
    if (!wanted && trial->lossless)
        assert_true(with_headroom > 0);
}

int main(void)
{
    static struct CMUnitTest tests[sizeof trials / sizeof trials[0]];
    size_t count = sizeof trials / sizeof trials[0];
    for (size_t i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){trials[i].name, swarm__lossless_as_promised, NULL, NULL, (void *)(uintptr_t)&trials[i]};
    return _cmocka_run_group_tests("pause_loop", tests, count, NULL, NULL);
}

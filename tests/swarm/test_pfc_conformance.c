/*
 * test_pfc_conformance.c - flow control of a port in the simulator and in the software switch does the same: random
 * wishes of an MMU, frames of a peer, a busy link and a link that fails, at random times that often meet.
 *
 * On one side is a port of a simulated switch, with its events, its links and its MMU. On the other side is the pause.h
 * of the software switch, and the little that the dataplane does around it: it sends a frame when one is due and the
 * wire is free, and hears one when it has been processed. Both have to tell the same frames at the same times and to
 * hold the same classes until the same times. What each of them tells, a peer of the other kind has to hold.
 *
 * A failure prints the seed that replays it (WEIR_SEED=...).
 */
#include "world.h"

#include <inttypes.h>

#include "switch/dpdk/pause.h"
#include "tests/support/lossless_star.h"

#define ROUNDS 60u
#define STEPS 400u
#define SEED UINT64_C(0x70666320706565)
#define PORT 0u
#define FRAMES_MAX 1024u
#define STEP_PS_MAX (200 * US)
#define RATE ((weir_bps)8000000000) /* a byte takes a nanosecond */
#define QUANTUM_PS (WEIR_PFC_QUANTUM_BYTES * NS)
#define FRAME_PS (WEIR_PFC_FRAME_BYTES * NS)

struct heard {
    weir_ps effect_ps;
    uint8_t bytes[PAUSE_FRAME_BYTES];
};

struct pair {
    uint64_t seed;
    struct weir_random random;
    struct sim_pfc pfc;
    weir_ps now;
    uint32_t queue_mask; /* what the MMU wants */
    bool port_level;
    bool up;

    struct lossless_star star; /* the simulator */
    struct switch_node *node;
    struct pfc_end sim_peer; /* hears what the software switch tells */

    struct pause_port port; /* the software switch */
    weir_ps free_ps;        /* of its wire */
    struct heard heard[FRAMES_MAX];
    uint32_t heard_first, heard_count;
    weir_ps until_ps[WEIR_PFC_CLASSES]; /* of its MMU */
    struct pause_port switch_peer;      /* hears what the simulator tells */

    uint64_t frames, refreshes, expiries;
};

static uint32_t below(struct pair *p, uint32_t n)
{
    return weir_random_below(&p->random, n);
}

#define PICK(pair, list) ((list)[below(pair, sizeof(list) / sizeof((list)[0]))])

static void agree(const struct pair *p, bool same, const char *what)
{
    if (!same)
        fail_msg("%s differs at %" PRId64 " ps. Replay with WEIR_SEED=0x%" PRIx64, what, (int64_t)p->now, p->seed);
}

static struct frame frame_of(const uint8_t bytes[PAUSE_FRAME_BYTES])
{
    return (struct frame){.bytes = bytes, .length = PAUSE_FRAME_BYTES, .at_hand = PAUSE_FRAME_BYTES, .vlan = -1};
}

static void start(struct pair *p, uint64_t seed)
{
    static const uint8_t address[6] = {2, 0, 0, 0, 0, 1};
    static const uint32_t quanta[] = {1, 2, 7, 50, 1000, 65535}, processing[] = {0, 64, 3840};
    static const uint32_t masks[] = {0x01, 0x06, 0x7f, 0xff};
    *p = (struct pair){.seed = seed, .random = weir_random_stream(seed, "pfc"), .up = true};
    lossless_init(&p->star);
    struct sim_config *config = &p->star.star.config;
    uint32_t lossless_mask = PICK(p, masks);
    config->pfc.quanta = PICK(p, quanta);
    config->pfc.processing_bytes = PICK(p, processing);
    config->tiers[0].mmu.classes = 8;
    config->tiers[0].mmu.lossless_mask = lossless_mask;
    p->pfc = config->pfc;
    star_create(&p->star.star);
    p->node = lossless_switch(&p->star);
    wheel_set_window(&p->star.star.sim->worker[0]->wheel, STEP_PS_MAX);
    pfc_end_init(&p->sim_peer, &p->pfc, p->node->port[PORT].out, 0);
    const struct weir_pfc_settings settings = {
        .rate_bps = RATE, .quanta = p->pfc.quanta, .lossless_mask = lossless_mask, .obeyed_mask = WEIR_PFC_CLASS_MASK};
    pause_init(&p->port, &settings, address);
    pause_init(&p->switch_peer, &settings, address);
}

/* Both MMUs want something else. */
static void act_edge(struct pair *p)
{
    uint32_t flipped = p->port.peer.settings.lossless_mask & (uint32_t)weir_random_bits(&p->random);
    bool level = below(p, 4) == 0;
    struct weir_pause_edge edge = {.port = {PORT},
                                   .pause_mask = flipped & ~p->queue_mask,
                                   .resume_mask = flipped & p->queue_mask,
                                   .port_pause = level && !p->port_level,
                                   .port_resume = level && p->port_level};
    const struct weir_effects effects = {.edge_count = 1, .edges = &edge};
    p->queue_mask ^= flipped;
    p->port_level ^= level;
    switch_pfc_edges(p->node, &effects, p->now);
    pause_edge(&p->port, &edge);
}

/* A frame of the peer arrives at both. */
static void act_frame(struct pair *p)
{
    static const uint16_t quanta[] = {1, 2, 60, 100, 1000, 65535};
    struct packet_pfc said = {.enabled = (uint8_t)weir_random_bits(&p->random), .quanta = PICK(p, quanta)};
    said.paused = said.enabled & (uint8_t)(below(p, 3) ? weir_random_bits(&p->random) : 0);
    if (!p->up || p->heard_count == FRAMES_MAX)
        return;
    struct packet *packet = packet_new(&p->star.star.sim->worker[0]->packets);
    assert_non_null(packet);
    *packet = (struct packet){.bytes = WEIR_PFC_FRAME_BYTES, .flags = PACKET_PFC};
    packet->pfc = said;
    switch_pfc_receive(p->node, PORT, packet, p->now);
    struct weir_pfc_frame frame = {.enabled = said.enabled};
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        frame.quanta[tc] = said.paused >> tc & 1 ? said.quanta : 0;
    struct heard *heard = &p->heard[(p->heard_first + p->heard_count++) % FRAMES_MAX];
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    weir_pfc_encode(&frame, bytes);
    memcpy(heard->bytes, bytes, sizeof heard->bytes);
    heard->effect_ps = p->now + (weir_ps)p->pfc.processing_bytes * NS;
}

/* Something else is on the wire for a while. */
static void act_busy(struct pair *p)
{
    if (p->node->times[PORT] != WEIR_NEVER)
        return;
    struct link *out = p->node->port[PORT].out;
    weir_ps from = out->free_ps > p->now ? out->free_ps : p->now;
    out->free_ps = p->free_ps = from + (weir_ps)below(p, 1500) * NS;
}

static void act_link(struct pair *p)
{
    p->up = !p->up;
    p->node->port[PORT].out->up = p->up;
    if (!p->up)
        switch_node_flush(p->node, PORT, p->now);
    switch_pfc_link_changes(p->node, PORT, p->up, p->now);
    if (p->up)
        return;
    pause_forget(&p->port, p->now);
    pause_forget(&p->switch_peer, p->now);
    weir_pfc_peer_forget(&p->sim_peer.peer, p->now);
    p->heard_count = 0;
    memset(p->until_ps, 0, sizeof p->until_ps);
}

/* The frames of both sides are the same, and a peer of the other kind holds what is wanted. */
static void compare_frame(struct pair *p, const uint8_t bytes[PAUSE_FRAME_BYTES], weir_ps sent_ps)
{
    struct link *out = p->node->port[PORT].out;
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    struct weir_pfc_frame told;
    weir_ps next;
    agree(p, !link_is_empty(out) && link_place(out, out->arrived)->when == sent_ps + FRAME_PS, "the time of a frame");
    struct packet *packet = link_take(out, &next);
    assert_int_equal(weir_pfc_decode(bytes, PAUSE_FRAME_BYTES, &told), WEIR_PFC_GOOD);
    agree(p, told.enabled == packet->pfc.enabled, "the class-enable vector");
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        agree(p, told.quanta[tc] == (packet->pfc.paused >> tc & 1 ? packet->pfc.quanta : 0), "a pause time");
    struct packet other = {.pfc = packet->pfc}; /* each peer hears the frame that the other kind made */
    struct frame frame = frame_of(bytes);
    other.pfc.enabled = told.enabled;
    pfc_end_hear(&p->sim_peer, &other, sent_ps, orders);
    pause_hear(&p->switch_peer, &frame, sent_ps, orders);
    uint32_t wanted = p->queue_mask | (p->port_level ? p->port.peer.settings.lossless_mask : 0);
    agree(p, p->sim_peer.peer.held == wanted && p->switch_peer.peer.held == wanted, "what a peer holds and is wanted");
    packet_delete(&p->star.star.sim->worker[0]->packets, packet);
    p->frames++;
}

static void switch_hears(struct pair *p)
{
    const struct heard *heard = &p->heard[p->heard_first];
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    struct frame frame = frame_of(heard->bytes);
    int32_t count = pause_hear(&p->port, &frame, heard->effect_ps, orders);
    assert_true(count >= 0);
    for (int32_t i = 0; i < count; i++)
        for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
            p->until_ps[tc] = orders[i].class_mask >> tc & 1 ? orders[i].until_ps : p->until_ps[tc];
    p->heard_first = (p->heard_first + 1) % FRAMES_MAX;
    p->heard_count--;
}

/* What the dataplane does before `end`; frames are compared with those that the simulator has sent meanwhile. */
static void switch_runs(struct pair *p, weir_ps end)
{
    weir_ps now = p->now;
    for (;;) {
        weir_ps ready = p->free_ps > now ? p->free_ps : now, due = p->up ? p->port.due_ps : WEIR_NEVER;
        weir_ps sends = due > ready ? due : ready;
        weir_ps hears = p->heard_count ? p->heard[p->heard_first].effect_ps : WEIR_NEVER;
        now = sends < hears ? sends : hears;
        if (now >= end)
            return;
        if (now == sends) {
            uint8_t bytes[PAUSE_FRAME_BYTES];
            pause_tell(&p->port, bytes, now);
            p->free_ps = now + FRAME_PS;
            compare_frame(p, bytes, now);
        } else {
            switch_hears(p);
        }
    }
}

/* Of the moment before `end`: what happens at `end` itself has not happened yet. */
static void compare_state(struct pair *p, weir_ps end)
{
    const struct weir_pfc_peer *sim = &p->node->pfc->port[PORT].end.peer;
    uint32_t held = 0;
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        held |= (uint32_t)(p->until_ps[tc] >= end) << tc;
    agree(p, link_is_empty(p->node->port[PORT].out), "the number of frames");
    agree(p, sim->told == p->port.peer.told, "what was told");
    agree(p, weir_pfc_peer_due(sim) == p->port.due_ps, "when a frame is due");
    agree(p, sim->held == held, "what is held");
    agree(p, (p->node->port[PORT].state->paused_mask & WEIR_PFC_CLASS_MASK) == held, "what the MMU holds");
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++) {
        agree(p, !(held >> tc & 1) || sim->until_ps[tc] == p->until_ps[tc], "the end of a pause");
        agree(p, weir_pfc_peer_held_ps(sim, tc, end - 1) == weir_pfc_peer_held_ps(&p->port.peer, tc, end - 1),
              "how long a class was held");
    }
}

static weir_ps draw_step(struct pair *p)
{
    static const weir_ps steps[] = {NS,
                                    32 * NS,
                                    64 * NS,
                                    3840 * NS,
                                    1000 * QUANTUM_PS,
                                    QUANTUM_PS / 2,
                                    500 * QUANTUM_PS,
                                    100 * QUANTUM_PS,
                                    7 * QUANTUM_PS,
                                    STEP_PS_MAX};
    weir_ps step = PICK(p, steps);
    return below(p, 2) ? step : 1 + (weir_ps)below(p, (uint32_t)step);
}

static void run(struct pair *p, uint64_t seed)
{
    static void (*const acts[])(struct pair *) = {act_edge, act_edge, act_frame, act_frame, act_busy};
    start(p, seed);
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t count = below(p, 4); count > 0; count--)
            PICK(p, acts)(p);
        if (below(p, 40) == 0)
            act_link(p);
        weir_ps end = p->now + draw_step(p);
        p->star.star.sim->worker[0]->now_ps = p->now;
        switch_node_run(p->node, end);
        switch_runs(p, end);
        compare_state(p, end);
        p->now = end;
    }
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++) {
        p->refreshes += p->port.peer.counters[tc].refreshes;
        p->expiries += p->node->pfc->port[PORT].end.peer.counters[tc].expired;
    }
    sim_free(p->star.star.sim);
}

static void swarm__both_hosts_tell_and_hold_the_same(void **state)
{
    (void)state;
    static struct pair pair;
    uint64_t wanted = world_seed_wanted(), frames = 0, refreshes = 0, expiries = 0;
    for (uint32_t round = 0; round < (wanted ? 1 : world_rounds(ROUNDS)); round++) {
        run(&pair, wanted ? wanted : weir_hash(SEED, round));
        frames += pair.frames;
        refreshes += pair.refreshes;
        expiries += pair.expiries;
    }
    print_message("%" PRIu64 " frames, %" PRIu64 " refreshes, %" PRIu64 " pauses expired\n", frames, refreshes,
                  expiries);
    assert_true(wanted || (frames > 1000 && refreshes > 1000 && expiries > 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(swarm__both_hosts_tell_and_hold_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

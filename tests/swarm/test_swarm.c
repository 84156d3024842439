/*
 * test_swarm.c - the MMU with each policy against the naive model, on random switches and random events.
 *
 * After every event the MMU's invariants must hold and both must agree on the verdict, its reason, every lost packet in
 * order, the packet that left and what is paused at every input port, and now and then on the hash of the whole state.
 * The scheduler's choice is taken from the MMU. A failure prints the seed that replays it (WEIR_SEED=...) and the
 * shortest list of events found that still fails.
 */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>

#include "weir/counters.h"
#include "weir/naive.h"

#define ROUNDS 600u
#define HASH_EVERY 64u
#define SWARM_SEED UINT64_C(0x77656972)

struct duel {
    const struct world *world;
    struct weir_mmu *mmu;
    struct weir_naive *naive;
    struct weir_packet packet[2 * WORLD_EVENTS_MAX]; /* by arrival index; each may leave a copy */
    uint32_t arrivals;
    struct weir_packet copy[2 * WORLD_EVENTS_MAX]; /* of trimmed packets, that wait to be offered */
    uint32_t copies, offered;
    char message[256]; /* of the first difference */
};

static bool duel_differ(struct duel *d, const char *what, long long mmu, long long naive)
{
    snprintf(d->message, sizeof d->message, "%s: %lld in the MMU, %lld in the naive model", what, mmu, naive);
    return false;
}

#define AGREE(d, what, mmu, naive)                                                                                     \
    do {                                                                                                               \
        if ((mmu) != (naive))                                                                                          \
            return duel_differ(d, what, (long long)(mmu), (long long)(naive));                                         \
    } while (0)

static void duel_trim(struct duel *d, const struct weir_packet *lost, enum weir_cause cause)
{
    if (weir_mmu_trims(d->mmu, lost, cause, &d->copy[d->copies]))
        d->copies++;
}

static void duel_trim_lost(struct duel *d, const struct weir_effects *e)
{
    for (uint32_t i = 0; i < e->lost_count; i++)
        duel_trim(d, &d->packet[e->lost[i].index], e->lost[i].cause);
}

static bool duel_agree_lost(struct duel *d, const struct weir_effects *e, const struct weir_naive_result *r)
{
    AGREE(d, "packets lost", e->lost_count, r->lost_count);
    for (uint32_t i = 0; i < e->lost_count; i++) {
        AGREE(d, "index lost", e->lost[i].index, r->lost[i].index);
        AGREE(d, "account losing", e->lost[i].account.i, r->lost[i].account.i);
        AGREE(d, "cause of loss", e->lost[i].cause, r->lost[i].cause);
        AGREE(d, "handle lost", e->lost[i].handle, d->packet[r->lost[i].index].handle);
    }
    duel_trim_lost(d, e);
    return true;
}

static bool duel_arrive(struct duel *d, const struct weir_effects *e, const struct weir_packet *packet, weir_ps now)
{
    struct weir_naive_result r = weir_naive_arrive(d->naive, packet, now);
    AGREE(d, "arrival index", e->index, d->arrivals);
    d->packet[d->arrivals++] = *packet;
    AGREE(d, "accepted", e->accepted, r.accepted);
    if (!r.accepted)
        AGREE(d, "reason", e->reason, r.reason);
    if (!r.accepted)
        duel_trim(d, packet, WEIR_CAUSE_REFUSED);
    return duel_agree_lost(d, e, &r);
}

/* Offers the copies that the event left, and those that these leave. The MMU's counters follow each. */
static bool duel_copies(struct duel *d, weir_ps now)
{
    while (d->offered < d->copies) {
        const struct weir_packet *copy = &d->copy[d->offered++];
        weir_account from = {(copy->trimmed_from - 1) * d->world->config.ports + copy->output.i};
        struct weir_account_counters before = weir_mmu_account_counters(d->mmu, from);
        const struct weir_effects *e = weir_mmu_arrive(d->mmu, copy, now);
        uint64_t refused = !e->accepted;
        if (!duel_arrive(d, e, copy, now))
            return false;
        struct weir_account_counters after = weir_mmu_account_counters(d->mmu, from);
        AGREE(d, "copies offered", after.trim_packets, before.trim_packets + 1);
        if (refused)
            AGREE(d, "copies refused", after.dropped_trim_packets, before.dropped_trim_packets + 1);
    }
    return true;
}

/* Packets dropped as they were about to leave come first, then the one that left. */
static bool duel_depart(struct duel *d, const struct weir_effects *e, const struct world_event *event)
{
    for (uint32_t i = 0; i < e->lost_count; i++) {
        struct weir_naive_result r = weir_naive_leave(d->naive, e->lost[i].account, event->now);
        AGREE(d, "sent instead of dropped", false, r.sent);
        AGREE(d, "packets dropped", 1, r.lost_count);
        AGREE(d, "index dropped", e->lost[i].index, r.lost[0].index);
        AGREE(d, "cause of drop", e->lost[i].cause, r.lost[0].cause);
    }
    duel_trim_lost(d, e);
    if (!e->departed) {
        weir_naive_idle(d->naive, event->port, event->now);
        if (e->lost_count < d->world->config.evictions_max)
            AGREE(d, "cells of an idle port", weir_mmu_view(d->mmu)->port[event->port.i].cells, 0);
        return true;
    }
    struct weir_naive_result r = weir_naive_leave(d->naive, e->account, event->now);
    AGREE(d, "sent", e->departed, r.sent);
    AGREE(d, "index sent", e->departed_index, r.index);
    AGREE(d, "handle sent", e->handle, d->packet[r.index].handle);
    return true;
}

static bool duel_event(struct duel *d, const struct world_event *event)
{
    struct weir_naive_result r;
    const struct weir_policy *side = event->ingress ? d->world->config.ingress : d->world->config.egress;
    bool changes = event->op == WORLD_CHANGE && side->change != NULL;
    const struct weir_effects *e = world_apply(d->world, d->mmu, event);
    switch (event->op) {
    case WORLD_ARRIVE:
        return duel_arrive(d, e, &event->packet, event->now);
    case WORLD_DEPART:
        return duel_depart(d, e, event);
    case WORLD_EXPEL:
        r = weir_naive_offer_expel(d->naive, event->now);
        return duel_agree_lost(d, e, &r);
    case WORLD_FLUSH:
        r = weir_naive_flush_classes(d->naive, event->port, event->class_mask, event->now);
        return duel_agree_lost(d, e, &r);
    default:
        if (changes && event->ingress)
            weir_naive_change_ingress(d->naive, &d->world->ingress_values[event->change], event->now);
        else if (changes)
            weir_naive_change(d->naive, &d->world->values[event->change], event->now);
        AGREE(d, "packets lost by time", e->lost_count, 0);
        return true;
    }
}

/* What is paused at each input port. */
static bool duel_agree_paused(struct duel *d)
{
    const struct weir_view *view = weir_mmu_ingress_view(d->mmu);
    for (uint32_t i = 0; view != NULL && i < view->geometry.ports; i++) {
        bool port_level;
        uint32_t mask = weir_naive_paused(d->naive, (weir_port){i}, &port_level);
        AGREE(d, "paused classes", view->port[i].paused_mask, mask);
        AGREE(d, "paused port", view->port[i].paused, port_level);
    }
    return true;
}

/* All invariants of the MMU, after every event, whatever the build. */
static bool duel_is_whole(struct duel *d)
{
    const char *problem = weir_mmu_check(d->mmu);
    if (problem)
        snprintf(d->message, sizeof d->message, "invariant: %s", problem);
    return problem == NULL;
}

/* Place of the first event on which they differ, or `count`. */
static uint32_t duel_run(const struct world *world, const struct world_event *event, uint32_t count, char message[256])
{
    static struct duel d; /* large */
    d = (struct duel){.world = world};
    uint32_t at = 0;
    d.mmu = world_build(&world->config);
    d.naive = weir_naive_new(&world->config);
    if (d.naive == NULL)
        fail_msg("the naive model does not know %s", world_policy(world)->name);
    for (bool agree = true; at < count; at++) {
        agree =
            duel_event(&d, &event[at]) && duel_copies(&d, event[at].now) && duel_agree_paused(&d) && duel_is_whole(&d);
        if (agree && (at % HASH_EVERY == 0 || at + 1 == count) && weir_mmu_hash(d.mmu) != weir_naive_hash(d.naive))
            agree = duel_differ(&d, "state hash", (long long)weir_mmu_hash(d.mmu), (long long)weir_naive_hash(d.naive));
        if (!agree)
            break;
    }
    memcpy(message, d.message, sizeof d.message);
    weir_naive_free(d.naive);
    free(d.mmu);
    return at;
}

/* Leaves out events, in ever smaller runs, as long as the rest still fails. Returns how many remain. */
static uint32_t swarm_shrink(const struct world *world, struct world_event *event, uint32_t count)
{
    static struct world_event fewer[WORLD_EVENTS_MAX];
    char message[256];
    for (uint32_t chunk = count / 2; chunk > 0; chunk /= 2) {
        for (uint32_t from = 0; from + chunk <= count;) {
            uint32_t left = count - chunk;
            memcpy(fewer, event, from * sizeof fewer[0]);
            memcpy(fewer + from, event + from + chunk, (left - from) * sizeof fewer[0]);
            uint32_t failed = duel_run(world, fewer, left, message);
            if (failed == left) {
                from += chunk;
                continue;
            }
            count = failed + 1;
            memcpy(event, fewer, count * sizeof fewer[0]);
        }
    }
    return count;
}

static void swarm_print_ingress(const struct world *world)
{
    const struct weir_mmu_config *config = &world->config;
    char text[64];
    print_message("%s beside %s, lossless classes %#x, %lld cells of headroom, %u inputs:", config->ingress->name,
                  config->egress->name, config->lossless_mask, (long long)config->headroom_cells,
                  weir_mmu_inputs(config));
    for (uint32_t p = 0; p < config->ingress->param_count; p++) {
        weir_value_format(text, sizeof text, &config->ingress->params[p], world->ingress_values[0].of[p][0]);
        print_message(" %s=%s", config->ingress->params[p].name, text);
    }
    print_message("\n");
}

static void swarm_print(const struct world *world, const struct world_event *event, uint32_t count)
{
    static const char *const names[WORLD_OPS] = {"arrive", "depart", "offer_expel", "flush", "advance", "change"};
    const struct weir_mmu_config *config = &world->config;
    char text[64];
    print_message("%u ports, %u classes, %lld cells of %u bytes, %u packets, %u evictions\n", config->ports,
                  config->classes, (long long)config->buffer_cells, config->cell_bytes, config->packets_max,
                  config->evictions_max);
    for (uint32_t c = 0; c < config->classes; c++) {
        print_message("class %u: private %lld", c, (long long)config->private_cells[c]);
        if (config->trim[c].bytes > 0)
            print_message(", cut to %u bytes for class %u, causes %#x", config->trim[c].bytes, config->trim[c].to.i,
                          config->trim[c].causes);
        for (uint32_t p = 0; p < config->egress->param_count; p++) {
            weir_value_format(text, sizeof text, &config->egress->params[p], world->values[0].of[p][c]);
            print_message(" %s=%s", config->egress->params[p].name, text);
        }
        print_message("\n");
    }
    if (config->ingress != NULL)
        swarm_print_ingress(world);
    for (uint32_t i = 0; i < count; i++)
        print_message("%3u %12lld ps %-11s port %u input %u class %u bytes %u flags %u change %u\n", i,
                      (long long)event[i].now, names[event[i].op], event[i].port.i, event[i].packet.input.i,
                      event[i].packet.tc.i, event[i].packet.bytes, event[i].packet.flags, event[i].change);
}

static void swarm_round(uint64_t seed)
{
    static struct world world;
    static struct world_event event[WORLD_EVENTS_MAX];
    char message[256];
    world_draw(&world, seed);
    uint32_t failed = duel_run(&world, world.event, world.event_count, message);
    if (failed == world.event_count)
        return;
    print_message("%s: event %u: %s\n", world_policy(&world)->name, failed, message);
    memcpy(event, world.event, sizeof event);
    uint32_t count = swarm_shrink(&world, event, failed + 1);
    swarm_print(&world, event, count);
    duel_run(&world, event, count, message);
    fail_msg("%s: %s. Replay with WEIR_SEED=0x%" PRIx64, world_policy(&world)->name, message, seed);
}

static void swarm__mmu_and_naive_agree(void **state)
{
    uint64_t policy = *(const uint32_t *)*state, wanted = world_seed_wanted();
    if (wanted != 0 && (wanted & 0xff) == policy)
        swarm_round(wanted);
    print_message("%u rounds of %u events, seeds from %#llx\n", world_rounds(ROUNDS), WORLD_EVENTS_MAX,
                  (unsigned long long)SWARM_SEED);
    for (uint32_t round = 0; wanted == 0 && round < world_rounds(ROUNDS); round++)
        swarm_round(weir_hash(SWARM_SEED, round) << 8 | policy);
}

int main(void)
{
    static uint32_t index[256];
    static struct CMUnitTest tests[256];
    uint32_t count = 0;
    for (uint32_t i = 0; i < weir_policy_count && i < 256; i++) {
        index[i] = i;
        tests[count++] = (struct CMUnitTest){weir_policies[i]->name, swarm__mmu_and_naive_agree, NULL, NULL, &index[i]};
    }
    return _cmocka_run_group_tests("swarm", tests, count, NULL, NULL);
}

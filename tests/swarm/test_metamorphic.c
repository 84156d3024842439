/*
 * test_metamorphic.c - changes of the question that must not change the answer. No model is needed for these: an MMU
 * is compared with itself.
 *
 *   permuted ports   the outcome is permuted likewise. Not for lqd, lqd-predicted, occamy, followlqd and credence,
 *                    which break ties or take turns by account number.
 *   scaled time      rates times k and all times divided by k: the same outcome. The factors are exact in
 *                    picoseconds for the rates and times of world.h. Every policy.
 *   unused ports     more ports without traffic: the same outcome. Not for es, smxq, tdt, harmonic, credence and
 *                    lqd-predicted, whose rules contain the number of ports or accounts. Worlds have no private
 * minimums here, since those of the new ports would shrink the shared pool. extra advance    calls of weir_mmu_advance
 * at any moment in between: the same outcome. Every policy.
 *   passing          weir_mmu_pass, and weir_mmu_depart where it left that to do, for weir_mmu_arrive and then
 *                    weir_mmu_depart: the same outcome, state and counters. Every policy.
 *
 * A failure prints the seed; WEIR_SEED=... runs that world alone.
 */
#include "world.h"

#include <inttypes.h>

#include "weir/counters.h"

#define ROUNDS 40u
#define SEED UINT64_C(0x6d657461)
#define SCALE 4
#define UNUSED_PORTS 3u

/* How a variant's ports map to those of the first run. */
struct naming {
    uint32_t ports;                                /* of the first run */
    uint32_t port[WORLD_PORTS_MAX + UNUSED_PORTS]; /* [port of this run] -> port of the first run */
};

static uint64_t naming_account(const struct naming *naming, const struct weir_mmu *mmu, weir_account account)
{
    const struct weir_geometry *g = &weir_mmu_view(mmu)->geometry;
    return weir_account_class(g, account).i * (uint64_t)naming->ports + naming->port[weir_account_port(g, account).i];
}

/* One number for everything an event did. */
static uint64_t digest(const struct naming *naming, const struct weir_mmu *mmu, const struct weir_effects *e,
                       enum world_op op)
{
    uint64_t hash = op;
    if (op == WORLD_ARRIVE)
        hash = weir_hash(weir_hash(hash, e->accepted), e->accepted ? WEIR_REASON_NONE : e->reason);
    if (op == WORLD_DEPART && e->departed)
        hash = weir_hash(weir_hash(hash, e->departed_index), naming_account(naming, mmu, e->account));
    for (uint32_t i = 0; i < e->lost_count; i++) {
        hash = weir_hash(weir_hash(hash, e->lost[i].index), e->lost[i].cause);
        hash = weir_hash(hash, naming_account(naming, mmu, e->lost[i].account));
    }
    return hash;
}

static void run(const struct world *w, const struct naming *naming, struct weir_random *extra, uint64_t *digests)
{
    struct weir_mmu *mmu = world_build(&w->config);
    weir_ps last = 0;
    for (uint32_t i = 0; i < w->event_count; i++) {
        weir_ps now = w->event[i].now;
        for (uint32_t calls = extra != NULL ? weir_random_below(extra, 3) : 0; calls > 0; calls--) {
            last += (weir_ps)(weir_random_bits(extra) % (uint64_t)(now - last + 1));
            weir_mmu_advance(mmu, last);
        }
        digests[i] = digest(naming, mmu, world_apply(w, mmu, &w->event[i]), w->event[i].op);
        last = now;
    }
    free(mmu);
}

static struct naming naming_same(uint32_t ports)
{
    struct naming naming = {.ports = ports};
    for (uint32_t p = 0; p < WORLD_PORTS_MAX + UNUSED_PORTS; p++)
        naming.port[p] = p;
    return naming;
}

static void permute(struct world *w, struct naming *naming)
{
    uint32_t to[WORLD_PORTS_MAX];
    weir_bps rates_bps[WORLD_PORTS_MAX];
    for (uint32_t p = 0; p < w->config.ports; p++)
        to[p] = p;
    for (uint32_t p = w->config.ports; p > 1; p--) {
        uint32_t other = world_below(w, p), kept = to[p - 1];
        to[p - 1] = to[other];
        to[other] = kept;
    }
    memcpy(rates_bps, w->rates_bps, sizeof rates_bps);
    for (uint32_t p = 0; p < w->config.ports; p++) {
        naming->port[to[p]] = p;
        w->rates_bps[to[p]] = rates_bps[p];
    }
    for (uint32_t i = 0; i < w->event_count; i++)
        w->event[i].port.i = w->event[i].packet.output.i = to[w->event[i].port.i];
}

/* All times of a world are multiples of SCALE, once the odd picoseconds of its long pauses are cut off. */
static void round_times(struct world *w)
{
    for (uint32_t i = 0; i < w->event_count; i++)
        w->event[i].now -= w->event[i].now % SCALE;
}

static void scale(struct world *w)
{
    for (uint32_t p = 0; p < w->config.ports; p++)
        w->rates_bps[p] *= SCALE;
    w->config.memory_bps *= SCALE;
    for (uint32_t i = 0; i < w->event_count; i++)
        w->event[i].now /= SCALE;
    for (uint32_t p = 0; p < w->config.egress->param_count; p++)
        for (uint32_t c = 0; w->config.egress->params[p].unit == WEIR_UNIT_TIME && c < WEIR_CLASSES_MAX; c++)
            for (uint32_t i = 0; i < WORLD_CHANGES; i++)
                w->values[i].of[p][c] /= SCALE;
}

enum variant { PERMUTED_PORTS, SCALED_TIME, UNUSED, EXTRA_ADVANCE };

static void compare(uint64_t seed, enum variant variant)
{
    static struct world w;
    static uint64_t first[WORLD_EVENTS_MAX], second[WORLD_EVENTS_MAX];
    weir_bps rates_bps[WORLD_PORTS_MAX + UNUSED_PORTS];
    struct weir_random extra = weir_random_stream(seed, "extra");
    world_draw(&w, seed);
    struct naming naming = naming_same(w.config.ports);
    if (variant == UNUSED)
        memset(w.config.private_cells, 0, sizeof w.config.private_cells);
    if (variant == SCALED_TIME)
        round_times(&w);
    run(&w, &naming, NULL, first);
    if (variant == PERMUTED_PORTS)
        permute(&w, &naming);
    if (variant == SCALED_TIME)
        scale(&w);
    if (variant == UNUSED) {
        for (uint32_t p = 0; p < WORLD_PORTS_MAX + UNUSED_PORTS; p++)
            rates_bps[p] = w.rates_bps[p < w.config.ports ? p : 0];
        w.config.ports += UNUSED_PORTS;
        w.config.rates_bps = rates_bps;
    }
    run(&w, &naming, variant == EXTRA_ADVANCE ? &extra : NULL, second);
    for (uint32_t i = 0; i < w.event_count; i++)
        if (first[i] != second[i])
            fail_msg("%s: event %u differs. Replay with WEIR_SEED=0x%" PRIx64, w.config.egress->name, i, seed);
}

/* What an arrival and the departure after it did. */
struct through {
    struct weir_effects in, out;
    uint64_t lost;
    bool passed;
};

static uint64_t lost_digest(uint64_t hash, const struct weir_effects *e)
{
    for (uint32_t i = 0; i < e->lost_count; i++)
        hash = weir_hash(weir_hash(hash, e->lost[i].handle), e->lost[i].cause);
    return weir_hash(hash, e->lost_count);
}

static struct through go_through(struct weir_mmu *mmu, const struct world_event *event, bool may_pass)
{
    struct through t = {.in = *(may_pass ? weir_mmu_pass : weir_mmu_arrive)(mmu, &event->packet, event->now)};
    t.lost = lost_digest(0, &t.in);
    t.passed = t.in.departed;
    t.out = t.passed ? t.in : *weir_mmu_depart(mmu, event->packet.output, event->now);
    t.lost = t.passed ? lost_digest(t.lost, &(struct weir_effects){.departed = true}) : lost_digest(t.lost, &t.out);
    return t;
}

static bool through_equal(const struct through *a, const struct through *b)
{
    if (a->in.accepted != b->in.accepted || a->in.marked != b->in.marked || a->in.reason != b->in.reason ||
        a->in.index != b->in.index || a->lost != b->lost || a->out.departed != b->out.departed)
        return false;
    return !a->out.departed ||
           (a->out.handle == b->out.handle && a->out.bytes == b->out.bytes &&
            a->out.departed_index == b->out.departed_index && a->out.account.i == b->out.account.i &&
            memcmp(&a->out.stamp, &b->out.stamp, sizeof a->out.stamp) == 0);
}

static bool counters_equal(const struct weir_mmu *a, const struct weir_mmu *b)
{
    struct weir_pool_counters pools[2] = {weir_mmu_pool_counters(a), weir_mmu_pool_counters(b)};
    if (memcmp(&pools[0], &pools[1], sizeof pools[0]) != 0)
        return false;
    for (weir_account account = {0}; account.i < weir_mmu_view(a)->geometry.accounts; account.i++) {
        struct weir_account_counters of[2] = {weir_mmu_account_counters(a, account),
                                              weir_mmu_account_counters(b, account)};
        if (memcmp(&of[0], &of[1], sizeof of[0]) != 0)
            return false;
    }
    return true;
}

/* Every other arrival goes on at once, so that the buffer fills too. Returns how many passed. */
static uint32_t compare_passing(uint64_t seed)
{
    static struct world w;
    uint32_t passed = 0;
    world_draw(&w, seed);
    struct weir_mmu *whole = world_build(&w.config), *halves = world_build(&w.config);
    for (uint32_t i = 0; i < w.event_count; i++) {
        const struct world_event *event = &w.event[i];
        bool same = true;
        if (event->op == WORLD_ARRIVE && event->packet.handle % 2) {
            struct through a = go_through(whole, event, true), b = go_through(halves, event, false);
            same = through_equal(&a, &b);
            passed += a.passed;
        } else {
            world_apply(&w, whole, event);
            world_apply(&w, halves, event);
        }
        same = same && weir_mmu_hash(whole) == weir_mmu_hash(halves) && counters_equal(whole, halves) &&
               weir_mmu_next_event(whole) == weir_mmu_next_event(halves);
        if (!same)
            fail_msg("%s: event %u differs. Replay with WEIR_SEED=0x%" PRIx64, w.config.egress->name, i, seed);
    }
    free(whole);
    free(halves);
    return passed;
}

static bool listed(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static void compare_all(enum variant variant, const char *const *excluded)
{
    uint64_t wanted = world_seed_wanted();
    for (uint32_t policy = 0; policy < weir_policy_count; policy++) {
        if ((weir_policies[policy]->needs & WEIR_NEED_INGRESS) != 0 || listed(weir_policies[policy]->name, excluded))
            continue;
        if (wanted != 0 && (wanted & 0xff) == policy)
            compare(wanted, variant);
        for (uint32_t round = 0; wanted == 0 && round < world_rounds(ROUNDS); round++)
            compare(weir_hash(SEED, round) << 8 | policy, variant);
    }
}

static void permuted_ports__permute_the_outcome(void **unused)
{
    static const char *const by_number[] = {"lqd", "qpo", "lqd-predicted", "occamy", "followlqd", "credence", NULL};
    (void)unused;
    compare_all(PERMUTED_PORTS, by_number);
}

static void scaled_time__changes_nothing(void **unused)
{
    static const char *const none[] = {NULL};
    (void)unused;
    compare_all(SCALED_TIME, none);
}

static void unused_ports__change_nothing(void **unused)
{
    static const char *const counting[] = {"es", "smxq", "tdt", "harmonic", "credence", "lqd-predicted", NULL};
    (void)unused;
    compare_all(UNUSED, counting);
}

static void extra_advance__changes_nothing(void **unused)
{
    static const char *const none[] = {NULL};
    (void)unused;
    compare_all(EXTRA_ADVANCE, none);
}

/* These pass: other policies hear of every packet. */
static void passing__is_arriving_and_departing(void **unused)
{
    static const char *const passing[] = {"cs", "es", "smxq", "dt", "abm", "lqd", "occamy", NULL};
    uint64_t wanted = world_seed_wanted();
    (void)unused;
    for (uint32_t policy = 0; policy < weir_policy_count; policy++) {
        uint32_t passed = 0;
        if (weir_policies[policy]->needs & WEIR_NEED_INGRESS || (wanted != 0 && (wanted & 0xff) != policy))
            continue;
        for (uint32_t round = 0; round < (wanted != 0 ? 1 : world_rounds(ROUNDS)); round++)
            passed += compare_passing(wanted != 0 ? wanted : weir_hash(SEED, round) << 8 | policy);
        if (wanted == 0 && listed(weir_policies[policy]->name, passing) != (passed > 0))
            fail_msg("%s: %u packets passed", weir_policies[policy]->name, passed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permuted_ports__permute_the_outcome), cmocka_unit_test(scaled_time__changes_nothing),
        cmocka_unit_test(unused_ports__change_nothing),        cmocka_unit_test(extra_advance__changes_nothing),
        cmocka_unit_test(passing__is_arriving_and_departing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

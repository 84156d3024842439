/*
 * test_sim_divided.c - small random networks, each run in every way in which threads and ranks can divide it.
 *
 * A world that is accepted is run by one thread, by 2, 3 and 4 threads, by 1, 2 and 4 ranks, and by 2 ranks of 2
 * threads each, and half of the time its nodes are made late: digest, records and measures must be equal.
 * test_sim_swarm.c looks at far more worlds, and larger ones, but divides few of them, and those in one way. What a
 * divided run costs is its windows, after each of which all wait for all: a world with more of them than WINDOWS_MAX,
 * or with more than HOPS_MAX packet-hops, has no part in this.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim_checks.h"
#include "sim_judge.h"
#include "tests/support/ranks.h"

#define WORLDS 250u /* of each kind */
#define DIVIDED_SEED UINT64_C(0x646976)
#define DRAWS_MAX 8u /* for a world that is accepted */
#define WINDOWS_MAX 2500u
#define HOPS_MAX 50000u

static const struct way {
    uint32_t threads;
    uint32_t ranks; /* 0: no others */
} ways[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {1, 1}, {1, 2}, {1, 4}, {2, 2}};

#define WAYS (sizeof ways / sizeof ways[0])

/* What must not depend on the way. */
struct outcome {
    uint64_t digest, records, measures;
};

static struct outcome outcome_of(const struct sim *sim)
{
    struct digest records, measures;
    digest_init(&records);
    digest_records(&records, sim_records(sim));
    for (uint32_t i = 0; i < sim_records(sim)->count; i++)
        digest_u64(&records, sim_records(sim)->at[i].lost);
    digest_init(&measures);
    digest_measure(&measures, sim_measure(sim));
    digest_u64(&measures, sim_totals(sim).packet_hops);
    digest_u64(&measures, sim_sent_bytes(sim));
    for (uint32_t sw = 0; sw < sim_measure(sim)->switches; sw++)
        for (uint32_t m = 0; m < sim_measure(sim)->sw[sw].mmus; m++)
            digest_u64(&measures, sim_memory_peak_bytes(sim, sw, m));
    return (struct outcome){sim_check_digest(sim), digest_value(&records), digest_value(&measures)};
}

static bool same(struct verdict *v, const struct way *way, const char *rule, uint64_t found, uint64_t expected)
{
    snprintf(v->message, sizeof v->message, "%u threads, %u ranks: %016" PRIx64 " instead of %016" PRIx64, way->threads,
             way->ranks, found, expected);
    return found == expected || verdict_set(v, rule);
}

static bool outcome_agrees(struct verdict *v, const struct sim *sim, const struct outcome *expected,
                           const struct way *way)
{
    const struct outcome found = outcome_of(sim);
    return same(v, way, "records are those of one thread", found.records, expected->records) &&
           same(v, way, "measures are those of one thread", found.measures, expected->measures) &&
           same(v, way, "the digest is that of one thread", found.digest, expected->digest);
}

static bool is_small(const struct sim *sim)
{
    return sim_profile(sim).windows <= WINDOWS_MAX && sim_totals(sim).packet_hops <= HOPS_MAX;
}

static bool go_on(void *context, const struct sim_progress *progress)
{
    (void)progress;
    return is_small(context);
}

/* By one thread. False: broken, or not for this test. */
static bool check_alone(struct verdict *v, const struct sim_config *config, struct outcome *outcome)
{
    struct sim *sim = sim_create(config, &v->error);
    if (sim == NULL)
        return verdict_set(v, VERDICT_REFUSED);
    enum sim_status status = sim_run(sim, go_on, sim);
    bool good = is_small(sim) || verdict_set(v, VERDICT_REFUSED);
    if (good && status != SIM_DONE) {
        snprintf(v->message, sizeof v->message, "status %d: %.200s", (int)status, sim_error(sim)->text);
        good = verdict_set(v, "a run ends well");
    }
    if (good)
        *outcome = outcome_of(sim);
    sim_free(sim);
    return good;
}

/* Adds to the note how many packets crossed from thread to thread or from rank to rank. */
static bool check_divided(struct verdict *v, const struct sim_config *whole, const struct way *way,
                          const struct outcome *expected)
{
    struct ranks_run run = {.letters = 0};
    struct sim_config config = *whole;
    config.threads = way->threads;
    /* Drawn: its nodes are made when something first comes to them. By one thread always, or it is no other way. */
    bool late = expected->digest >> (way - ways) & 1 || way == ways;
    config.whole_nodes = late ? 0 : UINT32_MAX;
    if (way->ranks > 0) {
        ranks_run(&run, &config, way->ranks);
        v->error = run.error[0];
    } else {
        run.sim[0] = sim_create(&config, &v->error);
        if (run.sim[0] != NULL)
            run.status[0] = sim_run(run.sim[0], NULL, NULL);
    }
    snprintf(v->message, sizeof v->message, "%u threads, %u ranks: %.200s", way->threads, way->ranks,
             run.sim[0] != NULL ? sim_error(run.sim[0])->text : v->error.text);
    bool good = (run.sim[0] != NULL || verdict_set(v, "a config is accepted however it is divided")) &&
                (run.status[0] == SIM_DONE || verdict_set(v, "a run ends well")) &&
                outcome_agrees(v, run.sim[0], expected, way);
    if (good)
        v->note += way->ranks > 0 ? sim_rank_profile(run.sim[0], 0).crossed : sim_profile(run.sim[0]).crossed;
    ranks_run_free(&run);
    return good;
}

static void judge(struct verdict *v, const struct sim_world *world)
{
    static struct built_world built;
    struct outcome outcome;
    *v = (struct verdict){.fault = VERDICT_REFUSED};
    if (!sim_world_build(&built, world, &v->error))
        return;
    verdict_set(v, NULL);
    bool good = check_alone(v, &built.config, &outcome);
    for (uint32_t i = 0; good && i < WAYS; i++)
        good = check_divided(v, &built.config, &ways[i], &outcome);
    sim_world_release(&built);
}

static void divide_worlds(sim_world_drawer *draw)
{
    struct verdict v;
    const char *wanted = getenv("WEIR_SEED");
    uint32_t worlds = sim_judge_rounds(WORLDS), accepted = 0, crossed = 0, draws = 0;
    if (wanted != NULL) {
        bool taken = sim_judge_seed(&v, judge, draw, strtoull(wanted, NULL, 0));
        print_message("the world is %s\n", taken ? "accepted" : "refused");
        return;
    }
    for (; accepted < worlds && draws < DRAWS_MAX * worlds; draws++) {
        if (!sim_judge_seed(&v, judge, draw, weir_hash(DIVIDED_SEED, draws)))
            continue;
        accepted++;
        crossed += v.note > 0;
    }
    print_message("%u worlds of %u drawn, each in %zu ways; packets crossed in %u\nattack: divided fabrics: %u\n",
                  accepted, draws, WAYS + 1, crossed, accepted);
    assert_int_equal(accepted, worlds);
    assert_true(crossed >= worlds / 2);
}

static void divided__worlds_have_the_results_of_one_thread(void **state)
{
    (void)state;
    divide_worlds(sim_world_draw);
}

static void divided__lossless_worlds_have_the_results_of_one_thread(void **state)
{
    (void)state;
    divide_worlds(sim_world_draw_lossless);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divided__worlds_have_the_results_of_one_thread),
        cmocka_unit_test(divided__lossless_worlds_have_the_results_of_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

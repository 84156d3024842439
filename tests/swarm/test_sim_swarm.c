/*
 * test_sim_swarm.c - random networks, run in several ways that must not differ, and checked from inside and outside.
 *
 * Each round draws a world from a seed and runs it
 *   - watched: with the checks of sim_checks.h now and then and at the end, hosts watched (sim_watch.h), and the calls
 *     of one MMU recorded and compared with the naive model (sim_trace.h);
 *   - twice, stopped and continued in turns with each other and with another world: nothing may be shared;
 *   - with shorter windows: where they begin and end is no fact of the model;
 *   - one in THREADED of them by 2 to 5 threads, some of them stopped and continued;
 *   - one in RANKED of them by 2 to 4 ranks, of one or two threads each;
 *   - beside virtual LQDs that give training rows: they disturb nobody, and rows of LQD have its fates.
 * The digests must be equal; sim_judge.h says what happens where they are not. test_sim_divided.c divides small worlds
 * in every way.
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
#include "sim_shrink.h"
#include "sim_trace.h"
#include "sim_watch.h"
#include "tests/support/ranks.h"

#define ROUNDS 800u
#define LOSSLESS_ROUNDS 500u
#define SWARM_SEED UINT64_C(0x73696d)
#define THREADED 16u /* threads that share few processors are slow */
#define RANKED 11u

static bool verdict_digest(struct verdict *v, struct sim *sim, uint64_t expected, const char *how)
{
    if (sim->status != SIM_DONE) {
        snprintf(v->message, sizeof v->message, "%s: status %d: %.200s", how, (int)sim->status, sim_error(sim)->text);
        return verdict_set(v, "a run ends well");
    }
    snprintf(v->message, sizeof v->message, "%016" PRIx64 " instead of %016" PRIx64, sim_check_digest(sim), expected);
    return sim_check_digest(sim) == expected || verdict_set(v, how);
}

struct inspection {
    struct sim *sim;
    struct verdict *verdict;
};

static bool inspect(void *context, const struct sim_progress *progress)
{
    struct inspection *inspection = context;
    (void)progress;
    return verdict_set(inspection->verdict, sim_check_running(inspection->sim, inspection->verdict->message));
}

/* With everything that looks on. */
static bool run_watched(struct verdict *v, struct sim *sim, struct sim_watch *watch, uint32_t number, uint64_t *digest)
{
    struct sim_trace trace;
    struct inspection inspection = {sim, v};
    bool good = sim_trace_start(&trace, sim, number);
    enum sim_status status = sim_run(sim, inspect, &inspection);
    *digest = sim_check_digest(sim);
    if (good && v->fault[0] == '\0' && status != SIM_DONE) {
        snprintf(v->message, sizeof v->message, "status %d: %.200s", (int)status, sim_error(sim)->text);
        good = verdict_set(v, "a run ends well");
    }
    good = good && v->fault[0] == '\0' && verdict_set(v, sim_check_done(sim, v->message)) &&
           verdict_set(v, sim_trace_compare(&trace, sim, v->message));
    if (watch->fault != NULL) {
        snprintf(v->message, sizeof v->message, "as seen by the hosts");
        good = verdict_set(v, watch->fault);
    }
    sim_trace_free(&trace);
    return good;
}

static bool check_watched(struct verdict *v, struct built_world *built, uint32_t number, uint64_t *digest)
{
    struct sim_watch *watch = malloc(sizeof *watch);
    struct sim_config config = built->config;
    sim_watch_start(watch, &config);
    struct sim *sim = sim_create(&config, &v->error);
    bool good = sim != NULL ? run_watched(v, sim, watch, number, digest) : verdict_set(v, VERDICT_REFUSED);
    if (good && built->safe)
        good = verdict_set(v, sim_check_lossless(sim, v->message));
    sim_free(sim);
    free(watch);
    return good;
}

static bool stop(void *context, const struct sim_progress *progress)
{
    (void)context;
    (void)progress;
    return false;
}

/* Two of the same and another one, a few windows at a time. */
static bool check_interleaved(struct verdict *v, struct built_world *built, struct built_world *other, uint64_t digest)
{
    struct sim *sim[3] = {sim_create(&built->config, &v->error), sim_create(&other->config, NULL),
                          sim_create(&built->config, &v->error)};
    bool running = true, good = sim[0] != NULL && sim[2] != NULL;
    while (good && running) {
        running = false;
        for (uint32_t i = 0; i < 3; i++)
            if (sim[i] != NULL)
                running |= sim_run(sim[i], stop, NULL) == SIM_RUNNING && i != 1;
    }
    good = good && verdict_digest(v, sim[0], digest, "a stopped run goes on as before") &&
           verdict_digest(v, sim[2], digest, "runs do not disturb each other");
    for (uint32_t i = 0; i < 3; i++)
        sim_free(sim[i]);
    return good;
}

#define LEARNT_MAX 65536u

/* Rows as they came. */
struct learnt {
    struct {
        uint32_t sw, memory;
        uint64_t index;
        bool lost;
    } row[LEARNT_MAX];
    uint32_t count;
};

static bool learn_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct learnt *learnt = context;
    uint32_t at = learnt->count;
    if (at == LEARNT_MAX)
        return true;
    learnt->count++;
    learnt->row[at].sw = sw;
    learnt->row[at].memory = memory;
    learnt->row[at].index = row->index;
    learnt->row[at].lost = row->lost;
    return true;
}

static const char *check_rows(const struct sim *sim, const struct learnt *learnt)
{
    uint64_t count;
    for (uint32_t i = 0; i < learnt->count; i++) {
        uint32_t sw = learnt->row[i].sw, memory = learnt->row[i].memory;
        uint64_t index = learnt->row[i].index;
        const uint8_t *lost = sim_fates(sim, sw, memory, &count);
        if (index >= count)
            return "a row is of an arrival";
        for (uint32_t k = i; k-- > 0;)
            if (learnt->row[k].sw == sw && learnt->row[k].memory == memory) {
                if (learnt->row[k].index >= index)
                    return "rows come in the order of arrivals";
                break;
            }
        const struct sim_switch *tier = sim_config_tier(&sim->config, sim->config.topology->tier[sw]);
        if (strcmp(tier->mmu.egress->name, "lqd") == 0 && (lost[index / 8] >> index % 8 & 1) != learnt->row[i].lost)
            return "a row of LQD has the fate of its packet";
    }
    return NULL;
}

static bool check_learning(struct verdict *v, struct built_world *built, uint64_t digest)
{
    static struct learnt learnt;
    const struct sim_training training = {
        .take = learn_row, .context = &learnt, .average_ps = 24 * WEIR_PS_PER_US, .virtual_counters = digest & 1};
    struct sim_config config = built->config;
    config.training = &training;
    config.notes_fates = true;
    learnt.count = 0;
    struct sim *sim = sim_create(&config, &v->error);
    if (sim == NULL)
        return verdict_set(v, "a config is accepted with training rows");
    sim->window_ps = sim->window_ps > 7 ? sim->window_ps / 7 : 1;
    sim_run(sim, NULL, NULL);
    bool good = verdict_digest(v, sim, digest, "training rows and windows do not matter") &&
                verdict_set(v, check_rows(sim, &learnt));
    sim_free(sim);
    return good;
}

static bool check_window(struct verdict *v, struct built_world *built, uint32_t divisor, uint64_t digest)
{
    struct sim *sim = sim_create(&built->config, &v->error);
    if (sim == NULL)
        return verdict_set(v, "a config is accepted twice");
    sim->window_ps = sim->window_ps > divisor ? sim->window_ps / divisor : 1;
    sim_run(sim, NULL, NULL);
    bool good = verdict_digest(v, sim, digest, "windows do not matter");
    sim_free(sim);
    return good;
}

static bool check_threads(struct verdict *v, struct built_world *built, uint32_t number, uint64_t digest)
{
    struct sim_config config = built->config;
    config.threads = 2 + number % 4;
    struct sim *sim = sim_create(&config, &v->error);
    if (sim == NULL)
        return verdict_set(v, "a config is accepted with threads");
    while (sim_run(sim, number & 4 ? stop : NULL, NULL) == SIM_RUNNING)
        ;
    bool good = verdict_digest(v, sim, digest, "threads do not matter");
    sim_free(sim);
    return good;
}

static bool check_ranks(struct verdict *v, struct built_world *built, uint32_t number, uint64_t digest)
{
    struct ranks_run run = {.letters = 0};
    struct sim_config config = built->config;
    config.threads = 1 + number / 3 % 2;
    ranks_run(&run, &config, 2 + number % 3);
    v->error = run.error[0];
    bool good = run.sim[0] != NULL ? verdict_digest(v, run.sim[0], digest, "ranks do not matter")
                                   : verdict_set(v, "a config is accepted with ranks");
    ranks_run_free(&run);
    return good;
}

/* Runs a world in every way. */
static void judge(struct verdict *v, const struct sim_world *world)
{
    static struct built_world built, other;
    struct sim_world second;
    uint64_t digest = 0, number = weir_hash(SWARM_SEED, (uint64_t)world->seed);
    sim_world_init(&second);
    *v = (struct verdict){.fault = VERDICT_REFUSED};
    if (!sim_world_build(&built, world, &v->error))
        return;
    verdict_set(v, NULL);
    bool good = sim_world_build(&other, &second, NULL);
    good = good && check_watched(v, &built, (uint32_t)(number >> 8), &digest);
    good = good && check_interleaved(v, &built, &other, digest);
    good = good && check_window(v, &built, 2, digest);
    good = good && check_learning(v, &built, digest);
    if (number % THREADED == 0)
        good = good && check_threads(v, &built, (uint32_t)(number / THREADED), digest);
    if (number % RANKED == 0)
        good = good && check_ranks(v, &built, (uint32_t)(number / RANKED), digest);
    sim_world_release(&other);
    sim_world_release(&built);
}

static void swarm_run(sim_world_drawer *draw, uint32_t usual)
{
    const char *wanted = getenv("WEIR_SEED");
    struct verdict v;
    uint32_t rounds = wanted != NULL ? 1 : sim_judge_rounds(usual), accepted = 0;
    print_message("%u rounds, seeds from %#llx\n", rounds, (unsigned long long)SWARM_SEED);
    for (uint32_t round = 0; round < rounds; round++)
        accepted +=
            sim_judge_seed(&v, judge, draw, wanted != NULL ? strtoull(wanted, NULL, 0) : weir_hash(SWARM_SEED, round));
    print_message("%u accepted\nattack: random fabrics: %u\n", accepted, rounds);
    if (wanted == NULL)
        assert_true(accepted >= rounds / 2);
}

static void swarm__every_world_obeys_the_rules(void **state)
{
    (void)state;
    swarm_run(sim_world_draw, ROUNDS);
}

static void swarm__lossless_worlds_lose_nothing(void **state)
{
    (void)state;
    swarm_run(sim_world_draw_lossless, LOSSLESS_ROUNDS);
}

/* Shrinking, shown with planted faults. */

static const char *planted_pair(void *context, const struct sim_world *world)
{
    (void)context;
    return world->ecmp && world->hosts >= 5 ? "planted" : NULL;
}

static const char *planted_part(void *context, const struct sim_world *world)
{
    (void)context;
    for (int64_t i = 0; i < world->traffics; i++)
        if (world->traffic[i].kind == TRAFFIC_INCAST && world->traffic[i].fan_out >= 3 && world->changes > 0)
            return "planted";
    return NULL;
}

/* Fails in another way as soon as there is one probe less: shrinking must not slip from one fault to another. */
static const char *planted_two(void *context, const struct sim_world *world)
{
    (void)context;
    return world->probes >= 2 ? "many" : "few";
}

/* The first world from `seed` on that has the planted fault. */
static void find_planted(struct sim_world *world, sim_property *property, const char *fault)
{
    const char *found = NULL;
    for (uint64_t seed = 1; found == NULL || strcmp(found, fault) != 0; seed++) {
        sim_world_draw(world, seed);
        found = property(NULL, world);
    }
}

static void shrink__keeps_just_two_numbers(void **state)
{
    struct sim_world world, simplest;
    (void)state;
    find_planted(&world, planted_pair, "planted");
    sim_shrink(&world, planted_pair, NULL, 10000);
    sim_world_init(&simplest);
    simplest.ecmp = 1;
    simplest.hosts = 5;
    simplest.tiers = simplest.transports = simplest.traffics = 1;
    assert_int_equal(world.ecmp, 1);
    assert_int_equal(world.hosts, 5);
    assert_memory_equal(&world, &simplest, offsetof(struct sim_world, tier));
    assert_memory_equal(&world.traffic[0], &simplest.traffic[0], sizeof world.traffic[0]);
}

static void shrink__keeps_just_two_parts(void **state)
{
    struct sim_world world, simplest;
    (void)state;
    find_planted(&world, planted_part, "planted");
    sim_shrink(&world, planted_part, NULL, 10000);
    sim_world_init(&simplest);
    simplest.changes = 1;
    simplest.traffic[0].kind = TRAFFIC_INCAST;
    simplest.traffic[0].fan_out = 3;
    assert_memory_equal(&world, &simplest, offsetof(struct sim_world, tier));
    assert_memory_equal(&world.traffic[0], &simplest.traffic[0], sizeof world.traffic[0]);
    assert_memory_equal(&world.change[0], &simplest.change[0], sizeof world.change[0]);
}

static void shrink__keeps_to_one_fault(void **state)
{
    struct sim_world world;
    (void)state;
    find_planted(&world, planted_two, "many");
    sim_shrink(&world, planted_two, NULL, 10000);
    assert_int_equal(world.probes, 2);
}

static void shrink__stops_at_its_tries(void **state)
{
    struct sim_world world;
    (void)state;
    find_planted(&world, planted_pair, "planted");
    assert_int_equal(sim_shrink(&world, planted_pair, NULL, 7), 8);
    assert_string_equal(planted_pair(NULL, &world), "planted");
}

/* A failing assertion in a run is found, and named. */
static void sim_judge_apart__survives_a_crash(void **state)
{
    struct sim_world world;
    struct verdict v;
    (void)state;
    sim_world_init(&world);
    world.transport[0].kind = 1 << 30; /* far beyond the table */
    sim_judge_apart(&v, judge, &world);
    assert_true(strncmp(v.fault, "a run ", 6) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shrink__keeps_just_two_numbers),      cmocka_unit_test(shrink__keeps_just_two_parts),
        cmocka_unit_test(shrink__keeps_to_one_fault),          cmocka_unit_test(shrink__stops_at_its_tries),
        cmocka_unit_test(sim_judge_apart__survives_a_crash),   cmocka_unit_test(swarm__every_world_obeys_the_rules),
        cmocka_unit_test(swarm__lossless_worlds_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

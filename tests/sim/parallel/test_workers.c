/*
 * test_workers.c - workers of a simulation beside what golden files and the swarm try: threads that the system refuses,
 * their processors, a lack of memory, memory that goes one way, the profile.
 */
#include "tests/support/sim_star.h"

#include <errno.h>
#include <pthread.h>

#include "sim/engine/processors.h"
#include "tests/support/failing_alloc.h"

/* Linked with --wrap=pthread_create. */
static bool refuse_threads;
static uint32_t threads_started;
typedef void *thread_function(void *);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_function *run, void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_function *run, void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_function *run, void *context)
{
    threads_started += !refuse_threads;
    return refuse_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, context);
}

static void busy(struct star *star, uint32_t threads)
{
    star_busy(star);
    star->config.threads = threads;
}

static uint64_t busy_digest(uint32_t threads)
{
    struct star star;
    busy(&star, threads);
    star_create(&star);
    assert_int_equal(sim_profile(star.sim).threads, threads);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_true(sim_measure(star.sim)->tag[0].lost > 0);
    uint64_t digest = sim_digest(star.sim);
    sim_free(star.sim);
    return digest;
}

static void threads__that_are_refused_change_nothing(void **state)
{
    (void)state;
    uint64_t digest = busy_digest(1);
    assert_int_equal(threads_started, 0);
    assert_int_equal(busy_digest(3), digest);
    assert_int_equal(threads_started, 2);
    refuse_threads = true;
    assert_int_equal(busy_digest(4), digest);
    refuse_threads = false;
    assert_int_equal(threads_started, 2);
}

/* In the thread of the caller. */
static bool stop_and_count(void *context, const struct sim_progress *progress)
{
    (void)progress;
    *(uint32_t *)context = processors_count();
    return false;
}

static void threads__have_processors_of_their_own(void **state)
{
    const uint32_t all = processors_count();
    struct star star;
    uint32_t part = 0;
    (void)state;
    busy(&star, all);
    star_create(&star);
    assert_int_equal(sim_run(star.sim, stop_and_count, &part), SIM_RUNNING);
    const uint32_t threads = sim_profile(star.sim).threads; /* a star has few nodes */
    assert_int_equal(part, threads > 1 && all / 2 < threads ? (all + threads - 1) / threads : all);
    assert_int_equal(processors_count(), all);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_int_equal(processors_count(), all);
    sim_free(star.sim);
}

/* Of two workers; `divided`: which run windows one after another. */
static bool run_short(uint64_t fail_at, uint64_t digest, bool divided)
{
    static struct star star;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    busy(&star, 2);
    if (divided)
        star_divide(&star);
    failing_alloc_start(fail_at);
    struct sim *sim = sim_create(&star.config, &error);
    enum sim_status status = sim != NULL ? sim_run(sim, NULL, NULL) : SIM_OUT_OF_MEMORY;
    bool failed = failing_alloc_stop();
    bool cut_short = sim != NULL && sim_measure(sim)->probe[0].full; /* a series may end early, and says so */
    if (failed && !cut_short)
        assert_int_equal(status, SIM_OUT_OF_MEMORY);
    if (!failed) {
        assert_int_equal(status, SIM_DONE);
        assert_int_equal(sim_digest(sim), digest);
    }
    sim_free(sim);
    assert_int_equal(failing_alloc_held(), 0);
    return failed;
}

static void workers__survive_a_lack_of_memory_anywhere(void **state)
{
    (void)state;
    uint64_t digest = busy_digest(1), allocations = 1;
    refuse_threads = true; /* which allocation is the n-th is then the same each time */
    while (run_short(allocations, digest, false))
        allocations++;
    refuse_threads = false;
    assert_true(allocations > 80);
    for (uint64_t i = 1; i < allocations; i += 5)
        run_short(i, digest, false);
}

static uint64_t divided_digest(uint32_t threads, struct sim_profile *profile)
{
    struct star star;
    busy(&star, threads);
    star_divide(&star);
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    *profile = sim_profile(star.sim);
    uint64_t digest = sim_digest(star.sim);
    sim_free(star.sim);
    return digest;
}

/* Where only switches send to other workers, and nothing is to be done for all. */
static void windows__follow_each_other(void **state)
{
    struct sim_profile one, two, refused;
    (void)state;
    uint64_t digest = divided_digest(1, &one);
    assert_int_equal(one.stretches, one.windows);
    assert_int_equal(divided_digest(2, &two), digest);
    assert_true(two.windows > 100 && 4 * two.stretches < two.windows);
    refuse_threads = true;
    assert_int_equal(divided_digest(2, &refused), digest);
    assert_int_equal(refused.stretches, refused.windows);
    refuse_threads = false;
}

static void stretches__survive_a_lack_of_memory(void **state)
{
    struct sim_profile profile;
    (void)state;
    uint64_t digest = divided_digest(1, &profile);
    for (uint64_t i = 1; i < 150; i += 2)
        run_short(i, digest, true);
}

/* Packets without feedback from some hosts to others: where they arrive memory would pile up. */
static void pools__do_not_grow_when_traffic_goes_one_way(void **state)
{
    struct star star;
    uint32_t blocks = 0;
    (void)state;
    star_init(&star);
    sim_transport_init(&star.transport, &transport_udp);
    assert_true(sim_transport_set(&star.transport, "rate", 1000000000));
    for (uint32_t i = 0; i < 2; i++)
        star.flows[i] =
            (struct listed_flow){.start_ps = 0, .source = i, .destination = 2 + i, .bytes = 3600000, .tag = 0};
    star.traffic.listed = 2;
    star.config.threads = 4;
    star.config.until_ps = WEIR_PS_PER_S;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_int_equal(sim_measure(star.sim)->delivered, 80000);
    for (uint32_t i = 0; i < star.sim->workers; i++)
        blocks += star.sim->worker[i]->packets.block_count;
    assert_true(blocks <= 2 * star.sim->workers);
    sim_free(star.sim);
}

/* Each look at the clock takes 1 ns. */
static uint64_t looks;
static uint64_t count_looks(void)
{
    return __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
}

static void profile__tells_what_threads_did(void **state)
{
    struct star star;
    uint32_t hosts = 0, switches = 0;
    uint64_t crossed = 0;
    (void)state;
    busy(&star, 2);
    star.config.clock_ns = count_looks;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    struct sim_profile all = sim_profile(star.sim);
    assert_int_equal(all.threads, 2);
    assert_true(all.windows > 100 && all.cut_links > 0 && all.cut_links <= STAR_HOSTS);
    assert_true(all.longest_ns >= all.windows && all.longest_ns + all.between_ns <= all.run_ns);
    for (uint32_t i = 0; i < 2; i++) {
        struct sim_thread_profile thread = sim_thread_profile(star.sim, i);
        assert_true(thread.busy_ns >= all.windows && thread.busy_ns <= all.longest_ns);
        assert_true(thread.busy_ns + thread.waiting_ns <= all.run_ns);
        hosts += thread.hosts;
        switches += thread.switches;
        crossed += thread.crossed;
    }
    assert_int_equal(hosts, STAR_HOSTS);
    assert_int_equal(switches, 1);
    assert_int_equal(crossed, all.crossed);
    assert_true(all.crossed > 1000 && all.crossed_bytes > 8 * all.crossed);
    sim_free(star.sim);
}

#define ROUNDS 2000u

struct table_tennis {
    _Alignas(LINES_APART) struct beacon there;
    _Alignas(LINES_APART) struct beacon back;
    struct patience patience;
    uint64_t sum; /* changed in turns */
};

static void *return_all(void *context)
{
    struct table_tennis *game = context;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        beacon_await(&game->there, round, &game->patience);
        game->sum += round;
        beacon_raise(&game->back, round);
    }
    return NULL;
}

/* With patience and without: nobody misses a turn, and each sees what the other did. */
static void beacon__is_seen(void **state)
{
    (void)state;
    for (uint32_t most = 0; most <= 100; most += 100) {
        struct table_tennis game = {.patience = {.looks = most, .most = most}};
        struct patience patience = game.patience;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, return_all, &game), 0);
        for (uint32_t round = 1; round <= ROUNDS; round++) {
            game.sum += round;
            beacon_raise(&game.there, round);
            beacon_await(&game.back, round, &patience);
        }
        pthread_join(thread, NULL);
        assert_int_equal(game.sum, 2 * (uint64_t)ROUNDS * (ROUNDS + 1) / 2);
        assert_int_equal(game.there.sleepers + game.back.sleepers, 0);
    }
    assert_int_equal(beacon_patience(100000).most, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads__that_are_refused_change_nothing),
        cmocka_unit_test(threads__have_processors_of_their_own),
        cmocka_unit_test(workers__survive_a_lack_of_memory_anywhere),
        cmocka_unit_test(windows__follow_each_other),
        cmocka_unit_test(stretches__survive_a_lack_of_memory),
        cmocka_unit_test(pools__do_not_grow_when_traffic_goes_one_way),
        cmocka_unit_test(profile__tells_what_threads_did),
        cmocka_unit_test(beacon__is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

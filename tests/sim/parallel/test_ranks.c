/*
 * test_ranks.c - a network simulated by several ranks, beside what golden files and the swarm try: how nodes are shared
 * out, connections that ends at two ranks keep, ranks that are lost, stop, or run short of memory.
 */
#include "tests/support/sim_star.h"

#include "sim/parallel/ranks.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/ranks.h"

static uint64_t digest_alone(struct star *star)
{
    star_create(star);
    assert_int_equal(sim_run(star->sim, NULL, NULL), SIM_DONE);
    uint64_t digest = sim_digest(star->sim);
    sim_free(star->sim);
    return digest;
}

static void expect_same(struct star *star, uint64_t digest, uint32_t ranks)
{
    struct ranks_run run = {.letters = 0};
    ranks_run(&run, &star->config, ranks);
    for (uint32_t i = 0; i < ranks; i++)
        assert_int_equal(run.status[i], SIM_DONE);
    assert_int_equal(sim_digest(run.sim[0]), digest);
    ranks_run_free(&run);
}

/* Each node is at one rank, and only its own have memory; some ranks may have none. */
static void ranks__share_the_nodes(void **state)
{
    struct star star;
    (void)state;
    star_busy(&star);
    uint64_t digest = digest_alone(&star);
    for (uint32_t ranks = 2; ranks <= 7; ranks++) {
        struct ranks_run run = {.letters = 0};
        uint32_t hosts = 0, switches = 0, made = 0;
        uint64_t crossed = 0;
        ranks_run(&run, &star.config, ranks);
        for (uint32_t i = 0; i < ranks; i++) {
            struct sim_rank_profile profile = sim_rank_profile(run.sim[0], i);
            hosts += profile.hosts;
            switches += profile.switches;
            crossed += profile.crossed;
            made += sim_switch(run.sim[i], 0) != NULL;
            assert_true(profile.hosts + profile.switches <= STAR_HOSTS);
        }
        assert_int_equal(hosts, STAR_HOSTS);
        assert_int_equal(switches, 1);
        assert_int_equal(made, 1);
        assert_true(crossed > 1000 && run.bytes > 50 * crossed);
        assert_int_equal(sim_digest(run.sim[0]), digest);
        assert_int_equal(sim_profile(run.sim[0]).ranks, ranks);
        ranks_run_free(&run);
    }
}

/* What a connection learnt stays at the end that learnt it, whichever end flows begin at. */
static void ranks__keep_connections(void **state)
{
    (void)state;
    for (uint32_t request = 0; request < 2; request++) {
        struct star star;
        star_busy(&star);
        star.config.changes = NULL;
        star.config.change_count = 0;
        assert_true(sim_transport_set(&star.transport, "keep_connections", 1));
        assert_true(sim_transport_set(&star.transport, "request", request));
        assert_true(sim_transport_set(&star.transport, "handshake", 1));
        for (uint32_t i = 0; i < STAR_LISTED; i++)
            star.flows[i] = (struct listed_flow){.start_ps = i * 400 * WEIR_PS_PER_US,
                                                 .source = i % 2,
                                                 .destination = 2 + i / 2 % 2,
                                                 .bytes = 9000 + 900 * (int64_t)i,
                                                 .tag = 0};
        uint64_t digest = digest_alone(&star);
        expect_same(&star, digest, 2);
        expect_same(&star, digest, 5);
        assert_true(sim_transport_set(&star.transport, "keep_connections", 0));
        assert_int_not_equal(digest_alone(&star), digest); /* else nothing was learnt */
    }
}

/* A rank that is gone ends the run of the others, whenever it goes. */
static void ranks__that_are_lost_end_the_run(void **state)
{
    struct star star;
    (void)state;
    star_busy(&star);
    for (uint32_t at = 1; at < 400; at += at < 10 ? 1 : 97) {
        struct ranks_run run = {.leaves = at % 3, .leaves_at = at};
        ranks_run(&run, &star.config, 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(run.sim[i] == NULL || run.status[i] == SIM_APART);
            const struct weir_error *error = run.sim[i] != NULL ? sim_error(run.sim[i]) : &run.error[i];
            assert_int_equal(error->code, WEIR_ERROR_SYSTEM);
        }
        ranks_run_free(&run);
    }
}

/* Of a network that is divided between switches: ranks meet less often than windows end, and whoever leaves when, the
 * others learn of it. */
static void stretches__are_the_same_by_ranks(void **state)
{
    struct star star;
    (void)state;
    star_busy(&star);
    star_divide(&star);
    uint64_t digest = digest_alone(&star);
    struct ranks_run run = {.letters = 0};
    ranks_run(&run, &star.config, 2);
    const struct sim_profile profile = sim_profile(run.sim[0]);
    assert_int_equal(sim_digest(run.sim[0]), digest);
    assert_true(profile.windows > 100 && 4 * profile.stretches < profile.windows);
    ranks_run_free(&run);
    expect_same(&star, digest, 3); /* one without nodes, or with hosts alone */
    for (uint32_t at = 1; at < 400; at += at < 30 ? 1 : 37) {
        struct ranks_run left = {.leaves = at % 2, .leaves_at = at};
        ranks_run(&left, &star.config, 2);
        for (uint32_t i = 0; i < 2; i++)
            assert_true(left.sim[i] == NULL || left.status[i] == SIM_APART);
        ranks_run_free(&left);
    }
}

static bool stop_late(void *context, const struct sim_progress *progress)
{
    uint64_t *asked = context;
    assert_int_equal(progress->flows_started, STAR_LISTED); /* of all ranks */
    return ++*asked < 2;
}

static void progress__stops_all_ranks(void **state)
{
    struct star star;
    uint64_t asked = 0;
    (void)state;
    star_busy(&star);
    struct ranks_run run = {.progress = stop_late, .context = &asked};
    ranks_run(&run, &star.config, 3);
    assert_int_equal(asked, 2);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(run.status[i], SIM_RUNNING);
    assert_true(sim_totals(run.sim[0]).packet_hops > 100); /* what there is, is at rank 0 */
    ranks_run_free(&run);
}

/* Only the rank of the switch finds that it does not fit. */
static void create__fails_alike_everywhere(void **state)
{
    struct star star;
    (void)state;
    star_busy(&star);
    struct weir_error error;
    star.config.tiers[0].mmu.lossless_mask = 1;
    star.config.tiers[0].mmu.ingress = weir_policy_find("sih");
    star.config.tiers[0].mmu.buffer_cells = 100;
    assert_null(sim_create(&star.config, &error));
    struct ranks_run run = {.letters = 0};
    ranks_run(&run, &star.config, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_null(run.sim[i]);
        assert_int_equal(run.error[i].code, error.code);
        assert_string_equal(run.error[i].text, error.text);
    }
    ranks_run_free(&run);
}

static void config__refuses_what_needs_one_process(void **state)
{
    static const struct sim_training training = {.average_ps = 1};
    struct star star;
    struct ranks_run run = {.letters = 0};
    (void)state;
    star_busy(&star);
    star.config.training = &training;
    ranks_run(&run, &star.config, 2);
    assert_null(run.sim[0]);
    assert_int_equal(strncmp(run.error[0].text, "training rows", 13), 0);
    star.config.training = NULL;
    star.config.notes_fates = true;
    ranks_run(&run, &star.config, 2);
    assert_null(run.sim[1]);
    assert_int_equal(strncmp(run.error[1].text, "a perfect oracle", 16), 0);
}

/* Wherever memory runs short, at whichever rank: all end, and nothing is left. Threads take turns as they like, so that
 * the n-th allocation is not always the same. */
static void run_short(struct star *star, uint32_t ranks, uint32_t denser)
{
    bool failed = true;
    uint64_t digest = digest_alone(star);
    for (uint64_t at = 1; failed; at += 1 + at / denser) {
        struct ranks_run run = {.letters = 0};
        failing_alloc_start(at + 2); /* the first two are of ranks_run itself */
        ranks_run(&run, &star->config, ranks);
        failed = failing_alloc_stop();
        bool whole = run.sim[0] != NULL && run.status[0] == SIM_DONE;
        bool cut_short = whole && sim_measure(run.sim[0])->probe[0].full; /* a series may end early, and says so */
        assert_true(cut_short || failed != (whole && sim_digest(run.sim[0]) == digest));
        ranks_run_free(&run);
        assert_int_equal(failing_alloc_held(), 0);
    }
}

static void ranks__survive_a_lack_of_memory_anywhere(void **state)
{
    struct star star;
    (void)state;
    star_busy(&star);
    run_short(&star, 3, 8);
    star_divide(&star); /* the same in stretches of windows, in which flows are drawn */
    for (uint32_t i = 0; i < STAR_LISTED; i++)
        star.flows[i].start_ps = i * 20 * WEIR_PS_PER_US;
    run_short(&star, 2, 100);
}

/* Of each of the five parts of it. */
static void ranks_new__without_memory(void **state)
{
    const struct sim_ranks given = {.count = 3};
    struct sim *sim = calloc(1, sizeof *sim);
    uint64_t at = 0;
    (void)state;
    assert_non_null(sim);
    sim->config.ranks = &given;
    for (bool failed = true; failed;) {
        failing_alloc_start(++at);
        struct ranks *ranks = ranks_new(sim);
        failed = failing_alloc_stop();
        assert_int_equal(ranks == NULL, failed);
        ranks_free(ranks);
        assert_int_equal(failing_alloc_held(), 0);
    }
    assert_int_equal(at, 6);
    free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_new__without_memory),
        cmocka_unit_test(ranks__share_the_nodes),
        cmocka_unit_test(ranks__keep_connections),
        cmocka_unit_test(ranks__that_are_lost_end_the_run),
        cmocka_unit_test(stretches__are_the_same_by_ranks),
        cmocka_unit_test(progress__stops_all_ranks),
        cmocka_unit_test(create__fails_alike_everywhere),
        cmocka_unit_test(config__refuses_what_needs_one_process),
        cmocka_unit_test(ranks__survive_a_lack_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

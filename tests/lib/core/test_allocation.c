/*
 * test_allocation.c - what sim/slot/ and lib/naive/ do when memory runs short: every allocation of a piece of work
 * fails in turn. Each time the work says so, frees what it took and can be done again; the first run in which no
 * allocation fails gives what an undisturbed one gives.
 *
 * A piece of work is a function that leaves its results, condensed, in an outcome. A result that differs by a bit
 * differs there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fig14.h"
#include "optimum.h"
#include "table1.h"
#include "tests/support/failing_alloc.h"
#include "traffic.h"
#include "weir/naive.h"
#include "weir/random.h"

#define PORTS 4u
#define BUFFER 16u
#define SLOTS 80u

/* What a piece of work came to; everything that it takes is freed before it returns. */
struct outcome {
    enum weir_error_code status;
    uint64_t digest; /* of the results */
};

typedef struct outcome (*work_function)(const void *input);

static void digest(struct outcome *outcome, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        outcome->digest = weir_hash(outcome->digest, ((const uint8_t *)bytes)[i]);
}

/* Does the work with allocation n failing; false when there is no such allocation. */
static bool fail_once(work_function work, const void *input, uint64_t n, const struct outcome *undisturbed)
{
    failing_alloc_start(n);
    struct outcome outcome = work(input);
    bool failed = failing_alloc_stop();
    enum weir_error_code expected = failed ? WEIR_ERROR_MEMORY : WEIR_ERROR_NONE;
    if (outcome.status != expected || failing_alloc_held() != 0)
        fail_msg("allocation %llu %s: status %d, %lld blocks not freed", (unsigned long long)n,
                 failed ? "fails" : "does not exist", (int)outcome.status, (long long)failing_alloc_held());
    if (!failed)
        assert_true(outcome.digest == undisturbed->digest);
    return failed;
}

static struct outcome run_undisturbed(work_function work, const void *input)
{
    failing_alloc_start(0);
    struct outcome outcome = work(input);
    assert_int_equal(outcome.status, WEIR_ERROR_NONE);
    assert_true(failing_alloc_held() == 0);
    return outcome;
}

/* Every allocation fails in turn; there are `least` or more of them. */
static void fail_each(work_function work, const void *input, uint64_t least)
{
    struct outcome outcome = run_undisturbed(work, input);
    uint64_t n = 1;
    while (fail_once(work, input, n, &outcome))
        n++;
    if (n - 1 < least)
        fail_msg("%llu allocations, expected %llu or more", (unsigned long long)n - 1, (unsigned long long)least);
}

static struct slot_traffic small_traffic(void)
{
    struct slot_traffic traffic;
    slot_traffic_init(&traffic, PORTS, BUFFER, SLOTS);
    return traffic;
}

/* Filled by a generator while nothing fails; the caller frees it. */
static struct slot_arrivals small_arrivals(const char *generator)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_traffic traffic = small_traffic();
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, PORTS);
    assert_int_equal(slot_generate(slot_generator_find(generator), &traffic, &arrivals, &error), WEIR_ERROR_NONE);
    return arrivals;
}

static void digest_arrivals(struct outcome *outcome, const struct slot_arrivals *arrivals)
{
    digest(outcome, arrivals->port, arrivals->count * sizeof arrivals->port[0]);
    digest(outcome, arrivals->slot_end, arrivals->slots * sizeof arrivals->slot_end[0]);
}

static struct outcome generate(const void *input)
{
    const struct slot_generator *generator = input;
    struct slot_traffic traffic = small_traffic();
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals;
    struct outcome outcome = {0};
    traffic.burst_interval = 1; /* more bursts under way than there is room for at first */
    slot_arrivals_init(&arrivals, PORTS);
    outcome.status = slot_generate(generator, &traffic, &arrivals, &error);
    assert_true(arrivals.failed == (outcome.status == WEIR_ERROR_MEMORY));
    if (outcome.status == WEIR_ERROR_NONE)
        digest_arrivals(&outcome, &arrivals);
    slot_arrivals_free(&arrivals);
    return outcome;
}

static void slot_generate__each_allocation_fails(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < slot_generator_count; i++)
        fail_each(generate, slot_generators[i], 4); /* ports and slots outgrow their first 64 */
}

static struct outcome read_text(const void *input)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals;
    struct outcome outcome = {0};
    FILE *in = fmemopen((void *)(uintptr_t)input, strlen(input), "r");
    assert_non_null(in);
    slot_arrivals_init(&arrivals, PORTS);
    outcome.status = slot_arrivals_read(&arrivals, in, "text", &error);
    if (outcome.status == WEIR_ERROR_NONE)
        digest_arrivals(&outcome, &arrivals);
    slot_arrivals_free(&arrivals);
    fclose(in);
    return outcome;
}

static void slot_arrivals_read__each_allocation_fails(void **state)
{
    char text[1024] = "# as long as its memory is asked for twice\n";
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u %u\n", i % PORTS, i % 3);
    fail_each(read_text, text, 4);
}

static struct outcome find_optimum(const void *input)
{
    uint64_t sent = 0;
    struct outcome outcome = {.status = slot_optimum(input, BUFFER, &sent)};
    digest(&outcome, &sent, sizeof sent);
    return outcome;
}

static void slot_optimum__each_allocation_fails(void **state)
{
    struct slot_arrivals arrivals = small_arrivals("bursts");
    (void)state;
    fail_each(find_optimum, &arrivals, 3);
    slot_arrivals_free(&arrivals);
}

/* A policy over arrivals, with the optimum, LQD, its oracle, and training rows. */
struct policy_run {
    const struct slot_arrivals *arrivals;
    struct slot_algorithm algorithm;
};

static bool take_row(void *context, const struct weir_training_row *row)
{
    digest(context, row->feature, sizeof row->feature);
    digest(context, &row->lost, sizeof row->lost);
    return true;
}

static struct outcome run_policy(const void *input)
{
    const struct policy_run *run = input;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct outcome outcome = {0};
    struct slot_recording recording = {.take_row = take_row, .context = &outcome};
    struct slot_result result;
    struct slot_case c;
    outcome.status = slot_case_open(&c, run->arrivals, BUFFER, true, &error);
    if (outcome.status != WEIR_ERROR_NONE)
        return outcome;
    outcome.status = slot_case_run(&c, &run->algorithm, &recording, &result, &error);
    if (outcome.status == WEIR_ERROR_NONE) {
        digest(&outcome, &c.optimum, sizeof c.optimum);
        digest(&outcome, result.port_sent, PORTS * sizeof result.port_sent[0]);
        digest(&outcome, result.lost_bits, result.arrived / 8 + 1);
        slot_result_free(&result);
    } else {
        assert_null(result.port_sent);
        assert_null(result.lost_bits);
    }
    slot_case_close(&c);
    return outcome;
}

static void slot_run__each_allocation_fails(void **state)
{
    struct slot_arrivals arrivals = small_arrivals("bursts");
    (void)state;
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        const char *name = weir_policies[i]->name;
        struct policy_run run = {&arrivals, slot_algorithm_make(name, name, NULL, NULL, WEIR_Q16_ONE / 8)};
        if ((weir_policies[i]->needs & (WEIR_NEED_INGRESS | WEIR_NEED_FLOW)) == 0)
            fail_each(run_policy, &run, 10); /* LQD 3, the optimum 3, the policy 3, its rows 1 */
    }
    slot_arrivals_free(&arrivals);
}

static struct outcome run_fig14(const void *input)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_fig14 figure = {.lqd_loss = 0};
    struct outcome outcome = {.status = slot_fig14_run(input, &figure, NULL, &error)};
    digest(&outcome, figure.credence, sizeof figure.credence);
    digest(&outcome, figure.other, sizeof figure.other);
    return outcome;
}

static void slot_fig14_run__each_allocation_fails(void **state)
{
    struct slot_fig14_config config = {.traffic = small_traffic(), .seeds = 2};
    (void)state;
    fail_each(run_fig14, &config, 2 * 15 * 3);
}

static struct outcome search_tiny(const void *input)
{
    static const struct slot_tiny tiny = {.ports = 2, .buffer = 2, .slots = 2, .width = 2};
    struct slot_worst worst = {0};
    struct outcome outcome = {.status = slot_search_tiny(&tiny, input, 1, &worst)};
    digest(&outcome, worst.by, strlen(worst.by));
    return outcome;
}

static struct outcome search_climb(const void *input)
{
    static const struct slot_climb climb = {
        .ports = 3, .buffer = 6, .slots = 12, .width = 6, .starts = 2, .steps = 4, .seed = 1};
    struct slot_worst worst = {0};
    struct outcome outcome = {.status = slot_search_climb(&climb, input, &worst)};
    digest(&outcome, worst.by, strlen(worst.by));
    return outcome;
}

static void slot_search__each_allocation_fails(void **state)
{
    struct slot_algorithm cs = slot_algorithm_make("cs", "cs", NULL, NULL, 0);
    (void)state;
    fail_each(search_tiny, &cs, 100);
    fail_each(search_climb, &cs, 2 + 10 * 9);
}

/* The first allocation after this step of the table fails. */
static void fail_after_step(void *context, uint32_t done, uint32_t all)
{
    const uint32_t *step = context;
    assert_true(*step < all);
    if (done == *step)
        failing_alloc.fail_at = failing_alloc.asked + 1;
}

/*
 * The table makes more than a million allocations, all of them in what fails above. What is its own is how it goes on
 * from one part to the next: one failure in each of adversaries, tiny sequences and hill climbing.
 */
static void slot_table1_fill__each_part_fails(void **state)
{
    static const uint32_t steps[] = {0, 1, 4, 7}; /* 4 sizes, 3 shapes of tiny sequences, 4 sizes */
    static struct slot_table1 table;
    (void)state;
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint32_t step = steps[i];
        struct slot_progress progress = {fail_after_step, &step};
        failing_alloc_start(step == 0 ? 1 : 0);
        assert_int_equal(slot_table1_fill(&table, true, &progress), WEIR_ERROR_MEMORY);
        assert_true(failing_alloc_stop());
        assert_true(failing_alloc_held() == 0);
    }
}

/* A model of this policy, built and used. Its memory is all taken when it is built. */
static struct outcome use_naive(const void *input)
{
    static const uint8_t never_lost[1];
    struct weir_table_oracle oracle;
    struct weir_mmu_config config;
    struct outcome outcome = {.status = WEIR_ERROR_MEMORY};
    weir_table_oracle_init(&oracle, never_lost, 0, 0, 0);
    weir_mmu_config_init(&config, PORTS, 2, BUFFER);
    config.egress = input;
    config.oracle = &oracle.base;
    struct weir_naive *naive = weir_naive_new(&config);
    if (naive == NULL)
        return outcome;
    uint64_t taken = failing_alloc.asked;
    for (uint32_t i = 0; i < 4 * BUFFER; i++) {
        const struct weir_flow flow = {.hash = i, .bytes = WEIR_FLOW_UNKNOWN};
        struct weir_packet packet = {.output = {i % 3}, .tc = {i % 2}, .bytes = 1 + i % 4, .flow = &flow};
        weir_naive_arrive(naive, &packet, i);
        weir_naive_offer_expel(naive, i);
        if (i % 4 == 3)
            weir_naive_leave(naive, (weir_account){i % 8}, i);
    }
    weir_naive_flush_classes(naive, (weir_port){0}, UINT32_MAX, 4 * BUFFER);
    assert_true(failing_alloc.asked == taken);
    uint64_t hash = weir_naive_hash(naive);
    digest(&outcome, &hash, sizeof hash);
    outcome.status = WEIR_ERROR_NONE;
    weir_naive_free(naive);
    return outcome;
}

static void weir_naive_new__each_allocation_fails(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < weir_policy_count; i++)
        if ((weir_policies[i]->needs & WEIR_NEED_INGRESS) == 0)
            fail_each(use_naive, weir_policies[i], 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_generate__each_allocation_fails),
        cmocka_unit_test(slot_arrivals_read__each_allocation_fails),
        cmocka_unit_test(slot_optimum__each_allocation_fails),
        cmocka_unit_test(slot_run__each_allocation_fails),
        cmocka_unit_test(slot_fig14_run__each_allocation_fails),
        cmocka_unit_test(slot_search__each_allocation_fails),
        cmocka_unit_test(slot_table1_fill__each_part_fails),
        cmocka_unit_test(weir_naive_new__each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

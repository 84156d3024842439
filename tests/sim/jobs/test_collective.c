/*
 * test_collective.c - collectives do what their name says, and take exactly as long as their formulas on a network in
 * which nothing waits.
 *
 * What a member knows is followed message by message: contributions are sets of members for each part of the vector. A
 * reduction unites them, so an all-reduce is right when every member ends with all contributions; what a message
 * carries is what its sender had when it left, which is the most that an order of operations allows.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/jobs/collective.h"
#include "sim/jobs/job.h"
#include "tests/support/error_line.h"

enum { MEMBERS = 33, QUEUE = 4096 };

/* Messages take `latency` and their bytes at a picosecond each; those of one member leave one after another. */
struct network {
    struct job *job;
    const struct goal *goal;
    struct job_network functions;
    weir_ps latency_ps, free_ps[MEMBERS];
    weir_ps wake_ps[MEMBERS];
    uint64_t had[MEMBERS], sent_bytes[MEMBERS], received_bytes[MEMBERS]; /* had: bit m: has what came from m */
    struct under_way {
        weir_ps when;
        struct job_message message;
        uint64_t carries;
        bool gone;
    } * at;
    uint32_t count, room;
    weir_ps now;
};

static bool network_send(void *context, const struct job_message *message, weir_ps now)
{
    struct network *network = context;
    if (network->count == network->room) {
        network->room = 2 * network->room + QUEUE;
        network->at = realloc(network->at, network->room * sizeof *network->at);
        assert_non_null(network->at);
    }
    weir_ps *free_ps = &network->free_ps[message->from];
    *free_ps = (*free_ps > now ? *free_ps : now) + (weir_ps)message->bytes;
    network->at[network->count++] =
        (struct under_way){*free_ps + network->latency_ps, *message, network->had[message->from], false};
    network->sent_bytes[message->from] += message->bytes;
    return true;
}

static bool network_wake(void *context, uint32_t rank, weir_ps when)
{
    struct network *network = context;
    if (when < network->wake_ps[rank])
        network->wake_ps[rank] = when;
    return true;
}

/* Runs it to its end; returns when that was. */
static weir_ps network_run(struct network *network, const struct collective *given, uint32_t members)
{
    struct collective collective = *given;
    struct weir_error error;
    struct goal goal;
    size_t size;
    if (!collective_check(&collective, members, &error))
        fail_msg("%s", ERROR_LINE(&error));
    unsigned char *image = collective_image(&collective, members, &size);
    if (!goal_open(&goal, image, size, NULL, &error))
        fail_msg("%s", ERROR_LINE(&error));
    const struct job_settings settings = {.rounds = 1};
    network->goal = &goal;
    network->job = job_new(&goal, &settings);
    network->functions = (struct job_network){.context = network, .send = network_send, .wake = network_wake};
    network->count = 0;
    weir_ps now = 0;
    for (uint32_t r = 0; r < members; r++) {
        network->free_ps[r] = 0;
        network->wake_ps[r] = WEIR_NEVER;
        network->had[r] = UINT64_C(1) << r;
        network->sent_bytes[r] = network->received_bytes[r] = 0;
    }
    for (uint32_t r = 0; r < members; r++)
        assert_true(job_begin(network->job, r, 0, &network->functions));
    for (;;) {
        struct under_way *next = NULL;
        for (uint32_t i = 0; i < network->count; i++)
            if (!network->at[i].gone && (!next || network->at[i].when < next->when))
                next = &network->at[i];
        if (!next)
            break;
        now = next->when;
        next->gone = true;
        const struct job_message message = next->message;
        network->had[message.to] |= next->carries;
        network->received_bytes[message.to] += message.bytes;
        assert_true(job_sent(network->job, &message, now, &network->functions));
        assert_true(job_arrived(network->job, &message, now, &network->functions));
    }
    for (uint32_t r = 0; r < members; r++)
        assert_int_equal(job_outcomes(network->job)[r].rounds, 1);
    job_free(network->job);
    goal_close(&goal);
    free(image);
    return now;
}

static const struct collective all[] = {
    {.operation = COLLECTIVE_ALL_REDUCE, .algorithm = COLLECTIVE_RING},
    {.operation = COLLECTIVE_ALL_REDUCE, .algorithm = COLLECTIVE_TWO_RINGS},
    {.operation = COLLECTIVE_ALL_REDUCE, .algorithm = COLLECTIVE_HALVING_DOUBLING},
    {.operation = COLLECTIVE_ALL_REDUCE, .algorithm = COLLECTIVE_DOUBLE_TREE},
    {.operation = COLLECTIVE_ALL_REDUCE, .algorithm = COLLECTIVE_HIERARCHICAL, .group = 2},
    {.operation = COLLECTIVE_ALL_GATHER, .algorithm = COLLECTIVE_RING},
    {.operation = COLLECTIVE_ALL_GATHER, .algorithm = COLLECTIVE_HALVING_DOUBLING},
    {.operation = COLLECTIVE_REDUCE_SCATTER, .algorithm = COLLECTIVE_RING},
    {.operation = COLLECTIVE_REDUCE_SCATTER, .algorithm = COLLECTIVE_HALVING_DOUBLING},
    {.operation = COLLECTIVE_ALL_TO_ALL, .algorithm = COLLECTIVE_DIRECT},
    {.operation = COLLECTIVE_ALL_TO_ALL, .algorithm = COLLECTIVE_WINDOWED, .window = 2},
    {.operation = COLLECTIVE_ALL_TO_ALL, .algorithm = COLLECTIVE_PAIRWISE},
    {.operation = COLLECTIVE_BROADCAST, .algorithm = COLLECTIVE_RING},
    {.operation = COLLECTIVE_BROADCAST, .algorithm = COLLECTIVE_DOUBLE_TREE},
    {.operation = COLLECTIVE_BARRIER, .algorithm = COLLECTIVE_DISSEMINATION},
};

static bool suits(const struct collective *collective, uint32_t members)
{
    if (collective->algorithm == COLLECTIVE_HALVING_DOUBLING && (members & (members - 1)) != 0)
        return false;
    return collective->algorithm != COLLECTIVE_HIERARCHICAL || (members > 2 && members % 2 == 0);
}

static void collective__brings_everything_to_everybody(void **state)
{
    (void)state;
    static struct network network = {.latency_ps = 1000};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (uint32_t members = 2; members <= MEMBERS; members++) {
            struct collective collective = all[i];
            collective.bytes = 1003 * members;
            collective.chunks = 1 + members % 3;
            if (!suits(&collective, members))
                continue;
            network_run(&network, &collective, members);
            uint64_t every = (UINT64_C(1) << members) - 1, sent = 0, received = 0;
            for (uint32_t r = 0; r < members; r++) {
                if (network.had[r] != every && collective.operation != COLLECTIVE_BROADCAST)
                    fail_msg("collective %zu, %" PRIu32 " members: member %" PRIu32 " has %" PRIx64, i, members, r,
                             network.had[r]);
                assert_true(network.had[r] & 1);
                sent += network.sent_bytes[r];
                received += network.received_bytes[r];
            }
            assert_int_equal(sent, received);
            /* Bytes over links: the least that the operation needs, which NCCL's factors stand for. */
            uint64_t factor = collective.operation == COLLECTIVE_ALL_REDUCE ? 2 : 1;
            if (collective.operation != COLLECTIVE_BARRIER)
                assert_int_equal(sent, factor * (members - 1) * collective.bytes);
        }
    free(network.at);
    network = (struct network){.latency_ps = 0};
}

/* L: latency; a byte is a picosecond. */
static void collective__takes_what_formulas_say(void **state)
{
    (void)state;
    static struct network network = {.latency_ps = 5000};
    const weir_ps latency = 5000;
    for (uint32_t members = 2; members <= 32; members++) {
        const weir_ps n = members, part = 7000;
        uint32_t steps = 0;
        while (1u << steps < members)
            steps++;
        struct collective c = {.bytes = (uint64_t)(n * part), .chunks = 1};
        assert_int_equal(network_run(&network, &c, members), 2 * (n - 1) * (latency + part));
        c.operation = COLLECTIVE_ALL_GATHER;
        assert_int_equal(network_run(&network, &c, members), (n - 1) * (latency + part));
        c.operation = COLLECTIVE_ALL_TO_ALL;
        assert_int_equal(network_run(&network, &c, members), latency + (n - 1) * part);
        c.algorithm = COLLECTIVE_PAIRWISE;
        assert_int_equal(network_run(&network, &c, members), (n - 1) * (latency + part));
        c = (struct collective){.operation = COLLECTIVE_BROADCAST, .bytes = 4 * (uint64_t)n, .chunks = 1};
        assert_int_equal(network_run(&network, &c, members), (n - 1) * (latency + 4 * n));
        c = (struct collective){.operation = COLLECTIVE_BARRIER, .chunks = 1};
        assert_int_equal(network_run(&network, &c, members), steps * (latency + 1));
        if (1u << steps == members) {
            c = (struct collective){
                .algorithm = COLLECTIVE_HALVING_DOUBLING, .bytes = (uint64_t)(n * part), .chunks = 1};
            assert_int_equal(network_run(&network, &c, members), 2 * (steps * latency + (n - 1) * part));
        }
        if (members % 4 == 0 && members > 4) {
            c = (struct collective){
                .algorithm = COLLECTIVE_HIERARCHICAL, .bytes = (uint64_t)(n * part), .chunks = 1, .group = 4};
            weir_ps inner = 3 * (latency + n / 4 * part), across = 2 * (n / 4 - 1) * (latency + part);
            assert_int_equal(network_run(&network, &c, members), 2 * inner + across);
        }
    }
    /* Trees of 3: 1 is the inner member of the one, 0 of the other; of 2, each is the root of one. */
    struct collective tree = {.algorithm = COLLECTIVE_DOUBLE_TREE, .bytes = 2000, .chunks = 1};
    assert_int_equal(network_run(&network, &tree, 2), 2 * (latency + 1000));
    free(network.at);
    network = (struct network){.latency_ps = 0};
}

static void collective_check__says_what_it_needs(void **state)
{
    (void)state;
    static const struct {
        struct collective collective;
        uint32_t members;
        const char *expected;
    } cases[] = {
        {{.operation = COLLECTIVE_ALL_REDUCE, .algorithm = COLLECTIVE_DIRECT, .bytes = 100, .chunks = 1},
         4,
         "all-reduce has no algorithm direct (expected ring, two-rings, halving-doubling, double-tree, hierarchical)"},
        {{.algorithm = COLLECTIVE_HALVING_DOUBLING, .bytes = 100, .chunks = 1},
         6,
         "6 ranks (halving-doubling needs a power of two; ring takes any number)"},
        {{.algorithm = COLLECTIVE_HIERARCHICAL, .bytes = 100, .chunks = 1, .group = 4}, 6, "6 ranks in groups of 4"},
        {{.bytes = 100, .chunks = 1}, 1, "all-reduce needs at least 2 ranks"},
        {{.bytes = 11, .chunks = 3}, 4, "11 bytes are cut into 12 parts (expected at least a byte for each)"},
        {{.operation = COLLECTIVE_ALL_TO_ALL, .algorithm = COLLECTIVE_WINDOWED, .bytes = 100, .chunks = 1},
         4,
         "a window of no messages"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct collective collective = cases[i].collective;
        assert_false(collective_check(&collective, cases[i].members, &error));
        if (!strstr(ERROR_LINE(&error), cases[i].expected))
            fail_msg("case %zu: %s", i, ERROR_LINE(&error));
    }
}

static void collective_bus_factor__is_nccls(void **state)
{
    (void)state;
    assert_true(collective_bus_factor(COLLECTIVE_ALL_REDUCE, 4) == 1.5);
    assert_true(collective_bus_factor(COLLECTIVE_ALL_GATHER, 4) == 0.75);
    assert_true(collective_bus_factor(COLLECTIVE_REDUCE_SCATTER, 4) == 0.75);
    assert_true(collective_bus_factor(COLLECTIVE_ALL_TO_ALL, 4) == 0.75);
    assert_true(collective_bus_factor(COLLECTIVE_BROADCAST, 4) == 1);
    assert_true(collective_bus_factor(COLLECTIVE_BARRIER, 4) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collective__brings_everything_to_everybody),
        cmocka_unit_test(collective__takes_what_formulas_say),
        cmocka_unit_test(collective_check__says_what_it_needs),
        cmocka_unit_test(collective_bus_factor__is_nccls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

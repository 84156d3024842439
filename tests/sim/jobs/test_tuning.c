/*
 * test_tuning.c - tables of algorithms, as NCCL's tuner plug-in reads them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/jobs/tuning.h"
#include "tests/support/error_line.h"

static void choose__first_line_that_fits(void **state)
{
    (void)state;
    static const char text[] = "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,"
                               "numPipeOps,regBuff\n"
                               "allreduce,0,65536,tree,ll,2,-1,-1,-1,-1\r\n"
                               "\n all_reduce , 65537 , 1048576 , ring , simple , -1 , 2 , 8\n"
                               "ALLREDUCE,65537,-1,halving-doubling,simple,4,-1,8 # the rest\n"
                               "alltoall,0,-1,pairwise\n";
    static const struct {
        enum collective_operation operation;
        uint64_t bytes;
        uint32_t members, server;
        enum collective_algorithm algorithm;
        uint32_t chunks;
    } cases[] = {
        {COLLECTIVE_ALL_REDUCE, 65536, 8, 1, COLLECTIVE_DOUBLE_TREE, 2},
        {COLLECTIVE_ALL_REDUCE, 65537, 8, 4, COLLECTIVE_RING, 3},             /* two servers */
        {COLLECTIVE_ALL_REDUCE, 65537, 8, 1, COLLECTIVE_HALVING_DOUBLING, 4}, /* eight */
        {COLLECTIVE_ALL_REDUCE, 1048577, 8, 4, COLLECTIVE_HALVING_DOUBLING, 4},
        {COLLECTIVE_ALL_REDUCE, 1048577, 16, 4, COLLECTIVE_TWO_RINGS, 3}, /* no line fits */
        {COLLECTIVE_ALL_TO_ALL, 1, 8, 1, COLLECTIVE_PAIRWISE, 3},
        {COLLECTIVE_ALL_GATHER, 4096, 8, 1, COLLECTIVE_RING, 3},
    };
    struct tuning tuning = {.lines = NULL};
    struct weir_error error;
    if (!tuning_read(&tuning, text, strlen(text), &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(tuning.count, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct collective_choice choice = {
            .usual = {.chunks = 3, .algorithm = COLLECTIVE_TWO_RINGS}, .tuning = &tuning, .server = cases[i].server};
        const struct collective_members members = {NULL, cases[i].members, 0};
        struct collective collective = {.operation = cases[i].operation, .bytes = cases[i].bytes};
        assert_true(collective_choose(&collective, &choice, &members, &error));
        assert_int_equal(collective.algorithm, cases[i].algorithm);
        assert_int_equal(collective.chunks, cases[i].chunks);
        assert_true(collective.bytes >= cases[i].bytes);
    }
    tuning_free(&tuning);
}

static void choose__says_what_cannot_be(void **state)
{
    (void)state;
    static const char text[] = "allreduce,0,-1,halving-doubling\n";
    struct tuning tuning = {.lines = NULL};
    struct weir_error error;
    assert_true(tuning_read(&tuning, text, strlen(text), &error));
    const struct collective_choice choice = {.tuning = &tuning};
    struct collective collective = {.operation = COLLECTIVE_ALL_REDUCE, .bytes = 4096};
    assert_false(collective_choose(&collective, &choice, &(struct collective_members){NULL, 6, 0}, &error));
    assert_string_equal(ERROR_LINE(&error), "6 ranks (halving-doubling needs a power of two; ring takes any number)");
    tuning_free(&tuning);
}

static void mistakes__are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"\nreduce,0,1,tree\n",
         "line 2: collective 'reduce' (expected allreduce, reducescatter, allgather, alltoall, broadcast or barrier)"},
        {"allreduce,0,1,nvls,simple\n", "line 1: algorithm 'nvls' (expected ring, two-rings, halving-doubling, "
                                        "double-tree, hierarchical)"},
        {"allreduce,0,1,pairwise\n", "line 1: algorithm 'pairwise' (expected ring, two-rings, halving-doubling, "
                                     "double-tree, hierarchical)"},
        {"allreduce,64K,1,ring\n", "line 1: min_bytes '64K' (expected a number, or -1 for any)"},
        {"allreduce,9,8,ring\n", "line 1: max_bytes '8' (expected at least min_bytes)"},
        {"allreduce,0,1\n", "line 1: 3 fields (expected at least collective,min_bytes,max_bytes,algorithm)"},
        {"allreduce,0,1,ring,simple,x\n", "line 1: channels 'x' (expected a number, or -1 for any)"},
        {"allreduce,0,1,ring,simple,1,1,1,1,1,1\n",
         "line 1: more than 10 fields, or a field of more than 31 letters (expected such as "
         "'allreduce,0,65536,tree,simple,-1,-1,-1')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tuning tuning = {.lines = NULL};
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_false(tuning_read(&tuning, cases[i].text, strlen(cases[i].text), &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].error);
        tuning_free(&tuning);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choose__first_line_that_fits),
        cmocka_unit_test(choose__says_what_cannot_be),
        cmocka_unit_test(mistakes__are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

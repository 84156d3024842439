/*
 * test_simai.c - workload texts of SimAI: what they say becomes operations of the right groups in the right order, and
 * mistakes are named with their line.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/jobs/simai.h"
#include "tests/support/error_line.h"

struct job_read {
    unsigned char *image;
    struct goal goal;
    struct simai_about about;
};

static struct job_read read_text(const char *text, uint32_t ranks)
{
    static const struct collective_choice choice = {.usual = {.chunks = 1}};
    const struct simai_setup setup = {.ranks = ranks, .room = 4, .choice = &choice};
    struct job_read read;
    struct weir_error error;
    size_t size;
    assert_true(simai_is(text, strlen(text)));
    read.image = simai_to_goal(text, strlen(text), &setup, &size, &read.about, &error);
    if (!read.image || !goal_open(&read.goal, read.image, size, NULL, &error))
        fail_msg("%s", ERROR_LINE(&error));
    return read;
}

static void read_free(struct job_read *read)
{
    goal_close(&read->goal);
    free(read->image);
}

/* What a rank does, in the order in which it could if nothing took time: "c556 s1:8 r1:8 ...". Of sends and receives:
 * peer and bytes. */
static void tell(const struct goal *goal, uint32_t number, char *text, size_t size)
{
    const struct goal_rank *rank = &goal->rank[number];
    uint32_t *waits = calloc(rank->op_count + 1, sizeof *waits), *order = calloc(rank->op_count + 1, sizeof *order);
    uint32_t head = 0, tail = 0;
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < rank->op_count; i++)
        if ((waits[i] = goal_op(rank, i).needs) == 0)
            order[tail++] = i;
    while (head < tail) {
        const struct goal_op op = goal_op(rank, order[head++]);
        if (op.type == GOAL_CALC && op.size > 0)
            length += (size_t)snprintf(text + length, size - length, "%sc%" PRIu64, length ? " " : "", op.size);
        if (op.type != GOAL_CALC)
            length += (size_t)snprintf(text + length, size - length, "%s%c%" PRIu32 ":%" PRIu64, length ? " " : "",
                                       op.type == GOAL_SEND ? 's' : 'r', op.peer, op.size);
        for (uint32_t k = 0; k < op.end_count; k++)
            if (--waits[goal_follower(rank, op.end_first + k)] == 0)
                order[tail++] = goal_follower(rank, op.end_first + k);
    }
    assert_int_equal(tail, rank->op_count);
    free(waits);
    free(order);
}

static void expect_rank(const struct job_read *read, uint32_t rank, const char *expected)
{
    char text[4096];
    tell(&read->goal, rank, text, sizeof text);
    assert_string_equal(text, expected);
}

static void layers__forward_then_backward(void **state)
{
    (void)state;
    struct job_read read = read_text("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 "
                                     "all_gpus: 4\n2\n"
                                     "a -1 10 ALLGATHER 64 20 NONE 0 30 ALLREDUCE 100 7\n"
                                     "b -1 11 NONE 0 21 NONE 99 31 NONE 0 0\n",
                                     0);
    assert_int_equal(read.about.ranks, 4);
    assert_int_equal(read.about.layers, 2);
    /* Forward with the neighbour of tensor parallelism; weights with rank 3, of the other group. */
    expect_rank(&read, 1, "c10 s0:32 r0:32 c7 c11 c21 c31 c20 c30 s3:50 r3:50 r3:50 s3:50 c7");
    read_free(&read);
}

static void groups__as_megatron_divides(void **state)
{
    (void)state;
    static const char text[] = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 "
                               "all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n1\n"
                               "x -1 0 ALLTOALL_EP 64 0 NONE 0 0 ALLGATHER_DP_EP 64 0\n";
    struct job_read read = read_text(text, 0);
    /* Rank 3 is the second of its tensor group 1; it shares experts with group 0, its expert with group 3. */
    expect_rank(&read, 3, "s1:32 r1:32 s7:32 r7:32");
    read_free(&read);
    /* Two stages of the pipeline divide the ranks. */
    read = read_text("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 all_gpus: 8 pp_comm 5\n1\n"
                     "x -1 0 NONE 0 0 NONE 0 0 ALLGATHER 64 0\n",
                     0);
    assert_int_equal(read.about.stages, 2);
    assert_true(read.about.pipeline_bytes);
    expect_rank(&read, 5, "s7:32 r7:32");
    read_free(&read);
    /* As many ranks as asked for. */
    read = read_text(text, 16);
    assert_int_equal(read.goal.ranks, 16);
    read_free(&read);
}

static void policies__differ(void **state)
{
    (void)state;
    static const char layers[] = "\n2\na -1 1 ALLGATHER 8 2 ALLGATHER 16 3 ALLGATHER 32 0\n"
                                 "b -1 4 NONE 0 5 ALLGATHER 64 6 NONE 0 0\n";
    static const struct {
        const char *head, *rank;
    } cases[] = {
        {"DATA", "c1 c4 c6 c5 c3 s1:8 r3:8 r3:8 r3:8 s1:8 s1:8"},
        {"MODEL", "c1 s1:2 r3:2 r3:2 r3:2 s1:2 s1:2 c4 c5 s1:16 r3:16 r3:16 r3:16 c6 s1:16 s1:16 c2 c3"},
        {"DISTRIBUTED_INFERENCE", "c1 s1:2 r3:2 r3:2 r3:2 s1:2 s1:2 c4"},
        {"MICRO", "s1:8 r3:8 r3:8 r3:8 s1:8 s1:8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", cases[i].head, layers);
        struct job_read read = read_text(text, 0);
        expect_rank(&read, 0, cases[i].rank);
        read_free(&read);
    }
}

static void checkpoints__run_forward_again(void **state)
{
    (void)state;
    struct job_read read = read_text("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 all_gpus: 2 "
                                     "checkpoints: 2 0 1 checkpoint_initiates: 1 2\n3\n"
                                     "a -1 1 NONE 0 4 NONE 0 7 NONE 0 0\nb -1 2 NONE 0 5 NONE 0 8 NONE 0 0\n"
                                     "c -1 3 NONE 0 6 NONE 0 9 NONE 0 0\n",
                                     0);
    expect_rank(&read, 0, "c1 c2 c3 c2 c6 c9 c5 c8 c4 c7");
    read_free(&read);
}

static void oddities__are_read(void **state)
{
    (void)state;
    /* Less than a byte for each, no bytes, blank lines, carriage returns, a group of one. */
    struct job_read read = read_text("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 all_gpus: 4\r\n3\r\n"
                                     "a\t-1\t1\tALLGATHER\t3\t1\tALLREDUCE\t0\t1\tALLREDUCE_DP\t64\t1\t\r\n\n"
                                     "b -1 1 NONE 77 1 NONE 1 1 NONE 1 1\r\n\r\nc 0 1 NONE 0 1 NONE 0 1 NONE 0 1\n\n",
                                     0);
    expect_rank(&read, 0, "c1 s1:2 r3:2 r3:2 r3:2 s1:2 s1:2 c1 c1 c1 c1 c1 c1 c1 c1 c1");
    read_free(&read);
}

#define HEAD "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 4\n"

static void mistakes__are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"HYBRID_DLRM\n1\n",
         "line 1: HYBRID_DLRM: its groups are dimensions of a logical network (expected DATA, MODEL, MICRO, "
         "HYBRID_TRANSFORMER, HYBRID_TRANSFORMER_FWD_IN_BCKWD or DISTRIBUTED_INFERENCE)"},
        {"HYBRID_X\n1\n", "line 1: 'HYBRID_X' (expected a policy such as HYBRID_TRANSFORMER_FWD_IN_BCKWD)"},
        {"DATA tp: 3\n",
         "line 1: 'tp:' (expected model_parallel_NPU_group:, ep:, pp:, vpp:, ga:, all_gpus:, checkpoints:, "
         "checkpoint_initiates: or pp_comm)"},
        {"DATA ep: x\n", "line 1: ep: 'x' (expected a whole number of at most 4294967295)"},
        {"DATA\n", "line 2: layers: '' (expected a whole number of at most 10000000)"},
        {"DATA\n0\n", "line 2: no layers (expected at least 1)"},
        {HEAD "2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
         "line 4: the text ends, and line 2 names 2 layers (expected a line for each)"},
        {HEAD "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nb -1\n",
         "line 4: 'b' behind the last of 1 layers (expected as many as line 2 says)"},
        {HEAD "1\na -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1\n",
         "line 3: nanoseconds of the forward: '1.5' (expected a whole number of at most 4611686018427387)"},
        {HEAD "1\na -1 1 NONE 0 1 BROADCAST 0 1 NONE 0 1\n",
         "line 3: operation of the input gradient: 'BROADCAST' (expected NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or "
         "ALLTOALL, with _TP, _DP, _EP, _DP_EP or nothing behind it)"},
        {HEAD "1\na -1 1 NONE 0 1 NONE 0 1 ALLTOALL_PP 0 1\n",
         "line 3: operation of the weight gradient: 'ALLTOALL_PP' (expected NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER "
         "or ALLTOALL, with _TP, _DP, _EP, _DP_EP or nothing behind it)"},
        {HEAD "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n",
         "line 3: nanoseconds at the end: '' (expected a whole number of at most 4611686018427387)"},
        {HEAD "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODEL\n",
         "line 3: 'MODEL' behind the 12 fields of a layer (expected the end of the line)"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 3 all_gpus: 4\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
         "line 1: 4 ranks in groups of 3 and 1 stages (expected a multiple of model_parallel_NPU_group times pp; "
         "'ranks' of the traffic replaces all_gpus)"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 4 all_gpus: 4\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
         "line 1: ep: 4 does not divide the 2 groups of data parallelism (expected a divisor; 'ranks' of the traffic "
         "replaces all_gpus)"},
        {"DATA checkpoints: 1 5\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "line 1: layer 5 (expected 0 to 0)"},
        {"DATA checkpoint_initiates: 1 0\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
         "line 1: layer 0 initiates, and no checkpoint is before it (expected one)"},
    };
    static const struct collective_choice choice = {.usual = {.chunks = 1}};
    const struct simai_setup setup = {.room = 4, .choice = &choice};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct simai_about about;
        size_t size;
        assert_null(simai_to_goal(cases[i].text, strlen(cases[i].text), &setup, &size, &about, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].error);
    }
    assert_false(simai_is("num_ranks 4\n", 12));
    assert_false(simai_is("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers__forward_then_backward),
        cmocka_unit_test(groups__as_megatron_divides),
        cmocka_unit_test(policies__differ),
        cmocka_unit_test(checkpoints__run_forward_again),
        cmocka_unit_test(oddities__are_read),
        cmocka_unit_test(mistakes__are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

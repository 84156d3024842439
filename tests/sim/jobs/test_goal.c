/*
 * test_goal.c - good jobs are read, in both forms; bad ones are refused, with the place, what was expected and what is
 * there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/jobs/goal.h"
#include "tests/support/error_line.h"
#include "tests/support/random_job.h"

/* Reads from memory of exactly the text's size, so that the sanitizer sees every byte too far. */
static unsigned char *read_text(const char *text, size_t *size, struct weir_error *error)
{
    size_t length = strlen(text);
    char *exact = malloc(length > 0 ? length : 1);
    memcpy(exact, text, length);
    unsigned char *image = goal_from_text(exact, length, size, error);
    free(exact);
    return image;
}

static const char example[] = "/* two ranks,\n   one message */\n"
                              "num_ranks 3\r\n"
                              "rank 0 {\n"
                              "first: calc 500 cpu 1 // ns\r\n"
                              "l2 : send 1048576 b to 1 tag 7 cpu 2 nic 3\n"
                              "l2 requires first\n"
                              "calc 1\n"
                              "}\n"
                              "rank 1 {\n"
                              "a: recv 1048576b from -1 tag -1\n"
                              "b: calc 0\n"
                              "b irequires a\n"
                              "}\n"
                              "rank 2 {\n"
                              "}";

static void goal_from_text__reads_every_field(void **state)
{
    (void)state;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct goal goal;
    size_t size;
    unsigned char *image = read_text(example, &size, &error);
    assert_non_null(image);
    assert_true(goal_open(&goal, image, size, NULL, &error));
    assert_int_equal(goal.ranks, 3);
    assert_int_equal(goal.ops, 5);
    assert_int_equal(goal.cpus, 3);
    assert_int_equal(goal.nics, 4);
    assert_int_equal(goal.rank[2].op_count, 0);
    assert_int_equal(goal_rank_of(&goal, 2), 0);
    assert_int_equal(goal_rank_of(&goal, 3), 1);
    struct goal_op calc = goal_op(&goal.rank[0], 0), send = goal_op(&goal.rank[0], 1), recv = goal_op(&goal.rank[1], 0);
    assert_true(calc.type == GOAL_CALC && calc.size == 500 && calc.cpu == 1 && calc.end_count == 1);
    assert_int_equal(goal_follower(&goal.rank[0], calc.end_first), 1);
    assert_true(send.type == GOAL_SEND && send.size == 1048576 && send.peer == 1 && send.tag == 7);
    assert_true(send.cpu == 2 && send.nic == 3 && send.needs == 1);
    assert_true(recv.type == GOAL_RECV && recv.peer == GOAL_ANY && recv.tag == GOAL_ANY);
    assert_true(recv.end_count == 0 && recv.start_count == 1);
    goal_close(&goal);
    free(image);
}

#define HEAD "num_ranks 2\nrank 0 {\n"
#define TAIL "\n}\nrank 1 {\n}\n"

static void goal_from_text__says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "line 1, column 1: the file ends here (expected 'num_ranks' and how many there are)"},
        {"rank 0 {\n}\n", "line 1, column 1: 'rank' is here (expected 'num_ranks'"},
        {"num_ranks x", "line 1, column 11: 'x' is here (expected a number of ranks)"},
        {"num_ranks 0\n", "line 1, column 11: no ranks (expected at least 1)"},
        {"num_ranks 4000000000\n", "line 1, column 11: more ranks than the file has"},
        {"num_ranks 1\nrank 1 {\n}\n", "line 2, column 6: '1' is here (expected 'rank 0 {')"},
        {"num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n", "line 4, column 1: 'rank' is here (expected the end of the file"},
        {"num_ranks 1\nrank 0 {\ncalc 1\n", "line 4, column 1: the file ends here (expected send, recv, calc"},
        {HEAD "clac 5" TAIL, "line 3, column 1: 'clac' is here (expected send, recv, calc, 'A requires B'"},
        {HEAD "a: clac 5" TAIL, "line 3, column 4: 'clac' is here (expected send, recv or calc)"},
        {HEAD "send 10 to 1" TAIL, "line 3, column 9: 'to' is here (expected 'b' behind the number of bytes: 4096b)"},
        {HEAD "send 0b to 1" TAIL, "a message of 0 bytes (expected at least 1)"},
        {HEAD "send 10b from 1" TAIL, "line 3, column 10: 'from' is here (expected 'to' and a rank)"},
        {HEAD "send 10b to 2" TAIL, "line 3, column 13: rank 2 is not there (expected 0 to 1, as num_ranks says)"},
        {HEAD "send 10b to -1" TAIL, "line 3, column 13: '-1' is here (expected a rank)"},
        {HEAD "send 10b to 1 nic 0 cpu 0" TAIL,
         "line 3, column 21: 'cpu' is here (expected 'tag', 'cpu', 'nic' in this"},
        {HEAD "calc 10 nic 0" TAIL, "line 3, column 9: 'nic' is here (expected 'cpu', or the end of the line)"},
        {HEAD "calc 10 cpu 256" TAIL, "line 3, column 13: a cpu is too large (expected at most 255)"},
        {HEAD "calc 99999999999999999999" TAIL, "line 3, column 6: a number of nanoseconds is too large"},
        {HEAD "a: calc 1\na: calc 2" TAIL, "line 4, column 1: this label is there twice"},
        {HEAD "a: calc 1\na requires b" TAIL,
         "line 4, column 12: 'b' is here (expected a label that a line of this rank"},
        {HEAD "/* calc 1\n}\n", "a comment does not end (expected '*/')"},
        {HEAD "a: calc 1\nb: calc 2\nc: calc 3\nb requires a\nb requires c\nc requires b" TAIL,
         "line 4: rank 0, operation 1: waits for itself, through 2 1"},
        {HEAD "a: send 10b to 1 tag 3" TAIL,
         "line 3: rank 0, operation 0: send 10 bytes to rank 1, tag 3: nothing matches it (expected a recv at that"},
        {"num_ranks 2\nrank 0 {\nsend 1b to 1 tag 3\n}\nrank 1 {\ncalc 1\nrecv 1b from 0 tag 4\n}\n",
         "line 3: rank 0, operation 0: send 1 bytes to rank 1, tag 3: nothing matches it"},
        {"num_ranks 2\nrank 0 {\n}\nrank 1 {\nrecv 1b from -1\n}\n",
         "rank 1 receives 1 messages, and 0 are sent to it (expected as many recv as send)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        size_t size;
        assert_null(read_text(cases[i].text, &size, &error));
        if (!strstr(ERROR_LINE(&error), cases[i].expected))
            fail_msg("case %zu: %s\n expected: %s", i, ERROR_LINE(&error), cases[i].expected);
    }
}

/* Where things are in an image of one rank with two operations, the second after the first. */
enum {
    AT_END = 22,
    AT_OPS = 30,
    AT_ROOTS = 34,
    AT_ROOT = 38,
    AT_OP = 42,
    AT_NEXT = AT_OP + 39,
    AT_FOLLOWER = AT_NEXT + 39
};

static void goal_open__says_what_is_damaged(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        unsigned char value;
        const char *expected;
    } cases[] = {
        {0, 0x26, "a run that saves memory has overwritten this file"}, /* with the next byte: 2342 */
        {1, 0, "not a GOAL file (expected to begin with the number 4223)"},
        {8, 0, "has no ranks (expected at least 1)"},
        {9, 1, "ranks do not fit into"},
        {AT_END, 255, "rank 0: its data lie outside of the file, which is cut or damaged"},
        {AT_OPS + 1, 1, "rank 0: its operations do not fit into its data"},
        {AT_ROOTS, 0, "rank 0"},
        {AT_ROOT, 1, "rank 0: a root waits for other operations, or does not exist"},
        {AT_OP, 1, "rank 0: the number of roots differs from that of operations that wait for nothing"},
        {AT_OP + 4, 9, "rank 0, operation 0: type 9 (expected 1 send, 2 recv or 3 calc)"},
        {AT_OP + 4, GOAL_SEND, "rank 0, operation 0: sends to rank 9, but ranks are 0 to 0"},
        {AT_OP + 16, 0x7f, "rank 0, operation 0: computes for more than 53 days"},
        {AT_OP + 21, 5, "its cpu or nic is above the highest that the file's head names"},
        {AT_OP + 23, 2, "its followers lie outside of the rank's data"},
        {AT_OP + 27, 1, "its followers lie outside of the rank's data"},
        {AT_NEXT, 2, "rank 0, operation 1: says that it waits for more operations than lead to it"},
        {AT_FOLLOWER, 2, "rank 0, operation 0: has a follower that does not exist"},
        {AT_FOLLOWER, 0, "rank 0, operation 0: follows more operations than it says that it waits for"},
    };
    struct goal_writer writer;
    size_t size;
    goal_begin(&writer, 1);
    goal_add(&writer, &(struct goal_op){.type = GOAL_CALC, .size = 7, .peer = 9});
    goal_add(&writer, &(struct goal_op){.type = GOAL_CALC, .size = 8});
    goal_after(&writer, 1, 0, false);
    goal_end_rank(&writer);
    unsigned char *image = goal_finish(&writer, &size);
    assert_non_null(image);
    assert_int_equal(size, AT_FOLLOWER + 4);
    struct goal goal;
    struct weir_error error;
    assert_true(goal_open(&goal, image, size, NULL, &error));
    goal_close(&goal);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char before[2] = {image[cases[i].at], image[1]};
        image[cases[i].at] = cases[i].value;
        if (cases[i].at == 0)
            image[1] = 2342 >> 8;
        assert_false(goal_open(&goal, image, size, NULL, &error));
        if (!strstr(ERROR_LINE(&error), cases[i].expected))
            fail_msg("case %zu: %s\n expected: %s", i, ERROR_LINE(&error), cases[i].expected);
        goal_close(&goal);
        image[1] = before[1];
        image[cases[i].at] = before[0];
    }
    /* Cut anywhere. */
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut ? cut : 1);
        memcpy(part, image, cut);
        assert_false(goal_open(&goal, part, cut, NULL, &error));
        goal_close(&goal);
        free(part);
    }
    free(image);
}

static void goal_writer__makes_what_is_accepted(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct random_job shape = {.seed = seed,
                                         .ranks = 1 + (uint32_t)seed % 7,
                                         .messages = 40,
                                         .bytes = 1000,
                                         .calc_ns = 100,
                                         .any = seed % 2};
        struct weir_error error;
        struct goal goal;
        size_t size;
        unsigned char *image = random_job_make(&shape, &size);
        assert_non_null(image);
        if (!goal_open(&goal, image, size, NULL, &error))
            fail_msg("seed %u: %s", (unsigned)seed, ERROR_LINE(&error));
        assert_true(goal.ops >= 80);
        goal_close(&goal);
        free(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal_from_text__reads_every_field),
        cmocka_unit_test(goal_from_text__says_where_and_what),
        cmocka_unit_test(goal_open__says_what_is_damaged),
        cmocka_unit_test(goal_writer__makes_what_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

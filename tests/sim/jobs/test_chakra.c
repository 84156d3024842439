/*
 * test_chakra.c - traces of Chakra, written here byte by byte: nodes become operations, collectives are those of their
 * process group, and mistakes are named.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/jobs/chakra.h"
#include "tests/support/error_line.h"

/* A message as it grows. */
struct text {
    unsigned char at[4096];
    size_t size;
};

static void put_varint(struct text *text, uint64_t value)
{
    while (value >= 0x80) {
        text->at[text->size++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    text->at[text->size++] = (unsigned char)value;
}

static void put_number(struct text *text, uint32_t field, uint64_t value)
{
    put_varint(text, field << 3);
    put_varint(text, value);
}

static void put_part(struct text *text, uint32_t field, const void *bytes, size_t size)
{
    put_varint(text, field << 3 | 2);
    put_varint(text, size);
    memcpy(text->at + text->size, bytes, size);
    text->size += size;
}

/* An attribute whose number is in this field: 7 int32, 9 int64, 13 uint64, 15 sint32, 23 sfixed64, 27 bool. */
static void put_attribute(struct text *node, const char *name, uint32_t field, uint64_t value)
{
    struct text attribute = {.size = 0};
    put_part(&attribute, 1, name, strlen(name));
    if (field == 25) {
        put_varint(&attribute, field << 3 | 1);
        for (uint32_t i = 0; i < 8; i++)
            attribute.at[attribute.size++] = (unsigned char)(value >> 8 * i);
    } else {
        put_number(&attribute, field, field == 15 ? value << 1 : value);
    }
    put_part(node, 10, attribute.at, attribute.size);
}

static void put_name(struct text *node, const char *name, const char *value)
{
    struct text attribute = {.size = 0};
    put_part(&attribute, 1, name, strlen(name));
    put_part(&attribute, 29, value, strlen(value));
    put_part(node, 10, attribute.at, attribute.size);
}

static struct text node_of(uint64_t id, uint32_t type)
{
    struct text node = {.size = 0};
    if (id > 0)
        put_number(&node, 1, id);
    put_part(&node, 2, "a name", 6);
    put_number(&node, 3, type);
    return node;
}

static void end_node(struct text *file, const struct text *node)
{
    put_varint(file, node->size);
    memcpy(file->at + file->size, node->at, node->size);
    file->size += node->size;
}

static void begin_file(struct text *file)
{
    struct text about = {.size = 0};
    file->size = 0;
    put_part(&about, 1, "0.0.4", 5);
    end_node(file, &about);
}

static unsigned char *read_files(const struct text *texts, uint32_t ranks, size_t *size, struct weir_error *error)
{
    static const struct collective_choice usual = {.usual = {.chunks = 1}};
    struct chakra_file files[8] = {{NULL, 0}};
    uint32_t wrong;
    for (uint32_t r = 0; r < ranks; r++) {
        unsigned char *exact = malloc(texts[r].size + (texts[r].size == 0));
        memcpy(exact, texts[r].at, texts[r].size);
        files[r] = (struct chakra_file){exact, texts[r].size};
    }
    unsigned char *image = chakra_to_goal(files, ranks, &usual, size, &wrong, error);
    for (uint32_t r = 0; r < ranks; r++)
        free((void *)(uintptr_t)files[r].bytes);
    return image;
}

static void open_files(const struct text *texts, uint32_t ranks, unsigned char **image, struct goal *goal)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    size_t size;
    *image = read_files(texts, ranks, &size, &error);
    if (!*image || !goal_open(goal, *image, size, NULL, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

/* Compute, then send, in numbers of every width; the other side receives. */
static void chakra__nodes_become_operations(void **state)
{
    (void)state;
    static struct text files[2];
    struct text node;
    begin_file(&files[0]);
    node = node_of(0, 4); /* no id: 0 */
    put_number(&node, 7, 3);
    put_attribute(&node, "is_cpu_op", 27, 0);
    end_node(&files[0], &node);
    node = node_of(9, 5);
    put_part(&node, 5, "\0", 1); /* data_deps, packed: 0 */
    put_attribute(&node, "comm_size", 9, 70000);
    put_attribute(&node, "comm_dst", 15, 1);
    put_attribute(&node, "comm_tag", 25, 5);
    put_attribute(&node, "comm_type", 9, 5);
    end_node(&files[0], &node);
    begin_file(&files[1]);
    node = node_of(1, 6);
    put_attribute(&node, "comm_size", 13, 70000);
    put_attribute(&node, "comm_src", 7, 0);
    put_attribute(&node, "comm_tag", 7, 5);
    end_node(&files[1], &node);
    node = node_of(2, 4);
    put_number(&node, 4, 1); /* ctrl_deps, not packed */
    put_attribute(&node, "is_cpu_op", 27, 1);
    end_node(&files[1], &node);
    struct goal goal;
    unsigned char *image;
    open_files(files, 2, &image, &goal);
    assert_int_equal(goal.ops, 4);
    struct goal_op calc = goal_op(&goal.rank[0], 0), send = goal_op(&goal.rank[0], 1), recv = goal_op(&goal.rank[1], 0),
                   last = goal_op(&goal.rank[1], 1);
    assert_true(calc.type == GOAL_CALC && calc.size == 3000 && calc.cpu == 1 && calc.end_count == 1);
    assert_true(send.type == GOAL_SEND && send.size == 70000 && send.peer == 1 && send.tag == 5 && send.needs == 1);
    assert_true(recv.type == GOAL_RECV && recv.size == 70000 && recv.peer == 0 && recv.tag == 5);
    assert_true(last.size == 1 && last.cpu == 0 && last.needs == 1);
    goal_close(&goal);
    free(image);
}

/* Two all-reduces of a group of two among three ranks, and one of all. */
static void chakra__collectives_are_of_their_group(void **state)
{
    (void)state;
    static struct text files[3];
    for (uint32_t r = 0; r < 3; r++) {
        static const char groups[] =
            "[{\"pg_name\": \"pair\", \"ranks\": [0, 2]}, {\"pg_name\": \"all\", \"ranks\": []}]";
        struct text inputs = {.size = 0}, node = node_of(1, 1);
        begin_file(&files[r]);
        put_part(&inputs, 1, groups, sizeof groups - 1);
        put_part(&node, 8, inputs.at, inputs.size);
        end_node(&files[r], &node);
        for (uint32_t i = 2; i <= 4; i++) {
            node = node_of(i, 7);
            put_attribute(&node, "comm_type", 9, 0);
            put_attribute(&node, "comm_size", 9, 600);
            put_name(&node, "pg_name", i == 4 ? "all" : "pair");
            if (r != 1 || i == 4)
                end_node(&files[r], &node);
        }
    }
    struct goal goal;
    unsigned char *image;
    open_files(files, 3, &image, &goal);
    assert_int_equal(goal.rank[0].sends, 2 * 2 + 4);
    assert_int_equal(goal.rank[1].sends, 4);
    assert_int_equal(goal.rank[2].sends, 2 * 2 + 4);
    uint64_t bytes = 0;
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t i = 0; i < goal.rank[r].op_count; i++) {
            struct goal_op op = goal_op(&goal.rank[r], i);
            bytes += op.type == GOAL_SEND ? op.size : 0;
        }
    assert_int_equal(bytes, 2 * 2 * 600 + 2 * 2 * 600);
    goal_close(&goal);
    free(image);
}

/* As PyTorch's traces have it: the launch on the host is of the same type and says nothing; groups are text within
 * text; an all-reduce of a single number among many. */
static void chakra__launches_compute(void **state)
{
    (void)state;
    static struct text files[2];
    for (uint32_t r = 0; r < 2; r++) {
        static const char groups[] =
            "['[{\\\"pg_name\\\": \\\"0\\\", \\\"pg_desc\\\": \\\"x\\\", \\\"ranks\\\": [0, 1]}]']";
        struct text inputs = {.size = 0}, node = node_of(1, 1);
        begin_file(&files[r]);
        put_part(&inputs, 1, groups, sizeof groups - 1);
        put_part(&node, 8, inputs.at, inputs.size);
        end_node(&files[r], &node);
        node = node_of(2, 7);
        put_number(&node, 7, 9);
        put_attribute(&node, "is_cpu_op", 27, 1);
        end_node(&files[r], &node);
        node = node_of(3, 7);
        put_number(&node, 5, 2);
        put_attribute(&node, "is_cpu_op", 27, 0);
        put_attribute(&node, "comm_type", 9, 0);
        put_attribute(&node, "comm_size", 9, 1);
        put_name(&node, "pg_name", "0");
        end_node(&files[r], &node);
    }
    struct goal goal;
    unsigned char *image;
    open_files(files, 2, &image, &goal);
    assert_int_equal(goal_op(&goal.rank[0], 1).size, 9000);
    assert_int_equal(goal_op(&goal.rank[0], 1).cpu, 0);
    assert_int_equal(goal.rank[0].sends, 2);
    goal_close(&goal);
    free(image);
}

static void expect(const struct text *file, const char *expected)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    size_t size;
    assert_null(read_files(file, 1, &size, &error));
    if (!strstr(ERROR_LINE(&error), expected))
        fail_msg("%s\n expected: %s", ERROR_LINE(&error), expected);
}

static void chakra__mistakes_are_named(void **state)
{
    (void)state;
    static struct text file;
    struct text node;
    begin_file(&file);
    node = node_of(4, 4);
    put_number(&node, 5, 17);
    end_node(&file, &node);
    expect(&file, "node 4 waits for node 17, which the file does not have");
    begin_file(&file);
    node = node_of(4, 4);
    end_node(&file, &node);
    end_node(&file, &node);
    expect(&file, "node 4 is there twice");
    file.size--;
    expect(&file, "ends within message 2, which begins at byte");
    begin_file(&file);
    node = node_of(4, 9);
    end_node(&file, &node);
    expect(&file, "node 4 has type 9 (expected 0 to 7)");
    begin_file(&file);
    node = node_of(4, 5);
    put_attribute(&node, "comm_size", 9, 10);
    end_node(&file, &node);
    expect(&file, "node 4 has no attribute comm_dst");
    begin_file(&file);
    put_attribute(&node, "comm_dst", 9, 3);
    end_node(&file, &node);
    expect(&file, "node 4 sends to rank 3, but there are files of ranks 0 to 0");
    begin_file(&file);
    node = node_of(5, 7);
    put_attribute(&node, "comm_type", 9, 3);
    end_node(&file, &node);
    expect(&file, "node 5 is a collective of type 3 (expected 0 all-reduce");
    begin_file(&file);
    put_name(&node, "pg_name", "tp");
    end_node(&file, &node);
    expect(&file, "node 5 names process group 'tp', which no metadata node describes");
    begin_file(&file);
    node = node_of(6, 4);
    put_number(&node, 7, UINT64_C(1) << 60);
    end_node(&file, &node);
    expect(&file, "node 6 computes for more than 53 days");
    file.size = 0;
    put_varint(&file, 200);
    expect(&file, "ends within message 0, which begins at byte 0 (cut, or not a Chakra trace)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chakra__nodes_become_operations),
        cmocka_unit_test(chakra__collectives_are_of_their_group),
        cmocka_unit_test(chakra__launches_compute),
        cmocka_unit_test(chakra__mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

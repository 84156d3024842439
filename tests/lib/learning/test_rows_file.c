/*
 * test_rows_file.c - rows written and read back, plain and compressed, and what is wrong with rows by place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/learning/rows_file.h"
#include "tests/support/error_line.h"
#include "weir/random.h"

static void write_rows(const char *path, uint32_t count)
{
    struct rows_writer writer;
    struct rows_about about = {FOREST_COUNTERS_VIRTUAL, 24 * WEIR_PS_PER_US, 20};
    struct weir_random random = weir_random_stream(1, "rows");
    assert_true(rows_writer_open(&writer, path, &about));
    for (uint32_t i = 0; i < count; i++) {
        struct weir_training_row row = {.index = i, .lost = i % 2 == 0};
        for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
            row.feature[f] = weir_random_below(&random, 1u << 30);
        assert_true(rows_writer_put(&writer, i % 3 == 0 ? "leaf0" : "spine", &row));
    }
    assert_true(rows_writer_commit(&writer));
}

static void read__gives_what_was_written(void **state)
{
    (void)state;
    static const char *const ends[] = {".csv", ".csv.zst"};
    for (uint32_t e = 0; e < 2; e++) {
        char path[64];
        snprintf(path, sizeof path, "rows-%ld%s", (long)getpid(), ends[e]);
        write_rows(path, 20000);
        struct forest_rows rows = {0}, leaf = {0};
        struct rows_about about = {0};
        struct weir_error error = {0};
        assert_true(rows_file_read(path, NULL, &about, &rows, &error));
        assert_int_equal(rows.count, 20000);
        assert_int_equal(about.counters, FOREST_COUNTERS_VIRTUAL);
        assert_int_equal(about.ports, 20);
        assert_true(about.average_ps == 24 * WEIR_PS_PER_US);
        struct weir_random random = weir_random_stream(1, "rows");
        for (uint32_t i = 0; i < rows.count; i++) {
            for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
                assert_true(rows.feature[f][i] == weir_random_below(&random, 1u << 30));
            assert_int_equal(rows.lost[i], i % 2 == 0);
        }
        assert_true(rows_file_read(path, "leaf0", &about, &leaf, &error));
        assert_int_equal(leaf.count, 6667);
        forest_rows_free(&rows);
        forest_rows_free(&leaf);
        remove(path);
    }
}

static bool read_text(const char *text, size_t size, const char *of_switch, struct forest_rows *rows,
                      struct weir_error *error)
{
    struct rows_about about = {0};
    FILE *in = fmemopen((void *)(uintptr_t)text, size, "r");
    assert_non_null(in);
    bool whole = rows_stream_read(in, "rows", of_switch, &about, rows, error);
    fclose(in);
    return whole;
}

static void read__finds_columns_by_name(void **state)
{
    (void)state;
    const char *text = "lost,colour,buffer,queue_average,queue,buffer_average\r\n1,red,3,2,-1,4\r\n0,blue,7,6,5,8";
    struct forest_rows rows = {0};
    struct weir_error error = {0};
    assert_true(read_text(text, strlen(text), NULL, &rows, &error));
    assert_int_equal(rows.count, 2);
    assert_true(rows.feature[WEIR_FEATURE_QUEUE][0] == -1 && rows.feature[WEIR_FEATURE_QUEUE][1] == 5);
    assert_true(rows.feature[WEIR_FEATURE_BUFFER_AVERAGE][1] == 8);
    assert_true(rows.lost[0] == 1 && rows.lost[1] == 0);
    forest_rows_free(&rows);
}

#define NAMES "queue,queue_average,buffer,buffer_average,lost\n"

static void read__names_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *of_switch, *line;
    } table[] = {
        {"a,b\n", NULL, "rows:1:1: there is no column 'queue'"},
        {"# x\n", NULL, "rows:1:1: has no line with the names of the columns"},
        {"# weir-rows 2\n", NULL, "rows:1:3: version 2 cannot be read (this program reads version 1)"},
        {"# counters blue\n", NULL, "rows:1:3: counters: 'blue' is unknown (expected real or virtual)"},
        {"# ports -1\n", NULL, "rows:1:3: ports: '-1' is not a number"},
        {NAMES "1,2,3,4,0\n1,2,x,4,1\n", NULL, "rows:3:5: 'x' is not a whole number"},
        {NAMES "1,2,3,4\n", NULL, "rows:2:1: 5 values expected, one for each column"},
        {NAMES "1,2,3,4,1,6\n", NULL, "rows:2:1: 5 values expected, one for each column"},
        {NAMES "1,2,3,4,2\n", NULL, "rows:2:1: lost is 2 (expected 0 or 1)"},
        {NAMES, "leaf0", "rows:1:1: there is no column 'switch', by which to choose leaf0"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct forest_rows rows = {0};
        struct weir_error error = {0};
        assert_false(read_text(table[i].text, strlen(table[i].text), table[i].of_switch, &rows, &error));
        assert_string_equal(ERROR_LINE(&error), table[i].line);
        forest_rows_free(&rows);
    }
}

/* A compressed file that was cut anywhere is refused, not read in part. */
static void read__refuses_a_cut_file(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "cut-%ld.csv.zst", (long)getpid());
    write_rows(path, 100);
    char bytes[16384];
    FILE *in = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    remove(path);
    assert_in_range(size, 500, sizeof bytes - 1);
    for (size_t cut = 1; cut < size; cut += 7) {
        struct forest_rows rows = {0};
        struct weir_error error = {0};
        assert_false(read_text(bytes, cut, NULL, &rows, &error));
        forest_rows_free(&rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__gives_what_was_written),
        cmocka_unit_test(read__finds_columns_by_name),
        cmocka_unit_test(read__names_the_place),
        cmocka_unit_test(read__refuses_a_cut_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

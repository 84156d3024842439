/*
 * test_write.c - one frame as text, CSV and JSON; frames that memory does not suffice for.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "show/writers/write.h"
#include "tests/support/capture.h"

/* A column of each kind, one for text only and one for files only. */
static struct data_frame *example(void)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", "name", TEXT, .width = 4),
                                                 DATA_COLUMN("at", NULL, WORD),
                                                 DATA_COLUMN("flows", "flows", COUNT),
                                                 DATA_COLUMN("port", "port", INTEGER),
                                                 DATA_COLUMN("fct.p99", "FCT p99", TIME),
                                                 DATA_COLUMN("held_ps", "held", PS),
                                                 DATA_COLUMN("bytes", "size", SIZE),
                                                 DATA_COLUMN("goodput", "goodput", RATE),
                                                 DATA_COLUMN("share", "share", SHARE, .digits = 1),
                                                 DATA_COLUMN(NULL, "ratio", NUMBER, .digits = 2),
                                                 DATA_COLUMN("lossless", "lossless", FLAG),
                                                 DATA_COLUMN("axis", "axis", NUMBER, .digits = -3, .quoted = true)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    data_row(frame, cell_text("a \"b\" c"), cell_text("s0-h1"), cell_integer(12345), cell_integer(12345),
             cell_number(12.345e-6), cell_integer(1500), cell_integer(1500000), cell_number(9.8e9), cell_number(0.123),
             cell_number(0.5), cell_flag(true), cell_number(0.1));
    data_row(frame, cell_text("\xce\xb1\xce\xb2\xce\xb3\xce\xb4"), cell_none(), cell_integer(7), cell_integer(7),
             cell_none(), cell_none(), cell_none(), cell_shown(cell_number(1), "one \u2020"), cell_number(NAN),
             cell_number(INFINITY), cell_flag(false), cell_number(-INFINITY));
    return frame;
}

static void write_text__shows_kinds(void **state)
{
    struct capture capture;
    (void)state;
    struct data_frame *frame = example();
    data_row(frame, cell_text("half a row is not shown"));
    data_frame_note(frame, "\u2020 %s", "a note");
    capture_start(&capture, stdout);
    int code = write_result(frame, false);
    assert_string_equal(
        capture_stop(&capture),
        "name   flows   port  FCT p99   held   size  goodput   share     ratio  lossless      axis\n"
        "a \"\u2026  12\u202f345  12345  12.35us  1.5ns  1.5MB  9.8Gbps  12.3 %      0.50  yes            0.1\n"
        "\xce\xb1\xce\xb2\xce\xb3\xce\xb4"
        "       7      7        -      -      -    one \u2020       -  infinite  no        infinite\n"
        "\u2020 a note\n");
    assert_int_equal(code, CLI_OK);
}

static void write_text__cuts_by_characters(void **state)
{
    static const struct data_column column = DATA_COLUMN("x", "x", TEXT, .width = 4);
    struct data_frame *frame = data_frame_new(DATA_ROWS, &column, 1);
    struct capture capture;
    (void)state;
    data_row(frame, cell_text("abcd"));
    data_row(frame, cell_text("abcde"));
    data_row(frame, cell_text("\u00e4\u00f6\u00fc\u00df"));
    data_row(frame, cell_text("\u00e4\u00f6\u00fc\u00df!"));
    data_row(frame, cell_text("a\nb"));
    capture_start(&capture, stdout);
    assert_int_equal(write_result(frame, false), CLI_OK);
    assert_string_equal(capture_stop(&capture),
                        "x\nabcd\nabc\u2026\n\u00e4\u00f6\u00fc\u00df\n\u00e4\u00f6\u00fc\u2026\na?b\n");
}

/* What a writer puts into a file; to be freed. */
static char *written(const struct data_frame *frame, void (*write)(const struct data_frame *frame, FILE *out))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(frame, out);
    fclose(out);
    return text;
}

static void write_csv__has_all_digits(void **state)
{
    (void)state;
    struct data_frame *frame = example();
    char *text = written(frame, write_csv);
    assert_string_equal(text, "name,at,flows,port,fct.p99,held_ps,bytes,goodput,share,lossless,\"axis\"\n"
                              "\"a \"\"b\"\" c\",s0-h1,12345,12345,1.2345e-05,1500,1500000,9800000000,0.123,1,0.1\n"
                              "\"\xce\xb1\xce\xb2\xce\xb3\xce\xb4\",,7,7,,,,1,,0,-inf\n");
    free(text);
    data_frame_free(frame);
}

static void write_csv_rows__forgets_them(void **state)
{
    static const struct data_column column = DATA_COLUMN("x", NULL, NUMBER);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct data_frame *frame = data_frame_new(DATA_ROWS, &column, 1);
    (void)state;
    for (int i = 1; i < 4; i++) {
        data_row(frame, cell_number(i / 2.0));
        assert_true(write_csv_rows(frame, out));
        assert_int_equal(data_frame_rows(frame), 0);
    }
    fclose(out);
    assert_string_equal(text, "0.5\n1\n1.5\n");
    free(text);
    data_frame_free(frame);
}

/* Rows that are written one at a time need no memory of each. */
static void data_frame_new_row__borrows_texts(void **state)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", NULL, TEXT), DATA_COLUMN("n", NULL, INTEGER)};
    char *text = NULL, name[8];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct data_frame *frame = data_frame_new_row(DATA_COLUMNS(columns));
    (void)state;
    for (int i = 1; i < 4; i++) {
        snprintf(name, sizeof name, "row %d", i);
        data_row(frame, cell_text(name), cell_integer(i));
        assert_ptr_equal(data_frame_cell(frame, 0, 0)->text, name);
        assert_true(write_csv_rows(frame, out));
    }
    fclose(out);
    assert_string_equal(text, "\"row 1\",1\n\"row 2\",2\n\"row 3\",3\n");
    free(text);
    data_frame_free(frame);
}

static void write_json__nests(void **state)
{
    static const struct data_column columns[] = {DATA_COLUMN("x", NULL, NUMBER), DATA_COLUMN(NULL, "text", TEXT),
                                                 DATA_COLUMN("y", NULL, FLAG)};
    const enum data_shape shapes[] = {DATA_ROWS, DATA_SPARSE_ROWS, DATA_TUPLES};
    const char *const names[] = {"rows", "sparse", "tuples"};
    struct data_frame *list = data_frame_new_list();
    (void)state;
    data_row(list, cell_integer(1), cell_text("two"), cell_none());
    struct data_frame *root = data_object({"list", cell_frame(list)}, {NULL, cell_frame(example())});
    for (size_t i = 0; i < 3; i++) {
        struct data_frame *frame = data_frame_new(shapes[i], DATA_COLUMNS(columns));
        data_row(frame, cell_number(0.5), cell_none(), cell_flag(true));
        data_row(frame, cell_none(), cell_none(), cell_flag(false));
        data_frame_set(root, names[i], cell_frame(frame));
    }
    assert_int_equal(data_frame_check(root), CLI_OK);
    json_t *json = write_json(root);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, "{\"list\":[1,\"two\",null],"
                              "\"rows\":[{\"x\":0.5,\"y\":true},{\"x\":null,\"y\":false}],"
                              "\"sparse\":[{\"x\":0.5,\"y\":true},{\"y\":false}],"
                              "\"tuples\":[[0.5,null,true],[null,null,false]]}");
    free(text);
    json_decref(json);
    data_frame_free(root);
}

/* A frame that could not be made spoils the whole that it is in. */
static void data_frame_check__finds_nested_failures(void **state)
{
    struct capture capture;
    (void)state;
    struct data_frame *list = data_frame_new_list();
    data_row(list, cell_frame(NULL));
    struct data_frame *root = data_object({"list", cell_frame(list)}, {"more", cell_integer(1)});
    capture_start(&capture, stderr);
    int code = write_result(root, true);
    assert_string_equal(capture_stop(&capture), "weir: out of memory\n");
    assert_int_equal(code, CLI_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_text__shows_kinds),
        cmocka_unit_test(write_text__cuts_by_characters),
        cmocka_unit_test(write_csv__has_all_digits),
        cmocka_unit_test(write_csv_rows__forgets_them),
        cmocka_unit_test(data_frame_new_row__borrows_texts),
        cmocka_unit_test(write_json__nests),
        cmocka_unit_test(data_frame_check__finds_nested_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

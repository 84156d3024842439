/*
 * test_switch_watch.c - what a look at a switch prints, from replies that are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "show/writers/switch_watch.h"
#include "tests/support/capture.h"

static json_t *status_at(double up_s, double used)
{
    return json_pack("{s:s, s:f, s:{s:s}, s:[{s:f, s:f}]}", "scenario", "two.yaml", "up_s", up_s, "policy", "name",
                     "dt", "memories", "used_bytes", used, "size_bytes", 20000.0);
}

/* Port 1 has sent `sent` packets of 1000 bytes and refused `refused`; port 0 is idle. */
static json_t *counters_of(int sent, int refused, double waiting)
{
    return json_pack("{s:[{s:i, s:i}, {s:i, s:i, s:i, s:i, s:{s:i}, s:f, s:i}], s:[{s:i}]}", "queues", "port", 0,
                     "class", 0, "port", 1, "class", 0, "SAI_QUEUE_STAT_PACKETS", sent, "SAI_QUEUE_STAT_BYTES",
                     1000 * sent, "lost_by_cause", "refused", refused, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", waiting,
                     "threshold_bytes", 10000, "groups", "pauses", sent / 100);
}

static const char *look(struct switch_watch *watch, json_t *status, json_t *counters, bool screen)
{
    static char text[4096];
    struct capture capture;
    capture_start(&capture, stdout);
    assert_int_equal(switch_watch_show(watch, status, counters, screen), CLI_OK);
    capture_stop(&capture);
    snprintf(text, sizeof text, "%s", capture.text);
    return text;
}

static void switch_watch_show__rates_of_a_line(void **state)
{
    (void)state;
    struct switch_watch watch = {.counters = NULL};
    assert_string_equal(look(&watch, status_at(10, 5000), counters_of(1000, 50, 5000), false),
                        "up 10s: buffer 5KB of 20KB (25 %), sent 100/s, 800kbps, refused 5/s, pushed out 0/s, "
                        "expelled 0/s, dropped 0/s, marked 0/s, pauses 1/s\n");
    assert_string_equal(look(&watch, status_at(12, 0), counters_of(5000, 50, 0), false),
                        "up 12s: buffer 0B of 20KB (0 %), sent 2000/s, 16Mbps, refused 0/s, pushed out 0/s, "
                        "expelled 0/s, dropped 0/s, marked 0/s, pauses 20/s\n");
    /* Started again: its counters begin anew, and so do the rates. */
    assert_string_equal(look(&watch, status_at(1, 0), counters_of(100, 7, 0), false),
                        "up 1s: buffer 0B of 20KB (0 %), sent 100/s, 800kbps, refused 7/s, pushed out 0/s, "
                        "expelled 0/s, dropped 0/s, marked 0/s, pauses 1/s\n");
    switch_watch_free(&watch);
}

static void switch_watch_show__screen(void **state)
{
    (void)state;
    struct switch_watch watch = {.counters = NULL};
    look(&watch, status_at(10, 5000), counters_of(1000, 50, 5000), true);
    const char *text = look(&watch, status_at(11, 5000), counters_of(13000, 60, 5000), true);
    assert_non_null(strstr(text, "two.yaml: up 11s, policy dt\n"));
    assert_non_null(strstr(text, "buffer [##########..............................] 5KB of 20KB (25 %)\n"));
    assert_non_null(strstr(text, "5KB   10KB  96Mbps"));
    assert_non_null(strstr(text, "1 queue is idle\n"));
    switch_watch_free(&watch);
}

/* A switch of another version may leave out what it likes. */
static void switch_watch_show__empty_replies(void **state)
{
    (void)state;
    struct switch_watch watch = {.counters = NULL};
    for (int screen = 0; screen < 2; screen++)
        assert_true(strlen(look(&watch, json_object(), json_object(), screen == 1)) > 0);
    switch_watch_free(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_watch_show__rates_of_a_line),
        cmocka_unit_test(switch_watch_show__screen),
        cmocka_unit_test(switch_watch_show__empty_replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

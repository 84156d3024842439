/*
 * test_records.c - rows of weir-traffic and counters of weir-switch become the measures of a run.
 *
 * Three hosts at scale 100: a millisecond of the machine is 10 us of the scenario. Flows 1 and 2 are a query, of which
 * the second had a timeout; flow 3 never ended, and nobody asked for flow 9.
 */
#define _GNU_SOURCE 1
#include <math.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/testbed/point.h"
#include "lab/testbed/records.h"
#include "run/measures/measures.h"
#include "sim/transport/flow.h"
#include "tests/support/error_line.h"
#include "tests/support/testbed_scenario.h"

#define HEADER                                                                                                         \
    "role,id,source,destination,traffic,tag,group,bytes,start_ns,finish_ns,delivered,retransmits,timeouts,packets\n"
#define SERVERS                                                                                                        \
    HEADER "server,2,2,0,0,0,0,20000,-1,-1,0,4,1,0\n"                                                                  \
           "server,1,1,0,0,0,0,20000,-1,-1,0,0,0,0\n"                                                                  \
           "server,9,1,0,0,0,0,20000,-1,-1,0,7,7,0\n"
#define CLIENTS                                                                                                        \
    HEADER "client,1,1,0,0,0,0,20000,1000000,11000000,20000,0,0,0\n"                                                   \
           "client,2,2,0,0,0,0,20000,1000000,41000000,20000,0,0,0\n"                                                   \
           "client,3,1,2,1,1,-1,20000,2000000,-1,5000,0,0,0\n"

static void read_text(struct records *records, const struct scenario *scenario, const char *text, const char *expected)
{
    char path[] = "/tmp/weir-testbed-records-XXXXXX";
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    bool read = testbed_records_add(records, path, scenario, &error);
    unlink(path);
    assert_int_equal(read, expected == NULL);
    if (expected != NULL && strstr(ERROR_LINE(&error), expected) == NULL)
        fail_msg("'%s' is not in '%s'", expected, ERROR_LINE(&error));
}

static void make(struct scenario *scenario)
{
    scenario_from_text(scenario, "until: 100ms\n" NETWORK SWITCH TRANSPORTS TRAFFIC TESTBED);
}

static void read_both(struct records *records, const struct scenario *scenario)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    read_text(records, scenario, SERVERS, NULL);
    read_text(records, scenario, CLIENTS, NULL);
    assert_true(testbed_records_finish(records, scenario, &error));
}

static void finish__joins_rows(void **state)
{
    (void)state;
    struct scenario scenario;
    struct records records = {.at = NULL};
    make(&scenario);
    read_both(&records, &scenario);
    assert_int_equal(records.count, 3);
    assert_int_equal(records.at[1].id, 2);
    assert_int_equal(records.at[1].start_ps, 10 * WEIR_PS_PER_US);
    assert_int_equal(records.at[1].finish_ps, 410 * WEIR_PS_PER_US);
    assert_int_equal(records.at[1].timeouts, 1);
    assert_int_equal(records.at[1].again, 4);
    assert_int_equal(records.at[0].timeouts, 0);
    assert_int_equal(records.at[2].group, FLOW_NO_GROUP);
    assert_true(records.at[2].finish_ps == WEIR_NEVER);
    /* 14 segments at 10 Gb/s over two links of 20 us: more than 40 us, less than 60. */
    assert_in_range(records.at[0].ideal_ps, 40 * WEIR_PS_PER_US, 60 * WEIR_PS_PER_US);
    records_free(&records);
    scenario_free(&scenario);
}

/* A request that was lost is the client's to tell. */
static void finish__adds_timeouts_of_both(void **state)
{
    (void)state;
    struct scenario scenario;
    struct records records = {.at = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    make(&scenario);
    read_text(&records, &scenario,
              HEADER "client,1,1,0,0,0,0,20000,1000000,11000000,20000,2,2,0\nserver,1,1,0,0,0,0,20000,-1,-1,0,4,1,0\n",
              NULL);
    assert_true(testbed_records_finish(&records, &scenario, &error));
    assert_int_equal(records.count, 1);
    assert_int_equal(records.at[0].timeouts, 3);
    assert_int_equal(records.at[0].again, 4);
    records_free(&records);
    scenario_free(&scenario);
}

/* UDP: one end knows what was sent, the other what came. */
static void finish__joins_packets_of_udp(void **state)
{
    (void)state;
    struct scenario scenario;
    struct records records = {.at = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    make(&scenario);
    read_text(&records, &scenario,
              HEADER
              "client,1,1,0,0,0,-1,20000,1000000,-1,17376,0,0,12\nserver,1,1,0,0,0,-1,20000,-1,-1,20000,0,0,14\n",
              NULL);
    assert_true(testbed_records_finish(&records, &scenario, &error));
    assert_int_equal(records.count, 1);
    assert_int_equal(records.at[0].sent, 14);
    assert_int_equal(records.at[0].packets, 12);
    records_free(&records);
    scenario_free(&scenario);
}

static void add__other_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "line 1: no records of weir-traffic"},
        {"role,id\n", "line 1: no records of weir-traffic"},
        {HEADER "client,1,1,0,0,0,0,20000,1000000,11000000,20000,0,0\n", "line 2: no row of this scenario"},
        {HEADER "client,1,1,0,0,0,0,20000,1000000,11000000,20000,0,0,0,0\n", "line 2: no row of this scenario"},
        {HEADER "client,1,1,3,0,0,0,20000,1000000,11000000,20000,0,0,0\n", "line 2: no row of this scenario"},
        {HEADER "client,1,1,0,0,2,0,20000,1000000,11000000,20000,0,0,0\n", "line 2: no row of this scenario"},
        {HEADER "client,0,1,0,0,0,0,20000,1000000,11000000,20000,0,0,0\n", "line 2: no row of this scenario"},
        {HEADER "server,1,1,0,0,0,0,20000,-1,-1,20000,0,-2,0\n", "line 2: no row of this scenario"},
        {HEADER "client,1,1,0,0,0,0,20000,1000000,9223372036854775807,20000,0,0,0\n",
         "line 2: no row of this scenario"},
        {HEADER "clint,1,1,0,0,0,0,20000,1000000,11000000,20000,0,0,0\n", "line 2: no row of this scenario"},
        {HEADER "client,1,1,0,0,0,0,2e4,1000000,11000000,20000,0,0,0\n", "line 2: no row of this scenario"},
    };
    struct scenario scenario;
    make(&scenario);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct records records = {.at = NULL};
        read_text(&records, &scenario, rows[i].text, rows[i].message);
        records_free(&records);
    }
    scenario_free(&scenario);
}

static double value_of(const struct measures *measures, const char *name)
{
    for (uint32_t i = 0; i < measures->value_count; i++)
        if (strcmp(measures->values[i].name, name) == 0)
            return measures->values[i].value;
    return NAN;
}

static void result__has_what_can_be_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value; /* NaN: not known of real packets */
    } rows[] = {{"query.flows", 2},
                {"query.queries", 1},
                {"query.queries_with_timeouts", 1},
                {"query.qct.mean", 400e-6},
                {"query.fct.min", 100e-6},
                {"query.timeouts", 1},
                {"query.resent", 4},
                {"background.finished", 0},
                {"background.delivered", 5000},
                {"lost.total", 10},
                {"lost.refused", 5},
                {"lost.expelled", 2},
                {"memory.peak", 0.5},
                {"marked", 6},
                {"hops", 1000},
                {"end", 0.1},
                {"testbed.behind", 3},
                {"testbed.late", 1e-6},
                {"query.lost", NAN},
                {"query.lossless", NAN},
                {"query.short.lossless", NAN},
                {"lost.on_failed_links", NAN},
                {"loss.buffer.mean", NAN}};
    struct scenario scenario;
    struct measures measures;
    struct run_result *result = malloc(sizeof *result);
    struct testbed_point point = {
        .counters = {
            .peak_bytes = 50,
            .buffer_bytes = 100,
            .hops = 1000,
            .losses = {.refused = {[WEIR_REASON_NO_ROOM] = 5}, .lost = {[WEIR_CAUSE_EXPELLED] = 2}, .marked = 6},
            .emulation = {.behind = 3, .late_ps = WEIR_PS_PER_US}}};
    assert_non_null(result);
    make(&scenario);
    read_both(&point.records, &scenario);
    assert_true(testbed_result_make(result, &scenario, &point) && run_measures_make(&measures, result));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = value_of(&measures, rows[i].name);
        if (isnan(rows[i].value) ? !isnan(value) : !(fabs(value - rows[i].value) <= 1e-9 * rows[i].value))
            fail_msg("%s is %g, not %g", rows[i].name, value, rows[i].value);
    }
    measures_free(&measures);
    run_result_free(result);
    free(result);
    testbed_point_free(&point);
    scenario_free(&scenario);
}

/* Kernels before 6.7 do not say how many timeouts there were. */
static void result__leaves_out_what_was_not_counted(void **state)
{
    (void)state;
    static const char *const unknown[] = {"query.timeouts", "query.flows_with_timeouts", "query.queries_with_timeouts",
                                          "background.timeouts"};
    struct scenario scenario;
    struct measures measures;
    struct run_result *result = malloc(sizeof *result);
    struct testbed_point point = {.counters = {.buffer_bytes = 100}};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_non_null(result);
    make(&scenario);
    read_text(&point.records, &scenario, CLIENTS, NULL);
    read_text(&point.records, &scenario,
              HEADER "server,1,1,0,0,0,0,20000,-1,-1,0,0,0,0\nserver,2,2,0,0,0,0,20000,-1,-1,0,4,-1,0\n", NULL);
    assert_true(testbed_records_finish(&point.records, &scenario, &error));
    assert_true(testbed_result_make(result, &scenario, &point) && run_measures_make(&measures, result));
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_true(isnan(value_of(&measures, unknown[i])));
    assert_true(value_of(&measures, "query.resent") == 4 && value_of(&measures, "query.queries") == 1);
    measures_free(&measures);
    run_result_free(result);
    free(result);
    testbed_point_free(&point);
    scenario_free(&scenario);
}

/* A switch that gives these answers, one per connection, and ends. */
static pid_t start_switch(const char *path, const char *const answers[2])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(listener, 2) == 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    for (int i = 0; pid == 0 && i < 2 && answers[i] != NULL; i++) {
        char request[64];
        int fd = accept(listener, NULL, NULL);
        if (read(fd, request, sizeof request) <= 0 || write(fd, answers[i], strlen(answers[i])) <= 0)
            _exit(1);
        close(fd);
    }
    if (pid == 0)
        _exit(0);
    close(listener);
    return pid;
}

#define PORTS                                                                                                          \
    "\"ports\": [{\"port\": 0, \"SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS\": 7, "                                        \
    "\"SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS\": 5, \"SAI_PORT_STAT_IN_DROPPED_PKTS\": 1, "                            \
    "\"discarded\": {\"unknown-destination\": 2, \"output-down\": 1, \"behind\": 3, \"no-mbuf\": 4}}]"
#define POOLS                                                                                                          \
    "\"pools\": [{\"size_bytes\": 100, \"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES\": {\"persistent\": 60}}, "              \
    "{\"size_bytes\": 100, \"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES\": {\"persistent\": 40}}]"
#define QUEUE                                                                                                          \
    "{\"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS\": 2, \"refused_by_reason\": {\"no-room\": 1, \"over-threshold\": 2, "  \
    "\"predicted\": 0, \"no-descriptor\": 0, \"too-large\": 0}, \"lost_by_cause\": {\"refused\": 3, \"pushout\": 1, "  \
    "\"expelled\": 5, \"dequeue\": 0, \"flushed\": 0}}"
#define STATUS "{\"ok\": true, \"late_max_s\": 2e-6}\n"

static void ask(const char *counters, const char *status, struct testbed_counters *out, const char *expected)
{
    char path[] = "/tmp/weir-testbed-switch-XXXXXX";
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *const answers[2] = {counters, status};
    int fd = mkstemp(path);
    close(fd);
    unlink(path);
    pid_t pid = start_switch(path, answers);
    bool asked = testbed_counters_ask(out, path, &error);
    waitpid(pid, NULL, 0);
    unlink(path);
    assert_int_equal(asked, expected == NULL);
    if (expected != NULL)
        assert_string_equal(ERROR_LINE(&error), expected);
}

static void ask__adds_up(void **state)
{
    (void)state;
    struct testbed_counters counters;
    ask("{\"ok\": true, \"queues\": [" QUEUE ", " QUEUE "], " PORTS ", " POOLS "}\n", STATUS, &counters, NULL);
    assert_int_equal(counters.losses.refused[WEIR_REASON_NO_ROOM], 2);
    assert_int_equal(counters.losses.lost[WEIR_CAUSE_EXPELLED], 10);
    assert_int_equal(counters.losses.lost[WEIR_CAUSE_REFUSED], 0);
    assert_int_equal(counters.losses.marked, 4);
    assert_int_equal(counters.hops, 12);
    assert_int_equal(counters.unroutable, 3);
    assert_int_equal(counters.taken, 7);
    assert_int_equal(counters.emulation.behind, 7);
    assert_int_equal(counters.emulation.late_ps, 2 * WEIR_PS_PER_US);
    assert_int_equal(counters.peak_bytes, 60);
}

/* Of the interfaces of the switch alone, and of what they received. */
static void arrived__adds_up(void **state)
{
    (void)state;
    static const char head[] = "Inter-|   Receive       |  Transmit\n face |bytes packets errs|bytes packets errs\n"
                               "    lo:     100      9    0     100      9    0\n";
    static const char ports[] = " port0:    1500     10    0    3000     20    0\n"
                                "port10: 9000000000 6000000000    0    3000     20    0\n";
    char path[] = "/tmp/weir-testbed-dev-XXXXXX";
    uint64_t frames;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, head, strlen(head)) == (ssize_t)strlen(head));
    assert_false(testbed_frames_arrived(path, &frames));
    assert_true(write(fd, ports, strlen(ports)) == (ssize_t)strlen(ports));
    close(fd);
    assert_true(testbed_frames_arrived(path, &frames));
    unlink(path);
    assert_int_equal(frames, 6000000010);
    assert_false(testbed_frames_arrived(path, &frames));
}

static void ask__takes_nothing_for_zero(void **state)
{
    (void)state;
    struct testbed_counters counters;
    ask("{\"ok\": true, \"queues\": [], " PORTS ", " POOLS "}\n", STATUS, &counters,
        "weir-switch: its counters have no queues");
    ask("{\"ok\": true, \"queues\": [{}], " PORTS ", " POOLS "}\n", STATUS, &counters,
        "weir-switch: its counters have no SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS");
    ask("{\"ok\": false, \"error\": \"busy\"}\n", NULL, &counters, "weir-switch: busy");
    ask("nonsense\n", NULL, &counters, "weir-switch: no answer at its control socket");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finish__joins_rows),
        cmocka_unit_test(finish__adds_timeouts_of_both),
        cmocka_unit_test(finish__joins_packets_of_udp),
        cmocka_unit_test(add__other_files),
        cmocka_unit_test(result__has_what_can_be_known),
        cmocka_unit_test(result__leaves_out_what_was_not_counted),
        cmocka_unit_test(arrived__adds_up),
        cmocka_unit_test(ask__adds_up),
        cmocka_unit_test(ask__takes_nothing_for_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_counters.c - counters of a made-up switch as JSON and as Prometheus text, and the heads of HTTP requests.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "switch/control/counters.h"
#include "switch/control/prometheus.h"

/* Two MMUs of one port each, two classes of which the second is lossless. */
static int make_snapshot(void **state)
{
    static struct switch_snapshot s;
    struct weir_mmu_config mmu;
    weir_mmu_config_init(&mmu, 1, 2, 1000);
    mmu.cell_bytes = 10;
    mmu.lossless_mask = 2;
    mmu.egress = weir_policy_find("dt");
    const struct dataplane_config config = {
        .ports = 2, .sw = {.ports = 2, .ports_per_mmu = 1, .mmu = &mmu}, .reaction_ps = 4 * WEIR_PS_PER_MS};
    if (!switch_snapshot_init(&s, &config))
        return -1;
    s.status = (struct dataplane_status){
        .up_ps = 1500 * WEIR_PS_PER_MS, .mbufs = 100, .mbufs_in_use = 7, .away_ps_max = 5000000000};
    s.port[1] = (struct dataplane_port_counters){
        .link_up = true, .device_missed_seen = true, .in_packets = 11, .out_bytes = 12};
    s.port[1].discarded[DATAPLANE_RUNT] = 3;
    s.port[1].discarded[DATAPLANE_GIANT] = 4;
    s.queue[2] = (struct weir_account_counters){.packets = 21, .dropped_packets = 9, .watermark_bytes = {1, 2, 3}};
    s.queue[2].refused_by_reason[WEIR_REASON_OVER_THRESHOLD] = 5;
    s.queue[2].dropped_by_cause[WEIR_CAUSE_REFUSED] = 5;
    s.queue[2].dropped_by_cause[WEIR_CAUSE_PUSHOUT] = 4;
    s.queue[3] = (struct weir_account_counters){.packets = 100, .dropped_packets = 4, .current_bytes = 40};
    s.queue[3].dropped_by_cause[WEIR_CAUSE_FLUSHED] = 1;
    s.threshold_bytes[2] = 777;
    s.group[7] = (struct weir_group_counters){.packets = 31, .pauses = 2, .headroom_watermark_bytes = {4, 5, 6}};
    s.pause[2] = (struct weir_pause_counters){.class_pauses = 6, .port_pauses = 8};
    s.pool[1] = (struct weir_pool_counters){.current_bytes = 41, .watermark_bytes = {42, 43, 44}};
    *state = &s;
    return 0;
}

static int free_snapshot(void **state)
{
    switch_snapshot_free(*state);
    return 0;
}

static json_int_t number(const json_t *list, size_t index, const char *name)
{
    const json_t *value = json_object_get(json_array_get(list, index), name);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static json_int_t inner(const json_t *list, size_t index, const char *name, const char *member)
{
    const json_t *value = json_object_get(json_object_get(json_array_get(list, index), name), member);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void switch_counters_json__all(void **state)
{
    const struct switch_request all = {.command = SWITCH_COUNTERS};
    json_t *reply = switch_counters_json(*state, &all);
    assert_true(json_is_true(json_object_get(reply, "ok")));
    const json_t *ports = json_object_get(reply, "ports"), *queues = json_object_get(reply, "queues");
    const json_t *groups = json_object_get(reply, "groups"), *pools = json_object_get(reply, "pools");
    assert_int_equal(json_array_size(ports), 2);
    assert_int_equal(number(ports, 1, "SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS"), 11);
    assert_int_equal(number(ports, 1, "SAI_PORT_STAT_IF_OUT_OCTETS"), 12);
    assert_int_equal(number(ports, 1, "SAI_PORT_STAT_IF_IN_DISCARDS"), 7);
    assert_true(json_is_false(json_object_get(json_array_get(ports, 0), "missed_counted")));
    assert_true(json_is_true(json_object_get(json_array_get(ports, 1), "missed_counted")));
    assert_int_equal(inner(ports, 1, "discarded", "giant"), 4);
    assert_int_equal(json_array_size(queues), 4);
    assert_int_equal(number(queues, 2, "port"), 1);
    assert_int_equal(number(queues, 2, "class"), 0);
    assert_int_equal(number(queues, 2, "SAI_QUEUE_STAT_PACKETS"), 21);
    assert_int_equal(number(queues, 2, "SAI_QUEUE_STAT_DROPPED_PACKETS"), 9);
    assert_int_equal(number(queues, 2, "threshold_bytes"), 777);
    assert_true(json_is_null(json_object_get(json_array_get(queues, 3), "threshold_bytes"))); /* lossless */
    assert_int_equal(inner(queues, 2, "SAI_QUEUE_STAT_WATERMARK_BYTES", "user"), 2);
    assert_int_equal(inner(queues, 2, "refused_by_reason", "over-threshold"), 5);
    assert_int_equal(inner(queues, 2, "lost_by_cause", "pushout"), 4);
    assert_int_equal(json_array_size(groups), 4); /* two MMUs, two inputs, one lossless class */
    assert_int_equal(number(groups, 3, "memory"), 1);
    assert_int_equal(number(groups, 3, "SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS"), 31);
    assert_int_equal(inner(groups, 3, "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES", "persistent"), 6);
    assert_int_equal(json_array_size(pools), 2);
    assert_int_equal(number(pools, 1, "size_bytes"), 10000);
    const json_t *inputs = json_object_get(reply, "inputs");
    assert_int_equal(json_array_size(inputs), 4); /* two MMUs, two inputs */
    assert_int_equal(number(inputs, 2, "memory"), 1);
    assert_int_equal(number(inputs, 2, "class_pauses"), 6);
    assert_int_equal(number(inputs, 2, "port_pauses"), 8);
    assert_int_equal(number(pools, 1, "SAI_BUFFER_POOL_STAT_CURR_OCCUPANCY_BYTES"), 41);
    json_decref(reply);
}

static void switch_counters_json__one_queue(void **state)
{
    const struct switch_request one = {
        .command = SWITCH_COUNTERS, .has_port = true, .port = 1, .has_class = true, .tc = 1};
    json_t *reply = switch_counters_json(*state, &one);
    assert_int_equal(json_array_size(json_object_get(reply, "ports")), 1);
    assert_int_equal(json_array_size(json_object_get(reply, "queues")), 1);
    assert_int_equal(number(json_object_get(reply, "queues"), 0, "SAI_QUEUE_STAT_PACKETS"), 100);
    assert_int_equal(json_array_size(json_object_get(reply, "groups")), 2);
    json_decref(reply);
}

static void switch_snapshot_totals__port_and_all(void **state)
{
    const struct switch_snapshot *s = *state;
    assert_int_equal(switch_snapshot_totals(s, 0).sent_packets, 0);
    assert_int_equal(switch_snapshot_totals(s, 1).sent_packets, 121);
    assert_int_equal(switch_snapshot_totals(s, 2).dropped_packets, 13);
    assert_int_equal(switch_snapshot_totals(s, 2).by_cause[WEIR_CAUSE_PUSHOUT], 4);
    assert_int_equal(switch_snapshot_discarded(s, 0), 0);
    assert_int_equal(switch_snapshot_discarded(s, 2), 7);
}

static void switch_http_response__metrics(void **state)
{
    size_t size;
    char *text = switch_http_response(200, *state, &size);
    static const char *const lines[] = {
        "HTTP/1.1 200 OK\r\n",
        "\r\n\r\n# HELP weir_port_in_packets_total Frames taken from the device.\n",
        "\n# TYPE weir_port_in_packets_total counter\nweir_port_in_packets_total{port=\"0\"} 0\n",
        "\nweir_port_in_packets_total{port=\"1\"} 11\n",
        "\nweir_queue_sent_packets_total{port=\"1\",class=\"0\"} 21\n",
        "\nweir_queue_dropped_packets_total{port=\"1\",class=\"0\",reason=\"over-threshold\"} 5\n",
        "\nweir_queue_dropped_packets_total{port=\"1\",class=\"0\",reason=\"pushout\"} 4\n",
        "\nweir_queue_watermark_bytes{port=\"1\",class=\"0\",view=\"persistent\"} 3\n",
        "\n# TYPE weir_queue_watermark_bytes gauge\n",
        "\nweir_queue_threshold_bytes{port=\"1\",class=\"0\"} 777\n",
        "\nweir_group_pauses_total{memory=\"1\",port=\"1\",class=\"1\"} 2\n",
        "\nweir_input_port_pauses_total{memory=\"1\",port=\"0\"} 8\n",
        "\nweir_pool_bytes{memory=\"1\"} 41\n",
        "\nweir_port_discarded_packets_total{port=\"1\",reason=\"runt\"} 3\n",
        "\nweir_port_link_up{port=\"1\"} 1\n",
        "\nweir_port_device_missed_counted{port=\"0\"} 0\nweir_port_device_missed_counted{port=\"1\"} 1\n",
        /* Queue 3 is the lossless one of port 1: four lost, of which its link took one. */
        "\nweir_lossless_lost_packets_total{port=\"0\",class=\"1\"} 0\n"
        "weir_lossless_lost_packets_total{port=\"1\",class=\"1\"} 3\n",
        "\nweir_reaction_seconds 0.004000\n",
        "\nweir_away_max_seconds 0.005000\n",
        "\nweir_mbufs_in_use 7\n",
        "\nweir_up_seconds 1.500\n",
    };
    assert_non_null(text);
    assert_int_equal(strlen(text), size);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("missing: %s", lines[i]);
    assert_null(strstr(text, "weir_queue_threshold_bytes{port=\"1\",class=\"1\"}"));
    assert_null(strstr(text, "class=\"0\"} 31"));    /* groups of lossy classes do not exist */
    assert_null(strstr(text, "reason=\"refused\"")); /* a refusal has its own reason */
    unsigned long announced = strtoul(strstr(text, "Content-Length: ") + strlen("Content-Length: "), NULL, 10);
    assert_int_equal(announced, strlen(strstr(text, "\r\n\r\n") + 4));
    free(text);
}

/* How often a line begins with these bytes. */
static uint32_t count_lines(const char *text, const char *begin, size_t length)
{
    uint32_t count = 0;
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n'), line += line != NULL)
        count += strncmp(line, begin, length) == 0;
    return count;
}

/* HELP, TYPE, then all values of the metric, each with labels of its own: as the text format wants it. */
static void check_line(const char *text, const char *line, char name[64])
{
    size_t end = strcspn(line, "\n"), labels = strcspn(line, " ");
    if (strncmp(line, "# HELP ", 7) == 0) {
        snprintf(name, 64, "%.*s", (int)strcspn(line + 7, " "), line + 7);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_int_equal(count_lines(text, line, 8 + strlen(name)), 1);
        assert_null(memchr(line, '\\', end));
    } else if (strncmp(line, "# TYPE ", 7) == 0) {
        bool total = strlen(name) > 6 && strcmp(name + strlen(name) - 6, "_total") == 0;
        char expected[128];
        snprintf(expected, sizeof expected, "# TYPE %s %s\n", name, total ? "counter" : "gauge");
        assert_memory_equal(line, expected, strlen(expected));
        assert_int_equal(count_lines(text, line, 8 + strlen(name)), 1);
    } else {
        assert_memory_equal(line, name, strlen(name));
        assert_true(line[strlen(name)] == '{' || line[strlen(name)] == ' ');
        assert_int_equal(count_lines(text, line, labels + 1), 1);
        assert_int_equal(strspn(line + labels + 1, "0123456789."), end - labels - 1);
    }
}

static void switch_http_response__is_the_text_format(void **state)
{
    size_t size;
    char *text = switch_http_response(200, *state, &size), name[64] = "";
    uint32_t lines = 0;
    const char *body = strstr(text, "\r\n\r\n") + 4;
    for (const char *line = body; *line != '\0'; line = strchr(line, '\n') + 1, lines++)
        check_line(body, line, name);
    assert_true(lines > 100);
    free(text);
}

static void switch_http_look__cases(void **state)
{
    static const struct {
        const char *head;
        uint32_t status;
    } cases[] = {
        {"", 0},
        {"GET /metrics HTTP/1.1\r\n", 0},
        {"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9100\r\n\r\n", 200},
        {"GET /metrics HTTP/1.1\r\nAccept: */*\r\nhost:\tLocalhost \r\n\r\n", 200},
        {"GET /metrics HTTP/1.0\r\n\r\n", 200},
        {"GET /metrics HTTP/1.0\r\nHost: a\r\n\r\n", 421},
        {"GET /metrics HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", 421},
        {"GET /metrics HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", 421},
        {"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\r\n\r\n", 421},
        {"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:80x\r\n\r\n", 421},
        {"GET /metrics HTTP/1.1\r\nHost:\r\n\r\n", 421},
        {"GET /metrics HTTP/1.1\r\n\r\n", 400},
        {"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400},
        {"GET /metrics?name=x HTTP/1.0\r\n\r\n", 200},
        {"GET / HTTP/1.0\r\n\r\n", 404},
        {"GET /metricsx HTTP/1.0\r\n\r\n", 404},
        {"GET /metric HTTP/1.0\r\n\r\n", 404},
        {"POST /metrics HTTP/1.0\r\n\r\n", 405},
        {"HEAD /metrics HTTP/1.0\r\n\r\n", 405},
        {"GET /metrics HTTP/1.1\n", 400}, /* no line of HTTP ends so, nothing that could follow makes it one */
        {"GET /metrics HTTP/1.0\rx", 400},
        {"GET /metrics HTTP/1.0\r", 0},
        {"GET /metrics\r\n\r\n", 400},
        {"GET HTTP/1.1\r\n\r\n", 400},
        {"GET /metrics HTTP/2.0\r\n\r\n", 400},
        {"GET /metrics HTTP/1.11\r\n\r\n", 400},
        {"\r\n\r\n", 400},
        {"   \r\n\r\n", 400},
        {" HTTP/1.1\r\n\r\n", 400},
    };
    char full[SWITCH_HTTP_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (switch_http_look(cases[i].head, strlen(cases[i].head)) != cases[i].status)
            fail_msg("%s", cases[i].head);
    memset(full, 'x', sizeof full);
    assert_int_equal(switch_http_look(full, sizeof full - 1), 0);
    assert_int_equal(switch_http_look(full, sizeof full), 400);
}

static void switch_http_response__errors(void **state)
{
    size_t size;
    char *text = switch_http_response(405, *state, &size);
    assert_non_null(strstr(text, "HTTP/1.1 405 Method Not Allowed\r\n"));
    assert_non_null(strstr(text, "\r\nAllow: GET\r\n"));
    assert_null(strstr(text, "weir_"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_counters_json__all),
        cmocka_unit_test(switch_counters_json__one_queue),
        cmocka_unit_test(switch_snapshot_totals__port_and_all),
        cmocka_unit_test(switch_http_response__metrics),
        cmocka_unit_test(switch_http_response__is_the_text_format),
        cmocka_unit_test(switch_http_look__cases),
        cmocka_unit_test(switch_http_response__errors),
    };
    return cmocka_run_group_tests(tests, make_snapshot, free_snapshot);
}

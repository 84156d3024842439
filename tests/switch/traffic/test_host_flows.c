/*
 * test_host_flows.c - what hosts of a testbed have to do: together exactly what the simulator sends, flow by
 * flow; and what only the simulator can do is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sim/transport/flow.h"
#include "switch/traffic/host_flows.h"
#include "tests/support/error_line.h"
#include "tests/support/scenario_text.h"

#define HOSTS 6u
#define TOP                                                                                                            \
    "until: 2ms\n"                                                                                                     \
    "topology: {kind: single, hosts: 6, rate: 10Gbps, delay: 1us}\n"                                                   \
    "switch: {buffer: 4MiB, classes: 4, policy: cs}\n"                                                                 \
    "transports: {bulk: {kind: dctcp, class: 1-3}, query: {kind: newreno}, udp: {kind: udp, poisson: yes}}\n"

static void check_flow(const struct host_flow *flow, const struct flow_record *record)
{
    assert_int_equal(flow->id, record->id);
    assert_int_equal(flow->source, record->source);
    assert_int_equal(flow->destination, record->destination);
    assert_int_equal(flow->traffic, record->traffic);
    assert_int_equal(flow->tag, record->tag);
    assert_int_equal(flow->group, record->group);
    assert_true(flow->bytes == record->bytes);
    assert_true(flow->start_ns == record->start_ps * 50 / 1000);
}

static void plan_make__flows_of_the_simulator(void **state)
{
    struct scenario scenario;
    struct weir_error error;
    struct host_flows plans[HOSTS];
    (void)state;
    scenario_from_text(&scenario,
                       TOP "traffic:\n"
                           "- {kind: poisson, transport: bulk, tag: background, sizes: websearch, load: 0.4}\n"
                           "- {kind: query, transport: query, tag: query, rate: 4000/s, fan_out: 4, bytes: 40KB}\n"
                           "- {kind: long, transport: bulk, tag: long, sources: h1, destinations: h0}\n");
    struct sim *sim = scenario_create(&scenario, &error);
    assert_non_null(sim);
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    const struct records *records = sim_records(sim);
    uint32_t asked = 0, answered = 0;
    for (uint32_t host = 0; host < HOSTS; host++) {
        assert_true(host_flows_make(&plans[host], &scenario, host, 50, &error));
        assert_true(plans[host].end_ns == 100000000);
        asked += plans[host].asked.count;
        answered += plans[host].answered.count;
    }
    assert_true(records->count > 20);
    assert_int_equal(asked, records->count);
    assert_int_equal(answered, records->count);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *record = &records->at[i];
        const struct host_flow *at_client = host_flow_find(&plans[record->destination].asked, record->id);
        const struct host_flow *at_server = host_flow_find(&plans[record->source].answered, record->id);
        assert_non_null(at_client);
        assert_non_null(at_server);
        check_flow(at_client, record);
        check_flow(at_server, record);
        assert_in_range(at_client->tc, record->traffic == 1 ? 0 : 1, record->traffic == 1 ? 0 : 3);
        assert_int_equal(at_client->tc, at_server->tc);
    }
    for (uint32_t host = 0; host < HOSTS; host++)
        host_flows_free(&plans[host]);
    sim_free(sim);
    scenario_free(&scenario);
}

/* Clients ask over their sockets anyway, so requests change nothing; spread answers are asked for in the order of their
 * starts; on-off flows are those of the simulator. */
static void plan_make__requests_spread_and_on_off(void **state)
{
    struct scenario scenario;
    struct weir_error error;
    struct host_flows plans[HOSTS];
    uint32_t asked = 0, waited = 0, out_of_order = 0;
    (void)state;
    scenario_from_text(&scenario,
                       TOP "traffic:\n"
                           "- {kind: query, transport: query, rate: 4000/s, fan_out: 4, bytes: 40KB, request: 100B,\n"
                           "   spread: 100us}\n"
                           "- {kind: on-off, transport: bulk, sources: h0-h2, destinations: h3-h5, on: 10us,\n"
                           "   off: 100us, rate: 8Gbps, long_share: 30%, long_on: 40us, long_rate: 2Gbps,\n"
                           "   long_transport: query, long_tag: lasting}\n");
    struct sim *sim = scenario_create(&scenario, &error);
    assert_non_null(sim);
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    const struct records *records = sim_records(sim);
    for (uint32_t host = 0; host < HOSTS; host++) {
        assert_true(host_flows_make(&plans[host], &scenario, host, 1, &error));
        for (uint32_t i = 1; i < plans[host].asked.count; i++) {
            const struct host_flow *flow = &plans[host].asked.at[i];
            assert_true(flow->start_ns >= flow[-1].start_ns);
            out_of_order += flow->id < flow[-1].id;
        }
        asked += plans[host].asked.count;
    }
    assert_true(out_of_order > 0);
    assert_true(records->count > 20 && records->count <= asked); /* requests may still be under way at the end */
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        const struct host_flow *flow = host_flow_find(&plans[r->source].answered, r->id);
        assert_non_null(flow);
        assert_int_equal(flow->destination, r->destination);
        assert_int_equal(flow->traffic, r->traffic);
        assert_int_equal(flow->tag, r->tag);
        assert_int_equal(flow->group, r->group);
        assert_true(flow->bytes == r->bytes);
        /* by the time that a request takes, which is more than the 4 us of two links */
        int64_t late_ns = r->start_ps / 1000 - flow->start_ns;
        if (r->traffic == 0)
            assert_true(late_ns >= 2000);
        else
            assert_int_equal(late_ns, 0);
        waited += r->traffic == 0;
    }
    assert_true(waited > 10);
    for (uint32_t host = 0; host < HOSTS; host++)
        host_flows_free(&plans[host]);
    sim_free(sim);
    scenario_free(&scenario);
}

static void plan_make__only_simulated(void **state)
{
    static const struct {
        const char *traffic, *message;
    } cases[] = {
        {"traffic: [{kind: all-to-all, transport: bulk, bytes: 1KB}]\n",
         "f:5:11: traffic whose flows follow from one another is only simulated (expected poisson, query, incast, "
         "bursts, long, on-off or list)"},
        {"traffic: [{kind: long, transport: query, sources: h1, destinations: h0},\n"
         "          {kind: long, transport: udp, sources: h1, destinations: h0}]\n",
         "f:6:11: transport udp is only simulated (expected newreno, cubic, dctcp or a steady udp)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct host_flows plan;
        char text[1024];
        snprintf(text, sizeof text, "%s%s", TOP, cases[i].traffic);
        scenario_from_text(&scenario, text);
        assert_false(host_flows_make(&plan, &scenario, 0, 1, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        host_flows_free(&plan);
        scenario_free(&scenario);
    }
}

static void plan_find__ends_and_gaps(void **state)
{
    struct host_flow flows[] = {{.id = 2}, {.id = 5}, {.id = 9}};
    const struct host_flow_list list = {flows, 3, 3}, empty = {NULL, 0, 0};
    (void)state;
    assert_ptr_equal(host_flow_find(&list, 2), &flows[0]);
    assert_ptr_equal(host_flow_find(&list, 5), &flows[1]);
    assert_ptr_equal(host_flow_find(&list, 9), &flows[2]);
    assert_null(host_flow_find(&list, 1));
    assert_null(host_flow_find(&list, 6));
    assert_null(host_flow_find(&list, 10));
    assert_null(host_flow_find(&empty, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_make__flows_of_the_simulator), cmocka_unit_test(plan_make__requests_spread_and_on_off),
        cmocka_unit_test(plan_make__only_simulated), cmocka_unit_test(plan_find__ends_and_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_summary.c - flows, groups and losses that are counted by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/summary.h"
#include "sim/transport/flow.h"

#define S WEIR_PS_PER_S
#define MS WEIR_PS_PER_MS

static const struct summary_filter everything = {.tag = SUMMARY_ANY, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};

/* traffic, tag, group, bytes, start, finish, ideal, timeouts, again; all else follows */
struct flow_row {
    uint32_t traffic, tag, group;
    int64_t bytes;
    weir_ps start_ps, finish_ps, ideal_ps;
    uint32_t timeouts, again;
};

static const struct flow_row rows[] = {
    {0, 0, FLOW_NO_GROUP, 1000, 1 * S, 3 * S, 1 * S, 0, 0},
    {0, 0, FLOW_NO_GROUP, 5000, 2 * S, 8 * S, 2 * S, 2, 3},
    {0, 0, FLOW_NO_GROUP, 900, 3 * S, WEIR_NEVER, 1 * S, 1, 1},
    {1, 1, 0, 100, 4 * S, 5 * S, S / 2, 0, 0},
    {2, 1, 0, 100, 4 * S, 6 * S, S / 2, 0, 1},
    {1, 1, 1, 300, 7 * S, 9 * S, S / 2, 0, 0},
    {1, 1, 0, 100, 4 * S, 7 * S, S / 4, 1, 0},
    {1, 1, 1, 300, 7 * S, WEIR_NEVER, S / 2, 1, 0},
    {2, 1, 0, 100, 5 * S, 8 * S, WEIR_NEVER, 0, 0},
};
#define ROWS (sizeof rows / sizeof rows[0])

static struct records records_of_rows(struct flow_record at[ROWS])
{
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct flow_row *row = &rows[i];
        at[i] = (struct flow_record){
            .id = i + 1,
            .traffic = row->traffic,
            .tag = row->tag,
            .group = row->group,
            .bytes = row->bytes,
            .delivered_bytes = row->finish_ps == WEIR_NEVER ? row->bytes / 2 : row->bytes,
            .start_ps = row->start_ps,
            .finish_ps = row->finish_ps,
            .ideal_ps = row->ideal_ps,
            .timeouts = row->timeouts,
            .again = row->again,
        };
    }
    return (struct records){.at = at, .count = ROWS, .room = ROWS};
}

static void flows__are_counted(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = everything;
    struct summary_flows out;
    (void)state;
    filter.tag = 0;
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.flows, 3);
    assert_int_equal(out.finished, 2);
    assert_int_equal(out.timeouts, 3);
    assert_int_equal(out.flows_with_timeouts, 2);
    assert_int_equal(out.again, 4);
    assert_int_equal(out.delivered_bytes, 6450);
    assert_true(out.fct_finished_ps.mean == 4.0 * S && out.fct_finished_ps.p50 == 2.0 * S &&
                out.fct_finished_ps.max == 6.0 * S);
    assert_true(out.slowdown_finished.count == 2 && out.slowdown_finished.min == 2 && out.slowdown_finished.max == 3);
    assert_true(out.goodput_bps == 6450 * 8 / 20.0); /* one is unfinished: until the end of the run */
}

/* Of tag 0 the third flow is 18 s old when the run ends; the others took 2 s and 6 s. */
static void flows__count_with_their_age(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = everything;
    struct summary_flows out;
    (void)state;
    filter.tag = 0;
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.unfinished, 1);
    assert_true(out.fct_ps.count == 2 && out.fct_ps.unfinished == 1 && out.fct_ps.known == 2);
    assert_true(out.fct_ps.p50 == 6.0 * S && out.fct_ps.p99 == 18.0 * S && out.fct_ps.max == 18.0 * S);
    assert_true(out.fct_ps.mean == 4.0 * S && out.fct_ps.bound_mean == 26.0 * S / 3);
    assert_true(out.slowdown.p50 == 3 && out.slowdown.p99 == 18 && out.slowdown.known == 2);
    at[2].bytes = FLOW_ENDLESS; /* has no end to miss */
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.unfinished, 0);
    assert_true(out.fct_ps.p99 == 6.0 * S && out.fct_ps.unfinished == 0);
}

/* Of tag 0 the second flow lost packets; of the groups of tag 1 those of traffic 1, number 0, and traffic 2. */
static void flows_and_groups__without_losses(void **state)
{
    static const struct traffic_settings traffic[3] = {{.kind = TRAFFIC_LIST}};
    static const struct topology topology = {.hosts = 4};
    static const struct sim_config config = {
        .wire = {100, 20, 20, 5}, .traffic = traffic, .traffic_count = 3, .topology = &topology};
    static const weir_bps rates[4] = {1000000, 1000000, 1000000, 1000000};
    const struct summary_network network = {&config, rates, 21 * S};
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = everything;
    struct summary_flows flows;
    struct summary_groups groups;
    (void)state;
    at[1].lost = 4;
    at[6].lost = at[4].lost = 1;
    filter.tag = 0;
    assert_true(summary_flows(&records, &filter, 21 * S, &flows));
    assert_int_equal(flows.lossless, 2);
    assert_int_equal(flows.lossless_bytes, 1900);
    at[2].bytes = FLOW_ENDLESS;
    assert_true(summary_flows(&records, &filter, 21 * S, &flows));
    assert_int_equal(flows.lossless, 2);
    assert_int_equal(flows.lossless_bytes, 1000);
    filter.tag = 1;
    assert_true(summary_groups(&records, &filter, &network, &groups));
    assert_int_equal(groups.groups, 3);
    assert_int_equal(groups.lossless, 1);
    assert_int_equal(groups.lossless_bytes, 600);
}

static void flows__hand_out_their_samples(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = everything;
    struct summary_flows out;
    struct summary_samples samples;
    (void)state;
    filter.tag = 0;
    assert_true(summary_flows_sampled(&records, &filter, 21 * S, &out, &samples));
    assert_int_equal(samples.time_count, 2);
    assert_true(samples.times[0] == 2.0 * S && samples.times[1] == 6.0 * S);
    assert_int_equal(samples.slowdown_count, 2);
    assert_true(samples.slowdowns[0] == 2 && samples.slowdowns[1] == 3);
    summary_samples_free(&samples);
}

static void flows__are_filtered(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = {.tag = SUMMARY_ANY, .min_bytes = 100, .max_bytes = 1000, .until_ps = 5 * S};
    struct summary_flows out;
    (void)state;
    filter.from_ps = 1 * S;
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.flows, 5); /* not the one of 5000 bytes, nor those that start at 5 s or later */
    filter.max_bytes = 999;
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.flows, 4);
    filter.from_ps = 5 * S;
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.flows + out.fct_ps.count, 0);
    assert_true(out.goodput_bps == 0);
}

/* An ideal that is not known gives a completion time and no slowdown. */
static void flows__may_have_no_ideal(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = everything;
    struct summary_flows out;
    (void)state;
    filter.from_ps = 5 * S;
    filter.until_ps = 6 * S;
    assert_true(summary_flows(&records, &filter, 21 * S, &out));
    assert_int_equal(out.finished, 1);
    assert_int_equal(out.fct_ps.count, 1);
    assert_int_equal(out.slowdown.count, 0);
}

/* 100 bytes of payload make a packet of 125 with its header and gap: 1 ms at 1 Mb/s. */
#define WIRE                                                                                                           \
    {                                                                                                                  \
        .mss_bytes = 100, .header_bytes = 20, .ack_bytes = 20, .gap_bytes = 5                                          \
    }
static const weir_bps host_bps[] = {1000000, 1000000, 1000000, 1000000};
static const struct topology four_hosts = {.hosts = 4};
static const struct traffic_settings queries[] = {
    {.kind = TRAFFIC_POISSON}, {.kind = TRAFFIC_QUERY}, {.kind = TRAFFIC_QUERY}};
static const struct sim_config query_config = {.topology = &four_hosts, .wire = WIRE, .traffic = queries};
static const struct summary_network query_network = {&query_config, host_bps, 21 * S};

/* Group 0 of traffic 1: 4 to 7 s. Its group 1 does not end. Group 0 of traffic 2: 4 to 8 s, its ideal is not known. */
static void groups__end_with_their_last_flow(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_groups out;
    (void)state;
    assert_true(summary_groups(&records, &everything, &query_network, &out));
    assert_int_equal(out.groups, 3);
    assert_int_equal(out.finished, 2);
    assert_int_equal(out.groups_with_timeouts, 2);
    assert_true(out.qct_finished_ps.count == 2 && out.qct_finished_ps.min == 3.0 * S &&
                out.qct_finished_ps.max == 4.0 * S);
    assert_int_equal(out.slowdown.count, 1);
    assert_int_equal(out.unfinished, 1); /* it began at 7 s, and the run ended at 21 s */
    assert_true(out.qct_ps.known == 2 && out.qct_ps.p50 == 4.0 * S && out.qct_ps.max == 14.0 * S);
}

/* Flows of 100, 100 and 150 bytes: 1, 1 and 1 + 0.6 ms on the receiver's link, the first at once. */
static void groups__have_an_ideal(void **state)
{
    struct flow_record at[] = {
        {.id = 1,
         .traffic = 1,
         .destination = 3,
         .bytes = 100,
         .finish_ps = 9 * MS,
         .ideal_ps = 2 * MS,
         .first_ps = 2 * MS},
        {.id = 2,
         .traffic = 1,
         .destination = 3,
         .bytes = 100,
         .finish_ps = 8 * MS,
         .ideal_ps = 5 * MS / 2,
         .first_ps = 5 * MS / 2},
        {.id = 3,
         .traffic = 1,
         .destination = 3,
         .bytes = 150,
         .finish_ps = 7 * MS,
         .ideal_ps = 3 * MS,
         .first_ps = 12 * MS / 5},
    };
    struct records records = {.at = at, .count = 3};
    struct summary_groups out;
    (void)state;
    assert_true(summary_groups(&records, &everything, &query_network, &out));
    assert_true(out.slowdown.count == 1 && out.slowdown.mean == 90.0 / 46);
    at[1].ideal_ps = at[1].first_ps = 6 * MS; /* no group is faster than the slowest of its flows */
    assert_true(summary_groups(&records, &everything, &query_network, &out));
    assert_true(out.slowdown.count == 1 && out.slowdown.mean == 9.0 / 6);
    records.count = 1; /* of a single flow it is the flow's own */
    assert_true(summary_groups(&records, &everything, &query_network, &out));
    assert_true(out.slowdown.count == 1 && out.slowdown.mean == 4.5);
    records.count = 3;
    at[1].destination = 2; /* which link? */
    assert_true(summary_groups(&records, &everything, &query_network, &out));
    assert_int_equal(out.finished, 1);
    assert_int_equal(out.slowdown.count, 0);
}

/* Senders at a quarter of the receiver's rate: 4 ms each, all at once; on the receiver's link 1 ms each. */
static void groups__of_slow_senders(void **state)
{
    static const weir_bps rates[] = {4000000, 1000000, 1000000, 1000000};
    const struct summary_network network = {&query_config, rates, 21 * S};
    struct flow_record at[6];
    struct records records = {.at = at};
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        at[i] = (struct flow_record){.id = i,
                                     .traffic = 1,
                                     .source = 1 + i % 3,
                                     .bytes = 400,
                                     .finish_ps = 9 * MS,
                                     .ideal_ps = 5 * MS,
                                     .first_ps = 5 * MS / 4};
    for (records.count = 1; records.count <= 6; records.count++) {
        struct summary_groups out;
        double ideal = records.count < 4 ? 5 : 1 + records.count;
        assert_true(summary_groups(&records, &everything, &network, &out));
        assert_true(out.slowdown.count == 1 && out.slowdown.mean == 9 / ideal);
    }
}

/* A round of a collective is finished when every flow it consists of was launched and is finished. */
static void groups__of_collectives_are_whole(void **state)
{
    static const uint32_t whole[] = {12, 6, 4, 1};
    struct flow_record at[12];
    (void)state;
    for (uint32_t c = 0; c < sizeof whole / sizeof whole[0]; c++) {
        for (uint32_t i = 0; i < 12; i++)
            at[i] = (struct flow_record){
                .id = i + 1, .group_flows = whole[c], .bytes = 100, .finish_ps = 5 * S, .ideal_ps = S};
        for (uint32_t count = 1; count <= whole[c]; count++) {
            struct records records = {.at = at, .count = count};
            struct summary_groups out;
            assert_true(summary_groups(&records, &everything, &query_network, &out));
            assert_int_equal(out.groups, 1);
            assert_int_equal(out.finished, count == whole[c]);
            assert_int_equal(out.qct_ps.count, out.finished);
        }
    }
}

/* The filter takes a group whole: by the sum of its bytes and its first start. */
static void groups__are_filtered_whole(void **state)
{
    struct flow_record at[ROWS];
    struct records records = records_of_rows(at);
    struct summary_filter filter = everything;
    struct summary_groups out;
    (void)state;
    filter.min_bytes = filter.max_bytes = 600;
    assert_true(summary_groups(&records, &filter, &query_network, &out));
    assert_int_equal(out.groups, 1);
    assert_int_equal(out.finished, 0);
    filter = everything;
    filter.from_ps = 5 * S;
    assert_true(summary_groups(&records, &filter, &query_network, &out));
    assert_int_equal(out.groups, 1);
    filter.tag = 0;
    assert_true(summary_groups(&records, &filter, &query_network, &out));
    assert_int_equal(out.groups, 0);
}

/* A group begins when it is asked for, before any of its flows. */
static void groups__begin_when_asked(void **state)
{
    struct flow_record at[2] = {
        {.id = 1, .bytes = 100, .start_ps = 3 * S, .wait_ps = 2 * S, .finish_ps = 4 * S, .ideal_ps = S},
        {.id = 2, .bytes = 100, .start_ps = 2 * S, .wait_ps = S, .finish_ps = 5 * S, .ideal_ps = S}};
    struct records records = {.at = at, .count = 2};
    struct summary_groups out;
    (void)state;
    assert_true(summary_groups(&records, &everything, &query_network, &out));
    assert_int_equal(out.finished, 1);
    assert_true(out.qct_ps.mean == 4.0 * S);
}

static void losses__are_summed(void **state)
{
    struct measure_losses queues[2][6] = {0};
    uint64_t marked[2][6] = {0};
    struct measure_switch sw[2];
    struct measure m = {.sw = sw, .switches = 2};
    struct summary_losses out;
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        sw[i] = (struct measure_switch){.ports = 3, .classes = 2, .queue = queues[i], .marked = marked[i]};
    queues[0][0].refused[WEIR_REASON_NO_ROOM] = 3;
    queues[1][5].refused[WEIR_REASON_NO_ROOM] = 4;
    queues[1][5].lost[WEIR_CAUSE_EXPELLED] = 5;
    marked[0][5] = 7;
    summary_losses(&m, SUMMARY_ANY, &out);
    assert_int_equal(out.refused[WEIR_REASON_NO_ROOM], 7);
    assert_int_equal(out.lost[WEIR_CAUSE_EXPELLED], 5);
    assert_int_equal(out.total, 12);
    assert_int_equal(out.marked, 7);
    summary_losses(&m, 0, &out);
    assert_int_equal(out.total, 3);
    summary_losses(&m, 1, &out);
    assert_int_equal(out.total, 9);
    assert_int_equal(out.marked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows__are_counted),
        cmocka_unit_test(flows__count_with_their_age),
        cmocka_unit_test(flows_and_groups__without_losses),
        cmocka_unit_test(flows__hand_out_their_samples),
        cmocka_unit_test(flows__are_filtered),
        cmocka_unit_test(flows__may_have_no_ideal),
        cmocka_unit_test(groups__end_with_their_last_flow),
        cmocka_unit_test(groups__have_an_ideal),
        cmocka_unit_test(groups__of_slow_senders),
        cmocka_unit_test(groups__of_collectives_are_whole),
        cmocka_unit_test(groups__are_filtered_whole),
        cmocka_unit_test(groups__begin_when_asked),
        cmocka_unit_test(losses__are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

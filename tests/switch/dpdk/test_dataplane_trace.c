/*
 * test_dataplane_trace.c - what the switch records is replayed by core and by the naive model with the same outcome of
 * every call, for every policy of the egress side; and the frames at the outside are those that the trace says.
 */
#include "tests/support/dataplane_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/forest/forest.h"
#include "lib/trace/outcome.h"
#include "tests/support/error_line.h"
#include "weir/oracle.h"
#include "weir/random.h"

#define PORTS 4u
#define CLASSES 2u
#define BUFFER 20000
#define FRAMES 3000u

/* Where a recording goes. */
struct sink {
    struct weir_trace trace;
    uint8_t buffer[WEIR_TRACE_BUFFER_MIN];
    uint8_t *bytes;
    size_t size, room;
};

static bool sink_flush(void *context, const uint8_t *bytes, size_t count)
{
    struct sink *sink = context;
    if (sink->size + count > sink->room) {
        sink->room = 2 * (sink->size + count);
        sink->bytes = realloc(sink->bytes, sink->room);
        if (!sink->bytes)
            return false;
    }
    memcpy(sink->bytes + sink->size, bytes, count);
    sink->size += count;
    return true;
}

static struct sink *sink_new(void)
{
    struct sink *sink = calloc(1, sizeof *sink);
    assert_non_null(sink);
    sink->trace = (struct weir_trace){
        .buffer = sink->buffer, .size = sizeof sink->buffer, .flush = sink_flush, .context = sink, .hash_every = 64};
    return sink;
}

static void sink_free(struct sink *sink)
{
    free(sink->bytes);
    free(sink);
}

/* For policies that ask: "lost" to one arrival in ten, or what a forest says. */
static struct weir_table_oracle table;
static const struct weir_oracle *oracle;

static void oracle_begin(void)
{
    weir_table_oracle_init(&table, NULL, 0, WEIR_Q16_ONE / 10, 1);
    oracle = &table.base;
}

/* Lost: queue > 3000 B and average of the buffer > 9000 B. */
static struct forest *forest_begin(void)
{
    const struct forest_node nodes[] = {{3000, 1, WEIR_FEATURE_QUEUE},
                                        {FOREST_LEAF_LIMIT, 1, 0},
                                        {500, 3, WEIR_FEATURE_BUFFER_AVERAGE},
                                        {FOREST_LEAF_LIMIT, 3, 0},
                                        {FOREST_LEAF_LIMIT, 4, 0}};
    struct forest *forest = forest_new(1, 5);
    assert_non_null(forest);
    memcpy(forest->node, nodes, sizeof nodes);
    for (uint32_t at = 0; at < 5; at++)
        forest->lean[at] = forest_is_leaf(&nodes[at]) ? forest_lean_of(at == 4) : 0;
    assert_true(forest_seal(forest, NULL));
    forest->base.about.digest = forest_digest(forest);
    oracle = &forest->base;
    return forest;
}

struct replayed {
    uint64_t arrivals, copies, accepted, predicted, departed[PORTS], lost, changes;
    weir_ps first_ps;
    struct weir_values values; /* of the egress policy, in the header */
};

struct comparison {
    struct weir_trace_reader reader;
    struct weir_record record;
    struct weir_trace_ports ports;
    struct replay_outcome recorded, core_says, naive_says;
};

static void compare_one(struct comparison *c, struct weir_mmu *mmu, struct weir_naive *naive, struct replayed *r)
{
    char event[OUTCOME_TEXT_MAX], text[OUTCOME_TEXT_MAX];
    outcome_from_record(&c->recorded, &c->record);
    outcome_from_core(&c->core_says, mmu, &c->record, r->arrivals);
    outcome_from_naive(&c->naive_says, naive, &c->record);
    outcome_format_event(event, &c->record);
    if (!outcome_equal(&c->recorded, &c->core_says)) {
        outcome_format(text, &c->core_says, c->record.kind, c->reader.config.ports);
        fail_msg("record %llu: %s: core says %s", (unsigned long long)c->reader.records, event, text);
    }
    if (!outcome_equal(&c->recorded, &c->naive_says)) {
        outcome_format(text, &c->naive_says, c->record.kind, c->reader.config.ports);
        fail_msg("record %llu: %s: the naive model says %s", (unsigned long long)c->reader.records, event, text);
    }
}

/* Replays a recording; what it was made of. */
static struct replayed compare(const struct sink *sink)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct replayed r = {.first_ps = WEIR_NEVER};
    struct comparison *c = calloc(1, sizeof *c);
    assert_non_null(c);
    if (!weir_trace_open(&c->reader, sink->bytes, sink->size, &c->ports, &error))
        fail_msg("%s", ERROR_LINE(&error));
    r.values = c->reader.egress_values;
    assert_int_equal(c->reader.oracle_about.digest, oracle->about.digest);
    c->reader.config.oracle = oracle;
    void *memory = aligned_alloc(64, weir_mmu_size(&c->reader.config));
    assert_non_null(memory);
    struct weir_mmu *mmu = weir_mmu_init(memory, &c->reader.config);
    struct weir_naive *naive = weir_naive_new(&c->reader.config);
    assert_non_null(naive);
    enum weir_trace_status status;
    while ((status = weir_trace_next(&c->reader, &c->record, &error)) == WEIR_TRACE_RECORD) {
        compare_one(c, mmu, naive, &r);
        r.arrivals += c->record.kind == WEIR_REC_ARRIVE;
        r.copies += c->record.kind == WEIR_REC_ARRIVE && c->record.packet.trimmed_from;
        r.accepted += c->record.kind == WEIR_REC_ARRIVE && c->record.accepted;
        r.predicted +=
            c->record.kind == WEIR_REC_ARRIVE && !c->record.accepted && c->record.reason == WEIR_REASON_PREDICTED;
        r.changes += c->record.kind == WEIR_REC_CHANGE;
        r.lost += c->record.lost_count;
        if (r.first_ps == WEIR_NEVER)
            r.first_ps = c->record.now;
        if (c->record.kind == WEIR_REC_DEPART && c->record.departed)
            r.departed[c->record.port.i]++;
    }
    if (status == WEIR_TRACE_BROKEN)
        fail_msg("%s", ERROR_LINE(&error));
    weir_naive_free(naive);
    free(memory);
    free(c);
    return r;
}

/* More than fits, to all ports and classes; port 1 gets the most. */
static void send_traffic(struct rig *rig, uint32_t seed)
{
    struct weir_random draws = weir_random_stream(seed, "frames");
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t input = weir_random_below(&draws, PORTS), to = weir_random_below(&draws, 2 * PORTS) + 1;
        rig_send(&(struct rig_frame){.input = input,
                                     .to = to > PORTS || to == input + 1 ? (input == 1 ? 1 : 2) : to,
                                     .bytes = 60 + weir_random_below(&draws, 1440),
                                     .tos = (uint8_t)(weir_random_below(&draws, CLASSES) << 5)});
        if (i % 64 == 0)
            rte_delay_us_sleep(100);
    }
    rig_settle(rig);
}

static void begin(struct rig *rig)
{
    static const struct dataplane_address known[] = {
        {{2, 0, 0, 0, 0, 1}, 0}, {{2, 0, 0, 0, 0, 2}, 1}, {{2, 0, 0, 0, 0, 3}, 2}, {{2, 0, 0, 0, 0, 4}, 3}};
    rig_config(rig, PORTS, CLASSES, BUFFER);
    rig->config.addresses = known;
    rig->config.address_count = 4;
    rig->mmu.rate_bps = 1000000000;
    rig->mmu.oracle = oracle;
    rig->mmu.scheduler.kind = WEIR_SCHED_DRR;
    rig->mmu.scheduler.quantum_bytes = 1500;
}

#define CUT_BYTES 128u
#define CUT_DSCP 46

/* Every kind of loss leaves a copy, which is marked. */
static void begin_trims(struct rig *rig)
{
    begin(rig);
    rig->mmu.trim[0] =
        (struct weir_trim){.bytes = CUT_BYTES, .to = {1}, .causes = WEIR_TRIM_CAUSES, .ecn = WEIR_TRIM_ECN_MARK};
    rig->config.trim_dscp[1] = CUT_DSCP;
}

/* What came out is whole, or cut at its end and nowhere else: lengths agree, and so does the checksum. */
static uint32_t expect_valid_frames(uint32_t output)
{
    uint32_t cut = 0;
    for (struct rte_mbuf *mbuf; (mbuf = rig_take(output)); mbuf_free(mbuf)) {
        const uint8_t *ip = rte_pktmbuf_mtod(mbuf, const uint8_t *) + 14;
        uint32_t length = rte_pktmbuf_pkt_len(mbuf), sum = 0;
        assert_int_equal(ip[2] << 8 | ip[3], length - 14);
        for (uint32_t i = 0; i < 20; i += 2)
            sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
        sum = (sum & 0xffff) + (sum >> 16);
        assert_int_equal(sum, 0xffff);
        cut += output == 1 && ip[1] >> 2 == CUT_DSCP;
        if (output == 1 && ip[1] >> 2 == CUT_DSCP) {
            assert_true(length <= CUT_BYTES);
            assert_int_equal(ip[1] & 3, ip[1] & 3 ? 3 : 0);
        }
    }
    return cut;
}

static struct replayed record_policy(const struct weir_policy *policy, bool pipeline, bool trims)
{
    struct rig rig;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (trims)
        begin_trims(&rig);
    else
        begin(&rig);
    if (pipeline && !rig_pipeline(&rig)) {
        print_message("skipped: the pipeline needs two processors\n");
        skip();
    }
    struct sink *sink = sink_new();
    rig_build(&rig, policy->name, NULL);
    assert_true(dataplane_trace_begin(rig.dp, 0, &sink->trace, 0, &error));
    assert_true(dataplane_start(rig.dp, &error));
    send_traffic(&rig, 1);
    assert_true(dataplane_trace_end(rig.dp, 0));
    struct replayed r = compare(sink);
    assert_int_equal(r.arrivals, FRAMES + r.copies);
    for (uint32_t p = 0; p < PORTS; p++)
        assert_int_equal(r.departed[p], rig_counters(&rig, p).out_packets);
    assert_true(r.accepted < FRAMES || r.lost > 0);
    if (trims) {
        assert_int_equal(rig_account(&rig, 1, 0).tx_trim_packets, expect_valid_frames(1));
        assert_true(r.copies > 0 && rig_account(&rig, 1, 0).trim_packets > 0);
        expect_valid_frames(0);
    }
    sink_free(sink);
    rig_end(&rig);
    return r;
}

static void record_all(bool pipeline, bool trims)
{
    for (uint32_t i = 0; i < weir_policy_count; i++)
        if (!(weir_policies[i]->needs & WEIR_NEED_INGRESS))
            record_policy(weir_policies[i], pipeline, trims);
}

static void trace__replays_with_trimming_and_frames_are_valid(void **state)
{
    (void)state;
    record_all(false, true);
    record_all(true, true);
}

static void trace__replays_for_every_policy(void **state)
{
    (void)state;
    record_all(false, false);
}

static void trace__replays_from_a_pipeline(void **state)
{
    (void)state;
    record_all(true, false);
}

/* The features that a forest sees are the MMU's own: core and the naive model ask it the same and get the same. The
 * trace says which forest it was. */
static void trace__replays_with_a_forest(void **state)
{
    (void)state;
    struct forest *forest = forest_begin();
    for (uint32_t pipeline = 0; pipeline < 2; pipeline++) {
        struct replayed r = record_policy(weir_policy_find("credence"), pipeline, false);
        assert_true(r.predicted > 0 && r.predicted < FRAMES);
    }
    oracle_begin();
    forest_free(forest);
}

/* A trace that begins while the switch runs starts from an empty memory; counters and watermarks go on. */
static void trace_begin__builds_the_memory_anew(void **state)
{
    struct rig rig;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sink *sink = sink_new();
    (void)state;
    begin(&rig);
    rig_start(&rig, "occamy", NULL);
    send_traffic(&rig, 1);
    struct weir_account_counters before = rig_account(&rig, 1, 0), after;
    struct weir_pool_counters pool_before, pool_after;
    dataplane_pool_counters(rig.dp, 0, &pool_before);
    assert_true(before.packets > 0 && before.watermark_bytes[WEIR_WM_USER] > 0);
    assert_true(dataplane_trace_begin(rig.dp, 0, &sink->trace, WEIR_PS_PER_S, &error));
    after = rig_account(&rig, 1, 0);
    dataplane_pool_counters(rig.dp, 0, &pool_after);
    assert_memory_equal(&after, &before, sizeof after);
    assert_memory_equal(&pool_after, &pool_before, sizeof pool_after);
    send_traffic(&rig, 2);
    assert_true(dataplane_trace_end(rig.dp, 0));
    struct replayed r = compare(sink);
    assert_int_equal(r.arrivals, FRAMES);
    assert_true(r.first_ps > 0);
    after = rig_account(&rig, 1, 0);
    assert_true(after.packets > before.packets);
    dataplane_clear_watermarks(rig.dp, WEIR_WM_USER);
    after = rig_account(&rig, 1, 0);
    assert_int_equal(after.watermark_bytes[WEIR_WM_USER], 0);
    assert_true(after.watermark_bytes[WEIR_WM_PERSISTENT] >= before.watermark_bytes[WEIR_WM_PERSISTENT]);
    sink_free(sink);
    rig_end(&rig);
}

/* With parameters that were changed before and during the trace. */
static void trace__has_the_values_in_force(void **state)
{
    struct rig rig;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sink *sink = sink_new();
    (void)state;
    begin(&rig);
    rig_start(&rig, "dt", "alpha=8");
    assert_true(weir_values_set(&rig.values, rig.mmu.egress, "alpha", "0.5", &error));
    dataplane_change(rig.dp, false, &rig.values);
    assert_true(dataplane_trace_begin(rig.dp, 0, &sink->trace, WEIR_PS_PER_S, &error));
    send_traffic(&rig, 1);
    assert_true(weir_values_set(&rig.values, rig.mmu.egress, "alpha", "2", &error));
    dataplane_change(rig.dp, false, &rig.values);
    send_traffic(&rig, 2);
    assert_true(dataplane_trace_end(rig.dp, 0));
    struct replayed r = compare(sink);
    assert_int_equal(r.arrivals, 2 * FRAMES);
    assert_int_equal(r.changes, 1);
    assert_int_equal(r.values.of[weir_param_find(rig.mmu.egress, "alpha")][0], WEIR_Q16_ONE / 2);
    sink_free(sink);
    rig_end(&rig);
}

static void trace_begin__refuses_what_cannot_be(void **state)
{
    const weir_bps rates[] = {1000000000, 1000000, 1000000000, 1000000000};
    struct rig rig;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sink *sink = sink_new(), *other = sink_new();
    (void)state;
    begin(&rig);
    rig.config.sw.rates_bps = rates;
    rig_start(&rig, "cs", NULL);
    assert_false(dataplane_trace_begin(rig.dp, 1, &sink->trace, 0, &error));
    assert_string_equal(ERROR_LINE(&error), "trace: no MMU 1 (expected 0 to 0)");
    for (uint32_t i = 0; i < 80; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = 1500});
    assert_true(rig_waits_for(1, 1)); /* seventy-nine are left, 12 ms each */
    assert_false(dataplane_trace_begin(rig.dp, 0, &sink->trace, 0, &error));
    assert_string_equal(ERROR_LINE(&error),
                        "trace: MMU 0 was never empty and unpaused in that time (try again under less load)");
    assert_true(dataplane_trace_begin(rig.dp, 0, &sink->trace, 10 * WEIR_PS_PER_S, &error));
    assert_false(dataplane_trace_begin(rig.dp, 0, &other->trace, 0, &error));
    assert_string_equal(ERROR_LINE(&error), "trace: MMU 0 is already being traced (stop that trace first)");
    assert_true(dataplane_trace_end(rig.dp, 0));
    assert_false(dataplane_trace_end(rig.dp, 0));
    sink_free(sink);
    sink_free(other);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace__replays_for_every_policy),
        cmocka_unit_test(trace__replays_from_a_pipeline),
        cmocka_unit_test(trace__replays_with_trimming_and_frames_are_valid),
        cmocka_unit_test(trace__replays_with_a_forest),
        cmocka_unit_test(trace_begin__builds_the_memory_anew),
        cmocka_unit_test(trace__has_the_values_in_force),
        cmocka_unit_test(trace_begin__refuses_what_cannot_be),
    };
    rig_begin();
    oracle_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rig_finish(failed);
}

/*
 * test_trace.c - what is written is read back: headers, random records, whole runs of an MMU; and the state hash.
 */
#include <stdio.h>

#include "tests/support/error_line.h"
#include "tests/support/fixture.h"
#include "tests/support/traces.h"
#include "weir/counters.h"

static const weir_bps unequal_rates[] = {1, 400000000000, INT64_MAX};
static const weir_bps input_rates[] = {10, 20, 30, 40, 50};
static const struct weir_uplink uplinks[] = {{77, 2000000, 1500, 64, 20, 3840},
                                             {0, 0, 1, 0, 0, 0},
                                             {WEIR_BUFFER_CELLS_MAX, WEIR_PS_PER_S, WEIR_PACKET_BYTES_MAX, 1, 2, 3},
                                             {77, 2000000, 1500, 65, 21, 3841},
                                             {78, 2000001, 1501, 64, 20, 3840}};

static void assert_same_uplinks(const struct weir_uplink *found)
{
    for (uint32_t i = 0; i < sizeof uplinks / sizeof uplinks[0]; i++) {
        assert_int_equal(found[i].headroom_cells, uplinks[i].headroom_cells);
        assert_int_equal(found[i].delay_ps, uplinks[i].delay_ps);
        assert_int_equal(found[i].mtu_bytes, uplinks[i].mtu_bytes);
        assert_int_equal(found[i].least_bytes, uplinks[i].least_bytes);
        assert_int_equal(found[i].gap_bytes, uplinks[i].gap_bytes);
        assert_int_equal(found[i].processing_bytes, uplinks[i].processing_bytes);
    }
}

/* A built MMU, for the hash of an END record. */
static void build_idle_mmu(struct fixture *f)
{
    fixture_config(f, 3, 2, 10000);
    fixture_build(f, "dt", NULL);
}

static void assert_same_config(struct weir_mmu_config *a, struct weir_mmu_config *b)
{
    assert_ptr_equal(a->egress, b->egress);
    assert_ptr_equal(a->ingress, b->ingress);
    a->rates_bps = b->rates_bps = a->input_rates_bps = b->input_rates_bps = NULL;
    a->uplinks = b->uplinks = NULL;
    a->egress_values = b->egress_values = a->ingress_values = b->ingress_values = NULL;
    assert_memory_equal(a, b, sizeof *a);
}

static void weir_trace_open__gives_the_config_back(void **unused)
{
    static struct weir_trace_reader reader;
    static struct weir_trace_ports ports;
    struct weir_mmu_config config;
    struct weir_values values;
    struct weir_random r = weir_random_stream(1, "config");
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    traces_config(&config, unequal_rates, &values);
    config.input_rates_bps = input_rates;
    config.uplinks = uplinks;
    traces_random_values(&r, config.egress, config.classes, &values);
    struct traces_sink *sink = traces_begin(&config);
    traces_spill(sink);
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, &ports, &error));
    assert_string_equal(ERROR_LINE(&error), "");
    assert_memory_equal(reader.config.rates_bps, unequal_rates, sizeof unequal_rates);
    assert_memory_equal(reader.config.input_rates_bps, input_rates, sizeof input_rates);
    assert_same_uplinks(reader.config.uplinks);
    assert_ptr_equal(reader.config.egress_values, &reader.egress_values);
    assert_memory_equal(&reader.egress_values, &values, sizeof values);
    weir_values_init(&values, config.ingress); /* none were given: the defaults */
    assert_ptr_equal(reader.config.ingress_values, &reader.ingress_values);
    assert_memory_equal(&reader.ingress_values, &values, sizeof values);
    assert_int_equal(reader.ports, 3);
    assert_int_equal(reader.classes, 2);
    assert_same_config(&config, &reader.config);
    traces_free(sink);
}

/* The least and the greatest that a header may say of each number; each class has its own, so that none is mixed up
 * with its neighbour. */
static void extreme_config(struct weir_mmu_config *config, bool greatest)
{
    *config = (struct weir_mmu_config){.ports = greatest ? WEIR_PORTS_MAX : 1,
                                       .inputs = greatest ? WEIR_PORTS_MAX : 0,
                                       .classes = greatest ? WEIR_CLASSES_MAX : 1,
                                       .cell_bytes = greatest ? UINT32_MAX : 1,
                                       .buffer_cells = greatest ? WEIR_BUFFER_CELLS_MAX : 1,
                                       .packets_max = greatest ? UINT32_MAX : 1,
                                       .evictions_max = greatest ? WEIR_TRACE_LOST_MAX : 1,
                                       .memory_cell_bytes = greatest ? UINT32_MAX : 1,
                                       .egress = weir_policy_find("dt")};
    if (!greatest)
        return;
    config->headroom_cells = WEIR_BUFFER_CELLS_MAX;
    config->rate_bps = config->memory_bps = INT64_MAX;
    config->uplink =
        (struct weir_uplink){WEIR_BUFFER_CELLS_MAX, WEIR_TIME_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    config->lossless_mask = config->memory_depth_cells = UINT32_MAX;
    config->scheduler.kind = (enum weir_scheduler_kind)(WEIR_SCHED_COUNT - 1);
    config->scheduler.quantum_bytes = config->scheduler.strict_from = UINT32_MAX;
    config->seed = UINT64_MAX;
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++) {
        config->private_cells[c] = config->ingress_private_cells[c] = WEIR_BUFFER_CELLS_MAX - c;
        config->scheduler.weight[c] = UINT32_MAX - c;
        config->marking[c].kind = WEIR_MARK_RED;
        config->marking[c].low_cells = config->marking[c].high_cells = INT64_MAX - c;
        config->marking[c].high_chance = WEIR_Q16_ONE - c;
        config->trim[c].bytes = WEIR_PACKET_BYTES_MAX - c;
        config->trim[c].to.i = WEIR_CLASSES_MAX - 1 - c;
        config->trim[c].causes = WEIR_TRIM_CAUSES;
        config->trim[c].ecn = WEIR_TRIM_ECN_COUNT - 1 - c % 2;
        config->trim[c].skips_ingress = c % 2 == 0;
    }
}

static void weir_trace_open__extremes(void **unused)
{
    static struct weir_trace_reader reader;
    static struct weir_trace_ports ports;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    for (int greatest = 0; greatest < 2; greatest++) {
        struct weir_mmu_config config;
        extreme_config(&config, greatest);
        struct traces_sink *sink = traces_begin(&config);
        traces_spill(sink);
        bool opened = weir_trace_open(&reader, sink->bytes, sink->size, &ports, &error);
        assert_string_equal(ERROR_LINE(&error), "");
        assert_true(opened);
        assert_same_config(&config, &reader.config);
        traces_free(sink);
    }
}

/* One beyond the greatest. */
static void weir_trace_open__beyond(void **unused)
{
    static const char *const names[] = {"evictions",       "scheduler",       "marking",          "marking chance",
                                        "bytes of a copy", "class of copies", "causes of copies", "ECN of copies"};
    static struct weir_trace_reader reader;
    static struct weir_trace_ports ports;
    (void)unused;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct weir_mmu_config config;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        char expected[64];
        uint32_t last = WEIR_CLASSES_MAX - 1;
        extreme_config(&config, true);
        config.evictions_max += i == 0;
        config.scheduler.kind = (enum weir_scheduler_kind)((uint32_t)config.scheduler.kind + (i == 1));
        config.marking[last].kind = (enum weir_marking_kind)((uint32_t)config.marking[last].kind + (i == 2));
        config.marking[last].high_chance = WEIR_Q16_ONE + (i == 3);
        config.trim[last].bytes = WEIR_PACKET_BYTES_MAX + (i == 4);
        config.trim[last].to.i = WEIR_CLASSES_MAX - 1 + (i == 5);
        config.trim[last].causes += i == 6;
        config.trim[last].ecn = WEIR_TRIM_ECN_COUNT - 1 + (i == 7);
        struct traces_sink *sink = traces_begin(&config);
        traces_spill(sink);
        assert_false(weir_trace_open(&reader, sink->bytes, sink->size, &ports, &error));
        snprintf(expected, sizeof expected, " %s: ", names[i]);
        if (strstr(ERROR_LINE(&error), expected) == NULL)
            fail_msg("expected '%s', got '%s'", names[i], ERROR_LINE(&error));
        traces_free(sink);
    }
}

/* Rates and uplinks that are given one by one but are all the common one need no memory of the reader. */
static void weir_trace_open__equal_rates_need_no_memory(void **unused)
{
    static struct weir_trace_reader reader;
    const weir_bps equal[] = {10000000000, 10000000000, 10000000000};
    const struct weir_uplink alike[] = {uplinks[0], uplinks[0], uplinks[0]};
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    traces_config(&config, equal, NULL);
    config.inputs = 0;
    config.uplinks = alike;
    config.ingress = NULL;
    struct traces_sink *sink = traces_begin(&config);
    traces_spill(sink);
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
    assert_null(reader.config.rates_bps);
    assert_null(reader.config.input_rates_bps);
    assert_null(reader.config.uplinks);
    assert_null(reader.config.ingress_values);
    assert_same_config(&config, &reader.config);
    traces_free(sink);
}

/* One number of one uplink is enough for all of them to be written. */
static void weir_trace_open__any_difference_of_uplinks(void **unused)
{
    static struct weir_trace_reader reader;
    static struct weir_trace_ports ports;
    (void)unused;
    for (uint32_t field = 0; field < 6; field++) {
        struct weir_uplink different[] = {uplinks[0], uplinks[0], uplinks[0]}, *last = &different[2];
        struct weir_mmu_config config;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        last->headroom_cells += field == 0;
        last->delay_ps += field == 1;
        last->mtu_bytes += field == 2;
        last->least_bytes += field == 3;
        last->gap_bytes += field == 4;
        last->processing_bytes += field == 5;
        traces_config(&config, NULL, NULL);
        config.inputs = 0;
        config.uplinks = different;
        struct traces_sink *sink = traces_begin(&config);
        traces_spill(sink);
        assert_true(weir_trace_open(&reader, sink->bytes, sink->size, &ports, &error));
        assert_non_null(reader.config.uplinks);
        assert_memory_equal(reader.config.uplinks, different, sizeof different);
        traces_free(sink);
    }
}

/* A header larger than the buffer, which is handed over in pieces. */
static void weir_trace_begin__many_ports(void **unused)
{
    static struct weir_trace_reader reader;
    static weir_bps given[WEIR_PORTS_MAX];
    static struct weir_trace_ports ports;
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    for (uint32_t i = 0; i < WEIR_PORTS_MAX; i++)
        given[i] = 1000000000 + i;
    traces_config(&config, given, NULL);
    config.ports = WEIR_PORTS_MAX;
    struct traces_sink *sink = traces_begin(&config);
    traces_spill(sink);
    assert_true(sink->calls > 4);
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, &ports, &error));
    assert_memory_equal(ports.rates_bps, given, sizeof given);
    traces_free(sink);
}

static void assert_same_record(const struct weir_record *a, const struct weir_record *b, uint64_t seed, uint64_t number)
{
    bool same = memcmp(a, b, offsetof(struct weir_record, values)) == 0 && a->lost_count == b->lost_count;
    same &= a->kind != WEIR_REC_CHANGE || memcmp(&a->values, &b->values, sizeof a->values) == 0;
    for (uint32_t i = 0; i < a->lost_count; i++)
        same &= a->lost[i].index == b->lost[i].index && weir_account_is(a->lost[i].account, b->lost[i].account) &&
                a->lost[i].cause == b->lost[i].cause && a->lost[i].handle == b->lost[i].handle;
    if (!same)
        print_message("seed %llu, record %llu of kind %d\n", (unsigned long long)seed, (unsigned long long)number,
                      (int)a->kind);
    assert_true(same);
}

static void round_trip(uint64_t seed, uint32_t records, const struct fixture *idle)
{
    static struct weir_trace_reader reader;
    static struct weir_record written, read;
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_random r = weir_random_stream(seed, "records");
    traces_config(&config, NULL, NULL);
    struct traces_sink *sink = traces_begin(&config);
    weir_ps now = 0;
    for (uint32_t i = 0; i < records; i++) {
        traces_random_record(&r, &config, now, &written);
        traces_write(&sink->trace, &written);
        now = written.now;
    }
    assert_true(weir_trace_end(&sink->trace, idle->mmu));
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
    r = weir_random_stream(seed, "records");
    for (uint32_t i = 0; i < records; i++) {
        traces_random_record(&r, &config, i == 0 ? 0 : now, &written);
        enum weir_trace_status status = weir_trace_next(&reader, &read, &error);
        if (status != WEIR_TRACE_RECORD)
            print_message("seed %llu, record %u: %s\n", (unsigned long long)seed, i, ERROR_LINE(&error));
        assert_int_equal(status, WEIR_TRACE_RECORD);
        assert_same_record(&written, &read, seed, i);
        now = read.now;
    }
    assert_int_equal(weir_trace_next(&reader, &read, &error), WEIR_TRACE_RECORD);
    assert_int_equal(read.kind, WEIR_REC_END);
    assert_int_equal(read.count, records);
    assert_int_equal(read.hash, weir_mmu_hash(idle->mmu));
    assert_int_equal(read.now, now);
    assert_int_equal(weir_trace_next(&reader, &read, &error), WEIR_TRACE_FINISHED);
    assert_int_equal(weir_trace_next(&reader, &read, &error), WEIR_TRACE_FINISHED);
    assert_int_equal(read.kind, WEIR_REC_END);
    traces_free(sink);
}

static void weir_trace_next__gives_random_records_back(void **unused)
{
    struct fixture idle;
    (void)unused;
    build_idle_mmu(&idle);
    for (uint64_t seed = 0; seed < 200; seed++)
        round_trip(seed, (uint32_t)seed, &idle);
    round_trip(1000, 5000, &idle); /* several buffers */
    fixture_free(&idle);
}

static void weir_trace_expel__leaves_out_offers_without_effect(void **unused)
{
    struct weir_mmu_config config;
    struct weir_effects effects = {0};
    (void)unused;
    traces_config(&config, NULL, NULL);
    struct traces_sink *sink = traces_begin(&config);
    weir_trace_expel(&sink->trace, 1000, &effects);
    assert_int_equal(sink->trace.records, 0);
    assert_int_equal(sink->trace.last_ps, 0);
    traces_free(sink);
}

/* A pause that is over, or was never one, resumes: it is read back as ending now. */
static void weir_trace_pause__resume(void **unused)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    traces_config(&config, NULL, NULL);
    struct traces_sink *sink = traces_begin(&config);
    weir_trace_pause(&sink->trace, (weir_port){2}, 3, INT64_MIN, 500);
    traces_spill(sink);
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
    assert_int_equal(weir_trace_next(&reader, &record, &error), WEIR_TRACE_RECORD);
    assert_int_equal(record.until, 500);
    traces_free(sink);
}

static void weir_trace_wants_hash__every_so_many_records(void **unused)
{
    static const uint64_t every[] = {0, 1, 3, UINT64_MAX};
    static const uint32_t expected[] = {0, 12, 4, 0};
    struct weir_mmu_config config;
    (void)unused;
    traces_config(&config, NULL, NULL);
    for (size_t i = 0; i < 4; i++) {
        struct traces_sink *sink = traces_begin(&config);
        uint32_t hashes = 0;
        sink->trace.hash_every = every[i];
        for (uint32_t record = 1; record <= 12; record++) {
            weir_trace_advance(&sink->trace, record);
            bool wanted = weir_trace_wants_hash(&sink->trace);
            assert_int_equal(wanted, expected[i] > 0 && record % every[i] == 0);
            if (wanted)
                weir_trace_hash(&sink->trace, record);
            assert_false(weir_trace_wants_hash(&sink->trace));
            hashes += wanted;
        }
        assert_int_equal(hashes, expected[i]);
        traces_free(sink);
    }
}

/* After a failed write nothing more is handed over, and the end reports it. */
static void weir_trace_end__reports_a_failed_write(void **unused)
{
    struct fixture idle;
    struct weir_mmu_config config;
    (void)unused;
    build_idle_mmu(&idle);
    traces_config(&config, NULL, NULL);
    for (uint32_t fail_at = 1; fail_at <= 3; fail_at++) {
        struct traces_sink *sink = traces_begin(&config);
        sink->fail_at = fail_at;
        for (uint32_t i = 0; i < 150000; i++)
            weir_trace_advance(&sink->trace, i);
        assert_false(weir_trace_end(&sink->trace, idle.mmu));
        assert_true(sink->trace.failed);
        assert_int_equal(sink->calls, fail_at);
        traces_free(sink);
    }
    fixture_free(&idle);
}

/* What an MMU records of itself, played into another one, gives the same outcomes and hashes. */
static void weir_mmu_set_trace__records_every_entry_point(void **unused)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    struct fixture first, second;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_random r = weir_random_stream(8, "mmu");
    uint32_t seen[WEIR_REC_KINDS] = {0};
    (void)unused;
    fixture_config(&first, 3, 2, 5000);
    fixture_build(&first, "lqd", NULL);
    struct traces_sink *sink = traces_begin(&first.config);
    sink->trace.hash_every = 7;
    weir_mmu_set_trace(first.mmu, &sink->trace);
    for (weir_ps now = 0; now < 3000; now++) {
        struct weir_packet packet = {
            .output.i = weir_random_below(&r, 3), .tc.i = weir_random_below(&r, 2), .bytes = 100};
        weir_mmu_arrive(first.mmu, &packet, now);
        if (now % 3 == 0)
            weir_mmu_depart(first.mmu, (weir_port){weir_random_below(&r, 3)}, now);
        if (now % 500 == 0)
            weir_mmu_flush(first.mmu, (weir_port){1}, now);
        if (now % 600 == 0)
            weir_mmu_flush_classes(first.mmu, (weir_port){2}, 2, now);
        if (now % 400 == 0)
            weir_mmu_pause_received(first.mmu, (weir_port){0}, 1, now + 100, now);
        if (now % 700 == 0)
            weir_mmu_advance(first.mmu, now);
    }
    assert_true(weir_trace_end(&sink->trace, first.mmu));
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
    fixture_config(&second, 3, 2, 5000);
    fixture_build(&second, "lqd", NULL);
    while (weir_trace_next(&reader, &record, &error) == WEIR_TRACE_RECORD) {
        const struct weir_effects *effects = NULL;
        seen[record.kind]++;
        if (record.kind == WEIR_REC_ARRIVE)
            effects = weir_mmu_arrive(second.mmu, &record.packet, record.now);
        else if (record.kind == WEIR_REC_DEPART)
            effects = weir_mmu_depart(second.mmu, record.port, record.now);
        else if (record.kind == WEIR_REC_FLUSH)
            effects = weir_mmu_flush_classes(second.mmu, record.port, record.class_mask, record.now);
        else if (record.kind == WEIR_REC_PAUSE)
            effects = weir_mmu_pause_received(second.mmu, record.port, record.class_mask, record.until, record.now);
        else if (record.kind == WEIR_REC_ADVANCE)
            effects = weir_mmu_advance(second.mmu, record.now);
        else
            assert_int_equal(weir_mmu_hash(second.mmu), record.hash);
        if (effects != NULL)
            assert_int_equal(effects->lost_count, record.lost_count);
        if (record.kind == WEIR_REC_ARRIVE)
            assert_int_equal(effects->accepted, record.accepted);
        if (record.kind == WEIR_REC_DEPART && record.departed)
            assert_int_equal(effects->departed_index, record.index);
    }
    assert_string_equal(ERROR_LINE(&error), "");
    assert_int_equal(seen[WEIR_REC_END], 1);
    assert_true(seen[WEIR_REC_ARRIVE] == 3000 && seen[WEIR_REC_DEPART] == 1000 && seen[WEIR_REC_FLUSH] == 11 &&
                seen[WEIR_REC_PAUSE] == 8 && seen[WEIR_REC_ADVANCE] == 5);
    assert_int_equal(seen[WEIR_REC_HASH], (3000 + 1000 + 11 + 8 + 5) / 7);
    traces_free(sink);
    fixture_free(&second);
    fixture_free(&first);
}

static uint64_t hash_of(const struct weir_pools *pools, weir_account account, uint32_t index, weir_cells cells)
{
    uint64_t hash = weir_state_hash_account(weir_state_hash_start(), account, cells);
    return weir_state_hash_finish(weir_state_hash_packet(hash, index, cells), pools);
}

/* Of a policy that looks at flows, and of no other, they are recorded: the same run again has the same hash. */
static void weir_mmu_set_trace__records_flows(void **unused)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    struct fixture first, second;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_random r = weir_random_stream(9, "flows");
    struct weir_flow sent[200];
    uint32_t count = 0;
    (void)unused;
    fixture_config(&first, 3, 2, 5000);
    first.config.gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    fixture_build(&first, "fab", "short=500B:entries=8:alpha=0.1");
    struct traces_sink *sink = traces_begin(&first.config);
    weir_mmu_set_trace(first.mmu, &sink->trace);
    for (uint32_t i = 0; i < 200; i++) {
        sent[i] =
            (struct weir_flow){weir_hash(1, weir_random_below(&r, 20)), (int64_t)weir_random_below(&r, 3) - 1, i % 64};
        first.flow = sent[i];
        fixture_send(&first, weir_random_below(&r, 3), 0, 1 + weir_random_below(&r, 200), i);
    }
    assert_true(weir_trace_end(&sink->trace, first.mmu));
    assert_int_equal(sink->bytes[strlen(WEIR_TRACE_MAGIC)], 4);

    fixture_config(&second, 3, 2, 5000);
    second.config.gives = first.config.gives;
    fixture_build(&second, "fab", "short=500B:entries=8:alpha=0.1");
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
    assert_int_equal(reader.config.gives, first.config.gives);
    assert_true(weir_mmu_config_check(&reader.config, &error));
    while (weir_trace_next(&reader, &record, &error) == WEIR_TRACE_RECORD && record.kind == WEIR_REC_ARRIVE) {
        assert_ptr_equal(record.packet.flow, &record.flow);
        assert_memory_equal(&record.flow.hash, &sent[count].hash, sizeof sent[count].hash);
        assert_int_equal(record.flow.bytes, sent[count].bytes);
        assert_int_equal(record.flow.dscp, sent[count++].dscp);
        const struct weir_effects *effects = weir_mmu_arrive(second.mmu, &record.packet, record.now);
        assert_int_equal(effects->accepted, record.accepted);
    }
    assert_int_equal(count, 200);
    assert_int_equal(weir_mmu_hash(first.mmu), weir_mmu_hash(second.mmu));
    assert_true(weir_mmu_flow_counters(first.mmu).evicted > 0);
    traces_free(sink);
    fixture_free(&second);
    fixture_free(&first);
}

static void weir_state_hash__depends_on_everything(void **unused)
{
    struct weir_pools base = {10, 20, 30}, used = {11, 20, 30}, shared = {10, 21, 30}, headroom = {10, 20, 31};
    uint64_t hash = hash_of(&base, (weir_account){1}, 2, 3);
    (void)unused;
    assert_true(hash == hash_of(&base, (weir_account){1}, 2, 3));
    assert_true(hash != hash_of(&used, (weir_account){1}, 2, 3));
    assert_true(hash != hash_of(&shared, (weir_account){1}, 2, 3));
    assert_true(hash != hash_of(&headroom, (weir_account){1}, 2, 3));
    assert_true(hash != hash_of(&base, (weir_account){2}, 2, 3));
    assert_true(hash != hash_of(&base, (weir_account){1}, 3, 3));
    assert_true(hash != hash_of(&base, (weir_account){1}, 2, 4));
    uint64_t start = weir_state_hash_start();
    assert_true(weir_state_hash_account(start, (weir_account){5}, 6) != weir_state_hash_packet(start, 5, 6));
    uint64_t ab = weir_state_hash_packet(weir_state_hash_packet(start, 1, 6), 2, 6);
    uint64_t ba = weir_state_hash_packet(weir_state_hash_packet(start, 2, 6), 1, 6);
    assert_true(ab != ba);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_trace_open__gives_the_config_back),
        cmocka_unit_test(weir_trace_open__extremes),
        cmocka_unit_test(weir_trace_open__beyond),
        cmocka_unit_test(weir_trace_open__equal_rates_need_no_memory),
        cmocka_unit_test(weir_trace_open__any_difference_of_uplinks),
        cmocka_unit_test(weir_trace_begin__many_ports),
        cmocka_unit_test(weir_trace_next__gives_random_records_back),
        cmocka_unit_test(weir_trace_expel__leaves_out_offers_without_effect),
        cmocka_unit_test(weir_trace_pause__resume),
        cmocka_unit_test(weir_trace_wants_hash__every_so_many_records),
        cmocka_unit_test(weir_trace_end__reports_a_failed_write),
        cmocka_unit_test(weir_mmu_set_trace__records_every_entry_point),
        cmocka_unit_test(weir_mmu_set_trace__records_flows),
        cmocka_unit_test(weir_state_hash__depends_on_everything),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}

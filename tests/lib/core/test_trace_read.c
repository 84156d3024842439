/*
 * test_trace_read.c - damaged traces: each fault is found, with its place, and nothing outside the bytes is touched.
 */
#include "tests/support/error_line.h"
#include "tests/support/fixture.h"
#include "tests/support/traces.h"
#include "weir/oracle.h"

#define IMAGE_RECORDS 24u
#define ALL_BUT_END ((1u << WEIR_REC_KINDS) - 2) /* kinds, as bits */

/* A small trace with every kind of record, in memory of exactly its size so that any overrun is seen. */
struct image {
    struct weir_mmu_config config;
    struct weir_values values;
    uint8_t *bytes;
    size_t size, header; /* of it, the header */
    struct fixture idle;
};

static const weir_bps unequal_rates[] = {100, 200, 300};

static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static const struct weir_uplink image_uplinks[] = {{77, 2000000, 1500, 64, 20, 3840},
                                                   {1000, 0, 9000, 1, 0, 0},
                                                   {0, 1, 64, 64, 255, 16384},
                                                   {5, 6, 7, 1, 2, 3},
                                                   {WEIR_BUFFER_CELLS_MAX, 2, 3, 3, 4, 5}};

/* With a headroom scheme, each input has its own uplink. */
static void image_build(struct image *image, const char *egress, const char *scheme)
{
    static struct weir_record record;
    struct weir_random r = weir_random_stream(4, "image");
    fixture_config(&image->idle, 3, 2, 10000);
    fixture_build(&image->idle, "dt", NULL);
    traces_config(&image->config, unequal_rates, &image->values);
    image->config.egress = weir_policy_find(egress);
    weir_values_init(&image->values, image->config.egress);
    if (scheme != NULL) {
        image->config.ingress = weir_policy_find(scheme);
        image->config.uplinks = image_uplinks;
    }
    struct traces_sink *sink = traces_begin(&image->config);
    image->header = sink->trace.used;
    weir_ps now = 0;
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < IMAGE_RECORDS || kinds != ALL_BUT_END; i++, now = record.now) {
        traces_random_record(&r, &image->config, now, &record);
        traces_write(&sink->trace, &record);
        kinds |= 1u << record.kind;
    }
    assert_true(weir_trace_end(&sink->trace, image->idle.mmu));
    image->bytes = exact_copy(sink->bytes, sink->size);
    image->size = sink->size;
    traces_free(sink);
}

static void image_free(struct image *image)
{
    free(image->bytes);
    fixture_free(&image->idle);
}

/* A record that was returned must be fit for an MMU of the header's configuration. */
static void assert_fit(const struct weir_trace_reader *reader, const struct weir_record *record, weir_ps before)
{
    const struct weir_mmu_config *config = &reader->config;
    assert_true(record->kind < WEIR_REC_KINDS && record->now >= before);
    assert_true(record->packet.output.i < config->ports && record->packet.tc.i < config->classes);
    assert_true(record->packet.input.i < (config->inputs ? config->inputs : config->ports) || config->ingress == NULL);
    assert_true(record->kind != WEIR_REC_ARRIVE || record->packet.bytes > 0);
    assert_true(record->port.i < config->ports && record->account.i < config->ports * config->classes);
    assert_true(record->reason < WEIR_REASON_COUNT && record->lost_count <= config->evictions_max);
    for (uint32_t i = 0; i < record->lost_count; i++)
        assert_true(record->lost[i].account.i < config->ports * config->classes &&
                    record->lost[i].cause < WEIR_CAUSE_COUNT && record->lost[i].cause != WEIR_CAUSE_REFUSED);
}

/*
 * Reads bytes to their end. What is read without complaint is written again and must give the same bytes, up to the
 * hash at the end: there is one way to write a trace. (An offer that expelled nothing may be read, but is not written.)
 */
static enum weir_trace_status read_all(const uint8_t *bytes, size_t size, const struct weir_mmu *idle)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    static struct weir_trace_ports ports;
    static struct weir_oracle oracle;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!weir_trace_open(&reader, bytes, size, &ports, &error)) {
        assert_true(strncmp(ERROR_LINE(&error), "byte ", 5) == 0 && reader.at <= size);
        return WEIR_TRACE_BROKEN;
    }
    oracle.about = reader.oracle_about;
    reader.config.oracle = reader.oracle ? &oracle : NULL;
    struct traces_sink *sink = traces_begin(&reader.config);
    enum weir_trace_status status;
    bool comparable = true;
    weir_ps before = 0;
    while ((status = weir_trace_next(&reader, &record, &error)) == WEIR_TRACE_RECORD && record.kind != WEIR_REC_END) {
        assert_fit(&reader, &record, before);
        before = record.now;
        comparable &= record.kind != WEIR_REC_EXPEL || record.lost_count > 0;
        traces_write(&sink->trace, &record);
    }
    if (status == WEIR_TRACE_RECORD) {
        assert_true(weir_trace_end(&sink->trace, idle));
        assert_int_equal(reader.next, size);
        assert_true(!comparable || (sink->size == size && memcmp(sink->bytes, bytes, size - 16) == 0));
        status = weir_trace_next(&reader, &record, &error);
    } else {
        assert_true(strncmp(ERROR_LINE(&error), "byte ", 5) == 0 && reader.at <= size);
        assert_int_equal(weir_trace_next(&reader, &record, &error), WEIR_TRACE_BROKEN); /* and stays so */
    }
    traces_free(sink);
    return status;
}

static void weir_trace_next__every_truncation_is_found(void **unused)
{
    struct image image;
    (void)unused;
    image_build(&image, "abm", "dsh");
    assert_int_equal(read_all(image.bytes, image.size, image.idle.mmu), WEIR_TRACE_FINISHED);
    for (size_t size = 0; size < image.size; size++) {
        uint8_t *cut = exact_copy(image.bytes, size);
        assert_int_equal(read_all(cut, size, image.idle.mmu), WEIR_TRACE_BROKEN);
        free(cut);
    }
    image_free(&image);
}

static void weir_trace_next__every_damaged_byte_is_survived(void **unused)
{
    struct image image;
    (void)unused;
    image_build(&image, "dt", "dsh");
    for (size_t at = 0; at < image.size; at++) {
        uint8_t good = image.bytes[at];
        for (uint32_t bad = 0; bad < 256; bad += at < image.header || bad < 8 ? 1 : 3) {
            image.bytes[at] = (uint8_t)bad;
            enum weir_trace_status status = read_all(image.bytes, image.size, image.idle.mmu);
            assert_int_equal(status, bad == good ? WEIR_TRACE_FINISHED : WEIR_TRACE_BROKEN);
        }
        image.bytes[at] = good;
    }
    image_free(&image);
}

/* One trailing byte, or an END that counts wrong. */
static void weir_trace_next__the_end_must_fit(void **unused)
{
    struct image image;
    (void)unused;
    image_build(&image, "abm", NULL);
    uint8_t *longer = malloc(image.size + 1);
    assert_non_null(longer);
    memcpy(longer, image.bytes, image.size);
    longer[image.size] = WEIR_REC_END;
    assert_int_equal(read_all(longer, image.size + 1, image.idle.mmu), WEIR_TRACE_BROKEN);
    longer[image.size - 9]++;
    assert_int_equal(read_all(longer, image.size, image.idle.mmu), WEIR_TRACE_BROKEN);
    free(longer);
    image_free(&image);
}

struct fault {
    const char *bytes;
    size_t count;
    uint32_t good;    /* records before the fault */
    size_t at;        /* where the fault is, from the end of the header */
    const char *text; /* in the message */
};
#define BYTES(text) text, sizeof(text) - 1

/* 3 ports, 5 inputs, 2 classes, at most 5 losses. Tags: arrive 1, depart 2, expel 3, pause 4, flush 5, advance 6. */
static const struct fault faults[] = {
    {BYTES(""), 0, 0, "the trace is cut short"},
    {BYTES("\x06\x00"), 1, 2, "the trace is cut short"},
    {BYTES("\x06"), 0, 1, "the trace is cut short"},
    {BYTES("\x09"), 0, 0, "0x09 is not the tag"},
    {BYTES("\x16\x00\x00"), 0, 0, "0x16 is not the tag"},
    {BYTES("\x18\x00"), 0, 0, "values for an ingress policy, but there is none"},
    {BYTES("\x06\x80\x00\x00"), 0, 1, "shortest form"},
    {BYTES("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00"), 0, 1, "more than 64 bits"},
    {BYTES("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00"), 0, 1, "more than 64 bits"},
    {BYTES("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"), 0, 1, "time since the record before"},
    {BYTES("\x06\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x06\x01"), 1, 11, "time since the record before"},
    {BYTES("\x21\x00\x00\x00\x00\x01\x00\x00"), 0, 0, "a refused packet is marked"},
    {BYTES("\x11\x00\x03\x00\x00\x01\x00"), 0, 2, "output port: 3 is out of range (0 to 2)"},
    {BYTES("\x11\x00\x02\xff\xff\xff\xff\x1f\x00\x01\x00"), 0, 3, "input port"},
    {BYTES("\x11\x00\x02\x04\x02\x01\x00"), 0, 4, "class: 2 is out of range (0 to 1)"},
    {BYTES("\x11\x00\x02\x04\x01\x00\x00"), 0, 5, "packet bytes: 0 is out of range"},
    {BYTES("\x01\x00\x02\x04\x01\x01\x06\x00"), 0, 6, "reason of a refusal: 6 is out of range (1 to 5)"},
    {BYTES("\x12\x00\x01\x06\x00\x00"), 0, 3, "account: 6 is out of range (0 to 5)"},
    {BYTES("\x12\x00\x01\x05\x00\x00"), 0, 3, "account 5 does not belong to port 1"},
    {BYTES("\x12\x00\x01\x04\xff\xff\xff\xff\x10\x00"), 0, 4, "packet index"},
    {BYTES("\x04\x05\x01\x03\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00"), 0, 4, "end of a pause"},
    {BYTES("\x04\x05\x03\x03\x00\x00"), 0, 2, "output port"},
    {BYTES("\x05\x05\x03\x00"), 0, 2, "output port"},
    {BYTES("\x05\x05\x02\x04\x00"), 0, 3, "class mask: 4 is out of range (0 to 3)"},
    {BYTES("\x03\x00\x06"), 0, 2, "number of lost packets: 6 is out of range (0 to 5)"},
    {BYTES("\x03\x00\x01\x00\x06\x01"), 0, 4, "account of a lost packet"},
    {BYTES("\x03\x00\x01\x00\x05\x00"), 0, 5, "cause of a loss: 0 is out of range (1 to 4)"},
    {BYTES("\x03\x00\x01\x00\x05\x05"), 0, 5, "cause of a loss: 5 is out of range (1 to 4)"},
    {BYTES("\x07\x01\x02\x03\x04\x05\x06\x07"), 0, 8, "the trace is cut short"},
    {BYTES("\x06\x00\x00\x02\x01\x02\x03\x04\x05\x06\x07\x08"), 1, 3, "number of records: 2 is out of range (1 to 1)"},
    {BYTES("\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x03\x04\x05\x06\x07\x08"), 0, 10,
     "checksum does not match"},
};

static void check_fault(const uint8_t *header, size_t header_size, const struct fault *fault)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint8_t *bytes = malloc(header_size + fault->count);
    assert_non_null(bytes);
    memcpy(bytes, header, header_size);
    memcpy(bytes + header_size, fault->bytes, fault->count);
    assert_true(weir_trace_open(&reader, bytes, header_size + fault->count, NULL, &error));
    for (uint32_t i = 0; i < fault->good; i++)
        assert_int_equal(weir_trace_next(&reader, &record, &error), WEIR_TRACE_RECORD);
    assert_int_equal(weir_trace_next(&reader, &record, &error), WEIR_TRACE_BROKEN);
    if (strstr(ERROR_LINE(&error), fault->text) == NULL || reader.at != header_size + fault->at)
        print_message("expected '%s' at %zu, got '%s' at %zu\n", fault->text, fault->at, ERROR_LINE(&error),
                      reader.at - header_size);
    assert_non_null(strstr(ERROR_LINE(&error), fault->text));
    assert_int_equal(reader.at, header_size + fault->at);
    free(bytes);
}

static void weir_trace_next__names_the_fault_and_its_place(void **unused)
{
    struct weir_mmu_config config;
    (void)unused;
    traces_config(&config, NULL, NULL);
    config.ingress = NULL;
    struct traces_sink *sink = traces_begin(&config);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        check_fault(sink->buffer, sink->trace.used, &faults[i]);
    traces_free(sink);
}

/* The values of a policy in a CHANGE record are checked against its descriptors. */
static void check_change(const char *policy, uint32_t param, int64_t value, bool good)
{
    static struct weir_trace_reader reader;
    static struct weir_record record;
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    traces_config(&config, NULL, NULL);
    config.egress = weir_policy_find(policy);
    struct traces_sink *sink = traces_begin(&config);
    weir_values_init(&record.values, config.egress);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        record.values.of[param][c] = value;
    weir_trace_change(&sink->trace, false, &record.values, 0);
    traces_spill(sink);
    assert_true(weir_trace_open(&reader, sink->bytes, sink->size, NULL, &error));
    enum weir_trace_status expected = good ? WEIR_TRACE_RECORD : WEIR_TRACE_BROKEN;
    assert_int_equal(weir_trace_next(&reader, &record, &error), expected);
    assert_true(!good || (record.values.of[param][0] == value && record.values.of[param][31] == value));
    assert_int_equal(strstr(ERROR_LINE(&error), config.egress->params[param].name) == NULL, good);
    traces_free(sink);
}

static uint32_t param_of(const char *policy, const char *name)
{
    int p = weir_param_find(weir_policy_find(policy), name);
    assert_true(p >= 0);
    return (uint32_t)p;
}

static void weir_trace_next__checks_new_values(void **unused)
{
    (void)unused;
    check_change("dt", 0, WEIR_Q16_ONE, true);
    check_change("dt", 0, 0, false);
    check_change("dt", 0, 4096 * WEIR_Q16_ONE + 1, false);
    check_change("dt", 0, WEIR_AUTO, false);
    check_change("smxq", param_of("smxq", "limit"), WEIR_AUTO, true);
    check_change("lqd", param_of("lqd", "remove"), 1, true);
    check_change("lqd", param_of("lqd", "remove"), 2, false);
    check_change("lqd", param_of("lqd", "remove"), -1, false);
    check_change("lqd", param_of("lqd", "priority"), 1, true);
    check_change("lqd", param_of("lqd", "priority"), 2, true);
    check_change("lqd", param_of("lqd", "priority"), 3, false);
}

static void assert_refused(uint8_t *bytes, size_t size, struct weir_trace_ports *ports, const char *expected)
{
    static struct weir_trace_reader reader;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_false(weir_trace_open(&reader, bytes, size, ports, &error));
    if (strstr(ERROR_LINE(&error), expected) == NULL)
        print_message("expected '%s', got '%s'\n", expected, ERROR_LINE(&error));
    assert_non_null(strstr(ERROR_LINE(&error), expected));
}

static size_t find_bytes(const struct traces_sink *sink, const char *text)
{
    for (size_t at = 0; at + strlen(text) <= sink->trace.used; at++)
        if (memcmp(sink->buffer + at, text, strlen(text)) == 0)
            return at;
    fail_msg("'%s' is not in the header", text);
    return 0;
}

static void weir_trace_open__names_the_fault(void **unused)
{
    struct weir_mmu_config config;
    (void)unused;
    traces_config(&config, NULL, NULL);
    config.egress = weir_policy_find("occamy");
    struct traces_sink *sink = traces_begin(&config);
    uint8_t *header = sink->buffer;
    size_t size = sink->trace.used, name = find_bytes(sink, "occamy"), param = find_bytes(sink, "alpha");
    assert_refused(header, 5, NULL, "byte 5: the trace is cut short");
    header[0] = 'W';
    assert_refused(header, size, NULL, "byte 0: this is not a trace");
    header[0] = 'w';
    header[8] = 1;
    assert_refused(header, size, NULL, "byte 8: format version: 1 is out of range (2 to 4)");
    header[8] = 2;
    header[9] = 0;
    assert_refused(header, size, NULL, "byte 9: ports: 0 is out of range (1 to 65535)");
    header[9] = 3;
    header[name + 5] = '\n';
    assert_refused(header, size, NULL, "policy 'occam?' is unknown to this build");
    header[name + 5] = 'y';
    header[name - 1] = 32;
    assert_refused(header, size, NULL, "length of a name: 32 is out of range (0 to 31)");
    header[name - 1] = 6;
    header[name + 6]++;
    assert_refused(header, size, NULL, "number of parameters");
    header[name + 6]--;
    header[param] = 'b';
    assert_refused(header, size, NULL, "parameter 'blpha' of policy occamy, where this build has 'alpha'");
    header[param] = 'a';
    header[size - 1] = 3;
    assert_refused(header, size, NULL, "presence of an oracle: 3 is out of range (0 to 2)");
    header[size - 1] = 2;
    assert_refused(header, size, NULL, "the trace is cut short");
    traces_free(sink);
}

/* Traces say which model answered; those that do not, as all did once, can be read. */
static void weir_trace_open__tells_the_oracle(void **unused)
{
    const struct weir_oracle_about abouts[] = {{0, 0, 0}, {UINT64_MAX, WEIR_Q16_ONE / 3, 77}, {1, 0, 0}};
    static struct weir_trace_reader reader;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_mmu_config config;
    (void)unused;
    traces_config(&config, NULL, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        const struct weir_oracle oracle = {.about = abouts[i]};
        config.oracle = &oracle;
        struct traces_sink *sink = traces_begin(&config);
        assert_true(weir_trace_open(&reader, sink->buffer, sink->trace.used, NULL, &error));
        assert_true(reader.oracle);
        assert_true(reader.oracle_about.digest == abouts[i].digest && reader.oracle_about.flip == abouts[i].flip &&
                    reader.oracle_about.seed == abouts[i].seed);
        assert_int_equal(reader.next, sink->trace.used);
        if (abouts[i].digest == 0)
            assert_int_equal(sink->buffer[sink->trace.used - 1], 1);
        traces_free(sink);
    }
}

static void weir_trace_open__refuses_what_it_has_no_memory_for(void **unused)
{
    static weir_bps given[WEIR_PORTS_MAX];
    static struct weir_trace_ports ports;
    struct weir_mmu_config config;
    (void)unused;
    for (uint32_t i = 0; i < WEIR_PORTS_MAX; i++)
        given[i] = 1 + i % 2;
    traces_config(&config, unequal_rates, NULL);
    struct traces_sink *sink = traces_begin(&config);
    assert_refused(sink->buffer, sink->trace.used, NULL, "unequal port rates, and no memory for 3 of them");
    traces_free(sink);
    config.input_rates_bps = given;
    config.inputs = WEIR_PORTS_MAX;
    sink = traces_begin(&config);
    traces_spill(sink);
    assert_refused(sink->bytes, sink->size, &ports, "unequal port rates, and no memory for 65535 of them");
    traces_free(sink);
    traces_config(&config, NULL, NULL);
    config.uplinks = image_uplinks;
    sink = traces_begin(&config);
    assert_refused(sink->buffer, sink->trace.used, NULL, "different uplinks, and no memory for 5 of them");
    traces_free(sink);
}

static void weir_trace_open__needs_an_egress_policy(void **unused)
{
    struct weir_mmu_config config;
    (void)unused;
    traces_config(&config, NULL, NULL);
    config.egress = NULL;
    struct traces_sink *sink = traces_begin(&config);
    assert_refused(sink->buffer, sink->trace.used, NULL, "there is no egress policy");
    traces_free(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_trace_next__every_truncation_is_found),
        cmocka_unit_test(weir_trace_next__every_damaged_byte_is_survived),
        cmocka_unit_test(weir_trace_next__the_end_must_fit),
        cmocka_unit_test(weir_trace_next__names_the_fault_and_its_place),
        cmocka_unit_test(weir_trace_next__checks_new_values),
        cmocka_unit_test(weir_trace_open__names_the_fault),
        cmocka_unit_test(weir_trace_open__tells_the_oracle),
        cmocka_unit_test(weir_trace_open__refuses_what_it_has_no_memory_for),
        cmocka_unit_test(weir_trace_open__needs_an_egress_policy),
    };
    return cmocka_run_group_tests_name("trace_read", tests, NULL, NULL);
}

/*
 * test_packet_arrivals.c - captures and traces become lists of packets; anything malformed is named by its byte offset.
 */
#include "tests/support/traces.h"

#include "sim/workload/address_map.h"
#include "sim/workload/packet_arrivals.h"
#include "tests/support/error_line.h"

/* A capture under construction. */
struct capture {
    uint8_t bytes[8192];
    size_t size;
    bool big_endian;
};

static void put(struct capture *capture, uint64_t value, uint32_t width, bool big_endian)
{
    for (uint32_t i = 0; i < width; i++)
        capture->bytes[capture->size++] = (uint8_t)(value >> 8 * (big_endian ? width - 1 - i : i));
}

static void put_header(struct capture *capture, uint32_t magic, bool big_endian)
{
    *capture = (struct capture){.big_endian = big_endian};
    put(capture, magic, 4, big_endian);
    put(capture, 2, 2, big_endian);
    put(capture, 4, 2, big_endian);
    put(capture, 0, 8, big_endian);
    put(capture, 65535, 4, big_endian);
    put(capture, 1, 4, big_endian);
}

struct frame {
    uint32_t seconds, fraction, original, captured;
    uint32_t vlans;
    uint32_t type;
    uint32_t traffic_class;
    uint64_t from, to; /* the low bits of the addresses */
};

static void put_frame(struct capture *capture, const struct frame *frame)
{
    put(capture, frame->seconds, 4, capture->big_endian);
    put(capture, frame->fraction, 4, capture->big_endian);
    put(capture, frame->captured, 4, capture->big_endian);
    put(capture, frame->original, 4, capture->big_endian);
    size_t start = capture->size;
    memset(capture->bytes + start, 0xee, frame->captured + 100);
    capture->size += 12;
    for (uint32_t i = 0; i < frame->vlans; i++)
        put(capture, i % 2 == 0 ? 0x88a80001 : 0x81000002, 4, true);
    put(capture, frame->type, 2, true);
    uint32_t address = frame->type == 0x86dd ? 16 : 4;
    put(capture, (frame->type == 0x86dd ? 0x600e : 0x4500) | frame->traffic_class << (frame->type == 0x86dd ? 4 : 0), 2,
        true);
    capture->size += address == 16 ? 6 : 10;
    for (uint32_t end = 0; end < 2; end++) {
        memset(capture->bytes + capture->size, 0x20, address - 4);
        capture->size += address - 4;
        put(capture, end == 0 ? frame->from : frame->to, 4, true);
    }
    capture->size = start + frame->captured;
}

static bool read_capture(struct packet_arrivals *arrivals, const struct capture *capture, uint32_t hosts,
                         struct weir_error *error)
{
    uint8_t *exact = malloc(capture->size > 0 ? capture->size : 1);
    memcpy(exact, capture->bytes, capture->size);
    static const uint8_t class_of[PACKET_DSCPS] = {[26] = 3, [48] = 6, [63] = 7};
    *arrivals = (struct packet_arrivals){.class_of_dscp = class_of};
    bool read = packet_arrivals_from_capture(arrivals, exact, capture->size, hosts, error);
    free(exact);
    return read;
}

static void packet_arrivals_from_capture__reads_every_variant(void **state)
{
    (void)state;
    static const struct frame frames[] = {
        {1700000000, 999999, 1514, 60, 0, 0x0800, 26 << 2 | 2, 1, 2},
        {1700000001, 5, 60, 60, 1, 0x86dd, 63 << 2 | 3, 3, 1},
        {1700000001, 5, 90, 90, 2, 0x86dd, 1 << 2, 3, 4},
        {1700000001, 4, 64, 64, 0, 0x0806, 0, 0, 0}, /* ARP */
        {1700000001, 6, 900, 33, 0, 0x0800, 0, 1, 2},
        {1700000000, 999998, 70, 70, 4, 0x0800, 48 << 2, 5, 2},
        {1700000001, 7, 99, 99, 5, 0x0800, 0, 5, 2},
        {1700000001, 7, 12, 12, 0, 0x0800, 0, 5, 2},
    };
    /* 1 and 2 are hosts 0, 1; 3 and 1 of IPv6 are others: 2, 3; 4: 4; 5: 5 mod 4 = 1, which is 2's host: the next sends
     */
    for (uint32_t variant = 0; variant < 4; variant++) {
        struct capture capture;
        put_header(&capture, variant & 1 ? 0xa1b23c4d : 0xa1b2c3d4, variant & 2);
        weir_ps unit = variant & 1 ? WEIR_PS_PER_NS : WEIR_PS_PER_US;
        weir_ps second = WEIR_PS_PER_S - 999998 * unit; /* from the earliest to the next second */
        for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
            put_frame(&capture, &frames[i]);
        const struct listed_packet expected[] = {{0, 2, 1, 70, 6, false},
                                                 {unit, 0, 1, 1514, 3, true},
                                                 {second + 5 * unit, 2, 3, 60, 7, true},
                                                 {second + 5 * unit, 2, 0, 90, 0, false}};
        struct packet_arrivals arrivals;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        if (!read_capture(&arrivals, &capture, 4, &error))
            fail_msg("variant %u: %s", variant, ERROR_LINE(&error));
        assert_int_equal(arrivals.count, 4);
        assert_int_equal(arrivals.not_ip, 2);
        assert_int_equal(arrivals.cut, 2);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(arrivals.at[i].start_ps, expected[i].start_ps);
            assert_int_equal(arrivals.at[i].source, expected[i].source);
            assert_int_equal(arrivals.at[i].destination, expected[i].destination);
            assert_int_equal(arrivals.at[i].bytes, expected[i].bytes);
            assert_int_equal(arrivals.at[i].tc, expected[i].tc);
            assert_int_equal(arrivals.at[i].ecn, expected[i].ecn);
        }
        packet_arrivals_free(&arrivals);
    }
}

static void packet_arrivals_from_capture__says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        size_t at, size; /* the byte changed; the size afterwards, 0: as it is */
        uint8_t value;
        const char *expected;
    } cases[] = {
        {0, 23, 0xd4, "byte 23: truncated dump file"},
        {0, 0, 0xd5, "unknown file format"},
        {4, 0, 3, "unsupported pcap savefile version 3.4"},
        {20, 0, 113, "byte 24: link type 113; only Ethernet (1) is understood"},
        {24, 39, 0, "byte 39: truncated dump file"},
        {24, 99, 0, "byte 99: truncated dump file"},
        {30, 0, 0x10, "the time of the packet is out of range"},
        {33, 0, 0x10, "truncated dump file"},
        {38, 0, 0x01, "byte 100: a packet of 67050 bytes; 1 to 65535 are possible"},
    };
    struct capture whole;
    const struct frame frame = {1700000000, 0, 1514, 60, 0, 0x0800, 0, 1, 2};
    put_header(&whole, 0xa1b2c3d4, false);
    put_frame(&whole, &frame);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct capture capture = whole;
        struct packet_arrivals arrivals;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        capture.bytes[cases[c].at] = cases[c].value;
        capture.size = cases[c].size > 0 ? cases[c].size : capture.size;
        assert_false(read_capture(&arrivals, &capture, 4, &error));
        if (!strstr(ERROR_LINE(&error), cases[c].expected))
            fail_msg("case %zu: %s", c, ERROR_LINE(&error));
        assert_null(arrivals.at);
    }
    struct packet_arrivals arrivals = {0};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct frame longer = {1700000000, 0, 59, 60, 0, 0x0800, 0, 1, 2}; /* more captured than there was */
    struct capture impossible;
    put_header(&impossible, 0xa1b2c3d4, false);
    put_frame(&impossible, &longer);
    assert_false(read_capture(&arrivals, &impossible, 4, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "60 bytes captured of a packet of 59"));
    assert_false(packet_arrivals_from_capture(&arrivals, whole.bytes, whole.size, 1, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "two hosts"));
}

/* A section, an interface with nanoseconds, one packet: what `tcpdump --nano -w` or Wireshark write. */
static void packet_arrivals_from_capture__reads_pcapng(void **state)
{
    (void)state;
    static const uint8_t begin[] =
        {
            0x0a, 0x0d, 0x0d, 0x0a, 28,   0,    0,    0,    0x4d, 0x3c, 0x2b, 0x1a, 1,  0, 0, 0, /* section */
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 28,   0,    0,    0,    1,  0, 0, 0,
            32,   0,    0,    0,    1,    0,    0,    0,    0,    0,    4,    0, /* interface: Ethernet */
            9,    0,    1,    0,    9,    0,    0,    0,    0,    0,    0,    0,    32, 0, 0, 0,
            6,    0,    0,    0,    68,   0,    0,    0,    0,    0,    0,    0,    1,  0, 0, 0,
            0,    0,    0,    0,    34,   0,    0,    0,    0xea, 5,    0,    0, /* packet: 34 of 1514 B */
        };
    uint8_t bytes[sizeof begin + 36 + 4] = {0};
    memcpy(bytes, begin, sizeof begin);
    uint8_t *frame = bytes + sizeof begin;
    frame[12] = 0x08;
    frame[14] = 0x45;
    frame[29] = 1;
    frame[33] = 2;
    bytes[sizeof bytes - 4] = 68;
    struct packet_arrivals arrivals = {0};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!packet_arrivals_from_capture(&arrivals, bytes, sizeof bytes, 4, &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(arrivals.count, 1);
    assert_int_equal(arrivals.at[0].bytes, 1514);
    assert_int_equal(arrivals.at[0].source, 0);
    assert_int_equal(arrivals.at[0].destination, 1);
    packet_arrivals_free(&arrivals);
}

/* Every beginning of a capture is either a shorter capture or cut short. */
static void packet_arrivals_from_capture__notices_every_cut(void **state)
{
    (void)state;
    struct capture whole;
    const struct frame frame = {1700000000, 0, 80, 80, 1, 0x86dd, 0, 1, 2};
    put_header(&whole, 0xa1b23c4d, true);
    for (uint32_t i = 0; i < 3; i++)
        put_frame(&whole, &frame);
    for (size_t size = 0; size <= whole.size; size++) {
        struct capture capture = whole;
        struct packet_arrivals arrivals;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        capture.size = size;
        bool complete = size >= 24 && (size - 24) % 96 == 0;
        assert_int_equal(read_capture(&arrivals, &capture, 4, &error), complete);
        assert_int_equal(arrivals.count, complete ? (size - 24) / 96 : 0);
        packet_arrivals_free(&arrivals);
    }
}

static void packet_arrivals_from_capture__bounds_the_span(void **state)
{
    (void)state;
    struct capture capture;
    struct frame frame = {0, 0, 80, 80, 0, 0x0800, 0, 1, 2};
    put_header(&capture, 0xa1b2c3d4, false);
    put_frame(&capture, &frame);
    frame.seconds = UINT32_MAX;
    put_frame(&capture, &frame);
    struct packet_arrivals arrivals;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_false(read_capture(&arrivals, &capture, 4, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "the packets span 4294967295 s"));
}

static void address_map_number__counts_in_order_of_appearance(void **state)
{
    (void)state;
    struct address_map map = {0};
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < 5000; i++) {
            uint32_t number;
            struct address address = {i % 2 ? i : 0, i % 2 ? 0 : i}; /* many share one half */
            assert_true(address_map_number(&map, address, &number));
            assert_int_equal(number, i);
        }
    }
    assert_int_equal(map.count, 5000);
    address_map_free(&map);
}

/* A trace with `count` arrivals; `forged`: an input port beyond the hosts in the last one. */
static struct traces_sink *make_trace(uint32_t count, bool forged)
{
    struct weir_mmu_config config;
    weir_mmu_config_init(&config, 4, 2, 10000);
    config.egress = weir_policy_find("dt");
    struct traces_sink *sink = traces_begin(&config);
    struct weir_mmu *mmu = weir_mmu_init(aligned_alloc(64, (weir_mmu_size(&config) + 63) / 64 * 64), &config);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_packet packet = {.handle = i,
                                     .output = {i % 4},
                                     .input = {forged && i + 1 == count ? 9 : i % 3},
                                     .tc = {i % 2},
                                     .bytes = 100 + i};
        weir_ps now = 1000 * (weir_ps)i;
        weir_trace_arrive(&sink->trace, &packet, now, weir_mmu_arrive(mmu, &packet, now));
        if (i % 2 == 1)
            weir_trace_depart(&sink->trace, (weir_port){i % 4}, now, weir_mmu_depart(mmu, (weir_port){i % 4}, now));
    }
    assert_true(weir_trace_end(&sink->trace, mmu));
    free(mmu);
    return sink;
}

static void packet_arrivals_from_trace__lists_every_arrival(void **state)
{
    (void)state;
    struct traces_sink *sink = make_trace(200, false);
    struct packet_arrivals arrivals = {0};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!packet_arrivals_from_trace(&arrivals, sink->bytes, sink->size, 4, &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_int_equal(arrivals.count, 200);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t from = i % 3, to = i % 4;
        assert_int_equal(arrivals.at[i].start_ps, 1000 * (weir_ps)i);
        assert_int_equal(arrivals.at[i].source, from == to ? from + 1 : from);
        assert_int_equal(arrivals.at[i].destination, to);
        assert_int_equal(arrivals.at[i].bytes, 100 + i);
        assert_int_equal(arrivals.at[i].tc, i % 2);
    }
    packet_arrivals_free(&arrivals);
    traces_free(sink);
}

static void packet_arrivals_from_trace__says_where_and_what(void **state)
{
    (void)state;
    struct traces_sink *sink = make_trace(20, false), *forged = make_trace(20, true);
    const struct {
        struct traces_sink *sink;
        size_t size;
        uint32_t hosts;
        const char *expected;
    } cases[] = {
        {sink, sink->size, 3, "a packet from port 0 to port 3, there are 3 hosts"},
        {forged, forged->size, 4, "a packet from port 9 to port 3, there are 4 hosts"},
        {sink, sink->size - 1, 4, "byte"},
        {sink, 5, 4, "byte"},
        {sink, sink->size, 1, "two hosts"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct packet_arrivals arrivals = {0};
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_false(
            packet_arrivals_from_trace(&arrivals, cases[c].sink->bytes, cases[c].size, cases[c].hosts, &error));
        if (!strstr(ERROR_LINE(&error), cases[c].expected))
            fail_msg("case %zu: %s", c, ERROR_LINE(&error));
        assert_null(arrivals.at);
    }
    traces_free(sink);
    traces_free(forged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packet_arrivals_from_capture__reads_every_variant),
        cmocka_unit_test(packet_arrivals_from_capture__says_where_and_what),
        cmocka_unit_test(packet_arrivals_from_capture__reads_pcapng),
        cmocka_unit_test(packet_arrivals_from_capture__notices_every_cut),
        cmocka_unit_test(packet_arrivals_from_capture__bounds_the_span),
        cmocka_unit_test(address_map_number__counts_in_order_of_appearance),
        cmocka_unit_test(packet_arrivals_from_trace__lists_every_arrival),
        cmocka_unit_test(packet_arrivals_from_trace__says_where_and_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

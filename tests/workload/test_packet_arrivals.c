/*
 * test_packet_arrivals.c - captures and traces become lists of packets; anything malformed is named by its byte offset.
 */
#include "tests/support/traces.h"

#include "workload/address_map.h"
#include "workload/packet_arrivals.h"

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
    put(capture, frame->type == 0x86dd ? 0x60 : 0x45, 1, true);
    capture->size += address == 16 ? 7 : 11;
    for (uint32_t end = 0; end < 2; end++) {
        memset(capture->bytes + capture->size, 0x20, address - 4);
        capture->size += address - 4;
        put(capture, end == 0 ? frame->from : frame->to, 4, true);
    }
    capture->size = start + frame->captured;
}

static bool read_capture(struct packet_arrivals *arrivals, const struct capture *capture, uint32_t hosts,
                         char message[WEIR_MESSAGE_MAX])
{
    uint8_t *exact = malloc(capture->size > 0 ? capture->size : 1);
    memcpy(exact, capture->bytes, capture->size);
    *arrivals = (struct packet_arrivals){0};
    bool read = packet_arrivals_from_pcap(arrivals, exact, capture->size, hosts, message);
    free(exact);
    return read;
}

static void packet_arrivals_from_pcap__reads_every_variant(void **state)
{
    (void)state;
    static const struct frame frames[] = {
        {1700000000, 999999, 1514, 60, 0, 0x0800, 1, 2}, {1700000001, 5, 60, 60, 1, 0x86dd, 3, 1},
        {1700000001, 5, 90, 90, 2, 0x86dd, 3, 4},        {1700000001, 4, 64, 64, 0, 0x0806, 0, 0}, /* ARP */
        {1700000001, 6, 900, 33, 0, 0x0800, 1, 2},       {1700000000, 999998, 70, 70, 4, 0x0800, 5, 2},
        {1700000001, 7, 99, 99, 5, 0x0800, 5, 2},        {1700000001, 7, 12, 12, 0, 0x0800, 5, 2},
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
        const struct listed_packet expected[] = {{0, 2, 1, 70, 0},
                                                 {unit, 0, 1, 1514, 0},
                                                 {second + 5 * unit, 2, 3, 60, 0},
                                                 {second + 5 * unit, 2, 0, 90, 0}};
        struct packet_arrivals arrivals;
        char message[WEIR_MESSAGE_MAX] = "";
        if (!read_capture(&arrivals, &capture, 4, message))
            fail_msg("variant %u: %s", variant, message);
        assert_int_equal(arrivals.count, 4);
        assert_int_equal(arrivals.not_ip, 2);
        assert_int_equal(arrivals.cut, 2);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(arrivals.at[i].start_ps, expected[i].start_ps);
            assert_int_equal(arrivals.at[i].source, expected[i].source);
            assert_int_equal(arrivals.at[i].destination, expected[i].destination);
            assert_int_equal(arrivals.at[i].bytes, expected[i].bytes);
            assert_int_equal(arrivals.at[i].tc, 0);
        }
        packet_arrivals_free(&arrivals);
    }
}

static void packet_arrivals_from_pcap__says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        size_t at, size; /* the byte changed; the size afterwards, 0: as it is */
        uint8_t value;
        const char *expected;
    } cases[] = {
        {0, 23, 0xd4, "byte 23: a pcap file begins with 24 bytes of header, there are 23"},
        {0, 0, 0xd5, "byte 0: 0xd5c3b2a1 is not the magic number of a pcap file"},
        {4, 0, 3, "byte 4: expected version 2.4"},
        {20, 0, 113, "byte 20: link type 113; only Ethernet (1) is understood"},
        {24, 39, 0, "byte 24: cut short: 15 bytes are left of a packet header of 16"},
        {24, 99, 0, "byte 40: cut short: 59 bytes are left of a packet of 60"},
        {30, 0, 0x10, "byte 28: 1048576 fractions of a second; there are 1000000 in one"},
        {33, 0, 0x10, "byte 32: 4156 bytes captured of a packet of 1514"},
        {38, 0, 0x01, "byte 36: a packet of 67050 bytes; 1 to 65535 are possible"},
    };
    struct capture whole;
    const struct frame frame = {1700000000, 0, 1514, 60, 0, 0x0800, 1, 2};
    put_header(&whole, 0xa1b2c3d4, false);
    put_frame(&whole, &frame);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct capture capture = whole;
        struct packet_arrivals arrivals;
        char message[WEIR_MESSAGE_MAX] = "";
        capture.bytes[cases[c].at] = cases[c].value;
        capture.size = cases[c].size > 0 ? cases[c].size : capture.size;
        assert_false(read_capture(&arrivals, &capture, 4, message));
        if (!strstr(message, cases[c].expected))
            fail_msg("case %zu: %s", c, message);
        assert_null(arrivals.at);
    }
    static const uint8_t pcapng[24] = {0x0a, 0x0d, 0x0d, 0x0a};
    struct packet_arrivals arrivals = {0};
    char message[WEIR_MESSAGE_MAX] = "";
    assert_false(packet_arrivals_from_pcap(&arrivals, pcapng, sizeof pcapng, 4, message));
    assert_non_null(strstr(message, "pcapng"));
    assert_false(packet_arrivals_from_pcap(&arrivals, whole.bytes, whole.size, 1, message));
    assert_non_null(strstr(message, "two hosts"));
}

/* Every beginning of a capture is either a shorter capture or cut short. */
static void packet_arrivals_from_pcap__notices_every_cut(void **state)
{
    (void)state;
    struct capture whole;
    const struct frame frame = {1700000000, 0, 80, 80, 1, 0x86dd, 1, 2};
    put_header(&whole, 0xa1b23c4d, true);
    for (uint32_t i = 0; i < 3; i++)
        put_frame(&whole, &frame);
    for (size_t size = 0; size <= whole.size; size++) {
        struct capture capture = whole;
        struct packet_arrivals arrivals;
        char message[WEIR_MESSAGE_MAX] = "";
        capture.size = size;
        bool complete = size >= 24 && (size - 24) % 96 == 0;
        assert_int_equal(read_capture(&arrivals, &capture, 4, message), complete);
        assert_int_equal(arrivals.count, complete ? (size - 24) / 96 : 0);
        packet_arrivals_free(&arrivals);
    }
}

static void packet_arrivals_from_pcap__bounds_the_span(void **state)
{
    (void)state;
    struct capture capture;
    struct frame frame = {0, 0, 80, 80, 0, 0x0800, 1, 2};
    put_header(&capture, 0xa1b2c3d4, false);
    put_frame(&capture, &frame);
    frame.seconds = UINT32_MAX;
    put_frame(&capture, &frame);
    struct packet_arrivals arrivals;
    char message[WEIR_MESSAGE_MAX] = "";
    assert_false(read_capture(&arrivals, &capture, 4, message));
    assert_non_null(strstr(message, "the packets span 4294967295 s"));
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
    char message[WEIR_MESSAGE_MAX] = "";
    if (!packet_arrivals_from_trace(&arrivals, sink->bytes, sink->size, 4, message))
        fail_msg("%s", message);
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
        char message[WEIR_MESSAGE_MAX] = "";
        assert_false(
            packet_arrivals_from_trace(&arrivals, cases[c].sink->bytes, cases[c].size, cases[c].hosts, message));
        if (!strstr(message, cases[c].expected))
            fail_msg("case %zu: %s", c, message);
        assert_null(arrivals.at);
    }
    traces_free(sink);
    traces_free(forged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packet_arrivals_from_pcap__reads_every_variant),
        cmocka_unit_test(packet_arrivals_from_pcap__says_where_and_what),
        cmocka_unit_test(packet_arrivals_from_pcap__notices_every_cut),
        cmocka_unit_test(packet_arrivals_from_pcap__bounds_the_span),
        cmocka_unit_test(address_map_number__counts_in_order_of_appearance),
        cmocka_unit_test(packet_arrivals_from_trace__lists_every_arrival),
        cmocka_unit_test(packet_arrivals_from_trace__says_where_and_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

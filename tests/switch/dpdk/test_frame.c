/* test_frame.c - frames of every kind, and random ones against the slow parser of slow_frame.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/slow_frame.h"
#include "weir/random.h"

#define FRAME_MAX 1600u
#define A "020000000001" /* two stations */
#define B "020000000002"
#define IPV4 "45b8 002e 0001 0000 4006 0000 0a000001 0a000002" /* DSCP 46, Not-ECT; 46 bytes */
#define IPV4_TOS(octet) "45" octet "002e 0001 0000 4006 0000 0a000001 0a000002"
#define IPV6 "6b80 0000 0004 3b40 fe80000000000000 0000000000000001 fe80000000000000 0000000000000002"

/* A frame as it came in by a port, and what is to be seen in it. */
struct look_case {
    const char *what, *hex;
    uint32_t length; /* zeros are appended up to it; 0: as long as the text */
    int32_t vlan;
    struct frame_info info; /* addresses apart */
};

#define FORWARD(...)                                                                                                   \
    {                                                                                                                  \
        .kind = FRAME_FORWARD, __VA_ARGS__                                                                             \
    }
#define DISCARD(why)                                                                                                   \
    {                                                                                                                  \
        .kind = FRAME_DISCARD, .discard = DATAPLANE_##why                                                              \
    }

static void check_case(const struct frame_rules *rules, const struct look_case *c)
{
    uint8_t bytes[FRAME_MAX] = {0};
    uint32_t text = frame_from_hex(c->hex, bytes, sizeof bytes);
    uint32_t length = c->length ? c->length : text;
    uint8_t *exact = malloc(length ? length : 1); /* so that a sanitizer sees a read beyond the end */
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    struct frame frame = {.bytes = exact, .length = length, .at_hand = length, .vlan = c->vlan};
    struct frame_info info, wanted = c->info, slow;
    memset(&info, 0xaa, sizeof info);
    frame_look(rules, &frame, &info);
    slow_look(rules, &frame, &slow);
    if (length >= 14) {
        wanted.destination = slow.destination;
        wanted.source = slow.source;
        wanted.group = exact[0] & 1;
    }
    if (!slow_same(&info, &wanted) || !slow_same(&slow, &wanted))
        fail_msg("%s: kind %d discard %d class %d ecn %d malformed %d ip at %d", c->what, info.kind, info.discard,
                 info.tc, info.ecn, info.malformed_ip, info.ip_at);
    free(exact);
}

static void check_cases(enum dataplane_classify classify, const struct look_case *cases, size_t count)
{
    const struct frame_rules rules = slow_rules(classify);
    for (size_t i = 0; i < count; i++)
        check_case(&rules, &cases[i]);
}

static void look__finds_the_class_of_ip(void **state)
{
    (void)state;
    static const struct look_case cases[] = {
        {"IPv4", B A "0800" IPV4, 60, -1, FORWARD(.tc = 5, .ip_at = 14)},
        {"ECT(0)", B A "0800" IPV4_TOS("02"), 60, -1, FORWARD(.ecn = true, .ip_at = 14)},
        {"ECT(1)", B A "0800" IPV4_TOS("e1"), 60, -1, FORWARD(.tc = 7, .ecn = true, .ip_at = 14)},
        {"CE", B A "0800" IPV4_TOS("23"), 60, -1, FORWARD(.tc = 1, .ecn = true, .ip_at = 14)},
        {"802.1Q", B A "8100 6005 0800" IPV4, 64, -1, FORWARD(.tc = 5, .ip_at = 18)},
        {"802.1ad", B A "88a8 6005 0800" IPV4, 64, -1, FORWARD(.tc = 5, .ip_at = 18)},
        {"QinQ", B A "88a8 6005 8100 0001 0800" IPV4, 68, -1, FORWARD(.tc = 5, .ip_at = 22)},
        {"old QinQ", B A "9100 6005 8100 0001 0800" IPV4, 68, -1, FORWARD(.tc = 5, .ip_at = 22)},
        {"tag taken off", B A "0800" IPV4, 60, 0x6005, FORWARD(.tc = 5, .ip_at = 14)},
        {"outer tag taken off", B A "8100 0001 0800" IPV4, 64, 0x6005, FORWARD(.tc = 5, .ip_at = 18)},
        {"fragment", B A "0800 4520 002e 0001 2010 4006 0000 0a000001 0a000002", 60, -1, FORWARD(.tc = 1, .ip_at = 14)},
        {"options", B A "0800 4640 002e 0001 0000 4006 0000 0a000001 0a000002 94040000", 60, -1,
         FORWARD(.tc = 2, .ip_at = 14)},
        {"no padding", B A "0800 4520 0014 0001 0000 4006 0000 0a000001 0a000002", 0, -1,
         FORWARD(.tc = 1, .ip_at = 14)},
        {"IPv6", B A "86dd" IPV6, 60, -1, FORWARD(.tc = 5, .ip_at = 14)},
        {"IPv6 ECT(0)", B A "86dd 6020 0000 0004", 60, -1, FORWARD(.ecn = true, .ip_at = 14)},
        {"IPv6, tagged", B A "8100 0000 86dd" IPV6, 64, -1, FORWARD(.tc = 5, .ip_at = 18)},
        {"to a group", "01005e000001" A "0800" IPV4, 60, -1, FORWARD(.tc = 5, .ip_at = 14)},
    };
    check_cases(DATAPLANE_CLASSIFY_DSCP, cases, sizeof cases / sizeof cases[0]);
}

static void look__forwards_what_is_not_ip_as_class_0(void **state)
{
    (void)state;
    static const struct look_case cases[] = {
        {"ARP", "ffffffffffff" A "0806 0001080006040001", 60, -1, FORWARD(.tc = 0)},
        {"802.3 length", B A "0026 aaaa03000000", 60, -1, FORWARD(.tc = 0)},
        {"802.3 length, tagged", B A "8100 e000 0026 aaaa03000000", 64, -1, FORWARD(.tc = 0)},
        {"three tags", B A "88a8 e000 8100 e000 8100 e000 0800" IPV4, 72, -1, FORWARD(.tc = 0)},
        {"three tags, one taken off", B A "8100 e000 8100 e000 0800" IPV4, 72, 1, FORWARD(.tc = 0)},
        {"no more than a header", B A "88b5", 0, -1, FORWARD(.tc = 0)},
        {"no more than a tag", B A "8100 e000 88b5", 0, -1, FORWARD(.tc = 0)},
        {"MAC control to a station", B A "8808 0101", 60, -1, FORWARD(.tc = 0)},
        {"destination zero", "000000000000" A "88b5", 60, -1, FORWARD(.tc = 0)},
    };
    check_cases(DATAPLANE_CLASSIFY_DSCP, cases, sizeof cases / sizeof cases[0]);
}

static void look__knows_malformed_ip(void **state)
{
    (void)state;
    static const struct look_case cases[] = {
        {"no header", B A "0800", 0, -1, FORWARD(.malformed_ip = true)},
        {"19 of 20 bytes", B A "0800 45b8 0013 0001 0000 4006 0000 0a000001 0a0000", 0, -1,
         FORWARD(.malformed_ip = true)},
        {"version", B A "0800 65b8 002e", 60, -1, FORWARD(.malformed_ip = true)},
        {"4 words", B A "0800 44b8 002e", 60, -1, FORWARD(.malformed_ip = true)},
        {"no words", B A "0800 40b8 002e", 60, -1, FORWARD(.malformed_ip = true)},
        {"15 words in 46 bytes", B A "0800 4fb8 002e", 60, -1, FORWARD(.malformed_ip = true)},
        {"total below the header", B A "0800 46b8 0017", 60, -1, FORWARD(.malformed_ip = true)},
        {"total beyond the frame", B A "0800 45b8 002f", 60, -1, FORWARD(.malformed_ip = true)},
        {"total beyond a tagged frame", B A "8100 0000 0800 45b8 002f", 64, -1, FORWARD(.malformed_ip = true)},
        {"all ones", B A "0800 ffffffff", 60, -1, FORWARD(.malformed_ip = true)},
        {"39 of 40 bytes of IPv6", B A "86dd 6b80", 53, -1, FORWARD(.malformed_ip = true)},
        {"version of IPv6", B A "86dd 4b80", 60, -1, FORWARD(.malformed_ip = true)},
        {"payload beyond the frame", B A "86dd 6b800000 0007", 60, -1, FORWARD(.malformed_ip = true)},
    };
    check_cases(DATAPLANE_CLASSIFY_DSCP, cases, sizeof cases / sizeof cases[0]);
}

static void look__discards_what_may_not_pass(void **state)
{
    (void)state;
    static const struct look_case cases[] = {
        {"nothing", "", 0, -1, DISCARD(RUNT)},
        {"13 bytes", B A "08", 0, -1, DISCARD(RUNT)},
        {"cut in its tag", B A "8100 0001 08", 0, -1, DISCARD(RUNT)},
        {"cut in its second tag", B A "88a8 0001 8100 0001 08", 0, -1, DISCARD(RUNT)},
        {"giant", B A "0800" IPV4, 1515, -1, DISCARD(GIANT)},
        {"just no giant", B A "0800" IPV4, 1514, -1, FORWARD(.tc = 5, .ip_at = 14)},
        {"tagged giant", B A "8100 0000 0800" IPV4, 1519, -1, DISCARD(GIANT)},
        {"just no tagged giant", B A "8100 0000 0800" IPV4, 1518, -1, FORWARD(.tc = 5, .ip_at = 18)},
        {"just no giant with two tags", B A "88a8 0000 8100 0000 0800" IPV4, 1522, -1, FORWARD(.tc = 5, .ip_at = 22)},
        {"tag taken off, giant", B A "0800" IPV4, 1515, 7, DISCARD(GIANT)},
        {"source is a group", B "030000000001 0800" IPV4, 60, -1, DISCARD(BAD_SOURCE)},
        {"source is zero", B "000000000000 0800" IPV4, 60, -1, DISCARD(BAD_SOURCE)},
        {"source is all ones", B "ffffffffffff 0800" IPV4, 60, -1, DISCARD(BAD_SOURCE)},
        {"spanning tree", "0180c2000000" A "0026 424203", 60, -1, DISCARD(LINK_LOCAL)},
        {"LLDP", "0180c200000e" A "88cc", 60, -1, DISCARD(LINK_LOCAL)},
        {"the last of them", "0180c200000f" A "88cc", 60, -1, DISCARD(LINK_LOCAL)},
        {"the first behind them", "0180c2000010" A "88b5", 60, -1, FORWARD(.tc = 0)},
        {"the last before them", "0180c1ffffff" A "88b5", 60, -1, FORWARD(.tc = 0)},
        {"flow control's address, other type", "0180c2000001" A "88cc", 60, -1, DISCARD(LINK_LOCAL)},
        {"flow control in a tag", "0180c2000001" A "8100 0001 8808 0101", 64, -1, DISCARD(LINK_LOCAL)},
        {"flow control, tag taken off", "0180c2000001" A "8808 0101", 60, 1, DISCARD(LINK_LOCAL)},
        {"MAC control's type, other address", "0180c2000002" A "8808 0101", 60, -1, DISCARD(LINK_LOCAL)},
        {"flow control from nobody", "0180c2000001 000000000000 8808 0101", 60, -1, DISCARD(BAD_SOURCE)},
        {"flow control", "0180c2000001" A "8808 0101", 60, -1, {.kind = FRAME_CONTROL}},
    };
    check_cases(DATAPLANE_CLASSIFY_DSCP, cases, sizeof cases / sizeof cases[0]);
}

static void look__finds_the_class_of_tags(void **state)
{
    (void)state;
    static const struct look_case cases[] = {
        {"untagged", B A "0800" IPV4, 60, -1, FORWARD(.tc = 0, .ip_at = 14)},
        {"tagged", B A "8100 6005 0800" IPV4, 64, -1, FORWARD(.tc = 3, .ip_at = 18)},
        {"outermost counts", B A "88a8 e000 8100 2000 0800" IPV4, 68, -1, FORWARD(.tc = 7, .ip_at = 22)},
        {"taken off", B A "8100 2000 0800" IPV4, 64, 0xc001, FORWARD(.tc = 6, .ip_at = 18)},
        {"ARP", "ffffffffffff" A "8100 a000 0806", 64, -1, FORWARD(.tc = 5)},
        {"malformed IP", B A "8100 a000 0800 45b8 ffff", 64, -1, FORWARD(.tc = 5, .malformed_ip = true)},
    };
    static const struct look_case none[] = {
        {"tagged", B A "8100 6005 0800" IPV4_TOS("e2"), 64, -1, FORWARD(.tc = 0, .ecn = true, .ip_at = 18)},
    };
    check_cases(DATAPLANE_CLASSIFY_PCP, cases, sizeof cases / sizeof cases[0]);
    check_cases(DATAPLANE_CLASSIFY_NONE, none, 1);
}

/* The rest of the frame is in another segment. */
static void look__reads_what_is_at_hand_only(void **state)
{
    (void)state;
    const struct frame_rules rules = slow_rules(DATAPLANE_CLASSIFY_DSCP);
    uint8_t bytes[FRAME_MAX] = {0};
    uint32_t text = frame_from_hex(B A "8100 0001 0800 46b8 002e 0001 0000 4006 0000 0a000001 0a000002 94040000", bytes,
                                   sizeof bytes); /* with an option: 42 bytes */
    for (uint32_t at_hand = 0; at_hand <= text; at_hand++) {
        uint8_t *exact = malloc(at_hand ? at_hand : 1);
        assert_non_null(exact);
        memcpy(exact, bytes, at_hand);
        struct frame frame = {.bytes = exact, .length = 1000, .at_hand = at_hand, .vlan = -1};
        struct frame_info info, slow;
        frame_look(&rules, &frame, &info);
        slow_look(&rules, &frame, &slow);
        assert_true(slow_same(&info, &slow));
        assert_int_equal(info.kind, at_hand < 18 ? FRAME_DISCARD : FRAME_FORWARD);
        assert_int_equal(info.malformed_ip, at_hand >= 18 && at_hand < 42);
        free(exact);
    }
}

static void rules_init__takes_the_last_class_for_those_above(void **state)
{
    (void)state;
    struct weir_mmu_config mmu = {.classes = 3};
    struct dataplane_config config;
    struct frame_rules rules;
    dataplane_config_init(&config);
    config.sw.mmu = &mmu;
    config.mtu_bytes = 9000;
    config.class_of_pcp[7] = 1;
    config.classify = DATAPLANE_CLASSIFY_PCP;
    frame_rules_init(&rules, &config);
    assert_int_equal(rules.classify, DATAPLANE_CLASSIFY_PCP);
    assert_int_equal(rules.length_max, 9014);
    for (uint32_t dscp = 0; dscp < DATAPLANE_DSCP_COUNT; dscp++)
        assert_int_equal(rules.class_of_dscp[dscp], dscp < 8 ? 0 : dscp < 16 ? 1 : 2);
    for (uint32_t pcp = 0; pcp < DATAPLANE_PCP_COUNT; pcp++)
        assert_int_equal(rules.class_of_pcp[pcp], pcp == 7 || pcp == 1 ? 1 : pcp == 0 ? 0 : 2);
}

/* Every octet, every first word, and checksums that are right, wrong, 0 and all ones. */
static void mark__keeps_the_checksum_of_ipv4(void **state)
{
    (void)state;
    const struct frame_info info = {.ecn = true, .ip_at = 14};
    for (uint32_t octet = 0; octet < 256; octet++)
        for (uint32_t trial = 0; trial < 64; trial++) {
            uint8_t bytes[FRAME_MAX] = {0}, before[FRAME_MAX];
            frame_from_hex(B A "0800" IPV4, bytes, sizeof bytes);
            uint64_t draw = weir_hash(octet, trial);
            bytes[15] = (uint8_t)octet;
            memcpy(bytes + 18, &draw, 6); /* identification, fragment, time to live, protocol */
            uint32_t sum = 0xffff - slow_header_sum(bytes + 14);
            sum = trial % 8 == 0 ? 0 : trial % 8 == 1 ? 0xffff : trial % 8 == 2 ? (uint32_t)(draw >> 48) : sum;
            bytes[24] = (uint8_t)(sum >> 8);
            bytes[25] = (uint8_t)sum;
            memcpy(before, bytes, sizeof before);
            frame_mark(bytes, &info);
            assert_int_equal(bytes[15], octet | 3);
            assert_int_equal(slow_header_sum(bytes + 14), slow_header_sum(before + 14));
            before[15] = bytes[15];
            before[24] = bytes[24];
            before[25] = bytes[25];
            assert_memory_equal(bytes, before, sizeof bytes);
        }
}

static void mark__touches_ipv6_in_two_bits(void **state)
{
    (void)state;
    const struct frame_info info = {.ecn = true, .ip_at = 18};
    uint8_t bytes[FRAME_MAX] = {0}, before[FRAME_MAX];
    frame_from_hex(B A "8100 0001 86dd 6b9a bcde", bytes, sizeof bytes);
    memcpy(before, bytes, sizeof before);
    frame_mark(bytes, &info);
    before[19] = 0xba; /* class b9, a mark, the flow's label */
    assert_memory_equal(bytes, before, sizeof bytes);
    frame_mark(bytes, &info);
    assert_memory_equal(bytes, before, sizeof bytes);
}

static struct weir_flow flow_of(const char *hex, uint32_t at_hand)
{
    uint8_t bytes[FRAME_MAX] = {0};
    const struct frame_rules rules = {.classify = DATAPLANE_CLASSIFY_DSCP, .length_max = 1514};
    uint32_t length = frame_from_hex(hex, bytes, sizeof bytes);
    struct frame frame = {.bytes = bytes, .length = 100, .at_hand = at_hand ? at_hand : length, .vlan = -1};
    struct frame_info info;
    struct weir_flow flow;
    frame_look(&rules, &frame, &info);
    frame_flow(&frame, &info, &flow);
    assert_int_equal(flow.bytes, WEIR_FLOW_UNKNOWN);
    return flow;
}

#define UDP_OF(tos, fragment, ttl, protocol, from, to, ports)                                                          \
    B A "0800 45" tos " 0050 0001 " fragment " " ttl protocol " 0000 " from to ports " 0000 0000"
#define UDP(ports) UDP_OF("00", "0000", "40", "11", "0a000001", "0a000002", ports)

/* A flow is its addresses, protocol and ports, whatever else changes on the way. */
static void flow__of_the_five_tuple(void **state)
{
    (void)state;
    const uint64_t one = flow_of(UDP("1234 5678"), 0).hash;
    assert_true(one == flow_of(UDP_OF("2e", "0000", "3f", "11", "0a000001", "0a000002", "1234 5678"), 0).hash);
    assert_int_equal(flow_of(UDP_OF("2e", "0000", "3f", "11", "0a000001", "0a000002", "1234 5678"), 0).dscp, 11);
    assert_true(one != flow_of(UDP("1234 5679"), 0).hash);
    assert_true(one != flow_of(UDP("1235 5678"), 0).hash);
    assert_true(one != flow_of(UDP_OF("00", "0000", "40", "06", "0a000001", "0a000002", "1234 5678"), 0).hash);
    assert_true(one != flow_of(UDP_OF("00", "0000", "40", "11", "0a000003", "0a000002", "1234 5678"), 0).hash);
    assert_true(one != flow_of(UDP_OF("00", "0000", "40", "11", "0a000001", "0a000003", "1234 5678"), 0).hash);
}

/* Fragments have no ports, nor have frames of which too little is at hand: what stands there does not matter. */
static void flow__without_ports(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const char *fragment[] = {UDP_OF("00", "2000", "40", "11", "0a000001", "0a000002", "1234 5678"),
                                  UDP_OF("00", "0001", "40", "11", "0a000001", "0a000002", "9999 9999")};
        assert_true(flow_of(fragment[i], 0).hash == flow_of(fragment[1 - i], 0).hash);
        assert_true(flow_of(fragment[i], 0).hash != flow_of(UDP("1234 5678"), 0).hash);
    }
    assert_true(flow_of(UDP("1234 5678"), 37).hash == flow_of(UDP("9999 9999"), 37).hash);
    assert_true(flow_of(UDP_OF("00", "0000", "40", "01", "0a000001", "0a000002", "1234 5678"), 0).hash ==
                flow_of(UDP_OF("00", "0000", "40", "01", "0a000001", "0a000002", "9999 9999"), 0).hash);
    assert_true(flow_of(B A "88b5 0102", 0).hash == flow_of(B A "88b5 0304", 0).hash); /* not IP: by its addresses */
}

/* Lengths, DSCP, ECN; a checksum that was right stays right, a padded frame keeps the length of its packet. */
static void cut__rewrites_the_ip_header_alone(void **state)
{
    (void)state;
    static const struct {
        const char *what, *hex;
        uint32_t ip_at, total_at, total, octet; /* afterwards */
        struct frame_cut cut;
    } cases[] = {
        {"IPv4", B A "0800 45bb 05dc", 14, 16, 50, 0xbb, {64, -1, WEIR_TRIM_ECN_KEEP}},
        {"DSCP", B A "0800 45ba 05dc", 14, 16, 114, 0x2a, {128, 10, WEIR_TRIM_ECN_KEEP}},
        {"cleared", B A "0800 45ba 05dc", 14, 16, 114, 0x28, {128, 10, WEIR_TRIM_ECN_CLEAR}},
        {"marked", B A "0800 45ba 05dc", 14, 16, 114, 0x2b, {128, 10, WEIR_TRIM_ECN_MARK}},
        {"not capable", B A "0800 45b8 05dc", 14, 16, 114, 0xb8, {128, -1, WEIR_TRIM_ECN_MARK}},
        {"padded", B A "0800 4500 0014", 14, 16, 20, 0xfc, {64, 63, WEIR_TRIM_ECN_KEEP}},
        {"tagged", B A "8100 6005 0800 4500 05dc", 18, 20, 46, 0, {64, 0, WEIR_TRIM_ECN_KEEP}},
        {"IPv6", B A "86dd 6b9a bcde 0500", 14, 18, 10, 0xb9, {64, -1, WEIR_TRIM_ECN_KEEP}},
        {"IPv6, marked", B A "86dd 6b9a bcde 0500", 14, 18, 10, 0x2b, {64, 10, WEIR_TRIM_ECN_MARK}},
        {"IPv6, no payload", B A "86dd 6b9a bcde 0000", 14, 18, 0, 0xb9, {64, -1, WEIR_TRIM_ECN_KEEP}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[FRAME_MAX], before[FRAME_MAX];
        for (uint32_t b = 0; b < FRAME_MAX; b++)
            bytes[b] = (uint8_t)(3 * b);
        frame_from_hex(cases[i].hex, bytes, sizeof bytes);
        uint8_t *ip = bytes + cases[i].ip_at, *old = before + cases[i].ip_at;
        bool v4 = ip[0] >> 4 == 4;
        if (v4) {
            uint32_t sum = 0xffff - slow_header_sum(ip);
            ip[10] = ip[11] = 0;
            sum = 0xffff - slow_header_sum(ip);
            ip[10] = (uint8_t)(sum >> 8);
            ip[11] = (uint8_t)sum;
        }
        memcpy(before, bytes, sizeof before);
        frame_cut(bytes, cases[i].ip_at, &cases[i].cut);
        uint32_t octet = v4 ? ip[1] : (uint32_t)(ip[0] << 4 | ip[1] >> 4) & 0xff;
        if (frame_ip_end(bytes, cases[i].ip_at) != cases[i].ip_at + (v4 ? 20u : 40u) || octet != cases[i].octet ||
            (uint32_t)(bytes[cases[i].total_at] << 8 | bytes[cases[i].total_at + 1]) != cases[i].total ||
            (v4 && slow_header_sum(ip) != 0xffff))
            fail_msg("%s: octet %02x, length %02x%02x, sum %x", cases[i].what, octet, bytes[cases[i].total_at],
                     bytes[cases[i].total_at + 1], v4 ? slow_header_sum(ip) : 0);
        memcpy(old, ip, v4 ? 4 : 6);
        if (v4)
            memcpy(old + 10, ip + 10, 2);
        else
            assert_int_equal(old[1] & 0xf, 0xa); /* the flow's label */
        assert_memory_equal(bytes, before, sizeof bytes);
    }
}

/* Mostly a good frame with one or two things wrong: what is wholly random is no frame at all. */
static uint32_t random_frame(struct weir_random *r, uint8_t *bytes)
{
    static const char *const texts[] = {
        B A "0800" IPV4,           B A "8100 6005 0800" IPV4_TOS("e2"), B A "88a8 6005 8100 0001 0800" IPV4,
        B A "86dd" IPV6,           B A "8100 0001 86dd" IPV6,           "ffffffffffff" A "0806 0001080006040001",
        B A "0026 aaaa03000000",   "0180c2000001" A "8808 0101",        "0180c2000000" A "8100 0026",
        B A "88a8 0001 88a8 0001",
    };
    memset(bytes, 0, FRAME_MAX);
    uint32_t text = frame_from_hex(texts[weir_random_below(r, sizeof texts / sizeof texts[0])], bytes, FRAME_MAX);
    for (uint32_t changes = weir_random_below(r, 4); changes > 0; changes--)
        bytes[weir_random_below(r, text)] ^= (uint8_t)(1u << weir_random_below(r, 8));
    if (weir_random_below(r, 8) == 0)
        bytes[weir_random_below(r, text)] = (uint8_t)weir_random_bits(r);
    switch (weir_random_below(r, 4)) {
    case 0:
        return weir_random_below(r, text + 1);
    case 1:
        return 1505 + weir_random_below(r, 30);
    default:
        return text + weir_random_below(r, 30);
    }
}

static void look__agrees_with_the_slow_parser(void **state)
{
    (void)state;
    const char *more = getenv("WEIR_TEST_ROUNDS");
    uint32_t rounds = 300000 * (more ? (uint32_t)strtoul(more, NULL, 10) : 1), kinds[FRAME_DISCARD + 1] = {0};
    print_message("attack: random frames at the parser: %u\n", rounds);
    for (uint32_t seed = 0; seed < rounds; seed++) {
        struct weir_random r = {.key = weir_hash(UINT64_C(0xf4a3e), seed)};
        const struct frame_rules rules = slow_rules((enum dataplane_classify)weir_random_below(&r, 3));
        uint8_t bytes[FRAME_MAX], marked[FRAME_MAX];
        struct frame_info info, slow;
        struct frame frame = {.bytes = bytes, .length = random_frame(&r, bytes), .vlan = -1};
        frame.at_hand = weir_random_below(&r, 4) ? frame.length : weir_random_below(&r, frame.length + 2);
        frame.vlan = weir_random_below(&r, 4) ? -1 : (int32_t)weir_random_below(&r, 0x10000);
        frame_look(&rules, &frame, &info);
        slow_look(&rules, &frame, &slow);
        if (!slow_same(&info, &slow))
            fail_msg("seed %u: length %u, at hand %u", seed, frame.length, frame.at_hand);
        kinds[info.kind]++;
        if (!info.ecn)
            continue;
        memcpy(marked, bytes, sizeof marked);
        frame_mark(marked, &info);
        frame.bytes = marked;
        frame_look(&rules, &frame, &slow);
        if (!slow_same(&info, &slow) || (marked[info.ip_at] >> 4 == 4 &&
                                         slow_header_sum(marked + info.ip_at) != slow_header_sum(bytes + info.ip_at)))
            fail_msg("seed %u: marking changed more than the mark", seed);
    }
    assert_true(kinds[FRAME_FORWARD] > rounds / 3 && kinds[FRAME_DISCARD] > rounds / 10 && kinds[FRAME_CONTROL] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look__finds_the_class_of_ip),
        cmocka_unit_test(look__forwards_what_is_not_ip_as_class_0),
        cmocka_unit_test(look__knows_malformed_ip),
        cmocka_unit_test(look__discards_what_may_not_pass),
        cmocka_unit_test(look__finds_the_class_of_tags),
        cmocka_unit_test(look__reads_what_is_at_hand_only),
        cmocka_unit_test(rules_init__takes_the_last_class_for_those_above),
        cmocka_unit_test(mark__keeps_the_checksum_of_ipv4),
        cmocka_unit_test(mark__touches_ipv6_in_two_bits),
        cmocka_unit_test(flow__of_the_five_tuple),
        cmocka_unit_test(flow__without_ports),
        cmocka_unit_test(cut__rewrites_the_ip_header_alone),
        cmocka_unit_test(look__agrees_with_the_slow_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

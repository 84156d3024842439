/*
 * test_tcp_counts.c - retransmissions and timeouts from TCP_INFO of kernels old and new.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/tcp.h>

#include "switch/traffic/tcp_counts.h"

/* As a kernel of 6.7 or later fills it: the fields after those of older headers follow without a gap. */
static void fill(uint8_t info[256], uint32_t retransmits, uint16_t timeouts)
{
    memset(info, 0xff, 256);
    memcpy(info + offsetof(struct tcp_info, tcpi_total_retrans), &retransmits, sizeof retransmits);
    memcpy(info + 240, &timeouts, sizeof timeouts);
}

static void tcp_counts_from__sizes(void **state)
{
    static const struct {
        size_t size;
        bool known;
        int64_t retransmits, timeouts;
    } cases[] = {{0, false, 0, 0},
                 {103, false, 0, 0},
                 {104, true, 70000, TCP_COUNTS_UNKNOWN},
                 {232, true, 70000, TCP_COUNTS_UNKNOWN},
                 {241, true, 70000, TCP_COUNTS_UNKNOWN},
                 {242, true, 70000, 3},
                 {256, true, 70000, 3}};
    uint8_t info[256];
    (void)state;
    fill(info, 70000, 3);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tcp_counts counts;
        assert_int_equal(tcp_counts_from(info, cases[i].size, &counts), cases[i].known);
        assert_int_equal(counts.retransmits, cases[i].retransmits);
        assert_int_equal(counts.timeouts, cases[i].timeouts);
    }
}

static void tcp_counts_since__differences(void **state)
{
    static const struct {
        struct tcp_counts before, now, expected;
    } cases[] = {{{0, 0}, {0, 0}, {0, 0}},
                 {{5, 1}, {12, 3}, {7, 2}},
                 {{UINT32_MAX, UINT16_MAX}, {1, 0}, {2, 1}}, /* both have wrapped */
                 {{5, TCP_COUNTS_UNKNOWN}, {6, TCP_COUNTS_UNKNOWN}, {1, TCP_COUNTS_UNKNOWN}},
                 {{5, 0}, {6, TCP_COUNTS_UNKNOWN}, {1, TCP_COUNTS_UNKNOWN}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tcp_counts found = tcp_counts_since(&cases[i].before, &cases[i].now);
        assert_int_equal(found.retransmits, cases[i].expected.retransmits);
        assert_int_equal(found.timeouts, cases[i].expected.timeouts);
    }
}

static void tcp_counts_read__no_socket(void **state)
{
    struct tcp_counts counts = {1, 1};
    (void)state;
    assert_false(tcp_counts_read(-1, &counts));
    assert_int_equal(counts.retransmits, 0);
    assert_int_equal(counts.timeouts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tcp_counts_from__sizes),
                                       cmocka_unit_test(tcp_counts_since__differences),
                                       cmocka_unit_test(tcp_counts_read__no_socket)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

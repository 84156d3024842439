/*
 * test_transients.c - how long a burst is absorbed beside long-lived traffic: the analysis of TDT, section III and
 * Figures 3 and 7 (n = 16 ports at C = 1 Gb/s, B = 1 MB, N = 2 overloaded ports, M = 1 burst at rate R, alpha = 1).
 *
 * Theory, first loss of the burst:
 *   DT,  R <= C (1 + (1 + aN) / (aM)):  aB / ((1 + a (M + N)) (R - C))
 *   DT,  faster:                        aB / ((1 + aN) ((1 + aM) (R - C) - aNC))
 *   EDT, slower:                        B / (M (R - C))
 *   EDT, faster:                        B / ((1 + aN) (MR - (M + N) C))
 *   TDT:                                B (1 - N / n) / (R - C)
 * The last differs from the paper's B / (M (R - C)) = 1.14 ms: its two evacuating ports still hold B / n each, so the
 * limit is 1.00 ms, exactly the length of the burst that the paper shows without loss.
 *
 * Tolerance: two packets of 1500 B of the burst's queue. TDT is held to it with packets of 150 B: its limit is the sum
 * of three ports' shares, each rounded to whole packets, which with 1500 B alone makes up to four packets. With
 * 1500 B it is asserted instead that nothing is lost before the buffer is full.
 */
#include "lines.h"

#define GBPS ((weir_bps)1000000000)
#define BUFFER 1000000
#define PORTS 16u
#define WARM_UP (150 * WEIR_PS_PER_MS)
#define PACKET 1500u

struct loss {
    weir_ps after_ps;  /* first loss after the burst's start, or WEIR_NEVER */
    weir_cells length; /* of the burst's queue then */
    weir_cells free;   /* of the buffer then */
};

/* Two ports with 2 Gb/s each from the start, then a burst of `rate` to a third. */
static struct loss first_loss(const char *policy, uint32_t packet_bytes, weir_bps rate, weir_ps burst_ps)
{
    static struct lines l;
    lines_config(&l, PORTS, BUFFER, packet_bytes);
    l.f.config.rate_bps = GBPS;
    lines_build(&l, policy, NULL);
    lines_add(&l, 0, 2 * GBPS, 0, WEIR_NEVER);
    lines_add(&l, 1, 2 * GBPS, 0, WEIR_NEVER);
    struct line_source *burst = lines_add(&l, 2, rate, WARM_UP, WARM_UP + burst_ps);
    lines_run(&l, WARM_UP + burst_ps + 10 * WEIR_PS_PER_MS, burst);
    struct loss loss = {
        .after_ps = burst->first_loss_ps == WEIR_NEVER ? WEIR_NEVER : burst->first_loss_ps - WARM_UP,
        .length = burst->first_loss_cells,
        .free = fixture_free_cells(&l.f),
    };
    fixture_free(&l.f);
    return loss;
}

static void expect_loss(const char *policy, uint32_t packet_bytes, weir_bps rate, double theory_us)
{
    struct loss loss = first_loss(policy, packet_bytes, rate, 20 * WEIR_PS_PER_MS);
    double packet_us = PACKET * 8.0 * 1e6 / (double)(rate - GBPS); /* of queue growth */
    double found_us = (double)loss.after_ps / 1e6;
    double apart = (found_us - theory_us) / packet_us;
    print_message("%-4s R = %lld Gb/s: first loss after %.1f us at %lld B, theory %.1f us (%.2f packets apart)\n",
                  policy, (long long)(rate / GBPS), found_us, (long long)loss.length, theory_us, apart);
    assert_true(apart <= 2 && apart >= -2);
}

static void dt__fast_burst(void **state)
{
    (void)state;
    expect_loss("dt", PACKET, 8 * GBPS, 8e6 / (3 * 12e3)); /* 222 us */
}

static void dt__slow_burst(void **state)
{
    (void)state;
    expect_loss("dt", PACKET, 3 * GBPS, 8e6 / (4 * 2e3)); /* 1000 us */
}

static void edt__fast_burst(void **state)
{
    (void)state;
    expect_loss("edt", PACKET, 8 * GBPS, 8e6 / (3 * 5e3)); /* 533 us */
}

static void edt__slow_burst(void **state)
{
    (void)state;
    expect_loss("edt", PACKET, 3 * GBPS, 8e6 / 2e3); /* 4000 us */
}

static void tdt__keeps_the_papers_burst(void **state)
{
    (void)state;
    assert_true(first_loss("tdt", PACKET, 8 * GBPS, WEIR_PS_PER_MS).after_ps == WEIR_NEVER);
}

static void tdt__loses_only_with_a_full_buffer(void **state)
{
    (void)state;
    struct loss loss = first_loss("tdt", PACKET, 8 * GBPS, 20 * WEIR_PS_PER_MS);
    assert_true(loss.after_ps >= WEIR_PS_PER_MS);
    assert_in_range(loss.free, 0, PACKET - 1);
}

static void tdt__long_burst(void **state)
{
    (void)state;
    expect_loss("tdt", 150, 8 * GBPS, 8e6 * 14 / 16 / 7e3); /* 1000 us */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dt__fast_burst),
        cmocka_unit_test(dt__slow_burst),
        cmocka_unit_test(edt__fast_burst),
        cmocka_unit_test(edt__slow_burst),
        cmocka_unit_test(tdt__keeps_the_papers_burst),
        cmocka_unit_test(tdt__loses_only_with_a_full_buffer),
        cmocka_unit_test(tdt__long_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

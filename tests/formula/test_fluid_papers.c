/*
 * test_fluid_papers.c - closed forms of three papers against the smallest models of what they describe, from the
 * papers' text alone: nothing of the library is in here. tests/formula and tests/sim/net check the library against the
 * same numbers.
 *
 *   Occamy, eq. 3 and 4   how fast a burst may come for its queues to reach their fair share: a fluid in small steps
 *   TDT, section V        how long a burst fits beside ports that evacuate: likewise
 *   DSH, eq. 1            what arrives after a pause: packet by packet, a byte taking one unit of time
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Occamy: N old queues at the threshold that shrink at V each, M new ones that get R each and are served at C. Buffer
 * 1, rates in units of C = 1. True: the new queues reach the threshold, their fair share, before a packet is lost for
 * want of room. */
struct race {
    double alpha, old, fresh, shrink, rate;
};

static bool reaches_fair_share(const struct race *r)
{
    const double step = 1e-5;
    double q_old = r->alpha / (1 + r->alpha * r->old), q_new = 0;
    for (;;) {
        double free_part = 1 - r->old * q_old - r->fresh * q_new, threshold = r->alpha * free_part;
        if (free_part <= 0 || q_new >= threshold)
            break;
        q_new += (r->rate - 1) * step;
        /* no faster than V, and not below the threshold as it will then be */
        double lower = r->alpha * (1 - r->old * q_old - r->fresh * q_new);
        q_old = q_old - r->shrink * step > lower ? q_old - r->shrink * step : fmin(q_old, lower);
    }
    double fair = r->alpha / (1 + r->alpha * (r->old + r->fresh));
    return q_new > fair * 0.999;
}

static double greatest_rate(struct race r)
{
    double low = 1, high = 100;
    for (int i = 0; i < 40; i++) {
        r.rate = (low + high) / 2;
        if (reaches_fair_share(&r))
            low = r.rate;
        else
            high = r.rate;
    }
    return low;
}

static double eq_3(const struct race *r)
{
    return r->shrink * (1 + (1 + r->alpha * r->old) / (r->alpha * r->fresh));
}

static double only_the_old_rate_changes(const struct race *r)
{
    return 1 + r->shrink * (1 + r->alpha * r->old) / (r->alpha * r->fresh);
}

/* V is what an old queue shrinks by in all, its own line rate included: with V = C, no expulsion, this is DT. */
static void occamy_eq_3__is_right_for_dt_alone(void **state)
{
    static const struct race races[] = {
        {.alpha = 1, .old = 1, .fresh = 1, .shrink = 1}, {.alpha = 4, .old = 1, .fresh = 1, .shrink = 1},
        {.alpha = 1, .old = 1, .fresh = 1, .shrink = 2}, {.alpha = 8, .old = 1, .fresh = 1, .shrink = 1.5},
        {.alpha = 8, .old = 1, .fresh = 1, .shrink = 3}, {.alpha = 2, .old = 1, .fresh = 2, .shrink = 2},
        {.alpha = 8, .old = 1, .fresh = 3, .shrink = 5}};
    (void)state;
    for (size_t i = 0; i < sizeof races / sizeof races[0]; i++) {
        double rate = greatest_rate(races[i]);
        assert_true(fabs(rate / only_the_old_rate_changes(&races[i]) - 1) < 0.01);
        assert_true(races[i].shrink > 1 ? rate < 0.9 * eq_3(&races[i]) : fabs(rate / eq_3(&races[i]) - 1) < 0.01);
    }
}

/* "When V >= R / 2, alpha can be arbitrarily high": with N = M = 1 and R = 10, V = 5 is not enough from some alpha on;
 * V = R - C is, whatever alpha. */
static void occamy_eq_4__half_the_burst_is_not_enough(void **state)
{
    (void)state;
    assert_true(reaches_fair_share(&(struct race){.alpha = 1, .old = 1, .fresh = 1, .shrink = 5, .rate = 10}));
    assert_false(reaches_fair_share(&(struct race){.alpha = 2, .old = 1, .fresh = 1, .shrink = 5, .rate = 10}));
    for (double alpha = 1; alpha <= 64; alpha *= 2)
        assert_true(reaches_fair_share(&(struct race){.alpha = alpha, .old = 1, .fresh = 1, .shrink = 9, .rate = 10}));
}

/* TDT: two of 16 ports evacuate, both still getting 2 Gb/s; a burst of 8 Gb/s meets a port of 1 Gb/s; 1 MB. Returns the
 * time of the first loss in us. The evacuating ports hold B / n, or the authors' min(DT, B / n). */
static double first_loss_us(bool min_dt)
{
    const double buffer = 8e6, step_us = 0.01;
    double evacuating = buffer / 16, burst = 0, us = 0;
    for (; burst + 2 * evacuating < buffer; us += step_us) {
        double dt = buffer - burst - 2 * evacuating;
        burst += 7000 * step_us; /* 7 Gb/s are 7000 bit/us */
        if (min_dt && dt < evacuating)
            evacuating -= 1000 * step_us;
    }
    return us;
}

static void tdt_figure_7__the_evacuating_ports_keep_their_share(void **state)
{
    (void)state;
    assert_true(fabs(8e6 / 7000 - 1142.9) < 0.1); /* the paper's B / (M (R - C)) */
    assert_true(fabs(first_loss_us(false) - 1000.0) < 0.1);
    assert_true(fabs(first_loss_us(true) - 1028.6) < 0.1);
}

/* DSH: bytes that arrive after the decision to pause. At that moment the port towards the sender has just begun a full
 * packet, behind which the frame waits; it crosses the link, and the peer takes 3840 byte times to obey, in which it
 * may begin packets. `gap`: preamble and inter-packet gap of every packet on the wire. */
#define MTU 1500
#define PROCESSING 3840
static int64_t arriving(int64_t delay, int64_t gap, int64_t frame)
{
    int64_t obeyed = MTU + gap + (frame > 0 ? frame + gap : 0) + delay + PROCESSING, bytes = 0;
    /* Packets on the wire are those that began from one delay before the decision on. */
    for (int64_t begins = -delay; begins <= obeyed; begins += MTU + gap)
        bytes += MTU;
    return bytes;
}

static int64_t equation_1(int64_t delay)
{
    return 2 * (delay + MTU) + PROCESSING;
}

#define US_2 25000 /* byte times at 100 Gb/s */

static void dsh_equation_1__lacks_the_frame_without_gaps(void **state)
{
    uint32_t lacks = 0, lacks_with_gaps = 0, lacks_without_frame = 0, swept = 0;
    (void)state;
    for (int64_t delay = 1250; delay < 1250 + 40 * MTU; delay++, swept++) { /* 100 ns to 4.9 us */
        lacks += arriving(delay, 0, 64) > equation_1(delay);
        lacks_with_gaps += arriving(delay, 20, 64) > equation_1(delay);
        lacks_without_frame += arriving(delay, 0, 0) > equation_1(delay);
    }
    print_message(
        "DSH, eq. 1: the frame of 64 B exceeds it at %.1f %% of %u delays; with preamble and gap at %u; without "
        "the frame at %u\n",
        100.0 * lacks / swept, swept, lacks_with_gaps, lacks_without_frame);
    assert_true(lacks > 0.04 * swept && lacks < 0.045 * swept);
    assert_int_equal(lacks_with_gaps, 0);
    assert_true(arriving(US_2, 0, 64) <= equation_1(US_2) && arriving(US_2, 20, 64) <= equation_1(US_2));
}

/* The packet that triggers the pause finds no room in the shared pool and takes headroom too. */
static void dsh_equation_1__lacks_the_packet_that_triggers(void **state)
{
    (void)state;
    assert_int_equal(equation_1(US_2), 56840);
    assert_true(MTU + arriving(US_2, 0, 64) > equation_1(US_2));
    assert_true(MTU + arriving(US_2, 20, 64) > equation_1(US_2));
    assert_true(MTU + arriving(US_2, 0, 64) <= 60000); /* what the paper configures */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occamy_eq_3__is_right_for_dt_alone),
        cmocka_unit_test(occamy_eq_4__half_the_burst_is_not_enough),
        cmocka_unit_test(tdt_figure_7__the_evacuating_ports_keep_their_share),
        cmocka_unit_test(dsh_equation_1__lacks_the_frame_without_gaps),
        cmocka_unit_test(dsh_equation_1__lacks_the_packet_that_triggers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_pfc_headroom.c - the worst case that headroom is sized for, played packet by packet. A host sends at the rate of
 * its link; the PAUSE waits for a full packet that its port has begun at the very moment of the decision, crosses the
 * link, is processed for as long as the standard allows, and finds the host in the middle of a packet. The delay of the
 * link sweeps over a packet's time, so that every alignment of that last packet occurs.
 *
 * The switch decides at t0, when a packet has arrived and the host begins the next but so many: the host begins packets
 * at t0 - D, t0 - D + MTU, ... (a byte takes a nanosecond) up to the moment at which the PAUSE takes effect,
 * t0 + MTU + 64 + D + 3840. All of them arrive after the decision:
 *
 *   MTU * (1 + floor((2 D + MTU + 64 + 3840) / MTU))  <=  equation 1 + 64
 *
 * Equation 1 leaves out the 64 bytes of the frame, so that it is exceeded for those few alignments, by less than that.
 */
#include "tests/support/lossless_star.h"

#define LEAST_NS 1000
#define MOST_NS 2600

static int start(void **state)
{
    static struct lossless_star l;
    lossless_init(&l);
    *state = &l;
    return 0;
}

static int stop(void **state)
{
    sim_free(((struct lossless_star *)*state)->star.sim);
    ((struct lossless_star *)*state)->star.sim = NULL;
    return 0;
}

/* Host 0 fills the switch; hosts 2 and 3 keep the way back to it busy with packets that begin as those arrive. */
static void play(struct lossless_star *l, int64_t delay_ns, enum sim_headroom_size size, int64_t bytes)
{
    sim_free(l->star.sim);
    lossless_init(l);
    for (uint32_t i = 0; i < STAR_HOSTS; i++)
        l->star.links[i].delay_ps = delay_ns * NS;
    l->star.config.tiers[0].headroom_size = size;
    l->star.config.tiers[0].headroom_bytes = bytes;
    lossless_flow(l, 0, 0, 1, 1000);
    lossless_flow(l, 1, 2, 0, 1000);
    lossless_flow(l, 1, 3, 0, 1000);
    l->star.config.until_ps = 700 * US;
    lossless_run(l);
}

static int64_t equation(int64_t delay_ns)
{
    return 2 * (delay_ns + LOSSLESS_MTU) + 3840;
}

static int64_t predicted(int64_t delay_ns)
{
    return LOSSLESS_MTU * (1 + (2 * delay_ns + LOSSLESS_MTU + 64 + 3840) / LOSSLESS_MTU);
}

static int64_t peak(const struct lossless_star *l)
{
    return lossless_switch(l)->pfc_measure->peak_cells;
}

static void headroom__peak_is_the_closed_form_for_every_alignment(void **state)
{
    struct lossless_star *l = *state;
    for (int64_t delay = LEAST_NS; delay < MOST_NS; delay += 37) {
        play(l, delay, SIM_HEADROOM_SAFE, 0);
        assert_int_equal(lossless_refused(l, 0), 0);
        assert_true(lossless_switch(l)->pfc->port[0].end.peer.counters[0].pauses >= 1);
        assert_int_equal(peak(l), predicted(delay));
        assert_in_range(peak(l), equation(delay) + 64 - LOSSLESS_MTU + 1, equation(delay) + 64);
    }
}

/* Equation 1 is enough unless the last packet begins within the time of the frame that it leaves out. */
static void headroom__equation_lacks_the_frame(void **state)
{
    struct lossless_star *l = *state;
    uint32_t losses = 0;
    for (int64_t delay = LEAST_NS; delay < MOST_NS; delay += 37) {
        bool enough = predicted(delay) <= equation(delay);
        play(l, delay, SIM_HEADROOM_EQUATION, 0);
        assert_int_equal(lossless_refused(l, 0), !enough);
        losses += !enough;
    }
    play(l, 1799, SIM_HEADROOM_EQUATION, 0); /* 2 * 1799 + 5404 is six packets and two bytes */
    assert_int_equal(predicted(1799), equation(1799) + 62);
    assert_int_equal(lossless_refused(l, 0), 1);
    assert_true(losses > 0);
}

/* One packet less than what arrives: the last one is lost, and the term that was cut is the sender's response. */
static void headroom__one_packet_less_loses_the_last(void **state)
{
    struct lossless_star *l = *state;
    for (int64_t delay = LEAST_NS; delay < MOST_NS; delay += 211) {
        play(l, delay, SIM_HEADROOM_BYTES, predicted(delay));
        assert_int_equal(lossless_refused(l, 0), 0);
        play(l, delay, SIM_HEADROOM_BYTES, predicted(delay) - 1);
        assert_int_equal(lossless_refused(l, 0), 1);
        const struct pfc_loss *loss = &lossless_switch(l)->pfc_measure->first;
        assert_int_equal(loss->input, 0);
        assert_int_equal(loss->tc, 0);
        assert_int_equal(loss->term, WEIR_HEADROOM_RESPONSE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headroom__peak_is_the_closed_form_for_every_alignment, start, stop),
        cmocka_unit_test_setup_teardown(headroom__equation_lacks_the_frame, start, stop),
        cmocka_unit_test_setup_teardown(headroom__one_packet_less_loses_the_last, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
 * Small packets in cells are played too: 64 bytes and a gap of 20 take 84 of the wire and a cell of 208. The switch may
 * decide anywhere within a packet that it sends to the host, so its buffer, and with it the moment, sweeps over the
 * cells of such a packet's time; the worst of these moments is that of the closed form.
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

#define CELL 208
#define GAP 20
#define SMALL 64
#define SMALL_PACKETS 4000u
#define SMALL_DELAY_NS 1800
#define ALIGNMENTS ((LOSSLESS_MTU + GAP) / (SMALL + GAP) + 1) /* packets that arrive while one is sent */

/* Host 0 sends the packets that take most cells, back to back. */
static void play_small(struct lossless_star *l, bool standard, int64_t buffer_cells, enum sim_headroom_size size,
                       int64_t cells)
{
    static struct listed_packet packets[SMALL_PACKETS];
    struct sim_config *config = &l->star.config;
    sim_free(l->star.sim);
    lossless_init(l);
    for (uint32_t i = 0; i < STAR_HOSTS; i++)
        l->star.links[i].delay_ps = SMALL_DELAY_NS * NS;
    config->wire = (struct sim_wire){LOSSLESS_MTU - SMALL, SMALL, SMALL, GAP};
    config->tiers[0].mmu.cell_bytes = CELL;
    config->tiers[0].mmu.buffer_cells = buffer_cells;
    config->tiers[0].headroom_size = size;
    config->tiers[0].headroom_bytes = cells * CELL;
    for (uint32_t i = 0; i < SMALL_PACKETS; i++)
        packets[i] = (struct listed_packet){i * (SMALL + GAP) * NS, 0, 1, SMALL, 0, false};
    l->traffic[0].kind = TRAFFIC_PACKETS;
    l->traffic[0].packets = packets;
    l->traffic[0].listed = SMALL_PACKETS;
    lossless_flow(l, 1, 2, 0, 400);
    lossless_flow(l, 1, 3, 0, 400);
    config->pfc.processing_standard = standard;
    config->until_ps = 330 * US;
    lossless_run(l);
}

/* The first packet after the decision begins when it is made, a delay before it arrives, the last one just before the
 * PAUSE takes effect. */
static int64_t predicted_small(int64_t processing)
{
    int64_t time = 2 * SMALL_DELAY_NS + LOSSLESS_MTU + GAP + 64 + GAP + processing;
    return 1 + (time - 1) / (SMALL + GAP);
}

static int64_t bound_small(uint32_t processing)
{
    const struct weir_uplink uplink = {.delay_ps = SMALL_DELAY_NS * NS,
                                       .mtu_bytes = LOSSLESS_MTU,
                                       .least_bytes = SMALL,
                                       .gap_bytes = GAP,
                                       .processing_bytes = processing};
    return weir_headroom_safe_cells(&uplink, 8000000000, CELL);
}

static int64_t shared_cells(const struct lossless_star *l)
{
    return weir_mmu_view(weir_switch_mmu(lossless_switch(l)->sw, 0))->geometry.shared_cells;
}

/* The most cells of headroom in use over all moments of the decision; the shared pool that led to it. */
static int64_t worst_small(struct lossless_star *l, bool standard, int64_t *worst_shared)
{
    int64_t most = 0;
    for (int64_t buffer = 20000; buffer < 20000 + 17 * ALIGNMENTS; buffer += 17) { /* the threshold is 1/17 of it */
        play_small(l, standard, buffer, SIM_HEADROOM_SAFE, 0);
        assert_int_equal(lossless_refused(l, 0), 0);
        assert_true(lossless_switch(l)->pfc->port[0].end.peer.counters[0].pauses >= 1);
        *worst_shared = peak(l) > most ? shared_cells(l) : *worst_shared;
        most = peak(l) > most ? peak(l) : most;
    }
    return most;
}

/* The same shared pool, and so the same moments, with this headroom for each of the four inputs: packets lost. */
static uint64_t lost_small(struct lossless_star *l, bool standard, int64_t shared, int64_t cells)
{
    play_small(l, standard, shared + STAR_HOSTS * cells, SIM_HEADROOM_BYTES, cells);
    return lossless_refused(l, 0);
}

/* The bound in cells holds; what arrives is what was predicted, and one cell less loses a packet. A bound in bytes, as
 * cells of one byte have it, does not hold in cells of 208. */
static void headroom__small_packets_in_cells(void **state)
{
    struct lossless_star *l = *state;
    int64_t shared = 0, bound = bound_small(3840), bytes = 2 * SMALL_DELAY_NS + 3 * LOSSLESS_MTU + 64 + 3840;
    int64_t most = worst_small(l, false, &shared);
    assert_int_equal(most, predicted_small(3840));
    assert_in_range(most, 1, bound);
    assert_int_equal(lost_small(l, false, shared, most), 0);
    assert_int_equal(lost_small(l, false, shared, most - 1), 1);
    assert_int_equal(lost_small(l, false, shared, (bytes + CELL - 1) / CELL), most - (bytes + CELL - 1) / CELL);
}

/* Peers as slow as the standard allows send more, and the bound follows them: 74 quanta at 8 Gb/s, as at 10. */
static void headroom__peers_as_slow_as_the_standard_allows(void **state)
{
    struct lossless_star *l = *state;
    int64_t shared = 0, bound = bound_small(74 * 64);
    int64_t most = worst_small(l, true, &shared);
    assert_int_equal(most, predicted_small(74 * 64));
    assert_in_range(most, predicted_small(3840) + 1, bound);
    assert_int_equal(lost_small(l, true, shared, most), 0);
    assert_int_equal(lost_small(l, true, shared, predicted_small(3840)), most - predicted_small(3840));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headroom__peak_is_the_closed_form_for_every_alignment, start, stop),
        cmocka_unit_test_setup_teardown(headroom__equation_lacks_the_frame, start, stop),
        cmocka_unit_test_setup_teardown(headroom__one_packet_less_loses_the_last, start, stop),
        cmocka_unit_test_setup_teardown(headroom__small_packets_in_cells, start, stop),
        cmocka_unit_test_setup_teardown(headroom__peers_as_slow_as_the_standard_allows, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_pfc_ends.c - the two ends of flow control by themselves (sim/pfc.c): what a frame says, when it takes effect,
 * and how long it counts. A byte takes a nanosecond.
 */
#include "tests/support/sim_star.h"

#include "sim/net/pfc.h"

#define QUANTUM_PS (64 * NS)

struct ends {
    struct link link;
    struct pfc_teller teller;
    struct pfc_holder holder;
    struct pfc_counters told[PFC_CLASSES], obeyed[PFC_CLASSES];
    struct packet frame;
};

static int start(void **state)
{
    static struct ends e;
    e = (struct ends){.link = {.ps_per_byte = link_ps_per_byte(8000000000)}};
    pfc_teller_init(&e.teller, &e.link, 1000);
    pfc_holder_init(&e.holder, &e.link, 3840);
    *state = &e;
    return 0;
}

/* The next frame, if one is due. */
static void tell(struct ends *e, uint32_t wanted, weir_ps now, uint32_t enabled, uint32_t paused)
{
    assert_true(pfc_teller_due(&e->teller, wanted));
    e->frame = (struct packet){.flags = PACKET_PFC};
    e->frame.pfc.quanta = 1000;
    pfc_teller_tell(&e->teller, &e->frame, wanted, e->told, now);
    assert_int_equal(e->frame.pfc.enabled, enabled);
    assert_int_equal(e->frame.pfc.paused, paused);
    assert_false(pfc_teller_due(&e->teller, wanted));
}

static void pause_ps__is_quanta_of_512_bits(void **state)
{
    struct ends *e = *state;
    assert_int_equal(pfc_pause_ps(&e->link, 0), 0);
    assert_int_equal(pfc_pause_ps(&e->link, 1), QUANTUM_PS);
    assert_int_equal(pfc_pause_ps(&e->link, 65535), 65535 * QUANTUM_PS);
    struct link slow = {.ps_per_byte = link_ps_per_byte(WEIR_RATE_BPS_MIN)};
    assert_int_equal(pfc_pause_ps(&slow, 65535), 65535 * 512 * WEIR_PS_PER_US);
}

static void teller__says_what_is_new(void **state)
{
    struct ends *e = *state;
    tell(e, 0x01, 10, 0x01, 0x01);
    tell(e, 0x03, 20, 0x02, 0x02);
    tell(e, 0x06, 30, 0x05, 0x04); /* pauses one class and resumes another */
    tell(e, 0x00, 40, 0x06, 0x00);
    for (uint32_t tc = 0; tc < 3; tc++) {
        assert_int_equal(e->told[tc].pauses, 1);
        assert_int_equal(e->told[tc].resumes, 1);
        assert_int_equal(e->told[tc].refreshes, 0);
    }
}

static void teller__has_nothing_to_say_when_a_wish_is_taken_back(void **state)
{
    struct ends *e = *state;
    assert_false(pfc_teller_due(&e->teller, 0));
    assert_true(pfc_teller_due(&e->teller, 4));
    assert_false(pfc_teller_due(&e->teller, 0)); /* before the link was free */
    e->teller.refreshing = true;
    assert_false(pfc_teller_due(&e->teller, 0)); /* nothing to say again */
}

static void teller__says_a_lasting_pause_again_at_half_time(void **state)
{
    struct ends *e = *state;
    weir_ps half = 500 * QUANTUM_PS;
    tell(e, 0x01, 10, 0x01, 0x01);
    assert_int_equal(e->teller.refresh_ps, 10 + half);
    tell(e, 0x03, 20, 0x02, 0x02);
    assert_int_equal(e->teller.refresh_ps, 10 + half); /* the first one is not said again with it */
    e->teller.refreshing = true;
    tell(e, 0x03, 15 + half, 0x03, 0x03);
    assert_int_equal(e->teller.refresh_ps, 15 + 2 * half);
    e->teller.refreshing = true;
    tell(e, 0x02, 15 + 2 * half, 0x03, 0x02); /* one again, and the other resumes */
    tell(e, 0x00, 20 + 2 * half, 0x02, 0x00);
    assert_int_equal(e->teller.refresh_ps, WEIR_NEVER);
    assert_int_equal(e->told[0].refreshes, 1);
    assert_int_equal(e->told[1].refreshes, 2);
    assert_int_equal(e->told[0].pauses, 1);
}

/* The frame takes effect after its processing; returns what changed. */
static struct pfc_change obey(struct ends *e, uint32_t enabled, uint32_t paused, weir_ps arrival)
{
    e->frame.pfc = (struct packet_pfc){(uint8_t)enabled, (uint8_t)paused, 1000};
    pfc_holder_receive(&e->holder, &e->frame, arrival);
    weir_ps when = arrival + 3840 * NS;
    assert_null(pfc_holder_take(&e->holder, when - 1));
    assert_ptr_equal(pfc_holder_take(&e->holder, when), &e->frame);
    return pfc_holder_apply(&e->holder, &e->frame, e->obeyed, when);
}

static void holder__pauses_until_it_is_told_or_the_time_is_over(void **state)
{
    struct ends *e = *state;
    weir_ps pause = 1000 * QUANTUM_PS, t0 = 3840 * NS;
    assert_int_equal(pfc_holder_next(&e->holder), WEIR_NEVER);
    struct pfc_change change = obey(e, 0x05, 0x05, 0);
    assert_int_equal(change.paused, 0x05);
    assert_int_equal(change.until_ps, t0 + pause);
    assert_int_equal(e->holder.held, 0x05);
    assert_int_equal(pfc_holder_next(&e->holder), t0 + pause);
    assert_int_equal(obey(e, 0x04, 0, 1000).resumed, 0x04);
    assert_int_equal(e->obeyed[2].held_ps, 1000);
    assert_int_equal(pfc_holder_expire(&e->holder, e->obeyed, t0 + pause - 1), 0);
    assert_int_equal(pfc_holder_expire(&e->holder, e->obeyed, t0 + pause), 0x01);
    assert_int_equal(e->holder.held, 0);
    assert_int_equal(e->obeyed[0].held_ps, pause);
    assert_int_equal(e->obeyed[0].expired, 1);
    assert_int_equal(e->obeyed[2].expired, 0);
}

static void holder__a_refresh_makes_a_pause_longer(void **state)
{
    struct ends *e = *state;
    weir_ps pause = 1000 * QUANTUM_PS, t0 = 3840 * NS;
    obey(e, 0x01, 0x01, 0);
    obey(e, 0x01, 0x01, pause / 2);
    assert_int_equal(pfc_holder_expire(&e->holder, e->obeyed, t0 + pause), 0);
    assert_int_equal(pfc_held_ps(&e->holder, e->obeyed, 0, t0 + pause), pause);
    assert_int_equal(pfc_holder_next(&e->holder), t0 + pause + pause / 2);
    assert_int_equal(pfc_holder_forget(&e->holder, e->obeyed, t0 + pause), 0x01);
    assert_int_equal(pfc_held_ps(&e->holder, e->obeyed, 0, 2 * pause), pause);
    assert_int_equal(e->obeyed[0].pauses_received, 2);
}

/* A resume of what is not held, as after a pause that expired, changes nothing. */
static void holder__a_late_resume_is_harmless(void **state)
{
    struct ends *e = *state;
    obey(e, 0x80, 0, 0);
    assert_int_equal(e->holder.held, 0);
    assert_int_equal(e->obeyed[7].held_ps, 0);
    assert_int_equal(e->obeyed[7].resumes_received, 1);
}

static void holder__processes_frames_one_after_the_other(void **state)
{
    struct ends *e = *state;
    struct packet frames[3];
    memset(frames, 0, sizeof frames);
    for (uint32_t i = 0; i < 3; i++)
        pfc_holder_receive(&e->holder, &frames[i], (weir_ps)i * 64 * NS);
    for (uint32_t i = 0; i < 3; i++) {
        weir_ps when = 3840 * NS + (weir_ps)i * 64 * NS;
        assert_int_equal(pfc_holder_next(&e->holder), when);
        assert_ptr_equal(pfc_holder_take(&e->holder, when), &frames[i]);
    }
    assert_null(pfc_holder_take(&e->holder, WEIR_NEVER));
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pause_ps__is_quanta_of_512_bits),
        TEST(teller__says_what_is_new),
        TEST(teller__has_nothing_to_say_when_a_wish_is_taken_back),
        TEST(teller__says_a_lasting_pause_again_at_half_time),
        TEST(holder__pauses_until_it_is_told_or_the_time_is_over),
        TEST(holder__a_refresh_makes_a_pause_longer),
        TEST(holder__a_late_resume_is_harmless),
        TEST(holder__processes_frames_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_qpo.c - quasi-pushout: who has the pointer, and who loses a packet to a full buffer.
 */
#include "tests/support/fixture.h"

static void qpo_build(struct fixture *f, const char *settings)
{
    fixture_config(f, 4, 1, 10);
    fixture_build(f, "qpo", settings);
}

/* One cell each, in turn, to these ports. */
static void qpo_send(struct fixture *f, const char *ports)
{
    for (; *ports; ports++)
        assert_true(fixture_accepts(f, (uint32_t)(*ports - '0'), 0, 1, 0));
}

/* The account that loses a packet for one more to `port`. */
static uint32_t qpo_loser(struct fixture *f, uint32_t port)
{
    const struct weir_effects *e = fixture_send(f, port, 0, 1, 0);
    assert_true(e->accepted);
    assert_int_equal(e->lost_count, 1);
    assert_int_equal(e->lost[0].cause, WEIR_CAUSE_PUSHOUT);
    return e->lost[0].account.i;
}

static void qpo_depart(struct fixture *f, uint32_t port, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_true(weir_mmu_depart(f->mmu, (weir_port){port}, 0)->departed);
}

static void qpo_victim__the_longest_that_was_seen(void **unused)
{
    struct fixture f;
    (void)unused;
    qpo_build(&f, NULL);
    qpo_send(&f, "1111122233");
    assert_int_equal(qpo_loser(&f, 0), 1); /* 5 -> 4 */
    assert_int_equal(qpo_loser(&f, 2), 1); /* 4 -> 3, and queue 2 has 4 */
    assert_int_equal(qpo_loser(&f, 3), 2);
    fixture_free(&f);
}

static void qpo_victim__its_own_queue(void **unused)
{
    struct fixture f;
    (void)unused;
    qpo_build(&f, NULL);
    qpo_send(&f, "1111122223");
    assert_int_equal(qpo_loser(&f, 1), 1);
    fixture_free(&f);
}

/* Queue 1 drains from 5 to 1, so that queue 2 with 4 is the longest, which only a packet of it can tell. Then queue 0
 * grows to 3. */
static void qpo_update__input_output_both(void **unused)
{
    static const struct {
        const char *update;
        bool leaves; /* a packet of queue 2 does, and one of queue 3 comes for it */
        uint32_t loser;
    } table[] = {
        {"update=input", false, 0}, {"update=input", true, 0}, {"update=output", false, 1},
        {"update=output", true, 2}, {"update=both", false, 0}, {"update=both", true, 2},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture f;
        qpo_build(&f, table[i].update);
        qpo_send(&f, "1111122220");
        qpo_depart(&f, 1, 4);
        if (table[i].leaves)
            qpo_depart(&f, 2, 1);
        qpo_send(&f, table[i].leaves ? "00333" : "0033");
        assert_int_equal(weir_mmu_packets(f.mmu), 10);
        assert_int_equal(qpo_loser(&f, 3), table[i].loser);
        fixture_free(&f);
    }
}

static void qpo_victim__refuses_what_it_cannot_make_room_for(void **unused)
{
    struct fixture f;
    (void)unused;
    qpo_build(&f, NULL);
    qpo_send(&f, "1112223330");
    assert_int_equal(fixture_offer(&f, 0, 0, 4, 0), WEIR_REASON_NO_ROOM);
    assert_true(fixture_accepts(&f, 0, 0, 3, 0));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qpo_victim__the_longest_that_was_seen),
        cmocka_unit_test(qpo_victim__its_own_queue),
        cmocka_unit_test(qpo_update__input_output_both),
        cmocka_unit_test(qpo_victim__refuses_what_it_cannot_make_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

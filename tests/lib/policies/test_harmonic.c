/*
 * test_harmonic.c - Harmonic: its bounds by hand, and every verdict of random runs against a plain recomputation.
 */
#include "tests/support/fixture.h"

#include "weir/random.h"

struct step {
    uint32_t port;
    weir_cells cells; /* negative: one packet departs and has this size */
    bool refused;
};

/* Runs the steps on four ports and 1000 cells, where the bounds are 480, 720, 879 and 1000. */
static void run(const struct step *steps, size_t count)
{
    struct fixture f;
    fixture_config(&f, 4, 1, 1000);
    fixture_build(&f, "harmonic", NULL);
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &steps[i];
        enum weir_reason expected = s->refused ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE;
        if (s->cells < 0 ? fixture_depart(&f, s->port, 0) != (uint32_t)-s->cells
                         : fixture_offer(&f, s->port, 0, (uint32_t)s->cells, 0) != expected)
            fail_msg("step %u: not as expected", (unsigned)i);
    }
    fixture_free(&f);
}

#define RUN(steps) run(steps, sizeof(steps) / sizeof(steps)[0])

static void admit__fills_every_bound_exactly(void **context)
{
    static const struct step steps[] = {
        {0, 481, true},   {0, 480, false}, {0, 1, true}, /* k = 1 */
        {2, 241, true},   {2, 240, false}, {2, 1, true}, /* k = 2 */
        {1, 160, true},   {1, 159, false}, {1, 1, true}, /* k = 3 */
        {3, 122, true},   {3, 121, false}, {3, 1, true}, /* k = 4: the whole buffer */
        {0, -480, false}, {3, 1, false},
    };
    (void)context;
    RUN(steps);
}

static void admit__arrival_climbs_to_the_top(void **context)
{
    static const struct step steps[] = {
        {0, 200, false}, {1, 250, false}, {2, 230, false}, {0, 281, true}, /* would be 481 at the top */
        {0, 239, true},                                                    /* 439 + 250 + 230 is more than 879 */
        {0, 199, false},                                                   /* 399 + 250 + 230 = 879 */
    };
    (void)context;
    RUN(steps);
}

static void admit__bound_between_old_and_new_rank_decides(void **context)
{
    static const struct step steps[] = {
        {0, 400, false}, {1, 150, false},
        {2, 100, false}, {2, 221, true}, /* 400 + 321 is more than 720; k = 1 (400) and k = 3 (871) would allow it */
        {2, 220, false},
    };
    (void)context;
    RUN(steps);
}

static void admit__empty_account_overtakes_all(void **context)
{
    static const struct step steps[] = {
        {1, 300, false}, {2, 279, false}, {3, 421, true}, {3, 301, true},
        {3, 300, false}, {0, 121, false}, {0, 1, true},
    };
    (void)context;
    RUN(steps);
}

static void admit__departures_make_room_again(void **context)
{
    static const struct step steps[] = {
        {0, 100, false}, {0, 380, false},  {0, 1, true},     {0, -100, false}, {0, 100, false},
        {0, 1, true},    {0, -380, false}, {0, -100, false}, {1, 480, false},  {1, 1, true},
    };
    (void)context;
    RUN(steps);
}

static void admit__single_account_has_the_whole_buffer(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 1, 1, 77);
    fixture_build(&f, "harmonic", NULL);
    assert_int_equal(fixture_offer(&f, 0, 0, 77, 0), WEIR_REASON_NONE);
    assert_int_equal(fixture_offer(&f, 0, 0, 1, 0), WEIR_REASON_OVER_THRESHOLD);
    fixture_free(&f);
}

/* An ingress side that takes everything, so that a class can be lossless. */
static size_t open_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return 1;
}

static void open_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    (void)state;
    (void)view;
    (void)values;
}

static struct weir_verdict open_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state;
    (void)view;
    (void)arrival;
    return weir_accept_if_room();
}

static uint32_t open_pause_mask(const void *state, const struct weir_view *view, weir_port port, uint32_t asked,
                                bool *port_level)
{
    (void)asked;
    (void)state;
    (void)view;
    (void)port;
    *port_level = false;
    return 0;
}

static const struct weir_policy open_ingress = {
    .name = "open",
    .needs = WEIR_NEED_INGRESS,
    .state_size = open_state_size,
    .init = open_init,
    .admit = open_admit,
    .pause_mask = open_pause_mask,
};

static void admit__lossless_classes_are_not_ranked(void **context)
{
    struct fixture f;
    (void)context;
    fixture_config(&f, 4, 2, 1000);
    f.config.lossless_mask = 2;
    f.config.ingress = &open_ingress;
    fixture_build(&f, "harmonic", NULL);
    fixture_fill(&f, 0, 0, 400, 0);
    fixture_fill(&f, 1, 1, 500, 0);
    assert_int_equal(fixture_depart(&f, 1, 0), 500);
    assert_int_equal(fixture_offer(&f, 0, 0, 81, 0), WEIR_REASON_OVER_THRESHOLD); /* 480 of four, not of eight */
    assert_int_equal(fixture_offer(&f, 0, 0, 80, 0), WEIR_REASON_NONE);
    fixture_fill(&f, 1, 1, 500, 0);
    assert_int_equal(fixture_offer(&f, 1, 0, 21, 0), WEIR_REASON_NO_ROOM); /* the bounds would let it in */
    fixture_free(&f);
}

struct shape {
    uint32_t ports, classes;
    weir_cells buffer_cells, private_cells;
    uint32_t bytes_max;
    uint32_t depart_percent;
};

static int compare_longer_first(const void *a, const void *b)
{
    weir_cells left = *(const weir_cells *)a, right = *(const weir_cells *)b;
    return (left < right) - (left > right);
}

/* The rule as it is written: adds the arrival, sorts, and sums from the top. */
static bool plain_refuses(const struct fixture *f, uint32_t account, weir_cells cells)
{
    const struct weir_view *view = weir_mmu_view(f->mmu);
    uint32_t count = view->geometry.accounts;
    weir_cells length[64], sum = 0;
    int64_t all = 0, some = 0;
    assert_true(count <= 64);
    for (uint32_t a = 0; a < count; a++) {
        length[a] = weir_view_shared(view, (weir_account){a});
        all += (1 << 20) / (a + 1);
    }
    length[account] += weir_view_shared_need(view, (weir_account){account}, cells);
    qsort(length, count, sizeof length[0], compare_longer_first);
    for (uint32_t k = 0; k < count; k++) {
        sum += length[k];
        some += (1 << 20) / (k + 1);
        if (sum > view->geometry.shared_cells * some / all)
            return true;
    }
    return false;
}

/* One event of a run in which a few ports are busy at a time, so that many accounts fill and run empty. */
static bool random_event(struct fixture *f, const struct shape *shape, struct weir_random *random, uint32_t event)
{
    uint32_t busy = 1 + event / 1000 % shape->ports;
    uint32_t port = (weir_random_below(random, busy) + event / 5000) % shape->ports;
    uint32_t tc = weir_random_below(random, shape->classes);
    uint32_t kind = weir_random_below(random, 100);
    if (kind < shape->depart_percent) {
        fixture_depart(f, weir_random_below(random, shape->ports), 0);
        return false;
    }
    if (kind == 99 && weir_random_below(random, 20) == 0) {
        weir_mmu_flush(f->mmu, (weir_port){port}, 0);
        return false;
    }
    uint32_t bytes = 1 + weir_random_below(random, shape->bytes_max);
    bool expected = plain_refuses(f, fixture_account(f, port, tc).i, bytes);
    enum weir_reason reason = fixture_offer(f, port, tc, bytes, 0);
    if (reason != (expected ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE))
        fail_msg("event %u: %s, not as expected", event, weir_reason_name(reason));
    return expected;
}

static void admit__random_events_match_a_plain_recomputation(void **context)
{
    enum { EVENTS = 20000 };
    static const struct shape shapes[] = {
        {2, 1, 50, 0, 10, 45},   {3, 1, 200, 5, 40, 40},   {7, 1, 60, 0, 1, 45},   {8, 2, 1000, 0, 100, 48},
        {5, 3, 400, 10, 60, 45}, {16, 4, 5000, 0, 90, 49}, {16, 4, 130, 0, 1, 48}, {33, 1, 3000, 0, 400, 40},
    };
    (void)context;
    for (uint64_t seed = 0; seed < sizeof shapes / sizeof shapes[0]; seed++) {
        const struct shape *shape = &shapes[seed];
        struct fixture f;
        struct weir_random random = {seed, 0};
        uint32_t refused = 0;
        fixture_config(&f, shape->ports, shape->classes, shape->buffer_cells);
        f.config.private_cells[0] = shape->private_cells;
        fixture_build(&f, "harmonic", NULL);
        print_message("seed %u\n", (unsigned)seed);
        for (uint32_t event = 0; event < EVENTS; event++)
            refused += random_event(&f, shape, &random, event);
        assert_in_range(refused, EVENTS / 100, EVENTS / 2);
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__fills_every_bound_exactly),
        cmocka_unit_test(admit__arrival_climbs_to_the_top),
        cmocka_unit_test(admit__bound_between_old_and_new_rank_decides),
        cmocka_unit_test(admit__empty_account_overtakes_all),
        cmocka_unit_test(admit__departures_make_room_again),
        cmocka_unit_test(admit__single_account_has_the_whole_buffer),
        cmocka_unit_test(admit__lossless_classes_are_not_ranked),
        cmocka_unit_test(admit__random_events_match_a_plain_recomputation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

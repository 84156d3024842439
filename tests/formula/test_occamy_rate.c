/*
 * test_occamy_rate.c - how fast a burst may come for Occamy to give it its fair share (paper, section 4.4).
 *
 * The paper prints   R <= V (1 + (1 + aN) / (aM))   (eq. 3)   and rewrites it as   1/a >= (R/V - 1) M - N   (eq. 4).
 * Both say the same, which is checked here with exact integers. But eq. 3 takes DT's formula and puts the expulsion
 * rate V for the line rate C everywhere, also where C is the service rate of the new queues. With new queues served
 * at C and one over-allocated queue that shrinks at V in all (its own line rate and expulsion together), T falls at
 * a (M (R - C) - V) and the old queue can follow while
 *
 *   R <= C + V (1 + aN) / (aM)
 *
 * which agrees with eq. 3 for V = C only. The boundary is measured here by bisection: the largest burst rate at which
 * every burst queue reaches its fair share aB / (1 + a (N + M)) before its first loss.
 */
#include "lines.h"

#define MBPS ((weir_bps)1000000)
#define LINE_RATE (1000 * MBPS)
#define BUFFER 1000000
#define PACKET 150u
#define WARM_UP (40 * WEIR_PS_PER_MS)

static void eq_3__equals_eq_4(void **state)
{
    (void)state;
    for (int64_t a = 1; a <= 32; a++) /* alpha in eighths */
        for (int64_t m = 1; m <= 4; m++)
            for (int64_t n = 1; n <= 4; n++)
                for (int64_t r = 1; r <= 40; r++)
                    for (int64_t v = 1; v <= 10; v++) {
                        bool eq3 = r * a * m <= v * (a * m + 8 + a * n); /* both sides times 8 a m / 8 */
                        bool eq4 = 8 * v >= a * ((r - v) * m - n * v);   /* both sides times 8 a v / 8 */
                        assert_int_equal(eq3, eq4);
                    }
}

struct setting {
    double alpha;
    const char *alpha_text;
    uint32_t bursts;    /* M */
    weir_bps expel_bps; /* memory bandwidth beyond what the busy ports need */
};

/* Shortest burst queue at the first loss of any burst. */
static weir_cells shortest_at_loss(const struct setting *set, weir_bps rate)
{
    static struct lines l;
    weir_cells shortest = BUFFER;
    uint32_t losing = 1;
    lines_config(&l, 1 + set->bursts, BUFFER, PACKET);
    l.f.config.rate_bps = LINE_RATE;
    l.f.config.memory_bps = (1 + set->bursts) * LINE_RATE + set->expel_bps;
    l.f.config.memory_cell_bytes = PACKET;
    lines_build(&l, "occamy", set->alpha_text);
    lines_add(&l, 0, 2 * LINE_RATE, 0, WEIR_NEVER);
    for (uint32_t i = 1; i <= set->bursts; i++)
        lines_add(&l, i, rate, WARM_UP, WEIR_NEVER);
    while (l.source[losing].first_loss_ps == WEIR_NEVER) {
        lines_run(&l, l.now + 10 * WEIR_PS_PER_US, NULL);
        for (uint32_t i = 1; i <= set->bursts; i++)
            if (l.source[i].first_loss_ps < l.source[losing].first_loss_ps)
                losing = i;
    }
    for (uint32_t i = 1; i <= set->bursts; i++)
        if (l.source[i].first_loss_ps != WEIR_NEVER && l.source[i].first_loss_cells < shortest)
            shortest = l.source[i].first_loss_cells;
    fixture_free(&l.f);
    return shortest;
}

static void occamy__boundary_of_fair_allocation(void **state)
{
    static const struct setting settings[] = {
        {1, "alpha=1", 1, LINE_RATE}, {8, "alpha=8", 1, LINE_RATE / 2}, {8, "alpha=8", 1, 2 * LINE_RATE},
        {2, "alpha=2", 2, LINE_RATE}, {8, "alpha=8", 3, 4 * LINE_RATE}, {4, "alpha=4", 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const struct setting *set = &settings[i];
        double fair = set->alpha * BUFFER / (1 + set->alpha * (1 + set->bursts));
        double step = 2 * (1 + set->alpha) * PACKET; /* one packet more or less moves T by alpha packets */
        double line = (double)LINE_RATE, drain = line + (double)set->expel_bps;
        double slope = (1 + set->alpha) / (set->alpha * set->bursts);
        double theory = line + drain * slope, printed = drain * (1 + slope);
        weir_bps low = LINE_RATE + 10 * MBPS, high = 40 * LINE_RATE;
        while (high - low > 5 * MBPS) {
            weir_bps middle = (low + high) / 2 / MBPS * MBPS;
            if ((double)shortest_at_loss(set, middle) >= fair - step)
                low = middle;
            else
                high = middle;
        }
        print_message("%s, M = %u, V = %.1f C: fair up to R = %.2f C; C + V(1+aN)/(aM) = %.2f C; eq. 3 %.2f C\n",
                      set->alpha_text, set->bursts, drain / line, (double)low / line, theory / line, printed / line);
        assert_true((double)low > 0.97 * theory && (double)low < 1.03 * theory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eq_3__equals_eq_4),
        cmocka_unit_test(occamy__boundary_of_fair_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_steady.c - where Dynamic Threshold comes to rest: n saturated accounts hold T = aB / (1 + aN) each, and with
 * different alphas a_i B / (1 + sum a_j), while B / (1 + sum a_j) stays free (Choudhury & Hahne 1998; Occamy, eq. 2,
 * says the same of Occamy, whose admission is DT).
 */
#include "lines.h"

#define GBPS ((weir_bps)1000000000)
#define BUFFER 1000000
#define PACKET 1500u

/* Saturates `ports` ports at twice their rate and checks lengths and free space to within one packet per port. */
static void expect_rest(const char *policy, const char *settings, uint32_t ports, const double *alpha)
{
    static struct lines l;
    double sum = 0;
    lines_config(&l, ports + 2, BUFFER, PACKET);
    l.f.config.rate_bps = GBPS;
    l.f.config.classes = ports; /* port i sends class i, so that alpha can differ */
    lines_build(&l, policy, settings);
    for (uint32_t i = 0; i < ports; i++) {
        lines_add(&l, i, 2 * GBPS, 0, WEIR_NEVER)->tc = i;
        sum += alpha[i];
    }
    lines_run(&l, 100 * WEIR_PS_PER_MS, NULL);
    for (uint32_t i = 0; i < ports; i++) {
        double rest = alpha[i] * BUFFER / (1 + sum), found = (double)fixture_cells(&l.f, i, i);
        print_message("%s %s: port %u holds %.0f B, theory %.0f B\n", policy, settings, i, found, rest);
        assert_true(found <= rest + PACKET && found >= rest - 2 * PACKET);
    }
    double spare = BUFFER / (1 + sum), found = (double)fixture_free_cells(&l.f);
    assert_true(found <= spare + 2.0 * PACKET * ports && found >= spare - PACKET * ports);
    fixture_free(&l.f);
}

static void dt__equal_alphas(void **state)
{
    (void)state;
    expect_rest("dt", "alpha=1", 1, (double[]){1});
    expect_rest("dt", "alpha=1", 4, (double[]){1, 1, 1, 1});
    expect_rest("dt", "alpha=0.5", 3, (double[]){0.5, 0.5, 0.5});
    expect_rest("dt", "alpha=8", 2, (double[]){8, 8});
}

static void dt__mixed_alphas(void **state)
{
    (void)state;
    expect_rest("dt", "alpha=2,1", 2, (double[]){2, 1});
    expect_rest("dt", "alpha=4,1,0.5", 3, (double[]){4, 1, 0.5});
}

static void occamy__reserve_of_eq_2(void **state)
{
    (void)state;
    expect_rest("occamy", "alpha=8", 1, (double[]){8});
    expect_rest("occamy", "alpha=16", 1, (double[]){16});
    expect_rest("occamy", "alpha=8,1", 2, (double[]){8, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dt__equal_alphas),
        cmocka_unit_test(dt__mixed_alphas),
        cmocka_unit_test(occamy__reserve_of_eq_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

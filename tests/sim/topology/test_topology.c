/*
 * test_topology.c - the shapes of sim/topology/build.c link by link, and that every mistake is refused with a message
 * that names it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/topology/topology.h"
#include "tests/support/error_line.h"

#define GBPS ((weir_bps)1000000000)
#define US WEIR_PS_PER_US

static void expect_links(const struct topology *t, const struct topology_link *expected, uint32_t count)
{
    assert_int_equal(t->link_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct topology_link *link = &t->links[i];
        if (link->a != expected[i].a || link->b != expected[i].b || link->rate_bps != expected[i].rate_bps ||
            link->delay_ps != expected[i].delay_ps)
            fail_msg("link %u joins %u and %u at %lld b/s, %lld ps", i, link->a, link->b, (long long)link->rate_bps,
                     (long long)link->delay_ps);
    }
}

static void single__has_one_port_per_host(void **state)
{
    const weir_bps rates[] = {1 * GBPS, 10 * GBPS, 40 * GBPS};
    const struct topology_link expected[] = {{0, 3, 1 * GBPS, US}, {1, 3, 10 * GBPS, US}, {2, 3, 40 * GBPS, US}};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_single(&t, &(struct topology_single){3, rates, 0, US}, &error));
    assert_int_equal(t.hosts, 3);
    assert_int_equal(t.switches, 1);
    assert_int_equal(t.tier[0], 0);
    expect_links(&t, expected, 3);
    topology_free(&t);
    assert_null(t.links);
}

static void dumbbell__ends_with_the_middle(void **state)
{
    const struct topology_link expected[] = {{0, 3, GBPS, 5}, {1, 4, GBPS, 5}, {2, 4, GBPS, 5}, {3, 4, 10 * GBPS, 7}};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_dumbbell(&t, &(struct topology_dumbbell){1, 2, GBPS, 10 * GBPS, 5, 7}, &error));
    expect_links(&t, expected, 4);
    assert_int_equal(t.tier[0] + t.tier[1], 0);
    topology_free(&t);
}

static void leaf_spine__lists_hosts_then_leaf_by_leaf(void **state)
{
    const struct topology_leaf_spine shape = {.leaves = 2,
                                              .spines = 2,
                                              .hosts_per_leaf = 1,
                                              .parallel = 2,
                                              .host_rate_bps = GBPS,
                                              .spine_rate_bps = 4 * GBPS,
                                              .host_delay_ps = 1,
                                              .spine_delay_ps = 2};
    const struct topology_link expected[] = {
        {0, 2, GBPS, 1},     {1, 3, GBPS, 1},     {2, 4, 4 * GBPS, 2}, {2, 4, 4 * GBPS, 2}, {2, 5, 4 * GBPS, 2},
        {2, 5, 4 * GBPS, 2}, {3, 4, 4 * GBPS, 2}, {3, 4, 4 * GBPS, 2}, {3, 5, 4 * GBPS, 2}, {3, 5, 4 * GBPS, 2},
    };
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_leaf_spine(&t, &shape, &error));
    expect_links(&t, expected, 10);
    assert_memory_equal(t.tier, ((uint8_t[]){0, 0, 1, 1}), 4);
    topology_free(&t);
}

/* k = 4: 16 hosts, 8 edges, 8 aggregations, 4 cores; every switch has 4 links. */
static void fat_tree__is_the_one_of_the_paper(void **state)
{
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint32_t degree[36] = {0};
    (void)state;
    assert_true(topology_fat_tree(&t, &(struct topology_fat_tree){4, GBPS, US}, &error));
    assert_int_equal(t.hosts, 16);
    assert_int_equal(t.switches, 20);
    assert_int_equal(t.link_count, 48);
    for (uint32_t i = 0; i < t.link_count; i++) {
        degree[t.links[i].a]++;
        degree[t.links[i].b]++;
    }
    for (uint32_t node = 0; node < 36; node++)
        assert_int_equal(degree[node], node < 16 ? 1 : 4);
    for (uint32_t sw = 0; sw < 20; sw++)
        assert_int_equal(t.tier[sw], sw < 8 ? 0 : sw < 16 ? 1 : 2);
    expect_links(&(struct topology){.links = t.links + 2, .link_count = 1}, &(struct topology_link){2, 17, GBPS, US},
                 1);
    /* the second edge of pod 1 and that pod's aggregations; the second aggregation of pod 3 and cores 2, 3 */
    expect_links(&(struct topology){.links = t.links + 16 + 6, .link_count = 2},
                 (struct topology_link[]){{19, 26, GBPS, US}, {19, 27, GBPS, US}}, 2);
    expect_links(&(struct topology){.links = t.links + 32 + 14, .link_count = 2},
                 (struct topology_link[]){{31, 34, GBPS, US}, {31, 35, GBPS, US}}, 2);
    topology_free(&t);
}

/* Hosts 0, 1; switches 2 .. 5 in a row, hosts at its ends; one more beside the middle. */
static void explicit__tiers_are_distances_to_hosts(void **state)
{
    const struct topology_link links[] = {
        {4, 6, GBPS, 0}, {3, 4, GBPS, 0}, {4, 5, GBPS, 0}, {2, 3, GBPS, 0}, {0, 2, GBPS, 0}, {5, 1, GBPS, 0},
    };
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_explicit(&t, &(struct topology_explicit){2, 5, links, 6}, &error));
    expect_links(&t, links, 6);
    assert_memory_equal(t.tier, ((uint8_t[]){0, 1, 1, 0, 2}), 5);
    topology_free(&t);
}

/* A chain so long that tiers end: they stay at 255. */
static void explicit__tiers_saturate(void **state)
{
    enum { SWITCHES = 300 };
    static struct topology_link links[SWITCHES + 1];
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    for (uint32_t i = 0; i < SWITCHES - 1; i++)
        links[i] = (struct topology_link){2 + i, 3 + i, GBPS, 0};
    links[SWITCHES - 1] = (struct topology_link){0, 2, GBPS, 0};
    links[SWITCHES] = (struct topology_link){1, 2, GBPS, 0};
    assert_true(topology_explicit(&t, &(struct topology_explicit){2, SWITCHES, links, SWITCHES + 1}, &error));
    for (uint32_t i = 0; i < SWITCHES; i++)
        assert_int_equal(t.tier[i], i < 255 ? i : 255);
    topology_free(&t);
}

static void check__names_each_mistake(void **state)
{
    static const struct {
        uint32_t link; /* of the three below; what it becomes */
        struct topology_link changed;
        const char *expected;
    } cases[] = {
        {0, {0, 9, GBPS, 0}, "link 0 (0 to 9) joins a node that does not exist"},
        {1, {3, 3, GBPS, 0}, "link 1 (3 to 3) joins a node to itself"},
        {1, {1, 0, GBPS, 0}, "joins two hosts"},
        {2, {2, 3, 999999, 0}, "rate outside of 1 Mb/s to 100 Tb/s"},
        {2, {2, 3, 100000 * GBPS + 1, 0}, "rate outside of 1 Mb/s to 100 Tb/s"},
        {2, {2, 3, GBPS, -1}, "delay outside of 0 to 100 s"},
        {2, {2, 3, GBPS, 100 * WEIR_PS_PER_S + 1}, "delay outside of 0 to 100 s"},
        {2, {0, 3, GBPS, 0}, "host 0 has 2 links; 1 to 1 are possible"},
        {1, {2, 3, GBPS, 0}, "host 1 has 0 links"},
        {2, {1, 3, GBPS, 0}, "host 1 has 2 links"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topology_link links[] = {{0, 2, GBPS, 0}, {1, 3, GBPS, 0}, {2, 3, GBPS, 0}};
        struct topology t;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_true(topology_explicit(&t, &(struct topology_explicit){2, 2, links, 3}, &error));
        topology_free(&t);
        links[cases[i].link] = cases[i].changed;
        if (topology_explicit(&t, &(struct topology_explicit){2, 2, links, 3}, &error) ||
            !strstr(ERROR_LINE(&error), cases[i].expected))
            fail_msg("case %u: \"%s\" instead of \"%s\"", i, ERROR_LINE(&error), cases[i].expected);
        assert_null(t.links);
    }
}

static void check__wants_one_network(void **state)
{
    const struct topology_link apart[] = {{0, 4, GBPS, 0}, {1, 4, GBPS, 0}, {2, 5, GBPS, 0}, {3, 5, GBPS, 0}};
    const struct topology_link lonely[] = {{0, 2, GBPS, 0}, {1, 2, GBPS, 0}};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_false(topology_explicit(&t, &(struct topology_explicit){4, 2, apart, 4}, &error));
    assert_string_equal(ERROR_LINE(&error), "topology: no path joins host 2 to host 0");
    assert_false(topology_explicit(&t, &(struct topology_explicit){2, 2, lonely, 2}, &error));
    assert_string_equal(ERROR_LINE(&error), "topology: switch 1 has 0 links; 1 to 65535 are possible");
    assert_false(topology_explicit(&t, &(struct topology_explicit){2, 1, lonely, 0}, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "0 links"));
    assert_false(topology_explicit(&t, &(struct topology_explicit){1, 1, lonely, 1}, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "1 hosts and 1 switches"));
    assert_false(topology_explicit(&t, &(struct topology_explicit){UINT32_MAX, UINT32_MAX, lonely, 1}, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "too large"));
}

static void builders__refuse_shapes_out_of_range(void **state)
{
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_false(topology_single(&t, &(struct topology_single){1, NULL, GBPS, 0}, &error));
    assert_false(topology_single(&t, &(struct topology_single){0, NULL, GBPS, 0}, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "hosts is 0"));
    assert_false(topology_single(&t, &(struct topology_single){65536, NULL, GBPS, 0}, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "switch 0 has 65536 links"));
    assert_false(topology_dumbbell(&t, &(struct topology_dumbbell){0, 2, GBPS, GBPS, 0, 0}, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "left is 0"));
    assert_false(topology_dumbbell(&t, &(struct topology_dumbbell){1, UINT32_MAX, GBPS, GBPS, 0, 0}, &error));
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t v[4] = {2, 2, 2, 2};
        struct topology_leaf_spine shape = {2, 2, 2, 2, GBPS, GBPS, 0, 0};
        for (uint32_t bad = 0; bad < 2; bad++) {
            v[k] = bad ? UINT32_MAX : 0;
            shape.leaves = v[0], shape.spines = v[1], shape.hosts_per_leaf = v[2], shape.parallel = v[3];
            assert_false(topology_leaf_spine(&t, &shape, &error));
            assert_null(t.links);
        }
    }
    const uint32_t wrong_k[] = {0, 1, 3, 7, 322, 1u << 31, UINT32_MAX};
    for (uint32_t i = 0; i < sizeof wrong_k / sizeof wrong_k[0]; i++) {
        assert_false(topology_fat_tree(&t, &(struct topology_fat_tree){wrong_k[i], GBPS, 0}, &error));
        assert_non_null(strstr(ERROR_LINE(&error), "an even number from 2 to 320"));
    }
    assert_false(topology_fat_tree(&t, &(struct topology_fat_tree){4, 0, 0}, &error));
    assert_null(t.links);
}

static void builders__reach_the_largest(void **state)
{
    const struct topology_leaf_spine wide = {250, 40, 40, 1, GBPS, GBPS, 0, 0};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_leaf_spine(&t, &wide, &error));
    assert_int_equal(t.hosts, 10000);
    topology_free(&t);
    assert_true(topology_fat_tree(&t, &(struct topology_fat_tree){32, GBPS, 0}, &error));
    assert_int_equal(t.hosts, 8192);
    assert_int_equal(t.switches, 1280);
    topology_free(&t);
    assert_true(topology_fat_tree(&t, &(struct topology_fat_tree){2, GBPS, 0}, &error));
    assert_int_equal(t.hosts, 2);
    assert_int_equal(t.switches, 5);
    topology_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single__has_one_port_per_host),
        cmocka_unit_test(dumbbell__ends_with_the_middle),
        cmocka_unit_test(leaf_spine__lists_hosts_then_leaf_by_leaf),
        cmocka_unit_test(fat_tree__is_the_one_of_the_paper),
        cmocka_unit_test(explicit__tiers_are_distances_to_hosts),
        cmocka_unit_test(explicit__tiers_saturate),
        cmocka_unit_test(check__names_each_mistake),
        cmocka_unit_test(check__wants_one_network),
        cmocka_unit_test(builders__refuse_shapes_out_of_range),
        cmocka_unit_test(builders__reach_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

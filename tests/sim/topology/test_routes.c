/*
 * test_routes.c - routes of known shapes, and of random networks with failed links against distances found by the
 * simplest means there is: relaxing every link until nothing changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/topology/routes.h"
#include "tests/support/error_line.h"

#define GBPS ((weir_bps)1000000000)
#define SWITCHES_MAX 12u
#define LINKS_MAX 64u
#define ROUNDS 300u

static void expect_group(const struct routes *r, uint32_t at, uint32_t to, const uint32_t *ports, uint32_t count)
{
    struct routes_group group = routes_group(r, at, to);
    assert_int_equal(group.count, count);
    assert_memory_equal(&r->ports[group.first], ports, count * sizeof *ports);
}

/* 3 leaves of 2 hosts, 2 spines by 2 links each: a leaf's ports 2 .. 5 lead up. */
static struct topology three_leaves(void)
{
    const struct topology_leaf_spine shape = {3, 2, 2, 2, GBPS, GBPS, 0, 0};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_true(topology_leaf_spine(&t, &shape, &error));
    return t;
}

static void init__leaf_spine(void **state)
{
    struct topology t = three_leaves();
    struct routes r;
    (void)state;
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    assert_int_equal(r.columns, 3);
    for (uint32_t host = 0; host < 6; host++) {
        assert_int_equal(r.host_switch[host], host / 2);
        assert_int_equal(r.host_port[host], host % 2);
    }
    expect_group(&r, 0, 1, (uint32_t[]){2, 3, 4, 5}, 4);
    expect_group(&r, 2, 0, (uint32_t[]){2, 3, 4, 5}, 4);
    expect_group(&r, 3, 1, (uint32_t[]){2, 3}, 2);
    expect_group(&r, 4, 2, (uint32_t[]){4, 5}, 2);
    assert_int_equal(routes_port(&r, 1, 3, 99, false), 1);
    routes_free(&r);
    assert_null(r.group);
    topology_free(&t);
}

/* Link 6 is leaf 0's first to spine 0; without 6 and 7 that spine still reaches leaf 0, by way of another leaf. */
/* Leaf 0 sends to leaf 1 by four ports, two to each spine, and a spine has two to leaf 1: what of the second choice is
 * left, by the first. */
static void port__choices_by_hash(void **state)
{
    static const struct {
        struct routes_hash hash;
        bool uses[4][2]; /* by the port of the leaf: does the spine use its first port to leaf 1, and its second? */
    } cases[] = {
        {{.seed = 3}, {{true, true}, {true, true}, {true, true}, {true, true}}},
        /* floor(4 h), floor(2 h): who chose a link to the first spine finds one port there */
        {{.seed = 3, .unsalted = true}, {{true, false}, {true, false}, {false, true}, {false, true}}},
        /* h mod 4, h mod 2 */
        {{.seed = 3, .unsalted = true, .modulo = true}, {{true, false}, {false, true}, {true, false}, {false, true}}},
    };
    struct topology t = three_leaves();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct routes r;
        bool uses[4][2] = {{false}};
        assert_true(routes_init(&r, &t, cases[i].hash));
        for (uint32_t flow = 0; flow < 1000; flow++) {
            uint32_t up = routes_port(&r, 0, 2, flow, false) - 2, down = routes_port(&r, 3 + up / 2, 2, flow, false);
            assert_true(up < 4 && down >= 2 && down < 4);
            uses[up][down - 2] = true;
        }
        assert_memory_equal(uses, cases[i].uses, sizeof uses);
        routes_free(&r);
    }
    topology_free(&t);
}

static void compute__avoids_failed_links(void **state)
{
    struct topology t = three_leaves();
    struct routes r;
    bool up[18];
    (void)state;
    memset(up, true, sizeof up);
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    up[6] = false;
    assert_true(routes_compute(&r, &t, up));
    expect_group(&r, 0, 1, (uint32_t[]){3, 4, 5}, 3);
    expect_group(&r, 3, 0, (uint32_t[]){1}, 1);
    up[7] = false;
    assert_true(routes_compute(&r, &t, up));
    expect_group(&r, 0, 1, (uint32_t[]){4, 5}, 2);
    expect_group(&r, 3, 0, (uint32_t[]){2, 3, 4, 5}, 4);
    up[8] = up[9] = false;
    assert_true(routes_compute(&r, &t, up));
    assert_int_equal(routes_group(&r, 0, 1).count, 0);
    assert_int_equal(routes_group(&r, 2, 0).count, 0);
    assert_int_equal(routes_port(&r, 2, 0, 7, false), ROUTES_NO_PORT);
    expect_group(&r, 1, 2, (uint32_t[]){2, 3, 4, 5}, 4);
    assert_true(routes_compute(&r, &t, NULL));
    expect_group(&r, 0, 1, (uint32_t[]){2, 3, 4, 5}, 4);
    routes_free(&r);
    topology_free(&t);
}

/* A pin chooses a neighbour, with all links to it, among the shortest ways; where it leads elsewhere it has no effect.
 */
static void compute__pins_choose_among_equals(void **state)
{
    struct topology t = three_leaves();
    const struct routes_pin pins[] = {{0, 1, 4}, {0, 2, 1}, {3, 0, 2}};
    struct routes r;
    bool up[18];
    (void)state;
    memset(up, true, sizeof up);
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    r.pins = pins;
    r.pin_count = 3;
    assert_true(routes_compute(&r, &t, NULL));
    expect_group(&r, 0, 1, (uint32_t[]){4, 5}, 2);
    expect_group(&r, 0, 2, (uint32_t[]){2, 3, 4, 5}, 4); /* leaf 1 is no neighbour */
    expect_group(&r, 3, 0, (uint32_t[]){0, 1}, 2);       /* not by way of leaf 2 */
    expect_group(&r, 2, 1, (uint32_t[]){2, 3, 4, 5}, 4);
    up[6] = up[7] = false; /* leaf 0 to spine 0: now the detour is the shortest way, and pinned */
    assert_true(routes_compute(&r, &t, up));
    expect_group(&r, 3, 0, (uint32_t[]){4, 5}, 2);
    up[8] = false; /* one of the two links of the pinned way */
    assert_true(routes_compute(&r, &t, up));
    expect_group(&r, 0, 1, (uint32_t[]){5}, 1);
    routes_free(&r);
    topology_free(&t);
}

/* A connected random network: a random tree of switches, more links, hosts anywhere. */
static void random_network(struct weir_random *random, struct topology *t)
{
    struct topology_link links[LINKS_MAX];
    uint32_t hosts = 2 + weir_random_below(random, 6), switches = 1 + weir_random_below(random, SWITCHES_MAX);
    uint32_t count = 0, extra = weir_random_below(random, 2 * switches);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    for (uint32_t sw = 1; sw < switches; sw++)
        links[count++] = (struct topology_link){hosts + sw, hosts + weir_random_below(random, sw), GBPS, 0};
    for (uint32_t i = 0; i < hosts; i++)
        links[count++] = (struct topology_link){i, hosts + weir_random_below(random, switches), GBPS, 0};
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t a = weir_random_below(random, switches), b = weir_random_below(random, switches);
        if (a != b)
            links[count++] = (struct topology_link){hosts + a, hosts + b, GBPS, 0};
    }
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t j = weir_random_below(random, i + 1);
        struct topology_link swap = links[i];
        links[i] = links[j];
        links[j] = swap;
    }
    if (!topology_explicit(t, &(struct topology_explicit){hosts, switches, links, count}, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

static void naive_distances(const struct topology *t, const bool *up, uint32_t to, uint32_t distance[SWITCHES_MAX])
{
    bool changed = true;
    for (uint32_t sw = 0; sw < t->switches; sw++)
        distance[sw] = sw == to ? 0 : 1000;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < 2 * t->link_count; i++) {
            const struct topology_link *link = &t->links[i / 2];
            uint32_t a = i % 2 ? link->a : link->b, b = i % 2 ? link->b : link->a;
            if (!up[i / 2] || a < t->hosts || b < t->hosts || distance[a - t->hosts] + 1 >= distance[b - t->hosts])
                continue;
            distance[b - t->hosts] = distance[a - t->hosts] + 1;
            changed = true;
        }
    }
}

/* The group of `at` by definition: its ports ordered by link, those kept that come one step nearer. */
static uint32_t naive_group(const struct topology *t, const bool *up, const uint32_t *distance, uint32_t at,
                            uint32_t ports[LINKS_MAX])
{
    uint32_t port = 0, count = 0, node = t->hosts + at;
    for (uint32_t i = 0; i < t->link_count; i++) {
        if (t->links[i].a != node && t->links[i].b != node)
            continue;
        uint32_t far = topology_far_end(&t->links[i], node);
        if (far >= t->hosts && up[i] && distance[far - t->hosts] + 1 == distance[at] && distance[at] < 1000)
            ports[count++] = port;
        port++;
    }
    return count;
}

static void compare_with_naive(const struct topology *t, const struct routes *r, const bool *up, uint32_t seed)
{
    uint32_t distance[SWITCHES_MAX], ports[LINKS_MAX];
    for (uint32_t to = 0; to < r->columns; to++) {
        naive_distances(t, up, to, distance);
        for (uint32_t at = 0; at < t->switches; at++) {
            uint32_t count = naive_group(t, up, distance, at, ports);
            struct routes_group group = routes_group(r, at, to);
            if (group.count != count || (count && memcmp(&r->ports[group.first], ports, count * sizeof *ports) != 0))
                fail_msg("seed %u: group of switch %u to %u has %u ports, should have %u", seed, at, to, group.count,
                         count);
        }
    }
}

static void compute__random_networks(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < ROUNDS; seed++) {
        struct weir_random random = {.key = weir_hash(17, seed)};
        struct topology t;
        struct routes r;
        bool up[LINKS_MAX];
        random_network(&random, &t);
        memset(up, true, sizeof up);
        assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
        compare_with_naive(&t, &r, up, seed);
        for (uint32_t i = 0; i < t.link_count; i++)
            up[i] = weir_random_below(&random, 4) != 0;
        assert_true(routes_compute(&r, &t, up));
        compare_with_naive(&t, &r, up, seed);
        routes_free(&r);
        topology_free(&t);
    }
}

/* A network of a kind with structure. */
static struct topology random_shape(struct weir_random *random)
{
    const uint32_t a = 1 + weir_random_below(random, 4), b = 1 + weir_random_below(random, 4);
    const struct topology_leaf_spine clos = {
        a + 1, b, 1 + weir_random_below(random, 3), 1 + weir_random_below(random, 3), GBPS, GBPS, 0, 0};
    const struct topology_dumbbell dumbbell = {a, b, GBPS, GBPS, 0, 0};
    const struct topology_fat_tree tree = {2 + 2 * weir_random_below(random, 4), GBPS, 0};
    const struct topology_single single = {a + 1, NULL, GBPS, 0};
    struct topology t;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint32_t kind = weir_random_below(random, 8);
    if (!(kind < 4    ? topology_fat_tree(&t, &tree, &error)
          : kind < 6  ? topology_leaf_spine(&t, &clos, &error)
          : kind == 6 ? topology_dumbbell(&t, &dumbbell, &error)
                      : topology_single(&t, &single, &error)))
        fail_msg("%s", ERROR_LINE(&error));
    return t;
}

static void expect_same(const struct routes *r, const struct routes *searched, uint32_t seed)
{
    for (uint32_t at = 0; at < r->switches; at++)
        for (uint32_t to = 0; to < r->columns; to++) {
            struct routes_group group = routes_group(r, at, to), other = routes_group(searched, at, to);
            if (at != to && (group.count != other.count || memcmp(&r->ports[group.first], &searched->ports[other.first],
                                                                  group.count * sizeof *r->ports) != 0))
                fail_msg("seed %u: switch %u to %u: %u ports, a search finds %u", seed, at, to, group.count,
                         other.count);
        }
}

/* What is computed by arithmetic is what a search finds, whatever links failed and whatever is pinned. */
static void compute__structure_is_as_searched(void **state)
{
    uint32_t shared = 0;
    (void)state;
    for (uint32_t seed = 0; seed < ROUNDS; seed++) {
        struct weir_random random = {.key = weir_hash(18, seed)};
        struct topology t = random_shape(&random), plain = t;
        struct routes r, searched;
        bool up[512];
        struct routes_pin pins[4];
        assert_true(t.link_count <= 512);
        plain.ways = NULL;
        memset(up, true, sizeof up);
        assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
        assert_true(routes_init(&searched, &plain, (struct routes_hash){.seed = 1}));
        expect_same(&r, &searched, seed);
        const uint32_t one_in[] = {200, 40, 4};
        for (uint32_t round = 0; round < 3; round++) {
            r.pins = searched.pins = pins;
            r.pin_count = searched.pin_count = weir_random_below(&random, 5);
            for (uint32_t i = 0; i < 4; i++)
                pins[i] =
                    (struct routes_pin){weir_random_below(&random, t.switches), weir_random_below(&random, r.columns),
                                        weir_random_below(&random, t.switches)};
            for (uint32_t i = 0; i < t.link_count; i++)
                up[i] = weir_random_below(&random, one_in[round]) != 0;
            assert_true(routes_compute(&r, &t, up));
            assert_true(routes_compute(&searched, &plain, up));
            expect_same(&r, &searched, seed);
            shared += r.rows < r.switches;
        }
        routes_free(&r);
        routes_free(&searched);
        topology_free(&t);
    }
    assert_true(shared > ROUNDS);
}

/* The walk of a flow: from its source's switch to its destination, port by port. */
static uint32_t walk(const struct topology *t, const struct routes *r, uint32_t source, uint32_t to, uint32_t flow)
{
    uint32_t at = r->host_switch[source], hops = 1;
    for (;;) {
        uint32_t port = routes_port(r, at, to, flow, false);
        uint32_t far = topology_far_end(&t->links[r->port_link[r->port_first[at] + port]], t->hosts + at);
        hops++;
        if (far < t->hosts)
            return far == to ? hops : 0;
        at = far - t->hosts;
    }
}

static void port__leads_to_the_host(void **state)
{
    struct topology t;
    struct routes r;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_fat_tree(&t, &(struct topology_fat_tree){4, GBPS, 0}, &error));
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    for (uint32_t source = 0; source < 16; source++)
        for (uint32_t to = 0; to < 16; to++)
            if (source != to)
                assert_int_equal(walk(&t, &r, source, to, source * 16 + to), source / 2 == to / 2   ? 2
                                                                             : source / 4 == to / 4 ? 4
                                                                                                    : 6);
    routes_free(&r);
    topology_free(&t);
}

/* 16000 flows over 4 ports: 4000 each with a standard deviation of 55. The two directions choose independently. */
static void choose__spreads_flows_evenly(void **state)
{
    uint32_t times[4] = {0}, both = 0;
    (void)state;
    for (uint32_t flow = 1; flow <= 16000; flow++) {
        uint32_t choice = routes_choose(routes_salt(1, 7), flow, false, 4);
        times[choice]++;
        both += choice == routes_choose(routes_salt(1, 7), flow, true, 4);
        assert_int_equal(choice, routes_choose(routes_salt(1, 7), flow, false, 4));
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(times[i], 4000 - 4 * 55, 4000 + 4 * 55);
    assert_in_range(both, 4000 - 4 * 55, 4000 + 4 * 55);
}

/* Another seed, or another switch, chooses independently: a quarter of the flows takes the same of 4 ports. */
static void choose__depends_on_seed_and_switch(void **state)
{
    uint32_t seeds = 0, nodes = 0;
    (void)state;
    for (uint32_t flow = 1; flow <= 16000; flow++) {
        uint32_t choice = routes_choose(routes_salt(1, 7), flow, false, 4);
        seeds += choice == routes_choose(routes_salt(2, 7), flow, false, 4);
        nodes += choice == routes_choose(routes_salt(1, 8), flow, false, 4);
    }
    assert_in_range(seeds, 4000 - 4 * 55, 4000 + 4 * 55);
    assert_in_range(nodes, 4000 - 4 * 55, 4000 + 4 * 55);
}

/* Switches share rows: those of a tier, and of a pod. A failed link takes few out of theirs: the edge whose port it
 * was, other edges, of which none goes there by it, its aggregation, those in other pods that do so, and their cores.
 * Where nothing is known of a network, equal groups share their ports, or k = 32 would need 34 MB for them. */
static void init__large_networks_stay_small(void **state)
{
    const struct topology_leaf_spine wide = {250, 40, 40, 1, GBPS, GBPS, 0, 0};
    struct topology t;
    struct routes r;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(topology_fat_tree(&t, &(struct topology_fat_tree){32, GBPS, 0}, &error));
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    assert_int_equal(r.columns, 512);
    assert_int_equal(r.rows, 34);
    assert_int_equal(walk(&t, &r, 0, 8191, 1), 6);
    bool *up = malloc(t.link_count * sizeof *up);
    assert_non_null(up);
    memset(up, true, t.link_count * sizeof *up);
    up[t.hosts + 5] = false; /* edge 0 to aggregation 5 of its pod */
    assert_true(routes_compute(&r, &t, up));
    assert_in_range(r.rows, 36, 80);
    free(up);
    routes_free(&r);
    t.ways = NULL;
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    assert_true(r.port_room < 200000);
    assert_int_equal(walk(&t, &r, 0, 8191, 1), 6);
    routes_free(&r);
    topology_free(&t);
    assert_true(topology_leaf_spine(&t, &wide, &error));
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    assert_true(r.port_room < 100000);
    assert_int_equal(walk(&t, &r, 0, 9999, 1), 4);
    routes_free(&r);
    topology_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__leaf_spine),
        cmocka_unit_test(port__choices_by_hash),
        cmocka_unit_test(compute__avoids_failed_links),
        cmocka_unit_test(compute__pins_choose_among_equals),
        cmocka_unit_test(compute__random_networks),
        cmocka_unit_test(compute__structure_is_as_searched),
        cmocka_unit_test(port__leads_to_the_host),
        cmocka_unit_test(choose__spreads_flows_evenly),
        cmocka_unit_test(choose__depends_on_seed_and_switch),
        cmocka_unit_test(init__large_networks_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

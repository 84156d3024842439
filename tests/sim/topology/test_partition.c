/*
 * test_partition.c - parts of networks are about equal and keep together what belongs together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sim/topology/partition.h"

#define GBPS 1000000000

/* 1024 hosts. A spine has twice the links of a leaf. */
static const struct topology_leaf_spine large = {.leaves = 32,
                                                 .spines = 8,
                                                 .hosts_per_leaf = 32,
                                                 .parallel = 4,
                                                 .host_rate_bps = 10 * (weir_bps)GBPS,
                                                 .spine_rate_bps = 10 * (weir_bps)GBPS};

struct parts {
    uint32_t hosts[32], switches[32];
    uint32_t cut, apart; /* links between parts; hosts in another part than their switch */
};

static struct parts divide(const struct topology *t, uint32_t count)
{
    uint32_t *part = calloc(t->hosts + t->switches, sizeof *part);
    struct parts parts = {.cut = 0};
    assert_true(partition_nodes(t, count, part));
    for (uint32_t node = 0; node < t->hosts + t->switches; node++) {
        assert_true(part[node] < count);
        (node < t->hosts ? parts.hosts : parts.switches)[part[node]]++;
    }
    for (uint32_t i = 0; i < t->link_count; i++) {
        bool cut = part[t->links[i].a] != part[t->links[i].b];
        parts.cut += cut;
        parts.apart += cut && (t->links[i].a < t->hosts || t->links[i].b < t->hosts);
    }
    free(part);
    return parts;
}

/* Leaves with their hosts, and half of the spines, on either side: half of the links between switches are cut. */
static void partition__halves_a_leaf_spine(void **state)
{
    const struct topology_leaf_spine shape = {.leaves = 8,
                                              .spines = 4,
                                              .hosts_per_leaf = 16,
                                              .parallel = 2,
                                              .host_rate_bps = 10 * (weir_bps)GBPS,
                                              .spine_rate_bps = 10 * (weir_bps)GBPS};
    struct topology t;
    (void)state;
    assert_true(topology_leaf_spine(&t, &shape, NULL));
    struct parts parts = divide(&t, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(parts.hosts[i], 64);
        assert_int_equal(parts.switches[i], 6);
    }
    assert_int_equal(parts.apart, 0);
    assert_int_equal(parts.cut, 8 * 4 * 2 / 2);
    topology_free(&t);
}

/* Servers whose hosts are on different leaves stay whole; other loads are as even as before. */
static void partition__keeps_servers_together(void **state)
{
    struct topology_leaf_spine shape = large;
    struct topology t;
    (void)state;
    assert_true(topology_leaf_spine(&t, &shape, NULL));
    for (uint32_t i = 0; i < t.link_count; i++) /* host h is on leaf h % leaves: a rail for each place */
        if (t.links[i].a < t.hosts)
            t.links[i].b = t.hosts + t.links[i].a % shape.leaves;
    t.server = (struct topology_server){8, 1, 1};
    uint32_t *part = calloc(t.hosts + t.switches, sizeof *part);
    for (uint32_t parts = 2; parts <= 8; parts *= 2) {
        uint32_t most = 0, hosts[8] = {0};
        assert_true(partition_ranks(&t, 2, parts / 2, part));
        for (uint32_t h = 0; h < t.hosts; h++) {
            assert_int_equal(part[h], part[h - h % 8]);
            most = ++hosts[part[h]] > most ? hosts[part[h]] : most;
        }
        assert_in_range(most, t.hosts / parts, t.hosts / parts * 5 / 4);
    }
    free(part);
    topology_free(&t);
}

/* Pods stay whole; what is cut are links to the core. */
static void partition__keeps_pods_together(void **state)
{
    const struct topology_fat_tree shape = {.k = 8, .rate_bps = 10 * (weir_bps)GBPS};
    struct topology t;
    (void)state;
    assert_true(topology_fat_tree(&t, &shape, NULL));
    struct parts parts = divide(&t, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(parts.hosts[i], 32);
        assert_int_equal(parts.switches[i], 2 * 8 + 4);
    }
    assert_int_equal(parts.apart, 0);
    assert_int_equal(parts.cut, 16 * 8 * 3 / 4); /* each core switch has 2 of its 8 pods with it */
    topology_free(&t);
}

/* Where switches cannot be divided evenly, hosts even it out. */
static void partition__moves_hosts_to_even_out(void **state)
{
    struct topology t;
    (void)state;
    assert_true(topology_single(&t, &(struct topology_single){.hosts = 16, .rate_bps = 10 * (weir_bps)GBPS}, NULL));
    struct parts parts = divide(&t, 2);
    assert_int_equal(parts.switches[0] + parts.switches[1], 1);
    assert_int_equal(parts.hosts[parts.switches[0] ? 0 : 1], 0); /* the switch is more than half of the load */
    topology_free(&t);
    const struct topology_leaf_spine shape = {.leaves = 4,
                                              .spines = 2,
                                              .hosts_per_leaf = 32,
                                              .parallel = 4,
                                              .host_rate_bps = 10 * (weir_bps)GBPS,
                                              .spine_rate_bps = 10 * (weir_bps)GBPS};
    assert_true(topology_leaf_spine(&t, &shape, NULL));
    parts = divide(&t, 3);
    assert_true(parts.apart > 0 && parts.apart < 64);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(parts.hosts[i] > 0 && parts.switches[i] > 0);
    topology_free(&t);
}

/* A spine is as heavy as a part should be: it has one to itself, instead of coming on top of a rack. */
static void partition__gives_heavy_switches_their_own(void **state)
{
    struct topology t;
    uint32_t most = 0;
    (void)state;
    assert_true(topology_leaf_spine(&t, &large, NULL));
    struct parts parts = divide(&t, 32);
    for (uint32_t i = 0; i < 32; i++)
        most = parts.switches[i] > most ? parts.switches[i] : most;
    assert_int_equal(most, 2); /* leaves, which have half of the links of a spine */
    uint32_t *part = calloc(t.hosts + t.switches, sizeof *part);
    assert_true(partition_nodes(&t, 32, part));
    for (uint32_t s = 0; s < t.switches; s++)
        if (t.tier[s] == 1)
            assert_int_equal(parts.switches[part[t.hosts + s]], 1);
    free(part);
    topology_free(&t);
}

/* More parts than there is anything to put into them. */
static void partition__leaves_parts_empty(void **state)
{
    struct topology t;
    (void)state;
    assert_true(topology_single(&t, &(struct topology_single){.hosts = 2, .rate_bps = GBPS}, NULL));
    struct parts parts = divide(&t, 8);
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < 8; i++)
        nodes += parts.hosts[i] + parts.switches[i];
    assert_int_equal(nodes, 3);
    topology_free(&t);
}

/* The parts of a rank are rank * threads and those after it, and have the nodes that it has without threads. */
static void partition_ranks__divides_ranks_first(void **state)
{
    struct topology t;
    (void)state;
    assert_true(topology_leaf_spine(&t, &large, NULL));
    uint32_t nodes = t.hosts + t.switches, *rank = calloc(nodes, sizeof *rank), *part = calloc(nodes, sizeof *part);
    for (uint32_t ranks = 1; ranks <= 5; ranks++)
        for (uint32_t threads = 1; threads <= 5; threads++) {
            assert_true(partition_nodes(&t, ranks, rank));
            assert_true(partition_ranks(&t, ranks, threads, part));
            for (uint32_t node = 0; node < nodes; node++)
                assert_int_equal(part[node] / threads, rank[node]);
        }
    assert_true(partition_nodes(&t, 5, rank));
    assert_true(partition_ranks(&t, 1, 5, part));
    assert_memory_equal(part, rank, nodes * sizeof *part);
    free(rank);
    free(part);
    topology_free(&t);
}

/* Ends of links, those of hosts half as much. */
static void add_load(const struct topology *t, const uint32_t *part, double *load)
{
    for (uint32_t i = 0; i < t->link_count; i++) {
        load[part[t->links[i].a]] += t->links[i].a < t->hosts ? 0.5 : 1;
        load[part[t->links[i].b]] += t->links[i].b < t->hosts ? 0.5 : 1;
    }
}

/* Also where a rank has two spines for four threads. */
static void partition_ranks__is_even(void **state)
{
    static const struct {
        uint32_t ranks, threads;
    } cases[] = {{2, 2}, {4, 2}, {2, 4}, {4, 4}, {3, 3}};
    struct topology t;
    (void)state;
    assert_true(topology_leaf_spine(&t, &large, NULL));
    uint32_t *part = calloc(t.hosts + t.switches, sizeof *part);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t parts = cases[i].ranks * cases[i].threads;
        double load[16] = {0}, all = 0;
        assert_true(partition_ranks(&t, cases[i].ranks, cases[i].threads, part));
        add_load(&t, part, load);
        for (uint32_t k = 0; k < parts; k++)
            all += load[k];
        for (uint32_t k = 0; k < parts; k++)
            assert_true(load[k] < 1.03 * 1.05 * all / parts && load[k] > 0.8 * all / parts);
    }
    free(part);
    topology_free(&t);
}

/* A rank may have hosts alone, or nothing. */
static void partition_ranks__has_hosts_without_a_switch(void **state)
{
    struct topology t;
    uint32_t part[17], parts[8] = {0};
    (void)state;
    assert_true(topology_single(&t, &(struct topology_single){.hosts = 16, .rate_bps = GBPS}, NULL));
    assert_true(partition_ranks(&t, 2, 4, part));
    for (uint32_t node = 0; node < 17; node++) {
        assert_true(part[node] < 8);
        parts[part[node]]++;
    }
    uint32_t other = part[16] < 4 ? 4 : 0; /* first part of the rank without the switch */
    for (uint32_t i = other; i < other + 4; i++)
        assert_int_equal(parts[i], 4);
    assert_true(partition_ranks(&t, 40, 2, part));
    for (uint32_t node = 0; node < 17; node++)
        assert_true(part[node] < 80);
    topology_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partition__halves_a_leaf_spine),
        cmocka_unit_test(partition__keeps_pods_together),
        cmocka_unit_test(partition__keeps_servers_together),
        cmocka_unit_test(partition__moves_hosts_to_even_out),
        cmocka_unit_test(partition__gives_heavy_switches_their_own),
        cmocka_unit_test(partition__leaves_parts_empty),
        cmocka_unit_test(partition_ranks__divides_ranks_first),
        cmocka_unit_test(partition_ranks__is_even),
        cmocka_unit_test(partition_ranks__has_hosts_without_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

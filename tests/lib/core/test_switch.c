/*
 * test_switch.c - several MMUs in one switch: each port belongs to one, pauses are the union.
 */
#include "tests/support/error_line.h"
#include "tests/support/fixture.h"
#include "tests/support/headroom_policy.h"
#include "weir/switch.h"

struct bench {
    struct weir_mmu_config mmu;
    struct weir_switch_config config;
    void *memory;
    struct weir_switch *sw;
};

static void build(struct bench *b, uint32_t ports, uint32_t ports_per_mmu)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    memset(b, 0, sizeof *b);
    weir_mmu_config_init(&b->mmu, 1, 2, 1000);
    b->mmu.egress = weir_policy_find("dt");
    b->mmu.ingress = &headroom_policy;
    b->mmu.lossless_mask = 2;
    b->mmu.headroom_cells = 300;
    b->config = (struct weir_switch_config){.ports = ports, .ports_per_mmu = ports_per_mmu, .mmu = &b->mmu};
    assert_true(weir_switch_config_check(&b->config, &error));
    b->memory = aligned_alloc(64, weir_switch_size(&b->config));
    assert_non_null(b->memory);
    memset(b->memory, 0xa5, weir_switch_size(&b->config));
    b->sw = weir_switch_init(b->memory, &b->config);
}

static void port_mmu__splits_the_ports(void **state)
{
    struct bench b;
    weir_port local;
    (void)state;
    build(&b, 20, 8);
    assert_int_equal(weir_switch_mmu_count(b.sw), 3);
    assert_ptr_equal(weir_switch_port_mmu(b.sw, (weir_port){7}, &local), weir_switch_mmu(b.sw, 0));
    assert_int_equal(local.i, 7);
    assert_ptr_equal(weir_switch_port_mmu(b.sw, (weir_port){17}, &local), weir_switch_mmu(b.sw, 2));
    assert_int_equal(local.i, 1);
    assert_int_equal(weir_mmu_view(weir_switch_mmu(b.sw, 2))->geometry.ports, 4);
    assert_int_equal(weir_mmu_ingress_view(weir_switch_mmu(b.sw, 2))->geometry.ports, 20);
    free(b.memory);
}

static void config_check__names_the_problem(void **state)
{
    struct weir_mmu_config mmu;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    weir_mmu_config_init(&mmu, 1, 1, 1000);
    struct weir_switch_config config = {.ports = 0, .ports_per_mmu = 1, .mmu = &mmu};
    assert_false(weir_switch_config_check(&config, &error));
    assert_string_equal(ERROR_LINE(&error), "switch: 1 to 65535 ports, one to all of them per memory");
    config.ports = 4;
    assert_false(weir_switch_config_check(&config, &error));
    assert_string_equal(ERROR_LINE(&error), "policy: an egress policy is needed");
}

/* A packet from input 9 to an output; how many edges the switch then has. */
static uint32_t send(struct bench *b, uint32_t output, uint32_t bytes, struct weir_pause_edge *edges)
{
    weir_port local;
    struct weir_mmu *mmu = weir_switch_port_mmu(b->sw, (weir_port){output}, &local);
    struct weir_packet packet = {.output = local, .input = {9}, .tc = {1}, .bytes = bytes};
    return weir_switch_edges(b->sw, weir_mmu_arrive(mmu, &packet, 1), edges);
}

static uint32_t depart(struct bench *b, uint32_t output, struct weir_pause_edge *edges)
{
    weir_port local;
    struct weir_mmu *mmu = weir_switch_port_mmu(b->sw, (weir_port){output}, &local);
    return weir_switch_edges(b->sw, weir_mmu_depart(mmu, local, 1), edges);
}

static void edges__are_of_the_union(void **state)
{
    struct bench b;
    struct weir_pause_edge edges[20];
    (void)state;
    build(&b, 20, 8);
    assert_int_equal(send(&b, 0, 100, edges), 1); /* the first MMU pauses class 1 of input 9 */
    assert_int_equal(edges[0].port.i, 9);
    assert_int_equal(edges[0].pause_mask, 2);
    assert_int_equal(send(&b, 12, 100, edges), 0); /* the second wants it too: no edge */
    assert_int_equal(depart(&b, 0, edges), 0);     /* the first lets go: no edge */
    assert_int_equal(depart(&b, 12, edges), 1);    /* the last lets go */
    assert_int_equal(edges[0].resume_mask, 2);
    assert_int_equal(send(&b, 0, 150, edges), 1);
    assert_int_equal(send(&b, 0, 150, edges), 1); /* now the whole port */
    assert_true(edges[0].port_pause);
    assert_int_equal(depart(&b, 0, edges), 1);
    assert_true(edges[0].port_resume);
    free(b.memory);
}

static void rates__follow_the_ports(void **state)
{
    struct bench b;
    weir_bps rates[5] = {1000000, 2000000, 3000000, 4000000, 5000000};
    (void)state;
    build(&b, 5, 2);
    free(b.memory);
    b.config.rates_bps = rates;
    b.memory = aligned_alloc(64, weir_switch_size(&b.config));
    assert_non_null(b.memory);
    b.sw = weir_switch_init(b.memory, &b.config);
    assert_int_equal(weir_mmu_view(weir_switch_mmu(b.sw, 1))->port[1].rate_bps, 4000000);
    assert_int_equal(weir_mmu_ingress_view(weir_switch_mmu(b.sw, 2))->port[1].rate_bps, 2000000);
    free(b.memory);
}

static void uplinks__are_of_all_inputs(void **state)
{
    struct bench b;
    struct weir_uplink uplinks[5] = {
        {1, 0, 100, 0, 0, 0}, {2, 0, 100, 0, 0, 0}, {3, 0, 100, 0, 0, 0}, {4, 0, 100, 0, 0, 0}, {5, 0, 100, 0, 0, 0}};
    (void)state;
    build(&b, 5, 2);
    assert_int_equal(weir_mmu_ingress_view(weir_switch_mmu(b.sw, 2))->uplink[4].mtu_bytes, 1500);
    free(b.memory);
    b.config.uplinks = uplinks;
    b.memory = aligned_alloc(64, weir_switch_size(&b.config));
    assert_non_null(b.memory);
    b.sw = weir_switch_init(b.memory, &b.config);
    for (uint32_t mmu = 0; mmu < 3; mmu++)
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(weir_mmu_ingress_view(weir_switch_mmu(b.sw, mmu))->uplink[i].headroom_cells, 1 + i);
    free(b.memory);
}

/* The last port and the last memory are there, the next ones are not. */
static void ports__end_where_they_do(void **state)
{
    static struct weir_pause_edge edges[1];
    struct bench b;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    weir_port local = {0};
    (void)state;
    build(&b, 20, 8);
    assert_ptr_equal(weir_switch_port_mmu(b.sw, (weir_port){8}, &local), weir_switch_mmu(b.sw, 1));
    assert_int_equal(local.i, 0);
    assert_ptr_equal(weir_switch_port_mmu(b.sw, (weir_port){19}, &local), weir_switch_mmu(b.sw, 2));
    assert_int_equal(local.i, 3);
    assert_null(weir_switch_port_mmu(b.sw, (weir_port){20}, &local));
    assert_null(weir_switch_mmu(b.sw, 3));
    const struct weir_pause_edge last = {.port = {19}, .pause_mask = 2}, none = {.port = {20}, .pause_mask = 2};
    assert_int_equal(weir_switch_edges(b.sw, &(struct weir_effects){.edges = &last, .edge_count = 1}, edges), 1);
    assert_int_equal(weir_switch_edges(b.sw, &(struct weir_effects){.edges = &none, .edge_count = 1}, edges), 0);
    free(b.memory);
    static const struct {
        uint32_t ports, ports_per_mmu;
        bool good;
    } shapes[] = {{1, 1, true},     {8, 8, true},      {8, 9, false}, {8, 0, false},
                  {65535, 8, true}, {65536, 8, false}, {16, 8, true}, {17, 8, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        b.config.ports = shapes[i].ports;
        b.config.ports_per_mmu = shapes[i].ports_per_mmu;
        assert_int_equal(weir_switch_config_check(&b.config, &error), shapes[i].good);
    }
    build(&b, 16, 8);
    assert_int_equal(weir_switch_mmu_count(b.sw), 2);
    assert_int_equal(weir_mmu_view(weir_switch_mmu(b.sw, 1))->geometry.ports, 8);
    free(b.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports__end_where_they_do),        cmocka_unit_test(port_mmu__splits_the_ports),
        cmocka_unit_test(config_check__names_the_problem), cmocka_unit_test(edges__are_of_the_union),
        cmocka_unit_test(rates__follow_the_ports),         cmocka_unit_test(uplinks__are_of_all_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_connections.c - connections that rest: the last first, each pair and transport for itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/net/connections.h"
#include "sim/transport/transport.h"

static void connections__last_first(void **state)
{
    static const struct sim_transport transports[2];
    struct connections c = {.pairs = NULL};
    struct flow flow = {.source = 1, .destination = 2, .transport = &transports[0]};
    (void)state;
    struct connection *a = connections_take(&c, &flow), *b = connections_take(&c, &flow);
    assert_int_equal(a->number, 0);
    assert_int_equal(b->number, 1);
    assert_false(a->used);
    assert_true(connections_rest(&c, &flow, a) && connections_rest(&c, &flow, b));
    struct flow back = {.source = 2, .destination = 1, .transport = &transports[0]};
    struct flow other = {.source = 1, .destination = 2, .transport = &transports[1]};
    assert_int_equal(connections_take(&c, &back)->number, 0);
    assert_int_equal(connections_take(&c, &other)->number, 0);
    assert_ptr_equal(connections_take(&c, &flow), b);
    assert_ptr_equal(connections_take(&c, &flow), a);
    assert_true(a->used);
    assert_int_equal(connections_take(&c, &flow)->number, 2);
    connections_free(&c);
}

static void connections__many_pairs(void **state)
{
    static const struct sim_transport transport;
    struct connections c = {.pairs = NULL};
    (void)state;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 100; i++)
            for (uint32_t k = 0; k < 100; k++) {
                struct flow flow = {.source = i, .destination = k, .transport = &transport};
                struct connection *taken = connections_take(&c, &flow);
                assert_int_equal(taken->flow_id, round ? i * 100 + k : 0);
                taken->flow_id = i * 100 + k;
                connections_rest(&c, &flow, taken);
            }
    assert_int_equal(c.count, 10000);
    connections_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections__last_first),
        cmocka_unit_test(connections__many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

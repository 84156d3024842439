/*
 * test_pools.c - memory of packets and flows: each is handed out once, comes back last in first out, and stays in place
 * while the pool grows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/net/pools.h"
#include "tests/support/failing_alloc.h"

#define PACKETS 10000u
#define FLOWS 5000u

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t one = *(const uintptr_t *)a, other = *(const uintptr_t *)b;
    return (one > other) - (one < other);
}

static void packet_new__hands_out_each_once(void **state)
{
    static struct packet *packet[PACKETS];
    struct packet_pool pool = {0};
    (void)state;
    for (uint32_t i = 0; i < PACKETS; i++) {
        packet[i] = packet_new(&pool);
        assert_int_equal((uintptr_t)packet[i] % 64, 0);
        packet[i]->segment = i;
    }
    assert_int_equal(pool.live, PACKETS);
    for (uint32_t i = 0; i < PACKETS; i++)
        assert_int_equal(packet[i]->segment, i);
    packet_pool_free(&pool);
}

static void packet_delete__gives_the_last_one_back_first(void **state)
{
    struct packet_pool pool = {0};
    (void)state;
    struct packet *a = packet_new(&pool), *b = packet_new(&pool);
    packet_delete(&pool, a);
    packet_delete(&pool, b);
    assert_int_equal(pool.live, 0);
    assert_ptr_equal(packet_new(&pool), b);
    assert_ptr_equal(packet_new(&pool), a);
    packet_pool_free(&pool);
    assert_null(pool.spare);
}

static void flow_new__clears_what_was_there(void **state)
{
    static const struct flow empty;
    struct flow_pool pool = {0};
    (void)state;
    struct flow *flow = flow_new(&pool, 1);
    assert_int_equal((uintptr_t)flow % 64, 0);
    memset(flow, 0xa5, sizeof *flow);
    flow_delete(&pool, flow);
    assert_int_equal(flow->id, 0);
    assert_ptr_equal(flow_new(&pool, 0), flow);
    assert_memory_equal(flow, &empty, sizeof empty);
    flow_pool_free(&pool);
}

static void flow_at__finds_every_flow_once(void **state)
{
    struct flow_pool pool = {0};
    uint64_t sum = 0;
    uint32_t alive = 0, i = 0;
    (void)state;
    assert_null(flow_at(&pool, 0));
    for (uint32_t id = 1; id <= FLOWS; id++)
        flow_new(&pool, id);
    for (const struct flow *flow; (flow = flow_at(&pool, i)) != NULL; i++) {
        alive += flow->id != 0;
        sum += flow->id;
    }
    assert_true(i >= FLOWS && i < FLOWS + POOL_FLOWS_PER_BLOCK);
    assert_int_equal(alive, FLOWS);
    assert_int_equal(sum, (uint64_t)FLOWS * (FLOWS + 1) / 2);
    flow_pool_free(&pool);
}

/* A record goes back with its packet; it has no stamps when it is handed out again, and takes those of seven switches.
 */
static void packet_delete__gives_telemetry_back(void **state)
{
    struct telemetry_table table;
    struct packet_pool pool = {.telemetry.table = &table};
    (void)state;
    assert_true(telemetry_table_init(&table));
    for (uint32_t round = 0; round < 3; round++) {
        struct packet *packet = packet_new(&pool);
        packet->telemetry = telemetry_new(&pool.telemetry);
        packet->flags = PACKET_TELEMETRY;
        const struct telemetry *record = telemetry_at(&pool.telemetry, packet->telemetry);
        assert_int_equal(record->hops, 0);
        for (uint32_t hop = 0; hop < 9; hop++)
            telemetry_stamp(&pool.telemetry, packet, &(struct telemetry_hop){.when = hop});
        assert_int_equal(record->hops, TELEMETRY_HOPS);
        assert_int_equal(record->hop[6].when, 6);
        struct packet ack = {.flags = PACKET_TELEMETRY | PACKET_ACK, .telemetry = telemetry_new(&pool.telemetry)};
        telemetry_stamp(&pool.telemetry, &ack, &record->hop[0]);
        assert_int_equal(telemetry_at(&pool.telemetry, ack.telemetry)->hops, 0);
        telemetry_delete(&pool.telemetry, ack.telemetry);
        packet_delete(&pool, packet);
        assert_int_equal(pool.telemetry.spares, TELEMETRY_PER_BLOCK);
    }
    packet_pool_free(&pool);
    telemetry_table_free(&table);
}

/* Packets of a pool that other threads have too: no two lie on one pair of cache lines. */
static void packet_new__apart(void **state)
{
    static uintptr_t pair[PACKETS];
    struct packet_pool pool = {.apart = true};
    uint32_t second = 0;
    (void)state;
    for (uint32_t i = 0; i < PACKETS; i++) {
        uintptr_t at = (uintptr_t)packet_new(&pool);
        assert_int_equal(at % 64, 0);
        pair[i] = at / LINES_APART;
        second += at % LINES_APART != 0;
    }
    qsort(pair, PACKETS, sizeof pair[0], compare_addresses);
    for (uint32_t i = 1; i < PACKETS; i++)
        assert_true(pair[i] != pair[i - 1]);
    assert_in_range(second, PACKETS / 3, 2 * PACKETS / 3); /* both halves of a cache are used */
    packet_pool_free(&pool);
}

/* Packets that go on at another thread and end there leave their memory to it; it can be given back. */
static void packet_pool_spare__returns_memory(void **state)
{
    struct packet_pool from = {0}, to = {0};
    struct packet *packet;
    uint32_t returned = 0;
    (void)state;
    assert_null(packet_pool_spare(&from));
    for (uint32_t i = 0; i < PACKETS; i++)
        packet_delete(&to, packet_new(&from));
    assert_int_equal(from.live + to.live, 0);
    for (; (packet = packet_pool_spare(&to)); returned++)
        packet_pool_add(&from, packet);
    assert_int_equal(returned, PACKETS);
    assert_int_equal(from.live, PACKETS); /* it counts packets, not memory */
    uint32_t blocks = from.block_count;
    for (uint32_t i = 0; i < PACKETS; i++)
        packet_new(&from);
    assert_int_equal(from.block_count, blocks);
    packet_pool_free(&from);
    packet_pool_free(&to);
}

/* What one pool handed out comes back to another; spares go back, and both know how many they have. */
static void pools__share_their_spares(void **state)
{
    struct telemetry_table table;
    struct packet_pool from = {.telemetry.table = &table}, to = {.telemetry.table = &table};
    struct flow_pool flows_from = {0}, flows_to = {0};
    (void)state;
    assert_true(telemetry_table_init(&table));
    for (uint32_t i = 0; i < PACKETS; i++) {
        telemetry_delete(&to.telemetry, telemetry_new(&from.telemetry));
        flow_delete(&flows_to, flow_new(&flows_from, i + 1));
    }
    assert_int_equal(to.telemetry.spares, PACKETS);
    telemetry_pool_give(&to.telemetry, &from.telemetry, PACKETS);
    flow_pool_give(&flows_to, &flows_from, PACKETS);
    assert_int_equal(to.telemetry.spares + flows_to.spares, 0);
    uint32_t flow_blocks = flows_from.block_count, records = table.count;
    for (uint32_t i = 0; i < PACKETS; i++) {
        telemetry_new(&from.telemetry);
        flow_new(&flows_from, i + 1);
    }
    assert_int_equal(flows_from.block_count, flow_blocks);
    assert_int_equal(table.count, records);
    packet_pool_free(&from);
    packet_pool_free(&to);
    flow_pool_free(&flows_from);
    flow_pool_free(&flows_to);
    telemetry_table_free(&table);
}

/* Short of memory, a pool keeps what it has and can go on when there is memory again. */
static void pools__survive_a_lack_of_memory(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct telemetry *blocks[PACKETS / TELEMETRY_PER_BLOCK + 2] = {NULL};
        struct telemetry_table table = {.blocks = blocks};
        struct packet_pool packets = {.telemetry.table = &table};
        struct flow_pool flows = {0};
        uint32_t packets_made = 0, flows_made = 0;
        failing_alloc_start(fail_at);
        for (uint32_t i = 0; i < PACKETS; i++)
            packets_made += packet_new(&packets) != NULL;
        for (uint32_t i = 0; i < PACKETS; i++)
            packets_made += telemetry_new(&packets.telemetry) != TELEMETRY_NONE;
        for (uint32_t i = 0; i < FLOWS; i++)
            flows_made += flow_new(&flows, i + 1) != NULL;
        bool failed = failing_alloc_stop();
        assert_in_range(packets.live, PACKETS - failed, PACKETS);
        assert_int_equal(packets_made + flows_made, 2 * PACKETS + FLOWS - failed);
        packet_pool_free(&packets);
        flow_pool_free(&flows);
        while (table.count > 0)
            free(blocks[--table.count]);
        assert_int_equal(failing_alloc_held(), 0);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packet_new__hands_out_each_once),
        cmocka_unit_test(packet_delete__gives_the_last_one_back_first),
        cmocka_unit_test(flow_new__clears_what_was_there),
        cmocka_unit_test(flow_at__finds_every_flow_once),
        cmocka_unit_test(packet_delete__gives_telemetry_back),
        cmocka_unit_test(packet_new__apart),
        cmocka_unit_test(packet_pool_spare__returns_memory),
        cmocka_unit_test(pools__share_their_spares),
        cmocka_unit_test(pools__survive_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_traffic_closed.c - all-to-all and all-reduce, run to completion by an executor that ends flows in random order,
 * the sender's end and the receiver's end of a flow each on its own.
 */
#include "tests/support/traffic_world.h"

#include "sim/jobs/tree.h"
#include "sim/workload/internal.h"
#include "tests/support/error_line.h"

/* An end of a flow that has not come yet. */
struct pending_end {
    uint32_t flow; /* index into world.flows */
    bool receiver;
};

struct executor {
    struct world world;
    struct pending_end *ends;
    uint32_t count, room;
    uint32_t seen; /* flows whose ends are known */
    weir_ps now;
    struct weir_random random;
    bool (*on_start)(struct executor *executor, uint32_t flow);
    void (*on_end)(struct executor *executor, uint32_t flow, bool receiver);
    void *own; /* the test's */
};

static void executor_learn(struct executor *executor)
{
    for (; executor->seen < executor->world.count; executor->seen++) {
        if (executor->count + 2 > executor->room) {
            executor->room = executor->room * 2 + 64;
            executor->ends = realloc(executor->ends, executor->room * sizeof *executor->ends);
            assert_non_null(executor->ends);
        }
        executor->ends[executor->count++] = (struct pending_end){executor->seen, false};
        executor->ends[executor->count++] = (struct pending_end){executor->seen, true};
        assert_int_equal(executor->world.flows[executor->seen].request.start_ps, executor->now);
        assert_true(executor->on_start(executor, executor->seen));
    }
}

static void executor_run(struct executor *executor, uint64_t seed)
{
    struct world *world = &executor->world;
    executor->random = weir_random_stream(seed, "executor");
    executor->count = executor->seen = 0;
    if (!world_create(world))
        fail_msg("%s", ERROR_LINE(&world->error));
    struct traffic_sink sink = world_sink(world);
    executor->now = traffic_next(world->traffic);
    assert_true(traffic_advance(world->traffic, WEIR_NEVER, &sink));
    assert_int_equal(traffic_next(world->traffic), WEIR_NEVER);
    executor_learn(executor);
    while (executor->count > 0) {
        uint32_t chosen = weir_random_below(&executor->random, executor->count);
        struct pending_end end = executor->ends[chosen];
        executor->ends[chosen] = executor->ends[--executor->count];
        executor->now += 1 + weir_random_below(&executor->random, 1000);
        struct flow_request request = world->flows[end.flow].request;
        struct flow_ended flow = {request.traffic, request.source,     request.destination,
                                  request.cookie,  request.is_request, request.group};
        executor->on_end(executor, end.flow, end.receiver);
        uint32_t before = world->count;
        assert_true(traffic_ended(world->traffic, &flow, end.receiver, executor->now, &sink));
        for (uint32_t i = before; i < world->count; i++)
            assert_int_equal(world->flows[i].request.source, end.receiver ? flow.destination : flow.source);
        executor_learn(executor);
    }
}

static void executor_free(struct executor *executor)
{
    world_free(&executor->world);
    free(executor->ends);
}

static int by_id(const void *left, const void *right)
{
    const struct world_flow *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* A number for the set of (id, ends, bytes, group, cookie) of all flows, whatever their order and times. */
static uint64_t world_digest(struct world *world)
{
    qsort(world->flows, world->count, sizeof *world->flows, by_id);
    uint64_t digest = world->count;
    for (uint32_t i = 0; i < world->count; i++) {
        const struct flow_request *r = &world->flows[i].request;
        assert_true(i == 0 || world->flows[i].id > world->flows[i - 1].id);
        const uint64_t words[] = {world->flows[i].id, r->source, r->destination,
                                  (uint64_t)r->bytes, r->group,  r->cookie};
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
            digest = weir_hash(digest, words[w]);
    }
    return digest;
}

/* All-to-all. */

struct exchange {
    uint32_t unfinished[64];
    uint32_t most[64];
};

static bool exchange_start(struct executor *executor, uint32_t flow)
{
    struct exchange *exchange = executor->own;
    uint32_t source = executor->world.flows[flow].request.source;
    exchange->unfinished[source]++;
    if (exchange->unfinished[source] > exchange->most[source])
        exchange->most[source] = exchange->unfinished[source];
    return exchange->unfinished[source] <= executor->world.traffics[0].concurrency;
}

static void exchange_end(struct executor *executor, uint32_t flow, bool receiver)
{
    struct exchange *exchange = executor->own;
    if (!receiver)
        exchange->unfinished[executor->world.flows[flow].request.source]--;
}

static void traffic_ended__all_to_all_reaches_each_pair_once_a_round(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, hosts, concurrency, rounds;
    } cases[] = {{0, 16, 8, 1}, {2, 9, 3, 4}, {0, 2, 5, 3}, {4, 12, 100, 2}, {0, 16, 1, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint32_t n = cases[c].hosts, rounds = cases[c].rounds;
        uint64_t digest = 0;
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct exchange exchange = {{0}, {0}};
            struct executor executor = {.on_start = exchange_start, .on_end = exchange_end, .own = &exchange};
            world_init(&executor.world, 4, 4);
            executor.world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_ALL_TO_ALL,
                                                                   .from_ps = 55,
                                                                   .until_ps = WEIR_PS_PER_S,
                                                                   .source_first = cases[c].first,
                                                                   .source_count = n,
                                                                   .bytes = 16384,
                                                                   .concurrency = cases[c].concurrency,
                                                                   .rounds = rounds};
            executor_run(&executor, seed);
            struct world *world = &executor.world;
            assert_int_equal(world->count, rounds * n * (n - 1));
            uint32_t seen[16][16][4] = {{{0}}};
            for (uint32_t i = 0; i < world->count; i++) {
                const struct flow_request *r = &world->flows[i].request;
                assert_true(r->source - cases[c].first < n && r->destination - cases[c].first < n);
                assert_int_equal(seen[r->source][r->destination][r->group]++, 0);
                assert_in_range(world->flows[i].id, 1, world->count);
            }
            uint32_t all = (n - 1) * rounds;
            for (uint32_t h = cases[c].first; h < cases[c].first + n; h++)
                assert_int_equal(exchange.most[h], cases[c].concurrency < all ? cases[c].concurrency : all);
            uint64_t now = world_digest(world);
            if (seed > 1 && now != digest)
                fail_msg("case %zu: flows depend on the order of ends, seed %u", c, (unsigned)seed);
            digest = now;
            executor_free(&executor);
        }
    }
}

static void traffic_ended__all_to_all_orders_are_each_hosts_own(void **state)
{
    (void)state;
    struct world world;
    world_init(&world, 4, 4);
    world.traffics[0] = (struct traffic_settings){
        .kind = TRAFFIC_ALL_TO_ALL, .until_ps = WEIR_PS_PER_S, .bytes = 1, .concurrency = 100, .rounds = 2};
    world_run(&world);
    assert_int_equal(world.count, 16 * 30);
    uint32_t same_as_first = 0, same_as_round = 0;
    for (uint32_t h = 0; h < 16; h++) {
        for (uint32_t k = 0; k < 15; k++) {
            uint32_t distance = (world.flows[h * 30 + k].request.destination - h) & 15;
            same_as_first += h > 0 && distance == world.flows[k].request.destination;
            same_as_round += ((world.flows[h * 30 + 15 + k].request.destination - h) & 15) == distance;
        }
    }
    assert_true(world_fits(same_as_first, 15) && world_fits(same_as_round, 16));
    world_free(&world);
}

/* All-reduce. What a host knows of a round's half is the set of hosts that it has heard of. */

enum { REDUCE_HOSTS = 40, REDUCE_ROUNDS = 4 };

struct reduction {
    uint64_t sum[REDUCE_ROUNDS][2][REDUCE_HOSTS];           /* own and received from children */
    uint64_t result[REDUCE_ROUNDS][2][REDUCE_HOSTS];        /* 0: none yet */
    uint64_t carried[REDUCE_ROUNDS * 4 * REDUCE_HOSTS + 1]; /* by flow id */
    uint32_t hosts;
};

static bool reduction_start(struct executor *executor, uint32_t flow)
{
    struct reduction *reduction = executor->own;
    const struct world_flow *f = &executor->world.flows[flow];
    uint32_t round = f->request.group, tree = f->request.cookie / 2, source = f->request.source;
    uint64_t all = (UINT64_C(1) << reduction->hosts) - 1;
    for (uint32_t t = 0; t < 2 && round > 0; t++)
        assert_true(reduction->result[round - 1][t][source] == all);
    uint64_t sum = reduction->sum[round][tree][source] | UINT64_C(1) << source;
    if (f->request.cookie & 1) {
        bool root = tree_parent(source, tree, reduction->hosts) == TREE_NONE;
        if (root)
            reduction->result[round][tree][source] = sum;
        sum = reduction->result[round][tree][source];
        assert_true(sum == all);
    }
    assert_true(f->id <= reduction->hosts * 4 * REDUCE_ROUNDS && reduction->carried[f->id] == 0);
    reduction->carried[f->id] = sum;
    return true;
}

static void reduction_end(struct executor *executor, uint32_t flow, bool receiver)
{
    struct reduction *reduction = executor->own;
    const struct world_flow *f = &executor->world.flows[flow];
    uint32_t round = f->request.group, tree = f->request.cookie / 2, destination = f->request.destination;
    if (!receiver)
        return;
    if (f->request.cookie & 1)
        reduction->result[round][tree][destination] = reduction->carried[f->id];
    else
        reduction->sum[round][tree][destination] |= reduction->carried[f->id];
}

static void reduction_check(struct executor *executor, const struct reduction *reduction)
{
    uint32_t n = reduction->hosts, per_tree[2] = {0, 0};
    uint64_t all = (UINT64_C(1) << n) - 1;
    assert_int_equal(executor->world.count, REDUCE_ROUNDS * 4 * (n - 1));
    for (uint32_t i = 0; i < executor->world.count; i++) {
        const struct flow_request *r = &executor->world.flows[i].request;
        per_tree[r->cookie / 2]++;
        assert_int_equal(r->bytes, r->cookie / 2 == 0 ? 501 : 500);
    }
    assert_int_equal(per_tree[0], per_tree[1]);
    for (uint32_t round = 0; round < REDUCE_ROUNDS; round++)
        for (uint32_t h = 0; h < n; h++)
            assert_true(reduction->result[round][0][h] == all && reduction->result[round][1][h] == all);
}

static void traffic_ended__all_reduce_gives_everybody_everything(void **state)
{
    (void)state;
    struct reduction *reduction = malloc(sizeof *reduction);
    for (uint32_t n = 2; n <= REDUCE_HOSTS; n++) {
        uint64_t digest = 0;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            memset(reduction, 0, sizeof *reduction);
            reduction->hosts = n;
            struct executor executor = {.on_start = reduction_start, .on_end = reduction_end, .own = reduction};
            world_init(&executor.world, 10, 4);
            executor.world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_ALL_REDUCE,
                                                                   .from_ps = 99,
                                                                   .until_ps = WEIR_PS_PER_S,
                                                                   .source_count = n,
                                                                   .bytes = 1001,
                                                                   .rounds = REDUCE_ROUNDS};
            executor_run(&executor, seed);
            reduction_check(&executor, reduction);
            uint64_t now = world_digest(&executor.world);
            if (seed > 1 && now != digest)
                fail_msg("%u hosts: flows depend on the order of ends, seed %u", n, (unsigned)seed);
            digest = now;
            executor_free(&executor);
        }
    }
    free(reduction);
}

/* One tree over n hosts: consistent both ways, one root, not deeper than log2 n. Counts the inner hosts. */
static void tree_check(uint32_t tree, uint32_t n, uint32_t *inner)
{
    uint32_t roots = 0, edges = 0, depth_max = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t children[2], count = tree_children(i, tree, n, children), depth = 0;
        inner[i] += count > 0;
        edges += count;
        for (uint32_t c = 0; c < count; c++)
            assert_int_equal(tree_parent(children[c], tree, n), i);
        for (uint32_t up = i; (up = tree_parent(up, tree, n)) != TREE_NONE;)
            assert_true(++depth < 32);
        roots += depth == 0;
        depth_max = depth > depth_max ? depth : depth_max;
    }
    assert_int_equal(roots, 1);
    assert_int_equal(edges, n - 1);
    assert_true(1u << depth_max <= n);
}

static void tree_parent__two_trees_share_no_inner_host(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 300; n++) {
        uint32_t *inner = calloc(n, sizeof *inner);
        tree_check(0, n, inner);
        tree_check(1, n, inner);
        for (uint32_t i = 0; i < n; i++)
            assert_true(inner[i] <= 1);
        free(inner);
    }
}

/* One phase that was launched at `start`: all edges of both trees in its direction, at once. Ends them in a random
 * order and returns when the last one ended. */
static weir_ps phase_check(struct world *world, uint32_t hosts, uint32_t phase, weir_ps start)
{
    uint32_t first = phase * 2 * (hosts - 1), count = 2 * (hosts - 1), ends[64][2] = {0};
    struct weir_random random = {phase, 0};
    struct traffic_sink sink = world_sink(world);
    weir_ps last = start;
    assert_int_equal(world->count, first + count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = first + shuffle_at(phase, count, k);
        const struct flow_request *r = &world->flows[i].request;
        struct flow_ended flow = {r->traffic, r->source, r->destination, r->cookie, r->is_request, r->group};
        uint32_t tree = r->cookie / 2;
        assert_int_equal(r->start_ps, start);
        assert_int_equal(r->group, phase / 2);
        assert_int_equal(r->group_flows, 2 * count);
        assert_int_equal(r->cookie & 1, phase % 2);
        uint32_t child = phase % 2 ? r->destination : r->source, parent = phase % 2 ? r->source : r->destination;
        assert_int_equal(tree_parent(child, tree, hosts), parent);
        ends[child][tree]++;
        weir_ps end = start + weir_random_below(&random, 1000);
        last = end > last ? end : last;
        assert_int_equal(traffic_next(world->traffic), WEIR_NEVER);
        assert_true(traffic_ended(world->traffic, &flow, false, end, &sink));
        assert_true(traffic_ended(world->traffic, &flow, true, end, &sink));
        assert_int_equal(world->count, first + count);
    }
    for (uint32_t i = 0; i < hosts; i++)
        for (uint32_t tree = 0; tree < 2; tree++)
            assert_int_equal(ends[i][tree], tree_parent(i, tree, hosts) != TREE_NONE);
    return last;
}

static void traffic_ended__all_reduce_goes_phase_by_phase(void **state)
{
    (void)state;
    enum { HOSTS = 11, LATER = 50 };
    struct world world;
    world_init(&world, 10, 4);
    world.traffics[0] = (struct traffic_settings){.kind = TRAFFIC_ALL_REDUCE,
                                                  .from_ps = 99,
                                                  .until_ps = WEIR_PS_PER_S,
                                                  .source_count = HOSTS,
                                                  .bytes = 1001,
                                                  .rounds = 3,
                                                  .phased = true};
    struct workload workload = sim_config_workload(&world.config, world.host_switch);
    struct traffic_sink sink = world_sink(&world);
    workload.lookahead_ps = LATER;
    world.traffic = traffic_create(&workload, &world.error);
    assert_non_null(world.traffic);
    weir_ps start = 99;
    for (uint32_t phase = 0; phase < 6; phase++) {
        assert_int_equal(traffic_next(world.traffic), start);
        assert_true(traffic_advance(world.traffic, start + 1, &sink));
        start = phase_check(&world, HOSTS, phase, start) + LATER;
    }
    assert_int_equal(traffic_next(world.traffic), WEIR_NEVER);
    world_digest(&world); /* ids are unique */
    world_free(&world);
}

static void traffic_ended__launches_nothing_from_until_on(void **state)
{
    (void)state;
    static const enum traffic_type kinds[] = {TRAFFIC_ALL_TO_ALL, TRAFFIC_ALL_REDUCE};
    for (size_t c = 0; c < 2; c++) {
        struct world world;
        world_init(&world, 4, 4);
        world.traffics[0] = (struct traffic_settings){
            .kind = kinds[c], .until_ps = 1000, .source_count = 2, .bytes = 10, .concurrency = 1, .rounds = 5};
        assert_true(traffic_is_closed(&world.traffics[0]));
        world_run(&world);
        assert_int_equal(world.count, 2);
        struct traffic_sink sink = world_sink(&world);
        struct flow_ended flow = {.source = world.flows[0].request.source,
                                  .destination = world.flows[0].request.destination,
                                  .cookie = world.flows[0].request.cookie};
        assert_true(traffic_ended(world.traffic, &flow, c == 1, 1000, &sink));
        assert_int_equal(world.count, 2);
        flow.source = world.flows[1].request.source;
        flow.destination = world.flows[1].request.destination;
        flow.cookie = world.flows[1].request.cookie;
        assert_true(traffic_ended(world.traffic, &flow, c == 1, 999, &sink));
        assert_int_equal(world.count, 3);
        world_free(&world);
    }
}

static void traffic_create__says_what_is_wrong_with_a_collective(void **state)
{
    (void)state;
    static const struct {
        struct traffic_settings traffic;
        const char *expected;
    } cases[] = {
        {{.bytes = 10, .concurrency = 1, .rounds = 1, .source_count = 1}, "needs at least 2 hosts"},
        {{.bytes = 10, .concurrency = 1}, "needs at least 1 round"},
        {{.bytes = 10, .concurrency = 1, .rounds = 1, .destination_count = 3}, "leave the destinations out"},
        {{.bytes = 10, .concurrency = 1, .rounds = 1, .pattern = TRAFFIC_PATTERN_NEXT_RACK}, "has no pattern"},
        {{.bytes = 10, .concurrency = 1, .rounds = 1u << 31}, "more than 4294967295 flows"},
        {{.bytes = 1, .rounds = 1}, "at least"}, /* concurrency of 0; a byte for each of two trees */
        {{.bytes = 0, .concurrency = 1, .rounds = 1}, "0 bytes"},
    };
    struct world world;
    world_init(&world, 4, 4);
    for (size_t c = 0; c < 2 * sizeof cases / sizeof cases[0]; c++) {
        world.traffics[0] = cases[c / 2].traffic;
        world.traffics[0].kind = c % 2 == 0 ? TRAFFIC_ALL_TO_ALL : TRAFFIC_ALL_REDUCE;
        world.traffics[0].until_ps = WEIR_PS_PER_S;
        assert_false(world_create(&world));
        if (!strstr(ERROR_LINE(&world.error), cases[c / 2].expected))
            fail_msg("case %zu: %s", c, ERROR_LINE(&world.error));
    }
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_ended__all_to_all_reaches_each_pair_once_a_round),
        cmocka_unit_test(traffic_ended__all_to_all_orders_are_each_hosts_own),
        cmocka_unit_test(traffic_ended__all_reduce_gives_everybody_everything),
        cmocka_unit_test(tree_parent__two_trees_share_no_inner_host),
        cmocka_unit_test(traffic_ended__all_reduce_goes_phase_by_phase),
        cmocka_unit_test(traffic_ended__launches_nothing_from_until_on),
        cmocka_unit_test(traffic_create__says_what_is_wrong_with_a_collective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

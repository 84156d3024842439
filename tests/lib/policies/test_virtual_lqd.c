/*
 * test_virtual_lqd.c - the virtual LQD against plain arrays on random events, and against a real LQD in slots.
 */
#include "tests/support/slots.h"
#include "virtual_lqd.h"

#define PORTS_MAX 5u
#define CLASSES_MAX 3u
#define ACCOUNTS_MAX (PORTS_MAX * CLASSES_MAX)
#define PLAIN_LOCKED INT64_MAX

/* A view without an MMU, and the virtual LQD under test beside its plain version. */
struct bench {
    struct weir_view view;
    struct {
        struct weir_holding held;
    } __attribute__((aligned(WEIR_CACHE_LINE))) account[ACCOUNTS_MAX]; /* as in an MMU */
    struct weir_port_state port[PORTS_MAX];
    struct weir_virtual_lqd *lqd;
    int64_t length[ACCOUNTS_MAX]; /* plain version from here on */
    int64_t due[PORTS_MAX], since[PORTS_MAX];
    int64_t quantum;
    bool by_dequeue;
};

static void bench_init(struct bench *b, uint32_t ports, uint32_t classes, weir_cells shared)
{
    memset(b, 0, sizeof *b);
    b->view.geometry = (struct weir_geometry){.ports = ports,
                                              .classes = classes,
                                              .accounts = ports * classes,
                                              .cell_bytes = 100,
                                              .buffer_cells = shared,
                                              .shared_cells = shared};
    b->view.accounts = (const unsigned char *)b->account;
    b->view.port = b->port;
    for (uint32_t i = 0; i < ports; i++)
        b->port[i].rate_bps = INT64_C(10000000000);
    b->quantum = 1;
    size_t size = weir_virtual_lqd_size(&b->view.geometry);
    b->lqd = malloc(size);
    memset(b->lqd, 0xa5, size);
    weir_virtual_lqd_init(b->lqd, &b->view.geometry);
}

static void bench_load(struct bench *b, bool by_dequeue, int64_t quantum_bytes)
{
    struct weir_values values = {0};
    values.of[VIRTUAL_LQD_DRAIN][0] = by_dequeue;
    values.of[VIRTUAL_LQD_QUANTUM][0] = quantum_bytes;
    weir_virtual_lqd_load(b->lqd, &values);
    b->by_dequeue = by_dequeue;
    b->quantum = (quantum_bytes + 99) / 100;
}

static int64_t plain_backlog(const struct bench *b, uint32_t port)
{
    int64_t sum = 0;
    for (uint32_t a = port; a < b->view.geometry.accounts; a += b->view.geometry.ports)
        sum += b->length[a];
    return sum;
}

static int64_t plain_start(const struct bench *b, uint32_t port)
{
    return b->due[port] > b->since[port] ? b->due[port] : b->since[port];
}

static void plain_send(struct bench *b, uint32_t port)
{
    uint32_t a = port;
    while (b->length[a] == 0)
        a += b->view.geometry.ports;
    int64_t n = b->length[a] < b->quantum ? b->length[a] : b->quantum;
    b->length[a] -= n;
    b->due[port] = plain_start(b, port) + n * 100 * 8 * 1000000000000 / b->port[port].rate_bps;
}

static void plain_catch_up(struct bench *b, int64_t now)
{
    for (uint32_t p = 0; p < b->view.geometry.ports && !b->by_dequeue; p++)
        while (b->due[p] != PLAIN_LOCKED && plain_backlog(b, p) > 0 && plain_start(b, p) < now)
            plain_send(b, p);
}

static void plain_arrive(struct bench *b, uint32_t account, int64_t cells, int64_t now)
{
    uint32_t port = account % b->view.geometry.ports, longest = 0;
    int64_t total = 0;
    plain_catch_up(b, now);
    for (uint32_t a = 0; a < b->view.geometry.accounts; a++) {
        total += b->length[a];
        longest = b->length[a] > b->length[longest] ? a : longest;
    }
    int64_t over = total + cells - b->view.geometry.shared_cells;
    if (over > 0 && (longest == account || b->length[longest] <= b->length[account] + cells))
        return;
    if (over > 0)
        b->length[longest] -= over;
    if (plain_backlog(b, port) == 0)
        b->since[port] = now;
    b->length[account] += cells;
}

static void plain_dequeue(struct bench *b, uint32_t account, int64_t cells, int64_t now)
{
    uint32_t port = account % b->view.geometry.ports;
    plain_catch_up(b, now);
    int64_t taken = cells < b->length[account] ? cells : b->length[account];
    b->length[account] -= taken;
    if (b->by_dequeue) {
        if (b->account[account].held.cells == 0)
            b->length[account] = 0;
        return;
    }
    for (uint32_t a = port; a < b->view.geometry.accounts; a += b->view.geometry.ports)
        while (taken < cells && b->length[a] > 0) {
            b->length[a]--;
            taken++;
        }
    b->due[port] = PLAIN_LOCKED;
}

static void plain_idle(struct bench *b, uint32_t port, int64_t now)
{
    if (b->by_dequeue)
        return;
    plain_catch_up(b, now);
    if (b->due[port] == PLAIN_LOCKED)
        b->due[port] = now;
    if (plain_backlog(b, port) > 0 && plain_start(b, port) <= now)
        plain_send(b, port);
}

/* The same event to both. */
static void bench_arrive(struct bench *b, uint32_t account, weir_cells cells, weir_ps now)
{
    weir_port port = weir_account_port(&b->view.geometry, (weir_account){account});
    struct weir_arrival arrival = {.now = now, .account = {account}, .port = port, .cells = cells};
    weir_virtual_lqd_arrive(b->lqd, &b->view, NULL, &arrival);
    plain_arrive(b, account, cells, now);
}

static void bench_dequeue(struct bench *b, uint32_t account, weir_cells cells, weir_ps now)
{
    weir_port port = weir_account_port(&b->view.geometry, (weir_account){account});
    struct weir_event event = {.now = now, .account = {account}, .port = port, .cells = cells};
    weir_virtual_lqd_dequeue(b->lqd, &b->view, NULL, &event);
    plain_dequeue(b, account, cells, now);
}

static void bench_idle(struct bench *b, uint32_t port, weir_ps now)
{
    weir_virtual_lqd_idle(b->lqd, &b->view, NULL, (weir_port){port}, now);
    plain_idle(b, port, now);
}

static weir_cells bench_length(const struct bench *b, uint32_t account)
{
    return weir_virtual_lqd_length(b->lqd, (weir_account){account});
}

static bool bench_agrees(const struct bench *b)
{
    weir_cells total = 0;
    for (uint32_t a = 0; a < b->view.geometry.accounts; a++) {
        total += b->length[a];
        if (bench_length(b, a) != b->length[a])
            return false;
    }
    return b->lqd->vars.total_cells == total && total <= b->view.geometry.shared_cells;
}

static void bench_random_event(struct bench *b, struct weir_random *r, weir_ps *now)
{
    uint32_t account = weir_random_below(r, b->view.geometry.accounts), what = weir_random_below(r, 16);
    if (weir_random_below(r, 3) > 0)
        *now += weir_random_below(r, 400000);
    b->account[account].held.cells = weir_random_below(r, 3);
    if (what < 9)
        bench_arrive(b, account, 1 + weir_random_below(r, weir_random_below(r, 8) ? 15 : 80), *now);
    else if (what < 12)
        bench_dequeue(b, account, 1 + weir_random_below(r, 15), *now);
    else if (what < 15)
        bench_idle(b, account % b->view.geometry.ports, *now);
    else
        weir_virtual_lqd_catch_up(b->lqd, &b->view, NULL, *now); /* lazy: the plain version need not be told */
}

static void run_random(uint64_t seed)
{
    struct weir_random r = {seed, 0};
    struct bench b;
    weir_ps now = 0;
    bench_init(&b, 1 + weir_random_below(&r, PORTS_MAX), 1 + weir_random_below(&r, CLASSES_MAX),
               1 + weir_random_below(&r, 120));
    bench_load(&b, weir_random_below(&r, 4) == 0, 1 + weir_random_below(&r, 1500));
    for (uint32_t p = 0; p < b.view.geometry.ports; p++)
        b.port[p].rate_bps = 1000000000 * (weir_bps)(1 + weir_random_below(&r, 40));
    for (uint32_t event = 0; event < 400; event++) {
        bench_random_event(&b, &r, &now);
        plain_catch_up(&b, now);
        weir_virtual_lqd_catch_up(b.lqd, &b.view, NULL, now);
        if (!bench_agrees(&b)) {
            print_message("seed %llu, event %u\n", (unsigned long long)seed, event);
            fail();
        }
    }
    free(b.lqd);
}

static void virtual_lqd__equals_plain_arrays(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= slots_rounds(400); seed++)
        run_random(seed);
}

/* Calls of catch_up in between change nothing. */
static void catch_up__is_lazy(void **state)
{
    (void)state;
    struct bench often, rarely;
    bench_init(&often, 2, 2, 100);
    bench_init(&rarely, 2, 2, 100);
    for (uint32_t account = 0; account <= 3; account += 3) {
        bench_arrive(&often, account, 40 - 6 * account, 5);
        bench_arrive(&rarely, account, 40 - 6 * account, 5);
    }
    for (weir_ps now = 6; now < 20 * 80000; now += 777)
        weir_virtual_lqd_catch_up(often.lqd, &often.view, NULL, now);
    weir_virtual_lqd_catch_up(often.lqd, &often.view, NULL, 20 * 80000 + 5);
    weir_virtual_lqd_catch_up(rarely.lqd, &rarely.view, NULL, 20 * 80000 + 5);
    assert_int_equal(bench_length(&often, 0), 20);
    assert_int_equal(bench_length(&often, 3), 2);
    assert_memory_equal(often.lqd, rarely.lqd, weir_virtual_lqd_size(&often.view.geometry));
    free(often.lqd);
    free(rarely.lqd);
}

/* A send at t happens after the arrivals of t, and the next one a cell time (80 ns at 10 Gb/s) later. */
static void catch_up__strictly_before_now(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, 2, 1, 100);
    bench_arrive(&b, 0, 3, 1000);
    static const struct {
        weir_ps now;
        weir_cells length;
    } expected[] = {{1000, 3}, {1001, 2}, {81000, 2}, {81001, 1}, {161000, 1}, {161001, 0}, {999999, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        weir_virtual_lqd_catch_up(b.lqd, &b.view, NULL, expected[i].now);
        assert_int_equal(bench_length(&b, 0), expected[i].length);
    }
    free(b.lqd);
}

/* However fast the port, a send takes time: otherwise catching up would never end at the same moment. */
static void catch_up__send_takes_at_least_a_picosecond(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, 1, 1, 100);
    b.port[0].rate_bps = INT64_C(1000000000000000000);
    bench_arrive(&b, 0, 3, 10);
    weir_virtual_lqd_catch_up(b.lqd, &b.view, NULL, 12);
    assert_int_equal(bench_length(&b, 0), 1);
    free(b.lqd);
}

/* The longest other queue gives, a tie or the own queue does not; arrivals larger than the pool change nothing. */
static void arrive__pushes_out_the_longest(void **state)
{
    (void)state;
    static const struct {
        uint32_t account;
        weir_cells cells, after[3];
    } events[] = {
        {0, 6, {6, 0, 0}}, {1, 6, {6, 6, 0}}, {2, 1, {5, 6, 1}},  {2, 1, {5, 5, 2}}, {1, 1, {5, 5, 2}},
        {2, 3, {5, 5, 2}}, {2, 2, {3, 5, 4}}, {0, 13, {3, 5, 4}}, {0, 1, {4, 4, 4}}, {0, 1, {4, 4, 4}},
    };
    struct bench b;
    bench_init(&b, 3, 1, 12);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        bench_arrive(&b, events[i].account, events[i].cells, 0);
        for (uint32_t a = 0; a < 3; a++)
            assert_int_equal(bench_length(&b, a), events[i].after[a]);
    }
    free(b.lqd);
}

/* A busy port sends what the real one sends, from its own account first; it does nothing by itself meanwhile. */
static void dequeue__in_lockstep_until_idle(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, 1, 3, 100);
    for (uint32_t tc = 0; tc < 3; tc++)
        bench_arrive(&b, tc, 5, 0);
    bench_dequeue(&b, 1, 7, 0); /* 5 of class 1, then 2 of class 0 */
    assert_int_equal(bench_length(&b, 0), 3);
    assert_int_equal(bench_length(&b, 1), 0);
    assert_int_equal(bench_length(&b, 2), 5);
    weir_virtual_lqd_catch_up(b.lqd, &b.view, NULL, WEIR_PS_PER_S);
    assert_int_equal(bench_length(&b, 0), 3);
    bench_idle(&b, 0, WEIR_PS_PER_S); /* its turn now: one quantum, the next a cell time later */
    assert_int_equal(bench_length(&b, 0), 2);
    bench_idle(&b, 0, WEIR_PS_PER_S);
    assert_int_equal(bench_length(&b, 0), 2);
    bench_idle(&b, 0, WEIR_PS_PER_S + 80000);
    assert_int_equal(bench_length(&b, 0), 1);
    bench_dequeue(&b, 2, 9, WEIR_PS_PER_S + 80000); /* more than there is */
    assert_int_equal(b.lqd->vars.total_cells, 0);
    assert_true(bench_agrees(&b));
    free(b.lqd);
}

/* The artifact's rule: real departures alone, and an empty real queue clears its virtual one. */
static void dequeue__artifact(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, 2, 1, 100);
    bench_load(&b, true, 100);
    bench_arrive(&b, 0, 30, 0);
    bench_arrive(&b, 1, 10, 0);
    weir_virtual_lqd_catch_up(b.lqd, &b.view, NULL, WEIR_PS_PER_S);
    bench_idle(&b, 0, WEIR_PS_PER_S);
    assert_int_equal(bench_length(&b, 0), 30);
    b.account[0].held.cells = 1;
    bench_dequeue(&b, 0, 4, WEIR_PS_PER_S);
    assert_int_equal(bench_length(&b, 0), 26);
    bench_dequeue(&b, 1, 4, WEIR_PS_PER_S); /* its real queue is empty */
    assert_int_equal(bench_length(&b, 1), 0);
    bench_dequeue(&b, 0, 40, WEIR_PS_PER_S);
    assert_int_equal(b.lqd->vars.total_cells, 0);
    free(b.lqd);
}

static bool lengths_equal(const struct fixture *lqd, const struct fixture *follow)
{
    for (uint32_t p = 0; p < lqd->config.ports; p++)
        if (fixture_shared(lqd, p, 0) != fixture_threshold(follow, p, 0))
            return false;
    return true;
}

static void run_slots(struct slots *s, uint64_t seed)
{
    struct fixture lqd, follow;
    slots_config(&lqd, s);
    slots_config(&follow, s);
    fixture_build(&lqd, "lqd", "remove=tail");
    fixture_build(&follow, "followlqd", "quantum=1500B");
    for (uint32_t slot = 0, i = 0; slot < s->slots; slot++) {
        bool equal = true;
        for (; i < s->end[slot]; i++) {
            slots_send(&lqd, s, i, slot * SLOT_PS);
            slots_send(&follow, s, i, slot * SLOT_PS);
            equal = equal && lengths_equal(&lqd, &follow);
        }
        slots_depart(&lqd, s, slot * SLOT_PS);
        slots_depart(&follow, s, slot * SLOT_PS);
        if (!equal || !lengths_equal(&lqd, &follow)) {
            print_message("seed %llu, slot %u\n", (unsigned long long)seed, slot);
            slots_print(s);
            fail();
        }
    }
    fixture_free(&lqd);
    fixture_free(&follow);
}

static void virtual_lqd__equals_real_lqd_in_slots(void **state)
{
    (void)state;
    static struct slots s;
    for (uint64_t seed = 1; seed <= slots_rounds(200); seed++) {
        struct weir_random r = {seed, 1000};
        s.ports = 1 + weir_random_below(&r, 8);
        s.buffer = 1 + weir_random_below(&r, 40);
        slots_make(&s, seed % SLOTS_SHAPES, 40, seed);
        run_slots(&s, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_lqd__equals_plain_arrays),
        cmocka_unit_test(catch_up__is_lazy),
        cmocka_unit_test(catch_up__strictly_before_now),
        cmocka_unit_test(catch_up__send_takes_at_least_a_picosecond),
        cmocka_unit_test(arrive__pushes_out_the_longest),
        cmocka_unit_test(dequeue__in_lockstep_until_idle),
        cmocka_unit_test(dequeue__artifact),
        cmocka_unit_test(virtual_lqd__equals_real_lqd_in_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

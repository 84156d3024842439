/*
 * test_switch_node.c - one switch, with packets put on its links by hand: what happens first at one moment, when it
 * expels, how its memories are divided, and what it loses with a link.
 */
#include "tests/support/sim_star.h"

#include "sim/parallel/balance.h"

static int start(void **state)
{
    static struct star star;
    star_init(&star);
    star.config.tiers[0].mmu.buffer_cells = 200;
    *state = &star;
    return 0;
}

static int stop(void **state)
{
    struct star *star = *state;
    sim_free(star->sim);
    return 0;
}

static struct switch_node *node_of(struct star *star)
{
    return &star->sim->switches[0];
}

/* Of packets that belong to none. */
static struct flow no_flow;

/* A packet of 100 bytes from a host that arrives at the switch at `when`. Returns its name. */
static uint32_t arrive(struct star *star, uint32_t from, uint32_t to, weir_ps when)
{
    struct packet *packet = packet_new(&star->sim->worker[0]->packets);
    memset(packet, 0, sizeof *packet);
    packet->flow = &no_flow;
    packet->destination = to;
    packet->bytes = 100;
    packet->segment = (uint32_t)++star->sim->measure.made;
    struct link *link = star->sim->hosts[from].out;
    assert_true(link_send(link, packet, packet->bytes, when - 100 * NS));
    assert_int_equal(link_place(link, link->packets - 1)->when, when);
    return packet->segment;
}

/* All events before `end`, window by window. */
static void run(struct star *star, weir_ps end)
{
    struct sim *sim = star->sim;
    while (sim->now < end) {
        weir_ps next = end - sim->now < sim->window_ps ? end : sim->now + sim->window_ps;
        switch_node_run(node_of(star), next);
        sim->now = sim->worker[0]->now_ps = next;
    }
}

/* The packet that the host will receive next, at this moment. */
static void expect_delivery(struct star *star, uint32_t host, uint32_t name, weir_ps when)
{
    struct link *link = star->sim->hosts[host].in;
    assert_false(link_is_empty(link));
    assert_int_equal(link_place(link, link->arrived)->when, when);
    weir_ps next;
    struct packet *packet = link_take(link, &next);
    assert_int_equal(packet->segment, name);
    packet_delete(&star->sim->worker[0]->packets, packet);
}

static uint64_t refused(struct star *star, uint32_t port)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
        sum += star->sim->measure.sw[0].queue[port].refused[r];
    return sum;
}

static uint64_t lost(struct star *star, uint32_t port, enum weir_cause cause)
{
    return star->sim->measure.sw[0].queue[port].lost[cause];
}

static void arrival__leaves_at_once_by_a_free_port(void **state)
{
    struct star *star = *state;
    star_create(star);
    uint32_t name = arrive(star, 0, 2, 500 * NS);
    run(star, 500 * NS);
    assert_int_equal(star->sim->links[5].packets, 0);
    run(star, 500 * NS + 1);
    expect_delivery(star, 2, name, 600 * NS);
}

/* The buffer is full; at 200 ns the port becomes free, and a packet arrives that fits only after that. */
static void tie__departures_come_before_arrivals(void **state)
{
    struct star *star = *state;
    star_create(star);
    uint32_t first = arrive(star, 0, 2, 100 * NS), second = arrive(star, 1, 2, 150 * NS);
    uint32_t third = arrive(star, 3, 2, 160 * NS), fourth = arrive(star, 0, 2, 200 * NS);
    run(star, 1000 * NS);
    assert_int_equal(refused(star, 2), 0);
    expect_delivery(star, 2, first, 200 * NS);
    expect_delivery(star, 2, second, 300 * NS);
    expect_delivery(star, 2, third, 400 * NS);
    expect_delivery(star, 2, fourth, 500 * NS);
}

/* Room for one of two that arrive at the same moment: a hash of the moment and the port says which, whoever was sent
 * first. In 400 rounds each has it 200 times, with a standard deviation of 10. */
static void tie__arrivals_are_drawn(void **state)
{
    struct star *star = *state;
    uint32_t wins = 0;
    star->config.tiers[0].mmu.buffer_cells = 100;
    star_create(star);
    for (uint32_t round = 0; round < 400; round++) {
        weir_ps when = round * 1000 * NS;
        uint32_t ports[2] = {round % 2 ? 1 : 3, round % 2 ? 3 : 1}, name[STAR_HOSTS];
        uint32_t first = arrive(star, 0, 2, when + 100 * NS);
        name[ports[0]] = arrive(star, ports[0], 2, when + 150 * NS);
        name[ports[1]] = arrive(star, ports[1], 2, when + 150 * NS);
        run(star, when + 1000 * NS);
        assert_int_equal(refused(star, 2), round + 1);
        expect_delivery(star, 2, first, when + 200 * NS);
        uint64_t moment = weir_hash(node_of(star)->tie_salt, (uint64_t)(when + 150 * NS));
        bool lower = weir_hash(moment, STAR_HOSTS + 1) < weir_hash(moment, STAR_HOSTS + 3);
        expect_delivery(star, 2, name[lower ? 1 : 3], when + 300 * NS);
        assert_true(link_is_empty(star->sim->hosts[2].in));
        wins += lower;
    }
    assert_in_range(wins, 160, 240);
}

#define DEVICE_ARRIVALS 600u

/* Random packets for one port with a device queue. In plain words: a packet is refused if it does not fit beside those
 * that are in the buffer; it leaves the buffer when the packet `places` ahead of it begins to leave the port, and the
 * port when that is free. */
static void expect_device(struct star *star, uint32_t places, uint64_t seed)
{
    struct weir_random random = {.key = seed};
    weir_ps next[STAR_HOSTS] = {100 * NS, 101 * NS, 0, 102 * NS}, pull[DEVICE_ARRIVALS], begin[DEVICE_ARRIVALS];
    uint32_t names[DEVICE_ARRIVALS], taken = 0, lost_packets = 0;
    for (uint32_t i = 0; i < DEVICE_ARRIVALS; i++) {
        uint32_t from = next[0] <= next[1] ? 0 : 1, inside = 0;
        from = next[3] < next[from] ? 3 : from;
        weir_ps when = next[from];
        next[from] += 100 * NS + weir_random_below(&random, 250 * NS) + (i % 100 == 0 ? 1000 * NS : 0);
        uint32_t name = arrive(star, from, 2, when);
        run(star, when + 1);
        for (uint32_t k = 0; k < taken; k++)
            inside += pull[k] > when;
        if (inside * 100 + 100 > 500) {
            assert_int_equal(refused(star, 2), ++lost_packets);
            continue;
        }
        weir_ps ahead = taken >= places ? begin[taken - places] : 0;
        pull[taken] = ahead > when ? ahead : when;
        weir_ps free = taken ? begin[taken - 1] + 100 * NS : 0;
        begin[taken] = free > pull[taken] ? free : pull[taken];
        names[taken++] = name;
    }
    run(star, next[0] + WEIR_PS_PER_MS);
    assert_true(lost_packets > 20);
    assert_int_equal(refused(star, 2), lost_packets);
    for (uint32_t k = 0; k < taken; k++)
        expect_delivery(star, 2, names[k], begin[k] + 100 * NS);
    assert_true(link_is_empty(star->sim->hosts[2].in));
}

static void device__is_a_queue_outside_the_buffer(void **state)
{
    for (uint32_t places = 1; places <= 10; places += 3) {
        struct star *star = *state;
        sim_free(star->sim);
        star->config.tiers[0].mmu.buffer_cells = 500;
        star->config.tiers[0].device_packets = places;
        star_create(star);
        expect_device(star, places, places);
    }
}

static void port__sends_back_to_back_and_then_rests(void **state)
{
    struct star *star = *state;
    star->config.tiers[0].mmu.buffer_cells = 1000;
    star_create(star);
    uint32_t a = arrive(star, 0, 2, 100 * NS), b = arrive(star, 1, 2, 120 * NS), c = arrive(star, 0, 2, 1000 * NS);
    run(star, 900 * NS);
    assert_int_equal(node_of(star)->times[2], WEIR_NEVER);
    run(star, 2000 * NS);
    expect_delivery(star, 2, a, 200 * NS);
    expect_delivery(star, 2, b, 300 * NS);
    expect_delivery(star, 2, c, 1100 * NS);
}

static void memories__are_separate(void **state)
{
    struct star *star = *state;
    star->config.tiers[0].ports_per_mmu = 3;
    star_create(star);
    const struct switch_node *node = node_of(star);
    assert_int_equal(node->memories, 2);
    assert_int_equal(node->port[2].memory, 0);
    assert_int_equal(node->port[2].local, 2);
    assert_int_equal(node->port[3].memory, 1);
    assert_int_equal(node->port[3].local, 0);
    arrive(star, 0, 2, 100 * NS);
    arrive(star, 1, 2, 110 * NS);
    arrive(star, 3, 2, 120 * NS);
    arrive(star, 0, 3, 200 * NS - 10);
    arrive(star, 1, 3, 210 * NS);
    arrive(star, 0, 2, 300 * NS - 5);
    run(star, 190 * NS);
    assert_int_equal(weir_mmu_view(node->port[0].mmu)->pools->used_cells, 200);
    assert_int_equal(weir_mmu_view(node->port[3].mmu)->pools->used_cells, 0);
    run(star, 215 * NS);
    assert_int_equal(refused(star, 3), 0);
    assert_int_equal(weir_mmu_view(node->port[3].mmu)->pools->used_cells, 100);
    assert_int_equal(switch_node_packets(node), 2);
}

/* A loss of the second memory is noted at the right queue. */
static void memories__count_losses_by_the_switch_s_ports(void **state)
{
    struct star *star = *state;
    star->config.tiers[0].ports_per_mmu = 2;
    star->config.tiers[0].mmu.egress = weir_policy_find("lqd");
    star_create(star);
    for (uint32_t from = 0; from < 3; from++)
        arrive(star, from, 3, 100 * NS + from);
    arrive(star, 3, 2, 100 * NS + 4);
    arrive(star, 3, 2, 200 * NS + 4);
    run(star, 100 * NS + 5);
    assert_int_equal(lost(star, 3, WEIR_CAUSE_PUSHOUT), 1);
    assert_int_equal(lost(star, 1, WEIR_CAUSE_PUSHOUT), 0);
    assert_int_equal(star->sim->measure.sw[0].memory[1].buffer_at_loss[MEASURE_BINS - 1], 1);
}

/* Occamy with alpha 1 and a memory that can read three packets in the time in which a port sends one. */
static void occamy_star(struct star *star, struct weir_values *values)
{
    struct weir_mmu_config *mmu = &star->config.tiers[0].mmu;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    mmu->egress = weir_policy_find("occamy");
    weir_values_init(values, mmu->egress);
    assert_true(weir_values_set(values, mmu->egress, "alpha", "1", &error));
    mmu->egress_values = values;
    mmu->buffer_cells = 1000;
    mmu->memory_cell_bytes = 100;
    mmu->memory_bps = 24000000000;
    mmu->memory_depth_cells = 1;
    star_create(star);
}

/* Port 2 takes half of the buffer; when port 1 fills too, port 2 is above its limit. While both ports send, the memory
 * has bandwidth for one expulsion in 100 ns: each comes at the moment that the MMU named. */
static void expulsion__comes_when_the_mmu_wants_it(void **state)
{
    struct star *star = *state;
    struct weir_values values;
    occamy_star(star, &values);
    struct switch_node *node = node_of(star);
    for (uint32_t i = 0; i < 18; i++)
        arrive(star, i % 3 == 2 ? 3 : i % 3, 2, (100 + 100 * (i / 3)) * NS);
    for (uint32_t i = 0; i < 18; i++)
        arrive(star, i % 3 == 1 ? 2 : i % 3 == 2 ? 3 : 0, 1, (710 + 100 * (i / 3)) * NS);
    uint64_t expelled = 0, later = 0;
    while (star->sim->now < 1500 * NS) {
        weir_ps due = node->next_expel_ps, from = star->sim->now;
        assert_int_equal(due, weir_mmu_next_event(node->port[0].mmu));
        run(star, due > from && due - from < NS ? due : from + NS);
        uint64_t sum = lost(star, 2, WEIR_CAUSE_EXPELLED) + lost(star, 1, WEIR_CAUSE_EXPELLED);
        if (due > from && due < WEIR_NEVER && star->sim->now <= due)
            assert_int_equal(sum, expelled); /* not before its time */
        if (due <= from && due < WEIR_NEVER)
            assert_true(sum > expelled); /* and not after it */
        later += sum > expelled && due > 500 * NS;
        expelled = sum;
    }
    assert_true(later >= 2);
}

static void flush__loses_what_waits_for_the_port(void **state)
{
    struct star *star = *state;
    star->config.tiers[0].mmu.evictions_max = 1;
    star->config.tiers[0].mmu.buffer_cells = 1000;
    star_create(star);
    for (uint32_t i = 0; i < 3; i++)
        arrive(star, i == 2 ? 3 : i, 2, (100 + i) * NS);
    uint32_t other = arrive(star, 0, 1, 203 * NS);
    run(star, 204 * NS);
    switch_node_flush(node_of(star), 2, star->sim->now);
    assert_int_equal(lost(star, 2, WEIR_CAUSE_FLUSHED), 1);
    assert_int_equal(node_of(star)->times[2], WEIR_NEVER);
    assert_int_equal(switch_node_packets(node_of(star)), 0);
    run(star, 1000 * NS);
    assert_int_equal(star->sim->hosts[2].in->packets, 2);
    expect_delivery(star, 1, other, 303 * NS);
    assert_true(balance_check(star->sim) || star->sim->error.text[0] != '\0');
}

/* A series of every change ends with the queue that a flush left behind. */
static void flush__is_seen_by_probes(void **state)
{
    static const struct sim_probe probe = {0, 2, 0, 0, 0, WEIR_PS_PER_S, 100};
    struct star *star = *state;
    star->config.tiers[0].mmu.buffer_cells = 1000;
    star->config.probes = &probe;
    star->config.probe_count = 1;
    star_create(star);
    for (uint32_t i = 0; i < 3; i++)
        arrive(star, i == 2 ? 3 : i, 2, (100 + i) * NS);
    run(star, 150 * NS);
    const struct series *series = &star->sim->measure.probe[0];
    assert_int_equal(series->points[series->count - 1].queue_cells, 200);
    switch_node_flush(node_of(star), 2, star->sim->now);
    assert_int_equal(series->points[series->count - 1].queue_cells, 0);
    const struct measure_memory *memory = &star->sim->measure.sw[0].memory[0];
    for (uint32_t i = 0; i < MEASURE_BINS; i++)
        assert_int_equal(memory->buffer_at_loss[i], 0);
}

/* FollowLQD's virtual queue drains at the port's rate also when the link failed while its last packet was leaving. */
static void flush__tells_the_policy_that_the_port_is_idle(void **state)
{
    struct star *star = *state;
    star->config.tiers[0].mmu.buffer_cells = 1000;
    star->config.tiers[0].mmu.egress = weir_policy_find("followlqd");
    star_create(star);
    for (uint32_t i = 0; i < 3; i++)
        arrive(star, i == 2 ? 3 : i, 2, (100 + i) * NS);
    run(star, 150 * NS);
    struct weir_mmu *mmu = node_of(star)->port[2].mmu;
    assert_true(weir_mmu_threshold(mmu, (weir_account){2}) > 0);
    switch_node_flush(node_of(star), 2, star->sim->now);
    weir_mmu_advance(mmu, 10 * WEIR_PS_PER_US);
    assert_int_equal(weir_mmu_threshold(mmu, (weir_account){2}), 0);
}

/* Between the failure of a link and the new routes, what would go there is lost; after the repair it goes again. */
static void failure__makes_arrivals_unroutable(void **state)
{
    struct star *star = *state;
    star_create(star);
    star->sim->hosts[2].in->up = false;
    star->sim->next_change = 1;
    arrive(star, 0, 2, 100 * NS);
    run(star, 150 * NS);
    assert_int_equal(star->sim->measure.sw[0].unroutable, 1);
    assert_int_equal(star->sim->worker[0]->packets.live, 0);
    star->sim->hosts[2].in->up = true;
    uint32_t name = arrive(star, 0, 2, 300 * NS);
    run(star, 350 * NS);
    expect_delivery(star, 2, name, 400 * NS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arrival__leaves_at_once_by_a_free_port),
        TEST(tie__departures_come_before_arrivals),
        TEST(tie__arrivals_are_drawn),
        TEST(device__is_a_queue_outside_the_buffer),
        TEST(port__sends_back_to_back_and_then_rests),
        TEST(memories__are_separate),
        TEST(memories__count_losses_by_the_switch_s_ports),
        TEST(expulsion__comes_when_the_mmu_wants_it),
        TEST(flush__loses_what_waits_for_the_port),
        TEST(flush__is_seen_by_probes),
        TEST(flush__tells_the_policy_that_the_port_is_idle),
        TEST(failure__makes_arrivals_unroutable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

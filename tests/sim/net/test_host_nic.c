/*
 * test_host_nic.c - what a host puts on its link, packet by packet, against each rule in its plainest words: random
 * packets, and a model that looks at all of them each time.
 */
#include "tests/support/sim_star.h"

#include "sim/net/flows.h"
#include "sim/net/host_nic.h"

#define PACKETS 400u
#define CLASSES 4u
#define ROUNDS 20u

/* A packet as the host is asked to send it, and what the model makes of it. */
struct asked {
    weir_ps start;
    uint32_t tc, bytes;
    weir_ps begin; /* its transmission; WEIR_NEVER: it is lost */
};

struct trial {
    struct star star;
    struct asked asked[PACKETS];
};

/* Packets of 20 to 219 bytes, 100 ns apart on average; a byte takes 1 ns, so that the NIC is a little overloaded. Every
 * tenth waits longer: the NIC runs dry now and then. */
static void begin(struct trial *t, uint64_t seed, const struct sim_hosts *hosts)
{
    struct weir_random random = {.key = seed};
    weir_ps when = 0;
    star_init(&t->star);
    sim_transport_init(&t->star.transport, &transport_udp);
    t->star.config.hosts = *hosts;
    t->star.config.tiers[0].mmu.classes = CLASSES;
    t->star.config.seed = seed;
    star_create(&t->star);
    t->star.sim->worker[0]->event_ps = -1;
    for (uint32_t i = 0; i < PACKETS; i++) {
        when += weir_random_below(&random, 200) * NS + (weir_random_below(&random, 10) == 0 ? 2000 * NS : 0);
        t->asked[i] = (struct asked){.start = when,
                                     .tc = weir_random_below(&random, CLASSES),
                                     .bytes = 20 + weir_random_below(&random, 200),
                                     .begin = WEIR_NEVER};
        const struct flow_request request = {.start_ps = when,
                                             .source = 0,
                                             .destination = 1,
                                             .bytes = 1,
                                             .packet_bytes = t->asked[i].bytes,
                                             .packet_tc = (uint8_t)t->asked[i].tc,
                                             .group = FLOW_NO_GROUP};
        assert_true(sim_flow_start(t->star.sim->worker[0], i + 1, &request));
    }
}

/* The host alone, to the end: what is on its link is what the model says. */
static void expect_model(struct trial *t)
{
    struct sim *sim = t->star.sim;
    struct link *link = sim->hosts[0].out;
    uint32_t sent = 0;
    assert_int_equal(host_run(&sim->hosts[0], WEIR_NEVER), WEIR_NEVER);
    for (uint32_t i = 0; i < PACKETS; i++)
        sent += t->asked[i].begin != WEIR_NEVER;
    assert_int_equal(link->packets, sent);
    for (uint64_t n = 0; n < link->packets; n++) {
        const struct link_packet *on_link = link_place(link, n);
        const struct asked *asked = &t->asked[on_link->packet->flow_id - 1];
        assert_int_equal(on_link->packet->tc, asked->tc);
        assert_int_equal(on_link->when, asked->begin + asked->bytes * NS);
    }
    sim_free(sim);
}

/* Whenever the link is free: of all that wait, the first of the highest class. A packet that starts just then comes too
 * late, unless nothing else waits. */
static void model_strict(struct trial *t)
{
    weir_ps now = 0;
    for (uint32_t sent = 0; sent < PACKETS; sent++) {
        struct asked *best = NULL, *next = NULL;
        for (struct asked *a = t->asked; a < &t->asked[PACKETS]; a++) {
            if (a->begin != WEIR_NEVER)
                continue;
            next = next ? next : a;
            if (a->start < now && (!best || a->tc > best->tc))
                best = a;
        }
        best = best ? best : next;
        best->begin = best->start > now ? best->start : now;
        now = best->begin + best->bytes * NS;
    }
}

static void strict__sends_the_highest_class_first(void **state)
{
    static struct trial t;
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        begin(&t, seed, &(struct sim_hosts){.nic = SIM_NIC_STRICT});
        model_strict(&t);
        expect_model(&t);
    }
}

/* In order. With a limit, a packet is lost that finds so many waiting which have not begun. */
static void model_queue(struct trial *t, uint32_t limit)
{
    weir_ps now = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        struct asked *asked = &t->asked[i];
        uint32_t waiting = 0;
        for (uint32_t k = 0; k < i; k++)
            waiting += t->asked[k].begin != WEIR_NEVER && t->asked[k].begin > asked->start;
        if (waiting >= limit)
            continue;
        asked->begin = asked->start > now ? asked->start : now;
        now = asked->begin + asked->bytes * NS;
    }
}

static void queue__drops_what_does_not_fit(void **state)
{
    static struct trial t;
    uint64_t lost = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint32_t limit = 1 + (uint32_t)seed % 5;
        begin(&t, seed, &(struct sim_hosts){.nic = SIM_NIC_QUEUE, .queue_packets = limit, .queue_drops = true});
        model_queue(&t, limit);
        struct sim *sim = t.star.sim;
        assert_int_equal(host_run(&sim->hosts[0], WEIR_NEVER), WEIR_NEVER);
        assert_int_equal(sim->hosts[0].out->packets + sim->measure.lost_at_hosts, PACKETS);
        assert_int_equal(sim->measure.tag[0].lost, sim->measure.lost_at_hosts);
        lost += sim->measure.lost_at_hosts;
        expect_model(&t);
    }
    assert_true(lost > PACKETS);
}

/* Packets that wait in their flows keep their order, and none is lost. */
static void queue__waits(void **state)
{
    static struct trial t;
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        begin(&t, seed, &(struct sim_hosts){.nic = SIM_NIC_QUEUE, .queue_packets = 1 + (uint32_t)seed % 5});
        model_queue(&t, PACKETS);
        expect_model(&t);
    }
}

/* Two flows whose windows allow all they have. By their windows alone one goes after the other; with a part of the
 * queue for each, so many of one flow pass in a row, and at first the one that was being sent when the other came. */
static void queue__holds_a_part_for_each_flow(void **state)
{
    enum { SEGMENTS = 40 };
    (void)state;
    for (uint32_t part = 0; part <= 4; part++) {
        struct star star;
        uint32_t sent[2] = {0}, passed = 0, most = 0;
        star_init(&star);
        tcp_params(&star.transport)->initial_window_segments = SEGMENTS;
        star.config.hosts = (struct sim_hosts){.nic = SIM_NIC_QUEUE, .queue_packets = 1000, .queue_per_flow = part};
        star_create(&star);
        star.sim->worker[0]->event_ps = -1;
        for (uint32_t i = 0; i < 2; i++) {
            const struct flow_request request = {
                .source = 0, .destination = 1 + i, .bytes = 90 * SEGMENTS, .group = FLOW_NO_GROUP};
            assert_true(sim_flow_start(star.sim->worker[0], i + 1, &request));
        }
        host_run(&star.sim->hosts[0], 2 * SEGMENTS * 100 * NS);
        struct link *link = star.sim->hosts[0].out;
        assert_int_equal(link->packets, 2 * SEGMENTS);
        for (uint64_t n = 0; n < link->packets; n++) {
            uint32_t flow = link_place(link, n)->packet->flow_id - 1;
            passed = n > 0 && link_place(link, n - 1)->packet->flow_id == flow + 1 ? passed + 1 : 1;
            most = passed > most ? passed : most;
            assert_int_equal(link_place(link, n)->packet->segment, sent[flow]++);
        }
        assert_int_equal(most, part > 0 ? part + 1 : SEGMENTS);
        sim_free(star.sim);
    }
}

/* A packet that finds nothing waiting begins a drawn time after its start, or when the link is free. */
static void model_jitter(struct trial *t, const struct host_nic *nic)
{
    weir_ps now = 0, last = -1;
    uint64_t draws = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        struct asked *asked = &t->asked[i];
        asked->begin = asked->start > now ? asked->start : now;
        if (last <= asked->start) { /* all before have begun */
            uint64_t draw = weir_hash(nic->salt, draws++) >> 32;
            weir_ps earliest = asked->start + (weir_ps)((draw * (uint64_t)(nic->jitter_ps + 1)) >> 32);
            asked->begin = earliest > now ? earliest : now;
        }
        last = asked->begin;
        now = asked->begin + asked->bytes * NS;
    }
}

static void jitter__delays_what_finds_nothing_waiting(void **state)
{
    static struct trial t;
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        begin(&t, seed, &(struct sim_hosts){.nic = SIM_NIC_FIFO, .jitter_ps = 150 * NS});
        model_jitter(&t, t.star.sim->hosts[0].nic);
        expect_model(&t);
    }
}

/* Waits are even from 0 to the limit, and hosts draw their own. */
static void jitter__is_even(void **state)
{
    static struct trial t;
    uint32_t low = 0, high = 0, early = 0, count = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        begin(&t, seed, &(struct sim_hosts){.jitter_ps = 150 * NS});
        host_run(&t.star.sim->hosts[0], WEIR_NEVER);
        struct link *link = t.star.sim->hosts[0].out;
        const struct link_packet *first = link_place(link, 0);
        weir_ps wait = first->when - (t.asked[0].start + t.asked[0].bytes * NS);
        assert_true(wait >= 0 && wait <= 150 * NS);
        low += wait < 50 * NS;
        high += wait > 100 * NS;
        early += t.star.sim->hosts[0].nic->salt == t.star.sim->hosts[1].nic->salt;
        count++;
        sim_free(t.star.sim);
    }
    assert_in_range(low, count / 3 - 13, count / 3 + 14); /* four standard deviations of 3.3 */
    assert_in_range(high, count / 3 - 13, count / 3 + 14);
    assert_int_equal(early, 0);
}

/* 100 ppm of 8 Gb/s: a byte takes 999.9 to 1000.1 ps, each host its own, and the other way as the link says. */
static void drift__makes_nics_differ(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    star.config.hosts.drift_ppm = 100;
    star_create(&star);
    for (uint32_t i = 0; i < STAR_HOSTS; i++) {
        weir_ps time = link_time(star.sim->hosts[i].out, 10000);
        assert_in_range(time, 9999000, 10001000);
        assert_int_not_equal(time, link_time(star.sim->hosts[(i + 1) % STAR_HOSTS].out, 10000));
        assert_int_equal(link_time(star.sim->hosts[i].in, 10000), 10000000);
    }
    sim_free(star.sim);
}

/* The usual host has nothing of this. */
static void init__leaves_usual_hosts_alone(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    star_create(&star);
    assert_null(star.sim->hosts[0].nic);
    sim_free(star.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict__sends_the_highest_class_first),
        cmocka_unit_test(queue__drops_what_does_not_fit),
        cmocka_unit_test(queue__waits),
        cmocka_unit_test(queue__holds_a_part_for_each_flow),
        cmocka_unit_test(jitter__delays_what_finds_nothing_waiting),
        cmocka_unit_test(jitter__is_even),
        cmocka_unit_test(drift__makes_nics_differ),
        cmocka_unit_test(init__leaves_usual_hosts_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

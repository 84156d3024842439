/*
 * test_sim.c - a simulation as an object: refused configs, the end of a run, stopping and going on, many in one
 * process, and memory that runs short at every single allocation.
 */
#include <math.h>

#include "tests/support/sim_star.h"

#include "tests/support/error_line.h"
#include "tests/support/failing_alloc.h"

/* Errors. */

static void no_topology(struct star *star)
{
    star->config.topology = NULL;
}

static void no_end(struct star *star)
{
    star->config.until_ps = 0;
}

static void no_traffic(struct star *star)
{
    star->config.traffic_count = 0;
}

static void unknown_transport(struct star *star)
{
    star->traffic.transport = 1;
}

static void class_beyond_the_switch(struct star *star)
{
    star->transport.data_class = 1;
}

static void self_addressed(struct star *star)
{
    star->flows[0].destination = 0;
}

static void no_policy(struct star *star)
{
    star->config.tiers[0].mmu.egress = NULL;
}

static void no_buffer(struct star *star)
{
    star->config.tiers[0].mmu.buffer_cells = 0;
}

static void free_packets(struct star *star)
{
    star->config.wire.ack_bytes = 0;
}

static void host_with_two_links(struct star *star)
{
    star->links[1].a = 0;
}

static void create__refuses_what_it_cannot_run(void **state)
{
    static const struct {
        void (*change)(struct star *star);
        const char *expected; /* in the message */
    } cases[] = {
        {no_topology, "no topology"},       {no_end, "end of the run"},
        {no_traffic, "no traffic"},         {unknown_transport, "transport"},
        {class_beyond_the_switch, "class"}, {self_addressed, "two different hosts"},
        {no_policy, "no policy"},           {no_buffer, "buffer"},
        {free_packets, "ACK bytes"},        {host_with_two_links, "host 0"},
    };
    struct star star;
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        star_init(&star);
        cases[i].change(&star);
        struct sim *sim = sim_create(&star.config, &error);
        if (sim != NULL || strstr(ERROR_LINE(&error), cases[i].expected) == NULL)
            fail_msg("case %u: \"%s\" instead of something about %s", i, ERROR_LINE(&error), cases[i].expected);
    }
}

/* Runs. */

static const struct flow_record *only_record(const struct star *star)
{
    assert_int_equal(sim_records(star->sim)->count, 1);
    return &sim_records(star->sim)->at[0];
}

/* 10 segments of 100 bytes, sent at once: the last one has left after 1000 ns, and passes the switch in 100 more. */
static void run__a_lone_flow_takes_the_ideal_time(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    tcp_params(&star.transport)->initial_window_segments = 0;
    star.flows[0].start_ps = 777;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    const struct flow_record *record = only_record(&star);
    assert_int_equal(record->finish_ps, 777 + 1100 * NS);
    assert_int_equal(record->ideal_ps, 1100 * NS);
    assert_int_equal(record->delivered_bytes, 900);
    assert_int_equal(sim_totals(star.sim).packet_hops, 2 * (10 + 10));
    sim_free(star.sim);
}

static void run__ends_early_when_all_is_done(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_true(sim_totals(star.sim).now < 3 * WEIR_PS_PER_US);
    assert_int_equal(star.sim->worker[0]->packets.live, 0);
    sim_free(star.sim);
}

/* The end of the last ACK, wherever the window of time began: 1100 ns for the data, 2 * 10 ns for the ACK of the last.
 */
static void run__the_end_is_the_last_delivery(void **state)
{
    struct star star;
    (void)state;
    for (uint32_t part = 1; part <= 7; part += 3) {
        star_init(&star);
        tcp_params(&star.transport)->initial_window_segments = 0;
        star_create(&star);
        star.sim->window_ps /= part;
        assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
        assert_int_equal(sim_totals(star.sim).now, 1120 * NS);
        sim_free(star.sim);
    }
}

/* Nothing happens for long before the end of an endless flow whose link is down: the run lasts until then. */
static void run__the_end_is_until_when_a_flow_is_left(void **state)
{
    static const struct sim_link_change down = {100 * NS, 1, false};
    struct star star;
    (void)state;
    star_init(&star);
    star.config.changes = &down;
    star.config.change_count = 1;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_int_equal(sim_totals(star.sim).now, star.config.until_ps);
    sim_free(star.sim);
}

static void run__stops_at_its_end(void **state)
{
    struct star star;
    (void)state;
    for (weir_ps end = 1100 * NS; end <= 1100 * NS + 1; end++) {
        star_init(&star);
        tcp_params(&star.transport)->initial_window_segments = 0;
        star.config.until_ps = end;
        star_create(&star);
        assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
        const struct flow_record *record = only_record(&star);
        assert_int_equal(record->finish_ps, end > 1100 * NS ? 1100 * NS : WEIR_NEVER);
        assert_int_equal(record->delivered_bytes, end > 1100 * NS ? 900 : 810);
        sim_free(star.sim);
    }
}

static void run__an_endless_flow_goes_on_to_the_end(void **state)
{
    struct star star;
    (void)state;
    star_init(&star);
    star.traffic = (struct traffic_settings){.kind = TRAFFIC_LONG,
                                             .until_ps = 1,
                                             .concurrency = 1,
                                             .source_first = 0,
                                             .source_count = 1,
                                             .destination_first = 1,
                                             .destination_count = 1};
    star.config.until_ps = 100 * WEIR_PS_PER_US;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    const struct flow_record *record = only_record(&star);
    assert_int_equal(record->finish_ps, WEIR_NEVER);
    assert_int_equal(record->ideal_ps, WEIR_NEVER);
    assert_in_range(record->delivered_bytes, 80000, 90000); /* at most 90 of 100 bytes in 100 us at 1 byte/ns */
    sim_free(star.sim);
}

/* Interval probes go on to their own end, wherever the last flow ends. */
static void run__probes_reach_their_end(void **state)
{
    struct star star;
    struct sim_probe probe = {.port = 1, .interval_ps = 10 * NS, .until_ps = 5000 * NS, .points_max = 1000};
    (void)state;
    star_init(&star);
    star.config.probes = &probe;
    star.config.probe_count = 1;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_int_equal(sim_measure(star.sim)->probe[0].count, 500);
    sim_free(star.sim);
}

/*
 * The sender gives up waiting just before its ACK comes, so a second copy of the segment is under way when the flow
 * ends. Whether the receiver still answers it must not depend on which host runs first in a window.
 */
static void run__windows_do_not_matter_to_what_comes_late(void **state)
{
    uint64_t digest[3];
    struct star star;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        star_init(&star);
        for (uint32_t k = 0; k < STAR_HOSTS; k++)
            star.links[k].delay_ps = 1000 * NS;
        star.flows[0].bytes = 90;
        tcp_params(&star.transport)->min_rto_ps = tcp_params(&star.transport)->initial_rto_ps = 2000 * NS;
        star_create(&star);
        assert_true(star.sim->window_ps > 100 * NS);
        star.sim->window_ps /= i == 0 ? 1 : i == 1 ? 2 : 50;
        assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
        assert_int_equal(only_record(&star)->timeouts, 1);
        digest[i] = sim_digest(star.sim);
        sim_free(star.sim);
    }
    assert_int_equal(digest[1], digest[0]);
    assert_int_equal(digest[2], digest[0]);
}

/* Stopping, and several at once. */

struct stops {
    uint32_t asked;
    weir_ps last;
};

static bool stop_each_time(void *context, const struct sim_progress *progress)
{
    struct stops *stops = context;
    assert_true(progress->now >= stops->last && progress->now < progress->until);
    stops->last = progress->now;
    stops->asked++;
    return false;
}

static void busy_star(struct star *star, uint64_t seed)
{
    star_init(star);
    star->config.seed = seed;
    star->config.tiers[0].mmu.buffer_cells = 2000;
    tcp_params(&star->transport)->min_rto_ps = tcp_params(&star->transport)->initial_rto_ps = 20 * WEIR_PS_PER_US;
    star->traffic = (struct traffic_settings){.kind = TRAFFIC_QUERY,
                                              .until_ps = 200 * WEIR_PS_PER_US,
                                              .rate_per_s = 30000,
                                              .oversubscription = 1,
                                              .fan_out = 3,
                                              .bytes = 9000};
}

static uint64_t run_straight(uint64_t seed)
{
    struct star star;
    busy_star(&star, seed);
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_true(sim_records(star.sim)->count > 20);
    uint64_t digest = sim_digest(star.sim);
    sim_free(star.sim);
    return digest;
}

/* More flows of one packet than between two questions about progress, or as many, start at once; `stops`: the run is
 * stopped whenever it asks, and goes on. */
static uint64_t run_together(uint32_t count, uint32_t threads, bool stops)
{
    static struct listed_flow flows[70000];
    struct star star;
    struct stops of = {0, 0};
    star_init(&star);
    star_divide(&star);
    for (uint32_t i = 0; i < count; i++)
        flows[i] = (struct listed_flow){.start_ps = 100 * NS, .source = i % 2, .destination = 2, .bytes = 10, .tag = 0};
    star.config.threads = threads;
    star.config.until_ps = 100 * WEIR_PS_PER_MS;
    star.config.tiers[0].mmu.buffer_cells = 100000000;
    star.traffic.flows = flows;
    star.traffic.listed = count;
    star_create(&star);
    while (sim_run(star.sim, stops ? stop_each_time : NULL, &of) == SIM_RUNNING)
        assert_true(stops);
    assert_int_equal(sim_records(star.sim)->count, count);
    assert_int_equal(of.asked > 0, stops);
    uint64_t digest = sim_digest(star.sim);
    sim_free(star.sim);
    return digest;
}

static void run__stops_while_many_flows_start(void **state)
{
    static const uint32_t counts[] = {65536, 70000}; /* it asks at the last one, or before */
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t digest = run_together(counts[i], 1, false);
        assert_int_equal(run_together(counts[i], 1, true), digest);
        assert_int_equal(run_together(counts[i], 2, true), digest);
    }
}

static bool stop_at_first(void *context, const struct sim_progress *progress)
{
    uint32_t *asked = context;
    (void)progress;
    return ++*asked > 1;
}

/* 144,000 flows that are one launch. */
static void create_launch(struct star *star)
{
    star_init(star);
    star->traffic = (struct traffic_settings){.kind = TRAFFIC_ALL_TO_ALL,
                                              .until_ps = WEIR_PS_PER_S,
                                              .oversubscription = 1,
                                              .bytes = 10,
                                              .rounds = 12000,
                                              .concurrency = 36000};
    star_create(star);
}

static void run__stops_after_a_launch(void **state)
{
    struct star star;
    uint32_t asked = 0;
    (void)state;
    create_launch(&star);
    assert_int_equal(sim_run(star.sim, stop_at_first, &asked), SIM_RUNNING);
    assert_int_equal(asked, 2);
    assert_int_equal(sim_totals(star.sim).flows_started, 144000);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    assert_int_equal(sim_records(star.sim)->count, 144000);
    sim_free(star.sim);
}

/* Who says it twice does not wait for all of them. */
static void run__stops_within_a_launch(void **state)
{
    struct star star;
    struct stops stops = {0, 0};
    (void)state;
    create_launch(&star);
    assert_int_equal(sim_run(star.sim, stop_each_time, &stops), SIM_RUNNING);
    assert_int_equal(stops.asked, 2);
    assert_int_equal(sim_totals(star.sim).flows_started, 2 * 65536 - 1);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_UNEVEN);
    assert_non_null(strstr(sim_error(star.sim)->text, "stopped twice"));
    sim_free(star.sim);
}

static void run__two_in_turns_are_two_alone(void **state)
{
    struct star star[2];
    struct stops stops[2] = {{0, 0}, {0, 0}};
    enum sim_status status[2] = {SIM_RUNNING, SIM_RUNNING};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        busy_star(&star[i], i + 1);
        star_create(&star[i]);
    }
    while (status[0] == SIM_RUNNING || status[1] == SIM_RUNNING)
        for (uint32_t i = 0; i < 2; i++)
            status[i] = sim_run(star[i].sim, stop_each_time, &stops[i]);
    assert_true(stops[0].asked > 5);
    assert_true(run_straight(1) != run_straight(2));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(status[i], SIM_DONE);
        assert_int_equal(sim_run(star[i].sim, NULL, NULL), SIM_DONE);
        assert_int_equal(sim_digest(star[i].sim), run_straight(i + 1));
        sim_free(star[i].sim);
    }
}

/* Lack of memory. */

enum greed {
    GREED_LOSSY,
    GREED_LOSSLESS,
    GREED_FAR, /* links so long that more packets arrive in a window than a switch has room for at first */
    GREED_UET, /* rings that follow the window, and what flows of a host share */
    GREEDS
};

/* Traffic with losses, probes, a failure and a goodput series: everything that allocates. */
static void greedy_star(struct star *star, enum greed greed)
{
    static const struct sim_link_change changes[] = {{30 * WEIR_PS_PER_US, 3, false}, {50 * WEIR_PS_PER_US, 3, true}};
    static const struct sim_probe probe = {.port = 1, .until_ps = WEIR_PS_PER_S, .points_max = 100000};
    busy_star(star, 1);
    star->config.tiers[0].mmu.egress = weir_policy_find("occamy");
    star->config.tiers[0].ports_per_mmu = 2;
    star->config.changes = changes;
    star->config.change_count = 2;
    star->config.probes = &probe;
    star->config.probe_count = 1;
    star->config.goodput_interval_ps = 10 * WEIR_PS_PER_US;
    if (greed == GREED_UET) {
        sim_transport_init(&star->transport, &transport_uet);
        sim_transport_set(&star->transport, "control", 2);
    }
    for (uint32_t i = 0; greed == GREED_FAR && i < STAR_HOSTS; i++)
        star->links[i].delay_ps = 1000 * NS;
    if (greed != GREED_LOSSLESS)
        return;
    star->config.tiers[0].mmu.lossless_mask = 1;
    star->config.tiers[0].mmu.ingress = weir_policy_find("sih");
    star->config.tiers[0].mmu.buffer_cells += 100000;
}

/* True when the n-th allocation was reached. */
static bool run_short(uint64_t fail_at, uint64_t digest, enum greed greed)
{
    static struct star star;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    greedy_star(&star, greed);
    failing_alloc_start(fail_at);
    struct sim *sim = sim_create(&star.config, &error);
    enum sim_status status = sim != NULL ? sim_run(sim, NULL, NULL) : SIM_OUT_OF_MEMORY;
    bool failed = failing_alloc_stop();
    if (sim == NULL && strstr(ERROR_LINE(&error), "out of memory") == NULL)
        fail_msg("allocation %llu: message \"%s\"", (unsigned long long)fail_at, ERROR_LINE(&error));
    bool cut_short = sim != NULL && sim_measure(sim)->probe[0].full; /* a series may end early, and says so */
    if (failed && !cut_short)
        assert_int_equal(status, SIM_OUT_OF_MEMORY);
    if (!failed) {
        assert_int_equal(status, SIM_DONE);
        assert_int_equal(sim_digest(sim), digest);
    }
    sim_free(sim);
    assert_int_equal(failing_alloc_held(), 0);
    return failed;
}

static void sim__survives_a_lack_of_memory_anywhere(void **state)
{
    static struct star star;
    (void)state;
    for (enum greed greed = GREED_LOSSY; greed < GREEDS; greed++) {
        greedy_star(&star, greed);
        star_create(&star);
        assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
        uint64_t digest = sim_digest(star.sim), allocations = 1;
        sim_free(star.sim);
        while (run_short(allocations, digest, greed))
            allocations++;
        assert_true(allocations > 60);
    }
}

/* Eight listed flows between two racks: how many packets the leaf of the senders gives each of four spines. */
static void spread(uint64_t seed, int64_t ecmp_seed, uint64_t packets[4])
{
    const struct topology_leaf_spine shape = {2, 4, 2, 1, 8000000000, 8000000000, 0, 0};
    struct topology topology;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct star star;
    star_init(&star);
    assert_true(topology_leaf_spine(&topology, &shape, &error));
    star.config.topology = &topology;
    star.config.seed = seed;
    star.config.ecmp_seed = ecmp_seed;
    for (uint32_t i = 0; i < STAR_LISTED; i++)
        star.flows[i] = (struct listed_flow){
            .start_ps = 0, .source = i % 2, .destination = 2 + i % 2, .bytes = 900 * (i + 1), .tag = 0};
    star.traffic.listed = STAR_LISTED;
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    for (uint32_t spine = 0; spine < 4; spine++)
        packets[spine] = sim_link(star.sim, topology.hosts + spine, false)->packets;
    sim_free(star.sim);
    topology_free(&topology);
}

static void run__a_seed_has_its_own_paths(void **state)
{
    uint64_t first[4], other[4];
    (void)state;
    spread(1, SIM_ECMP_SEED_OF_RUN, first);
    for (uint64_t seed = 2; seed <= 5; seed++) {
        spread(seed, SIM_ECMP_SEED_OF_RUN, other);
        assert_memory_not_equal(first, other, sizeof first);
    }
    spread(2, 1, other);
    assert_memory_equal(first, other, sizeof first);
}

/* A long udp flow from one rack to another whose leaf chooses among four spines; one link to them is slower by half. */
static void choose(enum sim_ecmp ecmp, weir_ps gap_ps, uint32_t down, uint64_t packets[4], uint64_t *unroutable)
{
    const struct topology_leaf_spine shape = {2, 4, 1, 1, 8000000000, 8000000000, 0, 0};
    const struct sim_link_change change = {.when = 1, .link = 2 + down, .up = false};
    struct topology topology;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct star star;
    star_init(&star);
    assert_true(topology_leaf_spine(&topology, &shape, &error));
    topology.links[2].rate_bps /= 2;
    star.config.topology = &topology;
    star.config.ecmp = ecmp;
    star.config.flowlet_gap_ps = gap_ps;
    star.config.reroute_ps = WEIR_PS_PER_S / 2;
    star.config.changes = down < 4 ? &change : NULL;
    star.config.change_count = down < 4;
    sim_transport_init(&star.transport, ecmp == SIM_ECMP_WEIGHTED ? &transport_uet : &transport_udp);
    sim_transport_set(&star.transport, "rate", 0);
    sim_transport_set(&star.transport, "entropies", 1024);
    sim_transport_set(&star.transport, "paths", 0);
    star.config.until_ps = 10 * WEIR_PS_PER_MS;
    star.flows[0] = (struct listed_flow){.start_ps = 10, .source = 0, .destination = 1, .bytes = 90 * 2048, .tag = 0};
    star_create(&star);
    assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
    for (uint32_t spine = 0; spine < 4; spine++)
        packets[spine] = sim_link(star.sim, 2 + spine, false)->packets;
    *unroutable = sim_measure(star.sim)->sw[0].unroutable;
    sim_free(star.sim);
    topology_free(&topology);
}

static void run__the_emptiest_port_is_taken(void **state)
{
    uint64_t packets[4], unroutable;
    (void)state;
    choose(SIM_ECMP_ADAPTIVE, 0, 4, packets, &unroutable);
    for (uint32_t spine = 0; spine < 4; spine++) /* no queue: each is as good */
        assert_in_range(packets[spine], 400, 600);
    choose(SIM_ECMP_ADAPTIVE, 0, 1, packets, &unroutable);
    assert_int_equal(unroutable, 0); /* though routes do not know of it yet */
    assert_int_equal(packets[1], 0);
    choose(SIM_ECMP_PACKET, 0, 1, packets, &unroutable);
    assert_true(unroutable > 400);
}

static void run__a_flowlet_keeps_its_port(void **state)
{
    uint64_t packets[4], unroutable;
    uint32_t used = 0;
    (void)state;
    choose(SIM_ECMP_FLOWLET, 2 * WEIR_PS_PER_US, 4, packets, &unroutable); /* packets are 0.1 us apart */
    for (uint32_t spine = 0; spine < 4; spine++)
        used += packets[spine] > 0;
    assert_int_equal(used, 1);
    choose(SIM_ECMP_FLOWLET, 0, 4, packets, &unroutable); /* each packet is one */
    for (uint32_t spine = 0; spine < 4; spine++)
        assert_in_range(packets[spine], 400, 640);
}

/* 1 : 2 : 2 : 2, of 1024 entropy values that are used alike. */
static void run__a_port_has_its_weight(void **state)
{
    uint64_t packets[4], unroutable;
    (void)state;
    choose(SIM_ECMP_WEIGHTED, 0, 4, packets, &unroutable);
    double sum = (double)(packets[0] + packets[1] + packets[2] + packets[3]);
    for (uint32_t spine = 0; spine < 4; spine++) /* 3.3 deviations of 1024 draws */
        assert_true(fabs((double)packets[spine] / sum - (spine ? 2 : 1) / 7.0) < 0.047);
}

/* Ten packets at once from each of two hosts; the queue grows and shrinks packet by packet. Entering, those are marked
 * that come last; leaving, those that leave so many behind, first. */
static void run__marks_are_of_what_is_left_behind(void **state)
{
    uint64_t marked[2];
    (void)state;
    for (uint32_t leaving = 0; leaving < 2; leaving++) {
        struct star star;
        star_init(&star);
        star.links[2].rate_bps = 1000000000;
        star.config.tiers[0].mmu.marking[0] = (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = 500};
        star.config.tiers[0].marks_leaving = leaving;
        sim_transport_init(&star.transport, &transport_udp);
        sim_transport_set(&star.transport, "rate", 0);
        star.flows[0] = (struct listed_flow){.start_ps = 0, .source = 0, .destination = 2, .bytes = 900, .tag = 0};
        struct listed_packet packets[10];
        for (uint32_t i = 0; i < 10; i++)
            packets[i] = (struct listed_packet){i * 100000, 0, 2, 100, 0, true};
        star.traffic.kind = TRAFFIC_PACKETS;
        star.traffic.packets = packets;
        star.traffic.listed = 10;
        star_create(&star);
        assert_int_equal(sim_run(star.sim, NULL, NULL), SIM_DONE);
        marked[leaving] = sim_measure(star.sim)->sw[0].marked[2];
        sim_free(star.sim);
    }
    /* Packet n (0 ..) enters at 0.1 (n + 1) us, one leaves at 0.1, 0.9 and 1.7 us: with 4 waiting the next makes 500 B.
     */
    assert_int_equal(marked[0], 5);
    assert_int_equal(marked[1], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__the_emptiest_port_is_taken),
        cmocka_unit_test(run__a_flowlet_keeps_its_port),
        cmocka_unit_test(run__a_port_has_its_weight),
        cmocka_unit_test(run__marks_are_of_what_is_left_behind),
        cmocka_unit_test(run__a_seed_has_its_own_paths),
        cmocka_unit_test(create__refuses_what_it_cannot_run),
        cmocka_unit_test(run__a_lone_flow_takes_the_ideal_time),
        cmocka_unit_test(run__ends_early_when_all_is_done),
        cmocka_unit_test(run__the_end_is_the_last_delivery),
        cmocka_unit_test(run__the_end_is_until_when_a_flow_is_left),
        cmocka_unit_test(run__stops_at_its_end),
        cmocka_unit_test(run__stops_while_many_flows_start),
        cmocka_unit_test(run__stops_after_a_launch),
        cmocka_unit_test(run__stops_within_a_launch),
        cmocka_unit_test(run__an_endless_flow_goes_on_to_the_end),
        cmocka_unit_test(run__probes_reach_their_end),
        cmocka_unit_test(run__windows_do_not_matter_to_what_comes_late),
        cmocka_unit_test(run__two_in_turns_are_two_alone),
        cmocka_unit_test(sim__survives_a_lack_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

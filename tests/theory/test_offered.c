/*
 * test_offered.c - how much traffic is offered, and where ECMP sends it.
 *
 * Load: flows of mean size m are started by each host as a Poisson process of rate load * link / oversubscription / 8
 * m, so that a host offers load * link / oversubscription bits per second of payload. Each link of a leaf to a spine
 * carries its even part of what leaves the leaf. Transport is UDP at line rate: what is offered is what is sent, and
 * link counters must be exactly the bytes of the flows and their headers.
 *
 * The intervals: offered payload by batches of time. Of a link to a spine only the total is known: its payload is a sum
 * of sizes over a Poisson number of flows, so that its variance is that number times the mean square of the sizes, both
 * taken from the run.
 *
 * ECMP: flows of one packet, counted by link. Given how many leave a switch, the counts on its equal-cost links are
 * multinomial with equal parts: chi-square at the 0.1 % level. In a fat-tree the second choice must not repeat the
 * first one, or half of the links stay idle: the test there is over all links of a pod to the cores.
 */
#include "theory.h"

#include "sim/net/config.h"
#include "sim/workload/traffic.h"
#include "tests/support/error_line.h"

#define LEAVES 4u
#define SPINES 4u
#define PER_LEAF 4u
#define HOSTS (LEAVES * PER_LEAF)

static void offered_config(struct theory *t, weir_ps until_ps)
{
    theory_init(t, 2 * until_ps);
    const struct topology_leaf_spine shape = {LEAVES,    SPINES,    PER_LEAF,       1,
                                              10 * GBPS, 40 * GBPS, WEIR_PS_PER_US, WEIR_PS_PER_US};
    if (!topology_leaf_spine(&t->topology, &shape, &t->error))
        fail_msg("%s", ERROR_LINE(&t->error));
    theory_policy(t, "cs", NULL, 1000000000);
    udp_params(theory_transport(t, &transport_udp))->rate_bps = 0;
}

/* Offered payload of one host, or of all (HOSTS), as a part of what its link carries, in batches of time. */
static struct interval offered_interval(const struct theory *t, uint32_t host, weir_ps until_ps)
{
    double batch[THEORY_BATCHES] = {0};
    const struct records *records = sim_records(t->sim);
    double whole = 10e9 / 8 * (double)until_ps / 1e12 / THEORY_BATCHES * (host == HOSTS ? HOSTS : 1);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        if (host == HOSTS || r->source == host)
            batch[r->start_ps * THEORY_BATCHES / until_ps] += (double)r->bytes / whole;
    }
    return theory_interval(batch);
}

/* What a host's link must have carried. */
static void expect_link_bytes(const struct theory *t, uint32_t host)
{
    const struct records *records = sim_records(t->sim);
    const struct sim_wire *wire = &t->config.wire;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        uint64_t segments = (uint64_t)(r->bytes + wire->mss_bytes - 1) / wire->mss_bytes;
        if (r->source == host)
            bytes += (uint64_t)r->bytes + segments * wire->header_bytes;
    }
    assert_true(bytes > 0 && sim_link(t->sim, host, false)->bytes == bytes);
}

/* Links of the leaves to the spines: payload is what is left of the bytes without headers. */
static void expect_spine_links(const struct theory *t, double payload_part, weir_ps until_ps)
{
    const struct records *records = sim_records(t->sim);
    double squares = 0, widest = 0, apart = 0;
    for (uint32_t i = 0; i < records->count; i++)
        if (records->at[i].source / PER_LEAF != records->at[i].destination / PER_LEAF)
            squares += (double)records->at[i].bytes * (double)records->at[i].bytes;
    double half = THEORY_Z * sqrt(squares / LEAVES / SPINES);
    double theory = payload_part * 10e9 / 8 * (double)until_ps / 1e12 * PER_LEAF / SPINES;
    theory *= (double)(HOSTS - PER_LEAF) / (HOSTS - 1);
    for (uint32_t i = 0; i < LEAVES * SPINES; i++) {
        const struct link *link = sim_link(t->sim, HOSTS + i, false);
        double payload = (double)(link->bytes - link->packets * t->config.wire.header_bytes);
        double off = fabs(payload - theory);
        apart = off > apart ? off : apart;
        widest = half / theory;
        assert_true(off <= half);
    }
    print_message("   each of %u links to a spine: within %.2f %% of theory, interval %.2f %%\n", LEAVES * SPINES,
                  100 * apart / theory, 100 * widest);
    assert_true(widest < 0.1);
}

static void expect_load(double load, double oversubscription, weir_ps until_ps)
{
    static const struct size_point points[] = {{100, 0}, {20000, 1}};
    struct size_table sizes = {.name = "uniform", .points = points, .count = 2};
    struct theory t;
    offered_config(&t, until_ps);
    t.config.seed = (uint64_t)oversubscription;
    assert_true(size_table_check(&sizes, &t.error));
    struct traffic_settings *traffic = theory_traffic(&t, TRAFFIC_POISSON);
    traffic->sizes = &sizes;
    traffic->load = load;
    traffic->oversubscription = oversubscription;
    traffic->until_ps = until_ps;
    theory_run(&t);
    char what[80];
    snprintf(what, sizeof what, "uniform sizes, load %g over %g: all hosts", load, oversubscription);
    theory_expect(what, load / oversubscription, offered_interval(&t, HOSTS, until_ps), 0.04);
    for (uint32_t host = 0; host < HOSTS; host++) {
        struct interval one = offered_interval(&t, host, until_ps);
        assert_true(fabs(one.mean - load / oversubscription) <= one.half && one.half < 0.15 * load);
        expect_link_bytes(&t, host);
    }
    expect_spine_links(&t, load / oversubscription, until_ps);
    theory_free(&t);
}

static void poisson__loads_links(void **state)
{
    (void)state;
    expect_load(0.6, 1, 40 * WEIR_PS_PER_MS);
    expect_load(0.8, 4, 120 * WEIR_PS_PER_MS);
}

/* Counts requests instead of simulating them. */
struct counter {
    double batch[THEORY_BATCHES]; /* payload as a part of what the links carry */
    weir_ps until_ps;
    double whole;
};

static bool count_request(void *context, uint32_t id, const struct flow_request *request)
{
    (void)id;
    struct counter *counter = context;
    uint64_t batch = (uint64_t)((double)request->start_ps / (double)counter->until_ps * THEORY_BATCHES);
    counter->batch[batch < THEORY_BATCHES ? batch : THEORY_BATCHES - 1] += (double)request->bytes / counter->whole;
    return true;
}

/* E[S^2] / E[S]^2: how many flows a given precision takes. */
static double spread_of(const struct size_table *table)
{
    const struct size_point *p = table->points;
    double squares = p->bytes * p->bytes * p->cumulative;
    for (uint32_t i = 1; i < table->count; i++)
        squares += (p[i].bytes * p[i].bytes + p[i].bytes * p[i - 1].bytes + p[i - 1].bytes * p[i - 1].bytes) / 3 *
                   (p[i].cumulative - p[i - 1].cumulative);
    return squares / (table->mean_bytes * table->mean_bytes);
}

static void expect_table(const struct size_table *table, uint64_t seed)
{
    struct theory t;
    double flows = spread_of(table) * (THEORY_T / 0.03) * (THEORY_T / 0.03);
    struct counter counter = {.until_ps = (weir_ps)(flows / HOSTS * 8 * table->mean_bytes / (0.5 * 10e9) * 1e12)};
    counter.whole = HOSTS * 10e9 / 8 * (double)counter.until_ps / 1e12 / THEORY_BATCHES;
    offered_config(&t, counter.until_ps);
    t.config.seed = seed; /* its own draws for every table */
    struct traffic_settings *source = theory_traffic(&t, TRAFFIC_POISSON);
    source->sizes = table;
    source->load = 0.5;
    source->until_ps = counter.until_ps;
    uint32_t host_switch[HOSTS];
    for (uint32_t host = 0; host < HOSTS; host++)
        host_switch[host] = host / PER_LEAF;
    const struct workload workload = sim_config_workload(&t.config, host_switch);
    struct traffic *traffic = traffic_create(&workload, &t.error);
    if (!traffic)
        fail_msg("%s", ERROR_LINE(&t.error));
    struct traffic_sink sink = {.context = &counter, .start = count_request};
    assert_true(traffic_advance(traffic, counter.until_ps, &sink));
    char what[80];
    snprintf(what, sizeof what, "%s, load 0.5: offered (%.0f flows)", table->name, flows);
    theory_expect(what, 0.5, theory_interval(counter.batch), 0.05);
    traffic_free(traffic);
    theory_free(&t);
}

static void poisson__published_tables(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < size_table_count(); i++)
        expect_table(size_table_at(i), 1 + i);
}

/* Flows of one packet each, from every host to hosts of other switches. */
static void one_packet_flows(struct theory *t)
{
    static const struct size_point point = {1000, 1};
    static const struct size_table sizes = {.name = "one packet", .points = &point, .count = 1, .mean_bytes = 1000};
    theory_policy(t, "cs", NULL, 1000000000);
    udp_params(theory_transport(t, &transport_udp))->rate_bps = 0;
    struct traffic_settings *traffic = theory_traffic(t, TRAFFIC_POISSON);
    traffic->sizes = &sizes;
    traffic->pattern = TRAFFIC_PATTERN_OTHER_RACK;
    traffic->load = 0.3;
    theory_run(t);
}

/* The packets on `count` links in a row, upwards. */
static void count_packets(const struct theory *t, uint32_t first_link, uint32_t count, uint64_t *counts)
{
    for (uint32_t i = 0; i < count; i++)
        counts[i] = sim_link(t->sim, first_link + i, false)->packets;
}

static void ecmp__leaf_to_spines(void **state)
{
    (void)state;
    struct theory t;
    uint64_t counts[LEAVES * SPINES];
    offered_config(&t, 5 * WEIR_PS_PER_MS);
    one_packet_flows(&t);
    count_packets(&t, HOSTS, LEAVES * SPINES, counts);
    theory_expect_even("ECMP: flows of a leaf by spine", counts, LEAVES, SPINES);
    theory_free(&t);
}

#define TREE_K 8u
#define TREE_HALF (TREE_K / 2)
#define TREE_HOSTS (TREE_K * TREE_HALF * TREE_HALF) /* and as many links from edges, and from aggregations */

static void fat_tree_run(struct theory *t, enum sim_ecmp ecmp)
{
    const struct topology_fat_tree shape = {TREE_K, 10 * GBPS, WEIR_PS_PER_US};
    theory_init(t, 2 * WEIR_PS_PER_MS);
    assert_true(topology_fat_tree(&t->topology, &shape, &t->error));
    t->config.ecmp = ecmp;
    one_packet_flows(t);
}

static void ecmp__fat_tree_is_not_polarised(void **state)
{
    (void)state;
    struct theory t;
    uint64_t counts[TREE_HOSTS];
    fat_tree_run(&t, SIM_ECMP_FLOW);
    count_packets(&t, TREE_HOSTS, TREE_HOSTS, counts);
    theory_expect_even("ECMP: flows of an edge by aggregation", counts, TREE_K * TREE_HALF, TREE_HALF);
    count_packets(&t, 2 * TREE_HOSTS, TREE_HOSTS, counts);
    theory_expect_even("ECMP: flows of a pod by link to a core", counts, TREE_K, TREE_HALF * TREE_HALF);
    theory_free(&t);
}

/* One salt for all switches: an aggregation switch has a quarter of an edge's flows, those whose hash chose it, and the
 * same hash sends all of them on by one of its four links. */
static void ecmp__unsalted_hashes_polarise(void **state)
{
    (void)state;
    for (enum sim_ecmp ecmp = SIM_ECMP_UNSALTED; ecmp <= SIM_ECMP_MODULO; ecmp++) {
        struct theory t;
        uint64_t counts[TREE_HOSTS];
        fat_tree_run(&t, ecmp);
        count_packets(&t, TREE_HOSTS, TREE_HOSTS, counts);
        theory_expect_even("unsalted ECMP: flows of an edge by aggregation", counts, TREE_K * TREE_HALF, TREE_HALF);
        count_packets(&t, 2 * TREE_HOSTS, TREE_HOSTS, counts);
        for (uint32_t aggregation = 0; aggregation < TREE_K * TREE_HALF; aggregation++) {
            uint32_t used = 0;
            for (uint32_t i = 0; i < TREE_HALF; i++)
                used += counts[aggregation * TREE_HALF + i] > 0;
            assert_int_equal(used, 1);
        }
        theory_free(&t);
    }
}

/* One flow, packet by packet. */
static void spray__one_flow(void **state)
{
    (void)state;
    struct theory t;
    uint64_t counts[SPINES];
    const struct listed_flow flow = {.source = 0, .destination = HOSTS - 1, .bytes = 1460 * 20000};
    offered_config(&t, 100 * WEIR_PS_PER_MS);
    t.config.ecmp = SIM_ECMP_PACKET;
    theory_flow(&t, &flow);
    theory_run(&t);
    count_packets(&t, HOSTS, SPINES, counts);
    theory_expect_even("spray: packets of one flow by spine", counts, 1, SPINES);
    theory_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson__loads_links),           cmocka_unit_test(poisson__published_tables),
        cmocka_unit_test(ecmp__leaf_to_spines),           cmocka_unit_test(ecmp__fat_tree_is_not_polarised),
        cmocka_unit_test(ecmp__unsalted_hashes_polarise), cmocka_unit_test(spray__one_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

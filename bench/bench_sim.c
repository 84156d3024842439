/*
 * bench_sim.c - what the simulator costs: one leaf-spine fabric with web-search flows over DCTCP, timed as a whole. One
 * process is one run, so that the peak memory is that run's own; bench/fabric.py interleaves it with its contenders and
 * takes medians. The result is one JSON object on stdout.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/sim.h"
#include "sim/summary.h"
#include "sim/transport.h"

#define PACKETS_PER_MARK 65

struct options {
    struct topology_leaf_spine shape;
    const struct weir_policy *policy;
    double load;
    int64_t launch_us; /* flows start in this time; the run goes on for as long again */
    int64_t buffer_bytes;
    uint64_t seed;
    const char *flows_out; /* list of the flows, for the contenders */
};

static double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long bench_peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static bool options_read(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {{"spines", 1, 0, 's'}, {"leaves", 1, 0, 'l'}, {"hosts", 1, 0, 'h'},
                                          {"links", 1, 0, 'k'},  {"load", 1, 0, 'o'},   {"launch-us", 1, 0, 'u'},
                                          {"policy", 1, 0, 'p'}, {"seed", 1, 0, 'e'},   {"flows-out", 1, 0, 'f'},
                                          {"buffer", 1, 0, 'b'}, {0, 0, 0, 0}};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (letter) {
        case 's':
            o->shape.spines = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'l':
            o->shape.leaves = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'h':
            o->shape.hosts_per_leaf = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'k':
            o->shape.parallel = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'o':
            o->load = strtod(optarg, NULL);
            break;
        case 'u':
            o->launch_us = strtoll(optarg, NULL, 10);
            break;
        case 'p':
            o->policy = weir_policy_find(optarg);
            break;
        case 'e':
            o->seed = strtoull(optarg, NULL, 10);
            break;
        case 'f':
            o->flows_out = optarg;
            break;
        case 'b':
            o->buffer_bytes = strtoll(optarg, NULL, 10);
            break;
        default:
            return false;
        }
    }
    return o->policy != NULL;
}

static void bench_configure(struct sim_config *config, const struct options *o, struct sim_transport *transport,
                            struct sim_traffic *traffic)
{
    static const char *const tags[] = {"web-search"};
    sim_config_init(config);
    config->seed = o->seed;
    config->until_ps = 2 * o->launch_us * WEIR_PS_PER_US;
    config->wire = (struct sim_wire){.mss_bytes = 1400, .header_bytes = 54, .ack_bytes = 54};
    weir_mmu_config_init(&config->tiers[0].mmu, 1, 1, o->buffer_bytes);
    config->tiers[0].mmu.egress = o->policy;
    config->tiers[0].mmu.marking[0] =
        (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = PACKETS_PER_MARK * (1400 + 54)};
    sim_transport_init(transport, &transport_dctcp);
    config->transports = transport;
    config->transport_count = 1;
    *traffic = (struct sim_traffic){.kind = SIM_TRAFFIC_POISSON,
                                    .pattern = SIM_PATTERN_UNIFORM,
                                    .until_ps = o->launch_us * WEIR_PS_PER_US,
                                    .sizes = size_table_find("websearch"),
                                    .load = o->load,
                                    .oversubscription = 1};
    config->traffic = traffic;
    config->traffic_count = 1;
    config->tag_names = tags;
    config->tag_count = 1;
}

/* The flows that started, in the format that contenders read. */
static bool bench_write_flows(const char *path, const struct records *records)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        fprintf(file, "%" PRId64 " %u %u %" PRId64 "\n", r->start_ps / WEIR_PS_PER_NS, r->source, r->destination,
                r->bytes);
    }
    return fclose(file) == 0;
}

static bool bench_report(const struct sim *sim, double seconds)
{
    struct summary_flows flows;
    struct summary_losses losses;
    struct summary_filter all = {.tag = SUMMARY_ANY, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};
    struct sim_progress totals = sim_totals(sim);
    if (!summary_flows(sim_records(sim), &all, totals.now, &flows))
        return false;
    summary_losses(sim_measure(sim), SUMMARY_ANY, &losses);
    printf("{\"packet_hops\": %" PRIu64
           ", \"wall_s\": %.6f, \"ns_per_hop\": %.2f, \"peak_rss_kb\": %ld, \"flows\": %" PRIu64
           ", \"finished\": %" PRIu64 ", \"drops\": %" PRIu64 ", \"marks\": %" PRIu64 ", \"mean_fct_us\": %.3f, "
           "\"digest\": \"%016" PRIx64 "\"}\n",
           totals.packet_hops, seconds, seconds * 1e9 / (double)totals.packet_hops, bench_peak_kb(), flows.flows,
           flows.finished, losses.total, losses.marked, flows.fct_ps.mean / 1e6, sim_digest(sim));
    return true;
}

int main(int argc, char **argv)
{
    struct options o = {.shape = {.leaves = 4,
                                  .spines = 2,
                                  .hosts_per_leaf = 32,
                                  .parallel = 4,
                                  .host_rate_bps = 10000000000,
                                  .spine_rate_bps = 10000000000,
                                  .host_delay_ps = 3 * WEIR_PS_PER_US,
                                  .spine_delay_ps = 3 * WEIR_PS_PER_US},
                        .policy = weir_policy_find("dt"),
                        .load = 0.6,
                        .launch_us = 20000,
                        .buffer_bytes = 4 << 20,
                        .seed = 1};
    char message[WEIR_MESSAGE_MAX];
    struct topology topology;
    struct sim_config config;
    struct sim_transport transport;
    struct sim_traffic traffic;
    if (!options_read(&o, argc, argv))
        return 2;
    if (!topology_leaf_spine(&topology, &o.shape, message)) {
        fprintf(stderr, "bench: %s\n", message);
        return 4;
    }
    bench_configure(&config, &o, &transport, &traffic);
    config.topology = &topology;
    struct sim *sim = sim_create(&config, message);
    if (!sim) {
        fprintf(stderr, "bench: %s\n", message);
        return 4;
    }
    double start = bench_seconds();
    enum sim_status status = sim_run(sim, NULL, NULL);
    double seconds = bench_seconds() - start;
    bool ok = status == SIM_DONE && bench_report(sim, seconds);
    if (!ok)
        fprintf(stderr, "bench: the run failed: %s\n", sim_message(sim));
    if (ok && o.flows_out && !bench_write_flows(o.flows_out, sim_records(sim))) {
        fprintf(stderr, "bench: cannot write %s: %s\n", o.flows_out, strerror(errno));
        ok = false;
    }
    sim_free(sim);
    topology_free(&topology);
    return ok ? 0 : 4;
}

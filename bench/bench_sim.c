/*
 * bench_sim.c - what the simulator costs: one leaf-spine fabric with web-search flows, timed as a whole. One process is
 * one run, so that the peak memory is that run's own; bench/fabric.py interleaves it with its contenders and takes
 * medians. The result is one JSON object on stdout.
 *
 * With several classes, flows draw one of all but the highest, which is for ACKs; a headroom scheme makes those classes
 * lossless, and nothing else differs from the lossy run.
 *
 * --count N tells how even the parts of several threads are in N windows, after N others, by counting packet-hops
 * instead of time, without any thread: what comes out depends on nothing but the network.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/pfc_summary.h"
#include "sim/sim.h"
#include "sim/summary.h"
#include "sim/transport/transport.h"
#include "sim/workload/flow_list.h"

#define FULL_BYTES (1400 + 54)

struct options {
    struct topology_leaf_spine shape;
    const char *policy;
    const char *headroom; /* scheme; null: all classes are lossy */
    const char *transport;
    const char *load;
    uint32_t classes;
    uint32_t threads;
    int64_t rate_gbps, delay_ns; /* of every link */
    int64_t launch_us;           /* flows start in this time; the run goes on for as long again */
    int64_t buffer_bytes;
    int64_t seed;
    int64_t cell_bytes;          /* of the buffer; marks and limits count cells */
    int64_t mark_packets;        /* full ones; 0: never */
    int64_t prr;                 /* 1: windows shrink over a round trip, as Linux's and ns-3's do */
    int64_t profile;             /* 1: tell where the time of threads goes, in time of their processors */
    int64_t count;               /* after so many windows packet-hops are the time of threads, for as many; 0: no */
    int64_t device, nic_packets; /* device queue of a port; queue of a NIC, 0: it takes flows in turn */
    const char *flows_in;        /* list of flows to run instead of drawing them */
    const char *flows_out;       /* list of the flows that ran, for the contenders */
    const char *records_out;     /* `id src dst bytes start_ns fct_ns` per flow */
};

static double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the thread that asks: a busy machine takes nothing from it. */
static uint64_t bench_thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* With --count: a simulation whose threads are refused runs all parts in one. */
static struct {
    const struct sim *sim;
    const struct topology *topology;
    bool on;
    uint64_t looks, before; /* at the clock, so far; until it goes, and from then until it stops */
    uint64_t from, now;
} counted;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    return counted.on ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

/* The clock of a simulation that is counted: it stands still at first, and at last. */
static uint64_t bench_count_clock(void)
{
    uint64_t look = counted.looks++;
    if (look < counted.before || look > 2 * counted.before)
        return counted.now;
    /* Packet-hops so far; one that leaves a host takes half as long as one that leaves a switch
     * (sim/topology/partition.c).
     */
    const struct topology *t = counted.topology;
    uint64_t halves = 0;
    for (uint32_t i = 0; i < t->link_count; i++)
        halves += sim_link(counted.sim, i, false)->packets * (t->links[i].a < t->hosts ? 1 : 2) +
                  sim_link(counted.sim, i, true)->packets * (t->links[i].b < t->hosts ? 1 : 2);
    counted.from = counted.from ? counted.from : halves;
    return counted.now = halves - counted.from;
}

/* Of this program alone: what getrusage tells may be its parent's. */
static long bench_peak_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return peak;
}

/* --name value, in pairs. Values are trusted: this is a program for benchmarks. */
static bool options_read(struct options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        uint32_t *small;
        int64_t *large;
        const char **text;
    } known[] = {{"--spines", &o->shape.spines, NULL, NULL},
                 {"--leaves", &o->shape.leaves, NULL, NULL},
                 {"--hosts", &o->shape.hosts_per_leaf, NULL, NULL},
                 {"--links", &o->shape.parallel, NULL, NULL},
                 {"--classes", &o->classes, NULL, NULL},
                 {"--threads", &o->threads, NULL, NULL},
                 {"--rate-gbps", NULL, &o->rate_gbps, NULL},
                 {"--delay-ns", NULL, &o->delay_ns, NULL},
                 {"--headroom", NULL, NULL, &o->headroom},
                 {"--transport", NULL, NULL, &o->transport},
                 {"--launch-us", NULL, &o->launch_us, NULL},
                 {"--buffer", NULL, &o->buffer_bytes, NULL},
                 {"--seed", NULL, &o->seed, NULL},
                 {"--cell", NULL, &o->cell_bytes, NULL},
                 {"--mark", NULL, &o->mark_packets, NULL},
                 {"--prr", NULL, &o->prr, NULL},
                 {"--profile", NULL, &o->profile, NULL},
                 {"--count", NULL, &o->count, NULL},
                 {"--device", NULL, &o->device, NULL},
                 {"--nic-queue", NULL, &o->nic_packets, NULL},
                 {"--load", NULL, NULL, &o->load},
                 {"--policy", NULL, NULL, &o->policy},
                 {"--flows", NULL, NULL, &o->flows_in},
                 {"--flows-out", NULL, NULL, &o->flows_out},
                 {"--out", NULL, NULL, &o->records_out}};
    const size_t count = sizeof(known) / sizeof(known[0]);
    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;
        while (k < count && strcmp(argv[i], known[k].name) != 0)
            k++;
        if (k == count || i + 1 == argc) {
            fprintf(stderr, "bench: unknown option %s, or no value\n", argv[i]);
            return false;
        }
        if (known[k].small)
            *known[k].small = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (known[k].large)
            *known[k].large = strtoll(argv[i + 1], NULL, 10);
        else
            *known[k].text = argv[i + 1];
    }
    return true;
}

/* False when a name is not known. */
static bool options_complete(struct options *o)
{
    o->shape.host_rate_bps = o->shape.spine_rate_bps = o->rate_gbps * 1000000000;
    o->shape.host_delay_ps = o->shape.spine_delay_ps = o->delay_ns * WEIR_PS_PER_NS;
    if (weir_policy_find(o->policy) && transport_find(o->transport) &&
        (!o->headroom || (weir_policy_find(o->headroom) && o->classes > 1)))
        return true;
    fprintf(stderr, "bench: unknown policy or transport, or a headroom scheme without classes\n");
    return false;
}

static void bench_switch(struct sim_switch *settings, const struct options *o)
{
    struct weir_mmu_config *mmu = &settings->mmu;
    weir_mmu_config_init(mmu, 1, o->classes, o->buffer_bytes / o->cell_bytes);
    mmu->cell_bytes = (uint32_t)o->cell_bytes;
    settings->device_packets = (uint32_t)o->device;
    mmu->egress = weir_policy_find(o->policy);
    for (uint32_t c = 0; c < o->classes && o->mark_packets; c++)
        mmu->marking[c] =
            (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = o->mark_packets * FULL_BYTES / o->cell_bytes};
    if (o->classes > 1)
        mmu->scheduler = (struct weir_scheduler_config){
            .kind = WEIR_SCHED_STRICT_DRR, .quantum_bytes = 1600, .strict_from = o->classes - 1};
    if (!o->headroom)
        return;
    mmu->lossless_mask = (1u << (o->classes - 1)) - 1;
    mmu->ingress = weir_policy_find(o->headroom);
}

static void bench_configure(struct sim_config *config, const struct options *o, struct sim_transport *transport,
                            struct traffic_settings *traffic)
{
    static const char *const tags[] = {"web-search"};
    sim_config_init(config);
    config->seed = (uint64_t)o->seed;
    config->threads = o->threads;
    config->clock_ns = o->profile ? bench_thread_ns : NULL;
    config->clock_ns = o->count ? bench_count_clock : config->clock_ns;
    config->until_ps = 2 * o->launch_us * WEIR_PS_PER_US;
    config->wire = (struct sim_wire){.mss_bytes = 1400, .header_bytes = 54, .ack_bytes = 54};
    bench_switch(&config->tiers[0], o);
    if (o->nic_packets)
        config->hosts = (struct sim_hosts){.nic = SIM_NIC_QUEUE, .queue_packets = (uint32_t)o->nic_packets};
    sim_transport_init(transport, transport_find(o->transport));
    if (o->prr)
        sim_transport_set(transport, "prr", 1);
    transport->data_classes = (1u << (o->classes - 1)) - 1;
    transport->ack_class = (uint8_t)(o->classes - 1);
    config->transports = transport;
    config->transport_count = 1;
    *traffic = (struct traffic_settings){.kind = TRAFFIC_POISSON,
                                         .pattern = TRAFFIC_PATTERN_UNIFORM,
                                         .until_ps = o->launch_us * WEIR_PS_PER_US,
                                         .sizes = size_table_find("websearch"),
                                         .load = strtod(o->load, NULL),
                                         .oversubscription = 1};
    config->traffic = traffic;
    config->traffic_count = 1;
    config->tag_names = tags;
    config->tag_count = 1;
}

/* One line per flow: what contenders read, or with ids and completion times what they write. */
static bool bench_write(const char *path, const struct records *records, bool times)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        return false;
    }
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        int64_t start_ns = r->start_ps / WEIR_PS_PER_NS;
        int64_t fct_ns = r->finish_ps == WEIR_NEVER ? -1 : (r->finish_ps - r->start_ps) / WEIR_PS_PER_NS;
        if (times)
            fprintf(file, "%u %u %u %" PRId64 " %" PRId64 " %" PRId64 "\n", r->id, r->source, r->destination, r->bytes,
                    start_ns, fct_ns);
        else
            fprintf(file, "%" PRId64 " %u %u %" PRId64 "\n", start_ns, r->source, r->destination, r->bytes);
    }
    return fclose(file) == 0;
}

/* The whole file as text; null when it cannot be read. */
static char *bench_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t got = file ? getdelim(&text, &room, '\0', file) : -1;
    if (got < 0)
        fprintf(stderr, "bench: cannot read %s: %s\n", path, strerror(errno));
    if (file)
        fclose(file);
    *size = got < 0 ? 0 : (size_t)got;
    return got < 0 ? NULL : text;
}

/* Replaces the drawn traffic by the list. */
static bool bench_list(const char *path, uint32_t hosts, struct traffic_settings *traffic, struct listed_flows *list)
{
    struct flow_tags tags = {0};
    struct flow_list_setup setup = {.hosts = hosts, .tags = &tags};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    size_t size;
    char *text = bench_read(path, &size);
    bool ok = text && flow_list_read(list, text, size, &setup, &error);
    if (text && !ok)
        fprintf(stderr, "bench: %s: %s\n", path, error.text);
    free(text);
    flow_tags_free(&tags);
    traffic->kind = TRAFFIC_LIST;
    traffic->flows = list->at;
    traffic->listed = list->count;
    return ok;
}

/* On stderr: what threads took, and what a run would that waits for nothing but the busiest of each window. */
static void bench_profile(const struct sim *sim)
{
    struct sim_profile all = sim_profile(sim);
    for (uint32_t i = 0; i < all.threads; i++) {
        struct sim_thread_profile thread = sim_thread_profile(sim, i);
        fprintf(stderr,
                "thread %u: %u hosts, %u switches, %.1f ms (%.1f ms for switches), %" PRIu64 " packets to others\n", i,
                thread.hosts, thread.switches, (double)thread.busy_ns / 1e6, (double)thread.switches_ns / 1e6,
                thread.crossed);
    }
    /* ns that a look at the clock of threads takes: two of each worker and window are in what they took. */
    const uint32_t looks = 10000;
    uint64_t start = bench_thread_ns();
    for (uint32_t i = 1; i < looks; i++)
        (void)bench_thread_ns();
    fprintf(stderr,
            "%" PRIu64
            " windows, busiest %.1f ms, between windows %.1f ms, %u cut links, %.0f ns for a look at the clock\n",
            all.windows, (double)all.longest_ns / 1e6, (double)all.between_ns / 1e6, all.cut_links,
            ((double)(bench_thread_ns() - start) / looks));
}

static bool bench_report(const struct sim *sim, double seconds)
{
    struct summary_flows flows;
    struct summary_losses losses;
    struct pfc_summary pfc;
    struct summary_filter all = {.tag = SUMMARY_ANY, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};
    struct sim_progress totals = sim_totals(sim);
    if (!summary_flows(sim_records(sim), &all, totals.now, &flows))
        return false;
    summary_losses(sim_measure(sim), SUMMARY_ANY, &losses);
    pfc_summary_make(&pfc, sim);
    printf("{\"packet_hops\": %" PRIu64 ", \"windows\": %" PRIu64
           ", \"wall_s\": %.6f, \"ns_per_hop\": %.2f, \"peak_rss_kb\": %ld, \"flows\": %" PRIu64
           ", \"finished\": %" PRIu64 ", \"drops\": %" PRIu64 ", \"marks\": %" PRIu64 ", \"mean_fct_us\": %.3f, "
           "\"pauses\": %" PRIu64 ", \"lossless_lost\": %" PRIu64 ", \"digest\": \"%016" PRIx64 "\"}\n",
           totals.packet_hops, sim_profile(sim).windows, seconds, seconds * 1e9 / (double)totals.packet_hops,
           bench_peak_kb(), flows.flows, flows.finished, losses.total, losses.marked, flows.fct_ps.mean / 1e6,
           pfc.pauses, pfc.lost, sim_digest(sim));
    return true;
}

int main(int argc, char **argv)
{
    struct options o = {.shape = {.leaves = 4, .spines = 2, .hosts_per_leaf = 32, .parallel = 4},
                        .policy = "dt",
                        .transport = "dctcp",
                        .classes = 1,
                        .threads = 1,
                        .rate_gbps = 10,
                        .delay_ns = 3000,
                        .load = "0.6",
                        .launch_us = 20000,
                        .buffer_bytes = 4 << 20,
                        .seed = 1,
                        .cell_bytes = 1,
                        .mark_packets = 65};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct topology topology;
    struct sim_config config;
    struct sim_transport transport;
    struct traffic_settings traffic;
    struct listed_flows list = {0};
    if (!options_read(&o, argc, argv) || !options_complete(&o))
        return 2;
    if (!topology_leaf_spine(&topology, &o.shape, &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        return 4;
    }
    bench_configure(&config, &o, &transport, &traffic);
    config.topology = &topology;
    if (o.flows_in && !bench_list(o.flows_in, topology.hosts, &traffic, &list))
        return 3;
    counted.on = o.count;
    counted.before = (uint64_t)o.count * (2 * o.threads + 2); /* looks of sim/parallel/workers.c per window */
    counted.topology = &topology;
    struct sim *sim = sim_create(&config, &error);
    counted.sim = sim;
    if (!sim) {
        fprintf(stderr, "bench: %s\n", error.text);
        return 4;
    }
    double start = bench_seconds();
    enum sim_status status = sim_run(sim, NULL, NULL);
    double seconds = bench_seconds() - start;
    bool ok = status == SIM_DONE;
    if (ok && o.count) {
        /* The work of the busiest part, and of the busiest of each window: their time. */
        struct sim_profile all = sim_profile(sim);
        uint64_t most = 0, sum = 0;
        for (uint32_t i = 0; i < all.threads; i++) {
            uint64_t halves = sim_thread_profile(sim, i).busy_ns;
            most = halves > most ? halves : most;
            sum += halves;
        }
        printf("{\"parts\": %u, \"windows\": %" PRId64 ", \"work\": %.1f, \"busiest_part\": %.1f, "
               "\"busiest_of_windows\": %.1f, \"crossed\": %.4f}\n",
               all.threads, o.count, (double)sum / 2, (double)most / 2, (double)all.longest_ns / 2,
               (double)all.crossed / (double)sim_totals(sim).packet_hops);
    } else if (ok)
        ok = bench_report(sim, seconds);
    if (o.profile)
        bench_profile(sim);
    if (!ok)
        fprintf(stderr, "bench: the run failed: %s\n", sim_error(sim)->text);
    ok = ok && (!o.flows_out || bench_write(o.flows_out, sim_records(sim), false));
    ok = ok && (!o.records_out || bench_write(o.records_out, sim_records(sim), true));
    sim_free(sim);
    listed_flows_free(&list);
    topology_free(&topology);
    return ok ? 0 : 4;
}

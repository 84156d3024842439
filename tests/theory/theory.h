/*
 * theory.h - a simulation under test against a closed formula: built from a topology, a policy and a few flows, run,
 * and judged by confidence intervals that come from the run itself.
 *
 *   struct theory t;
 *   theory_init(&t, WEIR_PS_PER_S);                               everything else at the usual values
 *   topology_single(&t.topology, &shape, &t.error);
 *   theory_policy(&t, "dt", "alpha=1", 1000000);                  of every tier, and its buffer in bytes
 *   udp_params(theory_transport(&t, &transport_udp))->rate_bps = ...;
 *   theory_traffic(&t, TRAFFIC_LIST)->flows = ...;            of the last transport
 *   theory_run(&t);                                               fails the test when anything is wrong
 *   ... sim_records(t.sim) ...
 *   theory_free(&t);
 *
 * The config points into the struct, so it is never copied. Anything that fails here fails the test.
 *
 * Intervals: a long run is cut into THEORY_BATCHES batches after a warm-up. Their means are nearly independent and
 * normal when a batch is much longer than the memory of the system, so that Student's t with THEORY_BATCHES - 1 degrees
 * of freedom gives an interval around their mean. The level is 99.9 % for each single check: with the number of checks
 * in this folder, a right simulator fails none of them in about 9 of 10 choices of the seeds.
 */
#ifndef WEIR_TESTS_THEORY_H
#define WEIR_TESTS_THEORY_H

#include "tests/support/fixture.h"

#include <math.h>
#include <stdio.h>

#include "sim/engine/link.h"
#include "sim/sim.h"
#include "sim/transport/tcp.h"
#include "sim/transport/udp.h"
#include "tests/support/error_line.h"

#define THEORY_PARTS 64u
#define THEORY_BATCHES 30u
#define THEORY_T 3.659 /* Student's t, 29 degrees of freedom, two-sided 99.9 % */
#define THEORY_Z 3.291 /* the normal distribution, two-sided 99.9 % */

#define GBPS ((weir_bps)1000000000)
#define MBPS ((weir_bps)1000000)

struct theory {
    struct topology topology;
    struct sim_config config;
    struct sim_transport transports[THEORY_PARTS];
    struct traffic_settings traffic[THEORY_PARTS];
    struct sim_probe probes[THEORY_PARTS];
    const char *tags[THEORY_PARTS];
    struct weir_values values;
    struct sim *sim;
    struct weir_error error;
};

/* Packets of 1500 B with 40 B of header and no gap, so that rates and times are round numbers. */
static inline void theory_init(struct theory *t, weir_ps until_ps)
{
    memset(t, 0, sizeof *t);
    sim_config_init(&t->config);
    t->config.until_ps = until_ps;
    t->config.topology = &t->topology;
    t->config.wire = (struct sim_wire){.mss_bytes = 1460, .header_bytes = 40, .ack_bytes = 40, .gap_bytes = 0};
    t->config.transports = t->transports;
    t->config.transport_count = 0;
    t->config.traffic = t->traffic;
    t->config.traffic_count = 0;
    t->config.probes = t->probes;
    t->config.probe_count = 0;
    for (uint32_t i = 0; i < THEORY_PARTS; i++)
        t->tags[i] = "flows";
    t->config.tag_names = t->tags;
    t->config.tag_count = THEORY_PARTS;
}

/* One class under this policy in a buffer of so many bytes, on every switch. */
static inline void theory_policy(struct theory *t, const char *policy, const char *settings, weir_cells buffer_bytes)
{
    struct weir_mmu_config *mmu = &t->config.tiers[0].mmu;
    weir_mmu_config_init(mmu, 1, 1, buffer_bytes);
    mmu->egress = weir_policy_find(policy);
    assert_non_null(mmu->egress);
    fixture_values(&t->values, mmu->egress, settings);
    mmu->egress_values = &t->values;
    t->config.tiers[0].ports_per_mmu = 0;
    t->config.tier_count = 1;
}

static inline struct sim_transport *theory_transport(struct theory *t, const struct transport *kind)
{
    assert_true(t->config.transport_count < THEORY_PARTS);
    struct sim_transport *transport = &t->transports[t->config.transport_count++];
    sim_transport_init(transport, kind);
    return transport;
}

/* A source of flows of the transport added last. */
static inline struct traffic_settings *theory_traffic(struct theory *t, enum traffic_type kind)
{
    assert_true(t->config.traffic_count < THEORY_PARTS && t->config.transport_count > 0);
    struct traffic_settings *traffic = &t->traffic[t->config.traffic_count++];
    *traffic = (struct traffic_settings){.kind = kind,
                                         .transport = t->config.transport_count - 1,
                                         .until_ps = t->config.until_ps,
                                         .load = 1,
                                         .oversubscription = 1,
                                         .concurrency = 1,
                                         .rounds = 1};
    return traffic;
}

/* One flow of the transport added last; `flow` outlives the run. */
static inline void theory_flow(struct theory *t, const struct listed_flow *flow)
{
    struct traffic_settings *traffic = theory_traffic(t, TRAFFIC_LIST);
    traffic->flows = flow;
    traffic->listed = 1;
}

/* Follows a port of switch 0 from the start to the end; an interval of 0 means at every change. Its number. */
static inline uint32_t theory_probe(struct theory *t, uint32_t port, weir_ps interval_ps, uint32_t points_max)
{
    assert_true(t->config.probe_count < THEORY_PARTS);
    t->probes[t->config.probe_count] = (struct sim_probe){
        .port = port, .interval_ps = interval_ps, .until_ps = t->config.until_ps, .points_max = points_max};
    return t->config.probe_count++;
}

static inline void theory_create(struct theory *t)
{
    t->sim = sim_create(&t->config, &t->error);
    if (!t->sim)
        fail_msg("%s", ERROR_LINE(&t->error));
}

static inline void theory_run_watched(struct theory *t, sim_progress_function *progress, void *context)
{
    theory_create(t);
    if (sim_run(t->sim, progress, context) != SIM_DONE)
        fail_msg("the run did not end well: %s", sim_error(t->sim)->text);
}

static inline void theory_run(struct theory *t)
{
    theory_run_watched(t, NULL, NULL);
}

static inline void theory_free(struct theory *t)
{
    sim_free(t->sim);
    topology_free(&t->topology);
}

/* Packets that a port of a switch refused or lost, in any class. */
static inline uint64_t theory_losses(const struct theory *t, uint32_t sw, uint32_t port)
{
    const struct measure_switch *m = &sim_measure(t->sim)->sw[sw];
    uint64_t losses = 0;
    for (uint32_t tc = 0; tc < m->classes; tc++) {
        const struct measure_losses *queue = &m->queue[tc * m->ports + port];
        for (uint32_t i = 0; i < WEIR_REASON_COUNT; i++)
            losses += queue->refused[i];
        for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++)
            losses += queue->lost[i];
    }
    return losses;
}

/* Serialisation of a packet, without the propagation: as links have it, which is the exact time rounded down. */
static inline weir_ps theory_wire_ps(const struct theory *t, weir_bps rate_bps, uint32_t bytes)
{
    struct link link = {.ps_per_byte = link_ps_per_byte(rate_bps), .gap_bytes = t->config.wire.gap_bytes};
    weir_ps found = link_time(&link, bytes);
    double exact = (bytes + t->config.wire.gap_bytes) * 8e12 / (double)rate_bps;
    assert_true((double)found > exact - 1.01 && (double)found < exact + 0.01);
    return found;
}

struct interval {
    double mean, half; /* the interval is mean - half to mean + half */
};

/* From THEORY_BATCHES batch means. */
static inline struct interval theory_interval(const double batch[THEORY_BATCHES])
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < THEORY_BATCHES; i++)
        mean += batch[i] / THEORY_BATCHES;
    for (uint32_t i = 0; i < THEORY_BATCHES; i++)
        squares += (batch[i] - mean) * (batch[i] - mean);
    double deviation = sqrt(squares / (THEORY_BATCHES - 1));
    return (struct interval){mean, THEORY_T * deviation / sqrt(THEORY_BATCHES)};
}

/* The theory lies in the interval, and the interval is narrow enough to mean something. */
static inline void theory_expect(const char *what, double theory, struct interval found, double widest_part)
{
    print_message("%-44s theory %12.6g  found %12.6g +- %-9.3g (%+.2f %%, interval %.2f %%)\n", what, theory,
                  found.mean, found.half, 100 * (found.mean / theory - 1), 100 * found.half / theory);
    assert_true(found.half <= widest_part * theory);
    assert_true(theory >= found.mean - found.half && theory <= found.mean + found.half);
}

/* A number that differs from the theory by no more than a bound that the caller derives. */
static inline void theory_expect_near(const char *what, double theory, double found, double bound)
{
    print_message("%-44s theory %12.6g  found %12.6g (%+.3g, bound %.3g)\n", what, theory, found, found - theory,
                  bound);
    assert_true(fabs(found - theory) <= bound);
}

/* The value that a chi-square variable exceeds with probability 0.1 % (Wilson and Hilferty 1931). */
static inline double theory_chi_square_limit(uint32_t freedom)
{
    double spread = 2.0 / (9.0 * freedom), cube = 1 - spread + 3.090 * sqrt(spread);
    return freedom * cube * cube * cube;
}

/* Counts that should be equal within each of several groups of cells. */
static inline void theory_expect_even(const char *what, const uint64_t *counts, uint32_t groups, uint32_t cells)
{
    double total = 0, chi = 0, limit = theory_chi_square_limit(groups * (cells - 1));
    for (uint32_t g = 0; g < groups; g++) {
        double sum = 0;
        for (uint32_t i = 0; i < cells; i++)
            sum += (double)counts[g * cells + i];
        assert_true(sum > 0);
        for (uint32_t i = 0; i < cells; i++) {
            double apart = (double)counts[g * cells + i] - sum / cells;
            chi += apart * apart / (sum / cells);
        }
        total += sum;
    }
    print_message("%-44s %.0f in %u x %u cells: chi-square %.1f, limit %.1f\n", what, total, groups, cells, chi, limit);
    assert_true(chi <= limit);
}

#endif

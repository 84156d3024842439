/*
 * evaluate_run.c - traffic through the switch as it is configured: the scenario that `weir scenario` writes, run in
 * this process, and the counters that an operator would read beside what happened.
 */
#include <stdlib.h>
#include <string.h>

#include "lab/spread/spread.h"
#include "operate/evaluate/evaluate.h"
#include "run/run.h"
#include "weir/counters.h"
#include "weir/switch.h"

#define PS_PER_US 1e6

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void take_tags(struct evaluate_run *run, const struct run_result *result)
{
    for (uint32_t i = 0; i < result->scenario->config.tag_count && run->tags < EVALUATE_TAGS; i++) {
        const struct run_tag *tag = &result->tags[i];
        struct evaluate_tag *into = &run->tag[run->tags];
        if (tag->flows.flows == 0 && tag->packets.sent == 0)
            continue;
        run->tags++;
        snprintf(into->name, sizeof into->name, "%s", tag->name);
        const struct statistics *times = tag->flows.flows > 0 ? &tag->flows.fct_ps : &tag->packets.delay_ps;
        into->flows = tag->flows.flows > 0 ? tag->flows.flows : tag->packets.sent;
        into->unfinished = tag->flows.unfinished;
        into->lost = tag->lost;
        into->mean_us = times->mean / PS_PER_US;
        into->p50_us = times->p50 / PS_PER_US;
        into->p99_us = times->p99 / PS_PER_US;
    }
}

/* Accounts of one MMU: queues of its outputs, groups of its inputs. */
static void take_accounts(struct evaluate_run *run, const struct weir_mmu *mmu)
{
    const struct weir_view *out = weir_mmu_view(mmu), *in = weir_mmu_ingress_view(mmu);
    for (uint32_t i = 0; i < out->geometry.accounts; i++) {
        struct evaluate_class *into = &run->of[weir_account_class(&out->geometry, (weir_account){i}).i];
        struct weir_account_counters queue = weir_mmu_account_counters(mmu, (weir_account){i});
        into->queue_sent += queue.packets;
        into->queue_dropped += queue.dropped_packets;
        into->marked += queue.marked_packets;
        into->queue_watermark = larger(into->queue_watermark, queue.watermark_bytes[WEIR_WM_PERSISTENT]);
    }
    for (uint32_t i = 0; in != NULL && i < in->geometry.accounts; i++) {
        struct evaluate_class *into = &run->of[weir_account_class(&in->geometry, (weir_account){i}).i];
        struct weir_group_counters group = weir_mmu_group_counters(mmu, (weir_account){i});
        into->group_dropped += group.dropped_packets;
        into->pauses += group.pauses;
        into->shared_watermark = larger(into->shared_watermark, group.shared_watermark_bytes[WEIR_WM_PERSISTENT]);
        into->headroom_watermark = larger(into->headroom_watermark, group.headroom_watermark_bytes[WEIR_WM_PERSISTENT]);
    }
}

static void take_counters(struct evaluate_run *run, const struct sim *sim, uint32_t hosts)
{
    const struct weir_switch *sw = sim_switch(sim, 0);
    for (uint32_t m = 0; m < weir_switch_mmu_count(sw); m++) {
        const struct weir_mmu *mmu = weir_switch_mmu(sw, m);
        struct weir_pool_counters pool = weir_mmu_pool_counters(mmu);
        const struct weir_geometry *g = &weir_mmu_view(mmu)->geometry;
        run->pool_watermark = larger(run->pool_watermark, pool.watermark_bytes[WEIR_WM_PERSISTENT]);
        run->headroom_watermark = larger(run->headroom_watermark, pool.headroom_watermark_bytes[WEIR_WM_PERSISTENT]);
        run->buffer = (uint64_t)g->buffer_cells * g->cell_bytes;
        run->headroom = (uint64_t)g->headroom_cells * g->cell_bytes;
        take_accounts(run, mmu);
    }
    for (uint32_t port = 0; port < sim_switch_ports(sim, 0); port++)
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            struct pfc_queue queue;
            if (!pfc_summary_queue(sim, hosts, port, tc, &queue))
                continue;
            run->of[tc].frames += queue.counters.pauses + queue.counters.refreshes;
        }
    for (uint32_t host = 0; host < hosts; host++)
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
            struct pfc_queue queue;
            if (pfc_summary_queue(sim, host, 0, tc, &queue))
                run->of[tc].held_us += (double)queue.held_ps / PS_PER_US;
        }
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
        *(run->lossless >> tc & 1 ? &run->lossless_lost : &run->lossy_lost) += run->of[tc].queue_dropped;
}

static int simulate(struct evaluate_run *run, struct run *made, bool quiet)
{
    struct run_result *result = calloc(1, sizeof *result);
    int code = result == NULL ? cli_error_memory() : spread_go(made, quiet);
    if (code == CLI_OK && made->end == RUN_STOPPED)
        code = CLI_INTERRUPTED;
    if (code == CLI_OK && !run_measure(made, result))
        code = cli_error_memory();
    if (code == CLI_OK) {
        const struct sim *sim = run_sim(made);
        run->is_made = true;
        run->ports = sim_switch_ports(sim, 0);
        run->lossless = made->scenario.config.tiers[0].mmu.lossless_mask;
        run->simulated_us = (double)result->totals.now / PS_PER_US;
        take_tags(run, result);
        take_counters(run, sim, made->scenario.topology.hosts);
    }
    if (result != NULL)
        run_result_free(result);
    free(result);
    return code;
}

int evaluate_traffic(struct evaluate_run *run, const struct sonic_model *model, const struct evaluate_wish *wish)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct scenario_files files = {.folder = "."};
    struct run_source source = {.origin = "traffic", .files = &files};
    struct run made = {.end = RUN_PAUSED};
    char *text = NULL;
    FILE *out = open_memstream(&text, &source.size);
    if (out == NULL)
        return cli_error_memory();
    bool written = sonic_write_scenario(model, &wish->traffic, out, &error);
    bool whole = fclose(out) == 0;
    int code = !written ? cli_report(&error) : !whole ? cli_error_memory() : CLI_OK;
    source.text = text;
    if (code == CLI_OK && !run_open(&made, &source, NULL))
        code = cli_report(&made.error);
    if (code == CLI_OK)
        code = simulate(run, &made, wish->quiet);
    run->is_capture = wish->traffic.kind == SONIC_TRAFFIC_PCAP;
    run->wanted_ports = wish->traffic.is_wanted && wish->traffic.ports > run->ports ? wish->traffic.ports : 0;
    run_close(&made);
    free(text);
    return code;
}

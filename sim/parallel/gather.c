/*
 * gather.c - see gather.h. Each rank sends what it has counted to rank 0, which adds
 * it to its own. The same walk over the results writes a letter and reads it.
 *
 * Histograms are nearly empty, and are sent as what is in them. Switches of other ranks have no counters here until
 * then, and never an MMU: what is asked of those after a run is sent too (peaks, flow control).
 */
#include <stdlib.h>
#include <string.h>

#include "sim/net/host_pfc.h"
#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_pfc.h"
#include "sim/parallel/balance.h"
#include "sim/parallel/gather.h"
#include "sim/parallel/ranks.h"
#include "weir/counters.h"

struct walk {
    struct sim *sim;
    uint32_t rank;            /* whose results these are */
    struct post_bytes *write; /* null: it reads */
    const unsigned char *at, *end;
    bool good;
};

/* Copies into the letter, or out of it. */
static void walk_bytes(struct walk *walk, void *at, size_t size)
{
    if (walk->write) {
        walk->good = walk->good && post_bytes_add(walk->write, at, size);
    } else if (walk->good && (size_t)(walk->end - walk->at) >= size) {
        if (size > 0)
            memcpy(at, walk->at, size);
        walk->at += size;
    } else {
        walk->good = false;
    }
}

#define WALK(walk, value) walk_bytes(walk, &(value), sizeof(value))

/* Counters that are nearly all 0. */
static void walk_sparse(struct walk *walk, uint64_t *at, size_t count)
{
    for (size_t i = 0; walk->good; i++) {
        while (walk->write && i < count && at[i] == 0)
            i++;
        WALK(walk, i);
        if (i >= count || !walk->good)
            return;
        WALK(walk, at[i]);
    }
}

static bool walk_has(const struct walk *walk, uint32_t node)
{
    return walk->sim->rank_of[node] == walk->rank;
}

/* Parts. */

static void walk_part(struct walk *walk, struct measure *part)
{
    WALK(walk, part->made);
    WALK(walk, part->delivered);
    WALK(walk, part->strays);
    WALK(walk, part->lost_at_hosts);
    WALK(walk, part->unread);
    for (uint32_t tag = 0; tag < part->tag_count; tag++) {
        struct measure_tag *of = &part->tag[tag];
        WALK(walk, of->lost);
        WALK(walk, of->first_loss_ps);
        WALK(walk, of->sent_bytes);
        WALK(walk, of->counts);
        WALK(walk, of->delay_min_ps);
        if (of->delays)
            walk_sparse(walk, of->delays, MEASURE_DELAY_BINS);
        WALK(walk, part->listed[tag]);
        if (part->goodput)
            walk_sparse(walk, (uint64_t *)part->goodput[tag], part->goodput_bins);
    }
}

static void walk_counts(struct walk *walk)
{
    struct sim *sim = walk->sim;
    if (walk->write) {
        walk_part(walk, &sim->measure);
        return;
    }
    struct measure *part = measure_part_new(&sim->config);
    if (!part) {
        walk->good = false;
        return;
    }
    walk_part(walk, part);
    if (walk->good)
        measure_part_add(&sim->measure, part);
    measure_part_free(part);
}

/* Links count where they start, and losses where they end. */
static void walk_links(struct walk *walk)
{
    const struct topology *t = walk->sim->config.topology;
    for (uint32_t i = 0; walk->good && i < 2 * t->link_count; i++) {
        struct link *link = &walk->sim->links[i];
        uint32_t from = i % 2 ? t->links[i / 2].b : t->links[i / 2].a;
        uint32_t to = i % 2 ? t->links[i / 2].a : t->links[i / 2].b;
        if (walk_has(walk, from)) {
            WALK(walk, link->packets);
            WALK(walk, link->bytes);
        }
        if (walk_has(walk, to))
            WALK(walk, link->lost);
    }
}

static uint64_t headroom_peak(const struct switch_node *node, uint32_t queue)
{
    uint64_t most = 0;
    for (uint32_t m = 0; m < node->memories; m++) {
        const struct weir_mmu *mmu = weir_switch_mmu(node->sw, m);
        weir_account account = weir_account_of(&weir_mmu_ingress_view(mmu)->geometry, (weir_port){queue / PFC_CLASSES},
                                               (weir_class){queue % PFC_CLASSES});
        uint64_t peak = weir_mmu_group_counters(mmu, account).headroom_watermark_bytes[WEIR_WM_PERSISTENT];
        most = peak > most ? peak : most;
    }
    return most;
}

/* An end of a link with flow control, without the frames that it holds. */
static void walk_end(struct walk *walk, struct pfc_end *end)
{
    WALK(walk, end->peer);
    WALK(walk, end->frames_sent);
    WALK(walk, end->frames_received);
}

static void walk_switch(struct walk *walk, uint32_t number)
{
    struct sim *sim = walk->sim;
    struct switch_node *node = &sim->switches[number];
    struct measure_switch *sw = &sim->measure.sw[number];
    const struct weir_mmu_config *mmu = &sim_config_tier(&sim->config, sim->config.topology->tier[number])->mmu;
    uint32_t mmus = sim->late && !node->sw ? 0 : sw->mmus; /* 0: it was never made */
    WALK(walk, mmus);
    if (walk->good && mmus == 0)
        return;
    if (!walk->write && walk->good)
        walk->good = measure_switch_init(sw, node->ports, mmu, mmus);
    for (uint32_t m = 0; walk->write && m < mmus; m++)
        sw->peak_bytes[m] = switch_node_peak_bytes(node, m);
    if (!walk->good)
        return;
    size_t queues = (size_t)sw->ports * sw->classes;
    walk_sparse(walk, (uint64_t *)sw->queue, queues * sizeof *sw->queue / sizeof(uint64_t));
    walk_sparse(walk, sw->marked, queues);
    WALK(walk, sw->unroutable);
    for (uint32_t m = 0; m < mmus; m++) {
        walk_sparse(walk, sw->memory[m].buffer_at_loss, MEASURE_BINS);
        walk_sparse(walk, sw->memory[m].bandwidth_at_loss, MEASURE_BINS);
        walk_sparse(walk, sw->memory[m].in_use, MEASURE_BINS);
    }
    walk_bytes(walk, sw->peak_bytes, mmus * sizeof *sw->peak_bytes);
    if (sw->pfc) {
        struct pfc_measure *pfc = sw->pfc;
        for (uint32_t q = 0; walk->write && q < pfc->inputs * PFC_CLASSES; q++)
            if (pfc->lossless_mask >> q % PFC_CLASSES & 1)
                pfc->queue[q].headroom_peak_bytes = headroom_peak(node, q);
        walk_bytes(walk, pfc->queue, (size_t)pfc->inputs * PFC_CLASSES * sizeof *pfc->queue);
        walk_bytes(walk, pfc->input, pfc->inputs * sizeof *pfc->input);
        WALK(walk, pfc->sizes);
        WALK(walk, pfc->fastest_bps);
        WALK(walk, pfc->first);
        WALK(walk, pfc->lost);
        WALK(walk, pfc->peak_cells);
        WALK(walk, pfc->peak_limit);
        uint64_t *bins[] = {pfc->use,    pfc->port_use,     pfc->pool_use,
                            pfc->queues, pfc->arrival_rate, pfc->departure_rate};
        for (uint32_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
            walk_sparse(walk, bins[i], MEASURE_BINS);
    }
    if (sim->lossless) {
        if (!walk->write) {
            node->pfc = calloc(1, sizeof *node->pfc);
            if (node->pfc)
                node->pfc->port = calloc(node->ports, sizeof *node->pfc->port);
            walk->good = walk->good && node->pfc && node->pfc->port;
        }
        for (uint32_t p = 0; walk->good && p < node->ports; p++) {
            walk_end(walk, &node->pfc->port[p].end);
            WALK(walk, node->pfc->port[p].port_pauses);
        }
        if (walk->good)
            WALK(walk, node->pfc->storms);
    }
}

static void walk_records(struct walk *walk, struct records *records)
{
    struct flow_record record;
    uint32_t count = records->count;
    WALK(walk, count);
    if (walk->write)
        walk_bytes(walk, records->at, (size_t)count * sizeof *records->at);
    for (uint32_t i = 0; !walk->write && walk->good && i < count; i++) {
        WALK(walk, record);
        walk->good = walk->good && records_add(records, &record);
    }
}

/* Each rank of a job belongs to the process that has its host. */
static void walk_jobs(struct walk *walk)
{
    const struct traffic *traffic = walk->sim->traffic;
    for (uint32_t i = 0; i < walk->sim->config.traffic_count; i++) {
        const struct job *job = traffic_job_of(traffic, i);
        for (uint32_t r = 0; job && r < job_goal(job)->ranks; r++) {
            if (!walk_has(walk, traffic_job_host(traffic, i, r)))
                continue;
            WALK(walk, job_outcomes(job)[r]);
            for (uint32_t round = 0; round < job_settings(job)->rounds; round++)
                WALK(walk, job_round_ends(job)[(size_t)round * job_goal(job)->ranks + r]);
        }
    }
}

/* What all ranks have to add up to, and what is of each. */
struct tally {
    uint64_t inside, alive, frames_lost, flows_started, flows_ended;
    bool failed;
    enum weir_error_code code;
    char text[WEIR_MESSAGE_MAX];
};

static struct tally tally_own(const struct sim *sim)
{
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    tally.inside = balance_inside(sim);
    tally.alive = sim_packets_alive(sim);
    tally.frames_lost = sim->frames_lost;
    for (uint32_t i = 0; i < sim->workers; i++) {
        tally.flows_started += sim->worker[i]->flows_started;
        tally.flows_ended += sim->worker[i]->flows_ended;
    }
    tally.failed = sim->failed;
    tally.code = sim->error.code;
    memcpy(tally.text, sim->error.text, sizeof tally.text);
    return tally;
}

static void walk_all(struct walk *walk, struct tally *tally, struct records *halves)
{
    WALK(walk, *tally);
    WALK(walk, walk->sim->ranks->profile[walk->rank]);
    walk_counts(walk);
    walk_links(walk);
    const struct topology *t = walk->sim->config.topology;
    for (uint32_t i = 0; walk->good && walk->sim->lossless && i < t->hosts; i++)
        if (walk_has(walk, i)) {
            struct host *host = &walk->sim->hosts[i];
            if (!walk->write)
                host->pfc = calloc(1, sizeof *host->pfc);
            walk->good = walk->good && host->pfc;
            if (walk->good)
                walk_end(walk, &host->pfc->end);
        }
    for (uint32_t i = 0; walk->good && i < t->switches; i++)
        if (walk_has(walk, t->hosts + i))
            walk_switch(walk, i);
    const struct sim *sim = walk->sim;
    for (uint32_t i = 0; walk->good && i < sim->config.probe_count; i++) {
        struct series *series = &sim->measure.probe[i];
        if (!walk_has(walk, sim->config.topology->hosts + sim->config.probes[i].sw))
            continue;
        WALK(walk, series->count);
        WALK(walk, series->full);
        if (!walk->write && walk->good && series->count > 0) {
            series->points = calloc(series->count, sizeof *series->points);
            series->room = series->count;
            walk->good = series->points != NULL;
        }
        walk_bytes(walk, series->points, series->count * sizeof *series->points);
        series->count = walk->good ? series->count : 0;
    }
    walk_jobs(walk);
    walk_records(walk, &walk->sim->records);
    walk_records(walk, halves);
}

/* Rank 0 has letters of all others. */
static bool gather_read(struct sim *sim, struct records *halves)
{
    const struct ranks *ranks = sim->ranks;
    struct tally all = tally_own(sim);
    bool good = !sim->failed;
    for (uint32_t r = 1; r < ranks->count; r++) {
        struct tally one;
        struct walk walk = {.sim = sim,
                            .rank = r,
                            .at = ranks->in[r].bytes,
                            .end = (const unsigned char *)ranks->in[r].bytes + ranks->in[r].size,
                            .good = true};
        if (ranks->in[r].size == 0) {
            good = false;
            weir_fail(&sim->error, WEIR_ERROR_SYSTEM, "rank %u is out of memory", r);
            continue;
        }
        walk_all(&walk, &one, halves);
        if (walk.good) {
            all.inside += one.inside;
            all.alive += one.alive;
            sim->frames_lost += one.frames_lost;
            sim->worker[0]->flows_started += one.flows_started;
            sim->worker[0]->flows_ended += one.flows_ended;
            if (one.failed && !all.failed && sim->error.code == WEIR_ERROR_NONE)
                weir_fail(&sim->error, WEIR_ERROR_SYSTEM, "rank %u is out of memory", r);
            else if (one.code != WEIR_ERROR_NONE && sim->error.code == WEIR_ERROR_NONE)
                weir_fail(&sim->error, one.code, "%s", one.text);
            all.failed = all.failed || one.failed;
        }
        good = good && walk.good && !one.failed;
    }
    struct records *records = &sim->records;
    records_sort(records);
    records_sort(halves);
    for (uint32_t i = 0, k = 0; i < halves->count; i++) {
        while (k < records->count && records->at[k].id < halves->at[i].id)
            k++;
        if (k < records->count && records->at[k].id == halves->at[i].id) {
            /* The half of a flow at its other end: what one end counts is 0 at the other, and times are WEIR_NEVER. */
            struct flow_record *record = &records->at[k];
            const struct flow_record *half = &halves->at[i];
            record->delivered_bytes += half->delivered_bytes;
            record->finish_ps = half->finish_ps < record->finish_ps ? half->finish_ps : record->finish_ps;
            record->acked_ps = half->acked_ps < record->acked_ps ? half->acked_ps : record->acked_ps;
            record->timeouts += half->timeouts;
            record->again += half->again;
            record->lost += half->lost;
            record->sent += half->sent;
            record->packets += half->packets;
            record->delay_sum_ps += half->delay_sum_ps;
            record->delay_squares += half->delay_squares;
            record->delay_max_ps =
                half->delay_max_ps > record->delay_max_ps ? half->delay_max_ps : record->delay_max_ps;
        }
    }
    if (!good)
        sim->status = sim->error.code != WEIR_ERROR_NONE ? SIM_APART : SIM_OUT_OF_MEMORY;
    else if (sim->status == SIM_DONE &&
             (sim->error.code != WEIR_ERROR_NONE || !balance_compare(sim, all.inside, all.alive)))
        sim->status = SIM_UNEVEN;
    return good;
}

bool gather_ranks(struct sim *sim)
{
    struct records halves = {.at = NULL};
    struct post_bytes bytes = {.at = NULL};
    bool good = true;
    for (uint32_t w = 0; w < sim->workers; w++)
        good = records_move(&halves, &sim->worker[w]->post.halves) && good;
    sim->failed = sim->failed || !good;
    /* Of this rank. */
    const struct topology *t = sim->config.topology;
    const struct ranks *ranks = sim->ranks;
    struct sim_rank_profile profile = {.run_ns = sim->run_ns,
                                       .threads = sim->workers,
                                       .least_ns = UINT64_MAX,
                                       .waiting_ns = ranks->waited_ns,
                                       .letters_ns = ranks->letters_ns - ranks->waited_ns,
                                       .crossed = ranks->crossed,
                                       .sent_bytes = ranks->sent_bytes};
    for (uint32_t i = 0; i < sim->workers; i++) {
        uint64_t busy = sim->worker[i]->busy_ns;
        profile.busy_ns += busy / sim->workers;
        profile.least_ns = busy < profile.least_ns ? busy : profile.least_ns;
        profile.most_ns = busy > profile.most_ns ? busy : profile.most_ns;
    }
    for (uint32_t node = 0; node < sim->nodes; node++) {
        profile.hosts += sim_has(sim, node) && node < t->hosts;
        profile.switches += sim_has(sim, node) && node >= t->hosts;
    }
    for (uint32_t i = 0; i < t->link_count; i++)
        profile.cut_links += sim_has(sim, t->links[i].a) != sim_has(sim, t->links[i].b);
    sim->ranks->profile[sim->own] = profile;
    if (sim->own > 0) {
        struct tally own = tally_own(sim);
        struct walk walk = {.sim = sim, .rank = sim->own, .write = &bytes, .good = true};
        walk_all(&walk, &own, &halves);
        if (!walk.good)
            bytes.size = 0; /* which says it */
    }
    good = ranks_send_to_first(sim, &bytes) && (sim->own > 0 || gather_read(sim, &halves));
    free(bytes.at);
    records_free(&halves);
    return good;
}

/*
 * measure.c - memory for the observations of measure.h, taken before the clock starts; only series grow later. The
 * engine counts directly into it.
 */
#include <stdlib.h>

#include "sim/engine/lines.h"
#include "sim/net/measure.h"
#include "sim/net/pfc_measure.h"
#include "sim/transport/transport.h"

#define SERIES_FIRST_ROOM 256u

bool measure_switch_init(struct measure_switch *sw, uint32_t ports, const struct weir_mmu_config *mmu, uint32_t mmus)
{
    uint32_t classes = mmu->classes;
    *sw = (struct measure_switch){.ports = ports, .classes = classes, .mmus = mmus};
    sw->queue = calloc((size_t)classes * ports, sizeof *sw->queue);
    sw->marked = lines_new((size_t)classes * ports * sizeof *sw->marked);
    sw->memory = calloc(mmus, sizeof *sw->memory);
    sw->peak_bytes = calloc(mmus, sizeof *sw->peak_bytes);
    if (mmu->lossless_mask)
        sw->pfc = pfc_measure_new(ports, mmus, mmu->lossless_mask);
    return sw->queue && sw->marked && sw->memory && sw->peak_bytes && (sw->pfc || !mmu->lossless_mask);
}

static bool measure_init_goodput(struct measure *m, const struct sim_config *config)
{
    if (config->goodput_interval_ps == 0 || config->tag_count == 0)
        return true;
    m->goodput = calloc(config->tag_count, sizeof *m->goodput);
    if (!m->goodput)
        return false;
    m->goodput_bins = (uint32_t)((config->until_ps - 1) / config->goodput_interval_ps + 1); /* [0, until) */
    for (uint32_t tag = 0; tag < m->tag_count; tag++) {
        m->goodput[tag] = calloc(m->goodput_bins, sizeof *m->goodput[tag]);
        if (!m->goodput[tag])
            return false;
    }
    return true;
}

static bool measure_init_delays(struct measure_tag *tag)
{
    if (!tag->delays)
        tag->delays = calloc(MEASURE_DELAY_BINS, sizeof *tag->delays);
    return tag->delays != NULL;
}

/* Delays have room where a transport without feedback may take them. The flows of a list have tags of their own. */
static bool measure_init_tags(struct measure *m, const struct sim_config *config)
{
    m->tag = lines_new(((size_t)config->tag_count + 1) * sizeof *m->tag);
    if (!m->tag)
        return false;
    m->tag_count = config->tag_count;
    for (uint32_t tag = 0; tag < m->tag_count; tag++)
        m->tag[tag].first_loss_ps = m->tag[tag].delay_min_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const struct traffic_settings *traffic = &config->traffic[i];
        if (traffic->long_share > 0 && !config->transports[traffic->long_transport].kind->ack &&
            !measure_init_delays(&m->tag[traffic->long_tag]))
            return false;
        if (config->transports[traffic->transport].kind->ack)
            continue;
        if (!measure_init_delays(&m->tag[traffic->tag]))
            return false;
        for (uint32_t k = 0; traffic->kind == TRAFFIC_LIST && k < traffic->listed; k++)
            if (!measure_init_delays(&m->tag[traffic->flows[k].tag]))
                return false;
    }
    return true;
}

static bool measure_allocate(struct measure *m, const struct sim_config *config, const uint32_t *switch_ports,
                             const uint32_t *switch_mmus, bool late)
{
    const struct topology *t = config->topology;
    uint32_t ports = 0, mmus = 0;
    m->sw = calloc(t->switches, sizeof *m->sw);
    m->probe = calloc((size_t)config->probe_count + 1, sizeof *m->probe);
    if (!m->sw || !m->probe)
        return false;
    m->switches = t->switches;
    m->probe_count = config->probe_count;
    m->listed = calloc((size_t)config->tag_count + 1, sizeof *m->listed);
    if (!m->listed || !measure_init_tags(m, config))
        return false;
    for (uint32_t i = 0; late && i < t->switches; i++) {
        ports = switch_ports[i] > ports ? switch_ports[i] : ports;
        mmus = switch_mmus[i] > mmus ? switch_mmus[i] : mmus;
    }
    if (late &&
        !measure_switch_init(&m->zeros, ports, &(struct weir_mmu_config){.classes = WEIR_CLASSES_MAX}, mmus + 1))
        return false;
    for (uint32_t i = 0; i < t->switches; i++) {
        const struct weir_mmu_config *mmu = &sim_config_tier(config, t->tier[i])->mmu;
        if (late)
            measure_switch_share(m, i, switch_ports[i], mmu->classes, switch_mmus[i]);
        else if (switch_mmus[i] > 0 && !measure_switch_init(&m->sw[i], switch_ports[i], mmu, switch_mmus[i]))
            return false;
    }
    return measure_init_goodput(m, config);
}

void measure_switch_share(struct measure *m, uint32_t sw, uint32_t ports, uint32_t classes, uint32_t mmus)
{
    m->sw[sw] = m->zeros;
    m->sw[sw].ports = ports;
    m->sw[sw].classes = classes;
    m->sw[sw].mmus = mmus;
}

bool measure_init(struct measure *m, const struct sim_config *config, const uint32_t *switch_ports,
                  const uint32_t *switch_mmus, bool late)
{
    *m = (struct measure){.deadlock.ended_ps = WEIR_NEVER};
    bool done = measure_allocate(m, config, switch_ports, switch_mmus, late);
    if (!done)
        measure_free(m);
    return done;
}

static void switch_release(struct measure_switch *sw)
{
    free(sw->queue);
    free(sw->marked);
    free(sw->memory);
    free(sw->peak_bytes);
    pfc_measure_free(sw->pfc);
}

void measure_free(struct measure *m)
{
    for (uint32_t i = 0; i < m->switches; i++)
        if (!m->zeros.queue || m->sw[i].queue != m->zeros.queue)
            switch_release(&m->sw[i]);
    switch_release(&m->zeros);
    for (uint32_t i = 0; i < m->probe_count; i++)
        free(m->probe[i].points);
    for (uint32_t tag = 0; m->goodput && tag < m->tag_count; tag++)
        free(m->goodput[tag]);
    for (uint32_t tag = 0; m->tag && tag < m->tag_count; tag++)
        free(m->tag[tag].delays);
    free(m->sw);
    free(m->probe);
    free(m->goodput);
    free(m->listed);
    free(m->tag);
    *m = (struct measure){0};
}

struct measure *measure_part_new(const struct sim_config *config)
{
    struct measure *part = lines_new(sizeof *part);
    if (!part)
        return NULL;
    part->listed = lines_new(((size_t)config->tag_count + 1) * sizeof *part->listed);
    if (part->listed && measure_init_tags(part, config) && measure_init_goodput(part, config))
        return part;
    measure_part_free(part);
    return NULL;
}

void measure_part_free(struct measure *part)
{
    if (part)
        measure_free(part);
    free(part);
}

static void add_tag(struct measure_tag *tag, struct measure_tag *part)
{
    tag->lost += part->lost;
    tag->sent_bytes += part->sent_bytes;
    for (uint32_t what = 0; what < HOST_COUNTS; what++)
        tag->counts[what] += part->counts[what];
    tag->first_loss_ps = part->first_loss_ps < tag->first_loss_ps ? part->first_loss_ps : tag->first_loss_ps;
    tag->delay_min_ps = part->delay_min_ps < tag->delay_min_ps ? part->delay_min_ps : tag->delay_min_ps;
    for (uint32_t bin = 0; part->delays && bin < MEASURE_DELAY_BINS; bin++) {
        tag->delays[bin] += part->delays[bin];
        part->delays[bin] = 0;
    }
    *part = (struct measure_tag){.first_loss_ps = WEIR_NEVER, .delay_min_ps = WEIR_NEVER, .delays = part->delays};
}

static void add_packets(struct measure_packets *listed, struct measure_packets *part)
{
    listed->sent += part->sent;
    listed->delivered += part->delivered;
    listed->bytes += part->bytes;
    listed->delay_sum_ps += part->delay_sum_ps;
    if (part->delay_max_ps > listed->delay_max_ps)
        listed->delay_max_ps = part->delay_max_ps;
    *part = (struct measure_packets){0};
}

void measure_part_add(struct measure *m, struct measure *part)
{
    for (uint32_t tag = 0; tag < m->tag_count; tag++) {
        add_tag(&m->tag[tag], &part->tag[tag]);
        add_packets(&m->listed[tag], &part->listed[tag]);
        for (uint32_t bin = 0; m->goodput && bin < m->goodput_bins; bin++) {
            m->goodput[tag][bin] += part->goodput[tag][bin];
            part->goodput[tag][bin] = 0;
        }
    }
    m->made += part->made;
    m->delivered += part->delivered;
    m->strays += part->strays;
    m->lost_at_hosts += part->lost_at_hosts;
    m->unread += part->unread;
    part->made = part->delivered = part->strays = part->lost_at_hosts = part->unread = 0;
}

double measure_delay_of_bin(uint32_t bin)
{
    if (bin < MEASURE_DELAY_STEPS)
        return bin;
    uint32_t doublings = bin / MEASURE_DELAY_STEPS - 1;
    uint64_t first = (uint64_t)(bin % MEASURE_DELAY_STEPS + MEASURE_DELAY_STEPS) << doublings;
    return (double)first + (double)((UINT64_C(1) << doublings) - 1) / 2;
}

/* Room for one point more. */
static bool series_grow(struct series *series, uint32_t points_max)
{
    uint32_t room = series->room ? 2 * series->room : SERIES_FIRST_ROOM;
    if (room > points_max || room < series->room)
        room = points_max;
    struct series_point *points = realloc(series->points, room * sizeof *points);
    if (!points)
        return false;
    series->points = points;
    series->room = room;
    return true;
}

bool series_add(struct series *series, const struct series_point *point, uint32_t points_max)
{
    series->full = series->full || series->count >= points_max;
    if (series->full)
        return true;
    if (series->count == series->room && !series_grow(series, points_max))
        return false;
    series->points[series->count++] = *point;
    return true;
}

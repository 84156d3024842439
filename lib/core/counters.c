/*
 * counters.c - turns what the packet path keeps into what an operator reads (counters.h).
 */
#include "mmu_internal.h"

static weir_cells counters_max(weir_cells a, weir_cells b)
{
    return a > b ? a : b;
}

struct weir_account_counters weir_mmu_account_counters(const struct weir_mmu *m, weir_account account)
{
    if (account.i >= m->egress.view.geometry.accounts)
        return (struct weir_account_counters){0};
    const struct weir_tally *t = &m->tally[account.i];
    const struct weir_account_state *a = &m->egress.account[account.i];
    uint64_t cell_bytes = m->egress.view.geometry.cell_bytes;
    struct weir_account_counters c = {
        .packets = a->sent_packets,
        .bytes = a->sent_bytes,
        .dropped_bytes = t->dropped_bytes,
        .marked_packets = t->marked,
        .trim_packets = t->trimmed,
        .tx_trim_packets = t->sent_trimmed,
        .dropped_trim_packets = t->dropped_trimmed,
        .current_bytes = (uint64_t)a->held.cells * cell_bytes,
    };
    for (uint32_t i = 0; i < WEIR_REASON_COUNT; i++)
        c.refused_by_reason[i] = t->refused[i];
    for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) {
        c.dropped_by_cause[i] = t->dropped[i];
        c.dropped_packets += t->dropped[i];
    }
    for (uint32_t i = 0; i < WEIR_WM_COUNT; i++)
        c.watermark_bytes[i] = (uint64_t)counters_max(t->watermark[i], a->peak_cells) * cell_bytes;
    return c;
}

struct weir_flow_counters weir_mmu_flow_counters(const struct weir_mmu *m)
{
    return m->flows.counted;
}

struct weir_pool_counters weir_mmu_pool_counters(const struct weir_mmu *m)
{
    uint64_t cell_bytes = m->egress.view.geometry.cell_bytes;
    struct weir_pool_counters c = {
        .current_bytes = (uint64_t)m->pools.used_cells * cell_bytes,
        .shared_bytes = (uint64_t)m->pools.shared_cells * cell_bytes,
        .headroom_bytes = (uint64_t)m->pools.headroom_cells * cell_bytes,
        .memory_read_bytes = m->read_bytes,
        .expelled_bytes = m->expelled_bytes,
    };
    for (uint32_t i = 0; i < WEIR_WM_COUNT; i++) {
        c.watermark_bytes[i] = (uint64_t)counters_max(m->used_watermark[i], m->used_peak) * cell_bytes;
        c.headroom_watermark_bytes[i] = (uint64_t)counters_max(m->headroom_watermark[i], m->headroom_peak) * cell_bytes;
    }
    return c;
}

struct weir_group_counters weir_mmu_group_counters(const struct weir_mmu *m, weir_account account)
{
    if (!m->ingress.policy || account.i >= m->ingress.view.geometry.accounts)
        return (struct weir_group_counters){0};
    const struct weir_group_tally *t = &m->group_tally[account.i];
    const struct weir_account_state *a = &m->ingress.account[account.i];
    uint64_t cell_bytes = m->ingress.view.geometry.cell_bytes;
    struct weir_group_counters c = {
        .packets = a->sent_packets + a->packets,
        .refused_packets = t->refused,
        .dropped_packets = t->refused + t->dropped,
        .current_bytes = (uint64_t)a->held.cells * cell_bytes,
        .shared_bytes = (uint64_t)a->held.shared_cells * cell_bytes,
        .headroom_bytes = (uint64_t)a->held.headroom_cells * cell_bytes,
        .pauses = t->pauses,
        .resumes = t->resumes,
    };
    for (uint32_t i = 0; i < WEIR_WM_COUNT; i++) {
        c.watermark_bytes[i] = (uint64_t)counters_max(t->watermark[i], a->peak_cells) * cell_bytes;
        c.shared_watermark_bytes[i] = (uint64_t)counters_max(t->shared_watermark[i], a->peak_shared_cells) * cell_bytes;
        c.headroom_watermark_bytes[i] =
            (uint64_t)counters_max(t->headroom_watermark[i], a->peak_headroom_cells) * cell_bytes;
    }
    return c;
}

struct weir_pause_counters weir_mmu_pause_counters(const struct weir_mmu *m, weir_port input)
{
    const struct weir_geometry *g = &m->ingress.view.geometry;
    struct weir_pause_counters sum = {0};
    if (!m->ingress.policy || input.i >= g->ports)
        return sum;
    sum.port_pauses = m->port_tally[input.i].pauses;
    sum.port_resumes = m->port_tally[input.i].resumes;
    for (uint32_t tc = 0; tc < g->classes; tc++) {
        const struct weir_group_tally *t = &m->group_tally[weir_account_of(g, input, (weir_class){tc}).i];
        sum.class_pauses += t->pauses;
        sum.class_resumes += t->resumes;
    }
    return sum;
}

/* Folds the running peak into every view; the cleared view, like the peak, restarts from the present. */
static void counters_fold(weir_cells watermark[WEIR_WM_COUNT], weir_cells peak, weir_cells present,
                          enum weir_watermark_view cleared)
{
    for (uint32_t i = 0; i < WEIR_WM_COUNT; i++)
        watermark[i] = counters_max(watermark[i], peak);
    watermark[cleared] = present;
}

void weir_mmu_clear_watermarks(struct weir_mmu *m, enum weir_watermark_view view)
{
    if ((unsigned)view >= WEIR_WM_COUNT)
        return;
    for (uint32_t i = 0; i < m->ingress.view.geometry.accounts; i++) {
        struct weir_account_state *a = &m->ingress.account[i];
        struct weir_group_tally *t = &m->group_tally[i];
        counters_fold(t->watermark, a->peak_cells, a->held.cells, view);
        counters_fold(t->shared_watermark, a->peak_shared_cells, a->held.shared_cells, view);
        counters_fold(t->headroom_watermark, a->peak_headroom_cells, a->held.headroom_cells, view);
        a->peak_cells = (int32_t)a->held.cells;
        a->peak_shared_cells = (int32_t)a->held.shared_cells;
        a->peak_headroom_cells = a->held.headroom_cells;
    }
    for (uint32_t i = 0; i < m->egress.view.geometry.accounts; i++) {
        struct weir_account_state *a = &m->egress.account[i];
        counters_fold(m->tally[i].watermark, a->peak_cells, a->held.cells, view);
        a->peak_cells = (int32_t)a->held.cells;
    }
    counters_fold(m->used_watermark, m->used_peak, m->pools.used_cells, view);
    counters_fold(m->headroom_watermark, m->headroom_peak, m->pools.headroom_cells, view);
    m->used_peak = m->pools.used_cells;
    m->headroom_peak = m->pools.headroom_cells;
}

/*
 * pfc_measure.c - see pfc_measure.h. Counters stay the MMU's: here is only what they were when last seen, so that a
 * local maximum is noticed when the value falls, and a rate ends with what was there before its time was over.
 *
 * The term that a lost packet exceeded follows from when its transmission began: each term of the headroom is for the
 * packets that begin in one stretch of time between the decision to pause and its effect on the sender.
 */
#include <stdlib.h>

#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_pfc.h"

struct pfc_measure *pfc_measure_new(uint32_t inputs, uint32_t memories, uint32_t lossless_mask)
{
    struct pfc_measure *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    size_t queues = (size_t)inputs * PFC_CLASSES;
    *m = (struct pfc_measure){.inputs = inputs, .memories = memories, .lossless_mask = lossless_mask};
    m->lossless = (uint32_t)__builtin_popcount(lossless_mask);
    m->first.when = WEIR_NEVER;
    m->watched = calloc(inputs, sizeof *m->watched);
    m->input = calloc(inputs, sizeof *m->input);
    m->queue = calloc(queues, sizeof *m->queue);
    m->level = calloc(memories * queues, sizeof *m->level);
    m->port = calloc((size_t)memories * inputs, sizeof *m->port);
    m->pool = calloc(memories, sizeof *m->pool);
    if (!m->watched || !m->input || !m->queue || !m->level || !m->port || !m->pool) {
        pfc_measure_free(m);
        return NULL;
    }
    for (size_t i = 0; i < queues; i++)
        m->queue[i].decided_ps = m->queue[i].sent_ps = WEIR_NEVER;
    return m;
}

void pfc_measure_free(struct pfc_measure *m)
{
    if (!m)
        return;
    free(m->spans);
    free(m->watched);
    free(m->input);
    free(m->queue);
    free(m->level);
    free(m->port);
    free(m->pool);
    free(m);
}

static const struct weir_view *measure_view(const struct switch_node *node, uint32_t memory)
{
    return weir_mmu_ingress_view(weir_switch_mmu(node->sw, memory));
}

/* The pool is the sum of what the scheme wants for each input: this one's part is the pool of a memory that it feeds
 * alone. */
static weir_cells port_own_cells(const struct switch_node *node, uint32_t input)
{
    const struct sim_config *config = &node->sim->config;
    struct weir_mmu_config alone = sim_config_tier(config, config->topology->tier[node->index])->mmu;
    alone.inputs = 1;
    alone.uplinks = &node->uplinks[input];
    alone.input_rates_bps = &node->port[input].in->rate_bps;
    return weir_mmu_headroom_cells(&alone);
}

static struct pfc_sizes sizes_of(const struct switch_node *node, const struct weir_view *view)
{
    int64_t cell = view->geometry.cell_bytes;
    double bits = 0, bps = 0;
    for (uint32_t m = 0; m < node->memories; m++)
        bits += (double)weir_mmu_view(weir_switch_mmu(node->sw, m))->geometry.buffer_cells * (double)cell * 8;
    for (uint32_t p = 0; p < node->ports; p++)
        bps += (double)node->port[p].out->rate_bps;
    return (struct pfc_sizes){.cell_bytes = cell,
                              .reserved_bytes = view->geometry.headroom_cells * cell,
                              .buffer_bytes = view->geometry.buffer_cells * cell,
                              .buffer_per_capacity_s = bits / bps};
}

void pfc_measure_start(struct switch_node *node)
{
    struct pfc_measure *m = node->pfc_measure;
    const struct sim *sim = node->sim;
    const struct topology *t = sim->config.topology;
    for (uint32_t i = 0; i < t->link_count; i++)
        m->fastest_bps = t->links[i].rate_bps > m->fastest_bps ? t->links[i].rate_bps : m->fastest_bps;
    const struct weir_view *view = measure_view(node, 0);
    m->sizes = sizes_of(node, view);
    for (uint32_t i = 0; i < m->inputs; i++) {
        uint64_t bytes = (uint64_t)weir_view_uplink(view, (weir_port){i})->headroom_cells * view->geometry.cell_bytes;
        m->input[i].span_ps = (weir_ps)((bytes * node->port[i].in->ps_per_byte) >> LINK_FRACTION_BITS);
        m->input[i].limit_cells = weir_mmu_headroom_limit(weir_switch_mmu(node->sw, 0), (weir_port){i});
        m->input[i].own_cells = port_own_cells(node, i);
    }
}

/* Cells of a queue in every memory: those that came in, and of these, those that left. */
static void queue_count(const struct switch_node *node, uint32_t input, uint32_t tc, struct pfc_measure_queue *queue)
{
    queue->arrived = queue->left = 0;
    for (uint32_t memory = 0; memory < node->pfc_measure->memories; memory++) {
        const struct weir_view *view = measure_view(node, memory);
        weir_account account = weir_account_of(&view->geometry, (weir_port){input}, (weir_class){tc});
        const struct weir_holding *state = weir_view_account(view, account);
        queue->arrived += state->cells + state->sent_cells;
        queue->left += state->sent_cells;
    }
}

static void rate_add(const struct pfc_measure *m, uint64_t *bins, double cells_per_ps, uint32_t cell_bytes)
{
    double bps = cells_per_ps * cell_bytes * 8 * (double)WEIR_PS_PER_S;
    double steps = bps / (double)m->fastest_bps * PFC_MEASURE_RATE_STEPS;
    bins[steps >= MEASURE_BINS - 1 ? MEASURE_BINS - 1 : (uint32_t)steps]++;
}

/* Rates whose time was over before `now` end with what was seen last. */
static void rates_end(struct switch_node *node, uint32_t input, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    struct pfc_measure_input *port = &m->input[input];
    uint32_t cell_bytes = measure_view(node, 0)->geometry.cell_bytes;
    for (uint32_t left = port->taking; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        struct pfc_measure_queue *queue = &m->queue[input * PFC_CLASSES + tc];
        if (now <= queue->taken_ps + port->span_ps)
            continue;
        double span = (double)port->span_ps;
        rate_add(m, m->arrival_rate, (double)(queue->arrived - queue->arrived_before) / span, cell_bytes);
        rate_add(m, m->departure_rate, (double)(queue->left - queue->left_before) / span, cell_bytes);
        port->taking &= ~(1u << tc);
    }
}

/* Adds a local maximum to the bins when the value begins to fall. */
static void level_see(struct pfc_level *level, weir_cells cells, weir_cells limit, uint64_t *bins)
{
    if (cells > level->cells) {
        level->rising = true;
    } else if (cells < level->cells) {
        if (level->rising && limit > 0)
            bins[measure_bin((double)level->cells / (double)limit)]++;
        level->rising = false;
    }
    level->cells = cells;
}

/* Looks at a queue's headroom and its pools; true when it is more than it was. */
static bool headroom_see(struct switch_node *node, uint32_t input, uint32_t tc)
{
    struct pfc_measure *m = node->pfc_measure;
    bool more = false;
    for (uint32_t memory = 0; memory < m->memories; memory++) {
        const struct weir_view *view = measure_view(node, memory);
        weir_account account = weir_account_of(&view->geometry, (weir_port){input}, (weir_class){tc});
        weir_cells cells = weir_view_headroom(view, account), limit = m->input[input].limit_cells;
        struct pfc_level *level = &m->level[((size_t)memory * m->inputs + input) * PFC_CLASSES + tc];
        more = more || cells > level->cells;
        level_see(level, cells, limit, m->use);
        level_see(&m->port[(size_t)memory * m->inputs + input], view->port[input].headroom_cells,
                  m->input[input].own_cells, m->port_use);
        level_see(&m->pool[memory], weir_view_headroom_used(view), view->geometry.headroom_cells, m->pool_use);
        if (limit > 0 && (m->peak_limit == 0 || cells * m->peak_limit > m->peak_cells * limit)) {
            m->peak_cells = cells;
            m->peak_limit = limit;
        }
    }
    return more;
}

/* Nothing is paused, in headroom or being taken: its packets need not be seen. */
static void input_rest(struct switch_node *node, uint32_t input)
{
    struct pfc_measure *m = node->pfc_measure;
    bool watched = m->input[input].paused || m->input[input].taking;
    for (uint32_t memory = 0; memory < m->memories && !watched; memory++)
        watched = measure_view(node, memory)->port[input].headroom_cells > 0;
    m->watched[input] = watched;
}

void pfc_measure_pause(struct switch_node *node, uint32_t input, uint32_t classes, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    struct pfc_measure_input *port = &m->input[input];
    rates_end(node, input, now);
    for (uint32_t left = classes & m->lossless_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        struct pfc_measure_queue *queue = &m->queue[input * PFC_CLASSES + tc];
        queue->decided_ps = now;
        if (!(node->pfc->port[input].end.peer.told &
              1u << tc)) /* else its resume has not left: the PAUSE still holds */
            queue->sent_ps = WEIR_NEVER;
        if (port->taking & 1u << tc || port->span_ps == 0)
            continue; /* soon after another pause: one sample for both */
        queue_count(node, input, tc, queue);
        queue->taken_ps = now;
        queue->arrived_before = queue->arrived;
        queue->left_before = queue->left;
        port->taking |= 1u << tc;
    }
    port->paused |= classes;
    m->watched[input] = true;
}

static void span_keep(struct switch_node *node, uint32_t input, uint32_t tc, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    weir_ps from = m->queue[input * PFC_CLASSES + tc].decided_ps;
    struct pfc_span *spans = worker_room(m->spans, m->span_count, &m->span_room, sizeof *spans);
    if (!spans) {
        node->worker->out_of_memory = true;
        return;
    }
    m->spans = spans;
    if (from != WEIR_NEVER)
        m->spans[m->span_count++] = (struct pfc_span){input, tc, from, now};
}

void pfc_measure_resume(struct switch_node *node, uint32_t input, uint32_t classes, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    rates_end(node, input, now);
    for (uint32_t left = classes & m->lossless_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        if (m->keeps_spans)
            span_keep(node, input, tc, now);
        m->queue[input * PFC_CLASSES + tc].decided_ps = WEIR_NEVER;
    }
    m->input[input].paused &= ~classes;
}

void pfc_measure_sent(struct switch_node *node, uint32_t input, uint32_t classes, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    for (uint32_t left = classes & m->lossless_mask; left; left &= left - 1) {
        struct pfc_measure_queue *queue = &m->queue[input * PFC_CLASSES + (uint32_t)__builtin_ctz(left)];
        if (queue->sent_ps == WEIR_NEVER) /* else a refresh */
            queue->sent_ps = now;
    }
}

void pfc_measure_arrival(struct switch_node *node, uint32_t input, uint32_t tc, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    rates_end(node, input, now);
    if (headroom_see(node, input, tc)) {
        uint32_t paused = (uint32_t)__builtin_popcount(m->input[input].paused & m->lossless_mask);
        m->queues[measure_bin((double)paused / m->lossless)]++;
    }
    if (m->input[input].taking & 1u << tc)
        queue_count(node, input, tc, &m->queue[input * PFC_CLASSES + tc]);
    input_rest(node, input);
}

void pfc_measure_departure(struct switch_node *node, uint32_t input, uint32_t tc, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    rates_end(node, input, now);
    headroom_see(node, input, tc);
    if (m->input[input].taking & 1u << tc)
        queue_count(node, input, tc, &m->queue[input * PFC_CLASSES + tc]);
    input_rest(node, input);
}

/* The stretch of time in which the packet's transmission began. */
static uint32_t loss_term(const struct switch_node *node, const struct pfc_loss *loss)
{
    const struct link *in = node->port[loss->input].in, *out = node->port[loss->input].out;
    if (loss->decided_ps == WEIR_NEVER || loss->decided_ps == loss->when)
        return WEIR_HEADROOM_TRIGGER;
    weir_ps sending = link_time(in, loss->bytes), began = loss->when - in->delay_ps - sending;
    if (began < loss->decided_ps)
        return WEIR_HEADROOM_DATA;
    if (loss->sent_ps == WEIR_NEVER || began < loss->sent_ps)
        return WEIR_HEADROOM_WAITING;
    weir_ps arrives = loss->sent_ps + link_time(out, WEIR_PFC_FRAME_BYTES) + out->delay_ps;
    uint64_t processing = sim_pfc_processing_bytes(&node->sim->config.pfc, in->rate_bps) * in->ps_per_byte;
    weir_ps obeyed = arrives + (weir_ps)(processing >> LINK_FRACTION_BITS);
    if (began >= obeyed)
        return PFC_NOT_OBEYED;
    if (began + sending > obeyed)
        return WEIR_HEADROOM_RESPONSE;
    return began < arrives ? WEIR_HEADROOM_PAUSE : WEIR_HEADROOM_PROCESSING;
}

void pfc_measure_loss(struct switch_node *node, uint32_t input, const struct packet *packet, weir_ps now)
{
    struct pfc_measure *m = node->pfc_measure;
    struct pfc_measure_queue *queue = &m->queue[input * PFC_CLASSES + packet->tc];
    queue->lost++;
    if (m->lost++ > 0)
        return;
    m->first = (struct pfc_loss){.when = now,
                                 .decided_ps = queue->decided_ps,
                                 .sent_ps = queue->decided_ps == WEIR_NEVER ? WEIR_NEVER : queue->sent_ps,
                                 .sw = node->index,
                                 .input = input,
                                 .tc = packet->tc,
                                 .bytes = packet->bytes};
    /* The memory in which the packet found no room is not known here: what its queue holds is the most of any. */
    struct pfc_loss *loss = &m->first;
    for (uint32_t memory = 0; memory < node->pfc_measure->memories; memory++) {
        const struct weir_view *view = measure_view(node, memory);
        weir_account account = weir_account_of(&view->geometry, (weir_port){loss->input}, (weir_class){loss->tc});
        if (memory > 0 && weir_view_headroom(view, account) <= loss->headroom_cells)
            continue;
        loss->headroom_cells = weir_view_headroom(view, account);
        loss->port_cells = weir_view_port(view, (weir_port){loss->input})->headroom_cells;
        loss->pool_cells = weir_view_headroom_used(view);
        loss->queue_limit = node->pfc_measure->input[loss->input].limit_cells;
        loss->pool_limit = view->geometry.headroom_cells;
    }
    m->first.term = loss_term(node, &m->first);
}

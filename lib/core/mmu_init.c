/*
 * mmu_init.c - lays an MMU out in memory that the caller gives. One walk over the parts serves twice: with no memory
 * it adds up their sizes, with memory it places them.
 */
#include <assert.h>
#include <string.h>

#include "mmu_internal.h"
#include "weir/fixed.h"

struct init_cursor {
    uint8_t *memory; /* null: only measuring */
    size_t used;
};

static void *init_carve(struct init_cursor *at, size_t count, size_t size)
{
    void *part = at->memory ? at->memory + at->used : NULL;
    at->used += weir_align(count * size);
    return part;
}

struct weir_geometry weir_mmu_geometry(const struct weir_mmu_config *config, bool ingress)
{
    uint32_t ports = ingress ? weir_mmu_inputs(config) : config->ports, lossy = 0;
    for (uint32_t tc = 0; tc < config->classes; tc++)
        lossy += !(config->lossless_mask >> tc & 1);
    return (struct weir_geometry){
        .ports = ports,
        .classes = config->classes,
        .accounts = ports * config->classes,
        .lossy_accounts = ports * lossy,
        .cell_bytes = config->cell_bytes,
        .buffer_cells = config->buffer_cells,
        .shared_cells = config->buffer_cells - config->headroom_cells - weir_mmu_private_cells(config),
        .headroom_cells = config->headroom_cells,
        .lossless_mask = config->lossless_mask,
    };
}

struct weir_flow_shape weir_mmu_flow_shape(const struct weir_mmu_config *config)
{
    struct weir_values defaults;
    const struct weir_values *values = config->egress_values;
    struct weir_geometry geometry = weir_mmu_geometry(config, false);
    if (!(config->egress->needs & WEIR_NEED_FLOW) || !config->egress->flow_table)
        return (struct weir_flow_shape){0};
    if (!values) {
        weir_values_init(&defaults, config->egress);
        values = &defaults;
    }
    return config->egress->flow_table(&geometry, values);
}

/* Places (or measures, without memory) all that begins at zero, with `m` in front. */
static struct init_cursor init_lay_state(const struct weir_mmu_config *config, void *memory, struct weir_mmu *m)
{
    struct weir_geometry g = weir_mmu_geometry(config, false), in = weir_mmu_geometry(config, true);
    struct init_cursor at = {memory, 0};
    uint32_t needs = config->egress->needs;
    init_carve(&at, 1, sizeof *m);
    m->egress.account = init_carve(&at, g.accounts, sizeof *m->egress.account);
    m->egress.port = init_carve(&at, g.ports, sizeof *m->egress.port);
    m->egress.state = init_carve(&at, 1, config->egress->state_size(&g));
    if (needs & WEIR_NEED_LONGEST)
        m->order.node = init_carve(&at, 2 * (size_t)weir_order_leaves(g.ports, g.classes), sizeof *m->order.node);
    if (needs & WEIR_NEED_RANKS) {
        m->sorted.order = init_carve(&at, g.accounts, sizeof *m->sorted.order);
        m->sorted.rank_of = init_carve(&at, g.accounts, sizeof *m->sorted.rank_of);
        m->sorted.run_of = init_carve(&at, g.accounts, sizeof *m->sorted.run_of);
        m->sorted.run = init_carve(&at, g.accounts + 1, sizeof *m->sorted.run);
    }
    if (config->ingress) {
        m->ingress.account = init_carve(&at, in.accounts, sizeof *m->ingress.account);
        m->ingress.port = init_carve(&at, in.ports, sizeof *m->ingress.port);
        m->ingress.state = init_carve(&at, 1, config->ingress->state_size(&in));
        m->edge = init_carve(&at, in.ports, sizeof *m->edge);
        m->paused_input = init_carve(&at, (in.ports + 63) / 64, sizeof *m->paused_input);
        m->resume_cells = init_carve(&at, in.ports, sizeof *m->resume_cells);
        m->uplink = init_carve(&at, in.ports, sizeof *m->uplink);
        m->group_tally = init_carve(&at, in.accounts, sizeof *m->group_tally);
        m->port_tally = init_carve(&at, in.ports, sizeof *m->port_tally);
    }
    m->flows.shape = weir_mmu_flow_shape(config);
    if (m->flows.shape.entries)
        m->flows.entry = init_carve(&at, m->flows.shape.entries, sizeof *m->flows.entry);
    m->scheduler = init_carve(&at, g.ports, sizeof *m->scheduler);
    m->paused_until = init_carve(&at, g.accounts, sizeof *m->paused_until);
    m->tally = init_carve(&at, g.accounts, sizeof *m->tally);
    return at;
}

/* Places what is written before it is read. Its memory is not touched here: a host may plan for more packets than
 * ever come, and the pages of those that do not come cost nothing. */
static void init_lay_packets(const struct weir_mmu_config *config, struct init_cursor *at, struct weir_mmu *m)
{
    m->lost = init_carve(at, config->evictions_max, sizeof *m->lost);
    m->planned = init_carve(at, config->evictions_max, sizeof *m->planned);
    m->descriptor = init_carve(at, config->packets_max, sizeof *m->descriptor);
}

weir_cells weir_mmu_headroom_cells(const struct weir_mmu_config *config)
{
    struct weir_values defaults;
    const struct weir_values *values = config->ingress_values;
    if (!config->ingress || !config->ingress->reserve)
        return 0;
    if (!values) {
        weir_values_init(&defaults, config->ingress);
        values = &defaults;
    }
    struct weir_geometry geometry = weir_mmu_geometry(config, true);
    struct weir_reserve inputs = {config->uplinks, config->input_rates_bps, config->uplink, config->rate_bps};
    weir_cells cells = config->ingress->reserve(&geometry, &inputs, values), most = INT64_MAX >> 16;
    return cells < most ? cells : most; /* no buffer has room for it, and its bytes are still a number */
}

size_t weir_mmu_size(const struct weir_mmu_config *config)
{
    struct weir_mmu measured;
    assert(config->egress);
    struct init_cursor at = init_lay_state(config, NULL, &measured);
    init_lay_packets(config, &at, &measured);
    return at.used;
}

static void init_side(struct weir_mmu *m, struct weir_side *side, const struct weir_mmu_config *config, bool ingress)
{
    const struct weir_geometry g = weir_mmu_geometry(config, ingress);
    const weir_bps *rates_bps = ingress ? config->input_rates_bps : config->rates_bps;
    side->policy = ingress ? config->ingress : config->egress;
    assert(side->policy->victim || !(side->policy->needs & (WEIR_NEED_EXPEL | WEIR_NEED_DEQUEUE)));
    side->view.geometry = g;
    side->view.pools = &m->pools;
    side->view.accounts = (const unsigned char *)side->account;
    side->view.port = side->port;
    side->view.oracle = config->oracle;
    for (uint32_t i = 0; i < g.ports; i++)
        side->port[i].rate_bps = rates_bps ? rates_bps[i] : config->rate_bps;
    for (uint32_t i = 0; i < g.accounts; i++) {
        uint32_t tc = weir_account_class(&g, (weir_account){i}).i;
        bool governs = (g.lossless_mask >> tc & 1) == ingress;
        weir_cells limit = ingress ? config->ingress_private_cells[tc] : config->private_cells[tc];
        if (!ingress)
            side->account[i].head = side->account[i].tail = WEIR_NO_DESCRIPTOR;
        side->account[i].held.private_limit = governs ? (int32_t)limit : 0;
    }
}

/* Each class has ingress accounts of its own, or those of the first class of its group. */
static void init_groups(struct weir_mmu *m, const struct weir_values *values)
{
    const struct weir_side *side = &m->ingress;
    struct weir_values defaults;
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++)
        m->group[tc] = (uint8_t)tc;
    if (side->policy && side->policy->group && !values) {
        weir_values_init(&defaults, side->policy);
        values = &defaults;
    }
    for (uint32_t tc = 0; side->policy && side->policy->group && tc < side->view.geometry.classes; tc++) {
        m->group[tc] = (uint8_t)side->policy->group(&side->view.geometry, values, tc);
        assert(m->group[tc] <= tc && m->group[m->group[tc]] == m->group[tc] &&
               weir_mmu_is_lossless(m, (weir_class){tc}) == weir_mmu_is_lossless(m, (weir_class){m->group[tc]}));
    }
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++)
        for (uint32_t other = 0; other < WEIR_CLASSES_MAX; other++)
            m->together[tc] |= (uint32_t)(m->group[other] == m->group[tc]) << other;
}

static void init_uplinks(struct weir_mmu *m, const struct weir_mmu_config *config)
{
    for (uint32_t i = 0; i < m->ingress.view.geometry.ports; i++)
        m->uplink[i] = config->uplinks ? config->uplinks[i] : config->uplink;
    m->ingress.view.uplink = m->uplink;
}

static void init_ordered_views(struct weir_mmu *m, const struct weir_mmu_config *config)
{
    struct weir_view *view = &m->egress.view;
    if (m->order.node) {
        weir_order_init(&m->order, config->ports, config->classes);
        view->order = &m->order;
    }
    if (m->sorted.order)
        weir_sorted_init(&m->sorted, &view->geometry);
    view->rank_order = m->sorted.order;
    view->rank_of = m->sorted.rank_of;
    view->rank_run_of = m->sorted.run_of;
    view->rank_run = m->sorted.run;
}

/* ceil(cell bits * 10^12 * 2^16 / rate). */
static int64_t init_cell_ps_q16(uint32_t cell_bytes, weir_bps rate_bps)
{
    weir_wide numerator = (weir_wide)cell_bytes * 8 * (uint64_t)WEIR_PS_PER_S << 16;
    return (int64_t)((numerator + (uint64_t)rate_bps - 1) / (uint64_t)rate_bps);
}

static void init_arbiter(struct weir_mmu *m, const struct weir_mmu_config *config)
{
    weir_bps rate_bps = config->memory_bps;
    for (uint32_t i = 0; config->memory_bps == 0 && i < config->ports; i++)
        rate_bps += m->egress.port[i].rate_bps;
    m->arbiter.cell_bytes = config->memory_cell_bytes;
    m->arbiter.cell_inverse = weir_unit_inverse(config->memory_cell_bytes);
    m->arbiter.cell_ps_q16 = init_cell_ps_q16(config->memory_cell_bytes, rate_bps);
    m->arbiter.cell_ps = (m->arbiter.cell_ps_q16 + 65535) >> 16;
    m->arbiter.depth_ps = (config->memory_depth_cells * m->arbiter.cell_ps_q16 + 65535) >> 16;
    m->arbiter.zero_at = -m->arbiter.depth_ps;
}

static void init_policy(struct weir_side *side, const struct weir_values *values)
{
    struct weir_values defaults;
    if (!values) {
        weir_values_init(&defaults, side->policy);
        values = &defaults;
    }
    side->policy->init(side->state, &side->view, values);
}

/* Who hears of packets: weir_mmu_tell. */
static void init_tells(struct weir_mmu *m)
{
    const struct weir_policy *out = m->egress.policy, *in = m->ingress.policy;
    const bool egress[WEIR_HAPPENINGS] = {out->on_enqueue, out->on_dequeue, out->on_drop};
    const bool ingress[WEIR_HAPPENINGS] = {in && in->on_enqueue, in && in->on_dequeue, in && in->on_drop};
    for (uint32_t what = 0; what < WEIR_HAPPENINGS; what++) {
        m->tells[false][what] = egress[what] || (m->asks_lossy && ingress[what]);
        m->tells[true][what] = ingress[what] || (m->asks_lossless && egress[what]);
    }
}

struct weir_mmu *weir_mmu_init(void *memory, const struct weir_mmu_config *config)
{
    struct weir_mmu *m = memory;
    assert(memory && (uintptr_t)memory % WEIR_CACHE_LINE == 0);
    assert(config->egress && (config->ingress || config->lossless_mask == 0));
    struct weir_mmu measured;
    memset(memory, 0, init_lay_state(config, NULL, &measured).used);
    struct init_cursor at = init_lay_state(config, memory, m);
    init_lay_packets(config, &at, m);
    init_side(m, &m->egress, config, false);
    if (config->ingress) {
        init_side(m, &m->ingress, config, true);
        init_uplinks(m, config);
    }
    init_groups(m, config->ingress_values);
    init_ordered_views(m, config);
    init_arbiter(m, config);

    m->free_head = WEIR_NO_DESCRIPTOR;
    m->packets_max = config->packets_max;
    m->evictions_max = config->evictions_max;
    m->scheduling = config->scheduler;
    if (config->classes == 1)
        m->scheduling.kind = WEIR_SCHED_FIFO; /* whatever the kind, there is nothing to choose */
    memcpy(m->marking, config->marking, sizeof m->marking);
    memcpy(m->trim, config->trim, sizeof m->trim);
    for (uint32_t tc = 0; tc < config->classes; tc++)
        m->trims |= config->trim[tc].bytes > 0;
    for (uint32_t tc = 0; tc < config->classes; tc++)
        m->mark_from[tc] = config->marking[tc].kind != WEIR_MARK_NONE ? config->marking[tc].low_cells : INT64_MAX;
    m->seed = config->seed;
    m->cell_inverse = weir_unit_inverse(config->cell_bytes);
    m->ticks = config->egress->on_tick || (config->ingress && config->ingress->on_tick);
    m->asks_lossy = config->ingress && config->ingress->needs & WEIR_NEED_LOSSY;
    m->asks_lossless = config->egress->needs & WEIR_NEED_LOSSLESS;
    m->sees_flows = config->egress->needs & WEIR_NEED_FLOW;
    m->arrival.flow = &m->flow;
    init_tells(m);
    m->expels = config->egress->needs & WEIR_NEED_EXPEL;
    m->drops_heads = config->egress->needs & WEIR_NEED_DEQUEUE;
    m->chooses = m->drops_heads || m->scheduling.kind != WEIR_SCHED_FIFO;
    m->appoints = config->egress->next_tick || (config->ingress && config->ingress->next_tick);
    m->events = (m->expels && m->arbiter.depth_ps > 0) || m->appoints;
    m->effects.lost = m->lost;
    m->effects.edges = m->edge;

    weir_mmu_set_trace(m, NULL);
    init_policy(&m->egress, config->egress_values);
    weir_mmu_find_calm(m);
    if (config->ingress)
        init_policy(&m->ingress, config->ingress_values);
    return m;
}

void weir_mmu_set_trace(struct weir_mmu *m, struct weir_trace *trace)
{
    m->trace = trace;
    m->hears_sent[false] = trace || m->trims || m->tells[false][WEIR_DEQUEUED];
    m->hears_sent[true] = trace || m->tells[true][WEIR_DEQUEUED];
    weir_mmu_choose_paths(m);
}

/*
 * sim_world_build.c - from the numbers of a world to a config. Indices are taken modulo what there is, ranges are cut
 * to the network, and settings that a kind of traffic does not know are left out.
 */
#include "sim_world.h"

#include <stdlib.h>
#include <string.h>

#include "sim/jobs/collective.h"
#include "sim/transport/roce.h"
#include "sim/transport/tcp.h"
#include "sim/transport/udp.h"
#include "sim/transport/uet.h"
#include "tests/support/random_job.h"
#include "weir/headroom.h"
#include "world.h"

#define LINKS_MAX 128u

static const struct size_point short_points[] = {{100, 0}, {1460, 0.4}, {8000, 0.7}, {60000, 1}};

/* A tree of switches, hosts anywhere on it, some links more; in random order and direction. */
static bool build_explicit(struct topology *t, const struct sim_world *w, struct weir_error *error)
{
    struct weir_random random = {.key = (uint64_t)w->wiring};
    struct topology_link links[LINKS_MAX];
    uint32_t hosts = (uint32_t)w->hosts, switches = (uint32_t)w->switches, count = 0;
    for (uint32_t i = 0; i < hosts; i++)
        links[count++] =
            (struct topology_link){i, hosts + weir_random_below(&random, switches), w->host_bps, w->host_delay_ps};
    for (uint32_t i = 1; i < switches; i++)
        links[count++] =
            (struct topology_link){hosts + weir_random_below(&random, i), hosts + i, w->core_bps, w->core_delay_ps};
    for (uint32_t i = 0; switches > 1 && i < (uint32_t)w->extra_links; i++) {
        uint32_t a = weir_random_below(&random, switches), b = weir_random_below(&random, switches - 1);
        links[count++] = (struct topology_link){hosts + a, hosts + b + (b >= a), w->core_bps, w->core_delay_ps};
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t j = weir_random_below(&random, i + 1);
        struct topology_link one = links[j];
        links[j] = links[i];
        bool turned = weir_random_below(&random, 2) == 0;
        links[i] = turned ? (struct topology_link){one.b, one.a, one.rate_bps, one.delay_ps} : one;
    }
    struct topology_explicit shape = {hosts, switches, links, count};
    return topology_explicit(t, &shape, error);
}

static bool build_shape(struct topology *t, const struct sim_world *w, struct weir_error *error)
{
    uint32_t hosts = (uint32_t)w->hosts, leaves = (uint32_t)w->switches;
    struct topology_single single = {.hosts = hosts, .rate_bps = w->host_bps, .delay_ps = w->host_delay_ps};
    struct topology_dumbbell dumbbell = {hosts / 2,   hosts - hosts / 2, w->host_bps,
                                         w->core_bps, w->host_delay_ps,  w->core_delay_ps};
    struct topology_leaf_spine leaf_spine = {leaves,
                                             (uint32_t)w->spines,
                                             hosts > leaves ? hosts / leaves : 1,
                                             (uint32_t)w->parallel,
                                             w->host_bps,
                                             w->core_bps,
                                             w->host_delay_ps,
                                             w->core_delay_ps};
    struct topology_fat_tree fat_tree = {hosts >= 16 ? 4 : 2, w->host_bps, w->host_delay_ps};
    switch (w->shape) {
    case WORLD_DUMBBELL:
        return topology_dumbbell(t, &dumbbell, error);
    case WORLD_LEAF_SPINE:
        return topology_leaf_spine(t, &leaf_spine, error);
    case WORLD_FAT_TREE:
        return topology_fat_tree(t, &fat_tree, error);
    case WORLD_EXPLICIT:
        return build_explicit(t, w, error);
    default:
        return topology_single(t, &single, error);
    }
}

/* Different rates and delays on every link. */
static void build_mix(struct topology *t, const struct sim_world *w)
{
    for (uint32_t i = 0; w->mixed != 0 && i < t->link_count; i++) {
        uint64_t draw = weir_hash((uint64_t)w->mixed, i);
        t->links[i].rate_bps = t->links[i].rate_bps / (weir_bps)(1 + draw % 4) + (weir_bps)(draw % 1000);
        t->links[i].delay_ps = t->links[i].delay_ps * (weir_ps)(draw / 16 % 3) + (weir_ps)(draw / 64 % 1000);
    }
}

static bool build_values(struct weir_values *values, const struct weir_mmu_config *config, int64_t seed)
{
    struct world *scratch = calloc(1, sizeof *scratch);
    if (scratch == NULL)
        return false;
    scratch->random.key = (uint64_t)seed;
    scratch->config = *config;
    world_draw_values(scratch, config->egress, values);
    free(scratch);
    return true;
}

/* Ports of the switch that has most. */
static uint32_t build_most_ports(const struct topology *t)
{
    uint32_t most = 0;
    for (uint32_t sw = 0; sw < t->switches; sw++) {
        uint32_t ports = 0;
        for (uint32_t i = 0; i < t->link_count; i++)
            ports += (t->links[i].a == t->hosts + sw) + (t->links[i].b == t->hosts + sw);
        most = ports > most ? ports : most;
    }
    return most;
}

/* Safe headroom of one queue in cells: that of the worst link, in packets of the worst size. */
static int64_t build_queue_cells(const struct built_world *b, int64_t cell_bytes)
{
    const struct sim_wire *wire = &b->config.wire;
    int64_t bytes = 0;
    double cells_per_byte = 0;
    for (uint32_t i = 0; i < b->topology.link_count; i++) {
        struct weir_headroom_link link = {b->topology.links[i].rate_bps, b->topology.links[i].delay_ps,
                                          wire->mss_bytes + wire->header_bytes, 0, 0};
        int64_t safe = weir_headroom_safe(&link);
        bytes = safe > bytes ? safe : bytes;
    }
    uint32_t smallest = wire->header_bytes < wire->ack_bytes ? wire->header_bytes : wire->ack_bytes;
    for (uint32_t size = smallest; size <= wire->mss_bytes + wire->header_bytes; size++) {
        double ratio = (double)((size + cell_bytes - 1) / cell_bytes) / (double)(size + wire->gap_bytes);
        cells_per_byte = ratio > cells_per_byte ? ratio : cells_per_byte;
    }
    return cell_bytes == 1 ? bytes : (int64_t)((double)bytes * cells_per_byte) + 2;
}

/* What the scheme sets aside at most. */
static int64_t build_headroom_cells(const struct built_world *b, const struct sim_world *w, const struct world_tier *t)
{
    bool by_port = strcmp(world_headroom_schemes[t->headroom], "dsh") == 0;
    int64_t queues = by_port ? t->insurance : __builtin_popcount((uint32_t)w->lossless);
    return queues * (int64_t)build_most_ports(&b->topology) * build_queue_cells(b, t->cell_bytes);
}

/* Sets a parameter of all classes, if the scheme has it. */
static void build_parameter(struct weir_values *values, const struct weir_policy *policy, const char *name,
                            int64_t value)
{
    int place = weir_param_find(policy, name);
    for (uint32_t c = 0; place >= 0 && c < WEIR_CLASSES_MAX; c++)
        values->of[place][c] = value;
}

/* Lossless classes; the buffer grows by what they need. */
static void build_lossless(struct built_world *b, const struct sim_world *w, uint32_t i)
{
    const struct world_tier *tier = &w->tier[i];
    struct sim_switch *sw = &b->config.tiers[i];
    struct weir_mmu_config *mmu = &sw->mmu;
    mmu->lossless_mask = (uint32_t)w->lossless & ((1u << w->classes) - 1);
    if (!mmu->lossless_mask)
        return;
    mmu->ingress = weir_policy_find(world_headroom_schemes[tier->headroom]);
    mmu->ingress_values = &b->headroom_values[i];
    weir_values_init(&b->headroom_values[i], mmu->ingress);
    build_parameter(&b->headroom_values[i], mmu->ingress, "alpha", WEIR_Q16_ONE / tier->alpha_divisor);
    build_parameter(&b->headroom_values[i], mmu->ingress, "delta", tier->delta_cells * tier->cell_bytes);
    build_parameter(&b->headroom_values[i], mmu->ingress, "delta_queue", tier->delta_cells * tier->cell_bytes);
    build_parameter(&b->headroom_values[i], mmu->ingress, "delta_port", tier->delta_cells * tier->cell_bytes);
    build_parameter(&b->headroom_values[i], mmu->ingress, "insurance", tier->insurance);
    sw->headroom_size = (enum sim_headroom_size)tier->headroom_size;
    for (uint32_t c = 0; c < w->classes; c++)
        mmu->ingress_private_cells[c] = mmu->lossless_mask >> c & 1 ? tier->ingress_private_cells : 0;
    mmu->buffer_cells += build_headroom_cells(b, w, tier);
    mmu->packets_max = (uint32_t)(mmu->buffer_cells * tier->cell_bytes / 40 + 64);
}

static bool build_tier(struct built_world *b, const struct sim_world *w, uint32_t i)
{
    const struct world_tier *tier = &w->tier[i];
    struct sim_switch *sw = &b->config.tiers[i];
    struct weir_mmu_config *mmu = &sw->mmu;
    weir_mmu_config_init(mmu, 1, (uint32_t)w->classes, tier->buffer_cells);
    sw->ports_per_mmu = (uint32_t)tier->ports_per_mmu;
    sw->device_packets = w->lossless ? 0 : (uint32_t)tier->device_packets;
    sw->marks_leaving = tier->marks_leaving;
    mmu->cell_bytes = (uint32_t)tier->cell_bytes;
    mmu->packets_max = (uint32_t)tier->packets_max;
    mmu->evictions_max = (uint32_t)tier->evictions_max;
    mmu->scheduler.kind = (enum weir_scheduler_kind)tier->scheduler;
    mmu->scheduler.quantum_bytes = (uint32_t)tier->quantum_bytes;
    mmu->scheduler.strict_from = (uint32_t)(w->classes / 2);
    for (uint32_t c = 0; c < w->classes; c++) {
        mmu->private_cells[c] = tier->private_cells;
        mmu->scheduler.weight[c] = tier->weights ? 1 + (uint32_t)(weir_hash((uint64_t)tier->weights, c) % 4) : 1;
        mmu->marking[c] = (struct weir_marking){(enum weir_marking_kind)tier->marking, tier->mark_low_cells,
                                                tier->mark_high_cells, WEIR_Q16_ONE / 2};
    }
    if (tier->memory_percent != 100)
        mmu->memory_bps = w->host_bps * w->hosts / 100 * tier->memory_percent;
    for (uint32_t c = 0; c + 1 < w->classes; c++)
        if (tier->trims >> c & 1 && !((w->lossless >> c | w->lossless >> (w->classes - 1)) & 1))
            mmu->trim[c] = (struct weir_trim){.bytes = 40 + 20 * c,
                                              .to = {(uint32_t)w->classes - 1},
                                              .causes = (uint32_t)tier->trim_losses,
                                              .ecn = (enum weir_trim_ecn)tier->trim_ecn};
    mmu->memory_depth_cells = (uint32_t)tier->memory_depth_cells;
    mmu->egress = weir_policies[tier->policy];
    mmu->gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    mmu->oracle = &world_oracle;
    build_lossless(b, w, i);
    if (tier->values == 0)
        return true;
    mmu->egress_values = &b->values[i];
    return build_values(&b->values[i], mmu, tier->values);
}

static void build_tcp(struct tcp_params *t, const struct world_transport *from)
{
    t->initial_window_segments = (uint32_t)from->initial_window;
    t->max_window_segments = (uint32_t)from->max_window;
    t->min_rto_ps = from->min_rto_ps;
    t->initial_rto_ps = from->min_rto_ps;
    t->max_rto_ps = from->max_rto_ps;
    t->sack = from->sack;
    t->handshake = from->handshake;
    t->slow_start = from->slow_start;
    t->ecn = from->ecn;
    t->ack_every = (uint32_t)from->ack_every;
    t->ack_delay_ps = from->ack_delay_ps;
    t->tail_loss_probe = from->tail_loss_probe && from->sack;
    t->rack = from->rack && from->sack;
    t->prr = from->prr;
    t->undo = from->undo && t->rack;
    t->hystart = (uint8_t)from->hystart;
    t->hystart_delay_ps = WEIR_PS_PER_US;
    t->linux_rto = from->linux_rto;
    t->halve_window = from->halve_window;
    t->tick_ps = from->tick_ps;
    t->keep_connections = from->keep_connections;
    t->open_connections = (uint32_t)from->open_connections;
    t->restart_idle = from->restart_idle;
    t->request = from->request;
    t->quick_acks = (uint8_t)from->quick_acks;
    t->ack_delay_max_ps = from->ack_delay_max_ps;
}

static void build_udp(struct udp_params *t, const struct world_transport *from)
{
    t->rate_bps = from->rate_bps;
    t->poisson = from->poisson;
    t->exponential_sizes = from->exponential_sizes;
    t->on_ps = from->on_ps;
    t->off_ps = from->off_ps;
    t->exponential_periods = from->exponential_periods;
}

static void build_uet(struct uet_params *t, const struct world_transport *from)
{
    t->control = (uint8_t)from->control;
    t->balance = (uint8_t)from->paths;
    t->entropies = 1u << from->entropies_log2;
    t->sleek = from->sleek && from->control != UET_RCCC;
    t->oversubscribed = from->oversubscribed && from->control != UET_NSCC;
    t->rto_ps = from->min_rto_ps;
}

static void build_transport(struct sim_transport *t, const struct world_transport *from, int64_t classes)
{
    sim_transport_init(t, transport_table[from->kind]);
    t->data_class = (uint8_t)(from->data_class % classes);
    t->ack_class = (uint8_t)(from->ack_class % classes);
    if (transport_is_tcp(t->kind))
        build_tcp(tcp_params(t), from);
    if (t->kind == &transport_udp)
        build_udp(udp_params(t), from);
    if (t->kind == &transport_uet)
        build_uet((struct uet_params *)t->params, from);
}

static void build_list(struct built_world *b, const struct world_traffic *from, struct traffic_settings *t,
                       uint32_t number)
{
    struct weir_random random = {.key = (uint64_t)from->list};
    uint32_t hosts = b->topology.hosts, largest = b->config.wire.mss_bytes + b->config.wire.header_bytes;
    weir_ps when = from->from_ps, step = (from->until_ps - from->from_ps) / from->listed;
    for (uint32_t i = 0; i < from->listed; i++) {
        uint32_t source = weir_random_below(&random, hosts), other = weir_random_below(&random, hosts - 1);
        uint32_t destination = other + (other >= source);
        int64_t bytes = 1 + weir_random_below(&random, (uint32_t)from->bytes + 1);
        uint32_t packet = 1 + weir_random_below(&random, largest);
        uint8_t tc = (uint8_t)weir_random_below(&random, b->config.tiers[0].mmu.classes);
        b->flows[number][i] = (struct listed_flow){
            .start_ps = when, .source = source, .destination = destination, .bytes = bytes, .tag = i % WORLD_TAGS};
        b->packets[number][i] = (struct listed_packet){when, source, destination, packet, tc, false};
        when += weir_random_below(&random, 3) == 0 ? 0 : step;
    }
    t->flows = b->flows[number];
    t->packets = b->packets[number];
    t->listed = (uint32_t)from->listed;
}

/* Cut to the network; patterns that it or the kind does not have become the plain one. */
static void build_ranges(const struct topology *t, const struct world_traffic *from, struct traffic_settings *to)
{
    bool collective = to->kind == TRAFFIC_ALL_TO_ALL || to->kind == TRAFFIC_ALL_REDUCE;
    bool gather = to->kind == TRAFFIC_INCAST || to->kind == TRAFFIC_BURSTS;
    to->source_first = (uint32_t)from->source_first % t->hosts;
    to->source_count = (uint32_t)from->source_count;
    if (to->source_count > t->hosts - to->source_first)
        to->source_count = t->hosts - to->source_first;
    to->destination_first = (uint32_t)from->destination_first % t->hosts;
    to->destination_count = gather ? 1 : (uint32_t)from->destination_count;
    if (to->destination_count > t->hosts - to->destination_first)
        to->destination_count = t->hosts - to->destination_first;
    bool plain = collective || t->switches == 1 || (gather && from->pattern == TRAFFIC_PATTERN_PERMUTATION);
    to->pattern = plain ? TRAFFIC_PATTERN_UNIFORM : (enum traffic_pattern)from->pattern;
    bool everybody = to->pattern != TRAFFIC_PATTERN_UNIFORM;
    if (everybody || (collective && to->source_count < 2))
        to->source_count = 0;
    if (collective || to->kind == TRAFFIC_LONG || to->kind == TRAFFIC_ON_OFF || (everybody && !gather))
        to->destination_count = 0;
}

/* As many messages as a list has entries. */
static bool build_job(struct built_world *b, const struct world_traffic *from, struct traffic_settings *to, uint32_t i)
{
    const uint32_t hosts = to->source_count ? to->source_count : b->topology.hosts, per_host = 1 + hosts % 2;
    const struct random_job shape = {.seed = (uint64_t)from->list,
                                     .ranks = hosts * per_host,
                                     .messages = (uint32_t)from->listed,
                                     .bytes = (uint64_t)from->bytes,
                                     .calc_ns = 1 + (uint32_t)(from->on_ps / WEIR_PS_PER_NS)};
    struct weir_error error;
    size_t size;
    struct collective collective = {.operation = (enum collective_operation)(from->list % COLLECTIVE_BARRIER),
                                    .bytes = 64 + (uint64_t)from->bytes,
                                    .chunks = 1};
    bool one = to->kind == TRAFFIC_COLLECTIVE && collective_check(&collective, shape.ranks, &error);
    b->job_image[i] = one ? collective_image(&collective, shape.ranks, &size) : random_job_make(&shape, &size);
    if (!b->job_image[i] || !goal_open(&b->goal[i], b->job_image[i], size, NULL, &error))
        return false;
    b->job[i] = (struct traffic_job_settings){.goal = &b->goal[i],
                                              .engine.eager_bytes = (uint64_t)from->bytes / 4,
                                              .engine.overhead_ps = from->periodic ? 100 * WEIR_PS_PER_NS : 0,
                                              .placement = (enum traffic_placement)(from->list % TRAFFIC_PLACE_LISTED),
                                              .stride = 2,
                                              .ranks_per_host = per_host,
                                              .local_bps = from->phased ? 0 : UINT64_C(100000000000)};
    to->job = &b->job[i];
    to->destination_count = 0;
    to->pattern = TRAFFIC_PATTERN_UNIFORM;
    return true;
}

static bool build_traffic(struct built_world *b, const struct sim_world *w, uint32_t i)
{
    const struct world_traffic *from = &w->traffic[i];
    struct traffic_settings *to = &b->traffic[i];
    to->kind = (enum traffic_type)from->kind;
    to->transport = (uint32_t)(from->transport % w->transports);
    if (to->kind == TRAFFIC_PACKETS && b->transports[to->transport].kind != &transport_udp)
        to->kind = TRAFFIC_LIST;
    to->tag = (uint32_t)from->tag;
    to->from_ps = from->from_ps;
    to->until_ps = from->until_ps;
    build_ranges(&b->topology, from, to);
    if (to->kind == TRAFFIC_POISSON)
        to->sizes = from->sizes ? size_table_at((uint32_t)from->sizes - 1) : &b->sizes;
    to->load = (double)from->load_percent / 100;
    to->oversubscription = 1;
    to->rate_per_s = (double)from->rate_per_s;
    to->periodic = from->periodic && to->kind != TRAFFIC_POISSON;
    to->fan_out = (uint32_t)from->fan_out;
    to->bytes = from->bytes;
    to->concurrency = (uint32_t)from->concurrency;
    to->rounds = (uint32_t)from->rounds;
    to->interval_ps = from->interval_ps;
    to->request_bytes = b->transports[to->transport].kind->ack ? from->request_bytes : 0;
    to->spread_ps = from->spread_ps;
    to->phased = from->phased;
    to->on_ps = from->on_ps;
    to->off_ps = from->off_ps;
    to->variation = 1;
    to->on_rate_bps = w->host_bps;
    to->long_share = to->kind == TRAFFIC_ON_OFF ? (double)from->long_percent / 100 : 0;
    to->long_on_ps = 3 * from->on_ps;
    to->long_rate_bps = w->host_bps / 2;
    to->long_transport = (uint32_t)((from->transport + 1) % w->transports);
    to->long_tag = (uint32_t)((from->tag + 1) % WORLD_TAGS);
    build_list(b, from, to, i);
    struct sim_transport *transport = &b->transports[to->transport];
    if (traffic_is_closed(to) && transport_is_tcp(transport->kind))
        tcp_params(transport)->request = false;
    return (to->kind != TRAFFIC_JOB && to->kind != TRAFFIC_COLLECTIVE) || build_job(b, from, to, i);
}

static void build_observation(struct built_world *b, const struct sim_world *w)
{
    for (int64_t i = 0; i < w->changes; i++)
        b->changes[i] = (struct sim_link_change){
            w->change[i].when, (uint32_t)(w->change[i].link % b->topology.link_count), w->change[i].up != 0};
    for (int64_t i = 0; i < w->probes; i++) {
        const struct world_probe *from = &w->probe[i];
        uint32_t sw = (uint32_t)from->sw % b->topology.switches, ports = 0;
        for (uint32_t k = 0; k < b->topology.link_count; k++)
            ports +=
                b->topology.links[k].a == b->topology.hosts + sw || b->topology.links[k].b == b->topology.hosts + sw;
        b->probes[i] = (struct sim_probe){.sw = sw,
                                          .port = (uint32_t)from->port % ports,
                                          .tc = from->tc < w->classes ? (uint32_t)from->tc : SIM_ALL_CLASSES,
                                          .interval_ps = from->interval_ps,
                                          .from_ps = from->from_ps,
                                          .until_ps = from->until_ps,
                                          .points_max = (uint32_t)from->points_max};
    }
    b->config.changes = b->changes;
    b->config.change_count = (uint32_t)w->changes;
    b->config.probes = b->probes;
    b->config.probe_count = (uint32_t)w->probes;
    b->config.goodput_interval_ps = w->goodput_ps;
}

static void build_config(struct built_world *b, const struct sim_world *w)
{
    static const char *const tags[WORLD_TAGS] = {"first", "second", "third"};
    struct sim_config *config = &b->config;
    sim_config_init(config);
    config->seed = (uint64_t)w->seed;
    config->until_ps = w->until_ps;
    config->topology = &b->topology;
    config->wire = (struct sim_wire){(uint32_t)w->mss_bytes, (uint32_t)w->header_bytes, (uint32_t)w->ack_bytes,
                                     (uint32_t)w->gap_bytes};
    config->ecmp = (enum sim_ecmp)(w->ecmp % (SIM_ECMP_WEIGHTED + 1));
    config->hosts = (struct sim_hosts){.nic = (enum sim_nic)w->nic,
                                       .queue_packets = (uint32_t)w->queue_packets,
                                       .queue_drops = w->queue_drops != 0,
                                       .queue_per_flow = (uint32_t)w->queue_per_flow,
                                       .jitter_ps = w->jitter_ps,
                                       .drift_ppm = w->lossless ? 0 : (uint32_t)w->drift_ppm};
    config->reroute_ps = w->reroute_ps;
    config->pfc.quanta = (uint32_t)w->quanta;
    config->pfc.processing_bytes = (uint32_t)w->processing_bytes;
    config->pfc.watchdog_detect_ps = w->watchdog_detect_ps;
    config->pfc.watchdog_restore_ps = w->watchdog_restore_ps;
    config->pfc.watchdog_action = (enum sim_watchdog_action)w->watchdog_action;
    config->tier_count = (uint32_t)w->tiers;
    config->transports = b->transports;
    config->transport_count = (uint32_t)w->transports;
    config->traffic = b->traffic;
    config->traffic_count = (uint32_t)w->traffics;
    config->tag_names = tags;
    config->tag_count = WORLD_TAGS;
}

bool sim_world_build(struct built_world *b, const struct sim_world *w, struct weir_error *error)
{
    memset(b, 0, sizeof *b);
    if (!build_shape(&b->topology, w, error))
        return false;
    build_mix(&b->topology, w);
    build_config(b, w);
    b->sizes = (struct size_table){"short", "made up", short_points, sizeof short_points / sizeof short_points[0], 0};
    bool built = size_table_check(&b->sizes, error);
    for (uint32_t i = 0; i < w->tiers; i++)
        built = built && build_tier(b, w, i);
    for (uint32_t i = 0; i < w->transports; i++) {
        build_transport(&b->transports[i], &w->transport[i], w->classes);
        if (b->config.hosts.nic == SIM_NIC_QUEUE && (w->lossless || transport_is_roce(b->transports[i].kind)))
            b->config.hosts.nic = SIM_NIC_FIFO; /* refused together */
    }
    for (uint32_t i = 0; i < w->traffics; i++)
        built = build_traffic(b, w, i) && built;
    build_observation(b, w);
    b->safe = b->config.tiers[0].mmu.lossless_mask && sim_world_is_safe(w);
    if (!built)
        sim_world_release(b);
    return built;
}

void sim_world_release(struct built_world *b)
{
    topology_free(&b->topology);
    for (uint32_t i = 0; i < WORLD_TRAFFICS_MAX; i++) {
        goal_close(&b->goal[i]);
        free(b->job_image[i]);
    }
}

/*
 * sim_world_draw.c - draws a world. Values come from short lists of round numbers, because the interesting cases are
 * those in which two of them meet. The load is bounded by a number of packets, not by a time, so that slow and fast
 * networks cost the same to simulate.
 */
#include "sim_world.h"

#include "sim/transport/transport.h"
#include "weir/policy.h"
#include "weir/random.h"

struct draw {
    struct sim_world *world;
    struct weir_random random;
    weir_ps span_ps; /* in which traffic starts */
};

static int64_t below(struct draw *d, int64_t n)
{
    return weir_random_below(&d->random, (uint32_t)n);
}

static bool one_in(struct draw *d, uint32_t n)
{
    return below(d, n) == 0;
}

static int64_t seed(struct draw *d)
{
    return 1 + below(d, INT32_MAX);
}

static weir_ps moment(struct draw *d)
{
    return one_in(d, 4) ? 0 : d->span_ps / 1000 * below(d, 1000);
}

#define PICK(draw, list) ((list)[below(draw, sizeof(list) / sizeof((list)[0]))])

static void draw_network(struct draw *d)
{
    static const weir_bps rates[] = {1000000000, 8000000000, 8000000000, 10000000000, 3333333333, 100000000000};
    static const weir_ps delays[] = {0, 0, 1, 100 * WEIR_PS_PER_NS, WEIR_PS_PER_US, 3 * WEIR_PS_PER_US};
    struct sim_world *w = d->world;
    w->shape = below(d, WORLD_SHAPES);
    w->hosts = one_in(d, 2) ? 2 + below(d, 5) : 2 + below(d, 23);
    w->switches = 1 + below(d, 5);
    w->spines = 1 + below(d, 3);
    w->parallel = 1 + below(d, 3);
    w->extra_links = below(d, 7);
    w->wiring = seed(d);
    w->mixed = one_in(d, 3) ? seed(d) : 0;
    w->host_bps = PICK(d, rates);
    w->core_bps = one_in(d, 2) ? w->host_bps : PICK(d, rates);
    w->host_delay_ps = PICK(d, delays);
    w->core_delay_ps = PICK(d, delays);
}

static void draw_wire(struct draw *d)
{
    static const int64_t mss[] = {1, 100, 1000, 1460, 1460, 8960};
    static const int64_t headers[] = {1, 40, 40, 66};
    static const int64_t gaps[] = {0, 20, 38};
    struct sim_world *w = d->world;
    w->mss_bytes = PICK(d, mss);
    w->header_bytes = PICK(d, headers);
    w->ack_bytes = PICK(d, headers);
    w->gap_bytes = PICK(d, gaps);
    w->classes = 1 + below(d, 4);
    w->ecmp = one_in(d, 3) ? 1 + below(d, SIM_ECMP_WEIGHTED) : 0;
    w->nic = one_in(d, 2) ? below(d, 4) : 0;
    w->queue_packets = one_in(d, 2) ? 1 + below(d, 20) : 1000;
    w->queue_drops = one_in(d, 2);
    w->jitter_ps = one_in(d, 4) ? below(d, 1000000) : 0;
    w->drift_ppm = one_in(d, 4) ? below(d, 1000) : 0;
    int64_t packets = 100 + below(d, one_in(d, 4) ? 8000 : 1500);
    int64_t bits = 8 * (w->mss_bytes + w->header_bytes + w->gap_bytes);
    d->span_ps = (weir_ps)((double)(packets * bits) / (double)(w->hosts * w->host_bps) * (double)WEIR_PS_PER_S) + 1000;
    w->goodput_ps = one_in(d, 2) ? d->span_ps / (1 + below(d, 50)) : 0;
    w->queue_per_flow = one_in(d, 2) ? 1 + below(d, 5) : 0;
}

static void draw_tier(struct draw *d, struct world_tier *tier)
{
    static const int64_t cells[] = {1, 1, 80, 200, 208};
    static const int64_t percents[] = {100, 100, 100, 20, 300};
    int64_t full = d->world->mss_bytes + d->world->header_bytes;
    int64_t bytes = full * (one_in(d, 3) ? 1 + below(d, 5) : one_in(d, 2) ? 5 + below(d, 40) : 1000);
    do
        tier->policy = below(d, weir_policy_count);
    while (weir_policies[tier->policy]->needs & WEIR_NEED_INGRESS);
    tier->values = one_in(d, 3) ? 0 : seed(d);
    tier->cell_bytes = PICK(d, cells);
    tier->buffer_cells = bytes / tier->cell_bytes + 1;
    tier->private_cells = one_in(d, 3) ? below(d, 1 + tier->buffer_cells / 100) : 0;
    tier->packets_max = one_in(d, 5) ? 1 + below(d, 30) : 4096;
    tier->evictions_max = 1 + below(d, one_in(d, 2) ? 4 : 100);
    tier->ports_per_mmu = one_in(d, 3) ? 1 + below(d, 4) : 0;
    tier->device_packets = one_in(d, 3) ? 1 + below(d, one_in(d, 2) ? 3 : 100) : 0;
    tier->scheduler = below(d, WEIR_SCHED_COUNT);
    tier->quantum_bytes = WEIR_QUANTUM_MIN_BYTES + below(d, 2000);
    tier->weights = one_in(d, 2) ? seed(d) : 0;
    tier->marking = below(d, 3);
    tier->marks_leaving = one_in(d, 3);
    tier->mark_low_cells = below(d, 1 + tier->buffer_cells / 2);
    tier->mark_high_cells = tier->mark_low_cells + below(d, 1 + tier->buffer_cells / 2);
    tier->trims = one_in(d, 3) ? below(d, 8) : 0;
    tier->trim_losses = 1 + below(d, 15);
    tier->trim_ecn = below(d, WEIR_TRIM_ECN_COUNT);
    tier->memory_percent = PICK(d, percents);
    tier->memory_depth_cells = one_in(d, 3) ? below(d, 60) : 8;
}

/* What newer TCPs have. */
static void draw_tcp_options(struct draw *d, struct world_transport *t)
{
    t->rack = one_in(d, 2);
    t->prr = one_in(d, 2);
    t->undo = one_in(d, 2);
    t->hystart = one_in(d, 2) ? below(d, 3) : 0;
    t->linux_rto = one_in(d, 2);
    t->halve_window = one_in(d, 2);
    t->tick_ps = one_in(d, 3) ? WEIR_PS_PER_US * (1 + below(d, 50)) : 0;
    t->keep_connections = one_in(d, 2);
    t->open_connections = below(d, 3);
    t->restart_idle = one_in(d, 2);
    t->request = one_in(d, 3);
    t->quick_acks = one_in(d, 2) ? below(d, 20) : 0;
    t->ack_delay_max_ps = one_in(d, 2) ? t->ack_delay_ps * (1 + below(d, 4)) : 0;
}

static void draw_transport(struct draw *d, struct world_transport *t)
{
    static const weir_ps timeouts[] = {10 * WEIR_PS_PER_US, 200 * WEIR_PS_PER_US, WEIR_PS_PER_MS, 5 * WEIR_PS_PER_MS};
    uint32_t kinds = 0;
    while (transport_table[kinds] != NULL)
        kinds++;
    t->kind = below(d, kinds);
    t->data_class = below(d, 4);
    t->ack_class = below(d, 4);
    t->initial_window = one_in(d, 6) ? 0 : 1 + below(d, 20);
    t->max_window = one_in(d, 4) ? 1 + below(d, 20) : 1000;
    t->min_rto_ps = PICK(d, timeouts);
    t->max_rto_ps = t->min_rto_ps * (1 + below(d, 20));
    t->sack = !one_in(d, 3);
    t->handshake = one_in(d, 3);
    t->slow_start = !one_in(d, 4);
    t->ecn = one_in(d, 2);
    t->ack_every = 1 + (one_in(d, 3) ? below(d, 3) : 0);
    t->ack_delay_ps = t->ack_every > 1 ? WEIR_PS_PER_US * (1 + below(d, 100)) : 0;
    t->rate_bps = d->world->host_bps / (1 + below(d, 20));
    t->poisson = one_in(d, 2);
    t->exponential_sizes = one_in(d, 3);
    t->on_ps = d->span_ps / (1 + below(d, 20));
    t->off_ps = one_in(d, 2) ? d->span_ps / (1 + below(d, 20)) : 0;
    t->exponential_periods = one_in(d, 2);
    t->control = below(d, 3);
    t->paths = below(d, 4);
    t->entropies_log2 = below(d, 10);
    t->sleek = one_in(d, 2);
    t->oversubscribed = one_in(d, 2);
    t->tail_loss_probe = one_in(d, 2);
    draw_tcp_options(d, t);
}

static void draw_traffic(struct draw *d, struct world_traffic *t)
{
    static const int64_t bytes[] = {1, 1000, 1460, 20000, 100000};
    const struct sim_world *w = d->world;
    double per_s = (double)WEIR_PS_PER_S / (double)d->span_ps;
    t->kind = below(d, TRAFFIC_COUNT);
    t->transport = below(d, WORLD_TRANSPORTS_MAX);
    t->tag = below(d, WORLD_TAGS);
    t->from_ps = moment(d) / 2;
    t->until_ps = t->from_ps + d->span_ps / (1 + below(d, 3)) + 1;
    t->source_first = below(d, w->hosts);
    t->source_count = one_in(d, 2) ? 0 : 1 + below(d, w->hosts);
    t->destination_first = below(d, w->hosts);
    t->destination_count = one_in(d, 2) ? 0 : 1 + below(d, w->hosts);
    t->pattern = one_in(d, 2) ? TRAFFIC_PATTERN_UNIFORM : below(d, TRAFFIC_PATTERN_COUNT);
    t->sizes = one_in(d, 8) ? 1 + below(d, size_table_count()) : 0;
    t->load_percent = 10 + below(d, 150);
    t->rate_per_s = (int64_t)(per_s * (double)(1 + below(d, 6))) + 1;
    t->periodic = one_in(d, 2);
    t->fan_out = below(d, 2 * w->hosts);
    t->bytes = PICK(d, bytes) * w->mss_bytes / 1460 + 2 * w->hosts;
    if (t->kind == TRAFFIC_LONG && one_in(d, 2))
        t->bytes = 0;
    t->concurrency = 1 + below(d, 4);
    t->rounds = 1 + below(d, 3);
    t->interval_ps = moment(d) / 4;
    t->listed = 1 + below(d, WORLD_LISTED_MAX);
    t->list = seed(d);
    t->request_bytes = one_in(d, 3) ? 1 + below(d, 3 * w->mss_bytes) : 0;
    t->spread_ps = one_in(d, 3) ? moment(d) / 4 : 0;
    t->phased = one_in(d, 2);
    t->on_ps = d->span_ps / (1 + below(d, 20));
    t->off_ps = d->span_ps / (1 + below(d, 20));
    t->long_percent = one_in(d, 2) ? below(d, 101) : 0;
}

static void draw_changes(struct draw *d)
{
    struct sim_world *w = d->world;
    weir_ps when = 0;
    w->changes = one_in(d, 3) ? 1 + below(d, WORLD_CHANGES_MAX) : 0;
    w->reroute_ps = one_in(d, 2) ? 0 : moment(d) / 3;
    for (int64_t i = 0; i < w->changes; i++) {
        when += one_in(d, 5) ? 0 : moment(d) / 2;
        bool repair = i > 0 && !one_in(d, 3);
        w->change[i] = (struct world_change){.when = when, .link = repair ? w->change[i - 1].link : below(d, 100)};
        w->change[i].up = repair ? !w->change[i - 1].up : one_in(d, 5);
    }
}

static void draw_probe(struct draw *d, struct world_probe *probe)
{
    probe->sw = below(d, 8);
    probe->port = below(d, 8);
    probe->tc = below(d, 5);
    probe->interval_ps = one_in(d, 2) ? 0 : d->span_ps / (1 + below(d, 100)) + 1;
    probe->from_ps = moment(d) / 2;
    probe->until_ps = probe->from_ps + d->span_ps + 1;
    probe->points_max = one_in(d, 4) ? 1 + below(d, 5) : 1000;
}

/* The end: with the traffic, somewhat or long after it. Long only where nothing goes on for ever. */
static void draw_end(struct draw *d)
{
    struct sim_world *w = d->world;
    bool bounded = true;
    for (int64_t i = 0; i < w->traffics; i++)
        bounded &= w->traffic[i].bytes > 0 && w->traffic[i].sizes == 0;
    int64_t factor = 1 + below(d, 3);
    w->until_ps = bounded && one_in(d, 2) ? 30 * WEIR_PS_PER_MS : factor * d->span_ps;
}

void sim_world_draw(struct sim_world *world, uint64_t key)
{
    struct draw d = {.world = world, .random = weir_random_stream(key, "sim world")};
    sim_world_init(world);
    world->seed = seed(&d);
    draw_network(&d);
    draw_wire(&d);
    world->tiers = 1 + below(&d, WORLD_TIERS_MAX);
    world->transports = 1 + below(&d, WORLD_TRANSPORTS_MAX);
    world->traffics = 1 + below(&d, WORLD_TRAFFICS_MAX);
    world->probes = one_in(&d, 2) ? below(&d, WORLD_PROBES_MAX + 1) : 0;
    for (int64_t i = 0; i < world->tiers; i++)
        draw_tier(&d, &world->tier[i]);
    for (int64_t i = 0; i < world->transports; i++)
        draw_transport(&d, &world->transport[i]);
    for (int64_t i = 0; i < world->traffics; i++)
        draw_traffic(&d, &world->traffic[i]);
    draw_changes(&d);
    for (int64_t i = 0; i < world->probes; i++)
        draw_probe(&d, &world->probe[i]);
    draw_end(&d);
}

static void draw_headroom(struct draw *d, struct world_tier *tier)
{
    static const int64_t divisors[] = {1, 16, 16, 128};
    tier->headroom = one_in(d, 5) ? below(d, WORLD_SCHEMES) : below(d, WORLD_SAFE_SCHEMES);
    tier->headroom_size = one_in(d, 8) ? SIM_HEADROOM_EQUATION : SIM_HEADROOM_SAFE;
    tier->alpha_divisor = PICK(d, divisors);
    tier->delta_cells = one_in(d, 3) ? below(d, 1 + tier->buffer_cells / 50) : 0;
    tier->ingress_private_cells = one_in(d, 3) ? below(d, 1 + tier->buffer_cells / 100) : 0;
}

/*
 * What a lossless network is not made for is left out: packets larger than the MTU and hardly larger than nothing.
 * Links that fail or watchdogs that drop are in a few of these worlds only, because they lose packets.
 */
void sim_world_draw_lossless(struct sim_world *world, uint64_t key)
{
    static const int64_t quanta[] = {65535, 65535, 5000, 2000};
    static const int64_t processing[] = {0, 1000, 3840, 3840};
    sim_world_draw(world, key);
    struct draw d = {.world = world, .random = weir_random_stream(key, "lossless world")};
    world->classes = 1 + below(&d, 4);
    world->lossless = 1 + below(&d, (INT64_C(1) << world->classes) - 1);
    world->quanta = PICK(&d, quanta);
    world->processing_bytes = PICK(&d, processing);
    world->mss_bytes = world->mss_bytes < 100 ? 100 : world->mss_bytes;
    world->ack_bytes = world->ack_bytes < 40 ? 40 : world->ack_bytes;
    world->changes = one_in(&d, 6) ? world->changes : 0;
    if (one_in(&d, 8)) {
        world->watchdog_detect_ps = (1 + below(&d, 100)) * WEIR_PS_PER_US;
        world->watchdog_restore_ps = (1 + below(&d, 100)) * WEIR_PS_PER_US;
        world->watchdog_action = below(&d, SIM_WATCHDOG_ALERT + 1);
    }
    for (int64_t i = 0; i < world->tiers; i++)
        draw_headroom(&d, &world->tier[i]);
    for (int64_t i = 0; i < world->transports; i++)
        world->transport[i].exponential_sizes = 0;
    for (int64_t i = 0; i < world->traffics; i++)
        if (world->traffic[i].kind == TRAFFIC_PACKETS)
            world->traffic[i].kind = TRAFFIC_LIST;
}

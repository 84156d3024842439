/*
 * tiers.c - `weir headroom FILE`: what the switches of a scenario reserve. The simulation is built, and its
 * MMUs are asked: what is shown is what would run. Equal MMUs are shown once.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "lab/plan/plan.h"
#include "operate/headroom/plan.h"
#include "scenario/keys/key.h"
#include "show/writers/write.h"
#include "weir/mmu.h"
#include "weir/switch.h"

struct tier_link;

/* Equal MMUs of one tier. */
struct tier_memory {
    const struct weir_view *view; /* ingress side of one of them */
    const struct sim_switch *settings;
    uint32_t tier, count;
    weir_cells least_cells, most_cells;             /* headroom of a queue, over the inputs */
    weir_bps capacity_bps;                          /* of its output ports */
    struct headroom_row rows[HEADROOM_SCHEMES_MAX]; /* [schemes] */
    uint32_t schemes;
    struct data_frame *frame; /* of the rows */
    struct tier_link *links;  /* [link_count]: those that differ */
    uint32_t link_count;
};

/* Inputs of a memory whose links are alike. */
struct tier_link {
    struct headroom_plan plan;
    uint32_t inputs;
    weir_cells headroom_cells; /* of a queue */
    struct data_frame *sums;   /* of its terms */
};

struct tier_memories {
    struct tier_memory *at;
    uint32_t count;
};

static struct tier_memory describe(const struct weir_mmu *mmu, const struct sim_config *config, uint32_t tier)
{
    const struct weir_view *in = weir_mmu_ingress_view(mmu), *out = weir_mmu_view(mmu);
    struct tier_memory memory = {.view = in, .tier = tier, .count = 1, .settings = sim_config_tier(config, tier)};
    memory.least_cells = memory.most_cells = weir_view_uplink(in, (weir_port){0})->headroom_cells;
    for (uint32_t i = 1; i < in->geometry.ports; i++) {
        weir_cells cells = weir_view_uplink(in, (weir_port){i})->headroom_cells;
        memory.least_cells = cells < memory.least_cells ? cells : memory.least_cells;
        memory.most_cells = cells > memory.most_cells ? cells : memory.most_cells;
    }
    for (uint32_t i = 0; i < out->geometry.ports; i++)
        memory.capacity_bps += weir_view_port(out, (weir_port){i})->rate_bps;
    return memory;
}

static bool alike(const struct tier_memory *a, const struct tier_memory *b)
{
    const struct weir_geometry *x = &a->view->geometry, *y = &b->view->geometry;
    return a->tier == b->tier && x->ports == y->ports && x->headroom_cells == y->headroom_cells &&
           x->shared_cells == y->shared_cells && a->least_cells == b->least_cells && a->most_cells == b->most_cells &&
           a->capacity_bps == b->capacity_bps;
}

/* False: out of memory. */
static bool memories_add(struct tier_memories *memories, const struct tier_memory *memory)
{
    for (uint32_t i = 0; i < memories->count; i++)
        if (alike(&memories->at[i], memory)) {
            memories->at[i].count++;
            return true;
        }
    struct tier_memory *at = realloc(memories->at, (memories->count + 1) * sizeof *at);
    if (at == NULL)
        return false;
    memories->at = at;
    at[memories->count++] = *memory;
    return true;
}

/* False: out of memory. MMUs without lossless classes are left out. */
static bool memories_find(struct tier_memories *memories, const struct sim *sim, const struct sim_config *config)
{
    for (uint32_t sw = 0; sw < config->topology->switches; sw++) {
        const struct weir_switch *of = sim_switch(sim, sw);
        for (uint32_t m = 0; m < weir_switch_mmu_count(of); m++) {
            const struct weir_mmu *mmu = weir_switch_mmu(of, m);
            if (weir_mmu_ingress_view(mmu) == NULL)
                continue;
            struct tier_memory memory = describe(mmu, config, config->topology->tier[sw]);
            if (!memories_add(memories, &memory))
                return false;
        }
    }
    return true;
}

/* What another scheme would reserve there, its parameters at their defaults. */
static int64_t reserve_of(const struct tier_memory *memory, const struct weir_policy *scheme)
{
    const struct weir_geometry *g = &memory->view->geometry;
    weir_bps *rates = calloc(g->ports, sizeof *rates);
    struct weir_mmu_config config = memory->settings->mmu;
    if (rates == NULL)
        return -1;
    for (uint32_t i = 0; i < g->ports; i++)
        rates[i] = weir_view_port(memory->view, (weir_port){i})->rate_bps;
    config.ports = config.inputs = g->ports;
    config.uplinks = memory->view->uplink;
    config.input_rates_bps = rates;
    config.ingress = scheme;
    config.ingress_values = NULL;
    int64_t cells = weir_mmu_headroom_cells(&config);
    free(rates);
    return cells * g->cell_bytes;
}

/* The scheme in use and the others. False: out of memory. */
static bool find_rows(struct tier_memory *memory)
{
    const struct weir_geometry *g = &memory->view->geometry;
    int64_t free_bytes = (g->shared_cells + g->headroom_cells) * g->cell_bytes;
    const struct weir_policy *schemes[HEADROOM_SCHEMES_MAX];
    memory->schemes = headroom_schemes(schemes);
    for (uint32_t i = 0; i < memory->schemes; i++) {
        bool used = memory->settings->mmu.ingress == schemes[i];
        int64_t bytes = used ? g->headroom_cells * g->cell_bytes : reserve_of(memory, schemes[i]);
        if (bytes < 0)
            return false;
        memory->rows[i] = (struct headroom_row){.scheme = schemes[i]->name,
                                                .headroom_bytes = bytes,
                                                .shared_bytes = free_bytes - bytes,
                                                .memory_bytes = g->buffer_cells * g->cell_bytes};
        snprintf(memory->rows[i].what, sizeof memory->rows[i].what, "%s", used ? "in use" : "-");
    }
    return true;
}

static struct headroom_plan link_plan(const struct tier_memory *memory, weir_port input)
{
    const struct weir_uplink *uplink = weir_view_uplink(memory->view, input);
    return (struct headroom_plan){.rate_bps = weir_view_port(memory->view, input)->rate_bps,
                                  .delay_ps = uplink->delay_ps,
                                  .mtu_bytes = uplink->mtu_bytes,
                                  .least_bytes = uplink->least_bytes,
                                  .gap_bytes = uplink->gap_bytes,
                                  .cell_bytes = memory->view->geometry.cell_bytes,
                                  .processing = {.bytes = uplink->processing_bytes},
                                  .small = WEIR_Q16_ONE,
                                  .is_simulated = true};
}

/* The links that differ: all inputs have the same packets. False: out of memory. */
static bool find_links(struct tier_memory *memory)
{
    uint32_t inputs = memory->view->geometry.ports;
    memory->links = calloc(inputs, sizeof *memory->links);
    if (memory->links == NULL)
        return false;
    for (uint32_t i = 0; i < inputs; i++) {
        struct headroom_plan plan = link_plan(memory, (weir_port){i});
        uint32_t at = 0;
        while (at < memory->link_count &&
               (memory->links[at].plan.rate_bps != plan.rate_bps || memory->links[at].plan.delay_ps != plan.delay_ps))
            at++;
        memory->link_count += at == memory->link_count;
        memory->links[at].plan = plan;
        memory->links[at].headroom_cells = weir_view_uplink(memory->view, (weir_port){i})->headroom_cells;
        memory->links[at].inputs++;
    }
    return true;
}

static const char *size_text(const struct tier_memory *memory)
{
    static const char *const sizes[] = {[SIM_HEADROOM_SAFE] = "the no-loss bound",
                                        [SIM_HEADROOM_EQUATION] = "equation 1",
                                        [SIM_HEADROOM_BYTES] = "as given"};
    return sizes[memory->settings->headroom_size];
}

static void put_link(const struct tier_memory *memory, const struct tier_link *link)
{
    char rate[64], delay[64];
    key_format(&(struct key){.kind = KEY_RATE}, &(struct key_scale){.hosts = 0}, link->plan.rate_bps, rate);
    key_format(&(struct key){.kind = KEY_TIME}, &(struct key_scale){.hosts = 0}, link->plan.delay_ps, delay);
    printf("\n%u input%s of %s and %s: %" PRId64 " B for a queue (%s); what still arrives after a pause:\n",
           link->inputs, link->inputs == 1 ? "" : "s", rate, delay, link->headroom_cells * link->plan.cell_bytes,
           size_text(memory));
    write_text(link->sums);
}

/* The links of a memory; their sums become known. */
static struct data_frame *links_frame(struct tier_memory *memory)
{
    struct data_frame *links = data_frame_new_list();
    for (struct tier_link *link = memory->links; link < memory->links + memory->link_count; link++) {
        struct data_frame *about = headroom_link_frame(&link->plan);
        link->sums = headroom_sums_frame(&link->plan);
        data_frame_set(about, "inputs", cell_integer(link->inputs));
        data_frame_set(about, "headroom_bytes", cell_integer(link->headroom_cells * link->plan.cell_bytes));
        data_frame_set(about, NULL, cell_frame(link->sums));
        data_row(links, cell_frame(about));
    }
    return links;
}

static double traffic_s(const struct tier_memory *memory)
{
    const struct weir_geometry *g = &memory->view->geometry;
    return 8.0 * (double)(g->buffer_cells * g->cell_bytes) / (double)memory->capacity_bps;
}

static void put_memory(const struct tier_memory *memory, bool first)
{
    const struct weir_geometry *g = &memory->view->geometry;
    double bytes = (double)memory->rows[0].memory_bytes;
    printf("%stier %u: %u MMU%s of %.3f MB = %.3f MiB (%.4g us of traffic), %u inputs, %d lossless class%s\n",
           first ? "" : "\n", memory->tier, memory->count, memory->count == 1 ? "" : "s", bytes / 1e6, bytes / 1048576,
           1e6 * traffic_s(memory), g->ports, __builtin_popcount(g->lossless_mask),
           __builtin_popcount(g->lossless_mask) == 1 ? "" : "es");
    write_text(memory->frame);
    for (uint32_t i = 0; i < memory->link_count; i++)
        put_link(memory, &memory->links[i]);
}

static struct data_frame *memory_frame(struct tier_memory *memory)
{
    const struct weir_geometry *g = &memory->view->geometry;
    memory->frame = headroom_schemes_frame(memory->rows, memory->schemes);
    return data_object({"tier", cell_integer(memory->tier)}, {"memories", cell_integer(memory->count)},
                       {"inputs", cell_integer(g->ports)},
                       {"classes", cell_integer(__builtin_popcount(g->lossless_mask))},
                       {"buffer_bytes", cell_integer(memory->rows[0].memory_bytes)},
                       {"buffer_per_capacity_s", cell_number(traffic_s(memory))},
                       {"headroom_least_bytes", cell_integer(memory->least_cells * g->cell_bytes)},
                       {"headroom_most_bytes", cell_integer(memory->most_cells * g->cell_bytes)},
                       {"scheme", cell_text(memory->settings->mmu.ingress->name)},
                       {"schemes", cell_frame(memory->frame)}, {"links", cell_frame(links_frame(memory))});
}

static int show_memories(const struct tier_memories *memories, bool json)
{
    for (uint32_t i = 0; i < memories->count; i++)
        if (!find_rows(&memories->at[i]) || !find_links(&memories->at[i]))
            return cli_error_memory();
    struct data_frame *root = data_frame_new_list();
    for (uint32_t i = 0; i < memories->count; i++)
        data_row(root, cell_frame(memory_frame(&memories->at[i])));
    if (json)
        return write_result(root, true);
    int code = data_frame_check(root);
    for (uint32_t i = 0; i < memories->count && code == CLI_OK; i++)
        put_memory(&memories->at[i], i == 0);
    data_frame_free(root);
    return code;
}

static int show_plan(const struct plan *plan, bool json)
{
    const struct run_source source = plan_source(plan, 0);
    struct run run;
    struct tier_memories memories = {.at = NULL};
    int code = run_open(&run, &source, NULL) && run_try(&run) ? CLI_OK : cli_report(&run.error);
    if (code == CLI_OK && !memories_find(&memories, run_sim(&run), &run.scenario.config))
        code = cli_error_memory();
    if (code == CLI_OK && memories.count == 0)
        code = cli_error(CLI_INPUT, "%s: no switch has lossless classes (expected switch.lossless)", plan->file);
    if (code == CLI_OK)
        code = show_memories(&memories, json);
    for (uint32_t i = 0; i < memories.count; i++)
        free(memories.at[i].links);
    free(memories.at);
    run_close(&run);
    return code;
}

int headroom_show_tiers(const char *file, const struct plan_changes *changes, bool json)
{
    struct plan plan;
    int code = plan_make(&plan, file, changes, NULL);
    if (code == CLI_OK)
        code = show_plan(&plan, json);
    plan_free(&plan);
    return code;
}

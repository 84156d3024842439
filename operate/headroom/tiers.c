/*
 * tiers.c - `weir headroom FILE`: what the switches of a scenario reserve. The simulation is built, and its
 * MMUs are asked: what is shown is what would run. Equal MMUs are shown once.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "lab/spread/plan.h"
#include "operate/headroom/plan.h"
#include "scenario/keys/key.h"
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
    struct output_table *table; /* of the rows */
    struct tier_link *links;    /* [link_count]: those that differ */
    uint32_t link_count;
};

/* Inputs of a memory whose links are alike. */
struct tier_link {
    struct headroom_plan plan;
    uint32_t inputs;
    weir_cells headroom_cells;  /* of a queue */
    struct output_table *table; /* of its terms */
};

struct tier_memories {
    struct tier_memory *at;
    uint32_t count;
};

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
            const struct weir_view *in = weir_mmu_ingress_view(mmu), *out = weir_mmu_view(mmu);
            struct tier_memory memory = {.view = in,
                                         .tier = config->topology->tier[sw],
                                         .count = 1,
                                         .settings = sim_config_tier(config, config->topology->tier[sw])};
            memory.least_cells = memory.most_cells = weir_view_uplink(in, (weir_port){0})->headroom_cells;
            for (uint32_t i = 1; i < in->geometry.ports; i++) {
                weir_cells cells = weir_view_uplink(in, (weir_port){i})->headroom_cells;
                memory.least_cells = cells < memory.least_cells ? cells : memory.least_cells;
                memory.most_cells = cells > memory.most_cells ? cells : memory.most_cells;
            }
            for (uint32_t i = 0; i < out->geometry.ports; i++)
                memory.capacity_bps += weir_view_port(out, (weir_port){i})->rate_bps;
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

static const char *size_text(const struct tier_memory *memory)
{
    static const char *const sizes[] = {[SIM_HEADROOM_SAFE] = "the no-loss bound",
                                        [SIM_HEADROOM_EQUATION] = "equation 1",
                                        [SIM_HEADROOM_BYTES] = "as given"};
    return sizes[memory->settings->headroom_size];
}

static json_t *links_json(const struct tier_memory *memory)
{
    json_t *links = json_array();
    for (const struct tier_link *link = memory->links; link < memory->links + memory->link_count; link++) {
        json_t *about = headroom_terms_json(&link->plan);
        about = output_json_set(about, "inputs", json_integer(link->inputs));
        about = output_json_set(about, "headroom_bytes", json_integer(link->headroom_cells * link->plan.cell_bytes));
        links = output_json_append(links, about);
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
    output_table_put(memory->table);
    for (uint32_t i = 0; i < memory->link_count; i++) {
        char rate[64], delay[64];
        key_format(&(struct key){.kind = KEY_RATE}, &(struct key_scale){.hosts = 0}, memory->links[i].plan.rate_bps,
                   rate);
        key_format(&(struct key){.kind = KEY_TIME}, &(struct key_scale){.hosts = 0}, memory->links[i].plan.delay_ps,
                   delay);
        printf("\n%u input%s of %s and %s: %" PRId64 " B for a queue (%s); what still arrives after a pause:\n",
               memory->links[i].inputs, memory->links[i].inputs == 1 ? "" : "s", rate, delay,
               memory->links[i].headroom_cells * memory->links[i].plan.cell_bytes, size_text(memory));
        output_table_put(memory->links[i].table);
    }
}

static json_t *memory_json(const struct tier_memory *memory)
{
    const struct weir_geometry *g = &memory->view->geometry;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:s, s:o, s:o}", "tier", (json_int_t)memory->tier,
                     "memories", (json_int_t)memory->count, "inputs", (json_int_t)g->ports, "classes",
                     (json_int_t)__builtin_popcount(g->lossless_mask), "buffer_bytes",
                     (json_int_t)memory->rows[0].memory_bytes, "buffer_per_capacity_s", json_real(traffic_s(memory)),
                     "headroom_least_bytes", (json_int_t)(memory->least_cells * g->cell_bytes), "headroom_most_bytes",
                     (json_int_t)(memory->most_cells * g->cell_bytes), "scheme", memory->settings->mmu.ingress->name,
                     "schemes", headroom_rows_json(memory->rows, memory->schemes), "links", links_json(memory));
}

static int make_tables(struct tier_memory *memory)
{
    memory->table = headroom_rows_table(memory->rows, memory->schemes);
    int code = output_table_check(memory->table);
    for (uint32_t i = 0; i < memory->link_count && code == CLI_OK; i++) {
        memory->links[i].table = headroom_terms_table(&memory->links[i].plan);
        code = output_table_check(memory->links[i].table);
    }
    return code;
}

static int show_memories(const struct tier_memories *memories, bool json)
{
    for (uint32_t i = 0; i < memories->count; i++) {
        /* The scheme in use and the others. False: out of memory. */
        const struct weir_geometry *g = &memories->at[i].view->geometry;
        int64_t free_bytes = (g->shared_cells + g->headroom_cells) * g->cell_bytes;
        const struct weir_policy *schemes[HEADROOM_SCHEMES_MAX];
        memories->at[i].schemes = headroom_schemes(schemes);
        for (uint32_t k = 0; k < memories->at[i].schemes; k++) {
            bool used = memories->at[i].settings->mmu.ingress == schemes[k];
            int64_t bytes = used ? g->headroom_cells * g->cell_bytes : reserve_of(&memories->at[i], schemes[k]);
            if (bytes < 0)
                return cli_error_memory();
            memories->at[i].rows[k] = (struct headroom_row){.scheme = schemes[k]->name,
                                                            .headroom_bytes = bytes,
                                                            .shared_bytes = free_bytes - bytes,
                                                            .memory_bytes = g->buffer_cells * g->cell_bytes};
            snprintf(memories->at[i].rows[k].what, sizeof memories->at[i].rows[k].what, "%s", used ? "in use" : "-");
        }
        /* The links that differ: all inputs have the same packets. False: out of memory. */
        uint32_t inputs = memories->at[i].view->geometry.ports;
        memories->at[i].links = calloc(inputs, sizeof *memories->at[i].links);
        if (memories->at[i].links == NULL)
            return cli_error_memory();
        for (uint32_t k = 0; k < inputs; k++) {
            weir_port input = (weir_port){k};
            const struct weir_uplink *uplink = weir_view_uplink(memories->at[i].view, input);
            struct headroom_plan plan =
                (struct headroom_plan){.rate_bps = weir_view_port(memories->at[i].view, input)->rate_bps,
                                       .delay_ps = uplink->delay_ps,
                                       .mtu_bytes = uplink->mtu_bytes,
                                       .least_bytes = uplink->least_bytes,
                                       .gap_bytes = uplink->gap_bytes,
                                       .cell_bytes = memories->at[i].view->geometry.cell_bytes,
                                       .processing = {.bytes = uplink->processing_bytes},
                                       .small = WEIR_Q16_ONE,
                                       .is_simulated = true};
            uint32_t at = 0;
            while (at < memories->at[i].link_count && (memories->at[i].links[at].plan.rate_bps != plan.rate_bps ||
                                                       memories->at[i].links[at].plan.delay_ps != plan.delay_ps))
                at++;
            memories->at[i].link_count += at == memories->at[i].link_count;
            memories->at[i].links[at].plan = plan;
            memories->at[i].links[at].headroom_cells =
                weir_view_uplink(memories->at[i].view, (weir_port){k})->headroom_cells;
            memories->at[i].links[at].inputs++;
        }
    }
    if (!json) {
        /* Every table is made before the first is printed. */
        int code = CLI_OK;
        for (uint32_t i = 0; i < memories->count && code == CLI_OK; i++)
            code = make_tables(&memories->at[i]);
        for (uint32_t i = 0; i < memories->count && code == CLI_OK; i++)
            put_memory(&memories->at[i], i == 0);
        for (uint32_t i = 0; i < memories->count; i++) {
            output_table_free(memories->at[i].table);
            for (uint32_t k = 0; k < memories->at[i].link_count; k++)
                output_table_free(memories->at[i].links[k].table);
        }
        return code;
    }
    json_t *root = json_array();
    for (uint32_t i = 0; i < memories->count; i++)
        root = output_json_append(root, memory_json(&memories->at[i]));
    return output_json(root);
}

static int show_plan(const struct run_plan *plan, bool json)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct tier_memories memories = {.at = NULL};
    struct sim *sim = run_plan_scenario(plan, 0, &scenario, &error) ? scenario_create(&scenario, &error) : NULL;
    int code = sim != NULL ? CLI_OK : cli_report(&error);
    if (code == CLI_OK && !memories_find(&memories, sim, &scenario.config))
        code = cli_error_memory();
    if (code == CLI_OK && memories.count == 0)
        code = cli_error(CLI_INPUT, "%s: no switch has lossless classes (expected switch.lossless)", plan->file);
    if (code == CLI_OK)
        code = show_memories(&memories, json);
    for (uint32_t i = 0; i < memories.count; i++)
        free(memories.at[i].links);
    free(memories.at);
    if (sim != NULL)
        sim_free(sim);
    scenario_free(&scenario);
    return code;
}

int headroom_show_tiers(const char *file, const struct run_changes *changes, bool json)
{
    struct run_plan plan;
    int code = run_plan_make(&plan, file, changes, NULL);
    if (code == CLI_OK)
        code = show_plan(&plan, json);
    run_plan_free(&plan);
    return code;
}

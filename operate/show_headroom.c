/*
 * show_headroom.c - the headroom that a configuration has beside three opinions on what its links need: SONiC's formula
 * (formula.h), equation 1 of the DSH paper and the no-loss bound of weir (operate/headroom/plan.h), whose cells are
 * counted with the delays of the platform. Columns are named as `show` and `mmuconfig` name them.
 */
#include "operate/show_headroom.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "operate/headroom/plan.h"
#include "operate/lint/rules.h"
#include "weir/fixed.h"

#define METRE_PS (5 * WEIR_PS_PER_NS) /* of fibre */
#define LEAST_BYTES 64
#define GAP_BYTES 20

/* What a link needs, by each. */
struct needs {
    struct formula_link link;
    struct formula_result formula;
    struct headroom_plan plan;
    int64_t equation, bound; /* bytes; whole cells of both */
};

/* Lines of the table: the groups of a port that have the same headroom. */
struct line {
    const struct sonic_group *group;
    uint32_t first, last;
    bool is_known; /* the link is */
    struct needs needs;
};

static double value_or_0(double value)
{
    return value > 0 ? value : 0;
}

static bool find_needs(const struct sonic_model *model, const struct sonic_port *port, struct needs *needs)
{
    if (!model_link(model, port, &needs->link))
        return false;
    needs->formula = formula_headroom(&model->platform, &needs->link, (enum sonic_formula)model->given.formula);
    const double *bytes = needs->formula.bytes;
    double own = bytes[FORMULA_GEARBOX] + bytes[FORMULA_MAC_PHY] + bytes[FORMULA_TILES];
    needs->plan = (struct headroom_plan){.rate_bps = needs->link.speed_mbps * 1000000,
                                         .delay_ps = (weir_ps)ceil(needs->link.cable_m * METRE_PS),
                                         .mtu_bytes = (uint32_t)needs->link.port_mtu,
                                         .least_bytes = LEAST_BYTES,
                                         .gap_bytes = GAP_BYTES,
                                         .cell_bytes = (uint32_t)model->platform.cell,
                                         .own = {.bytes = (int64_t)ceil(value_or_0(own))},
                                         .small = WEIR_Q16_ONE,
                                         .is_standard = true,
                                         .size = SIM_HEADROOM_EQUATION};
    needs->equation = headroom_plan_size(&needs->plan);
    needs->bound = headroom_plan_safe_cells(&needs->plan) * model->platform.cell;
    return true;
}

/* Groups side by side with the same headroom are one line. */
static struct line *find_lines(const struct sonic_model *model, uint32_t *count)
{
    const struct sonic_group *groups = MODEL_GROUPS(model);
    struct line *lines = calloc(model->groups.count + 1, sizeof *lines);
    *count = 0;
    for (uint32_t i = 0; lines != NULL && i < model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        struct line *before = *count > 0 ? &lines[*count - 1] : NULL;
        if (before != NULL && before->group->port == group->port && before->last + 1 == group->number &&
            before->group->xoff == group->xoff && before->group->use == group->use &&
            before->group->source == group->source) {
            before->last = group->number;
            continue;
        }
        struct line *line = &lines[(*count)++];
        *line = (struct line){.group = group, .first = group->number, .last = group->number};
        line->is_known = find_needs(model, group->port, &line->needs);
    }
    return lines;
}

static const char *source_text(const struct sonic_group *group)
{
    switch (group->source) {
    case SONIC_FROM_PROFILE:
        return group->profile->entry.key;
    case SONIC_FROM_LOOKUP:
        return "(lookup)";
    case SONIC_FROM_FORMULA:
        return "(computed)";
    case SONIC_FROM_NOWHERE:
        return "(none)";
    case SONIC_FROM_UNKNOWN:
        break;
    }
    return "(unknown)";
}

static void number_cell(struct output_table *table, int64_t value)
{
    if (value == SONIC_ABSENT)
        output_table_cell(table, "-");
    else
        output_table_cell(table, "%" PRId64, value);
}

/* Cells that a group has beyond what is needed; negative: they are missing. SONIC_ABSENT: not known. */
static int64_t spare_cells(const struct sonic_model *model, const struct sonic_group *group, int64_t needed)
{
    int64_t has = group->source == SONIC_FROM_NOWHERE ? 0 : group->xoff, cell = model->platform.cell;
    if (has == SONIC_ABSENT || has < 0 || has > INT64_MAX / 2)
        return SONIC_ABSENT;
    return (has + cell - 1) / cell - (needed + cell - 1) / cell;
}

static void spare_cell(struct output_table *table, int64_t cells)
{
    if (cells == SONIC_ABSENT)
        output_table_cell(table, "-");
    else
        output_table_cell(table, "%+" PRId64, cells);
}

static struct output_table *lines_table(const struct sonic_model *model, const struct line *lines, uint32_t count)
{
    static const struct output_column columns[] = {
        {"Port", false},    {"PG", true},    {"Speed", true},        {"Cable", true}, {"MTU", true},
        {"Profile", false}, {"size", true},  {"xon", true},          {"xoff", true},  {"SONiC", true},
        {"Eq. 1", true},    {"bound", true}, {"cells: SONiC", true}, {"Eq. 1", true}, {"bound", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (const struct line *line = lines; line < lines + count; line++) {
        const struct sonic_group *group = line->group;
        double cable = model_cable(model, group->port);
        output_table_cell_cut(table, group->port->name, 40);
        output_table_cell(table, line->first == line->last ? "%u" : "%u-%u", line->first, line->last);
        number_cell(table, model_speed(model, group->port));
        output_table_cell(table, cable >= 0 ? "%gm" : "-", cable);
        output_table_cell(table, "%" PRId64, model_mtu(group->port));
        output_table_cell_cut(table, source_text(group), 48);
        number_cell(table, group->size);
        number_cell(table, group->xon);
        number_cell(table, group->xoff);
        const int64_t needed[] = {line->is_known ? line->needs.formula.xoff : SONIC_ABSENT,
                                  line->is_known ? line->needs.equation : SONIC_ABSENT,
                                  line->is_known ? line->needs.bound : SONIC_ABSENT};
        for (uint32_t i = 0; i < 3; i++)
            number_cell(table, needed[i]);
        for (uint32_t i = 0; i < 3; i++)
            spare_cell(table, line->is_known ? spare_cells(model, group, needed[i]) : SONIC_ABSENT);
    }
    return table;
}

static void term_row(struct output_table *table, const char *name, double bytes, const char *what)
{
    output_table_cell(table, "%s", name);
    output_table_cell(table, "%.1f", bytes);
    output_table_cell(table, "%s", what);
}

static struct output_table *terms_table(const struct sonic_model *model, const struct needs *needs)
{
    static const struct output_column columns[] = {{"term", false}, {"bytes", true}, {"because", false}};
    static const char *const causes[FORMULA_TERMS] = {
        [FORMULA_PORT_MTU] = "the peer has just begun a packet",
        [FORMULA_CABLE] = "the PAUSE crosses the link, and what is on it arrives",
        [FORMULA_GEARBOX] = "gearbox_delay of the platform, twice",
        [FORMULA_MAC_PHY] = "mac_phy_delay of the platform",
        [FORMULA_PEER] = "quanta of IEEE 802.3, 31B.3.7, for the speed",
        [FORMULA_TILES] = "tile_delay of the platform",
    };
    struct output_table *table = output_table_new(columns, 3);
    const struct formula_result *result = &needs->formula;
    double sum = 0;
    char what[96];
    for (uint32_t term = 0; term < FORMULA_TERMS; term++) {
        sum += result->bytes[term];
        term_row(table, formula_term_name((enum formula_term)term), result->bytes[term],
                 (term == FORMULA_MAC_PHY && model->platform.mac_phy_delay == SONIC_ABSENT) ||
                         (term == FORMULA_GEARBOX && model->platform.gearbox_delay == SONIC_ABSENT) ||
                         (term == FORMULA_TILES && model->platform.tile_delay == SONIC_ABSENT)
                     ? "not known of the platform, counted as none"
                     : causes[term]);
    }
    snprintf(what, sizeof what, "x %.4g: %.4g %% of the bytes are small packets", result->occupancy,
             result->small_share);
    term_row(table, "cells filled in part", sum * result->occupancy - sum, what);
    term_row(table, "lossless MTU", (double)needs->link.lossless_mtu, "a packet that triggers the PAUSE");
    term_row(table, "rounding to KiB",
             (double)(result->xoff - result->compensation) - sum * result->occupancy - (double)needs->link.lossless_mtu,
             "up to whole KiB");
    if (result->compensation > 0)
        term_row(table, "compensation", (double)result->compensation, "for reduced small packets, or of the platform");
    term_row(table, "= xoff", (double)result->xoff, "SONiC's formula");
    return table;
}

static bool is_same_link(const struct needs *a, const struct needs *b)
{
    return a->link.speed_mbps == b->link.speed_mbps && fabs(a->link.cable_m - b->link.cable_m) < 1e-9 &&
           a->link.port_mtu == b->link.port_mtu && a->link.lanes == b->link.lanes;
}

/* A kind of link, its ports and its terms: SONiC's and ours. */
struct kind {
    const struct needs *needs;
    uint32_t ports;
    struct output_table *theirs, *ours;
};

/* Every kind of link, once: how many. Tables that memory did not suffice for are found by output_table_check. */
static uint32_t find_kinds(const struct sonic_model *model, const struct line *lines, uint32_t count,
                           struct kind *kinds)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        if (!lines[i].is_known)
            continue;
        while (k < found && !is_same_link(kinds[k].needs, &lines[i].needs))
            k++;
        if (k == found) {
            kinds[found++] = (struct kind){.needs = &lines[i].needs,
                                           .theirs = terms_table(model, &lines[i].needs),
                                           .ours = headroom_terms_table(&lines[i].needs.plan)};
        }
        kinds[k].ports += i == 0 || lines[i - 1].group->port != lines[i].group->port;
    }
    return found;
}

static void put_kind(const struct kind *kind)
{
    const struct formula_link *link = &kind->needs->link;
    char lanes[32];
    snprintf(lanes, sizeof lanes, "%u lanes", link->lanes);
    putchar('\n');
    cli_print("%" PRId64 " Mb/s, %g m, MTU %" PRId64 ", %s: %u port%s", link->speed_mbps, link->cable_m, link->port_mtu,
              link->lanes > 0 ? lanes : "lanes unknown", kind->ports, kind->ports == 1 ? "" : "s");
    output_table_put(kind->theirs);
    putchar('\n');
    output_table_put(kind->ours);
}

/* How many groups a shared headroom pool is for. */
static void put_shared(const struct sonic_model *model, const struct sonic_pool *pool,
                       const struct rules_shared *shared)
{
    int64_t xoff = model_headroom_pool(model, pool);
    putchar('\n');
    if (shared->groups == 0) {
        cli_print("Shared headroom pool %s: xoff %" PRId64 " B; the headroom of its groups is not known",
                  pool->entry.key, xoff);
        return;
    }
    cli_print("Shared headroom pool %s: xoff %" PRId64 " B (%" PRId64 " cells)%s", pool->entry.key, xoff,
              xoff / model->platform.cell, xoff != pool->xoff ? ", as over_subscribe_ratio makes it" : "");
    cli_print("  lossless groups: %u, together %" PRId64 " B: %.2f times the pool", shared->groups, shared->sum,
              (double)shared->sum / (double)xoff);
    if (model->platform.pipes > 1)
        cli_print("  the pool is split over %" PRId64 " pipes: %" PRId64 " B for the %u groups of one",
                  model->platform.pipes, shared->pipe, shared->of_pipe);
    cli_print("  groups%s that may be in headroom at once, the largest first: %u",
              model->platform.pipes > 1 ? " of a pipe" : "", shared->at_once);
}

static const struct sonic_pool *find_shared(const struct sonic_model *model)
{
    const struct sonic_pool *pool = model_lossless_pool(model, SONIC_INGRESS);
    return model_headroom_pool(model, pool) > 0 ? pool : NULL;
}

/* What would be needed for the groups whose headroom is unknown. */
static void put_missing(const struct sonic_model *model, const struct line *lines, uint32_t count)
{
    const struct line *first = NULL;
    uint32_t unknown = 0;
    for (const struct line *line = lines; line < lines + count; line++)
        if (line->group->source == SONIC_FROM_UNKNOWN) {
            first = first != NULL ? first : line;
            unknown += line->last - line->first + 1;
        }
    if (first == NULL)
        return;
    putchar('\n');
    cli_print("not known: the headroom of %u group%s, without %s", unknown, unknown == 1 ? "" : "s",
              model_missing(model, first->group));
}

static void put_page(const struct sonic_model *model, struct output_table *table)
{
    char cell[64];
    cli_print("platform %s: cell %s; %s model; lossless MTU %" PRId64 ", %" PRId64 " %% small packets; formula of %s",
              model->platform.name != NULL ? model->platform.name : "unknown",
              platform_text(&model->platform, "cell_size", cell), model->is_dynamic ? "dynamic" : "traditional",
              model->lossless_mtu, model->small_percent, formula_years[model->given.formula]);
    cli_print("xoff of each lossless group, in bytes, beside what its link needs, and the cells that are spare (+) or "
              "missing (-)");
    putchar('\n');
    output_table_put(table);
}

/* Every table is made before the first is printed. */
static int show_text(const struct sonic_model *model, const struct line *lines, uint32_t count)
{
    const struct sonic_pool *pool = find_shared(model);
    struct rules_shared shared;
    struct output_table *table = lines_table(model, lines, count);
    struct kind *kinds = calloc(count + 1, sizeof *kinds);
    uint32_t found = kinds != NULL ? find_kinds(model, lines, count, kinds) : 0;
    int code = output_table_check(table);
    if (code == CLI_OK && (kinds == NULL || (pool != NULL && !rules_shared_headroom(model, pool, &shared))))
        code = cli_error_memory();
    for (uint32_t i = 0; i < found && code == CLI_OK; i++) {
        code = output_table_check(kinds[i].theirs);
        if (code == CLI_OK)
            code = output_table_check(kinds[i].ours);
    }
    if (code == CLI_OK) {
        put_page(model, table);
        put_missing(model, lines, count);
        if (pool != NULL)
            put_shared(model, pool, &shared);
        for (uint32_t i = 0; i < found; i++)
            put_kind(&kinds[i]);
    }
    for (uint32_t i = 0; i < found; i++) {
        output_table_free(kinds[i].theirs);
        output_table_free(kinds[i].ours);
    }
    output_table_free(table);
    free(kinds);
    return code;
}

static json_t *number_json(int64_t value)
{
    return value != SONIC_ABSENT ? json_integer(value) : json_null();
}

static json_t *terms_json(const struct needs *needs)
{
    json_t *terms = json_array();
    for (uint32_t term = 0; term < FORMULA_TERMS; term++)
        terms = output_json_append(terms, json_pack("{s:s, s:o}", "name", formula_term_name((enum formula_term)term),
                                                    "bytes", output_json_number(needs->formula.bytes[term])));
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "terms", terms, "occupancy",
                     output_json_number(needs->formula.occupancy), "compensation_bytes",
                     (json_int_t)needs->formula.compensation, "xon_bytes", (json_int_t)needs->formula.xon, "xoff_bytes",
                     (json_int_t)needs->formula.xoff, "size_bytes", (json_int_t)needs->formula.size);
}

static json_t *line_json(const struct sonic_model *model, const struct line *line)
{
    const struct sonic_group *group = line->group;
    double cable = model_cable(model, group->port);
    json_t *object = json_pack("{s:o, s:I, s:I, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "port",
                               output_json_string(group->port->name), "first_pg", (json_int_t)line->first, "last_pg",
                               (json_int_t)line->last, "speed_mbps", number_json(model_speed(model, group->port)),
                               "cable_m", cable >= 0 ? json_real(cable) : json_null(), "mtu",
                               (json_int_t)model_mtu(group->port), "lanes", (json_int_t)group->port->lanes, "profile",
                               output_json_string(source_text(group)), "size_bytes", number_json(group->size),
                               "xon_bytes", number_json(group->xon), "xoff_bytes", number_json(group->xoff));
    if (!line->is_known)
        return object;
    object = output_json_set(object, "sonic", terms_json(&line->needs));
    object = output_json_set(object, "equation_bytes", json_integer(line->needs.equation));
    object = output_json_set(object, "bound_bytes", json_integer(line->needs.bound));
    object =
        output_json_set(object, "spare_cells_sonic", number_json(spare_cells(model, group, line->needs.formula.xoff)));
    object =
        output_json_set(object, "spare_cells_equation", number_json(spare_cells(model, group, line->needs.equation)));
    return output_json_set(object, "spare_cells_bound", number_json(spare_cells(model, group, line->needs.bound)));
}

static int show_json(const struct sonic_model *model, const struct line *lines, uint32_t count)
{
    const struct sonic_pool *pool = find_shared(model);
    struct rules_shared shared;
    json_t *groups = json_array(), *of_pool = pool != NULL ? NULL : json_null();
    for (uint32_t i = 0; i < count; i++)
        groups = output_json_append(groups, line_json(model, &lines[i]));
    if (pool != NULL && rules_shared_headroom(model, pool, &shared))
        of_pool =
            json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "name", output_json_string(pool->entry.key), "xoff_bytes",
                      (json_int_t)model_headroom_pool(model, pool), "groups", (json_int_t)shared.groups, "needed_bytes",
                      (json_int_t)shared.sum, "largest_bytes", (json_int_t)shared.largest, "groups_of_pipe",
                      (json_int_t)shared.of_pipe, "groups_at_once", (json_int_t)shared.at_once);
    return output_json(json_pack("{s:o, s:I, s:s, s:I, s:I, s:o, s:o}", "platform",
                                 model->platform.name != NULL ? output_json_string(model->platform.name) : json_null(),
                                 "cell_bytes", (json_int_t)model->platform.cell, "model",
                                 model->is_dynamic ? "dynamic" : "traditional", "lossless_mtu",
                                 (json_int_t)model->lossless_mtu, "small_percent", (json_int_t)model->small_percent,
                                 "groups", groups, "shared_headroom_pool", of_pool));
}

int sonic_show_headroom(const struct sonic_model *model, bool json)
{
    uint32_t count;
    if (model->platform.cell == SONIC_ABSENT)
        return cli_error(CLI_INPUT, "headroom: the cell of the chip is not known (expected --platform or --cell)");
    if (model->groups.count == 0)
        return cli_error(CLI_INPUT, "headroom: no lossless group is known (expected pfc_enable in PORT_QOS_MAP, or "
                                    "lossless profiles in BUFFER_PG)");
    struct line *lines = find_lines(model, &count);
    if (lines == NULL)
        return cli_error_memory();
    int code = json ? show_json(model, lines, count) : show_text(model, lines, count);
    free(lines);
    return code;
}

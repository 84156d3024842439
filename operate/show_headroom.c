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
#include "show/writers/write.h"
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

static struct data_cell cell_known(int64_t value)
{
    return cell_if(value != SONIC_ABSENT, cell_integer(value));
}

/* Cells that a group has beyond what is needed; negative: they are missing. SONIC_ABSENT: not known. */
static int64_t spare_cells(const struct sonic_model *model, const struct sonic_group *group, int64_t needed)
{
    int64_t has = group->source == SONIC_FROM_NOWHERE ? 0 : group->xoff, cell = model->platform.cell;
    if (has == SONIC_ABSENT || has < 0 || has > INT64_MAX / 2)
        return SONIC_ABSENT;
    return (has + cell - 1) / cell - (needed + cell - 1) / cell;
}

/* "+12" or "-3". */
static struct data_cell cell_spare(int64_t cells, char text[32])
{
    snprintf(text, 32, "%+" PRId64, cells);
    return cell_if(cells != SONIC_ABSENT, cell_shown(cell_integer(cells), text));
}

/* Bytes by SONiC's formula, for files. */
static struct data_frame *formula_frame(const struct needs *needs)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", NULL, TEXT), DATA_COLUMN("bytes", NULL, NUMBER)};
    struct data_frame *terms = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    const struct formula_result *formula = &needs->formula;
    for (uint32_t term = 0; term < FORMULA_TERMS; term++)
        data_row(terms, cell_text(formula_term_name((enum formula_term)term)), cell_number(formula->bytes[term]));
    return data_object({"terms", cell_frame(terms)}, {"occupancy", cell_number(formula->occupancy)},
                       {"compensation_bytes", cell_integer(formula->compensation)},
                       {"xon_bytes", cell_integer(formula->xon)}, {"xoff_bytes", cell_integer(formula->xoff)},
                       {"size_bytes", cell_integer(formula->size)});
}

static struct data_frame *lines_frame(const struct sonic_model *model, const struct line *lines, uint32_t count)
{
    static const struct data_column columns[] = {DATA_COLUMN("port", "Port", TEXT, .width = 40),
                                                 DATA_COLUMN(NULL, "PG", WORD, .right = true),
                                                 DATA_COLUMN("first_pg", NULL, INTEGER),
                                                 DATA_COLUMN("last_pg", NULL, INTEGER),
                                                 DATA_COLUMN("speed_mbps", "Speed", INTEGER),
                                                 DATA_COLUMN("cable_m", "Cable", NUMBER),
                                                 DATA_COLUMN("mtu", "MTU", INTEGER),
                                                 DATA_COLUMN("lanes", NULL, INTEGER),
                                                 DATA_COLUMN("profile", "Profile", TEXT, .width = 48),
                                                 DATA_COLUMN("size_bytes", "size", INTEGER),
                                                 DATA_COLUMN("xon_bytes", "xon", INTEGER),
                                                 DATA_COLUMN("xoff_bytes", "xoff", INTEGER),
                                                 DATA_COLUMN(NULL, "SONiC", INTEGER),
                                                 DATA_COLUMN("equation_bytes", "Eq. 1", INTEGER),
                                                 DATA_COLUMN("bound_bytes", "bound", INTEGER),
                                                 DATA_COLUMN("spare_cells_sonic", "cells: SONiC", INTEGER),
                                                 DATA_COLUMN("spare_cells_equation", "Eq. 1", INTEGER),
                                                 DATA_COLUMN("spare_cells_bound", "bound", INTEGER),
                                                 DATA_COLUMN("sonic", NULL, NESTED)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (const struct line *line = lines; line < lines + count; line++) {
        const struct sonic_group *group = line->group;
        double cable = model_cable(model, group->port);
        char groups[32], metres[32], spare[3][32];
        snprintf(groups, sizeof groups, line->first == line->last ? "%u" : "%u-%u", line->first, line->last);
        snprintf(metres, sizeof metres, "%gm", cable);
        data_row(frame, cell_text(group->port->name), cell_text(groups), cell_integer(line->first),
                 cell_integer(line->last), cell_known(model_speed(model, group->port)),
                 cell_if(cable >= 0, cell_shown(cell_number(cable), metres)), cell_integer(model_mtu(group->port)),
                 cell_integer(group->port->lanes), cell_text(source_text(group)), cell_known(group->size),
                 cell_known(group->xon), cell_known(group->xoff));
        const int64_t needed[] = {line->is_known ? line->needs.formula.xoff : SONIC_ABSENT,
                                  line->is_known ? line->needs.equation : SONIC_ABSENT,
                                  line->is_known ? line->needs.bound : SONIC_ABSENT};
        for (uint32_t i = 0; i < 3; i++)
            data_row(frame, cell_known(needed[i]));
        for (uint32_t i = 0; i < 3; i++)
            data_row(frame, cell_spare(line->is_known ? spare_cells(model, group, needed[i]) : SONIC_ABSENT, spare[i]));
        data_row(frame, line->is_known ? cell_frame(formula_frame(&line->needs)) : cell_none());
    }
    return frame;
}

static void term_row(struct data_frame *frame, const char *name, double bytes, const char *what)
{
    data_row(frame, cell_text(name), cell_number(bytes), cell_text(what));
}

static struct data_frame *terms_frame(const struct sonic_model *model, const struct needs *needs)
{
    static const struct data_column columns[] = {DATA_COLUMN("term", "term", TEXT),
                                                 DATA_COLUMN("bytes", "bytes", NUMBER, .digits = 1),
                                                 DATA_COLUMN("cause", "because", TEXT)};
    static const char *const causes[FORMULA_TERMS] = {
        [FORMULA_PORT_MTU] = "the peer has just begun a packet",
        [FORMULA_CABLE] = "the PAUSE crosses the link, and what is on it arrives",
        [FORMULA_GEARBOX] = "gearbox_delay of the platform, twice",
        [FORMULA_MAC_PHY] = "mac_phy_delay of the platform",
        [FORMULA_PEER] = "quanta of IEEE 802.3, 31B.3.7, for the speed",
        [FORMULA_TILES] = "tile_delay of the platform",
    };
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    const struct formula_result *result = &needs->formula;
    double sum = 0;
    char what[96];
    for (uint32_t term = 0; term < FORMULA_TERMS; term++) {
        sum += result->bytes[term];
        term_row(frame, formula_term_name((enum formula_term)term), result->bytes[term],
                 (term == FORMULA_MAC_PHY && model->platform.mac_phy_delay == SONIC_ABSENT) ||
                         (term == FORMULA_GEARBOX && model->platform.gearbox_delay == SONIC_ABSENT) ||
                         (term == FORMULA_TILES && model->platform.tile_delay == SONIC_ABSENT)
                     ? "not known of the platform, counted as none"
                     : causes[term]);
    }
    snprintf(what, sizeof what, "x %.4g: %.4g %% of the bytes are small packets", result->occupancy,
             result->small_share);
    term_row(frame, "cells filled in part", sum * result->occupancy - sum, what);
    term_row(frame, "lossless MTU", (double)needs->link.lossless_mtu, "a packet that triggers the PAUSE");
    term_row(frame, "rounding to KiB",
             (double)(result->xoff - result->compensation) - sum * result->occupancy - (double)needs->link.lossless_mtu,
             "up to whole KiB");
    if (result->compensation > 0)
        term_row(frame, "compensation", (double)result->compensation, "for reduced small packets, or of the platform");
    term_row(frame, "= xoff", (double)result->xoff, "SONiC's formula");
    return frame;
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
    struct data_frame *theirs, *ours;
};

/* Every kind of link, once: how many. */
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
                                           .theirs = terms_frame(model, &lines[i].needs),
                                           .ours = headroom_sums_frame(&lines[i].needs.plan)};
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
    write_text(kind->theirs);
    putchar('\n');
    write_text(kind->ours);
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

static void put_page(const struct sonic_model *model, const struct data_frame *groups)
{
    char cell[64];
    cli_print("platform %s: cell %s; %s model; lossless MTU %" PRId64 ", %" PRId64 " %% small packets; formula of %s",
              model->platform.name != NULL ? model->platform.name : "unknown",
              platform_text(&model->platform, "cell_size", cell), model->is_dynamic ? "dynamic" : "traditional",
              model->lossless_mtu, model->small_percent, formula_years[model->given.formula]);
    cli_print("xoff of each lossless group, in bytes, beside what its link needs, and the cells that are spare (+) or "
              "missing (-)");
    putchar('\n');
    write_text(groups);
}

/* Everything is made before the first line is printed. */
static int show(const struct sonic_model *model, const struct line *lines, uint32_t count, bool json)
{
    const struct sonic_pool *pool = find_shared(model);
    struct rules_shared shared;
    struct kind *kinds = calloc(count + 1, sizeof *kinds);
    if (kinds == NULL || (pool != NULL && !rules_shared_headroom(model, pool, &shared))) {
        free(kinds);
        return cli_error_memory();
    }
    struct data_frame *groups = lines_frame(model, lines, count), *of_kinds = data_frame_new_list();
    uint32_t found = find_kinds(model, lines, count, kinds);
    for (uint32_t i = 0; i < found; i++)
        data_row(of_kinds, cell_frame(kinds[i].theirs), cell_frame(kinds[i].ours));
    struct data_frame *root = data_object(
        {"platform", cell_text(model->platform.name)}, {"cell_bytes", cell_integer(model->platform.cell)},
        {"model", cell_text(model->is_dynamic ? "dynamic" : "traditional")},
        {"lossless_mtu", cell_integer(model->lossless_mtu)}, {"small_percent", cell_integer(model->small_percent)},
        {"groups", cell_frame(groups)}, {NULL, cell_frame(of_kinds)});
    data_frame_set(
        root, "shared_headroom_pool",
        pool == NULL
            ? cell_none()
            : cell_frame(data_object(
                  {"name", cell_text(pool->entry.key)}, {"xoff_bytes", cell_integer(model_headroom_pool(model, pool))},
                  {"groups", cell_integer(shared.groups)}, {"needed_bytes", cell_integer(shared.sum)},
                  {"largest_bytes", cell_integer(shared.largest)}, {"groups_of_pipe", cell_integer(shared.of_pipe)},
                  {"groups_at_once", cell_integer(shared.at_once)})));
    int code = data_frame_check(root);
    if (code == CLI_OK && !json) {
        put_page(model, groups);
        put_missing(model, lines, count);
        if (pool != NULL)
            put_shared(model, pool, &shared);
        for (uint32_t i = 0; i < found; i++)
            put_kind(&kinds[i]);
    }
    free(kinds);
    if (code == CLI_OK && json)
        return write_result(root, true);
    data_frame_free(root);
    return code;
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
    int code = show(model, lines, count, json);
    free(lines);
    return code;
}

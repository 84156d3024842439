/*
 * rules_groups.c - rules about lossless priority groups: that each has headroom, and enough of it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/lint/rules.h"

#define ALPHA_GREEDY 4 /* one group may have 94 % of the pool */
#define ALPHA_MAX 7
#define MTU_MIN 68
#define MTU_MAX 9216
#define NEEDS_LINK "speed, cable and cell (PORT or --rate, CABLE_LENGTH or --cable, --platform or --cell)"

/* The entry that is to blame for a group: its own, or that of the port. */
static const struct sonic_entry *group_entry(const struct lint *lint, const struct sonic_group *group)
{
    const struct sonic_qos *qos = model_qos(lint->model, group->port->name);
    return group->use != NULL ? &group->use->entry : qos != NULL ? &qos->entry : &group->port->entry;
}

/* Whether the traditional model makes the profile at run time. */
static bool is_made(const struct lint *lint, const struct sonic_group *group)
{
    return !lint->model->is_dynamic && group->profile == NULL &&
           (group->use == NULL || sonic_is_null(&group->use->profile));
}

/* Of the groups that have this profile or row: the one that misses most, and by how much. Ports whose link the profile
 * is not for are another rule's. */
struct shortage {
    const struct sonic_group *group; /* null: none misses any */
    struct formula_link link;
    int64_t xoff; /* that it needs */
    uint32_t ports;
};

static struct shortage find_shortage(struct lint *lint, const void *profile_or_row)
{
    struct shortage worst = {.group = NULL};
    const struct sonic_model *model = lint->model;
    const struct sonic_group *groups = MODEL_GROUPS(model);
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        struct formula_link link;
        if ((group->profile != profile_or_row && group->row != profile_or_row) ||
            model_is_of_other_link(lint->model, group))
            continue;
        if (!model_link(model, group->port, &link)) {
            lint_skip(lint, NEEDS_LINK);
            continue;
        }
        int64_t xoff = formula_headroom(&model->platform, &link, (enum sonic_formula)model->given.formula).xoff;
        if (group->xoff != SONIC_ABSENT && xoff <= group->xoff)
            continue;
        worst.ports += i == 0 || groups[i - 1].port != group->port || worst.ports == 0;
        if (worst.group == NULL || xoff > worst.xoff) {
            worst.group = group;
            worst.link = link;
            worst.xoff = xoff;
        }
    }
    return worst;
}

/* Gives a lossless profile this xoff; without a shared headroom pool its size includes it. */
static void mend_xoff(struct lint *lint, const struct sonic_profile *profile, int64_t xoff)
{
    int64_t old = profile->xoff != SONIC_ABSENT ? profile->xoff : 0,
            xon = profile->xon != SONIC_ABSENT ? profile->xon : 0;
    xoff = lint_round_up(lint, xoff);
    lint_mend_number(lint, &profile->entry, "xoff", xoff);
    if (model_is_shared(lint->model, sonic_find_pool(lint->model->config, profile->pool.name)) ||
        profile->size == SONIC_ABSENT)
        return;
    bool is_included = old > 0 && profile->size >= old;
    lint_mend_number(lint, &profile->entry, "size",
                     lint_round_up(lint, is_included ? profile->size + xoff - old : xon + xoff));
}

/* Whether a profile that groups are lossless by has no headroom: its name says what it is for, and xoff is missing. */
static bool is_bare(const struct sonic_profile *profile)
{
    return profile != NULL && model_is_lossless(profile) && profile->headroom != SONIC_HEADROOM_COMPUTED &&
           (profile->xoff == 0 || json_object_get(profile->entry.fields, "xoff") == NULL);
}

/* Lossless profiles without headroom, once each: `which` is one of its groups. */
static void report_bare(struct lint *lint, uint32_t which)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model), *group = &groups[which];
    for (uint32_t i = 0; i < which; i++)
        if (groups[i].profile == group->profile && (groups[i].is_paused || !lint->model->has_qos))
            return;
    lint_report(lint, &group->profile->entry, group->profile->xoff == 0 ? "xoff" : NULL,
                "the profile is of lossless groups (%.80s), but has %s xoff: no headroom", group->use->entry.key,
                group->profile->xoff == 0 ? "0 B of" : "no");
    struct shortage worst = find_shortage(lint, group->profile);
    const struct sonic_row *row =
        worst.group != NULL ? model_row(lint->model, worst.link.speed_mbps, worst.link.cable_m) : NULL;
    if (worst.group != NULL)
        mend_xoff(lint, group->profile, row != NULL && row->xoff > worst.xoff ? row->xoff : worst.xoff);
    else
        lint_advise(lint, "give it the xoff of the vendor's table for the link");
}

void rule_pfc(struct lint *lint)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    if (!lint->model->has_qos)
        lint_skip(lint, RULES_NEEDS_QOS);
    for (uint32_t i = 0; i < lint->model->groups.count; i++)
        if ((groups[i].is_paused || !lint->model->has_qos) && is_bare(groups[i].profile))
            report_bare(lint, i);
    for (uint32_t i = 0; i < lint->model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        if (group->is_paused && group->source == SONIC_FROM_UNKNOWN && is_made(lint, group))
            lint_skip(lint, model_missing(lint->model, group));
        if (!group->is_paused || group->source != SONIC_FROM_NOWHERE || is_made(lint, group) ||
            (group->profile != NULL && model_is_lossless(group->profile)) || group->port->status == SONIC_DOWN ||
            (group->profile == NULL && model_cable(lint->model, group->port) == 0))
            continue;
        char key[160];
        snprintf(key, sizeof key, "%.120s|%u", group->port->name, group->number);
        if (group->profile != NULL) {
            lint_report(lint, group_entry(lint, group), "profile",
                        "PFC pauses priority %u, but its group has the lossy profile %.80s, which has no xoff",
                        group->number, group->profile->entry.key);
            if (group->use->of.count == 1 && group->use->of.first == group->use->of.last && lint->model->is_dynamic)
                lint_mend_text(lint, &group->use->entry, "profile", "NULL");
            else
                lint_advise(lint, "give group %u an entry of its own with a lossless profile", group->number);
        } else if (group->use == NULL) {
            lint_report(lint, group_entry(lint, group), "pfc_enable",
                        "PFC pauses priority %u, but BUFFER_PG has no group %u of the port", group->number,
                        group->number);
            lint_mend_entry(lint, SONIC_BUFFER_PG, key, "profile", "NULL");
        } /* else a profile that nothing has: missing-reference */
    }
}

/* "100000 50m": the row that is missing, computed where the cell is known. */
static void advise_row(struct lint *lint, const struct sonic_port *port)
{
    struct formula_link link;
    if (!model_link(lint->model, port, &link)) {
        lint_advise(lint, "add a row for %" PRId64 " Mb/s and %gm to the table", model_speed(lint->model, port),
                    model_cable(lint->model, port));
        return;
    }
    struct formula_result result =
        formula_headroom(&lint->model->platform, &link, (enum sonic_formula)lint->model->given.formula);
    const struct sonic_row *like = lint->model->config->rows.at;
    lint_advise(lint,
                "add the vendor's row for %" PRId64 " %gm to %.80s; by SONiC's formula its xoff is %" PRId64
                ", threshold %" PRId64,
                link.speed_mbps, link.cable_m, lint->model->config->lookup, lint_round_up(lint, result.xoff),
                like != NULL ? like->dynamic_th : 0);
}

/* A link that the table has no row for, and the ports that have it. */
struct missing_row {
    const struct sonic_port *port; /* the first */
    int64_t speed_mbps;
    double cable_m;
    uint32_t ports;
};
#define MISSING_MAX 16u

static bool has_speed(const struct sonic_config *config, int64_t speed_mbps)
{
    const struct sonic_row *rows = config->rows.at;
    for (uint32_t i = 0; i < config->rows.count; i++)
        if (rows[i].speed_mbps == speed_mbps)
            return true;
    return false;
}

/* A speed that the table does not have is one that the vendor does not make lossless, if other ports are. */
static void report_missing(struct lint *lint, const struct missing_row *missing, bool any_found)
{
    const struct sonic_config *config = lint->model->config;
    char ports[32] = "";
    if (missing->ports > 1)
        snprintf(ports, sizeof ports, "%u ports: ", missing->ports);
    struct lint_finding *finding =
        lint_report(lint, &missing->port->entry, missing->port->entry.fields != NULL ? "speed" : NULL,
                    "%s%.80s has no row for %" PRId64 " Mb/s and %g m", ports, config->lookup, missing->speed_mbps,
                    missing->cable_m);
    if (finding != NULL && !has_speed(config, missing->speed_mbps))
        finding->severity = any_found ? LINT_NOTE : LINT_WARNING;
    advise_row(lint, missing->port);
}

void rule_lookup(struct lint *lint)
{
    const struct sonic_model *model = lint->model;
    const struct sonic_group *groups = MODEL_GROUPS(model);
    const struct sonic_port *before = NULL;
    struct missing_row missing[MISSING_MAX];
    uint32_t count = 0;
    bool any_found = false;
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_port *port = groups[i].port;
        double cable = model_cable(model, port);
        int64_t speed = model_speed(model, port);
        any_found |= groups[i].row != NULL;
        if (port == before || !groups[i].is_paused || !is_made(lint, &groups[i]) || cable == 0 ||
            port->status == SONIC_DOWN)
            continue;
        before = port;
        if (!model->config->has_lookup || cable < 0) {
            lint_skip(lint, model_missing(model, &groups[i]));
        } else if (speed == SONIC_ABSENT) {
            lint_skip(lint, "speeds of ports (PORT, or --rate)");
        } else if (model_row(model, speed, cable) == NULL) {
            uint32_t m = 0;
            while (m < count && (missing[m].speed_mbps != speed || fabs(missing[m].cable_m - cable) > 0))
                m++;
            if (m == count && count < MISSING_MAX)
                missing[count++] = (struct missing_row){port, speed, cable, 0};
            if (m < MISSING_MAX)
                missing[m].ports++;
        }
    }
    for (uint32_t m = 0; m < count; m++)
        report_missing(lint, &missing[m], any_found);
}

void rule_lookup_twice(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_row *rows = config->rows.at;
    for (uint32_t i = 0; i < config->rows.count; i++) {
        const struct sonic_row *last = model_row(lint->model, rows[i].speed_mbps, rows[i].cable_m);
        if (last == &rows[i])
            continue;
        struct lint_finding *finding =
            lint_report(lint, NULL, NULL,
                        "the row for %" PRId64 " Mb/s and %g m, with xoff %" PRId64
                        ", is not used: line %u has another, with xoff %" PRId64,
                        rows[i].speed_mbps, rows[i].cable_m, rows[i].xoff, last->line, last->xoff);
        if (finding == NULL)
            return;
        finding->table = "pg_profile_lookup.ini";
        finding->place = (struct sonic_place){.file = rows[i].file, .line = rows[i].line, .column = 1};
        lint_advise(lint, "keep the row that is meant");
    }
}

void rule_cable(struct lint *lint)
{
    const struct sonic_model *model = lint->model;
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT); i++)
        zeros += model_cable(model, SONIC_AT(model->config, sonic_port, SONIC_PORT, i)) == 0;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(model->config, sonic_port, SONIC_PORT, i);
        const struct sonic_qos *qos = model_qos(model, port->name);
        double cable = model_cable(model, port);
        if (qos == NULL || qos->pfc_mask == 0 || cable > 0 || port->status == SONIC_DOWN)
            continue;
        if (cable == 0 && port->cable != NULL) {
            struct lint_finding *finding =
                lint_report(lint, &port->cable->entry, port->name,
                            "the cable has 0 m, so the port gets no lossless profile, but PFC pauses its priorities");
            if (finding != NULL && 2 * zeros > SONIC_COUNT(model->config, SONIC_PORT))
                finding->severity = LINT_NOTE; /* a habit of templates, whose ports are not connected yet */
        } else if (rules_has_cables(model->config))
            lint_report(lint, &qos->entry, "pfc_enable",
                        "PFC pauses priorities of the port, but CABLE_LENGTH does not have it");
        else
            lint_skip(lint, "CABLE_LENGTH: lengths of cables (--cable)");
        if (rules_has_cables(model->config))
            lint_advise(lint, "write the length of the cable, or take pfc_enable from the port");
    }
}

bool rules_has_cables(const struct sonic_config *config)
{
    return SONIC_COUNT(config, SONIC_CABLE_LENGTH) > 0;
}

void rule_other_link(struct lint *lint)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    const struct sonic_use *before = NULL;
    for (uint32_t i = 0; i < lint->model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        int64_t speed, wanted = model_speed(lint->model, group->port);
        double cable, wanted_m = model_cable(lint->model, group->port);
        char name[96];
        if (group->profile == NULL || !model_read_profile_name(group->profile->entry.key, &speed, &cable))
            continue;
        if (wanted == SONIC_ABSENT || wanted_m < 0)
            lint_skip(lint, "speeds and cables of ports (PORT or --rate, CABLE_LENGTH or --cable)");
        if (group->use == before || !model_is_of_other_link(lint->model, group))
            continue;
        before = group->use;
        lint_report(lint, &group->use->entry, "profile",
                    "%.80s is for %" PRId64 " Mb/s and %g m, the port has %" PRId64 " Mb/s and %g m",
                    group->profile->entry.key, speed, cable, wanted != SONIC_ABSENT ? wanted : speed,
                    wanted_m >= 0 ? wanted_m : cable);
        snprintf(name, sizeof name, "pg_lossless_%" PRId64 "_%gm_profile", wanted != SONIC_ABSENT ? wanted : speed,
                 wanted_m >= 0 ? wanted_m : cable);
        if (sonic_find_profile(lint->model->config, name) != NULL)
            lint_mend_text(lint, &group->use->entry, "profile", name);
        else if (lint->model->is_dynamic)
            lint_mend_text(lint, &group->use->entry, "profile", "NULL");
        else
            lint_advise(lint, "give the group a profile %s", name);
    }
}

static struct lint_finding *report_shortage(struct lint *lint, const struct sonic_entry *entry,
                                            const struct shortage *worst)
{
    int64_t missing = worst->xoff - worst->group->xoff;
    const struct sonic_model *model = lint->model;
    struct formula_result needs =
        formula_headroom(&model->platform, &worst->link, (enum sonic_formula)model->given.formula);
    double cable = needs.bytes[FORMULA_CABLE];
    double flight = cable + needs.bytes[FORMULA_PORT_MTU] + needs.bytes[FORMULA_PEER];
    struct lint_finding *finding =
        lint_report(lint, entry, "xoff",
                    "%" PRId64 " B are %" PRId64 " B (%" PRId64 " cells) less than the %" PRId64 " B of %" PRId64
                    " Mb/s, %g m, MTU %" PRId64 ", %" PRId64 " %% small packets: %.80s%s",
                    worst->group->xoff, missing, lint_cells(lint, missing), worst->xoff, worst->link.speed_mbps,
                    worst->link.cable_m, worst->link.port_mtu, worst->link.small_percent, worst->group->port->name,
                    worst->ports > 1 ? " and others" : "");
    /* Lost for sure, lost by peers as slow as they may be, or less than an estimate. */
    if (finding != NULL)
        finding->severity = (double)worst->group->xoff < cable    ? LINT_ERROR
                            : (double)worst->group->xoff < flight ? LINT_WARNING
                                                                  : LINT_NOTE;
    return finding;
}

void rule_short_headroom(struct lint *lint)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    for (uint32_t i = 0; i < lint->model->groups.count; i++)
        if (groups[i].source == SONIC_FROM_UNKNOWN)
            lint_skip(lint, model_missing(lint->model, &groups[i]));
    const struct sonic_config *config = lint->model->config;
    const struct sonic_row *rows = config->rows.at;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        struct shortage worst = {.group = NULL};
        if (profile->xoff != SONIC_ABSENT && profile->xoff > 0)
            worst = find_shortage(lint, profile);
        if (worst.group == NULL)
            continue;
        report_shortage(lint, &profile->entry, &worst);
        mend_xoff(lint, profile, worst.xoff);
    }
    for (uint32_t i = 0; i < config->rows.count; i++) {
        struct shortage worst = find_shortage(lint, &rows[i]);
        struct lint_finding *finding = worst.group != NULL ? report_shortage(lint, NULL, &worst) : NULL;
        if (finding == NULL)
            continue;
        finding->table = "pg_profile_lookup.ini";
        finding->place = (struct sonic_place){.file = rows[i].file, .line = rows[i].line, .column = 1};
        lint_advise(lint, "raise xoff of the row to %" PRId64, lint_round_up(lint, worst.xoff));
    }
}

void rule_reserved(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct sonic_pool *pool = sonic_find_pool(config, profile->pool.name);
        if (pool == NULL || profile->xoff == SONIC_ABSENT || profile->size == SONIC_ABSENT ||
            profile->size >= profile->xoff || model_is_shared(lint->model, pool))
            continue;
        lint_report(lint, &profile->entry, "size",
                    "%" PRId64 " B reserve less than the xoff of %" PRId64 " B, and %.80s has no shared headroom pool",
                    profile->size, profile->xoff, pool->entry.key);
        lint_mend_number(lint, &profile->entry, "size",
                         lint_round_up(lint, profile->xoff + (profile->xon != SONIC_ABSENT ? profile->xon : 0)));
    }
    const struct sonic_row *before = NULL;
    for (uint32_t i = 0; i < lint->model->groups.count; i++) {
        const struct sonic_group *group = &MODEL_GROUPS(lint->model)[i];
        if (group->row == NULL || group->row == before || group->row->size >= group->row->xoff ||
            model_is_shared(lint->model, group->pool))
            continue;
        before = group->row;
        struct lint_finding *finding = lint_report(lint, NULL, "size",
                                                   "%" PRId64 " B reserve less than the xoff of %" PRId64
                                                   " B, and no ingress pool has an xoff to share",
                                                   before->size, before->xoff);
        if (finding == NULL)
            return;
        finding->table = "pg_profile_lookup.ini";
        finding->place = (struct sonic_place){.file = before->file, .line = before->line, .column = 1};
        lint_advise(lint, "give the pool an xoff, as the vendor has it, or the row a size of xoff and xon");
        return;
    }
}

void rule_xon(struct lint *lint)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct sonic_group *group = NULL;
        for (uint32_t g = 0; g < lint->model->groups.count && group == NULL; g++)
            group = groups[g].profile == profile ? &groups[g] : NULL;
        int64_t point = group != NULL ? model_pause_point(lint->model, group) : SONIC_ABSENT;
        if (point == SONIC_ABSENT || profile->xon == SONIC_ABSENT || profile->xon < point)
            continue;
        lint_report(lint, &profile->entry, "xon",
                    "%" PRId64 " B are not below %" PRId64 " B, where group %u of %.80s pauses even alone",
                    profile->xon, point, group->number, group->port->name);
        lint_advise(lint, "lower xon: a few packets are usual");
    }
}

/* Bytes of headroom that a port takes: of the shared pool what its groups do not own, else all. */
static int64_t port_headroom(const struct lint *lint, uint32_t first, bool is_shared, uint32_t *count)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    int64_t sum = 0;
    *count = 0;
    for (uint32_t i = first; i < lint->model->groups.count && groups[i].port == groups[first].port; i++) {
        const struct sonic_group *group = &groups[i];
        int64_t own = group->size != SONIC_ABSENT ? group->size : 0, xon = group->xon != SONIC_ABSENT ? group->xon : 0;
        (*count)++;
        if (group->xoff != SONIC_ABSENT && group->xoff < INT64_MAX / 64 && own < INT64_MAX / 64 && xon < INT64_MAX / 64)
            sum += is_shared ? xon + group->xoff - own : own;
    }
    return sum;
}

void rule_port_cap(struct lint *lint)
{
    const struct sonic_model *model = lint->model;
    const struct platform *platform = &model->platform;
    const struct sonic_group *groups = MODEL_GROUPS(model);
    bool is_shared = model_is_shared(model, model_lossless_pool(model, SONIC_INGRESS));
    uint32_t count;
    if (model->groups.count == 0)
        return;
    if (is_shared ? platform->port_max_shp == SONIC_ABSENT || platform->cell == SONIC_ABSENT
                  : platform->max_headroom == SONIC_ABSENT)
        return; /* not known to be limited */
    for (uint32_t i = 0; i < model->groups.count; i += count) {
        const struct sonic_group *group = &groups[i];
        int64_t sum = port_headroom(lint, i, is_shared, &count);
        int64_t own = platform->port_reserved_shp != SONIC_ABSENT ? platform->port_reserved_shp : 0;
        int64_t limit = is_shared ? (platform->port_max_shp + own * (group->port->lanes == 8 ? 2 : 1)) * platform->cell
                                  : platform->max_headroom;
        if (sum <= limit)
            continue;
        lint_report(lint, group_entry(lint, group), NULL,
                    "the headroom of its %u lossless groups is %" PRId64 " B, %" PRId64
                    " B more than a port may have, %" PRId64 " B",
                    count, sum, sum - limit, limit);
        lint_advise(lint, "a shorter cable, fewer lossless priorities, or a lower percentage of small packets");
    }
}

void rule_templates(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    if (!lint->model->is_dynamic || SONIC_COUNT(config, SONIC_BUFFER_PG) == 0 || lint->model->groups.count > 0)
        return;
    lint_report(lint, &SONIC_AT(config, sonic_use, SONIC_BUFFER_PG, 0)->entry, NULL,
                "BUFFER_PG has %u entries, and none is a lossless group", SONIC_COUNT(config, SONIC_BUFFER_PG));
    lint_advise(lint, "add PORT|3-4 with profile NULL for each port that is to be lossless");
}

void rule_unpaused(struct lint *lint)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    const struct sonic_use *before = NULL;
    if (!lint->model->has_qos)
        return;
    for (uint32_t i = 0; i < lint->model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        if (group->is_paused || group->use == before || group->port->status == SONIC_DOWN)
            continue;
        before = group->use;
        if (model_pfc_mask(lint->model, group->port->name) >> group->number & 1) {
            lint_report(lint, &group->use->entry, "profile",
                        "group %u has headroom, but pfc_to_pg_map of the port has another group for priority %u",
                        group->number, group->number);
            lint_advise(lint, "map priority %u to group %u, or give the group a lossy profile", group->number,
                        group->number);
            continue;
        }
        lint_report(lint, &group->use->entry, "profile", "group %u has headroom, but pfc_enable of the port has no %u",
                    group->number, group->number);
        lint_advise(lint, "add the priority to pfc_enable, or give the group a lossy profile");
    }
}

void rule_greedy(struct lint *lint)
{
    const struct sonic_group *groups = MODEL_GROUPS(lint->model);
    const void *before = NULL;
    for (uint32_t i = 0; i < lint->model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        const void *of = group->profile != NULL ? (const void *)group->profile : (const void *)group->row;
        if (of == NULL || of == before || !group->is_paused || group->dynamic_th == SONIC_ABSENT ||
            group->dynamic_th < ALPHA_GREEDY || group->dynamic_th > ALPHA_MAX)
            continue;
        bool seen = false;
        for (uint32_t other = 0; other < i && !seen; other += 1 + i / 1024) /* of many, some */
            seen = groups[other].profile == group->profile && groups[other].row == group->row;
        before = of;
        if (seen)
            continue;
        struct lint_finding *finding =
            lint_report(lint, group->profile != NULL ? &group->profile->entry : NULL,
                        group->profile != NULL ? "dynamic_th" : "threshold",
                        "alpha of 2^%" PRId64 " lets one lossless group have %.0f %% of the pool before it pauses",
                        group->dynamic_th, 100 - 100 / (1 + ldexp(1, (int)group->dynamic_th)));
        if (finding != NULL && group->profile == NULL) {
            finding->table = "pg_profile_lookup.ini";
            finding->place = (struct sonic_place){.file = group->row->file, .line = group->row->line, .column = 1};
        }
        lint_advise(lint, "vendors have -3 to 1: others are starved, and pause or drop at once");
    }
}

void rule_mtu(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    int64_t usual = SONIC_ABSENT;
    uint32_t votes = 0;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT); i++) { /* what most ports have */
        int64_t mtu = model_mtu(SONIC_AT(config, sonic_port, SONIC_PORT, i));
        if (votes == 0)
            usual = mtu;
        votes += mtu == usual ? 1u : UINT32_MAX;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(config, sonic_port, SONIC_PORT, i);
        if (port->mtu == SONIC_ABSENT || port->status == SONIC_DOWN)
            continue;
        if (port->mtu < MTU_MIN || port->mtu > MTU_MAX) {
            lint_report(lint, &port->entry, "mtu", "%" PRId64 " is not within %d and %d", port->mtu, MTU_MIN, MTU_MAX);
            lint_mend_number(lint, &port->entry, "mtu",
                             usual >= MTU_MIN && usual <= MTU_MAX ? usual : SONIC_MTU_DEFAULT);
        } else if (port->mtu != usual) {
            struct lint_finding *finding =
                lint_report(lint, &port->entry, "mtu",
                            "%" PRId64 " B, where most ports have %" PRId64 " B: longer packets of peers are dropped, "
                            "or fill headroom that was computed for shorter ones",
                            port->mtu, usual);
            if (finding != NULL)
                finding->severity = LINT_WARNING;
            lint_advise(lint, "set it to that of the other end of the cable");
        }
    }
}

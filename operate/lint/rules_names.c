/*
 * rules_names.c - rules about what a configuration says at all: values that cannot be read, names that nothing has,
 * thresholds out of range.
 */
#include <inttypes.h>
#include <string.h>

#include "operate/lint/rules.h"
#include "weir/params.h"

#define ALPHA_MIN (-8)
#define ALPHA_MAX 7
#define NAMES_MAX 1024u

static void report_problems(struct lint *lint, enum sonic_problem_kind kind)
{
    const struct sonic_problem *problems = lint->model->config->problems.at;
    for (uint32_t i = 0; i < lint->model->config->problems.count; i++) {
        const struct sonic_problem *problem = &problems[i];
        if (problem->kind != kind)
            continue;
        struct lint_finding *finding = lint_report(lint, NULL, problem->field, "%s", problem->text);
        if (finding == NULL)
            return;
        finding->place = problem->place;
        finding->table = problem->table;
        finding->key = problem->key;
    }
}

void rule_unreadable(struct lint *lint)
{
    report_problems(lint, SONIC_UNREADABLE);
}

void rule_unknown_field(struct lint *lint)
{
    report_problems(lint, SONIC_UNKNOWN);
}

void rule_unread_table(struct lint *lint)
{
    report_problems(lint, SONIC_UNREAD);
}

/* Names with other numbers are names of other things, such as profiles of other links: not misspelt. */
static bool has_same_numbers(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;;) {
        a += strcspn(a, digits);
        b += strcspn(b, digits);
        size_t length = strspn(a, digits);
        if (length != strspn(b, digits) || strncmp(a, b, length) != 0)
            return false;
        if (length == 0)
            return true;
        a += length;
        b += length;
    }
}

/* A field that names something. */
static void check_name(struct lint *lint, const struct sonic_entry *entry, const char *field, enum sonic_table_id table,
                       const struct sonic_name *name)
{
    if (name->name == NULL || sonic_find(lint->model->config, table, name->name) != NULL ||
        (table == SONIC_BUFFER_PROFILE && sonic_is_null(name)))
        return;
    lint_report(lint, entry, field, "%s has no '%.80s'", sonic_table_name(table), name->name);
    const char *names[NAMES_MAX];
    size_t count = 0;
    const struct sonic_config *config = lint->model->config;
    if (table == SONIC_BUFFER_POOL)
        for (; count < SONIC_COUNT(config, table) && count < NAMES_MAX; count++)
            names[count] = SONIC_AT(config, sonic_pool, SONIC_BUFFER_POOL, count)->entry.key;
    else if (table == SONIC_BUFFER_PROFILE)
        for (; count < SONIC_COUNT(config, table) && count < NAMES_MAX; count++)
            names[count] = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, count)->entry.key;
    const char *near = count > 0 && name->name[0] != '\0' ? weir_nearest_name(name->name, names, count) : NULL;
    if (near != NULL && has_same_numbers(near, name->name))
        lint_mend_text(lint, entry, field, near);
    else
        lint_advise(lint, "add it to %s, or name another", sonic_table_name(table));
}

/* Ports of a key, where PORT says which there are. */
static void check_ports(struct lint *lint, const struct sonic_entry *entry, const struct sonic_key *key)
{
    for (uint32_t i = 0; i < key->count && !key->is_remote; i++)
        if (strcmp(key->ports[i], "global") != 0 && strcmp(key->ports[i], "GLOBAL") != 0 &&
            strncmp(key->ports[i], "CPU", 3) != 0 && sonic_find_port(lint->model->config, key->ports[i]) == NULL) {
            lint_report(lint, entry, NULL, "PORT has no '%.80s'", key->ports[i]);
            lint_advise(lint, "remove the entry, or add the port");
        }
}

static void check_uses(struct lint *lint, enum sonic_table_id table)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, table); i++) {
        const struct sonic_use *use = SONIC_AT(lint->model->config, sonic_use, table, i);
        check_ports(lint, &use->entry, &use->of);
        if (table == SONIC_QUEUE) {
            check_name(lint, &use->entry, "wred_profile", SONIC_WRED_PROFILE, &use->profile);
            check_name(lint, &use->entry, "scheduler", SONIC_SCHEDULER, &use->scheduler);
            continue;
        }
        check_name(lint, &use->entry, "profile", SONIC_BUFFER_PROFILE, &use->profile);
        for (uint32_t p = 0; p < use->profile_count; p++)
            if (sonic_find_profile(lint->model->config, use->profiles[p].name) == NULL) {
                lint_report(lint, &use->entry, "profile_list", "BUFFER_PROFILE has no '%.80s'", use->profiles[p].name);
                lint_advise(lint, "add it to BUFFER_PROFILE, or take it from the list");
            }
    }
}

void rule_references(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        check_name(lint, &profile->entry, "pool", SONIC_BUFFER_POOL, &profile->pool);
        if (profile->pool.name == NULL) {
            lint_report(lint, &profile->entry, NULL, "the profile has no pool");
            lint_advise(lint, "name a pool");
        }
    }
    check_uses(lint, SONIC_BUFFER_PG);
    check_uses(lint, SONIC_BUFFER_QUEUE);
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_LLR_PORT); i++) {
        const struct sonic_llr_port *retry = SONIC_AT(config, sonic_llr_port, SONIC_LLR_PORT, i);
        check_ports(lint, &retry->entry, &retry->of);
        if (retry->profile.name != NULL && strncmp(retry->profile.name, "llr_", 4) != 0) /* llr_profile_lookup.ini */
            check_name(lint, &retry->entry, "llr_profile", SONIC_LLR_PROFILE, &retry->profile);
    }
    check_uses(lint, SONIC_PORT_INGRESS_LIST);
    check_uses(lint, SONIC_PORT_EGRESS_LIST);
    check_uses(lint, SONIC_QUEUE);
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        const struct sonic_qos *qos = SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i);
        check_ports(lint, &qos->entry, &qos->of);
        check_name(lint, &qos->entry, "dscp_to_tc_map", SONIC_DSCP_TO_TC_MAP, &qos->dscp_map);
        check_name(lint, &qos->entry, "dot1p_to_tc_map", SONIC_DOT1P_TO_TC_MAP, &qos->dot1p_map);
        check_name(lint, &qos->entry, "tc_to_pg_map", SONIC_TC_TO_PG_MAP, &qos->pg_map);
        check_name(lint, &qos->entry, "tc_to_queue_map", SONIC_TC_TO_QUEUE_MAP, &qos->queue_map);
        check_name(lint, &qos->entry, "pfc_to_queue_map", SONIC_PFC_TO_QUEUE_MAP, &qos->pfc_queue_map);
        check_name(lint, &qos->entry, "pfc_to_pg_map", SONIC_PFC_TO_PG_MAP, &qos->pfc_pg_map);
        check_name(lint, &qos->entry, "tc_to_dscp_map", SONIC_TC_TO_DSCP_MAP, &qos->tc_dscp_map);
        check_name(lint, &qos->entry, "scheduler", SONIC_SCHEDULER, &qos->scheduler);
    }
    const struct sonic_cable *cables = config->cables.at;
    for (uint32_t i = 0; i < config->cables.count; i++)
        if (sonic_find_port(config, cables[i].port) == NULL) {
            lint_report(lint, &cables[i].entry, cables[i].port, "PORT has no such port");
            lint_mend_text(lint, &cables[i].entry, cables[i].port, NULL);
        }
}

static void check_old(struct lint *lint, const struct sonic_entry *entry, const char *field,
                      const struct sonic_name *name)
{
    if (name->name == NULL || !name->is_old)
        return;
    lint_report(lint, entry, field, "'%.80s' is written in the old form", name->name);
    lint_mend_text(lint, entry, field, name->name);
}

void rule_old_references(struct lint *lint)
{
    static const enum sonic_table_id uses[] = {SONIC_BUFFER_PG, SONIC_BUFFER_QUEUE};
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        check_old(lint, &profile->entry, "pool", &profile->pool);
    }
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t i = 0; i < SONIC_COUNT(config, uses[t]); i++) {
            const struct sonic_use *use = SONIC_AT(config, sonic_use, uses[t], i);
            check_old(lint, &use->entry, "profile", &use->profile);
        }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_QUEUE); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_QUEUE, i);
        check_old(lint, &use->entry, "wred_profile", &use->profile);
        check_old(lint, &use->entry, "scheduler", &use->scheduler);
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_PORT_QOS_MAP); i++) {
        const struct sonic_qos *qos = SONIC_AT(config, sonic_qos, SONIC_PORT_QOS_MAP, i);
        check_old(lint, &qos->entry, "dscp_to_tc_map", &qos->dscp_map);
        check_old(lint, &qos->entry, "dot1p_to_tc_map", &qos->dot1p_map);
        check_old(lint, &qos->entry, "tc_to_pg_map", &qos->pg_map);
        check_old(lint, &qos->entry, "tc_to_queue_map", &qos->queue_map);
        check_old(lint, &qos->entry, "pfc_to_queue_map", &qos->pfc_queue_map);
        check_old(lint, &qos->entry, "pfc_to_pg_map", &qos->pfc_pg_map);
        check_old(lint, &qos->entry, "scheduler", &qos->scheduler);
    }
}

static void check_side(struct lint *lint, enum sonic_table_id table, enum sonic_side wrong)
{
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, table); i++) {
        const struct sonic_use *use = SONIC_AT(lint->model->config, sonic_use, table, i);
        const struct sonic_profile *profile = sonic_find_profile(lint->model->config, use->profile.name);
        const struct sonic_pool *pool =
            profile != NULL ? sonic_find_pool(lint->model->config, profile->pool.name) : NULL;
        if (pool == NULL || pool->side != (uint32_t)wrong)
            continue;
        lint_report(lint, &use->entry, "profile", "profile %.80s is of %.80s, an %s pool", profile->entry.key,
                    pool->entry.key, wrong == SONIC_EGRESS ? "egress" : "ingress");
        lint_advise(lint, "name a profile of an %s pool", wrong == SONIC_EGRESS ? "ingress" : "egress");
    }
}

void rule_side(struct lint *lint)
{
    check_side(lint, SONIC_BUFFER_PG, SONIC_EGRESS);
    check_side(lint, SONIC_BUFFER_QUEUE, SONIC_INGRESS);
}

static uint32_t bits(const struct sonic_key *key)
{
    return ((2u << key->last) - 1) & ~((1u << key->first) - 1);
}

void rule_overlap(struct lint *lint)
{
    static const enum sonic_table_id tables[] = {SONIC_BUFFER_PG, SONIC_BUFFER_QUEUE, SONIC_QUEUE};
    const struct sonic_config *config = lint->model->config;
    uint32_t seen[SONIC_PORTS_MAX];
    for (uint32_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        memset(seen, 0, sizeof seen);
        for (uint32_t i = 0; i < SONIC_COUNT(config, tables[t]); i++) {
            const struct sonic_use *use = SONIC_AT(config, sonic_use, tables[t], i);
            for (uint32_t p = 0; p < use->of.count && !use->of.is_remote; p++) {
                const struct sonic_port *port = sonic_find_port(config, use->of.ports[p]);
                if (port == NULL)
                    continue;
                uint32_t *mask = &seen[port - SONIC_AT(config, sonic_port, SONIC_PORT, 0)];
                if (*mask & bits(&use->of)) {
                    lint_report(lint, &use->entry, NULL, "an entry before it has %s %d of %.80s too",
                                tables[t] == SONIC_BUFFER_PG ? "group" : "queue", __builtin_ctz(*mask & bits(&use->of)),
                                port->name);
                    lint_advise(lint, "let the keys of a port have different numbers");
                }
                *mask |= bits(&use->of);
            }
        }
    }
}

static void check_alpha(struct lint *lint, const struct sonic_entry *entry, const char *field, int64_t value)
{
    if (value == SONIC_ABSENT || (value >= ALPHA_MIN && value <= ALPHA_MAX))
        return;
    lint_report(lint, entry, field, "%" PRId64 " is not within %d and %d%s", value, ALPHA_MIN, ALPHA_MAX,
                value > 1000 ? "; is it a number of bytes, for static_th?" : "");
    lint_mend_number(lint, entry, field, value < 0 ? ALPHA_MIN : ALPHA_MAX);
}

void rule_alpha(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    const struct sonic_row *rows = config->rows.at;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        check_alpha(lint, &profile->entry, "dynamic_th", profile->dynamic_th);
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_LOSSLESS_PARAMETER); i++) {
        const struct sonic_parameter *parameter = SONIC_AT(config, sonic_parameter, SONIC_LOSSLESS_PARAMETER, i);
        check_alpha(lint, &parameter->entry, "default_dynamic_th", parameter->dynamic_th);
    }
    for (uint32_t i = 0; i < config->rows.count; i++) {
        if (rows[i].dynamic_th >= ALPHA_MIN && rows[i].dynamic_th <= ALPHA_MAX)
            continue;
        struct lint_finding *finding =
            lint_report(lint, NULL, "threshold", "%" PRId64 " is not within -8 and 7", rows[i].dynamic_th);
        if (finding == NULL)
            return;
        finding->place = (struct sonic_place){.file = rows[i].file, .line = rows[i].line, .column = 1};
        finding->table = "pg_profile_lookup.ini";
    }
}

/* Whether groups or queues have a profile of a pool. */
static bool is_used(const struct lint *lint, enum sonic_table_id table, const struct sonic_pool *pool)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, table); i++) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, table, i);
        const struct sonic_profile *profile = sonic_find_profile(config, use->profile.name);
        if (profile != NULL && sonic_find_pool(config, profile->pool.name) == pool)
            return true;
    }
    return false;
}

void rule_incomplete(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(config, sonic_pool, SONIC_BUFFER_POOL, i);
        bool is_in = is_used(lint, SONIC_BUFFER_PG, pool), is_out = is_used(lint, SONIC_BUFFER_QUEUE, pool);
        bool is_dynamic = false;
        for (uint32_t p = 0; p < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); p++) {
            const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, p);
            is_dynamic |= profile->dynamic_th != SONIC_ABSENT && sonic_find_pool(config, profile->pool.name) == pool;
        }
        if (json_object_get(pool->entry.fields, "type") == NULL) {
            lint_report(lint, &pool->entry, NULL, "the pool has no type");
            if (is_in != is_out)
                lint_mend_text(lint, &pool->entry, "type", is_in ? "ingress" : "egress");
            else
                lint_advise(lint, "write ingress or egress");
        }
        if (json_object_get(pool->entry.fields, "mode") == NULL) {
            lint_report(lint, &pool->entry, NULL, "the pool has no mode");
            lint_mend_text(lint, &pool->entry, "mode", is_dynamic ? "dynamic" : "static");
        }
    }
}

void rule_thresholds(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct sonic_pool *pool = sonic_find_pool(config, profile->pool.name);
        bool is_dynamic = json_object_get(profile->entry.fields, "dynamic_th") != NULL;
        bool is_static = json_object_get(profile->entry.fields, "static_th") != NULL;
        if (is_dynamic == is_static) {
            lint_report(lint, &profile->entry, NULL, "the profile has %s dynamic_th %s static_th",
                        is_dynamic ? "both" : "neither", is_dynamic ? "and" : "nor");
            lint_advise(lint, "give it one of them");
        } else if (is_static && pool != NULL && pool->size != SONIC_ABSENT && profile->static_th != SONIC_ABSENT &&
                   profile->static_th > pool->size) {
            struct lint_finding *finding = lint_report(lint, &profile->entry, "static_th",
                                                       "%" PRId64 " is more than %" PRId64 ", the size of %.80s",
                                                       profile->static_th, pool->size, pool->entry.key);
            if (finding != NULL)
                finding->severity = LINT_NOTE; /* no limit, as vendors write it */
            if (rules_is_unused(lint))
                lint_advise(lint, "see buffer-unused: the pool may be what is wrong");
            else
                lint_mend_number(lint, &profile->entry, "static_th", pool->size);
        }
    }
}

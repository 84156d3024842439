/*
 * sonic_text.h - a small switch in the words of config_db.json, without a finding, and changes to it.
 */
#ifndef TESTS_SUPPORT_SONIC_TEXT_H
#define TESTS_SUPPORT_SONIC_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/lint/lint.h"

/* Cells of 256 B; two ports of 100 Gb/s and 40 m, priorities 3 and 4 lossless, a shared headroom pool. */
static const char sonic_sane[] =
    "{\"PORT\": {\"Ethernet0\": {\"speed\": \"100000\", \"lanes\": \"1,2,3,4\", \"mtu\": \"9100\", "
    "\"admin_status\": \"up\"},\n"
    "          \"Ethernet4\": {\"speed\": \"100000\", \"lanes\": \"5,6,7,8\", \"mtu\": \"9100\", "
    "\"admin_status\": \"up\"}},\n"
    " \"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"40m\", \"Ethernet4\": \"40m\"}},\n"
    " \"BUFFER_POOL\": {\n"
    "  \"ingress_lossless_pool\": {\"type\": \"ingress\", \"mode\": \"dynamic\", \"size\": \"30000128\", "
    "\"xoff\": \"262144\"},\n"
    "  \"egress_lossless_pool\": {\"type\": \"egress\", \"mode\": \"static\", \"size\": \"32000000\"},\n"
    "  \"egress_lossy_pool\": {\"type\": \"egress\", \"mode\": \"dynamic\", \"size\": \"20000000\"}},\n"
    " \"BUFFER_PROFILE\": {\n"
    "  \"pg_lossless_100000_40m_profile\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"1280\", "
    "\"xon\": \"2304\",\n"
    "                                     \"xoff\": \"65536\", \"xon_offset\": \"2304\", \"dynamic_th\": \"0\"},\n"
    "  \"ingress_lossy_profile\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"0\", \"dynamic_th\": \"3\"},\n"
    "  \"egress_lossless_profile\": {\"pool\": \"egress_lossless_pool\", \"size\": \"0\", "
    "\"static_th\": \"32000000\"},\n"
    "  \"egress_lossy_profile\": {\"pool\": \"egress_lossy_pool\", \"size\": \"1536\", \"dynamic_th\": \"3\"}},\n"
    " \"BUFFER_PG\": {\"Ethernet0|0\": {\"profile\": \"ingress_lossy_profile\"},\n"
    "               \"Ethernet0|3-4\": {\"profile\": \"pg_lossless_100000_40m_profile\"},\n"
    "               \"Ethernet4|0\": {\"profile\": \"ingress_lossy_profile\"},\n"
    "               \"Ethernet4|3-4\": {\"profile\": \"pg_lossless_100000_40m_profile\"}},\n"
    " \"BUFFER_QUEUE\": {\"Ethernet0|0-2\": {\"profile\": \"egress_lossy_profile\"},\n"
    "                  \"Ethernet0|3-4\": {\"profile\": \"egress_lossless_profile\"},\n"
    "                  \"Ethernet4|3-4\": {\"profile\": \"egress_lossless_profile\"}},\n"
    " \"PORT_QOS_MAP\": {\"Ethernet0,Ethernet4\": {\"pfc_enable\": \"3,4\", \"tc_to_pg_map\": \"AZURE\",\n"
    "                                          \"tc_to_queue_map\": \"AZURE\", \"pfc_to_queue_map\": \"AZURE\"}},\n"
    " \"TC_TO_PRIORITY_GROUP_MAP\": {\"AZURE\": {\"0\": \"0\", \"3\": \"3\", \"4\": \"4\"}},\n"
    " \"TC_TO_QUEUE_MAP\": {\"AZURE\": {\"0\": \"0\", \"3\": \"3\", \"4\": \"4\"}},\n"
    " \"MAP_PFC_PRIORITY_TO_QUEUE\": {\"AZURE\": {\"3\": \"3\", \"4\": \"4\"}},\n"
    " \"SCHEDULER\": {\"scheduler.0\": {\"type\": \"DWRR\", \"weight\": \"14\"}},\n"
    " \"WRED_PROFILE\": {\"AZURE_LOSSLESS\": {\"ecn\": \"ecn_all\", \"wred_green_enable\": \"true\",\n"
    "   \"green_min_threshold\": \"1048576\", \"green_max_threshold\": \"2097152\", "
    "\"green_drop_probability\": \"5\"}},\n"
    " \"QUEUE\": {\"Ethernet0,Ethernet4|3-4\": {\"scheduler\": \"scheduler.0\", \"wred_profile\": "
    "\"AZURE_LOSSLESS\"}},\n"
    " \"PFC_WD\": {\"GLOBAL\": {\"POLL_INTERVAL\": \"200\"},\n"
    "            \"Ethernet0,Ethernet4\": {\"action\": \"drop\", \"detection_time\": \"200\", "
    "\"restoration_time\": \"200\"}},\n"
    " \"LOSSLESS_TRAFFIC_PATTERN\": {\"AZURE\": {\"mtu\": \"1024\", \"small_packet_percentage\": \"50\"}}}\n";

/* A field of the sane switch gets a value; null value: it is removed, null field: the entry is, null key: the table. */
struct sonic_edit {
    const char *table, *key, *field, *value;
};

/* The text with edits, to be freed. */
static inline char *sonic_edited(const struct sonic_edit *edits, uint32_t count)
{
    json_t *root = json_loads(sonic_sane, 0, NULL);
    for (uint32_t i = 0; i < count && edits[i].table != NULL; i++) {
        const struct sonic_edit *edit = &edits[i];
        json_t *table = json_object_get(root, edit->table);
        if (table == NULL) {
            table = json_object();
            json_object_set_new(root, edit->table, table);
        }
        if (edit->key == NULL) {
            json_object_del(root, edit->table);
            continue;
        }
        json_t *entry = json_object_get(table, edit->key);
        if (entry == NULL) {
            entry = json_object();
            json_object_set_new(table, edit->key, entry);
        }
        if (edit->field == NULL)
            json_object_del(table, edit->key);
        else if (edit->value == NULL)
            json_object_del(entry, edit->field);
        else
            json_object_set_new(entry, edit->field, json_string(edit->value));
    }
    char *text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    return text;
}

/* A configuration that was read and judged; release with sonic_judged_free. */
struct sonic_judged {
    struct sonic_config config;
    struct sonic_model model;
    struct lint lint;
    struct weir_error error;
    bool good;
};

/* Cells of 256 B, 32 MiB, xoff inside, where no platform is named. */
static inline struct sonic_given sonic_given_small(void)
{
    struct sonic_given given;
    sonic_given_init(&given);
    given.cell = 256;
    given.mmu = 33554432;
    given.pipes = 1;
    given.xoff = PLATFORM_XOFF_INSIDE;
    return given;
}

static inline struct sonic_judged *sonic_judge(const char *json, const char *lookup, const struct sonic_given *given)
{
    struct sonic_judged *judged = calloc(1, sizeof *judged);
    sonic_config_init(&judged->config);
    judged->good = sonic_config_add_json(&judged->config, "config_db.json", json, strlen(json), &judged->error) &&
                   (lookup == NULL || sonic_config_add_lookup(&judged->config, "pg_profile_lookup.ini", lookup,
                                                              strlen(lookup), &judged->error)) &&
                   sonic_config_finish(&judged->config, &judged->error) &&
                   sonic_model_make(&judged->model, &judged->config, given, &judged->error) &&
                   lint_run(&judged->lint, &judged->model);
    return judged;
}

static inline void sonic_judged_free(struct sonic_judged *judged)
{
    lint_free(&judged->lint);
    sonic_model_free(&judged->model);
    sonic_config_free(&judged->config);
    free(judged);
}

/* The first finding of a rule; null: there is none. */
static inline const struct lint_finding *sonic_finding(const struct sonic_judged *judged, const char *rule)
{
    for (uint32_t i = 0; i < judged->lint.findings.count; i++)
        if (strcmp(LINT_FINDINGS(&judged->lint)[i].rule->name, rule) == 0)
            return &LINT_FINDINGS(&judged->lint)[i];
    return NULL;
}

#endif

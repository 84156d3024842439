/*
 * tables.c - the tables of config_db.json that have to do with buffers, and their fields, as sonic-yang-models and the
 * schema of sonic-swss have them. A field that is not here is reported, not skipped; those that say nothing about
 * buffers are here as IGNORED.
 */
#include <stddef.h>

#include "operate/config/config_parts.h"

/* clang-format off */
#define COUNT(text, type, field) {.name = (text), .kind = SONIC_FIELD_COUNT, .offset = offsetof(struct type, field)}
#define EXPONENT(text, type, field) \
    {.name = (text), .kind = SONIC_FIELD_EXPONENT, .offset = offsetof(struct type, field)}
#define PRIORITIES(text, type, field) \
    {.name = (text), .kind = SONIC_FIELD_PRIORITIES, .offset = offsetof(struct type, field)}
#define TEXT(text, type, field) {.name = (text), .kind = SONIC_FIELD_TEXT, .offset = offsetof(struct type, field)}
#define NAME(text, type, field) {.name = (text), .kind = SONIC_FIELD_NAME, .offset = offsetof(struct type, field)}
#define WORD(text, type, field, ...) \
    {.name = (text), .kind = SONIC_FIELD_WORD, .offset = offsetof(struct type, field), .words = {__VA_ARGS__}}
#define IGNORED(text) {.name = (text), .kind = SONIC_FIELD_IGNORED}
#define END {.name = NULL}
/* clang-format on */

const char *const sonic_colours[SONIC_COLOURS] = {"green", "yellow", "red"};

static const struct sonic_field device[] = {TEXT("hwsku", sonic_device, hwsku),
                                            TEXT("platform", sonic_device, platform),
                                            WORD("buffer_model", sonic_device, model, "traditional", "dynamic"), END};

static const struct sonic_field port[] = {
    COUNT("speed", sonic_port, speed_mbps),
    COUNT("mtu", sonic_port, mtu),
    {.name = "lanes", .kind = SONIC_FIELD_LANES, .offset = offsetof(struct sonic_port, lanes)},
    WORD("admin_status", sonic_port, status, "up", "down"),
    IGNORED("alias"),
    IGNORED("description"),
    IGNORED("index"),
    IGNORED("fec"),
    IGNORED("autoneg"),
    IGNORED("adv_speeds"),
    IGNORED("adv_interface_types"),
    IGNORED("interface_type"),
    IGNORED("link_training"),
    WORD("pfc_asym", sonic_port, pfc_asym, "on", "off"),
    IGNORED("tpid"),
    IGNORED("mode"),
    IGNORED("role"),
    IGNORED("asic_port_name"),
    IGNORED("core_id"),
    IGNORED("core_port_id"),
    IGNORED("num_voq"),
    IGNORED("subport"),
    IGNORED("macsec"),
    IGNORED("mux_cable"),
    IGNORED("dom_polling"),
    IGNORED("laser_freq"),
    IGNORED("tx_power"),
    IGNORED("media_type"),
    IGNORED("coreId"),
    IGNORED("corePortId"),
    IGNORED("numVoq"),
    IGNORED("dhcp_rate_limit"),
    IGNORED("override_unreliable_los"),
    IGNORED("unreliable_los"),
    END,
};

static const struct sonic_field pool[] = {WORD("type", sonic_pool, side, "ingress", "egress", "both"),
                                          WORD("mode", sonic_pool, mode, "static", "dynamic"),
                                          COUNT("size", sonic_pool, size),
                                          COUNT("xoff", sonic_pool, xoff),
                                          COUNT("percentage", sonic_pool, percentage),
                                          END};

static const struct sonic_field profile[] = {NAME("pool", sonic_profile, pool),
                                             COUNT("size", sonic_profile, size),
                                             EXPONENT("dynamic_th", sonic_profile, dynamic_th),
                                             COUNT("static_th", sonic_profile, static_th),
                                             COUNT("xon", sonic_profile, xon),
                                             COUNT("xoff", sonic_profile, xoff),
                                             COUNT("xon_offset", sonic_profile, xon_offset),
                                             WORD("headroom_type", sonic_profile, headroom, "dynamic", "static"),
                                             WORD("packet_discard_action", sonic_profile, discard, "trim", "drop"),
                                             END};

static const struct sonic_field use[] = {NAME("profile", sonic_use, profile), END};
static const struct sonic_field queue[] = {NAME("wred_profile", sonic_use, profile),
                                           NAME("scheduler", sonic_use, scheduler), END};
static const struct sonic_field list[] = {
    {.name = "profile_list", .kind = SONIC_FIELD_NAMES, .offset = offsetof(struct sonic_use, profiles)}, END};

static const struct sonic_field pattern[] = {COUNT("mtu", sonic_pattern, mtu),
                                             COUNT("small_packet_percentage", sonic_pattern, small_percent), END};

static const struct sonic_field parameter[] = {EXPONENT("default_dynamic_th", sonic_parameter, dynamic_th),
                                               COUNT("over_subscribe_ratio", sonic_parameter, over_subscribe),
                                               IGNORED("max_headroom_size"), END};

static const struct sonic_field qos[] = {
    PRIORITIES("pfc_enable", sonic_qos, pfc_mask),
    PRIORITIES("pfcwd_sw_enable", sonic_qos, watched_mask),
    NAME("dscp_to_tc_map", sonic_qos, dscp_map),
    NAME("dot1p_to_tc_map", sonic_qos, dot1p_map),
    NAME("tc_to_pg_map", sonic_qos, pg_map),
    NAME("tc_to_queue_map", sonic_qos, queue_map),
    NAME("pfc_to_queue_map", sonic_qos, pfc_queue_map),
    NAME("pfc_to_pg_map", sonic_qos, pfc_pg_map),
    NAME("tc_to_dscp_map", sonic_qos, tc_dscp_map),
    NAME("scheduler", sonic_qos, scheduler),
    IGNORED("tc_to_dot1p_map"),
    IGNORED("dscp_to_fc_map"),
    IGNORED("exp_to_fc_map"),
    END,
};

static const struct sonic_field scheduler[] = {TEXT("type", sonic_scheduler, type),
                                               COUNT("weight", sonic_scheduler, weight),
                                               IGNORED("meter_type"),
                                               IGNORED("cir"),
                                               IGNORED("cbs"),
                                               IGNORED("pir"),
                                               IGNORED("pbs"),
                                               END};

#define COLOUR(name, colour)                                                                                           \
    COUNT(name "_min_threshold", sonic_wred, least[colour]), COUNT(name "_max_threshold", sonic_wred, most[colour]),   \
        COUNT(name "_drop_probability", sonic_wred, percent[colour]),                                                  \
        WORD("wred_" name "_enable", sonic_wred, drops[colour], "true", "false"), MARKS(name "_ect", colour),          \
        MARKS("ecn_" name, colour)

/* Thresholds of marks apart from those of drops: names of sonic-swss pull request 4719, before and after its review. */
#define MARKS(name, colour)                                                                                            \
    COUNT(name "_min_threshold", sonic_wred, mark_least[colour]),                                                      \
        COUNT(name "_max_threshold", sonic_wred, mark_most[colour]),                                                   \
        COUNT(name "_mark_probability", sonic_wred, mark_percent[colour])

static const struct sonic_field wred[] = {COLOUR("green", SONIC_GREEN), COLOUR("yellow", SONIC_YELLOW),
                                          COLOUR("red", SONIC_RED),
                                          WORD("ecn", sonic_wred, ecn, "ecn_none", "ecn_green", "ecn_yellow", "ecn_red",
                                               "ecn_green_yellow", "ecn_green_red", "ecn_yellow_red", "ecn_all"),
                                          END};

static const struct sonic_field watchdog[] = {TEXT("action", sonic_watchdog, action),
                                              COUNT("detection_time", sonic_watchdog, detection_ms),
                                              COUNT("restoration_time", sonic_watchdog, restoration_ms),
                                              COUNT("POLL_INTERVAL", sonic_watchdog, poll_ms),
                                              IGNORED("BIG_RED_SWITCH"),
                                              WORD("pfc_stat_history", sonic_watchdog, history, "enable", "disable"),
                                              END};

static const struct sonic_field trimming[] = {
    COUNT("size", sonic_trimming, size), TEXT("dscp_value", sonic_trimming, dscp),
    COUNT("tc_value", sonic_trimming, tc), TEXT("queue_index", sonic_trimming, queue), END};

static const struct sonic_field llr_profile[] = {COUNT("max_outstanding_frames", sonic_llr_profile, frames),
                                                 COUNT("max_outstanding_bytes", sonic_llr_profile, bytes),
                                                 COUNT("max_replay_count", sonic_llr_profile, replays),
                                                 COUNT("max_replay_timer", sonic_llr_profile, replay_ns),
                                                 COUNT("pcs_lost_timeout", sonic_llr_profile, lost_ns),
                                                 COUNT("data_age_timeout", sonic_llr_profile, age_ns),
                                                 COUNT("ctlos_spacing_bytes", sonic_llr_profile, spacing),
                                                 IGNORED("init_action"),
                                                 IGNORED("flush_action"),
                                                 END};

static const struct sonic_field llr_port[] = {WORD("llr_mode", sonic_llr_port, mode, "static", "dynamic"),
                                              WORD("llr_local", sonic_llr_port, local, "enabled", "disabled"),
                                              WORD("llr_remote", sonic_llr_port, remote, "enabled", "disabled"),
                                              NAME("llr_profile", sonic_llr_port, profile), END};

#define SIZED(type) .size = sizeof(struct type)
#define OF_PORT(type) .shape = SONIC_KEY_PORT, .key_offset = offsetof(struct type, of), SIZED(type)
#define OF_GROUPS(type, count)                                                                                         \
    .shape = SONIC_KEY_GROUPS, .key_offset = offsetof(struct type, of), .groups = (count), SIZED(type)
#define MAP(from, to) SIZED(sonic_map), .map_from = (from), .map_to = (to)

const struct sonic_table sonic_tables[SONIC_TABLES] = {
    [SONIC_DEVICE_METADATA] = {"DEVICE_METADATA", device, SIZED(sonic_device), .has_others = true},
    [SONIC_PORT] = {"PORT", port, SIZED(sonic_port)},
    [SONIC_CABLE_LENGTH] = {"CABLE_LENGTH", NULL, SIZED(sonic_cable)},
    [SONIC_BUFFER_POOL] = {"BUFFER_POOL", pool, SIZED(sonic_pool)},
    [SONIC_BUFFER_PROFILE] = {"BUFFER_PROFILE", profile, SIZED(sonic_profile)},
    [SONIC_BUFFER_PG] = {"BUFFER_PG", use, OF_GROUPS(sonic_use, SONIC_PRIORITIES)},
    [SONIC_BUFFER_QUEUE] = {"BUFFER_QUEUE", use, OF_GROUPS(sonic_use, SONIC_GROUPS)},
    [SONIC_PORT_INGRESS_LIST] = {"BUFFER_PORT_INGRESS_PROFILE_LIST", list, OF_PORT(sonic_use)},
    [SONIC_PORT_EGRESS_LIST] = {"BUFFER_PORT_EGRESS_PROFILE_LIST", list, OF_PORT(sonic_use)},
    [SONIC_LOSSLESS_TRAFFIC_PATTERN] = {"LOSSLESS_TRAFFIC_PATTERN", pattern, SIZED(sonic_pattern)},
    [SONIC_LOSSLESS_PARAMETER] = {"DEFAULT_LOSSLESS_BUFFER_PARAMETER", parameter, SIZED(sonic_parameter)},
    [SONIC_PORT_QOS_MAP] = {"PORT_QOS_MAP", qos, OF_PORT(sonic_qos)},
    [SONIC_QUEUE] = {"QUEUE", queue, OF_GROUPS(sonic_use, SONIC_GROUPS)},
    [SONIC_SCHEDULER] = {"SCHEDULER", scheduler, SIZED(sonic_scheduler)},
    [SONIC_WRED_PROFILE] = {"WRED_PROFILE", wred, SIZED(sonic_wred)},
    [SONIC_PFC_WD] = {"PFC_WD", watchdog, OF_PORT(sonic_watchdog)},
    [SONIC_DSCP_TO_TC_MAP] = {"DSCP_TO_TC_MAP", NULL, MAP(64, 16)},
    [SONIC_DOT1P_TO_TC_MAP] = {"DOT1P_TO_TC_MAP", NULL, MAP(8, 16)},
    [SONIC_TC_TO_PG_MAP] = {"TC_TO_PRIORITY_GROUP_MAP", NULL, MAP(16, 8)},
    [SONIC_TC_TO_QUEUE_MAP] = {"TC_TO_QUEUE_MAP", NULL, MAP(16, 16)},
    [SONIC_TC_TO_DSCP_MAP] = {"TC_TO_DSCP_MAP", NULL, MAP(16, 64)},
    [SONIC_PFC_TO_QUEUE_MAP] = {"MAP_PFC_PRIORITY_TO_QUEUE", NULL, MAP(8, 16)},
    [SONIC_PFC_TO_PG_MAP] = {"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", NULL, MAP(8, 8)},
    [SONIC_SWITCH_TRIMMING] = {"SWITCH_TRIMMING", trimming, SIZED(sonic_trimming)},
    [SONIC_LLR_PROFILE] = {"LLR_PROFILE", llr_profile, SIZED(sonic_llr_profile)},
    [SONIC_LLR_PORT] = {"LLR_PORT", llr_port, OF_PORT(sonic_llr_port)},
};

const char *sonic_table_name(enum sonic_table_id table)
{
    return sonic_tables[table].name;
}

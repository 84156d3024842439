/*
 * test_rules.c - every rule of lint on the sane switch, which has no finding, and on one that breaks it; the published
 * numbers of public incidents; and that what has a change is mended by it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "operate/redact.h"
#include "tests/support/sonic_text.h"

#define EDITS 8u

struct rule_case {
    const char *rule;
    struct sonic_edit edits[EDITS];
    enum lint_severity severity;
    bool is_mended; /* by its changes */
};

#define LOSSLESS "pg_lossless_100000_40m_profile"

/* Lossy queues of the sane switch trim. */
#define TRIMS                                                                                                          \
    {                                                                                                                  \
        "BUFFER_PROFILE", "egress_lossy_profile", "packet_discard_action", "trim"                                      \
    }

static const struct rule_case cases[] = {
    {"unreadable", {{"BUFFER_POOL", "egress_lossy_pool", "size", "many"}}, LINT_ERROR, false},
    {"unreadable", {{"BUFFER_PG", "Ethernet0|9-3", "profile", LOSSLESS}}, LINT_ERROR, false},
    {"unreadable",
     {{"BUFFER_QUEUE", "Ethernet0|3-4", NULL, NULL},
      {"BUFFER_QUEUE", "Ethernet4|3-4", NULL, NULL},
      {"BUFFER_QUEUE", "Ethernet0|9-3", "profile", "egress_lossless_profile"}},
     LINT_ERROR,
     false},
    {"unreadable", {{"CABLE_LENGTH", "AZURE", "Ethernet4", "forty"}}, LINT_ERROR, false},
    {"unreadable", {{"BUFFER_PROFILE", LOSSLESS, "size", "-1"}}, LINT_ERROR, false},
    {"unreadable", {{"BUFFER_POOL", "ingress_lossless_pool", "size", "-30000128"}}, LINT_ERROR, false},
    {"unreadable", {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold", "-5"}}, LINT_ERROR, false},
    {"unreadable", {{"WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "bogus"}}, LINT_ERROR, false},
    {"unreadable", {{"WRED_PROFILE", "AZURE_LOSSLESS", "wred_green_enable", "maybe"}}, LINT_ERROR, false},
    {"unreadable", {{"DEVICE_METADATA", "localhost", "buffer_model", "dynamc"}}, LINT_ERROR, false},
    {"unreadable", {{"BUFFER_PG", "Ethernet0|6-12", "profile", "ingress_lossy_profile"}}, LINT_ERROR, false},
    {"unknown-field", {{"BUFFER_POOL", "egress_lossy_pool", "sze", "1"}}, LINT_WARNING, false},
    {"not-read", {{"VLAN", "Vlan1", "vlanid", "1"}}, LINT_NOTE, false},
    {"missing-reference",
     {{"BUFFER_PG", "Ethernet0|3-4", "profile", "pg_lossless_100000_40m_profil"}},
     LINT_ERROR,
     true},
    {"missing-reference", {{"QUEUE", "Ethernet0|3", "scheduler", "none"}}, LINT_ERROR, false},
    {"missing-reference", {{"BUFFER_PG", "Ethernet8|0", "profile", "ingress_lossy_profile"}}, LINT_ERROR, false},
    {"old-reference", {{"BUFFER_PROFILE", LOSSLESS, "pool", "[BUFFER_POOL|ingress_lossless_pool]"}}, LINT_NOTE, true},
    {"wrong-side", {{"BUFFER_PG", "Ethernet0|0", "profile", "egress_lossy_profile"}}, LINT_ERROR, false},
    {"wrong-side", {{"BUFFER_QUEUE", "Ethernet0|0-2", "profile", "ingress_lossy_profile"}}, LINT_ERROR, false},
    {"overlap", {{"BUFFER_PG", "Ethernet0|4", "profile", LOSSLESS}}, LINT_ERROR, false},
    {"alpha-range", {{"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "102400"}}, LINT_ERROR, true},
    {"alpha-range", {{"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "-9"}}, LINT_ERROR, true},
    {"thresholds", {{"BUFFER_PROFILE", "ingress_lossy_profile", "static_th", "256"}}, LINT_ERROR, false},
    {"thresholds", {{"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", NULL}}, LINT_ERROR, false},
    {"thresholds", {{"BUFFER_PROFILE", "egress_lossless_profile", "static_th", "32000256"}}, LINT_NOTE, true},
    {"missing-field", {{"BUFFER_POOL", "ingress_lossless_pool", "type", NULL}}, LINT_ERROR, true},
    {"missing-field", {{"BUFFER_POOL", "egress_lossless_pool", "type", NULL}}, LINT_ERROR, true},
    {"missing-field", {{"BUFFER_POOL", "ingress_lossless_pool", "mode", NULL}}, LINT_ERROR, true},
    {"missing-field", {{"BUFFER_POOL", "egress_lossless_pool", "mode", NULL}}, LINT_ERROR, true},
    {"xon-above-xoff", {{"BUFFER_PROFILE", LOSSLESS, "xon", "14870272"}}, LINT_ERROR, false},
    {"buffer-unused", {{"BUFFER_POOL", "ingress_lossless_pool", "size", "300032"}}, LINT_WARNING, false},
    {"mmu-overcommit",
     {{"BUFFER_POOL", "ingress_lossless_pool", "size", "33554432"},
      {"BUFFER_POOL", "egress_lossless_pool", "size", "33554432"}},
     LINT_WARNING,
     true},
    {"mmu-overcommit", {{"BUFFER_POOL", "egress_lossy_pool", "size", "33554688"}}, LINT_ERROR, true},
    {"egress-smaller",
     {{"BUFFER_POOL", "egress_lossless_pool", "size", "25600000"},
      {"BUFFER_PROFILE", "egress_lossless_profile", "static_th", "25600000"}},
     LINT_WARNING,
     true},
    {"pfc-without-headroom", {{"BUFFER_PG", "Ethernet0|3-4", "profile", "ingress_lossy_profile"}}, LINT_ERROR, false},
    {"pfc-without-headroom",
     {{"DEVICE_METADATA", "localhost", "buffer_model", "dynamic"}, {"BUFFER_PG", "Ethernet0|3-4", NULL, NULL}},
     LINT_ERROR,
     true},
    {"pfc-without-headroom", {{"BUFFER_PROFILE", LOSSLESS, "xoff", NULL}}, LINT_ERROR, true},
    {"pfc-without-headroom", {{"BUFFER_PROFILE", LOSSLESS, "xoff", "0"}}, LINT_ERROR, true},
    {"pfc-without-headroom",
     {{"BUFFER_PROFILE", LOSSLESS, "xoff", NULL},
      {"BUFFER_PROFILE", LOSSLESS, "xon", NULL},
      {"BUFFER_PROFILE", LOSSLESS, "xon_offset", NULL},
      {"BUFFER_POOL", "ingress_lossless_pool", "xoff", NULL}},
     LINT_ERROR,
     true},
    {"cable", {{"CABLE_LENGTH", "AZURE", "Ethernet0", "0m"}}, LINT_WARNING, false},
    {"cable", {{"CABLE_LENGTH", "AZURE", "Ethernet0", NULL}}, LINT_WARNING, false},
    {"profile-of-other-link", {{"CABLE_LENGTH", "AZURE", "Ethernet0", "50m"}}, LINT_ERROR, false},
    {"profile-of-other-link", {{"PORT", "Ethernet0", "speed", "200000"}}, LINT_ERROR, false},
    {"headroom-short", {{"BUFFER_PROFILE", LOSSLESS, "xoff", "4096"}}, LINT_ERROR, true},
    {"headroom-short", {{"BUFFER_PROFILE", LOSSLESS, "xoff", "25600"}}, LINT_WARNING, true},
    {"headroom-short",
     {{"BUFFER_PROFILE", LOSSLESS, "xoff", "25600"},
      {"BUFFER_PROFILE", LOSSLESS, "size", "28160"},
      {"BUFFER_POOL", "ingress_lossless_pool", "xoff", NULL}},
     LINT_WARNING,
     true},
    {"headroom-not-reserved", {{"BUFFER_POOL", "ingress_lossless_pool", "xoff", NULL}}, LINT_WARNING, true},
    {"headroom-oversubscribed", {{"BUFFER_POOL", "ingress_lossless_pool", "xoff", "65280"}}, LINT_ERROR, true},
    {"headroom-oversubscribed",
     {{"BUFFER_PROFILE", LOSSLESS, "xoff", "262144"},
      {"BUFFER_POOL", "ingress_lossless_pool", "xoff", "262144"},
      {"BUFFER_PG", "Ethernet0|1-2", "profile", LOSSLESS},
      {"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfc_enable", "1,2,3,4"},
      {"BUFFER_PG", "Ethernet4|1-2", "profile", LOSSLESS},
      {"BUFFER_QUEUE", "Ethernet0|0-2", NULL, NULL},
      {"BUFFER_QUEUE", "Ethernet0|1-2", "profile", "egress_lossless_profile"},
      {"QUEUE", "Ethernet0,Ethernet4|1-2", "wred_profile", "AZURE_LOSSLESS"}},
     LINT_WARNING,
     true},
    {"lossless-queue-limited",
     {{"BUFFER_PROFILE", "egress_lossless_profile", "static_th", "256000"}},
     LINT_WARNING,
     true},
    {"lossless-queue-limited",
     {{"BUFFER_QUEUE", "Ethernet0|3-4", "profile", "egress_lossy_profile"}},
     LINT_WARNING,
     true},
    {"lossless-queue-limited", {{"BUFFER_QUEUE", "Ethernet4|3-4", NULL, NULL}}, LINT_WARNING, true},
    {"no-lossless-group",
     {{"DEVICE_METADATA", "localhost", "buffer_model", "dynamic"},
      {"PORT_QOS_MAP", NULL, NULL, NULL},
      {"BUFFER_PG", "Ethernet0|3-4", NULL, NULL},
      {"BUFFER_PG", "Ethernet4|3-4", NULL, NULL}},
     LINT_WARNING,
     false},
    {"headroom-without-pfc", {{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfc_enable", "3"}}, LINT_WARNING, false},
    {"map-mismatch", {{"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "3", "0"}}, LINT_ERROR, true},
    {"map-mismatch", {{"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "4", "3"}}, LINT_ERROR, true},
    {"map-mismatch", {{"TC_TO_QUEUE_MAP", "AZURE", "4", "1"}}, LINT_ERROR, true},
    {"map-mismatch", {{"TC_TO_QUEUE_MAP", "AZURE", "4", "9"}}, LINT_ERROR, true},
    {"map-mismatch",
     {{"TC_TO_QUEUE_MAP", "AZURE", "1", "1"}, {"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "1", "3"}},
     LINT_ERROR,
     true},
    {"map-mismatch",
     {{"TC_TO_QUEUE_MAP", "AZURE", "1", "3"}, {"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "1", "0"}},
     LINT_ERROR,
     true},
    {"map-mismatch",
     {{"TC_TO_QUEUE_MAP", "AZURE", "5", "5"},
      {"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "5", "0"},
      {"MAP_PFC_PRIORITY_TO_QUEUE", "AZURE", "4", "5"}},
     LINT_ERROR,
     true},
    {"unmapped-class",
     {{"DSCP_TO_TC_MAP", "AZURE", "3", "9"}, {"PORT_QOS_MAP", "Ethernet0,Ethernet4", "dscp_to_tc_map", "AZURE"}},
     LINT_ERROR,
     false},
    {"wred-drops-lossless", {{"WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "ecn_none"}}, LINT_ERROR, true},
    {"wred-drops-lossless", {{"WRED_PROFILE", "AZURE_LOSSLESS", "ecn", NULL}}, LINT_ERROR, true},
    {"ecn-order", {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold", NULL}}, LINT_ERROR, false},
    {"ecn-order", {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold", "2097408"}}, LINT_ERROR, true},
    {"ecn-order", {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_drop_probability", "101"}}, LINT_ERROR, true},
    {"ecn-after-pfc", {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "14870272"}}, LINT_NOTE, true},
    {"ecn-marks-apart", {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_min_threshold", "99840"}}, LINT_ERROR, false},
    {"ecn-marks-apart",
     {{"WRED_PROFILE", "AZURE_LOSSLESS", "ecn_green_min_threshold", "399872"},
      {"WRED_PROFILE", "AZURE_LOSSLESS", "ecn_green_max_threshold", "99840"}},
     LINT_ERROR,
     true},
    {"ecn-marks-apart",
     {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_min_threshold", "99840"},
      {"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_max_threshold", "2097408"}},
     LINT_WARNING,
     true},
    {"ecn-marks-apart",
     {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_min_threshold", "99840"},
      {"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_max_threshold", "399872"},
      {"WRED_PROFILE", "AZURE_LOSSLESS", "wred_green_enable", "false"},
      {"WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "ecn_red"}},
     LINT_ERROR,
     true},
    {"trimming",
     {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "size", "20"}, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "48"}},
     LINT_ERROR,
     true},
    {"trimming",
     {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "size", "128"}, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "64"}},
     LINT_ERROR,
     false},
    {"trimming", {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "size", "128"}}, LINT_WARNING, false},
    {"trimming", {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "from-tc"}}, LINT_ERROR, false},
    {"trimming",
     {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "from-tc"}, {"SWITCH_TRIMMING", "GLOBAL", "tc_value", "5"}},
     LINT_ERROR,
     false},
    {"trimming",
     {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "48"}, {"SWITCH_TRIMMING", "GLOBAL", "queue_index", "high"}},
     LINT_ERROR,
     false},
    {"trimming", {{"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "48"}}, LINT_WARNING, false},
    {"trimming", {TRIMS, {"SWITCH_TRIMMING", "local", "dscp_value", "48"}}, LINT_ERROR, false},
    {"trimming-queue",
     {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "48"}, {"SWITCH_TRIMMING", "GLOBAL", "queue_index", "3"}},
     LINT_WARNING,
     false},
    {"trimming-queue",
     {TRIMS, {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "48"}, {"SWITCH_TRIMMING", "GLOBAL", "queue_index", "1"}},
     LINT_WARNING,
     false},
    {"trimming-queue",
     {{"BUFFER_PROFILE", "egress_lossless_profile", "packet_discard_action", "trim"}},
     LINT_WARNING,
     false},
    {"trimming-queue",
     {{"BUFFER_PROFILE", "ingress_lossy_profile", "packet_discard_action", "trim"}},
     LINT_WARNING,
     true},
    {"asymmetric-pfc", {{"PORT", "Ethernet0", "pfc_asym", "on"}}, LINT_WARNING, false},
    {"link-retry", {{"LLR_PROFILE", "mine", "max_replay_count", "256"}}, LINT_ERROR, true},
    {"link-retry", {{"LLR_PORT", "Ethernet0", "llr_local", "enabled"}}, LINT_WARNING, true},
    {"link-retry",
     {{"LLR_PROFILE", "mine", "max_outstanding_bytes", "16384"},
      {"LLR_PORT", "Ethernet0", "llr_local", "enabled"},
      {"LLR_PORT", "Ethernet0", "llr_remote", "enabled"},
      {"LLR_PORT", "Ethernet0", "llr_profile", "mine"}},
     LINT_WARNING,
     true},
    {"missing-reference", {{"LLR_PORT", "Ethernet0", "llr_profile", "mine"}}, LINT_ERROR, false},
    {"pfc-history", {{"PFC_WD", "GLOBAL", "pfc_stat_history", "enable"}}, LINT_ERROR, true},
    {"pfc-history",
     {{"PORT", "Ethernet8", "speed", "100000"}, {"PFC_WD", "Ethernet8", "pfc_stat_history", "enable"}},
     LINT_NOTE,
     true},
    {"not-read", {{"CBFC_PROFILE", "mine", "credits", "1"}}, LINT_NOTE, false},
    {"scheduler", {{"SCHEDULER", "scheduler.0", "weight", "0"}}, LINT_ERROR, true},
    {"scheduler", {{"SCHEDULER", "scheduler.0", "type", "FIFO"}}, LINT_ERROR, false},
    {"watchdog", {{"PFC_WD", "Ethernet0", "detection_time", "199"}}, LINT_ERROR, true},
    {"watchdog", {{"PFC_WD", "Ethernet0", "restoration_time", "60001"}}, LINT_ERROR, true},
    {"watchdog", {{"PFC_WD", "GLOBAL", "POLL_INTERVAL", "99"}}, LINT_ERROR, true},
    {"watchdog", {{"PFC_WD", "GLOBAL", "POLL_INTERVAL", "5000"}}, LINT_ERROR, true},
    {"watchdog-priorities", {{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "5"}}, LINT_WARNING, true},
    {"watchdog-priorities", {{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "3,5"}}, LINT_WARNING, true},
    {"watchdog", {{"PFC_WD", "Ethernet0", "action", "shout"}}, LINT_ERROR, false},
    {"traffic-pattern", {{"LOSSLESS_TRAFFIC_PATTERN", "AZURE", "small_packet_percentage", "101"}}, LINT_ERROR, true},
    {"traffic-pattern", {{"LOSSLESS_TRAFFIC_PATTERN", "AZURE", "mtu", "63"}}, LINT_ERROR, true},
    {"cell-rounding", {{"BUFFER_PROFILE", "egress_lossy_profile", "size", "1500"}}, LINT_NOTE, true},
    {"lossless-class-unreached",
     {{"DSCP_TO_TC_MAP", "AZURE", "0", "0"}, {"PORT_QOS_MAP", "Ethernet0,Ethernet4", "dscp_to_tc_map", "AZURE"}},
     LINT_WARNING,
     false},
    {"lossless-queue-without-ecn",
     {{"QUEUE", "Ethernet0,Ethernet4|3-4", NULL, NULL}, {"QUEUE", "Ethernet0|3-4", "wred_profile", "AZURE_LOSSLESS"}},
     LINT_WARNING,
     false},
    {"pfc-without-watchdog",
     {{"PFC_WD", "Ethernet0,Ethernet4", NULL, NULL}, {"PFC_WD", "Ethernet0", "action", "drop"}},
     LINT_WARNING,
     false},
    {"pfc-without-watchdog", {{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "4"}}, LINT_WARNING, false},
    {"port-without-map",
     {{"PORT", "Ethernet8", "speed", "100000"}, {"PORT_QOS_MAP", "Ethernet8", "pfc_to_queue_map", "AZURE"}},
     LINT_WARNING,
     false},
    {"lossless-queue-lossy-profile",
     {{"BUFFER_QUEUE", "Ethernet0|0-2", "profile", "egress_lossless_profile"}},
     LINT_WARNING,
     false},
    {"lossless-alpha", {{"BUFFER_PROFILE", LOSSLESS, "dynamic_th", "7"}}, LINT_WARNING, false},
    {"mtu", {{"PORT", "Ethernet0", "mtu", "90000"}}, LINT_ERROR, true},
    {"mtu", {{"PORT", "Ethernet0", "mtu", "1500"}}, LINT_WARNING, false},
};

static void fail_with_findings(const struct sonic_judged *judged, const char *what)
{
    for (uint32_t i = 0; i < judged->lint.findings.count; i++)
        print_error("  %s: %s\n", LINT_FINDINGS(&judged->lint)[i].rule->name, LINT_FINDINGS(&judged->lint)[i].text);
    fail_msg("%s", what);
}

static void lint__has_no_finding_of_a_sane_switch(void **state)
{
    (void)state;
    struct sonic_given given = sonic_given_small();
    struct sonic_judged *judged = sonic_judge(sonic_sane, NULL, &given);
    assert_true(judged->good);
    if (judged->lint.findings.count > 0)
        fail_with_findings(judged, "a sane switch has findings");
    assert_int_equal(judged->lint.skips.count, 0);
    assert_int_equal(judged->model.groups.count, 4);
    sonic_judged_free(judged);
}

/* One below each limit of the cases. */
static void lint__has_no_finding_at_the_limits(void **state)
{
    (void)state;
    static const struct sonic_edit edits[][EDITS] = {
        {{"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "7"}},
        {{"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "-8"}},
        {{"BUFFER_POOL", "ingress_lossless_pool", "size", "32000000"}},
        {{"BUFFER_PROFILE", LOSSLESS, "xoff", "55296"}},
        {{"BUFFER_POOL", "ingress_lossless_pool", "xoff", "65536"}},
        {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "14870271"}},
        {{"BUFFER_PROFILE", LOSSLESS, "xon", "14870016"}},
        {{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "3,4"}},
        {{"PFC_WD", "Ethernet0", "restoration_time", "60000"}},
        {{"PFC_WD", "Ethernet0", "pfc_stat_history", "enable"}},
        {{"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_min_threshold", "99840"},
         {"WRED_PROFILE", "AZURE_LOSSLESS", "green_ect_max_threshold", "2097152"}},
        {TRIMS,
         {"SWITCH_TRIMMING", "GLOBAL", "size", "128"},
         {"SWITCH_TRIMMING", "GLOBAL", "dscp_value", "48"},
         {"SWITCH_TRIMMING", "GLOBAL", "queue_index", "6"}},
        {{"PORT", "Ethernet0", "pfc_asym", "on"},
         {"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "0,1,2,3,4,5,6,7"}},
        {{"LLR_PROFILE", "mine", "max_outstanding_bytes", "25299"},
         {"LLR_PORT", "Ethernet0", "llr_local", "enabled"},
         {"LLR_PORT", "Ethernet0", "llr_remote", "enabled"},
         {"LLR_PORT", "Ethernet0", "llr_profile", "mine"}},
        {{"CABLE_LENGTH", "AZURE", "Ethernet0", "5m"}},
    };
    for (uint32_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        struct sonic_given given = sonic_given_small();
        char *text = sonic_edited(edits[i], EDITS);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        if (judged->lint.findings.count > 0)
            fail_with_findings(judged, edits[i][0].field);
        sonic_judged_free(judged);
        free(text);
    }
}

static void rule__finds_its_case(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sonic_given given = sonic_given_small();
        char *text = sonic_edited(cases[i].edits, EDITS);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        assert_true(judged->good);
        const struct lint_finding *finding = sonic_finding(judged, cases[i].rule);
        if (finding == NULL)
            fail_with_findings(judged, cases[i].rule);
        if (finding->severity != cases[i].severity)
            fail_with_findings(judged, lint_severity_name(finding->severity));
        assert_non_null(finding->table);
        assert_true(finding->place.line > 0 && finding->place.column > 0);
        sonic_judged_free(judged);
        free(text);
    }
}

/* Twelve mistakes that operators make, each on three chips: found, as a warning or an error, and by the right rule. The
 * switch without them has no error. */
static void rules__find_injected_mistakes(void **state)
{
    (void)state;
    static const char *const platforms[] = {"tomahawk6", "trident3", "spectrum2"};
    static const char *const mistakes[] = {"lossless-queue-without-ecn",
                                           "pfc-without-watchdog",
                                           "lossless-class-unreached",
                                           "port-without-map",
                                           "mtu",
                                           "lossless-alpha",
                                           "lossless-queue-lossy-profile",
                                           "headroom-short",
                                           "missing-reference",
                                           "wred-drops-lossless",
                                           "mmu-overcommit",
                                           "headroom-not-reserved"};
    static const struct sonic_edit large = {"BUFFER_POOL", "ingress_lossless_pool", "size", "300001280"};
    static const struct sonic_edit without = {"BUFFER_POOL", "ingress_lossless_pool", "xoff", NULL};
    uint32_t found = 0;
    for (uint32_t p = 0; p < 3; p++) {
        struct sonic_given given;
        sonic_given_init(&given);
        given.platform = platforms[p];
        struct sonic_judged *sane = sonic_judge(sonic_sane, NULL, &given);
        if (lint_count(&sane->lint, LINT_ERROR) > 0 || lint_count(&sane->lint, LINT_WARNING) > 3)
            fail_with_findings(sane, platforms[p]);
        sonic_judged_free(sane);
        for (uint32_t m = 0; m < 12; m++) {
            const struct sonic_edit *edits = m == 10 ? &large : &without;
            uint32_t count = 1, which = 0;
            while (m < 10 && strcmp(cases[which].rule, mistakes[m]) != 0)
                which++;
            if (m < 10) {
                edits = cases[which].edits;
                count = EDITS;
            }
            char *text = sonic_edited(edits, count);
            struct sonic_judged *judged = sonic_judge(text, NULL, &given);
            const struct lint_finding *finding = sonic_finding(judged, mistakes[m]);
            if (finding != NULL && finding->severity > LINT_NOTE)
                found++;
            else
                print_message("%s: %s is not found\n", platforms[p], mistakes[m]);
            sonic_judged_free(judged);
            free(text);
        }
    }
    assert_true(found >= 34);
}

/* Every rule but those with tests of their own has a case. */
static void rules__are_all_tried(void **state)
{
    (void)state;
    for (const struct lint_rule *rule = lint_rules; rule->name != NULL; rule++) {
        bool is_tried = strcmp(rule->name, "no-lookup-row") == 0 || strcmp(rule->name, "port-headroom-cap") == 0 ||
                        strcmp(rule->name, "lookup-row-twice") == 0;
        for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            is_tried |= strcmp(cases[i].rule, rule->name) == 0;
        if (!is_tried)
            fail_msg("no case of %s", rule->name);
        assert_true(rule->sentence[0] != '\0' && rule->incident[0] != '\0');
    }
}

static void mend__leaves_no_finding_where_changes_are_known(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sonic_given given = sonic_given_small();
        char *text = sonic_edited(cases[i].edits, EDITS);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        struct lint_fix fix;
        assert_true(lint_mend(&fix, &judged->model, &judged->error));
        char *mended = json_dumps(fix.tree, 0);
        struct sonic_judged *again = sonic_judge(mended, NULL, &given);
        assert_true(again->good);
        bool is_left = sonic_finding(again, cases[i].rule) != NULL;
        if (is_left == cases[i].is_mended || (cases[i].is_mended && again->lint.findings.count > 0))
            fail_with_findings(again, cases[i].rule);
        assert_int_equal(fix.changes > 0, cases[i].is_mended || json_array_size(fix.patch) > 0);
        sonic_judged_free(again);
        sonic_judged_free(judged);
        lint_fix_free(&fix);
        free(mended);
        free(text);
    }
}

/* The change of a field that mending makes; null: none. */
static const char *changed_to(const struct lint_fix *fix, const char *path)
{
    size_t i;
    json_t *row;
    json_array_foreach(fix->patch, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "path")), path) == 0 &&
            strcmp(json_string_value(json_object_get(row, "op")), "test") != 0)
            return json_string_value(json_object_get(row, "value"));
    }
    return NULL;
}

/* What mending makes of a field of a changed switch, and how many changes it needs. */
static void mend__makes_the_smallest_change(void **state)
{
    (void)state;
    static const struct {
        struct sonic_edit edits[EDITS];
        const char *path, *value; /* null: it stays */
        uint32_t changes;
    } wanted[] = {
        /* A profile that is gone has no other in its place. */
        {{{"BUFFER_PROFILE", LOSSLESS, NULL, NULL},
          {"BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "pool", "ingress_lossless_pool"},
          {"BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "xoff", "65536"},
          {"BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "size", "1280"},
          {"BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "dynamic_th", "0"}},
         "/BUFFER_PG/Ethernet0|3-4/profile",
         NULL,
         0},
        {{{"PFC_WD", "GLOBAL", "POLL_INTERVAL", "5000"}}, "/PFC_WD/GLOBAL/POLL_INTERVAL", "200", 1},
        /* size is xon and xoff, 2304 and 65536. */
        {{{"BUFFER_POOL", "ingress_lossless_pool", "xoff", NULL}}, "/BUFFER_PROFILE/" LOSSLESS "/size", "67840", 1},
        /* One long cable does not raise the profile of all others. */
        {{{"CABLE_LENGTH", "AZURE", "Ethernet0", "40000m"}}, "/BUFFER_PROFILE/" LOSSLESS "/xoff", NULL, 0},
        /* Nor do thresholds follow a pool of the wrong size. */
        {{{"BUFFER_POOL", "ingress_lossless_pool", "size", "300032"}},
         "/WRED_PROFILE/AZURE_LOSSLESS/green_max_threshold",
         NULL,
         0},
        {{{"BUFFER_POOL", "egress_lossless_pool", "size", "-32000000"}},
         "/BUFFER_PROFILE/egress_lossless_profile/static_th",
         NULL,
         0},
        /* What cannot be read is not replaced. */
        {{{"BUFFER_PROFILE", LOSSLESS, "xoff", "65536.5"}}, "/BUFFER_PROFILE/" LOSSLESS "/xoff", NULL, 0},
        /* A watchdog of groups that have headroom stays: pfc_enable lacks them. */
        {{{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "3,4"},
          {"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfc_enable", NULL}},
         "/PORT_QOS_MAP/Ethernet0,Ethernet4/pfcwd_sw_enable",
         NULL,
         0},
        {{{"TC_TO_QUEUE_MAP", "AZURE", "4", "1"}}, "/TC_TO_QUEUE_MAP/AZURE/4", "4", 1},
        {{{"TC_TO_QUEUE_MAP", "AZURE", "1", "3"}, {"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "1", "0"}},
         "/TC_TO_QUEUE_MAP/AZURE/1",
         "1",
         1},
        {{{"TC_TO_QUEUE_MAP", "AZURE", "1", "1"}, {"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "1", "3"}},
         "/TC_TO_PRIORITY_GROUP_MAP/AZURE/1",
         "0",
         1},
        {{{"TC_TO_QUEUE_MAP", "AZURE", "5", "5"},
          {"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "5", "0"},
          {"MAP_PFC_PRIORITY_TO_QUEUE", "AZURE", "4", "5"}},
         "/MAP_PFC_PRIORITY_TO_QUEUE/AZURE/4",
         "4",
         1},
        {{{"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfcwd_sw_enable", "3,5"}},
         "/PORT_QOS_MAP/Ethernet0,Ethernet4/pfcwd_sw_enable",
         "3,4",
         1},
    };
    for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct sonic_given given = sonic_given_small();
        char *text = sonic_edited(wanted[i].edits, EDITS);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        struct lint_fix fix;
        assert_true(lint_mend(&fix, &judged->model, &judged->error));
        const char *value = changed_to(&fix, wanted[i].path);
        if ((value == NULL) != (wanted[i].value == NULL) || (value != NULL && strcmp(value, wanted[i].value) != 0))
            fail_msg("%s: %s", wanted[i].path, value != NULL ? value : "no change");
        if (fix.changes != wanted[i].changes)
            fail_msg("%s: %u changes", wanted[i].path, fix.changes);
        sonic_judged_free(judged);
        lint_fix_free(&fix);
        free(text);
    }
}

/* A redacted copy has the same findings, in the same order. */
static void redact__lints_alike(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sonic_given given = sonic_given_small();
        char *text = sonic_edited(cases[i].edits, EDITS);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        json_t *tree = sonic_redact(&judged->model);
        assert_non_null(tree);
        char *redacted = json_dumps(tree, 0);
        struct sonic_judged *again = sonic_judge(redacted, NULL, &given);
        assert_true(again->good);
        uint32_t count = judged->lint.findings.count;
        bool is_same = again->lint.findings.count == count;
        for (uint32_t f = 0; is_same && f < count; f++)
            is_same = LINT_FINDINGS(&judged->lint)[f].rule == LINT_FINDINGS(&again->lint)[f].rule &&
                      LINT_FINDINGS(&judged->lint)[f].severity == LINT_FINDINGS(&again->lint)[f].severity;
        if (!is_same)
            fail_with_findings(again, cases[i].rule);
        sonic_judged_free(again);
        sonic_judged_free(judged);
        json_decref(tree);
        free(redacted);
        free(text);
    }
}

/* A quarter of the shared headroom pool is what a group finds in its pipe. */
static void oversubscribed__counts_a_pipe(void **state)
{
    (void)state;
    static const struct {
        const char *xoff;
        enum lint_severity severity; /* LINT_SEVERITIES: no finding */
    } pools[] = {{"262144", LINT_SEVERITIES}, {"261888", LINT_ERROR}};
    for (uint32_t i = 0; i < 2; i++) {
        const struct sonic_edit edit = {"BUFFER_POOL", "ingress_lossless_pool", "xoff", pools[i].xoff};
        struct sonic_given given = sonic_given_small();
        given.pipes = 4;
        char *text = sonic_edited(&edit, 1);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        const struct lint_finding *finding = sonic_finding(judged, "headroom-oversubscribed");
        assert_int_equal(finding != NULL ? finding->severity : LINT_SEVERITIES, pools[i].severity);
        if (finding != NULL) {
            assert_non_null(
                strstr(finding->text, "65472 B in each of 4 pipes, are the headroom of 0 of 2 lossless groups"));
            assert_string_equal(LINT_CHANGES(&judged->lint)[finding->first_change].value, "262144");
        }
        sonic_judged_free(judged);
        free(text);
    }
}

/* One line of a map is one finding, however many ports have it, and says what happens. */
static void maps__are_judged_once(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {{"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "4", "3"},
                                              {"PORT_QOS_MAP", "Ethernet0,Ethernet4", NULL, NULL},
                                              {"PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3,4"},
                                              {"PORT_QOS_MAP", "Ethernet0", "tc_to_pg_map", "AZURE"},
                                              {"PORT_QOS_MAP", "Ethernet0", "tc_to_queue_map", "AZURE"},
                                              {"PORT_QOS_MAP", "Ethernet4", "pfc_enable", "3,4"},
                                              {"PORT_QOS_MAP", "Ethernet4", "tc_to_pg_map", "AZURE"},
                                              {"PORT_QOS_MAP", "Ethernet4", "tc_to_queue_map", "AZURE"}};
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, 8);
    struct sonic_judged *judged = sonic_judge(text, NULL, &given);
    assert_int_equal(lint_count(&judged->lint, LINT_ERROR), 1);
    assert_non_null(strstr(sonic_finding(judged, "map-mismatch")->text, "priority 4 is never paused for it"));
    sonic_judged_free(judged);
    free(text);
}

/* Both priorities of PFC guard one group: no mismatch, and the other group is named as it is. */
static void maps__may_guard_a_group_twice(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {{"TC_TO_PRIORITY_GROUP_MAP", "AZURE", "4", "3"},
                                              {"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "AZURE", "3", "3"},
                                              {"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "AZURE", "4", "3"},
                                              {"PORT_QOS_MAP", "Ethernet0,Ethernet4", "pfc_to_pg_map", "AZURE"}};
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, 4);
    struct sonic_judged *judged = sonic_judge(text, NULL, &given);
    assert_null(sonic_finding(judged, "map-mismatch"));
    assert_non_null(strstr(sonic_finding(judged, "headroom-without-pfc")->text, "pfc_to_pg_map of the port"));
    sonic_judged_free(judged);
    free(text);
}

/* A patch, applied as RFC 6902 says, makes the mended tree. Only what lint_mend writes: test, add, replace. */
static void apply_patch(json_t *tree, const json_t *patch)
{
    size_t i;
    json_t *row;
    json_array_foreach(patch, i, row)
    {
        char path[256], *names[3] = {NULL}, *at = path;
        uint32_t count = 0;
        snprintf(path, sizeof path, "%s", json_string_value(json_object_get(row, "path")) + 1);
        for (char *name = strtok_r(path, "/", &at); name != NULL; name = strtok_r(NULL, "/", &at)) {
            char *tilde = strstr(name, "~1");
            if (tilde != NULL) {
                *tilde = '/';
                memmove(tilde + 1, tilde + 2, strlen(tilde + 2) + 1);
            }
            names[count++] = name;
        }
        json_t *parent = tree;
        for (uint32_t n = 0; n + 1 < count; n++)
            parent = json_object_get(parent, names[n]);
        assert_non_null(parent);
        const char *operation = json_string_value(json_object_get(row, "op"));
        json_t *old = json_object_get(parent, names[count - 1]), *value = json_object_get(row, "value");
        if (strcmp(operation, "test") == 0)
            assert_true(json_equal(old, value));
        else
            assert_true((strcmp(operation, "replace") == 0) == (old != NULL));
        json_object_set_new(parent, names[count - 1], json_deep_copy(value));
    }
}

static void mend__writes_the_patch_that_it_made(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {{"DEVICE_METADATA", "localhost", "buffer_model", "dynamic"},
                                              {"BUFFER_PG", NULL, NULL, NULL},
                                              {"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "9"},
                                              {"SCHEDULER", "a/b", "weight", "0"}};
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, 4);
    struct sonic_judged *judged = sonic_judge(text, NULL, &given);
    struct lint_fix fix;
    assert_true(lint_mend(&fix, &judged->model, &judged->error));
    json_t *tree = json_loads(text, 0, NULL);
    apply_patch(tree, fix.patch);
    assert_true(json_equal(tree, fix.tree));
    assert_non_null(json_object_get(json_object_get(tree, "BUFFER_PG"), "Ethernet4|4"));
    json_decref(tree);
    lint_fix_free(&fix);
    sonic_judged_free(judged);
    free(text);
}

static void mend__changes_nothing_of_a_sane_switch(void **state)
{
    (void)state;
    struct sonic_given given = sonic_given_small();
    struct sonic_judged *judged = sonic_judge(sonic_sane, NULL, &given);
    struct lint_fix fix;
    assert_true(lint_mend(&fix, &judged->model, &judged->error));
    json_t *tree = json_loads(sonic_sane, 0, NULL);
    assert_true(json_equal(tree, fix.tree));
    assert_int_equal(json_array_size(fix.patch), 0);
    json_decref(tree);
    lint_fix_free(&fix);
    sonic_judged_free(judged);
}

/* sonic-buildimage 28657: 614370 and 194176 cells, 808546, of 636183. */
static void mmu__finds_the_tomahawk6_that_did_not_come_back(void **state)
{
    (void)state;
    static const char text[] =
        "{\"DEVICE_METADATA\": {\"localhost\": {\"hwsku\": \"NH-4210-F-O256\", "
        "\"platform\": \"x86_64-nexthop_4210-r0\"}},"
        " \"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"type\": \"ingress\", \"mode\": \"dynamic\", "
        "\"size\": \"258035400\","
        " \"xoff\": \"81553920\"}}}";
    struct sonic_given given;
    sonic_given_init(&given);
    struct sonic_judged *judged = sonic_judge(text, NULL, &given);
    const struct lint_finding *finding = sonic_finding(judged, "mmu-overcommit");
    assert_non_null(finding);
    assert_int_equal(finding->severity, LINT_ERROR);
    assert_non_null(strstr(finding->text, "614370 cells"));
    assert_non_null(strstr(finding->text, "194176 cells"));
    assert_non_null(strstr(finding->text, "172363 cells) more"));
    assert_non_null(strstr(finding->text, "636183 cells"));
    assert_string_equal(LINT_CHANGES(&judged->lint)[finding->first_change].value, "185642940");
    sonic_judged_free(judged);
}

/* The same numbers where nobody knows what xoff means: both are tried, and it is said. */
static void mmu__tries_both_readings_of_xoff(void **state)
{
    (void)state;
    struct sonic_given given = sonic_given_small();
    given.xoff = PLATFORM_XOFF_UNKNOWN;
    static const struct sonic_edit edits[][2] = {{{"BUFFER_POOL", "ingress_lossless_pool", "xoff", "4000000"}},
                                                 {{"BUFFER_POOL", "ingress_lossless_pool", "size", "36000256"}}};
    for (uint32_t i = 0; i < 2; i++) {
        char *text = sonic_edited(edits[i], 2);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        const struct lint_finding *finding = sonic_finding(judged, "mmu-overcommit");
        assert_non_null(finding);
        assert_int_equal(finding->severity, i == 0 ? LINT_WARNING : LINT_ERROR);
        assert_non_null(strstr(finding->text, i == 0 ? "inside, it fits" : "inside, it does not fit either"));
        sonic_judged_free(judged);
        free(text);
    }
}

/* sonic-buildimage 21320: the numbers of mmuconfig before the change, and 32689152 after it. */
static void egress__finds_the_trident3_that_dropped_at_the_egress(void **state)
{
    (void)state;
    static const char format[] =
        "{\"DEVICE_METADATA\": {\"localhost\": {\"hwsku\": \"Arista-7050CX3-32S-D48C8\"}}, \"BUFFER_POOL\": {"
        "\"egress_lossless_pool\": {\"mode\": \"static\", \"size\": \"%s\", \"type\": \"egress\"},"
        "\"ingress_lossless_pool\": {\"mode\": \"dynamic\", \"size\": \"32689152\", \"type\": \"ingress\", "
        "\"xoff\": \"2058240\"}}}";
    static const char *const sizes[] = {"32340992", "32689152"};
    struct sonic_given given;
    sonic_given_init(&given);
    for (uint32_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, format, sizes[i]);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        const struct lint_finding *finding = sonic_finding(judged, "egress-smaller");
        assert_int_equal(finding != NULL, i == 0);
        if (finding != NULL) {
            assert_non_null(strstr(finding->text, "348160 B (1360 cells) less"));
            assert_string_equal(LINT_CHANGES(&judged->lint)[finding->first_change].value, "32689152");
        }
        sonic_judged_free(judged);
    }
}

/* sonic-mgmt qos_params.th.yaml and qos_params.th2.yaml: packets of one cell that trigger PFC, 6542 and 4457, after the
 * 6 cells of the minimum; pools of 10875072 B with alpha 1 and 33329088 B with 1/8, in 4 pipes. */
static const char lookup[] = "# speed cable size xon xoff threshold xon_offset\n100000 5m 1280 2304 55296 0 2304\n";

/* sonic-buildimage 23059 and 25606: no row, no profile. */
static void lookup__finds_a_cable_without_a_row(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {
        {"BUFFER_PG", "Ethernet0|3-4", NULL, NULL},    {"BUFFER_PG", "Ethernet4|3-4", NULL, NULL},
        {"BUFFER_PROFILE", LOSSLESS, NULL, NULL},      {"CABLE_LENGTH", "AZURE", "Ethernet0", "5m"},
        {"CABLE_LENGTH", "AZURE", "Ethernet4", "50m"},
    };
    static const char *const skipped[] = {"no-lookup-row", "pfc-without-headroom", "headroom-short", "ecn-after-pfc"};
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, 5);
    struct sonic_judged *judged = sonic_judge(text, lookup, &given);
    const struct lint_finding *finding = sonic_finding(judged, "no-lookup-row");
    assert_non_null(finding);
    assert_string_equal(finding->key, "Ethernet4");
    assert_null(sonic_finding(judged, "pfc-without-headroom"));
    sonic_judged_free(judged);
    /* Without the table nothing is said but that it is needed. */
    judged = sonic_judge(text, NULL, &given);
    assert_null(sonic_finding(judged, "no-lookup-row"));
    assert_null(sonic_finding(judged, "pfc-without-headroom"));
    for (uint32_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++) {
        bool is_there = false;
        for (uint32_t s = 0; s < judged->lint.skips.count; s++)
            is_there |= strcmp(LINT_SKIPS(&judged->lint)[s].rule->name, skipped[i]) == 0;
        if (!is_there)
            fail_msg("%s is not among what was not checked", skipped[i]);
    }
    sonic_judged_free(judged);
    free(text);
}

static void lookup__is_judged_by_the_formula(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {{"BUFFER_PG", "Ethernet0|3-4", NULL, NULL},
                                              {"CABLE_LENGTH", "AZURE", "Ethernet0", "5m"}};
    static const char little[] = "100000 5m 1280 2304 25600 99\n";
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, 2);
    struct sonic_judged *judged = sonic_judge(text, little, &given);
    const struct lint_finding *finding = sonic_finding(judged, "headroom-short");
    assert_non_null(finding);
    assert_string_equal(finding->place.file, "pg_profile_lookup.ini");
    assert_int_equal(finding->place.line, 1);
    assert_non_null(sonic_finding(judged, "alpha-range"));
    sonic_judged_free(judged);
    judged = sonic_judge(text, lookup, &given);
    assert_null(sonic_finding(judged, "headroom-short"));
    sonic_judged_free(judged);
    free(text);
}

/* The last of two rows is the one that counts, and the first is named. */
static void lookup__takes_the_last_row(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {{"BUFFER_PG", "Ethernet0|3-4", NULL, NULL},
                                              {"CABLE_LENGTH", "AZURE", "Ethernet0", "5m"}};
    static const char twice[] = "100000 5m 1280 2304 25600 0\n100000 5m 1280 2304 55296 0\n";
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, 2);
    struct sonic_judged *judged = sonic_judge(text, twice, &given);
    const struct lint_finding *finding = sonic_finding(judged, "lookup-row-twice");
    assert_non_null(finding);
    assert_int_equal(finding->place.line, 1);
    assert_null(sonic_finding(judged, "headroom-short"));
    assert_int_equal(MODEL_GROUPS(&judged->model)[0].xoff, 55296);
    sonic_judged_free(judged);
    judged = sonic_judge(text, lookup, &given);
    assert_null(sonic_finding(judged, "lookup-row-twice"));
    sonic_judged_free(judged);
    free(text);
}

/* sonic-swss 3272: 8192 and 20 cells of 144 B. */
static void port_cap__finds_too_much_headroom_of_a_port(void **state)
{
    (void)state;
    static const struct sonic_edit edits[] = {{"DEVICE_METADATA", "localhost", "platform", "x86_64-mlnx_msn4700-r0"},
                                              {"BUFFER_PROFILE", LOSSLESS, "xoff", "591264"},
                                              {"BUFFER_PROFILE", LOSSLESS, "xon", "0"},
                                              {"BUFFER_PROFILE", LOSSLESS, "size", "0"},
                                              {"BUFFER_PROFILE", LOSSLESS, "xoff", "591265"}};
    struct sonic_given given;
    sonic_given_init(&given);
    for (uint32_t i = 4; i <= 5; i++) {
        char *text = sonic_edited(edits, i);
        struct sonic_judged *judged = sonic_judge(text, NULL, &given);
        assert_string_equal(judged->model.platform.name, "spectrum3");
        assert_int_equal(sonic_finding(judged, "port-headroom-cap") != NULL, i == 5);
        sonic_judged_free(judged);
        free(text);
    }
}

/* A profile without headroom gets that of the link that needs most. */
static void mend__takes_the_row_of_the_longest_link(void **state)
{
    static const char links[] = "100000 40m 1280 2304 100096 0\n100000 300m 1280 2304 512000 0\n";
    static const struct sonic_edit edits[] = {{"BUFFER_PROFILE", LOSSLESS, NULL, NULL},
                                              {"BUFFER_PROFILE", "pg_lossless_all", "pool", "ingress_lossless_pool"},
                                              {"BUFFER_PROFILE", "pg_lossless_all", "size", "1280"},
                                              {"BUFFER_PROFILE", "pg_lossless_all", "dynamic_th", "0"},
                                              {"BUFFER_PG", "Ethernet0|3-4", "profile", "pg_lossless_all"},
                                              {"BUFFER_PG", "Ethernet4|3-4", "profile", "pg_lossless_all"},
                                              {"CABLE_LENGTH", "AZURE", "Ethernet4", "300m"}};
    struct sonic_given given = sonic_given_small();
    char *text = sonic_edited(edits, sizeof edits / sizeof edits[0]);
    struct sonic_judged *judged = sonic_judge(text, links, &given);
    struct lint_fix fix;
    (void)state;
    assert_true(judged->good && lint_mend(&fix, &judged->model, &judged->error));
    const char *xoff = changed_to(&fix, "/BUFFER_PROFILE/pg_lossless_all/xoff");
    assert_non_null(xoff);
    assert_string_equal(xoff, "512000");
    lint_fix_free(&fix);
    sonic_judged_free(judged);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mend__takes_the_row_of_the_longest_link),
        cmocka_unit_test(lint__has_no_finding_of_a_sane_switch),
        cmocka_unit_test(lint__has_no_finding_at_the_limits),
        cmocka_unit_test(rule__finds_its_case),
        cmocka_unit_test(rules__are_all_tried),
        cmocka_unit_test(rules__find_injected_mistakes),
        cmocka_unit_test(mend__leaves_no_finding_where_changes_are_known),
        cmocka_unit_test(mend__makes_the_smallest_change),
        cmocka_unit_test(redact__lints_alike),
        cmocka_unit_test(oversubscribed__counts_a_pipe),
        cmocka_unit_test(maps__are_judged_once),
        cmocka_unit_test(maps__may_guard_a_group_twice),
        cmocka_unit_test(mend__writes_the_patch_that_it_made),
        cmocka_unit_test(mend__changes_nothing_of_a_sane_switch),
        cmocka_unit_test(mmu__finds_the_tomahawk6_that_did_not_come_back),
        cmocka_unit_test(mmu__tries_both_readings_of_xoff),
        cmocka_unit_test(egress__finds_the_trident3_that_dropped_at_the_egress),
        cmocka_unit_test(lookup__finds_a_cable_without_a_row),
        cmocka_unit_test(lookup__is_judged_by_the_formula),
        cmocka_unit_test(lookup__takes_the_last_row),
        cmocka_unit_test(port_cap__finds_too_much_headroom_of_a_port),
    };
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/operate/platforms", getenv("WEIR_ROOT") != NULL ? getenv("WEIR_ROOT") : ".");
    setenv("WEIR_PLATFORMS", folder, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * scenario.c - see scenario.h. The switch is its plan (plan.h): groups and queues with their profiles, pools by pipe,
 * headroom; schedulers, ECN and watchdog as they are set.
 */
#include "operate/evaluate/scenario.h"

#include <inttypes.h>
#include <string.h>

#include "operate/model/plan.h"
#include "weir/params.h"

#define CLASSES PLAN_CLASSES
#define METRE_NS 5.0
#define LOAD 0.2
#define ROUNDS 4u /* of a collective */
#define PACKET_BYTES_MAX 32000

static void put_classes(FILE *out, uint32_t mask)
{
    const char *before = "[";
    for (uint32_t c = 0; c < CLASSES; c++)
        if (mask >> c & 1) {
            fprintf(out, "%s%u", before, c);
            before = ", ";
        }
    fputs("]", out);
}

/* Parameters of a side that differ from their defaults, by class or by pool. */
static void put_policy(FILE *out, const struct sonic_plan *plan, enum plan_side side)
{
    const struct weir_policy *policy = weir_policy_find(side == PLAN_INGRESS ? "sai-groups" : "sai-queues");
    struct weir_values values, usual;
    plan_values(plan, side, &values);
    weir_values_init(&usual, policy);
    fprintf(out, "  %s:\n    name: %s\n", side == PLAN_INGRESS ? "headroom" : "policy", policy->name);
    for (uint32_t p = 0; p < policy->param_count; p++) {
        if (memcmp(values.of[p], usual.of[p], sizeof values.of[p]) == 0)
            continue;
        const struct weir_param *param = &policy->params[p];
        fprintf(out, "    %s: %s", param->name, param->per_class ? "[" : "");
        for (uint32_t i = 0; i < (param->per_class ? CLASSES : 1); i++) {
            char text[64];
            weir_value_format(text, sizeof text, param, values.of[p][i]);
            fprintf(out, "%s%s", i > 0 ? ", " : "", text);
        }
        fprintf(out, "%s\n", param->per_class ? "]" : "");
    }
}

static void put_numbers(FILE *out, const char *key, const int64_t values[CLASSES], const char *unit)
{
    fprintf(out, "%s: [", key);
    for (uint32_t c = 0; c < CLASSES; c++)
        fprintf(out, "%s%" PRId64 "%s", c > 0 ? ", " : "", values[c], unit);
    fputs("]", out);
}

/* True: lossless classes are marked. */
static bool put_ecn(FILE *out, const struct sonic_plan *plan)
{
    int64_t low[CLASSES] = {0}, high[CLASSES] = {0}, percent[CLASSES] = {0};
    bool any = false, lossless = plan->lossless != 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct plan_wred wred = plan_wred_of(plan, c);
        bool marks = wred.is_set && wred.marks;
        if (marks) {
            low[c] = wred.low;
            high[c] = wred.high;
            percent[c] = wred.percent;
        }
        any |= marks;
        lossless &= marks || !(plan->lossless >> c & 1);
    }
    if (!any)
        return false;
    fputs("  ecn: {kind: [", out);
    for (uint32_t c = 0; c < CLASSES; c++)
        fprintf(out, "%s%s", c > 0 ? ", " : "", high[c] > 0 ? "red" : "none");
    fputs("],\n        ", out);
    put_numbers(out, "low", low, "B");
    fputs(",\n        ", out);
    put_numbers(out, "high", high, "B");
    fputs(",\n        ", out);
    put_numbers(out, "chance", percent, "%");
    fputs("}\n", out);
    return lossless;
}

static bool is_strict(const struct sonic_scheduler *scheduler)
{
    return scheduler != NULL && scheduler->type != NULL && strcmp(scheduler->type, "STRICT") == 0;
}

/* The name of a port as a comment: what might end the line is not in it. */
static void put_name(FILE *out, const char *name)
{
    for (uint32_t i = 0; name[i] != '\0' && i < 60; i++)
        fputc(name[i] > ' ' && name[i] < 127 ? name[i] : '?', out);
}

static void put_switch(FILE *out, const struct sonic_plan *plan, bool *marks)
{
    int64_t private[CLASSES];
    int64_t cells = plan_shared_cells(plan) + plan_private_cells(plan) + plan_headroom_cells(plan);
    for (uint32_t c = 0; c < CLASSES; c++)
    private[c] = plan_private(plan, c) * plan->cell;
    fprintf(out, "switch:\n  classes: %u\n  cell: %" PRId64 "B\n  buffer: %" PRId64 "B\n", CLASSES, plan->cell,
            cells * plan->cell);
    if (plan->pipes > 1)
        fprintf(out, "  ports_per_memory: %u\n", plan->per_pipe);
    put_numbers(out, "  private", private, "B");
    fputc('\n', out);
    if (plan->lossless != 0) {
        fputs("  lossless: ", out);
        put_classes(out, plan->lossless);
        fputc('\n', out);
        put_policy(out, plan, PLAN_INGRESS);
    }
    put_policy(out, plan, PLAN_EGRESS);
    int64_t weights[CLASSES];
    uint32_t strict_from = CLASSES;
    while (strict_from > 0 && is_strict(plan->scheduler[strict_from - 1]))
        strict_from--;
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct sonic_scheduler *scheduler = plan->scheduler[c];
        weights[c] = scheduler != NULL && scheduler->weight >= 1 && scheduler->weight <= 100 ? scheduler->weight : 1;
    }
    if (strict_from < CLASSES)
        fprintf(out, "  scheduler: strict-drr\n  strict_from: %u\n  ", strict_from);
    else
        fputs("  scheduler: drr\n  ", out);
    put_numbers(out, "weights", weights, "");
    fputs("\n", out);
    *marks = put_ecn(out, plan);
}

static void put_pfc(FILE *out, const struct sonic_model *model)
{
    fputs("pfc:\n  processing: standard\n", out);
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(model->config, sonic_watchdog, SONIC_PFC_WD, i);
        if (watchdog->detection_ms < 100 || watchdog->detection_ms > 5000)
            continue;
        bool forward = watchdog->action != NULL && strcmp(watchdog->action, "forward") == 0;
        bool alert = watchdog->action != NULL && strcmp(watchdog->action, "alert") == 0;
        fprintf(out, "  watchdog: {detect: %" PRId64 "ms, restore: %" PRId64 "ms, action: %s}\n",
                watchdog->detection_ms,
                watchdog->restoration_ms >= 100 && watchdog->restoration_ms <= 60000 ? watchdog->restoration_ms : 200,
                forward ? "forward"
                : alert ? "alert"
                        : "drop");
        return;
    }
}

/* A name in quotes, as YAML wants it. */
static void put_file(FILE *out, const char *item, const char *transport, const char *file)
{
    fprintf(out, "%s%s, file: '", item, transport);
    for (; *file != '\0'; file++) {
        if (*file == '\'')
            fputc('\'', out);
        fputc(*file, out);
    }
    fputc('\'', out);
}

/* Classes of a capture, but for class 0. */
static void put_dscp(FILE *out, const struct sonic_plan *plan)
{
    bool any = false;
    for (uint32_t tc = 1; tc < CLASSES; tc++) {
        const char *before = "";
        for (uint32_t dscp = 0; dscp < SONIC_MAP_MAX; dscp++) {
            if (plan_class_of_dscp(plan, dscp) != tc)
                continue;
            if (before[0] == '\0')
                fprintf(out, "%s%u: [", any ? "], " : ", dscp: {", tc);
            fprintf(out, "%s%u", before, dscp);
            before = ", ";
            any = true;
        }
    }
    fputs(any ? "]}" : "", out);
}

static void put_traffic(FILE *out, const struct sonic_plan *plan, const struct sonic_traffic *traffic, bool marks)
{
    uint32_t lossy = ~plan->lossless & 0xff;
    uint32_t low = lossy != 0 ? (uint32_t)__builtin_ctz(lossy) : 0;
    uint32_t high = lossy != 0 ? 31 - (uint32_t)__builtin_clz(lossy) : 7;
    fputs("transports:\n", out);
    if (plan->lossless != 0) {
        fprintf(out, "  rdma: {kind: %s, class: ", marks ? "dcqcn" : "none");
        put_classes(out, plan->lossless);
        fprintf(out, ", ack_class: %u}\n", high);
    }
    if (traffic->kind == SONIC_TRAFFIC_PCAP)
        fputs("  packets: {kind: udp}\n", out);
    fprintf(out, "  tcp: {kind: cubic, class: %u}\n\ntraffic:\n", low);
    const char *best = plan->lossless != 0 ? "rdma" : "tcp";
    enum sonic_traffic_kind kind = traffic->kind;
    double load = traffic->load > 0 ? traffic->load : LOAD;
    if (kind == SONIC_TRAFFIC_MIX || kind == SONIC_TRAFFIC_INCAST || kind == SONIC_TRAFFIC_RDMA)
        fprintf(out,
                "  - {kind: incast, tag: incast, transport: %s, sources: h1-h%u, destination: h0, bytes: %" PRId64
                "B}\n",
                best, plan->count - 1, traffic->incast_bytes);
    if (kind == SONIC_TRAFFIC_MIX || kind == SONIC_TRAFFIC_WEBSEARCH || kind == SONIC_TRAFFIC_RDMA)
        fprintf(out, "  - {kind: poisson, tag: background, transport: %s, sizes: websearch, load: %.3g}\n",
                kind == SONIC_TRAFFIC_RDMA ? best : "tcp", load);
    if (kind == SONIC_TRAFFIC_ALL_REDUCE || kind == SONIC_TRAFFIC_ALL_TO_ALL)
        fprintf(out,
                "  - {kind: collective, tag: collective, transport: %s, operation: %s, bytes: %" PRId64
                "B, rounds: %u}\n",
                best, kind == SONIC_TRAFFIC_ALL_REDUCE ? "all-reduce" : "all-to-all", traffic->incast_bytes, ROUNDS);
    if (kind == SONIC_TRAFFIC_FLOWS)
        put_file(out, "  - {kind: list, tag: flows, transport: ", best, traffic->file);
    if (kind == SONIC_TRAFFIC_PCAP) {
        put_file(out, "  - {kind: packets, tag: packets, format: pcap, transport: ", "packets", traffic->file);
        put_dscp(out, plan);
    }
    if (kind == SONIC_TRAFFIC_FLOWS || kind == SONIC_TRAFFIC_PCAP)
        fputs("}\n", out);
}

/* Links need what thresholds do not. */
static bool check_links(const struct sonic_plan *plan, struct weir_error *error)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct sonic_port *port = plan->ports[i];
        if (model_speed(plan->model, port) == SONIC_ABSENT)
            return weir_fail(error, WEIR_ERROR_INPUT, "the speed of port %.60s is not known (expected PORT, or --rate)",
                             port->name);
        if (model_cable(plan->model, port) < 0)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "the cable of port %.60s is not known (expected CABLE_LENGTH, or --cable)", port->name);
    }
    return true;
}

/* Hosts send lossless packets of the size that is usual; captured packets are as large as ports let them be. */
static int64_t packet_bytes(const struct sonic_plan *plan, enum sonic_traffic_kind kind)
{
    int64_t most = plan->model->lossless_mtu;
    for (uint32_t i = 0; kind == SONIC_TRAFFIC_PCAP && i < plan->count; i++)
        most = model_mtu(plan->ports[i]) > most ? model_mtu(plan->ports[i]) : most;
    return most < PACKET_BYTES_MAX ? most : PACKET_BYTES_MAX;
}

bool sonic_write_scenario(const struct sonic_model *model, const struct sonic_traffic *traffic, FILE *out,
                          struct weir_error *error)
{
    struct sonic_plan plan;
    bool marks = false;
    bool good = sonic_plan_make(&plan, model, NULL, traffic->ports, error) && check_links(&plan, error);
    if (good) {
        fputs("# Made of the configuration of a switch: a host at each port, the buffer as it is set.\n", out);
        const struct sonic_port *first[2];
        uint32_t ports[2];
        for (uint32_t i = 0; i < plan.note_count; i++)
            fprintf(out, "# Note: %s.\n", plan.notes[i]);
        if (plan_kinds(plan.model, first, ports, 2) > 1) {
            fputs("# Note: ports differ; all have the profiles of ", out);
            put_name(out, plan.as->name);
            fputs(".\n", out);
        }
        fprintf(out, "name: switch\nuntil: %" PRId64 "us\n\n", traffic->until_us);
        fprintf(out, "topology:\n  kind: explicit\n  hosts: %u\n  switches: 1\n  links:\n", plan.count);
        for (uint32_t i = 0; i < plan.count; i++) {
            fprintf(out, "    - {a: h%u, b: s0, rate: %" PRId64 "Mbps, delay: %.3fns}    # ", i,
                    model_speed(model, plan.ports[i]), model_cable(model, plan.ports[i]) * METRE_NS);
            put_name(out, plan.ports[i]->name);
            fputc('\n', out);
        }
        fprintf(out, "\nwire: {mss: %" PRId64 "B, header: 70B}\n\n", packet_bytes(&plan, traffic->kind));
        put_switch(out, &plan, &marks);
        fputc('\n', out);
        if (plan.lossless != 0) {
            put_pfc(out, model);
            fputc('\n', out);
        }
        put_traffic(out, &plan, traffic, marks);
    }
    sonic_plan_free(&plan);
    return good;
}

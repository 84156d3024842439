/*
 * counters.c - see counters.h.
 */
#include "switch/control/counters.h"

#include <stdio.h>

#include "cli/output.h"
#include "switch/control/metrics.h"

static json_t *views_json(const struct switch_metric *metric, const void *counters)
{
    json_t *views = json_object();
    for (uint32_t view = 0; view < WEIR_WM_COUNT; view++)
        views = output_json_set(views, switch_view_name((enum weir_watermark_view)view),
                                json_integer((json_int_t)switch_metric_value(metric, counters, view)));
    return views;
}

/* Every metric of the table, into `object`. */
static json_t *put_metrics(json_t *object, const struct switch_metric *metrics, const void *counters)
{
    for (; metrics->name != NULL; metrics++)
        object = output_json_set(object, metrics->name,
                                 metrics->kind == METRIC_WATERMARK
                                     ? views_json(metrics, counters)
                                     : json_integer((json_int_t)switch_metric_value(metrics, counters, 0)));
    return object;
}

/* Of a port, or of the switch, by SAI's names. */
static json_t *put_trims(json_t *object, const struct switch_totals *totals, const char *of)
{
    const struct {
        const char *name;
        uint64_t packets;
    } sums[] = {{"TRIM", totals->trim_packets},
                {"TX_TRIM", totals->tx_trim_packets},
                {"DROPPED_TRIM", totals->dropped_trim_packets}};
    char name[64];
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        snprintf(name, sizeof name, "SAI_%s_STAT_%s_PACKETS", of, sums[i].name);
        object = output_json_set(object, name, json_integer((json_int_t)sums[i].packets));
    }
    return object;
}

static json_t *port_json(const struct switch_snapshot *s, uint32_t port)
{
    const struct dataplane_port_counters *counters = &s->port[port];
    json_t *discarded = json_object();
    for (uint32_t why = 0; why < DATAPLANE_DISCARDS; why++)
        discarded = output_json_set(discarded, dataplane_discard_name((enum dataplane_discard)why),
                                    json_integer((json_int_t)counters->discarded[why]));
    json_t *object = json_pack("{s:i, s:b, s:b, s:b}", "port", (int)port, "link_up", counters->link_up, "away",
                               counters->away, "missed_counted", counters->device_missed_seen);
    object = put_metrics(object, switch_port_metrics, counters);
    const struct switch_totals totals = switch_snapshot_totals(s, port);
    object = put_trims(object, &totals, "PORT");
    object = output_json_set(object, "SAI_PORT_STAT_IF_IN_DISCARDS",
                             json_integer((json_int_t)switch_snapshot_discarded(s, port)));
    return output_json_set(object, "discarded", discarded);
}

static json_t *queue_json(const struct switch_snapshot *s, uint32_t port, uint32_t tc)
{
    uint32_t index = port * s->classes + tc;
    const struct weir_account_counters *counters = &s->queue[index];
    json_t *refused = json_object(), *lost = json_object();
    for (uint32_t reason = 1; reason < WEIR_REASON_COUNT; reason++)
        refused = output_json_set(refused, weir_reason_name((enum weir_reason)reason),
                                  json_integer((json_int_t)counters->refused_by_reason[reason]));
    for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++)
        lost = output_json_set(lost, weir_cause_name((enum weir_cause)cause),
                               json_integer((json_int_t)counters->dropped_by_cause[cause]));
    json_t *object = json_pack("{s:i, s:i}", "port", (int)port, "class", (int)tc);
    object = put_metrics(object, switch_queue_metrics, counters);
    bool limited = s->limited_mask >> tc & 1;
    object = output_json_set(object, "threshold_bytes",
                             limited ? json_integer((json_int_t)s->threshold_bytes[index]) : json_null());
    object = output_json_set(object, "refused_by_reason", refused);
    return output_json_set(object, "lost_by_cause", lost);
}

static bool has_port(const struct switch_request *request, uint32_t port)
{
    return !request->has_port || request->port == port;
}

static bool has_class(const struct switch_request *request, uint32_t tc)
{
    return !request->has_class || request->tc == tc;
}

/* The lossless classes of the inputs that feed an MMU. */
static json_t *groups_json(const struct switch_snapshot *s, const struct switch_request *request)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->memories * s->ports * s->classes; i++) {
        uint32_t tc = i % s->classes, port = i / s->classes % s->ports, memory = i / s->classes / s->ports;
        if (!(s->lossless_mask >> tc & 1) || !has_port(request, port) || !has_class(request, tc))
            continue;
        json_t *object = json_pack("{s:i, s:i, s:i}", "memory", (int)memory, "port", (int)port, "class", (int)tc);
        list = output_json_append(list, put_metrics(object, switch_group_metrics, &s->group[i]));
    }
    return list;
}

/* Pauses that an MMU sent to the peers of its inputs. */
static json_t *inputs_json(const struct switch_snapshot *s, const struct switch_request *request)
{
    json_t *list = json_array();
    for (uint32_t i = 0; s->lossless_mask != 0 && i < s->memories * s->ports; i++) {
        uint32_t port = i % s->ports;
        if (!has_port(request, port))
            continue;
        json_t *object = json_pack("{s:i, s:i}", "memory", (int)(i / s->ports), "port", (int)port);
        list = output_json_append(list, put_metrics(object, switch_input_metrics, &s->pause[i]));
    }
    return list;
}

json_t *switch_counters_json(const struct switch_snapshot *s, const struct switch_request *request)
{
    json_t *ports = json_array(), *pools = json_array();
    for (uint32_t port = 0; port < s->ports; port++)
        if (has_port(request, port))
            ports = output_json_append(ports, port_json(s, port));
    for (uint32_t memory = 0; memory < s->memories; memory++) {
        json_t *object = json_pack("{s:i, s:I}", "memory", (int)memory, "size_bytes", (json_int_t)s->buffer_bytes);
        pools = output_json_append(pools, put_metrics(object, switch_pool_metrics, &s->pool[memory]));
    }
    const struct switch_totals totals = switch_snapshot_totals(s, s->ports);
    json_t *reply = put_trims(json_pack("{s:b}", "ok", 1), &totals, "SWITCH");
    reply = output_json_set(reply, "ports", ports);
    json_t *list = json_array();
    for (uint32_t port = 0; port < s->ports; port++)
        for (uint32_t tc = 0; tc < s->classes; tc++)
            if (has_port(request, port) && has_class(request, tc))
                list = output_json_append(list, queue_json(s, port, tc));
    reply = output_json_set(reply, "queues", list);
    reply = output_json_set(reply, "groups", groups_json(s, request));
    reply = output_json_set(reply, "inputs", inputs_json(s, request));
    return output_json_set(reply, "pools", pools);
}

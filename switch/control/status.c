/*
 * status.c - what the switch is and does now, and changes of its policies' parameters.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/confine.h"
#include "cli/output.h"
#include "cli/version.h"
#include "switch/control/app.h"

/* The policy of a side; null: there is none. */
static const struct weir_policy *switch_policy(const struct switch_app *app, bool ingress)
{
    const struct weir_mmu_config *mmu = app->scenario.dataplane.sw.mmu;
    return ingress ? mmu->ingress : mmu->egress;
}

/* A parameter as it would be written: "8", or of several classes "[8, 1]". */
#define VALUE_MAX 512u
static void value_text(const struct weir_param *param, const int64_t *of, uint32_t classes, char text[VALUE_MAX])
{
    uint32_t count = param->per_class ? classes : 1;
    size_t used = 0;
    while (count > 1 && of[count - 1] == of[count - 2])
        count--;
    for (uint32_t tc = 0; tc < count && used < VALUE_MAX; tc++) {
        char one[64];
        weir_value_format(one, sizeof one, param, of[tc]);
        used += (size_t)snprintf(text + used, VALUE_MAX - used, "%s%s%s",
                                 count == 1 ? ""
                                 : tc == 0  ? "["
                                            : ", ",
                                 one, count > 1 && tc == count - 1 ? "]" : "");
    }
}

static json_t *policy_json(const struct switch_app *app, bool ingress)
{
    const struct weir_policy *policy = switch_policy(app, ingress);
    char text[VALUE_MAX];
    if (policy == NULL)
        return json_null();
    json_t *object = json_pack("{s:s}", "name", policy->name);
    for (uint32_t i = 0; i < policy->param_count; i++) {
        value_text(&policy->params[i], app->values[ingress].of[i], app->snapshot.classes, text);
        object = output_json_set(object, policy->params[i].name, json_string(text));
    }
    return object;
}

static json_t *link_json(const struct switch_app *app, uint32_t port)
{
    const struct dataplane_config *config = &app->scenario.dataplane;
    const struct dataplane_port_counters *counters = &app->snapshot.port[port];
    const struct switch_totals totals = switch_snapshot_totals(&app->snapshot, port);
    json_t *object = json_pack(
        "{s:i, s:o, s:I, s:b, s:b}", "port", (int)port, "device", output_json_string(config->devices[port]), "rate_bps",
        (json_int_t)config->sw.rates_bps[port], "link_up", counters->link_up, "away", counters->away);
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"in_packets", counters->in_packets},
                   {"out_packets", counters->out_packets},
                   {"discarded_packets", switch_snapshot_discarded(&app->snapshot, port)},
                   {"dropped_packets", totals.dropped_packets},
                   {"marked_packets", totals.marked_packets},
                   {"queued_bytes", totals.current_bytes}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        object = output_json_set(object, numbers[i].name, json_integer((json_int_t)numbers[i].value));
    return object;
}

static json_t *trace_json(const struct switch_trace *trace)
{
    if (trace->path == NULL)
        return json_null();
    json_t *object =
        json_pack("{s:o, s:i, s:b, s:I}", "path", output_json_string(trace->path), "memory", (int)trace->memory,
                  "active", trace->active, "bytes", (json_int_t)atomic_load(&trace->taken));
    return trace->failure == NULL ? object : output_json_set(object, "failure", json_string(trace->failure));
}

static json_t *drops_json(const struct switch_app *app)
{
    const struct switch_drops *drops = &app->drops;
    if (drops->path == NULL)
        return json_null();
    return json_pack("{s:o, s:b, s:b, s:I, s:I}", "path", output_json_string(drops->path), "active",
                     drops->capture != NULL, "full", drops->full, "written", (json_int_t)drops->written, "missed",
                     (json_int_t)app->snapshot.drops_missed);
}

static json_t *about_json(const struct switch_app *app)
{
    const struct dataplane_config *config = &app->scenario.dataplane;
    const struct dataplane_status *status = &app->snapshot.status;
    json_t *object = json_pack("{s:b, s:s, s:i, s:o}", "ok", 1, "version", version_text(), "pid", (int)getpid(),
                               "scenario", output_json_string(app->scenario.origin));
    const double seconds = (double)WEIR_PS_PER_S;
    object = output_json_set(object, "up_s", json_real((double)status->up_ps / seconds));
    object = output_json_set(object, "emulated_s", json_real((double)status->now_ps / seconds));
    object = output_json_set(object, "late_max_s", json_real((double)status->late_ps_max / seconds));
    if (app->snapshot.lossless_mask != 0) {
        object = output_json_set(object, "lossless_lost_packets",
                                 json_integer((json_int_t)switch_snapshot_violations(&app->snapshot)));
        object = output_json_set(object, "reaction_s", json_real((double)app->snapshot.reaction_ps / seconds));
        object = output_json_set(object, "away_max_s", json_real((double)status->away_ps_max / seconds));
    }
    object = output_json_set(object, "scale", json_integer(config->time_scale));
    object = output_json_set(object, "classes", json_integer(app->snapshot.classes));
    object = output_json_set(object, "run_to_completion", json_boolean(status->run_to_completion));
    object = output_json_set(object, "huge_pages", json_boolean(status->huge_pages));
    object = output_json_set(object, "mbufs", json_integer(status->mbufs));
    object = output_json_set(object, "mbufs_in_use", json_integer(status->mbufs_in_use));
    object = output_json_set(object, "addresses", json_integer(status->addresses));
    object = output_json_set(object, "uid", json_integer((json_int_t)geteuid()));
    object = output_json_set(object, "filtered_calls", json_boolean(confine_is_filtered()));
    if (app->supervised != NULL) {
        object = output_json_set(object, "restarts", json_integer(app->supervised->restarts));
        object = output_json_set(object, "last_signal", json_integer(app->supervised->last_signal));
    }
    return output_json_set(object, "bursts", json_integer((json_int_t)status->bursts));
}

json_t *switch_status_json(struct switch_app *app)
{
    switch_snapshot_take(&app->snapshot, app->dataplane);
    json_t *memories = json_array(), *ports = json_array();
    for (uint32_t i = 0; i < app->snapshot.memories; i++)
        memories =
            output_json_append(memories, json_pack("{s:I, s:I}", "size_bytes", (json_int_t)app->snapshot.buffer_bytes,
                                                   "used_bytes", (json_int_t)app->snapshot.pool[i].current_bytes));
    for (uint32_t port = 0; port < app->snapshot.ports; port++)
        ports = output_json_append(ports, link_json(app, port));
    json_t *reply = output_json_set(about_json(app), "policy", policy_json(app, false));
    reply = output_json_set(reply, "headroom", policy_json(app, true));
    reply = output_json_set(reply, "trace", trace_json(&app->trace));
    reply = output_json_set(reply, "drops", drops_json(app));
    reply = output_json_set(reply, "memories", memories);
    return output_json_set(reply, "ports", ports);
}

/* "alpha" is of the egress policy; "egress." and "ingress." say which is meant. */
static const char *find_side(const char *key, bool *ingress)
{
    static const char *const sides[] = {"egress.", "ingress."};
    *ingress = false;
    for (uint32_t i = 0; i < 2; i++)
        if (strncmp(key, sides[i], strlen(sides[i])) == 0) {
            *ingress = i == 1;
            return key + strlen(sides[i]);
        }
    return key;
}

bool switch_set(struct switch_app *app, const char *key, const char *value, json_t **reply, struct weir_error *error)
{
    bool ingress;
    char origin[64], old[VALUE_MAX], new[VALUE_MAX];
    const struct scenario_parameter change = {origin, find_side(key, &ingress), value, ingress};
    const struct weir_policy *policy = switch_policy(app, ingress);
    struct weir_values values = app->values[ingress];
    snprintf(origin, sizeof origin, "set %.24s=%.30s", key, value);
    if (policy == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "set: no ingress policy (no class is lossless)");
    if (!scenario_set_parameter(&app->scenario, &change, &values, error))
        return false;
    if (policy->change == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "set: this policy takes no other values while it runs");
    int param = weir_param_find(policy, change.name);
    value_text(&policy->params[param], app->values[ingress].of[param], app->snapshot.classes, old);
    value_text(&policy->params[param], values.of[param], app->snapshot.classes, new);
    if (!dataplane_change(app->dataplane, ingress, &values))
        return weir_fail(error, WEIR_ERROR_INPUT, "set %.24s: stays as it is while the switch runs", key);
    app->values[ingress] = values;
    if (app->supervised != NULL) {
        app->supervised->values[ingress] = values;
        app->supervised->changed[ingress] = true;
    }
    *reply = json_pack("{s:b, s:s, s:s, s:s, s:s}", "ok", 1, "policy", policy->name, "key", change.name, "old", old,
                       "new", new);
    return true;
}

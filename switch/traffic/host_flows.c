/*
 * host_flows.c - see host_flows.h.
 */
#include "switch/traffic/host_flows.h"

#include <stdlib.h>

#include "sim/topology/routes.h"
#include "sim/transport/udp.h"
#include "sim/workload/traffic.h"
#include "weir/fixed.h"

struct planning {
    struct host_flows *plan;
    const struct sim_config *config;
    uint32_t host, scale;
};

static bool flows_add(struct host_flow_list *flows, const struct host_flow *flow)
{
    if (flows->count == flows->room) {
        uint32_t room = flows->room > 0 ? 2 * flows->room : 256;
        struct host_flow *at = realloc(flows->at, room * sizeof *at);
        if (!at)
            return false;
        flows->at = at;
        flows->room = room;
    }
    flows->at[flows->count++] = *flow;
    return true;
}

static int64_t scaled_ns(weir_ps ps, uint32_t scale)
{
    weir_wide ns = (weir_wide)ps * scale / 1000;
    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static bool flow_planned(void *context, uint32_t id, const struct flow_request *request)
{
    const struct planning *planning = context;
    const struct sim_config *config = planning->config;
    uint32_t transport = request->transport;
    struct host_flow flow = {
        .id = id,
        .source = request->source,
        .destination = request->destination,
        .traffic = request->traffic,
        .tag = request->tag,
        .group = request->group,
        .transport = transport,
        .tc = sim_flow_class(config, &config->transports[transport], id),
        .bytes = request->bytes,
        .start_ns = scaled_ns(request->start_ps, planning->scale),
    };
    if (request->destination == planning->host)
        return flows_add(&planning->plan->asked, &flow);
    return request->source != planning->host || flows_add(&planning->plan->answered, &flow);
}

static bool check_transport(const struct scenario *scenario, uint32_t transport, struct mark mark,
                            struct weir_error *error)
{
    const struct sim_transport *settings = &scenario->config.transports[transport];
    return transport_is_real(settings) ||
           error_at(error, mark, "transport %s is only simulated (expected newreno, cubic, dctcp or a steady udp)",
                    settings->kind->name);
}

/* What cannot be made of sockets and a list of starts. */
static bool check_traffic(const struct scenario *scenario, const struct traffic_settings *traffic, uint32_t index,
                          struct weir_error *error)
{
    struct mark mark = scenario->traffic_marks[index];
    if (traffic_is_closed(traffic))
        return error_at(error, mark,
                        "traffic whose flows follow from one another is only simulated (expected poisson, "
                        "query, incast, bursts, long, on-off or list)");
    if (traffic->kind == TRAFFIC_PACKETS)
        return error_at(error, mark, "traffic of single packets is only simulated (expected flows)");
    return check_transport(scenario, traffic->transport, mark, error) &&
           (traffic->long_share <= 0 || check_transport(scenario, traffic->long_transport, mark, error));
}

static int start_compare(const void *left, const void *right)
{
    const struct host_flow *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static bool plan_flows(struct planning *planning, const struct scenario *scenario,
                       const struct traffic_settings *settings, struct weir_error *error)
{
    struct routes routes;
    if (!routes_init(&routes, &scenario->topology, sim_config_routes_hash(&scenario->config)))
        return weir_fail_memory(error);
    struct traffic_sink sink = {.context = planning, .start = flow_planned};
    struct workload workload = sim_config_workload(planning->config, routes.host_switch);
    workload.traffic = settings;
    struct traffic *traffic = traffic_create(&workload, error);
    bool planned = traffic && traffic_advance(traffic, planning->config->until_ps, &sink);
    if (!traffic)
        weir_fail_at(error, scenario->origin, 0, 0);
    else if (!planned)
        weir_fail_memory(error);
    traffic_free(traffic);
    routes_free(&routes);
    struct host_flow_list *asked = &planning->plan->asked;
    if (asked->count > 1)
        qsort(asked->at, asked->count, sizeof *asked->at, start_compare);
    return planned;
}

bool host_flows_make(struct host_flows *plan, const struct scenario *scenario, uint32_t host, uint32_t scale,
                     struct weir_error *error)
{
    struct planning planning = {plan, &scenario->config, host, scale};
    uint32_t count = scenario->config.traffic_count;
    *plan = (struct host_flows){.end_ns = scaled_ns(scenario->config.until_ps, scale)};
    struct traffic_settings *settings = malloc(((size_t)count + 1) * sizeof *settings);
    bool good = settings || weir_fail_memory(error);
    for (uint32_t i = 0; good && i < count; i++) {
        settings[i] = scenario->config.traffic[i];
        settings[i].request_bytes = 0; /* a client asks over its socket anyway */
        good = check_traffic(scenario, &settings[i], i, error);
    }
    good = good && plan_flows(&planning, scenario, settings, error);
    free(settings);
    return good;
}

void host_flows_free(struct host_flows *plan)
{
    free(plan->asked.at);
    free(plan->answered.at);
    *plan = (struct host_flows){.end_ns = 0};
}

const struct host_flow *host_flow_find(const struct host_flow_list *flows, uint32_t id)
{
    uint32_t first = 0, end = flows->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (flows->at[middle].id < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first < flows->count && flows->at[first].id == id ? &flows->at[first] : NULL;
}

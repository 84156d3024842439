/*
 * sim_trace.c - see sim_trace.h. The comparison is that of `weir replay`, on a recording in memory; answers of the
 * oracle are not recorded and come from the same oracle again.
 */
#include "sim_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/trace/outcome.h"
#include "sim/net/switch_pfc.h"

#define TRACE_HASH_EVERY 64u

static bool trace_flush(void *context, const uint8_t *bytes, size_t count)
{
    struct sim_trace *trace = context;
    if (trace->size + count > trace->room) {
        size_t room = 2 * (trace->room + count);
        uint8_t *larger = realloc(trace->bytes, room);
        if (larger == NULL)
            return false;
        trace->bytes = larger;
        trace->room = room;
    }
    memcpy(trace->bytes + trace->size, bytes, count);
    trace->size += count;
    return true;
}

/* The config with which the node built this MMU. */
static void trace_config(struct sim_trace *trace, const struct sim *sim)
{
    const struct switch_node *node = &sim->switches[trace->sw];
    const struct sim_config *config = &sim->config;
    uint32_t tier = config->topology->tier[trace->sw], ports = 0;
    const struct sim_switch *settings = &config->tiers[tier < config->tier_count ? tier : config->tier_count - 1];
    for (uint32_t p = 0; p < node->ports; p++) {
        trace->rates[p] = node->port[p].out->rate_bps;
        ports += node->port[p].memory == trace->memory;
    }
    while (node->port[trace->first_port].memory != trace->memory)
        trace->first_port++;
    trace->config = settings->mmu;
    trace->config.seed = weir_hash(config->seed, node->node);
    trace->config.ports = ports;
    trace->config.inputs = node->ports;
    trace->config.rates_bps = trace->rates + trace->first_port;
    trace->config.input_rates_bps = trace->rates;
    if (!trace->config.ingress)
        return;
    trace->config.uplinks = node->uplinks;
    trace->config.headroom_cells = weir_mmu_view(weir_switch_mmu(node->sw, trace->memory))->geometry.headroom_cells;
}

bool sim_trace_start(struct sim_trace *trace, struct sim *sim, uint32_t number)
{
    *trace = (struct sim_trace){.sw = number % sim->config.topology->switches};
    const struct switch_node *node = &sim->switches[trace->sw];
    trace->memory = number / sim->config.topology->switches % node->memories;
    trace->rates = calloc(node->ports, sizeof *trace->rates);
    trace->trace = (struct weir_trace){.buffer = malloc(WEIR_TRACE_BUFFER_MIN),
                                       .size = WEIR_TRACE_BUFFER_MIN,
                                       .flush = trace_flush,
                                       .context = trace,
                                       .hash_every = TRACE_HASH_EVERY};
    if (trace->rates == NULL || trace->trace.buffer == NULL)
        return false;
    trace_config(trace, sim);
    weir_trace_begin(&trace->trace, &trace->config);
    weir_mmu_set_trace(weir_switch_mmu(node->sw, trace->memory), &trace->trace);
    return true;
}

void sim_trace_free(struct sim_trace *trace)
{
    free(trace->trace.buffer);
    free(trace->rates);
    free(trace->bytes);
}

/* Everything that a comparison needs. */
struct comparison {
    struct weir_trace_reader reader;
    struct weir_record record;
    struct replay_outcome recorded, naive_says;
    struct weir_naive *naive;
    struct weir_trace_ports ports;
    uint64_t sent[WEIR_PORTS_MAX]; /* packets, by port of the MMU */
};

static const char *compare_record(struct comparison *c, char message[WEIR_MESSAGE_MAX])
{
    char event[OUTCOME_TEXT_MAX], naive[OUTCOME_TEXT_MAX];
    if (c->record.kind == WEIR_REC_DEPART && c->record.departed)
        c->sent[c->record.port.i]++;
    outcome_from_record(&c->recorded, &c->record);
    outcome_from_naive(&c->naive_says, c->naive, &c->record);
    if (outcome_equal(&c->recorded, &c->naive_says))
        return NULL;
    outcome_format_event(event, &c->record);
    outcome_format(naive, &c->naive_says, c->record.kind, c->reader.config.ports);
    snprintf(message, WEIR_MESSAGE_MAX, "record %" PRIu64 ": %.100s: naive says %.100s", c->reader.records, event,
             naive);
    return "the MMU and the naive model agree";
}

/* Each packet that the MMU sent went over the link of its port, and no others. */
static const char *compare_links(const struct comparison *c, const struct sim_trace *trace, const struct sim *sim,
                                 char message[WEIR_MESSAGE_MAX])
{
    for (uint32_t p = 0; p < trace->config.ports; p++) {
        const struct switch_node *node = &sim->switches[trace->sw];
        const struct link *link = node->port[trace->first_port + p].out;
        uint64_t frames = node->pfc ? node->pfc->port[trace->first_port + p].end.frames_sent : 0;
        uint64_t sent = link->packets - frames; /* those of flow control are not the MMU's */
        snprintf(message, WEIR_MESSAGE_MAX, "switch %u port %u: %" PRIu64 " departed, %" PRIu64 " on the link",
                 trace->sw, trace->first_port + p, c->sent[p], sent);
        if (c->sent[p] != sent)
            return "what departs is on the link";
    }
    return NULL;
}

static const char *compare_all(struct comparison *c, const struct sim_trace *trace, const struct sim *sim,
                               char message[WEIR_MESSAGE_MAX])
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!weir_trace_open(&c->reader, trace->bytes, trace->size, &c->ports, &error))
        return "a trace can be read";
    c->naive = weir_naive_new(&trace->config);
    if (c->naive == NULL)
        return "there is a naive model";
    enum weir_trace_status status;
    const char *fault = NULL;
    while (fault == NULL && (status = weir_trace_next(&c->reader, &c->record, &error)) == WEIR_TRACE_RECORD)
        fault = compare_record(c, message);
    weir_naive_free(c->naive);
    if (fault == NULL && status == WEIR_TRACE_BROKEN)
        return "a trace is whole";
    return fault != NULL ? fault : compare_links(c, trace, sim, message);
}

const char *sim_trace_compare(struct sim_trace *trace, struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    struct weir_mmu *mmu = weir_switch_mmu(sim->switches[trace->sw].sw, trace->memory);
    weir_mmu_set_trace(mmu, NULL);
    if (!weir_trace_end(&trace->trace, mmu))
        return "a trace can be written";
    struct comparison *c = calloc(1, sizeof *c);
    if (c == NULL)
        return "there is memory";
    const char *fault = compare_all(c, trace, sim, message);
    free(c);
    return fault;
}

/*
 * run_pauses.c - flow control port by port and class by class, as JSON and as CSV: what each port said about packets
 * that come in there, what it was told and how long it was held, and the headroom that was needed. Ports and classes at
 * which nothing happened are left out. Times are in picoseconds.
 */
#include <inttypes.h>

#include "show/writers/run.h"

/* A walk over the queues at which something happened. */
struct pauses {
    const struct run_result *result;
    uint32_t node, port, tc; /* of the queue */
    struct pfc_queue queue;
};

static uint32_t ports_of(const struct run_result *result, uint32_t node)
{
    uint32_t hosts = result->scenario->topology.hosts;
    return node < hosts ? 1 : sim_measure(result->sim)->sw[node - hosts].ports;
}

/* Moves on to the queue after this one; false: there is none. */
static bool pauses_step(struct pauses *at)
{
    const struct topology *topology = &at->result->scenario->topology;
    if (++at->tc < PFC_CLASSES)
        return true;
    at->tc = 0;
    if (++at->port < ports_of(at->result, at->node))
        return true;
    at->port = 0;
    return ++at->node < topology->hosts + topology->switches;
}

static bool pauses_next(struct pauses *at)
{
    while (pauses_step(at))
        if (pfc_summary_queue(at->result->sim, at->node, at->port, at->tc, &at->queue))
            return true;
    return false;
}

/* Before the first. */
static struct pauses pauses_begin(const struct run_result *result)
{
    return (struct pauses){.result = result, .tc = UINT32_MAX};
}

static void pauses_names(const struct pauses *at, char node[16], char peer[16])
{
    scenario_node_name(&at->result->scenario->topology, at->node, node);
    scenario_node_name(&at->result->scenario->topology, at->queue.peer, peer);
}

/* The numbers of a queue, in the order in which they are shown. */
#define PAUSES_NUMBERS 11u
static void pauses_numbers(const struct pfc_queue *queue, uint64_t numbers[PAUSES_NUMBERS])
{
    const struct weir_pfc_counters *c = &queue->counters;
    const uint64_t of[PAUSES_NUMBERS] = {c->pauses,
                                         c->resumes,
                                         c->refreshes,
                                         queue->port_pauses,
                                         c->pauses_received,
                                         c->resumes_received,
                                         c->expired,
                                         (uint64_t)queue->held_ps,
                                         queue->headroom_peak_bytes,
                                         queue->headroom_limit_bytes,
                                         queue->lost};
    for (uint32_t i = 0; i < PAUSES_NUMBERS; i++)
        numbers[i] = of[i];
}

static const char *const pauses_columns[PAUSES_NUMBERS] = {"pauses_sent",
                                                           "resumes_sent",
                                                           "refreshes_sent",
                                                           "port_pauses",
                                                           "pauses_received",
                                                           "resumes_received",
                                                           "pauses_expired",
                                                           "held_ps",
                                                           "headroom_peak_bytes",
                                                           "headroom_bytes",
                                                           "lost"};

json_t *run_json_pauses(const struct run_result *result)
{
    json_t *list = json_array();
    for (struct pauses at = pauses_begin(result); pauses_next(&at);) {
        char node[16], peer[16];
        uint64_t numbers[PAUSES_NUMBERS];
        pauses_names(&at, node, peer);
        pauses_numbers(&at.queue, numbers);
        json_t *json =
            json_pack("{s:s, s:s, s:i, s:i}", "at", node, "peer", peer, "port", (int)at.port, "class", (int)at.tc);
        for (uint32_t i = 0; i < PAUSES_NUMBERS; i++)
            json = output_json_set(json, pauses_columns[i], json_integer((json_int_t)numbers[i]));
        list = output_json_append(list, json);
    }
    return list;
}

void run_csv_pauses(const struct run_result *result, FILE *out)
{
    fputs("node,port,peer,class", out);
    for (uint32_t i = 0; i < PAUSES_NUMBERS; i++)
        fprintf(out, ",%s", pauses_columns[i]);
    putc('\n', out);
    for (struct pauses at = pauses_begin(result); pauses_next(&at);) {
        char node[16], peer[16];
        uint64_t numbers[PAUSES_NUMBERS];
        pauses_names(&at, node, peer);
        pauses_numbers(&at.queue, numbers);
        fprintf(out, "%s,%" PRIu32 ",%s,%" PRIu32, node, at.port, peer, at.tc);
        for (uint32_t i = 0; i < PAUSES_NUMBERS; i++)
            fprintf(out, ",%" PRIu64, numbers[i]);
        putc('\n', out);
    }
}

/*
 * random_traffic.c - stationary random traffic: one input link per port, each with at most one packet per slot.
 *
 * uniform: every input link carries a packet with probability `load`, for a fresh random port each time.
 * onoff:   every input link alternates between geometric times of one packet per slot, all of one period to the same
 *          random port, and geometric silences; the mean silence follows from the load.
 */
#include <stdlib.h>

#include "traffic.h"
#include "weir/random.h"

static void uniform_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct weir_random random = weir_random_stream(t->seed, "slot.uniform");
    for (uint64_t slot = 0; slot < t->slots && !arrivals->failed; slot++) {
        for (uint32_t input = 0; input < t->ports; input++)
            if (weir_random_unit(&random) < t->load)
                slot_arrivals_add(arrivals, weir_random_below(&random, t->ports));
        slot_arrivals_end_slot(arrivals);
    }
}

struct link {
    uint32_t port; /* destination of the present period */
    bool on;
};

static void onoff_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct weir_random random = weir_random_stream(t->seed, "slot.onoff");
    uint32_t usual = t->buffer / t->ports > 0 ? t->buffer / t->ports : 1;
    double mean_on = t->burst > 0 ? t->burst : usual;
    double mean_off = mean_on * (1 - t->load) / t->load;
    double start = mean_off > 1 ? 1 / mean_off : 1;
    struct link *links = calloc(t->ports, sizeof *links);
    if (links == NULL) {
        arrivals->failed = true;
        return;
    }
    for (uint64_t slot = 0; slot < t->slots && !arrivals->failed; slot++) {
        for (uint32_t input = 0; input < t->ports; input++) {
            /* Lets the link begin or end a period; both times are geometric with at least one slot on. */
            struct link *link = &links[input];
            if (!(weir_random_unit(&random) >= (link->on ? (1 / mean_on) : start))) {
                link->on = !link->on;
                if (link->on)
                    link->port = weir_random_below(&random, t->ports);
            }
            if (links[input].on)
                slot_arrivals_add(arrivals, links[input].port);
        }
        slot_arrivals_end_slot(arrivals);
    }
    free(links);
}

const struct slot_generator slot_uniform = {
    .name = "uniform",
    .title = "independent packets, each to a random port",
    .ports_min = 1,
    .uses = SLOT_USE_LOAD,
    .generate = uniform_generate,
};

const struct slot_generator slot_onoff = {
    .name = "onoff",
    .title = "input links that send to one random port for a geometric time, then fall silent",
    .ports_min = 1,
    .uses = SLOT_USE_LOAD | SLOT_USE_BURST,
    .generate = onoff_generate,
};

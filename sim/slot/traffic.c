/*
 * traffic.c - the list of generators, and the checks that are the same for all of them.
 */
#include "traffic.h"

#include <string.h>

const struct slot_generator *const slot_generators[] = {
    &slot_bursts,        &slot_uniform, &slot_onoff, &slot_cs_adversary, &slot_dt_adversary, &slot_followlqd_adversary,
    &slot_lqd_adversary,
};

const uint32_t slot_generator_count = sizeof slot_generators / sizeof slot_generators[0];

const struct slot_generator *slot_generator_find(const char *name)
{
    for (uint32_t i = 0; i < slot_generator_count; i++)
        if (strcmp(slot_generators[i]->name, name) == 0)
            return slot_generators[i];
    return NULL;
}

void slot_traffic_init(struct slot_traffic *traffic, uint32_t ports, uint32_t buffer, uint64_t slots)
{
    *traffic = (struct slot_traffic){
        .ports = ports,
        .buffer = buffer,
        .slots = slots,
        .width = ports,
        .seed = 1,
        .load = 0.9,
        .burst_interval = (double)buffer / ports,
    };
}

enum weir_error_code slot_generate(const struct slot_generator *generator, const struct slot_traffic *traffic,
                                   struct slot_arrivals *arrivals, struct weir_error *error)
{
    const char *wrong = NULL;
    if (traffic->ports < generator->ports_min)
        wrong = "needs two ports or more";
    else if (traffic->width == 1 && traffic->ports > 1)
        wrong = "with one arrival per slot no queue ever holds two packets; width is 0 or at least 2";
    else if (!(traffic->load > 0 && traffic->load <= 1))
        wrong = "the load is above 0 and at most 1";
    else if (!(traffic->burst_interval > 0))
        wrong = "the mean interval between bursts is above 0";
    if (wrong != NULL) {
        weir_fail(error, WEIR_ERROR_INPUT, "traffic %s: %s", generator->name, wrong);
        return WEIR_ERROR_INPUT;
    }
    generator->generate(traffic, arrivals);
    return arrivals->failed ? WEIR_ERROR_MEMORY : WEIR_ERROR_NONE;
}

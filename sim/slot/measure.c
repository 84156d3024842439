/*
 * measure.c - see measure.h.
 */
#include "measure.h"

#include <assert.h>
#include <math.h>

#include "optimum.h"

struct slot_algorithm slot_algorithm_make(const char *name, const char *policy, const char *param, const char *value,
                                          weir_q16 flip)
{
    struct slot_algorithm algorithm = {.name = name, .policy = weir_policy_find(policy), .flip = flip};
    assert(algorithm.policy != NULL);
    weir_values_init(&algorithm.values, algorithm.policy);
    bool known = param == NULL || weir_values_set(&algorithm.values, algorithm.policy, param, value, NULL);
    assert(known);
    (void)known;
    return algorithm;
}

enum weir_error_code slot_case_open(struct slot_case *c, const struct slot_arrivals *arrivals, uint32_t buffer,
                                    bool with_optimum, struct weir_error *error)
{
    *c = (struct slot_case){.arrivals = arrivals, .buffer = buffer};
    enum weir_error_code status = slot_run_lqd(arrivals->ports, buffer, arrivals, &c->lqd, error);
    if (status != WEIR_ERROR_NONE || !with_optimum)
        return status;
    status = slot_optimum(arrivals, buffer, &c->optimum);
    if (status != WEIR_ERROR_NONE)
        slot_case_close(c);
    return status;
}

void slot_case_close(struct slot_case *c)
{
    slot_result_free(&c->lqd);
}

enum weir_error_code slot_case_run(const struct slot_case *c, const struct slot_algorithm *algorithm,
                                   const struct slot_recording *recording, struct slot_result *result,
                                   struct weir_error *error)
{
    struct weir_table_oracle oracle = slot_oracle(&c->lqd, algorithm->flip, algorithm->flip_seed);
    bool asks = (algorithm->policy->needs & WEIR_NEED_ORACLE) != 0;
    struct slot_switch sw = {
        .ports = c->arrivals->ports,
        .buffer = c->buffer,
        .policy = algorithm->policy,
        .values = &algorithm->values,
        .oracle = !asks               ? NULL
                  : algorithm->oracle ? algorithm->oracle
                                      : &oracle.base,
        .progress = c->progress,
    };
    return slot_run(&sw, c->arrivals, recording, result, error);
}

enum weir_error_code slot_case_sent(const struct slot_case *c, const struct slot_algorithm *algorithm, uint64_t *sent,
                                    struct weir_error *error)
{
    struct slot_result result;
    enum weir_error_code status = slot_case_run(c, algorithm, NULL, &result, error);
    if (status != WEIR_ERROR_NONE)
        return status;
    *sent = result.sent;
    slot_result_free(&result);
    return WEIR_ERROR_NONE;
}

double slot_ratio(uint64_t better, uint64_t worse)
{
    if (worse == 0)
        return better == 0 ? 1 : INFINITY;
    return (double)better / (double)worse;
}

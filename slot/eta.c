/*
 * eta.c - see eta.h.
 */
#include "eta.h"

#include <math.h>
#include <stdlib.h>

static bool bit_of(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

/* The sequence without the arrivals that are predicted lost; slots stay where they are. */
static void reduce(const struct slot_arrivals *all, const uint8_t *predicted, struct slot_arrivals *reduced)
{
    slot_arrivals_init(reduced, all->ports);
    uint64_t index = 0;
    for (uint64_t slot = 0; slot < all->slots; slot++) {
        for (; index < all->slot_end[slot]; index++)
            if (!bit_of(predicted, index))
                slot_arrivals_add(reduced, all->port[index]);
        slot_arrivals_end_slot(reduced);
    }
}

static void count(const struct slot_case *c, const uint8_t *predicted, struct slot_eta *eta)
{
    for (uint64_t i = 0; i < c->arrivals->count; i++) {
        bool lost = bit_of(c->lqd.lost_bits, i);
        if (bit_of(predicted, i))
            *(lost ? &eta->true_positive : &eta->false_positive) += 1;
        else
            *(lost ? &eta->false_negative : &eta->true_negative) += 1;
    }
}

enum weir_error_code slot_eta_of(const struct slot_case *c, const uint8_t *predicted, struct slot_eta *eta,
                                 struct weir_error *error)
{
    struct slot_arrivals reduced;
    struct slot_switch sw = {.ports = c->arrivals->ports, .buffer = c->buffer, .policy = weir_policy_find("followlqd")};
    struct slot_result follow;
    *eta = (struct slot_eta){.lqd = c->lqd.sent};
    reduce(c->arrivals, predicted, &reduced);
    enum weir_error_code status = reduced.failed ? WEIR_ERROR_MEMORY : slot_run(&sw, &reduced, NULL, &follow, error);
    slot_arrivals_free(&reduced);
    if (status != WEIR_ERROR_NONE)
        return status;
    eta->follow = follow.sent;
    slot_result_free(&follow);
    count(c, predicted, eta);
    return WEIR_ERROR_NONE;
}

struct asking {
    const struct weir_oracle *oracle;
    uint8_t *predicted;
};

static bool ask(void *context, const struct weir_training_row *row)
{
    const struct asking *asking = context;
    if (asking->oracle->predict(asking->oracle, row->index, row->feature))
        asking->predicted[row->index / 8] |= (uint8_t)(1u << row->index % 8);
    return true;
}

enum weir_error_code slot_eta(const struct slot_case *c, const struct slot_algorithm *algorithm, struct slot_eta *eta,
                              struct weir_error *error)
{
    struct weir_table_oracle truth = slot_oracle(&c->lqd, algorithm->flip, algorithm->flip_seed);
    struct asking asking = {algorithm->oracle ? algorithm->oracle : &truth.base, calloc(c->arrivals->count / 8 + 1, 1)};
    int counters = weir_param_find(algorithm->policy, "counters"), tau = weir_param_find(algorithm->policy, "tau");
    struct slot_recording recording = {.take_row = ask, .context = &asking};
    struct slot_result result;
    recording.virtual_counters = counters >= 0 && algorithm->values.of[counters][0] != 0;
    recording.average_ps = tau >= 0 ? algorithm->values.of[tau][0] : 0;
    if (!asking.predicted)
        return WEIR_ERROR_MEMORY;
    enum weir_error_code status = slot_case_run(c, algorithm, &recording, &result, error);
    if (status == WEIR_ERROR_NONE) {
        slot_result_free(&result);
        status = slot_eta_of(c, asking.predicted, eta, error);
    }
    free(asking.predicted);
    return status;
}

double slot_eta_value(const struct slot_eta *eta)
{
    return slot_ratio(eta->lqd, eta->follow);
}

double slot_eta_bound(const struct slot_eta *eta, uint32_t ports)
{
    double kept = (double)eta->true_negative, lost = (ports - 1.0) * (double)eta->false_negative;
    double left = kept - (lost < kept ? lost : kept);
    double all = kept + (double)eta->false_positive;
    return left > 0 ? all / left : all > 0 ? INFINITY : 1;
}

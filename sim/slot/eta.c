/*
 * eta.c - see eta.h.
 */
#include "eta.h"

#include <stdlib.h>

/* The arrivals that are predicted kept, slot by slot; counts all into `eta`. */
static void reduce(const struct slot_case *c, const struct weir_oracle *oracle, struct slot_arrivals *kept,
                   struct slot_eta *eta)
{
    const struct slot_arrivals *all = c->arrivals;
    const int64_t nothing[WEIR_FEATURE_COUNT] = {0};
    for (uint64_t slot = 0; slot < all->slots; slot++) {
        for (uint64_t i = slot_arrivals_first(all, slot); i < all->slot_end[slot]; i++) {
            bool predicted = oracle->predict(oracle, i, nothing);
            bool lost = c->lqd.lost_bits[i / 8] >> i % 8 & 1;
            eta->true_positive += predicted && lost;
            eta->false_positive += predicted && !lost;
            eta->true_negative += !predicted && !lost;
            eta->false_negative += !predicted && lost;
            if (!predicted)
                slot_arrivals_add(kept, all->port[i]);
        }
        slot_arrivals_end_slot(kept);
    }
}

static enum weir_error_code sent_by(const char *policy, const struct slot_case *c, const struct slot_arrivals *kept,
                                    uint64_t *sent, struct weir_error *error)
{
    const struct slot_algorithm algorithm = slot_algorithm_make(policy, policy, NULL, NULL, 0);
    const struct slot_case reduced = {.arrivals = kept, .buffer = c->buffer};
    return slot_case_sent(&reduced, &algorithm, sent, error);
}

/* Removes the tail of a longest virtual queue for an arrival, which counts in its own: a tie evicts nothing. */
static void make_room(uint32_t *threshold, uint32_t ports, uint32_t own)
{
    uint32_t victim = own;
    threshold[own]++;
    for (uint32_t i = 0; i < ports; i++)
        if (threshold[i] > threshold[victim])
            victim = i;
    threshold[victim]--;
}

/* FollowLQD of unit packets, refusing what is predicted lost: LQD's queue lengths over all arrivals are the thresholds.
 */
static bool follow_all(const struct slot_case *c, const struct weir_oracle *oracle, struct slot_eta *eta)
{
    const struct slot_arrivals *all = c->arrivals;
    const int64_t nothing[WEIR_FEATURE_COUNT] = {0};
    uint32_t *threshold = calloc(2 * (size_t)all->ports, sizeof *threshold), *queue = threshold + all->ports;
    uint64_t expected = 0, held = 0;
    if (threshold == NULL)
        return false;
    for (uint64_t slot = 0; slot < all->slots; slot++) {
        for (uint64_t i = slot_arrivals_first(all, slot); i < all->slot_end[slot]; i++) {
            uint32_t port = all->port[i];
            if (expected == c->buffer) {
                make_room(threshold, all->ports, port);
            } else {
                threshold[port]++;
                expected++;
            }
            bool enters = queue[port] < threshold[port] && held < c->buffer && !oracle->predict(oracle, i, nothing);
            queue[port] += enters;
            held += enters;
            eta->follow_all += enters;
        }
        for (uint32_t port = 0; port < all->ports; port++) {
            expected -= threshold[port] > 0;
            threshold[port] -= threshold[port] > 0;
            held -= queue[port] > 0;
            queue[port] -= queue[port] > 0;
        }
    }
    free(threshold);
    return true;
}

enum weir_error_code slot_eta_find(const struct slot_case *c, const struct weir_oracle *oracle, struct slot_eta *eta,
                                   struct weir_error *error)
{
    struct slot_arrivals kept;
    *eta = (struct slot_eta){.follow = 0};
    slot_arrivals_init(&kept, c->arrivals->ports);
    reduce(c, oracle, &kept, eta);
    enum weir_error_code status = kept.failed ? WEIR_ERROR_MEMORY : WEIR_ERROR_NONE;
    if (status == WEIR_ERROR_NONE)
        status = sent_by("followlqd", c, &kept, &eta->follow, error);
    if (status == WEIR_ERROR_NONE && !follow_all(c, oracle, eta))
        status = WEIR_ERROR_MEMORY;
    if (status == WEIR_ERROR_NONE)
        status = sent_by("cs", c, &kept, &eta->naive, error);
    slot_arrivals_free(&kept);
    return status;
}

struct asking {
    const struct weir_oracle *oracle;
    uint8_t *predicted; /* bit i % 8 of byte i / 8: arrival i is predicted lost */
};

static bool ask(void *context, const struct weir_training_row *row)
{
    const struct asking *asking = context;
    if (asking->oracle->predict(asking->oracle, row->index, row->feature))
        asking->predicted[row->index / 8] |= (uint8_t)(1u << row->index % 8);
    return true;
}

enum weir_error_code slot_eta_ask(const struct slot_case *c, const struct slot_algorithm *algorithm,
                                  struct slot_eta *eta, struct weir_error *error)
{
    struct weir_table_oracle truth = slot_oracle(&c->lqd, algorithm->flip, algorithm->flip_seed), answers;
    struct asking asking = {algorithm->oracle ? algorithm->oracle : &truth.base, calloc(c->arrivals->count / 8 + 1, 1)};
    int counters = weir_param_find(algorithm->policy, "counters"), tau = weir_param_find(algorithm->policy, "tau");
    struct slot_recording recording = {.take_row = ask, .context = &asking};
    struct slot_result result;
    if (!asking.predicted)
        return WEIR_ERROR_MEMORY;
    recording.virtual_counters = counters >= 0 && algorithm->values.of[counters][0] != 0;
    recording.average_ps = tau >= 0 ? algorithm->values.of[tau][0] : 0;
    enum weir_error_code status = slot_case_run(c, algorithm, &recording, &result, error);
    if (status == WEIR_ERROR_NONE) {
        slot_result_free(&result);
        weir_table_oracle_init(&answers, asking.predicted, c->arrivals->count, 0, 0);
        status = slot_eta_find(c, &answers.base, eta, error);
    }
    free(asking.predicted);
    return status;
}

uint64_t slot_eta_least(const struct slot_eta *eta, uint32_t ports)
{
    uint64_t taken = (ports - 1) * eta->false_negative;
    return taken < eta->true_negative ? eta->true_negative - taken : 0;
}

/*
 * slotted.c - the policy of a scenario in the slotted model (`slot`), and what theorems say about it: an engine that
 * does all of its work when it is asked what came out. An oracle that learns answers as the simulation has left it.
 */
#include <math.h>

#include "run/run.h"
#include "sim/slot/eta.h"
#include "weir/random.h"

#define LQD_RATIO 1.707 /* competitive ratio of LQD */

/* Who answers. Flips of the first sequence are those of `weir slot`; others draw their own. */
struct slot_asked {
    struct slot_algorithm algorithm;
    const struct scenario_oracle *oracle; /* null: the policy asks none */
    bool known;                           /* answers depend on the arrival alone */
};

static struct slot_asked asked_of(const struct scenario *scenario)
{
    const struct weir_mmu_config *mmu = &scenario->config.tiers[0].mmu;
    struct slot_asked asked = {.algorithm = {.policy = mmu->egress}};
    weir_values_init(&asked.algorithm.values, mmu->egress);
    if (mmu->egress_values != NULL)
        asked.algorithm.values = *mmu->egress_values;
    if (!(mmu->egress->needs & WEIR_NEED_ORACLE))
        return asked;
    asked.oracle = &scenario->oracles[0];
    asked.known = asked.oracle->answers->about.digest == 0;
    return asked;
}

static void note(double ratio, double *greatest, uint64_t *broken)
{
    *greatest = ratio > *greatest ? ratio : *greatest;
    *broken += ratio > 1 + 1e-9;
}

/* What the theorems that speak of predictions say. */
static bool add_predictions(struct run_slot *out, const struct slot_case *c, const struct weir_oracle *oracle,
                            uint64_t sent)
{
    struct slot_eta eta;
    struct weir_error error;
    uint32_t ports = c->arrivals->ports;
    if (slot_eta_find(c, oracle, &eta, &error) != WEIR_ERROR_NONE)
        return false;
    uint64_t least = slot_eta_least(&eta, ports);
    double error_ratio = slot_ratio(c->lqd.sent, eta.follow), bound = fmin(LQD_RATIO * error_ratio, ports);
    out->follow += eta.follow;
    out->follow_all += eta.follow_all;
    out->naive += eta.naive;
    out->positive += eta.true_positive + eta.false_positive;
    out->least += least;
    note(slot_ratio(eta.follow, sent), &out->lemma1, &out->broken_lemma1);
    note(slot_ratio(c->optimum, sent) / bound, &out->theorem1, &out->broken_theorem1);
    note(slot_ratio(least, eta.follow), &out->theorem2, &out->broken_theorem2);
    return true;
}

static bool add_case(struct run_slot *out, const struct slot_asked *asked, const struct slot_case *c, uint64_t seed)
{
    struct slot_algorithm algorithm = asked->algorithm;
    struct weir_error error;
    struct slot_result run;
    if (asked->oracle != NULL && asked->oracle->perfect) {
        algorithm.flip = asked->oracle->flipped.base.about.flip;
        algorithm.flip_seed = weir_random_stream(seed, "slot.flips").key;
    } else if (asked->oracle != NULL) {
        algorithm.oracle = asked->oracle->answers;
    }
    if (slot_case_run(c, &algorithm, NULL, &run, &error) != WEIR_ERROR_NONE)
        return false;
    const uint64_t sent = run.sent;
    out->arrived += run.arrived;
    out->sent += sent;
    out->removed += run.lost - run.refused;
    slot_result_free(&run);
    out->lqd += c->lqd.sent;
    out->optimum += c->optimum;
    double ratio = slot_ratio(c->optimum, sent);
    out->worst = ratio > out->worst ? ratio : out->worst;
    note(ratio / c->arrivals->ports, &out->lemma2, &out->broken_lemma2);
    if (!asked->known)
        return true;
    struct weir_table_oracle table = slot_oracle(&c->lqd, algorithm.flip, algorithm.flip_seed);
    return add_predictions(out, c, algorithm.oracle != NULL ? algorithm.oracle : &table.base, sent);
}

static bool fill(const struct scenario_slot *slot, uint64_t seed, struct slot_arrivals *arrivals)
{
    struct slot_traffic traffic;
    struct weir_error error;
    slot_traffic_init(&traffic, slot->ports, slot->buffer, slot->slots);
    traffic.seed = seed;
    traffic.load = slot->load;
    traffic.burst_interval = slot->interval * slot->buffer;
    traffic.burst = slot->burst;
    traffic.width = slot->width == SCENARIO_SLOT_PORTS ? slot->ports : slot->width;
    return slot_generate(slot->generator, &traffic, arrivals, &error) == WEIR_ERROR_NONE;
}

static bool run_case(struct run_slot *out, const struct slot_asked *asked, const struct scenario_slot *slot,
                     uint64_t seed)
{
    struct slot_arrivals made;
    struct slot_case c;
    struct weir_error error;
    slot_arrivals_init(&made, slot->ports);
    bool good = slot->generator == NULL || fill(slot, seed, &made);
    const struct slot_arrivals *arrivals = slot->generator == NULL ? &slot->arrivals : &made;
    good = good && slot_case_open(&c, arrivals, slot->buffer, true, &error) == WEIR_ERROR_NONE;
    if (good) {
        good = add_case(out, asked, &c, seed);
        slot_case_close(&c);
    }
    slot_arrivals_free(&made);
    return good;
}

static bool slotted_measure(const struct run *run, struct run_result *result)
{
    const struct scenario_slot *slot = &run->scenario.slot;
    const uint64_t seed = run->scenario.config.seed;
    struct run_slot *out = &result->slot;
    const struct slot_asked asked = asked_of(&run->scenario);
    bool good = true;
    out->predicted = asked.known;
    for (uint64_t i = 0; i < slot->cases && good; i++)
        good = run_case(out, &asked, slot, i == 0 ? seed : weir_hash(seed, i));
    if (!out->predicted)
        out->lemma1 = out->theorem1 = out->theorem2 = NAN;
    return good;
}

const struct run_engine run_slotted = {.measure = slotted_measure};

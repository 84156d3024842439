/*
 * eta.h - how wrong predictions are on one sequence: eta of Definition 1 of the Credence paper, exactly, and what
 * becomes of an algorithm that trusts them blindly.
 *
 *   eta = LQD(all arrivals) / FollowLQD(arrivals without those predicted lost)
 *
 * The thresholds of FollowLQD follow the arrivals it gets. The proof of Lemma 1 has them follow all arrivals instead,
 * as Credence's do: follow_all is what FollowLQD sends with those.
 */
#ifndef SLOT_ETA_H
#define SLOT_ETA_H

#include "measure.h"

struct slot_eta {
    uint64_t true_positive, false_positive, true_negative, false_negative; /* positive: predicted lost */
    uint64_t follow;                                                       /* packets FollowLQD sends of the others */
    uint64_t follow_all; /* the same with thresholds of all arrivals */
    uint64_t naive;      /* packets sent by who refuses what is predicted lost, and takes all else that fits */
};

/* The predictions must depend on the index of an arrival alone: a table, maybe with flips. */
enum weir_error_code slot_eta_find(const struct slot_case *c, const struct weir_oracle *oracle, struct slot_eta *eta,
                                   struct weir_error *error);

/* The predictions of the algorithm's oracle, whatever they depend on: it is asked about every arrival, with what the
 * policy shows it in its own run, also where the policy would not ask. The algorithm needs an oracle. */
enum weir_error_code slot_eta_ask(const struct slot_case *c, const struct slot_algorithm *algorithm,
                                  struct slot_eta *eta, struct weir_error *error);

/* What Theorem 2 says FollowLQD sends at least: TN - min((N - 1) FN, TN). */
uint64_t slot_eta_least(const struct slot_eta *eta, uint32_t ports);

#endif

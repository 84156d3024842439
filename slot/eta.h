/*
 * eta.h - Credence's prediction error, exactly as Definition 1 of its paper has it. With phi' the predictions of all
 * arrivals of a sequence sigma:
 *
 *   eta = LQD(sigma) / FollowLQD(sigma without what phi' says is lost)
 *
 * in packets sent. 1 where the predictions are perfect, and Credence sends at least LQD(sigma) / eta (Lemma 1).
 */
#ifndef SLOT_ETA_H
#define SLOT_ETA_H

#include "measure.h"

struct slot_eta {
    uint64_t lqd, follow;                   /* packets sent */
    uint64_t true_positive, false_positive; /* predicted lost */
    uint64_t true_negative, false_negative; /* predicted kept */
};

/* Asks the algorithm's oracle about every arrival of the case, with what the policy shows it in its own run, also where
 * the policy would not ask. The algorithm needs an oracle. */
enum weir_error_code slot_eta(const struct slot_case *c, const struct slot_algorithm *algorithm, struct slot_eta *eta,
                              struct weir_error *error);

/* Of given predictions: bit i % 8 of byte i / 8 is set where arrival i is predicted lost. */
enum weir_error_code slot_eta_of(const struct slot_case *c, const uint8_t *predicted, struct slot_eta *eta,
                                 struct weir_error *error);

double slot_eta_value(const struct slot_eta *eta);

/* The bound of the paper's Theorem 2, by the confusion matrix: (TN + FP) / (TN - min((N - 1) FN, TN)). */
double slot_eta_bound(const struct slot_eta *eta, uint32_t ports);

#endif

/*
 * oracle.h - LQD's run over a sequence, which is both the yardstick LQD/ALG and the truth behind Credence's oracle.
 */
#ifndef SLOT_ORACLE_H
#define SLOT_ORACLE_H

#include "run.h"

/*
 * LQD with tail removal: with it a perfect oracle makes Credence lose the same packets (unit packets, N dividing B).
 * Otherwise as slot_run.
 */
enum weir_error_code slot_run_lqd(uint32_t ports, uint32_t buffer, const struct slot_arrivals *arrivals,
                                  struct slot_result *result, struct weir_error *error);

/* An oracle that knows LQD's losses, wrong with probability `flip` for each arrival; `lqd` must outlive it. */
struct weir_table_oracle slot_oracle(const struct slot_result *lqd, weir_q16 flip, uint64_t seed);

#endif

/*
 * oracle.c - see oracle.h.
 */
#include "oracle.h"

#include <assert.h>

enum weir_error_code slot_run_lqd(uint32_t ports, uint32_t buffer, const struct slot_arrivals *arrivals,
                                  struct slot_result *result, struct weir_error *error)
{
    struct weir_values values;
    struct slot_switch sw = {.ports = ports, .buffer = buffer, .policy = weir_policy_find("lqd"), .values = &values};
    weir_values_init(&values, sw.policy);
    bool known = weir_values_set(&values, sw.policy, "remove", "tail", error);
    assert(known);
    (void)known;
    return slot_run(&sw, arrivals, NULL, result, error);
}

struct weir_table_oracle slot_oracle(const struct slot_result *lqd, weir_q16 flip, uint64_t seed)
{
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, lqd->lost_bits, lqd->arrived, flip, seed);
    return oracle;
}

/*
 * oracle.c - see oracle.h.
 */
#include "oracle.h"

#include <assert.h>

enum slot_status slot_run_lqd(uint32_t ports, uint32_t buffer, const struct slot_arrivals *arrivals,
                              struct slot_result *result, char message[WEIR_MESSAGE_MAX])
{
    struct weir_values values;
    struct slot_switch sw = {.ports = ports, .buffer = buffer, .policy = weir_policy_find("lqd"), .values = &values};
    weir_values_init(&values, sw.policy);
    bool known = weir_values_set(&values, sw.policy, "remove", "tail", message);
    assert(known);
    (void)known;
    return slot_run(&sw, arrivals, NULL, result, message);
}

struct weir_table_oracle slot_oracle(const struct slot_result *lqd, weir_q16 flip, uint64_t seed)
{
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, lqd->lost_bits, lqd->arrived, flip, seed);
    return oracle;
}

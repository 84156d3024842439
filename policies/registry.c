/*
 * registry.c - the list of policies: the one place besides its own file that knows a policy exists.
 */
#include <string.h>

#include "weir/policy.h"

extern const struct weir_policy weir_policy_cs, weir_policy_es, weir_policy_smxq, weir_policy_dt, weir_policy_edt,
    weir_policy_tdt, weir_policy_harmonic, weir_policy_abm, weir_policy_lqd, weir_policy_occamy, weir_policy_occamy_p4,
    weir_policy_followlqd, weir_policy_credence;

const struct weir_policy *const weir_policies[] = {
    &weir_policy_cs,        &weir_policy_es,        &weir_policy_smxq,     &weir_policy_dt,  &weir_policy_edt,
    &weir_policy_tdt,       &weir_policy_harmonic,  &weir_policy_abm,      &weir_policy_lqd, &weir_policy_occamy,
    &weir_policy_occamy_p4, &weir_policy_followlqd, &weir_policy_credence,
};

const uint32_t weir_policy_count = sizeof weir_policies / sizeof weir_policies[0];

const struct weir_policy *weir_policy_find(const char *name)
{
    for (uint32_t i = 0; i < weir_policy_count; i++)
        if (strcmp(weir_policies[i]->name, name) == 0)
            return weir_policies[i];
    return NULL;
}

/*
 * registry.c - the policies by name. Besides its own file, a policy is known only by its line in registry.def.
 */
#include <string.h>

#include "weir/policy.h"

#define POLICY(name) extern const struct weir_policy weir_policy_##name;
#include "registry.def"
#undef POLICY

#define POLICY(name) &weir_policy_##name,
const struct weir_policy *const weir_policies[] = {
#include "registry.def"
};
#undef POLICY

const uint32_t weir_policy_count = sizeof weir_policies / sizeof weir_policies[0];

const struct weir_policy *weir_policy_find(const char *name)
{
    for (uint32_t i = 0; i < weir_policy_count; i++)
        if (strcmp(weir_policies[i]->name, name) == 0)
            return weir_policies[i];
    return NULL;
}

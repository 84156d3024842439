/*
 * rules.h - the checks of rules.def.
 */
#ifndef SONIC_RULES_H
#define SONIC_RULES_H

#include "sonic/lint.h"

#define RULES_NEEDS_QOS "PORT_QOS_MAP: which priorities PFC pauses"

#define RULE(check, name, severity, sentence, incident) void rule_##check(struct lint *lint);
#include "sonic/rules.def"
#undef RULE

/* A shared headroom pool and the groups that it is for: how many of these may be in headroom at once, the largest
 * first. False: out of memory. */
struct rules_shared {
    uint32_t groups, at_once;
    int64_t sum, largest; /* bytes of xoff */
};
bool rules_shared_headroom(const struct sonic_model *model, const struct sonic_pool *pool, struct rules_shared *shared);

/* Whether a configuration says anything about cables. */
bool rules_has_cables(const struct sonic_config *config);

#endif

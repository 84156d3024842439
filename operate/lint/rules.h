/*
 * rules.h - the checks of rules.def.
 */
#ifndef OPERATE_LINT_RULES_H
#define OPERATE_LINT_RULES_H

#include "operate/lint/lint.h"

#define RULES_NEEDS_QOS "PORT_QOS_MAP: which priorities PFC pauses"

#define RULE(check, name, severity, sentence, incident) void rule_##check(struct lint *lint);
#include "operate/lint/rules.def"
#undef RULE

/* A shared headroom pool and the groups that it is for: how many of those of one pipe may be in headroom at once, the
 * largest first. A pipe has its part of the pool, and of the ports. False: out of memory. */
struct rules_shared {
    uint32_t groups, of_port, of_pipe, at_once; /* in all; of a port; of a pipe */
    int64_t sum, largest;                       /* bytes of xoff */
    int64_t pipe;                               /* bytes of the pool that a pipe has */
};
bool rules_shared_headroom(const struct sonic_model *model, const struct sonic_pool *pool, struct rules_shared *shared);

/* Whether ingress pools leave most of the buffer unused: one of their sizes is wrong, and others are not mended by it.
 */
bool rules_is_unused(const struct lint *lint);

/* Queues that PFC pauses at ports of an entry, as bits. */
uint32_t rules_paused_queues(const struct lint *lint, const struct sonic_qos *qos);

/* Whether a configuration says anything about cables. */
bool rules_has_cables(const struct sonic_config *config);

#endif

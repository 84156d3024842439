/*
 * naive_cs.c - complete sharing for the naive model.
 */
#include "naive_internal.h"

/* Complete sharing: room is all it takes. */
static enum weir_reason cs_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    (void)n;
    (void)arrival;
    return WEIR_REASON_NONE;
}

const struct naive_policy naive_cs = {.name = "cs", .admit = cs_admit};

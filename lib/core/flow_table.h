/*
 * flow_table.h - the table of flows of an MMU: see weir/flow.h.
 */
#ifndef WEIR_FLOW_TABLE_H
#define WEIR_FLOW_TABLE_H

#include "weir/flow.h"

struct weir_flow_table {
    struct weir_flow_shape shape;
    struct weir_flow_entry *entry; /* [shape.entries], the ways of a set side by side; null: no table */
    struct weir_flow_counters counted;
};

/* Bytes of a flow at `now`. Its entry, or null when it has none. */
const struct weir_flow_entry *weir_flow_table_count(struct weir_flow_table *table, uint64_t hash, uint32_t bytes,
                                                    weir_ps now);

/* False, with what is wrong with it, for a shape that cannot be built. */
bool weir_flow_shape_check(const struct weir_flow_shape *shape, struct weir_error *error);

/* The first entry that is not in its set, or counts nothing; null: all is well. */
const struct weir_flow_entry *weir_flow_table_fault(const struct weir_flow_table *table);

#endif

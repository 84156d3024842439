/*
 * flow_list.h - flows from a text, one per line:
 *
 *   # start_ns source destination bytes [tag]
 *   0      0 1 150000
 *   2500   3 1 1000000 background
 *
 * Fields are separated by blanks or tabs; `#` begins a comment; empty lines are skipped; lines end with LF or CR LF,
 * the last one with nothing too. Numbers are decimal digits. A tag is a name of letters, digits, `-`, `_` and `.`.
 * Reading is strict: the first thing that is not so ends it, with line and column. Tables with a header are read by
 * scenario/read/flow_table.c.
 */
#ifndef WORKLOAD_FLOW_LIST_H
#define WORKLOAD_FLOW_LIST_H

#include "sim/workload/traffic.h"

#define FLOW_TAGS_MAX 256u
#define FLOW_TAG_LENGTH_MAX 31u

/* Names of tags; a tag is the index of its name. Starts as all zeros. */
struct flow_tags {
    char **names;
    uint32_t count;
};

enum flow_tags_status { FLOW_TAGS_OK, FLOW_TAGS_FULL, FLOW_TAGS_NO_MEMORY };

/* The tag with this name of `length` bytes, added if it is new. */
enum flow_tags_status flow_tags_find(struct flow_tags *tags, const char *name, size_t length, uint32_t *tag);

/* A name may be a tag: no longer than FLOW_TAG_LENGTH_MAX, of the characters above. */
bool flow_tag_is_name(const char *name, size_t length);
void flow_tags_free(struct flow_tags *tags);

struct flow_list_setup {
    uint32_t hosts;         /* sources and destinations are 0 .. hosts-1 */
    uint32_t tag;           /* of lines without one */
    struct flow_tags *tags; /* names of the others are added here */
};

/* Flows sorted by start; equal starts keep their order in the text. Starts as all zeros. */
struct listed_flows {
    struct listed_flow *at;
    uint32_t count, room;
    struct listed_trigger *triggers; /* null: none */
    uint32_t trigger_count;
};

/* Appends nothing on failure: then the list is empty and `error` says what was expected where. Tags seen before the
 * fault stay. */
bool flow_list_read(struct listed_flows *list, const char *text, size_t size, const struct flow_list_setup *setup,
                    struct weir_error *error);
/* For other readers of flows: appends, and brings what was appended into order. False: out of memory. */
bool listed_flows_add(struct listed_flows *list, const struct listed_flow *flow);
bool listed_flows_sort(struct listed_flows *list);
void listed_flows_free(struct listed_flows *list);

#endif

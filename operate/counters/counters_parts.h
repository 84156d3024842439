/*
 * counters_parts.h - what the readers of counters share.
 */
#ifndef OPERATE_COUNTERS_COUNTERS_PARTS_H
#define OPERATE_COUNTERS_COUNTERS_PARTS_H

#include "operate/counters/counters.h"

/* SAI's numbers of object types. */
enum { SAI_PORT = 1, SAI_QUEUE = 21, SAI_POOL = 24, SAI_GROUP = 26 };

/* One value. Null or empty objects count nothing. False: memory was short. */
bool counters_put(struct counters *counters, enum counters_kind kind, const char *object, size_t length, uint32_t index,
                  int64_t value);

/* The same of "Ethernet0|3" or "Ethernet0:3"; of kinds by port the index is given. */
bool counters_put_named(struct counters *counters, enum counters_kind kind, const char *name, uint32_t index,
                        int64_t value);

/* The kind of a counter by SAI's name, and its priority; COUNTERS_KINDS: another counter. */
enum counters_kind counters_of_name(const char *name, uint32_t *index);

/* Likewise by SAI's numbers. */
enum counters_kind counters_of_number(uint32_t type, uint32_t stat, uint32_t *index);

/* Whether a kind is of a port or a pool, whose name has no number. */
bool counters_is_whole(enum counters_kind kind);

bool counters_add_json(struct counters *counters, const char *name, const char *text, size_t size,
                       struct weir_error *error);
bool counters_add_csv(struct counters *counters, const char *name, const char *text, size_t size,
                      struct weir_error *error);
bool counters_add_tables(struct counters *counters, const char *name, const char *text, size_t size,
                         struct weir_error *error);
bool counters_add_ipfix(struct counters *counters, const char *name, const uint8_t *at, size_t size,
                        struct weir_error *error);

/* A whole number, with commas between its digits or not; false: it is none. */
bool counters_read_number(const char *text, size_t length, int64_t *value);

#endif

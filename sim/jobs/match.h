/*
 * match.h - which receive gets which message, at one rank. A message that arrives goes to the receive that was posted
 * first among those it fits; a receive that is posted takes the message that arrived first among those it fits. Else
 * they wait here. Both fit when source and tag agree, or the receive takes any, in the same round of the job.
 *
 * Receives that name source and tag are found by a hash table; those that take any stand in a list.
 */
#ifndef JOBS_MATCH_H
#define JOBS_MATCH_H

#include "weir/types.h"

struct match_key {
    uint32_t round, source, tag; /* of a receive, source and tag may be GOAL_ANY */
};

/* What waits: a receive or a message, by the number that its owner gave it. */
struct match_item {
    struct match_key key;
    uint32_t number;
    uint32_t chain;         /* next of the same bucket */
    uint32_t before, after; /* in the list: receives of any, or messages */
    uint64_t order;         /* of its coming */
};

/* Starts as all zeros. */
struct match {
    struct match_item *items;
    uint32_t room, used, free; /* free: the first given back, plus 1; 0: none */
    struct match_bucket {
        uint32_t first, last; /* plus 1; 0: none */
    } * bucket;
    uint32_t bucket_room;                 /* a power of two, or 0 */
    uint32_t waiting;                     /* in buckets */
    uint32_t any_first, any_last;         /* receives of any; plus 1 */
    uint32_t message_first, message_last; /* messages; plus 1 */
    uint64_t order;
};

enum match_result { MATCH_WAITS, MATCH_FOUND, MATCH_NO_MEMORY };

/* FOUND: *other is the number of the message. */
enum match_result match_receive(struct match *match, const struct match_key *key, uint32_t number, uint32_t *other);

/* FOUND: *other is the number of the receive. */
enum match_result match_message(struct match *match, const struct match_key *key, uint32_t number, uint32_t *other);

/* The receive that waits for longest; false: none does. */
bool match_oldest(const struct match *match, uint32_t *number);

void match_free(struct match *match);

#endif

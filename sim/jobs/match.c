/*
 * match.c - see match.h. A bucket never holds a receive and a message of one key: the later would have taken the
 * earlier. Indexes are stored plus 1, so that 0 is none.
 */
#include "sim/jobs/match.h"

#include <stdlib.h>
#include <string.h>

#include "sim/jobs/goal.h"
#include "weir/random.h"

#define NONE 0u
#define MESSAGE_BIT (UINT64_C(1) << 63) /* of `order` */

static bool key_is_any(const struct match_key *key)
{
    return key->source == GOAL_ANY || key->tag == GOAL_ANY;
}

static bool key_fits(const struct match_key *receive, const struct match_key *message)
{
    return receive->round == message->round && (receive->source == GOAL_ANY || receive->source == message->source) &&
           (receive->tag == GOAL_ANY || receive->tag == message->tag);
}

static bool key_equal(const struct match_key *a, const struct match_key *b)
{
    return a->round == b->round && a->source == b->source && a->tag == b->tag;
}

static struct match_bucket *bucket_of(const struct match *match, const struct match_key *key)
{
    uint64_t hash = weir_hash(((uint64_t)key->source << 32) | key->tag, key->round);
    return &match->bucket[(uint32_t)(hash >> 32) & (match->bucket_room - 1)];
}

static void bucket_append(struct match *match, uint32_t at)
{
    struct match_bucket *bucket = bucket_of(match, &match->items[at].key);
    match->items[at].chain = NONE;
    if (bucket->first)
        match->items[bucket->last - 1].chain = at + 1;
    else
        bucket->first = at + 1;
    bucket->last = at + 1;
}

static int order_compare(const void *left, const void *right)
{
    const struct match_item *const *a = left, *const *b = right;
    uint64_t x = (*a)->order & ~MESSAGE_BIT, y = (*b)->order & ~MESSAGE_BIT;
    return x < y ? -1 : x > y;
}

/* Twice the buckets; what waits in them keeps its order. */
static bool buckets_grow(struct match *match)
{
    uint32_t room = match->bucket_room ? 2 * match->bucket_room : 16, count = 0;
    struct match_bucket *bucket = calloc(room, sizeof *bucket);
    struct match_item **items = malloc(((size_t)match->waiting + 1) * sizeof(*items));
    bool good = bucket && items;
    for (uint32_t i = 0; good && i < match->bucket_room; i++)
        for (uint32_t at = match->bucket[i].first; at; at = match->items[at - 1].chain)
            items[count++] = &match->items[at - 1];
    if (good) {
        free(match->bucket);
        match->bucket = bucket;
        match->bucket_room = room;
        qsort(items, count, sizeof(*items), order_compare);
        for (uint32_t i = 0; i < count; i++)
            bucket_append(match, (uint32_t)(items[i] - match->items));
    } else {
        free(bucket);
    }
    free(items);
    return good;
}

static uint32_t item_new(struct match *match)
{
    if (match->free) {
        uint32_t at = match->free - 1;
        match->free = match->items[at].chain;
        return at;
    }
    if (match->used == match->room) {
        uint32_t room = match->room ? 2 * match->room : 16;
        struct match_item *items = room > match->room ? realloc(match->items, room * sizeof *items) : NULL;
        if (!items)
            return UINT32_MAX;
        match->items = items;
        match->room = room;
    }
    return match->used++;
}

static bool item_wait(struct match *match, const struct match_key *key, uint32_t number, bool message)
{
    bool hashed = message || !key_is_any(key), listed = message || key_is_any(key);
    if (hashed && match->waiting >= match->bucket_room && !buckets_grow(match))
        return false;
    uint32_t at = item_new(match);
    if (at == UINT32_MAX)
        return false;
    match->items[at] =
        (struct match_item){.key = *key, .number = number, .order = match->order++ | (message ? MESSAGE_BIT : 0)};
    if (hashed) {
        bucket_append(match, at);
        match->waiting++;
    }
    if (!listed)
        return true;
    uint32_t *first = message ? &match->message_first : &match->any_first;
    uint32_t *last = message ? &match->message_last : &match->any_last;
    match->items[at].before = *last;
    if (*last)
        match->items[*last - 1].after = at + 1;
    else
        *first = at + 1;
    *last = at + 1;
    return true;
}

/* Takes it from where it waits; returns its number. */
static uint32_t item_take(struct match *match, uint32_t at)
{
    struct match_item *item = &match->items[at];
    bool message = item->order & MESSAGE_BIT;
    if (message || !key_is_any(&item->key)) {
        struct match_bucket *bucket = bucket_of(match, &item->key);
        uint32_t previous = NONE, next = bucket->first;
        for (; next != at + 1; next = match->items[next - 1].chain)
            previous = next;
        if (previous)
            match->items[previous - 1].chain = item->chain;
        else
            bucket->first = item->chain;
        if (bucket->last == at + 1)
            bucket->last = previous;
        match->waiting--;
    }
    if (message || key_is_any(&item->key)) {
        uint32_t *first = message ? &match->message_first : &match->any_first;
        uint32_t *last = message ? &match->message_last : &match->any_last;
        if (item->before)
            match->items[item->before - 1].after = item->after;
        else
            *first = item->after;
        if (item->after)
            match->items[item->after - 1].before = item->before;
        else
            *last = item->before;
    }
    item->chain = match->free;
    match->free = at + 1;
    return item->number;
}

/* The first of this key in its bucket, plus 1. */
static uint32_t first_equal(const struct match *match, const struct match_key *key)
{
    if (match->waiting == 0)
        return NONE;
    uint32_t at = bucket_of(match, key)->first;
    while (at && !key_equal(&match->items[at - 1].key, key))
        at = match->items[at - 1].chain;
    return at;
}

enum match_result match_receive(struct match *match, const struct match_key *key, uint32_t number, uint32_t *other)
{
    uint32_t at = NONE;
    if (!key_is_any(key)) {
        at = first_equal(match, key);
        if (at && !(match->items[at - 1].order & MESSAGE_BIT))
            at = NONE; /* an earlier receive waits for the same */
    } else {
        at = match->message_first;
        while (at && !key_fits(key, &match->items[at - 1].key))
            at = match->items[at - 1].after;
    }
    if (at) {
        *other = item_take(match, at - 1);
        return MATCH_FOUND;
    }
    return item_wait(match, key, number, false) ? MATCH_WAITS : MATCH_NO_MEMORY;
}

enum match_result match_message(struct match *match, const struct match_key *key, uint32_t number, uint32_t *other)
{
    uint32_t exact = first_equal(match, key), any = match->any_first;
    if (exact && (match->items[exact - 1].order & MESSAGE_BIT))
        exact = NONE;
    while (any && !key_fits(&match->items[any - 1].key, key))
        any = match->items[any - 1].after;
    uint32_t at = !exact || (any && match->items[any - 1].order < match->items[exact - 1].order) ? any : exact;
    if (at) {
        *other = item_take(match, at - 1);
        return MATCH_FOUND;
    }
    return item_wait(match, key, number, true) ? MATCH_WAITS : MATCH_NO_MEMORY;
}

bool match_oldest(const struct match *match, uint32_t *number)
{
    const struct match_item *oldest = match->any_first ? &match->items[match->any_first - 1] : NULL;
    for (uint32_t i = 0; i < match->bucket_room; i++)
        for (uint32_t at = match->bucket[i].first; at; at = match->items[at - 1].chain) {
            const struct match_item *item = &match->items[at - 1];
            if (!(item->order & MESSAGE_BIT) && (!oldest || item->order < oldest->order))
                oldest = item;
        }
    if (oldest)
        *number = oldest->number;
    return oldest;
}

void match_free(struct match *match)
{
    free(match->items);
    free(match->bucket);
    *match = (struct match){.items = NULL};
}

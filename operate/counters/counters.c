/*
 * counters.c - series by object, and what a file is by its first bytes. See counters.h.
 */
#include "operate/counters/counters.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/counters/counters_parts.h"

#define BUCKETS_START 1024u
#define NONE UINT32_MAX
#define DIGITS_MAX 18u

struct stat_name {
    const char *name;
    uint32_t type, stat;
    enum counters_kind kind;
};

/* SAI's names and numbers. Of occupancy and watermark both count: the largest is kept. */
static const struct stat_name stats[] = {
    {"INGRESS_PRIORITY_GROUP_STAT_SHARED_CURR_OCCUPANCY_BYTES", SAI_GROUP, 4, COUNTERS_SHARED},
    {"INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES", SAI_GROUP, 5, COUNTERS_SHARED},
    {"INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES", SAI_GROUP, 6, COUNTERS_HEADROOM},
    {"INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES", SAI_GROUP, 7, COUNTERS_HEADROOM},
    {"INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", SAI_GROUP, 8, COUNTERS_DROPPED},
    {"QUEUE_STAT_PACKETS", SAI_QUEUE, 0, COUNTERS_QUEUE_SENT},
    {"QUEUE_STAT_DROPPED_PACKETS", SAI_QUEUE, 2, COUNTERS_QUEUE_DROPPED},
    {"QUEUE_STAT_SHARED_CURR_OCCUPANCY_BYTES", SAI_QUEUE, 26, COUNTERS_QUEUE},
    {"QUEUE_STAT_SHARED_WATERMARK_BYTES", SAI_QUEUE, 27, COUNTERS_QUEUE},
    {"QUEUE_STAT_WRED_ECN_MARKED_PACKETS", SAI_QUEUE, 34, COUNTERS_MARKED},
    {"BUFFER_POOL_STAT_CURR_OCCUPANCY_BYTES", SAI_POOL, 0, COUNTERS_POOL},
    {"BUFFER_POOL_STAT_WATERMARK_BYTES", SAI_POOL, 1, COUNTERS_POOL},
    {"BUFFER_POOL_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES", SAI_POOL, 19, COUNTERS_POOL_HEADROOM},
    {"BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", SAI_POOL, 20, COUNTERS_POOL_HEADROOM},
};
#define STATS (sizeof stats / sizeof stats[0])
#define PORT_PFC_FIRST 103u /* PFC_0_RX_PKTS; then PFC_0_TX_PKTS, PFC_1_RX_PKTS ... */

enum counters_kind counters_of_name(const char *name, uint32_t *index)
{
    unsigned priority;
    char way;
    int end = 0;
    *index = 0;
    if (strncmp(name, "SAI_", 4) == 0)
        name += 4;
    if (sscanf(name, "PORT_STAT_PFC_%1u_%cX_PKTS%n", &priority, &way, &end) == 2 && end > 0 && name[end] == '\0' &&
        priority < SONIC_PRIORITIES && (way == 'R' || way == 'T')) {
        *index = priority;
        return way == 'R' ? COUNTERS_PFC_HEARD : COUNTERS_PFC_SENT;
    }
    if (strcmp(name, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED") == 0)
        return COUNTERS_STORMS;
    for (size_t i = 0; i < STATS; i++)
        if (strcmp(stats[i].name, name) == 0)
            return stats[i].kind;
    return COUNTERS_KINDS;
}

enum counters_kind counters_of_number(uint32_t type, uint32_t stat, uint32_t *index)
{
    *index = 0;
    if (type == SAI_PORT && stat >= PORT_PFC_FIRST && stat < PORT_PFC_FIRST + 2 * SONIC_PRIORITIES) {
        *index = (stat - PORT_PFC_FIRST) / 2;
        return (stat - PORT_PFC_FIRST) % 2 == 0 ? COUNTERS_PFC_HEARD : COUNTERS_PFC_SENT;
    }
    for (size_t i = 0; i < STATS; i++)
        if (stats[i].type == type && stats[i].stat == stat)
            return stats[i].kind;
    return COUNTERS_KINDS;
}

bool counters_is_whole(enum counters_kind kind)
{
    return kind == COUNTERS_PFC_SENT || kind == COUNTERS_PFC_HEARD || kind == COUNTERS_POOL ||
           kind == COUNTERS_POOL_HEADROOM;
}

bool counters_read_number(const char *text, size_t length, int64_t *value)
{
    char digits[DIGITS_MAX + 1];
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',' && i > 0)
            continue;
        if (!isdigit((unsigned char)text[i]) || used == DIGITS_MAX)
            return false;
        digits[used++] = text[i];
    }
    digits[used] = '\0';
    *value = strtoll(digits, NULL, 10);
    return used > 0;
}

static uint32_t hash_of(enum counters_kind kind, const char *object, size_t length, uint32_t index)
{
    uint32_t hash = UINT32_C(2166136261) ^ ((uint32_t)kind * 16 + index);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)object[i]) * UINT32_C(16777619);
    return hash ^ hash >> 15;
}

static struct counters_series *find(const struct counters *counters, enum counters_kind kind, const char *object,
                                    size_t length, uint32_t index)
{
    struct counters_series *series = COUNTERS_SERIES(counters);
    if (counters->bucket_count == 0)
        return NULL;
    uint32_t i = counters->buckets[hash_of(kind, object, length, index) & (counters->bucket_count - 1)];
    for (; i != NONE; i = series[i].next)
        if (series[i].kind == kind && series[i].index == index && strlen(series[i].object) == length &&
            memcmp(series[i].object, object, length) == 0)
            return &series[i];
    return NULL;
}

const struct counters_series *counters_find(const struct counters *counters, enum counters_kind kind,
                                            const char *object, uint32_t index)
{
    return find(counters, kind, object, strlen(object), index);
}

static bool grow(struct counters *counters)
{
    uint32_t count = counters->bucket_count == 0 ? BUCKETS_START : 2 * counters->bucket_count;
    uint32_t *buckets = realloc(counters->buckets, count * sizeof *buckets);
    struct counters_series *series = COUNTERS_SERIES(counters);
    if (buckets == NULL)
        return false;
    counters->buckets = buckets;
    counters->bucket_count = count;
    memset(buckets, 0xff, count * sizeof *buckets);
    for (uint32_t i = 0; i < counters->series.count; i++) {
        uint32_t *bucket =
            &buckets[hash_of(series[i].kind, series[i].object, strlen(series[i].object), series[i].index) &
                     (count - 1)];
        series[i].next = *bucket;
        *bucket = i;
    }
    return true;
}

bool counters_put(struct counters *counters, enum counters_kind kind, const char *object, size_t length, uint32_t index,
                  int64_t value)
{
    if (length == 0 || index >= SONIC_GROUPS || value < 0)
        return true;
    struct counters_series *series = find(counters, kind, object, length, index);
    if (series == NULL) {
        if (counters->series.count >= counters->bucket_count && !grow(counters))
            return false;
        const char *name = arena_text(&counters->arena, object, length);
        series = name != NULL ? sonic_list_add(&counters->series, sizeof *series) : NULL;
        if (series == NULL)
            return false;
        uint32_t *bucket = &counters->buckets[hash_of(kind, object, length, index) & (counters->bucket_count - 1)];
        *series =
            (struct counters_series){.object = name, .index = index, .kind = kind, .first = value, .next = *bucket};
        *bucket = counters->series.count - 1;
    }
    series->last = value;
    series->most = value > series->most ? value : series->most;
    series->samples++;
    counters->values++;
    return true;
}

bool counters_put_named(struct counters *counters, enum counters_kind kind, const char *name, uint32_t index,
                        int64_t value)
{
    size_t length = strlen(name);
    int64_t number;
    if (counters_is_whole(kind))
        return counters_put(counters, kind, name, length, index, value);
    const char *end = name + length;
    while (end > name && isdigit((unsigned char)end[-1]))
        end--;
    if (end == name || (end[-1] != '|' && end[-1] != ':') ||
        !counters_read_number(end, (size_t)(name + length - end), &number) || number >= SONIC_GROUPS)
        return true; /* an object without a group: of a kind that nothing here asks for */
    return counters_put(counters, kind, name, (size_t)(end - 1 - name), (uint32_t)number, value);
}

void counters_init(struct counters *counters)
{
    *counters = (struct counters){.files = 0};
}

void counters_free(struct counters *counters)
{
    free(counters->series.at);
    free(counters->labels.at);
    free(counters->templates.at);
    free(counters->buckets);
    arena_free(&counters->arena);
    counters_init(counters);
}

bool counters_add(struct counters *counters, const char *name, const char *text, size_t size, struct weir_error *error)
{
    size_t at = 0;
    while (at < size && isspace((unsigned char)text[at]))
        at++;
    counters->files++;
    if (at == size)
        return true; /* a dump that has not been written yet */
    if (size >= 2 && text[0] == 0 && text[1] == 10)
        return counters_add_ipfix(counters, name, (const uint8_t *)text, size, error);
    if (memchr(text, '\0', size) != NULL) {
        weir_fail(error, WEIR_ERROR_INPUT,
                  "is neither text nor IPFIX (expected dumps of `show ... watermark` and "
                  "`show pfc counters`, SAI counters in CSV or JSON, or IPFIX messages)");
        return weir_fail_at(error, name, 0, 0);
    }
    if (text[at] == '{' || text[at] == '[')
        return counters_add_json(counters, name, text, size, error);
    const char *end = memchr(text + at, '\n', size - at);
    size_t line = end != NULL ? (size_t)(end - text - (ptrdiff_t)at) : size - at;
    /* Commas also stand between the digits of counts, but not in a first line. */
    return memchr(text + at, ',', line) != NULL ? counters_add_csv(counters, name, text, size, error)
                                                : counters_add_tables(counters, name, text, size, error);
}

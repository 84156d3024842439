/*
 * tables.c - counters as commands of SONiC print them: a heading, a line of dashes, a row for each port or pool.
 *
 *     Ingress shared pool occupancy per PG:
 *            Port    PG0    PG1  ...              Port Rx    PFC0    PFC1  ...
 *     -----------  -----  -----                -----------  ------  ------
 *       Ethernet0      0   1234                  Ethernet0       0   1,234
 *
 * Titles say what is counted; of PFC, queues and the watchdog the heading does.
 */
#include <ctype.h>
#include <string.h>

#include "operate/counters/counters_parts.h"

#define WORDS_MAX 64u

struct word {
    const char *at;
    size_t length;
};

struct title {
    const char *text;
    enum counters_kind kind;
};

static const struct title titles[] = {
    {"Ingress shared pool occupancy", COUNTERS_SHARED}, {"Ingress headroom per PG", COUNTERS_HEADROOM},
    {"Ingress PG dropped packets", COUNTERS_DROPPED},   {"Egress shared pool occupancy", COUNTERS_QUEUE},
    {"Shared pool maximum occupancy", COUNTERS_POOL},   {"Headroom pool maximum occupancy", COUNTERS_POOL_HEADROOM},
};

enum shape { SHAPE_NONE, SHAPE_MATRIX, SHAPE_QUEUES, SHAPE_STORMS };

struct table {
    enum shape shape;
    enum counters_kind kind;
    uint32_t columns, number[WORDS_MAX];     /* of a matrix: the group of each column */
    enum counters_kind of_column[WORDS_MAX]; /* of queues; COUNTERS_KINDS: another count */
};

static bool starts(struct word word, const char *text)
{
    size_t length = strlen(text);
    return word.length >= length && memcmp(word.at, text, length) == 0;
}

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && starts(word, text);
}

static uint32_t split(const char *at, const char *end, struct word words[WORDS_MAX])
{
    uint32_t count = 0;
    while (count < WORDS_MAX) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (at == end)
            break;
        words[count].at = at;
        while (at < end && !isspace((unsigned char)*at))
            at++;
        words[count].length = (size_t)(at - words[count].at);
        count++;
    }
    return count;
}

/* The number at the end of "PG3", "UC3", "PFC3". */
static uint32_t number_of(struct word word)
{
    int64_t number;
    size_t digits = 0;
    while (digits < word.length && isdigit((unsigned char)word.at[word.length - 1 - digits]))
        digits++;
    return counters_read_number(word.at + word.length - digits, digits, &number) && number < SONIC_GROUPS
               ? (uint32_t)number
               : SONIC_GROUPS;
}

/* A line of headings opens a table; false: it is none. */
static bool read_heading(struct table *table, const struct word *words, uint32_t count)
{
    enum counters_kind titled = table->kind;
    uint32_t first = 1;
    if (count < 2 || !(is(words[0], "Port") || is(words[0], "Pool") || is(words[0], "QUEUE")))
        return false;
    *table = (struct table){.shape = SHAPE_MATRIX, .kind = titled};
    if (is(words[0], "QUEUE") && count > 2 && is(words[1], "STATUS")) {
        table->shape = SHAPE_STORMS;
        return true;
    }
    if (is(words[1], "Rx") || is(words[1], "Tx")) {
        table->kind = is(words[1], "Rx") ? COUNTERS_PFC_HEARD : COUNTERS_PFC_SENT;
        first = 2;
    } else if (is(words[1], "TxQ")) {
        table->shape = SHAPE_QUEUES;
        for (uint32_t i = 2; i < count; i++)
            table->of_column[i - 2] = is(words[i], "Counter/pkts")     ? COUNTERS_QUEUE_SENT
                                      : is(words[i], "Drop/pkts")      ? COUNTERS_QUEUE_DROPPED
                                      : is(words[i], "EcnMarked/pkts") ? COUNTERS_MARKED
                                                                       : COUNTERS_KINDS;
        table->columns = count - 2;
        return true;
    }
    for (uint32_t i = first; i < count; i++)
        table->number[table->columns++] = is(words[0], "Pool") ? 0 : number_of(words[i]);
    return true;
}

/* "1/0" of STORM DETECTED/RESTORED, of "Ethernet0:3". */
static bool read_storms(struct counters *counters, const struct word *words, uint32_t count)
{
    char name[128];
    int64_t storms;
    const char *slash = count > 2 ? memchr(words[2].at, '/', words[2].length) : NULL;
    if (slash == NULL || words[0].length >= sizeof name ||
        !counters_read_number(words[2].at, (size_t)(slash - words[2].at), &storms))
        return true;
    memcpy(name, words[0].at, words[0].length);
    name[words[0].length] = '\0';
    return counters_put_named(counters, COUNTERS_STORMS, name, 0, storms);
}

static bool read_row(struct counters *counters, const struct table *table, const struct word *words, uint32_t count)
{
    uint32_t first = table->shape == SHAPE_QUEUES ? 2 : 1;
    if (table->shape == SHAPE_STORMS)
        return read_storms(counters, words, count);
    uint32_t queue = table->shape == SHAPE_QUEUES && count > 1 ? number_of(words[1]) : 0;
    for (uint32_t i = first; i < count && i - first < table->columns; i++) {
        enum counters_kind kind = table->shape == SHAPE_QUEUES ? table->of_column[i - first] : table->kind;
        int64_t value;
        if (kind != COUNTERS_KINDS && counters_read_number(words[i].at, words[i].length, &value) &&
            !counters_put(counters, kind, words[0].at, words[0].length,
                          table->shape == SHAPE_QUEUES ? queue : table->number[i - first], value))
            return false;
    }
    return true;
}

bool counters_add_tables(struct counters *counters, const char *name, const char *text, size_t size,
                         struct weir_error *error)
{
    struct table table = {.shape = SHAPE_NONE, .kind = COUNTERS_KINDS};
    const char *at = text, *end = text + size;
    bool any = false;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct word words[WORDS_MAX], line = {at, (size_t)((stop != NULL ? stop : end) - at)};
        uint32_t count = split(at, at + line.length, words);
        const struct title *title = NULL;
        at += line.length + (stop != NULL);
        if (count == 0 || starts(words[0], "---"))
            continue;
        line = (struct word){words[0].at, (size_t)(line.at + line.length - words[0].at)};
        for (size_t i = 0; i < sizeof titles / sizeof titles[0] && title == NULL; i++)
            title = starts(line, titles[i].text) ? &titles[i] : NULL;
        if (title != NULL) {
            table = (struct table){.shape = SHAPE_NONE, .kind = title->kind};
        } else if (read_heading(&table, words, count)) {
            any = true;
        } else if (table.shape != SHAPE_NONE && !read_row(counters, &table, words, count)) {
            return weir_fail_memory(error);
        }
    }
    if (any)
        return true;
    weir_fail(error, WEIR_ERROR_INPUT,
              "has no table of counters (expected what `show priority-group watermark shared`, `show queue watermark "
              "unicast`, `show pfc counters` or `show pfcwd stats` prints, with its headings)");
    return weir_fail_at(error, name, 0, 0);
}

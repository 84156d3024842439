/*
 * names.c - see run_measure_names.h. The names that run_measures.c and run_measures_series.c make are
 * patterns here, with words in capitals for what varies; a walk over all that a pattern stands for, cut where it leaves
 * the text that is looked for, answers both questions. Reasons and causes of losses come from the core's own names.
 *
 * A place is not looked up among the probes of the scenario: any that is written like one will do.
 */
#include "measures/names.h"

#include <stdio.h>
#include <string.h>

#include "weir/params.h"
#include "weir/types.h"

#define PLACE_MAX 64u

static const char *const measures[] = {
    "T.flows",
    "T.finished",
    "T.timeouts",
    "T.flows_with_timeouts",
    "T.resent",
    "T.delivered",
    "T.goodput",
    "T.fct.STAT",
    "T.slowdown.STAT",
    "T.queries",
    "T.queries_finished",
    "T.queries_with_timeouts",
    "T.qct.STAT",
    "T.qct_slowdown.STAT",
    "T.sent",
    "T.received",
    "T.missing",
    "T.loss",
    "T.delay.STAT",
    "T.lost",
    "T.first_loss",
    "T.lossless",
    "T.lossless_bytes",
    "T.BIN.flows",
    "T.BIN.finished",
    "T.BIN.queries",
    "T.BIN.fct.STAT",
    "T.BIN.slowdown.STAT",
    "T.BIN.lossless",
    "T.BIN.lossless_bytes",
    "lost.total",
    "lost.refused",
    "lost.after_acceptance",
    "lost.unroutable",
    "lost.on_failed_links",
    "lost.watchdog",
    "lost.REASON",
    "lost.CAUSE",
    "loss.buffer.STAT",
    "loss.bandwidth.STAT",
    "memory.peak",
    "pause.time",
    "pause.time.hosts",
    "pause.time.switches",
    "pause.frames",
    "pause.pauses",
    "pause.resumes",
    "pause.refreshes",
    "pause.port_level",
    "pause.arrival_rate.STAT",
    "pause.departure_rate.STAT",
    "headroom.size",
    "headroom.reserved",
    "headroom.share",
    "headroom.peak",
    "headroom.use.STAT",
    "headroom.pool_use.STAT",
    "headroom.queues.STAT",
    "buffer.per_capacity",
    "lossless.lost",
    "deadlock.found",
    "deadlock.onset",
    "deadlock.end",
    "watchdog.storms",
    "watchdog.dropped",
    "violations",
    "marked",
    "hops",
    "end",
    "goodput.jain.mean",
    "goodput.jain.min",
    "received.jain",
    "probe.PLACE.queue.mean",
    "probe.PLACE.queue.max",
    "probe.PLACE.throughput",
    "testbed.behind",
    "testbed.late",
    NULL,
};

static const char *const curves[] = {
    "T.fct.cdf",
    "T.slowdown.cdf",
    "T.qct.cdf",
    "T.qct_slowdown.cdf",
    "T.delay.cdf",
    "loss.buffer.cdf",
    "loss.bandwidth.cdf",
    "pause.arrival_rate.cdf",
    "pause.departure_rate.cdf",
    "headroom.use.cdf",
    "headroom.pool_use.cdf",
    "headroom.queues.cdf",
    "goodput.T",
    "goodput.jain",
    "probe.PLACE.queue",
    "probe.PLACE.threshold",
    "probe.PLACE.used",
    NULL,
};

static const char *const stats[] = {"mean", "min", "max", "p50", "p90", "p95", "p99", "p999"};
static const char *const bins[] = {"short", "middle", "long", "bin1", "bin2", "bin3",
                                   "bin4",  "bin5",   "bin6", "bin7", "bin8", "bin9"};

struct walk {
    const struct run_measure_names *names;
    const char *typed;
    bool exact;            /* only the name itself is looked for */
    char place[PLACE_MAX]; /* the only one that is tried */
    char text[RUN_MEASURE_NAME_MAX];
    char nearest[RUN_MEASURE_NAME_MAX];
    bool found, unfinished; /* unfinished: the nearest begins with what was typed */
};

/* The i-th word that may stand for a word in capitals; null: there is no more. */
static const char *word_at(const struct walk *walk, const char *capitals, size_t length, uint32_t i)
{
    const struct {
        const char *word;
        const char *const *values;
        size_t count;
    } lists[] = {{"T", walk->names->tags, walk->names->tag_count},
                 {"STAT", stats, sizeof stats / sizeof stats[0]},
                 {"BIN", bins, sizeof bins / sizeof bins[0]}};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        if (strlen(lists[k].word) == length && strncmp(lists[k].word, capitals, length) == 0)
            return i < lists[k].count ? lists[k].values[i] : NULL;
    if (strncmp(capitals, "REASON", length) == 0)
        return WEIR_REASON_NONE + 1 + i < WEIR_REASON_COUNT
                   ? weir_reason_name((enum weir_reason)(WEIR_REASON_NONE + 1 + i))
                   : NULL;
    if (strncmp(capitals, "CAUSE", length) == 0)
        return WEIR_CAUSE_REFUSED + 1 + i < WEIR_CAUSE_COUNT
                   ? weir_cause_name((enum weir_cause)(WEIR_CAUSE_REFUSED + 1 + i))
                   : NULL;
    return i == 0 ? walk->place : NULL;
}

/* Near by letters; but of a name that was left unfinished, "query.qct", the first that goes on from there. */
static void walk_compare(struct walk *walk)
{
    const char *const pair[] = {walk->nearest, walk->text};
    size_t length = strlen(walk->typed);
    bool goes_on = length > 0 && strncmp(walk->text, walk->typed, length) == 0 && walk->text[length] == '.';
    const char *nearest =
        walk->found ? weir_nearest_name(walk->typed, pair, 2) : weir_nearest_name(walk->typed, pair + 1, 1);
    if (walk->unfinished || (!goes_on && nearest != walk->text))
        return;
    snprintf(walk->nearest, sizeof walk->nearest, "%s", walk->text);
    walk->unfinished = goes_on;
    walk->found = true;
}

static void walk_end(struct walk *walk)
{
    if (walk->exact)
        walk->found = walk->found || strcmp(walk->text, walk->typed) == 0;
    else
        walk_compare(walk);
}

/* Behind the first `used` bytes of the text: whether there is room, and the name may still become it. */
static bool walk_add(struct walk *walk, size_t *used, const char *text, size_t length)
{
    if (*used + length >= sizeof walk->text || (walk->exact && strncmp(walk->typed + *used, text, length) != 0))
        return false;
    memcpy(walk->text + *used, text, length);
    *used += length;
    walk->text[*used] = '\0';
    return true;
}

static void walk_pattern(struct walk *walk, const char *pattern, size_t used)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t plain = strcspn(pattern, capitals), length = strspn(pattern + plain, capitals);
    const char *word;
    if (!walk_add(walk, &used, pattern, plain))
        return;
    if (length == 0) {
        walk_end(walk);
        return;
    }
    for (uint32_t i = 0; (word = word_at(walk, pattern + plain, length, i)) != NULL; i++) {
        size_t next = used;
        if (walk_add(walk, &next, word, strlen(word)))
            walk_pattern(walk, pattern + plain + length, next);
    }
}

static void skip(const char **text, char first, const char *others)
{
    if (**text == first && (*text)[1] != '\0' && strchr(others, (*text)[1]) != NULL)
        *text += 1 + strspn(*text + 1, others);
}

/* The place in "probe.s0-h3.1-2.queue", or the one that stands for any. */
static void find_place(const char *name, char place[PLACE_MAX])
{
    static const char probe[] = "probe.", digits[] = "0123456789";
    bool is_probe = strncmp(name, probe, sizeof probe - 1) == 0;
    const char *start = is_probe ? name + sizeof probe - 1 : "", *end = start;
    skip(&end, 's', digits);
    const char *middle = end;
    if (middle > start && middle[0] == '-') {
        end++;
        skip(&end, end[0] == 'h' ? 'h' : 's', digits);
    }
    bool both = end > middle + 1;
    skip(&end, '.', digits);
    skip(&end, '-', digits);
    bool good = both && (size_t)(end - start) < PLACE_MAX;
    snprintf(place, PLACE_MAX, "%.*s", good ? (int)(end - start) : 5, good ? start : "s0-h0");
}

static bool walk_all(struct walk *walk)
{
    const char *const *patterns = walk->names->curves ? curves : measures;
    find_place(walk->typed, walk->place);
    for (uint32_t i = 0; patterns[i] != NULL; i++)
        walk_pattern(walk, patterns[i], 0);
    return walk->found;
}

bool run_measure_known(const struct run_measure_names *names, const char *name)
{
    struct walk walk = {.names = names, .typed = name, .exact = true};
    return walk_all(&walk);
}

bool run_measure_nearest(const struct run_measure_names *names, const char *name, char nearest[RUN_MEASURE_NAME_MAX])
{
    struct walk walk = {.names = names, .typed = name};
    bool found = walk_all(&walk);
    memcpy(nearest, walk.nearest, sizeof walk.nearest);
    return found;
}

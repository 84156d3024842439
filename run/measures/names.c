/*
 * names.c - see names.h. A walk over all names that a pattern of the table of measures stands for, cut where it leaves
 * the text that is looked for, answers both questions.
 *
 * A place is not looked up among the probes of the scenario: any that is written like one will do.
 */
#include "run/measures/names.h"

#include <stdio.h>
#include <string.h>

#include "run/measures/row.h"
#include "weir/params.h"

struct walk {
    const struct run_measure_names *names;
    const char *typed;
    bool exact;                /* only the name itself is looked for */
    char place[RUN_PLACE_MAX]; /* the only one that is tried */
    char text[RUN_MEASURE_NAME_MAX];
    char nearest[RUN_MEASURE_NAME_MAX];
    bool found, unfinished; /* unfinished: the nearest begins with what was typed */
};

/* The i-th text that a placeholder may stand for; null: there is no more. */
static const char *placeholder_at(const struct walk *walk, enum measure_placeholder placeholder, uint32_t i)
{
    if (placeholder == MEASURE_T)
        return i < walk->names->tag_count ? walk->names->tags[i] : NULL;
    if (placeholder == MEASURE_PLACE)
        return i == 0 ? walk->place : NULL;
    return measure_placeholder_text(placeholder, i);
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
    size_t plain = strcspn(pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), length;
    enum measure_placeholder placeholder = measure_placeholder_at(pattern + plain, &length);
    const char *text;
    if (!walk_add(walk, &used, pattern, plain))
        return;
    if (placeholder == MEASURE_RUN) {
        if (walk->exact)
            walk->found = walk->found || strcmp(walk->text, walk->typed) == 0;
        else
            walk_compare(walk);
        return;
    }
    for (uint32_t i = 0; (text = placeholder_at(walk, placeholder, i)) != NULL; i++) {
        size_t next = used;
        if (walk_add(walk, &next, text, strlen(text)))
            walk_pattern(walk, pattern + plain + length, next);
    }
}

static void skip(const char **text, char first, const char *others)
{
    if (**text == first && (*text)[1] != '\0' && strchr(others, (*text)[1]) != NULL)
        *text += 1 + strspn(*text + 1, others);
}

static bool walk_all(struct walk *walk)
{
    char pattern[RUN_MEASURE_NAME_MAX];
    /* The place in "probe.s0-h3.1-2.queue", or the one that stands for any. */
    static const char probe[] = "probe.", digits[] = "0123456789";
    bool is_probe = strncmp(walk->typed, probe, sizeof probe - 1) == 0;
    const char *start = is_probe ? walk->typed + sizeof probe - 1 : "", *end = start;
    skip(&end, 's', digits);
    const char *middle = end;
    if (middle > start && middle[0] == '-') {
        end++;
        skip(&end, end[0] == 'h' ? 'h' : 's', digits);
    }
    bool both = end > middle + 1;
    skip(&end, '.', digits);
    skip(&end, '-', digits);
    bool good = both && (size_t)(end - start) < RUN_PLACE_MAX;
    snprintf(walk->place, RUN_PLACE_MAX, "%.*s", good ? (int)(end - start) : 5, good ? start : "s0-h0");
    for (uint32_t i = 0; i < measure_row_count; i++)
        for (uint32_t by_size = 0; by_size < 2; by_size++)
            if (measure_row_pattern(&measure_rows[i], (struct measure_pattern_choice){walk->names->curves, by_size > 0},
                                    pattern))
                walk_pattern(walk, pattern, 0);
    return walk->found;
}

bool run_measure_known(const struct run_measure_names *names, const char *name)
{
    struct walk walk = {.names = names, .typed = name, .exact = true};
    return walk_all(&walk);
}

/* Words of other tools for components of our names. */
static const char *const synonyms[][2] = {
    {"avg", "mean"},
    {"average", "mean"},
    {"median", "p50"},
    {"maximum", "max"},
    {"minimum", "min"},
    {"p99_9", "p999"},
    {"p99.9", "p999"},
    {"throughput", "goodput"},
    {"drops", "lost"},
    {"dropped", "lost"},
    {"losses", "lost"},
    {"rtos", "timeouts"},
    {"retransmissions", "resent"},
    {"flow_completion_time", "fct"},
    {"query_completion_time", "qct"},
    {"latency", "delay"},
};

/* The name with other words in our place; false: that is no name either. */
static bool translate(const struct run_measure_names *names, const char *name, char nearest[RUN_MEASURE_NAME_MAX])
{
    size_t used = 0;
    bool changed = false;
    for (const char *at = name; *at != '\0';) {
        size_t length = strcspn(at, ".");
        const char *word = at;
        size_t size = length;
        for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
            if (strlen(synonyms[i][0]) == length && strncmp(synonyms[i][0], at, length) == 0) {
                word = synonyms[i][1];
                size = strlen(word);
                changed = true;
            }
        if (used + size + 2 > RUN_MEASURE_NAME_MAX)
            return false;
        memcpy(nearest + used, word, size);
        used += size;
        at += length;
        if (*at == '.')
            nearest[used++] = *at++;
    }
    nearest[used] = '\0';
    return changed && run_measure_known(names, nearest);
}

bool run_measure_nearest(const struct run_measure_names *names, const char *name, char nearest[RUN_MEASURE_NAME_MAX])
{
    struct walk walk = {.names = names, .typed = name};
    if (translate(names, name, nearest))
        return true;
    bool found = walk_all(&walk);
    memcpy(nearest, walk.nearest, sizeof walk.nearest);
    return found;
}

/* What a placeholder stands for: its texts, or where they come from. */
static void put_placeholder(const char *name, enum measure_placeholder placeholder, const char *from, FILE *out)
{
    fprintf(out, "| `%s` | %s", name, from);
    for (uint32_t i = 0; measure_placeholder_text(placeholder, i) != NULL; i++)
        fprintf(out, "%s`%s`", i > 0 ? ", " : "", measure_placeholder_text(placeholder, i));
    fputs(" |\n", out);
}

void measures_reference(FILE *out)
{
    fputs("## Placeholders\n\n| placeholder | stands for |\n|---|---|\n", out);
    put_placeholder("T", MEASURE_T, "a tag of the scenario's traffic", out);
    put_placeholder("BIN", MEASURE_BIN, "flows and queries of a range of sizes: ", out);
    put_placeholder("STAT", MEASURE_STAT, "a statistic: ", out);
    put_placeholder("REASON", MEASURE_REASON, "a reason to refuse a packet: ", out);
    put_placeholder("CAUSE", MEASURE_CAUSE, "a cause of a loss after acceptance: ", out);
    put_placeholder("PLACE", MEASURE_PLACE, "the port that a probe follows: `s0-h3` is the port of switch 0 to host 3",
                    out);
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        char all[RUN_MEASURE_NAME_MAX], by_size[RUN_MEASURE_NAME_MAX];
        if (row->kind == MEASURE_SECTION)
            fprintf(out, "\n## %s\n\n| name | unit | meaning |\n|---|---|---|\n", row->name);
        if (!measure_row_pattern(row, (struct measure_pattern_choice){.curves = false}, all))
            continue;
        fprintf(out, "| `%s`", all);
        if (measure_row_pattern(row, (struct measure_pattern_choice){.by_size = true}, by_size))
            fprintf(out, ", `%s`", by_size);
        fprintf(out, " | %s | %s |\n", row->unit, row->help);
    }
    fputs("\n## Curves\n\n| name | x | y | meaning |\n|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        char name[RUN_MEASURE_NAME_MAX];
        bool series = row->kind == MEASURE_SERIES;
        if (measure_row_pattern(row, (struct measure_pattern_choice){.curves = true}, name))
            fprintf(out, "| `%s` | %s | %s | %s |\n", name, series ? "s" : row->unit, series ? row->unit : "1",
                    series ? row->help : "fraction of the sample that is at most x");
    }
}

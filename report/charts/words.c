/*
 * words.c - titles in words for what a figure gives only the name of: "burst.qct.mean" is "burst: mean query
 * completion time". The names are those of docs/measures.md; one that is not known here stays as it is.
 */
#include <string.h>

#include "report/charts/charts.h"

struct word {
    const char *name, *text;
};

static const struct word whole_names[] = {
    {"lost.total", "packets lost"},
    {"lost.refused", "packets refused"},
    {"memory.peak", "largest part of a buffer in use"},
    {"loss.buffer.cdf", "part of the buffer in use at a loss"},
    {"loss.bandwidth.cdf", "part of the bandwidth in use at a loss"},
    {"goodput", "goodput"},
};

static const struct word quantities[] = {
    {"fct", "flow completion time"},     {"qct", "query completion time"},
    {"slowdown", "slowdown of flows"},   {"qct_slowdown", "slowdown of queries"},
    {"delay", "packet delay"},           {"goodput", "goodput"},
    {"lossless", "part without a loss"}, {"lost", "packets lost"},
    {"loss", "part of packets lost"},    {"timeouts", "timeouts"},
};

static const struct word statistics[] = {
    {"mean", "mean "},
    {"min", "least "},
    {"max", "greatest "},
    {"p50", "median "},
    {"p90", "90th percentile of "},
    {"p95", "95th percentile of "},
    {"p99", "99th percentile of "},
    {"p999", "99.9th percentile of "},
    {"cdf", ""},
};

#define WORDS(table) (table), sizeof(table) / sizeof(table)[0]

/* Null: there is no such word. */
static const char *word_of(const struct word *words, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i].name) == length && strncmp(words[i].name, name, length) == 0)
            return words[i].text;
    }
    return NULL;
}

/* Where the last component of name[0 .. length) begins; 0: it has only one. */
static size_t last_component(const char *name, size_t length)
{
    while (length > 0 && name[length - 1] != '.')
        length--;
    return length;
}

const char *charts_words(struct charts_builder *builder, const char *name)
{
    size_t end = strlen(name), last = last_component(name, end);
    const char *whole = word_of(WORDS(whole_names), name, end);
    if (whole != NULL)
        return whole;
    const char *statistic = word_of(WORDS(statistics), name + last, end - last);
    if (statistic != NULL && last > 0) {
        end = last - 1;
        last = last_component(name, end);
    }
    const char *quantity = last > 1 ? word_of(WORDS(quantities), name + last, end - last) : NULL;
    if (quantity == NULL)
        return name;
    /* What is before it is a tag, or a tag and a part of its flows: "web.short". */
    return charts_text(builder, "%.*s: %s%s", (int)(last - 1), name, statistic != NULL ? statistic : "", quantity);
}

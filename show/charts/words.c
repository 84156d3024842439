/*
 * words.c - titles in words for what a figure gives only the name of: "burst.qct.mean" is "burst: mean query
 * completion time". The words are those of the table of measures; a name without words stays as it is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/row.h"
#include "show/charts/charts.h"

/* A statistic, or a distribution, which needs no word; null: neither. */
static const char *statistic_words(const char *name)
{
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        if (strcmp(statistic_table[i].name, name) == 0)
            return statistic_table[i].words;
    return strcmp(name, "cdf") == 0 ? "" : NULL;
}

/* Words of the row with this name; of a tag, only what comes after it is given. Null: there are none. */
static const char *row_words(const char *name, size_t length, bool of_tag)
{
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        if (row->title == NULL || (measure_row_placeholder(row) == MEASURE_T) != of_tag)
            continue;
        const char *own = of_tag ? strrchr(row->name, '.') + 1 : row->name;
        const char *option = strchr(own, ']');
        own = option != NULL ? option + 1 : own;
        if (strlen(own) == length && strncmp(own, name, length) == 0)
            return row->title;
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

const char *charts_quantity(struct charts_builder *builder, const char *name, size_t *tag)
{
    size_t end = strlen(name), last = last_component(name, end);
    const char *statistic = last > 0 ? statistic_words(name + last) : NULL;
    *tag = 0;
    if (statistic != NULL) {
        end = last - 1;
        last = last_component(name, end);
    }
    const char *words = row_words(name, end, false);
    if (words == NULL && last > 1) {
        words = row_words(name + last, end - last, true);
        *tag = words != NULL ? last - 1 : 0;
    }
    return words != NULL ? charts_text(builder, "%s%s", statistic != NULL ? statistic : "", words) : name;
}

const char *charts_words(struct charts_builder *builder, const char *name)
{
    size_t tag;
    const char *quantity = charts_quantity(builder, name, &tag);
    return quantity != NULL && tag > 0 ? charts_text(builder, "%.*s: %s", (int)tag, name, quantity) : quantity;
}

const char *words_rounded(double number, int digits, char text[ROUNDED_MAX])
{
    snprintf(text, ROUNDED_MAX, "%.*e", digits - 1, number);
    double rounded = strtod(text, NULL);
    snprintf(text, ROUNDED_MAX, "%.*g", fabs(rounded) < 1e7 ? 10 : digits, rounded);
    return text;
}

bool chart_has_censoring(const struct chart *chart, enum censoring censoring)
{
    for (uint32_t l = 0; l < chart->line_count; l++)
        for (uint32_t i = 0; i < chart->lines[l].count; i++)
            if (isfinite(chart->lines[l].y[i]) && chart_censoring(&chart->lines[l], i) == censoring)
                return true;
    return false;
}

const char *charts_censoring_note(struct charts_builder *builder, const struct chart *chart, const char *before)
{
    for (uint32_t i = CENSORING_NONE + 1; before != NULL && i <= CENSORING_PARTIAL; i++)
        if (chart_has_censoring(chart, (enum censoring)i))
            before = charts_text(builder, "%s%s%s.", before, before[0] != '\0' ? " " : "",
                                 censoring_legend((enum censoring)i));
    return before;
}

/*
 * measures.c - see measures.h: a walk over the table of measures, in which each row is read for every tag, range of
 * sizes, reason, cause or probe that its name speaks of. What has no data is left out: an empty sample, a value that is
 * no number, a section that this run does not have.
 */
#include "run/measures/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/row.h"

struct walk {
    struct measures *measures;
    const struct measure_row *section, *row;
    struct measure_at at;
    char name[RUN_MEASURE_NAME_MAX]; /* of the row, for what it is read of */
};

/* What a placeholder stands for; `place` is room for a text. */
static const char *placeholder_text(const struct measure_at *at, enum measure_placeholder placeholder,
                                    char place[RUN_PLACE_MAX])
{
    switch (placeholder) {
    case MEASURE_T:
        return at->tag->name;
    case MEASURE_BIN:
        return measure_bin_name(at->run->scenario->size_bin_count + 1, at->bin);
    case MEASURE_REASON:
        return weir_reason_name((enum weir_reason)at->number);
    case MEASURE_CAUSE:
        return weir_cause_name((enum weir_cause)at->number);
    default:
        run_probe_name(at->run, at->number, place);
        return place;
    }
}

static void add_sample(struct walk *walk)
{
    struct measure_sample sample = {.scale = 1};
    const char *unit = walk->row->unit;
    walk->row->sample(&walk->at, &sample);
    for (uint32_t i = 0; sample.statistics.count > 0 && i < STATISTIC_COUNT; i++)
        measures_add(walk->measures, unit, statistic_value(&sample.statistics, &statistic_table[i]) * sample.scale,
                     "%s.%s", walk->name, statistic_table[i].name);
    if (sample.cdf == NULL || sample.cdf->count == 0)
        return;
    measures_add_curve(walk->measures, unit, "1", "%s.cdf", walk->name);
    for (uint32_t i = 0; i < sample.cdf->count; i++)
        measures_add_point(walk->measures, sample.cdf->x[i] * sample.scale, sample.cdf->y[i]);
}

static void add_series(struct walk *walk)
{
    uint32_t count = walk->row->count(&walk->at);
    double *points = count > 0 ? malloc(2 * (size_t)count * sizeof *points) : NULL;
    if (count == 0)
        return;
    if (points == NULL) {
        walk->measures->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        walk->row->point(&walk->at, i, points + 2 * (size_t)i);
    measures_add_curve(walk->measures, "s", walk->row->unit, "%s", walk->name);
    count = run_series_thin(points, count);
    for (uint32_t i = 0; i < count; i++)
        measures_add_point(walk->measures, points[2 * (size_t)i], points[2 * (size_t)i + 1]);
    free(points);
}

static void add_row(struct walk *walk)
{
    if (!walk->section->exists(&walk->at))
        return;
    /* Tags have at most 80 bytes, so that every name fits. */
    char place[RUN_PLACE_MAX];
    size_t used = 0, length;
    for (const char *p = walk->row->name; *p != '\0' && used + 1 < sizeof walk->name;) {
        enum measure_placeholder placeholder = measure_placeholder_at(p, &length);
        if (*p == '[' && walk->at.bin == MEASURE_ALL_SIZES)
            p = strchr(p, ']');
        if (*p == '[' || *p == ']') {
            p++;
        } else if (placeholder == MEASURE_RUN) {
            walk->name[used++] = *p++;
        } else {
            const char *text = placeholder_text(&walk->at, placeholder, place);
            int added = snprintf(walk->name + used, sizeof walk->name - used, "%s", text);
            used += added > 0 ? (size_t)added : 0;
            p += length;
        }
    }
    walk->name[used < sizeof walk->name ? used : sizeof walk->name - 1] = '\0';
    if (walk->row->kind == MEASURE_SAMPLE)
        add_sample(walk);
    else if (walk->row->kind == MEASURE_SERIES)
        add_series(walk);
    else
        measures_add(walk->measures, walk->row->unit, walk->row->value(&walk->at), "%s", walk->name);
}

static void add_tag(struct walk *walk)
{
    const struct scenario *scenario = walk->at.run->scenario;
    const struct run_tag *tag = &walk->at.run->tags[walk->at.number];
    walk->at.tag = tag;
    walk->at.bin = MEASURE_ALL_SIZES;
    walk->at.flows = &tag->flows;
    walk->at.groups = &tag->groups;
    add_row(walk);
    if (strchr(walk->row->name, '[') == NULL || scenario->size_bin_count == 0)
        return;
    for (uint32_t bin = 0; bin <= scenario->size_bin_count; bin++) {
        walk->at.bin = bin;
        walk->at.flows = &tag->bins[bin];
        walk->at.groups = &tag->group_bins[bin];
        add_row(walk);
    }
}

/* How often a row with this placeholder is read in this run. */
static uint32_t things(const struct run_result *result, enum measure_placeholder placeholder)
{
    uint32_t count = 0;
    switch (placeholder) {
    case MEASURE_T:
        return result->scenario->config.tag_count;
    case MEASURE_PLACE:
        return result->sim != NULL ? sim_measure(result->sim)->probe_count : 0;
    case MEASURE_REASON:
    case MEASURE_CAUSE:
        while (measure_placeholder_text(placeholder, count) != NULL)
            count++;
        return count;
    default:
        return 1;
    }
}

bool run_measures_make(struct measures *measures, const struct run_result *result)
{
    struct walk walk = {.measures = measures};
    *measures = (struct measures){.digest = result->digest, .hops = result->totals.packet_hops};
    for (uint32_t i = 0; i < measure_row_count && !measures->failed; i++) {
        walk.row = &measure_rows[i];
        if (walk.row->kind == MEASURE_SECTION) {
            walk.section = walk.row;
            continue;
        }
        enum measure_placeholder placeholder = measure_row_placeholder(walk.row);
        uint32_t count = things(result, placeholder);
        for (uint32_t thing = 0; thing < count; thing++) {
            walk.at = (struct measure_at){.run = result, .number = measure_placeholder_number(placeholder, thing)};
            if (placeholder == MEASURE_T)
                add_tag(&walk);
            else
                add_row(&walk);
        }
    }
    return !measures->failed;
}

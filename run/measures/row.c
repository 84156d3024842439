/*
 * row.c - see row.h. measures.def is read twice: once each expression becomes a function, named by the line it stands
 * on; then each row becomes an entry with pointers to its functions.
 */
#include "run/measures/row.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/measures/values.h"

#define NONE ((double)NAN)
#define SECONDS_PER_PS (1 / (double)WEIR_PS_PER_S)
#define FRACTION_STEPS ((double)(MEASURE_BINS - 1))
#define SIMULATED (at->run->sim != NULL)
#define COUNTED(what) (SIMULATED ? (double)sim_measure(at->run->sim)->tag[at->number].counts[what] : NONE)
#define OF_SWITCHES(histogram) pfc_bins(at->run, offsetof(struct pfc_measure, histogram), sum)
#define OF_ALL_SIZES(cdf) (at->bin == MEASURE_ALL_SIZES ? &at->tag->cdf : NULL)

static double seconds(weir_ps time)
{
    return (double)time / (double)WEIR_PS_PER_S;
}

/* Of queries where the tag has some, else of flows. */
static double lossless_fraction(const struct measure_at *at)
{
    bool queries = at->tag->groups.groups > 0;
    uint64_t all = queries ? at->groups->groups : at->flows->flows;
    uint64_t lossless = queries ? at->groups->lossless : at->flows->lossless;
    return all > 0 ? (double)lossless / (double)all : NONE;
}

static double lossless_bytes(const struct measure_at *at)
{
    bool queries = at->tag->groups.groups > 0;
    uint64_t all = queries ? at->groups->groups : at->flows->flows;
    int64_t bytes = queries ? at->groups->lossless_bytes : at->flows->lossless_bytes;
    return all > 0 ? (double)bytes : NONE;
}

/* Of a sample with unfinished members; else none. */
static double known_of(const struct statistics *sample)
{
    return sample->unfinished > 0 ? statistics_known(sample) : NONE;
}

static double bound_mean_of(const struct statistics *sample)
{
    return sample->unfinished > 0 && sample->count > 0 ? sample->bound_mean : NONE;
}

static struct statistics of_finished(const struct statistics *all, const struct statistics *finished)
{
    return all->unfinished > 0 ? *finished : (struct statistics){0};
}

static double fullest_memory(const struct run_result *run)
{
    double peak = 0;
    for (uint32_t i = 0; i < run->memory_count; i++) {
        double part = (double)run->memories[i].peak_bytes / (double)run->memories[i].buffer_bytes;
        peak = part > peak ? part : peak;
    }
    return peak;
}

/* Of a histogram of fractions; none where it is empty. */
static double percentile_of(const uint64_t *bins, double percent)
{
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin++)
        if (bins[bin] > 0)
            return statistics_percentile(bins, percent);
    return NONE;
}

static struct forest_score rows_score(const struct run_result *run)
{
    return forest_score_of(&run->scenario->rows.judged);
}

static double rows_count(const struct run_result *run)
{
    const struct forest_confusion *c = &run->scenario->rows.judged;
    return (double)(c->true_positive + c->false_positive + c->true_negative + c->false_negative);
}

static double rows_lost(const struct run_result *run)
{
    const struct forest_confusion *c = &run->scenario->rows.judged;
    return (double)(c->true_positive + c->false_negative) / rows_count(run);
}

/* N is the most that a switch has. */
static double rows_error_score(const struct run_result *run)
{
    const struct measure *measure = sim_measure(run->sim);
    uint32_t ports = 0;
    for (uint32_t sw = 0; sw < measure->switches; sw++)
        ports = measure->sw[sw].ports > ports ? measure->sw[sw].ports : ports;
    return forest_error_score(&run->scenario->rows.judged, ports);
}

static double online_forests(const struct run_result *run)
{
    uint64_t forests = 0;
    for (uint32_t i = 0; i < run->scenario->oracle_count; i++)
        forests += run->scenario->oracles[i].online.forests;
    return (double)forests;
}

static struct forest_score online_score(const struct run_result *run)
{
    struct forest_confusion all = {.true_positive = 0};
    for (uint32_t i = 0; i < run->scenario->oracle_count; i++) {
        const struct forest_confusion *c = &run->scenario->oracles[i].online.judged;
        all.true_positive += c->true_positive;
        all.false_positive += c->false_positive;
        all.true_negative += c->true_negative;
        all.false_negative += c->false_negative;
    }
    return forest_score_of(&all);
}

#define SLOT_BROKEN(field) (at->run->slot.predicted ? (double)at->run->slot.field : NONE)

/* None where it is infinite. */
static double slot_ratio_of(uint64_t better, uint64_t worse)
{
    return worse > 0 ? (double)better / (double)worse : better > 0 ? NONE : 1;
}

/* Between bins of rates. */
static double rate_step(const struct run_result *run)
{
    return (double)run->pfc.fastest_bps / PFC_MEASURE_RATE_STEPS;
}

static double deadlock_time(const struct run_result *run, weir_ps time)
{
    return sim_measure(run->sim)->deadlock.found > 0 && time != WEIR_NEVER ? seconds(time) : NONE;
}

static double deadlock_known(const struct run_result *run)
{
    const struct measure_deadlock *deadlock = &sim_measure(run->sim)->deadlock;
    return seconds(deadlock->found > 0 ? deadlock->onset_ps : run->totals.now);
}

static double goodput_time(const struct run_result *run, uint32_t bin)
{
    return seconds(bin * run->scenario->config.goodput_interval_ps);
}

static const struct series *series_of(const struct measure_at *at)
{
    return &sim_measure(at->run->sim)->probe[at->number];
}

/* A histogram of struct pfc_measure, by its offset: added up in `sum` over all switches with lossless classes. */
static const uint64_t *pfc_bins(const struct run_result *run, size_t offset, uint64_t sum[MEASURE_BINS])
{
    const struct measure *measure = sim_measure(run->sim);
    memset(sum, 0, MEASURE_BINS * sizeof *sum);
    for (uint32_t sw = 0; sw < measure->switches; sw++) {
        const void *bins = measure->sw[sw].pfc != NULL ? (const char *)measure->sw[sw].pfc + offset : NULL;
        for (uint32_t bin = 0; bins != NULL && bin < MEASURE_BINS; bin++)
            sum[bin] += ((const uint64_t *)bins)[bin];
    }
    return sum;
}

/* The fraction of such a histogram of fractions that is below one half. */
static double below_half_of(const struct run_result *run, size_t offset)
{
    uint64_t sum[MEASURE_BINS], below = 0, all = 0;
    const uint64_t *bins = pfc_bins(run, offset, sum);
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin++) {
        below += bin < MEASURE_BINS / 2 ? bins[bin] : 0;
        all += bins[bin];
    }
    return all > 0 ? (double)below / (double)all : NONE;
}

/* Of a histogram whose bins stand for `values`. */
static void sample_histogram(const double *values, const uint64_t *bins, struct measure_sample *out)
{
    statistics_of_weighted(values, bins, MEASURE_BINS, &out->statistics);
    run_cdf_make(&out->made, values, bins, MEASURE_BINS);
    out->cdf = &out->made;
    out->scale = 1;
}

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define OF_LINE(name) JOIN(name##_, __LINE__)

#define SECTION(title, when)                                                                                           \
    static bool OF_LINE(exists)(const struct measure_at *at)                                                           \
    {                                                                                                                  \
        (void)at;                                                                                                      \
        return (when);                                                                                                 \
    }
#define VALUE(name, unit, title, of, help)                                                                             \
    static double OF_LINE(value)(const struct measure_at *at)                                                          \
    {                                                                                                                  \
        return (double)(of);                                                                                           \
    }
#define SAMPLE(name, unit, title, of, curve, factor, help)                                                             \
    static void OF_LINE(sample)(const struct measure_at *at, struct measure_sample *out)                               \
    {                                                                                                                  \
        out->statistics = (of);                                                                                        \
        out->cdf = (curve);                                                                                            \
        out->scale = (factor);                                                                                         \
    }
#define STATISTICS(name, unit, title, of, factor, help) SAMPLE(name, unit, title, of, NULL, factor, help)
#define HISTOGRAM(name, unit, title, bins, of_bin, help)                                                               \
    static void OF_LINE(sample)(const struct measure_at *at, struct measure_sample *out)                               \
    {                                                                                                                  \
        double values[MEASURE_BINS];                                                                                   \
        uint64_t sum[MEASURE_BINS];                                                                                    \
        (void)sum; /* for OF_SWITCHES */                                                                               \
        for (uint32_t bin = 0; bin < MEASURE_BINS; bin++)                                                              \
            values[bin] = (of_bin);                                                                                    \
        sample_histogram(values, (bins), out);                                                                         \
    }
#define SERIES(name, unit, title, points, x, y, help)                                                                  \
    static uint32_t OF_LINE(count)(const struct measure_at *at)                                                        \
    {                                                                                                                  \
        (void)at;                                                                                                      \
        return (points);                                                                                               \
    }                                                                                                                  \
    static void OF_LINE(point)(const struct measure_at *at, uint32_t i, double xy[2])                                  \
    {                                                                                                                  \
        (void)i;                                                                                                       \
        xy[0] = (x);                                                                                                   \
        xy[1] = (y);                                                                                                   \
    }
#include "run/measures/measures.def"
#undef SECTION
#undef VALUE
#undef SAMPLE
#undef STATISTICS
#undef HISTOGRAM
#undef SERIES

#define FACTS(of_kind, of_name, of_unit, of_title, of_help)                                                            \
    .kind = (of_kind), .name = (of_name), .unit = (of_unit), .title = (of_title), .help = (of_help)
#define SECTION(title, when) {.kind = MEASURE_SECTION, .name = (title), .exists = OF_LINE(exists)},
#define VALUE(name, unit, title, of, help) {FACTS(MEASURE_VALUE, name, unit, title, help), .value = OF_LINE(value)},
#define SAMPLE(name, unit, title, of, curve, factor, help)                                                             \
    {FACTS(MEASURE_SAMPLE, name, unit, title, help), .sample = OF_LINE(sample)},
#define STATISTICS(name, unit, title, of, factor, help)                                                                \
    {FACTS(MEASURE_SAMPLE, name, unit, title, help), .sample = OF_LINE(sample), .no_curve = true},
#define HISTOGRAM(name, unit, title, bins, of_bin, help)                                                               \
    {FACTS(MEASURE_SAMPLE, name, unit, title, help), .sample = OF_LINE(sample)},
#define SERIES(name, unit, title, points, x, y, help)                                                                  \
    {FACTS(MEASURE_SERIES, name, unit, title, help), .count = OF_LINE(count), .point = OF_LINE(point)},
const struct measure_row measure_rows[] = {
#include "run/measures/measures.def"
};

const uint32_t measure_row_count = sizeof measure_rows / sizeof measure_rows[0];

static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

enum measure_placeholder measure_placeholder_at(const char *pattern, size_t *length)
{
    static const char *const names[MEASURE_PLACEHOLDERS] = {"", "T", "REASON", "CAUSE", "PLACE", "BIN", "STAT"};
    *length = strspn(pattern, capitals);
    for (uint32_t placeholder = MEASURE_RUN + 1; placeholder < MEASURE_PLACEHOLDERS; placeholder++)
        if (strlen(names[placeholder]) == *length && strncmp(names[placeholder], pattern, *length) == 0)
            return (enum measure_placeholder)placeholder;
    *length = 0;
    return MEASURE_RUN;
}

enum measure_placeholder measure_row_placeholder(const struct measure_row *row)
{
    size_t length;
    return measure_placeholder_at(row->name + strcspn(row->name, capitals), &length);
}

bool measure_row_pattern(const struct measure_row *row, struct measure_pattern_choice choice,
                         char pattern[RUN_MEASURE_NAME_MAX])
{
    const char *option = strchr(row->name, '['), *end = option != NULL ? strchr(option, ']') : NULL;
    bool curves = row->kind == MEASURE_SERIES || (choice.curves && row->kind == MEASURE_SAMPLE && !row->no_curve);
    if (row->kind == MEASURE_SECTION || choice.curves != curves || (choice.by_size && (option == NULL || curves)))
        return false;
    const char *last = row->kind != MEASURE_SAMPLE ? "" : choice.curves ? ".cdf" : ".STAT";
    if (option == NULL)
        snprintf(pattern, RUN_MEASURE_NAME_MAX, "%s%s", row->name, last);
    else
        snprintf(pattern, RUN_MEASURE_NAME_MAX, "%.*s%.*s%s%s", (int)(option - row->name), row->name,
                 choice.by_size ? (int)(end - option - 1) : 0, option + 1, end + 1, last);
    return true;
}

static const char *const bin_names[] = {"short", "middle", "long", "bin1", "bin2", "bin3",
                                        "bin4",  "bin5",   "bin6", "bin7", "bin8", "bin9"};
#define BIN_NAMES (sizeof bin_names / sizeof bin_names[0])
_Static_assert(BIN_NAMES == 3 + RUN_BINS_MAX, "every bin has a name");

const char *measure_bin_name(uint32_t bins, uint32_t bin)
{
    if (bins == 2)
        return bin_names[2 * bin];
    return bin_names[bins == 3 ? bin : 3 + bin];
}

uint32_t measure_placeholder_number(enum measure_placeholder placeholder, uint32_t i)
{
    return placeholder == MEASURE_REASON  ? WEIR_REASON_NONE + 1 + i
           : placeholder == MEASURE_CAUSE ? WEIR_CAUSE_REFUSED + 1 + i
                                          : i;
}

const char *measure_placeholder_text(enum measure_placeholder placeholder, uint32_t i)
{
    uint32_t number = measure_placeholder_number(placeholder, i);
    if (placeholder == MEASURE_REASON)
        return number < WEIR_REASON_COUNT ? weir_reason_name((enum weir_reason)number) : NULL;
    if (placeholder == MEASURE_CAUSE)
        return number < WEIR_CAUSE_COUNT ? weir_cause_name((enum weir_cause)number) : NULL;
    if (placeholder == MEASURE_BIN)
        return number < BIN_NAMES ? bin_names[number] : NULL;
    return placeholder == MEASURE_STAT && number < STATISTIC_COUNT ? statistic_table[number].name : NULL;
}

const char *units_name(uint32_t unit)
{
    static const char *const names[UNITS_COUNT] = {"1", "s", "B", "bit/s"};
    return names[unit < UNITS_COUNT ? unit : 0];
}

uint32_t units_find(const char *name)
{
    uint32_t unit = 0;
    while (unit < UNITS_COUNT && strcmp(units_name(unit), name) != 0)
        unit++;
    return unit;
}

const char *units_own(const char *name)
{
    assert(units_find(name) < UNITS_COUNT);
    return units_name(units_find(name));
}

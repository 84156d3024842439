/*
 * finding.c - what a chart shows, in one sentence: best and worst, by how much, and how sure the seeds are of it. The
 * page begins with these sentences, so that a reader knows what to look for.
 *
 * Differences are those of seed by seed: the interval of a ratio is that of the ratios, not of its two sides.
 */
#include <math.h>
#include <string.h>

#include "show/charts/charts.h"

#define NUMBER_MAX 96u
#define NAMES_MAX 3u /* of lines that are equally good */

/* Measures by what their names end in, or a component of them: better when lower, else when higher. */
static const struct {
    const char *part;
    enum chart_better better;
} directions[] = {
    {"lossless", CHART_BETTER_HIGHER},
    {"goodput", CHART_BETTER_HIGHER},
    {"delivered", CHART_BETTER_HIGHER},
    {"received", CHART_BETTER_HIGHER},
    {"jain", CHART_BETTER_HIGHER},
    {"finished", CHART_BETTER_HIGHER},
    {"queries_finished", CHART_BETTER_HIGHER},
    {"fct", CHART_BETTER_LOWER},
    {"qct", CHART_BETTER_LOWER},
    {"slowdown", CHART_BETTER_LOWER},
    {"qct_slowdown", CHART_BETTER_LOWER},
    {"fct_finished", CHART_BETTER_LOWER},
    {"qct_finished", CHART_BETTER_LOWER},
    {"delay", CHART_BETTER_LOWER},
    {"lost", CHART_BETTER_LOWER},
    {"loss", CHART_BETTER_LOWER},
    {"missing", CHART_BETTER_LOWER},
    {"timeouts", CHART_BETTER_LOWER},
    {"resent", CHART_BETTER_LOWER},
    {"unfinished", CHART_BETTER_LOWER},
    {"pause", CHART_BETTER_LOWER},
    {"flows_with_timeouts", CHART_BETTER_LOWER},
    {"queries_with_timeouts", CHART_BETTER_LOWER},
    {"queries_unfinished", CHART_BETTER_LOWER},
    {"deadlock", CHART_BETTER_LOWER},
};

/* How many of something there were, which a fraction is of. */
static bool is_total(const struct expression *e)
{
    static const char *const ends[] = {".queries", ".flows", ".sent"};
    size_t length = e->kind == EXPRESSION_MEASURE ? strlen(e->name) : 0;
    for (size_t i = 0; length > 0 && i < sizeof ends / sizeof ends[0]; i++)
        if (length > strlen(ends[i]) && strcmp(e->name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return e->kind == EXPRESSION_NUMBER;
}

enum chart_better charts_better(const struct expression *e)
{
    switch (e->kind) {
    case EXPRESSION_MEASURE: {
        const char *name = e->name;
        for (const char *part = name; part != NULL; part = strchr(part, '.') != NULL ? strchr(part, '.') + 1 : NULL) {
            size_t length = strcspn(part, ".");
            if (part == name && part[length] != '\0' && strncmp(name, "lost.", 5) != 0 &&
                strncmp(name, "pause.", 6) != 0 && strncmp(name, "deadlock.", 9) != 0)
                continue; /* a tag: it may be called anything */
            for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++)
                if (strlen(directions[i].part) == length && strncmp(directions[i].part, part, length) == 0)
                    return directions[i].better;
        }
        return CHART_BETTER_UNKNOWN;
    }
    case EXPRESSION_MAX:
    case EXPRESSION_MIN:
    case EXPRESSION_MEAN:
    case EXPRESSION_SUM:
    case EXPRESSION_HOLD:
        return charts_better(e->left);
    case EXPRESSION_MULTIPLY:
        return e->right->kind == EXPRESSION_NUMBER ? charts_better(e->left) : CHART_BETTER_UNKNOWN;
    case EXPRESSION_DIVIDE:
        return is_total(e->right) ? charts_better(e->left) : CHART_BETTER_UNKNOWN;
    default:
        return CHART_BETTER_UNKNOWN;
    }
}

/* A number of the chart: line and point. */
struct place {
    uint32_t line, i;
};

static double value_at(const struct chart *chart, struct place place)
{
    return chart->lines[place.line].y[place.i];
}

static bool is_better(const struct chart *chart, double a, double b)
{
    return chart->better == CHART_BETTER_HIGHER ? a > b : a < b;
}

/* "0.32 ± 0.04 ms", "97 ± 2 %". */
static const char *number_text(const struct chart *chart, struct place place, char text[NUMBER_MAX])
{
    const struct chart_line *line = &chart->lines[place.line];
    const char *space = chart->y_unit[0] != '\0' ? " " : "";
    double half = line->high != NULL ? line->high[place.i] - line->y[place.i] : NAN;
    char number[CENSORING_TEXT_MAX], signed_number[CENSORING_TEXT_MAX];
    char interval[ROUNDED_MAX];
    words_rounded(line->y[place.i], 3, number);
    censoring_text(chart_censoring(line, place.i), number, signed_number);
    if (isfinite(half) && half > 0)
        snprintf(text, NUMBER_MAX, "%.40s \u00b1 %s%s%.20s", signed_number, words_rounded(half, 2, interval), space,
                 chart->y_unit);
    else
        snprintf(text, NUMBER_MAX, "%.40s%s%.20s", signed_number, space, chart->y_unit);
    return text;
}

/* The greater over the lesser, seed by seed; count 0: the lesser is zero somewhere. */
static struct spread ratio_of(const struct chart *chart, struct place greater, struct place lesser)
{
    const double *above = chart->lines[greater.line].seeds, *below = chart->lines[lesser.line].seeds;
    struct spread_sum sum = {.count = 0};
    for (uint32_t s = 0; above != NULL && below != NULL && s < chart->seeds; s++) {
        double a = above[greater.i * chart->seeds + s], b = below[lesser.i * chart->seeds + s];
        if (!isfinite(a) || !isfinite(b))
            continue;
        if (!(b > 0))
            return (struct spread){.count = 0};
        spread_add(&sum, a / b);
    }
    return spread_end(&sum);
}

/* "20 ± 3 times as much", "8.1 ± 0.4 % more"; empty: there is no ratio. */
static const char *ratio_text(const struct chart *chart, struct place one, struct place other, char text[NUMBER_MAX])
{
    bool above = value_at(chart, one) > value_at(chart, other);
    struct spread ratio = ratio_of(chart, above ? one : other, above ? other : one);
    bool interval = isfinite(ratio.half) && ratio.half > 0;
    text[0] = '\0';
    if (ratio.count == 0)
        return text;
    bool times = ratio.mean >= 2;
    double shown = times ? ratio.mean : 100 * (ratio.mean - 1), half = times ? ratio.half : 100 * ratio.half;
    char number[ROUNDED_MAX];
    int used = snprintf(text, NUMBER_MAX, " (%s", words_rounded(shown, 3, number));
    if (interval)
        used += snprintf(text + used, NUMBER_MAX - (size_t)used, " \u00b1 %s", words_rounded(half, 2, number));
    snprintf(text + used, NUMBER_MAX - (size_t)used, "%s%s)", times ? " times as much" : " % more",
             interval && ratio.mean - ratio.half <= 1 ? ", which the seeds do not confirm" : "");
    return text;
}

/* The best and the worst of the lines at a point; false: fewer than two have a value. */
static bool ends_at(const struct chart *chart, uint32_t i, struct place *best, struct place *worst)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < chart->line_count; l++) {
        struct place here = {l, i};
        if (!isfinite(value_at(chart, here)))
            continue;
        if (count == 0 || is_better(chart, value_at(chart, here), value_at(chart, *best)))
            *best = here;
        if (count == 0 || is_better(chart, value_at(chart, *worst), value_at(chart, here)))
            *worst = here;
        count++;
    }
    return count >= 2;
}

/* The same along one line. */
static bool ends_along(const struct chart *chart, uint32_t line, struct place *best, struct place *worst)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chart->lines[line].count; i++) {
        struct place here = {line, i};
        if (!isfinite(value_at(chart, here)))
            continue;
        if (count == 0 || is_better(chart, value_at(chart, here), value_at(chart, *best)))
            *best = here;
        if (count == 0 || is_better(chart, value_at(chart, *worst), value_at(chart, here)))
            *worst = here;
        count++;
    }
    return count >= 2;
}

/* "40 % buffer", "4 (Hosts that answer)", or the label of a place without a number. */
static const char *x_text(const struct chart *chart, uint32_t i, char text[NUMBER_MAX])
{
    if (chart->x_labels != NULL)
        snprintf(text, NUMBER_MAX, "%.60s", chart->x_labels[i]);
    else if (chart->x_unit[0] == '\0' && chart->x_title[0] != '\0')
        snprintf(text, NUMBER_MAX, "%.4g (%.60s)", chart->lines[0].x[i], chart->x_title);
    else
        snprintf(text, NUMBER_MAX, "%.4g%s%.40s", chart->lines[0].x[i], chart->x_unit[0] != '\0' ? " " : "",
                 chart->x_unit);
    return text;
}

/* "TDT", "TDT and LQD" or, of more, how many: the lines that are best at `most` points. */
static const char *winners_text(struct charts_builder *builder, const struct chart *chart, const uint32_t *wins,
                                uint32_t most)
{
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t l = 0; l < chart->line_count; l++)
        count += wins[l] == most;
    if (count > NAMES_MAX)
        return charts_text(builder, "%u lines are", count);
    for (uint32_t l = 0, named = 0; text != NULL && l < chart->line_count; l++)
        if (wins[l] == most)
            text = charts_text(builder, "%s%s%s", text, named++ > 0 ? " and " : "", chart->lines[l].label);
    return text != NULL ? charts_text(builder, "%s %s", text, count == 1 ? "is" : "are") : NULL;
}

/* The seeds confirm that two places differ: the interval of the differences, seed by seed, leaves out zero. */
static bool is_confirmed(const struct chart *chart, struct place best, struct place other)
{
    const double *of_best = chart->lines[best.line].seeds, *of_other = chart->lines[other.line].seeds;
    struct spread_sum sum = {.count = 0};
    for (uint32_t s = 0; of_best != NULL && of_other != NULL && s < chart->seeds; s++) {
        double a = of_best[(size_t)best.i * chart->seeds + s], b = of_other[(size_t)other.i * chart->seeds + s];
        if (isfinite(a) && isfinite(b))
            spread_add(&sum, b - a);
    }
    struct spread spread = spread_end(&sum);
    return spread.count < 2 || fabs(spread.mean) > spread.half;
}

/* At how many of the points where the line is best it beats every other beyond what the seeds differ by. */
static uint32_t count_confirmed(const struct chart *chart, uint32_t line)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chart->lines[0].count; i++) {
        struct place best, worst;
        bool wins =
            ends_at(chart, i, &best, &worst) && value_at(chart, (struct place){line, i}) == value_at(chart, best);
        for (uint32_t l = 0; wins && l < chart->line_count; l++)
            wins = l == line || isnan(chart->lines[l].y[i]) ||
                   is_confirmed(chart, (struct place){line, i}, (struct place){l, i});
        count += wins;
    }
    return count;
}

/* " (confirmed by the seeds at 2)", where one line is best and not all of it is confirmed. */
static void confirmed_text(const struct chart *chart, const uint32_t *wins, uint32_t most, char text[NUMBER_MAX])
{
    uint32_t winners = 0, winner = 0;
    text[0] = '\0';
    for (uint32_t l = 0; l < chart->line_count; l++)
        if (wins[l] == most && winners++ == 0)
            winner = l;
    if (winners != 1 || chart->seeds < 2)
        return;
    uint32_t confirmed = count_confirmed(chart, winner);
    if (confirmed == 0)
        snprintf(text, NUMBER_MAX, ", which the seeds confirm at none");
    else if (confirmed < most)
        snprintf(text, NUMBER_MAX, ", which the seeds confirm at %u", confirmed);
}

static const char *find_among_lines(struct charts_builder *builder, const struct chart *chart)
{
    struct place best, worst, widest_best = {0, 0}, widest_worst = {0, 0};
    double widest = 0;
    uint32_t points = 0, most = 0;
    uint32_t *wins = arena_take_array(&builder->out->arena, chart->line_count, sizeof *wins);
    if (wins == NULL)
        return NULL;
    for (uint32_t i = 0; i < chart->lines[0].count; i++) {
        if (!ends_at(chart, i, &best, &worst))
            continue;
        points++;
        for (uint32_t l = 0; l < chart->line_count; l++)
            wins[l] += value_at(chart, (struct place){l, i}) == value_at(chart, best);
        /* How far apart two numbers are, so that gaps can be compared: a ratio where there is one. */
        double a = value_at(chart, best);
        double b = value_at(chart, worst);
        double low = fmin(a, b), high = fmax(a, b);
        double gap = low > 0 ? high / low : high > low ? 1e9 + high - low : 0;
        if (gap > widest) {
            widest = gap;
            widest_best = best;
            widest_worst = worst;
        }
    }
    for (uint32_t l = 0; l < chart->line_count; l++)
        most = wins[l] > most ? wins[l] : most;
    if (points == 0)
        return "";
    if (widest <= 1)
        return "All lines are equal.";
    const char *winners = winners_text(builder, chart, wins, most);
    char at[NUMBER_MAX], one[NUMBER_MAX], other[NUMBER_MAX], ratio[NUMBER_MAX];
    const char *word = chart->better == CHART_BETTER_UNKNOWN ? "lowest" : "best";
    if (winners == NULL)
        return NULL;
    x_text(chart, widest_best.i, at);
    number_text(chart, widest_best, one);
    number_text(chart, widest_worst, other);
    ratio_text(chart, widest_worst, widest_best, ratio);
    const char *best_label = chart->lines[widest_best.line].label, *worst_label = chart->lines[widest_worst.line].label;
    if (points == 1)
        return charts_text(builder, "%s is %s with %s, %s %s with %s%s.", best_label, word, one, worst_label,
                           chart->better == CHART_BETTER_UNKNOWN ? "highest" : "worst", other, ratio);
    char confirmed[NUMBER_MAX];
    confirmed_text(chart, wins, most, confirmed);
    return charts_text(builder, "%s %s at %u of %u points%s; the gap is widest at %s, where %s has %s and %s %s%s.",
                       winners, word, most, points, confirmed, at, best_label, one, worst_label, other, ratio);
}

/* Of one line over names: the best and the worst of them; over numbers: where it begins and ends. */
static const char *find_along_line(struct charts_builder *builder, const struct chart *chart)
{
    struct place best, worst;
    char one[NUMBER_MAX], other[NUMBER_MAX], at_one[NUMBER_MAX], at_other[NUMBER_MAX], ratio[NUMBER_MAX];
    if (!ends_along(chart, 0, &best, &worst))
        return "";
    if (value_at(chart, best) == value_at(chart, worst))
        return charts_text(builder, "%s everywhere.", number_text(chart, best, one));
    x_text(chart, best.i, at_one);
    x_text(chart, worst.i, at_other);
    return charts_text(builder, "%s is %s with %s, %s %s with %s%s.", at_one,
                       chart->better == CHART_BETTER_UNKNOWN ? "lowest" : "best", number_text(chart, best, one),
                       at_other, chart->better == CHART_BETTER_UNKNOWN ? "highest" : "worst",
                       number_text(chart, worst, other), ratio_text(chart, worst, best, ratio));
}

double chart_quantile(const struct chart_line *line, double part)
{
    for (uint32_t i = 0; i < line->count; i++)
        if (line->y[i] >= part * (1 - 1e-9))
            return line->x[i];
    return NAN;
}

/* "median 0.28 ms (LQD) to 5.6 ms (CS)"; a line that does not get so far is told. */
static const char *quantile_finding(struct charts_builder *builder, const struct chart *chart, double part,
                                    const char *name)
{
    uint32_t least = UINT32_MAX, most = UINT32_MAX;
    double low = INFINITY, high = -INFINITY;
    for (uint32_t l = 0; l < chart->line_count; l++) {
        double x = chart_quantile(&chart->lines[l], part);
        if (isnan(x))
            continue;
        if (x < low) {
            low = x;
            least = l;
        }
        if (x > high) {
            high = x;
            most = l;
        }
    }
    if (least == UINT32_MAX)
        return charts_text(builder, "%s unknown", name);
    const char *space = chart->x_unit[0] != '\0' ? " " : "";
    if (low == high)
        return charts_text(builder, "%s %.3g%s%s", name, low, space, chart->x_unit);
    return charts_text(builder, "%s %.3g%s%s (%s) to %.3g%s%s (%s)", name, low, space, chart->x_unit,
                       chart->lines[least].label, high, space, chart->x_unit, chart->lines[most].label);
}

/* The greatest point of any series, and how much of the buffer that is. */
static const char *find_peak(struct charts_builder *builder, const struct chart *chart)
{
    struct place peak = {0, 0};
    double most = -INFINITY, buffer = NAN;
    for (uint32_t l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        if (line->rule)
            buffer = line->y[0];
        for (uint32_t i = 0; line->pattern == 0 && !line->rule && i < line->count; i++) {
            if (!(line->y[i] > most))
                continue;
            most = line->y[i];
            peak = (struct place){l, i};
        }
    }
    if (!isfinite(most))
        return "";
    const char *of = buffer > 0 ? charts_text(builder, ", %.3g %% of the buffer", 100 * most / buffer) : "";
    if (of == NULL)
        return NULL;
    return charts_text(builder, "Greatest: %s with %.3g %s at %.4g %s%s.", chart->lines[peak.line].label, most,
                       chart->y_unit, chart->lines[peak.line].x[peak.i], chart->x_unit, of);
}

bool charts_find(struct charts_builder *builder, struct chart *chart)
{
    if (chart->line_count == 0)
        return true;
    const char *finding;
    if (chart->numbers == CHART_NUMBERS_QUANTILES) {
        const char *median = quantile_finding(builder, chart, 0.5, "Median");
        const char *tail = quantile_finding(builder, chart, 0.99, "99th percentile");
        finding = median != NULL && tail != NULL ? charts_text(builder, "%s; %s.", median, tail) : NULL;
    } else if (chart->numbers == CHART_NUMBERS_EXTREMES)
        finding = find_peak(builder, chart);
    else
        finding = chart->line_count > 1 ? find_among_lines(builder, chart) : find_along_line(builder, chart);
    chart->finding = finding != NULL && finding[0] != '\0' ? finding : NULL;
    return finding != NULL || charts_no_memory(builder);
}

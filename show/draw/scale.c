/*
 * scale.c - see scale.h. Ticks stand at 1, 2 or 5 times a power of ten; on a logarithmic scale at powers of ten, and at
 * 2 and 5 times them where the range has less than three powers; within one power that may be too few, and steps are
 * equal. page.js has the same rules.
 */
#include "show/draw/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ends of a range stay below it, and those of logarithms above its inverse, so that margins and ratios are finite. */
#define SCALE_NUMBER_MAX 1e150

static void widen_by(struct scale *scale, const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; numbers != NULL && i < count; i++) {
        /* The range so far; the next number widens it. */
        double number = numbers[i];
        if (!isfinite(number) || (scale->log && number <= 0))
            continue;
        scale->min = number < scale->min ? number : scale->min;
        scale->max = number > scale->max ? number : scale->max;
    }
}

/* A range that nothing, or one number, is in gets a width. */
static void settle(struct scale *scale)
{
    if (!(scale->min <= scale->max)) {
        scale->min = scale->log ? 1 : 0;
        scale->max = scale->log ? 10 : 1;
    }
    double least = scale->log ? 1 / SCALE_NUMBER_MAX : -SCALE_NUMBER_MAX;
    scale->min = fmin(fmax(scale->min, least), SCALE_NUMBER_MAX);
    scale->max = fmin(fmax(scale->max, least), SCALE_NUMBER_MAX);
    if (scale->max - scale->min <= 1 / SCALE_NUMBER_MAX) {
        double around = fabs(scale->min) > 1 / SCALE_NUMBER_MAX ? fabs(scale->min) / 2 : 1;
        scale->min = scale->log ? scale->min / 2 : scale->min - around;
        scale->max = scale->log ? scale->max * 2 : scale->max + around;
    }
}

struct scale scale_of_x(const struct chart *chart)
{
    struct scale scale = {.min = INFINITY, .max = -INFINITY, .log = chart->log_x && chart->x_labels == NULL};
    if (chart->x_labels != NULL) {
        scale.min = -0.5;
        scale.max = chart->x_label_count - 0.5;
        return scale;
    }
    for (uint32_t l = 0; l < chart->line_count; l++)
        widen_by(&scale, chart->lines[l].x, chart->lines[l].count);
    scale.min = isfinite(chart->x_min) && (!scale.log || chart->x_min > 0) ? chart->x_min : scale.min;
    scale.max = isfinite(chart->x_max) && chart->x_max > scale.min ? chart->x_max : scale.max;
    settle(&scale);
    return scale;
}

/* The ends that the scenario wants, as they are; never an empty range. */
static struct scale cut(struct scale scale, const struct chart *chart)
{
    double min = isfinite(chart->y_from) ? chart->y_from : scale.min;
    double max = isfinite(chart->y_to) ? chart->y_to : scale.max;
    if (min < max) {
        scale.min = min;
        scale.max = max;
    }
    return scale;
}

struct scale scale_of_y(const struct chart *chart)
{
    struct scale scale = {.min = INFINITY, .max = -INFINITY, .log = chart->log_y};
    for (uint32_t l = 0; l < chart->line_count; l++) {
        widen_by(&scale, chart->lines[l].y, chart->lines[l].count);
        widen_by(&scale, chart->lines[l].low, chart->lines[l].count);
        widen_by(&scale, chart->lines[l].high, chart->lines[l].count);
    }
    if (isfinite(chart->y_max) && chart->y_max > 0)
        scale.max = chart->y_max;
    settle(&scale);
    if (scale.log) {
        scale.min /= 1.2;
        scale.max *= 1.2;
        return cut(scale, chart);
    }
    double room = 0.05 * (scale.max - fmin(scale.min, 0)); /* zero is in it */
    scale.max = scale.max > 0 ? scale.max + (chart->numbers == CHART_NUMBERS_QUANTILES ? 0 : room) : 0;
    scale.min = scale.min < 0 ? scale.min - room : 0;
    if (scale.min == scale.max)
        scale.max = 1;
    return cut(scale, chart);
}

double scale_place(const struct scale *scale, double number)
{
    if (scale->log && !(number > 0))
        return scale->from;
    double part = scale->log ? log(number / scale->min) / log(scale->max / scale->min)
                             : (number - scale->min) / (scale->max - scale->min);
    return scale->from + part * (scale->to - scale->from);
}

static uint32_t ticks_linear(const struct scale *scale, uint32_t wanted, double ticks[SCALE_TICKS_MAX])
{
    double width = scale->max - scale->min;
    double power = pow(10, floor(log10(width / wanted)));
    double step = power;
    static const double factors[] = {2, 5, 10};
    for (uint32_t i = 0; i < 3 && width / step > wanted; i++)
        step = power * factors[i];
    uint32_t count = 0;
    double first = ceil(scale->min / step - 1e-9), last = floor(scale->max / step + 1e-9);
    for (double at = first; at <= last && count < SCALE_TICKS_MAX; at++)
        ticks[count++] = at * step;
    return count;
}

static uint32_t ticks_log(const struct scale *scale, uint32_t wanted, double ticks[SCALE_TICKS_MAX])
{
    static const double factors[] = {1, 2, 5};
    double first = floor(log10(scale->min)), last = ceil(log10(scale->max));
    uint32_t per_power = last - first < 4 ? 3 : 1, count = 0;
    uint32_t stride = 1 + (uint32_t)((last - first) / (2 * wanted));
    for (double power = first; power <= last && count < SCALE_TICKS_MAX; power += stride) {
        for (uint32_t i = 0; i < per_power && count < SCALE_TICKS_MAX; i++) {
            double tick = factors[i] * pow(10, power);
            if (tick >= scale->min * (1 - 1e-9) && tick <= scale->max * (1 + 1e-9))
                ticks[count++] = tick;
        }
    }
    return count;
}

uint32_t scale_ticks(const struct scale *scale, uint32_t wanted, double ticks[SCALE_TICKS_MAX])
{
    uint32_t count = scale->log ? ticks_log(scale, wanted, ticks) : 0;
    if (count >= 3 || (scale->log && scale->max >= 10 * scale->min))
        return count;
    return ticks_linear(scale, wanted, ticks);
}

uint32_t scale_places(const struct chart *chart, double places[SCALE_PLACES_MAX])
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < chart->line_count && chart->kind == CHART_LINES && chart->x_labels == NULL; l++) {
        const struct chart_line *line = &chart->lines[l];
        for (uint32_t i = 0; i < line->count && line->markers; i++) {
            uint32_t at = count;
            while (at > 0 && places[at - 1] > line->x[i])
                at--;
            if (!isfinite(line->x[i]) || (at > 0 && places[at - 1] == line->x[i]))
                continue;
            if (count == SCALE_PLACES_MAX)
                return 0;
            memmove(&places[at + 1], &places[at], (count - at) * sizeof *places);
            places[at] = line->x[i];
            count++;
        }
    }
    return count > 1 ? count : 0;
}

/* Those within the range. */
static uint32_t ticks_wanted(const struct scale *scale, const struct chart_ticks *wanted, double ticks[SCALE_TICKS_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        if (wanted->at[i] >= scale->min && wanted->at[i] <= scale->max)
            ticks[count++] = wanted->at[i];
    return count;
}

uint32_t scale_x_ticks(const struct chart *chart, double ticks[SCALE_TICKS_MAX])
{
    struct scale scale = scale_of_x(chart);
    if (chart->x_ticks.count > 0)
        return ticks_wanted(&scale, &chart->x_ticks, ticks);
    uint32_t count = scale_places(chart, ticks);
    return count > 0 ? count : scale_ticks(&scale, 8, ticks);
}

uint32_t scale_y_ticks(const struct chart *chart, double ticks[SCALE_TICKS_MAX])
{
    struct scale scale = scale_of_y(chart);
    return chart->y_ticks.count > 0 ? ticks_wanted(&scale, &chart->y_ticks, ticks) : scale_ticks(&scale, 6, ticks);
}

/* "2×10⁷": a power of ten as people write it. */
static void power_text(double number, char text[SCALE_TEXT_MAX])
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char plain[32];
    snprintf(plain, sizeof plain, "%.4e", number);
    char *e = strchr(plain, 'e');
    int power = (int)strtol(e + 1, NULL, 10);
    *e = '\0';
    for (char *end = e - 1; end > plain && (*end == '0' || *end == '.'); end--) {
        bool point = *end == '.';
        *end = '\0';
        if (point)
            break;
    }
    bool one = strcmp(plain, "1") == 0;
    int used =
        snprintf(text, SCALE_TEXT_MAX, "%s%s10%s", one ? "" : plain, one ? "" : "\u00d7", power < 0 ? "\u207b" : "");
    char places[16];
    snprintf(places, sizeof places, "%d", power < 0 ? -power : power);
    for (const char *at = places; *at != '\0'; at++)
        used += snprintf(text + used, SCALE_TEXT_MAX - (size_t)used, "%s", digits[*at - '0']);
}

/* Digits before the point in groups of three, from five digits on, apart by a narrow space. */
void scale_group(const char *plain, char text[SCALE_TEXT_MAX])
{
    size_t sign = plain[0] == '-', digits = strspn(plain + sign, "0123456789"), used = sign;
    memcpy(text, plain, sign);
    for (size_t i = 0; i < digits && used + 8 < SCALE_TEXT_MAX; i++) {
        if (i > 0 && digits > 4 && (digits - i) % 3 == 0) {
            memcpy(text + used, "\u202f", 3);
            used += 3;
        }
        text[used++] = plain[sign + i];
    }
    snprintf(text + used, SCALE_TEXT_MAX - used, "%s", plain + sign + digits);
}

void scale_text(double number, char text[SCALE_TEXT_MAX])
{
    char plain[32];
    if (number == 0)
        number = 0; /* no "-0" */
    if (fabs(number) >= 1e7 || (number != 0 && fabs(number) < 1e-4)) {
        power_text(number, text);
        return;
    }
    snprintf(plain, sizeof plain, fabs(number) >= 1e5 ? "%.0f" : "%.6g", number);
    scale_group(plain, text);
}

/*
 * claim_text.c - numbers as tables and messages show them: four significant digits, with a prefix of the unit that
 * keeps them short. See claims.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/store/claims.h"

#define TEXT_MAX 64u
#define DIGITS "%.4g"
#define WHOLE_MAX 1e15 /* up to here a double shows whole numbers as they are */

struct prefix {
    double factor;
    const char *text;
};

/* From the least to the greatest. */
static const struct prefix time_prefixes[] = {{1e-12, "ps"}, {1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
static const struct prefix byte_prefixes[] = {{1, "B"}, {1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}};
static const struct prefix rate_prefixes[] = {
    {1, "bit/s"}, {1e3, "Kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s"}, {1e12, "Tbit/s"}};
#define PREFIX_COUNT 5u

/* Four digits without an exponent where that is readable. */
static void plain_text(double value, char text[TEXT_MAX])
{
    if (fabs(value) < WHOLE_MAX && (value == floor(value) || fabs(value) >= 1e4))
        snprintf(text, TEXT_MAX, "%.0f", value);
    else
        snprintf(text, TEXT_MAX, DIGITS, value);
}

/* The least prefix that shows less than 1000, after rounding: 999.96 us is 1 ms. */
static void prefixed_text(double value, const struct prefix *prefixes, char text[TEXT_MAX])
{
    uint32_t i = 0;
    while (i + 1 < PREFIX_COUNT && (value == 0 ? prefixes[i].factor < 1 : fabs(value) / prefixes[i].factor >= 999.95))
        i++;
    char digits[TEXT_MAX];
    plain_text(value / prefixes[i].factor, digits);
    snprintf(text, TEXT_MAX, "%.40s %s", digits, prefixes[i].text);
}

void value_text(double value, const char *unit, char text[TEXT_MAX])
{
    value += 0.0; /* no negative zero */
    if (!isfinite(value))
        snprintf(text, TEXT_MAX, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
    else if (strcmp(unit, "s") == 0)
        prefixed_text(value, time_prefixes, text);
    else if (strcmp(unit, "B") == 0)
        prefixed_text(value, byte_prefixes, text);
    else if (strcmp(unit, "bit/s") == 0)
        prefixed_text(value, rate_prefixes, text);
    else
        plain_text(value, text);
}

void claim_text(const struct claim *claim, double value, const char *unit, char text[TEXT_MAX])
{
    bool truth = claim_kind(claim) != CLAIM_OF_NUMBER;
    bool percent = truth || (claim->paper_text != NULL && strchr(claim->paper_text, '%') != NULL);
    char digits[TEXT_MAX];
    if (!isfinite(value) || (!percent && !claim->times)) {
        value_text(value, unit, text);
        return;
    }
    if (truth && (value <= 0 || value >= 1)) { /* of the points */
        snprintf(text, TEXT_MAX, "%s", value >= 1 ? "everywhere" : "confirmed nowhere");
        return;
    }
    double shown = percent ? 100 * value : value;
    plain_text(fabs(shown) < 1e-4 ? 0 : shown, digits); /* what is left of 1 - 1 is nothing */
    snprintf(text, TEXT_MAX, "%.40s%s", digits, truth ? " % of points" : percent ? " %" : "x");
}

void margin_text(const struct spread *margin, const char *unit, char text[160])
{
    char mean[TEXT_MAX], half[TEXT_MAX];
    text[0] = '\0';
    if (margin->count == 0 || isnan(margin->half) || margin->half == 0)
        return;
    value_text(margin->mean, unit, mean);
    value_text(margin->half, unit, half);
    snprintf(text, 160, "margin %.60s \u00b1 %.60s", mean, half);
}

const char *claim_source(const struct experiment *experiment, const struct claim *claim)
{
    return claim->expected || experiment->paper == NULL ? "expected" : "paper";
}

const char *claim_sources(const struct experiment *experiment)
{
    bool papers = false, ours = false;
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        bool paper = strcmp(claim_source(experiment, &experiment->claims[i]), "paper") == 0;
        papers |= paper;
        ours |= !paper;
    }
    return papers && ours ? "paper or expected" : papers ? "paper" : "expected";
}

bool judgement_has_place(const struct claim *claim, const struct judgement *judgement)
{
    return !isnan(judgement->ours.mean) &&
           (claim_kind(claim) == CLAIM_OF_NUMBER || judgement->agreeing < judgement->points);
}

const char *judgement_censored(const struct judgement *judgement, char text[JUDGEMENT_CENSORED_MAX])
{
    text[0] = '\0';
    if (judgement->censored > 0 && judgement->points > 1)
        snprintf(text, JUDGEMENT_CENSORED_MAX, "censored at %u of %u points", judgement->censored, judgement->points);
    else if (judgement->censored > 0)
        snprintf(text, JUDGEMENT_CENSORED_MAX, "censored");
    return text;
}

void judgement_where(const struct experiment *experiment, const struct judgement *judgement, char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t a = 0; a < experiment->axis_count && used < 256; a++) {
        const struct axis *axis = &experiment->axes[a];
        if ((judgement->free_axes >> a & 1) == 0)
            continue;
        used += (size_t)snprintf(text + used, 256 - used, "%s%s=%s", used > 0 ? ", " : "", axis->name,
                                 axis->values[judgement->where.at[a]].label);
    }
}

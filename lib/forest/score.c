/*
 * score.c - counts right and wrong predictions; see score.h.
 *
 * The area under the ROC curve is the probability that a lost row leans more to "lost" than a kept one, ties counting
 * half: with all rows sorted by their lean, one pass over the groups of equal leans.
 */
#include "score.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void forest_count(struct forest_confusion *confusion, bool predicted, bool lost)
{
    if (predicted)
        *(lost ? &confusion->true_positive : &confusion->false_positive) += 1;
    else
        *(lost ? &confusion->false_negative : &confusion->true_negative) += 1;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

struct forest_score forest_score_of(const struct forest_confusion *c)
{
    uint64_t right = c->true_positive + c->true_negative;
    uint64_t wrong = c->false_positive + c->false_negative;
    return (struct forest_score){
        .confusion = *c,
        .accuracy = ratio(right, right + wrong),
        .precision = ratio(c->true_positive, c->true_positive + c->false_positive),
        .recall = ratio(c->true_positive, c->true_positive + c->false_negative),
        .f1 = ratio(2 * c->true_positive, 2 * c->true_positive + wrong),
    };
}

double forest_error_score(const struct forest_confusion *c, uint32_t ports)
{
    assert(ports > 0);
    double kept = (double)c->true_negative;
    double harm = (double)(ports - 1) * (double)c->false_negative;
    double all = kept + (double)c->false_positive;
    return all > 0 ? (kept - (harm < kept ? harm : kept)) / all : NAN;
}

struct judged {
    int64_t lean;
    bool lost;
};

static int compare_judged(const void *a, const void *b)
{
    int64_t x = ((const struct judged *)a)->lean, y = ((const struct judged *)b)->lean;
    return (x > y) - (x < y);
}

static double area_under(struct judged *judged, uint64_t count)
{
    double lost_below = 0, kept_below = 0, area = 0; /* below: with a smaller lean */
    qsort(judged, count, sizeof *judged, compare_judged);
    for (uint64_t i = 0; i < count;) {
        double lost = 0, kept = 0;
        int64_t lean = judged[i].lean;
        for (; i < count && judged[i].lean == lean; i++)
            *(judged[i].lost ? &lost : &kept) += 1;
        area += lost * (kept_below + kept / 2);
        lost_below += lost;
        kept_below += kept;
    }
    return lost_below > 0 && kept_below > 0 ? area / lost_below / kept_below : NAN;
}

static uint32_t bin_of(double probability, uint32_t bins)
{
    uint32_t bin = (uint32_t)(probability * bins);
    return bin < bins ? bin : bins - 1;
}

bool forest_judge(const struct forest *forest, const struct forest_rows *rows, struct forest_quality *quality,
                  struct weir_error *error)
{
    struct judged *judged = malloc((rows->count + 1) * sizeof *judged);
    uint64_t above[FOREST_ROC_POINTS][2] = {{0}};
    struct forest_confusion confusion = {0};
    *quality = (struct forest_quality){0};
    if (!judged)
        return weir_fail_memory(error);
    for (uint64_t i = 0; i < rows->count; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(rows, i, feature);
        bool lost = rows->lost[i] != 0;
        int64_t lean = forest_ask(forest, feature);
        double probability = (double)lean / (double)FOREST_LEAN_ONE / forest->trees + 0.5;
        judged[i] = (struct judged){lean, lost};
        forest_count(&confusion, lean > (int64_t)forest->trees, lost);
        above[bin_of(probability, FOREST_ROC_POINTS - 1) + (probability >= 1)][lost]++;
        struct forest_calibration *c = &quality->calibration[bin_of(probability, FOREST_CALIBRATION_BINS)];
        c->rows++;
        c->predicted += probability;
        c->observed += lost;
    }
    quality->score = forest_score_of(&confusion);
    /* Sums become means; `above` counts, per hundredth of probability, lost and kept rows. */
    for (uint32_t bin = 0; bin < FOREST_CALIBRATION_BINS; bin++) {
        struct forest_calibration *c = &quality->calibration[bin];
        c->predicted = c->rows > 0 ? c->predicted / (double)c->rows : NAN;
        c->observed = c->rows > 0 ? c->observed / (double)c->rows : NAN;
    }
    const struct forest_confusion *c = &quality->score.confusion;
    uint64_t lost = 0, kept = 0;
    for (uint32_t i = 0; i < FOREST_ROC_POINTS; i++) {
        lost += above[FOREST_ROC_POINTS - 1 - i][1];
        kept += above[FOREST_ROC_POINTS - 1 - i][0];
        quality->roc[i] = (struct forest_roc){ratio(kept, c->false_positive + c->true_negative),
                                              ratio(lost, c->true_positive + c->false_negative)};
    }
    quality->area = area_under(judged, rows->count);
    free(judged);
    return true;
}

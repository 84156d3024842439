/*
 * quality.c - the quality report as text and as JSON; see quality.h.
 */
#include "quality.h"

#include <inttypes.h>
#include <math.h>

#include "cli/cli.h"
#include "cli/output.h"

#define LABEL "%-12s"

static void put_ratio(const char *name, double ratio, const char *meaning)
{
    if (isnan(ratio))
        printf(LABEL "    -   %s\n", name, meaning);
    else
        printf(LABEL "%7.4f   %s\n", name, ratio, meaning);
}

static void put_head(const struct quality_report *r)
{
    const struct forest *forest = r->forest;
    uint32_t depth = 0;
    for (uint32_t t = 0; t < forest->trees; t++)
        depth = forest->tree[t].depth > depth ? forest->tree[t].depth : depth;
    printf(LABEL "%" PRIu32 " tree%s, depth %" PRIu32 ", %" PRIu32 " nodes, digest %016" PRIx64 "\n", "forest",
           forest->trees, forest->trees == 1 ? "" : "s", depth, forest->nodes, forest_digest(forest));
    if (r->trained > 0)
        printf(LABEL "%" PRIu64 " to learn from, %" PRIu64 " to be judged by%s\n", "rows", r->trained, r->judged,
               r->same ? ", the same ones: new rows will score worse" : "");
    else
        printf(LABEL "%" PRIu64 "\n", "rows", r->judged);
}

/* Of Definition 1; NaN: not known, or nothing is left of what FollowLQD may send. */
static double eta_of(const struct quality_report *r)
{
    return r->follow_sent > 0 ? (double)r->lqd_sent / (double)r->follow_sent : NAN;
}

static void put_scores(const struct quality_report *r)
{
    const struct forest_score *score = &r->quality->score;
    const struct forest_confusion *c = &score->confusion;
    printf("\n%-12s %14s %14s\n", "", "predicted lost", "predicted kept");
    printf("%-12s %14" PRIu64 " %14" PRIu64 "\n", "LQD lost it", c->true_positive, c->false_negative);
    printf("%-12s %14" PRIu64 " %14" PRIu64 "\n\n", "LQD kept it", c->false_positive, c->true_negative);
    put_ratio("accuracy", score->accuracy, "of all predictions, right");
    put_ratio("precision", score->precision, "of those predicted lost, lost");
    put_ratio("recall", score->recall, "of those lost, predicted");
    put_ratio("F1", score->f1, "harmonic mean of precision and recall");
    put_ratio("ROC area", r->quality->area, "1: perfect order, 0.5: chance");
    if (r->ports > 0)
        put_ratio("1/eta", forest_error_score(c, r->ports), "Credence's estimate; 1: perfect");
    if (r->lqd_sent > 0) {
        put_ratio("eta", eta_of(r), "of Definition 1, exactly; 1: perfect");
        printf(LABEL "%7s   LQD sends %" PRIu64 " packets, FollowLQD without what is predicted lost %" PRIu64 "\n", "",
               "", r->lqd_sent, r->follow_sent);
    }
}

static void put_importance(const struct forest_importance *importance)
{
    printf("\n%-16s importance\n", "feature");
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        printf("%-16s %9.1f %%\n", forest_feature_name((enum weir_feature)f), 100 * importance->of[f]);
}

static void put_calibration(const struct forest_quality *quality)
{
    printf("\n%-14s %10s %10s %10s\n", "probability", "rows", "predicted", "observed");
    for (uint32_t bin = 0; bin < FOREST_CALIBRATION_BINS; bin++) {
        const struct forest_calibration *c = &quality->calibration[bin];
        if (c->rows > 0)
            printf("%.1f to %.1f     %10" PRIu64 " %10.4f %10.4f\n", bin / 10.0, (bin + 1) / 10.0, c->rows,
                   c->predicted, c->observed);
    }
}

int quality_put(const struct quality_report *report)
{
    put_head(report);
    put_scores(report);
    if (report->importance)
        put_importance(report->importance);
    put_calibration(report->quality);
    return CLI_OK;
}

static json_t *number_or_null(double number)
{
    return isnan(number) ? json_null() : output_json_number(number);
}

static json_t *scores_json(const struct quality_report *r)
{
    const struct forest_score *score = &r->quality->score;
    const struct forest_confusion *c = &score->confusion;
    return json_pack("{s:{s:I, s:I, s:I, s:I}, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "confusion", "true_positive",
                     (json_int_t)c->true_positive, "false_positive", (json_int_t)c->false_positive, "true_negative",
                     (json_int_t)c->true_negative, "false_negative", (json_int_t)c->false_negative, "accuracy",
                     number_or_null(score->accuracy), "precision", number_or_null(score->precision), "recall",
                     number_or_null(score->recall), "f1", number_or_null(score->f1), "roc_area",
                     number_or_null(r->quality->area), "inverse_eta",
                     r->ports > 0 ? number_or_null(forest_error_score(c, r->ports)) : json_null(), "eta",
                     number_or_null(eta_of(r)));
}

static json_t *importance_json(const struct forest_importance *importance)
{
    if (!importance)
        return json_null();
    json_t *object = json_object();
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        object =
            output_json_set(object, forest_feature_name((enum weir_feature)f), output_json_number(importance->of[f]));
    return object;
}

static json_t *calibration_json(const struct forest_quality *quality)
{
    json_t *array = json_array();
    for (uint32_t bin = 0; bin < FOREST_CALIBRATION_BINS; bin++) {
        const struct forest_calibration *c = &quality->calibration[bin];
        array = output_json_append(array, json_pack("{s:f, s:I, s:o, s:o}", "from", bin / 10.0, "rows",
                                                    (json_int_t)c->rows, "predicted", number_or_null(c->predicted),
                                                    "observed", number_or_null(c->observed)));
    }
    return array;
}

static json_t *roc_json(const struct forest_quality *quality)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < FOREST_ROC_POINTS; i++)
        array = output_json_append(array,
                                   json_pack("{s:f, s:o, s:o}", "from", 1 - i / 100.0, "false_positive_rate",
                                             number_or_null(quality->roc[i].false_positive_rate), "true_positive_rate",
                                             number_or_null(quality->roc[i].true_positive_rate)));
    return array;
}

int quality_put_json(const struct quality_report *report)
{
    char digest[20];
    snprintf(digest, sizeof digest, "%016" PRIx64, forest_digest(report->forest));
    return output_json(json_pack("{s:{s:I, s:I, s:s}, s:{s:I, s:I, s:b}, s:o, s:o, s:o, s:o}", "forest", "trees",
                                 (json_int_t)report->forest->trees, "nodes", (json_int_t)report->forest->nodes,
                                 "digest", digest, "rows", "trained", (json_int_t)report->trained, "judged",
                                 (json_int_t)report->judged, "same", report->same, "scores", scores_json(report),
                                 "importance", importance_json(report->importance), "calibration",
                                 calibration_json(report->quality), "roc", roc_json(report->quality)));
}

/*
 * quality_show.c - see quality_show.h.
 */
#include "show/writers/quality_show.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "show/page/quality.h"
#include "show/writers/write.h"

#define LABEL "%-12s"

static struct data_frame *importance_frame(const struct forest_importance *importance)
{
    static const struct data_column columns[] = {DATA_COLUMN("feature", "feature", WORD),
                                                 DATA_COLUMN("importance", "importance", SHARE, .digits = 1)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        data_row(frame, cell_text(forest_feature_name((enum weir_feature)f)), cell_number(importance->of[f]));
    return frame;
}

/* Text leaves out steps without rows. */
static struct data_frame *calibration_frame(const struct forest_quality *quality, bool all)
{
    static const struct data_column columns[] = {
        DATA_COLUMN(NULL, "probability", WORD), DATA_COLUMN("from", NULL, NUMBER), DATA_COLUMN("rows", "rows", INTEGER),
        DATA_COLUMN("predicted", "predicted", NUMBER, .digits = 4),
        DATA_COLUMN("observed", "observed", NUMBER, .digits = 4)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t bin = 0; bin < FOREST_CALIBRATION_BINS; bin++) {
        const struct forest_calibration *c = &quality->calibration[bin];
        char range[32];
        snprintf(range, sizeof range, "%.1f to %.1f", bin / 10.0, (bin + 1) / 10.0);
        if (all || c->rows > 0)
            data_row(frame, cell_text(range), cell_number(bin / 10.0), cell_integer((int64_t)c->rows),
                     cell_number(c->predicted), cell_number(c->observed));
    }
    return frame;
}

static struct data_frame *roc_frame(const struct forest_quality *quality)
{
    static const struct data_column columns[] = {DATA_COLUMN("from", NULL, NUMBER),
                                                 DATA_COLUMN("false_positive_rate", NULL, NUMBER),
                                                 DATA_COLUMN("true_positive_rate", NULL, NUMBER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < FOREST_ROC_POINTS; i++)
        data_row(frame, cell_number(1 - i / 100.0), cell_number(quality->roc[i].false_positive_rate),
                 cell_number(quality->roc[i].true_positive_rate));
    return frame;
}

static struct data_frame *scores_frame(const struct quality_report *r)
{
    const struct forest_score *score = &r->quality->score;
    const struct forest_confusion *c = &score->confusion;
    struct data_frame *confusion = data_object({"true_positive", cell_integer((int64_t)c->true_positive)},
                                               {"false_positive", cell_integer((int64_t)c->false_positive)},
                                               {"true_negative", cell_integer((int64_t)c->true_negative)},
                                               {"false_negative", cell_integer((int64_t)c->false_negative)});
    return data_object({"confusion", cell_frame(confusion)}, {"accuracy", cell_number(score->accuracy)},
                       {"precision", cell_number(score->precision)}, {"recall", cell_number(score->recall)},
                       {"f1", cell_number(score->f1)}, {"roc_area", cell_number(r->quality->area)},
                       {"inverse_eta", cell_if(r->ports > 0, cell_number(forest_error_score(c, r->ports)))},
                       {"eta", cell_number(quality_eta(r))});
}

static struct data_frame *root_frame(const struct quality_report *r)
{
    char digest[20];
    struct data_frame *importance = r->importance != NULL ? data_frame_new(DATA_OBJECT, NULL, 0) : NULL;
    snprintf(digest, sizeof digest, "%016" PRIx64, forest_digest(r->forest));
    for (uint32_t f = 0; r->importance != NULL && f < WEIR_FEATURE_COUNT; f++)
        data_frame_set(importance, forest_feature_name((enum weir_feature)f), cell_number(r->importance->of[f]));
    return data_object(
        {"forest", cell_frame(data_object({"trees", cell_integer(r->forest->trees)},
                                          {"nodes", cell_integer(r->forest->nodes)}, {"digest", cell_text(digest)}))},
        {"rows", cell_frame(data_object({"trained", cell_integer((int64_t)r->trained)},
                                        {"judged", cell_integer((int64_t)r->judged)}, {"same", cell_flag(r->same)}))},
        {"scores", cell_frame(scores_frame(r))},
        {"importance", r->importance != NULL ? cell_frame(importance) : cell_none()},
        {"calibration", cell_frame(calibration_frame(r->quality, true))}, {"roc", cell_frame(roc_frame(r->quality))});
}

int quality_show(const struct quality_report *r, bool json)
{
    if (json)
        return write_result(root_frame(r), true);
    /* The parts of the page: confusion, scores, importance, calibration. */
    struct data_frame *all = data_frame_new_list();
    struct data_frame *confusion = quality_confusion_frame(&r->quality->score.confusion);
    struct data_frame *scores = quality_scores_frame(r);
    struct data_frame *importance = r->importance != NULL ? importance_frame(r->importance) : NULL;
    struct data_frame *calibration = calibration_frame(r->quality, false);
    data_row(all, cell_frame(confusion), cell_frame(scores), cell_frame(calibration));
    if (importance != NULL)
        data_row(all, cell_frame(importance));
    int code = data_frame_check(all);
    if (code == CLI_OK) {
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
        putchar('\n');
        write_text(confusion);
        putchar('\n');
        write_text(scores);
        putchar('\n');
        if (importance != NULL) {
            write_text(importance);
            putchar('\n');
        }
        write_text(calibration);
    }
    data_frame_free(all);
    return code;
}

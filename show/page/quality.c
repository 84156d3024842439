/*
 * quality.c - see quality.h. The charts are those of reports, so that they look, print and are read like them.
 */
#include "show/page/quality.h"

#include <inttypes.h>
#include <math.h>

#include "show/page/page.h"

#define POINTS_MAX FOREST_ROC_POINTS

enum { CHART_ROC, CHART_CALIBRATION, CHART_IMPORTANCE, QUALITY_CHARTS };

/* The numbers of the charts; each has at most two lines over the same x. */
struct quality_charts {
    double x[QUALITY_CHARTS][POINTS_MAX], y[QUALITY_CHARTS][2][POINTS_MAX];
    const char *names[WEIR_FEATURE_COUNT];
    struct chart_line line[QUALITY_CHARTS][2];
    struct chart chart[QUALITY_CHARTS];
};

static struct chart *charts_begin(struct quality_charts *c, uint32_t which, const char *title, const char *note)
{
    struct chart *chart = &c->chart[which];
    *chart = (struct chart){.title = title,
                            .note = note,
                            .x_unit = "",
                            .y_unit = "",
                            .lines = c->line[which],
                            .x_min = NAN,
                            .x_max = NAN,
                            .y_max = NAN};
    return chart;
}

static void charts_add_line(struct quality_charts *c, uint32_t which, const char *label, uint32_t count)
{
    struct chart *chart = &c->chart[which];
    uint32_t l = chart->line_count++;
    chart->lines[l] = (struct chart_line){.label = label,
                                          .count = count,
                                          .x = c->x[which],
                                          .y = c->y[which][l],
                                          .colour = l,
                                          .pattern = l,
                                          .markers = l == 0 && which == CHART_CALIBRATION};
}

/* Of points with the same rate of false alarms the best one stands for all. */
static void charts_roc(struct quality_charts *c, const struct forest_quality *quality)
{
    uint32_t count = 0;
    struct chart *chart = charts_begin(c, CHART_ROC, "ROC curve",
                                       "Each point is a probability from which on a packet counts as lost. The higher "
                                       "the line above the diagonal, the better the forest orders packets.");
    chart->x_title = "Kept packets that are predicted lost";
    chart->y_title = "Lost packets that are predicted";
    chart->x_min = 0;
    chart->x_max = chart->y_max = 1;
    for (uint32_t i = 0; i < FOREST_ROC_POINTS; i++) {
        const struct forest_roc *roc = &quality->roc[i];
        if (!(roc->false_positive_rate >= 0) || !(roc->true_positive_rate >= 0))
            continue;
        count -= count > 0 && c->x[CHART_ROC][count - 1] >= roc->false_positive_rate;
        c->x[CHART_ROC][count] = c->y[CHART_ROC][1][count] = roc->false_positive_rate;
        c->y[CHART_ROC][0][count++] = roc->true_positive_rate;
    }
    if (count == 0)
        return;
    charts_add_line(c, CHART_ROC, "forest", count);
    charts_add_line(c, CHART_ROC, "chance", count);
}

static void charts_calibration(struct quality_charts *c, const struct forest_quality *quality)
{
    uint32_t count = 0;
    struct chart *chart = charts_begin(c, CHART_CALIBRATION, "Calibration",
                                       "Rows by the probability that the forest gives, in ten steps. On the diagonal a "
                                       "probability is what it says.");
    chart->x_title = "Mean probability of loss";
    chart->y_title = "Fraction that was lost";
    chart->x_min = 0;
    chart->x_max = chart->y_max = 1;
    for (uint32_t bin = 0; bin < FOREST_CALIBRATION_BINS; bin++) {
        if (quality->calibration[bin].rows == 0)
            continue;
        c->x[CHART_CALIBRATION][count] = c->y[CHART_CALIBRATION][1][count] = quality->calibration[bin].predicted;
        c->y[CHART_CALIBRATION][0][count++] = quality->calibration[bin].observed;
    }
    if (count == 0)
        return;
    charts_add_line(c, CHART_CALIBRATION, "forest", count);
    charts_add_line(c, CHART_CALIBRATION, "as it says", count);
}

static void charts_importance(struct quality_charts *c, const struct forest_importance *importance)
{
    struct chart *chart = charts_begin(c, CHART_IMPORTANCE, "Importance of the features",
                                       importance ? "How much of the decrease of impurity each feature brought, mean "
                                                    "over the trees."
                                                  : "Known only when a forest is trained.");
    chart->kind = CHART_BARS;
    chart->x_title = "Feature";
    chart->y_title = "Importance (%)";
    chart->y_unit = "%";
    if (!importance)
        return;
    chart->x_labels = c->names;
    chart->x_label_count = WEIR_FEATURE_COUNT;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++) {
        c->names[f] = forest_feature_name((enum weir_feature)f);
        c->x[CHART_IMPORTANCE][f] = f;
        c->y[CHART_IMPORTANCE][0][f] = 100 * importance->of[f];
    }
    charts_add_line(c, CHART_IMPORTANCE, "importance", WEIR_FEATURE_COUNT);
}

double quality_eta(const struct quality_report *r)
{
    return r->follow_sent > 0 ? (double)r->lqd_sent / (double)r->follow_sent : NAN;
}

struct data_frame *quality_scores_frame(const struct quality_report *r)
{
    static const struct data_column columns[] = {DATA_COLUMN(NULL, "score", TEXT),
                                                 DATA_COLUMN(NULL, "value", NUMBER, .digits = 4),
                                                 DATA_COLUMN(NULL, "meaning", TEXT)};
    const struct forest_score *score = &r->quality->score;
    const struct {
        const char *name;
        double value;
        const char *meaning;
        bool is_shown;
    } rows[] = {
        {"accuracy", score->accuracy, "of all predictions, right", true},
        {"precision", score->precision, "of those predicted lost, lost", true},
        {"recall", score->recall, "of those lost, predicted", true},
        {"F1", score->f1, "harmonic mean of precision and recall", true},
        {"ROC area", r->quality->area, "1: perfect order, 0.5: chance", true},
        {"1/eta", forest_error_score(&score->confusion, r->ports), "Credence's estimate; 1: perfect", r->ports > 0},
        {"eta", quality_eta(r), "of Definition 1, exactly; 1: perfect", r->lqd_sent > 0}};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].is_shown)
            data_row(frame, cell_text(rows[i].name), cell_number(rows[i].value), cell_text(rows[i].meaning));
    if (r->lqd_sent > 0)
        data_frame_note(frame, "LQD sends %" PRIu64 " packets, FollowLQD without what is predicted lost %" PRIu64,
                        r->lqd_sent, r->follow_sent);
    return frame;
}

struct data_frame *quality_confusion_frame(const struct forest_confusion *c)
{
    static const struct data_column columns[] = {DATA_COLUMN(NULL, "", TEXT),
                                                 DATA_COLUMN(NULL, "predicted lost", INTEGER),
                                                 DATA_COLUMN(NULL, "predicted kept", INTEGER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    data_row(frame, cell_text("LQD lost it"), cell_integer((int64_t)c->true_positive),
             cell_integer((int64_t)c->false_negative));
    data_row(frame, cell_text("LQD kept it"), cell_integer((int64_t)c->false_positive),
             cell_integer((int64_t)c->true_negative));
    return frame;
}

static bool put_section(const char *id, const char *title, struct data_frame *frame, FILE *out)
{
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id, id, id, title);
    bool whole = page_put_frame(frame, NULL, out);
    fputs("</section>\n", out);
    return whole;
}

static void put_lead(const struct quality_page *page, FILE *out)
{
    const struct quality_report *r = page->quality;
    const struct forest *forest = r->forest;
    uint32_t depth = 0;
    for (uint32_t t = 0; t < forest->trees; t++)
        depth = forest->tree[t].depth > depth ? forest->tree[t].depth : depth;
    fputs("<header>\n<button type=\"button\" id=\"theme\" hidden>Dark</button>\n", out);
    page_put_element("h1", page->title, out);
    fprintf(out,
            "<p class=\"lead\">A random forest of %" PRIu32 " tree%s, depth %" PRIu32 ", %" PRIu32
            " nodes, from %s counters, digest <code>%016" PRIx64 "</code>, judged by %" PRIu64 " rows",
            forest->trees, forest->trees == 1 ? "" : "s", depth, forest->nodes, forest_counters_name(forest->counters),
            forest_digest(forest), r->judged);
    if (r->trained > 0)
        fprintf(out, " and grown from %" PRIu64, r->trained);
    fputs(".</p>\n", out);
    if (r->same)
        fputs("<p class=\"warning\"><strong>Judged by the rows it learnt from.</strong> New rows will score worse.</p>"
              "\n",
              out);
    fputs(
        "<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#scores\">Scores</a></li>\n"
        "<li><a href=\"#confusion\">Confusion matrix</a></li>\n<li><a href=\"#charts\">Charts</a></li>\n</ul></nav>\n"
        "</header>\n<main id=\"main\">\n<p>Credence asks this forest, for each arriving packet, whether LQD would "
        "lose it. A packet that is predicted lost and that LQD keeps costs one packet; one that LQD loses and that is "
        "not predicted can cost more, because it takes room from others.</p>\n",
        out);
}

bool quality_page_put(const struct quality_page *page, FILE *out)
{
    struct quality_charts c = {0};
    struct report_charts charts = {.charts = c.chart, .count = QUALITY_CHARTS};
    charts_roc(&c, page->quality->quality);
    charts_calibration(&c, page->quality->quality);
    charts_importance(&c, page->quality->importance);
    page_put_head(page->title, out);
    put_lead(page, out);
    bool whole = put_section("scores", "Scores", quality_scores_frame(page->quality), out);
    whole = put_section("confusion", "Confusion matrix",
                        quality_confusion_frame(&page->quality->quality->score.confusion), out) &&
            whole;
    whole = page_put_charts(&charts, out) && whole;
    fputs("</main>\n", out);
    page_put_foot(page->version, out);
    whole = page_put_data(&charts, out) && whole;
    page_put_script(out);
    return whole;
}

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

static void put_score(const char *name, double score, const char *meaning, FILE *out)
{
    fprintf(out, "<tr><th scope=\"row\">%s<small>%s</small></th>", name, meaning);
    if (isnan(score))
        fputs("<td>&#8211;</td></tr>\n", out);
    else
        fprintf(out, "<td>%.4f</td></tr>\n", score);
}

static void put_cases(const char *name, uint64_t lost, uint64_t kept, FILE *out)
{
    fprintf(out, "<tr><th scope=\"row\">%s</th><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n",
            name, lost, kept, lost + kept);
}

static void put_confusion(const struct forest_confusion *c, FILE *out)
{
    fputs("<section id=\"confusion\" aria-labelledby=\"confusion-title\">\n<h2 id=\"confusion-title\">Confusion matrix"
          "</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Packets</th><th scope=\"col\">Predicted "
          "lost</th><th scope=\"col\">Predicted kept</th><th scope=\"col\">All</th></tr></thead>\n<tbody>\n",
          out);
    put_cases("LQD lost it", c->true_positive, c->false_negative, out);
    put_cases("LQD kept it", c->false_positive, c->true_negative, out);
    put_cases("All", c->true_positive + c->false_positive, c->false_negative + c->true_negative, out);
    fputs("</tbody></table></div>\n</section>\n", out);
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
    const struct quality_report *r = page->quality;
    const struct forest_score *score = &r->quality->score;
    fputs("<section id=\"scores\" aria-labelledby=\"scores-title\">\n<h2 id=\"scores-title\">Scores</h2>\n"
          "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Score</th><th scope=\"col\">Value</th></tr>"
          "</thead>\n<tbody>\n",
          out);
    put_score("Accuracy", score->accuracy, "of all predictions, right", out);
    put_score("Precision", score->precision, "of those predicted lost, lost", out);
    put_score("Recall", score->recall, "of those lost, predicted", out);
    put_score("F1", score->f1, "harmonic mean of precision and recall", out);
    put_score("Area under the ROC curve", r->quality->area, "1: perfect order, 0.5: chance", out);
    if (r->ports > 0)
        put_score("1/&#951;", forest_error_score(&score->confusion, r->ports),
                  "Credence&#8217;s estimate by the confusion matrix; 1: perfect", out);
    fputs("</tbody></table></div>\n</section>\n", out);
    put_confusion(&page->quality->quality->score.confusion, out);
    page_put_charts(&charts, out);
    fputs("</main>\n", out);
    page_put_foot(page->version, out);
    bool whole = page_put_data(&charts, out);
    page_put_script(out);
    return whole;
}

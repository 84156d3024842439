/*
 * page.c - the report as one HTML file that needs nothing else: no network, no other file. Charts are there twice, as
 * drawings for paper and for browsers without script, and as data from which page.js draws interactive ones.
 */
#include "show/page/page.h"

#include <inttypes.h>
#include <string.h>

#include "lab/store/code.h"
#include "lab/store/violations.h"
#include "show/draw/escape.h"
#include "show/draw/scale.h"
#include "show/page/assets.h"

void page_put_element(const char *tag, const char *text, FILE *out)
{
    fprintf(out, "<%s>", tag);
    escape_markup(text, out);
    fprintf(out, "</%s>\n", tag);
}

static const char *page_title(const struct experiment *experiment)
{
    return experiment->title != NULL ? experiment->title : experiment->name;
}

void page_put_head(const char *title, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    fprintf(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '%s'; style-src '%s'; "
        "base-uri 'none'; form-action 'none'\">\n",
        asset_script.hash, asset_style.hash);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"weir\">\n",
          out);
    page_put_element("title", title, out);
    fputs("<style>", out);
    fwrite(asset_style.bytes, 1, asset_style.size, out);
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n", out);
}

/* "72 of 72 runs (4 policies x 9 sizes, ...)": what was done, in one sentence. */
static void put_summary_sentence(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    const struct experiment *experiment = &table->experiment;
    double seconds = 0, hops = 0;
    for (uint32_t run = 0; run < experiment_runs(experiment); run++) {
        seconds += table->runs[run].finished ? table->runs[run].seconds : 0;
        hops += table->runs[run].finished ? (double)table->runs[run].hops : 0;
    }
    fprintf(out, "<p class=\"lead\">%" PRIu32 " of %" PRIu32 " runs at %s size", table->finished,
            experiment_runs(experiment), experiment->quick ? "quick" : "full");
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
        fprintf(out, "%s%" PRIu32 " values of ", axis == 0 ? ": " : ", ", experiment->axes[axis].count);
        escape_markup(experiment->axes[axis].name, out);
    }
    fprintf(out, "%s%" PRIu32 " seed%s", experiment->axis_count == 0 ? ", " : " and ", experiment->seed_count,
            experiment->seed_count == 1 ? "" : "s");
    fputs(", ", out);
    if (hops >= 1e9)
        fprintf(out, "%.3g billion", hops / 1e9);
    else if (hops >= 1e6)
        fprintf(out, "%.3g million", hops / 1e6);
    else {
        char plain[32], grouped[SCALE_TEXT_MAX];
        snprintf(plain, sizeof plain, "%.0f", hops);
        scale_group(plain, grouped);
        fputs(grouped, out);
    }
    fputs(" packet-hops in ", out);
    if (seconds < 120)
        fprintf(out, "%.3g s", seconds);
    else if (seconds < 7200)
        fprintf(out, "%.3g min", seconds / 60);
    else
        fprintf(out, "%.3g h", seconds / 3600);
    fputs(" of run time by weir ", out);
    escape_markup(table->version != NULL ? table->version : "?", out);
    fputs(".</p>\n", out);
    uint32_t missing = experiment_runs(experiment) - table->finished;
    if (missing > 0)
        fprintf(out,
                "<p class=\"warning\"><strong>%" PRIu32
                " run%s missing.</strong> Charts and tables show what is there; "
                "<code>weir run</code> again makes the rest.</p>\n",
                missing, missing == 1 ? " is" : "s are");
}

/* What the verdicts mean, by the rules of lab/store/claims.h at this size. */
static void put_verdict_guide(const struct experiment *experiment, FILE *out)
{
    fprintf(out,
            "<p>The claims compare what %s with what these runs gave, at every point of the sweep that a claim leaves "
            "open. ",
            strcmp(claim_sources(experiment), "expected") == 0 ? "was expected" : "a paper says");
    if (experiment->quick)
        fputs("At this quick size only orderings are checked. <em>Holds</em>: 80&nbsp;% of the points or more agree, "
              "for up-to by their sign and for about within a factor of 2; of an invariant all do. "
              "<em>Missed</em>: fewer do. ",
              out);
    else
        fputs("<em>Met</em>: up-to reaches the paper&#8217;s number at its best point and about at every point, both "
              "within 10&nbsp;% of it (of a percentage: a fifth of it, at most 10 points); at-least, at-most and holds "
              "are true at every point, an invariant in every run. <em>Beyond</em>: up-to exceeds the number by more "
              "than 10&nbsp;% (10 points). <em>Direction</em>: 80&nbsp;% of the points or more agree, for up-to by "
              "their sign. <em>Missed</em>: fewer do. <em>Undecided</em>: the ends of the interval over seeds give "
              "different verdicts. ",
              out);
    fputs("<em>No data</em>: runs or measures that the claim needs are missing. <em>Not at this size</em>: it is "
          "checked at full size only.</p>\n",
          out);
}

static void put_guide(const struct report *report, FILE *out)
{
    const struct experiment *experiment = &report->table->experiment;
    fputs("<details class=\"guide\"><summary>How to read this page</summary>\n", out);
    if (experiment->claim_count > 0)
        put_verdict_guide(experiment, out);
    fputs("<p>", out);
    fputs(
        "Every chart is computed from the runs of this experiment alone; the sentence below it says what was averaged, "
        "merged or held. ",
        out);
    if (experiment->seed_count > 1)
        fputs("Error bars and &#177; are 95&nbsp;% confidence intervals over the seeds: small ones mean that another "
              "seed would tell the same. ",
              out);
    fputs("Completion times are better when lower. In queue charts the solid line is the queue, the dashed line the "
          "limit that the policy set for it at that moment.</p>\n",
          out);
    char unfinished[UNFINISHED_TEXT_MAX];
    if (unfinished_text(report->table, unfinished)[0] != '\0')
        fprintf(out, "<p><strong>%s.</strong> %s. %s.</p>\n", unfinished, censoring_legend(CENSORING_BOUND),
                censoring_legend(CENSORING_PARTIAL));
    fputs("<p class=\"live-only\">Point at a chart, or focus it and use the arrow keys, to read its values. Drag to "
          "zoom in, double-click or press Escape to see all again. The buttons below a chart hide and show lines."
          "</p>\n</details>\n",
          out);
}

static void put_yaml(const char *summary, const char *yaml, FILE *out)
{
    if (yaml == NULL)
        return;
    fprintf(out, "<details><summary>%s</summary>\n<pre tabindex=\"0\">", summary);
    escape_markup_lines(yaml, out);
    fputs("</pre></details>\n", out);
}

/* Results of a testbed have no digest: they do not repeat. */
static bool has_real_runs(const struct table *table)
{
    for (uint32_t run = 0; run < experiment_runs(&table->experiment); run++)
        if (table->runs[run].finished && table->runs[run].digest == 0)
            return true;
    return false;
}

void page_put_foot(const char *version, FILE *out)
{
    fputs("<footer><p>Written by weir ", out);
    escape_markup(version, out);
    if (asset_plotter[0] != '\0')
        fprintf(out, ". Charts by %s (MIT licence)", asset_plotter);
    fputs(". This page is one file and asks nothing of the network.</p></footer>\n", out);
}

void page_put_script(FILE *out)
{
    fputs("<script>", out);
    fwrite(asset_script.bytes, 1, asset_script.size, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

bool report_page(const struct report *report, FILE *out)
{
    page_put_head(page_title(&report->table->experiment), out);
    const struct experiment *experiment = &report->table->experiment;
    fputs("<header>\n<button type=\"button\" id=\"theme\" hidden>Dark</button>\n", out);
    page_put_element("h1", page_title(experiment), out);
    if (experiment->paper != NULL) {
        fputs("<p class=\"paper\">Reproduces ", out);
        escape_markup(experiment->paper, out);
        if (experiment->figure != NULL) {
            fputs(", figure ", out);
            escape_markup(experiment->figure, out);
        }
        fputs(".</p>\n", out);
    }
    put_summary_sentence(report, out);
    fputs("<nav aria-label=\"Sections\"><ul>\n", out);
    if (experiment->claim_count > 0)
        fputs("<li><a href=\"#claims\">Claims</a></li>\n", out);
    fputs("<li><a href=\"#charts\">Charts</a></li>\n<li><a href=\"#numbers\">Numbers</a></li>\n"
          "<li><a href=\"#setup\">Configuration and runs</a></li>\n</ul></nav>\n</header>\n<main id=\"main\">\n",
          out);
    page_put_violations(report, out);
    bool whole = page_put_mix(report, out);
    page_put_abstract(report, out);
    whole = page_put_what(report, out) && whole;
    put_guide(report, out);
    page_put_claims(report, out);
    whole = page_put_charts(report->charts, out) && whole;
    whole = page_put_summary(report, out) && whole;
    const struct table *table = report->table;
    uint32_t run = 0;
    while (run + 1 < experiment_runs(&table->experiment) && !table->runs[run].finished)
        run++;
    fputs("<section id=\"setup\" aria-labelledby=\"setup-title\">\n<h2 id=\"setup-title\">Configuration and runs</h2>\n"
          "<p>The scenario file is <code>",
          out);
    escape_markup(table->source != NULL ? table->source : "?", out);
    uint64_t seed = table->experiment.first_seed;
    fprintf(out, "</code>; seed %" PRIu64, seed);
    if (table->experiment.seed_count > 1)
        fprintf(out, " to %" PRIu64, seed + table->experiment.seed_count - 1);
    fprintf(out, ". The same scenario, seed and version give the same numbers on every machine%s.</p>\n",
            has_real_runs(table) ? ", but for the runs on real packets" : "");
    put_yaml("The scenario", table->scenario, out);
    put_yaml("Every effective value of the first run", table->runs[run].config, out);
    whole = page_put_runs(report, out) && whole;
    fputs("</section>\n</main>\n", out);
    page_put_foot(report->version, out);
    whole = page_put_data(report->charts, out) && whole;
    page_put_script(out);
    return whole;
}

bool page_put_mix(const struct report *report, FILE *out)
{
    struct code_mix mix;
    bool found = code_mix_find(&mix, report->table);
    if (mix.heading != NULL) {
        fputs("<div class=\"violations\" role=\"note\"><p><strong>", out);
        escape_markup(mix.heading, out);
        fputs("</strong>.</p>\n<ul>\n", out);
        for (uint32_t i = 0; i < mix.count; i++)
            page_put_element("li", mix.lines[i], out);
        fputs("</ul></div>\n", out);
    }
    code_mix_free(&mix);
    return found;
}

void page_put_abstract(const struct report *report, FILE *out)
{
    const struct report_charts *charts = report->charts;
    uint32_t told = 0;
    for (uint32_t i = 0; i < charts->count; i++)
        told += charts->charts[i].finding != NULL;
    if (told == 0)
        return;
    fputs(
        "<section id=\"abstract\" class=\"abstract\" aria-labelledby=\"abstract-title\">\n<h2 id=\"abstract-title\">In "
        "short</h2>\n<ul>\n",
        out);
    for (uint32_t i = 0; i < charts->count; i++) {
        const struct chart *chart = &charts->charts[i];
        if (chart->finding == NULL)
            continue;
        fprintf(out, "<li><a href=\"#chart-%" PRIu32 "\">", i);
        escape_markup(chart->title, out);
        fputs("</a>: ", out);
        escape_markup(chart->finding, out);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n</section>\n", out);
}

#define RUNS_NAMED 20u

void page_put_violations(const struct report *report, FILE *out)
{
    const struct table *table = report->table;
    uint32_t count = violations_count(table), named = 0;
    char text[VIOLATION_TEXT_MAX];
    if (count == 0)
        return;
    fprintf(out,
            "<div class=\"violations\" role=\"note\"><p><strong>%" PRIu32 " of %" PRIu32 " run%s lost packets of "
            "lossless classes or found a deadlock</strong>, which the scenario does not expect.</p>\n<ul>\n",
            count, table->finished, table->finished == 1 ? "" : "s");
    for (uint32_t run = violations_next(table, 0); run != UINT32_MAX && named < RUNS_NAMED; named++) {
        page_put_element("li", violation_text(table, run, text), out);
        run = violations_next(table, run + 1);
    }
    if (count > RUNS_NAMED)
        fprintf(out, "<li>and %" PRIu32 " more</li>\n", count - RUNS_NAMED);
    fputs("</ul></div>\n", out);
}

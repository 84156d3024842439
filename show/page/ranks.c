/*
 * ranks.c - see ranks.h. A rank's row is a list of stretches, in nanoseconds; one that has more than STRETCHES_MOST of
 * them is thinned: what is shorter than a part of the whole joins its neighbour, so that a page of a thousand ranks
 * stays small.
 */
#include "show/page/ranks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "show/draw/escape.h"
#include "show/page/page.h"

#define STRETCHES_MOST 1000u

/* "what,from,length," of each, in nanoseconds since the beginning. */
static bool put_rank(const struct run_result *result, uint32_t traffic, uint32_t rank, FILE *out)
{
    const struct job *job = sim_job(result->sim, traffic);
    struct history_stretches all;
    if (!history_stretches_of(job_history(job), job_settings(job), rank, result->totals.now, &all)) {
        free(all.at);
        return false;
    }
    weir_ps span = all.count > 0 ? all.at[all.count - 1].to_ps - all.at[0].from_ps : 0;
    weir_ps least = all.count > STRETCHES_MOST ? span / STRETCHES_MOST : 0;
    bool first = true;
    fprintf(out, "%s[", rank > 0 ? ",\n" : "");
    for (uint32_t i = 0; i < all.count;) {
        /* As long as they are short, they share one that is what most of it was. */
        weir_ps sums[HISTORY_IDLE + 1] = {0}, from = all.at[i].from_ps, to = from;
        do {
            sums[all.at[i].what] += all.at[i].to_ps - all.at[i].from_ps;
            to = all.at[i++].to_ps;
        } while (i < all.count && to - from < least);
        uint32_t most = 0;
        for (uint32_t what = 1; what <= HISTORY_IDLE; what++)
            most = sums[what] > sums[most] ? what : most;
        fprintf(out, "%s%" PRIu32 ",%" PRId64 ",%" PRId64, first ? "" : ",", most, (int64_t)(from / WEIR_PS_PER_NS),
                (int64_t)((to - from) / WEIR_PS_PER_NS));
        first = false;
    }
    fputc(']', out);
    free(all.at);
    return true;
}

static void put_path(const struct run_path *path, const struct run_result *result, FILE *out)
{
    char text[RUN_PATH_TEXT_MAX];
    fputs("<h3>Critical path</h3>\n", out);
    run_path_shares(path, text);
    page_put_element("p", text, out);
    fputs("<ul>\n", out);
    for (uint32_t i = 0; i < path->worst_count; i++) {
        run_path_text(path, result, i, text);
        page_put_element("li", text, out);
    }
    fputs("</ul>\n", out);
}

static void put_path_data(const struct run_path *path, FILE *out)
{
    fputs("],\"path\":[", out);
    for (uint64_t i = path->steps.count; i-- > 0;)
        fprintf(out, "%s%d,%" PRId64 ",%" PRId64 ",%" PRIu32, i + 1 < path->steps.count ? "," : "",
                (int)path->steps.at[i].what, (int64_t)(path->steps.at[i].from_ps / WEIR_PS_PER_NS),
                (int64_t)((path->steps.at[i].to_ps - path->steps.at[i].from_ps) / WEIR_PS_PER_NS),
                path->steps.at[i].rank);
    fputs("]}</script>\n", out);
}

static bool put_job(const struct run_result *result, uint32_t traffic, FILE *out)
{
    const struct sim_config *config = &result->scenario->config;
    const struct job *job = sim_job(result->sim, traffic);
    struct run_path path;
    bool good = run_path_make(&path, result, traffic);
    fprintf(out, "<section aria-labelledby=\"job-%" PRIu32 "\">\n<h2 id=\"job-%" PRIu32 "\">Job ", traffic, traffic);
    escape_markup(config->tag_names[config->traffic[traffic].tag], out);
    fprintf(
        out,
        "</h2>\n<div class=\"ranks\" data-of=\"ranks-%" PRIu32 "\">\n"
        "<p class=\"jumps live-only\"><button type=\"button\" data-do=\"in\">Zoom in</button><button type=\"button\" "
        "data-do=\"out\">Zoom out</button><button type=\"button\" data-do=\"left\">Earlier</button><button "
        "type=\"button\" data-do=\"right\">Later</button><button type=\"button\" data-do=\"all\">All</button> "
        "<span class=\"key compute\">compute</span> <span class=\"key communicate\">communicate</span> "
        "<span class=\"key wait\">wait for others</span> <span class=\"key path\">critical path</span></p>\n"
        "<canvas tabindex=\"0\" role=\"img\" aria-label=\"What each rank did over time\"></canvas>\n"
        "<p><output></output></p>\n</div>\n",
        traffic);
    if (good)
        put_path(&path, result, out);
    fprintf(out, "</section>\n<script type=\"application/json\" id=\"ranks-%" PRIu32 "\">{\"ranks\":[", traffic);
    for (uint32_t r = 0; r < job_goal(job)->ranks && good; r++)
        good = put_rank(result, traffic, r, out);
    if (good)
        put_path_data(&path, out);
    run_path_free(&path);
    return good;
}

bool ranks_page_put(const struct run_result *result, const char *version, FILE *out)
{
    bool good = true;
    const char *title = result->scenario->name != NULL ? result->scenario->name : "Jobs";
    page_put_head(title, out);
    fputs("<header>\n<button type=\"button\" id=\"theme\" hidden>Dark</button>\n", out);
    page_put_element("h1", title, out);
    fputs(
        "<p class=\"lead\">What ranks did over time: they computed, had messages under way, or waited for others. The "
        "line is the critical path, from rank to rank.</p>\n</header>\n<main id=\"main\">\n",
        out);
    for (uint32_t i = 0; i < result->scenario->config.traffic_count && good; i++)
        if (sim_job(result->sim, i) != NULL)
            good = put_job(result, i, out);
    fputs("</main>\n", out);
    page_put_foot(version, out);
    page_put_script(out);
    return good;
}

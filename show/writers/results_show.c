/*
 * results_show.c - see results_show.h. Which columns there are is found in results_columns.c.
 */
#define _GNU_SOURCE 1
#include "show/writers/results_show.h"

#include <math.h>

#include "cli/cli.h"
#include "show/writers/run_violations.h"
#include "show/writers/write.h"

#define FAILURES_SHOWN 20u
#define POINTS_READ 12u
#define SEEDS_FEW 6u /* below, no interval is uneven, and Student's is wide */

const char *results_state(const struct table_run *run)
{
    return run->finished ? "done" : run->failure != NULL ? "failed" : "missing";
}

/* A number with its mark, which is remembered. */
static const char *marked_text(struct results_marks *marks, const char *number, enum censoring censoring,
                               char text[CENSORING_TEXT_MAX])
{
    marks->used[censoring] = true;
    return censoring_text(censoring, number, text);
}

static void add_spread(struct results_marks *marks, struct data_frame *frame, struct spread spread, const char *unit,
                       enum censoring censoring)
{
    char mean[64], interval[160], both[CENSORING_TEXT_MAX], text[CENSORING_TEXT_MAX];
    if (isnan(spread.mean)) {
        data_row(frame, cell_none());
        return;
    }
    value_text(spread.mean, unit, mean);
    value_interval_text(&spread, unit, interval);
    snprintf(both, sizeof both, "%.40s%.50s", mean, interval);
    data_row(frame, cell_shown(cell_number(spread.mean), marked_text(marks, both, censoring, text)));
}

static struct data_frame *points_frame(const struct table *table, const struct results_columns *columns,
                                       struct results_marks *marks)
{
    const struct experiment *experiment = &table->experiment;
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns->columns, experiment->axis_count + columns->count);
    for (uint32_t point = 0; point < experiment->point_count; point++) {
        struct position position = {.seed = 0};
        for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
            position.at[axis] = experiment_value_at(experiment, point, axis);
            data_row(frame, cell_text(experiment->axes[axis].values[position.at[axis]].label));
        }
        for (uint32_t i = 0; i < columns->count; i++) {
            position.unfinished = columns->unfinished[i];
            add_spread(marks, frame, evaluate_spread(table, columns->value[i], &position),
                       evaluate_unit(table, columns->value[i]),
                       evaluate_censoring(table, columns->value[i], &position));
        }
    }
    return frame;
}

/* What text shows of our number: with the interval, or the margin of an order. */
static const char *ours_text(const struct table *table, const struct claim *claim, const struct judgement *judgement,
                             char text[256])
{
    const char *unit = evaluate_unit(table, claim->value);
    char mean[64], more[MARGIN_TEXT_MAX] = "", both[CENSORING_TEXT_MAX];
    claim_text(claim, judgement->ours.mean, unit, mean);
    bool is_number = claim_kind(claim) == CLAIM_OF_NUMBER;
    if (is_number)
        interval_text(claim, &judgement->ours, unit, more);
    else
        margin_text(claim, &judgement->truth.margin, judgement->truth.unit, more);
    snprintf(both, sizeof both, "%.40s%.50s", mean, is_number ? more : "");
    snprintf(text, 256, "%s%s%.150s", censoring_text(judgement->censoring, both, (char[CENSORING_TEXT_MAX]){""}),
             is_number || more[0] == '\0' ? "" : ", ", is_number ? "" : more);
    return text;
}

struct data_frame *results_claims_frame(const struct table *table, struct results_marks *marks)
{
    const struct experiment *experiment = &table->experiment;
    const struct data_column columns[] = {DATA_COLUMN("id", "claim", WORD),
                                          DATA_COLUMN("text", "what", TEXT, .width = 60),
                                          DATA_COLUMN("rule", NULL, WORD),
                                          DATA_COLUMN("paper", NULL, NUMBER),
                                          DATA_COLUMN(NULL, claim_sources(experiment), TEXT),
                                          DATA_COLUMN("ours", "ours", NUMBER, .left = true),
                                          DATA_COLUMN("half_interval", NULL, NUMBER),
                                          DATA_COLUMN("low", NULL, NUMBER),
                                          DATA_COLUMN("high", NULL, NUMBER),
                                          DATA_COLUMN("unit", NULL, WORD),
                                          DATA_COLUMN(NULL, "at", TEXT, .width = 40),
                                          DATA_COLUMN("verdict", "verdict", TEXT),
                                          DATA_COLUMN("points", NULL, COUNT),
                                          DATA_COLUMN("agreeing", NULL, COUNT),
                                          DATA_COLUMN("open", NULL, COUNT),
                                          DATA_COLUMN("margin", NULL, NUMBER),
                                          DATA_COLUMN("margin_half_interval", NULL, NUMBER),
                                          DATA_COLUMN("margin_unit", NULL, WORD),
                                          DATA_COLUMN("expected", NULL, FLAG),
                                          DATA_COLUMN("of", NULL, WORD),
                                          DATA_COLUMN("narrowed", NULL, TEXT),
                                          DATA_COLUMN("reason", NULL, TEXT),
                                          DATA_COLUMN("censored", NULL, COUNT),
                                          DATA_COLUMN("censoring", NULL, WORD),
                                          DATA_COLUMN("finding", NULL, TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        const struct claim *claim = &experiment->claims[i];
        struct judgement judgement;
        char where[256], censored[JUDGEMENT_CENSORED_MAX], paper[160], ours[256];
        char verdict[WEIR_MESSAGE_MAX + JUDGEMENT_CENSORED_MAX + 32];
        bool has_number = claim->paper_text != NULL;
        claim_judge(table, claim, &judgement);
        bool is_known = !isnan(judgement.ours.mean), has_margin = judgement.truth.margin.count > 0;
        judgement_where(experiment, &judgement, where);
        judgement_censored(&judgement, censored);
        snprintf(paper, sizeof paper, "%s%s%s", claim_rule_name(claim->rule), has_number ? " " : "",
                 has_number ? claim->paper_text : "");
        snprintf(verdict, sizeof verdict, "%s%s%s%s%s", verdict_name(judgement.verdict),
                 judgement.message[0] != '\0' ? ": " : "", judgement.message, censored[0] != '\0' ? ", " : "",
                 censored);
        marks->used[judgement.censoring] |= is_known;
        data_row(frame, cell_text(claim->id), cell_text(claim->text), cell_text(claim_rule_name(claim->rule)),
                 cell_number(claim->paper), cell_text(paper),
                 is_known ? cell_shown(cell_number(judgement.ours.mean), ours_text(table, claim, &judgement, ours))
                          : cell_none(),
                 cell_number(judgement.ours.half), cell_number(judgement.ours.low), cell_number(judgement.ours.high),
                 cell_text(evaluate_unit(table, claim->value)),
                 cell_text(judgement_has_place(claim, &judgement) ? where : ""),
                 cell_shown(cell_text(verdict_name(judgement.verdict)), verdict), cell_integer(judgement.points),
                 cell_integer(judgement.agreeing), cell_integer(judgement.open),
                 cell_if(has_margin, cell_number(judgement.truth.margin.mean)),
                 cell_if(has_margin, cell_number(judgement.truth.margin.half)), cell_text(judgement.truth.unit),
                 cell_flag(claim->expected),
                 cell_text(claim->narrowed != NULL ? experiment->claims[claim->of].id : NULL),
                 cell_text(claim->narrowed), cell_text(claim->reason), cell_integer(judgement.censored),
                 cell_text(censoring_name(judgement.censoring)), cell_text(claim->finding));
    }
    return frame;
}

/* `again` null: the file does not know the whole command that made it. */
static void put_failures(const struct table *table, const char *again)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < experiment_runs(&table->experiment); i++) {
        const struct table_run *run = &table->runs[i];
        char name[256];
        if (run->finished || run->failure == NULL)
            continue;
        if (++failed > FAILURES_SHOWN)
            continue;
        experiment_run_name(&table->experiment, i, name);
        printf("%sfailed: %s: %s\n", failed == 1 ? "\n" : "", name, run->failure);
        if (again != NULL)
            printf("  again: %s --only %s\n", again, run->id);
    }
    if (failed > FAILURES_SHOWN)
        cli_print("%u more have failed: see weir show --runs %s", failed - FAILURES_SHOWN, CLI_PASTE(table->path));
    if (failed > 0 && again == NULL)
        printf("the command that made these results tries them again\n");
}

int results_warn_mix(const struct table *table)
{
    struct code_mix mix;
    int code = code_mix_find(&mix, table) ? CLI_OK : cli_error_memory();
    if (code == CLI_OK && mix.heading != NULL)
        cli_error(CLI_OK, "warning: %s: %s:", table->path, mix.heading);
    for (uint32_t i = 0; code == CLI_OK && i < mix.count; i++)
        cli_error(CLI_OK, "warning: %s", mix.lines[i]);
    code_mix_free(&mix);
    return code;
}

/* More points than one readable table, and figures that say how they belong together. */
static bool is_large(const struct experiment *experiment)
{
    bool drawn = false;
    for (uint32_t i = 0; i < experiment->figure_count; i++)
        drawn |= experiment->figures[i].kind == FIGURE_LINE || experiment->figures[i].kind == FIGURE_BAR;
    return drawn && experiment->axis_count > 1 && experiment->point_count > POINTS_READ;
}

static int page_make(struct results_page *page, const char *path, enum results_view view, const char *relative)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    *page = (struct results_page){.view = view, .relative = relative != NULL};
    if (!table_load(&page->table, path, &status))
        return cli_report(&status);
    bool wants_claims = page->table.experiment.claim_count > 0;
    bool by_figure = relative != NULL || (view != RESULTS_BY_POINT && is_large(&page->table.experiment));
    int code = CLI_OK;
    if (view != RESULTS_OF_ONE && by_figure)
        page->figures = results_figures_make(&page->table, relative, &code);
    if (view != RESULTS_OF_ONE && code == CLI_OK && page->figures == NULL) {
        results_columns_find(&page->columns, &page->table);
        page->points = points_frame(&page->table, &page->columns, &page->marks);
        code = data_frame_check(page->points);
        for (uint32_t i = 0; i < RESULTS_BESIDE && code == CLI_OK; i++) {
            struct results_columns *columns = &page->beside_columns[i];
            if (!results_columns_beside(columns, &page->table, (enum results_beside)i))
                continue;
            page->beside[i] = points_frame(&page->table, columns, &page->marks);
            code = data_frame_check(page->beside[i]);
        }
    }
    if (code == CLI_OK && !code_mix_find(&page->mix, &page->table))
        code = cli_error_memory();
    page->claims = wants_claims ? results_claims_frame(&page->table, &page->marks) : NULL;
    return code == CLI_OK && wants_claims ? data_frame_check(page->claims) : code;
}

int results_page_make(struct results_page *page, const char *path, enum results_view view)
{
    return page_make(page, path, view, NULL);
}

int results_page_make_relative(struct results_page *page, const char *path, const char *relative)
{
    return page_make(page, path, RESULTS_OF_A_FILE, relative);
}

/* The greatest value of any run; NaN: none has it. */
static double greatest(const struct table *table, const char *name)
{
    uint32_t measure = table_find(table, name);
    double most = NAN;
    for (uint32_t run = 0; measure != UINT32_MAX && run < experiment_runs(&table->experiment); run++)
        most = fmax(most, table_value(table, run, measure));
    return most;
}

/* Flow control in a line, where a table of points would be too long. */
static void put_lossless(const struct table *table)
{
    double paused = greatest(table, "pause.time"), lost = greatest(table, "lossless.lost");
    char time[64];
    if (isnan(paused))
        return;
    value_text(paused, "s", time);
    cli_print("flow control, the most of any run: paused for %s over ports and classes in", time);
    cli_print("%.0f pauses, headroom of a queue %.1f %% in use, %.0f lossless packets lost",
              greatest(table, "pause.pauses"), 100 * greatest(table, "headroom.peak"), lost);
}

/* Policies that neither lost nor paused anything did the same: whatever differs is not theirs. In the
 * slotted model, beside which the simulation is an empty one, it may be. */
static void put_untouched(const struct table *table)
{
    bool compares = experiment_policy_axis(&table->experiment) != FIGURE_NO_AXIS && table->finished > 1 &&
                    isnan(greatest(table, "slot.sent"));
    if (!compares || greatest(table, "lost.total") != 0 || greatest(table, "pause.pauses") > 0)
        return;
    putchar('\n');
    cli_print("no packet was lost: the policies never had to refuse one, and do not differ (larger bursts or a "
              "smaller buffer would tell them apart)");
}

int results_page_put(struct results_page *page, const char *again)
{
    int code = CLI_OK;
    bool of_a_file = page->view == RESULTS_OF_A_FILE || page->view == RESULTS_BY_POINT;
    if (of_a_file) {
        const struct table *table = &page->table;
        const struct experiment *experiment = &table->experiment;
        cli_print("%s%s%s", experiment->name, experiment->title != NULL ? ": " : "",
                  experiment->title != NULL ? experiment->title : "");
        cli_print("%u of %u runs, %s size, from %s, weir %s", table->finished, experiment_runs(experiment),
                  experiment->quick ? "quick" : "full", table->source, table->version);
        putchar('\n');
        code = run_violations_print(&page->table);
    }
    if (page->points != NULL)
        write_text(page->points);
    for (uint32_t i = 0; i < RESULTS_BESIDE; i++) {
        if (page->beside[i] == NULL)
            continue;
        putchar('\n');
        write_text(page->beside[i]);
    }
    if (page->figures != NULL) {
        results_figures_put(page->figures, &page->marks);
        putchar('\n');
        put_lossless(&page->table);
        if (page->table.experiment.seed_count > 1)
            cli_print("means over %u seeds%s; `weir show --points %s` has every point with its interval",
                      page->table.experiment.seed_count, page->relative ? " of the ratio, taken seed by seed" : "",
                      CLI_PASTE(page->table.path));
        else
            cli_print("`weir show --points %s` has every point in a row of its own", CLI_PASTE(page->table.path));
    }
    if (page->view == RESULTS_BY_POINT) {
        putchar('\n');
        cli_print("%u more measures of every run: `weir export --csv %s`; what they mean: `weir measures`",
                  page->table.measure_count -
                      (page->columns.count < page->table.measure_count ? page->columns.count : 0),
                  CLI_PASTE(page->table.path));
    }
    if (page->claims != NULL) {
        putchar('\n');
        write_text(page->claims);
        const struct experiment *experiment = &page->table.experiment;
        if (!experiment->quick && experiment->seed_count > 1 && experiment->seed_count < SEEDS_FEW) {
            putchar('\n');
            cli_print("%u seeds are few: intervals are wide and decide little (`seeds: 10`, or --decide 10min)",
                      experiment->seed_count);
        }
    }
    /* What did not finish, and what the signs mean. */
    char text[UNFINISHED_TEXT_MAX];
    if (page->view != RESULTS_OF_ONE && unfinished_text(&page->table, text)[0] != '\0')
        printf("\n%s\n", text);
    for (uint32_t i = 0; i <= CENSORING_PARTIAL; i++)
        if (page->marks.used[i] && censoring_legend((enum censoring)i) != NULL)
            cli_print("%s", censoring_legend((enum censoring)i));
    if (page->view != RESULTS_OF_ONE)
        put_untouched(&page->table);
    if (page->view != RESULTS_OF_ONE)
        put_failures(&page->table, again);
    const struct table *table = &page->table;
    if (table->others > 0)
        printf("\n%u more %s in the file, of another sweep, size or --set: the command that made %s shows %s\n",
               table->others, table->others == 1 ? "run is" : "runs are", table->others == 1 ? "it" : "them",
               table->others == 1 ? "it" : "them");
    const struct code_mix *mix = &page->mix;
    if (mix->heading != NULL) {
        putchar('\n');
        cli_print("%s:", mix->heading);
    }
    for (uint32_t i = 0; i < mix->count; i++)
        cli_print("  %s", mix->lines[i]);
    if (of_a_file)
        return code;
    putchar('\n');
    cli_print("results in %s; `weir report %s` draws them", page->table.path, CLI_PASTE(page->table.path));
    if (page->view == RESULTS_OF_ONE && page->table.finished > 1)
        cli_print("`weir show %s` shows it with the other runs in the file (%u), `weir show --runs %s` lists them",
                  CLI_PASTE(page->table.path), page->table.finished - 1, CLI_PASTE(page->table.path));
    return code;
}

void results_page_free(struct results_page *page)
{
    data_frame_free(page->points);
    data_frame_free(page->claims);
    for (uint32_t i = 0; i < RESULTS_BESIDE; i++)
        data_frame_free(page->beside[i]);
    results_figures_free(page->figures);
    code_mix_free(&page->mix);
    table_free(&page->table);
}

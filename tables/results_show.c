/*
 * results_show.c - see results_show.h. Which columns there are is found in results_columns.c.
 */
#define _GNU_SOURCE 1
#include "tables/results_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "tables/run_violations.h"

#define FAILURES_SHOWN 20u
#define POINTS_READ 12u

const char *results_state(const struct table_run *run)
{
    return run->finished ? "done" : run->failure != NULL ? "failed" : "missing";
}

static void cell_spread(struct output_table *out, struct spread spread, const char *unit)
{
    char mean[64], half[64];
    if (isnan(spread.mean)) {
        output_table_cell(out, "-");
        return;
    }
    value_text(spread.mean, unit, mean);
    if (!(spread.half > 0)) { /* one seed, or seeds that change nothing */
        output_table_cell(out, "%s", mean);
        return;
    }
    value_text(spread.half, unit, half);
    output_table_cell(out, "%s \u00b1 %s", mean, half);
}

static struct output_table *points_table(const struct table *table, struct results_columns *columns)
{
    const struct experiment *experiment = &table->experiment;
    results_columns_find(columns, table);
    struct output_table *out = output_table_new(columns->columns, experiment->axis_count + columns->count);
    for (uint32_t point = 0; point < experiment->point_count; point++) {
        struct position position = {.seed = 0};
        for (uint32_t axis = 0; axis < experiment->axis_count; axis++) {
            position.at[axis] = experiment_value_at(experiment, point, axis);
            output_table_cell_cut(out, experiment->axes[axis].values[position.at[axis]].label, 40);
        }
        for (uint32_t i = 0; i < columns->count; i++)
            cell_spread(out, evaluate_spread(table, columns->value[i], &position),
                        evaluate_unit(table, columns->value[i]));
    }
    return out;
}

static void cell_ours(struct output_table *out, const struct table *table, const struct claim *claim,
                      const struct judgement *judgement)
{
    const char *unit = evaluate_unit(table, claim->value);
    char mean[64], half[64];
    if (isnan(judgement->ours.mean)) {
        output_table_cell(out, "-");
        return;
    }
    claim_text(claim, judgement->ours.mean, unit, mean);
    if (claim_kind(claim) != CLAIM_OF_NUMBER) {
        char margin[160];
        margin_text(&judgement->truth.margin, judgement->truth.unit, margin);
        output_table_cell(out, "%s%s%s", mean, margin[0] != '\0' ? " " : "", margin);
        return;
    }
    if (!(judgement->ours.half > 0)) {
        output_table_cell(out, "%s", mean);
        return;
    }
    claim_text(claim, judgement->ours.half, unit, half);
    output_table_cell(out, "%s \u00b1 %s", mean, half);
}

static struct output_table *claims_table(const struct table *table)
{
    static const struct output_column columns[] = {{"claim", false}, {"what", false}, {"paper", false},
                                                   {"ours", false},  {"at", false},   {"verdict", false}};
    const struct experiment *experiment = &table->experiment;
    struct output_table *out = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        const struct claim *claim = &experiment->claims[i];
        struct judgement judgement;
        char where[256];
        bool number = claim->paper_text != NULL;
        claim_judge(table, claim, &judgement);
        judgement_where(experiment, &judgement, where);
        output_table_cell(out, "%s", claim->id);
        output_table_cell_cut(out, claim->text, 60);
        output_table_cell(out, "%s%s%s", claim_rule_name(claim->rule), number ? " " : "",
                          number ? claim->paper_text : "");
        cell_ours(out, table, claim, &judgement);
        output_table_cell_cut(out, judgement_has_place(claim, &judgement) ? where : "", 40);
        output_table_cell(out, "%s%s%s", verdict_name(judgement.verdict), judgement.message[0] != '\0' ? ": " : "",
                          judgement.message);
    }
    return out;
}

static void put_about(const struct table *table)
{
    const struct experiment *experiment = &table->experiment;
    cli_print("%s%s%s", experiment->name, experiment->title != NULL ? ": " : "",
              experiment->title != NULL ? experiment->title : "");
    cli_print("%u of %u runs, %s size, from %s, weir %s", table->finished, experiment_runs(experiment),
              experiment->quick ? "quick" : "full", table->source, table->version);
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
        cli_print("%u more have failed: see weir show --runs %s", failed - FAILURES_SHOWN, table->path);
    if (failed > 0 && again == NULL)
        printf("the command that made these results tries them again\n");
}

static void put_others(const struct table *table)
{
    if (table->others > 0)
        printf("\n%u more %s in the file, of another sweep, size or --set: the command that made %s shows %s\n",
               table->others, table->others == 1 ? "run is" : "runs are", table->others == 1 ? "it" : "them",
               table->others == 1 ? "it" : "them");
}

static void put_mix(const struct code_mix *mix)
{
    if (mix->heading != NULL) {
        putchar('\n');
        cli_print("%s:", mix->heading);
    }
    for (uint32_t i = 0; i < mix->count; i++)
        cli_print("  %s", mix->lines[i]);
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

int results_page_make(struct results_page *page, const char *path, enum results_view view)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    *page = (struct results_page){.path = path, .view = view};
    if (!table_load(&page->table, path, &status))
        return cli_report(&status);
    bool wants_claims = page->table.experiment.claim_count > 0;
    bool by_figure = view != RESULTS_BY_POINT && is_large(&page->table.experiment);
    int code = CLI_OK;
    if (view != RESULTS_OF_ONE && by_figure)
        page->figures = results_figures_make(&page->table, &code);
    if (view != RESULTS_OF_ONE && code == CLI_OK && page->figures == NULL) {
        page->points = points_table(&page->table, &page->columns);
        code = output_table_check(page->points);
    }
    if (code == CLI_OK && !code_mix_find(&page->mix, &page->table))
        code = cli_error_memory();
    page->claims = wants_claims ? claims_table(&page->table) : NULL;
    return code == CLI_OK && wants_claims ? output_table_check(page->claims) : code;
}

static void put_figures(struct results_page *page)
{
    results_figures_put(page->figures);
    putchar('\n');
    if (page->table.experiment.seed_count > 1)
        cli_print("means over %u seeds; `weir show --points %s` has every point with its interval",
                  page->table.experiment.seed_count, page->path);
    else
        cli_print("`weir show --points %s` has every point in a row of its own", page->path);
}

int results_page_put(struct results_page *page, const char *again)
{
    int code = CLI_OK;
    bool of_a_file = page->view == RESULTS_OF_A_FILE || page->view == RESULTS_BY_POINT;
    if (of_a_file) {
        put_about(&page->table);
        putchar('\n');
        code = run_violations_print(&page->table);
    }
    if (page->points != NULL)
        output_table_put(page->points);
    if (page->figures != NULL)
        put_figures(page);
    if (page->claims != NULL) {
        putchar('\n');
        output_table_put(page->claims);
    }
    if (page->view != RESULTS_OF_ONE)
        put_failures(&page->table, again);
    put_others(&page->table);
    put_mix(&page->mix);
    if (of_a_file)
        return code;
    putchar('\n');
    cli_print("results in %s; `weir report %s` draws them", page->path, page->path);
    return code;
}

void results_page_free(struct results_page *page)
{
    output_table_free(page->points);
    output_table_free(page->claims);
    results_figures_free(page->figures);
    code_mix_free(&page->mix);
    table_free(&page->table);
}

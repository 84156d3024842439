/*
 * decide.c - see decide.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "lab/spread/spread.h"
#include "lab/store/claims.h"

bool decide_is_first(const struct plan *plan, uint32_t run)
{
    return run % plan->experiment.seed_count < plan->experiment.seed_least;
}

/* An open claim, and the points of the sweep that it wants another seed of. */
struct wish {
    const struct claim *claim;
    const struct table *table;
    bool *points; /* [point_count] */
    double spent; /* seconds of its runs beyond the least seeds */
};

/* Of one place where the claim is open: all points of the sweep that its expression looks at there. */
static void add_point(void *context, uint32_t point)
{
    struct wish *wish = context;
    wish->points[point] = true;
}

static void add_place(void *context, const struct position *position)
{
    struct wish *wish = context;
    evaluate_each_point(wish->table, wish->claim->value, position, add_point, wish);
    if (wish->claim->needs != NULL)
        evaluate_each_point(wish->table, wish->claim->needs, position, add_point, wish);
}

struct wishes {
    struct table table;
    struct wish *at;
    uint32_t count;
};

static void free_wishes(struct wishes *wishes)
{
    for (uint32_t i = 0; i < wishes->count; i++)
        free(wishes->at[i].points);
    free(wishes->at);
    table_free(&wishes->table);
}

static void count_spent(struct wish *wish)
{
    const struct experiment *experiment = &wish->table->experiment;
    for (uint32_t run = 0; run < experiment_runs(experiment); run++)
        if (wish->points[run / experiment->seed_count] && run % experiment->seed_count >= experiment->seed_least &&
            wish->table->runs[run].finished)
            wish->spent += wish->table->runs[run].seconds;
}

static int by_spent(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    int order = (x->spent > y->spent) - (x->spent < y->spent);
    return order != 0 ? order : (x->claim > y->claim) - (x->claim < y->claim);
}

/* The claims that are open, those that have had least first. */
static int find_wishes(const struct plan *plan, struct wishes *wishes)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    *wishes = (struct wishes){.count = 0};
    if (!table_load(&wishes->table, plan->database, &status))
        return cli_report(&status);
    const struct experiment *experiment = &wishes->table.experiment;
    wishes->at = calloc(experiment->claim_count + 1, sizeof *wishes->at);
    for (uint32_t i = 0; i < experiment->claim_count && wishes->at != NULL; i++) {
        struct judgement judgement;
        struct wish wish = {&experiment->claims[i], &wishes->table, calloc(experiment->point_count, sizeof(bool)), 0};
        if (wish.points == NULL)
            return cli_error_memory();
        claim_judge_open(&wishes->table, wish.claim, &judgement, add_place, &wish);
        if (judgement.verdict == VERDICT_UNDECIDED) {
            count_spent(&wish);
            wishes->at[wishes->count++] = wish;
        } else {
            free(wish.points);
        }
    }
    if (wishes->at == NULL)
        return cli_error_memory();
    qsort(wishes->at, wishes->count, sizeof *wishes->at, by_spent);
    return CLI_OK;
}

/* The first run of a point that is neither there nor was tried; the number of runs: it has all. */
static uint32_t next_run(const struct table *table, uint32_t point)
{
    const struct experiment *experiment = &table->experiment;
    for (uint32_t seed = 0; seed < experiment->seed_count; seed++) {
        const struct table_run *run = &table->runs[point * experiment->seed_count + seed];
        if (!run->finished && run->failure == NULL)
            return point * experiment->seed_count + seed;
    }
    return experiment_runs(experiment);
}

int decide_next(const struct plan *plan, uint32_t batch, bool *wanted)
{
    struct wishes wishes;
    uint32_t taken = 0;
    memset(wanted, 0, plan->runs * sizeof *wanted);
    int code = find_wishes(plan, &wishes);
    for (uint32_t i = 0; code == CLI_OK && i < wishes.count && taken < batch; i++) {
        for (uint32_t point = 0; point < plan->experiment.point_count; point++) {
            uint32_t run = wishes.at[i].points[point] ? next_run(&wishes.table, point) : plan->runs;
            if (run == plan->runs || wanted[plan->first[run]])
                continue;
            wanted[plan->first[run]] = true;
            taken++;
        }
    }
    free_wishes(&wishes);
    return code;
}

/* Seconds of one core that a seed of the wish takes. */
static double seed_seconds(const struct wish *wish)
{
    const struct experiment *experiment = &wish->table->experiment;
    double all = 0;
    for (uint32_t point = 0; point < experiment->point_count; point++) {
        double sum = 0;
        uint32_t count = 0;
        for (uint32_t seed = 0; wish->points[point] && seed < experiment->seed_count; seed++) {
            const struct table_run *run = &wish->table->runs[point * experiment->seed_count + seed];
            sum += run->finished ? run->seconds : 0;
            count += run->finished;
        }
        all += count > 0 ? sum / count : 0;
    }
    return all;
}

int decide_report(const struct plan *plan)
{
    struct wishes wishes;
    int code = find_wishes(plan, &wishes);
    for (uint32_t i = 0; code == CLI_OK && i < wishes.count; i++) {
        const struct wish *wish = &wishes.at[i];
        struct judgement judgement;
        claim_judge(&wishes.table, wish->claim, &judgement);
        double more = claim_seeds_more(wish->claim, &judgement.ours, &judgement.truth.margin, true);
        if (more > 0 && isfinite(more))
            cli_error(CLI_OK,
                      "%s: %s is undecided; if its mean stays, about %.0f more seeds decide it, %.2g core-hours",
                      plan->database, wish->claim->id, more, more * seed_seconds(wish) / 3600);
        else
            cli_error(CLI_OK, "%s: %s is undecided, and no number of seeds decides it while its mean stays",
                      plan->database, wish->claim->id);
    }
    free_wishes(&wishes);
    return code;
}

int decide_read_budget(void *target, const struct cli_option *option, const char *text)
{
    struct spread_choice *choice = target;
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    char *end;
    double number = strtod(text, &end);
    (void)option;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (end > text && strcmp(end, units[i].name) == 0)
            choice->decide_s = number * units[i].seconds;
    if (!(choice->decide_s > 0) || !isfinite(choice->decide_s))
        return cli_error(CLI_USAGE, "--decide: '%s' is no time of one core (expected one such as 90s, 20min or 2.5h)",
                         text);
    choice->changes.until_decided = true;
    return CLI_OK;
}

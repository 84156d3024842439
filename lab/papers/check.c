/*
 * check.c - what a catalogue and its record lack, before anything is run: see record.h.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lab/papers/record.h"
#include "lab/plan/plan.h"
#include "lib/trace/unpack.h"

static int check_seeds(const struct catalogue_figure *figure)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *what;
    if (figure->full.seed_count >= REPRO_SEEDS_MIN)
        return CLI_OK;
    /* What the seed decides in some run of the figure; null: nothing does. False after an error. */
    char *folder = strndup(figure->path, (size_t)(strrchr(figure->path, '/') - figure->path));
    const struct plan plan = {.files = {folder, trace_unpack}, .experiment = figure->full};
    bool good = folder != NULL || weir_fail_memory(&error);
    what = NULL;
    for (uint32_t point = 0; point < plan.experiment.point_count && good && what == NULL; point++) {
        struct scenario scenario;
        good = plan_scenario(&plan, point * plan.experiment.seed_count, &scenario, &error);
        if (good)
            what = sim_config_draws(&scenario.config);
        scenario_free(&scenario);
    }
    free(folder);
    if (!good)
        return cli_report(&error);
    if (what == NULL)
        return CLI_OK;
    return cli_error(CLI_VIOLATION, "%s: draws %s with %u %s (expected `seeds: %u` or more)", figure->path, what,
                     figure->full.seed_count, figure->full.seed_count == 1 ? "seed" : "seeds", REPRO_SEEDS_MIN);
}

/* Of one claim and what the record says of it: what is still to be done. */
static void warn_claim(const struct catalogue_figure *figure, const struct claim *claim,
                       const struct papers_record *record)
{
    struct papers_claim ours;
    struct papers_figure about = {.seeds = 0};
    if (!papers_record_claim(record, figure->id, claim, &ours) || !papers_record_figure(record, figure->id, &about)) {
        cli_error(CLI_OK, "warning: %s: %s was not run", figure->id, claim->id);
        return;
    }
    if (ours.verdict == VERDICT_MISSED && claim->trial_count < REPRO_TRIALS_MIN)
        cli_error(CLI_OK, "warning: %s: %s is missed with %u of %u tested explanations (`tried`)", figure->id,
                  claim->id, claim->trial_count, REPRO_TRIALS_MIN);
    if (ours.verdict == VERDICT_BEYOND && claim->reason == NULL)
        cli_error(CLI_OK, "warning: %s: %s is beyond the paper without a `reason`", figure->id, claim->id);
    if (ours.verdict == VERDICT_UNDECIDED && about.seeds < REPRO_SEEDS_DECIDE)
        cli_error(CLI_OK, "warning: %s: %s is undecided with %u of %u seeds", figure->id, claim->id, about.seeds,
                  REPRO_SEEDS_DECIDE);
}

int papers_check(const struct catalogue_figure *figure, const struct papers_record *record)
{
    int code = check_seeds(figure);
    for (uint32_t i = 0; record != NULL && i < figure->full.claim_count; i++)
        warn_claim(figure, &figure->full.claims[i], record);
    return code;
}

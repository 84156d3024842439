/*
 * select.c - the runs of a sweep that words of the command line mean: see plan_selection in plan.h.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/plan/plan.h"

#define SEED_AXIS UINT32_MAX

/* A word, understood. */
struct meaning {
    bool id;          /* else a value of an axis */
    const char *text; /* start of the id */
    uint32_t axis;    /* SEED_AXIS: the seed */
    uint64_t value;   /* of the axis; the seed itself */
};

struct select {
    const struct plan *plan;
    const char *option;
    struct meaning meaning[PLAN_WORDS_MAX];
    uint32_t count;
};

/* The places of one run have the same id. */
static int find_id(const struct select *select, const char *word)
{
    const struct plan *plan = select->plan;
    uint32_t found = 0;
    for (uint32_t i = 0; i < plan->runs; i++)
        found += plan->first[i] == i && strncmp(plan->ids[i], word, strlen(word)) == 0;
    if (found == 0)
        return cli_error(CLI_INPUT, "%s: %s has no run '%s' (see 'weir run --list')", select->option, plan->file, word);
    if (found > 1)
        return cli_error(CLI_INPUT, "%s: %u runs of %s start with '%s' (expected more of the id)", select->option,
                         found, plan->file, word);
    return CLI_OK;
}

static int refuse_axis(const struct select *select, const char *word, int length)
{
    const struct experiment *experiment = &select->plan->experiment;
    const char *names[EXPERIMENT_AXES_MAX + 2] = {NULL};
    char typed[64];
    for (uint32_t i = 0; i < experiment->axis_count; i++)
        names[i] = experiment->axes[i].name;
    names[experiment->axis_count] = "seed";
    snprintf(typed, sizeof typed, "%.*s", length, word);
    return cli_error(CLI_INPUT, "%s %s: %s has no axis '%s'%s", select->option, word, select->plan->file, typed,
                     error_hint(typed, names).text);
}

static int find_seed(const struct select *select, const char *word, struct meaning *meaning)
{
    const struct experiment *experiment = &select->plan->experiment;
    char *end;
    meaning->axis = SEED_AXIS;
    meaning->value = strtoull(meaning->text, &end, 10);
    bool good = meaning->text[0] >= '0' && meaning->text[0] <= '9' && *end == '\0' &&
                meaning->value >= experiment->first_seed &&
                meaning->value - experiment->first_seed < experiment->seed_count;
    return good ? CLI_OK
                : cli_error(CLI_INPUT, "%s %s: %s has no such seed (expected %" PRIu64 " to %" PRIu64 ")",
                            select->option, word, select->plan->file, experiment->first_seed,
                            experiment->first_seed + experiment->seed_count - 1);
}

static int find_value(const struct select *select, const char *word, struct meaning *meaning)
{
    const struct experiment *experiment = &select->plan->experiment;
    int length = (int)strcspn(word, "=");
    uint32_t axis = 0, value = 0;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char origin[128];
    meaning->text = word + length + 1;
    if (length == 4 && strncmp(word, "seed", 4) == 0)
        return find_seed(select, word, meaning);
    while (axis < experiment->axis_count && (strncmp(experiment->axes[axis].name, word, (size_t)length) != 0 ||
                                             experiment->axes[axis].name[length] != '\0'))
        axis++;
    if (axis == experiment->axis_count)
        return refuse_axis(select, word, length);
    while (value < experiment->axes[axis].count &&
           strcmp(experiment->axes[axis].values[value].label, meaning->text) != 0)
        value++;
    meaning->axis = axis;
    meaning->value = value;
    if (value < experiment->axes[axis].count)
        return CLI_OK;
    snprintf(origin, sizeof origin, "%s %s", select->option, word);
    axis_refuse_label(&experiment->axes[axis], meaning->text, (struct mark){.origin = origin}, &error);
    return cli_report(&error);
}

/* The words of one axis are alternatives, and so are ids. */
static bool agrees(const struct select *select, uint32_t run, const struct meaning *with)
{
    const struct experiment *experiment = &select->plan->experiment;
    for (uint32_t i = 0; i < select->count; i++) {
        const struct meaning *m = &select->meaning[i];
        if (m->id != with->id || m->axis != with->axis)
            continue;
        if (m->id                  ? strncmp(select->plan->ids[run], m->text, strlen(m->text)) == 0
            : m->axis == SEED_AXIS ? experiment->first_seed + run % experiment->seed_count == m->value
                                   : experiment_value_at(experiment, run / experiment->seed_count, m->axis) == m->value)
            return true;
    }
    return false;
}

int plan_find(const struct plan *plan, const char *option, const struct plan_selection *selection, bool *chosen)
{
    struct select select = {.plan = plan, .option = option, .count = selection->count};
    int code = CLI_OK;
    bool any = false;
    for (uint32_t i = 0; i < select.count && code == CLI_OK; i++) {
        const char *word = selection->word[i];
        select.meaning[i] = (struct meaning){.id = strchr(word, '=') == NULL, .text = word};
        code = select.meaning[i].id ? find_id(&select, word) : find_value(&select, word, &select.meaning[i]);
    }
    for (uint32_t run = 0; run < plan->runs && code == CLI_OK; run++) {
        chosen[run] = true;
        for (uint32_t i = 0; i < select.count && chosen[run]; i++)
            chosen[run] = agrees(&select, run, &select.meaning[i]);
        any = any || chosen[run];
    }
    if (code == CLI_OK && !any)
        code = cli_error(CLI_INPUT, "%s: no run of %s is all of that (see 'weir run --list')", option, plan->file);
    return code;
}

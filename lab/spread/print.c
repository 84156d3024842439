/*
 * print.c - what `weir run` prints instead of running: the effective values as a scenario, the list of runs.
 */
#include <string.h>
#include <unistd.h>

#include "lab/spread/spread.h"
#include "lab/store/code.h"
#include "show/writers/write.h"

/* The sections that effective values of one run do not have; `quick` is only in the file itself. */
static const char *const experiment_keys[] = {"paper", "seeds", "threads", "limits",
                                              "sweep", "quick", "figures", "claims"};

/* Those of the plan, in one map; null: out of memory. */
static struct node *find_sections(const struct plan *plan, struct arena *arena)
{
    struct node *map = node_collection(arena, NODE_MAP);
    bool good = map != NULL;
    for (size_t i = 0; i < sizeof experiment_keys / sizeof experiment_keys[0] && good; i++) {
        const struct node *root = plan->experiment.quick ? plan->experiment.whole : plan->document.root;
        const struct node *section = node_find(root, experiment_keys[i]);
        if (section == NULL)
            continue;
        struct node *copy = arena_take(arena, sizeof *copy);
        if (copy != NULL) {
            *copy = *section;
            copy->next = NULL; /* it is linked to other neighbours here */
        }
        good = node_add_key(map, experiment_keys[i], copy) != NULL;
    }
    return good ? map : NULL;
}

/* Everything is there before the first line of it is printed. */
int spread_print_config(const struct plan *plan)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct arena arena = {.blocks = NULL};
    int code = plan_scenario(plan, 0, &scenario, &error) ? CLI_OK : cli_report(&error);
    const struct node *sections = code == CLI_OK ? find_sections(plan, &arena) : NULL;
    if (code == CLI_OK && sections == NULL)
        code = cli_error_memory();
    if (code == CLI_OK) {
        node_print(scenario.effective, stdout);
        node_print(sections, stdout);
    }
    arena_free(&arena);
    scenario_free(&scenario);
    return code;
}

/* The same run in what is stored; null: it is not there. It mostly has the same number. */
static const struct table_run *stored_run(const struct table *table, const struct plan *plan, uint32_t run)
{
    uint32_t count = table->runs != NULL ? experiment_runs(&table->experiment) : 0;
    if (run < count && strcmp(table->runs[run].id, plan->ids[run]) == 0)
        return &table->runs[run];
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(table->runs[i].id, plan->ids[run]) == 0)
            return &table->runs[i];
    return NULL;
}

static const char *state_of(const struct table_run *known, const char *code)
{
    char name[CODE_NAME_MAX];
    if (known == NULL || !known->finished)
        return known != NULL && known->failure != NULL ? "failed" : "-";
    return code_compare(known->code, code, name) == CODE_SAME ? "done" : "old";
}

int spread_print_list(const struct plan *plan)
{
    static const struct data_column columns[] = {DATA_COLUMN("run", "run", WORD), DATA_COLUMN("state", "state", WORD),
                                                 DATA_COLUMN("what", "what", TEXT)};
    struct table stored = {.runs = NULL};
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    bool there = access(plan->database, F_OK) == 0;
    if (there && !table_load(&stored, plan->database, &status)) {
        table_free(&stored);
        return cli_report(&status);
    }
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t run = 0; run < plan->runs; run++) {
        const struct table_run *known = stored_run(&stored, plan, run);
        char name[256];
        if (plan->chosen != NULL && !plan->chosen[run])
            continue;
        experiment_run_name(&plan->experiment, run, name);
        data_row(frame, cell_text(plan->ids[run]), cell_text(state_of(known, plan->codes[run])), cell_text(name));
    }
    if (there)
        table_free(&stored);
    return write_result(frame, false);
}

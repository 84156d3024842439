/*
 * rows.c - `measure.rows`: training rows for a predictor, from the switches of a run.
 */
#include <inttypes.h>
#include <string.h>

#include "scenario/read/read.h"

static const char *const counters_choices[] = {"real", "virtual", NULL};
static const char *const remove_choices[] = {"tail", "head", NULL};
static const char *const switches_value[] = {"list of switches", NULL};

static const struct key rows_keys[] = {
    {.name = "file",
     .kind = KEY_TEXT,
     .later = true,
     KEY_FIELD(struct scenario_rows, file),
     .min = 1,
     .max = 4096,
     .help = "Where they go, in the current folder: CSV, or CSV in zstd (.zst). Of an experiment of several runs each "
             "writes its own, with its id in the name."},
    {.name = "model",
     .kind = KEY_TEXT,
     .later = true,
     KEY_FIELD(struct scenario_rows, model),
     .min = 1,
     .max = 4096,
     .help = "A forest that is asked about every row and judged by it, beside the scenario: measures `rows.*`. It must "
             "have learnt from the same counters and averages."},
    {.name = "counters",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct scenario_rows, settings.virtual_counters),
     .choices = counters_choices,
     .help = "Whose lengths a row has: of the switch, as the policy shows them, or of the virtual LQD."},
    {.name = "average",
     .kind = KEY_TIME,
     KEY_FIELD(struct scenario_rows, settings.average_ps),
     .min = 1,
     .max = 10 * WEIR_PS_PER_S,
     .help = "Time constant of the averages: `tau` of the policy that will ask."},
    {.name = "remove",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct scenario_rows, settings.heads),
     .choices = remove_choices,
     .help = "What the virtual LQD pushes out of the longest queue."},
    {.name = "switches",
     .kind = KEY_OTHER,
     .later = true,
     .choices = switches_value,
     .help = "Which switches give rows, `[s0, s1]`; by default all."},
};

const struct section rows_section = {
    .name = "rows",
    SECTION_KEYS(struct scenario_rows, rows_keys),
    .initial = &(const struct scenario_rows){.settings = {.average_ps = 24 * WEIR_PS_PER_US}},
    .place = "measure.rows",
    .help = "Training rows for the forests of `weir train`: what LQD would lose, from a virtual LQD beside the policy, "
            "or from the policy where that is lqd.",
};

static bool read_chosen(struct build *build, const struct node *list, struct node *shown)
{
    struct reader *reader = &build->reader;
    bool *chosen = arena_take_array(reader->arena, build->scenario->topology.switches, sizeof *chosen);
    struct node *names = node_collection(reader->arena, NODE_LIST);
    if (!reader_expect(reader, list, NODE_LIST, "switches"))
        return false;
    if (chosen == NULL || names == NULL)
        return weir_fail_memory(reader->error);
    memset(chosen, 0, build->scenario->topology.switches * sizeof *chosen);
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        uint32_t sw;
        if (!reader_expect(reader, item, NODE_SCALAR, "switches") || !read_switch_name(build, item, item->text, &sw))
            return false;
        chosen[sw] = true;
        if (node_add(names, node_scalar(reader->arena, item->text)) == NULL)
            return weir_fail_memory(reader->error);
    }
    build->scenario->rows.settings.chosen = chosen;
    return section_put(reader, shown, "switches", names);
}

/* The forest that the rows judge. */
static bool read_judged(struct build *build, const struct node *map)
{
    struct reader *reader = &build->reader;
    struct scenario_rows *rows = &build->scenario->rows;
    const struct node *at = node_find(map, "model");
    enum forest_counters counters = rows->settings.virtual_counters ? FOREST_COUNTERS_VIRTUAL : FOREST_COUNTERS_REAL;
    if (at == NULL)
        return true;
    rows->forest = read_forest(build, at, &(struct read_image_of){"model", rows->model});
    if (rows->forest == NULL)
        return false;
    bool fits = rows->forest->counters == counters &&
                (rows->forest->average_ps == 0 || rows->forest->average_ps == rows->settings.average_ps);
    return fits || reader_fail(reader, at,
                               "model: learnt from %s counters and averages over %" PRId64 " ps (expected those of the "
                               "rows: %s, %" PRId64 " ps)",
                               forest_counters_name(rows->forest->counters), rows->forest->average_ps,
                               forest_counters_name(counters), rows->settings.average_ps);
}

bool read_rows(struct build *build, const struct node *measure, struct node *shown)
{
    struct reader *reader = &build->reader;
    struct scenario_rows *rows = &build->scenario->rows;
    const struct node *map = node_find(measure, "rows");
    section_defaults(&rows_section, rows, 0);
    if (map == NULL)
        return true;
    if (!section_read(reader, &rows_section, map, 0, rows) || !read_judged(build, map))
        return false;
    struct scenario_rows named = *rows;
    if (rows->model != NULL && (named.model = read_file_path(build, rows->model)) == NULL)
        return weir_fail_memory(reader->error);
    struct node *own = section_show(reader, &rows_section, 0, &named);
    const struct node *switches = node_find(map, "switches");
    return own != NULL ? (switches == NULL || build->no_network || read_chosen(build, switches, own)) &&
                             section_put(reader, shown, "rows", own)
                       : weir_fail_memory(reader->error);
}

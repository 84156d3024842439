/*
 * learning.c - oracles that learn while they are asked (`switch.oracle.online`): they get the training rows of their
 * MMU, and who else wants rows gets them after that.
 */
#include <string.h>

#include "scenario/read/switch_settings.h"

static bool teach_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct scenario_learning *learning = context;
    return learning->of[sw] == NULL || forest_online_take(&learning->of[sw][memory].online, row->feature, row->lost);
}

static bool take_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    const struct scenario_learning *learning = context;
    const struct sim_training *others = learning->others;
    return (others->chosen != NULL && !others->chosen[sw]) || others->take(others->context, sw, memory, row);
}

void learning_begin(const struct scenario *scenario, struct sim_config *config)
{
    struct scenario_learning *learning = scenario->learning;
    const struct sim_training *others = config->training;
    learning->others = others;
    learning->training = scenario->rows.settings;
    learning->training.take = others != NULL ? take_row : NULL;
    learning->training.teach = teach_row;
    learning->training.context = learning;
    learning->training.chosen = learning->chosen;
    for (uint32_t sw = 0; sw < scenario->topology.switches; sw++)
        learning->chosen[sw] =
            learning->of[sw] != NULL || (others != NULL && (others->chosen == NULL || others->chosen[sw]));
    for (uint32_t i = 0; i < scenario->oracle_count; i++)
        if (scenario->oracles[i].learns)
            forest_online_reset(&scenario->oracles[i].online);
    config->training = &learning->training;
}

static bool shows_same(const struct scenario_features *a, const struct scenario_features *b)
{
    return a->average_ps == b->average_ps && a->counters == b->counters;
}

bool learning_check(struct build *build)
{
    struct scenario *scenario = build->scenario;
    const struct mark mark = scenario->switch_mark;
    struct scenario_oracle *first = NULL;
    struct scenario_learning *learning = arena_take(build->reader.arena, sizeof *learning);
    struct scenario_oracle **of = arena_take_array(build->reader.arena, scenario->topology.switches, sizeof *of);
    bool *chosen = arena_take_array(build->reader.arena, scenario->topology.switches, sizeof *chosen);
    if (learning == NULL || of == NULL || chosen == NULL)
        return weir_fail_memory(build->reader.error);
    memset(of, 0, scenario->topology.switches * sizeof *of);
    for (uint32_t i = scenario->oracle_count; i-- > 0;) {
        struct scenario_oracle *oracle = &scenario->oracles[i];
        if (!oracle->learns)
            continue;
        if (first != NULL && !shows_same(&first->shows, &oracle->shows))
            return error_at(build->reader.error, mark,
                            "oracle: policies that learn online show averages over different times, or other counters "
                            "(expected one 'tau' and 'counters')");
        first = oracle;
        of[oracle->sw] = oracle; /* the last to be seen is of MMU 0 */
    }
    if (first == NULL)
        return true;
    if (scenario->testbed.use)
        return error_at(build->reader.error, mark, READ_UNTAUGHT);
    if (scenario->slot.has)
        return error_at(build->reader.error, mark,
                        "oracle: 'online' learns in the simulator, not in the slotted model (expected no 'slot')");
    *learning = (struct scenario_learning){.of = of, .chosen = chosen};
    scenario->learning = learning;
    /* Rows are as the policies show them: `measure.rows` may say so, too, but nothing else. */
    const struct scenario_features *shows = &first->shows;
    struct sim_training *rows = &build->scenario->rows.settings;
    const struct node *measure = node_find(build->root, "measure");
    const struct node *map = measure != NULL ? node_find(measure, "rows") : NULL;
    const struct scenario_features asked = {rows->average_ps,
                                            rows->virtual_counters ? FOREST_COUNTERS_VIRTUAL : FOREST_COUNTERS_REAL};
    if (map != NULL && (rows->heads || !shows_same(&asked, shows)))
        return reader_fail(
            &build->reader, map,
            "rows: an oracle learns from them (expected 'counters', 'average' and 'remove' as the policy "
            "shows them: %s, %lld ps, tail)",
            forest_counters_name(shows->counters), (long long)shows->average_ps);
    rows->average_ps = shows->average_ps;
    rows->virtual_counters = shows->counters == FOREST_COUNTERS_VIRTUAL;
    return true;
}

/*
 * look.c - the colours of values. DT is blue wherever it is drawn, so that two charts, of one file or of two, can be
 * read together. There are fewer colours than policies: those that papers compare have one of their own.
 */
#include <string.h>

#include "show/charts/charts.h"

#define COLOUR_NONE CHART_COLOURS
#define VALUES_MAX 64u

/* Policies that stand in one chart differ; headroom schemes stand in others. */
static const struct {
    const char *policy;
    uint32_t colour;
} own_colours[] = {
    {"dt", 0},  {"occamy", 1},   {"tdt", 2}, {"lqd", 3}, {"edt", 4},      {"cs", 5},
    {"abm", 6}, {"credence", 7}, {"sih", 0}, {"dsh", 1}, {"adaptive", 2}, {"oversubscribed", 3},
};

/* COLOUR_NONE: any. */
static uint32_t own_colour(const struct axis *axis, uint32_t value)
{
    for (uint32_t p = 0; p < axis->path_count; p++) {
        const struct node *node = axis->values[value].nodes[p];
        const struct node *name = node->kind == NODE_MAP ? node_find(node, "name") : node;
        for (size_t i = 0; name != NULL && name->kind == NODE_SCALAR && i < sizeof own_colours / sizeof own_colours[0];
             i++)
            if (experiment_path_is_policy(axis->paths[p]) && strcmp(name->text, own_colours[i].policy) == 0)
                return own_colours[i].colour;
    }
    return COLOUR_NONE;
}

struct charts_look charts_look(const struct experiment *experiment, uint32_t axis, uint32_t value)
{
    if (axis == FIGURE_NO_AXIS || experiment->axes[axis].count > VALUES_MAX)
        return (struct charts_look){value % CHART_COLOURS, value / CHART_COLOURS};
    const struct axis *values = &experiment->axes[axis];
    uint32_t colours[VALUES_MAX], used[CHART_COLOURS + 1] = {0};
    for (uint32_t v = 0; v < values->count; v++) {
        colours[v] = own_colour(values, v);
        if (used[colours[v]]++ > 0) /* a second DT, with another alpha */
            colours[v] = COLOUR_NONE;
    }
    used[COLOUR_NONE] = 0;
    for (uint32_t c = 0; c < CHART_COLOURS; c++)
        used[c] = used[c] > 0;
    for (uint32_t v = 0; v < values->count; v++) {
        if (colours[v] != COLOUR_NONE)
            continue;
        uint32_t least = 0;
        for (uint32_t c = 1; c < CHART_COLOURS; c++)
            least = used[c] < used[least] ? c : least;
        colours[v] = least;
        used[least]++;
    }
    struct charts_look look = {colours[value], 0};
    for (uint32_t v = 0; v < value; v++)
        look.repeat += colours[v] == look.colour;
    return look;
}

/*
 * measure_names.c - the names of results that an experiment uses, so that code that knows the names of measures can
 * find a misspelled one before the first run. See experiment.h.
 */
#include "scenario/experiment/experiment.h"

struct walk {
    experiment_visit *visit;
    void *context;
    struct mark mark;
};

static bool walk_expression(const struct walk *walk, const struct expression *e)
{
    if (e == NULL)
        return true;
    if (e->kind == EXPRESSION_MEASURE)
        return walk->visit(walk->context, &(struct experiment_measure){e->name, false, walk->mark});
    return walk_expression(walk, e->left) && walk_expression(walk, e->right);
}

static bool walk_figure(const struct walk *walk, const struct figure *figure)
{
    if (figure->kind == FIGURE_CDF)
        return walk->visit(walk->context, &(struct experiment_measure){figure->curve, true, walk->mark});
    return walk_expression(walk, figure->y);
}

bool experiment_each_measure(const struct experiment *experiment, experiment_visit *visit, void *context)
{
    bool going = true;
    for (uint32_t i = 0; i < experiment->figure_count && going; i++) {
        const struct walk walk = {visit, context, experiment->figures[i].value_mark};
        going = walk_figure(&walk, &experiment->figures[i]);
    }
    for (uint32_t i = 0; i < experiment->claim_count && going; i++) {
        const struct walk walk = {visit, context, experiment->claims[i].value_mark};
        going = walk_expression(&walk, experiment->claims[i].value);
    }
    return going;
}

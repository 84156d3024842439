/*
 * select.c - which runs stand behind a point of a chart, and the sentences that say so.
 */
#include <string.h>

#include "show/charts/charts.h"

static uint32_t axis_bit(uint32_t axis)
{
    return axis == FIGURE_NO_AXIS ? 0 : UINT32_C(1) << axis;
}

bool select_start(struct selection *selection, const struct experiment *experiment, const struct figure *figure,
                  uint32_t relevant)
{
    *selection = (struct selection){.experiment = experiment};
    uint32_t held = axis_bit(figure->x) | axis_bit(figure->lines) | axis_bit(figure->dashes);
    for (uint32_t i = 0; i < figure->where_count; i++) {
        const struct pin *pin = &figure->where[i];
        if (pin->value >= experiment->axes[pin->axis].count)
            return false;
        selection->position.at[pin->axis] = pin->value;
        held |= axis_bit(pin->axis);
    }
    selection->free = relevant & ~held & (uint32_t)((UINT64_C(1) << experiment->axis_count) - 1);
    return true;
}

bool select_next(struct selection *selection)
{
    for (uint32_t axis = selection->experiment->axis_count; axis-- > 0;) {
        if ((selection->free & axis_bit(axis)) == 0)
            continue;
        if (++selection->position.at[axis] < selection->experiment->axes[axis].count)
            return true;
        selection->position.at[axis] = 0;
    }
    return false;
}

uint32_t select_run(const struct selection *selection)
{
    uint32_t point = 0;
    for (uint32_t axis = 0; axis < selection->experiment->axis_count; axis++)
        point = point * selection->experiment->axes[axis].count + selection->position.at[axis];
    return point * selection->experiment->seed_count + selection->position.seed;
}

/* "load and size": the names of the axes in `bits`; null: out of memory. */
static const char *axes_names(struct charts_builder *builder, uint32_t bits)
{
    const struct experiment *experiment = &builder->table->experiment;
    const char *names = "";
    for (uint32_t axis = 0; names != NULL && axis < experiment->axis_count; axis++) {
        if ((bits & axis_bit(axis)) != 0)
            names = charts_text(builder, "%s%s%s", names, names[0] != '\0' ? " and " : "", experiment->axes[axis].name);
    }
    return names;
}

const char *charts_without(struct charts_builder *builder, const char *before, uint32_t already, const char *label)
{
    if (already > 0)
        return charts_text(builder, "%s, %s", before, label);
    return charts_text(builder, "%s%sWithout a value: %s", before, before[0] != '\0' ? " " : "", label);
}

const char *charts_note(struct charts_builder *builder, const struct figure *figure, uint32_t averaged, const char *how)
{
    /* "size=80% buffer, load=0.9"; null: out of memory. */
    const char *text = "";
    for (uint32_t i = 0; text != NULL && i < figure->where_count; i++) {
        const struct axis *axis = &builder->table->experiment.axes[figure->where[i].axis];
        text = charts_text(builder, "%s%s%s=%s", text, i > 0 ? ", " : "", axis->name,
                           axis->values[figure->where[i].value].label);
    }
    const char *own = figure->note != NULL ? figure->note : "", *pins = text;
    const char *names = axes_names(builder, averaged), *stop = "";
    if (pins == NULL || names == NULL)
        return NULL;
    if (own[0] != '\0')
        stop = strchr(".!?", own[strlen(own) - 1]) != NULL ? " " : ". ";
    const char *over = figure->kind == FIGURE_CDF ? "Merged over " : "Mean over ";
    return charts_text(builder, "%s%s%s%s%s%s%s%s%s", own, stop, pins[0] != '\0' ? "At " : "", pins,
                       pins[0] != '\0' ? ". " : "", names[0] != '\0' ? over : "", names, names[0] != '\0' ? ". " : "",
                       how);
}

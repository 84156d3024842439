/*
 * charts.h - the parts of report_charts_make: one function per kind of figure, and what they share. charts.c holds them
 * together.
 */
#ifndef SHOW_CHARTS_CHARTS_H
#define SHOW_CHARTS_CHARTS_H

#include "show/charts/report.h"

struct charts_builder {
    struct report_charts *out;
    const struct table *table;
    struct table_curves *curves;
    struct weir_error *status;
};

/* A text in the arena; null: out of memory. */
const char *charts_text(struct charts_builder *builder, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False, with the error of missing memory noted. */
bool charts_no_memory(struct charts_builder *builder);

/* False, with the error of a curve that table_curve could not give. */
bool charts_no_curve(struct charts_builder *builder);

/* The next chart, with the titles of the figure; there is room for it. */
struct chart *charts_add(struct charts_builder *builder, const struct figure *figure);

/* A line with room for `count` points; false: out of memory. */
bool charts_line(struct charts_builder *builder, struct chart_line *line, uint32_t count, bool intervals);

/* One chart of a figure each; charts_add_evolution: one per value of `lines`. */
bool charts_add_sweep(struct charts_builder *builder, const struct figure *figure);
bool charts_add_cdf(struct charts_builder *builder, const struct figure *figure);
bool charts_add_evolution(struct charts_builder *builder, const struct figure *figure);

/* The usual figures of an experiment that names none; false: out of memory. */
bool charts_usual_figures(struct charts_builder *builder, const struct figure **figures, uint32_t *count);

/*
 * The runs that one point of a chart is made of: the axes shown are at `position`, the pinned ones at their pin, and
 * `free` are walked over. Start, use position, next, until next is false; position is then as at the start.
 */
struct selection {
    const struct experiment *experiment;
    struct position position;
    uint32_t free; /* bits: axes that are walked over */
};

/* `relevant`: bits of the axes that matter at all. False: the figure holds a value that this size does not have. */
bool select_start(struct selection *selection, const struct experiment *experiment, const struct figure *figure,
                  uint32_t relevant);
bool select_next(struct selection *selection);
uint32_t select_run(const struct selection *selection);

/* "At load=0.9. Mean over size." and what else is to be known; null: out of memory. */
const char *charts_note(struct charts_builder *builder, const struct figure *figure, uint32_t averaged,
                        const char *how);

/* "burst: mean query completion time" of "burst.qct.mean"; a name without words stays. Null: out of memory. */
const char *charts_words(struct charts_builder *builder, const char *name);

/* The same without the tag, whose length goes to *tag: "mean query completion time". A range of sizes counts as part of
 * the tag. */
const char *charts_quantity(struct charts_builder *builder, const char *name, size_t *tag);

/* "Without a value: CS, EDT" behind `before`; `already`: how many of them it has. Null: out of memory. */
const char *charts_without(struct charts_builder *builder, const char *before, uint32_t already, const char *label);

/* What logarithmic axes cannot show. */
struct charts_log {
    bool x_linear, y_linear; /* were to be logarithmic, and have nothing above zero */
    uint32_t left_out;       /* points */
    bool at_edge;            /* they are drawn, at the edge: distributions begin there */
};
struct charts_log charts_log_settle(struct chart *chart); /* once the numbers are there */
const char *charts_log_note(struct charts_builder *builder, const struct charts_log *log, const char *before);

/* What the signs at points mean, behind `before`; null: out of memory. */
const char *charts_censoring_note(struct charts_builder *builder, const struct chart *chart, const char *before);

/* Whether an expression is better when it is lower or higher, as far as its measures tell. */
enum chart_better charts_better(const struct expression *expression);

/* Makes chart->finding, once the numbers are there and scaled; false: out of memory. */
bool charts_find(struct charts_builder *builder, struct chart *chart);

/* How a value of an axis looks, in all charts and files: the common policies have a colour each, other values take what
 * is free, in their order. `repeat` counts the values before it that have the same colour. Axis FIGURE_NO_AXIS: by
 * number. */
struct charts_look {
    uint32_t colour, repeat;
};
struct charts_look charts_look(const struct experiment *experiment, uint32_t axis, uint32_t value);

/* Chooses a unit for the numbers of an axis and scales them; a title that ends in "(ms)" chooses it. */
struct charts_axis_unit {
    const char *unit;  /* "s", "B", "bit/s", "1" */
    const char *title; /* without unit, or with one of that kind */
};
bool charts_names_unit(const char *unit, const char *title); /* true: the title chooses a unit of this kind */
bool charts_scale_y(struct charts_builder *builder, struct chart *charts, uint32_t count, struct charts_axis_unit axis);
bool charts_scale_x(struct charts_builder *builder, struct chart *charts, uint32_t count, struct charts_axis_unit axis);

/* The ticks that the scenario wants along x, where numbers stay as labels have them: "80" of "80% buffer". */
bool charts_tick_x(struct charts_builder *builder, struct chart *chart, const char *suffix);

#endif

/*
 * slot_curve.h - the result of `weir slot fig14`: one curve over the probability of false predictions, as a table, CSV
 * or JSON. A curve of one seed has no intervals: "-", an empty field, null.
 */
#ifndef WEIR_SLOT_CURVE_H
#define WEIR_SLOT_CURVE_H

#include "cli/output.h"
#include "slot/fig14.h"

/* Each null when memory is short. */
struct output_table *slot_curve_table(const struct slot_fig14_config *config, const struct slot_fig14 *f);
json_t *slot_curve_json(const struct slot_fig14_config *config, const struct slot_fig14 *f);

void slot_curve_put_heading(const struct slot_fig14_config *config);
void slot_curve_put_conclusion(const struct slot_fig14 *f);

void slot_curve_put_csv_heading(FILE *out);
void slot_curve_put_csv(const struct slot_fig14_config *config, const struct slot_fig14 *f, FILE *out);

#endif

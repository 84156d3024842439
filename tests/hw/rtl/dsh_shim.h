/*
 * dsh_shim.h - the library's estimator for a harness in C++, which cannot read lib/policies/dsh_estimate.h (C11's
 * _Alignas).
 */
#ifndef TESTS_RTL_DSH_SHIM_H
#define TESTS_RTL_DSH_SHIM_H

#include <stdint.h>

struct dsh_shim;

/* Cells of 200 B at 100 Gb/s, table arithmetic, gains of 1/4 and k = 4. */
struct dsh_shim *dsh_shim_new(int64_t headroom_cells);

/* Phi after an arrival. */
int64_t dsh_shim_update(struct dsh_shim *shim, int64_t length_cells, int64_t now_ps);

/* What the RTL needs to know of the port: LOG2_CELL. */
int64_t dsh_shim_log2_cell(const struct dsh_shim *shim);

#endif

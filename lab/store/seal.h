/*
 * seal.h - checksums of what is stored, in the table seal(run, name, sum): one per run over all its rows (name ''), one
 * per curve (its name), and one over experiment, place and label (run ''). A row that was changed, removed or added by
 * anything but the store no longer fits. They find damage and edits; whoever means to deceive can make new ones.
 *
 * Sums of curves are part of the sum of their run. Points are only looked at when a curve is read: they are large.
 */
#ifndef LAB_STORE_SEAL_H
#define LAB_STORE_SEAL_H

#include <sqlite3.h>

#include "lab/store/store.h"

enum seal_statement {
    SEAL_RUN,
    SEAL_COST,
    SEAL_FAILURE,
    SEAL_MEASURES,
    SEAL_CURVE_SUMS,
    SEAL_CURVES,
    SEAL_EXPERIMENT,
    SEAL_PLACES,
    SEAL_LABELS,
    SEAL_FIND,
    SEAL_PUT,
    SEAL_DROP,
    SEAL_ALL,
    SEAL_RUNS,
    SEAL_LOOSE,
    SEAL_STATEMENTS
};

/* Within the transaction that changed the rows. False after an error of SQLite. A run without rows gets no seal. */
bool seal_run(struct store *store, const char *run);
bool seal_plan(struct store *store);
bool seal_everything(struct store *store); /* of a file without seals */

/* False after an error: of SQLite, or the file is damaged. */
bool seal_check_run(struct store *store, const char *run, struct weir_error *status);
bool seal_check_all(struct store *store, struct weir_error *status);

/* x_unit, y_unit and points from column `first` on, and behind them the sum that was stored. */
#define SEAL_CURVE_COLUMNS 3
bool seal_check_curve(struct store *store, sqlite3_stmt *row, int first, struct weir_error *status);

#endif

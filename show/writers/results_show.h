/*
 * results_show.h - a database of results as tables on a terminal: a row per point of the sweep, or a table per
 * figure when that is too much, the claims with their verdicts, the runs that failed. What `weir run` prints at its end
 * and `weir show` at any time.
 */
#ifndef SHOW_WRITERS_RESULTS_SHOW_H
#define SHOW_WRITERS_RESULTS_SHOW_H

#include "cli/data_frame.h"
#include "lab/store/claims.h"
#include "lab/store/code.h"

enum results_view {
    RESULTS_OF_A_RUN,  /* after a sweep: points, claims, failures */
    RESULTS_OF_ONE,    /* after a single run, which is shown itself: claims */
    RESULTS_OF_A_FILE, /* the same as after a sweep, and what the file is about */
    RESULTS_BY_POINT   /* the same, but never figure by figure */
};

/* "done", "failed" or "missing". */
const char *results_state(const struct table_run *run);

/* The values that tell most, as columns: those that figures draw, else completion times and losses. */
#define RESULTS_COLUMNS_MAX 6u
struct results_columns {
    struct data_column columns[EXPERIMENT_AXES_MAX + RESULTS_COLUMNS_MAX];
    char heading[RESULTS_COLUMNS_MAX][40];
    struct expression measure[RESULTS_COLUMNS_MAX]; /* where there are no figures */
    const struct expression *value[RESULTS_COLUMNS_MAX];
    enum unfinished unfinished[RESULTS_COLUMNS_MAX]; /* as the figure says */
    uint32_t count;                                  /* without the axes */
};
void results_columns_find(struct results_columns *columns, const struct table *table);

/* What every experiment shows beside them, without being asked: what did not finish, where something did not; pauses,
 * headroom and losses, where classes are lossless. False: the runs have none of it. */
enum results_beside { RESULTS_UNFINISHED, RESULTS_LOSSLESS, RESULTS_BESIDE };
bool results_columns_beside(struct results_columns *columns, const struct table *table, enum results_beside which);

/* Signs in front of and behind numbers that need a legend. */
struct results_marks {
    bool used[CENSORING_PARTIAL + 1];
};

/* The figures of a sweep as tables, instead of one row per point. Null: there is none that a table can show, or an
 * error, which sets *code. `relative`: numbers are over those of this line; null: as they are. Free either way. */
struct results_figures;
struct results_figures *results_figures_make(const struct table *table, const char *relative, int *code);
void results_figures_put(struct results_figures *figures, struct results_marks *marks);
void results_figures_free(struct results_figures *figures);

/* The claims with their verdicts; notes which marks it has. */
struct data_frame *results_claims_frame(const struct table *table, struct results_marks *marks);

/* All that is printed, made before the first line of it is. */
struct results_page {
    enum results_view view;
    bool relative; /* numbers are multiples of one line's */
    struct table table;
    struct results_columns columns, beside_columns[RESULTS_BESIDE];
    struct data_frame *points, *claims, *beside[RESULTS_BESIDE]; /* null: none */
    struct results_figures *figures;                             /* instead of points and beside; null: none */
    struct results_marks marks;
    struct code_mix mix;
};

/* An exit code; release with results_page_free either way. The other one shows figures relative to one of their lines.
 */
int results_page_make(struct results_page *page, const char *path, enum results_view view);
int results_page_make_relative(struct results_page *page, const char *path, const char *relative);

/* `again` is the command that makes these runs, for failures; null: as the file knows it. What is shown of a file says
 * first what must not have happened in its runs; then the result is CLI_VIOLATION, else CLI_OK. */
int results_page_put(struct results_page *page, const char *again);
void results_page_free(struct results_page *page);

/* Where results go to another program or a chart: says on standard error which runs different code made. */
int results_warn_mix(const struct table *table);

#endif

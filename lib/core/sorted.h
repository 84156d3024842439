/*
 * sorted.h - the accounts of lossy classes sorted by their share of the shared pool, longest first.
 *
 * Kept for the policies that need ranks. Equal accounts form a run, and a growing or shrinking account passes a whole
 * run at once: the run's nearest account takes the far end of it and the others stay. So a change costs the
 * number of different lengths passed, not the number of accounts. Within a run the order is arbitrary, and the same
 * in every run of the program.
 */
#ifndef WEIR_SORTED_H
#define WEIR_SORTED_H

#include "weir/view.h"

struct weir_sorted {
    uint32_t *order;           /* [rank] -> account index; null: ranks are not kept */
    uint32_t *run_of;          /* [account] -> its run */
    uint32_t *rank_of;         /* [account] -> its rank */
    struct weir_rank_run *run; /* [accounts + 1] */
    uint32_t free_run;         /* first of the unused runs, linked through `first` */
    uint32_t count;            /* ranked accounts */
};

/* All accounts of lossy classes, empty; the arrays are in place. */
void weir_sorted_init(struct weir_sorted *sorted, const struct weir_geometry *geometry);

/* The account now has this many shared cells: puts it where it belongs. */
void weir_sorted_update(struct weir_sorted *sorted, weir_account account, weir_cells length);

#endif

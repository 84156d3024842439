/*
 * table1.h - Table 1 of the Credence paper: for each algorithm the competitive ratio the paper states, and the worst
 * ratio found here.
 *
 * For N = 2, 3, 4, 8, 16, 32 every adversary of traffic.h and the Poisson bursts run against every algorithm with
 * B = 16 N, with at most N arrivals per slot (the paper's model) and without that limit. For N = 2 and 3 all tiny
 * sequences are tried as well, up to N = 8 hill climbing. Buffers hold at least N packets: below that Harmonic and DT
 * with a small alpha refuse everything, and no ratio exists.
 */
#ifndef SLOT_TABLE1_H
#define SLOT_TABLE1_H

#include "progress.h"
#include "search.h"

#define SLOT_TABLE1_ALGORITHMS 8u
#define SLOT_TABLE1_SIZES 6u

struct slot_table1_row {
    const char *algorithm;
    const char *formula; /* of the paper's ratio */
    uint32_t ports;
    double bound; /* the formula's value; 0 where only the growth is known */
    struct slot_worst worst;
    bool broken; /* worst found above the bound */
};

struct slot_table1 {
    struct slot_table1_row row[SLOT_TABLE1_ALGORITHMS][SLOT_TABLE1_SIZES]; /* by algorithm, then by ports */
    uint32_t sizes;                                                        /* numbers of ports in it */
};

/* `quick`: at most 8 ports and smaller searches, for a look in a few seconds. */
enum weir_error_code slot_table1_fill(struct slot_table1 *table, bool quick, const struct slot_progress *progress);

#endif

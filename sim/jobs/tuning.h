/*
 * tuning.h - which algorithm a collective takes, by what it is, its bytes, ranks and servers, from a text as NCCL's
 * tuner plug-in reads it:
 *
 *   # collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks
 *   allreduce,0,65536,tree,simple,-1,-1,-1
 *   allreduce,65537,-1,ring,simple,8,-1,-1
 *
 * The first line that fits decides; -1 fits everything. Channels are parts that the vector is cut into (`chunks`), -1:
 * as otherwise. The protocol has no meaning here, nor have two more fields that NCCL knows. Names are NCCL's (tree is
 * double-tree) or those of collective.h; lines for what is not here, as nvls, are refused.
 */
#ifndef JOBS_TUNING_H
#define JOBS_TUNING_H

#include "sim/jobs/collective.h"

struct tuning_line {
    enum collective_operation operation;
    enum collective_algorithm algorithm;
    uint64_t min_bytes, max_bytes;
    uint32_t chunks, nodes, ranks; /* 0: as otherwise; of any number */
};

/* Starts as all zeros. */
struct tuning {
    struct tuning_line *lines;
    uint32_t count;
};

/* False with an error, which names the line. */
bool tuning_read(struct tuning *tuning, const char *text, size_t size, struct weir_error *error);
void tuning_free(struct tuning *tuning);

/* How the collectives of a job are done that says only what they are. */
struct collective_choice {
    struct collective usual;     /* chunks, window, group; the algorithm of all-reduces */
    const struct tuning *tuning; /* null: none */
    uint32_t server;             /* ranks of a server, which follow each other; 0: 1 */
};

/* Sets algorithm, chunks, window and group, and gives every part at least a byte. False: these members cannot do it so.
 */
bool collective_choose(struct collective *collective, const struct collective_choice *choice,
                       const struct collective_members *members, struct weir_error *error);

#endif

/*
 * courier.h - the process that speaks MPI for another one (cluster.h), and the frames between the two.
 */
#ifndef LAB_MPI_COURIER_H
#define LAB_MPI_COURIER_H

#include "lab/mpi/cluster.h"

/* A frame on the socket between the two: a head, and `size` bytes. */
enum frame_kind {
    FRAME_MESSAGE, /* to or from `rank` */
    FRAME_BATCH,   /* likewise, of an exchange: the number of the round, then its bytes */
    FRAME_LOST,    /* to the process: `rank` */
    FRAME_END,     /* from the process: it ends, with exit status `rank` */
    FRAME_BROKEN   /* from the process: it ends, and the job is no more */
};

struct frame_head {
    uint32_t kind, rank;
    uint64_t size;
};

/* In the child: carries messages of `process`, its parent, until the job ends. `module` is the path of the module; the
 * link is of its own. */
void courier_run(const struct cluster *cluster, const char *module, int link, pid_t process) __attribute__((noreturn));

/* All of it; false: the other end is gone. */
bool frame_write(int link, const struct frame_head *head, const void *bytes);

#endif

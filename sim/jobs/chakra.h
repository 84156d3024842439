/*
 * chakra.h - Chakra execution traces (mlcommons/chakra, et_def.proto) as a job. A trace is a file for each rank:
 * protobuf messages, each with its length in front; the first is about the file, the others are nodes.
 *
 *   COMP, MEM_LOAD, MEM_STORE   calc of duration_micros, at least 1 ns; on cpu 0 with is_cpu_op, else on cpu 1
 *   COMM_SEND, COMM_RECV        a message of comm_size bytes, comm_tag, to comm_dst or from comm_src; cpu 2
 *   COMM_COLL                   the collective comm_type of comm_size bytes among the process group pg_name; cpu 2
 *   METADATA                    names process groups; else, and INVALID, nothing that takes time
 *
 * A COMM_ node with is_cpu_op that does not say what is sent is the launch of one that does, and is computation.
 *
 * A node begins after all nodes that its ctrl_deps and data_deps name. The n-th collective of a group at one member is
 * the n-th at every other one. Attributes that are not named above are skipped; numbers may have any width.
 */
#ifndef JOBS_CHAKRA_H
#define JOBS_CHAKRA_H

#include "sim/jobs/tuning.h"

/* The file of one rank. */
struct chakra_file {
    const unsigned char *bytes;
    size_t size;
};

/* An image (malloc), not yet checked. Null with an error; *wrong is then the rank whose file it is. */
unsigned char *chakra_to_goal(const struct chakra_file *files, uint32_t ranks, const struct collective_choice *choice,
                              size_t *size, uint32_t *wrong, struct weir_error *error);

#endif

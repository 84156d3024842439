/*
 * trace.h - a trace of one MMU of the running switch, to a file for `weir replay`. The packet path only
 * copies into a ring in memory; the main thread compresses and writes. When it does not keep up, the trace fails and
 * says so, and the switch goes on.
 */
#ifndef CONTROL_TRACE_H
#define CONTROL_TRACE_H

#include <stdatomic.h>

#include "lib/trace/file.h"
#include "switch/dpdk/dataplane.h"

#define SWITCH_TRACE_RING_BYTES ((size_t)16 << 20) /* a power of two: some 300 ms at 5 million packets per second */

/* Must not move while it is active. */
struct switch_trace {
    bool active;
    uint32_t memory;
    char *path;               /* of the trace that is being written, or of the last one */
    const char *failure;      /* why the last one failed; null: it did not */
    struct weir_trace trace;  /* what the switch writes to */
    uint8_t *buffer, *ring;   /* of `trace`; bytes on their way to the file */
    atomic_size_t put, taken; /* bytes ever put into the ring, and taken out of it */
    atomic_bool overflowed;
    struct trace_writer writer;
};

/* Begins; the buffer of a running switch must be empty once within `patience_ps`. False with one line in `error`. */
bool switch_trace_start(struct switch_trace *trace, struct dataplane *dataplane, uint32_t memory, const char *path,
                        struct weir_error *error);

/* Writes what has come; to be called often. A trace that fails is reported on stderr and given up. */
void switch_trace_drain(struct switch_trace *trace, struct dataplane *dataplane);

/* Ends it: the file appears. False with one line in `error`. */
bool switch_trace_stop(struct switch_trace *trace, struct dataplane *dataplane, struct weir_error *error);

void switch_trace_free(struct switch_trace *trace);

#endif

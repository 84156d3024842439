/*
 * trace.c - see trace.h.
 */
#include "switch/control/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

#define RING_BYTES SWITCH_TRACE_RING_BYTES
#define PATIENCE_PS (2 * WEIR_PS_PER_S)

/* In the packet path, where one processor at a time holds the MMU's lock. */
static bool ring_put(void *context, const uint8_t *bytes, size_t count)
{
    struct switch_trace *trace = context;
    size_t put = atomic_load_explicit(&trace->put, memory_order_relaxed);
    size_t used = put - atomic_load_explicit(&trace->taken, memory_order_acquire);
    if (RING_BYTES - used < count) {
        atomic_store_explicit(&trace->overflowed, true, memory_order_relaxed);
        return false;
    }
    size_t at = put % RING_BYTES, first = RING_BYTES - at < count ? RING_BYTES - at : count;
    memcpy(trace->ring + at, bytes, first);
    memcpy(trace->ring, bytes + first, count - first);
    atomic_store_explicit(&trace->put, put + count, memory_order_release);
    return true;
}

/* To the file, without waiting for more. */
static bool ring_take(struct switch_trace *trace)
{
    size_t taken = atomic_load_explicit(&trace->taken, memory_order_relaxed);
    size_t put = atomic_load_explicit(&trace->put, memory_order_acquire);
    while (taken < put) {
        size_t at = taken % RING_BYTES, count = put - taken < RING_BYTES - at ? put - taken : RING_BYTES - at;
        if (!trace_writer_put(&trace->writer, trace->ring + at, count))
            return false;
        taken += count;
        atomic_store_explicit(&trace->taken, taken, memory_order_release);
    }
    return true;
}

static bool fail(struct weir_error *error, const char *path, const char *what)
{
    return weir_fail(error, WEIR_ERROR_INPUT, "trace: %.160s: %s", path, what);
}

/* Memory is taken once and kept for the next trace. */
static bool take_memory(struct switch_trace *trace)
{
    if (trace->ring == NULL) {
        trace->ring = malloc(RING_BYTES);
        if (trace->ring != NULL)
            memset(trace->ring, 0xff, RING_BYTES); /* so that the packet path meets no page for the first time */
    }
    if (trace->buffer == NULL)
        trace->buffer = malloc(WEIR_TRACE_BUFFER_MIN);
    return trace->ring != NULL && trace->buffer != NULL;
}

static void ring_reset(struct switch_trace *trace, size_t taken)
{
    atomic_store(&trace->put, taken);
    atomic_store(&trace->taken, taken);
    atomic_store(&trace->overflowed, false);
}

/* 0, or an errno. Opening a pipe would wait for its reader, and the switch could not be asked meanwhile. */
static int open_file(struct switch_trace *trace, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode))
        return ESPIPE;
    return trace_writer_open(&trace->writer, path);
}

bool switch_trace_start(struct switch_trace *trace, struct dataplane *dataplane, uint32_t memory, const char *path,
                        struct weir_error *error)
{
    if (trace->active)
        return fail(error, trace->path, "is being written already (expected 'trace stop' first)");
    if (memory >= dataplane_memories(dataplane))
        return weir_fail(error, WEIR_ERROR_INPUT, "trace: no MMU %u (expected 0 to %u)", memory,
                         dataplane_memories(dataplane) - 1);
    char *own = strdup(path);
    int problem = own != NULL && take_memory(trace) ? open_file(trace, path) : ENOMEM;
    if (problem != 0) {
        free(own);
        return weir_fail(error, WEIR_ERROR_INPUT, "trace: %.160s: cannot write: %s", path, strerror(problem));
    }
    size_t last_bytes = atomic_load(&trace->taken);
    ring_reset(trace, 0);
    trace->trace = (struct weir_trace){
        .buffer = trace->buffer, .size = WEIR_TRACE_BUFFER_MIN, .flush = ring_put, .context = trace};
    if (!dataplane_trace_begin(dataplane, memory, &trace->trace, PATIENCE_PS, error)) {
        trace_writer_discard(&trace->writer);
        free(own);
        ring_reset(trace, last_bytes); /* of the last trace, which is still the last one */
        return false;
    }
    free(trace->path);
    trace->path = own;
    trace->failure = NULL;
    trace->memory = memory;
    trace->active = true;
    return true;
}

static void give_up(struct switch_trace *trace, const char *why)
{
    trace_writer_discard(&trace->writer);
    trace->active = false;
    trace->failure = why;
}

void switch_trace_drain(struct switch_trace *trace, struct dataplane *dataplane)
{
    if (!trace->active)
        return;
    bool overflowed = atomic_load(&trace->overflowed);
    if (ring_take(trace) && !overflowed)
        return;
    dataplane_trace_end(dataplane, trace->memory);
    give_up(trace, overflowed ? "packets came faster than the trace could be written" : "the file cannot be written");
    cli_error(CLI_INTERNAL, "trace: %s: given up: %s", trace->path, trace->failure);
}

bool switch_trace_stop(struct switch_trace *trace, struct dataplane *dataplane, struct weir_error *error)
{
    if (!trace->active && trace->failure != NULL)
        return fail(error, trace->path, trace->failure);
    if (!trace->active)
        return fail(error, "stop", "none is being written (expected 'trace start' first)");
    bool taken = ring_take(trace); /* room for the last bytes */
    bool ended = dataplane_trace_end(dataplane, trace->memory);
    if (!taken || !ended || !ring_take(trace) || !trace_writer_seal(&trace->writer)) {
        give_up(trace, "not all of it could be written");
        return fail(error, trace->path, trace->failure);
    }
    trace->active = false;
    if (trace_writer_commit(&trace->writer))
        return true;
    trace->failure = "the file could not be given its name";
    return fail(error, trace->path, trace->failure);
}

void switch_trace_free(struct switch_trace *trace)
{
    free(trace->path);
    free(trace->ring);
    free(trace->buffer);
    trace->path = NULL;
    trace->ring = trace->buffer = NULL;
}

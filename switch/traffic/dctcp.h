/*
 * dctcp.h - our DCTCP (switch/bpf/dctcp.bpf.c) in the kernel: one for the whole machine, in every network namespace.
 * Registered, it stays until any process unregisters it; held, only as long as this process lives, however it ends.
 *
 * Needs root, and a kernel with BTF and BPF. Where weir was built without libbpf, everything here says so.
 */
#ifndef TRAFFIC_DCTCP_H
#define TRAFFIC_DCTCP_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/error.h"

#define DCTCP_NAME "weir_dctcp"
#define DCTCP_ONE 65536u /* of the fractions below */

struct dctcp_settings {
    uint32_t gain;          /* g; Q16 */
    uint32_t initial_alpha; /* of a new connection; Q16 */
};

enum dctcp_state {
    DCTCP_ABSENT,
    DCTCP_PRESENT, /* registered by us or by another process; *settings tells how */
    DCTCP_FAILED   /* see the error */
};

enum dctcp_state dctcp_look(struct dctcp_settings *settings, struct weir_error *error);

/* Registers it. DCTCP_ABSENT: it was not there before, and is now; DCTCP_PRESENT: it was, and nothing was changed. With
 * `fd` not null it is held: it goes when *fd, which is the caller's to close, is closed. Where the kernel has no such
 * descriptors, *fd is -1, and it is the caller's to unregister it. */
enum dctcp_state dctcp_register(const struct dctcp_settings *settings, int *fd, struct weir_error *error);

/* DCTCP_PRESENT: it was registered; new connections cannot use it any more. */
enum dctcp_state dctcp_unregister(struct weir_error *error);

#endif

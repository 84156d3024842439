/*
 * dataplane.h - the software switch: frames come in by DPDK's ports, libweir's MMU decides, and frames leave at the
 * rates of the emulated ports. DPDK's own types stay inside of this folder.
 *
 *   port -> rx -> [line in] -> ring -> forward: parse, learn, look up, MMU arrive
 *                                        MMU: the buffer, one owner at a time (a lock held for one burst)
 *   port <- tx <- [line out] <- tx: MMU depart when the emulated port is free        expel: MMU offer_expel
 *
 * Every module is a function that does one round; a processor runs the modules that it was given in turn. A
 * caller of the MMU holds its lock and reads the clock under it, so that time never goes back. Everything else has one
 * writer.
 *
 * Control functions may be called from any thread that is not an lcore: they act between two bursts.
 */
#ifndef DPDK_DATAPLANE_H
#define DPDK_DATAPLANE_H

#include "switch/dpdk/config.h"
#include "weir/counters.h"
#include "weir/trace.h"

#define DATAPLANE_DROP_BYTES 2048u

struct dataplane;

/* Starts DPDK's environment, once per process: huge pages if there are some free, else ordinary ones; no PCI scan when
 * no device is a PCI address. One line in `error` on failure. */
bool dataplane_environment(const struct dataplane_config *config, const char *program, struct weir_error *error);
void dataplane_environment_end(void);

/* The processors that the modules run on, each once: how many. */
uint32_t dataplane_cpus(const struct dataplane_config *config, uint32_t cpus[DATAPLANE_LCORES_MAX]);

/* Opens the devices and takes all memory. Null and one line in `error`, which names the device, on failure. */
struct dataplane *dataplane_create(const struct dataplane_config *config, struct weir_error *error);
void dataplane_free(struct dataplane *dataplane);

/* Starts the modules on their processors and returns. */
bool dataplane_start(struct dataplane *dataplane, struct weir_error *error);

/* Stops taking frames in, sends what is left for at most `grace_ps` of machine time, then stops the processors. What
 * is left then is flushed and counted. Every mbuf is back in its pool afterwards. */
void dataplane_stop(struct dataplane *dataplane, weir_ps grace_ps);

/* Why a frame was dropped without the MMU having been asked. */
enum dataplane_discard {
    DATAPLANE_RUNT,        /* shorter than an Ethernet header, or than its own tags */
    DATAPLANE_GIANT,       /* longer than the MTU allows */
    DATAPLANE_BAD_SOURCE,  /* a group address, or zero, as source */
    DATAPLANE_SAME_PORT,   /* its destination is behind the port it came from */
    DATAPLANE_UNKNOWN,     /* unknown destination, and flooding is off */
    DATAPLANE_LINK_LOCAL,  /* 01-80-C2-00-00-0x: not to be forwarded, and not understood */
    DATAPLANE_DAMAGED,     /* a PAUSE frame that is none */
    DATAPLANE_OUTPUT_DOWN, /* the link of its output port is down */
    DATAPLANE_NO_MBUF,     /* no memory for the copies of a flooded frame */
    DATAPLANE_BEHIND,      /* an internal ring or line was full: the machine is too slow for the emulated rate */
    DATAPLANE_INVALID,     /* a port or class that its MMU does not have: a fault of the switch */
    DATAPLANE_DISCARDS
};
const char *dataplane_discard_name(enum dataplane_discard discard);

/* What every port counts besides the MMU. in_packets + copies = discarded + control_in + offered, and what the MMU sent
 * by the port + control_out = out_packets + out_lost, when nothing is under way. */
struct dataplane_port_counters {
    bool link_up;
    bool away;                       /* its interface, a tap, is in another namespace: the link is taken to be up */
    bool device_missed_seen;         /* false: the device does not count what it loses */
    uint64_t in_packets, in_bytes;   /* taken from the device */
    uint64_t out_packets, out_bytes; /* given to the device */
    uint64_t out_lost;               /* had left the MMU when the link went down or the switch stopped */
    uint64_t discarded[DATAPLANE_DISCARDS]; /* of what came in by this port */
    uint64_t flooded;                       /* frames that went to all other ports */
    uint64_t copies;                        /* frames made by flooding, beyond the first */
    uint64_t control_in, control_out;       /* PAUSE frames obeyed, and sent */
    uint64_t offered;                       /* arrivals at the MMU of frames that came in by this port */
    uint64_t malformed_ip;                  /* forwarded as class 0: an IP header that is cut short or wrong */
    uint64_t device_missed, device_errors;  /* lost by the device before us, as far as it says */
    uint64_t link_changes;
};

struct dataplane_status {
    weir_ps up_ps;  /* machine time since it was made */
    weir_ps now_ps; /* of the emulated switch, since the same moment: up_ps / time_scale */
    uint32_t mbufs, mbufs_in_use;
    uint32_t addresses; /* learned and static */
    bool huge_pages;
    bool run_to_completion;
    uint64_t bursts;      /* rounds of the forwarding module that found frames */
    uint64_t late_ps_max; /* the longest that a port which could have sent waited for its module; emulated time */
    uint64_t away_ps_max; /* the longest between two rounds of a processor; machine time. Without lossless classes 0 */
};

void dataplane_status(struct dataplane *dataplane, struct dataplane_status *status);
void dataplane_port_counters(struct dataplane *dataplane, uint32_t port, struct dataplane_port_counters *counters);
void dataplane_clear_watermarks(struct dataplane *dataplane, enum weir_watermark_view view);

/* The counters of the MMUs, each struct of one moment; `port` is of the switch. */
void dataplane_account_counters(struct dataplane *dataplane, uint32_t port, uint32_t tc,
                                struct weir_account_counters *counters);
void dataplane_group_counters(struct dataplane *dataplane, uint32_t memory, uint32_t input, uint32_t tc,
                              struct weir_group_counters *counters);
void dataplane_pause_counters(struct dataplane *dataplane, uint32_t memory, uint32_t input,
                              struct weir_pause_counters *counters);
void dataplane_pool_counters(struct dataplane *dataplane, uint32_t memory, struct weir_pool_counters *counters);
weir_cells dataplane_threshold(struct dataplane *dataplane, uint32_t port, uint32_t tc);
uint32_t dataplane_memories(const struct dataplane *dataplane);

/* New parameter values for the egress (or ingress) policy of every MMU, from the next burst on.
 * False: it does not take them. */
bool dataplane_change(struct dataplane *dataplane, bool ingress, const struct weir_values *values);

/*
 * Traces. A replay starts from an empty buffer and a policy that knows nothing, so a trace does too: before the start
 * (dataplane_start) at once, later at the first moment within `patience_ps` of machine time at which the buffer is
 * empty: the MMU is then rebuilt, and its counters go on. False with one line in `error` when there was none. Flushes
 * happen in the packet path: they must only copy. The caller sets the part of the trace that is his (buffer, flush,
 * hash_every) and keeps it until dataplane_trace_end; the header with the parameters in force is written here
 * (weir_trace_begin), dataplane_trace_end writes the last record and tells whether all was written.
 */
bool dataplane_trace_begin(struct dataplane *dataplane, uint32_t memory, struct weir_trace *trace, weir_ps patience_ps,
                           struct weir_error *error);
bool dataplane_trace_end(struct dataplane *dataplane, uint32_t memory);

/* A dropped frame, for captures. */
struct dataplane_drop {
    weir_ps when_ps;            /* emulated time */
    uint32_t input, output, tc; /* output UINT32_MAX: it had none yet */
    bool discarded;             /* without the MMU: `discard` says why; else `cause`, and `reason` of a refusal */
    enum dataplane_discard discard;
    enum weir_cause cause;
    enum weir_reason reason;
    uint32_t frame_bytes; /* as it was */
    uint32_t kept_bytes;
    uint8_t bytes[DATAPLANE_DROP_BYTES];
};

/* Copies of dropped frames are kept in a ring of so many from now on; 0: no more. */
bool dataplane_drops_keep(struct dataplane *dataplane, uint32_t count);

/* Takes the oldest ones out; one reader. Returns how many. */
uint32_t dataplane_drops_take(struct dataplane *dataplane, struct dataplane_drop *drops, uint32_t max);

/* Dropped frames of which no copy was kept because the ring was full. */
uint64_t dataplane_drops_missed(const struct dataplane *dataplane);

#endif

/*
 * dataplane_internal.h - the inside of the software switch, for the files of this folder that know DPDK.
 *
 * Who may touch what: the lock of the MMUs (mmu_enter) guards the fields under "lock"; fields under a module belong to
 * the processor that runs this module for the port. Each counter has one writer and any reader, hence count_add. Masks
 * have a bit per port.
 */
#ifndef DPDK_DATAPLANE_INTERNAL_H
#define DPDK_DATAPLANE_INTERNAL_H

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_spinlock.h>

#include "switch/dpdk/clock.h"
#include "switch/dpdk/dataplane.h"
#include "switch/dpdk/drops.h"
#include "switch/dpdk/frame.h"
#include "switch/dpdk/handover.h"
#include "switch/dpdk/line.h"
#include "switch/dpdk/mac_table.h"
#include "switch/dpdk/pause.h"

#define DATAPLANE_RING_FRAMES 4096u /* between a processor that receives and the one that forwards */
#define DATAPLANE_LOSSES 256u

static inline void count_add(uint64_t *counter, uint64_t amount)
{
    __atomic_store_n(counter, *counter + amount, __ATOMIC_RELAXED);
}

static inline uint64_t count_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

struct rx_counters {
    uint64_t packets, bytes, behind, no_mbuf;
};

struct forward_counters {
    uint64_t offered, flooded, copies, control, malformed_ip;
    uint64_t discarded[DATAPLANE_DISCARDS];
};

struct tx_counters {
    uint64_t packets, bytes, control, lost;
};

/* Where the frames are counted that a device loses before the switch can take them. */
enum losses_source { LOSSES_DRIVER, LOSSES_SOCKET, LOSSES_TAP, LOSSES_UNSEEN };

struct dataplane_port {
    /* Set once */
    uint32_t number;
    uint16_t device;      /* DPDK's number of it */
    bool owns_device;     /* it was opened here */
    unsigned iface_index; /* of this one: another one of the same name is not the one that the device is bound to */
    char iface[16];       /* interface of the operating system that tells the state of the link; "": the device does */
    enum losses_source losses;
    int losses_fd;   /* of the driver: its socket with a ring, or the queue of a tap; -1: none */
    uint32_t local;  /* number within its MMU */
    uint32_t memory; /* whose number this is */
    uint8_t address[6];
    struct weir_mmu *mmu;
    const struct weir_port_state *state; /* the MMU's, of the output */

    /* Lock */
    struct shaper shaper;
    weir_ps ready_ps;      /* since when what waits could have been sent, but for the shaper */
    weir_ps blocked_until; /* all that waits is paused until then; 0: something can be sent */
    struct pause_port pause;
    uint64_t link_changes;

    /* Control */
    uint64_t ring_lost;
    uint32_t away; /* atomic; the interface of a tap is in another namespace */

    /* rx */
    struct line in __rte_cache_aligned;
    struct rx_counters received;

    /* forward */
    struct forward_counters forwarded __rte_cache_aligned;

    /* tx */
    struct line out __rte_cache_aligned;
    struct rte_mbuf **pending; /* [burst]: left the MMU and the line, and the device has not taken them yet */
    uint32_t pending_count;
    bool refused; /* the device did not take all of them since the MMU was last asked */
    uint64_t pending_bytes;
    struct tx_counters sent;
};

/* What one processor does. */
struct lcore_work {
    struct dataplane *dataplane;
    uint32_t cpu;
    uint32_t lcore;    /* EAL's number */
    uint32_t modules;  /* bit per enum dataplane_module */
    uint64_t rx_ports; /* masks */
    uint64_t tx_ports;
    uint64_t tx_held;        /* of these: with frames that have left the MMU and not been sent */
    struct rte_ring *ring;   /* to the forwarding module; null: it is on this processor, or this one receives nothing */
    struct rte_mbuf **burst; /* [config.burst], for rx and forwarding */
    uint64_t away_ps_max;    /* longest time between two rounds, of the machine; written by its processor alone */
};

enum dataplane_phase { DATAPLANE_IDLE, DATAPLANE_RUNS, DATAPLANE_DRAINS, DATAPLANE_STOPS };

/* Counters carried over a rebuild of an MMU. */
struct carried {
    struct weir_account_counters *account; /* [accounts] */
    struct weir_group_counters *group;     /* [classes * inputs] */
    struct weir_pause_counters *pause;     /* [inputs] */
    struct weir_pool_counters pool;
};

struct recording {
    struct weir_trace *trace;  /* being written; null: none */
    struct weir_trace *wanted; /* to be begun when the memory is empty */
};

struct dataplane {
    struct dataplane_config config;
    struct weir_mmu_config mmu_config; /* with the values in force */
    struct weir_values egress_values, ingress_values;
    struct dataplane_clock clock;
    struct rte_mempool *pool;
    struct dataplane_port *port; /* [ports] */
    uint32_t phase;              /* enum dataplane_phase, atomic */

    /* Lock */
    rte_spinlock_t lock __rte_cache_aligned;
    weir_ps now;         /* of the last call of an MMU */
    uint64_t work_mask;  /* outputs with something in the MMU; looked at without the lock too, like the next three */
    uint64_t pause_mask; /* ports with a PAUSE to send or to repeat */
    uint64_t up_mask;    /* links that are up */
    weir_ps expel_ps;    /* when the expulsion module has to look again */
    uint64_t late_ps_max;
    struct weir_switch *sw;
    void *sw_memory;
    uint32_t memories;
    bool has_events; /* of some MMU */
    bool tells_idle; /* the egress policy wants to know that a port found nothing to send */
    bool wants_recording;
    struct recording *recording;   /* [memories] */
    struct carried *carried;       /* [memories] */
    struct weir_pause_edge *edges; /* [ports] */
    struct trim_copy *copies;      /* cut frames that have not been offered yet, in order; null: nothing is trimmed */
    uint32_t copy_count, copy_room;

    /* forward; `table` also by control, with its lock */
    rte_spinlock_t table_lock __rte_cache_aligned;
    struct mac_table *table;
    void *table_memory;
    struct frame_rules rules;
    bool marks;            /* some class is marked */
    bool trims;            /* some class is trimmed */
    bool sees_flows;       /* the policy looks at flows */
    struct weir_flow flow; /* of the frame that is offered */
    uint64_t bursts;
    struct forward_batch *batch;

    struct drops drops;
    struct lcore_work work[DATAPLANE_LCORES_MAX];
    uint32_t work_count;
    struct watch *watch;
};

/* Packets that have left the MMU without being sent go back to the pool when the lock is released, not before. */
struct losses {
    struct rte_mbuf *mbuf[DATAPLANE_LOSSES];
    uint32_t count;
};

/* Yield after a long spin: the owner may be waiting for this processor. */
void lock_wait(rte_spinlock_t *lock);

static inline void lock_take(rte_spinlock_t *lock)
{
    if (!rte_spinlock_trylock(lock))
        lock_wait(lock);
}

/* Takes the lock of the MMUs and reads the clock under it. */
static inline weir_ps mmu_enter(struct dataplane *dp)
{
    lock_take(&dp->lock);
    weir_ps now = clock_now(&dp->clock);
    if (now > dp->now)
        dp->now = now;
    return dp->now;
}

static inline void mmu_leave(struct dataplane *dp)
{
    rte_spinlock_unlock(&dp->lock);
}

/* The expulsion module has to look at the MMUs again. */
static inline void mmu_changed(struct dataplane *dp)
{
    if (dp->has_events)
        __atomic_store_n(&dp->expel_ps, 0, __ATOMIC_RELAXED);
}

/* All that waits is paused until then; 0: it is not. The sending module looks at it without the lock too. */
static inline void port_block(struct dataplane_port *port, weir_ps until)
{
    __atomic_store_n(&port->blocked_until, until, __ATOMIC_RELAXED);
}

/* Not all that waits is paused any more, or perhaps not. */
static inline void port_unblock(struct dataplane_port *port, weir_ps now)
{
    if (port->blocked_until == 0)
        return;
    port_block(port, 0);
    port->ready_ps = now > port->ready_ps ? now : port->ready_ps;
}

static inline uint64_t mask_read(const uint64_t *mask)
{
    return __atomic_load_n(mask, __ATOMIC_RELAXED);
}

static inline void mask_write(uint64_t *mask, uint64_t value)
{
    __atomic_store_n(mask, value, __ATOMIC_RELAXED);
}

static inline enum dataplane_phase phase_read(const struct dataplane *dp)
{
    return (enum dataplane_phase)__atomic_load_n(&dp->phase, __ATOMIC_ACQUIRE);
}

static inline struct frame frame_of(const struct rte_mbuf *mbuf)
{
    return (struct frame){.bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *),
                          .length = rte_pktmbuf_pkt_len(mbuf),
                          .at_hand = rte_pktmbuf_data_len(mbuf),
                          .vlan = -1};
}

/*
 * Modules: one round each. They return when they next have something to do, in emulated time: 0 when they did
 * something, WEIR_NEVER when only a frame from outside can bring work.
 */
weir_ps rx_poll(struct dataplane *dp, struct lcore_work *work);
weir_ps forward_poll(struct dataplane *dp, struct lcore_work *work);
weir_ps tx_poll(struct dataplane *dp, struct lcore_work *work);
weir_ps expel_poll(struct dataplane *dp);

/* forward.c: frames whose mbuf->port is the input port, at most config.burst. */
bool forward_init(struct dataplane *dp, struct weir_error *error);
void forward_free(struct dataplane *dp);
/* The flow of a frame, valid until the next one; null where nobody looks at flows. */
const struct weir_flow *forward_flow(struct dataplane *dp, const struct rte_mbuf *mbuf);
void forward_burst(struct dataplane *dp, struct rte_mbuf **mbufs, uint32_t count);

/* tx.c: the link is down or the switch stops: what has left the MMU and not been sent is lost. */
void tx_lose(struct dataplane *dp, struct dataplane_port *port);

/* effects.c: what an MMU call did besides deciding about its packet. With the lock, but for discard_frame. */
void losses_free(struct losses *losses);
void effects_follow(struct dataplane *dp, uint32_t memory, const struct weir_effects *effects, struct losses *losses);
void effects_refused(struct dataplane *dp, const struct weir_packet *packet, uint32_t output, enum weir_reason reason);
void effects_flush(struct dataplane *dp, struct dataplane_port *port, struct losses *losses);

/*
 * trim.c: frames that the MMU refused or lost are cut and offered again. trim_refused and trim_lost take the mbuf when
 * they return true; trim_offer comes before the next call of an MMU, with the lock.
 */
struct trim_copy {
    uint32_t output;
    struct weir_packet packet;
};
bool trim_init(struct dataplane *dp);
void trim_free(struct dataplane *dp);
bool trim_refused(struct dataplane *dp, const struct weir_packet *packet, uint32_t output, uint32_t ip_at);
bool trim_lost(struct dataplane *dp, uint32_t memory, const struct weir_lost *lost);
void trim_offer(struct dataplane *dp, weir_ps now, struct losses *losses);
bool trim_can_cut(const struct dataplane *dp, const struct rte_mbuf *mbuf, const struct frame_info *info);

/* What the MMU is told of a frame. */
static inline uint32_t trim_flags(const struct dataplane *dp, const struct rte_mbuf *mbuf,
                                  const struct frame_info *info)
{
    uint32_t flags = info->ecn && (dp->marks || dp->trims) ? WEIR_FLAG_ECN : 0;
    return unlikely(dp->trims) && !trim_can_cut(dp, mbuf, info) ? flags | WEIR_FLAG_WHOLE : flags;
}

/* A frame is not offered to the MMU; the caller counts it and gives it back. `output` may be UINT32_MAX. */
void effects_discard(struct dataplane *dp, const struct rte_mbuf *mbuf, enum dataplane_discard discard,
                     uint32_t output);

static inline void losses_add(struct losses *losses, struct rte_mbuf *mbuf)
{
    if (losses->count == DATAPLANE_LOSSES)
        losses_free(losses);
    losses->mbuf[losses->count++] = mbuf;
}

/* device.c */
bool device_open(struct dataplane *dp, struct dataplane_port *port, struct weir_error *error);
void device_close(struct dataplane_port *port);
uint32_t device_frame_bytes(const struct dataplane_config *config);

/* losses.c: frames that the kernel lost before the device could take them. Any thread may read. */
void losses_open(struct dataplane_port *port, const char *devargs);
uint64_t losses_read(struct dataplane_port *port, bool *seen); /* *seen false: the device does not count them */
bool losses_tap_lives(const struct dataplane_port *port);      /* a tap, here or in another namespace */

/* lcores.c */
bool lcores_plan(struct dataplane *dp, struct weir_error *error);
void lcores_free(struct dataplane *dp);
bool lcores_start(struct dataplane *dp, struct weir_error *error);
void lcores_wait(struct dataplane *dp);

/* watch.c: follows the links of the ports. */
bool watch_init(struct dataplane *dp);
bool watch_start(struct dataplane *dp);
void watch_stop(struct dataplane *dp);
void watch_free(struct dataplane *dp);

/* memory.c: how much of it a switch needs. */
uint32_t memory_mbufs(const struct dataplane_config *config);
uint32_t memory_mbuf_bytes(const struct dataplane_config *config);
uint64_t memory_bytes(const struct dataplane_config *config);
struct line_settings memory_line(const struct dataplane_config *config, uint32_t port, bool input);

/* pool.c: mbufs for the devices of this config; null when memory is short. */
struct rte_mempool *pool_create(const struct dataplane_config *config, const char *name, uint32_t mbufs);

/* environment.c: the first error that DPDK logged since it was forgotten, or "". */
const char *environment_error(void);
void environment_forget_error(void);
bool environment_has_huge_pages(void);

/* carried.c: adds an MMU's counters to those carried over. */
void carried_account(struct weir_account_counters *sum, struct weir_account_counters more);
void carried_group(struct weir_group_counters *sum, struct weir_group_counters more);
void carried_pause(struct weir_pause_counters *sum, struct weir_pause_counters more);
void carried_pool(struct weir_pool_counters *sum, struct weir_pool_counters more);
void carried_clear(struct dataplane *dp, uint32_t memory, enum weir_watermark_view view);

/* recording.c: with the lock; begins the traces that wait for an empty memory. */
bool recording_init(struct dataplane *dp);
void recording_free(struct dataplane *dp);
void recording_try(struct dataplane *dp);

#endif

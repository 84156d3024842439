/*
 * pfc_summary.h - what flow control did in a whole run: pauses, headroom, losses of lossless classes, over all switches
 * and hosts. Works on a finished simulation.
 */
#ifndef SIM_PFC_SUMMARY_H
#define SIM_PFC_SUMMARY_H

#include "sim/net/pfc_measure.h"
#include "sim/sim.h"

struct pfc_summary {
    bool lossless; /* some switch has a lossless class; else nothing here says anything */
    /* Summed over ports and classes: how long senders were held. */
    weir_ps held_hosts_ps, held_switches_ps;
    uint64_t frames; /* sent by switches, of all kinds */
    /* What they said, summed over classes: a frame may speak of several. A refresh is not a pause. */
    uint64_t pauses, resumes, refreshes;
    uint64_t port_pauses; /* times that a whole port was paused */
    uint64_t storms;
    /* Of the first switch with a lossless class. */
    int64_t headroom_bytes;               /* of a queue of its first port */
    int64_t reserved_bytes, buffer_bytes; /* of its first MMU: the headroom pool, and all */
    double buffer_per_capacity_s;         /* all its buffers over the rates of its ports */
    /* Over all switches: see pfc_measure.h. */
    double peak;          /* largest part of a queue's headroom ever in use */
    weir_bps fastest_bps; /* what bin PFC_MEASURE_RATE_STEPS of a rate stands for */
    uint64_t lost;
    struct pfc_loss first; /* if any */
};

void pfc_summary_make(struct pfc_summary *summary, const struct sim *sim);

/* One port of a node and one class: what it told its peer about packets that come in there, and how it was held. */
struct pfc_queue {
    uint32_t peer;                     /* node at the other end of the link */
    struct weir_pfc_counters counters; /* without the pause that lasts */
    weir_ps held_ps;                   /* with it */
    uint64_t port_pauses;              /* of the whole port, whatever the class */
    uint64_t headroom_peak_bytes;      /* most in use, in any memory */
    uint64_t lost;                     /* packets that came in there and found no room */
    uint64_t headroom_limit_bytes;     /* that it may use; 0 where the class is lossy, and at a host */
};

/* Hosts come first among nodes, and have port 0 only. False: nothing happened there. */
bool pfc_summary_queue(const struct sim *sim, uint32_t node, uint32_t port, uint32_t tc, struct pfc_queue *out);

#endif

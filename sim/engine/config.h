/*
 * config.h - everything a simulation is made from: plain data, without defaults hidden elsewhere. Callers (a scenario
 * file, a test, a benchmark) start from sim_config_init. Pointers stay the caller's and must outlive sim.
 */
#ifndef SIM_ENGINE_CONFIG_H
#define SIM_ENGINE_CONFIG_H

#include "weir/mmu.h"
#include "workload/traffic.h"

struct transport;

/* What every packet looks like. */
struct sim_wire {
    uint32_t mss_bytes;    /* payload of a full segment */
    uint32_t header_bytes; /* added to every segment, in buffers and on the wire */
    uint32_t ack_bytes;    /* an ACK, in buffers and on the wire */
    uint32_t gap_bytes;    /* added on the wire only: preamble and inter-packet gap */
};

/*
 * RoCE: one queue pair per flow, go-back-N, paced by a rate. Rates of increase are of a 25 Gb/s link and grow with the
 * sender's link.
 */
struct sim_roce {
    weir_ps base_rtt_ps; /* 0: the largest of the network without queues */
    weir_ps rto_ps;      /* everything unacknowledged is sent again after so long without an ACK; 0: never */
    uint32_t ack_every;  /* data packets per ACK */
    bool windowed; /* no more than a window under way: of one bandwidth-delay product where the control sets none */
    weir_bps min_rate_bps;
    weir_bps additive_bps; /* per 25 Gb/s of link: DCQCN's AI, HPCC's and PowerTCP's W_AI over a round trip, TIMELY's */
    weir_bps hyper_additive_bps; /* per 25 Gb/s: DCQCN's HAI, TIMELY's in its fast phase */
    /* DCQCN */
    weir_ps cnp_interval_ps;      /* a receiver sends at most one CNP per flow in this time */
    weir_ps alpha_interval_ps;    /* alpha decays after so long without a CNP */
    weir_ps decrease_interval_ps; /* the rate falls at most once in this time */
    weir_ps increase_interval_ps; /* the rate's timer */
    int64_t increase_bytes;       /* the rate's byte counter; 0: none */
    uint32_t fast_recoveries;     /* F */
    bool clamp_target;            /* each decrease sets the target to the rate before; else the first of a row */
    double dcqcn_gain;            /* g */
    /* HPCC, PowerTCP */
    double utilisation; /* eta: the part of a link that is aimed at */
    uint32_t stages;    /* HPCC's maxStage */
    double gamma;       /* PowerTCP: weight of the newest window */
    /* TIMELY */
    double timely_weight; /* of the newest gradient */
    double timely_beta;
    weir_ps low_rtt_ps, high_rtt_ps;
    uint32_t fast_increases; /* gradients at most 0 in a row until the fast phase */
};

/* A way to send a flow: which transport and its settings. */
struct sim_transport {
    const struct transport *kind;
    uint32_t data_classes; /* bit c: a flow may draw class c for its data; 0: all have data_class */
    struct sim_roce roce;
    uint8_t data_class, ack_class;
    /* TCP */
    uint32_t initial_window_segments; /* 0: the whole flow */
    uint32_t max_window_segments;     /* at most 65535, because SACK blocks count 16 bits */
    weir_ps min_rto_ps, initial_rto_ps, max_rto_ps;
    bool sack;              /* else recovery by duplicate ACKs (RFC 6582) */
    bool handshake;         /* a SYN and its answer come first */
    bool slow_start;        /* else congestion avoidance from the first ACK on */
    bool tail_loss_probe;   /* with SACK: a probe after two round trips without news (RFC 8985, section 7) */
    bool ecn;               /* NewReno and CUBIC: classic ECN (RFC 3168); DCTCP always marks */
    uint32_t ack_every;     /* 1: each segment; 2: delayed ACKs */
    weir_ps ack_delay_ps;   /* delayed ACKs wait at most this long */
    weir_q16 dctcp_gain;    /* g */
    weir_q16 dctcp_initial; /* alpha of a new flow */
    weir_q16 cubic_c, cubic_beta;
    bool cubic_friendly; /* never slower than Reno would be (RFC 9438, section 4.3) */
    /* UDP */
    weir_bps rate_bps;        /* mean rate while on, of the wire bytes without gap */
    bool poisson;             /* exponential gaps between packets, else constant */
    bool exponential_sizes;   /* packet sizes exponential around the full segment, else all full */
    weir_ps on_ps, off_ps;    /* means of on and off periods; off 0: always on */
    bool exponential_periods; /* else both are constant */
};

#define SIM_PFC_CLASSES_MAX 8u /* classes that a PAUSE frame can name: lossless ones are below */

/* How the headroom of a lossless queue is found from its link. */
enum sim_headroom_size {
    SIM_HEADROOM_SAFE,     /* every term of headroom.h */
    SIM_HEADROOM_EQUATION, /* equation 1 of the DSH paper */
    SIM_HEADROOM_BYTES     /* headroom_bytes */
};

/* The switches of one tier. */
struct sim_switch {
    struct weir_mmu_config
        mmu;                /* ports, inputs, rates, uplinks and the headroom pool are filled in from the topology */
    uint32_t ports_per_mmu; /* 0: one MMU for all ports */
    enum sim_headroom_size headroom_size;
    int64_t headroom_bytes;
};

/* What a PFC watchdog does with a queue that has been paused for too long. */
enum sim_watchdog_action {
    SIM_WATCHDOG_DROP,    /* empties it, and loses what arrives for it */
    SIM_WATCHDOG_FORWARD, /* ignores its pauses */
    SIM_WATCHDOG_ALERT    /* counts it */
};

/* Priority flow control, of every host and switch. Without lossless classes it has no effect. */
struct sim_pfc {
    uint32_t quanta;             /* pause time in a frame; a pause that lasts is refreshed when half of it is over */
    uint32_t processing_bytes;   /* from a frame's arrival to its effect, in bytes at the rate of the link */
    bool loss_expected;          /* a lost lossless packet is what the run is about, else a violation */
    bool deadlock_expected;      /* likewise */
    bool deadlock_stops;         /* the run ends when one is found */
    weir_ps look_ps;             /* how often the wait-for graph is looked at; 0: never */
    weir_ps watchdog_detect_ps;  /* paused so long with packets waiting: a storm; 0: no watchdog */
    weir_ps watchdog_restore_ps; /* so long without a PAUSE: it is over */
    enum sim_watchdog_action watchdog_action;
};

struct sim_link_change {
    weir_ps when;
    uint32_t link; /* index into topology.links */
    bool up;
};

/* Follows one output queue of a switch. */
struct sim_probe {
    uint32_t sw, port;   /* switch (0 ..) and its port */
    uint32_t tc;         /* class, or SIM_ALL_CLASSES for the whole port */
    weir_ps interval_ps; /* 0: at every change */
    weir_ps from_ps, until_ps;
    uint32_t points_max; /* recording stops there, and says so */
};

enum sim_status {
    SIM_RUNNING,       /* stopped by the progress callback; may be continued */
    SIM_DONE,          /* until_ps, or nothing left to happen */
    SIM_OUT_OF_MEMORY, /* results are not valid */
    SIM_UNEVEN         /* packets were lost sight of: a fault of the simulator, see sim_error */
};

#define SIM_ALL_CLASSES UINT32_MAX
#define SIM_TIERS_MAX 4u

struct sim_config {
    uint64_t seed;
    weir_ps until_ps; /* the end; earlier when every launched flow has ended and no traffic is left */
    const struct topology *topology;
    struct sim_wire wire;
    struct sim_switch tiers[SIM_TIERS_MAX]; /* a tier above the last configured one uses the last */
    uint32_t tier_count;
    bool spray;    /* choose among equal-cost ports per packet instead of per flow */
    bool nic_fifo; /* a host sends flow after flow as they become ready, else one packet per flow in turn */
    struct sim_pfc pfc;
    weir_ps reroute_ps; /* routes follow a link change after this time */
    const struct sim_transport *transports;
    uint32_t transport_count;
    const struct traffic_settings *traffic;
    uint32_t traffic_count;
    const char *const *tag_names; /* [tag_count] */
    uint32_t tag_count;
    const struct sim_link_change *changes; /* sorted by time */
    uint32_t change_count;
    const struct sim_probe *probes;
    uint32_t probe_count;
    weir_ps goodput_interval_ps; /* of the goodput series by tag; 0: none */
};

/* Usual values: seed 1, Ethernet sizes of a 1500-byte MTU, one tier of 1 MiB and one class under dt. */
void sim_config_init(struct sim_config *config);
void sim_transport_init(struct sim_transport *transport, const struct transport *kind);

/* The settings of a tier. */
static inline const struct sim_switch *sim_config_tier(const struct sim_config *config, uint32_t tier)
{
    return &config->tiers[tier < config->tier_count ? tier : config->tier_count - 1];
}

/* What the flows of a simulation are drawn from. `host_switch` is the routes'. */
static inline struct workload sim_config_workload(const struct sim_config *config, const uint32_t *host_switch)
{
    return (struct workload){.seed = config->seed,
                             .topology = config->topology,
                             .host_switch = host_switch,
                             .header_bytes = config->wire.header_bytes,
                             .mss_bytes = config->wire.mss_bytes,
                             .traffic = config->traffic,
                             .traffic_count = config->traffic_count,
                             .tag_count = config->tag_count};
}

/* The class of a flow's data: where its transport has several, drawn by the flow's number. */
uint8_t sim_flow_class(const struct sim_config *config, const struct sim_transport *transport, uint32_t id);

/* True when it can be simulated, else one line in `error`. */
bool sim_config_check(const struct sim_config *config, struct weir_error *error);

#endif

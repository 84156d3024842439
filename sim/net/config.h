/*
 * config.h - everything a simulation is made from: plain data, without defaults hidden elsewhere. Callers (a scenario
 * file, a test, a benchmark) start from sim_config_init. Pointers stay the caller's and must outlive sim.
 */
#ifndef SIM_NET_CONFIG_H
#define SIM_NET_CONFIG_H

#include "sim/topology/routes.h"
#include "sim/transport/transport.h"
#include "sim/workload/traffic.h"
#include "weir/switch.h"
#include "weir/training.h"

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
    bool marks_leaving;      /* marks are decided as packets leave, by what they leave behind; else as they enter */
    bool hosts_unmarked;     /* marks_leaving: but for those to hosts */
    uint32_t device_packets; /* of a queue between the buffer and each port's link: switch_node.h */
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
    bool processing_standard;    /* instead: as long as IEEE 802.3 allows at the rate of the link */
    bool loss_expected;          /* a lost lossless packet is what the run is about, else a violation */
    bool deadlock_expected;      /* likewise */
    bool deadlock_stops;         /* the run ends when one is found */
    weir_ps look_ps;             /* how often the wait-for graph is looked at; 0: never */
    weir_ps watchdog_detect_ps;  /* paused so long with packets waiting: a storm; 0: no watchdog */
    weir_ps watchdog_restore_ps; /* so long without a PAUSE: it is over */
    enum sim_watchdog_action watchdog_action;
};

/* What a NIC sends next. ACKs go before data, except from a queue. */
enum sim_nic {
    SIM_NIC_FAIR,   /* one packet per flow in turn */
    SIM_NIC_FIFO,   /* flow after flow as they become ready */
    SIM_NIC_STRICT, /* the highest class; in it ACKs, then one packet per flow in turn */
    SIM_NIC_QUEUE   /* packets in the order in which transports made them */
};

/* Hosts. */
struct sim_hosts {
    enum sim_nic nic;
    uint32_t queue_packets;  /* SIM_NIC_QUEUE: its length, at least 1 */
    uint32_t queue_per_flow; /* data packets of one flow in it, more wait in the flow; 0: any number */
    bool queue_drops;        /* and what does not fit is lost, else it waits in its flow */
    weir_ps jitter_ps;       /* an idle NIC begins to send so much later at most; 0: at once */
    uint32_t drift_ppm;      /* NICs are slower or faster by up to so many parts per million */
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

/* Rows for a predictor: what LQD would lose at each switch, whatever its policy (weir/training.h). Under LQD itself the
 * label is what the switch did. */
struct sim_training {
    /* A row, per MMU in order; false: out of memory. */
    bool (*take)(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row); /* may be null */
    /* The same, before the MMU sees its next packet: for oracles that learn. Threads call it, at a time for different
     * MMUs. Null: nobody does. */
    bool (*teach)(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row);
    void *context;
    const bool *chosen;    /* [switches]; null: all */
    weir_ps average_ps;    /* time constant of the averages */
    bool heads;            /* a virtual LQD removes heads, else tails */
    bool virtual_counters; /* features of the virtual LQD, else of the switch */
};

/* Bytes for another rank, or from it. */
struct sim_letter {
    const void *bytes;
    size_t size;
};

/* Processes that simulate one network together (sim/parallel/ranks.h), each with a part of its nodes. All have the same
 * config but for `own`; results are rank 0's. */
struct sim_ranks {
    uint32_t count, own;
    void *context;
    /* Sends out[r] to each other rank r, and waits for in[r] from it, which stays until the next call. All ranks call
     * it equally often. False with an error: a rank is lost. */
    bool (*exchange)(void *context, const struct sim_letter *out, struct sim_letter *in, struct weir_error *error);
    /* The same in two halves: a rank may send the letters of one round more before it waits for those of a round. Only
     * where is_near says so after an exchange, of all ranks; null: nowhere. */
    bool (*is_near)(void *context);
    bool (*post)(void *context, const struct sim_letter *out, struct weir_error *error);
    bool (*fetch)(void *context, struct sim_letter *in, struct weir_error *error);
};

/* Of one of the ranks; rank 0 knows it of all. */
struct sim_rank_profile {
    uint32_t hosts, switches;
    uint32_t cut_links; /* between its nodes and those of other ranks */
    uint64_t run_ns;    /* of the whole */
    uint32_t threads;
    uint64_t busy_ns;    /* it ran nodes: the mean of its threads */
    uint64_t least_ns;   /* the thread that did least */
    uint64_t most_ns;    /* and most */
    uint64_t waiting_ns; /* for letters of others, their way included */
    uint64_t letters_ns; /* it wrote and read them */
    uint64_t crossed;    /* packets from it to others */
    uint64_t sent_bytes; /* of letters */
};

enum sim_status {
    SIM_RUNNING,       /* stopped by the progress callback; may be continued */
    SIM_DONE,          /* until_ps, or nothing left to happen */
    SIM_OUT_OF_MEMORY, /* results are not valid */
    SIM_UNEVEN,        /* packets were lost sight of, or went to a port or class that is not there: see sim_error */
    SIM_APART          /* other ranks are lost, or cannot go on: see sim_error */
};

#define SIM_ALL_CLASSES UINT32_MAX
#define SIM_TIERS_MAX 4u
#define SIM_THREADS_MAX 256u
#define SIM_RANKS_MAX 4096u
#define SIM_ECMP_SEED_OF_RUN (-1)
#define SIM_JITTER_MAX WEIR_PS_PER_S
#define SIM_DRIFT_MAX 100000u
#define SIM_QUEUE_PER_FLOW_MAX 10000u
#define SIM_DEVICE_PACKETS_MAX 65536u

/* Which equal-cost port: a flow's, by a hash; another for each packet; the emptiest, in steps; another for each burst
 * of a flow; a flow's, by a hash that gives each port a part like its rate's. */
enum sim_ecmp {
    SIM_ECMP_FLOW,
    SIM_ECMP_PACKET,
    SIM_ECMP_UNSALTED,
    SIM_ECMP_MODULO,
    SIM_ECMP_ADAPTIVE,
    SIM_ECMP_FLOWLET,
    SIM_ECMP_WEIGHTED
};

struct sim_follow;

struct sim_config {
    uint64_t seed;
    uint32_t threads;              /* 0 or 1: the caller's alone. No part of any result */
    const struct sim_ranks *ranks; /* null: this process alone. No part of any result either */
    uint64_t (*clock_ns)(void);    /* for sim_profile; null: it tells no times */
    weir_ps until_ps;              /* the end; earlier when every launched flow has ended and no traffic is left */
    const struct topology *topology;
    struct sim_wire wire;
    double link_loss;          /* chance that a link loses a packet, 0 .. 1 */
    const double *link_losses; /* [link_count]: that of links with one of their own, else 0; null: none has */
    struct sim_switch tiers[SIM_TIERS_MAX]; /* a tier above the last configured one uses the last */
    uint32_t tier_count;
    int64_t ecmp_seed;           /* of that choice; SIM_ECMP_SEED_OF_RUN: `seed` */
    enum sim_ecmp ecmp;          /* the choice among equal-cost ports */
    int64_t adaptive_step_bytes; /* SIM_ECMP_ADAPTIVE: queues of as many whole steps are alike; 0 is 1 */
    weir_ps flowlet_gap_ps;      /* SIM_ECMP_FLOWLET: a flow that was silent for longer may change its port */
    struct sim_hosts hosts;
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
    const struct routes_pin *pins;
    uint32_t pin_count;
    const struct sim_probe *probes;
    uint32_t probe_count;
    weir_ps goodput_interval_ps;                     /* of the goodput series by tag; 0: none */
    weir_ps occupancy_interval_ps;                   /* between two looks at each buffer; 0: none */
    weir_ps occupancy_until_ps;                      /* no look from then on */
    const struct weir_oracle *const *const *oracles; /* [switches][MMUs]; null, or null of a switch: the tier's */
    const struct sim_training *training;             /* null: no rows */
    uint32_t whole_nodes; /* networks of more nodes are made node by node, when something first comes there */
    bool notes_fates;     /* sim_fates tells which arrivals were lost */
    const struct sim_follow *follow; /* packets that are followed (follow.h); null: none. No part of any result */
};

/* Usual values: seed 1, Ethernet sizes of a 1500-byte MTU, one tier of 1 MiB and one class under dt. */
void sim_config_init(struct sim_config *config);

/* The settings of a tier. */
static inline const struct sim_switch *sim_config_tier(const struct sim_config *config, uint32_t tier)
{
    return &config->tiers[tier < config->tier_count ? tier : config->tier_count - 1];
}

static inline struct routes_hash sim_config_routes_hash(const struct sim_config *config)
{
    return (struct routes_hash){
        .seed = config->ecmp_seed == SIM_ECMP_SEED_OF_RUN ? config->seed : (uint64_t)config->ecmp_seed,
        .unsalted = config->ecmp == SIM_ECMP_UNSALTED || config->ecmp == SIM_ECMP_MODULO,
        .modulo = config->ecmp == SIM_ECMP_MODULO,
    };
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

/* What the seed decides, in a word or two: "arrivals", "sizes"; null: nothing, every seed gives the same run. Where
 * only the order of simultaneous events is drawn, seeds may give the same run too. */
const char *sim_config_draws(const struct sim_config *config);

/* True when it can be simulated, else one line in `error`. */
bool sim_config_check(const struct sim_config *config, struct weir_error *error);

/* Bytes of the smallest packet that any part of the config can make. */
uint32_t sim_config_smallest_packet(const struct sim_config *config);

/* True when some class of some switch is lossless. */
bool sim_config_is_lossless(const struct sim_config *config);

/* Part of that: hosts beside the classes and transports of the config. */
bool sim_config_check_hosts(const struct sim_config *config, struct weir_error *error);

/* How long an end of a link takes to obey a PAUSE, in bytes at the rate of the link. */
uint32_t sim_pfc_processing_bytes(const struct sim_pfc *pfc, weir_bps rate_bps);

/* From the settings of a tier and the links of one switch to the config of its memories: for the simulated switches,
 * and for the software switch that takes the place of one. */

/* The ports of one switch. */
struct switch_ports {
    uint32_t count;
    const weir_bps *rates_bps;                /* [count] */
    const struct weir_uplink *uplinks;        /* [count]: headroom included; used only where classes are lossless */
    uint64_t seed;                            /* of this switch's draws */
    const struct weir_oracle *const *oracles; /* [MMUs], or null: the tier's */
};

/* The headroom of a lossless queue that this link feeds; `uplink` is complete but for it. */
weir_cells switch_headroom_cells(const struct sim_switch *settings, const struct weir_uplink *uplink,
                                 weir_bps rate_bps);

/* The settings for these ports, as weir_switch_config_check and weir_switch_init want them. `mmu` is filled in; it and
 * what `ports` points to are referred to. */
struct weir_switch_config switch_config_make(const struct sim_switch *settings, const struct switch_ports *ports,
                                             struct weir_mmu_config *mmu);

#endif

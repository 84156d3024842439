/*
 * traffic.h - where flows come from. Open traffic (Poisson, queries, incast, bursts, lists) depends on nothing that
 * happens in the network, so it is drawn ahead of time, window by window, in one order: (time, index of the traffic,
 * stream within it). Closed traffic (all-to-all, all-reduce) continues at the host where a flow ended.
 *
 * Where the settings leave room:
 * - Nothing is launched at or after until_ps, whatever the kind: a collective stops there. Starts of listed flows and
 *   packets are absolute; those outside of [from, until) are left out.
 * - A rack is the set of hosts of one switch. The next rack belongs to the next higher switch that has hosts. Patterns
 *   choose among the hosts of the other range; a host without an eligible peer is an error. For QUERY, INCAST and
 *   BURSTS the pattern is seen from the client (a host of the destination range), and responders are of the source
 *   range, drawn each time. PERMUTATION needs ranges of equal size.
 * - The load of QUERY and BURSTS is the load of the client's link, for the mean bytes of a whole query or burst.
 * - A query is asked at its launch. With request_bytes its client sends each responder a request, a flow of the same
 *   transport that leaves no record, and an answer starts when the request is there; without, at the launch. Either way
 *   each answer waits for its own time, even in [0, spread_ps], before it starts; answers to what was asked before
 *   until_ps start later than that, too.
 * - `periodic` launches happen at from_ps and then every 1/rate_per_s, rounded to a picosecond. Exponential ones begin
 *   with a gap. POISSON cannot be periodic.
 * - INCAST and BURSTS have one destination: destination_count is 0 or 1.
 * - LONG: the j-th flow starts at from_ps + j interval_ps, counted over sources and then over `concurrency`. With a
 *   destination range and pattern UNIFORM the i-th source sends to the destination i modulo their number; else each
 *   source's partner is drawn once, by the pattern.
 * - ALL_TO_ALL and ALL_REDUCE are among the hosts of the source range; the destination range is left out (or the same),
 *   `group` is the round. Rounds follow each other at each host without waiting for the others. ALL_REDUCE sends
 *   bytes/2 over each edge of two trees, in both directions. `phased`: all flows of the reduction start at one moment,
 *   and all of the broadcast when the last of them has ended, lookahead_ps later; rounds follow each other likewise.
 * - ON_OFF: each source is off and on by turns, beginning with off, for times of a log-normal distribution; one flow
 *   per "on", as many bytes as fit into that time at on_rate_bps, headers included. A part long_share of the flows are
 *   long-lived, with a mean time, a rate, a transport and a tag of their own: they never meet another flow of the same
 *   source. Partners are as for LONG.
 * - JOB, COLLECTIVE: ranks on hosts of the source range, or on listed hosts; see sim/jobs/job.h. `group` is the round.
 * - LIST: where every trigger is fired and waited for at one host only, what it starts begins when it fires; else, for
 * all of the list, lookahead_ps later. The n-th to fire a multishot trigger is told by time, then by place in the list.
 * - MESSAGES: nothing by itself; traffic_add. Their ids are set aside, so that whenever they are added, nothing else
 *   changes its own.
 * - PACKETS: bytes is what remains of the packet without the header, at least 1; cookie is its class.
 */
#ifndef WORKLOAD_TRAFFIC_H
#define WORKLOAD_TRAFFIC_H

#include "sim/jobs/job.h"
#include "sim/topology/topology.h"
#include "sim/workload/sizes.h"

enum traffic_type {
#define TRAFFIC(constant, object, text) TRAFFIC_##constant,
#include "sim/workload/registry.def"
#undef TRAFFIC
    TRAFFIC_COUNT
};

extern const char *const traffic_kind_names[TRAFFIC_COUNT + 1]; /* ends with null */

enum traffic_pattern {
    TRAFFIC_PATTERN_UNIFORM,     /* any other host */
    TRAFFIC_PATTERN_OTHER_RACK,  /* any host on another switch */
    TRAFFIC_PATTERN_NEXT_RACK,   /* any host of the next switch, cyclically */
    TRAFFIC_PATTERN_PERMUTATION, /* a fixed random permutation without fixed points */
    TRAFFIC_PATTERN_ONE_TO_ONE,  /* host i to host i + hosts/2 */
    TRAFFIC_PATTERN_COUNT
};

/* One flow of a list. */
struct listed_flow {
    weir_ps start_ps; /* of one that waits for a trigger: WEIR_TIME_MAX, behind all that do not */
    uint32_t source, destination;
    int64_t bytes;
    uint32_t tag;
    uint32_t waits;                 /* number of the trigger that starts it, from 1; 0: it starts by the clock */
    uint32_t when_sent, when_there; /* likewise: that its end at the sender, at the receiver fires */
};

enum trigger_kind {
    TRIGGER_ONESHOT,   /* starts all that wait for it, once */
    TRIGGER_MULTISHOT, /* starts the next of them each time */
    TRIGGER_BARRIER    /* starts all of them when it has been fired `count` times */
};

struct listed_trigger {
    enum trigger_kind kind;
    uint32_t count;
};

/* One packet of a list. */
struct listed_packet {
    weir_ps start_ps;
    uint32_t source, destination;
    uint32_t bytes;
    uint8_t tc;
    bool ecn; /* its transport understands marks */
};

/* Where the ranks of a job are. */
enum traffic_placement {
    TRAFFIC_PLACE_LINEAR,  /* host after host */
    TRAFFIC_PLACE_RANDOM,  /* on hosts in a random order */
    TRAFFIC_PLACE_STRIDED, /* on every stride-th host, then on those behind these */
    TRAFFIC_PLACE_LISTED,  /* the host of each rank is given */
    TRAFFIC_PLACE_COUNT
};

struct traffic_job_settings {
    const struct goal *goal;
    struct job_settings engine; /* its rounds are traffic_settings.rounds */
    enum traffic_placement placement;
    uint32_t stride, ranks_per_host; /* LISTED knows neither */
    const uint32_t *hosts;           /* LISTED: [listed] */
    uint32_t listed;
    weir_bps local_bps;        /* between ranks of one host; 0: in no time */
    uint64_t collective_bytes; /* of a round that is a collective: as NCCL counts; 0: it is none */
    double bus_factor;         /* of its bus bandwidth; 0: it has none */
};

#define TRAFFIC_JOB_ENDS_MAX 100000000u /* rounds times ranks */

struct traffic_settings {
    enum traffic_type kind;
    uint32_t transport;        /* index into sim_config.transports */
    uint32_t tag;              /* of its flows: how measurement tells them apart; tag_names[tag] */
    weir_ps from_ps, until_ps; /* launches in [from, until) */
    /* hosts that send and that receive, both as ranges [first, first + count); count 0: all hosts */
    uint32_t source_first, source_count;
    uint32_t destination_first, destination_count;
    enum traffic_pattern pattern;
    /* POISSON: load of each sender's link, divided by `oversubscription`; QUERY, BURSTS: of each client's link, if
     * rate_per_s is 0 */
    const struct size_table *sizes; /* QUERY, INCAST, BURSTS: of each flow, when bytes is 0 */
    double load;
    double oversubscription; /* 1: none */
    /* QUERY, INCAST, BURSTS */
    double rate_per_s; /* per client (QUERY) or source set (BURSTS); exponential gaps unless `periodic` */
    bool periodic;
    uint32_t fan_out;      /* responders of a query, senders of an incast; 0: all eligible */
    uint32_t fan_out_min;  /* not 0: drawn evenly from fan_out_min to fan_out for each */
    int64_t bytes;         /* of a whole query or burst, shared evenly; of each flow for ALL_TO_ALL and LONG; of what
                            * each host contributes to ALL_REDUCE, half of it over each tree */
    uint32_t batch;        /* POISSON: flows that start together, each with a size and destination of its own; 0: one */
    int64_t request_bytes; /* QUERY, INCAST, BURSTS: of the request for an answer; 0: none is sent */
    weir_ps spread_ps;     /* likewise: an answer starts up to so much later */
    /* ALL_TO_ALL, ALL_REDUCE, LONG */
    uint32_t concurrency; /* flows a host keeps going; LONG: flows per (source, destination) pair */
    uint32_t rounds;      /* repetitions of the collective; INCAST: bursts */
    weir_ps interval_ps;  /* between INCAST bursts or LONG starts */
    bool phased;          /* ALL_REDUCE: phase after phase, else along the trees */
    /* ON_OFF */
    weir_ps on_ps, off_ps; /* means */
    double variation;      /* standard deviation of these times over their mean; 0: constant */
    weir_bps on_rate_bps;  /* of a flow's packets, with headers */
    double long_share;     /* of the flows that are long-lived; 0: none, and the following have no meaning */
    weir_ps long_on_ps;
    weir_bps long_rate_bps;
    uint32_t long_transport, long_tag;
    /* LIST, PACKETS: sorted by start */
    const struct listed_flow *flows;
    const struct listed_packet *packets;
    uint32_t listed;
    const struct listed_trigger *triggers; /* LIST: [trigger_count] */
    uint32_t trigger_count;
    bool triggers_apart;                    /* traffic_triggers_apart says so */
    const struct traffic_job_settings *job; /* JOB, COLLECTIVE; else null */
};

#define FLOW_ENDLESS INT64_MAX /* bytes of a flow that never ends */
#define FLOW_NO_GROUP UINT32_MAX

/* What traffic asks for. */
struct flow_request {
    uint32_t source, destination; /* hosts, different */
    int64_t bytes;                /* payload, at least 1, or FLOW_ENDLESS */
    weir_ps start_ps;
    weir_ps wait_ps;    /* from when its group was asked for to start_ps */
    uint32_t traffic;   /* index into sim_config.traffic */
    uint32_t transport; /* index into sim_config.transports */
    uint32_t tag;
    uint32_t group;        /* query or burst number within that traffic, or FLOW_NO_GROUP */
    uint32_t group_flows;  /* of the whole group; 0: those that are launched with it */
    uint32_t cookie;       /* the traffic's own, for what follows the flow's end */
    uint32_t packet_bytes; /* a single packet of exactly this size (TRAFFIC_PACKETS), else 0 */
    uint8_t packet_tc;     /* and of this class */
    bool packet_ecn;       /* it says that its transport understands marks */
    bool is_request;       /* asks for a flow, and is not measured as one */
};

/* Where and of what flows are made; the pointers stay the caller's. */
struct workload {
    uint64_t seed;
    const struct topology *topology;
    const uint32_t *host_switch;      /* [hosts]: the switch of a host, from 0 */
    uint32_t header_bytes, mss_bytes; /* of every packet */
    weir_ps lookahead_ps; /* how long after a flow's end it may affect hosts other than the one where it ended */
    const struct traffic_settings *traffic; /* [traffic_count] */
    uint32_t traffic_count;
    uint32_t tag_count;
};

/* A flow of closed traffic, as its traffic knows it. */
struct flow_ended {
    uint32_t traffic, source, destination, cookie;
    bool is_request;
    uint32_t group;
};

struct traffic;

/* How traffic reaches the rest of the simulation. */
struct traffic_sink {
    void *context;
    /* A flow with this id is to start at request->start_ps. */
    bool (*start)(void *context, uint32_t id, const struct flow_request *request);
    /* traffic_woken is to be called for this host and traffic at `when`: of jobs. Null: the traffic has none. */
    bool (*wake)(void *context, uint32_t host, uint32_t traffic, weir_ps when);
    const bool
        *pauses; /* null, or may become true: traffic_advance returns after that launch, of one flow or several */
};

#define TRAFFIC_PART "traffic" /* the part that errors name, with the index of the traffic */

/* Memory for every source; null with an error on bad settings or out of memory. Draws come
 * from streams named after the traffic's index and the host, e.g. "traffic/3/host/17"; fan-outs and sizes of QUERY,
 * INCAST and BURSTS from others ("traffic/3/shape/17"), delays of answers too ("traffic/3/delay/17"). What `workload`
 * points to must outlive it. */
struct traffic *traffic_create(const struct workload *workload, struct weir_error *error);
void traffic_free(struct traffic *traffic);

/* When the next open flow is launched; WEIR_NEVER when there is none. */
weir_ps traffic_next(const struct traffic *traffic);

/* Starts every open flow that is launched before `end`, in order; false: the sink refused (out of memory), no id is
 * left, or the sink pauses, and the next call goes on. Ids count from 1: first the blocks that closed traffics set
 * aside, in order; then open flows as they are made; requests count down from the last. The first flows of closed
 * traffic come from here too, at from_ps. */
bool traffic_advance(struct traffic *traffic, weir_ps end, const struct traffic_sink *sink);

/*
 * A flow of closed traffic ended at one of its ends; starts what follows from it at `now`: only flows whose source is
 * that same host (flow->source when `receiver` is false, else flow->destination), or a launch at least lookahead_ps
 * later. Their ids were set aside before and do not depend on the order of calls for different hosts.
 */
bool traffic_ended(struct traffic *traffic, const struct flow_ended *flow, bool receiver, weir_ps now,
                   const struct traffic_sink *sink);

/* The moment has come that the sink's `wake` was told; starts what follows at that host. False as of the sink. */
bool traffic_woken(struct traffic *traffic, uint32_t source, uint32_t host, weir_ps now,
                   const struct traffic_sink *sink);

/* A message of traffic of kind MESSAGES, and one of its ends that has happened. */
struct traffic_message {
    uint32_t traffic; /* index into sim_config.traffic */
    uint32_t source, destination;
    int64_t bytes;
    weir_ps start_ps;
    uint64_t tag; /* of who asks for it, to know it again */
};
struct traffic_message_end {
    struct traffic_message message;
    uint32_t id; /* of its flow */
    weir_ps when;
    bool receiver; /* has all; else the sender knows that it has */
};

/* Starts a message. False with an error: it cannot be, or memory is short (WEIR_ERROR_MEMORY), after which nothing can
 * go on. */
bool traffic_add(struct traffic *traffic, const struct traffic_message *message, uint32_t *id,
                 const struct traffic_sink *sink, struct weir_error *error);

/* Takes the first end that nobody has taken, by time, id, and the sender's before the receiver's; false: there is none.
 */
bool traffic_take_end(struct traffic *traffic, struct traffic_message_end *end);
bool traffic_first_end(const struct traffic *traffic, weir_ps *when); /* of which this is the time */

/* Some traffic takes messages; some of these are under way. */
bool traffic_takes_messages(const struct traffic *traffic);
bool traffic_waits_for_ends(const struct traffic *traffic);

/* The job of a traffic, null: it is none; and where one of its ranks is. */
struct job *traffic_job_of(const struct traffic *traffic, uint32_t source);
uint32_t traffic_job_host(const struct traffic *traffic, uint32_t source, uint32_t rank);

/* True when a flow of this traffic must be reported to traffic_ended. */
bool traffic_is_closed(const struct traffic_settings *source);

/* Sets *apart: some trigger of the list is fired at one host and waited for, or fired too, at another. False: out of
 * memory. */
bool traffic_triggers_apart(const struct traffic_settings *list, bool *apart);

/* True when what follows depends on ends at several hosts: traffic_ended then starts nothing, and the order in which
 * ends of one window are reported has no effect. */
bool traffic_is_joint(const struct traffic_settings *source);

#endif

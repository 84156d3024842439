/*
 * transport.h - the contract between transports and hosts. A transport is one file: a table of operations, a table of
 * settings, and a line in registry.def. It sees its flow, the host that it runs on and the time. It sends only when the
 * NIC asks (emit), so that a window or a rate is applied at the moment of sending and no queue of unsent packets
 * exists. The two ends of a flow may run on different threads (flow.h): what runs at one reads nothing that the other
 * writes.
 *
 * Two families share an implementation and have congestion controls below it: TCP (tcp.h) and RoCE (roce.h).
 */
#ifndef SIM_TRANSPORT_TRANSPORT_H
#define SIM_TRANSPORT_TRANSPORT_H

#include "lib/settings/setting.h"
#include "sim/engine/wire.h"
#include "sim/transport/flow.h"

struct host;
struct sim_transport;

enum transport_more {
    TRANSPORT_NOTHING, /* no packet was made, and none can be sent now */
    TRANSPORT_LAST,    /* one was made; no more for now */
    TRANSPORT_MORE     /* one was made, and the next may follow at once */
};

/* Packets of a flow without feedback, for its record. */
struct flow_packets {
    uint64_t sent, delivered;
    double delay_sum_ps, delay_squares; /* from the start of their transmission to delivery; ps, ps^2 */
    weir_ps delay_max_ps;
};

struct transport {
    const char *name; /* as scenario files write it */
    const char *title;
    const char *source;            /* paper or RFC, and deviations */
    const char *kernel;            /* Linux's name of it, for the testbed and weir-traffic; null: only simulated */
    bool reads_trimmed;            /* `data` takes packets whose payload a switch cut off (PACKET_TRIMMED) */
    bool sprays;                   /* packets of a flow take several paths: PACKET_ENTROPY */
    bool needs_marks;              /* slows down because of ECN marks alone: useless where no switch marks */
    const void *control;           /* the family's congestion control; null: no family */
    struct setting_table settings; /* of the struct that sim_transport.params holds */

    /* What values in range say together; `error` has the text, in the words of the settings. Null: anything goes. */
    bool (*check)(const void *params, const struct sim_wire *wire, struct weir_error *error);

    /* True when it draws from the host's seed with these settings. Null: it never does. */
    bool (*draws)(const void *params);

    /* True: flows start at their destination, which asks for them. Null: never. */
    bool (*starts_at_receiver)(const struct sim_transport *transport);

    /* The flow starts: runs on the source host, or where it starts. Calls host_flow_ready when it has something to
     * send. */
    void (*open)(struct host *host, struct flow *flow, weir_ps now);

    /* The NIC is free and it is the flow's turn. Fills `packet` (segment, bytes, flags; ack 0); the NIC fills in flow,
     * destination, class and sending time. A flow that answers LAST or NOTHING leaves the ready list. */
    enum transport_more (*emit)(struct host *host, struct flow *flow, struct packet *packet, weir_ps now);

    /* A data packet arrived at the destination. The packet stays the caller's, which takes it back afterwards. */
    void (*data)(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);

    /* Feedback arrived at the source; null: the transport has none. */
    void (*ack)(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);

    /* flow->sender_due_ps (runs on the source) or receiver_due_ps (on the destination) has come. Due times may be moved
     * later or to WEIR_NEVER freely; to move one earlier, or to set it first, call host_*_timer. Before the call the
     * due time is set to WEIR_NEVER. Null: never used. */
    void (*sender_timer)(struct host *host, struct flow *flow, weir_ps now);
    void (*receiver_timer)(struct host *host, struct flow *flow, weir_ps now);

    /* The flow's memory is about to be reused, or the run ends: give back what was allocated for it. May be null. */
    void (*close)(struct host *host, struct flow *flow);

    /* What became of the packets of a flow without feedback; null with feedback. */
    struct flow_packets (*packets)(const struct flow *flow);
};

#define TRANSPORT_PARAMS_BYTES 192u

/* Refuses at compile time structs that there is no room for. */
#define TRANSPORT_FITS(params, sender, receiver)                                                                       \
    static_assert(sizeof(params) <= TRANSPORT_PARAMS_BYTES, "more settings than TRANSPORT_PARAMS_BYTES");              \
    static_assert(sizeof(sender) <= FLOW_SENDER_BYTES, "the sender needs more than FLOW_SENDER_BYTES");                \
    static_assert(sizeof(receiver) <= FLOW_RECEIVER_BYTES, "the receiver needs more than FLOW_RECEIVER_BYTES")

#define TRANSPORT(name) extern const struct transport transport_##name;
#include "sim/transport/registry.def"
#undef TRANSPORT

/* All of them, null-terminated. */
extern const struct transport *const transport_table[];
const struct transport *transport_find(const char *name);

/* A transport with its settings, by which flows are sent. */
struct sim_transport {
    const struct transport *kind;
    uint32_t data_classes; /* bit c: a flow may draw class c for its data; 0: all have data_class */
    uint8_t data_class, ack_class;
    uint8_t preset;                                           /* of a scenario, while it is read */
    _Alignas(8) unsigned char params[TRANSPORT_PARAMS_BYTES]; /* the kind's own struct */
};

/* Everything at its default, class 0. */
void sim_transport_init(struct sim_transport *transport, const struct transport *kind);

/* The kernel's defaults; false: it has no such transport. */
bool sim_transport_init_kernel(struct sim_transport *transport);

/* Sets a number by the name that scenarios use, in the unit of its field; false: the kind has no such setting. */
bool sim_transport_set(struct sim_transport *transport, const char *name, int64_t value);

/* True when every setting is in range and they fit together. */
bool sim_transport_check(const struct sim_transport *transport, const struct sim_wire *wire, struct weir_error *error);

/* What a transport may ask of its host (sim/net/host.c). */

/* The flow has something to send: it takes its turn at the NIC. No effect when it waits there already. */
void host_flow_ready(struct host *host, struct flow *flow);

/* A fresh packet for feedback on `flow`, addressed to its source; send it with host_send. Null: out of memory, which
 * ends the run with an error. */
struct packet *host_feedback(struct host *host, struct flow *flow);

/* The same in the other direction: of the sender, without payload, as large as an ACK and of its class. */
struct packet *host_control(struct host *host, struct flow *flow);
void host_send(struct host *host, struct packet *packet);

/* Sets the due time of one end of the flow and makes sure that the host wakes for it. */
void host_sender_timer(struct host *host, struct flow *flow, weir_ps due);
void host_receiver_timer(struct host *host, struct flow *flow, weir_ps due);

/* Every byte was acknowledged (or, without feedback, sent). The flow may be gone after the call if the receiver is done
 * too: return at once. */
void host_sender_done(struct host *host, struct flow *flow, weir_ps now);

/* The receiver has every byte. Sets finish_ps. The flow may be gone after the call. */
void host_receiver_done(struct host *host, struct flow *flow, weir_ps now);

/* Payload that arrived for the first time, for goodput. */
void host_delivered(struct host *host, struct flow *flow, uint32_t bytes, weir_ps now);

/* How long a packet was under way, for the delays of its tag; only of transports without feedback. */
void host_delayed(struct host *host, struct flow *flow, weir_ps delay_ps);

/* Memory that the flows of a host share, of this size whoever asks; zeroed at first, and the host's to free. Null: out
 * of memory, which ends the run with an error. */
void *host_shared(struct host *host, size_t bytes);

/* What transports count by tag. */
enum host_count {
    HOST_AGAIN_NACK,  /* segments sent again because a trimmed one was reported */
    HOST_AGAIN_SLEEK, /* because of packets out of order, or a probe */
    HOST_AGAIN_TIMEOUT,
    HOST_SPURIOUS,  /* segments that arrived whole and had arrived before */
    HOST_REORDERED, /* segments that arrived while an earlier one was missing */
    HOST_ACKS,
    HOST_NACKS,
    HOST_PULLS,
    HOST_COUNTS
};
void host_count(struct host *host, uint32_t tag, uint32_t what);

const struct sim_wire *host_wire(const struct host *host);
uint64_t host_seed(const struct host *host);
weir_bps host_rate(const struct host *host);

/* The largest round-trip time between any two hosts of the empty network. */
weir_ps host_base_rtt(const struct host *host);

#define TRANSPORT_BDP                                                                                                  \
    (-1) /* for a number of bytes: one product of link rate and round trip of the flow's empty path                    \
          */

/* How many segments of a flow begin within its first `bytes`. Their packets, retransmissions too, are marked as
 * unscheduled: no feedback has told the sender how fast to send them. */
static inline uint32_t host_unscheduled(const struct host *host, const struct flow *flow, int64_t bytes)
{
    uint32_t mss_bytes = host_wire(host)->mss_bytes;
    if (bytes == TRANSPORT_BDP)
        bytes = (int64_t)((double)host_rate(host) * (double)flow->base_rtt_ps / (8.0 * (double)WEIR_PS_PER_S));
    int64_t segments = (bytes + mss_bytes - 1) / mss_bytes;
    return segments < flow->segments ? (uint32_t)segments : flow->segments;
}

#define TRANSPORT_UNSCHEDULED_SETTING(type)                                                                            \
    {                                                                                                                  \
        .name = "unscheduled", .unit = SETTING_PAYLOAD, .later = true, SETTING_FIELD(type, unscheduled_bytes),         \
        .initial = TRANSPORT_BDP, .min = 0, .max = INT64_C(1) << 40, .word = "bdp", .word_value = TRANSPORT_BDP,       \
        .help = "First bytes of a flow, which policies may favour (abm); bdp: link rate times the round trip of the "  \
                "flow's empty path."                                                                                   \
    }

/* The pool of telemetry, and a new record of it (TELEMETRY_NONE: out of memory, which ends the run with an error). */
struct telemetry_pool *host_telemetry(const struct host *host);
uint32_t host_telemetry_new(struct host *host);

/* Gives the flow a connection between its hosts, of its transport, that rests: the one that came to rest last, or a new
 * one. It runs where the flow starts, as does the second, after which the connection rests. Out of memory: the flow has
 * none, and the run ends with an error. */
void host_connection_take(struct host *host, struct flow *flow);
void host_connection_rest(struct host *host, struct flow *flow);

/* Memory for a flow's bitmaps: `words` of 64 bits, zeroed; free with the same size. Null: out of memory, which ends the
 * run with an error after this event. */
uint64_t *host_words(struct host *host, uint32_t words);
void host_words_free(struct host *host, uint64_t *memory, uint32_t words);

#endif

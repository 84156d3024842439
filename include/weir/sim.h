/*
 * sim.h - the packet-level simulator in a program of one's own: libweir-sim, pkg-config weir-sim.
 *
 *     struct weir_sim_source source = {.size = sizeof source, .text = text, .folder = "."};
 *     struct weir_sim *sim = weir_sim_create(&source, &error);
 *     weir_sim_step(sim, WEIR_NEVER, &error);
 *     weir_sim_measure(sim, "burst.qct.p99", &seconds, &error);
 *     weir_sim_free(sim);
 *
 * A scenario is the text of a file as `weir run` reads it, and gives the same bytes here. The library prints nothing,
 * ends no program, handles no signals and writes no files; what goes wrong comes back as a struct weir_error. It reads
 * the files that a scenario names, and only where a folder is given. `limits` of a scenario are not enforced, and its
 * training rows are not written.
 *
 * A simulation belongs to one thread at a time, not to its policies; several run at once, each in its own. What it
 * returns as a pointer is its own, and good until its next step or its end. An error may be null.
 */
#ifndef WEIR_SIM_H
#define WEIR_SIM_H

#include "weir/error.h"
#include "weir/policy.h"
#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number in the SONAME of libweir-sim: it grows when a program that was compiled before would no longer work. */
#define WEIR_SIM_ABI 2

struct weir_sim;

/* What is simulated. */
struct weir_sim_source {
    size_t size;            /* of this struct, as the program knows it: later versions may have more */
    const char *text;       /* the scenario, YAML */
    const char *origin;     /* what messages call it; null: "scenario" */
    const char *folder;     /* where files that it names are looked for; null: it may name none */
    const char *const *set; /* [set_count]: changes as those of --set, "switch.policy.alpha=2" */
    uint32_t set_count;
    uint32_t run;       /* which of the runs that it describes, from 0; a sweep has more than one: weir_sim_runs */
    const char *follow; /* packets that weir_sim_packets is to know, as `weir run --follow` has it: "all", "12-20",
                         * "query", "h3-h7"; null: none */
};

/* How many runs it describes: points of its sweep times seeds, the seed changing fastest. 0 after an error. */
uint32_t weir_sim_runs(const struct weir_sim_source *source, struct weir_error *error);

/* "policy=DT, load=0.4, seed 3": the place of source->run in the sweep. False after an error. */
bool weir_sim_run_name(const struct weir_sim_source *source, char name[256], struct weir_error *error);

/* Builds it; nothing has happened yet. The source may be released. Null after an error, which names the place. */
struct weir_sim *weir_sim_create(const struct weir_sim_source *source, struct weir_error *error);
void weir_sim_free(struct weir_sim *sim); /* null: nothing */

enum weir_sim_state {
    WEIR_SIM_RUNNING, /* there is more to come */
    WEIR_SIM_DONE,    /* its end was reached, or nothing was left to happen */
    WEIR_SIM_FAILED   /* an error; results are not valid */
};

/*
 * Simulates until every event before `until` has happened; WEIR_NEVER: to the end. However it is cut into steps, the
 * results are the same. Time is simulated in windows shorter than the delay of any link, and the last one is not left
 * half-way: a few events of a later time may have happened too. The first step of a scenario with a perfect oracle also
 * makes the run of LQD that the oracle knows.
 */
enum weir_sim_state weir_sim_step(struct weir_sim *sim, weir_ps until, struct weir_error *error);

/* Makes the step under way, or else the next one, return soon: RUNNING, and it can continue. From any thread, or from a
 * signal handler. */
void weir_sim_stop(struct weir_sim *sim);

struct weir_sim_progress {
    enum weir_sim_state state;
    weir_ps now;          /* every event before it has happened */
    weir_ps until;        /* when the simulation ends at the latest */
    uint64_t packet_hops; /* packets sent over a link so far */
    uint64_t flows_started, flows_ended;
};
void weir_sim_progress(const struct weir_sim *sim, struct weir_sim_progress *progress);

/* A hash of every result so far: of a run that has ended, the same as in `weir run --json`. */
uint64_t weir_sim_digest(const struct weir_sim *sim);

/* The id by which results of this configuration are stored: 16 hexadecimal digits. */
const char *weir_sim_id(const struct weir_sim *sim);

/* Every value of the configuration, as a scenario; the name of one of its tags, null: there is none; what may not have
 * been meant, one line, null: nothing more. */
const char *weir_sim_config(const struct weir_sim *sim);
const char *weir_sim_tag(const struct weir_sim *sim, uint32_t tag);
const char *weir_sim_warning(const struct weir_sim *sim, uint32_t number);

/*
 * Measures have the names of docs/reference/measures.md and may be read at any time; before the end they say what
 * happened so far, and flows that have not ended are not in them. NaN: this run has no such value, as a tag that lost
 * nothing has no first loss. False after an error: no run of this scenario can have it (WEIR_ERROR_UNKNOWN), or memory
 * is short.
 */
bool weir_sim_measure(struct weir_sim *sim, const char *name, double *value, struct weir_error *error);

struct weir_sim_value {
    const char *name;
    const char *unit; /* "s", "B", "bit/s" or "1" */
    double value;
};

/* A distribution, "burst.fct.cdf", or a series over time, "probe.s0-h3.queue": of a long one, 4000 points among which
 * are the highest and the lowest of each part. */
struct weir_sim_curve {
    const char *name;
    const char *x_unit, *y_unit;
    const double *points; /* [2 * count]: x and y in turn; y NaN: no value there */
    uint32_t count;
};

/* All that this run has, by number from 0; false: there are no more, or memory is short (error->code says which). */
bool weir_sim_value_at(struct weir_sim *sim, uint32_t number, struct weir_sim_value *value, struct weir_error *error);
bool weir_sim_curve_at(struct weir_sim *sim, uint32_t number, struct weir_sim_curve *curve, struct weir_error *error);

#define WEIR_SIM_NO_QUERY UINT32_MAX

/* A flow that has ended, or was open when the run did. */
struct weir_sim_flow {
    uint32_t id, tag;             /* tag: weir_sim_tag */
    uint32_t traffic;             /* number of its item in `traffic` */
    uint32_t query;               /* query or burst that it is of, or WEIR_SIM_NO_QUERY */
    uint32_t source, destination; /* hosts */
    int64_t bytes;                /* asked for; -1: as much as it can */
    int64_t delivered_bytes;
    weir_ps start_ps, finish_ps, ideal_ps; /* finish and ideal: WEIR_NEVER: it has none */
    uint32_t timeouts, resent, lost;       /* lost: packets, feedback too */
    uint32_t unused;
    uint64_t packets_sent, packets_delivered; /* of udp */
};

/* Copies flows from number `first` on, at most `room`, and returns how many: 0 behind the last. By id once the run has
 * ended, before that ordered by their ends. */
uint32_t weir_sim_flows(const struct weir_sim *sim, uint32_t first, struct weir_sim_flow *flows, uint32_t room);

#define WEIR_SIM_NO_NODE UINT32_MAX

/* Something that happens to a packet. Nodes are numbered: hosts first, then switches. */
struct weir_sim_packet {
    weir_ps when;
    const char *kind;     /* "data", "ack", "nack" and so on */
    const char *event;    /* "sent", "queued", "left", "trimmed"; "received", "refused", "lost" */
    const char *why;      /* of the last two, "over-threshold", "pushout"; null: of the others */
    int64_t queue_bytes;  /* in its queue then; -1: it is in none */
    uint32_t source;      /* host that sent it; with the next it names the packet */
    uint32_t number;      /* among those of that host that are followed, from 1 */
    uint32_t destination; /* host */
    uint32_t flow, tag;
    uint32_t sequence; /* of data: its number in the flow, from 0 */
    uint32_t ack;      /* of feedback: the next number expected */
    uint32_t bytes;
    uint32_t node, next; /* where; next: the node that its queue leads to, or WEIR_SIM_NO_NODE */
    uint32_t hops;       /* links that it has behind it */
    uint32_t tc;
    bool feedback, marked, resent;
};

/* Copies what has happened to followed packets (source.follow), from number `first` on, at most `room`, ordered by
 * time, and returns how many: 0 behind the last. All of it stays in memory. */
uint32_t weir_sim_hosts(const struct weir_sim *sim); /* of its topology */
uint32_t weir_sim_packets(const struct weir_sim *sim, uint32_t first, struct weir_sim_packet *packets, uint32_t room);

struct weir_sim_point {
    weir_ps when;
    int64_t queue_bytes, threshold_bytes, used_bytes; /* threshold: -1: none; used: of the whole memory */
};

/* The whole series of a probe of the scenario, likewise; its place as in names of measures, null: there is no such
 * probe. */
uint32_t weir_sim_points(const struct weir_sim *sim, uint32_t probe, uint32_t first, struct weir_sim_point *points,
                         uint32_t room);
const char *weir_sim_probe(struct weir_sim *sim, uint32_t probe, struct weir_error *error);

/*
 * Messages that the program adds while the simulation goes on, and timers of its own in the same clock: it asks for
 * what happens next, and answers. Traffic of `kind: messages` takes them; by its item they have a transport, a class
 * and a tag. What is answered at the moment of an event happens at that moment, at any host: no event of later has
 * happened. However time is cut into calls, and with any number of threads, the same calls at the same times give the
 * same bytes.
 *
 *     weir_sim_find_messages(sim, "gradients", &message.traffic, &error);
 *     weir_sim_add_message(sim, &message, NULL, &error);
 *     while (weir_sim_next(sim, WEIR_NEVER, &event, &error) == WEIR_SIM_RUNNING)
 *         answer(sim, &event);
 */
struct weir_sim_message {
    size_t size; /* of this struct, as the program knows it */
    uint32_t source, destination;
    int64_t bytes;
    uint32_t traffic; /* number of its item in `traffic` */
    uint64_t tag;     /* the program's own: its events have it */
    weir_ps start;    /* 0: now */
};

/* The item of kind messages whose `tag` this is; null: the first one. False: there is none. */
bool weir_sim_find_messages(const struct weir_sim *sim, const char *tag, uint32_t *traffic, struct weir_error *error);

/* *id, which may be null, is that of its flow. False after an error, which names what is wrong; nothing has changed,
 * unless memory is short: then the simulation has failed. */
bool weir_sim_add_message(struct weir_sim *sim, const struct weir_sim_message *message, uint32_t *id,
                          struct weir_error *error);

/* An event at `when`, now or later. One that is due when the simulation has ended never comes. */
bool weir_sim_add_timer(struct weir_sim *sim, weir_ps when, uint64_t tag, struct weir_error *error);

enum weir_sim_what {
    WEIR_SIM_NOTHING,  /* `until` was reached, it was stopped, or it is done */
    WEIR_SIM_TIMER,    /* its time has come */
    WEIR_SIM_SENT,     /* the sender of a message knows that all of it has arrived */
    WEIR_SIM_RECEIVED, /* the receiver has all of it */
};

struct weir_sim_event {
    enum weir_sim_what what;
    uint32_t id; /* of a message: its flow's */
    uint64_t tag;
    weir_ps when;
    uint32_t source, destination, traffic; /* of a message */
    uint32_t unused;
    int64_t bytes;
};

/*
 * Goes on to the next event, or until every event before `until` has happened. RUNNING: look at event->what. DONE:
 * nothing is left. Without an `until`, messages under way or timers, the simulation goes to its end, and takes no more
 * messages. Events come by time; at one moment timers first, then messages by id, each in the order of its adding, a
 * sender's before the receiver's. What happened during weir_sim_step is told by the calls that follow.
 */
enum weir_sim_state weir_sim_next(struct weir_sim *sim, weir_ps until, struct weir_sim_event *event,
                                  struct weir_error *error);

/*
 * Policies that are not weir's own, for scenarios that are built afterwards: of a file (weir/plugin.h), or of the
 * program, where they must stay until the last simulation that uses them is gone. They are known to the whole program
 * and stay so; a policy of the program takes the place of its earlier one of the same name. Scenarios never load code:
 * `policy: {name: mine, file: mine.so}` is held to a file that was loaded here.
 */
bool weir_sim_load_policies(const char *path, struct weir_error *error);
bool weir_sim_add_policy(const struct weir_policy *policy, struct weir_error *error);

/* By name: weir's own, and those; null: there is none. */
const struct weir_policy *weir_sim_find_policy(const char *name);

#ifdef __cplusplus
}
#endif

#endif

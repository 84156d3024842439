/*
 * internal.h - the inside of traffic, shared by the files that make it up: a source per configured traffic, a
 * table of functions per kind, and streams, each of which knows when it launches next.
 *
 *   traffic.c               the streams of all sources in one heap by (time, traffic, stream); ids; the public calls
 *   source.c                what the kinds have in common
 *   flows.c                 POISSON, LONG, LIST, PACKETS
 *   triggers.c              flows of LIST that wait for others
 *   on_off.c                ON_OFF
 *   gather.c                QUERY, INCAST, BURSTS: many answer one
 *   all_to_all.c            ALL_TO_ALL
 *   all_reduce.c            ALL_REDUCE
 *   job.c                   JOB
 *   messages.c              MESSAGES
 *   peers.c                 the patterns
 */
#ifndef WORKLOAD_INTERNAL_H
#define WORKLOAD_INTERNAL_H

#include "sim/workload/peers.h"
#include "sim/workload/traffic.h"

struct traffic_source;
struct traffic_job;      /* job.c */
struct traffic_messages; /* messages.c */
struct traffic_triggers; /* triggers.c */

/* What launches flows by itself: a sender, a client, a list. */
struct traffic_stream {
    struct weir_random random;
    struct weir_random shape; /* QUERY, INCAST, BURSTS: of fan-outs and sizes, so that times and peers do not move */
    struct weir_random delay; /* likewise: of how much later answers start */
    weir_ps due_ps;           /* next launch; WEIR_NEVER: no more */
    double gap_ps;            /* mean time between launches */
    uint32_t source;          /* index of the traffic */
    uint32_t host;
};

struct traffic_kind {
    /* Checks the settings, takes memory, sets stream_count, stream_host and id_count. False with what is wrong. */
    bool (*prepare)(struct traffic_source *source, struct weir_error *error);

    /* Sets the gap and the first launch of a stream whose host and random stream are set. */
    void (*open)(struct traffic_source *source, struct traffic_stream *stream);

    /* Starts what is due at stream->due_ps and sets it to the next launch. False: the sink refused. */
    bool (*launch)(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink);

    /* As traffic_ended; null: open traffic. */
    bool (*ended)(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                  const struct traffic_sink *sink, weir_ps now);

    /* As traffic_woken; null: never used. */
    bool (*woken)(struct traffic_source *source, uint32_t host, const struct traffic_sink *sink, weir_ps now);
    bool closed_by_requests; /* closed only with request_bytes */
    bool closed_by_triggers; /* only with triggers */
};

/* One host of an all-to-all. */
struct all_to_all_host {
    uint64_t key;  /* of its random orders */
    uint32_t sent; /* flows started so far, over all rounds */
};

/* One host of an all-reduce: two trees. */
struct all_reduce_host {
    uint32_t round;
    uint32_t from_children[2]; /* flows received from children, over all rounds */
    uint32_t trees_done;       /* of this round */
};

/* All of an all-reduce that goes phase by phase. */
struct all_reduce_phase {
    uint32_t number;  /* even: reduce, odd: broadcast, of round number / 2 */
    uint32_t left;    /* flows of it that have not ended */
    weir_ps ended_ps; /* the latest end of those that have */
};

/* What a request asks for. */
struct gather_answer {
    int64_t bytes;
    weir_ps asked_ps, delay_ps; /* when the query was launched; from the request's arrival to the answer's start */
    uint32_t id, group, group_flows;
};

struct traffic_source {
    const struct traffic_kind *kind;
    const struct traffic_settings *config;
    struct traffic *traffic;
    uint32_t index;                           /* into sim_config.traffic */
    struct peers_range sources, destinations; /* with 0 replaced by all hosts */
    uint32_t stream_count;
    uint32_t stream_host; /* of the first stream; the next have the next hosts */
    uint64_t id_count;    /* set aside for closed traffic */
    uint32_t first_id;    /* of these */
    struct peers peers;
    uint32_t groups;               /* launched so far */
    uint64_t at;                   /* LIST, PACKETS: next entry; LONG: next flow; MESSAGES: added so far */
    uint32_t *partners;            /* LONG, ON_OFF: destination of each source */
    struct gather_answer *answers; /* [answer_count]: all that were asked for by a request, by cookie */
    uint32_t answer_count, answer_room;
    uint32_t first_stream;              /* of the traffic's streams */
    struct all_to_all_host *all_to_all; /* [sources.count] */
    struct all_reduce_host *all_reduce; /* [sources.count] */
    struct all_reduce_phase phase;
    struct traffic_job *job;           /* null: none */
    struct traffic_triggers *triggers; /* likewise */
};

struct traffic_due {
    weir_ps when;
    uint32_t stream;
};

struct traffic {
    struct workload given;
    weir_bps *host_rate;            /* [hosts]: of its link */
    struct traffic_source *sources; /* [source_count] */
    struct traffic_stream *streams; /* by traffic, then by stream */
    struct traffic_due *due;        /* heap of the streams that will launch */
    uint32_t source_count, stream_count, due_count;
    uint64_t next_id;                  /* of open traffic */
    uint64_t last_id;                  /* of the next request */
    struct traffic_messages *messages; /* of all items that take some; null: none does */
};

#define TRAFFIC(constant, object, text) extern const struct traffic_kind traffic_##object;
#include "sim/workload/registry.def"
#undef TRAFFIC

/* "traffic/<index>/<what>/<host>" */
struct weir_random traffic_random(const struct traffic_source *source, const char *what, uint32_t host);

/* `when` if launches are still allowed then, else WEIR_NEVER. */
static inline weir_ps traffic_in_time(const struct traffic_source *source, weir_ps when)
{
    return when < source->config->until_ps ? when : WEIR_NEVER;
}

/* True when settings are in range, else what is wrong. */
bool traffic_check_rate(double rate_per_s, struct weir_error *error);
bool traffic_check_load(const struct traffic_source *source, struct weir_error *error);
bool traffic_check_bytes(const struct traffic_source *source, int64_t bytes, struct weir_error *error);
bool traffic_check_sizes(const struct traffic_source *source, struct weir_error *error);

/* The rate per second at which flows of this mean size load the host's link as configured. */
double traffic_load_rate(const struct traffic_source *source, uint32_t host, double mean_bytes);

/* The launch that follows one at `after`: an exponential gap, or exactly the mean when `periodic`. */
weir_ps traffic_following(const struct traffic_source *source, struct traffic_stream *stream, weir_ps after);

/* Fills in `peers`: `asking` and `eligible` are roles of the source's two ranges. */
bool traffic_peers(struct traffic_source *source, struct peers_range asking, struct peers_range eligible,
                   struct weir_error *error);

/* Fills in `partners`: by the two ranges when a destination range is given and the pattern is the plain one. */
bool traffic_partners(struct traffic_source *source, struct weir_error *error);

/* What all-to-all and all-reduce have in common: one stream, and a block of ids, so many for each round. */
bool traffic_prepare_collective(struct traffic_source *source, uint64_t round_ids, struct weir_error *error);

/* A request with everything that the source itself decides. */
struct flow_request traffic_request(const struct traffic_source *source, weir_ps start_ps);

/* Starts an open flow with the next id. */
bool traffic_start(struct traffic_source *source, const struct flow_request *request, const struct traffic_sink *sink);

/* Starts a request, whose ids count down. */
bool traffic_ask(struct traffic_source *source, const struct flow_request *request, const struct traffic_sink *sink);

/* The first stream of a source, which has no launch left, gets one. */
void traffic_due_again(struct traffic_source *source, weir_ps when);

/* Its second stream launches at `when` at the latest. */
void traffic_due_by(struct traffic_source *source, weir_ps when);

void traffic_job_free(struct traffic_job *job);
void traffic_messages_free(struct traffic_messages *messages);

/* The flow of this place in a list starts at `when`. */
bool list_start(const struct traffic_source *source, uint32_t place, weir_ps when, const struct traffic_sink *sink);

/* Of a list with triggers, which is otherwise checked. */
bool triggers_prepare(struct traffic_source *source, struct weir_error *error);
bool triggers_launch(struct traffic_source *source, struct traffic_stream *stream, const struct traffic_sink *sink);
bool triggers_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                    const struct traffic_sink *sink, weir_ps now);
void triggers_free(struct traffic_triggers *triggers);

#endif

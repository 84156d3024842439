/*
 * counters.h - what a switch counted: dumps of `show priority-group watermark`, `show queue watermark`,
 * `show pfc counters` and their kind, SAI counters in CSV and JSON (also a dump of COUNTERS_DB), and high-frequency
 * telemetry (IPFIX). A series is one counter of one object over all files that were read, in their order.
 */
#ifndef OPERATE_COUNTERS_COUNTERS_H
#define OPERATE_COUNTERS_COUNTERS_H

#include "cli/data_frame.h"
#include "operate/model/model.h"

#define COUNTERS_FILE_MAX (64u << 20) /* bytes */

enum counters_kind {
    COUNTERS_SHARED,        /* bytes of the shared pool that a priority group held at most */
    COUNTERS_HEADROOM,      /* likewise of headroom */
    COUNTERS_DROPPED,       /* packets that a group refused */
    COUNTERS_QUEUE,         /* bytes that a queue held at most */
    COUNTERS_QUEUE_DROPPED, /* packets */
    COUNTERS_QUEUE_SENT,    /* packets */
    COUNTERS_MARKED,        /* packets with ECN */
    COUNTERS_PFC_SENT,      /* pause frames to the peer, by priority */
    COUNTERS_PFC_HEARD,     /* from it */
    COUNTERS_POOL,          /* bytes that a pool held at most */
    COUNTERS_POOL_HEADROOM, /* likewise its shared headroom */
    COUNTERS_STORMS,        /* that the watchdog detected at a queue */
    COUNTERS_KINDS
};

struct counters_series {
    const char *object; /* a port or a pool */
    uint32_t index;     /* group, queue or priority; of a pool 0 */
    enum counters_kind kind;
    int64_t first, last, most;
    uint32_t samples;
    uint32_t next; /* of the same hash */
};

/* A field of an IPFIX template, and the name of an object of telemetry by its number. */
struct counters_label {
    uint32_t type, number; /* of SAI's object types */
    const char *object;    /* "Ethernet0|3" */
};

struct counters {
    struct arena arena;
    struct sonic_list series, labels, templates; /* of the structs above; of struct ipfix_template */
    uint32_t *buckets, bucket_count;
    uint32_t files, values;
    uint32_t unnamed; /* values of telemetry whose object nothing names */
};
#define COUNTERS_SERIES(c) ((struct counters_series *)(c)->series.at)

void counters_init(struct counters *counters);
void counters_free(struct counters *counters);

/* The content of one file, of whichever form. False with an error: it is none of them, or broken; values before the
 * place of the error stay. */
bool counters_add(struct counters *counters, const char *name, const char *text, size_t size, struct weir_error *error);

/* Null: nobody counted it. */
const struct counters_series *counters_find(const struct counters *counters, enum counters_kind kind,
                                            const char *object, uint32_t index);

enum alarm_level { ALARM_NOTE, ALARM_WARNING, ALARM_ERROR };

/* Whether a group pauses under the measured load. */
enum counters_verdict {
    COUNTERS_UNKNOWN,
    COUNTERS_NO_PAUSE, /* even if all watermarks were of one moment */
    COUNTERS_PERHAPS,  /* if they were; not alone */
    COUNTERS_PAUSE,    /* alone */
    COUNTERS_BEYOND,   /* more than the configuration lets it hold */
};

/* A lossless group beside its limits, bytes; SONIC_ABSENT: not counted, or not known. */
struct counters_group {
    const struct sonic_group *group;
    int64_t shared, headroom, dropped, sent;
    int64_t alone, together; /* of the shared pool when it pauses: alone; beside all other watermarks */
    int64_t xoff;
    double part; /* the larger share of its limits */
    enum counters_verdict verdict;
};

struct counters_queue {
    const char *port;
    uint32_t queue;
    int64_t held, limit, dropped, sent, marked;
    double part;
};

struct counters_alarm {
    enum alarm_level level;
    const char *where, *text, *mend;
};

struct counters_judgement {
    struct arena arena;
    struct sonic_list groups, queues,
        alarms; /* of the structs above, the nearest to its limit first, the worst first */
};
#define JUDGED_GROUPS(j) ((struct counters_group *)(j)->groups.at)
#define JUDGED_QUEUES(j) ((struct counters_queue *)(j)->queues.at)
#define JUDGED_ALARMS(j) ((struct counters_alarm *)(j)->alarms.at)

/* Beside a configuration. False: memory was short. Release it either way. */
bool counters_judge(struct counters_judgement *judgement, const struct counters *counters,
                    const struct sonic_model *model);
void counters_judgement_free(struct counters_judgement *judgement);

/* The page, and everything: an exit code. */
int counters_show(const struct counters_judgement *judgement, const struct counters *counters, uint32_t most);
struct data_frame *counters_frame(const struct counters_judgement *judgement, const struct counters *counters);

#endif

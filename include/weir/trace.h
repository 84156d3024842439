/*
 * trace.h - a recording of everything that happened at one MMU, compact and versioned.
 *
 * A trace is a header (format version, the MMU's configuration and its policy with every parameter) and one record
 * per entry point with its outcome; now and then, and at the end, a state hash. It is enough to run the same events
 * again through the MMU or the naive model and compare every verdict, victim and hash. Here are the bytes; files and
 * compression are the applications' business.
 *
 * Encoding: a record is a tag byte and LEB128 varints, times as differences. docs/reference/trace-format.md has the
 * tables.
 */
#ifndef WEIR_TRACE_H
#define WEIR_TRACE_H

#include "weir/mmu.h"
#include "weir/oracle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_TRACE_VERSION 4u /* of an MMU whose policy looks at no flows: 3, and that trims no class: 2 */
#define WEIR_TRACE_MAGIC "weirtrc\n"

enum weir_record_kind {
    WEIR_REC_END, /* last record: number of records before it, the state hash, and a checksum of all bytes */
    WEIR_REC_ARRIVE,
    WEIR_REC_DEPART,
    WEIR_REC_EXPEL,
    WEIR_REC_PAUSE,
    WEIR_REC_FLUSH,
    WEIR_REC_ADVANCE,
    WEIR_REC_HASH,   /* state hash after the records so far */
    WEIR_REC_CHANGE, /* new parameter values of a policy */
    WEIR_REC_KINDS
};

#define WEIR_TRACE_LOST_MAX 4096u

struct weir_record {
    enum weir_record_kind kind;
    weir_ps now;
    struct weir_packet packet;                  /* ARRIVE; the handle is not recorded */
    struct weir_flow flow;                      /* ARRIVE, where flows are recorded: packet.flow points to it */
    weir_port port;                             /* DEPART, PAUSE, FLUSH */
    uint32_t class_mask;                        /* PAUSE, FLUSH */
    weir_ps until;                              /* PAUSE */
    bool accepted, marked;                      /* ARRIVE */
    enum weir_reason reason;                    /* ARRIVE, refused */
    bool departed;                              /* DEPART */
    weir_account account;                       /* DEPART, departed */
    uint32_t index;                             /* DEPART, departed: low bits of its arrival index */
    uint64_t hash;                              /* HASH, END */
    uint64_t count;                             /* END */
    bool ingress;                               /* CHANGE */
    struct weir_values values;                  /* CHANGE */
    uint32_t lost_count;                        /* any: packets lost */
    struct weir_lost lost[WEIR_TRACE_LOST_MAX]; /* handle is 0 */
};

/* Writing: bytes go to `flush` as the buffer fills and at the end. */
struct weir_trace {
    /* Set by the caller, who owns the buffer of at least WEIR_TRACE_BUFFER_MIN bytes. */
    uint8_t *buffer;
    size_t size;
    bool (*flush)(void *context, const uint8_t *bytes, size_t count);
    void *context;
    uint64_t hash_every; /* records between hashes; 0: only at the end */
    /* The writer's own. */
    size_t used;
    weir_ps last_ps;
    uint64_t records;
    uint64_t checksum; /* of all bytes so far */
    uint32_t classes;
    const struct weir_policy *egress, *ingress;
    bool failed; /* a flush returned false: nothing more is written */
    bool trims;  /* some class is trimmed */
    bool flows;  /* the policy looks at flows */
};

#define WEIR_TRACE_BUFFER_MIN 65536u

/* Writes the header. */
void weir_trace_begin(struct weir_trace *trace, const struct weir_mmu_config *config);

/* Writes the END record with the MMU's hash and flushes. False when any write failed. */
bool weir_trace_end(struct weir_trace *trace, const struct weir_mmu *mmu);

/* What a header may hold for each port: memory that the caller of weir_trace_open gives. */
struct weir_trace_ports {
    weir_bps rates_bps[WEIR_PORTS_MAX]; /* output ports, then input ports */
    struct weir_uplink uplinks[WEIR_PORTS_MAX];
};

/* Reading, from a complete image in memory. */
struct weir_trace_reader {
    const uint8_t *bytes;
    size_t size, at; /* `at` is the place of the record last returned or of the error */
    size_t next;
    weir_ps last_ps;
    uint64_t records;
    uint64_t checksum;             /* of all bytes before `next` */
    uint32_t ports, classes;       /* of the MMU, to check indices against */
    struct weir_mmu_config config; /* what the header says; its pointers point into this struct, or the memory */
    struct weir_values egress_values, ingress_values;
    bool oracle; /* the MMU had one; its answers are not in the trace */
    struct weir_oracle_about oracle_about;
    bool ended; /* the END record has been returned */
};

/* Reads the header. False with an error naming the byte offset. Without memory for them, traces of ports with
 * different rates or uplinks are refused. */
bool weir_trace_open(struct weir_trace_reader *reader, const uint8_t *bytes, size_t size,
                     struct weir_trace_ports *ports, struct weir_error *error);

/* The same of a trace whose policies are not all the library's. */
struct weir_trace_image {
    const uint8_t *bytes;
    size_t size;
    struct weir_trace_ports *ports;                        /* as above; may be null */
    const struct weir_policy *(*find)(const char *policy); /* who knows the policies; null where it does not */
};
bool weir_trace_open_image(struct weir_trace_reader *reader, const struct weir_trace_image *image,
                           struct weir_error *error);

enum weir_trace_status { WEIR_TRACE_RECORD, WEIR_TRACE_FINISHED, WEIR_TRACE_BROKEN };

/* The next record. BROKEN, with an error naming the byte offset, for anything malformed or cut short. */
enum weir_trace_status weir_trace_next(struct weir_trace_reader *reader, struct weir_record *record,
                                       struct weir_error *error);

/*
 * The state hash, built the same way by whoever holds the state: start, then for each account in order the account
 * and each of its packets from head to tail, then finish with the pools.
 */
uint64_t weir_state_hash_start(void);
uint64_t weir_state_hash_account(uint64_t hash, weir_account account, weir_cells cells);
uint64_t weir_state_hash_packet(uint64_t hash, uint32_t index, weir_cells cells);
uint64_t weir_state_hash_finish(uint64_t hash, const struct weir_pools *pools);

#ifdef __cplusplus
}
#endif

#endif

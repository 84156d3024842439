/*
 * replay.h - runs a recorded trace again, through core and through the naive model, and compares every outcome.
 *
 * Two passes. The first reads the file to its end: it finds damage (a checksum counts only at the end), counts what was
 * recorded, and learns the oracle's answers. An oracle is not part of a trace, but a refusal for the reason
 * "predicted" means that it said "lost"; every other arrival was either not asked about or kept. Given the model that
 * the header names, the replay asks that instead, and so checks what the model was shown as well. The second pass
 * replays. It takes the memory of one MMU, one naive model, a window of the file, and a bit per arrival of a trace that
 * needs an oracle.
 */
#ifndef TRACE_REPLAY_H
#define TRACE_REPLAY_H

#include "lib/trace/file.h"
#include "lib/trace/outcome.h"
#include "lib/trace/rtl.h"
#include "weir/training.h"

#define REPLAY_ERROR_MAX WEIR_ERROR_LINE_MAX

/* Training rows of the trace's arrivals (weir/training.h). The MMU's own fates where it ran LQD. */
struct replay_rows {
    bool (*open)(void *context, uint32_t ports); /* before the first row, with the ports of the MMU; false: fails */
    bool (*take)(void *context, const struct weir_training_row *row); /* likewise */
    void *context;
    weir_ps average_ps;
    uint32_t gap_bytes; /* on the wire beyond each packet: a trace does not tell */
    bool virtual_counters;
};

/* Somebody who looks at the MMU while the trace is replayed. Only calls that have a time are shown. */
struct replay_watch {
    /* With the times of the first and the last call, and of the last that was about a packet: a switch may idle for
     * long before it is stopped. CLI_OK, or an exit code after one line on stderr. */
    int (*begin)(void *context, const struct weir_mmu_config *config, weir_ps first, weir_ps last, weir_ps busy);
    void (*before)(void *context, const struct weir_mmu *mmu, const struct weir_record *record);
    void (*after)(void *context, const struct weir_mmu *mmu, const struct weir_record *record);
    void (*finish)(void *context, const struct weir_mmu *mmu); /* all agreed to the end */
    void *context;
};

struct replay_options {
    bool naive;                       /* compare with the naive model too */
    bool print;                       /* one line per record on stdout */
    const struct weir_oracle *model;  /* that gave the answers; null: they are taken from the recording */
    const struct replay_rows *rows;   /* null: none */
    const struct replay_watch *watch; /* may be null */
};

struct replay_disagreement {
    bool core, naive; /* who differs from the recording */
    uint64_t record;  /* number of the record, from 1 */
    uint64_t at;      /* its byte in the trace */
    weir_ps now;
    char event[OUTCOME_TEXT_MAX];
    char recorded[OUTCOME_TEXT_MAX], core_says[OUTCOME_TEXT_MAX], naive_says[OUTCOME_TEXT_MAX];
};

struct replay_report {
    char *egress, *ingress; /* policies as NAME:parameter=value; ingress may be null; owned */
    uint32_t ports, classes, cell_bytes;
    weir_cells buffer_cells;
    uint64_t records; /* without the last, which ends the trace */
    uint64_t arrivals, accepted, departed;
    uint64_t refused[WEIR_REASON_COUNT];
    uint64_t changes;                /* of a policy's parameters */
    uint64_t lost[WEIR_CAUSE_COUNT]; /* from the buffer */
    weir_ps first_ps, last_ps;       /* of the calls with a time */
    uint64_t hash;                   /* at the end, as recorded */
    struct rtl_shape rtl;            /* what the hardware would have to be */
    const char *naive_skipped;       /* why the naive model was not asked, or null */
    char error[REPLAY_ERROR_MAX];    /* what is wrong with the file, as reported but without its name; else empty */
    struct replay_disagreement first;
};

/* CLI_OK, CLI_VIOLATION with the first disagreement in the report, or another exit code after one line on stderr. */
int replay_trace(const char *path, const struct replay_options *options, struct replay_report *report);

void replay_report_free(struct replay_report *report);

#endif

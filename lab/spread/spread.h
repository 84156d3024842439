/*
 * spread.h - what the parts of `weir run` share.
 */
#ifndef LAB_SPREAD_SPREAD_H
#define LAB_SPREAD_SPREAD_H

#include "cli/cli.h"
#include "cli/output.h"
#include "lab/plan/plan.h"
#include "lib/learning/rows_file.h"
#include "lib/trace/file.h"
#include "show/writers/packets.h"
#include "show/writers/run.h"

struct cli_option;

#define SPREAD_TRACES_MAX 16u
#define SPREAD_PACKETS_MAX 4u

/* An MMU of a switch, and where its trace goes: "s0.1=FILE". */
struct spread_trace_choice {
    const char *text; /* as typed */
    uint32_t sw, memory;
    const char *path;
};

struct plan;
struct spread_ranks;

/* How long runs on real packets take at most, in seconds of this machine: a run ends earlier when all its flows are
 * done. */
struct spread_real_time {
    double all;   /* one after the other */
    double limit; /* of one: whatever takes longer hangs */
};

/* Where runs on real packets are made: the testbed of `weir testbed run`. */
struct spread_testbed {
    const char *name;
    const char *network; /* null: the usual one */

    const struct run_engine *engine; /* its context is a struct spread_in_testbed */
    struct spread_real_time (*time)(const struct plan *plan, const uint32_t *runs, uint32_t count);
    void (*settle)(
        const struct spread_testbed *testbed); /* waits until the testbed of a run that was stopped is gone */
};

struct spread_in_testbed {
    const struct plan *plan;
    const struct spread_testbed *testbed;
};

/* The command line. */
struct spread_choice {
    char *const *files; /* [file_count] */
    uint32_t file_count;
    struct plan_changes changes;
    const char *output;                                          /* the database; null: named after the experiment */
    struct plan_selection only;                                  /* the others are left alone */
    struct plan_selection again_only;                            /* of --again; none: it means all */
    uint64_t jobs;                                               /* processes at once; 0: as many as processors */
    const char *csv, *records, *series, *losses, *pauses, *rows; /* files of one run; null: not wanted */
    const char *timeline, *flows;                                /* likewise */
    struct spread_trace_choice trace[SPREAD_TRACES_MAX];
    uint32_t traces;
    const char *packets[SPREAD_PACKETS_MAX]; /* files of packets that are followed */
    uint32_t packet_files;
    const char *follow;                   /* which; null: all */
    double decide_s;                      /* seconds of one core for seeds beyond the least; 0: no end but the file's */
    const struct spread_testbed *testbed; /* where runs on real packets are made; null: they are left out */
    struct spread_ranks *ranks;           /* others that mpirun started (ranks.h); null: none */
    uint32_t part, parts;                 /* makes only this part, from 1, for another process to store; 0: all */
    uint64_t slurm;                       /* hands the runs out to so many jobs of Slurm; 0: makes them */
    bool collect;                         /* makes nothing and takes in what parts make */
    bool print_config, list, reference, schema, json, quiet, again, profile;
    bool again_all; /* --again was given without a selection */
};

/* Reads --again for the option table; the target is a struct spread_choice. An exit code. */
int spread_read_again(void *target, const struct cli_option *option, const char *text);

/* CLI_OK, or an error when two outputs would be lost in one another: on one file, or on standard output. */
int spread_check_outputs(const struct spread_choice *choice);

/* CLI_OK, or an error when an output would take the place of `input`, a file that the run reads. */
int spread_check_input(const struct spread_choice *choice, const char *input);

/* The same for the files that the traffic of a scenario names. */
int spread_check_lists(const struct spread_choice *choice, const struct scenario *scenario);

/* CLI_OK, or an error when an output is also the database. */
int spread_check_database(const struct spread_choice *choice, const char *database);

/* CLI_OK, or an error when something was asked for that only one run can give. */
int spread_check_many(const struct spread_choice *choice, const struct plan *plan);

/* A blank and a word of a shell's command line. */
void spread_put_word(FILE *out, const char *word);

/* The options of these changes, as words. */
void spread_put_changes(FILE *out, const struct plan_changes *changes);

/* This command again, as far as it decides what is run; to be freed. Null: out of memory. */
char *spread_command_text(const struct spread_choice *choice, const char *file);

/* Each prints what is asked for instead of runs: an exit code. */
int spread_print_config(const struct plan *plan);
int spread_print_list(const struct plan *plan);

/* Makes run `run` in this process, stores it and shows it in detail. An exit code. */
int spread_single(const struct plan *plan, const struct spread_choice *choice, uint32_t run);

/* How many of `count` runs are made at a time. */
uint32_t spread_jobs(const struct spread_choice *choice, uint32_t threads, uint32_t count);

/* Warns, unless it is to be quiet, when this process may not use as many processors as a run has threads. */
void spread_warn_threads(const struct spread_choice *choice, uint32_t threads);

/* Makes every run that the database does not have, each in its own process, or has them made elsewhere. An exit
 * code. */
int spread_sweep(const struct plan *plan, const struct spread_choice *choice);

/* Traces of MMUs under way. The writers must not move. */
struct spread_traces {
    struct spread_trace_file {
        const char *path;
        bool asked; /* for its file, which reports its own errors */
        struct trace_writer writer;
        struct run_trace trace;
    } at[SPREAD_TRACES_MAX];
    uint32_t count;
};

/* Creates the files and starts to record, after run_begin. Discard either way. An exit code. */
int spread_traces_open(struct spread_traces *traces, const struct spread_choice *choice, const struct run *run);

/* After the run: the traces are whole. Each of these reports its own error and returns false. */
bool spread_traces_end(struct spread_traces *traces, bool interrupted);
bool spread_traces_commit(struct spread_traces *traces); /* makes the files appear */
void spread_traces_discard(struct spread_traces *traces);

/* Files of packets that are followed, under way. It must not move. */
struct spread_packets {
    struct run_follow follow;
    struct output_file file[SPREAD_PACKETS_MAX];
    struct packets_writer *writer[SPREAD_PACKETS_MAX];
    uint32_t count;
};

/* Reads --packets for the option table; the target is a struct spread_choice. An exit code. */
int spread_read_packets(void *target, const struct cli_option *option, const char *text);

/* Creates the files, before run_begin, whose option is packets->follow.follow; an exit code. The others as those of
 * traces; where they are not discarded, they were committed. */
int spread_packets_open(struct spread_packets *packets, const struct spread_choice *choice, const struct run *run);
bool spread_packets_end(struct spread_packets *packets, bool interrupted);
bool spread_packets_commit(struct spread_packets *packets);
void spread_packets_discard(struct spread_packets *packets);

/* Training rows under way. It must not move. */
struct spread_rows {
    struct rows_writer writer;
    bool open, failed;
};

/* run_options.take_row into the file, whose context is the struct spread_rows; the file, after run_begin; after the run
 * its end. Of these, each that returns false has reported its error. */
bool spread_rows_take(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row);
bool spread_rows_open(struct spread_rows *rows, const char *path, const struct run *run);
bool spread_rows_commit(struct spread_rows *rows, bool interrupted);
void spread_rows_discard(struct spread_rows *rows);

/* What a model of the rows has to know; and a warning if some are missing. */
struct rows_about spread_rows_about(const struct run *run);
void spread_rows_warn(const struct run *run);

/* Rows from one run of a scenario with LQD in its switches; its own policies and oracles have no part in it. */
struct spread_learning {
    const struct plan_changes *changes;
    const struct plan_selection *only;
    const char *of_switch; /* "s0", "s0.1"; null: all */
    struct rows_about *about;
    struct forest_rows *rows; /* more are added */
};

/* Rows of the arrivals of a trace. */
struct spread_learning_trace {
    weir_ps average_ps;
    uint32_t gap_bytes; /* on the wire beyond each packet: a trace does not tell */
    struct rows_about *about;
    struct forest_rows *rows; /* more are added */
};

/* Adds them: an exit code. */
int spread_learn_trace(const char *file, const struct spread_learning_trace *wanted);

/* Adds them, with progress on standard error. An exit code; CLI_INTERRUPTED after SIGINT. */
int spread_learn(const char *file, const struct spread_learning *wanted);

/* The file of one run among several: "rows-ID.csv" for "rows.csv"; null: out of memory. */
char *spread_rows_name(const char *file, const char *id);

/* The clock of run_options.profile_ns; and where the time of the run went, on standard error. */
uint64_t spread_profile_ns(void);
void spread_profile_put(const struct sim *sim);

/* The same of a sweep: who made its runs, `count` ranks or this process, since a moment. */
struct maker;
void spread_profile_put_sweep(const struct plan *plan, const struct maker *by, uint32_t count, double started);

/* Begins a run, or makes it, in the foreground: until the end or SIGINT, with progress on standard error unless
 * `quiet`. An exit code, after a message; RUN_STOPPED in `end` stands for SIGINT. */
int spread_begin(struct run *run, bool quiet);
int spread_go(struct run *run, bool quiet);

/* What is written while a run goes on. */
struct spread_written {
    struct spread_traces traces;
    struct spread_packets packets;
    struct spread_rows rows;
};

/* Writes the files that are wanted, those of `written` too, and prints the result, all or nothing. */
int spread_show(const struct run_result *result, const struct spread_choice *choice, struct spread_written *written);

#endif

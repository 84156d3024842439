/*
 * run.h - a run as a value: a configuration goes in, a finished run comes out.
 *
 *   run_open    the scenario of one run, built              run_go      on to a moment, or to the end
 *   run_begin   everything that comes before its first      run_measure what came out, in numbers
 *               packet, such as LQD's run for an oracle     run_close
 *
 * This room alone creates simulators. Single runs, sweeps, parts, MPI ranks, training, evaluation, libweir-sim and the
 * playground say what they want in a run_source and run_options, and read in `end` why the run ended. It prints
 * nothing, catches no signals and knows no clock: who calls it hands these in as functions.
 *
 * What makes a run is an engine: the packet simulator (simulator.c), the testbed with real packets (lab/testbed/), and
 * beside the first the slotted model (slotted.c), where the scenario asks for it.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "run/measures/measures.h"
#include "scenario/experiment/experiment.h"

/* What to run: one run of an experiment that has been read, or the text of a scenario. */
struct run_source {
    const struct experiment *experiment; /* null: `text` */
    uint32_t index;                      /* of the run in the experiment */
    const char *text, *origin;           /* origin: the name of the text in messages */
    size_t size;
    const struct scenario_files *files; /* null: naming a file is an error */
    uint32_t threads;                   /* 0: as the scenario is built */
};

enum run_end {
    RUN_PAUSED,        /* not at its end: the moment that was asked for is reached, or it has not gone yet */
    RUN_DONE,          /* at its end */
    RUN_STOPPED,       /* `progress` said so; it may go on */
    RUN_LATE,          /* beyond its time limit */
    RUN_OUT_OF_MEMORY, /* see run->error, as for those below */
    RUN_UNEVEN,        /* the packets do not add up */
    RUN_FAILED
};

struct run_engine;

struct run_options {
    const struct run_engine *engine; /* null: the simulator */
    void *engine_context;            /* the engine's */
    sim_progress_function *progress; /* false stops the run; may be null */
    void *context;                   /* of `progress` */
    double (*clock)(void);           /* seconds; null: no time is measured, and none is limited */
    double time_s;                   /* limit of the run, and once more of what is foreseen before it; 0: none */
    uint64_t (*profile_ns)(void);    /* a clock, to tell where the time went (sim_profile); may be null */
    const struct sim_ranks *ranks;   /* over which the network is divided; null: this process alone */
    bool lqd;                        /* LQD, which removes tails, in every switch in place of its policies */
    /* Takes training rows of the arrivals at switches, as sim_training.take; null: none are wanted. */
    bool (*take_row)(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row);
    void *rows_context;
    const struct sim_follow *follow; /* packets that are followed (follow.h); may be null */
};

/* A run; it must not be moved. */
struct run {
    struct scenario scenario; /* its `effective` is the configuration with every value */
    struct run_options options;
    enum run_end end;
    struct weir_error error; /* why there is no scenario, or the run has failed */
    double seconds;          /* that it took so far, without what came before its first packet */
    void *state;             /* of the engine; null: nothing is made */
    bool begun, foreseen;    /* run_begin is done; so is the run before this one */
    double deadline;         /* a moment of options.clock; 0: none */
    struct sim_training training;
    struct weir_values lqd;
};

/* How runs are made. */
struct run_engine {
    /* All that comes before the first packet; then on to a moment. Each returns why it has stopped. */
    enum run_end (*make)(struct run *run);
    enum run_end (*go)(struct run *run, weir_ps until);
    /* Adds what came out to `result`. False: out of memory. */
    bool (*measure)(const struct run *run, struct run_result *result);
    void (*free)(struct run *run);
};

extern const struct run_engine run_simulator, run_slotted;

/* Builds the scenario. False: see run->error. Close either way. */
bool run_open(struct run *run, const struct run_source *source, const struct run_options *options);
void run_close(struct run *run);

/* The scenario alone. False after an error; release with scenario_free either way. */
bool run_scenario(struct scenario *scenario, const struct run_source *source, struct weir_error *error);

/* Creates the simulation, but foresees nothing: finds what only its creation can find wrong. False: see run->error. */
bool run_try(struct run *run);

/* Other options, before run_begin. A simulation that has been tried is kept if it can be the one that is asked for. */
void run_ask(struct run *run, const struct run_options *options);

/* RUN_PAUSED: the run can go. Else why not. */
enum run_end run_begin(struct run *run);

/* On until every event before `until` has happened (WEIR_NEVER: to the end), after run_begin if need be. */
enum run_end run_go(struct run *run, weir_ps until);

/* What came out so far. False: out of memory. Release with run_result_free either way. */
bool run_measure(const struct run *run, struct run_result *result);

/* The same as named measures and curves. Release with measures_free either way. */
bool run_measures(const struct run *run, struct measures *measures);

/* The simulation; null: none has been made, or another engine makes the run. */
struct sim *run_sim(const struct run *run);

/* For engines: asks options.progress and looks at the time; a sim_progress_function whose context is the run. */
bool run_goes_on(void *context, const struct sim_progress *progress);

/* Records everything that one MMU does, from here on until the end. The header of the trace is the MMU's config. */
struct run_trace {
    struct weir_mmu *mmu;
    bool (*begin)(void *context, const struct weir_mmu_config *config, struct weir_trace **trace); /* false: failed */
    bool (*end)(void *context, const struct weir_mmu *mmu);
    void *context;
};

/* After run_begin; `sw` and `memory` must exist. False: out of memory, or `begin` has failed. */
bool run_trace_begin(struct run_trace *trace, const struct run *run, uint32_t sw, uint32_t memory);
bool run_trace_end(struct run_trace *trace);

#endif

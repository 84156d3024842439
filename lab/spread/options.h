/*
 * options.h - the options that `weir run` and `weir testbed run` share: which runs of an experiment are made, and where
 * their results go. TYPE has a member `run`, a struct spread_choice.
 */
#ifndef LAB_SPREAD_OPTIONS_H
#define LAB_SPREAD_OPTIONS_H

#include "cli/command.h"
#include "lab/spread/decide.h"
#include "lab/spread/spread.h"

#define SPREAD_JOBS_MAX 1024u

/* clang-format off */
#define SPREAD_OPTION_SET(TYPE) \
    {.name = "set", \
     .value = "KEY=VALUE", \
     .help = "change a value of the file; KEY is a path (switch.policy.alpha, traffic.0.load), VALUE is YAML", \
     .more = "A number, from 0, or a tag names an item of a list. The value null takes the key away: sweep=null.", \
     .offer = CLI_PATHS, \
     CLI_LIST(TYPE, run.changes.set, run.changes.sets)}

#define SPREAD_OPTIONS(TYPE) \
    SPREAD_OPTION_SET(TYPE), \
    {.name = "seed", \
     .value = "N", \
     .help = "same as --set seed=N", \
     CLI_NUMBER(TYPE, run.changes.seed, 0, INT64_MAX)}, \
    {.name = "seeds", \
     .value = "N", \
     .help = "runs per point: same as --set seeds=N", \
     .more = "Seeds count up from the first.", \
     CLI_NUMBER(TYPE, run.changes.seeds, 1, EXPERIMENT_RUNS_MAX)}, \
    {.name = "decide", \
     .value = "BUDGET", \
     .help = "add seeds where claims are undecided, for this time of one core: 90s, 20min, 2.5h", \
     .more = "As `seeds: until decided` in the file, which a number of seeds K becomes: K until decided, at most " \
             "10 K. The same command goes on where it stopped; --slurm hands out what is wanted next.", \
     CLI_READ(TYPE, run, decide_read_budget)}, \
    {.name = "quick", \
     .help = "use the quick size (section `quick` of the file); results go to NAME-quick.db", \
     CLI_FLAG(TYPE, run.changes.quick)}, \
    {.name = "output", \
     .letter = 'o', \
     .value = "FILE", \
     .help = "write results to this database instead of NAME.db", \
     .more = "NAME comes from the scenario, else from its file name; NAME.db is in the current folder.", \
     .offer = CLI_RESULTS, \
     CLI_TEXT(TYPE, run.output)}, \
    {.name = "jobs", \
     .value = "N", \
     .help = "simulate N runs at once; default: one per processor", \
     .more = "With --threads, as many as there are processors for their threads.", \
     CLI_NUMBER(TYPE, run.jobs, 1, SPREAD_JOBS_MAX)}, \
    {.name = "threads", \
     .value = "N", \
     .help = "simulate each run with N threads; default: the `threads` of the file, or 1", \
     .more = "Results are the same to the bit. It pays for one large fabric; a sweep is faster with one thread per " \
             "run.", \
     CLI_NUMBER(TYPE, run.changes.threads, 1, SIM_THREADS_MAX)}, \
    {.name = "again", \
     .value = "[AXIS=LABEL]", \
     .help = "make runs again that are already done: all, or those with this LABEL", \
     .more = "Their old results are forgotten first, so that the command without --again goes on with what an " \
             "interruption left. Several: LABELs of one AXIS are alternatives, different axes go together; seed is " \
             "an AXIS too. Runs of other code than this program's need no --again.", \
     .optional = true, \
     .repeats = true, \
     CLI_READ(TYPE, run, spread_read_again)}, \
    {.name = "only", \
     .value = "RUN", \
     .help = "make only this run of the sweep, by the start of its id, or those with AXIS=LABEL", \
     .more = "--list shows ids and labels. Several go together as those of --again do. A single run is always made, " \
             "and shown in detail; of several, those that are done are not made again without --again.", \
     .offer = CLI_RUNS, \
     CLI_LIST(TYPE, run.only.word, run.only.count)}, \
    {.name = "list", \
     .help = "list the runs and which are done; run nothing", \
     .more = "A line has the id of a run, its state and its place in the sweep. The state is done, failed, - (not " \
             "made yet) or old: done by other code, so that it will be made again.", \
     CLI_FLAG(TYPE, run.list)}, \
    {.name = "quiet", \
     .help = "show no progress", \
     .more = "Otherwise a terminal shows runs done, running and failed, the time of a run, simulated " \
             "time and packets per second, and the time left, or the same of a single run; packets count once on " \
             "each link. Elsewhere there is a line every ten " \
             "seconds.", \
     CLI_FLAG(TYPE, run.quiet)}
/* clang-format on */

#endif

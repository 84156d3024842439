/*
 * options.h - the options that `weir run` and `weir testbed run` share: which runs of an experiment are made, and where
 * their results go. TYPE has a member `run`, a struct run_choice.
 */
#ifndef EXPERIMENT_OPTIONS_H
#define EXPERIMENT_OPTIONS_H

#include "cli/command.h"
#include "experiment/run.h"

#define RUN_JOBS_MAX 1024u

/* clang-format off */
#define RUN_OPTION_SET(TYPE) \
    {.name = "set", \
     .value = "KEY=VALUE", \
     .help = "change a value of the file; KEY is a path (switch.policy.alpha, traffic.0.load), VALUE is YAML", \
     .more = "A number, from 0, or a tag names an item of a list.", \
     CLI_LIST(TYPE, run.changes.set, run.changes.sets)}

#define RUN_OPTIONS(TYPE) \
    RUN_OPTION_SET(TYPE), \
    {.name = "seed", \
     .value = "N", \
     .help = "same as --set seed=N", \
     CLI_NUMBER(TYPE, run.changes.seed, 0, INT64_MAX)}, \
    {.name = "seeds", \
     .value = "N", \
     .help = "runs per point: same as --set seeds=N", \
     .more = "Seeds count up from the first.", \
     CLI_NUMBER(TYPE, run.changes.seeds, 1, EXPERIMENT_RUNS_MAX)}, \
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
     CLI_NUMBER(TYPE, run.jobs, 1, RUN_JOBS_MAX)}, \
    {.name = "again", .help = "repeat runs that are already done", CLI_FLAG(TYPE, run.again)}, \
    {.name = "only", \
     .value = "ID", \
     .help = "make one run of the sweep; the start of its id is enough", \
     .more = "--list shows the ids.", \
     CLI_TEXT(TYPE, run.only)}, \
    {.name = "list", \
     .help = "list the runs and which are done; run nothing", \
     .more = "A line has the id of a run, its state and its place in the sweep.", \
     CLI_FLAG(TYPE, run.list)}, \
    {.name = "quiet", \
     .help = "show no progress", \
     .more = "Otherwise a terminal shows runs done, running and failed, packet-hops per second and the " \
             "time left, or the simulated time of a single run; elsewhere there is a line every ten " \
             "seconds.", \
     CLI_FLAG(TYPE, run.quiet)}
/* clang-format on */

#endif

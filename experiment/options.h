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
     .help = "change a value of the file; KEY is a path, switch.policy.alpha or traffic.0.load, VALUE is YAML", \
     .more = "An item of a list is named by its number, from 0, or by its tag.", \
     CLI_LIST(TYPE, run.changes.set, run.changes.sets)}

#define RUN_OPTIONS(TYPE) \
    RUN_OPTION_SET(TYPE), \
    {.name = "seed", \
     .value = "N", \
     .help = "the same as --set seed=N", \
     CLI_NUMBER(TYPE, run.changes.seed, 0, INT64_MAX)}, \
    {.name = "seeds", \
     .value = "N", \
     .help = "the same as --set seeds=N: runs per point", \
     .more = "The seeds are those from the first on.", \
     CLI_NUMBER(TYPE, run.changes.seeds, 1, EXPERIMENT_RUNS_MAX)}, \
    {.name = "quick", \
     .help = "the quick size, as the section `quick` of the file says, to NAME-quick.db", \
     CLI_FLAG(TYPE, run.changes.quick)}, \
    {.name = "output", \
     .letter = 'o', \
     .value = "FILE", \
     .help = "the database, instead of NAME.db", \
     .more = "NAME is that in the scenario, else that of its file; the database is in the current folder.", \
     .offer = CLI_RESULTS, \
     CLI_TEXT(TYPE, run.output)}, \
    {.name = "jobs", \
     .value = "N", \
     .help = "simulated runs at once; default: one per processor", \
     CLI_NUMBER(TYPE, run.jobs, 1, RUN_JOBS_MAX)}, \
    {.name = "again", .help = "make every run again, also those that are there", CLI_FLAG(TYPE, run.again)}, \
    {.name = "only", \
     .value = "ID", \
     .help = "make one run of the sweep; the start of its id is enough", \
     .more = "--list shows the ids.", \
     CLI_TEXT(TYPE, run.only)}, \
    {.name = "list", \
     .help = "print the runs and which are done, and run nothing", \
     .more = "A line has the id of a run, whether it is done or has failed, and its place in the sweep.", \
     CLI_FLAG(TYPE, run.list)}, \
    {.name = "quiet", \
     .help = "no progress", \
     .more = "Without it, a terminal shows the runs that are done, running and failed, packet-hops per second and " \
             "the time that is left; of a single run the simulated time. Elsewhere there is a line every ten " \
             "seconds.", \
     CLI_FLAG(TYPE, run.quiet)}
/* clang-format on */

#endif

/*
 * store.h - the SQLite file of an experiment: written run by run as they finish, by one process at a time, and read by
 * everything else.
 *
 *   experiment(key, value)              scenario (YAML, as used), source (the file), size (full, quick), weir (version)
 *   run(id, seed, config, digest, hops, code)
 *                                       one row per finished run; config is its effective YAML, code what made it
 *                                       (code.h), empty when that is not known
 *   place(point, seed, run)             which run stands at which place of the present sweep; planned runs too
 *   label(point, axis, value)           the sweep in words, for people with sqlite3
 *   measure(run, name, unit, value)     and curve(run, name, x_unit, y_unit, points): points are pairs of little-endian
 *                                       doubles
 *   cost(run, seconds, memory, version) what the run took on this machine: differs from time to time, unlike all above
 *   failure(run, what)                  runs that were tried and did not finish; gone when they do
 *   seal(run, name, sum)                checksums of all that (seal.h)
 *
 * Every table is keyed and has no row numbers: the same experiment gives the same rows, in whatever order its runs
 * finished. Runs of an earlier version of the sweep stay in the file, without a place.
 *
 * While it is written the file is in WAL mode, so that a kill loses nothing that was committed; store_close leaves a
 * plain file. A lock (flock) keeps a second writer out. SQLite syncs its log when it is copied into the file and at the
 * end: after a power failure the file is whole, and the runs that were stored last may be missing.
 *
 * A file may be anybody's. Views, triggers, further tables and anything else that weir does not define are refused
 * before a row is read, and rows that the store did not write are found by their seals.
 */
#ifndef LAB_STORE_STORE_H
#define LAB_STORE_STORE_H

#include "run/measures/values.h"
#include "scenario/experiment/experiment.h"
#include "weir/error.h"

/*
 * Errors: WEIR_ERROR_INPUT, the file is not one of ours, corrupt, of another version, or cannot be read; BUSY, another
 * process writes to it; WRITE, it cannot be created or written: disk full, read-only; MEMORY.
 */

struct store; /* an open file */

/* Null after an error. Writing creates the file when there is none; a file that is not weir's is never touched. */
struct store *store_open_to_write(const char *path, struct weir_error *status);
struct store *store_open_to_read(const char *path, struct weir_error *status);

/* What the file is about: replaces experiment, place and label in one transaction. `ids` [experiment_runs]. */
struct store_plan {
    const struct experiment *experiment;
    const char *source;  /* file name as typed */
    const char *version; /* of weir */
    const char (*ids)[EXPERIMENT_ID_MAX];
};
bool store_plan(struct store *store, const struct store_plan *plan, struct weir_error *status);

/* The code that made a finished run, to be freed; null: there is no such run. False after an error. */
bool store_find_run(struct store *store, const char *id, char **code, struct weir_error *status);

/* Whether the finished run of this id has this digest. False after an error. */
bool store_has_digest(struct store *store, const char *id, uint64_t digest, bool *same, struct weir_error *status);

struct store_run {
    const char *id;
    uint64_t seed;
    const char *config; /* YAML */
    const struct measures *measures;
    double seconds;
    uint64_t memory_bytes;
    const char *version; /* of the program, with its commit */
    const char *code;    /* code.h */
};

/* One transaction each. A run that failed has no result, not even an older one. */
bool store_add_run(struct store *store, const struct store_run *run, struct weir_error *status);
bool store_add_failure(struct store *store, const char *id, const char *what, struct weir_error *status);

/* Forgets these runs, so that they are made again, now or later. One transaction. */
bool store_forget_runs(struct store *store, const char *const *ids, uint32_t count, struct weir_error *status);

/* False: what was written last may not be in the file. The store is closed either way. */
bool store_close(struct store *store, struct weir_error *status);

/* Closes a store to which its writer does not add what it was opened for. A file that was created for that, and holds
 * neither a plan nor a run, is removed. */
void store_abandon(struct store *store);

#endif

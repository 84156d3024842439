/*
 * results_file.h - an experiment and its made-up results, for the tests of lab/store/: what would come out of
 * simulations is a function of the run's number.
 */
#ifndef TESTS_SUPPORT_RESULTS_FILE_H
#define TESTS_SUPPORT_RESULTS_FILE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/store/store.h"
#include "scenario/experiment/experiment.h"
#include "tests/support/error_line.h"

#define RESULTS_BASE                                                                                                   \
    "name: trial\n"                                                                                                    \
    "seed: 3\n"                                                                                                        \
    "seeds: 2\n"                                                                                                       \
    "until: 1ms\n"                                                                                                     \
    "topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}\n"                                                   \
    "switch: {buffer: 100KB, policy: dt}\n"                                                                            \
    "transports: {t: {kind: cubic}}\n"                                                                                 \
    "traffic: [{kind: long, tag: long, transport: t, sources: h0-h1, destinations: h2}]\n"

/* Runs are policy * 6 + size * 2 + seed. */
#define RESULTS_SWEEP                                                                                                  \
    RESULTS_BASE "sweep:\n"                                                                                            \
                 "  policy: {labels: [DT, Pushout], switch.policy: [dt, lqd]}\n"                                       \
                 "  size: {switch.buffer: [100KB, 300KB, 200KB]}\n"

/* SQL: makes of a file one of before there were seals, whose rows may be edited. */
#define RESULTS_UNSEAL "DROP TABLE seal; PRAGMA user_version=2; "

#define RESULTS_CODE "weir=0123456789abcdef dt=fedcba9876543210"

/* A folder of its own, with the file that a test works on. */
struct results_folder {
    char folder[64];
    char file[96];
};

static inline void results_folder_make(struct results_folder *own)
{
    snprintf(own->folder, sizeof own->folder, "/tmp/weir-results-XXXXXX");
    assert_non_null(mkdtemp(own->folder));
    snprintf(own->file, sizeof own->file, "%s/r.db", own->folder);
}

static inline void results_folder_remove(const struct results_folder *own)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", own->file, ends[i]);
        unlink(name);
    }
    assert_int_equal(rmdir(own->folder), 0);
}

static inline void results_read_experiment(struct experiment *experiment, const char *text, bool quick)
{
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!document_read(&document, "trial.yaml", text, strlen(text), &error) ||
        !experiment_read(experiment, &document, quick, &error))
        fail_msg("%s", ERROR_LINE(&error));
    document_free(&document);
}

/* Ids that are in another order than the runs. */
static inline void results_id(uint32_t run, char id[EXPERIMENT_ID_MAX])
{
    snprintf(id, EXPERIMENT_ID_MAX, "%016llx", (run + 1) * 0x9e3779b97f4a7c15ull);
}

/* Run r has "a.x" = r, "b.bytes" = 1000 r, "only.odd" when r is odd, `more` numbers, and two curves. */
static inline void results_fill(struct measures *measures, uint32_t run, uint32_t more)
{
    measures->digest = run * 0xfedcba9876543211ull;
    measures->hops = 100 + run;
    for (uint32_t i = 0; i < more; i++)
        measures_add(measures, "s", run + i / 7.0, "more.%u", i);
    if (run % 2 == 1)
        measures_add(measures, "1", -0.0, "only.odd");
    measures_add(measures, "B", 1000.0 * run, "b.bytes");
    measures_add(measures, "s", run, "a.x");
    measures_add(measures, "s", NAN, "nothing");
    measures_add_curve(measures, "s", "B", "probe.s0-h%u.queue", run);
    for (uint32_t i = 0; i < 50; i++)
        measures_add_point(measures, i * 1e-6, i == 7 ? NAN : run * 0.1 + i);
    measures_add_curve(measures, "s", "1", "a.cdf");
}

static inline bool results_add(struct store *store, uint32_t run, struct weir_error *status)
{
    struct measures measures = {.failed = false};
    char id[EXPERIMENT_ID_MAX];
    results_id(run, id);
    results_fill(&measures, run, 20);
    const struct store_run row = {id,        3 + run % 2, "until: 1ms\n", &measures,
                                  0.5 * run, 1000 + run,  "0.1-test",     RESULTS_CODE};
    bool good = store_add_run(store, &row, status);
    measures_free(&measures);
    return good;
}

static inline bool results_plan(struct store *store, const struct experiment *experiment, struct weir_error *status)
{
    uint32_t count = experiment_runs(experiment);
    char(*ids)[EXPERIMENT_ID_MAX] = calloc(count, sizeof *ids);
    assert_non_null(ids);
    for (uint32_t i = 0; i < count; i++)
        results_id(i, ids[i]);
    const struct store_plan plan = {experiment, "dir/trial.yaml", "0.1", (const char(*)[EXPERIMENT_ID_MAX])ids};
    bool good = store_plan(store, &plan, status);
    free(ids);
    return good;
}

static inline struct store *results_open(const char *path)
{
    struct weir_error status;
    struct store *store = store_open_to_write(path, &status);
    if (store == NULL)
        fail_msg("%s", ERROR_LINE(&status));
    return store;
}

static inline void results_close(struct store *store)
{
    struct weir_error status;
    if (!store_close(store, &status))
        fail_msg("%s", ERROR_LINE(&status));
}

static inline bool results_has(struct store *store, uint32_t run)
{
    struct weir_error status;
    char id[EXPERIMENT_ID_MAX], *code;
    results_id(run, id);
    if (!store_find_run(store, id, &code, &status))
        fail_msg("%s", ERROR_LINE(&status));
    bool has = code != NULL;
    free(code);
    return has;
}

/* The plan and every run of it that `skip` does not name. */
static inline void results_write(const char *path, const char *text, uint32_t skip)
{
    struct experiment experiment;
    struct weir_error status;
    results_read_experiment(&experiment, text, false);
    struct store *store = results_open(path);
    assert_true(results_plan(store, &experiment, &status));
    for (uint32_t run = 0; run < experiment_runs(&experiment); run++)
        if (run != skip)
            assert_true(results_add(store, run, &status));
    results_close(store);
    experiment_free(&experiment);
}

#endif

/*
 * report_file.h - results for the tests of charts, with numbers that can be checked by hand. The sweep is that of
 * results_file.h: run = policy * 6 + size * 2 + seed.
 *
 * Run r has q.qct.mean = r ms, a distribution q.qct.cdf with half of the sample at r + 1 and r + 2 ms, and a probe of
 * 10000 points, 1 us apart: a queue of 1 KB with a peak of 200 KB at point 7777, and a threshold of 400 KB.
 */
#ifndef TESTS_SUPPORT_REPORT_FILE_H
#define TESTS_SUPPORT_REPORT_FILE_H

#include "show/charts/report.h"
#include "tests/support/error_line.h"
#include "tests/support/results_file.h"

#define REPORT_NONE UINT32_MAX

static inline void report_fill(struct measures *measures, uint32_t run)
{
    measures_add(measures, "s", 1e-3 * run, "q.qct.mean");
    measures_add(measures, "B", 1.0, "probe.s0-h1.queue.max");
    measures_add_curve(measures, "s", "1", "q.qct.cdf");
    measures_add_point(measures, 1e-3 * (run + 1), 0.5);
    measures_add_point(measures, 1e-3 * (run + 2), 1);
    for (int threshold = 0; threshold < 2; threshold++) {
        measures_add_curve(measures, "s", "B", "probe.s0-h1.%s", threshold ? "threshold" : "queue");
        for (int i = 0; i < 10000; i++)
            measures_add_point(measures, 1e-6 * i, threshold ? 400e3 : i == 7777 ? 200e3 : 1e3);
    }
    measures_add_curve(measures, "s", "B", "probe.s0-h1.used");
    measures_add_point(measures, 0, 1e6);
}

/* Every run but `skip`. */
static inline void report_write(const char *path, const char *text, uint32_t skip)
{
    struct experiment experiment;
    struct weir_error status;
    results_read_experiment(&experiment, text, false);
    struct store *store = results_open(path);
    assert_true(results_plan(store, &experiment, &status));
    for (uint32_t run = 0; run < experiment_runs(&experiment); run++) {
        struct measures measures = {.failed = false};
        char id[EXPERIMENT_ID_MAX];
        results_id(run, id);
        report_fill(&measures, run);
        const struct store_run row = {id, 3 + run % 2, "until: 1ms\n", &measures, 1, 1000, "0.1-test", RESULTS_CODE};
        assert_true(run == skip || store_add_run(store, &row, &status));
        measures_free(&measures);
    }
    results_close(store);
    experiment_free(&experiment);
}

/* A file, the table of it and its charts. */
struct report_world {
    struct results_folder own;
    struct table table;
    struct report_charts charts;
};

static inline void report_world_make(struct report_world *world, const char *text, uint32_t skip)
{
    struct weir_error status;
    results_folder_make(&world->own);
    report_write(world->own.file, text, skip);
    if (!table_load(&world->table, world->own.file, &status) ||
        !report_charts_make(&world->charts, &world->table, &status))
        fail_msg("%s", ERROR_LINE(&status));
}

static inline void report_world_free(struct report_world *world)
{
    report_charts_free(&world->charts);
    table_free(&world->table);
    results_folder_remove(&world->own);
}

#endif

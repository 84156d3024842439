/*
 * fake_results.c - a file of results without a simulation, for the tests of the report: numbers made up from the place
 * of each run in the sweep, so that charts have something to show, and names as hostile as the test wants them.
 *
 *   fake_results SCENARIO.yaml OUT.db TAG [MISSING]
 *
 * MISSING: the number of one run that is left out, with a failure noted.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/store/store.h"
#include "tests/support/error_line.h"

#define POINTS 400

static char *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = malloc(DOCUMENT_BYTES_MAX);
    if (in == NULL || text == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    *size = fread(text, 1, DOCUMENT_BYTES_MAX, in);
    fclose(in);
    return text;
}

/* Between 0 and 1, the same for the same run and name. */
static double noise(uint32_t run, uint32_t stream)
{
    uint64_t hash = (run * UINT64_C(1000003) + stream + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(hash >> 40) / (double)(1 << 24);
}

static void add_distribution(struct measures *measures, const char *tag, const char *kind, double mean, uint32_t run)
{
    measures_add_curve(measures, "s", "1", "%s.%s.cdf", tag, kind);
    for (int i = 1; i <= 100; i++)
        measures_add_point(measures, mean * -log(1.0 - i / 101.0) * (1 + 0.02 * noise(run, 9)), i / 100.0);
}

/* A queue that fills in a burst and drains, below a threshold that gives way. */
static void add_probe(struct measures *measures, const char *place, double height)
{
    for (int threshold = 0; threshold < 2; threshold++) {
        measures_add_curve(measures, "s", "B", "probe.%s.%s", place, threshold ? "threshold" : "queue");
        for (int i = 0; i < POINTS; i++) {
            double part = (double)i / POINTS, burst = part < 0.3 ? 0 : part < 0.5 ? (part - 0.3) * 5 : 2 * (1 - part);
            measures_add_point(measures, part * 2e-3, threshold ? 410e3 - height * burst : height * burst);
        }
    }
}

static void make_measures(struct measures *measures, const struct experiment *experiment, uint32_t run, const char *tag)
{
    uint32_t point = run / experiment->seed_count, last = experiment->axis_count - 1;
    double slow = experiment->axis_count > 0 ? 4.0 / (1 + experiment_value_at(experiment, point, 0)) : 1;
    double load = experiment->axis_count > 1 ? 1 + experiment_value_at(experiment, point, last) : 1;
    double qct = 2e-3 * slow * load * (0.9 + 0.2 * noise(run, 1));
    *measures = (struct measures){.digest = run * UINT64_C(0x123456789abcdef), .hops = 1000000 + 7919 * run};
    measures_add(measures, "s", qct, "%s.qct.mean", tag);
    measures_add(measures, "s", 3 * qct, "%s.qct.p99", tag);
    measures_add(measures, "s", qct / 4, "web.fct.mean");
    measures_add(measures, "s", 2 * qct * (0.8 + noise(run, 2)), "web.fct.p99");
    measures_add(measures, "1", floor(1000 * slow * load * noise(run, 3)), "lost.total");
    measures_add(measures, "1", 1 / slow / load, "%s.lossless", tag);
    measures_add(measures, "bit/s", 9.1e9 / slow, "web.goodput");
    add_distribution(measures, tag, "qct", qct, run);
    add_distribution(measures, "web", "fct", qct / 4, run);
    add_probe(measures, "s0-h3", 60e3 * slow);
    add_probe(measures, "s0-h4", 40e3 * load);
}

static char *config_of(const struct experiment *experiment, uint32_t run)
{
    struct document document;
    struct weir_error error;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL || !experiment_run(experiment, run, &document, &error)) {
        fprintf(stderr, "run %" PRIu32 ": %s\n", run, ERROR_LINE(&error));
        exit(1);
    }
    node_print(document.root, out);
    fclose(out);
    document_free(&document);
    return text;
}

static bool add_run(struct store *store, const struct experiment *experiment, uint32_t number, const char *tag)
{
    struct weir_error status;
    struct measures measures;
    char id[EXPERIMENT_ID_MAX], *config = config_of(experiment, number);
    snprintf(id, sizeof id, "%016" PRIx64, (number + 1) * UINT64_C(0x9e3779b97f4a7c15));
    make_measures(&measures, experiment, number, tag);
    struct store_run run = {.id = id,
                            .seed = experiment->first_seed + number % experiment->seed_count,
                            .config = config,
                            .measures = &measures,
                            .seconds = 0.8 + noise(number, 4),
                            .memory_bytes = 40000000 + number * 1000,
                            .version = "0.0.0 (made up)",
                            .code = "weir=0123456789abcdef"};
    bool added = store_add_run(store, &run, &status);
    if (!added)
        fprintf(stderr, "%s\n", ERROR_LINE(&status));
    measures_free(&measures);
    free(config);
    return added;
}

static int write_store(const struct experiment *experiment, char **argv, uint32_t missing)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    uint32_t count = experiment_runs(experiment);
    char(*ids)[EXPERIMENT_ID_MAX] = calloc(count, sizeof *ids);
    for (uint32_t i = 0; i < count; i++)
        snprintf(ids[i], sizeof ids[i], "%016" PRIx64, (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
    struct store_plan plan = {experiment, argv[1], "0.0.0 (made up)", (const char(*)[EXPERIMENT_ID_MAX])ids};
    struct store *store = store_open_to_write(argv[2], &status);
    bool good = store != NULL && store_plan(store, &plan, &status);
    for (uint32_t i = 0; good && i < count; i++)
        good = i == missing ? store_add_failure(store, ids[i], "killed by signal 9 <b>(made up)</b>", &status)
                            : add_run(store, experiment, i, argv[3]);
    good = store != NULL && store_close(store, &status) && good;
    if (!good)
        fprintf(stderr, "%s\n", ERROR_LINE(&status));
    free(ids);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: fake_results SCENARIO.yaml OUT.db TAG [MISSING]\n");
        return 2;
    }
    size_t size;
    char *text = read_file(argv[1], &size);
    struct document document;
    struct experiment experiment = {.name = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool read =
        document_read(&document, argv[1], text, size, &error) && experiment_read(&experiment, &document, false, &error);
    if (!read)
        fprintf(stderr, "%s\n", ERROR_LINE(&error));
    int code = read ? write_store(&experiment, argv, argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : UINT32_MAX) : 1;
    experiment_free(&experiment);
    document_free(&document);
    free(text);
    return code;
}

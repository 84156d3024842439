/*
 * bench_forest.c - what a forest costs: nanoseconds per question, and seconds to grow one.
 *
 *   weir-bench-forest                        a table of questions, for forests of several sizes
 *   weir-bench-forest ask                    the same as JSON
 *   weir-bench-forest train FILE THREADS     grows 4 trees of depth 4 from the rows of FILE; prints the seconds, and
 *                                            the scores on every other row, which it does not see
 *
 * Questions are asked through the oracle, as the policy does, each one after the answer of the one before is known, of
 * features in random order. Sizes are interleaved round by round and the median is reported.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/forest/score.h"
#include "lib/forest/train.h"
#include "lib/learning/rows_file.h"
#include "weir/random.h"

#define ROUNDS 9
#define ASKED 200000u
#define DRAWS 1024u /* in the cache, as the features of a policy are */
#define ROWS 50000u
#define BUFFER_BYTES 1000000u

static const struct {
    uint32_t trees, depth;
} sizes[] = {{1, 2}, {4, 2}, {4, 4}, {8, 4}, {4, 8}, {16, 4}, {128, 8}};
#define SIZES (sizeof sizes / sizeof *sizes)

/* CLOCK_PROCESS_CPUTIME_ID: what others do on the machine counts less. */
static double bench_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A buffer that is often full, and a rule with exceptions, so that trees use all features and their whole depth. */
static bool draw(struct weir_random *random, int64_t feature[WEIR_FEATURE_COUNT])
{
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        feature[f] = weir_random_below(random, BUFFER_BYTES);
    int64_t sum = feature[WEIR_FEATURE_QUEUE] + feature[WEIR_FEATURE_BUFFER] / 2 +
                  feature[WEIR_FEATURE_QUEUE_AVERAGE] / 4 + feature[WEIR_FEATURE_BUFFER_AVERAGE] / 8;
    return (sum > BUFFER_BYTES) != (weir_random_below(random, 20) == 0);
}

static struct forest *grow(const struct forest_rows *rows, uint32_t trees, uint32_t depth, uint32_t threads)
{
    struct forest_settings settings;
    struct weir_error error = {0};
    forest_settings_init(&settings);
    settings.trees = trees;
    settings.depth = depth;
    settings.threads = threads;
    struct forest *forest = forest_train(rows, &settings, NULL, NULL, &error);
    if (!forest)
        fprintf(stderr, "bench: %s\n", error.text);
    return forest;
}

static double ask(const struct forest *forest, int64_t (*feature)[WEIR_FEATURE_COUNT])
{
    uint32_t at = 0;
    double start = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t i = 0; i < ASKED; i++)
        at = (at + 1 + forest->base.predict(&forest->base, i, feature[at])) % DRAWS;
    double ns = (bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e9 / ASKED;
    return at < DRAWS ? ns : 0;
}

static int ask_all(bool json)
{
    static int64_t feature[DRAWS][WEIR_FEATURE_COUNT];
    struct forest *forest[SIZES];
    double ns[SIZES][ROUNDS];
    struct forest_rows rows = {0};
    struct weir_random random = weir_random_stream(1, "forest");
    struct weir_error error = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        bool lost = draw(&random, feature[i % DRAWS]);
        if (!forest_rows_add(&rows, feature[i % DRAWS], lost, &error))
            return 4;
    }
    for (uint32_t i = 0; i < DRAWS; i++)
        draw(&random, feature[i]);
    for (uint32_t s = 0; s < SIZES; s++)
        if (!(forest[s] = grow(&rows, sizes[s].trees, sizes[s].depth, 1)))
            return 4;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t s = 0; s < SIZES; s++)
            ns[s][round] = ask(forest[s], feature);
    if (!json)
        printf("%-12s %10s %10s\n", "trees", "depth", "ns");
    for (uint32_t s = 0; s < SIZES; s++) {
        qsort(ns[s], ROUNDS, sizeof(double), compare_doubles);
        printf(json ? "%s{\"trees\": %" PRIu32 ", \"depth\": %" PRIu32 ", \"ns\": %.2f}%s"
                    : "%s%-12" PRIu32 " %10" PRIu32 " %10.1f%s",
               json ? (s ? ", " : "[") : "", sizes[s].trees, sizes[s].depth, ns[s][ROUNDS / 2],
               json ? (s + 1 < SIZES ? "" : "]\n") : "\n");
        forest_free(forest[s]);
    }
    forest_rows_free(&rows);
    return 0;
}

/* Even rows are learnt from, odd ones judge. */
static int train(const char *path, uint32_t threads)
{
    struct weir_error error = {0};
    struct rows_about about = {0};
    struct forest_rows rows = {0}, part[2] = {{0}};
    bool whole = rows_file_read(path, NULL, &about, &rows, &error);
    for (uint64_t i = 0; whole && i < rows.count; i++) {
        int64_t feature[WEIR_FEATURE_COUNT];
        forest_rows_get(&rows, i, feature);
        whole = forest_rows_add(&part[i % 2], feature, rows.lost[i], &error);
    }
    if (!whole) {
        fprintf(stderr, "bench: %s\n", error.text);
        return 3;
    }
    double start = bench_seconds(CLOCK_MONOTONIC), cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct forest *forest = grow(&part[0], 4, 4, threads);
    double seconds = bench_seconds(CLOCK_MONOTONIC) - start;
    cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    struct forest_quality quality;
    if (!forest || !forest_judge(forest, &part[1], &quality, &error))
        return 4;
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"accuracy\": %.6f, \"precision\": %.6f, \"recall\": %.6f}\n", seconds,
           cpu, quality.score.accuracy, quality.score.precision, quality.score.recall);
    forest_free(forest);
    for (uint32_t i = 0; i < 2; i++)
        forest_rows_free(&part[i]);
    forest_rows_free(&rows);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "train") == 0)
        return train(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    return ask_all(argc == 2 && strcmp(argv[1], "ask") == 0);
}

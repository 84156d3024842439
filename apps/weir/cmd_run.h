/*
 * cmd_run.h - what the parts of `weir run` share.
 */
#ifndef WEIR_CMD_RUN_H
#define WEIR_CMD_RUN_H

#include "cli.h"
#include "output.h"
#include "run_result.h"
#include "scenario/scenario.h"

#define RUN_INTERRUPTED 130 /* exit status after SIGINT, as a shell gives it */
#define RUN_SETS_MAX 64u

/* The command line. */
struct run_choice {
    const char *file;
    const char *set[RUN_SETS_MAX];
    uint32_t sets;
    uint64_t seed;
    bool seed_given;
    const char *csv, *records, *series; /* files; null: not wanted */
    bool print_config, reference, json, quiet;
};

/* CLI_OK; `stop`: there is nothing more to do, return the code. */
int run_choice_read(struct run_choice *choice, int argc, char **argv, bool *stop);

/* The file with the changes of the command line. Release with scenario_free either way. */
int run_load(struct scenario *scenario, const struct run_choice *choice);

/* Runs until the end or SIGINT, with a progress line on a terminal unless `quiet`. *interrupted tells which. */
int run_simulate(struct sim *sim, bool quiet, bool *interrupted);

/* Writes the files that are wanted and prints the result, all or nothing. */
int run_show(const struct run_result *result, const struct run_choice *choice);

/* The result, as printed: tables one after the other. */
#define RUN_TABLES_MAX 4u
struct run_tables {
    struct output_table *table[RUN_TABLES_MAX];
    uint32_t count;
};
int run_tables_make(struct run_tables *tables, const struct run_result *result);
void run_tables_put(struct run_tables *tables, const struct run_result *result);
void run_tables_free(struct run_tables *tables);

json_t *run_json(const struct run_result *result);

/* One row per tag; per flow; per point of a series. */
void run_csv_tags(const struct run_result *result, FILE *out);
void run_csv_records(const struct run_result *result, FILE *out);
void run_csv_series(const struct run_result *result, FILE *out);

/* "12.34us" with four digits, "-" for a negative one. */
const char *run_duration(double ps, char text[32]);

#endif

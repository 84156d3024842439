/*
 * cmd_slot_table1.c - `weir slot table1`: Table 1 of the Credence paper, each bound beside the worst ratio found.
 */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/page.h"
#include "sim/slot/table1.h"

#define TABLE1_BY_MAX 60u /* characters of a sequence in the table; CSV and JSON have more of it */

struct choice {
    bool quick, json;
    const char *csv;
};

static const struct cli_option options[] = {
    {.name = "quick", .help = "up to 8 ports and smaller searches", CLI_FLAG(struct choice, quick)},
    CLI_CSV_FILE(struct choice, "table"),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_slot_table1 = {
    .name = "slot table1",
    .summary = "Credence's Table 1: competitive ratios, proven and found",
    .about =
        "For each algorithm of Table 1 of the Credence paper and N = 2, 3, 4, 8, 16, 32 ports: the proven competitive "
        "ratio, and the worst ratio OPT/ALG found, by adversaries (B = 16 N), by all tiny sequences (N = 2, 3) and by "
        "hill climbing (N up to 8). A sequence is shown as ports, slots separated by \"|\". LateQD is the optimum "
        "itself, ratio 1.",
    .options = options,
    .status = "1 when a ratio above its bound is found",
    .examples = "weir slot table1 --quick",
    .run = run,
};

static struct output_table *make_table(const struct slot_table1 *table)
{
    static const struct output_column columns[] = {{"algorithm", false}, {"bound", false}, {"N", true},
                                                   {"value", true},      {"worst", true},  {"B", true},
                                                   {"OPT:ALG", true},    {"by", false}};
    struct output_table *out = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        for (uint32_t size = 0; size < table->sizes; size++) {
            const struct slot_table1_row *row = &table->row[i][size];
            output_table_cell(out, "%s", size == 0 ? row->algorithm : "");
            output_table_cell(out, "%s", size == 0 ? row->formula : "");
            output_table_cell(out, "%u", row->ports);
            if (row->bound > 0)
                output_table_cell(out, "%.3f", row->bound);
            else
                output_table_cell(out, "-");
            output_table_cell(out, "%.3f%s", row->worst.ratio, row->broken ? " !" : "");
            output_table_cell(out, "%u", row->worst.buffer);
            output_table_cell(out, "%llu:%llu", (unsigned long long)row->worst.optimum,
                              (unsigned long long)row->worst.sent);
            output_table_cell_cut(out, row->worst.by, TABLE1_BY_MAX);
        }
    }
    return out;
}

static json_t *make_json(const struct slot_table1 *table)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        for (uint32_t size = 0; size < table->sizes; size++) {
            const struct slot_table1_row *row = &table->row[i][size];
            json_t *object =
                json_pack("{s:s, s:s, s:i, s:o, s:i, s:I, s:I, s:s, s:b}", "algorithm", row->algorithm, "bound_formula",
                          row->formula, "ports", (int)row->ports, "worst", output_json_number(row->worst.ratio),
                          "buffer", (int)row->worst.buffer, "optimum", (json_int_t)row->worst.optimum, "sent",
                          (json_int_t)row->worst.sent, "by", row->worst.by, "broken", (int)row->broken);
            object = output_json_set(object, "bound", row->bound > 0 ? json_real(row->bound) : json_null());
            rows = output_json_append(rows, object);
        }
    }
    return json_pack("{s:o}", "rows", rows);
}

static void write_csv(FILE *out, const struct slot_table1 *table)
{
    fputs("algorithm,bound_formula,ports,bound,worst,buffer,optimum,sent,broken,by\n", out);
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        for (uint32_t size = 0; size < table->sizes; size++) {
            const struct slot_table1_row *row = &table->row[i][size];
            fprintf(out, "\"%s\",%s,%u,", row->algorithm, row->formula, row->ports);
            if (row->bound > 0)
                fprintf(out, "%.6f", row->bound);
            fprintf(out, ",%.6f,%u,%llu,%llu,%d,\"%s\"\n", row->worst.ratio, row->worst.buffer,
                    (unsigned long long)row->worst.optimum, (unsigned long long)row->worst.sent, (int)row->broken,
                    row->worst.by);
        }
    }
}

static int judge(const struct slot_table1 *table)
{
    int code = CLI_OK;
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        for (uint32_t size = 0; size < table->sizes; size++) {
            const struct slot_table1_row *row = &table->row[i][size];
            if (row->broken)
                code = cli_error(
                    CLI_VIOLATION, "slot table1: %s, N = %u, B = %u: bound broken by %s: %.4f (expected at most %.4f)",
                    row->algorithm, row->ports, row->worst.buffer, row->worst.by, row->worst.ratio, row->bound);
        }
    }
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.csv = NULL};
    struct cli_line line;
    if (!cli_read(&line, &cmd_slot_table1, argc, argv, &choice))
        return line.code;
    int code = page_csv_check(cmd_slot_table1.name, choice.csv, choice.json);
    if (code != CLI_OK)
        return code;
    struct slot_table1 *table = malloc(sizeof *table);
    if (table == NULL)
        return cli_error_memory();
    static char title[] = "table1";
    const struct slot_progress progress = {page_progress, title};
    struct page page = {.json = NULL};
    struct output_file csv = OUTPUT_FILE_NONE;
    code = cli_report_code(slot_table1_fill(table, choice.quick, page_progress_is_seen() ? &progress : NULL), NULL);
    if (code == CLI_OK)
        code = page_csv_open(&csv, choice.csv);
    if (code == CLI_OK && csv.stream != NULL)
        write_csv(csv.stream, table);
    bool csv_only = page_csv_only(choice.csv);
    if (code == CLI_OK && !csv_only)
        code = choice.json ? page_make_json(&page, make_json(table)) : page_make_table(&page, make_table(table));
    code = page_file_close(&csv, code);
    if (code == CLI_OK && !csv_only)
        page_put(&page);
    if (code == CLI_OK)
        code = judge(table);
    page_free(&page);
    free(table);
    return code;
}

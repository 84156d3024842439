/*
 * cmd_slot_table1.c - `weir slot table1`: Table 1 of the Credence paper, each bound beside the worst ratio found.
 */
#include <stdlib.h>

#include "cli/output.h"
#include "cmd_slot.h"
#include "slot/table1.h"

#define TABLE1_BY_MAX 60u /* characters of a sequence in the table; CSV and JSON have more of it */

static const char table1_help[] =
    "usage: weir slot table1 [--quick] [--csv FILE] [--json]\n"
    "\n"
    "For each algorithm of Table 1 of the Credence paper and N = 2, 3, 4, 8, 16, 32 ports: the\n"
    "competitive ratio that is proven, and the worst ratio OPT/ALG found here, by adversaries\n"
    "(B = 16 N), by all tiny sequences (N = 2, 3) and by hill climbing (N up to 8). A sequence is\n"
    "shown as ports, slots separated by \"|\". LateQD is the optimum itself, ratio 1.\n"
    "\n"
    "  --quick     up to 8 ports and smaller searches\n"
    "  --csv FILE  write the table as CSV; -: instead of the table\n"
    "  --json      everything as JSON\n"
    "  -h, --help  this text\n"
    "\n"
    "exit status: 1 when a ratio above its bound is found\n"
    "example: weir slot table1 --quick\n";

enum { OPT_QUICK = CLI_OPTION_FIRST, OPT_CSV, OPT_JSON };

static const struct option table1_options[] = {{"quick", no_argument, NULL, OPT_QUICK},
                                               {"csv", required_argument, NULL, OPT_CSV},
                                               {"json", no_argument, NULL, OPT_JSON},
                                               CLI_OPTIONS_END};
static const struct cli_command table1_command = {"slot table1", table1_help, table1_options};

struct table1_choice {
    bool quick, json;
    const char *csv;
};

static int parse_options(int argc, char **argv, struct table1_choice *choice, bool *stop)
{
    uint64_t given = 0;
    int code = CLI_OK;
    cli_start_options();
    for (int option; (option = cli_next_option(&table1_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option != CLI_OPTION_STOP && (code = cli_option_once(&table1_command, option, &given)) != CLI_OK)
            return code;
        switch (option) {
        case OPT_QUICK:
            choice->quick = true;
            break;
        case OPT_CSV:
            choice->csv = optarg;
            break;
        case OPT_JSON:
            choice->json = true;
            break;
        default:
            *stop = true;
            return code;
        }
    }
    code = cli_no_operands(&table1_command, argc, argv);
    return code == CLI_OK ? cmd_slot_csv_check(table1_command.name, choice->csv, choice->json) : code;
}

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

int weir_cmd_slot_table1(int argc, char **argv)
{
    struct table1_choice choice = {0};
    bool stop = false;
    int code = parse_options(argc, argv, &choice, &stop);
    if (stop || code != CLI_OK)
        return code;
    struct slot_table1 *table = malloc(sizeof *table);
    if (table == NULL)
        return cli_error_memory();
    struct cmd_slot_progress progress;
    struct cmd_slot_page page = {.json = NULL};
    struct output_file csv = OUTPUT_FILE_NONE;
    code = cmd_slot_report(slot_table1_fill(table, choice.quick, cmd_slot_progress(&progress, "table1")), NULL);
    if (code == CLI_OK)
        code = cmd_slot_csv_open(&csv, choice.csv);
    if (code == CLI_OK && csv.stream != NULL)
        write_csv(csv.stream, table);
    bool csv_only = cmd_slot_csv_only(choice.csv);
    if (code == CLI_OK && !csv_only)
        code =
            choice.json ? cmd_slot_page_json(&page, make_json(table)) : cmd_slot_page_table(&page, make_table(table));
    code = cmd_slot_file_close(&csv, code);
    if (code == CLI_OK && !csv_only)
        cmd_slot_page_put(&page);
    if (code == CLI_OK)
        code = judge(table);
    cmd_slot_page_free(&page);
    free(table);
    return code;
}

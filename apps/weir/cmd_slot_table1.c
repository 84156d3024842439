/*
 * cmd_slot_table1.c - `weir slot table1`: Table 1 of the Credence paper, each bound beside the worst ratio found.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/command.h"
#include "show/writers/printout.h"
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

static struct data_frame *make_frame(const struct slot_table1 *table)
{
    static const struct data_column columns[] = {DATA_COLUMN("algorithm", "algorithm", TEXT),
                                                 DATA_COLUMN("bound_formula", "bound", WORD),
                                                 DATA_COLUMN("ports", "N", INTEGER),
                                                 DATA_COLUMN("bound", "value", NUMBER, .digits = 3),
                                                 DATA_COLUMN("worst", "worst", NUMBER),
                                                 DATA_COLUMN("buffer", "B", INTEGER),
                                                 DATA_COLUMN(NULL, "OPT:ALG", TEXT, .right = true),
                                                 DATA_COLUMN("optimum", NULL, INTEGER),
                                                 DATA_COLUMN("sent", NULL, INTEGER),
                                                 DATA_COLUMN("broken", NULL, FLAG),
                                                 DATA_COLUMN("by", "by", TEXT, .width = TABLE1_BY_MAX)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        for (uint32_t size = 0; size < table->sizes; size++) {
            const struct slot_table1_row *row = &table->row[i][size];
            char worst[64], ratio[64];
            snprintf(worst, sizeof worst, "%.3f%s", row->worst.ratio, row->broken ? " !" : "");
            snprintf(ratio, sizeof ratio, "%" PRIu64 ":%" PRIu64, row->worst.optimum, row->worst.sent);
            data_row(frame, cell_shown(cell_text(row->algorithm), size == 0 ? row->algorithm : ""),
                     cell_shown(cell_text(row->formula), size == 0 ? row->formula : ""), cell_integer(row->ports),
                     cell_if(row->bound > 0, cell_number(row->bound)), cell_shown(cell_number(row->worst.ratio), worst),
                     cell_integer(row->worst.buffer), cell_text(ratio), cell_integer((int64_t)row->worst.optimum),
                     cell_integer((int64_t)row->worst.sent), cell_flag(row->broken), cell_text(row->worst.by));
        }
    }
    return frame;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.csv = NULL};
    struct cli_line line;
    if (!cli_read(&line, &cmd_slot_table1, argc, argv, &choice))
        return line.code;
    int code = printout_check(cmd_slot_table1.name, choice.csv, choice.json);
    if (code != CLI_OK)
        return code;
    struct slot_table1 *table = malloc(sizeof *table);
    if (table == NULL)
        return cli_error_memory();
    static char title[] = "table1";
    const struct slot_progress progress = {cli_progress, title};
    struct printout out = {.result = NULL};
    code = cli_report_code(slot_table1_fill(table, choice.quick, cli_progress_is_seen() ? &progress : NULL), NULL);
    if (code == CLI_OK) {
        struct data_frame *frame = make_frame(table);
        code = printout_make(&out, data_object({"rows", cell_frame(frame)}), frame, choice.csv, choice.json);
        code = printout_close(&out, code);
        printout_put(&out);
        printout_free(&out);
    }
    if (code == CLI_OK) {
        code = CLI_OK;
        for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
            for (uint32_t size = 0; size < table->sizes; size++) {
                const struct slot_table1_row *row = &table->row[i][size];
                if (row->broken)
                    code = cli_error(
                        CLI_VIOLATION,
                        "slot table1: %s, N = %u, B = %u: bound broken by %s: %.4f (expected at most %.4f)",
                        row->algorithm, row->ports, row->worst.buffer, row->worst.by, row->worst.ratio, row->bound);
            }
        }
    }
    free(table);
    return code;
}

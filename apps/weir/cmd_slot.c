/*
 * cmd_slot.c - `weir slot`: the slotted model of the theory papers. The commands are in cmd_slot_*.c.
 */
#include "cmd_slot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char slot_help[] = "usage: weir slot COMMAND [OPTION...]\n"
                                "\n"
                                "Unit packets, N ports, a buffer of B packets; in each slot the arrivals in order,\n"
                                "then every port sends one packet.\n"
                                "\n"
                                "commands:\n"
                                "  run      run policies over one arrival sequence and compare them\n"
                                "  fig14    Credence's Figure 14: throughput under false predictions\n"
                                "  table1   Credence's Table 1: competitive ratios, and the worst found here\n"
                                "\n"
                                "example: weir slot run --policy lqd --policy dt:alpha=0.5 --optimum\n";

static const struct cli_entry slot_commands[] = {
    {.name = "run", .run = weir_cmd_slot_run},
    {.name = "fig14", .run = weir_cmd_slot_fig14},
    {.name = "table1", .run = weir_cmd_slot_table1},
    {.name = NULL},
};

int weir_cmd_slot(int argc, char **argv)
{
    static const struct option options[] = {CLI_OPTIONS_END};
    static const struct cli_command command = {"slot", slot_help, options};
    if (argc < 2 || (argc == 2 && strcmp(argv[1], "help") == 0)) {
        fputs(slot_help, stdout);
        return CLI_OK;
    }
    if (argv[1][0] != '-')
        return cli_dispatch("slot", slot_commands, argc - 1, argv + 1);
    int code = CLI_OK;
    cli_start_options();
    if (cli_next_option(&command, 2, argv, &code) == CLI_OPTION_END)
        return cli_error(CLI_USAGE, "slot: unexpected '%s' (expected a command)", argv[1]);
    return code;
}

int cmd_slot_report(enum weir_error_code status, const struct weir_error *error)
{
    if (status == WEIR_ERROR_MEMORY)
        return cli_error_memory();
    if (status == WEIR_ERROR_WRITE)
        return CLI_INTERNAL; /* who wrote has said why */
    return status == WEIR_ERROR_NONE ? CLI_OK : cli_report(error);
}

int cmd_slot_parse_interval(const char *name, const char *text, double *slots)
{
    const struct weir_param param = {.name = name, .unit = WEIR_UNIT_RATIO, .min = 1, .max = INT64_C(1) << 46};
    int64_t value;
    int code = cli_parse_value(&param, text, &value);
    if (code == CLI_OK)
        *slots = (double)value / (double)WEIR_Q16_ONE;
    return code;
}

static void report_progress(void *context, uint32_t done, uint32_t all)
{
    const struct cmd_slot_progress *progress = context;
    fprintf(stderr, "\r%s: %u of %u%s", progress->title, done, all, done == all ? "\r\033[K" : "");
    fflush(stderr);
}

const struct slot_progress *cmd_slot_progress(struct cmd_slot_progress *progress, const char *title)
{
    *progress = (struct cmd_slot_progress){{report_progress, progress}, title};
    return isatty(STDERR_FILENO) == 1 ? &progress->base : NULL;
}

int cmd_slot_page_json(struct cmd_slot_page *page, json_t *root)
{
    *page = (struct cmd_slot_page){.json = output_json_text(root)};
    return page->json != NULL ? CLI_OK : CLI_INTERNAL;
}

int cmd_slot_page_table(struct cmd_slot_page *page, struct output_table *table)
{
    *page = (struct cmd_slot_page){.table = table};
    return output_table_check(table);
}

void cmd_slot_page_put(const struct cmd_slot_page *page)
{
    if (page->json != NULL)
        puts(page->json);
    else
        output_table_put(page->table);
}

void cmd_slot_page_free(struct cmd_slot_page *page)
{
    free(page->json);
    output_table_free(page->table);
}

int cmd_slot_file_open(struct output_file *file, const char *path)
{
    *file = OUTPUT_FILE_NONE;
    if (path == NULL)
        return CLI_OK;
    return output_file_open(file, path) && output_file_stream(file) ? CLI_OK : CLI_INTERNAL;
}

bool cmd_slot_csv_only(const char *path)
{
    return path != NULL && output_is_stdout(path);
}

int cmd_slot_csv_check(const char *name, const char *path, bool json)
{
    if (json && cmd_slot_csv_only(path))
        return cli_error(CLI_USAGE, "%s: --csv %s and --json both write to standard output (expected one of them)",
                         name, path);
    return CLI_OK;
}

int cmd_slot_csv_open(struct output_file *file, const char *path)
{
    if (!cmd_slot_csv_only(path))
        return cmd_slot_file_open(file, path);
    return output_file_open_stdout(file) && output_file_stream(file) ? CLI_OK : CLI_INTERNAL;
}

int cmd_slot_file_close(struct output_file *file, int code)
{
    if (code != CLI_OK && code != CLI_VIOLATION)
        output_file_discard(file);
    else if (file->stream != NULL && !output_file_commit(file))
        code = CLI_INTERNAL;
    return code;
}

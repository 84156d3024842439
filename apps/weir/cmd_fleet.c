/*
 * cmd_fleet.c - `weir fleet`: the switches of a folder, judged together (operate/fleet.c).
 */
#include <stdlib.h>

#include "cli/command.h"
#include "operate/fleet.h"
#include "operate/options.h"
#include "show/writers/write.h"

struct choice {
    struct sonic_given given;
    const char *standard;
    bool json, verbose;
};

static const struct cli_option options[] = {
    {.name = "default",
     .value = "CONFIG",
     .help =
         "the vendor's configuration, from which differences are shown; default: what most switches of an hwsku have",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, standard)},
    {.name = "verbose", .help = "show notes too", CLI_FLAG(struct choice, verbose)},
    SONIC_PLATFORM(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FOLDER", .what = "folder", .expected = "a folder or a *.json for each switch", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_fleet = {
    .name = "fleet",
    .summary = "judge the configurations of many switches together",
    .about = "Lints every switch of a folder as weir-lint(1) does (each folder in it, with its lookup table, and each "
             "*.json), shows what several have in common once, and where a switch differs from the vendor's "
             "configuration or from the others of its hwsku.",
    .options = options,
    .operands = operands,
    .status = "1 when a switch has an error.",
    .examples = "weir fleet switches/\nweir fleet switches/ --default vendor/config_db.json",
    .run = run,
};

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    struct fleet fleet;
    sonic_given_init(&choice.given);
    if (!cli_read(&line, &cmd_fleet, argc, argv, &choice))
        return line.code;
    int code = fleet_read(&fleet, line.operands[0], choice.standard, &choice.given);
    if (code == CLI_OK)
        code = choice.json ? write_result(fleet_frame(&fleet), true)
                           : fleet_show(&fleet, choice.standard != NULL, choice.verbose);
    if (code == CLI_OK && fleet.errors > 0)
        code = CLI_VIOLATION;
    fleet_free(&fleet);
    return code;
}

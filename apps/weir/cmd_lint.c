/*
 * cmd_lint.c - `weir lint`: judges the buffer configuration of a switch. This is the command line; reading is in
 * sonic/config.h, the rules in sonic/rules.def.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "sonic/lint.h"
#include "sonic/options.h"

struct choice {
    struct sonic_given given;
    const char *lookup, *sarif, *fix, *patch;
    bool json, verbose, rules;
};

static const struct cli_option options[] = {
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    {.name = "fix",
     .value = "FILE",
     .help = "write the configuration with every change that findings know",
     .more = "The files of a folder become one. Findings without a change are left: the command says how many.",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, fix)},
    {.name = "patch",
     .value = "FILE",
     .help = "write these changes as a JSON patch (RFC 6902)",
     .more = "For config apply-patch.",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, patch)},
    {.name = "sarif",
     .value = "FILE",
     .help = "write the findings as SARIF 2.1.0, for code review",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, sarif)},
    {.name = "rules", .help = "list the rules", .alone = true, CLI_FLAG(struct choice, rules)},
    {.name = "verbose", .help = "repeat rule and incident at each finding", CLI_FLAG(struct choice, verbose)},
    CLI_JSON(struct choice),
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "CONFIG", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_lint = {
    .name = "lint",
    .summary = "judge the buffer configuration of a switch",
    .usage = "[OPTION...] CONFIG\n--rules",
    .about =
        "Reads the buffer and QoS tables of a SONiC switch and looks for settings that lose packets: pools that do "
        "not fit the buffer, paused priorities without headroom, headroom too small for speed and cable, ECN that "
        "acts after PFC. Each finding has its place, its numbers, the rule, a public incident that shows why, and "
        "the smallest change that mends it.\n\n"
        "CONFIG is config_db.json, a bare buffers.json or qos.json, or a folder of them, with "
        "pg_profile_lookup.ini beside them. What is not understood is listed.",
    .options = options,
    .operands = operands,
    .notes =
        "Nothing is sent anywhere. Sizes of a chip (cell, buffer, pipes) come from the file of its platform, found "
        "by platform and hwsku in DEVICE_METADATA; for others give them by options.",
    .status = "1 when a finding is an error.",
    .examples = "weir lint config_db.json\nweir lint --platform tomahawk --lookup pg_profile_lookup.ini buffers.json\n"
                "weir lint config_db.json --fix mended.json --patch changes.json --sarif lint.sarif",
    .run = run,
};

/* Writes a tree to a file; releases it. */
static int save(const char *path, json_t *tree)
{
    char *text = output_json_text(tree);
    if (text == NULL)
        return CLI_INTERNAL;
    bool good = output_file_save(path, text, strlen(text));
    free(text);
    return good ? CLI_OK : CLI_INTERNAL;
}

static int write_fix(const struct sonic_model *model, const struct choice *choice, uint32_t *changes)
{
    struct lint_fix fix;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = lint_mend(&fix, model, &error) ? CLI_OK : cli_report(&error);
    *changes = fix.changes;
    if (code == CLI_OK && choice->fix != NULL)
        code = save(choice->fix, json_incref(fix.tree));
    if (code == CLI_OK && choice->patch != NULL)
        code = save(choice->patch, json_incref(fix.patch));
    lint_fix_free(&fix);
    return code;
}

static int show(const struct lint *lint, const struct sonic_model *model, const struct choice *choice)
{
    int code = CLI_OK, verdict = lint_count(lint, LINT_ERROR) > 0 ? CLI_VIOLATION : CLI_OK;
    uint32_t changes = 0;
    if (choice->sarif != NULL)
        code = save(choice->sarif, lint_sarif(lint));
    if (code == CLI_OK && (choice->fix != NULL || choice->patch != NULL))
        code = write_fix(model, choice, &changes);
    if (code != CLI_OK)
        return code;
    code = choice->json ? output_json(lint_json(lint)) : (lint_show(lint, choice->verbose), CLI_OK);
    if (!choice->json && (choice->fix != NULL || choice->patch != NULL))
        cli_print("changes in %s: %u", choice->fix != NULL ? choice->fix : choice->patch, changes);
    return code != CLI_OK ? code : verdict;
}

static int list_rules(void)
{
    static const struct output_column columns[] = {{"rule", false}, {"severity", false}, {"says", false}};
    struct output_table *table = output_table_new(columns, 3);
    for (const struct lint_rule *rule = lint_rules; rule->name != NULL; rule++) {
        output_table_cell(table, "%s", rule->name);
        output_table_cell(table, "%s", lint_severity_name(rule->severity));
        output_table_cell(table, "%s", rule->sentence);
    }
    return output_table_print(table);
}

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    sonic_given_init(&choice.given);
    if (!cli_read(&line, &cmd_lint, argc, argv, &choice))
        return line.code;
    if (choice.rules)
        return list_rules();
    if (line.count == 0)
        return cli_error(CLI_USAGE, "lint: no configuration (expected a file or a folder)");
    struct sonic_config config;
    struct sonic_model model = {.config = NULL};
    struct lint lint = {.model = NULL};
    int code = sonic_open(&config, &model, line.operands[0], choice.lookup, &choice.given);
    if (code == CLI_OK)
        code = lint_run(&lint, &model) ? show(&lint, &model, &choice) : cli_error_memory();
    lint_free(&lint);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}

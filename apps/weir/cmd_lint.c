/*
 * cmd_lint.c - `weir lint`: judges the buffer configuration of a switch. This is the command line; reading is in
 * operate/config/config.h, the rules in operate/lint/rules.def.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "operate/lint/lint.h"
#include "operate/options.h"
#include "operate/redact.h"
#include "show/writers/write.h"

struct choice {
    struct sonic_given given;
    const char *lookup, *sarif, *fix, *patch, *redact;
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
     CLI_FILE(struct choice, fix)},
    {.name = "patch",
     .value = "FILE",
     .help = "write these changes as a JSON patch (RFC 6902)",
     .more = "For config apply-patch.",
     CLI_FILE(struct choice, patch)},
    {.name = "sarif",
     .value = "FILE",
     .help = "write the findings as SARIF 2.1.0, for code review",
     CLI_FILE(struct choice, sarif)},
    {.name = "redact",
     .value = "FILE",
     .help = "write a copy without names, addresses and what is not about buffers, to show to others",
     .more = "It lints as the original does. Names of SONiC's templates, such as Ethernet0 or ingress_lossless_pool, "
             "stay; another becomes name1, name2, ... wherever it is used. Of tables about other things only their "
             "size is left. Look through it before you send it.",
     CLI_FILE(struct choice, redact)},
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

/* A file to be written. */
struct page {
    const char *path; /* null: none */
    struct output_file file;
};

/* Writes a tree, which it releases, to a file that appears with page_commit. */
static int page_write(struct page *page, const char *path, json_t *tree)
{
    char *text = output_json_text(tree);
    if (text == NULL)
        return CLI_INTERNAL;
    bool good = output_file_open(&page->file, path) && output_file_write(&page->file, text, strlen(text));
    free(text);
    page->path = good ? path : NULL;
    return good ? CLI_OK : CLI_INTERNAL;
}

enum { PAGE_SARIF, PAGE_FIX, PAGE_PATCH, PAGE_REDACT, PAGES };

static int write_pages(struct page pages[PAGES], const struct lint *lint, const struct choice *choice,
                       uint32_t *changes)
{
    struct lint_fix fix = {.tree = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = CLI_OK;
    if (choice->sarif != NULL)
        code = page_write(&pages[PAGE_SARIF], choice->sarif, lint_sarif(lint));
    if (code == CLI_OK && (choice->fix != NULL || choice->patch != NULL) && !lint_mend(&fix, lint->model, &error))
        code = cli_report(&error);
    *changes = fix.changes;
    if (code == CLI_OK && choice->fix != NULL)
        code = page_write(&pages[PAGE_FIX], choice->fix, json_incref(fix.tree));
    if (code == CLI_OK && choice->patch != NULL)
        code = page_write(&pages[PAGE_PATCH], choice->patch, json_incref(fix.patch));
    if (code == CLI_OK && choice->redact != NULL)
        code = page_write(&pages[PAGE_REDACT], choice->redact, sonic_redact(lint->model));
    lint_fix_free(&fix);
    return code;
}

/* Files appear only when all of them, and what is printed, could be made. */
static int show(const struct lint *lint, const struct choice *choice)
{
    struct page pages[PAGES];
    uint32_t changes = 0;
    for (uint32_t i = 0; i < PAGES; i++)
        pages[i] = (struct page){.file = OUTPUT_FILE_NONE};
    int code = write_pages(pages, lint, choice, &changes);
    char *json = NULL;
    struct data_frame *frame = code == CLI_OK && choice->json ? lint_frame(lint) : NULL;
    if (code == CLI_OK && choice->json)
        code = data_frame_check(frame);
    if (code == CLI_OK && choice->json) {
        json = output_json_text(write_json(frame));
        code = json != NULL ? CLI_OK : CLI_INTERNAL;
    }
    data_frame_free(frame);
    for (uint32_t i = 0; i < PAGES; i++) {
        if (pages[i].path != NULL && code == CLI_OK && !output_file_commit(&pages[i].file))
            code = CLI_INTERNAL;
        output_file_discard(&pages[i].file);
    }
    if (code == CLI_OK && json != NULL)
        fputs(json, stdout);
    else if (code == CLI_OK)
        lint_show(lint, choice->verbose);
    if (code == CLI_OK && json == NULL && (choice->fix != NULL || choice->patch != NULL))
        cli_print("changes in %s: %u", choice->fix != NULL ? choice->fix : choice->patch, changes);
    free(json);
    return code == CLI_OK && lint_count(lint, LINT_ERROR) > 0 ? CLI_VIOLATION : code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    sonic_given_init(&choice.given);
    if (!cli_read(&line, &cmd_lint, argc, argv, &choice))
        return line.code;
    if (choice.rules) {
        static const struct data_column columns[] = {DATA_COLUMN("rule", "rule", WORD),
                                                     DATA_COLUMN("severity", "severity", WORD),
                                                     DATA_COLUMN("sentence", "says", TEXT)};
        struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
        for (const struct lint_rule *rule = lint_rules; rule->name != NULL; rule++)
            data_row(frame, cell_text(rule->name), cell_text(lint_severity_name(rule->severity)),
                     cell_text(rule->sentence));
        return write_result(frame, false);
    }
    if (line.count == 0)
        return cli_error(CLI_USAGE, "lint: no configuration (expected a file or a folder)");
    struct sonic_config config;
    struct sonic_model model = {.config = NULL};
    struct lint lint = {.model = NULL};
    int code = sonic_open(&config, &model, line.operands[0], choice.lookup, &choice.given);
    if (code == CLI_OK)
        code = lint_run(&lint, &model) ? show(&lint, &choice) : cli_error_memory();
    lint_free(&lint);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}

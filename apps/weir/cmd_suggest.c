/*
 * cmd_suggest.c - `weir suggest`: settings of a switch for a goal, and what they cost. The search is in
 * operate/suggest.c.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "operate/options.h"
#include "operate/suggest.h"

struct choice {
    struct sonic_given given;
    struct sonic_wanted_traffic traffic;
    const char *lookup, *goal;
};

static const struct cli_option options[] = {
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    {.name = "goal",
     .value = "GOAL",
     .help = "no-loss, burst or p99; default: no-loss",
     .more =
         "no-loss: no packet of a lossless class is lost, with every group in headroom at once; then, as many cells "
         "as possible before a group pauses. burst: as many cells as possible before a group pauses, alone and after "
         "others. p99: the smallest 99th percentile of completion times under --traffic. The last two accept "
         "nothing that loses more than the configuration does.",
     .offer = CLI_WORDS("no-loss burst p99"),
     CLI_TEXT(struct choice, goal)},
    SONIC_TRAFFIC(struct choice),
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "CONFIG", .what = "configuration", .expected = "a file or a folder", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_suggest = {
    .name = "suggest",
    .summary = "search buffer settings of a switch for a goal",
    .about =
        "Changes thresholds, pools and headroom of a SONiC configuration, evaluates each candidate as weir-evaluate(1) "
        "does, and prints the changes that serve the goal best, and what they trade. It knows buffers, not your "
        "network: read it, and try it.",
    .options = options,
    .operands = operands,
    .status = "1 when even the best candidate loses packets of lossless classes.",
    .examples = "weir suggest config_db.json\nweir suggest config_db.json --goal p99 --traffic rdma --ports 8",
    .run = run,
};

static int read_goal(const char *text, enum suggest_goal *goal)
{
    static const char *const names[] = {"no-loss", "burst", "p99"};
    *goal = SUGGEST_NO_LOSS;
    for (uint32_t i = 0; text != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], text) == 0) {
            *goal = (enum suggest_goal)i;
            return CLI_OK;
        }
    return text == NULL ? CLI_OK
                        : cli_error(CLI_USAGE, "--goal: '%s' is no goal (expected no-loss, burst or p99)", text);
}

struct opened {
    struct sonic_config config;
    struct sonic_model model;
    struct evaluation evaluation;
};

/* What the changes trade: the configuration before and after them. */
static int show(const struct suggest_source *source, const struct suggest_found *found,
                const struct evaluate_wish *wish)
{
    struct opened *opened = calloc(2, sizeof *opened);
    const char *sets[SUGGEST_SETS], *names[2] = {source->path, "the same with these changes"};
    int code = opened != NULL ? CLI_OK : cli_error_memory();
    for (uint32_t i = 0; i < found->best.sets; i++)
        sets[i] = found->best.set[i];
    for (uint32_t i = 0; code == CLI_OK && i < 2; i++) {
        code = sonic_open(&opened[i].config, &opened[i].model, source->path, source->lookup, source->given);
        if (code == CLI_OK && i == 1 && found->best.sets > 0)
            code = sonic_change(&opened[i].config, &opened[i].model, sets, found->best.sets);
        if (code == CLI_OK)
            code = evaluation_make(&opened[i].evaluation, &opened[i].model, wish);
    }
    if (code == CLI_OK) {
        code = evaluation_compare(&opened[0].evaluation, &opened[1].evaluation, names, NULL);
        code = code == CLI_OK && opened[1].evaluation.losses > 0 ? CLI_VIOLATION : code;
    }
    for (uint32_t i = 0; opened != NULL && i < 2; i++) {
        evaluation_free(&opened[i].evaluation);
        sonic_model_free(&opened[i].model);
        sonic_config_free(&opened[i].config);
    }
    free(opened);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.goal = NULL};
    struct cli_line line;
    struct suggest_found found;
    enum suggest_goal goal;
    sonic_given_init(&choice.given);
    sonic_wanted_traffic_init(&choice.traffic);
    if (!cli_read(&line, &cmd_suggest, argc, argv, &choice))
        return line.code;
    struct evaluate_wish wish = {.quiet = true};
    struct suggest_source source = {line.operands[0], choice.lookup, &choice.given};
    int code = read_goal(choice.goal, &goal);
    if (code == CLI_OK)
        code = sonic_traffic_of(&wish.traffic, &choice.traffic);
    if (code == CLI_OK && goal == SUGGEST_P99 && wish.traffic.kind == SONIC_TRAFFIC_NONE)
        code = cli_error(CLI_USAGE, "--goal p99: no traffic (expected --traffic)");
    if (code == CLI_OK)
        code = suggest_search(&found, &source, goal, &wish);
    if (code != CLI_OK)
        return code;
    cli_print("tried: %u candidates", found.tried);
    for (uint32_t i = 0; i < found.best.sets; i++)
        cli_print("  --set %s", found.best.set[i]);
    if (found.best.sets == 0)
        cli_print("%s", "  nothing is better than the configuration as it is");
    cli_print("%s", "");
    return show(&source, &found, &wish);
}

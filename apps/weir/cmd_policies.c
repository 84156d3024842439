/*
 * cmd_policies.c - `weir policies`: what the library knows, from the tables that also drive the parser.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "lib/plugin/plugin.h"
#include "show/writers/write.h"

#define TEXT_COLUMNS 78
#define TEXT_INDENT 12
#define TITLE_COLUMNS 52 /* with the longest name and the venue a line has at most 100 */
#define VENUE_COLUMNS 32

struct choice {
    bool json;
};

static const struct cli_option options[] = {
    CLI_POLICY_FILE,
    {.name = "json",
     .help = "print everything as JSON",
     .more = "An array of policies, or one policy. Defaults and ranges are texts, as on a command line.",
     CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "NAME", .offer = CLI_LISTED("policies")},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_policies = {
    .name = "policies",
    .summary = "list the policies, or show one with its parameters",
    .about =
        "Lists every buffer policy with its title, and where and when it was published. With NAME: its paper, its "
        "deviations, what it needs from its host, and its parameters, written NAME:parameter=value. A parameter per "
        "class takes one value or a list, class 0 first; the last value repeats: alpha=8,1.",
    .options = options,
    .operands = operands,
    .examples = "weir policies occamy",
    .run = run,
};

static const struct {
    enum weir_need need;
    const char *name, *text;
} needs[] = {
    {WEIR_NEED_LONGEST, "longest", "longest-queue view"},
    {WEIR_NEED_RANKS, "ranks", "ranked view of the queues"},
    {WEIR_NEED_EXPEL, "expel", "offers of spare memory bandwidth"},
    {WEIR_NEED_DEQUEUE, "dequeue", "a say before every departure"},
    {WEIR_NEED_ORACLE, "oracle", "an oracle"},
    {WEIR_NEED_FLOW, "flow", "the flow of every packet"},
    {WEIR_NEED_INGRESS, "ingress", "the ingress side"},
};

static const char *unit_name(enum weir_unit unit)
{
    static const char *const names[] = {
        [WEIR_UNIT_RATIO] = "ratio", [WEIR_UNIT_COUNT] = "count", [WEIR_UNIT_TIME] = "time",
        [WEIR_UNIT_SPACE] = "space", [WEIR_UNIT_FLAG] = "flag",   [WEIR_UNIT_CHOICE] = "choice",
    };
    return names[unit];
}

static const char *default_text(const struct weir_param *param, char text[64])
{
    if (param->initial == WEIR_AUTO)
        return "auto";
    weir_value_format(text, 64, param, param->initial);
    return text;
}

/* "0..4096", or the words that are allowed. */
static const char *range_text(const struct weir_param *param, char text[256])
{
    char low[64], high[64];
    size_t used = 0;
    if (param->unit == WEIR_UNIT_FLAG)
        return "yes or no";
    if (param->unit != WEIR_UNIT_CHOICE) {
        weir_value_format(low, sizeof low, param, param->min);
        weir_value_format(high, sizeof high, param, param->max);
        snprintf(text, 256, "%s..%s", low, high);
        return text;
    }
    for (size_t i = 0; param->choices[i] != NULL && used < 256; i++)
        used += (size_t)snprintf(text + used, 256 - used, "%s%s",
                                 i == 0                          ? ""
                                 : param->choices[i + 1] == NULL ? " or "
                                                                 : ", ",
                                 param->choices[i]);
    return text;
}

static bool is_year(const char *text)
{
    return strspn(text, "0123456789") == 4 && (text[0] == '1' || text[0] == '2');
}

/* "NSDI 2024" of "Addanki, Pacut & Schmid, NSDI 2024 (Credence), appendix B"; a source without a year as it is. */
static const char *venue_text(const char *source, char venue[128])
{
    const char *start = source, *at = source;
    for (; *at != '\0' && !(at > source && at[-1] == ' ' && is_year(at)); at++)
        if (at[0] == ',' && at[1] == ' ')
            start = at + 2;
    if (*at == '\0')
        return source;
    snprintf(venue, 128, "%.*s", (int)(at + 4 - start), start);
    return venue;
}

static int list_policies(void)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", "name", WORD), DATA_COLUMN("side", "side", WORD),
                                                 DATA_COLUMN("title", "title", TEXT, .width = TITLE_COLUMNS),
                                                 DATA_COLUMN("published", "published", TEXT, .width = VENUE_COLUMNS)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < plugin_policy_count(); i++) {
        const struct weir_policy *policy = plugin_policy_at(i);
        char venue[128];
        data_row(frame, cell_text(policy->name), cell_text(policy->needs & WEIR_NEED_INGRESS ? "ingress" : "egress"),
                 cell_text(policy->title), cell_text(venue_text(policy->source, venue)));
    }
    return write_result(frame, false);
}

/* "label       text", broken between words. */
static void put_text(const char *label, const char *text)
{
    size_t column = (size_t)printf("%-*s", TEXT_INDENT, label);
    bool first = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > TEXT_COLUMNS) {
            column = (size_t)printf("\n%*s", TEXT_INDENT, "") - 1;
            first = true;
        }
        column += (size_t)printf("%s%.*s", first ? "" : " ", (int)length, text);
        first = false;
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

/* Defaults and ranges are texts, as on a command line. */
static struct data_frame *params_frame(const struct weir_policy *policy)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", "parameter", WORD),
                                                 DATA_COLUMN("unit", "unit", WORD),
                                                 DATA_COLUMN("default", "default", TEXT, .right = true),
                                                 DATA_COLUMN(NULL, "range", TEXT),
                                                 DATA_COLUMN("min", NULL, TEXT),
                                                 DATA_COLUMN("max", NULL, TEXT),
                                                 DATA_COLUMN("choices", NULL, NESTED),
                                                 DATA_COLUMN("per_class", "per", FLAG),
                                                 DATA_COLUMN("help", "meaning", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < policy->param_count; i++) {
        const struct weir_param *param = &policy->params[i];
        char initial[64], low[64], high[64], range[256];
        bool numeric = param->unit != WEIR_UNIT_CHOICE && param->unit != WEIR_UNIT_FLAG;
        struct data_frame *choices = data_frame_new_list();
        for (size_t k = 0; param->unit == WEIR_UNIT_CHOICE && param->choices[k] != NULL; k++)
            data_row(choices, cell_text(param->choices[k]));
        weir_value_format(low, sizeof low, param, param->min);
        weir_value_format(high, sizeof high, param, param->max);
        data_row(frame, cell_text(param->name), cell_text(unit_name(param->unit)),
                 cell_text(default_text(param, initial)), cell_text(range_text(param, range)),
                 cell_if(numeric, cell_text(low)), cell_if(numeric, cell_text(high)), cell_frame(choices),
                 cell_shown(cell_flag(param->per_class), param->per_class ? "class" : "switch"),
                 cell_text(param->help));
    }
    return frame;
}

static int show_policy(const struct weir_policy *policy)
{
    struct data_frame *params = params_frame(policy);
    int code = data_frame_check(params);
    if (code == CLI_OK) {
        put_text("name", policy->name);
        put_text("title", policy->title);
        put_text("paper", policy->source);
        put_text("deviations", policy->deviations != NULL ? policy->deviations : "none");
        char text[256] = "";
        for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
            if (policy->needs & needs[i].need)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] != '\0' ? ", " : "",
                         needs[i].text);
        put_text("needs", text[0] != '\0' ? text : "nothing");
        if (policy->param_count == 0) {
            put_text("parameters", "none");
        } else {
            putchar('\n');
            write_text(params);
        }
    }
    data_frame_free(params);
    return code;
}

static struct data_frame *policy_frame(const struct weir_policy *policy)
{
    struct data_frame *needed = data_frame_new_list();
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (policy->needs & needs[i].need)
            data_row(needed, cell_text(needs[i].name));
    return data_object({"name", cell_text(policy->name)}, {"title", cell_text(policy->title)},
                       {"source", cell_text(policy->source)}, {"deviations", cell_text(policy->deviations)},
                       {"needs", cell_frame(needed)}, {"parameters", cell_frame(params_frame(policy))});
}

static struct data_frame *policies_frame(void)
{
    struct data_frame *all = data_frame_new_list();
    for (uint32_t i = 0; i < plugin_policy_count(); i++)
        data_row(all, cell_frame(policy_frame(plugin_policy_at(i))));
    return all;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    if (!cli_read(&line, &cmd_policies, argc, argv, &choice))
        return line.code;
    if (line.count == 0)
        return choice.json ? write_result(policies_frame(), true) : list_policies();
    const struct weir_policy *policy = cli_find_policy(line.operands[0]);
    if (policy == NULL)
        return CLI_INPUT;
    return choice.json ? write_result(policy_frame(policy), true) : show_policy(policy);
}

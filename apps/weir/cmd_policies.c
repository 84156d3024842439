/*
 * cmd_policies.c - `weir policies`: what the library knows, from the tables that also drive the parser.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "lib/plugin/plugin.h"

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

/* "0..4096", or the words that are allowed. The caller frees it. */
static char *range_text(const struct weir_param *param)
{
    char low[64], high[64], *text = NULL;
    if (param->unit == WEIR_UNIT_FLAG)
        return strdup("yes or no");
    if (param->unit != WEIR_UNIT_CHOICE) {
        weir_value_format(low, sizeof low, param, param->min);
        weir_value_format(high, sizeof high, param, param->max);
        return asprintf(&text, "%s..%s", low, high) < 0 ? NULL : text;
    }
    text = strdup(param->choices[0]);
    for (size_t i = 1; text != NULL && param->choices[i] != NULL; i++) {
        char *longer = NULL;
        bool last = param->choices[i + 1] == NULL;
        if (asprintf(&longer, "%s%s%s", text, last ? " or " : ", ", param->choices[i]) < 0)
            longer = NULL;
        free(text);
        text = longer;
    }
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
    static const struct output_column columns[] = {
        {"name", false}, {"side", false}, {"title", false}, {"published", false}};
    struct output_table *table = output_table_new(columns, 4);
    for (uint32_t i = 0; i < plugin_policy_count(); i++) {
        output_table_cell(table, "%s", plugin_policy_at(i)->name);
        output_table_cell(table, "%s", plugin_policy_at(i)->needs & WEIR_NEED_INGRESS ? "ingress" : "egress");
        char venue[128];
        output_table_cell_cut(table, plugin_policy_at(i)->title, TITLE_COLUMNS);
        output_table_cell_cut(table, venue_text(plugin_policy_at(i)->source, venue), VENUE_COLUMNS);
    }
    return output_table_print(table);
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

static void put_needs(const struct weir_policy *policy)
{
    char text[256] = "";
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (policy->needs & needs[i].need)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] != '\0' ? ", " : "",
                     needs[i].text);
    put_text("needs", text[0] != '\0' ? text : "nothing");
}

/* Null when memory is short. */
static struct output_table *params_table(const struct weir_policy *policy)
{
    static const struct output_column columns[] = {{"parameter", false}, {"unit", false}, {"default", true},
                                                   {"range", false},     {"per", false},  {"meaning", false}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < policy->param_count; i++) {
        const struct weir_param *param = &policy->params[i];
        char text[64], *range = range_text(param);
        if (range == NULL) {
            output_table_free(table);
            return NULL;
        }
        output_table_cell(table, "%s", param->name);
        output_table_cell(table, "%s", unit_name(param->unit));
        output_table_cell(table, "%s", default_text(param, text));
        output_table_cell(table, "%s", range);
        output_table_cell(table, "%s", param->per_class ? "class" : "switch");
        output_table_cell(table, "%s", param->help);
        free(range);
    }
    return table;
}

static void put_params(const struct weir_policy *policy, struct output_table *table)
{
    if (policy->param_count == 0) {
        put_text("parameters", "none");
        return;
    }
    putchar('\n');
    output_table_put(table);
}

static int show_policy(const struct weir_policy *policy)
{
    struct output_table *params = params_table(policy);
    int code = output_table_check(params);
    if (code == CLI_OK) {
        put_text("name", policy->name);
        put_text("title", policy->title);
        put_text("paper", policy->source);
        put_text("deviations", policy->deviations != NULL ? policy->deviations : "none");
        put_needs(policy);
        put_params(policy, params);
    }
    output_table_free(params);
    return code;
}

static json_t *param_json(const struct weir_param *param)
{
    char initial[64], low[64], high[64];
    json_t *choices = json_array();
    for (size_t i = 0; param->unit == WEIR_UNIT_CHOICE && param->choices[i] != NULL; i++)
        choices = output_json_append(choices, json_string(param->choices[i]));
    bool numeric = param->unit != WEIR_UNIT_CHOICE && param->unit != WEIR_UNIT_FLAG;
    if (numeric) {
        weir_value_format(low, sizeof low, param, param->min);
        weir_value_format(high, sizeof high, param, param->max);
    }
    return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:o, s:b, s:s}", "name", param->name, "unit", unit_name(param->unit),
                     "default", default_text(param, initial), "min", numeric ? low : NULL, "max", numeric ? high : NULL,
                     "choices", choices, "per_class", param->per_class, "help", param->help);
}

static json_t *policy_json(const struct weir_policy *policy)
{
    json_t *needed = json_array(), *params = json_array();
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (policy->needs & needs[i].need)
            needed = output_json_append(needed, json_string(needs[i].name));
    for (uint32_t i = 0; i < policy->param_count; i++)
        params = output_json_append(params, param_json(&policy->params[i]));
    return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o}", "name", policy->name, "title", policy->title, "source",
                     policy->source, "deviations", policy->deviations, "needs", needed, "parameters", params);
}

static json_t *policies_json(void)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < plugin_policy_count(); i++)
        all = output_json_append(all, policy_json(plugin_policy_at(i)));
    return all;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    if (!cli_read(&line, &cmd_policies, argc, argv, &choice))
        return line.code;
    if (line.count == 0)
        return choice.json ? output_json(policies_json()) : list_policies();
    const struct weir_policy *policy = cli_find_policy(line.operands[0]);
    if (policy == NULL)
        return CLI_INPUT;
    return choice.json ? output_json(policy_json(policy)) : show_policy(policy);
}

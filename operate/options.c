/*
 * options.c - see options.h.
 */
#include "operate/options.h"

#include <stdlib.h>
#include <string.h>

#include "operate/config/config_parts.h"

#define MBPS 1000000
#define PIPES_MAX 64
#define PORTS_USUAL 16

const struct weir_param sonic_cell_range = {.unit = WEIR_UNIT_SPACE, .min = 1, .max = UINT16_MAX};
const struct weir_param sonic_memory_range = {.unit = WEIR_UNIT_SPACE, .min = 1, .max = INT64_C(1) << 40};
const struct weir_param sonic_burst_range = {.unit = WEIR_UNIT_SPACE, .min = 1, .max = INT64_C(1) << 40};
const struct weir_param sonic_load_range = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = 65536};
const struct weir_param sonic_pipes_range = {.unit = WEIR_UNIT_COUNT, .min = 1, .max = PIPES_MAX};

int sonic_read_xoff(void *target, const struct cli_option *option, const char *text)
{
    bool inside = strcmp(text, "inside") == 0;
    if (!inside && strcmp(text, "outside") != 0)
        return cli_error(CLI_USAGE, "--%s: '%s' is no place (expected inside or outside)", option->name, text);
    *(int64_t *)target = inside ? PLATFORM_XOFF_INSIDE : PLATFORM_XOFF_OUTSIDE;
    return CLI_OK;
}

int sonic_read_rate(void *target, const struct cli_option *option, const char *text)
{
    char number[24];
    int64_t value;
    size_t digits = strspn(text, "0123456789");
    bool giga = strcmp(text + digits, "Gbps") == 0;
    if (digits == 0 || digits >= sizeof number || (!giga && strcmp(text + digits, "Mbps") != 0))
        return cli_error(CLI_USAGE, "--%s: '%s' is no rate (expected whole Gbps or Mbps, such as 100Gbps)",
                         option->name, text);
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!sonic_read_number(number, &value) || value < 1 || value > SONIC_SPEED_MAX / (giga ? 1000 : 1))
        return cli_error(CLI_INPUT, "--%s: '%s' is out of range (1Mbps to 10000Gbps)", option->name, text);
    *(int64_t *)target = giga ? value * 1000 : value;
    return CLI_OK;
}

int sonic_read_cable(void *target, const struct cli_option *option, const char *text)
{
    if (sonic_read_metres(text, target))
        return CLI_OK;
    return cli_error(CLI_USAGE, "--%s: '%s' is no length (expected metres, such as 300m)", option->name, text);
}

int sonic_read_formula(void *target, const struct cli_option *option, const char *text)
{
    for (uint32_t i = 0; i < FORMULAS; i++)
        if (strcmp(formula_years[i], text) == 0) {
            *(uint32_t *)target = i;
            return CLI_OK;
        }
    return cli_error(CLI_USAGE, "--%s: '%s' is no year of it (expected 2020, 2021, 2024 or 2026)", option->name, text);
}

int sonic_open(struct sonic_config *config, struct sonic_model *model, const char *path, const char *lookup,
               const struct sonic_given *given)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    sonic_config_init(config);
    *model = (struct sonic_model){.config = NULL};
    bool good = sonic_config_add_path(config, path, &error) &&
                (lookup == NULL || sonic_config_add_path(config, lookup, &error)) &&
                sonic_config_finish(config, &error) && sonic_model_make(model, config, given, &error);
    return good ? CLI_OK : cli_report(&error);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

void sonic_wanted_traffic_init(struct sonic_wanted_traffic *wanted)
{
    *wanted = (struct sonic_wanted_traffic){.until_us = 5000, .bytes = 1000000, .load = 65536 / 5};
}

int sonic_traffic_of(struct sonic_traffic *traffic, const struct sonic_wanted_traffic *wanted)
{
    static const struct {
        const char *name;
        enum sonic_traffic_kind kind;
    } kinds[] = {{"mix", SONIC_TRAFFIC_MIX},
                 {"incast", SONIC_TRAFFIC_INCAST},
                 {"websearch", SONIC_TRAFFIC_WEBSEARCH},
                 {"rdma", SONIC_TRAFFIC_RDMA},
                 {"all-reduce", SONIC_TRAFFIC_ALL_REDUCE},
                 {"all-to-all", SONIC_TRAFFIC_ALL_TO_ALL}};
    *traffic = (struct sonic_traffic){.until_us = (int64_t)wanted->until_us,
                                      .incast_bytes = wanted->bytes,
                                      .ports = wanted->ports > 0 ? (uint32_t)wanted->ports : PORTS_USUAL,
                                      .is_wanted = wanted->ports > 0,
                                      .load = (double)wanted->load / 65536,
                                      .kind = SONIC_TRAFFIC_NONE,
                                      .file = wanted->what};
    if (wanted->what == NULL)
        return CLI_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, wanted->what) == 0) {
            traffic->kind = kinds[i].kind;
            return CLI_OK;
        }
    if (strpbrk(wanted->what, "./") == NULL)
        return cli_error(
            CLI_USAGE,
            "--traffic: '%s' is no traffic (expected incast, websearch, rdma, mix, all-reduce, all-to-all or a file)",
            wanted->what);
    bool pcap = ends_with(wanted->what, ".pcap") || ends_with(wanted->what, ".pcapng");
    traffic->kind = pcap ? SONIC_TRAFFIC_PCAP : SONIC_TRAFFIC_FLOWS;
    return CLI_OK;
}

/* The nearest of the keys of an object, for a message. */
static const char *nearest_key(json_t *object, const char *name)
{
    const char *names[256], *key;
    size_t count = 0;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (count < sizeof names / sizeof names[0])
            names[count++] = key;
    }
    return name[0] != '\0' ? weir_nearest_name(name, names, count) : NULL;
}

static int no_such(const char *set, const char *what, const char *name, const char *near)
{
    return near != NULL ? cli_error(CLI_INPUT, "--set %s: no %s '%s' (did you mean '%s'?)", set, what, name, near)
                        : cli_error(CLI_INPUT, "--set %s: no %s '%s'", set, what, name);
}

/* One change. Keys may have dots in them: the table ends at the first, the field begins behind the last. */
static int change_one(json_t *tree, const char *set)
{
    const char *equals = strchr(set, '=');
    char *text = equals != NULL ? strndup(set, (size_t)(equals - set)) : NULL;
    char *key = text != NULL ? strchr(text, '.') : NULL, *field = text != NULL ? strrchr(text, '.') : NULL;
    int code = CLI_OK;
    if (key == NULL || field == key) {
        free(text);
        return cli_error(CLI_USAGE, "--set: '%s' is no change (expected TABLE.KEY.FIELD=VALUE)", set);
    }
    *key++ = '\0';
    *field++ = '\0';
    json_t *table = json_object_get(tree, text), *entry = json_object_get(table, key);
    if (!json_is_object(table))
        code = no_such(set, "table", text, nearest_key(tree, text));
    else if (!json_is_object(entry))
        code = no_such(set, "entry", key, nearest_key(table, key));
    else if (json_object_set_new(entry, field, json_string(equals + 1)) != 0)
        code = cli_error(CLI_INPUT, "--set %s: the value is no text (expected UTF-8)", set);
    free(text);
    return code;
}

/* Whether the field that was set is one of its table and takes the value. */
static int check_change(const struct sonic_config *changed, const char *set)
{
    const struct sonic_problem *problems = changed->problems.at;
    for (uint32_t i = 0; i < changed->problems.count; i++) {
        const struct sonic_problem *problem = &problems[i];
        size_t table = strlen(problem->table), key = problem->key != NULL ? strlen(problem->key) : 0;
        if (problem->kind == SONIC_UNREAD || problem->key == NULL || problem->field == NULL)
            continue;
        size_t field = strlen(problem->field);
        if (strlen(set) > table + key + field + 2 && strncmp(set, problem->table, table) == 0 && set[table] == '.' &&
            strncmp(set + table + 1, problem->key, key) == 0 && set[table + 1 + key] == '.' &&
            strncmp(set + table + key + 2, problem->field, field) == 0 && set[table + key + field + 2] == '=')
            return cli_error(CLI_INPUT, "--set %s: %s", set, problem->text);
    }
    return CLI_OK;
}

int sonic_change(struct sonic_config *config, struct sonic_model *model, const char *const *sets, uint32_t count)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sonic_config changed;
    struct sonic_given given = model->given;
    json_t *tree = sonic_config_tree(config);
    int code = tree != NULL ? CLI_OK : cli_error_memory();
    for (uint32_t i = 0; code == CLI_OK && i < count; i++)
        code = change_one(tree, sets[i]);
    sonic_config_init(&changed);
    if (code == CLI_OK && !sonic_config_again(&changed, config, tree, &error))
        code = cli_report(&error);
    for (uint32_t i = 0; code == CLI_OK && i < count; i++)
        code = check_change(&changed, sets[i]);
    json_decref(tree);
    if (code != CLI_OK) {
        sonic_config_free(&changed);
        return code;
    }
    sonic_model_free(model);
    sonic_config_free(config);
    *config = changed;
    return sonic_model_make(model, config, &given, &error) ? CLI_OK : cli_report(&error);
}

/*
 * fleet.c - see fleet.h. Fields of tables about ports are compared without the port: "BUFFER_PG *|3-4 profile" has all
 * profiles that some port has there. Lengths of cables and speeds of ports differ by nature, and are left out.
 */
#include "operate/fleet.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "operate/options.h"
#include "show/writers/write.h"

#define PATH_MAX_BYTES 4096u
#define SHOWN 3u /* switches that a line names */
#define WHICH 200u
#define NONE "(none)"

static struct fleet_group *find_group(struct fleet *fleet, const struct lint_finding *finding)
{
    struct fleet_group *groups = FLEET_GROUPS(fleet);
    for (uint32_t i = 0; i < fleet->groups.count; i++)
        if (groups[i].rule == finding->rule && groups[i].severity == finding->severity &&
            strcmp(groups[i].table, finding->table) == 0 && strcmp(groups[i].text, finding->text) == 0)
            return &groups[i];
    struct fleet_group *added = sonic_list_add(&fleet->groups, sizeof *added);
    if (added == NULL)
        return NULL;
    *added = (struct fleet_group){.rule = finding->rule,
                                  .severity = finding->severity,
                                  .table = arena_text(&fleet->arena, finding->table, strlen(finding->table)),
                                  .text = arena_text(&fleet->arena, finding->text, strlen(finding->text))};
    return added->table != NULL && added->text != NULL ? added : NULL;
}

static bool add_finding(struct fleet *fleet, const struct lint_finding *finding, uint32_t which)
{
    struct fleet_group *group = finding->table != NULL ? find_group(fleet, finding) : NULL;
    if (group == NULL)
        return finding->table == NULL;
    group->findings++;
    if (group->count > 0 && group->switches[group->count - 1] == which)
        return true;
    if (group->count == group->room) {
        uint32_t room = group->room == 0 ? 8 : 2 * group->room;
        uint32_t *switches = realloc(group->switches, room * sizeof *switches);
        if (switches == NULL)
            return false;
        group->switches = switches;
        group->room = room;
    }
    group->switches[group->count++] = which;
    return true;
}

/* Whether a table's fields are compared, and whether its keys begin with ports. */
static bool is_compared(const char *table, bool *has_ports)
{
    static const char *const plain[] = {"BUFFER_POOL",
                                        "BUFFER_PROFILE",
                                        "WRED_PROFILE",
                                        "SCHEDULER",
                                        "DSCP_TO_TC_MAP",
                                        "DOT1P_TO_TC_MAP",
                                        "TC_TO_PRIORITY_GROUP_MAP",
                                        "TC_TO_QUEUE_MAP",
                                        "TC_TO_DSCP_MAP",
                                        "MAP_PFC_PRIORITY_TO_QUEUE",
                                        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
                                        "LOSSLESS_TRAFFIC_PATTERN",
                                        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
                                        "SWITCH_TRIMMING",
                                        "LLR_PROFILE"};
    static const char *const of_ports[] = {"BUFFER_PG",
                                           "BUFFER_QUEUE",
                                           "QUEUE",
                                           "PORT_QOS_MAP",
                                           "PFC_WD",
                                           "BUFFER_PORT_INGRESS_PROFILE_LIST",
                                           "BUFFER_PORT_EGRESS_PROFILE_LIST"};
    *has_ports = false;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(plain[i], table) == 0)
            return true;
    for (size_t i = 0; i < sizeof of_ports / sizeof of_ports[0]; i++)
        *has_ports |= strcmp(of_ports[i], table) == 0;
    return *has_ports;
}

/* values[path][value] has the switch; `standard` is kept apart. */
static bool add_value(struct fleet *fleet, const char *path, const char *value, const char *by)
{
    json_t *of = json_object_get(fleet->values, path), *having;
    if (of == NULL && json_object_set_new(fleet->values, path, of = json_object()) != 0)
        return false;
    having = json_object_get(of, value);
    if (having == NULL && json_object_set_new(of, value, having = json_array()) != 0)
        return false;
    size_t count = json_array_size(having);
    const char *last = count > 0 ? json_string_value(json_array_get(having, count - 1)) : "";
    return strcmp(last, by) == 0 || json_array_append_new(having, json_string(by)) == 0;
}

static const char *bare(const char *value)
{
    return value[0] == '[' && strchr(value, '|') != NULL ? strchr(value, '|') + 1 : value;
}

/* "[BUFFER_POOL|x]" and "x" are the same. */
static void copy_value(const json_t *value, char text[256])
{
    if (json_is_integer(value))
        snprintf(text, 256, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        snprintf(text, 256, "%s", json_is_string(value) ? bare(json_string_value(value)) : "{...}");
    size_t length = strlen(text);
    if (json_is_string(value) && bare(json_string_value(value)) != json_string_value(value) && length > 0 &&
        text[length - 1] == ']')
        text[length - 1] = '\0';
    sonic_clean_text(text);
}

static bool add_values(struct fleet *fleet, const json_t *tree, const char *hwsku, const char *by)
{
    const char *table, *key, *field;
    json_t *entries, *fields, *value;
    bool has_ports;
    json_object_foreach((json_t *)(uintptr_t)tree, table, entries)
    {
        if (!is_compared(table, &has_ports))
            continue;
        json_object_foreach(entries, key, fields)
        {
            const char *bar = strrchr(key, '|');
            bool is_global = strcmp(key, "GLOBAL") == 0 || strcmp(key, "global") == 0;
            json_object_foreach(fields, field, value)
            {
                char path[1024], text[256];
                if (has_ports && !is_global)
                    snprintf(path, sizeof path, "%.200s\n%.60s\n*%.40s\n%.200s", hwsku, table, bar != NULL ? bar : "",
                             field);
                else
                    snprintf(path, sizeof path, "%.200s\n%.60s\n%.400s\n%.200s", hwsku, table, key, field);
                copy_value(value, text);
                if (!add_value(fleet, path, text, by))
                    return false;
            }
        }
    }
    return true;
}

static int read_switch(struct fleet *fleet, const char *path, const char *name, const struct sonic_given *given)
{
    struct sonic_config config;
    struct sonic_model model;
    struct lint lint;
    uint32_t which = fleet->switches.count;
    struct fleet_switch *own = sonic_list_add(&fleet->switches, sizeof *own);
    if (own == NULL)
        return cli_error_memory();
    *own = (struct fleet_switch){.name = arena_text(&fleet->arena, name, strlen(name))};
    int code = own->name != NULL ? sonic_open(&config, &model, path, NULL, given) : cli_error_memory();
    if (own->name == NULL)
        return code;
    own->is_refused = code != CLI_OK;
    bool good = true;
    if (code == CLI_OK) {
        const struct sonic_device *device = SONIC_COUNT(&config, SONIC_DEVICE_METADATA) > 0
                                                ? SONIC_AT(&config, sonic_device, SONIC_DEVICE_METADATA, 0)
                                                : NULL;
        const char *hwsku = device != NULL && device->hwsku != NULL ? device->hwsku : "unknown hwsku";
        const char *chip = model.platform.name != NULL ? model.platform.name : "unknown";
        own->hwsku = arena_text(&fleet->arena, hwsku, strlen(hwsku));
        own->chip = arena_text(&fleet->arena, chip, strlen(chip));
        good = own->hwsku != NULL && own->chip != NULL && lint_run(&lint, &model);
        for (uint32_t i = 0; good && i < lint.findings.count; i++) {
            own->of_severity[LINT_FINDINGS(&lint)[i].severity]++;
            good = add_finding(fleet, &LINT_FINDINGS(&lint)[i], which);
        }
        fleet->errors += good ? lint_count(&lint, LINT_ERROR) : 0;
        json_t *tree = sonic_config_tree(&config);
        good = good && tree != NULL && add_values(fleet, tree, own->hwsku, own->name);
        json_decref(tree);
        lint_free(&lint);
    }
    sonic_model_free(&model);
    sonic_config_free(&config);
    return good ? CLI_OK : cli_error_memory();
}

static int is_switch(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_readable(const char *path)
{
    struct stat about;
    size_t length = strlen(path);
    return stat(path, &about) == 0 &&
           (S_ISDIR(about.st_mode) || (length > 5 && strcmp(path + length - 5, ".json") == 0));
}

/* The usual value of a field: the vendor's, else what more than half of the switches of the hwsku have. */
static const char *usual_value(const json_t *values, const json_t *standard, uint32_t switches)
{
    const char *value, *found = NULL;
    json_t *having;
    size_t most = 0, all = 0;
    if (standard != NULL) {
        json_object_foreach((json_t *)(uintptr_t)standard, value, having) found = value;
        return found;
    }
    json_object_foreach((json_t *)(uintptr_t)values, value, having)
    {
        all += json_array_size(having);
        if (json_array_size(having) > most) {
            most = json_array_size(having);
            found = value;
        }
    }
    if (all < switches && switches - all > most) {
        most = switches - all;
        found = NONE;
    }
    return 2 * most > switches ? found : NULL;
}

static void name_switches(const json_t *having, char which[WHICH])
{
    size_t count = json_array_size(having), used = 0;
    which[0] = '\0';
    for (size_t i = 0; i < count && i < SHOWN && used + 50 < WHICH; i++)
        used += (size_t)snprintf(which + used, WHICH - used, "%s%.40s", i > 0 ? ", " : "",
                                 json_string_value(json_array_get(having, i)));
    if (count > SHOWN)
        snprintf(which + used, WHICH - used, " and %zu more", count - SHOWN);
}

static bool add_difference(struct fleet *fleet, const char *path, const char *usual, const char *value,
                           const json_t *having)
{
    char which[WHICH];
    const char *part[4] = {path};
    for (uint32_t i = 1; i < 4; i++)
        part[i] = strchr(part[i - 1], '\n') + 1;
    struct fleet_difference *added = sonic_list_add(&fleet->differences, sizeof *added);
    if (added == NULL)
        return false;
    name_switches(having, which);
    *added = (struct fleet_difference){.hwsku = arena_text(&fleet->arena, part[0], strcspn(part[0], "\n")),
                                       .table = arena_text(&fleet->arena, part[1], strcspn(part[1], "\n")),
                                       .key = arena_text(&fleet->arena, part[2], strcspn(part[2], "\n")),
                                       .field = arena_text(&fleet->arena, part[3], strlen(part[3])),
                                       .usual = arena_text(&fleet->arena, usual, strlen(usual)),
                                       .value = arena_text(&fleet->arena, value, strlen(value)),
                                       .which = arena_text(&fleet->arena, which, strlen(which)),
                                       .count = (uint32_t)json_array_size(having)};
    return added->hwsku != NULL && added->table != NULL && added->key != NULL && added->field != NULL &&
           added->usual != NULL && added->value != NULL && added->which != NULL;
}

/* The switches of an hwsku that have no value of a field. Null: memory was short. */
static json_t *find_without(const struct fleet *fleet, const char *hwsku, size_t length, const json_t *values)
{
    json_t *without = json_array(), *having, *name;
    const char *value;
    size_t i;
    for (uint32_t s = 0; without != NULL && s < fleet->switches.count; s++) {
        const struct fleet_switch *of = &FLEET_SWITCHES(fleet)[s];
        bool has = of->is_refused || strlen(of->hwsku) != length || strncmp(of->hwsku, hwsku, length) != 0;
        json_object_foreach((json_t *)(uintptr_t)values, value, having) json_array_foreach(having, i, name) has |=
            strcmp(json_string_value(name), of->name) == 0;
        if (!has && json_array_append_new(without, json_string(of->name)) != 0) {
            json_decref(without);
            return NULL;
        }
    }
    return without;
}

static int most_first(const void *a, const void *b)
{
    const struct fleet_difference *one = a, *two = b;
    int order = strcmp(one->hwsku, two->hwsku);
    if (order == 0 && one->count != two->count)
        return one->count > two->count ? -1 : 1;
    order = order != 0 ? order : strcmp(one->table, two->table);
    order = order != 0 ? order : strcmp(one->key, two->key);
    return order != 0 ? order : strcmp(one->field, two->field);
}

static bool compare(struct fleet *fleet, const json_t *standard)
{
    const char *path, *value;
    json_t *values, *having;
    json_object_foreach(fleet->values, path, values)
    {
        size_t hwsku = strcspn(path, "\n");
        uint32_t switches = 0;
        for (uint32_t s = 0; s < fleet->switches.count; s++) {
            const struct fleet_switch *of = &FLEET_SWITCHES(fleet)[s];
            switches += !of->is_refused && strlen(of->hwsku) == hwsku && strncmp(of->hwsku, path, hwsku) == 0;
        }
        char known[1024];
        snprintf(known, sizeof known, "standard%s", path + hwsku);
        const json_t *own = standard != NULL ? json_object_get(standard, known) : NULL;
        const char *usual = usual_value(values, own, switches);
        usual = usual == NULL && standard != NULL ? NONE : usual;
        if (usual == NULL)
            continue; /* no two halves are alike: nothing is usual */
        json_object_foreach(values, value, having)
        {
            bool same = own != NULL ? json_object_get(own, value) != NULL : strcmp(value, usual) == 0;
            if (!same && !add_difference(fleet, path, usual, value, having))
                return false;
        }
        json_t *without = find_without(fleet, path, hwsku, values);
        bool good = without != NULL && (json_array_size(without) == 0 || strcmp(usual, NONE) == 0 ||
                                        add_difference(fleet, path, usual, NONE, without));
        json_decref(without);
        if (!good)
            return false;
    }
    if (fleet->differences.count > 0)
        qsort(fleet->differences.at, fleet->differences.count, sizeof(struct fleet_difference), most_first);
    return true;
}

static int severest_first(const void *a, const void *b)
{
    const struct fleet_group *one = a, *two = b;
    if (one->severity != two->severity)
        return one->severity > two->severity ? -1 : 1;
    if (one->count != two->count)
        return one->count > two->count ? -1 : 1;
    if (one->rule != two->rule)
        return one->rule < two->rule ? -1 : 1;
    return strcmp(one->text, two->text);
}

/* The vendor's configuration as values by path. Null after an error. */
static json_t *read_standard(const char *path, const struct sonic_given *given)
{
    struct fleet vendor = {.values = json_object()};
    struct sonic_config config;
    struct sonic_model model;
    int code = sonic_open(&config, &model, path, NULL, given);
    json_t *tree = code == CLI_OK ? sonic_config_tree(&config) : NULL;
    bool good = tree != NULL && add_values(&vendor, tree, "standard", "standard");
    json_decref(tree);
    sonic_model_free(&model);
    sonic_config_free(&config);
    if (good)
        return vendor.values;
    json_decref(vendor.values);
    return NULL;
}

int fleet_read(struct fleet *fleet, const char *folder, const char *standard, const struct sonic_given *given)
{
    struct dirent **entries;
    *fleet = (struct fleet){.values = json_object()};
    json_t *vendor = standard != NULL ? read_standard(standard, given) : NULL;
    if (standard != NULL && vendor == NULL)
        return CLI_INPUT;
    int count = scandir(folder, &entries, is_switch, alphasort), code = CLI_OK;
    if (count < 0)
        code = cli_error(CLI_INPUT, "%s: cannot read: %s (expected a folder of switches)", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX_BYTES];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (code == CLI_OK && is_readable(path))
            code = read_switch(fleet, path, entries[i]->d_name, given);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (code == CLI_OK && fleet->switches.count == 0)
        code = cli_error(CLI_INPUT, "%s: has no switch (expected a folder or a *.json for each)", folder);
    if (code == CLI_OK && !compare(fleet, vendor))
        code = cli_error_memory();
    if (code == CLI_OK && fleet->groups.count > 0)
        qsort(fleet->groups.at, fleet->groups.count, sizeof(struct fleet_group), severest_first);
    json_decref(vendor);
    return code;
}

void fleet_free(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->groups.count; i++)
        free(FLEET_GROUPS(fleet)[i].switches);
    free(fleet->switches.at);
    free(fleet->groups.at);
    free(fleet->differences.at);
    json_decref(fleet->values);
    arena_free(&fleet->arena);
}

static void name_group(const struct fleet *fleet, const struct fleet_group *group, char which[WHICH])
{
    size_t used = 0;
    which[0] = '\0';
    for (uint32_t i = 0; i < group->count && i < SHOWN && used + 50 < WHICH; i++)
        used += (size_t)snprintf(which + used, WHICH - used, "%s%.40s", i > 0 ? ", " : "",
                                 FLEET_SWITCHES(fleet)[group->switches[i]].name);
    if (group->count > SHOWN)
        snprintf(which + used, WHICH - used, " and %u more", group->count - SHOWN);
}

static struct data_frame *switches_frame(const struct fleet *fleet)
{
    static const struct data_column columns[] = {DATA_COLUMN("switch", "switch", TEXT),
                                                 DATA_COLUMN("hwsku", "hwsku", TEXT),
                                                 DATA_COLUMN("chip", "chip", WORD),
                                                 DATA_COLUMN("errors", "errors", INTEGER),
                                                 DATA_COLUMN("warnings", "warnings", INTEGER),
                                                 DATA_COLUMN("notes", "notes", INTEGER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < fleet->switches.count; i++) {
        const struct fleet_switch *of = &FLEET_SWITCHES(fleet)[i];
        bool known = !of->is_refused;
        data_row(frame, cell_text(of->name), cell_text(known ? of->hwsku : "could not be read"), cell_text(of->chip),
                 cell_if(known, cell_integer(of->of_severity[LINT_ERROR])),
                 cell_if(known, cell_integer(of->of_severity[LINT_WARNING])),
                 cell_if(known, cell_integer(of->of_severity[LINT_NOTE])));
    }
    return frame;
}

static struct data_frame *differences_frame(const struct fleet *fleet)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("hwsku", "hwsku", TEXT),     DATA_COLUMN("table", "table", WORD),
        DATA_COLUMN("key", "key", TEXT),         DATA_COLUMN("field", "field", WORD),
        DATA_COLUMN("usual", "usual", TEXT),     DATA_COLUMN("value", "here", TEXT),
        DATA_COLUMN("count", "switches", COUNT), DATA_COLUMN("which", "which", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < fleet->differences.count; i++) {
        const struct fleet_difference *of = &FLEET_DIFFERENCES(fleet)[i];
        data_row(frame, cell_text(of->hwsku), cell_text(of->table), cell_text(of->key), cell_text(of->field),
                 cell_text(of->usual), cell_text(of->value), cell_integer(of->count), cell_text(of->which));
    }
    return frame;
}

struct data_frame *fleet_frame(const struct fleet *fleet)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("rule", NULL, WORD),      DATA_COLUMN("severity", NULL, WORD),  DATA_COLUMN("table", NULL, WORD),
        DATA_COLUMN("text", NULL, TEXT),      DATA_COLUMN("findings", NULL, COUNT), DATA_COLUMN("count", NULL, COUNT),
        DATA_COLUMN("switches", NULL, NESTED)};
    struct data_frame *groups = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < fleet->groups.count; i++) {
        const struct fleet_group *group = &FLEET_GROUPS(fleet)[i];
        struct data_frame *names = data_frame_new_list();
        for (uint32_t s = 0; s < group->count; s++)
            data_row(names, cell_text(FLEET_SWITCHES(fleet)[group->switches[s]].name));
        data_row(groups, cell_text(group->rule->name), cell_text(lint_severity_name(group->severity)),
                 cell_text(group->table), cell_text(group->text), cell_integer(group->findings),
                 cell_integer(group->count), cell_frame(names));
    }
    return data_object({"switches", cell_frame(switches_frame(fleet))}, {"findings", cell_frame(groups)},
                       {"differences", cell_frame(differences_frame(fleet))});
}

int fleet_show(const struct fleet *fleet, bool has_standard, bool verbose)
{
    uint32_t refused = 0, notes = 0;
    int code = write_result(switches_frame(fleet), false);
    for (uint32_t i = 0; i < fleet->groups.count; i++) {
        const struct fleet_group *group = &FLEET_GROUPS(fleet)[i];
        char which[WHICH];
        if (group->severity == LINT_NOTE && !verbose) {
            notes++;
            continue;
        }
        name_group(fleet, group, which);
        cli_print("%s", "");
        cli_print("%s: %s [%s]: %u of %u switches, %u findings: %s", lint_severity_name(group->severity), group->table,
                  group->rule->name, group->count, fleet->switches.count, group->findings, which);
        cli_print("    %s", group->text);
        cli_print("    rule: %s", group->rule->sentence);
    }
    cli_print("%s", "");
    if (notes > 0)
        cli_print("%u kinds of notes: --verbose shows them", notes);
    if (code == CLI_OK && fleet->differences.count > 0) {
        cli_print(has_standard ? "differences from the vendor's configuration (usual):"
                               : "differences from most switches of the same hwsku (usual):");
        code = write_result(differences_frame(fleet), false);
    } else if (code == CLI_OK) {
        cli_print(has_standard ? "no switch differs from the vendor's configuration"
                               : "no switch differs from the others of its hwsku");
    }
    for (uint32_t i = 0; i < fleet->switches.count; i++)
        refused += FLEET_SWITCHES(fleet)[i].is_refused;
    cli_print("switches: %u, could not be read: %u; errors: %u", fleet->switches.count, refused, fleet->errors);
    return code;
}

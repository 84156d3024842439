/*
 * reading.c - what figures and claims share: how they name axes and values; and the two small sections that are only a
 * table. See reading.h.
 */
#include "scenario/experiment/reading.h"

#include <math.h>
#include <string.h>

const char *const reading_unfinished[UNFINISHED_TREATMENTS + 1] = {
    [UNFINISHED_MARK] = "mark", [UNFINISHED_LEAVE_OUT] = "leave-out", [UNFINISHED_AS_BOUND] = "as-bound"};

bool reading_has(const char *key)
{
    static const char *const sections[] = {"paper", "seeds", "threads", "limits",
                                           "sweep", "quick", "figures", "claims"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strcmp(sections[i], key) == 0)
            return true;
    return false;
}

static const struct key limits_keys[] = {
    {.name = "time",
     .kind = KEY_TIME,
     KEY_FIELD(struct run_limits, time_ps),
     .min = WEIR_PS_PER_MS,
     .max = KEY_TIME_MAX,
     .word = "none",
     .word_value = 0,
     .help = "By the wall clock."},
    {.name = "memory",
     .kind = KEY_SPACE,
     KEY_FIELD(struct run_limits, memory_bytes),
     .min = 1 << 24,
     .max = INT64_C(1) << 50,
     .word = "none",
     .word_value = 0,
     .other_word = "auto",
     .other_value = RUN_MEMORY_AUTO,
     .help = "Resident in the process of the run, while it is built too. auto: three quarters of the machine's memory, "
             "shared by the runs at a time."},
};

const struct section limits_section = {
    .name = "limits",
    SECTION_KEYS(struct run_limits, limits_keys),
    .initial = &(const struct run_limits){.time_ps = 0, .memory_bytes = RUN_MEMORY_AUTO},
    .place = "limits",
    .help = "What one run may take before it is ended and counted as failed.",
};

struct paper_keys {
    const char *name, *figure;
    weir_ps quick_ps, full_ps;
};

#define PAPER_TEXT(field, text)                                                                                        \
    {                                                                                                                  \
        .name = #field, .kind = KEY_TEXT, .required = true, KEY_FIELD(struct paper_keys, field), .min = 1, .max = 40,  \
        .help = (text)                                                                                                 \
    }
#define PAPER_TIME(text_name, field, text)                                                                             \
    {                                                                                                                  \
        .name = (text_name), .kind = KEY_TIME, KEY_FIELD(struct paper_keys, field), .min = 1, .max = KEY_TIME_MAX,     \
        .word = "unknown", .word_value = 0, .help = (text)                                                             \
    }

static const struct key paper_keys[] = {
    PAPER_TEXT(name, "Short name of the paper."),
    PAPER_TEXT(figure, "The figure's number there."),
    PAPER_TIME("quick", quick_ps, "Expected time of the quick size on two cores."),
    PAPER_TIME("full", full_ps, "Expected time of the full size on two cores."),
};

const struct section paper_section = {
    .name = "paper",
    SECTION_KEYS(struct paper_keys, paper_keys),
    .place = "paper",
    .help = "Of a scenario that reproduces a figure: which one, for `weir repro`.",
};

bool reading_of_limits(struct reading *reading)
{
    const struct node *map = node_find(reading->whole, "limits");
    section_defaults(&limits_section, &reading->experiment->limits, 0);
    return map == NULL || section_read(&reading->reader, &limits_section, map, 0, &reading->experiment->limits);
}

bool reading_of_paper(struct reading *reading)
{
    const struct node *map = node_find(reading->whole, "paper");
    struct paper_keys keys;
    section_defaults(&paper_section, &keys, 0);
    if (map != NULL && !section_read(&reading->reader, &paper_section, map, 0, &keys))
        return false;
    reading->experiment->paper = keys.name;
    reading->experiment->figure = keys.figure;
    reading->experiment->expected_quick_s = (double)keys.quick_ps / (double)WEIR_PS_PER_S;
    reading->experiment->expected_full_s = (double)keys.full_ps / (double)WEIR_PS_PER_S;
    return true;
}

static bool find_axis(struct reading *reading, const char *name, struct mark mark, uint32_t *axis)
{
    const struct experiment *experiment = reading->experiment;
    const char *names[EXPERIMENT_AXES_MAX + 1] = {NULL};
    for (*axis = 0; *axis < experiment->axis_count; ++*axis) {
        names[*axis] = experiment->axes[*axis].name;
        if (strcmp(names[*axis], name) == 0)
            return true;
    }
    return error_at(reading->reader.error, mark, "unknown axis '%s'%s", error_text(name).text,
                    *axis > 0 ? error_hint(name, names).text : " (the file has no 'sweep')");
}

bool reading_find_axis(struct reading *reading, const struct node *name, uint32_t *axis)
{
    return find_axis(reading, name->text, name->mark, axis);
}

/* One label. One that the axis does not have at this size is EXPRESSION_NO_VALUE. */
static bool read_label(struct reading *reading, const struct axis *axis, const struct node *node, uint32_t *value)
{
    if (!reader_expect(&reading->reader, node, NODE_SCALAR, node->key != NULL ? node->key : "where"))
        return false;
    for (*value = 0; *value < axis->count; ++*value)
        if (strcmp(axis->values[*value].label, node->text) == 0)
            return true;
    *value = EXPRESSION_NO_VALUE;
    return reading->experiment->quick || axis->unread ||
           axis_refuse_label(axis, node->text, node->mark, reading->reader.error);
}

static bool read_end(struct reading *reading, const struct axis *axis, const struct node *map, const char *key,
                     double *end)
{
    const struct node *node = node_find(map, key);
    const char *unit;
    if (node == NULL)
        return true;
    if (!reader_expect(&reading->reader, node, NODE_SCALAR, key))
        return false;
    if (!expression_number(node->text, end, &unit))
        return reader_fail(&reading->reader, node, "where: '%s' is not a number (expected one such as %s)",
                           error_text(node->text).text, axis->values[0].label);
    if (axis->unit == NULL || (axis->unit[0] != '\0' && strcmp(axis->unit, unit) != 0))
        return reader_fail(&reading->reader, node, "where: axis '%s' has no range with '%s' (expected %s%s)",
                           error_text(axis->name).text, error_text(node->text).text,
                           axis->unit == NULL ? "a list of labels" : "a number such as ",
                           axis->unit == NULL ? "" : axis->values[0].label);
    return true;
}

/* {from: 20%, to: 60%}: the values between the two, which may be left out. */
static bool read_between(struct reading *reading, const struct node *entry, struct reading_pins *pins, uint32_t axis)
{
    const struct axis *about = &reading->experiment->axes[axis];
    double from = -INFINITY, to = INFINITY;
    for (const struct node *key = entry->first; key != NULL; key = key->next)
        if (strcmp(key->key, "from") != 0 && strcmp(key->key, "to") != 0)
            return error_at(reading->reader.error, key->key_mark, "where: unknown key '%s' (expected from and to)",
                            error_text(key->key).text);
    if (!read_end(reading, about, entry, "from", &from) || !read_end(reading, about, entry, "to", &to))
        return false;
    for (uint32_t value = 0; value < about->count; value++)
        if (about->values[value].numeric && about->values[value].number >= from && about->values[value].number <= to)
            pins->at[pins->count++] = (struct pin){axis, value};
    return true;
}

/* An entry of `where`: a label, or of many a list of labels or a range. What the quick size leaves out of several is
 * not looked at. */
static bool read_pins(struct reading *reading, const struct node *entry, bool many, struct reading_pins *pins)
{
    uint32_t axis, value, first = pins->count;
    bool good = true;
    if (!find_axis(reading, entry->key, entry->key_mark, &axis))
        return false;
    const struct axis *about = &reading->experiment->axes[axis];
    if (many && entry->kind == NODE_LIST) {
        for (const struct node *label = entry->first; good && label != NULL; label = label->next) {
            good = read_label(reading, about, label, &value);
            if (good && value != EXPRESSION_NO_VALUE)
                pins->at[pins->count++] = (struct pin){axis, value};
        }
    } else if (many && entry->kind == NODE_MAP) {
        good = read_between(reading, entry, pins, axis);
    } else if (entry->kind == NODE_LIST) {
        return reader_fail(&reading->reader, entry,
                           "%s: a list is here (expected one label; axes that are neither shown nor held are averaged, "
                           "and 'lines: %s' shows every value)",
                           entry->key, entry->key);
    } else {
        good = read_label(reading, about, entry, &value);
        pins->at[pins->count++] = (struct pin){axis, value};
    }
    if (!good || pins->count > first)
        return good;
    if (!reading->experiment->quick && !about->unread)
        return reader_fail(&reading->reader, entry, "where: no value of axis '%s' is meant (expected one of %s to %s)",
                           error_text(about->name).text, about->values[0].label, about->values[about->count - 1].label);
    pins->at[pins->count++] = (struct pin){axis, EXPRESSION_NO_VALUE};
    return true;
}

bool reading_of_where(struct reading *reading, const struct node *item, bool many, struct reading_pins *pins)
{
    const struct node *map = node_find(item, "where");
    bool good = true;
    *pins = (struct reading_pins){.at = NULL};
    if (map == NULL)
        return true;
    if (!reader_expect(&reading->reader, map, NODE_MAP, "where"))
        return false;
    size_t room = 1;
    for (const struct node *entry = map->first; entry != NULL; entry = entry->next)
        room += entry->kind == NODE_LIST ? entry->count + 1 : entry->kind == NODE_MAP ? READING_VALUES_MAX : 1;
    pins->at = arena_take_array(reading->reader.arena, room, sizeof *pins->at);
    if (pins->at == NULL)
        return weir_fail_memory(reading->reader.error);
    for (const struct node *entry = map->first; entry != NULL; entry = entry->next) {
        if (!read_pins(reading, entry, many, pins)) {
            good = false;
            if (!reader_goes_on(&reading->reader))
                return false;
        }
    }
    for (uint32_t i = 0; i < pins->count; i++)
        pins->missing = pins->missing || pins->at[i].value == EXPRESSION_NO_VALUE;
    return good;
}

const struct expression *reading_of_expression(struct reading *reading, const struct node *item, const char *key)
{
    const struct experiment *experiment = reading->experiment;
    const struct node *node = node_find(item, key);
    const struct expression_axes axes = {experiment->axes, experiment->axis_count, experiment->quick};
    return expression_read(reading->reader.arena, &axes, node->mark, node->text, reading->reader.error);
}

const struct node *reading_list(struct reading *reading, const char *name, bool *good)
{
    const struct node *list = node_find(reading->whole, name);
    if (list == NULL)
        return NULL;
    *good = reader_expect(&reading->reader, list, NODE_LIST, name);
    if (*good && list->count > READING_LIST_MAX)
        *good = reader_fail(&reading->reader, list, "%s: %u items (expected at most %u)", name, list->count,
                            READING_LIST_MAX);
    return *good ? list : NULL;
}

/*
 * reading.c - what figures and claims share: how they name axes and values; and the two small sections that are only a
 * table. See reading.h.
 */
#include "scenario/experiment/reading.h"

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

static bool read_pin(struct reading *reading, const struct node *entry, struct pin *pin)
{
    if (!find_axis(reading, entry->key, entry->key_mark, &pin->axis))
        return false;
    if (entry->kind == NODE_LIST)
        return reader_fail(&reading->reader, entry,
                           "%s: a list is here (expected one label; axes that are neither shown nor held are averaged, "
                           "and 'lines: %s' shows every value)",
                           entry->key, entry->key);
    if (!reader_expect(&reading->reader, entry, NODE_SCALAR, entry->key))
        return false;
    const struct axis *axis = &reading->experiment->axes[pin->axis];
    for (pin->value = 0; pin->value < axis->count; pin->value++)
        if (strcmp(axis->values[pin->value].label, entry->text) == 0)
            return true;
    pin->value = EXPRESSION_NO_VALUE;
    return reading->experiment->quick || axis->unread ||
           axis_refuse_label(axis, entry->text, entry->mark, reading->reader.error);
}

bool reading_of_where(struct reading *reading, const struct node *item, struct reading_pins *pins)
{
    const struct node *map = node_find(item, "where");
    bool good = true;
    *pins = (struct reading_pins){.at = NULL};
    if (map == NULL)
        return true;
    if (!reader_expect(&reading->reader, map, NODE_MAP, "where"))
        return false;
    pins->at = arena_take_array(reading->reader.arena, map->count + 1, sizeof *pins->at);
    if (pins->at == NULL)
        return weir_fail_memory(reading->reader.error);
    for (const struct node *entry = map->first; entry != NULL; entry = entry->next, pins->count++) {
        if (!read_pin(reading, entry, &pins->at[pins->count])) {
            good = false;
            if (!reader_goes_on(&reading->reader))
                return false;
        }
        pins->missing = pins->missing || pins->at[pins->count].value == EXPRESSION_NO_VALUE;
    }
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

/*
 * reference.c - the tables of keys as Markdown, so that the documentation of scenario files cannot differ from what is
 * read. `weir run --reference` prints it; docs/reference/scenarios.md contains it.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/experiment/reading.h"

static const struct section *const reference_sections[] = {
    &top_section,   &topology_section,  &link_section,      &wire_section,    &switch_section,   &ecn_section,
    &trim_section,  &oracle_section,    &online_section,    &pfc_section,     &watchdog_section, &routing_section,
    &host_section,  &transport_section, &traffic_section,   &failure_section, &route_section,    &measure_section,
    &probe_section, &rows_section,      &dataplane_section, &cpus_section,    &testbed_section,  &slot_section,
    &paper_section, &limits_section,    &axis_section,      &range_section,   &figure_section,   &claim_section,
    &trial_section,
};

static void put_choices(const struct key *key, FILE *out)
{
    for (uint32_t i = 0; key->choices[i] != NULL; i++)
        fprintf(out, "%s`%s`", i > 0 ? ", " : "", key->choices[i]);
}

/* The key of this name that a kind has. */
static bool find_key(const struct section *section, uint32_t kind, const char *name, struct key *key)
{
    for (uint32_t i = 0; section_key(section, i, key); i++)
        if (section_has(key, kind) && strcmp(key->name, name) == 0)
            return true;
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Keys of several kinds that differ in their default at most are one row. */
static bool same_row(const struct key *a, const struct key *b)
{
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->min == b->min && a->max == b->max &&
           same_text(a->word, b->word) && strcmp(a->help, b->help) == 0;
}

/* The default of a key for one kind of its section. */
static void default_text(const struct section *section, const struct key *key, uint32_t kind, void *target,
                         char text[128])
{
    const struct reader reader = {.classes = 1};
    section_defaults(section, target, kind);
    section_text(&reader, key, target, text);
}

/* The default, or one per kind where kinds differ. */
static void put_default(const struct section *section, const struct key *row, void *target, FILE *out)
{
    char text[128], first[128] = "";
    bool differ = false;
    const struct section_kinds kinds = section_kinds(section);
    struct key key;
    if (row->required)
        fputs("required", out);
    if (row->required || row->kind == KEY_OTHER || row->kind == KEY_TEXT)
        return;
    for (uint32_t kind = 0; kind == 0 || kinds.names[kind] != NULL; kind++) {
        if (!section_has(row, kind) || !find_key(section, kind, row->name, &key))
            continue;
        default_text(section, &key, kind, target, text);
        differ = differ || (first[0] != '\0' && strcmp(first, text) != 0);
        snprintf(first, sizeof first, "%s", text);
    }
    if (!differ)
        fputs(first, out);
    for (uint32_t kind = 0, shown = 0; differ && kinds.names[kind] != NULL; kind++) {
        if (!section_has(row, kind) || !find_key(section, kind, row->name, &key))
            continue;
        default_text(section, &key, kind, target, text);
        fprintf(out, "%s%s: %s", shown++ > 0 ? ", " : "", kinds.names[kind], text);
    }
}

static void put_row(const struct section *section, const struct key *row, void *target, FILE *out)
{
    fprintf(out, "| `%s` | ", row->name);
    if (row->kind == KEY_CHOICE)
        put_choices(row, out);
    else
        fputs(row->kind == KEY_OTHER ? row->choices[0] : key_kind_name(row->kind), out);
    if (row->word != NULL)
        fprintf(out, ", or `%s`", row->word);
    if (row->other_word != NULL)
        fprintf(out, ", or `%s`", row->other_word);
    if (row->shape == KEY_PER_CLASS)
        fputs("; by class", out);
    fputs(" | ", out);
    put_default(section, row, target, out);
    fputs(" | ", out);
    char low[64], high[64];
    struct key plain = *row;
    plain.word = plain.other_word = NULL;
    if (row->kind == KEY_TEXT)
        fprintf(out, "%lld to %lld bytes", (long long)row->min, (long long)row->max);
    if (row->kind < KEY_FLAG) {
        key_format(&plain, &(struct key_scale){.hosts = 0}, row->min, low);
        key_format(&plain, &(struct key_scale){.hosts = 0}, row->max, high);
        fprintf(out, "%s to %s", low, high);
    }
    fprintf(out, " | %s", row->help);
    bool first = true;
    const struct section_kinds kinds = section_kinds(section);
    for (uint32_t kind = 0; row->kinds != 0 && kinds.names[kind] != NULL; kind++) {
        if (!section_has(row, kind))
            continue;
        fprintf(out, "%s%s", first ? " *(" : ", ", kinds.names[kind]);
        first = false;
    }
    fputs(first ? "" : ")*", out);
    fputs(" |\n", out);
}

/* The row that begins with key i, of all kinds that share it; false: it began earlier. */
static bool find_row(const struct section *section, uint32_t i, struct key *row)
{
    struct key key;
    section_key(section, i, row);
    for (uint32_t k = 0; k < i; k++)
        if (section_key(section, k, &key) && same_row(&key, row))
            return false;
    for (uint32_t k = i + 1; section_key(section, k, &key); k++)
        if (same_row(&key, row))
            row->kinds |= key.kinds;
    return true;
}

static void put_section(const struct section *section, void *target, FILE *out)
{
    const struct section_kinds kinds = section_kinds(section);
    fprintf(out, "\n### %s\n\n%s\n\n", section->place[0] != '\0' ? section->place : "top level", section->help);
    fputs("| key | value | default | range | meaning |\n|---|---|---|---|---|\n", out);
    if (kinds.names[0] != NULL) {
        const struct key kind = {.choices = kinds.names};
        fputs("| `kind` | ", out);
        put_choices(&kind, out);
        fputs(" | required | | Which of them it is. |\n", out);
    }
    /* The rows of one name stand together, where the name first occurs. */
    struct key key, row;
    for (uint32_t i = 0; section_key(section, i, &key); i++) {
        bool earlier = false;
        struct key other;
        for (uint32_t k = 0; k < i && !earlier; k++)
            earlier = section_key(section, k, &other) && strcmp(other.name, key.name) == 0;
        for (uint32_t k = i; !earlier && section_key(section, k, &other); k++)
            if (strcmp(other.name, key.name) == 0 && find_row(section, k, &row))
                put_row(section, &row, target, out);
    }
}

bool scenario_reference(FILE *out)
{
    size_t size = 0;
    for (size_t i = 0; i < sizeof reference_sections / sizeof reference_sections[0]; i++)
        size = reference_sections[i]->size > size ? reference_sections[i]->size : size;
    void *target = malloc(size);
    if (target == NULL)
        return false;
    fputs("## Reference\n", out);
    for (size_t i = 0; i < sizeof reference_sections / sizeof reference_sections[0]; i++)
        put_section(reference_sections[i], target, out);
    fputs("\n### Size tables\n\nNames for `sizes` of `traffic`.\n\n| name | mean | source |\n|---|---|---|\n", out);
    for (uint32_t i = 0; i < size_table_count(); i++) {
        const struct size_table *table = size_table_at(i);
        fprintf(out, "| `%s` | %.0f B | %s |\n", table->name, table->mean_bytes, table->source);
    }
    free(target);
    return true;
}

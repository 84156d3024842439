/*
 * reference.c - the tables of keys as Markdown, so that the documentation of scenario files cannot differ from what is
 * read. `weir run --reference` prints it; docs/scenarios.md contains it.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/experiment/parts.h"

static const struct section *const reference_sections[] = {
    &top_section,     &topology_section, &link_section,    &wire_section,      &switch_section,    &ecn_section,
    &pfc_section,     &watchdog_section, &routing_section, &host_section,      &transport_section, &traffic_section,
    &failure_section, &measure_section,  &probe_section,   &dataplane_section, &cpus_section,      &testbed_section,
    &paper_section,   &limits_section,   &axis_section,    &range_section,     &figure_section,    &claim_section,
};

static void put_choices(const struct key *key, FILE *out)
{
    for (uint32_t i = 0; key->choices[i] != NULL; i++)
        fprintf(out, "%s`%s`", i > 0 ? ", " : "", key->choices[i]);
}

static void put_value(const struct key *key, FILE *out)
{
    if (key->kind == KEY_CHOICE)
        put_choices(key, out);
    else
        fputs(key->kind == KEY_OTHER ? key->choices[0] : key_kind_name(key->kind), out);
    if (key->word != NULL)
        fprintf(out, ", or `%s`", key->word);
    if (key->other_word != NULL)
        fprintf(out, ", or `%s`", key->other_word);
    if (key->shape == KEY_PER_CLASS)
        fputs("; by class", out);
}

static void put_range(const struct key *key, FILE *out)
{
    char low[64], high[64];
    struct key plain = *key;
    plain.word = plain.other_word = NULL;
    if (key->kind == KEY_TEXT)
        fprintf(out, "%lld to %lld bytes", (long long)key->min, (long long)key->max);
    if (key->kind >= KEY_FLAG)
        return;
    key_format(&plain, &(struct key_scale){.hosts = 0}, key->min, low);
    key_format(&plain, &(struct key_scale){.hosts = 0}, key->max, high);
    fprintf(out, "%s to %s", low, high);
}

/* The default of a key for one kind of its section. */
static void default_text(const struct section *section, const struct key *key, uint32_t kind, void *target,
                         char text[128])
{
    const struct reader reader = {.classes = 1};
    section->defaults(target, kind);
    section_text(&reader, key, target, text);
}

/* The default, or one per kind where kinds differ. */
static void put_default(const struct section *section, const struct key *key, void *target, FILE *out)
{
    char text[128], first[128] = "";
    bool differ = false;
    uint32_t kinds = 0;
    while (section->kinds != NULL && section->kinds[kinds] != NULL)
        kinds++;
    if (key->required)
        fputs("required", out);
    if (key->required || key->kind == KEY_OTHER || key->kind == KEY_TEXT)
        return;
    for (uint32_t kind = 0; kind == 0 || kind < kinds; kind++) {
        if (!section_has(key, kind))
            continue;
        default_text(section, key, kind, target, text);
        differ = differ || (first[0] != '\0' && strcmp(first, text) != 0);
        snprintf(first, sizeof first, "%s", text);
    }
    if (!differ)
        fputs(first, out);
    for (uint32_t kind = 0, shown = 0; differ && kind < kinds; kind++) {
        if (!section_has(key, kind))
            continue;
        default_text(section, key, kind, target, text);
        fprintf(out, "%s%s: %s", shown++ > 0 ? ", " : "", section->kinds[kind], text);
    }
}

static void put_kinds(const struct section *section, const struct key *key, FILE *out)
{
    bool first = true;
    for (uint32_t kind = 0; key->kinds != 0 && section->kinds[kind] != NULL; kind++) {
        if (!section_has(key, kind))
            continue;
        fprintf(out, "%s%s", first ? " *(" : ", ", section->kinds[kind]);
        first = false;
    }
    fputs(first ? "" : ")*", out);
}

static void put_section(const struct section *section, void *target, FILE *out)
{
    fprintf(out, "\n### %s\n\n%s\n\n", section->place[0] != '\0' ? section->place : "top level", section->help);
    fputs("| key | value | default | range | meaning |\n|---|---|---|---|---|\n", out);
    if (section->kinds != NULL) {
        const struct key kind = {.choices = section->kinds};
        fputs("| `kind` | ", out);
        put_choices(&kind, out);
        fputs(" | required | | Which of them it is. |\n", out);
    }
    for (uint32_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        fprintf(out, "| `%s` | ", key->name);
        put_value(key, out);
        fputs(" | ", out);
        put_default(section, key, target, out);
        fputs(" | ", out);
        put_range(key, out);
        fprintf(out, " | %s", key->help);
        put_kinds(section, key, out);
        fputs(" |\n", out);
    }
}

static void put_sizes(FILE *out)
{
    fputs("\n### Size tables\n\nNames for `sizes` of `traffic`.\n\n| name | mean | source |\n|---|---|---|\n", out);
    for (uint32_t i = 0; i < size_table_count(); i++) {
        const struct size_table *table = size_table_at(i);
        fprintf(out, "| `%s` | %.0f B | %s |\n", table->name, table->mean_bytes, table->source);
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
    put_sizes(out);
    free(target);
    return true;
}

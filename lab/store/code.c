/*
 * code.c - see code.h.
 */
#define _GNU_SOURCE 1
#include "lab/store/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/yaml/text_stream.h"

/* "NAME=DIGEST", inside of a text. */
struct part {
    const char *name, *digest;
    int name_length, digest_length;
};

/* Moves *text behind the part; false at the end. */
static bool next_part(const char **text, struct part *part)
{
    const char *start = *text + strspn(*text, " ");
    size_t length = strcspn(start, " "), name = strcspn(start, "= ");
    size_t digest = name < length ? name + 1 : length;
    *part = (struct part){start, start + digest, (int)name, (int)(length - digest)};
    *text = start + length;
    return length > 0;
}

static bool same_bytes(const char *a, int a_length, const char *b, int b_length)
{
    return a_length == b_length && memcmp(a, b, (size_t)a_length) == 0;
}

static bool same_name(const struct part *a, const struct part *b)
{
    return same_bytes(a->name, a->name_length, b->name, b->name_length);
}

static bool same_part(const struct part *a, const struct part *b)
{
    return same_name(a, b) && same_bytes(a->digest, a->digest_length, b->digest, b->digest_length);
}

bool code_add(char text[CODE_MAX], const char *name, const char *digest)
{
    size_t used = strlen(text);
    struct part part, wanted = {.name = name, .name_length = (int)strlen(name)};
    for (const char *at = text; next_part(&at, &part);)
        if (same_name(&part, &wanted))
            return true;
    int added = snprintf(text + used, CODE_MAX - used, "%s%s=%s", used > 0 ? " " : "", name, digest);
    if (added >= 0 && (size_t)added < CODE_MAX - used)
        return true;
    text[used] = '\0';
    return false;
}

bool code_join(char text[CODE_MAX], const char *more)
{
    struct part part;
    bool good = true;
    while (good && next_part(&more, &part)) {
        char name[CODE_NAME_MAX], digest[CODE_NAME_MAX];
        snprintf(name, sizeof name, "%.*s", part.name_length, part.name);
        snprintf(digest, sizeof digest, "%.*s", part.digest_length, part.digest);
        good = code_add(text, name, digest);
    }
    return good;
}

enum code_change code_compare(const char *made, const char *now, char name[CODE_NAME_MAX])
{
    struct part old = {.name = ""}, new = {.name = ""};
    bool has_old, has_new;
    name[0] = '\0';
    if (made[0] == '\0')
        return CODE_UNKNOWN;
    do {
        has_old = next_part(&made, &old);
        has_new = next_part(&now, &new);
        if (has_old != has_new || (has_old && !same_part(&old, &new))) {
            const struct part *differs = has_new ? &new : &old;
            snprintf(name, CODE_NAME_MAX, "%.*s", differs->name_length, differs->name);
            return CODE_CHANGED;
        }
    } while (has_old);
    return CODE_SAME;
}

bool code_is_old(const char *made, const char *(*digest)(const char *name), char name[CODE_NAME_MAX])
{
    struct part part;
    while (next_part(&made, &part)) {
        snprintf(name, CODE_NAME_MAX, "%.*s", part.name_length, part.name);
        const char *now = digest(name);
        if (now != NULL && !same_bytes(part.digest, part.digest_length, now, (int)strlen(now)))
            return true;
    }
    return false;
}

/* Runs that one version of one part made. */
struct group {
    struct part part; /* without a name: of unknown code */
    uint32_t runs;
    const char *version; /* of one of them */
};

struct groups {
    struct group *at;
    uint32_t count;
};

static bool add_to_group(struct groups *groups, const struct part *part, const struct table_run *run)
{
    for (uint32_t i = 0; i < groups->count; i++)
        if (same_part(&groups->at[i].part, part)) {
            groups->at[i].runs++;
            return true;
        }
    struct group *at = realloc(groups->at, (groups->count + (size_t)1) * sizeof *at);
    if (at == NULL)
        return false;
    groups->at = at;
    at[groups->count++] = (struct group){*part, 1, run->version};
    return true;
}

static bool find_groups(struct groups *groups, const struct table *table)
{
    static const struct part unknown = {.name = "", .digest = ""};
    bool good = true;
    for (uint32_t i = 0; i < experiment_runs(&table->experiment) && good; i++) {
        const struct table_run *run = &table->runs[i];
        struct part part;
        if (!run->finished)
            continue;
        if (run->code[0] == '\0')
            good = add_to_group(groups, &unknown, run);
        for (const char *at = run->code; good && next_part(&at, &part);)
            good = add_to_group(groups, &part, run);
    }
    return good;
}

/* A part of which there is another version, or nothing known. */
static bool is_mixed(const struct groups *groups, const struct group *group)
{
    if (group->part.name_length == 0)
        return true;
    for (uint32_t i = 0; i < groups->count; i++)
        if (same_name(&groups->at[i].part, &group->part) && !same_part(&groups->at[i].part, &group->part))
            return true;
    return false;
}

static bool is_in_group(const struct table_run *run, const struct group *group)
{
    struct part part;
    if (!run->finished || group->part.name_length == 0)
        return run->finished && run->code[0] == '\0';
    for (const char *at = run->code; next_part(&at, &part);)
        if (same_part(&part, &group->part))
            return true;
    return false;
}

/* One axis of the sweep, or the seeds: which of its values runs of the group have. */
struct narrowed {
    const struct table *table;
    const struct group *group;
    bool *has; /* room for every value */
};

static uint32_t value_of(const struct experiment *experiment, uint32_t run, uint32_t axis)
{
    return axis < experiment->axis_count ? experiment_value_at(experiment, run / experiment->seed_count, axis)
                                         : run % experiment->seed_count;
}

/* "policy=DT,LQD", where the group has not all values of the axis. */
static void put_axis(FILE *out, const struct narrowed *narrowed, uint32_t axis, bool *any)
{
    const struct experiment *experiment = &narrowed->table->experiment;
    bool seeds = axis == experiment->axis_count, first = true;
    uint32_t values = seeds ? experiment->seed_count : experiment->axes[axis].count, count = 0;
    memset(narrowed->has, 0, values * sizeof *narrowed->has);
    for (uint32_t run = 0; run < experiment_runs(experiment); run++)
        if (is_in_group(&narrowed->table->runs[run], narrowed->group))
            narrowed->has[value_of(experiment, run, axis)] = true;
    for (uint32_t i = 0; i < values; i++)
        count += narrowed->has[i];
    if (count == values)
        return;
    fprintf(out, "%s%s=", *any ? ", " : ": ", seeds ? "seed" : experiment->axes[axis].name);
    for (uint32_t i = 0; i < values; i++) {
        if (!narrowed->has[i])
            continue;
        fputs(first ? "" : ",", out);
        first = false;
        if (seeds)
            fprintf(out, "%llu", (unsigned long long)(experiment->first_seed + i));
        else
            fputs(experiment->axes[axis].values[i].label, out);
    }
    *any = true;
}

/* To be freed; null: out of memory. */
static char *group_line(const struct table *table, const struct group *group)
{
    const struct experiment *experiment = &table->experiment;
    const struct part *part = &group->part;
    struct text_stream stream;
    bool any = false, *has = malloc(experiment_runs(experiment) + (size_t)1);
    const struct narrowed narrowed = {table, group, has};
    if (has == NULL || !text_stream_open(&stream)) {
        free(has);
        return NULL;
    }
    FILE *out = stream.out;
    bool shared = same_bytes(part->name, part->name_length, CODE_SIMULATED, (int)strlen(CODE_SIMULATED)) ||
                  same_bytes(part->name, part->name_length, CODE_TESTBED, (int)strlen(CODE_TESTBED));
    if (part->name_length == 0)
        fputs("unknown code", out);
    else
        fprintf(out, "%s%.*s %.*s", shared ? "" : "policy ", part->name_length, part->name, part->digest_length,
                part->digest);
    fprintf(out, " (weir %s): %u %s", group->version, group->runs, group->runs == 1 ? "run" : "runs");
    for (uint32_t axis = 0; axis <= experiment->axis_count; axis++)
        put_axis(out, &narrowed, axis, &any);
    free(has);
    return text_stream_close(&stream);
}

/* By name, then by run. */
static bool make_lines(struct code_mix *mix, const struct table *table, const struct groups *groups)
{
    mix->lines = calloc(groups->count + (size_t)1, sizeof *mix->lines);
    if (mix->lines == NULL)
        return false;
    for (uint32_t first = 0; first < groups->count; first++) {
        bool said = false;
        for (uint32_t i = 0; i < first; i++)
            said = said || same_name(&groups->at[i].part, &groups->at[first].part);
        for (uint32_t i = first; i < groups->count && !said && is_mixed(groups, &groups->at[first]); i++) {
            if (!same_name(&groups->at[i].part, &groups->at[first].part))
                continue;
            char *line = group_line(table, &groups->at[i]);
            if (line == NULL)
                return false;
            mix->lines[mix->count++] = line;
        }
    }
    return true;
}

bool code_mix_find(struct code_mix *mix, const struct table *table)
{
    struct groups groups = {NULL, 0};
    *mix = (struct code_mix){NULL, NULL, 0};
    bool good = find_groups(&groups, table) && make_lines(mix, table, &groups);
    if (good && mix->count > 0)
        mix->heading = groups.count == 1
                           ? "these runs do not say which code made them; `weir run` makes them again"
                           : "these runs were made by different code; `weir run` makes the old ones again";
    free(groups.at);
    return good;
}

void code_mix_free(struct code_mix *mix)
{
    for (uint32_t i = 0; i < mix->count; i++)
        free(mix->lines[i]);
    free(mix->lines);
    *mix = (struct code_mix){NULL, NULL, 0};
}

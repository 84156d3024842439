/*
 * flow_list.c - reads the flows of a text in memory. Files are the caller's business, so that any bytes can be tried.
 */
#include "sim/workload/flow_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/workload/start_order.h"

#define TOKEN_SHOWN 24 /* characters of the offending text in an error */

struct list_reader {
    const char *text;
    size_t size, at;
    size_t line_start;
    uint32_t line; /* from 1 */
    const struct flow_list_setup *setup;
    struct weir_error *error;
};

/* Tags. */

enum flow_tags_status flow_tags_find(struct flow_tags *tags, const char *name, size_t length, uint32_t *tag)
{
    for (uint32_t i = 0; i < tags->count; i++) {
        if (strlen(tags->names[i]) == length && memcmp(tags->names[i], name, length) == 0) {
            *tag = i;
            return FLOW_TAGS_OK;
        }
    }
    if (tags->count == FLOW_TAGS_MAX)
        return FLOW_TAGS_FULL;
    if (!tags->names)
        tags->names = malloc(FLOW_TAGS_MAX * sizeof *tags->names);
    char *copy = tags->names ? malloc(length + 1) : NULL;
    if (!copy)
        return FLOW_TAGS_NO_MEMORY;
    memcpy(copy, name, length);
    copy[length] = '\0';
    *tag = tags->count;
    tags->names[tags->count++] = copy;
    return FLOW_TAGS_OK;
}

bool flow_tag_is_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
            return false;
    }
    return length > 0 && length <= FLOW_TAG_LENGTH_MAX;
}

void flow_tags_free(struct flow_tags *tags)
{
    for (uint32_t i = 0; i < tags->count; i++)
        free(tags->names[i]);
    free(tags->names);
    *tags = (struct flow_tags){0};
}

/* Characters. */

static bool at_line_end(const struct list_reader *reader, size_t at)
{
    const char *text = reader->text;
    if (at >= reader->size || text[at] == '\n')
        return true;
    return text[at] == '\r' && (at + 1 == reader->size || text[at + 1] == '\n');
}

/* Where the field that begins at `at` ends. */
static size_t field_end(const struct list_reader *reader, size_t at)
{
    while (!at_line_end(reader, at) && !memchr(" \t#", reader->text[at], 3))
        at++;
    return at;
}

static void skip_blanks(struct list_reader *reader)
{
    while (reader->at < reader->size && (reader->text[reader->at] == ' ' || reader->text[reader->at] == '\t'))
        reader->at++;
}

/* True when the line has no more fields. */
static bool line_is_over(struct list_reader *reader)
{
    skip_blanks(reader);
    return at_line_end(reader, reader->at) || reader->text[reader->at] == '#';
}

static void next_line(struct list_reader *reader)
{
    while (!(reader->at >= reader->size || reader->text[reader->at] == '\n'))
        reader->at++;
    reader->at++;
    reader->line_start = reader->at;
    reader->line++;
}

/* What was expected at the reader's place, and what is there. */
static bool expected(const struct list_reader *reader, const char *what)
{
    char token[TOKEN_SHOWN + 1] = "";
    size_t length = field_end(reader, reader->at) - reader->at;
    for (size_t i = 0; i < length && i < TOKEN_SHOWN; i++) {
        char c = reader->text[reader->at + i];
        token[i] = c > ' ' && c < 127 ? c : '?';
    }
    size_t column = reader->at - reader->line_start + 1;
    if (length == 0)
        return weir_fail(reader->error, WEIR_ERROR_MALFORMED, "line %u, column %zu: expected %s, the line ends",
                         reader->line, column, what);
    return weir_fail(reader->error, WEIR_ERROR_MALFORMED, "line %u, column %zu: expected %s, found '%s%s'",
                     reader->line, column, what, token, length > TOKEN_SHOWN ? "..." : "");
}

/* Fields. */

struct field_number {
    const char *name;
    uint64_t min, max;
};

static bool read_number(struct list_reader *reader, const struct field_number *field, uint64_t *value)
{
    skip_blanks(reader);
    size_t end = field_end(reader, reader->at);
    bool valid = end > reader->at;
    *value = 0;
    for (size_t i = reader->at; valid && i < end; i++) {
        uint64_t digit = (uint64_t)(unsigned char)reader->text[i] - '0';
        valid = digit <= 9 && *value <= (field->max - (digit < field->max ? digit : field->max)) / 10;
        *value = *value * 10 + digit;
    }
    if (!valid || *value < field->min || *value > field->max) {
        char what[128];
        snprintf(what, sizeof what, "%s from %llu to %llu", field->name, (unsigned long long)field->min,
                 (unsigned long long)field->max);
        return expected(reader, what);
    }
    reader->at = end;
    return true;
}

static bool read_tag(struct list_reader *reader, uint32_t *tag)
{
    size_t end = field_end(reader, reader->at);
    if (!flow_tag_is_name(reader->text + reader->at, end - reader->at))
        return expected(reader, "a tag of at most 31 letters, digits, '-' or '_'");
    switch (flow_tags_find(reader->setup->tags, reader->text + reader->at, end - reader->at, tag)) {
    case FLOW_TAGS_FULL:
        return expected(reader, "one of the 256 tags used so far");
    case FLOW_TAGS_NO_MEMORY:
        return weir_fail_memory(reader->error);
    default:
        reader->at = end;
        return true;
    }
}

static bool read_flow(struct list_reader *reader, struct listed_flow *flow)
{
    const struct field_number start = {"a start in nanoseconds", 0, WEIR_TIME_MAX / WEIR_PS_PER_NS};
    const struct field_number source = {"a source host", 0, reader->setup->hosts - 1};
    const struct field_number destination = {"a destination host", 0, reader->setup->hosts - 1};
    const struct field_number size = {"bytes", 1, INT64_MAX - 1};
    uint64_t start_ns, from, to, bytes;
    if (!read_number(reader, &start, &start_ns) || !read_number(reader, &source, &from))
        return false;
    skip_blanks(reader);
    size_t at = reader->at;
    if (!read_number(reader, &destination, &to))
        return false;
    if (from == to) {
        reader->at = at;
        return expected(reader, "a destination other than the source");
    }
    if (!read_number(reader, &size, &bytes))
        return false;
    *flow = (struct listed_flow){.start_ps = (weir_ps)start_ns * WEIR_PS_PER_NS,
                                 .source = (uint32_t)from,
                                 .destination = (uint32_t)to,
                                 .bytes = (int64_t)bytes,
                                 .tag = reader->setup->tag};
    if (!line_is_over(reader) && !read_tag(reader, &flow->tag))
        return false;
    return line_is_over(reader) || expected(reader, "the end of the line");
}

bool listed_flows_add(struct listed_flows *list, const struct listed_flow *flow)
{
    if (list->count == list->room) {
        uint32_t room = list->room > 0 ? list->room * 2 : 64;
        if (room < list->room)
            return false;
        struct listed_flow *larger = realloc(list->at, room * sizeof *larger);
        if (!larger)
            return false;
        list->at = larger;
        list->room = room;
    }
    list->at[list->count++] = *flow;
    return true;
}

bool listed_flows_sort(struct listed_flows *list)
{
    return start_order_sort(list->at, sizeof *list->at, list->count);
}

static bool read_lines(struct list_reader *reader, struct listed_flows *list)
{
    for (; reader->at < reader->size; next_line(reader)) {
        struct listed_flow flow;
        if (line_is_over(reader))
            continue;
        if (!read_flow(reader, &flow))
            return false;
        if (!listed_flows_add(list, &flow))
            return weir_fail_memory(reader->error);
    }
    return listed_flows_sort(list) || weir_fail_memory(reader->error);
}

bool flow_list_read(struct listed_flows *list, const char *text, size_t size, const struct flow_list_setup *setup,
                    struct weir_error *error)
{
    struct list_reader reader = {.text = text, .size = size, .line = 1, .setup = setup, .error = error};
    if (setup->hosts < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "a flow needs two hosts, there are %u", setup->hosts);
    if (read_lines(&reader, list))
        return true;
    listed_flows_free(list);
    return false;
}

void listed_flows_free(struct listed_flows *list)
{
    free(list->at);
    free(list->triggers);
    *list = (struct listed_flows){0};
}

/*
 * flow_table.c - see flow_table.h.
 */
#include "scenario/read/flow_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scenario/read/columns.h"

enum { FLOW_START, FLOW_SOURCE, FLOW_DESTINATION, FLOW_BYTES, FLOW_TAG, FLOW_COLUMNS };

static const struct column flow_columns[FLOW_COLUMNS] = {
    [FLOW_START] = {.names = {"start", "start_time", "time", "arrival", "arrival_time"}},
    [FLOW_SOURCE] = {.names = {"source", "src", "from", "sender"}},
    [FLOW_DESTINATION] = {.names = {"destination", "dst", "dest", "to", "receiver"}},
    [FLOW_BYTES] = {.names = {"bytes", "size", "flow_size", "length"}, .unit = "B"},
    [FLOW_TAG] = {.names = {"tag", "class", "type", "name"}, .optional = true},
};

/* A first line with one number, how many flows follow: `*count`. The bytes up to its end; 0: it is another one. */
static size_t hpcc_head(const char *text, size_t size, uint64_t *count)
{
    size_t at = 0;
    *count = 0;
    while (at < size && at < 9 && isdigit((unsigned char)text[at]))
        *count = 10 * *count + (uint64_t)(text[at++] - '0');
    bool begins = at > 0;
    while (at < size && strchr(" \t\r", text[at]) != NULL)
        at++;
    return begins && at < size && text[at] == '\n' ? at + 1 : 0;
}

bool flow_table_is(const char *text, size_t size)
{
    uint64_t count;
    if (hpcc_head(text, size, &count) > 0)
        return true;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '#') {
            while (i < size && text[i] != '\n')
                i++;
        } else if (!isspace((unsigned char)text[i])) {
            return isalpha((unsigned char)text[i]) || strchr("\"\xef", text[i]) != NULL;
        }
    }
    return false;
}

static bool read_cell(struct columns *in, unsigned column, const struct key *key, const struct key_scale *scale,
                      int64_t *value)
{
    if (key_parse(key, scale, in->cell[column], value, in->error))
        return true;
    struct weir_error why = *in->error;
    return columns_fail(in, column, "%.200s", why.text);
}

/* "3" is h3. */
static bool read_host(struct columns *in, unsigned column, const struct key_scale *scale, uint32_t *host)
{
    const struct key key = {.name = "host", .kind = KEY_HOST};
    char name[COLUMNS_FIELD_MAX + 1];
    int64_t value;
    if (isdigit((unsigned char)in->cell[column][0])) {
        snprintf(name, sizeof name, "h%s", in->cell[column]);
        memcpy(in->cell[column], name, COLUMNS_FIELD_MAX);
        in->cell[column][COLUMNS_FIELD_MAX - 1] = '\0';
    }
    bool good = read_cell(in, column, &key, scale, &value);
    *host = good ? (uint32_t)value : 0;
    return good;
}

static bool read_flow(struct columns *in, const struct flow_list_setup *setup, const struct key_scale *scale,
                      struct listed_flow *flow)
{
    const struct key start = {.name = "start", .kind = KEY_TIME, .max = KEY_TIME_MAX};
    const struct key bytes = {.name = "bytes", .kind = KEY_PAYLOAD, .min = 1, .max = INT64_MAX - 1};
    const char *tag = in->cell[FLOW_TAG];
    flow->tag = setup->tag;
    if (!read_cell(in, FLOW_START, &start, scale, &flow->start_ps) ||
        !read_host(in, FLOW_SOURCE, scale, &flow->source) ||
        !read_host(in, FLOW_DESTINATION, scale, &flow->destination) ||
        !read_cell(in, FLOW_BYTES, &bytes, scale, &flow->bytes))
        return false;
    if (flow->source == flow->destination)
        return columns_fail(in, FLOW_DESTINATION, "'%s' is the source too (expected another host)",
                            in->cell[FLOW_DESTINATION]);
    if (tag[0] == '\0')
        return true;
    if (!flow_tag_is_name(tag, strlen(tag)))
        return columns_fail(in, FLOW_TAG, "'%s' (expected at most %u letters, digits, '-' or '_')", tag,
                            FLOW_TAG_LENGTH_MAX);
    switch (flow_tags_find(setup->tags, tag, strlen(tag), &flow->tag)) {
    case FLOW_TAGS_FULL:
        return columns_fail(in, FLOW_TAG, "'%s' is one too many (expected at most %u tags)", tag, FLOW_TAGS_MAX);
    case FLOW_TAGS_NO_MEMORY:
        return weir_fail_memory(in->error);
    default:
        return true;
    }
}

bool flow_table_read(struct listed_flows *list, const char *text, size_t size, const struct flow_list_setup *setup,
                     struct build *build)
{
    struct columns in = {.columns = flow_columns,
                         .count = FLOW_COLUMNS,
                         .text = text,
                         .size = size,
                         .mark = {.origin = build->scenario->lists[build->scenario->config.traffic_count].path},
                         .error = build->reader.error};
    bool good = true;
    uint64_t said, count = 0;
    size_t head = hpcc_head(text, size, &said);
    if (head > 0) {
        /* As if a header had said: source destination priority port bytes start_s. */
        in.at = head;
        in.mark.line = 1;
        in.began = in.headed = true;
        in.fields = 6;
        in.field_of[FLOW_SOURCE] = 0;
        in.field_of[FLOW_DESTINATION] = 1;
        in.field_of[FLOW_BYTES] = 4;
        in.field_of[FLOW_START] = 5;
        in.field_of[FLOW_TAG] = -1;
        memcpy(in.unit[FLOW_START], "s", sizeof "s");
    }
    while (good && columns_next(&in)) {
        struct listed_flow flow;
        count++;
        good = read_flow(&in, setup, &build->reader.scale, &flow) &&
               (listed_flows_add(list, &flow) || weir_fail_memory(in.error));
    }
    if (good && !in.failed && head > 0 && count != said) {
        weir_fail(in.error, WEIR_ERROR_MALFORMED, "%" PRIu64 " flows follow (expected %" PRIu64 ", as line 1 says)",
                  count, said);
        good = weir_fail_at(in.error, in.mark.origin, in.mark.line, 1);
    }
    good = good && !in.failed && (listed_flows_sort(list) || weir_fail_memory(in.error));
    if (!good)
        listed_flows_free(list);
    return good;
}

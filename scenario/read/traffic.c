/*
 * traffic.c - `traffic`: a list of sources of flows. Transports are found by name, tags and size tables are made.
 */
#include <string.h>

#include "scenario/read/dataplane_settings.h"
#include "scenario/read/traffic_item.h"
#include "sim/transport/transport.h"

#define FORMAT_PCAP 0u /* of the key `format` */

/* "[1KB, 0.5]". */
static bool read_point(struct build *build, const struct node *item, struct size_point *point)
{
    struct reader *reader = &build->reader;
    const struct key bytes = {.name = "sizes", .kind = KEY_PAYLOAD, .max = INT64_C(1) << 49};
    const struct key chance = {.name = "sizes", .kind = KEY_REAL, .max = KEY_BILLION};
    const char *wrong = "";
    int64_t value;
    if (item->kind != NODE_LIST || item->count != 2 || item->first->kind != NODE_SCALAR ||
        item->last->kind != NODE_SCALAR)
        return reader_fail(reader, item, "sizes: not a point (expected [bytes, cumulative probability])");
    wrong = item->first->text;
    bool good = key_parse(&bytes, &reader->scale, wrong, &value, reader->error);
    if (good) {
        point->bytes = (double)value;
        wrong = item->last->text;
        good = key_parse(&chance, &reader->scale, wrong, &value, reader->error);
        point->cumulative = (double)value / (double)KEY_BILLION;
    }
    return good || reader_place(reader, wrong == item->last->text ? item->last : item->first, "sizes");
}

static bool show_points(struct build *build, const struct size_table *table, struct node **shown)
{
    const struct key bytes = {.kind = KEY_PAYLOAD}, chance = {.kind = KEY_REAL};
    struct arena *arena = build->reader.arena;
    *shown = node_collection(arena, NODE_LIST);
    for (uint32_t i = 0; i < table->count; i++) {
        char size[64], part[64];
        struct node *point = node_collection(arena, NODE_LIST);
        key_format(&bytes, &build->reader.scale, (int64_t)table->points[i].bytes, size);
        key_format(&chance, &build->reader.scale, (int64_t)(table->points[i].cumulative * (double)KEY_BILLION + 0.5),
                   part);
        if (node_add(point, node_scalar(arena, size)) == NULL || node_add(point, node_scalar(arena, part)) == NULL ||
            node_add(*shown, point) == NULL)
            return weir_fail_memory(build->reader.error);
    }
    return *shown != NULL || weir_fail_memory(build->reader.error);
}

static bool read_points(struct build *build, const struct node *list, const struct size_table **sizes)
{
    struct reader *reader = &build->reader;
    struct size_table *table = arena_take(reader->arena, sizeof *table);
    struct size_point *points = arena_take_array(reader->arena, list->count + 1, sizeof *points);
    if (table == NULL || points == NULL)
        return weir_fail_memory(reader->error);
    *table = (struct size_table){.name = "own", .source = "the scenario", .points = points};
    for (const struct node *item = list->first; item != NULL; item = item->next)
        if (!read_point(build, item, &points[table->count++]))
            return false;
    if (!size_table_check(table, reader->error))
        return reader_place(reader, list, "sizes");
    *sizes = table;
    return true;
}

static bool read_sizes(struct build *build, const struct node *map, struct traffic_item *item, struct node *shown)
{
    struct reader *reader = &build->reader;
    const struct node *node = node_find(map, "sizes");
    struct node *own = NULL;
    if (node == NULL)
        return true;
    if (node->kind == NODE_MAP) {
        const struct node *file = node_find(node, "file");
        if (file == NULL || node->count != 1 || file->kind != NODE_SCALAR)
            return reader_fail(reader, node, "sizes: a map is here (expected {file: NAME}, a list or a table's name)");
        if ((node = read_size_file(build, file)) == NULL)
            return false;
    }
    if (node->kind == NODE_LIST)
        return read_points(build, node, &item->traffic.sizes) && show_points(build, item->traffic.sizes, &own) &&
               section_put(reader, shown, "sizes", own);
    if (!reader_expect(reader, node, NODE_SCALAR, "sizes"))
        return false;
    /* The names of the published size tables, ending with null; null: out of memory. */
    const char **names = arena_take_array(build->reader.arena, size_table_count() + 1, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < size_table_count(); i++)
        names[i] = size_table_at(i)->name;
    if (names == NULL)
        return weir_fail_memory(reader->error);
    item->traffic.sizes = size_table_find(node->text);
    if (item->traffic.sizes == NULL && strpbrk(node->text, "./") != NULL)
        return reader_fail(reader, node, "sizes: unknown table '%s' (of a file: sizes: {file: %s})",
                           error_text(node->text).text, error_text(node->text).text);
    if (item->traffic.sizes == NULL)
        return reader_fail(reader, node, "sizes: unknown table '%s'%s", error_text(node->text).text,
                           error_hint(node->text, names).text);
    return section_put(reader, shown, "sizes", node_scalar(reader->arena, node->text));
}

static bool find_transport(struct build *build, const struct node *node, const char *name, uint32_t *transport)
{
    const char *const *names = build->transport_names;
    for (uint32_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            *transport = i;
            return true;
        }
    }
    return names == NULL || reader_fail(&build->reader, node, "unknown transport '%s'%s", error_text(name).text,
                                        error_hint(name, names).text);
}

static bool find_tag(struct build *build, const struct node *node, const char *name, uint32_t *tag)
{
    if (strchr(name, '.') != NULL) /* names of measures are made of tags and dots */
        return reader_fail(&build->reader, node, "a dot in the tag '%s' (expected none)", error_text(name).text);
    switch (flow_tags_find(&build->scenario->tags, name, strlen(name), tag)) {
    case FLOW_TAGS_OK:
        return true;
    case FLOW_TAGS_FULL:
        return reader_fail(&build->reader, node, "too many tags (expected at most %u)", FLOW_TAGS_MAX);
    case FLOW_TAGS_NO_MEMORY:
        break;
    }
    return weir_fail_memory(build->reader.error);
}

/* Their transports; one whose key is missing has no name. */
static bool find_transports(struct build *build, const struct node *map, struct traffic_item *item)
{
    struct traffic_settings *t = &item->traffic;
    if (item->transport != NULL && !find_transport(build, node_find(map, "transport"), item->transport, &t->transport))
        return false;
    t->long_transport = t->transport;
    return item->long_transport == NULL ||
           find_transport(build, node_find(map, "long_transport"), item->long_transport, &t->long_transport);
}

/* How much and how often. */
static bool check_amounts(struct build *build, const struct node *map, const struct traffic_settings *t)
{
    bool rated = t->kind == TRAFFIC_QUERY || t->kind == TRAFFIC_BURSTS;
    const char *kind = traffic_kind_names[t->kind];
    if (rated && (t->rate_per_s > 0) == (t->load > 0))
        return reader_fail(&build->reader, map, "traffic of kind %s needs either 'load' or 'rate'", kind);
    if ((rated || t->kind == TRAFFIC_INCAST) && (t->bytes > 0) == (t->sizes != NULL))
        return reader_fail(&build->reader, map, "traffic of kind %s needs either 'bytes' or 'sizes'", kind);
    if (t->kind == TRAFFIC_ON_OFF && t->long_share > 0 && (t->long_on_ps == 0 || t->long_rate_bps == 0))
        return reader_fail(&build->reader, map, "traffic: long-lived flows need 'long_on' and 'long_rate'");
    if (t->kind == TRAFFIC_ON_OFF && t->long_share <= 0 && (t->long_on_ps > 0 || t->long_rate_bps > 0))
        return reader_fail(&build->reader, map, "traffic: 'long_share' is missing (expected the part that is long)");
    if (t->kind == TRAFFIC_POISSON && t->load <= 0)
        return reader_fail(&build->reader, map, "traffic: 'load' is missing (expected more than 0)");
    return true;
}

/* Classes of the packets of a capture; without the key it stays as it is. */
static bool read_dscp(struct build *build, const struct node *map, const struct traffic_item *item, struct node *shown,
                      uint8_t class_of[PACKET_DSCPS])
{
    struct reader *reader = &build->reader;
    const struct node *dscp = node_find(map, "dscp");
    const struct read_numbers what = {.name = "dscp", .most = PACKET_DSCPS - 1};
    if (dscp == NULL)
        return true;
    if (item->format != FORMAT_PCAP)
        return reader_fail(reader, dscp, "dscp: packets of a trace have their classes (expected it of a capture)");
    return read_class_map(reader, &what, dscp, class_of) &&
           section_put(reader, shown, "dscp", numbers_show_class_map(reader, what.most, class_of));
}

/* `tagged`: whatever else is wrong, its tags are known. */
static bool read_item(struct build *build, const struct node *map, struct node *all, struct traffic_settings *out,
                      bool *tagged)
{
    struct reader *reader = &build->reader;
    struct traffic_item item;
    uint8_t class_of[PACKET_DSCPS] = {0};
    uint32_t kind = 0;
    if (!section_read_kind(reader, &traffic_section, map, &kind))
        return false;
    section_defaults(&traffic_section, &item, kind);
    item.tag = traffic_kind_names[kind];
    bool good = section_read(reader, &traffic_section, map, kind, &item);
    if (!good && !reader_goes_on(reader))
        return false;
    weir_ps end = build->scenario->config.until_ps;
    item.traffic.until_ps = item.until_ps < end ? item.until_ps : end;
    const struct read_file file = {item.file, item.format == FORMAT_PCAP, class_of};
    if (item.file != NULL && build->files != NULL && (item.file = read_file_path(build, item.file)) == NULL)
        return weir_fail_memory(reader->error);
    if (item.placement_file != NULL && build->files != NULL &&
        (item.placement_file = read_file_path(build, item.placement_file)) == NULL)
        return weir_fail_memory(reader->error);
    struct node *shown = section_show(reader, &traffic_section, kind, &item);
    if (node_add(all, shown) == NULL)
        return weir_fail_memory(reader->error);
    /* The tags of its flows. */
    const struct node *tag = node_find(map, "tag"), *long_tag = node_find(map, "long_tag");
    struct traffic_settings *t = &item.traffic;
    if (!find_tag(build, tag != NULL ? tag : map, item.tag, &t->tag))
        return false;
    t->long_tag = t->tag;
    if (item.long_tag != NULL && !find_tag(build, long_tag, item.long_tag, &t->long_tag))
        return false;
    *tagged = true;
    if (!find_transports(build, map, &item)) {
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    if (!read_sizes(build, map, &item, shown) || !read_dscp(build, map, &item, shown, class_of) || !good ||
        !check_amounts(build, map, &item.traffic) || build->broken)
        return false;
    /* What keys say together. */
    if (t->kind == TRAFFIC_PACKETS && build->scenario->config.transports[t->transport].kind->ack != NULL)
        return reader_fail(&build->reader, node_find(map, "transport"),
                           "transport: of kind %s (expected udp for packets)",
                           build->scenario->config.transports[t->transport].kind->name);
    if (t->request_bytes > 0 && build->scenario->config.transports[t->transport].kind->ack == NULL)
        return reader_fail(&build->reader, node_find(map, "request"),
                           "request: over %s, which does not repeat what is lost (expected a transport with feedback)",
                           build->scenario->config.transports[t->transport].kind->name);
    if (t->kind == TRAFFIC_MESSAGES && build->scenario->config.transports[t->transport].kind->ack == NULL)
        return reader_fail(&build->reader, node_find(map, "transport"),
                           "transport: %s does not repeat what is lost, and who sent a message would wait for ever "
                           "(expected a transport with feedback)",
                           build->scenario->config.transports[t->transport].kind->name);
    if (t->from_ps >= t->until_ps)
        return reader_fail(&build->reader, map, "traffic: begins when it is over (expected 'from' before 'until')");
    if (item.file != NULL && t->kind != TRAFFIC_JOB &&
        !read_traffic_file(build, node_find(map, "file"), &file, &item.traffic))
        return false;
    if ((t->kind == TRAFFIC_JOB || t->kind == TRAFFIC_COLLECTIVE) && !read_job(build, map, &item))
        return false;
    *out = item.traffic;
    return true;
}

bool read_traffic(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *list = node_find(build->root, "traffic");
    bool good = true;
    if (list == NULL || !reader_expect(reader, list, NODE_LIST, "traffic"))
        return false;
    if (list->count == 0)
        return reader_fail(reader, list, "traffic: the list is empty (expected at least one item)");
    struct traffic_settings *items = arena_take_array(reader->arena, list->count + 1, sizeof *items);
    build->scenario->lists = arena_take_array(reader->arena, list->count + 1, sizeof *build->scenario->lists);
    struct node *all = node_collection(reader->arena, NODE_LIST);
    struct mark *marks = arena_take_array(reader->arena, list->count + 1, sizeof *marks);
    if (items == NULL || build->scenario->lists == NULL || all == NULL || marks == NULL)
        return weir_fail_memory(reader->error);
    build->scenario->traffic_marks = marks;
    build->scenario->tags_known = true;
    for (const struct node *map = list->first; map != NULL; map = map->next, config->traffic_count++) {
        bool tagged = false;
        if (read_keep_mark(build, map->mark, &marks[config->traffic_count]) &&
            read_item(build, map, all, &items[config->traffic_count], &tagged))
            continue;
        good = false;
        build->scenario->tags_known = build->scenario->tags_known && tagged;
        if (!reader_goes_on(reader))
            return false;
    }
    config->traffic = items;
    config->tag_names = (const char *const *)build->scenario->tags.names;
    config->tag_count = build->scenario->tags.count;
    return good && section_put(reader, build->shown, "traffic", all);
}

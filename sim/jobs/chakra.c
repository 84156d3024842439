/*
 * chakra.c - see chakra.h. Protobuf's wire format is read here, in a few lines, without protobuf-c: that would need a
 * generator, a foreign schema and an object for every attribute of millions of nodes. A dozen fields matter; all others
 * are skipped by their length.
 */
#include "sim/jobs/chakra.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODE_INVALID, NODE_METADATA, NODE_LOAD, NODE_STORE, NODE_COMP, NODE_SEND, NODE_RECV, NODE_COLL, NODE_TYPES };
enum { CPU_OF_HOST, CPU_OF_GPU, CPU_OF_COMM, CPU_OF_JOINS };

#define GROUP_NAME_MAX 63u
#define EVERYBODY 0u /* number of the group that has all ranks */

/* Bytes that are read from the front. */
struct bytes {
    const unsigned char *at, *end;
    bool bad;
};

struct group {
    char name[GROUP_NAME_MAX + 1];
    uint32_t *ranks, count;      /* count 0: all ranks */
    uint32_t *tags, begun, room; /* the first tag of each of its collectives */
};

/* What a node says that matters. */
struct fields {
    uint64_t id, type, duration_us;
    uint64_t comm_type, bytes, source, destination, tag;
    bool has_bytes, has_source, has_destination, has_type, is_cpu_op;
    char group[GROUP_NAME_MAX + 1];
};

struct edge {
    uint32_t node; /* place in `nodes` */
    uint64_t on;   /* id */
};

struct chakra {
    struct weir_error *error;
    struct goal_writer writer;
    const struct collective_choice *choice;
    uint32_t ranks, rank;
    struct group *groups;
    uint32_t group_count, next_tag;
    struct placed {
        uint64_t id;
        uint32_t begins, ends;
    } * nodes;
    uint32_t node_count, node_room;
    struct edge *edges;
    uint32_t edge_count, edge_room;
    uint32_t *collectives; /* [groups]: of this rank so far */
};

/* The wire. */

static uint64_t take_varint(struct bytes *bytes)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && bytes->at < bytes->end; shift += 7) {
        unsigned char c = *bytes->at++;
        value |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return value;
    }
    bytes->bad = true;
    return 0;
}

static struct bytes take_part(struct bytes *bytes, uint64_t size)
{
    if (bytes->bad || size > (uint64_t)(bytes->end - bytes->at)) {
        bytes->bad = true;
        return (struct bytes){bytes->end, bytes->end, true};
    }
    const unsigned char *at = bytes->at;
    bytes->at += size;
    return (struct bytes){at, bytes->at, false};
}

/* A field: its number, and what is in it. */
struct field {
    uint32_t number, wire;
    uint64_t value;
    struct bytes part;
};

static bool take_field(struct bytes *bytes, struct field *field)
{
    if (bytes->bad || bytes->at == bytes->end)
        return false;
    uint64_t key = take_varint(bytes);
    *field = (struct field){.number = (uint32_t)(key >> 3), .wire = key & 7};
    switch (field->wire) {
    case 0:
        field->value = take_varint(bytes);
        break;
    case 2:
        field->part = take_part(bytes, take_varint(bytes));
        break;
    case 1:
    case 5:
        field->part = take_part(bytes, field->wire == 1 ? 8 : 4);
        for (uint32_t i = 0; !bytes->bad && field->part.at + i < field->part.end; i++)
            field->value |= (uint64_t)field->part.at[i] << 8 * i;
        break;
    default:
        bytes->bad = true;
    }
    return !bytes->bad;
}

/* Attributes. */

static bool name_is(const struct bytes *name, const char *text)
{
    return (size_t)(name->end - name->at) == strlen(text) && memcmp(name->at, text, strlen(text)) == 0;
}

static void copy_text(char to[GROUP_NAME_MAX + 1], const struct bytes *text)
{
    size_t length = (size_t)(text->end - text->at);
    length = length < GROUP_NAME_MAX ? length : GROUP_NAME_MAX;
    memcpy(to, text->at, length);
    to[length] = '\0';
}

static void read_attribute(struct bytes attribute, struct fields *out)
{
    struct bytes name = {NULL, NULL, false}, text = name;
    uint64_t value = 0;
    bool has = false;
    for (struct field field; take_field(&attribute, &field);) {
        if (field.number == 1 && field.wire == 2)
            name = field.part;
        else if (field.number == 29 && field.wire == 2)
            text = field.part;
        else if (field.number >= 7 && field.number <= 27 && field.wire != 2) {
            bool zigzag = field.number == 15 || field.number == 17;
            value = zigzag ? (field.value >> 1) ^ (0 - (field.value & 1)) : field.value;
            has = true;
        }
    }
    if (!name.at)
        return;
    if (has && name_is(&name, "comm_size")) {
        out->bytes = value;
        out->has_bytes = true;
    } else if (has && name_is(&name, "comm_src")) {
        out->source = value;
        out->has_source = true;
    } else if (has && name_is(&name, "comm_dst")) {
        out->destination = value;
        out->has_destination = true;
    } else if (has && name_is(&name, "comm_tag")) {
        out->tag = value;
    } else if (has && name_is(&name, "comm_type")) {
        out->comm_type = value;
        out->has_type = true;
    } else if (has && name_is(&name, "is_cpu_op")) {
        out->is_cpu_op = value != 0;
    } else if (name_is(&name, "pg_name") && text.at) {
        copy_text(out->group, &text);
    } else if (name_is(&name, "pg_name") && has) {
        snprintf(out->group, sizeof out->group, "%" PRIu64, value);
    }
}

static bool fail(const struct chakra *chakra, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const struct chakra *chakra, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(chakra->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    return false;
}

/* Process groups: [{"pg_name": "0", "ranks": [0, 1]}, ...] in a metadata node. */

static const char *skip_to(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (; end - at >= (ptrdiff_t)length; at++)
        if (memcmp(at, text, length) == 0)
            return at + length;
    return NULL;
}

static struct group *group_find(const struct chakra *chakra, const char *name)
{
    for (uint32_t i = 0; i < chakra->group_count; i++)
        if (strcmp(chakra->groups[i].name, name) == 0)
            return &chakra->groups[i];
    return NULL;
}

static struct group *group_add(struct chakra *chakra, const char *name)
{
    struct group *groups = realloc(chakra->groups, ((size_t)chakra->group_count + 1) * sizeof *groups);
    if (!groups)
        return NULL;
    chakra->groups = groups;
    uint32_t *counts = realloc(chakra->collectives, ((size_t)chakra->group_count + 1) * sizeof *counts);
    if (!counts)
        return NULL;
    chakra->collectives = counts;
    counts[chakra->group_count] = 0;
    struct group *group = &groups[chakra->group_count++];
    *group = (struct group){.count = 0};
    snprintf(group->name, sizeof group->name, "%s", name);
    return group;
}

static bool read_group(struct chakra *chakra, const char *name, const char *at, const char *end)
{
    struct group *group = group_find(chakra, name);
    if (group)
        return true;
    group = group_add(chakra, name);
    uint32_t *ranks = group ? malloc((size_t)chakra->ranks * sizeof *ranks) : NULL;
    if (!ranks)
        return weir_fail_memory(chakra->error);
    group->ranks = ranks;
    while (at < end) {
        uint64_t rank = 0;
        if (*at < '0' || *at > '9') {
            at++;
            continue;
        }
        for (; at < end && *at >= '0' && *at <= '9' && rank <= UINT32_MAX; at++)
            rank = 10 * rank + (uint64_t)(*at - '0');
        if (rank >= chakra->ranks || group->count == chakra->ranks)
            return fail(chakra, "process group '%s' has rank %" PRIu64 ", but there are files of ranks 0 to %" PRIu32,
                        name, rank, chakra->ranks - 1);
        group->ranks[group->count++] = (uint32_t)rank;
    }
    return true;
}

static bool read_groups(struct chakra *chakra, const struct bytes *json)
{
    const char *at = (const char *)json->at, *end = (const char *)json->end;
    while ((at = skip_to(at, end, "pg_name"))) { /* quoted, maybe with backslashes, as text within text is */
        char name[GROUP_NAME_MAX + 1];
        const char *ranks = skip_to(at, end, "ranks"), *open = ranks ? skip_to(ranks, end, "[") : NULL;
        const char *close = open ? skip_to(open, end, "]") : NULL;
        const char *from = at;
        while (from < end && (*from == ' ' || *from == ':' || *from == '"' || *from == '\\'))
            from++;
        const char *to = from;
        while (to < end && *to != '"' && *to != ',' && *to != ' ' && *to != '}' && *to != '\\')
            to++;
        if (!close)
            return fail(chakra, "process groups are not complete (expected [{\"pg_name\": ..., \"ranks\": [...]}])");
        copy_text(name, &(struct bytes){(const unsigned char *)from, (const unsigned char *)to, false});
        if (!read_group(chakra, name, open, close - 1))
            return false;
        at = close;
    }
    return true;
}

static bool read_inputs(struct chakra *chakra, struct bytes inputs)
{
    for (struct field field; take_field(&inputs, &field);)
        if (field.number == 1 && field.wire == 2 && !read_groups(chakra, &field.part))
            return false;
    return true;
}

/* Nodes. */

static bool add_edge(struct chakra *chakra, uint64_t on)
{
    if (chakra->edge_count == chakra->edge_room) {
        uint32_t room = chakra->edge_room ? 2 * chakra->edge_room : 256;
        struct edge *edges = realloc(chakra->edges, room * sizeof *edges);
        if (!edges)
            return weir_fail_memory(chakra->error);
        chakra->edges = edges;
        chakra->edge_room = room;
    }
    chakra->edges[chakra->edge_count++] = (struct edge){chakra->node_count, on};
    return true;
}

static bool read_deps(struct chakra *chakra, struct field *field)
{
    if (field->wire == 0)
        return add_edge(chakra, field->value);
    while (!field->part.bad && field->part.at < field->part.end)
        if (!add_edge(chakra, take_varint(&field->part)))
            return false;
    return true;
}

static bool read_fields(struct chakra *chakra, struct bytes node, struct fields *out)
{
    *out = (struct fields){.id = 0};
    for (struct field field; take_field(&node, &field);) {
        bool good = true;
        if (field.number == 1)
            out->id = field.value;
        else if (field.number == 3)
            out->type = field.value;
        else if (field.number == 4 || field.number == 5)
            good = read_deps(chakra, &field);
        else if (field.number == 7)
            out->duration_us = field.value;
        else if (field.number == 8 && field.wire == 2 && out->type == NODE_METADATA)
            good = read_inputs(chakra, field.part);
        else if (field.number == 10 && field.wire == 2)
            read_attribute(field.part, out);
        if (!good)
            return false;
    }
    return !node.bad || fail(chakra, "node %" PRIu64 " is damaged, or not a node of Chakra", out->id);
}

static const enum collective_operation operations[] = {
    [0] = COLLECTIVE_ALL_REDUCE, [2] = COLLECTIVE_ALL_GATHER,     [5] = COLLECTIVE_BROADCAST,
    [6] = COLLECTIVE_ALL_TO_ALL, [7] = COLLECTIVE_REDUCE_SCATTER, [9] = COLLECTIVE_BARRIER,
};

/* The first tag of a group's n-th collective, the same at all its members. */
static bool group_tag(struct chakra *chakra, struct group *group, uint32_t n, uint64_t many, uint32_t *tag)
{
    if (n == group->begun) {
        uint32_t room = group->room ? 2 * group->room : 16;
        uint32_t *tags = n == group->room ? realloc(group->tags, room * sizeof *tags) : group->tags;
        if (!tags)
            return weir_fail_memory(chakra->error);
        group->room = n == group->room ? room : group->room;
        group->tags = tags;
        if (many > UINT32_MAX - 1 - chakra->next_tag)
            return fail(chakra, "more collectives than there are tags");
        group->tags[group->begun++] = chakra->next_tag;
        chakra->next_tag += (uint32_t)many;
    }
    *tag = group->tags[n];
    return true;
}

static bool add_collective(struct chakra *chakra, const struct fields *node, struct placed *placed)
{
    struct group *group = node->group[0] ? group_find(chakra, node->group) : &chakra->groups[EVERYBODY];
    if (!group)
        return fail(chakra, "node %" PRIu64 " names process group '%s', which no metadata node describes", node->id,
                    node->group);
    struct collective_members members = {group->count ? group->ranks : NULL,
                                         group->count ? group->count : chakra->ranks, UINT32_MAX};
    for (uint32_t i = 0; i < members.count; i++)
        if ((group->count ? group->ranks[i] : i) == chakra->rank)
            members.own = i;
    if (members.own == UINT32_MAX)
        return fail(chakra, "node %" PRIu64 " is a collective of process group '%s', which does not have this rank",
                    node->id, group->name);
    bool known = node->comm_type < sizeof operations / sizeof operations[0] &&
                 (node->comm_type == 0 || operations[node->comm_type] != COLLECTIVE_ALL_REDUCE);
    if (!node->has_type)
        return fail(chakra,
                    "node %" PRIu64 " is a collective without an attribute comm_type (expected which one it is)",
                    node->id);
    if (!known)
        return fail(chakra,
                    "node %" PRIu64 " is a collective of type %" PRIu64
                    " (expected 0 all-reduce, 2 all-gather, 5 broadcast, 6 all-to-all, 7 reduce-scatter or 9 barrier)",
                    node->id, node->comm_type);
    struct collective collective = {.operation = operations[node->comm_type], .bytes = node->bytes, .cpu = CPU_OF_COMM};
    uint32_t n = chakra->collectives[group - chakra->groups]++;
    placed->begins = goal_add(&chakra->writer, &(struct goal_op){.type = GOAL_CALC, .cpu = CPU_OF_JOINS});
    placed->ends = placed->begins;
    if (members.count < 2)
        return true;
    if (!collective_choose(&collective, chakra->choice, &members, chakra->error))
        return weir_fail_within(chakra->error, "node %" PRIu64 ": ", node->id);
    if (!group_tag(chakra, group, n, ((uint64_t)4 * members.count + 4) * collective.chunks, &collective.tag))
        return false;
    placed->ends = collective_add(&chakra->writer, &collective, &members, placed->begins, true);
    return true;
}

static bool add_message(struct chakra *chakra, const struct fields *node, struct placed *placed)
{
    bool send = node->type == NODE_SEND;
    uint64_t peer = send ? node->destination : node->source;
    if (!node->has_bytes || !(send ? node->has_destination : node->has_source))
        return fail(chakra,
                    "node %" PRIu64
                    " has no attribute %s (expected comm_size, and comm_dst to send or comm_src to receive)",
                    node->id,
                    !node->has_bytes ? "comm_size"
                    : send           ? "comm_dst"
                                     : "comm_src");
    if (peer >= chakra->ranks)
        return fail(chakra, "node %" PRIu64 " %s rank %" PRIu64 ", but there are files of ranks 0 to %" PRIu32,
                    node->id, send ? "sends to" : "receives from", peer, chakra->ranks - 1);
    placed->begins = placed->ends = goal_add(&chakra->writer, &(struct goal_op){.type = send ? GOAL_SEND : GOAL_RECV,
                                                                                .peer = (uint32_t)peer,
                                                                                .size = node->bytes ? node->bytes : 1,
                                                                                .tag = (uint32_t)node->tag & 0x7fffffff,
                                                                                .cpu = CPU_OF_COMM});
    return true;
}

static bool add_node(struct chakra *chakra, const struct fields *node)
{
    struct placed placed = {.id = node->id};
    bool good = true;
    /* Traces of PyTorch call the launch on the host so, too; what is sent stands in the node of the device. */
    const bool launches =
        node->is_cpu_op && ((node->type == NODE_COLL && !node->has_type) ||
                            ((node->type == NODE_SEND || node->type == NODE_RECV) && !node->has_bytes));
    if (node->type == NODE_COLL && !launches) {
        good = add_collective(chakra, node, &placed);
    } else if ((node->type == NODE_SEND || node->type == NODE_RECV) && !launches) {
        good = add_message(chakra, node, &placed);
    } else if (node->type < NODE_TYPES) {
        bool computes = (node->type >= NODE_LOAD && node->type <= NODE_COMP) || launches;
        if (node->duration_us > (uint64_t)(WEIR_TIME_MAX / WEIR_PS_PER_US))
            return fail(chakra, "node %" PRIu64 " computes for more than 53 days; times are in microseconds", node->id);
        uint64_t ns = 1000 * node->duration_us;
        placed.begins = placed.ends =
            goal_add(&chakra->writer, &(struct goal_op){.type = GOAL_CALC,
                                                        .size = computes ? (ns > 0 ? ns : 1) : 0,
                                                        .cpu = !computes         ? CPU_OF_JOINS
                                                               : node->is_cpu_op ? CPU_OF_HOST
                                                                                 : CPU_OF_GPU});
    } else {
        return fail(chakra, "node %" PRIu64 " has type %" PRIu64 " (expected 0 to 7)", node->id, node->type);
    }
    if (good && chakra->node_count == chakra->node_room) {
        uint32_t room = chakra->node_room ? 2 * chakra->node_room : 256;
        struct placed *nodes = realloc(chakra->nodes, room * sizeof *nodes);
        if (!nodes)
            return weir_fail_memory(chakra->error);
        chakra->nodes = nodes;
        chakra->node_room = room;
    }
    if (good)
        chakra->nodes[chakra->node_count++] = placed;
    return good;
}

/* The place of a node by its id: `order` is sorted by it. */
struct by_id {
    uint64_t id;
    uint32_t place;
};

static int id_compare(const void *left, const void *right)
{
    const struct by_id *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool join_nodes(struct chakra *chakra)
{
    struct by_id *order = malloc(((size_t)chakra->node_count + 1) * sizeof *order);
    bool good = order || weir_fail_memory(chakra->error);
    for (uint32_t i = 0; good && i < chakra->node_count; i++)
        order[i] = (struct by_id){chakra->nodes[i].id, i};
    if (good)
        qsort(order, chakra->node_count, sizeof *order, id_compare);
    for (uint32_t i = 1; good && i < chakra->node_count; i++)
        if (order[i].id == order[i - 1].id)
            good = fail(chakra, "node %" PRIu64 " is there twice", order[i].id);
    for (uint32_t i = 0; good && i < chakra->edge_count; i++) {
        const struct by_id key = {chakra->edges[i].on, 0};
        const struct by_id *on = bsearch(&key, order, chakra->node_count, sizeof *order, id_compare);
        const struct placed *node = &chakra->nodes[chakra->edges[i].node];
        if (!on)
            good = fail(chakra, "node %" PRIu64 " waits for node %" PRIu64 ", which the file does not have", node->id,
                        chakra->edges[i].on);
        else
            goal_after(&chakra->writer, node->begins, chakra->nodes[on->place].ends, false);
    }
    free(order);
    return good;
}

static bool read_file(struct chakra *chakra, const struct chakra_file *file)
{
    struct bytes bytes = {file->bytes, file->bytes + file->size, false};
    chakra->node_count = chakra->edge_count = 0;
    for (uint32_t i = 0; i < chakra->group_count; i++)
        chakra->collectives[i] = 0;
    for (uint32_t number = 0; bytes.at < bytes.end; number++) {
        const unsigned char *at = bytes.at;
        struct bytes message = take_part(&bytes, take_varint(&bytes));
        struct fields fields;
        if (bytes.bad)
            return fail(chakra,
                        "ends within message %" PRIu32 ", which begins at byte %td (cut, or not a Chakra trace)",
                        number, at - file->bytes);
        if (number == 0)
            continue; /* about the file */
        if (!read_fields(chakra, message, &fields) || !add_node(chakra, &fields))
            return false;
        if (chakra->writer.failed)
            return weir_fail_memory(chakra->error);
    }
    return join_nodes(chakra);
}

unsigned char *chakra_to_goal(const struct chakra_file *files, uint32_t ranks, const struct collective_choice *choice,
                              size_t *size, uint32_t *wrong, struct weir_error *error)
{
    struct chakra chakra = {.error = error, .choice = choice, .ranks = ranks, .next_tag = UINT32_C(1) << 31};
    goal_begin(&chakra.writer, ranks);
    bool good = group_add(&chakra, "") || weir_fail_memory(error);
    for (chakra.rank = 0; good && chakra.rank < ranks; chakra.rank++) {
        *wrong = chakra.rank;
        good = read_file(&chakra, &files[chakra.rank]);
        goal_end_rank(&chakra.writer);
    }
    for (uint32_t i = 0; i < chakra.group_count; i++) {
        free(chakra.groups[i].ranks);
        free(chakra.groups[i].tags);
    }
    free(chakra.groups);
    free(chakra.collectives);
    free(chakra.nodes);
    free(chakra.edges);
    unsigned char *image = goal_finish(&chakra.writer, size);
    if (good && !image)
        weir_fail_memory(error);
    if (good)
        return image;
    free(image);
    return NULL;
}

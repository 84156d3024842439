/*
 * edge_list.c - a network from a file with a link per row: two nodes, a rate, a delay. It becomes the map of a topology
 * of kind explicit, as if the scenario had listed the links.
 *
 * Which nodes are hosts, and their numbers:
 * - nodes called h0, h1, ... and s0, s1, ... are what their names say;
 * - in a file of HPCC's simulator, whose first line has three numbers (nodes, switches, links) and whose second one
 *   lists the switches, all others are hosts, numbered by their own numbers;
 * - a topology of htsim has its own reader (htsim.h);
 * - else a node with one link is a host, any other one a switch, and both are numbered as they first appear.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/read/columns.h"
#include "scenario/read/htsim.h"
#include "scenario/read/read.h"

enum { EDGE_A, EDGE_B, EDGE_RATE, EDGE_DELAY, EDGE_LOSS, EDGE_COLUMNS };

static const struct column edge_columns[EDGE_COLUMNS] = {
    [EDGE_A] = {.names = {"source", "src", "from", "node1", "u"}},
    [EDGE_B] = {.names = {"target", "destination", "dst", "to", "node2", "v"}},
    [EDGE_RATE] = {.names = {"rate", "bandwidth", "capacity", "speed", "bw"}, .optional = true},
    [EDGE_DELAY] = {.names = {"delay", "latency", "propagation"}, .optional = true},
    [EDGE_LOSS] = {.names = {"loss", "error_rate", "error"}, .optional = true},
};

/* One end of a link. */
struct edge_end {
    const char *name;
    uint32_t place;  /* 2 * link, + 1 for the second end */
    uint32_t number; /* of the node among its kind */
    bool host;
};

struct edges {
    struct arena *arena;
    struct node *links;    /* of the map */
    struct edge_end *ends; /* [2 * links] */
    uint32_t count, room;  /* ends */
    uint32_t hosts, switches;
    bool *is_switch; /* [nodes], of HPCC's form; null: another one */
    uint32_t nodes;
};

static bool ends_add(struct edges *edges, const char *name)
{
    if (edges->count == edges->room) {
        uint32_t room = edges->room ? 2 * edges->room : 256;
        struct edge_end *at = realloc(edges->ends, room * sizeof *at);
        if (at == NULL)
            return false;
        edges->ends = at;
        edges->room = room;
    }
    char *kept = arena_text(edges->arena, name, strlen(name));
    edges->ends[edges->count] = (struct edge_end){.name = kept, .place = edges->count};
    edges->count++;
    return kept != NULL;
}

/* A value of a link, where the row has one. */
static bool put_value(struct edges *edges, const struct columns *in, struct node *link, unsigned column,
                      const char *key)
{
    if (in->cell[column][0] == '\0')
        return true;
    struct node *value = node_scalar(edges->arena, in->cell[column]);
    if (value != NULL)
        value->mark = value->key_mark = in->cell_mark[column];
    return node_add_key(link, key, value) != NULL;
}

static bool add_link(struct edges *edges, const struct columns *in)
{
    struct node *link = node_collection(edges->arena, NODE_MAP);
    if (link != NULL)
        link->mark = in->mark;
    return node_add(edges->links, link) != NULL && put_value(edges, in, link, EDGE_A, "a") &&
           put_value(edges, in, link, EDGE_B, "b") && put_value(edges, in, link, EDGE_RATE, "rate") &&
           put_value(edges, in, link, EDGE_DELAY, "delay") && put_value(edges, in, link, EDGE_LOSS, "loss") &&
           ends_add(edges, in->cell[EDGE_A]) && ends_add(edges, in->cell[EDGE_B]);
}

static bool is_whole(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 9 && text[digits] == '\0';
}

/* The two lines before the links in HPCC's form; `at` moves behind them. False: the text has another form. */
static bool read_hpcc_head(struct edges *edges, const char *text, size_t size, size_t *at, uint32_t *line)
{
    unsigned nodes, switches, links;
    int used = 0;
    char head[64];
    const char *newline = memchr(text, '\n', size);
    if (newline == NULL || newline - text >= (long)sizeof head)
        return false;
    snprintf(head, sizeof head, "%.*s", (int)(newline - text), text);
    if (sscanf(head, "%8u %8u %8u %n", &nodes, &switches, &links, &used) != 3 || head[used] != '\0' ||
        nodes > TOPOLOGY_NODES_MAX || switches > nodes)
        return false;
    bool *is_switch = arena_take_array(edges->arena, nodes + 1, sizeof *is_switch);
    const char *from = newline + 1, *end = text + size;
    for (unsigned i = 0; i < switches && is_switch != NULL; i++) {
        uint64_t number = 0;
        while (from < end && (*from == ' ' || *from == '\t' || *from == '\r'))
            from++;
        if (from == end || !isdigit((unsigned char)*from))
            return false;
        for (; from < end && isdigit((unsigned char)*from) && number < nodes; from++)
            number = 10 * number + (uint64_t)(*from - '0');
        if (number >= nodes)
            return false;
        is_switch[number] = true;
    }
    edges->is_switch = is_switch;
    edges->nodes = nodes;
    newline = memchr(from, '\n', (size_t)(end - from));
    *at = newline != NULL ? (size_t)(newline + 1 - text) : size;
    *line = 2;
    return is_switch != NULL;
}

static int by_name(const void *left, const void *right)
{
    const struct edge_end *a = left, *b = right;
    int names = strcmp(a->name, b->name);
    return names != 0 ? names : (a->place > b->place) - (a->place < b->place);
}

static int by_place(const void *left, const void *right)
{
    const struct edge_end *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

/* All ends are called h0, s0 and so on. */
static bool number_as_named(struct edges *edges)
{
    uint32_t hosts = 0, switches = 0;
    for (uint32_t i = 0; i < edges->count; i++) {
        struct edge_end *end = &edges->ends[i];
        if ((end->name[0] != 'h' && end->name[0] != 's') || !is_whole(end->name + 1))
            return false;
        end->host = end->name[0] == 'h';
        end->number = (uint32_t)strtoul(end->name + 1, NULL, 10);
        uint32_t *most = end->host ? &hosts : &switches;
        *most = end->number + 1 > *most ? end->number + 1 : *most;
    }
    edges->hosts = hosts;
    edges->switches = switches;
    return true;
}

static bool number_as_hpcc(struct edges *edges, const struct columns *in)
{
    uint32_t *number = arena_take_array(edges->arena, edges->nodes + 1, sizeof *number);
    for (uint32_t i = 0; number != NULL && i < edges->nodes; i++)
        number[i] = edges->is_switch[i] ? edges->switches++ : edges->hosts++;
    for (uint32_t i = 0; number != NULL && i < edges->count; i++) {
        struct edge_end *end = &edges->ends[i];
        uint32_t node = is_whole(end->name) ? (uint32_t)strtoul(end->name, NULL, 10) : edges->nodes;
        if (node >= edges->nodes)
            return weir_fail(in->error, WEIR_ERROR_MALFORMED,
                             "link %u: node '%s' (expected a number below %u, as the first line says)",
                             end->place / 2 + 1, end->name, edges->nodes);
        end->host = !edges->is_switch[node];
        end->number = number[node];
    }
    return number != NULL || weir_fail_memory(in->error);
}

static void number_by_links(struct edges *edges)
{
    struct edge_end *ends = edges->ends;
    qsort(ends, edges->count, sizeof *ends, by_name);
    for (uint32_t i = 0, after; i < edges->count; i = after) {
        for (after = i; after < edges->count && strcmp(ends[after].name, ends[i].name) == 0; after++)
            ends[after].number = ends[i].place; /* where the node appears first */
        for (uint32_t k = i; k < after; k++)
            ends[k].host = after - i == 1;
    }
    qsort(ends, edges->count, sizeof *ends, by_place);
    for (uint32_t i = 0; i < edges->count; i++)
        ends[i].number = ends[i].number != i ? ends[ends[i].number].number
                         : ends[i].host      ? edges->hosts++
                                             : edges->switches++;
}

static bool put_count(struct edges *edges, struct node *map, const char *key, uint32_t count)
{
    char text[16];
    snprintf(text, sizeof text, "%u", count);
    return node_add_key(map, key, node_scalar(edges->arena, text)) != NULL;
}

static bool name_end(struct edges *edges, struct node *node, const struct edge_end *end)
{
    char name[16];
    snprintf(name, sizeof name, "%c%u", end->host ? 'h' : 's', end->number);
    return (node->text = arena_text(edges->arena, name, strlen(name))) != NULL;
}

/* The ends of links under the names of the scenario, and the map around them. */
static struct node *finish(struct edges *edges, struct columns *in)
{
    if (!number_as_named(edges)) {
        if (edges->is_switch == NULL)
            number_by_links(edges);
        else if (!number_as_hpcc(edges, in))
            return NULL;
    }
    struct node *map = node_collection(edges->arena, NODE_MAP);
    bool good = map != NULL && node_add_key(map, "kind", node_scalar(edges->arena, "explicit")) != NULL &&
                put_count(edges, map, "hosts", edges->hosts) && put_count(edges, map, "switches", edges->switches);
    const struct edge_end *end = edges->ends;
    for (struct node *link = edges->links->first; good && link != NULL; link = link->next)
        good = name_end(edges, link->first, end++) && name_end(edges, link->first->next, end++);
    if (!good || node_add_key(map, "links", edges->links) == NULL) {
        weir_fail_memory(in->error);
        return NULL;
    }
    return map;
}

const struct node *read_edge_list(struct build *build, const struct node *at)
{
    struct reader *reader = &build->reader;
    const struct read_image_of what = {"file", at->text};
    struct read_image image = {NULL, 0};
    struct edges edges = {.arena = reader->arena, .links = node_collection(reader->arena, NODE_LIST)};
    struct node *map = NULL;
    const char *path = NULL;
    if (edges.links == NULL)
        weir_fail_memory(reader->error);
    else if (!read_image(build, at, &what, &path, &image))
        map = NULL;
    else if (htsim_is((const char *)image.bytes, image.size))
        map = htsim_read_topology(build, at, (const char *)image.bytes, image.size, path);
    else {
        struct columns in = {.columns = edge_columns,
                             .count = EDGE_COLUMNS,
                             .text = (const char *)image.bytes,
                             .size = image.size,
                             .mark = {.origin = path},
                             .error = reader->error};
        bool good = true;
        read_hpcc_head(&edges, in.text, in.size, &in.at, &in.mark.line);
        while (good && columns_next(&in))
            good = add_link(&edges, &in) || weir_fail_memory(reader->error);
        if (good && !in.failed && edges.count == 0)
            reader_fail(reader, at, "file: '%s': no links in it", error_text(at->text).text);
        else if (good && !in.failed)
            map = finish(&edges, &in);
    }
    if (map != NULL)
        map->mark = at->mark;
    else
        reader_place(reader, at, NULL);
    free(edges.ends);
    free(image.bytes);
    return map;
}

/*
 * edge_list.c - a network from a file with a link per row: two nodes, a rate, a delay. It becomes the map of a topology
 * of kind explicit, as if the scenario had listed the links.
 *
 * Which nodes are hosts, and their numbers:
 * - nodes called h0, h1, ... and s0, s1, ... are what their names say;
 * - in a file of HPCC's simulator, whose first line has three numbers (nodes, switches, links) and whose second one
 *   lists the switches, all others are hosts, numbered by their own numbers;
 * - in one of SimAI the first line has five numbers (nodes, hosts of a server, switches within servers, other switches,
 *   links) and a name; those within servers come first in the second line. They and their links become the inner
 *   network of servers, of the sum of a host's rates and the delay of two links;
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

/* What a file of SimAI says of servers. */
struct inner {
    uint32_t hosts;     /* of a server; 0: another form */
    bool *is_inner;     /* [nodes]: switches within servers */
    uint32_t *at;       /* [nodes]: of a host, the last of these that it is linked to, + 1 */
    uint32_t *count;    /* [nodes]: of a host, links to them */
    uint32_t *others;   /* [nodes]: and other links */
    int64_t rate, time; /* of each of them, in bit/s and ps */
    struct mark mark;   /* of the first of them; line 0: there is none */
};

struct edges {
    struct arena *arena;
    struct node *links;    /* of the map */
    struct edge_end *ends; /* [2 * links] */
    uint32_t count, room;  /* ends */
    uint32_t hosts, switches;
    bool *is_switch; /* [nodes], of HPCC's form; null: another one */
    uint32_t nodes, links_said, links_found;
    struct inner inner;
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

static bool is_whole(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 9 && text[digits] == '\0';
}

static uint32_t node_number(const struct edges *edges, const char *name)
{
    uint32_t node = is_whole(name) ? (uint32_t)strtoul(name, NULL, 10) : edges->nodes;
    return node < edges->nodes ? node : edges->nodes;
}

static bool fail_link(const struct columns *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail_link(const struct columns *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(in->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    return weir_fail_at(in->error, in->mark.origin, in->mark.line, 1);
}

static bool take_value(const struct columns *in, unsigned column, enum key_kind kind, int64_t *value)
{
    const struct key key = {.name = edge_columns[column].names[0], .kind = kind, .min = 1, .max = INT64_MAX / 1024};
    return key_parse(&key, &(struct key_scale){0}, in->cell[column], value, in->error) ||
           weir_fail_at(in->error, in->mark.origin, in->mark.line, 1);
}

/* A link of a file of SimAI. *inside: it is one within a server, and is no link of the network. */
static bool look_inside(struct edges *edges, const struct columns *in, bool *inside)
{
    struct inner *inner = &edges->inner;
    const uint32_t ends[] = {node_number(edges, in->cell[EDGE_A]), node_number(edges, in->cell[EDGE_B])};
    *inside = false;
    if (ends[0] == edges->nodes || ends[1] == edges->nodes)
        return true; /* found out later */
    *inside = inner->is_inner[ends[0]] || inner->is_inner[ends[1]];
    const uint32_t host = inner->is_inner[ends[0]] ? ends[1] : ends[0], sw = host == ends[0] ? ends[1] : ends[0];
    int64_t rate, time;
    if (!*inside) {
        inner->others[ends[0]]++;
        inner->others[ends[1]]++;
        return true;
    }
    if (edges->is_switch[host])
        return fail_link(in, "links switch %u within a server to switch %u (expected a host: 0 to %u, of one server)",
                         sw, host, edges->nodes - 1);
    if (!take_value(in, EDGE_RATE, KEY_RATE, &rate) || !take_value(in, EDGE_DELAY, KEY_TIME, &time))
        return false;
    if (inner->mark.line > 0 && (rate != inner->rate || time != inner->time))
        return fail_link(in,
                         "rate or delay differ from those of line %u (expected the same for all links within servers)",
                         inner->mark.line);
    if (inner->mark.line == 0)
        inner->mark = in->mark;
    inner->rate = rate;
    inner->time = time;
    inner->at[host] = sw + 1;
    inner->count[host]++;
    return true;
}

static bool add_link(struct edges *edges, const struct columns *in)
{
    bool inside = false;
    edges->links_found++;
    if (edges->inner.hosts > 0 && !look_inside(edges, in, &inside))
        return false;
    if (inside)
        return true;
    struct node *link = node_collection(edges->arena, NODE_MAP);
    if (link != NULL)
        link->mark = in->mark;
    bool good = node_add(edges->links, link) != NULL && put_value(edges, in, link, EDGE_A, "a") &&
                put_value(edges, in, link, EDGE_B, "b") && put_value(edges, in, link, EDGE_RATE, "rate") &&
                put_value(edges, in, link, EDGE_DELAY, "delay") && put_value(edges, in, link, EDGE_LOSS, "loss") &&
                ends_add(edges, in->cell[EDGE_A]) && ends_add(edges, in->cell[EDGE_B]);
    return good || weir_fail_memory(in->error);
}

/* The two lines before the links in HPCC's form; `at` moves behind them. False: the text has another form. */
static bool read_hpcc_head(struct edges *edges, const char *text, size_t size, size_t *at, uint32_t *line)
{
    unsigned nodes, switches, links, server, inner = 0;
    int used = 0;
    char head[128];
    const char *newline = memchr(text, '\n', size);
    if (newline == NULL || newline - text >= (long)sizeof head)
        return false;
    snprintf(head, sizeof head, "%.*s", (int)(newline - text), text);
    bool simai = sscanf(head, "%8u %8u %8u %8u %8u %n", &nodes, &server, &inner, &switches, &links, &used) == 5 &&
                 strcspn(head + used, " \t\r") + strspn(head + used + strcspn(head + used, " \t\r"), " \t\r") ==
                     strlen(head + used);
    if (!simai && (sscanf(head, "%8u %8u %8u %n", &nodes, &switches, &links, &used) != 3 || head[used] != '\0'))
        return false;
    inner = simai ? inner : 0;
    if (nodes > TOPOLOGY_NODES_MAX || switches > nodes || inner > nodes - switches)
        return false;
    switches += inner;
    bool *is_switch = arena_take_array(edges->arena, nodes + 1, sizeof *is_switch);
    bool *is_inner = arena_take_array(edges->arena, nodes + 1, sizeof *is_inner);
    const char *from = newline + 1, *end = text + size;
    for (unsigned i = 0; i < switches && is_switch != NULL && is_inner != NULL; i++) {
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
        is_inner[number] = i < inner;
    }
    edges->is_switch = is_switch;
    edges->nodes = nodes;
    edges->links_said = links;
    if (simai)
        edges->inner = (struct inner){.hosts = server > 0 ? server : 1,
                                      .is_inner = is_inner,
                                      .at = arena_take_array(edges->arena, nodes + 1, sizeof(uint32_t)),
                                      .count = arena_take_array(edges->arena, nodes + 1, sizeof(uint32_t)),
                                      .others = arena_take_array(edges->arena, nodes + 1, sizeof(uint32_t))};
    newline = memchr(from, '\n', (size_t)(end - from));
    *at = newline != NULL ? (size_t)(newline + 1 - text) : size;
    *line = 2;
    return is_switch != NULL && is_inner != NULL &&
           (!simai || (edges->inner.at != NULL && edges->inner.count != NULL && edges->inner.others != NULL));
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
        if (edges->inner.hosts == 0 || !edges->inner.is_inner[i])
            number[i] = edges->is_switch[i] ? edges->switches++ : edges->hosts++;
    for (uint32_t i = 0; number != NULL && i < edges->count; i++) {
        struct edge_end *end = &edges->ends[i];
        uint32_t node = node_number(edges, end->name);
        if (node == edges->nodes)
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

/* Servers of a file of SimAI: all alike, and each host with one link besides. */
static bool put_server(struct edges *edges, struct node *map, const struct columns *in)
{
    const struct inner *inner = &edges->inner;
    uint32_t host = 0, links = 0;
    char text[48];
    for (uint32_t node = 0; node < edges->nodes; node++) {
        if (edges->is_switch[node])
            continue;
        if (inner->others[node] != 1) {
            weir_fail(in->error, WEIR_ERROR_MALFORMED,
                      "node %u, a host, has %u links to switches outside of its server (expected 1: of a dual-ToR "
                      "network, keep one plane)",
                      node, inner->others[node]);
            return weir_fail_at(in->error, in->mark.origin, 1, 1);
        }
        links = host == 0 ? inner->count[node] : links;
        uint32_t first = host - host % inner->hosts; /* hosts come first, or this is found out here */
        if (inner->count[node] != links || (links == 1 && host > first && inner->at[node] != inner->at[node - 1])) {
            weir_fail(
                in->error, WEIR_ERROR_MALFORMED,
                "node %u, a host, is linked to other switches within servers than node %u (expected %u hosts that "
                "follow each other in each server, as the first line says)",
                node, node > 0 ? node - 1 : node, inner->hosts);
            return weir_fail_at(in->error, in->mark.origin, 1, 1);
        }
        host++;
    }
    if (links == 0 || inner->hosts < 2)
        return true;
    bool good = put_count(edges, map, "server", inner->hosts);
    snprintf(text, sizeof text, "%lldMbps", (long long)(inner->rate / 1000000 * links));
    good = good && node_add_key(map, "server_rate", node_scalar(edges->arena, text)) != NULL;
    snprintf(text, sizeof text, "%lldps", (long long)(2 * inner->time));
    good = good && node_add_key(map, "server_delay", node_scalar(edges->arena, text)) != NULL;
    return good || weir_fail_memory(in->error);
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
    if (edges->is_switch != NULL && edges->links_found < edges->links_said) {
        weir_fail(in->error, WEIR_ERROR_MALFORMED, "ends after %u links (expected %u, as the first line says)",
                  edges->links_found, edges->links_said);
        weir_fail_at(in->error, in->mark.origin, in->mark.line, 1);
        return NULL;
    }
    return edges->inner.hosts == 0 || put_server(edges, map, in) ? map : NULL;
}

struct node *read_edge_list(struct build *build, const struct node *at)
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
            good = add_link(&edges, &in);
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

/*
 * routes.c - see routes.h. For each switch that has hosts, breadth-first search over the links that are up gives every
 * switch its distance; the ports that lead one step nearer are its equal-cost group.
 *
 * Most groups of a switch are equal (all of a leaf's destinations lie behind all of its spines), so a group that equals
 * the last one of the same switch shares its ports. That keeps a fat-tree of 32-port switches at 6 MB.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/topology/routes.h"

#define FAR UINT32_MAX

/* A port of a switch that leads to another switch by a link that is up. */
struct edge {
    uint32_t port, to;
};

/* Memory of one computation. */
struct search {
    uint32_t *edge_first;      /* [switches + 1]: into edges */
    struct edge *edges;        /* of switch after switch, by port */
    uint32_t *distance;        /* [switches] to the destination; FAR: not reached */
    uint32_t *queue;           /* [switches] as they are discovered */
    struct routes_group *last; /* [switches]: the last group that is not empty */
};

static void search_list_edges(struct search *search, const struct routes *r, const struct topology *t,
                              const bool *link_up)
{
    uint32_t count = 0;
    for (uint32_t sw = 0; sw < r->switches; sw++) {
        search->edge_first[sw] = count;
        for (uint32_t i = r->port_first[sw]; i < r->port_first[sw + 1]; i++) {
            uint32_t link = r->port_link[i], to = topology_far_end(&t->links[link], t->hosts + sw);
            if (to >= t->hosts && (!link_up || link_up[link]))
                search->edges[count++] = (struct edge){i - r->port_first[sw], to - t->hosts};
        }
    }
    search->edge_first[r->switches] = count;
}

static void search_distances(struct search *search, uint32_t switches, uint32_t destination)
{
    uint32_t found = 1;
    memset(search->distance, 0xff, switches * sizeof *search->distance);
    search->queue[0] = destination;
    search->distance[destination] = 0;
    for (uint32_t next = 0; next < found; next++) {
        uint32_t at = search->queue[next];
        for (uint32_t e = search->edge_first[at]; e < search->edge_first[at + 1]; e++) {
            uint32_t to = search->edges[e].to;
            if (search->distance[to] != FAR)
                continue;
            search->distance[to] = search->distance[at] + 1;
            search->queue[found++] = to;
        }
    }
}

static bool routes_make_room(struct routes *r, uint32_t count)
{
    if (r->port_room - r->port_count >= count)
        return true;
    if (r->port_room > UINT32_MAX / 2 - count)
        return false;
    uint32_t room = 2 * r->port_room + count;
    uint32_t *ports = realloc(r->ports, room * sizeof *ports);
    if (!ports)
        return false;
    r->ports = ports;
    r->port_room = room;
    return true;
}

/* The neighbour that a pin chooses among the next steps; FAR: none. */
static uint32_t pinned_step(const struct routes *r, const struct search *search, uint32_t at, uint32_t to)
{
    for (uint32_t i = 0; i < r->pin_count; i++) {
        const struct routes_pin *pin = &r->pins[i];
        if (pin->at != at || pin->to != to || search->distance[pin->via] != search->distance[at] - 1)
            continue;
        for (uint32_t e = search->edge_first[at]; e < search->edge_first[at + 1]; e++)
            if (search->edges[e].to == pin->via)
                return pin->via;
    }
    return FAR;
}

/* The group of one switch, written behind all others and taken back when it equals the switch's last one. */
static bool routes_add_group(struct routes *r, const struct search *search, uint32_t at, uint32_t to)
{
    struct routes_group *group = &r->group[(size_t)at * r->columns + to];
    uint32_t begin = search->edge_first[at], end = search->edge_first[at + 1], first = r->port_count;
    struct routes_group *last = &search->last[at];
    *group = (struct routes_group){0};
    if (search->distance[at] == FAR || search->distance[at] == 0)
        return true;
    if (!routes_make_room(r, end - begin))
        return false;
    uint32_t pinned = pinned_step(r, search, at, to);
    for (const struct edge *edge = &search->edges[begin]; edge < &search->edges[end]; edge++)
        if (search->distance[edge->to] == search->distance[at] - 1 && (pinned == FAR || edge->to == pinned))
            r->ports[r->port_count++] = edge->port;
    uint32_t count = r->port_count - first;
    if (count == last->count && memcmp(&r->ports[first], &r->ports[last->first], count * sizeof *r->ports) == 0)
        r->port_count = first;
    else
        *last = (struct routes_group){first, count};
    *group = *last;
    return true;
}

static bool routes_search(struct routes *r, struct search *search)
{
    r->port_count = 0;
    if (!routes_make_room(r, 1))
        return false;
    r->ports[r->port_count++] = ROUTES_NO_PORT; /* where a group without ports leads */
    for (uint32_t to = 0; to < r->columns; to++) {
        search_distances(search, r->switches, to);
        for (uint32_t at = 0; at < r->switches; at++)
            if (!routes_add_group(r, search, at, to))
                return false;
    }
    return true;
}

bool routes_compute(struct routes *r, const struct topology *t, const bool *link_up)
{
    struct search search;
    search.edge_first = malloc(((size_t)r->switches + 1) * sizeof *search.edge_first);
    search.edges = malloc(r->port_first[r->switches] * sizeof *search.edges);
    search.distance = malloc(r->switches * sizeof *search.distance);
    search.queue = malloc(r->switches * sizeof *search.queue);
    search.last = calloc(r->switches, sizeof *search.last);
    bool done = search.edge_first && search.edges && search.distance && search.queue && search.last;
    if (done) {
        search_list_edges(&search, r, t, link_up);
        done = routes_search(r, &search);
    }
    free(search.edge_first);
    free(search.edges);
    free(search.distance);
    free(search.queue);
    free(search.last);
    return done;
}

static void routes_find_hosts(struct routes *r, const struct topology *t)
{
    for (uint32_t sw = 0; sw < t->switches; sw++) {
        for (uint32_t i = r->port_first[sw]; i < r->port_first[sw + 1]; i++) {
            uint32_t to = topology_far_end(&t->links[r->port_link[i]], t->hosts + sw);
            if (to >= t->hosts)
                continue;
            r->host_switch[to] = sw;
            r->host_port[to] = i - r->port_first[sw];
            r->columns = sw + 1;
        }
    }
}

bool routes_init(struct routes *r, const struct topology *t, struct routes_hash hash)
{
    *r = (struct routes){.hosts = t->hosts, .switches = t->switches, .modulo = hash.modulo};
    r->host_switch = calloc(t->hosts, sizeof *r->host_switch);
    r->host_port = calloc(t->hosts, sizeof *r->host_port);
    r->port_first = calloc((size_t)t->switches + 1, sizeof *r->port_first);
    r->port_link = calloc(2 * (size_t)t->link_count, sizeof *r->port_link);
    r->salt = calloc(t->switches, sizeof *r->salt);
    uint32_t *next = calloc(t->switches, sizeof *next);
    bool done = r->host_switch && r->host_port && r->port_first && r->port_link && r->salt && next;
    if (done) {
        for (uint32_t sw = 0; sw < t->switches; sw++)
            r->salt[sw] = routes_salt(hash.seed, t->hosts + (hash.unsalted ? 0 : sw));
        /* Numbers the ports of every switch as the links are listed; `next` [switches] is where its next one goes. */
        for (uint32_t i = 0; i < 2 * t->link_count; i++) {
            uint32_t from = i % 2 ? t->links[i / 2].b : t->links[i / 2].a;
            if (from >= t->hosts)
                r->port_first[from - t->hosts + 1]++;
        }
        for (uint32_t sw = 0; sw < t->switches; sw++) {
            r->port_first[sw + 1] += r->port_first[sw];
            next[sw] = r->port_first[sw];
        }
        for (uint32_t i = 0; i < 2 * t->link_count; i++) {
            uint32_t from = i % 2 ? t->links[i / 2].b : t->links[i / 2].a;
            if (from >= t->hosts)
                r->port_link[next[from - t->hosts]++] = i / 2;
        }
        routes_find_hosts(r, t);
        r->group = calloc((size_t)r->switches * r->columns, sizeof *r->group);
        done = r->group && routes_compute(r, t, NULL);
    }
    free(next);
    if (!done)
        routes_free(r);
    return done;
}

void routes_free(struct routes *r)
{
    free(r->host_switch);
    free(r->host_port);
    free(r->port_first);
    free(r->port_link);
    free(r->salt);
    free(r->group);
    free(r->ports);
    *r = (struct routes){0};
}

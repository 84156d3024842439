/*
 * routes.c - see routes.h. For each switch that has hosts, breadth-first search over the links that are up gives every
 * switch its distance; the ports that lead one step nearer are its equal-cost group.
 *
 * Where the topology knows its ways, only exceptions are searched. A failed link takes a port from groups at its two
 * ends. While these are not empty, every switch has a next step that is as near as before, so that no distance changes,
 * and no other group. Where one is empty, its destination is searched.
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
    uint32_t *edge_first; /* [switches + 1]: into edges */
    struct edge *edges;   /* of switch after switch, by port */
    uint32_t *distance;   /* [switches] to the destination; FAR: not reached */
    uint32_t *queue;      /* [switches] as they are discovered */
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

/* Room for so many rows; false: out of memory. */
static bool routes_reserve(struct routes *r, uint32_t room)
{
    if (room <= r->row_room)
        return true;
    struct routes_group *group = realloc(r->group, (size_t)room * r->columns * sizeof *group);
    r->group = group ? group : r->group;
    uint32_t *members = realloc(r->members, room * sizeof *members);
    r->members = members ? members : r->members;
    struct routes_split *split = realloc(r->split, room * sizeof *split);
    r->split = split ? split : r->split;
    if (!group || !members || !split)
        return false;
    r->row_room = room;
    return true;
}

/* The ports lead where those of the group lead. */
static bool routes_equal(const struct routes *r, struct routes_group a, struct routes_group b)
{
    return a.count == b.count && memcmp(&r->ports[a.first], &r->ports[b.first], a.count * sizeof *r->ports) == 0;
}

/* A switch leaves a row of several, for what was split off it, or for a copy of its own. False: out of memory. */
static bool routes_leave(struct routes *r, uint32_t at, struct routes_split *split, bool joins)
{
    const uint32_t row = r->row[at], columns = r->columns;
    if (!joins) {
        if (r->rows == r->row_room && !routes_reserve(r, 2 * r->row_room < r->switches ? 2 * r->row_room : r->switches))
            return false;
        split->row = r->rows++;
        r->members[split->row] = 0;
        r->split[split->row] = (struct routes_split){0, ROUTES_NO_ROW};
        memcpy(&r->group[(size_t)split->row * columns], &r->group[(size_t)row * columns], columns * sizeof *r->group);
    }
    r->members[row]--;
    r->members[split->row]++;
    r->row[at] = split->row;
    return true;
}

/*
 * The last `count` of r->ports are the group of a switch towards another. They are taken back where an equal group is
 * near. `search`: of all switches towards this one; those that leave a row for the same group stay together then.
 * False: out of memory.
 */
static bool routes_set(struct routes *r, uint32_t at, uint32_t to, uint32_t count, bool search)
{
    const uint32_t row = r->row[at], columns = r->columns;
    const struct routes_group *of = &r->group[(size_t)row * columns];
    struct routes_split split = r->split[row];
    const bool together = search && split.row != ROUTES_NO_ROW && split.to == to;
    struct routes_group group = {count > 0 ? r->port_count - count : 0, count};
    const struct routes_group near[] = {of[to], of[to > 0 ? to - 1 : 0],
                                        together ? r->group[(size_t)split.row * columns + to] : of[to]};
    for (uint32_t i = 0; i < 3 && count > 0; i++) {
        if (!routes_equal(r, group, near[i]))
            continue;
        r->port_count -= count;
        group = near[i];
        break;
    }
    if (count == of[to].count && group.first == of[to].first)
        return true;
    if (r->members[row] > 1) {
        const bool joins = together && count == near[2].count && group.first == near[2].first;
        split.to = to;
        if (!routes_leave(r, at, &split, joins))
            return false;
        if (search)
            r->split[row] = split;
    }
    r->group[(size_t)r->row[at] * columns + to] = group;
    return true;
}

/* Every switch has a row of its own without groups, or shares the one of its kind. */
static bool routes_start(struct routes *r, const struct topology *t)
{
    uint32_t most = 0;
    r->rows = r->port_count = 0;
    for (uint32_t sw = 0; sw < r->switches; sw++) {
        uint32_t ports = r->port_first[sw + 1] - r->port_first[sw];
        most = ports > most ? ports : most;
    }
    if (!routes_make_room(r, 1 + most))
        return false;
    r->ports[r->port_count++] = ROUTES_NO_PORT; /* where a group without ports leads */
    for (uint32_t port = 0; t->ways && port < most; port++)
        r->ports[r->port_count++] = port;
    for (uint32_t sw = 0; sw < r->switches; sw++) {
        r->row[sw] = t->ways ? t->ways->row(t, sw) : sw;
        r->rows = r->row[sw] >= r->rows ? r->row[sw] + 1 : r->rows;
    }
    if (!routes_reserve(r, r->rows))
        return false;
    for (uint32_t row = 0; row < r->rows; row++) {
        r->members[row] = 0;
        r->split[row] = (struct routes_split){0, ROUTES_NO_ROW};
    }
    for (uint32_t sw = 0; sw < r->switches; sw++) {
        struct routes_group *group = &r->group[(size_t)r->row[sw] * r->columns];
        if (r->members[r->row[sw]]++ > 0)
            continue;
        for (uint32_t to = 0; to < r->columns; to++) {
            struct topology_ports ports = t->ways ? t->ways->towards(t, sw, to) : (struct topology_ports){0, 0};
            group[to] = (struct routes_group){ports.count > 0 ? 1 + ports.first : 0, ports.count};
        }
    }
    return true;
}

/* What a search found, of one destination. */
static bool routes_set_found(struct routes *r, const struct search *search, uint32_t to)
{
    for (uint32_t at = 0; at < r->switches; at++) {
        uint32_t begin = search->edge_first[at], end = search->edge_first[at + 1], first = r->port_count;
        if (at == to)
            continue;
        if (!routes_make_room(r, end - begin))
            return false;
        for (const struct edge *edge = &search->edges[begin]; edge < &search->edges[end]; edge++)
            if (search->distance[at] != FAR && search->distance[edge->to] == search->distance[at] - 1)
                r->ports[r->port_count++] = edge->port;
        if (!routes_set(r, at, to, r->port_count - first, true))
            return false;
    }
    return true;
}

/* A switch towards another, without ports whose link is down; by way of `via` alone, unless that is FAR or nowhere
 * near. */
static bool routes_narrow(struct routes *r, const struct topology *t, const bool *link_up, uint32_t at, uint32_t to,
                          uint32_t via)
{
    struct routes_group group = routes_group(r, at, to);
    if (!routes_make_room(r, group.count))
        return false;
    uint32_t first = r->port_count;
    for (uint32_t i = 0; i < group.count; i++) {
        uint32_t port = r->ports[group.first + i], link = r->port_link[r->port_first[at] + port];
        bool leads = via == FAR || topology_far_end(&t->links[link], t->hosts + at) == t->hosts + via;
        if (leads && (!link_up || link_up[link]))
            r->ports[r->port_count++] = port;
    }
    uint32_t count = r->port_count - first;
    return via != FAR && count == 0 ? true : routes_set(r, at, to, count, false);
}

/* What failed links change at their ends; the destinations that lose their last port there are to be searched. */
static bool routes_fail(struct routes *r, const struct topology *t, const bool *link_up, bool *searched)
{
    for (uint32_t i = 0; link_up && i < 2 * t->link_count; i++) {
        uint32_t at = (i % 2 ? t->links[i / 2].a : t->links[i / 2].b) - t->hosts;
        bool between = t->links[i / 2].a >= t->hosts && t->links[i / 2].b >= t->hosts;
        for (uint32_t to = 0; between && !link_up[i / 2] && to < r->columns; to++) {
            if (at == to || searched[to])
                continue;
            if (!routes_narrow(r, t, link_up, at, to, FAR))
                return false;
            searched[to] = routes_group(r, at, to).count == 0;
        }
    }
    return true;
}

/* All but pins; `searched` [columns] is false. */
static bool routes_find(struct routes *r, const struct topology *t, const bool *link_up, struct search *search,
                        bool *searched)
{
    if (!routes_start(r, t))
        return false;
    if (!t->ways)
        memset(searched, true, r->columns * sizeof *searched);
    else if (!routes_fail(r, t, link_up, searched))
        return false;
    bool any = false;
    for (uint32_t to = 0; to < r->columns; to++) {
        if (!searched[to])
            continue;
        if (!any)
            search_list_edges(search, r, t, link_up);
        any = true;
        search_distances(search, r->switches, to);
        if (!routes_set_found(r, search, to))
            return false;
    }
    return true;
}

bool routes_compute(struct routes *r, const struct topology *t, const bool *link_up)
{
    struct search search;
    bool *searched = calloc(r->columns, sizeof *searched);
    search.edge_first = malloc(((size_t)r->switches + 1) * sizeof *search.edge_first);
    search.edges = malloc(r->port_first[r->switches] * sizeof *search.edges);
    search.distance = malloc(r->switches * sizeof *search.distance);
    search.queue = malloc(r->switches * sizeof *search.queue);
    bool done = searched && search.edge_first && search.edges && search.distance && search.queue &&
                routes_find(r, t, link_up, &search, searched);
    /* The first of several pins that lead on wins: behind it no other one finds a port. */
    for (uint32_t i = 0; done && i < r->pin_count; i++)
        if (r->pins[i].at != r->pins[i].to && r->pins[i].to < r->columns)
            done = routes_narrow(r, t, link_up, r->pins[i].at, r->pins[i].to, r->pins[i].via);
    free(searched);
    free(search.edge_first);
    free(search.edges);
    free(search.distance);
    free(search.queue);
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
    r->row = calloc(t->switches, sizeof *r->row);
    uint32_t *next = calloc(t->switches, sizeof *next);
    bool done = r->host_switch && r->host_port && r->port_first && r->port_link && r->salt && r->row && next;
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
        done = routes_compute(r, t, NULL);
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
    free(r->row);
    free(r->group);
    free(r->members);
    free(r->split);
    free(r->ports);
    *r = (struct routes){0};
}

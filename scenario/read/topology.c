/*
 * topology.c - `topology`: the shape of the network, and the names of its nodes. Hosts are h0, h1, ..., switches
 * s0, s1, ..., numbered as sim/topology/topology.h says. The kinds and their keys are those of topology's registry.
 */
#include <string.h>

#include "scenario/read/read.h"

#define NODES_UNKNOWN (1u << 24) /* more than any topology has */

/* A link as read. */
struct link_read {
    struct topology_link link;
    double loss;
};

static const struct key link_keys[] = {
    {.name = "a", .kind = KEY_NODE, .required = true, KEY_FIELD(struct link_read, link.a), .help = "One end."},
    {.name = "b", .kind = KEY_NODE, .required = true, KEY_FIELD(struct link_read, link.b), .help = "The other end."},
    {.name = "rate",
     .kind = KEY_RATE,
     KEY_FIELD(struct link_read, link.rate_bps),
     .min = WEIR_RATE_BPS_MIN,
     .max = WEIR_RATE_BPS_MAX,
     .help = "Rate of both directions."},
    {.name = "delay",
     .kind = KEY_TIME,
     KEY_FIELD(struct link_read, link.delay_ps),
     .max = WEIR_PS_PER_S,
     .help = "Propagation delay, one way."},
    {.name = "loss",
     .kind = KEY_REAL,
     .later = true,
     KEY_FIELD(struct link_read, loss),
     .max = KEY_BILLION,
     .help = "Chance that it loses a packet, in either direction; 0: that of `wire`."},
};

const struct section link_section = {
    .name = "links",
    SECTION_KEYS(struct link_read, link_keys),
    .initial = &(const struct link_read){.link = {.rate_bps = 10000000000, .delay_ps = WEIR_PS_PER_US}},
    .place = "topology.links[]",
    .help = "A link of a topology of kind explicit. A host has exactly one.",
};

static const char *topology_kind(uint32_t kind)
{
    return topology_kinds[kind] != NULL ? topology_kinds[kind]->name : NULL;
}

static uint32_t explicit_number(void)
{
    uint32_t kind = 0;
    while (topology_kinds[kind] != &topology_kind_explicit)
        kind++;
    return kind;
}

/* Of every kind, behind what the builders take. */
#define SERVER_FIELD(field)                                                                                            \
    .offset = TOPOLOGY_SHAPE_BYTES + offsetof(struct topology_server, field),                                          \
    .size = sizeof(((struct topology_server *)0)->field)

static const struct key server_keys[] = {
    {.name = "server",
     .kind = KEY_COUNT,
     .later = true,
     SERVER_FIELD(hosts),
     .min = 2,
     .max = TOPOLOGY_NODES_MAX,
     .word = "none",
     .word_value = 0,
     .help = "Hosts of a server, which follow each other: messages of jobs between them take an inner network instead "
             "of links. Other traffic knows no servers."},
    {.name = "server_rate",
     .kind = KEY_RATE,
     .later = true,
     SERVER_FIELD(rate_bps),
     .min = WEIR_RATE_BPS_MIN,
     .max = WEIR_RATE_BPS_MAX,
     .word = "instant",
     .word_value = 0,
     .help = "At which a host sends to others of its server, one message after another."},
    {.name = "server_delay",
     .kind = KEY_TIME,
     .later = true,
     SERVER_FIELD(delay_ps),
     .min = 1,
     .max = WEIR_PS_PER_S,
     .help = "From a message's last byte to its arrival at another host of the server. A run is slower where it is "
             "less than the delay of links."},
};

static const char *const edge_file[] = {"name of a file with a link per row", NULL};

/* The settings of one kind after the other, then the file that stands for those of kind explicit. */
static bool topology_key(uint32_t i, struct key *key)
{
    for (uint32_t kind = 0; topology_kinds[kind] != NULL; kind++) {
        const struct setting_table *settings = &topology_kinds[kind]->settings;
        if (i < settings->count) {
            *key = key_of_setting(&settings->at[i], 0);
            key->kinds = UINT32_C(1) << kind;
            key->of = settings->at[i].unit == SETTING_LINKS ? &link_section : NULL;
            key->nesting = KEY_LIST_OF_SECTIONS;
            return true;
        }
        i -= settings->count;
    }
    *key =
        (struct key){.name = "file",
                     .kind = KEY_OTHER,
                     .later = true,
                     .kinds = UINT32_C(1) << explicit_number(),
                     .choices = edge_file,
                     .help = "Instead of `hosts`, `switches` and `links`: a file beside the scenario with a link per "
                             "row: two nodes, rate, delay, loss."};
    if (i > 0 && i <= KEYS_COUNT(server_keys))
        *key = server_keys[i - 1];
    return i <= KEYS_COUNT(server_keys);
}

static void topology_defaults(void *target, uint32_t kind)
{
    struct topology_server *server = (struct topology_server *)((unsigned char *)target + TOPOLOGY_SHAPE_BYTES);
    settings_init(&topology_kinds[kind]->settings, target);
    *server = (struct topology_server){.delay_ps = WEIR_PS_PER_US};
}

const struct section topology_section = {
    .name = "topology",
    .kind_at = topology_kind,
    .key_at = topology_key,
    .size = TOPOLOGY_SHAPE_BYTES + sizeof(struct topology_server),
    .defaults = topology_defaults,
    .place = "topology",
    .help = "Which nodes there are and how they are wired. Hosts are called h0, h1, ... (leaf by leaf), switches s0, "
            "s1, ... (leaves before spines; edge, aggregation, core).",
};

/* What is read: a kind's settings and the struct that they fill. */
struct shape {
    const struct setting_table *settings;
    _Alignas(16) unsigned char values[TOPOLOGY_SHAPE_BYTES + sizeof(struct topology_server)];
    const struct node *map; /* as written */
    struct node *shown;     /* as effective */
};

/* A count that lists depend on. */
static uint32_t shape_count(const struct shape *shape, const char *name)
{
    const struct setting *setting = settings_find(shape->settings, name);
    return setting != NULL ? (uint32_t)setting_load(setting, shape->values) : 0;
}

static bool show_rates(struct build *build, struct shape *shape, const char *name, const weir_bps *rates)
{
    struct key key = {.kind = KEY_RATE};
    struct node *list = node_collection(build->reader.arena, NODE_LIST);
    char text[64];
    for (uint32_t i = 0; i < shape_count(shape, "hosts"); i++) {
        key_format(&key, &build->reader.scale, rates[i], text);
        if (node_add(list, node_scalar(build->reader.arena, text)) == NULL)
            return weir_fail_memory(build->reader.error);
    }
    return section_put(&build->reader, shape->shown, name, list);
}

/* One rate per host, if they are listed. */
static bool read_rates(struct build *build, struct shape *shape, const struct setting *setting)
{
    const struct node *list = node_find(shape->map, setting->name);
    struct key key = {.name = setting->name, .kind = KEY_RATE, .min = WEIR_RATE_BPS_MIN, .max = WEIR_RATE_BPS_MAX};
    uint32_t count = 0, hosts = shape_count(shape, "hosts");
    if (list == NULL)
        return true;
    if (!reader_expect(&build->reader, list, NODE_LIST, setting->name))
        return false;
    if (list->count != hosts)
        return reader_fail(&build->reader, list, "%s: %u values (expected one per host: %u)", setting->name,
                           list->count, hosts);
    weir_bps *rates = arena_take_array(build->reader.arena, hosts, sizeof *rates);
    if (rates == NULL)
        return weir_fail_memory(build->reader.error);
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        if (!reader_expect(&build->reader, item, NODE_SCALAR, setting->name))
            return false;
        if (!key_parse(&key, &build->reader.scale, item->text, &rates[count++], build->reader.error))
            return reader_place(&build->reader, item, setting->name);
    }
    memcpy(shape->values + setting->offset, &rates, sizeof rates);
    return show_rates(build, shape, setting->name, rates);
}

static bool read_links(struct build *build, struct shape *shape, const struct setting *setting)
{
    struct reader *reader = &build->reader;
    const struct node *list = node_find(shape->map, setting->name);
    if (list == NULL || !reader_expect(reader, list, NODE_LIST, setting->name))
        return false;
    struct topology_link *links = arena_take_array(reader->arena, list->count, sizeof *links);
    double *losses = arena_take_array(reader->arena, list->count, sizeof *losses);
    struct node *all = node_collection(reader->arena, NODE_LIST);
    if (links == NULL || losses == NULL || all == NULL)
        return weir_fail_memory(reader->error);
    reader->scale.hosts = shape_count(shape, "hosts");
    reader->scale.switches = shape_count(shape, "switches");
    uint32_t count = 0;
    bool good = true;
    for (const struct node *item = list->first; item != NULL; item = item->next, count++) {
        struct link_read link;
        section_defaults(&link_section, &link, 0);
        good = section_read(reader, &link_section, item, 0, &link) && good;
        if (!good && !reader_goes_on(reader))
            return false;
        if (node_add(all, section_show(reader, &link_section, 0, &link)) == NULL)
            return weir_fail_memory(reader->error);
        links[count] = link.link;
        losses[count] = link.loss;
    }
    memcpy(shape->values + setting->offset, &links, sizeof links);
    memcpy(shape->values + setting->offset + sizeof links, &count, sizeof count);
    build->scenario->config.link_losses = losses;
    return good && section_put(reader, shape->shown, setting->name, all);
}

/* What is written of servers beside a file replaces what the file says. */
static bool take_server(struct reader *reader, struct node *map, const struct node *written)
{
    for (uint32_t i = 0; i < KEYS_COUNT(server_keys); i++) {
        const struct node *from = node_find(written, server_keys[i].name);
        struct node *to = map->first;
        if (from == NULL || !reader_expect(reader, from, NODE_SCALAR, server_keys[i].name))
            continue;
        while (to != NULL && strcmp(to->key, server_keys[i].name) != 0)
            to = to->next;
        if (to == NULL)
            to = node_add_key(map, server_keys[i].name, node_scalar(reader->arena, from->text));
        if (to == NULL)
            return weir_fail_memory(reader->error);
        to->text = from->text;
        to->mark = from->mark;
        to->key_mark = from->key_mark;
    }
    return true;
}

static bool read_network(struct build *build)
{
    struct reader *reader = &build->reader;
    struct topology *topology = &build->scenario->topology;
    struct shape shape = {.map = node_find(build->root, "topology")};
    uint32_t number = 0;
    if (shape.map == NULL || !section_read_kind(reader, &topology_section, shape.map, &number))
        return false;
    const struct topology_kind *kind = topology_kinds[number];
    const struct node *file = node_find(shape.map, "file");
    if (file != NULL && kind == &topology_kind_explicit) {
        for (const struct node *key = shape.map->first; key != NULL; key = key->next)
            if (key != file && strcmp(key->key, "kind") != 0 && strncmp(key->key, "server", 6) != 0)
                return error_at(
                    reader->error, key->key_mark,
                    "'%s' beside 'file' (expected one of them: the file says which nodes and links there are)",
                    error_text(key->key).text);
        const struct node *written = shape.map;
        struct node *map = reader_expect(reader, file, NODE_SCALAR, "file") ? read_edge_list(build, file) : NULL;
        if (map == NULL || !take_server(reader, map, written))
            return false;
        shape.map = map;
    }
    shape.settings = &kind->settings;
    topology_defaults(shape.values, number);
    if (!section_read(reader, &topology_section, shape.map, number, shape.values))
        return false;
    shape.shown = section_show(reader, &topology_section, number, shape.values);
    if (shape.shown == NULL)
        return weir_fail_memory(reader->error);
    for (uint32_t i = 0; i < shape.settings->count; i++) {
        const struct setting *setting = &shape.settings->at[i];
        if (setting->unit == SETTING_RATES && !read_rates(build, &shape, setting))
            return false;
        if (setting->unit == SETTING_LINKS && !read_links(build, &shape, setting))
            return false;
    }
    if (!kind->build(topology, shape.values, reader->error))
        return reader_place(reader, shape.map, NULL);
    memcpy(&topology->server, shape.values + TOPOLOGY_SHAPE_BYTES, sizeof topology->server);
    for (uint32_t i = 1; topology->server.hosts == 0 && i < KEYS_COUNT(server_keys); i++)
        if (node_find(shape.map, server_keys[i].name) != NULL)
            return reader_fail(reader, node_find(shape.map, server_keys[i].name),
                               "%s: there are no servers (expected 'server' too: how many hosts each has)",
                               server_keys[i].name);
    if (!section_put(reader, build->shown, "topology", shape.shown))
        return false;
    reader->scale.hosts = topology->hosts;
    reader->scale.switches = topology->switches;
    build->tier_names = kind->tiers;
    build->scenario->config.topology = topology;
    return true;
}

/* Of a network that cannot be made, any node may be there. */
bool read_topology(struct build *build)
{
    build->no_network = !read_network(build);
    if (build->no_network)
        build->reader.scale.hosts = build->reader.scale.switches = NODES_UNKNOWN;
    return !build->no_network;
}

/*
 * topology.c - `topology`: the shape of the network, and the names of its nodes. Hosts are h0, h1, ..., switches
 * s0, s1, ..., numbered as sim/topology.h says.
 */
#include <stdio.h>

#include "scenario/read/read.h"

enum { SINGLE, DUMBBELL, LEAF_SPINE, FAT_TREE, EXPLICIT };
enum { IN_SINGLE = 1 << SINGLE, IN_DUMBBELL = 1 << DUMBBELL, IN_LEAF_SPINE = 1 << LEAF_SPINE };
enum { IN_FAT_TREE = 1 << FAT_TREE, IN_EXPLICIT = 1 << EXPLICIT };

static const char *const topology_kinds[] = {"single", "dumbbell", "leaf-spine", "fat-tree", "explicit", NULL};

static const char *const flat_tiers[] = {NULL};
static const char *const leaf_spine_tiers[] = {"leaf", "spine", NULL};
static const char *const fat_tree_tiers[] = {"edge", "aggregation", "core", NULL};
static const char *const explicit_tiers[] = {"tier0", "tier1", "tier2", "tier3", NULL};
static const char *const *const tier_names[] = {flat_tiers, flat_tiers, leaf_spine_tiers, fat_tree_tiers,
                                                explicit_tiers};

struct shape {
    uint32_t hosts, switches, left, right, leaves, spines, hosts_per_leaf, parallel, k;
    weir_bps rate_bps, host_rate_bps, middle_rate_bps, spine_rate_bps;
    weir_ps delay_ps, host_delay_ps, middle_delay_ps, spine_delay_ps;
};

#define DELAY_MAX WEIR_PS_PER_S
#define COUNT_KEY(field, in, text)                                                                                     \
    {                                                                                                                  \
        .name = #field, .kind = KEY_COUNT, .required = true, .kinds = (in), KEY_FIELD(struct shape, field), .min = 1,  \
        .max = TOPOLOGY_NODES_MAX, .help = (text)                                                                      \
    }
#define RATE_KEY(text_name, field, in, text)                                                                           \
    {                                                                                                                  \
        .name = (text_name), .kind = KEY_RATE, .kinds = (in), KEY_FIELD(struct shape, field),                          \
        .min = WEIR_RATE_BPS_MIN, .max = WEIR_RATE_BPS_MAX, .help = (text)                                             \
    }
#define DELAY_KEY(text_name, field, in, text)                                                                          \
    {                                                                                                                  \
        .name = (text_name), .kind = KEY_TIME, .kinds = (in), KEY_FIELD(struct shape, field), .min = 0,                \
        .max = DELAY_MAX, .help = (text)                                                                               \
    }

static const char *const rates_value[] = {"list of rates", NULL};
static const char *const links_value[] = {"list of links", NULL};
static const struct key topology_keys[] = {
    COUNT_KEY(hosts, IN_SINGLE | IN_EXPLICIT, "Number of hosts."),
    COUNT_KEY(switches, IN_EXPLICIT, "Number of switches."),
    COUNT_KEY(left, IN_DUMBBELL, "Hosts of the first switch."),
    COUNT_KEY(right, IN_DUMBBELL, "Hosts of the second switch."),
    COUNT_KEY(leaves, IN_LEAF_SPINE, "Number of leaf switches."),
    COUNT_KEY(spines, IN_LEAF_SPINE, "Number of spine switches."),
    COUNT_KEY(hosts_per_leaf, IN_LEAF_SPINE, "Hosts of each leaf."),
    {.name = "parallel",
     .kind = KEY_COUNT,
     .kinds = IN_LEAF_SPINE,
     KEY_FIELD(struct shape, parallel),
     .min = 1,
     .max = 1024,
     .help = "Links between each leaf and each spine."},
    COUNT_KEY(k, IN_FAT_TREE, "Ports of a switch, an even number; there are k^3/4 hosts."),
    RATE_KEY("rate", rate_bps, IN_SINGLE | IN_FAT_TREE, "Rate of every link."),
    DELAY_KEY("delay", delay_ps, IN_SINGLE | IN_FAT_TREE, "Propagation delay of every link, one way."),
    {.name = "rates",
     .kind = KEY_OTHER,
     .kinds = IN_SINGLE,
     .choices = rates_value,
     .help = "Rate of each host's link, one per host, instead of `rate`."},
    RATE_KEY("host_rate", host_rate_bps, IN_DUMBBELL | IN_LEAF_SPINE, "Rate of the links to hosts."),
    DELAY_KEY("host_delay", host_delay_ps, IN_DUMBBELL | IN_LEAF_SPINE, "Delay of the links to hosts, one way."),
    RATE_KEY("middle_rate", middle_rate_bps, IN_DUMBBELL, "Rate of the link between the switches."),
    DELAY_KEY("middle_delay", middle_delay_ps, IN_DUMBBELL, "Delay of the link between the switches, one way."),
    RATE_KEY("spine_rate", spine_rate_bps, IN_LEAF_SPINE, "Rate of the links between leaves and spines."),
    DELAY_KEY("spine_delay", spine_delay_ps, IN_LEAF_SPINE, "Delay of the links between leaves and spines, one way."),
    {.name = "links",
     .kind = KEY_OTHER,
     .of = &link_section,
     .nesting = KEY_LIST_OF_SECTIONS,
     .kinds = IN_EXPLICIT,
     .required = true,
     .choices = links_value,
     .help = "Every link. The ports of a node are numbered in the order of its links."},
};

static void shape_defaults(void *target, uint32_t kind)
{
    const weir_bps rate = 10000000000;
    const weir_ps delay = WEIR_PS_PER_US;
    (void)kind;
    *(struct shape *)target = (struct shape){.parallel = 1,
                                             .rate_bps = rate,
                                             .host_rate_bps = rate,
                                             .middle_rate_bps = rate,
                                             .spine_rate_bps = rate,
                                             .delay_ps = delay,
                                             .host_delay_ps = delay,
                                             .middle_delay_ps = delay,
                                             .spine_delay_ps = delay};
}

const struct section topology_section = {
    .name = "topology",
    .kinds = topology_kinds,
    .keys = topology_keys,
    .count = KEYS_COUNT(topology_keys),
    .size = sizeof(struct shape),
    .defaults = shape_defaults,
    .place = "topology",
    .help = "Which nodes there are and how they are wired. Hosts are called h0, h1, ... (leaf by leaf), switches s0, "
            "s1, ... (leaves before spines; edge, aggregation, core).",
};

static const struct key link_keys[] = {
    {.name = "a", .kind = KEY_NODE, .required = true, KEY_FIELD(struct topology_link, a), .help = "One end."},
    {.name = "b", .kind = KEY_NODE, .required = true, KEY_FIELD(struct topology_link, b), .help = "The other end."},
    {.name = "rate",
     .kind = KEY_RATE,
     KEY_FIELD(struct topology_link, rate_bps),
     .min = WEIR_RATE_BPS_MIN,
     .max = WEIR_RATE_BPS_MAX,
     .help = "Rate of both directions."},
    {.name = "delay",
     .kind = KEY_TIME,
     KEY_FIELD(struct topology_link, delay_ps),
     .min = 0,
     .max = DELAY_MAX,
     .help = "Propagation delay, one way."},
};

static void link_defaults(void *target, uint32_t kind)
{
    (void)kind;
    *(struct topology_link *)target = (struct topology_link){.rate_bps = 10000000000, .delay_ps = WEIR_PS_PER_US};
}

const struct section link_section = {
    .name = "links",
    .keys = link_keys,
    .count = KEYS_COUNT(link_keys),
    .size = sizeof(struct topology_link),
    .defaults = link_defaults,
    .place = "topology.links[]",
    .help = "A link of a topology of kind explicit. A host has exactly one.",
};

/* The rates of single's hosts, if they are listed. */
static bool read_rates(struct build *build, const struct node *map, const struct shape *shape, weir_bps **rates)
{
    const struct node *list = node_find(map, "rates");
    struct key key = {.name = "rates", .kind = KEY_RATE, .min = WEIR_RATE_BPS_MIN, .max = WEIR_RATE_BPS_MAX};
    uint32_t count = 0;
    *rates = NULL;
    if (list == NULL)
        return true;
    if (!reader_expect(&build->reader, list, NODE_LIST, "rates"))
        return false;
    if (list->count != shape->hosts)
        return reader_fail(&build->reader, list, "rates: %u values (expected one per host: %u)", list->count,
                           shape->hosts);
    *rates = arena_take_array(build->reader.arena, shape->hosts, sizeof **rates);
    if (*rates == NULL)
        return weir_fail_memory(build->reader.error);
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        if (!reader_expect(&build->reader, item, NODE_SCALAR, "rates"))
            return false;
        if (!key_parse(&key, &build->reader.scale, item->text, &(*rates)[count++], build->reader.error))
            return reader_place(&build->reader, item, "rates");
    }
    return true;
}

static bool show_rates(struct build *build, const struct shape *shape, const weir_bps *rates, struct node *shown)
{
    struct key key = {.kind = KEY_RATE};
    struct node *list = node_collection(build->reader.arena, NODE_LIST);
    char text[64];
    for (uint32_t i = 0; i < shape->hosts; i++) {
        key_format(&key, &build->reader.scale, rates[i], text);
        if (node_add(list, node_scalar(build->reader.arena, text)) == NULL)
            return weir_fail_memory(build->reader.error);
    }
    return section_put(&build->reader, shown, "rates", list);
}

static bool build_single(struct build *build, const struct node *map, const struct shape *shape, struct node *shown)
{
    weir_bps *rates;
    if (!read_rates(build, map, shape, &rates) || (rates != NULL && !show_rates(build, shape, rates, shown)))
        return false;
    const struct topology_single single = {shape->hosts, rates, shape->rate_bps, shape->delay_ps};
    return topology_single(&build->scenario->topology, &single, build->reader.error) ||
           reader_place(&build->reader, map, NULL);
}

static bool build_explicit(struct build *build, const struct node *map, const struct shape *shape, struct node *shown)
{
    struct reader *reader = &build->reader;
    const struct node *list = node_find(map, "links");
    if (!reader_expect(reader, list, NODE_LIST, "links"))
        return false;
    struct topology_link *links = arena_take_array(reader->arena, list->count, sizeof *links);
    struct node *all = node_collection(reader->arena, NODE_LIST);
    if (links == NULL || all == NULL)
        return weir_fail_memory(reader->error);
    reader->scale.hosts = shape->hosts;
    reader->scale.switches = shape->switches;
    uint32_t count = 0;
    for (const struct node *item = list->first; item != NULL; item = item->next, count++) {
        link_defaults(&links[count], 0);
        if (!section_read(reader, &link_section, item, 0, &links[count]))
            return false;
        if (node_add(all, section_show(reader, &link_section, 0, &links[count])) == NULL)
            return weir_fail_memory(reader->error);
    }
    if (!section_put(reader, shown, "links", all))
        return false;
    const struct topology_explicit listed = {shape->hosts, shape->switches, links, count};
    return topology_explicit(&build->scenario->topology, &listed, reader->error) || reader_place(reader, map, NULL);
}

static bool build_shape(struct build *build, const struct node *map, const struct shape *s, uint32_t kind)
{
    struct topology *topology = &build->scenario->topology;
    const struct topology_dumbbell dumbbell = {
        s->left, s->right, s->host_rate_bps, s->middle_rate_bps, s->host_delay_ps, s->middle_delay_ps};
    const struct topology_leaf_spine leaf_spine = {s->leaves,        s->spines,        s->hosts_per_leaf,
                                                   s->parallel,      s->host_rate_bps, s->spine_rate_bps,
                                                   s->host_delay_ps, s->spine_delay_ps};
    const struct topology_fat_tree fat_tree = {s->k, s->rate_bps, s->delay_ps};
    bool built = kind == DUMBBELL     ? topology_dumbbell(topology, &dumbbell, build->reader.error)
                 : kind == LEAF_SPINE ? topology_leaf_spine(topology, &leaf_spine, build->reader.error)
                                      : topology_fat_tree(topology, &fat_tree, build->reader.error);
    return built || reader_place(&build->reader, map, NULL);
}

bool read_topology(struct build *build)
{
    struct reader *reader = &build->reader;
    struct shape shape;
    uint32_t kind = 0;
    const struct node *map = node_find(build->root, "topology");
    if (!section_read_kind(reader, &topology_section, map, &kind))
        return false;
    shape_defaults(&shape, kind);
    if (!section_read(reader, &topology_section, map, kind, &shape))
        return false;
    struct node *shown = section_show(reader, &topology_section, kind, &shape);
    if (shown == NULL)
        return weir_fail_memory(reader->error);
    bool built = kind == SINGLE     ? build_single(build, map, &shape, shown)
                 : kind == EXPLICIT ? build_explicit(build, map, &shape, shown)
                                    : build_shape(build, map, &shape, kind);
    if (!built || !section_put(reader, build->shown, "topology", shown))
        return false;
    const struct topology *topology = &build->scenario->topology;
    reader->scale.hosts = topology->hosts;
    reader->scale.switches = topology->switches;
    build->tier_names = tier_names[kind];
    build->scenario->config.topology = topology;
    return true;
}

/*
 * events.c - `failures`, `routes` and `measure`: links that go down and come up, ways that packets take, and queues
 * that are followed. All name a link by its ends, since the numbers of links and ports follow from the topology; users
 * should not count them.
 */

#include "scenario/read/read.h"

struct failure {
    weir_ps when_ps;
    struct read_port place;
    uint32_t state; /* index into down, up */
};

struct probe {
    struct read_port place;
    struct sim_probe probe;
};

static const char *const states[] = {"down", "up", NULL};
static const char *const probes_value[] = {"list of probes", NULL};
static const char *const bins_value[] = {"list of payloads, at most 8", NULL};

#define PLACE_KEYS(type, at_help, to_help)                                                                             \
    {.name = "at", .kind = KEY_NODE, .required = true, KEY_FIELD(type, place.at), .help = (at_help)},                  \
        {.name = "to", .kind = KEY_NODE, .required = true, KEY_FIELD(type, place.to), .help = (to_help)},              \
    {                                                                                                                  \
        .name = "parallel", .kind = KEY_COUNT, KEY_FIELD(type, place.parallel), .max = 1 << 20,                        \
        .help = "Which of several links between the two, from 0."                                                      \
    }

static const struct key failure_keys[] = {
    {.name = "when",
     .kind = KEY_TIME,
     .required = true,
     KEY_FIELD(struct failure, when_ps),
     .max = KEY_TIME_MAX,
     .help = "When the link changes."},
    PLACE_KEYS(struct failure, "One end of the link.", "The other end."),
    {.name = "state",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct failure, state),
     .choices = states,
     .help = "What the link becomes, both directions."},
};

const struct section failure_section = {
    .name = "failures",
    SECTION_KEYS(struct failure, failure_keys),
    .place = "failures[]",
    .help = "A link that goes down, or comes up again.",
};

static const struct key route_keys[] = {
    {.name = "at",
     .kind = KEY_NODE,
     .required = true,
     KEY_FIELD(struct routes_pin, at),
     .help = "The switch that chooses."},
    {.name = "to",
     .kind = KEY_NODE,
     .required = true,
     KEY_FIELD(struct routes_pin, to),
     .help = "The switch whose hosts packets are for."},
    {.name = "via",
     .kind = KEY_NODE,
     .required = true,
     KEY_FIELD(struct routes_pin, via),
     .help = "The neighbour that it sends them to, while a shortest way goes there."},
};

const struct section route_section = {
    .name = "routes",
    SECTION_KEYS(struct routes_pin, route_keys),
    .place = "routes[]",
    .help = "A way that is pinned where several are equally short; without it flows spread over all of them.",
};

static const struct key probe_keys[] = {
    PLACE_KEYS(struct probe, "The switch.", "Its neighbour: the queue of the port to it."),
    {.name = "class",
     .kind = KEY_COUNT,
     KEY_FIELD(struct probe, probe.tc),
     .max = WEIR_CLASSES_MAX - 1,
     .word = "all",
     .word_value = SIM_ALL_CLASSES,
     .help = "Which class; all: the port's sum."},
    {.name = "interval",
     .kind = KEY_TIME,
     KEY_FIELD(struct probe, probe.interval_ps),
     .min = 1,
     .max = KEY_TIME_MAX,
     .word = "change",
     .word_value = 0,
     .help = "Time between two points; change: a point at every change."},
    {.name = "from",
     .kind = KEY_TIME,
     KEY_FIELD(struct probe, probe.from_ps),
     .max = KEY_TIME_MAX,
     .help = "Start of the recording."},
    {.name = "until",
     .kind = KEY_TIME,
     KEY_FIELD(struct probe, probe.until_ps),
     .min = 1,
     .max = KEY_TIME_MAX,
     .word = "end",
     .word_value = WEIR_NEVER,
     .help = "End of the recording."},
    {.name = "points",
     .kind = KEY_COUNT,
     KEY_FIELD(struct probe, probe.points_max),
     .min = 1,
     .max = 50000000,
     .help = "Most points; recording stops there and says so."},
};

const struct section probe_section = {
    .name = "probes",
    SECTION_KEYS(struct probe, probe_keys),
    .initial = &(const struct probe){.probe = {.tc = SIM_ALL_CLASSES, .until_ps = WEIR_NEVER, .points_max = 1000000}},
    .place = "measure.probes[]",
    .help = "Follows one queue of a switch: its length, its threshold and the buffer in use.",
};

static const char *const rows_value[] = {"section measure.rows", NULL};

static const struct key measure_keys[] = {
    {.name = "goodput_interval",
     .kind = KEY_TIME,
     KEY_FIELD(struct sim_config, goodput_interval_ps),
     .min = WEIR_PS_PER_NS,
     .max = KEY_TIME_MAX,
     .word = "none",
     .word_value = 0,
     .help = "Width of a bin of the goodput series by tag."},
    {.name = "occupancy",
     .kind = KEY_TIME,
     .later = true,
     KEY_FIELD(struct sim_config, occupancy_interval_ps),
     .min = WEIR_PS_PER_NS,
     .max = KEY_TIME_MAX,
     .word = "none",
     .word_value = 0,
     .help = "Time between two looks at how full buffers are: `memory.use`."},
    {.name = "occupancy_until",
     .kind = KEY_TIME,
     .later = true,
     KEY_FIELD(struct sim_config, occupancy_until_ps),
     .min = 1,
     .max = KEY_TIME_MAX,
     .word = "end",
     .word_value = WEIR_NEVER,
     .help = "No look from then on, such as when no flow starts any more."},
    {.name = "size_bins",
     .kind = KEY_OTHER,
     .choices = bins_value,
     .help = "Flows are also summed up by size: at most the first, ..., at least the last of these. By default [100KB, "
             "1MB]."},
    {.name = "probes",
     .kind = KEY_OTHER,
     .of = &probe_section,
     .nesting = KEY_LIST_OF_SECTIONS,
     .choices = probes_value,
     .help = "Queues to follow."},
    {.name = "rows",
     .kind = KEY_OTHER,
     .of = &rows_section,
     .later = true,
     .choices = rows_value,
     .help = "Training rows for a predictor."},
};

static void measure_defaults(void *target, uint32_t kind)
{
    (void)kind;
    sim_config_init(target);
}

const struct section measure_section = {
    .name = "measure",
    SECTION_KEYS(struct sim_config, measure_keys),
    .defaults = measure_defaults,
    .place = "measure",
    .help = "What to record besides flows and losses.",
};

bool read_port(struct build *build, const struct node *map, struct read_port *place)
{
    const struct topology *t = &build->scenario->topology;
    uint32_t port = 0, between = 0;
    for (uint32_t i = 0; i < t->link_count && !build->no_network; i++) {
        uint32_t a = t->links[i].a, b = t->links[i].b;
        if (a != place->at && b != place->at)
            continue;
        if ((a == place->at ? b : a) == place->to && between++ == place->parallel) {
            place->port = port;
            place->link = i;
            return true;
        }
        port++;
    }
    return build->no_network ||
           reader_fail(&build->reader, map, "no link%s between %s and %s", between > 0 ? " of this number" : "",
                       node_find(map, "at")->text, node_find(map, "to")->text);
}

bool read_failures(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *list = read_section(build, "failures", NODE_LIST);
    bool good = true;
    if (list == NULL)
        return false;
    struct sim_link_change *changes = arena_take_array(reader->arena, list->count + 1, sizeof *changes);
    struct node *all = node_collection(reader->arena, NODE_LIST);
    if (changes == NULL || all == NULL)
        return weir_fail_memory(reader->error);
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        struct failure failure;
        section_defaults(&failure_section, &failure, 0);
        if (!section_read(reader, &failure_section, item, 0, &failure) || !read_port(build, item, &failure.place)) {
            good = false;
            if (!reader_goes_on(reader))
                return false;
        }
        const struct sim_link_change change = {failure.when_ps, failure.place.link, failure.state == 1};
        /* Insertion keeps the order of the file at equal times. */
        uint32_t count = config->change_count++;
        while (count > 0 && changes[count - 1].when > change.when) {
            changes[count] = changes[count - 1];
            count--;
        }
        changes[count] = change;
        if (node_add(all, section_show(reader, &failure_section, 0, &failure)) == NULL)
            return weir_fail_memory(reader->error);
    }
    config->changes = changes;
    return good && section_put(reader, build->shown, "failures", all);
}

/* From the numbers of nodes to those of switches; the neighbours must be some, and `to` have hosts. */
static bool read_route(struct build *build, const struct node *item, struct routes_pin *pin)
{
    const struct topology *t = &build->scenario->topology;
    const char *const names[] = {"at", "to", "via"};
    uint32_t *const nodes[] = {&pin->at, &pin->to, &pin->via};
    bool joined = false, has_hosts = false;
    for (uint32_t i = 0; i < 3; i++)
        if (*nodes[i] < t->hosts)
            return reader_fail(&build->reader, node_find(item, names[i]), "%s: a host (expected a switch)", names[i]);
    for (uint32_t i = 0; i < t->link_count; i++) {
        uint32_t a = t->links[i].a, b = t->links[i].b;
        joined = joined || (a == pin->at && b == pin->via) || (b == pin->at && a == pin->via);
        has_hosts = has_hosts || (a == pin->to && b < t->hosts) || (b == pin->to && a < t->hosts);
    }
    if (!joined)
        return reader_fail(&build->reader, node_find(item, "via"), "no link between %s and %s",
                           node_find(item, "at")->text, node_find(item, "via")->text);
    if (!has_hosts)
        return reader_fail(&build->reader, node_find(item, "to"), "to: %s has no hosts (expected a switch that has)",
                           node_find(item, "to")->text);
    for (uint32_t i = 0; i < 3; i++)
        *nodes[i] -= t->hosts;
    return true;
}

bool read_routes(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    if (node_find(build->root, "routes") == NULL) /* not shown: ids of results older than the key stay valid */
        return true;
    const struct node *list = read_section(build, "routes", NODE_LIST);
    bool good = true;
    if (list == NULL)
        return false;
    struct routes_pin *pins = arena_take_array(reader->arena, list->count + 1, sizeof *pins);
    struct node *all = node_collection(reader->arena, NODE_LIST);
    if (pins == NULL || all == NULL)
        return weir_fail_memory(reader->error);
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        struct routes_pin *pin = &pins[config->pin_count++];
        section_defaults(&route_section, pin, 0);
        bool read = section_read(reader, &route_section, item, 0, pin);
        if (read && node_add(all, section_show(reader, &route_section, 0, pin)) == NULL)
            return weir_fail_memory(reader->error);
        if (read && (build->no_network || read_route(build, item, pin)))
            continue;
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    config->pins = pins;
    return good && section_put(reader, build->shown, "routes", all);
}

static bool read_probe(struct build *build, const struct node *item, struct node *all, struct sim_probe *out)
{
    struct reader *reader = &build->reader;
    struct probe probe;
    section_defaults(&probe_section, &probe, 0);
    if (!section_read(reader, &probe_section, item, 0, &probe))
        return false;
    if (probe.place.at < reader->scale.hosts)
        return reader_fail(reader, node_find(item, "at"), "at: a host has no queue to follow (expected a switch)");
    if (!read_port(build, item, &probe.place))
        return false;
    if (probe.probe.tc != SIM_ALL_CLASSES && probe.probe.tc >= reader->classes)
        return reader_fail(reader, node_find(item, "class"), "class: no class %u (expected 0 to %u, or all)",
                           probe.probe.tc, reader->classes - 1);
    if (node_add(all, section_show(reader, &probe_section, 0, &probe)) == NULL)
        return weir_fail_memory(reader->error);
    *out = probe.probe;
    out->sw = probe.place.at - reader->scale.hosts;
    out->port = probe.place.port;
    return true;
}

static const struct key bin_key = {.name = "size_bins", .kind = KEY_PAYLOAD, .min = 1, .max = INT64_C(1) << 50};

static bool read_bins(struct build *build, const struct node *map, struct node *shown)
{
    struct reader *reader = &build->reader;
    struct scenario *scenario = build->scenario;
    const struct node *list = node_find(map, "size_bins");
    struct node *all = node_collection(reader->arena, NODE_LIST);
    scenario->size_bins[0] = 100000;
    scenario->size_bins[1] = 1000000;
    scenario->size_bin_count = list == NULL ? 2 : 0;
    if (list != NULL && !reader_expect(reader, list, NODE_LIST, "size_bins"))
        return false;
    if (list != NULL && list->count > SCENARIO_SIZE_BINS_MAX)
        return reader_fail(reader, list, "size_bins: %u sizes (expected at most %u)", list->count,
                           SCENARIO_SIZE_BINS_MAX);
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        int64_t *bytes = &scenario->size_bins[scenario->size_bin_count];
        if (!reader_expect(&build->reader, item, NODE_SCALAR, "size_bins"))
            return false;
        if (!key_parse(&bin_key, &build->reader.scale, item->text, bytes, build->reader.error))
            return reader_place(&build->reader, item, "size_bins");
        if (scenario->size_bin_count > 0 && *bytes <= scenario->size_bins[scenario->size_bin_count - 1])
            return reader_fail(&build->reader, item,
                               "size_bins: '%s' is not above the one before (expected growing sizes)",
                               error_text(item->text).text);
        scenario->size_bin_count++;
    }
    for (uint32_t i = 0; i < scenario->size_bin_count; i++) {
        char text[64];
        key_format(&bin_key, &reader->scale, scenario->size_bins[i], text);
        if (node_add(all, node_scalar(reader->arena, text)) == NULL)
            return weir_fail_memory(reader->error);
    }
    return section_put(reader, shown, "size_bins", all);
}

bool read_measure(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *map = read_section(build, "measure", NODE_MAP);
    bool good = map != NULL && section_read(reader, &measure_section, map, 0, config);
    if (map == NULL || (!good && !reader_goes_on(reader)))
        return false;
    const struct node *list = node_find(map, "probes");
    struct node *shown = section_show(reader, &measure_section, 0, config);
    struct node *all = node_collection(reader->arena, NODE_LIST);
    if (!read_bins(build, map, shown) || !read_rows(build, map, shown) ||
        (list != NULL && !reader_expect(reader, list, NODE_LIST, "probes")))
        return false;
    uint32_t count = list != NULL ? list->count : 0;
    struct sim_probe *probes = arena_take_array(reader->arena, count + 1, sizeof *probes);
    if (shown == NULL || all == NULL || probes == NULL)
        return weir_fail_memory(reader->error);
    for (const struct node *item = count > 0 ? list->first : NULL; item != NULL; item = item->next) {
        if (read_probe(build, item, all, &probes[config->probe_count++]))
            continue;
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    config->probes = probes;
    return good && section_put(reader, shown, "probes", all) && section_put(reader, build->shown, "measure", shown);
}

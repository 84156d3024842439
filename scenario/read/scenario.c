/*
 * scenario.c - a document to a config: the top of the file, and the sections that are only a table. See read.h.
 */
#include "scenario/read/scenario.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/read/read.h"

static const char *const section_value[] = {"section", NULL};
static const char *const list_value[] = {"list", NULL};
static const char *const transports_value[] = {"map of names to transports", NULL};
static const char *const count_value[] = {"count", NULL};
static const char *const sweep_value[] = {"map of names to axes", NULL};
static const char *const quick_value[] = {"map of key paths to values", NULL};

#define PART(part, value, must, text)                                                                                  \
    {                                                                                                                  \
        .name = (part), .kind = KEY_OTHER, .required = (must), .choices = (value), .help = (text)                      \
    }
#define ONE(part, section, text)                                                                                       \
    .name = (part), .kind = KEY_OTHER, .of = &(section), .choices = section_value, .help = (text)
#define LIST(part, section, text)                                                                                      \
    .name = (part), .kind = KEY_OTHER, .of = &(section), .nesting = KEY_LIST_OF_SECTIONS, .choices = list_value,       \
    .help = (text)
#define MAP(part, section, value, text)                                                                                \
    .name = (part), .kind = KEY_OTHER, .of = &(section), .nesting = KEY_MAP_OF_SECTIONS, .choices = (value),           \
    .help = (text)

static const struct key top_keys[] = {
    {.name = "name",
     .kind = KEY_TEXT,
     KEY_FIELD(struct scenario_top, name),
     .min = 1,
     .max = 80,
     .help = "A short name of the scenario."},
    {.name = "title",
     .kind = KEY_TEXT,
     KEY_FIELD(struct scenario_top, title),
     .min = 1,
     .max = 200,
     .help = "What it shows, in one line."},
    {.name = "seed",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_top, seed),
     .max = INT64_MAX,
     .help = "Of every random draw."},
    {.name = "setting",
     .kind = KEY_CHOICE,
     .later = true,
     KEY_FIELD(struct scenario_top, setting),
     .max = 1,
     .choices = setting_names,
     .help = "Where keys begin that the file does not give; uet-htsim: packets, queues, marks, trims and timeouts of "
             "Ultra Ethernet's reference simulator, for this topology."},
    {.name = "until",
     .kind = KEY_TIME,
     .required = true,
     KEY_FIELD(struct scenario_top, until_ps),
     .min = 1,
     .max = KEY_TIME_MAX,
     .help = "When the run ends; earlier when all flows have ended and none can start."},
    {ONE("topology", topology_section, "The network."), .required = true},
    {ONE("wire", wire_section, "What packets look like.")},
    {ONE("switch", switch_section, "The switches."), .required = true},
    {ONE("pfc", pfc_section, "Priority flow control, where classes are lossless."), .later = true},
    {ONE("routing", routing_section, "How packets find their way.")},
    {ONE("host", host_section, "How hosts send.")},
    {MAP("transports", transport_section, transports_value, "Ways to send flows."), .required = true},
    {LIST("traffic", traffic_section, "Where flows come from."), .required = true},
    {LIST("failures", failure_section, "Links that go down.")},
    {LIST("routes", route_section, "Ways that are pinned.")},
    {ONE("measure", measure_section, "What to record.")},
    {ONE("dataplane", dataplane_section, "The software switch."), .later = true},
    {ONE("testbed", testbed_section, "Whether real packets are sent."), .later = true},
    {ONE("slot", slot_section, "The slotted model."), .later = true},
    {ONE("paper", paper_section, "The paper figure this reproduces.")},
    PART("seeds", count_value, false,
         "Runs of every point, with the seeds `seed`, `seed` + 1, ...; by default 1. Or `until decided, at most N`."),
    PART("threads", count_value, false, "Threads that simulate one run; by default 1. Results do not depend on it."),
    {ONE("limits", limits_section, "What one run may take.")},
    {MAP("sweep", axis_section, sweep_value,
         "Values to try, one axis each; axes are crossed, the last varies fastest.")},
    PART("quick", quick_value, false, "Changes for a quick look, as `--set` would make them."),
    {LIST("figures", figure_section, "What to draw.")},
    {LIST("claims", claim_section, "What to check.")},
};

static void top_defaults(void *target, uint32_t kind)
{
    struct sim_config config;
    (void)kind;
    sim_config_init(&config);
    *(struct scenario_top *)target = (struct scenario_top){.seed = config.seed};
}

const struct section top_section = {
    .name = "the scenario",
    SECTION_KEYS(struct scenario_top, top_keys),
    .defaults = top_defaults,
    .place = "",
    .help = "One file is one experiment: a map of these keys.",
};

static void config_defaults(void *target, uint32_t kind)
{
    (void)kind;
    sim_config_init(target);
}

#define WIRE_KEY(text_name, field, least, text)                                                                        \
    {                                                                                                                  \
        .name = (text_name), .kind = KEY_SPACE, KEY_FIELD(struct sim_config, wire.field), .min = (least),              \
        .max = 32000, .help = (text)                                                                                   \
    }

static const struct key wire_keys[] = {
    WIRE_KEY("mss", mss_bytes, 1, "Payload of a full segment."),
    WIRE_KEY("header", header_bytes, 1, "Added to each segment, in buffers and on the wire."),
    WIRE_KEY("ack", ack_bytes, 1, "Size of an ACK, in buffers and on the wire."),
    WIRE_KEY("gap", gap_bytes, 0, "Added to each packet on the wire only: preamble and inter-packet gap."),
    {.name = "loss",
     .kind = KEY_REAL,
     .later = true,
     KEY_FIELD(struct sim_config, link_loss),
     .max = KEY_BILLION,
     .help = "Chance that a link loses a packet, of those without a `loss` of their own. PAUSE frames are not lost."},
};

const struct section wire_section = {
    .name = "wire",
    SECTION_KEYS(struct sim_config, wire_keys),
    .defaults = config_defaults,
    .place = "wire",
    .help = "What every packet looks like. A `pkt` elsewhere is mss + header, or mss where payload is meant.",
};

static const char *const ecmp_choices[] = {"flow",     "packet",  "unsalted", "modulo",
                                           "adaptive", "flowlet", "weighted", NULL};
static const struct key routing_keys[] = {
    {.name = "ecmp",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct sim_config, ecmp),
     .choices = ecmp_choices,
     .help =
         "Among equal-cost ports, a flow always takes the same one, or each packet another. unsalted: a flow's hash "
         "is the same at every switch, as in many real ones, so that later switches choose among fewer ports; "
         "modulo: likewise, by remainder, as codes for ns-3 do; adaptive: each packet the port with the shortest queue "
         "among those whose link is up; flowlet: a flow that was silent for `flowlet_gap` takes another one, drawn; "
         "weighted: a flow's, by a hash that gives each port a part like its link's rate. The entropy values of "
         "`kind: uet` are part of a flow in all of them."},
    {.name = "ecmp_seed",
     .kind = KEY_COUNT,
     KEY_FIELD(struct sim_config, ecmp_seed),
     .max = INT64_MAX,
     .word = "run",
     .word_value = SIM_ECMP_SEED_OF_RUN,
     .help =
         "Of the hash that chooses among equal-cost ports. run: `seed`, so that each seed takes other paths; a number "
         "keeps them."},
    {.name = "adaptive_step",
     .kind = KEY_SPACE,
     .later = true,
     KEY_FIELD(struct sim_config, adaptive_step_bytes),
     .min = 0,
     .max = INT64_C(1) << 40,
     .help = "adaptive: queues are compared in whole steps of so many bytes, and of equal ones one is drawn."},
    {.name = "flowlet_gap",
     .kind = KEY_TIME,
     .later = true,
     KEY_FIELD(struct sim_config, flowlet_gap_ps),
     .min = 0,
     .max = KEY_TIME_MAX,
     .help = "flowlet: how long."},
    {.name = "reroute",
     .kind = KEY_TIME,
     KEY_FIELD(struct sim_config, reroute_ps),
     .max = KEY_TIME_MAX,
     .help = "Time after which routes follow a link that changed."},
};

const struct section routing_section = {
    .name = "routing",
    SECTION_KEYS(struct sim_config, routing_keys),
    .defaults = config_defaults,
    .place = "routing",
    .help = "Packets take shortest paths.",
};

static const char *const nic_choices[] = {"fair", "fifo", "strict", "queue", NULL};
static const char *const full_choices[] = {"wait", "drop", NULL};
static const struct key host_keys[] = {
    {.name = "nic",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct sim_config, hosts.nic),
     .choices = nic_choices,
     .help = "What a host sends next. fair: one packet per flow in turn; fifo: flow after flow as they become ready; "
             "strict: of the highest class, there one packet per flow in turn; queue: packets in the order in which "
             "transports make them, as soon as windows allow. ACKs go before data, with strict before data of their "
             "class, with queue in their order."},
    {.name = "queue",
     .kind = KEY_COUNT,
     KEY_FIELD(struct sim_config, hosts.queue_packets),
     .min = 1,
     .max = 1 << 20,
     .help = "nic queue: packets that it holds, the one being sent not counted."},
    {.name = "queue_per_flow",
     .kind = KEY_COUNT,
     KEY_FIELD(struct sim_config, hosts.queue_per_flow),
     .max = SIM_QUEUE_PER_FLOW_MAX,
     .help = "nic queue: data packets of one flow that it holds; more wait in the flow, as with TCP small queues of "
             "Linux. 0: any number."},
    {.name = "queue_full",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct sim_config, hosts.queue_drops),
     .choices = full_choices,
     .help = "nic queue: data that finds it full waits in its flow, or packets are lost."},
    {.name = "jitter",
     .kind = KEY_TIME,
     KEY_FIELD(struct sim_config, hosts.jitter_ps),
     .max = SIM_JITTER_MAX,
     .help = "A NIC that had nothing to send begins its next packet later by a time drawn evenly from 0 to this."},
    {.name = "drift",
     .kind = KEY_COUNT,
     KEY_FIELD(struct sim_config, hosts.drift_ppm),
     .max = SIM_DRIFT_MAX,
     .help = "NICs are slower or faster than their links say by up to so many parts per million, drawn for each host."},
};

const struct section host_section = {
    .name = "host",
    SECTION_KEYS(struct sim_config, host_keys),
    .defaults = config_defaults,
    .place = "host",
    .help = "How hosts send.",
};

const struct node *read_section(struct build *build, const char *name, enum node_kind kind)
{
    const struct node *node = node_find(build->root, name);
    if (node == NULL) {
        node = node_collection(build->reader.arena, kind);
        if (node == NULL)
            weir_fail_memory(build->reader.error);
        return node;
    }
    return reader_expect(&build->reader, node, kind, name) ? node : NULL;
}

bool read_keep_mark(struct build *build, struct mark mark, struct mark *kept)
{
    *kept = mark;
    kept->origin = arena_text(build->reader.arena, mark.origin, strlen(mark.origin));
    return kept->origin != NULL || weir_fail_memory(build->reader.error);
}

bool read_warn(struct build *build, const struct node *at, const char *format, ...)
{
    struct weir_error line = {.code = WEIR_ERROR_NONE};
    char whole[WEIR_ERROR_LINE_MAX];
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(&line, WEIR_ERROR_INPUT, format, arguments);
    va_end(arguments);
    weir_fail_at(&line, at->mark.origin, at->mark.line, at->mark.column);
    weir_error_line(&line, whole);
    struct scenario_warning *warning = arena_take(build->reader.arena, sizeof *warning);
    struct scenario_warning **last = &build->scenario->warnings;
    if (warning == NULL || (warning->text = arena_text(build->reader.arena, whole, strlen(whole))) == NULL)
        return weir_fail_memory(build->reader.error);
    while (*last != NULL)
        last = &(*last)->next;
    warning->next = NULL;
    *last = warning;
    return true;
}

/* A section that is nothing but fields of the config. */
static bool read_plain(struct build *build, const struct section *section)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *map = read_section(build, section->name, NODE_MAP);
    return map != NULL && section_read(reader, section, map, 0, config) &&
           section_put(reader, build->shown, section->name, section_show(reader, section, 0, config));
}

/* What hosts may be depends on classes and transports, which are read before. */
static bool read_host(struct build *build)
{
    const struct node *host = node_find(build->root, host_section.name);
    if (!read_plain(build, &host_section))
        return false;
    return build->broken || sim_config_check_hosts(&build->scenario->config, build->reader.error) ||
           reader_place(&build->reader, host != NULL ? host : build->root, host_section.name);
}

/* The software switch is part of an experiment, not one itself. */
static bool read_top_of_switch(struct build *build, struct scenario_top *top)
{
    static const char *const needed[] = {"topology", "switch"};
    struct reader *reader = &build->reader;
    for (uint32_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (node_find(build->root, needed[i]) == NULL)
            return reader_fail(reader, build->root, "the scenario: '%s' is missing (weir-switch needs it)", needed[i]);
    for (uint32_t i = 0; i < top_section.count; i++)
        if (!section_read_key(reader, &top_section.keys[i], build->root, top))
            return false;
    return true;
}

static bool read_top(struct build *build)
{
    struct reader *reader = &build->reader;
    struct scenario_top top;
    top_defaults(&top, 0);
    sim_config_init(&build->scenario->config);
    bool good = section_check_nested(reader, &top_section, build->root);
    if (!good && !reader_goes_on(reader))
        return false;
    if (!(build->for_switch ? read_top_of_switch(build, &top)
                            : section_read(reader, &top_section, build->root, 0, &top))) {
        good = false;
        if (!reader_goes_on(reader))
            return false;
        top.until_ps = top.until_ps > 0 ? top.until_ps : WEIR_NEVER;
    }
    top.setting = 0; /* what it stands for is shown instead */
    build->shown = section_show(reader, &top_section, 0, &top);
    if (build->shown == NULL)
        return weir_fail_memory(reader->error);
    if (top.until_ps == 0)
        node_remove(build->shown, "until");
    build->scenario->name = top.name;
    build->scenario->title = top.title;
    build->scenario->config.seed = top.seed;
    build->scenario->config.until_ps = top.until_ps;
    return good;
}

static bool read_wire(struct build *build)
{
    const struct sim_wire *wire = &build->scenario->config.wire;
    bool good = read_plain(build, &wire_section);
    build->reader.scale.segment_bytes = wire->mss_bytes;
    build->reader.scale.frame_bytes = (int64_t)wire->mss_bytes + wire->header_bytes;
    return good;
}

static bool read_routing(struct build *build)
{
    return read_plain(build, &routing_section);
}

/* What sim found wrong with the whole: at the item of traffic that it names, or at `other`. */
static bool place_error(const struct scenario *scenario, struct mark other, struct weir_error *error)
{
    const struct weir_error_place *place = &error->place;
    bool traffic =
        place->part != NULL && strcmp(place->part, TRAFFIC_PART) == 0 && place->number < scenario->config.traffic_count;
    struct mark mark = traffic ? scenario->traffic_marks[place->number] : other;
    return weir_fail_at(error, mark.origin, mark.line, mark.column);
}

static bool check_config(struct build *build)
{
    const struct mark file = {build->scenario->origin, 0, 0};
    return sim_config_check(&build->scenario->config, build->reader.error) ||
           place_error(build->scenario, file, build->reader.error);
}

struct sim *scenario_create(const struct scenario *scenario, struct weir_error *error)
{
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    struct sim_config config = scenario->config;
    if (scenario->learning != NULL)
        learning_begin(scenario, &config);
    struct sim *sim = sim_create(&config, error);
    if (sim == NULL) /* the config has been checked: what is left is traffic, or MMUs of switches */
        place_error(scenario, scenario->switch_mark, error);
    return sim;
}

/* Starts `build` for the document; false: out of memory. */
static bool start_build(struct build *build, struct scenario *scenario, const struct document *document,
                        struct weir_error *error)
{
    *scenario = (struct scenario){.name = NULL};
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    *build = (struct build){.reader = {.arena = &scenario->arena, .error = error, .classes = 1},
                            .scenario = scenario,
                            .root = document->root};
    scenario->origin = arena_text(&scenario->arena, document->origin, strlen(document->origin));
    return scenario->origin != NULL || weir_fail_memory(error);
}

typedef bool read_part(struct build *build);

/* In an order in which each finds what it is measured by. */
static read_part *const parts[] = {
    read_setting, read_top,        read_topology, read_wire,    read_setting_of_network, read_switches, read_pfc,
    read_routing, read_transports, read_host,     read_traffic, read_failures,           read_routes,   read_measure,
    read_slot,    read_dataplane,  read_testbed};

static read_part *const parts_of_switch[] = {read_setting,  read_top, read_topology, read_wire, read_setting_of_network,
                                             read_switches, read_pfc, read_dataplane};

static bool read_parts(struct build *build)
{
    read_part *const *part = build->for_switch ? parts_of_switch : parts;
    const size_t count = build->for_switch ? sizeof parts_of_switch / sizeof *part : sizeof parts / sizeof *part;
    for (size_t i = 0; i < count; i++) {
        if (part[i](build))
            continue;
        build->broken = true;
        if (!reader_goes_on(&build->reader))
            return false;
    }
    if (build->for_switch)
        return !build->broken;
    return !build->broken && check_config(build) && oracle_check_foresight(build) && learning_check(build);
}

bool scenario_build(struct scenario *scenario, const struct document *document, const struct scenario_files *files,
                    struct weir_error *error)
{
    struct build build;
    if (!start_build(&build, scenario, document, error))
        return false;
    build.files = files;
    bool read = read_parts(&build);
    scenario->effective = build.shown;
    return read;
}

/* A file that only weir-switch can read: it has the switch's section, and nothing of a run. */
static bool is_of_switch(const struct node *root)
{
    static const char *const of_runs[] = {"until", "transports", "traffic", "slot", "testbed"};
    bool own = node_find(root, "dataplane") != NULL;
    for (uint32_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++)
        own = own && node_find(root, of_runs[i]) == NULL;
    return own;
}

bool scenario_build_all(struct scenario *scenario, const struct document *document, const struct scenario_files *files,
                        struct error_list *all)
{
    struct build build;
    struct weir_error error;
    bool read = start_build(&build, scenario, document, &error);
    build.files = files;
    build.for_switch = build.later_devices = read && is_of_switch(document->root);
    build.reader.all = all;
    read = read && read_parts(&build);
    if (!read)
        reader_goes_on(&build.reader);
    return read;
}

bool scenario_build_switch(struct scenario *scenario, const struct document *document,
                           const struct scenario_files *files, struct weir_error *error)
{
    struct build build;
    if (!start_build(&build, scenario, document, error))
        return false;
    build.files = files;
    build.for_switch = true;
    bool read = read_parts(&build);
    scenario->effective = build.shown;
    return read;
}

bool scenario_build_network(struct scenario *scenario, const struct document *document, struct weir_error *error)
{
    struct build build;
    if (!start_build(&build, scenario, document, error))
        return false;
    build.shown = node_collection(build.reader.arena, NODE_MAP);
    return build.shown != NULL ? read_topology(&build) : weir_fail_memory(error);
}

void scenario_free(struct scenario *scenario)
{
    for (uint32_t i = 0; scenario->lists != NULL && i <= scenario->config.traffic_count; i++) {
        listed_flows_free(&scenario->lists[i].flows);
        packet_arrivals_free(&scenario->lists[i].packets);
        job_file_free(&scenario->lists[i]);
    }
    for (struct scenario_model *model = scenario->models; model != NULL; model = model->next)
        forest_free(model->forest);
    for (uint32_t i = 0; i < scenario->oracle_count; i++) {
        free(scenario->oracles[i].lost);
        forest_online_free(&scenario->oracles[i].online);
    }
    free(scenario->oracles);
    slot_arrivals_free(&scenario->slot.arrivals);
    flow_tags_free(&scenario->tags);
    topology_free(&scenario->topology);
    arena_free(&scenario->arena);
    *scenario = (struct scenario){.name = NULL};
}

void scenario_node_name(const struct topology *topology, uint32_t node, char name[16])
{
    bool host = node < topology->hosts;
    snprintf(name, 16, "%c%u", host ? 'h' : 's', host ? node : node - topology->hosts);
}

void scenario_memory_name(uint32_t sw, uint32_t memory, char name[32])
{
    int used = snprintf(name, 32, "s%u", sw);
    if (memory > 0)
        snprintf(name + used, 32 - (size_t)used, ".%u", memory);
}

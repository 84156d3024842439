/*
 * dataplane.c - `dataplane`: what weir-switch is made from, together with the topology, wire, switch and pfc that
 * were read before; and `testbed`. The switch is the simulator's, port by port: the same rates, MMUs, headroom and
 * seed, so that a trace of one can be compared with a trace of the other.
 */
#include <string.h>

#include "scenario/read/dataplane_settings.h"
#include "sim/net/config.h"
#include "weir/fixed.h"
#include "weir/headroom.h"
#include "weir/random.h"

/* The tables of `dataplane` and `testbed`. Defaults are those of switch/dpdk/config.h. */

#define MTU_LEAST 68 /* of IPv4 */
#define MTU_MOST 9600
#define FRAMES_LEAST 32
#define FRAMES_MOST 32768
#define SCALE_MAX 1000000
#define REACTION_MAX (10 * WEIR_PS_PER_S)
#define QUANTUM_BITS 512

static const char *const devices_value[] = {"list of devices", NULL};
static const char *const cpus_value[] = {"section dataplane.cpus", NULL};
static const char *const class_map_value[] = {"map of classes to numbers", NULL};
static const char *const addresses_value[] = {"map of addresses to ports", NULL};
static const char *const numbers_value[] = {"number, range, or list of them", NULL};
static const char *const trim_dscp_value[] = {"number, or map of DSCP to ports", NULL};
static const char *const trim_queue_choices[] = {"static", "dscp", NULL};
static const char *const classify_choices[] = {"dscp", "pcp", "none", NULL};
static const char *const huge_choices[] = {"auto", "no", NULL};

#define FIELD(field) KEY_FIELD(struct dataplane_settings, config.field)
#define OTHER(text_name, value, text)                                                                                  \
    {                                                                                                                  \
        .name = (text_name), .kind = KEY_OTHER, .choices = (value), .help = (text)                                     \
    }

static const struct key dataplane_keys[] = {
    OTHER("devices", devices_value,
          "The device of each port, as DPDK names them: `net_af_packet0,iface=veth0`, `0000:03:00.0`. Port i is the "
          "link of host i."),
    {.name = "mtu",
     .kind = KEY_SPACE,
     FIELD(mtu_bytes),
     .min = MTU_LEAST,
     .max = MTU_MOST,
     .help = "The largest IP packet. Longer frames are dropped."},
    {.name = "mbufs",
     .kind = KEY_COUNT,
     FIELD(mbufs),
     .min = 512,
     .max = 1 << 26,
     .word = "auto",
     .word_value = 0,
     .help = "Mbufs in total; auto: enough for the buffer, lines and devices."},
    {.name = "burst",
     .kind = KEY_COUNT,
     FIELD(burst),
     .min = 1,
     .max = DATAPLANE_BURST_MAX,
     .help = "Most frames read from a port at once."},
    {.name = "rx_frames",
     .kind = KEY_COUNT,
     FIELD(device_rx_frames),
     .min = FRAMES_LEAST,
     .max = FRAMES_MOST,
     .help = "Frames that a device may hold on the way in."},
    {.name = "tx_frames",
     .kind = KEY_COUNT,
     FIELD(device_tx_frames),
     .min = FRAMES_LEAST,
     .max = FRAMES_MOST,
     .help = "Frames that a device may hold on the way out. They are no longer in the buffer: few are better."},
    {.name = "cpus",
     .kind = KEY_OTHER,
     .of = &cpus_section,
     .choices = cpus_value,
     .help = "Where the modules run; by default all on one processor."},
    {.name = "sleeps",
     .kind = KEY_FLAG,
     FIELD(sleeps),
     .help = "A processor that has had nothing to do for a while sleeps for a moment: for machines with other work."},
    {.name = "classify",
     .kind = KEY_CHOICE,
     FIELD(classify),
     .choices = classify_choices,
     .help = "What the class of a frame is read from; none: all are of class 0."},
    OTHER("dscp", class_map_value,
          "Which DSCP belong to a class: `{1: [8, 16-23]}`. Others keep their class: DSCP / 8, or the last one."),
    OTHER("pcp", class_map_value,
          "Which priorities of a VLAN tag belong to a class. Others keep their class: the same number, or the last."),
    OTHER("trim_dscp", trim_dscp_value,
          "DSCP of trimmed frames: one for all ports, or by output port, so that their receiver knows where they were "
          "cut: `{10: 0-3, 11: 4-7}`. Others keep the frame's own. (SAI: from TC, by the port's TC_TO_DSCP map.)"),
    {.name = "trim_queue",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct dataplane_settings, trim_by_dscp),
     .choices = trim_queue_choices,
     .help = "The class that trimmed frames are offered to; static: `switch.trim.to`; dscp: the class of `trim_dscp`, "
             "the same at all ports. The next switch goes by DSCP."},
    {.name = "learning",
     .kind = KEY_FLAG,
     FIELD(learning),
     .help = "Ports of addresses are learned; else only `addresses` are known."},
    {.name = "flooding",
     .kind = KEY_FLAG,
     FIELD(flooding),
     .help = "Frames to unknown and group addresses go to all other ports; else they are dropped."},
    {.name = "aging",
     .kind = KEY_TIME,
     FIELD(aging_ps),
     .min = WEIR_PS_PER_MS,
     .max = KEY_TIME_MAX,
     .help = "A learned address expires after this long without a frame from it; not scaled."},
    OTHER("addresses", addresses_value, "Addresses that are always behind one port: `{\"02:00:00:00:00:01\": 0}`."),
    {.name = "delay_line",
     .kind = KEY_FLAG,
     KEY_FIELD(struct dataplane_settings, delay_line),
     .help = "Frames wait for the delay of their link, on the way in and on the way out; else the wires do that."},
    {.name = "paced_inputs",
     .kind = KEY_FLAG,
     FIELD(paced_inputs),
     .help = "A port takes in frames no faster than its rate, as if its host's link had that rate."},
    {.name = "reaction",
     .kind = KEY_TIME,
     FIELD(reaction_ps),
     .max = REACTION_MAX,
     .word = "auto",
     .word_value = DATAPLANE_REACTION_AUTO,
     .help = "The longest that a processor of the switch, or of its peers, may be away, which the headroom of lossless "
             "classes covers; not scaled. auto: twice what the switch measures before it starts. 0: peers and switch "
             "react at once, as simulated ones do."},
    {.name = "huge_pages",
     .kind = KEY_CHOICE,
     FIELD(no_huge),
     .choices = huge_choices,
     .help = "auto: taken where some are free; no: ordinary pages."},
    {.name = "scale",
     .kind = KEY_COUNT,
     FIELD(time_scale),
     .min = 1,
     .max = SCALE_MAX,
     .help = "How many times slower the clock of the switch runs: at 100, a port of 10 Gb/s sends 100 Mb/s."},
};

static void dataplane_defaults(void *target, uint32_t kind)
{
    struct dataplane_settings *settings = target;
    (void)kind;
    *settings = (struct dataplane_settings){.delay_line = false};
    dataplane_config_init(&settings->config);
}

const struct section dataplane_section = {
    .name = "dataplane",
    SECTION_KEYS(struct dataplane_settings, dataplane_keys),
    .defaults = dataplane_defaults,
    .place = "dataplane",
    .help = "The software switch `weir-switch`; the topology is of kind single. `weir run` checks it and has no other "
            "use for it.",
};

#define CPUS(text_name, text)                                                                                          \
    {                                                                                                                  \
        .name = (text_name), .kind = KEY_OTHER, .required = true, .choices = numbers_value, .help = (text)             \
    }

static const struct key cpus_keys[] = {
    CPUS("rx", "Take frames from the ports, which are dealt out over these processors."),
    CPUS("forwarding", "Looks up, classifies and asks the buffer; one processor."),
    CPUS("tx", "Send frames as the rates of the ports allow; ports are dealt out over these processors."),
    CPUS("expulsion", "Offers spare memory bandwidth to the policy; one processor."),
};

const struct section cpus_section = {
    .name = "cpus",
    SECTION_KEYS(struct dataplane_settings, cpus_keys),
    .defaults = dataplane_defaults,
    .place = "dataplane.cpus",
    .help = "Processors of the modules, by the numbers of the operating system. Several may share one.",
};

static const char *const switch_choices[] = {"weir-switch", "bmv2", NULL}; /* index: the flag */

static const struct key testbed_keys[] = {
    {.name = "use",
     .kind = KEY_FLAG,
     KEY_FIELD(struct scenario_testbed, use),
     .help = "The run is made in the testbed, with real packets; else it is simulated."},
    {.name = "scale",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_testbed, scale),
     .min = 1,
     .max = SCALE_MAX,
     .help = "There, rates are divided by this and times multiplied."},
    {.name = "switch",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct scenario_testbed, bmv2),
     .choices = switch_choices,
     .help = "What connects the hosts there: `weir-switch`, or bmv2's `simple_switch` with the P4 program."},
    {.name = "initial_window",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_testbed, initial_window),
     .min = 1,
     .max = 1000,
     .help = "First congestion window of the hosts' TCP, in segments."},
};

const struct section testbed_section = {
    .name = "testbed",
    SECTION_KEYS(struct scenario_testbed, testbed_keys),
    .initial = &(const struct scenario_testbed){.scale = 100, .initial_window = 10},
    .place = "testbed",
    .help = "`weir testbed`: hosts in network namespaces, a switch between them, and the TCP of the kernel.",
};

#define FCS_BYTES 4u /* part of a frame in scenarios, but not of one in memory */
#define ETHERNET_BYTES 14u
#define TAGS_BYTES 8u   /* of two VLAN tags */
#define LEAST_BYTES 60u /* of a frame on a wire */
#define CPU_MAX 1023u

static const struct key device_key = {
    .name = "devices", .kind = KEY_TEXT, .size = sizeof(char *), .min = 1, .max = 256};

/* Where to say that something is wrong with the section, which may be missing. */
static const struct node *own_section(const struct build *build)
{
    const struct node *own = node_find(build->root, "dataplane");
    return own != NULL ? own : build->root;
}

/* One switch, and no more hosts than it can have ports. */
static bool check_topology(struct build *build)
{
    const struct node *topology = node_find(build->root, "topology"), *kind = node_find(topology, "kind");
    if (strcmp(kind->text, "single") != 0)
        return reader_fail(&build->reader, kind, "topology: kind %s has no software switch (expected kind: single)",
                           kind->text);
    if (build->scenario->topology.hosts > DATAPLANE_PORTS_MAX)
        return reader_fail(&build->reader, node_find(topology, "hosts"),
                           "hosts: a software switch has at most %u ports", DATAPLANE_PORTS_MAX);
    return true;
}

static bool read_devices(struct build *build, const struct node *map, struct dataplane_config *config)
{
    struct reader *reader = &build->reader;
    const struct node *list = node_find(map, "devices");
    uint32_t hosts = build->scenario->topology.hosts, count = 0;
    if (list == NULL && build->for_switch && !build->later_devices)
        return reader_fail(reader, own_section(build),
                           "dataplane: 'devices' is missing (expected %u, one per host; or --device)", hosts);
    if (list == NULL)
        return true;
    if (!reader_expect(reader, list, NODE_LIST, "devices"))
        return false;
    if (list->count != hosts)
        return reader_fail(reader, list, "devices: %u are here (expected %u, one per host)", list->count, hosts);
    const char **devices = arena_take_array(reader->arena, hosts, sizeof *devices);
    if (devices == NULL)
        return weir_fail_memory(reader->error);
    for (struct node *item = list->first; item != NULL; item = item->next) {
        struct node named = *item, single = {.kind = NODE_MAP, .first = &named, .last = &named, .count = 1};
        named.key = device_key.name;
        named.next = NULL;
        if (!section_read_key(reader, &device_key, &single, &devices[count++]))
            return false;
    }
    config->devices = devices;
    return true;
}

static bool read_cpus(struct build *build, const struct node *node, struct dataplane_config *config)
{
    struct reader *reader = &build->reader;
    if (!section_read(reader, &cpus_section, node, 0, NULL))
        return false;
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++) { /* the table has their order */
        const struct read_numbers what = {.name = cpus_section.keys[module].name, .most = CPU_MAX};
        const struct node *own = node_find(node, what.name);
        struct numbers numbers;
        if (!read_numbers(reader, &what, own, &numbers))
            return false;
        if (numbers.count > 1 && (module == DATAPLANE_FORWARD || module == DATAPLANE_EXPEL))
            return reader_fail(reader, own, "%s: %u processors (expected one)", what.name, numbers.count);
        config->cpus[module].count = numbers.count;
        memcpy(config->cpus[module].cpu, numbers.at, numbers.count * sizeof numbers.at[0]);
    }
    return true;
}

static struct node *show_cpus(struct reader *reader, const struct dataplane_config *config)
{
    struct node *map = node_collection(reader->arena, NODE_MAP);
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++) {
        struct numbers numbers = {.count = config->cpus[module].count};
        memcpy(numbers.at, config->cpus[module].cpu, numbers.count * sizeof numbers.at[0]);
        if (node_add_key(map, cpus_section.keys[module].name, numbers_show(reader, &numbers)) == NULL)
            return NULL;
    }
    return map;
}

/*
 * What arrives on a link while the processors at both its ends are away, each at the worst moments: frames wait in the
 * device of this switch, the decision to pause waits to be sent, the PAUSE waits in the device of the peer, and the
 * peer catches up with what it would have sent meanwhile.
 */
#define REACTIONS 4

/* In emulated time. */
static weir_ps reactions_ps(const struct dataplane_config *config)
{
    return config->reaction_ps > 0 ? REACTIONS * (config->reaction_ps / config->time_scale) : 0;
}

static uint32_t processing_bytes(const struct dataplane_config *config, const struct sim_pfc *pfc, weir_bps rate_bps)
{
    uint32_t peer = sim_pfc_processing_bytes(pfc, rate_bps);
    weir_wide more = (weir_wide)reactions_ps(config) * (weir_wide)rate_bps / 8 / WEIR_PS_PER_S;
    if (more == 0)
        return peer;
    more += peer > WEIR_PFC_PROCESSING_BYTES ? peer : WEIR_PFC_PROCESSING_BYTES;
    return more > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)more;
}

/* A number of three digits, as a scenario would have it. */
static const char *round_text(enum key_kind kind, int64_t value, char text[64])
{
    const struct key key = {.kind = kind};
    int64_t unit = 1;
    while (value / unit >= 1000)
        unit *= 10;
    key_format(&key, NULL, (value + unit / 2) / unit * unit, text);
    return text;
}

/* Whether PFC can keep its promise with reactions as long as that: a PAUSE outlasts them until it is renewed, each
 * queue has the headroom, and the buffer has it for all. */
static bool check_reaction(struct build *build, const struct dataplane_config *config)
{
    const struct weir_mmu_config *mmu = config->sw.mmu;
    const struct node *section = node_find(build->root, "switch");
    char reaction[64], text[64], need[64], rate[64];
    round_text(KEY_TIME, config->reaction_ps, reaction);
    for (uint32_t p = 0; p < config->ports; p++) {
        weir_bps rate_bps = config->sw.rates_bps[p];
        round_text(KEY_RATE, (int64_t)rate_bps, rate);
        weir_wide pause_ps = (weir_wide)config->pfc_quanta * QUANTUM_BITS * WEIR_PS_PER_S / (weir_wide)rate_bps;
        if (pause_ps < (weir_wide)reactions_ps(config))
            return reader_fail(&build->reader, own_section(build),
                               "dataplane.reaction: a PAUSE of %u quanta lasts %s at %s, shorter than %d reactions of "
                               "%s%s (expected a lower rate, a larger dataplane.scale, or processors that are away for "
                               "less: dataplane.cpus)",
                               config->pfc_quanta, round_text(KEY_TIME, (weir_ps)pause_ps, text), rate, REACTIONS,
                               reaction, config->time_scale > 1 ? " over dataplane.scale" : "");
        weir_cells needed = weir_headroom_safe_cells(&config->sw.uplinks[p], rate_bps, mmu->cell_bytes);
        weir_cells given = config->sw.uplinks[p].headroom_cells;
        if (given < needed)
            return reader_fail(&build->reader, node_find(section, "headroom_size"),
                               "headroom_size: %s of a lossless queue at %s, which needs %s for reactions of %s "
                               "(expected headroom_size: safe, or at least that)",
                               round_text(KEY_SPACE, (int64_t)given * mmu->cell_bytes, text), rate,
                               round_text(KEY_SPACE, (int64_t)needed * mmu->cell_bytes, need), reaction);
    }
    if (mmu->headroom_cells >= mmu->buffer_cells)
        return reader_fail(
            &build->reader, node_find(section, "buffer"),
            "buffer: %s, and the headroom of the lossless classes needs %s for reactions of %s (expected "
            "a larger buffer, lower rates, a larger dataplane.scale, or processors that are away for "
            "less: dataplane.cpus)",
            round_text(KEY_SPACE, (int64_t)mmu->buffer_cells * mmu->cell_bytes, text),
            round_text(KEY_SPACE, (int64_t)mmu->headroom_cells * mmu->cell_bytes, need), reaction);
    return true;
}

static void clamp_classes(uint8_t *class_of, uint32_t count, uint32_t classes)
{
    for (uint32_t i = 0; i < count; i++)
        if (class_of[i] >= classes)
            class_of[i] = (uint8_t)(classes - 1);
}

/* The class of copies is that of their DSCP. */
static bool fill_trim_class(struct build *build, struct dataplane_config *config, struct weir_mmu_config *mmu)
{
    const struct node *own = own_section(build);
    const int8_t *dscp = config->trim_dscp;
    if (config->classify != DATAPLANE_CLASSIFY_DSCP)
        return reader_fail(&build->reader, own, "trim_queue: dscp needs classify: dscp (or trim_queue: static)");
    for (uint32_t p = 0; p < config->ports; p++) {
        if (dscp[p] < 0)
            return reader_fail(&build->reader, own,
                               "trim_queue: dscp, and port %u has no trim_dscp (expected one for every port)", p);
        if (config->class_of_dscp[dscp[p]] != config->class_of_dscp[dscp[0]])
            return reader_fail(
                &build->reader, own,
                "trim_queue: DSCP %d of port %u is of class %u, and DSCP %d of port 0 of class %u (expected "
                "the same class: see dscp)",
                dscp[p], p, config->class_of_dscp[dscp[p]], dscp[0], config->class_of_dscp[dscp[0]]);
    }
    for (uint32_t tc = 0; tc < mmu->classes; tc++)
        mmu->trim[tc].to.i = config->class_of_dscp[dscp[0]];
    return true;
}

/* The MMUs, rates and delays, from the sections before. */
static bool fill_switch(struct build *build, struct dataplane_config *config, const struct dataplane_settings *settings)
{
    const struct sim_config *sim = &build->scenario->config;
    const struct topology *topology = &build->scenario->topology;
    struct arena *arena = build->reader.arena;
    weir_bps *rates = arena_take_array(arena, config->ports, sizeof *rates);
    weir_ps *delays = arena_take_array(arena, config->ports, sizeof *delays);
    struct weir_uplink *uplinks = arena_take_array(arena, config->ports, sizeof *uplinks);
    struct weir_mmu_config *mmu = arena_take(arena, sizeof *mmu);
    if (rates == NULL || delays == NULL || uplinks == NULL || mmu == NULL)
        return weir_fail_memory(build->reader.error);
    config->gap_bytes = sim->wire.gap_bytes + FCS_BYTES;
    config->pfc_quanta = sim->pfc.quanta;
    for (uint32_t p = 0; p < config->ports; p++) { /* links are ordered by host, and so by port */
        rates[p] = topology->links[p].rate_bps;
        delays[p] = topology->links[p].delay_ps;
        uplinks[p] = (struct weir_uplink){.mtu_bytes = config->mtu_bytes + ETHERNET_BYTES + TAGS_BYTES,
                                          .least_bytes = LEAST_BYTES,
                                          .gap_bytes = config->gap_bytes,
                                          .processing_bytes = processing_bytes(config, &sim->pfc, rates[p]),
                                          .delay_ps = delays[p]};
        uplinks[p].headroom_cells = switch_headroom_cells(&sim->tiers[0], &uplinks[p], rates[p]);
    }
    config->delays_ps = settings->delay_line ? delays : NULL;
    const struct switch_ports ports = {config->ports, rates, uplinks, weir_hash(sim->seed, topology->hosts),
                                       sim->oracles != NULL ? sim->oracles[0] : NULL};
    config->sw = switch_config_make(&sim->tiers[0], &ports, mmu);
    mmu->gives = WEIR_GIVES_FLOWS; /* headers do not say how much of a flow has come */
    return !settings->trim_by_dscp || fill_trim_class(build, config, mmu);
}

/* One DSCP for all ports, or a map of DSCP to ports. */
static bool read_trim_dscp(struct build *build, const struct node *node, struct dataplane_config *config)
{
    struct reader *reader = &build->reader;
    const struct read_numbers ports = {"trim_dscp", config->ports - 1, "DSCP", DATAPLANE_DSCP_COUNT - 1};
    const struct read_numbers dscp = {"trim_dscp", DATAPLANE_DSCP_COUNT - 1, NULL, 0};
    struct numbers one;
    if (node->kind == NODE_MAP)
        return read_class_map(reader, &ports, node, (uint8_t *)config->trim_dscp);
    if (!read_numbers(reader, &dscp, node, &one))
        return false;
    if (one.count != 1)
        return reader_fail(reader, node, "trim_dscp: %u numbers (expected one, or a map of DSCP to ports)", one.count);
    memset(config->trim_dscp, (int)one.at[0], sizeof config->trim_dscp);
    return true;
}

bool read_dataplane(struct build *build)
{
    struct reader *reader = &build->reader;
    struct scenario *scenario = build->scenario;
    struct dataplane_settings settings;
    const struct node *map = read_section(build, "dataplane", NODE_MAP);
    scenario->has_dataplane = build->for_switch || node_find(build->root, "dataplane") != NULL;
    if (map == NULL || !scenario->has_dataplane)
        return map != NULL;
    section_defaults(&dataplane_section, &settings, 0);
    if ((!build->broken && !check_topology(build)) || !section_read(reader, &dataplane_section, map, 0, &settings) ||
        build->broken)
        return false;
    struct node *shown = section_show(reader, &dataplane_section, 0, &settings);
    if (shown == NULL)
        return weir_fail_memory(reader->error);
    struct dataplane_config *config = &scenario->dataplane;
    *config = settings.config;
    config->ports = scenario->topology.hosts;
    /* What is no plain key; each part is shown if it was said. */
    const struct node *cpus = node_find(map, "cpus"), *dscp = node_find(map, "dscp"), *pcp = node_find(map, "pcp");
    const struct node *trim_dscp = node_find(map, "trim_dscp");
    const struct node *devices = node_find(map, "devices"), *addresses = node_find(map, "addresses");
    const struct read_numbers of_dscp = {.name = "dscp", .most = DATAPLANE_DSCP_COUNT - 1};
    const struct read_numbers of_pcp = {.name = "pcp", .most = DATAPLANE_PCP_COUNT - 1};
    clamp_classes(config->class_of_dscp, DATAPLANE_DSCP_COUNT, reader->classes);
    clamp_classes(config->class_of_pcp, DATAPLANE_PCP_COUNT, reader->classes);
    if (!read_devices(build, map, config) ||
        (devices != NULL && !section_put(reader, shown, "devices", node_copy(reader->arena, devices))) ||
        (cpus != NULL &&
         (!read_cpus(build, cpus, config) || !section_put(reader, shown, "cpus", show_cpus(reader, config)))) ||
        (dscp != NULL &&
         (!read_class_map(reader, &of_dscp, dscp, config->class_of_dscp) ||
          !section_put(reader, shown, "dscp", numbers_show_class_map(reader, of_dscp.most, config->class_of_dscp)))) ||
        (pcp != NULL &&
         (!read_class_map(reader, &of_pcp, pcp, config->class_of_pcp) ||
          !section_put(reader, shown, "pcp", numbers_show_class_map(reader, of_pcp.most, config->class_of_pcp)))) ||
        (trim_dscp != NULL && (!read_trim_dscp(build, trim_dscp, config) ||
                               !section_put(reader, shown, "trim_dscp", node_copy(reader->arena, trim_dscp)))) ||
        (addresses != NULL && (!read_addresses(build, addresses, config) ||
                               !section_put(reader, shown, "addresses", numbers_show_addresses(reader, config)))))
        return false;
    if (!section_put(reader, build->shown, "dataplane", shown) || !fill_switch(build, config, &settings))
        return false;
    /* What only the simulator does. */
    const struct node *pfc = node_find(build->root, "pfc");
    const struct node *watchdog = pfc != NULL ? node_find(pfc, "watchdog") : NULL;
    if (build->for_switch && watchdog != NULL && build->scenario->config.pfc.watchdog_detect_ps != 0 &&
        !read_warn(build, watchdog, "pfc.watchdog has no effect: weir-switch has none"))
        return false;
    if (build->for_switch && config->sw.mmu->lossless_mask != 0 && config->reaction_ps > 0 &&
        !check_reaction(build, config))
        return false;
    if (!weir_switch_config_check(&config->sw, reader->error))
        return reader_place(reader, node_find(build->root, "switch"), NULL);
    const bool complete = build->for_switch && config->devices != NULL;
    return !complete || dataplane_config_check(config, reader->error) || reader_place(reader, own_section(build), NULL);
}

bool read_testbed(struct build *build)
{
    struct reader *reader = &build->reader;
    struct scenario_testbed *testbed = &build->scenario->testbed;
    const struct node *map = read_section(build, "testbed", NODE_MAP);
    section_defaults(&testbed_section, testbed, 0);
    if (map == NULL || node_find(build->root, "testbed") == NULL)
        return map != NULL;
    if (!section_read(reader, &testbed_section, map, 0, testbed))
        return false;
    testbed->has = true;
    return section_put(reader, build->shown, "testbed", section_show(reader, &testbed_section, 0, testbed));
}

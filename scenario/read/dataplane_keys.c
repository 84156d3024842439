/*
 * dataplane_keys.c - the tables of `dataplane` and `testbed`. Defaults are those of switch/dpdk/config.h.
 */
#include "scenario/read/dataplane_settings.h"

#define MTU_LEAST 68 /* of IPv4 */
#define MTU_MOST 9600
#define FRAMES_LEAST 32
#define FRAMES_MOST 32768
#define SCALE_MAX 1000000

static const char *const devices_value[] = {"list of devices", NULL};
static const char *const cpus_value[] = {"section dataplane.cpus", NULL};
static const char *const class_map_value[] = {"map of classes to numbers", NULL};
static const char *const addresses_value[] = {"map of addresses to ports", NULL};
static const char *const numbers_value[] = {"number, range, or list of them", NULL};
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
    .keys = dataplane_keys,
    .count = KEYS_COUNT(dataplane_keys),
    .size = sizeof(struct dataplane_settings),
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
    .keys = cpus_keys,
    .count = KEYS_COUNT(cpus_keys),
    .size = sizeof(struct dataplane_settings),
    .defaults = dataplane_defaults,
    .place = "dataplane.cpus",
    .help = "Processors of the modules, by the numbers of the operating system. Several may share one.",
};

static const char *const switch_choices[] = {"weir-switch", "bmv2", NULL}; /* in the order of a flag */

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

static void testbed_defaults(void *target, uint32_t kind)
{
    (void)kind;
    *(struct scenario_testbed *)target = (struct scenario_testbed){.scale = 100, .initial_window = 10};
}

const struct section testbed_section = {
    .name = "testbed",
    .keys = testbed_keys,
    .count = KEYS_COUNT(testbed_keys),
    .size = sizeof(struct scenario_testbed),
    .defaults = testbed_defaults,
    .place = "testbed",
    .help = "`weir testbed`: hosts in network namespaces, a switch between them, and the TCP of the kernel.",
};

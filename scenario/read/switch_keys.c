/*
 * switch_keys.c - the tables of `switch` and `switch.ecn`: see switch_settings.h.
 */
#include "scenario/read/switch_settings.h"

#define CELL_BYTES_MAX 65536
#define BYTES_MAX (WEIR_BUFFER_CELLS_MAX * (int64_t)CELL_BYTES_MAX)

static const char *const scheduler_names[] = {"fifo", "strict", "rr", "wrr", "drr", "strict-drr", NULL};
static const char *const ecn_value[] = {"section switch.ecn", NULL};
static const char *const trim_value[] = {"section switch.trim", NULL};
static const char *const policy_value[] = {
    "name of a policy, or a map of `name`, its parameters, and `file` if it is not weir's own", NULL};
static const char *const oracle_value[] = {"section switch.oracle", NULL};
static const char *const headroom_value[] = {"name of a headroom scheme, or a map of `name` and its parameters", NULL};
static const char *const tiers_value[] = {"map of tiers to sections like this one", NULL};

static const struct key switch_keys[] = {
    [SWITCH_PORTS_PER_MEMORY] = {.name = "ports_per_memory",
                                 .kind = KEY_COUNT,
                                 KEY_FIELD(struct settings, ports_per_memory),
                                 .min = 1,
                                 .max = WEIR_PORTS_MAX,
                                 .word = "all",
                                 .word_value = 0,
                                 .help = "Ports that share one MMU; a switch has as many MMUs as it takes."},
    [SWITCH_CELL] = {.name = "cell",
                     .kind = KEY_SPACE,
                     KEY_FIELD(struct settings, cell_bytes),
                     .min = 1,
                     .max = CELL_BYTES_MAX,
                     .help = "Unit of buffer space: a packet occupies whole cells."},
    [SWITCH_CLASSES] = {.name = "classes",
                        .kind = KEY_COUNT,
                        KEY_FIELD(struct settings, classes),
                        .min = 1,
                        .max = WEIR_CLASSES_MAX,
                        .help = "Traffic classes of a port; the same number in every tier."},
    [SWITCH_BUFFER] = {.name = "buffer",
                       .kind = KEY_BUFFER,
                       .required = true,
                       KEY_FIELD(struct settings, buffer_bytes),
                       .min = 1,
                       .max = BYTES_MAX,
                       .help = "Buffer of one MMU, at most 2147483647 cells."},
    [SWITCH_LOSSLESS] = {.name = "lossless",
                         .kind = KEY_CLASSES,
                         .later = true,
                         KEY_FIELD(struct settings, lossless),
                         .max = SIM_PFC_CLASSES_MAX - 1,
                         .word = "none",
                         .word_value = 0,
                         .help = "Classes whose packets are never dropped: senders are paused by PFC, which knows "
                                 "classes 0 to 7. The same in every tier; needs `headroom`."},
    {.name = "headroom",
     .kind = KEY_OTHER,
     .later = true,
     .choices = headroom_value,
     .help = "When senders of lossless classes are paused, and what is reserved for packets under way: see `weir "
             "policies`."},
    {.name = "headroom_size",
     .kind = KEY_SPACE,
     .later = true,
     KEY_FIELD(struct settings, headroom_bytes),
     .max = BYTES_MAX,
     .word = "safe",
     .word_value = HEADROOM_SAFE,
     .other_word = "equation",
     .other_value = HEADROOM_EQUATION,
     .help = "What may arrive for a lossless queue after a pause was decided. safe: every term, from rate, delay and "
             "largest packet of the link; equation: 2 (rate * delay + packet) + 3840 B."},
    {.name = "private",
     .kind = KEY_SPACE,
     KEY_ROW(struct settings, own_bytes),
     .max = BYTES_MAX,
     .help = "Private minimum of each queue of the class, at output ports, or at input ports where the "
             "class is lossless. Together they fit the buffer."},
    {.name = "policy",
     .kind = KEY_OTHER,
     .required = true,
     .choices = policy_value,
     .help = "Who may enter the buffer and who loses a packet: see `weir policies`."},
    {.name = "oracle",
     .kind = KEY_OTHER,
     .of = &oracle_section,
     .later = true,
     .choices = oracle_value,
     .help = "Who answers a policy that asks what LQD would lose."},
    {.name = "scheduler",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct settings, scheduler),
     .choices = scheduler_names,
     .help = "Which class of a port sends next; a higher class is a higher priority."},
    {.name = "quantum",
     .kind = KEY_SPACE,
     KEY_FIELD(struct settings, quantum_bytes),
     .min = WEIR_QUANTUM_MIN_BYTES,
     .max = INT32_MAX,
     .help = "drr: per unit of weight and turn."},
    {.name = "weights",
     .kind = KEY_COUNT,
     KEY_ROW(struct settings, weight),
     .min = 1,
     .max = 1000000,
     .help = "wrr and drr: the share of each class."},
    {.name = "strict_from",
     .kind = KEY_COUNT,
     KEY_FIELD(struct settings, strict_from),
     .max = WEIR_CLASSES_MAX,
     .help = "strict-drr: the lowest strict class."},
    {.name = "ecn", .kind = KEY_OTHER, .of = &ecn_section, .choices = ecn_value, .help = "When packets are marked."},
    {.name = "trim",
     .kind = KEY_OTHER,
     .of = &trim_section,
     .later = true,
     .choices = trim_value,
     .help = "Lost packets go on without their payload."},
    {.name = "memory_rate",
     .kind = KEY_RATE,
     KEY_FIELD(struct settings, memory_bps),
     .min = WEIR_RATE_BPS_MIN,
     .max = WEIR_RATE_BPS_MAX,
     .word = "ports",
     .word_value = 0,
     .help = "Memory read bandwidth of an MMU; expulsion uses what is left. ports: the sum of its ports' rates."},
    {.name = "memory_cell",
     .kind = KEY_SPACE,
     KEY_FIELD(struct settings, memory_cell_bytes),
     .min = 1,
     .max = WEIR_PACKET_BYTES_MAX,
     .help = "Unit of one memory read."},
    {.name = "memory_depth",
     .kind = KEY_COUNT,
     KEY_FIELD(struct settings, memory_depth_cells),
     .max = WEIR_PACKET_BYTES_MAX,
     .help = "Memory cells of bandwidth that may be saved up for expulsion."},
    {.name = "descriptors",
     .kind = KEY_COUNT,
     KEY_FIELD(struct settings, descriptors),
     .min = 1,
     .max = DESCRIPTORS_MAX,
     .word = "auto",
     .word_value = 0,
     .help = "Packets an MMU can hold, whatever their size; auto: as many as it has cells, at most 65536, and with "
             "lossless classes as many as fit of the smallest packet: 64 bytes, or an ACK, or a header and a byte, if "
             "that is less."},
    {.name = "device_queue",
     .kind = KEY_COUNT,
     KEY_FIELD(struct settings, device_packets),
     .max = SIM_DEVICE_PACKETS_MAX,
     .help =
         "Packets that wait between the buffer and the link of a port, where no policy, scheduler or mark sees them; "
         "the one being sent not counted. Simulated switches only, without lossless classes."},
    {.name = "tiers",
     .kind = KEY_OTHER,
     .choices = tiers_value,
     .help = "Keys that differ in one tier: leaf, spine; edge, aggregation, core; tier0 to tier3 of an explicit "
             "topology. A key here takes the place of the same key of the switch."},
};

static void settings_defaults(void *target, uint32_t kind)
{
    struct weir_mmu_config usual;
    struct settings *s = target;
    (void)kind;
    weir_mmu_config_init(&usual, 1, 1, 1 << 20);
    *s = (struct settings){.cell_bytes = usual.cell_bytes,
                           .classes = usual.classes,
                           .scheduler = usual.scheduler.kind,
                           .quantum_bytes = usual.scheduler.quantum_bytes,
                           .memory_cell_bytes = usual.memory_cell_bytes,
                           .memory_depth_cells = usual.memory_depth_cells,
                           .buffer_bytes = usual.buffer_cells,
                           .headroom_bytes = HEADROOM_SAFE,
                           .ecn = {.hosts = true}};
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++)
        s->weight[tc] = 1;
}

const struct section switch_section = {
    .name = "switch",
    SECTION_KEYS(struct settings, switch_keys),
    .defaults = settings_defaults,
    .place = "switch",
    .help = "The switches: buffer, classes, scheduler, marking and buffer policy.",
};

static const char *const ecn_kinds[] = {"none", "step", "red", NULL};
static const char *const ecn_places[] = {"arrival", "departure", NULL};
static const struct key ecn_keys[] = {
    {.name = "kind",
     .kind = KEY_CHOICE,
     KEY_ROW(struct ecn, kind),
     .choices = ecn_kinds,
     .help = "step: at or above `low`; red: with a chance that grows from 0 at `low` to `chance` at `high`."},
    {.name = "low",
     .kind = KEY_SPACE,
     KEY_ROW(struct ecn, low),
     .max = BYTES_MAX,
     .help = "Length of the queue, the arriving packet included."},
    {.name = "high",
     .kind = KEY_SPACE,
     KEY_ROW(struct ecn, high),
     .max = BYTES_MAX,
     .help = "red: every packet is marked above it."},
    {.name = "chance",
     .kind = KEY_RATIO,
     KEY_ROW(struct ecn, chance),
     .max = WEIR_Q16_ONE,
     .help = "red: the chance reached at `high`."},
    {.name = "at",
     .kind = KEY_CHOICE,
     .later = true,
     KEY_FIELD(struct ecn, at),
     .choices = ecn_places,
     .help = "When a packet is marked: as it enters, by the length of its queue with it, or as it leaves, by what it "
             "leaves behind. departure: simulated switches only."},
    {.name = "hosts",
     .kind = KEY_FLAG,
     .later = true,
     KEY_FIELD(struct ecn, hosts),
     .max = 1,
     .help = "at departure: ports to hosts mark too."},
};

const struct section ecn_section = {
    .name = "ecn",
    SECTION_KEYS(struct ecn, ecn_keys),
    .initial = &(const struct ecn){.hosts = 1},
    .place = "switch.ecn",
    .help = "When a switch marks packets of ECN-capable transports, by class.",
};

static const char *const trim_losses[] = {"refused", "pushed-out", "expelled", "all", "none", NULL};
static const char *const trim_ecn[] = {"keep", "clear", "mark", NULL};
static const char *const trim_ingress[] = {"ask", "skip", NULL};
static const struct key trim_keys[] = {
    {.name = "class",
     .kind = KEY_CLASSES,
     .required = true,
     KEY_FIELD(struct trim, classes),
     .max = WEIR_CLASSES_MAX - 1,
     .help = "Classes whose packets are cut instead of lost; not lossless ones."},
    {.name = "to",
     .kind = KEY_COUNT,
     .required = true,
     KEY_FIELD(struct trim, to),
     .max = WEIR_CLASSES_MAX - 1,
     .help = "Class that the cut packet is offered to, at the same port and by that class's own rule: a lossy one that "
             "is not trimmed. It keeps this class on the rest of its way."},
    {.name = "size",
     .kind = KEY_SPACE,
     KEY_FIELD(struct trim, bytes),
     .min = 1,
     .max = WEIR_PACKET_BYTES_MAX,
     .help = "What is left of a packet: at least its headers. A packet that is no longer is offered whole."},
    {.name = "losses",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct trim, losses),
     .choices = trim_losses,
     .help = "Which packets are cut. refused: on arrival, as switches do; pushed-out: these, and those that made room "
             "for others; expelled: refused ones, and those expelled in spare memory bandwidth; all: every one but "
             "those of a failed link; none: no trimming."},
    {.name = "ecn",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct trim, ecn),
     .choices = trim_ecn,
     .help = "Of the cut packet: as ECN-capable as it was, not capable, or marked if it was capable."},
    {.name = "ingress",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct trim, ingress),
     .choices = trim_ingress,
     .help = "Whether a headroom scheme that is asked about lossy packets is asked about cut ones again."},
    {.name = "newest",
     .kind = KEY_RATIO,
     .later = true,
     KEY_FIELD(struct trim, newest),
     .max = WEIR_Q16_ONE,
     .help = "Chance, in 128ths, that the newest packet of its queue is cut instead of one that is refused, and makes "
             "room for it; it has as many cells. What is pushed out is then cut too. Not where a headroom scheme is "
             "asked about lossy packets."},
};

const struct section trim_section = {
    .name = "trim",
    SECTION_KEYS(struct trim, trim_keys),
    .initial = &(const struct trim){.bytes = 128},
    .place = "switch.trim",
    .help =
        "Packet trimming, as SAI has it: a packet that the buffer loses is cut to its headers and offered to another "
        "class of its port, so that its receiver learns of the loss.",
};

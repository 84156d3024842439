/*
 * read_transports.c - `transports`: named ways to send a flow. Defaults are sim's (sim_transport_init), by kind.
 */
#include <string.h>

#include "scenario/read.h"
#include "sim/transport.h"

enum { NEWRENO, CUBIC, DCTCP, UDP };
enum {
    IN_TCP = 1 << NEWRENO | 1 << CUBIC | 1 << DCTCP,
    IN_CUBIC = 1 << CUBIC,
    IN_DCTCP = 1 << DCTCP,
    IN_UDP = 1 << UDP
};

static const char *const transport_kinds[] = {"newreno", "cubic", "dctcp", "udp", NULL};

#define FIELD(field) KEY_FIELD(struct sim_transport, field)
#define TIME_MAX (1000 * WEIR_PS_PER_S)
#define SEGMENTS_MAX (1 << 20)

static const struct key transport_keys[] = {
    {.name = "class",
     .kind = KEY_COUNT,
     FIELD(data_class),
     .max = WEIR_CLASSES_MAX - 1,
     .help = "Class of its data packets."},
    {.name = "ack_class",
     .kind = KEY_COUNT,
     .kinds = IN_TCP,
     FIELD(ack_class),
     .max = WEIR_CLASSES_MAX - 1,
     .help = "Class of its ACKs."},
    {.name = "initial_window",
     .kind = KEY_COUNT,
     .kinds = IN_TCP,
     FIELD(initial_window_segments),
     .min = 1,
     .max = SEGMENTS_MAX,
     .word = "flow",
     .word_value = 0,
     .help = "Segments that may be sent before the first ACK; flow: all of them."},
    {.name = "max_window",
     .kind = KEY_COUNT,
     .kinds = IN_TCP,
     FIELD(max_window_segments),
     .min = 1,
     .max = UINT16_MAX,
     .help = "Most segments in flight."},
    {.name = "min_rto",
     .kind = KEY_TIME,
     .kinds = IN_TCP,
     FIELD(min_rto_ps),
     .min = WEIR_PS_PER_US,
     .max = TIME_MAX,
     .help = "Least retransmission timeout."},
    {.name = "initial_rto",
     .kind = KEY_TIME,
     .kinds = IN_TCP,
     FIELD(initial_rto_ps),
     .min = WEIR_PS_PER_US,
     .max = TIME_MAX,
     .help = "Retransmission timeout before the first measured round trip."},
    {.name = "max_rto",
     .kind = KEY_TIME,
     .kinds = IN_TCP,
     FIELD(max_rto_ps),
     .min = WEIR_PS_PER_US,
     .max = TIME_MAX,
     .help = "Greatest retransmission timeout."},
    {.name = "sack",
     .kind = KEY_FLAG,
     .kinds = IN_TCP,
     FIELD(sack),
     .max = 1,
     .help = "Selective acknowledgements; no: recovery by duplicate ACKs (RFC 6582)."},
    {.name = "handshake",
     .kind = KEY_FLAG,
     .kinds = IN_TCP,
     FIELD(handshake),
     .max = 1,
     .help = "A SYN and its answer come first."},
    {.name = "slow_start",
     .kind = KEY_FLAG,
     .kinds = IN_TCP,
     FIELD(slow_start),
     .max = 1,
     .help = "Slow start; no: congestion avoidance from the first ACK on."},
    {.name = "ecn",
     .kind = KEY_FLAG,
     .kinds = 1 << NEWRENO | 1 << CUBIC,
     FIELD(ecn),
     .max = 1,
     .help = "Classic ECN (RFC 3168)."},
    {.name = "ack_every",
     .kind = KEY_COUNT,
     .kinds = IN_TCP,
     FIELD(ack_every),
     .min = 1,
     .max = 64,
     .help = "Segments per ACK; 2 is the usual delayed ACK."},
    {.name = "ack_delay",
     .kind = KEY_TIME,
     .kinds = IN_TCP,
     FIELD(ack_delay_ps),
     .min = 0,
     .max = WEIR_PS_PER_S,
     .help = "A delayed ACK waits at most this long."},
    {.name = "gain",
     .kind = KEY_RATIO,
     .kinds = IN_DCTCP,
     FIELD(dctcp_gain),
     .min = 1,
     .max = WEIR_Q16_ONE,
     .help = "g, the weight of the newest part of marked packets."},
    {.name = "initial_alpha",
     .kind = KEY_RATIO,
     .kinds = IN_DCTCP,
     FIELD(dctcp_initial),
     .min = 0,
     .max = WEIR_Q16_ONE,
     .help = "Alpha, the estimated part of marked packets, of a new flow."},
    {.name = "c",
     .kind = KEY_RATIO,
     .kinds = IN_CUBIC,
     FIELD(cubic_c),
     .min = 1,
     .max = 1000 * WEIR_Q16_ONE,
     .help = "C of RFC 9438: how fast the window grows."},
    {.name = "beta",
     .kind = KEY_RATIO,
     .kinds = IN_CUBIC,
     FIELD(cubic_beta),
     .min = 1,
     .max = WEIR_Q16_ONE - 1,
     .help = "Part of the window that is left after a loss."},
    {.name = "friendly",
     .kind = KEY_FLAG,
     .kinds = IN_CUBIC,
     FIELD(cubic_friendly),
     .max = 1,
     .help = "Never slower than Reno would be (RFC 9438, section 4.3)."},
    {.name = "rate",
     .kind = KEY_RATE,
     .kinds = IN_UDP,
     FIELD(rate_bps),
     .min = 1000,
     .max = WEIR_RATE_BPS_MAX,
     .help = "Mean rate of a flow while it is on, headers included, gaps not."},
    {.name = "poisson",
     .kind = KEY_FLAG,
     .kinds = IN_UDP,
     FIELD(poisson),
     .max = 1,
     .help = "Exponential gaps between packets; no: constant."},
    {.name = "exponential_sizes",
     .kind = KEY_FLAG,
     .kinds = IN_UDP,
     FIELD(exponential_sizes),
     .max = 1,
     .help = "Packet sizes exponential around the full segment; no: all full."},
    {.name = "on",
     .kind = KEY_TIME,
     .kinds = IN_UDP,
     FIELD(on_ps),
     .min = 0,
     .max = TIME_MAX,
     .help = "Mean time of sending."},
    {.name = "off",
     .kind = KEY_TIME,
     .kinds = IN_UDP,
     FIELD(off_ps),
     .min = 0,
     .max = TIME_MAX,
     .help = "Mean time of silence after it; 0s: always on."},
    {.name = "exponential_periods",
     .kind = KEY_FLAG,
     .kinds = IN_UDP,
     FIELD(exponential_periods),
     .max = 1,
     .help = "Exponential times of sending and silence; no: constant."},
};

static void settings_defaults(void *target, uint32_t kind)
{
    sim_transport_init(target, transport_find(transport_kinds[kind]));
}

const struct section transport_section = {
    .name = "transport",
    .kinds = transport_kinds,
    .keys = transport_keys,
    .count = KEYS_COUNT(transport_keys),
    .size = sizeof(struct sim_transport),
    .defaults = settings_defaults,
    .place = "transports.NAME",
    .help = "A way to send flows, under a name of your own (letters, digits, - and _) by which traffic refers to it.",
};

static bool check_name(struct build *build, const struct node *item)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(item->key);
    if (length >= 1 && length <= 40 && strspn(item->key, letters) == length)
        return true;
    return error_at(build->reader.error, item->key_mark,
                    "'%s' is no name of a transport (expected letters, digits, - and _, at most 40)",
                    error_text(item->key).text);
}

/* What keys say together. */
static bool check_together(struct build *build, const struct node *item, const struct sim_transport *transport)
{
    uint32_t classes = build->scenario->config.tiers[0].mmu.classes;
    if (transport->data_class >= classes || transport->ack_class >= classes)
        return reader_fail(&build->reader, item, "transport: a class that switches do not have (expected 0 to %u)",
                           classes - 1);
    if (transport->min_rto_ps > transport->max_rto_ps)
        return reader_fail(&build->reader, item, "transport: 'min_rto' is above 'max_rto'");
    if (transport->off_ps > 0 && transport->on_ps == 0)
        return reader_fail(&build->reader, item, "transport: 'off' without 'on' (expected both)");
    return true;
}

static bool read_one(struct build *build, const struct node *item, struct sim_transport *transport, struct node *all)
{
    struct reader *reader = &build->reader;
    uint32_t kind = 0;
    if (!check_name(build, item) || !section_read_kind(reader, &transport_section, item, &kind))
        return false;
    settings_defaults(transport, kind);
    if (!section_read(reader, &transport_section, item, kind, transport))
        return false;
    if (!check_together(build, item, transport))
        return false;
    const char *name = arena_text(reader->arena, item->key, strlen(item->key));
    if (name == NULL || node_add_key(all, name, section_show(reader, &transport_section, kind, transport)) == NULL)
        return error_memory(reader->error);
    return true;
}

bool read_transports(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *map = node_find(build->root, "transports");
    if (!reader_expect(reader, map, NODE_MAP, "transports"))
        return false;
    if (map->count == 0)
        return reader_fail(reader, map, "transports: the map is empty (expected at least one)");
    struct sim_transport *transports = arena_take_array(reader->arena, map->count + 1, sizeof *transports);
    const char **names = arena_take_array(reader->arena, map->count + 1, sizeof *names);
    struct node *all = node_collection(reader->arena, NODE_MAP);
    if (transports == NULL || names == NULL || all == NULL)
        return error_memory(reader->error);
    for (const struct node *item = map->first; item != NULL; item = item->next) {
        if (!read_one(build, item, &transports[config->transport_count], all))
            return false;
        names[config->transport_count++] = all->last->key;
    }
    config->transports = transports;
    build->transport_names = names;
    return section_put(reader, build->shown, "transports", all);
}

/*
 * conformance_traffic.c - the frames that are sent: for each input port a capture of bursts towards one output after
 * the other, one output more often than the rest, so that every policy has to refuse or to evict. Sizes, classes, ECN
 * and VLAN tags vary; some frames go to everybody, some to nobody, and some are PAUSE frames.
 */
#include "conformance.h"

#include <string.h>

#include "weir/pfc.h"
#include "weir/random.h"

#define FRAMES 900u /* of a port */
#define FRAME_MAX 1518u
#define BURST_MAX 24u
#define HOT_OUTPUT 0u
#define TAG_BYTES 4u

struct sender {
    struct weir_random random;
    uint32_t input;
    uint32_t output, left; /* of the burst */
    bool lossless;
    uint8_t bytes[FRAME_MAX + TAG_BYTES];
};

static void put_address(uint8_t *at, uint8_t kind, uint32_t number)
{
    const uint8_t address[6] = {0x02, 0, 0, 0, kind, (uint8_t)(number + 1)};
    memcpy(at, address, sizeof address);
}

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* IPv4 and UDP from `at` to the end. */
static void put_packet(struct sender *s, uint8_t *at, uint32_t length)
{
    static const uint8_t not_capable_or_capable[4] = {0, 0, 1, 2};
    uint32_t tos = weir_random_below(&s->random, 8 * CLASSES) << 2;
    tos |= not_capable_or_capable[weir_random_below(&s->random, 4)];
    memset(at, 0, length);
    at[0] = 0x45;
    at[1] = (uint8_t)tos;
    put16(at + 2, length);
    at[8] = 64;
    at[9] = 17;
    at[12] = at[16] = 10;
    at[15] = (uint8_t)(s->input + 1);
    at[19] = (uint8_t)(s->output + 1);
    put16(at + 10, frame_ip_checksum(at));
    put16(at + 20, 1000);
    put16(at + 22, 2000);
    put16(at + 24, length - 20);
    for (uint32_t i = 28; i < length; i++)
        at[i] = (uint8_t)weir_random_bits(&s->random);
}

/* One in so many frames is a special one. */
static void put_odd_address(struct sender *s)
{
    static const uint8_t link_local[6] = {0x01, 0x80, 0xc2, 0, 0, 0x0e};
    switch (weir_random_below(&s->random, 80)) {
    case 0:
        put_address(s->bytes, 0, s->input); /* back to where it comes from */
        break;
    case 1:
        memcpy(s->bytes, link_local, sizeof link_local);
        break;
    case 2:
        s->bytes[6] |= 1; /* a group as source */
        break;
    case 3:
    case 4:
    case 5:
        memset(s->bytes, 0xff, 6);
        break;
    case 6:
    case 7:
        put_address(s->bytes, 7, 70); /* nobody knows it */
        break;
    default:
        break;
    }
}

static uint32_t put_data(struct sender *s, uint32_t number)
{
    static const uint32_t sizes[] = {60, 64, 128, 300, 577, 1000, 1514, 1514};
    uint32_t tag = weir_random_below(&s->random, 8) == 0 ? TAG_BYTES : 0;
    uint32_t length = sizes[weir_random_below(&s->random, sizeof sizes / sizeof *sizes)] + tag;
    if (s->left == 0) {
        s->left = 1 + weir_random_below(&s->random, BURST_MAX);
        uint32_t draw = weir_random_below(&s->random, 2 * PORTS);
        s->output = draw < PORTS ? draw : HOT_OUTPUT;
        if (s->output == s->input)
            s->output = (s->output + 1) % PORTS;
    }
    s->left--;
    put_address(s->bytes, 0, s->output);
    put_address(s->bytes + 6, 1, s->input);
    put16(s->bytes + 12, tag ? 0x8100 : 0x0800);
    if (tag) {
        put16(s->bytes + 14, 42);
        put16(s->bytes + 16, 0x0800);
    }
    put_packet(s, s->bytes + 14 + tag, length - 14 - tag);
    put_odd_address(s);
    uint32_t serial = serial_of(s->input, number);
    put16(s->bytes + length - 4, serial >> 16);
    put16(s->bytes + length - 2, serial);
    return length;
}

/* Pauses one or all classes for a time of a few packets. */
static uint32_t put_pause(struct sender *s)
{
    struct weir_pfc_frame frame = {.enabled = weir_random_below(&s->random, 2) ? 0xff : 1u << LOSSLESS_CLASS};
    put_address(frame.source, 1, s->input);
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        frame.quanta[tc] = frame.enabled >> tc & 1 ? (uint16_t)weir_random_below(&s->random, 200) : 0;
    weir_pfc_encode(&frame, s->bytes);
    return WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES;
}

static bool traffic_write_port(const char *folder, struct sender *sender)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/in%u.pcap", folder, sender->input);
    FILE *file = fopen(path, "wb");
    if (file)
        capture_begin(file);
    for (uint32_t number = 0; file && number < FRAMES; number++) {
        bool pause = sender->lossless && weir_random_below(&sender->random, 40) == 0;
        uint32_t length = pause ? put_pause(sender) : put_data(sender, number);
        capture_put(file, sender->bytes, length);
    }
    bool good = file && !ferror(file);
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "%s cannot be written\n", path);
    return good;
}

bool traffic_write(const char *folder, uint64_t seed, bool lossless)
{
    bool good = true;
    for (uint32_t input = 0; input < PORTS && good; input++) {
        char name[16];
        struct sender sender = {.input = input, .lossless = lossless};
        snprintf(name, sizeof name, "input %u", input);
        sender.random = weir_random_stream(seed, name);
        good = traffic_write_port(folder, &sender);
    }
    return good;
}

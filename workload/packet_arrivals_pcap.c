/*
 * packet_arrivals_pcap.c - packets from a classic pcap file: a header of 24 bytes, then for each packet a header of 16
 * bytes (seconds, fraction, captured and original length) and the captured bytes. The magic number tells the byte order
 * of the headers and the unit of the fraction (draft-ietf-opsawg-pcap).
 */
#include <stdarg.h>
#include <stdio.h>

#include "workload/address_map.h"
#include "workload/packet_arrivals.h"
#include "workload/start_order.h"

#define FILE_HEADER 24u
#define PACKET_HEADER 16u
#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du
#define MAGIC_PCAPNG 0x0a0d0d0au
#define LINK_MASK 0x0fffffffu /* the other bits tell about the frame check sequence */
#define LINK_ETHERNET 1u
#define ETHERTYPE_AT 12u
#define TYPE_IPV4 0x0800u
#define TYPE_IPV6 0x86ddu
#define TYPE_VLAN 0x8100u
#define TYPE_VLAN_SERVICE 0x88a8u
#define VLAN_TAG 4u
#define VLAN_TAGS_MAX 4u
#define BYTES_MAX UINT16_MAX

struct pcap {
    const uint8_t *bytes;
    size_t size, at;
    bool swapped;       /* headers are big-endian */
    uint32_t fractions; /* per second */
    uint32_t hosts;
    struct address_map addresses;
    struct packet_arrivals *arrivals;
    char *message;
};

struct pcap_packet {
    int64_t when_ns;
    const uint8_t *frame;
    uint32_t captured, original;
};

__attribute__((format(printf, 3, 4))) static bool pcap_wrong(const struct pcap *pcap, size_t at, const char *format,
                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(pcap->message, WEIR_MESSAGE_MAX, "byte %zu: ", at);
    vsnprintf(pcap->message + length, WEIR_MESSAGE_MAX - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

static uint32_t read_big_16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t read_big_32(const uint8_t *bytes)
{
    return read_big_16(bytes) << 16 | read_big_16(bytes + 2);
}

static uint64_t read_big_64(const uint8_t *bytes)
{
    return (uint64_t)read_big_32(bytes) << 32 | read_big_32(bytes + 4);
}

static uint32_t read_little_32(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static uint32_t header_32(const struct pcap *pcap, size_t at)
{
    return pcap->swapped ? read_big_32(pcap->bytes + at) : read_little_32(pcap->bytes + at);
}

static bool pcap_open(struct pcap *pcap)
{
    if (pcap->size < FILE_HEADER)
        return pcap_wrong(pcap, pcap->size, "a pcap file begins with %u bytes of header, there are %zu", FILE_HEADER,
                          pcap->size);
    uint32_t little = read_little_32(pcap->bytes), big = read_big_32(pcap->bytes);
    pcap->swapped = big == MAGIC_US || big == MAGIC_NS;
    uint32_t magic = pcap->swapped ? big : little;
    if (magic == MAGIC_PCAPNG)
        return pcap_wrong(pcap, 0, "this is a pcapng file; convert it with `editcap -F pcap`");
    if (magic != MAGIC_US && magic != MAGIC_NS)
        return pcap_wrong(pcap, 0, "0x%08x is not the magic number of a pcap file", big);
    pcap->fractions = magic == MAGIC_NS ? 1000000000u : 1000000u;
    if (header_32(pcap, 4) != (pcap->swapped ? 0x00020004u : 0x00040002u))
        return pcap_wrong(pcap, 4, "expected version 2.4");
    if ((header_32(pcap, 20) & LINK_MASK) != LINK_ETHERNET)
        return pcap_wrong(pcap, 20, "link type %u; only Ethernet (1) is understood", header_32(pcap, 20) & LINK_MASK);
    pcap->at = FILE_HEADER;
    return true;
}

/* The packet at pcap->at, which moves on. */
static bool pcap_take(struct pcap *pcap, struct pcap_packet *packet)
{
    size_t at = pcap->at;
    size_t left = pcap->size - at;
    if (left < PACKET_HEADER)
        return pcap_wrong(pcap, at, "cut short: %zu bytes are left of a packet header of %u", left, PACKET_HEADER);
    uint32_t seconds = header_32(pcap, at), fraction = header_32(pcap, at + 4);
    packet->captured = header_32(pcap, at + 8);
    packet->original = header_32(pcap, at + 12);
    if (fraction >= pcap->fractions)
        return pcap_wrong(pcap, at + 4, "%u fractions of a second; there are %u in one", fraction, pcap->fractions);
    if (packet->captured > packet->original)
        return pcap_wrong(pcap, at + 8, "%u bytes captured of a packet of %u", packet->captured, packet->original);
    if (packet->original < 1 || packet->original > BYTES_MAX)
        return pcap_wrong(pcap, at + 12, "a packet of %u bytes; 1 to %u are possible", packet->original, BYTES_MAX);
    if (packet->captured > left - PACKET_HEADER)
        return pcap_wrong(pcap, at + PACKET_HEADER, "cut short: %zu bytes are left of a packet of %u",
                          left - PACKET_HEADER, packet->captured);
    packet->when_ns = (int64_t)seconds * 1000000000 + (int64_t)fraction * (1000000000 / pcap->fractions);
    packet->frame = pcap->bytes + at + PACKET_HEADER;
    pcap->at = at + PACKET_HEADER + packet->captured;
    return true;
}

enum frame_status { FRAME_IP, FRAME_NOT_IP, FRAME_CUT };

/* The addresses of a frame, as far as it was captured. */
static enum frame_status frame_addresses(const struct pcap_packet *packet, struct address *from, struct address *to)
{
    size_t at = ETHERTYPE_AT; /* of the type field; then of what follows it */
    uint32_t type = TYPE_VLAN;
    for (uint32_t tags = 0; tags <= VLAN_TAGS_MAX && (type == TYPE_VLAN || type == TYPE_VLAN_SERVICE); tags++) {
        if (packet->captured < at + 2)
            return FRAME_CUT;
        type = read_big_16(packet->frame + at);
        at += type == TYPE_VLAN || type == TYPE_VLAN_SERVICE ? VLAN_TAG : 2;
    }
    if (type != TYPE_IPV4 && type != TYPE_IPV6)
        return FRAME_NOT_IP;
    const uint8_t *ip = packet->frame + at;
    size_t left = packet->captured - at;
    if (type == TYPE_IPV4) {
        if (left < 20)
            return FRAME_CUT;
        const uint64_t mapped = UINT64_C(0xffff00000000);
        *from = (struct address){0, mapped | read_big_32(ip + 12)};
        *to = (struct address){0, mapped | read_big_32(ip + 16)};
        return ip[0] >> 4 == 4 ? FRAME_IP : FRAME_NOT_IP;
    }
    if (left < 40)
        return FRAME_CUT;
    *from = (struct address){read_big_64(ip + 8), read_big_64(ip + 16)};
    *to = (struct address){read_big_64(ip + 24), read_big_64(ip + 32)};
    return ip[0] >> 4 == 6 ? FRAME_IP : FRAME_NOT_IP;
}

/* Lists the packet, with its time still in nanoseconds. */
static bool pcap_list(struct pcap *pcap, const struct pcap_packet *packet)
{
    struct address from, to;
    switch (frame_addresses(packet, &from, &to)) {
    case FRAME_NOT_IP:
        pcap->arrivals->not_ip++;
        return true;
    case FRAME_CUT:
        pcap->arrivals->cut++;
        return true;
    default:
        break;
    }
    uint32_t source, destination;
    if (!address_map_number(&pcap->addresses, from, &source) || !address_map_number(&pcap->addresses, to, &destination))
        return false;
    source %= pcap->hosts;
    destination %= pcap->hosts;
    struct listed_packet listed = {
        .start_ps = packet->when_ns,
        .source = source == destination ? (source + 1) % pcap->hosts : source,
        .destination = destination,
        .bytes = packet->original,
    };
    return packet_arrivals_add(pcap->arrivals, &listed);
}

/* Sorts, and turns nanoseconds since 1970 into picoseconds since the first packet. */
static bool pcap_set_times(const struct pcap *pcap)
{
    struct packet_arrivals *arrivals = pcap->arrivals;
    if (arrivals->count == 0)
        return true;
    if (!start_order_sort(arrivals->at, sizeof *arrivals->at, arrivals->count))
        return pcap_wrong(pcap, pcap->size, "out of memory");
    weir_ps first_ns = arrivals->at[0].start_ps;
    weir_ps span_ns = arrivals->at[arrivals->count - 1].start_ps - first_ns;
    if (span_ns > WEIR_TIME_MAX / WEIR_PS_PER_NS)
        return pcap_wrong(pcap, pcap->size, "the packets span %lld s; at most 53 days are possible",
                          (long long)(span_ns / 1000000000));
    for (uint32_t i = 0; i < arrivals->count; i++)
        arrivals->at[i].start_ps = (arrivals->at[i].start_ps - first_ns) * WEIR_PS_PER_NS;
    return true;
}

static bool pcap_read(struct pcap *pcap)
{
    if (pcap->hosts < 2)
        return pcap_wrong(pcap, 0, "packets need two hosts, there are %u", pcap->hosts);
    if (!pcap_open(pcap))
        return false;
    while (pcap->at < pcap->size) {
        struct pcap_packet packet = {0};
        if (!pcap_take(pcap, &packet))
            return false;
        if (!pcap_list(pcap, &packet))
            return pcap_wrong(pcap, pcap->at, "out of memory");
    }
    return pcap_set_times(pcap);
}

bool packet_arrivals_from_pcap(struct packet_arrivals *arrivals, const uint8_t *bytes, size_t size, uint32_t hosts,
                               char message[WEIR_MESSAGE_MAX])
{
    struct pcap pcap = {.bytes = bytes, .size = size, .hosts = hosts, .arrivals = arrivals, .message = message};
    bool read = pcap_read(&pcap);
    address_map_free(&pcap.addresses);
    if (!read)
        packet_arrivals_free(arrivals);
    return read;
}

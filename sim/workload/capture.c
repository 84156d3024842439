/*
 * capture.c - packets from a capture: pcap or pcapng, whatever libpcap reads. A capture of hosts that the simulation
 * does not have is folded onto the ones it has: addresses are numbered in the order in which they appear, modulo the
 * number of hosts.
 */
#define _GNU_SOURCE 1
#include <pcap/pcap.h>
#include <stdio.h>

#include "sim/workload/address_map.h"
#include "sim/workload/packet_arrivals.h"
#include "sim/workload/start_order.h"

#define ETHERTYPE_AT 12u
#define TYPE_IPV4 0x0800u
#define TYPE_IPV6 0x86ddu
#define TYPE_VLAN 0x8100u
#define TYPE_VLAN_SERVICE 0x88a8u
#define VLAN_TAG 4u
#define VLAN_TAGS_MAX 4u
#define BYTES_MAX UINT16_MAX

struct capture {
    pcap_t *file;
    FILE *in; /* libpcap's: shows how far it has read */
    uint32_t hosts;
    struct address_map addresses;
    struct packet_arrivals *arrivals;
    struct weir_error *error;
};

struct capture_packet {
    int64_t when_ns;
    const uint8_t *frame;
    uint32_t captured, original;
};

/* At the byte that libpcap has read up to. */
static bool capture_wrong(const struct capture *capture, const char *what)
{
    weir_fail(capture->error, WEIR_ERROR_MALFORMED, "%s", what);
    return weir_fail_in(capture->error, "byte", (uint64_t)ftell(capture->in));
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

enum frame_status { FRAME_IP, FRAME_NOT_IP, FRAME_CUT };

struct frame_head {
    struct address from, to;
    uint32_t traffic_class; /* DSCP and ECN */
};

/* What a frame says of itself, as far as it was captured. */
static enum frame_status frame_read(const struct capture_packet *packet, struct frame_head *head)
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
        head->from = (struct address){0, mapped | read_big_32(ip + 12)};
        head->to = (struct address){0, mapped | read_big_32(ip + 16)};
        head->traffic_class = ip[1];
        return ip[0] >> 4 == 4 ? FRAME_IP : FRAME_NOT_IP;
    }
    if (left < 40)
        return FRAME_CUT;
    head->from = (struct address){read_big_64(ip + 8), read_big_64(ip + 16)};
    head->to = (struct address){read_big_64(ip + 24), read_big_64(ip + 32)};
    head->traffic_class = read_big_16(ip) >> 4 & 0xff;
    return ip[0] >> 4 == 6 ? FRAME_IP : FRAME_NOT_IP;
}

/* Lists the packet, with its time still in nanoseconds. */
static bool capture_list(struct capture *capture, const struct capture_packet *packet)
{
    struct frame_head head;
    switch (frame_read(packet, &head)) {
    case FRAME_NOT_IP:
        capture->arrivals->not_ip++;
        return true;
    case FRAME_CUT:
        capture->arrivals->cut++;
        return true;
    default:
        break;
    }
    uint32_t source, destination;
    if (!address_map_number(&capture->addresses, head.from, &source) ||
        !address_map_number(&capture->addresses, head.to, &destination))
        return false;
    source %= capture->hosts;
    destination %= capture->hosts;
    struct listed_packet listed = {
        .start_ps = packet->when_ns,
        .source = source == destination ? (source + 1) % capture->hosts : source,
        .destination = destination,
        .bytes = packet->original,
        .tc = capture->arrivals->class_of_dscp ? capture->arrivals->class_of_dscp[head.traffic_class >> 2] : 0,
        .ecn = (head.traffic_class & 3) != 0,
    };
    return packet_arrivals_add(capture->arrivals, &listed);
}

/* The packet that libpcap returned; its times are nanoseconds, because that is what it was opened with. */
static bool capture_take(struct capture *capture, const struct pcap_pkthdr *header, const uint8_t *frame)
{
    char what[96] = "";
    int64_t seconds = header->ts.tv_sec;
    if (seconds < 0) /* libpcap takes the 32 bits of a pcap file for a signed number */
        seconds += INT64_C(1) << 32;
    if (seconds < 0 || seconds > INT64_MAX / 1000000000 - 1 || header->ts.tv_usec < 0 || header->ts.tv_usec > 999999999)
        return capture_wrong(capture, "the time of the packet is out of range");
    if (header->caplen > header->len)
        snprintf(what, sizeof what, "%u bytes captured of a packet of %u", header->caplen, header->len);
    else if (header->len < 1 || header->len > BYTES_MAX)
        snprintf(what, sizeof what, "a packet of %u bytes; 1 to %u are possible", header->len, BYTES_MAX);
    if (what[0] != '\0')
        return capture_wrong(capture, what);
    const struct capture_packet packet = {.when_ns = seconds * 1000000000 + header->ts.tv_usec,
                                          .frame = frame,
                                          .captured = header->caplen,
                                          .original = header->len};
    return capture_list(capture, &packet) || weir_fail_memory(capture->error);
}

static bool capture_read(struct capture *capture)
{
    if (pcap_datalink(capture->file) != DLT_EN10MB) {
        char what[96];
        snprintf(what, sizeof what, "link type %d; only Ethernet (1) is understood", pcap_datalink(capture->file));
        return capture_wrong(capture, what);
    }
    for (;;) {
        struct pcap_pkthdr *header;
        const uint8_t *frame;
        int status = pcap_next_ex(capture->file, &header, &frame);
        if (status == PCAP_ERROR_BREAK) {
            /* Sorts, and turns nanoseconds since 1970 into picoseconds since the first packet. */
            struct packet_arrivals *arrivals = capture->arrivals;
            if (arrivals->count == 0)
                return true;
            if (!start_order_sort(arrivals->at, sizeof *arrivals->at, arrivals->count))
                return weir_fail_memory(capture->error);
            weir_ps first_ns = arrivals->at[0].start_ps;
            weir_ps span_ns = arrivals->at[arrivals->count - 1].start_ps - first_ns;
            if (span_ns > WEIR_TIME_MAX / WEIR_PS_PER_NS)
                return weir_fail(capture->error, WEIR_ERROR_RANGE,
                                 "the packets span %lld s; at most 53 days are possible",
                                 (long long)(span_ns / 1000000000));
            for (uint32_t i = 0; i < arrivals->count; i++)
                arrivals->at[i].start_ps = (arrivals->at[i].start_ps - first_ns) * WEIR_PS_PER_NS;
            return true;
        }
        if (status < 0)
            return capture_wrong(capture, pcap_geterr(capture->file));
        if (!capture_take(capture, header, frame))
            return false;
    }
}

bool packet_arrivals_from_capture(struct packet_arrivals *arrivals, const uint8_t *bytes, size_t size, uint32_t hosts,
                                  struct weir_error *error)
{
    struct capture capture = {.hosts = hosts, .arrivals = arrivals, .error = error};
    char why[PCAP_ERRBUF_SIZE] = "";
    if (hosts < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "packets need two hosts, there are %u", hosts);
    if (size == 0)
        return weir_fail(error, WEIR_ERROR_MALFORMED, "the capture is empty");
    capture.in = fmemopen((void *)(uintptr_t)bytes, size, "rb");
    if (!capture.in)
        return weir_fail_memory(error);
    capture.file = pcap_fopen_offline_with_tstamp_precision(capture.in, PCAP_TSTAMP_PRECISION_NANO, why);
    bool read = capture.file ? capture_read(&capture) : capture_wrong(&capture, why);
    if (capture.file)
        pcap_close(capture.file); /* closes `in` too */
    else
        fclose(capture.in);
    address_map_free(&capture.addresses);
    if (!read)
        packet_arrivals_free(arrivals);
    return read;
}

/*
 * capture_file.c - see capture_file.h. Files of the machine's byte order only: they are written and read here.
 */
#include "capture_file.h"

#include <stdlib.h>
#include <string.h>

enum { PCAP_US = 0xa1b2c3d4, PCAP_NS = 0xa1b23c4d, PCAP_HEADER = 24, PCAP_RECORD = 16, LINK_ETHERNET = 1 };
enum { NG_SECTION = 0x0a0d0d0a, NG_PACKET = 6, NG_BLOCK_MIN = 12, NG_PACKET_FIXED = 28, NG_COMMENT = 1 };

static uint32_t get32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint16_t get16(const uint8_t *bytes)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static size_t padded(size_t length)
{
    return (length + 3) & ~(size_t)3;
}

static uint8_t *file_image(const char *path, size_t *size)
{
    uint8_t *image = NULL;
    FILE *file = fopen(path, "rb");
    long end = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0)
        image = malloc((size_t)end + 1);
    if (image && fread(image, 1, (size_t)end, file) != (size_t)end) {
        free(image);
        image = NULL;
    }
    if (file)
        fclose(file);
    *size = (size_t)end;
    return image;
}

/* Doubles the room when it is full; there is always room for one more than `count`. */
static struct capture_frame *capture_append(struct capture *capture)
{
    if ((capture->count & (capture->count + 1)) == 0) {
        struct capture_frame *more = realloc(capture->frame, 2 * (capture->count + 1) * sizeof *more);
        if (!more)
            return NULL;
        capture->frame = more;
    }
    struct capture_frame *frame = &capture->frame[capture->count++];
    memset(frame, 0, sizeof *frame);
    return frame;
}

static const char *read_pcap(struct capture *capture, size_t size)
{
    size_t at = PCAP_HEADER;
    if (size < PCAP_HEADER || get32(capture->image + 20) != LINK_ETHERNET)
        return "no capture of Ethernet";
    while (at < size) {
        const uint8_t *record = capture->image + at;
        if (size - at < PCAP_RECORD || size - at - PCAP_RECORD < get32(record + 8))
            return "cut short";
        if (get32(record + 8) != get32(record + 12))
            return "a frame is not there as a whole";
        struct capture_frame *frame = capture_append(capture);
        if (!frame)
            return "out of memory";
        frame->bytes = record + PCAP_RECORD;
        frame->length = get32(record + 8);
        at += PCAP_RECORD + frame->length;
    }
    return NULL;
}

static void read_comment(struct capture_frame *frame, const uint8_t *options, size_t size)
{
    while (size >= 4 && get16(options) != 0 && size - 4 >= padded(get16(options + 2))) {
        size_t length = get16(options + 2);
        if (get16(options) == NG_COMMENT && length < sizeof frame->comment)
            memcpy(frame->comment, options + 4, length); /* zeros are behind it */
        options += 4 + padded(length);
        size -= 4 + padded(length);
    }
}

static const char *read_packet_block(struct capture *capture, const uint8_t *block, size_t size)
{
    if (size < NG_PACKET_FIXED + 4 || size - NG_PACKET_FIXED - 4 < padded(get32(block + 20)))
        return "a packet block is too short";
    if (get32(block + 20) != get32(block + 24))
        return "a frame is not there as a whole";
    struct capture_frame *frame = capture_append(capture);
    if (!frame)
        return "out of memory";
    frame->interface = get32(block + 8);
    frame->when_ns = (uint64_t)get32(block + 12) << 32 | get32(block + 16);
    frame->length = get32(block + 20);
    frame->bytes = block + NG_PACKET_FIXED;
    size_t options = NG_PACKET_FIXED + padded(frame->length);
    read_comment(frame, block + options, size - 4 - options);
    return NULL;
}

static const char *read_pcapng(struct capture *capture, size_t size)
{
    const char *problem = NULL;
    for (size_t at = 0; at < size && !problem;) {
        const uint8_t *block = capture->image + at;
        uint32_t length = size - at < NG_BLOCK_MIN ? 0 : get32(block + 4);
        if (length < NG_BLOCK_MIN || length % 4 != 0 || length > size - at || get32(block + length - 4) != length)
            return "a block is cut short, or its two lengths differ";
        if (get32(block) == NG_PACKET)
            problem = read_packet_block(capture, block, length);
        at += length;
    }
    return problem;
}

bool capture_read(struct capture *capture, const char *path, struct weir_error *error)
{
    size_t size;
    const char *problem = "no capture";
    *capture = (struct capture){.image = file_image(path, &size)};
    uint32_t magic = capture->image && size >= 4 ? get32(capture->image) : 0;
    if (!capture->image)
        problem = "cannot be read";
    else if (magic == (uint32_t)PCAP_US || magic == (uint32_t)PCAP_NS)
        problem = read_pcap(capture, size);
    else if (magic == (uint32_t)NG_SECTION)
        problem = read_pcapng(capture, size);
    if (problem)
        weir_fail(error, WEIR_ERROR_INPUT, "%.160s: %s", path, problem);
    return !problem;
}

void capture_free(struct capture *capture)
{
    free(capture->frame);
    free(capture->image);
    *capture = (struct capture){.count = 0};
}

void capture_begin(FILE *file)
{
    const uint32_t header[PCAP_HEADER / 4] = {(uint32_t)PCAP_NS, 2 | 4 << 16, 0, 0, 65535, LINK_ETHERNET};
    fwrite(header, sizeof header, 1, file);
}

void capture_put(FILE *file, const uint8_t *bytes, uint32_t length)
{
    const uint32_t record[PCAP_RECORD / 4] = {0, 0, length, length};
    fwrite(record, sizeof record, 1, file);
    fwrite(bytes, 1, length, file);
}

/*
 * fuzz_frame.c - any bytes at all as a frame: read as the slow parser of the unit tests reads it, marked without harm,
 * and heard as a PAUSE. The first four bytes choose how the frame is looked at: the class rule, whether the device took
 * a tag off and which, and how many bytes are in another segment.
 */
#include <stdlib.h>
#include <string.h>

#include "switch/dpdk/pause.h"
#include "tests/support/slow_frame.h"

#define CHOICE_BYTES 4u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

/* Marking changes the ECN bits and the checksum, and the checksum stays as right or wrong as it was. */
static void check_mark(const struct frame_rules *rules, const struct frame *frame, const struct frame_info *info)
{
    struct frame_info again;
    uint8_t *copy = malloc(frame->at_hand);
    must(copy != NULL && info->ip_at > 0);
    memcpy(copy, frame->bytes, frame->at_hand);
    frame_mark(copy, info);
    struct frame marked = *frame;
    marked.bytes = copy;
    frame_look(rules, &marked, &again);
    must(slow_same(info, &again));
    uint8_t *ip = copy + info->ip_at;
    if (ip[0] >> 4 == 4)
        must(slow_header_sum(ip) == slow_header_sum(frame->bytes + info->ip_at) && (ip[1] & 3) == 3);
    else
        must((ip[1] & 0x30) == 0x30);
    free(copy);
}

static void check_control(const struct frame *frame)
{
    const struct weir_pfc_settings settings = {
        .quanta = 1, .rate_bps = 1000000000, .lossless_mask = 0x5a, .obeyed_mask = 0x5a};
    const uint8_t source[6] = {2};
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    struct pause_port port;
    uint32_t named = 0;
    pause_init(&port, &settings, source);
    int32_t count = pause_hear(&port, frame, 5, orders);
    must(count == PAUSE_DAMAGED || (count >= 0 && count <= 4));
    for (int32_t i = 0; i < count; i++) {
        must(orders[i].class_mask && !(orders[i].class_mask & (named | ~settings.lossless_mask)));
        named |= orders[i].class_mask;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICE_BYTES)
        return 0;
    const struct frame_rules rules = slow_rules((enum dataplane_classify)(data[0] % 3));
    uint32_t length = (uint32_t)(size - CHOICE_BYTES), at_hand = length - data[3] % (length + 1);
    uint8_t *bytes = malloc(at_hand ? at_hand : 1);
    must(bytes != NULL);
    memcpy(bytes, data + CHOICE_BYTES, at_hand);
    const struct frame frame = {
        .bytes = bytes, .length = length, .at_hand = at_hand, .vlan = data[0] & 4 ? data[1] << 8 | data[2] : -1};
    struct frame_info info, slow;
    frame_look(&rules, &frame, &info);
    slow_look(&rules, &frame, &slow);
    must(slow_same(&info, &slow));
    if (info.ecn)
        check_mark(&rules, &frame, &info);
    if (info.kind == FRAME_CONTROL)
        check_control(&frame);
    free(bytes);
    return 0;
}

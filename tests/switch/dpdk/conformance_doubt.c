/*
 * conformance_doubt.c - a judge that never objects proves nothing. So the captures of a good run are spoilt on purpose,
 * in memory and one way at a time, and each must be found.
 */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

struct doubt {
    const char *name;
    const char *expected; /* a part of some finding */
    bool (*spoil)(struct run *run);
};

/* A frame that went to one port only. */
static bool is_single(const struct capture_frame *frame)
{
    uint32_t outputs = frame_judge(frame, frame_serial(frame) >> 24).outputs;
    return !frame_is_control(frame) && (outputs & (outputs - 1)) == 0;
}

/* Finds an output where such a frame leaves right behind another, not first of all; which frames do differs from run
 * to run. */
static bool find_pair(const struct run *run, uint32_t *output, uint32_t *at)
{
    for (*output = 0; *output < PORTS; ++*output) {
        const struct capture *out = &run->out[*output];
        for (*at = 5; *at + 1 < out->count; ++*at) {
            if (is_single(&out->frame[*at]) && is_single(&out->frame[*at + 1]))
                return true;
        }
    }
    return false;
}

static void capture_insert(struct capture *capture, uint32_t at, struct capture_frame frame)
{
    memmove(&capture->frame[at + 1], &capture->frame[at], (capture->count - at) * sizeof frame);
    capture->frame[at] = frame;
    capture->count++;
}

static void capture_remove(struct capture *capture, uint32_t at)
{
    capture->count--;
    memmove(&capture->frame[at], &capture->frame[at + 1], (capture->count - at) * sizeof *capture->frame);
}

static bool spoil_order(struct run *run)
{
    uint32_t output, at;
    if (!find_pair(run, &output, &at))
        return false;
    struct capture_frame *frame = &run->out[output].frame[at], first = frame[0];
    frame[0] = frame[1];
    frame[1] = first;
    return true;
}

/* Two frames of one input and class. */
static bool spoil_class_order(struct run *run)
{
    struct capture *out = &run->out[0];
    for (uint32_t i = 0; i < out->count; i++) {
        for (uint32_t j = i + 1; j < out->count && !frame_is_control(&out->frame[i]); j++) {
            uint32_t a = frame_serial(&out->frame[i]), b = frame_serial(&out->frame[j]);
            if (frame_is_control(&out->frame[j]) || a >> 24 != b >> 24 ||
                frame_judge(&out->frame[i], a >> 24).tc != frame_judge(&out->frame[j], b >> 24).tc)
                continue;
            struct capture_frame first = out->frame[i];
            out->frame[i] = out->frame[j];
            out->frame[j] = first;
            return true;
        }
    }
    return false;
}

static bool spoil_twice(struct run *run)
{
    uint32_t output, at;
    if (!find_pair(run, &output, &at))
        return false;
    capture_insert(&run->out[output], at, run->out[output].frame[at]);
    return true;
}

static bool spoil_missing(struct run *run)
{
    uint32_t output, at;
    if (!find_pair(run, &output, &at))
        return false;
    capture_remove(&run->out[output], at);
    return true;
}

static bool spoil_dropped_left(struct run *run)
{
    if (run->story.losses == 0)
        return false;
    const struct passage *passage = &run->story.passage[run->story.loss[0].passage];
    capture_insert(&run->out[passage->output], 0, run->in[passage->input].frame[passage->number]);
    return true;
}

static bool spoil_port(struct run *run)
{
    uint32_t output, at;
    if (!find_pair(run, &output, &at))
        return false;
    capture_insert(&run->out[(output + 1) % PORTS], 0, run->out[output].frame[at]);
    capture_remove(&run->out[output], at);
    return true;
}

static bool spoil_byte(struct run *run)
{
    static uint8_t bytes[2048];
    uint32_t output, at;
    if (!find_pair(run, &output, &at))
        return false;
    struct capture_frame *frame = &run->out[output].frame[at];
    memcpy(bytes, frame->bytes, frame->length);
    bytes[frame->length - 5] ^= 1;
    frame->bytes = bytes;
    return true;
}

/* A mark on a frame that was not marked. */
static bool spoil_mark(struct run *run)
{
    static uint8_t bytes[2048];
    struct capture *out = &run->out[0];
    for (uint32_t i = 0; i < out->count; i++) {
        struct look look = frame_judge(&out->frame[i], 0);
        if (look.control || !look.ecn || (out->frame[i].bytes[look.ip_at + 1] & 3) == 3)
            continue;
        memcpy(bytes, out->frame[i].bytes, out->frame[i].length);
        bytes[look.ip_at + 1] |= 3;
        out->frame[i].bytes = bytes;
        return true;
    }
    return false;
}

static bool is_discard(const struct capture_frame *drop)
{
    return strncmp(drop->comment, "discarded", strlen("discarded")) == 0;
}

static bool spoil_drop_missing(struct run *run)
{
    uint32_t last = run->drops.count;
    while (last > 0 && is_discard(&run->drops.frame[last - 1]))
        last--;
    if (last > 0)
        capture_remove(&run->drops, last - 1);
    return last > 0;
}

static bool spoil_discard_missing(struct run *run)
{
    uint32_t last = run->drops.count;
    while (last > 0 && !is_discard(&run->drops.frame[last - 1]))
        last--;
    if (last > 0)
        capture_remove(&run->drops, last - 1);
    return last > 0;
}

static bool spoil_reason(struct run *run)
{
    for (uint32_t i = 0; i < run->drops.count; i++) {
        if (!is_discard(&run->drops.frame[i])) {
            run->drops.frame[i].comment[0]++;
            return true;
        }
    }
    return false;
}

static const struct doubt doubts[] = {
    {"two frames swapped", "in another order than the trace tells", spoil_order},
    {"two frames of one input and class swapped", "behind a later one", spoil_class_order},
    {"a frame twice", "twice", spoil_twice},
    {"a frame missing", "never sent", spoil_missing},
    {"a dropped frame sent", "which was", spoil_dropped_left},
    {"a frame at the wrong port", "which never arrived for it", spoil_port},
    {"a byte changed", "with other bytes", spoil_byte},
    {"a mark too many", "with other bytes", spoil_mark},
    {"a drop missing", "not in the capture of drops", spoil_drop_missing},
    {"a discard missing", "must be discarded", spoil_discard_missing},
    {"a wrong reason", "the capture says", spoil_reason},
};

/* Captures whose lists of frames may be changed; the frames themselves stay the other's. */
static bool run_borrow(struct run *copy, const struct run *run)
{
    struct capture *mine[] = {&copy->out[0], &copy->out[1], &copy->out[2], &copy->out[3], &copy->drops};
    bool good = true;
    *copy = *run;
    for (uint32_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        size_t size = mine[i]->count * sizeof *mine[i]->frame;
        struct capture_frame *frame = malloc(size + sizeof *frame);
        if (frame && size > 0)
            memcpy(frame, mine[i]->frame, size);
        good = good && frame;
        mine[i]->frame = frame;
    }
    return good;
}

static void run_give_back(struct run *copy)
{
    for (uint32_t output = 0; output < PORTS; output++)
        free(copy->out[output].frame);
    free(copy->drops.frame);
}

uint32_t doubt_captures(struct run *run)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        struct findings findings = {.wanted = doubts[i].expected};
        struct run copy;
        bool spoilt = run_borrow(&copy, run) && doubts[i].spoil(&copy);
        if (spoilt)
            compare_captures(&copy, &findings);
        if (!spoilt || !findings.seen) {
            printf("not found: %s%s\n", doubts[i].name, spoilt ? "" : " (there is no such frame)");
            missed++;
        }
        run_give_back(&copy);
    }
    return missed;
}

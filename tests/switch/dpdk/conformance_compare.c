/*
 * conformance_compare.c - the story of the trace against the captures: each packet that departed is in the capture of
 * its port once, whole and in its turn; each that was lost is in none, and in the capture of drops with its reason, at
 * its place and time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

static const char *const state_words[] = {
    [PASSAGE_INSIDE] = "was still in the buffer",
    [PASSAGE_LEFT] = "departed",
    [PASSAGE_REFUSED] = "was refused",
    [PASSAGE_LOST] = "was lost from the buffer",
};

/* The arrival that a frame at an output belongs to, or NOWHERE after a finding. */
static uint32_t compare_find(const struct run *run, const struct capture_frame *frame, uint32_t output,
                             struct findings *findings)
{
    uint32_t serial = frame_serial(frame), input = serial >> 24, number = serial & 0xffffff;
    if (input >= PORTS || number >= run->in[input].count || frame_serial(&run->in[input].frame[number]) != serial) {
        find(findings, "port %u sent a frame of %u bytes that nobody gave to the switch", output, frame->length);
        return NOWHERE;
    }
    uint32_t passage = run->story.passage_of[input][number * PORTS + output];
    if (passage == NOWHERE)
        find(findings, "port %u sent frame %08x, which never arrived for it", output, serial);
    return passage;
}

/* What left by one port. */
static void compare_output(const struct run *run, uint32_t output, uint8_t *sent, struct findings *findings)
{
    const struct list *departures = &run->story.departures[output];
    uint32_t turn = 0, out_of_turn = 0;
    uint32_t last[PORTS][CLASSES];
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < run->out[output].count; i++) {
        const struct capture_frame *frame = &run->out[output].frame[i];
        uint32_t index = frame_is_control(frame) ? NOWHERE : compare_find(run, frame, output, findings);
        if (index == NOWHERE)
            continue;
        const struct passage *passage = &run->story.passage[index];
        uint32_t serial = serial_of(passage->input, passage->number);
        if (passage->state != PASSAGE_LEFT)
            find(findings, "port %u sent frame %08x, which %s", output, serial, state_words[passage->state]);
        if (sent[index]++)
            find(findings, "port %u sent frame %08x twice", output, serial);
        if (!frame_is_same(&run->in[passage->input].frame[passage->number], frame, passage->marked))
            find(findings, "port %u sent frame %08x with other bytes%s", output, serial,
                 passage->marked ? " than a mark makes" : "");
        uint32_t *before = &last[passage->input][passage->tc];
        if (*before != NOWHERE && *before > passage->number)
            find(findings, "port %u sent frame %08x behind a later one of its input and class", output, serial);
        *before = passage->number;
        if (turn >= departures->count || departures->item[turn++] != index)
            out_of_turn++;
    }
    for (uint32_t i = 0; i < departures->count; i++) {
        const struct passage *passage = &run->story.passage[departures->item[i]];
        if (!sent[departures->item[i]])
            find(findings, "port %u never sent frame %08x, which departed", output,
                 serial_of(passage->input, passage->number));
    }
    if (out_of_turn > 0)
        find(findings, "port %u sent %u frames in another order than the trace tells", output, out_of_turn);
}

/* As the manual has it. */
static void loss_words(const struct loss *loss, const struct passage *passage, char words[CAPTURE_COMMENT_MAX])
{
    static const char *const causes[WEIR_CAUSE_COUNT] = {
        [WEIR_CAUSE_REFUSED] = "refused: ",
        [WEIR_CAUSE_PUSHOUT] = "pushed out",
        [WEIR_CAUSE_EXPELLED] = "expelled",
        [WEIR_CAUSE_DEQUEUE] = "dropped when it was about to leave",
        [WEIR_CAUSE_FLUSHED] = "flushed: the link went down",
    };
    static const char *const reasons[WEIR_REASON_COUNT] = {
        [WEIR_REASON_NONE] = "",
        [WEIR_REASON_NO_ROOM] = "no room",
        [WEIR_REASON_OVER_THRESHOLD] = "over threshold",
        [WEIR_REASON_PREDICTED] = "predicted",
        [WEIR_REASON_NO_DESCRIPTOR] = "no descriptor",
        [WEIR_REASON_TOO_LARGE] = "too large",
    };
    snprintf(words, CAPTURE_COMMENT_MAX, "%s%s; output %u class %u", causes[loss->cause], reasons[loss->reason],
             passage->output, passage->tc);
}

static void compare_loss(const struct run *run, const struct loss *loss, const struct capture_frame *drop,
                         struct findings *findings)
{
    const struct passage *passage = &run->story.passage[loss->passage];
    const struct capture_frame *sent = &run->in[passage->input].frame[passage->number];
    uint32_t serial = serial_of(passage->input, passage->number);
    char words[CAPTURE_COMMENT_MAX];
    loss_words(loss, passage, words);
    if (frame_serial(drop) != serial)
        find(findings, "the capture of drops has frame %08x where %08x was lost", frame_serial(drop), serial);
    else if (!frame_is_same(sent, drop, passage->marked) || drop->interface != passage->input)
        find(findings, "the capture of drops has frame %08x with other bytes or at another port", serial);
    else if (strcmp(drop->comment, words) != 0)
        find(findings, "frame %08x was dropped: the capture says \"%s\", the trace \"%s\"", serial, drop->comment,
             words);
    else if (drop->when_ns != (uint64_t)(loss->now / WEIR_PS_PER_NS))
        find(findings, "frame %08x was lost at %" PRId64 " ps, but captured at %" PRIu64 " ns", serial, loss->now,
             drop->when_ns);
}

/* What was dropped without the MMU: of each input exactly the frames that must be, in order. */
static void compare_discard(const struct run *run, const struct capture_frame *drop, uint32_t next[PORTS],
                            struct findings *findings)
{
    uint32_t input = drop->interface;
    const struct capture *in = &run->in[input];
    struct look look = {.discard = NULL};
    while (next[input] < in->count && !(look = frame_judge(&in->frame[next[input]], input)).discard)
        next[input]++;
    if (next[input] >= in->count || frame_serial(&in->frame[next[input]]) != frame_serial(drop) ||
        !frame_is_same(&in->frame[next[input]], drop, false))
        find(findings, "frame %08x must not be %s", frame_serial(drop), drop->comment);
    else if (strncmp(drop->comment, look.discard, strlen(look.discard)) != 0)
        find(findings, "frame %08x is \"%s\", expected \"%s\"", frame_serial(drop), drop->comment, look.discard);
    next[input]++;
}

static void compare_drops(const struct run *run, struct findings *findings)
{
    uint32_t losses = 0, next[PORTS] = {0};
    for (uint32_t i = 0; i < run->drops.count; i++) {
        const struct capture_frame *drop = &run->drops.frame[i];
        if (drop->interface >= PORTS)
            find(findings, "the capture of drops knows a port %u", drop->interface);
        else if (strncmp(drop->comment, "discarded", strlen("discarded")) == 0)
            compare_discard(run, drop, next, findings);
        else if (losses < run->story.losses)
            compare_loss(run, &run->story.loss[losses++], drop, findings);
        else
            find(findings, "the capture of drops has frame %08x, which was not lost", frame_serial(drop));
    }
    if (losses < run->story.losses)
        find(findings, "%u lost packets are not in the capture of drops", run->story.losses - losses);
    for (uint32_t input = 0; input < PORTS; input++)
        for (; next[input] < run->in[input].count; next[input]++)
            if (frame_judge(&run->in[input].frame[next[input]], input).discard)
                find(findings, "frame %08x must be discarded", serial_of(input, next[input]));
}

void compare_captures(const struct run *run, struct findings *findings)
{
    uint8_t *sent = calloc(run->story.passages + 1, 1);
    if (!sent) {
        find(findings, "out of memory");
        return;
    }
    for (uint32_t output = 0; output < PORTS; output++)
        compare_output(run, output, sent, findings);
    compare_drops(run, findings);
    free(sent);
}

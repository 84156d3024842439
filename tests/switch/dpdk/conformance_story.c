/*
 * conformance_story.c - from the records of a trace to what happened to each captured frame. A trace knows no frames,
 * but frames of one input port reach the MMU in the order in which they came, so the k-th arrival from an input to an
 * output in a class is the k-th such frame of that input's capture; a flooded frame is one arrival per output.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"
#include "lib/trace/file.h"
#include "tests/support/error_line.h"

struct teller {
    struct run *run;
    struct findings *findings;
    struct look *look[PORTS];                  /* of every frame */
    uint32_t next[PORTS][PORTS][CLASSES];      /* first frame of an input that may be the next of this kind */
    uint32_t room, loss_room, room_out[PORTS]; /* of the story's lists */
};

/* True when there is room for one more of `size` bytes; doubles it. */
static bool has_room(void *list, uint32_t count, uint32_t *room, size_t size)
{
    void **items = list;
    if (count < *room)
        return true;
    void *more = realloc(*items, (size_t)(*room ? 2 * *room : 1024) * size);
    if (!more)
        return false;
    *items = more;
    *room = *room ? 2 * *room : 1024;
    return true;
}

/* The next frame of this kind, or NOWHERE. */
static uint32_t teller_next(struct teller *t, uint32_t input, uint32_t output, uint32_t tc)
{
    uint32_t *next = &t->next[input][output][tc];
    while (*next < t->run->in[input].count) {
        const struct look *look = &t->look[input][(*next)++];
        if (!look->control && look->outputs >> output & 1 && look->tc == tc)
            return *next - 1;
    }
    return NOWHERE;
}

static bool tell_loss(struct teller *t, const struct loss *loss)
{
    struct story *story = &t->run->story;
    if (!has_room(&story->loss, story->losses, &t->loss_room, sizeof *story->loss))
        return false;
    story->loss[story->losses++] = *loss;
    story->lost_by[loss->cause]++;
    return true;
}

static bool tell_arrival(struct teller *t, const struct weir_record *record)
{
    struct story *story = &t->run->story;
    const struct weir_packet *packet = &record->packet;
    struct passage passage = {.input = packet->input.i,
                              .output = packet->output.i,
                              .tc = packet->tc.i,
                              .marked = record->marked,
                              .state = record->accepted ? PASSAGE_INSIDE : PASSAGE_REFUSED};
    if (passage.input >= PORTS || passage.output >= PORTS || passage.tc >= CLASSES ||
        (passage.number = teller_next(t, passage.input, passage.output, passage.tc)) == NOWHERE) {
        find(t->findings, "arrival %u: from input %u to output %u in class %u there was no more frame", story->passages,
             passage.input, passage.output, passage.tc);
        return false;
    }
    const struct capture_frame *frame = &t->run->in[passage.input].frame[passage.number];
    const struct look *look = &t->look[passage.input][passage.number];
    if (packet->bytes != frame->length)
        find(t->findings, "arrival %u: %u bytes, but the frame has %u", story->passages, packet->bytes, frame->length);
    if (look->ecn != ((packet->flags & WEIR_FLAG_ECN) != 0))
        find(t->findings, "arrival %u: ECN of frame %08x was misread", story->passages, frame_serial(frame));
    if (!has_room(&story->passage, story->passages, &t->room, sizeof passage))
        return false;
    uint32_t *place = &story->passage_of[passage.input][passage.number * PORTS + passage.output];
    *place = story->passages;
    story->passage[story->passages++] = passage;
    story->marked += record->marked;
    if (record->accepted)
        return true;
    story->refused_by[record->reason]++;
    struct loss loss = {story->passages - 1, record->now, WEIR_CAUSE_REFUSED, record->reason};
    return tell_loss(t, &loss);
}

/* A packet that was inside and no longer is. */
static struct passage *tell_end(struct teller *t, uint32_t index, enum passage_state state)
{
    struct story *story = &t->run->story;
    if (index >= story->passages || story->passage[index].state != PASSAGE_INSIDE) {
        find(t->findings, "the trace lets arrival %u leave, which is not in the buffer", index);
        return NULL;
    }
    story->passage[index].state = state;
    return &story->passage[index];
}

static bool tell_departure(struct teller *t, const struct weir_record *record)
{
    const struct passage *passage = tell_end(t, record->index, PASSAGE_LEFT);
    if (!passage)
        return true;
    struct list *list = &t->run->story.departures[passage->output];
    if (passage->output != record->port.i)
        find(t->findings, "arrival %u was for output %u and departed by %u", record->index, passage->output,
             record->port.i);
    if (!has_room(&list->item, list->count, &t->room_out[passage->output], sizeof *list->item))
        return false;
    list->item[list->count++] = record->index;
    return true;
}

static bool tell_record(struct teller *t, const struct weir_record *record)
{
    if (record->kind == WEIR_REC_ARRIVE && !tell_arrival(t, record))
        return false;
    for (uint32_t i = 0; i < record->lost_count; i++) {
        struct loss loss = {record->lost[i].index, record->now, record->lost[i].cause, WEIR_REASON_NONE};
        if (tell_end(t, loss.passage, PASSAGE_LOST) && !tell_loss(t, &loss))
            return false;
    }
    if (record->kind == WEIR_REC_DEPART && record->departed && !tell_departure(t, record))
        return false;
    t->run->story.pauses_heard += record->kind == WEIR_REC_PAUSE;
    return true;
}

/* Everything that came in was offered, and nothing is left inside. */
static void tell_rest(struct teller *t)
{
    const struct story *story = &t->run->story;
    for (uint32_t i = 0; i < PORTS * PORTS * CLASSES; i++) {
        uint32_t input = i / CLASSES / PORTS, left = teller_next(t, input, i / CLASSES % PORTS, i % CLASSES);
        if (left != NOWHERE)
            find(t->findings, "frame %08x never arrived at the MMU for output %u", serial_of(input, left),
                 i / CLASSES % PORTS);
    }
    for (uint32_t i = 0; i < story->passages; i++)
        if (story->passage[i].state == PASSAGE_INSIDE)
            find(t->findings, "arrival %u is still in the buffer at the end", i);
}

static bool teller_prepare(struct teller *t)
{
    for (uint32_t input = 0; input < PORTS; input++) {
        const struct capture *in = &t->run->in[input];
        t->look[input] = calloc(in->count + 1, sizeof **t->look);
        t->run->story.passage_of[input] = malloc((in->count + 1) * PORTS * sizeof **t->run->story.passage_of);
        if (!t->look[input] || !t->run->story.passage_of[input])
            return false;
        memset(t->run->story.passage_of[input], 0xff, (in->count + 1) * PORTS * sizeof **t->run->story.passage_of);
        for (uint32_t i = 0; i < in->count; i++)
            t->look[input][i] = frame_judge(&in->frame[i], input);
    }
    return true;
}

/* False: the trace could not be followed to its end. */
static bool teller_read(struct teller *t, const char *path)
{
    static struct weir_record record;
    struct trace_input input;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!trace_input_open(&input, path, &error)) {
        find(t->findings, "%s: %s", path, ERROR_LINE(&error));
        return false;
    }
    enum weir_trace_status status;
    bool good = true;
    while (good && (status = trace_input_next(&input, &record, &error)) == WEIR_TRACE_RECORD)
        good = tell_record(t, &record);
    if (good && status == WEIR_TRACE_BROKEN)
        find(t->findings, "%s: %s", path, ERROR_LINE(&error));
    good = good && status == WEIR_TRACE_FINISHED;
    trace_input_close(&input);
    return good;
}

bool story_read(struct run *run, const char *trace_path, struct findings *findings)
{
    struct teller teller = {.run = run, .findings = findings};
    bool good = teller_prepare(&teller) && teller_read(&teller, trace_path);
    if (good)
        tell_rest(&teller);
    for (uint32_t input = 0; input < PORTS; input++)
        free(teller.look[input]);
    return good;
}

void story_free(struct story *story)
{
    free(story->passage);
    free(story->loss);
    for (uint32_t port = 0; port < PORTS; port++) {
        free(story->departures[port].item);
        free(story->passage_of[port]);
    }
}

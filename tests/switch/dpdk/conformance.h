/*
 * conformance.h - did the switch do with real frames what its trace says? The trace is replayed elsewhere; here it is
 * compared with what was captured outside: on the way in, on the way out, and of what was dropped.
 *
 *   conformance_traffic.c   frames to send, each with its own serial number as its last four bytes
 *   conformance_frame.c     what a switch owes a frame, judged by its bytes alone
 *   conformance_story.c     what happened to each frame, told by the trace
 *   conformance_compare.c   the story against the captures on the way out and of drops
 *   conformance_counters.c  the story against the counters of the switch
 *   conformance_doubt.c     wrong captures on purpose: each must be found
 *
 * A run is a folder: in0.pcap to in3.pcap, out0.pcap to out3.pcap, drops.pcapng, counters.json and run.trace.
 */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include "capture_file.h"
#include "weir/types.h"

#define PORTS 4u
#define CLASSES 3u
#define LOSSLESS_CLASS 1u
#define NOWHERE UINT32_MAX
#define PATH_ROOM 4096u

/* What is wrong; the first few are printed, or with `wanted` only looked through. */
struct findings {
    uint32_t count;
    const char *wanted; /* a part of a finding */
    bool seen;          /* it */
};
__attribute__((format(printf, 2, 3))) void find(struct findings *findings, const char *format, ...);

/* What a switch owes a frame. */
struct look {
    bool control;        /* a PAUSE */
    const char *discard; /* why it must not even be offered to the MMU; null: it must be */
    uint32_t outputs;    /* mask of the ports it must go to */
    uint32_t tc;
    bool ecn;
    uint32_t ip_at; /* where its IP header begins */
};
struct look frame_judge(const struct capture_frame *frame, uint32_t input);
bool frame_is_control(const struct capture_frame *frame);
uint32_t frame_serial(const struct capture_frame *frame);
/* True when `got` is the frame as it was sent, with the mark of congestion if `marked`. */
bool frame_is_same(const struct capture_frame *sent, const struct capture_frame *got, bool marked);
uint16_t frame_ip_checksum(const uint8_t *ip);

static inline uint32_t serial_of(uint32_t input, uint32_t number)
{
    return input << 24 | number;
}

/* Frames for input ports 0 to PORTS - 1 go to `folder`. False after one line on stderr. */
bool traffic_write(const char *folder, uint64_t seed, bool lossless);

enum passage_state { PASSAGE_INSIDE, PASSAGE_LEFT, PASSAGE_REFUSED, PASSAGE_LOST };

/* One arrival at the MMU. */
struct passage {
    uint32_t input, number; /* frame `number` of this input's capture */
    uint32_t output, tc;
    bool marked;
    enum passage_state state;
};

struct loss {
    uint32_t passage;
    weir_ps now;
    enum weir_cause cause;
    enum weir_reason reason; /* of a refusal */
};

struct list {
    uint32_t *item;
    uint32_t count;
};

struct story {
    struct passage *passage; /* [passages], ordered by arrival */
    uint32_t passages;
    struct loss *loss; /* [losses], ordered as in the trace */
    uint32_t losses;
    struct list departures[PORTS]; /* passages, in order */
    uint32_t *passage_of[PORTS];   /* [frame * PORTS + output], or NOWHERE */
    uint32_t marked, pauses_heard;
    uint32_t refused_by[WEIR_REASON_COUNT], lost_by[WEIR_CAUSE_COUNT];
};

struct run {
    struct capture in[PORTS], out[PORTS], drops;
    struct story story;
};

/* Reads all files of the folder but the counters. False after one line on stderr: there is nothing to compare. */
bool run_read(struct run *run, const char *folder, struct findings *findings);
void run_free(struct run *run);

bool story_read(struct run *run, const char *trace_path, struct findings *findings);
void story_free(struct story *story);

void compare_captures(const struct run *run, struct findings *findings);
void compare_counters(const struct run *run, const char *path, struct findings *findings);
/* True when so many frames came in, and each of them and of their copies has come to its end. */
bool counters_are_settled(const char *path, uint64_t frames_in);

/* Spoils the captures in several ways, one at a time; returns how many of them nobody found. */
uint32_t doubt_captures(struct run *run);

#endif

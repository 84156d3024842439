/*
 * goal.h - what a job does, as an image of GOAL's binary form (spcl/LogGOPSim): for each rank its operations, and for
 * each operation those that wait for its end or its start. All sources of jobs become such an image, so that one check
 * and one engine (job.h) serve them all. A file is used where it lies, mapped:
 *
 *   0   u64  4223
 *   8   u32  ranks; offsets count from here
 *   12  u8, u8  highest cpu, highest nic
 *   14  { u64 start, u64 end } for each rank: where its data are
 *   data: u32 operations, u32 roots, the roots, the operations, then u32 numbers of operations (followers)
 *   operation, 39 bytes: u32 needs, u8 type, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
 *                        { u32 count, u32 first } of followers of its end, the same of its start
 *
 * Numbers are little-endian and lie anywhere. Operations are numbered within their rank; over all ranks, in the order
 * of ranks, an operation has a place.
 */
#ifndef JOBS_GOAL_H
#define JOBS_GOAL_H

#include <stddef.h>
#include <string.h>

#include "weir/error.h"
#include "weir/types.h"

#define GOAL_ANY UINT32_MAX /* peer or tag of a receive */
#define GOAL_HEAD_BYTES 14u
#define GOAL_OP_BYTES 39u

enum goal_type { GOAL_SEND = 1, GOAL_RECV = 2, GOAL_CALC = 3 };

struct goal_op {
    uint32_t needs; /* ends and starts that it waits for */
    uint32_t peer, tag;
    uint64_t size;                     /* bytes; of calc: nanoseconds */
    uint32_t end_count, end_first;     /* followers of its end */
    uint32_t start_count, start_first; /* and of its start */
    uint8_t type, cpu, nic;
};

struct goal_rank {
    const unsigned char *roots, *ops, *followers;
    uint32_t op_count, root_count;
    uint32_t sends, receives;
    uint64_t first_place; /* of its operations */
};

/* Starts as all zeros. */
struct goal {
    const unsigned char *image; /* the caller's */
    size_t size;
    uint32_t ranks, cpus, nics;
    uint64_t ops;
    struct goal_rank *rank; /* [ranks] */
};

/* Where an image is wrong, for readers that know more of its source. */
struct goal_place {
    bool known;
    uint32_t rank, op;
};

/* Reads and checks it all: places in the file, numbers in range, counts that agree, no cycle, sends and receives of
 * each rank that can match. False with an error; release with goal_close either way. `place` may be null. */
bool goal_open(struct goal *goal, const void *image, size_t size, struct goal_place *place, struct weir_error *error);
void goal_close(struct goal *goal);

/* True when the bytes begin as such an image does. */
bool goal_is(const void *bytes, size_t size);

/* GOAL's text as an image (malloc), checked. Null with an error, which names line and column. */
unsigned char *goal_from_text(const char *text, size_t text_size, size_t *size, struct weir_error *error);

/* "send 4096 bytes to rank 3, tag 7". */
void goal_describe(const struct goal_op *op, char *text, size_t size);

static inline uint32_t goal_u32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t goal_u64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline struct goal_op goal_op(const struct goal_rank *rank, uint32_t number)
{
    const unsigned char *at = rank->ops + (size_t)number * GOAL_OP_BYTES;
    return (struct goal_op){.needs = goal_u32(at),
                            .type = at[4],
                            .peer = goal_u32(at + 5),
                            .size = goal_u64(at + 9),
                            .tag = goal_u32(at + 17),
                            .cpu = at[21],
                            .nic = at[22],
                            .end_count = goal_u32(at + 23),
                            .end_first = goal_u32(at + 27),
                            .start_count = goal_u32(at + 31),
                            .start_first = goal_u32(at + 35)};
}

static inline uint32_t goal_follower(const struct goal_rank *rank, uint32_t i)
{
    return goal_u32(rank->followers + (size_t)i * 4);
}

/* The rank of a place. */
uint32_t goal_rank_of(const struct goal *goal, uint64_t place);

/*
 * Making an image, rank after rank, operation after operation. Starts as all zeros; the first failure stays, and the
 * image is then null.
 */
struct goal_edge {
    uint32_t from, to; /* `to` waits */
    bool start;        /* for the start of `from`, else for its end */
};

struct goal_writer {
    unsigned char *image;
    size_t size, room;
    uint32_t ranks, rank; /* in all, begun */
    struct goal_op *ops;
    uint32_t op_count, op_room;
    struct goal_edge *edges;
    uint32_t edge_count, edge_room;
    uint8_t cpu, nic; /* highest */
    bool failed;      /* out of memory, or too much */
};

void goal_begin(struct goal_writer *writer, uint32_t ranks);
/* The operation's number in its rank; size, peer, tag, type, cpu and nic are read. */
uint32_t goal_add(struct goal_writer *writer, const struct goal_op *op);
void goal_after(struct goal_writer *writer, uint32_t op, uint32_t requires, bool start);
void goal_end_rank(struct goal_writer *writer);
/* The image (malloc), null: out of memory. Ends the writer. */
unsigned char *goal_finish(struct goal_writer *writer, size_t *size);

#endif

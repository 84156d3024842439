/*
 * goal.c - see goal.h: opening and checking an image, and making one.
 */
#include "sim/jobs/goal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "weir/random.h"

#define GOAL_COOKIE 4223u
#define GOAL_COOKIE_USED 2342u /* a run that saved memory wrote into the file */
#define BASE 8u                /* offsets in the file count from here */

bool goal_is(const void *bytes, size_t size)
{
    return size >= BASE && (goal_u64(bytes) == GOAL_COOKIE || goal_u64(bytes) == GOAL_COOKIE_USED);
}

void goal_describe(const struct goal_op *op, char *text, size_t size)
{
    char peer[40] = "any rank", tag[24] = "any tag";
    if (op->peer != GOAL_ANY)
        snprintf(peer, sizeof peer, "rank %" PRIu32, op->peer);
    if (op->tag != GOAL_ANY)
        snprintf(tag, sizeof tag, "tag %" PRIu32, op->tag);
    if (op->type == GOAL_CALC)
        snprintf(text, size, "calc %" PRIu64 " ns", op->size);
    else
        snprintf(text, size, "%s %" PRIu64 " bytes %s %s, %s", op->type == GOAL_SEND ? "send" : "recv", op->size,
                 op->type == GOAL_SEND ? "to" : "from", peer, tag);
}

uint32_t goal_rank_of(const struct goal *goal, uint64_t place)
{
    uint32_t low = 0, high = goal->ranks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (goal->rank[middle].first_place <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Checking. */

struct traffic_sums;

struct check {
    struct goal *goal;
    struct goal_place *place;
    struct weir_error *error;
    uint32_t rank, op;
    uint32_t *waits, *order; /* of the rank's operations */
    uint32_t room;
    struct traffic_sums *sums;
};

/* What is sent to a rank and what it receives: sums over messages, the same for both if they are the same messages. */
struct traffic_sums {
    uint64_t sent, sent_hash, received, received_hash;
    bool any; /* it receives from any rank or with any tag */
};

static bool fail_rank(const struct check *check, const char *what)
{
    return weir_fail(check->error, WEIR_ERROR_MALFORMED, "rank %" PRIu32 ": %s", check->rank, what);
}

static bool fail_op(const struct check *check, uint32_t op, const char *what)
{
    if (check->place)
        *check->place = (struct goal_place){true, check->rank, op};
    return weir_fail(check->error, WEIR_ERROR_MALFORMED, "rank %" PRIu32 ", operation %" PRIu32 ": %s", check->rank, op,
                     what);
}

static bool check_op(struct check *check, const struct goal_rank *rank, uint32_t number, uint64_t followers)
{
    const struct goal_op op = goal_op(rank, number);
    char text[160];
    if (op.type < GOAL_SEND || op.type > GOAL_CALC) {
        snprintf(text, sizeof text, "type %u (expected 1 send, 2 recv or 3 calc)", op.type);
        return fail_op(check, number, text);
    }
    if (op.type != GOAL_CALC && op.peer >= check->goal->ranks && !(op.type == GOAL_RECV && op.peer == GOAL_ANY)) {
        snprintf(text, sizeof text, "%s rank %" PRIu32 ", but ranks are 0 to %" PRIu32,
                 op.type == GOAL_SEND ? "sends to" : "receives from", op.peer, check->goal->ranks - 1);
        return fail_op(check, number, text);
    }
    if (op.type == GOAL_SEND && op.tag == GOAL_ANY)
        return fail_op(check, number, "sends with any tag (expected a number)");
    if (op.type != GOAL_CALC && (op.size == 0 || op.size > INT64_MAX / 2))
        return fail_op(check, number, "a message has at least 1 byte and at most 2^62");
    if (op.type == GOAL_CALC && op.size > (uint64_t)WEIR_TIME_MAX / 1000)
        return fail_op(check, number, "computes for more than 53 days; times are in nanoseconds");
    if (op.cpu >= check->goal->cpus || op.nic >= check->goal->nics)
        return fail_op(check, number, "its cpu or nic is above the highest that the file's head names");
    if ((uint64_t)op.end_first + op.end_count > followers || (uint64_t)op.start_first + op.start_count > followers)
        return fail_op(check, number, "its followers lie outside of the rank's data; the file is damaged");
    return true;
}

/* Those of its end, then those of its start. */
static uint32_t follower_of(const struct goal_rank *rank, const struct goal_op *op, uint32_t k)
{
    return goal_follower(rank, k < op->end_count ? op->end_first + k : op->start_first + k - op->end_count);
}

/* The operations that a cycle holds back: one is followed back from what waits to what it waits for. */
static bool fail_cycle(struct check *check, const struct goal_rank *rank)
{
    uint32_t *before = check->order, at = UINT32_MAX;
    for (uint32_t i = 0; i < rank->op_count; i++)
        before[i] = UINT32_MAX;
    for (uint32_t i = 0; i < rank->op_count; i++) {
        struct goal_op op = goal_op(rank, i);
        if (check->waits[i] == 0)
            continue;
        for (uint32_t k = 0; k < op.end_count + op.start_count; k++) {
            uint32_t next = follower_of(rank, &op, k);
            if (next >= rank->op_count)
                return fail_op(check, i, "has a follower that does not exist");
            before[next] = i;
        }
    }
    for (uint32_t i = 0; i < rank->op_count; i++) {
        if (check->waits[i] == 0)
            continue;
        if (before[i] == UINT32_MAX)
            return fail_op(check, i, "says that it waits for more operations than lead to it");
        at = i;
    }
    for (uint32_t i = 0; i < rank->op_count; i++) /* now in the cycle */
        at = before[at];
    char text[160];
    int length = snprintf(text, sizeof text, "waits for itself, through");
    uint32_t next = at, shown = 0;
    do {
        next = before[next];
        if (++shown <= 5)
            length += snprintf(text + length, sizeof text - (size_t)length, " %" PRIu32, next);
    } while (next != at);
    if (shown > 5)
        snprintf(text + length, sizeof text - (size_t)length, " and %" PRIu32 " more", shown - 5);
    return fail_op(check, at, text);
}

/* Every operation can start after those that it waits for. */
static bool check_order(struct check *check, const struct goal_rank *rank)
{
    uint32_t head = 0, tail = 0, *waits = check->waits, *order = check->order;
    for (uint32_t i = 0; i < rank->op_count; i++)
        if ((waits[i] = goal_op(rank, i).needs) == 0)
            order[tail++] = i;
    if (tail != rank->root_count)
        return fail_rank(check, "the number of roots differs from that of operations that wait for nothing");
    for (uint32_t i = 0; i < rank->root_count; i++)
        if (goal_u32(rank->roots + 4 * (size_t)i) >= rank->op_count || waits[goal_u32(rank->roots + 4 * (size_t)i)] > 0)
            return fail_rank(check, "a root waits for other operations, or does not exist");
    while (head < tail) {
        struct goal_op op = goal_op(rank, order[head++]);
        for (uint32_t k = 0; k < op.end_count + op.start_count; k++) {
            uint32_t next = follower_of(rank, &op, k);
            if (next >= rank->op_count)
                return fail_op(check, order[head - 1], "has a follower that does not exist");
            if (waits[next] == 0)
                return fail_op(check, next, "follows more operations than it says that it waits for");
            if (--waits[next] == 0)
                order[tail++] = next;
        }
    }
    return tail == rank->op_count || fail_cycle(check, rank);
}

static uint64_t message_hash(uint32_t source, uint32_t tag)
{
    return weir_hash(weir_hash(UINT64_C(0x6a6f6273), source), tag);
}

static void count_message(struct check *check, struct goal_rank *rank, const struct goal_op *op)
{
    if (op->type == GOAL_SEND) {
        rank->sends++;
        check->sums[op->peer].sent++;
        check->sums[op->peer].sent_hash += message_hash(check->rank, op->tag);
    } else if (op->type == GOAL_RECV) {
        struct traffic_sums *own = &check->sums[check->rank];
        rank->receives++;
        own->received++;
        own->received_hash += message_hash(op->peer, op->tag);
        own->any = own->any || op->peer == GOAL_ANY || op->tag == GOAL_ANY;
    }
}

static bool check_rank(struct check *check, uint64_t start, uint64_t end)
{
    struct goal *goal = check->goal;
    struct goal_rank *rank = &goal->rank[check->rank];
    const uint64_t data = goal->size - BASE;
    if (start > end || end > data || end - start < 8)
        return fail_rank(check, "its data lie outside of the file, which is cut or damaged");
    const unsigned char *at = goal->image + BASE + start;
    uint64_t size = end - start;
    rank->op_count = goal_u32(at);
    rank->root_count = goal_u32(at + 4);
    rank->first_place = goal->ops;
    uint64_t fixed = 8 + 4 * (uint64_t)rank->root_count + GOAL_OP_BYTES * (uint64_t)rank->op_count;
    if (rank->root_count > rank->op_count || fixed > size || (size - fixed) % 4 != 0)
        return fail_rank(check, "its operations do not fit into its data; the file is cut or damaged");
    rank->roots = at + 8;
    rank->ops = rank->roots + 4 * (size_t)rank->root_count;
    rank->followers = rank->ops + GOAL_OP_BYTES * (size_t)rank->op_count;
    goal->ops += rank->op_count;
    if (goal->ops > UINT32_MAX)
        return weir_fail(check->error, WEIR_ERROR_RANGE, "more than 4294967295 operations");
    if (rank->op_count > check->room) {
        free(check->waits);
        check->room = rank->op_count;
        check->waits = malloc(2 * (size_t)check->room * sizeof *check->waits);
        check->order = check->waits + (check->waits ? check->room : 0);
        if (!check->waits)
            return weir_fail_memory(check->error);
    }
    for (uint32_t i = 0; i < rank->op_count; i++) {
        if (!check_op(check, rank, i, (size - fixed) / 4))
            return false;
        struct goal_op op = goal_op(rank, i);
        count_message(check, rank, &op);
    }
    return check_order(check, rank);
}

/* Messages that match nothing: found by sorting, once it is known that there are some. */

struct message {
    uint32_t source, tag, rank, op;
    bool received;
};

static int message_compare(const void *left, const void *right)
{
    const struct message *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->op != b->op ? (a->op < b->op ? -1 : 1) : 0;
}

static bool fail_unmatched(struct check *check, struct message *messages, uint64_t count)
{
    const struct goal *goal = check->goal;
    uint32_t to = check->rank;
    uint64_t found = 0;
    for (uint32_t r = 0; r < goal->ranks; r++)
        for (uint32_t i = 0; i < goal->rank[r].op_count; i++) {
            struct goal_op op = goal_op(&goal->rank[r], i);
            bool sent = op.type == GOAL_SEND && op.peer == to, received = op.type == GOAL_RECV && r == to;
            if ((sent || received) && found < count)
                messages[found++] = (struct message){sent ? r : op.peer, op.tag, r, i, received};
        }
    qsort(messages, found, sizeof *messages, message_compare);
    for (uint64_t from = 0, after; from < found; from = after) {
        int64_t more = 0;
        const struct message *last[2] = {NULL, NULL};
        for (after = from; after < found && messages[after].source == messages[from].source &&
                           messages[after].tag == messages[from].tag;
             after++) {
            more += messages[after].received ? 1 : -1;
            last[messages[after].received] = &messages[after];
        }
        if (more == 0)
            continue;
        char what[120], text[WEIR_MESSAGE_MAX];
        struct goal_op op = goal_op(&goal->rank[last[more > 0]->rank], last[more > 0]->op);
        goal_describe(&op, what, sizeof what);
        snprintf(text, sizeof text, "%s: nothing matches it (%s)", what,
                 more > 0 ? "expected a send of that rank with that tag to this one"
                          : "expected a recv at that rank from this one with that tag");
        check->rank = last[more > 0]->rank;
        return fail_op(check, last[more > 0]->op, text);
    }
    return true;
}

static bool check_messages(struct check *check)
{
    for (uint32_t r = 0; r < check->goal->ranks; r++) {
        const struct traffic_sums *sums = &check->sums[r];
        bool same = sums->sent == sums->received && (sums->any || sums->sent_hash == sums->received_hash);
        if (same)
            continue;
        check->rank = r;
        if (sums->any)
            return weir_fail(check->error, WEIR_ERROR_INPUT,
                             "rank %" PRIu32 " receives %" PRIu64 " messages, and %" PRIu64
                             " are sent to it (expected as many recv as send)",
                             r, sums->received, sums->sent);
        uint64_t count = sums->sent + sums->received;
        struct message *messages = malloc(count * sizeof *messages);
        bool none = messages ? fail_unmatched(check, messages, count) : weir_fail_memory(check->error);
        free(messages);
        if (!none)
            return false;
    }
    return true;
}

static bool check_all(struct check *check)
{
    struct goal *goal = check->goal;
    for (check->rank = 0; check->rank < goal->ranks; check->rank++) {
        const unsigned char *at = goal->image + GOAL_HEAD_BYTES + 16 * (size_t)check->rank;
        if (!check_rank(check, goal_u64(at), goal_u64(at + 8)))
            return false;
    }
    return check_messages(check);
}

bool goal_open(struct goal *goal, const void *image, size_t size, struct goal_place *place, struct weir_error *error)
{
    *goal = (struct goal){.image = image, .size = size};
    if (place)
        place->known = false;
    if (size < BASE || goal_u64(goal->image) != GOAL_COOKIE) {
        if (size >= BASE && goal_u64(goal->image) == GOAL_COOKIE_USED)
            return weir_fail(
                error, WEIR_ERROR_MALFORMED,
                "a run that saves memory has overwritten this file (expected the original: make it again)");
        return weir_fail(error, WEIR_ERROR_MALFORMED, "not a GOAL file (expected to begin with the number 4223)");
    }
    if (size < GOAL_HEAD_BYTES)
        return weir_fail(error, WEIR_ERROR_MALFORMED, "ends within its head; the file is cut");
    goal->ranks = goal_u32(goal->image + 8);
    goal->cpus = goal->image[12] + 1u;
    goal->nics = goal->image[13] + 1u;
    if (goal->ranks == 0)
        return weir_fail(error, WEIR_ERROR_MALFORMED, "has no ranks (expected at least 1)");
    if ((size - GOAL_HEAD_BYTES) / 16 < goal->ranks)
        return weir_fail(error, WEIR_ERROR_MALFORMED, "%" PRIu32 " ranks do not fit into %zu bytes; the file is cut",
                         goal->ranks, size);
    struct check check = {.goal = goal, .place = place, .error = error};
    goal->rank = calloc(goal->ranks, sizeof *goal->rank);
    check.sums = calloc(goal->ranks, sizeof *check.sums);
    bool good = goal->rank && check.sums ? check_all(&check) : weir_fail_memory(error);
    free(check.sums);
    free(check.waits);
    return good;
}

void goal_close(struct goal *goal)
{
    free(goal->rank);
    *goal = (struct goal){.image = NULL};
}

/* Making. */

static void put(struct goal_writer *writer, const void *bytes, size_t size)
{
    if (writer->room - writer->size < size && !writer->failed) {
        size_t room = 2 * writer->room + size + 4096;
        unsigned char *moved = realloc(writer->image, room);
        writer->failed = !moved;
        writer->image = moved ? moved : writer->image;
        writer->room = moved ? room : writer->room;
    }
    if (writer->failed)
        return;
    memcpy(writer->image + writer->size, bytes, size);
    writer->size += size;
}

static void put_u32(struct goal_writer *writer, uint32_t value)
{
    put(writer, &value, sizeof value);
}

static void put_u64(struct goal_writer *writer, uint64_t value)
{
    put(writer, &value, sizeof value);
}

void goal_begin(struct goal_writer *writer, uint32_t ranks)
{
    *writer = (struct goal_writer){.ranks = ranks};
    put_u64(writer, GOAL_COOKIE);
    put_u32(writer, ranks);
    put(writer, "\0", 2);
    for (uint32_t i = 0; i < ranks && !writer->failed; i++) {
        put_u64(writer, 0);
        put_u64(writer, 0);
    }
}

/* Room for one more; false: the writer has failed. */
static bool grow(struct goal_writer *writer, void **at, uint32_t count, uint32_t *room, size_t size)
{
    if (count == *room && !writer->failed) {
        uint32_t more = *room < UINT32_MAX / 2 ? 2 * *room + 64 : UINT32_MAX;
        void *moved = more > *room ? realloc(*at, more * size) : NULL;
        writer->failed = !moved;
        *at = moved ? moved : *at;
        *room = moved ? more : *room;
    }
    return !writer->failed;
}

uint32_t goal_add(struct goal_writer *writer, const struct goal_op *op)
{
    void *ops = writer->ops;
    bool room = grow(writer, &ops, writer->op_count, &writer->op_room, sizeof *writer->ops);
    writer->ops = ops;
    if (!room)
        return 0;
    struct goal_op *added = &writer->ops[writer->op_count];
    *added = *op;
    added->needs = added->end_count = added->end_first = added->start_count = added->start_first = 0;
    writer->cpu = op->cpu > writer->cpu ? op->cpu : writer->cpu;
    writer->nic = op->nic > writer->nic ? op->nic : writer->nic;
    return writer->op_count++;
}

void goal_after(struct goal_writer *writer, uint32_t op, uint32_t requires, bool start)
{
    void *edges = writer->edges;
    bool room = grow(writer, &edges, writer->edge_count, &writer->edge_room, sizeof *writer->edges);
    writer->edges = edges;
    if (!room)
        return;
    writer->edges[writer->edge_count++] = (struct goal_edge){requires, op, start};
    writer->ops[op].needs++;
    if (start)
        writer->ops[requires].start_count++;
    else
        writer->ops[requires].end_count++;
}

static void put_op(struct goal_writer *writer, const struct goal_op *op)
{
    put_u32(writer, op->needs);
    put(writer, &op->type, 1);
    put_u32(writer, op->peer);
    put_u64(writer, op->size);
    put_u32(writer, op->tag);
    put(writer, &op->cpu, 1);
    put(writer, &op->nic, 1);
    put_u32(writer, op->end_count);
    put_u32(writer, op->end_first);
    put_u32(writer, op->start_count);
    put_u32(writer, op->start_first);
}

void goal_end_rank(struct goal_writer *writer)
{
    uint64_t start = writer->size - BASE, roots = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < writer->op_count; i++)
        roots += writer->ops[i].needs == 0;
    put_u32(writer, writer->op_count);
    put_u32(writer, (uint32_t)roots);
    for (uint32_t i = 0; i < writer->op_count; i++) {
        struct goal_op *op = &writer->ops[i];
        if (op->needs == 0)
            put_u32(writer, i);
        op->end_first = first;
        op->start_first = first + op->end_count;
        first = op->start_first + op->start_count;
    }
    for (uint32_t i = 0; i < writer->op_count; i++)
        put_op(writer, &writer->ops[i]);
    size_t followers = writer->size;
    for (uint32_t i = 0; i < writer->edge_count; i++)
        put_u32(writer, 0);
    for (uint32_t i = 0; i < writer->edge_count && !writer->failed; i++) {
        const struct goal_edge *edge = &writer->edges[i];
        struct goal_op *from = &writer->ops[edge->from];
        uint32_t at = edge->start ? from->start_first++ : from->end_first++;
        memcpy(writer->image + followers + 4 * (size_t)at, &edge->to, sizeof edge->to);
    }
    uint64_t end = writer->size - BASE;
    if (!writer->failed) {
        unsigned char *bounds = writer->image + GOAL_HEAD_BYTES + 16 * (size_t)writer->rank;
        memcpy(bounds, &start, sizeof start);
        memcpy(bounds + 8, &end, sizeof end);
    }
    writer->rank++;
    writer->op_count = writer->edge_count = 0;
}

unsigned char *goal_finish(struct goal_writer *writer, size_t *size)
{
    unsigned char *image = writer->failed ? NULL : writer->image;
    if (image) {
        image[12] = writer->cpu;
        image[13] = writer->nic;
        *size = writer->size;
    } else {
        free(writer->image);
    }
    free(writer->ops);
    free(writer->edges);
    *writer = (struct goal_writer){.image = NULL};
    return image;
}

/*
 * history.c - see history.h.
 */
#include "sim/jobs/history.h"
#include "sim/jobs/job.h"

#include <stdlib.h>

#define NO_OP UINT32_MAX

struct job_history *history_new(const struct goal *goal, uint32_t rounds)
{
    const uint64_t ops = goal->ops * rounds;
    struct job_history *history = NULL;
    if (ops <= (SIZE_MAX - sizeof *history) / sizeof history->at[0])
        history = malloc(sizeof *history + ops * sizeof history->at[0]);
    if (!history)
        return NULL;
    history->goal = goal;
    history->rounds = rounds;
    for (uint64_t i = 0; i < ops; i++)
        history->at[i] = (struct history_op){WEIR_NEVER, WEIR_NEVER, WEIR_NEVER, GOAL_ANY, 0};
    return history;
}

/* When the message of a send left its cpu. */
static weir_ps left_at(const struct job_settings *settings, const struct goal_op *op, const struct history_op *send)
{
    weir_ps per_byte = settings->overhead_per_byte_ps * (weir_ps)(op->size - 1);
    return send->start_ps + settings->overhead_ps + per_byte;
}

/* What ranks did. */

/* From one change to the next: how many operations of each kind there are more. */
struct change {
    weir_ps when;
    int what; /* HISTORY_COMPUTE to HISTORY_WAIT */
    int by;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->when != y->when ? (x->when < y->when ? -1 : 1) : x->by - y->by;
}

static void add_span(struct change *changes, uint64_t *count, enum history_what what, weir_ps from, weir_ps to)
{
    if (from >= to)
        return;
    changes[(*count)++] = (struct change){from, (int)what, 1};
    changes[(*count)++] = (struct change){to, (int)what, -1};
}

static uint64_t changes_of(const struct job_history *history, const struct job_settings *settings, uint32_t rank,
                           weir_ps now, struct change *changes)
{
    const struct goal_rank *goal = &history->goal->rank[rank];
    uint64_t count = 0;
    for (uint32_t round = 0; round < history->rounds; round++)
        for (uint32_t i = 0; i < goal->op_count; i++) {
            const struct history_op *op = history_at(history, round, goal->first_place + i);
            const struct goal_op what = goal_op(goal, i);
            weir_ps end = op->end_ps < now ? op->end_ps : now, left = end;
            if (op->start_ps == WEIR_NEVER)
                continue;
            if (what.type == GOAL_RECV && op->partner != GOAL_ANY) {
                uint32_t from = goal_rank_of(history->goal, op->partner);
                const struct goal_op send = goal_op(&history->goal->rank[from],
                                                    (uint32_t)(op->partner - history->goal->rank[from].first_place));
                left = left_at(settings, &send, history_at(history, round, op->partner));
                left = left < op->start_ps ? op->start_ps : left < end ? left : end;
            }
            if (what.type == GOAL_RECV)
                add_span(changes, &count, HISTORY_WAIT, op->start_ps, left);
            add_span(changes, &count, what.type == GOAL_CALC ? HISTORY_COMPUTE : HISTORY_COMMUNICATE,
                     what.type == GOAL_RECV ? left : op->start_ps, end);
        }
    qsort(changes, count, sizeof *changes, by_time);
    return count;
}

bool history_stretches_of(const struct job_history *history, const struct job_settings *settings, uint32_t rank,
                          weir_ps now, struct history_stretches *stretches)
{
    const uint64_t most = 4 * (uint64_t)history->rounds * history->goal->rank[rank].op_count + 1;
    struct change *changes = malloc(most * sizeof *changes);
    struct history_stretch *at = malloc(most * sizeof *at);
    int64_t open[HISTORY_IDLE] = {0};
    uint32_t count = 0;
    *stretches = (struct history_stretches){at, 0};
    uint64_t all = changes && at ? changes_of(history, settings, rank, now, changes) : 0;
    for (uint64_t i = 0; i < all; i++) {
        weir_ps before = i > 0 ? changes[i - 1].when : changes[i].when;
        enum history_what what = HISTORY_COMPUTE;
        while (what < HISTORY_IDLE && open[what] == 0)
            what++;
        if (changes[i].when > before) {
            if (count > 0 && at[count - 1].what == what && at[count - 1].to_ps == before)
                at[count - 1].to_ps = changes[i].when;
            else
                at[count++] = (struct history_stretch){before, changes[i].when, what};
        }
        open[changes[i].what] += changes[i].by;
    }
    free(changes);
    stretches->count = count;
    return changes && at;
}

/* The critical path. */

struct walk {
    const struct job_history *history;
    const struct job_settings *settings;
    struct history_path *path;
    uint64_t room;
    uint32_t rank, round, op; /* where it is */
    weir_ps now;
    /* Of one rank and round: which operation each waited for last, and whether for its start. */
    uint32_t *latest; /* [operations]; NO_OP: none */
    bool *start;
    uint32_t known_rank, known_round;
};

static const struct goal_rank *walk_goal(const struct walk *walk)
{
    return &walk->history->goal->rank[walk->rank];
}

static struct history_op *walk_op(const struct walk *walk, uint32_t op)
{
    return history_at(walk->history, walk->round, walk_goal(walk)->first_place + op);
}

static bool walk_step(struct walk *walk, enum path_what what, weir_ps from, uint64_t place)
{
    struct history_path *path = walk->path;
    const struct history_op *op = history_at(walk->history, walk->round, place);
    if (from >= walk->now)
        return true;
    if (path->count == walk->room) {
        uint64_t room = walk->room ? 2 * walk->room : 64;
        struct path_step *moved = realloc(path->at, room * sizeof *moved);
        if (!moved)
            return false;
        path->at = moved;
        walk->room = room;
    }
    path->at[path->count++] =
        (struct path_step){from, walk->now, what, walk->rank, walk->round, place, what == PATH_MESSAGE ? op->flow : 0};
    walk->now = from;
    return true;
}

static void walk_see(struct walk *walk, uint32_t waits, uint32_t for_op, bool start)
{
    const struct history_op *known = walk_op(walk, for_op);
    weir_ps when = start ? known->start_ps : known->end_ps;
    uint32_t before = walk->latest[waits];
    if (when == WEIR_NEVER)
        return;
    if (before != NO_OP) {
        const struct history_op *other = walk_op(walk, before);
        if ((walk->start[waits] ? other->start_ps : other->end_ps) >= when)
            return;
    }
    walk->latest[waits] = for_op;
    walk->start[waits] = start;
}

static void walk_know(struct walk *walk)
{
    const struct goal_rank *goal = walk_goal(walk);
    if (walk->known_rank == walk->rank && walk->known_round == walk->round)
        return;
    walk->known_rank = walk->rank;
    walk->known_round = walk->round;
    for (uint32_t i = 0; i < goal->op_count; i++)
        walk->latest[i] = NO_OP;
    for (uint32_t i = 0; i < goal->op_count; i++) {
        const struct goal_op op = goal_op(goal, i);
        for (uint32_t f = 0; f < op.end_count; f++)
            walk_see(walk, goal_follower(goal, op.end_first + f), i, false);
        for (uint32_t f = 0; f < op.start_count; f++)
            walk_see(walk, goal_follower(goal, op.start_first + f), i, true);
    }
}

/* The operation of the rank that ended last in the round. */
static uint32_t walk_last(const struct walk *walk)
{
    uint32_t last = NO_OP;
    for (uint32_t i = 0; i < walk_goal(walk)->op_count; i++)
        if (walk_op(walk, i)->end_ps != WEIR_NEVER &&
            (last == NO_OP || walk_op(walk, i)->end_ps > walk_op(walk, last)->end_ps))
            last = i;
    return last;
}

/* A calc of the same cpu that ended just now: the operation waited for it. */
static uint32_t walk_cpu(const struct walk *walk)
{
    const struct goal_rank *goal = walk_goal(walk);
    const uint8_t cpu = goal_op(goal, walk->op).cpu;
    for (uint32_t i = 0; i < goal->op_count; i++) {
        const struct goal_op op = goal_op(goal, i);
        const struct history_op *known = walk_op(walk, i);
        if (i != walk->op && op.type == GOAL_CALC && op.cpu == cpu && known->end_ps == walk->now &&
            known->start_ps < walk->now)
            return i;
    }
    return NO_OP;
}

/* From an operation's end back to its start, or to the start of the send that it waited for. */
static bool walk_through(struct walk *walk)
{
    const struct goal_op op = goal_op(walk_goal(walk), walk->op);
    const struct history_op *known = walk_op(walk, walk->op);
    uint64_t place = walk_goal(walk)->first_place + walk->op;
    weir_ps left;
    switch ((enum goal_type)op.type) {
    case GOAL_CALC:
        return walk_step(walk, PATH_COMPUTE, known->start_ps, place);
    case GOAL_SEND:
        left = left_at(walk->settings, &op, known);
        return walk_step(walk, PATH_MESSAGE, left, place) && walk_step(walk, PATH_COMPUTE, known->start_ps, place);
    case GOAL_RECV:
        break;
    }
    if (known->partner == GOAL_ANY)
        return walk_step(walk, PATH_WAIT, known->start_ps, place);
    const struct history_op *send = history_at(walk->history, walk->round, known->partner);
    if (send->arrived_ps == WEIR_NEVER || send->arrived_ps <= known->start_ps) /* it was there */
        return walk_step(walk, PATH_COMPUTE, known->start_ps, place);
    uint32_t from = goal_rank_of(walk->history->goal, known->partner);
    const struct goal_rank *other = &walk->history->goal->rank[from];
    const struct goal_op sent = goal_op(other, (uint32_t)(known->partner - other->first_place));
    if (!walk_step(walk, PATH_COMPUTE, send->arrived_ps, place))
        return false;
    walk->rank = from;
    walk->op = (uint32_t)(known->partner - other->first_place);
    return walk_step(walk, PATH_MESSAGE, left_at(walk->settings, &sent, send), known->partner) &&
           walk_step(walk, PATH_COMPUTE, send->start_ps, known->partner);
}

/* From an operation's start back to what it waited for. False: there is nothing before, or memory is short. */
static bool walk_back(struct walk *walk, bool *good)
{
    for (;;) {
        walk_know(walk);
        uint32_t before = walk->latest[walk->op];
        bool start = before != NO_OP && walk->start[walk->op];
        weir_ps when = before == NO_OP ? 0 : start ? walk_op(walk, before)->start_ps : walk_op(walk, before)->end_ps;
        uint32_t cpu = before == NO_OP || when < walk->now ? walk_cpu(walk) : NO_OP;
        if (cpu != NO_OP) {
            walk->op = cpu;
            return true;
        }
        if (before == NO_OP)
            break;
        *good = walk_step(walk, PATH_WAIT, when, walk_goal(walk)->first_place + walk->op);
        walk->op = before;
        if (!*good || !start)
            return *good;
    }
    if (walk->round == 0)
        return false;
    walk->round--;
    walk->op = walk_last(walk);
    return walk->op != NO_OP;
}

bool history_path_of(const struct job_history *history, const struct job_settings *settings, weir_ps begun,
                     struct history_path *path)
{
    const struct goal *goal = history->goal;
    struct walk walk = {
        .history = history, .settings = settings, .path = path, .known_rank = UINT32_MAX, .known_round = UINT32_MAX};
    uint32_t most = 1;
    weir_ps last = -1;
    *path = (struct history_path){NULL, 0};
    for (uint32_t r = 0; r < goal->ranks; r++)
        most = goal->rank[r].op_count > most ? goal->rank[r].op_count : most;
    walk.latest = malloc(most * sizeof *walk.latest);
    walk.start = malloc(most * sizeof *walk.start);
    bool good = walk.latest && walk.start;
    struct walk end = walk;
    for (uint32_t q = 0; good && q < history->rounds; q++)
        for (uint32_t r = 0; r < goal->ranks; r++) {
            walk.rank = r;
            walk.round = q;
            uint32_t op = walk_last(&walk);
            if (op != NO_OP && walk_op(&walk, op)->end_ps > last) {
                last = walk_op(&walk, op)->end_ps;
                end.rank = r;
                end.round = q;
                end.op = op;
            }
        }
    end.now = last;
    bool on = good && last >= 0;
    while (on) {
        good = walk_through(&end);
        on = good && walk_back(&end, &good);
    }
    if (good && last >= 0)
        good = walk_step(&end, PATH_WAIT, begun, walk_goal(&end)->first_place + end.op);
    free(walk.latest);
    free(walk.start);
    if (!good) {
        free(path->at);
        *path = (struct history_path){NULL, 0};
    }
    return good;
}

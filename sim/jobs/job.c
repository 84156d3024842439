/*
 * job.c - see job.h. Per rank: a heap of what is set for a time, and a queue of operations that are ready at this
 * moment. Per operation: how many it still waits for, 4 bytes.
 */
#include "sim/jobs/job.h"
#include "sim/jobs/history.h"

#include <assert.h>
#include <stdlib.h>

enum event_kind { EVENT_START, EVENT_LEAVE, EVENT_END, EVENT_SENT, EVENT_COMES };

struct event {
    weir_ps when;
    uint64_t order; /* of its making, at this rank */
    enum event_kind kind;
    uint32_t op; /* COMES: place of the send; SENT: likewise of this rank's */
    uint32_t round;
};

struct rank {
    _Alignas(JOB_LINE) struct event *heap;
    uint32_t heap_count, heap_room;
    uint32_t *ready; /* operations, from ready_head on */
    uint32_t ready_head, ready_count, ready_room;
    uint64_t order;
    uint32_t *waits; /* [operations] */
    weir_ps *cpu_free_ps, *nic_free_ps;
    uint32_t active; /* calcs that run */
    weir_ps active_since_ps;
    uint32_t sent; /* messages of this round */
    uint32_t round;
    struct match match;
};

struct job {
    const struct goal *goal;
    struct job_settings settings;
    struct rank *rank;
    uint32_t *waits;  /* of all ranks */
    weir_ps *free_ps; /* likewise: [ranks * (cpus + nics)] */
    struct job_outcome *outcome;
    weir_ps *round_end;
    struct job_history *history; /* null: nobody asked */
};

/* A step at one rank. */
struct step {
    struct job *job;
    const struct job_network *network;
    const struct goal_rank *goal;
    struct rank *rank;
    struct job_outcome *outcome;
    uint32_t number;
    weir_ps now;
    bool failed;
};

/* The heap. */

static bool event_before(const struct event *a, const struct event *b)
{
    return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static bool heap_push(struct rank *rank, struct event event)
{
    if (rank->heap_count == rank->heap_room) {
        uint32_t room = rank->heap_room ? 2 * rank->heap_room : 8;
        struct event *heap = realloc(rank->heap, room * sizeof *heap);
        if (!heap)
            return false;
        rank->heap = heap;
        rank->heap_room = room;
    }
    event.order = rank->order++;
    uint32_t at = rank->heap_count++;
    for (; at > 0 && event_before(&event, &rank->heap[(at - 1) / 2]); at = (at - 1) / 2)
        rank->heap[at] = rank->heap[(at - 1) / 2];
    rank->heap[at] = event;
    return true;
}

static struct event heap_pop(struct rank *rank)
{
    struct event first = rank->heap[0], last = rank->heap[--rank->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= rank->heap_count)
            break;
        if (child + 1 < rank->heap_count && event_before(&rank->heap[child + 1], &rank->heap[child]))
            child++;
        if (!event_before(&rank->heap[child], &last))
            break;
        rank->heap[at] = rank->heap[child];
        at = child;
    }
    rank->heap[at] = last;
    return first;
}

static void step_set(struct step *step, enum event_kind kind, uint32_t op, weir_ps when)
{
    struct event event = {.when = when, .kind = kind, .op = op, .round = step->rank->round};
    step->failed = !heap_push(step->rank, event) || step->failed;
}

/* Sums stay below the end of time, where nothing happens any more. */
static weir_ps later(weir_ps when, weir_ps by)
{
    return when < WEIR_TIME_MAX - by ? when + by : WEIR_TIME_MAX;
}

static weir_ps cost_of(weir_ps first, weir_ps per_byte, uint64_t bytes)
{
    bool much = per_byte > 0 && bytes - 1 > (uint64_t)(WEIR_TIME_MAX / per_byte);
    return much ? WEIR_TIME_MAX : later(first, (weir_ps)(bytes - 1) * per_byte);
}

static weir_ps overhead_of(const struct job_settings *settings, uint64_t bytes)
{
    return cost_of(settings->overhead_ps, settings->overhead_per_byte_ps, bytes);
}

/* Operations. */

static void step_ready(struct step *step, uint32_t op)
{
    struct rank *rank = step->rank;
    if (rank->ready_head == rank->ready_count)
        rank->ready_head = rank->ready_count = 0;
    if (rank->ready_count == rank->ready_room) {
        uint32_t room = rank->ready_room ? 2 * rank->ready_room : 16;
        uint32_t *ready = realloc(rank->ready, room * sizeof *ready);
        if (!ready) {
            step->failed = true;
            return;
        }
        rank->ready = ready;
        rank->ready_room = room;
    }
    rank->ready[rank->ready_count++] = op;
}

/* An operation that one of its predecessors no longer holds back. */
static void step_release(struct step *step, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = goal_follower(step->goal, first + i);
        if (--step->rank->waits[op] > 0)
            continue;
        step->rank->waits[op] = goal_u32(step->goal->ops + (size_t)op * GOAL_OP_BYTES); /* of the next round */
        step_ready(step, op);
    }
}

static void step_round(struct step *step)
{
    step->outcome->ended = 0;
    step->rank->sent = 0;
    for (uint32_t i = 0; i < step->goal->root_count; i++)
        step_ready(step, goal_u32(step->goal->roots + 4 * (size_t)i));
}

static void step_round_over(struct step *step)
{
    const struct job *job = step->job;
    step->outcome->last_ps = step->now;
    do {
        job->round_end[(size_t)step->rank->round * job->goal->ranks + step->number] = step->now;
        step->outcome->rounds = ++step->rank->round;
    } while (step->goal->op_count == 0 && step->rank->round < job->settings.rounds);
    if (step->rank->round < job->settings.rounds)
        step_round(step);
}

static struct history_op *step_kept(const struct step *step, uint32_t number)
{
    const struct job_history *history = step->job->history;
    return history ? history_at(history, step->rank->round, step->goal->first_place + number) : NULL;
}

static void step_note(const struct step *step, uint32_t number, bool ended)
{
    struct history_op *kept = step_kept(step, number);
    if (kept)
        *(ended ? &kept->end_ps : &kept->start_ps) = step->now;
    if (step->network->note)
        step->network->note(step->network->context, step->number, number, ended, step->now);
}

static void step_end(struct step *step, uint32_t number, const struct goal_op *op)
{
    step_note(step, number, true);
    step_release(step, op->end_first, op->end_count);
    if (++step->outcome->ended == step->goal->op_count)
        step_round_over(step);
}

static void step_leave(struct step *step, uint32_t number, const struct goal_op *op)
{
    const struct job_message message = {.from = step->number,
                                        .to = op->peer,
                                        .round = step->rank->round,
                                        .place = (uint32_t)(step->goal->first_place + number),
                                        .number = step->rank->sent++,
                                        .bytes = op->size};
    step->failed = !step->network->send(step->network->context, &message, step->now) || step->failed;
    if (op->size <= step->job->settings.eager_bytes)
        step_end(step, number, op);
}

static void step_received(struct step *step, uint32_t number, const struct goal_op *op, uint32_t message)
{
    struct history_op *kept = step_kept(step, number);
    if (kept)
        kept->partner = message;
    weir_ps overhead = overhead_of(&step->job->settings, op->size), *cpu = &step->rank->cpu_free_ps[op->cpu];
    step->outcome->received_bytes += op->size;
    if (overhead == 0) {
        step_end(step, number, op);
        return;
    }
    *cpu = later(*cpu > step->now ? *cpu : step->now, overhead);
    step_set(step, EVENT_END, number, *cpu);
}

static void step_post(struct step *step, uint32_t number, const struct goal_op *op)
{
    const struct match_key key = {step->rank->round, op->peer, op->tag};
    uint32_t place;
    switch (match_receive(&step->rank->match, &key, number, &place)) {
    case MATCH_FOUND:
        step_received(step, number, op, place);
        break;
    case MATCH_WAITS:
        break;
    case MATCH_NO_MEMORY:
        step->failed = true;
        break;
    }
}

/* An operation has all that it needs. */
static void step_start(struct step *step, uint32_t number, const struct goal_op *op)
{
    step_note(step, number, false);
    step_release(step, op->start_first, op->start_count);
    if (op->type == GOAL_RECV) {
        step_post(step, number, op);
    } else if (op->type == GOAL_CALC) {
        if (step->rank->active++ == 0)
            step->rank->active_since_ps = step->now;
        step_set(step, EVENT_END, number, later(step->now, (weir_ps)op->size * WEIR_PS_PER_NS));
    } else {
        weir_ps overhead = overhead_of(&step->job->settings, op->size);
        if (overhead > 0)
            step_set(step, EVENT_LEAVE, number, later(step->now, overhead));
        else
            step_leave(step, number, op);
    }
}

/* An operation waits for nothing but cpu and nic, whose time it takes now. */
static void step_take(struct step *step, uint32_t number)
{
    const struct goal_op op = goal_op(step->goal, number);
    const struct job_settings *settings = &step->job->settings;
    weir_ps start = step->now, *cpu = &step->rank->cpu_free_ps[op.cpu], *nic = &step->rank->nic_free_ps[op.nic];
    if (op.type != GOAL_RECV)
        start = *cpu > start ? *cpu : start;
    if (op.type == GOAL_CALC)
        *cpu = later(start, (weir_ps)op.size * WEIR_PS_PER_NS);
    if (op.type == GOAL_SEND) {
        start = *nic > start ? *nic : start;
        *cpu = later(start, overhead_of(settings, op.size));
        *nic = later(start, cost_of(settings->gap_ps, settings->gap_per_byte_ps, op.size));
    }
    if (start > step->now)
        step_set(step, EVENT_START, number, start);
    else
        step_start(step, number, &op);
}

static void step_comes(struct step *step, uint32_t place, uint32_t round)
{
    const struct goal *goal = step->job->goal;
    uint32_t from = goal_rank_of(goal, place), number;
    const struct goal_op send = goal_op(&goal->rank[from], (uint32_t)(place - goal->rank[from].first_place));
    const struct match_key key = {round, from, send.tag};
    enum match_result result = match_message(&step->rank->match, &key, place, &number);
    step->failed = result == MATCH_NO_MEMORY || step->failed;
    if (result != MATCH_FOUND)
        return;
    const struct goal_op op = goal_op(step->goal, number);
    step_received(step, number, &op, place);
}

static void step_event(struct step *step, const struct event *event)
{
    if (event->kind == EVENT_COMES) {
        step_comes(step, event->op, event->round);
        return;
    }
    const struct goal_op op = goal_op(step->goal, event->op);
    switch (event->kind) {
    case EVENT_START:
        step_start(step, event->op, &op);
        break;
    case EVENT_LEAVE:
        step_leave(step, event->op, &op);
        break;
    case EVENT_END:
        if (op.type == GOAL_CALC && --step->rank->active == 0)
            step->outcome->busy_ps += step->now - step->rank->active_since_ps;
        step_end(step, event->op, &op);
        break;
    case EVENT_SENT:
        step_end(step, event->op, &op);
        break;
    case EVENT_COMES:
        break;
    }
}

/* All that happens at this moment, and asks to be woken for the next. */
static bool step_run(struct step *step)
{
    struct rank *rank = step->rank;
    while (!step->failed) {
        if (rank->ready_head < rank->ready_count) {
            step_take(step, rank->ready[rank->ready_head++]);
        } else if (rank->heap_count > 0 && rank->heap[0].when <= step->now) {
            struct event event = heap_pop(rank);
            assert(event.when == step->now);
            step_event(step, &event);
        } else {
            break;
        }
    }
    if (!step->failed && rank->heap_count > 0)
        step->failed = !step->network->wake(step->network->context, step->number, rank->heap[0].when);
    return !step->failed;
}

static struct step step_at(struct job *job, uint32_t rank, weir_ps now, const struct job_network *network)
{
    return (struct step){.job = job,
                         .network = network,
                         .goal = &job->goal->rank[rank],
                         .rank = &job->rank[rank],
                         .outcome = &job->outcome[rank],
                         .number = rank,
                         .now = now};
}

bool job_begin(struct job *job, uint32_t rank, weir_ps now, const struct job_network *network)
{
    struct step step = step_at(job, rank, now, network);
    step.outcome->begun_ps = now;
    if (step.goal->op_count == 0)
        step_round_over(&step);
    else
        step_round(&step);
    return step_run(&step);
}

bool job_wake(struct job *job, uint32_t rank, weir_ps now, const struct job_network *network)
{
    struct step step = step_at(job, rank, now, network);
    return step_run(&step);
}

/* What was set for this moment goes first: it was known before the message. */
bool job_sent(struct job *job, const struct job_message *message, weir_ps now, const struct job_network *network)
{
    struct step step = step_at(job, message->from, now, network);
    if (message->bytes > job->settings.eager_bytes)
        step_set(&step, EVENT_SENT, (uint32_t)(message->place - step.goal->first_place), now);
    return step_run(&step);
}

bool job_arrived(struct job *job, const struct job_message *message, weir_ps now, const struct job_network *network)
{
    struct step step = step_at(job, message->to, now, network);
    struct event event = {.when = now, .kind = EVENT_COMES, .op = message->place, .round = message->round};
    step.failed = !heap_push(step.rank, event);
    return step_run(&step);
}

bool job_arrives(struct job *job, const struct job_message *message, weir_ps when, const struct job_network *network)
{
    struct rank *from = &job->rank[message->from], *to = &job->rank[message->to];
    uint32_t op = (uint32_t)(message->place - job->goal->rank[message->from].first_place);
    struct event event = {.when = when, .kind = EVENT_COMES, .op = message->place, .round = message->round};
    bool good = heap_push(to, event) && network->wake(network->context, message->to, when);
    if (message->bytes <= job->settings.eager_bytes)
        return good;
    event.kind = EVENT_SENT;
    event.op = op;
    return good && heap_push(from, event) && network->wake(network->context, message->from, when);
}

/* Making. */

static bool ranks_make(struct job *job)
{
    const struct goal *goal = job->goal;
    const uint32_t streams = goal->cpus + goal->nics;
    job->rank = aligned_alloc(JOB_LINE, goal->ranks * sizeof *job->rank);
    job->outcome = aligned_alloc(JOB_LINE, goal->ranks * sizeof *job->outcome);
    job->waits = malloc((goal->ops + 1) * sizeof *job->waits);
    job->free_ps = calloc((size_t)goal->ranks * streams, sizeof *job->free_ps);
    job->round_end = malloc((size_t)job->settings.rounds * goal->ranks * sizeof *job->round_end);
    if (!job->rank || !job->outcome || !job->waits || !job->free_ps || !job->round_end) {
        free(job->rank); /* its parts are not made */
        job->rank = NULL;
        return false;
    }
    for (size_t i = 0; i < (size_t)job->settings.rounds * goal->ranks; i++)
        job->round_end[i] = WEIR_NEVER;
    for (uint32_t r = 0; r < goal->ranks; r++) {
        const struct goal_rank *from = &goal->rank[r];
        weir_ps *free_ps = job->free_ps + (size_t)r * streams;
        job->rank[r] = (struct rank){
            .waits = job->waits + from->first_place, .cpu_free_ps = free_ps, .nic_free_ps = free_ps + goal->cpus};
        job->outcome[r] = (struct job_outcome){.first = GOAL_ANY};
        for (uint32_t i = 0; i < from->op_count; i++)
            job->rank[r].waits[i] = goal_u32(from->ops + (size_t)i * GOAL_OP_BYTES);
    }
    return true;
}

struct job *job_new(const struct goal *goal, const struct job_settings *settings)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    assert(settings->rounds > 0);
    job->goal = goal;
    job->settings = *settings;
    if (ranks_make(job))
        return job;
    job_free(job);
    return NULL;
}

void job_free(struct job *job)
{
    if (!job)
        return;
    for (uint32_t r = 0; job->rank && r < job->goal->ranks; r++) {
        free(job->rank[r].heap);
        free(job->rank[r].ready);
        match_free(&job->rank[r].match);
    }
    free(job->rank);
    free(job->outcome);
    free(job->waits);
    free(job->free_ps);
    free(job->round_end);
    free(job->history);
    free(job);
}

bool job_keep(struct job *job)
{
    job->history = history_new(job->goal, job->settings.rounds);
    return job->history;
}

struct job_history *job_history(const struct job *job)
{
    return job->history;
}

const struct goal *job_goal(const struct job *job)
{
    return job->goal;
}

const struct job_settings *job_settings(const struct job *job)
{
    return &job->settings;
}

struct job_outcome *job_outcomes(const struct job *job)
{
    return job->outcome;
}

void job_look(struct job *job, uint32_t rank)
{
    if (!match_oldest(&job->rank[rank].match, &job->outcome[rank].first))
        job->outcome[rank].first = GOAL_ANY;
}

weir_ps *job_round_ends(const struct job *job)
{
    return job->round_end;
}

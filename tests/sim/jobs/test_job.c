/*
 * test_job.c - the engine against a second one that is slow and obvious, event for event, on a network whose delays are
 * made up; and cases whose times are worked out by hand.
 *
 * The slow one keeps every operation's state in an array and everything else in lists that it searches from their
 * beginning. It shares no code with the engine but the reading of operations.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/jobs/job.h"
#include "tests/support/error_line.h"
#include "tests/support/random_job.h"
#include "weir/random.h"

enum { LOG_MAX = 20000, RANKS = 16, LIST_MAX = 20000 };

/* What happened to an operation. */
struct entry {
    weir_ps when;
    uint32_t rank, op;
    bool ended;
};

struct record {
    struct entry at[LOG_MAX];
    uint32_t count;
};

static void record_add(struct record *record, uint32_t rank, uint32_t op, bool ended, weir_ps now)
{
    assert_true(record->count < LOG_MAX);
    record->at[record->count++] = (struct entry){now, rank, op, ended};
}

/* How long a message is under way. Odd, so that calcs, which are multiples of 1000 ps, end at other moments. */
static weir_ps delay_of(uint32_t place, uint32_t round)
{
    return 1 + 2 * (weir_ps)(weir_hash(weir_hash(7, place), round) % 500000);
}

/* A list of what will happen, by time and then by the order of its making. */
enum kind { WAKE, ARRIVES, SENT, START, LEAVE, END };

struct due {
    weir_ps when;
    enum kind kind;
    uint32_t rank;
    uint32_t op; /* of the rank; of ARRIVES and SENT: place of the send */
    uint32_t round;
    bool gone;
};

struct dues {
    struct due at[LIST_MAX];
    uint32_t count;
};

static void dues_add(struct dues *dues, struct due due)
{
    assert_true(dues->count < LIST_MAX);
    dues->at[dues->count++] = due;
}

/* The earliest; null: none. Of a moment, what the network brings goes first, by place, then the rest as made. */
static struct due *dues_next(struct dues *dues)
{
    struct due *first = NULL;
    for (uint32_t i = 0; i < dues->count; i++) {
        struct due *due = &dues->at[i];
        bool network = due->kind == ARRIVES || due->kind == SENT;
        if (due->gone)
            continue;
        if (!first || due->when < first->when ||
            (due->when == first->when && network && (first->kind != ARRIVES && first->kind != SENT)))
            first = due;
    }
    return first;
}

/* The engine on that network. */

struct engine {
    struct job *job;
    const struct goal *goal;
    struct dues dues;
    struct record record;
    weir_ps now;
};

static bool engine_send(void *context, const struct job_message *message, weir_ps now)
{
    struct engine *engine = context;
    weir_ps delay = delay_of(message->place, message->round);
    dues_add(&engine->dues, (struct due){now + delay, ARRIVES, message->to, message->place, message->round, false});
    dues_add(&engine->dues, (struct due){now + 2 * delay, SENT, message->from, message->place, message->round, false});
    return true;
}

static bool engine_wake(void *context, uint32_t rank, weir_ps when)
{
    struct engine *engine = context;
    dues_add(&engine->dues, (struct due){when, WAKE, rank, 0, 0, false});
    return true;
}

static void engine_note(void *context, uint32_t rank, uint32_t op, bool ended, weir_ps now)
{
    struct engine *engine = context;
    record_add(&engine->record, rank, op, ended, now);
}

static void engine_run(struct engine *engine, const struct goal *goal, const struct job_settings *settings)
{
    const struct job_network network = {engine, engine_send, engine_wake, engine_note};
    engine->goal = goal;
    engine->dues.count = engine->record.count = 0;
    engine->job = job_new(goal, settings);
    assert_non_null(engine->job);
    for (uint32_t r = 0; r < goal->ranks; r++)
        assert_true(job_begin(engine->job, r, 0, &network));
    for (struct due *due; (due = dues_next(&engine->dues));) {
        due->gone = true;
        const struct due now = *due;
        if (now.kind == WAKE) {
            assert_true(job_wake(engine->job, now.rank, now.when, &network));
            continue;
        }
        uint32_t from = goal_rank_of(goal, now.op);
        const struct goal_op op = goal_op(&goal->rank[from], (uint32_t)(now.op - goal->rank[from].first_place));
        const struct job_message message = {
            .from = from, .to = op.peer, .round = now.round, .place = now.op, .bytes = op.size};
        assert_true((now.kind == SENT ? job_sent : job_arrived)(engine->job, &message, now.when, &network));
    }
}

/* The slow one. */

struct slow_message {
    uint32_t round, source, tag;
    bool gone;
};

struct slow_rank {
    uint32_t waits[LOG_MAX];
    uint32_t ready[LIST_MAX], ready_head, ready_count;
    weir_ps cpu[256], nic[256];
    uint32_t posted[LIST_MAX], posted_count; /* operations; UINT32_MAX: matched */
    uint32_t posted_round[LIST_MAX];
    struct slow_message arrived[LIST_MAX];
    uint32_t arrived_count;
    uint32_t ended, round;
};

struct slow {
    const struct goal *goal;
    const struct job_settings *settings;
    struct slow_rank *rank;
    struct dues dues;
    struct record record;
    weir_ps now;
};

static void slow_less(struct slow *slow, uint32_t r, uint32_t first, uint32_t count)
{
    struct slow_rank *rank = &slow->rank[r];
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t op = goal_follower(&slow->goal->rank[r], i);
        if (--rank->waits[op] == 0)
            rank->ready[rank->ready_count++] = op;
    }
}

static void slow_round(struct slow *slow, uint32_t r)
{
    struct slow_rank *rank = &slow->rank[r];
    rank->ended = 0;
    for (uint32_t i = 0; i < slow->goal->rank[r].op_count; i++) {
        rank->waits[i] = goal_op(&slow->goal->rank[r], i).needs;
        if (rank->waits[i] == 0)
            rank->ready[rank->ready_count++] = i;
    }
}

static void slow_end(struct slow *slow, uint32_t r, uint32_t number)
{
    struct slow_rank *rank = &slow->rank[r];
    const struct goal_op op = goal_op(&slow->goal->rank[r], number);
    record_add(&slow->record, r, number, true, slow->now);
    slow_less(slow, r, op.end_first, op.end_count);
    if (++rank->ended == slow->goal->rank[r].op_count && ++rank->round < slow->settings->rounds)
        slow_round(slow, r);
}

static weir_ps slow_overhead(const struct slow *slow, const struct goal_op *op)
{
    return slow->settings->overhead_ps + (weir_ps)(op->size - 1) * slow->settings->overhead_per_byte_ps;
}

static void slow_received(struct slow *slow, uint32_t r, uint32_t number)
{
    const struct goal_op op = goal_op(&slow->goal->rank[r], number);
    weir_ps overhead = slow_overhead(slow, &op), *cpu = &slow->rank[r].cpu[op.cpu];
    if (overhead == 0) {
        slow_end(slow, r, number);
        return;
    }
    *cpu = (*cpu > slow->now ? *cpu : slow->now) + overhead;
    dues_add(&slow->dues, (struct due){*cpu, END, r, number, 0, false});
}

static bool slow_fits(const struct goal_op *recv, uint32_t round, const struct slow_message *message)
{
    return round == message->round && (recv->peer == GOAL_ANY || recv->peer == message->source) &&
           (recv->tag == GOAL_ANY || recv->tag == message->tag);
}

static void slow_leave(struct slow *slow, uint32_t r, uint32_t number)
{
    const struct goal_op op = goal_op(&slow->goal->rank[r], number);
    uint32_t place = (uint32_t)slow->goal->rank[r].first_place + number, round = slow->rank[r].round;
    weir_ps delay = delay_of(place, round);
    dues_add(&slow->dues, (struct due){slow->now + delay, ARRIVES, op.peer, place, round, false});
    dues_add(&slow->dues, (struct due){slow->now + 2 * delay, SENT, r, place, round, false});
    if (op.size <= slow->settings->eager_bytes)
        slow_end(slow, r, number);
}

static void slow_start(struct slow *slow, uint32_t r, uint32_t number)
{
    struct slow_rank *rank = &slow->rank[r];
    const struct goal_op op = goal_op(&slow->goal->rank[r], number);
    record_add(&slow->record, r, number, false, slow->now);
    slow_less(slow, r, op.start_first, op.start_count);
    if (op.type == GOAL_CALC) {
        dues_add(&slow->dues, (struct due){slow->now + (weir_ps)op.size * 1000, END, r, number, 0, false});
    } else if (op.type == GOAL_SEND) {
        if (slow_overhead(slow, &op) > 0)
            dues_add(&slow->dues, (struct due){slow->now + slow_overhead(slow, &op), LEAVE, r, number, 0, false});
        else
            slow_leave(slow, r, number);
    } else {
        for (uint32_t i = 0; i < rank->arrived_count; i++) {
            if (rank->arrived[i].gone || !slow_fits(&op, rank->round, &rank->arrived[i]))
                continue;
            rank->arrived[i].gone = true;
            slow_received(slow, r, number);
            return;
        }
        rank->posted_round[rank->posted_count] = rank->round;
        rank->posted[rank->posted_count++] = number;
    }
}

static void slow_take(struct slow *slow, uint32_t r, uint32_t number)
{
    struct slow_rank *rank = &slow->rank[r];
    const struct goal_op op = goal_op(&slow->goal->rank[r], number);
    const struct job_settings *s = slow->settings;
    weir_ps start = slow->now;
    if (op.type == GOAL_CALC) {
        start = rank->cpu[op.cpu] > start ? rank->cpu[op.cpu] : start;
        rank->cpu[op.cpu] = start + (weir_ps)op.size * 1000;
    }
    if (op.type == GOAL_SEND) {
        start = rank->cpu[op.cpu] > start ? rank->cpu[op.cpu] : start;
        start = rank->nic[op.nic] > start ? rank->nic[op.nic] : start;
        rank->cpu[op.cpu] = start + slow_overhead(slow, &op);
        rank->nic[op.nic] = start + s->gap_ps + (weir_ps)(op.size - 1) * s->gap_per_byte_ps;
    }
    if (start > slow->now)
        dues_add(&slow->dues, (struct due){start, START, r, number, 0, false});
    else
        slow_start(slow, r, number);
}

static void slow_arrives(struct slow *slow, uint32_t r, uint32_t place, uint32_t round)
{
    struct slow_rank *rank = &slow->rank[r];
    uint32_t from = goal_rank_of(slow->goal, place);
    const struct goal_op send = goal_op(&slow->goal->rank[from], place - (uint32_t)slow->goal->rank[from].first_place);
    const struct slow_message message = {round, from, send.tag, false};
    for (uint32_t i = 0; i < rank->posted_count; i++) {
        if (rank->posted[i] == UINT32_MAX)
            continue;
        const struct goal_op recv = goal_op(&slow->goal->rank[r], rank->posted[i]);
        if (!slow_fits(&recv, rank->posted_round[i], &message))
            continue;
        uint32_t number = rank->posted[i];
        rank->posted[i] = UINT32_MAX;
        slow_received(slow, r, number);
        return;
    }
    rank->arrived[rank->arrived_count++] = message;
}

static void slow_act(struct slow *slow, const struct due *due)
{
    const struct goal *goal = slow->goal;
    switch (due->kind) {
    case ARRIVES:
        slow_arrives(slow, due->rank, due->op, due->round);
        break;
    case SENT: {
        uint32_t op = due->op - (uint32_t)goal->rank[due->rank].first_place;
        if (goal_op(&goal->rank[due->rank], op).size > slow->settings->eager_bytes)
            slow_end(slow, due->rank, op);
        break;
    }
    case START:
        slow_start(slow, due->rank, due->op);
        break;
    case LEAVE:
        slow_leave(slow, due->rank, due->op);
        break;
    case END:
        slow_end(slow, due->rank, due->op);
        break;
    case WAKE:
        break;
    }
}

static void slow_drain(struct slow *slow, uint32_t r)
{
    struct slow_rank *rank = &slow->rank[r];
    while (rank->ready_head < rank->ready_count)
        slow_take(slow, r, rank->ready[rank->ready_head++]);
}

static void slow_run(struct slow *slow, const struct goal *goal, const struct job_settings *settings)
{
    slow->goal = goal;
    slow->settings = settings;
    slow->dues.count = slow->record.count = 0;
    slow->now = 0;
    memset(slow->rank, 0, RANKS * sizeof *slow->rank);
    for (uint32_t r = 0; r < goal->ranks; r++) {
        slow_round(slow, r);
        slow_drain(slow, r);
    }
    for (struct due *due; (due = dues_next(&slow->dues));) {
        due->gone = true;
        const struct due now = *due;
        slow->now = now.when;
        slow_act(slow, &now);
        slow_drain(slow, now.rank);
    }
}

/* Each rank has its own order; of several, any will do. */
static void compare(const struct record *a, const struct record *b, uint32_t ranks, uint64_t seed)
{
    if (a->count != b->count)
        fail_msg("seed %" PRIu64 ": %" PRIu32 " events, expected %" PRIu32, seed, a->count, b->count);
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t i = 0, k = 0;; i++, k++) {
            while (i < a->count && a->at[i].rank != r)
                i++;
            while (k < b->count && b->at[k].rank != r)
                k++;
            if (i == a->count || k == b->count) {
                assert_int_equal(a->count - i, b->count - k);
                break;
            }
            if (a->at[i].when != b->at[k].when || a->at[i].op != b->at[k].op || a->at[i].ended != b->at[k].ended)
                fail_msg("seed %" PRIu64 ", rank %" PRIu32 ": operation %" PRIu32 " at %" PRId64 ", expected %" PRIu32
                         " at %" PRId64,
                         seed, r, a->at[i].op, a->at[i].when, b->at[k].op, b->at[k].when);
        }
}

static void job__is_the_slow_model(void **state)
{
    (void)state;
    static struct engine engine;
    static struct slow slow;
    uint64_t ended = 0;
    slow.rank = malloc(RANKS * sizeof *slow.rank);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct weir_random random = {.key = weir_hash(seed, 99)};
        const struct random_job shape = {.seed = seed,
                                         .ranks = 1 + weir_random_below(&random, RANKS),
                                         .messages = 1 + weir_random_below(&random, 60),
                                         .bytes = 1000,
                                         .calc_ns = 1 + weir_random_below(&random, 1000),
                                         .any = weir_random_below(&random, 2)};
        const struct job_settings settings = {
            .overhead_ps = 2000 * weir_random_below(&random, 3),
            .overhead_per_byte_ps = weir_random_below(&random, 2) ? 0 : 10,
            .gap_ps = 1000 * weir_random_below(&random, 3),
            .gap_per_byte_ps = weir_random_below(&random, 2) ? 0 : 4,
            .eager_bytes = weir_random_below(&random, 2) ? 0 : 500,
            .rounds = 1 + weir_random_below(&random, 3),
        };
        struct weir_error error;
        struct goal goal;
        size_t size;
        unsigned char *image = random_job_make(&shape, &size);
        assert_true(goal_open(&goal, image, size, NULL, &error));
        engine_run(&engine, &goal, &settings);
        slow_run(&slow, &goal, &settings);
        compare(&engine.record, &slow.record, goal.ranks, seed);
        for (uint32_t r = 0; r < goal.ranks; r++) {
            job_look(engine.job, r);
            const struct job_outcome *outcome = &job_outcomes(engine.job)[r];
            bool through = outcome->rounds == settings.rounds;
            assert_true(shape.any || through);
            ended += through;
        }
        job_free(engine.job);
        goal_close(&goal);
        free(image);
    }
    assert_true(ended > 1000);
    free(slow.rank);
}

/* Worked out by hand: o = 5 ns, O = 0.01 ns, g = 100 ns. Three messages leave rank 0 one after another. */
static void job__spends_what_loggops_says(void **state)
{
    (void)state;
    static struct engine engine;
    static const char text[] =
        "num_ranks 2\nrank 0 {\na: calc 7\nb: send 101b to 1\nc: send 101b to 1\nb irequires a\n}\n"
        "rank 1 {\nrecv 101b from 0\nrecv 101b from 0\n}\n";
    const struct job_settings settings = {
        .overhead_ps = 5000, .overhead_per_byte_ps = 10, .gap_ps = 100000, .eager_bytes = 1000, .rounds = 1};
    struct weir_error error;
    struct goal goal;
    size_t size;
    unsigned char *image = goal_from_text(text, sizeof text - 1, &size, &error);
    assert_non_null(image);
    assert_true(goal_open(&goal, image, size, NULL, &error));
    engine_run(&engine, &goal, &settings);
    /* calc 0..7; c was ready first: 7..13 on the cpu, the nic until 107; b waits for the nic: 107..113. */
    const struct entry expected[] = {{0, 0, 0, false},    {7000, 0, 0, true},    {7000, 0, 2, false},
                                     {13000, 0, 2, true}, {107000, 0, 1, false}, {113000, 0, 1, true}};
    uint32_t found = 0;
    for (uint32_t i = 0; i < engine.record.count; i++) {
        const struct entry *entry = &engine.record.at[i];
        if (entry->rank != 0)
            continue;
        assert_true(found < 6);
        assert_int_equal(entry->when, expected[found].when);
        assert_int_equal(entry->op, expected[found].op);
        assert_int_equal(entry->ended, expected[found++].ended);
    }
    assert_int_equal(found, 6);
    assert_int_equal(job_outcomes(engine.job)[0].busy_ps, 7000);
    assert_int_equal(job_outcomes(engine.job)[1].received_bytes, 202);
    job_free(engine.job);
    goal_close(&goal);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job__is_the_slow_model),
        cmocka_unit_test(job__spends_what_loggops_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

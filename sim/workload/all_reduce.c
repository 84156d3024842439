/*
 * all_reduce.c - all-reduce over two binary trees (sim/jobs/tree.h). Each tree carries half of the bytes, up to
 * its root (reduce) and down again (broadcast). Inner hosts of one tree are leaves of the other, so that together they
 * use both directions of every host's link evenly.
 *
 * A host sends up in a tree when all its children there have; the root then sends down, and every host passes on what
 * comes from its parent. It enters the next round when it has both halves. A child can be one round ahead, never two,
 * since the next needs this host; a counter over all rounds is therefore enough to see that a round's children are in.
 *
 * Phased, as Occamy's simulation has it: all flows of the reduction start at one moment and all of the broadcast when
 * the last of them has ended, then the next round. No host can know that moment; it passes over the stream, which
 * launches a lookahead after it.
 */
#include <stdlib.h>

#include "sim/jobs/tree.h"
#include "sim/workload/internal.h"

enum { TREES = 2 };

/* Which tree and direction a flow belongs to, as its cookie. */
enum { COOKIE_DOWN = 1, COOKIE_TREE = 2 };

/* One edge of a tree is used once in each direction and round; it is named after its child. */
struct reduce_edge {
    uint32_t from, to, child; /* places in the collective */
    uint32_t tree;
    bool down;
};

/* Where a step happens, for the functions below. */
struct reduce_step {
    struct traffic_source *source;
    const struct traffic_sink *sink;
    weir_ps now;
    uint32_t i; /* the host */
};

static bool reduce_send(const struct reduce_step *step, const struct reduce_edge *edge)
{
    const struct traffic_source *source = step->source;
    if (step->now >= source->config->until_ps)
        return true;
    uint32_t round = source->all_reduce[step->i].round;
    struct flow_request request = traffic_request(source, step->now);
    request.source = source->sources.first + edge->from;
    request.destination = source->sources.first + edge->to;
    request.bytes = edge->tree == 0 ? source->config->bytes - source->config->bytes / 2 : source->config->bytes / 2;
    request.group = round;
    request.group_flows = TREES * 2 * (source->sources.count - 1);
    request.cookie = edge->tree * COOKIE_TREE + (edge->down ? COOKIE_DOWN : 0);
    uint32_t place = (round * source->sources.count + edge->child) * 4 + request.cookie;
    return step->sink->start(step->sink->context, source->first_id + place, &request);
}

static bool reduce_enter(const struct reduce_step *step);

/* The host has the result of a tree: its children get it, and the round may be over. */
static bool reduce_finish(const struct reduce_step *step, uint32_t tree)
{
    struct all_reduce_host *host = &step->source->all_reduce[step->i];
    uint32_t children[2];
    uint32_t count = tree_children(step->i, tree, step->source->sources.count, children);
    for (uint32_t c = 0; c < count; c++) {
        struct reduce_edge edge = {step->i, children[c], children[c], tree, true};
        if (!reduce_send(step, &edge))
            return false;
    }
    if (++host->trees_done < TREES)
        return true;
    host->trees_done = 0;
    host->round++;
    return host->round == step->source->config->rounds || reduce_enter(step);
}

/* Sends up, or at the root down, if this round's children are in. */
static bool reduce_try(const struct reduce_step *step, uint32_t tree)
{
    const struct all_reduce_host *host = &step->source->all_reduce[step->i];
    uint32_t n = step->source->sources.count;
    uint32_t children[2];
    uint32_t count = tree_children(step->i, tree, n, children);
    if (host->from_children[tree] != count * (host->round + 1))
        return true;
    uint32_t parent = tree_parent(step->i, tree, n);
    if (parent == TREE_NONE)
        return reduce_finish(step, tree);
    struct reduce_edge edge = {step->i, parent, step->i, tree, false};
    return reduce_send(step, &edge);
}

/* A new round begins at the host. A host is the root of one tree at most, so the round cannot be over inside of this.
 */
static bool reduce_enter(const struct reduce_step *step)
{
    for (uint32_t tree = 0; tree < TREES; tree++)
        if (!reduce_try(step, tree))
            return false;
    return true;
}

static bool all_reduce_prepare(struct traffic_source *source, struct weir_error *error)
{
    uint32_t count = source->sources.count;
    if (!traffic_prepare_collective(source, (uint64_t)count * TREES * 2, error) ||
        !traffic_check_bytes(source, source->config->bytes, error))
        return false;
    if (source->config->bytes < TREES)
        return weir_fail(error, WEIR_ERROR_INPUT, "needs at least 2 bytes: each of two trees carries half");
    source->all_reduce = calloc(count, sizeof *source->all_reduce);
    return source->all_reduce || weir_fail_memory(error);
}

static void all_reduce_open(struct traffic_source *source, struct traffic_stream *stream)
{
    stream->due_ps = source->config->from_ps;
}

static bool all_reduce_launch(struct traffic_source *source, struct traffic_stream *stream,
                              const struct traffic_sink *sink)
{
    weir_ps now = stream->due_ps;
    stream->due_ps = WEIR_NEVER;
    if (source->config->phased) {
        /* All flows of a phase: every host but the root has an edge to its parent, in each tree. */
        struct all_reduce_phase *phase = &source->phase;
        bool down = phase->number % 2;
        uint32_t n = source->sources.count;
        phase->left = TREES * (n - 1);
        for (uint32_t i = 0; i < n * TREES; i++) {
            uint32_t host = i / TREES, tree = i % TREES, parent = tree_parent(host, tree, n);
            struct reduce_step step = {source, sink, now, host};
            struct reduce_edge edge = {down ? parent : host, down ? host : parent, host, tree, down};
            source->all_reduce[host].round = phase->number / 2;
            if (parent != TREE_NONE && !reduce_send(&step, &edge))
                return false;
        }
        return true;
    }
    for (uint32_t i = 0; i < source->sources.count; i++) {
        struct reduce_step step = {source, sink, now, i};
        if (!reduce_enter(&step))
            return false;
    }
    return true;
}

static bool all_reduce_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                             const struct traffic_sink *sink, weir_ps now)
{
    if (!receiver)
        return true;
    if (source->config->phased) {
        struct all_reduce_phase *phase = &source->phase;
        phase->ended_ps = now > phase->ended_ps ? now : phase->ended_ps;
        if (--phase->left > 0)
            return true;
        phase->number++;
        weir_ps next = phase->ended_ps + source->traffic->given.lookahead_ps;
        if (phase->number / 2 < source->config->rounds)
            traffic_due_again(source, traffic_in_time(source, next));
        return true;
    }
    struct reduce_step step = {source, sink, now, flow->destination - source->sources.first};
    uint32_t tree = flow->cookie / COOKIE_TREE;
    if (flow->cookie & COOKIE_DOWN)
        return reduce_finish(&step, tree);
    source->all_reduce[step.i].from_children[tree]++;
    return reduce_try(&step, tree);
}

const struct traffic_kind traffic_all_reduce = {
    .prepare = all_reduce_prepare, .open = all_reduce_open, .launch = all_reduce_launch, .ended = all_reduce_ended};

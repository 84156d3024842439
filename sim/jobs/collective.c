/*
 * collective.c - see collective.h.
 */
#include "sim/jobs/collective.h"

#include <inttypes.h>

#include "sim/jobs/tree.h"

const char *const collective_operation_names[COLLECTIVE_OPERATIONS + 1] = {
    [COLLECTIVE_ALL_REDUCE] = "all-reduce", [COLLECTIVE_REDUCE_SCATTER] = "reduce-scatter",
    [COLLECTIVE_ALL_GATHER] = "all-gather", [COLLECTIVE_ALL_TO_ALL] = "all-to-all",
    [COLLECTIVE_BROADCAST] = "broadcast",   [COLLECTIVE_BARRIER] = "barrier",
};

const char *const collective_algorithm_names[COLLECTIVE_ALGORITHMS + 1] = {
    [COLLECTIVE_USUAL] = "usual",
    [COLLECTIVE_RING] = "ring",
    [COLLECTIVE_TWO_RINGS] = "two-rings",
    [COLLECTIVE_HALVING_DOUBLING] = "halving-doubling",
    [COLLECTIVE_DOUBLE_TREE] = "double-tree",
    [COLLECTIVE_HIERARCHICAL] = "hierarchical",
    [COLLECTIVE_DIRECT] = "direct",
    [COLLECTIVE_WINDOWED] = "windowed",
    [COLLECTIVE_PAIRWISE] = "pairwise",
    [COLLECTIVE_DISSEMINATION] = "dissemination",
};

#define BIT(algorithm) (1u << COLLECTIVE_##algorithm)

static const struct {
    enum collective_algorithm usual;
    uint32_t has; /* bits of algorithms */
} kinds[COLLECTIVE_OPERATIONS] = {
    [COLLECTIVE_ALL_REDUCE] = {COLLECTIVE_RING, BIT(RING) | BIT(TWO_RINGS) | BIT(HALVING_DOUBLING) | BIT(DOUBLE_TREE) |
                                                    BIT(HIERARCHICAL)},
    [COLLECTIVE_REDUCE_SCATTER] = {COLLECTIVE_RING, BIT(RING) | BIT(HALVING_DOUBLING)},
    [COLLECTIVE_ALL_GATHER] = {COLLECTIVE_RING, BIT(RING) | BIT(HALVING_DOUBLING)},
    [COLLECTIVE_ALL_TO_ALL] = {COLLECTIVE_DIRECT, BIT(DIRECT) | BIT(WINDOWED) | BIT(PAIRWISE)},
    [COLLECTIVE_BROADCAST] = {COLLECTIVE_RING, BIT(RING) | BIT(DOUBLE_TREE)},
    [COLLECTIVE_BARRIER] = {COLLECTIVE_DISSEMINATION, BIT(DISSEMINATION)},
};

static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

bool collective_has(enum collective_operation operation, enum collective_algorithm algorithm)
{
    return kinds[operation].has & (1u << algorithm);
}

void collective_algorithms_of(enum collective_operation operation, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t a = 0; a < COLLECTIVE_ALGORITHMS; a++)
        if (collective_has(operation, (enum collective_algorithm)a)) {
            strncat(text, text[0] ? ", " : "", size - strlen(text) - 1);
            strncat(text, collective_algorithm_names[a], size - strlen(text) - 1);
        }
}

bool collective_check(struct collective *c, uint32_t members, struct weir_error *error)
{
    if (c->algorithm == COLLECTIVE_USUAL)
        c->algorithm = kinds[c->operation].usual;
    const char *operation = collective_operation_names[c->operation];
    const char *algorithm = collective_algorithm_names[c->algorithm];
    if (!collective_has(c->operation, c->algorithm)) {
        char known[120];
        collective_algorithms_of(c->operation, known, sizeof known);
        return weir_fail(error, WEIR_ERROR_INPUT, "%s has no algorithm %s (expected %s)", operation, algorithm, known);
    }
    if (members < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "%s needs at least 2 ranks", operation);
    if (c->algorithm == COLLECTIVE_HALVING_DOUBLING && !is_power_of_two(members))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "%" PRIu32 " ranks (halving-doubling needs a power of two; ring takes any number)", members);
    if (c->algorithm == COLLECTIVE_HIERARCHICAL && (c->group < 2 || c->group >= members || members % c->group != 0))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "%" PRIu32 " ranks in groups of %" PRIu32
                         " (hierarchical needs groups of at least 2 that fill more than one)",
                         members, c->group);
    if (c->algorithm == COLLECTIVE_WINDOWED && c->window == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "a window of no messages (expected at least 1)");
    uint64_t parts = c->operation == COLLECTIVE_BARRIER ? 0 : (uint64_t)members * c->chunks;
    parts *= c->algorithm == COLLECTIVE_TWO_RINGS ? 2 : 1;
    if (c->bytes < parts)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "%" PRIu64 " bytes are cut into %" PRIu64 " parts (expected at least a byte for each)",
                         c->bytes, parts);
    return true;
}

double collective_bus_factor(enum collective_operation operation, uint32_t members)
{
    double n = members;
    switch (operation) {
    case COLLECTIVE_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_ALL_TO_ALL:
        return (n - 1) / n;
    case COLLECTIVE_BROADCAST:
        return 1;
    default:
        return 0;
    }
}

/* Operations of one member. */

struct part {
    struct goal_writer *writer;
    const struct collective *of;
    const struct collective_members *members;
    uint32_t after, join;
    uint32_t tag; /* of its first message */
};

/* Part i of n of so many bytes. */
static uint64_t share(uint64_t bytes, uint32_t n, uint32_t i)
{
    return bytes / n + (i < bytes % n);
}

static uint32_t add(const struct part *part, struct goal_op op, uint32_t after)
{
    uint32_t number = goal_add(part->writer, &op);
    if (after != GOAL_ANY)
        goal_after(part->writer, number, after, false);
    if (part->join != GOAL_ANY)
        goal_after(part->writer, part->join, number, false);
    return number;
}

/* To a member, after an operation (GOAL_ANY: after the part's). */
static uint32_t add_send(const struct part *part, uint32_t to, uint64_t bytes, uint32_t tag, uint32_t after)
{
    const uint32_t *ranks = part->members->ranks;
    return add(part,
               (struct goal_op){.type = GOAL_SEND,
                                .peer = ranks ? ranks[to] : to,
                                .size = bytes,
                                .tag = part->tag + tag,
                                .cpu = part->of->cpu},
               after != GOAL_ANY ? after : part->after);
}

static uint32_t add_recv(const struct part *part, uint32_t from, uint64_t bytes, uint32_t tag)
{
    const uint32_t *ranks = part->members->ranks;
    return add(part,
               (struct goal_op){.type = GOAL_RECV,
                                .peer = ranks ? ranks[from] : from,
                                .size = bytes,
                                .tag = part->tag + tag,
                                .cpu = part->of->cpu},
               part->after);
}

/* A ring of `count` members, `step` apart from each other, of which `first` is one. */
struct ring {
    uint32_t first, step, count, own; /* own: place in the ring */
    bool back;                        /* it goes the other way round */
};

/* `steps` times on: what comes in one step goes on in the next. Returns the last receive. */
static uint32_t add_ring(const struct part *part, const struct ring *ring, uint64_t bytes, uint32_t steps, uint32_t tag,
                         uint32_t after)
{
    const uint32_t n = ring->count;
    uint32_t on = ring->back ? n - 1 : 1, to = (ring->own + on) % n, from = (ring->own + n - on) % n, last = after;
    uint32_t place = ring->back ? (n - ring->own) % n : ring->own; /* in the way round */
    for (uint32_t s = 0; s < steps; s++) {
        uint32_t sent = (place + 2 * n - s % n) % n, received = (sent + n - 1) % n;
        add_send(part, ring->first + to * ring->step, share(bytes, n, sent), tag + s, last);
        last = add_recv(part, ring->first + from * ring->step, share(bytes, n, received), tag + s);
    }
    return last;
}

static void add_ring_operation(const struct part *part, uint64_t bytes)
{
    const uint32_t n = part->members->count;
    const uint32_t steps = part->of->operation == COLLECTIVE_ALL_REDUCE ? 2 * (n - 1) : n - 1;
    struct ring ring = {0, 1, n, part->members->own, false};
    if (part->of->algorithm == COLLECTIVE_TWO_RINGS) {
        add_ring(part, &ring, bytes - bytes / 2, steps, 0, GOAL_ANY);
        ring.back = true;
        add_ring(part, &ring, bytes / 2, steps, steps, GOAL_ANY);
    } else {
        add_ring(part, &ring, bytes, steps, 0, GOAL_ANY);
    }
}

/* From member 0 on, to the last. */
static void add_chain(const struct part *part, uint64_t bytes)
{
    uint32_t own = part->members->own, received = GOAL_ANY;
    if (own > 0)
        received = add_recv(part, own - 1, bytes, 0);
    if (own + 1 < part->members->count)
        add_send(part, own + 1, bytes, 0, received);
}

/* Halving: half of what a member has goes to a partner half as far away each time. Doubling: back. */
static void add_halving_doubling(const struct part *part, uint64_t bytes)
{
    const uint32_t n = part->members->count, own = part->members->own;
    uint32_t last = GOAL_ANY, tag = 0, low = 0;
    for (uint32_t distance = n / 2; distance > 0 && part->of->operation != COLLECTIVE_ALL_GATHER; distance /= 2) {
        uint64_t kept = 0, given = 0;
        bool upper = own & distance;
        for (uint32_t i = 0; i < distance; i++) {
            kept += share(bytes, n, low + (upper ? distance : 0) + i);
            given += share(bytes, n, low + (upper ? 0 : distance) + i);
        }
        add_send(part, own ^ distance, given, tag, last);
        last = add_recv(part, own ^ distance, kept, tag++);
        low += upper ? distance : 0;
    }
    for (uint32_t distance = 1; distance < n && part->of->operation != COLLECTIVE_REDUCE_SCATTER; distance *= 2) {
        uint32_t mine = own & ~(distance - 1), theirs = mine ^ distance;
        uint64_t sent = 0, received = 0;
        for (uint32_t i = 0; i < distance; i++) {
            sent += share(bytes, n, mine + i);
            received += share(bytes, n, theirs + i);
        }
        /* All of it has to be there: what came last, after which all before it had come. */
        add_send(part, own ^ distance, sent, tag, last);
        last = add_recv(part, own ^ distance, received, tag++);
    }
}

/* Up a tree when all children have sent, and down again when the parent has. Half of the bytes on each of two. */
static void add_trees(const struct part *part, uint64_t bytes)
{
    const uint32_t n = part->members->count, own = part->members->own;
    const bool up = part->of->operation == COLLECTIVE_ALL_REDUCE;
    for (uint32_t tree = 0; tree < 2; tree++) {
        uint64_t half = tree == 0 ? bytes - bytes / 2 : bytes / 2;
        uint32_t children[2], count = tree_children(own, tree, n, children), parent = tree_parent(own, tree, n);
        uint32_t from_child[2] = {GOAL_ANY, GOAL_ANY}, have = GOAL_ANY;
        for (uint32_t i = 0; i < count && up; i++)
            from_child[i] = add_recv(part, children[i], half, 2 * tree);
        if (parent != TREE_NONE && up) {
            uint32_t sent = add_send(part, parent, half, 2 * tree, from_child[0]);
            if (count == 2)
                goal_after(part->writer, sent, from_child[1], false);
        }
        if (parent != TREE_NONE)
            have = add_recv(part, parent, half, 2 * tree + 1);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t sent = add_send(part, children[i], half, 2 * tree + 1, have != GOAL_ANY ? have : from_child[0]);
            if (have == GOAL_ANY && count == 2 && up)
                goal_after(part->writer, sent, from_child[1], false);
        }
    }
}

/* Member 0 gives each tree's root its half first, and the trees do the rest. */
static void add_tree_broadcast(const struct part *part, uint64_t bytes)
{
    const uint32_t n = part->members->count, own = part->members->own;
    for (uint32_t tree = 0; tree < 2; tree++) {
        uint64_t half = tree == 0 ? bytes - bytes / 2 : bytes / 2;
        uint32_t children[2], count = tree_children(own, tree, n, children), parent = tree_parent(own, tree, n), have;
        have = GOAL_ANY;
        if (own == 0 && parent != TREE_NONE) {
            uint32_t root = own;
            while (tree_parent(root, tree, n) != TREE_NONE)
                root = tree_parent(root, tree, n);
            add_send(part, root, half, 2 * tree, GOAL_ANY);
        }
        if (own != 0 && parent == TREE_NONE)
            have = add_recv(part, 0, half, 2 * tree);
        if (parent != TREE_NONE && own != 0)
            have = add_recv(part, parent, half, 2 * tree + 1);
        for (uint32_t i = 0; i < count; i++)
            if (children[i] != 0)
                add_send(part, children[i], half, 2 * tree + 1, have);
    }
}

static void add_hierarchical(const struct part *part, uint64_t bytes)
{
    const uint32_t group = part->of->group, groups = part->members->count / group, own = part->members->own;
    const struct ring inner = {own / group * group, 1, group, own % group, false};
    const struct ring across = {own % group, group, groups, own / group, false};
    uint64_t part_bytes = share(bytes, group, (own % group + 1) % group);
    uint32_t last = add_ring(part, &inner, bytes, group - 1, 0, GOAL_ANY);
    last = add_ring(part, &across, part_bytes, 2 * (groups - 1), group, last);
    add_ring(part, &inner, bytes, group - 1, group + 2 * groups, last);
}

/* A member's part for itself stays where it is. */
static void add_all_to_all(const struct part *part, uint64_t bytes)
{
    const uint32_t n = part->members->count, own = part->members->own;
    const bool pairwise = part->of->algorithm == COLLECTIVE_PAIRWISE;
    uint32_t window = part->of->algorithm == COLLECTIVE_WINDOWED ? part->of->window : n;
    uint32_t first_send = GOAL_ANY, sent = GOAL_ANY, received = GOAL_ANY;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t to = pairwise && is_power_of_two(n) ? own ^ k : (own + k) % n;
        uint32_t from = pairwise && is_power_of_two(n) ? own ^ k : (own + n - k) % n;
        uint32_t after = pairwise ? sent : k > window ? first_send + 2 * (k - 1 - window) : GOAL_ANY;
        sent = add_send(part, to, share(bytes, n, to), 0, after);
        if (pairwise && received != GOAL_ANY)
            goal_after(part->writer, sent, received, false);
        first_send = k == 1 ? sent : first_send;
        received = add_recv(part, from, share(bytes, n, own), 0);
    }
}

static void add_barrier(const struct part *part)
{
    const uint32_t n = part->members->count, own = part->members->own;
    uint32_t last = GOAL_ANY, tag = 0;
    for (uint32_t distance = 1; distance < n; distance *= 2) {
        add_send(part, (own + distance) % n, 1, tag, last);
        last = add_recv(part, (own + n - distance) % n, 1, tag++);
        if (distance > UINT32_MAX / 2)
            break;
    }
}

static void add_part(const struct part *part, uint64_t bytes)
{
    switch (part->of->algorithm) {
    case COLLECTIVE_HALVING_DOUBLING:
        add_halving_doubling(part, bytes);
        break;
    case COLLECTIVE_DOUBLE_TREE:
        if (part->of->operation == COLLECTIVE_BROADCAST)
            add_tree_broadcast(part, bytes);
        else
            add_trees(part, bytes);
        break;
    case COLLECTIVE_HIERARCHICAL:
        add_hierarchical(part, bytes);
        break;
    case COLLECTIVE_DIRECT:
    case COLLECTIVE_WINDOWED:
    case COLLECTIVE_PAIRWISE:
        add_all_to_all(part, bytes);
        break;
    case COLLECTIVE_DISSEMINATION:
        add_barrier(part);
        break;
    default:
        if (part->of->operation == COLLECTIVE_BROADCAST)
            add_chain(part, bytes);
        else
            add_ring_operation(part, bytes);
    }
}

uint32_t collective_add(struct goal_writer *writer, const struct collective *collective,
                        const struct collective_members *members, uint32_t after, bool joined)
{
    struct part part = {writer, collective, members, after, GOAL_ANY, collective->tag};
    if (joined)
        part.join = goal_add(writer, &(struct goal_op){.type = GOAL_CALC, .cpu = collective->cpu});
    for (uint32_t chunk = 0; chunk < collective->chunks; chunk++) {
        add_part(&part, share(collective->bytes, collective->chunks, chunk));
        part.tag += 4 * members->count + 4; /* more than any algorithm has */
    }
    return part.join;
}

unsigned char *collective_image(const struct collective *collective, uint32_t members, size_t *size)
{
    struct goal_writer writer;
    goal_begin(&writer, members);
    for (uint32_t own = 0; own < members && !writer.failed; own++) {
        collective_add(&writer, collective, &(struct collective_members){NULL, members, own}, GOAL_ANY, false);
        goal_end_rank(&writer);
    }
    return goal_finish(&writer, size);
}

/*
 * forest.c - a forest in memory: made, checked, asked; see forest.h.
 */
#include "forest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "weir/random.h"

static const char *const feature_names[WEIR_FEATURE_COUNT] = {
    [WEIR_FEATURE_QUEUE] = "queue",
    [WEIR_FEATURE_QUEUE_AVERAGE] = "queue_average",
    [WEIR_FEATURE_BUFFER] = "buffer",
    [WEIR_FEATURE_BUFFER_AVERAGE] = "buffer_average",
};

const char *forest_feature_name(enum weir_feature feature)
{
    assert(feature < WEIR_FEATURE_COUNT);
    return feature_names[feature];
}

const char *forest_counters_name(enum forest_counters counters)
{
    return counters == FOREST_COUNTERS_REAL ? "real" : "virtual";
}

static bool forest_oracle_predict(const struct weir_oracle *oracle, uint64_t index,
                                  const int64_t feature[WEIR_FEATURE_COUNT])
{
    (void)index;
    return forest_predict((const struct forest *)oracle, feature);
}

struct forest *forest_new(uint32_t trees, uint32_t nodes)
{
    if (trees == 0 || trees > FOREST_TREES_MAX || nodes < trees || nodes > FOREST_NODES_MAX)
        return NULL;
    struct forest *forest = calloc(1, sizeof *forest);
    if (!forest)
        return NULL;
    forest->base.predict = forest_oracle_predict;
    forest->trees = trees;
    forest->nodes = nodes;
    forest->tree = calloc(trees, sizeof *forest->tree);
    forest->node = calloc(nodes, sizeof *forest->node);
    forest->lean = calloc(nodes, sizeof *forest->lean);
    if (forest->tree && forest->node && forest->lean)
        return forest;
    forest_free(forest);
    return NULL;
}

void forest_free(struct forest *forest)
{
    if (!forest)
        return;
    free(forest->tree);
    free(forest->node);
    free(forest->lean);
    free(forest->hop);
    free(forest);
}

int64_t forest_lean_of(double p)
{
    assert(p >= 0 && p <= 1);
    double lean = (p - 0.5) * (double)FOREST_LEAN_ONE;
    return (int64_t)(lean < 0 ? lean - 0.5 : lean + 0.5);
}

double forest_probability(const struct forest *forest, const int64_t feature[WEIR_FEATURE_COUNT])
{
    return (double)forest_ask(forest, feature) / (double)FOREST_LEAN_ONE / forest->trees + 0.5;
}

/* What is wrong with one node by itself; null: nothing. */
static const char *node_fault(const struct forest *forest, uint32_t at, uint32_t end)
{
    const struct forest_node *node = &forest->node[at];
    int64_t lean = forest->lean[at];
    if (node->feature >= WEIR_FEATURE_COUNT)
        return "its feature does not exist";
    if (forest_is_leaf(node)) {
        if (node->child != at)
            return "it is a leaf with children";
        if (lean < -FOREST_LEAN_ONE / 2 || lean > FOREST_LEAN_ONE / 2)
            return "its probability is not between 0 and 1";
        return NULL;
    }
    if (node->child <= at || node->child >= end - 1)
        return "its children are not behind it in the same tree";
    return NULL;
}

/*
 * Children lie behind their parent and each is visited with its parent's depth known, so one pass suffices. `level`
 * is 1 + the depth of a node, 0 while no node has named it as its child.
 */
static bool seal_tree(struct forest *forest, uint32_t t, uint8_t *level, struct weir_error *error)
{
    uint32_t root = forest->tree[t].root;
    uint32_t end = t + 1 < forest->trees ? forest->tree[t + 1].root : forest->nodes;
    if (end <= root || end > forest->nodes)
        return weir_fail(error, WEIR_ERROR_MALFORMED, "tree %" PRIu32 " has no nodes", t + 1);
    level[root] = 1;
    forest->tree[t].depth = 0;
    for (uint32_t at = root; at < end; at++) {
        const char *fault = level[at] == 0 ? "no other node leads to it" : node_fault(forest, at, end);
        if (fault)
            return weir_fail(error, WEIR_ERROR_MALFORMED, "node %" PRIu32 " of tree %" PRIu32 ": %s", at - root, t + 1,
                             fault);
        if (level[at] - 1u > forest->tree[t].depth)
            forest->tree[t].depth = level[at] - 1u;
        if (forest_is_leaf(&forest->node[at]))
            continue;
        if (level[at] > FOREST_DEPTH_MAX)
            return weir_fail(error, WEIR_ERROR_RANGE, "tree %" PRIu32 " is deeper than %u", t + 1, FOREST_DEPTH_MAX);
        for (uint32_t child = forest->node[at].child; child <= forest->node[at].child + 1; child++) {
            if (level[child] != 0)
                return weir_fail(error, WEIR_ERROR_MALFORMED, "node %" PRIu32 " of tree %" PRIu32 " has two parents",
                                 child - root, t + 1);
            level[child] = (uint8_t)(level[at] + 1);
        }
    }
    return true;
}

static struct forest_hop leaf_hop(uint32_t at, int64_t lean)
{
    return (struct forest_hop){
        .limit = {FOREST_LEAF_LIMIT, FOREST_LEAF_LIMIT, FOREST_LEAF_LIMIT}, .lean = lean, .next = at};
}

/* Folds a node of an even depth into its hop. What is two levels below gets its hop in `hop_of`, from `next` on. */
static void fold_node(struct forest *forest, uint32_t at, uint32_t next, uint32_t *hop_of)
{
    const struct forest_node *node = &forest->node[at];
    struct forest_hop *hop = &forest->hop[hop_of[at]];
    *hop = (struct forest_hop){.limit[0] = node->limit, .feature[0] = (uint8_t)node->feature, .next = next};
    for (uint32_t i = 0; i < 2; i++) {
        const struct forest_node *child = &forest->node[node->child + i];
        bool leaf = forest_is_leaf(child);
        hop->limit[1 + i] = child->limit; /* of a leaf never exceeded: the second of its two hops is not reached */
        hop->feature[1 + i] = (uint8_t)child->feature;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t below = next + 2 * i + k;
            if (leaf)
                forest->hop[below] = leaf_hop(below, forest->lean[node->child + i]);
            else
                hop_of[child->child + k] = below;
        }
    }
}

/* `level` is 1 + the depth of each node. */
static bool fold(struct forest *forest, const uint8_t *level, struct weir_error *error)
{
    uint32_t next = forest->trees;
    size_t hops = forest->trees;
    for (uint32_t at = 0; at < forest->nodes; at++)
        hops += level[at] % 2 == 1 && !forest_is_leaf(&forest->node[at]) ? 4 : 0;
    uint32_t *hop_of = calloc(forest->nodes, sizeof *hop_of);
    free(forest->hop);
    forest->hop = calloc(hops, sizeof *forest->hop);
    for (uint32_t t = 0; t < forest->trees && hop_of; t++)
        hop_of[forest->tree[t].root] = t;
    for (uint32_t at = 0; at < forest->nodes && hop_of && forest->hop; at++) {
        if (level[at] % 2 == 0)
            continue;
        if (forest_is_leaf(&forest->node[at])) {
            forest->hop[hop_of[at]] = leaf_hop(hop_of[at], forest->lean[at]);
        } else {
            fold_node(forest, at, next, hop_of);
            next += 4;
        }
    }
    bool folded = hop_of && forest->hop;
    free(hop_of);
    return folded || weir_fail_memory(error);
}

bool forest_seal(struct forest *forest, struct weir_error *error)
{
    uint8_t *level = calloc(forest->nodes, 1);
    if (!level)
        return weir_fail_memory(error);
    bool sound = forest->tree[0].root == 0 ||
                 weir_fail(error, WEIR_ERROR_MALFORMED, "the first tree does not begin with the first node");
    forest->depth = 0;
    for (uint32_t t = 0; sound && t < forest->trees; t++) {
        sound = seal_tree(forest, t, level, error);
        forest->depth = forest->tree[t].depth > forest->depth ? forest->tree[t].depth : forest->depth;
    }
    sound = sound && fold(forest, level, error);
    free(level);
    return sound;
}

uint64_t forest_digest(const struct forest *forest)
{
    uint64_t digest = weir_hash(forest->trees, (uint64_t)forest->average_ps);
    digest = weir_hash(digest, forest->counters);
    for (uint32_t t = 0; t < forest->trees; t++)
        digest = weir_hash(digest, forest->tree[t].root);
    for (uint32_t at = 0; at < forest->nodes; at++) {
        digest = weir_hash(digest, (uint64_t)forest->node[at].limit);
        digest = weir_hash(digest, (uint64_t)forest->node[at].child << 32 | forest->node[at].feature);
        digest = weir_hash(digest, (uint64_t)forest->lean[at]);
    }
    return digest;
}

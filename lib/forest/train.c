/*
 * train.c - grows the trees of a forest, each from its own random stream, on any number of threads.
 *
 * A split of a node's rows by "feature <= limit" is the better the purer the two sides are. With a and b the weights
 * of kept and lost rows of a side, Gini's impurity times the weight is (a + b) - (a^2 + b^2) / (a + b); the first part
 * adds up to the same for every split, so the best split has the largest
 *
 *   (a1^2 + b1^2) / (a1 + b1) + (a2^2 + b2^2) / (a2 + b2)
 *
 * Trying every limit of a feature needs the node's rows ordered by that feature. They are sorted once per forest.
 * A tree copies the sorted rows that it drew, and at each split every feature's list is parted in two, keeping its
 * order: growing a tree takes one pass over the lists per level, and no sorting.
 *
 * Values are replaced by their ranks among the distinct values of their feature, so that an entry has 8 bytes.
 */
#include "train.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "weir/random.h"

#define RADIX_BITS 11u
#define RADIX (1u << RADIX_BITS)
#define THREADS_MAX 256u

/* A row in the list of a feature. */
struct entry {
    uint32_t rank; /* of its value in that feature */
    uint32_t row;
};

/* What all trees share. */
struct ground {
    const struct forest_rows *rows;
    const struct forest_settings *settings;
    struct entry *sorted[WEIR_FEATURE_COUNT]; /* [rows] by feature; equal values by row */
    int64_t *value[WEIR_FEATURE_COUNT];       /* [rank] distinct values, ascending */
    double weight[2];                         /* of a kept and of a lost row */
    const struct forest_progress *progress;   /* may be null */
};

/* Rows of a node or of a side: how many are kept and lost, each as often as it was drawn. */
struct tally {
    uint64_t of[2];
};

struct split {
    double purity; /* the larger the better */
    uint32_t feature;
    uint32_t entries; /* of the first side, in the list of that feature */
    int64_t limit;
    struct tally first;
};

/* A node whose rows are the entries [begin, end) of every list. */
struct job {
    uint32_t node, begin, end, depth;
    struct tally tally;
};

struct sprout { /* a tree that grows */
    const struct ground *ground;
    struct weir_random random;
    struct entry *list[WEIR_FEATURE_COUNT]; /* [entries] */
    struct entry *spare;                    /* [entries] */
    uint32_t *drawn;                        /* [rows] how often, and its label in bit 0 */
    uint8_t *side;                          /* [rows] 1: goes to the first side */
    uint32_t entries;
    struct forest_node *node; /* children are node numbers of this tree */
    int64_t *lean;
    uint32_t nodes, capacity;
    double decrease[WEIR_FEATURE_COUNT];
};

void forest_settings_init(struct forest_settings *settings)
{
    *settings = (struct forest_settings){
        .trees = 4, .depth = 4, .features = 2, .leaf = 1, .weight = 1, .bootstrap = true, .seed = 1, .threads = 1};
}

static bool settings_are_sound(const struct forest_settings *s, struct weir_error *error)
{
    if (s->trees == 0 || s->trees > FOREST_TREES_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "trees: 1 to %u expected", FOREST_TREES_MAX);
    if (s->depth > FOREST_DEPTH_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "depth: 0 to %u expected", FOREST_DEPTH_MAX);
    if (s->features == 0 || s->features > WEIR_FEATURE_COUNT)
        return weir_fail(error, WEIR_ERROR_RANGE, "features: 1 to %u expected", WEIR_FEATURE_COUNT);
    if (!(s->weight >= 0 && s->weight <= 1e9))
        return weir_fail(error, WEIR_ERROR_RANGE, "weight: 0 to 1e9 expected");
    return true;
}

/* --- The ground: sorted once ---------------------------------------------------------------------------------- */

struct keyed {
    uint64_t key;
    uint32_t row;
};

static bool ground_sort(struct ground *ground, uint32_t f, struct keyed *keyed)
{
    uint64_t count = ground->rows->count;
    /* Flips the sign bit, so that negative values come first. */
    for (uint64_t i = 0; i < count; i++)
        keyed[i] = (struct keyed){((uint64_t)ground->rows->feature[f][i] ^ UINT64_C(1) << 63), (uint32_t)i};
    /* Least digit first; a digit in which all keys agree costs one pass of counting. */
    struct keyed *from = keyed;
    struct keyed *to = keyed + count;
    struct keyed *first = from;
    for (uint32_t shift = 0; shift < 64; shift += RADIX_BITS) {
        uint64_t begin[RADIX + 1] = {0};
        for (uint64_t i = 0; i < count; i++)
            begin[(from[i].key >> shift & (RADIX - 1)) + 1]++;
        bool same = false;
        for (uint32_t digit = 0; digit < RADIX; digit++) {
            same = same || begin[digit + 1] == count;
            begin[digit + 1] += begin[digit];
        }
        if (same)
            continue;
        for (uint64_t i = 0; i < count; i++)
            to[begin[from[i].key >> shift & (RADIX - 1)]++] = from[i];
        struct keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != first)
        memcpy(first, from, count * sizeof *first);

    ground->sorted[f] = malloc(count * sizeof *ground->sorted[f]);
    ground->value[f] = malloc(count * sizeof *ground->value[f]);
    if (!ground->sorted[f] || !ground->value[f])
        return false;
    uint32_t rank = 0;
    for (uint64_t i = 0; i < count; i++) {
        rank += i > 0 && keyed[i].key != keyed[i - 1].key;
        ground->value[f][rank] = ground->rows->feature[f][keyed[i].row];
        ground->sorted[f][i] = (struct entry){rank, keyed[i].row};
    }
    return true;
}

static bool ground_prepare(struct ground *ground, struct weir_error *error)
{
    uint64_t count = ground->rows->count;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < count; i++)
        lost += ground->rows->lost[i];
    double weight = ground->settings->weight;
    if (weight == 0)
        weight = lost > 0 && lost < count ? (double)(count - lost) / (double)lost : 1;
    ground->weight[0] = 1;
    ground->weight[1] = weight;

    struct keyed *keyed = malloc(2 * count * sizeof *keyed);
    bool sorted = keyed != NULL;
    for (uint32_t f = 0; sorted && f < WEIR_FEATURE_COUNT; f++)
        sorted = ground_sort(ground, f, keyed);
    free(keyed);
    return sorted || weir_fail_memory(error);
}

static struct tally sprout_draw(struct sprout *s)
{
    const struct forest_rows *rows = s->ground->rows;
    uint32_t count = (uint32_t)rows->count;
    for (uint32_t i = 0; i < count; i++)
        s->drawn[i] = s->ground->settings->bootstrap ? 0 : 2;
    if (s->ground->settings->bootstrap)
        for (uint32_t i = 0; i < count; i++)
            s->drawn[weir_random_below(&s->random, count)] += 2;
    struct tally tally = {{0, 0}};
    for (uint32_t i = 0; i < count; i++) {
        tally.of[rows->lost[i]] += s->drawn[i] / 2;
        s->entries += s->drawn[i] > 0;
        s->drawn[i] |= rows->lost[i];
    }
    return tally;
}

static bool sprout_begin(struct sprout *s, const struct ground *ground, uint32_t tree, struct tally *tally)
{
    uint64_t count = ground->rows->count;
    *s = (struct sprout){.ground = ground, .random = weir_random_stream(ground->settings->seed, "tree")};
    s->random.key = weir_hash(s->random.key, tree);
    s->drawn = malloc(count * sizeof *s->drawn);
    s->side = malloc(count);
    if (!s->drawn || !s->side)
        return false;
    *tally = sprout_draw(s);
    s->spare = malloc(s->entries * sizeof *s->spare);
    if (!s->spare)
        return false;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++) {
        struct entry *to = s->list[f] = malloc(s->entries * sizeof *to);
        if (!to)
            return false;
        for (uint64_t i = 0; i < count; i++)
            if (s->drawn[ground->sorted[f][i].row] > 1)
                *to++ = ground->sorted[f][i];
    }
    return true;
}

static double purity(const struct ground *ground, const struct tally *tally)
{
    double kept = (double)tally->of[0] * ground->weight[0];
    double lost = (double)tally->of[1] * ground->weight[1];
    double all = kept + lost;
    return all > 0 ? (kept * kept + lost * lost) / all : 0;
}

/* The largest whole number below the middle of two values, without overflow. */
static int64_t middle(int64_t low, int64_t high)
{
    return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}

/* Improves `best` by a split of this feature; false when all rows have one value. */
static bool try_feature(const struct sprout *s, const struct job *job, uint32_t f, struct split *best)
{
    const struct entry *entry = s->list[f];
    uint32_t leaf = s->ground->settings->leaf;
    uint64_t rows = job->tally.of[0] + job->tally.of[1];
    struct tally first = {{0, 0}};
    if (entry[job->begin].rank == entry[job->end - 1].rank)
        return false;
    for (uint32_t i = job->begin; i + 1 < job->end; i++) {
        uint32_t drawn = s->drawn[entry[i].row];
        first.of[drawn & 1] += drawn >> 1;
        if (entry[i].rank == entry[i + 1].rank)
            continue;
        uint64_t left = first.of[0] + first.of[1];
        if (left < leaf || rows - left < leaf)
            continue;
        struct tally second = {{job->tally.of[0] - first.of[0], job->tally.of[1] - first.of[1]}};
        double pure = purity(s->ground, &first) + purity(s->ground, &second);
        if (pure <= best->purity)
            continue;
        const int64_t *value = s->ground->value[f];
        *best =
            (struct split){pure, f, i + 1 - job->begin, middle(value[entry[i].rank], value[entry[i + 1].rank]), first};
    }
    return true;
}

/* Features are drawn by lot until enough were tried that could split; one with a single value is no choice. */
static bool find_split(struct sprout *s, const struct job *job, struct split *best)
{
    uint32_t feature[WEIR_FEATURE_COUNT];
    uint32_t tried = 0;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        feature[f] = f;
    *best = (struct split){.purity = -1};
    for (uint32_t left = WEIR_FEATURE_COUNT; left > 0 && tried < s->ground->settings->features; left--) {
        uint32_t lot = weir_random_below(&s->random, left);
        tried += try_feature(s, job, feature[lot], best);
        feature[lot] = feature[left - 1];
    }
    return best->purity >= 0;
}

/* Parts every list at the split, each side in its old order. */
static void part(struct sprout *s, const struct job *job, const struct split *split)
{
    const struct entry *chosen = s->list[split->feature];
    for (uint32_t i = job->begin; i < job->end; i++)
        s->side[chosen[i].row] = i - job->begin < split->entries;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++) {
        if (f == split->feature)
            continue;
        struct entry *list = s->list[f];
        uint32_t first = job->begin, second = 0;
        for (uint32_t i = job->begin; i < job->end; i++) {
            struct entry entry = list[i];
            uint32_t goes = s->side[entry.row];
            list[first] = entry;
            s->spare[second] = entry;
            first += goes;
            second += 1 - goes;
        }
        memcpy(list + first, s->spare, second * sizeof *list);
    }
}

static bool sprout_reserve(struct sprout *s, uint32_t nodes)
{
    if (nodes <= s->capacity)
        return true;
    uint32_t capacity = s->capacity * 2 > nodes ? s->capacity * 2 : nodes;
    struct forest_node *node = realloc(s->node, capacity * sizeof *node);
    if (node)
        s->node = node;
    int64_t *lean = realloc(s->lean, capacity * sizeof *lean);
    if (lean)
        s->lean = lean;
    s->capacity = node && lean ? capacity : s->capacity;
    return node && lean;
}

static bool may_split(const struct sprout *s, const struct job *job)
{
    return job->depth < s->ground->settings->depth && job->tally.of[0] > 0 && job->tally.of[1] > 0;
}

/* Makes the node of `job` a leaf, or splits it and leaves its two children in `children`. False: no memory. */
static bool grow_node(struct sprout *s, const struct job *job, struct job children[2], bool *split)
{
    struct split best;
    *split = may_split(s, job) && find_split(s, job, &best);
    if (!*split) {
        double kept = (double)job->tally.of[0] * s->ground->weight[0];
        double lost = (double)job->tally.of[1] * s->ground->weight[1];
        s->node[job->node] = (struct forest_node){.limit = FOREST_LEAF_LIMIT, .child = job->node};
        s->lean[job->node] = forest_lean_of(kept + lost > 0 ? lost / (kept + lost) : 0.5);
        return true;
    }
    if (!sprout_reserve(s, s->nodes + 2))
        return false;
    s->decrease[best.feature] += best.purity - purity(s->ground, &job->tally);
    s->node[job->node] = (struct forest_node){best.limit, s->nodes, best.feature};
    s->lean[job->node] = 0;
    uint32_t middle_entry = job->begin + best.entries;
    struct tally second = {{job->tally.of[0] - best.first.of[0], job->tally.of[1] - best.first.of[1]}};
    children[0] = (struct job){s->nodes, job->begin, middle_entry, job->depth + 1, best.first};
    children[1] = (struct job){s->nodes + 1, middle_entry, job->end, job->depth + 1, second};
    s->nodes += 2;
    if (may_split(s, &children[0]) || may_split(s, &children[1]))
        part(s, job, &best);
    return true;
}

/* The second child first on the stack: a stack holds at most one waiting node per level. */
static bool sprout_grow(struct sprout *s, const struct tally *tally)
{
    struct job waiting[FOREST_DEPTH_MAX + 2];
    uint32_t count = 0;
    if (!sprout_reserve(s, 1))
        return false;
    s->nodes = 1;
    waiting[count++] = (struct job){0, 0, s->entries, 0, *tally};
    while (count > 0) {
        struct job job = waiting[--count];
        struct job children[2];
        bool split;
        bool stop = s->ground->progress && atomic_load(&s->ground->progress->stop);
        if (stop || !grow_node(s, &job, children, &split) || s->nodes > FOREST_NODES_MAX)
            return false;
        if (split) {
            waiting[count++] = children[1];
            waiting[count++] = children[0];
        }
    }
    return true;
}

/* --- The forest ----------------------------------------------------------------------------------------------- */

struct crew {
    const struct ground *ground;
    struct sprout *sprout; /* [trees] */
    atomic_uint next;
    atomic_bool failed;
    struct forest_progress *progress;
};

static void *crew_work(void *context)
{
    struct crew *crew = context;
    for (;;) {
        uint32_t tree = atomic_fetch_add(&crew->next, 1);
        bool stop = crew->progress && atomic_load(&crew->progress->stop);
        if (tree >= crew->ground->settings->trees || stop || atomic_load(&crew->failed))
            return NULL;
        struct tally tally;
        if (!sprout_begin(&crew->sprout[tree], crew->ground, tree, &tally) || !sprout_grow(&crew->sprout[tree], &tally))
            atomic_store(&crew->failed, true);
        /* Frees what a grown tree no longer needs, so that many trees do not hold many copies of the rows. */
        struct sprout *s = &crew->sprout[tree];
        for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++) {
            free(s->list[f]);
            s->list[f] = NULL;
        }
        free(s->spare);
        free(s->drawn);
        free(s->side);
        s->spare = NULL;
        s->drawn = NULL;
        s->side = NULL;
        if (!crew->progress)
            continue;
        uint32_t done = atomic_fetch_add(&crew->progress->trees_done, 1) + 1;
        if (crew->progress->tree_done && !atomic_load(&crew->progress->stop))
            crew->progress->tree_done(done, crew->ground->settings->trees);
    }
}

static struct forest *gather(const struct sprout *sprout, uint32_t trees)
{
    uint64_t nodes = 0;
    for (uint32_t t = 0; t < trees; t++)
        nodes += sprout[t].nodes;
    struct forest *forest = nodes <= FOREST_NODES_MAX ? forest_new(trees, (uint32_t)nodes) : NULL;
    uint32_t root = 0;
    for (uint32_t t = 0; forest && t < trees; t++) {
        forest->tree[t].root = root;
        for (uint32_t i = 0; i < sprout[t].nodes; i++) {
            forest->node[root + i] = sprout[t].node[i];
            forest->node[root + i].child += root;
            forest->lean[root + i] = sprout[t].lean[i];
        }
        root += sprout[t].nodes;
    }
    return forest;
}

static void weigh(const struct sprout *sprout, uint32_t trees, struct forest_importance *importance)
{
    *importance = (struct forest_importance){{0}};
    uint32_t counted = 0;
    for (uint32_t t = 0; t < trees; t++) {
        double sum = 0;
        for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
            sum += sprout[t].decrease[f];
        counted += sum > 0;
        for (uint32_t f = 0; sum > 0 && f < WEIR_FEATURE_COUNT; f++)
            importance->of[f] += sprout[t].decrease[f] / sum;
    }
    for (uint32_t f = 0; counted > 0 && f < WEIR_FEATURE_COUNT; f++)
        importance->of[f] /= counted;
}

static struct forest *train_on(const struct ground *ground, struct forest_importance *importance,
                               struct forest_progress *progress, struct weir_error *error)
{
    uint32_t trees = ground->settings->trees;
    struct crew crew = {.ground = ground, .progress = progress, .sprout = calloc(trees, sizeof *crew.sprout)};
    if (!crew.sprout) {
        weir_fail_memory(error);
        return NULL;
    }
    /* This thread works too; threads that cannot be started are done without. */
    pthread_t thread[THREADS_MAX];
    uint32_t wanted = crew.ground->settings->threads < THREADS_MAX ? crew.ground->settings->threads : THREADS_MAX;
    uint32_t started = 0;
    while (started + 1 < wanted && pthread_create(&thread[started], NULL, crew_work, &crew) == 0)
        started++;
    crew_work(&crew);
    while (started > 0)
        pthread_join(thread[--started], NULL);
    struct forest *forest = NULL;
    if (progress && atomic_load(&progress->stop)) {
        weir_fail(error, WEIR_ERROR_SYSTEM, "training was stopped");
    } else {
        forest = atomic_load(&crew.failed) ? NULL : gather(crew.sprout, trees);
        if (!forest)
            weir_fail(error, WEIR_ERROR_MEMORY, "out of memory, or more than %u nodes", FOREST_NODES_MAX);
    }
    if (forest && importance)
        weigh(crew.sprout, trees, importance);
    for (uint32_t t = 0; t < trees; t++) {
        /* --- A tree
         * --------------------------------------------------------------------------------------------------- */
        struct sprout *s = &crew.sprout[t];
        for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
            free(s->list[f]);
        free(s->spare);
        free(s->drawn);
        free(s->side);
        free(s->node);
        free(s->lean);
        *s = (struct sprout){0};
    }
    free(crew.sprout);
    if (forest && !forest_seal(forest, error)) {
        forest_free(forest);
        return NULL;
    }
    return forest;
}

struct forest *forest_train(const struct forest_rows *rows, const struct forest_settings *settings,
                            struct forest_importance *importance, struct forest_progress *progress,
                            struct weir_error *error)
{
    if (!settings_are_sound(settings, error))
        return NULL;
    if (rows->count == 0) {
        weir_fail(error, WEIR_ERROR_INPUT, "there are no rows to learn from");
        return NULL;
    }
    struct ground ground = {.rows = rows, .settings = settings, .progress = progress};
    struct forest *forest = ground_prepare(&ground, error) ? train_on(&ground, importance, progress, error) : NULL;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++) {
        free(ground.sorted[f]);
        free(ground.value[f]);
    }
    return forest;
}

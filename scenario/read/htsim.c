/*
 * htsim.c - see htsim.h. A line is words between blanks, `#` begins a comment, and the case of keywords does not
 * matter.
 *
 * A connection matrix:
 *
 *   Nodes 16
 *   Connections 2
 *   0->15 start 0 size 2000000            start in picoseconds, size in bytes
 *   1->15 id 2 start 5000 size 1000 prio 1
 *
 *   2->15 id 3 trigger 7 size 1000 send_done_trigger 8
 *   trigger id 7 oneshot                  or multishot, or barrier count 2
 *
 * What triggers do is said in sim/workload/traffic.h; htsim_triggers.c joins them with the flows.
 *
 * A topology gives for each tier of switches, 0 next to the hosts, its ports down and up (Radix_Down, Radix_Up), how
 * many links in parallel join two switches (Bundle, by the upper one), and speed and delay of its links down. The delay
 * of a switch goes in halves to the links at both its sides, which gives every path the same sum.
 */
#include "scenario/read/htsim.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORDS_MAX 24u
#define WORD_MAX 32u
#define TIERS_MAX 3u
#define LINKS_MAX (1u << 22)
#define NS_PER_S INT64_C(1000000000)

/* A text, and its present line. */
struct words {
    const char *text;
    size_t size, at;
    struct mark mark; /* of the line */
    struct weir_error *error;
    unsigned count;
    char word[WORDS_MAX][WORD_MAX];
    uint32_t column[WORDS_MAX];
};

static bool words_fail(const struct words *in, unsigned word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool words_fail(const struct words *in, unsigned word, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(in->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    return weir_fail_at(in->error, in->mark.origin, in->mark.line, word < in->count ? in->column[word] : 1);
}

/* The next line that has words. False: there is none, or `*good` is false. */
static bool words_next(struct words *in, bool *good)
{
    for (in->count = 0; in->at < in->size && in->count == 0;) {
        const char *line = in->text + in->at, *newline = memchr(line, '\n', in->size - in->at);
        size_t length = newline != NULL ? (size_t)(newline - line) : in->size - in->at;
        const char *comment = memchr(line, '#', length);
        in->at += length + 1;
        in->mark.line++;
        length = comment != NULL ? (size_t)(comment - line) : length;
        for (size_t i = 0; i < length;) {
            size_t from = i;
            while (i < length && strchr(" \t\r", line[i]) == NULL && line[i] != '\0')
                i++;
            if (i == from) {
                i++;
                continue;
            }
            if (in->count == WORDS_MAX || i - from >= WORD_MAX) {
                in->count = 0;
                return *good = words_fail(in, 0, "a line of more than %u words, or a word of more than %u letters",
                                          WORDS_MAX, WORD_MAX - 1);
            }
            memcpy(in->word[in->count], line + from, i - from);
            in->word[in->count][i - from] = '\0';
            in->column[in->count++] = (uint32_t)from + 1;
        }
    }
    return in->count > 0;
}

static bool is_word(const struct words *in, unsigned word, const char *name)
{
    return word < in->count && strcasecmp(in->word[word], name) == 0;
}

/* A number from `least` to `most` in this word. */
static bool read_number(const struct words *in, unsigned word, const char *what, uint64_t least, uint64_t most,
                        uint64_t *value)
{
    const char *text = word < in->count ? in->word[word] : "";
    uint64_t number = 0;
    bool good = *text != '\0';
    for (; isdigit((unsigned char)*text) && number <= most / 10; text++)
        number = 10 * number + (uint64_t)(*text - '0');
    good = good && *text == '\0' && number >= least && number <= most;
    *value = number;
    return good || words_fail(in, word, "%s: '%s' (expected a number from %" PRIu64 " to %" PRIu64 ")", what,
                              word < in->count ? in->word[word] : "", least, most);
}

bool htsim_is(const char *text, size_t size)
{
    struct weir_error error;
    struct words in = {.text = text, .size = size, .error = &error};
    uint64_t nodes;
    bool good = true;
    return words_next(&in, &good) && in.count == 2 && is_word(&in, 0, "nodes") &&
           read_number(&in, 1, "Nodes", 0, UINT32_MAX, &nodes);
}

/* What the head of a connection matrix says of what follows, and how much did. */
enum { MATRIX_CONNECTIONS, MATRIX_TRIGGERS, MATRIX_FAILURES, MATRIX_COUNTS };

struct matrix {
    uint64_t nodes;
    bool said[MATRIX_COUNTS];
    uint64_t count[MATRIX_COUNTS], found[MATRIX_COUNTS];
    struct htsim_triggers triggers;
};

static const char *const matrix_names[MATRIX_COUNTS] = {"Connections", "Triggers", "Failures"};

/* "3->7" */
static bool read_ends(const struct words *in, uint64_t nodes, struct listed_flow *flow)
{
    struct words ends = *in;
    char *arrow = strstr(ends.word[0], "->");
    uint64_t source, destination;
    *arrow = '\0';
    if (!read_number(&ends, 0, "source", 0, nodes - 1, &source))
        return false;
    memmove(ends.word[0], arrow + 2, strlen(arrow + 2) + 1);
    if (!read_number(&ends, 0, "destination", 0, nodes - 1, &destination))
        return false;
    flow->source = (uint32_t)source;
    flow->destination = (uint32_t)destination;
    return source != destination || words_fail(in, 0, "h%" PRIu64 " sends to itself", source);
}

static bool read_connection(const struct words *in, struct matrix *matrix, struct listed_flow *flow)
{
    uint64_t value;
    bool started = false, sized = false;
    if (!read_ends(in, matrix->nodes, flow))
        return false;
    for (unsigned i = 1; i < in->count; i += 2) {
        uint32_t *trigger = is_word(in, i, "trigger")             ? &flow->waits
                            : is_word(in, i, "send_done_trigger") ? &flow->when_sent
                            : is_word(in, i, "recv_done_trigger") ? &flow->when_there
                                                                  : NULL;
        if (trigger != NULL) {
            if (!read_number(in, i + 1, in->word[i], 1, UINT32_MAX, &value))
                return false;
            *trigger = (uint32_t)value;
        } else if (is_word(in, i, "start")) {
            if (!read_number(in, i + 1, "start", 0, KEY_TIME_MAX, &value))
                return false;
            flow->start_ps = (weir_ps)value;
            started = true;
        } else if (is_word(in, i, "size")) {
            if (!read_number(in, i + 1, "size", 1, INT64_MAX - 1, &value))
                return false;
            flow->bytes = (int64_t)value;
            sized = true;
        } else if (is_word(in, i, "id")) {
            if (!read_number(in, i + 1, "id", 1, UINT32_MAX, &value))
                return false;
        } else if (is_word(in, i, "prio")) {
            if (!read_number(in, i + 1, "prio", 0, UINT32_MAX, &value))
                return false;
            if (value > 0)
                return words_fail(in, i + 1, "prio: %" PRIu64 " (expected 0, or none: a class belongs to a transport)",
                                  value);
        } else if (is_word(in, i, "msg") && i + 1 < in->count && isalpha((unsigned char)in->word[i + 1][0])) {
            i--; /* of a connection, without a number */
        } else if (is_word(in, i, "msg")) {
            if (!read_number(in, i + 1, in->word[i], 0, UINT32_MAX, &value))
                return false;
        } else {
            return words_fail(in, i,
                              "'%s' (expected id, start, trigger, size, msg, send_done_trigger, recv_done_trigger or "
                              "prio)",
                              in->word[i]);
        }
    }
    if (started && flow->waits > 0)
        return words_fail(in, 0, "the flow has a 'start' and a 'trigger' (expected one of them)");
    if (!started && flow->waits == 0)
        return words_fail(
            in, 0, "the flow has no 'start' (expected its time in picoseconds, or the 'trigger' that starts it)");
    flow->start_ps = flow->waits > 0 ? WEIR_TIME_MAX : flow->start_ps;
    return sized || words_fail(in, 0, "the flow has no 'size' (expected its bytes)");
}

/* "trigger id 7 barrier count 2" */
static bool read_trigger(const struct words *in, struct matrix *matrix)
{
    static const char *const kinds[] = {"oneshot", "multishot", "barrier"};
    struct htsim_trigger trigger = {.line = in->mark.line};
    uint64_t value;
    bool named = false, counted = false;
    for (unsigned i = 1; i < in->count; i++) {
        unsigned kind = 0;
        while (kind < 3 && !is_word(in, i, kinds[kind]))
            kind++;
        if (kind < 3 && named)
            return words_fail(in, i, "'%s' (expected one kind for a trigger)", in->word[i]);
        if (kind < 3) {
            trigger.is.kind = (enum trigger_kind)kind;
            named = true;
        } else if (is_word(in, i, "id")) {
            if (!read_number(in, ++i, "id", 1, UINT32_MAX, &value))
                return false;
            trigger.id = (uint32_t)value;
        } else if (is_word(in, i, "count")) {
            if (!read_number(in, ++i, "count", 1, UINT32_MAX, &value))
                return false;
            trigger.is.count = (uint32_t)value;
            counted = true;
        } else {
            return words_fail(in, i, "'%s' (expected id, oneshot, multishot, barrier or count)", in->word[i]);
        }
    }
    if (trigger.id == 0 || !named)
        return words_fail(in, in->count, "a trigger without %s (expected such as 'trigger id 7 oneshot')",
                          trigger.id == 0 ? "'id'" : "a kind");
    if (counted != (trigger.is.kind == TRIGGER_BARRIER))
        return words_fail(in, in->count, "%s (expected 'barrier count N': how many ends it waits for)",
                          counted ? "a count of a trigger that is no barrier" : "a barrier without 'count'");
    return htsim_triggers_add(&matrix->triggers, &trigger) || weir_fail_memory(in->error);
}

/* A line of the head or of what follows; `*is_flow`: it was a connection. */
static bool read_matrix_line(const struct words *in, struct matrix *matrix, struct listed_flow *flow, bool *is_flow)
{
    *is_flow = strstr(in->word[0], "->") != NULL;
    if (*is_flow) {
        matrix->found[MATRIX_CONNECTIONS]++;
        return read_connection(in, matrix, flow);
    }
    for (unsigned i = 0; i < MATRIX_COUNTS; i++)
        if (is_word(in, 0, matrix_names[i])) {
            matrix->said[i] = true;
            return read_number(in, 1, matrix_names[i], 0, UINT32_MAX, &matrix->count[i]);
        }
    if (is_word(in, 0, "trigger")) {
        matrix->found[MATRIX_TRIGGERS]++;
        return read_trigger(in, matrix);
    }
    if (is_word(in, 0, "failure"))
        return words_fail(in, 0, "a link fails (expected that in the section 'failures' of the scenario)");
    return words_fail(in, 0, "'%s' (expected Nodes, Connections, Triggers, Failures, trigger, or a flow such as 0->15)",
                      in->word[0]);
}

bool htsim_read_flows(struct listed_flows *list, const char *text, size_t size, const struct flow_list_setup *setup,
                      struct build *build)
{
    struct words in = {.text = text,
                       .size = size,
                       .mark = {.origin = build->scenario->lists[build->scenario->config.traffic_count].path},
                       .error = build->reader.error};
    struct matrix matrix = {.nodes = 0};
    bool good = true, is_flow;
    if (words_next(&in, &good))
        good = read_number(&in, 1, "Nodes", 1, setup->hosts, &matrix.nodes);
    while (good && words_next(&in, &good)) {
        struct listed_flow flow = {.tag = setup->tag};
        good = read_matrix_line(&in, &matrix, &flow, &is_flow) &&
               (!is_flow || (listed_flows_add(list, &flow) && htsim_triggers_line(&matrix.triggers, in.mark.line)) ||
                weir_fail_memory(in.error));
    }
    for (unsigned i = 0; good && i < MATRIX_COUNTS; i++)
        if (matrix.said[i] && matrix.found[i] != matrix.count[i])
            good = words_fail(&in, 0, "%s: %" PRIu64 " follow (expected %" PRIu64 ", as the head says)",
                              matrix_names[i], matrix.found[i], matrix.count[i]);
    if (good && !htsim_triggers_join(list, &matrix.triggers, &in.mark.line, in.error)) {
        if (in.error->code != WEIR_ERROR_MEMORY)
            weir_fail_at(in.error, in.mark.origin, in.mark.line, 1);
        good = false;
    }
    htsim_triggers_free(&matrix.triggers);
    good = good && (listed_flows_sort(list) || weir_fail_memory(in.error));
    if (!good)
        listed_flows_free(list);
    return good;
}

/* One tier of switches. */
enum { TIER_SPEED, TIER_RADIX_DOWN, TIER_RADIX_UP, TIER_LINK_NS, TIER_SWITCH_NS, TIER_OVER, TIER_BUNDLE, TIER_QUEUE };

static const struct tier_key {
    const char *name;
    unsigned value;
    uint64_t least, most;
} tier_keys[] = {
    {"Downlink_speed_Gbps", TIER_SPEED, 1, 100000},
    {"Radix_Down", TIER_RADIX_DOWN, 1, TOPOLOGY_NODES_MAX},
    {"Radix_Up", TIER_RADIX_UP, 1, TOPOLOGY_NODES_MAX},
    {"Downlink_Latency_ns", TIER_LINK_NS, 0, (uint64_t)NS_PER_S},
    {"Switch_Latency_ns", TIER_SWITCH_NS, 0, (uint64_t)NS_PER_S},
    {"Oversubscribed", TIER_OVER, 1, TOPOLOGY_NODES_MAX},
    {"Bundle", TIER_BUNDLE, 1, TOPOLOGY_NODES_MAX},
    {"Queue_Down", TIER_QUEUE, 0, UINT32_MAX},
    {"Queue_Up", TIER_QUEUE, 0, UINT32_MAX},
};
#define TIER_KEYS (sizeof tier_keys / sizeof tier_keys[0])

struct tree {
    struct arena *arena;
    const struct node *at; /* where the scenario names the file */
    struct node *links;
    uint64_t nodes, tiers, pod_size;
    bool given[TIERS_MAX]; /* the tier has its section */
    uint64_t tier[TIERS_MAX][TIER_QUEUE + 1];
    uint64_t pods, tors, aggs, cores; /* tors and aggs of a pod */
};

static bool read_tier_line(const struct words *in, struct build *build, struct tree *tree, uint64_t tier)
{
    for (size_t i = 0; i < TIER_KEYS; i++) {
        const struct tier_key *key = &tier_keys[i];
        if (!is_word(in, 0, key->name))
            continue;
        if (key->value == TIER_QUEUE &&
            !read_warn(build, tree->at, "file: line %u: %s has no effect: switch.buffer is shared by all ports",
                       in->mark.line, key->name))
            return false;
        return read_number(in, 1, key->name, key->least, key->most, &tree->tier[tier][key->value]);
    }
    return words_fail(in, 0,
                      "'%s' (expected Tier, Downlink_speed_Gbps, Radix_Down, Radix_Up, Downlink_Latency_ns, "
                      "Switch_Latency_ns, Oversubscribed, Bundle, Queue_Down or Queue_Up)",
                      in->word[0]);
}

static bool read_tree(struct words *in, struct build *build, struct tree *tree)
{
    static const struct {
        const char *name;
        uint64_t least, most;
    } heads[] = {{"Nodes", 1, TOPOLOGY_NODES_MAX}, {"Tiers", 2, TIERS_MAX}, {"Podsize", 1, TOPOLOGY_NODES_MAX}};
    uint64_t *const values[] = {&tree->nodes, &tree->tiers, &tree->pod_size};
    uint64_t tier = TIERS_MAX;
    bool good = true;
    while (good && words_next(in, &good)) {
        unsigned head = 0;
        while (head < 3 && !is_word(in, 0, heads[head].name))
            head++;
        if (head < 3) {
            good = read_number(in, 1, heads[head].name, heads[head].least, heads[head].most, values[head]);
        } else if (is_word(in, 0, "tier")) {
            good = read_number(in, 1, "Tier", 0, TIERS_MAX - 1, &tier);
            if (good)
                tree->given[tier] = true;
        } else if (tier == TIERS_MAX) {
            return words_fail(in, 0, "'%s' (expected Nodes, Tiers, Podsize or Tier)", in->word[0]);
        } else {
            good = read_tier_line(in, build, tree, tier);
        }
    }
    return good;
}

/* What a value must be, by the others; 0 where it was not given. */
static bool expect_value(const struct words *in, unsigned tier, const char *name, uint64_t value, uint64_t expected)
{
    return value == expected ||
           words_fail(in, in->count, "tier %u: %s is %" PRIu64 " (expected %" PRIu64 ", by the other numbers)", tier,
                      name, value, expected);
}

static bool expect_divides(const struct words *in, const char *what, uint64_t whole, uint64_t part)
{
    return (part > 0 && whole % part == 0) ||
           words_fail(in, in->count, "%s: %" PRIu64 " is no multiple of %" PRIu64, what, whole, part);
}

/* All factors are at most 2^20. */
static bool expect_size(const struct words *in, const struct tree *tree)
{
    uint64_t tors = tree->pods * tree->tors, aggs = tree->pods * tree->aggs;
    uint64_t links = tors * tree->tier[0][TIER_RADIX_UP] + aggs * tree->tier[1][TIER_RADIX_UP];
    bool fits = tree->nodes + tors + aggs + tree->cores <= TOPOLOGY_NODES_MAX && links <= LINKS_MAX;
    return fits ||
           words_fail(in, in->count, "more than %u nodes, or %u links between switches", TOPOLOGY_NODES_MAX, LINKS_MAX);
}

/* How many switches there are, and that their ports fit. */
static bool shape_tree(const struct words *in, struct tree *tree)
{
    if (tree->tiers == 0)
        return words_fail(in, in->count, "'Tiers' is missing (expected 2 or 3)");
    unsigned top = (unsigned)tree->tiers - 1;
    for (unsigned t = 0; t <= top; t++) {
        uint64_t *tier = tree->tier[t];
        if (!tree->given[t] || tier[TIER_SPEED] == 0 || tier[TIER_RADIX_DOWN] == 0 ||
            (t < top && tier[TIER_RADIX_UP] == 0))
            return words_fail(in, in->count,
                              "tier %u: something is missing (expected Downlink_speed_Gbps, Radix_Down and, below the "
                              "top, Radix_Up)",
                              t);
        tier[TIER_BUNDLE] = tier[TIER_BUNDLE] > 0 ? tier[TIER_BUNDLE] : 1;
    }
    if (tree->pod_size == 0 || top == 1)
        tree->pod_size = tree->nodes;
    const uint64_t *tor = tree->tier[0], *agg = tree->tier[1], *core = tree->tier[2];
    if (!expect_value(in, 0, "Bundle", tor[TIER_BUNDLE], 1) ||
        !expect_divides(in, "Nodes", tree->nodes, tree->pod_size) ||
        !expect_divides(in, "Podsize", tree->pod_size, tor[TIER_RADIX_DOWN]) ||
        !expect_divides(in, "tier 0: Radix_Up", tor[TIER_RADIX_UP], agg[TIER_BUNDLE]))
        return false;
    tree->pods = tree->nodes / tree->pod_size;
    tree->tors = tree->pod_size / tor[TIER_RADIX_DOWN];
    tree->aggs = tor[TIER_RADIX_UP] / agg[TIER_BUNDLE];
    if (!expect_value(in, 1, "Radix_Down", agg[TIER_RADIX_DOWN], tree->tors * agg[TIER_BUNDLE]))
        return false;
    if (top == 1)
        return expect_size(in, tree);
    if (!expect_divides(in, "tier 1: Radix_Up", agg[TIER_RADIX_UP], core[TIER_BUNDLE]))
        return false;
    tree->cores = tree->aggs * (agg[TIER_RADIX_UP] / core[TIER_BUNDLE]);
    return expect_value(in, 2, "Radix_Down", core[TIER_RADIX_DOWN], tree->pods * core[TIER_BUNDLE]) &&
           expect_size(in, tree);
}

static struct node *put_text(struct tree *tree, struct node *map, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static struct node *put_text(struct tree *tree, struct node *map, const char *key, const char *format, ...)
{
    char text[48];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return node_add_key(map, key, node_scalar(tree->arena, text));
}

/* The links between two nodes: those of `tier` down. */
static bool add_links(struct tree *tree, unsigned tier, const char *below, uint64_t a, uint64_t b)
{
    const uint64_t *upper = tree->tier[tier];
    uint64_t switch_ns = upper[TIER_SWITCH_NS] + (tier > 0 ? tree->tier[tier - 1][TIER_SWITCH_NS] : 0);
    for (uint64_t i = 0; i < upper[TIER_BUNDLE]; i++) {
        struct node *link = node_collection(tree->arena, NODE_MAP);
        if (node_add(tree->links, link) == NULL || put_text(tree, link, "a", "%s%" PRIu64, below, a) == NULL ||
            put_text(tree, link, "b", "s%" PRIu64, b) == NULL ||
            put_text(tree, link, "rate", "%" PRIu64 "Gbps", upper[TIER_SPEED]) == NULL ||
            put_text(tree, link, "delay", "%" PRIu64 "ps", upper[TIER_LINK_NS] * 1000 + switch_ns * 500) == NULL)
            return false;
    }
    return true;
}

/* Switches are numbered tier by tier, pod by pod. */
static struct node *make_map(struct tree *tree)
{
    struct node *map = node_collection(tree->arena, NODE_MAP);
    uint64_t tors = tree->pods * tree->tors, aggs = tree->pods * tree->aggs;
    bool good = map != NULL && put_text(tree, map, "kind", "explicit") != NULL &&
                put_text(tree, map, "hosts", "%" PRIu64, tree->nodes) != NULL &&
                put_text(tree, map, "switches", "%" PRIu64, tors + aggs + tree->cores) != NULL;
    for (uint64_t host = 0; good && host < tree->nodes; host++)
        good = add_links(tree, 0, "h", host, host / tree->tier[0][TIER_RADIX_DOWN]);
    for (uint64_t tor = 0; good && tor < tors; tor++)
        for (uint64_t i = 0; good && i < tree->aggs; i++)
            good = add_links(tree, 1, "s", tor, tors + tor / tree->tors * tree->aggs + i);
    for (uint64_t agg = 0; good && tree->cores > 0 && agg < aggs; agg++)
        for (uint64_t i = 0, each = tree->cores / tree->aggs; good && i < each; i++)
            good = add_links(tree, 2, "s", tors + agg, tors + aggs + agg % tree->aggs * each + i);
    return good && node_add_key(map, "links", tree->links) != NULL ? map : NULL;
}

struct node *htsim_read_topology(struct build *build, const struct node *at, const char *text, size_t size,
                                 const char *path)
{
    struct words in = {.text = text, .size = size, .mark = {.origin = path}, .error = build->reader.error};
    struct tree tree = {
        .arena = build->reader.arena, .at = at, .links = node_collection(build->reader.arena, NODE_LIST)};
    if (!read_tree(&in, build, &tree) || !shape_tree(&in, &tree))
        return NULL;
    struct node *map = make_map(&tree);
    if (map == NULL)
        weir_fail_memory(in.error);
    else
        map->mark = at->mark;
    return map;
}

/*
 * setting.c - `setting`: a name for what the keys of a scenario begin with, where the file says nothing else. What a
 * setting gives stands beside what the file gives before any section is read, so each of its keys is checked, printed
 * and changed like any other: a map is filled up key by key, everything else of the file goes before it.
 *
 * uet-htsim is the network of Ultra Ethernet's own simulator (40ccb05), for the topology of the file. With h links, a
 * delay of d between the hosts farthest apart, one way, and a rate of C, a BDP is so many full packets:
 *
 *   n = ceil(C (2 d + h (packet + ACK) / C) / packet)
 *
 * A port's queue holds n packets where switches trim, else 5 n, of which the one that is being sent is not in the
 * buffer here; its headers have twice that, and go first. RED marks from 0.2 n to 0.8 n as packets leave, with receiver
 * credit not at ports to hosts. A full queue cuts the packet that arrives or the newest in it, by a coin. A packet
 * times out after 15 us and six full queues. Where a network is oversubscribed R times, rccc looks for congestion in
 * it, and grants at 0.9 / R of its link's rate or more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/read/read.h"
#include "scenario/yaml/document.h"

#define QUEUES_TRIMMED 1u
#define QUEUES_DROPPED 5u
#define RTO_LEAST_PS (15 * WEIR_PS_PER_US)
#define RTO_QUEUES 6
#define CREDIT_LEAST 0.9

const char *const setting_names[] = {"none", "uet-htsim", NULL};

/* An unknown one is told of where the key is read. */
static bool is_set(const struct node *root)
{
    const struct node *node = root->kind == NODE_MAP ? node_find(root, "setting") : NULL;
    return node != NULL && node->kind == NODE_SCALAR && strcmp(node->text, setting_names[1]) == 0;
}

/* `own`, and what only `usual` has. A map that says its kind goes alone where the usual one says a kind too. Null: out
 * of memory. */
static struct node *fill_up(struct arena *arena, const struct node *own, const struct node *usual)
{
    struct node *filled = node_copy(arena, own);
    if (filled == NULL || own->kind != NODE_MAP || usual->kind != NODE_MAP ||
        (node_find(own, "kind") != NULL && node_find(usual, "kind") != NULL))
        return filled;
    for (const struct node *key = usual->first; key != NULL; key = key->next) {
        struct node *same = node_find(filled, key->key);
        struct node *value = same != NULL ? fill_up(arena, same, key) : node_copy(arena, key);
        if (value == NULL || (same == NULL && node_add_key(filled, key->key, value) == NULL))
            return NULL;
        if (same != NULL)
            node_replace(same, value);
    }
    return filled;
}

/* What a key of the scenario begins with, as YAML. */
static struct node *usual_of(struct build *build, const char *text)
{
    const struct node *named = node_find(build->root, "setting");
    return document_read_value(build->reader.arena, named->mark, text, build->reader.error);
}

static bool fill_root(struct build *build, const char *text)
{
    const struct node *usual = usual_of(build, text);
    if (usual == NULL)
        return false;
    build->root = fill_up(build->reader.arena, build->root, usual);
    return build->root != NULL || weir_fail_memory(build->reader.error);
}

bool setting_begin(struct arena *arena, struct node *root, struct weir_error *error)
{
    static const char *const needed[][2] = {{"switch", "{}"}, {"transports", "{uet: {kind: uet}}"}};
    if (!is_set(root))
        return true;
    const struct mark mark = node_find(root, "setting")->mark;
    for (uint32_t i = 0; i < 2; i++) {
        if (node_find(root, needed[i][0]) != NULL)
            continue;
        struct node *value = document_read_value(arena, mark, needed[i][1], error);
        if (value == NULL)
            return false;
        if (node_add_key(root, needed[i][0], value) == NULL)
            return weir_fail_memory(error);
        value->key_mark = mark;
    }
    return true;
}

bool read_setting(struct build *build)
{
    struct node *root = is_set(build->root) ? node_copy(build->reader.arena, build->root) : NULL;
    if (!is_set(build->root))
        return true;
    build->root = root;
    return root != NULL ? setting_begin(build->reader.arena, root, build->reader.error) &&
                              fill_root(build, "{wire: {mss: 4086B, header: 64B, ack: 64B, gap: 0B}}")
                        : weir_fail_memory(build->reader.error);
}

/* The way from h0 to the host farthest from it. */
struct way {
    uint32_t links; /* plus 1, where it is known */
    weir_ps delay_ps;
};

static bool find_way(struct build *build, struct way *way, weir_bps *rate_bps)
{
    const struct topology *t = &build->scenario->topology;
    struct way *at = calloc(t->hosts + t->switches, sizeof *at);
    if (at == NULL)
        return weir_fail_memory(build->reader.error);
    at[0].links = 1;
    bool more = true;
    for (uint32_t links = 1; more; links++) {
        more = false;
        for (uint32_t end = 0; end < 2 * t->link_count; end++) {
            const struct topology_link *link = &t->links[end / 2];
            uint32_t from = end % 2 ? link->b : link->a, to = end % 2 ? link->a : link->b;
            if (from == 0)
                *rate_bps = link->rate_bps;
            if (at[from].links != links || at[to].links > 0)
                continue;
            at[to] = (struct way){links + 1, at[from].delay_ps + link->delay_ps};
            more = true;
        }
    }
    *way = at[0];
    for (uint32_t host = 1; host < t->hosts; host++)
        if (at[host].links > way->links || (at[host].links == way->links && at[host].delay_ps > way->delay_ps))
            *way = at[host];
    free(at);
    way->links--;
    return true;
}

/* Rate towards hosts over rate upwards, of the switches of a tier, multiplied over all tiers but the highest. */
static double find_oversubscription(const struct topology *t)
{
    double ratio = 1;
    for (uint32_t tier = 0; tier + 1 < TOPOLOGY_TIERS_MAX; tier++) {
        double down = 0, up = 0;
        for (uint32_t end = 0; end < 2 * t->link_count; end++) {
            const struct topology_link *link = &t->links[end / 2];
            uint32_t from = end % 2 ? link->b : link->a, to = end % 2 ? link->a : link->b;
            if (from < t->hosts || t->tier[from - t->hosts] != tier)
                continue;
            bool rises = to >= t->hosts && t->tier[to - t->hosts] > tier;
            *(rises ? &up : &down) += (double)link->rate_bps;
        }
        ratio *= up > 0 ? down / up : 1;
    }
    return ratio;
}

static bool is_word(const struct node *map, const char *key, const char *word)
{
    const struct node *node = map->kind == NODE_MAP ? node_find(map, key) : NULL;
    return node != NULL && node->kind == NODE_SCALAR && strcmp(node->text, word) == 0;
}

/* Fills up the transports of kind uet; says whether one is controlled by its receiver. */
static bool fill_transports(struct build *build, weir_ps rto_ps, bool trimmed, bool *credit)
{
    struct node *transports = node_find(build->root, "transports");
    const double ratio = find_oversubscription(&build->scenario->topology);
    for (struct node *item = transports->kind == NODE_MAP ? transports->first : NULL; item; item = item->next) {
        if (!is_word(item, "kind", "uet"))
            continue;
        char text[200];
        bool alone = is_word(item, "control", "rccc");
        *credit |= alone || is_word(item, "control", "both");
        int length = snprintf(text, sizeof text, "{ack_class: 1, rto: %lldps, trimmed: %s", (long long)rto_ps,
                              trimmed ? "yes" : "no");
        if (alone && ratio > 1)
            length += snprintf(text + length, sizeof text - (size_t)length, ", oversubscribed: yes, credit_least: %.9f",
                               CREDIT_LEAST / ratio > 0.01 ? CREDIT_LEAST / ratio : 0.01);
        snprintf(text + length, sizeof text - (size_t)length, "}");
        const struct node *usual = usual_of(build, text), *filled = NULL;
        if (usual == NULL)
            return false;
        if ((filled = fill_up(build->reader.arena, item, usual)) == NULL)
            return weir_fail_memory(build->reader.error);
        node_replace(item, filled);
    }
    return true;
}

/* Of the queues in packets. */
#define PART_OF(packets, tenths) (((packets) * (tenths) + 9) / 10)

bool read_setting_of_network(struct build *build)
{
    const struct sim_wire *wire = &build->scenario->config.wire;
    struct way way = {0};
    weir_bps rate_bps = 0;
    char text[400];
    bool credit = false;
    if (build->no_network || !is_set(build->root))
        return true;
    if (!find_way(build, &way, &rate_bps))
        return false;
    const struct node *trim = node_find(node_find(build->root, "switch"), "trim");
    const bool trimmed = trim == NULL || !is_word(trim, "losses", "none");
    const uint64_t packet = (uint64_t)wire->mss_bytes + wire->header_bytes;
    const double rate = (double)rate_bps / 8 / (double)WEIR_PS_PER_S; /* bytes per picosecond */
    const double bdp = rate * 2 * (double)way.delay_ps + way.links * (double)(packet + wire->ack_bytes);
    const uint64_t packets = (uint64_t)((bdp + (double)packet - 1) / (double)packet);
    const uint64_t queue = packets * (trimmed ? QUEUES_TRIMMED : QUEUES_DROPPED) * packet;
    if (!fill_transports(build, RTO_LEAST_PS + (weir_ps)(RTO_QUEUES * (double)queue / rate), trimmed, &credit))
        return false;
    snprintf(text, sizeof text,
             "{switch: {classes: 2, buffer: %lluB per port, private: [%lluB, %lluB], policy: cs, scheduler: strict, "
             "ecn: {kind: [red, none], low: [%lluB, 0B], high: [%lluB, 0B], chance: [1, 0], at: departure, hosts: %s}, "
             "trim: {class: 0, to: 1, size: 64B, newest: %s}}}",
             (unsigned long long)(3 * queue - packet), (unsigned long long)(queue - packet),
             (unsigned long long)(2 * queue), (unsigned long long)(PART_OF(packets, 2) * packet),
             (unsigned long long)(PART_OF(packets, 8) * packet), credit ? "no" : "yes", trimmed ? "0.5" : "0");
    return fill_root(build, text);
}

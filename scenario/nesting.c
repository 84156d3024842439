/*
 * nesting.c - see nesting.h.
 */
#include "scenario/nesting.h"

#include <string.h>

#include "scenario/parts.h"

static const struct nesting nestings[] = {
    {&top_section, "topology", NESTING_SECTION, &topology_section},
    {&top_section, "wire", NESTING_SECTION, &wire_section},
    {&top_section, "switch", NESTING_SECTION, &switch_section},
    {&top_section, "pfc", NESTING_SECTION, &pfc_section},
    {&top_section, "routing", NESTING_SECTION, &routing_section},
    {&top_section, "host", NESTING_SECTION, &host_section},
    {&top_section, "transports", NESTING_MAP, &transport_section},
    {&top_section, "traffic", NESTING_LIST, &traffic_section},
    {&top_section, "failures", NESTING_LIST, &failure_section},
    {&top_section, "measure", NESTING_SECTION, &measure_section},
    {&top_section, "dataplane", NESTING_SECTION, &dataplane_section},
    {&top_section, "testbed", NESTING_SECTION, &testbed_section},
    {&top_section, "paper", NESTING_SECTION, &paper_section},
    {&top_section, "limits", NESTING_SECTION, &limits_section},
    {&top_section, "sweep", NESTING_MAP, &axis_section},
    {&top_section, "figures", NESTING_LIST, &figure_section},
    {&top_section, "claims", NESTING_LIST, &claim_section},
    {&topology_section, "links", NESTING_LIST, &link_section},
    {&switch_section, "ecn", NESTING_SECTION, &ecn_section},
    {&pfc_section, "watchdog", NESTING_SECTION, &watchdog_section},
    {&dataplane_section, "cpus", NESTING_SECTION, &cpus_section},
    {&measure_section, "probes", NESTING_LIST, &probe_section},
};

const struct nesting *nesting_find(const struct section *in, const char *key)
{
    for (size_t i = 0; i < sizeof nestings / sizeof nestings[0]; i++)
        if (nestings[i].in == in && strcmp(nestings[i].key, key) == 0)
            return &nestings[i];
    return NULL;
}

/* The kind that a map says it has; false: a word that is no kind. */
static bool find_kind(const struct section *section, const struct node *map, uint32_t *kind)
{
    const struct node *word = node_find(map, "kind");
    *kind = section->kinds == NULL ? 0 : SECTION_ANY_KIND;
    if (section->kinds == NULL || word == NULL)
        return true;
    for (*kind = 0; section->kinds[*kind] != NULL; ++*kind)
        if (word->kind == NODE_SCALAR && strcmp(section->kinds[*kind], word->text) == 0)
            return true;
    return false;
}

static bool check_names(struct reader *reader, const struct section *section, const struct node *map)
{
    uint32_t kind;
    if (section == &axis_section || map->kind != NODE_MAP || !find_kind(section, map, &kind))
        return true; /* the keys of an axis are paths */
    if (!section_check_known(reader, section, map, kind))
        return false;
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        const struct nesting *nesting = nesting_find(section, child->key);
        if (nesting == NULL)
            continue;
        if (nesting->shape == NESTING_SECTION && !check_names(reader, nesting->of, child))
            return false;
        const struct node *item = nesting->shape != NESTING_SECTION ? child->first : NULL;
        for (; item != NULL; item = item->next)
            if (!check_names(reader, nesting->of, item))
                return false;
    }
    return true;
}

bool nesting_check_names(struct reader *reader, const struct node *root)
{
    return check_names(reader, &top_section, root);
}

/*
 * switches.c - `switch`: buffer, classes, scheduler, marking and policy of the switches, and of one tier where it
 * differs. A tier's keys take the place of the same keys of `switch`, so each tier is read as one map: a
 * threshold of "80% buffer" is then of that tier's buffer.
 */
#include <string.h>

#include "scenario/read/switch_settings.h"
#include "weir/fixed.h"

#define BUFFER_UNKNOWN 10000000 /* bytes that parts of a buffer are taken of whose size has a mistake */

/* One MMU: its ports and the sum of their rates. */
struct memory {
    uint32_t ports;
    weir_bps sum_bps;
};

/* Notes an MMU of the tier; `scale` has 0 ports once two MMUs differ in them, and no rate once they differ in that. */
static void note_memory(struct key_scale *scale, const struct memory *memory, bool first)
{
    scale->memory_ports = first || scale->memory_ports == memory->ports ? memory->ports : 0;
    scale->memory_bps = first || scale->memory_bps == memory->sum_bps ? memory->sum_bps : 0;
}

/* Finds the memory that "per port" and "per Gbps" multiply by, from the links, ordered by port. */
static bool find_memory(struct build *build, uint32_t tier, uint32_t ports_per_memory)
{
    const struct topology *t = &build->scenario->topology;
    struct memory *open = arena_take_array(build->reader.arena, t->switches, sizeof *open);
    struct key_scale *scale = &build->reader.scale;
    bool first = true;
    if (open == NULL)
        return weir_fail_memory(build->reader.error);
    if (build->no_network) {
        note_memory(scale, &(struct memory){1, 1000000000}, true);
        return true;
    }
    for (uint32_t end = 0; end < 2 * t->link_count; end++) {
        uint32_t node = end % 2 == 0 ? t->links[end / 2].a : t->links[end / 2].b;
        if (node < t->hosts || t->tier[node - t->hosts] != tier)
            continue;
        struct memory *memory = &open[node - t->hosts];
        memory->ports++;
        memory->sum_bps += t->links[end / 2].rate_bps;
        if (memory->ports == ports_per_memory) {
            note_memory(scale, memory, first);
            first = false;
            *memory = (struct memory){0, 0};
        }
    }
    for (uint32_t sw = 0; sw < t->switches; sw++) {
        if (open[sw].ports == 0)
            continue;
        note_memory(scale, &open[sw], first);
        first = false;
    }
    return true;
}

/* "per port" says nothing where MMUs differ in ports, nor "per Gbps" where they differ in rates. */
static bool check_buffer(struct reader *reader, const struct node *map)
{
    const struct node *buffer = node_find(map, "buffer");
    const char *per = buffer != NULL && buffer->kind == NODE_SCALAR ? strstr(buffer->text, " per ") : NULL;
    if (per == NULL || (strcmp(per, " per port") == 0 ? reader->scale.memory_ports > 0 : reader->scale.memory_bps > 0))
        return true;
    return reader_fail(reader, buffer, "buffer: MMUs of this tier differ in ports or rates (expected a plain size)");
}

/* What a kind of marking needs is said, and only what one needs. */
static bool check_ecn(struct reader *reader, const struct node *map, const struct ecn *ecn)
{
    const struct {
        const char *name;
        bool step; /* step needs it too */
        const int64_t *value;
    } needed[] = {{"low", true, ecn->low}, {"high", false, ecn->high}, {"chance", false, ecn->chance}};
    for (uint32_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const struct node *given = node_find(map, needed[i].name);
        if (given != NULL && node_find(map, "kind") == NULL)
            return error_at(reader->error, given->key_mark, "ecn: '%s' without 'kind' (expected kind: step or red)",
                            needed[i].name);
        bool useful = false, set = false;
        for (uint32_t tc = 0; tc < reader->classes; tc++) {
            bool need = ecn->kind[tc] == WEIR_MARK_RED || (ecn->kind[tc] == WEIR_MARK_STEP && needed[i].step);
            if (need && given == NULL)
                return reader_fail(reader, map, "ecn: '%s' is missing (kind %s needs it)", needed[i].name,
                                   ecn->kind[tc] == WEIR_MARK_RED ? "red" : "step");
            useful = useful || need;
            set = set || needed[i].value[tc] != 0;
        }
        if (set && !useful)
            return error_at(reader->error, given->key_mark, "ecn: '%s' has no use (no class has kind %s)",
                            needed[i].name, needed[i].step ? "step or red" : "red");
    }
    if (!ecn->hosts && ecn->at == 0)
        return reader_fail(reader, node_find(map, "hosts"), "ecn: 'hosts' has no use (expected at: departure)");
    return true;
}

/* The keys that others are measured by come first. */
static bool read_settings(struct build *build, const struct node *map, uint32_t tier, struct settings *settings)
{
    struct reader *reader = &build->reader;
    reader->scale.buffer_bytes = 0;
    reader->scale.memory_ports = 0;
    reader->scale.memory_bps = 0;
    section_defaults(&switch_section, settings, 0);
    bool good = section_check_names(reader, &switch_section, map, 0);
    if (!good && !reader_goes_on(reader))
        return false;
    for (uint32_t i = 0; i < switch_section.count; i++) {
        bool measured =
            i != SWITCH_BUFFER || (find_memory(build, tier, settings->ports_per_memory) && check_buffer(reader, map));
        bool read = measured && section_read_key(reader, &switch_section.keys[i], map, settings);
        if (!read && !reader_goes_on(reader))
            return false;
        good = good && read;
        if (i == SWITCH_CLASSES)
            reader->classes = read ? settings->classes : WEIR_CLASSES_MAX;
        if (i == SWITCH_BUFFER)
            reader->scale.buffer_bytes = settings->buffer_bytes > 0 ? settings->buffer_bytes : BUFFER_UNKNOWN;
    }
    const struct node *ecn = node_find(map, "ecn");
    return (ecn == NULL ||
            (section_read(reader, &ecn_section, ecn, 0, &settings->ecn) && check_ecn(reader, ecn, &settings->ecn))) &&
           good;
}

/* Where packets must not be lost, memory runs out before descriptors do even if all packets are of
 * the least size that flows have. */
static uint32_t auto_descriptors(const struct settings *s, const struct sim_wire *wire, uint32_t usual)
{
    uint32_t data = wire->header_bytes + 1, least = data < wire->ack_bytes ? data : wire->ack_bytes;
    int64_t packets = s->buffer_bytes / (least < ETHERNET_LEAST_BYTES ? least : ETHERNET_LEAST_BYTES) + 1;
    return s->lossless == 0 || packets < usual ? usual
           : packets < DESCRIPTORS_MAX         ? (uint32_t)packets
                                               : DESCRIPTORS_MAX;
}

/* The classes that are trimmed, once everything else of the switch is known to be good. */
static bool read_trim(struct build *build, const struct node *map, struct sim_switch *sw, struct node *shown)
{
    struct reader *reader = &build->reader;
    const struct node *node = node_find(map, "trim");
    const struct sim_wire *wire = &build->scenario->config.wire;
    static const uint32_t causes[] = {
        [TRIM_OF_REFUSED] = 1u << WEIR_CAUSE_REFUSED,
        [TRIM_OF_PUSHED_OUT] = 1u << WEIR_CAUSE_REFUSED | 1u << WEIR_CAUSE_PUSHOUT,
        [TRIM_OF_EXPELLED] = 1u << WEIR_CAUSE_REFUSED | 1u << WEIR_CAUSE_EXPELLED,
        [TRIM_OF_ALL] = WEIR_TRIM_CAUSES,
    };
    struct trim trim;
    if (node == NULL)
        return true;
    section_defaults(&trim_section, &trim, 0);
    if (!section_read(reader, &trim_section, node, 0, &trim))
        return false;
    const bool network = !build->no_network && !build->for_switch; /* of weir-switch: dataplane_config_check */
    uint32_t full = wire->mss_bytes + wire->header_bytes;
    const uint8_t newest = (uint8_t)((trim.newest * WEIR_TRIM_CHANCES + WEIR_Q16_ONE / 2) / WEIR_Q16_ONE);
    const uint32_t pushed_out = newest ? 1u << WEIR_CAUSE_PUSHOUT : 0;
    if (network && trim.bytes < wire->header_bytes)
        return reader_fail(reader, node_find(node, "size"),
                           "size: %u B do not hold the headers (expected at least %u B)", trim.bytes,
                           wire->header_bytes);
    if (network && trim.bytes >= full)
        return reader_fail(reader, node_find(node, "size") ? node_find(node, "size") : node,
                           "size: %u B cut nothing off a full packet of %u B (expected less)", trim.bytes, full);
    for (uint32_t left = trim.losses == TRIM_OF_NONE ? 0 : trim.classes; left; left &= left - 1)
        sw->mmu.trim[__builtin_ctz(left)] = (struct weir_trim){.bytes = trim.bytes,
                                                               .to = {trim.to},
                                                               .causes = causes[trim.losses] | pushed_out,
                                                               .ecn = (enum weir_trim_ecn)trim.ecn,
                                                               .skips_ingress = trim.ingress == 1,
                                                               .newest = newest};
    return section_put(reader, shown, "trim", section_show(reader, &trim_section, 0, &trim)) &&
           (weir_mmu_config_check(&sw->mmu, reader->error) || reader_place(reader, node, NULL));
}

/* Only finds mistakes: the policies of a switch that has one elsewhere. */
static void read_names(struct build *build, const struct node *map, struct read_policy *egress)
{
    const struct node *policy = node_find(map, "policy"), *headroom = read_find_headroom(map);
    struct read_policy ingress = {.values = egress->values};
    if (policy != NULL && !read_policy(build, policy, egress))
        reader_goes_on(&build->reader);
    if (headroom != NULL && !read_headroom(build, headroom, &ingress))
        reader_goes_on(&build->reader);
}

static bool read_tier(struct build *build, const struct node *map, uint32_t tier, struct read_oracle *oracle,
                      struct node **shown)
{
    static const struct weir_table_oracle nobody; /* each MMU gets its own; this one stands for it in checks */
    struct reader *reader = &build->reader;
    struct settings *settings = arena_take(reader->arena, sizeof *settings);
    struct sim_switch *sw = &build->scenario->config.tiers[tier];
    struct read_policy egress = {.values = &build->scenario->policy_values[tier]};
    if (settings == NULL)
        return weir_fail_memory(reader->error);
    if (!read_settings(build, map, tier, settings)) {
        if (reader_goes_on(reader))
            read_names(build, map, &egress);
        return false;
    }
    if (settings->buffer_bytes / settings->cell_bytes < 1)
        return reader_fail(reader, node_find(map, "buffer"), "buffer: smaller than one cell");
    weir_mmu_config_init(&sw->mmu, 1, settings->classes, settings->buffer_bytes / settings->cell_bytes);
    sw->mmu.gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    sw->mmu.cell_bytes = settings->cell_bytes;
    sw->mmu.packets_max = settings->descriptors != 0
                              ? settings->descriptors
                              : auto_descriptors(settings, &build->scenario->config.wire, sw->mmu.packets_max);
    sw->mmu.scheduler.kind = (enum weir_scheduler_kind)settings->scheduler;
    sw->mmu.scheduler.quantum_bytes = settings->quantum_bytes;
    sw->mmu.scheduler.strict_from = settings->strict_from;
    memcpy(sw->mmu.scheduler.weight, settings->weight, sizeof sw->mmu.scheduler.weight);
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++)
        sw->mmu.private_cells[tc] = sw->mmu.ingress_private_cells[tc] =
            weir_cells_for_bytes(settings->own_bytes[tc], settings->cell_bytes);
    sw->mmu.memory_bps = settings->memory_bps;
    sw->mmu.memory_cell_bytes = settings->memory_cell_bytes;
    sw->mmu.memory_depth_cells = settings->memory_depth_cells;
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++)
        sw->mmu.marking[tc] =
            (struct weir_marking){.kind = (enum weir_marking_kind)settings->ecn.kind[tc],
                                  .low_cells = weir_cells_for_bytes(settings->ecn.low[tc], sw->mmu.cell_bytes),
                                  .high_cells = weir_cells_for_bytes(settings->ecn.high[tc], sw->mmu.cell_bytes),
                                  .high_chance = settings->ecn.chance[tc]};
    sw->ports_per_mmu = settings->ports_per_memory;
    sw->device_packets = settings->device_packets;
    sw->marks_leaving = settings->ecn.at == 1;
    sw->hosts_unmarked = !settings->ecn.hosts;
    if (!read_policy(build, node_find(map, "policy"), &egress)) {
        if (reader_goes_on(reader))
            read_names(build, map, &egress);
        return false;
    }
    sw->mmu.egress = egress.policy;
    sw->mmu.egress_values = egress.values;
    *shown = section_show(reader, &switch_section, 0, settings);
    if (!section_put(reader, *shown, "policy", egress.shown) ||
        !section_put(reader, *shown, "ecn", section_show(reader, &ecn_section, 0, &settings->ecn)) ||
        !read_lossless(build, map, settings, tier, *shown) || build->no_network ||
        !read_oracle(build, map, &egress, oracle, *shown))
        return false;
    sw->mmu.oracle = oracle->asks ? &nobody.base : NULL;
    return (weir_mmu_config_check(&sw->mmu, reader->error) || reader_place(reader, map, "switch")) &&
           read_trim(build, map, sw, *shown);
}

/* The keys of `own` and those of `map` that it does not have; `tiers` stays out. */
static struct node *merge_tier(struct build *build, const struct node *map, const struct node *own)
{
    struct node *merged = node_collection(build->reader.arena, NODE_MAP);
    const struct node *parts[] = {own, map};
    for (uint32_t i = own == NULL; merged != NULL && i < 2; i++) {
        merged->mark = parts[i]->mark;
        for (const struct node *child = parts[i]->first; child != NULL; child = child->next) {
            if (node_find(merged, child->key) != NULL || (i == 1 && strcmp(child->key, "tiers") == 0))
                continue;
            struct node *copy = node_collection(build->reader.arena, NODE_NONE);
            if (copy == NULL)
                return NULL;
            *copy = *child;
            copy->next = NULL;
            node_add_key(merged, child->key, copy);
        }
    }
    return merged;
}

/* Names of `tiers`, and that each is a map of keys of the switch. */
static bool check_tiers(struct build *build, const struct node *tiers)
{
    struct reader *reader = &build->reader;
    if (!reader_expect(reader, tiers, NODE_MAP, "tiers"))
        return false;
    for (const struct node *child = tiers->first; child != NULL; child = child->next) {
        const char *const *name = build->tier_names;
        while (*name != NULL && strcmp(*name, child->key) != 0)
            name++;
        if (*name == NULL)
            return error_at(reader->error, child->key_mark, "unknown tier '%s'%s", error_text(child->key).text,
                            error_hint(child->key, build->tier_names).text);
        if (!reader_expect(reader, child, NODE_MAP, child->key))
            return false;
        const struct node *nested = node_find(child, "tiers");
        if (nested != NULL)
            return error_at(reader->error, nested->key_mark, "'tiers' within a tier (expected keys of the switch)");
    }
    return true;
}

static uint32_t count_tiers(const struct topology *t)
{
    uint32_t count = 1;
    for (uint32_t sw = 0; sw < t->switches; sw++)
        if (t->tier[sw] >= count)
            count = t->tier[sw] + 1u;
    return count < SIM_TIERS_MAX ? count : SIM_TIERS_MAX;
}

/* Tier 0 as the switch, and of the others those that differ from it. */
static bool show_tiers(struct build *build, struct node *shown[SIM_TIERS_MAX])
{
    struct reader *reader = &build->reader;
    struct node *tiers = node_collection(reader->arena, NODE_MAP);
    for (uint32_t tier = 1; tier < build->scenario->config.tier_count; tier++) {
        if (node_equal(shown[tier], shown[0]))
            continue;
        if (node_add_key(tiers, build->tier_names[tier], shown[tier]) == NULL)
            return weir_fail_memory(reader->error);
    }
    if (tiers == NULL || tiers->count > 0)
        return section_put(reader, shown[0], "tiers", tiers) && section_put(reader, build->shown, "switch", shown[0]);
    return section_put(reader, build->shown, "switch", shown[0]);
}

bool read_switches(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *map = node_find(build->root, "switch");
    struct node *shown[SIM_TIERS_MAX] = {NULL};
    struct read_oracle oracles[SIM_TIERS_MAX] = {{.node = NULL}};
    if (map == NULL || !reader_expect(reader, map, NODE_MAP, "switch")) {
        reader->classes = WEIR_CLASSES_MAX;
        reader->scale.buffer_bytes = BUFFER_UNKNOWN;
        return false;
    }
    const struct node *tiers = build->no_network ? NULL : node_find(map, "tiers");
    bool good = true;
    if (!read_keep_mark(build, map->mark, &build->scenario->switch_mark) ||
        (tiers != NULL && !check_tiers(build, tiers)))
        return false;
    config->tier_count = build->no_network ? 1 : count_tiers(&build->scenario->topology);
    for (uint32_t tier = config->tier_count; tier-- > 0;) { /* tier 0 last: its buffer is what later sections mean */
        const struct node *own = tiers != NULL ? node_find(tiers, build->tier_names[tier]) : NULL;
        struct node *merged = merge_tier(build, map, own);
        if (merged == NULL)
            return weir_fail_memory(reader->error);
        if (!read_tier(build, merged, tier, &oracles[tier], &shown[tier])) {
            good = false;
            if (!reader_goes_on(reader))
                return false;
        }
        if (!good)
            continue;
        if (config->tiers[tier].mmu.classes != config->tiers[config->tier_count - 1].mmu.classes)
            return reader_fail(reader, map, "switch: classes differ between tiers (expected the same number)");
        if (config->tiers[tier].mmu.lossless_mask != config->tiers[config->tier_count - 1].mmu.lossless_mask)
            return reader_fail(reader, map, "switch: lossless classes differ between tiers (expected the same)");
    }
    return good && !build->no_network && read_oracles(build, oracles) && show_tiers(build, shown);
}

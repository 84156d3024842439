/*
 * transports.c - `transports`: named ways to send a flow. The kinds and their keys are those of sim/transport's
 * registry; here are only the classes, which every kind has.
 */
#include <string.h>

#include "scenario/read/read.h"
#include "sim/transport/transport.h"

static const char *transport_kind(uint32_t kind)
{
    const struct transport *transport = transport_table[kind];
    return transport != NULL ? transport->name : NULL;
}

static const struct key class_key = {.name = "class",
                                     .kind = KEY_CLASSES,
                                     KEY_FIELD(struct sim_transport, data_classes),
                                     .max = WEIR_CLASSES_MAX - 1,
                                     .help = "Class of its data packets; of several, each flow draws one."};
static const struct key ack_class_key = {.name = "ack_class",
                                         .kind = KEY_COUNT,
                                         KEY_FIELD(struct sim_transport, ack_class),
                                         .max = WEIR_CLASSES_MAX - 1,
                                         .help = "Class of its ACKs, and of other packets that its receivers send."};

static const char *const preset_names[] = {"paper", "kernel", NULL};
static const struct key preset_key = {.name = "preset",
                                      .kind = KEY_CHOICE,
                                      .later = true,
                                      KEY_FIELD(struct sim_transport, preset),
                                      .max = 1,
                                      .choices = preset_names,
                                      .help = "Where its other keys begin: paper, how papers simulate TCP, or kernel, "
                                              "how Linux is."};

/* The two classes and the preset, then the settings of one kind after the other. */
static bool transport_key(uint32_t i, struct key *key)
{
    *key = i == 0 ? class_key : i == 1 ? ack_class_key : preset_key;
    if (i > 0) {
        /* The kinds that a key belongs to: those with feedback, or those that a kernel has. */
        uint32_t kinds = 0;
        for (uint32_t kind = 0; transport_table[kind] != NULL; kind++) {
            const struct transport *transport = transport_table[kind];
            if (strcmp(key->name, preset_key.name) == 0 ? transport->kernel != NULL : transport->ack != NULL)
                kinds |= UINT32_C(1) << kind;
        }
        key->kinds = kinds;
    }
    if (i < 3)
        return true;
    i -= 3;
    for (uint32_t kind = 0; transport_table[kind] != NULL; kind++) {
        const struct setting_table *settings = &transport_table[kind]->settings;
        if (i < settings->count) {
            *key = key_of_setting(&settings->at[i], offsetof(struct sim_transport, params));
            key->kinds = UINT32_C(1) << kind;
            return true;
        }
        i -= settings->count;
    }
    return false;
}

static void transport_defaults(void *target, uint32_t kind)
{
    struct sim_transport *transport = target;
    sim_transport_init(transport, transport_table[kind]);
    transport->data_classes = UINT32_C(1) << transport->data_class;
}

const struct section transport_section = {
    .name = "transport",
    .kind_at = transport_kind,
    .key_at = transport_key,
    .size = sizeof(struct sim_transport),
    .defaults = transport_defaults,
    .place = "transports.NAME",
    .help = "A way to send flows, under a name of your own (letters, digits, - and _) by which traffic refers to it.",
};

static bool check_name(struct build *build, const struct node *item)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(item->key);
    if (length >= 1 && length <= 40 && strspn(item->key, letters) == length)
        return true;
    return error_at(build->reader.error, item->key_mark,
                    "'%s' is no name of a transport (expected letters, digits, - and _, at most 40)",
                    error_text(item->key).text);
}

/* What keys say together. */
static bool check_together(struct build *build, const struct node *item, const struct sim_transport *transport)
{
    uint32_t classes = build->reader.classes;
    if (transport->ack_class >= classes)
        return reader_fail(&build->reader, node_find(item, "ack_class"),
                           "ack_class: there is no class %u (expected 0 to %u)", transport->ack_class, classes - 1);
    return sim_transport_check(transport, &build->scenario->config.wire, build->reader.error) ||
           reader_place(&build->reader, item, "transport");
}

static bool is_marked(const struct sim_config *config, uint32_t classes)
{
    for (uint32_t tier = 0; tier < config->tier_count; tier++)
        for (uint32_t left = classes; left; left &= left - 1)
            if (config->tiers[tier].mmu.marking[__builtin_ctz(left)].kind != WEIR_MARK_NONE)
                return true;
    return false;
}

static bool is_trimmed(const struct sim_config *config, uint32_t classes)
{
    for (uint32_t tier = 0; tier < config->tier_count; tier++)
        for (uint32_t left = classes; left; left &= left - 1)
            if (config->tiers[tier].mmu.trim[__builtin_ctz(left)].bytes > 0)
                return true;
    return false;
}

static bool read_one(struct build *build, const struct node *item, const char *name, struct sim_transport *transport,
                     struct node *all)
{
    struct reader *reader = &build->reader;
    uint32_t kind = 0;
    if (!check_name(build, item) || !section_read_kind(reader, &transport_section, item, &kind))
        return false;
    section_defaults(&transport_section, transport, kind);
    if (transport->kind->kernel != NULL && !section_read_key(reader, &preset_key, item, transport))
        return false;
    if (transport->preset)
        sim_transport_init_kernel(transport);
    if (!section_read(reader, &transport_section, item, kind, transport) || build->broken)
        return false;
    if (!check_together(build, item, transport))
        return false;
    transport->preset = 0; /* what it stands for is shown instead */
    if (node_add_key(all, name, section_show(reader, &transport_section, kind, transport)) == NULL)
        return weir_fail_memory(reader->error);
    /* One class is how every flow has it; a mask is for drawing. */
    uint32_t first = 0;
    while (!(transport->data_classes >> first & 1))
        first++;
    transport->data_class = (uint8_t)first;
    if (transport->data_classes >> first == 1)
        transport->data_classes = 0;
    uint32_t classes = transport->data_classes ? transport->data_classes : 1u << transport->data_class;
    if (!transport->kind->reads_trimmed && is_trimmed(&build->scenario->config, classes) &&
        !read_warn(build, item,
                   "%s cannot read trimmed packets, and loses them at their destination (see 'switch.trim')",
                   transport->kind->name))
        return false;
    if (!transport->kind->needs_marks || is_marked(&build->scenario->config, classes))
        return true;
    return read_warn(build, item,
                     "%s always sends at full rate: no switch marks packets of its class%s (see "
                     "'switch.ecn')",
                     transport->kind->name, transport->data_classes ? "es" : "");
}

bool read_transports(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    const struct node *map = node_find(build->root, "transports");
    bool good = true;
    if (map == NULL || !reader_expect(reader, map, NODE_MAP, "transports"))
        return false;
    if (map->count == 0)
        return reader_fail(reader, map, "transports: the map is empty (expected at least one)");
    struct sim_transport *transports = arena_take_array(reader->arena, map->count + 1, sizeof *transports);
    const char **names = arena_take_array(reader->arena, map->count + 1, sizeof *names);
    struct node *all = node_collection(reader->arena, NODE_MAP);
    if (transports == NULL || names == NULL || all == NULL)
        return weir_fail_memory(reader->error);
    for (const struct node *item = map->first; item != NULL; item = item->next, config->transport_count++) {
        const char *name = arena_text(reader->arena, item->key, strlen(item->key));
        if (name == NULL)
            return weir_fail_memory(reader->error);
        names[config->transport_count] = name;
        if (read_one(build, item, name, &transports[config->transport_count], all))
            continue;
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    config->transports = transports;
    build->transport_names = names;
    return good && section_put(reader, build->shown, "transports", all);
}

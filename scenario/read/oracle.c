/*
 * oracle.c - `switch.oracle`: who answers a policy that asks what LQD would lose. A forest from a file answers for all
 * switches that name it; answers by arrival number, and flips, which are drawn by that number, are of one MMU, so each
 * MMU gets its own oracle.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/read/answers.h"
#include "scenario/read/switch_settings.h"
#include "weir/random.h"

#define FLIP_STREAM UINT64_C(0x666c6970)    /* "flip": apart from other draws of the switch */
#define LEARN_STREAM UINT64_C(0x6c6561726e) /* "learn" */

static const char *const answers_choices[] = {"asked", "perfect", "lost", "kept", NULL};
static const char *const online_value[] = {"section switch.oracle.online", NULL};
static const char *const models_value[] = {"map of switches to files", NULL};

static const struct key oracle_keys[] = {
    {.name = "model",
     .kind = KEY_TEXT,
     .later = true,
     KEY_FIELD(struct oracle_settings, model),
     .min = 1,
     .max = 4096,
     .help = "A forest that `weir train` wrote, beside the scenario. It must have learnt from averages over the "
             "policy's `tau`."},
    {.name = "models",
     .kind = KEY_OTHER,
     .later = true,
     .choices = models_value,
     .help = "Forests of single switches, `{s0: FILE, s3: FILE}`; the others ask `model`."},
    {.name = "online",
     .kind = KEY_OTHER,
     .of = &online_section,
     .later = true,
     .choices = online_value,
     .help = "A forest for each MMU, grown while the simulation runs, from a virtual LQD beside the policy. Until the "
             "first is grown `model` answers; without one all is kept."},
    {.name = "table",
     .kind = KEY_TEXT,
     .later = true,
     KEY_FIELD(struct oracle_settings, table),
     .min = 1,
     .max = 4096,
     .help = "Answers by arrival: a CSV file, maybe in zstd, with the columns `switch`, `index` and `lost`, such as "
             "`weir run --rows` writes. What it does not have is kept."},
    {.name = "answers",
     .kind = KEY_CHOICE,
     .later = true,
     KEY_FIELD(struct oracle_settings, answers),
     .choices = answers_choices,
     .help =
         "asked: of the model, table or online forest; perfect: what LQD (removing tails) loses in a run of the same "
         "scenario before this one, for transports without feedback; lost, kept: always this."},
    {.name = "flip",
     .kind = KEY_RATIO,
     .later = true,
     KEY_FIELD(struct oracle_settings, flip),
     .max = WEIR_Q16_ONE,
     .help = "Probability with which an answer is inverted, drawn by seed and arrival; 1: always."},
};

const struct section oracle_section = {
    .name = "oracle",
    SECTION_KEYS(struct oracle_settings, oracle_keys),
    .place = "switch.oracle",
    .help =
        "Who tells a policy that asks (credence) what LQD would lose: `model`, `online`, `table` or `answers`. Other "
        "policies ask nobody, and the section then has no effect.",
};

static const struct key online_keys[] = {
    {.name = "every",
     .kind = KEY_COUNT,
     KEY_FIELD(struct forest_online_settings, every),
     .min = FOREST_ONLINE_ROWS_MIN,
     .max = FOREST_ONLINE_ROWS_MAX,
     .help = "Rows from one forest to the next."},
    {.name = "rows",
     .kind = KEY_COUNT,
     KEY_FIELD(struct forest_online_settings, rows),
     .min = FOREST_ONLINE_ROWS_MIN,
     .max = FOREST_ONLINE_ROWS_MAX,
     .help = "It is grown from so many of the newest rows, 33 bytes each, for each MMU."},
    {.name = "trees",
     .kind = KEY_COUNT,
     KEY_FIELD(struct forest_online_settings, trees),
     .min = 1,
     .max = FOREST_TREES_MAX,
     .help = "Trees of a forest."},
    {.name = "depth",
     .kind = KEY_COUNT,
     KEY_FIELD(struct forest_online_settings, depth),
     .min = 1,
     .max = FOREST_DEPTH_MAX,
     .help = "Questions to a leaf, at most."},
};

static void online_defaults(void *target, uint32_t kind)
{
    (void)kind;
    forest_online_settings_init(target);
}

const struct section online_section = {
    .name = "online",
    SECTION_KEYS(struct forest_online_settings, online_keys),
    .defaults = online_defaults,
    .place = "switch.oracle.online",
    .help = "A forest that learns while it is asked. Rows without any loss teach nothing: the forest before stays. "
            "Measures `online.*`.",
};

#define UNKNOWABLE                                                                                                     \
    "nobody knows what LQD will lose of real packets (expected 'model', 'table', or 'answers: lost' or 'kept')"

static bool fail_name(struct reader *reader, const struct node *at, const char *key, const char *name)
{
    weir_fail_within(reader->error, "%s: '%s': ", key, error_text(name).text);
    return reader_place(reader, at, NULL);
}

static struct forest *parse_model(struct read_image *image, const char *path, struct weir_error *error)
{
    FILE *in = image->size > 0 ? fmemopen(image->bytes, image->size, "r") : NULL;
    if (in == NULL && image->size > 0) {
        weir_fail_memory(error);
        return NULL;
    }
    if (in == NULL) {
        weir_fail(error, WEIR_ERROR_MALFORMED, "no forest in it");
        weir_fail_at(error, path, 0, 0);
        return NULL;
    }
    struct forest *forest = forest_read(in, path, error);
    fclose(in);
    return forest;
}

const struct forest *read_forest(struct build *build, const struct node *at, const struct read_image_of *what)
{
    struct reader *reader = &build->reader;
    struct scenario *scenario = build->scenario;
    struct read_image image = {.bytes = NULL};
    const char *path;
    if (!read_image(build, at, what, &path, &image))
        return NULL;
    for (struct scenario_model *m = scenario->models; m != NULL; m = m->next)
        if (strcmp(m->path, path) == 0) {
            free(image.bytes);
            return m->forest;
        }
    struct scenario_model *model = arena_take(reader->arena, sizeof *model);
    struct forest *forest = model != NULL ? parse_model(&image, path, reader->error) : NULL;
    free(image.bytes);
    if (model == NULL)
        weir_fail_memory(reader->error);
    if (forest == NULL)
        return NULL;
    *model = (struct scenario_model){path, forest, scenario->models};
    scenario->models = model;
    return forest;
}

static struct scenario_features shows_of(const struct read_policy *policy)
{
    int tau = weir_param_find(policy->policy, "tau"), counters = weir_param_find(policy->policy, "counters");
    return (struct scenario_features){.average_ps = tau < 0 ? 0 : policy->values->of[tau][0],
                                      .counters = counters < 0 ? FOREST_COUNTERS_REAL
                                                               : (enum forest_counters)policy->values->of[counters][0]};
}

/* The forest learnt from the counters that the policy shows it. */
static bool check_model(struct reader *reader, const struct node *at, const struct forest *forest,
                        const struct read_policy *policy)
{
    const struct weir_policy *p = policy->policy;
    int place = weir_param_find(p, "tau");
    const struct scenario_features shows = shows_of(policy);
    if (forest->counters != shows.counters)
        return reader_fail(reader, at,
                           "model: learnt from %s counters, and policy %s shows %s ones (expected the same; the "
                           "policy's 'counters' chooses)",
                           forest_counters_name(forest->counters), p->name, forest_counters_name(shows.counters));
    if (place < 0 || forest->average_ps == 0 || forest->average_ps == shows.average_ps)
        return true;
    char learnt[64], shown[64];
    weir_value_format(learnt, sizeof learnt, &p->params[place], forest->average_ps);
    weir_value_format(shown, sizeof shown, &p->params[place], shows.average_ps);
    return reader_fail(reader, at,
                       "model: learnt from averages over %s, and tau of policy %s is %s (expected the same)", learnt,
                       p->name, shown);
}

static const struct forest *take_model(struct build *build, const struct node *at, const char *name,
                                       const struct read_policy *policy)
{
    const struct forest *forest = read_forest(build, at, &(struct read_image_of){"model", name});
    return forest != NULL && check_model(&build->reader, at, forest, policy) ? forest : NULL;
}

bool read_switch_name(struct build *build, const struct node *at, const char *name, uint32_t *sw)
{
    uint32_t switches = build->scenario->topology.switches;
    char *end = NULL;
    unsigned long number =
        name[0] == 's' && name[1] >= '0' && name[1] <= '9' ? strtoul(name + 1, &end, 10) : UINT32_MAX;
    if (end == NULL || *end != '\0' || number >= switches)
        return reader_fail(&build->reader, at, "unknown switch '%s' (expected s0 to s%u)", error_text(name).text,
                           switches - 1);
    *sw = (uint32_t)number;
    return true;
}

/* `models`, into the forests by switch and the map that is shown. */
static bool read_models(struct build *build, const struct node *models, const struct read_policy *policy,
                        struct read_oracle *oracle, struct node *shown)
{
    struct reader *reader = &build->reader;
    struct node *map = node_collection(reader->arena, NODE_MAP);
    if (map == NULL)
        return weir_fail_memory(reader->error);
    for (const struct node *item = models->first; item != NULL; item = item->next) {
        uint32_t sw;
        if (!read_switch_name(build, item, item->key, &sw) || !reader_expect(reader, item, NODE_SCALAR, item->key))
            return false;
        if ((oracle->of_switch[sw] = take_model(build, item, item->text, policy)) == NULL)
            return false;
        const char *path = read_file_path(build, item->text);
        const char *name = arena_text(reader->arena, item->key, strlen(item->key)); /* the document's ends earlier */
        if (path == NULL || name == NULL || node_add_key(map, name, node_scalar(reader->arena, path)) == NULL)
            return weir_fail_memory(reader->error);
    }
    return section_put(reader, shown, "models", map);
}

/* Files named by the section, and what is effective of it. */
static bool load_sources(struct build *build, const struct node *map, const struct read_policy *policy,
                         struct read_oracle *oracle, struct node *shown)
{
    struct reader *reader = &build->reader;
    struct oracle_settings *s = &oracle->settings;
    const struct node *models = node_find(map, "models");
    uint32_t switches = build->scenario->topology.switches;
    oracle->of_switch = arena_take_array(reader->arena, switches, sizeof *oracle->of_switch);
    if (oracle->of_switch == NULL)
        return weir_fail_memory(reader->error);
    if (s->model != NULL && (oracle->forest = take_model(build, node_find(map, "model"), s->model, policy)) == NULL)
        return false;
    for (uint32_t sw = 0; sw < switches; sw++)
        oracle->of_switch[sw] = oracle->forest;
    return models == NULL || read_models(build, models, policy, oracle, shown);
}

bool read_oracle(struct build *build, const struct node *map, const struct read_policy *policy,
                 struct read_oracle *oracle, struct node *shown_switch)
{
    struct reader *reader = &build->reader;
    const struct node *node = node_find(map, "oracle");
    bool asks = policy->policy->needs & WEIR_NEED_ORACLE;
    *oracle = (struct read_oracle){.node = node, .asks = asks};
    if (node == NULL && asks)
        return reader_fail(reader, node_find(map, "policy"),
                           "policy %s asks an oracle, and 'oracle' is missing (expected 'oracle: {model: FILE}', or "
                           "'table' or 'answers')",
                           policy->policy->name);
    if (node == NULL)
        return true;
    section_defaults(&oracle_section, &oracle->settings, 0);
    section_defaults(&online_section, &oracle->settings.online, 0);
    if (!section_read(reader, &oracle_section, node, 0, &oracle->settings))
        return false;
    const struct node *models = node_find(node, "models"), *online = node_find(node, "online");
    oracle->settings.learns = online != NULL;
    if (online != NULL && !section_read(reader, &online_section, online, 0, &oracle->settings.online))
        return false;
    if (models != NULL && !reader_expect(reader, models, NODE_MAP, "models"))
        return false;
    bool asks_model = oracle->settings.model != NULL || models != NULL || oracle->settings.learns,
         fixed = oracle->settings.answers != ORACLE_ASKED;
    uint32_t sources = asks_model + (oracle->settings.table != NULL) + fixed;
    if (sources == 0)
        return reader_fail(reader, node, "oracle: nobody answers (expected 'model', 'online', 'table' or 'answers')");
    if (sources != 1)
        return reader_fail(reader, node, "oracle: several answer (expected one of 'model', 'table' and 'answers')");
    if (!asks)
        return true;
    if (build->for_switch && oracle->settings.answers == ORACLE_PERFECT)
        return reader_fail(reader, node, "oracle: " UNKNOWABLE);
    if (build->for_switch && online != NULL)
        return reader_fail(reader, online, READ_UNTAUGHT);
    struct oracle_settings named = oracle->settings;
    if (build->files != NULL && ((named.model != NULL && !(named.model = read_file_path(build, named.model))) ||
                                 (named.table != NULL && !(named.table = read_file_path(build, named.table)))))
        return weir_fail_memory(reader->error);
    struct node *shown = section_show(reader, &oracle_section, 0, &named);
    if (shown == NULL)
        return weir_fail_memory(reader->error);
    oracle->settings.shows = shows_of(policy);
    return load_sources(build, node, policy, oracle, shown) &&
           (online == NULL ||
            section_put(reader, shown, "online", section_show(reader, &online_section, 0, &oracle->settings.online))) &&
           section_put(reader, shown_switch, "oracle", shown);
}

static uint32_t ports_of(const struct topology *t, uint32_t sw)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < t->link_count; i++)
        ports += (t->links[i].a == t->hosts + sw) + (t->links[i].b == t->hosts + sw);
    return ports;
}

static uint32_t memories_of(const struct scenario *scenario, uint32_t tier, uint32_t sw)
{
    uint32_t ports = ports_of(&scenario->topology, sw), per = scenario->config.tiers[tier].ports_per_mmu;
    return per > 0 && per < ports ? (ports + per - 1) / per : 1;
}

static uint32_t tier_of(const struct scenario *scenario, uint32_t sw)
{
    uint32_t tier = scenario->topology.tier[sw], last = scenario->config.tier_count - 1;
    return tier < last ? tier : last;
}

/* The oracle of one MMU: who answers, and the flips around it. */
static bool make_oracle(struct build *build, const struct read_oracle *read, struct scenario_oracle *oracle)
{
    const struct oracle_settings *s = &read->settings;
    const struct scenario *scenario = build->scenario;
    bool always_lost = s->answers == ORACLE_LOST;
    const struct forest *forest = read->of_switch[oracle->sw];
    if (s->answers == ORACLE_ASKED && s->table == NULL && forest == NULL && !s->learns)
        return reader_fail(&build->reader, read->node,
                           "oracle: switch s%u has no model (expected one in 'models', or "
                           "'model')",
                           oracle->sw);
    weir_table_oracle_init(&oracle->table, NULL, 0, always_lost ? WEIR_Q16_ONE : 0, 0);
    const struct weir_oracle *of = forest != NULL ? &forest->base : &oracle->table.base;
    uint64_t seed = weir_hash(weir_hash(scenario->config.seed, scenario->topology.hosts + oracle->sw), oracle->memory);
    oracle->learns = s->learns;
    if (s->learns) {
        forest_online_init(&oracle->online, &s->online, weir_hash(seed, LEARN_STREAM), forest);
        of = &oracle->online.base;
        oracle->shows = s->shows;
    }
    weir_flip_oracle_init(&oracle->flipped, of, s->flip, weir_hash(seed, FLIP_STREAM));
    oracle->answers = s->flip > 0 ? &oracle->flipped.base : of;
    oracle->perfect = s->answers == ORACLE_PERFECT;
    return true;
}

static bool read_table(struct build *build, const struct read_oracle *read)
{
    const struct node *at = node_find(read->node, "table");
    struct reader *reader = &build->reader;
    struct read_image image = {.bytes = NULL};
    const char *path;
    if (!read_image(build, at, &(struct read_image_of){"table", read->settings.table}, &path, &image))
        return false;
    struct scenario_model *file = arena_take(reader->arena, sizeof *file); /* the run must not write it */
    bool good = file != NULL || weir_fail_memory(reader->error);
    if (good) {
        *file = (struct scenario_model){path, NULL, build->scenario->models};
        build->scenario->models = file;
        good = (build->files->unpack == NULL || build->files->unpack(&image.bytes, &image.size, reader->error)) &&
               answers_read(build->scenario, (const char *)image.bytes, image.size, reader->error);
        if (!good)
            fail_name(reader, at, "table", read->settings.table);
    }
    free(image.bytes);
    return good;
}

/* One for each MMU of the switches that ask. */
static uint32_t count_oracles(const struct scenario *scenario, const struct read_oracle *read)
{
    uint32_t count = 0;
    for (uint32_t sw = 0; sw < scenario->topology.switches; sw++)
        count += read[tier_of(scenario, sw)].asks ? memories_of(scenario, tier_of(scenario, sw), sw) : 0;
    return count;
}

static bool fill_switch(struct build *build, const struct read_oracle *read, uint32_t sw,
                        const struct weir_oracle **of_memory)
{
    struct scenario *scenario = build->scenario;
    uint32_t memories = memories_of(scenario, tier_of(scenario, sw), sw);
    for (uint32_t m = 0; m < memories; m++) {
        struct scenario_oracle *oracle = &scenario->oracles[scenario->oracle_count++];
        *oracle = (struct scenario_oracle){.sw = sw, .memory = m};
        if (!make_oracle(build, read, oracle))
            return false;
        of_memory[m] = oracle->answers;
    }
    return true;
}

bool read_oracles(struct build *build, const struct read_oracle read[SIM_TIERS_MAX])
{
    struct scenario *scenario = build->scenario;
    struct arena *arena = build->reader.arena;
    uint32_t switches = scenario->topology.switches, count = count_oracles(scenario, read);
    if (count == 0)
        return true;
    const struct weir_oracle *const **by_switch = arena_take_array(arena, switches, sizeof *by_switch);
    const struct weir_oracle **all = arena_take_array(arena, count, sizeof *all);
    scenario->oracles = calloc(count, sizeof *scenario->oracles);
    if (by_switch == NULL || all == NULL || scenario->oracles == NULL)
        return weir_fail_memory(build->reader.error);
    for (uint32_t sw = 0; sw < switches; sw++) {
        const struct read_oracle *of = &read[tier_of(scenario, sw)];
        by_switch[sw] = of->asks ? all + scenario->oracle_count : NULL;
        if (of->asks && !fill_switch(build, of, sw, all + scenario->oracle_count))
            return false;
    }
    scenario->config.oracles = by_switch;
    for (uint32_t tier = 0; tier < scenario->config.tier_count; tier++)
        if (read[tier].asks && read[tier].settings.table != NULL && !read_table(build, &read[tier]))
            return false;
    return true;
}

bool oracle_check_foresight(struct build *build)
{
    const struct scenario *scenario = build->scenario;
    const struct sim_config *config = &scenario->config;
    const struct mark mark = scenario->switch_mark;
    bool perfect = false;
    for (uint32_t i = 0; i < scenario->oracle_count; i++)
        perfect = perfect || scenario->oracles[i].perfect;
    if (perfect && scenario->testbed.use)
        return error_at(build->reader.error, mark, "oracle: " UNKNOWABLE);
    for (uint32_t i = 0; perfect && i < config->traffic_count; i++) {
        const struct traffic_settings *t = &config->traffic[i];
        bool answered = config->transports[t->transport].kind->ack ||
                        (t->long_share > 0 && config->transports[t->long_transport].kind->ack);
        if (answered || traffic_is_closed(t))
            return error_at(build->reader.error, mark,
                            "oracle: 'answers: perfect' needs packets that come whatever is lost, and %s of traffic %u "
                            "%s (expected a transport without feedback, udp, and open traffic)",
                            answered ? "the transport" : "the kind", i,
                            answered ? "answers losses" : "waits for flows to end");
    }
    if (perfect && scenario->topology.switches > 1)
        return read_warn(build, node_find(build->root, "switch"),
                         "oracle: 'answers: perfect' is exact at the first switch of a path only: what arrives behind "
                         "it depends on what it loses");
    return true;
}

/*
 * run.c - one run of an experiment: its document, its name and its id.
 *
 * The id stands for everything that decides the outcome: two runs with equal ids give equal results, so a stored result
 * can be taken for a run that was never made. It is a hash of the effective tree, not of the file: a default that is
 * written out changes nothing. Names of files are not in it, what was read from them is.
 */
#include <string.h>

#include "scenario/experiment/experiment.h"
#include "scenario/read/read.h"
#include "sim/digest.h"

uint32_t experiment_value_at(const struct experiment *experiment, uint32_t point, uint32_t axis)
{
    for (uint32_t i = experiment->axis_count; i > axis + 1; i--)
        point /= experiment->axes[i - 1].count;
    return point % experiment->axes[axis].count;
}

bool experiment_path_is_policy(const char *path)
{
    const char *const names[] = {"policy", "headroom"};
    for (uint32_t i = 0; i < 2 && strncmp(path, "switch.", 7) == 0; i++) {
        size_t length = strlen(path), part = strlen(names[i]);
        if (length > 5 && strcmp(path + length - 5, ".name") == 0)
            length -= 5;
        if (length > part && path[length - part - 1] == '.' && strncmp(path + length - part, names[i], part) == 0)
            return true;
    }
    return false;
}

uint32_t experiment_policy_axis(const struct experiment *experiment)
{
    for (uint32_t a = 0; a < experiment->axis_count; a++)
        for (uint32_t p = 0; p < experiment->axes[a].path_count; p++)
            if (experiment_path_is_policy(experiment->axes[a].paths[p]))
                return a;
    return UINT32_MAX;
}

/* Whether an item of a list can be set: there is that list. Of one that has to be there, who reads the run says so. */
static bool find_list(const struct node *root, const struct document_change *change, bool *found,
                      struct weir_error *error)
{
    size_t length = strcspn(change->path, ".");
    *found = true;
    for (uint32_t i = 0; i < top_section.count && change->path[length] == '.'; i++) {
        const struct key *key = &top_section.keys[i];
        if (key->nesting != KEY_LIST_OF_SECTIONS || strlen(key->name) != length ||
            strncmp(key->name, change->path, length) != 0 || node_find(root, key->name) != NULL)
            continue;
        *found = false;
        return key->required ||
               error_at(error, change->mark, "'%s' is missing (expected a list with this item)", key->name);
    }
    return true;
}

static bool set_axis(const struct experiment *experiment, uint32_t point, uint32_t index, struct document *document,
                     struct weir_error *error)
{
    const struct axis *axis = &experiment->axes[index];
    const struct axis_value *value = &axis->values[experiment_value_at(experiment, point, index)];
    const struct node *map = node_find(node_find(experiment->whole, "sweep"), axis->name);
    for (uint32_t i = 0; i < axis->path_count; i++) {
        const struct document_change change = {node_find(map, axis->paths[i])->key_mark, axis->paths[i],
                                               value->nodes[i]};
        bool found;
        if (!find_list(document->root, &change, &found, error) ||
            (found && !document_put(&document->arena, document->root, &change, error)))
            return false;
    }
    return true;
}

static bool set_seed(const struct experiment *experiment, uint32_t run, struct document *document,
                     struct weir_error *error)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)(experiment->first_seed + run % experiment->seed_count));
    struct node *seed = node_scalar(&document->arena, text);
    if (seed == NULL)
        return weir_fail_memory(error);
    seed->mark = experiment->base->mark;
    return document_put(&document->arena, document->root,
                        &(struct document_change){experiment->base->mark, "seed", seed}, error);
}

static bool make_run(const struct experiment *experiment, uint32_t run, struct document *document,
                     struct reader *reader)
{
    const char *origin = experiment->base->mark.origin;
    struct weir_error *error = reader->error;
    bool good = true;
    *document = (struct document){.origin = NULL};
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    document->origin = arena_text(&document->arena, origin, strlen(origin));
    document->root = node_copy(&document->arena, experiment->base);
    if (document->origin == NULL || document->root == NULL)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < experiment->axis_count; i++) {
        if (set_axis(experiment, run / experiment->seed_count, i, document, error))
            continue;
        good = false;
        if (!reader_goes_on(reader))
            return false;
    }
    return set_seed(experiment, run, document, error) && good;
}

bool experiment_run(const struct experiment *experiment, uint32_t run, struct document *document,
                    struct weir_error *error)
{
    return make_run(experiment, run, document, &(struct reader){.error = error});
}

bool experiment_run_all(const struct experiment *experiment, uint32_t run, struct document *document,
                        struct error_list *all)
{
    struct weir_error error;
    struct reader reader = {.error = &error, .all = all};
    return make_run(experiment, run, document, &reader) || (reader_goes_on(&reader) && false);
}

void experiment_run_name(const struct experiment *experiment, uint32_t run, char name[256])
{
    size_t used = 0;
    for (uint32_t i = 0; i < experiment->axis_count && used < 256; i++) {
        const struct axis *axis = &experiment->axes[i];
        uint32_t value = experiment_value_at(experiment, run / experiment->seed_count, i);
        used += (size_t)snprintf(name + used, 256 - used, "%s=%s, ", axis->name, axis->values[value].label);
    }
    if (used < 256)
        snprintf(name + used, 256 - used, "seed %llu",
                 (unsigned long long)(experiment->first_seed + run % experiment->seed_count));
}

static void digest_text(struct digest *digest, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    digest_u64(digest, length);
    for (size_t i = 0; i < length; i++)
        digest_u64(digest, (unsigned char)text[i]);
}

/* Where a node stands: below `oracle` of `switch` all texts but two are names of files, or in the digest of what
 * answers. */
enum digest_place { DIGEST_ANYWHERE, DIGEST_SWITCH, DIGEST_ORACLE };

static bool names_file(const struct node *node, enum digest_place place)
{
    if (node->key == NULL || place != DIGEST_ORACLE)
        return node->key != NULL && (strcmp(node->key, "file") == 0 || strcmp(node->key, "model") == 0);
    return strcmp(node->key, "answers") != 0 && strcmp(node->key, "flip") != 0;
}

static void digest_node(struct digest *digest, const struct node *node, enum digest_place place)
{
    digest_u64(digest, node->kind);
    digest_u64(digest, node->count);
    digest_text(digest, node->key);
    digest_text(digest, names_file(node, place) ? NULL : node->text);
    if (place == DIGEST_SWITCH && node->key != NULL && strcmp(node->key, "oracle") == 0)
        place = DIGEST_ORACLE;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        digest_node(digest, child, place);
}

/* What a job of a file does: the words of its image, wherever it was read from. */
static void digest_image(struct digest *digest, const struct goal *goal)
{
    const size_t words = goal->size / sizeof(uint64_t);
    uint64_t last = 0;
    for (size_t i = 0; i < words; i++)
        digest_u64(digest, goal_u64(goal->image + i * sizeof(uint64_t)));
    if (goal->size % sizeof last > 0)
        memcpy(&last, goal->image + words * sizeof last, goal->size % sizeof last);
    digest_u64(digest, last);
}

static void digest_list(struct digest *digest, const struct scenario_list *list)
{
    if (list->goal.image != NULL && list->path != NULL)
        digest_image(digest, &list->goal);
    digest_u64(digest, list->flows.count);
    for (uint32_t i = 0; i < list->flows.count; i++) {
        const struct listed_flow *flow = &list->flows.at[i];
        digest_u64(digest, (uint64_t)flow->start_ps);
        digest_u64(digest, flow->source);
        digest_u64(digest, flow->destination);
        digest_u64(digest, (uint64_t)flow->bytes);
        digest_u64(digest, flow->tag);
        if (list->flows.trigger_count > 0)
            digest_u64(digest, flow->waits | (uint64_t)flow->when_sent << 32);
        if (list->flows.trigger_count > 0)
            digest_u64(digest, flow->when_there);
    }
    for (uint32_t i = 0; i < list->flows.trigger_count; i++)
        digest_u64(digest, list->flows.triggers[i].kind | (uint64_t)list->flows.triggers[i].count << 32);
    digest_u64(digest, list->packets.count);
    for (uint32_t i = 0; i < list->packets.count; i++) {
        const struct listed_packet *packet = &list->packets.at[i];
        digest_u64(digest, (uint64_t)packet->start_ps);
        digest_u64(digest, packet->source);
        digest_u64(digest, packet->destination);
        digest_u64(digest, packet->bytes);
        digest_u64(digest, packet->tc | (uint64_t)packet->ecn << 8);
    }
}

bool experiment_run_id(const struct scenario *scenario, const char *version, char id[EXPERIMENT_ID_MAX])
{
    struct digest digest;
    if (scenario->effective == NULL)
        return false;
    digest_init(&digest);
    digest_text(&digest, version);
    for (const struct node *part = scenario->effective->first; part != NULL; part = part->next)
        if (strcmp(part->key, "name") != 0 && strcmp(part->key, "title") != 0)
            digest_node(&digest, part, strcmp(part->key, "switch") == 0 ? DIGEST_SWITCH : DIGEST_ANYWHERE);
    for (uint32_t i = 0; i < scenario->config.traffic_count; i++)
        digest_list(&digest, &scenario->lists[i]);
    for (uint32_t i = 0; i < scenario->oracle_count; i++) {
        /* What the files of oracles say; answers of a run before are those of the same scenario. */
        digest_u64(&digest, scenario->oracles[i].answers->about.digest);
        for (uint64_t k = 0; !scenario->oracles[i].perfect && k < scenario->oracles[i].room / 8; k++)
            digest_u64(&digest, scenario->oracles[i].lost[k]);
    }
    for (uint64_t i = 0; i < scenario->slot.arrivals.count; i++)
        digest_u64(&digest, scenario->slot.arrivals.port[i]);
    for (uint64_t slot = 0; slot < scenario->slot.arrivals.slots; slot++)
        digest_u64(&digest, scenario->slot.arrivals.slot_end[slot]);
    if (scenario->rows.forest != NULL)
        digest_u64(&digest, scenario->rows.forest->base.about.digest);
    for (uint32_t i = 0; i < scenario->tags.count; i++)
        digest_text(&digest, scenario->tags.names[i]);
    snprintf(id, EXPERIMENT_ID_MAX, "%016llx", (unsigned long long)digest_value(&digest));
    return true;
}

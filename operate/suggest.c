/*
 * suggest.c - see suggest.h.
 *
 * A coordinate search: one knob after the other is moved through its values with the best of the others, and a value
 * stays if it is better. Knobs are dynamic_th of lossless and of lossy profiles (-8 to 7), xoff of lossless profiles
 * (as set, or what SONiC's formula asks, which no-loss wants), and how much of the pool is headroom (as set, or for
 * every group at once). What headroom gets, the pool loses.
 */
#include "operate/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/options.h"

#define TH_MIN (-8)
#define TH_MAX 7
#define PROFILES_MAX 6u

struct score {
    double lost, value; /* fewer lost first, then the larger value */
};

struct search {
    const struct suggest_source *source;
    const struct evaluate_wish *wish;
    enum suggest_goal goal;
    struct suggest_found *found;
    struct score best;
    bool has_best;
};

static double sum_of(const struct evaluation *e, const char *ending)
{
    double sum = 0;
    size_t tail = strlen(ending);
    for (uint32_t i = 0; i < e->numbers.count; i++) {
        const struct evaluate_number *number = &EVALUATION_NUMBERS(e)[i];
        size_t length = strlen(number->name);
        if (length >= tail && strcmp(number->name + length - tail, ending) == 0)
            sum += number->value;
    }
    return sum;
}

/* Groups that headroom does not hold, of all kinds of ports. */
static double missing(const struct evaluation *e)
{
    double sum = 0;
    for (uint32_t i = 0; i < e->kinds; i++)
        sum += e->kind[i].probes.headroom.groups - e->kind[i].probes.headroom.whole;
    return sum;
}

/* Cells that a group takes before it pauses: alone, and when it comes after others. A setting that gives the first
 * everything gives the next nothing: the geometric mean of both. */
static double absorbs(const struct evaluation *e)
{
    double alone = sum_of(e, ": XOFF alone"), late = 0;
    for (uint32_t i = 0; i < e->kinds; i++)
        late += (double)e->kind[i].probes.few.late;
    return alone > 0 ? sqrt(alone * fmax(late, 0)) : sum_of(e, ": first drop");
}

static struct score score_of(const struct evaluation *e, enum suggest_goal goal)
{
    double lost = (double)e->run.lossless_lost + e->losses;
    if (goal == SUGGEST_NO_LOSS)
        return (struct score){lost + missing(e) + e->short_groups, absorbs(e)};
    if (goal == SUGGEST_BURST)
        return (struct score){lost, absorbs(e)};
    return (struct score){lost, -sum_of(e, ": p99 completion")};
}

static bool is_better(struct score a, struct score b)
{
    return a.lost < b.lost || (a.lost <= b.lost && a.value > b.value * (b.value > 0 ? 1.001 : 0.999));
}

/* Evaluates a candidate, and keeps it if it is better: an exit code. One that cannot be built is none. */
static int try_candidate(struct search *search, const struct suggest_candidate *candidate)
{
    struct sonic_config config;
    struct sonic_model model;
    struct evaluation evaluation = {.kinds = 0};
    const char *sets[SUGGEST_SETS];
    for (uint32_t i = 0; i < candidate->sets; i++)
        sets[i] = candidate->set[i];
    int code = sonic_open(&config, &model, search->source->path, search->source->lookup, search->source->given);
    if (code == CLI_OK && candidate->sets > 0)
        code = sonic_change(&config, &model, sets, candidate->sets);
    if (code == CLI_OK)
        code = evaluation_make(&evaluation, &model, search->wish);
    if (code == CLI_OK) {
        struct score score = score_of(&evaluation, search->goal);
        search->found->tried++;
        if (!search->has_best || is_better(score, search->best)) {
            search->best = score;
            search->has_best = true;
            search->found->best = *candidate;
        }
    }
    evaluation_free(&evaluation);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}

/* The best so far with one more change, in the place of one of the same field. */
static bool with_change(struct suggest_candidate *candidate, const char *table, const char *key, const char *field,
                        int64_t value)
{
    char text[SUGGEST_TEXT];
    int length = snprintf(text, sizeof text, "%s.%s.%s=", table, key, field);
    uint32_t i = 0;
    if (length < 0 || (size_t)length + 24 > sizeof text || strchr(key, '=') != NULL)
        return false;
    while (i < candidate->sets && strncmp(candidate->set[i], text, (size_t)length) != 0)
        i++;
    if (i == SUGGEST_SETS)
        return false;
    candidate->sets = i == candidate->sets ? i + 1 : candidate->sets;
    return snprintf(candidate->set[i], SUGGEST_TEXT, "%s.%s.%s=%" PRId64, table, key, field, value) < (int)SUGGEST_TEXT;
}

/* Profiles that groups of lossless classes, or queues of lossy ones, have. */
static uint32_t find_profiles(const struct sonic_plan *plan, bool lossless, const char *names[PROFILES_MAX])
{
    enum plan_side side = lossless ? PLAN_INGRESS : PLAN_EGRESS;
    uint32_t count = 0;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const char *name = plan->profile[side][tc].name;
        uint32_t i = 0;
        if ((plan->lossless >> tc & 1) != lossless || name == NULL || name[0] == '(')
            continue;
        while (i < count && strcmp(names[i], name) != 0)
            i++;
        if (i == count && count < PROFILES_MAX && plan->profile[side][tc].dynamic_th != SONIC_ABSENT)
            names[count++] = name;
    }
    return count;
}

static int search_thresholds(struct search *search, const char *const *names, uint32_t count)
{
    int code = CLI_OK;
    struct suggest_candidate from = search->found->best;
    for (int64_t th = TH_MIN; code == CLI_OK && count > 0 && th <= TH_MAX; th++) {
        struct suggest_candidate candidate = from;
        bool good = true;
        for (uint32_t i = 0; i < count; i++)
            good &= with_change(&candidate, "BUFFER_PROFILE", names[i], "dynamic_th", th);
        if (good)
            code = try_candidate(search, &candidate);
    }
    return code;
}

/* Headroom by SONiC's formula for the longest and fastest link of a profile's groups, where it is known and more. What
 * the profile is not for (another link's name) does not count. */
static bool raise_xoff(struct suggest_candidate *candidate, const struct sonic_plan *plan,
                       const struct sonic_profile *profile, int64_t *xoff)
{
    const struct sonic_model *model = plan->model;
    const struct sonic_group *groups = MODEL_GROUPS(model);
    int64_t old = profile->xoff != SONIC_ABSENT ? profile->xoff : 0, wanted = old;
    for (uint32_t i = 0; i < model->groups.count; i++) {
        int64_t needed = model_needed_xoff(model, groups[i].port);
        if (groups[i].profile == profile && model_is_guarded(model, &groups[i]) &&
            !model_is_of_other_link(model, &groups[i]) && needed != SONIC_ABSENT && needed > wanted)
            wanted = plan_cells_up(plan, needed) * plan->cell;
    }
    *xoff = wanted;
    if (wanted == old)
        return true;
    bool is_own = !model_is_shared(model, sonic_find_pool(model->config, profile->pool.name)); /* size includes it */
    int64_t xon = profile->xon != SONIC_ABSENT ? profile->xon : 0;
    int64_t size = old > 0 && profile->size >= old ? profile->size - old : xon;
    return with_change(candidate, "BUFFER_PROFILE", profile->entry.key, "xoff", wanted) &&
           (!is_own || with_change(candidate, "BUFFER_PROFILE", profile->entry.key, "size", size + wanted));
}

/* Every lossless profile with the headroom that its links need. */
static int try_needed(struct search *search, const struct sonic_plan *plan)
{
    const struct sonic_config *config = plan->model->config;
    struct suggest_candidate candidate = search->found->best;
    int64_t xoff;
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        if (model_is_lossless(profile) && profile->headroom != SONIC_HEADROOM_COMPUTED &&
            !raise_xoff(&candidate, plan, profile, &xoff))
            return CLI_OK; /* more than a candidate holds */
    }
    return candidate.sets > 0 ? try_candidate(search, &candidate) : CLI_OK;
}

/* A headroom pool for so many parts of all groups, and what is left of the pool. */
static int try_headroom(struct search *search, const struct sonic_plan *plan, const char *const *names, uint32_t count,
                        double part)
{
    struct suggest_candidate candidate = search->found->best;
    const struct sonic_pool *pool =
        plan->pool[PLAN_INGRESS][plan->profile[PLAN_INGRESS][__builtin_ctz(plan->lossless)].pool].of;
    int64_t all = 0;
    bool good = pool != NULL && pool->size != SONIC_ABSENT;
    for (uint32_t left = plan->lossless; good && left != 0; left &= left - 1) {
        const struct plan_profile *profile = &plan->profile[PLAN_INGRESS][__builtin_ctz(left)];
        int64_t xoff = profile->xoff;
        for (uint32_t i = 0; good && i < count; i++) /* those of a lookup table stay */
            if (profile->name != NULL && strcmp(profile->name, names[i]) == 0)
                good = raise_xoff(&candidate, plan, sonic_find_profile(plan->model->config, names[i]), &xoff);
        all += plan->per_pipe * plan->pipes * plan_cells_up(plan, xoff) * plan->cell; /* pipes have it in equal parts */
    }
    if (!good)
        return CLI_OK;
    int64_t at_once = 0; /* of all groups as they are, whatever port they are of */
    for (uint32_t i = 0; i < plan->model->groups.count; i++) {
        const struct sonic_group *group = &MODEL_GROUPS(plan->model)[i];
        if (model_is_paused(plan->model, group) && group->port->status != SONIC_DOWN && group->xoff > 0)
            at_once += plan_cells_up(plan, group->xoff) * plan->cell;
    }
    all = all > at_once ? all : at_once;
    if (pool->xoff != SONIC_ABSENT && pool->xoff > 0) {
        int64_t headroom = plan_cells_up(plan, (int64_t)(part * (double)all)) * plan->cell;
        if (headroom < pool->xoff && headroom < all)
            return CLI_OK; /* less than there is, and than groups need at once */
        int64_t more = headroom - pool->xoff;
        bool inside = plan->model->platform.xoff == PLATFORM_XOFF_INSIDE;
        int64_t size = pool->size - (inside ? 0 : more);
        if ((inside ? size - headroom : size) < plan->cell * 64 ||
            !with_change(&candidate, "BUFFER_POOL", pool->entry.key, "xoff", headroom) ||
            (size != pool->size && !with_change(&candidate, "BUFFER_POOL", pool->entry.key, "size", size)))
            return CLI_OK;
    }
    return try_candidate(search, &candidate);
}

static int search_all(struct search *search, const struct sonic_plan *plan)
{
    const char *lossless[PROFILES_MAX], *lossy[PROFILES_MAX];
    uint32_t lossless_count = find_profiles(plan, true, lossless), lossy_count = find_profiles(plan, false, lossy);
    struct suggest_candidate none = {.sets = 0};
    int code = try_candidate(search, &none);
    static const double parts[] = {1, 0.75, 0.5, 0.25};
    if (code == CLI_OK && search->goal == SUGGEST_NO_LOSS)
        code = try_needed(search, plan);
    for (uint32_t i = 0;
         code == CLI_OK && search->goal == SUGGEST_NO_LOSS && plan->lossless != 0 && i < sizeof parts / sizeof parts[0];
         i++)
        code = try_headroom(search, plan, lossless, lossless_count, parts[i]);
    if (code == CLI_OK)
        code = search_thresholds(search, lossless, lossless_count);
    if (code == CLI_OK && search->goal != SUGGEST_NO_LOSS)
        code = search_thresholds(search, lossy, lossy_count);
    return code;
}

int suggest_search(struct suggest_found *found, const struct suggest_source *source, enum suggest_goal goal,
                   const struct evaluate_wish *wish)
{
    struct search search = {.source = source, .wish = wish, .goal = goal, .found = found};
    struct sonic_config config;
    struct sonic_model model;
    struct sonic_plan plan = {.ports = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *found = (struct suggest_found){.tried = 0};
    int code = sonic_open(&config, &model, source->path, source->lookup, source->given);
    if (code == CLI_OK && !sonic_plan_make(&plan, &model, NULL, 0, &error))
        code = cli_report(&error);
    if (code == CLI_OK)
        code = search_all(&search, &plan);
    sonic_plan_free(&plan);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}

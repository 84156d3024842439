/*
 * tune.c - see tune.h. A coordinate search in steps of two: Kmax, Kmin as a part of it, Pmax and alpha are moved one
 * after the other, twice, from what is configured; the best so far stays. What one candidate would repeat is not run.
 */
#include "operate/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/options.h"

#define TH_LEAST (-6)
#define TH_MOST 3
#define ROUNDS 2u
#define SLACK 1.05 /* of the best p99, that TUNE_PAUSES gives away */
#define LEAST_BYTES 4096

struct search {
    struct tuned *tuned;
    const struct suggest_source *source;
    const struct evaluate_wish *wish;
    enum tune_goal goal;
    uint32_t budget;
    int64_t most; /* bytes: what one lossless queue may hold */
};

uint32_t tune_changes(const struct tuned *tuned, const struct tune_setting *setting,
                      char sets[SUGGEST_SETS][SUGGEST_TEXT])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tuned->wreds; i++) {
        const char *fields[3] = {"green_min_threshold", "green_max_threshold", "green_drop_probability"};
        const int64_t values[3] = {setting->low, setting->high, setting->percent};
        if (tuned->apart[i]) {
            fields[0] = "green_ect_min_threshold";
            fields[1] = "green_ect_max_threshold";
            fields[2] = "green_ect_mark_probability";
        }
        for (uint32_t f = 0; f < 3 && count < SUGGEST_SETS; f++)
            snprintf(sets[count++], SUGGEST_TEXT, "WRED_PROFILE.%.80s.%s=%" PRId64, tuned->wred[i], fields[f],
                     values[f]);
    }
    for (uint32_t i = 0; i < tuned->profiles && setting->dynamic_th != SONIC_ABSENT && count < SUGGEST_SETS; i++)
        snprintf(sets[count++], SUGGEST_TEXT, "BUFFER_PROFILE.%.80s.dynamic_th=%" PRId64, tuned->profile[i],
                 setting->dynamic_th);
    return count;
}

static void take(struct tune_point *point, const struct evaluate_run *run)
{
    point->lost = run->lossless_lost;
    for (uint32_t t = 0; t < run->tags; t++) {
        point->p99_us = fmax(point->p99_us, run->tag[t].p99_us);
        point->mean_us = fmax(point->mean_us, run->tag[t].mean_us);
        point->unfinished += run->tag[t].unfinished;
    }
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        if (!(run->lossless >> tc & 1))
            continue;
        point->held_us += run->of[tc].held_us;
        point->marked += run->of[tc].marked;
        point->pauses += run->of[tc].pauses;
    }
}

/* Fewer lost, fewer unfinished, then the goal. */
static bool is_better(const struct search *search, const struct tune_point *a, const struct tune_point *b)
{
    if (a->lost != b->lost)
        return a->lost < b->lost;
    if (a->unfinished != b->unfinished)
        return a->unfinished < b->unfinished;
    if (search->goal == TUNE_MEAN)
        return a->mean_us < b->mean_us * 0.999;
    if (search->goal == TUNE_P99)
        return a->p99_us < b->p99_us * 0.999;
    double best = INFINITY;
    for (uint32_t i = 0; i < search->tuned->points; i++)
        if (search->tuned->point[i].lost == a->lost && search->tuned->point[i].unfinished == a->unfinished)
            best = fmin(best, search->tuned->point[i].p99_us);
    bool fits = a->p99_us <= SLACK * best, fitted = b->p99_us <= SLACK * best;
    if (fits != fitted)
        return fits;
    return fits ? a->held_us < b->held_us * 0.999 : a->p99_us < b->p99_us;
}

static bool is_tried(const struct tuned *tuned, const struct tune_setting *setting)
{
    for (uint32_t i = 0; i < tuned->points; i++) {
        const struct tune_setting *other = &tuned->point[i].setting;
        if (other->low == setting->low && other->high == setting->high && other->percent == setting->percent &&
            other->dynamic_th == setting->dynamic_th)
            return true;
    }
    return false;
}

/* One simulation: an exit code. */
static int try_setting(struct search *search, const struct tune_setting *setting)
{
    struct tuned *tuned = search->tuned;
    if (tuned->points == TUNE_POINTS || tuned->points >= search->budget || is_tried(tuned, setting))
        return CLI_OK;
    struct sonic_config config;
    struct sonic_model model;
    struct evaluate_run *run = calloc(1, sizeof *run);
    char sets[SUGGEST_SETS][SUGGEST_TEXT];
    const char *texts[SUGGEST_SETS];
    uint32_t count = tuned->points > 0 ? tune_changes(tuned, setting, sets) : 0; /* the first as configured */
    for (uint32_t i = 0; i < count; i++)
        texts[i] = sets[i];
    int code = sonic_open(&config, &model, search->source->path, search->source->lookup, search->source->given);
    if (code == CLI_OK && run == NULL)
        code = cli_error_memory();
    if (code == CLI_OK && count > 0)
        code = sonic_change(&config, &model, texts, count);
    if (code == CLI_OK)
        code = evaluate_traffic(run, &model, search->wish);
    if (code == CLI_OK) {
        struct tune_point *point = &tuned->point[tuned->points++];
        *point = (struct tune_point){.setting = *setting};
        take(point, run);
        if (is_better(search, point, &tuned->point[tuned->best]))
            tuned->best = tuned->points - 1;
    }
    free(run);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}

static int64_t clip(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static int search_high(struct search *search)
{
    static const double factors[] = {0.125, 0.25, 0.5, 2, 4, 8};
    struct tune_setting from = search->tuned->point[search->tuned->best].setting;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < sizeof factors / sizeof factors[0]; i++) {
        struct tune_setting setting = from;
        setting.high = clip((int64_t)((double)from.high * factors[i]), 2 * LEAST_BYTES, search->most);
        setting.low = clip((int64_t)((double)from.low * factors[i]), LEAST_BYTES, setting.high - 1);
        code = try_setting(search, &setting);
    }
    return code;
}

static int search_low(struct search *search)
{
    static const double parts[] = {0.0625, 0.25, 0.5, 0.9};
    struct tune_setting from = search->tuned->point[search->tuned->best].setting;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < sizeof parts / sizeof parts[0]; i++) {
        struct tune_setting setting = from;
        setting.low = clip((int64_t)((double)from.high * parts[i]), LEAST_BYTES, from.high - 1);
        code = try_setting(search, &setting);
    }
    return code;
}

static int search_percent(struct search *search)
{
    static const int64_t percents[] = {1, 5, 10, 20, 50, 100};
    struct tune_setting from = search->tuned->point[search->tuned->best].setting;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < sizeof percents / sizeof percents[0]; i++) {
        struct tune_setting setting = from;
        setting.percent = percents[i];
        code = try_setting(search, &setting);
    }
    return code;
}

static int search_alpha(struct search *search)
{
    struct tune_setting from = search->tuned->point[search->tuned->best].setting;
    int code = CLI_OK;
    for (int64_t th = TH_LEAST; code == CLI_OK && from.dynamic_th != SONIC_ABSENT && th <= TH_MOST; th++) {
        struct tune_setting setting = from;
        setting.dynamic_th = th;
        code = try_setting(search, &setting);
    }
    return code;
}

static bool add_name(struct tuned *tuned, const char **names, uint32_t *count, const char *name)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    if (*count == TUNE_PROFILES || strlen(name) > 80 || strchr(name, '=') != NULL)
        return true;
    names[*count] = arena_text(&tuned->arena, name, strlen(name));
    return names[*count] != NULL && ++*count > 0;
}

/* What is to be changed, and how it is set now. False with an error. */
static bool find_knobs(struct search *search, const struct sonic_plan *plan, struct tune_setting *setting,
                       struct weir_error *error)
{
    struct tuned *tuned = search->tuned;
    bool good = true;
    *setting = (struct tune_setting){.dynamic_th = SONIC_ABSENT};
    for (uint32_t left = plan->lossless; left != 0 && good; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left), before = tuned->wreds;
        struct plan_wred wred = plan_wred_of(plan, tc);
        const struct plan_profile *profile = &plan->profile[PLAN_INGRESS][tc];
        if (wred.is_set && wred.marks) {
            good = add_name(tuned, tuned->wred, &tuned->wreds, plan->wred[tc]->entry.key);
            if (tuned->wreds > before)
                tuned->apart[before] = plan->wred[tc]->mark_least[SONIC_GREEN] != SONIC_ABSENT;
            if (setting->high == 0)
                *setting = (struct tune_setting){wred.low, wred.high, wred.percent, setting->dynamic_th};
        }
        if (profile->name != NULL && profile->name[0] != '(' && profile->dynamic_th != SONIC_ABSENT &&
            sonic_find_profile(plan->model->config, profile->name) != NULL) {
            good = good && add_name(tuned, tuned->profile, &tuned->profiles, profile->name);
            setting->dynamic_th = setting->dynamic_th == SONIC_ABSENT ? profile->dynamic_th : setting->dynamic_th;
        }
        double alone = plan_alone(plan, PLAN_INGRESS, tc) * (double)plan->cell;
        search->most = alone > (double)search->most ? (int64_t)alone : search->most;
    }
    if (!good)
        return weir_fail_memory(error);
    search->most = search->most > 4 * LEAST_BYTES ? search->most : 4 * LEAST_BYTES;
    return tuned->wreds > 0 ||
           weir_fail(error, WEIR_ERROR_INPUT,
                     "no queue that PFC pauses has a WRED profile that marks (expected QUEUE with a "
                     "wred_profile whose ecn has green packets)");
}

static void find_front(struct tuned *tuned)
{
    for (uint32_t i = 0; i < tuned->points; i++) {
        struct tune_point *own = &tuned->point[i];
        own->is_front = own->lost == tuned->point[tuned->best].lost;
        for (uint32_t j = 0; j < tuned->points; j++) {
            const struct tune_point *other = &tuned->point[j];
            bool no_worse = other->p99_us <= own->p99_us && other->held_us <= own->held_us && other->lost <= own->lost;
            bool better = other->p99_us < own->p99_us || other->held_us < own->held_us;
            if (no_worse && (better || j < i))
                own->is_front = false;
        }
    }
}

int tune_search(struct tuned *tuned, const struct suggest_source *source, enum tune_goal goal,
                const struct evaluate_wish *wish, uint32_t budget)
{
    struct search search = {.tuned = tuned, .source = source, .wish = wish, .goal = goal, .budget = budget};
    struct sonic_config config;
    struct sonic_model model;
    struct sonic_plan plan = {.ports = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct tune_setting setting;
    int code = sonic_open(&config, &model, source->path, source->lookup, source->given);
    if (code == CLI_OK &&
        (!sonic_plan_make(&plan, &model, NULL, 0, &error) || !find_knobs(&search, &plan, &setting, &error)))
        code = cli_report(&error);
    sonic_plan_free(&plan);
    sonic_model_free(&model);
    sonic_config_free(&config);
    if (code == CLI_OK)
        code = try_setting(&search, &setting);
    for (uint32_t round = 0; code == CLI_OK && round < ROUNDS; round++) {
        code = search_high(&search);
        code = code == CLI_OK ? search_low(&search) : code;
        code = code == CLI_OK ? search_percent(&search) : code;
        code = code == CLI_OK ? search_alpha(&search) : code;
    }
    for (uint32_t i = 0; i < tuned->points; i++) /* of TUNE_PAUSES the yardstick moved while they were made */
        if (is_better(&search, &tuned->point[i], &tuned->point[tuned->best]))
            tuned->best = i;
    find_front(tuned);
    return code;
}

void tune_free(struct tuned *tuned)
{
    arena_free(&tuned->arena);
}

/*
 * online.c - see online.h.
 */
#include "online.h"

#include "train.h"
#include "weir/random.h"

void forest_online_settings_init(struct forest_online_settings *settings)
{
    struct forest_settings usual;
    forest_settings_init(&usual);
    *settings =
        (struct forest_online_settings){.every = 10000, .rows = 100000, .trees = usual.trees, .depth = usual.depth};
}

static bool predict(const struct forest_online *online, const int64_t feature[WEIR_FEATURE_COUNT])
{
    return online->answer && forest_predict(online->answer, feature);
}

static bool online_oracle_predict(const struct weir_oracle *oracle, uint64_t index,
                                  const int64_t feature[WEIR_FEATURE_COUNT])
{
    (void)index;
    return predict((const struct forest_online *)oracle, feature);
}

void forest_online_init(struct forest_online *online, const struct forest_online_settings *settings, uint64_t seed,
                        const struct forest *first)
{
    *online = (struct forest_online){.settings = *settings, .seed = seed, .first = first, .answer = first};
    online->base.predict = online_oracle_predict;
    /* A name for what it will become: settings, seed and where it starts. */
    const struct forest_online_settings *s = &online->settings;
    uint64_t digest = weir_hash(weir_random_stream(online->seed, "online").key, s->every);
    digest = weir_hash(weir_hash(weir_hash(digest, s->rows), s->trees), s->depth);
    online->base.about.digest = weir_hash(digest, online->first ? forest_digest(online->first) : 0) | 1;
}

void forest_online_free(struct forest_online *online)
{
    forest_free(online->grown);
    forest_rows_free(&online->window);
    online->grown = NULL;
    online->answer = online->first;
}

void forest_online_reset(struct forest_online *online)
{
    const struct forest_online_settings settings = online->settings;
    forest_online_free(online);
    forest_online_init(online, &settings, online->seed, online->first);
}

/* Puts a row in the place of the oldest one. */
static bool keep(struct forest_online *online, const int64_t feature[WEIR_FEATURE_COUNT], bool lost)
{
    struct forest_rows *window = &online->window;
    struct weir_error error;
    online->lost += lost;
    if (window->count < online->settings.rows)
        return forest_rows_add(window, feature, lost, &error);
    uint64_t place = online->taken % online->settings.rows;
    online->lost -= window->lost[place];
    window->lost[place] = lost;
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        window->feature[f][place] = feature[f];
    return true;
}

bool forest_online_take(struct forest_online *online, const int64_t feature[WEIR_FEATURE_COUNT], bool lost)
{
    forest_count(&online->judged, predict(online, feature), lost);
    if (!keep(online, feature, lost))
        return false;
    online->taken++;
    if (online->taken % online->settings.every != 0 || online->lost == 0)
        return true;
    struct forest_settings settings;
    struct weir_error error;
    forest_settings_init(&settings);
    settings.trees = online->settings.trees;
    settings.depth = online->settings.depth;
    settings.seed = weir_hash(online->seed, online->forests);
    struct forest *forest = forest_train(&online->window, &settings, NULL, NULL, &error);
    if (!forest)
        return false;
    forest_free(online->grown);
    online->answer = online->grown = forest;
    online->forests++;
    return true;
}

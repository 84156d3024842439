/*
 * play.c - see play.h: a scenario is read, simulated and recorded.
 */
#include "show/playground/play.h"

#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "show/playground/film.h"

/* A trace in memory. */
struct recording {
    struct weir_trace trace;
    uint8_t buffer[WEIR_TRACE_BUFFER_MIN];
    uint8_t *bytes;
    size_t size, room;
};

static bool recording_keep(void *context, const uint8_t *bytes, size_t count)
{
    struct recording *recording = context;
    if (recording->size + count > recording->room) {
        size_t room = 2 * (recording->size + count);
        uint8_t *larger = realloc(recording->bytes, room);
        if (larger == NULL)
            return false;
        recording->bytes = larger;
        recording->room = room;
    }
    memcpy(recording->bytes + recording->size, bytes, count);
    recording->size += count;
    return true;
}

static bool recording_begin(void *context, const struct weir_mmu_config *config, struct weir_trace **trace)
{
    struct recording *recording = context;
    recording->trace = (struct weir_trace){
        .buffer = recording->buffer, .size = sizeof recording->buffer, .flush = recording_keep, .context = recording};
    weir_trace_begin(&recording->trace, config);
    *trace = &recording->trace;
    return true;
}

static bool recording_end(void *context, const struct weir_mmu *mmu)
{
    struct recording *recording = context;
    return weir_trace_end(&recording->trace, mmu);
}

static bool simulate(struct play_film *film, struct run *run, struct recording *recording)
{
    struct run_trace trace = {.begin = recording_begin, .end = recording_end, .context = recording};
    if (run->scenario.config.until_ps > INT32_MAX * WEIR_PS_PER_NS)
        return weir_fail(&run->error, WEIR_ERROR_RANGE, "until: longer than a film can be (expected at most 2 s)");
    if (run_begin(run) != RUN_PAUSED)
        return false;
    if (!run_trace_begin(&trace, run, 0, 0))
        return weir_fail_memory(&run->error);
    if (run_go(run, WEIR_NEVER) != RUN_DONE)
        return false;
    film->digest = sim_digest(run_sim(run));
    return run_trace_end(&trace) || weir_fail_memory(&run->error);
}

bool play_scenario(struct play_film *film, const char *text, size_t size, struct weir_error *error)
{
    const struct run_source source = {.text = text, .size = size, .origin = "scenario"};
    struct recording *recording = calloc(1, sizeof *recording);
    struct run run;
    *film = (struct play_film){.rows = NULL};
    if (recording == NULL)
        return weir_fail_memory(error);
    bool good = run_open(&run, &source, NULL) && simulate(film, &run, recording);
    *error = run.error;
    run_close(&run);
    good = good && film_develop(film, recording->bytes, recording->size, error);
    free(recording->bytes);
    free(recording);
    return good;
}

void play_free(struct play_film *film)
{
    free(film->rows);
    film->rows = NULL;
}

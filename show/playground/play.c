/*
 * play.c - see play.h: a scenario is read, simulated and recorded.
 */
#include "show/playground/play.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/read/scenario.h"
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

static bool recording_start(struct recording *recording, const struct sim *sim)
{
    weir_bps *rates = calloc(sim_switch_ports(sim, 0), sizeof *rates);
    if (rates == NULL)
        return false;
    struct weir_mmu_config config = sim_memory_config(sim, 0, 0, rates);
    recording->trace = (struct weir_trace){
        .buffer = recording->buffer, .size = sizeof recording->buffer, .flush = recording_keep, .context = recording};
    weir_trace_begin(&recording->trace, &config);
    free(rates);
    weir_mmu_set_trace(weir_switch_mmu(sim_switch(sim, 0), 0), &recording->trace);
    return true;
}

static bool recording_end(struct recording *recording, const struct sim *sim)
{
    struct weir_mmu *mmu = weir_switch_mmu(sim_switch(sim, 0), 0);
    weir_mmu_set_trace(mmu, NULL);
    return weir_trace_end(&recording->trace, mmu);
}

static bool run(struct sim *sim, struct recording *recording, struct play_film *film, struct weir_error *error)
{
    if (!recording_start(recording, sim))
        return weir_fail_memory(error);
    enum sim_status status = sim_run(sim, NULL, NULL);
    if (status == SIM_UNEVEN) {
        *error = *sim_error(sim);
        return false;
    }
    if (!recording_end(recording, sim) || status != SIM_DONE)
        return weir_fail_memory(error);
    film->digest = sim_digest(sim);
    return true;
}

static bool simulate(struct play_film *film, struct scenario *scenario, struct weir_error *error)
{
    if (scenario->config.until_ps > INT32_MAX * WEIR_PS_PER_NS)
        return weir_fail(error, WEIR_ERROR_RANGE, "until: longer than a film can be (expected at most 2 s)");
    if (scenario_is_foreseen(scenario) && scenario_foresee(scenario, NULL, NULL, error) != SIM_DONE)
        return false;
    struct sim *sim = scenario_create(scenario, error);
    struct recording *recording = calloc(1, sizeof *recording);
    bool good = sim != NULL && (recording != NULL || weir_fail_memory(error)) && run(sim, recording, film, error);
    sim_free(sim);
    good = good && film_develop(film, recording->bytes, recording->size, error);
    if (recording != NULL)
        free(recording->bytes);
    free(recording);
    return good;
}

bool play_scenario(struct play_film *film, const char *text, size_t size, struct weir_error *error)
{
    struct document document;
    struct scenario scenario;
    *film = (struct play_film){.rows = NULL};
    bool read = document_read(&document, "scenario", text, size, error);
    bool good = false;
    if (read) {
        good = scenario_build(&scenario, &document, NULL, error) && simulate(film, &scenario, error);
        scenario_free(&scenario);
    }
    document_free(&document);
    return good;
}

void play_free(struct play_film *film)
{
    free(film->rows);
    film->rows = NULL;
}

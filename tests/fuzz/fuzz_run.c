/*
 * fuzz_run.c - any bytes at all as a scenario that is run: what can be built is simulated for a while, by an MMU that
 * checks itself where it is built so, and a run that came to its end comes to the same end again.
 */
#include <stdlib.h>

#include "scenario/read/scenario.h"
#include "sim/sim.h"

#define HOSTS_MAX 32u
#define HOPS_MAX 20000u
#define LOOKS_MAX 200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct budget {
    uint32_t looks;
    bool spent;
};

static bool go_on(void *context, const struct sim_progress *progress)
{
    struct budget *budget = context;
    budget->spent = ++budget->looks > LOOKS_MAX || progress->packet_hops > HOPS_MAX;
    return !budget->spent;
}

/* The digest of a run that came to its end; 0: it did not. */
static uint64_t run(const struct sim_config *config)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct budget budget = {.looks = 0};
    uint64_t digest = 0;
    struct sim *sim = sim_create(config, &error);
    if (sim == NULL) {
        if (error.code == WEIR_ERROR_NONE)
            abort();
        return 0;
    }
    if (sim_run(sim, go_on, &budget) == SIM_DONE && !budget.spent)
        digest = sim_digest(sim);
    sim_free(sim);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct scenario scenario = {.name = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (document_read(&document, "f", (const char *)data, size, &error) &&
        scenario_build(&scenario, &document, NULL, &error) && scenario.config.topology->hosts <= HOSTS_MAX) {
        uint64_t digest = run(&scenario.config);
        if (digest != 0 && run(&scenario.config) != digest)
            abort();
    }
    scenario_free(&scenario);
    document_free(&document);
    return 0;
}

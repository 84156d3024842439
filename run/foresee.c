/*
 * foresee.c - see foresee.h.
 */
#include "run/foresee.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct weir_policy *run_lqd(struct weir_values *values)
{
    const struct weir_policy *lqd = weir_policy_find("lqd");
    weir_values_init(values, lqd);
    bool known = weir_values_set(values, lqd, "remove", "tail", NULL);
    assert(known);
    (void)known;
    return lqd;
}

static bool copy_fates(struct scenario_oracle *oracle, const struct sim *sim)
{
    uint64_t count;
    const uint8_t *lost = sim_fates(sim, oracle->sw, oracle->memory, &count);
    free(oracle->lost);
    oracle->lost = calloc(count / 8 + 1, 1);
    if (oracle->lost == NULL)
        return false;
    if (count > 0)
        memcpy(oracle->lost, lost, (count + 7) / 8);
    oracle->table.lost = oracle->lost;
    oracle->table.count = oracle->room = count;
    return true;
}

enum sim_status run_foresee(struct scenario *scenario, sim_progress_function *progress, void *context,
                            struct weir_error *error)
{
    struct sim_config config = scenario->config;
    struct weir_values values;
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    /* LQD in place of the policies that ask for a perfect answer. */
    const struct weir_policy *lqd = run_lqd(&values);
    for (uint32_t i = 0; i < scenario->oracle_count; i++) {
        uint32_t tier = scenario->topology.tier[scenario->oracles[i].sw], last = config.tier_count - 1;
        struct weir_mmu_config *mmu = &config.tiers[tier < last ? tier : last].mmu;
        if (!scenario->oracles[i].perfect)
            continue;
        mmu->egress = lqd;
        mmu->egress_values = &values;
        mmu->packets_max += mmu->packets_max < UINT32_MAX; /* an arrival has its descriptor before it pushes out */
    }
    config.notes_fates = true;
    config.training = NULL;
    config.follow = NULL;
    struct sim *sim = sim_create(&config, error);
    if (sim == NULL)
        return error->code == WEIR_ERROR_MEMORY ? SIM_OUT_OF_MEMORY : SIM_UNEVEN;
    enum sim_status status = sim_run(sim, progress, context);
    if (status == SIM_UNEVEN)
        *error = *sim_error(sim);
    for (uint32_t i = 0; status == SIM_DONE && i < scenario->oracle_count; i++)
        if (scenario->oracles[i].perfect && !copy_fates(&scenario->oracles[i], sim))
            status = SIM_OUT_OF_MEMORY;
    if (status == SIM_OUT_OF_MEMORY)
        weir_fail_memory(error);
    sim_free(sim);
    return status;
}

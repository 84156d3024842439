/*
 * probe.c - see probe.h.
 *
 * Inputs send to the last output of the pipe, which is closed: nothing leaves while a probe fills. A group that classes
 * share is filled by the first of them.
 */
#include "operate/evaluate/probe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX (1 << 25) /* of a pipe: chips have less than a million, and packets of a cell take memory */

struct probe {
    struct weir_mmu_config config;
    struct weir_values values[PLAN_SIDES];
    void *memory;
    struct weir_mmu *mmu;
    const struct sonic_plan *plan;
    uint32_t inputs;
};

static bool probe_open(struct probe *probe, const struct sonic_plan *plan, struct weir_error *error)
{
    struct weir_mmu_config *config = &probe->config;
    int64_t headroom = plan_headroom_cells(plan);
    int64_t buffer = plan_shared_cells(plan) + plan_private_cells(plan) + headroom;
    *probe = (struct probe){.plan = plan, .inputs = plan->per_pipe};
    if (buffer > CELLS_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "a pipe has %" PRId64 " cells (expected at most %d)", buffer,
                         CELLS_MAX);
    weir_mmu_config_init(config, plan->per_pipe, PLAN_CLASSES, buffer);
    config->cell_bytes = (uint32_t)plan->cell;
    config->headroom_cells = headroom;
    config->lossless_mask = plan->lossless;
    config->packets_max = (uint32_t)buffer + 1;
    config->evictions_max = 1;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
        (plan->lossless >> tc & 1 ? config->ingress_private_cells : config->private_cells)[tc] = plan_private(plan, tc);
    plan_values(plan, PLAN_INGRESS, &probe->values[PLAN_INGRESS]);
    plan_values(plan, PLAN_EGRESS, &probe->values[PLAN_EGRESS]);
    config->ingress = weir_policy_find("sai-groups");
    config->ingress_values = &probe->values[PLAN_INGRESS];
    config->egress = weir_policy_find("sai-queues");
    config->egress_values = &probe->values[PLAN_EGRESS];
    if (!weir_mmu_config_check(config, error))
        return false;
    size_t size = (weir_mmu_size(config) + WEIR_CACHE_LINE - 1) / WEIR_CACHE_LINE * WEIR_CACHE_LINE;
    probe->memory = aligned_alloc(WEIR_CACHE_LINE, size);
    if (probe->memory == NULL)
        return weir_fail_memory(error);
    probe->mmu = weir_mmu_init(probe->memory, config);
    return true;
}

static void probe_restart(struct probe *probe)
{
    probe->mmu = weir_mmu_init(probe->memory, &probe->config);
}

static bool probe_send(struct probe *probe, uint32_t input, uint32_t tc)
{
    const struct weir_packet packet = {
        .input = {input}, .output = {probe->inputs - 1}, .tc = {tc}, .bytes = 1, .flags = WEIR_FLAG_ECN};
    return weir_mmu_arrive(probe->mmu, &packet, 0)->accepted;
}

static bool probe_is_paused(const struct probe *probe, uint32_t input, uint32_t tc)
{
    return weir_mmu_ingress_view(probe->mmu)->port[input].paused_mask >> tc & 1;
}

static const struct weir_holding *probe_group(const struct probe *probe, uint32_t input, uint32_t tc)
{
    const struct weir_view *view = weir_mmu_ingress_view(probe->mmu);
    weir_class first = {plan_first(probe->plan, tc)};
    return weir_view_account(view, weir_account_of(&view->geometry, (weir_port){input}, first));
}

static void probe_alone(struct probe *probe, const struct sonic_plan *plan, struct probe_class *result)
{
    uint32_t tc = result->tc;
    double ingress = plan_alone(plan, PLAN_INGRESS, tc), egress = plan_alone(plan, PLAN_EGRESS, tc);
    result->is_lossless = plan->lossless >> tc & 1;
    result->xoff = result->drop = result->xon = PROBE_NEVER;
    result->is_ingress = result->is_lossless || ingress <= egress;
    result->formula = result->is_ingress ? ingress : egress;
    probe_restart(probe);
    for (int64_t sent = 1; result->drop == PROBE_NEVER && sent <= probe->config.buffer_cells + 1; sent++) {
        if (!probe_send(probe, 0, tc))
            result->drop = sent;
        if (result->is_lossless && result->xoff == PROBE_NEVER && probe_is_paused(probe, 0, tc))
            result->xoff = sent;
    }
    result->headroom = probe_group(probe, 0, tc)->headroom_cells;
    while (result->xoff != PROBE_NEVER && result->xon == PROBE_NEVER) {
        if (!weir_mmu_depart(probe->mmu, (weir_port){probe->inputs - 1}, 0)->departed)
            return;
        if (!probe_is_paused(probe, 0, tc))
            result->xon = probe_group(probe, 0, tc)->cells;
    }
}

/* A group to fill, and what it may send. */
struct place {
    uint32_t input, tc;
    double credit; /* cells; negative: it lost one */
};

/* Input by input, and of each its lossless groups. Null: no memory. */
static struct place *probe_places(const struct sonic_plan *plan, uint32_t *count)
{
    struct place *places = calloc((size_t)plan->per_pipe * PLAN_CLASSES + 1, sizeof *places);
    *count = 0;
    for (uint32_t input = 0; places != NULL && input < plan->per_pipe; input++)
        for (uint32_t left = plan_groups(plan); left != 0; left &= left - 1)
            places[(*count)++] = (struct place){.input = input, .tc = (uint32_t)__builtin_ctz(left)};
    return places;
}

/* Groups come in proportion to alpha, so that all arrive at their thresholds together: one that arrives before the
 * others keeps what it had then. */
static double probe_share(const struct sonic_plan *plan, uint32_t tc)
{
    double most = 0;
    for (uint32_t left = plan->lossless; left != 0; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);
        if (plan->profile[PLAN_INGRESS][other].dynamic_th != SONIC_ABSENT)
            most = fmax(most, plan_alpha(plan, PLAN_INGRESS, other));
    }
    bool is_dynamic = plan->profile[PLAN_INGRESS][tc].dynamic_th != SONIC_ABSENT;
    return is_dynamic ? plan_alpha(plan, PLAN_INGRESS, tc) / most : 1;
}

/* Each group that is not paused sends its share; false: none was left. */
static bool probe_round(struct probe *probe, const double share[PLAN_CLASSES], struct place *places, uint32_t count)
{
    bool any = false;
    for (struct place *at = places; at < places + count; at++) {
        if (probe_is_paused(probe, at->input, at->tc) || at->credit < 0)
            continue;
        any = true;
        for (at->credit += share[at->tc]; at->credit >= 1; at->credit--)
            if (!probe_send(probe, at->input, at->tc)) {
                at->credit = -1; /* lost one without a pause: enough of it */
                break;
            }
    }
    return any;
}

static void probe_fill(struct probe *probe, const struct sonic_plan *plan, struct place *places,
                       struct probe_many *result)
{
    uint32_t of_class[PLAN_CLASSES] = {0};
    double share[PLAN_CLASSES];
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        share[tc] = plan->lossless >> tc & 1 ? probe_share(plan, tc) : 0;
        result->least[tc] = result->most[tc] = PROBE_NEVER;
    }
    probe_restart(probe);
    for (struct place *at = places; at < places + result->groups; at++) { /* minimums are nobody else's */
        at->credit = 0;
        for (int64_t cells = plan_private(plan, at->tc); cells > 0; cells--)
            probe_send(probe, at->input, at->tc);
    }
    while (probe_round(probe, share, places, result->groups))
        continue;
    for (const struct place *at = places; at < places + result->groups; at++) {
        int64_t cells = probe_group(probe, at->input, at->tc)->cells;
        int64_t *least = &result->least[at->tc], *most = &result->most[at->tc];
        bool paused = probe_is_paused(probe, at->input, at->tc);
        of_class[at->tc]++;
        result->paused += paused;
        result->lost += !paused;
        *least = *least == PROBE_NEVER || cells < *least ? cells : *least;
        *most = cells > *most ? cells : *most;
    }
    result->agrees = true;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct plan_profile *profile = &plan->profile[PLAN_INGRESS][tc];
        double sum = 0;
        result->formula[tc] = -1;
        if (of_class[tc] == 0 || profile->dynamic_th == SONIC_ABSENT)
            continue;
        for (uint32_t other = 0; other < PLAN_CLASSES; other++) {
            const struct plan_profile *beside = &plan->profile[PLAN_INGRESS][other];
            if (of_class[other] > 0 && beside->pool == profile->pool && beside->dynamic_th != SONIC_ABSENT)
                sum += plan_alpha(plan, PLAN_INGRESS, other) * of_class[other];
        }
        double alpha = plan_alpha(plan, PLAN_INGRESS, tc),
               size = (double)plan_pool_cells(plan, PLAN_INGRESS, profile->pool);
        result->formula[tc] = alpha * size / (1 + sum) + (double)plan_cells_up(plan, profile->minimum);
        result->agrees &= (double)result->least[tc] >= result->formula[tc] - 1 - fmax(1, alpha) &&
                          (double)result->most[tc] <= result->formula[tc] + 1 + fmax(1, alpha);
    }
    for (uint32_t left = plan->lossless; left != 0;
         left &= left - 1) { /* what holds for a group holds for its classes */
        uint32_t tc = (uint32_t)__builtin_ctz(left), first = plan_first(plan, tc);
        result->least[tc] = result->least[first];
        result->most[tc] = result->most[first];
        result->formula[tc] = result->formula[first];
    }
}

/* All groups are paused, the worst moment; now each goes on. */
static void probe_headroom(struct probe *probe, const struct sonic_plan *plan, const struct place *places,
                           struct probe_headroom *result)
{
    bool lost = false;
    for (const struct place *at = places; at < places + result->groups && !lost; at++) {
        int64_t xoff = plan_cells_up(plan, plan->profile[PLAN_INGRESS][at->tc].xoff);
        while (!lost && probe_group(probe, at->input, at->tc)->headroom_cells < xoff)
            lost = !probe_send(probe, at->input, at->tc);
        result->whole += !lost;
    }
    result->cells = weir_view_headroom_used(weir_mmu_ingress_view(probe->mmu));
}

bool probes_make(struct probes *probes, const struct sonic_plan *plan, uint32_t at_once, struct weir_error *error)
{
    struct probe probe;
    uint32_t groups = (uint32_t)__builtin_popcount(plan_groups(plan)), most;
    struct place *places = probe_places(plan, &most);
    *probes = (struct probes){.plan = plan, .classes = PLAN_CLASSES};
    bool good = probe_open(&probe, plan, error) && (places != NULL || weir_fail_memory(error));
    for (uint32_t tc = 0; good && tc < PLAN_CLASSES; tc++) {
        probes->of[tc].tc = tc;
        probe_alone(&probe, plan, &probes->of[tc]);
    }
    if (good && most > 0) {
        at_once = at_once > 0 ? at_once : 2 * groups;
        probes->few.groups = at_once < most ? at_once : most;
        probes->all.groups = probes->headroom.groups = most;
        probes->few.late = PROBE_NEVER;
        probe_fill(&probe, plan, places, &probes->few);
        if (probes->few.groups < most) {
            /* A group that comes late finds what the others have left. */
            const struct place *place = &places[probes->few.groups];
            int64_t sent = 0;
            while (!probe_is_paused(&probe, place->input, place->tc) && probe_send(&probe, place->input, place->tc))
                sent++;
            probes->few.late = sent;
        }
        probe_fill(&probe, plan, places, &probes->all);
        probe_headroom(&probe, plan, places, &probes->headroom);
    }
    free(places);
    free(probe.memory);
    return good;
}

bool probe_mix(struct probe_many *result, const struct sonic_plan *mix, const uint32_t *classes, uint32_t inputs,
               struct weir_error *error)
{
    struct probe probe;
    struct place *places = calloc((size_t)inputs * PLAN_CLASSES + 1, sizeof *places);
    *result = (struct probe_many){.late = PROBE_NEVER};
    bool good = probe_open(&probe, mix, error) && (places != NULL || weir_fail_memory(error));
    for (uint32_t input = 0; good && input < inputs; input++)
        for (uint32_t left = classes[input]; left != 0; left &= left - 1)
            places[result->groups++] = (struct place){.input = input, .tc = (uint32_t)__builtin_ctz(left)};
    if (good && result->groups > 0)
        probe_fill(&probe, mix, places, result);
    free(places);
    free(probe.memory);
    return good;
}

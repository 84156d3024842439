/*
 * scenario.c - see scenario.h. One ingress pool becomes the shared pool of the MMUs, one for each pipe; groups with
 * xoff become lossless classes with a static headroom, or a pool of it; egress profiles of lossy queues become
 * thresholds of DT. Where ports differ, what is largest holds for all, and it is said.
 */
#include "sonic/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 8u
#define METRE_NS 5.0
#define ALPHA_STATIC 7 /* dynamic_th of a queue with a static threshold: as good as none */
#define NOTES_MAX 8u

struct plan {
    const struct sonic_port *ports[SONIC_PORTS_MAX];
    uint32_t count, per_mmu, lossless;                         /* lossless: bits of classes */
    int64_t pipes, cell, shared, headroom_size, headroom_pool; /* bytes; of the whole switch, of one queue, likewise */
    int64_t private[CLASSES], xon_offset;
    int alpha_lossless, alpha[CLASSES]; /* dynamic_th */
    const struct sonic_wred *wred[CLASSES];
    const struct sonic_scheduler *scheduler[CLASSES];
    bool is_shared; /* the headroom is */
    char notes[NOTES_MAX][160];
    uint32_t note_count;
};

static void note(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct plan *plan, const char *format, ...)
{
    va_list arguments;
    if (plan->note_count == NOTES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(plan->notes[plan->note_count++], sizeof plan->notes[0], format, arguments);
    va_end(arguments);
}

static bool find_ports(struct plan *plan, const struct sonic_model *model, uint32_t most, struct weir_error *error)
{
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PORT); i++) {
        const struct sonic_port *port = SONIC_AT(model->config, sonic_port, SONIC_PORT, i);
        if (port->status == SONIC_DOWN || (most > 0 && plan->count == most))
            continue;
        if (model_speed(model, port) == SONIC_ABSENT)
            return weir_fail(error, WEIR_ERROR_INPUT, "the speed of port %.60s is not known (expected PORT, or --rate)",
                             port->name);
        if (model_cable(model, port) < 0)
            return weir_fail(error, WEIR_ERROR_INPUT,
                             "the cable of port %.60s is not known (expected CABLE_LENGTH, or --cable)", port->name);
        plan->ports[plan->count++] = port;
    }
    if (plan->count < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "the configuration has %u ports that are up (expected two or more)",
                         plan->count);
    return true;
}

/* Lossless classes and their headroom: the largest of the groups, which a note tells apart. */
static bool find_groups(struct plan *plan, const struct sonic_model *model, struct weir_error *error)
{
    const struct sonic_group *groups = MODEL_GROUPS(model);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_group *group = &groups[i];
        if (!group->is_paused && model->has_qos)
            continue;
        if (group->source == SONIC_FROM_UNKNOWN)
            return weir_fail(
                error, WEIR_ERROR_INPUT,
                "the headroom of group %u of %.60s is not known (expected pg_profile_lookup.ini by --lookup, "
                "or --platform)",
                group->number, group->port->name);
        if (group->source == SONIC_FROM_NOWHERE || group->xoff == SONIC_ABSENT || group->xoff < 0)
            continue;
        int64_t own = group->size != SONIC_ABSENT ? group->size : 0;
        plan->lossless |= 1u << group->number;
        least = group->xoff < least ? group->xoff : least;
        plan->headroom_size = group->xoff > plan->headroom_size ? group->xoff : plan->headroom_size;
        if (!plan->is_shared)
            own = own > group->xoff ? own - group->xoff : 0;
        plan->private[group->number] = own > plan->private[group->number] ? own : plan->private[group->number];
        if (group->dynamic_th != SONIC_ABSENT && group->dynamic_th >= -8 && group->dynamic_th <= 7)
            plan->alpha_lossless = (int)group->dynamic_th;
        if (group->profile != NULL && group->profile->xon_offset != SONIC_ABSENT && group->profile->xon_offset > 0)
            plan->xon_offset = group->profile->xon_offset;
    }
    if (plan->lossless != 0 && least != plan->headroom_size)
        note(plan, "headroom of groups differs, %" PRId64 " B to %" PRId64 " B: the largest holds for all", least,
             plan->headroom_size);
    return true;
}

/* Egress profiles, WRED and schedulers of the first port that has them. */
static void find_queues(struct plan *plan, const struct sonic_model *model)
{
    const struct sonic_config *config = model->config;
    for (uint32_t i = SONIC_COUNT(config, SONIC_BUFFER_QUEUE); i-- > 0;) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_BUFFER_QUEUE, i);
        const struct sonic_profile *profile = sonic_find_profile(config, use->profile.name);
        for (uint32_t c = use->of.first; profile != NULL && c <= use->of.last && c < CLASSES; c++) {
            if (plan->lossless >> c & 1)
                continue;
            plan->alpha[c] =
                profile->dynamic_th >= -8 && profile->dynamic_th <= 7 ? (int)profile->dynamic_th : ALPHA_STATIC;
            plan->private[c] = profile->size != SONIC_ABSENT && profile->size > 0 ? profile->size : 0;
        }
    }
    for (uint32_t i = SONIC_COUNT(config, SONIC_QUEUE); i-- > 0;) {
        const struct sonic_use *use = SONIC_AT(config, sonic_use, SONIC_QUEUE, i);
        for (uint32_t c = use->of.first; c <= use->of.last && c < CLASSES; c++) {
            const struct sonic_wred *wred = sonic_find(config, SONIC_WRED_PROFILE, use->profile.name);
            const struct sonic_scheduler *scheduler = sonic_find(config, SONIC_SCHEDULER, use->scheduler.name);
            plan->wred[c] = wred != NULL ? wred : plan->wred[c];
            plan->scheduler[c] = scheduler != NULL ? scheduler : plan->scheduler[c];
        }
    }
}

static bool find_plan(struct plan *plan, const struct sonic_model *model, uint32_t most, struct weir_error *error)
{
    const struct sonic_pool *pool = model_lossless_pool(model, SONIC_INGRESS);
    for (uint32_t i = 0; pool == NULL && i < SONIC_COUNT(model->config, SONIC_BUFFER_POOL); i++)
        if (SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, i)->side == SONIC_INGRESS)
            pool = SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, i);
    plan->cell = model->platform.cell;
    plan->pipes = model->platform.pipes != SONIC_ABSENT ? model->platform.pipes : 1;
    plan->is_shared = pool != NULL && pool->xoff != SONIC_ABSENT && pool->xoff > 0;
    if (plan->cell == SONIC_ABSENT)
        return weir_fail(error, WEIR_ERROR_INPUT, "the cell of the chip is not known (expected --platform or --cell)");
    if (!find_ports(plan, model, most, error) || !find_groups(plan, model, error))
        return false;
    if (pool == NULL || ((pool->size == SONIC_ABSENT || pool->size <= 0) && model->platform.mmu == SONIC_ABSENT))
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "the size of the ingress pool is not known (expected it in BUFFER_POOL, or --mmu)");
    find_queues(plan, model);
    plan->shared = pool->size;
    if (pool->size == SONIC_ABSENT || pool->size <= 0) {
        plan->shared = model->platform.mmu - (plan->is_shared ? pool->xoff : 0);
        for (uint32_t c = 0; c < CLASSES; c++)
            plan->shared -=
                (int64_t)plan->count * (plan->private[c] + (plan->lossless >> c & 1 ? plan->headroom_size : 0));
        note(plan, "the pool has no size: it is what headroom and minimums leave of the chip's %" PRId64 " B",
             model->platform.mmu);
    } else if (plan->is_shared && model->platform.xoff == PLATFORM_XOFF_INSIDE) {
        plan->shared -= pool->xoff;
    } else if (plan->is_shared && model->platform.xoff == PLATFORM_XOFF_UNKNOWN) {
        note(plan, "xoff is taken to be outside of size, which nobody knows of this chip (--xoff)");
    }
    plan->headroom_pool = plan->is_shared ? pool->xoff : 0;
    plan->per_mmu = (plan->count + (uint32_t)plan->pipes - 1) / (uint32_t)plan->pipes;
    if (plan->shared / plan->pipes < plan->cell)
        return weir_fail(error, WEIR_ERROR_INPUT, "no buffer is left to share");
    return true;
}

static double alpha_of(int dynamic_th)
{
    return ldexp(1, dynamic_th);
}

/* Whole cells, rounded up. */
static int64_t whole(const struct plan *plan, int64_t bytes)
{
    return (bytes + plan->cell - 1) / plan->cell * plan->cell;
}

static int64_t queues_of_mmu(const struct plan *plan)
{
    return (int64_t)plan->per_mmu * __builtin_popcount(plan->lossless);
}

/* Buffer of one MMU: private minimums, its part of the shared pool, and headroom. */
static int64_t mmu_buffer(const struct plan *plan, int64_t *headroom)
{
    int64_t size = whole(plan, plan->headroom_size), buffer = plan->shared / plan->pipes / plan->cell * plan->cell;
    int64_t all = queues_of_mmu(plan) * size, pool = whole(plan, plan->headroom_pool / plan->pipes);
    *headroom =
        plan->is_shared && pool < all ? pool : all; /* of a pool for more ports than these, the rest lies idle */
    for (uint32_t c = 0; c < CLASSES; c++)
        buffer += plan->per_mmu * whole(plan, plan->private[c]);
    return buffer + (plan->lossless != 0 ? *headroom : 0);
}

static void put_classes(FILE *out, uint32_t mask)
{
    const char *before = "[";
    for (uint32_t c = 0; c < CLASSES; c++)
        if (mask >> c & 1) {
            fprintf(out, "%s%u", before, c);
            before = ", ";
        }
    fputs("]", out);
}

static void put_headroom(FILE *out, const struct plan *plan, int64_t headroom)
{
    if (plan->lossless == 0)
        return;
    int64_t size = whole(plan, plan->headroom_size);
    double ratio = (double)headroom / (double)(queues_of_mmu(plan) * size);
    fputs("  lossless: ", out);
    put_classes(out, plan->lossless);
    fprintf(out, "\n  headroom: {name: %s, alpha: %.10g, delta: %" PRId64 "B",
            plan->is_shared && ratio < 1 ? "oversubscribed" : "sih", alpha_of(plan->alpha_lossless), plan->xon_offset);
    if (plan->is_shared && ratio < 1)
        fprintf(out, ", ratio: %.6f, pool: yes", ratio);
    fprintf(out, "}\n  headroom_size: %" PRId64 "B\n", size);
}

static void put_numbers(FILE *out, const char *key, const int64_t values[CLASSES], const char *unit)
{
    fprintf(out, "%s: [", key);
    for (uint32_t c = 0; c < CLASSES; c++)
        fprintf(out, "%s%" PRId64 "%s", c > 0 ? ", " : "", values[c], unit);
    fputs("]", out);
}

/* True: lossless classes are marked. */
static bool put_ecn(FILE *out, const struct plan *plan)
{
    int64_t low[CLASSES] = {0}, high[CLASSES] = {0}, percent[CLASSES] = {0};
    bool any = false, lossless = plan->lossless != 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct sonic_wred *wred = plan->wred[c];
        bool marks =
            wred != NULL && wred->least[SONIC_GREEN] >= 0 && wred->most[SONIC_GREEN] > wred->least[SONIC_GREEN];
        if (marks) {
            low[c] = wred->least[SONIC_GREEN];
            high[c] = wred->most[SONIC_GREEN];
            percent[c] =
                wred->percent[SONIC_GREEN] >= 0 && wred->percent[SONIC_GREEN] <= 100 ? wred->percent[SONIC_GREEN] : 100;
        }
        any |= marks;
        lossless &= marks || !(plan->lossless >> c & 1);
    }
    if (!any)
        return false;
    fputs("  ecn: {kind: [", out);
    for (uint32_t c = 0; c < CLASSES; c++)
        fprintf(out, "%s%s", c > 0 ? ", " : "", high[c] > 0 ? "red" : "none");
    fputs("],\n        ", out);
    put_numbers(out, "low", low, "B");
    fputs(",\n        ", out);
    put_numbers(out, "high", high, "B");
    fputs(",\n        ", out);
    put_numbers(out, "chance", percent, "%");
    fputs("}\n", out);
    return lossless;
}

static bool is_strict(const struct sonic_scheduler *scheduler)
{
    return scheduler != NULL && scheduler->type != NULL && strcmp(scheduler->type, "STRICT") == 0;
}

static void put_scheduler(FILE *out, const struct plan *plan)
{
    int64_t weights[CLASSES];
    uint32_t strict_from = CLASSES;
    while (strict_from > 0 && is_strict(plan->scheduler[strict_from - 1]))
        strict_from--;
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct sonic_scheduler *scheduler = plan->scheduler[c];
        weights[c] = scheduler != NULL && scheduler->weight >= 1 && scheduler->weight <= 100 ? scheduler->weight : 1;
    }
    if (strict_from < CLASSES)
        fprintf(out, "  scheduler: strict-drr\n  strict_from: %u\n  ", strict_from);
    else
        fputs("  scheduler: drr\n  ", out);
    put_numbers(out, "weights", weights, "");
    fputs("\n", out);
}

/* The name of a port as a comment: what might end the line is not in it. */
static void put_name(FILE *out, const char *name)
{
    for (uint32_t i = 0; name[i] != '\0' && i < 60; i++)
        fputc(name[i] > ' ' && name[i] < 127 ? name[i] : '?', out);
}

static void put_topology(FILE *out, const struct plan *plan, const struct sonic_model *model)
{
    fprintf(out, "topology:\n  kind: explicit\n  hosts: %u\n  switches: 1\n  links:\n", plan->count);
    for (uint32_t i = 0; i < plan->count; i++) {
        fprintf(out, "    - {a: h%u, b: s0, rate: %" PRId64 "Mbps, delay: %.3fns}    # ", i,
                model_speed(model, plan->ports[i]), model_cable(model, plan->ports[i]) * METRE_NS);
        put_name(out, plan->ports[i]->name);
        fputc('\n', out);
    }
}

static void put_switch(FILE *out, const struct plan *plan, bool *marks)
{
    int64_t private[CLASSES], headroom, buffer = mmu_buffer(plan, &headroom);
    for (uint32_t c = 0; c < CLASSES; c++)
    private[c] = whole(plan, plan->private[c]);
    fprintf(out, "switch:\n  classes: %u\n  cell: %" PRId64 "B\n  buffer: %" PRId64 "B\n", CLASSES, plan->cell, buffer);
    if (plan->pipes > 1)
        fprintf(out, "  ports_per_memory: %u\n", plan->per_mmu);
    put_headroom(out, plan, headroom);
    put_numbers(out, "  private", private, "B");
    fputs("\n  policy: {name: dt, alpha: [", out);
    for (uint32_t c = 0; c < CLASSES; c++)
        fprintf(out, "%s%.10g", c > 0 ? ", " : "", alpha_of(plan->alpha[c]));
    fputs("]}\n", out);
    put_scheduler(out, plan);
    *marks = put_ecn(out, plan);
}

static void put_pfc(FILE *out, const struct sonic_model *model)
{
    fputs("pfc:\n  processing: standard\n", out);
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_PFC_WD); i++) {
        const struct sonic_watchdog *watchdog = SONIC_AT(model->config, sonic_watchdog, SONIC_PFC_WD, i);
        if (watchdog->detection_ms < 100 || watchdog->detection_ms > 5000)
            continue;
        bool forward = watchdog->action != NULL && strcmp(watchdog->action, "forward") == 0;
        bool alert = watchdog->action != NULL && strcmp(watchdog->action, "alert") == 0;
        fprintf(out, "  watchdog: {detect: %" PRId64 "ms, restore: %" PRId64 "ms, action: %s}\n",
                watchdog->detection_ms,
                watchdog->restoration_ms >= 100 && watchdog->restoration_ms <= 60000 ? watchdog->restoration_ms : 200,
                forward ? "forward"
                : alert ? "alert"
                        : "drop");
        return;
    }
}

static void put_traffic(FILE *out, const struct plan *plan, const struct sonic_traffic *traffic, bool marks)
{
    uint32_t lossy = ~plan->lossless & 0xff;
    uint32_t low = lossy != 0 ? (uint32_t)__builtin_ctz(lossy) : 0;
    uint32_t high = lossy != 0 ? 31 - (uint32_t)__builtin_clz(lossy) : 7;
    fputs("transports:\n", out);
    if (plan->lossless != 0) {
        fprintf(out, "  rdma: {kind: %s, class: ", marks ? "dcqcn" : "none");
        put_classes(out, plan->lossless);
        fprintf(out, ", ack_class: %u}\n", high);
    }
    fprintf(out, "  tcp: {kind: cubic, class: %u}\n\ntraffic:\n", low);
    fprintf(out,
            "  - {kind: incast, tag: incast, transport: %s, sources: h1-h%u, destination: h0, bytes: %" PRId64 "B}\n"
            "  - {kind: poisson, tag: background, transport: tcp, sizes: websearch, load: 0.2}\n",
            plan->lossless != 0 ? "rdma" : "tcp", plan->count - 1, traffic->incast_bytes);
}

bool sonic_write_scenario(const struct sonic_model *model, const struct sonic_traffic *traffic, FILE *out,
                          struct weir_error *error)
{
    struct plan *plan = calloc(1, sizeof *plan);
    bool marks = false;
    if (plan == NULL)
        return weir_fail_memory(error);
    bool good = find_plan(plan, model, traffic->ports, error);
    if (good) {
        fprintf(out, "# Made of the configuration of a switch: a host at each port, the buffer as it is set.\n"
                     "# Not in it: thresholds of lossy groups, of ports, and of lossless queues at the egress.\n");
        for (uint32_t i = 0; i < plan->note_count; i++)
            fprintf(out, "# Note: %s.\n", plan->notes[i]);
        fprintf(out, "name: switch\nuntil: %" PRId64 "us\n\n", traffic->until_us);
        put_topology(out, plan, model);
        fprintf(out, "\nwire: {mss: %" PRId64 "B, header: 70B}\n\n",
                model->lossless_mtu < 32000 ? model->lossless_mtu : 32000);
        put_switch(out, plan, &marks);
        fputc('\n', out);
        if (plan->lossless != 0) {
            put_pfc(out, model);
            fputc('\n', out);
        }
        put_traffic(out, plan, traffic, marks);
    }
    free(plan);
    return good;
}

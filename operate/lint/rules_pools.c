/*
 * rules_pools.c - rules about the buffer: what pools take of it, and how much of it is headroom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/lint/rules.h"

#define CLOSE_PARTS 33 /* of the buffer, which is known no better than that */
#define RATIO_MAX 4    /* groups for each that fits the shared headroom pool */
#define UNUSED_PARTS                                                                                                   \
    3 /* pools with less than one such part of the buffer are a mistake; shipped ones have 47 % or more */

static int64_t value_or_0(int64_t value)
{
    return value == SONIC_ABSENT || value < 0 ? 0 : value;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Sizes and headroom of all pools of the ingress side. */
struct taken {
    int64_t size, xoff, minimums;
    const struct sonic_pool *largest;
};

static struct taken find_taken(const struct lint *lint)
{
    struct taken taken = {.minimums = model_minimums(lint->model, SONIC_INGRESS)};
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(lint->model->config, sonic_pool, SONIC_BUFFER_POOL, i);
        if (pool->side == SONIC_EGRESS)
            continue;
        taken.size = add(taken.size, value_or_0(pool->size));
        taken.xoff = add(taken.xoff, value_or_0(pool->xoff));
        if (taken.largest == NULL || value_or_0(pool->size) > value_or_0(taken.largest->size))
            taken.largest = pool;
    }
    return taken;
}

/* Whether xoff counts beside size; where nobody knows, both are tried, the smaller one first. */
static bool counts_outside(const struct lint *lint)
{
    return lint->model->platform.xoff == PLATFORM_XOFF_OUTSIDE;
}

static bool is_ambiguous(const struct lint *lint, int64_t xoff)
{
    return lint->model->platform.xoff == PLATFORM_XOFF_UNKNOWN && xoff > 0;
}

static void check_egress_buffer(struct lint *lint)
{
    int64_t mmu = lint->model->platform.mmu;
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(lint->model->config, sonic_pool, SONIC_BUFFER_POOL, i);
        if (pool->side != SONIC_EGRESS || pool->size == SONIC_ABSENT || pool->size <= mmu)
            continue;
        lint_report(lint, &pool->entry, "size",
                    "%" PRId64 " B (%" PRId64 " cells) is more than the buffer, %" PRId64 " B (%" PRId64 " cells)",
                    pool->size, lint_cells(lint, pool->size), mmu, lint_cells(lint, mmu));
        lint_mend_number(lint, &pool->entry, "size", lint_round_down(lint, mmu));
    }
}

void rule_mmu(struct lint *lint)
{
    struct taken taken = find_taken(lint);
    int64_t mmu = lint->model->platform.mmu;
    if (taken.largest == NULL) {
        lint_skip(lint, "an ingress pool in BUFFER_POOL");
        return;
    }
    if (mmu == SONIC_ABSENT) {
        lint_skip(lint, "the buffer of the chip (--mmu)");
        return;
    }
    check_egress_buffer(lint);
    int64_t inside = add(taken.size, taken.minimums), outside = add(inside, taken.xoff);
    bool ambiguous = is_ambiguous(lint, taken.xoff);
    int64_t least = counts_outside(lint) ? outside : inside, most = ambiguous ? outside : least;
    if (most <= mmu)
        return;
    int64_t needed = most - mmu;
    const struct sonic_pool *pool = taken.largest;
    struct lint_finding *finding =
        lint_report(lint, &pool->entry, "size",
                    "ingress pools of %" PRId64 " B (%" PRId64 " cells)%s%" PRId64 " B of xoff (%" PRId64
                    " cells) and minimums of %" PRId64 " B are %" PRId64 " B, %" PRId64 " B (%" PRId64
                    " cells) more than the %" PRId64 " B (%" PRId64 " cells) of the buffer%s",
                    taken.size, lint_cells(lint, taken.size), most == outside ? ", " : " that include ", taken.xoff,
                    lint_cells(lint, taken.xoff), taken.minimums, most, needed, lint_cells(lint, needed), mmu,
                    mmu / (lint->model->platform.cell != SONIC_ABSENT ? lint->model->platform.cell : 1),
                    !ambiguous     ? ""
                    : least <= mmu ? ", if xoff is outside of size; inside, it fits (--xoff says which)"
                                   : ", if xoff is outside of size; inside, it does not fit either");
    if (finding != NULL && (least <= mmu || least - mmu < mmu / CLOSE_PARTS))
        finding->severity = LINT_WARNING;
    int64_t size = lint_round_down(lint, value_or_0(pool->size) - needed);
    if (needed < value_or_0(pool->size) && size > 0)
        lint_mend_number(lint, &pool->entry, "size", size);
    else
        lint_advise(lint, "lower the xoff of the pool and the sizes of profiles");
}

/* Of the buffer, what ingress pools take in all; SONIC_ABSENT: some size is computed or not known. */
static int64_t find_all_taken(const struct lint *lint, struct taken *taken)
{
    const struct sonic_config *config = lint->model->config;
    *taken = find_taken(lint);
    if (taken->largest == NULL || lint->model->platform.mmu == SONIC_ABSENT)
        return SONIC_ABSENT; /* mmu-overcommit says so */
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(config, sonic_pool, SONIC_BUFFER_POOL, i);
        if (pool->side != SONIC_EGRESS && pool->size == SONIC_ABSENT)
            return SONIC_ABSENT;
    }
    int64_t all = add(taken->size, taken->minimums);
    return lint->model->platform.xoff == PLATFORM_XOFF_INSIDE ? all : add(all, taken->xoff);
}

bool rules_is_unused(const struct lint *lint)
{
    struct taken taken;
    int64_t all = find_all_taken(lint, &taken);
    return all != SONIC_ABSENT && all < lint->model->platform.mmu / UNUSED_PARTS;
}

void rule_unused(struct lint *lint)
{
    struct taken taken;
    int64_t all = find_all_taken(lint, &taken), mmu = lint->model->platform.mmu;
    if (!rules_is_unused(lint))
        return;
    lint_report(lint, &taken.largest->entry, "size",
                "ingress pools of %" PRId64 " B, with xoff and minimums %" PRId64 " B, are %" PRId64
                " %% of the buffer, %" PRId64 " B: groups pause and drop while the rest is empty",
                taken.size, all, all * 100 / mmu, mmu);
    lint_advise(lint, "give the pool what the vendor has for the chip, at most %" PRId64 " B more",
                lint_round_down(lint, mmu - all));
}

void rule_egress(struct lint *lint)
{
    const struct sonic_pool *in = model_lossless_pool(lint->model, SONIC_INGRESS);
    const struct sonic_pool *out = model_lossless_pool(lint->model, SONIC_EGRESS);
    if (in == NULL || out == NULL || in == out || out->size == 0 ||
        lint->model->platform.egress_shared == PLATFORM_EGRESS_INGRESS || in->size == SONIC_ABSENT ||
        out->size == SONIC_ABSENT)
        return;
    int64_t xoff = value_or_0(in->xoff), size = value_or_0(in->size);
    bool ambiguous = is_ambiguous(lint, xoff);
    int64_t least = counts_outside(lint) ? add(size, xoff) : size, most = ambiguous ? add(size, xoff) : least;
    int64_t mmu = lint->model->platform.mmu;
    /* The whole buffer is enough whatever xoff means. */
    if (most <= out->size || (mmu != SONIC_ABSENT && out->size >= lint_round_down(lint, mmu)))
        return;
    if (least <= out->size) {
        struct lint_finding *finding = lint_report(
            lint, &out->entry, "size",
            "%" PRId64 " B hold what %.80s lets in, %" PRId64 " B, if its xoff of %" PRId64
            " B is inside of its size; outside, it is %" PRId64 " B, %" PRId64 " B more (--xoff says which)",
            out->size, in->entry.key, least, xoff, most, most - out->size);
        if (finding != NULL)
            finding->severity = LINT_NOTE;
        lint_advise(lint, "find out what xoff means on this chip");
        return;
    }
    lint_report(lint, &out->entry, "size",
                "%" PRId64 " B (%" PRId64 " cells) are %" PRId64 " B (%" PRId64
                " cells) less than %.80s lets in, %" PRId64 " B%s",
                out->size, lint_cells(lint, out->size), least - out->size, lint_cells(lint, least - out->size),
                in->entry.key, least, counts_outside(lint) ? " with its xoff" : "");
    int64_t wanted = lint_round_up(lint, least);
    if (mmu != SONIC_ABSENT && wanted > mmu) {
        lint_advise(lint, "lower the ingress pool: the buffer has no %" PRId64 " B", wanted);
        return;
    }
    lint_mend_number(lint, &out->entry, "size", wanted);
    for (uint32_t i = 0; i < SONIC_COUNT(lint->model->config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(lint->model->config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        if (sonic_find_pool(lint->model->config, profile->pool.name) == out && profile->static_th == out->size)
            lint_mend_number(lint, &profile->entry, "static_th", wanted);
    }
}

static int larger_first(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;
    return (one < two) - (one > two);
}

bool rules_shared_headroom(const struct sonic_model *model, const struct sonic_pool *pool, struct rules_shared *shared)
{
    const struct sonic_group *groups = MODEL_GROUPS(model);
    int64_t *needs = malloc((model->groups.count + 1) * sizeof *needs), cell = value_or_0(model->platform.cell);
    int64_t pipes = model->platform.pipes != SONIC_ABSENT ? model->platform.pipes : 1;
    int64_t left = model_headroom_pool(model, pool) / pipes;
    uint32_t ports = 0, of_port = 0, most = 0;
    *shared = (struct rules_shared){.pipe = left};
    left = cell > 0 ? left / cell * cell : left;
    for (uint32_t i = 0; needs != NULL && i < model->groups.count; i++) {
        if (groups[i].pool != pool || value_or_0(groups[i].xoff) == 0 || groups[i].port->status == SONIC_DOWN)
            continue;
        of_port = ports > 0 && groups[i].port == groups[i - 1].port ? of_port + 1 : 1;
        ports += of_port == 1;
        most = of_port > most ? of_port : most;
        needs[shared->groups++] = groups[i].xoff;
    }
    if (needs == NULL)
        return false;
    uint32_t of_pipe = (ports + (uint32_t)pipes - 1) / (uint32_t)pipes * most; /* ports are in blocks, as in plans */
    shared->of_port = most;
    shared->of_pipe = of_pipe < shared->groups ? of_pipe : shared->groups;
    qsort(needs, shared->groups, sizeof *needs, larger_first);
    for (uint32_t i = 0; i < shared->groups; i++) {
        shared->sum = add(shared->sum, needs[i]);
        int64_t whole = cell > 0 && needs[i] < INT64_MAX - cell ? (needs[i] + cell - 1) / cell * cell : needs[i];
        if (i < shared->of_pipe && shared->at_once == i && whole <= left) {
            left -= whole;
            shared->at_once++;
        }
    }
    shared->largest = shared->groups > 0 ? needs[0] : 0;
    free(needs);
    return true;
}

void rule_oversubscribed(struct lint *lint)
{
    const struct sonic_model *model = lint->model;
    const struct sonic_pool *pool = model_lossless_pool(model, SONIC_INGRESS);
    struct rules_shared shared;
    for (uint32_t i = 0; i < SONIC_COUNT(model->config, SONIC_LOSSLESS_PARAMETER); i++) {
        const struct sonic_parameter *parameter = SONIC_AT(model->config, sonic_parameter, SONIC_LOSSLESS_PARAMETER, i);
        if (parameter->over_subscribe > RATIO_MAX && (pool == NULL || value_or_0(pool->xoff) == 0)) {
            lint_report(lint, &parameter->entry, "over_subscribe_ratio",
                        "one group in %" PRId64 " finds its headroom, if all are paused at once",
                        parameter->over_subscribe);
            lint_mend_number(lint, &parameter->entry, "over_subscribe_ratio", RATIO_MAX);
        }
    }
    if (pool == NULL || value_or_0(pool->xoff) == 0)
        return;
    if (!rules_shared_headroom(model, pool, &shared)) {
        lint->is_short = true;
        return;
    }
    if (shared.groups == 0) {
        /* Why no group has headroom that is known. */
        const struct sonic_group *groups = MODEL_GROUPS(lint->model);
        if (lint->model->groups.count == 0 && !lint->model->has_qos)
            lint_skip(lint, RULES_NEEDS_QOS);
        for (uint32_t i = 0; i < lint->model->groups.count; i++)
            if (groups[i].source == SONIC_FROM_UNKNOWN)
                lint_skip(lint, model_missing(lint->model, &groups[i]));
        return;
    }
    int64_t pipes = model->platform.pipes != SONIC_ABSENT ? model->platform.pipes : 1;
    int64_t largest = shared.largest < INT64_MAX / 64 ? lint_round_up(lint, shared.largest) * pipes : INT64_MAX / 2;
    int64_t wanted = shared.sum / RATIO_MAX > largest ? shared.sum / RATIO_MAX : largest;
    if (pool->xoff >= shared.sum / RATIO_MAX && shared.at_once > 0)
        return;
    char of_pipe[96] = "";
    if (pipes > 1)
        snprintf(of_pipe, sizeof of_pipe, ", %" PRId64 " B in each of %" PRId64 " pipes,", shared.pipe, pipes);
    struct lint_finding *finding =
        lint_report(lint, &pool->entry, "xoff",
                    "%" PRId64 " B%s are the headroom of %u of %u lossless groups%s at once, which need %" PRId64
                    " B together, the largest %" PRId64 " B: enough while at most %u ports pause their peers",
                    pool->xoff, of_pipe, shared.at_once, shared.of_pipe, pipes > 1 ? " of a pipe" : "",
                    pipes > 1 ? shared.sum / pipes : shared.sum, shared.largest,
                    shared.of_port > 0 ? shared.at_once / shared.of_port : 0);
    /* Two ports that are held at once are usual: a last hop and its fabric. */
    if (finding != NULL)
        finding->severity = shared.at_once == 0                   ? LINT_ERROR
                            : shared.at_once < 2 * shared.of_port ? LINT_WARNING
                                                                  : LINT_NOTE;
    wanted = lint_round_up(lint, wanted / pipes + (wanted % pipes != 0)) * pipes;
    int64_t size = value_or_0(pool->size) - (wanted - pool->xoff);
    bool is_beyond = model->platform.mmu != SONIC_ABSENT && wanted >= model->platform.mmu;
    if (is_beyond || (size <= 0 && pool->size != SONIC_ABSENT)) {
        lint_advise(lint, "the %s is too small for the headroom of its groups: shorter cables, or fewer of them",
                    is_beyond ? "buffer" : "pool");
        return;
    }
    lint_mend_number(lint, &pool->entry, "xoff", wanted);
    if (pool->size != SONIC_ABSENT && model->platform.xoff != PLATFORM_XOFF_INSIDE)
        lint_mend_number(lint, &pool->entry, "size", lint_round_down(lint, size));
}

/* Fields of an entry that are no whole cells, in one finding. */
struct rounding {
    const char *field;
    int64_t value;
    bool is_down; /* a limit: the chip gives no more */
};

static void check_rounding(struct lint *lint, const struct sonic_entry *entry, const struct rounding *fields,
                           uint32_t count)
{
    char text[WEIR_MESSAGE_MAX] = "";
    uint32_t found[8], wrong = 0;
    int64_t cell = lint->model->platform.cell;
    for (uint32_t i = 0; i < count; i++)
        if (value_or_0(fields[i].value) % cell != 0)
            found[wrong++] = i;
    if (wrong == 0)
        return;
    for (uint32_t i = 0; i < wrong; i++) {
        const struct rounding *field = &fields[found[i]];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %" PRId64 " is %.2f cells of %" PRId64 " B", i > 0 ? "; " : "",
                 field->field, field->value, (double)field->value / (double)cell, cell);
    }
    lint_report(lint, entry, fields[found[0]].field, "%s", text);
    for (uint32_t i = 0; i < wrong; i++) {
        const struct rounding *field = &fields[found[i]];
        lint_mend_number(lint, entry, field->field,
                         field->is_down ? lint_round_down(lint, field->value) : lint_round_up(lint, field->value));
    }
}

void rule_rounding(struct lint *lint)
{
    const struct sonic_config *config = lint->model->config;
    if (lint->model->platform.cell == SONIC_ABSENT) {
        lint_skip(lint, "the cell of the chip (--cell)");
        return;
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_POOL); i++) {
        const struct sonic_pool *pool = SONIC_AT(config, sonic_pool, SONIC_BUFFER_POOL, i);
        const struct rounding fields[] = {{"size", pool->size, true}, {"xoff", pool->xoff, true}};
        check_rounding(lint, &pool->entry, fields, 2);
    }
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_BUFFER_PROFILE); i++) {
        const struct sonic_profile *profile = SONIC_AT(config, sonic_profile, SONIC_BUFFER_PROFILE, i);
        const struct rounding fields[] = {{"size", profile->size, false},
                                          {"xon", profile->xon, false},
                                          {"xoff", profile->xoff, false},
                                          {"xon_offset", profile->xon_offset, false},
                                          {"static_th", profile->static_th, true}};
        check_rounding(lint, &profile->entry, fields, 5);
    }
}

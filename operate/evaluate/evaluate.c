/*
 * evaluate.c - see evaluate.h: kinds of ports, their probes, the verdict, and all results as named numbers.
 */
#include "operate/evaluate/evaluate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static void reason(struct evaluation *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void reason(struct evaluation *e, const char *format, ...)
{
    va_list arguments;
    if (e->reason_count == EVALUATE_REASONS)
        return;
    va_start(arguments, format);
    vsnprintf(e->reasons[e->reason_count++], sizeof e->reasons[0], format, arguments);
    va_end(arguments);
}

static bool add(struct evaluation *e, double value, const char *unit, bool more_is_better, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool add(struct evaluation *e, double value, const char *unit, bool more_is_better, const char *format, ...)
{
    va_list arguments;
    struct evaluate_number *number = sonic_list_add(&e->numbers, sizeof *number);
    if (number == NULL)
        return false;
    va_start(arguments, format);
    vsnprintf(number->name, sizeof number->name, format, arguments);
    va_end(arguments);
    sonic_clean_text(number->name);
    number->value = value;
    number->unit = unit;
    number->more_is_better = more_is_better;
    return true;
}

/* Cells that the cable holds, both ways, while a pause goes out; 0: not known. */
static int64_t in_flight_cells(const struct evaluation *e, const struct evaluate_kind *kind)
{
    struct formula_link link;
    if (!model_link(e->model, kind->port, &link))
        return 0;
    struct formula_result result =
        formula_headroom(&e->model->platform, &link, (enum sonic_formula)e->model->given.formula);
    return plan_cells_down(&kind->plan, (int64_t)result.bytes[FORMULA_CABLE]);
}

/* Packets that are lost although they can be paused come first. */
static void judge_kind(struct evaluation *e, const struct evaluate_kind *kind)
{
    const struct probes *probes = &kind->probes;
    const char *name = kind->port->name;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct probe_class *class = &probes->of[tc];
        const struct plan_profile *group = &kind->plan.profile[PLAN_INGRESS][tc];
        struct plan_wred wred = plan_wred_of(&kind->plan, tc);
        if (class->is_lossless && plan_first(&kind->plan, tc) != tc &&
            class->drop == probes->of[plan_first(&kind->plan, tc)].drop)
            continue; /* the group was judged */
        bool is_early = class->xoff == PROBE_NEVER || (class->drop != PROBE_NEVER && class->drop <= class->xoff);
        int64_t flight = in_flight_cells(e, kind);
        if (class->is_lossless && is_early && wred.is_set && wred.drops && !wred.marks &&
            class->drop > plan_cells_down(&kind->plan, wred.low))
            reason(e, "group %u of %.40s loses packet %" PRId64 " before it pauses: WRED profile %.60s drops it",
                   group->number, name, class->drop, kind->plan.wred[tc]->entry.key);
        else if (class->is_lossless && is_early)
            reason(e, "group %u of %.40s drops packet %" PRId64 " before it pauses: its queue or the memory ends first",
                   kind->plan.profile[PLAN_INGRESS][tc].number, name, class->drop);
        else if (class->is_lossless && group->xoff == 0)
            reason(e, "group %u of %.40s has no headroom: what comes after its pause is lost", group->number, name);
        else if (class->is_lossless && class->headroom < flight)
            reason(e,
                   "group %u of %.40s has %" PRId64 " cells of headroom, and its cable alone holds %" PRId64
                   " cells that come after its pause",
                   group->number, name, class->headroom, flight);
        else if (class->is_lossless &&
                 class->headroom < plan_cells_up(&kind->plan, kind->plan.profile[PLAN_INGRESS][tc].xoff))
            reason(e, "group %u of %.40s, alone, gets %" PRId64 " of its %" PRId64 " cells of headroom",
                   kind->plan.profile[PLAN_INGRESS][tc].number, name, class->headroom,
                   plan_cells_up(&kind->plan, kind->plan.profile[PLAN_INGRESS][tc].xoff));
    }
    const struct sonic_group *groups = MODEL_GROUPS(e->model);
    for (uint32_t i = 0; i < e->model->groups.count; i++)
        if (groups[i].port == kind->port && groups[i].is_paused && groups[i].source == SONIC_FROM_NOWHERE &&
            model_is_guarded(e->model, &groups[i]))
            reason(e, "PFC pauses group %u of %.40s, which has no headroom and drops as a lossy one", groups[i].number,
                   name);
    if (probes->all.lost > 0)
        reason(e, "%" PRIu64 " of %u groups like those of %.40s lose packets unpaused when all fill at once",
               probes->all.lost, probes->all.groups, name);
    e->losses = e->reason_count;
}

static bool add_kind(struct evaluation *e, const struct evaluate_kind *kind)
{
    const char *name = kind->port->name;
    bool good = true;
    for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++) {
        const struct probe_class *class = &kind->probes.of[tc];
        good &= add(e, (double)class->drop, "cells", true, "%.60s class %u: first drop", name, tc);
        if (!class->is_lossless)
            continue;
        good &=
            add(e, (double)class->xoff, "cells", true, "%.60s class %u: XOFF alone", name, tc) &&
            add(e, (double)class->xon, "cells", true, "%.60s class %u: XON", name, tc) &&
            add(e, (double)class->headroom, "cells", true, "%.60s class %u: headroom", name, tc) &&
            add(e, (double)kind->probes.few.least[tc], "cells", true, "%.60s class %u: XOFF of %u groups", name, tc,
                kind->probes.few.groups) &&
            add(e, (double)kind->probes.all.least[tc], "cells", true, "%.60s class %u: XOFF of all groups", name, tc);
    }
    if (kind->probes.few.groups > 0 && kind->probes.few.late != PROBE_NEVER)
        good &= add(e, (double)kind->probes.few.late, "cells", true, "%.60s: XOFF of a late group, after %u", name,
                    kind->probes.few.groups);
    return good && add(e, kind->probes.headroom.whole, "", true, "%.60s: groups in headroom at once", name);
}

static bool add_mix(struct evaluation *e)
{
    const struct evaluate_mix *mix = &e->mix;
    bool good = true;
    for (uint32_t i = 0; mix->many.groups > 0 && i < mix->kinds; i++)
        for (uint32_t tc = 0; tc < PLAN_CLASSES; tc++)
            if (mix->of[i][tc] < PLAN_CLASSES && mix->many.least[mix->of[i][tc]] != PROBE_NEVER)
                good &= add(e, (double)mix->many.least[mix->of[i][tc]], "cells", true,
                            "%.60s class %u: XOFF of all groups of all kinds", e->kind[mix->kind[i]].port->name, tc);
    return good;
}

static bool add_run(struct evaluation *e)
{
    const struct evaluate_run *run = &e->run;
    bool good = add(e, (double)run->lossless_lost, "packets", false, "traffic: lossless packets lost") &&
                add(e, (double)run->lossy_lost, "packets", false, "traffic: lossy packets lost");
    for (uint32_t i = 0; good && i < run->tags; i++)
        good = add(e, run->tag[i].mean_us, "us", false, "%s: mean completion", run->tag[i].name) &&
               add(e, run->tag[i].p99_us, "us", false, "%s: p99 completion", run->tag[i].name) &&
               add(e, (double)run->tag[i].unfinished, "", false, "%s: unfinished", run->tag[i].name);
    for (uint32_t tc = 0; good && tc < PLAN_CLASSES; tc++)
        if (run->lossless >> tc & 1)
            good = add(e, (double)run->of[tc].pauses, "", false, "class %u: pauses", tc) &&
                   add(e, run->of[tc].held_us, "us", false, "class %u: peers held", tc) &&
                   add(e, (double)run->of[plan_first(&e->kind[0].plan, tc)].headroom_watermark, "B", false,
                       "class %u: headroom watermark", tc);
    return good;
}

/* The classes of each input of the pipe in which most kinds of ports are; how many kinds. */
static uint32_t mix_inputs(const struct evaluation *e, uint32_t *classes)
{
    const struct evaluate_mix *mix = &e->mix;
    const struct sonic_plan *plan = &e->kind[0].plan;
    const struct sonic_port *first[EVALUATE_KINDS];
    uint32_t most = 0, best = 0;
    uint32_t *of_port = calloc(plan->count, sizeof *of_port);
    for (uint32_t i = 0; i < mix->kinds; i++)
        first[i] = e->kind[mix->kind[i]].port;
    for (uint32_t begin = 0; of_port != NULL && begin < plan->count; begin += plan->per_pipe) {
        uint32_t seen = 0;
        for (uint32_t i = begin; i < plan->count && i < begin + plan->per_pipe; i++) {
            of_port[i] = plan_kind_of(e->model, plan->ports[i], first, mix->kinds);
            seen |= of_port[i] < mix->kinds ? 1u << of_port[i] : 0;
        }
        if ((uint32_t)__builtin_popcount(seen) > most) {
            most = (uint32_t)__builtin_popcount(seen);
            best = begin;
        }
    }
    for (uint32_t i = best; of_port != NULL && i < plan->count && i < best + plan->per_pipe; i++)
        for (uint32_t tc = 0; of_port[i] < mix->kinds && tc < PLAN_CLASSES; tc++)
            classes[i - best] |= mix->of[of_port[i]][tc] < PLAN_CLASSES ? 1u << mix->of[of_port[i]][tc] : 0;
    free(of_port);
    return most;
}

/* Kinds of ports that have lossless groups, all at once. */
static int probe_kinds(struct evaluation *e)
{
    struct evaluate_mix *mix = &e->mix;
    const struct sonic_plan *plans[EVALUATE_KINDS];
    uint32_t ports[EVALUATE_KINDS], found = 0;
    struct sonic_plan plan;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    for (uint32_t i = 0; i < e->kinds; i++) {
        if (e->kind[i].plan.lossless == 0)
            continue;
        plans[found] = &e->kind[i].plan;
        ports[found] = e->kind[i].ports;
        mix->kind[found++] = i;
    }
    if (found < 2)
        return CLI_OK;
    mix->kinds = plan_mix(&plan, plans, ports, found, mix->of);
    mix->left_out = found - mix->kinds;
    uint32_t *classes = calloc(plan.per_pipe, sizeof *classes);
    bool good = classes != NULL || weir_fail_memory(&error);
    if (good && mix_inputs(e, classes) > 1)
        good = probe_mix(&mix->many, &plan, classes, plan.per_pipe, &error);
    free(classes);
    return good ? CLI_OK : cli_report(&error);
}

static int lint(struct evaluation *e)
{
    struct lint found = {.model = NULL};
    bool good = lint_run(&found, e->model);
    e->lint_errors = lint_count(&found, LINT_ERROR);
    e->lint_warnings = lint_count(&found, LINT_WARNING);
    lint_free(&found);
    return good ? CLI_OK : cli_error_memory();
}

int evaluation_make(struct evaluation *e, struct sonic_model *model, const struct evaluate_wish *wish)
{
    const struct sonic_port *first[EVALUATE_KINDS];
    uint32_t ports[EVALUATE_KINDS];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *e = (struct evaluation){.model = model, .at_once = wish->at_once};
    int code = lint(e);
    uint32_t kinds = plan_kinds(model, first, ports, EVALUATE_KINDS);
    if (code == CLI_OK && kinds == 0)
        code = cli_error(CLI_INPUT, "the configuration has no port that is up (expected two or more)");
    for (uint32_t i = 0; code == CLI_OK && i < kinds; i++) {
        struct evaluate_kind *kind = &e->kind[e->kinds++];
        kind->port = first[i];
        kind->ports = ports[i];
        if (!sonic_plan_make(&kind->plan, model, first[i], 0, &error) ||
            !probes_make(&kind->probes, &kind->plan, wish->at_once, &error))
            code = cli_report(&error);
    }
    if (code == CLI_OK) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < kinds; i++)
            seen += ports[i];
        e->unseen = e->kind[0].plan.count - seen;
        code = probe_kinds(e);
    }
    if (code == CLI_OK && wish->traffic.kind != SONIC_TRAFFIC_NONE)
        code = evaluate_traffic(&e->run, model, wish);
    if (code != CLI_OK)
        return code;
    bool good = true;
    for (uint32_t i = 0; good && i < e->kinds; i++)
        good = add_kind(e, &e->kind[i]);
    good = good && add_mix(e);
    if (!good || (e->run.is_made && !add_run(e)))
        return cli_error_memory();
    /* Lossless groups whose headroom is less than SONiC's formula has for their link. */
    const struct sonic_group *groups = MODEL_GROUPS(model);
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->groups.count; i++) {
        int64_t needed = model_needed_xoff(model, groups[i].port);
        bool is_known = needed != SONIC_ABSENT && groups[i].source != SONIC_FROM_UNKNOWN;
        int64_t xoff = groups[i].xoff != SONIC_ABSENT ? groups[i].xoff : 0;
        count += is_known && model_is_guarded(model, &groups[i]) && xoff < needed;
    }
    e->short_groups = count;
    for (uint32_t i = 0; i < e->kinds; i++)
        judge_kind(e, &e->kind[i]);
    if (e->mix.many.lost > 0)
        reason(e, "%" PRIu64 " of %u groups of all kinds of ports lose packets unpaused when all fill at once",
               e->mix.many.lost, e->mix.many.groups);
    if (e->run.lossless_lost > 0)
        reason(e, "the traffic lost %" PRIu64 " packets of lossless classes", e->run.lossless_lost);
    e->losses = e->reason_count;
    for (uint32_t i = 0; i < e->kinds; i++) {
        const struct probes *probes = &e->kind[i].probes;
        if (probes->headroom.groups > 0 && probes->headroom.whole < probes->headroom.groups)
            reason(e, "headroom holds %u of %u groups like those of %.40s at once", probes->headroom.whole,
                   probes->headroom.groups, e->kind[i].port->name);
    }
    if (e->unseen > 0)
        reason(e, "%u ports were not tried: there are more than %u kinds of ports", e->unseen, EVALUATE_KINDS);
    if (e->lint_errors > 0)
        reason(e, "weir lint has %u errors and %u warnings", e->lint_errors, e->lint_warnings);
    return CLI_OK;
}

void evaluation_free(struct evaluation *e)
{
    for (uint32_t i = 0; i < e->kinds; i++)
        sonic_plan_free(&e->kind[i].plan);
    free(e->numbers.at);
    e->numbers = (struct sonic_list){.at = NULL};
}

const struct evaluate_number *evaluation_find(const struct evaluation *e, const char *name)
{
    for (uint32_t i = 0; i < e->numbers.count; i++)
        if (strcmp(EVALUATION_NUMBERS(e)[i].name, name) == 0)
            return &EVALUATION_NUMBERS(e)[i];
    return NULL;
}

const char *evaluation_taken(const struct evaluation *e, uint32_t number)
{
    for (uint32_t k = 0; k < e->kinds; k++)
        for (uint32_t i = 0; i < e->kind[k].plan.note_count; i++) {
            const char *text = e->kind[k].plan.notes[i];
            bool seen = false;
            for (uint32_t other = 0; other < k && !seen; other++)
                for (uint32_t j = 0; j < e->kind[other].plan.note_count && !seen; j++)
                    seen = strcmp(e->kind[other].plan.notes[j], text) == 0;
            if (!seen && number-- == 0)
                return text;
        }
    return NULL;
}

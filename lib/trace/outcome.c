/*
 * outcome.c - the three sources of an outcome, and its text: see outcome.h.
 */
#include "lib/trace/outcome.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weir/random.h"

#define LOST_SHOWN 4u /* of a long list of lost packets, what a line shows */

/* Not the whole struct: its list is long, and its unused part never looked at. */
static void outcome_clear(struct replay_outcome *outcome)
{
    memset(outcome, 0, offsetof(struct replay_outcome, lost));
}

static void outcome_add_lost(struct replay_outcome *outcome, struct weir_naive_lost lost)
{
    if (outcome->lost_count < WEIR_TRACE_LOST_MAX)
        outcome->lost[outcome->lost_count++] = lost;
}

void outcome_from_record(struct replay_outcome *outcome, const struct weir_record *record)
{
    outcome_clear(outcome);
    outcome->accepted = record->kind == WEIR_REC_CHANGE || (record->kind == WEIR_REC_ARRIVE && record->accepted);
    if (record->kind == WEIR_REC_ARRIVE) {
        outcome->marked = record->accepted && record->marked;
        outcome->reason = record->accepted ? WEIR_REASON_NONE : record->reason;
    } else if (record->kind == WEIR_REC_DEPART && record->departed) {
        outcome->departed = true;
        outcome->account = record->account;
        outcome->index = record->index;
    } else if (record->kind == WEIR_REC_HASH || record->kind == WEIR_REC_END) {
        outcome->hash = record->hash;
    }
    for (uint32_t i = 0; i < record->lost_count; i++)
        outcome_add_lost(
            outcome, (struct weir_naive_lost){record->lost[i].index, record->lost[i].account, record->lost[i].cause});
}

static uint64_t outcome_add_pause(uint64_t hash, uint32_t mask, bool port_level)
{
    return weir_hash(hash, (uint64_t)mask << 1 | port_level);
}

static const struct weir_effects *outcome_call_core(struct weir_mmu *mmu, const struct weir_record *record,
                                                    uint64_t arrival)
{
    struct weir_packet packet = record->packet;
    packet.handle = arrival;
    switch (record->kind) {
    case WEIR_REC_ARRIVE:
        return weir_mmu_arrive(mmu, &packet, record->now);
    case WEIR_REC_DEPART:
        return weir_mmu_depart(mmu, record->port, record->now);
    case WEIR_REC_EXPEL:
        return weir_mmu_offer_expel(mmu, record->now);
    case WEIR_REC_PAUSE:
        return weir_mmu_pause_received(mmu, record->port, record->class_mask, record->until, record->now);
    case WEIR_REC_FLUSH:
        return weir_mmu_flush_classes(mmu, record->port, record->class_mask, record->now);
    case WEIR_REC_ADVANCE:
        return weir_mmu_advance(mmu, record->now);
    default:
        return NULL;
    }
}

void outcome_from_core(struct replay_outcome *outcome, struct weir_mmu *mmu, const struct weir_record *record,
                       uint64_t arrival)
{
    outcome_clear(outcome);
    if (record->kind == WEIR_REC_CHANGE)
        outcome->accepted = weir_mmu_change(mmu, record->ingress, &record->values, record->now) != NULL;
    if (record->kind == WEIR_REC_HASH || record->kind == WEIR_REC_END)
        outcome->hash = weir_mmu_hash(mmu);
    const struct weir_effects *effects = outcome_call_core(mmu, record, arrival);
    const struct weir_view *view = weir_mmu_ingress_view(mmu);
    uint64_t hash = 0;
    for (uint32_t i = 0; view != NULL && i < view->geometry.ports; i++)
        hash = outcome_add_pause(hash, weir_view_port(view, (weir_port){i})->paused_mask,
                                 weir_view_port(view, (weir_port){i})->paused);
    outcome->pauses = hash;
    if (effects == NULL)
        return;
    if (record->kind == WEIR_REC_ARRIVE) {
        outcome->accepted = effects->accepted;
        outcome->marked = effects->marked;
        outcome->reason = effects->reason;
    } else if (effects->departed) {
        outcome->departed = true;
        outcome->account = effects->account;
        outcome->index = (uint32_t)effects->handle;
    }
    for (uint32_t i = 0; i < effects->lost_count; i++)
        outcome_add_lost(outcome, (struct weir_naive_lost){(uint32_t)effects->lost[i].handle, effects->lost[i].account,
                                                           effects->lost[i].cause});
}

static void outcome_take_naive(struct replay_outcome *outcome, const struct weir_naive_result *result)
{
    for (uint32_t i = 0; i < result->lost_count; i++)
        outcome_add_lost(outcome, result->lost[i]);
}

/* The heads that were dropped on the way out, in order, and then the packet that left, if one did. */
static void outcome_naive_depart(struct replay_outcome *outcome, struct weir_naive *naive,
                                 const struct weir_record *record)
{
    struct weir_naive_result result;
    for (uint32_t i = 0; i < record->lost_count && !outcome->departed; i++) {
        result = weir_naive_leave(naive, record->lost[i].account, record->now);
        outcome_take_naive(outcome, &result);
        outcome->departed = result.sent;
        outcome->account = record->lost[i].account;
    }
    if (!record->departed) {
        weir_naive_idle(naive, record->port, record->now);
    } else if (!outcome->departed) {
        result = weir_naive_leave(naive, record->account, record->now);
        outcome_take_naive(outcome, &result);
        outcome->departed = result.sent;
        outcome->account = record->account;
    }
    outcome->index = outcome->departed ? result.index : 0;
    if (!outcome->departed)
        outcome->account = (weir_account){0};
}

void outcome_from_naive(struct replay_outcome *outcome, struct weir_naive *naive, const struct weir_record *record)
{
    struct weir_naive_result result = {.lost_count = 0};
    outcome_clear(outcome);
    if (record->kind == WEIR_REC_ARRIVE) {
        result = weir_naive_arrive(naive, &record->packet, record->now);
        outcome->accepted = result.accepted;
        outcome->marked = result.accepted && record->marked; /* marks are not its business */
        outcome->reason = result.accepted ? WEIR_REASON_NONE : result.reason;
    } else if (record->kind == WEIR_REC_DEPART) {
        outcome_naive_depart(outcome, naive, record);
    } else if (record->kind == WEIR_REC_EXPEL) {
        result = weir_naive_offer_expel(naive, record->now);
    } else if (record->kind == WEIR_REC_FLUSH) {
        result = weir_naive_flush_classes(naive, record->port, record->class_mask, record->now);
    } else if (record->kind == WEIR_REC_CHANGE) {
        if (record->ingress)
            weir_naive_change_ingress(naive, &record->values, record->now);
        else
            weir_naive_change(naive, &record->values, record->now);
        outcome->accepted = true;
    } else if (record->kind == WEIR_REC_HASH || record->kind == WEIR_REC_END) {
        outcome->hash = weir_naive_hash(naive);
    }
    uint64_t hash = 0;
    for (uint32_t i = 0; i < weir_naive_inputs(naive); i++) {
        bool port_level;
        uint32_t mask = weir_naive_paused(naive, (weir_port){i}, &port_level);
        hash = outcome_add_pause(hash, mask, port_level);
    }
    outcome->pauses = hash;
    outcome_take_naive(outcome, &result);
}

bool outcome_equal(const struct replay_outcome *a, const struct replay_outcome *b)
{
    if (a->accepted != b->accepted || a->marked != b->marked || a->departed != b->departed || a->reason != b->reason ||
        !weir_account_is(a->account, b->account) || a->index != b->index || a->hash != b->hash ||
        a->lost_count != b->lost_count)
        return false;
    for (uint32_t i = 0; i < a->lost_count; i++)
        if (a->lost[i].index != b->lost[i].index || !weir_account_is(a->lost[i].account, b->lost[i].account) ||
            a->lost[i].cause != b->lost[i].cause)
            return false;
    return true;
}

__attribute__((format(printf, 2, 3))) static void outcome_append(char out[OUTCOME_TEXT_MAX], const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, OUTCOME_TEXT_MAX - used, format, arguments);
    va_end(arguments);
}

void outcome_format_time(char *out, size_t size, weir_ps time)
{
    static const struct weir_param as_time = {.name = "time", .unit = WEIR_UNIT_TIME};
    if (time == WEIR_NEVER)
        snprintf(out, size, "never");
    else
        weir_value_format(out, size, &as_time, time);
}

void outcome_format_event(char out[OUTCOME_TEXT_MAX], const struct weir_record *record)
{
    static const char *const names[WEIR_REC_KINDS] = {"end",   "arrive",  "depart", "expel", "pause",
                                                      "flush", "advance", "hash",   "change"};
    char until[64];
    out[0] = '\0';
    outcome_append(out, "%s", names[record->kind]);
    switch (record->kind) {
    case WEIR_REC_ARRIVE:
        outcome_append(out, " port %" PRIu32 " class %" PRIu32 " %" PRIu32 "B%s%s", record->packet.output.i,
                       record->packet.tc.i, record->packet.bytes, record->packet.flags & WEIR_FLAG_ECN ? " ecn" : "",
                       record->packet.flags & WEIR_FLAG_UNSCHEDULED ? " unscheduled" : "");
        break;
    case WEIR_REC_PAUSE:
        outcome_format_time(until, sizeof until, record->until);
        outcome_append(out, " port %" PRIu32 " classes 0x%" PRIx32 " until %s", record->port.i, record->class_mask,
                       until);
        break;
    case WEIR_REC_DEPART:
        outcome_append(out, " port %" PRIu32, record->port.i);
        break;
    case WEIR_REC_FLUSH:
        outcome_append(out, " port %" PRIu32 " classes 0x%" PRIx32, record->port.i, record->class_mask);
        break;
    case WEIR_REC_CHANGE:
        outcome_append(out, " %s", record->ingress ? "ingress" : "egress");
        break;
    default:
        break;
    }
}

static void outcome_append_packet(char out[OUTCOME_TEXT_MAX], uint32_t index, weir_account account, uint32_t ports)
{
    outcome_append(out, "packet %" PRIu32 " (port %" PRIu32 " class %" PRIu32 ")", index, account.i % ports,
                   account.i / ports);
}

void outcome_format(char out[OUTCOME_TEXT_MAX], const struct replay_outcome *outcome, enum weir_record_kind kind,
                    uint32_t ports)
{
    out[0] = '\0';
    if (kind == WEIR_REC_ARRIVE || kind == WEIR_REC_CHANGE) {
        outcome_append(out, outcome->accepted ? "accepted" : "refused");
        if (kind == WEIR_REC_ARRIVE && !outcome->accepted)
            outcome_append(out, " %s", weir_reason_name(outcome->reason));
        outcome_append(out, outcome->marked ? " marked" : "");
    } else if (kind == WEIR_REC_DEPART && outcome->departed) {
        outcome_append(out, "departed ");
        outcome_append_packet(out, outcome->index, outcome->account, ports);
    } else if (kind == WEIR_REC_DEPART) {
        outcome_append(out, "nothing departed");
    } else if (kind == WEIR_REC_HASH || kind == WEIR_REC_END) {
        outcome_append(out, "%016" PRIx64, outcome->hash);
    } else {
        outcome_append(out, outcome->lost_count == 0 ? "nothing lost" : "done");
    }
    for (uint32_t i = 0; i < outcome->lost_count && i < LOST_SHOWN; i++) {
        outcome_append(out, i == 0 ? ", lost " : ", ");
        outcome_append_packet(out, outcome->lost[i].index, outcome->lost[i].account, ports);
        outcome_append(out, " %s", weir_cause_name(outcome->lost[i].cause));
    }
    if (outcome->lost_count > LOST_SHOWN)
        outcome_append(out, " and %" PRIu32 " more", outcome->lost_count - LOST_SHOWN);
}

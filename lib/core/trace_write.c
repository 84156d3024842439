/*
 * trace_write.c - records of what happens at one MMU, and the state hash that closes a trace.
 *
 * A record is a tag byte and varints of seven bits per byte, the lowest first. Times are written as differences from
 * the record before, so that a busy port costs two or three bytes of time per packet. Everything that the reader can
 * derive from the header is left out. docs/reference/trace-format.md has the tables.
 *
 * Invariant: what these functions write, trace_read.c accepts, as long as the MMU calls them in time order.
 */
#include <assert.h>
#include <string.h>

#include "trace_internal.h"
#include "weir/random.h"

#define HASH_START UINT64_C(0x77656972) /* any constant would do: it spells "weir" */

static void trace_empty_buffer(struct weir_trace *trace)
{
    if (!trace->failed && !trace->flush(trace->context, trace->buffer, trace->used))
        trace->failed = true;
    trace->used = 0;
}

void weir_trace_put_bytes(struct weir_trace *trace, const void *bytes, size_t count)
{
    if (trace->size - trace->used < count)
        trace_empty_buffer(trace);
    memcpy(trace->buffer + trace->used, bytes, count);
    trace->checksum = weir_trace_checksum(trace->checksum, bytes, count);
    trace->used += count;
}

void weir_trace_put(struct weir_trace *trace, uint64_t value)
{
    uint8_t bytes[WEIR_VARINT_MAX];
    size_t count = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    weir_trace_put_bytes(trace, bytes, count);
}

/* A parameter may be negative, and a small one should stay short: the sign goes to the lowest bit. */
static void put_signed(struct weir_trace *trace, int64_t value)
{
    weir_trace_put(trace, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

void weir_trace_put_values(struct weir_trace *trace, const struct weir_policy *policy, const struct weir_values *values,
                           uint32_t classes)
{
    for (uint32_t p = 0; p < policy->param_count; p++)
        for (uint32_t c = 0; c < (policy->params[p].per_class ? classes : 1); c++)
            put_signed(trace, values->of[p][c]);
}

static void put_hash(struct weir_trace *trace, uint64_t hash)
{
    uint8_t bytes[8];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(hash >> 8 * i);
    weir_trace_put_bytes(trace, bytes, sizeof bytes);
}

static void begin_record(struct weir_trace *trace, uint32_t tag)
{
    uint8_t byte = (uint8_t)tag;
    weir_trace_put_bytes(trace, &byte, 1);
    trace->records++;
}

static void begin_timed_record(struct weir_trace *trace, uint32_t tag, weir_ps now)
{
    assert(now >= trace->last_ps);
    begin_record(trace, tag);
    weir_trace_put(trace, (uint64_t)(now - trace->last_ps));
    trace->last_ps = now;
}

static void put_lost(struct weir_trace *trace, const struct weir_effects *effects)
{
    assert(effects->lost_count <= WEIR_TRACE_LOST_MAX);
    weir_trace_put(trace, effects->lost_count);
    for (uint32_t i = 0; i < effects->lost_count; i++) {
        weir_trace_put(trace, effects->lost[i].index);
        weir_trace_put(trace, effects->lost[i].account.i);
        weir_trace_put(trace, effects->lost[i].cause);
    }
}

void weir_trace_begin(struct weir_trace *trace, const struct weir_mmu_config *config)
{
    assert(trace->size >= WEIR_TRACE_BUFFER_MIN && trace->flush);
    trace->used = 0;
    trace->last_ps = 0;
    trace->records = 0;
    trace->checksum = WEIR_CHECKSUM_START;
    trace->failed = false;
    trace->classes = config->classes;
    trace->egress = config->egress;
    trace->ingress = config->ingress;
    trace->trims = weir_trace_trims(config);
    trace->flows = weir_trace_flows(config);
    weir_trace_put_header(trace, config);
}

void weir_trace_arrive(struct weir_trace *trace, const struct weir_packet *packet, weir_ps now,
                       const struct weir_effects *effects)
{
    uint32_t tag = packet->trimmed_from ? WEIR_TAG_COPY : WEIR_REC_ARRIVE;
    if (trace->trims && packet->flags & WEIR_FLAG_WHOLE && !packet->trimmed_from)
        tag = WEIR_TAG_WHOLE;
    if (effects->accepted)
        tag |= WEIR_TAG_ACCEPTED | (effects->marked ? WEIR_TAG_MARKED : 0);
    if (packet->flags & WEIR_FLAG_ECN)
        tag |= WEIR_TAG_ECN;
    if (packet->flags & WEIR_FLAG_UNSCHEDULED)
        tag |= WEIR_TAG_UNSCHEDULED;
    begin_timed_record(trace, tag, now);
    weir_trace_put(trace, packet->output.i);
    weir_trace_put(trace, packet->input.i);
    weir_trace_put(trace, packet->tc.i);
    weir_trace_put(trace, packet->bytes);
    if (packet->trimmed_from)
        weir_trace_put(trace, packet->trimmed_from - 1);
    if (trace->flows) {
        put_hash(trace, packet->flow->hash);
        weir_trace_put(trace, (uint64_t)(packet->flow->bytes + 1)); /* 0: unknown */
        weir_trace_put(trace, packet->flow->dscp);
    }
    if (!effects->accepted)
        weir_trace_put(trace, effects->reason);
    put_lost(trace, effects);
}

void weir_trace_depart(struct weir_trace *trace, weir_port port, weir_ps now, const struct weir_effects *effects)
{
    begin_timed_record(trace, WEIR_REC_DEPART | (effects->departed ? WEIR_TAG_DEPARTED : 0), now);
    weir_trace_put(trace, port.i);
    if (effects->departed) {
        weir_trace_put(trace, effects->account.i);
        weir_trace_put(trace, effects->departed_index);
    }
    put_lost(trace, effects);
}

void weir_trace_expel(struct weir_trace *trace, weir_ps now, const struct weir_effects *effects)
{
    if (effects->lost_count == 0)
        return;
    begin_timed_record(trace, WEIR_REC_EXPEL, now);
    put_lost(trace, effects);
}

void weir_trace_pause(struct weir_trace *trace, weir_port port, uint32_t class_mask, weir_ps until, weir_ps now)
{
    begin_timed_record(trace, WEIR_REC_PAUSE, now);
    weir_trace_put(trace, port.i);
    weir_trace_put(trace, class_mask);
    weir_trace_put(trace, until > now ? (uint64_t)(until - now) : 0);
}

void weir_trace_flush(struct weir_trace *trace, weir_port port, uint32_t class_mask, weir_ps now,
                      const struct weir_effects *effects)
{
    begin_timed_record(trace, WEIR_REC_FLUSH, now);
    weir_trace_put(trace, port.i);
    weir_trace_put(trace, class_mask);
    put_lost(trace, effects);
}

void weir_trace_advance(struct weir_trace *trace, weir_ps now)
{
    begin_timed_record(trace, WEIR_REC_ADVANCE, now);
}

void weir_trace_change(struct weir_trace *trace, bool ingress, const struct weir_values *values, weir_ps now)
{
    begin_timed_record(trace, WEIR_REC_CHANGE | (ingress ? WEIR_TAG_INGRESS : 0), now);
    weir_trace_put_values(trace, ingress ? trace->ingress : trace->egress, values, trace->classes);
}

/* Hash records count themselves, hence the one more. */
bool weir_trace_wants_hash(const struct weir_trace *trace)
{
    if (trace->hash_every == 0 || trace->hash_every == UINT64_MAX)
        return false;
    return trace->records % (trace->hash_every + 1) == trace->hash_every;
}

void weir_trace_hash(struct weir_trace *trace, uint64_t hash)
{
    begin_record(trace, WEIR_REC_HASH);
    put_hash(trace, hash);
}

bool weir_trace_end(struct weir_trace *trace, const struct weir_mmu *mmu)
{
    uint64_t before = trace->records;
    begin_record(trace, WEIR_REC_END);
    weir_trace_put(trace, before);
    put_hash(trace, weir_mmu_hash(mmu));
    put_hash(trace, trace->checksum);
    trace_empty_buffer(trace);
    return !trace->failed;
}

uint64_t weir_state_hash_start(void)
{
    return HASH_START;
}

/* The complement keeps an account apart from a packet with the same numbers. */
uint64_t weir_state_hash_account(uint64_t hash, weir_account account, weir_cells cells)
{
    return weir_hash(~hash, ((uint64_t)account.i << 32) + (uint64_t)cells);
}

uint64_t weir_state_hash_packet(uint64_t hash, uint32_t index, weir_cells cells)
{
    return weir_hash(hash, ((uint64_t)index << 32) + (uint64_t)cells);
}

uint64_t weir_state_hash_finish(uint64_t hash, const struct weir_pools *pools)
{
    hash = weir_hash(hash, (uint64_t)pools->used_cells);
    hash = weir_hash(hash, (uint64_t)pools->shared_cells);
    return weir_hash(hash, (uint64_t)pools->headroom_cells);
}

/*
 * trace_read.c - the records of a trace, from untrusted bytes.
 *
 * A trace comes from a file, perhaps damaged, perhaps made to do harm. Every number is checked against what the
 * header allows before it is used, and there is exactly one way to write each number, so that a trace is either read
 * as it was written or refused with the place of the first fault.
 *
 * Invariant: no byte outside [bytes, bytes + size) is read, and a record that is returned can be given to an MMU of
 * the header's configuration.
 */
#include <stdarg.h>
#include <string.h>

#include "trace_internal.h"

void weir_trace_break(struct weir_trace_cursor *cursor, size_t at, const char *format, ...)
{
    if (cursor->broken)
        return;
    cursor->broken = true;
    cursor->broken_at = at;
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(cursor->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    weir_fail_in(cursor->error, "byte", at);
}

const uint8_t *weir_trace_take_bytes(struct weir_trace_cursor *cursor, size_t count)
{
    if (cursor->size - cursor->at < count)
        weir_trace_break(cursor, cursor->size, "the trace is cut short");
    if (cursor->broken)
        return NULL;
    cursor->at += count;
    return cursor->bytes + cursor->at - count;
}

static uint64_t take_varint(struct weir_trace_cursor *cursor)
{
    size_t start = cursor->at;
    uint64_t value = 0;
    for (uint32_t i = 0;; i++) {
        const uint8_t *byte = weir_trace_take_bytes(cursor, 1);
        if (byte == NULL)
            return 0;
        value |= (uint64_t)(*byte & 0x7f) << 7 * i;
        bool last = *byte < 0x80;
        bool overlong = last && *byte == 0 && i > 0;
        bool too_large = i == WEIR_VARINT_MAX - 1 && *byte > 1;
        if (overlong || too_large)
            break;
        if (last)
            return value;
    }
    weir_trace_break(cursor, start, "a number is not in its shortest form or has more than 64 bits");
    return 0;
}

uint64_t weir_trace_take(struct weir_trace_cursor *cursor, const char *what, uint64_t min, uint64_t max)
{
    size_t start = cursor->at;
    uint64_t value = take_varint(cursor);
    if (value < min || value > max)
        weir_trace_break(cursor, start, "%s: %llu is out of range (%llu to %llu)", what, (unsigned long long)value,
                         (unsigned long long)min, (unsigned long long)max);
    return cursor->broken ? min : value;
}

static uint64_t take_hash(struct weir_trace_cursor *cursor)
{
    const uint8_t *bytes = weir_trace_take_bytes(cursor, 8);
    uint64_t hash = 0;
    for (uint32_t i = 0; bytes != NULL && i < 8; i++)
        hash |= (uint64_t)bytes[i] << 8 * i;
    return hash;
}

static bool value_allowed(const struct weir_param *param, int64_t value)
{
    int64_t choices = 0;
    if (value == WEIR_AUTO)
        return param->initial == WEIR_AUTO;
    if (param->unit == WEIR_UNIT_FLAG)
        return value == 0 || value == 1;
    if (param->unit != WEIR_UNIT_CHOICE)
        return value >= param->min && value <= param->max;
    while (param->choices[choices] != NULL)
        choices++;
    return value >= 0 && value < choices;
}

static int64_t take_value(struct weir_trace_cursor *cursor, const struct weir_param *param)
{
    size_t start = cursor->at;
    uint64_t zigzag = take_varint(cursor);
    int64_t value = (int64_t)(zigzag >> 1 ^ (zigzag & 1 ? UINT64_MAX : 0));
    if (!value_allowed(param, value))
        weir_trace_break(cursor, start, "parameter %s: %lld is out of range", param->name, (long long)value);
    return value;
}

void weir_trace_take_values(struct weir_trace_cursor *cursor, const struct weir_policy *policy,
                            struct weir_values *values, uint32_t classes)
{
    for (uint32_t p = 0; p < policy->param_count && !cursor->broken; p++) {
        uint32_t given = policy->params[p].per_class ? classes : 1;
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            values->of[p][c] = c < given ? take_value(cursor, &policy->params[p]) : values->of[p][given - 1];
    }
}

/* A moment `difference` after `from`. */
static weir_ps take_time(struct weir_trace_cursor *cursor, const char *what, weir_ps from)
{
    return from + (weir_ps)weir_trace_take(cursor, what, 0, (uint64_t)(INT64_MAX - from));
}

static uint32_t take_index(struct weir_trace_cursor *cursor, const char *what, uint32_t count)
{
    return (uint32_t)weir_trace_take(cursor, what, 0, count - 1);
}

static void take_arrival(struct weir_trace_cursor *cursor, const struct weir_trace_reader *reader, uint32_t tag,
                         struct weir_record *record)
{
    const struct weir_mmu_config *config = &reader->config;
    uint32_t inputs = weir_mmu_inputs(config);
    record->accepted = (tag & WEIR_TAG_ACCEPTED) != 0;
    record->marked = (tag & WEIR_TAG_MARKED) != 0;
    record->packet.flags = (tag & WEIR_TAG_ECN ? WEIR_FLAG_ECN : 0u) |
                           (tag & WEIR_TAG_UNSCHEDULED ? WEIR_FLAG_UNSCHEDULED : 0u) |
                           ((tag & WEIR_TAG_KIND) == WEIR_TAG_WHOLE ? WEIR_FLAG_WHOLE : 0u);
    if (record->marked && !record->accepted)
        weir_trace_break(cursor, reader->next, "a refused packet is marked");
    record->packet.output.i = take_index(cursor, "output port", reader->ports);
    /* Without an ingress policy the input port is not read, and hosts need not set it. */
    record->packet.input.i =
        (uint32_t)weir_trace_take(cursor, "input port", 0, config->ingress != NULL ? inputs - 1 : UINT32_MAX);
    record->packet.tc.i = take_index(cursor, "class", reader->classes);
    record->packet.bytes = (uint32_t)weir_trace_take(cursor, "packet bytes", 1, WEIR_PACKET_BYTES_MAX);
    if ((tag & WEIR_TAG_KIND) == WEIR_TAG_COPY) {
        size_t start = cursor->at;
        uint32_t from = take_index(cursor, "class of a trimmed packet", reader->classes);
        record->packet.trimmed_from = from + 1;
        if (config->trim[from].bytes == 0 || config->trim[from].to.i != record->packet.tc.i)
            weir_trace_break(cursor, start, "class %u leaves no copies in class %u", from, record->packet.tc.i);
    }
    if (weir_trace_flows(config)) {
        record->flow.hash = take_hash(cursor);
        record->flow.bytes = (int64_t)weir_trace_take(cursor, "bytes of a flow", 0, INT64_MAX) - 1;
        record->flow.dscp = (uint32_t)weir_trace_take(cursor, "DSCP", 0, 63);
        record->packet.flow = &record->flow;
    }
    if (!record->accepted)
        record->reason = (enum weir_reason)weir_trace_take(cursor, "reason of a refusal", 1, WEIR_REASON_COUNT - 1);
}

static void take_departure(struct weir_trace_cursor *cursor, const struct weir_trace_reader *reader, uint32_t tag,
                           struct weir_record *record)
{
    record->port.i = take_index(cursor, "output port", reader->ports);
    record->departed = (tag & WEIR_TAG_DEPARTED) != 0;
    if (!record->departed)
        return;
    size_t start = cursor->at;
    record->account.i = take_index(cursor, "account", reader->ports * reader->classes);
    if (record->account.i % reader->ports != record->port.i)
        weir_trace_break(cursor, start, "account %u does not belong to port %u", record->account.i, record->port.i);
    record->index = (uint32_t)weir_trace_take(cursor, "packet index", 0, UINT32_MAX);
}

static void take_change(struct weir_trace_cursor *cursor, const struct weir_trace_reader *reader, uint32_t tag,
                        struct weir_record *record)
{
    record->ingress = (tag & WEIR_TAG_INGRESS) != 0;
    const struct weir_policy *policy = record->ingress ? reader->config.ingress : reader->config.egress;
    if (policy == NULL) {
        weir_trace_break(cursor, reader->next, "new values for an ingress policy, but there is none");
        return;
    }
    weir_values_init(&record->values, policy);
    weir_trace_take_values(cursor, policy, &record->values, reader->classes);
}

static void take_end(struct weir_trace_cursor *cursor, const struct weir_trace_reader *reader,
                     struct weir_record *record)
{
    record->count = weir_trace_take(cursor, "number of records", reader->records, reader->records);
    record->hash = take_hash(cursor);
    size_t covered = cursor->at;
    uint64_t checksum = weir_trace_checksum(reader->checksum, reader->bytes + reader->next, covered - reader->next);
    if (take_hash(cursor) != checksum)
        weir_trace_break(cursor, covered, "the checksum does not match: some byte before it is wrong");
    if (cursor->at != cursor->size)
        weir_trace_break(cursor, cursor->at, "%zu bytes follow the last record", cursor->size - cursor->at);
}

/* What follows the tag and, for records that have one, the time. */
static void take_body(struct weir_trace_cursor *cursor, const struct weir_trace_reader *reader, uint32_t tag,
                      struct weir_record *record)
{
    switch (record->kind) {
    case WEIR_REC_END:
        take_end(cursor, reader, record);
        return;
    case WEIR_REC_HASH:
        record->hash = take_hash(cursor);
        return;
    case WEIR_REC_CHANGE:
        take_change(cursor, reader, tag, record);
        return;
    case WEIR_REC_ARRIVE:
        take_arrival(cursor, reader, tag, record);
        break;
    case WEIR_REC_DEPART:
        take_departure(cursor, reader, tag, record);
        break;
    case WEIR_REC_PAUSE:
        record->port.i = take_index(cursor, "output port", reader->ports);
        record->class_mask = (uint32_t)weir_trace_take(cursor, "class mask", 0, UINT32_MAX);
        record->until = take_time(cursor, "end of a pause", record->now);
        return;
    case WEIR_REC_ADVANCE:
        return;
    case WEIR_REC_FLUSH:
        record->port.i = take_index(cursor, "output port", reader->ports);
        record->class_mask = (uint32_t)weir_trace_take(cursor, "class mask", 0, weir_class_mask(reader->classes));
        break;
    case WEIR_REC_EXPEL:
    case WEIR_REC_KINDS:
        break;
    }
    uint32_t accounts = reader->ports * reader->classes;
    uint32_t count = (uint32_t)weir_trace_take(cursor, "number of lost packets", 0, reader->config.evictions_max);
    for (uint32_t i = 0; i < count && !cursor->broken; i++) {
        struct weir_lost *lost = &record->lost[i];
        lost->handle = 0;
        lost->index = (uint32_t)weir_trace_take(cursor, "index of a lost packet", 0, UINT32_MAX);
        lost->account.i = take_index(cursor, "account of a lost packet", accounts);
        lost->cause =
            (enum weir_cause)weir_trace_take(cursor, "cause of a loss", WEIR_CAUSE_REFUSED + 1, WEIR_CAUSE_COUNT - 1);
    }
    record->lost_count = count;
}

struct record_shape {
    bool timed;
    uint32_t flags; /* tag bits that may be set besides the kind */
};

static const struct record_shape record_shapes[WEIR_REC_KINDS] = {
    [WEIR_REC_ARRIVE] = {true, WEIR_TAG_ACCEPTED | WEIR_TAG_MARKED | WEIR_TAG_ECN | WEIR_TAG_UNSCHEDULED},
    [WEIR_REC_DEPART] = {true, WEIR_TAG_DEPARTED},
    [WEIR_REC_EXPEL] = {true, 0},
    [WEIR_REC_PAUSE] = {true, 0},
    [WEIR_REC_FLUSH] = {true, 0},
    [WEIR_REC_ADVANCE] = {true, 0},
    [WEIR_REC_CHANGE] = {true, WEIR_TAG_INGRESS},
};

/* Clears what a record may hold, except the large arrays, which their counts guard. */
static void clear_record(struct weir_record *record, weir_ps now)
{
    memset(record, 0, offsetof(struct weir_record, values));
    record->lost_count = 0;
    record->now = now;
}

static void take_record(struct weir_trace_cursor *cursor, const struct weir_trace_reader *reader,
                        struct weir_record *record)
{
    const uint8_t *byte = weir_trace_take_bytes(cursor, 1);
    if (byte == NULL)
        return;
    uint32_t tag = *byte;
    uint32_t kind = tag & WEIR_TAG_KIND;
    if (kind == WEIR_TAG_COPY || (kind == WEIR_TAG_WHOLE && weir_trace_trims(&reader->config)))
        kind = WEIR_REC_ARRIVE;
    if (kind >= WEIR_REC_KINDS || (tag & ~(WEIR_TAG_KIND | record_shapes[kind].flags)) != 0) {
        weir_trace_break(cursor, reader->next, "0x%02x is not the tag of a record", tag);
        return;
    }
    record->kind = (enum weir_record_kind)kind;
    if (record_shapes[kind].timed)
        record->now = take_time(cursor, "time since the record before", reader->last_ps);
    take_body(cursor, reader, tag, record);
}

/*
 * `next` moves only past a good record, so that a broken trace stays broken at the same place. Nothing before `next`
 * is looked at again: a host that reads in pieces may have given that memory back.
 */
enum weir_trace_status weir_trace_next(struct weir_trace_reader *reader, struct weir_record *record,
                                       struct weir_error *error)
{
    struct weir_trace_cursor cursor = {
        .bytes = reader->bytes, .size = reader->size, .at = reader->next, .error = error};
    if (reader->ended)
        return WEIR_TRACE_FINISHED;
    clear_record(record, reader->last_ps);
    take_record(&cursor, reader, record);
    if (cursor.broken) {
        reader->at = cursor.broken_at;
        return WEIR_TRACE_BROKEN;
    }
    reader->at = reader->next;
    reader->checksum = weir_trace_checksum(reader->checksum, reader->bytes + reader->next, cursor.at - reader->next);
    reader->next = cursor.at;
    reader->last_ps = record->now;
    reader->ended = record->kind == WEIR_REC_END;
    reader->records++;
    return WEIR_TRACE_RECORD;
}

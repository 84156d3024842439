/*
 * ipfix.c - high-frequency telemetry of SONiC: IPFIX messages (RFC 7011), one after the other. A field of a template is
 * a counter of an object: the enterprise number has SAI's object type and counter, the element number the object, whose
 * name STATE_DB has (json.c). observationTimeNanoseconds, and whatever else is no counter, is passed over.
 */
#include <string.h>

#include "operate/counters/counters_parts.h"

#define HEADER 16u
#define SET_HEADER 4u
#define TEMPLATE_SET 2u
#define DATA_SETS 256u
#define ENTERPRISE 0x8000u
#define FIELDS_MAX 16384u

struct ipfix_field {
    uint32_t object, type, stat, length; /* type 0: no counter */
};

struct ipfix_template {
    uint32_t domain, number, count, bytes; /* of a record */
    struct ipfix_field *fields;
};

static uint32_t get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
    return get16(at) << 16 | get16(at + 2);
}

static bool broken(struct weir_error *error, const char *name, size_t at, const char *what)
{
    weir_fail(error, WEIR_ERROR_MALFORMED, "%s at byte %zu (expected whole IPFIX messages of version 10)", what, at);
    return weir_fail_at(error, name, 0, 0);
}

/* Extensions, whose numbers have their high bits set, are no counters that are known here. */
static struct ipfix_field field_of(const uint8_t *at, bool has_enterprise)
{
    struct ipfix_field field = {.object = get16(at) & ~ENTERPRISE, .length = get16(at + 2)};
    uint32_t enterprise = has_enterprise ? get32(at + 4) : 0;
    if (has_enterprise && (enterprise & 0x80008000u) == 0) {
        field.type = enterprise >> 16;
        field.stat = enterprise & 0x7fff;
    }
    return field;
}

/* A template; how many bytes it takes; 0: it is broken, or memory was short. */
static size_t read_template(struct counters *counters, uint32_t domain, const uint8_t *at, size_t left, bool *is_short)
{
    size_t used = 4;
    if (left < 4 || get16(at + 2) > FIELDS_MAX)
        return 0;
    struct ipfix_template template = {.domain = domain, .number = get16(at), .count = get16(at + 2)};
    template.fields = arena_take_array(&counters->arena, template.count + 1, sizeof *template.fields);
    *is_short = template.fields == NULL;
    for (uint32_t i = 0; i < template.count && !*is_short; i++) {
        bool has_enterprise = left - used >= 4 && (at[used] & 0x80) != 0;
        size_t size = has_enterprise ? 8 : 4;
        if (left - used < size)
            return 0;
        template.fields[i] = field_of(at + used, has_enterprise);
        template.bytes += template.fields[i].length;
        used += size;
        if (template.fields[i].length == 0 || template.fields[i].length == UINT16_MAX)
            return 0; /* of any length: no counter has that */
    }
    struct ipfix_template *list = counters->templates.at, *into = NULL;
    for (uint32_t i = 0; i < counters->templates.count; i++)
        if (list[i].domain == domain && list[i].number == template.number)
            into = &list[i]; /* a later one replaces it */
    if (into == NULL && !*is_short)
        into = sonic_list_add(&counters->templates, sizeof *into);
    *is_short |= into == NULL;
    if (*is_short)
        return 0;
    *into = template;
    return used;
}

static const char *object_of(const struct counters *counters, uint32_t type, uint32_t number)
{
    const struct counters_label *labels = counters->labels.at;
    for (uint32_t i = counters->labels.count; i-- > 0;)
        if (labels[i].number == number && (labels[i].type == type || labels[i].type == 0))
            return labels[i].object;
    return NULL;
}

static bool read_record(struct counters *counters, const struct ipfix_template *template, const uint8_t *at)
{
    for (uint32_t i = 0; i < template->count; at += template->fields[i++].length) {
        const struct ipfix_field *field = &template->fields[i];
        uint32_t index;
        uint64_t value = 0;
        enum counters_kind kind = counters_of_number(field->type, field->stat, &index);
        if (kind == COUNTERS_KINDS || field->length > 8)
            continue;
        for (uint32_t b = 0; b < field->length; b++)
            value = value << 8 | at[b];
        const char *object = object_of(counters, field->type, field->object);
        counters->unnamed += object == NULL;
        if (object != NULL && value <= INT64_MAX && !counters_put_named(counters, kind, object, index, (int64_t)value))
            return false;
    }
    return true;
}

/* The sets of a message, without its header. */
static bool read_sets(struct counters *counters, uint32_t domain, const char *name, const uint8_t *start, size_t from,
                      size_t to, struct weir_error *error)
{
    while (to - from >= SET_HEADER) {
        const uint8_t *set = start + from;
        uint32_t number = get16(set), length = get16(set + 2);
        if (length < SET_HEADER || length > to - from)
            return broken(error, name, from, "a set is longer than its message");
        size_t at = SET_HEADER;
        while (number == TEMPLATE_SET && length - at >= 4) {
            bool is_short = false;
            size_t used = read_template(counters, domain, set + at, length - at, &is_short);
            if (is_short)
                return weir_fail_memory(error);
            if (used == 0)
                return broken(error, name, from + at, "a template is cut off, or has a field of any length");
            at += used;
        }
        const struct ipfix_template *templates = counters->templates.at, *template = NULL;
        for (uint32_t i = 0; number >= DATA_SETS && i < counters->templates.count; i++)
            if (templates[i].domain == domain && templates[i].number == number)
                template = &templates[i];
        for (; template != NULL && template->bytes > 0 && length - at >= template->bytes; at += template->bytes)
            if (!read_record(counters, template, set + at))
                return weir_fail_memory(error);
        from += length;
    }
    return true;
}

bool counters_add_ipfix(struct counters *counters, const char *name, const uint8_t *at, size_t size,
                        struct weir_error *error)
{
    for (size_t from = 0; from < size;) {
        uint32_t length = size - from >= HEADER ? get16(at + from + 2) : 0;
        if (size - from < HEADER || get16(at + from) != 10 || length < HEADER || length > size - from)
            return broken(error, name, from, "no whole message begins");
        if (!read_sets(counters, get32(at + from + 12), name, at, from + HEADER, from + length, error))
            return false;
        from += length;
    }
    return true;
}

/*
 * pack.c - measures as bytes and back, for the pipe between a process that simulates and the one that stores.
 *
 *   magic, size of all, digest, hops   u64 each
 *   values, curves                     u32 each
 *   value:  unit u8, length of name u32, name, f64
 *   curve:  units u8 u8, length of name u32, name, points u32, f64 f64 ...
 *
 * In the machine's own byte order. The reading side trusts nothing: the other process may have died anywhere, so every
 * length is compared with the bytes that are left before anything is allocated by it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/row.h"
#include "run/measures/values.h"

#define MAGIC UINT64_C(0x31736572726965f7)
#define HEAD_SIZE (4 * sizeof(uint64_t) + 2 * sizeof(uint32_t))
#define VALUE_SIZE (1 + sizeof(uint32_t) + sizeof(double)) /* the least that one takes */
#define CURVE_SIZE (2 + 2 * sizeof(uint32_t))
#define POINT_SIZE (2 * sizeof(double))

static size_t pack_size(const struct measures *measures)
{
    size_t size = HEAD_SIZE;
    for (uint32_t i = 0; i < measures->value_count; i++)
        size += VALUE_SIZE + strlen(measures->values[i].name);
    for (uint32_t i = 0; i < measures->curve_count; i++)
        size += CURVE_SIZE + strlen(measures->curves[i].name) + POINT_SIZE * measures->curves[i].count;
    return size;
}

static void put(uint8_t **at, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(*at, bytes, size);
    *at += size;
}

static void put_u32(uint8_t **at, uint32_t number)
{
    put(at, &number, sizeof number);
}

static void put_unit(uint8_t **at, const char *unit)
{
    uint8_t code = (uint8_t)units_find(unit);
    put(at, &code, 1);
}

static void put_name(uint8_t **at, const char *name)
{
    uint32_t length = (uint32_t)strlen(name);
    put_u32(at, length);
    put(at, name, length);
}

uint8_t *measures_pack(const struct measures *measures, size_t *size)
{
    *size = pack_size(measures);
    uint8_t *bytes = measures->failed ? NULL : malloc(*size), *at = bytes;
    if (bytes == NULL)
        return NULL;
    const uint64_t head[4] = {MAGIC, *size, measures->digest, measures->hops};
    put(&at, head, sizeof head);
    put_u32(&at, measures->value_count);
    put_u32(&at, measures->curve_count);
    for (uint32_t i = 0; i < measures->value_count; i++) {
        const struct measure_value *value = &measures->values[i];
        put_unit(&at, value->unit);
        put_name(&at, value->name);
        put(&at, &value->value, sizeof value->value);
    }
    for (uint32_t i = 0; i < measures->curve_count; i++) {
        const struct measure_curve *curve = &measures->curves[i];
        put_unit(&at, curve->x_unit);
        put_unit(&at, curve->y_unit);
        put_name(&at, curve->name);
        put_u32(&at, curve->count);
        put(&at, curve->points, POINT_SIZE * curve->count);
    }
    return bytes;
}

/* What is left to read. */
struct packed {
    const uint8_t *at;
    size_t left;
    bool no_memory; /* why it cannot be read */
};

static bool take(struct packed *packed, void *out, size_t size)
{
    if (packed->left < size)
        return false;
    if (size > 0)
        memcpy(out, packed->at, size);
    packed->at += size;
    packed->left -= size;
    return true;
}

static bool take_unit(struct packed *packed, const char **unit)
{
    uint8_t code;
    if (!take(packed, &code, 1) || code >= UNITS_COUNT)
        return false;
    *unit = units_name(code);
    return true;
}

static bool take_name(struct packed *packed, char **name)
{
    uint32_t length;
    if (!take(packed, &length, sizeof length) || length > packed->left)
        return false;
    *name = malloc((size_t)length + 1);
    if (*name == NULL)
        return !(packed->no_memory = true);
    (*name)[length] = '\0';
    return take(packed, *name, length) && strlen(*name) == length;
}

static bool take_value(struct packed *packed, struct measure_value *value)
{
    return take_unit(packed, &value->unit) && take_name(packed, &value->name) &&
           take(packed, &value->value, sizeof value->value) && isfinite(value->value);
}

static bool take_curve(struct packed *packed, struct measure_curve *curve)
{
    uint32_t count;
    if (!take_unit(packed, &curve->x_unit) || !take_unit(packed, &curve->y_unit) || !take_name(packed, &curve->name) ||
        !take(packed, &count, sizeof count) || count > packed->left / POINT_SIZE)
        return false;
    curve->points = malloc(count > 0 ? POINT_SIZE * count : 1);
    if (curve->points == NULL)
        return !(packed->no_memory = true);
    curve->count = curve->room = count;
    return take(packed, curve->points, POINT_SIZE * count);
}

static bool take_all(struct packed *packed, struct measures *measures)
{
    uint64_t head[4];
    uint32_t counts[2];
    size_t size = packed->left;
    if (!take(packed, head, sizeof head) || !take(packed, counts, sizeof counts) || head[0] != MAGIC || head[1] != size)
        return false;
    if (counts[0] > packed->left / VALUE_SIZE || counts[1] > packed->left / CURVE_SIZE)
        return false;
    measures->digest = head[2];
    measures->hops = head[3];
    measures->values = calloc(counts[0] > 0 ? counts[0] : 1, sizeof *measures->values);
    measures->curves = calloc(counts[1] > 0 ? counts[1] : 1, sizeof *measures->curves);
    if (measures->values == NULL || measures->curves == NULL)
        return !(packed->no_memory = true);
    measures->value_room = counts[0];
    measures->curve_room = counts[1];
    while (measures->value_count < counts[0]) /* counted before it is read: a half-read one is released too */
        if (!take_value(packed, &measures->values[measures->value_count++]))
            return false;
    while (measures->curve_count < counts[1])
        if (!take_curve(packed, &measures->curves[measures->curve_count++]))
            return false;
    return packed->left == 0;
}

bool measures_unpack(struct measures *measures, const uint8_t *bytes, size_t size)
{
    *measures = (struct measures){.failed = false};
    struct packed packed = {.at = bytes, .left = size};
    if (take_all(&packed, measures))
        return true;
    measures_free(measures);
    measures->failed = packed.no_memory;
    return false;
}

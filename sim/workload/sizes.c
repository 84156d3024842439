/*
 * sizes.c - flow-size distributions: the published tables, the check of a table, and draws from one.
 *
 * A draw is the inverse of the cumulative distribution at u uniform in (0, 1), linear between the two points around u:
 *
 *   bytes = x0 + (x1 - x0) (u - c0) / (c1 - c0)   with  c0 < u <= c1
 *   mean  = x_first c_first + sum of (x0 + x1) / 2 (c1 - c0)
 *
 * A first point above probability 0 is an atom: so many flows have exactly that size. The mean is the one that a load
 * is divided by, so rounding to whole bytes is to the nearest and not down.
 */
#include "sim/workload/sizes.h"

#include <assert.h>
#include <string.h>

#include "sim/workload/size_tables.inc"

#define BYTES_MAX 1e15 /* keeps sums and differences of sizes exact in a double */

uint32_t size_table_count(void)
{
    return sizeof published_tables / sizeof published_tables[0];
}

const struct size_table *size_table_at(uint32_t index)
{
    assert(index < size_table_count());
    return &published_tables[index];
}

const struct size_table *size_table_find(const char *name)
{
    for (uint32_t i = 0; i < size_table_count(); i++)
        if (strcmp(published_tables[i].name, name) == 0)
            return &published_tables[i];
    return NULL;
}

/* What is wrong with point i, or null. Comparisons are written so that a NaN fails them. */
static const char *point_fault(const struct size_table *table, uint32_t i)
{
    const struct size_point *p = &table->points[i];
    if (!(p->bytes >= 0 && p->bytes <= BYTES_MAX))
        return "bytes are between 0 and 1e15";
    if (!(p->cumulative >= 0 && p->cumulative <= 1))
        return "the cumulative probability is between 0 and 1";
    if (i > 0 && p->bytes < p[-1].bytes)
        return "bytes never become smaller";
    if (i > 0 && p->cumulative < p[-1].cumulative)
        return "the cumulative probability never becomes smaller";
    if (i + 1 == table->count && p->cumulative < 1)
        return "the last cumulative probability is 1";
    return NULL;
}

bool size_table_check(struct size_table *table, struct weir_error *error)
{
    if (table->count == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "size table %s: it has no points", table->name);
    double mean = table->points[0].bytes * table->points[0].cumulative;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct size_point *p = &table->points[i];
        const char *fault = point_fault(table, i);
        if (fault)
            return weir_fail(error, WEIR_ERROR_INPUT, "size table %s: point %u (%g bytes, %g): %s", table->name, i + 1,
                             p->bytes, p->cumulative, fault);
        if (i > 0)
            mean += (p->bytes + p[-1].bytes) * 0.5 * (p->cumulative - p[-1].cumulative);
    }
    if (!(mean >= 1)) {
        weir_fail(error, WEIR_ERROR_INPUT, "size table %s: its mean is %g bytes; a flow has at least 1", table->name,
                  mean);
        return false;
    }
    table->mean_bytes = mean;
    return true;
}

int64_t size_table_draw(const struct size_table *table, struct weir_random *random)
{
    double u = weir_random_unit(random);
    uint32_t low = 0, high = table->count - 1; /* the first point with cumulative >= u is in [low, high] */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->points[middle].cumulative < u)
            low = middle + 1;
        else
            high = middle;
    }
    const struct size_point *p = &table->points[low];
    double bytes = p->bytes;
    if (low > 0)
        bytes = p[-1].bytes + (p->bytes - p[-1].bytes) * (u - p[-1].cumulative) / (p->cumulative - p[-1].cumulative);
    int64_t whole = (int64_t)(bytes + 0.5);
    return whole > 0 ? whole : 1;
}

/*
 * units.c - see units.h.
 */
#include "run/measures/units.h"

#include <assert.h>
#include <string.h>

const char *units_name(uint32_t unit)
{
    static const char *const names[UNITS_COUNT] = {"1", "s", "B", "bit/s"};
    return names[unit < UNITS_COUNT ? unit : 0];
}

uint32_t units_find(const char *name)
{
    uint32_t unit = 0;
    while (unit < UNITS_COUNT && strcmp(units_name(unit), name) != 0)
        unit++;
    return unit;
}

const char *units_own(const char *name)
{
    assert(units_find(name) < UNITS_COUNT);
    return units_name(units_find(name));
}

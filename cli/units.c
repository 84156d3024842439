/*
 * units.c - see units.h.
 */
#include "cli/units.h"

#include <stdio.h>

struct unit {
    double one;
    const char *name;
};

/* With four digits, in the first unit of five, from the largest on, that it has at least one of. */
static const char *text_in(const struct unit units[5], double value, char text[UNITS_TEXT_MAX])
{
    size_t i = 0;
    while (i < 4 && value < units[i].one)
        i++;
    snprintf(text, UNITS_TEXT_MAX, "%.4g%s", value / units[i].one, units[i].name);
    return text;
}

const char *units_time(double ps, char text[UNITS_TEXT_MAX])
{
    static const struct unit units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}};
    return text_in(units, ps, text);
}

const char *units_size(double bytes, char text[UNITS_TEXT_MAX])
{
    static const struct unit units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}};
    return text_in(units, bytes, text);
}

const char *units_rate(double bps, char text[UNITS_TEXT_MAX])
{
    static const struct unit units[] = {{1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}, {1, "bps"}};
    return text_in(units, bps, text);
}

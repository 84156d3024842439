/*
 * expression_number.c - numbers with units as doubles in base units, for labels, claims and expressions: see
 * expression.h. What a scenario's own values become is key.c's matter, which is exact and knows packets and buffers;
 * here "80% buffer" is only 0.8 on a chart.
 */
#include <string.h>

#include "scenario/experiment/expression.h"
#include "scenario/yaml/decimal.h"

struct unit {
    const char *suffix;
    uint64_t multiplier, divisor;
    const char *base;
};

static const struct unit units[] = {
    {"", 1, 1, ""},
    {"%", 1, 100, ""},
    {"x", 1, 1, ""},
    {"pkt", 1, 1, ""},
    {"% buffer", 1, 100, ""},
    {"/s", 1, 1, ""},
    {"ps", 1, 1000000000000, "s"},
    {"ns", 1, 1000000000, "s"},
    {"us", 1, 1000000, "s"},
    {"ms", 1, 1000, "s"},
    {"s", 1, 1, "s"},
    {"B", 1, 1, "B"},
    {"KB", 1000, 1, "B"},
    {"KiB", 1024, 1, "B"},
    {"MB", 1000000, 1, "B"},
    {"MiB", 1048576, 1, "B"},
    {"GB", 1000000000, 1, "B"},
    {"GiB", 1073741824, 1, "B"},
    {"bps", 1, 1, "bit/s"},
    {"Kbps", 1000, 1, "bit/s"},
    {"Mbps", 1000000, 1, "bit/s"},
    {"Gbps", 1000000000, 1, "bit/s"},
    {"Tbps", 1000000000000, 1, "bit/s"},
};

/* The length of the unit without "per port" or "per Gbps", which an axis keeps in its title. */
static size_t unit_length(const char *text)
{
    const char *per = strstr(text, " per ");
    bool known = per != NULL && (strcmp(per, " per port") == 0 || strcmp(per, " per Gbps") == 0);
    return known ? (size_t)(per - text) : strlen(text);
}

bool expression_number(const char *text, double *number, const char **unit)
{
    struct decimal decimal;
    if (!decimal_read(text, &decimal))
        return false;
    if (strcmp(decimal_rate_unit(decimal.rest), decimal.rest) != 0 &&
        (strchr(decimal.rest, '/') != NULL || strcmp(decimal.rest, "G") == 0)) /* "1K" may be anything */
        decimal.rest = decimal_rate_unit(decimal.rest);
    size_t length = unit_length(decimal.rest);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].suffix) != length || strncmp(units[i].suffix, decimal.rest, length) != 0)
            continue;
        /* one division: what is written in few digits becomes the nearest double */
        *number = (double)decimal.mantissa * (double)units[i].multiplier;
        *number /= (double)units[i].divisor * (double)decimal.one;
        *number = decimal.negative ? -*number : *number;
        *unit = units[i].base;
        return true;
    }
    return false;
}

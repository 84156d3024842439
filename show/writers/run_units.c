/*
 * run_units.c - see run.h.
 */
#include "cli/units.h"
#include "show/writers/run.h"

const char *run_duration(double ps, char text[32])
{
    return units_time(ps, text);
}

const char *run_size(double bytes, char text[32])
{
    return units_size(bytes, text);
}

const char *run_rate(double bps, char text[32])
{
    return units_rate(bps, text);
}

/*
 * clock.c - see clock.h. The only file of apps/ in which tools/tidy allows a clock.
 */
#include "cli/clock.h"

#include <time.h>

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/*
 * wall.c - see wall.h. Times of real traffic are what it measures, hence a clock here.
 */
#include "switch/traffic/wall.h"

#include <time.h>

int64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * WALL_S + now.tv_nsec;
}

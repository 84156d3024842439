/*
 * wheel.c - the part of wheel.h that is not on the packet path.
 */
#include <stdlib.h>

#include "sim/engine/wheel.h"

bool wheel_reserve(struct wheel *w, uint32_t places)
{
    if (places <= w->places)
        return true;
    struct wheel_place *at = realloc(w->at, (size_t)places * sizeof *at);
    if (!at)
        return false;
    w->at = at;
    w->places = places;
    return true;
}

void wheel_free(struct wheel *w)
{
    free(w->at);
    w->at = NULL;
    w->places = 0;
}

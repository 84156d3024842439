/*
 * wheel.c - the part of wheel.h that is not on the packet path.
 */
#include <assert.h>
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

void wheel_insert_in_list(struct wheel *w, uint32_t *first, uint32_t place)
{
    uint32_t *at = first;
    weir_ps when = w->at[place].when;
    while (*at != WHEEL_NONE && (w->at[*at].when < when || (w->at[*at].when == when && *at < place)))
        at = &w->at[*at].next;
    assert(*at != place); /* it is in already */
    w->at[place].next = *at;
    *at = place;
}

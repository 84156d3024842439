/*
 * idle.c - see idle.h.
 */
#include "switch/traffic/idle.h"

#include <stdlib.h>

bool idle_init(struct idle *idle, uint32_t places)
{
    *idle = (struct idle){.places = places, .first = calloc((size_t)places + 1, sizeof *idle->first)};
    return idle->first != NULL;
}

void idle_free(struct idle *idle)
{
    free(idle->first);
    *idle = (struct idle){.places = 0};
}

void idle_put(struct idle *idle, uint32_t place, struct idle_link *link)
{
    struct idle_link *next = idle->first[place];
    *link = (struct idle_link){.next = next, .place = place};
    if (next)
        next->previous = link;
    idle->first[place] = link;
}

void idle_remove(struct idle *idle, struct idle_link *link)
{
    if (link->place == IDLE_NOWHERE)
        return;
    *(link->previous ? &link->previous->next : &idle->first[link->place]) = link->next;
    if (link->next)
        link->next->previous = link->previous;
    link->place = IDLE_NOWHERE;
}

struct idle_link *idle_take(struct idle *idle, uint32_t place)
{
    struct idle_link *link = idle->first[place];
    if (link)
        idle_remove(idle, link);
    return link;
}

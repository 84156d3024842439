/*
 * idle.h - connections that wait for their next flow, by the host and transport they lead to. The one that came last is
 * taken first: it is the one whose window says most about the network now.
 */
#ifndef TRAFFIC_IDLE_H
#define TRAFFIC_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* Member of a connection. */
struct idle_link {
    struct idle_link *next, *previous;
    uint32_t place; /* host and transport: IDLE_NOWHERE while it is not waiting */
};

#define IDLE_NOWHERE UINT32_MAX

struct idle {
    uint32_t places;
    struct idle_link **first; /* [places] */
};

bool idle_init(struct idle *idle, uint32_t places); /* false: out of memory */
void idle_free(struct idle *idle);                  /* the connections stay the caller's */

void idle_put(struct idle *idle, uint32_t place, struct idle_link *link);
struct idle_link *idle_take(struct idle *idle, uint32_t place); /* null: none waits */

/* It was closed while it waited; nothing to do when it did not wait. */
void idle_remove(struct idle *idle, struct idle_link *link);

#endif

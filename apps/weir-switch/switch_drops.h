/*
 * switch_drops.h - dropped frames, from the switch to a capture file. The switch keeps copies in a ring; here they are
 * taken out and written.
 */
#ifndef WEIR_SWITCH_DROPS_H
#define WEIR_SWITCH_DROPS_H

#include "pcapng.h"

struct switch_drops {
    const char *path;              /* null: nothing is captured */
    struct pcapng *capture;        /* null: it failed, or nothing is captured */
    struct dataplane_drop *copies; /* what is taken out at once */
    uint64_t written;
};

/* Begins. False after one line. Close either way. */
bool switch_drops_open(struct switch_drops *drops, struct dataplane *dataplane, const char *path, uint32_t ports);

/* Writes what has come; to be called often. A file that cannot be written is told about once and given up. */
void switch_drops_drain(struct switch_drops *drops, struct dataplane *dataplane);

/* Drains and gives the file its name. False after one line. */
bool switch_drops_close(struct switch_drops *drops, struct dataplane *dataplane);

#endif

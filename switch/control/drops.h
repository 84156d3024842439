/*
 * drops.h - dropped frames, from the switch to a capture file. The switch keeps copies in a ring; here they are
 * taken out and written, until the file is as long as it may be: a switch that drops at full rate fills a disk in
 * minutes.
 */
#ifndef CONTROL_DROPS_H
#define CONTROL_DROPS_H

#include "switch/control/pcapng.h"

struct switch_drops {
    const char *path;              /* null: nothing is captured */
    struct pcapng *capture;        /* null: it is full, it failed, or nothing is captured */
    bool full;                     /* it has as many bytes as it may have, and is whole */
    uint64_t bytes_max;            /* of the file */
    struct dataplane_drop *copies; /* what is taken out at once */
    uint64_t written;
};

/* Begins a capture of drops->path with at most drops->bytes_max bytes. False after one line. Close either way. */
bool switch_drops_open(struct switch_drops *drops, struct dataplane *dataplane, uint32_t ports);

/* Writes what has come; to be called often. A file that is full is ended, one that cannot be written is given up: both
 * are told about once. */
void switch_drops_drain(struct switch_drops *drops, struct dataplane *dataplane);

/* Drains and gives the file its name. False after one line. */
bool switch_drops_close(struct switch_drops *drops, struct dataplane *dataplane);

#endif

/*
 * switch_drops.c - see switch_drops.h.
 */
#include "switch_drops.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/weir/cli.h"
#include "apps/weir/version.h"

#define DROPS_KEPT 4096u /* some 8 MiB */
#define DROPS_AT_ONCE 64u

bool switch_drops_open(struct switch_drops *drops, struct dataplane *dataplane, const char *path, uint32_t ports)
{
    char message[WEIR_MESSAGE_MAX], program[64];
    *drops = (struct switch_drops){.path = path, .copies = calloc(DROPS_AT_ONCE, sizeof *drops->copies)};
    if (drops->copies == NULL) {
        cli_error_memory();
        return false;
    }
    snprintf(program, sizeof program, "weir-switch %s", version_text());
    drops->capture = pcapng_open(path, program, ports, message);
    if (drops->capture == NULL) {
        cli_error(CLI_INTERNAL, "--drops: %s", message);
        return false;
    }
    if (dataplane_drops_keep(dataplane, DROPS_KEPT))
        return true;
    cli_error_memory();
    return false;
}

void switch_drops_drain(struct switch_drops *drops, struct dataplane *dataplane)
{
    char message[WEIR_MESSAGE_MAX];
    if (drops->capture == NULL)
        return;
    uint32_t count, all = 0;
    while ((count = dataplane_drops_take(dataplane, drops->copies, DROPS_AT_ONCE)) > 0) {
        uint64_t missed = dataplane_drops_missed(dataplane);
        for (uint32_t i = 0; i < count; i++)
            pcapng_write(drops->capture, &drops->copies[i], missed);
        all += count;
        if (all >= DROPS_KEPT)
            break; /* others wait */
    }
    drops->written += all;
    if (all == 0 || pcapng_flush(drops->capture, message))
        return;
    cli_error(CLI_INTERNAL, "--drops: given up: %s", message);
    dataplane_drops_keep(dataplane, 0);
    pcapng_close(drops->capture, message);
    drops->capture = NULL;
}

bool switch_drops_close(struct switch_drops *drops, struct dataplane *dataplane)
{
    char message[WEIR_MESSAGE_MAX];
    bool good = true;
    switch_drops_drain(drops, dataplane);
    if (drops->capture != NULL && !pcapng_close(drops->capture, message)) {
        cli_error(CLI_INTERNAL, "--drops: %s", message);
        good = false;
    }
    good = good && (drops->path == NULL || drops->capture != NULL);
    free(drops->copies);
    *drops = (struct switch_drops){.path = NULL};
    return good;
}

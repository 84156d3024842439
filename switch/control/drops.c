/*
 * drops.c - see drops.h.
 */
#include "switch/control/drops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/version.h"

#define DROPS_KEPT 4096u /* some 8 MiB */
#define DROPS_AT_ONCE 64u

static void report(struct weir_error *error, const char *before)
{
    char line[WEIR_ERROR_LINE_MAX];
    cli_error(CLI_INTERNAL, "%s%s", before, weir_error_line(error, line));
}

bool switch_drops_open(struct switch_drops *drops, struct dataplane *dataplane, uint32_t ports)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char program[64];
    drops->copies = calloc(DROPS_AT_ONCE, sizeof *drops->copies);
    if (drops->copies == NULL) {
        cli_error_memory();
        return false;
    }
    snprintf(program, sizeof program, "weir-switch %s", version_text());
    drops->capture = pcapng_open(drops->path, program, ports, &error);
    if (drops->capture == NULL) {
        report(&error, "--drops: ");
        return false;
    }
    if (dataplane_drops_keep(dataplane, DROPS_KEPT))
        return true;
    cli_error_memory();
    return false;
}

void switch_drops_drain(struct switch_drops *drops, struct dataplane *dataplane)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (drops->capture == NULL)
        return;
    uint32_t count, all = 0; /* no more than the ring holds: others wait */
    while (all < DROPS_KEPT && !drops->full &&
           (count = dataplane_drops_take(dataplane, drops->copies, DROPS_AT_ONCE)) > 0) {
        /* As many as fit into the file. */
        uint64_t missed = dataplane_drops_missed(dataplane);
        for (uint32_t i = 0; i < count && !drops->full; i++) {
            pcapng_write(drops->capture, &drops->copies[i], missed);
            drops->written++;
            drops->full = pcapng_bytes(drops->capture) + PCAPNG_FRAME_MAX_BYTES > drops->bytes_max;
        }
        all += count;
    }
    bool good = all == 0 || pcapng_flush(drops->capture, &error);
    if (good && !drops->full)
        return;
    dataplane_drops_keep(dataplane, 0);
    if (!good)
        report(&error, "--drops: given up: ");
    if (!pcapng_close(drops->capture, &error) && good) {
        report(&error, "--drops: ");
        good = false;
    }
    if (good)
        cli_error(CLI_OK,
                  "warning: --drops: %s is full with %" PRIu64 " frames, further ones are only counted "
                  "(--drops-max makes it longer)",
                  drops->path, drops->written);
    drops->full = good;
    drops->capture = NULL;
}

bool switch_drops_close(struct switch_drops *drops, struct dataplane *dataplane)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = true;
    switch_drops_drain(drops, dataplane);
    if (drops->capture != NULL && !pcapng_close(drops->capture, &error)) {
        report(&error, "--drops: ");
        good = false;
    }
    good = good && (drops->path == NULL || drops->capture != NULL || drops->full);
    free(drops->copies);
    *drops = (struct switch_drops){.path = NULL};
    return good;
}

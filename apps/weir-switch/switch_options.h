/*
 * switch_options.h - the command line of weir-switch.
 */
#ifndef WEIR_SWITCH_OPTIONS_H
#define WEIR_SWITCH_OPTIONS_H

#include "dpdk/config.h"
#include "experiment/plan.h"

struct switch_options {
    const char *file;
    struct run_changes changes; /* --set */
    const char *devices[DATAPLANE_PORTS_MAX];
    uint32_t device_count;
    uint64_t scale;      /* 0: as the file says */
    const char *control; /* null: the usual place */
    uint64_t prometheus; /* port; 0: none */
    const char *trace, *drops;
    int64_t drops_max_bytes;
    uint64_t memory; /* that is traced */
    bool print_config, quiet;
};

/* CLI_OK; `stop`: there is nothing more to do, return the code. */
int switch_options_read(struct switch_options *options, int argc, char **argv, bool *stop);

/* The scenario of the file with the options' changes. Errors and warnings are reported: an exit code. Release with
 * scenario_free either way. */
int switch_options_scenario(const struct switch_options *options, struct scenario *scenario);

#endif

/*
 * cmd_slot.c - `weir slot`: the slotted model of the theory papers. Its commands are in cmd_slot_*.c.
 */
#include "cmd_slot.h"

const struct cli_command cmd_slot = {
    .name = "slot",
    .summary = "run policies in the slotted model of the theory papers",
    .about =
        "Unit packets, N ports, a buffer of B packets; in each slot the arrivals in order, then every port sends one "
        "packet.",
    .examples = "weir slot run --policy lqd --policy dt:alpha=0.5 --optimum",
};

const struct weir_param cmd_slot_interval = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = INT64_C(1) << 46};

int cmd_slot_report(enum slot_status status, const char *message)
{
    switch (status) {
    case SLOT_OK:
        return CLI_OK;
    case SLOT_NO_MEMORY:
        return cli_error_memory();
    case SLOT_BAD_INPUT:
        return cli_error(CLI_INPUT, "%s", message);
    case SLOT_NOT_WRITTEN:
        break;
    }
    return CLI_INTERNAL;
}

/*
 * cmd_slot.c - `weir slot`: the slotted model of the theory papers. Its commands are in cmd_slot_*.c.
 */
#include "cli/command.h"

const struct cli_command cmd_slot = {
    .name = "slot",
    .summary = "run policies in the slotted model of the theory papers",
    .about =
        "Unit packets, N ports, a buffer of B packets. In each slot packets arrive in order, then every port sends "
        "one.",
    .examples = "weir slot run --policy lqd --policy dt:alpha=0.5 --optimum",
};

/*
 * rtl.h - a recorded trace through the hardware (hw/rtl/), which verilator makes a program of for the shape of the
 * trace.
 */
#ifndef TRACE_RTL_H
#define TRACE_RTL_H

#include "weir/mmu.h"

struct replay_report;

/* What of a trace shapes the hardware. */
struct rtl_shape {
    const char *lacks; /* what the hardware does not have of it; null: it has all */
    int alpha_exp[WEIR_CLASSES_MAX];
    uint32_t packets_max;      /* descriptors */
    uint32_t packet_bytes_max; /* the longest packet */
};

/* Of a configuration; values are those of its egress policy. What happens in the trace is not looked at. */
void rtl_shape_init(struct rtl_shape *shape, const struct weir_mmu_config *config, const struct weir_values *values);

/* Runs the trace through the hardware and prints "rtl agrees" or what differs. `report` is that of its replay. CLI_OK,
 * CLI_VIOLATION, or another exit code after one line on stderr: the hardware cannot run it, or a tool is missing. */
int rtl_replay(const char *path, const struct replay_report *report);

#endif

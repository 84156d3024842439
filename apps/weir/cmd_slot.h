/*
 * cmd_slot.h - what the commands of `weir slot` share: sizes of the model, and its errors.
 */
#ifndef WEIR_CMD_SLOT_H
#define WEIR_CMD_SLOT_H

#include "cli/command.h"
#include "cli/page.h"
#include "slot/status.h"

#define CMD_SLOT_PORTS_MAX 4096u /* as many packets as one call of the MMU may lose */
#define CMD_SLOT_BUFFER_MAX 100000000u
#define CMD_SLOT_SLOTS_MAX UINT64_C(1000000000)

/* A positive number of slots with a fraction, "352" or "12.5". */
extern const struct weir_param cmd_slot_interval;

/* The exit code of a status, after one line on stderr unless it is fine or whoever could not write has said so. */
int cmd_slot_report(enum slot_status status, const char *message);

#endif

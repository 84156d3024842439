/*
 * unpack.h - compressed traces as files of a scenario.
 */
#ifndef TRACE_UNPACK_H
#define TRACE_UNPACK_H

#include "scenario/read/scenario.h"

/* For struct scenario_files. */
enum scenario_unpacked run_unpack(uint8_t **bytes, size_t *size, char message[WEIR_MESSAGE_MAX]);

#endif

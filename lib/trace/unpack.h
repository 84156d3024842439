/*
 * unpack.h - compressed traces as files of a scenario.
 */
#ifndef TRACE_UNPACK_H
#define TRACE_UNPACK_H

#include "scenario/read/scenario.h"

/* For struct scenario_files. */
bool trace_unpack(uint8_t **bytes, size_t *size, struct weir_error *error);

#endif

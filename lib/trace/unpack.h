/*
 * unpack.h - compressed files of a scenario: traces as weir writes them, in zstd, and jobs in gzip.
 */
#ifndef TRACE_UNPACK_H
#define TRACE_UNPACK_H

#include "scenario/read/scenario.h"

/* For struct scenario_files. Bytes that are compressed in neither way stay. */
bool trace_unpack(uint8_t **bytes, size_t *size, struct weir_error *error);

/* Of bytes that begin as gzip does. */
bool trace_gunzip(uint8_t **bytes, size_t *size, struct weir_error *error);

#endif

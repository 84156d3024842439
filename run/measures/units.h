/*
 * units.h - the units that measures come in. Everything is stored in base units; prefixes are for display.
 */
#ifndef MEASURES_UNITS_H
#define MEASURES_UNITS_H

#include <stdint.h>

#define UNITS_COUNT 4u

/* A unit by its number; that of plain numbers when there is none of this number. */
const char *units_name(uint32_t unit);

/* UNITS_COUNT: it is none of them. */
uint32_t units_find(const char *name);

/* The same text with a life of its own; it must be one of them. */
const char *units_own(const char *name);

#endif

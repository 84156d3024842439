/*
 * units.h - times, sizes and rates as text shows them, with four digits: "12.34us", "1.5MB", "9.8Gbps".
 */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#define UNITS_TEXT_MAX 32u

const char *units_time(double ps, char text[UNITS_TEXT_MAX]);
const char *units_size(double bytes, char text[UNITS_TEXT_MAX]);
const char *units_rate(double bps, char text[UNITS_TEXT_MAX]);

#endif

/*
 * decimal.h - decimal numbers as they are written: digits as an integer and a power of ten, so that nothing is lost
 * before a unit scales them (key.c) or a range counts with them (range.c).
 */
#ifndef SCENARIO_YAML_DECIMAL_H
#define SCENARIO_YAML_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#define DECIMAL_DIGITS_MAX 18u

struct decimal {
    uint64_t mantissa, one; /* value = mantissa / one, one is a power of ten */
    bool negative;
    const char *rest; /* what stands behind the digits and spaces: the unit */
};

/* [-]digits[.digits] and anything behind it. False: no number, or more than DECIMAL_DIGITS_MAX digits. */
bool decimal_read(const char *text, struct decimal *decimal);

/* "Gbps" of "G", "Gb/s" and "Gbit/s", where a rate is meant; anything else as it is. */
const char *decimal_rate_unit(const char *rest);

#endif

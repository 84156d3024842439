/*
 * fixed.h - fixed-point arithmetic of buffer decisions. No decision uses floating point, so that C, Verilog and
 * every compiler agree bit for bit; products saturate instead of wrapping.
 */
#ifndef WEIR_FIXED_H
#define WEIR_FIXED_H

#include <assert.h>

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* floor(ratio * value), saturating; both arguments are at least 0. */
static inline int64_t weir_q16_mul(weir_q16 ratio, int64_t value)
{
    int64_t product;
    assert(ratio >= 0 && value >= 0);
    if (__builtin_mul_overflow(ratio, value, &product))
        return INT64_MAX >> 16;
    return product >> 16;
}

/* floor(num / den) as Q16; den > 0, 0 <= num < 2^47. */
static inline weir_q16 weir_q16_div(int64_t num, int64_t den)
{
    assert(num >= 0 && num < INT64_C(1) << 47 && den > 0);
    return (num << 16) / den;
}

/* Cells that `bytes` occupy: rounded up, since a cell is not shared by two packets. */
static inline weir_cells weir_cells_for_bytes(int64_t bytes, uint32_t cell_bytes)
{
    assert(bytes >= 0 && cell_bytes > 0);
    return cell_bytes == 1 ? bytes : (bytes + cell_bytes - 1) / cell_bytes;
}

/*
 * ceil(bytes / unit) without a division, for the packet path: multiply by a prepared inverse. Exact for bytes and
 * units up to 2^20, because the inverse is too large by less than 2^-42 of the dividend, which is below 1 / unit.
 */
static inline uint64_t weir_unit_inverse(uint32_t unit)
{
    assert(unit > 0 && unit <= 1u << 20);
    return ((UINT64_C(1) << 42) + unit - 1) / unit;
}

static inline uint32_t weir_units_for_bytes(uint32_t bytes, uint32_t unit, uint64_t inverse)
{
    assert(bytes <= 1u << 20 && inverse > 0);
    return (uint32_t)((bytes + unit - 1) * inverse >> 42);
}

__extension__ typedef unsigned __int128 weir_wide; /* for products of a size and a rate */

/* Sizes of parts that are laid out one after the other, each on its own cache line. */
static inline size_t weir_align(size_t size)
{
    return (size + 63) / 64 * 64;
}

static inline uint32_t weir_next_power_of_two(uint32_t n)
{
    return n <= 1 ? 1 : UINT32_C(2) << (31 - __builtin_clz(n - 1));
}

#ifdef __cplusplus
}
#endif

#endif

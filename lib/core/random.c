/*
 * random.c - draws from a counter-based stream, and logarithm and exponential in plain arithmetic.
 *
 * A libm may use fused multiply-add or another polynomial on another CPU, and one different last bit in an
 * inter-arrival time sends a whole simulation another way. Here only +, -, * and / of IEEE doubles are used, each
 * correctly rounded by the standard, in an order fixed by the source. The build forbids contraction.
 *
 *   log x = e ln 2 + 2 atanh((m - 1) / (m + 1))   with  x = m 2^e  and  m in [sqrt(1/2), sqrt(2))
 *   exp x = 2^k e^r                               with  x = k ln 2 + r  and  |r| <= ln(2) / 2
 *
 * ln 2 is split in two, the first part so short that its product with the exponent is exact.
 */
#include "weir/random.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)
#error "results must not depend on the compiler: doubles have to be evaluated as doubles, without -ffast-math"
#endif

#define LN2_HIGH 0x1.62e42feep-1         /* the first 32 bits of ln 2 */
#define LN2_LOW 0x1.a39ef35793c76p-33    /* ln 2 - LN2_HIGH */
#define INVERSE_LN2 0x1.71547652b82fep+0 /* 1 / ln 2 */
#define SQRT2 0x1.6a09e667f3bcdp+0
#define EXP_MAX 709.782712893384     /* e^x is finite up to it */
#define EXP_MIN (-745.1332191019412) /* e^x is above 0 from it */
#define ATANH_TERMS 12
#define EXP_TERMS 14

struct weir_random weir_random_stream(uint64_t seed, const char *name)
{
    uint64_t key = weir_hash(seed, 0);
    for (const char *c = name; *c != '\0'; c++)
        key = weir_hash(key, (unsigned char)*c);
    return (struct weir_random){key, 0};
}

/* The high 32 bits of the 96-bit product bits * n. */
uint32_t weir_random_below(struct weir_random *r, uint32_t n)
{
    assert(n > 0);
    uint64_t bits = weir_random_bits(r);
    uint64_t low = (bits & UINT32_MAX) * n;
    uint64_t high = (bits >> 32) * n;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

/* 52 bits and a half: neither 0 nor 1 can come out, and every value is exact. */
double weir_random_unit(struct weir_random *r)
{
    return ((double)(weir_random_bits(r) >> 12) + 0.5) * 0x1p-52;
}

double weir_random_exponential(struct weir_random *r, double mean)
{
    return -mean * weir_log(weir_random_unit(r));
}

/* Marsaglia's polar method: the first of a pair; a square root is e^(log / 2). */
double weir_random_normal(struct weir_random *r)
{
    double x, square;
    do {
        x = 2 * weir_random_unit(r) - 1;
        double y = 2 * weir_random_unit(r) - 1;
        square = x * x + y * y;
    } while (square >= 1);
    return x * weir_exp(0.5 * weir_log(-2 * weir_log(square) / square));
}

/* e^(m + s N) has the mean e^(m + s^2/2) and the squared variation e^(s^2) - 1. */
double weir_random_lognormal(struct weir_random *r, double mean, double variation)
{
    if (!(variation > 0))
        return mean;
    double square = weir_log(1 + variation * variation);
    double deviation = weir_exp(0.5 * weir_log(square));
    return mean * weir_exp(deviation * weir_random_normal(r) - 0.5 * square);
}

static uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^k for a k whose result is a normal number. */
static double power_of_two(int k)
{
    return double_of_bits((uint64_t)(k + 1023) << 52);
}

double weir_log(double x)
{
    assert(x > 0 && x <= DBL_MAX);
    int exponent = 0;
    if (x < DBL_MIN) { /* subnormal: give it a full mantissa first */
        x *= 0x1p54;
        exponent = -54;
    }
    uint64_t bits = bits_of_double(x);
    exponent += (int)(bits >> 52) - 1023;
    double m = double_of_bits((bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
    if (m >= SQRT2) {
        m *= 0.5;
        exponent += 1;
    }
    double f = (m - 1) / (m + 1);
    double square = f * f;
    double sum = 0;
    for (int n = ATANH_TERMS; n > 0; n--)
        sum = (sum + 1.0 / (2 * n + 1)) * square;
    return exponent * LN2_HIGH + (exponent * LN2_LOW + 2 * (f + f * sum));
}

double weir_exp(double x)
{
    assert(x == x);
    if (x > EXP_MAX)
        return double_of_bits(UINT64_C(0x7ff0000000000000));
    if (x < EXP_MIN)
        return 0;
    int k = (int)(x * INVERSE_LN2 + (x < 0 ? -0.5 : 0.5));
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double sum = 1;
    for (int n = EXP_TERMS; n > 0; n--)
        sum = 1 + sum * r / n;
    /* In two steps, since 2^k alone may be out of range where e^x is not. */
    int half = k / 2;
    return sum * power_of_two(half) * power_of_two(k - half);
}

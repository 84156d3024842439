/*
 * random.h - counter-based random streams. A draw is a hash of (key, counter): a component derives its key from the
 * run's seed and its own name, draws without touching anybody else's stream, and any draw can be repeated alone.
 * Logarithm and exponential are computed here in plain arithmetic, so that results do not depend on a libm.
 */
#ifndef WEIR_RANDOM_H
#define WEIR_RANDOM_H

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_random {
    uint64_t key;
    uint64_t counter;
};

/* The n-th draw of the stream `key`: a bijection of n for fixed key, well mixed in both (SplitMix64's finaliser). */
static inline uint64_t weir_hash(uint64_t key, uint64_t n)
{
    uint64_t x = key + (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t weir_random_bits(struct weir_random *r)
{
    return weir_hash(r->key, r->counter++);
}

/* The stream of component `name` in a run with this seed. */
struct weir_random weir_random_stream(uint64_t seed, const char *name);

/* Uniform in [0, n), n > 0: without bias worth measuring for n < 2^32. */
uint32_t weir_random_below(struct weir_random *r, uint32_t n);

/* Uniform in (0, 1). */
double weir_random_unit(struct weir_random *r);

/* Exponential with this mean. */
double weir_random_exponential(struct weir_random *r, double mean);

/* Normal with mean 0 and standard deviation 1. */
double weir_random_normal(struct weir_random *r);

/* Log-normal with this mean, its standard deviation being `variation` times the mean; variation 0: the mean. */
double weir_random_lognormal(struct weir_random *r, double mean, double variation);

/* Natural logarithm of x > 0 and e^x, in plain IEEE arithmetic: within 1e-12 relative, the same bits everywhere. */
double weir_log(double x);
double weir_exp(double x);

#ifdef __cplusplus
}
#endif

#endif

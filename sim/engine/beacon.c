/*
 * beacon.c - see beacon.h. A sleeper counts itself before it looks for the last time, and who raises the value looks
 * for sleepers afterwards: one of the two sees the other.
 */
#define _GNU_SOURCE 1
#include "sim/engine/beacon.h"

#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#else
#include <sched.h>
#endif

#include "sim/engine/processors.h"

#define BEACON_LOOKS 2048u /* some 50 us */
#define BEACON_TRIES 256u  /* waits after which it is patient again */

static void beacon_rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Sleeps while the value is the one that was seen; wakes who sleeps. A system without futexes, as that of a browser,
 * lets others run instead. `apart`: by other processes; else for_ns is 0, for ever. */
#ifdef __linux__
static void sleep_on(uint32_t *value, uint32_t seen, bool apart, uint32_t for_ns)
{
    const struct timespec time = {.tv_nsec = (long)for_ns};
    (void)syscall(SYS_futex, value, apart ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, seen, apart ? &time : NULL, NULL, 0);
}

static void wake_up(uint32_t *value, bool apart)
{
    (void)syscall(SYS_futex, value, apart ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
#else
static void sleep_on(uint32_t *value, uint32_t seen, bool apart, uint32_t for_ns)
{
    (void)value;
    (void)seen;
    (void)apart;
    (void)for_ns;
    sched_yield();
}

static void wake_up(uint32_t *value, bool apart)
{
    (void)value;
    (void)apart;
}
#endif

static void raise_value(struct beacon *beacon, uint32_t value, bool apart)
{
    __atomic_store_n(&beacon->value, value, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&beacon->sleepers, __ATOMIC_SEQ_CST) > 0)
        wake_up(&beacon->value, apart);
}

void beacon_raise(struct beacon *beacon, uint32_t value)
{
    raise_value(beacon, value, false);
}

void beacon_raise_apart(struct beacon *beacon, uint32_t value)
{
    raise_value(beacon, value, true);
}

static void sleep_until(struct beacon *beacon, uint32_t value, bool apart, uint32_t for_ns)
{
    uint32_t seen;
    __atomic_fetch_add(&beacon->sleepers, 1, __ATOMIC_SEQ_CST);
    while ((int32_t)((seen = __atomic_load_n(&beacon->value, __ATOMIC_SEQ_CST)) - value) < 0) {
        sleep_on(&beacon->value, seen, apart, for_ns);
        if (apart)
            break;
    }
    __atomic_fetch_sub(&beacon->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* True when the value came. */
static bool look_for(const struct beacon *beacon, uint32_t value, uint32_t looks)
{
    for (uint32_t i = 0; i < looks; i++) {
        if (beacon_is_at(beacon, value))
            return true;
        beacon_rest();
    }
    return beacon_is_at(beacon, value);
}

/* Likewise, without sleep. */
static bool look_patiently(const struct beacon *beacon, uint32_t value, struct patience *patience)
{
    if (++patience->waits % BEACON_TRIES == 0) /* the machine may have come to rest */
        patience->looks = patience->most;
    bool came = look_for(beacon, value, patience->looks);
    uint32_t longer = 2 * patience->looks < patience->most ? 2 * patience->looks : patience->most;
    patience->looks = came ? longer : patience->looks / 2;
    return came;
}

void beacon_await(struct beacon *beacon, uint32_t value, struct patience *patience)
{
    if (!look_patiently(beacon, value, patience))
        sleep_until(beacon, value, false, 0);
}

bool beacon_await_apart(struct beacon *beacon, uint32_t value, struct patience *patience, uint32_t sleep_ns)
{
    if (!look_patiently(beacon, value, patience))
        sleep_until(beacon, value, true, sleep_ns);
    return beacon_is_at(beacon, value);
}

struct patience beacon_patience(uint32_t threads)
{
    uint32_t looks = processors_count() < threads ? 0 : BEACON_LOOKS;
    return (struct patience){.looks = looks, .most = looks};
}

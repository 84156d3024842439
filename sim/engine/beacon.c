/*
 * beacon.c - see beacon.h. A sleeper counts itself before it looks for the last time, and who raises the value looks
 * for sleepers afterwards: one of the two sees the other.
 */
#define _GNU_SOURCE 1
#include "sim/engine/beacon.h"

#include <sched.h>
#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

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
 * lets others run instead. */
#ifdef __linux__
static void sleep_on(uint32_t *value, uint32_t seen)
{
    (void)syscall(SYS_futex, value, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake_up(uint32_t *value)
{
    (void)syscall(SYS_futex, value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static uint32_t processors(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (uint32_t)CPU_COUNT(&allowed) : UINT32_MAX;
}
#else
static void sleep_on(uint32_t *value, uint32_t seen)
{
    (void)value;
    (void)seen;
    sched_yield();
}

static void wake_up(uint32_t *value)
{
    (void)value;
}

static uint32_t processors(void)
{
    return 1;
}
#endif

void beacon_raise(struct beacon *beacon, uint32_t value)
{
    __atomic_store_n(&beacon->value, value, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&beacon->sleepers, __ATOMIC_SEQ_CST) > 0)
        wake_up(&beacon->value);
}

static void beacon_sleep(struct beacon *beacon, uint32_t value)
{
    uint32_t seen;
    __atomic_fetch_add(&beacon->sleepers, 1, __ATOMIC_SEQ_CST);
    while ((seen = __atomic_load_n(&beacon->value, __ATOMIC_SEQ_CST)) != value)
        sleep_on(&beacon->value, seen);
    __atomic_fetch_sub(&beacon->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* True when the value came. */
static bool beacon_look(const struct beacon *beacon, uint32_t value, uint32_t looks)
{
    for (uint32_t i = 0; i < looks; i++) {
        if (__atomic_load_n(&beacon->value, __ATOMIC_ACQUIRE) == value)
            return true;
        beacon_rest();
    }
    return __atomic_load_n(&beacon->value, __ATOMIC_ACQUIRE) == value;
}

void beacon_await(struct beacon *beacon, uint32_t value, struct patience *patience)
{
    if (++patience->waits % BEACON_TRIES == 0) /* the machine may have come to rest */
        patience->looks = patience->most;
    if (beacon_look(beacon, value, patience->looks)) {
        patience->looks = 2 * patience->looks < patience->most ? 2 * patience->looks : patience->most;
        return;
    }
    patience->looks /= 2;
    beacon_sleep(beacon, value);
}

struct patience beacon_patience(uint32_t threads)
{
    uint32_t looks = processors() < threads ? 0 : BEACON_LOOKS;
    return (struct patience){.looks = looks, .most = looks};
}

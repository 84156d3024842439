/*
 * beacon.h - a number by which one thread tells others how far it is. Who waits for it looks for a while before it
 * sleeps: windows of time are short, and to wake a thread takes longer than most of them differ. On a machine that is
 * busy with something else the other thread may not run at all; each fruitless spin shortens the next.
 *
 * Numbers only grow, and may have wrapped. A beacon in memory that processes share is raised and awaited by the calls
 * for that.
 */
#ifndef SIM_ENGINE_BEACON_H
#define SIM_ENGINE_BEACON_H

#include <stdbool.h>
#include <stdint.h>

struct beacon {
    uint32_t value;
    uint32_t sleepers;
};

/* Sets the value; what was done before is seen by who waited for it. */
void beacon_raise(struct beacon *beacon, uint32_t value);

/* Of one who waits. */
struct patience {
    uint32_t looks; /* before it sleeps */
    uint32_t most;
    uint32_t waits; /* so far */
};

/* Of one of so many threads: none when there are more of them than processors. Of 1: as if there were enough. */
struct patience beacon_patience(uint32_t threads);

/* True when the value is this one, or a later one. */
static inline bool beacon_is_at(const struct beacon *beacon, uint32_t value)
{
    return (int32_t)(__atomic_load_n(&beacon->value, __ATOMIC_ACQUIRE) - value) >= 0;
}

/* Waits until it is. */
void beacon_await(struct beacon *beacon, uint32_t value, struct patience *patience);

/* Between processes. A process that has died raises nothing: who waits sleeps at most for so long, and false says that
 * the value is not there. */
void beacon_raise_apart(struct beacon *beacon, uint32_t value);
bool beacon_await_apart(struct beacon *beacon, uint32_t value, struct patience *patience, uint32_t sleep_ns);

#endif

/*
 * beacon.h - a number by which one thread tells others how far it is. Who waits for it looks for a while before it
 * sleeps: windows of time are short, and to wake a thread takes longer than most of them differ.
 */
#ifndef SIM_ENGINE_BEACON_H
#define SIM_ENGINE_BEACON_H

#include <stdbool.h>
#include <stdint.h>

struct beacon {
    _Alignas(64) uint32_t value;
    uint32_t sleepers;
};

/* Sets the value; what was done before is seen by who waited for it. */
void beacon_raise(struct beacon *beacon, uint32_t value);

/* Waits until the value is this one; `looks` before it sleeps. */
void beacon_await(struct beacon *beacon, uint32_t value, uint32_t looks);

/* How often to look: not at all when there are more threads than processors. */
uint32_t beacon_looks(uint32_t threads);

#endif

/*
 * naive.h - the slow, obvious model that everything else is checked against.
 *
 * It holds each queue as a plain list and each policy as a few lines that scan all queues, written from the policy's
 * rule and not from the library's code. It has no scheduler and no marking, and pauses that peers ask of it do not
 * matter: it hears which account a port chose and says what should have happened to the packet, and what of an input
 * port ought to be paused.
 */
#ifndef WEIR_NAIVE_H
#define WEIR_NAIVE_H

#include "weir/mmu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_naive;

struct weir_naive_lost {
    uint32_t index; /* low bits of the arrival index */
    weir_account account;
    enum weir_cause cause;
};

struct weir_naive_result {
    bool accepted;                      /* arrive */
    enum weir_reason reason;            /* arrive, refused */
    bool sent;                          /* leave: transmitted, else dropped at dequeue */
    uint32_t index;                     /* leave: arrival index of the packet */
    uint32_t lost_count;                /* packets lost from the buffer, in order */
    const struct weir_naive_lost *lost; /* valid until the next call */
};

/* Null when memory is short or the config has an unknown policy. */
struct weir_naive *weir_naive_new(const struct weir_mmu_config *config);
void weir_naive_free(struct weir_naive *naive);

struct weir_naive_result weir_naive_arrive(struct weir_naive *naive, const struct weir_packet *packet, weir_ps now);

/* The scheduler chose this account: its head is transmitted or, if the policy says so, dropped. */
struct weir_naive_result weir_naive_leave(struct weir_naive *naive, weir_account account, weir_ps now);

/* The port looked for a packet and found none. */
void weir_naive_idle(struct weir_naive *naive, weir_port port, weir_ps now);

struct weir_naive_result weir_naive_offer_expel(struct weir_naive *naive, weir_ps now);
struct weir_naive_result weir_naive_flush_classes(struct weir_naive *naive, weir_port port, uint32_t class_mask,
                                                  weir_ps now);
void weir_naive_change(struct weir_naive *naive, const struct weir_values *values, weir_ps now);
void weir_naive_change_ingress(struct weir_naive *naive, const struct weir_values *values, weir_ps now);

/* Input ports of which something can be paused: none without lossless classes. */
uint32_t weir_naive_inputs(const struct weir_naive *naive);

/* The classes of an input port that ought to be paused, and whether the whole port ought to be. */
uint32_t weir_naive_paused(const struct weir_naive *naive, weir_port input, bool *port_level);

/* Equal to weir_mmu_hash of an MMU in the same state. */
uint64_t weir_naive_hash(const struct weir_naive *naive);

#ifdef __cplusplus
}
#endif

#endif

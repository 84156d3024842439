/*
 * embed.h - what is behind a struct weir_sim: a run, and its measures of the moment.
 *
 * This room is libweir-sim: it turns what runs and measures offer into the few functions of include/weir/sim.h,
 * and adds nothing to them but timers of the program. create.c builds and runs, look.c reads what came out, message.c
 * is the loop with messages.
 *
 * Programs may misuse it: in checking builds a null, freed or foreign simulation and calls from two threads at once end
 * the program with a sentence. Freed ones are known by a word that is cleared before their memory goes, as long as
 * nothing else has taken its place.
 */
#ifndef EMBED_EMBED_H
#define EMBED_EMBED_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "run/follow.h"
#include "run/run.h"
#include "weir/sim.h"

#define EMBED_ALIVE UINT64_C(0x7265697720646c6f)

struct weir_sim {
    _Atomic uint64_t alive; /* EMBED_ALIVE, until it is freed */
    atomic_uint calls;      /* under way; counted in checking builds */
    struct run run;
    atomic_bool stop;
    weir_ps now_ps;
    enum weir_sim_state state; /* WEIR_SIM_FAILED: run.error says why */
    char id[EXPERIMENT_ID_MAX];
    char *config;
    /* Packets that are followed; no room: none are. */
    struct run_follow follow;
    struct run_neighbours neighbours;
    struct sim_packet_event *packets;
    uint32_t packet_count, packet_room;
    /* The moment, looked at; null: it has passed. */
    struct run_result *result;
    struct measures measures;
    char probe[RUN_PLACE_MAX]; /* the name that was asked for last */
    struct embed_timers {      /* a binary heap by time, then by their making */
        struct embed_timer {
            weir_ps when;
            uint64_t order, tag;
        } * at;
        uint64_t count, room, made;
    } timers;
};

/* The first line of each call but weir_sim_stop, which any thread may make: checks until the call returns. */
#ifdef WEIR_CHECKS
#define EMBED_ASSERT(condition, sentence) assert((condition) && sentence)
#define EMBED_CALL(self) struct weir_sim *const call __attribute__((cleanup(embed_leave))) = embed_enter(self)
static inline struct weir_sim *embed_enter(const struct weir_sim *called)
{
    struct weir_sim *self = (struct weir_sim *)(uintptr_t)called;
    EMBED_ASSERT(self != NULL, "the simulation is null: weir_sim_create has failed, or was not called");
    EMBED_ASSERT(self->alive == EMBED_ALIVE, "the simulation was freed, or never created");
    unsigned others = atomic_fetch_add(&self->calls, 1);
    EMBED_ASSERT(others == 0, "the simulation is in a call already, of another thread or of a policy that it asks");
    return self;
}
static inline void embed_leave(struct weir_sim *const *self)
{
    atomic_fetch_sub(&(*self)->calls, 1);
}
#else
#define EMBED_ASSERT(condition, sentence) ((void)0)
#define EMBED_CALL(self) ((void)0)
#endif

/* Forgets what was looked at. */
void embed_forget(struct weir_sim *self);

/* Goes on as weir_sim_step; `to_event`: no further than to the end of a message. */
enum weir_sim_state embed_go(struct weir_sim *self, weir_ps until, bool to_event, struct weir_error *error);

#endif

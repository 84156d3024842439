/*
 * adversaries.c - arrival sequences against one policy each. B is the buffer, N the number of ports, OPT the offline
 * optimum; the ratios are those of many rounds.
 *
 * cs: one queue takes the whole buffer; then in each slot its next packet comes first and takes the cell that has
 * become free, and one packet for every other port comes too late. OPT keeps one cell per port and sends N per slot,
 * complete sharing 1: the ratio tends to N.
 *
 * followlqd: one queue takes the whole buffer. In each round of two slots, first one packet for each port, the long
 * queue first, then N packets for the long queue. FollowLQD cannot give back what LQD would push out and takes one
 * packet per slot; OPT takes N + 1 per round: the ratio tends to (N + 1) / 2 (Observation 1 of the Credence paper).
 *
 * dt: k queues are kept at the threshold, B / (1 + k) for alpha = 1, all the time. Every B / N slots a burst of B / N
 * packets comes for each of the other ports: the first few find the room that DT keeps free, the rest are refused, and
 * the k queues alone keep sending. OPT holds all of it. The ratio is 1 / (k / N + 1 / (1 + k)), which with
 * k + 1 = sqrt(N) grows as sqrt(N) / 2; it needs slots with more than N arrivals.
 *
 * lqd: every round, a burst of B for each of two ports at once; then one of them gets a packet in each slot and the
 * other none. OPT stores packets for that other one only and sends 2 per slot, B - 1 slots long. LQD gives both half of
 * the buffer and sends 2 per slot only half of the time: 4/3 (Hahne, Kesselman, Mansour, SPAA 2001).
 */
#include "traffic.h"

/* Fills slots up to the width and opens the next one by itself. */
struct emitter {
    struct slot_arrivals *arrivals;
    uint32_t width; /* 0: no limit */
    uint32_t taken; /* packets in the open slot */
    uint64_t slots; /* how long to go on */
};

static struct emitter emitter_start(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    return (struct emitter){arrivals, t->width, 0, t->slots};
}

static bool emitter_goes_on(const struct emitter *e)
{
    return e->arrivals->slots < e->slots && !e->arrivals->failed;
}

static void end_slot(struct emitter *e)
{
    slot_arrivals_end_slot(e->arrivals);
    e->taken = 0;
}

/* True when the packet had to wait for the next slot. */
static bool emit(struct emitter *e, uint32_t port)
{
    bool waits = e->width > 0 && e->taken == e->width;
    if (waits)
        end_slot(e);
    slot_arrivals_add(e->arrivals, port);
    e->taken++;
    return waits;
}

/* Sends packets for one port of an empty switch until its queue would hold `packets`, and ends the slot. */
static void fill_queue(struct emitter *e, uint32_t port, uint32_t packets)
{
    for (uint32_t held = 0; held < packets && !e->arrivals->failed; held++)
        if (emit(e, port))
            held--;
    end_slot(e);
}

static void cs_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct emitter e = emitter_start(t, arrivals);
    fill_queue(&e, 0, t->buffer);
    while (emitter_goes_on(&e)) {
        for (uint32_t port = 0; port < t->ports; port++)
            emit(&e, port);
        end_slot(&e);
    }
}

static void followlqd_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct emitter e = emitter_start(t, arrivals);
    fill_queue(&e, 0, t->buffer);
    while (emitter_goes_on(&e)) {
        for (uint32_t port = 0; port < t->ports; port++)
            emit(&e, port);
        end_slot(&e);
        for (uint32_t i = 0; i < t->ports; i++)
            emit(&e, 0);
        end_slot(&e);
    }
}

static void dt_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct emitter e = emitter_start(t, arrivals);
    /* About sqrt(N) - 1 queues, at least one. */
    uint32_t root = 1;
    while ((root + 1) * (root + 1) <= t->ports)
        root++;
    uint32_t saturated = root > 2 ? root - 1 : 1;
    uint32_t burst = t->buffer / t->ports > 0 ? t->buffer / t->ports : 1;
    while (emitter_goes_on(&e)) {
        uint64_t round_end = arrivals->slots + burst;
        uint32_t refill = arrivals->slots == 0 ? t->buffer : burst;
        for (uint32_t i = 0; i < refill; i++)
            for (uint32_t port = 0; port < saturated; port++)
                emit(&e, port);
        for (uint32_t port = saturated; port < t->ports; port++)
            for (uint32_t i = 0; i < burst; i++)
                emit(&e, port);
        do
            end_slot(&e);
        while (arrivals->slots < round_end && !arrivals->failed);
    }
}

static void lqd_generate(const struct slot_traffic *t, struct slot_arrivals *arrivals)
{
    struct emitter e = emitter_start(t, arrivals);
    while (emitter_goes_on(&e)) {
        uint64_t round_end = arrivals->slots + t->buffer - 1;
        for (uint32_t i = 0; i < 2 * t->buffer; i++)
            emit(&e, i % 2);
        end_slot(&e);
        while (arrivals->slots < round_end && !arrivals->failed) {
            emit(&e, 1);
            end_slot(&e);
        }
    }
}

#define ADVERSARY(word, about)                                                                                         \
    const struct slot_generator slot_##word##_adversary = {.name = #word "-adversary",                                 \
                                                           .title = (about),                                           \
                                                           .ports_min = 2,                                             \
                                                           .uses = SLOT_USE_WIDTH,                                     \
                                                           .generate = word##_generate}

ADVERSARY(cs, "one queue keeps the whole buffer full while every other port gets a packet per slot");
ADVERSARY(followlqd, "one full queue; in turn a packet for every port and N packets for the full one");
ADVERSARY(dt, "about sqrt(N) saturated queues, and again and again a burst of B/N packets for each other port");
ADVERSARY(lqd, "again and again bursts of B for two ports, then a packet per slot for one of them");

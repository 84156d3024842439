/*
 * host_timers.c - see host_timers.h.
 */
#include <stdlib.h>

#include "sim/net/host_timers.h"
#include "sim/net/network.h"

static bool timer_before(const struct host_timer *a, const struct host_timer *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    if (a->flow_id != b->flow_id)
        return a->flow_id < b->flow_id;
    return a->receiver < b->receiver;
}

static bool timers_grow(struct host *host)
{
    uint32_t room = host->timer_room ? host->timer_room * 2 : 8;
    struct host_timer *timers = realloc(host->timers, room * sizeof(*timers));
    if (!timers)
        return false;
    host->timers = timers;
    host->timer_room = room;
    return true;
}

static void timers_push(struct host *host, struct host_timer timer)
{
    if (host->timer_count == host->timer_room && !timers_grow(host)) {
        host->sim->out_of_memory = true;
        return;
    }
    uint32_t at = host->timer_count++;
    for (; at > 0 && timer_before(&timer, &host->timers[(at - 1) / 2]); at = (at - 1) / 2)
        host->timers[at] = host->timers[(at - 1) / 2];
    host->timers[at] = timer;
}

static struct host_timer timers_pop(struct host *host)
{
    struct host_timer first = host->timers[0];
    struct host_timer last = host->timers[--host->timer_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= host->timer_count)
            break;
        if (child + 1 < host->timer_count && timer_before(&host->timers[child + 1], &host->timers[child]))
            child++;
        if (!timer_before(&host->timers[child], &last))
            break;
        host->timers[at] = host->timers[child];
        at = child;
    }
    host->timers[at] = last;
    return first;
}

/* Looks at the flow at `when`; an earlier look makes this one unnecessary. */
static void timers_look(struct host *host, struct flow *flow, bool receiver, weir_ps when)
{
    weir_ps *wake = receiver ? &flow->receiver_wake_ps : &flow->sender_wake_ps;
    if (when >= *wake)
        return;
    *wake = when;
    timers_push(host, (struct host_timer){.when = when, .flow = flow, .flow_id = flow->id, .receiver = receiver});
}

void host_sender_timer(struct host *host, struct flow *flow, weir_ps due)
{
    flow->sender_due_ps = due;
    timers_look(host, flow, false, due);
}

void host_receiver_timer(struct host *host, struct flow *flow, weir_ps due)
{
    flow->receiver_due_ps = due;
    timers_look(host, flow, true, due);
}

void host_timers_act(struct host *host, weir_ps now)
{
    struct host_timer timer = timers_pop(host);
    struct flow *flow = timer.flow;
    if (flow->id != timer.flow_id)
        return;
    weir_ps *wake = timer.receiver ? &flow->receiver_wake_ps : &flow->sender_wake_ps;
    weir_ps *due = timer.receiver ? &flow->receiver_due_ps : &flow->sender_due_ps;
    if (*wake != timer.when)
        return; /* replaced by an earlier look */
    *wake = WEIR_NEVER;
    if (*due > now) {
        if (*due != WEIR_NEVER)
            timers_look(host, flow, timer.receiver, *due);
        return;
    }
    *due = WEIR_NEVER;
    if (timer.receiver)
        flow->transport->kind->receiver_timer(host, flow, now);
    else
        flow->transport->kind->sender_timer(host, flow, now);
}

/*
 * message.c - the loop of a program with its simulation: messages and timers in, what happens next out. See embed.h.
 */
#include <stdlib.h>
#include <string.h>

#include "run/embed/embed.h"

/* What the simulation has become of; true: it goes on. */
static bool goes_on(const struct weir_sim *self, const char *what, struct weir_error *error)
{
    if (self->state == WEIR_SIM_FAILED && error != NULL)
        *error = self->run.error;
    if (self->state == WEIR_SIM_DONE)
        return weir_fail(error, WEIR_ERROR_INPUT, "%s: the simulation has ended (expected it before that)", what);
    return self->state == WEIR_SIM_RUNNING;
}

bool weir_sim_find_messages(const struct weir_sim *self, const char *tag, uint32_t *traffic, struct weir_error *error)
{
    EMBED_CALL(self);
    EMBED_ASSERT(traffic != NULL, "there is no room for the number of the traffic");
    const struct sim_config *config = &self->run.scenario.config;
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        bool takes = config->traffic[i].kind == TRAFFIC_MESSAGES;
        if (takes && (tag == NULL || strcmp(config->tag_names[config->traffic[i].tag], tag) == 0)) {
            *traffic = i;
            return true;
        }
    }
    struct weir_error unwanted;
    error = error != NULL ? error : &unwanted;
    if (tag == NULL)
        return weir_fail_unknown(error, "", "no item of traffic takes messages (expected one of kind messages)");
    return weir_fail_unknown(
        error, tag, "no item of traffic with the tag '%.80s' takes messages (expected one of kind messages)", tag);
}

bool weir_sim_add_message(struct weir_sim *self, const struct weir_sim_message *message, uint32_t *id,
                          struct weir_error *error)
{
    EMBED_CALL(self);
    EMBED_ASSERT(message != NULL, "the message is null");
    struct weir_sim_message known = {.size = 0};
    struct weir_error unwanted;
    uint32_t number;
    error = error != NULL ? error : &unwanted;
    memcpy(&known, message, message->size < sizeof known ? message->size : sizeof known);
    if (message->size <= offsetof(struct weir_sim_message, bytes))
        return weir_fail(error, WEIR_ERROR_INPUT, "the message has no size (expected .size = sizeof message)");
    if (!goes_on(self, "a message", error))
        return false;
    if (known.start != 0 && known.start < self->now_ps)
        return weir_fail(error, WEIR_ERROR_RANGE,
                         "a message at %lld ps, and it is %lld ps (expected no time of before)", (long long)known.start,
                         (long long)self->now_ps);
    const struct traffic_message asked = {.traffic = known.traffic,
                                          .source = known.source,
                                          .destination = known.destination,
                                          .bytes = known.bytes,
                                          .start_ps = known.start != 0 ? known.start : self->now_ps,
                                          .tag = known.tag};
    if (sim_add_message(run_sim(&self->run), &asked, &number, error)) {
        embed_forget(self);
        if (id != NULL)
            *id = number;
        return true;
    }
    if (error->code == WEIR_ERROR_MEMORY) {
        self->run.error = *error;
        self->state = WEIR_SIM_FAILED;
    }
    return false;
}

static bool timer_before(const struct embed_timer *a, const struct embed_timer *b)
{
    return a->when != b->when ? a->when < b->when : a->order < b->order;
}

bool weir_sim_add_timer(struct weir_sim *self, weir_ps when, uint64_t tag, struct weir_error *error)
{
    EMBED_CALL(self);
    struct embed_timers *timers = &self->timers;
    struct weir_error unwanted;
    error = error != NULL ? error : &unwanted;
    if (!goes_on(self, "a timer", error))
        return false;
    if (when < self->now_ps)
        return weir_fail(error, WEIR_ERROR_RANGE, "a timer at %lld ps, and it is %lld ps (expected no time of before)",
                         (long long)when, (long long)self->now_ps);
    if (timers->count == timers->room) {
        uint64_t room = timers->room > 0 ? 2 * timers->room : 16;
        struct embed_timer *moved = realloc(timers->at, room * sizeof *moved);
        if (moved == NULL)
            return weir_fail_memory(error);
        timers->at = moved;
        timers->room = room;
    }
    const struct embed_timer timer = {when, timers->made++, tag};
    uint64_t at = timers->count++;
    for (; at > 0 && timer_before(&timer, &timers->at[(at - 1) / 2]); at = (at - 1) / 2)
        timers->at[at] = timers->at[(at - 1) / 2];
    timers->at[at] = timer;
    return true;
}

static void take_timer(struct weir_sim *self, struct weir_sim_event *event)
{
    struct embed_timers *timers = &self->timers;
    const struct embed_timer first = timers->at[0], last = timers->at[--timers->count];
    uint64_t at = 0;
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= timers->count)
            break;
        child += child + 1 < timers->count && timer_before(&timers->at[child + 1], &timers->at[child]);
        if (!timer_before(&timers->at[child], &last))
            break;
        timers->at[at] = timers->at[child];
        at = child;
    }
    timers->at[at] = last;
    *event = (struct weir_sim_event){.what = WEIR_SIM_TIMER, .tag = first.tag, .when = first.when};
}

/* What has happened by now and was not told; false: nothing. */
static bool take_event(struct weir_sim *self, struct weir_sim_event *event)
{
    const struct embed_timers *timers = &self->timers;
    weir_ps timer = timers->count > 0 ? timers->at[0].when : WEIR_NEVER, ended = WEIR_NEVER;
    struct traffic_message_end end;
    sim_first_end(run_sim(&self->run), &ended);
    if (timer <= self->now_ps && timer <= ended && self->state == WEIR_SIM_RUNNING) {
        take_timer(self, event);
        return true;
    }
    if (!sim_take_end(run_sim(&self->run), &end))
        return false;
    *event = (struct weir_sim_event){.what = end.receiver ? WEIR_SIM_RECEIVED : WEIR_SIM_SENT,
                                     .id = end.id,
                                     .tag = end.message.tag,
                                     .when = end.when,
                                     .source = end.message.source,
                                     .destination = end.message.destination,
                                     .traffic = end.message.traffic,
                                     .bytes = end.message.bytes};
    return true;
}

enum weir_sim_state weir_sim_next(struct weir_sim *self, weir_ps until, struct weir_sim_event *event,
                                  struct weir_error *error)
{
    EMBED_CALL(self);
    EMBED_ASSERT(event != NULL, "there is no room for the event");
    *event = (struct weir_sim_event){.what = WEIR_SIM_NOTHING};
    if (self->state == WEIR_SIM_FAILED)
        return embed_go(self, until, true, error);
    if (take_event(self, event))
        return WEIR_SIM_RUNNING;
    if (self->timers.count > 0 && self->timers.at[0].when < until)
        until = self->timers.at[0].when;
    if (until > self->now_ps && embed_go(self, until, true, error) != WEIR_SIM_FAILED && take_event(self, event))
        return WEIR_SIM_RUNNING;
    event->when = self->now_ps;
    return self->state;
}

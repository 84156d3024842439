/*
 * messages.c - MESSAGES: flows that somebody outside of the simulation asks for while it runs, and whose ends are told:
 * when the sender knows that all arrived, and when the receiver has all.
 *
 * A message has a slot until its second end is taken; the cookie of its flow is that slot. Its id is its place among
 * the messages of its item, in the order in which they were added, so that ids do not depend on what else has started.
 */
#include <stdlib.h>

#include "sim/workload/internal.h"

#define MESSAGES_MOST (UINT32_C(1) << 26) /* of one item: ids that are set aside */
#define SLOT_NONE UINT32_MAX

struct message {
    struct traffic_message asked;
    uint32_t id;
    uint32_t next_free; /* slot */
    uint8_t untold;     /* ends */
};

struct message_end {
    weir_ps when;
    uint32_t slot;
    bool receiver;
};

struct traffic_messages {
    struct message *at;
    uint32_t room, used, first_free;
    uint64_t under_way; /* ends that have not happened */
    /* Ends that have happened: a binary heap. There is always room for those under way. */
    struct message_end *ends;
    uint64_t end_count, end_room;
};

static bool messages_prepare(struct traffic_source *source, struct weir_error *error)
{
    struct traffic *traffic = source->traffic;
    source->id_count = MESSAGES_MOST;
    if (!traffic->messages && !(traffic->messages = calloc(1, sizeof *traffic->messages)))
        return weir_fail_memory(error);
    traffic->messages->first_free = SLOT_NONE;
    return true;
}

void traffic_messages_free(struct traffic_messages *messages)
{
    if (!messages)
        return;
    free(messages->at);
    free(messages->ends);
    free(messages);
}

static bool end_before(const struct traffic_messages *messages, const struct message_end *a,
                       const struct message_end *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    if (a->slot != b->slot)
        return messages->at[a->slot].id < messages->at[b->slot].id;
    return a->receiver < b->receiver;
}

static bool messages_ended(struct traffic_source *source, const struct flow_ended *flow, bool receiver,
                           const struct traffic_sink *sink, weir_ps now)
{
    struct traffic_messages *messages = source->traffic->messages;
    struct message_end end = {now, flow->cookie, receiver}, *ends = messages->ends;
    (void)sink;
    messages->under_way--;
    uint64_t at = messages->end_count++;
    for (; at > 0 && end_before(messages, &end, &ends[(at - 1) / 2]); at = (at - 1) / 2)
        ends[at] = ends[(at - 1) / 2];
    ends[at] = end;
    return true;
}

static struct message_end pop_end(struct traffic_messages *messages)
{
    struct message_end *ends = messages->ends, first = ends[0], last = ends[--messages->end_count];
    uint64_t at = 0;
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= messages->end_count)
            break;
        child += child + 1 < messages->end_count && end_before(messages, &ends[child + 1], &ends[child]);
        if (!end_before(messages, &ends[child], &last))
            break;
        ends[at] = ends[child];
        at = child;
    }
    ends[at] = last;
    return first;
}

bool traffic_take_end(struct traffic *traffic, struct traffic_message_end *end)
{
    struct traffic_messages *messages = traffic->messages;
    if (!messages || messages->end_count == 0)
        return false;
    struct message_end first = pop_end(messages);
    struct message *message = &messages->at[first.slot];
    *end = (struct traffic_message_end){message->asked, message->id, first.when, first.receiver};
    if (--message->untold == 0) {
        message->next_free = messages->first_free;
        messages->first_free = first.slot;
    }
    return true;
}

/* Room for one more message and all ends; false: out of memory. */
static bool messages_reserve(struct traffic_messages *messages)
{
    uint64_t ends = messages->end_count + messages->under_way + 2;
    if (ends > messages->end_room) {
        struct message_end *moved = realloc(messages->ends, 2 * ends * sizeof *moved);
        if (!moved)
            return false;
        messages->ends = moved;
        messages->end_room = 2 * ends;
    }
    if (messages->first_free != SLOT_NONE || messages->used < messages->room)
        return true;
    uint32_t room = messages->room ? 2 * messages->room : 64;
    struct message *moved = realloc(messages->at, room * sizeof *moved);
    if (!moved)
        return false;
    messages->at = moved;
    messages->room = room;
    return true;
}

/* What the settings of its item, and the network, say of a message. */
static bool message_check(const struct traffic *traffic, const struct traffic_message *message,
                          struct weir_error *error)
{
    const uint32_t hosts = traffic->given.topology->hosts;
    if (message->traffic >= traffic->source_count ||
        traffic->sources[message->traffic].config->kind != TRAFFIC_MESSAGES)
        return weir_fail(error, WEIR_ERROR_RANGE, "traffic %u takes no messages (expected an item of kind messages)",
                         message->traffic);
    const struct traffic_source *source = &traffic->sources[message->traffic];
    if (message->source >= hosts || message->destination >= hosts)
        return weir_fail(error, WEIR_ERROR_RANGE, "a message from host %u to host %u (expected hosts 0 to %u)",
                         message->source, message->destination, hosts - 1);
    if (message->source == message->destination)
        return weir_fail(error, WEIR_ERROR_RANGE,
                         "a message from host %u to itself (expected another: within a host "
                         "nothing takes the network)",
                         message->source);
    if (message->start_ps < source->config->from_ps || message->start_ps >= source->config->until_ps)
        return weir_fail(
            error, WEIR_ERROR_RANGE, "a message at %lld ps (expected %lld ps to before %lld ps, when its item is on)",
            (long long)message->start_ps, (long long)source->config->from_ps, (long long)source->config->until_ps);
    if (source->at == MESSAGES_MOST)
        return weir_fail(error, WEIR_ERROR_RANGE,
                         "more than %u messages of one item (expected another item of traffic)", MESSAGES_MOST);
    return traffic_check_bytes(source, message->bytes, error);
}

bool traffic_add(struct traffic *traffic, const struct traffic_message *message, uint32_t *id,
                 const struct traffic_sink *sink, struct weir_error *error)
{
    struct traffic_messages *messages = traffic->messages;
    if (!message_check(traffic, message, error))
        return false;
    struct traffic_source *source = &traffic->sources[message->traffic];
    if (!messages_reserve(messages))
        return weir_fail_memory(error);
    uint32_t slot = messages->first_free != SLOT_NONE ? messages->first_free : messages->used;
    struct flow_request request = traffic_request(source, message->start_ps);
    request.source = message->source;
    request.destination = message->destination;
    request.bytes = message->bytes;
    request.cookie = slot;
    *id = source->first_id + (uint32_t)source->at;
    if (!sink->start(sink->context, *id, &request))
        return weir_fail_memory(error);
    if (slot == messages->used)
        messages->used++;
    else
        messages->first_free = messages->at[slot].next_free;
    messages->at[slot] = (struct message){.asked = *message, .id = *id, .untold = 2};
    messages->under_way += 2;
    source->at++;
    return true;
}

bool traffic_takes_messages(const struct traffic *traffic)
{
    return traffic->messages;
}

bool traffic_waits_for_ends(const struct traffic *traffic)
{
    return traffic->messages && traffic->messages->under_way > 0;
}

bool traffic_first_end(const struct traffic *traffic, weir_ps *when)
{
    const struct traffic_messages *messages = traffic->messages;
    if (!messages || messages->end_count == 0)
        return false;
    *when = messages->ends[0].when;
    return true;
}

const struct traffic_kind traffic_messages = {.prepare = messages_prepare, .ended = messages_ended};

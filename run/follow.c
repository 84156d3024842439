/*
 * follow.c - see follow.h.
 */
#include "run/follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/packet.h"
#include "weir/params.h"

/* A number below 2^32 - 1; moves *text behind it. */
static bool read_number(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = *text;
    for (; **text >= '0' && **text <= '9' && value < UINT32_MAX; (*text)++)
        value = value * 10 + (uint64_t)(**text - '0');
    *number = (uint32_t)value;
    return *text > start && value < UINT32_MAX;
}

static bool read_host(const char **text, const struct topology *topology, uint32_t *host)
{
    return *(*text)++ == 'h' && read_number(text, host) && *host < topology->hosts;
}

/* False: the word is no choice. */
static bool read_choice(struct sim_follow_choice *choice, const struct scenario *scenario, const char *word)
{
    const char *at = word;
    *choice =
        (struct sim_follow_choice){SIM_FOLLOW_ANY, SIM_FOLLOW_ANY, SIM_FOLLOW_ANY, SIM_FOLLOW_ANY, SIM_FOLLOW_ANY};
    for (uint32_t tag = 0; tag < scenario->config.tag_count; tag++)
        if (strcmp(scenario->config.tag_names[tag], word) == 0) {
            choice->tag = tag;
            return true;
        }
    if (strcmp(word, "all") == 0)
        return true;
    if (*word == 'h')
        return read_host(&at, &scenario->topology, &choice->host) &&
               (*at == '\0' || (*at++ == '-' && read_host(&at, &scenario->topology, &choice->other) && *at == '\0'));
    if (!read_number(&at, &choice->first))
        return false;
    choice->last = choice->first;
    return *at == '\0' ||
           (*at++ == '-' && read_number(&at, &choice->last) && *at == '\0' && choice->last >= choice->first);
}

static bool refuse(const struct scenario *scenario, const char *word, struct weir_error *error)
{
    const struct sim_config *config = &scenario->config;
    const char *near = weir_nearest_name(word, config->tag_names, config->tag_count);
    char hint[128];
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean '%.80s'?", near);
    else
        snprintf(hint, sizeof hint, "hosts are h0 to h%" PRIu32, scenario->topology.hosts - 1);
    return weir_fail_unknown(error, word,
                             "follow: '%.80s' names no packets (expected flows '12' or '12-20', a tag, a host 'h3' or "
                             "two 'h3-h7'; %s)",
                             word, hint);
}

bool run_follow_read(struct run_follow *follow, const struct scenario *scenario, const char *text,
                     struct weir_error *error)
{
    *follow = (struct run_follow){.follow = {.choices = follow->choice}};
    if (scenario->topology.hosts > SIM_FOLLOW_HOSTS_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "follow: %" PRIu32 " hosts (expected at most %u)",
                         scenario->topology.hosts, SIM_FOLLOW_HOSTS_MAX);
    for (const char *at = text != NULL ? text : "all", *end = at; end != NULL; at = end + 1) {
        end = strchr(at, ',');
        char word[256];
        size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        if (follow->follow.count == RUN_FOLLOW_MAX)
            return weir_fail(error, WEIR_ERROR_RANGE, "follow: more than %u choices", RUN_FOLLOW_MAX);
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (!read_choice(&follow->choice[follow->follow.count++], scenario, word))
            return refuse(scenario, word, error);
    }
    return true;
}

/* Which of several links to the same node each port has; `so_far` is scratch of a 0 per node. */
static void number_links(struct run_neighbours *neighbours, uint32_t nodes, uint32_t *so_far)
{
    for (uint32_t node = 0; node < nodes; node++) {
        const uint32_t first = neighbours->first[node], after = neighbours->first[node + 1];
        for (uint32_t port = first; port < after; port++)
            neighbours->link[port] = ++so_far[neighbours->node[port]];
        for (uint32_t port = first; port < after; port++)
            so_far[neighbours->node[port]] = 0;
    }
}

bool run_neighbours_make(struct run_neighbours *neighbours, const struct topology *topology)
{
    const uint32_t nodes = topology->hosts + topology->switches;
    const size_t ports = 2 * (size_t)topology->link_count + 1;
    *neighbours = (struct run_neighbours){.topology = topology,
                                          .first = calloc((size_t)nodes + 2, sizeof *neighbours->first),
                                          .node = calloc(ports, sizeof *neighbours->node),
                                          .link = calloc(ports, sizeof *neighbours->link)};
    uint32_t *so_far = calloc((size_t)nodes + 1, sizeof *so_far);
    bool good = neighbours->first != NULL && neighbours->node != NULL && neighbours->link != NULL && so_far != NULL;
    uint32_t *next = good ? neighbours->first + 1 : NULL; /* one behind: where a node's next port goes */
    for (uint32_t i = 0; good && i < topology->link_count; i++) {
        next[topology->links[i].a + 1]++;
        next[topology->links[i].b + 1]++;
    }
    for (uint32_t node = 0; good && node < nodes; node++)
        next[node + 1] += next[node];
    for (uint32_t i = 0; good && i < topology->link_count; i++) {
        neighbours->node[next[topology->links[i].a]++] = topology->links[i].b;
        neighbours->node[next[topology->links[i].b]++] = topology->links[i].a;
    }
    if (good)
        number_links(neighbours, nodes, so_far);
    free(so_far);
    return good;
}

void run_neighbours_free(struct run_neighbours *neighbours)
{
    free(neighbours->first);
    free(neighbours->node);
    free(neighbours->link);
    *neighbours = (struct run_neighbours){.topology = NULL};
}

uint32_t run_follow_next(const struct run_neighbours *neighbours, const struct sim_packet_event *event)
{
    return event->port == SIM_PACKET_NOWHERE ? SIM_PACKET_NOWHERE
                                             : neighbours->node[neighbours->first[event->node] + event->port];
}

void run_follow_place(const struct run_neighbours *neighbours, const struct sim_packet_event *event,
                      char place[RUN_FOLLOW_TEXT_MAX])
{
    char from[16], to[16];
    scenario_node_name(neighbours->topology, event->node, from);
    if (event->port == SIM_PACKET_NOWHERE) {
        snprintf(place, RUN_FOLLOW_TEXT_MAX, "%s", from);
        return;
    }
    scenario_node_name(neighbours->topology, run_follow_next(neighbours, event), to);
    const uint32_t link = neighbours->link[neighbours->first[event->node] + event->port];
    int used = snprintf(place, RUN_FOLLOW_TEXT_MAX, "%s-%s", from, to);
    if (link > 1)
        snprintf(place + used, RUN_FOLLOW_TEXT_MAX - (size_t)used, "-%" PRIu32, link);
}

const char *run_follow_step(const struct sim_packet_event *event)
{
    static const char *const names[SIM_PACKET_STEPS] = {
        [SIM_PACKET_SENT] = "sent",       [SIM_PACKET_QUEUED] = "queued",     [SIM_PACKET_LEFT] = "left",
        [SIM_PACKET_TRIMMED] = "trimmed", [SIM_PACKET_RECEIVED] = "received", [SIM_PACKET_REFUSED] = "refused",
        [SIM_PACKET_LOST] = "lost",       [SIM_PACKET_UNROUTED] = "lost",     [SIM_PACKET_BROKEN] = "lost",
        [SIM_PACKET_STORMED] = "lost",    [SIM_PACKET_NO_ROOM] = "lost",
    };
    return names[event->step];
}

const char *run_follow_why(const struct sim_packet_event *event)
{
    switch ((enum sim_packet_step)event->step) {
    case SIM_PACKET_REFUSED:
        return weir_reason_name((enum weir_reason)event->why);
    case SIM_PACKET_LOST:
        return weir_cause_name((enum weir_cause)event->why);
    case SIM_PACKET_UNROUTED:
        return "unroutable";
    case SIM_PACKET_BROKEN:
        return "link";
    case SIM_PACKET_STORMED:
        return "watchdog";
    case SIM_PACKET_NO_ROOM:
        return "nic-full";
    default:
        return NULL;
    }
}

const char *run_follow_kind(const struct sim_packet_event *event)
{
    static const char *const uet[] = {"data", "rts", "probe", "ack", "nack", "grant", "data", "data"};
    const bool feedback = event->flags & PACKET_ACK;
    if (event->kind & PACKET_KNOWN)
        return uet[event->kind & PACKET_KIND];
    if (event->flags & PACKET_OPENING)
        return feedback ? "syn-ack" : "syn";
    if (!feedback)
        return "data";
    return event->flags & PACKET_CNP ? "cnp" : event->flags & PACKET_NACK ? "nack" : "ack";
}

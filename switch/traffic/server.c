/*
 * server.c - see server.h.
 */
#define _GNU_SOURCE 1
#include "switch/traffic/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sim/transport/flow.h"
#include "switch/traffic/request.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define CHUNKS_AT_ONCE 4u /* then it is another connection's turn */
#define NO_FLOW UINT32_MAX

struct server_listener {
    struct loop_source source;
    struct server *server;
    uint32_t transport;
};

/* A connection that was accepted. */
struct server_link {
    struct loop_source source;
    struct server *server;
    struct server_link *next, *previous;
    uint32_t transport;
    uint8_t tc;   /* of what it sends */
    uint32_t got; /* bytes of the request */
    uint8_t request[REQUEST_BYTES];
    uint32_t flow;            /* index into the plan: the last one asked for, or NO_FLOW */
    int64_t left;             /* bytes still to be handed to TCP */
    struct tcp_counts before; /* when that flow began */
};

static const uint8_t chunk[CHUNK_BYTES]; /* what flows are made of */

static void settle(struct server_link *link)
{
    struct tcp_counts now;
    if (link->flow == NO_FLOW || !tcp_counts_read(link->source.fd, &now))
        return;
    link->server->flows[link->flow].counts = tcp_counts_since(&link->before, &now);
}

static void watch_listeners(struct server *server, uint32_t events)
{
    for (uint32_t i = 0; i < server->network->transports; i++)
        if (server->listener[i] && server->listener[i]->fd >= 0)
            loop_change(server->loop, server->listener[i], events);
}

static void link_close(struct server_link *link)
{
    struct server *server = link->server;
    settle(link);
    *(link->previous ? &link->previous->next : &server->links) = link->next;
    if (link->next)
        link->next->previous = link->previous;
    loop_close(server->loop, &link->source);
    if (server->full) /* a descriptor is free again */
        watch_listeners(server, EPOLLIN);
    server->full = false;
}

/* True while the connection is of use. */
static bool answer(struct server_link *link)
{
    struct server_flow *flow = &link->server->flows[link->flow];
    for (uint32_t i = 0; i < CHUNKS_AT_ONCE && link->left > 0; i++) {
        size_t bytes = link->left < (int64_t)CHUNK_BYTES ? (size_t)link->left : CHUNK_BYTES;
        ssize_t sent = send(link->source.fd, chunk, bytes, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (sent < 0)
            return false;
        flow->sent_bytes += sent;
        link->left -= link->left == FLOW_ENDLESS ? 0 : sent;
    }
    if (link->left == 0) {
        flow->done = true;
        link->server->done++;
    }
    loop_change(link->server->loop, &link->source, EPOLLRDHUP | (link->left > 0 ? EPOLLOUT : EPOLLIN));
    return true;
}

/* The flow that is asked for, or NO_FLOW: client and server do not have the same scenario, or it was asked for before.
 */
static uint32_t find_flow(const struct server_link *link)
{
    const struct server *server = link->server;
    struct request request;
    if (!request_read(&request, link->request))
        return NO_FLOW;
    const struct host_flow *flow = host_flow_find(server->plan, request.flow);
    if (!flow || flow->bytes != request.bytes || flow->destination != request.client ||
        flow->transport != request.transport || request.transport != link->transport)
        return NO_FLOW;
    uint32_t index = (uint32_t)(flow - server->plan->at);
    return server->flows[index].asked ? NO_FLOW : index;
}

static bool read_request(struct server_link *link)
{
    ssize_t got = recv(link->source.fd, link->request + link->got, REQUEST_BYTES - link->got, 0);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    link->got += (uint32_t)got;
    if (got == 0)
        return false;
    if (link->got < REQUEST_BYTES)
        return true;
    struct server *server = link->server;
    uint32_t index = find_flow(link);
    settle(link);
    link->flow = index;
    if (index == NO_FLOW) {
        if (server->strange++ == 0)
            cli_error(CLI_INPUT,
                      "a request does not fit the scenario (do all hosts have the same, with the same seed?)");
        return false;
    }
    const struct host_flow *flow = &server->plan->at[index];
    tcp_counts_read(link->source.fd, &link->before);
    if (flow->tc != link->tc && socket_set_class(link->source.fd, flow->tc))
        link->tc = flow->tc;
    server->flows[index].asked = true;
    link->left = flow->bytes;
    link->got = 0;
    return answer(link);
}

static void link_ready(struct loop_source *source, uint32_t events)
{
    struct server_link *link = (struct server_link *)source;
    bool good = (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) == 0;
    if (good && events & EPOLLIN)
        good = read_request(link);
    else if (good && events & EPOLLOUT)
        good = answer(link);
    if (!good)
        link_close(link);
}

static void listener_ready(struct loop_source *source, uint32_t events)
{
    struct server_listener *listener = (struct server_listener *)source;
    struct server *server = listener->server;
    (void)events;
    int fd = socket_accept(source->fd);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
        server->full = true; /* who wants to connect waits until another has left */
        watch_listeners(server, 0);
    }
    if (fd < 0)
        return;
    struct server_link *link = calloc(1, sizeof *link);
    const struct server_link made = {.source = {.fd = fd, .ready = link_ready},
                                     .server = server,
                                     .next = server->links,
                                     .transport = listener->transport,
                                     .tc = server->network->transport[listener->transport].data.tc,
                                     .flow = NO_FLOW};
    if (link)
        *link = made;
    if (!link || !loop_add(server->loop, &link->source, EPOLLIN | EPOLLRDHUP)) {
        close(fd);
        free(link);
        return;
    }
    if (server->links)
        server->links->previous = link;
    server->links = link;
}

static int listen_on(struct server *server, uint32_t transport)
{
    const struct network *network = server->network;
    struct in_addr address = network->address[network->host];
    uint16_t port = (uint16_t)(network->port + transport);
    struct server_listener *listener = calloc(1, sizeof *listener);
    if (!listener)
        return cli_error_memory();
    *listener = (struct server_listener){
        .source = {.fd = socket_listen(address, port, &network->transport[transport].data), .ready = listener_ready},
        .server = server,
        .transport = transport};
    server->listener[transport] = &listener->source;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address, text, sizeof text);
    if (listener->source.fd < 0 || !loop_add(server->loop, &listener->source, EPOLLIN))
        return cli_error(CLI_INTERNAL, "%s port %u: cannot listen: %s", text, port, strerror(errno));
    return CLI_OK;
}

int server_init(struct server *server, struct loop *loop, const struct network *network,
                const struct host_flow_list *plan)
{
    *server = (struct server){.loop = loop, .network = network, .plan = plan};
    server->flows = calloc((size_t)plan->count + 1, sizeof *server->flows);
    int code = server->flows ? CLI_OK : cli_error_memory();
    for (uint32_t i = 0; i < network->transports && code == CLI_OK; i++)
        code = listen_on(server, i);
    return code;
}

void server_free(struct server *server)
{
    while (server->links)
        link_close(server->links);
    for (uint32_t i = 0; i < NETWORK_TRANSPORTS_MAX; i++)
        if (server->listener[i])
            loop_close(server->loop, server->listener[i]);
    free(server->flows);
}

bool server_is_done(const struct server *server)
{
    if (server->done < server->plan->count)
        return false;
    for (const struct server_link *link = server->links; link; link = link->next)
        if (socket_unacknowledged(link->source.fd) > 0)
            return false;
    return true;
}

void server_settle(struct server *server)
{
    for (struct server_link *link = server->links; link; link = link->next)
        settle(link);
}

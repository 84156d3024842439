/*
 * loop.c - see loop.h.
 */
#define _GNU_SOURCE 1
#include "switch/control/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"

bool loop_init(struct loop *loop)
{
    sigset_t stops;
    *loop = (struct loop){.signals = -1};
    for (uint32_t i = 0; i < LOOP_CONNECTIONS_MAX; i++)
        loop->connection[i].fd = -1;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &stops, NULL) == 0)
        loop->signals = signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC);
    if (loop->signals < 0)
        cli_error(CLI_INTERNAL, "cannot wait for signals: %s", strerror(errno));
    return loop->signals >= 0;
}

void loop_listen(struct loop *loop, int fd, const struct loop_protocol *protocol)
{
    loop->listener[loop->listeners].fd = fd;
    loop->listener[loop->listeners++].protocol = protocol;
}

static void connection_close(struct loop_connection *connection)
{
    close(connection->fd);
    free(connection->reply);
    *connection = (struct loop_connection){.fd = -1};
}

/* As much of the reply as the peer takes. */
static void connection_send(struct loop_connection *c)
{
    while (c->reply != NULL && c->reply_sent < c->reply_size) {
        ssize_t sent = send(c->fd, c->reply + c->reply_sent, c->reply_size - c->reply_sent, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (sent < 0) {
            connection_close(c);
            return;
        }
        c->reply_sent += (size_t)sent;
    }
    bool closing = c->closing && c->reply != NULL;
    free(c->reply);
    c->reply = NULL;
    if (closing)
        connection_close(c);
}

void loop_reply(struct loop_connection *connection, char *reply, size_t size, bool close_after)
{
    connection->reply = reply;
    connection->reply_size = size;
    connection->reply_sent = 0;
    connection->closing = close_after;
    if (reply == NULL)
        connection_close(connection); /* there was no memory for an answer */
    else
        connection_send(connection);
}

/* Requests that have come, one after the other while their replies can be sent. */
static void connection_serve(struct loop_connection *c)
{
    while (c->fd >= 0 && c->reply == NULL && c->input_used > 0) {
        size_t taken = c->protocol->take(c->protocol->context, c, c->input, c->input_used);
        if (taken == 0 || c->fd < 0)
            return;
        memmove(c->input, c->input + taken, c->input_used - taken);
        c->input_used -= taken;
    }
}

static void connection_receive(struct loop_connection *c)
{
    ssize_t count = recv(c->fd, c->input + c->input_used, sizeof c->input - c->input_used, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    if (count <= 0) {
        connection_close(c);
        return;
    }
    c->input_used += (size_t)count;
    connection_serve(c);
}

/* A free place of the listener, or the place of its oldest connection. */
static struct loop_connection *find_place(struct loop *loop, uint32_t listener)
{
    struct loop_connection *places = &loop->connection[listener * LOOP_PLACES], *oldest = places;
    for (uint32_t i = 0; i < LOOP_PLACES; i++) {
        if (places[i].fd < 0)
            return &places[i];
        if (places[i].since < oldest->since)
            oldest = &places[i];
    }
    return oldest;
}

static void loop_accept(struct loop *loop, uint32_t listener)
{
    int fd = accept4(loop->listener[listener].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    struct loop_connection *place = find_place(loop, listener);
    if (place->fd >= 0)
        connection_close(place);
    *place = (struct loop_connection){.fd = fd, .since = loop->came++, .protocol = loop->listener[listener].protocol};
}

bool loop_wait(struct loop *loop, int timeout_ms)
{
    struct pollfd polls[1 + LOOP_LISTENERS_MAX + LOOP_CONNECTIONS_MAX];
    struct signalfd_siginfo signal;
    /* Signals, listeners, connections; -1 is passed over by poll. */
    polls[0] = (struct pollfd){.fd = loop->signals, .events = POLLIN};
    for (uint32_t i = 0; i < LOOP_LISTENERS_MAX; i++)
        polls[1 + i] = (struct pollfd){.fd = i < loop->listeners ? loop->listener[i].fd : -1, .events = POLLIN};
    for (uint32_t i = 0; i < LOOP_CONNECTIONS_MAX; i++) {
        const struct loop_connection *c = &loop->connection[i];
        polls[1 + LOOP_LISTENERS_MAX + i] = (struct pollfd){.fd = c->fd, .events = c->reply != NULL ? POLLOUT : POLLIN};
    }
    if (poll(polls, sizeof polls / sizeof polls[0], timeout_ms) <= 0)
        return false;
    for (uint32_t i = 0; i < LOOP_CONNECTIONS_MAX; i++) {
        struct loop_connection *c = &loop->connection[i];
        short events = polls[1 + LOOP_LISTENERS_MAX + i].revents;
        if (c->fd < 0 || events == 0)
            continue;
        if (c->reply != NULL) {
            connection_send(c);
            connection_serve(c);
        } else {
            connection_receive(c);
        }
    }
    for (uint32_t i = 0; i < loop->listeners; i++)
        if (polls[1 + i].revents & POLLIN)
            loop_accept(loop, i);
    return polls[0].revents & POLLIN && read(loop->signals, &signal, sizeof signal) == sizeof signal;
}

void loop_end(struct loop *loop)
{
    for (uint32_t i = 0; i < loop->listeners; i++)
        close(loop->listener[i].fd);
    loop->listeners = 0;
    for (uint32_t i = 0; i < LOOP_CONNECTIONS_MAX; i++) {
        free(loop->connection[i].reply);
        loop->connection[i].reply = NULL;
    }
    close(loop->signals);
}

/*
 * loop.h - the main thread's waiting: listeners, their connections, and signals, in one poll. Nothing blocks:
 * what a peer does not read waits here, and nothing more is read from it until then, so that each connection holds at
 * most one request and one reply. Each listener has its own places, and when they are taken a new peer gets the
 * place of the one that came first: silent peers lock no one out, least of all of another listener.
 */
#ifndef CONTROL_LOOP_H
#define CONTROL_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOP_INPUT_MAX 8192u
#define LOOP_LISTENERS_MAX 2u
#define LOOP_PLACES 16u /* connections of a listener */
#define LOOP_CONNECTIONS_MAX (LOOP_LISTENERS_MAX * LOOP_PLACES)

struct loop_connection;

/*
 * What a listener speaks. `take` is given all input so far that was not taken, at most LOOP_INPUT_MAX bytes, and
 * returns how many of them it took: 0 when a request is not complete. It answers with loop_reply. Given LOOP_INPUT_MAX
 * bytes, it takes some or closes.
 */
struct loop_protocol {
    size_t (*take)(void *context, struct loop_connection *connection, const char *bytes, size_t count);
    void *context;
};

struct loop_connection {
    int fd;         /* -1: none */
    uint64_t since; /* its number among all that came */
    const struct loop_protocol *protocol;
    char input[LOOP_INPUT_MAX];
    size_t input_used;
    char *reply; /* being sent; null: none */
    size_t reply_size, reply_sent;
    bool closing; /* when the reply is sent */
};

struct loop {
    int signals; /* a signalfd */
    struct {
        int fd;
        const struct loop_protocol *protocol;
    } listener[LOOP_LISTENERS_MAX];
    uint32_t listeners;
    uint64_t came;                                           /* connections so far */
    struct loop_connection connection[LOOP_CONNECTIONS_MAX]; /* LOOP_PLACES of each listener */
};

/* SIGINT and SIGTERM are blocked and read from here on: call it before any other thread is started. False after one
 * line. */
bool loop_init(struct loop *loop);

/* The listening socket becomes the loop's. */
void loop_listen(struct loop *loop, int fd, const struct loop_protocol *protocol);

/* Sends the reply (of malloc, given away); after `close` the connection ends. */
void loop_reply(struct loop_connection *connection, char *reply, size_t size, bool close);

/* Waits for at most so long and serves what came. True: a signal to stop came. */
bool loop_wait(struct loop *loop, int timeout_ms);

/* Stops listening and frees memory. Connections stay until the process ends: so their peers learn that it is gone. */
void loop_end(struct loop *loop);

#endif

/*
 * exchange.c - cluster_exchange: batches between all ranks, round by round.
 *
 * In a first round each rank sends the others the place of its shelf, and in a second one whose shelves it has found.
 * From then on a batch goes by the shelf of its sender, if the receiver has found that, and else by courier.
 *
 * Who waits for a batch by courier waits for its link. Who waits for one on a shelf only looks at the link now and
 * then: there it is told when a rank is lost.
 */
#define _GNU_SOURCE 1
#include "lab/mpi/exchange.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lab/mpi/courier.h"
#include "lab/mpi/shelf.h"

#define LOOK_NS 10000000u         /* sleep on a shelf between two looks at the link */
#define SKIPS sizeof(uint64_t)    /* the number of its round stands before a batch */
#define ROUNDS_BEFORE UINT64_C(2) /* by courier alone */

/* A batch that has come by courier. */
struct come {
    uint8_t *bytes; /* null: none has */
    size_t size;
    uint64_t round;
};

struct exchange {
    uint64_t round;    /* from 1: whose batches have come, or are awaited */
    uint64_t posted;   /* the latest that was put on the shelf: this round, or up to two more */
    struct come *come; /* [2 * size], of even and odd rounds */
    struct shelf *own;
    struct shelf **others; /* [size]: those that were found */
    bool *finds;           /* [size]: this rank has found ours */
    struct patience patience;
};

/* Batches on their way to the courier. */
struct sending {
    const struct cluster_batch *out;
    uint32_t rank; /* whose turn it is */
    size_t sent;   /* of its head and bytes */
};

static struct exchange *begin(struct cluster *cluster)
{
    struct exchange *exchange = cluster->exchange;
    uint32_t size = cluster->job.size;
    if (exchange == NULL && (exchange = calloc(1, sizeof *exchange)) != NULL) {
        *exchange = (struct exchange){.come = calloc((size_t)2 * size, sizeof *exchange->come),
                                      .others = calloc(size, sizeof(*exchange->others)),
                                      .finds = calloc(size, sizeof *exchange->finds),
                                      .patience = beacon_patience(1)};
        cluster->exchange = exchange;
    }
    return exchange != NULL && exchange->come != NULL && exchange->others != NULL && exchange->finds != NULL ? exchange
                                                                                                             : NULL;
}

void exchange_free(struct cluster *cluster)
{
    struct exchange *exchange = cluster->exchange;
    if (exchange == NULL)
        return;
    for (uint32_t i = 0; exchange->come != NULL && i < 2 * cluster->job.size; i++)
        free(exchange->come[i].bytes);
    for (uint32_t r = 0; exchange->others != NULL && r < cluster->job.size; r++)
        shelf_free(exchange->others[r]);
    shelf_free(exchange->own);
    free(exchange->come);
    free(exchange->others);
    free(exchange->finds);
    free(exchange);
    cluster->exchange = NULL;
}

/* Sends what the socket takes. False: the courier is gone. */
static bool send_some(struct cluster *cluster, struct sending *sending)
{
    const struct exchange *exchange = cluster->exchange;
    while (sending->rank < cluster->job.size) {
        const struct cluster_batch *batch = &sending->out[sending->rank];
        struct {
            struct frame_head frame;
            uint64_t round;
        } head = {{FRAME_BATCH, sending->rank, SKIPS + batch->size}, exchange->round};
        size_t skipped = sending->sent < sizeof head ? sending->sent : sizeof head, after = sending->sent - skipped;
        struct iovec parts[2] = {{(char *)&head + skipped, sizeof head - skipped},
                                 {(void *)(uintptr_t)(batch->bytes + after), batch->size - after}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = batch->size > after ? 2 : 1};
        bool none = sending->rank == cluster->job.rank || exchange->finds[sending->rank];
        ssize_t sent = none ? 0 : sendmsg(cluster->link, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR)
            return errno == EAGAIN;
        sending->sent += sent > 0 ? (size_t)sent : 0;
        if (none || sending->sent == sizeof head + batch->size) {
            sending->rank++;
            sending->sent = 0;
        }
    }
    return true;
}

static bool put_on_shelf(struct cluster *cluster, const struct cluster_batch *out)
{
    struct exchange *exchange = cluster->exchange;
    bool good = true;
    for (uint32_t r = 0; good && r < cluster->job.size; r++)
        if (exchange->finds[r])
            good = shelf_put(exchange->own, r, exchange->posted, out[r].bytes, out[r].size);
    return good;
}

/* The first rank whose batch is missing, of those that come by courier or on shelves; job.size: none. */
static uint32_t find_missing(const struct cluster *cluster, bool shelves)
{
    const struct exchange *exchange = cluster->exchange;
    uint64_t round = exchange->round;
    for (uint32_t r = 0; r < cluster->job.size; r++) {
        struct shelf *shelf = exchange->others[r];
        if (r == cluster->job.rank || shelves != (shelf != NULL))
            continue;
        if (shelf != NULL ? !shelf_await(shelf, cluster->job.rank, round, NULL, 0)
                          : exchange->come[round % 2 * cluster->job.size + r].round != round)
            return r;
    }
    return cluster->job.size;
}

/* True when something is to go or to come by courier. */
static bool needs_link(const struct cluster *cluster, const struct sending *sending)
{
    return sending->rank < cluster->job.size || find_missing(cluster, false) < cluster->job.size;
}

/* Until all are there, or for a while. */
static void wait_for_shelves(struct cluster *cluster)
{
    struct exchange *exchange = cluster->exchange;
    uint32_t missing;
    while ((missing = find_missing(cluster, true)) < cluster->job.size)
        if (!shelf_await(exchange->others[missing], cluster->job.rank, exchange->round, &exchange->patience, LOOK_NS))
            return;
}

static enum cluster_event fill(struct cluster *cluster, struct cluster_batch *in)
{
    const struct exchange *exchange = cluster->exchange;
    for (uint32_t r = 0; r < cluster->job.size; r++) {
        const struct come *come = &exchange->come[exchange->round % 2 * cluster->job.size + r];
        in[r] = (struct cluster_batch){.bytes = NULL};
        if (r == cluster->job.rank)
            continue;
        if (exchange->others[r] == NULL)
            in[r] = (struct cluster_batch){come->bytes + SKIPS, come->size - SKIPS};
        else
            in[r].bytes = shelf_letter(exchange->others[r], cluster->job.rank, exchange->round, &in[r].size);
        if (in[r].bytes == NULL)
            return CLUSTER_NO_MEMORY;
    }
    return CLUSTER_BATCH;
}

/* Sends what goes by courier, and waits for all. What is in the link behind the last batch stays there: it may say that
 * a rank is lost, and the next round has to know. */
static enum cluster_event await_round(struct cluster *cluster, struct sending *sending, struct cluster_batch *in,
                                      struct cluster_news *news)
{
    enum cluster_event event = CLUSTER_BATCH;
    while (event == CLUSTER_BATCH || event == CLUSTER_NOTHING) {
        if (!send_some(cluster, sending))
            return CLUSTER_CLOSED;
        if (!needs_link(cluster, sending))
            wait_for_shelves(cluster);
        else if (event == CLUSTER_NOTHING) {
            short events = sending->rank < cluster->job.size ? POLLIN | POLLOUT : POLLIN;
            struct pollfd link = {.fd = cluster->link, .events = events};
            poll(&link, 1, -1);
        }
        uint32_t size = cluster->job.size;
        if (sending->rank == size && find_missing(cluster, false) == size && find_missing(cluster, true) == size)
            return fill(cluster, in);
        event = cluster_receive(cluster, news);
        if (event == CLUSTER_BATCH) {
            /* A rank can be a round ahead, not two: that one needs what this rank has yet to send. */
            uint64_t round;
            memcpy(&round, news->bytes, sizeof round);
            struct come *come = &cluster->exchange->come[round % 2 * cluster->job.size + news->rank];
            free(come->bytes);
            *come = (struct come){news->bytes, news->size, round};
        }
    }
    return event;
}

static enum cluster_event run_round(struct cluster *cluster, const struct cluster_batch *out, struct cluster_batch *in,
                                    struct cluster_news *news)
{
    cluster->exchange->posted = ++cluster->exchange->round;
    if (!put_on_shelf(cluster, out))
        return CLUSTER_NO_MEMORY;
    return await_round(cluster, &(struct sending){.out = out}, in, news);
}

bool cluster_is_near(const struct cluster *cluster)
{
    const struct exchange *exchange = cluster->exchange;
    bool near = exchange != NULL && exchange->round > ROUNDS_BEFORE;
    for (uint32_t r = 0; near && r < cluster->job.size; r++)
        near = r == cluster->job.rank || (exchange->finds[r] && exchange->others[r] != NULL);
    return near;
}

bool cluster_post(struct cluster *cluster, const struct cluster_batch *out)
{
    cluster->exchange->posted++;
    return put_on_shelf(cluster, out);
}

enum cluster_event cluster_fetch(struct cluster *cluster, struct cluster_batch *in, struct cluster_news *news)
{
    cluster->exchange->round++;
    return await_round(cluster, &(struct sending){.rank = cluster->job.size}, in, news);
}

/* One round in which all are told the same of each. */
static enum cluster_event tell(struct cluster *cluster, const void *each, size_t size, struct cluster_batch *in,
                               struct cluster_news *news)
{
    struct cluster_batch *out = calloc(cluster->job.size, sizeof *out);
    enum cluster_event event = CLUSTER_NO_MEMORY;
    for (uint32_t r = 0; out != NULL && r < cluster->job.size; r++)
        out[r] = (struct cluster_batch){each, size};
    if (out != NULL)
        event = run_round(cluster, out, in, news);
    free(out);
    return event;
}

/* Who does not tell what is expected is another weir, which is found out later: it goes by courier. */
static enum cluster_event look_for_shelves(struct cluster *cluster, struct cluster_batch *in, struct cluster_news *news)
{
    struct exchange *exchange = cluster->exchange;
    uint32_t size = cluster->job.size;
    struct shelf_address own, other;
    exchange->own = shelf_make(size, &own);
    bool *found = calloc(size, sizeof *found);
    enum cluster_event event = found != NULL ? tell(cluster, &own, sizeof own, in, news) : CLUSTER_NO_MEMORY;
    struct shelf **others = event == CLUSTER_BATCH ? calloc(size, sizeof(*others)) : NULL;
    for (uint32_t r = 0; others != NULL && r < size; r++) {
        if (r == cluster->job.rank || in[r].size != sizeof other)
            continue;
        memcpy(&other, in[r].bytes, sizeof other);
        others[r] = shelf_find(size, &other);
        found[r] = others[r] != NULL;
    }
    if (event == CLUSTER_BATCH)
        event = others != NULL ? tell(cluster, found, size * sizeof *found, in, news) : CLUSTER_NO_MEMORY;
    for (uint32_t r = 0; others != NULL && r < size; r++) {
        if (event == CLUSTER_BATCH && r != cluster->job.rank && in[r].size == size * sizeof *found)
            memcpy(&exchange->finds[r], in[r].bytes + cluster->job.rank * sizeof *found, sizeof *found);
        exchange->others[r] = others[r];
    }
    free(others);
    free(found);
    return event;
}

enum cluster_event cluster_exchange(struct cluster *cluster, const struct cluster_batch *out, struct cluster_batch *in,
                                    struct cluster_news *news)
{
    const struct exchange *exchange = begin(cluster);
    enum cluster_event event = exchange != NULL ? CLUSTER_BATCH : CLUSTER_NO_MEMORY;
    if (event == CLUSTER_BATCH && exchange->round < ROUNDS_BEFORE)
        event = look_for_shelves(cluster, in, news);
    return event == CLUSTER_BATCH ? run_round(cluster, out, in, news) : event;
}

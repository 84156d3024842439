/*
 * courier.c - see courier.h.
 *
 * Couriers of rank 0 and of the others tell each other every second that they are alive. A rank whose process has ended
 * says so by its courier (GONE); one that has lost both is silent, and so is the courier of a process that was stopped,
 * itself or a run that it makes (SIGSTOP). Silence is only counted while there is nothing to receive and this rank
 * runs, so that neither a suspended job nor a slow writer loses anybody.
 *
 * Who has sent batches of an exchange waits for those of the others, and so does its process: until they are there this
 * one looks for them without a rest, and then less and less often. Frames that the process has no time to read wait
 * here.
 *
 * The end: rank 0 says END to all; the others finish what they are sending, answer GONE and leave; rank 0 receives
 * until all have answered, and leaves last.
 */
#define _GNU_SOURCE 1
#include "lab/mpi/courier.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/clock.h"
#include "lab/mpi/mpi.h"

#define NAP_MS 1
#define LOOKS 200u    /* for batches, before it naps at all */
#define NAP_NS 20000u /* the first of these naps */
#define BEAT_S 1.0
#define SILENT_S 30.0
#define STEP_MAX_S 0.1 /* of time that counts as silence at once */
#define END_S 20.0     /* for the others to leave */

enum tag { TAG_MESSAGE = 1, TAG_ALIVE, TAG_GONE, TAG_END, TAG_BATCH };

/* A frame that the process has not taken yet. */
struct waiting {
    struct waiting *next;
    struct frame_head head;
    uint8_t *bytes;
    size_t sent; /* of head and bytes */
};

struct peer {
    double silent_s;
    bool gone; /* its process has ended; the courier waits for the end of the job */
    bool lost; /* was silent for too long */
};

struct courier {
    const struct cluster_mpi *mpi;
    uint32_t rank, size;
    pid_t launcher;     /* mpirun, or its daemon */
    pid_t process;      /* whose courier this is */
    bool stopped;       /* it was, when last looked at */
    int link;           /* -1: closed */
    struct peer *peers; /* [size] */
    double beat, now;   /* moments */
    bool ending;
    bool died; /* its process did, without a word */
    int code;  /* exit status of that */
    struct waiting *first, **end;
    int64_t owed;   /* batches that are to come, for those that were sent */
    uint32_t looks; /* for them, since the last */
};

bool frame_write(int link, const struct frame_head *head, const void *bytes)
{
    struct iovec parts[2] = {{(void *)(uintptr_t)head, sizeof *head}, {(void *)(uintptr_t)bytes, head->size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t sent = sendmsg(link, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        for (uint32_t i = 0; i < 2; i++) {
            size_t part = (size_t)sent < parts[i].iov_len ? (size_t)sent : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            sent -= (ssize_t)part;
        }
    }
    return true;
}

static bool read_all(int link, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = recv(link, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "weir: MPI: %s: %s\n", what, why);
    _exit(4);
}

static void send_mail(struct courier *courier, uint32_t rank, enum tag tag, uint8_t *bytes, size_t size)
{
    struct cluster_mail mail = {.rank = rank, .tag = (int)tag, .bytes = bytes, .size = size};
    if (size > CLUSTER_MPI_BYTES_MAX || !courier->mpi->send(&mail))
        free(mail.bytes); /* whoever waits for it finds that this rank is lost, or is lost itself */
}

static void close_link(struct courier *courier)
{
    if (courier->link >= 0)
        close(courier->link);
    courier->link = -1;
}

/* Writes what waits for the process, as far as it takes it. */
static void write_waiting(struct courier *courier)
{
    while (courier->first != NULL) {
        struct waiting *frame = courier->first;
        size_t skipped = frame->sent < sizeof frame->head ? frame->sent : sizeof frame->head;
        size_t after = frame->sent - skipped, all = sizeof frame->head + frame->head.size;
        struct iovec parts[2] = {{(char *)&frame->head + skipped, sizeof frame->head - skipped},
                                 {frame->bytes + after, frame->head.size - after}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = frame->head.size > after ? 2 : 1};
        ssize_t sent = courier->link >= 0 ? sendmsg(courier->link, &message, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
        if (sent < 0 && courier->link >= 0 && (errno == EINTR || errno == EAGAIN))
            return;
        frame->sent = sent >= 0 ? frame->sent + (size_t)sent : all; /* its reader has gone */
        if (frame->sent < all)
            continue;
        courier->first = frame->next;
        free(frame->bytes);
        free(frame);
    }
    courier->end = &courier->first;
}

/* The bytes are given away. */
static void tell(struct courier *courier, enum frame_kind kind, uint32_t rank, uint8_t *bytes, size_t size)
{
    struct waiting *frame = malloc(sizeof *frame);
    if (frame == NULL)
        give_up("a message", "out of memory");
    *frame = (struct waiting){.head = {.kind = kind, .rank = rank, .size = size}, .bytes = bytes};
    if (courier->first == NULL)
        courier->end = &courier->first;
    *courier->end = frame;
    courier->end = &frame->next;
    write_waiting(courier);
}

static void tell_lost(struct courier *courier, uint32_t rank)
{
    tell(courier, FRAME_LOST, rank, NULL, 0);
}

static void take_mail(struct courier *courier, struct cluster_mail *mail)
{
    struct peer *peer = &courier->peers[mail->rank];
    peer->silent_s = 0;
    if (mail->tag == TAG_MESSAGE || mail->tag == TAG_BATCH) {
        courier->owed -= mail->tag == TAG_BATCH;
        courier->looks = 0;
        tell(courier, mail->tag == TAG_BATCH ? FRAME_BATCH : FRAME_MESSAGE, mail->rank, mail->bytes, mail->size);
        mail->bytes = NULL;
    } else if (mail->tag == TAG_GONE && !peer->gone) {
        peer->gone = true;
        tell_lost(courier, mail->rank);
    } else if (mail->tag == TAG_END) {
        courier->ending = true;
    }
}

/* What the process wants; false: it has ended without a word. */
static bool take_frame(struct courier *courier)
{
    struct frame_head head;
    if (!read_all(courier->link, &head, sizeof head))
        return false;
    if (head.kind == FRAME_BROKEN)
        _exit(0);
    if (head.kind == FRAME_END) {
        courier->code = (int)head.rank;
        close_link(courier);
        return true;
    }
    uint8_t *bytes = malloc(head.size + 1);
    if (bytes == NULL)
        give_up("a message", "out of memory");
    if (!read_all(courier->link, bytes, head.size)) {
        free(bytes);
        return false;
    }
    courier->owed += head.kind == FRAME_BATCH;
    courier->looks = 0;
    send_mail(courier, head.rank, head.kind == FRAME_BATCH ? TAG_BATCH : TAG_MESSAGE, bytes, head.size);
    return true;
}

static bool has_state(long process, char state)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "re");
    size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file != NULL)
        fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == state;
}

/* The process, or one of those that make its runs. */
static bool is_stopped(pid_t process)
{
    char path[64];
    long child;
    bool stopped = has_state(process, 'T');
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, (long)process);
    FILE *file = fopen(path, "re");
    while (!stopped && file != NULL && fscanf(file, "%ld", &child) == 1)
        stopped = has_state(child, 'T');
    if (file != NULL)
        fclose(file);
    return stopped;
}

static void beat(struct courier *courier)
{
    double now = clock_seconds(), step = now - courier->now;
    bool due = now - courier->beat >= BEAT_S;
    courier->now = now;
    courier->beat = due ? now : courier->beat;
    if (due && kill(courier->launcher, 0) != 0 && errno == ESRCH)
        _exit(4); /* the job has been ended from outside */
    if (due)
        courier->stopped = courier->link >= 0 && is_stopped(courier->process);
    if (courier->stopped)
        return;
    for (uint32_t rank = 0; rank < courier->size; rank++) {
        /* Rank 0 talks with all others, and they with rank 0. */
        if (!((courier->rank == 0) != (rank == 0)))
            continue;
        if (due && !courier->peers[rank].lost) /* one whose process is gone stays until the end */
            send_mail(courier, rank, TAG_ALIVE, NULL, 0);
        struct peer *peer = &courier->peers[rank];
        if (peer->gone || peer->lost)
            continue;
        peer->silent_s += step < STEP_MAX_S ? step : STEP_MAX_S;
        if (peer->silent_s < SILENT_S)
            continue;
        if (rank == 0)
            give_up("rank 0", "has been silent for too long");
        peer->lost = true;
        tell_lost(courier, rank);
    }
}

/* How long to wait for the process when nothing else has come. */
static struct timespec nap(struct courier *courier)
{
    const struct timespec usual = {.tv_nsec = NAP_MS * 1000000L}, none = {.tv_nsec = 0};
    if (courier->owed <= 0)
        return usual;
    if (courier->looks++ < LOOKS) {
        sched_yield();
        return none;
    }
    uint32_t times = courier->looks - LOOKS;
    return times * NAP_NS < NAP_MS * 1000000u ? (struct timespec){.tv_nsec = (long)times * NAP_NS} : usual;
}

/* Carries what there is to carry, or waits for it. */
static void carry(struct courier *courier)
{
    struct pollfd poll_link = {.fd = courier->link, .events = POLLIN};
    struct cluster_mail mail;
    bool received = false;
    write_waiting(courier);
    while (courier->mpi->receive(&mail)) {
        received = true;
        take_mail(courier, &mail);
        free(mail.bytes);
    }
    const struct timespec wait = received ? (struct timespec){.tv_nsec = 0} : nap(courier);
    if (courier->first != NULL)
        poll_link.events |= POLLOUT;
    if (ppoll(&poll_link, 1, &wait, NULL) > 0 && courier->link >= 0 && (poll_link.revents & ~POLLOUT) &&
        !take_frame(courier)) {
        close_link(courier);
        /* mpirun waits until nobody holds its pipes any more. */
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
            dup2(nothing, fd);
        courier->died = true;
        courier->code = 4;
    }
    if (!received)
        beat(courier);
}

static bool is_anybody_left(const struct courier *courier)
{
    for (uint32_t i = 1; i < courier->size; i++)
        if (!courier->peers[i].gone && !courier->peers[i].lost)
            return true;
    return false;
}

static bool is_anybody_lost(const struct courier *courier)
{
    for (uint32_t i = 1; i < courier->size; i++)
        if (courier->peers[i].lost)
            return true;
    return false;
}

static void close_from_to(int first, int last)
{
    if (first <= last)
        close_range((unsigned)first, (unsigned)last, 0);
}

void courier_run(const struct cluster *cluster, const char *module, int link, pid_t process)
{
    const struct cluster_job *job = &cluster->job;
    struct courier courier = {.link = link, .launcher = cluster->parent, .process = process};
    signal(SIGINT, SIG_IGN); /* its process decides */
    signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* What else mpirun has left open, ends of its pipes among it, would keep it waiting. MPICH talks with it
     * through one that it names. */
    const char *named = getenv("PMI_FD");
    int other = named != NULL ? (int)strtol(named, NULL, 10) : link;
    int low = other < link ? other : link, high = other < link ? link : other;
    close_from_to(STDERR_FILENO + 1, low - 1);
    close_from_to(low + 1, high - 1);
    close_from_to(high + 1, INT_MAX);
    void *library = dlopen(module, RTLD_NOW | RTLD_GLOBAL); /* global: MPI loads modules that look for its symbols */
    courier.mpi = library != NULL ? dlsym(library, CLUSTER_MPI_SYMBOL) : NULL;
    if (courier.mpi == NULL)
        give_up(job->module, dlerror());
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* MPI waits for all ranks here: mpirun has to see that one is gone */
    if (getppid() != process)
        _exit(4);
    if (!courier.mpi->start(&courier.rank, &courier.size) || courier.rank != job->rank || courier.size != job->size)
        give_up(job->name, "could not be started, or knows of other ranks than mpirun");
    prctl(PR_SET_PDEATHSIG, 0);
    courier.peers = calloc(courier.size, sizeof *courier.peers);
    if (courier.peers == NULL)
        give_up("the ranks", "out of memory");
    courier.now = courier.beat = clock_seconds();
    while (courier.link >= 0 && !courier.ending)
        carry(&courier);
    if (courier.rank == 0) {
        /* Of rank 0, whose process has ended. */
        double until = clock_seconds() + END_S;
        for (uint32_t i = 1; i < courier.size; i++)
            if (!courier.peers[i].lost)
                send_mail(&courier, i, TAG_END, NULL, 0);
        while (is_anybody_left(&courier) && clock_seconds() < until)
            carry(&courier);
        if (courier.died || is_anybody_left(&courier) || is_anybody_lost(&courier))
            courier.mpi->abort(courier.code); /* else those that are missing would be waited for for ever */
    } else {
        /* Of another rank: its own process has ended, or rank 0 has. */
        close_link(&courier);
        while (!courier.mpi->has_sent())
            carry(&courier);
        send_mail(&courier, 0, TAG_GONE, NULL, 0);
        while (!courier.ending) /* where the process has ended early: MPI wants to see all ranks at its end */
            carry(&courier);
    }
    alarm((unsigned)END_S); /* dies where somebody is missing */
    courier.mpi->stop();
    _exit(0);
}

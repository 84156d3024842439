/*
 * pcapng.c - see pcapng.h. Blocks gather in a buffer that goes to the file as a whole; when the file takes only a part
 * of it, it is cut back to where it was.
 */
#include "switch/control/pcapng.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/blocks.h"

#define BUFFER_BYTES (1u << 17)
#define BLOCK_MAX_BYTES PCAPNG_FRAME_MAX_BYTES /* a frame of DATAPLANE_DROP_BYTES, its comment, and room to spare */
#define PART ".part"

struct pcapng {
    int fd;
    int problem;          /* errno of the first write that failed; 0: none */
    uint32_t ports;       /* interfaces */
    uint64_t missed;      /* as of the last packet */
    off_t written;        /* whole blocks in the file */
    struct blocks blocks; /* those in the buffer */
    char *path, *part;    /* the final name; the one until then, null when written in place */
    uint8_t buffer[BUFFER_BYTES];
};

/* The whole buffer, or nothing of it. */
static void pcapng_drain(struct pcapng *capture)
{
    size_t done = 0;
    while (!capture->problem && done < capture->blocks.used) {
        ssize_t count = write(capture->fd, capture->buffer + done, capture->blocks.used - done);
        if (count > 0)
            done += (size_t)count;
        else if (count == 0 || errno != EINTR)
            capture->problem = count == 0 ? ENOSPC : errno;
    }
    if (!capture->problem)
        capture->written += (off_t)done;
    else if (done > 0 && ftruncate(capture->fd, capture->written) != 0 && errno != EINVAL)
        capture->problem = errno;
    capture->blocks.used = 0;
}

/* Room for one more. */
static struct blocks *pcapng_blocks(struct pcapng *capture)
{
    if (sizeof capture->buffer - capture->blocks.used < BLOCK_MAX_BYTES)
        pcapng_drain(capture);
    return &capture->blocks;
}

static bool pcapng_complain(const struct pcapng *capture, int problem, struct weir_error *error)
{
    return weir_fail(error, WEIR_ERROR_WRITE, "%.160s: the capture cannot be written: %s",
                     capture->part ? capture->part : capture->path, strerror(problem));
}

static void pcapng_free(struct pcapng *capture)
{
    if (capture->fd >= 0)
        close(capture->fd);
    free(capture->path);
    free(capture->part);
    free(capture);
}

/* Names and descriptor; 0, or an errno. A pipe would make the switch wait for its reader. */
static int pcapng_create(struct pcapng *capture, const char *path)
{
    struct stat info;
    size_t room = strlen(path) + sizeof PART;
    bool in_place = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    if (in_place && S_ISFIFO(info.st_mode))
        return ESPIPE;
    capture->path = malloc(room);
    capture->part = in_place ? NULL : malloc(room);
    if (!capture->path || (!in_place && !capture->part))
        return ENOMEM;
    snprintf(capture->path, room, "%s", path);
    if (capture->part)
        snprintf(capture->part, room, "%s" PART, path);
    capture->fd = in_place ? open(path, O_WRONLY | O_CLOEXEC)
                           : open(capture->part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    return capture->fd >= 0 ? 0 : errno;
}

struct pcapng *pcapng_open(const char *path, const char *program, uint32_t ports, struct weir_error *error)
{
    struct pcapng *capture = malloc(sizeof *capture);
    int problem = capture ? 0 : ENOMEM;
    if (capture) {
        memset(capture, 0, offsetof(struct pcapng, buffer));
        capture->fd = -1;
        capture->ports = ports;
        capture->blocks = (struct blocks){.at = capture->buffer, .room = sizeof capture->buffer};
        problem = pcapng_create(capture, path);
    }
    if (problem) {
        weir_fail(error, WEIR_ERROR_WRITE, "%.160s: the capture cannot be written: %s", path, strerror(problem));
        if (capture)
            pcapng_free(capture);
        return NULL;
    }
    static const char comment[] = "Dropped frames. Times are those of the emulated switch since its start.";
    char name[128];
    snprintf(name, sizeof name, "%s", program);
    blocks_section(pcapng_blocks(capture), name, comment);
    for (uint32_t port = 0; port < ports; port++) {
        snprintf(name, sizeof name, "port %" PRIu32, port);
        blocks_interface(pcapng_blocks(capture), name, DATAPLANE_DROP_BYTES);
    }
    if (!pcapng_flush(capture, error)) {
        if (capture->part)
            unlink(capture->part);
        pcapng_free(capture);
        return NULL;
    }
    return capture;
}

/* A name as words: "over-threshold" is "over threshold". */
static void name_to_words(const char *name, char *words, size_t room)
{
    snprintf(words, room, "%s", name);
    for (char *at = words; *at; at++)
        *at = *at == '-' ? ' ' : *at;
}

void pcapng_words(const struct dataplane_drop *drop, char words[PCAPNG_WORDS_MAX])
{
    static const char *const causes[WEIR_CAUSE_COUNT] = {
        [WEIR_CAUSE_REFUSED] = "refused",
        [WEIR_CAUSE_PUSHOUT] = "pushed out",
        [WEIR_CAUSE_EXPELLED] = "expelled",
        [WEIR_CAUSE_DEQUEUE] = "dropped when it was about to leave",
        [WEIR_CAUSE_FLUSHED] = "flushed: the link went down",
    };
    char why[32] = "", where[32] = "";
    const char *what = drop->discarded ? "discarded" : causes[drop->cause];
    if (drop->discarded)
        name_to_words(dataplane_discard_name(drop->discard), why, sizeof why);
    else if (drop->cause == WEIR_CAUSE_REFUSED)
        name_to_words(weir_reason_name(drop->reason), why, sizeof why);
    if (drop->output != UINT32_MAX)
        snprintf(where, sizeof where, "; output %" PRIu32 " class %" PRIu32, drop->output, drop->tc);
    snprintf(words, PCAPNG_WORDS_MAX, "%s%s%s%s", what, why[0] ? ": " : "", why, where);
}

void pcapng_write(struct pcapng *capture, const struct dataplane_drop *drop, uint64_t missed)
{
    char words[PCAPNG_WORDS_MAX];
    assert(drop->input < capture->ports && drop->kept_bytes <= DATAPLANE_DROP_BYTES);
    pcapng_words(drop, words);
    const struct blocks_packet packet = {.interface = drop->input,
                                         .when_ns = (uint64_t)(drop->when_ps / WEIR_PS_PER_NS),
                                         .bytes = drop->bytes,
                                         .kept = drop->kept_bytes,
                                         .whole = drop->frame_bytes,
                                         .comment = words,
                                         .direction = BLOCKS_INBOUND,
                                         .missed = missed - capture->missed};
    blocks_packet(pcapng_blocks(capture), &packet);
    capture->missed = missed;
}

uint64_t pcapng_bytes(const struct pcapng *capture)
{
    return (uint64_t)capture->written + capture->blocks.used;
}

bool pcapng_flush(struct pcapng *capture, struct weir_error *error)
{
    pcapng_drain(capture);
    return !capture->problem || pcapng_complain(capture, capture->problem, error);
}

bool pcapng_close(struct pcapng *capture, struct weir_error *error)
{
    if (!capture)
        return true;
    bool good = pcapng_flush(capture, error);
    if (close(capture->fd) != 0 && good)
        good = pcapng_complain(capture, errno, error);
    capture->fd = -1;
    if (good && capture->part && rename(capture->part, capture->path) != 0)
        good = pcapng_complain(capture, errno, error);
    pcapng_free(capture);
    return good;
}

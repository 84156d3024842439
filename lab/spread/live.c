/*
 * live.c - see live.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/output.h"
#include "lab/spread/progress.h"
#include "show/writers/write.h"

#define LIVE_BYTES_MAX (64 << 20) /* more than any sweep needs */

static const char magic[8] = "weirliv1";

static size_t bytes_for(uint32_t places)
{
    return sizeof(struct live_head) + places * sizeof(struct live_run);
}

static char *path_of(const char *database)
{
    char *path = NULL;
    return asprintf(&path, "%s-live", database) < 0 ? NULL : path;
}

void live_open(struct live *live, const char *database, uint32_t places)
{
    *live = (struct live){.path = path_of(database)};
    if (live->path == NULL)
        return;
    unlink(live->path); /* of a sweep that was killed: who still watches it sees that it is gone */
    int fd = open(live->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    void *at = MAP_FAILED;
    if (posix_fallocate(fd, 0, (off_t)bytes_for(places)) == 0) /* else a full disk would be a signal */
        at = mmap(NULL, bytes_for(places), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) {
        unlink(live->path);
        return;
    }
    live->head = at;
    live->runs = (struct live_run *)(live->head + 1);
    live->head->bytes = (uint32_t)bytes_for(places);
    live->head->pid = (int32_t)getpid();
    live->head->started = clock_seconds();
    live->head->places = places;
    live->head->left_ms = -1;
    memcpy(live->head->magic, magic, sizeof magic); /* last: it is whole */
}

void live_close(struct live *live)
{
    if (live->head != NULL) {
        unlink(live->path);
        munmap(live->head, live->head->bytes);
    }
    free(live->path);
    *live = (struct live){.head = NULL};
}

void live_release(const struct live *live, uint32_t run)
{
    for (uint32_t i = 0; live->head != NULL && i < live->head->places; i++)
        if (live->runs[i].taken && live->runs[i].run == run)
            live->runs[i].taken = 0;
}

struct live_run *live_take(const struct live *live, uint32_t run, const char *name)
{
    for (uint32_t i = 0; live != NULL && live->head != NULL && i < live->head->places; i++) {
        struct live_run *place = &live->runs[i];
        uint32_t nobody = 0;
        if (!__atomic_compare_exchange_n((uint32_t *)&place->taken, &nobody, 1, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
            continue;
        place->run = run;
        place->started = clock_seconds();
        place->now = place->until = 0;
        place->hops = 0;
        snprintf(place->name, sizeof place->name, "%s", name);
        return place;
    }
    return NULL;
}

bool live_report(void *context, const struct sim_progress *progress)
{
    struct live_run *place = context;
    place->now = progress->now;
    place->until = progress->until;
    place->hops = progress->packet_hops;
    return true;
}

/* Of the file as it is now: a copy, since whoever owns it may change its size. */
static struct live_head *copy_of(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct live_head *head = NULL;
    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size >= (off_t)sizeof *head && about.st_size < LIVE_BYTES_MAX)
        head = malloc((size_t)about.st_size);
    bool whole = head != NULL && read(fd, head, (size_t)about.st_size) == about.st_size &&
                 memcmp(head->magic, magic, sizeof magic) == 0 && (off_t)head->bytes == about.st_size &&
                 head->places < LIVE_BYTES_MAX / sizeof(struct live_run) && bytes_for(head->places) == head->bytes;
    if (fd >= 0)
        close(fd);
    if (!whole) {
        free(head);
        return NULL;
    }
    return head;
}

bool live_read(struct live *live, const char *database)
{
    *live = (struct live){.path = path_of(database)};
    live->head = live->path != NULL ? copy_of(live->path) : NULL;
    if (live->head != NULL && (kill(live->head->pid, 0) == 0 || errno == EPERM)) {
        live->runs = (struct live_run *)(live->head + 1);
        return true;
    }
    live_forget(live);
    return false;
}

void live_forget(struct live *live)
{
    free(live->head);
    free(live->path);
    *live = (struct live){.head = NULL};
}

/* What all runs have simulated and sent since the start, those under way too. */
static void sums(const struct live *live, double *simulated_ps, double *hops)
{
    *simulated_ps = (double)live->head->simulated_ps;
    *hops = (double)live->head->hops;
    for (uint32_t i = 0; i < live->head->places; i++) {
        *simulated_ps += live->runs[i].taken ? (double)live->runs[i].now : 0;
        *hops += live->runs[i].taken ? (double)live->runs[i].hops : 0;
    }
}

static void add_run(struct data_frame *frame, const struct live_run *run, double now)
{
    char left[PROGRESS_DURATION_MAX] = "-", packets[32], name[LIVE_NAME_MAX];
    double at = (double)run->now, until = (double)run->until;
    double seconds = now - run->started > 0.001 ? now - run->started : 0.001;
    memcpy(name, run->name, sizeof name);
    name[sizeof name - 1] = '\0';
    if (until <= 0) {
        data_row(frame, cell_text(name), cell_shown(cell_none(), "starts"), cell_none(), cell_none(), cell_none(),
                 cell_none());
        return;
    }
    if (at > 0)
        progress_duration(seconds * (until - at) / at, left);
    snprintf(packets, sizeof packets, "%.2f M", (double)run->hops / seconds / 1e6);
    data_row(frame, cell_text(name), cell_number(at), cell_number(at / until), cell_number(at / seconds),
             cell_shown(cell_number((double)run->hops / seconds), packets),
             cell_shown(cell_number(at > 0 ? seconds * (until - at) / at : NAN), left));
}

void live_show(const struct live *live, const char *database, bool screen)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("run", "run", TEXT),          DATA_COLUMN("simulated_ps", "simulated", PS),
        DATA_COLUMN("share", "of it", SHARE),     DATA_COLUMN("ps_per_second", "per second", PS),
        DATA_COLUMN("hops", "packets/s", NUMBER), DATA_COLUMN("left", "ETA", TIME)};
    double now = clock_seconds();
    const struct live_head *head = live->head;
    char simulated[32], rate[32], left[PROGRESS_DURATION_MAX], since[PROGRESS_DURATION_MAX];
    double ps, hops, seconds = now - head->started > 0.001 ? now - head->started : 0.001;
    sums(live, &ps, &hops);
    printf("%s: %" PRIu32 " of %" PRIu32 " runs done, %" PRIu32 " running, %" PRIu32 " failed; %s simulated (%s per "
           "second), %.1f million packets/s; since %s",
           database, head->there + head->done, head->total, head->running, head->failed, output_time(ps, simulated),
           output_time(ps / seconds, rate), hops / seconds / 1e6, progress_duration(seconds, since));
    if (head->left_ms >= 0)
        printf(", ETA %s", progress_duration((double)head->left_ms / 1e3, left));
    putchar('\n');
    if (!screen || live->head->running == 0)
        return;
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < live->head->places; i++)
        if (live->runs[i].taken)
            add_run(frame, &live->runs[i], now);
    putchar('\n');
    write_result(frame, false);
}

/*
 * makers.c - see makers.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/makers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/version.h"

#define WAIT_S 0.1 /* the line is looked after at least so often */

struct making {
    const struct makers *what;
    struct pool pool;
    uint32_t next;   /* of the list */
    uint32_t *again; /* [room]: those that a lost rank has left, or that rank 0 asks for */
    uint32_t again_count, room;
    bool over; /* rank 0 has ended */
};

static uint32_t running(const struct making *making)
{
    return making->pool.running + (making->what->ranks != NULL ? spread_ranks_running(making->what->ranks) : 0);
}

/* The job has ended: at rank 0 too early. */
static int end_ranks(struct making *making)
{
    making->over = true;
    if (making->what->todo == NULL)
        return CLI_OK;
    sweep_progress_clear(making->what->progress);
    return cli_error(CLI_INTERNAL, "MPI has ended, or whoever started it: what is finished is kept (the same command "
                                   "makes the rest)");
}

/* As many as there is room for. A system that has no processes or descriptors left is asked again when a child has
 * ended. */
static int start_more(struct making *making)
{
    struct spread_ranks *ranks = making->what->ranks;
    while (making->again_count > 0 || making->next < making->what->count) {
        bool repeats = making->again_count > 0;
        uint32_t item = repeats ? making->again[making->again_count - 1] : making->what->todo[making->next];
        if (pool_has_room(&making->pool)) {
            bool started = pool_start(&making->pool, item);
            if (!started && running(making) > 0)
                return CLI_OK;
            if (!started)
                return cli_error(CLI_INTERNAL, "cannot start a process: %s%s", strerror(errno),
                                 errno == EMFILE ? " (raise the limit, 'ulimit -n')" : "");
        } else if (ranks != NULL && spread_ranks_have_room(ranks)) {
            if (!spread_ranks_start(ranks, item))
                return end_ranks(making);
        } else {
            return CLI_OK;
        }
        making->again_count -= repeats;
        making->next += !repeats;
    }
    return CLI_OK;
}

static void count(const struct making *making, uint32_t rank, const struct pool_done *done)
{
    if (making->what->by == NULL)
        return;
    struct maker *maker = &making->what->by[rank];
    maker->runs++;
    maker->busy_s += done->seconds;
    if (done->seconds < maker->longest_s)
        return;
    maker->longest_s = done->seconds;
    maker->longest = done->item;
}

static int keep(struct making *making, uint32_t rank, const struct pool_done *done, const char *version)
{
    count(making, rank, done);
    int started = start_more(making); /* first: runs must not wait for the database */
    int code = making->what->keep(making->what->context, done, version);
    return code == CLI_OK ? started : code;
}

/* All that the other ranks have sent. */
static int hear(struct making *making)
{
    struct ranks_news news;
    int code = CLI_OK;
    while (code == CLI_OK) {
        enum ranks_event event = spread_ranks_look(making->what->ranks, &news);
        if (news.text != NULL) {
            sweep_progress_clear(making->what->progress);
            cli_error(CLI_OK, "%s", news.text);
        }
        free(news.text);
        switch (event) {
        case RANKS_NOTHING:
            return CLI_OK;
        case RANKS_CLOSED:
            return end_ranks(making);
        case RANKS_NO_MEMORY:
            return cli_error_memory();
        case RANKS_DONE:
            code = keep(making, news.rank, &news.done, news.version);
            free(news.parcel);
            break;
        case RANKS_LOST:
            if (making->what->by != NULL)
                making->what->by[news.rank].again += news.count;
            for (uint32_t i = 0; i < news.count; i++)
                making->again[making->again_count++] = news.lost[i];
            code = start_more(making);
            break;
        case RANKS_ASKED:
            making->what->turn(making->what->context, news.file, &making->pool.settings);
            if (making->again_count < making->room)
                making->again[making->again_count++] = news.run;
            code = start_more(making);
            break;
        case RANKS_NEWS:
            code = start_more(making);
            break;
        }
    }
    return code;
}

static int make_runs(struct making *making)
{
    int code = start_more(making);
    while (code == CLI_OK && !making->over && (running(making) > 0 || making->what->todo == NULL)) {
        struct pool_done done = {.bytes = NULL};
        switch (pool_wait(&making->pool, WAIT_S, &done)) {
        case POOL_DONE:
            code = keep(making, 0, &done, version_text());
            free(done.bytes);
            break;
        case POOL_EAR:
            code = hear(making);
            break;
        case POOL_SIGNAL:
            return CLI_INTERRUPTED;
        case POOL_NO_MEMORY:
            return cli_error_memory();
        case POOL_FAILED:
            return cli_error(CLI_INTERNAL, "cannot wait for processes: %s", strerror(errno));
        case POOL_TIME:
            break;
        }
        if (code == CLI_OK && making->what->ranks != NULL && !cluster_is_alive(&making->what->ranks->cluster))
            return end_ranks(making);
        sweep_progress_show(making->what->progress, running(making));
    }
    return code;
}

int makers_run(const struct makers *makers)
{
    struct making making = {.what = makers, .room = makers->todo != NULL ? makers->count : makers->settings.jobs};
    making.again = calloc(making.room, sizeof *making.again);
    if (making.again == NULL)
        return cli_error_memory();
    bool ready = pool_init(&making.pool, &makers->settings);
    if (makers->ranks != NULL)
        pool_listen(&making.pool, makers->ranks->cluster.link);
    int code = ready ? make_runs(&making) : cli_error(CLI_INTERNAL, "cannot start processes: %s", strerror(errno));
    sweep_progress_clear(makers->progress);
    for (uint32_t i = 0; makers->by != NULL && i < spread_ranks_count(makers->ranks); i++)
        makers->by[i].jobs = i == 0 ? makers->settings.jobs : spread_ranks_jobs(makers->ranks, i);
    pool_free(&making.pool);
    free(making.again);
    return code;
}

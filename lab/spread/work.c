/*
 * work.c - see work.h. A result is sent as the text of its configuration with the zero that ends it, followed
 * by the packed measures.
 */
#include "lab/spread/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/confine.h"
#include "lab/plan/guard.h"
#include "lab/spread/live.h"
#include "lab/spread/spread.h"
#include "run/measures/measures.h"

static bool send_bytes(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = write(fd, at, size);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* The code in one byte, then the line. */
static int send_failure(int fd, const struct weir_error *error)
{
    char line[WEIR_ERROR_LINE_MAX];
    uint8_t kind = (uint8_t)error->code;
    weir_error_line(error, line);
    if (error->code == WEIR_ERROR_MEMORY && guard_refused())
        snprintf(line, sizeof line, "out of memory: %s", guard_note());
    if (send_bytes(fd, &kind, 1))
        send_bytes(fd, line, strlen(line));
    return cli_exit_of(error->code);
}

static int send_result(int fd, const struct run *run)
{
    size_t size = 0;
    struct measures measures;
    char *config = run_measures(run, &measures) ? node_text(run->scenario.effective) : NULL;
    uint8_t *packed = config != NULL ? measures_pack(&measures, &size) : NULL;
    bool sent = packed != NULL && send_bytes(fd, config, strlen(config) + 1) && send_bytes(fd, packed, size);
    struct weir_error error;
    int code = sent ? CLI_OK : CLI_INTERNAL; /* the parent is gone */
    if (packed == NULL && !weir_fail_memory(&error))
        code = send_failure(fd, &error);
    measures_free(&measures);
    free(config);
    free(packed);
    return code;
}

/* False: see made->error. */
static bool simulate(const struct spread_work *work, uint32_t run, struct run *made, struct spread_rows *rows)
{
    bool wants_rows = made->scenario.rows.file != NULL;
    const struct run_options options = {.take_row = wants_rows ? spread_rows_take : NULL, .rows_context = rows};
    run_ask(made, &options);
    if (run_begin(made) != RUN_PAUSED)
        return false;
    char *path = wants_rows ? spread_rows_name(made->scenario.rows.file, work->plan->ids[run]) : NULL;
    bool opened = !wants_rows || (path != NULL && spread_rows_open(rows, path, made));
    free(path);
    if (!opened)
        return weir_fail(&made->error, WEIR_ERROR_WRITE, "its training rows could not be written");
    char name[256];
    experiment_run_name(&work->plan->experiment, run, name);
    struct live_run *place = live_take(work->live, run, name);
    made->options.progress = place != NULL ? live_report : NULL;
    made->options.context = place;
    if (run_go(made, WEIR_NEVER) != RUN_DONE)
        return false;
    if (!spread_rows_commit(rows, false))
        return weir_fail(&made->error, WEIR_ERROR_WRITE, "its training rows could not be written");
    return work->records == NULL ||
           sweep_records_write(work->records, run, &made->scenario, run_sim(made), &made->error);
}

int spread_work(void *context, uint32_t run, int fd)
{
    const struct spread_work *work = context;
    const struct run_source source = plan_source(work->plan, run);
    const struct run_options options = {.engine = work->engine, .engine_context = work->engine_context};
    struct run_limits limits = work->plan->experiment.limits;
    struct spread_rows rows = {.open = false};
    struct run made;
    if (work->engine == NULL) { /* real packets take programs and rights, and little memory */
        limits.time_ps = 0;     /* the pool sees to it */
        confine_calls(CONFINE_FILES);
        guard_start(&limits, work->jobs, fd);
    }
    bool good = run_open(&made, &source, &options) &&
                (work->engine == NULL ? simulate(work, run, &made, &rows) : run_go(&made, WEIR_NEVER) == RUN_DONE);
    int code = good ? send_result(fd, &made) : send_failure(fd, &made.error);
    spread_rows_discard(&rows);
    run_close(&made);
    return code;
}

struct pool_settings spread_pool(struct spread_work *work, uint32_t jobs)
{
    return (struct pool_settings){.jobs = jobs,
                                  .time_s = (double)work->plan->experiment.limits.time_ps / (double)WEIR_PS_PER_S,
                                  .work = spread_work,
                                  .context = work};
}

int spread_work_take(const struct plan *plan, const struct pool_done *done, struct spread_sent *sent,
                     char reason[SPREAD_REASON_MAX])
{
    *sent = (struct spread_sent){.config = NULL};
    bool finished = WIFEXITED(done->status) && WEXITSTATUS(done->status) == CLI_OK;
    const uint8_t *zero = finished && done->size > 0 ? memchr(done->bytes, 0, done->size) : NULL;
    if (zero != NULL && measures_unpack(&sent->measures, zero + 1, done->size - (size_t)(zero + 1 - done->bytes))) {
        sent->config = (const char *)done->bytes;
        return CLI_OK;
    }
    if (zero != NULL && sent->measures.failed) { /* of this process, not of the run */
        snprintf(reason, SPREAD_REASON_MAX, "out of memory while its result was read");
        return CLI_INTERNAL;
    }
    const struct run_limits *limits = &plan->experiment.limits;
    char text[32];
    if (done->late) {
        double limit_ps = plan->real[done->item] ? done->seconds * (double)WEIR_PS_PER_S : (double)limits->time_ps;
        snprintf(reason, SPREAD_REASON_MAX, "took longer than %s", output_time(limit_ps, text));
    } else if (WIFSIGNALED(done->status)) {
        int number = WTERMSIG(done->status);
        snprintf(reason, SPREAD_REASON_MAX, "ended by signal %d, %s%s", number, strsignal(number),
                 number == SIGKILL ? " (the system may be short of memory)" : "");
    } else if (WEXITSTATUS(done->status) == CLI_OK) {
        snprintf(reason, SPREAD_REASON_MAX, "sent a result that cannot be read");
    } else if (done->size > 0) {
        snprintf(reason, SPREAD_REASON_MAX, "%.*s", (int)done->size - 1, (const char *)done->bytes + 1);
        return WEXITSTATUS(done->status);
    } else {
        snprintf(reason, SPREAD_REASON_MAX, "ended with status %d", WEXITSTATUS(done->status));
    }
    return CLI_INTERNAL;
}

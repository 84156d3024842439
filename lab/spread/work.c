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
#include "lab/spread/guard.h"
#include "lab/spread/live.h"
#include "lab/spread/run.h"
#include "run/measures/measures.h"

bool run_work_measure(const struct scenario *scenario, const struct sim *sim, struct measures *measures)
{
    struct run_result *result = malloc(sizeof *result); /* too large for a stack */
    *measures = (struct measures){.values = NULL};
    if (result == NULL)
        return false;
    bool made = run_result_make(result, scenario, sim, false) && run_measures_make(measures, result);
    run_result_free(result);
    free(result);
    return made;
}

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
int run_work_fail(int fd, const struct weir_error *error)
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

static int fail_memory(int fd)
{
    struct weir_error error;
    weir_fail_memory(&error);
    return run_work_fail(fd, &error);
}

int run_work_send(int fd, const struct scenario *scenario, const struct measures *measures)
{
    size_t size = 0;
    char *config = node_text(scenario->effective);
    uint8_t *packed = measures_pack(measures, &size);
    bool made = config != NULL && packed != NULL;
    bool sent = made && send_bytes(fd, config, strlen(config) + 1) && send_bytes(fd, packed, size);
    free(config);
    free(packed);
    if (!made)
        return fail_memory(fd);
    return sent ? CLI_OK : CLI_INTERNAL; /* else the parent is gone */
}

static int send_result(int fd, const struct scenario *scenario, const struct sim *sim)
{
    struct measures measures;
    int code = run_work_measure(scenario, sim, &measures) ? run_work_send(fd, scenario, &measures) : fail_memory(fd);
    measures_free(&measures);
    return code;
}

/* The simulation of a scenario, after the one that it may need before; null after an error. */
static struct sim *create(struct scenario *scenario, struct run_rows *rows, struct weir_error *error)
{
    if (scenario_is_foreseen(scenario) && scenario_foresee(scenario, NULL, NULL, error) != SIM_DONE)
        return NULL;
    if (scenario->rows.file != NULL || scenario->rows.forest != NULL)
        run_rows_ask(rows, scenario);
    return scenario_create(scenario, error);
}

static bool open_rows(struct run_rows *rows, const char *id, const struct scenario *scenario, const struct sim *sim)
{
    char *path = run_rows_name(scenario->rows.file, id);
    bool opened = path != NULL && run_rows_open(rows, path, scenario, sim);
    free(path);
    return opened;
}

/* What else the run writes, and its result. */
static int finish(const struct run_in_simulator *work, uint32_t run, const struct scenario *scenario,
                  const struct sim *sim, int fd)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (work->records != NULL && !sweep_records_write(work->records, run, scenario, sim, &error))
        return run_work_fail(fd, &error);
    return send_result(fd, scenario, sim);
}

static int simulate(const struct run_in_simulator *work, uint32_t run, struct scenario *scenario, int fd)
{
    struct run_rows rows = {.open = false};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct sim *sim = create(scenario, &rows, &error);
    if (sim == NULL)
        return run_work_fail(fd, &error);
    bool written = scenario->rows.file == NULL || open_rows(&rows, work->plan->ids[run], scenario, sim);
    char name[256];
    experiment_run_name(&work->plan->experiment, run, name);
    struct live_run *place = live_take(work->live, run, name);
    enum sim_status status = written ? sim_run(sim, place != NULL ? live_report : NULL, place) : SIM_DONE;
    written = written && (status != SIM_DONE || run_rows_commit(&rows, false));
    run_rows_discard(&rows);
    int code;
    if (!written) {
        weir_fail(&error, WEIR_ERROR_WRITE, "its training rows could not be written");
        code = run_work_fail(fd, &error);
    } else if (status == SIM_DONE) {
        code = finish(work, run, scenario, sim, fd);
    } else {
        code = status == SIM_UNEVEN ? run_work_fail(fd, sim_error(sim)) : fail_memory(fd);
    }
    sim_free(sim);
    return code;
}

int run_work(void *context, uint32_t run, int fd)
{
    const struct run_in_simulator *work = context;
    struct run_limits limits = work->plan->experiment.limits;
    struct scenario scenario;
    limits.time_ps = 0; /* the pool sees to it */
    confine_calls(CONFINE_FILES);
    guard_start(&limits, work->jobs, fd);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool built = run_plan_scenario(work->plan, run, &scenario, &error);
    int code = built ? simulate(work, run, &scenario, fd) : run_work_fail(fd, &error);
    scenario_free(&scenario);
    return code;
}

static int put_reason(char reason[RUN_REASON_MAX], const struct run_plan *plan, const struct pool_done *done)
{
    const struct run_limits *limits = &plan->experiment.limits;
    char text[32];
    if (done->late) {
        double limit_ps = plan->real[done->item] ? done->seconds * (double)WEIR_PS_PER_S : (double)limits->time_ps;
        snprintf(reason, RUN_REASON_MAX, "took longer than %s", run_duration(limit_ps, text));
    } else if (WIFSIGNALED(done->status)) {
        int number = WTERMSIG(done->status);
        snprintf(reason, RUN_REASON_MAX, "ended by signal %d, %s%s", number, strsignal(number),
                 number == SIGKILL ? " (the system may be short of memory)" : "");
    } else if (WEXITSTATUS(done->status) == CLI_OK) {
        snprintf(reason, RUN_REASON_MAX, "sent a result that cannot be read");
    } else if (done->size > 0) {
        snprintf(reason, RUN_REASON_MAX, "%.*s", (int)done->size - 1, (const char *)done->bytes + 1);
        return WEXITSTATUS(done->status);
    } else {
        snprintf(reason, RUN_REASON_MAX, "ended with status %d", WEXITSTATUS(done->status));
    }
    return CLI_INTERNAL;
}

int run_work_take(const struct run_plan *plan, const struct pool_done *done, struct run_sent *sent,
                  char reason[RUN_REASON_MAX])
{
    *sent = (struct run_sent){.config = NULL};
    bool finished = WIFEXITED(done->status) && WEXITSTATUS(done->status) == CLI_OK;
    const uint8_t *zero = finished && done->size > 0 ? memchr(done->bytes, 0, done->size) : NULL;
    if (zero != NULL && measures_unpack(&sent->measures, zero + 1, done->size - (size_t)(zero + 1 - done->bytes))) {
        sent->config = (const char *)done->bytes;
        return CLI_OK;
    }
    if (zero != NULL && sent->measures.failed) { /* of this process, not of the run */
        snprintf(reason, RUN_REASON_MAX, "out of memory while its result was read");
        return CLI_INTERNAL;
    }
    return put_reason(reason, plan, done);
}

/*
 * simulate.c - a simulation under way: the progress line, and SIGINT.
 *
 * The simulation asks every few hundred windows whether to go on; each time the clock says whether a line is due. A
 * second SIGINT ends the process at once.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <signal.h>

#include "cli/clock.h"
#include "cli/screen.h"
#include "lab/spread/progress.h"
#include "lab/spread/run.h"

/* A handler can only reach globals. */
static volatile sig_atomic_t interrupt_seen;

static void note_signal(int number)
{
    (void)number;
    interrupt_seen = 1;
}

struct watch {
    bool terminal;
    double every; /* seconds between lines; 0: none are wanted */
    double started, shown;
    double deadline; /* a moment of the clock; 0: none */
    bool late;
};

static void put_line(const struct watch *watch, const struct sim_progress *progress)
{
    char done[32], all[32], rate[32], left[PROGRESS_DURATION_MAX];
    double seconds = watch->shown - watch->started, now = (double)progress->now, until = (double)progress->until;
    if (watch->terminal)
        screen_command(stderr, SCREEN_CLEAR_LINE);
    fprintf(stderr,
            "%s of %s simulated (%.0f %%), %s per second, %.1f million packets/s, flows: %" PRIu64 " started, %" PRIu64
            " ended",
            run_duration(now, done), run_duration(until, all), 100 * now / until, run_duration(now / seconds, rate),
            (double)progress->packet_hops / seconds / 1e6, progress->flows_started, progress->flows_ended);
    if (progress->now > 0)
        fprintf(stderr, ", ETA %s", progress_duration(progress_left(seconds, now, until), left));
    fputs(watch->terminal ? "" : "\n", stderr);
    fflush(stderr);
}

static bool report(void *context, const struct sim_progress *progress)
{
    struct watch *watch = context;
    double now = clock_seconds();
    if (watch->every > 0 && now - watch->shown >= watch->every) {
        watch->shown = now;
        put_line(watch, progress);
    }
    watch->late = watch->deadline > 0 && now > watch->deadline;
    return interrupt_seen == 0 && !watch->late;
}

/* What is run: a simulation, or the one that a scenario needs before it. */
struct job {
    struct sim *sim; /* null: `scenario` */
    struct scenario *scenario;
    struct weir_error error;
};

static enum sim_status run_job(struct job *job, struct watch *watch)
{
    if (job->sim == NULL)
        return scenario_foresee(job->scenario, report, watch, &job->error);
    enum sim_status status = sim_run(job->sim, report, watch);
    if (status == SIM_UNEVEN || status == SIM_APART)
        job->error = *sim_error(job->sim);
    return status;
}

static int run_watched(struct job *job, double time_limit_s, bool quiet, bool *interrupted)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND}, before;
    struct watch watch = {.started = clock_seconds()};
    watch.every = progress_every(quiet, &watch.terminal);
    watch.shown = watch.started;
    watch.deadline = time_limit_s > 0 ? watch.started + time_limit_s : 0;
    interrupt_seen = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    enum sim_status status = run_job(job, &watch);
    sigaction(SIGINT, &before, NULL);
    if (watch.terminal && watch.shown > watch.started)
        screen_command(stderr, SCREEN_CLEAR_LINE);
    *interrupted = status == SIM_RUNNING && !watch.late;
    if (status == SIM_OUT_OF_MEMORY)
        return cli_error_memory();
    if (status == SIM_UNEVEN)
        return cli_error(CLI_VIOLATION, "the packets do not add up: %s", job->error.text);
    if (status == SIM_APART)
        return cli_report(&job->error);
    if (status == SIM_RUNNING && watch.late)
        return cli_error(CLI_INTERNAL, "the run took longer than %.4gs, its limit", time_limit_s);
    return CLI_OK;
}

int run_simulate(struct sim *sim, double time_limit_s, bool quiet, bool *interrupted)
{
    struct job job = {.sim = sim};
    return run_watched(&job, time_limit_s, quiet, interrupted);
}

int run_foresee(struct scenario *scenario, double time_limit_s, bool quiet, bool *interrupted)
{
    struct job job = {.scenario = scenario};
    return run_watched(&job, time_limit_s, quiet, interrupted);
}

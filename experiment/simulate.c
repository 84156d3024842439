/*
 * simulate.c - a simulation under way: the progress line, and SIGINT.
 *
 * A timer ticks while the line is shown: a tick is both when to renew it and the unit of the speed in it. A second
 * SIGINT ends the process at once.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/screen.h"
#include "experiment/run.h"

#define TICK_US 250000

/* A handler can only reach globals. */
static volatile sig_atomic_t interrupt_seen, ticks_seen;

static void note_signal(int number)
{
    if (number == SIGINT)
        interrupt_seen = 1;
    else
        ticks_seen++;
}

static void put_line(const struct sim_progress *progress, sig_atomic_t ticks)
{
    char done[32], all[32], rate[32];
    screen_command(stderr, SCREEN_CLEAR_LINE);
    double seconds = (double)ticks * TICK_US / 1e6;
    fprintf(stderr,
            "%s of %s simulated (%.0f %%), %s per second, %.1f million packets/s, flows: %" PRIu64 " started, %" PRIu64
            " ended",
            run_duration((double)progress->now, done), run_duration((double)progress->until, all),
            100 * (double)progress->now / (double)progress->until, run_duration((double)progress->now / seconds, rate),
            (double)progress->packet_hops / seconds / 1e6, progress->flows_started, progress->flows_ended);
    fflush(stderr);
}

struct watch {
    sig_atomic_t shown;
    double deadline; /* a moment of the clock; 0: none */
    bool late;
};

static bool report(void *context, const struct sim_progress *progress)
{
    struct watch *watch = context;
    sig_atomic_t ticks = ticks_seen;
    if (ticks != watch->shown)
        put_line(progress, ticks);
    watch->shown = ticks;
    watch->late = watch->deadline > 0 && clock_seconds() > watch->deadline;
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

static enum sim_status run_with_line(struct job *job, struct watch *watch)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART}, before;
    const struct itimerval every = {{0, TICK_US}, {0, TICK_US}}, never = {{0, 0}, {0, 0}};
    ticks_seen = 0;
    watch->shown = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &every, NULL);
    enum sim_status status = run_job(job, watch);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    if (watch->shown > 0)
        screen_command(stderr, SCREEN_CLEAR_LINE);
    return status;
}

static int run_watched(struct job *job, double time_limit_s, bool quiet, bool *interrupted)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND}, before;
    struct watch watch = {.shown = ticks_seen, .deadline = time_limit_s > 0 ? clock_seconds() + time_limit_s : 0};
    interrupt_seen = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    bool line = !quiet && isatty(STDERR_FILENO) == 1;
    enum sim_status status = line ? run_with_line(job, &watch) : run_job(job, &watch);
    sigaction(SIGINT, &before, NULL);
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

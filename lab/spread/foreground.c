/*
 * foreground.c - a run in the foreground: the progress line, and SIGINT.
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
#include "lab/spread/spread.h"

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
            output_time(now, done), output_time(until, all), 100 * now / until, output_time(now / seconds, rate),
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
    return interrupt_seen == 0;
}

static int run_watched(struct run *run, bool begin, bool quiet)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND}, before;
    struct watch watch = {.started = clock_seconds()};
    watch.every = progress_every(quiet, &watch.terminal);
    watch.shown = watch.started;
    run->options.progress = report;
    run->options.context = &watch;
    run->options.clock = clock_seconds;
    interrupt_seen = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    if (begin)
        run_begin(run);
    else
        run_go(run, WEIR_NEVER);
    sigaction(SIGINT, &before, NULL);
    run->options.progress = NULL;
    if (watch.terminal && watch.shown > watch.started)
        screen_command(stderr, SCREEN_CLEAR_LINE);
    switch (run->end) {
    case RUN_PAUSED:
    case RUN_DONE:
    case RUN_STOPPED:
        return CLI_OK;
    case RUN_OUT_OF_MEMORY:
        return cli_error_memory();
    case RUN_UNEVEN:
        return cli_error(CLI_VIOLATION, "the packets do not add up: %s", run->error.text);
    case RUN_LATE:
        return cli_error(CLI_INTERNAL, "the run took longer than %.4gs, its limit", run->options.time_s);
    case RUN_FAILED:
        break;
    }
    return cli_report(&run->error);
}

int spread_begin(struct run *run, bool quiet)
{
    return run_watched(run, true, quiet);
}

int spread_go(struct run *run, bool quiet)
{
    return run_watched(run, false, quiet);
}

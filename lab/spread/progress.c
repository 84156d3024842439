/*
 * progress.c - see progress.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/screen.h"
#include "lab/spread/live.h"
#include "run/measures/values.h"
#include "show/writers/run.h"

#define EVERY_ON_TERMINAL 0.25
#define EVERY_IN_FILE 10.0

double progress_every(bool quiet, bool *terminal)
{
    *terminal = isatty(STDERR_FILENO) == 1;
    return quiet ? 0 : *terminal ? EVERY_ON_TERMINAL : EVERY_IN_FILE;
}

double progress_left(double seconds, double done, double all)
{
    return done > 0 && done < all ? seconds * (all - done) / done : 0;
}

void sweep_progress_start(struct sweep_progress *progress, uint32_t part, bool quiet)
{
    progress->every = progress_every(quiet, &progress->terminal);
    progress->started = progress->shown = clock_seconds();
    progress->part = part;
    progress->before = progress->ended = progress->done + progress->failed;
    progress->last = progress->started;
    progress->hops = 0;
    progress->simulated_s = 0;
}

const char *progress_duration(double seconds, char text[PROGRESS_DURATION_MAX])
{
    uint64_t s = (uint64_t)(seconds + 0.5);
    if (s < 60)
        snprintf(text, PROGRESS_DURATION_MAX, "%" PRIu64 "s", s);
    else if (s < 3600)
        snprintf(text, PROGRESS_DURATION_MAX, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
    else
        snprintf(text, PROGRESS_DURATION_MAX, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
    return text;
}

void sweep_progress_add(struct sweep_progress *progress, const struct measures *measures)
{
    progress->done++;
    progress->hops += measures->hops;
    for (uint32_t i = 0; i < measures->value_count; i++)
        if (strcmp(measures->values[i].name, "end") == 0)
            progress->simulated_s += measures->values[i].value;
}

double sweep_progress_left(struct sweep_progress *p, double now)
{
    uint32_t ended = p->done + p->failed, now_ended = ended - p->before;
    if (ended != p->ended) {
        p->ended = ended;
        p->last = now;
    }
    double left = now_ended > 0 ? (p->last - p->started) / now_ended * (p->part - now_ended) - (now - p->last)
                                : p->planned_s - (now - p->started);
    return now_ended == 0 && p->planned_s <= 0 ? -1 : left > 0 ? left : 0;
}

static void publish(const struct sweep_progress *p, uint32_t running, double left)
{
    struct live_head *head = p->live != NULL ? p->live->head : NULL;
    if (head == NULL)
        return;
    head->total = p->total;
    head->there = p->there;
    head->done = p->done;
    head->failed = p->failed;
    head->running = running != PROGRESS_UNKNOWN ? running : 0;
    head->hops = p->hops;
    head->simulated_ps = (uint64_t)(p->simulated_s * (double)WEIR_PS_PER_S);
    head->left_ms = left >= 0 ? (int64_t)(left * 1e3) : -1;
}

void sweep_progress_show(struct sweep_progress *p, uint32_t running)
{
    double now = clock_seconds(), elapsed = now - p->started, left = sweep_progress_left(p, now);
    publish(p, running, left);
    if (p->every == 0 || now - p->shown < p->every)
        return;
    p->shown = now;
    if (p->terminal)
        screen_command(stderr, SCREEN_CLEAR_LINE);
    fprintf(stderr, "%u/%u done", p->there + p->done, p->total);
    if (running != PROGRESS_UNKNOWN)
        fprintf(stderr, ", %u running", running);
    fprintf(stderr, ", %u failed", p->failed);
    if (p->ended > p->before)
        fprintf(stderr, ", %.3g s per run", elapsed / (p->ended - p->before));
    if (p->hops > 0) {
        char simulated[32], rate[32];
        fprintf(stderr, ", %s simulated (%s per second), %.1f million packets/s",
                output_time(p->simulated_s * 1e12, simulated), output_time(p->simulated_s / elapsed * 1e12, rate),
                (double)p->hops / elapsed / 1e6);
    }
    if (left >= 0) {
        char text[PROGRESS_DURATION_MAX];
        fprintf(stderr, ", ETA %s", progress_duration(left, text));
    }
    fputs(p->terminal ? "" : "\n", stderr);
}

void sweep_progress_clear(struct sweep_progress *progress)
{
    if (progress->terminal && progress->shown > progress->started)
        screen_command(stderr, SCREEN_CLEAR_LINE);
}

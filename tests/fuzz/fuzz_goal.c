/*
 * fuzz_goal.c - any bytes at all as a job, in either form: what is accepted runs on a network that delivers at once, to
 * an end where every rank is through or waits for a message.
 */
#include <stdlib.h>

#include "sim/jobs/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MOST = 20000 };

struct at_once {
    struct job *job;
    struct job_network network;
    weir_ps *wake_ps; /* [ranks] */
    uint32_t steps;
};

static bool send_at_once(void *context, const struct job_message *message, weir_ps now)
{
    struct at_once *run = context;
    return job_arrives(run->job, message, now, &run->network);
}

static bool wake_at(void *context, uint32_t rank, weir_ps when)
{
    struct at_once *run = context;
    if (when < run->wake_ps[rank])
        run->wake_ps[rank] = when;
    return true;
}

static void run_job(const struct goal *goal)
{
    const struct job_settings settings = {.rounds = 2};
    struct at_once run = {.job = job_new(goal, &settings)};
    run.wake_ps = malloc(goal->ranks * sizeof *run.wake_ps);
    if (!run.job || !run.wake_ps)
        abort();
    run.network = (struct job_network){.context = &run, .send = send_at_once, .wake = wake_at};
    for (uint32_t r = 0; r < goal->ranks; r++)
        run.wake_ps[r] = WEIR_NEVER;
    for (uint32_t r = 0; r < goal->ranks; r++)
        if (!job_begin(run.job, r, 0, &run.network))
            abort();
    for (;;) {
        uint32_t next = 0;
        for (uint32_t r = 1; r < goal->ranks; r++)
            next = run.wake_ps[r] < run.wake_ps[next] ? r : next;
        weir_ps now = run.wake_ps[next];
        run.wake_ps[next] = WEIR_NEVER;
        if (now == WEIR_NEVER || run.steps++ > STEPS_MOST)
            break;
        if (!job_wake(run.job, next, now, &run.network))
            abort();
    }
    for (uint32_t r = 0; r < goal->ranks && run.steps <= STEPS_MOST; r++) {
        job_look(run.job, r);
        const struct job_outcome *outcome = &job_outcomes(run.job)[r];
        if (outcome->rounds < settings.rounds && outcome->first == GOAL_ANY)
            abort(); /* it waits for nothing, and is not through */
    }
    job_free(run.job);
    free(run.wake_ps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct goal goal = {.image = NULL};
    unsigned char *image = NULL;
    size_t image_size = size;
    if (!goal_is(data, size) && !(image = goal_from_text((const char *)data, size, &image_size, &error))) {
        if (error.code == WEIR_ERROR_NONE)
            abort();
        return 0;
    }
    if (goal_open(&goal, image ? image : data, image_size, NULL, &error)) {
        if (goal.ranks < 200 && goal.ops < 2000)
            run_job(&goal);
    } else if (image || error.code == WEIR_ERROR_NONE) {
        abort();
    }
    goal_close(&goal);
    free(image);
    return 0;
}

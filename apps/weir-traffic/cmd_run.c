/*
 * cmd_run.c - `weir-traffic run` and `serve`: one host of a scenario, from reading it to its results.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "cli/cli.h"
#include "commands.h"
#include "traffic/results.h"
#include "traffic/wall.h"

#define LEAD_NS (WALL_S / 2) /* to the start, when none is given */
#define PROGRESS_NS (WALL_S / 4)
#define LAST_ACKS_NS (20 * WALL_MS) /* how often it is looked whether all was acknowledged */

/* All of a run; large, and so on the heap. */
struct traffic_run {
    struct choice choice;
    struct run_plan file;
    struct scenario scenario;
    struct network network;
    struct plan plan;
    struct loop loop;
    struct client client;
    struct server server;
    uint32_t scale;
    int64_t zero_ns, end_ns; /* of wall.h */
    bool shows;              /* progress */
};

static int read_scenario(struct traffic_run *run)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = run_plan_make(&run->file, run->choice.file, &run->choice.changes, NULL);
    if (code == CLI_OK && run->file.runs != 1)
        code = cli_error(CLI_INPUT, "%s: an experiment of %" PRIu32 " runs (expected one; --set chooses)",
                         run->choice.file, run->file.runs);
    if (code == CLI_OK && !run_plan_scenario(&run->file, 0, &run->scenario, &error))
        code = cli_report(&error);
    if (code != CLI_OK)
        return code;
    run->scale = run->choice.scale > 0 ? (uint32_t)run->choice.scale : run->scenario.testbed.scale;
    code = choice_network(&run->choice, &run->scenario, &run->network);
    if (code == CLI_OK && !plan_make(&run->plan, &run->scenario, run->network.host, run->scale, &error))
        code = cli_report(&error);
    if (run->choice.only_serves)
        run->plan.asked.count = 0;
    return code;
}

static int begin(struct traffic_run *run)
{
    socket_raise_limit();
    if (!loop_init(&run->loop))
        return cli_error(CLI_INTERNAL, "cannot wait for events: %s", strerror(errno));
    int code = server_init(&run->server, &run->loop, &run->network, &run->plan.answered);
    if (!client_init(&run->client, &run->loop, &run->network, &run->plan.asked))
        return cli_error_memory();
    int64_t now = wall_ns();
    run->zero_ns = run->choice.start_ns > 0 ? (int64_t)run->choice.start_ns : now + LEAD_NS;
    if (run->zero_ns < now)
        cli_error(CLI_OK, "warning: the start was %.3f s ago (--start)", (double)(now - run->zero_ns) * 1e-9);
    if (run->plan.end_ns > INT64_MAX - run->zero_ns)
        return cli_error(CLI_INPUT, "--scale: the run would never end (expected a smaller one)");
    run->end_ns = run->zero_ns + run->plan.end_ns;
    run->client.zero_ns = run->zero_ns;
    if (code == CLI_OK && !client_warm_up(&run->client, (uint32_t)run->choice.warm_up))
        code = cli_error_memory();
    return code;
}

static void show_progress(const struct traffic_run *run, int64_t now)
{
    const struct client *client = &run->client;
    int64_t done = now > run->zero_ns ? now - run->zero_ns : 0;
    fprintf(stderr, "\r\033[K%.1f s of %.1f s, flows: %" PRIu32 " of %" PRIu32 " launched, %" PRIu32 " finished",
            (double)done * 1e-9, (double)run->plan.end_ns * 1e-9, client->launched, client->plan->count,
            client->finished);
    fflush(stderr);
}

static int64_t next_wake(const struct traffic_run *run, int64_t now, bool idle)
{
    int64_t wake = client_next_ns(&run->client);
    int64_t steps[] = {run->end_ns, run->shows ? now + PROGRESS_NS : INT64_MAX, idle ? now + LAST_ACKS_NS : INT64_MAX};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        wake = steps[i] < wake ? steps[i] : wake;
    return wake;
}

/* Until the end, a signal, or nothing is left to do. */
static int go(struct traffic_run *run)
{
    int64_t shown = 0;
    for (int64_t now = wall_ns(); now < run->end_ns && !run->loop.stopped; now = wall_ns()) {
        if (!client_act(&run->client, now))
            return cli_error_memory();
        bool idle = client_is_done(&run->client) && run->server.done == run->plan.answered.count;
        if (idle && server_is_done(&run->server))
            break;
        if (run->shows && now - shown >= PROGRESS_NS) {
            show_progress(run, now);
            shown = now;
        }
        if (!loop_wait(&run->loop, next_wake(run, now, idle)))
            return cli_error(CLI_INTERNAL, "cannot wait for events: %s", strerror(errno));
    }
    if (run->shows)
        fputs("\r\033[K", stderr);
    return CLI_OK;
}

static int finish(struct traffic_run *run)
{
    int64_t length = wall_ns() - run->zero_ns;
    const struct results results = {.scenario = &run->scenario,
                                    .client = &run->client,
                                    .server = &run->server,
                                    .scale = run->scale,
                                    .length_ns = length > 0 ? length : 0,
                                    .stopped = run->loop.stopped};
    client_settle(&run->client);
    server_settle(&run->server);
    if (run->choice.records != NULL && !results_write(&results, run->choice.records))
        return CLI_INTERNAL;
    return results_show(&results, run->choice.json);
}

static int run_host(struct traffic_run *run)
{
    int code = begin(run);
    if (code == CLI_OK)
        code = go(run);
    if (code == CLI_OK)
        code = finish(run);
    client_free(&run->client);
    server_free(&run->server);
    loop_free(&run->loop);
    return code;
}

int traffic_cmd_run(int argc, char **argv)
{
    struct traffic_run *run = calloc(1, sizeof *run);
    bool stop = false;
    if (run == NULL)
        return cli_error_memory();
    int code = choice_read(&run->choice, argc, argv, &stop);
    if (code == CLI_OK && !stop) {
        run->shows = !run->choice.quiet && isatty(STDERR_FILENO) == 1;
        code = read_scenario(run);
        if (code == CLI_OK)
            code = run_host(run);
        plan_free(&run->plan);
        scenario_free(&run->scenario);
        run_plan_free(&run->file);
    }
    free(run);
    return code;
}

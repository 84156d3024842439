/*
 * main.c - weir-switch: a scenario becomes a running switch. The packet path runs on processors of its own (dpdk/);
 * this thread starts it, answers requests, writes traces and drops, and ends it.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "control/app.h"
#include "control/socket.h"
#include "experiment/run.h"
#include "switch_options.h"

#define GRACE_PS (2 * WEIR_PS_PER_S) /* for what is in the buffer at the end */
#define WAIT_MS 200
#define WAIT_WRITING_MS 5 /* while a trace or drops are written */

static void say_ready(const struct switch_app *app, const struct switch_options *options, const char *control)
{
    const struct dataplane_config *config = &app->scenario.dataplane;
    char size[32];
    if (options->quiet)
        return;
    cli_print("ready: %u ports, %u classes, %s under %s, scale %u, control %s", config->ports, app->snapshot.classes,
              run_size((double)app->snapshot.buffer_bytes, size), config->sw.mmu->egress->name, config->time_scale,
              control);
    fflush(stdout);
}

static void say_totals(struct switch_app *app)
{
    const struct switch_snapshot *s = &app->snapshot;
    uint64_t in = 0, out = 0;
    switch_snapshot_take(&app->snapshot, app->dataplane);
    struct switch_totals totals = switch_snapshot_totals(s, s->ports);
    for (uint32_t p = 0; p < s->ports; p++) {
        in += s->port[p].in_packets;
        out += s->port[p].out_packets;
    }
    printf("stopped: in %" PRIu64 ", out %" PRIu64 ", dropped %" PRIu64 ", discarded %" PRIu64 " packets\n", in, out,
           totals.dropped_packets, switch_snapshot_discarded(s, s->ports));
}

static int run_loop(struct switch_app *app)
{
    while (!app->stop) {
        bool writing = app->trace.active || app->drops.capture != NULL;
        app->stop = loop_wait(&app->loop, writing ? WAIT_WRITING_MS : WAIT_MS) || app->stop;
        switch_trace_drain(&app->trace, app->dataplane);
        switch_drops_drain(&app->drops, app->dataplane);
    }
    return CLI_OK;
}

/* Everything that is being written becomes whole. */
static int end_files(struct switch_app *app)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = CLI_OK;
    if (app->trace.active && !switch_trace_stop(&app->trace, app->dataplane, &error))
        code = cli_report(&error);
    else if (app->trace.failure != NULL)
        code = CLI_INTERNAL; /* it was told */
    return switch_drops_close(&app->drops, app->dataplane) ? code : CLI_INTERNAL;
}

static int run_switch(struct switch_app *app, const struct switch_options *options, const char *control)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    app->drops = (struct switch_drops){.path = options->drops, .bytes_max = (uint64_t)options->drops_max_bytes};
    if (options->drops != NULL && !switch_drops_open(&app->drops, app->dataplane, app->scenario.dataplane.ports)) {
        switch_drops_close(&app->drops, app->dataplane);
        return CLI_INTERNAL;
    }
    bool good = (options->trace == NULL ||
                 switch_trace_start(&app->trace, app->dataplane, (uint32_t)options->memory, options->trace, &error)) &&
                dataplane_start(app->dataplane, &error);
    if (!good) {
        cli_report(&error);
        end_files(app);
        return CLI_INTERNAL;
    }
    say_ready(app, options, control);
    int code = run_loop(app);
    dataplane_stop(app->dataplane, GRACE_PS);
    int ended = end_files(app);
    if (!options->quiet)
        say_totals(app);
    return code != CLI_OK ? code : ended;
}

/* The sockets, then DPDK, then the switch. */
static int make_switch(struct switch_app *app, const struct switch_options *options, const char *control)
{
    const struct dataplane_config *config = &app->scenario.dataplane;
    const struct loop_protocol requests = {switch_take_request, app}, http = {switch_take_http, app};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int fd = switch_listen_control(control);
    if (fd < 0)
        return CLI_INTERNAL;
    loop_listen(&app->loop, fd, &requests);
    if (options->prometheus != 0) {
        fd = switch_listen_prometheus((uint16_t)options->prometheus);
        if (fd >= 0)
            loop_listen(&app->loop, fd, &http);
    }
    int code = fd < 0 ? CLI_INTERNAL : CLI_OK;
    if (code == CLI_OK && !switch_snapshot_init(&app->snapshot, config))
        code = cli_error_memory();
    if (code == CLI_OK && !dataplane_environment(config, "weir-switch", &error))
        code = cli_report(&error);
    if (code == CLI_OK) {
        app->dataplane = dataplane_create(config, &error);
        code = app->dataplane != NULL ? run_switch(app, options, control) : cli_report(&error);
        if (app->dataplane != NULL)
            dataplane_free(app->dataplane);
        dataplane_environment_end();
    }
    unlink(control);
    return code;
}

static void take_values(struct weir_values *values, const struct weir_policy *policy, const struct weir_values *given)
{
    if (policy != NULL && given == NULL)
        weir_values_init(values, policy);
    else if (policy != NULL)
        *values = *given;
}

static int start(struct switch_app *app, const struct switch_options *options)
{
    const struct weir_mmu_config *mmu = app->scenario.dataplane.sw.mmu;
    take_values(&app->values[0], mmu->egress, mmu->egress_values);
    take_values(&app->values[1], mmu->ingress, mmu->ingress_values);
    char *usual = options->control == NULL ? switch_socket_default() : NULL;
    const char *control = options->control != NULL ? options->control : usual;
    if (control == NULL)
        return CLI_USAGE;
    signal(SIGPIPE, SIG_IGN);
    int code = loop_init(&app->loop) ? make_switch(app, options, control) : CLI_INTERNAL;
    loop_end(&app->loop);
    switch_trace_free(&app->trace);
    switch_snapshot_free(&app->snapshot);
    free(usual);
    return code;
}

int main(int argc, char **argv)
{
    static struct switch_app app; /* it must not move */
    struct switch_options options;
    bool stop;
    cli_set_program("weir-switch");
    int code = switch_options_read(&options, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return output_finish(code);
    code = switch_options_scenario(&options, &app.scenario);
    if (code == CLI_OK && options.print_config)
        node_print(app.scenario.effective, stdout);
    else if (code == CLI_OK)
        code = start(&app, &options);
    scenario_free(&app.scenario);
    return output_finish(code);
}

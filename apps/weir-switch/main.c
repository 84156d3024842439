/*
 * main.c - weir-switch: a scenario becomes a running switch. The packet path runs on its own processors
 * (switch/dpdk/); this thread starts it, answers requests, writes traces and drops, and ends it.
 *
 * Options that are keys of the scenario too become part of it before it is read, so that --print-config shows them and
 * mistakes are found in one place.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/output.h"
#include "lab/plan/plan.h"
#include "lib/trace/unpack.h"
#include "switch/control/app.h"
#include "switch/control/reaction.h"
#include "switch/control/socket.h"
#include "switch/control/supervise.h"
#include "switch/dpdk/config.h"

#define GRACE_PS (2 * WEIR_PS_PER_S) /* for what is in the buffer at the end */
#define WAIT_MS 200
#define WAIT_WRITING_MS 5 /* while a trace or drops are written */
#define LOOK_S 0.2        /* between two looks at what lossless classes lost */

struct choice {
    const char *file;
    struct plan_changes changes; /* --set */
    const char *devices[DATAPLANE_PORTS_MAX];
    uint32_t device_count;
    uint64_t scale;      /* 0: as the file says */
    const char *control; /* null: the usual place */
    uint64_t prometheus; /* port; 0: none */
    const char *trace, *drops;
    int64_t drops_max_bytes;
    uint64_t memory; /* that is traced */
    const char *user;
    struct confine_user becomes;
    bool print_config, restart, quiet;
};

static const struct weir_param drops_max = {
    .unit = WEIR_UNIT_SPACE, .initial = (int64_t)1 << 30, .min = 1 << 16, .max = (int64_t)1 << 50};

static const struct cli_option options[] = {
    {.name = "set",
     .value = "KEY=VALUE",
     .help = "change a value of the file, as in weir run",
     CLI_LIST(struct choice, changes.set, changes.sets)},
    CLI_POLICY_FILE,
    {.name = "device",
     .value = "DEVICE",
     .help = "device of the next port, as DPDK names it (net_af_packet0,iface=veth0 or 0000:03:00.0), instead of "
             "dataplane.devices; one per port",
     .offer = CLI_WORDS("net_af_packet net_af_xdp net_tap net_memif net_pcap net_ring net_null"),
     CLI_LIST(struct choice, devices, device_count)},
    {.name = "scale",
     .value = "S",
     .help = "divide rates and multiply times by S: same as --set dataplane.scale=S",
     CLI_NUMBER(struct choice, scale, 1, 1000000)},
    {.name = "control",
     .value = "PATH",
     .help = "socket for weir switch; default: /run/weir/switch.sock for root, else $XDG_RUNTIME_DIR/weir-switch.sock",
     .more = "Only its owner can use it. Replaces a socket that a killed switch left behind.",
     CLI_FILE(struct choice, control)},
    {.name = "prometheus",
     .value = "PORT",
     .help = "serve counters for Prometheus at http://127.0.0.1:PORT/metrics",
     CLI_NUMBER(struct choice, prometheus, 1, UINT16_MAX)},
    {.name = "trace",
     .value = "FILE",
     .help = "record an MMU for weir replay",
     .more = "See weir-replay(1). When packets come faster than the file can be written, the switch gives up the trace "
             "and goes on.",
     CLI_FILE(struct choice, trace)},
    {.name = "memory",
     .value = "M",
     .help = "MMU to record; default: 0",
     .with = "trace",
     CLI_NUMBER(struct choice, memory, 0, DATAPLANE_PORTS_MAX - 1)},
    {.name = "drops",
     .value = "FILE",
     .help = "write dropped frames with their reasons as pcapng",
     .more = "The file is called FILE.part until it is full or the switch ends.",
     CLI_FILE(struct choice, drops)},
    {.name = "drops-max",
     .value = "SIZE",
     .help = "end that file before it grows larger, such as 100MB; default: 1GiB",
     .more = "Further frames are only counted.",
     .with = "drops",
     CLI_VALUE(struct choice, drops_max_bytes, &drops_max)},
    {.name = "user",
     .value = "USER",
     .help = "become this user (a name or a number) when the devices are open",
     .more =
         "Only root can. Files that are written from then on, traces and drops, belong to the user, and so does the "
         "control socket.",
     CLI_TEXT(struct choice, user)},
    {.name = "restart",
     .help = "start again after a crash, with the same scenario and the parameters in force",
     .more = "A second process watches over the switch. Counters begin at zero, `weir switch status` and the metrics "
             "say how often it was. Five crashes within a minute end it.",
     CLI_FLAG(struct choice, restart)},
    {.name = "print-config",
     .help = "print every effective value as a scenario; start nothing",
     CLI_FLAG(struct choice, print_config)},
    {.name = "quiet", .help = "print nothing but errors", CLI_FLAG(struct choice, quiet)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "scenario", .expected = "a file", .offer = CLI_SCENARIOS},
    {.name = NULL},
};

static int run(int argc, char **argv);

static const struct cli_command self = {
    .name = "",
    .summary = "a software switch on DPDK",
    .about =
        "A software switch on DPDK: forwards Ethernet frames between the ports of a scenario, with the buffer, policy "
        "and rates of its section `switch`, until SIGINT, SIGTERM or 'weir switch stop'. The topology is of kind "
        "single; port i is the link of host i. The section `dataplane` names the devices of the ports; see "
        "docs/reference/scenarios.md.",
    .options = options,
    .operands = operands,
    .notes = "Prints a line that begins with 'ready:' when it forwards frames, and totals at the end.",
    .status =
        "0 ok, 1 a lossless class lost frames, 2 wrong usage, 3 bad input, 4 a device, socket or file cannot be used",
    .examples = "weir-switch --device net_tap0 --device net_tap1 two-ports.yaml",
    .rights = CONFINE_NOTHING,
    .run = run,
};

static bool put(struct document *document, const char *option, const char *path, struct node *value,
                struct weir_error *error)
{
    const struct mark mark = {option, 0, 0};
    if (value == NULL)
        return weir_fail_memory(error);
    value->mark = mark;
    for (struct node *item = value->first; item != NULL; item = item->next)
        item->mark = mark;
    return document_put(&document->arena, document->root, &(struct document_change){mark, path, value}, error);
}

/* What options say of the section `dataplane`. */
static bool put_options(const struct choice *o, struct document *document, struct weir_error *error)
{
    char scale[24];
    struct node *list = node_collection(&document->arena, NODE_LIST);
    snprintf(scale, sizeof scale, "%" PRIu64, o->scale);
    for (uint32_t i = 0; i < o->device_count; i++)
        if (node_add(list, node_scalar(&document->arena, o->devices[i])) == NULL)
            return weir_fail_memory(error);
    return (o->device_count == 0 || put(document, "--device", "dataplane.devices", list, error)) &&
           (o->scale == 0 || put(document, "--scale", "dataplane.scale", node_scalar(&document->arena, scale), error));
}

/* The scenario of the file with the options' changes. Errors and warnings are reported: an exit code. Release with
 * scenario_free either way. */
static int read_scenario(const struct choice *choice, struct scenario *scenario)
{
    struct plan plan = {.file = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *scenario = (struct scenario){.name = NULL};
    int code = plan_read(&plan, choice->file, &choice->changes);
    const struct scenario_files files = {plan.folder, trace_unpack};
    if (code == CLI_OK && !(put_options(choice, &plan.document, &error) &&
                            scenario_build_switch(scenario, &plan.document, &files, &error)))
        code = cli_report(&error);
    for (const struct scenario_warning *w = scenario->warnings; code == CLI_OK && w != NULL; w = w->next)
        cli_error(CLI_OK, "warning: %s", w->text);
    document_free(&plan.document);
    free(plan.folder);
    return code;
}

/* `dataplane.reaction: auto` becomes a number, by which the scenario is read again. */
static int measure_reaction(const struct choice *choice, struct scenario *scenario)
{
    const struct dataplane_config *config = &scenario->dataplane;
    weir_ps reaction_ps = switch_reaction_measure(config);
    char change[64], text[UNITS_TEXT_MAX], room[UNITS_TEXT_MAX], whole[UNITS_TEXT_MAX];
    if (reaction_ps < 0)
        return cli_error(CLI_INTERNAL, "dataplane.reaction: no thread to measure it by (expected it as a time)");
    scenario_free(scenario);
    struct choice measured = *choice;
    snprintf(change, sizeof change, "dataplane.reaction=%" PRId64 "us", reaction_ps / WEIR_PS_PER_US);
    if (measured.changes.sets == PLAN_SETS_MAX)
        return cli_error(CLI_USAGE, "--set: given %u times (expected one less, for the reaction that was measured)",
                         PLAN_SETS_MAX);
    measured.changes.set[measured.changes.sets++] = change;
    int code = read_scenario(&measured, scenario);
    if (code == CLI_OK && !choice->quiet)
        cli_print("lossless: processors may be away for %s, twice what was measured; headroom %s of %s",
                  output_time((double)reaction_ps, text),
                  output_size((double)config->sw.mmu->headroom_cells * config->sw.mmu->cell_bytes, room),
                  output_size((double)config->sw.mmu->buffer_cells * config->sw.mmu->cell_bytes, whole));
    return code;
}

/* A lossless class that loses frames, or is about to, is reported at once; again at ten times as many. */
struct alarm {
    uint64_t told;  /* lost frames */
    bool told_away; /* a processor was away for longer than headroom was sized for */
    double looked_s;
};

static void watch_lossless(struct switch_app *app, struct alarm *alarm)
{
    struct switch_snapshot *s = &app->snapshot;
    char away[UNITS_TEXT_MAX], sized[UNITS_TEXT_MAX];
    if (s->lossless_mask == 0 || clock_seconds() - alarm->looked_s < LOOK_S)
        return;
    alarm->looked_s = clock_seconds();
    switch_snapshot_take(s, app->dataplane);
    uint64_t lost = switch_snapshot_violations(s);
    if (lost > 0 && lost >= 10 * alarm->told) {
        alarm->told = lost;
        cli_error(CLI_VIOLATION,
                  "lossless: %" PRIu64 " frames of lossless classes lost so far; 'weir switch counters' "
                  "says where (expected none)",
                  lost);
    }
    if (s->reaction_ps > 0 && !alarm->told_away && s->status.away_ps_max > (uint64_t)s->reaction_ps) {
        alarm->told_away = true;
        cli_error(CLI_OK,
                  "lossless: a processor was away for %s, and headroom is sized for %s: frames may be lost "
                  "(expected 'dataplane.reaction' at least that, or a processor of its own: dataplane.cpus)",
                  output_time((double)s->status.away_ps_max, away), output_time((double)s->reaction_ps, sized));
    }
}

/* Everything that is being written becomes whole. */
static int end_files(struct switch_app *app)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = CLI_OK;
    if (app->trace.active && !switch_trace_stop(&app->trace, app->dataplane, &error))
        code = cli_report(&error);
    else if (app->trace.failure != NULL)
        code = CLI_INTERNAL; /* reported before */
    return switch_drops_close(&app->drops, app->dataplane) ? code : CLI_INTERNAL;
}

static int run_switch(struct switch_app *app, const struct choice *choice, const char *control)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    app->drops = (struct switch_drops){.path = choice->drops, .bytes_max = (uint64_t)choice->drops_max_bytes};
    if (choice->drops != NULL && !switch_drops_open(&app->drops, app->dataplane, app->scenario.dataplane.ports)) {
        switch_drops_close(&app->drops, app->dataplane);
        return CLI_INTERNAL;
    }
    bool good = (choice->trace == NULL ||
                 switch_trace_start(&app->trace, app->dataplane, (uint32_t)choice->memory, choice->trace, &error)) &&
                dataplane_start(app->dataplane, &error);
    if (!good) {
        cli_report(&error);
        end_files(app);
        return CLI_INTERNAL;
    }
    /* Parameters that were changed before a crash hold again. */
    struct supervised *kept = app->supervised;
    for (int side = 0; kept != NULL && side < 2; side++)
        if (kept->changed[side]) {
            app->values[side] = kept->values[side];
            dataplane_change(app->dataplane, side == 1, &kept->values[side]);
        }
    const struct dataplane_config *config = &app->scenario.dataplane;
    char size[32];
    if (!choice->quiet) {
        cli_print("ready: %u ports, %u classes, %s under %s, scale %u, control %s", config->ports,
                  app->snapshot.classes, output_size((double)app->snapshot.buffer_bytes, size),
                  config->sw.mmu->egress->name, config->time_scale, control);
        fflush(stdout);
    }
    struct alarm alarm = {.told = 0};
    while (!app->stop) {
        bool writing = app->trace.active || app->drops.capture != NULL;
        app->stop = loop_wait(&app->loop, writing ? WAIT_WRITING_MS : WAIT_MS) || app->stop;
        switch_trace_drain(&app->trace, app->dataplane);
        switch_drops_drain(&app->drops, app->dataplane);
        watch_lossless(app, &alarm);
    }
    dataplane_stop(app->dataplane, GRACE_PS);
    int code = end_files(app);
    switch_snapshot_take(&app->snapshot, app->dataplane);
    uint64_t violations = switch_snapshot_violations(&app->snapshot);
    if (!choice->quiet) {
        const struct switch_snapshot *s = &app->snapshot;
        uint64_t in = 0, out = 0;
        struct switch_totals totals = switch_snapshot_totals(s, s->ports);
        for (uint32_t p = 0; p < s->ports; p++) {
            in += s->port[p].in_packets;
            out += s->port[p].out_packets;
        }
        printf("stopped: in %" PRIu64 ", out %" PRIu64 ", dropped %" PRIu64 ", discarded %" PRIu64 " packets\n", in,
               out, totals.dropped_packets, switch_snapshot_discarded(s, s->ports));
    }
    if (violations == 0)
        return code;
    cli_error(CLI_VIOLATION, "lossless: %" PRIu64 " frames of lossless classes were lost (expected none)", violations);
    return code != CLI_OK ? code : CLI_VIOLATION;
}

/* The devices are open: what comes next needs none of it. */
static bool give_up_rights(const struct choice *choice, const char *control, struct weir_error *error)
{
    if (choice->user != NULL && lchown(control, choice->becomes.uid, choice->becomes.gid) != 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "--user: cannot give it %.80s: %s", control, strerror(errno));
    if (choice->user != NULL && !confine_become(&choice->becomes, error))
        return false;
    if (choice->restart)
        supervise_follow();
    confine_calls(CONFINE_SOCKETS);
    return true;
}

/* The sockets, then DPDK, then the switch. */
static int make_switch(struct switch_app *app, const struct choice *choice, const char *control)
{
    const struct dataplane_config *config = &app->scenario.dataplane;
    const struct loop_protocol requests = {switch_take_request, app}, http = {switch_take_http, app};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct switch_socket_file file;
    int fd = switch_listen_control(control);
    if (fd < 0)
        return CLI_INTERNAL;
    switch_socket_own(control, &file);
    if (app->supervised != NULL)
        app->supervised->socket = file;
    loop_listen(&app->loop, fd, &requests);
    if (choice->prometheus != 0) {
        fd = switch_listen_prometheus((uint16_t)choice->prometheus);
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
        bool made = app->dataplane != NULL && give_up_rights(choice, control, &error);
        code = made ? run_switch(app, choice, control) : cli_report(&error);
        if (app->dataplane != NULL)
            dataplane_free(app->dataplane);
        dataplane_environment_end();
    }
    switch_socket_remove(control, &file);
    return code;
}

static void take_values(struct weir_values *values, const struct weir_policy *policy, const struct weir_values *given)
{
    if (policy != NULL && given == NULL)
        weir_values_init(values, policy);
    else if (policy != NULL)
        *values = *given;
}

struct start {
    struct switch_app *app;
    const struct choice *choice;
    const char *control;
};

/* Everything from the first socket on; under --restart again and again, in a process each. */
static int run_once(void *context, struct supervised *supervised)
{
    const struct start *start = context;
    struct switch_app *app = start->app;
    app->supervised = supervised;
    int code = loop_init(&app->loop) ? make_switch(app, start->choice, start->control) : CLI_INTERNAL;
    loop_end(&app->loop);
    switch_trace_free(&app->trace);
    switch_snapshot_free(&app->snapshot);
    return code;
}

static int start(struct switch_app *app, const struct choice *choice)
{
    const struct weir_mmu_config *mmu = app->scenario.dataplane.sw.mmu;
    take_values(&app->values[0], mmu->egress, mmu->egress_values);
    take_values(&app->values[1], mmu->ingress, mmu->ingress_values);
    char *usual = choice->control == NULL ? switch_socket_default() : NULL;
    const char *control = choice->control != NULL ? choice->control : usual;
    if (control == NULL)
        return CLI_USAGE;
    signal(SIGPIPE, SIG_IGN);
    struct start once = {app, choice, control};
    int code = choice->restart ? supervise(run_once, &once, control) : run_once(&once, NULL);
    free(usual);
    return code;
}

static int run(int argc, char **argv)
{
    static struct switch_app app; /* it must not move */
    struct choice choice = {.drops_max_bytes = drops_max.initial};
    struct cli_line line;
    if (!cli_read(&line, &self, argc, argv, &choice))
        return line.code;
    choice.file = line.operands[0];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (choice.user != NULL && !confine_find_user(&choice.becomes, choice.user, &error))
        return cli_report(&error);
    int code = read_scenario(&choice, &app.scenario);
    if (code == CLI_OK && choice.print_config)
        node_print(app.scenario.effective, stdout);
    else if (code == CLI_OK) {
        const struct dataplane_config *config = &app.scenario.dataplane;
        if (config->sw.mmu->lossless_mask != 0 && config->reaction_ps == DATAPLANE_REACTION_AUTO)
            code = measure_reaction(&choice, &app.scenario);
        if (code == CLI_OK)
            code = start(&app, &choice);
    }
    scenario_free(&app.scenario);
    return code;
}

int main(int argc, char **argv)
{
    const struct cli_program program = {&self, NULL};
    return cli_main("weir-switch", &program, argc, argv);
}

/*
 * cmd_run.c - `weir-traffic run` and `serve`: one host of a scenario, from reading it to its results.
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "lab/plan/plan.h"
#include "show/writers/write.h"
#include "sim/transport/tcp_dctcp.h"
#include "switch/traffic/dctcp.h"
#include "switch/traffic/network.h"
#include "switch/traffic/results.h"
#include "switch/traffic/udp.h"
#include "switch/traffic/wall.h"

#define PORT_FIRST 7700u
#define WARM_UP_MAX 10000u
#define LEAD_NS (WALL_S / 2) /* to the start, when none is given */
#define PROGRESS_NS (WALL_S / 4)
#define LAST_ACKS_NS (20 * WALL_MS) /* how often it is looked whether all was acknowledged */

struct choice {
    bool only_serves; /* `serve`: asks for nothing itself */
    const char *file;
    struct plan_changes changes;
    uint64_t host;
    const char *addresses; /* with commas */
    uint64_t scale;        /* 0: the scenario's */
    uint64_t start_ns;     /* of CLOCK_MONOTONIC; 0: at once */
    uint64_t port, warm_up;
    const char *records;                            /* null: none are written */
    const char *congestion[NETWORK_TRANSPORTS_MAX]; /* "transport=name" */
    uint32_t congestions;
    bool json, quiet;
};

/* clang-format off */
#define HOST_OPTIONS \
    {.name = "host", \
     .value = "N", \
     .help = "this host of the scenario, from 0", \
     .needed = "the number of this host", \
     CLI_NUMBER(struct choice, host, 0, NETWORK_HOSTS_MAX - 1)}, \
    {.name = "addresses", \
     .value = "A,B,...", \
     .help = "IPv4 addresses of all hosts, in order", \
     .needed = "those of all hosts", \
     CLI_TEXT(struct choice, addresses)}, \
    {.name = "set", \
     .value = "KEY=VALUE", \
     .help = "change the scenario", \
     .more = "As in weir-run(1). All hosts need the same changes.", \
     CLI_LIST(struct choice, changes.set, changes.sets)}, \
    {.name = "scale", \
     .value = "S", \
     .help = "time passes S times slower than in the scenario; default: the scenario's testbed.scale", \
     .more = "Times in results are those of this machine.", \
     CLI_NUMBER(struct choice, scale, 1, 1000000)}, \
    {.name = "start", \
     .value = "NS", \
     .help = "start of the run in nanoseconds of CLOCK_MONOTONIC; default: half a second from now", \
     .more = "The same for all hosts of a machine.", \
     CLI_NUMBER(struct choice, start_ns, 1, INT64_MAX / 4)}, \
    {.name = "port", \
     .value = "N", \
     .help = "port of the first transport; the others follow; default: 7700", \
     CLI_NUMBER(struct choice, port, 1, UINT16_MAX)}, \
    {.name = "congestion", \
     .value = "T=NAME", \
     .help = "congestion control of the kernel for transport T, such as bbr; default: weir_dctcp, cubic or reno, by " \
             "its kind", \
     CLI_LIST(struct choice, congestion, congestions)}, \
    {.name = "records", \
     .value = "FILE", \
     .help = "write one row per flow as CSV", \
     .more = "FILE appears whole or not at all.", \
     CLI_FILE(struct choice, records)}, \
    {.name = "json", .help = "print the summary as JSON", CLI_FLAG(struct choice, json)}, \
    {.name = "quiet", .help = "show no progress", CLI_FLAG(struct choice, quiet)}
/* clang-format on */

static const struct cli_option run_options[] = {
    HOST_OPTIONS,
    {.name = "warm-up",
     .value = "N",
     .help = "connections to open before the start, to each host and transport; default: 1",
     CLI_NUMBER(struct choice, warm_up, 0, WARM_UP_MAX)},
    {.name = NULL},
};

static const struct cli_option serve_options[] = {
    HOST_OPTIONS,
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "SCENARIO", .what = "scenario", .expected = "one file", .offer = CLI_SCENARIOS},
    {.name = NULL},
};

static int run_asking(int argc, char **argv);
static int run_serving(int argc, char **argv);

const struct cli_command cmd_run = {
    .name = "run",
    .summary = "be a host of a scenario: ask for flows and answer",
    .about =
        "Plays host N of a scenario over the TCP of the kernel: asks the sources of its flows for them, each at its "
        "time, and answers the other hosts, until all its flows are done or the run is over. Prints a table of what "
        "it asked for and what it sent. Every host needs the same scenario, changes and scale.",
    .options = run_options,
    .operands = operands,
    .notes = "SIGINT and SIGTERM end the run: records are written, flows under way are unfinished.",
    .examples = "weir-traffic run --host 0 --addresses 10.0.0.1,10.0.0.2 scenario.yaml",
    .rights = CONFINE_SOCKETS,
    .run = run_asking,
};

const struct cli_command cmd_serve = {
    .name = "serve",
    .summary = "be a host of a scenario that only answers",
    .about = "Answers what other hosts ask host N for, and asks for nothing itself; see 'weir-traffic run --help'.",
    .options = serve_options,
    .operands = operands,
    .examples = "weir-traffic serve --host 1 --addresses 10.0.0.1,10.0.0.2 scenario.yaml",
    .rights = CONFINE_SOCKETS,
    .run = run_serving,
};

static int read_addresses(const struct choice *choice, struct network *network)
{
    const char *rest = choice->addresses;
    uint32_t count = 0;
    for (bool more = true; more; count++) {
        size_t length = strcspn(rest, ",");
        char text[INET_ADDRSTRLEN];
        snprintf(text, sizeof text, "%.*s", (int)length, rest);
        if (count == network->hosts)
            return cli_error(CLI_INPUT, "--addresses: more than the scenario has hosts (expected %u)", network->hosts);
        if (length >= sizeof text || inet_pton(AF_INET, text, &network->address[count]) != 1)
            return cli_error(CLI_INPUT,
                             "--addresses: '%.*s' is not an IPv4 address (expected A,B,... like 10.0.0.1,10.0.0.2)",
                             (int)(length < 64 ? length : 64), rest);
        more = rest[length] == ',';
        rest += length + 1;
    }
    if (count < network->hosts)
        return cli_error(CLI_INPUT, "--addresses: %u for %u hosts (expected one of each)", count, network->hosts);
    return CLI_OK;
}

/* The names of the transports stand in the tree of effective values, ordered as in the config. */
static int find_transport(const struct scenario *scenario, const char *option, uint32_t *index)
{
    const char *names[NETWORK_TRANSPORTS_MAX + 1] = {NULL};
    const struct node *transports = node_find(scenario->effective, "transports");
    char name[64];
    size_t length = strcspn(option, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, option);
    uint32_t count = 0;
    for (const struct node *item = transports ? transports->first : NULL; item; item = item->next) {
        if (strcmp(item->key, name) == 0) {
            *index = count;
            return CLI_OK;
        }
        names[count++] = item->key;
    }
    return cli_error(CLI_INPUT, "--congestion: no transport '%s'%s", name, error_hint(name, names).text);
}

static int override_one(const struct scenario *scenario, const char *option, struct network *network)
{
    uint32_t index = 0;
    const char *name = strchr(option, '=');
    if (name == NULL || name == option || name[1] == '\0' || strlen(name + 1) >= SOCKETS_CONGESTION_MAX)
        return cli_error(CLI_USAGE, "--congestion: '%s' names no transport and congestion control (expected T=NAME)",
                         error_text(option).text);
    int code = find_transport(scenario, option, &index);
    if (code != CLI_OK)
        return code;
    struct network_transport *transport = &network->transport[index];
    snprintf(transport->data.congestion, sizeof transport->data.congestion, "%s", name + 1);
    snprintf(transport->acks.congestion, sizeof transport->acks.congestion, "%s", name + 1);
    return CLI_OK;
}

static int check_congestion(const char *name)
{
    if (socket_has_congestion(name))
        return CLI_OK;
    if (errno == ENOENT && strcmp(name, DCTCP_NAME) == 0)
        return cli_error(CLI_INPUT, "the kernel has no " DCTCP_NAME " (as root: weir-traffic dctcp load)");
    if (errno == ENOENT)
        return cli_error(CLI_INPUT,
                         "the kernel has no congestion control '%s' (see /proc/sys/net/ipv4/tcp_available_congestion_"
                         "control)",
                         name);
    if (errno == EPERM)
        return cli_error(CLI_INPUT,
                         "congestion control '%s' is for root here (root can change that: sysctl -w "
                         "net.ipv4.tcp_allowed_congestion_control='reno %s')",
                         name, name);
    return cli_error(CLI_INTERNAL, "congestion control '%s': %s", name, strerror(errno));
}

/* DCTCP is registered once for the whole machine, with one gain and one first alpha. Where we may not look, so be it.
 */
static void warn_settings(const struct scenario *scenario)
{
    struct dctcp_settings found;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (dctcp_look(&found, &error) != DCTCP_PRESENT || found.gain == 0)
        return;
    for (uint32_t i = 0; i < scenario->config.transport_count; i++) {
        const struct sim_transport *transport = &scenario->config.transports[i];
        const struct dctcp_params *params = dctcp_params(transport);
        if (transport->kind == &transport_dctcp &&
            (params->gain != found.gain || params->initial_alpha != found.initial_alpha)) {
            cli_error(CLI_OK,
                      "warning: " DCTCP_NAME
                      " is registered with gain %g and initial alpha %g, the scenario has %g and %g "
                      "(weir-traffic dctcp unload, then load)",
                      found.gain / (double)DCTCP_ONE, found.initial_alpha / (double)DCTCP_ONE,
                      (double)params->gain / DCTCP_ONE, (double)params->initial_alpha / DCTCP_ONE);
            return;
        }
    }
}

static int check_transports(const struct network *network, const struct scenario *scenario)
{
    bool ours = false;
    for (uint32_t i = 0; i < network->transports; i++) {
        const char *name = network->transport[i].data.congestion;
        int code = check_congestion(name);
        if (code != CLI_OK)
            return code;
        ours = ours || strcmp(name, DCTCP_NAME) == 0;
    }
    if (ours)
        warn_settings(scenario);
    return CLI_OK;
}

/* The network of the scenario as the options describe it. CLI_OK, or an exit code after one line. */
static int choice_network(const struct choice *choice, const struct scenario *scenario, struct network *network)
{
    const struct sim_config *config = &scenario->config;
    *network = (struct network){.host = (uint32_t)choice->host,
                                .hosts = scenario->topology.hosts,
                                .port = (uint16_t)choice->port,
                                .transports = config->transport_count};
    if (network->hosts > NETWORK_HOSTS_MAX || network->transports > NETWORK_TRANSPORTS_MAX)
        return cli_error(CLI_INPUT, "%s: %u hosts and %u transports (expected at most %u and %u)", choice->file,
                         network->hosts, network->transports, NETWORK_HOSTS_MAX, NETWORK_TRANSPORTS_MAX);
    if (network->host >= network->hosts)
        return cli_error(CLI_INPUT, "--host: the scenario has no host %u (expected 0 to %u)", network->host,
                         network->hosts - 1);
    if (choice->port + network->transports - 1 > UINT16_MAX)
        return cli_error(CLI_INPUT, "--port: no room for %u ports from %u on (expected at most %u)",
                         network->transports, network->port, UINT16_MAX + 1 - network->transports);
    for (uint32_t i = 0; i < network->transports; i++) {
        /* Only names are needed here: what cannot be sent over sockets at all is found by host_flows_make. */
        const struct transport *kind = config->transports[i].kind;
        const char *name = kind == &transport_dctcp ? DCTCP_NAME : kind->kernel ? kind->kernel : "reno";
        snprintf(network->transport[i].data.congestion, sizeof network->transport[i].data.congestion, "%s", name);
        snprintf(network->transport[i].acks.congestion, sizeof network->transport[i].acks.congestion, "%s", name);
        network->transport[i].data.tc = config->transports[i].data_class;
        network->transport[i].acks.tc = config->transports[i].ack_class;
        network->transport[i].udp = config->transports[i].kind == &transport_udp;
    }
    int code = read_addresses(choice, network);
    for (uint32_t i = 0; i < choice->congestions && code == CLI_OK; i++)
        code = override_one(scenario, choice->congestion[i], network);
    return code == CLI_OK ? check_transports(network, scenario) : code;
}

/* All of a run; large, and so on the heap. */
struct traffic_run {
    struct choice choice;
    struct plan file;
    struct scenario scenario;
    struct network network;
    struct host_flows flows;
    struct loop loop;
    struct client client;
    struct server server;
    struct udp udp;
    uint32_t scale;
    int64_t zero_ns, end_ns; /* of wall.h */
    bool shows;              /* progress */
};

static int read_scenario(struct traffic_run *run)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = plan_make(&run->file, run->choice.file, &run->choice.changes, NULL);
    if (code == CLI_OK && run->file.runs != 1)
        code = cli_error(CLI_INPUT, "%s: an experiment of %" PRIu32 " runs (expected one; --set chooses)",
                         run->choice.file, run->file.runs);
    if (code == CLI_OK && !plan_scenario(&run->file, 0, &run->scenario, &error))
        code = cli_report(&error);
    if (code != CLI_OK)
        return code;
    run->scale = run->choice.scale > 0 ? (uint32_t)run->choice.scale : run->scenario.testbed.scale;
    code = choice_network(&run->choice, &run->scenario, &run->network);
    if (code == CLI_OK && !host_flows_make(&run->flows, &run->scenario, run->network.host, run->scale, &error))
        code = cli_report(&error);
    if (run->choice.only_serves)
        run->flows.asked.count = 0;
    return code;
}

static int begin(struct traffic_run *run)
{
    socket_raise_limit();
    if (!loop_init(&run->loop))
        return cli_error(CLI_INTERNAL, "cannot wait for events: %s", strerror(errno));
    int code = server_init(&run->server, &run->loop, &run->network, &run->flows.answered);
    if (!client_init(&run->client, &run->loop, &run->network, &run->flows.asked))
        return cli_error_memory();
    int64_t now = wall_ns();
    run->zero_ns = run->choice.start_ns > 0 ? (int64_t)run->choice.start_ns : now + LEAD_NS;
    if (run->zero_ns < now)
        cli_error(CLI_OK, "warning: the start was %.3f s ago (--start)", (double)(now - run->zero_ns) * 1e-9);
    if (run->flows.end_ns > INT64_MAX - run->zero_ns)
        return cli_error(CLI_INPUT, "--scale: the run would never end (expected a smaller one)");
    run->end_ns = run->zero_ns + run->flows.end_ns;
    run->client.zero_ns = run->zero_ns;
    if (code == CLI_OK)
        code = udp_init(&run->udp, &run->client, &run->server, &run->scenario, run->scale);
    if (code == CLI_OK && !client_warm_up(&run->client, (uint32_t)run->choice.warm_up))
        code = cli_error_memory();
    return code;
}

/* Until the end, a signal, or nothing is left to do. */
static int go(struct traffic_run *run)
{
    int64_t shown = 0;
    for (int64_t now = wall_ns(); now < run->end_ns && !run->loop.stopped; now = wall_ns()) {
        if (!client_act(&run->client, now))
            return cli_error_memory();
        udp_act(&run->udp, now);
        bool idle = client_is_done(&run->client) && run->server.done == run->flows.answered.count;
        if (idle && server_is_done(&run->server))
            break;
        if (run->shows && now - shown >= PROGRESS_NS) {
            const struct client *client = &run->client;
            int64_t done = now > run->zero_ns ? now - run->zero_ns : 0;
            screen_command(stderr, SCREEN_CLEAR_LINE);
            fprintf(stderr, "%.1f s of %.1f s, flows: %" PRIu32 " of %" PRIu32 " launched, %" PRIu32 " finished",
                    (double)done * 1e-9, (double)run->flows.end_ns * 1e-9, client->launched, client->plan->count,
                    client->finished);
            fflush(stderr);
            shown = now;
        }
        int64_t wake = client_next_ns(&run->client);
        int64_t steps[] = {udp_next_ns(&run->udp), run->end_ns, run->shows ? now + PROGRESS_NS : INT64_MAX,
                           idle ? now + LAST_ACKS_NS : INT64_MAX};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
            wake = steps[i] < wake ? steps[i] : wake;
        if (!loop_wait(&run->loop, wake))
            return cli_error(CLI_INTERNAL, "cannot wait for events: %s", strerror(errno));
    }
    if (run->shows)
        screen_command(stderr, SCREEN_CLEAR_LINE);
    return CLI_OK;
}

/* The summary. */
static int show(const struct results *results, bool json)
{
    struct data_frame *tables[2], *root = results_frame(results, tables);
    if (json)
        return write_result(root, true);
    int code = data_frame_check(root);
    if (code == CLI_OK) {
        const struct client *client = results->client;
        printf("host %" PRIu32 ", %.3f s at scale %" PRIu32 "%s\n", client->network->host,
               (double)results->length_ns * 1e-9, results->scale, results->stopped ? ": stopped by a signal" : "");
        printf("launched at most %.3f ms late, %" PRIu32 " flows failed\n\n", (double)client->late_ns * 1e-6,
               client->failed);
        write_text(tables[0]);
        putchar('\n');
        write_text(tables[1]);
    }
    data_frame_free(root);
    return code;
}

static int run_host(struct traffic_run *run)
{
    int code = begin(run);
    if (code == CLI_OK)
        code = go(run);
    if (code == CLI_OK) {
        int64_t length = wall_ns() - run->zero_ns;
        const struct results results = {.scenario = &run->scenario,
                                        .client = &run->client,
                                        .server = &run->server,
                                        .scale = run->scale,
                                        .length_ns = length > 0 ? length : 0,
                                        .stopped = run->loop.stopped};
        client_settle(&run->client);
        server_settle(&run->server);
        code = run->choice.records != NULL && !results_write(&results, run->choice.records)
                   ? CLI_INTERNAL
                   : show(&results, run->choice.json);
    }
    udp_free(&run->udp);
    client_free(&run->client);
    server_free(&run->server);
    loop_free(&run->loop);
    return code;
}

static int run_line(struct traffic_run *run, const struct cli_command *command, int argc, char **argv)
{
    struct cli_line line;
    run->choice = (struct choice){.only_serves = command == &cmd_serve, .port = PORT_FIRST, .warm_up = 1};
    if (!cli_read(&line, command, argc, argv, &run->choice))
        return line.code;
    run->choice.file = line.operands[0];
    if (run->choice.records != NULL && output_is_stdout(run->choice.records))
        return cli_error(CLI_USAGE, "%s: --records: standard output has the summary (expected a file)", command->name);
    run->shows = !run->choice.quiet && isatty(STDERR_FILENO) == 1;
    int code = read_scenario(run);
    if (code == CLI_OK)
        code = run_host(run);
    host_flows_free(&run->flows);
    scenario_free(&run->scenario);
    plan_free(&run->file);
    return code;
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    struct traffic_run *run = calloc(1, sizeof *run);
    int code = run != NULL ? run_line(run, command, argc, argv) : cli_error_memory();
    free(run);
    return code;
}

static int run_asking(int argc, char **argv)
{
    return run_command(&cmd_run, argc, argv);
}

static int run_serving(int argc, char **argv)
{
    return run_command(&cmd_serve, argc, argv);
}

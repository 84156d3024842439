/*
 * choice_network.c - addresses, transports and their congestion controls: see choice.h.
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "choice.h"
#include "cli/cli.h"
#include "sim/transport/tcp_dctcp.h"
#include "traffic/dctcp.h"

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
                             "--addresses: '%.*s' is no IPv4 address (expected A,B,... like 10.0.0.1,10.0.0.2)",
                             (int)(length < 64 ? length : 64), rest);
        more = rest[length] == ',';
        rest += length + 1;
    }
    if (count < network->hosts)
        return cli_error(CLI_INPUT, "--addresses: %u for %u hosts (expected one of each)", count, network->hosts);
    return CLI_OK;
}

/* Only names are needed here: what cannot be sent over sockets at all is found by plan_make. */
static const char *kernel_name(const struct transport *kind)
{
    return kind == &transport_dctcp ? DCTCP_NAME : kind->kernel ? kind->kernel : "reno";
}

/* The names of the transports stand in the tree of effective values, in the order of the config. */
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
        return cli_error(CLI_INPUT, "congestion control '%s' is not for everybody (expected root)", name);
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

static void set_transport(struct network_transport *transport, const struct sim_transport *settings)
{
    const char *name = kernel_name(settings->kind);
    snprintf(transport->data.congestion, sizeof transport->data.congestion, "%s", name);
    snprintf(transport->acks.congestion, sizeof transport->acks.congestion, "%s", name);
    transport->data.tc = settings->data_class;
    transport->acks.tc = settings->ack_class;
}

int choice_network(const struct choice *choice, const struct scenario *scenario, struct network *network)
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
    for (uint32_t i = 0; i < network->transports; i++)
        set_transport(&network->transport[i], &config->transports[i]);
    int code = read_addresses(choice, network);
    for (uint32_t i = 0; i < choice->congestions && code == CLI_OK; i++)
        code = override_one(scenario, choice->congestion[i], network);
    return code == CLI_OK ? check_transports(network, scenario) : code;
}

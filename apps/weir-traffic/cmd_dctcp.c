/*
 * cmd_dctcp.c - `weir-traffic dctcp`: our DCTCP in this machine's kernel.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands.h"
#include "scenario/keys/key.h"
#include "traffic/dctcp.h"

static const char dctcp_help[] =
    "usage: weir-traffic dctcp load|hold [--gain G] [--initial-alpha A]\n"
    "       weir-traffic dctcp unload|status\n"
    "\n"
    "DCTCP (RFC 8257) for a kernel that has none: a BPF program, registered as the congestion\n"
    "control " DCTCP_NAME " for the whole machine.\n"
    "\n"
    "  load      registers it; it stays until 'unload' or the next start of the machine\n"
    "  hold      registers it as long as this process lives\n"
    "  unload    takes it away; connections that have it keep it\n"
    "  status    tells whether it is there (exit status 1: it is not)\n"
    "\n"
    "  --gain G             weight of the newest window in alpha: 0.0625\n"
    "  --initial-alpha A    alpha of a new connection: 1\n"
    "  -h, --help           this text\n"
    "\n"
    "load, hold and unload need root.\n"
    "\n"
    "example: weir-traffic dctcp load\n";

enum { OPT_GAIN = CLI_OPTION_FIRST, OPT_INITIAL };

static const struct option dctcp_options[] = {{"gain", required_argument, NULL, OPT_GAIN},
                                              {"initial-alpha", required_argument, NULL, OPT_INITIAL},
                                              CLI_OPTIONS_END};
static const struct cli_command dctcp_command = {"dctcp", dctcp_help, dctcp_options};

static int report(struct weir_error *error)
{
    weir_fail_within(error, "dctcp: ");
    return cli_report(error);
}

static int read_fraction(const char *option, int64_t min, uint32_t *fraction)
{
    const struct key key = {.kind = KEY_RATIO, .min = min, .max = DCTCP_ONE};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int64_t value = 0;
    if (!key_parse(&key, &(struct key_scale){.hosts = 0}, optarg, &value, &error)) {
        weir_fail_within(&error, "--%s: ", option);
        return cli_report_usage(&error);
    }
    *fraction = (uint32_t)value;
    return CLI_OK;
}

static void put_settings(const struct dctcp_settings *settings)
{
    if (settings->gain > 0)
        printf("gain %g, initial alpha %g\n", settings->gain / (double)DCTCP_ONE,
               settings->initial_alpha / (double)DCTCP_ONE);
    else
        puts("gain and initial alpha are for root to see");
}

static int status(void)
{
    struct dctcp_settings settings;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    switch (dctcp_look(&settings, &error)) {
    case DCTCP_PRESENT:
        fputs(DCTCP_NAME " is registered: ", stdout);
        put_settings(&settings);
        return CLI_OK;
    case DCTCP_ABSENT:
        puts(DCTCP_NAME " is not registered");
        return CLI_VIOLATION;
    default:
        return report(&error);
    }
}

static int unload(void)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    enum dctcp_state before = dctcp_unregister(&error);
    if (before == DCTCP_FAILED)
        return report(&error);
    puts(before == DCTCP_PRESENT ? DCTCP_NAME " is no longer registered" : DCTCP_NAME " was not registered");
    return CLI_OK;
}

/* Another may have registered it, but then in the same way. */
static int check_same(const struct dctcp_settings *settings)
{
    struct dctcp_settings found;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (dctcp_look(&found, &error) == DCTCP_PRESENT && found.gain > 0 &&
        (found.gain != settings->gain || found.initial_alpha != settings->initial_alpha))
        return cli_error(CLI_INPUT,
                         "dctcp: " DCTCP_NAME " is registered with gain %g and initial alpha %g (expected the "
                         "same, or 'weir-traffic dctcp unload' before)",
                         found.gain / (double)DCTCP_ONE, found.initial_alpha / (double)DCTCP_ONE);
    return CLI_OK;
}

static void put_registered(bool held, bool before)
{
    const char *how = before ? "was already registered"
                      : held ? "is registered while this process lives"
                             : "is registered";
    printf("%s" DCTCP_NAME " %s\n", held ? "ready: " : "", how);
    fflush(stdout);
}

static int load(const struct dctcp_settings *settings, int *fd, enum dctcp_state *before)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *before = dctcp_register(settings, fd, &error);
    if (*before == DCTCP_FAILED)
        return report(&error);
    int code = *before == DCTCP_PRESENT ? check_same(settings) : CLI_OK;
    if (code == CLI_OK)
        put_registered(fd != NULL, *before == DCTCP_PRESENT);
    return code;
}

/* What another registered stays when this ends. */
static int hold(const struct dctcp_settings *settings)
{
    enum dctcp_state before;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    sigset_t signals;
    int fd = -1, signal = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int code = load(settings, &fd, &before);
    if (code != CLI_OK)
        return code;
    sigwait(&signals, &signal);
    if (fd >= 0)
        close(fd);
    else if (before == DCTCP_ABSENT && dctcp_unregister(&error) == DCTCP_FAILED)
        return report(&error);
    return CLI_OK;
}

int traffic_cmd_dctcp(int argc, char **argv)
{
    struct dctcp_settings settings = {DCTCP_ONE / 16, DCTCP_ONE};
    uint64_t given = 0;
    int code = CLI_OK;
    cli_start_options();
    for (int option; (option = cli_next_option(&dctcp_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        code = cli_option_once(&dctcp_command, option, &given);
        if (code == CLI_OK)
            code = option == OPT_GAIN ? read_fraction("gain", 1, &settings.gain)
                                      : read_fraction("initial-alpha", 0, &settings.initial_alpha);
        if (code != CLI_OK)
            return code;
    }
    const char *what = argc - optind == 1 ? argv[optind] : "";
    bool loads = strcmp(what, "load") == 0, holds = strcmp(what, "hold") == 0;
    if (given != 0 && !loads && !holds)
        return cli_error(CLI_USAGE, "dctcp: --gain and --initial-alpha go with load and hold");
    enum dctcp_state before;
    if (loads || holds)
        return loads ? load(&settings, NULL, &before) : hold(&settings);
    if (strcmp(what, "unload") == 0)
        return unload();
    if (strcmp(what, "status") == 0)
        return status();
    return cli_error(CLI_USAGE, "dctcp: what is to be done? (expected load, hold, unload or status)");
}

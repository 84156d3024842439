/*
 * cmd_dctcp.c - `weir-traffic dctcp`: our DCTCP in this machine's kernel.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "scenario/keys/key.h"
#include "switch/traffic/dctcp.h"

static int report(struct weir_error *error)
{
    weir_fail_within(error, "dctcp: ");
    return cli_report(error);
}

static int read_fraction(void *target, const struct cli_option *option, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int64_t value = 0;
    if (!key_parse(option->data, &(struct key_scale){.hosts = 0}, text, &value, &error)) {
        weir_fail_within(&error, "--%s: ", option->name);
        return cli_report_usage(&error);
    }
    *(uint32_t *)target = (uint32_t)value;
    return CLI_OK;
}

static const struct cli_option options[] = {
    {.name = "gain",
     .value = "G",
     .help = "weight of the newest window in alpha; default: 0.0625",
     CLI_READ(struct dctcp_settings, gain, read_fraction),
     .data = &(const struct key){.kind = KEY_RATIO, .min = 1, .max = DCTCP_ONE}},
    {.name = "initial-alpha",
     .value = "A",
     .help = "alpha of a new connection; default: 1",
     CLI_READ(struct dctcp_settings, initial_alpha, read_fraction),
     .data = &(const struct key){.kind = KEY_RATIO, .min = 0, .max = DCTCP_ONE}},
    {.name = NULL},
};

static const struct cli_word words[] = {
    {"load", "register it until unload or the next boot"},
    {"hold", "register it while this process lives; prints a line that begins with `ready` once it is"},
    {"unload", "remove it; connections that use it keep it"},
    {"status", "tell whether it is registered, and with which settings (exit status 1: it is not)"},
    {NULL, NULL},
};

static const struct cli_operand operands[] = {
    {.name = "ACTION", .what = "action", .expected = "load, hold, unload or status", .offer = CLI_MEANINGS(words)},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_dctcp = {
    .name = "dctcp",
    .summary = "DCTCP for a kernel that has none",
    .usage = "load|hold [--gain G] [--initial-alpha A]\n"
             "unload|status",
    .about =
        "DCTCP (RFC 8257) for a kernel that has none: a BPF program, registered as the congestion control " DCTCP_NAME
        " for the whole machine.",
    .options = options,
    .operands = operands,
    .notes = "load, hold and unload need root.",
    .examples = "weir-traffic dctcp load",
    .rights = CONFINE_NOTHING,
    .run = run,
};

static int status(void)
{
    struct dctcp_settings settings;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    switch (dctcp_look(&settings, &error)) {
    case DCTCP_PRESENT:
        fputs(DCTCP_NAME " is registered: ", stdout);
        if (settings.gain > 0)
            printf("gain %g, initial alpha %g\n", settings.gain / (double)DCTCP_ONE,
                   settings.initial_alpha / (double)DCTCP_ONE);
        else
            puts("gain and initial alpha are for root to see");
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

static int load(const struct dctcp_settings *settings, int *fd, enum dctcp_state *before)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *before = dctcp_register(settings, fd, &error);
    if (*before == DCTCP_FAILED)
        return report(&error);
    int code = *before == DCTCP_PRESENT ? check_same(settings) : CLI_OK;
    if (code == CLI_OK) {
        bool held = fd != NULL;
        const char *how = (*before == DCTCP_PRESENT) ? "was already registered"
                          : held                     ? "is registered while this process lives"
                                                     : "is registered";
        printf("%s" DCTCP_NAME " %s\n", held ? "ready: " : "", how);
        fflush(stdout);
    }
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

static int run(int argc, char **argv)
{
    struct dctcp_settings settings = {DCTCP_ONE / 16, DCTCP_ONE};
    struct cli_line line;
    enum dctcp_state before;
    if (!cli_read(&line, &cmd_dctcp, argc, argv, &settings))
        return line.code;
    const char *action = line.operands[0];
    bool loads = strcmp(action, "load") == 0, holds = strcmp(action, "hold") == 0;
    if (line.given != 0 && !loads && !holds)
        return cli_error(CLI_USAGE, "dctcp: --gain and --initial-alpha go with load and hold");
    if (loads || holds)
        return loads ? load(&settings, NULL, &before) : hold(&settings);
    return strcmp(action, "unload") == 0 ? unload() : status();
}

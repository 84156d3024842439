/*
 * cmd_switch.c - `weir switch`: looks at a running weir-switch and changes it. Always built: it speaks to a socket and
 * needs no DPDK.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "show/writers/switch_status.h"
#include "show/writers/switch_watch.h"
#include "switch/control/client.h"

struct choice {
    const char *control, *clear;
    uint64_t port, tc, memory, watch_s, every_s, times;
    bool json;
    const struct cli_line *line;
    char **operands; /* behind the command */
    uint32_t count;
};

static const struct cli_option options[] = {
    {.name = "control",
     .value = "PATH",
     .help = "socket of the switch; default: /run/weir/switch.sock for root, else $XDG_RUNTIME_DIR/weir-switch.sock",
     CLI_FILE(struct choice, control)},
    {.name = "port", .value = "N", .help = "counters: only this port", CLI_NUMBER(struct choice, port, 0, UINT16_MAX)},
    {.name = "class",
     .value = "N",
     .help = "counters: only this class",
     CLI_NUMBER(struct choice, tc, 0, WEIR_CLASSES_MAX - 1)},
    {.name = "clear",
     .value = "VIEW",
     .help = "counters: reset the watermarks of a view after reading them: periodic, user or persistent",
     .offer = CLI_WORDS("periodic user persistent"),
     CLI_TEXT(struct choice, clear)},
    {.name = "memory",
     .value = "M",
     .help = "trace: which MMU; default: 0",
     CLI_NUMBER(struct choice, memory, 0, UINT16_MAX)},
    {.name = "watch",
     .value = "SECONDS",
     .help = "status: show it again every SECONDS, until interrupted",
     CLI_NUMBER(struct choice, watch_s, 1, 3600)},
    {.name = "every",
     .value = "SECONDS",
     .help = "watch: how often; default: 1",
     CLI_NUMBER(struct choice, every_s, 1, 3600)},
    {.name = "times",
     .value = "N",
     .help = "watch: look so many times; default: until interrupted",
     CLI_NUMBER(struct choice, times, 1, UINT32_MAX)},
    {.name = "json",
     .help = "print the reply as JSON",
     .more = "Counters have the names of SAI.",
     CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_word words[] = {
    {"status", "show ports, buffer, policy and the files being written"},
    {"counters",
     "show every queue, the lossless classes of each input, and discards by reason; --json has the names of SAI, and "
     "adds ports, MMUs and how often inputs were paused"},
    {"watch",
     "show buffer, queues and rates again and again, on a terminal as a screen, else as a line each time; the first "
     "rates are means since the start of the switch"},
    {"set",
     "change a parameter of the buffer policy from the next burst on; SIDE is egress (the default) or ingress, the "
     "headroom scheme"},
    {"trace", "record an MMU for weir replay; starts when its buffer is empty, or gives up after two seconds"},
    {"stop", "end the switch and wait until it is gone"},
    {NULL, NULL},
};

static const struct cli_operand operands[] = {
    {.name = "COMMAND",
     .what = "command",
     .expected = "status, counters, watch, set, trace or stop",
     .offer = CLI_MEANINGS(words)},
    {.name = "ACTION", .after = "trace", .offer = CLI_WORDS("start stop")},
    {.name = "FILE", .offer = CLI_FILES, .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_switch = {
    .name = "switch",
    .summary = "inspect a running weir-switch and change it",
    .usage = "status [--json] [--watch SECONDS]\n"
             "counters [--port N] [--class N] [--clear VIEW] [--json]\n"
             "watch [--every SECONDS] [--times N]\n"
             "set [SIDE.]PARAMETER=VALUE\n"
             "trace start FILE [--memory M]\n"
             "trace stop\n"
             "stop",
    .about = "Inspects a running weir-switch and changes it.",
    .options = options,
    .operands = operands,
    .examples = "weir switch set alpha=4",
    .rights = CONFINE_SOCKETS,
    .run = run,
};

/* Prints a reply in the way that was asked for; the reply is released. */
static int show(const struct choice *choice, json_t *reply, int (*tables)(const json_t *reply))
{
    if (choice->json)
        return output_json(reply);
    int code = tables(reply);
    json_decref(reply);
    return code;
}

static int do_status(const struct choice *choice)
{
    int code = CLI_OK;
    do {
        json_t *reply = switch_ask(choice->control, json_pack("{s:s}", "command", "status"), false, &code);
        if (reply == NULL)
            return code;
        if (choice->watch_s > 0 && output_colours(stdout))
            screen_command(stdout, "\033[H\033[2J"); /* clear the screen */
        code = show(choice, reply, switch_status_show);
        fflush(stdout);
    } while (code == CLI_OK && choice->watch_s > 0 && !ferror(stdout) && sleep((unsigned)choice->watch_s) == 0);
    return code;
}

static int do_counters(const struct choice *choice)
{
    int code = CLI_OK;
    json_t *request = json_pack("{s:s}", "command", "counters");
    if (cli_given(choice->line, "port"))
        request = output_json_set(request, "port", json_integer((json_int_t)choice->port));
    if (cli_given(choice->line, "class"))
        request = output_json_set(request, "class", json_integer((json_int_t)choice->tc));
    if (choice->clear != NULL)
        request = output_json_set(request, "clear", output_json_string(choice->clear));
    json_t *reply = switch_ask(choice->control, request, false, &code);
    return reply != NULL ? show(choice, reply, switch_counters_show) : code;
}

static int do_watch(const struct choice *choice)
{
    struct switch_watch watch = {.counters = NULL};
    bool screen = isatty(STDOUT_FILENO);
    int code = CLI_OK;
    for (uint64_t i = 0; code == CLI_OK && !ferror(stdout); i++) {
        if (i > 0 && (i == choice->times || sleep((unsigned)choice->every_s) != 0))
            break;
        json_t *status = switch_ask(choice->control, json_pack("{s:s}", "command", "status"), false, &code);
        json_t *counters =
            status ? switch_ask(choice->control, json_pack("{s:s}", "command", "counters"), false, &code) : NULL;
        if (counters == NULL) {
            json_decref(status);
            break;
        }
        if (screen)
            screen_command(stdout, "\033[H\033[2J"); /* clear the screen */
        code = switch_watch_show(&watch, status, counters, screen);
        fflush(stdout);
    }
    switch_watch_free(&watch);
    return code;
}

static int show_set(const json_t *reply)
{
    cli_print("%s: %s: %s, was %s", json_string_value(json_object_get(reply, "policy")),
              json_string_value(json_object_get(reply, "key")), json_string_value(json_object_get(reply, "new")),
              json_string_value(json_object_get(reply, "old")));
    return CLI_OK;
}

static int do_set(const struct choice *choice)
{
    int code = CLI_OK;
    const char *equals = strchr(choice->operands[0], '=');
    if (equals == NULL || equals == choice->operands[0])
        return cli_error(CLI_USAGE, "switch set: '%s' is not a change (expected parameter=value)", choice->operands[0]);
    char *key = strndup(choice->operands[0], (size_t)(equals - choice->operands[0]));
    json_t *request = key != NULL ? json_pack("{s:s, s:o, s:o}", "command", "set", "key", output_json_string(key),
                                              "value", output_json_string(equals + 1))
                                  : NULL;
    free(key);
    json_t *reply = switch_ask(choice->control, request, false, &code);
    return reply != NULL ? show(choice, reply, show_set) : code;
}

/* The same file for a switch that was started elsewhere; null: out of memory. */
static char *absolute_path(const char *path)
{
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0), *whole = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (folder != NULL && asprintf(&whole, "%s/%s", folder, path) < 0)
        whole = NULL;
    free(folder);
    return whole;
}

static int show_trace(const json_t *reply)
{
    cli_print("%s: %lld B", json_string_value(json_object_get(reply, "path")),
              (long long)json_integer_value(json_object_get(reply, "bytes")));
    return CLI_OK;
}

static int do_trace(const struct choice *choice)
{
    int code = CLI_OK;
    const char *action = choice->operands[0];
    bool start = strcmp(action, "start") == 0;
    if (!start && strcmp(action, "stop") != 0)
        return cli_error(CLI_USAGE, "switch trace: unknown action '%s' (expected start or stop)", action);
    if (choice->count != (start ? 2u : 1u))
        return cli_error(CLI_USAGE, start ? "switch trace start: no file (expected one)"
                                          : "switch trace stop: unexpected operand (expected none)");
    json_t *request = json_pack("{s:s, s:s}", "command", "trace", "action", action);
    if (start) {
        char *path = absolute_path(choice->operands[1]);
        request = output_json_set(request, "path", path != NULL ? json_string(path) : NULL);
        free(path);
        request = output_json_set(request, "memory", json_integer((json_int_t)choice->memory));
    }
    json_t *reply = switch_ask(choice->control, request, false, &code);
    if (reply == NULL)
        return code;
    if (choice->json || !start)
        return show(choice, reply, show_trace);
    json_decref(reply);
    return CLI_OK;
}

static int show_nothing(const json_t *reply)
{
    (void)reply;
    return CLI_OK;
}

static int do_stop(const struct choice *choice)
{
    int code = CLI_OK;
    json_t *reply = switch_ask(choice->control, json_pack("{s:s}", "command", "stop"), true, &code);
    return reply != NULL ? show(choice, reply, show_nothing) : code;
}

/* In the order of `words`. */
static const struct command {
    int (*run)(const struct choice *choice);
    const char *options;  /* besides --control; with blanks between them */
    uint32_t least, most; /* operands */
    const char *operands;
} commands[] = {
    {do_status, "watch json", 0, 0, "none"},
    {do_counters, "port class clear json", 0, 0, "none"},
    {do_watch, "every times", 0, 0, "none"},
    {do_set, "json", 1, 1, "parameter=value"},
    {do_trace, "memory json", 1, 2, "start FILE, or stop"},
    {do_stop, "json", 0, 0, "none"},
};

/* Operands go to the switch as JSON, which is UTF-8. */
static int check_text(const char *name, const char *operand)
{
    json_t *text = output_json_string(operand);
    if (text == NULL)
        return cli_error_memory();
    bool same = strcmp(json_string_value(text), operand) == 0;
    json_decref(text);
    return same ? CLI_OK : cli_error(CLI_USAGE, "switch %s: '%s' is not UTF-8", name, operand);
}

static bool has_word(const char *words_of, const char *word)
{
    const char *found = strstr(words_of, word);
    size_t length = strlen(word);
    return found != NULL && (found == words_of || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0');
}

static int run(int argc, char **argv)
{
    struct choice choice = {.control = NULL, .every_s = 1};
    struct cli_line line;
    uint32_t i = 0;
    if (!cli_read(&line, &cmd_switch, argc, argv, &choice))
        return line.code;
    choice.line = &line;
    choice.operands = line.operands + 1;
    choice.count = line.count - 1;
    while (strcmp(words[i].name, line.operands[0]) != 0) /* cli_read knows that it is there */
        i++;
    int code = CLI_OK;
    for (const struct cli_option *option = options + 1; option->name != NULL; option++)
        if (cli_given(choice.line, option->name) && !has_word(commands[i].options, option->name))
            return cli_error(CLI_USAGE, "switch %s: --%s does not go with it (see 'weir switch --help')", words[i].name,
                             option->name);
    if (choice.count < commands[i].least || choice.count > commands[i].most)
        return cli_error(CLI_USAGE, "switch %s: %u operands (expected %s)", words[i].name, choice.count,
                         commands[i].operands);
    for (uint32_t k = 0; code == CLI_OK && k < choice.count; k++)
        code = check_text(words[i].name, choice.operands[k]);
    return code == CLI_OK ? commands[i].run(&choice) : code;
}

/*
 * cmd_switch.c - `weir switch`: looks at a running weir-switch and changes it. Always built: it speaks to a socket and
 * needs no DPDK.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "control/client.h"

static const char switch_help[] =
    "usage: weir switch status [--json] [--watch SECONDS]\n"
    "       weir switch counters [--port N] [--class N] [--clear VIEW] [--json]\n"
    "       weir switch set [SIDE.]PARAMETER=VALUE\n"
    "       weir switch trace start FILE [--memory M]\n"
    "       weir switch trace stop\n"
    "       weir switch stop\n"
    "\n"
    "Looks at a running weir-switch and changes it.\n"
    "\n"
    "  status    ports, buffer, policy and what is being written\n"
    "  counters  every queue, the lossless classes of each input, and discards by reason; --json\n"
    "            has the names of SAI\n"
    "  set       a new value for a parameter of the buffer policy, from the next burst on; SIDE is\n"
    "            egress (the default) or ingress, the headroom scheme\n"
    "  trace     records a memory for 'weir replay', from a moment on at which it is empty\n"
    "  stop      ends the switch and waits until it is gone\n"
    "\n"
    "  --control PATH   the socket of the switch; default: /run/weir/switch.sock for root, else\n"
    "                   $XDG_RUNTIME_DIR/weir-switch.sock\n"
    "  --port N         counters: of this port only\n"
    "  --class N        counters: of this class only\n"
    "  --clear VIEW     counters: start the watermarks of a view anew once they are read:\n"
    "                   periodic, user or persistent\n"
    "  --memory M       trace: the memory; default: 0\n"
    "  --watch SECONDS  status: again and again, until interrupted\n"
    "  --json           the reply as JSON\n"
    "  -h, --help       this text\n"
    "\n"
    "example: weir switch set alpha=4\n";

enum { OPT_CONTROL = CLI_OPTION_FIRST, OPT_PORT, OPT_CLASS, OPT_CLEAR, OPT_MEMORY, OPT_WATCH, OPT_JSON };

static const struct option switch_options[] = {{"control", required_argument, NULL, OPT_CONTROL},
                                               {"port", required_argument, NULL, OPT_PORT},
                                               {"class", required_argument, NULL, OPT_CLASS},
                                               {"clear", required_argument, NULL, OPT_CLEAR},
                                               {"memory", required_argument, NULL, OPT_MEMORY},
                                               {"watch", required_argument, NULL, OPT_WATCH},
                                               {"json", no_argument, NULL, OPT_JSON},
                                               CLI_OPTIONS_END};
static const struct cli_command switch_command = {"switch", switch_help, switch_options};

struct choice {
    const char *control, *clear;
    uint64_t port, tc, memory, watch_s;
    bool json;
    uint64_t given;
    char **operands;
    int count;
};

/* Which options a command takes besides --control. */
#define OF_STATUS (CLI_OPTION_BIT(OPT_WATCH) | CLI_OPTION_BIT(OPT_JSON))
#define OF_COUNTERS                                                                                                    \
    (CLI_OPTION_BIT(OPT_PORT) | CLI_OPTION_BIT(OPT_CLASS) | CLI_OPTION_BIT(OPT_CLEAR) | CLI_OPTION_BIT(OPT_JSON))
#define OF_SET CLI_OPTION_BIT(OPT_JSON)
#define OF_TRACE (CLI_OPTION_BIT(OPT_MEMORY) | CLI_OPTION_BIT(OPT_JSON))
#define OF_STOP CLI_OPTION_BIT(OPT_JSON)

static int take_option(struct choice *choice, int option)
{
    switch (option) {
    case OPT_CONTROL:
        choice->control = optarg;
        return CLI_OK;
    case OPT_CLEAR:
        choice->clear = optarg;
        return CLI_OK;
    case OPT_PORT:
        return cli_parse_number("--port", optarg, 0, UINT16_MAX, &choice->port);
    case OPT_CLASS:
        return cli_parse_number("--class", optarg, 0, WEIR_CLASSES_MAX - 1, &choice->tc);
    case OPT_MEMORY:
        return cli_parse_number("--memory", optarg, 0, UINT16_MAX, &choice->memory);
    case OPT_WATCH:
        return cli_parse_number("--watch", optarg, 1, 3600, &choice->watch_s);
    default:
        choice->json = true;
        return CLI_OK;
    }
}

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
            fputs("\033[H\033[2J", stdout); /* the screen anew */
        code = show(choice, reply, switch_show_status);
        fflush(stdout);
    } while (code == CLI_OK && choice->watch_s > 0 && !ferror(stdout) && sleep((unsigned)choice->watch_s) == 0);
    return code;
}

static int do_counters(const struct choice *choice)
{
    int code = CLI_OK;
    json_t *request = json_pack("{s:s}", "command", "counters");
    if (choice->given & CLI_OPTION_BIT(OPT_PORT))
        request = output_json_set(request, "port", json_integer((json_int_t)choice->port));
    if (choice->given & CLI_OPTION_BIT(OPT_CLASS))
        request = output_json_set(request, "class", json_integer((json_int_t)choice->tc));
    if (choice->clear != NULL)
        request = output_json_set(request, "clear", output_json_string(choice->clear));
    json_t *reply = switch_ask(choice->control, request, false, &code);
    return reply != NULL ? show(choice, reply, switch_show_counters) : code;
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
        return cli_error(CLI_USAGE, "switch set: '%s' is no change (expected parameter=value)", choice->operands[0]);
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
    if (choice->count != (start ? 2 : 1))
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

static const struct command {
    const char *name;
    int (*run)(const struct choice *choice);
    uint64_t options;
    int least, most; /* operands */
    const char *operands;
} commands[] = {
    {"status", do_status, OF_STATUS, 0, 0, "none"},   {"counters", do_counters, OF_COUNTERS, 0, 0, "none"},
    {"set", do_set, OF_SET, 1, 1, "parameter=value"}, {"trace", do_trace, OF_TRACE, 1, 2, "start FILE, or stop"},
    {"stop", do_stop, OF_STOP, 0, 0, "none"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

/* Operands go to the switch as JSON, which is UTF-8. */
static int check_text(const struct command *command, const char *operand)
{
    json_t *text = output_json_string(operand);
    if (text == NULL)
        return cli_error_memory();
    bool same = strcmp(json_string_value(text), operand) == 0;
    json_decref(text);
    return same ? CLI_OK : cli_error(CLI_USAGE, "switch %s: '%s' is not UTF-8", command->name, operand);
}

static int run_command(const struct command *command, const struct choice *choice)
{
    int code = CLI_OK;
    for (int option = OPT_PORT; option <= OPT_JSON; option++)
        if (choice->given & CLI_OPTION_BIT(option) & ~command->options)
            return cli_error(CLI_USAGE, "switch %s: --%s does not go with it (see 'weir switch --help')", command->name,
                             switch_options[option - OPT_CONTROL].name);
    if (choice->count < command->least || choice->count > command->most)
        return cli_error(CLI_USAGE, "switch %s: %d operands (expected %s)", command->name, choice->count,
                         command->operands);
    for (int i = 0; code == CLI_OK && i < choice->count; i++)
        code = check_text(command, choice->operands[i]);
    return code == CLI_OK ? command->run(choice) : code;
}

static int find_command(const struct choice *choice, const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(names[i], name) == 0)
            return run_command(&commands[i], choice);
    }
    const char *nearest = weir_nearest_name(name, names, COMMANDS);
    if (nearest != NULL)
        return cli_error(CLI_USAGE, "switch: unknown command '%s' (did you mean '%s'?)", name, nearest);
    return cli_error(CLI_USAGE, "switch: unknown command '%s' (see 'weir switch --help')", name);
}

int weir_cmd_switch(int argc, char **argv)
{
    struct choice choice = {.control = NULL};
    int code = CLI_OK;
    cli_start_options();
    for (int option; (option = cli_next_option(&switch_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        code = cli_option_once(&switch_command, option, &choice.given);
        if (code == CLI_OK)
            code = take_option(&choice, option);
        if (code != CLI_OK)
            return code;
    }
    if (optind >= argc)
        return cli_error(CLI_USAGE, "switch: no command (expected status, counters, set, trace or stop)");
    choice.operands = argv + optind + 1;
    choice.count = argc - optind - 1;
    return find_command(&choice, argv[optind]);
}

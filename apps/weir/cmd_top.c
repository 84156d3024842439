/*
 * cmd_top.c - `weir top`: a sweep or a switch while it runs. The sweep's side is lab/spread/live.h, the switch's is
 * `weir switch watch`.
 */
#include <unistd.h>

#include "cli/command.h"
#include "cli/screen.h"
#include "lab/spread/live.h"

struct choice {
    const char *control;
    uint64_t every_s, times;
};

static const struct cli_option options[] = {
    {.name = "every", .value = "SECONDS", .help = "how often; default: 1", CLI_NUMBER(struct choice, every_s, 1, 3600)},
    {.name = "times",
     .value = "N",
     .help = "look so many times; default: until the sweep ends, or until interrupted",
     CLI_NUMBER(struct choice, times, 1, UINT32_MAX)},
    {.name = "control",
     .value = "PATH",
     .help = "socket of the switch, as weir switch has it",
     CLI_FILE(struct choice, control)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE.db", .offer = CLI_RESULTS},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_top = {
    .name = "top",
    .summary = "show a running sweep or switch live",
    .about =
        "Shows the sweep that `weir run` is making into FILE.db: runs done, running and failed, what they simulate "
        "per second, and how far each is and when it will be done; on a terminal as a screen, else as a line each "
        "time. Without a file, the running weir-switch, as `weir switch watch` does.",
    .options = options,
    .operands = operands,
    .status =
        "0 the sweep has ended, 2 wrong usage, 3 no sweep is under way, 4 out of memory; of a switch as weir switch",
    .examples = "weir top burst.db",
    .rights = CONFINE_SOCKETS,
    .run = run,
};

extern const struct cli_command cmd_switch;

static int watch_sweep(const struct choice *choice, const char *database)
{
    bool screen = isatty(STDOUT_FILENO);
    struct live live;
    for (uint64_t i = 0; !ferror(stdout); i++) {
        if (i > 0 && (i == choice->times || sleep((unsigned)choice->every_s) != 0))
            return CLI_OK;
        if (!live_read(&live, database))
            return i > 0 ? CLI_OK
                         : cli_error(CLI_INPUT,
                                     "%s: no sweep is under way (expected a database that `weir run` is writing on "
                                     "this machine; `weir show` shows what is in it)",
                                     database);
        if (screen)
            screen_command(stdout, "\033[H\033[2J"); /* clear the screen */
        live_show(&live, database, screen);
        live_forget(&live);
        fflush(stdout);
    }
    return CLI_INTERNAL;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.control = NULL, .every_s = 1};
    struct cli_line line;
    if (!cli_read(&line, &cmd_top, argc, argv, &choice))
        return line.code;
    if (line.count > 0 && choice.control != NULL)
        return cli_error(CLI_USAGE, "top: --control is of a switch (expected no file beside it)");
    if (line.count > 0)
        return watch_sweep(&choice, line.operands[0]);
    char name[] = "switch", word[] = "watch", every[32], times[32], control[4096];
    char *words[6] = {name, word, every};
    int count = 3;
    snprintf(every, sizeof every, "--every=%u", (unsigned)choice.every_s);
    snprintf(times, sizeof times, "--times=%u", (unsigned)choice.times);
    snprintf(control, sizeof control, "--control=%s", choice.control != NULL ? choice.control : "");
    if (choice.times > 0)
        words[count++] = times;
    if (choice.control != NULL)
        words[count++] = control;
    return cmd_switch.run(count, words);
}

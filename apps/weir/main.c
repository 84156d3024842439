/*
 * main.c - the `weir` command: its table of commands. Each is in the file of its name; what they share is in cli/.
 */
#include <fcntl.h>
#include <unistd.h>

#include "cli/command.h"

static const struct cli_command self = {
    .name = "",
    .summary = "buffer policies of shared-memory switches",
    .about = "Buffer policies of shared-memory switches: who may enter, who is pushed out, who must pause.",
    .status = "0 ok, 1 violation found, 2 wrong usage, 3 bad input, 4 out of memory or cannot write",
    .examples = "weir policies dt",
};

#define COMMAND(name) extern const struct cli_command cmd_##name;
#include "commands.def"
#undef COMMAND

static const struct cli_command *const commands[] = {
#define COMMAND(name) &cmd_##name,
#include "commands.def"
#undef COMMAND
    NULL,
};

int main(int argc, char **argv)
{
    const struct cli_program program = {&self, commands};
    /* A standard descriptor that the caller closed would be the next file that is opened, and messages would be written
     * into it. What takes its place fails when used, as the closed one would. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(CLI_INTERNAL); /* there is nowhere to say why */
    return cli_main("weir", &program, argc, argv);
}

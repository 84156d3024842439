/*
 * rtl.c - see rtl.h. The work is done by hw/rtl/replay/replay.sh, which is installed with the sources of the hardware.
 */
#define _GNU_SOURCE 1
#include "lib/trace/rtl.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/data_folder.h"
#include "lib/trace/replay.h"

#define RTL_QUEUES_MAX 1024
#define RTL_CELLS_MAX (1 << 20)
#define RTL_PACKET_CELLS_MAX 4095
#define RTL_EXPONENT_MIN (-16)
#define RTL_EXPONENT_MAX 15
#define RTL_NUMBER_MAX 24 /* a number as text */

extern char **environ;

/* log2 of a ratio; false: it is none of the hardware's powers of two. */
static bool exponent_of(int64_t alpha, int *exponent)
{
    for (int e = RTL_EXPONENT_MIN; e <= RTL_EXPONENT_MAX; e++)
        if (alpha == (e >= 0 ? WEIR_Q16_ONE << e : WEIR_Q16_ONE >> -e)) {
            *exponent = e;
            return true;
        }
    return false;
}

static const char *lacks_of_config(const struct weir_mmu_config *config, const struct weir_values *values)
{
    bool occamy = strcmp(config->egress->name, "occamy") == 0;
    if (!occamy && strcmp(config->egress->name, "dt") != 0)
        return "this policy (expected dt or occamy)";
    for (uint32_t p = 1; p < config->egress->param_count; p++)
        if (values->of[p][0] != config->egress->params[p].initial)
            return "parameters other than alpha";
    if (config->ingress != NULL)
        return "an ingress policy";
    for (uint32_t c = 0; c < config->classes; c++)
        if (config->private_cells[c] != 0)
            return "private buffer";
    for (uint32_t c = 0; c < config->classes; c++)
        if (config->trim[c].bytes != 0)
            return "trimming: it cuts no packets";
    if (config->buffer_cells > RTL_CELLS_MAX || config->buffer_cells < 2)
        return "so many cells (expected 2 to 2^20)";
    return config->ports * config->classes > RTL_QUEUES_MAX ? "so many queues (expected 1024 at most)" : NULL;
}

void rtl_shape_init(struct rtl_shape *shape, const struct weir_mmu_config *config, const struct weir_values *values)
{
    *shape = (struct rtl_shape){.lacks = lacks_of_config(config, values), .packets_max = config->packets_max};
    for (uint32_t c = 0; c < config->classes && shape->lacks == NULL; c++)
        if (!exponent_of(values->of[0][c], &shape->alpha_exp[c]))
            shape->lacks = "an alpha that is no power of two from 2^-16 to 2^15";
}

static uint32_t power_of_two(uint32_t at_least)
{
    uint32_t power = 1;
    while (power < at_least)
        power *= 2;
    return power;
}

static const char *lacks_of_trace(const struct replay_report *report)
{
    if (report->rtl.lacks != NULL)
        return report->rtl.lacks;
    if (report->lost[WEIR_CAUSE_FLUSHED] > 0)
        return "a flush";
    if (report->changes > 0)
        return "a change of parameters";
    uint32_t cells = (report->rtl.packet_bytes_max + report->cell_bytes - 1) / report->cell_bytes;
    return cells > RTL_PACKET_CELLS_MAX ? "so many cells in a packet (expected 4095 at most)" : NULL;
}

static int replay_in_shape(const char *path, const struct replay_report *report, char *script)
{
    /* Queues are a power of two, four at least: ports and classes that the trace does not have stay empty. */
    uint32_t classes = power_of_two(report->classes), ports = power_of_two(report->ports);
    const struct rtl_shape *shape = &report->rtl;
    /* Bits of the cells of a packet: enough for the longest, and 2 at least. */
    uint32_t cells = (report->rtl.packet_bytes_max + report->cell_bytes - 1) / report->cell_bytes, bits = 2;
    while (cells >> bits != 0)
        bits++;
    while (ports * classes < 4)
        ports *= 2;
    char program[PATH_MAX], numbers[7 + WEIR_CLASSES_MAX][RTL_NUMBER_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return cli_error(CLI_INTERNAL, "--rtl: /proc/self/exe: %s", strerror(errno));
    program[length] = '\0';
    const uint64_t of_shape[] = {
        ports, classes, (uint64_t)report->buffer_cells, shape->packets_max, bits, report->cell_bytes, report->arrivals};
    char *argv[4 + sizeof numbers / sizeof numbers[0] + 1] = {(char *)"bash", script, program, (char *)path};
    size_t count = 0;
    for (; count < sizeof of_shape / sizeof of_shape[0]; count++)
        snprintf(numbers[count], RTL_NUMBER_MAX, "%" PRIu64, of_shape[count]);
    for (uint32_t c = 0; c < report->classes; c++)
        snprintf(numbers[count++], RTL_NUMBER_MAX, "%d", shape->alpha_exp[c]);
    for (size_t i = 0; i < count; i++)
        argv[4 + i] = numbers[i];
    /* As a separate program; its exit status. */
    pid_t pid;
    int status;
    fflush(NULL);
    int error = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (error != 0)
        return cli_error(CLI_INPUT, "--rtl: %s: %s", argv[0], strerror(error));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return cli_error(CLI_INTERNAL, "--rtl: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) > CLI_INTERNAL)
        return cli_error(CLI_INTERNAL, "--rtl: the model of the hardware ended early");
    return WEXITSTATUS(status);
}

int rtl_replay(const char *path, const struct replay_report *report)
{
    char *script = NULL;
    const char *lacks = lacks_of_trace(report);
    if (lacks != NULL)
        return cli_error(CLI_INPUT, "%s: --rtl: the hardware does not have %s", path, lacks);
    char *folder = cli_data_folder("rtl");
    if (folder == NULL)
        return cli_error(CLI_INPUT, "--rtl: the hardware is not installed beside the program (expected rtl/)");
    int code = asprintf(&script, "%s/replay/replay.sh", folder) >= 0 ? CLI_OK : cli_error_memory();
    if (code == CLI_OK) {
        code = replay_in_shape(path, report, script);
        free(script);
    }
    free(folder);
    return code;
}

/*
 * up.c - everything of a testbed: see testbed.h. How its switch starts is that one's affair: see switch.h.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "lab/testbed/process.h"
#include "lab/testbed/switch.h"

static bool enter_new_space(void)
{
    return unshare(CLONE_NEWNET) == 0;
}

static bool is_there(const struct testbed_need *need, struct weir_error *error)
{
    char path[4096];
    return testbed_program(need->program, path) ||
           weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs '%s', which is not there (%s)", need->program,
                     need->package);
}

bool testbed_possible(const struct testbed_switch *sw, struct weir_error *error)
{
    static const struct testbed_need needs[] = {
        {"ip", "iproute2"}, {"tc", "iproute2"}, {"ethtool", "ethtool"}, {"weir-traffic", "it is built with weir"}};
    if (geteuid() != 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs root, for network namespaces (try with sudo)");
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (!is_there(&needs[i], error))
            return false;
    for (const struct testbed_need *need = sw->needs; need->program != NULL; need++)
        if (!is_there(need, error))
            return false;
    return testbed_try(enter_new_space) ||
           weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs network namespaces, which this system does not permit");
}

/* The kernel may have no DCTCP: ours is there as long as this process is. It is in the switch's namespace only to be
 * found again with the rest. */
static bool start_dctcp(struct testbed *bed, struct weir_error *error)
{
    char program[4096], space[TESTBED_SPACE_MAX], log[TESTBED_PATH_MAX], gain[32], initial[32];
    if (!testbed_program("weir-traffic", program))
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs 'weir-traffic'");
    testbed_space(bed->name, TESTBED_SWITCH, space);
    testbed_path(bed->name, "dctcp.log", log);
    snprintf(gain, sizeof gain, "%" PRIu64 "/%" PRIu64, (uint64_t)bed->settings.dctcp_gain, (uint64_t)WEIR_Q16_ONE);
    snprintf(initial, sizeof initial, "%" PRIu64 "/%" PRIu64, (uint64_t)bed->settings.dctcp_initial,
             (uint64_t)WEIR_Q16_ONE);
    const char *const argv[] = {program, "dctcp", "hold", "--gain", gain, "--initial-alpha", initial, NULL};
    const struct testbed_program_run run = {.argv = argv, .space = space, .log = log, .stays = bed->stays};
    bed->dctcp_pid = testbed_start(&run, error);
    return bed->dctcp_pid > 0 && testbed_await_ready(&run, bed->dctcp_pid, error);
}

static bool make_folder(const struct testbed *bed, const char *text, struct weir_error *error)
{
    char path[TESTBED_PATH_MAX];
    testbed_path(bed->name, "", path);
    if ((mkdir(TESTBED_FOLDER, 0755) != 0 && errno != EEXIST) || mkdir(path, 0700) != 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "cannot make %s: %s", path, strerror(errno));
    testbed_path(bed->name, "scenario.yaml", path);
    FILE *out = fopen(path, "we");
    bool written = out != NULL && fputs(text, out) >= 0;
    if ((out != NULL && fclose(out) != 0) || !written)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    return true;
}

bool testbed_up(struct testbed *bed, const char *text, struct weir_error *error)
{
    bed->real_time = testbed_real_time(error);
    if (bed->real_time)
        testbed_watch_over();
    bool up = make_folder(bed, text, error) && testbed_network_make(bed, error) &&
              (!bed->settings.dctcp || start_dctcp(bed, error)) && bed->settings.sw->start(bed, error);
    if (up && !testbed_state_write(bed))
        return weir_fail(error, WEIR_ERROR_SYSTEM, "cannot write the state of the testbed");
    return up;
}

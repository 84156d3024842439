/*
 * point.c - see point.h.
 *
 * Hosts get the moment at which time begins, a little ahead, so that all of them are ready by then.
 */
#define _GNU_SOURCE 1
#include "lab/testbed/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/clock.h"
#include "lab/testbed/process.h"
#include "lab/testbed/records.h"
#include "lab/testbed/switch.h"

#define LEAD_S 2.0   /* for hosts to start and to connect */
#define GRACE_S 20.0 /* for hosts to end, and to write down what happened */
#define LOOK_MS 20u
#define TAKE_MS 200u /* for the switch to take what has reached its interfaces, and */
#define TAKES 25u    /* how often it is given this time, should the machine keep it waiting */

/* weir-traffic on every host. */
struct senders {
    const struct testbed *bed;
    int pid[TESTBED_HOSTS_MAX]; /* 0: it has ended well */
    uint32_t running;
};

static void host_file(const struct testbed *bed, uint32_t host, const char *ending, char path[TESTBED_PATH_MAX])
{
    char file[32];
    snprintf(file, sizeof file, "h%u.%s", host, ending);
    testbed_path(bed->name, file, path);
}

static bool start_host(struct senders *senders, uint32_t host, const char *addresses, const char *start,
                       struct weir_error *error)
{
    const struct testbed *bed = senders->bed;
    char program[4096], space[TESTBED_SPACE_MAX], file[TESTBED_PATH_MAX], log[TESTBED_PATH_MAX];
    char records[TESTBED_PATH_MAX], number[16], scale[16], warm_up[16];
    cpu_set_t of_switch, of_hosts;
    if (!testbed_program("weir-traffic", program))
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs 'weir-traffic'");
    testbed_space(bed->name, host, space);
    testbed_path(bed->name, "scenario.yaml", file);
    host_file(bed, host, "log", log);
    host_file(bed, host, "csv", records);
    snprintf(number, sizeof number, "%u", host);
    snprintf(scale, sizeof scale, "%u", bed->settings.scale);
    testbed_processors(&of_switch, &of_hosts);
    snprintf(warm_up, sizeof warm_up, "%u", bed->settings.warm_up);
    const char *const argv[] = {program,     "run",   "--host",  number, "--addresses", addresses,
                                "--scale",   scale,   "--start", start,  "--warm-up",   warm_up,
                                "--records", records, "--quiet", file,   NULL};
    const struct testbed_program_run run = {.argv = argv,
                                            .space = space,
                                            .log = log,
                                            .cpus = bed->settings.placed ? NULL : &of_hosts,
                                            .priority = bed->real_time ? TESTBED_PRIORITY_HOST : 0};
    senders->pid[host] = testbed_start(&run, error);
    senders->running += senders->pid[host] > 0;
    return senders->pid[host] > 0;
}

static bool start_hosts(struct senders *senders, double start_s, struct weir_error *error)
{
    char start[32];
    char *addresses = testbed_addresses(&senders->bed->settings);
    bool started = addresses != NULL;
    if (!started)
        weir_fail_memory(error);
    snprintf(start, sizeof start, "%" PRIu64, (uint64_t)(start_s * 1e9));
    for (uint32_t host = 0; started && host < senders->bed->settings.hosts; host++)
        started = start_host(senders, host, addresses, start, error);
    free(addresses);
    return started;
}

/* False: one ended badly, and says why. */
static bool look_at_hosts(struct senders *senders, struct weir_error *error)
{
    for (uint32_t host = 0; host < senders->bed->settings.hosts; host++) {
        char log[TESTBED_PATH_MAX], words[TESTBED_MESSAGE_MAX] = "";
        int status;
        if (senders->pid[host] == 0 || !testbed_has_ended(senders->pid[host], &status))
            continue;
        senders->pid[host] = 0;
        senders->running--;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        host_file(senders->bed, host, "log", log);
        testbed_last_words(log, words);
        return weir_fail(error, WEIR_ERROR_SYSTEM, "host h%u: weir-traffic ended with status %d%s%.160s", host,
                         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), words[0] != '\0' ? ": " : "",
                         words);
    }
    return true;
}

static bool switch_goes_on(const struct testbed *bed, struct weir_error *error)
{
    char log[TESTBED_PATH_MAX], words[TESTBED_MESSAGE_MAX] = "";
    int status;
    if (!testbed_has_ended(bed->switch_pid, &status))
        return true;
    testbed_path(bed->name, "switch.log", log);
    testbed_last_words(log, words);
    return weir_fail(error, WEIR_ERROR_SYSTEM, "%s ended in the middle of the run: %.160s", bed->settings.sw->program,
                     words);
}

static bool await_hosts(struct senders *senders, double deadline, struct weir_error *error)
{
    while (senders->running > 0) {
        if (!look_at_hosts(senders, error) || !switch_goes_on(senders->bed, error))
            return false;
        if (clock_seconds() > deadline)
            return weir_fail(error, WEIR_ERROR_SYSTEM, "%u hosts have not ended %.0f s after the end of the run",
                             senders->running, GRACE_S);
        testbed_pause(LOOK_MS);
    }
    return true;
}

static bool count(struct testbed_counters *counters, const struct testbed *bed, struct weir_error *error)
{
    char interfaces[32];
    uint64_t arrived = 0;
    snprintf(interfaces, sizeof interfaces, "/proc/%d/net/dev", bed->switch_pid);
    const struct testbed_counters before = *counters;
    for (uint32_t take = 0; take == 0 || (take < TAKES && counters->taken < arrived); take++) {
        if (!testbed_frames_arrived(interfaces, &arrived))
            return weir_fail(error, WEIR_ERROR_SYSTEM, "%s: no interfaces of the switch", interfaces);
        testbed_pause(TAKE_MS);
        *counters = before;
        if (!bed->settings.sw->count(counters, bed, error))
            return false;
    }
    counters->emulation.behind += arrived > counters->taken ? arrived - counters->taken : 0;
    return true;
}

double testbed_point_seconds(const struct scenario *scenario)
{
    return (double)scenario->config.until_ps / (double)WEIR_PS_PER_S * scenario->testbed.scale;
}

bool testbed_point_run(struct testbed_point *point, const struct testbed *bed, const struct scenario *scenario,
                       struct weir_error *error)
{
    struct senders senders = {.bed = bed};
    double start = clock_seconds() + LEAD_S;
    *point = (struct testbed_point){.records = {.at = NULL}};
    if (!start_hosts(&senders, start, error) ||
        !await_hosts(&senders, start + testbed_point_seconds(scenario) + GRACE_S, error) ||
        !count(&point->counters, bed, error))
        return false;
    for (uint32_t host = 0; host < bed->settings.hosts; host++) {
        char path[TESTBED_PATH_MAX];
        host_file(bed, host, "csv", path);
        if (!testbed_records_add(&point->records, path, scenario, error))
            return false;
    }
    return testbed_records_finish(&point->records, scenario, error);
}

void testbed_point_free(struct testbed_point *point)
{
    records_free(&point->records);
}

/*
 * up.c - everything of a testbed: see testbed.h. The switch has a processor for itself where there is
 * more than one, so that neither it nor the hosts are seen in the other's times more than they must.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "scenario/yaml/text_stream.h"
#include "testbed/process.h"

#define READY_S 30u /* for the switch, which may have to wait for memory */
#define LOOK_MS 20u
#define NOBODY "65534" /* the user that the switch becomes */
#define ARGUMENTS_MAX (2 * TESTBED_HOSTS_MAX + 32u)

static bool enter_new_space(void)
{
    return unshare(CLONE_NEWNET) == 0;
}

bool testbed_possible(struct weir_error *error)
{
    static const struct {
        const char *name, *package;
    } programs[] = {{"ip", "iproute2"},
                    {"tc", "iproute2"},
                    {"ethtool", "ethtool"},
                    {"weir-switch", "it is built where DPDK is found, see tools/deps"},
                    {"weir-traffic", "it is built with weir"}};
    char path[4096];
    if (geteuid() != 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs root, for network namespaces (try with sudo)");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (!testbed_program(programs[i].name, path))
            return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs '%s', which is not there (%s)",
                             programs[i].name, programs[i].package);
    return testbed_try(enter_new_space) ||
           weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs network namespaces, which this system does not permit");
}

/* Every host behind its port: nothing is to be learned, and nothing is sent anywhere else. */
static char *address_setting(uint32_t hosts)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    fputs("dataplane.addresses={", stream.out);
    for (uint32_t host = 0; host < hosts; host++) {
        char mac[18];
        testbed_mac(host, mac);
        fprintf(stream.out, "%s\"%s\": %u", host > 0 ? ", " : "", mac, host);
    }
    fputc('}', stream.out);
    return text_stream_close(&stream);
}

/* What the switch was asked to be, and where its words go. */
struct switch_start {
    const struct testbed *bed;
    const char *argv[ARGUMENTS_MAX];
    uint32_t count;
    char program[4096], scale[16], control[TESTBED_PATH_MAX], file[TESTBED_PATH_MAX], log[TESTBED_PATH_MAX];
    char space[TESTBED_SPACE_MAX];
    char device[TESTBED_HOSTS_MAX][64];
    char *addresses;
};

static void add(struct switch_start *start, const char *option, const char *value)
{
    start->argv[start->count++] = option;
    if (value != NULL)
        start->argv[start->count++] = value;
}

static void describe_switch(struct switch_start *start)
{
    static const char *const sets[] = {"dataplane.delay_line=yes", "dataplane.paced_inputs=yes", "dataplane.sleeps=yes",
                                       "dataplane.learning=no", "dataplane.flooding=no"};
    const struct testbed *bed = start->bed;
    testbed_space(bed->name, TESTBED_SWITCH, start->space);
    testbed_path(bed->name, "switch.sock", start->control);
    testbed_path(bed->name, "scenario.yaml", start->file);
    testbed_path(bed->name, "switch.log", start->log);
    snprintf(start->scale, sizeof start->scale, "%u", bed->settings.scale);
    add(start, start->program, NULL);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        add(start, "--set", sets[i]);
    add(start, "--set", start->addresses);
    add(start, "--scale", start->scale);
    add(start, "--control", start->control);
    add(start, "--user", NOBODY);
    for (uint32_t port = 0; port < bed->settings.hosts; port++) {
        /* Deep enough for what comes in while the kernel lends the switch's processor to others, 50 ms at most. */
        snprintf(start->device[port], sizeof start->device[port], "net_af_packet%u,iface=port%u,framecnt=4096", port,
                 port);
        add(start, "--device", start->device[port]);
    }
    add(start, start->file, NULL);
}

/* True when a line of the log begins with "ready". */
static bool says_ready(const char *log)
{
    char line[256];
    bool ready = false;
    FILE *in = fopen(log, "re");
    while (in != NULL && !ready && fgets(line, sizeof line, in) != NULL)
        ready = strncmp(line, "ready", 5) == 0;
    if (in != NULL)
        fclose(in);
    return ready;
}

static bool await_ready(const struct testbed_program_run *run, int pid, struct weir_error *error)
{
    int status;
    char words[TESTBED_MESSAGE_MAX];
    for (uint32_t waited = 0; waited < READY_S * 1000; waited += LOOK_MS) {
        if (says_ready(run->log))
            return true;
        if (testbed_has_ended(pid, &status)) {
            bool spoke = testbed_last_words(run->log, words);
            return weir_fail(error, WEIR_ERROR_SYSTEM, "%s did not start%s%.160s", run->argv[0], spoke ? ": " : "",
                             spoke ? words : "");
        }
        testbed_pause(LOOK_MS);
    }
    return weir_fail(error, WEIR_ERROR_SYSTEM, "%s is not ready after %u s (see %s)", run->argv[0], READY_S, run->log);
}

static bool start_described(struct testbed *bed, struct switch_start *start, struct weir_error *error)
{
    cpu_set_t of_switch, of_hosts;
    start->addresses = address_setting(bed->settings.hosts);
    if (start->addresses == NULL)
        return weir_fail_memory(error);
    if (!testbed_program("weir-switch", start->program))
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed needs 'weir-switch'");
    start->bed = bed;
    describe_switch(start);
    testbed_processors(&of_switch, &of_hosts);
    const struct testbed_program_run run = {.argv = start->argv,
                                            .space = start->space,
                                            .log = start->log,
                                            .cpus = bed->settings.placed ? NULL : &of_switch,
                                            .stays = bed->stays,
                                            .priority = bed->real_time ? TESTBED_PRIORITY_SWITCH : 0};
    bed->switch_pid = testbed_start(&run, error);
    return bed->switch_pid > 0 && await_ready(&run, bed->switch_pid, error);
}

static bool start_switch(struct testbed *bed, struct weir_error *error)
{
    struct switch_start *start = calloc(1, sizeof *start); /* too large for a stack */
    if (start == NULL)
        return weir_fail_memory(error);
    bool ready = start_described(bed, start, error);
    free(start->addresses);
    free(start);
    return ready;
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
    return bed->dctcp_pid > 0 && await_ready(&run, bed->dctcp_pid, error);
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
              (!bed->settings.dctcp || start_dctcp(bed, error)) && start_switch(bed, error);
    if (up && !testbed_state_write(bed))
        return weir_fail(error, WEIR_ERROR_SYSTEM, "cannot write the state of the testbed");
    return up;
}

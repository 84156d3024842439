/*
 * weir_switch.c - weir-switch in a testbed: see switch.h. It has a processor for itself where there is more than one,
 * so that neither it nor the hosts are seen in the other's times more than they must. counters.c asks for its counters.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>

#include "lab/testbed/process.h"
#include "lab/testbed/switch.h"
#include "scenario/yaml/text_stream.h"

#define NOBODY "65534" /* the user that the switch becomes */
#define ARGUMENTS_MAX (2 * TESTBED_HOSTS_MAX + 32u)

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
    return bed->switch_pid > 0 && testbed_await_ready(&run, bed->switch_pid, error);
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

static bool ask_counters(struct testbed_counters *counters, const struct testbed *bed, struct weir_error *error)
{
    char control[TESTBED_PATH_MAX];
    testbed_path(bed->name, "switch.sock", control);
    return testbed_counters_ask(counters, control, error);
}

/* All that the testbed's links and hosts can be, it can be too. */
static bool read_nothing(struct testbed_settings *settings, const struct scenario *scenario, struct weir_error *error)
{
    (void)settings, (void)scenario, (void)error;
    return true;
}

const struct testbed_switch testbed_weir_switch = {
    .program = "weir-switch",
    .needs = {{"weir-switch", "it is built where DPDK is found, see tools/deps"}},
    .read = read_nothing,
    .start = start_switch,
    .count = ask_counters,
};

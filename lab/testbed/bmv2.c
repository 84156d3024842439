/*
 * bmv2.c - bmv2's simple_switch in a testbed, with the program in hw/p4/: see switch.h, and docs/howto/p4.md for what
 * it can and cannot do. p4c compiles the program with the margins of the scenario; simple_switch_CLI, which comes with
 * simple_switch, tells it ports, buffer, threshold and rates, and reads its counters.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/data_folder.h"
#include "lab/testbed/process.h"
#include "lab/testbed/switch.h"
#include "scenario/yaml/text_stream.h"
#include "weir/fixed.h"

#define SYNC_PORT 510u /* of the program */
#define SYNC_SESSION 1u
#define SYNC_PS WEIR_PS_PER_US /* a round of DT, if possible; Occamy has its own */
#define SYNC_PPS_MAX 10000u    /* 4000 take a quarter of a processor */
#define THRIFT_PORT 9090u      /* in the switch's own namespace */
#define DEPTH_PACKETS 1000000u /* of a queue: the program counts cells, and refuses before that */
#define READY_MS 30000u
#define LOOK_MS 20u
#define RECIPROCAL_BITS 24u

#define P4C "p4c-bm2-ss"
#define SIMPLE_SWITCH "simple_switch"
#define CLI "simple_switch_CLI"
#define NOTIFICATIONS "--notifications-addr"

static const struct {
    weir_q16 alpha;
    const char *action;
} alphas[] = {{WEIR_Q16_ONE / 4, "alpha_quarter"}, {WEIR_Q16_ONE / 2, "alpha_half"}, {WEIR_Q16_ONE, "alpha_1"},
              {2 * WEIR_Q16_ONE, "alpha_2"},       {4 * WEIR_Q16_ONE, "alpha_4"},    {8 * WEIR_Q16_ONE, "alpha_8"},
              {16 * WEIR_Q16_ONE, "alpha_16"}};

static bool read_policy(struct testbed_bmv2_settings *bmv2, const struct weir_mmu_config *mmu, weir_ps *sync_ps,
                        struct weir_error *error)
{
    struct weir_values values;
    const struct weir_policy *policy = mmu->egress;
    bool dt = strcmp(policy->name, "dt") == 0;
    if (!dt && strcmp(policy->name, "occamy-p4") != 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "switch.policy: bmv2 has no %s (expected dt or occamy-p4)",
                         policy->name);
    weir_values_init(&values, policy);
    if (mmu->egress_values != NULL)
        values = *mmu->egress_values;
    weir_q16 alpha = values.of[weir_param_find(policy, "alpha")][0];
    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++)
        bmv2->alpha = alphas[i].alpha == alpha ? alphas[i].action : bmv2->alpha;
    if (bmv2->alpha == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "switch.policy.alpha: %g is not in the P4 program (expected a power of two, 1/4 to 16)",
                         (double)alpha / (double)WEIR_Q16_ONE);
    bmv2->threshold_cells = (uint64_t)weir_q16_mul(alpha, mmu->buffer_cells);
    bmv2->expels = !dt;
    *sync_ps = SYNC_PS;
    if (dt)
        return true;
    *sync_ps = values.of[weir_param_find(policy, "sync")][0];
    bmv2->admit_margin_cells =
        (uint32_t)weir_cells_for_bytes(values.of[weir_param_find(policy, "admit_margin")][0], mmu->cell_bytes);
    bmv2->drop_margin_cells =
        (uint32_t)weir_cells_for_bytes(values.of[weir_param_find(policy, "drop_margin")][0], mmu->cell_bytes);
    return true;
}

static bool read_scenario(struct testbed_settings *settings, const struct scenario *scenario, struct weir_error *error)
{
    const struct weir_mmu_config *mmu = &scenario->config.tiers[0].mmu;
    const struct sim_wire *wire = &scenario->config.wire;
    struct testbed_bmv2_settings *bmv2 = &settings->bmv2;
    weir_ps sync_ps;
    if (mmu->classes > 1)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "switch.classes: bmv2 limits the rate of each class of a port, not of the port (expected 1)");
    if (mmu->marking[0].kind != WEIR_MARK_NONE)
        return weir_fail(error, WEIR_ERROR_INPUT, "switch.ecn: the P4 program marks nothing (expected none)");
    if (mmu->private_cells[0] > 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "switch.private: the P4 program has no minimums (expected none)");
    bmv2->cell_bytes = mmu->cell_bytes;
    bmv2->buffer_cells = (uint32_t)mmu->buffer_cells;
    for (uint32_t i = 0; i < scenario->topology.link_count; i++)
        if (scenario->topology.links[i].delay_ps > 0)
            return weir_fail(error, WEIR_ERROR_INPUT, "topology.delay: bmv2 delays no frames (expected 0s)");
    if (!read_policy(bmv2, mmu, &sync_ps, error))
        return false;
    uint64_t frame_bits = UINT64_C(8) * (wire->mss_bytes + wire->header_bytes + wire->gap_bytes);
    for (uint32_t port = 0; port < settings->hosts; port++)
        bmv2->queue_pps[port] = (uint32_t)((settings->rate_bps[port] + frame_bits / 2) / frame_bits);
    double sync_pps = (double)settings->hosts * (double)WEIR_PS_PER_S / (double)sync_ps / settings->scale;
    if (sync_pps > SYNC_PPS_MAX && bmv2->expels)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "testbed.scale: %u asks for %.0f SYNC packets per second, too many for bmv2 (expected at most "
                         "%u: a larger scale or sync)",
                         settings->scale, sync_pps, SYNC_PPS_MAX);
    bmv2->sync_pps = sync_pps < 1 ? 1 : sync_pps < SYNC_PPS_MAX ? (uint32_t)sync_pps : SYNC_PPS_MAX;
    return true;
}

/* The program for these margins, as occamy.json. */
static bool compile(const struct testbed *bed, struct weir_error *error)
{
    char admit[32], drop[32], source[4096], output[TESTBED_PATH_MAX], log[TESTBED_PATH_MAX];
    char *folder = cli_data_folder("p4");
    if (folder == NULL)
        return weir_fail(error, WEIR_ERROR_SYSTEM,
                         "no P4 program is installed beside this one (expected share/weir/p4)");
    snprintf(source, sizeof source, "%s/occamy_v1model.p4", folder);
    free(folder);
    snprintf(admit, sizeof admit, "-DADMIT_MARGIN=%u", bed->settings.bmv2.admit_margin_cells);
    snprintf(drop, sizeof drop, "-DDROP_MARGIN=%u", bed->settings.bmv2.drop_margin_cells);
    testbed_path(bed->name, "occamy.json", output);
    testbed_path(bed->name, "p4c.log", log);
    const char *const argv[] = {P4C, "--std", "p4-16", admit, drop, "-o", output, source, NULL};
    const struct testbed_program_run run = {.argv = argv, .log = log};
    return testbed_run(&run, error);
}

/* True when a line of `path` (/proc/PID/net/tcp) is of a socket that listens at the port. */
static bool listens(const char *path, uint32_t port)
{
    char line[256];
    bool found = false;
    FILE *in = fopen(path, "re");
    while (in != NULL && !found && fgets(line, sizeof line, in) != NULL) {
        unsigned local, state;
        found = sscanf(line, " %*u: %*[^:]:%x %*[^:]:%*x %x", &local, &state) == 2 && local == port && state == 10;
    }
    if (in != NULL)
        fclose(in);
    return found;
}

static bool await_thrift(const struct testbed *bed, const char *log, struct weir_error *error)
{
    char path[2][32], words[TESTBED_MESSAGE_MAX] = "";
    int status;
    snprintf(path[0], sizeof path[0], "/proc/%d/net/tcp", bed->switch_pid);
    snprintf(path[1], sizeof path[1], "/proc/%d/net/tcp6", bed->switch_pid);
    for (uint32_t waited = 0; waited < READY_MS; waited += LOOK_MS) {
        if (listens(path[0], THRIFT_PORT) || listens(path[1], THRIFT_PORT))
            return true;
        if (testbed_has_ended(bed->switch_pid, &status)) {
            testbed_last_words(log, words);
            return weir_fail(error, WEIR_ERROR_SYSTEM, SIMPLE_SWITCH " did not start: %.160s", words);
        }
        testbed_pause(LOOK_MS);
    }
    return weir_fail(error, WEIR_ERROR_SYSTEM, SIMPLE_SWITCH " is not ready after %u s (see %s)", READY_MS / 1000, log);
}

/* Where bmv2 was built with nanomsg it makes a socket, in /tmp unless told otherwise, and leaves it there. */
static bool has_notifications(const struct testbed *bed)
{
    char log[TESTBED_PATH_MAX], line[TESTBED_MESSAGE_MAX] = "";
    struct weir_error ignored;
    const char *const argv[] = {SIMPLE_SWITCH, "--help", NULL};
    testbed_path(bed->name, "options.log", log);
    const struct testbed_program_run run = {.argv = argv, .log = log};
    testbed_run(&run, &ignored); /* versions end with one status or the other */
    return testbed_log_line(log, NOTIFICATIONS, line);
}

static bool start_program(struct testbed *bed, const char *space, struct weir_error *error)
{
    char port[16], json[TESTBED_PATH_MAX], log[TESTBED_PATH_MAX], events[TESTBED_PATH_MAX], ipc[TESTBED_PATH_MAX + 8];
    char interfaces[TESTBED_HOSTS_MAX][32];
    const char *argv[2 * TESTBED_HOSTS_MAX + 8] = {SIMPLE_SWITCH, "--thrift-port", port};
    uint32_t count = 3;
    cpu_set_t of_switch, of_hosts;
    snprintf(port, sizeof port, "%u", THRIFT_PORT);
    testbed_path(bed->name, "occamy.json", json);
    testbed_path(bed->name, "switch.log", log);
    testbed_path(bed->name, "events.ipc", events);
    snprintf(ipc, sizeof ipc, "ipc://%s", events);
    if (has_notifications(bed)) {
        argv[count++] = NOTIFICATIONS;
        argv[count++] = ipc;
    }
    for (uint32_t i = 0; i < bed->settings.hosts; i++) {
        snprintf(interfaces[i], sizeof interfaces[i], "%u@port%u", i, i);
        argv[count++] = "-i";
        argv[count++] = interfaces[i];
    }
    argv[count++] = json;
    testbed_processors(&of_switch, &of_hosts);
    const struct testbed_program_run run = {.argv = argv,
                                            .space = space,
                                            .log = log,
                                            .cpus = &of_switch,
                                            .stays = bed->stays,
                                            .priority = bed->real_time ? TESTBED_PRIORITY_SWITCH : 0};
    bed->switch_pid = testbed_start(&run, error);
    return bed->switch_pid > 0 && await_thrift(bed, log, error);
}

/* The program's tables, registers and queues. */
static char *commands_to_set(const struct testbed_settings *settings)
{
    const struct testbed_bmv2_settings *bmv2 = &settings->bmv2;
    struct text_stream stream;
    char mac[18];
    if (!text_stream_open(&stream))
        return NULL;
    fprintf(stream.out, "table_set_default Admission.buffer Admission.set_buffer %u %u %u\n", bmv2->buffer_cells,
            bmv2->cell_bytes, (1u << RECIPROCAL_BITS) / bmv2->cell_bytes + 1);
    fprintf(stream.out, "table_set_default HeadDrop.buffer HeadDrop.set_buffer %u\n", bmv2->buffer_cells);
    for (uint32_t port = 0; port < settings->hosts; port++) {
        testbed_mac(port, mac);
        fprintf(stream.out, "table_add Admission.ports Admission.to_port %s => %u %u\n", mac, port, port);
        fprintf(stream.out, "table_add Admission.next Admission.read_next %u => %u\n", port,
                (port + 1) % settings->hosts);
        fprintf(stream.out, "table_add HeadDrop.dt.alpha HeadDrop.dt.%s %u =>\n", bmv2->alpha, port);
        if (bmv2->expels)
            fprintf(stream.out, "table_add HeadDrop.expulsion HeadDrop.expel %u =>\n", port);
        fprintf(stream.out, "register_write seen_threshold %u %" PRIu64 "\n", port, bmv2->threshold_cells);
        fprintf(stream.out, "set_queue_depth %u %u\nset_queue_rate %u %u\n", DEPTH_PACKETS, port, bmv2->queue_pps[port],
                port);
    }
    fprintf(stream.out, "set_queue_rate %u %u\nmirroring_add %u %u\n", bmv2->sync_pps, SYNC_PORT, SYNC_SESSION,
            SYNC_PORT);
    return text_stream_close(&stream);
}

/* The CLI ends well whatever it was told; what went wrong is in its words. */
static bool understood(const char *log, struct weir_error *error)
{
    static const char *const complaints[] = {"Error", "Invalid", "Unknown syntax", "Could not connect", "Traceback"};
    char line[TESTBED_MESSAGE_MAX] = "";
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++)
        if (testbed_log_line(log, complaints[i], line))
            return weir_fail(error, WEIR_ERROR_SYSTEM, CLI ": %.200s", line);
    return true;
}

/* Takes `commands` over, null for lack of memory. */
static bool tell(const struct testbed *bed, char *commands, const char *log, struct weir_error *error)
{
    char space[TESTBED_SPACE_MAX], port[16];
    if (commands == NULL)
        return weir_fail_memory(error);
    testbed_space(bed->name, TESTBED_SWITCH, space);
    snprintf(port, sizeof port, "%u", THRIFT_PORT);
    const char *const argv[] = {CLI, "--thrift-port", port, NULL};
    const struct testbed_program_run run = {.argv = argv, .space = space, .log = log, .input = commands};
    bool told = testbed_run(&run, error) && understood(log, error);
    free(commands);
    return told;
}

static bool start_switch(struct testbed *bed, struct weir_error *error)
{
    char space[TESTBED_SPACE_MAX], log[TESTBED_PATH_MAX];
    testbed_space(bed->name, TESTBED_SWITCH, space);
    testbed_path(bed->name, "settings.log", log);
    const char *const loopback[] = {"ip", "link", "set", "lo", "up", NULL}; /* for the CLI */
    const struct testbed_program_run run = {.argv = loopback, .space = space, .log = log};
    return compile(bed, error) && testbed_run(&run, error) && start_program(bed, space, error) &&
           tell(bed, commands_to_set(&bed->settings), log, error);
}

/* Counters of the program: by queue, or one. */
static const struct {
    const char *name;
    bool single;
} counter_names[] = {{"entered", false}, {"refused_threshold", false}, {"refused_room", false},
                     {"sent", false},    {"expelled", false},          {"unroutable", true}};

enum { ENTERED, REFUSED_THRESHOLD, REFUSED_ROOM, SENT, EXPELLED, UNROUTABLE, COUNTERS };

static char *commands_to_ask(const struct testbed_settings *settings)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    for (uint32_t i = 0; i < COUNTERS; i++)
        for (uint32_t queue = 0; queue < (counter_names[i].single ? 1 : settings->hosts); queue++)
            fprintf(stream.out, "counter_read %s %u\n", counter_names[i].name, queue);
    fputs("register_read peak_cells 0\n", stream.out);
    return text_stream_close(&stream);
}

static bool ask_counters(struct testbed_counters *counters, const struct testbed *bed, struct weir_error *error)
{
    const struct testbed_bmv2_settings *bmv2 = &bed->settings.bmv2;
    char log[TESTBED_PATH_MAX];
    uint64_t sums[COUNTERS] = {0}, peak_cells = 0;
    testbed_path(bed->name, "counters.log", log);
    if (!tell(bed, commands_to_ask(&bed->settings), log, error))
        return false;
    /* Sums by counter; false: an answer is missing. */
    char line[512];
    uint32_t answers = 0;
    FILE *in = fopen(log, "re");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        const char *peak = strstr(line, "peak_cells[0]=");
        answers += peak != NULL && sscanf(peak, "peak_cells[0]= %" SCNu64, &peak_cells) == 1;
        for (uint32_t i = 0; i < COUNTERS; i++) {
            char start[32];
            uint64_t packets;
            snprintf(start, sizeof start, " %s[", counter_names[i].name);
            const char *at = strstr(line, start);
            if (at == NULL)
                continue;
            /* The number of packets in the CLI's line about a counter; versions write it in two ways. */
            const char *named = strstr(at, "packets=");
            if (!(named != NULL ? sscanf(named, "packets=%" SCNu64, &packets) == 1
                                : sscanf(at, "%*[^=]= (%*u bytes, %" SCNu64 " packets)", &packets) == 1))
                continue;
            sums[i] += packets;
            answers++;
        }
    }
    if (in != NULL)
        fclose(in);
    if (answers != (COUNTERS - 1) * bed->settings.hosts + 2)
        return weir_fail(error, WEIR_ERROR_SYSTEM, CLI ": a counter is missing in its answer (see %s)", log);
    *counters = (struct testbed_counters){.peak_bytes = peak_cells * bmv2->cell_bytes,
                                          .buffer_bytes = (uint64_t)bmv2->buffer_cells * bmv2->cell_bytes,
                                          .taken = sums[ENTERED] + sums[REFUSED_THRESHOLD] + sums[REFUSED_ROOM] +
                                                   sums[UNROUTABLE],
                                          .unroutable = sums[UNROUTABLE],
                                          .emulation = {.late_ps = WEIR_NEVER}};
    counters->hops = counters->taken + sums[SENT];
    counters->losses.refused[WEIR_REASON_OVER_THRESHOLD] = sums[REFUSED_THRESHOLD];
    counters->losses.refused[WEIR_REASON_NO_ROOM] = sums[REFUSED_ROOM];
    counters->losses.lost[WEIR_CAUSE_DEQUEUE] = sums[EXPELLED];
    return true;
}

const struct testbed_switch testbed_bmv2 = {
    .program = SIMPLE_SWITCH,
    .needs = {{P4C, "p4lang/p4c, see docs/howto/p4.md"},
              {SIMPLE_SWITCH, "p4lang/behavioral-model, see docs/howto/p4.md"},
              {CLI, "it comes with simple_switch, see docs/howto/p4.md"}},
    .read = read_scenario,
    .start = start_switch,
    .count = ask_counters,
};

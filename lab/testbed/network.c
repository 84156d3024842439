/*
 * network.c - the hosts of a testbed and their links: see testbed.h.
 *
 * Host i is a namespace with one interface, eth0; the other end of its link is interface port<i> of the switch's
 * namespace. A frame on it is what would be on a wire: nothing is put together or left unfinished for later (offloads
 * are off). Hosts know each other's addresses from the start, so that no ARP is in the way, and send at the rate of
 * their link. The kernel's TCP is left as it is but for what would hide the buffer's effects or be lost in scaling.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/testbed/process.h"
#include "scenario/yaml/text_stream.h"

#define BURST_FRAMES 8u       /* what pacing may send at once after it woke up late */
#define NIC_FRAMES 1000u      /* that wait for pacing, as in the queue of a NIC */
#define FRAME_BYTES_EXTRA 14u /* Ethernet header */

/* A setting of a namespace below /proc/sys/net. */
struct kernel_setting {
    const char *path, *value;
    bool may_miss; /* kernels without it do without */
};

static bool fail_errno(struct weir_error *error, const char *what, const char *where)
{
    return weir_fail(error, WEIR_ERROR_SYSTEM, "%s %s: %s", what, where, strerror(errno));
}

static bool write_setting(const struct kernel_setting *setting, struct weir_error *error)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/net/%s", setting->path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return (errno == ENOENT && setting->may_miss) || fail_errno(error, "cannot set", path);
    size_t size = strlen(setting->value);
    bool written = write(fd, setting->value, size) == (ssize_t)size;
    if (!written)
        fail_errno(error, "cannot set", path);
    close(fd);
    return written;
}

static bool write_settings(const struct testbed_settings *settings, bool host, struct weir_error *error)
{
    const struct kernel_setting of_all[] = {{"ipv6/conf/all/disable_ipv6", "1", true},
                                            {"ipv6/conf/default/disable_ipv6", "1", true}};
    const struct kernel_setting of_hosts[] = {
        {"ipv4/tcp_slow_start_after_idle", settings->restart_idle ? "1" : "0", false},
        {"ipv4/tcp_no_metrics_save", "1", false}, /* and give none to later ones */
        {"ipv4/tcp_ecn", settings->ecn ? "1" : "2", false},
        {"ipv4/tcp_rmem", "4096 4194304 33554432", false}, /* windows are the congestion control's alone */
        {"ipv4/tcp_wmem", "4096 4194304 33554432", false},
        {"ipv4/tcp_backlog_ack_defer", settings->quick_acks ? "0" : "1", true},
        {"ipv4/tcp_comp_sack_nr", settings->quick_acks ? "0" : "44", true}};
    for (size_t i = 0; i < sizeof of_all / sizeof of_all[0]; i++)
        if (!write_setting(&of_all[i], error))
            return false;
    for (size_t i = 0; host && i < sizeof of_hosts / sizeof of_hosts[0]; i++)
        if (!write_setting(&of_hosts[i], error))
            return false;
    return true;
}

/* Settings are those of the namespace in which one is. */
static bool set_space(const struct testbed *bed, uint32_t host, struct weir_error *error)
{
    char space[TESTBED_SPACE_MAX], path[TESTBED_SPACE_MAX + 16];
    testbed_space(bed->name, host, space);
    snprintf(path, sizeof path, "/run/netns/%s", space);
    int before = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there = open(path, O_RDONLY | O_CLOEXEC);
    bool entered = before >= 0 && there >= 0 && setns(there, CLONE_NEWNET) == 0;
    bool done = entered ? write_settings(&bed->settings, host != TESTBED_SWITCH, error)
                        : fail_errno(error, "cannot enter", path);
    if (entered && setns(before, CLONE_NEWNET) != 0)
        done = fail_errno(error, "cannot come back from", path);
    if (before >= 0)
        close(before);
    if (there >= 0)
        close(there);
    return done;
}

/* In the namespace of a host or the switch, or outside of all when `space` is null. */
static bool run_in(const struct testbed *bed, const char *space, const char *const *argv, const char *input,
                   struct weir_error *error)
{
    char log[TESTBED_PATH_MAX];
    testbed_path(bed->name, "setup.log", log);
    const struct testbed_program_run run = {.argv = argv, .space = space, .log = log, .input = input};
    return testbed_run(&run, error);
}

/* Lets `ip` do many things at once. */
static bool run_batch(const struct testbed *bed, const char *space, struct text_stream *stream,
                      struct weir_error *error)
{
    static const char *const argv[] = {"ip", "-batch", "-", NULL};
    char *text = text_stream_close(stream);
    if (text == NULL)
        weir_fail_memory(error);
    bool done = text != NULL && run_in(bed, space, argv, text, error);
    free(text);
    return done;
}

static bool open_batch(struct text_stream *stream, struct weir_error *error)
{
    if (text_stream_open(stream))
        return true;
    return weir_fail_memory(error);
}

static bool make_spaces(const struct testbed *bed, struct weir_error *error)
{
    const struct testbed_settings *settings = &bed->settings;
    struct text_stream stream;
    char center[TESTBED_SPACE_MAX], space[TESTBED_SPACE_MAX], mac[18];
    if (!open_batch(&stream, error))
        return false;
    testbed_space(bed->name, TESTBED_SWITCH, center);
    fprintf(stream.out, "netns add %s\n", center);
    for (uint32_t host = 0; host < settings->hosts; host++) {
        testbed_space(bed->name, host, space);
        testbed_mac(host, mac);
        fprintf(stream.out, "netns add %s\n", space);
        fprintf(stream.out, "link add eth0 netns %s mtu %u address %s type veth peer name port%u mtu %u netns %s\n",
                space, settings->mtu_bytes, mac, host, settings->mtu_bytes, center);
    }
    return run_batch(bed, NULL, &stream, error);
}

/* Frames leave as they would be on the wire. Without the last command TCP still hands over several segments as one
 * packet, for which `tbf` counts the overhead of one frame: it is faster than the link then, and frames pile up
 * behind. */
static bool turn_offloads_off(const struct testbed *bed, const char *space, const char *device,
                              struct weir_error *error)
{
    const char *const argv[] = {"ethtool", "-K",  device, "tx",  "off", "rx",  "off", "sg",  "off", "tso",
                                "off",     "gso", "off",  "gro", "off", "ufo", "off", "lro", "off", NULL};
    const char *const single[] = {"ip", "link", "set", "dev", device, "gso_max_segs", "1", NULL};
    return run_in(bed, space, argv, NULL, error) && run_in(bed, space, single, NULL, error);
}

static bool pace(const struct testbed *bed, uint32_t host, const char *space, struct weir_error *error)
{
    const struct testbed_settings *settings = &bed->settings;
    uint32_t frame = settings->mtu_bytes + FRAME_BYTES_EXTRA;
    char rate[32], burst[16], limit[16], overhead[16];
    snprintf(rate, sizeof rate, "%" PRIu64 "bit", settings->rate_bps[host]);
    snprintf(burst, sizeof burst, "%u", BURST_FRAMES * (frame + settings->overhead_bytes));
    snprintf(limit, sizeof limit, "%u", NIC_FRAMES * frame);
    snprintf(overhead, sizeof overhead, "%u", settings->overhead_bytes);
    const char *const argv[] = {"tc", "qdisc", "add", "dev",   "eth0", "root",     "tbf",    "rate",
                                rate, "burst", burst, "limit", limit,  "overhead", overhead, NULL};
    return run_in(bed, space, argv, NULL, error);
}

static bool make_switch_side(const struct testbed *bed, struct weir_error *error)
{
    struct text_stream stream;
    char space[TESTBED_SPACE_MAX];
    testbed_space(bed->name, TESTBED_SWITCH, space);
    if (!set_space(bed, TESTBED_SWITCH, error))
        return false;
    for (uint32_t port = 0; port < bed->settings.hosts; port++) {
        char device[16];
        snprintf(device, sizeof device, "port%u", port);
        if (!turn_offloads_off(bed, space, device, error))
            return false;
    }
    if (!open_batch(&stream, error))
        return false;
    for (uint32_t port = 0; port < bed->settings.hosts; port++)
        fprintf(stream.out, "link set port%u up\n", port);
    return run_batch(bed, space, &stream, error);
}

static bool make_host_side(const struct testbed *bed, uint32_t host, struct weir_error *error)
{
    char space[TESTBED_SPACE_MAX];
    testbed_space(bed->name, host, space);
    if (!set_space(bed, host, error) || !turn_offloads_off(bed, space, "eth0", error) || !pace(bed, host, space, error))
        return false;
    /* Addresses, neighbours, and the way to all of them with what TCP is to know of it. */
    const struct testbed_settings *settings = &bed->settings;
    struct text_stream stream;
    char address[16], mac[18], network[16];
    struct testbed_settings start = *settings;
    start.network--; /* the address of "host 0" is then that of the network */
    testbed_address(&start, 0, network);
    if (!open_batch(&stream, error))
        return false;
    FILE *out = stream.out;
    testbed_address(settings, host, address);
    fprintf(out, "link set lo up\nlink set eth0 up\naddr add %s/24 dev eth0\n", address);
    fprintf(out, "route replace %s/24 dev eth0 proto kernel scope link src %s initcwnd %u%s", network, address,
            settings->initial_window, settings->quick_acks ? " quickack 1" : "");
    if (settings->min_rto_ms > 0)
        fprintf(out, " rto_min %ums", settings->min_rto_ms);
    fputc('\n', out);
    for (uint32_t other = 0; other < settings->hosts; other++) {
        testbed_address(settings, other, address);
        testbed_mac(other, mac);
        if (other != host)
            fprintf(out, "neigh add %s lladdr %s dev eth0 nud permanent\n", address, mac);
    }
    return run_batch(bed, space, &stream, error);
}

bool testbed_network_make(const struct testbed *bed, struct weir_error *error)
{
    bool made = make_spaces(bed, error) && make_switch_side(bed, error);
    for (uint32_t host = 0; made && host < bed->settings.hosts; host++)
        made = make_host_side(bed, host, error);
    return made;
}

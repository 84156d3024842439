/*
 * options.cc - see options.hh. One table describes the settings that are numbers; files and the kind of NIC are words.
 */
#include "options.hh"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

namespace
{

const char usage[] = "usage: weir-ns3-leaf-spine --flows FILE --out FILE [options]\n"
                     "  --spines 2 --leaves 4 --hosts 32 (per leaf) --links 4 (per leaf and spine)\n"
                     "  --rate 10Gbps --delay 3us (of every link)\n"
                     "  --mss 1400 (bytes) --mark 65 (packets; 0: never) --queue 1000 (packets)\n"
                     "  --device 0 (packets below a switch's queue that it does not count)\n"
                     "  --policy NAME[:PARAMETER=VALUE...] (a buffer of weir in each switch instead of --queue)\n"
                     "  --buffer 4194304 (bytes) --trace FILE (of the first leaf, for `weir replay`)\n"
                     "  --init-window 10 --max-window 0 (segments; 0: 16 MiB) --min-rto 10ms\n"
                     "  --lead 1ms (that a connection is opened before its flow)\n"
                     "  --recovery stock (or 64, 32: its reduction with a product of so many bits)\n"
                     "  --nic fifo (or fair: ACKs first, then one packet per flow in turn)\n"
                     "  --seed 1 (of weir's hash) --first-id 0 (of the first flow of the list) --until 0.1s\n";

using Units = std::map<std::string, double>;
const Units counts = {{"", 1}};
const Units rates_bps = {{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}};
const Units times_ps = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};

struct Setting {
    const Units &units;
    double least, most; /* in the smallest unit */
    std::function<void(Options &, int64_t)> set;
};

constexpr double time_most = 1e17; /* a day and some: fits in picoseconds */

const std::map<std::string, Setting> settings = {
    {"--spines", {counts, 1, 1024, [](Options &o, int64_t v) { o.fabric.shape.spines = v; }}},
    {"--leaves", {counts, 1, 1024, [](Options &o, int64_t v) { o.fabric.shape.leaves = v; }}},
    {"--hosts", {counts, 1, 1024, [](Options &o, int64_t v) { o.fabric.shape.hosts = v; }}},
    {"--links", {counts, 1, 1024, [](Options &o, int64_t v) { o.fabric.shape.links = v; }}},
    {"--rate", {rates_bps, 1, 1e13, [](Options &o, int64_t v) { o.fabric.rate_bps = v; }}},
    {"--delay", {times_ps, 0, time_most, [](Options &o, int64_t v) { o.fabric.delay_ps = v; }}},
    {"--mss", {counts, 1, 60000, [](Options &o, int64_t v) { o.fabric.mss_bytes = o.transfers.mss_bytes = v; }}},
    {"--mark", {counts, 0, 1e9, [](Options &o, int64_t v) { o.fabric.mark_packets = v; }}},
    {"--queue", {counts, 1, 1e9, [](Options &o, int64_t v) { o.fabric.queue_packets = v; }}},
    {"--device", {counts, 0, 1e6, [](Options &o, int64_t v) { o.fabric.device_packets = v; }}},
    {"--buffer", {counts, 1, 1e12, [](Options &o, int64_t v) { o.fabric.buffer_bytes = v; }}},
    {"--init-window", {counts, 1, 10000, [](Options &o, int64_t v) { o.transfers.initial_window = v; }}},
    {"--max-window", {counts, 0, 10000, [](Options &o, int64_t v) { o.transfers.max_window = v; }}},
    {"--min-rto", {times_ps, 1, time_most, [](Options &o, int64_t v) { o.transfers.min_rto_ps = v; }}},
    {"--lead", {times_ps, 1, time_most, [](Options &o, int64_t v) { o.transfers.lead_ps = v; }}},
    {"--seed", {counts, 0, 1e9, [](Options &o, int64_t v) { o.fabric.shape.seed = v; }}},
    {"--first-id", {counts, 0, 1e9, [](Options &o, int64_t v) { o.first_id = v; }}},
    {"--until", {times_ps, 1, time_most, [](Options &o, int64_t v) { o.until_ps = v; }}},
};

int64_t read_quantity(const std::string &name, const std::string &text, const Setting &setting)
{
    char *unit = nullptr;
    double value = std::strtod(text.c_str(), &unit);
    auto found = setting.units.find(unit);
    if (unit == text.c_str() || found == setting.units.end()) {
        std::string known;
        for (const auto &entry : setting.units)
            known += entry.first.empty() ? " none" : " " + entry.first;
        fail(name + " " + text + ": expected a number and one of these units:" + known);
    }
    value *= found->second;
    if (!(value >= setting.least && value <= setting.most))
        fail(name + " " + text + ": out of range");
    return static_cast<int64_t>(value + 0.5);
}

void read_option(Options &options, const std::string &name, const std::string &value)
{
    auto setting = settings.find(name);
    if (setting != settings.end())
        setting->second.set(options, read_quantity(name, value, setting->second));
    else if (name == "--flows")
        options.flows = value;
    else if (name == "--out")
        options.out = value;
    else if (name == "--policy")
        options.fabric.policy = value;
    else if (name == "--trace")
        options.fabric.trace_file = value;
    else if (name == "--recovery" && (value == "stock" || value == "32" || value == "64"))
        options.transfers.prr_bits = value == "stock" ? 0 : value == "64" ? 64 : 32;
    else if (name == "--nic" && (value == "fifo" || value == "fair"))
        options.fabric.fair_nic = value == "fair";
    else
        fail(name + " " + value + ": unknown; see --help");
}

} // namespace

void fail(const std::string &message)
{
    std::fprintf(stderr, "weir-ns3-leaf-spine: %s\n", message.c_str());
    std::exit(2);
}

Options options_read(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; i += 2) {
        if (std::string(argv[i]) == "--help") {
            std::fputs(usage, stdout);
            std::exit(0);
        }
        if (i + 1 == argc)
            fail(std::string(argv[i]) + ": expected a value; see --help");
        read_option(options, argv[i], argv[i + 1]);
    }
    if (options.flows.empty() || options.out.empty())
        fail("--flows and --out are needed; see --help");
    if (!options.fabric.trace_file.empty() && options.fabric.policy.empty())
        fail("--trace is of a buffer of weir (expected with: --policy)");
    return options;
}

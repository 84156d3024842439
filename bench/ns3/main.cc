/*
 * main.cc - weir-ns3-leaf-spine: one leaf-spine fabric under DCTCP in ns-3, the yardstick that weir's simulator is
 * compared with, in results (completion times per flow) and in cost (wall time and memory per packet-hop).
 */
#include <chrono>
#include <cstdio>
#include <sys/resource.h>

#include "ns3/simulator.h"
#include "options.hh"

static void write_flows(const FlowList &list, const std::string &path)
{
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (!file)
        fail(path + ": cannot be written");
    for (size_t i = 0; i < list.flows.size(); i++) {
        const Flow &flow = list.flows[i];
        long long fct_ns = flow.fct_ps < 0 ? -1 : (flow.fct_ps + 500) / 1000;
        std::fprintf(file, "%zu %u %u %llu %lld %lld\n", list.first_id + i, flow.source, flow.destination,
                     static_cast<unsigned long long>(flow.bytes), static_cast<long long>(flow.start_ns), fct_ns);
    }
    if (std::fclose(file) != 0)
        fail(path + ": cannot be written");
}

static long peak_rss_kb()
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void print_summary(const Fabric &fabric, const Transfers &transfers, size_t flows, double wall_s)
{
    std::printf("{\"packet_hops\": %llu, \"wall_s\": %.3f, \"peak_rss_kb\": %ld, \"flows\": %zu, \"finished\": %u, "
                "\"drops\": %llu, \"marks\": %llu, \"late\": %u}\n",
                static_cast<unsigned long long>(fabric.packet_hops()), wall_s, peak_rss_kb(), flows,
                transfers.finished(), static_cast<unsigned long long>(fabric.drops()),
                static_cast<unsigned long long>(fabric.marks()), transfers.late());
}

int main(int argc, char **argv)
{
    Options options = options_read(argc, argv);
    FlowList list;
    list.first_id = options.first_id;
    std::string complaint = list.read(options.flows, options.fabric.shape.host_count());
    if (!complaint.empty())
        fail(complaint);

    ns3::Time::SetResolution(ns3::Time::PS);
    Transfers transfers(options.transfers, list);
    Fabric fabric(options.fabric, list);
    transfers.start(fabric, options.until_ps);
    ns3::Simulator::Stop(ns3::PicoSeconds(options.until_ps + options.transfers.lead_ps));
    auto before = std::chrono::steady_clock::now();
    ns3::Simulator::Run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;

    write_flows(list, options.out);
    print_summary(fabric, transfers, list.flows.size(), wall.count());
    ns3::Simulator::Destroy();
    return 0;
}

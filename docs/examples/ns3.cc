/*
 * ns3.cc - a leaf-spine fabric in ns-3 whose switches have weir's shared buffer: two long flows keep one port of a leaf
 * congested while seven hosts answer a question of another host of that leaf. Built and run without weir's source tree:
 *
 *   c++ -std=$(pkg-config --variable=std weir-ns3) ns3.cc $(pkg-config --cflags --libs weir-ns3) -lns3-applications \
 *       -o ns3-burst
 *   ./ns3-burst --policy=lqd --trace=leaf.wtr && weir replay leaf.wtr
 */
#include "weir/ns3.hh"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "weir/counters.h"

using namespace ns3;

static const uint32_t leaves = 2, spines = 2, hosts_per_leaf = 4, answer_bytes = 64000;
static const uint16_t answer_port = 1000, long_port = 1001;

static uint64_t answered_bytes = 0;
static Time answered;

static void note_answer(Ptr<const Packet> packet, const Address &)
{
    answered_bytes += packet->GetSize();
    answered = Simulator::Now();
}

/* Both ends in their own network; the address of the first one's end. */
static Ipv4Address join(PointToPointHelper &link, Ipv4AddressHelper &addresses, Ptr<Node> a, Ptr<Node> b)
{
    Ipv4InterfaceContainer ends = addresses.Assign(link.Install(a, b));
    addresses.NewNetwork();
    return ends.GetAddress(0);
}

static void send(Ptr<Node> from, Ipv4Address to, uint16_t port, uint32_t bytes, Time start)
{
    BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(to, port));
    source.SetAttribute("MaxBytes", UintegerValue(bytes));
    source.Install(from).Start(start);
}

static Ptr<Application> receive(Ptr<Node> at, uint16_t port)
{
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    return sink.Install(at).Get(0);
}

int main(int argc, char **argv)
{
    std::string policy = "dt", buffer_size = "300KB", trace;
    CommandLine command(__FILE__);
    command.AddValue("policy", "policy of the buffer, with parameters: dt, dt:alpha=0.5, lqd, occamy", policy);
    command.AddValue("buffer", "size of each switch's buffer", buffer_size);
    command.AddValue("trace", "file for a trace of the first leaf's buffer", trace);
    command.Parse(argc, argv);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1400));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(5)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(5)));

    NodeContainer hosts(leaves * hosts_per_leaf), leaf(leaves), spine(spines);
    InternetStackHelper stack;
    stack.Install(NodeContainer(hosts, leaf, spine));
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue("2us"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    std::vector<Ipv4Address> address;
    for (uint32_t i = 0; i < hosts.GetN(); i++)
        address.push_back(join(link, addresses, hosts.Get(i), leaf.Get(i / hosts_per_leaf)));
    for (uint32_t i = 0; i < leaves * spines; i++)
        join(link, addresses, leaf.Get(i / spines), spine.Get(i % spines));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    weir::SwitchHelper switches; /* everything of weir is here */
    switches.Set("Policy", policy);
    switches.Set("Buffer", buffer_size);
    switches.Set("EcnKind", "step");
    switches.Set("EcnLow", "94KB");
    switches.Install(NodeContainer(leaf, spine));
    auto buffer = leaf.Get(0)->GetObject<weir::SharedBuffer>();
    if (!trace.empty())
        buffer->Trace(trace);

    receive(hosts.Get(0), answer_port)->TraceConnectWithoutContext("Rx", MakeCallback(&note_answer));
    receive(hosts.Get(1), long_port);
    for (uint32_t i = 2; i < 4; i++)
        send(hosts.Get(i), address[1], long_port, 10000000, Seconds(0));
    for (uint32_t i = 1; i < hosts.GetN(); i++)
        send(hosts.Get(i), address[0], answer_port, answer_bytes, MilliSeconds(2));
    Simulator::Stop(MilliSeconds(30));
    Simulator::Run();

    uint64_t lost = 0, marked = 0;
    for (uint32_t port = 0; port < hosts_per_leaf + spines; port++) {
        weir_account_counters counters = weir_mmu_account_counters(buffer->GetMmu(), {port});
        lost += counters.dropped_packets;
        marked += counters.marked_packets;
    }
    std::cout << policy << ": " << answered_bytes << " B answered in " << (answered - MilliSeconds(2)).As(Time::US)
              << "; the leaf lost " << lost << " packets, marked " << marked << ", held "
              << weir_mmu_pool_counters(buffer->GetMmu()).watermark_bytes[WEIR_WM_PERSISTENT] << " B at most\n";
    Simulator::Destroy();
    return 0;
}

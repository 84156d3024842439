/*
 * fabric.cc - see fabric.hh. Devices are wired by hand instead of by ns-3's helpers, because a host's end of a link
 * differs from a switch's: a host has one long device queue, a switch has room for one packet or a few in the device
 * and a queue disc above, which the device wakes when a packet leaves.
 */
#include "fabric.hh"

#include <algorithm>

#include "nic_queue.hh"
#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/ipv4.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/traffic-control-layer.h"
#include "step_queue.hh"

using namespace ns3;

constexpr uint32_t host_queue_packets = 1u << 20; /* never reached: windows end before */
constexpr uint32_t headers_bytes = 120;           /* at least IPv4 and TCP with all options */
constexpr uint32_t wire_header_bytes = 54;        /* IPv4, TCP with timestamps, PPP */

Fabric::Fabric(const FabricConfig &from, const FlowList &flows) : config(from)
{
    const Shape &shape = config.shape;
    nodes.Create(shape.spine_node(shape.spines));
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    for (uint32_t host = 0; host < shape.host_count(); host++)
        join(host, shape.leaf_node(host / shape.hosts));
    for (uint32_t leaf = 0; leaf < shape.leaves; leaf++)
        for (uint32_t link = 0; link < shape.spines * shape.links; link++)
            join(shape.leaf_node(leaf), shape.spine_node(link / shape.links));
    for (uint32_t node = 0; node < nodes.GetN(); node++)
        add_interfaces(node, flows);
    if (!config.policy.empty())
        add_buffers();
}

Ptr<Node> Fabric::host(uint32_t host) const
{
    return nodes.Get(host);
}

void Fabric::join(uint32_t node_a, uint32_t node_b)
{
    auto channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", TimeValue(PicoSeconds(config.delay_ps)));
    add_device(node_a)->Attach(channel);
    add_device(node_b)->Attach(channel);
}

Ptr<PointToPointNetDevice> Fabric::add_device(uint32_t node)
{
    bool of_switch = node >= config.shape.host_count();
    auto device = CreateObject<PointToPointNetDevice>();
    device->SetDataRate(DataRate(config.rate_bps));
    device->SetMtu(static_cast<uint16_t>(config.mss_bytes + headers_bytes));
    device->SetAddress(Mac48Address::Allocate());
    device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Fabric::count_hop, this));
    device->SetQueue(make_queue(of_switch));
    nodes.Get(node)->AddDevice(device);
    if (of_switch)
        add_switch_queue(device);
    return device;
}

Ptr<Queue<Packet>> Fabric::make_queue(bool of_switch) const
{
    if (!of_switch && config.fair_nic)
        return CreateObject<NicQueue>();
    auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(
        QueueSize(QueueSizeUnit::PACKETS, of_switch ? std::max(config.device_packets, 1u) : host_queue_packets));
    return queue;
}

void Fabric::add_switch_queue(Ptr<PointToPointNetDevice> device)
{
    auto flow_control = CreateObject<NetDeviceQueueInterface>();
    flow_control->GetTxQueue(0)->ConnectQueueTraces(device->GetQueue());
    device->AggregateObject(flow_control);
    if (!config.policy.empty())
        return;
    auto queue = CreateObject<StepQueue>(config.mark_packets, config.queue_packets, config.device_packets == 0);
    device->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(device, queue);
    switch_queues.push_back(queue);
}

/* As weir-bench-sim has them: bytes, and marks at as many full packets. */
void Fabric::add_buffers()
{
    weir::SwitchHelper helper;
    helper.Set("Policy", config.policy);
    helper.Set("Buffer", std::to_string(config.buffer_bytes) + "B");
    helper.Set("EcnKind", config.mark_packets ? "step" : "none");
    helper.Set("EcnLow", std::to_string(config.mark_packets * (config.mss_bytes + wire_header_bytes)) + "B");
    helper.SetDeviceQueue(std::max(config.device_packets, 1u));
    for (uint32_t node = config.shape.host_count(); node < nodes.GetN(); node++) {
        auto buffer = helper.Install(nodes.Get(node));
        if (node == config.shape.leaf_node(0) && !config.trace_file.empty())
            buffer->Trace(config.trace_file);
        auto control = nodes.Get(node)->GetObject<TrafficControlLayer>();
        for (uint32_t i = 0; i < nodes.Get(node)->GetNDevices(); i++)
            if (auto queue = control->GetRootQueueDiscOnDevice(nodes.Get(node)->GetDevice(i)))
                switch_queues.push_back(queue);
    }
}

/* Ports are numbered as the node's devices, without the loopback device that its stack came with. */
void Fabric::add_interfaces(uint32_t node, const FlowList &flows)
{
    auto ipv4 = nodes.Get(node)->GetObject<Ipv4>();
    auto routing = CreateObject<EcmpRouting>(config.shape, flows, node);
    for (uint32_t i = 0; i < nodes.Get(node)->GetNDevices(); i++) {
        auto device = DynamicCast<PointToPointNetDevice>(nodes.Get(node)->GetDevice(i));
        if (!device)
            continue;
        uint32_t interface = ipv4->AddInterface(device);
        if (node < config.shape.host_count())
            ipv4->AddAddress(interface, Ipv4InterfaceAddress(host_address(node), Ipv4Mask("255.0.0.0")));
        ipv4->SetUp(interface);
        routing->add_port(device);
    }
    ipv4->SetRoutingProtocol(routing);
}

void Fabric::count_hop(Ptr<const Packet>)
{
    hops++;
}

uint64_t Fabric::packet_hops() const
{
    return hops;
}

uint64_t Fabric::drops() const
{
    uint64_t sum = 0;
    for (const auto &queue : switch_queues)
        sum += queue->GetStats().nTotalDroppedPackets;
    return sum;
}

uint64_t Fabric::marks() const
{
    uint64_t sum = 0;
    for (const auto &queue : switch_queues)
        sum += queue->GetStats().nTotalMarkedPackets;
    return sum;
}

/*
 * switch_helper.cc - weir::SwitchHelper: from a node with devices to a switch with a shared buffer.
 */
#include "ns3/loopback-net-device.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/pointer.h"
#include "ns3/queue.h"
#include "ns3/string.h"
#include "ns3/traffic-control-layer.h"
#include "weir/ns3.hh"

namespace weir
{

SwitchHelper::SwitchHelper()
{
    factory.SetTypeId("weir::SharedBuffer");
}

void SwitchHelper::Set(const std::string &name, const std::string &value)
{
    factory.Set(name, ns3::StringValue(value));
}

void SwitchHelper::SetDeviceQueue(uint32_t packets)
{
    NS_ABORT_MSG_IF(packets == 0,
                    "weir::SwitchHelper: a device of ns-3 holds at least one packet below its queue disc");
    device_packets = packets;
}

void SwitchHelper::SetPolicy(const weir_policy &own)
{
    policy = &own;
}

void SwitchHelper::SetOracle(const weir_oracle &own)
{
    oracle = &own;
}

/* Without the interface by which a device says that it is full, no packet would ever wait in the buffer; and what its
 * own queue holds waits outside of it. */
static void prepare_device(ns3::Ptr<ns3::NetDevice> device, uint32_t packets)
{
    ns3::PointerValue queue;
    NS_ABORT_MSG_UNLESS(device->GetObject<ns3::NetDeviceQueueInterface>() &&
                            device->GetAttributeFailSafe("TxQueue", queue) && queue.Get<ns3::QueueBase>(),
                        "weir::SwitchHelper: device " << device->GetIfIndex() << " of node "
                                                      << device->GetNode()->GetId()
                                                      << " has no flow control (expected a device with a TxQueue, as "
                                                         "PointToPointHelper makes it without DisableFlowControl)");
    queue.Get<ns3::QueueBase>()->SetMaxSize(ns3::QueueSize(ns3::QueueSizeUnit::PACKETS, packets));
}

ns3::Ptr<SharedBuffer> SwitchHelper::Install(ns3::Ptr<ns3::Node> node) const
{
    auto control = node->GetObject<ns3::TrafficControlLayer>();
    NS_ABORT_MSG_UNLESS(control, "weir::SwitchHelper: node " << node->GetId()
                                                             << " has no traffic control (expected InternetStackHelper "
                                                                "before)");
    NS_ABORT_MSG_IF(node->GetObject<SharedBuffer>(),
                    "weir::SwitchHelper: node " << node->GetId() << " has a buffer already");
    auto buffer = factory.Create<SharedBuffer>();
    if (policy)
        buffer->SetPolicy(*policy);
    if (oracle)
        buffer->SetOracle(*oracle);
    for (uint32_t i = 0; i < node->GetNDevices(); i++) {
        auto device = node->GetDevice(i);
        if (ns3::DynamicCast<ns3::LoopbackNetDevice>(device))
            continue;
        prepare_device(device, device_packets);
        ns3::DataRateValue rate;
        NS_ABORT_MSG_UNLESS(device->GetAttributeFailSafe("DataRate", rate),
                            "weir::SwitchHelper: device " << i << " of node " << node->GetId() << " has no DataRate");
        if (control->GetRootQueueDiscOnDevice(device))
            control->DeleteRootQueueDiscOnDevice(device);
        control->SetRootQueueDiscOnDevice(device, buffer->AddPort(rate.Get()));
    }
    buffer->Build();
    node->AggregateObject(buffer);
    return buffer;
}

void SwitchHelper::Install(const ns3::NodeContainer &nodes) const
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        Install(*node);
}

} // namespace weir

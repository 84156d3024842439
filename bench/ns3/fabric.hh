/*
 * fabric.hh - the leaf-spine network as ns-3 objects: nodes with their stacks, links, the queues of the switch ports
 * and what they count.
 */
#ifndef NS3_FABRIC_HH
#define NS3_FABRIC_HH

#include "ecmp_routing.hh"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"
#include "weir/ns3.hh"

struct FabricConfig {
    Shape shape;
    uint64_t rate_bps;
    int64_t delay_ps; /* of every link */
    uint32_t mss_bytes;
    uint32_t mark_packets, queue_packets; /* of a switch port */
    bool fair_nic;                        /* hosts have a NicQueue, else one FIFO */
    uint32_t device_packets;              /* that a switch's device holds unseen; 0: one, which its queue counts */
    std::string policy;                   /* of a weir::SharedBuffer in each switch; empty: a StepQueue per port */
    uint64_t buffer_bytes;                /* of that buffer */
    std::string trace_file;               /* of the first leaf's buffer; empty: none */
};

class Fabric
{
  public:
    Fabric(const FabricConfig &config, const FlowList &flows);

    ns3::Ptr<ns3::Node> host(uint32_t host) const;

    uint64_t packet_hops() const; /* packets, whatever they carry, fully sent over one link */
    uint64_t drops() const;
    uint64_t marks() const;

  private:
    void join(uint32_t node_a, uint32_t node_b);
    ns3::Ptr<ns3::PointToPointNetDevice> add_device(uint32_t node);
    ns3::Ptr<ns3::Queue<ns3::Packet>> make_queue(bool of_switch) const;
    void add_switch_queue(ns3::Ptr<ns3::PointToPointNetDevice> device);
    void add_buffers();
    void add_interfaces(uint32_t node, const FlowList &flows);
    void count_hop(ns3::Ptr<const ns3::Packet> packet);

    FabricConfig config;
    ns3::NodeContainer nodes;
    std::vector<ns3::Ptr<ns3::QueueDisc>> switch_queues;
    uint64_t hops = 0;
};

#endif

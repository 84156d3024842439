/*
 * ecmp_routing.hh - how a node of the leaf-spine fabric forwards: by arithmetic on the destination, and among
 * equal-cost ports by weir's own hash of (seed, node, flow, direction), so that a flow takes the same links in both
 * simulators.
 */
#ifndef NS3_ECMP_ROUTING_HH
#define NS3_ECMP_ROUTING_HH

#include <tuple>

#include "flow_list.hh"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"

/*
 * Nodes are numbered hosts, leaves, spines. Ports of a leaf: its hosts, then the links to spine 0, to spine 1, ...; of
 * a spine: the links to leaf 0, to leaf 1, ...
 */
struct Shape {
    uint32_t spines, leaves;
    uint32_t hosts; /* per leaf */
    uint32_t links; /* between a leaf and a spine */
    uint64_t seed;  /* of the hash */

    uint32_t host_count() const
    {
        return leaves * hosts;
    }
    uint32_t spine_node(uint32_t spine) const
    {
        return host_count() + leaves + spine;
    }
    uint32_t leaf_node(uint32_t leaf) const
    {
        return host_count() + leaf;
    }
};

ns3::Ipv4Address host_address(uint32_t host);
uint32_t host_of(ns3::Ipv4Address address);

/* The types of what RouteInput takes: ns-3.37 has callbacks by value, ns-3.43 by reference. */
template <size_t N, typename... All>
std::tuple_element_t<N, std::tuple<All...>> argument_of(bool (ns3::Ipv4RoutingProtocol::*)(All...));
template <size_t N> using RouteInputArgument = decltype(argument_of<N>(&ns3::Ipv4RoutingProtocol::RouteInput));

class EcmpRouting : public ns3::Ipv4RoutingProtocol
{
  public:
    EcmpRouting(const Shape &shape, const FlowList &flows, uint32_t node);

    /* In the order of the port numbers, once all devices of the node exist. */
    void add_port(ns3::Ptr<ns3::NetDevice> device);

    ns3::Ptr<ns3::Ipv4Route> RouteOutput(ns3::Ptr<ns3::Packet> packet, const ns3::Ipv4Header &header,
                                         ns3::Ptr<ns3::NetDevice> device, ns3::Socket::SocketErrno &error) override;
    bool RouteInput(ns3::Ptr<const ns3::Packet> packet, const ns3::Ipv4Header &header,
                    ns3::Ptr<const ns3::NetDevice> device, RouteInputArgument<3> forward,
                    RouteInputArgument<4> multicast, RouteInputArgument<5> deliver,
                    RouteInputArgument<6> fail) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, ns3::Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, ns3::Ipv4InterfaceAddress address) override;
    void SetIpv4(ns3::Ptr<ns3::Ipv4> ipv4) override;
    void PrintRoutingTable(ns3::Ptr<ns3::OutputStreamWrapper> stream, ns3::Time::Unit unit) const override;

  private:
    uint32_t choose_port(ns3::Ptr<const ns3::Packet> packet, const ns3::Ipv4Header &header) const;
    uint32_t choose_equal(ns3::Ptr<const ns3::Packet> packet, const ns3::Ipv4Header &header, uint32_t count) const;

    const Shape &shape;
    const FlowList &flows;
    uint32_t node;
    uint64_t salt;
    ns3::Ptr<ns3::Ipv4> ipv4;
    std::vector<ns3::Ptr<ns3::Ipv4Route>> ports;
};

#endif

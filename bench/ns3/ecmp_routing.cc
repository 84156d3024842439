/*
 * ecmp_routing.cc - see ecmp_routing.hh. The routing function runs once per packet and switch; the routes it hands out
 * are made once per port.
 */
#include "ecmp_routing.hh"

#include "ns3/ipv4.h"
#include "tcp_ports.hh"

extern "C" {
#include "sim/topology/routes.h"
}

using namespace ns3;

constexpr uint32_t first_address = 0x0a000001; /* 10.0.0.1 */

Ipv4Address host_address(uint32_t host)
{
    return Ipv4Address(first_address + host);
}

uint32_t host_of(Ipv4Address address)
{
    return address.Get() - first_address;
}

EcmpRouting::EcmpRouting(const Shape &of_shape, const FlowList &of_flows, uint32_t at_node)
    : shape(of_shape), flows(of_flows), node(at_node), salt(routes_salt(of_shape.seed, at_node))
{
}

void EcmpRouting::add_port(Ptr<NetDevice> device)
{
    auto route = Create<Ipv4Route>();
    route->SetOutputDevice(device);
    route->SetGateway(Ipv4Address::GetAny()); /* the next hop is the other end of the link */
    if (node < shape.host_count())
        route->SetSource(host_address(node));
    ports.push_back(route);
}

/* Data goes to the listening port, so the flow is named by the sender's host and port; ACKs the other way round. */
uint32_t EcmpRouting::choose_equal(Ptr<const Packet> packet, const Ipv4Header &header, uint32_t count) const
{
    TcpPorts tcp = tcp_ports(packet, 0);
    bool reverse = tcp.destination != listen_port;
    uint32_t flow = reverse ? flows.find(host_of(header.GetDestination()), tcp.destination)
                            : flows.find(host_of(header.GetSource()), tcp.source);
    return routes_choose(salt, flows.first_id + flow, reverse, count);
}

uint32_t EcmpRouting::choose_port(Ptr<const Packet> packet, const Ipv4Header &header) const
{
    uint32_t destination = host_of(header.GetDestination());
    uint32_t leaf = destination / shape.hosts;
    if (node >= shape.spine_node(0))
        return leaf * shape.links + choose_equal(packet, header, shape.links);
    if (node == shape.leaf_node(leaf))
        return destination % shape.hosts;
    return shape.hosts + choose_equal(packet, header, shape.spines * shape.links);
}

Ptr<Ipv4Route> EcmpRouting::RouteOutput(Ptr<Packet>, const Ipv4Header &, Ptr<NetDevice>, Socket::SocketErrno &error)
{
    error = Socket::ERROR_NOTERROR;
    return ports.at(0);
}

bool EcmpRouting::RouteInput(Ptr<const Packet> packet, const Ipv4Header &header, Ptr<const NetDevice> device,
                             RouteInputArgument<3> forward, RouteInputArgument<4>, RouteInputArgument<5> deliver,
                             RouteInputArgument<6>)
{
    if (node < shape.host_count())
        deliver(packet, header, ipv4->GetInterfaceForDevice(device));
    else
        forward(ports[choose_port(packet, header)], packet, header);
    return true;
}

void EcmpRouting::SetIpv4(Ptr<Ipv4> of_node)
{
    ipv4 = of_node;
}

/* The fabric never changes: there is nothing to do about interfaces and nothing to print. */
void EcmpRouting::NotifyInterfaceUp(uint32_t)
{
}
void EcmpRouting::NotifyInterfaceDown(uint32_t)
{
}
void EcmpRouting::NotifyAddAddress(uint32_t, Ipv4InterfaceAddress)
{
}
void EcmpRouting::NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress)
{
}
void EcmpRouting::PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const
{
}

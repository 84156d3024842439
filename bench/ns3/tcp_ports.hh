/*
 * tcp_ports.hh - the ports of a TCP packet, read from its bytes: ns-3's TcpHeader would parse every option, once per
 * packet and hop.
 */
#ifndef NS3_TCP_PORTS_HH
#define NS3_TCP_PORTS_HH

#include "ns3/packet.h"

struct TcpPorts {
    uint16_t source, destination;
};

constexpr uint32_t ppp_bytes = 2, ipv4_bytes = 20; /* headers in front of TCP on the wire */

inline TcpPorts tcp_ports(ns3::Ptr<const ns3::Packet> packet, uint32_t offset)
{
    uint8_t bytes[ppp_bytes + ipv4_bytes + 4];
    packet->CopyData(bytes, offset + 4);
    const uint8_t *at = bytes + offset;
    return {static_cast<uint16_t>(at[0] << 8 | at[1]), static_cast<uint16_t>(at[2] << 8 | at[3])};
}

#endif

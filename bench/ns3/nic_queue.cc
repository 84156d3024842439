/*
 * nic_queue.cc - see nic_queue.hh. It keeps its own lists instead of the one of ns-3's Queue, whose counters and traces
 * nobody reads here.
 */
#include "nic_queue.hh"

#include "flow_list.hh"
#include "tcp_ports.hh"

using namespace ns3;

bool NicQueue::Enqueue(Ptr<Packet> packet)
{
    TcpPorts ports = tcp_ports(packet, ppp_bytes + ipv4_bytes);
    if (ports.destination != listen_port) {
        acks.push_back(packet);
        return true;
    }
    Fifo &flow = data[ports.source];
    if (flow.empty())
        turns.push_back(ports.source);
    flow.push_back(packet);
    return true;
}

Ptr<Packet> NicQueue::Dequeue()
{
    if (acks.empty() && turns.empty())
        return nullptr;
    Fifo &fifo = acks.empty() ? data[turns.front()] : acks;
    Ptr<Packet> packet = fifo.front();
    fifo.pop_front();
    if (&fifo == &acks)
        return packet;
    uint16_t port = turns.front();
    turns.pop_front();
    if (fifo.empty())
        data.erase(port);
    else
        turns.push_back(port);
    return packet;
}

Ptr<Packet> NicQueue::Remove()
{
    return Dequeue();
}

Ptr<const Packet> NicQueue::Peek() const
{
    if (acks.empty() && turns.empty())
        return nullptr;
    return acks.empty() ? data.at(turns.front()).front() : acks.front();
}

/*
 * nic_queue.hh - what waits in a host, served as weir's hosts do: ACKs first, then one packet per flow in turn. ns-3's
 * hosts have one FIFO (the other choice of this program), in which an ACK or a short flow waits behind the whole window
 * of a long one, since nothing marks or limits what waits before the first link.
 */
#ifndef NS3_NIC_QUEUE_HH
#define NS3_NIC_QUEUE_HH

#include <deque>
#include <map>

#include "ns3/packet.h"
#include "ns3/queue.h"

class NicQueue : public ns3::Queue<ns3::Packet>
{
  public:
    bool Enqueue(ns3::Ptr<ns3::Packet> packet) override;
    ns3::Ptr<ns3::Packet> Dequeue() override;
    ns3::Ptr<ns3::Packet> Remove() override;
    ns3::Ptr<const ns3::Packet> Peek() const override;

  private:
    using Fifo = std::deque<ns3::Ptr<ns3::Packet>>;

    Fifo acks;
    std::map<uint16_t, Fifo> data; /* by the sender's port, while there is some */
    std::deque<uint16_t> turns;    /* the keys of `data` in the order of service */
};

#endif

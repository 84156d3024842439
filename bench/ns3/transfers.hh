/*
 * transfers.hh - one DCTCP connection per flow. It is opened `lead_ps` before the flow starts, so that the handshake is
 * no part of the completion time (weir's flows have none); at the start the flow's bytes are written; the flow is
 * complete when the receiver has read the last one. After that both ends close.
 */
#ifndef NS3_TRANSFERS_HH
#define NS3_TRANSFERS_HH

#include "fabric.hh"
#include "ns3/socket.h"

struct TransfersConfig {
    uint32_t mss_bytes;
    uint32_t initial_window; /* segments */
    uint32_t max_window;     /* segments; 0: what the buffers hold */
    int64_t min_rto_ps;
    int prr_bits;    /* of the product in loss recovery; 0: ns-3's own class (prr.hh) */
    int64_t lead_ps; /* the clock runs this much behind the flow list: a flow that starts at 0 is opened at 0 */
};

class Transfers
{
  public:
    /* Sets ns-3's defaults for sockets: to be made before the fabric. */
    Transfers(const TransfersConfig &config, FlowList &flows);

    /* Listens where flows go and schedules every flow that starts before `until_ps`. */
    void start(const Fabric &fabric, int64_t until_ps);

    uint32_t finished() const;
    uint32_t late() const; /* flows whose handshake was not over when they started */

  private:
    struct Sender {
        ns3::Ptr<ns3::Socket> socket; /* null: before the opening, after the end */
        uint64_t unwritten_bytes = 0;
        bool connected = false, started = false;
    };

    void listen(ns3::Ptr<ns3::Node> node);
    void open(uint32_t id, ns3::Ptr<ns3::Node> node);
    void connected(uint32_t id, ns3::Ptr<ns3::Socket> socket);
    void begin(uint32_t id);
    void write(uint32_t id, ns3::Ptr<ns3::Socket> socket, uint32_t room_bytes);
    void accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address &from);
    void receive(uint32_t id, ns3::Ptr<ns3::Socket> socket);
    void close_receiver(ns3::Ptr<ns3::Socket> socket);

    TransfersConfig config;
    FlowList &list;
    std::vector<Sender> senders;          /* [flow] */
    std::vector<uint64_t> received_bytes; /* [flow] */
    std::vector<ns3::Ptr<ns3::Socket>> listeners;
    uint32_t finished_flows = 0, late_flows = 0;
};

#endif

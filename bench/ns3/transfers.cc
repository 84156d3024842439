/*
 * transfers.cc - see transfers.hh. Closing matters for speed and memory: ns-3 finds the socket of a packet by walking
 * over all sockets of the host, so finished connections must go. They wait for a moment only (MaxSegLifetime).
 */
#include "transfers.hh"
#include "prr.hh"

#include <algorithm>
#include <set>

#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-socket-factory.h"

using namespace ns3;

constexpr uint32_t buffer_bytes = 16u << 20;

static void set_socket_defaults(const TransfersConfig &config)
{
    uint32_t window_bytes = config.max_window ? config.max_window * config.mss_bytes : buffer_bytes;
    Time min_rto = PicoSeconds(config.min_rto_ps);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    if (config.prr_bits > 0)
        Config::SetDefault(
            "ns3::TcpL4Protocol::RecoveryType",
            TypeIdValue(config.prr_bits == 64 ? Prr<uint64_t>::GetTypeId() : Prr<uint32_t>::GetTypeId()));
    Config::SetDefault("ns3::TcpDctcp::DctcpShiftG", DoubleValue(1.0 / 16));
    Config::SetDefault("ns3::TcpDctcp::DctcpAlphaOnInit", DoubleValue(1));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(config.mss_bytes));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(config.initial_window));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer_bytes));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window_bytes));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(min_rto));
    Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(16));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(min_rto));
    Config::SetDefault("ns3::TcpSocketBase::MaxSegLifetime", DoubleValue(0.001));
}

Transfers::Transfers(const TransfersConfig &from, FlowList &flows)
    : config(from), list(flows), senders(flows.flows.size()), received_bytes(flows.flows.size())
{
    set_socket_defaults(config);
}

void Transfers::start(const Fabric &fabric, int64_t until_ps)
{
    std::set<uint32_t> listening;
    for (uint32_t id = 0; id < list.flows.size(); id++) {
        const Flow &flow = list.flows[id];
        int64_t start_ps = flow.start_ns * 1000;
        if (start_ps >= until_ps)
            continue;
        if (listening.insert(flow.destination).second)
            listen(fabric.host(flow.destination));
        senders[id].unwritten_bytes = flow.bytes;
        Simulator::Schedule(PicoSeconds(start_ps), &Transfers::open, this, id, fabric.host(flow.source));
        Simulator::Schedule(PicoSeconds(start_ps + config.lead_ps), &Transfers::begin, this, id);
    }
}

void Transfers::listen(Ptr<Node> node)
{
    auto socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), listen_port));
    socket->Listen();
    socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                              MakeCallback(&Transfers::accept, this));
    listeners.push_back(socket);
}

void Transfers::open(uint32_t id, Ptr<Node> node)
{
    const Flow &flow = list.flows[id];
    auto socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), flow.port));
    socket->SetConnectCallback(MakeCallback(&Transfers::connected, this).Bind(id),
                               MakeNullCallback<void, Ptr<Socket>>());
    socket->SetSendCallback(MakeCallback(&Transfers::write, this).Bind(id));
    senders[id].socket = socket;
    socket->Connect(InetSocketAddress(host_address(flow.destination), listen_port));
}

void Transfers::connected(uint32_t id, Ptr<Socket> socket)
{
    senders[id].connected = true;
    late_flows += senders[id].started;
    write(id, socket, socket->GetTxAvailable());
}

void Transfers::begin(uint32_t id)
{
    senders[id].started = true;
    write(id, senders[id].socket, senders[id].socket->GetTxAvailable());
}

/* Called whenever there is room in the send buffer; an empty buffer with nothing left to write means all is ACKed. */
void Transfers::write(uint32_t id, Ptr<Socket> socket, uint32_t room_bytes)
{
    Sender &sender = senders[id];
    if (!sender.connected || !sender.started || !sender.socket)
        return;
    auto bytes = static_cast<uint32_t>(std::min<uint64_t>(sender.unwritten_bytes, room_bytes));
    if (bytes > 0) {
        sender.unwritten_bytes -= bytes;
        socket->Send(Create<Packet>(bytes));
    } else if (room_bytes == buffer_bytes) {
        sender.socket = nullptr;
        Simulator::ScheduleNow(&Socket::Close, socket);
    }
}

void Transfers::accept(Ptr<Socket> socket, const Address &from)
{
    InetSocketAddress peer = InetSocketAddress::ConvertFrom(from);
    uint32_t id = list.find(host_of(peer.GetIpv4()), peer.GetPort());
    socket->SetRecvCallback(MakeCallback(&Transfers::receive, this).Bind(id));
    auto close = MakeCallback(&Transfers::close_receiver, this);
    socket->SetCloseCallbacks(close, close);
}

void Transfers::receive(uint32_t id, Ptr<Socket> socket)
{
    Flow &flow = list.flows[id];
    while (Ptr<Packet> packet = socket->Recv())
        received_bytes[id] += packet->GetSize();
    if (received_bytes[id] != flow.bytes || flow.fct_ps >= 0)
        return;
    flow.fct_ps = Simulator::Now().GetPicoSeconds() - config.lead_ps - flow.start_ns * 1000;
    finished_flows++;
}

void Transfers::close_receiver(Ptr<Socket> socket)
{
    Simulator::ScheduleNow(&Socket::Close, socket);
}

uint32_t Transfers::finished() const
{
    return finished_flows;
}

uint32_t Transfers::late() const
{
    return late_flows;
}

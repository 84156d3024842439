/*
 * prr.cc - see prr.hh.
 */
#include "prr.hh"

#include <algorithm>
#include <cmath>

#include "ns3/tcp-socket-state.h"

using namespace ns3;

template <typename Product> TypeId Prr<Product>::GetTypeId()
{
    static TypeId id = TypeId(sizeof(Product) == 8 ? "weir::Prr64" : "weir::Prr32")
                           .SetParent<TcpClassicRecovery>()
                           .AddConstructor<Prr<Product>>();
    return id;
}

template <typename Product> std::string Prr<Product>::GetName() const
{
    return GetTypeId().GetName();
}

template <typename Product>
void Prr<Product>::EnterRecovery(Ptr<TcpSocketState> tcb, uint32_t, uint32_t, uint32_t delivered_bytes)
{
    delivered = out = 0;
    flight = tcb->m_bytesInFlight;
    DoRecovery(tcb, delivered_bytes);
}

/* While more is in flight than the threshold, as many bytes go out as brings it there in proportion to what arrives;
 * below it, what arrived and a segment (slow start reduction bound). */
template <typename Product> void Prr<Product>::DoRecovery(Ptr<TcpSocketState> tcb, uint32_t delivered_bytes)
{
    delivered += delivered_bytes;
    int64_t send;
    if (tcb->m_bytesInFlight > tcb->m_ssThresh) {
        auto product = static_cast<Product>(delivered) * static_cast<Product>(tcb->m_ssThresh.Get());
        send = static_cast<int64_t>(std::ceil(static_cast<double>(product) / flight)) - out;
    } else {
        int64_t bound = std::max<int64_t>(int64_t{delivered} - out, delivered_bytes) + tcb->m_segmentSize;
        send = std::min<int64_t>(bound, int64_t{tcb->m_ssThresh} - tcb->m_bytesInFlight);
    }
    send = std::max<int64_t>(send, out > 0 ? 0 : tcb->m_segmentSize); /* the first retransmission at once */
    tcb->m_cWnd = tcb->m_bytesInFlight + static_cast<uint32_t>(send);
    tcb->m_cWndInfl = tcb->m_cWnd;
}

template <typename Product> void Prr<Product>::DoRecovery(Ptr<TcpSocketState> tcb, uint32_t delivered_bytes, bool)
{
    DoRecovery(tcb, delivered_bytes);
}

template <typename Product> void Prr<Product>::ExitRecovery(Ptr<TcpSocketState> tcb)
{
    tcb->m_cWnd = tcb->m_ssThresh.Get();
    tcb->m_cWndInfl = tcb->m_cWnd;
}

template <typename Product> void Prr<Product>::UpdateBytesSent(uint32_t bytes)
{
    out += bytes;
}

template <typename Product> Ptr<TcpRecoveryOps> Prr<Product>::Fork()
{
    return CopyObject<Prr<Product>>(this);
}

template class Prr<uint32_t>;
template class Prr<uint64_t>;

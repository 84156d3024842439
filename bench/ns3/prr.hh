/*
 * prr.hh - proportional rate reduction (RFC 6937) for ns-3's sockets, with the product of delivered bytes and slow
 * start threshold in 64 bits or in 32.
 *
 * ns-3's own TcpPrrRecovery multiplies the two in 32 bits (every release from 3.37 to 3.47; fixed after it, #1282).
 * Above about 47 segments of 1400 B the product overflows: a sender that lowers a larger window stops until its flight
 * is down to the threshold. In 32 bits this class is that of ns-3.37, to the nanosecond: nothing else differs.
 */
#ifndef NS3_PRR_HH
#define NS3_PRR_HH

#include "ns3/tcp-recovery-ops.h"

template <typename Product> class Prr : public ns3::TcpClassicRecovery
{
  public:
    static ns3::TypeId GetTypeId();
    std::string GetName() const override;
    void EnterRecovery(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t dup_acks, uint32_t unacked_bytes,
                       uint32_t delivered_bytes) override;
    /* One of them overrides: ns-3.43 also says whether an ACK is a duplicate, which RFC 6937 does not ask. */
    virtual void DoRecovery(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t delivered_bytes);
    virtual void DoRecovery(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t delivered_bytes, bool duplicate);
    void ExitRecovery(ns3::Ptr<ns3::TcpSocketState> tcb) override;
    void UpdateBytesSent(uint32_t bytes) override;
    ns3::Ptr<ns3::TcpRecoveryOps> Fork() override;

  private:
    uint32_t delivered = 0, out = 0, flight = 0; /* bytes since it began; in flight when it did */
};

#endif

/*
 * port_queue_disc.cc - weir::PortQueueDisc: what ns-3 does with packets, as calls of the MMU, and what the MMU decides,
 * as ns-3's drops, marks and departures. A packet is known to the MMU by the address of its item, which its queue keeps
 * alive until the MMU lets it go.
 */
#include <algorithm>

#include "ns3/abort.h"
#include "ns3/queue.h"
#include "weir/ns3.hh"
#include "weir/random.h"

namespace weir
{

NS_OBJECT_ENSURE_REGISTERED(PortQueueDisc);

/* One account's packets. The MMU says which leaves: the first, or, pushed out, the last. Room is the MMU's business. */
class PortQueueDisc::AccountQueue : public ns3::Queue<ns3::QueueDiscItem>
{
  public:
    AccountQueue()
    {
        SetMaxSize(ns3::QueueSize(ns3::QueueSizeUnit::PACKETS, UINT32_MAX));
    }

    bool Enqueue(ns3::Ptr<ns3::QueueDiscItem> item) override
    {
        return DoEnqueue(GetContainer().end(), item);
    }

    ns3::Ptr<ns3::QueueDiscItem> Dequeue() override
    {
        return DoDequeue(GetContainer().begin());
    }

    ns3::Ptr<ns3::QueueDiscItem> Remove() override
    {
        return DoRemove(GetContainer().begin());
    }

    ns3::Ptr<const ns3::QueueDiscItem> Peek() const override
    {
        return DoPeek(GetContainer().begin());
    }

    /* The packet of this handle, out of the queue; null if it is neither the first nor the last. */
    ns3::Ptr<ns3::QueueDiscItem> take(uint64_t handle)
    {
        const auto &all = GetContainer();
        auto is = [handle](const ns3::Ptr<ns3::QueueDiscItem> &item) {
            return reinterpret_cast<uintptr_t>(ns3::PeekPointer(item)) == handle;
        };
        if (all.empty() || !(is(all.front()) || is(all.back())))
            return nullptr;
        return DoDequeue(is(all.front()) ? all.begin() : std::prev(all.end()));
    }
};

PortQueueDisc::PortQueueDisc() : QueueDisc(ns3::QueueDiscSizePolicy::NO_LIMITS)
{
}

ns3::TypeId PortQueueDisc::GetTypeId()
{
    static ns3::TypeId type = ns3::TypeId("weir::PortQueueDisc")
                                  .SetParent<ns3::QueueDisc>()
                                  .SetGroupName("Weir")
                                  .AddConstructor<PortQueueDisc>();
    return type;
}

uint32_t PortQueueDisc::class_of(ns3::Ptr<ns3::QueueDiscItem> item, uint8_t dscp)
{
    uint32_t last = static_cast<uint32_t>(GetNInternalQueues()) - 1;
    int32_t filtered = GetNPacketFilters() ? Classify(item) : ns3::PacketFilter::PF_NO_MATCH;
    NS_ABORT_MSG_IF(filtered > static_cast<int32_t>(last),
                    "weir::PortQueueDisc: a packet filter says class " << filtered << ", and the last one is " << last);
    return filtered >= 0 ? static_cast<uint32_t>(filtered) : std::min<uint32_t>(dscp / 8u, last);
}

bool PortQueueDisc::DoEnqueue(ns3::Ptr<ns3::QueueDiscItem> item)
{
    uint8_t field = 0; /* DSCP and ECN; a packet that is not IP has none */
    item->GetUint8Value(ns3::QueueItem::IP_DSFIELD, field);
    weir_packet packet = {};
    packet.handle = reinterpret_cast<uintptr_t>(ns3::PeekPointer(item));
    packet.output = {port};
    packet.tc = {class_of(item, field >> 2)};
    packet.bytes = item->GetSize() + buffer->link_header_bytes;
    packet.flags = field & 3 ? WEIR_FLAG_ECN : 0;
    const weir_flow flow = {weir_hash(item->Hash(0), item->Hash(1)), WEIR_FLOW_UNKNOWN, uint32_t(field >> 2)};
    packet.flow = &flow;
    const weir_effects &effects = buffer->arrive(packet);
    if (!effects.accepted) {
        DropBeforeEnqueue(item, weir_reason_name(effects.reason));
        return false;
    }
    if (effects.marked)
        Mark(item, "weir");
    return GetInternalQueue(packet.tc.i)->Enqueue(item);
}

ns3::Ptr<ns3::QueueDiscItem> PortQueueDisc::DoDequeue()
{
    const weir_effects &effects = buffer->depart(port);
    return effects.departed ? take(effects.account, effects.handle) : nullptr;
}

ns3::Ptr<ns3::QueueDiscItem> PortQueueDisc::take(weir_account account, uint64_t handle)
{
    auto tc = account.i / static_cast<uint32_t>(buffer->ports.size());
    auto item = ns3::StaticCast<AccountQueue>(GetInternalQueue(tc))->take(handle);
    NS_ABORT_MSG_UNLESS(item, "weir::PortQueueDisc: the buffer and the queues of port " << port << " differ");
    return item;
}

void PortQueueDisc::lose(const weir_lost &lost)
{
    DropAfterDequeue(take(lost.account, lost.handle), weir_cause_name(lost.cause));
}

bool PortQueueDisc::CheckConfig()
{
    NS_ABORT_MSG_UNLESS(buffer && buffer->mmu,
                        "weir::PortQueueDisc: there is no buffer (expected weir::SwitchHelper, or AddPort and Build)");
    NS_ABORT_MSG_IF(GetNQueueDiscClasses() || GetNInternalQueues(),
                    "weir::PortQueueDisc: it makes its queues itself (expected no child and no queue)");
    for (uint32_t i = 0; i < buffer->config.classes; i++)
        AddInternalQueue(ns3::CreateObject<AccountQueue>());
    return true;
}

void PortQueueDisc::InitializeParams()
{
}

void PortQueueDisc::DoDispose()
{
    buffer = nullptr;
    QueueDisc::DoDispose();
}

} // namespace weir

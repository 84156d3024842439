/*
 * step_queue.cc - see step_queue.hh.
 */
#include "step_queue.hh"

#include "ns3/drop-tail-queue.h"
#include "ns3/net-device-queue-interface.h"

using namespace ns3;

StepQueue::StepQueue(uint32_t mark, uint32_t limit, bool device)
    : QueueDisc(QueueDiscSizePolicy::NO_LIMITS), mark_packets(mark), limit_packets(limit), counts_device(device)
{
}

/* A device with room for one packet stops this queue exactly while it holds one. */
uint32_t StepQueue::backlog_packets() const
{
    bool device_holds_one = counts_device && GetNetDeviceQueueInterface()->GetTxQueue(0)->IsStopped();
    return GetInternalQueue(0)->GetNPackets() + (device_holds_one ? 1 : 0);
}

bool StepQueue::DoEnqueue(Ptr<QueueDiscItem> item)
{
    uint32_t backlog = backlog_packets();
    if (backlog >= limit_packets) {
        DropBeforeEnqueue(item, "limit");
        return false;
    }
    if (mark_packets > 0 && backlog + 1 >= mark_packets)
        Mark(item, "step");
    return GetInternalQueue(0)->Enqueue(item);
}

Ptr<QueueDiscItem> StepQueue::DoDequeue()
{
    return GetInternalQueue(0)->Dequeue();
}

bool StepQueue::CheckConfig()
{
    if (GetNInternalQueues() == 0) {
        auto queue = CreateObject<DropTailQueue<QueueDiscItem>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, limit_packets));
        AddInternalQueue(queue);
    }
    return GetNInternalQueues() == 1 && GetNetDeviceQueueInterface();
}

void StepQueue::InitializeParams()
{
}

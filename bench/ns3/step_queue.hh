/*
 * step_queue.hh - the output queue of a switch port: first in, first out, a limit in packets, and DCTCP's step mark.
 *
 *   drop  if  limit packets wait       mark  if  mark packets wait, the arriving one included
 *
 * ns-3's RED with equal thresholds comes close, but skips queues of one packet and does not see the packet that a
 * device holds ready beneath it. Here the backlog is what weir's MMU counts: all packets of the port but the one being
 * transmitted, or, where weir has a device queue too, but those in the device.
 */
#ifndef NS3_STEP_QUEUE_HH
#define NS3_STEP_QUEUE_HH

#include "ns3/queue-disc.h"

class StepQueue : public ns3::QueueDisc
{
  public:
    /* mark 0: never */
    StepQueue(uint32_t mark_packets, uint32_t limit_packets, bool counts_device);

  private:
    bool DoEnqueue(ns3::Ptr<ns3::QueueDiscItem> item) override;
    ns3::Ptr<ns3::QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    uint32_t backlog_packets() const;

    uint32_t mark_packets, limit_packets;
    bool counts_device; /* which has room for one packet then */
};

#endif

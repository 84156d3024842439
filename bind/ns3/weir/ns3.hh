/*
 * weir/ns3.hh - weir's shared packet buffer for ns-3: the ports of a switch node get queue discs whose packets all live
 * in one buffer, and an MMU of libweir with one of its policies decides who enters and who loses a packet.
 *
 *   weir::SwitchHelper helper;
 *   helper.Set("Policy", "dt:alpha=0.5");   // attributes of weir::SharedBuffer, written as in scenario files
 *   helper.Set("Buffer", "410KB");
 *   helper.Install(node);                   // after its devices and its internet stack
 *
 * Mistakes in settings end the program with one line, as ns-3 does (NS_FATAL_ERROR). Lossless classes and PFC are not
 * part of it: a headroom scheme is refused. docs/howto/ns3.md has a whole program.
 */
#ifndef WEIR_NS3_HH
#define WEIR_NS3_HH

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/queue-disc.h"
#include "weir/mmu.h"
#include "weir/trace.h"

namespace weir
{

class PortQueueDisc;
using ByClass = std::array<int64_t, WEIR_CLASSES_MAX>;

/* One buffer of one switch. Its attributes are keys of a scenario's `switch`, listed by --PrintAttributes. */
class SharedBuffer : public ns3::Object
{
  public:
    static ns3::TypeId GetTypeId();
    SharedBuffer();
    ~SharedBuffer() override;

    /* A policy of the program's own in place of one by name, with all parameters at their defaults; it outlives the
     * buffer, as the oracle does that a policy such as credence asks. Both before Build. */
    void SetPolicy(const weir_policy &policy);
    void SetOracle(const weir_oracle &oracle);

    /* The queue disc of the next port; ports are numbered from 0. */
    ns3::Ptr<PortQueueDisc> AddPort(ns3::DataRate rate);

    /* Makes the MMU, once all ports are there. */
    void Build();

    /* Records every call of the MMU and its outcome, from the start until Simulator::Destroy, for `weir replay`. */
    void Trace(const std::string &file);

    /* For looking (weir/mmu.h, weir/counters.h); null before Build. Only queue discs may call what changes it. */
    const weir_mmu *GetMmu() const;

  private:
    friend class PortQueueDisc;
    struct Recording;

    void DoDispose() override;

    template <std::size_t i> void set_value(std::string text);
    template <std::size_t i> std::string get_value() const;
    template <std::size_t... i> static ns3::TypeId add_settings(ns3::TypeId type, std::index_sequence<i...>);
    void read_policy(std::string text);
    std::string policy_text() const;
    void read_trim(std::string text);
    std::string trim_text() const;
    void fill_config();

    const weir_effects &arrive(const weir_packet &packet);
    const weir_effects &depart(uint32_t port);
    const weir_effects &lose(const weir_effects &effects);
    void wait_for_expulsion();
    void expel();

    std::vector<ByClass> values; /* [setting] */
    std::string policy_as_set;
    uint32_t classes, link_header_bytes;
    uint64_t seed;
    ns3::DataRate memory_rate;
    const weir_policy *policy = nullptr;
    weir_values policy_values;
    const weir_oracle *oracle = nullptr;

    std::vector<ns3::Ptr<PortQueueDisc>> ports;
    std::vector<weir_bps> rates_bps; /* [ports] */
    std::unique_ptr<void, void (*)(void *)> memory;
    weir_mmu_config config;
    weir_mmu *mmu = nullptr; /* in `memory` */
    std::unique_ptr<Recording> recording;
    ns3::EventId expulsion;
};

/*
 * The queues of one output port, one per class, first in first out; the MMU's scheduler chooses among them. The class
 * of a packet is what a packet filter says, if one is installed and matches, else DSCP / 8, or the last class.
 */
class PortQueueDisc : public ns3::QueueDisc
{
  public:
    static ns3::TypeId GetTypeId();
    PortQueueDisc();

  private:
    friend class SharedBuffer;
    class AccountQueue;

    bool DoEnqueue(ns3::Ptr<ns3::QueueDiscItem> item) override;
    ns3::Ptr<ns3::QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;
    void DoDispose() override;

    uint32_t class_of(ns3::Ptr<ns3::QueueDiscItem> item, uint8_t dscp);
    ns3::Ptr<ns3::QueueDiscItem> take(weir_account account, uint64_t handle);
    void lose(const weir_lost &lost);

    SharedBuffer *buffer = nullptr; /* owns this, by its port; null once it is gone */
    uint32_t port = 0;
};

/* Makes nodes switches: every device but the loopback becomes a port of one SharedBuffer, which is aggregated to the
 * node (node->GetObject<weir::SharedBuffer>()). Routing stays what the node has. */
class SwitchHelper
{
  public:
    SwitchHelper();

    /* An attribute of the buffers to come. */
    void Set(const std::string &name, const std::string &value);

    /* Packets that a device may hold below the buffer, unseen by policy and marks: 1, the least that ns-3 can have. */
    void SetDeviceQueue(uint32_t packets);

    void SetPolicy(const weir_policy &policy);
    void SetOracle(const weir_oracle &oracle);

    /* Replaces the queue discs of the node's devices. */
    ns3::Ptr<SharedBuffer> Install(ns3::Ptr<ns3::Node> node) const;
    void Install(const ns3::NodeContainer &nodes) const;

  private:
    ns3::ObjectFactory factory;
    uint32_t device_packets = 1;
    const weir_policy *policy = nullptr;
    const weir_oracle *oracle = nullptr;
};

} // namespace weir

#endif

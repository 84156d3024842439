/*
 * test_module.cc - the module for ns-3 without a network: packets go into queue discs of one buffer and come out, and
 * what ns-3 counts and traces is what the MMU decided. Networks are in test_module.sh.
 */
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/packet-filter.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "weir/counters.h"
#include "weir/ns3.hh"
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <cmocka.h> /* last: it defines fail() */
}

using namespace ns3;

namespace
{

constexpr uint32_t packet_bytes = 1000; /* in the buffer: 978 of payload, 20 of IPv4, 2 of PPP */

/* A buffer with two ports; refusals and losses as ns-3 reports them. */
struct Bench {
    Ptr<weir::SharedBuffer> buffer = CreateObject<weir::SharedBuffer>();
    std::vector<Ptr<QueueDisc>> disc;
    std::string last_reason;

    Bench(std::initializer_list<std::pair<const char *, const char *>> settings)
    {
        for (auto &[name, value] : settings)
            buffer->SetAttribute(name, StringValue(value));
    }
    ~Bench()
    {
        for (auto &port : disc)
            port->Dispose();
        buffer->Dispose();
        Simulator::Destroy();
    }

    Bench &build()
    {
        for (int i = 0; i < 2; i++)
            disc.push_back(buffer->AddPort(DataRate("10Gbps")));
        buffer->Build();
        for (auto &port : disc) {
            port->Initialize();
            for (const char *source : {"DropBeforeEnqueue", "DropAfterDequeue"})
                port->TraceConnectWithoutContext(source, MakeCallback(&Bench::note_drop, this));
        }
        return *this;
    }

    void note_drop(Ptr<const QueueDiscItem>, const char *reason)
    {
        last_reason = reason;
    }

    /* The packet's number, by which it is known again; -1: it was refused. */
    int64_t enqueue(uint32_t port, uint8_t tos = 0)
    {
        auto packet = Create<Packet>(packet_bytes - 22);
        Ipv4Header header;
        header.SetTos(tos);
        header.SetPayloadSize(packet->GetSize());
        auto item = Create<Ipv4QueueDiscItem>(packet, Address(), 0x0800, header);
        return disc[port]->Enqueue(item) ? static_cast<int64_t>(packet->GetUid()) : -1;
    }

    /* -1: nothing waits. */
    int64_t dequeue(uint32_t port, uint8_t *tos = nullptr)
    {
        auto item = disc[port]->Dequeue();
        if (item && tos)
            item->GetUint8Value(QueueItem::IP_DSFIELD, *tos);
        return item ? static_cast<int64_t>(item->GetPacket()->GetUid()) : -1;
    }

    uint64_t used_bytes() const
    {
        return weir_mmu_pool_counters(buffer->GetMmu()).current_bytes;
    }
};

void enqueue__counts_the_link_header(void **)
{
    Bench bench({{"Policy", "cs"}, {"Buffer", "10KB"}});
    bench.build().enqueue(1);
    assert_int_equal(bench.used_bytes(), packet_bytes);
    assert_int_equal(bench.disc[1]->GetNPackets(), 1);
    bench.dequeue(1);
    assert_int_equal(bench.used_bytes(), 0);
    assert_int_equal(bench.dequeue(1), -1);
}

void enqueue__class_is_dscp_by_eight_or_the_last(void **)
{
    Bench bench({{"Policy", "cs"}, {"Buffer", "10KB"}, {"Scheduler", "strict"}});
    bench.buffer->SetAttribute("Classes", UintegerValue(4));
    bench.build();
    int64_t low = bench.enqueue(0, 0), middle = bench.enqueue(0, 16 << 2), high = bench.enqueue(0, 56 << 2);
    assert_int_equal(bench.disc[0]->GetInternalQueue(2)->GetNPackets(), 1);
    assert_int_equal(bench.disc[0]->GetInternalQueue(3)->GetNPackets(), 1);
    assert_int_equal(bench.dequeue(0), high);
    assert_int_equal(bench.dequeue(0), middle);
    assert_int_equal(bench.dequeue(0), low);
}

/* Everything is of class 1. */
class OneFilter : public PacketFilter
{
    bool CheckProtocol(Ptr<QueueDiscItem>) const override
    {
        return true;
    }
    int32_t DoClassify(Ptr<QueueDiscItem>) const override
    {
        return 1;
    }
};

void enqueue__a_filter_names_the_class(void **)
{
    Bench bench({{"Policy", "cs"}, {"Buffer", "10KB"}});
    bench.buffer->SetAttribute("Classes", UintegerValue(3));
    bench.build();
    bench.disc[0]->AddPacketFilter(CreateObject<OneFilter>());
    bench.enqueue(0, 56 << 2);
    assert_int_equal(bench.disc[0]->GetInternalQueue(1)->GetNPackets(), 1);
}

void enqueue__marks_ecn_capable_packets(void **)
{
    Bench bench({{"Policy", "cs"}, {"Buffer", "10KB"}, {"EcnKind", "step"}, {"EcnLow", "2KB"}});
    const uint8_t ect = 2, ce = 3, none = 0;
    bench.build().enqueue(0, ect);
    bench.enqueue(0, ect);
    bench.enqueue(0, none);
    for (uint8_t expected : {ect, ce, none}) {
        uint8_t tos = 0xff;
        bench.dequeue(0, &tos);
        assert_int_equal(tos, expected);
    }
    assert_int_equal(bench.disc[0]->GetStats().nTotalMarkedPackets, 1);
}

/* DT at alpha = 1: with q packets of 1 kB in the queue the limit is 6 - q. */
void enqueue__refuses_with_the_reason(void **)
{
    Bench bench({{"Policy", "dt:alpha=1"}, {"Buffer", "6KB"}});
    bench.build();
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(bench.enqueue(0), -1);
    assert_int_equal(bench.enqueue(0), -1);
    assert_string_equal(bench.last_reason.c_str(), "over-threshold");
    assert_int_equal(bench.disc[0]->GetStats().nTotalDroppedPacketsBeforeEnqueue, 1);
    assert_int_equal(bench.disc[0]->GetNPackets(), 3);
}

void expect_pushout(const char *policy, bool tail)
{
    Bench bench({{"Policy", policy}, {"Buffer", "4KB"}});
    bench.build();
    int64_t first = bench.enqueue(0), second = bench.enqueue(0), third = bench.enqueue(0), fourth = bench.enqueue(0);
    int64_t other = bench.enqueue(1);
    assert_int_not_equal(other, -1);
    assert_string_equal(bench.last_reason.c_str(), "pushout");
    assert_int_equal(bench.disc[0]->GetStats().nTotalDroppedPacketsAfterDequeue, 1);
    assert_int_equal(bench.disc[0]->GetNPackets(), 3);
    assert_int_equal(bench.dequeue(0), tail ? first : second);
    assert_int_equal(bench.dequeue(0), tail ? second : third);
    assert_int_equal(bench.dequeue(0), tail ? third : fourth);
    assert_int_equal(bench.dequeue(0), -1);
    assert_int_equal(bench.dequeue(1), other);
    assert_int_equal(bench.used_bytes(), 0);
}

void enqueue__pushes_out_the_head_of_another_port(void **)
{
    expect_pushout("lqd:remove=head", false);
}

void enqueue__pushes_out_the_tail_of_another_port(void **)
{
    expect_pushout("lqd:remove=tail", true);
}

/* Port 1 takes what port 0 could have, which is then above its limit: it loses its first packets as memory bandwidth
 * allows, on a clock of nanoseconds, and only until it is at its limit. */
void expel__takes_packets_out_when_bandwidth_is_there(void **)
{
    Bench bench({{"Policy", "occamy:alpha=1"}, {"Buffer", "12KB"}});
    bench.build();
    int64_t packet = 0, last = 0;
    while ((packet = bench.enqueue(0)) >= 0)
        last = packet;
    assert_int_equal(bench.disc[0]->GetNPackets(), 6);
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(bench.enqueue(1), -1);
    assert_int_equal(bench.disc[0]->GetNPackets(), 6);
    Simulator::Run();
    assert_string_equal(bench.last_reason.c_str(), "expelled");
    assert_int_equal(bench.disc[0]->GetNPackets(), 4); /* 5 would be above the 4 that are free then */
    assert_int_equal(bench.disc[0]->GetStats().nTotalDroppedPacketsAfterDequeue, 2);
    while (bench.disc[0]->GetNPackets() > 1)
        bench.dequeue(0);
    assert_int_equal(bench.dequeue(0), last);
}

void build__takes_a_policy_and_an_oracle_of_the_program(void **)
{
    const uint8_t lost[] = {2}; /* LQD loses the second arrival */
    weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, lost, 8, 0, 0);
    weir_policy mine = *weir_policy_find("credence");
    mine.name = "mine";
    Bench bench({{"Buffer", "4KB"}});
    bench.buffer->SetPolicy(mine);
    bench.buffer->SetOracle(oracle.base);
    bench.build();
    assert_string_equal(weir_mmu_policy(bench.buffer->GetMmu())->name, "mine");
    for (int i = 0; i < 2; i++)
        bench.enqueue(0);
    assert_true(bench.disc[0]->GetNPackets() > 0);
}

void attributes__are_texts_of_scenarios(void **)
{
    Bench bench({{"Policy", "occamy:alpha=8,1"}, {"Buffer", "410KB"}, {"Weights", "4,2,1"}, {"EcnKind", "step,none"}});
    const std::pair<const char *, const char *> expected[] = {{"Policy", "occamy:alpha=8,1"},
                                                              {"Weights", "4,2,1"},
                                                              {"EcnKind", "step,none"},
                                                              {"Descriptors", "auto"},
                                                              {"Scheduler", "fifo"}};
    for (auto &[name, text] : expected) {
        StringValue value;
        bench.buffer->GetAttribute(name, value);
        assert_string_equal(value.Get().c_str(), text);
    }
}

/* Whether it ends the program, as ns-3's fatal errors do; tried in a process of its own. */
template <typename Try> bool is_fatal(Try attempt)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        attempt();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

void attributes__are_final_once_built(void **)
{
    Bench bench({{"Policy", "dt"}, {"Buffer", "6KB"}});
    assert_false(is_fatal([&] { bench.buffer->SetAttribute("Policy", StringValue("lqd")); }));
    bench.build();
    assert_true(is_fatal([&] { bench.buffer->SetAttribute("Policy", StringValue("lqd")); }));
    assert_true(is_fatal([&] { bench.buffer->SetAttribute("Buffer", StringValue("7KB")); }));
    assert_true(is_fatal([&] { bench.buffer->AddPort(DataRate("10Gbps")); }));
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enqueue__counts_the_link_header),
        cmocka_unit_test(enqueue__class_is_dscp_by_eight_or_the_last),
        cmocka_unit_test(enqueue__a_filter_names_the_class),
        cmocka_unit_test(enqueue__marks_ecn_capable_packets),
        cmocka_unit_test(enqueue__refuses_with_the_reason),
        cmocka_unit_test(enqueue__pushes_out_the_head_of_another_port),
        cmocka_unit_test(enqueue__pushes_out_the_tail_of_another_port),
        cmocka_unit_test(expel__takes_packets_out_when_bandwidth_is_there),
        cmocka_unit_test(build__takes_a_policy_and_an_oracle_of_the_program),
        cmocka_unit_test(attributes__are_texts_of_scenarios),
        cmocka_unit_test(attributes__are_final_once_built),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

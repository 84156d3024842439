/*
 * astra_sim.hh - ASTRA-sim's network backend on libweir-sim: what ranks send crosses a network of shared-memory
 * switches, packet by packet. Copy it into your tree of ASTRA-sim; astra_sim.cc is a program that uses it.
 *
 * ASTRA-sim asks for six things: sim_send, sim_recv, sim_schedule, sim_get_time, sim_notify_finished and
 * get_BW_at_dimension. All ranks share one Network, which is one simulation: messages and timers go in, and run() calls
 * what waits for each event at the moment of that event. A receive gets the first message of its source, tag and size
 * that nobody has got; either may come first.
 *
 * Rank r lives on host r / ranks_per_host. What ranks of one host send each other takes its time at local_gbps, one
 * message after another for each sender, and no network.
 */
#ifndef WEIR_ASTRA_SIM_HH
#define WEIR_ASTRA_SIM_HH

#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <weir/sim.h>

#include "astra-sim/common/AstraNetworkAPI.hh"

namespace weir
{

struct Network_options {
    std::string traffic; // tag of the scenario's item of kind messages; empty: the first one
    int ranks_per_host = 1;
    double local_gbps = 2400;         // between ranks of one host
    std::vector<double> gbytes_per_s; // what get_BW_at_dimension answers, by dimension
};

class Network
{
  public:
    typedef void (*Handler)(void *);

    // A scenario, as `weir run` reads it; files that it names are looked for in `folder`.
    Network(const std::string &scenario, const std::string &folder, int count_of_ranks, const Network_options &chosen)
        : options(chosen), ranks(count_of_ranks), local_free(size_t(count_of_ranks), 0)
    {
        weir_sim_source source = {};
        source.size = sizeof source;
        source.text = scenario.c_str();
        source.folder = folder.c_str();
        sim = weir_sim_create(&source, &error);
        if (sim == nullptr)
            fail();
        if (!weir_sim_find_messages(sim, options.traffic.empty() ? nullptr : options.traffic.c_str(), &traffic,
                                    &error)) {
            weir_sim_free(sim);
            fail();
        }
    }
    ~Network()
    {
        weir_sim_free(sim);
    }
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;

    // Runs until every rank has finished.
    void run()
    {
        weir_sim_event event;
        while (finished < ranks) {
            weir_sim_state state = weir_sim_next(sim, WEIR_NEVER, &event, &error);
            if (state == WEIR_SIM_FAILED)
                fail();
            if (state == WEIR_SIM_DONE)
                throw std::runtime_error(standstill());
            happen(event);
        }
    }

    void send(int from, int to, int tag, uint64_t bytes, Handler handler, void *argument)
    {
        uint64_t number = ++count;
        messages[number] = Message{{from, to, tag, bytes}, handler, argument};
        if (from / options.ranks_per_host != to / options.ranks_per_host) {
            weir_sim_message message = {};
            message.size = sizeof message;
            message.source = uint32_t(from / options.ranks_per_host);
            message.destination = uint32_t(to / options.ranks_per_host);
            message.bytes = int64_t(bytes > 0 ? bytes : 1);
            message.traffic = traffic;
            message.tag = number;
            if (!weir_sim_add_message(sim, &message, nullptr, &error))
                fail();
            return;
        }
        weir_ps begin = local_free[size_t(from)] > now() ? local_free[size_t(from)] : now();
        local_free[size_t(from)] = begin + weir_ps(std::llround(double(bytes) * 8000 / options.local_gbps));
        at(local_free[size_t(from)], number);
    }

    void receive(int from, int to, int tag, uint64_t bytes, Handler handler, void *argument)
    {
        Queue &queue = queues[Key{from, to, tag, bytes}];
        if (queue.arrived > 0) {
            queue.arrived--;
            schedule(0, handler, argument);
        } else {
            queue.waiting.push_back(Call{handler, argument});
        }
    }

    void schedule(weir_ps delay, Handler handler, void *argument)
    {
        uint64_t number = ++count;
        calls[number] = Call{handler, argument};
        at(now() + delay, number);
    }

    void finish()
    {
        finished++;
    }

    weir_ps now() const
    {
        struct weir_sim_progress progress;
        weir_sim_progress(sim, &progress);
        return progress.now;
    }

    struct weir_sim *simulation()
    {
        return sim;
    } // for measures, flows and the digest

    const Network_options options;

  private:
    typedef std::tuple<int, int, int, uint64_t> Key; // source, destination, tag, bytes
    struct Call {
        Handler handler;
        void *argument;
    };
    struct Message {
        Key key;
        Handler handler;
        void *argument;
    };
    struct Queue {
        std::deque<Call> waiting;
        uint64_t arrived = 0;
    };

    [[noreturn]] void fail() const
    {
        char line[WEIR_ERROR_LINE_MAX];
        throw std::runtime_error(weir_error_line(&error, line));
    }

    std::string standstill() const
    {
        std::string text = std::to_string(ranks - finished) + " ranks have not finished, and nothing happens any more";
        for (const auto &queue : queues)
            if (!queue.second.waiting.empty())
                return text + ": rank " + std::to_string(std::get<1>(queue.first)) + " waits for " +
                       std::to_string(std::get<3>(queue.first)) + " bytes of rank " +
                       std::to_string(std::get<0>(queue.first)) + " with tag " +
                       std::to_string(std::get<2>(queue.first));
        return text;
    }

    void at(weir_ps when, uint64_t number)
    {
        if (!weir_sim_add_timer(sim, when, number, &error))
            fail();
    }

    void arrive(const Key &key)
    {
        Queue &queue = queues[key];
        if (queue.waiting.empty()) {
            queue.arrived++;
            return;
        }
        Call call = queue.waiting.front();
        queue.waiting.pop_front();
        call.handler(call.argument);
    }

    void happen(const weir_sim_event &event)
    {
        auto call = calls.find(event.tag);
        if (call != calls.end()) { // a timer of ASTRA-sim
            Call known = call->second;
            calls.erase(call);
            known.handler(known.argument);
            return;
        }
        Message message = messages.at(event.tag);
        if (event.what != WEIR_SIM_RECEIVED)
            messages.erase(event.tag);
        if (event.what != WEIR_SIM_SENT) // a message within a host, its timer: both ends at once
            arrive(message.key);
        if (event.what != WEIR_SIM_RECEIVED && message.handler != nullptr)
            message.handler(message.argument);
    }

    struct weir_sim *sim = nullptr;
    weir_error error = {};
    uint32_t traffic = 0;
    int ranks, finished = 0;
    uint64_t count = 0;
    std::vector<weir_ps> local_free;
    std::unordered_map<uint64_t, Message> messages; // by number, as calls
    std::unordered_map<uint64_t, Call> calls;
    std::map<Key, Queue> queues;
};

// What ASTRA-sim has of the network, for each rank.
class Network_api : public AstraSim::AstraNetworkAPI
{
  public:
    Network_api(int number, Network &shared) : AstraSim::AstraNetworkAPI(number), network(shared)
    {
    }

    int sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *, void (*handler)(void *),
                 void *argument) override
    {
        network.send(rank, dst, tag, count, handler, argument);
        return 0;
    }
    int sim_recv(void *, uint64_t count, int, int src, int tag, AstraSim::sim_request *, void (*handler)(void *),
                 void *argument) override
    {
        network.receive(src, rank, tag, count, handler, argument);
        return 0;
    }
    void sim_schedule(AstraSim::timespec_t delta, void (*function)(void *), void *argument) override
    {
        static const long double ps[] = {1e12L, 1e9L, 1e6L, 1e3L, 1e-3L}; // of SE, MS, US, NS, FS
        network.schedule(weir_ps(delta.time_val * ps[delta.time_res] + 0.5L), function, argument);
    }
    AstraSim::timespec_t sim_get_time() override
    {
        return AstraSim::timespec_t{AstraSim::NS, (long double)network.now() / 1000};
    }
    double get_BW_at_dimension(int dim) override
    {
        const std::vector<double> &known = network.options.gbytes_per_s;
        return dim >= 0 && size_t(dim) < known.size() ? known[size_t(dim)] : -1;
    }
    void sim_notify_finished() override
    {
        network.finish();
    }

  private:
    Network &network;
};

} // namespace weir

#endif

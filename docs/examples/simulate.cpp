// simulate.cpp - the same scenario under several policies, each in a thread, from C++.
//
//   c++ -std=c++17 -pthread simulate.cpp $(pkg-config --cflags --libs weir-sim) -o simulate
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/sim.h>

static double measure(const std::string &scenario, const std::string &policy, const char *name)
{
    const std::string change = "switch.policy=" + policy;
    const char *set = change.c_str();
    weir_sim_source source = {};
    source.size = sizeof source;
    source.text = scenario.c_str();
    source.set = &set;
    source.set_count = 1;
    weir_error error;
    double value = 0;
    std::unique_ptr<weir_sim, decltype(&weir_sim_free)> sim(weir_sim_create(&source, &error), weir_sim_free);
    if (!sim || weir_sim_step(sim.get(), WEIR_NEVER, &error) != WEIR_SIM_DONE ||
        !weir_sim_measure(sim.get(), name, &value, &error))
        throw std::runtime_error(error.text);
    return value;
}

int main()
{
    const std::string scenario = "until: 8ms\n"
                                 "topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 5us}\n"
                                 "switch: {buffer: 100KB, policy: dt}\n"
                                 "transports: {dctcp: {kind: dctcp, min_rto: 1ms}}\n"
                                 "traffic: [{kind: incast, tag: burst, transport: dctcp, sources: h1-h8, "
                                 "destination: h0, bytes: 400KB}]\n";
    std::vector<std::pair<std::string, std::future<double>>> runs;
    for (const char *policy : {"dt", "occamy", "lqd"})
        runs.emplace_back(policy, std::async(std::launch::async, measure, scenario, policy, "burst.qct.max"));
    for (auto &run : runs)
        std::cout << run.first << ": " << run.second.get() * 1e6 << " us\n";
}

/*
 * astra_sim.cc - ASTRA-sim over weir: its system layer, and the network of a scenario (astra_sim.hh).
 *
 *   astra_sim SCENARIO RANKS WORKLOAD SYSTEM MEMORY [GROUPS]
 *
 * The last four are ASTRA-sim's own: prefix of the traces, system, remote memory, and communicator groups. Build it
 * with ASTRA-sim's library, its include paths, and $(pkg-config --cflags --libs weir-sim). As of ASTRA-sim 518bd51.
 */
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "astra_sim.hh"
#include "remote_memory_backend/analytical/AnalyticalRemoteMemory.hh"

int main(int argc, char **argv)
{
    if (argc < 6) {
        std::fprintf(stderr, "usage: astra_sim SCENARIO RANKS WORKLOAD SYSTEM MEMORY [GROUPS]\n");
        return 2;
    }
    std::ostringstream scenario;
    scenario << std::ifstream(argv[1]).rdbuf();
    AstraSim::LoggerFactory::init("empty", "log");
    try {
        const int ranks = std::stoi(argv[2]);
        weir::Network network(scenario.str(), ".", ranks, weir::Network_options());
        Analytical::AnalyticalRemoteMemory memory(argv[5]);
        std::vector<std::unique_ptr<weir::Network_api>> apis;
        std::vector<AstraSim::Sys *> systems;
        for (int rank = 0; rank < ranks; rank++) {
            apis.emplace_back(new weir::Network_api(rank, network));
            systems.push_back(new AstraSim::Sys(rank, argv[3], argc > 6 ? argv[6] : "empty", argv[4], &memory,
                                                apis.back().get(), {ranks}, {1}, 1, 1, false));
        }
        for (AstraSim::Sys *system : systems)
            system->workload->fire();
        network.run();
        std::printf("%d ranks finished at %.3f us, digest %016llx\n", ranks, double(network.now()) / 1e6,
                    (unsigned long long)weir_sim_digest(network.simulation()));
        for (AstraSim::Sys *system : systems)
            delete system;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "astra_sim: %s\n", error.what());
        return 1;
    }
    AstraSim::LoggerFactory::shutdown();
    return 0;
}

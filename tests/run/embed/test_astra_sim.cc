/*
 * test_astra_sim.cc - docs/examples/astra_sim.hh against a stub of ASTRA-sim's interface: a ring all-reduce made of its
 * six calls takes exactly as long as weir's own; matching, units of time, ranks of one host, and a rank that waits for
 * what nobody sends.
 */
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <astra_sim.hh>

using weir::Network;
using weir::Network_api;
using weir::Network_options;

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

static const char common[] = "until: 1s\n"
                             "topology: {kind: single, hosts: 8, rate: 100Gbps, delay: 1us}\n"
                             "switch: {buffer: 4MB, policy: dt}\n"
                             "transports: {t: {kind: dcqcn}}\n";

static std::string scenario()
{
    return std::string(common) + "traffic: [{kind: messages, tag: m, transport: t}]\n";
}

/* One rank of a ring: each step sends what the step before has brought. It ends when all that it sent is there, too. */
struct Rank {
    std::unique_ptr<Network_api> api;
    int ranks, step, sent;
    uint64_t chunk;
    long double ended_ns;

    int steps() const
    {
        return 2 * (ranks - 1);
    }
    void begin()
    {
        if (step == steps())
            return;
        api->sim_send(nullptr, chunk, 0, (api->rank + 1) % ranks, step, nullptr, has_sent, this);
        api->sim_recv(nullptr, chunk, 0, (api->rank + ranks - 1) % ranks, step, nullptr, has_received, this);
    }
    void look()
    {
        if (step < steps() || sent < steps())
            return;
        ended_ns = api->sim_get_time().time_val;
        api->sim_notify_finished();
    }
    static void has_sent(void *self)
    {
        static_cast<Rank *>(self)->sent++;
        static_cast<Rank *>(self)->look();
    }
    static void has_received(void *self)
    {
        static_cast<Rank *>(self)->step++;
        static_cast<Rank *>(self)->begin();
        static_cast<Rank *>(self)->look();
    }
};

static long double ring(Network &network, int ranks, uint64_t bytes)
{
    std::vector<Rank> all;
    long double last = 0;
    all.reserve(size_t(ranks)); /* handlers know their places */
    for (int r = 0; r < ranks; r++)
        all.push_back(
            Rank{std::unique_ptr<Network_api>(new Network_api(r, network)), ranks, 0, 0, bytes / uint64_t(ranks), 0});
    for (Rank &rank : all)
        rank.begin();
    network.run();
    for (const Rank &rank : all)
        last = rank.ended_ns > last ? rank.ended_ns : last;
    return last;
}

/* The built-in collective, in seconds. */
static double built_in(const char *more)
{
    std::string text = std::string(common) +
                       "traffic: [{kind: collective, tag: c, transport: t, operation: all-reduce, " + more + "}]\n";
    weir_sim_source source = {};
    weir_error error;
    double seconds = 0;
    source.size = sizeof source;
    source.text = text.c_str();
    weir_sim *sim = weir_sim_create(&source, &error);
    char line[WEIR_ERROR_LINE_MAX];
    if (sim == nullptr)
        std::fprintf(stderr, "%s\n", weir_error_line(&error, line));
    EXPECT(sim != nullptr);
    EXPECT(weir_sim_step(sim, WEIR_NEVER, &error) == WEIR_SIM_DONE);
    EXPECT(weir_sim_measure(sim, "c.job.time", &seconds, &error));
    weir_sim_free(sim);
    return seconds;
}

static void ring_as_built_in()
{
    Network network(scenario(), ".", 8, Network_options());
    long double took = ring(network, 8, 1 << 20);
    std::printf("ring of 8: %.3Lf us, built-in %.3f us\n", took / 1e3L,
                built_in("algorithm: ring, bytes: 1048576B") * 1e6);
    EXPECT(std::fabs(double(took) - built_in("algorithm: ring, bytes: 1048576B") * 1e9) < 1e-3);
}

/* Two ranks on each host, with a rate of their own between them. */
static void ring_of_two_on_a_host()
{
    Network_options options;
    options.ranks_per_host = 2;
    options.local_gbps = 800;
    Network network(scenario(), ".", 16, options);
    long double took = ring(network, 16, 1 << 20);
    double other = built_in("algorithm: ring, bytes: 1048576B, ranks_per_host: 2, local_rate: 800Gbps");
    std::printf("ring of 16: %.3Lf us, built-in %.3f us\n", took / 1e3L, other * 1e6);
    EXPECT(std::fabs(double(took) - other * 1e9) < 1e-3);
}

static std::string order;

static void first(void *)
{
    order += "1";
}
static void second(void *)
{
    order += "2";
}
static void third(void *)
{
    order += "3";
}
static void finish(void *api)
{
    order += "f";
    static_cast<Network_api *>(api)->sim_notify_finished();
}

/* By tag and size, whichever comes first; a receive after its message is told at once. */
static void matching()
{
    Network network(scenario(), ".", 1, Network_options());
    Network_api sender(0, network), receiver(3, network);
    order.clear();
    receiver.sim_recv(nullptr, 500, 0, 0, 7, nullptr, first, nullptr);
    sender.sim_send(nullptr, 1000, 0, 3, 7, nullptr, nullptr, nullptr); /* another size */
    sender.sim_send(nullptr, 500, 0, 3, 8, nullptr, nullptr, nullptr);  /* another tag */
    sender.sim_schedule(AstraSim::timespec_t{AstraSim::US, 50}, third, nullptr);
    sender.sim_schedule(AstraSim::timespec_t{AstraSim::MS, 1}, finish, &sender);
    network.run();
    EXPECT(order == "3f" && sender.sim_get_time().time_val == 1e6L);

    Network again(scenario(), ".", 1, Network_options());
    Network_api from(0, again), to(3, again);
    order.clear();
    to.sim_recv(nullptr, 500, 0, 0, 7, nullptr, first, nullptr);
    to.sim_recv(nullptr, 500, 0, 0, 7, nullptr, second, nullptr);
    from.sim_send(nullptr, 500, 0, 3, 7, nullptr, third, nullptr);
    from.sim_send(nullptr, 500, 0, 3, 7, nullptr, finish, &from);
    again.run();
    EXPECT(order == "123f" || order == "132f" ||
           order == "13"
                    "2f");
    EXPECT(from.get_BW_at_dimension(0) == -1);
}

static void nobody_sends()
{
    Network network(scenario(), ".", 1, Network_options());
    Network_api receiver(3, network);
    receiver.sim_recv(nullptr, 500, 0, 2, 9, nullptr, first, nullptr);
    try {
        network.run();
        EXPECT(false);
    } catch (const std::runtime_error &error) {
        EXPECT(
            std::string(error.what()) ==
            "1 ranks have not finished, and nothing happens any more: rank 3 waits for 500 bytes of rank 2 with tag 9");
    }
    try {
        Network_api(99, network).sim_send(nullptr, 1, 0, 2, 9, nullptr, nullptr, nullptr);
        EXPECT(false);
    } catch (const std::runtime_error &error) {
        EXPECT(std::string(error.what()).find("the simulation has ended") != std::string::npos);
    }
}

int main()
{
    ring_as_built_in();
    ring_of_two_on_a_host();
    matching();
    nobody_sends();
    return 0;
}

// blocks.cpp - TDT's state module, Credence's virtual LQD and DSH's estimator in Verilog against the library's policies, in
// one process. TDT and the virtual LQD follow an MMU that runs the policy; its threshold shows the state. The estimator is
// compared with policies/dsh_estimate.c. The forest is compared with a walk through the same trees.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "Vblocks.h"
#include "verilated.h"
extern "C" {
#include "dsh_shim.h"
}
#include "weir/fixed.h"
#include "weir/mmu.h"

static const uint32_t PORTS = 8, CELLS = 200, CELLS_MAX = 15, WIDTH = 8, PHI = 300;
static Vblocks *rtl;
static uint64_t random_state = 1;
static long step;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

static void equal(const char *what, long rtl_says, long library_says)
{
    if (rtl_says == library_says)
        return;
    std::fprintf(stderr, "blocks: step %ld: %s: rtl %ld, library %ld\n", step, what, rtl_says, library_says);
    std::exit(1);
}

static void pulse()
{
    rtl->clk = 0;
    rtl->eval();
    rtl->clk = 1;
    rtl->eval();
    rtl->tdt_enqueue = rtl->tdt_dequeue = rtl->tdt_drop = 0;
    rtl->lqd_in = rtl->lqd_out = rtl->dsh_valid = rtl->forest_write = 0;
}

static struct weir_mmu *build(const char *policy, const char *name, const char *value)
{
    static struct weir_values values[2];
    static int built;
    struct weir_mmu_config config;
    struct weir_error error;
    weir_mmu_config_init(&config, PORTS, 1, CELLS);
    config.egress = weir_policy_find(policy);
    weir_values_init(&values[built], config.egress);
    bool good = !name || weir_values_set(&values[built], config.egress, name, value, &error);
    config.egress_values = &values[built++];
    if (!good || !weir_mmu_config_check(&config, &error)) {
        std::fprintf(stderr, "blocks: %s\n", error.text);
        std::exit(2);
    }
    return weir_mmu_init(std::aligned_alloc(64, (weir_mmu_size(&config) + 63) / 64 * 64), &config);
}

// One arrival or departure at a port; what it was.
enum what { ENTERED, REFUSED, LEFT, NOTHING };

struct event {
    enum what what;
    uint32_t port, cells;
};

static struct event next_event(struct weir_mmu *mmu, uint32_t in_of_100, uint32_t hot, weir_ps now)
{
    struct event e = {NOTHING, draw(3) ? hot : draw(PORTS), 1 + draw(CELLS_MAX)};
    if (draw(100) < in_of_100) {
        struct weir_packet packet = {};
        packet.output.i = e.port;
        packet.bytes = e.cells;
        e.what = weir_mmu_arrive(mmu, &packet, now)->accepted ? ENTERED : REFUSED;
    } else {
        const struct weir_effects *fx = weir_mmu_depart(mmu, (weir_port){e.port}, now);
        e.what = fx->departed ? LEFT : NOTHING;
        e.cells = fx->bytes;
    }
    return e;
}

static void tdt(long steps)
{
    struct weir_mmu *mmu = build("tdt", nullptr, nullptr);
    const struct weir_view *view = weir_mmu_view(mmu);
    long seen[3] = {0, 0, 0};
    uint32_t rate = 50, hot = 0;
    for (step = 0; step < steps; step++) {
        if (step % 100 == 0) {
            rate = 20 + draw(75);
            hot = draw(PORTS);
        }
        weir_cells free = weir_view_shared_free(view);
        struct event e = next_event(mmu, rate, hot, step * 1000);
        uint32_t bit = 1u << e.port;
        rtl->tdt_enqueue = e.what == ENTERED ? bit : 0;
        rtl->tdt_drop = e.what == REFUSED ? bit : 0;
        rtl->tdt_dequeue = e.what == LEFT ? bit : 0;
        rtl->tdt_cells = e.cells;
        rtl->tdt_overflow = e.cells > free;
        rtl->tdt_low = weir_view_port(view, (weir_port){e.port})->shared_cells < CELLS / (2 * PORTS);
        pulse();
        long absorbing = 0;
        for (uint32_t p = 0; p < PORTS; p++)
            absorbing += (rtl->tdt_state >> 2 * p & 3) == 1;
        for (uint32_t p = 0; p < PORTS; p++) {
            uint32_t state = rtl->tdt_state >> 2 * p & 3;
            seen[state]++;
            long limit = state == 1 ? CELLS / absorbing : state == 2 ? CELLS / PORTS : (long)weir_view_shared_free(view);
            equal("TDT's threshold", limit, weir_mmu_threshold(mmu, (weir_account){p}));
        }
    }
    if (!seen[0] || !seen[1] || !seen[2])
        equal("states of TDT that were seen", 0, 1);
    std::printf("rtl agrees: tdt: %ld events; ports normal %ld, absorbing %ld, evacuating %ld\n", steps, seen[0], seen[1],
                seen[2]);
}

static void virtual_lqd(long steps)
{
    struct weir_mmu *mmu = build("followlqd", "drain", "dequeue");
    const struct weir_view *view = weir_mmu_view(mmu);
    uint32_t rate = 50, hot = 0;
    long full = 0;
    for (step = 0; step < steps; step++) {
        if (step % 100 == 0) {
            rate = 20 + draw(75);
            hot = draw(PORTS);
        }
        struct event e = next_event(mmu, rate, hot, step * 1000);
        rtl->lqd_in = e.what == ENTERED || e.what == REFUSED;
        rtl->lqd_out = e.what == LEFT;
        rtl->lqd_queue = e.port;
        rtl->lqd_cells = e.cells;
        rtl->lqd_empty = weir_view_length(view, (weir_account){e.port}) == 0;
        if (rtl->lqd_in) {
            rtl->eval();
            equal("threshold at the arrival", rtl->lqd_threshold, weir_mmu_threshold(mmu, (weir_account){e.port}));
        }
        pulse();
        long total = 0;
        for (uint32_t q = 0; q < PORTS; q++) {
            long length = (long)(rtl->lqd_lengths >> WIDTH * q & ((1u << WIDTH) - 1));
            equal("virtual length", length, weir_mmu_threshold(mmu, (weir_account){q}));
            total += length;
        }
        full += total == CELLS;
    }
    if (!full)
        equal("a full virtual buffer that was seen", 0, 1);
    std::printf("rtl agrees: virtual lqd: %ld events, %ld with a full buffer\n", steps, full);
}

static void dsh(long steps)
{
    struct dsh_shim *shim = dsh_shim_new(PHI);
    equal("LOG2_CELL", 2225981, dsh_shim_log2_cell(shim));
    uint64_t now = 0;
    int32_t length = 0;
    long seen = 0;
    for (step = 0; step < steps; step++) {
        static const uint32_t gaps[] = {1, 20000, 200000, 2000000};
        now += draw(20) ? draw(gaps[draw(4)]) : 0;
        length += draw(8) ? (int32_t)draw(3) - (step / 1000 % 2 ? 1 : 0) : (int32_t)draw(step / 5000 % 2 ? 60 : 6) - 2;
        if (length < 0 || length > 60000)
            length = 0;
        rtl->dsh_valid = 1;
        rtl->dsh_length = (uint32_t)length;
        rtl->dsh_now = now;
        pulse();
        long phi = dsh_shim_update(shim, length, (int64_t)now);
        equal("phi", rtl->dsh_phi, phi);
        seen += phi > 0 && phi < PHI;
    }
    if (!seen)
        equal("estimates between nothing and all that were seen", 0, 1);
    std::printf("rtl agrees: dsh: %ld arrivals, %ld estimates between 0 and Phi\n", steps, seen);
}

static void forest(long steps)
{
    static uint32_t limit[4][32], feature[4][32];
    long lost = 0;
    for (step = 0; step < steps; step++) {
        if (step % 500 == 0)
            for (uint32_t t = 0; t < 4; t++)
                for (uint32_t i = 1; i < 32; i++) {
                    limit[t][i] = i < 16 ? draw(65536) : draw(256);
                    feature[t][i] = draw(4);
                    rtl->forest_write = 1;
                    rtl->forest_tree = t;
                    rtl->forest_index = i;
                    rtl->forest_limit = limit[t][i];
                    rtl->forest_feature = feature[t][i];
                    pulse();
                }
        uint64_t features = 0;
        for (int f = 0; f < 4; f++)
            features = features << 16 | draw(65536);
        rtl->forest_features = features;
        rtl->eval();
        int sum = 0;
        for (uint32_t t = 0; t < 4; t++) {
            uint32_t at = 1;
            while (at < 16)
                at = 2 * at + ((features >> 16 * feature[t][at] & 65535) > limit[t][at]);
            sum += (int8_t)limit[t][at];
        }
        equal("forest", rtl->forest_lost, sum > 0);
        lost += sum > 0;
    }
    std::printf("rtl agrees: forest: %ld questions, %ld lost\n", steps, lost);
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? std::atol(argv[1]) : 100000;
    rtl = new Vblocks;
    rtl->rst = 1;
    pulse();
    pulse();
    rtl->rst = 0;
    tdt(steps);
    virtual_lqd(steps);
    dsh(steps);
    forest(steps);
    return 0;
}

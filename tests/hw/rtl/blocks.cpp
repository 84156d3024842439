// blocks.cpp - TDT's state module, Credence, its virtual LQD and DSH's estimator in Verilog against the library's policies, in
// one process. TDT, the virtual LQD and Credence follow an MMU that runs the policy; its threshold shows the state. The
// estimator is compared with lib/policies/dsh_estimate.c, the forest with a walk through the same trees (which is Credence's
// oracle, too), the maximum finder with a search.
//
//   blocks STEPS [VECTORS]
//
// VECTORS gets the first cycles of each part, inputs and outputs: what agrees with the library, for tb_blocks.sv.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "Vblocks.h"
#include "verilated.h"
extern "C" {
#include "dsh_shim.h"
}
#include "weir/fixed.h"
#include "weir/mmu.h"
#include "weir/oracle.h"

static const size_t DSH_LATENCY = 9; // cycles from an arrival to its phi
static const uint32_t PORTS = 8, CELLS = 200, CELLS_MAX = 15, WIDTH = 8, PHI = 300;
static Vblocks *rtl;
static uint64_t random_state = 1;
static long step;
static std::FILE *vectors;
static int part;       // which of them runs
static long cycles_of; // cycles of it so far

static const long VECTORS_OF_PART = 4000;

static void write_vector()
{
    std::fprintf(vectors, "%x %x", part, rtl->rst);
    std::fprintf(vectors, " %x %x %x %x %x %x %x", rtl->tdt_enqueue, rtl->tdt_dequeue, rtl->tdt_drop, rtl->tdt_cells,
                 rtl->tdt_overflow, rtl->tdt_low, rtl->tdt_state);
    std::fprintf(vectors, " %x %x %x %x %x %x %llx", rtl->lqd_in, rtl->lqd_out, rtl->lqd_queue, rtl->lqd_cells,
                 rtl->lqd_empty, rtl->lqd_threshold, (unsigned long long)rtl->lqd_lengths);
    std::fprintf(vectors, " %x %x %llx %x", rtl->dsh_valid, rtl->dsh_length, (unsigned long long)rtl->dsh_now, rtl->dsh_phi);
    std::fprintf(vectors, " %x %x %x %x %x %llx %x", rtl->forest_write, rtl->forest_tree, rtl->forest_index,
                 rtl->forest_feature, rtl->forest_limit, (unsigned long long)rtl->forest_features, rtl->forest_lost);
    std::fprintf(vectors, " %llx %x %x", (unsigned long long)rtl->finder_values, rtl->finder_index, rtl->finder_maximum);
    std::fprintf(vectors, " %x %x %x %x %x %x %x %x %x %llx %x %llx\n", rtl->credence_in, rtl->credence_out,
                 rtl->credence_queue, rtl->credence_cells, rtl->credence_empty, rtl->credence_length, rtl->credence_used,
                 rtl->credence_queue_average, rtl->credence_buffer_average, (unsigned long long)rtl->credence_lengths,
                 rtl->credence_accept, (unsigned long long)rtl->credence_virtual);
}

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
    if (vectors && cycles_of++ < VECTORS_OF_PART)
        write_vector();
    rtl->clk = 1;
    rtl->eval();
    rtl->credence_in = rtl->credence_out = 0;
    rtl->tdt_enqueue = rtl->tdt_dequeue = rtl->tdt_drop = 0;
    rtl->lqd_in = rtl->lqd_out = rtl->dsh_valid = rtl->forest_write = 0;
}

static struct weir_mmu *build(const char *policy, const char *name, const char *value, const struct weir_oracle *oracle)
{
    static struct weir_values values[3];
    static int built;
    struct weir_mmu_config config;
    struct weir_error error;
    weir_mmu_config_init(&config, PORTS, 1, CELLS);
    config.egress = weir_policy_find(policy);
    weir_values_init(&values[built], config.egress);
    bool good = !name || weir_values_set(&values[built], config.egress, name, value, &error);
    config.egress_values = &values[built++];
    config.oracle = oracle;
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

static struct event next_event(struct weir_mmu *mmu, uint32_t in_of_100, uint32_t hot, weir_ps now, bool only_hot = false)
{
    struct event e = {NOTHING, draw(3) || only_hot ? hot : draw(PORTS), only_hot ? 8 : 1 + draw(CELLS_MAX)};
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
    struct weir_mmu *mmu = build("tdt", nullptr, nullptr, nullptr);
    const struct weir_view *view = weir_mmu_view(mmu);
    long seen[3] = {0, 0, 0};
    uint32_t rate = 50, hot = 0;
    for (step = 0; step < steps; step++) {
        if (step % 100 == 0) {
            rate = 20 + draw(75);
            hot = draw(PORTS);
        }
        // The buffer empties; then a few arrivals of one port, then arrivals and departures in turn: it absorbs until it
        // has sent OC2, a multiple of the packets' cells.
        long at = step / 500 % 4 == 3 ? step % 500 : -1;
        bool turns = at >= 200;
        if (at >= 0)
            rate = turns && (at < 206 || at % 2) ? 100 : 0;
        weir_cells free = weir_view_shared_free(view);
        struct event e = next_event(mmu, rate, turns ? step / 500 % PORTS : hot, step * 1000, turns);
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
    struct weir_mmu *mmu = build("followlqd", "drain", "dequeue", nullptr);
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

// A cycle: phi is what it has to be of so many cycles before.
static void after(std::deque<long> &due)
{
    pulse();
    equal("phi", rtl->dsh_phi, due.front());
    due.push_back(due.back());
    due.pop_front();
}

static void dsh(long steps)
{
    struct dsh_shim *shim = dsh_shim_new(PHI);
    equal("LOG2_CELL", 2225981, dsh_shim_log2_cell(shim));
    uint64_t now = 0;
    int32_t length = 0;
    long seen = 0;
    std::deque<long> due(DSH_LATENCY, 0); // phi of the last cycles, the newest last
    for (step = 0; step < steps; step++) {
        static const uint32_t gaps[] = {1, 20000, 200000, 2000000};
        rtl->dsh_valid = draw(20) != 0;
        bool jumps = draw(200) == 0; // by so much at once that the gradient is bounded
        if (!rtl->dsh_valid) {
            after(due);
            continue;
        }
        bool pauses = draw(600) == 0; // for so long that it is none
        now += jumps ? 1 + draw(8) : pauses ? UINT64_C(1) << (34 + draw(6)) : draw(20) ? draw(gaps[draw(4)]) : 0;
        length += jumps ? (int32_t)draw(2000) : draw(8) ? (int32_t)draw(3) - (step / 1000 % 2 ? 1 : 0) : (int32_t)draw(step / 5000 % 2 ? 60 : 6) - 2;
        if (length < 0 || length > 60000)
            length = 0;
        rtl->dsh_length = (uint32_t)length;
        rtl->dsh_now = now & ((UINT64_C(1) << 40) - 1);
        due.back() = dsh_shim_update(shim, length, (int64_t)now);
        long phi = due.back();
        after(due);
        seen += phi > 0 && phi < PHI;
    }
    if (!seen)
        equal("estimates between nothing and all that were seen", 0, 1);
    std::printf("rtl agrees: dsh: %ld arrivals, %ld estimates between 0 and Phi\n", steps, seen);
}

static uint32_t limit[4][32], feature[4][32];

// Trees with limits and leaves below these.
static void plant(uint32_t limits, uint32_t leaves)
{
    for (uint32_t t = 0; t < 4; t++)
        for (uint32_t i = 1; i < 32; i++) {
            limit[t][i] = i < 16 ? draw(limits) : (draw(leaves) - leaves / 2) & 255;
            feature[t][i] = draw(4);
            rtl->forest_write = 1;
            rtl->forest_tree = t;
            rtl->forest_index = i;
            rtl->forest_limit = limit[t][i];
            rtl->forest_feature = feature[t][i];
            pulse();
        }
}

static bool walk(const uint32_t features[4])
{
    int sum = 0;
    for (uint32_t t = 0; t < 4; t++) {
        uint32_t at = 1;
        while (at < 16)
            at = 2 * at + (features[feature[t][at]] > limit[t][at]);
        sum += (int8_t)limit[t][at];
    }
    return sum > 0;
}

static void forest(long steps)
{
    long lost = 0;
    for (step = 0; step < steps; step++) {
        // Few values in every other stretch, so that features meet limits and leaves cancel.
        uint32_t values = step / 500 % 2 ? 8 : 65536;
        if (step % 500 == 0)
            plant(values, values == 8 ? 4 : 256);
        uint32_t features[4];
        rtl->forest_features = 0;
        for (int f = 3; f >= 0; f--)
            rtl->forest_features = rtl->forest_features << 16 | (features[f] = draw(values));
        pulse();
        equal("forest", rtl->forest_lost, walk(features));
        lost += rtl->forest_lost;
    }
    std::printf("rtl agrees: forest: %ld questions, %ld lost\n", steps, lost);
}

static void finder(long steps)
{
    for (step = 0; step < steps; step++) {
        uint32_t below = 1 + draw(16), longest = 0, index = 0;
        uint64_t values = 0;
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t value = draw(below);
            values |= (uint64_t)value << 4 * i;
            if (value > longest) {
                longest = value;
                index = i;
            }
        }
        rtl->finder_values = values;
        pulse();
        equal("maximum", rtl->finder_maximum, longest);
        equal("the first that has it", rtl->finder_index, index);
    }
    std::printf("rtl agrees: maximum finder: %ld questions\n", steps);
}

// The oracle of Credence: the walk. Averages are what the library has; the RTL is given them.
static uint32_t asked[4];
static long questions;

static bool predict(const struct weir_oracle *oracle, uint64_t index, const int64_t features[WEIR_FEATURE_COUNT])
{
    (void)oracle;
    (void)index;
    asked[0] = (uint32_t)features[WEIR_FEATURE_QUEUE];
    asked[1] = (uint32_t)features[WEIR_FEATURE_QUEUE_AVERAGE];
    asked[2] = (uint32_t)features[WEIR_FEATURE_BUFFER];
    asked[3] = (uint32_t)features[WEIR_FEATURE_BUFFER_AVERAGE];
    questions++;
    return walk(asked);
}

static void credence(long steps)
{
    static struct weir_oracle oracle;
    oracle.predict = predict;
    struct weir_mmu *mmu = build("credence", "drain", "dequeue", &oracle);
    const struct weir_view *view = weir_mmu_view(mmu);
    uint32_t rate = 50, hot = 0;
    long refused = 0, predicted = 0;
    for (step = 0; step < steps; step++) {
        if (step % 100 == 0) {
            rate = 20 + draw(75);
            hot = draw(PORTS);
        }
        if (step % 1000 == 0)
            plant(CELLS, 64);
        uint64_t lengths = 0;
        weir_cells before[PORTS], used = weir_view_used(view);
        for (uint32_t q = PORTS; q-- > 0;)
            lengths = lengths << WIDTH | (uint64_t)(before[q] = weir_view_length(view, (weir_account){q}));
        long asked_before = questions;
        struct event e = next_event(mmu, rate, hot, step * 1000);
        rtl->credence_in = e.what == ENTERED || e.what == REFUSED;
        rtl->credence_out = e.what == LEFT;
        rtl->credence_queue = e.port;
        rtl->credence_cells = e.cells;
        rtl->credence_empty = weir_view_length(view, (weir_account){e.port}) == 0;
        rtl->credence_length = (uint32_t)before[e.port];
        rtl->credence_used = (uint32_t)used;
        rtl->credence_lengths = lengths;
        // Whom the library does not ask, the RTL must not heed.
        bool was_asked = questions > asked_before;
        rtl->credence_queue_average = was_asked ? asked[1] : draw(CELLS);
        rtl->credence_buffer_average = was_asked ? asked[3] : draw(CELLS);
        if (rtl->credence_in) {
            rtl->eval();
            equal("verdict of Credence", rtl->credence_accept, e.what == ENTERED);
        }
        pulse();
        for (uint32_t q = 0; q < PORTS; q++)
            equal("virtual length in Credence", (long)(rtl->credence_virtual >> WIDTH * q & ((1u << WIDTH) - 1)),
                  weir_mmu_threshold(mmu, (weir_account){q}));
        refused += e.what == REFUSED;
        predicted += was_asked && e.what == REFUSED;
    }
    if (!predicted || predicted == refused || predicted == questions)
        equal("refusals by forest and by threshold, and kept packets, that were seen", 0, 1);
    std::printf("rtl agrees: credence: %ld events, %ld refused, %ld of them by the forest of %ld that it was asked about\n", steps,
                refused, predicted, questions);
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? std::atol(argv[1]) : 100000;
    static void (*const parts[])(long) = {tdt, virtual_lqd, dsh, forest, finder, credence};
    if (argc > 2 && !(vectors = std::fopen(argv[2], "w")))
        return 2;
    rtl = new Vblocks;
    rtl->rst = 1;
    pulse();
    pulse();
    rtl->rst = 0;
    for (part = 0; part < 6; part++) {
        cycles_of = 0;
        parts[part](steps);
    }
    return vectors && std::fclose(vectors) != 0;
}

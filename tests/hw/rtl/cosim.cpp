// cosim.cpp - the traffic manager in Verilog and libweir in one process, cycle by cycle.
//
// Random arrivals, transmissions and switches of the head-drop go into the RTL. Whatever it does is asked of the MMU at
// the same moment, and everything has to be equal: each verdict, each packet that leaves and why, each counter after each
// cycle, and (tests/hw/rtl/cells.h) each cell that is taken or freed. Cells carry the packet's number, so the output shows their
// order. Cycles are checked too: tx_ready is predicted from transmissions alone, so a head-drop that delayed the scheduler
// would be seen; expulsions keep the distance of the pipeline and do not dawdle.
//
// An arrival and a packet that leaves in the same cycle do not see each other. That equals one after the other: a refused
// arrival before, since it changes nothing, and an accepted one after, since more room does not make it refused.
//
//   cosim POLICY ALPHA_EXP CYCLES SEED
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "Vweir_tm.h"
#include "verilated.h"
#include "tests/hw/rtl/cells.h"
#include "weir/mmu.h"

#ifndef PORTS
#error "PORTS, CLASSES, CELLS, PACKETS, LANES and NW are those of the RTL"
#endif

static const uint32_t QUEUES = PORTS * CLASSES;
static const uint32_t CELL_BYTES = 200;
static const uint32_t WIDTH = 32 - __builtin_clz(CELLS);       // bits of a length
static const uint32_t POINTER = 32 - __builtin_clz(CELLS - 1); // bits of a cell number
static const uint32_t CELLS_MAX = (1u << NW) - 1;

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 33) % below;
}

// Bits of a Verilog port, which verilator keeps as an integer or as words of 32 bits.
static uint32_t bits(const uint32_t *words, uint32_t at, uint32_t count)
{
    uint64_t two = words[at / 32];
    if (at % 32 + count > 32)
        two |= (uint64_t)words[at / 32 + 1] << 32;
    return (uint32_t)(two >> at % 32 & ((UINT64_C(1) << count) - 1));
}

template <typename T> static uint32_t field(const T &port, uint32_t index, uint32_t count)
{
    uint32_t words[sizeof port / 4 + 2] = {0};
    __builtin_memcpy(words, &port, sizeof port);
    return bits(words, index * count, count);
}

struct packet {
    uint32_t number, cells;
    bool marked;
};

struct world {
    Vweir_tm *rtl;
    struct weir_mmu *mmu;
    struct naive_cells *cells;
    bool expels;
    weir_ps now = 0;
    uint64_t cycle = 0, arrivals = 0, refused = 0, sent = 0, expelled = 0, interrupted = 0, by_descriptor = 0, marks = 0;
    // What the stimulus is doing.
    uint32_t left = 0, number = 0, index = 0; // of the packet that comes in
    uint32_t in_rate = 50, tx_rate = 50, largest = CELLS_MAX, hot = 0;
    // What the pipeline has to do.
    bool transmit_in_2 = false;        // a transmission is in cycle 2
    uint32_t transmit_queue = 0;       // its queue
    std::deque<uint32_t> queued[QUEUES]; // cells of each packet
    uint64_t drop_before = 0;          // cycle of the last expulsion
    uint32_t drop_cells = 0;           // its cells
    uint32_t idle = 0;                 // cycles in which an expulsion was due and nothing stood in its way
    std::deque<struct packet> sending; // left the buffer, not yet all out
    uint32_t out_index = 0;
    std::vector<struct packet> known = std::vector<struct packet>(1 << 20);

    [[noreturn]] void fail(const char *what, long rtl_says, long library_says)
    {
        std::fprintf(stderr, "cosim: cycle %llu: %s: rtl %ld, library %ld\n", (unsigned long long)cycle, what, rtl_says,
                     library_says);
        std::exit(1);
    }
    void equal(const char *what, long rtl_says, long library_says)
    {
        if (rtl_says != library_says)
            fail(what, rtl_says, library_says);
    }
    weir_ps tick() { return now += 1000000000; } // enough for the arbiter's bucket to fill

    // Of a queue, without the one in cycle 2.
    uint32_t packets(uint32_t queue) { return naive_cells_packets(cells, queue) - (transmit_in_2 && transmit_queue == queue); }

    void drive();
    void arrive();
    void take();
    void free();
    void leave();
    void out();
    void bounds();
    void counters();
};

void world::drive()
{
    if (cycle % 512 == 0) { // another kind of load
        static const uint32_t rates[] = {5, 30, 60, 90, 100};
        in_rate = rates[draw(5)];
        tx_rate = rates[draw(5)];
        largest = draw(3) ? CELLS_MAX : 1 + draw(CELLS_MAX);
        hot = draw(QUEUES);
        rtl->drop_enable = expels && draw(8) != 0;
    }
    rtl->in_valid = draw(100) < in_rate;
    rtl->in_first = left == 0;
    rtl->in_queue = draw(4) ? (hot + draw(2)) % QUEUES : draw(QUEUES);
    rtl->in_cells = left == 0 ? 1 + draw(largest) : draw(CELLS_MAX + 1);
    if (left == 0)
        index = 0;
    rtl->in_data = (uint64_t)(left == 0 ? number : number - 1) << 16 | index;
    rtl->tx_request = draw(100) < tx_rate;
    rtl->tx_queue = draw(3) ? (hot + draw(2)) % QUEUES : draw(QUEUES);
}

void world::arrive()
{
    if (!rtl->in_valid)
        return;
    if (!rtl->in_first) {
        left--;
        index++;
        return;
    }
    struct weir_packet packet = {};
    packet.handle = number;
    packet.output.i = rtl->in_queue % PORTS;
    packet.tc.i = rtl->in_queue / PORTS;
    packet.flags = WEIR_FLAG_ECN;
    packet.bytes = rtl->in_cells * CELL_BYTES - draw(CELL_BYTES);
    const struct weir_effects *fx = weir_mmu_arrive(mmu, &packet, tick());
    equal("verdict", rtl->in_accept, fx->accepted);
    arrivals++;
    refused += !fx->accepted;
    by_descriptor += fx->reason == WEIR_REASON_NO_DESCRIPTOR;
    if (fx->accepted) {
        naive_cells_arrive(cells, rtl->in_queue, rtl->in_cells);
        queued[rtl->in_queue].push_back(rtl->in_cells);
    }
    known[number % known.size()] = {number, rtl->in_cells, fx->marked};
    marks += fx->marked;
    number++;
    index = 1;
    left = rtl->in_cells - 1u;
}

void world::take()
{
    if (rtl->take_valid)
        equal("cell taken", rtl->take_cell, naive_cells_take(cells));
}

void world::free()
{
    bool sends = naive_cells_left(cells, false) > 0;
    uint32_t left_here = naive_cells_left(cells, !sends);
    uint32_t due = sends ? 1 : left_here < LANES ? left_here : LANES;
    equal("cells freed", rtl->free_valid, (1 << due) - 1);
    for (uint32_t i = 0; i < due; i++)
        equal("cell freed", field(rtl->free_cells, i, POINTER), naive_cells_free(cells, !sends));
}

void world::leave()
{
    if (!rtl->leave_valid) {
        equal("a transmission in cycle 2 leaves", 0, transmit_in_2);
        return;
    }
    uint32_t queue = rtl->leave_queue;
    equal("what leaves in cycle 2", rtl->leave_drop, !transmit_in_2);
    uint64_t handle;
    if (rtl->leave_drop) {
        const struct weir_effects *fx = weir_mmu_offer_expel(mmu, tick());
        equal("packets expelled", 1, fx->lost_count);
        equal("victim", queue, fx->lost[0].account.i);
        handle = fx->lost[0].handle;
        expelled++;
    } else {
        weir_port port = {queue % PORTS};
        tick();
        weir_mmu_pause_received(mmu, port, ~(UINT32_C(1) << queue / PORTS), now + 1, now);
        const struct weir_effects *fx = weir_mmu_depart(mmu, port, now);
        equal("packets sent", 1, fx->departed);
        equal("queue that sends", queue, fx->account.i);
        handle = fx->handle;
        sending.push_back(known[handle % known.size()]);
        sent++;
    }
    queued[queue].pop_front();
    equal("cells of the packet", rtl->leave_cells, known[handle % known.size()].cells);
    equal("cells of the descriptor", rtl->leave_cells, naive_cells_leave(cells, queue, rtl->leave_drop));
    if (rtl->leave_drop) {
        uint32_t beats = (drop_cells + LANES - 1) / LANES;
        if (cycle - drop_before < (beats > 2 ? beats : 2) && expelled > 1)
            fail("cycles since the last expulsion", (long)(cycle - drop_before), beats);
        drop_before = cycle;
        drop_cells = rtl->leave_cells;
    }
}

void world::out()
{
    if (!rtl->out_valid)
        return;
    if (sending.empty())
        fail("cells sent", 1, 0);
    const struct packet &p = sending.front();
    equal("packet on the output", (long)(rtl->out_data >> 16), p.number);
    equal("cell on the output", (long)(rtl->out_data & 65535), out_index);
    equal("mark", rtl->out_mark, p.marked);
    equal("first cell", rtl->out_first, out_index == 0);
    equal("last cell", rtl->out_last, out_index + 1 == p.cells);
    if (++out_index == p.cells) {
        out_index = 0;
        sending.pop_front();
    }
}

// Before anything of this cycle is done to the models.
void world::bounds()
{
    bool ready = naive_cells_left(cells, false) <= 2 && (!transmit_in_2 || queued[transmit_queue].front() == 1);
    bool backlog = packets(rtl->tx_queue) > 0;
    equal("tx_ready", rtl->tx_ready, ready);
    equal("tx_grant", rtl->tx_grant, rtl->tx_request && ready && backlog);
    equal("free list found empty", rtl->starved, 0);
    interrupted += rtl->interrupted;
    // Nothing is sent, freed or written, so nothing stands in the way of a victim.
    bool due = rtl->drop_enable && weir_mmu_next_event(mmu) <= now;
    idle = due && !rtl->leave_valid && !rtl->tx_grant && !transmit_in_2 && naive_cells_left(cells, false) == 0 &&
                   !rtl->in_valid && left == 0 && naive_cells_left(cells, true) == 0
               ? idle + 1
               : 0;
    if (idle > 4)
        fail("idle cycles with an expulsion due", idle, 4);
}

void world::counters()
{
    const struct weir_view *view = weir_mmu_view(mmu);
    for (uint32_t q = 0; q < QUEUES; q++)
        equal("length", field(rtl->lengths, q, WIDTH), weir_view_length(view, (weir_account){q}));
    equal("free cells", rtl->free, weir_view_shared_free(view));
    for (uint32_t q = 0; q < QUEUES; q++)
        equal("backlog", field(rtl->backlog, q, 1), packets(q) > 0);
}

static void build(struct world *w, const char *policy, int alpha_exp)
{
    static struct weir_values values;
    struct weir_mmu_config config;
    weir_mmu_config_init(&config, PORTS, CLASSES, CELLS);
    config.cell_bytes = CELL_BYTES;
    config.packets_max = PACKETS;
    config.evictions_max = 1;
    config.memory_depth_cells = 4096;
    config.memory_bps = (weir_bps)1 << 40;
    config.egress = weir_policy_find(policy);
    if (!config.egress) {
        std::fprintf(stderr, "cosim: no policy '%s'\n", policy);
        std::exit(2);
    }
    weir_values_init(&values, config.egress);
    uint64_t exponents = 0, marks_from = 0;
    for (int c = 0; c < CLASSES; c++) {
        int e = alpha_exp - 2 * c; // another alpha for each class
        values.of[0][c] = e < 0 ? 65536 >> -e : (int64_t)65536 << e;
        exponents |= (uint64_t)(e & 31) << 5 * c;
        config.marking[c] = {WEIR_MARK_STEP, 1 + (CELLS >> (3 + c)), 0, 0};
        marks_from |= (uint64_t)(1 + (CELLS >> (3 + c))) << WIDTH * c;
    }
    config.egress_values = &values;
    struct weir_error error;
    if (!weir_mmu_config_check(&config, &error)) {
        std::fprintf(stderr, "cosim: %s\n", error.text);
        std::exit(2);
    }
    w->mmu = weir_mmu_init(std::aligned_alloc(64, (weir_mmu_size(&config) + 63) / 64 * 64), &config);
    w->cells = naive_cells_new(QUEUES, CELLS, PACKETS, LANES);
    w->expels = config.egress->needs & WEIR_NEED_EXPEL;
    w->rtl->alpha_exp = exponents;
    w->rtl->mark_at = marks_from;
    w->rtl->drop_enable = w->expels;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::fprintf(stderr, "usage: cosim POLICY ALPHA_EXP CYCLES SEED\n");
        return 2;
    }
    static struct world w;
    w.rtl = new Vweir_tm;
    build(&w, argv[1], std::atoi(argv[2]));
    uint64_t cycles = std::strtoull(argv[3], nullptr, 10);
    random_state = std::strtoull(argv[4], nullptr, 10);

    w.rtl->rst = 1;
    for (int i = 0; i < 4; i++) {
        w.rtl->clk = i & 1;
        w.rtl->eval();
    }
    w.rtl->rst = 0;
    for (; w.cycle < cycles; w.cycle++) {
        w.rtl->clk = 0;
        w.drive();
        w.rtl->eval();
        w.bounds();
        w.out();
        if (!w.rtl->in_accept)
            w.arrive();
        w.take();
        w.free();
        w.leave();
        if (w.rtl->in_accept)
            w.arrive();
        w.transmit_in_2 = w.rtl->tx_grant;
        w.transmit_queue = w.rtl->tx_queue;
        w.rtl->clk = 1;
        w.rtl->eval();
        w.counters();
        if (w.cycle % 4096 == 0 && naive_cells_check(w.cells))
            w.fail(naive_cells_check(w.cells), 0, 0);
    }
    std::printf("rtl agrees: %s, %d queues, %d sublists, alpha 2^%s: %llu cycles, %llu arrivals (%llu refused, %llu for want "
                "of a descriptor), %llu marked, %llu sent, %llu expelled, %llu interrupted\n",
                argv[1], (int)QUEUES, LANES, argv[2], (unsigned long long)w.cycle, (unsigned long long)w.arrivals,
                (unsigned long long)w.refused, (unsigned long long)w.by_descriptor, (unsigned long long)w.marks, (unsigned long long)w.sent,
                (unsigned long long)w.expelled, (unsigned long long)w.interrupted);
    bool quiet = w.refused == 0 || w.marks == 0 || w.sent == 0 || (w.expels && (w.expelled == 0 || w.interrupted == 0));
    if (quiet)
        std::fprintf(stderr, "cosim: something never happened, so it was not checked\n");
    return quiet;
}

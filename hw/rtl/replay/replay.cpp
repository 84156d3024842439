// replay.cpp - a recorded trace through the RTL: reads what `weir replay --print` says of each record, does the same to
// weir_tm and compares verdict, packet and victim. replay.sh builds it for the shape of the trace (PORTS, CLASSES, NW).
//
//   weir replay --print FILE | replay CELL_BYTES ARRIVALS ALPHA_EXP...     one exponent per class
//
// ARRIVALS are those of the trace: fewer of them on the input are an error.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vweir_tm.h"
#include "verilated.h"

static Vweir_tm *rtl;
static unsigned long record;

[[noreturn]] static void fail(const char *what, long rtl_says, long recorded)
{
    std::printf("rtl disagrees: record %lu: %s: rtl %ld, recorded %ld\n", record, what, rtl_says, recorded);
    std::exit(1);
}

static void pulse()
{
    rtl->clk = 1;
    rtl->eval();
    rtl->clk = 0;
    rtl->eval();
}

// Until the last of this many cells is where it belongs.
static void rest(uint32_t cells)
{
    rtl->in_valid = rtl->tx_request = rtl->drop_enable = 0;
    for (uint32_t i = 0; i < 6 + cells; i++)
        pulse();
}

static bool arrive(uint32_t queue, uint32_t cells)
{
    static uint32_t number;
    rtl->in_valid = 1;
    rtl->in_queue = queue;
    rtl->in_cells = cells;
    rtl->in_data = number;
    number++;
    bool accepted = false;
    for (uint32_t i = 0; i < cells; i++) {
        rtl->in_first = i == 0;
        rtl->eval();
        accepted = i == 0 ? rtl->in_accept : accepted;
        pulse();
    }
    rest(0);
    return accepted;
}

// Waits for a packet to leave, and says from where.
static uint32_t leave(bool drop)
{
    for (int i = 0; i < 8; i++) {
        rtl->eval();
        if (rtl->leave_valid) {
            if (rtl->leave_drop != drop)
                fail("how a packet leaves", rtl->leave_drop, drop);
            uint32_t queue = rtl->leave_queue, cells = rtl->leave_cells;
            pulse();
            rest(cells);
            return queue;
        }
        bool granted = rtl->tx_grant;
        pulse();
        if (granted)
            rtl->tx_request = 0;
    }
    fail("packets that leave", 0, 1);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    uint32_t cell_bytes = (uint32_t)std::atoi(argv[1]);
    rtl = new Vweir_tm;
    for (int c = 0; c < CLASSES && c + 3 < argc; c++)
        rtl->alpha_exp |= (uint64_t)(std::atoi(argv[c + 3]) & 31) << 5 * c;
    __builtin_memset(&rtl->mark_at, 0, sizeof rtl->mark_at); // marks are not compared
    rtl->rst = 1;
    pulse();
    pulse();
    rtl->rst = 0;

    static char line[1 << 16];
    unsigned long arrivals = 0, sent = 0, expelled = 0;
    while (std::fgets(line, sizeof line, stdin)) {
        unsigned port, tc, bytes, packet;
        const char *text;
        if (std::sscanf(line, "%lu byte", &record) != 1)
            continue;
        if ((text = std::strstr(line, " arrive port ")) &&
            std::sscanf(text, " arrive port %u class %u %uB", &port, &tc, &bytes) == 3) {
            bool accepted = std::strstr(text, ": accepted") != nullptr;
            arrivals++;
            if (arrive(tc * PORTS + port, (bytes + cell_bytes - 1) / cell_bytes) != accepted)
                fail("verdict", !accepted, accepted);
        } else if ((text = std::strstr(line, ": departed packet ")) &&
                   std::sscanf(text, ": departed packet %u (port %u class %u)", &packet, &port, &tc) == 3) {
            rtl->tx_request = 1;
            rtl->tx_queue = tc * PORTS + port;
            if (leave(false) != tc * PORTS + port)
                fail("queue that sends", -1, tc * PORTS + port);
            if (rtl->out_data != packet)
                fail("packet that is sent", (long)rtl->out_data, packet);
            sent++;
        } else if ((text = std::strstr(line, " expel: "))) {
            while ((text = std::strstr(text, "lost packet ")) &&
                   std::sscanf(text, "lost packet %u (port %u class %u)", &packet, &port, &tc) == 3) {
                rtl->drop_enable = 1;
                uint32_t queue = leave(true);
                if (queue != tc * PORTS + port)
                    fail("victim", queue, tc * PORTS + port);
                expelled++;
                text++;
            }
        }
    }
    if (arrivals != std::strtoul(argv[2], nullptr, 10))
        fail("arrivals in all", (long)arrivals, std::atol(argv[2]));
    std::printf("rtl agrees: %lu arrivals, %lu sent, %lu expelled\n", arrivals, sent, expelled);
    return 0;
}

/*
 * options.hh - the command line: every setting with its unit and range. A mistake ends the program with one line.
 */
#ifndef NS3_OPTIONS_HH
#define NS3_OPTIONS_HH

#include <string>

#include "fabric.hh"
#include "transfers.hh"

struct Options {
    FabricConfig fabric = {{2, 4, 32, 4, 1}, 10000000000, 3000000, 1400, 65, 1000, false, 0, "", 4 << 20, ""};
    TransfersConfig transfers = {1400, 10, 0, 10000000000, 0, 1000000000};
    int64_t until_ps = 100000000000;
    uint32_t first_id = 0;
    std::string flows, out;
};

Options options_read(int argc, char **argv);

/* Prints the message and ends the program. */
[[noreturn]] void fail(const std::string &message);

#endif

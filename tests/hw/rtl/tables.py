#!/usr/bin/env python3
"""tables.py - writes the ROMs of DSH's estimator: tables.py FOLDER. In decimals, not by the library's way of bits."""
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60

HEAD = """// {name} - {purpose}
//
// Interface  index in, value out. Timing: combinational; a ROM. Written by tests/hw/rtl/tables.py, which computes it.
`default_nettype none
module {name} (
    input  wire [7:0]  index,
    output reg  [{top}:0] value
);
    always @*
        case (index)
"""


def write(folder, name, purpose, bits, values):
    digits = (bits + 3) // 4
    with open(f"{folder}/{name}.v", "w", encoding="utf-8") as out:
        out.write(HEAD.format(name=name, purpose=purpose, top=bits - 1))
        for i, value in enumerate(values):
            place = f"8'd{i}" if i < 255 else "default"
            out.write(f"            {place}: value = {bits}'h{value:0{digits}x};\n")
        out.write("        endcase\nendmodule\n`default_nettype wire\n")


def main():
    log2 = Decimal(2).ln()
    logs = [int(Decimal(2 * (256 + i) + 1).ln() / log2 * 65536) - (9 << 16) for i in range(256)]
    # The largest number whose logarithm, rounded down, is not above the middle of the interval.
    powers = [int(Decimal(2) ** (Decimal((i << 8) + 129) / 65536 + 30)) for i in range(256)]
    write(sys.argv[1], "weir_log2_rom",
          "2^16 log2(1 + (index + 1/2) / 256), rounded down: logarithms of DSH's estimator.", 16, logs)
    write(sys.argv[1], "weir_exp2_rom", "2^30 2^((index + 1/2) / 256), rounded down: powers of DSH's estimator.", 31, powers)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""frames.py - captures for a switch of four ports: two inputs keep output 1 congested, and the two others send a burst to
output 3 in the midst of it.

    frames.py FOLDER    writes FOLDER/in0.pcap to FOLDER/in3.pcap

The switch reads each at the rate of its port (dataplane.paced_inputs), so that the order of frames is all that matters.
"""

import struct
import sys

LONG, BEFORE, BURST = 700, 220, 160  # frames


def frame(source, to):
    return bytes([2, 0, 0, 0, 0, to + 1]) + bytes([2, 0, 0, 0, 0, source + 1]) + b"\x08\x00\x45" + bytes(1485)


def write(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for data in frames:
            file.write(struct.pack("<IIII", 0, 0, len(data), len(data)) + data)


outputs = [[1] * LONG, [2] * BEFORE + [3] * BURST, [0] * BEFORE + [3] * BURST, [1] * LONG]
for source, to in enumerate(outputs):
    write(f"{sys.argv[1]}/in{source}.pcap", [frame(source, port) for port in to])

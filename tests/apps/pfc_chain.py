#!/usr/bin/env python3
"""pfc_chain.py - what test_switch_pfc.sh needs of a host and of counters.

    pfc_chain.py send INTERFACE COUNT RATE   so many frames of 256 B, so many per second, for the host behind the second switch
    pfc_chain.py totals CONTROL              in, out, lost in lossless classes, missed by devices, longest absence in us, pauses sent
"""
import json
import socket
import sys
import time


def send(interface, count, per_second):
    frame = (bytes.fromhex("020000000002") + bytes.fromhex("020000000001") + bytes.fromhex("0800") +
             bytes.fromhex("4500f2000000000040110000") + bytes([10, 0, 0, 1, 10, 0, 0, 2])).ljust(252, b"\0")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((interface, 0))
        begin, sent = time.monotonic(), 0
        while sent < count:
            # A sender that was away does not catch up in one go.
            due = int((time.monotonic() - begin) * per_second)
            for _ in range(min(due - sent, count - sent, 100)):
                out.send(frame)
                sent += 1
            time.sleep(0.001)


def ask(control, command):
    with socket.socket(socket.AF_UNIX) as to:
        to.connect(control)
        to.sendall(json.dumps({"command": command}).encode() + b"\n")
        reply = b""
        while not reply.endswith(b"\n"):
            more = to.recv(65536)
            if not more:
                break
            reply += more
    return json.loads(reply)


def totals(control):
    status, ports = ask(control, "status"), ask(control, "counters")["ports"]
    missed = sum(port["SAI_PORT_STAT_IN_DROPPED_PKTS"] for port in ports)
    print(ports[0]["SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS"], ports[1]["SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS"],
          status["lossless_lost_packets"], missed, round(status["away_max_s"] * 1e6),
          sum(port["SAI_PORT_STAT_PAUSE_TX_PKTS"] for port in ports))


if sys.argv[1] == "send":
    send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    totals(sys.argv[2])

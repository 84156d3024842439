#!/usr/bin/env python3
"""check_packets.py - what `weir run --packets` wrote, judged by rules of networks that know nothing of the writer.

    check_packets.py CSV PCAPNG JSON RECORDS

Every packet is sent first, has one hop after another and an end or is still under way; a queue is first in, first out
as far as packets leave it, and none leaves before it came; as many are refused and lost as the run says, and
each flow gets as many segments as it has. The capture has the same events in the same order, IPv4 checksums that are
right, and TCP numbers that count bytes.
"""

import collections
import csv
import json
import struct
import sys

ENDS = {"received", "refused", "lost"}


def check_csv(rows, run):
    before, way, waiting = 0, {}, collections.defaultdict(list)
    counts = collections.Counter()
    for row in rows:
        when, packet, event = int(row["time_ps"]), row["packet"], row["event"]
        assert when >= before, f"{row}: before the row above it"
        before = when
        counts[event, row["why"]] += 1
        known = way.setdefault(packet, [])
        assert bool(known) == (event != "sent") or row["why"] == "nic-full", f"{row}: {known}"
        assert not known or known[-1][0] not in ENDS, f"{row}: after its end"
        hop = int(row["hop"])
        last = known[-1][1] if known else 0
        moves = {0} if event in ("sent", "left") else {0, 1}  # what queues once more is a copy that was cut
        assert hop - last in moves, f"{row}: {known}"
        known.append((event, hop))
        place = row["place"], row["class"]
        if event == "queued":
            assert row["queue_bytes"] and "-" in row["place"], row
            waiting[place].append(packet)
        elif event in ("left", "lost", "trimmed") and packet in waiting[place]:
            assert event != "left" or waiting[place][0] == packet, f"{row}: overtakes {waiting[place][0]}"
            waiting[place].remove(packet)
        else:
            assert event != "left", f"{row}: it did not wait there"
        assert event != "left" or bool(waiting[place]) == (row["queue_bytes"] != "0"), f"{row}: {waiting[place]}"
    lost = sum(count for (event, why), count in counts.items() if event in ("refused", "lost", "trimmed"))
    assert lost == run["lost"]["packets"], (lost, run["lost"], counts)
    return counts


def check_flows(rows, records):
    sent = collections.defaultdict(set)
    got = collections.defaultdict(set)
    for row in rows:
        if row["kind"] == "data" and row["event"] in ("sent", "received"):
            (sent if row["event"] == "sent" else got)[row["flow"]].add(int(row["sequence"]))
    for record in records:
        if record["finish_ps"]:
            flow = record["id"]
            assert got[flow] and got[flow] == set(range(max(got[flow]) + 1)), f"flow {flow}: {len(got[flow])} segments"
            assert got[flow] <= sent[flow], flow


def blocks(data):
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert struct.unpack_from("<I", data, at + length - 4)[0] == length, "a block's second length"
        yield kind, data[at + 8 : at + length - 4]
        at += length


def options(data):
    while data:
        code, length = struct.unpack_from("<HH", data)
        if code == 0:
            return
        yield code, data[4 : 4 + length]
        data = data[4 + (length + 3) // 4 * 4 :]


def check_capture(data, rows):
    names, ends = [], collections.defaultdict(int)
    rows = iter(rows)
    for kind, body in blocks(data):
        if kind == 1:
            names.append(dict(options(body[8:]))[2].decode())
        if kind != 6:
            continue
        row = next(rows)
        interface, high, low, kept, whole = struct.unpack_from("<IIIII", body)
        frame, beside = body[20 : 20 + kept], dict(options(body[20 + (kept + 3) // 4 * 4 :]))
        assert names[interface] == row["place"] and (high << 32 | low) == int(row["time_ps"]) // 1000, row
        source, number = row["packet"][1:].split(".")
        assert struct.unpack("<Q", beside[5])[0] == int(source) << 32 | int(number), row
        comment = beside[1].decode()
        assert comment.startswith(f"{row['place']}: {row['event']}") and row["why"] in comment, (comment, row)
        assert whole >= int(row["bytes"]) or row["kind"] != "data", row
        total = sum(struct.unpack_from(">10H", frame, 14))
        assert (total & 0xFFFF) + (total >> 16) in (0xFFFF, 0x1FFFE), "checksum"
        length, protocol = struct.unpack_from(">H", frame, 16)[0], frame[23]
        assert whole == max(14 + length, int(row["bytes"])), row
        if protocol == 6 and row["kind"] in ("data", "ack"):
            sequence, acked = struct.unpack_from(">II", frame, 38)
            if row["kind"] == "data":
                ends[row["flow"]] = max(ends[row["flow"]], sequence + length - 40)
                assert (sequence - 1) % 1448 == 0 and (sequence - 1) // 1448 == int(row["sequence"]), row
            else:
                assert 1 <= acked <= ends[row["flow"]], (acked, ends[row["flow"]], row)
    assert next(rows, None) is None, "the capture has fewer events"


def main():
    files = [open(path, newline="") for path in (sys.argv[1], sys.argv[4])]
    rows, records = (list(csv.DictReader(file)) for file in files)
    with open(sys.argv[3]) as file:
        run = json.load(file)
    counts = check_csv(rows, run)
    check_flows(rows, records)
    with open(sys.argv[2], "rb") as file:
        check_capture(file.read(), rows)
    for (event, why), count in sorted(counts.items()):
        print(f"{event}{'/' if why else ''}{why} {count}")


main()

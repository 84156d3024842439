#!/usr/bin/env python3
"""switch_network.py - what the hosts of test_switch_network.sh do: sockets in network namespaces, and a look at the
counters of the switch between them. One process holds the sockets of all hosts, so that it knows what was sent, what
came out, and what the switch says of it.

    switch_network.py CONTROL PREFIX COMMAND [ARGUMENT...]

CONTROL is the socket of the switch; host i is the namespace PREFIX + "h" + i, its interface is eth0. Exits with 1 after
one line per thing that is not as it must be.
"""

import ctypes
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time

HOSTS = 4
PATIENCE_S = 300  # for what must happen; a loaded machine takes its time
UDP_PORT = 9000
PAYLOAD = 1400
FRAME = PAYLOAD + 42  # with the headers of UDP, IP and Ethernet
CLONE_NEWNET = 0x40000000
SOL_PACKET, PACKET_AUXDATA, PACKET_OUTGOING = 263, 8, 4
VLAN_VALID, VLAN_TPID_VALID = 0x10, 0x40
SO_RCVBUFFORCE, UDP_SEGMENT = 33, 103
LATE_S = 3e-6  # of the switch's clock: what a port may be late where the outcome depends on its rate
EXIT_LATE = 75


class Failures:
    def __init__(self):
        self.count = 0

    def expect(self, what, got, expected):
        if got != expected:
            print(f"FAIL {what}: got {got}, expected {expected}")
            self.count += 1

    def expect_between(self, what, got, least, most):
        if not least <= got <= most:
            print(f"FAIL {what}: got {got}, expected {least} to {most}")
            self.count += 1


failures = Failures()


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"FAIL {what}: not within {PATIENCE_S} s")
        time.sleep(0.005)


class Switch:
    """The control socket, and its counters as sums."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")

    def ask(self, command, **more):
        self.file.write(json.dumps({"command": command, **more}) + "\n")
        self.file.flush()
        reply = json.loads(self.file.readline())
        if not reply["ok"]:
            sys.exit(f"FAIL {command}: {reply['error']}")
        return reply

    def counters(self):
        reply = self.ask("counters")
        ports = [{
            "in": port["SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS"], "in_bytes": port["SAI_PORT_STAT_IF_IN_OCTETS"],
            "out": port["SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS"], "out_bytes": port["SAI_PORT_STAT_IF_OUT_OCTETS"],
            "out_lost": port["SAI_PORT_STAT_IF_OUT_DISCARDS"], "missed": port["SAI_PORT_STAT_IN_DROPPED_PKTS"], "offered": port["offered"], "copies": port["copies"],
            "flooded": port["flooded"], "malformed_ip": port["malformed_ip"], "discarded": port["discarded"],
            "sent": 0, "sent_bytes": 0, "lost": 0, "trimmed": 0, "flushed": 0, "queued": 0} for port in reply["ports"]]
        for queue in reply["queues"]:
            port = ports[queue["port"]]
            port["sent"] += queue["SAI_QUEUE_STAT_PACKETS"]
            port["sent_bytes"] += queue["SAI_QUEUE_STAT_BYTES"]
            port["lost"] += queue["SAI_QUEUE_STAT_DROPPED_PACKETS"]
            port["trimmed"] += queue["SAI_QUEUE_STAT_TRIM_PACKETS"]
            port["flushed"] += queue["lost_by_cause"]["flushed"]
            port["queued"] += queue["SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES"]
        return ports

    def is_settled(self):
        """Whether everything that came in has come to its end."""
        ports = self.counters()
        total = {key: sum(port[key] for port in ports)
                 for key in ("in", "copies", "offered", "sent", "lost", "trimmed", "out", "out_lost")}
        discarded = sum(sum(port["discarded"].values()) for port in ports)
        return (total["in"] + total["copies"] == total["offered"] + discarded and
                total["offered"] + total["trimmed"] == total["sent"] + total["lost"] and
                total["out"] + total["out_lost"] == total["sent"])

    def settle(self):
        wait_for("every frame comes to its end", self.is_settled)


class Host:
    def __init__(self, prefix, number):
        self.name, self.number = f"{prefix}h{number}", number
        self.mac = bytes([2, 0, 0, 0, 0, number + 1])
        self.address = f"10.78.0.{number + 1}"

    def socket(self, family, kind, protocol=0):
        """A socket belongs for ever to the namespace that it was made in."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/self/ns/net", "rb") as home, open(f"/run/netns/{self.name}", "rb") as there:
            if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
                sys.exit(f"FAIL cannot enter {self.name}: {os.strerror(ctypes.get_errno())}")
            try:
                return socket.socket(family, kind, protocol)
            finally:
                libc.setns(home.fileno(), CLONE_NEWNET)

    def udp(self):
        made = self.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        made.bind((self.address, UDP_PORT))
        made.setblocking(False)
        return made

    def raw(self):
        made = self.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # ETH_P_ALL
        made.bind(("eth0", 3))
        made.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        made.setblocking(False)
        return made

    def statistics(self):
        text = subprocess.run(["ip", "-n", self.name, "-s", "-j", "link", "show", "dev", "eth0"], check=True,
                              capture_output=True, text=True).stdout
        return json.loads(text)[0]["stats64"]


def frames_received(raw, count=0):
    """Frames that came in, with the tag that the kernel took off: so many at least, which it may still have."""
    frames = []
    while True:
        try:
            frame, auxiliary, _, origin = raw.recvmsg(65536, 256)
        except BlockingIOError:
            if len(frames) >= count or not select.select([raw], [], [], PATIENCE_S)[0]:
                return frames
            continue
        if origin[2] == PACKET_OUTGOING:
            continue
        for _, _, data in auxiliary:
            status, _, _, _, _, tci, tpid = struct.unpack("=IIIHHHH", data)
            if status & VLAN_VALID:
                kind = tpid if status & VLAN_TPID_VALID else 0x8100
                frame = frame[:12] + struct.pack("!HH", kind, tci) + frame[12:]
        frames.append(frame)


def command_transfer(switch, hosts, source, destination):
    """TCP with content that is compared."""
    source, destination = hosts[int(source)], hosts[int(destination)]
    listener = destination.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((destination.address, 5001))
    listener.listen(1)
    content = os.urandom(1 << 20)
    child = os.fork()
    if child == 0:
        sender = source.socket(socket.AF_INET, socket.SOCK_STREAM)
        sender.settimeout(PATIENCE_S)
        sender.connect((destination.address, 5001))
        sender.sendall(content)
        sender.shutdown(socket.SHUT_WR)
        os._exit(0 if sender.recv(2) == b"ok" else 1)
    listener.settimeout(PATIENCE_S)
    receiver, _ = listener.accept()
    receiver.settimeout(PATIENCE_S)
    received = bytearray()
    while part := receiver.recv(65536):
        received += part
    receiver.sendall(b"ok")
    failures.expect("content of a TCP transfer", received == content, True)
    failures.expect("end of a TCP transfer", os.waitpid(child, 0)[1], 0)
    switch.settle()


def send_numbered(switch, host, udp, destination, numbers):
    """Numbered packets that leave in one piece, and none is lost before the switch: it takes them before more come."""
    before = switch.counters()[host.number]["in"]
    udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, PAYLOAD)
    udp.sendto(b"".join(number.to_bytes(PAYLOAD, "big") for number in numbers), (destination.address, UDP_PORT))
    wait_for("the switch takes packets", lambda: switch.counters()[host.number]["in"] >= before + len(numbers))


def numbers_received(udp, count):
    """At least so many, which the switch has sent and the kernel may still have."""
    numbers = []

    def take():
        try:
            while True:
                numbers.append(int.from_bytes(udp.recv(65536), "big"))
        except BlockingIOError:
            return len(numbers) >= count

    wait_for(f"{count} packets reach their host", take)
    return numbers


def dt_loss_bytes(buffer, burst, inflow, alpha=1.0):
    """What dynamic thresholds lose of a burst that arrives at `inflow` times the rate of its port while another port
    has a queue at rest; fluid, times in units of bytes at the port's rate. The old queue only drains."""
    old = alpha * buffer / (1 + alpha)
    # new queue (inflow - 1) t meets the threshold alpha (buffer - old + t - (inflow - 1) t)
    meets = alpha * (buffer - old) / ((inflow - 1) * (1 + alpha) - alpha)
    rest = burst - inflow * meets  # arrives when the queue is at its threshold, which rises with what drains
    accepted = rest / inflow * (1 + alpha / (1 + alpha))
    return max(0.0, rest - accepted)


def command_burst(switch, hosts, policy, buffer, inflow):
    """h0 keeps the queue of h2 full; then h1 sends a burst to h3. Is there room for it?"""
    buffer, inflow = int(buffer), int(inflow)
    rest_part = {"dt": 1 / 2, "occamy": 8 / 9, "lqd": 1}[policy]
    pieces, count = 18, 28
    udp = [host.udp() for host in hosts]
    for piece in range(pieces):
        send_numbered(switch, hosts[0], udp[0], hosts[2], range(piece * count, (piece + 1) * count))
    wait_for("the queue of the long-lived traffic is at rest",
             lambda: switch.counters()[2]["queued"] >= rest_part * buffer - 2 * FRAME)
    send_numbered(switch, hosts[1], udp[1], hosts[3], range(count))
    wait_for("the burst arrives", lambda: switch.counters()[1]["offered"] == count)
    left = pieces * count - switch.counters()[0]["offered"]
    late_s = switch.ask("status")["late_max_s"]
    switch.settle()
    if left == 0 or late_s > LATE_S:
        print(f"{policy}: nothing is learned, the switch was late by {late_s * 1e6:.2f} us of its time")
        sys.exit(EXIT_LATE)
    after = switch.counters()
    received = numbers_received(udp[3], count - after[3]["lost"])
    received_long = numbers_received(udp[2], pieces * count - after[2]["lost"])
    lost = count - len(received)
    failures.expect("order of the burst", received, sorted(set(received)))
    failures.expect("order of the long-lived traffic", received_long, sorted(set(received_long)))
    failures.expect("losses of the burst that the switch counted", after[3]["lost"], lost)
    failures.expect("losses of the long-lived traffic that the switch counted", after[2]["lost"],
                    pieces * count - len(received_long))
    expected = dt_loss_bytes(buffer, count * FRAME, inflow) / FRAME if policy == "dt" else 0
    print(f"{policy}: the burst lost {lost} of {count} packets, in theory {expected:.1f}")
    if policy == "dt":
        failures.expect_between("losses of the burst", lost, expected / 2, count - buffer / 4 / FRAME + 1)
    else:
        failures.expect("losses of the burst", lost, 0)


def ip_packet(changes=(), length=100):
    """IPv4 and UDP of nobody to nobody; `changes` puts wrong bytes into the header."""
    packet = bytearray(length)
    packet[0:4] = struct.pack("!BBH", 0x45, 0, length)
    packet[8:10] = bytes([64, 17])
    packet[12:20] = bytes([192, 0, 2, 1, 192, 0, 2, 2])
    for place, value in changes:
        packet[place] = value
    return bytes(packet)


def odd_frames(hosts, mtu):
    """(name, frame, what must become of it: numbers of hosts, or the reason of a discard; whether its IP is wrong).
    Tags of 802.1ad (88-a8) are tried by frames that end in them only: af_packet makes 81-00 of the outer one."""
    me, you = hosts[0].mac, hosts[1].mac
    head, nobody = you + me, bytes([2, 0, 0, 0, 9, 9]) + me
    good = b"\x08\x00" + ip_packet()
    jumbo = [1] if mtu >= 9000 else "giant"
    return [
        ("unknown destination", nobody + good, [1, 2, 3], False),
        ("broadcast", b"\xff" * 6 + me + good, [1, 2, 3], False),
        ("multicast", b"\x01\x00\x5e\x00\x00\x09" + me + good, [1, 2, 3], False),
        ("header only", head + b"\x12\x34", [1], False),
        ("short", head + b"\x12\x34" + b"12345", [1], False),
        ("IP of nothing", head + b"\x08\x00", [1], True),
        ("largest", head + b"\x12\x34" + bytes(1500), [1], False),
        ("one byte too long", head + b"\x12\x34" + bytes(1501), [1] if mtu > 1500 else "giant", False),
        ("jumbo", head + b"\x12\x34" + bytes(8986), jumbo, False),
        ("VLAN", head + b"\x81\x00\x60\x2a" + good, [1], False),
        ("VLAN, largest", head + b"\x81\x00\x60\x2a\x12\x34" + bytes(1500), [1], False),
        ("QinQ", head + b"\x81\x00\x00\x64\x81\x00\x60\x2a" + good, [1], False),
        ("cut in its second tag", head + b"\x88\xa8\x00\x64\x81\x00\x00\x01", "runt", False),
        ("length in place of a type", head + b"\x00\x20" + b"\xaa" * 46, [1], False),
        ("IP version 5", head + b"\x08\x00" + ip_packet([(0, 0x55)]), [1], True),
        ("IP header of 16 bytes", head + b"\x08\x00" + ip_packet([(0, 0x44)]), [1], True),
        ("IP header behind the end", head + b"\x08\x00" + ip_packet([(0, 0x4f)], 30), [1], True),
        ("IP longer than its frame", head + b"\x08\x00" + ip_packet([(2, 0xff)]), [1], True),
        ("IP shorter than its header", head + b"\x08\x00" + ip_packet([(3, 19)]), [1], True),
        ("IPv6 of version 4", head + b"\x86\xdd" + ip_packet(), [1], True),
        ("group as source", you + bytes([3]) + me[1:] + good, "bad-source", False),
        ("no source", you + bytes(6) + good, "bad-source", False),
        ("to where it comes from", me + bytes([2, 0, 0, 0, 8, 8]) + good, "same-port", False),
        ("link local", b"\x01\x80\xc2\x00\x00\x0e" + me + b"\x88\xcc" + bytes(46), "link-local", False),
        ("PAUSE of no kind", b"\x01\x80\xc2\x00\x00\x01" + me + b"\x88\x08\x77\x77" + bytes(44), "damaged", False),
    ]


def try_odd_frame(switch, raw, case):
    name, frame, fate, malformed = case
    before = switch.counters()[0]
    raw[0].send(frame)
    wait_for(f"{name}: the switch takes it", lambda: switch.counters()[0]["in"] > before["in"])
    switch.settle()
    after = switch.counters()[0]
    discards = {why: count - before["discarded"][why] for why, count in after["discarded"].items()}
    failures.expect(f"{name}: discards", {why: count for why, count in discards.items() if count},
                    {fate: 1} if isinstance(fate, str) else {})
    failures.expect(f"{name}: malformed IP", after["malformed_ip"] - before["malformed_ip"], int(malformed))
    outputs = [] if isinstance(fate, str) else fate
    failures.expect(f"{name}: offered to the buffer", after["offered"] - before["offered"], len(outputs))
    for number, listener in enumerate(raw):
        got = [received == frame for received in frames_received(listener, int(number in outputs))]
        failures.expect(f"{name}: frames at host {number}", got, [True] if number in outputs else [])


def command_odd(switch, hosts, mtu, *names):
    """Frames that a switch sees seldom; all of them, or those with these names."""
    raw = [host.raw() for host in hosts]
    cases = [case for case in odd_frames(hosts, int(mtu)) if not names or case[0] in names]
    for host, sender in zip(hosts[1:], raw[1:]):  # so that everybody is known
        before = switch.counters()[host.number]["in"]
        sender.send(b"\xff" * 6 + host.mac + b"\x12\x34" + bytes(46))
        wait_for("a host is known", lambda: switch.counters()[host.number]["in"] > before)
    switch.settle()
    for listener in raw:
        frames_received(listener)
    for case in cases:
        try_odd_frame(switch, raw, case)
    print(f"{len(cases)} odd frames with MTU {mtu}")


def command_stream(switch, hosts, source, destination):
    """Packets without end, faster than the port of the destination."""
    udp = hosts[int(source)].udp()
    while True:
        for _ in range(32):
            udp.sendto(bytes(PAYLOAD), (hosts[int(destination)].address, UDP_PORT))
        time.sleep(0.002)


def command_flood(switch, hosts, source, destination, count):
    """So many packets as fast as they can be sent; the switch need not answer."""
    udp = hosts[int(source)].udp()
    for _ in range(int(count)):
        try:
            udp.sendto(bytes(100), (hosts[int(destination)].address, UDP_PORT))
        except BlockingIOError:
            time.sleep(0.001)


def command_missed(switch, hosts, port):
    """The ring of the device was full, and somebody counts that."""
    wait_for(f"frames that port {port} missed", lambda: switch.counters()[int(port)]["missed"] > 0)


def command_conserve(switch, hosts, bytes_in="exact"):
    """From the interfaces of the hosts over the ports to the buffer, nothing is made or lost on the way. A device cuts
    frames that are longer than its memory for one: then `bytes_in` is "cut". Frames may still be under way on a cable,
    and the kernel of a host may send one more: then we look again. What was made or lost stays so."""
    def look():
        switch.settle()
        ports = switch.counters()
        looks.append((ports, [host.statistics() for host in hosts]))
        return (all(port["in"] + port["missed"] == there["tx"]["packets"] and port["out"] == there["rx"]["packets"]
                    for port, there in zip(*looks[-1])) or time.monotonic() > end)

    looks, end = [], time.monotonic() + PATIENCE_S / 2
    wait_for("frames on cables", look)
    ports, statistics = looks[-1]
    for host, port, there in zip(hosts, ports, statistics):
        what = f"port {host.number}"
        failures.expect(f"{what}: frames from the host", port["in"] + port["missed"], there["tx"]["packets"])
        if port["missed"] == 0 and bytes_in == "exact":
            failures.expect(f"{what}: bytes from the host", port["in_bytes"], there["tx"]["bytes"])
        failures.expect(f"{what}: frames to the host", there["rx"]["packets"], port["out"])
        failures.expect(f"{what}: bytes to the host", there["rx"]["bytes"], port["out_bytes"])
        failures.expect(f"{what}: frames from the buffer", port["out"], port["sent"])
        failures.expect(f"{what}: bytes from the buffer", port["out_bytes"], port["sent_bytes"])
        failures.expect(f"{what}: frames in", port["in"] + port["copies"],
                        port["offered"] + sum(port["discarded"].values()))
        failures.expect(f"{what}: bytes that wait", port["queued"], 0)
    offered, ended = sum(port["offered"] for port in ports), sum(port["sent"] + port["lost"] for port in ports)
    failures.expect("arrivals at the buffer", offered + sum(port["trimmed"] for port in ports), ended)


def command_fates(switch, hosts, flapped):
    """The same where links went down and up: what the interface of the switch took from its cable was taken by the
    switch or is counted as missed, and what came in has left, or has a counter. Prints how many frames that were."""
    switch.settle()
    ports = switch.counters()
    for host, port in zip(hosts, ports):
        what = f"port {host.number}"
        with open(f"/sys/class/net/port{host.number}/statistics/rx_packets", encoding="ascii") as file:
            taken = int(file.read())
        if str(host.number) not in flapped.split(","):
            failures.expect(f"{what}: frames from the host", taken, host.statistics()["tx"]["packets"])
        failures.expect(f"{what}: frames from the cable", port["in"] + port["missed"], taken)
        failures.expect(f"{what}: frames in", port["in"] + port["copies"],
                        port["offered"] + sum(port["discarded"].values()))
        failures.expect(f"{what}: frames from the buffer", port["out"] + port["out_lost"], port["sent"])
        failures.expect(f"{what}: bytes that wait", port["queued"], 0)
    offered, ended = sum(port["offered"] for port in ports), sum(port["sent"] + port["lost"] for port in ports)
    failures.expect("arrivals at the buffer", offered + sum(port["trimmed"] for port in ports), ended)
    print(sum(port["in"] + port["missed"] for port in ports))


def command_trim(switch, hosts, count, size, dscp):
    """Two hosts overload the port of a third: each packet arrives whole or cut, once, as a valid packet."""
    count, size, dscp = int(count), int(size), int(dscp)
    capture, cut, whole = hosts[2].raw(), set(), set()
    capture.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    senders = [host.udp() for host in hosts[:2]]
    before = sum(port["in"] for port in switch.counters())
    for number in range(0, count, 10):
        for sender, udp in enumerate(senders):
            udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, PAYLOAD)
            part = [(sender * count + number + i).to_bytes(4, "big") + bytes(PAYLOAD - 4) for i in range(10)]
            udp.sendto(b"".join(part), (hosts[2].address, UDP_PORT))
    wait_for("the switch takes packets",
             lambda: sum(port["in"] for port in switch.counters()) >= before + 2 * count)
    switch.settle()
    for frame in frames_received(capture, 1):
        if frame[12:14] != b"\x08\x00" or frame[23] != 17:
            continue
        total, identity = struct.unpack("!H", frame[16:18])[0], int.from_bytes(frame[42:46], "big")
        words = sum(struct.unpack("!10H", frame[14:34]))
        is_cut = len(frame) < FRAME
        failures.expect(f"length of packet {identity}", total, len(frame) - 14)
        failures.expect(f"checksum of packet {identity}", (words & 0xffff) + (words >> 16), 0xffff)
        failures.expect(f"length of frame {identity}", len(frame), size if is_cut else FRAME)
        failures.expect(f"DSCP of packet {identity}", frame[15] >> 2, dscp if is_cut else 0)
        failures.expect(f"UDP length of packet {identity}", struct.unpack("!H", frame[38:40])[0], PAYLOAD + 8)
        failures.expect(f"packet {identity} comes once", identity in cut | whole, False)
        (cut if is_cut else whole).add(identity)
    queues = [queue for queue in switch.ask("counters")["queues"] if queue["port"] == 2]
    data = next(queue for queue in queues if queue["class"] == 0)
    failures.expect_between("packets that came whole", len(whole), 1, 2 * count - 1)
    failures.expect("cut packets", len(cut), data["SAI_QUEUE_STAT_TX_TRIM_PACKETS"])
    failures.expect("losses that left a copy", data["SAI_QUEUE_STAT_TRIM_PACKETS"],
                    data["SAI_QUEUE_STAT_DROPPED_PACKETS"])
    failures.expect("copies", data["SAI_QUEUE_STAT_TRIM_PACKETS"],
                    data["SAI_QUEUE_STAT_TX_TRIM_PACKETS"] + data["SAI_QUEUE_STAT_DROPPED_TRIM_PACKETS"])
    failures.expect("packets with a fate", len(cut) + len(whole) + data["SAI_QUEUE_STAT_DROPPED_TRIM_PACKETS"],
                    2 * count)
    failures.expect("trims of the switch", switch.ask("counters")["SAI_SWITCH_STAT_TX_TRIM_PACKETS"], len(cut))


def command_link(switch, hosts, port, state):
    wait_for(f"port {port} is {state}",
             lambda: switch.ask("status")["ports"][int(port)]["link_up"] == (state == "up"))


def command_flushed(switch, hosts, port):
    """The link went down with packets waiting for it."""
    failures.expect_between(f"packets that port {port} lost with its link", switch.counters()[int(port)]["flushed"], 1,
                            1 << 32)


def command_mbufs(switch, hosts, expected=None):
    """How many mbufs are in use; with a number: waits until it is so many."""
    if expected is None:
        print(switch.ask("status")["mbufs_in_use"])
    else:
        wait_for(f"{expected} mbufs are in use", lambda: switch.ask("status")["mbufs_in_use"] == int(expected))


def main():
    control, prefix, command, *arguments = sys.argv[1:]
    hosts = [Host(prefix, number) for number in range(HOSTS)]
    globals()["command_" + command](Switch(control), hosts, *arguments)
    sys.exit(1 if failures.count else 0)


if __name__ == "__main__":
    main()

"""scheduler.py - a scheduler in Python, asked for what happens next: of the transfers that wait for a receiver, it lets
the shortest go first, at most so many at once.

    python3 scheduler.py
"""

import random

import weir

SCENARIO = """
until: 1s
topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 5us}
switch: {buffer: 100KB, policy: dt}
transports: {dctcp: {kind: dctcp, min_rto: 1ms}}
traffic: [{kind: messages, tag: transfer, transport: dctcp}]
"""


def mean_ms(at_once):
    """200 transfers to host 0 arrive at random times; how long each takes, from its arrival to its last byte."""
    drawn, waiting, under_way, times = random.Random(1), [], 0, []
    with weir.Simulation(SCENARIO) as sim:
        arrival = 0
        for number in range(200):
            arrival += round(drawn.expovariate(1 / weir.ps("100us")))
            size = drawn.choice([10_000, 50_000, 400_000])
            sim.timer(arrival, tag=(size, arrival, 1 + number % 8))
        while (event := sim.next()) is not None:
            if event.what == "timer":
                waiting.append(event.tag)
            elif event.what == "received":
                under_way -= 1
                times.append(event.when - event.tag[1])
            while waiting and under_way < at_once:
                transfer = min(waiting)
                waiting.remove(transfer)
                sim.send(transfer[2], 0, transfer[0], tag=transfer)
                under_way += 1
    return sum(times) / len(times) / 1e9


for at_once in (1, 2, 200):
    print(f"{at_once:3} at once: {mean_ms(at_once):.3f} ms per transfer")

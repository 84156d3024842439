"""simulate.py - an incast under four policies, one of which is written here, and the buffer packet by packet.

    python3 simulate.py
"""

import weir

SCENARIO = """
until: 8ms
topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 5us}
switch: {buffer: 100KB, policy: dt}
transports: {dctcp: {kind: dctcp, min_rto: 1ms}}
traffic: [{kind: incast, tag: burst, transport: dctcp, sources: h1-h8, destination: h0, bytes: 400KB}]
"""


class Reserve(weir.Policy):
    """All may share the buffer, but a part stays free for queues that are empty."""

    name = "reserve"
    params = [weir.Param("part", "ratio", 0.1, help="what stays free, of the shared pool")]

    def admit(self, arrival):
        limit = self.view.shared_cells * (1 - self.values["part"])
        return self.view.length(arrival.account) == 0 or self.view.shared_used + arrival.need_cells <= limit


def main():
    for policy in ("dt", "occamy", "lqd", Reserve):
        name = policy if isinstance(policy, str) else weir.register(policy)
        with weir.run(SCENARIO, set={"switch.policy": name}) as run:
            print(f"{name}: {run['burst.qct.max'] * 1e6:.0f} us, {run['lost.total']:.0f} packets lost")
    mmu = weir.MMU(ports=4, buffer=10_000, policy="dt", params={"alpha": 0.5})
    accepted = sum(mmu.arrive(port=2, bytes=100, now=i * 10_000).accepted for i in range(100))
    print(f"weir {weir.version()}: {accepted} of 100 packets accepted, the queue has {mmu.queue(2)} B")


if __name__ == "__main__":
    main()

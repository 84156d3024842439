# %% [markdown]
# # weir in a notebook
# Every `# %%` begins a cell: editors and Jupyter (by jupytext) show this file as a notebook, and `python3 tutorial.py` runs
# it from top to bottom. It takes a few seconds. It needs the package `weir`; pandas makes tables nicer.

# %%
import weir

weir.version(), weir.policies()

# %% [markdown]
# ## One simulation
# A scenario is the path of a file, a text or a dict. Eight hosts answer a ninth at once, twice, through a switch with 100 KB.

# %%
scenario = {
    "until": "8ms",
    "topology": {"kind": "single", "hosts": 9, "rate": "10Gbps", "delay": "5us"},
    "switch": {"buffer": "100KB", "policy": {"name": "dt", "alpha": 1}},
    "transports": {"dctcp": {"kind": "dctcp", "min_rto": "1ms"}},
    "traffic": [
        {
            "kind": "incast",
            "tag": "burst",
            "transport": "dctcp",
            "sources": "h1-h8",
            "destination": "h0",
            "bytes": "400KB",
            "rounds": 2,
            "interval": "4ms",
        }
    ],
    "measure": {"probes": [{"at": "s0", "to": "h0", "interval": "1us"}]},
}
result = weir.run(scenario)
result["burst.qct.max"], result["lost.total"]

# %% [markdown]
# Measures have the names of docs/reference/measures.md; a misspelled one says which was meant.

# %%
try:
    result["burst.qtc.max"]
except weir.WeirError as error:
    print(error)

# %%
result.flows()

# %% [markdown]
# The queue at the switch, a point each microsecond, as arrays.

# %%
queue = result.series("s0-h0")
print("highest:", max(queue.queue_bytes), "of", max(queue.used_bytes), "B in use")
try:
    import matplotlib.pyplot as plot

    plot.plot(queue.time_ps / 1e9, queue.queue_bytes / 1e3)
    plot.xlabel("time (ms)")
    plot.ylabel("queue (KB)")
except ImportError:
    pass

# %% [markdown]
# ## Step by step
# The same run, looked at half-way. Steps of any length give the same result: digests are equal.

# %%
with weir.Simulation(scenario) as sim:
    sim.step("3.9ms")
    print("after the first round:", sim["burst.flows"], "flows have ended")
    while sim.step(sim.now + weir.ps("100us")):
        pass
    assert sim.digest == result.digest

# %% [markdown]
# ## A sweep
# `weir.sweep` is the command `weir run`: all processors, a database, and nothing is made twice.

# %%
import os
import tempfile

folder = tempfile.mkdtemp()
swept = {
    **scenario,
    "seeds": 2,
    "sweep": {
        "policy": {"switch.policy": ["dt", "occamy", "lqd"]},
        "burst": {"traffic.burst.bytes": ["200KB", "400KB", "800KB"]},
    },
}
results = weir.sweep(swept, os.path.join(folder, "bursts.db"))
results.means("burst.qct.mean", "lost.total")

# %% [markdown]
# ## The buffer, packet by packet

# %%
mmu = weir.MMU(ports=4, buffer=10_000, policy="dt", params={"alpha": 0.5})
arrivals = [mmu.arrive(port=2, bytes=100, now=i * 10_000) for i in range(100)]
print(sum(arrival.accepted for arrival in arrivals), "accepted, then:", arrivals[-1].reason)
print("queue", mmu.queue(2), "B, threshold", mmu.threshold(2), "B; first out:", mmu.depart(2))

# %% [markdown]
# ## A policy of one's own
# It is asked about every packet. A few microseconds each: enough to try an idea; `tools/newpolicy --external` starts it in C.


# %%
class Reserve(weir.Policy):
    """All may share the buffer, but a part stays free for queues that are empty."""

    name = "reserve"
    params = [weir.Param("part", "ratio", 0.1, help="what stays free, of the shared pool")]

    def admit(self, arrival):
        limit = self.view.shared_cells * (1 - self.values["part"])
        return self.view.length(arrival.account) == 0 or self.view.shared_used + arrival.need_cells <= limit


weir.compare(
    scenario,
    {"DT": "dt", "Occamy": "occamy", "LQD": "lqd", "ours": Reserve},
    ["burst.qct.mean", "burst.qct.max", "lost.total"],
)

# %% [markdown]
# With a parameter, and the same packets for all: seeds are the same.

# %%
for part in (0.05, 0.2, 0.5):
    tried = weir.run(scenario, set={"switch.policy": {"name": "reserve", "part": part}}, policies=[Reserve])
    print(f"part {part}: {tried['burst.qct.max'] * 1e6:.0f} us, {tried['lost.total']:.0f} lost")

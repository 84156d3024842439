"""Simulations through Python: the same numbers as the command's, in steps, from files, texts and dicts."""

import json
import math
import signal
import sys
import types
import unittest

import weir
from support import EXAMPLES, INCAST, Folder, as_rows


class Run(Folder):
    def test_same_as_the_command(self):
        path = EXAMPLES / "incast.yaml"
        stored = json.loads(self.weir("run", "--json", "--quiet", "-o", "x.db", path))
        made = weir.run(path)
        self.assertTrue(made.done)
        self.assertEqual(made.digest, stored["digest"])
        exported = json.loads(self.weir("export", "--json", "x.db"))["runs"][0]
        self.assertEqual(made.id, exported["id"])
        self.assertEqual(made.values(), exported["measures"])
        self.assertEqual(made["incast.qct.p99"], exported["measures"]["incast.qct.p99"])

    def test_file_text_and_dict(self):
        digest = weir.run(INCAST).digest
        (self.folder / "x.yaml").write_text(json.dumps(INCAST))
        self.assertEqual(weir.run("x.yaml").digest, digest)
        self.assertEqual(weir.run(self.folder / "x.yaml").digest, digest)
        self.assertEqual(weir.run(json.dumps(INCAST, indent=1)).digest, digest)
        self.assertNotEqual(weir.run(INCAST, set={"switch.policy.alpha": 2}).digest, digest)
        self.assertIn("alpha: 2", weir.Simulation(INCAST, set={"switch.policy": {"name": "dt", "alpha": 2}}).config)

    def test_steps_change_nothing(self):
        whole = weir.run(INCAST)
        with weir.Simulation(INCAST) as sim:
            while sim.step(sim.now + weir.ps("313ns")):
                pass
            self.assertEqual(sim.digest, whole.digest)
        with weir.Simulation(INCAST) as sim:
            self.assertTrue(sim.step("3.9ms"))
            self.assertEqual(sim.now, weir.ps("3.9ms"))
            self.assertEqual(sim["burst.flows"], 8)
            self.assertFalse(sim.step())
            self.assertEqual((sim["burst.flows"], sim.digest), (16, whole.digest))

    def test_a_sweep_has_many_runs(self):
        swept = {**INCAST, "sweep": {"buffer": {"switch.buffer": ["100KB", "200KB"]}}}
        with self.assertRaisesRegex(weir.WeirError, r"describes 2 runs \(expected one: run=N chooses it, counted from 0 to 1; weir.sweep"):
            weir.run(swept)
        self.assertIn("buffer: 200KB", weir.run(swept, run=1).config)
        self.assertEqual(weir.run(swept, run=0).digest, weir.run(INCAST).digest)

    def test_perfect_oracle(self):
        changes = {"switch.policy": "credence", "switch.oracle": {"answers": "perfect"}}
        for transport in ("dctcp", "udp"):
            packets = {**INCAST, "transports": {"dctcp": {"kind": transport}}}
            if transport == "udp":
                self.assertEqual(weir.run(packets, set=changes)["lost.total"], weir.run(packets, set={"switch.policy": "lqd"})["lost.total"])
            else:
                with self.assertRaisesRegex(weir.WeirError, "needs packets that come whatever is lost"):
                    weir.run(packets, set=changes)

    def test_mistakes(self):
        with self.assertRaises(weir.WeirError) as caught:
            weir.run({**INCAST, "swich": {}})
        self.assertRegex(str(caught.exception), r"^dict:\d+:\d+: unknown key 'swich' in the scenario \(did you mean 'switch'\?\)$")
        with self.assertRaises(weir.WeirError) as caught:
            weir.run(INCAST)["burst.qtc.p99"]
        self.assertEqual(caught.exception.code, "unknown")
        self.assertIn("did you mean 'burst.qct.p99'?", str(caught.exception))
        with self.assertRaisesRegex(weir.WeirError, "nowhere.yaml: cannot open"):
            weir.run("nowhere.yaml")
        sim = weir.run(INCAST)
        sim.close()
        with self.assertRaisesRegex(weir.WeirError, "closed"):
            sim["hops"]
        for wrong in ("1 day", "-1us", "0.0001ps"):
            with self.assertRaises(weir.WeirError):
                weir.ps(wrong)


class Results(Folder):
    @classmethod
    def setUpClass(cls):
        cls.sim = weir.run(INCAST)

    def test_measures(self):
        rows = {row["name"]: row for row in as_rows(self.sim.measures())}
        self.assertEqual(rows["burst.qct.max"]["unit"], "s")
        self.assertEqual(rows["burst.qct.max"]["value"], self.sim["burst.qct.max"])
        self.assertTrue(math.isnan(self.sim["burst.delay.mean"]))

    def test_packets(self):
        self.assertEqual(as_rows(self.sim.packets()), [])
        with weir.run(INCAST, follow="all") as sim:
            self.assertEqual(sim.digest, self.sim.digest)
            rows = as_rows(sim.packets())
            lost = sum(row["event"] in ("refused", "lost") for row in rows)
            self.assertEqual(lost, sim["lost.total"])
        ways = {}
        for row in rows:
            ways.setdefault(row["packet"], []).append(row["event"])
        self.assertLessEqual({way[0] for way in ways.values()}, {"sent"})
        self.assertIn(["sent", "queued", "left", "received"], ways.values())
        few = as_rows(weir.run(INCAST, follow=2).packets())
        self.assertEqual({row["flow"] for row in few}, {2})
        with self.assertRaisesRegex(weir.WeirError, "'nobody' names no packets"):
            weir.Simulation(INCAST, follow="nobody")

    def test_flows(self):
        rows = as_rows(self.sim.flows())
        self.assertEqual([row["id"] for row in rows], list(range(1, 17)))
        self.assertEqual({row["tag"] for row in rows}, set(self.sim.tags))
        longest = max(row["fct"] for row in rows)
        self.assertAlmostEqual(longest, self.sim["burst.fct.max"], places=12)
        self.assertAlmostEqual(max(row["slowdown"] for row in rows), self.sim["burst.slowdown.max"], places=9)
        short = as_rows(weir.run(INCAST, set={"until": "100us"}).flows())
        self.assertEqual(len(short), 8)
        self.assertTrue(all(math.isnan(row["fct"]) for row in short))

    def test_series_and_curves(self):
        series = self.sim.series("s0-h0")
        self.assertEqual(len(series.time_ps), 8000)
        self.assertEqual(max(series.queue_bytes), self.sim["probe.s0-h0.queue.max"])
        self.assertEqual(self.sim.probes(), ["s0-h0"])
        with self.assertRaisesRegex(weir.WeirError, "expected one of: s0-h0"):
            self.sim.series("s0-h1")
        cdf = self.sim.curves()["burst.fct.cdf"]
        self.assertEqual((cdf.x_unit, cdf.y_unit, cdf.y[-1]), ("s", "1", 1.0))
        self.assertEqual(cdf.x[-1], self.sim["burst.fct.max"])


class Interrupt(Folder):
    # Runs for ever, were it not stopped; then it says how far it came, and goes on.
    PROGRAM = """
import weir
scenario = {0!r}
sim = weir.Simulation(scenario, set={{"until": "1000s", "traffic.burst.rounds": 10000000, "traffic.burst.interval": "100us"{1}}})
try:
    print("started", flush=True)
    {2}
except KeyboardInterrupt:
    before = sim.now
    sim.step(before + weir.ps("1us"))
    print("stopped", sim.now - before, flush=True)
"""

    # Ctrl-C at the worst moment: the thread of the first step is under way, and nobody knows it yet.
    THREAD = """
import signal, threading, weir
sim = weir.Simulation({0!r})

class Late(threading.Thread):
    def start(self):
        later = threading.Timer(0.1, super().start)
        later.start()
        signal.raise_signal(signal.SIGINT)
        later.join()

threading.Thread = Late
try:
    sim.run(progress=False)
except KeyboardInterrupt:
    print(threading.active_count(), sim.step("1us"))
"""

    # A handler of one's own that does not raise: there is no table of runs that were not made.
    HANDLED = """
import os, signal, threading, time, weir

def press():
    while not any(thread.name.startswith("ThreadPool") for thread in threading.enumerate()):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, lambda *_: None)
threading.Thread(target=press).start()
try:
    endless = {{"until": "1000s", "traffic.burst.rounds": 10000000, "traffic.burst.interval": "100us"}}
    weir.compare({0!r}, ["dt", "lqd", "cs"], ["hops"], set=endless, jobs=2)
except KeyboardInterrupt:
    print("stopped")
"""

    def check(self, call, more=""):
        child = self.start(self.PROGRAM.format({**INCAST, "measure": {}}, more, call))
        self.assertEqual(child.stdout.readline(), "started\n")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=1000)
        self.assertEqual((out, child.returncode), ("stopped 1000000\n", 0), err)

    def test_while_simulating(self):
        self.check("sim.run(progress=False)")

    def test_while_a_thread_starts(self):
        child = self.start(self.THREAD.format(INCAST))
        out, err = child.communicate(timeout=1000)
        self.assertEqual((out, child.returncode), ("1 True\n", 0), err)

    def test_while_comparing(self):
        self.check("weir.compare(sim.config, ['dt', 'lqd', 'cs'], ['hops'], jobs=2)")

    def test_with_a_handler_that_returns(self):
        child = self.start(self.HANDLED.format({**INCAST, "measure": {}}))
        out, err = child.communicate(timeout=1000)
        self.assertEqual((out, child.returncode), ("stopped\n", 0), err)


class Bar(unittest.TestCase):
    def test_in_a_notebook(self):
        class ZMQInteractiveShell:
            pass

        shown = []
        handle = types.SimpleNamespace(update=shown.append)
        display = types.ModuleType("IPython.display")
        display.HTML = lambda text: text
        display.display = lambda text, display_id: shown.append(text) or handle
        ipython = types.ModuleType("IPython")
        ipython.get_ipython, ipython.display = ZMQInteractiveShell, display
        sys.modules["IPython"] = ipython
        self.addCleanup(sys.modules.pop, "IPython")
        from weir._progress import Progress

        bar = Progress("<title>")
        bar.show(0.25, "1 of 4 runs")
        bar.close()
        self.assertEqual(len(shown), 2)
        self.assertIn("&lt;title&gt; <progress max='1' value='0.2500'>", shown[0])
        self.assertIn("1 of 4 runs", shown[0])
        self.assertIn("value='1.0000'", shown[1])
        silent = Progress("x", False)
        silent.show(0.5)
        silent.close()
        self.assertEqual(len(shown), 2)


if __name__ == "__main__":
    unittest.main()

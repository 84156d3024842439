"""The MMU packet by packet, and policies in Python beside the same in C."""

import random
import unittest

import weir
from support import EXAMPLES, INCAST, Folder, as_rows
from weir._library import ffi


class PythonDt(weir.Policy):
    """Dynamic Threshold, once more."""

    name = "python-dt"
    params = [weir.Param("alpha", "ratio", 1, min=1 / 128, max=128, per_class=True)]

    def threshold(self, account):
        return int(self.values["alpha"][account // self.view.ports] * self.view.shared_free)

    def admit(self, arrival):
        return self.view.shared(arrival.account) + arrival.need_cells <= self.threshold(arrival.account)


class PythonLqd(weir.Policy):
    """Longest Queue Drop, once more."""

    name = "python-lqd"
    needs = weir.Policy.LONGEST

    def admit(self, arrival):
        return "push"

    def victim(self, question):
        # No queue loses for one that would be as long.
        view, arrival = self.view, question.arrival
        longest = view.longest()
        if longest is None or view.shared(longest) <= view.shared(arrival.account) + arrival.need_cells:
            return None
        return longest


def drive(mmu, seed, calls=3000):
    """Random traffic; everything that came of it."""
    draw, seen, now = random.Random(seed), [], 0
    for _ in range(calls):
        now += draw.randrange(3) * 100_000
        port = draw.randrange(mmu.ports)
        if draw.random() < 0.6:
            port = port if draw.random() < 0.5 else 0
            seen.append(mmu.arrive(port, draw.randrange(64, 1500), now, tc=draw.randrange(mmu.classes)))
        else:
            seen.append(mmu.depart(port, now))
    return seen, mmu.hash()


class Mmu(unittest.TestCase):
    def test_dynamic_threshold(self):
        mmu = weir.MMU(ports=4, buffer=10_000, policy="dt", params={"alpha": 0.5})
        arrivals = [mmu.arrive(port=2, bytes=100, now=i * 10_000) for i in range(100)]
        self.assertEqual(sum(arrival.accepted for arrival in arrivals), 33)
        self.assertEqual(arrivals[-1].reason, "over-threshold")
        self.assertEqual((mmu.queue(2), mmu.used, mmu.packets, mmu.threshold(2)), (3300, 3300, 33, 3350))
        first = mmu.depart(2)
        self.assertEqual((first.handle, first.bytes, first.account), (0, 100, 2))
        self.assertIsNone(mmu.depart(1))
        self.assertEqual(mmu.counters(2)["dropped_packets"], 67)
        self.assertEqual(mmu.counters(2)["watermark_bytes"], 3300)

    def test_push_out(self):
        mmu = weir.MMU(ports=2, buffer=1000, policy="lqd")
        for i in range(10):
            self.assertTrue(mmu.arrive(0, 100, handle=100 + i).accepted)
        pushed = mmu.arrive(1, 100)
        self.assertTrue(pushed.accepted)
        self.assertEqual([(lost.handle, lost.account, lost.cause) for lost in pushed.lost], [(100, 0, "pushout")])

    def test_lossless(self):
        mmu = weir.MMU(ports=2, buffer=100_000, classes=2, headroom="sih", lossless=[1],
                       configure=lambda config: (setattr(config.uplink, "mtu_bytes", 1500), setattr(config.uplink, "headroom_cells", 10_000)))
        edges = []
        for i in range(200):
            edges += mmu.arrive(0, 1000, tc=1, input=1).edges
            if edges:
                break
        self.assertEqual((edges[0].port, edges[0].pause_mask), (1, 2))

    def test_mistakes(self):
        mmu = weir.MMU(ports=2, buffer=1000)
        for call in (lambda: mmu.arrive(2, 100), lambda: mmu.arrive(0, 100, tc=1), lambda: mmu.depart(2),
                     lambda: mmu.queue(0, 1), lambda: mmu.threshold(9)):
            with self.assertRaises(weir.WeirError):
                call()
        for size in (0, -1, 1 << 21):
            with self.assertRaises(weir.WeirError):
                mmu.arrive(0, size)
        mmu.advance(1000)
        with self.assertRaisesRegex(weir.WeirError, "time goes back"):
            mmu.arrive(0, 100, 999)
        with self.assertRaisesRegex(weir.WeirError, "did you mean 'occamy'"):
            weir.MMU(2, 1000, "ocamy")
        with self.assertRaisesRegex(weir.WeirError, "alpha"):
            weir.MMU(2, 1000, "dt", {"alhpa": 1})
        with self.assertRaises(weir.WeirError):
            weir.MMU(0, 1000)
        with self.assertRaises(weir.WeirError):
            weir.MMU(2, 1000, "credence")

    def test_layout_is_that_of_the_library(self):
        """Sizes and offsets as cffi has them are those of tests/lib/core/abi.txt and tests/run/embed/abi.txt."""
        from support import ROOT

        known = 0
        for listed in ("tests/lib/core/abi.txt", "tests/run/embed/abi.txt"):
            kind = None
            for line in (ROOT / listed).read_text().splitlines():
                words = line.split()
                if words[-1] == "bytes":
                    kind = line.rsplit(":", 1)[0]
                    try:
                        size = ffi.sizeof(kind)
                    except Exception:  # not declared for Python
                        kind = None
                        continue
                    self.assertEqual(size, int(words[-2]), kind)
                    known += 1
                elif kind and line.startswith("  ") and kind != "struct weir_verdict":
                    self.assertEqual(ffi.offsetof(kind, words[0]), int(words[2]), f"{kind}.{words[0]}")
        self.assertGreater(known, 25)


class Policies(Folder):
    def test_same_as_in_c(self):
        for own, other, params in ((PythonDt, "dt", {"alpha": [0.5, 2]}), (PythonLqd, "lqd", {})):
            for seed in range(3):
                a = drive(weir.MMU(4, 20_000, own, params, classes=2), seed)
                b = drive(weir.MMU(4, 20_000, other, params, classes=2), seed)
                self.assertEqual(a, b, f"{other}, seed {seed}")

    def test_same_digest_in_a_scenario(self):
        for alpha in (0.5, 2):
            own = weir.run(INCAST, set={"switch.policy": {"name": "python-dt", "alpha": alpha}}, policies=[PythonDt])
            other = weir.run(INCAST, set={"switch.policy": {"name": "dt", "alpha": alpha}})
            self.assertEqual(own.digest, other.digest)

    def test_compare(self):
        rows = as_rows(weir.compare(INCAST, ["dt", {"name": "dt", "alpha": 4}, {"name": weir.register(PythonDt), "alpha": 4}], ["burst.qct.mean", "lost.total"],
                                    set={"switch.buffer": "60KB"}, seeds=[1, 2], jobs=3, progress=False))
        self.assertEqual([(row["policy"], row["seed"]) for row in rows],
                         [(policy, seed) for policy in ("dt", "dt, alpha=4", "python-dt, alpha=4") for seed in (1, 2)])
        lost = {(row["policy"], row["seed"]): row["lost.total"] for row in rows}
        self.assertGreater(lost["dt", 1], lost["dt, alpha=4", 1])
        self.assertEqual(lost["dt, alpha=4", 1], lost["python-dt, alpha=4", 1])

    def test_every_slot(self):
        calls = []

        class Watcher(weir.Policy):
            name = "watcher"
            params = [weir.Param("mode", "choice", "all", choices=("none", "all")), weir.Param("wait", "time", 5_000_000),
                      weir.Param("on", "flag", True), weir.Param("size", "space", 100)]

            def setup(self):
                self.seen = 0
                calls.append(("setup", dict(self.values)))

            def admit(self, arrival):
                return arrival.index != 1

            def on_enqueue(self, event):
                calls.append(("in", event.account, event.cells))

            def on_dequeue(self, event):
                calls.append(("out", event.account, event.shared_before))

            def on_drop(self, event):
                calls.append(("drop", event.account))

            def on_idle(self, port, now):
                calls.append(("idle", port))

            def on_tick(self, now):
                calls.append(("tick", now))

            def next_tick(self):
                return self.values["wait"]

        mmu = weir.MMU(2, 1000, Watcher, {"wait": "7us"})
        mmu.arrive(1, 100)
        mmu.arrive(1, 100)
        self.assertEqual(mmu.next_event(), 7_000_000)
        mmu.advance(10)
        mmu.depart(1)
        mmu.depart(1)
        self.assertEqual(calls, [("setup", {"mode": "all", "wait": 7_000_000, "on": True, "size": 100}), ("in", 1, 100),
                                 ("drop", 1), ("tick", 10), ("out", 1, 100), ("idle", 1)])

    def test_a_class_may_be_written_again(self):
        def make(answer):
            class Again(weir.Policy):
                name = "again"

                def admit(self, arrival):
                    return answer

            return Again

        first = weir.MMU(2, 1000, make(True))
        second = weir.MMU(2, 1000, make(False))
        self.assertTrue(first.arrive(0, 10).accepted)
        self.assertFalse(second.arrive(0, 10).accepted)
        self.assertTrue(first.arrive(0, 10).accepted)

    def test_values_of_parameters_may_be_texts(self):
        def named(number, *params):
            return type("P", (weir.Policy,), {"name": f"texts-{number}", "params": list(params), "admit": lambda self, arrival: True})

        kind = named(0, weir.Param("tau", "time", "100us"), weir.Param("part", "ratio", "1/16"), weir.Param("room", "space", "50KB"),
                     weir.Param("mode", "choice", "b", choices=("a", "b")))
        kept = []
        kind.setup = lambda self: kept.append(self.values)
        weir.MMU(2, "100KB", kind)
        self.assertEqual(kept[0], {"tau": 10**8, "part": 1 / 16, "room": 50_000, "mode": "b"})
        for number, (param, said) in enumerate([
            (weir.Param("tau", "time", "100ux"), "parameter tau: '100ux' has an unknown unit"),
            (weir.Param("tau", "tme"), "parameter tau: unknown unit 'tme'"),
            (weir.Param("a", "ratio", [1]), "parameter a: .* is no ratio"),
            (weir.Param("m", "choice", "x", choices=("a", "b")), "parameter m: 'x' is not possible .expected a, b"),
        ]):
            with self.assertRaisesRegex(weir.WeirError, said):
                weir.register(named(number + 1, param))

    def test_what_it_raises_is_raised(self):
        class Wrong(weir.Policy):
            name = "wrong"

            def admit(self, arrival):
                if arrival.index == 3:
                    raise RuntimeError("at the fourth packet")
                return True

        mmu = weir.MMU(2, 1000, Wrong)
        for _ in range(3):
            mmu.arrive(0, 10)
        with self.assertRaisesRegex(RuntimeError, "at the fourth packet"):
            mmu.arrive(0, 10)
        with self.assertRaisesRegex(weir.WeirError, "cannot go on"):
            mmu.arrive(0, 10)
        with self.assertRaisesRegex(RuntimeError, "at the fourth packet"):
            weir.run(INCAST, set={"switch.policy": "wrong"}, policies=[Wrong])

        class NoVerdict(weir.Policy):
            name = "no-verdict"

            def admit(self, arrival):
                return 1.5

        with self.assertRaisesRegex(weir.WeirError, r"admit of no-verdict returned 1.5 \(expected True, False or 'push'\)"):
            weir.MMU(2, 1000, NoVerdict).arrive(0, 10)

        class WrongVictim(weir.Policy):
            name = "wrong-victim"

            def admit(self, arrival):
                return "push"

            def victim(self, question):
                return 1

        mmu = weir.MMU(2, 100, WrongVictim)
        mmu.arrive(0, 100)
        with self.assertRaisesRegex(weir.WeirError, "named account 1, which is empty"):
            mmu.arrive(0, 100)

    def test_policies_see_flows(self):
        seen = []

        class Short(weir.Policy):
            """Only the first 500 bytes of a flow enter."""

            name = "short-only"
            needs = weir.Policy.FLOW
            params = [weir.Param("entries", "count", 16)]

            @staticmethod
            def flow_table(values):
                return weir.FlowTable(entries=values["entries"], window="1us", period=100_000)

            def admit(self, arrival):
                seen.append(arrival.flow)
                return arrival.flow.bytes <= 500

        mmu = weir.MMU(2, 10_000, Short)
        with self.assertRaisesRegex(weir.WeirError, "expected flow=NUMBER"):
            mmu.arrive(0, 100)
        self.assertTrue(mmu.arrive(0, 300, now=0, flow=7, dscp=11, ecn=True, input=1).accepted)
        self.assertFalse(mmu.arrive(0, 300, now=100_000, flow=7).accepted)
        self.assertTrue(mmu.arrive(0, 300, flow=8, flow_bytes=44).accepted)
        self.assertTrue(mmu.arrive(0, 300, now=2_000_000, flow=7).accepted)
        self.assertEqual((seen[0].bytes, seen[0].dscp, seen[0].ecn, seen[0].input, seen[0].sent_bytes, seen[0].packet_bytes),
                         (300, 11, True, 1, None, 300))
        self.assertEqual((seen[1].bytes, seen[1].past_bytes, seen[1].recent_bytes, seen[1].first), (600, 300, 300, 0))
        self.assertEqual(seen[2].sent_bytes, 44)
        self.assertEqual(seen[0].hash, seen[1].hash)
        self.assertNotEqual(seen[0].hash, seen[2].hash)
        with self.assertRaisesRegex(weir.WeirError, "a flow table of 100 entries"):
            weir.MMU(2, 10_000, Short, {"entries": 100})
        self.assertTrue(weir.MMU(2, 10_000, "fab").arrive(0, 100, flow=1).accepted)

    def test_wrong_names(self):
        class Nameless(weir.Policy):
            def admit(self, arrival):
                return True

        with self.assertRaisesRegex(weir.WeirError, "no usable name"):
            weir.register(Nameless)

        class Taken(weir.Policy):
            name = "dt"

        with self.assertRaisesRegex(weir.WeirError, "there is one of this name already"):
            weir.register(Taken)


if __name__ == "__main__":
    unittest.main()

"""Messages of a program: what is sent in answer begins at the moment of the event; mistakes are errors, never another
result."""

import signal
import subprocess
import sys
import unittest

import weir
from support import ROOT, Folder

STAR = {
    "until": "50ms",
    "topology": {"kind": "single", "hosts": 9, "rate": "10Gbps", "delay": "5us"},
    "switch": {"buffer": "100KB", "policy": {"name": "dt", "alpha": 1}},
    "transports": {"dctcp": {"kind": "dctcp", "min_rto": "1ms"}},
    "traffic": [
        {"kind": "poisson", "tag": "noise", "transport": "dctcp", "sizes": "websearch", "load": 0.2, "until": "1ms"},
        {"kind": "messages", "tag": "small", "transport": "dctcp"},
        {"kind": "messages", "tag": "large", "transport": "dctcp"},
    ],
}


def ring(sim, rounds, events):
    """Each receiver sends on to the next."""

    def go_on(event):
        events.append((event.what, event.when, event.tag, event.source))
        if event.tag < rounds:
            sim.send(event.destination, (event.destination + 1) % 9, "20KB", tag=event.tag + 1, received=go_on)

    sim.send("h0", "h1", 20_000, tag=1, received=go_on)


class Messages(Folder):
    def test_loop(self):
        with weir.Simulation(STAR) as sim:
            events = []
            ring(sim, 30, events)
            self.assertFalse(sim.loop())
            self.assertTrue(sim.done)
            self.assertEqual([event[2] for event in events], list(range(1, 31)))
            flows = [flow for flow in sim.flows().to_dict("records")] if hasattr(sim.flows(), "to_dict") else sim.flows()
            mine = [flow for flow in flows if flow["tag"] == "small"]
            self.assertEqual(len(mine), 30)
            self.assertEqual([int(flow["finish_ps"]) for flow in mine], [event[1] for event in events])
            self.assertEqual([flow["start_ps"] for flow in mine[1:]], [event[1] for event in events[:-1]])
            digest = sim.digest
        for until in ("7us", "333us"):  # the same in pieces, and with two threads
            with weir.Simulation(STAR, set={"threads": 2}) as sim:
                again = []
                ring(sim, 30, again)
                while len(again) < 30:
                    self.assertTrue(sim.loop(sim.now + weir.ps(until)))
                sim.run(progress=False)
                self.assertEqual((again, sim.digest), (events, digest))

    def test_next(self):
        with weir.Simulation(STAR) as sim:
            tag = object()
            sim.timer("3us", tag="early")
            number = sim.send(2, 5, "1KB", tag=tag, traffic="large", at="4us")
            self.assertIsNone(sim.next("1us"))
            self.assertEqual(sim.now, weir.ps("1us"))
            self.assertEqual(sim.next(), weir.Event("timer", weir.ps("3us"), "early"))
            received, sent = sim.next(), sim.next()
            self.assertEqual((received.what, sent.what), ("received", "sent"))
            self.assertIs(received.tag, tag)
            self.assertEqual((sent.id, sent.source, sent.destination, sent.bytes), (number, 2, 5, 1000))
            self.assertEqual(sim.now, sent.when)
            self.assertIsNone(sim.next("40ms"))
            self.assertFalse(sim.done)
            self.assertIsNone(sim.next())
            self.assertTrue(sim.done)
            self.assertEqual(sim._messages._asked, {})

    def test_mistakes(self):
        with weir.Simulation(STAR) as sim:
            sim.step("10us")
            for call, said in (
                (lambda: sim.send(2, 2, 100), "a message from host 2 to itself"),
                (lambda: sim.send(2, 9, 100), "a message from host 2 to host 9 .expected hosts 0 to 8"),
                (lambda: sim.send("x", 3, 100), "source: 'x' is no host"),
                (lambda: sim.send(-1, 3, 100), "source: -1 is no host"),
                (lambda: sim.send(2, 3.0, 100), "destination: 3.0 is no host"),
                (lambda: sim.send(2, 3, 0), "bytes: 0 .expected a number of at least 1"),
                (lambda: sim.send(2, 3, "some"), "bytes: "),
                (lambda: sim.send(2, 3, 2.5), "bytes: 2.5"),
                (lambda: sim.send(2, 3, 2**62), "a flow has 1 to"),
                (lambda: sim.send(2, 3, 9, traffic="noise"), "no item of traffic with the tag 'noise' takes messages"),
                (lambda: sim.send(2, 3, 9, traffic=0), "traffic 0 takes no messages"),
                (lambda: sim.send(2, 3, 9, traffic=-1), "a message at None over traffic -1"),
                (lambda: sim.send(2, 3, 9, at="9us"), "a message at 9000000 ps, and it is 10000000 ps"),
                (lambda: sim.send(2, 3, 9, at=0), "a message at 0 ps, and it is 10000000 ps"),
                (lambda: sim.send(2, 3, 9, at="2s"), "when its item is on"),
                (lambda: sim.timer("9us"), "a timer at 9000000 ps"),
                (lambda: sim.timer(-5), "a timer at -5"),
                (lambda: sim.timer(2**70), "a timer at"),
                (lambda: sim.timer("soon"), "'soon' is no time"),
            ):
                with self.assertRaisesRegex(weir.WeirError, said):
                    call()
            self.assertEqual(sim._messages._asked, {})
            sim.run(progress=False)
            with self.assertRaisesRegex(weir.WeirError, "the simulation has ended"):
                sim.send(2, 3, 9)
        with self.assertRaisesRegex(weir.WeirError, "the simulation is closed"):
            sim.send(2, 3, 9)
        with self.assertRaisesRegex(weir.WeirError, "the simulation is closed"):
            sim.next()
        with weir.Simulation({**STAR, "traffic": STAR["traffic"][:1]}) as sim:
            with self.assertRaisesRegex(weir.WeirError, "expected one of kind messages"):
                sim.send(2, 3, 9)
        with self.assertRaisesRegex(weir.WeirError, "udp does not repeat what is lost"):
            weir.Simulation(STAR, set={"transports.dctcp": {"kind": "udp"}})

    def test_what_a_callback_raises(self):
        with weir.Simulation(STAR) as sim:
            sim.send(2, 3, "20KB", received=lambda event: {}[event.what])
            with self.assertRaises(KeyError):
                sim.loop()
            for call in (sim.loop, sim.next, sim.step, lambda: sim.digest, lambda: sim["lost.total"], lambda: sim.send(2, 3, 9)):
                with self.assertRaisesRegex(weir.WeirError, r"the simulation cannot go on: a callback raised KeyError\('received'\)"):
                    call()

    def test_no_loop_within_a_callback(self):
        with weir.Simulation(STAR) as sim:
            sim.timer("1us", call=lambda event: sim.loop())
            with self.assertRaisesRegex(weir.WeirError, "the simulation is in a callback"):
                sim.loop()
            with self.assertRaisesRegex(weir.WeirError, "cannot go on: a callback raised"):
                sim.loop()

    def test_of_a_policy(self):
        class Asks(weir.Policy):
            name = "asks"

            def admit(self, arrival):
                inner.append(1)
                asked.send(1, 2, 100)
                return True

        inner = []
        with weir.Simulation(STAR, set={"switch.policy": "asks"}, policies=[Asks]) as asked:
            asked.send(1, 2, 100)
            with self.assertRaisesRegex(weir.WeirError, "in a call already: a policy must not call what it decides for"):
                asked.loop()
            self.assertEqual(inner, [1])

    def test_stop(self):
        with weir.Simulation(STAR) as sim:
            events = []
            ring(sim, 1000, events)
            sim.timer("500us", call=lambda event: sim.stop())
            self.assertTrue(sim.loop())
            self.assertLess(sim.now, weir.ps("5ms"))
            before = len(events)
            sim.loop("2ms")
            self.assertGreater(len(events), before)

    def test_interrupt(self):
        child = self.start(
            "import weir, sys\n"
            f"sim = weir.Simulation({STAR!r}, set={{'until': '50s'}})\n"
            "def again(event):\n"
            "    sim.send(event.destination, event.source, 100, received=again)\n"
            "    if event.source == 1: print('.', flush=True)\n"
            "sim.send(1, 2, 100, received=again)\n"
            "try:\n"
            "    sim.loop()\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted', flush=True)\n"
        )
        self.assertEqual(child.stdout.readline(), ".\n")
        child.send_signal(signal.SIGINT)
        said, wrong = child.communicate(timeout=60)
        self.assertTrue(said.endswith("interrupted\n"), wrong)

    def test_examples(self):
        for name, lines in (("parameter_server", r"dt: [\d.]+ ms per iteration, \d+ packets lost\n"),
                            ("scheduler", r"  1 at once: [\d.]+ ms per transfer\n")):
            made = subprocess.run([sys.executable, ROOT / f"docs/examples/{name}.py"], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertRegex(made.stdout, lines)
            self.assertEqual(made.stdout.count("\n"), 3)


if __name__ == "__main__":
    unittest.main()

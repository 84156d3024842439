"""What happens where Python and the library call each other: exceptions, Ctrl-C, threads, and objects that are gone."""

import copy
import gc
import os
import pickle
import random
import signal
import sys
import threading
import time
import unittest
import weakref

import weir
from support import INCAST, Folder

SHORT = {**INCAST, "until": "2ms", "measure": {}}


def policy(name, **slots):
    """A policy that accepts everything, but for these slots."""
    return type(name.replace("-", "_"), (weir.Policy,), {"name": name, "admit": lambda self, arrival: True, **slots})


def raises(self, *_):
    raise RuntimeError("in a slot")


class Failures(unittest.TestCase):
    def test_every_call_raises_what_happened_in_it(self):
        slots = {
            "setup": lambda mmu: None,
            "admit": lambda mmu: mmu.arrive(0, 10),
            "threshold": lambda mmu: mmu.threshold(0),
            "next_tick": lambda mmu: mmu.next_event(),
            "on_idle": lambda mmu: mmu.depart(0),
            "on_enqueue": lambda mmu: mmu.arrive(0, 10),
        }
        for slot, call in slots.items():
            with self.subTest(slot=slot), self.assertRaisesRegex(RuntimeError, "in a slot"):
                call(weir.MMU(2, 1000, policy("raises-in-" + slot.replace("_", "-"), **{slot: raises})))
        weir.MMU(2, 1000, "dt").arrive(0, 10)  # nothing is left for an object that has nothing to do with it

    def test_a_failed_object_answers_no_more(self):
        mmu = weir.MMU(2, 1000, policy("fails", admit=raises))
        with self.assertRaises(RuntimeError):
            mmu.arrive(0, 10)
        for call in (lambda: mmu.arrive(0, 10), mmu.hash, mmu.next_event, lambda: mmu.counters(0), lambda: mmu.packets,
                     lambda: mmu.queue(0), lambda: mmu.used):
            with self.assertRaisesRegex(weir.WeirError, r"the MMU cannot go on: its policy raised RuntimeError\('in a slot'\)"):
                call()
        sim = weir.Simulation(SHORT, set={"switch.policy": "fails"}, policies=[policy("fails", admit=raises)])
        with self.assertRaisesRegex(RuntimeError, "in a slot"):
            sim.run()
        for call in (sim.step, sim.values, sim.curves, sim.flows, lambda: sim.digest, lambda: sim["hops"], lambda: sim.now):
            with self.assertRaisesRegex(weir.WeirError, "the simulation cannot go on"):
                call()
        self.assertIn("failed: RuntimeError", repr(sim))
        sim.close()
        self.assertIn("closed", repr(sim))

    def test_answers_out_of_range(self):
        for slot, answer, call in (("threshold", -1, lambda mmu: mmu.threshold(0)), ("next_tick", -5, weir.MMU.next_event),
                                   ("next_tick", 2**64, weir.MMU.next_event), ("threshold", 2**64, lambda mmu: mmu.threshold(0))):
            mmu = weir.MMU(2, 1000, policy("wrong-" + slot.replace("_", "-"), **{slot: lambda self, *_: answer}))
            with self.assertRaisesRegex(weir.WeirError, f"{slot} of wrong-.* returned"):
                call(mmu)

    def test_what_the_library_cannot_bear(self):
        with self.assertRaisesRegex(weir.WeirError, "policy expels: victim is missing"):
            weir.MMU(2, 1000, policy("expels", needs=weir.Policy.EXPEL))
        mmu = weir.MMU(2, 1000, policy("asks", admit=lambda self, arrival: self.view.longest() is None))
        with self.assertRaisesRegex(weir.WeirError, "must not ask for the longest account"):
            mmu.arrive(0, 10)
        robs = policy("robs", admit=lambda self, arrival: "push", victim=lambda self, question: 1)
        mmu = weir.MMU(1, 1000, robs, classes=2, lossless=[1], headroom="sih")
        mmu.arrive(0, 100, tc=1)
        with self.assertRaisesRegex(weir.WeirError, "named account 1, whose class is lossless"):
            for _ in range(30):
                mmu.arrive(0, 100, tc=0)

    def test_a_refused_call_changes_nothing(self):
        mmu = weir.MMU(2, 1000, policy("inward-time", admit=lambda self, arrival: arrive_later()))

        def arrive_later():
            with self.assertRaisesRegex(weir.WeirError, "a policy must not call"):
                mmu.arrive(0, 10, now=10**15)
            return True

        mmu.arrive(0, 10, now=5)
        for wrong, error in ((2**62, weir.WeirError), (2**70, weir.WeirError), (4, weir.WeirError), (7.5, TypeError), ("9", TypeError)):
            with self.assertRaises(error):
                mmu.arrive(0, 10, now=wrong)
            with self.assertRaises(error):
                mmu.advance(wrong)
        self.assertEqual(mmu.now, 5)
        self.assertTrue(mmu.arrive(0, 10, now=6).accepted)

    def test_failures_belong_to_their_object(self):
        """Healthy policies beside failing ones in other threads."""
        expected = weir.run(SHORT, set={"switch.policy": "healthy"}, policies=[policy("healthy")]).digest
        wrong = []

        def healthy():
            for _ in range(4):
                try:
                    if weir.run(SHORT, set={"switch.policy": "healthy"}).digest != expected:
                        wrong.append("another digest")
                except BaseException as error:
                    wrong.append(repr(error))

        def failing():
            for index in range(40):
                mmu = weir.MMU(2, 1000, policy("fails", admit=raises))
                try:
                    mmu.arrive(0, 10)
                    wrong.append("no exception")
                except RuntimeError:
                    pass

        threads = [threading.Thread(target=work) for work in (healthy, failing, healthy, failing)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Lives(unittest.TestCase):
    def test_instances_end_with_their_object(self):
        seen = []
        kept = policy("kept", setup=lambda self: seen.append(weakref.ref(self)))
        mmu = weir.MMU(2, 1000, kept)
        del mmu
        sim = weir.Simulation(SHORT, set={"switch.policy": "kept"}, policies=[kept])
        sim.step("1us")
        sim.close()
        gc.collect()
        self.assertEqual([one() for one in seen], [None] * len(seen))
        self.assertGreaterEqual(len(seen), 2)

    def test_what_nobody_holds_is_released(self):
        """Without close(), and although a policy keeps what it decides for."""
        seen = []
        kept = policy("holds", setup=lambda self: seen.append(self))
        for make in (lambda: weir.Simulation(SHORT, set={"switch.policy": "holds"}, policies=[kept]),
                     lambda: weir.MMU(2, 1000, kept)):
            made = make()
            seen[-1].mine = made
            gone = [weakref.ref(made), weakref.ref(seen[-1])]
            seen.clear()
            del made
            gc.collect()
            self.assertEqual([one() for one in gone], [None, None])

    def test_a_view_of_what_is_gone_raises(self):
        seen = []
        mmu = weir.MMU(2, 1000, policy("seen", setup=lambda self: seen.append(self)))
        view = seen[0].view
        self.assertEqual((view.shared_free, view.length(0)), (1000, 0))
        del mmu
        gc.collect()
        for look in (lambda: view.shared_free, lambda: view.length(0), lambda: view.longest(), lambda: view.rate_bps(0),
                     lambda: view.ports, lambda: seen[0].view.used):
            with self.assertRaisesRegex(weir.WeirError, "the view is of an MMU or a simulation that is gone"):
                look()
        with self.assertRaisesRegex(TypeError, "cannot be copied"):
            seen = []
            mmu = weir.MMU(2, 1000, policy("seen", setup=lambda self: seen.append(self)))
            copy.copy(seen[0].view)

    def test_memory_that_is_made_again(self):
        """A perfect oracle's run comes before the first step, which makes every memory again; so does a second __init__."""
        seen = []
        kind = policy("again", setup=lambda self: seen.append(self))
        scenario = {
            "until": "20us",
            "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts_per_leaf": 2},
            "switch": {"buffer": "10KB", "policy": "again",
                       "tiers": {"spine": {"policy": "credence", "oracle": {"answers": "perfect"}}}},
            "transports": {"u": {"kind": "udp", "rate": "8Gbps"}},
            "traffic": [{"kind": "long", "transport": "u", "sources": "h0", "destinations": "h3", "bytes": "9KB"}],
        }
        with weir.Simulation(scenario, policies=[kind]) as sim:
            first = seen[:]
            sim.step("1us")
            last = len(seen) - len(first)
            self.assertGreater(last, 0)
            for one in seen[:last]:
                with self.assertRaisesRegex(weir.WeirError, "is gone"):
                    one.view.used
            self.assertEqual([one.view.used >= 0 for one in seen[last:]], [True] * len(first))
            sim.run(progress=False)
        seen.clear()
        mmu = weir.MMU(200, 10_000_000, kind)
        mmu.__init__(2, 1000, kind)
        gc.collect()
        self.assertEqual((seen[0].view.used, seen[0].view.buffer_cells), (0, 10_000_000))
        with self.assertRaisesRegex(RuntimeError, "in a slot"):
            weir.MMU(200, 10_000_000, policy("no-setup", setup=lambda self: (seen.append(self), raises(self))))
        gc.collect()
        with self.assertRaisesRegex(weir.WeirError, "is gone"):
            seen[-1].view.used

    def test_no_copies(self):
        sim = weir.Simulation(SHORT)
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "a simulation cannot be copied"):
                make(sim)
            with self.assertRaisesRegex(TypeError, "an MMU cannot be copied"):
                make(weir.MMU(2, 1000))

    def test_configure_decides_the_shape(self):
        def shrink(config):
            config.ports = 2

        mmu = weir.MMU(8, 1000, configure=shrink)
        self.assertEqual((mmu.ports, mmu.queue(1)), (2, 0))
        for call in (lambda: mmu.queue(5), lambda: mmu.threshold(5), lambda: mmu.counters(5), lambda: mmu.depart(5)):
            with self.assertRaises(weir.WeirError):
                call()


class Calls(unittest.TestCase):
    def test_not_from_a_handler_that_interrupted_one(self):
        told = set()
        within = []

        def handler(*_):
            for call in (lambda: sim.now, sim.step, sim.close, lambda: sim.digest):
                try:
                    call()
                    told.add("answered")
                except weir.WeirError as error:
                    told.add(str(error))

        def admit(self, arrival):  # the handler runs here, or just before or after
            within.append(0)
            if len(within) % 10 == 0:
                signal.raise_signal(signal.SIGALRM)
            return True

        before = signal.signal(signal.SIGALRM, handler)
        try:
            sim = weir.Simulation(SHORT, set={"switch.policy": "handled"}, policies=[policy("handled", admit=admit)])
            call, original = [], weir._boundary.Boundary.run

            def run(self, *arguments):
                call.append(0)
                if len(call) % 7 == 0:
                    signal.raise_signal(signal.SIGALRM)  # before the policy is known to be in
                return original(self, *arguments)

            weir._boundary.Boundary.run = run
            try:
                sim.step("1ms")
            finally:
                weir._boundary.Boundary.run = original
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(told, {"the simulation is in a call already: a policy must not call what it decides for",
                                "the simulation is in a call already: a signal's handler must not make another"})

    def test_not_from_within_a_policy(self):
        told = []

        def admit(self, arrival):
            for name, call in calls.items():
                try:
                    call()
                    told.append(f"{name} was answered")
                except weir.WeirError as error:
                    if "a policy must not call what it decides for" not in str(error):
                        told.append(str(error))
            return True

        inward = policy("inward", admit=admit)
        sim = weir.Simulation(SHORT, set={"switch.policy": "inward"}, policies=[inward])
        calls = {"close": sim.close, "step": sim.step, "digest": lambda: sim.digest, "values": sim.values}
        sim.step("1ms")
        self.assertGreater(sim["hops"], 0)
        mmu = weir.MMU(2, 1000, inward)
        calls = {"arrive": lambda: mmu.arrive(0, 10), "hash": mmu.hash, "threshold": lambda: mmu.threshold(0)}
        mmu.arrive(0, 10)
        self.assertEqual(told, [])

    def test_one_thread_at_a_time(self):
        sim = weir.Simulation(SHORT, set={"until": "1s", "traffic.burst.rounds": 200})
        refused = []
        worker = threading.Thread(target=sim.run, kwargs={"progress": False})
        worker.start()
        while worker.is_alive():
            for call in (sim.step, sim.values, sim.close, lambda: sim.now, lambda: repr(sim)):
                try:
                    call()
                except weir.WeirError as error:
                    if "is closed" in str(error):
                        break  # between two of its calls
                    refused.append(str(error))
            sim.stop() if len(refused) > 50 else None
        worker.join()
        self.assertTrue(any("another thread has made it" in text for text in refused))


class CtrlC(Folder):
    # A policy in Python under Ctrl-C at random moments: a simulation that goes on gets the digest.
    PROGRAM = """
import os, random, signal, threading, time, weir

class Mine(weir.Policy):
    "Dynamic Threshold"
    name = "mine"
    def admit(self, arrival):
        return self.view.shared(arrival.account) + arrival.need_cells <= self.view.shared_free

scenario = {0!r}
expected = weir.run(scenario, set={{"switch.policy": "mine"}}, policies=[Mine]).digest
draw = random.Random({1})
pressed = wrong = finished = 0

def press(times):
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(draw.random() * 0.002)

while pressed < {2}:
    sim = weir.Simulation(scenario, set={{"switch.policy": "mine"}})
    done = failed = False
    while not done and not failed:
        timer = threading.Timer(draw.random() * 0.02, press, (1 + (draw.random() < 0.2),))  # twice: in the middle of a call
        try:
            timer.start()
            sim.run(progress=False)
        except KeyboardInterrupt:
            pressed += 1
        except weir.WeirError as error:
            failed = True
            assert "its policy raised KeyboardInterrupt" in str(error), error
        waited = False
        while not waited:
            try:
                if timer.ident is not None:  # else Ctrl-C has come before its thread
                    timer.join()
                time.sleep(0.03)  # one that is on its way
                waited = True
            except RuntimeError:  # Ctrl-C has come while the thread started: it runs, and nobody has noted it
                time.sleep(0.01)
            except KeyboardInterrupt:
                pressed += 1
        try:
            done = sim.done
        except weir.WeirError:
            failed = True
    if not failed:
        finished += sim.digest == expected
        wrong += sim.digest != expected
print(pressed >= {2}, wrong, finished > 0)
"""

    def test_another_digest_never(self):
        seed = random.randrange(1 << 30)
        child = self.start(self.PROGRAM.format(SHORT, seed, 20 * int(os.environ.get("WEIR_TEST_ROUNDS", "1"))))
        out, err = child.communicate(timeout=1000)
        self.assertEqual((out, child.returncode), ("True 0 True\n", 0), f"seed {seed}: {err}")

    def test_twice_ends_a_policy_that_hangs(self):
        program = """
import weir
class Hangs(weir.Policy):
    name = "hangs"
    def admit(self, arrival):
        print("here", flush=True)
        while True:
            pass
sim = weir.Simulation({0!r}, set={{"switch.policy": "hangs"}}, policies=[Hangs])
try:
    sim.step("1ms")
except KeyboardInterrupt:
    pass
try:
    print(sim.digest)
except weir.WeirError as error:
    print(error)
""".format(SHORT)
        child = self.start(program)
        self.assertEqual(child.stdout.readline(), "here\n")
        for _ in range(2):
            child.send_signal(signal.SIGINT)
            time.sleep(0.2)
        out, err = child.communicate(timeout=1000)
        self.assertEqual(out, "the simulation cannot go on: its policy raised KeyboardInterrupt()\n", err)


if __name__ == "__main__":
    unittest.main()

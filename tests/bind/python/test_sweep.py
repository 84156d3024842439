"""Sweeps through Python: the same databases and ids as the command's, whoever began them."""

import json
import signal
import sqlite3
import time
import unittest
from contextlib import closing

import weir
from support import INCAST, Folder, as_rows

SWEPT = {
    **INCAST,
    "name": "swept",
    "seeds": 2,
    "sweep": {"policy": {"switch.policy": ["dt", "occamy"]}, "buffer": {"switch.buffer": ["100KB", "200KB"]}},
}


class Sweep(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "swept.yaml").write_text(json.dumps(SWEPT))

    def test_one_database_for_both(self):
        self.weir("run", "--quiet", "--only", "policy=dt", "swept.yaml")
        made = weir.sweep("swept.yaml", progress=False)
        self.assertEqual(made.path, "swept.db")
        listed = self.weir("run", "--list", "swept.yaml").splitlines()
        self.assertEqual(sum(" done " in line for line in listed), 8, listed)
        rows = as_rows(made.measures("burst.qct.mean", "hops"))
        self.assertEqual([(row["policy"], row["buffer"], row["seed"]) for row in rows],
                         [(policy, buffer, seed) for policy in ("dt", "occamy") for buffer in ("100KB", "200KB") for seed in (1, 2)])
        self.assertEqual({row["run"] for row in rows}, {run["id"] for run in made.export()["runs"]})
        # Each is the run that this process makes.
        for number in (0, 5):
            own = weir.run(SWEPT, run=number)
            self.assertEqual((own.id, own["burst.qct.mean"]), (rows[number]["run"], rows[number]["burst.qct.mean"]))

    def test_means_and_curves(self):
        made = weir.sweep(SWEPT, "out.db", jobs=2, progress=True)
        rows, means = as_rows(made.measures("burst.qct.mean")), as_rows(made.means("burst.qct.mean"))
        self.assertEqual([row["seeds"] for row in means], [2, 2, 2, 2])
        self.assertAlmostEqual(means[1]["burst.qct.mean"], (rows[2]["burst.qct.mean"] + rows[3]["burst.qct.mean"]) / 2)
        self.assertEqual([row["buffer"] for row in means], [100e3, 200e3, 100e3, 200e3])
        values = [row["burst.qct.mean"] for row in rows[2:4]]
        self.assertAlmostEqual(means[1]["burst.qct.mean.half"], 12.706 * abs(values[0] - values[1]) / 2, 9)
        points = as_rows(made.curves("burst.fct.cdf"))
        self.assertEqual(len({(row["policy"], row["buffer"], row["seed"]) for row in points}), 8)
        self.assertEqual((points[0]["policy"], points[-1]["y"]), ("dt", 1.0))
        self.assertEqual(made.axes, ["policy", "buffer"])
        with self.assertRaisesRegex(weir.WeirError, r"no run has a measure 'nix' \(expected"):
            made.measures("nix")
        with self.assertRaisesRegex(weir.WeirError, r"'burst.qtc.mean' \(did you mean 'burst.qct.mean'\?\)"):
            made.means("burst.qtc.mean")
        with self.assertRaisesRegex(weir.WeirError, r"no run has a curve 'burst.fct.cd' \(expected burst.fct.cdf\)"):
            made.curves("burst.fct.cd")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["out.db", "swept.yaml"])  # nothing else
        self.assertEqual(repr(weir.results("out.db")), "<weir.Results out.db>")

    def test_policies_in_python(self):
        class Half(weir.Policy):
            """Dynamic Threshold in Python."""

            name = "sweep-half"
            params = [weir.Param("alpha", "ratio", 1)]

            def admit(self, arrival):
                view = self.view
                return view.shared(arrival.account) + arrival.need_cells <= self.values["alpha"] * view.shared_free

        own = weir.sweep({**SWEPT, "sweep": {"policy": {"switch.policy": [Half, "dt"]}}}, jobs=2, progress=False)
        means = as_rows(own.means("burst.qct.mean", "lost.total"))
        self.assertEqual([(row["policy"], row["seeds"]) for row in means], [("sweep-half", 2), ("dt", 2)])
        self.assertEqual(means[0]["burst.qct.mean"], means[1]["burst.qct.mean"])
        made = weir.sweep(SWEPT, jobs=2, progress=False, set={"sweep.policy": {"switch.policy": [Half, {"name": "sweep-half", "alpha": 0.1}]}})
        self.assertEqual(len(as_rows(made.measures("hops"))), 8)
        self.assertEqual(made.axes, ["policy", "buffer"])

        class Broken(weir.Policy):
            name = "sweep-broken"

            def admit(self, arrival):
                raise ValueError(f"packet {arrival.index}")

        with self.assertRaisesRegex(weir.WeirError, "run 0: .*packet 0"):
            weir.sweep(INCAST, set={"switch.policy": Broken}, progress=False)
        with self.assertRaisesRegex(weir.WeirError, "no results are kept"):
            weir.sweep(SWEPT, "out.db", set={"switch.policy": Half})

    def test_plot(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is missing")
        matplotlib.use("Agg")
        made = weir.sweep({**SWEPT, "seeds": 3}, "out.db", progress=False)
        axes = made.plot("burst.qct.mean")
        self.assertEqual((axes.get_xlabel(), [text.get_text() for text in axes.get_legend().get_texts()]), ("buffer", ["dt", "occamy"]))
        line = axes.containers[0].lines[0]
        means = as_rows(made.means("burst.qct.mean"))
        self.assertEqual(list(line.get_xdata()), [100e3, 200e3])
        self.assertAlmostEqual(line.get_ydata()[1], means[1]["burst.qct.mean"])
        matplotlib.pyplot.close("all")
        self.assertEqual(len(made.plot("lost.total", x="policy", buffer="100KB").containers), 1)
        with self.assertRaisesRegex(weir.WeirError, "there is no axis 'size' .expected policy, buffer"):
            made.plot("lost.total", x="size")
        with self.assertRaisesRegex(weir.WeirError, "did you mean 'lost.total'"):
            made.plot("lost.totl")

    def test_mistakes(self):
        with self.assertRaisesRegex(weir.WeirError, r"set switch.polcy=dt: .*did you mean"):
            weir.sweep("swept.yaml", set={"switch.polcy": "dt"}, progress=False)
        with self.assertRaisesRegex(weir.WeirError, "expected output="):
            weir.sweep(SWEPT)
        with self.assertRaisesRegex(weir.WeirError, "nowhere.db: no such file"):
            weir.results("nowhere.db")
        (self.folder / "no.db").write_text("no database")
        with self.assertRaises(weir.WeirError):
            weir.results("no.db").measures()

    def test_ctrl_c_keeps_what_is_done(self):
        # Four short runs and four that end in hours: one processor makes the short ones first.
        long = {**SWEPT, "sweep": {"long": {"until": ["1ms", "100000s"]}}, "seeds": 4}
        long["traffic"] = [{**INCAST["traffic"][0], "rounds": 100000000}]
        long["measure"] = {}
        (self.folder / "long.yaml").write_text(json.dumps(long))
        child = self.start("""
import weir
try:
    weir.sweep("long.yaml", "long.db", jobs=1, progress=False)
except KeyboardInterrupt:
    print("stopped", len(weir.results("long.db").export()["runs"]), flush=True)
""")
        deadline = time.monotonic() + 1000
        done = 0
        while done < 4 and time.monotonic() < deadline and child.poll() is None:
            time.sleep(0.05)
            try:
                with closing(sqlite3.connect("file:long.db?mode=ro", uri=True)) as store:
                    done = store.execute("SELECT count(*) FROM run").fetchone()[0]
            except sqlite3.Error:
                pass
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=1000)
        self.assertEqual(child.returncode, 0, err)
        self.assertTrue(out.startswith("stopped"), out + err)
        listed = self.weir("run", "--list", "-o", "long.db", "long.yaml").splitlines()
        self.assertEqual(sum(" done " in line for line in listed), 4, listed)


if __name__ == "__main__":
    unittest.main()

"""Sweeps: made by the command ``weir``, so that ids, databases, processes and time are the command's own."""

from __future__ import annotations

import difflib
import json
import math
import multiprocessing
import os
import re
import signal
import sqlite3
import statistics
import subprocess
import tempfile
from contextlib import closing
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._library import WeirError, find_command
from ._progress import Progress
from ._scenario import Changes, Scenario, Source, has_policies, read_source, write_changes
from ._table import table
from .simulation import Simulation, count_runs, describe

_LOOK_S = 0.25
_VIOLATION = 1  # the runs were made, and something happened in them that must not: the results say so


class Results:
    """A database of results, as ``weir run`` writes it."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        self._exported: Dict[bool, Any] = {}

    def export(self, curves: bool = False) -> Any:
        """What ``weir export --json`` writes, as dicts and lists."""
        if curves not in self._exported:
            command = [find_command(), "export", "--json", *(["--curves"] if curves else []), self.path]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode != 0:
                raise WeirError(_first_error(made.stderr) or f"weir export ended with status {made.returncode}")
            self._exported[curves] = json.loads(made.stdout)
        return self._exported[curves]

    @property
    def axes(self) -> List[str]:
        """Names of the axes of the sweep."""
        return [axis["name"] for axis in self.export()["experiment"]["axes"]]

    def measures(self, *names: str) -> Any:
        """A table with a row per run: its place in the sweep, its seed, and these measures (all, if none is named)."""
        rows = []
        for run in self.export()["runs"]:
            values = run.get("measures", {})
            chosen = {name: values.get(name) for name in names} if names else values
            rows.append({**_place(run), "seed": run["seed"], "run": run["id"], **chosen})
        _check_names(names, self.export()["runs"])
        return table(rows)

    def means(self, *names: str) -> Any:
        """A table with a row per point of the sweep: the mean of each measure over its seeds, in the column NAME.half half
        of its 95 % interval, and how many seeds there are. Axes of numbers are numbers: "50KB" is 50000."""
        points: Dict[Tuple[Tuple[str, Any], ...], List[Mapping[str, float]]] = {}
        for run in self.export()["runs"]:
            values = run.get("measures", {})
            points.setdefault(tuple(_place(run).items()), []).append(values)
        numeric = {axis for axis in self.axes if all(not isinstance(_amount(dict(place)[axis]), str) for place in points)}
        rows = []
        for place, runs in points.items():
            row: Dict[str, Any] = {axis: _amount(label) if axis in numeric else label for axis, label in place}
            row["seeds"] = len(runs)
            for name in names or sorted({name for values in runs for name in values}):
                found = [values[name] for values in runs if values.get(name) is not None]
                row[name] = sum(found) / len(found) if found else None
                if any(len(same) > 1 for same in points.values()):
                    row[f"{name}.half"] = _half_interval(found) if len(found) > 1 else None
            rows.append(row)
        _check_names(names, self.export()["runs"])
        return table(rows)

    def curves(self, name: str) -> Any:
        """A curve of every run that has it, as a table with a row per point: the run's place and seed, x and y."""
        found: List[Dict[str, Any]] = []
        for run in self.export(curves=True)["runs"]:
            curve = run.get("curves", {}).get(name)
            if curve is not None:
                about = {**_place(run), "seed": run["seed"]}
                found += [{**about, "x": x, "y": math.nan if y is None else y} for x, y in curve["points"]]
        if not found:
            known = sorted({name for run in self.export(curves=True)["runs"] for name in run.get("curves", {})})
            near = difflib.get_close_matches(name, known, 1) or known[:8]
            raise WeirError(f"no run has a curve '{name}' (expected {', '.join(near) or 'none: no run has finished'})", "unknown")
        return table(found)

    def plot(self, measure: str, x: Optional[str] = None, lines: Optional[str] = None, ax: Any = None, **where: Any) -> Any:
        """Draws a measure with matplotlib and returns the axes: its mean over the seeds, with 95 % intervals, along the
        axis ``x`` of the sweep, a line per value of ``lines``. Without them, the axis of numbers and the one before it.
        ``where`` holds other axes at a value (``policy="dt"``); the rest is averaged.

        >>> weir.results("demo.db").plot("burst.qct.mean").set_yscale("log")   # doctest: +SKIP
        """
        _check_names([measure], self.export()["runs"])
        runs = [(_place(run), run["seed"], run["measures"].get(measure)) for run in self.export()["runs"] if "measures" in run]
        for axis in (x, lines, *where):
            if axis is not None and axis not in self.axes:
                raise WeirError(f"there is no axis '{axis}' (expected {', '.join(self.axes) or 'a sweep'})")
        numeric = [axis for axis in self.axes if all(not isinstance(_amount(place[axis]), str) for place, _, _ in runs)]
        x = x or next(iter(numeric or reversed(self.axes)), None)
        lines = lines or next((axis for axis in self.axes if axis != x and axis not in where), None)
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError:
                raise WeirError("plots need matplotlib (apt install python3-matplotlib, or pip install matplotlib)") from None
            ax = pyplot.gca()
        drawn: Dict[Any, Dict[Any, Dict[Any, List[float]]]] = {}
        for place, seed, value in runs:
            if value is not None and all(place[axis] == held for axis, held in where.items()):
                at = _amount(place[x]) if x in numeric else place.get(str(x), "")
                drawn.setdefault(place.get(str(lines), measure), {}).setdefault(at, {}).setdefault(seed, []).append(value)
        if not drawn:
            raise WeirError(f"no run has {measure!r} there (where: {where})")
        for label, points in drawn.items():
            seeds = [[statistics.fmean(same) for same in by_seed.values()] for by_seed in points.values()]
            halves = [_half_interval(values) for values in seeds]
            ax.errorbar(list(points), [statistics.fmean(values) for values in seeds], yerr=halves, marker="o", capsize=2, label=str(label))
        ax.set_xlabel(x or "")
        ax.set_ylabel(measure)
        if len(drawn) > 1:
            ax.legend()
        return ax

    def claims(self) -> Any:
        """A table of the claims of the scenario with their verdicts."""
        return table(self.export().get("claims", []))

    def __repr__(self) -> str:
        return f"<weir.Results {self.path}>"


class _Made(Results):
    """Results of runs that this process made: there is no database."""

    def __init__(self, runs: List[Dict[str, Any]]) -> None:
        self.path = f"{len(runs)} runs"
        axes = [{"name": name} for name in (runs[0]["axes"] if runs else {})]
        self._exported = {curves: {"experiment": {"axes": axes}, "runs": runs} for curves in (False, True)}


def _make(scenario: Scenario, changes: Changes, number: int) -> Dict[str, Any]:
    """One run of a sweep, as ``weir export`` would have it."""
    axes, seed = describe(scenario, changes, number)
    with Simulation(scenario, set=changes, run=number) as sim:
        sim.run(progress=False)
        curves = {name: {"points": [list(pair) for pair in zip(map(float, curve.x), map(float, curve.y))]}
                  for name, curve in sim.curves().items()}
        return {"axes": axes, "seed": seed, "id": sim.id, "measures": sim.values(), "curves": curves}


_task: Tuple[Scenario, Changes] = ("", None)  # of the sweep under way: copies of this process have it too


def _work(number: int) -> Any:
    try:
        return _make(*_task, number)
    except Exception as error:  # of a policy: it may not pickle
        return f"run {number}: {type(error).__name__}: {error}"


def _sweep_here(scenario: Scenario, changes: Changes, jobs: Optional[int], progress: Optional[bool]) -> Results:
    """Runs with policies in Python: by copies of this process, which know them. Ctrl-C ends them all."""
    global _task
    count, made = count_runs(scenario, changes), []
    bar = Progress("sweep", progress)
    _task = (scenario, changes)
    with multiprocessing.get_context("fork").Pool(jobs or len(os.sched_getaffinity(0))) as pool:
        try:
            for run in pool.imap(_work, range(count)):
                if isinstance(run, str):
                    raise WeirError(run)
                made.append(run)
                bar.show(len(made) / count, f"{len(made)} of {count} runs")
        finally:
            bar.close()
    return _Made(made)


def sweep(
    scenario: Scenario,
    output: Union[None, str, "os.PathLike[str]"] = None,
    *,
    set: Changes = None,
    seeds: Optional[int] = None,
    quick: bool = False,
    jobs: Optional[int] = None,
    only: Sequence[str] = (),
    again: bool = False,
    policy_files: Sequence[str] = (),
    progress: Optional[bool] = None,
) -> Results:
    """Makes every run of a scenario that ``output`` does not have yet, on all processors.

    ``output`` is the database, as of ``weir run --output``; a scenario that is no file needs one. Runs that are there and
    were made by the same code are not made again, whoever made them. Ctrl-C lets what is done stay in the database; the
    same call then goes on.

    Where the scenario or ``set`` has a policy in Python, by its class, copies of this process make the runs, and nothing
    is written: a database is of code that weir knows.

    >>> weir.sweep(scenario, set={"switch.policy": Fab}).means("burst.qct.mean")   # doctest: +SKIP
    """
    if has_policies(scenario) or has_policies(set):
        if output is not None or policy_files or only or again:
            raise WeirError("policies in Python: no results are kept of them (expected a sweep without output, "
                            "policy_files, only and again)")
        if seeds is not None:
            set = {**(set or {}), "seeds": seeds}
        if quick:
            raise WeirError("policies in Python: quick is the command's (expected the values themselves, in set)")
        return _sweep_here(scenario, set, jobs, progress)
    source = read_source(scenario)
    made: Optional[str] = None
    if source.path is None:
        if output is None:
            raise WeirError("a scenario that is no file has no name for its results (expected output='results.db')")
        handle, made = tempfile.mkstemp(prefix="weir-", suffix=".yaml", dir=source.folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source.text)
    command = [find_command(), "run", "--quiet"]
    for path in policy_files:
        command += ["--policy-file", os.fspath(path)]
    for change in write_changes(set):
        command += ["--set", change]
    command += ["--seeds", str(seeds)] if seeds is not None else []
    command += ["--quick"] if quick else []
    command += ["--jobs", str(jobs)] if jobs is not None else []
    command += ["--again"] if again else []
    for word in only:
        command += ["--only", word]
    database = os.fspath(output) if output is not None else _database(source, quick)
    try:
        _run([*command, "--output", database, made or str(source.path)], database, progress)
    finally:
        if made is not None:
            os.unlink(made)
    return Results(database)


def _run(command: List[str], database: str, progress: Optional[bool]) -> None:
    """The command in a session of its own: Ctrl-C reaches it once, from here, and it ends what it is about to write."""
    bar = Progress("sweep", progress)
    with tempfile.TemporaryFile("w+") as messages:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages,
                                 start_new_session=True)
        try:
            while True:
                try:
                    child.wait(_LOOK_S)
                    break
                except subprocess.TimeoutExpired:
                    _show(bar, database)
        except BaseException:
            child.send_signal(signal.SIGINT)
            child.wait()
            raise
        finally:
            bar.close()
            _tidy(database)
        messages.seek(0)
        text = messages.read()
    if child.returncode not in (0, _VIOLATION):
        raise WeirError(_first_error(text) or f"weir run ended with status {child.returncode}")


def _database(source: Source, quick: bool) -> str:
    """As the command names it: after the experiment, in the current folder."""
    named = re.search(r"^name:[ \t]*['\"]?([^\s'\"#]+)", source.text, re.M)
    name = named.group(1) if named else os.path.splitext(os.path.basename(str(source.path)))[0]
    return f"{name}{'-quick' if quick else ''}.db"


def _place(run: Mapping[str, Any]) -> Dict[str, Any]:
    """Labels of a run's place in the sweep; numbers where all of a label is one."""
    return {axis: _number(label) for axis, label in run["axes"].items()}


def _number(label: Any) -> Any:
    try:
        return int(label)
    except ValueError:
        pass
    try:
        return float(label)
    except ValueError:
        return label


_SIZES = {"B": 1, "KB": 1e3, "KiB": 1024, "MB": 1e6, "MiB": 2**20, "GB": 1e9, "bps": 1, "Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9,
          "Tbps": 1e12, "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "%": 1, "% buffer": 1, "pkt": 1}
# Student's t, both sides 95 %, for 1, 2, ... degrees of freedom; beyond these 1.96 + 2.4 / degrees is as good.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


def _amount(label: Any) -> Any:
    """The number in a label ("50KB" is 50000), or the label."""
    if not isinstance(label, str):
        return label
    found = re.fullmatch(r"([0-9.]+) ?(.*)", str(label))
    return float(found[1]) * _SIZES[found[2]] if found and found[2] in _SIZES else _number(label)


def _half_interval(values: List[float]) -> float:
    degrees = len(values) - 1
    if degrees < 1:
        return 0.0
    student = _STUDENT[degrees - 1] if degrees <= len(_STUDENT) else 1.96 + 2.4 / degrees
    return student * statistics.stdev(values) / math.sqrt(len(values))


def _check_names(names: Sequence[str], runs: List[Any]) -> None:
    known = {name for run in runs for name in run.get("measures", {})}
    for name in names:
        if runs and name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean '{near[0]}'?" if near else "expected one of docs/reference/measures.md"
            raise WeirError(f"no run has a measure '{name}' ({hint})", "unknown")


def _first_error(text: str) -> str:
    """The first line that is no warning."""
    lines = [line for line in text.splitlines() if line.strip() and "warning:" not in line]
    return lines[0].removeprefix("weir: ") if lines else ""


def _show(bar: Progress, database: str) -> None:
    if not bar.visible:
        return
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0.1)) as store:
            total = store.execute("SELECT count(DISTINCT run) FROM place").fetchone()[0]
            done = store.execute("SELECT count(DISTINCT run.id) FROM run JOIN place ON place.run = run.id").fetchone()[0]
    except sqlite3.Error:
        return  # not there yet, or being written
    if total:
        bar.show(done / total, f"{done} of {total} runs")


def _tidy(database: str) -> None:
    """Whoever looked last, as the command ended, left the journal to the next."""
    if os.path.exists(f"{database}-wal"):
        try:
            with closing(sqlite3.connect(f"file:{database}?mode=rw", uri=True)) as store:
                store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            pass  # the next who writes will do it


def results(path: Union[str, "os.PathLike[str]"]) -> Results:
    """Opens a database that ``weir run`` or :func:`sweep` has written, by its name or by that of its scenario."""
    if not os.path.exists(path):
        raise WeirError(f"{os.fspath(path)}: no such file (expected a database of weir run, or its scenario)")
    return Results(path)

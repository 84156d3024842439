"""Simulations in this process: build, step, ask."""

from __future__ import annotations

import math
import re
import threading
import time
import weakref
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

from . import policy as _policy
from ._boundary import Boundary
from ._interrupt import held
from ._library import NEVER, WeirError, ffi, new_error, raise_error, sim as _lib, text_of
from ._progress import Progress
from ._scenario import Changes, Scenario, ps, read_source, write_changes
from ._table import doubles, integers, table
from .messages import Callback, Event, Messages, _Asked

_SLICE_S = 0.05  # how long a call into the library takes, about: Ctrl-C waits for it
_AT_ONCE = 8192
_WHOLE = ("query", "bytes", "finish_ps", "ideal_ps")


class Series(NamedTuple):
    """A queue over time: arrays of equal length. ``threshold`` is -1 where there is none."""

    time_ps: Any
    queue_bytes: Any
    threshold_bytes: Any
    used_bytes: Any


class Curve(NamedTuple):
    """A distribution or a series: arrays x and y, and their units."""

    x: Any
    y: Any
    x_unit: str
    y_unit: str


class Simulation:
    """One run of a scenario, at some moment of its time.

    ``scenario`` is a path, a text or a dict; ``set`` changes values by their path, as ``--set`` of the command does;
    ``run`` chooses one of the runs that a sweep describes. ``policies`` are classes (:class:`weir.Policy`) that the
    scenario may name. ``follow`` names flows whose packets :meth:`packets` is to know: ``"all"``, ``"12-20"``, a tag, ``"h3"``.

    >>> with Simulation("incast.yaml", set={"switch.policy.alpha": 2}) as sim:   # doctest: +SKIP
    ...     sim.step("1ms")
    ...     sim["lost.total"]
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        set: Changes = None,
        run: Optional[int] = None,
        folder: Optional[str] = None,
        policies: Sequence[Type["_policy.Policy"]] = (),
        follow: Union[None, int, str] = None,
    ) -> None:
        if hasattr(self, "_sim"):
            self.close()  # not from within one of its policies
        self._sim: Any = ffi.NULL
        self._stopped = False
        self._life = threading.RLock()  # also by a signal's handler; held while the simulation is told to stop, or freed
        self._boundary = Boundary("simulation", partial(_halt, weakref.ref(self)))
        for own in policies:
            _policy.register(own)
        source, self._keep = _source(scenario, set, folder, follow)
        error = new_error()
        if run is None:
            runs = _lib.weir_sim_runs(source, error)
            if runs == 0:
                raise_error(error)
            if runs > 1:
                raise WeirError(f"the scenario describes {runs} runs (expected one: run=N chooses it, counted from 0 to "
                                f"{runs - 1}; weir.sweep makes all)")
        elif not isinstance(run, int):
            raise WeirError(f"run: {run!r} is no number (expected which run of the sweep, counted from 0)")
        elif run < 0:
            raise WeirError(f"run {run}: they are counted from 0")
        source.run = run or 0
        self._progress = ffi.new("struct weir_sim_progress *")
        self._messages = Messages()
        with held(), self._boundary:
            self._sim = _lib.weir_sim_create(source, error)
            if self._sim == ffi.NULL:
                self._boundary.end()
        if self._sim == ffi.NULL:
            raise_error(error)

    # Time.

    def step(self, until: Union[int, str, None] = None) -> bool:
        """Goes on until every event before a time has happened (``"1ms"``, or picoseconds; None: to the end).

        True while there is more to come. Steps of any length give the same results."""
        limit = NEVER if until is None else ps(until)
        if limit == NEVER or limit - self.now > 1_000_000_000:
            return self._step_in_slices(limit, None)
        self._stopped = False
        return self._step(limit)

    def run(self, progress: Optional[bool] = None) -> "Simulation":
        """Goes on to the end. Ctrl-C stops between two events, and the simulation can go on afterwards."""
        bar = Progress("simulating", progress)
        try:
            self._step_in_slices(NEVER, bar)
        finally:
            bar.close()
        return self

    def _step(self, until: int) -> bool:
        error = new_error()
        while True:
            with held(), self._boundary:
                state = _lib.weir_sim_step(self._alive(), until, error)
                if state == _lib.WEIR_SIM_FAILED:
                    self._boundary.end()
            if state == _lib.WEIR_SIM_FAILED:
                raise_error(error)
            if state == _lib.WEIR_SIM_DONE or self._stopped or self.now >= until:
                return bool(state == _lib.WEIR_SIM_RUNNING)
            # Else it was stopped by a call that came after the step that it was meant for.

    def _step_in_slices(self, limit: int, bar: Optional[Progress], halt: Optional[threading.Event] = None) -> bool:
        """Short calls, between which Python sees Ctrl-C, and the bar moves; until `halt`, whoever sets it."""
        self._stopped = False
        more = self._prepare()
        end = min(limit, self.until)
        length = max(1, end >> 20)
        at = self.now
        while more and at < limit and not self._stopped and not (halt and halt.is_set()):
            at += length
            started = time.monotonic()
            more = self._step(limit if at >= end else at)
            took = time.monotonic() - started
            if took < _SLICE_S / 2:
                length *= 2
            elif took > 2 * _SLICE_S:
                length = max(1, length // 2)
            if bar is not None:
                bar.show(at / end, f"{at / 1e9:.4g} of {end / 1e9:.4g} ms")
        return more

    def _prepare(self) -> bool:
        """The first step may make a whole run of LQD, for oracles that know it: in a thread, so that Ctrl-C is seen."""
        if self.now > 0 or threading.current_thread() is not threading.main_thread():
            return self._step(0)
        failed: List[BaseException] = []
        more: List[bool] = []

        def first() -> None:
            try:
                more.append(self._step(0))
            except BaseException as error:  # handed on to the caller's thread
                failed.append(error)

        with held() as pressed:
            thread = threading.Thread(target=first)
            thread.start()
            while thread.is_alive():
                thread.join(0.1)
                if pressed.is_set():
                    self.stop()
            self._stopped = False
        if failed:
            raise failed[0]
        return more[0]

    def stop(self) -> None:
        """Makes a step that another thread is in return soon; it can go on afterwards."""
        self._stopped = True
        _halt(lambda: self)

    @property
    def now(self) -> int:
        """Every event before this time has happened; picoseconds."""
        return self._look("now")

    @property
    def until(self) -> int:
        """When the simulation ends at the latest; picoseconds."""
        return self._look("until")

    @property
    def done(self) -> bool:
        """Its end was reached."""
        return self._look("state") == int(_lib.WEIR_SIM_DONE)

    @property
    def packet_hops(self) -> int:
        """Packets sent over a link so far."""
        return self._look("packet_hops")

    def _look(self, what: str) -> int:
        with self._boundary:
            _lib.weir_sim_progress(self._alive(), self._progress)
            return int(getattr(self._progress, what))

    # Messages of the program: traffic of kind messages.

    def send(
        self,
        source: Union[int, str],
        destination: Union[int, str],
        bytes: Union[int, str],
        *,
        traffic: Union[str, int, None] = None,
        tag: Any = None,
        at: Union[int, str, None] = None,
        sent: Callback = None,
        received: Callback = None,
    ) -> int:
        """Adds a message between two hosts, now or ``at`` a time; returns the id of its flow.

        ``traffic`` is the tag of an item of kind messages, which gives it a transport and a class; None: the first one.
        ``tag`` is anything: events of the message have it. :meth:`loop` calls ``received`` when the receiver has all, and
        ``sent`` when the sender knows that."""
        return self._messages.send(self, (source, destination), bytes, traffic, at, _Asked(tag, sent, received, None))

    def timer(self, at: Union[int, str], tag: Any = None, call: Callback = None) -> None:
        """An event at a time of the simulation; :meth:`loop` calls ``call``."""
        self._messages.timer(self, at, _Asked(tag, None, None, call))

    def next(self, until: Union[int, str, None] = None) -> Optional[Event]:
        """Goes on to the next event of a message or timer. None: ``until`` was reached, or the simulation has ended.

        What is sent in answer begins at the moment of the event, whatever host it is from."""
        self._stopped = False
        found = self._messages.next(self, until)
        return found[0] if found else None

    def loop(self, until: Union[int, str, None] = None) -> bool:
        """Goes on and calls who wants to know, up to a time or to the end. True while there is more to come.

        What a callback raises is raised here, and the simulation cannot go on."""
        messages, self._stopped = self._messages, False
        while not self._stopped and (found := messages.next(self, until)) is not None:
            event, call = found
            if call is None:
                continue
            messages.calls = True
            try:
                call(event)
            except BaseException as error:  # Ctrl-C, too
                self._boundary.poison(error)
                raise
            finally:
                messages.calls = False
        return not self.done

    # What came out.

    @property
    def digest(self) -> str:
        """A hash of every result: 16 hexadecimal digits, as ``weir run --json`` has it."""
        with self._boundary:
            return f"{_lib.weir_sim_digest(self._alive()):016x}"

    @property
    def id(self) -> str:
        """The id by which results of this configuration are stored."""
        with self._boundary:
            return str(text_of(_lib.weir_sim_id(self._alive())))

    @property
    def config(self) -> str:
        """Every value of the configuration, as a scenario."""
        with self._boundary:
            return str(text_of(_lib.weir_sim_config(self._alive())))

    @property
    def tags(self) -> List[str]:
        """Tags of flows, in the order of their numbers."""
        return self._texts(_lib.weir_sim_tag)

    @property
    def warnings(self) -> List[str]:
        """What may not have been meant."""
        return self._texts(_lib.weir_sim_warning)

    def __getitem__(self, name: str) -> float:
        """A measure by its name, in s, B, bit/s or a plain number; NaN: this run has no such value.

        A name that no run of this scenario can have is an error that says which one is near."""
        if not isinstance(name, str):
            raise WeirError(f"{name!r} is no name of a measure (expected a text such as 'lost.total')")
        value, error = ffi.new("double *"), new_error()
        with self._boundary:
            found = _lib.weir_sim_measure(self._alive(), name.encode(), value, error)
        if not found:
            raise_error(error)
        return float(value[0])

    def values(self) -> Dict[str, float]:
        """Every measure that this run has, by name."""
        return dict(self._each("value", lambda value: (str(text_of(value.name)), float(value.value))))

    def measures(self) -> Any:
        """The same as a table: name, value, unit."""
        return table(
            self._each(
                "value", lambda one: {"name": text_of(one.name), "value": float(one.value), "unit": text_of(one.unit)}
            )
        )

    def curves(self) -> Dict[str, Curve]:
        """Distributions ("burst.fct.cdf") and series over time, by name. A long series is thinned to 4000 points; its
        peaks are kept. :meth:`series` has all of them."""
        return dict(self._each("curve", lambda curve: (str(text_of(curve.name)), _curve(curve))))

    def flows(self) -> Any:
        """A table with a row per flow that has ended, or was open when the run did."""
        tags = self.tags
        with self._boundary:
            return table([_flow(flow, tags) for flow in _chunks("flow", partial(_lib.weir_sim_flows, self._alive()))], _WHOLE)

    def packets(self) -> Any:
        """A table with a row per event of each packet that is followed (``follow``), ordered by time: sent, queued and
        left at each switch, and in the end received, refused, or lost and why. ``packet`` is its name, ``hop`` the links
        behind it, ``queue_bytes`` the length of its queue then. Rows of ``packets().groupby("packet")`` are one way."""
        tags = self.tags
        with self._boundary:
            hosts = _lib.weir_sim_hosts(self._alive())
            chunks = _chunks("packet", partial(_lib.weir_sim_packets, self._alive()))
            return table([_packet(packet, tags, hosts) for packet in chunks], ("sequence", "ack", "queue_bytes"))

    def series(self, probe: Union[int, str] = 0) -> Series:
        """Every point of a probe (``measure.probes``), by its number or its place, "s0-h3"."""
        number = probe if isinstance(probe, int) else self._probe(probe)
        if not 0 <= number < len(self.probes()):
            self._probe(f"{number}")
        columns: List[List[int]] = [[], [], [], []]
        with self._boundary:
            for point in _chunks("point", partial(_lib.weir_sim_points, self._alive(), number)):
                columns[0].append(point.when)
                columns[1].append(point.queue_bytes)
                columns[2].append(point.threshold_bytes)
                columns[3].append(point.used_bytes)
        return Series(*(integers(column) for column in columns))

    def probes(self) -> List[str]:
        """Places of the probes."""
        return self._texts(lambda sim, number: _lib.weir_sim_probe(sim, number, ffi.NULL))

    def _probe(self, place: str) -> int:
        places = self.probes()
        if place not in places:
            known = ", ".join(places) or "none: name some in measure.probes"
            raise WeirError(f"there is no probe at {place!r} (expected one of: {known})")
        return places.index(place)

    def _texts(self, ask: Callable[[Any, int], Any]) -> List[str]:
        texts: List[str] = []
        with self._boundary:
            while (found := text_of(ask(self._alive(), len(texts)))) is not None:
                texts.append(found)
        return texts

    def _each(self, what: str, convert: Callable[[Any], Any]) -> List[Any]:
        """All values or curves. They are converted here: the next call may move what they point to."""
        ask, error = getattr(_lib, f"weir_sim_{what}_at"), new_error()
        found = ffi.new(f"struct weir_sim_{what} *")
        rows: List[Any] = []
        with self._boundary:
            while ask(self._alive(), len(rows), found, error):
                rows.append(convert(found))
        if error.code:
            raise_error(error)
        return rows

    # Its life.

    def close(self) -> None:
        """Releases its memory; nothing can be asked afterwards. Not possible within one of its calls."""
        if self._sim == ffi.NULL:
            return
        self._boundary.enter(to_end=True)
        try:
            self._free()
        finally:
            self._boundary.leave()

    def _free(self) -> None:
        self._boundary.end()
        with self._life:
            freed, self._sim = self._sim, ffi.NULL
        _lib.weir_sim_free(freed)

    def _alive(self) -> Any:
        if self._sim == ffi.NULL:
            raise WeirError("the simulation is closed")
        return self._sim

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_sim", ffi.NULL) != ffi.NULL:
            self._free()

    def __reduce__(self) -> Any:
        raise TypeError("a simulation cannot be copied or pickled: build another from the same scenario")

    def __repr__(self) -> str:
        if self._sim == ffi.NULL:
            return "<weir.Simulation, closed>"
        if self._boundary.failure is not None:
            return f"<weir.Simulation, failed: {self._boundary.failure!r}>"
        try:
            state = "done" if self.done else "running"
            return f"<weir.Simulation {self.id}, {state} at {self.now / 1e9:g} ms of {self.until / 1e9:g} ms>"
        except WeirError:
            return "<weir.Simulation, in a call>"


def _halt(found: Callable[[], Optional[Simulation]]) -> None:
    simulation = found()
    if simulation is not None:
        with simulation._life:
            if simulation._sim != ffi.NULL:
                _lib.weir_sim_stop(simulation._sim)


def count_runs(scenario: Scenario, changes: Changes) -> int:
    """How many runs a scenario describes."""
    source, _keep = _source(scenario, changes, None, None)
    error = new_error()
    runs = _lib.weir_sim_runs(source, error)
    if runs == 0:
        raise_error(error)
    return int(runs)


def describe(scenario: Scenario, changes: Changes, number: int) -> Tuple[Dict[str, str], int]:
    """The place of a run in the sweep, and its seed."""
    source, _keep = _source(scenario, changes, None, None)
    source.run = number
    name, error = ffi.new("char[256]"), new_error()
    if not _lib.weir_sim_run_name(source, name, error):
        raise_error(error)
    *places, seed = re.split(r", (?=[a-z0-9_-]+=|seed )", str(text_of(name)))
    return {axis: label for axis, label in (place.split("=", 1) for place in places)}, int(seed.split()[-1])


def _source(scenario: Scenario, changes: Changes, folder: Optional[str], follow: Union[None, int, str]) -> Any:
    """A struct weir_sim_source, and what has to outlive it."""
    read = read_source(scenario, folder)
    sets = [ffi.new("char[]", change.encode()) for change in write_changes(changes)]
    keep = [ffi.new("char[]", text.encode()) for text in (read.text, read.origin, read.folder, str(follow))]
    array = ffi.new("char *[]", sets)
    source = ffi.new(
        "struct weir_sim_source *",
        {
            "size": ffi.sizeof("struct weir_sim_source"),
            "text": keep[0],
            "origin": keep[1],
            "folder": keep[2],
            "set": array,
            "set_count": len(sets),
            "follow": ffi.NULL if follow is None else keep[3],
        },
    )
    return source, (keep, sets, array)


def _chunks(what: str, ask: Callable[..., int]) -> Iterator[Any]:
    """Flows or points, copied some thousands at a time."""
    chunk, first = ffi.new(f"struct weir_sim_{what}[]", _AT_ONCE), 0
    while (count := ask(first, chunk, _AT_ONCE)) > 0:
        for i in range(count):
            yield chunk[i]
        first += count


def _curve(curve: Any) -> Curve:
    both = doubles(ffi.buffer(curve.points, 16 * curve.count) if curve.count else b"")
    return Curve(both[0::2], both[1::2], str(text_of(curve.x_unit)), str(text_of(curve.y_unit)))


def _flow(flow: Any, tags: List[str]) -> Dict[str, Any]:
    finished, ideal = flow.finish_ps != NEVER, flow.ideal_ps != NEVER
    took = flow.finish_ps - flow.start_ps
    return {
        "id": flow.id,
        "tag": tags[flow.tag],
        "traffic": flow.traffic,
        "query": flow.query if flow.query != 2**32 - 1 else None,
        "source": flow.source,
        "destination": flow.destination,
        "bytes": flow.bytes if flow.bytes >= 0 else None,
        "delivered_bytes": flow.delivered_bytes,
        "start_ps": flow.start_ps,
        "finish_ps": flow.finish_ps if finished else None,
        "ideal_ps": flow.ideal_ps if ideal else None,
        "fct": took / 1e12 if finished else math.nan,
        "slowdown": took / flow.ideal_ps if finished and ideal and flow.ideal_ps > 0 else math.nan,
        "timeouts": flow.timeouts,
        "resent": flow.resent,
        "lost": flow.lost,
        "packets_sent": flow.packets_sent,
        "packets_delivered": flow.packets_delivered,
    }


def _packet(packet: Any, tags: List[str], hosts: int) -> Dict[str, Any]:
    def name(node: int) -> str:
        return f"h{node}" if node < hosts else f"s{node - hosts}"

    return {
        "time_ps": packet.when,
        "packet": f"h{packet.source}.{packet.number}",
        "flow": packet.flow,
        "tag": tags[packet.tag],
        "kind": text_of(packet.kind),
        "source": packet.source,
        "destination": packet.destination,
        "sequence": None if packet.feedback else packet.sequence,
        "ack": packet.ack if packet.feedback else None,
        "bytes": packet.bytes,
        "hop": packet.hops,
        "place": name(packet.node) + ("" if packet.next == 2**32 - 1 else f"-{name(packet.next)}"),
        "class": packet.tc,
        "event": text_of(packet.event),
        "why": text_of(packet.why),
        "queue_bytes": packet.queue_bytes if packet.queue_bytes >= 0 else None,
        "marked": packet.marked,
        "resent": packet.resent,
    }


def run(
    scenario: Scenario,
    *,
    set: Changes = None,
    run: Optional[int] = None,
    folder: Optional[str] = None,
    policies: Sequence[Type["_policy.Policy"]] = (),
    follow: Union[None, int, str] = None,
    progress: Optional[bool] = None,
) -> Simulation:
    """Runs one simulation to its end and returns it, to be asked for results.

    >>> run("incast.yaml")["query.qct.p99"]   # doctest: +SKIP
    """
    return Simulation(scenario, set=set, run=run, folder=folder, policies=policies, follow=follow).run(progress)

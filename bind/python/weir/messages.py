"""Messages that a program adds while its simulation goes on, and timers in the same clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Dict, NamedTuple, Optional, Union

from ._interrupt import held
from ._library import NEVER, WeirError, ffi, new_error, raise_error, read_value, sim as _lib
from ._scenario import ps

if TYPE_CHECKING:
    from .simulation import Simulation

_SLICE_S = 0.05  # how long a call into the library takes, about: Ctrl-C waits for it


class Event(NamedTuple):
    """What happened: ``what`` is "received" (all of a message is there), "sent" (its sender knows that) or "timer"."""

    what: str
    when: int  # picoseconds
    tag: Any  # as it was given
    id: int = 0  # of a message: its flow's
    source: int = 0
    destination: int = 0
    bytes: int = 0


Callback = Optional[Callable[[Event], Any]]


class _Asked(NamedTuple):
    tag: Any
    sent: Callback
    received: Callback
    timer: Callback


def _host(host: Union[int, str], what: str) -> int:
    number = int(host[1:]) if isinstance(host, str) and host[:1] == "h" and host[1:].isdecimal() else host
    if isinstance(number, int) and 0 <= number < 2**32:
        return number
    raise WeirError(f"{what}: {host!r} is no host (expected a number such as 3, or 'h3')")


class Messages:
    """What a simulation does with messages; its own calls of the library go through the simulation's boundary."""

    def __init__(self) -> None:
        self._asked: Dict[int, _Asked] = {}  # by the tag that the library has; a message is in it until its second end
        self._ended: Dict[int, int] = {}
        self._count = 0
        self._event = ffi.new("struct weir_sim_event *")
        self._items: Dict[Optional[str], int] = {}
        self._length = 0  # of a slice of time
        self.calls = False  # a callback is under way

    def find(self, sim: "Simulation", name: Union[str, int, None]) -> int:
        if isinstance(name, int):
            return name
        if name not in self._items:
            number, error = ffi.new("uint32_t *"), new_error()
            with sim._boundary:
                found = _lib.weir_sim_find_messages(sim._alive(), ffi.NULL if name is None else str(name).encode(), number, error)
            if not found:
                raise_error(error)
            self._items[name] = int(number[0])
        return self._items[name]

    def _keep(self, asked: _Asked) -> int:
        self._count += 1
        self._asked[self._count] = asked
        return self._count

    def send(self, sim: "Simulation", ends: "tuple[Any, Any]", size: Union[int, str], item: Union[str, int, None],
             at: Union[int, str, None], asked: _Asked) -> int:
        count = read_value(size, "space", "bytes") if isinstance(size, str) else size
        if not isinstance(count, int) or not 0 < count < 2**63:
            raise WeirError(f"bytes: {size!r} (expected a number of at least 1, or a text such as '64KB')")
        start = 0 if at is None else ps(at)
        number = self.find(sim, item)
        if at is not None and not 0 <= start < 2**63 or not 0 <= number < 2**32:
            raise WeirError(f"a message at {at!r} over traffic {item!r} (expected a time from now on, and an item's tag)")
        if at is not None and start < sim.now:
            raise WeirError(f"a message at {start} ps, and it is {sim.now} ps (expected no time of before)", "range")
        known, error, identity = ffi.new("struct weir_sim_message *"), new_error(), ffi.new("uint32_t *")
        known.size, known.bytes, known.start = ffi.sizeof("struct weir_sim_message"), count, start
        known.source, known.destination = _host(ends[0], "source"), _host(ends[1], "destination")
        known.traffic = number
        key = known.tag = self._keep(asked)
        with sim._boundary:
            added = _lib.weir_sim_add_message(sim._alive(), known, identity, error)
        if not added:
            del self._asked[key]
            raise_error(error)
        return int(identity[0])

    def timer(self, sim: "Simulation", at: Union[int, str], asked: _Asked) -> None:
        when, error = ps(at), new_error()
        if not 0 <= when < 2**63:
            raise WeirError(f"a timer at {at!r} (expected a time from now on)")
        key = self._keep(asked)
        with sim._boundary:
            added = _lib.weir_sim_add_timer(sim._alive(), when, key, error)
        if not added:
            del self._asked[key]
            raise_error(error)

    def _take(self) -> "tuple[Event, Callback]":
        event = self._event
        key, what = int(event.tag), int(event.what)
        asked = self._asked[key]
        if what == _lib.WEIR_SIM_TIMER:
            del self._asked[key]
            return Event("timer", int(event.when), asked.tag), asked.timer
        if self._ended.pop(key, 0):
            del self._asked[key]
        else:
            self._ended[key] = 1
        received = what == _lib.WEIR_SIM_RECEIVED
        told = Event("received" if received else "sent", int(event.when), asked.tag, int(event.id), int(event.source),
                     int(event.destination), int(event.bytes))
        return told, asked.received if received else asked.sent

    def next(self, sim: "Simulation", until: Union[int, str, None]) -> "Optional[tuple[Event, Callback]]":
        """The next event and who wants to know it, in calls of about 50 ms, between which Python sees Ctrl-C."""
        limit, error = NEVER if until is None else ps(until), new_error()
        if self.calls:
            raise WeirError("the simulation is in a callback: it goes on when that has returned")
        end = min(limit, sim.until)
        self._length = self._length or max(1, end >> 20)
        while True:
            at = sim.now + self._length
            started = time.monotonic()
            with held(), sim._boundary:
                state = _lib.weir_sim_next(sim._alive(), limit if at >= end else at, self._event, error)
                if state == _lib.WEIR_SIM_FAILED:
                    sim._boundary.end()
            if state == _lib.WEIR_SIM_FAILED:
                raise_error(error)
            if self._event.what != _lib.WEIR_SIM_NOTHING:
                return self._take()
            if state == _lib.WEIR_SIM_DONE or sim._stopped or sim.now >= limit:
                return None
            took = time.monotonic() - started
            if took < _SLICE_S / 2:
                self._length *= 2
            elif took > 2 * _SLICE_S:
                self._length = max(1, self._length // 2)

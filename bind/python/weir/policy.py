"""Policies in Python: for trying an idea before it is written in C.

A policy is a class. The MMU makes one instance of it for each memory and asks it about every packet, which takes a few
microseconds instead of a few nanoseconds; everything else is as with a policy in C: parameters, scenarios, sweeps of one's
own, digests that repeat.

    class Half(weir.Policy):
        "No queue holds more than a part of what is free: Dynamic Threshold."
        name = "half"
        params = [weir.Param("alpha", "ratio", 0.5)]

        def admit(self, arrival):
            view = self.view
            return view.shared(arrival.account) + arrival.need_cells <= self.values["alpha"] * view.shared_free
"""

from __future__ import annotations

import inspect
import weakref
from typing import Any, ClassVar, Dict, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

from ._boundary import Boundary, current
from ._library import NEVER, UNITS as _UNITS, WeirError, ffi, lib, new_error, raise_error, read_value, sim as _sim

_STATE_BYTES = 16  # nothing is in them: instances are known by where they are
_NO_ACCOUNT = 2**32 - 1
_MOST = {"ratio": 2**31, "count": 2**31, "time": 2**62, "space": 2**62, "flag": 1}


class Flow(NamedTuple):
    """The flow of an arrival, for a policy that needs FLOW."""

    hash: int  #: equal for all packets of the flow
    sent_bytes: Optional[int]  #: what the sender says that it sent before this packet; None: it does not say
    packet_bytes: int  #: of this packet, not rounded to cells
    dscp: int
    ecn: bool  #: ECN-capable
    input: int  #: the port by which it came
    bytes: Optional[int]  #: in the table of flows, with this packet; None: no table, or no entry
    first: Optional[int]  #: when it got the entry, in picoseconds
    recent_bytes: Optional[int]  #: in this period of the table, with this packet
    past_bytes: Optional[int]  #: in the period before


class FlowTable(NamedTuple):
    """The table in which the switch counts flows. Sizes are powers of two; times in picoseconds or texts ("5ms")."""

    entries: int = 4096
    ways: int = 4
    tag: int = 16  #: bits of the hash that an entry keeps
    evict: str = "oldest"  #: "oldest", "smallest" or "none"
    window: Union[int, str] = "5ms"  #: a flow that was quiet for longer counts from zero
    period: Union[int, str] = 0  #: for ``recent_bytes`` and ``past_bytes``; 0: not kept


class Arrival(NamedTuple):
    """A packet that wants to enter. ``need_cells`` is what it would take from the shared pool."""

    now: int
    index: int  # type: ignore[assignment] # hides tuple.index, which nobody needs
    account: int
    port: int
    tc: int
    cells: int
    need_cells: int
    flags: int
    flow: Optional[Flow] = None  #: of a policy that needs FLOW


class Event(NamedTuple):
    """A packet that entered, left or was lost. ``cause`` is an ``enum weir_cause``, of a loss."""

    now: int
    account: int
    port: int
    tc: int
    cells: int
    cause: int
    reason: int
    shared_before: int


class Question(NamedTuple):
    """Who is to lose a packet: for an arrival ("pushout"), in spare bandwidth ("expel"), or instead of leaving."""

    why: str
    now: int
    arrival: Optional[Arrival]
    leaving: Optional[int]


class Param(NamedTuple):
    """A parameter, set in scenarios as those of other policies are.

    ``unit`` is "ratio" (a number), "count", "time" (picoseconds), "space" (bytes), "flag" or "choice". Values may also be
    texts as scenarios have them: "1/16", "100us", "50KB"."""

    name: str
    unit: str = "ratio"
    initial: Any = 0
    min: Any = 0
    max: Any = None
    per_class: bool = False
    choices: Tuple[str, ...] = ()
    help: str = "see the policy"


class View:
    """What a policy sees of the MMU. Cells; accounts are numbers, class * ports + port."""

    __slots__ = ("_view", "_pools", "_accounts", "_needs", "ports", "classes", "accounts", "cell_bytes", "buffer_cells", "shared_cells")

    def __init__(self, view: Any, needs: int) -> None:
        geometry = view.geometry
        self._needs = needs
        self._view, self._pools, self._accounts = view, view.pools, view.accounts
        self.ports, self.classes, self.accounts = geometry.ports, geometry.classes, geometry.accounts
        self.cell_bytes, self.buffer_cells = geometry.cell_bytes, geometry.buffer_cells
        self.shared_cells = geometry.shared_cells

    def _holding(self, account: int) -> Any:
        if not 0 <= account < self.accounts:
            raise WeirError(f"account {account} (expected 0 to {self.accounts - 1})")
        return ffi.cast("struct weir_holding *", self._accounts + 64 * account)

    def length(self, account: int) -> int:
        """The queue length: what an account holds in every pool."""
        return int(self._holding(account).cells)

    def shared(self, account: int) -> int:
        """What it holds of the shared pool."""
        return int(self._holding(account).shared_cells)

    def sent(self, account: int) -> int:
        """What it has sent since the start."""
        return int(self._holding(account).sent_cells)

    def is_lossless(self, account: int) -> bool:
        """Its class pauses instead of losing: it is never a victim."""
        return bool(self._view.geometry.lossless_mask >> account // self.ports & 1)

    @property
    def used(self) -> int:
        """What is in use of the whole memory."""
        return int(self._pools.used_cells)

    @property
    def shared_used(self) -> int:
        """What is in use of the shared pool."""
        return int(self._pools.shared_cells)

    @property
    def shared_free(self) -> int:
        """Free cells of the shared pool."""
        return int(self.shared_cells) - int(self._pools.shared_cells)

    def rate_bps(self, port: int) -> int:
        """The rate of a port."""
        if not 0 <= port < self.ports:
            raise WeirError(f"port {port} (expected 0 to {self.ports - 1})")
        return int(self._view.port[port].rate_bps)

    def longest(self) -> Optional[int]:
        """The account that holds most of the shared pool; None while all hold nothing. The policy needs LONGEST."""
        if not self._needs & Policy.LONGEST:
            raise WeirError("the policy must not ask for the longest account (expected needs = weir.Policy.LONGEST)")
        found = lib.weir_view_longest(self._view).i
        return None if found == _NO_ACCOUNT else int(found)

    def _end(self) -> None:
        """The memory that it looks at is about to go."""
        self._view = self._pools = self._accounts = None
        self.__class__ = _EndedView

    def __reduce__(self) -> Any:
        raise TypeError("a view cannot be copied: it looks at one memory")


class _EndedView(View):
    """A view whose MMU or simulation is gone: every question is an error, not a look at memory that is something else."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        raise WeirError("the view is of an MMU or a simulation that is gone")


Verdict = Union[bool, str]


class Policy:
    """A buffer policy. Subclass it, give it a ``name`` and at least :meth:`admit`.

    ``self.view`` is a :class:`View`, ``self.values`` has the parameters by name (a list where they are per class).
    Whatever else an instance keeps is its own: it belongs to one memory of one simulation."""

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    source: ClassVar[str] = "written in Python"
    params: ClassVar[Sequence[Param]] = ()
    needs: ClassVar[int] = 0  # LONGEST | EXPEL | DEQUEUE | FLOW

    LONGEST: ClassVar[int] = 1
    EXPEL: ClassVar[int] = 4
    DEQUEUE: ClassVar[int] = 8
    FLOW: ClassVar[int] = 256

    view: View
    values: Dict[str, Any]
    _boundary: Boundary

    def setup(self) -> None:
        """When the MMU is empty, at time 0."""

    def admit(self, arrival: Arrival) -> Verdict:
        """True: the packet enters if there is room. False: it does not. "push": it enters, and :meth:`victim` is asked
        who makes room."""
        raise NotImplementedError

    def victim(self, question: Question) -> Union[None, int, Tuple[int, bool]]:
        """The account that loses its first packet, or (account, True) for its last; None: nobody. Must change nothing."""
        return None

    def on_enqueue(self, event: Event) -> None:
        """A packet has entered."""

    def on_dequeue(self, event: Event) -> None:
        """A packet has left."""

    def on_drop(self, event: Event) -> None:
        """A packet was refused or lost."""

    def on_idle(self, port: int, now: int) -> None:
        """A port found nothing to send."""

    def on_tick(self, now: int) -> None:
        """Time has passed; called before anything of that moment."""

    def next_tick(self) -> Optional[int]:
        """When time next matters even if nothing happens; None: never."""
        return None

    @staticmethod
    def flow_table(values: Dict[str, Any]) -> FlowTable:
        """Of a policy that needs FLOW: the table that it wants, by its parameters. Without one it lives on ``sent_bytes``."""
        raise NotImplementedError

    def threshold(self, account: int) -> int:
        """For plots: what an account may hold now, in cells."""
        raise NotImplementedError


def _lost_exception(_type: Any, error: BaseException, _trace: Any) -> None:
    """Ctrl-C before or after the code of a policy: of the call that this thread is in."""
    boundary = current()
    if boundary is not None:
        boundary.fail(error)


def _flow(found: Any) -> Flow:
    entry = found.entry
    counted = (entry.bytes, entry.first_ps, entry.recent_bytes, entry.past_bytes) if entry else (None, None, None, None)
    return Flow(found.hash, None if found.bytes < 0 else found.bytes, found.packet_bytes, found.dscp, bool(found.ecn),
                found.input.i, *counted)


def _arrival_with_flow(found: Any) -> Arrival:
    return _arrival(found)._replace(flow=_flow(found.flow))


def _arrival(found: Any) -> Arrival:
    return Arrival(found.now, found.index, found.account.i, found.port.i, found.tc.i, found.cells, found.need_cells,
                   found.flags)


def _event(found: Any) -> Event:
    return Event(found.now, found.account.i, found.port.i, found.tc.i, found.cells, found.cause, found.reason,
                 found.shared_before)


_EVICTIONS = ("oldest", "smallest", "none")
_REFUSE = lib.WEIR_REFUSE | lib.WEIR_REASON_OVER_THRESHOLD << 8
_VERDICTS = {True: lib.WEIR_ACCEPT_IF_ROOM, False: _REFUSE, "push": lib.WEIR_ACCEPT}
_WHY = {lib.WEIR_WHY_PUSHOUT: "pushout", lib.WEIR_WHY_EXPEL: "expel", lib.WEIR_WHY_DEQUEUE: "dequeue"}


class _Table:
    """A struct weir_policy that calls a class, and all that has to stay while somebody may use it."""

    def __init__(self, kind: Type[Policy]) -> None:
        self.kind = kind
        self.instances: Dict[int, "weakref.ref[Policy]"] = {}  # by where their states are; boundaries keep them
        self.keep: List[Any] = []
        self.table = ffi.new("struct weir_policy *")
        table = self.table
        table.name, table.source = self._text(kind.name), self._text(kind.source)
        table.title = self._text(kind.title or (inspect.getdoc(kind) or kind.name).split("\n")[0].rstrip("."))
        table.needs = kind.needs
        self._put_params(kind.params)
        self._put_plain("state_size", "size_t(const struct weir_geometry *)", lambda geometry: _STATE_BYTES, _STATE_BYTES)
        self._put_plain("init", "void(void *, const struct weir_view *, const struct weir_values *)", self._init)
        self._arrival = _arrival_with_flow if kind.needs & Policy.FLOW else _arrival
        self._put("admit", "struct weir_verdict(void *, const struct weir_view *, const struct weir_arrival *)",
                  self._admit, [_REFUSE])
        self._put_wanted()

    def _text(self, text: str) -> Any:
        kept = ffi.new("char[]", text.encode())
        self.keep.append(kept)
        return kept

    def _put(self, slot: str, signature: str, function: Any, wrong: Any = None) -> None:
        """``function`` gets the instance and what the slot gets behind the view."""

        def call(state: Any, _view: Any, *arguments: Any) -> Any:
            policy = self.instances[int(ffi.cast("uintptr_t", state))]()
            assert policy is not None, "the boundary of the call keeps it"
            boundary: Boundary = policy._boundary
            return boundary.run(wrong, function, policy, *arguments)

        self._put_plain(slot, signature, call, wrong)

    def _put_plain(self, slot: str, signature: str, function: Any, wrong: Any = None) -> None:
        callback = ffi.callback(signature, function, error=wrong, onerror=_lost_exception)
        self.keep.append(callback)
        setattr(self.table, slot, callback)

    def _put_wanted(self) -> None:
        """The slots that the class has: the others stay empty, and cost nothing."""
        event = "void(void *, const struct weir_view *, const struct weir_event *)"
        kind = self.kind
        if kind.victim is not Policy.victim:
            self._put("victim", "struct weir_victim(const void *, const struct weir_view *, const struct weir_question *)",
                      self._victim, [[_NO_ACCOUNT], False])
        for slot in ("on_enqueue", "on_dequeue", "on_drop"):
            if getattr(kind, slot) is not getattr(Policy, slot):
                call = getattr(kind, slot)
                self._put(slot, event, lambda policy, found, call=call: call(policy, _event(found)))
        if kind.flow_table is not Policy.flow_table:
            self._put_flow_table()
        if kind.on_idle is not Policy.on_idle:
            self._put("on_idle", "void(void *, const struct weir_view *, weir_port, weir_ps)",
                      lambda policy, port, now: policy.on_idle(port.i, now))
        if kind.on_tick is not Policy.on_tick:
            self._put("on_tick", "void(void *, const struct weir_view *, weir_ps)", lambda policy, now: policy.on_tick(now))
        if kind.next_tick is not Policy.next_tick:
            self._put("next_tick", "weir_ps(const void *, const struct weir_view *)", _next_tick, NEVER)
        if kind.threshold is not Policy.threshold:
            self._put("threshold", "weir_cells(const void *, const struct weir_view *, weir_account)",
                      lambda policy, account: _whole(policy, "threshold", policy.threshold(account.i), 2**63 - 1), 0)

    def _put_flow_table(self) -> None:
        kind = self.kind
        signature = "struct weir_flow_shape(const struct weir_geometry *, const struct weir_values *)"

        def shape(geometry: Any, values: Any) -> Any:
            named = {p.name: _outside(p, values.of[i], geometry.classes) for i, p in enumerate(kind.params)}
            table = kind.flow_table(named)
            return [table.entries, table.ways, table.tag, _EVICTIONS.index(table.evict),
                    read_value(table.window, "time", "window") if isinstance(table.window, str) else table.window,
                    read_value(table.period, "time", "period") if isinstance(table.period, str) else table.period]

        # Of a table that cannot be read the library says that it has no entries but half a way.
        self._put_plain("flow_table", signature, shape, [3, 0, 0, 0, 0, 0])

    def _put_params(self, params: Sequence[Param]) -> None:
        array = ffi.new("struct weir_param[]", max(len(params), 1))
        for row, param in zip(array, params):
            if param.unit not in _UNITS:
                raise WeirError(f"parameter {param.name}: unknown unit {param.unit!r} (expected one of: {', '.join(_UNITS)})")
            row.name, row.help = self._text(param.name), self._text(param.help)
            row.unit, row.per_class = _UNITS.index(param.unit), param.per_class
            most = param.max if param.max is not None else _MOST.get(param.unit, len(param.choices) - 1)
            row.initial, row.min, row.max = (_inside(param, value) for value in (param.initial, param.min, most))
            if param.choices:
                texts = ffi.new("char *[]", [self._text(choice) for choice in param.choices] + [ffi.NULL])
                self.keep.append(texts)
                row.choices = texts
        self.keep.append(array)
        self.table.params, self.table.param_count = array, len(params)

    def _init(self, state: Any, view: Any, values: Any) -> None:
        boundary = current()
        assert boundary is not None, "a policy in Python outside of a simulation or an MMU of this package"
        boundary.run(None, self._make, boundary, int(ffi.cast("uintptr_t", state)), view, values)

    def _make(self, boundary: Boundary, key: int, view: Any, values: Any) -> None:
        policy = self.kind()
        policy._boundary = boundary
        policy.view = View(view, self.kind.needs)
        policy.values = {
            param.name: _outside(param, values.of[i], view.geometry.classes) for i, param in enumerate(self.kind.params)
        }
        boundary.adopt(self.instances, key, policy)
        policy.setup()

    def _admit(self, policy: Policy, found: Any) -> Any:
        verdict = policy.admit(self._arrival(found))
        bits = _VERDICTS.get(verdict) if isinstance(verdict, (bool, str)) else None
        if bits is None:
            raise WeirError(f"admit of {self.kind.name} returned {verdict!r} (expected True, False or 'push')")
        return [bits]

    def _victim(self, policy: Policy, found: Any) -> Any:
        arrival = self._arrival(found.arrival) if found.arrival != ffi.NULL else None
        leaving = found.leaving.i if found.why == lib.WEIR_WHY_DEQUEUE else None
        answer = policy.victim(Question(_WHY[found.why], found.now, arrival, leaving))
        if answer is None:
            return [[_NO_ACCOUNT], False]
        account, tail = answer if isinstance(answer, tuple) else (answer, False)
        if policy.view.length(account) == 0:
            raise WeirError(f"victim of {self.kind.name} named account {account}, which is empty (expected None)")
        if policy.view.is_lossless(account):
            raise WeirError(f"victim of {self.kind.name} named account {account}, whose class is lossless (expected None)")
        return [[account], tail]


def _whole(policy: Policy, slot: str, value: Any, most: int) -> int:
    """An answer that the library takes: cffi would report a wrong one elsewhere."""
    number = int(value)
    if not 0 <= number <= most:
        raise WeirError(f"{slot} of {policy.name} returned {value!r} (expected 0 to {most})")
    return number


def _next_tick(policy: Policy) -> int:
    when = policy.next_tick()
    return NEVER if when is None else _whole(policy, "next_tick", when, NEVER)


def _inside(param: Param, value: Any) -> int:
    """A value as the library has it: a text is read as that of a scenario."""
    if isinstance(value, str) and param.unit == "choice":
        if value not in param.choices:
            raise WeirError(f"parameter {param.name}: '{value}' is not possible (expected {', '.join(param.choices)})")
        return param.choices.index(value)
    if isinstance(value, str) and param.unit == "ratio" and value.count("/") == 1:
        over, under = value.split("/")
        return _inside(param, _inside(param, over) / max(1, _inside(param, under)))
    if isinstance(value, str):
        return read_value(value, param.unit, f"parameter {param.name}", _MOST[param.unit])
    try:
        return int(round(value * 65536)) if param.unit == "ratio" else int(value)
    except (TypeError, ValueError, OverflowError):
        expected = "a number" if param.unit in ("ratio", "count") else "a number, or a text with its unit"
        raise WeirError(f"parameter {param.name}: {value!r} is no {param.unit} (expected {expected})") from None


def _outside(param: Param, values: Any, classes: int) -> Any:
    def one(value: int) -> Any:
        if param.unit == "ratio":
            return value / 65536
        if param.unit == "flag":
            return bool(value)
        return param.choices[value] if param.unit == "choice" else value

    return [one(values[tc]) for tc in range(classes)] if param.per_class else one(values[0])


_tables: Dict[str, List[_Table]] = {}  # by name: the last is the one that counts, simulations may still use others


def register(kind: Type[Policy]) -> str:
    """Makes a class known to scenarios and MMUs under its name, which it returns. A later class of the same name takes
    its place, so that a cell of a notebook can be run again."""
    known = _tables.setdefault(kind.name, [])
    if known and known[-1].kind is kind:
        return kind.name
    made, error = _Table(kind), new_error()
    if not _sim.weir_sim_add_policy(made.table, error):
        raise_error(error)
    known.append(made)
    return kind.name

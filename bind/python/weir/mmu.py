"""The MMU, packet by packet."""

from __future__ import annotations

import struct
from operator import index
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, Union

from . import policy as _policy
from ._boundary import Boundary
from ._library import NEVER, WeirError, ffi, lib, new_error, raise_error, read_value, sim as _sim, text_of
from ._scenario import write_value

# The first fields of a struct weir_packet at once: handle, output, input, class, bytes, flags. One by one they take longer than
# the call.
_PACKET = struct.Struct("@QIIIII")
_PACKET_MAX = 1 << 20
_LATEST = 2**62 - 1  # WEIR_TIME_MAX
_ECN = 2
assert [ffi.offsetof("struct weir_packet", field) for field in ("handle", "output", "input", "tc", "bytes", "flags")] == [
    0, 8, 12, 16, 20, 24]

_REASONS = {number: text_of(lib.weir_reason_name(number)) for number in range(lib.WEIR_REASON_COUNT)}
_CAUSES = {number: text_of(lib.weir_cause_name(number)) for number in range(lib.WEIR_CAUSE_COUNT)}


class Lost(NamedTuple):
    """A packet that was in the buffer and is lost."""

    handle: int
    account: int
    cause: str


class Edge(NamedTuple):
    """Classes of an input port to pause or to resume."""

    port: int
    pause_mask: int
    resume_mask: int


class Arrival(NamedTuple):
    """What became of an arrival. ``reason`` is that of a refusal."""

    accepted: bool
    reason: Optional[str]
    marked: bool
    lost: Tuple[Lost, ...]
    edges: Tuple[Edge, ...]


class Departure(NamedTuple):
    """A packet that left."""

    handle: int
    bytes: int
    account: int
    lost: Tuple[Lost, ...]
    edges: Tuple[Edge, ...]


_ACCEPTED = Arrival(True, None, False, (), ())


def find_policy(name: str) -> Any:
    """A struct weir_policy by name: weir's own, of files that were loaded, or a class that was registered."""
    policy = _sim.weir_sim_find_policy(name.encode())
    if policy == ffi.NULL:
        known = names()
        texts = [ffi.new("char[]", one.encode()) for one in known]
        near = text_of(lib.weir_nearest_name(name.encode(), ffi.new("char *[]", texts), len(texts)))
        hint = f"did you mean '{near}'?" if near else f"expected one of: {', '.join(known)}"
        raise WeirError(f"unknown policy '{name}' ({hint})", "unknown")
    return policy


def names() -> List[str]:
    """Names of weir's own policies."""
    return [str(text_of(lib.weir_policies[i].name)) for i in range(lib.weir_policy_count)]


def load_policies(path: str) -> None:
    """Loads policies that are compiled in a file (``tools/newpolicy --external``). They run inside of this process."""
    error = new_error()
    if not _sim.weir_sim_load_policies(str(path).encode(), error):
        raise_error(error)


def _spread(number: int) -> int:
    """A hash of a flow's number: its neighbours look nothing like it (Stafford's mix of 64 bits)."""
    number = (number + 0x9E3779B97F4A7C15) % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


def _values(policy: Any, params: Mapping[str, Any]) -> Any:
    values, error = ffi.new("struct weir_values *"), new_error()
    lib.weir_values_init(values, policy)
    for name, value in params.items():
        if isinstance(value, (list, tuple)):
            text = ",".join(write_value(one) for one in value)
        elif isinstance(value, bool):
            text = "yes" if value else "no"
        else:
            text = write_value(value)
        if not lib.weir_values_set(values, policy, name.encode(), text.encode(), error):
            raise_error(error)
    return values


class MMU:
    """The memory of one switch under a policy.

    ``buffer`` is in bytes or a text ("100KB"), ``rate`` in bit/s; ``params`` are those of the policy ({"alpha": 0.5}). ``lossless`` lists
    classes that pause instead of losing; they need a ``headroom`` scheme ("sih", "dsh", ...). ``configure`` may change
    whatever else ``struct weir_mmu_config`` has, as a cffi struct, before the MMU is built. Times are in picoseconds and
    never go back; a call without one happens at the time of the last. An MMU is used by one thread at a time, and no
    longer once its policy has raised an exception.

    >>> mmu = MMU(ports=4, buffer=10_000, policy="dt", params={"alpha": 0.5})
    >>> mmu.arrive(port=2, bytes=1500).accepted
    True
    """

    def __init__(
        self,
        ports: int,
        buffer: Union[int, str],
        policy: Union[str, Type["_policy.Policy"]] = "dt",
        params: Optional[Mapping[str, Any]] = None,
        *,
        classes: int = 1,
        cell: int = 1,
        rate: int = 10**10,
        lossless: Sequence[int] = (),
        headroom: Optional[str] = None,
        headroom_params: Optional[Mapping[str, Any]] = None,
        configure: Optional[Callable[[Any], None]] = None,
    ) -> None:
        if not isinstance(policy, str):
            policy = _policy.register(policy)
        if isinstance(buffer, str):
            buffer = read_value(buffer, "space", "buffer")
        before: Optional[Boundary] = getattr(self, "_boundary", None)
        if before is not None:
            before.enter()  # not from within its policy
            before.leave()
        if cell < 1:
            raise ValueError(f"cell {cell} (expected at least 1 byte)")
        config, error = ffi.new("struct weir_mmu_config *"), new_error()
        lib.weir_mmu_config_init(config, ports, classes, buffer // cell)
        config.cell_bytes, config.rate_bps = cell, rate
        config.egress = find_policy(policy)
        values = [_values(config.egress, params or {})]
        config.egress_values = values[0]
        if headroom is not None:
            config.ingress = find_policy(headroom)
            values.append(_values(config.ingress, headroom_params or {}))
            config.ingress_values = values[1]
        config.gives = lib.WEIR_GIVES_FLOWS | lib.WEIR_GIVES_FLOW_BYTES
        config.lossless_mask = sum(1 << tc for tc in lossless)
        if configure is not None:
            configure(config)
        if headroom is not None and config.headroom_cells == 0:
            config.headroom_cells = lib.weir_mmu_headroom_cells(config)
        if not lib.weir_mmu_config_check(config, error):
            raise_error(error)
        self._boundary = boundary = Boundary("MMU")
        with boundary:
            boundary.memory = ffi.new("char[]", lib.weir_mmu_size(config) + 64)
            start = int(ffi.cast("uintptr_t", boundary.memory))
            self._mmu = lib.weir_mmu_init(boundary.memory + (-start % 64), config)
        self._keep = (config, values)
        self._config = config
        self._packet = ffi.new("struct weir_packet *")
        self._fields = ffi.buffer(self._packet)
        self._flow = self._packet.flow = ffi.new("struct weir_flow *")
        self._sees_flows = bool(lib.weir_mmu_sees_flows(self._mmu))
        self._view = lib.weir_mmu_view(self._mmu)
        self.ports, self.classes = int(self._view.geometry.ports), int(self._view.geometry.classes)
        self.cell, self.buffer = int(self._view.geometry.cell_bytes), buffer
        self._ports = [ffi.new("weir_port *", {"i": i})[0] for i in range(self.ports)]
        self._accounts = [ffi.new("weir_account *", {"i": i})[0] for i in range(self.ports * self.classes)]
        self._arrive, self._depart = lib.weir_mmu_arrive, lib.weir_mmu_depart
        self._now = 0
        self._handle = 0

    def arrive(
        self,
        port: int,
        bytes: int,
        now: Optional[int] = None,
        *,
        tc: int = 0,
        input: int = 0,
        handle: Optional[int] = None,
        ecn: bool = False,
        flow: Optional[int] = None,
        flow_bytes: Optional[int] = None,
        dscp: int = 0,
    ) -> Arrival:
        """A packet arrives for an output port. ``handle`` is given back when it leaves; without one, they count up.

        ``flow`` numbers its flow, which policies that look at flows need, and ``flow_bytes`` is what the flow sent before
        this packet, for those that have no table of flows."""
        if not 0 < bytes <= _PACKET_MAX:
            raise WeirError(f"a packet of {bytes} bytes (expected 1 to {_PACKET_MAX})")
        self._boundary.enter()
        try:
            if now is not None:
                self._forward(now)
            if handle is None:
                handle = self._handle
                self._handle += 1
            try:
                _PACKET.pack_into(self._fields, 0, handle, port, input, tc, bytes, _ECN if ecn else 0)
            except struct.error:
                raise ValueError("a packet has a field that is no number of its size (expected port, tc and input of 32 bits, "
                                 f"handle of 64): {port!r}, {tc!r}, {input!r}, {handle!r}") from None
            if self._sees_flows:
                self._put_flow(flow, flow_bytes, dscp)
            effects = self._arrive(self._mmu, self._packet, self._now)
            if effects.accepted and not (effects.marked or effects.lost_count or effects.edge_count):
                return _ACCEPTED
            self._check(effects)
            return Arrival(
                bool(effects.accepted),
                None if effects.accepted else _REASONS[effects.reason],
                bool(effects.marked),
                _lost(effects),
                _edges(effects),
            )
        finally:
            self._boundary.leave()

    def depart(self, port: int, now: Optional[int] = None) -> Optional[Departure]:
        """The output port is free to send: the packet that its scheduler chooses, or None."""
        if not 0 <= port < self.ports:
            raise WeirError(f"port {port} (expected 0 to {self.ports - 1})")
        self._boundary.enter()
        try:
            if now is not None:
                self._forward(now)
            effects = self._depart(self._mmu, self._ports[port], self._now)
            if not effects.departed:
                return None
            return Departure(effects.handle, effects.bytes, effects.account.i, _lost(effects), _edges(effects))
        finally:
            self._boundary.leave()

    def offer_expel(self, now: Optional[int] = None) -> Tuple[Lost, ...]:
        """Spare memory bandwidth: what the policy expels."""
        with self._boundary:
            if now is not None:
                self._forward(now)
            return _lost(lib.weir_mmu_offer_expel(self._mmu, self._now))

    def advance(self, now: int) -> None:
        """Lets time pass."""
        with self._boundary:
            self._forward(now)
            lib.weir_mmu_advance(self._mmu, now)

    def next_event(self) -> Optional[int]:
        """When the MMU next wants a call without a packet; None: never."""
        with self._boundary:
            when = int(lib.weir_mmu_next_event(self._mmu))
        return None if when == NEVER else when

    @property
    def now(self) -> int:
        """The time of the last call, in picoseconds."""
        return self._now

    @property
    def used(self) -> int:
        """Bytes in use of the whole memory."""
        self._boundary.check()
        return int(self._view.pools.used_cells) * self.cell

    @property
    def packets(self) -> int:
        """Packets in the buffer."""
        with self._boundary:
            return int(lib.weir_mmu_packets(self._mmu))

    def queue(self, port: int, tc: int = 0) -> int:
        """Bytes that wait for an output port, of one class."""
        self._boundary.check()
        return int(ffi.cast("struct weir_holding *", self._view.accounts + 64 * self._account(port, tc)).cells) * self.cell

    def threshold(self, port: int, tc: int = 0) -> int:
        """What the policy lets that queue hold at this moment, in bytes; 0 where it has no threshold."""
        with self._boundary:
            return int(lib.weir_mmu_threshold(self._mmu, self._accounts[self._account(port, tc)])) * self.cell

    def counters(self, port: int, tc: int = 0) -> Mapping[str, int]:
        """Packets and bytes sent and dropped of that queue, and its watermark."""
        with self._boundary:
            found = lib.weir_mmu_account_counters(self._mmu, self._accounts[self._account(port, tc)])
        return {
            "packets": found.packets,
            "bytes": found.bytes,
            "dropped_packets": found.dropped_packets,
            "dropped_bytes": found.dropped_bytes,
            "marked_packets": found.marked_packets,
            "watermark_bytes": found.watermark_bytes[lib.WEIR_WM_PERSISTENT],
        }

    def hash(self) -> str:
        """A hash of everything that can be observed: equal MMUs have equal ones."""
        with self._boundary:
            return f"{lib.weir_mmu_hash(self._mmu):016x}"

    def __del__(self) -> None:
        boundary: Optional[Boundary] = getattr(self, "_boundary", None)
        if boundary is not None:
            boundary.end()

    def __reduce__(self) -> Any:
        raise TypeError("an MMU cannot be copied or pickled: its memory is one of a kind")

    def _put_flow(self, flow: Optional[int], flow_bytes: Optional[int], dscp: int) -> None:
        if flow is None:
            raise WeirError("the policy looks at flows, and the packet has none (expected flow=NUMBER)")
        if not 0 <= dscp < 64 or (flow_bytes is not None and not 0 <= flow_bytes < 2**62):
            raise WeirError(f"flow_bytes {flow_bytes}, dscp {dscp} (expected at least 0, and up to 63)")
        self._flow.hash = _spread(index(flow))
        self._flow.bytes = -1 if flow_bytes is None else index(flow_bytes)
        self._flow.dscp = dscp

    def _account(self, port: int, tc: int) -> int:
        if not 0 <= port < self.ports or not 0 <= tc < self.classes:
            raise WeirError(f"port {port}, class {tc} (expected up to {self.ports - 1} and {self.classes - 1})")
        return tc * self.ports + port

    def _forward(self, now: int) -> None:
        if not self._now <= now <= _LATEST:
            raise WeirError(f"time goes back: {now} after {self._now} ps" if now < self._now else
                             f"time {now} ps is too late (expected at most {_LATEST})")
        self._now = index(now)

    def _check(self, effects: Any) -> None:
        if effects.reason == lib.WEIR_REASON_INVALID:
            raise WeirError(f"a port or class that the MMU does not have (expected up to port {self.ports - 1}, class "
                             f"{self.classes - 1})")


def _lost(effects: Any) -> Tuple[Lost, ...]:
    if not effects.lost_count:
        return ()
    return tuple(
        Lost(effects.lost[i].handle, effects.lost[i].account.i, str(_CAUSES[effects.lost[i].cause]))
        for i in range(effects.lost_count)
    )


def _edges(effects: Any) -> Tuple[Edge, ...]:
    if not effects.edge_count:
        return ()
    return tuple(
        Edge(effects.edges[i].port.i, effects.edges[i].pause_mask, effects.edges[i].resume_mask)
        for i in range(effects.edge_count)
    )

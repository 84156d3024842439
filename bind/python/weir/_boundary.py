"""The boundary between Python and the library: one for each simulation and each MMU.

The library calls policies in Python in the middle of a call that Python made. An exception cannot pass through it, so it
is kept here, the rest of the call is cut short, and whoever made the call raises it. What the object says afterwards would
be a plausible lie: it answers every later call with an error. The boundary also lets one thread in at a time, refuses
calls from within the object's own policies, and knows which policies end with the object.
"""

from __future__ import annotations

import sys
import threading
import weakref
from types import FrameType
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._library import WeirError

_here = threading.local()  # .current: the boundary whose call this thread is in; .inside: those whose policies it runs


def current() -> "Optional[Boundary]":
    """The boundary whose call this thread is in."""
    found: Optional[Boundary] = getattr(_here, "current", None)
    return found


def _runs(frame: Optional[FrameType]) -> bool:
    """A function is under way in this thread: a signal's handler may have interrupted it."""
    at: Optional[FrameType] = sys._getframe(1)
    while at is not None and at is not frame:
        at = at.f_back
    return at is not None


def _inside() -> "List[Boundary]":
    try:
        stack: List[Boundary] = _here.inside
    except AttributeError:
        stack = _here.inside = []
    return stack


class Boundary:
    """``what`` names the object in messages: "simulation", "MMU". ``halt`` ends a call of the library early; it must not
    keep the object. The boundary alone keeps the policies, so that all of them can go at once."""

    __slots__ = ("what", "halt", "failure", "_who", "_told", "_owner", "_before", "_policies", "_most", "memory", "__weakref__")

    def __init__(self, what: str, halt: Optional[Callable[[], None]] = None) -> None:
        self.what, self.halt = what, halt
        self.failure: Optional[BaseException] = None
        self._who = "its policy"  # who raised it
        self._told = False
        # Who is in, thread and function: taken and known in one step, which Ctrl-C cannot part.
        self._owner: Dict[str, Tuple[int, FrameType]] = {}
        self._before: Optional[Boundary] = None
        self.memory: Any = None  # of the object, for as long as a policy may look at it
        self._policies: List[Tuple[Dict[int, Any], int, Any, Any]] = []
        self._most: Optional[int] = None  # of them: as many as the first call has made

    def enter(self, to_end: bool = False, depth: int = 1) -> None:
        """Before a call into the library; :meth:`leave` comes after it, whatever happened. A failed object can only end.
        ``depth``: how far up is the function that makes the call."""
        if not to_end:
            self.check()
        if self in _inside():
            raise WeirError(f"the {self.what} is in a call already: a policy must not call what it decides for")
        mine = (threading.get_ident(), sys._getframe(depth))
        owner = self._owner.setdefault("is", mine)
        if owner is not mine:
            if owner[0] != mine[0]:
                raise WeirError(f"the {self.what} is in a call already: another thread has made it")
            if _runs(owner[1]):
                raise WeirError(f"the {self.what} is in a call already: a signal's handler must not make another")
            self._owner["is"] = mine  # Ctrl-C just before or after a call left it behind
        before = current()
        self._before = before if before is not self else None
        _here.current = self

    def leave(self) -> None:
        """Raises what a policy raised meanwhile."""
        _here.current, self._before = self._before, None
        self._owner.clear()
        if self._most is None:
            self._most = len(self._policies)
        if self.failure is not None and not self._told:
            self._told = True
            raise self.failure

    def check(self) -> None:
        """Raises if the object has failed."""
        if self._told:
            raise WeirError(f"the {self.what} cannot go on: {self._who} raised {self.failure!r}", "input") from self.failure

    def __enter__(self) -> "Boundary":
        self.enter(depth=2)
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def fail(self, error: BaseException) -> None:
        """A policy raised this: the first counts."""
        if self.failure is None:
            self.failure = error
        if self.halt is not None:
            self.halt()

    def poison(self, error: BaseException) -> None:
        """A callback of its loop raised this, between two calls; whoever made the loop raises it."""
        if self.failure is None:
            self.failure, self._who = error, "a callback"
        self._told = True

    def run(self, wrong: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function of a policy; ``wrong`` instead of its answer when it raises, or another has."""
        if self.failure is not None:
            return wrong
        stack = _inside()
        stack.append(self)
        try:
            return function(*arguments)
        except BaseException as error:  # Ctrl-C, too
            self.fail(error)
            return wrong
        finally:
            stack.pop()

    def adopt(self, instances: Dict[int, Any], key: int, policy: Any) -> None:
        """``instances[key]``, a policy, and its view end with the object, or when its memories are made again: the first
        step of a simulation with a perfect oracle does that."""
        if self._most is not None and len(self._policies) >= self._most:
            self._end_first()
        instances[key] = weakref.ref(policy)
        self._policies.append((instances, key, policy, policy.view))

    def _end_first(self) -> None:
        instances, key, policy, view = self._policies.pop(0)
        known = instances.get(key)
        if known is not None and known() is policy:
            del instances[key]
        view._end()

    def end(self) -> None:
        """The object's memory is gone, or about to go: its policies are forgotten, and what they saw answers no more."""
        while self._policies:
            self._end_first()

    def __del__(self) -> None:
        self.end()

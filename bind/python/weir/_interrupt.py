"""Ctrl-C while the library works: a call is not interrupted half-way, nor are Python's own conditions and threads, which do
not survive it at every moment."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Iterator


class Pressed:
    """Whether Ctrl-C was pressed. Not a threading.Event: the handler may interrupt itself."""

    def __init__(self) -> None:
        self._times = 0

    def is_set(self) -> bool:
        return self._times > 0


@contextlib.contextmanager
def held() -> Iterator[Pressed]:
    """Ctrl-C within sets the flag that this gives, and does what it does otherwise afterwards; pressed again, it does so
    at once."""
    pressed = Pressed()
    handler: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield pressed
        return

    def press(number: int, frame: Any) -> None:
        pressed._times += 1
        if pressed._times > 1:
            handler(number, frame)

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed._times == 1:
            signal.raise_signal(signal.SIGINT)

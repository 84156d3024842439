"""Ctrl-C while threads start and end: Python's own conditions and threads do not survive it at every moment."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import Iterator


@contextlib.contextmanager
def held() -> Iterator[threading.Event]:
    """Ctrl-C within sets the event that this gives, and does what it does otherwise afterwards."""
    pressed = threading.Event()
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield pressed
        return
    signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed.is_set():
            signal.raise_signal(signal.SIGINT)

"""How far something is: a bar in a notebook, a line on a terminal, nothing elsewhere."""

from __future__ import annotations

import html
import sys
import time
from typing import Any, Optional

_EVERY_S = 0.2
_WIDTH = 30


def _notebook() -> Any:
    """IPython.display, when a notebook runs this; else None. A program without IPython never imports it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython import display

    return display


class Progress:
    """A bar that is drawn a few times per second. ``wanted`` None: where somebody may see it."""

    def __init__(self, title: str, wanted: Optional[bool] = None) -> None:
        self._title = title
        self._display = _notebook() if wanted is not False else None
        self._line = wanted is True or (wanted is None and sys.stderr is not None and sys.stderr.isatty())
        self._handle: Any = None
        self._shown = 0.0
        self._drawn = False

    @property
    def visible(self) -> bool:
        """Somebody may see it."""
        return self._display is not None or self._line

    def show(self, part: float, text: str = "") -> None:
        """``part`` is 0 ... 1."""
        now = time.monotonic()
        if now - self._shown < _EVERY_S:
            return
        self._shown = now
        self._draw(min(max(part, 0.0), 1.0), text)

    def _draw(self, part: float, text: str) -> None:
        if self._display is not None:
            bar = self._display.HTML(
                f"<label>{html.escape(self._title)} <progress max='1' value='{part:.4f}'></progress> "
                f"{100 * part:.0f}&nbsp;% {html.escape(text)}</label>"
            )
            if self._handle is None:
                self._handle = self._display.display(bar, display_id=True)
            else:
                self._handle.update(bar)
        elif self._line:
            full = round(part * _WIDTH)
            sys.stderr.write(f"\r\x1b[K{self._title} [{'#' * full}{'.' * (_WIDTH - full)}] {100 * part:3.0f} % {text}")
            sys.stderr.flush()
        self._drawn = True

    def close(self) -> None:
        """Takes the line away; a bar of a notebook stays full."""
        if not self._drawn:
            return
        if self._display is not None:
            self._draw(1.0, "")
        elif self._line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

"""Tables and arrays: pandas and numpy where they are installed, else lists of dicts and array.array."""

from __future__ import annotations

import array
import importlib
from typing import Any, Dict, List, Sequence

Row = Dict[str, Any]


def _module(name: str) -> Any:
    """The module; None: it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def table(rows: List[Row], whole: Sequence[str] = ()) -> Any:
    """A pandas.DataFrame, or the rows. Columns named in ``whole`` hold integers, some of which may be missing."""
    pandas = _module("pandas")
    if pandas is None:
        return rows
    frame = pandas.DataFrame(rows)
    for column in whole:
        if column in frame:
            frame[column] = frame[column].astype("Int64")
    return frame


def doubles(buffer: Any) -> Any:
    """A copy of doubles in memory: a numpy array, or an array.array."""
    numpy = _module("numpy")
    return numpy.frombuffer(buffer, dtype=numpy.float64).copy() if numpy else array.array("d", bytes(buffer))


def integers(values: Sequence[int]) -> Any:
    """A numpy array of int64, or an array.array."""
    numpy = _module("numpy")
    return numpy.asarray(values, dtype=numpy.int64) if numpy else array.array("q", values)

"""What a scenario may be given as: the path of a file, a text, or a dict."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Mapping, NamedTuple, Optional, Union

from ._library import WeirError

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Changes = Union[None, Mapping[str, Any]]

_UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12}


def ps(time: Union[int, str]) -> int:
    """A time in picoseconds: an int is one already, a text has a unit.

    >>> ps("1.5us")
    1500000
    """
    if isinstance(time, int):
        return time
    found = re.fullmatch(r"\s*([0-9]+)(?:\.([0-9]+))?\s*(ps|ns|us|µs|ms|s)\s*", str(time))
    if found is None:
        raise WeirError(f"{time!r} is no time (expected a number of picoseconds, or a text such as '100us')")
    whole, fraction, unit = found.group(1), found.group(2) or "", _UNITS[found.group(3)]
    scaled: int = int(whole + fraction) * unit
    if scaled % 10 ** len(fraction):
        raise WeirError(f"{time!r} is no whole number of picoseconds")
    return int(scaled // 10 ** len(fraction))


def is_policy(value: Any) -> bool:
    """A class that is a policy in Python."""
    return isinstance(value, type) and hasattr(value, "admit")


def _write_other(value: Any) -> str:
    """What JSON has no word for: a policy is its name."""
    if not is_policy(value):
        return str(value)
    from .policy import register  # which needs this module

    return register(value)


def has_policies(value: Any) -> bool:
    """Whether a policy in Python is anywhere in a scenario or in changes of it."""
    if isinstance(value, Mapping):
        return any(has_policies(one) for one in value.values())
    if isinstance(value, (list, tuple)):
        return any(has_policies(one) for one in value)
    return is_policy(value)


class Source(NamedTuple):
    """A scenario as text, with what messages call it and where the files that it names are."""

    text: str
    origin: str
    folder: str
    path: Optional[str]  # of the file that it is; None: it is not one


def read_source(scenario: Scenario, folder: Optional[str] = None) -> Source:
    """Reads a scenario. A str with a line break is a text, any other is a path; a dict has the keys of a file."""
    if isinstance(scenario, Mapping):
        # JSON is YAML; a line per value gives messages a place.
        return Source(json.dumps(scenario, indent=1, ensure_ascii=False, default=_write_other) + "\n", "dict", folder or ".", None)
    if isinstance(scenario, str) and "\n" in scenario:
        return Source(scenario, "text", folder or ".", None)
    try:
        path = os.fspath(scenario)
    except TypeError:
        raise WeirError(f"{scenario!r} is no scenario (expected a path, a text of lines, or a dict)") from None
    try:
        with open(path, encoding="utf-8") as file:
            return Source(file.read(), path, folder or os.path.dirname(path) or ".", path)
    except OSError as error:
        hint = "" if os.sep in path or path.endswith((".yaml", ".yml")) else " (a scenario is a path, a text of lines, or a dict)"
        raise WeirError(f"{path}: cannot open: {error.strerror}{hint}") from None
    except UnicodeDecodeError:
        raise WeirError(f"{path}: is no text (expected a scenario, YAML in UTF-8)") from None


def write_value(value: Any) -> str:
    """A value of --set: texts are YAML already."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_write_other)


def write_changes(changes: Changes) -> "list[str]":
    if changes is not None and not isinstance(changes, Mapping):
        raise WeirError(f"set: {changes!r} is no dict (expected {{'switch.policy': 'dt'}})")
    return [f"{path}={write_value(value)}" for path, value in (changes or {}).items()]

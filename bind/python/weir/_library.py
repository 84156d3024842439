"""The shared libraries and the command: where they are, and how their errors become exceptions.

libweir.so.2 and libweir-sim.so.2 are looked for in $WEIR_LIBRARY_PATH, in the package itself (what ``pip install``
builds), in the prefix that the package is installed in, and where the system keeps libraries. The command ``weir``, which
makes sweeps, is $WEIR, or found likewise.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Iterator, Optional

import cffi

from ._cdef import CDEF

ABI, SIM_ABI = 2, 2  # those of the declarations, WEIR_ABI and WEIR_SIM_ABI
NEVER = 2**63 - 1

ffi = cffi.FFI()
ffi.cdef(CDEF)

_HERE = Path(__file__).resolve().parent


def _folders() -> Iterator[Path]:
    for folder in os.environ.get("WEIR_LIBRARY_PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    yield _HERE / "_bundled"
    for prefix in _HERE.parents[1:5]:
        yield prefix / "lib"
        yield prefix / "lib64"
        yield from sorted((prefix / "lib").glob("*-linux-gnu*"))


def _open(name: str, abi: int) -> Any:
    # Global, so that policy files find what they call.
    flags = ffi.RTLD_NOW | ffi.RTLD_GLOBAL
    file = f"lib{name}.so.{abi}"
    for folder in _folders():
        if (folder / file).exists():
            return ffi.dlopen(str(folder / file), flags)
    try:
        return ffi.dlopen(file, flags)
    except OSError as error:
        raise ImportError(
            f"weir: {file} was not found ({error}). Install it (make install, apt install lib{name}{abi}), or set "
            "WEIR_LIBRARY_PATH to the folder that has it"
        ) from None


lib = _open("weir", ABI)
sim = _open("weir-sim", SIM_ABI)


def find_command() -> str:
    """The path of the command ``weir``."""
    named = os.environ.get("WEIR")
    if named:
        return named
    bundled = _HERE / "_bundled" / "weir"
    if bundled.exists():
        return str(bundled)
    for prefix in _HERE.parents[1:5]:
        if (prefix / "bin" / "weir").exists():
            return str(prefix / "bin" / "weir")
    found = shutil.which("weir")
    if found is None:
        raise WeirError("the command weir was not found (install it, or set WEIR to its path); sweeps are made by it")
    return found


class WeirError(Exception):
    """What weir refuses, in one line that names the place and what was expected.

    ``code`` is the name of an ``enum weir_error_code`` without its prefix: "unknown", "malformed", ...
    """

    def __init__(self, line: str, code: str = "input") -> None:
        super().__init__(line)
        self.code = code


def new_error() -> Any:
    return ffi.new("struct weir_error *")


def raise_error(error: Any) -> None:
    """Raises what a function of the library filled in."""
    line = ffi.new("char[]", 800)
    text = ffi.string(lib.weir_error_line(error, line)).decode(errors="replace")
    name = ffi.string(ffi.cast("enum weir_error_code", error.code))
    if error.code == lib.WEIR_ERROR_MEMORY:
        raise MemoryError(text)
    raise WeirError(text, str(name).removeprefix("WEIR_ERROR_").lower())


UNITS = ("ratio", "count", "time", "space", "flag", "choice")  # in the order of enum weir_unit


def read_value(text: str, unit: str, name: str, most: int = 2**62) -> int:
    """A text with its unit, as scenarios have it ("100us", "50KB", "1/16"), in the library's number."""
    like, read, error = ffi.new("struct weir_param *"), ffi.new("int64_t *"), new_error()
    empty = ffi.new("char[]", b"")
    like.name, like.unit, like.max = empty, UNITS.index(unit), most
    if not lib.weir_value_parse(like, text.encode(), read, error):
        line = ffi.new("char[]", 800)
        raise WeirError(f"{name}: {text_of(lib.weir_error_line(error, line))}")
    return int(read[0])


def text_of(pointer: Any) -> Optional[str]:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode(errors="replace")


def version() -> str:
    """The version of the library that runs."""
    return str(text_of(lib.weir_version()))

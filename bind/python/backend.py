"""backend - makes a wheel of the package `weir` (PEP 517), without setuptools: nothing has to be downloaded.

The libraries and the command are compiled by meson into build/wheel and put into the package, so that it works in a
virtual environment without anything else of weir being installed.

    pip install .                                            compiles
    pip install --config-settings build=build/release .      takes what is compiled there
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PACKAGE = os.path.join(ROOT, "bind", "python", "weir")
OPTIONS = ["-Dtests=disabled", "-Ddpdk=disabled", "-Dbpf=disabled", "-Dpython=disabled", "-Dapps=enabled"]
TARGETS = {"libweir.so.2": "libweir.so.2.0.0", "libweir-sim.so.2": "libweir-sim.so.2.0.0", "weir": "apps/weir/weir"}


def _read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def _version():
    return re.search(r'define WEIR_VERSION "(.*)"', _read("include/weir/version.h")).group(1)


def _metadata():
    return "\n".join([
        "Metadata-Version: 2.1", "Name: weir", f"Version: {_version()}",
        "Summary: Buffer policies of shared-memory switches, and a packet-level simulator", "License: BSD-3-Clause",
        "Requires-Python: >=3.9", "Requires-Dist: cffi >=1.15", "Provides-Extra: tables",
        "Requires-Dist: pandas; extra == 'tables'", "Description-Content-Type: text/markdown", "",
        _read("docs/howto/python.md"),
    ])


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


def run(command):
    """Without what pip puts before Python's own modules: meson is in Python too."""
    subprocess.run(command, check=True, env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})


def _build(settings):
    """The folder with what is compiled."""
    given = (settings or {}).get("build")
    if given:
        return os.path.join(ROOT, given)
    for command in ("meson", "ninja"):
        if shutil.which(command) is None:
            raise SystemExit(f"{command} is missing, with which weir is compiled: run tools/deps build")
    folder = os.path.join(ROOT, "build", "wheel")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        run(["meson", "setup", folder, ROOT, *OPTIONS])
    run(["ninja", "-C", folder, *TARGETS.values()])
    return folder


def _declarations():
    """What cffi is told of the libraries, generated from their headers."""
    api = os.path.join(ROOT, "tools", "api")
    return subprocess.run([sys.executable, api, "--cdef", ROOT], check=True, capture_output=True).stdout


def _files(settings):
    """(name in the wheel, path, may be run)."""
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith(".py") or name == "py.typed":
            yield f"weir/{name}", os.path.join(PACKAGE, name), False
    folder = _build(settings)
    for name, target in TARGETS.items():
        yield f"weir/_bundled/{name}", os.path.join(folder, target), True


def _about():
    """(name in the wheel, content) of what describes it."""
    folder = f"weir-{_version()}.dist-info"
    yield f"{folder}/METADATA", _metadata()
    yield f"{folder}/WHEEL", f"Wheel-Version: 1.0\nGenerator: weir\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    yield f"{folder}/LICENSE", _read("LICENSE")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    for inner, content in _about():
        path = os.path.join(metadata_directory, inner)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return f"weir-{_version()}.dist-info"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"weir-{_version()}-{_tag()}.whl"
    rows = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def put(inner, content, runs=False):
            info = zipfile.ZipInfo(inner)  # of 1980: the same content makes the same file
            info.external_attr = (0o100755 if runs else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            rows.append(f"{inner},sha256={digest},{len(content)}")

        for inner, path, runs in _files(config_settings):
            with open(path, "rb") as file:
                put(inner, file.read(), runs)
        put("weir/_cdef.py", _declarations())
        for inner, content in _about():
            put(inner, content.encode())
        record = f"weir-{_version()}.dist-info/RECORD"
        rows.append(f"{record},,")
        wheel.writestr(zipfile.ZipInfo(record), "\n".join(rows) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git has: the package needs the sources of the libraries."""
    base = f"weir-{_version()}"
    name = f"{base}.tar.gz"
    run(["git", "-C", ROOT, "archive", "--format=tar.gz", f"--prefix={base}/", "-o",
         os.path.join(os.path.abspath(sdist_directory), name), "HEAD"])
    return name

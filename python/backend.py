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
import sysconfig
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, "python", "weir")
OPTIONS = ["-Dtests=disabled", "-Ddpdk=disabled", "-Dbpf=disabled", "-Dpython=disabled", "-Dapps=enabled"]
TARGETS = {"libweir.so.1": "libweir.so.1.0.0", "libweir-sim.so.1": "libweir-sim.so.1.0.0", "weir": "apps/weir/weir"}


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
        _read("docs/python.md"),
    ])


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


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
        subprocess.run(["meson", "setup", folder, ROOT, *OPTIONS], check=True)
    subprocess.run(["ninja", "-C", folder, *TARGETS.values()], check=True)
    return folder


def _files(settings):
    """(name in the wheel, path, may be run)."""
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith(".py") or name == "py.typed":
            yield f"weir/{name}", os.path.join(PACKAGE, name), False
    folder = _build(settings)
    for name, target in TARGETS.items():
        yield f"weir/_bundled/{name}", os.path.join(folder, target), True


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"weir-{_version()}-{_tag()}.whl"
    about = f"weir-{_version()}.dist-info"
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
        put(f"{about}/METADATA", _metadata().encode())
        put(f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: weir\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode())
        put(f"{about}/LICENSE", _read("LICENSE").encode())
        rows.append(f"{about}/RECORD,,")
        wheel.writestr(zipfile.ZipInfo(f"{about}/RECORD"), "\n".join(rows) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git has: the package needs the sources of the libraries."""
    base = f"weir-{_version()}"
    name = f"{base}.tar.gz"
    subprocess.run(["git", "-C", ROOT, "archive", "--format=tar.gz", f"--prefix={base}/", "-o",
                    os.path.join(os.path.abspath(sdist_directory), name), "HEAD"], check=True)
    return name

#!/usr/bin/env python3
"""embed.py - turns the script and the style of the report into C constants, with the hashes by which the page's content
security policy names them.

    embed.py OUT.c --script FILE... --style FILE... [--uplot FOLDER]

FOLDER is where npm installs the package uplot. While it is not there, the page has drawings only. Its licence wants to be
in every copy, and so it stands before the script. OUT.c is left alone when nothing changed, so that asking at every build
costs no compilation.
"""

import argparse
import base64
import hashlib
import json
import os
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # The browser hashes what it parsed: line ends must be plain, and nothing may end the element early.
    if "\r" in text or "</script" in text.lower() or "</style" in text.lower() or "<!--" in text:
        sys.exit(f"embed.py: {path}: cannot stand in a page as it is")
    return text.strip("\n") + "\n"


def licence(folder, about):
    """The text of the licence as a comment."""
    path = os.path.join(folder, "LICENSE")
    if not os.path.exists(path):
        sys.exit(f"embed.py: {path} is missing: a copy of {about} has to come with its licence")
    text = read(path)
    if "*/" in text:
        sys.exit(f"embed.py: {path}: cannot stand in a comment")
    return f"/*! {about}\n\n{text}*/\n"


def constant(name, text):
    data = text.encode()
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    rows = [", ".join(str(byte) for byte in data[at:at + 32]) for at in range(0, len(data), 32)]
    return (f"static const unsigned char {name}_bytes[] = {{\n" + ",\n".join(rows) + "};\n"
            f"const struct asset asset_{name} = {{{name}_bytes, sizeof {name}_bytes, \"sha256-{digest}\"}};\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--script", nargs="+", required=True)
    parser.add_argument("--style", nargs="+", required=True)
    parser.add_argument("--uplot")
    given = parser.parse_args()
    scripts, styles, plotter, licences = given.script, given.style, "", ""
    if given.uplot and os.path.isdir(given.uplot):
        scripts = [os.path.join(given.uplot, "dist", "uPlot.iife.min.js"), *scripts]
        styles = [os.path.join(given.uplot, "dist", "uPlot.min.css"), *styles]
        with open(os.path.join(given.uplot, "package.json"), encoding="utf-8") as file:
            plotter = "uPlot " + json.load(file)["version"]
        licences = licence(given.uplot, plotter)
    text = ('#include "show/page/assets.h"\n' + constant("script", licences + "".join(map(read, scripts)))
            + constant("style", "".join(map(read, styles)))
            + f"const char asset_plotter[] = {json.dumps(plotter)};\n")
    if os.path.exists(given.out):
        with open(given.out, encoding="utf-8") as out:
            if out.read() == text:
                return
    with open(given.out, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()

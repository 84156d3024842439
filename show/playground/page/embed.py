#!/usr/bin/env python3
"""embed.py - the playground as one file: template, style, scripts and the simulator in it, named by their hashes in the
page's content security policy, which lets nothing else run and nothing be fetched.

    embed.py OUT.html --template FILE --style FILE... --script FILE... --program FILE.wasm --rules docs/policies/README.md
"""

import argparse
import base64
import gzip
import hashlib
import json
import re
import sys


def read(paths):
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("\r\n", "\n")
        if "</script" in text.lower() or "</style" in text.lower() or "<!--" in text or "\r" in text:
            sys.exit(f"embed.py: {path}: cannot stand in a page as it is")
        texts.append(text.strip("\n") + "\n")
    return "".join(texts)


def named(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def rules(path):
    """The rule in a line of each policy, from the tables of its page."""
    with open(path, encoding="utf-8") as file:
        found = re.findall(r"^\| \[([a-z0-9-]+)\]\([^)]*\) \| ([^|]*) \|", file.read(), re.M)
    text = {name: re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", rule).strip() for name, rule in found}
    return {name: rule[0].upper() + rule[1:] for name, rule in text.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--template", required=True)
    parser.add_argument("--style", nargs="+", required=True)
    parser.add_argument("--script", nargs="+", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rules", required=True)
    given = parser.parse_args()
    style, script = read(given.style), read(given.script)
    policy = (f"default-src 'none'; script-src {named(script)} 'wasm-unsafe-eval'; style-src {named(style)}; img-src data:; "
              "base-uri 'none'; form-action 'none'")
    with open(given.template, encoding="utf-8") as file:
        page = file.read()
    with open(given.program, "rb") as file:
        program = base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()
    parts = {"POLICY": policy, "STYLE": style, "RULES": json.dumps(rules(given.rules), ensure_ascii=False).replace("<", "\\u003c"),
             "SCRIPT": script, "PROGRAM": program}
    page = re.sub(r"@([A-Z]+)@", lambda match: parts[match.group(1)], page)
    with open(given.out, "w", encoding="utf-8", newline="\n") as out:
        out.write(page)


if __name__ == "__main__":
    main()

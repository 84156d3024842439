#!/usr/bin/env bash
# test_sbom.sh - tools/sbom: every library of a build and every module of npm is in it once, with version and licence;
# the same bytes each time. BUILD is the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
: "${BUILD:?the build folder}"
cd "$root"
export SOURCE_DATE_EPOCH=86400
tools/sbom "$BUILD" >"$scratch/sbom.json"
tools/sbom "$BUILD" >"$scratch/again.json"
expect_equal 'twice' "$(cmp "$scratch/sbom.json" "$scratch/again.json" 2>&1)" ''
meson introspect "$BUILD" --dependencies >"$scratch/known.json"
expect_equal 'the document' "$(python3 - "$scratch" <<'END'
import json, re, sys
d = json.load(open(sys.argv[1] + "/sbom.json"))
known = {k["name"] for k in json.load(open(sys.argv[1] + "/known.json"))} - {"threads"}
lock = json.load(open("show/package-lock.json"))["packages"]
names = [p["name"] for p in d["packages"]]
ids = [p["SPDXID"] for p in d["packages"]] + ["SPDXRef-DOCUMENT"]
wrong = []
if d["spdxVersion"] != "SPDX-2.3" or d["creationInfo"]["created"] != "1970-01-02T00:00:00Z":
    wrong.append("head")
if sorted(names) != sorted({"weir", *known, *(k.rsplit("/", 1)[1] for k in lock if k)}):
    wrong.append(f"packages {names}")
if len(set(ids)) != len(ids) or not all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids):
    wrong.append("ids")
for p in d["packages"]:
    if not re.match(r"\d", p["versionInfo"]) or p["licenseDeclared"] == "NOASSERTION":
        wrong.append(f"{p['name']}: {p['versionInfo']}, {p['licenseDeclared']}")
related = {r["spdxElementId"] for r in d["relationships"]} | {r["relatedSpdxElement"] for r in d["relationships"]}
if related != set(ids):
    wrong.append("relations")
uplot = next(p for p in d["packages"] if p["name"] == "uplot")
if len(uplot["checksums"][0]["checksumValue"]) != 128:
    wrong.append("checksum")
print(wrong or "whole")
END
)" whole
finish

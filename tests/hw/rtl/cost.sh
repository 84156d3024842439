#!/usr/bin/env bash
# docs/reference/rtl-cost.md, its drawing and the table for docs/RESULTS.md are what docs/hardware.json gives; the bounds on the
# selector hold in it, that on Occamy's part as docs/reference/rtl.md says; every cell says something, and the sizes are 16 to 1024 queues.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need python3

cp "$root/docs/hardware.json" "$scratch/hardware.json"
"$root/tools/rtl-report" --render --record "$scratch/hardware.json" --page "$scratch/rtl-cost.md" --html "$scratch/page.html"
diff "$root/docs/hardware.json" "$scratch/hardware.json"
diff "$root/docs/reference/rtl-cost.md" "$scratch/rtl-cost.md"
diff "$root/docs/reference/images/rtl-cost.svg" "$scratch/images/rtl-cost.svg"
python3 - "$scratch" <<'P'
import json, re, sys, xml.dom.minidom
blocks = json.load(open(sys.argv[1] + "/hardware.json"))["blocks"]
fpga = blocks["selector"]["fpga"]
assert fpga["lut"] <= 1262 and fpga["ff"] <= 47, fpga
assert fpga["lut"] <= blocks["authors-selector"]["fpga"]["lut"]
asic = blocks["selector-fast"]["asic"]["nangate45_typ"] # at 45 nm, where Occamy's Table 1 has 1.49 ns and 0.023 mm2
assert asic["ns"] <= 1.49 and asic["um2"] <= 23000, asic
assert blocks["example"]["ice40"]["mhz"] >= 30, blocks["example"]
swept = sorted(int(key.split("/")[1]) for key in blocks if key.startswith("finder/"))
assert swept == [16, 64, 256, 512, 1024], swept
page = open(sys.argv[1] + "/rtl-cost.md").read()
assert not [line for line in page.splitlines() if re.search(r"\|\s*\|", line) and not line.startswith("| part |")], "an empty cell"
within = dict(re.findall(r"^\| (LUTs|flip-flops|\S+: logic.*?)(?:, mm²)? \|.*\| (yes|no) \|$", page, re.M))
assert within == {"LUTs": "no", "flip-flops": "yes", "nangate45_typ: logic": "no", "osu018: logic": "no", "sky130hd_tt: logic": "no",
                  "sky130hd_tt: logic, memories without data": "yes", "sky130hd_tt: logic, all memories": "yes"}, within
xml.dom.minidom.parse(sys.argv[1] + "/images/rtl-cost.svg")
P
# Measured here and now, if yosys is there: the record is not older than the selector.
command -v yosys >/dev/null || { echo "not measured again: yosys is missing (tools/deps test)"; exit 0; }
"$root/tools/rtl-report" --record "$scratch/now.json" --cache "$scratch/cache" --kinds fpga --queues '' \
    --blocks selector,arbiter,executor --liberty "$scratch/none" 2>"$scratch/log"
# Blocks around memories, whose ports are those of the block.
cells=/usr/share/qflow/tech/osu018/osu018_stdcells.lib
if command -v sta >/dev/null && [ -e "$cells" ]; then
    "$root/tools/rtl-report" --record "$scratch/now.json" --cache "$scratch/cache" --kinds asic --queues '' \
        --blocks pd-memory,ring --liberty "$cells" 2>"$scratch/log" || { cat "$scratch/log"; exit 1; }
else
    echo "delays not measured again: OpenSTA or osu018 is missing (tools/deps rtl)"
fi
python3 - "$scratch" <<'P'
import json, sys
recorded, now = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("hardware", "now"))
if recorded["tools"]["yosys"] != now["tools"]["yosys"]:
    print("another yosys than that of the record: not compared")
    sys.exit()
for key in now["blocks"]:
    for kind in now["blocks"][key]:
        for what, found in now["blocks"][key][kind].items():
            assert found == recorded["blocks"][key][kind][what], (key, kind, what, found, recorded["blocks"][key][kind][what])
print("as recorded: " + ", ".join(now["blocks"]))
P

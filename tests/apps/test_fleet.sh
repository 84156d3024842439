#!/usr/bin/env bash
# weir fleet: findings of many switches once each, and where they differ.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >default.json <<'END'
{"DEVICE_METADATA": {"localhost": {"hwsku": "Mine"}},
 "PORT": {"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4", "mtu": "9100"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "2621440", "xoff": "204800"},
                 "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "4096000"}},
 "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": "1280", "xon": "2560", "xoff": "102400", "dynamic_th": "0"},
                    "queue": {"pool": "egress_lossless_pool", "size": "0", "static_th": "4096000"}},
 "BUFFER_PG": {"Ethernet0|3-4": {"profile": "lossless"}}, "BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "queue"}},
 "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}
END
mkdir -p switches/four
for name in one two three; do cp default.json "switches/$name.json"; done
sed 's/"xoff": "102400"/"xoff": "256"/' default.json >switches/two.json
sed 's/"dynamic_th": "0"/"dynamic_th": "7"/' default.json >switches/four/config_db.json
chip=(--cell 256B --xoff outside)

expect_run 1 '' "$WEIR" fleet switches "${chip[@]}"
expect_match 'a switch that is well' "$output" '^one.json +Mine +unknown +0 +0 '
expect_match 'a finding and whose it is' "$output" '^error: BUFFER_PROFILE \[headroom-short\]: 1 of 4 switches, 1 findings: two.json$'
expect_match 'from most' "$output" '^differences from most switches of the same hwsku \(usual\):$'
expect_match 'a difference' "$output" '^Mine +BUFFER_PROFILE +lossless +dynamic_th +0 +7 +1 +four$'
expect_match 'another' "$output" '^Mine +BUFFER_PROFILE +lossless +xoff +102400 +256 +1 +two.json$'

# From the vendor's: what all have otherwise differs too.
sed 's/"xon": "2560"/"xon": "5120"/' default.json >vendor.json
expect_run 1 '' "$WEIR" fleet switches --default vendor.json "${chip[@]}"
expect_match 'all of them' "$output" '^Mine +BUFFER_PROFILE +lossless +xon +5120 +2560 +4 +four, one.json, three.json and 1 more$'
expect_run 1 '' "$WEIR" fleet switches --json "${chip[@]}"
expect_match 'JSON' "$(python3 -c 'import json,sys; j=json.load(sys.stdin); print(len(j["switches"]), j["findings"][0]["switches"], len(j["differences"]))' <<<"$output")" "^4 \['two.json'\] 2$"

# One that cannot be read is named, and the others are judged.
printf '{' >switches/broken.json
expect_run 1 "weir: switches/broken.json:1:1: no JSON: string or '}' expected near end of file" "$WEIR" fleet switches "${chip[@]}"
expect_match 'it counts' "$output" '^switches: 5, could not be read: 1; errors: 1$'
mkdir none
expect_run 3 'weir: none: has no switch (expected a folder or a *.json for each)' "$WEIR" fleet none
finish

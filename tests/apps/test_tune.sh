#!/usr/bin/env bash
# weir tune: ECN thresholds and alpha for a goal, which evaluate confirms, and the picture of the trade-off.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

names='' ports='' cables=''
for i in 0 4 8 12; do
    names+="${names:+,}Ethernet$i"
    ports+="${ports:+, }\"Ethernet$i\": {\"speed\": \"100000\", \"lanes\": \"1,2,3,4\"}"
    cables+="${cables:+, }\"Ethernet$i\": \"5m\""
done
cat >config_db.json <<END
{"PORT": {$ports}, "CABLE_LENGTH": {"AZURE": {$cables}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "2621440", "xoff": "204800"},
                 "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "4096000"}},
 "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": "1280", "xon": "2560", "xoff": "102400", "xon_offset": "2560", "dynamic_th": "-4"},
                    "queue": {"pool": "egress_lossless_pool", "size": "0", "static_th": "4096000"}},
 "BUFFER_PG": {"$names|3-4": {"profile": "lossless"}}, "BUFFER_QUEUE": {"$names|3-4": {"profile": "queue"}},
 "WRED_PROFILE": {"ecn": {"green_min_threshold": "100000", "green_max_threshold": "400000", "green_drop_probability": "5", "ecn": "ecn_all", "wred_green_enable": "true"}},
 "QUEUE": {"$names|3-4": {"wred_profile": "ecn"}}, "PORT_QOS_MAP": {"$names": {"pfc_enable": "3,4"}}}
END
traffic=(--cell 256B --xoff outside --traffic rdma --ports 4 --incast 2MB --until 2000)

expect_run 0 '' "$WEIR" tune config_db.json "${traffic[@]}" --budget 24 --html trade.html
expect_match 'the verdict' "$output" '^verdict: config_db.json: p99 [0-9.]+ to [0-9.]+ us, held [0-9.]+ to [0-9.]+ us, [0-9]+ settings simulated$'
expect_match 'as it was' "$output" '^configured +100000 +400000 +5 +-4 '
expect_match 'what the columns mean' "$output" '^p99, mean: completion times'
p99=$(awk '$1 == "configured" {print $6}' <<<"$output")
best=$(awk '$1 == "best" {print $6}' <<<"$output")
expect_match 'the best is better' "$(python3 -c "print(float('$best') < float('$p99'))")" '^True$'
expect_match 'a picture' "$(cat trade.html)" '<circle class="f1"'
expect_match 'of the trade' "$(cat trade.html)" 'time that peers were held, us'

# The changes do what was promised, by another command.
arguments=()
while read -r set; do arguments+=(--set "$set"); done < <(sed -n 's/^  --set //p' <<<"$output")
expect_run 0 '' "$WEIR" evaluate config_db.json "${traffic[@]}" "${arguments[@]}" --json
expect_match 'evaluate agrees' "$(python3 -c 'import json,sys; print("%.1f" % max(n["value"] for n in json.load(sys.stdin)["after"]["numbers"] if n["name"].endswith(": p99 completion")))' <<<"$output")" "^$best\$"

# Pauses as the goal; collectives as the traffic.
expect_run 0 '' "$WEIR" tune config_db.json "${traffic[@]}" --budget 24 --goal pauses
expect_match 'the same' "$output" '^verdict: '
expect_run 0 '' "$WEIR" tune config_db.json --cell 256B --xoff outside --traffic all-to-all --ports 4 --incast 4MB --until 4000 --budget 4 --json
expect_match 'points' "$(python3 -c 'import json,sys; j=json.load(sys.stdin); print(len(j["points"]), j["points"][0]["unfinished"])' <<<"$output")" '^4 0$'

# Nothing to tune.
sed 's/"wred_profile": "ecn"/"scheduler": "none"/' config_db.json >bare.json
expect_run 3 'weir: no queue that PFC pauses has a WRED profile that marks (expected QUEUE with a wred_profile whose ecn has green packets)' "$WEIR" tune bare.json "${traffic[@]}"
expect_run 2 "weir: --goal: 'speed' is no goal (expected p99, mean or pauses)" "$WEIR" tune config_db.json "${traffic[@]}" --goal speed
finish

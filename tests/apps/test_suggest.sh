#!/usr/bin/env bash
# weir suggest: changes for a goal that keep what they promise, and what they trade.
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
chip=(--cell 256B --xoff outside)

# Headroom for all groups, at the cost of the pool: their sum stays.
expect_run 0 '' "$WEIR" suggest config_db.json "${chip[@]}"
expect_match 'headroom for eight groups' "$output" '^  --set BUFFER_POOL.ingress_lossless_pool.xoff=819200$'
expect_match 'out of the pool' "$output" '^  --set BUFFER_POOL.ingress_lossless_pool.size=2007040$'
expect_match 'serves the goal' "$output" '^verdict: after: no loss found$'
expect_match 'which it was not before' "$output" '^verdict: before: may lose packets$'
expect_match 'what it traded' "$output" '(better|worse)$'
sets=$(sed -n 's/^  --set //p' <<<"$output")
arguments=()
for set in $sets; do arguments+=(--set "$set"); done
expect_run 0 '' "$WEIR" evaluate config_db.json "${chip[@]}" "${arguments[@]}"
expect_match 'evaluate says the same' "$output" '^verdict: after: no loss found$'

# Profiles that a lookup table makes cannot be changed here, but the pool can.
sed 's/"BUFFER_PG": {[^}]*}}, //' config_db.json >made.json
printf '# speed cable size xon xoff threshold\n100000 5m 1280 2560 102400 -4\n' >lookup.ini
expect_run 0 '' "$WEIR" suggest made.json "${chip[@]}" --lookup lookup.ini
expect_match 'headroom for eight groups of the table' "$output" '^  --set BUFFER_POOL.ingress_lossless_pool.xoff=819200$'
expect_match 'which serves the goal too' "$output" '^verdict: after: no loss found$'

# Short headroom is raised to what the longest link of the profile needs, and lint agrees.
sed 's/"xoff": "102400"/"xoff": "256"/; s/"Ethernet12": "5m"/"Ethernet12": "100m"/' config_db.json >short.json
expect_run 0 '' "$WEIR" suggest short.json "${chip[@]}"
expect_match 'it loses packets as it is' "$output" '^verdict: before: loses packets$'
expect_match 'which is mended' "$output" '^verdict: after: no loss found$'
xoff=$(sed -n 's/^  --set BUFFER_PROFILE.lossless.xoff=//p' <<<"$output")
sed "s/\"xoff\": \"256\"/\"xoff\": \"${xoff:-0}\"/" short.json >raised.json
status=0
"$WEIR" lint raised.json "${chip[@]}" >lint.txt || status=$?
expect_no_match 'by the formula' "$(cat lint.txt)" 'headroom-short'
sed "s/\"xoff\": \"256\"/\"xoff\": \"$((${xoff:-0} - 256 * 5))\"/" short.json >raised.json
"$WEIR" lint raised.json "${chip[@]}" >lint.txt || status=$?
expect_match 'and not more than by a KiB' "$(cat lint.txt)" 'headroom-short'
# Without a shared headroom pool the size of a profile includes its headroom.
sed 's/, "xoff": "204800"//; s/"size": "1280", "xon": "2560", "xoff": "102400"/"size": "28160", "xon": "2560", "xoff": "25600"/' config_db.json >own.json
expect_run 0 '' "$WEIR" suggest own.json "${chip[@]}"
xoff=$(sed -n 's/^  --set BUFFER_PROFILE.lossless.xoff=//p' <<<"$output")
expect_match 'both are raised' "$output" "^  --set BUFFER_PROFILE.lossless.size=$((${xoff:-0} + 2560))\$"

# A larger alpha lets a group take more, and 1 leaves as much to the next.
expect_run 0 '' "$WEIR" suggest config_db.json "${chip[@]}" --goal burst
expect_match 'alpha' "$output" '^  --set BUFFER_PROFILE.lossless.dynamic_th=0$'
expect_match 'more before a pause' "$output" '^Ethernet0 class 3: XOFF alone, cells +[0-9]+ +[0-9]+ +\+[0-9]+ +better$'
expect_run 0 '' "$WEIR" suggest config_db.json "${chip[@]}" --goal p99 --traffic incast --ports 4 --incast 4MB
expect_match 'completion times that are better' "$output" '^incast: p99 completion, us +[0-9.]+ +[0-9.]+ +-[0-9.]+ +better$'
expect_run 2 'weir: --goal p99: no traffic (expected --traffic)' "$WEIR" suggest config_db.json "${chip[@]}" --goal p99
expect_run 2 "weir: --goal: 'fast' is no goal (expected no-loss, burst or p99)" "$WEIR" suggest config_db.json "${chip[@]}" --goal fast
finish

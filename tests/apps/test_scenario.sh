#!/usr/bin/env bash
# weir scenario: a configuration becomes a scenario that runs, with the switch as it is set.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >config_db.json <<'END'
{"PORT": {"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4"}, "Ethernet4\n": {"speed": "25000", "lanes": "5"},
          "Ethernet8": {"speed": "100000", "lanes": "9,10,11,12"}, "Ethernet12": {"speed": "100000", "admin_status": "down"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4\n": "5m", "Ethernet8": "300m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "2560000", "xoff": "256000"},
                 "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "2048000"}},
 "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": "1280", "xon": "2304", "xoff": "128000", "xon_offset": "2304", "dynamic_th": "-1"},
                    "lossy": {"pool": "egress_lossy_pool", "size": "1536", "dynamic_th": "-2"}},
 "BUFFER_PG": {"Ethernet0,Ethernet4\n,Ethernet8|3-4": {"profile": "lossless"}},
 "BUFFER_QUEUE": {"Ethernet0|0-2": {"profile": "lossy"}},
 "PORT_QOS_MAP": {"Ethernet0,Ethernet4\n,Ethernet8": {"pfc_enable": "3,4"}},
 "SCHEDULER": {"a": {"type": "DWRR", "weight": "20"}, "b": {"type": "STRICT"}},
 "WRED_PROFILE": {"w": {"green_min_threshold": "100000", "green_max_threshold": "400000", "green_drop_probability": "5", "ecn": "ecn_all", "wred_green_enable": "true"}},
 "QUEUE": {"Ethernet0|3-4": {"scheduler": "a", "wred_profile": "w"}, "Ethernet0|7": {"scheduler": "b"}},
 "PFC_WD": {"Ethernet0": {"action": "forward", "detection_time": "200", "restoration_time": "400"}}}
END
expect_run 0 '' "$WEIR" scenario config_db.json --cell 256B --xoff inside --until 300 --incast 500KB
expect_match 'a port that is up' "$output" '^    - \{a: h2, b: s0, rate: 100000Mbps, delay: 1500.000ns\}    # Ethernet8$'
expect_match 'names are one line' "$output" '^    - \{a: h1, b: s0, rate: 25000Mbps, delay: 25.000ns\}    # Ethernet4\?$'
expect_no_match 'none that is down' "$output" 'h3'
# Shared: 2560000 - 256000. Private: 3 ports of 3 lossy classes with 1536 B and 2 lossless ones with 1280 B.
expect_match 'the buffer' "$output" "^  buffer: $((2304000 + 256000 + 3 * (3 * 1536 + 2 * 1280)))B\$"
expect_match 'groups' "$output" '^    name: sai-groups$'
expect_match 'XON' "$output" '^    xon: \[0B, 0B, 0B, 2304B, 2304B, 0B, 0B, 0B\]$'
expect_match 'a shared headroom pool' "$output" '^    headroom_pool: 250KiB$'
expect_match 'headroom of a group' "$output" '^    headroom: \[auto, auto, auto, 125KiB, 125KiB, auto, auto, auto\]$'
expect_match 'queues' "$output" '^    name: sai-queues$'
expect_match 'classes of one lossy group' "$output" '^    group: \[0, 0, 0, auto, auto, 0, 0, 0\]$'
expect_match 'lossy queues' "$output" '^    alpha: \[0.25, 0.25, 0.25, 1, 1, 1, 1, 1\]$'
expect_match 'classes without a profile have no limit' "$output" '^    limit: \[auto, auto, auto, 5[0-9]+B, 5[0-9]+B, '
expect_match 'WRED marks' "$output" '^        low: \[0B, 0B, 0B, 100000B, 100000B, 0B, 0B, 0B\],$'
expect_match 'and loses what it cannot mark' "$output" '^    wred_low: \[auto, auto, auto, [0-9.A-Za-z]+, [0-9.A-Za-z]+, auto, auto, auto\]$'
expect_no_match 'nothing else' "$output" '^    wred_all:'
expect_match 'a strict queue' "$output" '^  strict_from: 7$'
expect_match 'a watchdog' "$output" '^  watchdog: \{detect: 200ms, restore: 400ms, action: forward\}$'
printf '%s\n' "$output" >printed.yaml
sed 's/ecn_all/ecn_none/' config_db.json >unmarked.json
expect_run 0 '' "$WEIR" scenario unmarked.json --cell 256B --xoff inside
expect_match 'without marks all is lost' "$output" '^    wred_all: \[0, 0, 0, 1, 1, 0, 0, 0\]$'
expect_no_match 'there are none' "$output" '^  ecn:'
sed 's/"wred_green_enable": "true"/"wred_green_enable": "false"/' config_db.json >undropped.json
expect_run 0 '' "$WEIR" scenario undropped.json --cell 256B --xoff inside
expect_no_match 'or nothing' "$output" 'wred_low'
expect_run 0 '' "$WEIR" scenario config_db.json --cell 256B --xoff inside --until 300 --incast 500KB -o switch.yaml
expect_equal 'the same as a file' "$(cat switch.yaml)" "$(cat printed.yaml)"
expect_run 0 '' "$WEIR" headroom switch.yaml --json
if [ -n "$has_python" ]; then
    expect_equal 'reserved' "$(from_json 'next(s for s in d[0]["schemes"] if s["name"] == "sai-groups")["headroom_bytes"]')" '256000'
fi
"$WEIR" run switch.yaml >run.txt 2>err.txt || expect_equal 'it runs' "$(cat err.txt)" ''
expect_match 'the burst arrives' "$(cat run.txt)" '^incast +2 +2 '
# In pipes, each with its part: of three ports two are in the first.
expect_run 0 '' "$WEIR" scenario config_db.json --cell 256B --xoff outside --pipes 2 --ports 2
expect_match 'an MMU for both' "$output" '^  ports_per_memory: 2$'
expect_match 'a part of the pool' "$output" "^  buffer: $((1280000 + 128000 + 2 * (3 * 1536 + 2 * 1280)))B\$"
expect_run 3 'weir: the cell of the chip is not known (expected --platform or --cell)' "$WEIR" scenario config_db.json
sed 's/"speed": "25000", //' config_db.json >slow.json
expect_run 3 'weir: the speed of port Ethernet4? is not known (expected PORT, or --rate)' "$WEIR" scenario slow.json --cell 256B
expect_run 3 'weir: the configuration has 1 ports that are up (expected two or more)' \
    "$WEIR" scenario <(sed 's/"lanes": "1,2,3,4"/"admin_status": "down"/; s/"lanes": "5"/"admin_status": "down"/' config_db.json) --cell 256B
expect_run 2 "weir: scenario: no configuration (expected a file or a folder; see 'weir scenario --help')" "$WEIR" scenario
finish

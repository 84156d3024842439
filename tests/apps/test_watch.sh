#!/usr/bin/env bash
# weir watch: what a switch counted beside its configuration, once and while a folder grows.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >config_db.json <<'END'
{"PORT": {"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4"}, "Ethernet4": {"speed": "100000", "lanes": "5,6,7,8"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "2621440", "xoff": "204800"},
                 "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "4096000"}},
 "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": "1280", "xon": "2560", "xoff": "102400", "dynamic_th": "0"},
                    "queue": {"pool": "egress_lossless_pool", "size": "0", "static_th": "4096000"}},
 "BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "lossless"}}, "BUFFER_QUEUE": {"Ethernet0,Ethernet4|3-4": {"profile": "queue"}},
 "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3,4"}}}
END
chip=(--cell 256B --xoff outside)
cat >groups.txt <<'END'
Ingress shared pool occupancy per PG:
       Port    PG0    PG3        PG4
-----------  -----  -----  ---------
  Ethernet0      0   1024    1024000
  Ethernet4      0      0          0
END

# One dump: which group is nearest, and what the configuration would do.
expect_run 0 '' "$WEIR" watch config_db.json --counters groups.txt "${chip[@]}"
expect_match 'the nearest' "$output" '^nearest to its limit: Ethernet0 PG 4, 78\.'
expect_match 'no alarm' "$output" '^no alarm$'
expect_match 'its row' "$output" '^Ethernet0 +4 +78.* no pause$'
expect_match 'what the words mean' "$output" '^shared, headroom: the most that the group held'

# A folder: losses and storms are errors, and say what to do.
mkdir dumps
cp groups.txt dumps/1.txt
printf 'object,counter,value\nEthernet0|4,SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS,7\nEthernet0|3,SAI_QUEUE_STAT_DROPPED_PACKETS,2\n' >dumps/2.csv
printf 'half {' >dumps/3.json
printf '{"Ethernet0": {"SAI_PORT_STAT_PFC_4_TX_PKTS": 12, "SAI_PORT_STAT_PFC_6_RX_PKTS": 3}}' >dumps/4.json
# shellcheck disable=SC2016 # the quotes are of the message
expect_run 1 'weir: left out: dumps/3.json: has no table of counters (expected what `show priority-group watermark shared`, `show queue watermark unicast`, `show pfc counters` or `show pfcwd stats` prints, with its headings)' "$WEIR" watch config_db.json --counters dumps --times 1 "${chip[@]}"
expect_match 'losses' "$output" '^error: Ethernet0 PG 4: 7 packets of a lossless group were dropped at the ingress$'
expect_match 'and of queues' "$output" '^error: Ethernet0 queue 3: 2 packets of a queue that PFC pauses were dropped$'
expect_match 'pauses that it does not explain' "$output" '^note: Ethernet0 PG 4: it paused, and held 1024000 B at most'
expect_match 'pauses that nobody obeys' "$output" '^warning: Ethernet0 priority 6: the peer sent 3 pauses of a priority that is not in pfc_enable'
expect_match 'what to do' "$output" '^    do: raise xoff'
rm dumps/3.json
expect_run 1 '' "$WEIR" watch config_db.json --counters dumps --times 1 --json "${chip[@]}"
expect_match 'JSON' "$(python3 -c 'import json,sys; j=json.load(sys.stdin); print(j["alarms"][0]["level"], j["groups"][0]["pg"])' <<<"$output")" '^error 4$'

# A folder that grows: what is new is shown.
("$WEIR" watch config_db.json --counters dumps --every 1 --times 6 "${chip[@]}" >grown.txt || true) &
sleep 2.5
printf 'QUEUE STATUS STORM DETECTED/RESTORED TX OK/DROP\nEthernet4:3 operational 5/5 0/0\n' >dumps/5.tmp
mv dumps/5.tmp dumps/5.txt
wait
expect_match 'the new file' "$(cat grown.txt)" '^error: Ethernet4 queue 3: the watchdog detected 5 storms of pauses$'
expect_match 'after the first look' "$(grep -c '^counters:' grown.txt)" '^2$'

# Beside the simulator.
expect_run 0 '' "$WEIR" watch config_db.json --counters groups.txt "${chip[@]}" --traffic incast --ports 2 --incast 100KB --until 200
expect_match 'a class' "$output" '^ +3 +3 +1024 +[0-9]+ '

# Mistakes.
expect_run 2 'weir: watch: --counters is missing (expected a file or a folder of what was counted)' "$WEIR" watch config_db.json
expect_run 3 'weir: none: cannot open: No such file or directory (expected a file or a folder of counters)' "$WEIR" watch config_db.json --counters none
printf 'hello\n' >hello.txt
# shellcheck disable=SC2016 # the quotes are of the message
expect_run 3 'weir: hello.txt: has no table of counters (expected what `show priority-group watermark shared`, `show queue watermark unicast`, `show pfc counters` or `show pfcwd stats` prints, with its headings)' "$WEIR" watch config_db.json --counters hello.txt "${chip[@]}"
mkdir empty
# shellcheck disable=SC2016 # the quotes are of the message
expect_run 3 'weir: empty: has no counter yet (expected dumps of `show ... watermark`, CSV, JSON or IPFIX)' "$WEIR" watch config_db.json --counters empty --times 1 "${chip[@]}"
finish

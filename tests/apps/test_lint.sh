#!/usr/bin/env bash
# weir lint: findings as text, JSON and SARIF, changes, platforms, folders, what is missing, mistakes, hostile names.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# The numbers of sonic-buildimage issue 28657.
cat >th6.json <<'END'
{
    "DEVICE_METADATA": {"localhost": {"hwsku": "NH-4210-F-O256", "platform": "x86_64-nexthop_4210-r0"}},
    "BUFFER_POOL": {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic",
                                  "size": "258035400", "xoff": "81553920"}
    }
}
END
expect_run 1 '' "$WEIR" lint th6.json
expect_equal 'a finding' "$output" "platform tomahawk6: cell 420B, buffer 267196860B, pipes 1, xoff outside of size
traditional model; ports: 0, pools: 1, profiles: 0, lossless groups: 0

th6.json:5:35: error: BUFFER_POOL|ingress_lossless_pool size [mmu-overcommit]
    ingress pools of 258035400 B (614370 cells), 81553920 B of xoff (194176 cells) and minimums of 0 B are 339589320 B, 72392460 B (172363 cells) more than the 267196860 B (636183 cells) of the buffer
    change: BUFFER_POOL|ingress_lossless_pool size: 258035400 -> 185642940
    rule: Pools, their shared headroom and guaranteed minimums fit the buffer.
    seen: sonic-buildimage issue 28657, Tomahawk6: 258035400 B and 81553920 B of headroom are 808546 cells, the chip has 636183; lossless groups were not programmed, and the switch did not come back from a warm reboot.

not checked: pfc-without-headroom, without PORT_QOS_MAP: which priorities PFC pauses
not checked: headroom-oversubscribed, without PORT_QOS_MAP: which priorities PFC pauses
error: packets are lost, or the switch refuses it; warning: that may happen; note: worth knowing
errors: 1, warnings: 0, notes: 0; with a change that mends them: 1"

# Mended, it is clean; the patch says what was changed.
expect_run 1 '' "$WEIR" lint th6.json --fix mended.json --patch patch.json --sarif lint.sarif
expect_match 'how many changes' "$output" '^changes in mended.json: 1$'
expect_run 0 '' "$WEIR" lint mended.json
expect_match 'nothing is left' "$output" '^errors: 0, warnings: 0, notes: 0;'
if [ -n "$has_python" ]; then
    output=$(cat patch.json)
    expect_equal 'a JSON patch' "$(from_json '[(o["op"], o["path"], o["value"]) for o in d]')" \
        "[('test', '/BUFFER_POOL/ingress_lossless_pool/size', '258035400'), ('replace', '/BUFFER_POOL/ingress_lossless_pool/size', '185642940')]"
    output=$(cat lint.sarif)
    expect_equal 'SARIF' "$(from_json '(d["version"], [(r["ruleId"], d["runs"][0]["tool"]["driver"]["rules"][r["ruleIndex"]]["id"], r["level"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in d["runs"][0]["results"]])')" \
        "('2.1.0', [('mmu-overcommit', 'mmu-overcommit', 'error', 'th6.json', 5)])"
    expect_run 1 '' "$WEIR" lint th6.json --json
    expect_equal 'JSON' "$(from_json '(d["errors"], d["platform"]["cell_bytes"], d["findings"][0]["rule"], d["findings"][0]["line"], d["findings"][0]["changes"][0]["value"])')" \
        "(1, 420, 'mmu-overcommit', 5, '185642940')"
fi

# The table is there, but not the speeds: what is missing is named.
mkdir speeds
cat >speeds/qos.json <<'END'
{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}, "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}}
END
printf '# speed cable size xon xoff threshold\n100000 5m 1248 2288 100000 0\n' >speeds/pg_profile_lookup.ini
expect_run 0 '' "$WEIR" lint speeds --platform tomahawk
expect_match 'speeds are' "$output" '^not checked: pfc-without-headroom, without speeds of ports \(PORT, or --rate\)$'
expect_no_match 'the table is not' "$output" '--lookup'
expect_run 0 '' "$WEIR" headroom speeds --platform tomahawk
expect_match 'which the table of headroom says too' "$output" '^not known: the headroom of 1 group, without speeds of ports \(PORT, or --rate\)$'

# Headroom that no chip of its kind has is not proposed.
cat >wide.json <<'END'
{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "67108800", "xoff": "1000064"}},
 "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": "1248", "xon": "2288", "xoff": "40000064", "dynamic_th": "0"}},
 "BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "lossless"}}, "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3,4"}}}
END
expect_run 1 '' "$WEIR" lint wide.json --platform tomahawk
expect_match 'advice instead' "$output" '^    mend: the buffer is too small for the headroom of its groups'
expect_no_match 'no such change' "$output" 'xoff: 1000064 ->'

# Cables of ports that are not there go.
cat >cables.json <<'END'
{"PORT": {"Ethernet0": {"speed": "100000", "lanes": "1"}}, "BUFFER_POOL": {"in": {"type": "ingress", "mode": "dynamic", "size": "10400000"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m", "Ethernet8": "40m"}}}
END
expect_run 1 '' "$WEIR" lint cables.json --platform tomahawk --fix cabled.json --patch cables.patch
expect_match 'the field goes' "$output" '^    change: CABLE_LENGTH\|AZURE Ethernet4: 5m -> \(none\)$'
expect_match 'and another' "$output" '^    also: Ethernet8$'
expect_run 0 '' "$WEIR" lint cabled.json --platform tomahawk
expect_match 'what is left is clean' "$output" '^errors: 0, warnings: 0, notes: 0;'
if [ -n "$has_python" ]; then
    output=$(cat cables.patch)
    expect_equal 'a patch that removes' "$(from_json '[(o["op"], o["path"]) for o in d][:2]')" "[('test', '/CABLE_LENGTH/AZURE/Ethernet4'), ('remove', '/CABLE_LENGTH/AZURE/Ethernet4')]"
fi

# Another platform, or none with its numbers as options; xoff inside, it still does not fit.
expect_run 1 '' "$WEIR" lint th6.json --platform trident3
expect_match 'the platform that was named' "$output" '^platform trident3: cell 256B, buffer 32MiB, pipes 1, xoff inside of size$'
sed 's/NH-4210-F-O256/none/; s/x86_64-nexthop_4210-r0/none/' th6.json >unknown.json
expect_run 0 '' "$WEIR" lint unknown.json
expect_match 'an unknown platform' "$output" '^platform unknown: cell unknown, buffer unknown, pipes unknown, xoff unknown of size \(both are tried\)$'
expect_match 'what is missing' "$output" '^not checked: mmu-overcommit, without the buffer of the chip \(--mmu\)$'
expect_match 'and what else' "$output" '^not checked: cell-rounding, without the cell of the chip \(--cell\)$'
expect_run 0 '' "$WEIR" lint unknown.json --cell 420B --mmu 267196860B
expect_match 'both readings of xoff' "$output" 'if xoff is outside of size; inside, it fits \(--xoff says which\)$'
expect_run 1 '' "$WEIR" lint unknown.json --cell 420B --mmu 267196860B --xoff outside
expect_run 0 '' "$WEIR" lint unknown.json --cell 420B --mmu 267196860B --xoff inside
expect_no_match 'inside, it fits' "$output" 'mmu-overcommit'
cat >own.yaml <<'END'
platform: mine
boards: [none]
cell_size: {value: 420B, source: "the data sheet"}
mmu_size: {value: 267196860B, source: "the data sheet"}
xoff: {value: outside, source: "measured"}
END
expect_run 1 '' "$WEIR" lint unknown.json --platform own.yaml
expect_match 'a platform of our own' "$output" '^platform mine: cell 420B, buffer 267196860B, pipes unknown, xoff outside of size$'

# Every platform that comes with the program can be read, by its name.
for file in "$root"/operate/platforms/*.yaml; do
    name=$(basename "$file" .yaml)
    status=0
    "$WEIR" lint th6.json --platform "$name" >out.txt 2>err.txt || status=$?
    expect_match "platform $name" "$(cat out.txt err.txt)" "^platform $name: cell "
done

# A folder of files, with a lookup table.
mkdir switch
cat >switch/buffers.json <<'END'
{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "50m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10875072", "xoff": "4194112"}},
 "BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "[BUFFER_POOL|ingress_lossless_pool]", "size": "0", "dynamic_th": "3"}},
 "BUFFER_PG": {"Ethernet0,Ethernet4|0": {"profile": "[BUFFER_PROFILE|ingress_lossy_profile]"}}}
END
cat >switch/qos.json <<'END'
{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}, "Ethernet4": {"pfc_enable": "3,4"}}}
END
printf '# speed cable size xon xoff threshold xon_offset\n100000 5m 1248 2288 165568 0 2288\n' >switch/pg_profile_lookup.ini
expect_run 1 '' "$WEIR" lint switch --platform tomahawk --rate 100Gbps
expect_match 'groups of both files' "$output" '^traditional model; ports: 2, pools: 1, profiles: 1, lossless groups: 4$'
expect_match 'a cable without a row' "$output" '^ +switch/pg_profile_lookup.ini has no row for 100000 Mb/s and 50 m$'
expect_match 'old references' "$output" '^switch/buffers.json:3:47: note: BUFFER_PROFILE\|ingress_lossy_profile pool \[old-reference\]$'
expect_run 1 '' "$WEIR" lint switch/qos.json --lookup switch/pg_profile_lookup.ini --rate 100Gbps --cable 50m
expect_match 'the same by options' "$output" 'has no row for 100000 Mb/s and 50 m$'

# The same finding of many ports is one.
cat >many.json <<'END'
{"DEVICE_METADATA": {"localhost": {"buffer_model": "dynamic"}},
 "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}, "Ethernet1": {"pfc_enable": "3"}, "Ethernet2": {"pfc_enable": "3"},
   "Ethernet3": {"pfc_enable": "3"}, "Ethernet4": {"pfc_enable": "3"}, "Ethernet5": {"pfc_enable": "3"}}}
END
expect_run 1 '' "$WEIR" lint many.json --cable 5m
expect_match 'one finding' "$output" '^    also: Ethernet1, Ethernet2, Ethernet3, Ethernet4 and 1 more$'
expect_match 'but six' "$output" '^errors: 6,'

# What is not understood is listed; names from outside do not reach the terminal as they are.
printf '{"BUFFER_POOL": {"\\u001b[31mred\\n": {"size": "1", "\\u0007bell": "2", "type": "\\u001b]0;x"}}, "NOT\\u001bTHIS": {"a": {}}}' >hostile.json
expect_run 1 '' "$WEIR" lint hostile.json
expect_no_match 'no control characters' "$output" $'[\033\007]'
expect_match 'an unknown field' "$output" 'BUFFER_POOL\|\?\[31mred\? \?bell \[unknown-field\]$'
expect_match 'an unread table' "$output" '^    1 entries are not read: not a table about buffers$'
if [ -n "$has_python" ]; then
    expect_run 1 '' "$WEIR" lint hostile.json --json
    expect_equal 'as JSON they are what they are' "$(from_json 'sorted({f["rule"] for f in d["findings"]})')" \
        "['missing-field', 'not-read', 'unknown-field', 'unreadable']"
fi

# A redacted copy lints alike, and has nothing of whose switch it is.
cat >private.json <<'END'
{"DEVICE_METADATA": {"localhost": {"hwsku": "NH-4210-F-O256", "platform": "x86_64-nexthop_4210-r0", "hostname": "secret-tor-7",
   "mac": "00:11:22:33:44:55", "bgp_asn": "64999"}},
 "BGP_NEIGHBOR": {"10.20.30.40": {"name": "secret-peer"}, "fc00::77": {}},
 "PORT": {"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4", "alias": "secretOne", "description": "to secret.example.com", "mtu": "9100"},
          "secretport": {"speed": "400000x", "lanes": "5", "descripton": "secret text"}},
 "CABLE_LENGTH": {"SECRETSITE": {"Ethernet0": "40m", "secretport": "5m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "258035400", "xoff": "81553920"},
                 "secret_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000"}},
 "BUFFER_PROFILE": {"10.9.8.7": {"pool": "[BUFFER_POOL|ingress_lossless_pool]", "size": "0", "dynamic_th": "9", "xoff": "100"},
                    "pg_lossless_secret": {"pool": "secret_lossless_pool", "size": "0", "dynamic_th": "0", "xoff": "100", "xon": "1"}},
 "BUFFER_PG": {"Ethernet0,secretport|3-4": {"profile": "10.9.8.7"}, "secret-host|asic0|Ethernet0|3": {"profile": "secret gone"}},
 "WRED_PROFILE": {"SECRETWRED": {"wred_green_enable": "true", "wred_red_enable": "false", "ecn": "ecn_green_yellow",
   "green_min_threshold": "1000", "green_max_threshold": "2000"}},
 "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4", "dscp_to_tc_map": "SECRETMAP"}, "secretport": {"pfc_enable": "3"}}}
END
expect_run 1 '' "$WEIR" lint private.json --redact shown.json
expect_no_match 'no name, address or MAC is left' "$(cat shown.json)" '[sS][eE][cC][rR][eE][tT]|10\.(20|9)|fc00|33:44|64999|example'
expect_match 'what is public stays' "$(cat shown.json)" '"ingress_lossless_pool"'
for word in '"ecn": "ecn_green_yellow"' '"wred_green_enable": "true"' '"wred_red_enable": "false"'; do
    expect_match 'and words of fields' "$(cat shown.json)" "$word"
done
if [ -n "$has_python" ]; then
    findings='sorted((f["rule"], f["severity"], f["table"], f.get("field"), len(f["changes"])) for f in d["findings"])'
    expect_run 1 '' "$WEIR" lint private.json --json
    before=$(from_json "$findings")
    expect_run 1 '' "$WEIR" lint shown.json --json
    expect_equal 'it lints alike' "$(from_json "$findings")" "$before"
fi

# What a machine can mend is mended at once; without findings a copy is the same configuration, and so is its copy.
"$WEIR" lint private.json --fix once.json >/dev/null || true
"$WEIR" lint once.json --fix twice.json >twice.txt || true
expect_match 'no change is left' "$(cat twice.txt)" '; with a change that mends them: 0$'
expect_match 'none was made' "$(cat twice.txt)" '^changes in twice.json: 0$'
expect_equal 'read, written, read: the same' "$(cat twice.json)" "$(cat once.json)"

expect_run 0 '' "$WEIR" lint --rules
expect_match 'the rules' "$output" '^mmu-overcommit +error +Pools, '
expect_run 2 'weir: lint: no configuration (expected a file or a folder)' "$WEIR" lint
# Findings that say the same are one, though others stand between them.
cat >turns.json <<'END'
{"BUFFER_QUEUE": {"Ethernet0|0": {"profile": "[BUFFER_PROFILE|a]"}, "Ethernet0|3": {"profile": "[BUFFER_PROFILE|b]"},
                  "Ethernet4|0": {"profile": "[BUFFER_PROFILE|a]"}, "Ethernet4|3": {"profile": "[BUFFER_PROFILE|b]"}},
 "BUFFER_PG": {"Ethernet0|0": {"profile": "[BUFFER_PROFILE|a]"}}}
END
expect_run 1 '' "$WEIR" lint turns.json
expect_equal 'findings in turns' "$(grep -A2 '\[old-reference\]' <<<"$output" | sed 's/.*: note: //')" "BUFFER_PG|Ethernet0|0 profile [old-reference]
    'a' is written in the old form
    change: BUFFER_PG|Ethernet0|0 profile: [BUFFER_PROFILE|a] -> a
--
BUFFER_QUEUE|Ethernet0|0 profile [old-reference]
    'a' is written in the old form
    also: Ethernet4|0
--
BUFFER_QUEUE|Ethernet0|3 profile [old-reference]
    'b' is written in the old form
    also: Ethernet4|3"

expect_run 3 'weir: none.json: cannot open: No such file or directory' "$WEIR" lint none.json
echo '{' >broken.json
expect_run 3 "weir: broken.json:2:0: no JSON: string or '}' expected near end of file" "$WEIR" lint broken.json
echo '{"VLAN": {}}' >vlan.json
expect_run 3 'weir: vlan.json: has no table about buffers (expected config_db.json, buffers.json or qos.json: an object with BUFFER_POOL, PORT_QOS_MAP, ...)' \
    "$WEIR" lint vlan.json
mkdir empty
expect_run 3 'weir: empty: has no *.json and no *.ini (expected config_db.json, buffers.json, ...)' "$WEIR" lint empty
expect_run 3 "weir: --platform: unknown platform 'tomahwk' (did you mean 'tomahawk'?)" "$WEIR" lint th6.json --platform tomahwk
echo 'platform: x
cell_size: 208B' >bad.yaml
expect_run 3 'weir: bad.yaml:2:12: cell_size: expected {value: ..., source: ...}' "$WEIR" lint th6.json --platform bad.yaml
echo 'platform: x
cel_size: {value: 208B, source: x}' >bad.yaml
expect_run 3 "weir: bad.yaml:2:1: unknown key 'cel_size' (did you mean 'cell_size'?)" "$WEIR" lint th6.json --platform bad.yaml
expect_run 2 "weir: --xoff: 'beside' is no place (expected inside or outside)" "$WEIR" lint th6.json --xoff beside
expect_run 2 "weir: --cable: '5' is no length (expected metres, such as 300m)" "$WEIR" lint th6.json --cable 5
expect_run 2 "weir: --rate: '5' is no rate (expected whole Gbps or Mbps, such as 100Gbps)" "$WEIR" lint th6.json --rate 5
expect_run 2 "weir: --formula: '2022' is no year of it (expected 2020, 2021, 2024 or 2026)" "$WEIR" lint th6.json --formula 2022

# Thousands of ports: time grows with their number, or hardly more.
# many PORTS: that many with keys, cables and maps; most of them are too many.
many() {
    awk -v n="$1" 'function rows(name, key, value) {
        printf "%s\"%s\": {", table++ ? ", " : "{", name
        for (i = 0; i < n; i++) printf "%s\"Ethernet%d%s\": %s", i ? ", " : "", i, key, value
        printf "}"
    } BEGIN {
        rows("PORT", "", "{\"speed\": \"100000\"}")
        rows("QUEUE", "|3-4", "{\"scheduler\": \"s\", \"wred_profile\": \"none\"}")
        rows("BUFFER_PG", "|0", "{\"profile\": \"none\"}")
        rows("PORT_QOS_MAP", "", "{\"pfc_enable\": \"3,4\", \"pfcwd_sw_enable\": \"3,4\"}")
        printf ", \"CABLE_LENGTH\": {\"AZURE\": {"
        for (i = 0; i < n; i++) printf "%s\"Ethernet%d\": \"40m\"", i ? ", " : "", i
        print "}}}"
    }'
}
# hundredths PORTS: of a second of a processor.
hundredths() {
    local TIMEFORMAT=%U used
    many "$1" >many.json
    used=$({ time "$WEIR" lint many.json --fix many-mended.json --redact many-redacted.json >many.out 2>&1; } 2>&1) || true
    grep -q '^errors: ' many.out || echo 'lint has not come to its end' >&2
    echo $((10#${used/./} / 10 + 1))
}
few=$(hundredths 2500)
many=$(hundredths 20000)
[ "$many" -lt $((30 * few)) ] || expect_equal 'time of 20000 ports, of 2500' "$many, $few" 'at most thirty times as long'
finish

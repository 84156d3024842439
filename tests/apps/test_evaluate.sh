#!/usr/bin/env bash
# weir evaluate: probes beside the formula, by pipe and with many groups at once; before and after; traffic; tables for others.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# Eight ports, a pool of 10240 cells of 256 B with a shared headroom pool of 1600 for groups of 400; alpha 1/2 and 2.
cat >config_db.json <<'END'
{"PORT": {PORTS},
 "CABLE_LENGTH": {"AZURE": {CABLES}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "2621440", "xoff": "409600"},
                 "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "4096000"},
                 "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "2048000"}},
 "BUFFER_PROFILE": {"three": {"pool": "ingress_lossless_pool", "size": "1280", "xon": "2560", "xoff": "102400", "xon_offset": "2560", "dynamic_th": "-1"},
                    "four": {"pool": "ingress_lossless_pool", "size": "1280", "xon": "2560", "xoff": "102400", "xon_offset": "2560", "dynamic_th": "1"},
                    "ingress_lossy": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
                    "egress_lossless": {"pool": "egress_lossless_pool", "size": "0", "static_th": "4096000"},
                    "egress_lossy": {"pool": "egress_lossy_pool", "size": "1536", "dynamic_th": "-2"}},
 "BUFFER_PG": {"NAMES|3": {"profile": "three"}, "NAMES|4": {"profile": "four"}, "NAMES|0": {"profile": "ingress_lossy"}},
 "BUFFER_QUEUE": {"NAMES|0-2": {"profile": "egress_lossy"}, "NAMES|3-4": {"profile": "egress_lossless"}, "NAMES|5-7": {"profile": "egress_lossy"}},
 "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "4": "4", "8": "0"}},
 "PORT_QOS_MAP": {"NAMES": {"pfc_enable": "3,4", "dscp_to_tc_map": "AZURE"}}}
END
names='' ports='' cables=''
for i in 0 4 8 12 16 20 24 28; do
    names+="${names:+,}Ethernet$i"
    ports+="${ports:+, }\"Ethernet$i\": {\"speed\": \"100000\", \"lanes\": \"1,2,3,4\"}"
    cables+="${cables:+, }\"Ethernet$i\": \"5m\""
done
sed -i "s/NAMES/$names/g; s/PORTS/$ports/; s/CABLES/$cables/" config_db.json

# Alone: 10240 / 3 + 5 = 3418.3 and 2 * 10240 / 3 + 5 = 6831.7 cells, then 400 of headroom. Lossy: 8000 / 5 + 6 = 1606.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside
expect_match 'the verdict comes first' "$(head -1 <<<"$output")" '^verdict: config_db.json: may lose packets$'
expect_match 'a group' "$output" '^Ethernet0 +3 +3 +3 +three +2\^-1 +3418 +3418\.3 +3819 +400 '
expect_match 'with another alpha' "$output" '^Ethernet0 +4 +4 +4 +four +2\^1 +6832 +6831\.7 +7233 +400 '
expect_match 'a lossy queue' "$output" '^Ethernet0 +0 +0 +0 +egress_lossy +2\^-2 +lossy +1606\.0 +1607 '
# Two ports, four groups: 10240 / (1 + 5) = 1706.7 of F.
expect_match 'four groups, small alpha' "$output" '4 groups at once, class 3: XOFF at 859 to 859 cells, by the formula 858\.3$'
expect_match 'four groups, large alpha' "$output" '4 groups at once, class 4: XOFF at 3419 to 3419 cells, by the formula 3418\.3$'
expect_match 'headroom for four of them' "$output" '^Ethernet0: headroom holds 4 of 16 groups at once, 1600 cells$'
# Xoff inside of size; and four pipes, each with a quarter.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff inside
expect_match 'xoff inside' "$output" '^Ethernet0 +3 +3 +3 +three +2\^-1 +2885 +2885\.0 +'
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --pipes 4
expect_match 'of one pipe' "$output" '^Ethernet0 +3 +3 +3 +three +2\^-1 +858 +858\.3 +1259 +400 '
expect_match 'its headroom' "$output" '^Ethernet0: headroom holds 1 of 4 groups at once, 400 cells$'
# Every number of groups, and static thresholds.
if [ -n "$has_python" ]; then
    for groups in 1 2 3 5 8 15 16; do
        expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --at-once $groups --json
        expect_equal "$groups groups agree with the formula" "$(from_json '[(d["ports"][0][w]["agrees"], d["ports"][0][w]["paused"]) for w in ("at_once", "all_at_once")]')" \
            "[(True, $groups), (True, 16)]"
    done
fi
expect_run 1 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.egress_lossless.static_th=512000
expect_match 'an egress limit below the ingress threshold loses' "$output" \
    '^  lost: group 3 of Ethernet0 drops packet 2001 before it pauses: its queue or the memory ends first$'

# The chip has less than the pools say: a group pauses where its cells end, and not where the pool would.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --mmu 1500KB
expect_match 'an overcommitted chip' "$output" '^  note: weir lint has [0-9]+ errors'
expect_match 'the larger threshold is beyond it' "$output" '^Ethernet0 +4 +4 +4 +four +2\^1 +4[0-9]+ +6831\.7 '

# Thresholds that sonic-mgmt has for Tomahawk switches (tests/qos/files/qos_params.th.yaml): packets that trigger PFC and a
# drop at 40, 50 and 100 Gb/s and 300 m, and PFC with 4, 8 and 10 groups at once: 2620, 1458 and 1194.
for link in '40000 108160 7063' '50000 141856 7225' '100000 268736 7835'; do
    read -r speed xoff drop <<<"$link"
    cat >tomahawk.json <<END
{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10875072", "xoff": "4194112"},
                 "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "15982720"}},
 "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": "1248", "xon": "2288", "xoff": "$xoff", "xon_offset": "2288", "dynamic_th": "0"},
                    "queue": {"pool": "egress_lossless_pool", "size": "1518", "static_th": "15982720"}},
 "BUFFER_PG": {"$names|3-4": {"profile": "lossless"}}, "BUFFER_QUEUE": {"$names|3-4": {"profile": "queue"}},
 "PORT": {$ports}, "CABLE_LENGTH": {"AZURE": {$cables}}, "PORT_QOS_MAP": {"$names": {"pfc_enable": "3,4"}}}
END
    expect_run 0 '' "$WEIR" evaluate tomahawk.json --platform tomahawk
    expect_match "Tomahawk at $speed Mb/s" "$output" "^Ethernet0 +3 +3 +3 +lossless +2\\^0 +6542 +6541\\.5 +$drop "
    expect_match 'four groups at once' "$output" '4 groups at once, class 3: XOFF at 262[01] to 262[01] cells, by the formula 2620\.2$'
done
for many in '8 1458' '10 1194'; do
    read -r groups cells <<<"$many"
    expect_run 0 '' "$WEIR" evaluate tomahawk.json --platform tomahawk --at-once "$groups" --pipes 1 --set BUFFER_POOL.ingress_lossless_pool.size=2718768 --json
    if [ -n "$has_python" ]; then
        expect_equal "$groups groups at once" "$(from_json 'd["after"]["ports"][0]["at_once"]["classes"][0]["formula_cells"] // 1')" "$cells.0"
        expect_equal 'the probe agrees' "$(from_json 'd["after"]["ports"][0]["at_once"]["agrees"]')" 'True'
    fi
done

# Before and after.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.three.dynamic_th=1
expect_match 'a change' "$output" '^Ethernet0 class 3: XOFF alone, cells +3418 +6832 +\+3414 +better$'
expect_match 'and its price' "$output" '^Ethernet0 class 4: XOFF of 4 groups, cells +34[0-9]+ +22[0-9]+ +-[0-9]+ +worse$'
sed 's/"dynamic_th": "-1"/"dynamic_th": "1"/' config_db.json >other.json
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --compare other.json
expect_match 'another file' "$output" '^Ethernet0 class 3: XOFF alone, cells +3418 +6832 +\+3414 +better$'
expect_run 3 "weir: --set BUFFER_PROFILE.tree.xoff=1: no entry 'tree' (did you mean 'three'?)" \
    "$WEIR" evaluate config_db.json --cell 256B --set BUFFER_PROFILE.tree.xoff=1
expect_run 3 "weir: --set BUFER_PROFILE.three.xoff=1: no table 'BUFER_PROFILE' (did you mean 'BUFFER_PROFILE'?)" \
    "$WEIR" evaluate config_db.json --cell 256B --set BUFER_PROFILE.three.xoff=1
expect_run 2 "weir: --set: 'three.xoff=1' is no change (expected TABLE.KEY.FIELD=VALUE)" \
    "$WEIR" evaluate config_db.json --cell 256B --set three.xoff=1

# In the shape of sonic-mgmt.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --qos-params -
expect_match 'a case of operators' "$output" '^    xoff_1:$'
expect_match 'its DSCP' "$output" '^      dscp: 3$'
expect_match 'its number' "$output" '^      pkts_num_trig_pfc: 3418$'
expect_match 'when it drops' "$output" '^      pkts_num_trig_ingr_drp: 3819$'

# Traffic: counters under the names that operators know; the same twice.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic rdma --ports 8 --until 1000 --incast 4MB
expect_match 'the traffic' "$output" '^incast +7 '
expect_match 'a counter' "$output" '^SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES, class 3 +[0-9]+ '
expect_match 'nothing is lost' "$output" 'lost: 0 lossless,'
before=$output
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic rdma --ports 8 --until 1000 --incast 4MB
expect_equal 'the same again' "$output" "$before"
# With hardly any headroom the burst loses packets that could have been paused.
expect_run 1 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic incast --ports 8 --incast 40MB \
    --set BUFFER_PROFILE.three.xoff=2560 --set BUFFER_PROFILE.four.xoff=2560 --set BUFFER_PROFILE.four.dynamic_th=-4 --set BUFFER_PROFILE.three.dynamic_th=-4
expect_match 'which the verdict says' "$output" '^  lost: the traffic lost [0-9]+ packets of lossless classes$'
printf '0 1 0 50000\n1000 2 0 50000 mine\n' >flows.txt
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic ./flows.txt --ports 4
expect_match 'a list of flows' "$output" '^flows +1 '
expect_match 'with a tag of its own' "$output" '^mine +1 '
expect_run 2 "weir: --traffic: 'incst' is no traffic (expected incast, websearch, rdma, mix or a file)" \
    "$WEIR" evaluate config_db.json --cell 256B --traffic incst
expect_run 3 'weir: the cell of the chip is not known (expected --platform or --cell)' "$WEIR" evaluate config_db.json

# A port that no table gives a profile is a kind of its own.
sed 's/"PORT": {/"PORT": {"Ethernet99": {"speed": "100000", "lanes": "9"}, /' config_db.json >bare.json
expect_run 0 '' "$WEIR" evaluate bare.json --cell 256B --xoff outside
expect_match 'without a threshold' "$output" '^Ethernet99 +3 +0 +3 +\(none\) +none +lossy '
expect_match 'beside the others' "$output" '^Ethernet0 and 7 like it \(as if all were\), 4 groups at once'
# Nor does a size that no chip has do harm.
sed 's/"size": "2621440"/"size": "9223372036854775807"/' config_db.json >huge.json
expect_run 3 'weir: a pipe has 4294969264 cells (expected at most 33554432)' "$WEIR" evaluate huge.json --cell 256B --xoff outside

# Names from outside reach neither terminal nor table.
sed 's/Ethernet0\b/Ethernet0\\u001b[31m\\n  x: 1/g' config_db.json >hostile.json
expect_run 0 '' "$WEIR" evaluate hostile.json --cell 256B --xoff outside --qos-params hostile.yaml
expect_no_match 'no control characters' "$output" $'[\033]'
expect_no_match 'no key of theirs' "$(cat hostile.yaml)" '^ *x: 1'
expect_run 0 '' "$WEIR" evaluate hostile.json --cell 256B --xoff outside --traffic incast --ports 4 --until 200
expect_no_match 'nor by the simulation' "$output" $'[\033]'
finish

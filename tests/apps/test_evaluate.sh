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
expect_match 'lossy queues, in one line' "$output" '^Ethernet0 +0-2,5-7 +0 +0-2,5-7 +egress_lossy +2\^-2 +lossy +1606\.0 +1607 '
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
# Classes 3 and 4 in one group: one account, with one threshold, minimum and headroom; both priorities are paused.
sed 's/"PORT_QOS_MAP"/"TC_TO_PRIORITY_GROUP_MAP": {"ONE": {"0": "0", "3": "3", "4": "3"}}, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"ONE": {"3": "3", "4": "3"}}, &/; s/"pfc_enable": "3,4"/&, "tc_to_pg_map": "ONE", "pfc_to_pg_map": "ONE"/' config_db.json >one.json
expect_run 0 '' "$WEIR" evaluate one.json --cell 256B --xoff outside --traffic rdma --ports 8 --incast 20MB --until 2000
expect_match 'one group of two classes' "$output" '^Ethernet0 +3-4 +3 +3-4 +three +2\^-1 +3418 +3418\.3 +3819 +400 '
expect_match 'a port has one group' "$output" '^Ethernet0 and 7 like it, 8 groups at once, class 3-4: XOFF at 1029 to 1030 cells, by the formula 1029\.0$'
expect_match 'its headroom' "$output" '^Ethernet0: headroom holds 4 of 8 groups at once, 1600 cells$'
expect_match 'its watermark is of the group' "$output" '^SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES, class 3-4 +[1-9]'
expect_equal 'both priorities are paused' "$(sed -n 's/^SAI_PORT_STAT_PFC_4_TX_PKTS, //p' <<<"$output")" \
    "$(sed -n 's/^SAI_PORT_STAT_PFC_3_TX_PKTS, //p' <<<"$output")"

expect_run 1 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.egress_lossless.static_th=512000
expect_match 'an egress limit below the ingress threshold loses' "$output" \
    '^  lost: group 3 of Ethernet0 drops packet 2001 before it pauses: its queue or the memory ends first$'

# Classes 3 and 4 of two groups in one queue, and watchdogs that differ in what they do: named.
watchdogs='"Ethernet0": {"detection_time": "200", "restoration_time": "200", "action": "drop"}, "Ethernet4": {"detection_time": "200", "restoration_time": "200", "action": "forward"}'
sed "s/\"PORT_QOS_MAP\"/\"TC_TO_QUEUE_MAP\": {\"ONE\": {\"0\": \"0\", \"3\": \"3\", \"4\": \"3\"}}, \"PFC_WD\": {$watchdogs}, &/; s/\"pfc_enable\": \"3,4\"/&, \"tc_to_queue_map\": \"ONE\"/" config_db.json >shared.json
expect_run 0 '' "$WEIR" evaluate shared.json --cell 256B --xoff outside
expect_match 'a queue of two groups' "$output" '^  taken: queue 3 has classes of several groups, as 3 and 4: each has its limit by itself$'
expect_match 'actions of watchdogs' "$output" '^  taken: PFC_WD differs between ports: all have that of PFC_WD\|Ethernet0$'

# WRED: green packets unless --colour says otherwise; what else is set and not modelled is named.
names=$(sed -n 's/.*"PORT_QOS_MAP": {"\([^"]*\)".*/\1/p' config_db.json)
wred='"ecn": "ecn_green", "wred_green_enable": "true", "green_min_threshold": "102400", "green_max_threshold": "409600", "green_drop_probability": "5", "wred_red_enable": "true", "red_min_threshold": "25600", "red_max_threshold": "51200"'
schedulers='"low": {"type": "STRICT"}, "high": {"type": "WRR", "weight": "3", "pir": "1000"}'
queues="\"$names|3\": {\"wred_profile\": \"W\", \"scheduler\": \"low\"}, \"$names|4\": {\"scheduler\": \"high\"}"
sed "s/^ \"PORT_QOS_MAP\"/ \"WRED_PROFILE\": {\"W\": {$wred}}, \"SCHEDULER\": {$schedulers}, \"QUEUE\": {$queues},&/" config_db.json >wred.json
expect_run 0 '' "$WEIR" evaluate wred.json --cell 256B --xoff outside
expect_match 'thresholds of WRED' "$output" '^Ethernet0 +3  W +green +400  1600 +5 %  ECN-capable packets are marked, others dropped$'
expect_match 'another colour' "$output" '^  taken: red packets of WRED_PROFILE\|W are not tried: all are taken for green \(--colour\)$'
expect_match 'rates' "$output" '^  taken: pir of SCHEDULER\|high is not modelled: queues send as fast as the port does$'
expect_match 'packets instead of bytes' "$output" '^  taken: SCHEDULER\|high counts packets: it is taken for DWRR, which counts bytes$'
expect_match 'strict below others' "$output" '^  taken: SCHEDULER\|low is STRICT below queues that are not: it is taken for DWRR$'
expect_run 1 '' "$WEIR" evaluate wred.json --cell 256B --xoff outside --colour red
expect_match 'red packets are dropped' "$output" '^  lost: group 3 of Ethernet0 loses packet 1[0-9]* before it pauses: WRED profile W drops it$'
expect_run 2 "weir: --colour: 'blue' is unknown (expected green, yellow or red)" "$WEIR" evaluate wred.json --cell 256B --colour blue

# The same as a page: the verdict first, names escaped, nothing that runs.
sed 's/"three"/"<script>alert(1)<\/script>"/g' wred.json >hostile.json
expect_run 0 '' "$WEIR" evaluate hostile.json --cell 256B --xoff outside --html page.html
expect_match 'text beside it' "$output" '^verdict: hostile.json: may lose packets$'
expect_match 'the verdict first' "$(grep -m 1 '<h[12]>' page.html)" '^<h1>hostile.json: <span class="part">may lose packets</span></h1>$'
expect_match 'thresholds' "$(cat page.html)" '^<tr><th scope="row">Ethernet0</th><td>3</td><td>3</td><td>3</td><td class="text">&lt;script&gt;alert\(1\)&lt;/script&gt;</td>'
expect_equal 'no script' "$(grep -c '<script' page.html)" 0
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.three.dynamic_th=1 --html -
expect_match 'before and after' "$output" '^<h1>after: <span class="part">may lose packets</span></h1>$'
expect_match 'what moved' "$output" '^<tr><th scope="row">Ethernet0 class 3: XOFF alone, cells</th><td>3418</td><td>6832</td>'
expect_run 4 'weir: no/page.html: cannot write: No such file or directory' "$WEIR" evaluate config_db.json --cell 256B --html no/page.html

# Headroom of 0, of less than the cable holds (5 m at 100 Gb/s: 631 B both ways, 2 cells), and none in the profile.
expect_run 1 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.three.xoff=0
expect_match 'no headroom' "$output" '^verdict: after: loses packets$'
expect_match 'and why' "$output" '^  lost: group 3 of Ethernet0 has no headroom: what comes after its pause is lost$'
expect_run 1 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.three.xoff=256
expect_match 'little of it' "$output" '^  lost: group 3 of Ethernet0 has 1 cells of headroom, and its cable alone holds 2 cells that come after its pause$'
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.three.xoff=512
sed 's/"three"/"pg_lossless_100000_5m_profile"/; s/"three"/"pg_lossless_100000_5m_profile"/; s/"xoff": "102400", "xon_offset": "2560", "dynamic_th": "-1"/"dynamic_th": "-1"/' config_db.json >none.json
expect_run 1 '' "$WEIR" evaluate none.json --cell 256B --xoff outside
expect_match 'a lossless name is none' "$output" '^  lost: PFC pauses group 3 of Ethernet0, which has no headroom and drops as a lossy one$'
# WRED that marks nothing drops what could be paused, and is named.
sed 's/"PORT_QOS_MAP"/"WRED_PROFILE": {"early": {"wred_green_enable": "true", "ecn": "ecn_none", "green_min_threshold": "128000", "green_max_threshold": "256000", "green_drop_probability": "100"}},\n "QUEUE": {"NAMES|3": {"wred_profile": "early"}},\n &/; s/NAMES/'"$names/" config_db.json >wred.json
expect_run 1 '' "$WEIR" evaluate wred.json --cell 256B --xoff outside
expect_match 'WRED is the cause' "$output" '^  lost: group 3 of Ethernet0 loses packet [0-9]+ before it pauses: WRED profile early drops it$'
expect_run 0 '' "$WEIR" evaluate wred.json --cell 256B --xoff outside --set WRED_PROFILE.early.ecn=ecn_all
# A pool of 0 is empty: a group has its minimum of 5 cells, others nothing.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --compare <(sed 's/"size": "2621440"/"size": "0"/' config_db.json)
expect_match 'nothing to share' "$output" '^Ethernet0 class 3: XOFF alone, cells +3418 +6 '
expect_match 'nor for lossy ones' "$output" '^Ethernet0 class 0: first drop, cells +1607 +1 '
# No pool at all: what headroom (16 groups of 400 cells) and minimums (5) leave of the chip, said, and as in the formula.
sed '/"BUFFER_POOL"/,/"egress_lossy_pool"/d' config_db.json >pools.json
expect_run 0 '' "$WEIR" evaluate pools.json --cell 256B --mmu 4096000B
left=$((4096000 - 16 * (102400 + 0)))
expect_match 'what is taken' "$output" "^  taken: there is no BUFFER_POOL: one pool has what headroom and minimums leave of the chip's 4096000 B, $left B\$"
expect_no_match 'as the formula has it' "$output" 'they differ'
expect_run 3 'weir: there is no BUFFER_POOL (expected one, or --mmu)' "$WEIR" evaluate pools.json --cell 256B
expect_run 3 'weir: no buffer is left to share: headroom takes 409600 B and minimums 16011264 B of the chip; the largest minimum is that of BUFFER_PROFILE|three, 2000000 B' \
    "$WEIR" evaluate config_db.json --cell 256B --xoff outside --mmu 4096000B --set BUFFER_PROFILE.three.size=2000000
# Few ports are those of one pipe, and share its memory.
expect_run 0 '' "$WEIR" scenario config_db.json --cell 256B --xoff outside --pipes 2 --ports 4
expect_match 'four of a block of four' "$output" '^  ports_per_memory: 4$'
expect_run 0 '' "$WEIR" scenario config_db.json --cell 256B --xoff outside --pipes 4 --ports 4
expect_match 'two blocks of two' "$output" '^  ports_per_memory: 2$'

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

# Ports of two kinds at once, eight groups of alpha 1/2 and eight of 1/8: F = 10240 / (1 + 5) = 1706.7, and 5 of minimum.
half=Ethernet16,Ethernet20,Ethernet24,Ethernet28
sed "s/\"three\": {.*/&\n \"low\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"1280\", \"xon\": \"2560\", \"xoff\": \"102400\", \"xon_offset\": \"2560\", \"dynamic_th\": \"-3\"},/
    s/\"BUFFER_PG\": {.*/\"BUFFER_PG\": {\"${names%,"$half"}|3-4\": {\"profile\": \"three\"}, \"$half|3-4\": {\"profile\": \"low\"}},/" config_db.json >mixed.json
expect_run 0 '' "$WEIR" evaluate mixed.json --cell 256B --xoff outside
for class in 3 4; do
    expect_match "of alpha 1/2, class $class" "$output" "^all kinds of ports, 16 groups at once, Ethernet0 class $class: XOFF at 8(58|59|60) to 8(58|59|60) cells, by the formula 858\.3\$"
    expect_match "of alpha 1/8, class $class" "$output" "^all kinds of ports, 16 groups at once, Ethernet16 class $class: XOFF at 21[89] to 21[89] cells, by the formula 218\.3\$"
done
if [ -n "$has_python" ]; then
    expect_run 0 '' "$WEIR" evaluate mixed.json --cell 256B --xoff outside --json
    expect_equal 'they agree' "$(from_json '(d["all_kinds_at_once"]["agrees"], d["all_kinds_at_once"]["paused"])')" '(True, 16)'
fi
# By pipe: blocks of two ports are of one kind each, so there is nothing to mix.
expect_run 0 '' "$WEIR" evaluate mixed.json --cell 256B --xoff outside --pipes 4
expect_no_match 'one kind in a pipe' "$output" '^all kinds of ports'
# Cables make no kinds where profiles are named; profiles of whole ports do.
sed 's/"Ethernet4": "5m"/"Ethernet4": "300m"/' config_db.json >cables.json
expect_run 0 '' "$WEIR" evaluate cables.json --cell 256B --xoff outside
expect_match 'all are alike' "$output" '^Ethernet0 and 7 like it, 4 groups'
sed 's/"PORT_QOS_MAP"/"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet4": {"profile_list": "ingress_lossy"}}, &/' config_db.json >lists.json
expect_run 0 '' "$WEIR" evaluate lists.json --cell 256B --xoff outside
expect_match 'one is not' "$output" '^Ethernet4 and 0 like it \(as if all were\), 4 groups'

# What the dynamic model computes, by sonic-swss for Spectrum: four ports at 100 Gb/s and 5 m, two groups each. A port has
# 19456 B for its lossy group and as much for management, 10240 B for mirrors and 10240 B of its own headroom; a group has its xon.
four=Ethernet0,Ethernet4,Ethernet8,Ethernet12
cat >dynamic.json <<END
{"DEVICE_METADATA": {"localhost": {"buffer_model": "dynamic"}}, "PORT": {${ports%%, \"Ethernet16\"*}}, "CABLE_LENGTH": {"AZURE": {${cables%%, \"Ethernet16\"*}}},
 "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}, "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "13945824"}},
 "BUFFER_PROFILE": {"lossy": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}, "queue": {"pool": "egress_lossless_pool", "size": "1024", "dynamic_th": "7"}},
 "BUFFER_PG": {"$four|3-4": {"profile": "NULL"}, "$four|0": {"profile": "lossy"}}, "BUFFER_QUEUE": {"$four|3-4": {"profile": "queue"}},
 "PORT_QOS_MAP": {"$four": {"pfc_enable": "3,4"}}}
END
expect_run 0 '' "$WEIR" headroom dynamic.json --platform spectrum
xoff=$(sed -n 's/^Ethernet0 .* 19456 *19456 *\([0-9]*\) .*/\1/p' <<<"$output")
pool=$(((8 * xoff - 4 * 10240 + 1) / 2))
expect_match 'a shared headroom pool of a ratio' "$output" "^Shared headroom pool ingress_lossless_pool: xoff $pool B .*as over_subscribe_ratio makes it\$"
expect_run 0 '' "$WEIR" evaluate dynamic.json --platform spectrum
expect_match 'which switches have' "$output" "^  taken: pool ingress_lossless_pool has no xoff: over_subscribe_ratio makes it $pool B\$"
size=$((13945824 - 8 * 19456 - 8 * 1024 - 8 * 19456 - 4 * 20480 - 262144 - pool))
expect_match 'and the size of a pool' "$output" "^  taken: pool ingress_lossless_pool has no size: by SONiC's script for Spectrum it is $size B\$"
expect_match 'its cells' "$output" "^Ethernet0 +3 +3 +3 +\\(computed\\) +2\\^0 +[0-9]+ +$((size / 96 / 2 + 203))\\."

# Without PORT_QOS_MAP and lossless profiles there is nothing to pause.
cat >lossy.json <<END
{"PORT": {$ports}, "BUFFER_POOL": {"in": {"type": "ingress", "mode": "dynamic", "size": "2621440"}},
 "BUFFER_PROFILE": {"lossy": {"pool": "in", "size": "0", "dynamic_th": "3"}}, "BUFFER_PG": {"$names|0": {"profile": "lossy"}}}
END
expect_run 0 '' "$WEIR" evaluate lossy.json --cell 256B
expect_match 'which the verdict says' "$(head -2 <<<"$output")" "^verdict: lossy.json: no group is lossless
  note: PORT_QOS_MAP is missing: which priorities PFC pauses is not known\$"

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

expect_run 3 "weir: --set BUFFER_PROFILE.three.dynamic_th=banana: 'banana' is not a number" \
    "$WEIR" evaluate config_db.json --cell 256B --set BUFFER_PROFILE.three.dynamic_th=banana
expect_run 3 'weir: dynamic_th of profile three is 9 (expected -8 to 7)' \
    "$WEIR" evaluate config_db.json --cell 256B --xoff outside --set BUFFER_PROFILE.three.dynamic_th=9
expect_run 3 "weir: --set BUFFER_PROFILE.three.dynamic_thr=1: the table has no such field (did you mean 'dynamic_th'?)" \
    "$WEIR" evaluate config_db.json --cell 256B --set BUFFER_PROFILE.three.dynamic_thr=1
sed 's/"dynamic_th": "-1"/"xon_offset": "2560"/; s/"xon_offset": "2560", //' config_db.json >unlimited.json
expect_run 3 'weir: profile three has no threshold that can be read (expected dynamic_th or static_th)' \
    "$WEIR" evaluate unlimited.json --cell 256B --xoff outside

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
# A capture, of packets that are larger than lossless ones usually are.
word() { printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"; }
{
    printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x01\x00\x00\x00'
    for i in 00 0c 11; do # DSCP 0, 3, and 4 with ECN
        word 0 && word 0x$i && word 34 && word 1514
        printf '%b' '\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x08\x00\x45' "\\x$i" \
            '\x05\xdc\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02'
    done
} >capture.pcap
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic ./capture.pcap --ports 4
expect_match 'a capture' "$output" '^packets +3 +0 +0 '
for class in 0 3 4; do
    expect_match "the DSCP chooses class $class" "$output" "^SAI_QUEUE_STAT_WATERMARK_BYTES, class $class +1536  packets sent: 1, lost: 0, marked: 0\$"
done
sed 's/, "dscp_to_tc_map": "AZURE"//' config_db.json >unmapped.json
expect_run 0 '' "$WEIR" evaluate unmapped.json --cell 256B --xoff outside --traffic ./capture.pcap --ports 4
expect_match 'no map is said' "$output" '^all packets of the capture are of class 0: Ethernet0 has no dscp_to_tc_map$'
expect_match 'and so they are' "$output" '^SAI_QUEUE_STAT_WATERMARK_BYTES, class 0 +[0-9]+  packets sent: 3, lost: 0, marked: 0$'
# What is asked for and cannot be is said.
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic incast --ports 1000 --at-once 100 --incast 20MB --until 5
expect_match 'ports' "$output" '^no more than these ports are up: --ports 1000$'
expect_match 'groups' "$output" '^Ethernet0: a pipe has 16 lossless groups: --at-once 100$'
expect_match 'times of flows that did not end' "$output" '^incast +7 +7 +0 +- +- +-$'
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --traffic incast --until 5
expect_no_match 'nothing was asked for' "$output" '--ports|--at-once'
expect_run 2 'weir: evaluate: --incast goes with --traffic' "$WEIR" evaluate config_db.json --cell 256B --incast 1MB
expect_run 2 "weir: --traffic: 'incst' is no traffic (expected incast, websearch, rdma, mix, all-reduce, all-to-all or a file)" \
    "$WEIR" evaluate config_db.json --cell 256B --traffic incst
expect_run 3 'weir: the cell of the chip is not known (expected --platform or --cell)' "$WEIR" evaluate config_db.json

# A port that no table gives a profile is a kind of its own.
sed 's/"PORT": {/"PORT": {"Ethernet99": {"speed": "100000", "lanes": "9"}, /' config_db.json >bare.json
expect_run 0 '' "$WEIR" evaluate bare.json --cell 256B --xoff outside
expect_match 'without a threshold, which is one line' "$output" '^Ethernet99 +0-7 +0 +0-7 +\(none\) +none +lossy '
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

# The table of agreement in the docs is the one that the facts make, and chips whose thresholds nobody knows are refused.
facts=$(dirname "$WEIR")/../../tests/operate_facts
WEIR_PLATFORMS=$root/operate/platforms "$facts" --table >table.txt
grep -xF -f table.txt "$root/docs/howto/operators.md" >found.txt
expect_equal 'the table of agreement' "$(sort -u found.txt)" "$(sort -u table.txt)"
sed 's/^{/{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-arista_7280r4_32qf_32df"}},/' config_db.json >voq.json
expect_run 3 "weir: jericho is not judged: VOQ: packets wait at the ingress for their output, so that thresholds of output queues say nothing" "$WEIR" evaluate voq.json
# Chips that nobody has described are refused too, by their boards.
for board in arm64-centec_e530_24x2c-r0:centec x86_64-ew_es6220_x48q2h4-r0:centec x86_64-delta_et-c032if-r0:teralynx; do
    sed "s/^{/{\"DEVICE_METADATA\": {\"localhost\": {\"platform\": \"${board%:*}\"}},/" config_db.json >board.json
    expect_run 3 "weir: ${board#*:} is not judged: no public source says how its buffer is shared (--platform FILE, if you know)" "$WEIR" evaluate board.json
done
sed 's/^{/{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-cel_seastone_2-r0"}},/' config_db.json >seastone.json
expect_match 'Seastone_2 is no Seastone' "$("$WEIR" lint seastone.json || true)" '^platform trident3:'

# Measured counts beside the model: as the configuration is, and as other readings of it would be.
printf 'speed,cable,count,packets\n100000,5m,xoff,3418\n100000,5m,ingress_drop,3819\n100000,5m,egress_drop,1607\n40000,5m,xoff,10\n' >counts.csv
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --compare counts.csv --calibrated mine.yaml
expect_match 'how many can be compared' "$output" '^measured: 4 counts, 3 of them of links that the configuration has$'
expect_match 'as it is' "$output" '^as the platform has it: 3 agree within 4 cells or 1 %; best reading: 3, mean error'
expect_match 'a row' "$output" '^100000_5m +xoff +3418 +3418 +0 +0.00$'
expect_match 'a platform' "$(cat mine.yaml)" '^xoff: \{value: outside, source: "measured: 3 of 3 counts agree'
expect_match "three counts are not enough to be sure" "$output" "^xoff +outside +[0-9.]+ +too few different counts to be sure$"
printf "100000,5m,xoff,3418\n100000,5m,xoff,3419\n100000,5m,xoff,3417\n100000,5m,xoff,3420\n100000,5m,ingress_drop,3819\n100000,5m,ingress_drop,3820\n" >six.csv
expect_run 0 "" "$WEIR" evaluate config_db.json --cell 256B --xoff outside --compare six.csv
expect_match "six are" "$output" "^cell_size +256B +100.0 +sure$"
expect_match "what does not show in them" "$output" "^egress_shared +own +(- +)?nothing: another value explains them equally well$"
expect_run 0 '' "$WEIR" evaluate config_db.json --platform ./mine.yaml
# Two pipes and xoff inside of the size halve it; the search finds that.
printf '100000,5m,xoff,1443\n100000,5m,egress_drop,807\n' >half.csv
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --compare half.csv
expect_match 'the first reading' "$output" '^1 +2 +[0-9.]+ +2 +inside '
cat >qos_params.yaml <<'END'
qos_params:
    x:
        topo-any: &any
            cell_size: 256
            100000_5m:
                pkts_num_leak_out: 19
                xoff_1:
                    dscp: 3
                    pkts_num_trig_pfc: 3420 # counted
                    pkts_num_trig_ingr_drp: 3822
                hdrm_pool_size:
                    pkts_num_trig_pfc: 9
        topo-t1:
            100000_5m:
                xoff_1: {dscp: 3}
                xoff_2:
                    pkts_num_trig_pfc: 9999
END
expect_run 0 '' "$WEIR" evaluate config_db.json --cell 256B --xoff outside --compare qos_params.yaml --rows topo-any
expect_match 'rows of one topology' "$output" '^measured: 2 counts, 2 of them'
expect_match 'and what they are' "$output" '^x.topo-any.100000_5m.xoff_1 +xoff +3420 +3418 +-2 '
printf '100000,5m,xof,3418\n' >wrong.csv
expect_run 3 "weir: wrong.csv:1:1: '100000,5m,xof,3418' is no measurement (expected speed,cable,count,packets such as 100000,300m,xoff,6542; counts are xoff, ingress_drop and egress_drop)" "$WEIR" evaluate config_db.json --cell 256B --compare wrong.csv
printf 'speed,cable,count,packets\n100000,5m,xoff,3418\0\n' >nul.csv
expect_run 3 'weir: nul.csv: is no text of at most 8 MiB (expected measured counts)' "$WEIR" evaluate config_db.json --cell 256B --compare nul.csv
{ printf 'speed,cable,count,packets\n100000,5m,xoff,3418\n'; head -c 8388608 /dev/zero | tr '\0' '\n'; } >large.csv
expect_run 3 'weir: large.csv: is no text of at most 8 MiB (expected measured counts)' "$WEIR" evaluate config_db.json --cell 256B --compare large.csv
finish

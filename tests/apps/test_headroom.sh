#!/usr/bin/env bash
# weir headroom: terms and bounds, what schemes reserve, chips, scenarios, JSON, mistakes.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# The example of the DSH paper, section III-A: 5.33 MiB and 44.4 % of a Trident2.
expect_run 0 '' "$WEIR" headroom --chip trident2 --cell 1B
expect_equal 'trident2' "$output" "trident2: 32 ports of 40Gbps, 8 lossless classes, buffer of 12.583 MB = 12.000 MiB (78.64 us of traffic)
a link of 40Gbps and 1.5us, packets of 64B to 1500B, cells of 1B

What still arrives for a queue after its pause was decided:
term                            bytes      us  because
waiting                          1500     0.3  the PAUSE waits for a packet that its port has just begun
propagation of the PAUSE         7500     1.5  the PAUSE crosses the link
processing                       3840   0.768  the peer acts on it: 60 quanta, in the DSH paper at every rate
response                         1500     0.3  the peer ends the packet that it has just begun
propagation of the last packet   7500     1.5  what is on the link arrives
= equation 1                    21840   4.368  2 (C D + MTU) + 3840 B, of the DSH paper: may lose packets
the PAUSE frame                    64  0.0128  the PAUSE itself is sent
the packet that triggers it      1500     0.3  it goes to the headroom if the shared pool has no room
slower processing                3712  0.7424  a peer may take 118 quanta, 7552B, at 40Gbps: IEEE 802.3ba, 31B.3.7
own processing                      0       0  this switch, before the PAUSE and after the wire: not known, counted as none (--own-processing)
= no-loss bound                 27116       -  no arrangement of packets exceeds it, if the buffer counts bytes, not cells (--cell)

Reserved, with 21840 B for a queue (equation 1):
scheme            headroom           bytes     MB    MiB  of buffer  shared B  shared MiB
sih               32 x 8 x 21840B  5591040  5.591  5.332     44.4 %   6991872       6.668
adaptive          32 x 8 x 21840B  5591040  5.591  5.332     44.4 %   6991872       6.668
oversubscribed    32 x 8 x 17472B  4472832  4.473  4.266     35.5 %   8110080       7.734
dsh               32 x 21840B       698880  0.699  0.667      5.6 %  11884032      11.333
reverie-lossless  32 x 8 x 21840B  5591040  5.591  5.332     44.4 %   6991872       6.668
sai-groups        32 x 8 x 21840B  5591040  5.591  5.332     44.4 %   6991872       6.668

With a measured delay of 1.5us and a ratio of 0.8:
  sih: one headroom per queue, sized for the worst case of its link
  adaptive: one headroom per queue: equation 1 with the measured delay of its link
  oversubscribed: a fraction (ratio) of one headroom per queue; packets may be lost
  dsh: one headroom per port; what a queue needs beyond, it takes from the shared pool
  reverie-lossless: one headroom per queue, sized for the worst case of its link
  sai-groups: the xoff of each group, or one pool for all
dsh reserves 4892160 B (4.892 MB, 4.666 MiB) less than sih: 38.9 % of the buffer."
chip=$output
expect_run 0 '' "$WEIR" headroom --rate 40Gbps --delay 1.5us --mtu 1500B --ports 32 --classes 8 --buffer 12MiB
expect_equal 'the same by its numbers' "trident2: $output" "$chip"
expect_no_match 'no colours without a terminal' "$output" $'\033'
expect_no_match 'no spaces at the end of a line' "$output" ' $'

# The link of the paper's simulations.
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us
expect_match 'equation 1' "$output" '^= equation 1 +56840 '
expect_match 'the bound' "$output" '^= no-loss bound +79780 '
expect_no_match 'equation 1 is no bound' "$output" '^= equation 1 .*bound'
expect_no_match 'no totals without a switch' "$output" '^sih '
expect_run 0 '' "$WEIR" headroom --rate 25Gbps --delay 1ps
expect_match 'a fraction of a byte counts as one' "$output" '^propagation of the PAUSE +1 '

# Cells: the worst packets take a cell of 208 B for 84 B of the wire. A peer may take 905 quanta at 400 Gb/s.
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us --cell 208B
expect_match 'equation 1 stays in bytes' "$output" '^= equation 1 +56840 '
expect_match 'the peer of the standard' "$output" '^slower processing +21376 .* 394 quanta, 25216B, at 100Gbps: IEEE 802.3ba'
expect_match 'with gaps' "$output" '^= on the wire +79860 '
expect_match 'the worst packet' "$output" '^cells filled in part +117948 +- +the worst packets, of 64B, take 1 cell for 84B of the wire: x 2.477$'
expect_match 'the bound in cells' "$output" '^= no-loss bound +197808 +- +951 cells: no arrangement of packets exceeds it$'
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us --cell 64B
expect_match 'another packet is the worst' "$output" 'the worst packets, of 65B, take 2 cells for 85B '
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us --cell 208B --small 50%
expect_no_match 'half of the packets small: no bound' "$output" '^= no-loss bound'
expect_match 'and called none' "$output" '^= with small packets +[0-9]+ .* no bound: only 50 % of the wire are packets of 64B$'
expect_run 0 '' "$WEIR" headroom --rate 400Gbps
expect_match 'at 400 Gb/s' "$output" '^slower processing +54080 .* 905 quanta, 57920B'
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us --processing paper
expect_match 'for a peer of the paper' "$output" '^= no-loss bound +58404 '
expect_match 'and for any' "$output" '^= for any peer +79780 .* 394 quanta'
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us --processing 500ns --own-processing 100ns
expect_match 'times become bytes of the wire' "$output" '^slower processing +2410 .* takes 6250B at most, as given$'
expect_match 'of this switch too' "$output" '^own processing +1250 .*: as given$'
expect_match 'in the sum' "$output" '^= no-loss bound +62064 '
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us
by_delay=$output
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --cable 0.4km
expect_equal 'a cable of 5 ns a metre' "$output" "$by_delay"
expect_run 0 '' "$WEIR" headroom --rate 100Gbps --cable 500m --metre 4ns
expect_equal 'and of 4 ns' "$output" "$by_delay"

# What the options change.
expect_run 0 '' "$WEIR" headroom --chip trident2 --headroom-size safe
expect_match 'the bound for a queue, in cells of the chip' "$output" '^sih +32 x 8 x 67392B +17252352 .* does not fit '
expect_match 'which are named' "$output" ', cells of 208B$'
expect_run 0 '' "$WEIR" headroom --chip tomahawk3
expect_match 'of another chip' "$output" ', cells of 254B$'
expect_run 0 '' "$WEIR" headroom --chip tomahawk4
expect_match 'whose cell is not public' "$output" '^= no-loss bound .* if the buffer counts bytes, not cells \(--cell\)$'
expect_run 0 '' "$WEIR" headroom --chip trident2 --headroom-size safe --cell 1B
expect_match 'the bound for a queue' "$output" '^sih +32 x 8 x 27116B +6941696 '
expect_match 'adaptive keeps to the equation' "$output" '^adaptive +32 x 8 x 21840B '
expect_run 0 '' "$WEIR" headroom --chip trident2 --headroom-size safe --cell 256B
expect_match 'in other cells' "$output" '^sih +32 x 8 x 82944B '
expect_match 'adaptive in whole cells' "$output" '^adaptive +32 x 8 x 22016B '
expect_run 0 '' "$WEIR" headroom --chip tomahawk --classes 7 --headroom-size 60000B --cell 1B --delay 2us --measured-delay 1us
expect_match 'bytes for a queue' "$output" '^sih +32 x 7 x 60000B +13440000 +13.440 +12.817 +80.1 % '
expect_match 'a measured delay' "$output" '^adaptive +32 x 7 x 31840B '
expect_match 'insurance' "$output" '^dsh +32 x 60000B +1920000 '
expect_run 0 '' "$WEIR" headroom --chip trident2 --ratio 50% --ports 1 --classes 1 --cell 1B
expect_match 'a ratio' "$output" '^oversubscribed +1 x 1 x 10920B +10920 '
expect_match 'nothing to save with one class' "$output" '^dsh reserves 0 B '
expect_run 0 '' "$WEIR" headroom --chip trident2 --buffer 4MiB
expect_match 'more than there is' "$output" '^sih .* 133.3 % +does not fit +-$'
expect_match 'no share of what does not fit' "$output" ' less than sih\.$'

# The trend of Figure 4: 157 to 37 us of buffer, 43 to 68 % headroom.
expect_run 0 '' "$WEIR" headroom --trend
expect_equal 'trend' "$output" "\
chip              ports  buffer  us of traffic  queue B  sih MiB  of buffer  dsh MiB  of buffer
trident+    48 x 10Gbps    9MiB          157.3    10590    3.878     43.1 %    0.485      5.4 %
trident2    32 x 40Gbps   12MiB           78.6    21840    5.332     44.4 %    0.667      5.6 %
tomahawk   32 x 100Gbps   16MiB           41.9    44340   10.825     67.7 %    1.353      8.5 %
tomahawk2  64 x 100Gbps   42MiB           55.1    44340   21.650     51.5 %    2.706      6.4 %
tomahawk3  32 x 400Gbps   64MiB           41.9   156840   38.291     59.8 %    4.786      7.5 %
tomahawk4  64 x 400Gbps  113MiB           37.0   156840   76.582     67.8 %    9.573      8.5 %"

if command -v python3 >/dev/null; then
    expect_run 0 '' "$WEIR" headroom --chip trident2 --cell 1B --json
    found=$(python3 -c '
import json, sys
page = json.load(sys.stdin)
sih, dsh = (next(s for s in page["schemes"] if s["name"] == name) for name in ("sih", "dsh"))
peer = page["peer"]
print(peer["paper_bytes"], peer["standard_bytes"], peer["standard_quanta"], peer["counted_bytes"], page["is_bound"])
print(sum(t["bytes"] for t in page["terms"] if t["in_equation"]), sum(t["bytes"] for t in page["terms"]),
      page["equation_bytes"], page["safe_bytes"], page["switch"]["chip"], sih["headroom_bytes"],
      f"{sih['"'share'"']:.4f}", sih["shared_bytes"], dsh["headroom_bytes"], page["dsh_saves_bytes"])' <<<"$output")
    expect_equal 'JSON' "$found" '3840 7552 118 7552 True
21840 27116 21840 27116 trident2 5591040 0.4443 6991872 698880 4892160'
    expect_run 0 '' "$WEIR" headroom --rate 100Gbps --delay 2us --cell 208B --json
    found=$(python3 -c '
import json, sys
page = json.load(sys.stdin)
print(page["wire_bytes"], page["worst_packet_bytes"], page["safe_cells"], page["safe_bytes"], page["link"]["gap_bytes"])' <<<"$output")
    expect_equal 'cells as JSON' "$found" '79860 64 951 197808 20'
    expect_run 0 '' "$WEIR" headroom --trend --json
    found=$(python3 -c 'import json,sys; print(*(c["switch"]["chip"] for c in json.load(sys.stdin)))' <<<"$output")
    expect_equal 'chips as JSON' "$found" 'trident+ trident2 tomahawk tomahawk2 tomahawk3 tomahawk4'
fi

# A scenario: what its switches would reserve when they run.
cat >fabric.yaml <<'END'
until: 1ms
topology: {kind: leaf-spine, leaves: 2, spines: 3, hosts_per_leaf: 4, host_rate: 40Gbps, spine_rate: 100Gbps,
           host_delay: 1.5us, spine_delay: 2us}
wire: {mss: 1440B, header: 60B}
switch: {buffer: 2MiB, classes: 8, lossless: 0-6, headroom: sih, headroom_size: equation, policy: dt}
transports: {rdma: {kind: none, class: 0-6, ack_class: 7}}
traffic: [{kind: incast, transport: rdma, sources: h1-h3, destination: h0, bytes: 100KB}]
END
expect_run 0 '' "$WEIR" headroom fabric.yaml
expect_equal 'tiers' "$output" "\
tier 0: 2 MMUs of 2.097 MB = 2.000 MiB (36.47 us of traffic), 7 inputs, 7 lossless classes
scheme            headroom    bytes     MB    MiB  of buffer  shared B  shared MiB
sih               in use    1805160  1.805  1.722     86.1 %    291992       0.278
adaptive          -         1805160  1.805  1.722     86.1 %    291992       0.278
oversubscribed    -         1444128  1.444  1.377     68.9 %    653024       0.623
dsh               -          257880  0.258  0.246     12.3 %   1839272       1.754
reverie-lossless  -         1805160  1.805  1.722     86.1 %    291992       0.278
sai-groups        -         1805160  1.805  1.722     86.1 %    291992       0.278

4 inputs of 40Gbps and 1.5us: 21840 B for a queue (equation 1); what still arrives after a pause:
term                            bytes      us  because
waiting                          1500     0.3  the PAUSE waits for a packet that its port has just begun
propagation of the PAUSE         7500     1.5  the PAUSE crosses the link
processing                       3840   0.768  the peer acts on it: 60 quanta, in the DSH paper at every rate
response                         1500     0.3  the peer ends the packet that it has just begun
propagation of the last packet   7500     1.5  what is on the link arrives
= equation 1                    21840   4.368  2 (C D + MTU) + 3840 B, of the DSH paper: may lose packets
the PAUSE frame                    64  0.0128  the PAUSE itself is sent
the packet that triggers it      1500     0.3  it goes to the headroom if the shared pool has no room
slower processing                   0       0  the peer takes 3840B at most, as pfc.processing says
own processing                      0       0  this switch, before the PAUSE and after the wire: none in the simulator
= no-loss bound                 23404       -  no arrangement of packets exceeds it, if the buffer counts bytes
= for any peer                  27116       -  a peer may take 118 quanta, 7552B, at 40Gbps: IEEE 802.3ba, 31B.3.7

3 inputs of 100Gbps and 2us: 56840 B for a queue (equation 1); what still arrives after a pause:
term                            bytes       us  because
waiting                          1500     0.12  the PAUSE waits for a packet that its port has just begun
propagation of the PAUSE        25000        2  the PAUSE crosses the link
processing                       3840   0.3072  the peer acts on it: 60 quanta, in the DSH paper at every rate
response                         1500     0.12  the peer ends the packet that it has just begun
propagation of the last packet  25000        2  what is on the link arrives
= equation 1                    56840    4.547  2 (C D + MTU) + 3840 B, of the DSH paper: may lose packets
the PAUSE frame                    64  0.00512  the PAUSE itself is sent
the packet that triggers it      1500     0.12  it goes to the headroom if the shared pool has no room
slower processing                   0        0  the peer takes 3840B at most, as pfc.processing says
own processing                      0        0  this switch, before the PAUSE and after the wire: none in the simulator
= no-loss bound                 58404        -  no arrangement of packets exceeds it, if the buffer counts bytes
= for any peer                  79780        -  a peer may take 394 quanta, 25216B, at 100Gbps: IEEE 802.3ba, 31B.3.7

tier 1: 3 MMUs of 2.097 MB = 2.000 MiB (83.89 us of traffic), 2 inputs, 7 lossless classes
scheme            headroom   bytes     MB    MiB  of buffer  shared B  shared MiB
sih               in use    795760  0.796  0.759     37.9 %   1301392       1.241
adaptive          -         795760  0.796  0.759     37.9 %   1301392       1.241
oversubscribed    -         636608  0.637  0.607     30.4 %   1460544       1.393
dsh               -         113680  0.114  0.108      5.4 %   1983472       1.892
reverie-lossless  -         795760  0.796  0.759     37.9 %   1301392       1.241
sai-groups        -         795760  0.796  0.759     37.9 %   1301392       1.241

2 inputs of 100Gbps and 2us: 56840 B for a queue (equation 1); what still arrives after a pause:
term                            bytes       us  because
waiting                          1500     0.12  the PAUSE waits for a packet that its port has just begun
propagation of the PAUSE        25000        2  the PAUSE crosses the link
processing                       3840   0.3072  the peer acts on it: 60 quanta, in the DSH paper at every rate
response                         1500     0.12  the peer ends the packet that it has just begun
propagation of the last packet  25000        2  what is on the link arrives
= equation 1                    56840    4.547  2 (C D + MTU) + 3840 B, of the DSH paper: may lose packets
the PAUSE frame                    64  0.00512  the PAUSE itself is sent
the packet that triggers it      1500     0.12  it goes to the headroom if the shared pool has no room
slower processing                   0        0  the peer takes 3840B at most, as pfc.processing says
own processing                      0        0  this switch, before the PAUSE and after the wire: none in the simulator
= no-loss bound                 58404        -  no arrangement of packets exceeds it, if the buffer counts bytes
= for any peer                  79780        -  a peer may take 394 quanta, 25216B, at 100Gbps: IEEE 802.3ba, 31B.3.7"
expect_run 0 '' "$WEIR" headroom fabric.yaml --set pfc.processing=standard --set switch.headroom_size=safe --set switch.cell=208B --set switch.buffer=20MiB
used=$(sed -n 's/^4 inputs of 40Gbps and 1.5us: \([0-9]*\) B for a queue (the no-loss bound);.*/\1/p' <<<"$output")
expect_match 'what is used is the bound that is shown' "$output" "^= no-loss bound +${used:-none} "
expect_match 'the time of simulated peers' "$output" '^slower processing +21376 .* takes 25216B at most, as pfc.processing says$'
expect_no_match 'none are slower' "$output" '^= for any peer'
expect_run 0 '' "$WEIR" headroom fabric.yaml --set switch.headroom=dsh --set switch.headroom_size=60000B
expect_match 'changed' "$output" '^dsh +in use +420000 '
expect_run 0 '' "$WEIR" headroom fabric.yaml --json
expect_match 'the scheme in use as JSON' "$output" '^    "scheme": "sih",$'
expect_match 'headroom as JSON' "$output" '^    "headroom_most_bytes": 56840,$'
sed 's/lossless: 0-6, headroom: sih, headroom_size: equation, //' fabric.yaml >lossy.yaml
expect_run 3 'weir: lossy.yaml: no switch has lossless classes (expected switch.lossless)' \
    "$WEIR" headroom lossy.yaml
expect_run 3 'weir: fabric.yaml:5:9: switch 0 with 7 ports: headroom: does not fit the buffer (headroom needs 1805160 B, the buffer has 1048576 B)' \
    "$WEIR" headroom fabric.yaml --set switch.buffer=1MiB

# A configuration of a switch: the run of sonic-swss pull request 3235 for Spectrum-3, 100 Gb/s and 40 m.
cat >config_db.json <<'END'
{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0", "buffer_model": "dynamic"}},
 "PORT": {"Ethernet0": {"speed": "100000", "lanes": "1,2,3,4", "mtu": "9100"},
          "Ethernet8": {"speed": "400000", "lanes": "8,9,10,11,12,13,14,15"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet8": "300m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}},
 "BUFFER_PROFILE": {"mine": {"pool": "ingress_lossless_pool", "size": "46080", "xon": "19440", "xoff": "14400", "dynamic_th": "0"}},
 "BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}, "Ethernet0|6": {"profile": "mine"}, "Ethernet8|3-4": {"profile": "NULL"}},
 "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "50"}},
 "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0"}}}
END
expect_run 0 '' "$WEIR" headroom config_db.json --formula 2024
expect_match 'of what' "$output" '^platform spectrum3: cell 144B; dynamic model; lossless MTU 1024, 50 % small packets; formula of 2024$'
expect_match 'as published' "$output" '^Ethernet0 +3-4 +100000 +40m +9100 +\(computed\) +70656 +19456 +51200 +51200 .* \+0 '
expect_match 'eight lanes' "$output" '^Ethernet8 +3-4 +400000 +300m +9100 +\(computed\) +320512 +38912 +272384 +272384 '
expect_match 'cells are missing' "$output" '^Ethernet0 +6 +100000 +40m +9100 +mine +46080 +19440 +14400 +51200 .* -256 '
expect_match 'the terms of a link' "$output" '^100000 Mb/s, 40 m, MTU 9100, 4 lanes: 1 port$'
expect_match 'of SONiC' "$output" '^cable, both ways +5050.5 '
expect_match 'and ours' "$output" '^propagation of the PAUSE +2500 '
expect_no_match 'no spaces at the end of a line' "$output" ' $'
bound=$(sed -n 's/^= no-loss bound *\([0-9]*\) .*/\1/p' <<<"$output" | head -n 1)
expect_match 'the bound of the terms is that of the port' "$output" "^Ethernet0 +3-4 .* ${bound:-none} +\\+0 "
expect_run 0 '' "$WEIR" headroom config_db.json
expect_match 'the compensation of 2026' "$output" '^Ethernet0 +3-4 .* 72704 +19456 +53248 +53248 '
if [ -n "$has_python" ]; then
    expect_run 0 '' "$WEIR" headroom config_db.json --json --formula 2024
    expect_equal 'as JSON' "$(from_json '[(g["port"], g["first_pg"], g["xoff_bytes"], g["sonic"]["xoff_bytes"], g["spare_cells_sonic"]) for g in d["groups"]]')" \
        "[('Ethernet0', 3, 51200, 51200, 0), ('Ethernet0', 6, 14400, 51200, -256), ('Ethernet8', 3, 272384, 272384, 0)]"
fi
# A shared headroom pool of 100000 B holds the headroom of one group of 51200 B.
sed 's/"mode": "dynamic"}}/"mode": "dynamic", "xoff": "100000"}}/; s/, "Ethernet0|6": {"profile": "mine"}//; s/, "Ethernet8|3-4": {"profile": "NULL"}//' config_db.json >shared.json
expect_run 0 '' "$WEIR" headroom shared.json
expect_match 'how many at once' "$output" '^  groups that may be in headroom at once, the largest first: 1$'
expect_match 'of how many' "$output" '^  lossless groups: 2, together 102400 B: 1.02 times the pool$'
# In two pipes, each has half of it, and the port is in one.
expect_run 0 '' "$WEIR" headroom shared.json --pipes 2
expect_match 'of a pipe' "$output" '^  the pool is split over 2 pipes: 50000 B for the 2 groups of one$'
expect_match 'none of them' "$output" '^  groups of a pipe that may be in headroom at once, the largest first: 0$'
printf '{"BUFFER_PG": {"Ethernet0|3": {"profile": "NULL"}}, "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"A": {}}}' >bare
expect_run 3 'weir: headroom: the cell of the chip is not known (expected --platform or --cell)' "$WEIR" headroom bare
expect_run 0 '' "$WEIR" headroom bare --cell 144B
expect_match 'what is not known' "$output" '^Ethernet0 +3 +- +- +9100 +\(unknown\) +- +- +- +- '
expect_run 0 '' "$WEIR" headroom bare --cell 144B --rate 100Gbps --cable 40m --small 50%
expect_match 'given by options' "$output" '^Ethernet0 +3 +100000 +40m +9100 +\(computed\) '
expect_run 2 'weir: headroom: --ports is not of a configuration (expected --platform, --lookup, --formula, --mmu, --pipes, --xoff, --rate, --cable, --cell or --small)' \
    "$WEIR" headroom bare --ports 3
expect_run 2 'weir: headroom: --platform is of a configuration (expected config_db.json, buffers.json or a folder of them)' \
    "$WEIR" headroom fabric.yaml --platform tomahawk

expect_run 2 'weir: headroom: --rate is missing (expected it, --chip, --trend or a scenario file)' "$WEIR" headroom
expect_equal 'nothing on stdout' "$output" ''
expect_run 2 'weir: headroom: --buffer is missing (totals need --ports and --buffer)' "$WEIR" headroom --rate 1Gbps --ports 4
expect_run 2 'weir: headroom: --ports is missing (totals need --ports and --buffer)' "$WEIR" headroom --rate 1Gbps --buffer 1MB
expect_run 2 'weir: headroom: --ports and --buffer are missing (totals need them)' "$WEIR" headroom --rate 1Gbps --classes 4
expect_run 2 'weir: headroom: --rate: given twice (expected once)' "$WEIR" headroom --rate 1Gbps --rate 2Gbps
expect_run 2 'weir: headroom: --trend is of fixed chips (expected no options but --json)' "$WEIR" headroom --trend --mtu 9KB
expect_run 2 'weir: headroom: --set changes a scenario (expected a file)' "$WEIR" headroom --chip trident2 --set a=b
expect_run 2 'weir: headroom: a scenario file, and options of a switch (expected one of them)' \
    "$WEIR" headroom --rate 1Gbps x.yaml
expect_run 2 'weir: headroom: --delay and --cable (expected one of them)' "$WEIR" headroom --rate 1Gbps --delay 1us --cable 3m
expect_run 2 'weir: headroom: --metre is of a cable (expected --cable)' "$WEIR" headroom --rate 1Gbps --metre 4ns
expect_run 2 'weir: headroom: --small matters where packets fill cells (expected --cell)' "$WEIR" headroom --rate 1Gbps --small 0.5
expect_run 2 "weir: --cable: '300' is no length (expected metres, such as 300m or 2km)" "$WEIR" headroom --rate 1Gbps --cable 300
expect_run 2 "weir: --cable: '3%m' is no length (expected metres, such as 300m or 2km)" "$WEIR" headroom --rate 1Gbps --cable 3%m
expect_run 3 'weir: headroom: --cable is too long (expected a delay of 100ms at most)' "$WEIR" headroom --rate 1Gbps --cable 20000km --metre 1us
expect_run 3 'weir: headroom: --least 2000B is more than --mtu 1500B' "$WEIR" headroom --rate 1Gbps --least 2000B
expect_run 2 "weir: headroom: unexpected operand 'y' (see 'weir headroom --help')" "$WEIR" headroom x y
expect_run 2 "weir: headroom: unknown option --chp (did you mean --chip?)" "$WEIR" headroom --chp
expect_run 2 "weir: --rate: '40' needs a unit (bps, Kbps, Mbps, Gbps, Tbps)" "$WEIR" headroom --rate 40
expect_run 2 "weir: --delay: '2' needs a unit (ps, ns, us, ms, s)" "$WEIR" headroom --rate 40Gbps --delay 2
expect_run 3 "weir: --mtu: '9B' is out of range (64B to 65535B)" "$WEIR" headroom --rate 40Gbps --mtu 9B
expect_run 3 "weir: --classes: '9' is out of range (1 to 8)" "$WEIR" headroom --chip trident2 --classes 9
expect_run 3 "weir: --ratio: '2' is out of range (0.00001526 to 1)" "$WEIR" headroom --chip trident2 --ratio 2
expect_run 3 "weir: --chip: unknown chip 'tridnt2' (did you mean 'trident2'?)" "$WEIR" headroom --chip tridnt2
expect_run 3 "weir: --chip: unknown chip 'something' (see 'weir headroom --trend')" "$WEIR" headroom --chip something
expect_run 3 'weir: none.yaml: cannot open: No such file or directory' "$WEIR" headroom none.yaml
finish

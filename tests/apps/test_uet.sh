#!/usr/bin/env bash
# Ultra Ethernet in the network of its reference simulator, by the one key `setting`: what uet-htsim 40ccb05 prints for
# the same runs. One flow is the same to the tenth of a microsecond; of several, draws differ: completion within 2 %,
# retransmissions within 15 %.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# matrix SENDER... : 2 MB from each to host 0 (one sender: to host 13), as htsim writes it.
matrix() {
    local to=0
    [ $# -eq 1 ] && to=13
    printf 'Nodes 16\nConnections %d\n' $#
    printf "%d->$to start 0 size 2000000\n" "$@"
}
matrix 0 >one.cm
# shellcheck disable=SC2046 # numbers
matrix $(seq 1 15) >incast.cm
cat >reference.yaml <<'END'
name: reference
setting: uet-htsim
until: 5ms
topology: {kind: fat-tree, k: 4, rate: 100Gbps, delay: 1us}
transports: {uet: {kind: uet, control: nscc}}
traffic: [{kind: list, tag: t, file: one.cm, transport: uet}]
END

# near WHAT VALUE WANTED PART: within that part of what is wanted.
near() {
    expect_equal "$1: $2, the reference has $3" "$(python3 -c 'import sys
value, wanted, part = map(float, sys.argv[1:])
print(abs(value - wanted) <= part * wanted)' "$2" "$3" "$4")" True
}
run() {
    expect_run 0 '' "$WEIR" run --json "$@" reference.yaml
}
measure() {
    from_json "d['measures']['t.$1']"
}

if [ -n "$has_python" ]; then
    while read -r control us acks; do
        run --set "transports.uet.control=$control"
        near "$control, one flow" "$(measure acked.max)" "$us" 0.0002
        expect_equal "$control, ACKs" "$(measure acks)" "$acks.0"
        expect_equal "$control, bytes" "$(measure sent_bytes)" 2031360.0
    done <<'END'
nscc 176.2e-6 124
rccc 177.37e-6 126
both 177.37e-6 126
END
    while read -r control us again acks; do
        run --set "transports.uet.control=$control" --set traffic.0.file=incast.cm
        near "$control, 15 to 1" "$(measure acked.max)" "$us" 0.02
        near "$control, retransmissions" "$(measure again.nack)" "$again" 0.15
        near "$control, ACKs of 15" "$(measure acks)" "$acks" 0.15
    done <<'END'
nscc 2478.53e-6 811 7131
rccc 2464.36e-6 762 2586
both 2462.9e-6 758 2576
END
fi

# Over links that lose a packet in a thousand, and around one that is dead before the routes know, all arrives; REPS
# leaves the dead one alone.
if [ -n "$has_python" ]; then
    fault() {
        run --set "transports.uet.paths=$1" --set 'traffic=[{kind: long, tag: t, transport: uet, pattern: permutation, bytes: 4MB}]' "${@:2}"
        expect_equal "$*: finished" "$(measure finished)" 16.0
        expect_equal "$*: losses are found by timeouts" "$(from_json "d['measures']['t.again.timeout'] > 50")" True
    }
    fault mixed --set wire.loss=0.001
    dead=(--set 'failures=[{when: 50us, at: s8, to: s16}]' --set routing.reroute=2ms --set until=20ms)
    fault oblivious "${dead[@]}"
    oblivious=$(measure acked.max)
    fault reps "${dead[@]}"
    expect_equal 'REPS freezes' "$(python3 -c 'import sys; print(2 * float(sys.argv[1]) < float(sys.argv[2]))' "$(measure acked.max)" "$oblivious")" True
fi

# What spraying does to others: TCP and RoCE say how many segments came out of order; on one path none does.
if [ -n "$has_python" ]; then
    deep=(--set switch.trim.losses=none --set 'switch.private=[3MB, 1MB]' --set switch.buffer=20MB --set until=50ms)
    for kind in dctcp dcqcn; do
        for ecmp in flow packet; do
            run --set "transports={uet: {kind: $kind}}" --set "routing.ecmp=$ecmp" "${deep[@]}" \
                --set 'traffic=[{kind: long, tag: t, transport: uet, pattern: permutation, bytes: 2MB}]'
            expect_equal "$kind, paths by $ecmp: out of order, sent again" \
                "$(from_json "[d['measures']['t.' + what] > 40 for what in ('reordered', 'resent')]")" \
                "$([ $ecmp = packet ] && echo '[True, True]' || echo '[False, False]')"
        done
    done
fi

# What the key stands for: printed, again a scenario, and less than what the file says. Without trimming queues are
# five times as long, and an oversubscribed network has a least rate of credit.
says() {
    "$WEIR" run --print-config "$@" reference.yaml | grep -E '^ +(private|rto|low|newest|buffer|name|hosts|credit_least|oversubscribed): ' | tr -s ' ' | tr '\n' ';'
}
expect_equal 'the setting' "$(says)" \
    ' buffer: 2075KiB; private: [174300B, 356900B]; name: cs; low: [37350B, 0B]; newest: 0.5; rto: 100.656us; oversubscribed: no;'
expect_equal 'what the file says goes before it' "$(says --set switch.policy=lqd --set 'switch.private=0B' --set transports.uet.rto=1ms)" \
    ' buffer: 2075KiB; private: 0B; name: lqd; low: [37350B, 0B]; newest: 0.5; rto: 1ms; oversubscribed: no;'
expect_equal 'without trimming' "$(says --set switch.trim.losses=none)" \
    ' buffer: 10690400B; private: [888100B, 1784500B]; name: cs; low: [37350B, 0B]; rto: 443.28us; oversubscribed: no;'
expect_equal 'receiver credit of a network 4 times oversubscribed' "$(says --set transports.uet.control=rccc --set 'traffic=[{kind: long, transport: uet, bytes: 1MB}]' \
    --set 'topology={kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps, spine_rate: 100Gbps}' | grep -o 'hosts: no\|oversubscribed.*' | sort -u)" \
    "$(printf 'hosts: no\noversubscribed: yes; credit_least: 0.225;')"
"$WEIR" run --print-config reference.yaml >printed.yaml
expect_equal 'printed' "$("$WEIR" run --quiet printed.yaml | sed -n 's/.*digest //p')" \
    "$("$WEIR" run --quiet reference.yaml | sed -n 's/.*digest //p')"
finish

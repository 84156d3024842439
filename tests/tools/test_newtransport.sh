#!/usr/bin/env bash
# test_newtransport.sh - CONTRIBUTING.md's steps for a transport and a topology, in a copy of the tree: one file and one
# line each, and `weir` reads, documents and runs them.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

copy=$scratch/weir
mkdir "$copy"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -

cat >"$copy/sim/transport/roce_steady.c" <<'END'
/*
 * roce_steady.c - a fixed part of the link's rate.
 */
#include "sim/transport/roce.h"

struct steady_params {
    struct roce_params roce;
    double part;
};

static const struct setting steady_settings[] = {
    ROCE_ACK_SETTING,
    ROCE_SETTINGS,
    {.name = "part",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct steady_params, part),
     .initial = SETTING_BILLION / 2,
     .min = SETTING_BILLION / 1000,
     .max = SETTING_BILLION,
     .help = "Part of the link's rate."},
};

static bool steady_check(const void *params, const struct sim_wire *wire, struct weir_error *error)
{
    const struct steady_params *steady = params;
    (void)wire;
    if (steady->part == 0.75)
        return weir_fail(error, WEIR_ERROR_INPUT, "'part' is the one value that this test forbids");
    return true;
}

static void steady_open(struct roce_sender *sender, const struct roce_event *event)
{
    sender->rate_bps = event->line_bps * ((const struct steady_params *)event->params)->part;
}

static const struct roce_control steady_control = {.open = steady_open};

TRANSPORT_FITS(struct steady_params, struct roce_sender, struct roce_receiver);

const struct transport transport_steady = {
    .name = "steady",
    .title = "RoCE at a fixed rate",
    .source = "a test",
    .control = &steady_control,
    .settings = SETTING_TABLE(steady_settings, struct steady_params),
    .check = steady_check,
    ROCE_OPERATIONS,
};
END
echo 'TRANSPORT(steady)' >>"$copy/sim/transport/registry.def"
sed -i "s|  'transport/roce.c',|  'transport/roce.c',\n  'transport/roce_steady.c',|" "$copy/sim/meson.build"

cat >"$copy/sim/topology/chain.c" <<'END'
/*
 * chain.c - switches in a row, one host on each.
 */
#include "sim/topology/build.h"

struct chain {
    uint32_t length;
    weir_bps rate_bps;
    weir_ps delay_ps;
};

static const struct setting chain_settings[] = {
    BUILD_COUNT("length", struct chain, length, "Number of switches."),
    BUILD_ALL_LINKS(struct chain),
};

static bool build(struct topology *t, const void *shape, struct weir_error *error)
{
    const struct chain *chain = shape;
    const struct build_wire wire = {chain->rate_bps, chain->delay_ps};
    const struct build_size size = {chain->length, chain->length, 2 * (uint64_t)chain->length - 1};
    if (!build_check_counts(t, &topology_kind_chain.settings, shape, error) || !build_start(t, &size, error))
        return false;
    for (uint32_t i = 0; i < t->hosts; i++)
        build_join(t, i, t->hosts + i, &wire);
    for (uint32_t i = 1; i < t->hosts; i++)
        build_join(t, t->hosts + i - 1, t->hosts + i, &wire);
    return build_finish(t, error);
}

TOPOLOGY_FITS(struct chain);

const struct topology_kind topology_kind_chain = {
    .name = "chain",
    .settings = SETTING_TABLE(chain_settings, struct chain),
    .build = build,
};
END
echo 'TOPOLOGY(chain)' >>"$copy/sim/topology/registry.def"
sed -i "s|  'build.c',|  'build.c',\n  'chain.c',|" "$copy/sim/topology/meson.build"

if ! { meson setup "$copy/build/t" "$copy" --buildtype=debug -Dchecks=true &&
    ninja -C "$copy/build/t" apps/weir/weir tests/sim_transport_transport; } >"$scratch/log" 2>&1; then
    cat "$scratch/log"
    exit 1
fi
weir=$copy/build/t/apps/weir/weir
status=0
out=$("$copy/build/t/tests/sim_transport_transport" 2>&1) || status=$?
expect_equal "the test of every transport" "$status" 0

# scenario PART
scenario() {
    cat >"$scratch/tiny.yaml" <<END
until: 10ms
topology: {kind: chain, length: 3}
switch: {buffer: 100KB, policy: dt}
transports: {a: {kind: steady, part: $1}}
traffic: [{kind: incast, transport: a, destination: h2, sources: h0, fan_out: 1, bytes: 1MB}]
END
}

scenario 0.25
out=$("$weir" run --print-config "$scratch/tiny.yaml" 2>&1) || true
expect_match "its setting" "$out" '^ *part: 0\.25$'
expect_match "the family's settings" "$out" '^ *rto: 16.777216ms$'
expect_match "settings of the topology" "$out" '^ *rate: 10Gbps$'
status=0
out=$("$weir" run --output "$scratch/tiny.db" "$scratch/tiny.yaml" 2>&1) || status=$?
expect_equal "a run" "$status" 0
out=$("$weir" export --csv "$scratch/tiny.db" | tr -d '"' |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["incast.slowdown.mean"] }')
expect_match "a quarter of the rate takes four times as long" "$out" '^(3\.9|4|4\.0)[0-9.]*$'

scenario 2
out=$("$weir" run --print-config "$scratch/tiny.yaml" 2>&1) || true
expect_match "its range" "$out" "part: '2' is out of range \(0\.001 to 1\)"
scenario 0.75
out=$("$weir" run --print-config "$scratch/tiny.yaml" 2>&1) || true
expect_match "its check" "$out" ":4:17: transport: 'part' is the one value"

out=$("$weir" run --reference)
expect_match "the reference knows the transport" "$out" '^\| .part. \| ratio \| 0\.5 \| 0\.001 to 1 \|.*\*\(steady\)\*'
expect_match "and its family" "$out" '^\| .rto. .*, timely, steady\)\*'
expect_match "and the topology" "$out" '^\| .length. \| count \| required .*\*\(chain\)\*'
out=$("$weir" run --schema)
expect_match "the schema knows both" "$out" '"steady"'
expect_match "the schema knows both" "$out" '"chain"'
out=$("$copy/tools/tidy" "$copy" || true)
expect_no_match "the files are tidy" "$out" 'roce_steady|chain\.c'
finish

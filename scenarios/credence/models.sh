#!/bin/sh
# models.sh - makes the forests of this folder again: models.sh [WEIR]. The same bytes on every machine.
set -eu
weir=$(realpath "${1:-$(dirname "$0")/../../build/release/apps/weir/weir}")
cd "$(dirname "$0")"
rows=$(mktemp -d)
trap 'rm -r "$rows"' EXIT

# rows NAME SETTING...: a training run at quick size
rows() {
    name=$1
    shift
    "$weir" run --quick --quiet train.yaml "$@" --rows "$rows/$name.csv" -o "$rows/$name.db" > "$rows/$name.log"
}

# The paper's: four trees of depth four.
[ "${SMALL:-}" ] || "$weir" train --model websearch.forest train.yaml

rows dense
for trees in 1 2 4 8 16 32 64 128; do
    "$weir" train --trees "$trees" --model "trees-$trees.forest" "$rows/dense.csv"
done
for depth in 2 6 8; do
    "$weir" train --depth "$depth" --model "depth-$depth.forest" "$rows/dense.csv"
done
# Two features: the averages say nothing.
awk -F, 'BEGIN {OFS = ","} /^[a-z]*[0-9]/ {$4 = $6 = 0} {print}' "$rows/dense.csv" > "$rows/two.csv"
"$weir" train --model two-features.forest "$rows/two.csv"

rows hadoop --set traffic.background.sizes=hadoop
"$weir" train --model hadoop.forest "$rows/hadoop.csv"
rows rack --set topology.leaves=2 --set topology.spines=1 --set topology.spine_rate=40Gbps
"$weir" train --model rack.forest "$rows/rack.csv"

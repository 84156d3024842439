#!/usr/bin/env bash
# without.sh MECHANISM FIGURE... [-- FIGURE...] - takes a mechanism out of a paper's policy and makes the figures again at
# quick size: at least one claim of each has to turn, or the figure does not show what it is about. Figures behind -- are
# for make test-long.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/../apps/lib.sh"

# become POLICY TEXT: an edit that makes a policy, `{name: POLICY, ...}` or its name alone, another one. Where it has a
# parameter of TEXT already, that goes.
become() {
    local key=${2#*, }
    printf '%s\n' "/^ *(- )?(name|paper|title|text|id|labels):/!s/([[,] ?|(policy|headroom): |- )$1([],}]|\$)/\1{name: $1}\3/g" \
        "s/\{name: $1([,}])/{name: $2\1/g; s/(${key%%:*}: [^,{}]*)((, [^,{}]*)*), ${key%%:*}: [^,{}]*/\1\2/g"
}
# Credence without its safeguard: compiled from its source, as a policy of another name.
build_unguarded() {
    sed 's/weir_features_is_safe(view)/false/; s/^const struct weir_policy weir_policy_credence/static const struct weir_policy unguarded/
        s/\.name = "credence"/.name = "unguarded"/' "$root/lib/policies/credence.c" >unguarded.c
    printf '#include "weir/plugin.h"\nWEIR_PLUGIN(&unguarded)\n' >>unguarded.c
    "${CC:-cc}" -shared -fPIC -I "$root/include" -I "$root/lib/policies" unguarded.c "$root/lib/policies/virtual_lqd.c" -o unguarded.so
}
mechanism=$1
case $mechanism in
expulsion) edit="$(become occamy dt); $(become occamy-p4 dt); s/, (select|admit_margin|drop_margin|sync): [^,}]*//g" ;;
absorption) edit=$(become tdt 'tdt, nec: 1024GiB') ;;
evacuation) edit=$(become tdt 'tdt, dc: 1024GiB') ;;
port-pause) edit=$(become dsh 'dsh, insurance: no') ;;
sharing) edit=$(become dsh 'dsh, shared_headroom: no') ;;
prediction) edit=$(become credence followlqd) ;;
safeguard) edit=$(become credence unguarded) && build_unguarded ;;
*) expect_equal 'the mechanism' "$mechanism" 'one of those in without.sh' ;;
esac
shift

# without FIGURE
without() {
    local paper=${1%%/*}
    rm -rf scenarios ./*.db
    cp -r "$root/scenarios" scenarios
    sed -Ei "$edit" "scenarios/$paper"/*.yaml
    if diff -q "scenarios/$1.yaml" "$root/scenarios/$1.yaml" >out; then
        expect_equal "$1 without $mechanism" 'the same scenario' 'another'
    fi
    # Only a command that runs files loads policies.
    if [ "$mechanism" = safeguard ]; then
        "$WEIR" run --quick --quiet --policy-file ./unguarded.so -o bare.db "scenarios/$1.yaml" >out 2>&1 || true
        expect_match "$1 without $mechanism" "$(cat out)" '^[a-z0-9-]+ +.* missed$'
    else
        "$WEIR" repro --quick --quiet --jobs 1 --scenarios scenarios "$1" >out 2>&1 || true
        expect_match "$1 without $mechanism" "$(cat out)" ' missed \(unexplained\)$'
    fi
}
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    without "$1"
    shift
done
if [ $# -gt 1 ] && [ "${WEIR_TEST_ROUNDS:-1}" = 1 ]; then
    echo "skipped: $(($# - 1)) more figures without $mechanism: make test-long has the time"
    shift $#
fi
for figure in "${@:2}"; do
    without "$figure"
done
finish

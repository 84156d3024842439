#!/usr/bin/env bash
# weir show and weir export: what is in a database, as tables, CSV and JSON.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

write_sweep sweep.yaml
expect_run 0 '' "$WEIR" run sweep.yaml
at_the_end=$(sed '/^results in/d' <<<"$output")
expect_run 0 '' "$WEIR" show sweep.db
expect_match 'what it is about' "$output" '^12 of 12 runs, full size, from sweep.yaml, weir [0-9]'
expect_equal 'the table of the run' "$(tail -n +4 <<<"$output")" "$at_the_end"
expect_run 0 '' "$WEIR" show --runs sweep.db
expect_equal 'runs' "$(wc -l <<<"$output")" 13
expect_match 'a run' "$output" \
    '^[0-9a-f]{16}  done +[0-9.]+(s|ms|us) +[0-9]+( [0-9]{3})* +[0-9.]+MB  policy=lqd, buffer=60KB, seed 7$'
expect_run 0 '' "$WEIR" show sweep.db sweep.db
expect_equal 'two files' "$(grep -c '^12 of 12 runs' <<<"$output")" 2

# rows EXPRESSION: prints it with `rows` the CSV in $output.
rows() {
    python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(eval(sys.argv[1]))' "$1" <<<"$output"
}
# from_json EXPRESSION: prints it with `d` the JSON in $output.
from_json() {
    python3 -c 'import json, sys
d = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" <<<"$output"
}

# CSV: the numbers of the database, to the last digit.
expect_run 0 '' "$WEIR" export --csv sweep.db
csv=$output
expect_equal 'columns' "$(rows 'list(rows[0])[:9]')" \
    "['run', 'policy', 'buffer', 'buffer.number', 'seed', 'state', 'digest', 'code', 'burst.acked.max']"
expect_equal 'numbers of an axis' "$(rows 'sorted({(r["buffer"], r["buffer.number"]) for r in rows})')" \
    "[('20KB', '20000'), ('60KB', '60000')]"
expect_equal 'rows' "$(rows '[(r["policy"], r["buffer"], r["seed"], r["state"]) for r in rows][::5]')" \
    "[('dt', '20KB', '5', 'done'), ('dt', '60KB', '7', 'done'), ('lqd', '60KB', '6', 'done')]"
expect_equal 'values' "$(rows '"\n".join(sorted(r["run"] + "|" + repr(float(r["burst.qct.mean"])) for r in rows))')" \
    "$(ask sweep.db "SELECT run, value FROM measure WHERE name = 'burst.qct.mean' ORDER BY run")"
expect_run 0 '' "$WEIR" export sweep.db --csv -o sweep.csv
expect_equal 'nothing printed' "$output" ''
expect_equal 'a file' "$(cat sweep.csv)" "$csv"
expect_run 0 '' "$WEIR" run sweep.yaml --again --quiet
expect_equal 'the same bytes' "$("$WEIR" export --csv sweep.db)" "$csv"
expect_run 0 '' "$WEIR" export --csv --cost sweep.db
expect_equal 'cost' "$(rows 'all(float(r["cost_seconds"]) > 0 and int(r["cost_memory_bytes"]) > 1e5 for r in rows)')" True
expect_run 0 '' "$WEIR" export --csv --curves sweep.db
expect_equal 'columns of curves' "$(head -n 1 <<<"$output")" 'run,"policy","buffer","buffer.number",seed,curve,x_unit,y_unit,x,y'
expect_equal 'a distribution' "$(rows '[float(r["y"]) for r in rows if r["curve"] == "burst.fct.cdf"][-1]')" 1.0
expect_equal 'a series' "$(rows 'sum(r["curve"] == "probe.s0-h0.queue" and r["seed"] == "5" for r in rows) > 100')" True

# JSON: the whole.
expect_run 0 '' "$WEIR" export --json sweep.db
json=$output
expect_equal 'experiment' "$(from_json '[d["experiment"][k] for k in ("name", "size", "first_seed", "seeds", "source")]')" \
    "['sweep', 'full', 5, 3, 'sweep.yaml']"
expect_equal 'axes' "$(from_json '[(a["name"], a["unit"], [v["number"] for v in a["values"]]) for a in d["experiment"]["axes"]]')" \
    "[('policy', None, [None, None]), ('buffer', 'B', [20000.0, 60000.0])]"
expect_equal 'runs' "$(from_json '(len(d["runs"]), d["runs"][0]["axes"], d["runs"][0]["seed"])')" \
    "(12, {'policy': 'dt', 'buffer': '20KB'}, 5)"
expect_equal 'values' "$(from_json '"\n".join(sorted(r["id"] + "|" + repr(r["measures"]["hops"]) for r in d["runs"]))')" \
    "$(ask sweep.db "SELECT run, value FROM measure WHERE name = 'hops' ORDER BY run")"
expect_equal 'units' "$(from_json '(d["units"]["burst.qct.p99"], d["units"]["lost.total"])')" "('s', '1')"
expect_equal 'claims' "$(from_json '[(c["id"], c["rule"], c["verdict"], c["ours"], c["points"]) for c in d["claims"]]')" \
    "[('fewer', 'holds', 'met', 1.0, 2)]"
expect_equal 'no curves, no cost' "$(from_json '[k for k in d["runs"][0] if k in ("curves", "cost")]')" '[]'
expect_equal 'the scenario' "$(from_json '"sweep" in d["experiment"]["scenario"]')" True
expect_equal 'the same bytes' "$("$WEIR" export sweep.db --json)" "$json"
expect_run 0 '' "$WEIR" export --json --curves --cost sweep.db
expect_equal 'curves' "$(from_json 'd["runs"][3]["curves"]["burst.fct.cdf"]["points"][-1][1]')" 1.0
expect_equal 'cost' "$(from_json 'd["runs"][3]["cost"]["seconds"] > 0')" True

# Runs that are missing or failed have no values.
edit sweep.db "DELETE FROM run WHERE seed = 6" >/dev/null
edit sweep.db "DELETE FROM measure WHERE run NOT IN (SELECT id FROM run)" >/dev/null
id=$(ask sweep.db 'SELECT run FROM place WHERE point = 0 AND seed = 6')
edit sweep.db "INSERT INTO failure VALUES ('$id', 'lightning')" >/dev/null
expect_run 0 '' "$WEIR" show sweep.db
expect_match 'some are missing' "$output" '^8 of 12 runs, '
expect_match 'the failed one' "$output" '^failed: policy=dt, buffer=20KB, seed 6: lightning$'
expect_match 'how to make it again' "$output" '^the command that made these results tries them again$'
expect_run 0 '' "$WEIR" show --runs sweep.db
expect_match 'failed' "$output" "^$id  failed +- +- +-  policy=dt, buffer=20KB, seed 6: lightning$"
expect_match 'missing' "$output" '^[0-9a-f]{16}  missing +- +- +-  policy=dt, buffer=60KB, seed 6$'
expect_run 0 '' "$WEIR" export --csv sweep.db
expect_equal 'states' "$(rows '[(r["state"], r["hops"], r["burst.qct.mean"]) for r in rows if r["seed"] == "6"][:2]')" \
    "[('failed', '', ''), ('missing', '', '')]"
expect_run 0 '' "$WEIR" export --json sweep.db
expect_equal 'the reason' "$(from_json '[r.get("failure") for r in d["runs"]][:3]')" "[None, 'lightning', None]"

# Hostile texts arrive as they are.
hostile="<script>\"x\", \\'; =1+1 # é"
sed -e "s/^name: .*/&\ntitle: \"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\"/" \
    -e "s/\[dt, lqd\]/[dt, lqd]\n    labels: [\"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\", lqd]/" \
    -e "s/tag: mice/tag: \"<script>\\\\\"x\\\\\", \\\\\\\\'; =1+1 # é\"/" -e '/^figures/,$d' sweep.yaml >hostile.yaml
expect_run 0 '' "$WEIR" run hostile.yaml -o hostile.db
expect_match 'a label in the table' "$output" '^<script>"x", \\.; =1\+1 # é +20KB '
expect_run 0 '' "$WEIR" export --csv hostile.db
expect_equal 'as CSV' "$(rows 'rows[0]["policy"]')" "$hostile"
expect_equal 'a tag as CSV' "$(rows 'sum(k.endswith("# é.fct.mean") for k in rows[0])')" 1
expect_run 0 '' "$WEIR" export --json hostile.db
expect_equal 'as JSON' "$(from_json '(d["experiment"]["title"] == d["runs"][0]["axes"]["policy"]) and d["experiment"]["title"]')" \
    "$hostile"

# Mistakes.
expect_run 2 "weir: show: no results (expected a database or its scenario; see 'weir show --help')" "$WEIR" show
expect_run 3 'weir: none.db: no such file (expected one that weir run made, or its scenario)' "$WEIR" show none.db
expect_run 0 '' "$WEIR" show sweep.db
by_database=$output
expect_run 0 '' "$WEIR" show sweep.yaml
expect_equal 'results by their scenario' "$output" "$by_database"
expect_run 0 '' "$WEIR" show --points sweep.db
# shellcheck disable=SC2016 # the command that it names
expect_match 'where the rest is' "$output" '^[0-9]+ more measures of every run: `weir export --csv sweep.db`;'
sed 's/^name: .*//' sweep.yaml >other.yaml
# shellcheck disable=SC2016 # what it says to run
expect_run 3 'weir: other.yaml: no results of it are here (expected other.db, which `weir run` makes)' "$WEIR" show other.yaml
sed '1i name: sweep' other.yaml >named.yaml
expect_run 3 "weir: named.db: no such file (named.yaml is called 'sweep': its results are in sweep.db)" "$WEIR" show named.db
expect_run 3 'weir: absent.yaml: no such file, or it cannot be read' "$WEIR" show absent.yaml
echo 'no results' >text.db
expect_run 3 "weir: text.db: is not a file of weir's results" "$WEIR" show text.db
# shellcheck disable=SC2016
expect_run 3 'weir: sweep.db: holds results (expected a scenario; `weir show sweep.db` shows them)' "$WEIR" run sweep.db
rm other.yaml named.yaml text.db
expect_run 2 'weir: export: no format (expected --csv or --json)' "$WEIR" export sweep.db
expect_run 2 'weir: export: --csv and --json do not go together (expected one of them)' "$WEIR" export --csv --json sweep.db
expect_run 2 "weir: export: no results (expected a database or its scenario; see 'weir export --help')" "$WEIR" export --csv
expect_run 2 "weir: export: unexpected operand 'b' (see 'weir export --help')" "$WEIR" export --csv a b
expect_run 2 'weir: export: --output would overwrite sweep.db, which is read (expected another file)' \
    "$WEIR" export --csv sweep.db -o ./sweep.db
expect_run 4 'weir: none/x: cannot write: No such file or directory' "$WEIR" export --csv sweep.db -o none/x
expect_run 3 'weir: none.db: no such file (expected one that weir run made, or its scenario)' "$WEIR" export --csv none.db -o x
expect_files hostile.db hostile.yaml sweep.csv sweep.db sweep.yaml
finish

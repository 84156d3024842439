#!/usr/bin/env bash
# test_foreign.sh - files that others made: nothing in them reaches a terminal as a command, and a database with
# definitions or rows that weir did not write is refused.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
[ -n "$has_python" ] || { echo 'skipped: there is no python3'; exit 77; }

# Every place that takes a text of its own, with an override of direction. The reader of scenarios
# refuses escape sequences, C0 and C1.
sed 's/BAD/\\u202E/' >evil.yaml <<'END'
name: "evilBAD"
title: "aboutBAD"
seed: 1
until: 100us
topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: long, tag: "tagBAD", transport: t, sources: h0-h1, destinations: h2}]
END
sed 's/BAD/\\u202E/g' >evil-sweep.yaml <<'END'
name: "sweepBAD"
title: "aboutBAD"
seed: 1
until: 100us
topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: long, tag: long, transport: t, sources: h0-h1, destinations: h2}]
sweep:
  policy: {labels: ["DTBAD", "LQDBAD"], switch.policy: [dt, lqd]}
figures: [{kind: bar, title: "titleBAD", x: policy, y: long.goodput}]
END

# expect_clean COMMAND...: whatever it prints, and however it ends, holds no control that a terminal obeys.
expect_clean() {
    local status=0
    "$@" >out 2>err || status=$?
    [ "$status" -lt 128 ] || expect_equal "exit status of '$*'" "$status" 'below 128'
    python3 - "$*" out err <<'END' || failures=$((failures + 1))
import re, sys
for name in sys.argv[2:]:
    data = open(name, "rb").read()
    text = data.decode("utf-8", "replace")
    found = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufffd]", text)
    if found:
        sys.exit(f"FAIL '{sys.argv[1]}' prints {found[:5]!r} to std{name}")
END
}

for file in evil.yaml evil-sweep.yaml; do
    expect_clean "$WEIR" run "$file" --output "$file.db"
    expect_clean "$WEIR" run "$file" --print-config
    expect_clean "$WEIR" run "$file" --json
    expect_clean "$WEIR" run "$file" --csv -
    expect_clean "$WEIR" run "$file" --records -
    expect_clean "$WEIR" show "$file.db"
    expect_clean "$WEIR" export --csv "$file.db"
    expect_clean "$WEIR" export --json "$file.db"
    expect_clean "$WEIR" report "$file.db" --output -
done
expect_clean "$WEIR" run "$(printf 'no\033]0;such\a')"
expect_clean "$WEIR" show evil.yaml
printf 'name: \233raw\n' >raw.yaml
expect_clean "$WEIR" run raw.yaml
printf 'a\033[2J: 1\n' >key.yaml
expect_clean "$WEIR" run key.yaml
cp evil-sweep.yaml "$(printf 'name\033[2J\302\233.yaml')"
expect_clean "$WEIR" run "$(printf 'name\033[2J\302\233.yaml')"

# A database of somebody else's making, without seals as an older weir wrote it.
python3 - evil-sweep.yaml.db <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
bad = "\x1b[31m\x9b2J\u202e\r"
db.execute("DROP TABLE seal")
db.execute("PRAGMA user_version=2")
db.execute("UPDATE experiment SET value=value||? WHERE key IN ('source','weir')", (bad,))
db.execute("UPDATE run SET code=code||?", (bad,))
db.execute("UPDATE cost SET version=version||?", (bad,))
db.execute("UPDATE measure SET name=name||? WHERE name LIKE 'long%'", (bad,))
db.execute("INSERT INTO failure SELECT min(id),'lightning'||? FROM run", (bad,))
db.execute("DELETE FROM run WHERE id=(SELECT min(id) FROM run)")
db.commit()
END
for command in show 'export --csv' 'export --json' 'report --output -'; do
    # shellcheck disable=SC2086 # several words
    expect_clean "$WEIR" $command evil-sweep.yaml.db
done
expect_clean "$WEIR" run evil-sweep.yaml --output evil-sweep.yaml.db

# Definitions that would keep a reader busy for ever, and rows that nobody stored.
"$WEIR" run evil-sweep.yaml --output good.db --quiet >out
cp good.db view.db
cp good.db edited.db
python3 - <<'END'
import sqlite3
db = sqlite3.connect("view.db")
db.executescript("ALTER TABLE measure RENAME TO m; CREATE VIEW measure AS WITH RECURSIVE r(n) AS "
                 "(SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT run,name||n AS name,unit,value FROM m,r")
db = sqlite3.connect("edited.db")
db.execute("UPDATE measure SET value=2*value WHERE name='long.goodput'")
db.commit()
END
expect_run 3 'weir: view.db: defines the table m, which weir did not make (expected the tables of weir alone, as it makes them)' \
    timeout 600 "$WEIR" show view.db
expect_run 0 '' timeout 600 "$WEIR" show good.db
status=0
"$WEIR" show edited.db >out 2>err || status=$?
expect_equal 'an edited database' "$status $(sed 's/run [0-9a-f]*/run ID/' err)" \
    '3 weir: edited.db: is damaged: run ID is not what was stored (delete it and run the experiment again, or use a copy)'

# A trace file that was changed at many places, by one byte, a run of bytes, or its end: each command that reads traces
# refuses it in one line or reads it as it is, and writes nothing of a file that it refused.
"$WEIR" slot run --policy lqd --ports 4 --slots 300 --trace good.wtr >/dev/null
zstd -q -d good.wtr -o plain.wtr 2>/dev/null || cp good.wtr plain.wtr
expect_equal 'changed traces' "$(python3 - "$WEIR" "${WEIR_TEST_ROUNDS:-1}" good.wtr plain.wtr <<'END'
import os, random, subprocess, sys

weir, rounds = sys.argv[1], int(sys.argv[2])
draw, tried, wrong = random.Random(7), 0, []
for name in sys.argv[3:]:
    good = open(name, "rb").read()
    for i in range(60 * rounds):
        bad = bytearray(good)
        at = len(bad) * i // (60 * rounds)
        kind = i % 4
        if kind == 0:
            bad[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            bad[at:at + 8] = draw.randbytes(min(8, len(bad) - at))
        elif kind == 2:
            bad[at:] = b""
        else:
            bad[at:at] = bad[max(0, at - 16):at]
        open("bad.wtr", "wb").write(bad)
        for command in (["replay", "bad.wtr"], ["replay", "--rows", "rows.csv", "bad.wtr"]):
            run = subprocess.run([weir, *command], capture_output=True, timeout=600)
            tried += 1
            fine = run.returncode in (0, 1, 3) and run.stderr.count(b"\n") == (run.returncode == 3)
            if not fine or (run.returncode == 3 and os.path.exists("rows.csv")):
                wrong.append((name, i, command, run.returncode, run.stderr[:200]))
            if os.path.exists("rows.csv"):
                os.remove("rows.csv")
print(f"attack: changed trace files through weir replay: {tried}", file=sys.stderr)
print(wrong[:3] if wrong else "refused or read")
END
)" 'refused or read'
finish

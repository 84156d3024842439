#!/usr/bin/env bash
# test_runtests.sh - how tools/runtests counts cases, with a pretended meson that only writes a log.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

mkdir -p "$scratch/bin" "$scratch/build/meson-logs"
log=$scratch/build/meson-logs/testlog.json
cat >"$scratch/bin/meson" <<S
#!/bin/bash
[ ! -e '$scratch/next' ] || cp '$scratch/next' '$log'
exit \${MESON_STATUS:-0}
S
chmod +x "$scratch/bin/meson"

# counted WHAT STATUS LAST-LINE MESON-STATUS, the log on standard input
counted() {
    cat >"$scratch/next"
    status=0
    out=$(MESON_STATUS=$4 PATH=$scratch/bin:$PATH "$root/tools/runtests" "$scratch/build" 2>&1) || status=$?
    expect_equal "$1: status" "$status" "$2"
    expect_equal "$1: last line" "$(tail -n 1 <<<"$out")" "$3"
}

counted "cases of cmocka programs, two groups in one" 0 "9 passed, 0 failed" 0 <<'L'
{"name": "a", "result": "OK", "stdout": "[==========] x\n[  PASSED  ] 3 test(s).\n[  PASSED  ] 4 test(s).\n"}
{"name": "b", "result": "OK", "stdout": "[  PASSED  ] 1 test(s).\n"}
{"name": "a script", "result": "OK", "stdout": "all as expected\n"}
L
counted "failed cases" 1 "2 passed, 2 failed" 1 <<'L'
{"name": "a", "result": "FAIL", "stdout": "[  PASSED  ] 2 test(s).\n", "stderr": "[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] x\n"}
L
counted "a crash is a failure" 1 "0 passed, 1 failed" 1 <<'L'
{"name": "a", "result": "ERROR", "stdout": "[ RUN      ] x\n"}
L
counted "a timeout is a failure" 1 "1 passed, 1 failed" 1 <<'L'
{"name": "a", "result": "OK"}
{"name": "b", "result": "TIMEOUT"}
L
counted "skipped is neither" 1 "0 passed, 0 failed" 0 <<'L'
{"name": "a", "result": "SKIP", "stdout": "skipped: no root\n"}
{"name": "b", "result": "SKIP"}
L
expect_equal "skipped: why" "$(grep '^skipped: ' <<<"$out")" "skipped: a: no root
skipped: b: it does not say why"
counted "skipped inside of programs" 0 "6 passed, 0 failed" 0 <<'L'
{"name": "c", "result": "OK", "stdout": "[==========] x\n[ RUN      ] one\nskipped: one processor\n[  SKIPPED ] one\n[ RUN      ] two\n[  SKIPPED ] two\n[ RUN      ] three\n[       OK ] three\n[  PASSED  ] 4 test(s).\n[  SKIPPED ] 2 test(s), listed below:\n[  SKIPPED ] one\n[  SKIPPED ] two\n"}
{"name": "none", "result": "OK", "stdout": "[ RUN      ] all\n[  SKIPPED ] all\n[  PASSED  ] 0 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] all\n"}
{"name": "shell", "result": "OK", "stdout": "skipped: the full disk: cannot mount\nall as expected\n"}
{"name": "python", "result": "OK", "stderr": "test_a (x) ... skipped 'no numpy'\n\nOK (skipped=1)\n"}
L
expect_equal "skipped inside: why" "$(grep -E '^skipped: |did not run' <<<"$out")" "skipped: c: one: one processor
skipped: c: two: it does not say why
skipped: none: all: it does not say why
skipped: shell: the full disk: cannot mount
skipped: python: 1 cases of unittest: 'no numpy'
5 parts did not run"
counted "failures by name" 1 "1 passed, 3 failed" 1 <<'L'
{"name": "a/b c", "result": "FAIL", "returncode": 2, "duration": 1, "stdout": "[ RUN      ] x\nwhy\n[  FAILED  ] x\n[  PASSED  ] 1 test(s).\n", "stderr": "[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] x\n[  FAILED  ] y\n"}
{"name": "slow", "result": "TIMEOUT", "returncode": -9, "duration": 2}
L
expect_equal "failed: which" "$(sed -nE "s/^failed: (.*) \\(.*-([^-]*.log)\\)$/\1 \2/p" <<<"$out")" "a/b c: x, y a_b_c.log
slow: TIMEOUT slow.log"
expect_equal "failed: its log" "$(sed -n 3p "$scratch"/build/failed/*-a_b_c.log)" 'why'
rm "$scratch/next"
status=0
PATH=$scratch/bin:$PATH "$root/tools/runtests" "$scratch/build" >/dev/null 2>&1 || status=$?
expect_equal "an old log is not counted again" "$status" 1
finish

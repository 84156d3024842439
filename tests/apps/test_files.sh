#!/usr/bin/env bash
# Files appear whole or not at all: every way of failing leaves the folder as it was.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
: "${RECORD:?the path of the record program}"

expect_run 0 '' "$RECORD" dt 1 100 good
expect_files good
before=$(cksum good)
expect_run 0 '' "$RECORD" dt 1 100 good
expect_files good
expect_equal 'the same events, the same bytes' "$(cksum good)" "$before"

expect_run 4 'weir: /dev/full: cannot write: No space left on device' "$RECORD" dt 1 100 /dev/full
expect_equal '/dev/full is still a device' "$(stat -c %F /dev/full)" 'character special file'
expect_run 4 'weir: none/a: cannot write: No such file or directory' "$RECORD" dt 1 100 none/a
mkdir folder
expect_run 4 'weir: folder: cannot write: Is a directory' "$RECORD" dt 1 100 folder
rmdir folder
expect_files good

# A file that outgrows its limit fails in the middle: the old one stays, the new one goes.
limited() (
    trap '' XFSZ
    ulimit -f 8
    "$@"
)
expect_run 4 'weir: good: cannot write: File too large' limited "$RECORD" dt 2 20000 good
expect_files good
expect_equal 'the old file' "$(cksum good)" "$before"
expect_run 4 'weir: new: cannot write: File too large' limited "$RECORD" dt 2 20000 new
expect_files good

# A folder that may not be written. Root may write everywhere, so the test becomes somebody else, if it can.
as_nobody=()
if [ "$(id -u)" = 0 ]; then
    as_nobody=(setpriv --reuid=65534 --clear-groups)
fi
chmod 755 "$scratch"
mkdir readonly
cp good readonly/good
chmod 555 readonly
if "${as_nobody[@]}" "$RECORD" dt 1 1 /dev/null 2>/dev/null; then
    expect_run 4 'weir: readonly/new: cannot write: Permission denied' "${as_nobody[@]}" "$RECORD" dt 1 100 readonly/new
    expect_run 4 'weir: readonly/good: cannot write: Permission denied' "${as_nobody[@]}" "$RECORD" dt 1 100 readonly/good
    expect_equal 'files in it' "$(ls -A readonly)" 'good'
else
    echo "skipped: the read-only folder: cannot run as another user than root"
fi
chmod 755 readonly
finish

# lib.sh - for the tests of the weir command: source it. WEIR is the command, RECORD the program of record.c.
# shellcheck shell=bash
# shellcheck source=tests/tools/assert.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/assert.sh"
: "${WEIR:?the path of the weir command}"
cd "$scratch"

# expect_run CODE STDERR COMMAND...: the command exits with CODE and prints exactly STDERR there; $output is its stdout.
expect_run() {
    local code=$1 message=$2 status=0
    shift 2
    # shellcheck disable=SC2034 # for the tests that source this
    output=$("$@" 2>"$scratch/.stderr") || status=$?
    expect_equal "exit status of '$*'" "$status" "$code"
    expect_equal "stderr of '$*'" "$(cat "$scratch/.stderr")" "$message"
}

# can_enter_namespaces: `ip netns exec` works, which besides root wants / to be a mount point: not so in a plain chroot.
can_enter_namespaces() {
    local name=weir-probe-$$ status=0
    ip netns add "$name" 2>/dev/null || return 1
    ip netns exec "$name" true 2>/dev/null || status=1
    ip netns del "$name"
    return $status
}

# expect_files NAME...: the current folder holds exactly these, hidden ones included (.stderr is ours).
expect_files() {
    local found
    found=$(find . -mindepth 1 -printf '%P\n' | grep -vx '.stderr' | sort | tr '\n' ' ' || true)
    expect_equal "files left" "${found% }" "$*"
}

# from_json EXPRESSION: prints it with `d` the JSON in $output. Only where there is python3.
from_json() {
    python3 -c 'import json, sys
d = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" <<<"$output"
}
# shellcheck disable=SC2034 # for the tests that source this
has_python=$(command -v python3 || true)
has_terminal() { python3 -c 'import os; os.openpty()' 2>/dev/null; }

# on_terminal PATTERN COMMAND...: what it says to a terminal, where each return begins a line. It gets SIGINT as soon as a
# line has the pattern, or after five minutes.
on_terminal() {
    python3 -c 'import os, pty, re, select, signal, sys, time
pattern, told, end = re.compile(sys.argv[1].encode(), re.M), False, time.monotonic() + 300
child, terminal = pty.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # it may be ignored in the background
    os.execvp(sys.argv[2], sys.argv[2:])
said = b""
while True:
    try:
        more = os.read(terminal, 65536) if select.select([terminal], [], [], 1)[0] else b"\0"
    except OSError:  # its end
        break
    said += more.strip(b"\0").replace(b"\r", b"\n")
    if not told and (pattern.search(said) or time.monotonic() > end):
        os.kill(child, signal.SIGINT)
        told = True
os.waitpid(child, 0)
sys.stdout.buffer.write(said)' "$@" </dev/null
}

# complete_with PROGRAM FUNCTION LINE: what bash offers at the end of the line. DOCS is where completions were built.
complete_with() {
    PATH=$(dirname "$1"):$PATH bash -c '
        source "$1"
        compopt() { :; }
        COMP_LINE=$3 COMP_POINT=${#3}
        read -ra COMP_WORDS <<<"${3//:/ : }"
        [[ $3 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        "$2"
        echo "${COMPREPLY[*]}"' bash "$DOCS/$(basename "$1")" "$2" "$3"
}

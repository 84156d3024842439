#!/usr/bin/env bash
# What README.md and the pages of docs/ show a command to print is what it prints: every block of the tutorial that begins with
# `$ weir`, the demo's table in README.md with the sentence above it, and the loss in docs/explanation/lossless.md.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
mkdir bin
ln -s "$WEIR" bin/weir
ln -s "$root/scenarios" scenarios
PATH=$PWD/bin:$PATH

# of_page PAGE LANGUAGE PATTERN: the lines of the first block in that language of which one matches.
of_page() {
    awk -v language="\`\`\`$2" -v pattern="$3" '
        /^```/ && inside { if (wanted && hit) { printf "%s", text; exit } inside = 0; next }
        /^```/ { inside = 1; wanted = $0 == language; text = ""; hit = 0; next }
        inside { text = text $0 "\n"; hit = hit || $0 ~ pattern }' "$root/$1"
}

# The tutorial's own file grows as its reader is told.
tutorial=docs/tutorial/first-policy.md
{
    cat scenarios/examples/how-large-a-burst.yaml
    of_page $tutorial yaml '^sweep:'
} >mine.yaml
blocks=0
while IFS= read -r command; do
    # shellcheck disable=SC2086 # the words of a command
    got=$(eval "$command" 2>&1 || true)
    expect_equal "$tutorial: $command" "$got" "$(of_page $tutorial '' "^[$] ${command//./[.]}\$" | tail -n +2)"
    blocks=$((blocks + 1))
done < <(sed -n 's/^\$ //p' "$root/$tutorial")
expect_equal 'blocks of the tutorial' "$blocks" 3
of_page $tutorial yaml '^figures:' >>mine.yaml
expect_run 0 '' weir check mine.yaml
expect_run 0 'weir: mine.db: all 12 runs are done (--again repeats them)' weir run mine.yaml
expect_match "the tutorial's claim" "$output" '^occamy .* holds +.* met$'

# The first screen: digits of the table, and the sentence above it rounds them.
weir run --quiet --output demo.db scenarios/demo.yaml >demo.txt
of_page README.md '' '^How long a burst takes' >table.txt
expect_equal 'the table of README.md' "$(head -n "$(($(wc -l <table.txt) - 1))" demo.txt)" "$(grep -vx '\.\.\.' table.txt)"
read -r dt tdt < <(awk '$1 == 40 { printf "%.1f %.2f\n", $3, $5 }' table.txt)
expect_match 'the sentence of README.md' "$(head -n 6 "$root/README.md" | tr '\n' ' ')" \
    "40 % of the buffer takes $dt ms on average under DT,[^.]*, and $tdt ms under TDT"

# And the picture above both, which is the first chart of `weir report --format svg`.
weir report --format svg -o svg demo.db >/dev/null
cmp svg/01-how-long-a-burst-takes.svg "$root/docs/images/demo.svg" ||
    expect_equal 'docs/images/demo.svg' 'another drawing' 'the first chart'

status=0
got=$(eval "$(sed -n 's/^\$ //p' "$root/docs/explanation/lossless.md")" 2>&1 >/dev/null) || status=$?
expect_equal 'exit status of docs/explanation/lossless.md' "$status" 1
while IFS= read -r line; do
    [[ $got == *"${line%...}"* ]] || expect_equal 'docs/explanation/lossless.md' "$got" "$line"
done < <(of_page docs/explanation/lossless.md '' '^[$] weir' | tail -n +2)
finish

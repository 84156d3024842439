#!/usr/bin/env bash
# test_site.sh - tools/site: every page of the docs is in it and in its search, every link leads somewhere, a broken one is
# an error, and what is missing is said. BUILD is the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
: "${BUILD:?the build folder}"
/usr/bin/python3 -c 'import markdown_it' 2>/dev/null || {
    echo 'skipped: python3-markdown-it is missing (tools/deps site)'
    exit 77
}

site=$scratch/site
status=0
out=$("$root/tools/site" "$site" --build "$BUILD" --playground "$scratch/none" --no-reports 2>&1) || status=$?
expect_equal 'links' "$status:$(sed -n 's/.* \([0-9]*\) broken$/\1/p' <<<"$out")" 0:0
expect_equal 'what is left out' "$(grep 'site: without the playground' <<<"$out")" 'site: without the playground (make playground)'
missing=$(cd "$root" && find . -name '*.md' -not -path './build/*' -not -path '*/node_modules/*' -not -path './.*' | while read -r page; do
    place=${page#./}
    place=${place%.md}.html
    place=${place/%README.html/index.html}
    { [ -f "$site/$place" ] && grep -qF "\"$place" "$site/search-data.js"; } || echo "$page"
done)
expect_equal 'pages that are not there' "$missing" ''
expect_equal 'the command in the manual' "$(grep -c 'packet by packet' "$site/man/weir-run.html")" 1
expect_equal 'a source that a page links to' "$(grep -c 'dt_admit' "$site/lib/policies/dt.c.html" | sed 's/[1-9].*/some/')" some

# In a copy, a link to nothing and one to no heading.
mkdir -p "$scratch/tree/tools" "$scratch/tree/docs/site" "$scratch/tree/show/page"
cp "$root/tools/site" "$scratch/tree/tools/"
cp "$root"/docs/site/* "$scratch/tree/docs/site/"
cp "$root"/show/page/page.css "$root"/show/page/page_theme.js "$scratch/tree/show/page/"
printf '# A\n## Two words\n[good](docs/b.md#c-d-1) [bad](nowhere.md) [bad](#three)\n[file](tools/site) [folder](tools)\n' >"$scratch/tree/README.md"
# shellcheck disable=SC2016 # they are Markdown's
printf '# B\n## c `d`\n## c `d`\n[up](../README.md#two-words)\n' >"$scratch/tree/docs/b.md"
status=0
out=$("$scratch/tree/tools/site" "$scratch/other" 2>&1) || status=$?
expect_equal 'broken links' "$status:$(grep -v without <<<"$out" | sed "s|$scratch/||")" "1:site: index.html: nowhere.html is not there
site: index.html: #three has no such heading
other/index.html: 4 pages, $(sed -n 's/.*pages, \([0-9]*\) links.*/\1/p' <<<"$out") links followed, 2 broken"

# It does not remove what it did not make.
mkdir "$scratch/mine" && touch "$scratch/mine/thesis"
status=0
"$root/tools/site" "$scratch/mine" >/dev/null 2>&1 || status=$?
expect_equal 'a folder of somebody' "$status:$(ls "$scratch/mine")" 1:thesis
finish

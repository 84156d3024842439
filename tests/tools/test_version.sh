#!/usr/bin/env bash
# test_version.sh - include/weir/version.h says which version this is; whatever states it too says the same, and what
# cites weir says one title, license and repository.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
cd "$root"
version=$(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' include/weir/version.h)
expect_match 'a version' "$version" '^[0-9]+\.[0-9]+\.[0-9]+$'

# cff KEY and bib KEY: what stands at it in CITATION.cff and in the BibTeX of citing.md.
cff() { sed -n "s/^$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" CITATION.cff; }
bib() { sed -n "s/^  $1 *= {\(.*\)},\$/\1/p" docs/howto/citing.md; }
json() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get(sys.argv[2], "nothing"))' "$@"; }

expect_equal 'meson.build' "$(sed -n "s/^  version: '\(.*\)',\$/\1/p" meson.build)" "$version"
expect_equal 'CITATION.cff' "$(cff version)" "$version"
expect_equal 'codemeta.json' "$(json codemeta.json version)" "$version"
expect_equal '.zenodo.json' "$(json .zenodo.json version)" "$version"
expect_equal 'docs/howto/citing.md' "$(bib version)" "$version"
expect_equal 'debian/changelog' "$(sed -n '1s/^weir (\(.*\)) .*/\1/p' debian/changelog)" "$version"
expect_equal 'CHANGELOG.md' "$(grep -m 1 -oE '^## \[[^]]+\]' CHANGELOG.md)" "## [$version]"
expect_equal 'docs/reference/api.md' "$(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' docs/reference/api.md)" "$version"
expect_equal 'pyproject.toml, whose backend reads the header' "$(grep -c version pyproject.toml)" 0
if [ -n "${BUILD-}" ] && [ -f "$BUILD/docs/weir.1" ]; then
    for page in "$BUILD"/docs/*.1; do
        expect_equal "the manual page ${page##*/}" "$(tail -n 1 "$page")" "This page describes weir $version."
    done
fi

date=$(sed -n "s/^## \[$version\] - \(.*\)/\1/p" CHANGELOG.md)
expect_equal 'the day in CITATION.cff' "$(cff date-released)" "$date"
expect_equal 'the day in codemeta.json' "$(json codemeta.json dateModified)" "$date"
expect_equal 'the day in debian/changelog' "$(date -u -d "$(sed -n '/^ -- /{s/.*>  //p;q}' debian/changelog)" +%F)" "$date"
expect_equal 'the title in .zenodo.json' "$(json .zenodo.json title)" "$(cff title)"
expect_equal 'the title in codemeta.json' "$(json codemeta.json name)" "$(cff title)"
expect_equal 'the title in citing.md' "$(bib title)" "$(cff title)"
expect_equal 'the repository in codemeta.json' "$(json codemeta.json codeRepository)" "$(cff repository-code)"
expect_equal 'the license in .zenodo.json' "$(json .zenodo.json license)" "$(cff license)"
expect_equal 'the license in codemeta.json' "$(json codemeta.json license)" "https://spdx.org/licenses/$(cff license)"
for key in cff-version message title type version license repository-code abstract; do
    expect_match "CITATION.cff has $key" "$(cff "$key")" '.'
done
finish

#!/usr/bin/env bash
# The gallery: every scenario runs, its claim is met, and its chart is the one that docs/tutorial/gallery.md shows. After a change of
# behaviour that is meant: tools/gallery docs/images/gallery.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
expect_run 0 '' env WEIR="$WEIR" "$root/tools/gallery" pictures
expect_equal 'charts that differ from docs/images/gallery' "$(diff -rq pictures "$root/docs/images/gallery" || true)" ''
for file in "$root"/scenarios/gallery/*.yaml; do
    name=$(basename "$file" .yaml)
    expect_match "$name in docs/tutorial/gallery.md" "$(cat "$root/docs/tutorial/gallery.md")" "images/gallery/$name\\.svg"
done
for picture in pictures/*.svg; do
    expect_match 'docs/tutorial/gallery.md' "$(cat "$root/docs/tutorial/gallery.md")" "images/gallery/$(basename "$picture" .svg)\\.svg"
done
finish

#!/usr/bin/env bash
# `weir report`: the page and the charts, where they are written, and what goes wrong.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

cat >tiny.yaml <<'Y'
name: tiny
title: Two flows
until: 1ms
seeds: 2
topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}
switch: {buffer: 100KB, policy: dt}
transports: {t: {kind: cubic}}
traffic: [{kind: incast, tag: query, transport: t, sources: h1-h3, destination: h0, bytes: 10KB}]
sweep:
  size: {traffic.query.bytes: [10KB, 20KB]}
figures:
  - {kind: line, title: Mean QCT, x: size, y: query.qct.mean, log: both}
  - {kind: bar, title: Lost, x: size, y: lost.total}
Y
"$WEIR" run --quiet tiny.yaml >/dev/null

expect_run 0 '' "$WEIR" report tiny.db
expect_equal 'what is written' "$output" 'tiny.html'
expect_match 'title' "$(cat tiny.html)" '<title>Two flows</title>'
expect_match 'sentence' "$(cat tiny.html)" '4 of 4 runs at full size: 2 values of size and 2 seeds'
cp tiny.html first.html
expect_run 0 '' "$WEIR" report tiny.db
cmp first.html tiny.html || expect_equal 'the same results' 'another page' 'the same page'
expect_run 0 '' "$WEIR" report tiny.db -o other.html
expect_equal '-o' "$output:$(cmp first.html other.html && echo same)" 'other.html:same'
"$WEIR" report tiny.db --output - >stdout.html
expect_equal 'standard output' "$(cmp first.html stdout.html && echo same)" 'same'
rm ./*.html

expect_run 0 '' "$WEIR" report --format svg tiny.db
expect_equal 'svg' "$output" $'tiny-svg/01-mean-qct.svg\ntiny-svg/02-lost.svg'
expect_match 'svg' "$(cat tiny-svg/01-mean-qct.svg)" '<svg xmlns='
expect_run 0 '' "$WEIR" report --format gnuplot tiny.db -o plots
expect_equal 'gnuplot' "$output" $'plots/01-mean-qct.gp\nplots/02-lost.gp'
if command -v gnuplot >/dev/null; then
    (cd plots && gnuplot 01-mean-qct.gp 02-lost.gp) # one after the other: no chart leaves its scales to the next
    expect_match 'what gnuplot makes of it' "$(cat plots/01-mean-qct.svg)" '<svg'
    expect_match 'and of the next' "$(cat plots/02-lost.svg)" '<svg'
fi
rm -r tiny-svg plots

# For a column of a paper: its width, the letters' size, no title, the same on a dark screen.
expect_run 0 '' "$WEIR" report --format svg --width 84mm --height 2in --font 8pt --no-title --light tiny.db -o column
expect_match 'its size' "$(cat column/01-mean-qct.svg)" 'width="317.48" height="192"'
expect_equal 'no title, no dark colours' "$(grep -c 'font-weight="bold"\|prefers-color-scheme' column/01-mean-qct.svg)" 0
status=0
"$WEIR" report --format pdf --width 84mm --font 8pt --chart mean tiny.db -o column >written 2>.stderr || status=$?
if grep -q 'built without cairo' .stderr; then
    expect_equal 'without cairo' "$status" 2
else
expect_equal 'one chart' "$(cat written)" 'column/01-mean-qct.pdf'
# Publishers refuse papers with fonts that are not embedded, and fonts of type 3.
if command -v pdffonts >/dev/null; then
    expect_match 'its page in pt' "$(pdfinfo column/01-mean-qct.pdf)" '^Page size: +238.1[0-9]* x '
    expect_equal 'fonts that are not embedded, or without characters' \
        "$(pdffonts column/01-mean-qct.pdf | sed 1,2d | grep -v 'Type 3' | grep -c 'yes yes yes')" \
        "$(pdffonts column/01-mean-qct.pdf | sed 1,2d | wc -l)"
    pdftotext column/01-mean-qct.pdf column/text
    expect_match 'text that can be found' "$(cat column/text)" 'Mean QCT'
fi
cp column/01-mean-qct.pdf first.pdf
"$WEIR" report --format pdf --width 84mm --font 8pt --chart mean tiny.db -o column >/dev/null
expect_equal 'the same bytes' "$(cmp first.pdf column/01-mean-qct.pdf && echo same)" same
rm first.pdf
expect_run 0 '' "$WEIR" report --format png --width 84mm --font 8pt --chart mean tiny.db -o column
if [ -n "$has_python" ]; then
    expect_match 'pixels of a PNG file, and how many of them are not white' "$(python3 - column/01-mean-qct.png <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
at, packed = 8, b""
while at < len(data):
    length, name = struct.unpack(">I4s", data[at:at + 8])
    packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
    at += 12 + length
row, before, ink = 3 * width + 1, bytes(3 * width), 0
pixels = zlib.decompress(packed)
def near(a, b, c):
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
for y in range(height):
    how, line = pixels[y * row], bytearray(pixels[y * row + 1:(y + 1) * row])
    for x in range(len(line)):
        a, b, c = (line[x - 3], before[x], before[x - 3]) if x > 2 else (0, before[x], 0)
        line[x] = (line[x] + (0, a, b, (a + b) // 2, near(a, b, c))[how]) % 256
    ink += sum(line[x] < 128 for x in range(0, len(line), 3))
    before = bytes(line)
print(width, height, depth, kind, "drawn" if 0.005 < ink / width / height < 0.3 else f"{ink} dark pixels")
END
)" '^635 [34][0-9][0-9] 8 2 drawn$'
fi
expect_run 0 '' "$WEIR" report --format png --width 84mm --dpi 96 --chart mean tiny.db -o column
expect_equal 'fewer pixels' "$(od -An -tu1 -j18 -N2 column/01-mean-qct.png | xargs)" '1 61' # 317
rm column/*.png
fi
rm -f written
expect_run 0 '' "$WEIR" report --format csv tiny.db -o column
expect_equal 'columns' "$(head -1 column/01-mean-qct.csv)" 'line,x,x_label,x_unit,y,y_low,y_high,y_unit,says,seed_0,seed_1'
expect_match 'numbers are numbers' "$(sed -n 2p column/01-mean-qct.csv)" ',10,"","KB",[0-9.]+,[0-9.]*,[0-9.]*,"'
expect_match 'places without numbers have labels' "$(sed -n 3p column/02-lost.csv)" ',1,"20KB",'
expect_run 0 '' "$WEIR" report --format matplotlib tiny.db -o column
if [ -n "$has_python" ]; then
    expect_equal 'a script that compiles' "$(python3 -m py_compile column/*.py && echo yes)" yes
fi
for python in python3 /usr/bin/python3; do # the first one that has it
    "$python" -c 'import matplotlib' 2>/dev/null || continue
    rm -f column/01-mean-qct.pdf
    expect_equal 'and runs as it is' "$(cd column && "$python" 01-mean-qct.py 2>&1 && "$python" 02-lost.py 2>&1)" ''
    expect_match 'and draws' "$(head -1 column/01-mean-qct.pdf)" '%PDF'
    break
done
rm -r column
expect_run 2 "weir: report: --width: a page fits itself (expected --format svg, pdf, png, gnuplot, matplotlib, csv, latex or markdown)" \
    "$WEIR" report --width 84mm tiny.db
expect_run 2 'weir: report: --dpi: only PNG has pixels (expected --format png)' "$WEIR" report --format svg --dpi 96 tiny.db
expect_run 2 "weir: --width: 'wide' is no length (expected such as 84mm, 3.3in, 240pt or 720px)" \
    "$WEIR" report --format svg --width wide tiny.db
expect_run 3 "weir: --font: '1px' is out of range (expected 4px to 96px)" "$WEIR" report --format svg --font 1px tiny.db
expect_run 2 "weir: --width: '84' needs a unit (mm, cm, in, pt, px)" "$WEIR" report --format svg --width 84 tiny.db
expect_run 2 "weir: --font: '8' needs a unit (mm, cm, in, pt, px)" "$WEIR" report --format svg --font 8 tiny.db
expect_run 2 "weir: --font: 'big' is no length (expected such as 8pt, 3mm or 12px)" "$WEIR" report --format svg --font big tiny.db
expect_run 3 "weir: --height: '10mm' is out of range (expected 21.2mm to 2540mm)" \
    "$WEIR" report --format svg --height 10mm tiny.db

# Tables for papers: what stands in LaTeX and Markdown, for both kinds of charts; looks by name.
expect_run 0 '' "$WEIR" report --format latex -o latex tiny.db
expect_equal 'a table per chart' "$(cd latex && echo *)" '01-mean-qct.tex 02-lost.tex'
expect_match 'its columns' "$(cat latex/01-mean-qct.tex)" '^\\begin\{tabular\}\{lr\}$'
expect_match 'rules' "$(cat latex/01-mean-qct.tex)" '^\\bottomrule$'
expect_equal 'rows' "$(grep -c ' & .* \\\\$' latex/01-mean-qct.tex)" 4
expect_run 0 '' "$WEIR" report --format markdown --chart mean -o markdown tiny.db
expect_match 'Markdown' "$(cat markdown/01-mean-qct.md)" '^\|---\|---:\|$'
expect_run 0 '' "$WEIR" report --format svg --style one-column --chart mean -o look tiny.db
expect_match 'a column' "$(cat look/01-mean-qct.svg)" ' width="317.48[0-9]*" '
expect_run 0 '' "$WEIR" report --format svg --style two-columns --width 100mm --chart mean -o look tiny.db
expect_match 'a width goes before the style' "$(cat look/01-mean-qct.svg)" ' width="377.9[0-9]*" '

# Several panels in one figure: every chart is there, with its name, on a page as wide as asked for.
"$WEIR" report --format svg -o alone tiny.db >/dev/null
charts=$(find alone -name '*.svg' | wc -l) marks=$(cat alone/*.svg | grep -c 'class="s[0-9] f[0-9]"')
expect_run 0 '' "$WEIR" report --format svg --panels 2 --width 200mm -o panels tiny.db
expect_equal 'one file' "$output" panels/panels.svg
expect_equal 'names of panels' "$(grep -oE '>\([a-z]\) ' panels/panels.svg | wc -l)" "$charts"
expect_equal 'marks of all charts' "$(grep -c 'class="s[0-9] f[0-9]"' panels/panels.svg)" "$marks"
expect_match 'its width' "$(head -n 1 panels/panels.svg)" 'width="75[56]'
for script in gnuplot.gp matplotlib.py; do
    expect_run 0 '' "$WEIR" report --format ${script%.*} --panels 2 --no-title -o panels tiny.db
    expect_equal "$script: names" "$(grep -cE "set[_ ]title[ (]['\"]\([a-z]\)" panels/panels.${script#*.})" "$charts"
done
expect_run 2 'weir: report: --panels: tables have none (expected --format svg, pdf, png, gnuplot or matplotlib)' \
    "$WEIR" report --format latex --panels 2 tiny.db
expect_run 2 'weir: report: --style: a page fits itself (expected --format svg, pdf, png, gnuplot, matplotlib, csv, latex or markdown)' \
    "$WEIR" report --style slide tiny.db
rm -r latex markdown look alone panels

# Relative numbers do not replace the numbers themselves.
"$WEIR" report tiny.db >/dev/null
cp tiny.html absolute.html
expect_run 0 '' "$WEIR" report --relative-to 20KB tiny.db
expect_equal 'a page of its own' "$output" tiny-relative-to-20kb.html
cmp absolute.html tiny.html || expect_equal 'the page' changed kept
expect_run 0 '' "$WEIR" report --format svg -o both tiny.db
expect_run 0 '' "$WEIR" report --format svg -o both --relative-to 20KB tiny.db
expect_equal 'charts side by side' "$(cd both && echo *)" '01-lost-relative-to-20kb.svg 01-mean-qct.svg 02-lost.svg'
expect_run 3 "weir: '20kb' is no line or bar of any figure (did you mean '20KB'?)" "$WEIR" report --relative-to 20kb tiny.db
rm -r both absolute.html tiny.html tiny-relative-to-20kb.html
expect_run 3 "weir: report: --chart: no title begins with 'x' (expected one of 'Mean QCT', 'Lost')" \
    "$WEIR" report --format csv --chart x tiny.db -o .

# How a figure looks is the scenario's to say, in every format; no run is made again. Scripts have our own ticks.
sed -i 's/y: query.qct.mean, log: both}/y: query.qct.mean, log: both, y_range: [10us, 200us], y_ticks: [20us, 50us, 100us], x_ticks: [10, 20], legend: none}/' tiny.yaml
expect_run 0 '' "$WEIR" run --quiet tiny.yaml
for format in svg gnuplot matplotlib; do
    expect_run 0 '' "$WEIR" report --format $format --chart mean -o look tiny.db
done
expect_equal 'ticks of a drawing' "$(grep -o '>[0-9]*</text>' look/01-mean-qct.svg | tr -dc '0-9\n' | xargs)" '10 20 20 50 100'
expect_match 'range and ticks of gnuplot' "$(cat look/01-mean-qct.gp)" '^set yrange \[10:200\]$'
expect_match 'range and ticks of gnuplot' "$(cat look/01-mean-qct.gp)" "^set ytics \('20' 20, '50' 50, '100' 100\)$"
expect_match 'no names' "$(cat look/01-mean-qct.gp)" '^unset key$'
expect_match 'ticks of matplotlib' "$(cat look/01-mean-qct.py)" '^ax.set_yticks\(\[20, 50, 100\], \["20", "50", "100"\]\)$'
expect_match 'range of matplotlib' "$(cat look/01-mean-qct.py)" '^ax.set_ylim\(10, 200\)$'
"$WEIR" report tiny.db >/dev/null
expect_match 'ticks of the page' "$(cat tiny.html)" '"ticksY":\[20,50,100\]'
sed -i 's/y_range: \[10us, 200us\]/y_range: [1KB, 2KB]/' tiny.yaml
"$WEIR" run --quiet tiny.yaml >/dev/null
expect_run 3 "weir: figure 'Mean QCT': a number of its axes is in B, the chart in s (expected the same, or no unit)" "$WEIR" report tiny.db
sed -i 's/, y_range: .*legend: none}/}/' tiny.yaml
"$WEIR" run --quiet tiny.yaml >/dev/null
rm -r look tiny.html

expect_run 2 "weir: report: no results (expected a database or its scenario; see 'weir report --help')" "$WEIR" report
expect_run 2 "weir: report: unexpected operand 'b.db' (see 'weir report --help')" "$WEIR" report tiny.db b.db
expect_run 2 "weir: --format: 'sgv' is unknown (did you mean 'svg'?)" "$WEIR" report --format sgv tiny.db
expect_run 2 "weir: --format: 'eps' is unknown (expected html, svg, pdf, png, gnuplot, matplotlib, csv, latex or markdown)" \
    "$WEIR" report --format eps tiny.db
expect_run 2 "weir: report: --output: 'tiny.db' holds the results (expected another file)" \
    "$WEIR" report tiny.db -o tiny.db
expect_run 2 "weir: report: --output: charts are several files (expected a folder)" \
    "$WEIR" report --format svg tiny.db -o -
expect_run 4 'weir: none/page.html: cannot write: No such file or directory' "$WEIR" report tiny.db -o none/page.html
expect_run 4 'weir: tiny.yaml/01-mean-qct.svg: cannot write: Not a directory' \
    "$WEIR" report --format svg tiny.db -o tiny.yaml
status=0
"$WEIR" report tiny.db -o /dev/full 2>.stderr || status=$?
expect_equal 'full disk' "$status:$(cat .stderr)" '4:weir: /dev/full: cannot write: No space left on device'
echo 'no results' >text.db
expect_run 3 "weir: text.db: is not a file of weir's results" "$WEIR" report text.db
expect_run 0 '' "$WEIR" report tiny.yaml
expect_equal 'the report of a scenario' "$output" tiny.html
rm text.db tiny.html
expect_run 0 '' "$WEIR" measures tiny.yaml
expect_match 'what the scenario can give' "$output" '^query\.qct\.STAT +number +s +from when'
expect_equal 'nothing of lossless classes' "$(grep -c '^pause' <<<"$output")" 0
expect_run 0 '' "$WEIR" measures --json tiny.yaml
expect_run 2 'weir: measures: --json is of a scenario (expected a file)' "$WEIR" measures --json
expect_files tiny.db tiny.yaml
# What is embedded comes with its licence: of a pretended uPlot, and in the pages of a weir that has it.
if [ -n "$has_python" ]; then
    mkdir -p uplot/dist
    echo 'function uPlot() {}' >uplot/dist/uPlot.iife.min.js
    echo 'a {}' >uplot/dist/uPlot.min.css
    echo '{"version": "9.8.7"}' >uplot/package.json
    embed=("$WEIR_ROOT/show/page/embed.py" assets.c --script "$WEIR_ROOT/show/page/page.js" --style
        "$WEIR_ROOT/show/page/page.css" --uplot uplot)
    expect_run 1 'embed.py: uplot/LICENSE is missing: a copy of uPlot 9.8.7 has to come with its licence' "${embed[@]}"
    echo 'Permission is hereby granted, here' >uplot/LICENSE
    expect_run 0 '' "${embed[@]}"
    expect_equal 'the licence comes first' "$(python3 -c 'import re
rows = re.search(r"script_bytes\[\] = \{(.*?)\}", open("assets.c").read(), re.S).group(1)
print(bytes(int(b) for b in rows.split(","))[:60].decode())')" "/*! uPlot 9.8.7

Permission is hereby granted, here
*/
funct"
fi
if "$WEIR" --version >/dev/null && grep -q 'uPlot=function' "$WEIR"; then
    grep -q 'Permission is hereby granted, free of charge' "$WEIR" || expect_equal "uPlot's licence" 'missing' 'there'
fi
finish

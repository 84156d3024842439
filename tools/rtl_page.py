"""rtl_page.py - what rtl-report measures, and how its record becomes tables, charts and a page."""
import html
import json
import math
import os

# The traffic manager whose cost is told: 64 queues, 4096 cells of 64 B.
TM = {"PORTS": 64, "CELLS": 4096, "PACKETS": 4096, "NW": 6, "DATA_BITS": 512}
OF_TM = {"CELLS": 4096, "PACKETS": 4096, "NW": 6}


def block(key, name, module, parameters=None, **more):
    return {"key": key, "name": name, "module": module, "parameters": parameters or {}, **more}


COMBINATIONAL = {"clock": None}
NO_ICE40 = {"kinds": ("fpga", "asic")}
# Why a block is not placed and routed, in the table's words.
BIG_MEMORIES = {**NO_ICE40, "unrouted": "memories do not fit"}
BIG_LOGIC = {**NO_ICE40, "unrouted": "too large, not tried"}
BLOCKS = [
    block("selector", "selector, 64 queues of 32 bits", "weir_selector", {"QUEUES": 64, "W": 32}),
    block("selector-fast", "the same, SMALL = 0", "weir_selector", {"QUEUES": 64, "W": 32, "SMALL": 0}),
    block("round-robin", "its round robin alone", "weir_rr_select", {"QUEUES": 64}, **COMBINATIONAL),
    block("arbiter", "arbiter", "weir_arbiter", **COMBINATIONAL),
    block("executor", "executor, 1 sublist", "weir_executor", {"CELLS": 4096, "NW": 6}),
    block("executor-4", "executor, 4 sublists", "weir_executor", {"CELLS": 4096, "NW": 6, "LANES": 4}),
    block("authors-selector", "authors' selector", "headdrop_scheduler", authors=True, **NO_ICE40),
    block("authors-arbiter", "authors' arbiter", "fixed_arb", authors=True, **COMBINATIONAL, **NO_ICE40),
    block("authors-executor", "authors' executor", "headdrop_drop", authors=True, **NO_ICE40),
    block("selector-tm", "selector, 13 bits as in the traffic manager", "weir_selector", {"QUEUES": 64, "W": 13}),
    block("threshold", "DT threshold, α at run time", "weir_threshold", {"W": 13}, **COMBINATIONAL),
    block("admission", "DT admission", "weir_admission", {"W": 13, "NW": 6}, **COMBINATIONAL),
    block("counters", "counters", "weir_counters", {"QUEUES": 64, "CELLS": 4096, "NW": 6}),
    block("queues", "queue table", "weir_queues", {"QUEUES": 64, "PACKETS": 4096}),
    block("enqueue", "enqueue", "weir_enqueue", {**OF_TM, "QUEUES": 64, "DATA_BITS": 512}),
    block("dequeue", "dequeue with executor and transmit", "weir_dequeue", {**OF_TM, "QUEUES": 64}),
    block("transmit", "transmit", "weir_transmit", {"CELLS": 4096, "NW": 6}),
    block("ring", "free list", "weir_free_ring", {"ENTRIES": 4096}),
    block("pd-memory", "PD memory, its logic", "weir_pd_memory", OF_TM, **BIG_MEMORIES),
    block("tm", "traffic manager, Occamy", "weir_tm", TM, **{**BIG_MEMORIES, "kinds": ("fpga", "asic", "parts")}),
    block("tm-fast", "the same, SMALL = 0", "weir_tm", {**TM, "SMALL": 0}, **BIG_MEMORIES),
    block("tm-dt", "the same without head-drop: plain DT", "weir_tm", TM, without=("weir_selector", "weir_recheck", "weir_executor"), **BIG_MEMORIES),
    block("axil", "AXI-Lite registers, 64 queues", "weir_axil", {"QUEUES": 64, "CELLS": 4096}, **NO_ICE40),
    block("example", "the example: 2 inputs of 2 bytes, 4 queues, 512 cells, registers", "weir_example", folder="example", pins=True,
          kinds=("fpga", "ice40")),
    block("finder", "maximum finder, 64 x 16 bits", "weir_max_finder", {"COUNT": 64, "W": 16}, **COMBINATIONAL),
    block("tdt", "TDT state decision, one port", "weir_tdt_state"),
    block("dsh", "DSH estimator, one queue", "weir_dsh_estimator"),
    block("lqd", "Credence: virtual LQD, 64 queues", "weir_virtual_lqd", {"QUEUES": 64}),
    block("forest", "Credence: forest, 4 trees of depth 4", "weir_forest"),
    block("credence", "Credence, 64 queues", "weir_credence", {"QUEUES": 64, "PORTS": 64}, **BIG_LOGIC),
]


def sweep(queues):
    rows = []
    for count in queues:
        rows += [block(f"selector/{count}", "", "weir_selector", {"QUEUES": count, "W": 16}, **NO_ICE40),
                 block(f"round-robin/{count}", "", "weir_rr_select", {"QUEUES": count}, **COMBINATIONAL, **NO_ICE40),
                 block(f"finder/{count}", "", "weir_max_finder", {"COUNT": count, "W": 16}, **COMBINATIONAL, **NO_ICE40)]
    return rows


def save(path, record):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1, sort_keys=True, ensure_ascii=False)
        file.write("\n")
    os.replace(path + ".new", path)


# Occamy's Table 1 (Vivado 2024.1 for an U50; Design Compiler 2016, 45 nm): LUT, FF, ns, mm2, mW.
PAPER = {"selector": (1262, 47, 1.49, 0.023, 0.895), "arbiter": (3, 0, 0.17, 2.3e-5, 0.003),
         "executor": (47, 7, 0.38, 7.3e-4, 0.044)}
PAPER_FINDER_NS = 7  # of its slides: 64 lengths of 16 bits
LIBRARY = "osu018"  # of the tables; others have one of their own
TABLE1_LIBRARY = "nangate45_typ"  # of Table 1: 45 nm, as the paper's
SRAM_UM2_PER_BIT = {"sky130hd_tt": 683.1 * 416.54 / (512 * 32)}
REMARKS = (
    "LUT and FF: yosys synth_xilinx without packing two functions into one LUT, as Vivado does (the paper's column). ns, FO4, area and "
    "power: Nangate's open cells of 45 nm by yosys, abc and OpenSTA, without wires, at 100 MHz with OpenSTA's default activity. The "
    "paper's are of another library of 45 nm (gscl45nm) by Design Compiler with a wire load model and a clock of 0.2 ns: its delays and "
    "areas compare roughly, its power does not. The last two columns are by the same tools.",
    "Weir's selector: LUT and FF with small comparators (SMALL = 1), the rest with those for an ASIC (SMALL = 0); with small ones it is "
    "SMALL_ONES.",
    "The authors' Verilog is that of their artifact (github.com/ants-xjtu/Occamy, commit 1bf6d5e0f9), through our tools. Its "
    "flip-flops are those of the paper, 47 and 7.",
    "Selector: 64 comparators of 32 bits and a round robin of 64 in two levels, the same on both sides; queue lengths and threshold come from outside. "
    "The authors' keeps a cursor in each of nine encoders and registers its answer, which comes a cycle late and needs "
    "no `take`; ours keeps one cursor and answers in the same cycle.",
    "Arbiter: the authors' is for six requests, ours for the two that there are.",
    "Maximum finder: of 64 lengths of 16 bits, which push-out would need; the paper's number is of the authors' slides, and the artifact has none.",
    "Executor: the authors' picks one of four ports' descriptors and hands head and tail of its pointer list to the free list in one write. Ours "
    "walks the list, a cell per cycle and sublist, and can stop in any cycle; hence the counter and the pointer in flip-flops.",
)


def cell(entry, *path):
    for name in path:
        entry = (entry or {}).get(name)
    return entry


def fo4_of(record, entry, library=LIBRARY):
    ns, unit = cell(entry, "asic", library, "ns"), cell(record, "fo4_ps", library)
    return ns * 1000 / unit if ns is not None and unit else None


def number(value, form=".3g", otherwise="not measured"):
    return otherwise if value is None else format(value, form)


def table1(record):
    """Occamy's Table 1 beside its authors' Verilog and ours."""
    rows = []

    def ours(key, fast=None):
        entry = record["blocks"].get(key, {})
        timed = record["blocks"].get(fast or key, {})
        asic, delay = cell(timed, "asic", TABLE1_LIBRARY), fo4_of(record, timed, TABLE1_LIBRARY)
        if not asic:
            return [number(cell(entry, "fpga", "lut"), "d"), number(cell(entry, "fpga", "ff"), "d"), *["not measured"] * 3]
        return [number(cell(entry, "fpga", "lut"), "d"), number(cell(entry, "fpga", "ff"), "d"),
                f"{asic['ns']:.2f} ns, {delay:.0f} FO4", f"{asic['um2'] / 1e6:.2g} mm²", f"{asic['mw']:.2g} mW"]

    for name, (lut, ff, ns, mm2, mw) in PAPER.items():
        paper = [str(lut), str(ff), f"{ns} ns", f"{mm2:.2g} mm²", f"{mw} mW"]
        for what, *cells in zip(("LUT", "FF", "delay", "area", "power"), paper, ours("authors-" + name),
                               ours(name, "selector-fast" if name == "selector" else None)):
            rows.append([name, what, *cells])
    finder = record["blocks"].get("finder", {})
    rows.append(["maximum finder", "delay", f"{PAPER_FINDER_NS} ns", "none",
                 f"{finder['asic'][LIBRARY]['ns']} ns at 180 nm, {fo4_of(record, finder):.0f} FO4" if cell(finder, "asic", LIBRARY) else "not measured"])
    whole = record["blocks"].get("tm-fast", {})
    if cell(whole, "asic", TABLE1_LIBRARY):
        for what, text in zip(("delay", "area", "power"), ours("tm-fast")[2:]):
            rows.append(["traffic manager, 64 queues", what, "none", "none", text])
    return {"title": "Occamy, Table 1: What the parts of the head-drop cost",
            "head": ["part", "", "paper", "authors' Verilog, our tools", "weir, our tools"], "rows": rows,
            "remarks": [text.replace("SMALL_ONES", ", ".join(ours("selector")[2:4])) for text in REMARKS]}


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def flops(fpga):
    """Flip-flops, and memory of its own kind: block RAM, LUTs as RAM."""
    names = (("bram", "RAM"), ("lutram", "LUTRAM"))
    return " + ".join([number((fpga or {}).get("ff"), "d")] + [f"{fpga[kind]} {name}" for kind, name in names if (fpga or {}).get(kind)])


def block_rows(record):
    for entry in BLOCKS:
        found = record["blocks"].get(entry["key"], {})
        asic, lut4, mhz = cell(found, "asic", LIBRARY) or {}, cell(found, "ice40", "lut4"), cell(found, "ice40", "mhz")
        unrouted = "does not fit" if lut4 else entry.get("unrouted", "not measured")
        yield [entry["name"], number(cell(found, "fpga", "lut"), "d"), flops(cell(found, "fpga")), number(lut4, "d", unrouted),
               number(mhz, ".0f", unrouted), number(asic.get("gates"), "d"), number(asic.get("um2"), "d"),
               number(asic.get("ns"), ".2f"), number(fo4_of(record, found), ".0f"), number(asic.get("mw"))]


def library_rows(record, library):
    for entry in BLOCKS:
        asic = cell(record["blocks"].get(entry["key"]), "asic", library)
        if asic:
            delay = fo4_of(record, record["blocks"][entry["key"]], library)
            yield [entry["name"], str(asic["gates"]), str(asic["um2"]), number(asic["ns"], ".2f"), number(delay, ".0f"),
                   number(asic["mw"])]


def memory_bits():
    """Of the traffic manager: what is read for transmission only, and the rest."""
    pointer, packet = (TM["CELLS"] - 1).bit_length(), (TM["PACKETS"] - 1).bit_length()
    control = TM["CELLS"] * 2 * pointer + TM["PACKETS"] * (TM["NW"] + pointer + 2 * packet)
    return TM["CELLS"] * TM["DATA_BITS"], control


BOUND_PERCENT = 3 # our own, on what Occamy adds


def share_rows(record):
    """Occamy's addition: the traffic manager with and without head-drop."""
    whole, plain = record["blocks"].get("tm"), record["blocks"].get("tm-dt")
    rows = []

    def row(what, most, least, form):
        if most is not None and least is not None:
            share = 100 * (most - least) / most
            rows.append([what, format(most, form), format(least, form), format(most - least, form), f"{share:.2g} %",
                         "yes" if share <= BOUND_PERCENT else "no"])

    row("LUTs", cell(whole, "fpga", "lut"), cell(plain, "fpga", "lut"), "d")
    row("flip-flops", cell(whole, "fpga", "ff"), cell(plain, "fpga", "ff"), "d")
    data, control = memory_bits()
    row("bits of memory", data + control, data + control, "d")
    for library in sorted(record.get("fo4_ps", {})):
        most, least = (cell(entry, "asic", library, "um2") for entry in (whole, plain))
        if most is None or least is None:
            continue
        bit = SRAM_UM2_PER_BIT.get(library)
        sizes = [("logic", 0)] + ([("logic, memories without data", control), ("logic, all memories", control + data)] if bit else [])
        for what, bits in sizes:
            memory = bits * (bit or 0)
            row(f"{library}: {what}, mm²", (most + memory) / 1e6, (least + memory) / 1e6, ".3f")
    return rows


def share_text(record):
    text = ("The same traffic manager without selector and executor, which leaves plain DT, and the difference. Memories count as OpenRAM's "
            "macro of 2 kB in sky130 (683.1 x 416.54 µm for 512 words of 32 bits); osu018 has none.")
    library, (_, control) = next(iter(SRAM_UM2_PER_BIT)), memory_bits()
    most, least = (cell(record["blocks"].get(key), "asic", library, "um2") for key in ("tm", "tm-dt"))
    if most is None or least is None:
        return text
    limit = ((most - least) * 100 / BOUND_PERCENT - most) / control
    return text + (f" With memories but without data the share stays within {BOUND_PERCENT} % as long as a bit takes more than {limit:.1f} µm² "
                   f"there; OpenRAM's takes {SRAM_UM2_PER_BIT[library]:.0f}.")


PARTS = (("weir_selector", ("weir_selector", "weir_overalloc", "weir_greater", "weir_greater_step", "weir_rr_select")),
         ("weir_recheck", ("weir_recheck",)),
         ("weir_executor", ("weir_executor",)), ("weir_arbiter and the rest of weir_dequeue", ("weir_arbiter", "weir_dequeue")),
         ("weir_transmit", ("weir_transmit",)), ("weir_counters", ("weir_counters",)),
         ("weir_threshold, weir_admission", ("weir_threshold", "weir_admission")), ("weir_queues", ("weir_queues",)),
         ("weir_enqueue", ("weir_enqueue",)), ("free lists", ("weir_free_ring",)),
         ("memories", ("weir_ram", "weir_pd_memory", "weir_pointer_memory", "weir_cell_memory")),
         ("weir_tm itself: length and threshold of the arrival's queue", ("weir_tm",)))


def part_rows(record):
    parts = cell(record["blocks"].get("tm"), "parts") or {}
    total = sum(found["lut"] for found in parts.values()) or 1
    for name, names in PARTS:
        found = [parts[n] for n in names if n in parts]
        if found:
            lut = sum(f["lut"] for f in found)
            yield [name, str(lut), f"{100 * lut / total:.0f} %", str(sum(f["ff"] for f in found))]


SWEPT = (("selector", "selector"), ("round-robin", "its round robin"), ("finder", "maximum finder"))


def swept(record, key):
    """(queues, LUTs, FO4) of a block, by queues."""
    found = {int(name.split("/")[1]): entry for name, entry in record["blocks"].items() if name.startswith(key + "/")}
    return [(queues, cell(entry, "fpga", "lut"), fo4_of(record, entry)) for queues, entry in sorted(found.items())]


def sweep_rows(record):
    by_queues = {}
    for i, (key, _) in enumerate(SWEPT):
        for queues, lut, delay in swept(record, key):
            by_queues.setdefault(queues, ["not measured"] * 6)[2 * i:2 * i + 2] = [number(lut, "d"), number(delay, ".0f")]
    return [[str(queues), *cells] for queues, cells in sorted(by_queues.items())]


class Axes:
    """A chart with logarithmic x, and y by choice."""

    def __init__(self, left, title, xs, ys, is_log):
        self.left, self.title, self.is_log, self.xs = left, title, is_log, xs
        self.low = 10 ** math.floor(math.log10(min(ys))) if is_log else 0
        self.high = 10 ** math.ceil(math.log10(max(ys))) if is_log else 20 * math.ceil(max(ys) / 20)

    def x(self, value):
        low, high = math.log2(self.xs[0]), math.log2(self.xs[-1])
        return self.left + 300 * (math.log2(value) - low) / max(high - low, 1)

    def y(self, value):
        if self.is_log:
            return 260 - 210 * math.log(value / self.low) / math.log(self.high / self.low)
        return 260 - 210 * value / self.high

    def frame(self):
        out = [f'<text x="{self.left}" y="30" font-weight="bold">{self.title}</text>']
        ticks = [10 ** e for e in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)] if self.is_log else \
            [self.high * i // 4 for i in range(5)]
        for tick in ticks:
            out.append(f'<path d="M{self.left} {self.y(tick):.1f}h300" stroke="#8886"/>'
                       f'<text x="{self.left - 6}" y="{self.y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
        for value in self.xs:
            out.append(f'<text x="{self.x(value):.1f}" y="278" text-anchor="middle">{value}</text>')
        out.append(f'<text x="{self.left + 150}" y="296" text-anchor="middle">queues</text>')
        return out


LINES = {"selector": ("#0072b2", ""), "round-robin": ("#009e73", "6 3"), "finder": ("#d55e00", "2 3")}


def svg(record):
    """LUTs and delay by queues."""
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 340" font-family="sans-serif" font-size="12" '
           'fill="#777" role="img">', "<title>Cost of selector, round robin and maximum finder by queues of 16 bits</title>"]
    for which, left, title, is_log in ((1, 60, "LUTs", True), (2, 440, "delay (FO4, osu018)", False)):
        lines = {key: [(row[0], row[which]) for row in swept(record, key) if row[which] is not None] for key, _ in SWEPT}
        points = [point for line in lines.values() for point in line]
        if not points:
            continue
        axes = Axes(left, title, sorted({x for x, _ in points}), [y for _, y in points], is_log)
        out += axes.frame()
        for i, (key, name) in enumerate(SWEPT):
            colour, dash = LINES[key]
            path = "M" + " L".join(f"{axes.x(x):.1f} {axes.y(y):.1f}" for x, y in lines[key])
            if lines[key]:
                out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
            out += [f'<circle cx="{axes.x(x):.1f}" cy="{axes.y(y):.1f}" r="3" fill="{colour}"/>' for x, y in lines[key]]
            if which == 1:
                out.append(f'<path d="M{60 + 220 * i} 322h30" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
                           f'<text x="{96 + 220 * i}" y="326">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


BLOCK_HEAD = ("block", "LUT", "FF", "LUT4", "MHz, routed", "gates", "µm²", "ns", "FO4", "mW")
LIBRARY_HEAD = ("block", "gates", "µm²", "ns", "FO4", "mW")
SHARE_HEAD = ("of 64 queues, 4096 cells of 64 B", "with head-drop", "plain DT", "addition", "share of the whole", f"within {BOUND_PERCENT} %")
PART_HEAD = ("part", "LUT", "share", "FF")
SWEEP_HEAD = ("queues of 16 bits", "selector LUT", "FO4", "its round robin LUT", "FO4", "maximum finder LUT", "FO4")
HEAD = """What the blocks of `hw/rtl/` cost. This page is written by `make rtl-report` from `docs/hardware.json`; do not edit
it. [rtl.md](rtl.md#what-it-costs) says what the numbers mean, [results](../results/hardware.md) has Occamy's Table 1.
"""
HOW = """LUT and FF are yosys' `synth_xilinx` (7 series), LUT4 is `synth_ice40`, MHz the clock after nextpnr-ice40 placed and routed
the block on an hx8k between registers. Gates, area, delay and power are Debian's osu018 (180 nm): mapped, buffered and sized by abc,
timed by OpenSTA without wires, power at 100 MHz with OpenSTA's default activity. Memories are outside. The example is routed on
its own pins. Traffic manager, counters, queue table, enqueue, dequeue, admission and DSH's estimator were measured before their
paths were shortened, but for the numbers of nangate45_typ and the traffic manager's LUTs and flip-flops ([rtl.md](rtl.md#what-it-costs))."""


def sections(record):
    """(heading, text, table head, rows) of the page."""
    first = record["table1"]
    yield first["title"], "", first["head"], first["rows"]
    yield "Blocks", HOW, BLOCK_HEAD, list(block_rows(record))
    yield "What Occamy adds", share_text(record), SHARE_HEAD, share_rows(record)
    yield ("Where the LUTs are", "Of the traffic manager with head-drop, synthesized module by module, which costs some LUTs more than "
           "as a whole.", PART_HEAD, list(part_rows(record)))
    yield "By queues", "", SWEEP_HEAD, sweep_rows(record)
    for library in sorted(record.get("fo4_ps", {})):
        rows = list(library_rows(record, library))
        if library != LIBRARY and rows:
            yield f"With {library}", f"FO4 is {record['fo4_ps'][library]:.0f} ps.", LIBRARY_HEAD, rows


def page(record, picture):
    """Markdown, without Occamy's Table 1, which is among the results of the papers."""
    out = ["# Cost of the hardware\n", HEAD]
    for title, text, head, rows in sections(record):
        if title == record["table1"]["title"]:
            continue
        out += [f"## {title}"] + ([text] if text else [])
        if title == "By queues" and rows:
            out.append(f"![LUTs and delay by queues]({picture})")
        out.append("\n" + markdown(head, rows))
    return "\n".join(out).rstrip() + "\n"


STYLE = """body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color-scheme:light dark}
table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #8886;padding:.2em .6em}td+td{text-align:right}
svg{max-width:60em}"""


def html_page(record):
    out = ['<!doctype html><html lang="en"><meta charset="utf-8"><title>Cost of the hardware</title>',
           f"<style>{STYLE}</style><h1>Cost of the hardware</h1>"]
    for title, text, head, rows in sections(record):
        out += [f"<h2>{html.escape(title)}</h2><p>{html.escape(text)}</p>", svg(record) if title == "By queues" else "", "<table><tr>"]
        out += [f"<th>{html.escape(name)}</th>" for name in head]
        out += ["<tr>" + "".join(f"<td>{html.escape(value)}</td>" for value in row) + "</tr>" for row in rows]
        out.append("</table>")
    out.append("<ul>" + "".join(f"<li>{html.escape(remark)}</li>" for remark in REMARKS) + "</ul></html>")
    return "\n".join(out) + "\n"


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write(record, options):
    record.setdefault("blocks", {})
    record["table1"] = table1(record)
    save(options.record, record)
    if options.page:
        picture = os.path.join("images", os.path.basename(options.page).replace(".md", ".svg"))
        put(os.path.join(os.path.dirname(options.page), picture), svg(record))
        put(options.page, page(record, picture))
    if options.html:
        put(options.html, html_page(record))

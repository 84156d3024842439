// film.js - the simulator in WebAssembly, and the films that it makes: show/playground/play.h has the columns.
"use strict";

const KIND = { entered: 0, refused: 1, sent: 2, pushed: 3, expelled: 4, dropped: 5, paused: 6, resumed: 7 };
const KIND_NAMES = Object.keys(KIND);
const COLUMN = { time: 0, kind: 1, output: 2, input: 3, cells: 4, reason: 5, used: 6, headroom: 7, count: 8 };
const OUTPUT = { held: 0, limit: 1, mode: 2, count: 3 };
const INPUT = { held: 0, headroom: 1, limit: 2, paused: 3, count: 4 };
const isLoss = (kind) => kind === KIND.refused || (kind >= KIND.pushed && kind <= KIND.dropped);

class Film {
  constructor(about, rows) {
    Object.assign(this, about);
    this.data = rows;
    this.count = this.rows;
  }
  at(row, column) { return this.data[row * this.columns + column]; }
  output(row, port, column) { return this.at(row, COLUMN.count + port * OUTPUT.count + column); }
  input(row, port, column) { return this.at(row, COLUMN.count + this.outputs * OUTPUT.count + port * INPUT.count + column); }
  time(row) { return this.at(row, COLUMN.time); }

  // The last row at or before a time; -1: nothing has happened yet.
  rowAt(timeNs) {
    let low = -1, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time(middle) <= timeNs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // What became of the packets for an output port over the whole film.
  totals(port) {
    const total = { offered: 0, refused: 0, lost: 0, sent: 0, peak: 0, last: 0 };
    for (let i = 0; i < this.count; i++) {
      total.peak = Math.max(total.peak, this.output(i, port, OUTPUT.held));
      if (this.at(i, COLUMN.output) !== port) continue;
      const kind = this.at(i, COLUMN.kind);
      if (kind === KIND.entered || kind === KIND.refused) total.offered++;
      if (kind === KIND.refused) total.refused++;
      if (isLoss(kind)) total.lost++;
      if (kind === KIND.sent) { total.sent++; total.last = this.time(i); }
    }
    return total;
  }
  countOf(kind) {
    let count = 0;
    for (let i = 0; i < this.count; i++) count += this.at(i, COLUMN.kind) === kind;
    return count;
  }
}

// The program is in the page, packed, so that nothing is fetched.
async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The C library would ask WASI for files, of which a page has none: every call is answered with "bad descriptor".
const EBADF = 8;

// The simulator of a program's bytes. Views of its memory do not last: they end when it grows.
async function openSimulator(bytes) {
  const module = await WebAssembly.compile(bytes);
  const wasi = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => EBADF]));
  const program = (await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi })).exports;
  program._initialize();
  const memory = () => new Uint8Array(program.memory.buffer);
  const text = (from) => new TextDecoder().decode(memory().subarray(from, memory().indexOf(0, from)));
  // What `use` makes of a text in the program's memory, as C has them.
  const withText = (string, use) => {
    const encoded = new TextEncoder().encode(string + "\0");
    const at = program.malloc(encoded.length);
    if (!at) throw new Error("no memory is left");
    memory().set(encoded, at);
    try { return use(at); } finally { program.free(at); }
  };
  return {
    catalogue: JSON.parse(text(program.page_catalogue())),
    // A film, or throws what the simulator says about the scenario.
    run(side, scenario) {
      if (withText(scenario, (at) => program.page_run(side, at))) throw new Error(text(program.page_said()));
      const about = JSON.parse(text(program.page_about(side)));
      return new Film(about, new Int32Array(program.memory.buffer, program.page_rows(side), about.rows * about.columns).slice());
    },
  };
}

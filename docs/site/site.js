// site.js - the search: the texts of all pages come with the first key, as a script, since a page from a disk may fetch nothing.
"use strict";
(() => {
  document.documentElement.classList.add("live");
  const field = document.getElementById("search"), found = document.getElementById("found");
  const root = document.body.dataset.root;
  let loading;
  const load = () => (loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "search-data.js";
    script.onload = () => done(SEARCH.map(([place, title, heading, text]) => ({ place, title, heading, text, low: [title, heading, text].map((part) => part.toLowerCase()) })));
    script.onerror = failed;
    document.head.append(script);
  }));

  const count = (text, word) => text.split(word).length - 1;
  function search(sections, words) {
    const hits = [];
    for (const section of sections) {
      const [title, heading, text] = section.low;
      let score = 0;
      for (const word of words) {
        const here = 8 * Math.min(1, count(title, word)) + 12 * Math.min(1, count(heading, word)) + Math.min(6, count(text, word));
        if (here === 0) { score = 0; break; }
        score += here;
      }
      if (score > 0) hits.push([score - (section.place.includes("decisions/") || section.place.startsWith("CHANGELOG") ? 6 : 0), section]);
    }
    return hits.sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, section]) => section);
  }

  // The words in a piece of text around the first of them.
  function snippet(section, words) {
    const at = Math.max(0, Math.min(...words.map((word) => (i => (i < 0 ? Infinity : i))(section.low[2].indexOf(word))).concat(section.text.length)) - 60);
    const piece = (at > 0 ? "… " : "") + section.text.slice(at, at + 180) + (section.text.length > at + 180 ? " …" : "");
    const out = document.createElement("small");
    let rest = piece;
    while (rest) {
      const low = rest.toLowerCase();
      const [next, word] = words.map((each) => [low.indexOf(each), each]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0])[0] ?? [-1];
      if (next < 0 || next === undefined) break;
      const mark = document.createElement("mark");
      mark.textContent = rest.slice(next, next + word.length);
      out.append(rest.slice(0, next), mark);
      rest = rest.slice(next + word.length);
    }
    out.append(rest);
    return out;
  }

  async function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1 || /\S[^\x00-\x7f]?/.test(word) && word === "α");
    if (words.length === 0) { found.hidden = true; return; }
    const hits = search(await load(), words);
    found.replaceChildren(...hits.map((section, i) => {
      const link = document.createElement("a");
      link.href = root + section.place;
      link.setAttribute("role", "option");
      link.setAttribute("aria-selected", String(i === 0));
      const name = document.createElement("b");
      name.textContent = section.heading && section.heading !== section.title ? section.title + " › " + section.heading : section.title;
      link.append(name, snippet(section, words));
      return link;
    }));
    if (hits.length === 0) found.append(Object.assign(document.createElement("p"), { textContent: "Nothing has all of these words." }));
    found.hidden = false;
  }

  const chosen = () => found.querySelector('[aria-selected="true"]');
  field.addEventListener("input", show);
  field.addEventListener("focus", () => { load(); if (field.value) show(); });
  field.form.addEventListener("submit", (event) => { event.preventDefault(); chosen()?.click(); });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field && !event.target.matches("input, textarea")) { event.preventDefault(); field.focus(); }
    if (found.hidden) return;
    if (event.key === "Escape") { found.hidden = true; field.blur(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const all = [...found.querySelectorAll("a")], at = all.indexOf(chosen());
      const to = all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length];
      chosen()?.setAttribute("aria-selected", "false");
      to?.setAttribute("aria-selected", "true");
      to?.scrollIntoView({ block: "nearest" });
    }
  });
  addEventListener("click", (event) => { if (!found.contains(event.target) && event.target !== field) found.hidden = true; });
  found.addEventListener("click", () => { found.hidden = true; });
})();

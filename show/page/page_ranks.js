// page_ranks.js - rows of ranks over time: the wheel and buttons zoom, dragging moves, pointing says what it is.
"use strict";
(() => {
  const words = ["computes", "communicates", "waits for others", "has nothing to do"];
  const colours = ["--c0", "--c2", "--c1"];

  function time(ns) {
    return ns >= 1e6 ? (ns / 1e6).toPrecision(5) + " ms" : ns >= 1e3 ? (ns / 1e3).toPrecision(5) + " µs" : ns.toFixed(0) + " ns";
  }

  // The last stretch that begins at `at` or before; `step` numbers each.
  function find(list, step, at) {
    let [low, high] = [0, list.length / step];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle * step + 1] <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function show(view) {
    const data = JSON.parse(document.getElementById(view.dataset.of).textContent);
    const canvas = view.querySelector("canvas"), said = view.querySelector("output"), context = canvas.getContext("2d");
    const ends = data.ranks.filter((rank) => rank.length).map((rank) => rank[rank.length - 2] + rank[rank.length - 1]);
    const starts = data.ranks.filter((rank) => rank.length).map((rank) => rank[1]);
    const first = Math.min(...starts, data.path[1] ?? Infinity, 0), last = Math.max(...ends, 1);
    const row = Math.max(1, Math.min(22, Math.floor(640 / data.ranks.length))), gap = row > 4 ? 1 : 0, axis = 22;
    let [from, to] = [first, last];
    const x = (at, width) => ((at - from) / (to - from)) * width;

    function draw() {
      const ratio = window.devicePixelRatio || 1, width = view.clientWidth, height = data.ranks.length * row + axis;
      canvas.style.height = height + "px";
      [canvas.width, canvas.height] = [width * ratio, height * ratio];
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const style = getComputedStyle(document.documentElement), fills = colours.map((name) => style.getPropertyValue(name));
      data.ranks.forEach((rank, r) => {
        for (let i = Math.max(0, find(rank, 3, from)) * 3; i < rank.length && rank[i + 1] < to; i += 3) {
          if (rank[i] > 2) continue;
          const [a, b] = [Math.max(0, x(rank[i + 1], width)), Math.min(width, x(rank[i + 1] + rank[i + 2], width))];
          context.fillStyle = fills[rank[i]];
          context.fillRect(a, r * row, Math.max(0.3, b - a), row - gap);
        }
      });
      context.font = "12px sans-serif";
      context.textAlign = "left";
      context.fillStyle = style.getPropertyValue("--ground");
      for (let r = 0; row > 13 && r < data.ranks.length; r++) context.fillText(`rank ${r}`, 4, (r + 0.5) * row + 4);
      context.strokeStyle = context.fillStyle = style.getPropertyValue("--c6");
      context.lineWidth = 2;
      context.beginPath();
      for (let i = Math.max(0, find(data.path, 4, from)) * 4; i < data.path.length && data.path[i + 1] < to; i += 4) {
        const y = (data.path[i + 3] + 0.5) * row, next = i + 4 < data.path.length ? (data.path[i + 7] + 0.5) * row : y;
        context.moveTo(x(data.path[i + 1], width), y);
        context.lineTo(x(data.path[i + 1] + data.path[i + 2], width), data.path[i] === 1 ? next : y);
      }
      context.stroke();
      context.fillStyle = style.getPropertyValue("--ink");
      for (let i = 0; i < 5; i++) {
        context.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
        context.fillText(time(from + ((to - from) * i) / 4), (width * i) / 4, height - 6);
      }
      view.dataset.from = from;
      view.dataset.to = to;
    }

    function zoom(by, around) {
      const length = Math.min(last - first, Math.max(10, (to - from) * by)), part = (around - from) / (to - from);
      from = Math.max(first, Math.min(last - length, around - part * length));
      to = from + length;
      draw();
    }

    function move(by) {
      const length = to - from;
      from = Math.max(first, Math.min(last - length, from + by * length));
      to = from + length;
      draw();
    }

    const act = {
      in: () => zoom(0.5, (from + to) / 2), out: () => zoom(2, (from + to) / 2),
      left: () => move(-0.5), right: () => move(0.5), all: () => zoom(Infinity, from),
    };

    function tell(event) {
      const box = canvas.getBoundingClientRect(), r = Math.floor((event.clientY - box.top) / row);
      const at = from + ((event.clientX - box.left) / box.width) * (to - from), rank = data.ranks[r];
      if (!rank) return;
      const i = find(rank, 3, at) * 3, inside = i >= 0 && at < rank[i + 1] + rank[i + 2];
      const since = inside ? `, from ${time(rank[i + 1])} for ${time(rank[i + 2])}` : "";
      said.textContent = `${time(at)}: rank ${r} ${words[inside ? rank[i] : 3]}${since}`;
    }

    for (const button of view.querySelectorAll("button")) button.addEventListener("click", () => act[button.dataset.do]());
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, from + ((event.clientX - box.left) / box.width) * (to - from));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const keys = { "+": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all" };
      if (!keys[event.key]) return;
      event.preventDefault();
      act[keys[event.key]]();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) move(-event.movementX / canvas.clientWidth);
      tell(event);
    });
    canvas.addEventListener("pointerdown", tell);
    window.addEventListener("resize", draw);
    document.addEventListener("weir-theme", draw);
    draw();
  }

  const views = document.querySelectorAll(".ranks");
  if (!views.length) return;
  document.documentElement.classList.add("live");
  views.forEach(show);
})();

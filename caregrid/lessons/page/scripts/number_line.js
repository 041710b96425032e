// The number line of care: a slider, its break points below it, a button to each neighbour.
"use strict";

const LINE = { width: 640, height: 58, left: 12, right: 12, steps: 1000 };

// change: care -> nothing, called when a person chooses one. Returns { node, show(world, care) }.
function numberLine(name, change) {
  let world = null;
  const slider = element("input", {
    type: "range", min: 0, max: LINE.steps, step: 1, class: "care", "aria-label": "care",
    oninput: () => change(caring.chosen(world, slider.value / LINE.steps, 0.006)),
    onkeydown: (event) => {
      const step = { PageUp: 1, PageDown: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      change(caring.neighbour(world, current, step));
    },
  });
  let current = 0;
  const ticks = svg("svg", { class: "ticks", role: "img" });
  const output = element("output", { class: "care-value" });
  const jump = (step, label, name) => element("button", {
    type: "button", class: step > 0 ? "next-point" : "last-point", "aria-label": name,
    onclick: () => change(caring.neighbour(world, current, step)),
  }, label);
  const node = element("div", { class: "number-line" },
    element("div", { class: "row" }, jump(-1, "\u25c0", "to the break point before"), element("strong", {}, "care ", output), jump(1, "\u25b6", "to the next break point")),
    slider, ticks);

  function drawTicks() {
    const width = Math.max(280, slider.clientWidth || LINE.width), scale = caring.scale(world);
    const at = (care) => LINE.left + scale.toShare(care) * (width - LINE.left - LINE.right);
    const points = caring.points(world);
    ticks.setAttribute("viewBox", `0 0 ${width} ${LINE.height}`);
    ticks.setAttribute("aria-label", `break points at ${points.map(numberText).join(", ") || "none"}`);
    ticks.replaceChildren(svg("line", { x1: at(0), x2: at(scale.last), y1: 8, y2: 8, class: "axis" }));
    const ends = [-Infinity, -Infinity, -Infinity];
    for (const [care, kind] of [[0, "end"], ...points.map((point) => [point, "point"]), [scale.last, "end"]]) {
      const label = numberText(care), half = 4.6 * label.length;
      const x = Math.min(Math.max(at(care), half), width - half);
      const row = ends.findIndex((end) => x - half > end + 6);
      ticks.append(svg("line", { x1: at(care), x2: at(care), y1: 1, y2: 15, class: kind }));
      if (row < 0) continue;
      ends[row] = x + half;
      ticks.append(svg("text", { x, y: 28 + 14 * row, "text-anchor": "middle", class: kind }, label));
    }
  }

  return {
    node,
    show(next, care) {
      const isNew = next !== world;
      [world, current] = [next, care];
      slider.value = Math.round(caring.scale(world).toShare(care) * LINE.steps);
      slider.setAttribute("aria-valuetext", caring.spoken(world, care));
      output.textContent = numberText(care);
      if (isNew) drawTicks();
    },
    redraw: () => world && drawTicks(),
  };
}

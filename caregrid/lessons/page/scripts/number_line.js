// The number line of a quantity: a slider, its break points below it, a button to each neighbour.
"use strict";

const LINE = { width: 640, height: 58, left: 12, right: 12, steps: 1000 };

// change: value -> nothing, called when a person chooses one. spoken: (world, value) -> what a screen reader says.
// Returns { node, show(world, value), redraw }.
function numberLine(change, spoken) {
  let world = null, current = 0;
  const slider = element("input", {
    type: "range", min: 0, max: LINE.steps, step: 1, class: "quantity",
    oninput: () => change(axis.chosen(world, slider.value / LINE.steps, 0.006)),
    onkeydown: (event) => {
      const step = { PageUp: 1, PageDown: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      change(axis.neighbour(world, current, step));
    },
  });
  const ticks = svg("svg", { class: "ticks", role: "img" });
  const name = element("strong", {}), output = element("output", { class: "value" });
  const jump = (step, label, name) => element("button", {
    type: "button", class: step > 0 ? "next-point" : "last-point", "aria-label": name,
    onclick: () => change(axis.neighbour(world, current, step)),
  }, label);
  const node = element("div", { class: "number-line" },
    element("div", { class: "row" }, jump(-1, "\u25c0", "to the break point before"), element("span", {}, name, " ", output), jump(1, "\u25b6", "to the next break point")),
    slider, ticks);

  function drawTicks() {
    const width = Math.max(280, slider.clientWidth || LINE.width), scale = axis.scale(world);
    const at = (value) => LINE.left + scale.toShare(value) * (width - LINE.left - LINE.right);
    const points = axis.points(world);
    ticks.setAttribute("viewBox", `0 0 ${width} ${LINE.height}`);
    ticks.setAttribute("aria-label", `break points at ${points.map(numberText).join(", ") || "none"}`);
    ticks.replaceChildren(svg("line", { x1: at(axis.low(world)), x2: at(scale.last), y1: 8, y2: 8, class: "axis" }));
    const ends = [-Infinity, -Infinity, -Infinity];
    for (const [value, kind] of [[axis.low(world), "end"], ...points.map((point) => [point, "point"]), [scale.last, "end"]]) {
      const label = numberText(value), half = 4.6 * label.length;
      const x = Math.min(Math.max(at(value), half), width - half);
      const row = ends.findIndex((end) => x - half > end + 6);
      ticks.append(svg("line", { x1: at(value), x2: at(value), y1: 1, y2: 15, class: kind }));
      if (row < 0) continue;
      ends[row] = x + half;
      ticks.append(svg("text", { x, y: 28 + 14 * row, "text-anchor": "middle", class: kind }, label));
    }
  }

  return {
    node,
    show(next, value) {
      const isNew = next !== world;
      [world, current] = [next, value];
      slider.value = Math.round(axis.scale(world).toShare(value) * LINE.steps);
      slider.setAttribute("aria-label", axis.quantity(world));
      slider.setAttribute("aria-valuetext", spoken(world, value));
      [name.textContent, output.textContent] = [axis.quantity(world), numberText(value)];
      if (isNew) drawTicks();
    },
    redraw: () => world && drawTicks(),
  };
}

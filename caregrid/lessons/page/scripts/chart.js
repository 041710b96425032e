// Numbers as lines over a quantity or over turns, a dot on each at the present value; below it who is who, and how much.
"use strict";

const CHART = { height: 230, left: 74, right: 14, top: 14, bottom: 44, dashes: ["", "10 5", "2 5", "14 4 3 4", "6 3", "1 4 8 4"] };

const chart = {
  // view: { lines: [{ name, points: [[x, y]], now }], low, high, breaks, at, label, unit, width }. Returns an element.
  draw({ lines, low, high, breaks, at, label, unit, width }) {
    const { height, left, right, top, bottom } = CHART, all = lines.flatMap(({ points }) => points.map(([, y]) => y)).concat(0);
    const [least, most] = [Math.min(...all), Math.max(...all)], room = most - least || 1;
    const x = (value) => left + (value - low) / (high - low || 1) * (width - left - right);
    const y = (value) => top + (most - value) / room * (height - top - bottom);
    const number = (value) => svg("text", { x: left - 14, y: y(value) + 5, "text-anchor": "end" }, chart.short(value));
    const shown = [least, 0, most].filter((value, i, every) => every.findIndex((other) => Math.abs(y(other) - y(value)) < 16) === i);
    const end = (value, anchor) => svg("text", { x: x(value), y: height - bottom + 20, "text-anchor": anchor }, chart.short(value));
    return element("div", {}, svg("svg", { class: "curves chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${label}; at ${unit} ${numberText(at)}: ${chart.spoken(lines)}` },
      svg("line", { class: "axis", x1: left, x2: width - right, y1: y(0), y2: y(0) }),
      breaks.map((point) => svg("line", { class: "point", x1: x(point), x2: x(point), y1: top, y2: height - bottom })),
      lines.map(({ points }, i) => svg("polyline", { class: "curve line-" + i, "stroke-dasharray": CHART.dashes[i % CHART.dashes.length], points: points.map(([a, b]) => `${x(a)},${y(b)}`).join(" ") })),
      lines.map(({ now }, i) => svg("circle", { class: "dot line-" + i, cx: x(at), cy: y(now), r: 6 })),
      shown.map(number), end(low, "start"), end(high, "end"),
      svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, unit)), chart.legend(lines));
  },

  legend(lines) {
    return element("ul", { class: "chart-legend" }, lines.map(({ name, now }, i) => element("li", {},
      svg("svg", { viewBox: "0 0 44 10", width: 44, height: 10, "aria-hidden": "true" }, svg("line", { class: "curve line-" + i, x1: 0, x2: 44, y1: 5, y2: 5, "stroke-dasharray": CHART.dashes[i % CHART.dashes.length] })),
      ` ${name} `, element("strong", {}, numberText(now)))));
  },

  spoken: (lines) => lines.map(({ name, now }) => `${name} ${numberText(now)}`).join(", "),

  short(value) {
    const [unit, letter] = Math.abs(value) >= 1e6 ? [1e6, "M"] : Math.abs(value) >= 1e4 ? [1e3, "k"] : [1, ""];
    return numberText(Number((value / unit).toPrecision(3))) + letter;
  },
};

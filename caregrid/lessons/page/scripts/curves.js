// Own return, the others' and the total against care, each on an even scale of its own, with a dot that follows the slider.
"use strict";

const CURVES = { height: 104, left: 74, right: 14, top: 26, bottom: 10, foot: 40 };
const KINDS = [["own", "own return"], ["others", "others' returns"], ["total", "total"]];

const curves = {
  weightedOthers: (segment) => (segment.total === null || segment.own === null ? null : segment.total - segment.own),

  value: (segment, kind) => (kind === "others" ? curves.weightedOthers(segment) : segment[kind]),

  // width: of the place for it, in pixels.
  draw(world, care, width) {
    const { left, right, foot } = CURVES, scale = axis.scale(world), height = KINDS.length * CURVES.height + foot;
    const x = (number) => left + scale.toShare(number) * (width - left - right);
    const end = (value, anchor) => svg("text", { x: x(value), y: height - foot + 16, "text-anchor": anchor }, numberText(Number(value.toPrecision(3))));
    return svg("svg", { class: "curves", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `returns against care; at ${caring.spoken(world, care)}` },
      KINDS.map(([kind, label], i) => curves.panel(world, care, kind, label, x, width, i * CURVES.height)),
      end(0, "start"), end(scale.last, "end"), svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "care"));
  },

  // One return against care. first: where its panel begins, from above.
  panel(world, care, kind, label, x, width, first) {
    const { height, left, right, top, bottom } = CURVES, scale = axis.scale(world);
    const drawn = world.segments.map((segment) => ({ segment, value: curves.value(segment, kind) })).filter(({ value }) => value !== null);
    const numbers = drawn.map(({ value }) => value), [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    const y = (value) => first + top + (most === least ? 0.5 : (most - value) / (most - least)) * (height - top - bottom);
    const stop = (segment) => (segment.to === null ? scale.last : Math.min(segment.to, scale.last));
    const now = curves.value(world.segments[axis.index(world, care)], kind);
    const number = (value) => svg("text", { x: left - 14, y: y(value) + 5, "text-anchor": "end", class: "number" }, numberText(value));
    return svg("g", { class: "panel " + kind }, svg("text", { x: left, y: first + 16, class: "label " + kind }, label),
      svg("line", { class: "axis", x1: left - 6, x2: left - 6, y1: first + top, y2: first + height - bottom }),
      axis.points(world).map((point) => svg("line", { class: "point", x1: x(point), x2: x(point), y1: first + top, y2: first + height - bottom })),
      svg("path", { class: "curve " + kind, d: drawn.map(({ segment, value }) => `M${x(segment.from)},${y(value)} H${x(stop(segment))}`).join(" ") }),
      numbers.length ? [...new Set([most, least])].map(number) : [], now === null ? [] : svg("circle", { class: "dot " + kind, cx: x(care), cy: y(now), r: 6 }));
  },
};

// Own return, the others' and the total against care, with a dot that follows the slider.
"use strict";

const CURVES = { height: 270, left: 66, right: 92, top: 14, bottom: 34 };
const KINDS = [["own", "own"], ["others", "others"], ["total", "total"]];

const curves = {
  weightedOthers: (segment) => (segment.total === null || segment.own === null ? null : segment.total - segment.own),

  value: (segment, kind) => (kind === "others" ? curves.weightedOthers(segment) : segment[kind]),

  // width: of the place for it, in pixels.
  draw(world, care, width) {
    const { height, left, right, top, bottom } = CURVES, scale = axis.scale(world);
    const x = (number) => left + scale.toShare(number) * (width - left - right);
    const numbers = world.segments.flatMap((segment) => KINDS.map(([kind]) => curves.value(segment, kind))).filter((n) => n !== null);
    const y = curves.height([...numbers, 0], top, height - bottom);
    const end = (segment) => (segment.to === null ? scale.last : Math.min(segment.to, scale.last));
    const lines = KINDS.map(([kind]) => svg("path", { class: "curve " + kind, d: world.segments.flatMap((segment) => {
      const value = curves.value(segment, kind);
      return value === null ? [] : [`M${x(segment.from)},${y(value)} H${x(end(segment))}`];
    }).join(" ") }));
    const now = world.segments[axis.index(world, care)];
    const dots = KINDS.map(([kind]) => [kind, curves.value(now, kind)]).filter(([, value]) => value !== null);
    const spots = dots.map(([kind, value]) => svg("circle", { class: "dot " + kind, cx: x(care), cy: y(value), r: 6 }));
    return svg("svg", { class: "curves", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `returns against care; at ${caring.spoken(world, care)}` },
      svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
      axis.points(world).map((point) => svg("line", { class: "point", x1: x(point), x2: x(point), y1: top, y2: height - bottom })),
      curves.marks(numbers, y), svg("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, "care"),
      lines, spots, curves.labels(world, y, width));
  },

  // Where a number lies: half by its size, half by its rank, so that one huge loss does not flatten all others.
  height(numbers, top, bottom) {
    const sorted = [...new Set(numbers)].sort((a, b) => b - a), [high, low] = [sorted[0], sorted[sorted.length - 1]];
    return (n) => {
      const rank = sorted.indexOf(n) / (sorted.length - 1 || 1), size = (high - n) / (high - low || 1);
      return top + (rank + size) / 2 * (bottom - top);
    };
  },

  marks(numbers, y) {
    const shown = [];
    for (const value of [...new Set(numbers)].sort((a, b) => b - a)) {
      if (shown.every((other) => Math.abs(y(other) - y(value)) > 17)) shown.push(value);
    }
    return shown.map((value) => svg("text", { x: CURVES.left - 14, y: y(value) + 4, "text-anchor": "end" }, numberText(value)));
  },

  labels(world, y, width) {
    const last = world.segments[world.segments.length - 1];
    const wanted = KINDS.map(([kind, label]) => ({ kind, label, at: curves.value(last, kind) })).filter(({ at }) => at !== null)
      .map((each) => ({ ...each, at: y(each.at) })).sort((one, other) => one.at - other.at);
    let above = -Infinity;
    return wanted.map(({ kind, label, at }) => {
      above = Math.max(at, above + 17);
      return svg("text", { x: width - CURVES.right + 8, y: above + 5, class: "label " + kind }, label);
    });
  },
};

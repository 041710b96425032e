// Caring coefficients: the stretched number line that they lie on, the segment of each, and what changes between two.
"use strict";

const caring = {
  points(world) {
    return world.segments.slice(1).map((segment) => segment.from);
  },

  // From 0 to beyond the last break point; near 0 stretched so that the first break point can be told from it.
  scale(world) {
    const points = caring.points(world).filter((point) => point > 0);
    const last = Math.max(1, 2 * Math.max(0, ...points)), unit = points.length ? Math.min(...points) : 1;
    const whole = Math.asinh(last / unit);
    return { last, toShare: (care) => Math.asinh(care / unit) / whole, toCare: (share) => unit * Math.sinh(share * whole) };
  },

  // The number of the segment; a break point belongs to the one on its right.
  index(world, care) {
    return Math.max(0, world.segments.findLastIndex((segment) => care >= segment.from * (1 - 1e-9)));
  },

  // The next break point above (step 1) or below (step -1) a coefficient; the same coefficient where there is none.
  neighbour(world, care, step) {
    const points = caring.points(world), near = 1e-9 * Math.abs(care);
    if (step > 0) return points.find((point) => point > care + near) ?? care;
    return points.findLast((point) => point < care - near) ?? 0;
  },

  // A coefficient near a share of the line: a break point where one is within `reach`, else rounded to be read out.
  chosen(world, share, reach) {
    const scale = caring.scale(world);
    const close = caring.points(world).find((point) => Math.abs(scale.toShare(point) - share) <= reach);
    return close ?? (share <= 0 ? 0 : Number(scale.toCare(share).toPrecision(3)));
  },

  moves: new Set(["", "up", "down", "left", "right"]),

  // The actions of one list beyond those of another, moves left out: what an agent does more.
  extra(steps, before) {
    const counts = new Map();
    for (const { action } of before) counts.set(action, (counts.get(action) ?? 0) + 1);
    return steps.map(({ action }) => action).filter((action) => {
      const left = counts.get(action) ?? 0;
      counts.set(action, left - 1);
      return left <= 0 && !caring.moves.has(action);
    });
  },

  returns(segment) {
    const others = Object.entries(segment.others).map(([name, value]) => `${name} ${numberText(value)}`);
    return [`own ${numberText(segment.own)}`, ...others, `total ${numberText(segment.total)}`].join(", ");
  },

  // What a screen reader says of the slider.
  spoken(world, care) {
    const number = caring.index(world, care);
    return `care ${numberText(care)}, behaviour ${number + 1} of ${world.segments.length}: ${caring.returns(world.segments[number])}`;
  },
};

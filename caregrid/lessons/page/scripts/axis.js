// The number line of a quantity: its scale, the segments between its break points, and who is next to whom.
// world: { segments: [{ from }], quantity, low, high }; without a quantity it is care, from 0 to beyond the last break point.
"use strict";

const axis = {
  quantity: (world) => world.quantity ?? "care",

  low: (world) => world.low ?? 0,

  points(world) {
    return world.segments.slice(1).map((segment) => segment.from);
  },

  // Between two ends evenly; care is stretched near 0, so that the first break point can be told from it.
  scale(world) {
    if (world.quantity) {
      const { low, high } = world;
      return { last: high, toShare: (value) => (value - low) / (high - low), toValue: (share) => low + share * (high - low) };
    }
    const points = axis.points(world).filter((point) => point > 0);
    const last = Math.max(1, 2 * Math.max(0, ...points)), unit = points.length ? Math.min(...points) : 1;
    const whole = Math.asinh(last / unit);
    return { last, toShare: (care) => Math.asinh(care / unit) / whole, toValue: (share) => unit * Math.sinh(share * whole) };
  },

  // The number of the segment; a break point belongs to the one on its right.
  index(world, value) {
    return Math.max(0, world.segments.findLastIndex(({ from }) => value >= from - 1e-9 * Math.abs(from)));
  },

  // The next break point above (step 1) or below (step -1) a value; without one the value itself, or the lowest.
  neighbour(world, value, step) {
    const points = axis.points(world), near = 1e-9 * Math.abs(value);
    if (step > 0) return points.find((point) => point > value + near) ?? value;
    return points.findLast((point) => point < value - near) ?? axis.low(world);
  },

  // A value near a share of the line: a break point where one is within `reach`, else rounded to be read out.
  chosen(world, share, reach) {
    const scale = axis.scale(world);
    const close = axis.points(world).find((point) => Math.abs(scale.toShare(point) - share) <= reach);
    if (close !== undefined) return close;
    if (share <= 0) return axis.low(world);
    return share >= 1 && world.quantity ? world.high : Number(scale.toValue(share).toPrecision(3));
  },
};

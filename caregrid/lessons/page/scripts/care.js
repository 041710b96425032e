// Behaviours at a care: what one does beyond another, what it is worth, and how it is read out.
"use strict";

const caring = {
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
    const number = axis.index(world, care);
    return `care ${numberText(care)}, behaviour ${number + 1} of ${world.segments.length}: ${caring.returns(world.segments[number])}`;
  },
};

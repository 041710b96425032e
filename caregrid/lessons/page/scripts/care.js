// Behaviours at a care: what one does beyond another, what it is worth, and how it is read out.
"use strict";

const caring = {
  moves: new Set(["", "up", "down", "left", "right"]),

  // An action and its place, by which one is told from another.
  deed: ({ action, cell }) => `${action} ${cell}`,

  // The steps of one list beyond those of another, moves left out: what an agent does more, and where.
  extra(steps, before) {
    const counts = new Map();
    for (const step of before) counts.set(caring.deed(step), (counts.get(caring.deed(step)) ?? 0) + 1);
    return steps.filter((step) => {
      const left = counts.get(caring.deed(step)) ?? 0;
      counts.set(caring.deed(step), left - 1);
      return left <= 0 && !caring.moves.has(step.action);
    });
  },

  // An action with its place in words: what is drawn there; row and column where nothing is, or several of it are.
  inWords({ rows, features }, { action, cell: [r, c] }) {
    const feature = features.find(({ glyph }) => glyph === rows[r][c]), place = `row ${r}, column ${c}`;
    if (!feature) return `${action} (${place})`;
    const isOne = rows.join("").split(feature.glyph).length === 2;
    return `${action} (${feature.names.join(" and ")}${isOne ? "" : `, ${place}`})`;
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

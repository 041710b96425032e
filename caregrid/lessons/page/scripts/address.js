// The address of what one sees, LESSON?care=0.7&world=1&map=..., to be kept or handed on.
"use strict";

const readMoves = (text) => (text ? text.split(".").map(Number) : []);

const address = {
  // What an address says of a lesson: { care, world, map, walk, value, moves, games }, each where it is said; null for another lesson's.
  read(lesson, hash = location.hash) {
    const [name, query] = hash.slice(1).split("?");
    if (name !== lesson || query === undefined) return null;
    const said = new URLSearchParams(query), found = {};
    for (const [key, read] of Object.entries({ care: Number, world: Number, value: Number, map: (text) => text.split("\n"), walk: (text) => text.split("."), moves: readMoves, games: (text) => text.split("_").map(readMoves) })) {
      if (said.has(key)) found[key] = read(said.get(key));
    }
    return found;
  },

  // state: { care, world, map }, of which those that are as at the beginning are left out by whoever calls.
  write: (lesson, state) => `#${lesson}?${new URLSearchParams(state)}`,
};

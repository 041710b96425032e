// What drawing does to a map, and what is wrong with one: plain data in, plain data out.
"use strict";

const editing = {
  // The rows with a glyph in a cell; a feature leaves the place where it was: `from`, or the nearest one of several.
  painted(rows, [row, column], glyph, features, from = null) {
    const cells = rows.map((line) => [...line]), isFeature = features.some((feature) => feature.glyph === glyph);
    const there = cells[row][column];
    if (there === glyph) return rows;
    const taken = features.some((feature) => feature.glyph === there);
    if (taken && !isFeature) return rows;
    if (isFeature) {
      const places = cells.flatMap((line, r) => line.flatMap((each, c) => (each === glyph ? [[r, c]] : [])));
      const far = ([r, c]) => Math.abs(r - row) + Math.abs(c - column);
      places.sort((one, other) => (from ? (other.join() === from.join()) - (one.join() === from.join()) : 0) || far(one) - far(other));
      if (places.length) cells[places[0][0]][places[0][1]] = taken ? there : " ";
    }
    cells[row][column] = glyph;
    return cells.map((line) => line.join(""));
  },

  // Why a drawing cannot be used, or "".
  fault(rows, world) {
    const ragged = rows.findIndex((row) => row.length !== rows[0].length);
    if (!rows[0]) return "the map is empty";
    if (ragged >= 0) return `row ${ragged} is ${rows[ragged].length} cells long, row 0 is ${rows[0].length}`;
    if (rows.length * rows[0].length > 1000) return "the map has more than 1000 cells";
    const known = new Set(["#", " ", ".", ...world.features.map(({ glyph }) => glyph)]);
    const unknown = [...rows.join("")].find((glyph) => !known.has(glyph));
    if (unknown !== undefined) return `"${unknown === "\t" ? "tab" : unknown}" means nothing here; draw ${[...known].map((glyph) => (glyph === " " ? "space" : glyph)).join(" ")}`;
    return drawnMap.fault(rows, world.rows, world.features) || editing.unreachable(rows, world);
  },

  // Features that cannot be reached from the acting agent's start.
  unreachable(rows, world) {
    const map = drawnMap.parse(rows, world.features), begin = map.classes.indexOf(world.rules.classes[world.rules.start[0]]);
    const reached = new Set([begin]), waiting = [begin];
    while (waiting.length) {
      for (const next of map.moves[waiting.pop()]) {
        if (!reached.has(next)) {
          reached.add(next);
          waiting.push(next);
        }
      }
    }
    const lost = map.classes.findIndex((name, cell) => name && !reached.has(cell));
    return lost < 0 ? "" : `"${map.classes[lost]}" cannot be reached; open a way through the walls`;
  },
};

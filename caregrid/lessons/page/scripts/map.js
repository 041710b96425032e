// A drawn map: its floor cells in reading order, the cell that each move leads to, and the class of each cell.
"use strict";

const MOVES = [[-1, 0], [1, 0], [0, -1], [0, 1]];

const drawnMap = {
  // rows: the drawing. features: [{ glyph, names }]. Returns { rows, cells, moves, classes, numbers }.
  parse(rows, features) {
    const cells = [], numbers = new Map();
    rows.forEach((row, r) => [...row].forEach((glyph, c) => {
      if (glyph === "#") return;
      numbers.set(drawnMap.key(r, c), cells.length);
      cells.push([r, c]);
    }));
    const moves = cells.map(([r, c], here) =>
      MOVES.map(([down, right]) => numbers.get(drawnMap.key(r + down, c + right)) ?? here));
    return { rows, cells, moves, numbers, classes: drawnMap.classes(rows, cells, features) };
  },

  key(row, column) {
    return row + "," + column;
  },

  // The features on each cell, each with its number where the map shows several; "" for plain floor.
  classes(rows, cells, features) {
    const names = new Map(features.map((feature) => [feature.glyph, feature.names]));
    const counts = new Map(), found = new Map();
    const here = cells.map(([r, c]) => names.get(rows[r][c]) ?? []);
    for (const name of here.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
    return here.map((listed) => listed.map((name) => {
      found.set(name, (found.get(name) ?? 0) + 1);
      return counts.get(name) > 1 ? name + " " + found.get(name) : name;
    }).sort().join(" + "));
  },

  often: (count) => ["nowhere", "once", "twice"][count] ?? `${count} times`,

  // Why a drawing cannot be used, or "".
  fault(rows, original, features) {
    const count = (drawing, glyph) => drawing.join("").split(glyph).length - 1;
    for (const { glyph, names } of features) {
      const [wanted, drawn] = [count(original, glyph), count(rows, glyph)];
      if (drawn !== wanted) return `${names.join(" and ")} ${glyph} is drawn ${drawnMap.often(drawn)}; draw it ${drawnMap.often(wanted)}`;
    }
    return "";
  },
};

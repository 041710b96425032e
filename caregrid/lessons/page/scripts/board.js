// The board as SVG: floor, features, a heat map or arrows if asked for, the whole path now and, dashed, the one before.
"use strict";

const TILE = 48, ARROWS = { up: "\u2191", down: "\u2193", left: "\u2190", right: "\u2192" };

const board = {
  // view: { world, segment, before, step, heat, policy, cursor, walker, still }. A walker, [row, column] of who comes next,
  // stands in the agent's place, and is `lost` where it never finishes; a still board is a picture: nothing on it can be chosen or is numbered. Returns an svg element.
  draw(view) {
    const { rows } = view.world, height = rows.length * TILE, width = rows[0].length * TILE;
    const labels = new Map(view.world.features.filter(({ drawn }) => drawn).map((feature) => [feature.glyph, feature.names.join(" and ")]));
    const every = (draw) => rows.flatMap((row, r) => [...row].map((glyph, c) => draw(r, c, glyph, labels)));
    return svg("svg", {
      class: "board", viewBox: `0 0 ${width} ${height}`, "aria-label": board.described(view),
      ...(view.still ? { role: "img" } : { tabindex: 0, role: "application", "aria-roledescription": "map" }),
    }, board.arrowHeads(), every(board.floor), board.heat(view),
    view.before ? board.path(view.before.steps, "before") : [], board.newcomers(view),
    board.path(view.segment.steps, "now"), every(board.feature), board.policy(view), board.heatNumbers(view), board.marks(view), board.agent(view), board.badges(view), board.cursor(view));
  },

  floor(r, c, glyph, labels) {
    const kind = glyph === "#" ? "wall" : labels.has(glyph) ? "floor place" : "floor";
    return svg("rect", { x: c * TILE, y: r * TILE, width: TILE, height: TILE, class: kind });
  },

  feature(r, c, glyph, labels) {
    if (!labels.has(glyph)) return [];
    const name = labels.get(glyph), drawn = sprites.draw(name.split(" and ")[0], "feature", c * TILE + 7, r * TILE + 7, TILE - 14);
    const letter = drawn && !sprites.lettered(name) ? [] : svg("text", { x: c * TILE + 5, y: r * TILE + 19, class: "feature" }, glyph);
    return svg("g", {}, svg("title", {}, name), drawn ?? [], letter);
  },

  arrowHeads() {
    return svg("defs", {}, ["now", "before", "next"].map((kind) => svg("marker", {
      id: "head-" + kind, viewBox: "0 0 10 10", refX: 7, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto",
    }, svg("path", { d: "M0,0 L10,5 L0,10 z", class: "head " + kind }))));
  },

  // Each step keeps to its right, so that a way there and back can be told apart.
  points(cells, shift) {
    const middle = ([r, c]) => [(c + 0.5) * TILE, (r + 0.5) * TILE], moves = [];
    for (let i = 1; i < cells.length; i += 1) {
      const [down, right] = [Math.sign(cells[i][0] - cells[i - 1][0]), Math.sign(cells[i][1] - cells[i - 1][1])];
      if (down || right) moves.push({ from: middle(cells[i - 1]), to: middle(cells[i]), off: [-down * shift, right * shift] });
    }
    const beside = ([x, y], ...offs) => offs.reduce(([a, b], [right, down]) => [a + right, b + down], [x, y]);
    return moves.flatMap(({ from, off }, i) => {
      const last = i ? moves[i - 1].off : null;
      if (!last) return [beside(from, off)];
      if (last[0] === off[0] && last[1] === off[1]) return [];
      const turnsBack = last[0] === -off[0] && last[1] === -off[1];
      return turnsBack ? [beside(from, last), beside(from, off)] : [beside(from, last, off)];
    }).concat(moves.slice(-1).map(({ to, off }) => beside(to, off)));
  },

  path(steps, kind) {
    const points = board.points(steps.map(({ cell }) => cell), kind === "now" ? 5 : 11);
    if (!points.length) return [];
    const drawn = [svg("polyline", { points: points.map((point) => point.join(",")).join(" "), class: "path " + kind, "marker-end": `url(#head-${kind})` })];
    if (kind === "now") drawn.push(svg("circle", { cx: points[0][0], cy: points[0][1], r: 5, class: "begins" }));
    return drawn;
  },

  // Where the agent does something else than walk: numbers, which the list below the board explains.
  badges({ segment, before, walker }) {
    const places = new Map();
    if (walker !== undefined) return [];
    for (const { number, cell, isNew } of board.actions(segment, before)) {
      const key = cell.join(), found = places.get(key) ?? { cell, numbers: [], isNew: false };
      places.set(key, { cell, numbers: [...found.numbers, number], isNew: found.isNew || isNew });
    }
    return [...places.values()].map(({ cell: [r, c], numbers, isNew }) => {
      const last = numbers[numbers.length - 1], isRun = last - numbers[0] === numbers.length - 1 && numbers.length > 1;
      const text = isRun ? `${numbers[0]}\u2013${last}` : numbers.join(" "), width = 6 + 7 * text.length;
      const isWide = text.length > 3, x = (c + 1) * TILE - width - 1, y = r * TILE + (isWide ? TILE - 19 : 1); // wide ones leave the name free
      return svg("g", { class: isNew ? "badge new" : "badge" }, svg("rect", { x, y, width, height: 18, rx: 8 }),
        svg("text", { x: x + width / 2, y: y + 14, "text-anchor": "middle" }, text));
    });
  },

  // The actions that are no moves, numbered in order; those that the segment before did not have are new.
  actions(segment, before) {
    const extra = before ? caring.extra(segment.steps, before.steps) : [];
    return segment.steps.filter(({ action }) => !caring.moves.has(action)).map(({ action, cell }, i) => {
      const at = extra.findIndex((step) => caring.deed(step) === caring.deed({ action, cell }));
      if (at >= 0) extra.splice(at, 1);
      return { number: i + 1, action, cell, isNew: at >= 0 };
    });
  },

  newcomers({ segment, newcomers }) {
    if (!newcomers) return [];
    return segment.newcomers.flatMap(({ cells }) => {
      const points = board.points(cells, 16).map((point) => point.join(",")).join(" ");
      return points ? [svg("polyline", { points, class: "path next", "marker-end": "url(#head-next)" })] : [];
    });
  },

  marks({ segment, step }) {
    return segment.steps[step].marks.map(([r, c, glyph, name, role]) => svg("g", { class: "mark " + role },
      svg("title", {}, name), sprites.draw(name, role, (c + 0.44) * TILE, (r + 0.44) * TILE, TILE * 0.54) ?? [
        svg("rect", { x: (c + 0.56) * TILE, y: (r + 0.5) * TILE, width: TILE * 0.4, height: TILE * 0.44, rx: 4 }),
        svg("text", { x: (c + 0.76) * TILE, y: (r + 0.83) * TILE, "text-anchor": "middle" }, glyph)]));
  },

  // What the glyphs of a map and of the things on it mean.
  legend({ features }, steps) {
    const drawn = features.filter((feature) => feature.drawn).map(({ glyph, names }) => [glyph, names.join(" and "), "feature"]);
    const loose = steps.flatMap(({ marks }) => marks.map(([, , glyph, name, role]) => [glyph, name, role])), names = new Map();
    for (const [glyph, name, role] of [["@", "agent", "agent"], ...drawn, ...loose]) names.set(glyph, (names.get(glyph) ?? new Map()).set(name, role));
    const shown = (glyph, [name, role]) => [sprites.inline(name.split(" and ")[0], role) ?? glyph, ` ${name}`];
    return [...names].flatMap(([glyph, every], i) => [i ? "; " : "", ...[...every].flatMap((each, j) => [j ? " or " : "", ...shown(glyph, each)])]).concat(".");
  },

  // Somebody has a face: who could never finish is seen to be lost.
  agent({ segment, step, walker, lost }) {
    const [r, c] = walker ?? segment.steps[step].cell;
    const drawn = sprites.shown() && svg("use", { href: `#sprite-${walker ? (lost ? "lost" : "other") : "agent"}`, x: (c + 0.17) * TILE, y: (r + 0.17) * TILE, width: TILE * 0.66, height: TILE * 0.66, class: `sprite ${walker ? "other" : "agent"}` });
    if (drawn) return svg("g", { class: walker ? "agent next" : "agent" }, drawn);
    return svg("g", { class: walker ? "agent next" : "agent" }, svg("circle", { cx: (c + 0.5) * TILE, cy: (r + 0.5) * TILE, r: TILE * 0.2 }),
      svg("text", { x: (c + 0.5) * TILE, y: (r + 0.5) * TILE + 5, "text-anchor": "middle" }, walker ? "N" : "@"));
  },

  heat({ heat }) {
    const numbers = (heat ?? []).map(({ value }) => value).filter(Number.isFinite);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    return (heat ?? []).map(({ cell: [r, c], value }) => {
      const share = Number.isFinite(value) ? (value - low) / (high - low || 1) : 0;
      const fill = `hsl(46 ${Math.round(20 + 60 * share)}% ${Math.round(58 + 36 * share)}%)`;
      return svg("rect", { x: c * TILE + 1, y: r * TILE + 1, width: TILE - 2, height: TILE - 2, fill, class: "heat" });
    });
  },

  heatNumbers({ heat }) {
    return (heat ?? []).map(({ cell: [r, c], value }) => svg("text", {
      x: (c + 0.5) * TILE, y: (r + 1) * TILE - 5, "text-anchor": "middle", class: "heat-number",
    }, Number.isFinite(value) ? numberText(Number(value.toPrecision(3))) : "never"));
  },

  policy({ policy }) {
    return (policy ?? []).map(({ cell: [r, c], action }) => svg("text", {
      x: (c + 0.5) * TILE, y: (r + 0.5) * TILE + 8, "text-anchor": "middle", class: "arrow",
    }, svg("title", {}, action), ARROWS[action] ?? "\u25cf"));
  },

  cursor({ cursor }) {
    if (!cursor) return [];
    return svg("rect", { x: cursor[1] * TILE + 2, y: cursor[0] * TILE + 2, width: TILE - 4, height: TILE - 4, class: "cursor" });
  },

  // The cell under a pointer.
  cellAt(drawn, event, rows) {
    const box = drawn.getBoundingClientRect(), column = Math.floor((event.clientX - box.left) / box.width * rows[0].length);
    const row = Math.floor((event.clientY - box.top) / box.height * rows.length);
    return row >= 0 && row < rows.length && column >= 0 && column < rows[0].length ? [row, column] : null;
  },

  described({ world, segment, step, keys, still }) {
    const extra = caring.extra(segment.steps, []).map(({ action }) => action), now = segment.steps[step];
    return `${world.scenario}, a map of ${world.rows.length} rows and ${world.rows[0].length} columns. `
      + `The agent takes ${segment.steps.length - 1} steps${extra.length ? ", among them " + extra.join(", ") : ""}. `
      + `At step ${step} it stands in row ${now.cell[0]}, column ${now.cell[1]}${now.state ? " (" + now.state + ")" : ""}. `
      + (still ? "" : keys ?? "Arrow keys move the cursor, Enter asks why.");
  },
};

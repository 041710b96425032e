// A world solved in the page: the values of those who come next, then every optimal segment of care from 0 on.
"use strict";

// world: as exported. rows: the map. Returns { map, table, segments }; throws an Error that says why it cannot.
function solvedWorld(world, rows) {
  const map = drawnMap.parse(rows, world.features), { rules } = world;
  const table = composedTable(rules, map, [[cellOfClass(map, rules, rules.start[0]), rules.start[1]]]);
  const others = rules.newcomers.map((newcomer) => newcomerValues(newcomer, map, table, rules));
  table.ends = table.cell.map((_, state) =>
    others.reduce((sum, values, i) => (table.terminal[state] ? sum + rules.weights[i] * values[state] : 0), 0));
  return { map, table, segments: tableSegments(world, map, table, others), others: Object.fromEntries(rules.newcomers.map(({ name }, i) => [name, others[i]])) };
}

function cellOfClass(map, rules, number) {
  const cell = map.classes.indexOf(rules.classes[number]);
  if (cell < 0) throw new Error(`no "${rules.classes[number]}" on the map`);
  return cell;
}

// What a newcomer can expect where the acting agent ends, one number a state (0 where it does not end).
function newcomerValues(newcomer, map, table, acting) {
  const { rules } = newcomer, begins = cellOfClass(map, rules, newcomer.begins);
  const handed = new Map(newcomer.handed.map(([name, rest, first]) => [name * acting.count + rest, first]));
  const first = table.cell.map((cell, state) => (table.terminal[state]
    ? handed.get(acting.classes.indexOf(map.classes[cell]) * acting.count + table.rest[state]) : -1));
  const rests = [...new Set(first.filter((rest) => rest >= 0))];
  const own = composedTable(rules, map, rests.map((rest) => [begins, rest]));
  const value = rewardToGo(own, own.reward, own.reward.map(() => 0)).value;
  const limited = withinTimeLimit(own, value, acting.limits[newcomer.name]);
  return first.map((rest) => (rest < 0 ? 0 : limited[own.number(begins, rest)]));
}

function tableSegments(world, map, table, others) {
  const width = table.actions.length, [start] = table.starts, arrival = rewardToArrive(table, start);
  const last = [];
  for (let state = 0; state < table.count; state += 1) {
    if (table.terminal[state] || arrival.best[state] === -Infinity) continue;
    for (let action = 0; action < width; action += 1) {
      const step = state * width + action, end = table.next[step];
      if (table.terminal[end]) last.push({ step, end, own: arrival.best[state] + table.reward[step], auxiliary: table.ends[end] });
    }
  }
  if (!last.length) throw new Error("no end can be reached");
  const peaks = new Map();
  for (const { own, auxiliary } of last) peaks.set(auxiliary, Math.max(own, peaks.get(auxiliary) ?? -Infinity));
  const lines = [...peaks].map(([auxiliary, own]) => ({ own, auxiliary }));
  return envelope(lines).filter((line) => line.to > 0).map((line) => {
    const same = last.filter(({ own, auxiliary }) => Math.abs(auxiliary - line.auxiliary) <= ROUNDING * Math.abs(line.auxiliary)
      && own >= line.own - ROUNDING * Math.abs(line.own));
    const { path, actions } = firstPath(table, arrival, same.map(({ step }) => step));
    return describedSegment(world, map, table, others, line, path, actions);
  });
}

// A segment as those that the desktop exported.
function describedSegment(world, map, table, others, line, path, actions) {
  const { rules } = world, end = path[path.length - 1];
  const values = Object.fromEntries(rules.newcomers.map((newcomer, i) => [newcomer.name, others[i][end]]));
  return {
    from: Math.max(0, line.from), to: line.to === Infinity ? null : line.to,
    own: line.own, others: values,
    total: line.own + rules.newcomers.reduce((sum, _, i) => sum + rules.probability[i] * others[i][end], 0), line: [line.own, line.auxiliary],
    steps: path.map((state, i) => describedStep(world, { map, table }, state, i ? table.actions[actions[i - 1]] : "", i ? table.reward[path[i - 1] * table.actions.length + actions[i - 1]] : 0)),
    newcomers: [],
  };
}

// A step as those that the desktop exported: the action that led to a state, its reward, cell, words and marks.
function describedStep(world, { map, table }, state, action, reward = null) {
  const step = { action, reward, cell: map.cells[table.cell[state]] }, { rules } = world;
  const { state: words, marks } = (rules ?? world.table).rests[table.rest[state]];
  if (!rules) return { ...step, state: words, marks: world.table.marks[state] };
  return { ...step, state: words, marks: marks.flatMap(([name, ...mark]) =>
    map.cells.filter((_, cell) => map.classes[cell] === rules.classes[name]).map((cell) => [...cell, ...mark])) };
}

// What an agent would do and expect anywhere at a care: [{ own, others, value, best }] by state and action.
function solvedAtCare(table, care) {
  const width = table.actions.length, late = (step) => (table.terminal[table.next[step]] ? table.ends[table.next[step]] : 0);
  const reward = table.reward.map((own, step) => own + care * late(step));
  const second = table.reward.map((_, step) => late(step));
  const { value, extra } = rewardToGo(table, reward, second);
  const actionValue = (state, action) => {
    const step = state * width + action, after = table.next[step], ended = table.terminal[after];
    const total = reward[step] + (ended ? 0 : value[after]), others = ended ? late(step) : extra[after];
    return { total, others, own: total - care * others };
  };
  const best = (state) => {
    const all = table.actions.map((_, action) => actionValue(state, action).total), top = Math.max(...all);
    return all.findIndex((total) => total >= top - EQUAL * Math.abs(top));
  };
  return { value, extra, actionValue, best };
}

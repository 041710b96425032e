// The table of a map: rules that know no map, put under the cells of one. Only what can be reached gets a number.
"use strict";

const MOST_STATES = 20000;

// rules: see docs/live_page.md. map: of drawnMap.parse. starts: [[cell, rest]].
// Returns { count, actions, next, reward, terminal, cell, rest, number(cell, rest), starts }.
function composedTable(rules, map, starts) {
  const classOf = map.classes.map((name) => rules.classes.indexOf(name));
  const unknown = classOf.indexOf(-1);
  if (unknown >= 0) throw new Error(`the rules do not know "${map.classes[unknown]}"`);
  const ends = new Set(rules.terminal.map(([name, rest]) => name * rules.count + rest));
  const actions = rules.actions.map((action) => ({
    ...action,
    odd: new Map(action.else.map(([bumped, name, rest, ...effect]) =>
      [(bumped * rules.classes.length + name) * rules.count + rest, effect])),
    never: new Set(action.unseen.map(([bumped, name]) => bumped * rules.classes.length + name)),
  }));
  const numbers = new Int32Array(map.cells.length * rules.count).fill(-1);
  const cell = [], rest = [], terminal = [], next = [], reward = [];

  function enter(place, left) {
    const at = place * rules.count + left;
    if (numbers[at] >= 0) return numbers[at];
    if (cell.length >= MOST_STATES) throw new Error(`more than ${MOST_STATES} states`);
    numbers[at] = cell.length;
    cell.push(place);
    rest.push(left);
    terminal.push(ends.has(classOf[place] * rules.count + left));
    return numbers[at];
  }

  function effect(action, place, left) {
    const target = action.direction === null ? place : map.moves[place][action.direction];
    const bumped = action.ahead && target === place ? 1 : 0;
    const kind = bumped * rules.classes.length + classOf[action.ahead ? target : place];
    if (action.never.has(kind)) throw new Error(`nobody knows what "${action.name}" does there`);
    const [moved, after, gained] = action.odd.get(kind * rules.count + left) ?? [1, left, action.reward];
    return [moved ? target : place, after, gained];
  }

  const begun = starts.map(([place, left]) => enter(place, left));
  for (let state = 0; state < cell.length; state += 1) {
    for (const action of actions) {
      const [place, after, gained] = terminal[state] ? [cell[state], rest[state], 0] : effect(action, cell[state], rest[state]);
      next.push(enter(place, after));
      reward.push(gained);
    }
  }
  return {
    count: cell.length, actions: rules.actions.map((action) => action.name),
    next, reward, terminal, cell, rest, starts: begun,
    number: (place, left) => numbers[place * rules.count + left] ?? -1,
  };
}

// A table that was exported as it is. map: of drawnMap.parse.
function givenTable(data) {
  const numbers = new Map(data.cell.map((place, state) => [place + "," + data.rest[state], state]));
  return {
    ...data, count: data.cell.length, next: data.next.flat(), reward: data.reward.flat(),
    number: (place, left) => numbers.get(place + "," + left) ?? -1,
  };
}

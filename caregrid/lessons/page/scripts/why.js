// Values and policy of a moment, and why an agent would do what it would in a cell.
"use strict";

const why = {
  // The table of a world's own map: put together from its rules, or as it was exported; null where there is neither.
  table(world) {
    if (world.solved) return world.solved;
    const map = drawnMap.parse(world.rows, world.features);
    if (world.rules) return solvedWorld(world, world.rows);
    return world.table ? { map, table: givenTable(world.table), others: world.table.others } : null;
  },

  // view: { world, care, segment, step }. All cells in which the agent might stand at this moment, else as it is.
  moment({ solved, plan, segment, step }) {
    const { map, table } = solved, [r, c] = segment.steps[step].cell;
    const rest = why.rest(solved, segment, step);
    if (rest < 0) return null;
    const cells = map.cells.map((cell, number) => ({ cell, state: table.number(number, rest) })).filter(({ state }) => state >= 0);
    return { rest, cells, here: table.number(map.numbers.get(drawnMap.key(r, c)), rest), plan };
  },

  // The rest of the state at a step: followed through the table, action by action.
  rest({ map, table }, segment, step) {
    const [row, column] = segment.steps[0].cell, width = table.actions.length;
    let state = table.starts[0];
    if (map.cells[table.cell[state]].join() !== [row, column].join()) return -1;
    for (let i = 1; i <= step; i += 1) {
      state = table.next[state * width + table.actions.indexOf(segment.steps[i].action)];
      if (state === undefined) return -1;
    }
    return table.rest[state];
  },

  heat({ table }, moment) {
    return moment.cells.filter(({ state }) => !table.terminal[state]).map(({ cell, state }) => ({ cell, value: moment.plan.value[state] }));
  },

  policy({ table }, moment) {
    return moment.cells.filter(({ state }) => !table.terminal[state] && Number.isFinite(moment.plan.value[state]))
      .map(({ cell, state }) => ({ cell, action: table.actions[moment.plan.best(state)] }));
  },

  // The answer for one cell, as elements.
  answer({ table }, moment, cell, words) {
    const found = moment.cells.find((each) => each.cell.join() === cell.join());
    const place = `row ${cell[0]}, column ${cell[1]}${words ? " with " + words : ""}`;
    if (!found) return [element("p", {}, `The agent cannot be in ${place}.`)];
    if (table.terminal[found.state]) return [element("p", {}, `In ${place} it is done.`)];
    const best = moment.plan.best(found.state);
    const rows = table.actions.map((name, action) => ({ name, action, ...moment.plan.actionValue(found.state, action) }))
      .filter(({ total }) => Number.isFinite(total)).sort((one, other) => other.total - one.total || one.action - other.action);
    if (!rows.length) return [element("p", {}, `From ${place} no end can be reached.`)];
    const line = ({ name, own, others, total, action }) => element("tr", action === best ? { class: "best" } : {},
      element("th", { scope: "row" }, name), ...[own, others, total].map((value) => element("td", {}, numberText(value))));
    return [
      element("p", {}, `In ${place} the agent chooses \u201c${table.actions[best]}\u201d: own return to come plus care times what the others get is largest then.`),
      element("table", {}, element("thead", {}, element("tr", {}, ...["action", "own", "others", "own + care \u00d7 others"].map((text) => element("th", { scope: "col" }, text)))),
        element("tbody", {}, rows.map(line))),
    ];
  },
};

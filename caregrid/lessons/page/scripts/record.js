// What one did as recorded behaviour, which `caregrid identify FILE` reads: docs/identify.md has the form.
"use strict";

const recording = {
  // The lines of one world. solved: of why.table. original: the world as it was exported. paths: lists of actions by number.
  lines(world, { map, table }, original, paths, agent) {
    const isOwn = world.rows.join() !== original.rows.join(), width = table.actions.length;
    const { fields, rests } = world.rules ?? world.table;
    const described = (state) => ({ cell: map.cells[table.cell[state]], ...Object.fromEntries(fields.map((name, i) => [name, rests[table.rest[state]].values[i]])) });
    const header = {
      caregrid: "behaviour", version: 1, programme: "caring", scenario: world.scenario, map: isOwn ? world.rows : null, options: world.options, discount: 1,
      fingerprint: isOwn ? null : world.fingerprint, agent, seed: null,
    };
    const lines = paths.filter((actions) => actions.length).flatMap((actions, i) => {
      let state = table.starts[0];
      return actions.map((action, j) => {
        const next = table.next[state * width + action];
        const line = { episode: i + 1, step: j + 1, state: described(state), available: table.actions, action: table.actions[action], next: described(next), ended: Boolean(table.terminal[next]) };
        state = next;
        return line;
      });
    });
    return lines.length ? [header, ...lines].map((line) => JSON.stringify(line) + "\n").join("") : "";
  },

  // Hands a text over as a file.
  save(text, name) {
    element("a", { download: name, href: "data:application/jsonl;charset=utf-8," + encodeURIComponent(text) }).click();
  },
};

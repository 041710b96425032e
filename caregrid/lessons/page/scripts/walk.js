// Walking oneself: steps in the world's table, taken back at will, and at the end compared with every optimum.
"use strict";

const walking = {
  // What some actions lead to: the states, the own return, and at an end what care multiplies and each one's return.
  walked({ table, others }, actions) {
    const states = [table.starts[0]], width = table.actions.length;
    let own = 0;
    for (const action of actions) {
      const step = states[states.length - 1] * width + action;
      own += table.reward[step];
      states.push(table.next[step]);
    }
    const here = states[states.length - 1], over = table.terminal[here];
    return { states, here, over, own, auxiliary: over ? table.ends[here] : null, others: Object.entries(others).map(([name, values]) => ({ name, value: over ? values[here] : null })) };
  },

  // The least and largest care at which a path is optimal, or null: its line nowhere lies above the optimum.
  optimalCares(segments, { own, auxiliary }) {
    const at = ([constant, slope], care) => (care ? constant + care * slope : constant);
    const near = (one, other) => Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
    const touched = segments.filter(({ from, line }) => near(at(line, from ?? 0), at([own, auxiliary], from ?? 0))).map(({ from }) => from ?? 0);
    const last = segments[segments.length - 1];
    if (touched.includes(last.from ?? 0) && near(last.line[1], auxiliary)) touched.push(Infinity);
    return touched.length ? [Math.min(...touched), Math.max(...touched)] : null;
  },

  interval(cares) {
    if (!cares) return "at no care from 0 on";
    const [low, high] = cares;
    if (high === Infinity) return `at care ${numberText(low)} and above`;
    return low === high ? `at care ${numberText(low)} alone, where several paths are` : `at care ${numberText(low)} to ${numberText(high)}`;
  },

  // The move to a neighbouring cell, or -1.
  towards({ map, table }, here, cell) {
    const width = table.actions.length;
    return table.actions.findIndex((_, action) => table.next[here * width + action] !== here && caring.moves.has(table.actions[action])
      && map.cells[table.cell[table.next[here * width + action]]].join() === cell.join());
  },
};

// stage: { world, original, table, care }, functions of the present; ended: told of each end; title, words, result: in place
// of those of a walk beside the optima; moved: told of each step. Returns { node, redraw, open }.
function walkMode(stage) {
  let world = null, actions = [], said = "";
  const place = element("div", { class: "board-place" }), keys = element("div", { class: "row moves" }), ending = element("div", { class: "ending" });
  const says = element("p", { class: "walk-says", role: "status" });
  const undo = element("button", { type: "button", class: "undo", onclick: takeBack }, "Undo (u)");
  const again = element("button", { type: "button", class: "reset", onclick: () => { [actions, said] = [[], ""]; draw(); } }, "Begin again");
  const kept = element("button", { type: "button", class: "save-behaviour", onclick: () => recording.save(recording.lines(world, stage.table(), stage.original(), [actions], "player"), `${world.scenario}.jsonl`) }, "Save what I did");
  const node = element("details", { class: "walk", ontoggle: () => redraw() }, element("summary", {}, stage.title ?? "Walk yourself"),
    stage.words ?? element("p", {}, "You are the acting agent: what counts is your own return plus care times what the others get. Click or touch a neighbouring cell, use arrow keys on the map, or the buttons."), says, place, keys, element("div", { class: "row" }, undo, again, stage.result ? [] : kept), ending);

  function takeBack() {
    if (!actions.length) return;
    actions.pop();
    said = "The last step is taken back.";
    draw();
  }

  function take(action) {
    const solved = stage.table(), { here, over } = walking.walked(solved, actions);
    if (over || action < 0) return;
    actions.push(action);
    const stays = solved.table.next[here * solved.table.actions.length + action] === here;
    said = `${solved.table.actions[action]}${stays ? ": no effect" : ""}.`;
    draw();
  }

  function draw() {
    const solved = stage.table(), { table } = solved, got = walking.walked(solved, actions);
    const steps = got.states.map((state, i) => describedStep(world, solved, state, i ? table.actions[actions[i - 1]] : ""));
    const drawn = board.draw({ world, segment: { steps, newcomers: [] }, before: null, step: steps.length - 1, keys: "Arrow keys walk, u takes a step back." });
    const focused = place.contains(document.activeElement);
    drawn.addEventListener("click", (event) => {
      const cell = board.cellAt(drawn, event, world.rows);
      if (cell) take(walking.towards(solved, got.here, cell));
    });
    drawn.addEventListener("keydown", (event) => {
      const action = event.key.startsWith("Arrow") ? table.actions.indexOf(event.key.slice(5).toLowerCase()) : -1;
      if (action < 0 && event.key !== "u") return;
      event.preventDefault();
      if (action < 0) takeBack();
      else take(action);
    });
    place.replaceChildren(drawn);
    if (focused) drawn.focus();
    const held = keys.contains(document.activeElement) ? [...keys.children].indexOf(document.activeElement) : -1;
    keys.replaceChildren(...table.actions.map((name, action) => element("button", { type: "button", class: "take", disabled: got.over, onclick: () => take(action) }, ARROWS[name] ? `${ARROWS[name]} ${name}` : name)));
    if (held >= 0) keys.children[held].focus();
    undo.disabled = again.disabled = kept.disabled = !actions.length;
    const words = steps[steps.length - 1].state;
    says.textContent = `${said} Step ${actions.length}: own return ${numberText(got.own)}${words ? ", " + words : ""}.${got.over ? " You are done." : ""}`.trim();
    stage.moved?.(actions, got, steps);
    ending.replaceChildren(...(got.over ? (stage.result ?? result)(got) : []));
    Object.assign(node.dataset, { steps: actions.length, own: got.own, over: got.over });
    if (got.over) stage.ended?.(got, actions.map((action) => table.actions[action]));
  }

  function result(got) {
    const care = stage.care(), cares = walking.optimalCares(world.segments, got), now = world.segments[axis.index(world, care)];
    const value = (own, auxiliary) => (care ? own + care * auxiliary : own), names = got.others.map(({ name }) => name);
    const row = (title, own, others, augmented, kind) => element("tr", { class: kind }, element("th", { scope: "row" }, title), ...[own, ...others, augmented].map((number) => element("td", {}, numberText(number))));
    const end = ({ to }) => (to === null ? "on" : `to ${numberText(to)}`);
    const alike = (segment) => Math.abs(segment.own - got.own) < 1e-9 && got.others.every(({ name, value: mine }) => Math.abs(segment.others[name] - mine) < 1e-9);
    node.dataset.optimal = JSON.stringify(cares && cares.map((each) => (each === Infinity ? "inf" : each)));
    node.dataset.others = JSON.stringify(Object.fromEntries(got.others.map(({ name, value: mine }) => [name, mine])));
    const said = identifying.described(identifying.choices(stage.table().table, [actions]));
    return [element("h3", {}, "The end"), element("p", { class: "optimal" }, `Your path is optimal ${walking.interval(cares)}.`),
      element("p", { class: "played-like" }, said.map(([title, words]) => `${title} ${words}.`).join(" ")),
      element("div", { class: "ends", tabindex: 0, role: "group", "aria-label": "your returns beside the optima, scrolls sideways" }, element("table", {},
        element("thead", {}, element("tr", {}, ["optimum at", "own", ...names, `own + ${numberText(care)} \u00d7 others`].map((text) => element("th", { scope: "col" }, text)))),
        element("tbody", {}, row("you", got.own, got.others.map(({ value: mine }) => mine), value(got.own, got.auxiliary), "you"),
          world.segments.map((segment) => row(`care ${numberText(segment.from ?? 0)} ${end(segment)}${alike(segment) ? ", like yours" : ""}`,
            segment.own, names.map((name) => segment.others[name]), value(...segment.line), segment === now ? "best" : "")))))];
  }

  // Somebody else's path, action by action, as far as it is one of this world.
  function walkAlong(names) {
    node.open = true;
    redraw();
    const solved = stage.table();
    for (const name of names) {
      const action = solved ? solved.table.actions.indexOf(name) : -1;
      if (action < 0 || walking.walked(solved, actions).over) break;
      actions.push(action);
    }
    if (solved) draw();
  }

  function redraw() {
    if (!node.open) return;
    if (world !== stage.world()) [world, actions, said] = [stage.world(), [], ""];
    if (stage.table()) draw();
    else says.textContent = `This page does not hold the steps of this world. Play it: caregrid play ${world.scenario}.`;
  }

  return { node, redraw, open: walkAlong };
}

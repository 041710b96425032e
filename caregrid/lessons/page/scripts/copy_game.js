// Playing against one's own copy: it does what it has most often been shown for an observation, of several the latest.
"use strict";

const copies = {
  // shown: observation -> Map of action -> times, the latest last. The action of a copy that has been shown nothing is 0.
  act(shown, observation) {
    let chosen = 0, most = 0;
    for (const [action, times] of shown[observation] ?? []) if (times >= most) [chosen, most] = [action, times];
    return chosen;
  },

  learn(shown, observation, action) {
    const counts = shown[observation] ??= new Map(), times = (counts.get(action) ?? 0) + 1;
    counts.delete(action);
    counts.set(action, times);
  },

  // Every turn of some moves: [{ sees, does, copy, reward }], and the copy after them.
  played(world, moves) {
    const shown = {};
    const turns = moves.map((does, turn) => {
      const sees = world.sees[turn], copy = copies.act(shown, world.asks[turn]);
      copies.learn(shown, sees, does);
      return { sees, does, copy, reward: world.reward[sees][does][copy] };
    });
    return { turns, shown };
  },
};

// world: as exported. change: called with the total and the moves. Returns { node, redraw, visit }.
function copyGame(world, change) {
  const moves = [], count = world.sees.length;
  const says = element("p", { class: "game-says", role: "status" }), copy = element("p", { class: "copy-says" });
  const table = element("div"), place = element("div"), ending = element("div", { class: "ending" });
  const buttons = world.actions.map((name, action) => element("button", { type: "button", class: "move", onclick: () => take(action) }, `${name} (${action + 1})`));
  const undo = element("button", { type: "button", class: "undo", onclick: () => { moves.pop(); draw("The last turn is taken back."); } }, "Undo (u)");
  const again = element("button", { type: "button", class: "reset", onclick: () => { moves.length = 0; draw(""); } }, "Begin again");
  const signed = (reward) => (reward > 0 ? "+" : "") + numberText(reward);

  function take(action) {
    if (moves.length === count) return;
    moves.push(action);
    const { turns } = copies.played(world, moves), last = turns[turns.length - 1];
    draw(`You ${world.actions[last.does]}; your copy would have done: ${world.actions[last.copy]}. Reward ${signed(last.reward)}.`);
  }

  function draw(said) {
    const { turns, shown } = copies.played(world, moves), turn = moves.length, over = turn === count;
    says.textContent = `${said} ${over ? "The game is over." : `Turn ${turn + 1} of ${count}: you see ${world.observations[world.sees[turn]]}.`}`.trim();
    copy.textContent = over ? "" : `Your copy would now: ${world.actions[copies.act(shown, world.asks[turn])]}. ${taught(shown)}`;
    for (const button of buttons) button.disabled = over;
    undo.disabled = again.disabled = !turn;
    strips.replace(table, turn ? strips.draw(rows(turns), null, turn - 1, "your turns") : element("div"));
    place.replaceChildren(...(turn ? [totals(turns)] : []));
    ending.replaceChildren(...(over ? [result(turns)] : []));
    const total = turns.reduce((sum, { reward }) => sum + reward, 0);
    Object.assign(node.dataset, { turns: turn, total });
    change(total, moves);
  }

  function taught(shown) {
    const seen = Object.entries(shown).map(([observation, counts]) => `at ${world.observations[observation]} ${[...counts].map(([action, times]) => `${world.actions[action]} \u00d7${times}`).join(", ")}`);
    return seen.length ? `It was shown ${seen.join("; ")}.` : "It has been shown nothing yet.";
  }

  function rows(turns) {
    const row = (name, tick) => ({ name, ticks: turns.map(tick) });
    return [row("you see", ({ sees }) => [world.observations[sees], "plain"]), row("you do", ({ does }) => [world.actions[does], `path ${does}`]),
      row("copy would", (turn) => [world.actions[turn.copy], `path ${turn.copy}`]), row("reward", ({ reward }) => [signed(reward), reward > 0 ? "gain" : reward < 0 ? "loss" : "plain"])];
  }

  function totals(turns) {
    let total = 0;
    const points = turns.map(({ reward }, i) => [i + 1, total += reward]);
    return chart.draw({ lines: [{ name: "your reward so far", points, now: total }], low: 1, high: count, breaks: [], at: turns.length, label: "your reward so far", unit: "turn", width: Math.max(300, place.clientWidth || 600) });
  }

  function result(turns) {
    const mean = turns.reduce((sum, { reward }) => sum + reward, 0) / count;
    const listed = [["you", mean], ...Object.entries(world.agents)].sort((one, other) => other[1] - one[1]);
    return element("div", {}, element("h3", {}, "The end: reward per turn"), element("table", {}, element("tbody", {}, listed.map(([name, value]) =>
      element("tr", name === "you" ? { class: "you" } : {}, element("th", { scope: "row" }, name), element("td", {}, numberText(value)))))));
  }

  const node = element("div", {
    class: "copy-game", onkeydown: (event) => {
      const action = Number(event.key) - 1;
      if (event.key === "u" && moves.length) undo.click();
      else if (action in world.actions && event.target.tagName !== "SELECT") take(action);
    },
  }, element("p", { class: "legend" }, world.about), says, copy, element("div", { class: "row" }, buttons, undo, again), table, place, ending);
  draw("");
  // Somebody else's turns, as far as they are some.
  function visit({ moves: said = [] }) {
    moves.splice(0, moves.length, ...said.slice(0, count).filter((move) => move in world.actions));
    draw("");
  }

  return { node, redraw: () => draw(""), visit };
}

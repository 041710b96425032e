// How much somebody cares, from short games: a posterior that narrows with every move, and those of a whole class.
"use strict";

const TICKS = [-5, -1, -0.3, 0, 0.3, 1, 5], BINS = 90;

const gaming = {
  // The games as live worlds: rules are written once for all worlds of a scenario.
  worlds: ({ games, rules }) => games.map((game) => ({ ...game, rules: rules[game.scenario] })),

  // The choices of some paths: for each world a list of actions by number, or undefined.
  choices: (worlds, solved, paths) => worlds.flatMap((_, i) => (paths[i]?.length ? identifying.choices(solved(i).table, [paths[i]]) : [])),

  // { low, median, high, share, bins, isRandom } of some choices; share: of the line of arctan care, between low and high.
  summary(choices) {
    const posterior = identifying.posterior(choices), [low, median, high] = [0.05, 0.5, 0.95].map((level) => identifying.quantile(posterior, level));
    const bins = new Array(BINS).fill(0), place = (u) => (u / Math.PI + 0.5) * BINS;
    for (const { begin, end, mass } of posterior.nodes) {
      for (let n = Math.floor(place(begin)); n < Math.min(BINS, place(end)); n += 1) {
        const part = Math.min(n + 1, place(end)) - Math.max(n, place(begin));
        if (part > 0) bins[n] += mass * part / (place(end) - place(begin));
      }
    }
    return { low, median, high, bins, share: (Math.atan(high) - Math.atan(low)) / Math.PI, isRandom: posterior.logRandom > posterior.logEvidence };
  },

  inWords: ({ low, median, high }) => `care ${identifying.write(median)}, between ${identifying.write(low)} and ${identifying.write(high)} with a probability of 90 percent`,

  // Bars over the line of arctan care; an interval in a stronger colour, dots above.
  draw({ bins, low = -Infinity, high = Infinity, dots = [], label }) {
    const width = 600, height = 190, bottom = 40, x = (care) => (Math.atan(care) / Math.PI + 0.5) * width, most = Math.max(...bins, 3 / BINS);
    const bars = bins.map((share, n) => {
      const middle = Math.tan(((n + 0.5) / BINS - 0.5) * Math.PI), size = share / most * (height - bottom - 24);
      return svg("rect", { class: middle >= low && middle <= high ? "inside" : "outside", x: n * width / BINS + 0.5, width: width / BINS - 1, y: height - bottom - size, height: size });
    });
    return svg("svg", { class: "posterior", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, bars,
      svg("line", { class: "axis", x1: 0, x2: width, y1: height - bottom, y2: height - bottom }),
      TICKS.flatMap((care) => [svg("line", { class: "axis", x1: x(care), x2: x(care), y1: height - bottom, y2: height - bottom + 6 }), svg("text", { x: x(care), y: height - bottom + 21, "text-anchor": "middle" }, numberText(care))]),
      dots.map((care) => svg("circle", { cx: x(care), cy: 10, r: 5, class: "dot" })),
      svg("text", { x: width / 2, y: height - 3, "text-anchor": "middle" }, "care: own return + care \u00d7 what the others can expect"));
  },

  // What a file of behaviour says: { agent, paths }; an Error with the reason, or where no game of these is in it.
  read(text, worlds, solved) {
    const paths = [];
    let agent = "", game = null, state = 0;
    text.split("\n").forEach((line, i) => {
      if (!line.trim()) return;
      const refuse = (reason) => { throw new Error(`line ${i + 1}: ${reason}`); };
      let said = null;
      try { said = JSON.parse(line); } catch { refuse("it is not JSON"); }
      if (said === null || typeof said !== "object") refuse("it is not an object");
      if (said.caregrid === "behaviour") {
        const at = worlds.findIndex(({ fingerprint }) => fingerprint === said.fingerprint);
        game = at < 0 ? null : { at, ...solved(at) };
        agent = String(said.agent ?? "").slice(0, 60);
        return;
      }
      if (!game || said.episode !== 1) return; // another world, or a second go
      const { at, map, table } = game, action = table.actions.indexOf(said.action);
      if (said.step === 1) [paths[at], state] = [[], table.starts[0]];
      if (action < 0 || !paths[at] || said.step !== paths[at].length + 1 || table.terminal[state] || String(said.state?.cell) !== String(map.cells[table.cell[state]])) refuse("it does not fit its world");
      paths[at].push(action);
      state = table.next[state * table.actions.length + action];
    });
    if (!paths.some((path) => path)) throw new Error("no game of this lesson is in it");
    return { agent, paths };
  },
};

// data: as exported. change: called with the share of the line of care that all games together leave open, null before the
// last is played, and with the moves of each game that is over, "" of others. Returns { node, redraw, visit }.
function careGames(data, change) {
  const worlds = gaming.worlds(data), paths = [], done = new Set(), known = new Map(), files = [];
  let at = 0, spent = 0;
  const solved = (i) => { if (!known.has(i)) known.set(i, why.table(worlds[i])); return known.get(i); };
  const legend = element("p", { class: "legend" }), says = element("p", { class: "game-says", role: "status" }), about = element("p", { class: "about" }), place = element("div", { class: "posterior-place" });
  const next = element("button", { type: "button", class: "next-game", onclick: () => go(at + 1) }, "Next game"), last = element("button", { type: "button", class: "plain last-game", onclick: () => go(at - 1) }, "Game before");
  const name = element("input", { type: "text", class: "player", maxlength: 60, value: "player" });
  const kept = element("button", { type: "button", class: "save-games", onclick: () => recording.save(saved(), `${name.value.replace(/\W+/g, "-") || "player"}.jsonl`) }, "Save my games");
  const given = element("input", { type: "file", multiple: true, accept: ".jsonl", class: "class-files", onchange: () => open([...given.files]) });
  const ofClass = element("div", { class: "of-class" }), refused = element("p", { class: "refused", role: "status" });
  const walk = walkMode({ world: () => worlds[at], original: () => worlds[at], table: () => solved(at), care: () => 0, title: "Play", words: [], result, moved });

  function moved(actions, { over }, steps) {
    legend.replaceChildren(...board.legend(worlds[at], steps));
    if (!actions.length && !done.has(at)) paths[at] = undefined;
    else if (actions.length && !(done.has(at) && !over)) {
      paths[at] = [...actions];
      if (over) done.add(at);
    }
    if (over || spent < 200) look(); // every move, as long as nobody has to wait for it
  }

  function look() {
    const begun = performance.now(), choices = gaming.choices(worlds, solved, paths);
    let share = null;
    if (!choices.length) {
      says.textContent = "Play as you like: own return is yours, the rest is for those who come next. The page says how much you seem to care.";
      place.replaceChildren(gaming.draw({ bins: new Array(BINS).fill(1 / BINS), label: "nothing is known yet: every care is as likely" }));
    } else {
      const found = gaming.summary(choices), games = `${done.size} of ${worlds.length} games played`;
      says.textContent = `${games}. You play like ${gaming.inWords(found)}. That is ${Math.round(100 * found.share)} percent of the line.${found.isRandom ? " Moves at random would explain this better than any care." : ""}`;
      place.replaceChildren(gaming.draw({ ...found, label: `${games}; ${gaming.inWords(found)}` }));
      Object.assign(node.dataset, { low: found.low, median: found.median, high: found.high, share: found.share });
      share = done.size === worlds.length ? found.share : null;
    }
    spent = performance.now() - begun;
    node.dataset.games = done.size;
    kept.disabled = !choices.length;
    change(share, worlds.map((_, i) => (done.has(i) ? paths[i].join(".") : "")));
  }

  function result(got) {
    const words = identifying.words(identifying.choices(solved(at).table, paths[at] ? [paths[at]] : []));
    const others = got.others.map((each) => `${each.name} ${numberText(each.value)}`).join(", ");
    return [element("p", {}, `Your return ${numberText(got.own)}; those who may come next can expect: ${others}. In this game you played like ${words}.`)];
  }

  const saved = () => worlds.map((world, i) => (paths[i]?.length ? recording.lines(world, solved(i), world, [paths[i]], name.value || "player") : "")).join("");

  async function open(chosen) {
    const reasons = [];
    for (const file of chosen) {
      try {
        if (file.size > 1e6) throw new Error("it is too large");
        const { agent, paths: theirs } = gaming.read(await file.text(), worlds, solved);
        files.push({ agent: agent || file.name, ...gaming.summary(gaming.choices(worlds, solved, theirs)) });
      } catch (error) {
        reasons.push(`${file.name} is left out: ${error.message}.`);
      }
    }
    given.value = "";
    refused.textContent = reasons.join(" ");
    if (!files.length) return;
    const bins = files[0].bins.map((_, n) => files.reduce((sum, each) => sum + each.bins[n], 0) / files.length);
    ofClass.replaceChildren(gaming.draw({ bins, dots: files.map(({ median }) => median), label: `${files.length} files: where each one's care may lie` }),
      element("p", { class: "legend" }, "Bars: the mean of all posteriors. Dots: the median of each."),
      element("ol", {}, files.map((each) => element("li", {}, `${each.agent}: ${gaming.inWords(each)}`))));
    node.dataset.files = files.length;
  }

  function go(number) {
    at = Math.max(0, Math.min(worlds.length - 1, number));
    about.textContent = `Game ${at + 1} of ${worlds.length}, ${worlds[at].scenario.replace(/_/g, " ")}. ${data.about[worlds[at].scenario]}`;
    [last.disabled, next.disabled] = [at === 0, at === worlds.length - 1];
    walk.redraw();
  }

  // Somebody else's games, those that come to an end.
  function visit({ games = [] }) {
    paths.length = 0;
    done.clear();
    games.slice(0, worlds.length).forEach((actions, i) => {
      const { table } = solved(i);
      let state = table.starts[0];
      for (const action of actions) state = state === undefined || table.terminal[state] || !(action in table.actions) ? undefined : table.next[state * table.actions.length + action];
      if (!table.terminal[state]) return;
      paths[i] = actions;
      done.add(i);
    });
    go(Math.max(0, worlds.findIndex((_, i) => !done.has(i))));
    look();
  }

  const node = element("div", { class: "games" }, about, element("div", { class: "columns" },
    element("div", { class: "left" }, walk.node, legend, element("div", { class: "row" }, last, next)),
    element("div", { class: "right" }, element("h3", {}, "How much do you care?"), place, says,
      element("div", { class: "row" }, element("label", {}, "name ", name), kept),
      element("h3", {}, "The class"), element("label", { class: "open-class" }, "open saved files ", given), refused, ofClass)));
  walk.node.open = true;
  go(0);
  look();
  return { node, redraw: () => walk.redraw(), visit };
}

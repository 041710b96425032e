// An answer at every value of a quantity: number line, what is done turn by turn, the way on a map, what changed, numbers.
"use strict";

const SAMPLES = 48, ZERO = 1e-7;

const sweeps = {
  // A number of a segment: a polynomial of the quantity, its constant first.
  number(coefficients, value) {
    const sum = coefficients.reduceRight((total, each) => total * value + each, 0);
    return Math.abs(sum) < ZERO ? 0 : sum;
  },

  numbers: (segment, value) => Object.entries(segment.numbers).map(([name, polynomial]) => ({ name, now: sweeps.number(polynomial, value) })),

  spoken(world, value) {
    const number = axis.index(world, value);
    return `${world.quantity} ${numberText(value)}, behaviour ${number + 1} of ${world.segments.length}: ${chart.spoken(sweeps.numbers(world.segments[number], value))}`;
  },

  // Each number over the whole line, segment by segment.
  lines(world, value) {
    const sampled = ({ from, to }, polynomial) => Array.from({ length: polynomial.length > 2 ? SAMPLES + 1 : 2 }, (_, i, count = polynomial.length > 2 ? SAMPLES : 1) => {
      const at = from + (to - from) * i / count;
      return [at, sweeps.number(polynomial, at)];
    });
    return sweeps.numbers(world.segments[axis.index(world, value)], value)
      .map(({ name, now }) => ({ name, now, points: world.segments.flatMap((segment) => sampled(segment, segment.numbers[name])) }));
  },

  // The running totals after each turn of a segment.
  series(segment, turn) {
    return Object.entries(segment.series).map(([name, totals]) => ({ name, now: totals[turn], points: totals.map((total, i) => [i + 1, total]) }));
  },

  // A polynomial in words: "3 + 2 × probability"; with a value, put in for the quantity: "3 + 2 × 0.6".
  formula(polynomial, quantity) {
    const power = (i) => (i === 1 ? quantity : `${quantity}${"\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[i] ?? "^" + i}`);
    const term = (size, i) => (i && Math.abs(size - 1) < ZERO ? power(i) : i ? `${numberText(size)} \u00d7 ${power(i)}` : numberText(size));
    const terms = polynomial.map((each, i) => [each, i]).filter(([each]) => Math.abs(each) > ZERO);
    return terms.map(([each, i], at) => `${each < 0 ? (at ? " \u2212 " : "\u2212") : at ? " + " : ""}${term(Math.abs(each), i)}`).join("") || "0";
  },

  // Why the last break point is where it is: the numbers whose two formulas meet there.
  equalities(world, number) {
    const now = world.segments[number], before = world.segments[number - 1];
    if (!before) return [];
    return Object.entries(now.numbers).map(([name, after]) => ({ name, before: before.numbers[name], after }))
      .filter((each) => each.before && sweeps.formula(each.before, "q") !== sweeps.formula(each.after, "q") && each.before.length <= 3 && each.after.length <= 3
        && Math.abs(sweeps.number(each.before, now.from) - sweeps.number(each.after, now.from)) < 1e-6)
      .map((each) => `${each.name}: ${sweeps.formula(each.before, world.quantity)} before, ${sweeps.formula(each.after, world.quantity)} now; both are ${numberText(sweeps.number(each.after, now.from))} at ${numberText(now.from)}.`);
  },

  // What is said of one side of a break point and not of the other.
  words(side, does, otherwise) {
    const other = new Set(otherwise.split("; ")), said = does.split("; ").filter((part) => !other.has(part));
    return said.length ? [element("p", { class: "does " + side }, element("strong", {}, side), " ", said.join("; "))] : [];
  },

  changed(world, number, value) {
    const now = world.segments[number], before = world.segments[number - 1];
    if (!before) {
      const words = world.segments.length > 1 ? "Move to the next break point to see what changes there." : "There is no break point: the same is done at every value.";
      return element("div", { class: "changed" }, element("h3", {}, "What changed"), element("p", { class: "does" }, `${now.does}. ${words}`));
    }
    const turns = strips.changes(now.strips, before.strips).map(({ name, count }) => `${name}: ${count} ${count === 1 ? "turn" : "turns"}`).join("; ");
    const worth = (segment, name) => sweeps.number(segment.numbers[name], value);
    const others = Object.keys(now.numbers).map((name) => ({ name, before: worth(before, name), after: worth(now, name) }))
      .filter((each) => Math.abs(each.after - each.before) > ZERO);
    const compared = others.length ? `${world.measure} at ${world.quantity} ${numberText(value)}, of what was done before the break point and of what is done now:`
      : `At ${world.quantity} ${numberText(value)} every ${world.measure} is the same with both.`;
    return element("div", { class: "changed" }, element("h3", {}, `What changed at ${world.quantity} ${numberText(now.from)}`),
      sweeps.words("before", before.does, now.does), sweeps.words("after", now.does, before.does),
      turns ? element("p", {}, `Other than before, in dashed frames: ${turns}.`) : [],
      element("p", {}, compared), changed.pairs(others));
  },
};

// Returns { node, redraw }. change: called with the segment's number and the value after each change.
function sweepStage(world, change) {
  const state = { value: axis.low(world), turn: Infinity, way: Object.keys(world.segments[0].ways)[0] ?? "" };
  const places = Object.fromEntries(["board-place", "strip-place", "price-place", "change-place", "number-place", "series-place"].map((name) => [name, element("div", { class: name })]));
  const summary = element("p", { class: "summary", "aria-live": "polite" });
  const line = numberLine((value) => show({ value }), sweeps.spoken);
  const timeline = element("input", { type: "range", min: 1, step: 1, class: "timeline", "aria-label": "turn", oninput: () => show({ turn: Number(timeline.value) - 1 }) });
  const ways = Object.keys(world.segments[0].ways);
  const chooser = element("label", {}, "way of ", element("select", { class: "way", onchange: (event) => show({ way: event.target.value }) }, ways.map((name) => element("option", { value: name }, name))));
  const moment = element("output", { class: "moment" });

  const moved = (value, count) => axis.chosen(world, Math.max(0, Math.min(1, axis.scale(world).toShare(value) + 0.01 * count)), 0.004);

  function show(next) {
    Object.assign(state, next);
    draw();
  }

  function draw() {
    const number = axis.index(world, state.value), now = world.segments[number], before = number ? world.segments[number - 1] : null;
    const turns = Math.max(...now.strips.map(({ ticks }) => ticks.length)), turn = Math.min(state.turn, turns - 1);
    line.show(world, state.value);
    replaceSentence(summary, [`${world.quantity} `, draggable(world.quantity, state.value, (value) => show({ value }), moved), `: ${now.does}. Behaviour ${number + 1} of ${world.segments.length}.`]);
    places["price-place"].replaceChildren(...sweeps.equalities(world, number).map((words) => element("p", { class: "legend" }, words)));
    [timeline.max, timeline.value] = [turns, turn + 1];
    timeline.setAttribute("aria-valuetext", `turn ${turn + 1} of ${turns}`);
    moment.textContent = `${turn + 1} of ${turns}`;
    strips.replace(places["strip-place"], strips.draw(now.strips, before && before.strips, turn, "turn by turn"));
    places["board-place"].replaceChildren(...way(now, before, turn));
    places["change-place"].replaceChildren(sweeps.changed(world, number, state.value));
    const width = Math.max(300, places["number-place"].clientWidth || 600);
    places["number-place"].replaceChildren(chart.draw({ lines: sweeps.lines(world, state.value), low: world.low, high: world.high, breaks: axis.points(world), at: state.value, label: `${world.measure} against ${world.quantity}`, unit: world.quantity, width }));
    places["series-place"].replaceChildren(...series(now, turn, turns, width));
    change(number, state.value);
  }

  function way(now, before, turn) {
    if (!state.way) return [];
    const steps = now.ways[state.way], drawn = board.draw({
      world, segment: { steps, newcomers: [] }, before: before ? { steps: before.ways[state.way] } : null, step: Math.min(turn, steps.length - 1), still: true,
    });
    return [chooser, drawn, element("p", { class: "legend of-board" }, board.legend(world, steps))];
  }

  function series(now, turn, turns, width) {
    const lines = sweeps.series(now, turn);
    if (!lines.length) return [];
    return [element("h3", {}, "Reward so far, turn by turn"), chart.draw({ lines, low: 1, high: turns, breaks: [], at: turn + 1, label: "reward so far", unit: "turn", width })];
  }

  let looked = state.turn; // on paper the map is as the agent finds it
  addEventListener("beforeprint", () => { looked = state.turn; show({ turn: 0 }); });
  addEventListener("afterprint", () => show({ turn: looked }));
  const node = element("div", { class: "sweep" }, line.node, summary, places["price-place"], element("div", { class: "columns" },
    element("div", { class: "left" }, places["board-place"], places["strip-place"], element("p", { class: "legend" }, world.legend),
      element("div", { class: "row" }, element("label", { class: "time" }, "turn ", timeline), moment), places["series-place"]),
    element("div", { class: "right" }, places["change-place"], element("h3", {}, `${world.measure} at every ${world.quantity}`), places["number-place"])));
  return { node, redraw: () => { line.redraw(); draw(); }, visit: ({ value }) => value >= world.low && value <= world.high && show({ value }) };
}

// A lesson's sweeps and games: one of them at a time.
function sweepLesson(section, worlds) {
  const place = element("div"), made = new Map(), link = element("a", { class: "permalink" }, "Link to what you see");
  const select = element("select", { class: "world", onchange: () => open(Number(select.value)) }, worlds.map(({ label }, i) => element("option", { value: i }, label)));

  // What one sees has an address, and a challenge may ask for it.
  function tell(number, said, state) {
    link.href = address.write(section.id, { ...(number ? { world: number } : {}), ...state });
    section.dispatchEvent(new CustomEvent("made", { detail: { number, ...said, link: link.getAttribute("href") } }));
  }

  function make(number) {
    const { world } = worlds[number];
    if (world.format.startsWith("caregrid copy game")) return copyGame(world, (total, moves) => tell(number, moves.length === world.sees.length ? { total } : {}, { moves: moves.join(".") }));
    if (world.format.startsWith("caregrid care games")) return careGames(world, (share, games) => tell(number, share === null ? {} : { share }, games.some((game) => game) ? { games: games.join("_") } : {}));
    return sweepStage(world, (segment, value) => {
      Object.assign(section.dataset, { segment, value });
      tell(number, { value, world }, { value });
    });
  }

  function open(number) {
    if (!made.has(number)) made.set(number, make(number));
    select.value = number;
    place.replaceChildren(made.get(number).node);
    made.get(number).redraw();
  }

  function visit({ world: number = 0, ...said }) {
    if (!worlds[number]) return;
    open(number);
    made.get(number).visit(said);
  }

  section.querySelector(".live").replaceChildren(element("label", { class: "chosen-world" }, "show ", select), place, element("p", {}, link));
  open(0);
  const wanted = () => address.read(section.id);
  if (wanted()) visit(wanted());
  addEventListener("hashchange", () => wanted() && visit(wanted()));
  addEventListener("resize", () => made.get(Number(select.value)).redraw());
}

// The live part of a lesson: slider, board, what changed, curves, values and why; one state, drawn anew on each change.
"use strict";

function liveStage(section, worlds) {
  const state = { chosen: 0, care: 0, step: 0, overlay: "none", before: true, newcomers: false, cursor: null, asked: false, numbers: { own: 1, weight: 1 }, favour: null };
  const link = element("a", { class: "permalink" }, "Link to what you see");
  const originals = worlds.map(({ world }) => world), current = [...originals], solved = new Map();
  const world = () => current[state.chosen];
  const segment = () => world().segments[axis.index(world(), state.care)];
  const boardPlace = element("div", { class: "board-place" }), actionList = element("ol", { class: "action-list" }), legendPlace = element("div", { class: "legend" }), curvePlace = element("div"), changePlace = element("div"), pricePlace = element("div", { class: "price-place" });
  const summary = element("p", { class: "summary", "aria-live": "polite" }), answer = element("div", { class: "why", "aria-live": "polite" });
  // With numbers dragged in the sentence break points lie elsewhere; what is shown then is the world at care / factor.
  const factor = () => state.numbers.own / state.numbers.weight, scaled = () => price.scaled(world(), state.numbers);
  const line = numberLine((care) => show({ care: care / factor(), step: Infinity, favour: null }), caring.spoken);
  const timeline = element("input", { type: "range", min: 0, step: 1, class: "timeline", "aria-label": "step", oninput: () => show({ step: Number(timeline.value) }) });
  const moment = element("output", { class: "moment" });
  const chooser = choice("show", [["none", "path alone"], ["heat", "values"], ["policy", "policy"]], (overlay) => show({ overlay }));
  const walk = walkMode({ world, original: () => originals[state.chosen], table, care: () => state.care, ended: (got, actions) => section.dispatchEvent(new CustomEvent("made", { detail: { number: state.chosen, walk: { cares: walking.optimalCares(world().segments, got) }, link: address.write(section.id, { ...(state.chosen ? { world: state.chosen } : {}), ...mapNow(), walk: actions.join(".") }) } })) });
  const editor = mapEditor({ world, original: () => originals[state.chosen], replace, place: boardPlace });

  function choice(label, options, change) {
    const select = element("select", { class: label, onchange: () => change(select.value) }, options.map(([value, text]) => element("option", { value }, text)));
    return element("label", {}, label + " ", select);
  }

  function tick(label, name) {
    const box = element("input", { type: "checkbox", class: name, checked: state[name], onchange: () => show({ [name]: box.checked }) });
    return element("label", {}, box, " " + label);
  }

  // What an address says is shown as far as it can be: another world, another map, a care on the line.
  function visit({ care, world: wanted, map, walk: actions }) {
    if (originals[wanted]) choose(wanted);
    if (map) editor.open(map);
    if (care >= 0) show({ care: Math.min(care, axis.scale(world()).last), step: Infinity });
    if (actions) walk.open(actions);
  }

  // Maps that were drawn before are there again.
  let isBack = false;
  function bringBack() {
    originals.forEach((original, number) => {
      const rows = work.all().maps[`${section.id} ${number}`];
      if (!rows || !original.rules) return;
      choose(number);
      editor.open(rows, false);
    });
    if (originals.length > 1 && state.chosen) choose(0);
    isBack = true;
  }

  // A number in the sentence has changed: the favour that is spoken of and the care that is shown stay, so that another
  // behaviour may come with it.
  function adjust({ care, numbers }) {
    const shown = state.care * factor();
    state.favour ??= axis.index(world(), state.care);
    if (numbers) state.numbers = numbers;
    const wanted = Math.min(care ?? shown, axis.scale(scaled()).last);
    show({ care: wanted / factor(), step: Infinity });
  }

  const movedCare = (care, count) => axis.chosen(scaled(), axis.scale(scaled()).toShare(care) + 0.01 * count, 0.004);

  function choose(chosen) {
    [state.numbers, state.favour] = [{ own: 1, weight: 1 }, null];
    for (const select of section.querySelectorAll(".live select.world")) select.value = chosen;
    show({ chosen, step: Infinity, cursor: null });
    editor.switched();
  }

  function replace(next) {
    current[state.chosen] = next;
    state.favour = null;
    show({ care: Math.min(state.care, axis.scale(next).last), step: Infinity, cursor: null });
  }

  // The map of one's own, as an address says it; nothing for the lesson's.
  function mapNow() {
    const { rows } = world();
    return rows.join() === originals[state.chosen].rows.join() ? {} : { map: rows.join("\n") };
  }

  function table() {
    if (!solved.has(world())) solved.set(world(), why.table(world()));
    return solved.get(world());
  }

  function momentNow() {
    if (!table()) return null;
    return why.moment({ solved: table(), plan: solvedAtCare(table().table, state.care), segment: segment(), step: state.step });
  }

  function draw() {
    const now = segment(), number = axis.index(world(), state.care), needed = state.overlay !== "none" || state.asked;
    const found = needed ? momentNow() : null;
    const before = state.before && number ? world().segments[number - 1] : null;
    const drawn = board.draw({
      world: world(), segment: now, before, step: state.step,
      newcomers: state.newcomers, cursor: state.cursor,
      heat: state.overlay === "heat" && found ? why.heat(table(), found) : null,
      policy: state.overlay === "policy" && found ? why.policy(table(), found) : null,
    });
    const focused = boardPlace.contains(document.activeElement);
    boardPlace.replaceChildren(drawn);
    if (focused) drawn.focus();
    const shownCare = state.care * factor();
    line.show(scaled(), shownCare);
    timeline.max = now.steps.length - 1;
    timeline.value = state.step;
    const at = now.steps[state.step];
    timeline.setAttribute("aria-valuetext", `step ${state.step}: ${at.action || "start"}`);
    moment.textContent = `${state.step} of ${now.steps.length - 1}: ${at.action || "start"}${at.state ? ` (${at.state})` : ""}`;
    legendPlace.replaceChildren(...board.legend(world(), now.steps), element("span", { class: "of-paths" }, " Solid: the path at this care; dashed: just below the last break point."));
    summary.textContent = `Care ${numberText(shownCare)}: ${caring.returns(now)}. Behaviour ${number + 1} of ${world().segments.length}.`;
    actionList.replaceChildren(...board.actions(now, before).map(({ action, isNew }) => element("li", isNew ? { class: "new" } : {}, isNew ? `${action} (new)` : action)));
    replaceSentence(pricePlace, priceSentence({ world: world(), number: state.favour ?? number, care: shownCare, numbers: state.numbers, change: adjust, step: movedCare }));
    changePlace.replaceChildren(changed.draw(scaled(), number));
    curvePlace.replaceChildren(curves.draw(scaled(), shownCare, Math.max(300, curvePlace.clientWidth || 600)));
    answer.replaceChildren(...(state.asked && state.cursor ? explained(found) : []));
    walk.redraw();
    const isNew = "map" in mapNow(), kept = `${section.id} ${state.chosen}`;
    link.href = address.write(section.id, { care: state.care, ...(state.chosen ? { world: state.chosen } : {}), ...mapNow() });
    if (isBack && (isNew || work.all().maps[kept])) work.note("maps", kept, isNew ? world().rows : undefined);
    section.dataset.segment = number;
    section.dataset.care = state.care;
    section.dispatchEvent(new CustomEvent("made", { detail: { number: state.chosen, world: world(), isOwn: isNew, link: link.getAttribute("href") } }));
  }

  function explained(found) {
    if (!found) return [element("p", {}, "This page does not hold the values of this world; its paths are exact all the same.")];
    return why.answer(table(), found, state.cursor, segment().steps[state.step].state);
  }

  function show(change) {
    Object.assign(state, change);
    state.step = Math.max(0, Math.min(state.step, segment().steps.length - 1));
    draw();
  }

  boardPlace.addEventListener("click", (event) => {
    const cell = board.cellAt(boardPlace.firstChild, event, world().rows);
    if (cell && !editor.isOpen()) ask(cell);
  });

  // Why, in a cell: once all is done nothing is to choose, so a finished path is asked about when it passed there, or at its start.
  function ask(cell) {
    const { steps } = segment(), passed = steps.findIndex((step, i) => i < steps.length - 1 && step.cell.join() === cell.join());
    show({ cursor: cell, asked: true, step: state.step < steps.length - 1 ? state.step : Math.max(0, passed) });
  }

  boardPlace.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const [r, c] = state.cursor ?? segment().steps[state.step].cell;
    if (!move && editor.isOpen()) editor.paint([r, c]);
    else if (!move) ask([r, c]);
    else show({ cursor: [clamp(r + move[0], world().rows.length), clamp(c + move[1], world().rows[0].length)], asked: false });
  });
  const clamp = (number, count) => Math.max(0, Math.min(count - 1, number));

  const others = worlds.length > 1 ? [choice("world", worlds.map(({ label }, i) => [i, label]), (chosen) => choose(Number(chosen)))] : [];
  section.querySelector(".live").replaceChildren(
    ...others,
    element("div", { class: "columns" },
      element("div", { class: "left" }, boardPlace,
        element("div", { class: "row" }, element("label", { class: "time" }, "step ", timeline), moment), legendPlace),
      element("div", { class: "right" }, line.node, summary, actionList,
        element("div", { class: "row" }, chooser, tick("path before", "before"), tick("who comes next", "newcomers"), link), pricePlace, answer,
        editor.node, changePlace, element("h3", {}, "Returns at every care"), curvePlace,
        element("p", { class: "legend" }, "Others: weighted by how likely each is. Each has an even scale of its own; care is stretched near 0."))),
    ...originals.filter((each) => each.regions).map((each) => regionsMap(each)), walk.node);
  show({ step: Infinity });
  bringBack();
  const wanted = () => address.read(section.id);
  if (wanted()) visit(wanted());
  addEventListener("hashchange", () => wanted() && visit(wanted()));
  addEventListener("resize", () => { line.redraw(); draw(); });
  let looked = state.step; // on paper the map is as the agent finds it
  addEventListener("beforeprint", () => { looked = state.step; show({ step: 0 }); });
  addEventListener("afterprint", () => show({ step: looked }));
}

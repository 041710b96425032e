// The first screen: a world that moves before anything is asked. The agent walks and leaves, then those walk who come next.
"use strict";

const PACE = { step: 150, rest: 1600 }; // milliseconds

const opening = {
  // What is seen one after the other: { step, cells (of who comes next, so far), said, rests }.
  moments({ steps, newcomers, own, others }) {
    let did = "The agent sets out.";
    const acting = steps.map(({ action }, step) => {
      if (action && !caring.moves.has(action)) did = `The agent: ${action}.`;
      return { step, said: did };
    });
    Object.assign(acting[acting.length - 1], { said: `The agent has left. It earned ${numberText(own)}.`, rests: true });
    const following = newcomers.flatMap(({ name, cells, ends }) => cells.map((_, i) => {
      const who = name === "newcomer" ? "the newcomer" : name, isLast = i === cells.length - 1;
      const ending = `Then ${who} ${ends ? "came and finished. It earned" : "came and could never finish. It earned"} ${numberText(others[name])}.`;
      return { step: steps.length - 1, cells: cells.slice(0, i + 1), lost: isLast && !ends, said: isLast ? ending : `Then comes ${who}.`, rests: isLast };
    }));
    return [...acting, ...following];
  },
};

// place: { board, side }, elements to fill. lesson: { section, world }.
function openingStage(place, { section, world }) {
  let care = 0, moments = [], at = 0, playing = false, due = 0, visible = true;
  const said = element("p", { class: "summary said" });
  const line = numberLine((chosen) => choose(chosen), caring.spoken);
  const button = element("button", { type: "button", class: "play-opening", onclick: () => (playing ? stop() : play()) }, "Play");
  const segment = () => world.segments[axis.index(world, care)];
  place.side.append(element("p", { class: "question" }, section.querySelector(".question").textContent), line.node, said,
    element("div", { class: "row" }, button, element("a", { class: "begin", href: "#" + section.id }, "Begin the lesson")));

  function choose(chosen) {
    const before = segment();
    care = chosen;
    line.show(world, care);
    if (segment() !== before) restart();
  }

  function restart() {
    moments = opening.moments(segment());
    at = playing ? 0 : moments.length - 1;
    draw();
  }

  function draw() {
    const { step, cells, lost, said: text } = moments[at], now = segment();
    place.board.replaceChildren(board.draw({
      world, segment: { ...now, steps: now.steps.slice(0, step + 1), newcomers: cells ? [{ cells }] : [] }, before: null, step,
      newcomers: true, walker: cells ? cells[cells.length - 1] : null, lost, still: true,
    }));
    said.textContent = text;
    Object.assign(place.board.dataset, { moment: at, moments: moments.length, segment: axis.index(world, care) });
  }

  function play() {
    playing = true;
    button.textContent = "Pause";
    if (at === moments.length - 1) at = 0;
    due = 0;
    requestAnimationFrame(tick);
  }

  function stop() {
    playing = false;
    button.textContent = "Play";
  }

  function tick(now) {
    if (!playing) return;
    if (visible && now >= due) {
      if (due) at = (at + 1) % moments.length;
      draw();
      due = now + (moments[at].rests ? PACE.rest : PACE.step);
    }
    requestAnimationFrame(tick);
  }

  line.show(world, care);
  restart();
  addEventListener("resize", () => { line.redraw(); draw(); });
  new IntersectionObserver((seen) => { visible = seen[seen.length - 1].isIntersecting; }).observe(place.board);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
}

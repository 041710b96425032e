// Draw walls and move features with mouse, finger or keyboard; break points are computed anew in the page.
"use strict";

const MOST_BYTES = 10000;

// stage: { world, original, replace }, and place, where the map is drawn. Returns { node, paint(cell), isOpen, switched }.
function mapEditor(stage) {
  let open = false, tool = "#", past = [], drawing = false, picked = null;
  const says = element("p", { class: "editor-says", role: "status" });
  const text = element("textarea", { class: "map-text", "aria-label": "the map as text", spellcheck: "false", rows: 12 });
  const tools = element("div", { class: "tools", role: "radiogroup", "aria-label": "what to draw" });
  const link = element("a", { class: "download", download: "map.txt" }, "Save the map");
  const button = (label, name, onclick) => element("button", { type: "button", class: name, onclick }, label);
  const file = element("input", { type: "file", accept: ".txt,text/plain", onchange: () => read(file.files[0]) });
  const panel = element("div", { class: "editor-panel", ondragover: (event) => event.preventDefault(), ondrop: (event) => { event.preventDefault(); read(event.dataTransfer.files[0]); } },
    element("p", {}, "Choose what to draw, then click, touch or press Enter on cells. A feature moves there; of several alike, click first the one to move."),
    tools, element("div", { class: "row" }, button("Undo", "undo", undo), button("The map as it was", "reset", reset), link),
    says, element("details", { class: "as-text" }, element("summary", {}, "The map as text"), text,
      element("div", { class: "row" }, button("Use this text", "use-text", useText), element("label", { class: "open-map" }, "open a map file ", file))),
    element("p", { class: "command" }));
  // Open, its tools stand beside the map, and both are moved into sight.
  const node = element("details", { class: "editor", ontoggle: () => {
    open = node.open;
    stage.place.style.touchAction = open && stage.original().rules ? "none" : "auto";
    if (!open) return;
    refresh();
    stage.place.scrollIntoView();
  } }, element("summary", {}, "Change the map"), panel);

  function refresh() {
    const world = stage.world(), fixed = !stage.original().rules;
    for (const each of panel.querySelectorAll("button, textarea, a, input[type=file]")) each.toggleAttribute("disabled", fixed);
    if (fixed) says.textContent = `This map cannot be edited here: ${stage.original().fixed}.`;
    for (const each of panel.children) each.hidden = fixed && !each.matches(".editor-says, .command");
    const options = [["#", "wall"], [" ", "floor"], ...world.features.map(({ glyph, names }) => [glyph, names.join(" and ")])];
    tools.replaceChildren(...options.map(([glyph, name]) => element("label", { class: "tool" },
      element("input", { type: "radio", name: "tool-" + toolsId, value: glyph, checked: glyph === tool, disabled: fixed, onchange: () => { [tool, picked] = [glyph, null]; } }),
      " ", sprites.inline(name.split(" and ")[0], "feature") ?? "", ` ${glyph === " " || glyph === "#" || name.endsWith(" " + glyph) ? name : `${name} ${glyph}`}`)));
    text.value = world.rows.join("\n");
    link.setAttribute("href", "data:text/plain;charset=utf-8," + encodeURIComponent(world.rows.join("\n") + "\n"));
    panel.querySelector(".command").replaceChildren("On the desktop: ", element("code", {}, world.command));
  }

  function useText() {
    attempt(text.value.replace(/\n+$/, "").split("\n"));
  }

  // A file that was chosen, or dropped on the editor.
  async function read(given) {
    if (!given || !stage.original().rules) return;
    if (given.size > MOST_BYTES) {
      says.textContent = `Not possible: ${given.name} is too large to be a map. The map stays as it is.`;
      return;
    }
    text.value = (await given.text()).replaceAll("\r", "");
    useText();
  }

  function undo() {
    const rows = past.pop();
    if (rows) solve(rows);
  }

  function reset() {
    past.push(stage.world().rows);
    stage.replace(stage.original());
    says.textContent = "The map and its numbers are the lesson's again.";
    refresh();
  }

  function attempt(rows) {
    const before = stage.world().rows;
    if (rows.join("\n") !== before.join("\n") && solve(rows)) past.push(before);
  }

  // Whether a drawing could be solved; where not, nothing changes and it is said why.
  function solve(rows) {
    const original = stage.original(), began = performance.now();
    try {
      const fault = editing.fault(rows, original);
      if (fault) throw new Error(fault);
      const found = solvedWorld(original, rows);
      stage.replace({ ...original, rows, segments: found.segments, solved: found });
      const points = axis.points(stage.world()).map(numberText).join(", ") || "none";
      says.textContent = `Break points: ${points} (${found.table.count} states, ${((performance.now() - began) / 1000).toFixed(2)} s).`;
      refresh();
      return true;
    } catch (error) {
      says.textContent = `Not possible: ${error.message}. The map stays as it is.`;
      return false;
    }
  }

  function paint(cell) {
    if (!open || !stage.original().rules) return;
    const { rows } = stage.world(), { features } = stage.original();
    if (rows[cell[0]][cell[1]] === tool && features.some(({ glyph }) => glyph === tool)) {
      picked = cell;
      says.textContent = `${tool} in row ${cell[0]}, column ${cell[1]} is picked up: choose where it goes.`;
      return;
    }
    attempt(editing.painted(rows, cell, tool, features, picked));
    picked = null;
  }

  // A map from elsewhere: it is used, or it is said why it cannot be.
  function useMap(rows, isShown = true) {
    if (isShown) node.open = true;
    text.value = rows.join("\n");
    if (stage.original().rules) useText();
  }

  // Another world is shown: its own tools, text, command and steps to undo.
  function switched() {
    [tool, past, picked, says.textContent] = ["#", [], null, ""];
    stage.place.style.touchAction = open && stage.original().rules ? "none" : "auto";
    refresh();
  }

  const toolsId = mapEditor.count = (mapEditor.count ?? 0) + 1;
  addEventListener("pointerup", () => { drawing = false; });
  const at = (event) => board.cellAt(stage.place.firstChild, event, stage.world().rows); // the place outlives every drawing in it
  stage.place.addEventListener("pointerdown", (event) => {
    if (!open) return;
    drawing = tool === "#" || tool === " ";
    if (drawing) stage.place.setPointerCapture(event.pointerId);
    const cell = at(event);
    if (cell) paint(cell);
  });
  stage.place.addEventListener("pointermove", (event) => {
    const cell = open && drawing ? at(event) : null;
    if (cell && stage.world().rows[cell[0]][cell[1]] !== tool) paint(cell);
  });
  return { node, paint, isOpen: () => open, switched, open: useMap };
}

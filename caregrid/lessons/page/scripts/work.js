// What a person has made, kept in this browser and in a file: predictions, maps, challenges met, letters or sprites.
"use strict";

const WORK = "caregrid work 1";

const work = {
  kept: null,

  // All of it, { predictions, maps, met, letters }; where nothing can be kept, as long as the page is open.
  all() {
    if (work.kept) return work.kept;
    try {
      work.kept = work.checked(JSON.parse(localStorage.getItem(WORK)));
    } catch {
      work.kept = null;
    }
    return work.kept ??= work.empty();
  },

  empty: () => ({ format: WORK, predictions: {}, maps: {}, met: {}, letters: false }),

  // What a file or the browser says, as far as it has the right form; an Error with the reason, or null for nothing.
  checked(said) {
    if (said === null) return null;
    if (typeof said !== "object" || said.format !== WORK) throw new Error(`it is no file of the format "${WORK}"`);
    const entries = (part, isRight) => Object.fromEntries(Object.entries(typeof said[part] === "object" && said[part] ? said[part] : {}).filter(([, each]) => isRight(each)));
    const isMap = (rows) => Array.isArray(rows) && rows.length > 0 && rows.length <= 100 && rows.every((row) => typeof row === "string" && row.length <= 100);
    return { format: WORK, predictions: entries("predictions", Number.isInteger), maps: entries("maps", isMap), met: entries("met", (link) => typeof link === "string" && link.startsWith("#") && link.length < 4000), letters: said.letters === true };
  },

  note(part, name, value) {
    const all = work.all();
    if (value === undefined) delete all[part][name];
    else all[part][name] = value;
    work.keep();
  },

  keep() {
    try {
      localStorage.setItem(WORK, JSON.stringify(work.all()));
    } catch { /* a browser that keeps nothing */ }
  },

  forget() {
    work.kept = work.empty();
    try {
      localStorage.removeItem(WORK);
    } catch { /* nothing was kept */ }
  },
};

// The row of buttons of the page: letters, projector, and one's work as a file.
function workBar() {
  const says = element("span", { class: "work-says", role: "status" });
  const letters = element("input", { type: "checkbox", class: "letters", checked: work.all().letters, onchange: () => showLetters(letters.checked) });
  const file = element("input", { type: "file", accept: ".json,application/json", class: "work-file", onchange: () => open(file.files[0]) });
  const button = (label, name, onclick) => element("button", { type: "button", class: "plain " + name, onclick }, label);

  function showLetters(chosen) {
    document.body.classList.toggle("letters", chosen);
    work.all().letters = chosen;
    work.keep();
    dispatchEvent(new Event("resize"));
  }

  function save() {
    const link = element("a", { download: "caregrid-work.json", href: "data:application/json;charset=utf-8," + encodeURIComponent(JSON.stringify(work.all(), null, 1)) });
    link.click();
    says.textContent = "Saved as caregrid-work.json.";
  }

  async function open(given) {
    if (!given) return;
    try {
      if (given.size > 1e6) throw new Error("it is too large");
      work.kept = work.checked(JSON.parse(await given.text())) ?? work.empty();
      work.keep();
      location.reload();
    } catch (error) {
      says.textContent = `${given.name} cannot be opened: ${error instanceof SyntaxError ? "it is not JSON" : error.message}. Nothing has changed.`;
    }
  }

  document.body.classList.toggle("letters", work.all().letters);
  return element("div", { class: "row work" }, button("Projector", "project", () => projector.begin()),
    element("label", {}, letters, " letters"), button("Save my work", "save-work", save),
    element("label", { class: "open-work" }, "open my work ", file), button("Forget my work", "forget-work", () => { work.forget(); location.reload(); }), says);
}

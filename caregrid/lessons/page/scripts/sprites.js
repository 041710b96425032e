// Sprites of the atlas in the page: which one a thing has, and how it is put on a board. Letters remain an option.
"use strict";

const sprites = {
  all: null,
  others: null,

  read() {
    if (sprites.all) return;
    const symbols = [...document.querySelectorAll("symbol[id^='sprite-']")], name = (symbol) => symbol.id.slice("sprite-".length);
    sprites.all = new Set(symbols.map(name));
    sprites.others = new Map(symbols.flatMap((symbol) => (symbol.dataset.names ?? "").split(";").filter(Boolean).map((other) => [other, name(symbol)])));
  },

  // As renderers/drawing/sprites.py finds it: by the whole name, else by the last of its words other than "place".
  find(name, role) {
    sprites.read();
    const plain = name.toLowerCase(), known = (word) => (sprites.all.has(sprites.others.get(word) ?? word) ? sprites.others.get(word) ?? word : "");
    if (role === "other" && !sprites.others.has(plain)) return "other";
    if (known(plain)) return known(plain);
    const words = (plain.replaceAll("'s", "").match(/\w[\w-]*/g) ?? []).reverse();
    return words.filter((word) => word !== "place").map(known).find(Boolean) ?? (role === "agent" ? "agent" : "");
  },

  shown: () => !document.body.classList.contains("letters"),

  // A drawing at (x, y), or null where letters are wanted or there is none.
  draw(name, role, x, y, side) {
    const found = sprites.shown() ? sprites.find(name, role) : "";
    if (!found) return null;
    const isPlace = role === "place" || name.includes(" place");
    return svg("use", { href: "#sprite-" + found, x, y, width: side, height: side, class: `sprite ${role.split(" ")[0]}${isPlace ? " hollow" : ""}` });
  },

  // Whether several alike are told apart by their letters.
  lettered: (name) => /\d|'s\b|\b[A-Z]$/.test(name),

  // A small drawing in a line of text.
  inline(name, role) {
    const drawn = sprites.draw(name, role, 0, 0, 24);
    return drawn ? svg("svg", { class: "inline-sprite", viewBox: "0 0 24 24", "aria-hidden": "true" }, drawn) : null;
  },
};

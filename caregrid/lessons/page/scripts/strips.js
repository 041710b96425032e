// What is done turn by turn, as a table: a row for each strip, a column for each turn, a line above each group.
"use strict";

const strips = {
  // listed: [{ name, ticks: [[text, role]] }], the name "group: row" in groups. before: the strips before the last break
  // point, or null. turn: to point at.
  draw(listed, before, turn, label) {
    const count = Math.max(...listed.map(({ ticks }) => ticks.length));
    const column = (i) => (i === turn ? " now" : "");
    const cell = ([text, role], i, strip) => {
      const isNew = before && strips.differs(before[strip], i, text);
      return element("td", { class: `tick ${role.split(" ").join("-")}${column(i)}${isNew ? " new" : ""}` }, text.replace(/^-(?=\d)/, "\u2212") || "\u2013");
    };
    const rows = listed.flatMap(({ name, ticks }, strip) => [...strips.heading(listed, strip, count),
      element("tr", {}, element("th", { scope: "row" }, strips.split(name)[1]), ...ticks.map((tick, i) => cell(tick, i, strip)))]);
    return element("div", { class: "strips", tabindex: 0, role: "group", "aria-label": `${label}, scrolls sideways` }, element("table", {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "turn"),
        ...Array.from({ length: count }, (_, i) => element("th", { scope: "col", class: "turn" + column(i) }, i + 1)))),
      element("tbody", {}, rows)));
  },

  // Puts a table where one was; the present turn stays in view.
  replace(place, drawn) {
    place.replaceChildren(drawn);
    const now = drawn.querySelector("th.now");
    if (now) drawn.scrollLeft = now.offsetLeft + now.offsetWidth - drawn.clientWidth;
  },

  // A name as its group and its row.
  split: (name) => (name.includes(": ") ? name.split(": ") : ["", name]),

  heading(listed, strip, count) {
    const [group] = strips.split(listed[strip].name), isFirst = !strip || strips.split(listed[strip - 1].name)[0] !== group;
    return group && isFirst ? [element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: count + 1 }, element("span", {}, group)))] : [];
  },

  differs: (strip, i, text) => !strip || (strip.ticks[i] ?? [""])[0] !== text,

  // How many turns of each strip are others than before.
  changes(now, before) {
    return now.map((strip, i) => ({ name: strip.name, count: strip.ticks.filter(([text], turn) => strips.differs(before[i], turn, text)).length }))
      .filter(({ count }) => count);
  },
};

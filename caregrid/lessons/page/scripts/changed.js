// What changed at a break point: the actions that are new, and bars of own return and others' before and after.
"use strict";

const changed = {
  // Returns an element for the segment with a number, compared with the one before it.
  draw(world, number) {
    const now = world.segments[number], before = world.segments[number - 1];
    if (!before) {
      return element("div", { class: "changed" }, element("h3", {}, "What changed"),
        element("p", {}, "This is what the agent does when it cares least. Move to the next break point to see what changes there."));
    }
    return element("div", { class: "changed" }, element("h3", {}, `What changed at care ${numberText(now.from)}`),
      element("p", { class: "words" }, changed.words(now, before)), changed.bars(now, before));
  },

  words(now, before) {
    const added = caring.extra(now.steps, before.steps), dropped = caring.extra(before.steps, now.steps);
    const parts = [];
    if (added.length) parts.push(`New: ${added.join(", ")}.`);
    if (dropped.length) parts.push(`No longer: ${dropped.join(", ")}.`);
    const more = now.steps.length - before.steps.length;
    const length = more ? `${Math.abs(more)} ${Math.abs(more) === 1 ? "step" : "steps"} ${more > 0 ? "longer" : "shorter"}` : "as long as before";
    if (!added.length && !dropped.length) parts.push("The same actions in other places.");
    return `${parts.join(" ")} The way is ${length}.`;
  },

  bars(now, before) {
    const value = (segment, name) => (name === "own" ? segment.own : segment.others[name]);
    return changed.pairs(["own", ...Object.keys(now.others)].map((name) =>
      ({ name: name === "own" ? "own return" : name, before: value(before, name), after: value(now, name) })));
  },

  // numbers: [{ name, before, after }], null for what there is none of.
  pairs(numbers) {
    const most = Math.max(...numbers.flatMap(({ before, after }) => [before, after]).map((n) => Math.asinh(Math.abs(n ?? 0))), 1e-9);
    const bar = (kind, number) => element("div", { class: "bar-row" }, element("span", { class: "when" }, kind),
      element("span", { class: "bar " + kind, style: `width: ${number === null ? 0 : 45 * Math.asinh(Math.abs(number)) / most}%` }),
      element("span", { class: "number" }, numberText(number)));
    return element("div", { class: "bars" }, numbers.map(({ name, before, after }) =>
      element("div", { class: "pair" }, element("strong", {}, name), bar("before", before), bar("after", after))));
  },
};

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
      element("p", { class: "words" }, changed.words(world, now, before)), changed.bars(now, before));
  },

  words(world, now, before) {
    const listed = (steps, others) => [...new Set(caring.extra(steps, others).map((step) => caring.inWords(world, step)))];
    const added = listed(now.steps, before.steps), dropped = listed(before.steps, now.steps);
    const parts = [];
    if (added.length) parts.push(`New: ${added.join(", ")}.`);
    if (dropped.length) parts.push(`No longer: ${dropped.join(", ")}.`);
    const more = now.steps.length - before.steps.length;
    const length = more ? `${Math.abs(more)} ${Math.abs(more) === 1 ? "step" : "steps"} ${more > 0 ? "longer" : "shorter"}` : "as long as before";
    if (!added.length && !dropped.length) parts.push("The same actions, by another way.");
    return `${parts.join(" ")} The way is ${length}.`;
  },

  bars(now, before) {
    const value = (segment, name) => (name === "own" ? segment.own : segment.others[name]);
    return changed.pairs(["own", ...Object.keys(now.others)].map((name) =>
      ({ name: name === "own" ? "own return" : name, before: value(before, name), after: value(now, name) })));
  },

  // The share of a bar's room that a number fills: evenly from the least of a pair, or 0, to the largest, or 0.
  share(number, pair) {
    const ends = [0, ...pair.filter(Number.isFinite)], [least, most] = [Math.min(...ends), Math.max(...ends)];
    return Number.isFinite(number) ? (number - least) / (most - least || 1) : 0;
  },

  // numbers: [{ name, before, after }], null for what there is none of. A longer bar is a larger number.
  pairs(numbers) {
    const bar = (kind, number, pair) => element("div", { class: "bar-row" }, element("span", { class: "when" }, kind),
      element("span", { class: "bar " + kind, style: `width: ${45 * changed.share(number, pair)}%` }),
      element("span", { class: "number" }, numberText(number)));
    const gain = ({ before, after }) => (Number.isFinite(before) && Number.isFinite(after) && after !== before ? ` ${after > before ? "+" : ""}${numberText(after - before)}` : "");
    return element("div", { class: "bars" }, numbers.map(({ name, before, after }) => element("div", { class: "pair" },
      element("strong", {}, name), gain({ before, after }), bar("before", before, [before, after]), bar("after", after, [before, after]))),
    element("p", { class: "legend" }, "Longer is better; each pair has a scale of its own."));
  },
};

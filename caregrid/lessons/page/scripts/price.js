// What a favour costs and what it brings, in a sentence with numbers to drag: caring begins at their quotient.
"use strict";

const price = {
  // A world as if each unit of the agent's own return counted `own` times and of the others' `weight` times: every line
  // own + care * others is scaled, so that every break point is multiplied by own / weight.
  scaled(world, { own, weight }) {
    const factor = own / weight;
    if (factor === 1) return world;
    const times = (number) => (number === null ? null : number * factor);
    return { ...world, segments: world.segments.map((segment) => ({ ...segment, from: times(segment.from), to: times(segment.to) })) };
  },

  // Two behaviours: what the second one costs the agent more, and what it brings of what care multiplies; null where not finite.
  compared(before, now) {
    if (!before || !now || [...before.line, ...now.line].some((number) => !Number.isFinite(number))) return null;
    return { cost: before.line[0] - now.line[0], gain: now.line[1] - before.line[1] };
  },

  // Where a cost comes from: steps at the usual price, and what single actions cost beyond it. "" where it does not add up.
  costWords(before, now, cost) {
    const paid = ({ steps }) => steps.slice(1).map(({ action, reward }) => ({ action, cost: -reward }));
    const [first, second] = [paid(before), paid(now)], prices = new Map();
    if ([...first, ...second].some((step) => !Number.isFinite(step.cost))) return "";
    for (const step of [...first, ...second]) prices.set(step.cost, (prices.get(step.cost) ?? 0) + 1);
    if (!prices.size) return "";
    const usual = [...prices].sort((one, other) => other[1] - one[1])[0][0], steps = second.length - first.length;
    const extras = new Map(), note = (list, sign) => list.filter((step) => step.cost !== usual)
      .forEach((step) => extras.set(step.action, (extras.get(step.action) ?? 0) + sign * (step.cost - usual)));
    note(second, 1);
    note(first, -1);
    const parts = steps ? [{ cost: steps * usual, words: `${numberText(Math.abs(steps))} ${steps > 0 ? "more" : "fewer"} ${Math.abs(steps) === 1 ? "step" : "steps"}${price.each(Math.abs(steps), usual)}` }] : [];
    for (const [action, extra] of extras) if (Math.abs(extra) > 1e-9) parts.push({ cost: extra, words: `${numberText(extra)} for \u201c${action}\u201d` });
    const sum = parts.reduce((total, part) => total + part.cost, 0);
    return parts.length && Math.abs(sum - cost) < 1e-9 * Math.max(1, Math.abs(cost)) ? parts.map(({ words }) => words).join(" and ") : "";
  },

  each: (steps, usual) => (steps > 1 ? `, ${numberText(usual)} each` : usual === 1 ? "" : ` at ${numberText(usual)}`),

  share: (weight) => (Number.isInteger(Math.round(1e9 / weight) / 1e9) && weight < 1 ? `1/${Math.round(1 / weight)}` : numberText(weight)),

  // Where a gain comes from: each one's return, times how much it counts. "" where it does not add up.
  gainWords(world, before, now, gain) {
    const near = (number) => Math.abs(number - gain) < 1e-9 * Math.max(1, Math.abs(gain)), names = world.others, after = (from, to) => to - from;
    const weights = world.weights ?? world.probability ?? [];
    const parts = names.map((name, i) => ({ name, weight: weights[i], more: after(before.others[name], now.others[name]) })).filter(({ more }) => more !== 0);
    if (!parts.length || !near(parts.reduce((sum, { weight, more }) => sum + weight * more, 0))) return "";
    const [{ weight, more }] = parts, isAlike = parts.length > 1 && parts.every((part) => part.weight === weight && part.more === more);
    const counted = weight === 1 ? "" : `${price.share(weight)} of `;
    if (isAlike) return `${counted}${numberText(more)} for each of ${parts.length}: ${parts.map(({ name }) => name).join(", ")}`;
    return parts.map((part) => `${part.weight === 1 ? "" : price.share(part.weight) + " of "}${numberText(part.more)} for ${price.who(part.name)}`).join(", ");
  },

  who: (name) => (name === "newcomer" ? "the newcomer" : name),

  // What is done in words, and whether it is one thing.
  done(world, steps, others) {
    const listed = [...new Set(caring.extra(steps, others).map((step) => caring.inWords(world, step)))];
    return { deeds: listed.length ? `\u201c${listed.join("\u201d and \u201c")}\u201d` : "another way", isOne: listed.length < 2 };
  },
};

// stage: { world, number (of the segment), care, numbers: { own, weight }, change({ care } or { numbers }), step }. Nodes.
function priceSentence({ world, number, care, numbers, change, step }) {
  const at = Math.max(1, number), [before, now] = [world.segments[at - 1], world.segments[at]], found = price.compared(before, now);
  if (!found || !(found.cost > 0) || !(found.gain > 0)) return [];
  const cost = found.cost * numbers.own, gain = found.gain * numbers.weight, begins = cost / gain;
  const why = (words) => (words ? ` (${words})` : "");
  const scale = (name, base) => (value) => change({ numbers: { ...numbers, [name]: value / base } });
  const { deeds, isOne } = price.done(world, now.steps, before.steps);
  const isScaled = numbers.own !== 1 || numbers.weight !== 1;
  return [element("p", { class: "price" }, "If ", deeds, isOne ? " costs the agent " : " cost the agent ", draggable("cost", cost, scale("own", found.cost)), why(price.costWords(before, now, found.cost)),
    isOne ? " and brings others " : " and bring others ", draggable("gain", gain, scale("weight", found.gain)), why(price.gainWords(world, before, now, found.gain)),
    `, caring begins at ${numberText(cost)} \u00f7 ${numberText(gain)} = `, element("strong", { class: "begins-at" }, numberText(begins)),
    ". At care ", draggable("care", care, (value) => change({ care: value }), step), care >= begins * (1 - 1e-9) ? " it is done." : " it is not done."),
  ...(isScaled ? [element("p", { class: "legend" }, `As if each unit of its own return counted ${numberText(numbers.own)} times, of the others' ${numberText(numbers.weight)} times. `,
    element("button", { type: "button", class: "reset as-it-is", onclick: () => change({ numbers: { own: 1, weight: 1 } }) }, "As it is"))] : [])];
}

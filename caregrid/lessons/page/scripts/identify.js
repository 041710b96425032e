// What somebody played like: at which care every move is optimal, and which care is likely if moves may be slips.
// The model, its priors and its conventions are those of docs/identify.md:
//   P(a|s) = (1 - e) softmax(Q_c(s, .) / T)(a) + e / |A(s)|,   arctan c and log T uniform, e of the Beta distribution (1, 9)
"use strict";

const SAME = 1e-9, TEMPERATURES = [0.05, 20], LEFT_OUT = 25, COARSEST = 0.8, FINEST = 0.1, WIDEST = 3.2, FINE = 1e-5;

const identifying = {
  // What somebody chose: a choice for each state visited, { values, counts }: the lines [own, slope] of each action's
  // value, their maximum over the ways to end, and how often each action was taken. paths: lists of actions.
  choices(table, paths) {
    const width = table.actions.length, taken = new Map();
    for (const actions of paths) {
      let state = table.starts[0];
      for (const action of actions) {
        if (!taken.has(state)) taken.set(state, new Array(width).fill(0));
        taken.get(state)[action] += 1;
        state = table.next[state * width + action];
      }
    }
    const endings = identifying.endings(table);
    return [...taken].map(([state, counts]) => ({ counts, values: counts.map((_, action) => identifying.lines(table, endings, state * width + action)) }));
  },

  // The best own return from each state to the ends that pay the same for care: [{ auxiliary, best }].
  endings(table) {
    const width = table.actions.length, amounts = new Set(table.ends.filter((_, state) => table.terminal[state]));
    const nothing = table.reward.map(() => 0);
    return [...amounts].map((auxiliary) => {
      const next = table.next.map((end, step) => (table.terminal[end] && table.ends[end] !== auxiliary ? Math.floor(step / width) : end));
      return { auxiliary, best: rewardToGo({ ...table, next }, table.reward, nothing).value };
    });
  },

  lines(table, endings, step) {
    const after = table.next[step], paid = table.reward[step];
    if (table.terminal[after]) return [[paid, table.ends[after]]];
    const found = endings.filter(({ best }) => best[after] > -Infinity).map(({ auxiliary, best }) => ({ own: best[after], auxiliary }));
    return envelope(found).map(({ own, auxiliary }) => [own + paid, auxiliary]);
  },

  // The line of a maximum that is highest at a care; [-Infinity, 0] where nothing ends.
  highest: (lines, care) => lines.reduce((best, line) => (line[0] + care * line[1] > best[0] + care * best[1] ? line : best), lines[0] ?? [-Infinity, 0]),

  // Where what is best can change: every kink of a value, and wherever two actions are worth the same.
  points(choices) {
    const found = [0], known = new Set(), top = (lines, care) => lines.reduce((most, [own, slope]) => Math.max(most, own + care * slope), -Infinity);
    const meet = (one, other) => {
      for (const [own, slope] of one) {
        for (const [less, flat] of other) {
          const care = (less - own) / (slope - flat), here = own + care * slope, slack = SAME * Math.max(1, Math.abs(here));
          if (Number.isFinite(care) && Math.abs(top(one, care) - here) <= slack && Math.abs(top(other, care) - here) <= slack) found.push(care);
        }
      }
    };
    for (const { values } of choices) {
      values.forEach((one, i) => values.slice(i).forEach((other) => {
        if (!one.length || !other.length) return;
        const pair = [one, other].map((lines) => lines.map(([own, slope]) => `${(own - one[0][0]).toFixed(11)} ${(slope - one[0][1]).toFixed(11)}`).join()).join("|");
        if (known.has(pair)) return;
        known.add(pair);
        meet(one, other);
      }));
    }
    const sorted = found.sort((one, other) => one - other).filter((care, i, all) => !i || care - all[i - 1] > 1e-12 * Math.max(1, Math.abs(care)));
    return [-Infinity, ...sorted, Infinity];
  },

  // The closed intervals of care at which every move is optimal: [[low, high], ...].
  optimal(choices) {
    const points = identifying.points(choices), intervals = [];
    const fits = (care) => choices.every(({ values, counts }) => {
      const worth = values.map((lines) => { const [own, slope] = identifying.highest(lines, care); return own + care * slope; });
      const best = Math.max(...worth), slack = SAME * Math.max(1, Math.abs(best));
      return best === -Infinity || counts.every((count, action) => !count || worth[action] >= best - slack);
    });
    const add = (low, high) => {
      const last = intervals[intervals.length - 1];
      if (last && last[1] >= low) last[1] = high;
      else intervals.push([low, high]);
    };
    for (let i = 0; i + 1 < points.length; i += 1) {
      if (i && fits(points[i])) add(points[i], points[i]);
      if (fits(Math.tan((Math.atan(points[i]) + Math.atan(points[i + 1])) / 2))) add(points[i], points[i + 1]);
    }
    return intervals;
  },

  // Whether what one did says nothing about care: every action changes what others get by the same.
  saysNothing: (choices) => choices.every(({ values }) => {
    const slopes = new Set(values.flat().map(([, slope]) => slope));
    return slopes.size < 2;
  }),

  // In words, as the end screen of `caregrid play` says it.
  words(choices) {
    if (identifying.saysNothing(choices)) return "any care: where you were, it changes nothing";
    const intervals = identifying.optimal(choices), write = identifying.write;
    if (!intervals.length) return "no exact agent: no care makes every move optimal";
    const [low, high] = [intervals[0][0], intervals[intervals.length - 1][1]];
    const words = intervals.map(([from, to]) => (from === to ? `care ${write(from)} alone`
      : from === -Infinity && to === Infinity ? "any care: every agent would have moved so, or could have"
        : to === Infinity ? `care ${write(from)} and above` : from === -Infinity ? `care ${write(to)} and below` : `care between ${write(from)} and ${write(to)}`));
    if (intervals[0][0] === -Infinity && intervals[0][1] === Infinity) return words[0];
    const isInside = intervals.length > 1 || (Number.isFinite(low) && Number.isFinite(high));
    const elsewhere = isInside ? "anything else" : Number.isFinite(low) ? `anything below ${write(low)}` : `anything above ${write(high)}`;
    return `${words.join(" or ")}; ${elsewhere} would have gone elsewhere`;
  },

  write: (care) => numberText(Number(care.toPrecision(3))),

  // The posterior of care: { logEvidence, logRandom, edges, mass }; mass[i], a share, lies between edges[i] and edges[i + 1] of arctan c.
  posterior(choices) {
    const cut = identifying.points(choices).map(Math.atan), pieces = cut.slice(1).map((end, i) => identifying.piece(choices, cut[i], end)).filter(({ begin, end }) => end > begin);
    const logRandom = choices.reduce((sum, { counts }) => sum - counts.reduce((all, count) => all + count, 0) * Math.log(counts.length), 0);
    const seen = { most: Math.max(...pieces.map((piece) => identifying.integrate(piece, piece.middle, Math.log(piece.end - piece.begin), { most: -Infinity }))) };
    const kept = pieces.filter((piece) => identifying.bound(piece) > seen.most - LEFT_OUT);
    for (const piece of kept) Object.assign(piece, { parts: new Map(), step: COARSEST, sum: -Infinity });
    // Nodes twice as close, until they change nothing: only where the posterior has its mass.
    for (let open = kept; open.length;) {
      for (const piece of open) identifying.refine(piece, seen);
      const total = quadrature.addLogarithms(kept.map(({ sum }) => sum));
      open = kept.filter((piece) => piece.step > FINEST && Math.abs(Math.exp(piece.sum - total) - Math.exp(piece.before - total)) > FINE);
      for (const piece of open) piece.step /= 2;
    }
    const nodes = kept.flatMap((piece) => quadrature.shares(piece)), top = nodes.reduce((most, { log }) => Math.max(most, log), -Infinity);
    const all = nodes.map(({ log }) => Math.exp(log - top)), sum = all.reduce((total, each) => total + each, 0);
    return { logEvidence: top + Math.log(sum / Math.PI), logRandom, nodes: nodes.map(({ begin, end }, i) => ({ begin, end, mass: all[i] / sum })) };
  },

  // The choices on a piece of arctan c on which every value is one line: equal lines are one with `alike` actions, equal choices one.
  piece(choices, begin, end) {
    const middle = (begin + end) / 2, care = Math.tan(middle), merged = new Map();
    let constant = 0;
    for (const { values, counts } of choices) {
      const lines = values.map((each) => identifying.highest(each, care)), base = lines.reduce((best, line) => (line[0] + care * line[1] > best[0] + care * best[1] ? line : best));
      const kinds = new Map();
      lines.forEach(([own, slope], action) => {
        const line = own === -Infinity ? [own, 0] : [own - base[0], slope - base[1]].map((each) => Number(each.toFixed(11)) + 0), name = line.join();
        if (!kinds.has(name)) kinds.set(name, { name, own: line[0], slope: line[1], alike: 0, count: 0 });
        kinds.get(name).alike += 1;
        kinds.get(name).count += counts[action];
      });
      const kept = [...kinds.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), name = kept.map((each) => `${each.name} ${each.alike}`).join(";");
      if (kept.length === 1) constant -= kept[0].count * Math.log(counts.length);
      else if (merged.has(name)) merged.get(name).kinds.forEach((each, i) => { each.count += kept[i].count; });
      else merged.set(name, { size: counts.length, kinds: kept });
    }
    return { begin, end, middle, constant, choices: [...merged.values()] };
  },

  // An upper bound of the logarithm of what a piece adds: no action is likelier than with all others at their worst.
  bound({ begin, end, constant, choices }) {
    const [cold, hot] = TEMPERATURES, ends = [Math.tan(begin), Math.tan(end)];
    let total = constant + Math.log(end - begin);
    for (const { size, kinds } of choices) {
      for (const { own, slope, count } of kinds.filter((each) => each.count)) {
        let norm = own === -Infinity ? Infinity : 0;
        for (const other of kinds.filter((each) => each.own > -Infinity)) {
          const less = Math.min(...ends.map((care) => quadrature.difference(other, { own, slope }, care)));
          norm += other.alike * Math.exp(less / (less > 0 ? hot : cold));
        }
        total += count * Math.log(Math.max(1 / norm, 1 / size));
      }
    }
    return total;
  },

  // The nodes of a piece at its step that are not there yet, and the sum of all.
  refine(piece, seen) {
    const { begin, end, parts, step } = piece, count = Math.round(WIDEST / step);
    piece.before = piece.sum;
    for (let i = -count; i <= count; i += 1) {
      const { place, logWeight } = quadrature.tanhSinh(begin, end, i * step);
      if (!parts.has(i * step)) parts.set(i * step, identifying.integrate(piece, place, logWeight, { most: seen.most - Math.log(step) }));
    }
    piece.sum = quadrature.addLogarithms([...parts.values()]) + Math.log(step);
    seen.most = Math.max(seen.most, piece.sum);
  },

  // The logarithm of a weight times the integral over T and e at a place of arctan c; -Infinity where it adds nothing to what was seen.
  integrate({ constant, choices }, u, logWeight, seen) {
    const care = Math.tan(u), { slips, logWeights: ofSlip } = quadrature.slips(), { temperatures, logWeights: ofTemperature } = quadrature.temperatures();
    const product = new Float64Array(slips.length), parts = [];
    const less = choices.map(({ kinds }) => {
      const top = kinds.reduce((best, each) => (each.own > -Infinity && (best.own === -Infinity || quadrature.difference(each, best, care) > 0) ? each : best));
      return kinds.map((each) => (each.own === -Infinity ? -Infinity : Math.min(0, quadrature.difference(each, top, care))));
    });
    for (let t = 0; t < temperatures.length; t += 1) {
      const taken = [];
      let bound = logWeight + constant + ofTemperature[t];
      for (let n = 0; n < choices.length; n += 1) {
        const { size, kinds } = choices[n];
        let norm = 0;
        const weights = less[n].map((each) => Math.exp(each / temperatures[t]));
        for (let i = 0; i < kinds.length; i += 1) norm += kinds[i].alike * weights[i];
        for (let i = 0; i < kinds.length; i += 1) {
          const { count } = kinds[i];
          if (!count) continue;
          const chance = weights[i] / norm;
          taken.push(count, chance, 1 / size - chance);
          bound += count * Math.log(Math.max(chance, 1 / size));
        }
      }
      if (bound < seen.most - LEFT_OUT) continue;
      product.fill(1);
      let log = 0;
      for (let n = 0; n < taken.length; n += 3) {
        const count = taken[n], chance = taken[n + 1], change = taken[n + 2];
        let most = 0;
        for (let k = 0; k < slips.length; k += 1) {
          product[k] *= (chance + slips[k] * change) ** count;
          if (product[k] > most) most = product[k];
        }
        if (most < 1e-100 && most > 0) {
          log += Math.log(most);
          for (let k = 0; k < slips.length; k += 1) product[k] /= most;
        }
      }
      for (let k = 0; k < slips.length; k += 1) if (product[k] > 0) parts.push(logWeight + constant + ofTemperature[t] + ofSlip[k] + log + Math.log(product[k]));
    }
    return quadrature.addLogarithms(parts);
  },

  // The care below which a share of the posterior lies.
  quantile({ nodes }, level) {
    let below = 0;
    for (const { begin, end, mass } of nodes) {
      if (mass > 0 && below + mass >= level) return Math.tan(begin + (end - begin) * (level - below) / mass);
      below += mass;
    }
    return Infinity;
  },

  // What is said at the end: [[title, words], ...].
  described(choices) {
    const said = [["You played like", identifying.words(choices)]];
    if (identifying.saysNothing(choices)) return said;
    const posterior = identifying.posterior(choices), [low, high] = [0.05, 0.95].map((level) => identifying.write(identifying.quantile(posterior, level)));
    return [...said, ["If you may slip, like", `care ${low} to ${high}, with a probability of 90 percent`]];
  },
};

// Nodes and weights of the integrals, and lines at a place of arctan c.
const quadrature = {
  legendre: [[-0.9602898564975363, 0.10122853629037626], [-0.7966664774136267, 0.22238103445337448], [-0.525532409916329, 0.31370664587788727], [-0.1834346424956498, 0.362683783378362]],

  // Gauss and Legendre's rule with 8 nodes on each part between some edges.
  composite(edges) {
    const half = quadrature.legendre, points = [...half, ...half.map(([x, w]) => [-x, w])];
    return edges.slice(1).flatMap((end, i) => points.map(([x, w]) => [(edges[i] + end) / 2 + x * (end - edges[i]) / 2, w * (end - edges[i]) / 2]));
  },

  temperatures() {
    if (quadrature.ofTemperature) return quadrature.ofTemperature;
    const [cold, hot] = TEMPERATURES.map(Math.log), nodes = quadrature.composite(Array.from({ length: 7 }, (_, i) => cold + (hot - cold) * i / 6));
    return quadrature.ofTemperature = { temperatures: nodes.map(([x]) => Math.exp(x)), logWeights: nodes.map(([, w]) => Math.log(w / (hot - cold))) };
  },

  slips() {
    if (quadrature.ofSlip) return quadrature.ofSlip;
    const nodes = quadrature.composite([0, 0.03, 0.12, 0.35, 1]);
    return quadrature.ofSlip = { slips: nodes.map(([e]) => e), logWeights: nodes.map(([e, w]) => Math.log(9 * w) + 8 * Math.log1p(-e)) };
  },

  // A node of the tanh-sinh rule, and the logarithm of its weight per step: they crowd at both ends, where another action becomes the best.
  tanhSinh(begin, end, t) {
    const grown = 0.5 * Math.PI * Math.sinh(t), half = (end - begin) / 2, short = half / (Math.exp(Math.abs(grown)) * Math.cosh(grown));
    return { place: t < 0 ? begin + short : end - short, logWeight: Math.log(half * 0.5 * Math.PI * Math.cosh(t)) - 2 * Math.log(Math.cosh(grown)) };
  },

  // What each node of a piece stands for: from half way to the node before to half way to the next one.
  shares({ begin, end, parts, step }) {
    const sorted = [...parts].sort(([one], [other]) => one - other), at = (t) => quadrature.tanhSinh(begin, end, t).place;
    return sorted.map(([t, log], i) => ({
      begin: i ? at(t - step / 2) : begin, end: i + 1 < sorted.length ? at(t + step / 2) : end, log: log + Math.log(step),
    }));
  },

  // How much more one line is worth than another.
  difference(one, other, care) {
    const slope = one.slope - other.slope;
    return one.own - other.own + (slope ? care * slope : 0);
  },

  addLogarithms(parts) {
    const top = parts.reduce((most, each) => Math.max(most, each), -Infinity);
    return top === -Infinity ? top : top + Math.log(parts.reduce((sum, each) => sum + Math.exp(each - top), 0));
  },
};

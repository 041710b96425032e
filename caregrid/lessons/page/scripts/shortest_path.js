// Exact plans in tables without chance whose steps cost something: Dijkstra's algorithm, backward and forward.
"use strict";

// The best (return, second) from every state. reward, second: one number a state and action, flat.
function rewardToGo(table, reward, second) {
  const { count, next, terminal } = table, width = table.actions.length;
  const value = new Float64Array(count).fill(-Infinity), extra = new Float64Array(count).fill(-Infinity);
  const before = Array.from({ length: count }, () => []);
  for (let state = 0; state < count; state += 1) {
    if (terminal[state]) continue;
    for (let action = 0; action < width; action += 1) before[next[state * width + action]].push(state * width + action);
  }
  const heap = new Heap(), settled = new Uint8Array(count);
  const offer = (state, best, more) => {
    if (best < value[state] || (best === value[state] && more <= extra[state])) return;
    [value[state], extra[state]] = [best, more];
    heap.push([-best, -more, state]);
  };
  // What entering a terminal state gives may be of any size, so those steps come first.
  for (let end = 0; end < count; end += 1) {
    if (!terminal[end]) continue;
    [value[end], extra[end]] = [0, 0];
    for (const step of before[end]) offer(Math.floor(step / width), reward[step], second[step]);
  }
  while (heap.size) {
    const state = heap.pop()[2];
    if (settled[state]) continue;
    settled[state] = 1;
    for (const step of before[state]) {
      const origin = Math.floor(step / width);
      if (!settled[origin]) offer(origin, value[state] + reward[step], extra[state]);
    }
  }
  return { value, extra };
}

// The best return with which every state can be entered from `start`, and the order in which they were settled.
function rewardToArrive(table, start) {
  const { count, next, reward, terminal } = table, width = table.actions.length;
  const best = new Float64Array(count).fill(-Infinity), order = new Int32Array(count).fill(-1);
  const heap = new Heap();
  best[start] = 0;
  heap.push([-0, start]);
  for (let settled = 0; heap.size;) {
    const state = heap.pop()[1];
    if (order[state] >= 0) continue;
    settled += 1;
    order[state] = settled;
    if (terminal[state]) continue;
    for (let action = 0; action < width; action += 1) {
      const target = next[state * width + action], found = best[state] + reward[state * width + action];
      if (found <= best[target]) continue;
      best[target] = found;
      if (order[target] < 0) heap.push([-found, target]);
    }
  }
  return { best, order };
}

// Of the best paths that end with one of some last steps, the one with the lowest actions first.
function firstPath(table, arrival, lastSteps) {
  const { count, next, reward, terminal } = table, width = table.actions.length, { best, order } = arrival;
  const chosen = new Int32Array(count).fill(-1);
  for (const step of lastSteps) {
    const state = Math.floor(step / width), action = step % width;
    if (chosen[state] < 0 || action < chosen[state]) chosen[state] = action;
  }
  const states = [...order.keys()].filter((state) => order[state] >= 0 && !terminal[state]);
  states.sort((one, other) => order[other] - order[one]);
  for (const state of states) {
    for (let action = 0; action < width; action += 1) {
      if (chosen[state] >= 0 && action >= chosen[state]) break;
      const goal = next[state * width + action];
      if (terminal[goal] || chosen[goal] < 0 || order[goal] <= order[state]) continue;
      if (best[state] + reward[state * width + action] === best[goal]) {
        chosen[state] = action;
        break;
      }
    }
  }
  const path = [table.starts[0]], actions = [];
  while (!terminal[path[path.length - 1]]) {
    const here = path[path.length - 1];
    actions.push(chosen[here]);
    path.push(next[here * width + chosen[here]]);
  }
  return { path, actions };
}

// What can be collected in `limit` steps from every state from which no end can be reached.
function withinTimeLimit(table, value, limit) {
  const width = table.actions.length, result = Float64Array.from(value);
  const lost = [...value.keys()].filter((state) => value[state] === -Infinity);
  let collected = new Float64Array(table.count);
  for (let done = 0; lost.length && done < limit; done += 1) {
    const after = new Float64Array(table.count), drifts = new Set();
    for (const state of lost) {
      let best = -Infinity;
      for (let step = state * width; step < (state + 1) * width; step += 1) {
        if (value[table.next[step]] === -Infinity) best = Math.max(best, table.reward[step] + collected[table.next[step]]);
      }
      after[state] = best;
      drifts.add(best - collected[state]);
    }
    collected = after;
    if (done && drifts.size === 1) {
      const [drift] = drifts;
      for (const state of lost) collected[state] += drift * (limit - done - 1);
      break;
    }
  }
  for (const state of lost) result[state] = collected[state];
  return result;
}

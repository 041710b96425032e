// The upper envelope of lines c -> own + c * auxiliary, with the desktop's tolerances, so that both find the same ends.
"use strict";

const EQUAL = 1e-9, ROUNDING = 1e-14, LARGEST_DENOMINATOR = 100000n;

// lines: [{ own, auxiliary }]. Returns [{ from, to, own, auxiliary }], slopes ascending, from -Infinity to Infinity.
function envelope(lines) {
  const hull = [], sorted = [...lines].sort((a, b) => a.auxiliary - b.auxiliary || a.own - b.own);
  for (const line of sorted) {
    if (hull.length && !isSteeper(hull[hull.length - 1], line)) {
      if (line.own <= hull[hull.length - 1].own) continue;
      hull.pop();
    }
    while (hull.length > 1 && !risesAbove(hull[hull.length - 2], hull[hull.length - 1], line)) hull.pop();
    hull.push(line);
  }
  const starts = hull.slice(1).map((line, i) => unroundedCrossing(hull[i], line));
  return hull.map((line, i) => ({ ...line, from: i ? starts[i - 1] : -Infinity, to: starts[i] ?? Infinity }));
}

function isSteeper(flat, steep) {
  return steep.auxiliary - flat.auxiliary > ROUNDING * (Math.abs(flat.auxiliary) + Math.abs(steep.auxiliary));
}

function risesAbove(left, middle, right) {
  const meeting = crossing(left, right), at = (line) => line.own + meeting * line.auxiliary;
  const error = (line) => ROUNDING * Math.abs(line.own) + Math.abs(meeting) * (ROUNDING * Math.abs(line.auxiliary));
  return at(middle) - at(left) > error(left) + error(middle) + error(right);
}

function crossing(flat, steep) {
  return (flat.own - steep.own) / (steep.auxiliary - flat.auxiliary);
}

function unroundedCrossing(left, right) {
  const meeting = crossing(left, right);
  const noise = ROUNDING * (Math.abs(left.own) + Math.abs(right.own)) / (right.auxiliary - left.auxiliary);
  const simple = nearestFraction(meeting);
  return Math.abs(simple - meeting) <= Math.max(noise, ROUNDING * Math.abs(meeting)) ? simple : meeting;
}

// The fraction nearest to a number among those of small denominators, as a number.
function nearestFraction(number) {
  let exponent = 0n, scaled = Math.abs(number);
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    exponent += 1n;
  }
  const top = BigInt(scaled), bottom = 1n << exponent, sign = number < 0 ? -1 : 1;
  let [p0, q0, p1, q1, n, d] = [0n, 1n, 1n, 0n, top, bottom];
  while (d !== 0n) {
    const a = n / d, q2 = q0 + a * q1;
    if (q2 > LARGEST_DENOMINATOR) break;
    [p0, q0, p1, q1, n, d] = [p1, q1, p0 + a * p1, q2, d, n - a * d];
  }
  if (d === 0n) return sign * Number(p1) / Number(q1);
  const k = (LARGEST_DENOMINATOR - q0) / q1, [p2, q2] = [p0 + k * p1, q0 + k * q1];
  const off = (p, q) => { const gap = p * bottom - top * q; return gap < 0n ? -gap : gap; };
  const first = off(p1, q1) * q2 <= off(p2, q2) * q1;
  return sign * (first ? Number(p1) / Number(q1) : Number(p2) / Number(q2));
}

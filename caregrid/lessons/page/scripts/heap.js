// A heap of rows of numbers: the smallest row first, compared from left to right.
"use strict";

class Heap {
  constructor() {
    this.rows = [];
  }

  get size() {
    return this.rows.length;
  }

  push(row) {
    const { rows } = this;
    let at = rows.length;
    rows.push(row);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!Heap.isLess(row, rows[above])) break;
      rows[at] = rows[above];
      at = above;
    }
    rows[at] = row;
  }

  pop() {
    const { rows } = this, first = rows[0], last = rows.pop();
    if (rows.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= rows.length) break;
      if (below + 1 < rows.length && Heap.isLess(rows[below + 1], rows[below])) below += 1;
      if (!Heap.isLess(rows[below], last)) break;
      rows[at] = rows[below];
      at = below;
    }
    rows[at] = last;
    return first;
  }

  static isLess(one, other) {
    for (let i = 0; i < one.length; i += 1) {
      if (one[i] !== other[i]) return one[i] < other[i];
    }
    return false;
  }
}

// A number in a sentence that is dragged sideways, or changed with arrow keys.
"use strict";

const DRAGGED = 5; // pixels for the smallest change

// A number's next one by `count` smallest changes: of its second digit, never through 0.
function steppedNumber(value, count) {
  let next = value;
  for (let i = 0; i < Math.abs(count); i += 1) {
    const unit = 10 ** (Math.floor(Math.log10(count < 0 ? next * (1 - 1e-9) : next)) - 1);
    next = Number((next + Math.sign(count) * unit).toPrecision(2));
  }
  return next;
}

// name: what it is. change(value): is called with a new value. step(value, count): the value some changes away.
function draggable(name, value, change, step = steppedNumber) {
  const set = (count, from) => change(step(from, count));
  let begun = null;
  const node = element("span", {
    class: "drag", role: "slider", tabindex: 0, "aria-label": name, "aria-valuenow": value, "aria-valuetext": numberText(value), "data-name": name,
    onpointerdown: (event) => { begun = { x: event.clientX, value, count: 0 }; follow(); event.preventDefault(); node.focus(); },
    onkeydown: (event) => {
      const count = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (!count) return;
      event.preventDefault();
      set(count, value);
    },
  }, numberText(value));

  // The sentence is written anew at each change, so that the window follows the pointer.
  function follow() {
    const move = (event) => {
      const count = Math.round((event.clientX - begun.x) / DRAGGED);
      if (count !== begun.count) { begun.count = count; set(count, begun.value); }
    };
    const stop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", stop); removeEventListener("pointercancel", stop); };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    addEventListener("pointercancel", stop);
  }
  return node;
}

// Puts a new sentence into a place; the number that had the focus keeps it.
function replaceSentence(place, nodes) {
  const held = place.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  place.replaceChildren(...nodes);
  if (held) [...place.querySelectorAll(".drag")].find((each) => each.dataset.name === held)?.focus();
}

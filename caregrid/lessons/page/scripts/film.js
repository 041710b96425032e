// A lesson's player: plain data in, plain data out, so that it can be tested without a browser; the rest is wiring.
"use strict";

const SMALLEST = 0.7; // of a film's own size; narrower screens scroll

const caregrid = {
  start(lesson) {
    return { lesson: lesson, variant: 0, frame: 0, playing: false };
  },
  frames(state) {
    return state.lesson.variants[state.variant].frames;
  },
  choose(state, variant) {
    const last = state.lesson.variants.length - 1;
    const chosen = Math.max(0, Math.min(last, Math.round(Number(variant) || 0)));
    return { ...state, variant: chosen, frame: 0 };
  },
  seek(state, frame) {
    const last = caregrid.frames(state) - 1;
    return { ...state, frame: Math.max(0, Math.min(last, Math.round(Number(frame) || 0))) };
  },
  toggle(state) {
    const atEnd = state.frame === caregrid.frames(state) - 1;
    if (!state.playing && atEnd) return { ...state, playing: true, frame: 0 };
    return { ...state, playing: !state.playing };
  },
  tick(state) {
    if (!state.playing) return state;
    const last = caregrid.frames(state) - 1;
    if (state.frame >= last) return { ...state, playing: false };
    return { ...state, frame: state.frame + 1, playing: state.frame + 1 < last };
  },
  // Where the frame lies on its sprite sheet.
  place(state) {
    const { width, height } = state.lesson, columns = state.lesson.variants[state.variant].columns;
    return { x: (state.frame % columns) * width, y: Math.floor(state.frame / columns) * height, width, height };
  },
};

function wire(section, lesson) {
  const find = (name) => section.querySelector("." + name);
  const [canvas, play, scrub, parameter] = ["film", "play", "scrub", "parameter"].map(find);
  const sheets = lesson.variants.map((variant) => {
    const sheet = new Image();
    sheet.onload = () => show(state);
    sheet.src = variant.sheet;
    return sheet;
  });
  let state = caregrid.start(lesson);

  function show(next) {
    state = next;
    const variant = lesson.variants[state.variant], place = caregrid.place(state), sheet = sheets[state.variant];
    if (sheet.complete && sheet.naturalWidth) {
      canvas.getContext("2d").drawImage(
        sheet, place.x, place.y, place.width, place.height, 0, 0, place.width, place.height);
    }
    play.textContent = state.playing ? "Pause" : "Play";
    scrub.max = variant.frames - 1;
    scrub.value = state.frame;
    parameter.value = state.variant;
    find("label").textContent = variant.label;
    find("summary").textContent = variant.summary;
    parameter.setAttribute("aria-valuetext", variant.label);
    scrub.setAttribute("aria-valuetext", `step ${state.frame + 1} of ${variant.frames}`);
    find("step").textContent = (state.frame + 1) + " of " + variant.frames;
    section.dataset.frame = state.frame;
    section.dataset.variant = state.variant;
  }

  canvas.width = lesson.width;
  canvas.height = lesson.height;
  canvas.style.minWidth = Math.round(lesson.width * SMALLEST) + "px";
  parameter.max = lesson.variants.length - 1;
  play.addEventListener("click", () => show(caregrid.toggle(state)));
  scrub.addEventListener("input", () => show({ ...caregrid.seek(state, scrub.value), playing: false }));
  parameter.addEventListener("input", () => show(caregrid.choose(state, parameter.value)));
  setInterval(() => { if (state.playing) show(caregrid.tick(state)); }, 250);
  show(state);
}

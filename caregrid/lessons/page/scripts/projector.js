// One lesson at a time, large: the arrows of the bar below, or Escape to leave.
"use strict";

const projector = {
  at: 0,
  bar: null,

  lessons: () => [...document.querySelectorAll("main > section")],

  begin() {
    const inView = projector.lessons().findIndex((section) => section.getBoundingClientRect().bottom > 100);
    const says = element("output", { class: "projected" });
    const button = (label, name, onclick) => element("button", { type: "button", "aria-label": name, onclick }, label);
    projector.bar = element("div", { class: "projector-bar" }, button("\u25c0", "lesson before", () => projector.show(projector.at - 1)), says,
      button("\u25b6", "next lesson", () => projector.show(projector.at + 1)), button("Leave (Esc)", "leave the projector", projector.end));
    document.body.append(projector.bar);
    document.body.classList.add("projector");
    document.documentElement.requestFullscreen?.().catch(() => {});
    addEventListener("keydown", projector.leave);
    document.addEventListener("fullscreenchange", projector.left);
    projector.show(scrollY < innerHeight / 2 ? 0 : Math.max(0, inView));
  },

  show(number) {
    const all = projector.lessons();
    projector.at = Math.max(0, Math.min(all.length - 1, number));
    all.forEach((section, i) => section.classList.toggle("on-screen", i === projector.at));
    projector.bar.querySelector(".projected").textContent = `${projector.at + 1} of ${all.length}`;
    scrollTo(0, 0);
    dispatchEvent(new Event("resize"));
  },

  leave(event) {
    if (event.key === "Escape") projector.end();
  },

  left() {
    if (!document.fullscreenElement) projector.end();
  },

  end() {
    if (!projector.bar) return;
    removeEventListener("keydown", projector.leave);
    document.removeEventListener("fullscreenchange", projector.left);
    if (document.fullscreenElement) document.exitFullscreen();
    projector.bar.remove();
    projector.bar = null;
    document.body.classList.remove("projector");
    dispatchEvent(new Event("resize"));
    projector.lessons()[projector.at].scrollIntoView();
  },
};

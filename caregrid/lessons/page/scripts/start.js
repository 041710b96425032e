// Puts everything on the page together.
"use strict";

const data = JSON.parse(document.getElementById("lessons").textContent);
document.querySelector("header").append(workBar());
for (const lesson of data) {
  const section = document.getElementById(lesson.name);
  wireChallenge(section, lesson.challenge);
  if (!lesson.worlds) wire(section, lesson);
  else if (lesson.worlds.every(({ world }) => world.format.startsWith("caregrid live world"))) liveStage(section, lesson.worlds);
  else sweepLesson(section, lesson.worlds);
  wireQuiz(section);
}
const first = data.find((lesson) => lesson.worlds?.[0].world.segments?.[0].newcomers.length);
if (first) openingStage({ board: document.querySelector(".opening-board"), side: document.querySelector(".opening-side") }, { section: document.getElementById(first.name), world: first.worlds[0].world });

// An address that says more than a lesson's name is no place of the page that a browser finds.
function goThere() {
  document.getElementById(location.hash.slice(1).split("?")[0])?.scrollIntoView();
}
if (location.hash.includes("?")) goThere();
addEventListener("hashchange", goThere);
for (const button of document.querySelectorAll("button.print")) {
  button.addEventListener("click", () => {
    const section = button.closest("section"), closed = [...section.querySelectorAll(":is(.explain, .notes):not([open])")];
    const classes = ["one-lesson", button.dataset.prints];
    section.classList.add("printed");
    document.body.classList.add(...classes);
    for (const each of closed) each.open = true;
    print();
    for (const each of closed) each.open = false;
    section.classList.remove("printed");
    document.body.classList.remove(...classes);
  });
}
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault()); // a file that misses an editor
document.documentElement.dataset.ready = Math.round(performance.now());

// Predict: one choice before running; each choice has its feedback, and the rest of the lesson opens.
"use strict";

function wireQuiz(section) {
  const form = section.querySelector("form.predict");
  if (!form) return;
  const rest = section.querySelector(".after-prediction"), says = section.querySelector(".feedback");
  rest.hidden = true;
  const openRest = () => {
    if (!rest.hidden) return;
    rest.hidden = false;
    dispatchEvent(new Event("resize"));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input:checked");
    says.textContent = chosen ? chosen.dataset.feedback : "Choose one of the answers first.";
    says.dataset.right = chosen ? chosen.dataset.right : "";
    if (!chosen) return;
    work.note("predictions", section.id, [...form.querySelectorAll("input")].indexOf(chosen));
    openRest();
  });
  const before = form.querySelectorAll("input")[work.all().predictions[section.id]];
  if (before) {
    before.checked = true;
    form.requestSubmit();
  }
  form.querySelector(".skip").addEventListener("click", openRest);
  if (address.read(section.id)) openRest();
  addEventListener("hashchange", () => address.read(section.id) && openRest());
}

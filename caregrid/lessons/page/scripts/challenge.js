// A challenge of a lesson: whether what one has made meets it, checked exactly, and the link to hand it on.
"use strict";

const challenges = {
  // goal -> (what was made, { number, name, within }) -> whether it is met, or null where it says nothing about it.
  // made: { world, isOwn } of a map, { walk } of a path of one's own, { value, world } of a number line, { total } of a game, { share } of the line of care that games leave open.
  goals: {
    "last break point above": ({ world, isOwn }, { number }) => (isOwn ? axis.points(world).some((point) => point > number) : null),
    "last break point below": ({ world, isOwn }, { number }) => (isOwn ? axis.points(world).every((point) => point < number) : null),
    "first break point above": ({ world, isOwn }, { number }) => (isOwn ? axis.points(world).length > 0 && axis.points(world)[0] > number : null),
    "walk optimal at": ({ walk }, { number }) => (walk ? walk.cares !== null && walk.cares[0] <= number && number <= walk.cares[1] : null),
    "total of at least": ({ total }, { number }) => (total === undefined ? null : total >= number),
    "interval of at most": ({ share }, { number }) => (share === undefined ? null : share <= number),
    "number is": ({ value, world }, { name, number, within }) => (value === undefined ? null
      : Math.abs(sweeps.number(world.segments[axis.index(world, value)].numbers[name], value) - number) <= within),
  },

  met: (goal, made) => (made.number === goal.world ? challenges.goals[goal.goal](made, goal) : null),
};

// Shows a lesson's challenge and listens to what is made in its section.
function wireChallenge(section, goal) {
  const place = section.querySelector(".challenge");
  if (!goal || !place) return;
  const says = element("p", { class: "challenge-says", role: "status" }), link = element("a", { class: "send" }, "Send what you made");
  place.replaceChildren(element("h3", {}, "A challenge"), element("p", {}, goal.text), says, link);

  function show(href) {
    place.dataset.met = href ? "yes" : "no";
    says.textContent = href ? "Met, checked exactly." : "";
    link.hidden = !href;
    if (href) link.href = href;
  }

  show(work.all().met[section.id]);
  section.addEventListener("made", ({ detail }) => {
    const isMet = challenges.met(goal, detail);
    if (isMet === null) return;
    if (isMet) {
      work.note("met", section.id, detail.link);
      show(detail.link);
    } else if (!work.all().met[section.id]) says.textContent = "Not met yet.";
  });
}

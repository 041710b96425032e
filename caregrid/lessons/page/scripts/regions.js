// A map of two coefficients: a polygon for each behaviour; the chosen one's path and returns beside it.
"use strict";

const REGIONS = { size: 420, left: 56, bottom: 48, top: 12, right: 30 };
const TINTS = 6;

// world: one with regions. Returns an element.
function regionsMap(world) {
  const { axes, window: [across, upward], regions } = world.regions, { size, left, bottom, top, right } = REGIONS;
  const x = (number) => left + (number - across[0]) / (across[1] - across[0]) * (size - left - right);
  const y = (number) => size - bottom - (number - upward[0]) / (upward[1] - upward[0]) * (size - bottom - top);
  const text = (region) => `own ${numberText(region.own)}, ${Object.entries(region.others).map(([name, value]) => `${name} ${numberText(value)}`).join(", ")}`;
  const place = element("div", { class: "board-place" }), says = element("p", { class: "summary", "aria-live": "polite" });
  const middle = (corners) => [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);

  const polygons = regions.map((region, number) => svg("polygon", {
    points: region.corners.map(([a, b]) => `${x(a)},${y(b)}`).join(" "), class: `region tint-${number % TINTS}`,
    tabindex: 0, role: "button", "aria-label": `region ${number + 1}: ${text(region)}`,
    onclick: () => choose(number),
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(number); } },
  }));
  const outlined = svg("polygon", { class: "outlined" });
  const labels = regions.map(({ corners }, number) => {
    const [a, b] = middle(corners);
    return svg("text", { class: "number", x: x(a), y: y(b) + 5, "text-anchor": "middle" }, number + 1);
  });
  const ends = [[across, (n) => ({ x: x(n), y: size - bottom + 18, "text-anchor": "middle" })], [upward, (n) => ({ x: left - 6, y: y(n) + 5, "text-anchor": "end" })]]
    .flatMap(([side, at]) => side.map((n) => svg("text", at(n), numberText(Number(n.toPrecision(3))))));
  const drawn = svg("svg", { class: "regions-map", viewBox: `0 0 ${size} ${size}`, role: "group", "aria-label": `${regions.length} regions of the coefficients of ${axes.join(" and ")}` },
    polygons, outlined, labels, ends,
    svg("text", { x: (left + size) / 2, y: size - 8, "text-anchor": "middle" }, `care for ${axes[0]}`),
    svg("text", { x: 0, y: 0, transform: `translate(16 ${size / 2}) rotate(-90)`, "text-anchor": "middle" }, `care for ${axes[1]}`));

  function choose(number) {
    polygons.forEach((polygon, i) => polygon.setAttribute("aria-pressed", i === number));
    outlined.setAttribute("points", polygons[number].getAttribute("points"));
    const region = regions[number];
    says.textContent = `Region ${number + 1}: ${text(region)}.`;
    place.replaceChildren(board.draw({ world, segment: region, before: null, step: region.steps.length - 1, still: true }));
  }

  choose(0);
  return element("div", { class: "regions" }, element("h3", {}, "A coefficient for each: the map of all behaviours"),
    element("p", { class: "legend" }, "Choose a region: in each, one behaviour is optimal. All other coefficients are 1."),
    element("div", { class: "columns" }, element("div", { class: "left" }, drawn), element("div", { class: "right" }, says, place)));
}

// Elements of a page in one line: element("button", { type: "button", onclick }, "Play"), svg("rect", { x: 1 }).
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity));
  return made;
}

// A number with four significant digits; a true minus sign.
function numberText(number) {
  if (number === null || number === undefined || Number.isNaN(number)) return "none";
  if (!Number.isFinite(number)) return number > 0 ? "without end" : "never ends";
  return String(Number(number.toPrecision(4))).replace("-", "\u2212");
}

// Making elements. Whatever comes from the data is set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function list(lines, whenEmpty) {
  if (!lines.length) return element("p", {}, whenEmpty);
  return element("ul", {}, ...lines.map((line) => element("li", { dir: "auto" }, line)));
}

const asPercent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const asCount = (number) => number.toLocaleString("en");
const classColour = (place) => data.colours[Math.min(place, data.colours.length - 1)];

function shortened(name, most = 24) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const half = Math.floor((most - 1) / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}

const TURNING = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

// A name to stand among other words: one from right to left must not turn these around.
function named(name, most = Infinity) {
  const short = shortened(name, most);
  return TURNING.test(short) ? `\u2068${short}\u2069` : short;
}

function shortNumber(value) {
  if (value === null || Number.isNaN(value)) return "–";
  return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential(2)
    : String(Number(value.toPrecision(4)));
}

// A date as the table had it; dates count microseconds since 1970.
function dateInWords(microseconds) {
  const text = new Date(microseconds / 1000).toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
}

// How many of the trees vote for a class, which says nothing of how probable they take it to be.
function agreementInWords(share, place) {
  return `In ${asPercent(share)} of the draws the most probable class is ${named(data.classes[place], 60)}.`;
}

const UNSEEN = -1;

function valueInWords(column, value) {
  if (Number.isNaN(value)) return "missing";
  if (column.kind === "category")
    return value === UNSEEN ? "a level not seen in training" : named(column.levels[value]);
  if (column.kind === "boolean") return value ? "True" : "False";
  return column.kind === "date" ? dateInWords(value) : shortNumber(value);
}

// The probability of a class: its name, a bar, and the interval across it.
function chanceBar(place, mean, lower, upper) {
  const bar = drawn(
    "svg",
    { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { x: 0, y: 0, width: 100, height: 8, fill: "currentColor", opacity: 0.08 }),
    drawn("rect", { x: 0, y: 0, width: 100 * mean, height: 8, fill: classColour(place) }),
    drawn("rect", {
      x: 100 * lower, y: 3, width: 100 * Math.max(upper - lower, 0.004), height: 2,
      fill: "currentColor",
    }),
  );
  return element(
    "div",
    { class: "chance" },
    element("bdi", { title: data.classes[place] }, shortened(data.classes[place], 60)),
    element(
      "span",
      { class: "figure" },
      `${mean.toFixed(3)} [${lower.toFixed(3)}, ${upper.toFixed(3)}]`,
    ),
    bar,
  );
}

const MOST_CLASSES_SHOWN = 12;

// Bars of the most probable classes; means, lower and upper ends are in the order of the classes.
function chanceBars(means, lower, upper) {
  const order = means.map((_, place) => place).sort((a, b) => means[b] - means[a] || a - b);
  const few = data.classes.length <= MOST_CLASSES_SHOWN;
  const shown = few ? means.map((_, place) => place) : order.slice(0, MOST_CLASSES_SHOWN);
  const bars = shown.map((p) => chanceBar(p, means[p], lower[p], upper[p]));
  if (!few) bars.push(element("p", {}, `The ${MOST_CLASSES_SHOWN} most probable classes.`));
  return bars;
}

// A square of a colour, and what the colour stands for.
function legendEntry(paint, words) {
  const square = drawn("rect", { width: 10, height: 10, ...paint });
  return element("span", {}, drawn("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, square), words);
}

function legendOf(places) {
  return places.map((place) =>
    legendEntry(
      { fill: classColour(place) },
      element("bdi", { title: data.classes[place] }, shortened(data.classes[place], 40)),
    ),
  );
}

function classesWithColours() {
  const n = Math.min(data.classes.length, data.colours.length - 1);
  return [...Array(n).keys()];
}

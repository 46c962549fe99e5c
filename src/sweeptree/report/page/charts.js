// Charts: a frame with axes, and what is drawn inside it.

const FRAME = { width: 420, height: 260, left: 52, right: 24, top: 10, bottom: 40 };

function niceTicks(low, high, most = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => (high - low) / s <= most);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    ticks.push(k * step);
  return ticks;
}

// A frame over the ranges x and y; labels name the axes; what is a sentence for those who cannot
// see it.
function frame({ x, y, labels, what, height = FRAME.height, xTicks = null, tickWords = shortNumber }) {
  const { width, left, right, top, bottom } = FRAME;
  const widened = ([low, high]) => (high > low ? [low, high] : [low - 0.5, high + 0.5]);
  const [x0, x1] = widened(x);
  const [y0, y1] = widened(y);
  const toX = (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right);
  const toY = (value) => height - bottom - ((value - y0) / (y1 - y0)) * (height - top - bottom);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": what });
  for (const tick of niceTicks(y0, y1, 4)) {
    svg.append(
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: toY(tick), y2: toY(tick) }),
      drawn("text", { class: "tick", x: left - 6, y: toY(tick) + 4, "text-anchor": "end" }, shortNumber(tick)),
    );
  }
  const places = xTicks ?? niceTicks(x0, x1).map((tick) => [tick, tickWords(tick)]);
  for (const [tick, words] of places)
    svg.append(
      drawn("text", { class: "tick", x: toX(tick), y: height - bottom + 16, "text-anchor": "middle" }, words),
    );
  svg.append(
    drawn("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    drawn("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, labels[0]),
    drawn("text", {
      x: 0, y: 0, "text-anchor": "middle",
      transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`,
    }, labels[1]),
  );
  return { svg, toX, toY };
}

const pathOf = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function addLine({ svg, toX, toY }, xs, ys, attributes = {}) {
  const points = xs.map((x, i) => [toX(x), toY(ys[i])]);
  svg.append(drawn("path", { d: pathOf(points), fill: "none", "stroke-width": 2, ...attributes }));
}

function addBand({ svg, toX, toY }, xs, lower, upper, colour) {
  const there = xs.map((x, i) => [toX(x), toY(upper[i])]);
  const back = xs.map((x, i) => [toX(x), toY(lower[i])]).reverse();
  svg.append(drawn("path", { d: `${pathOf([...there, ...back])}Z`, fill: colour, opacity: 0.25 }));
}

function addWhisker({ svg, toX, toY }, x, low, high, attributes = {}) {
  svg.append(
    drawn("line", {
      class: "ink", x1: toX(x), x2: toX(x), y1: toY(low), y2: toY(high), "stroke-width": 1.5, ...attributes,
    }),
  );
}

// A round point for what is right, a cross for what is wrong: shape tells as much as colour.
function addPoint({ svg, toX, toY }, x, y, isRight) {
  const [px, py] = [toX(x), toY(y)];
  const mark =
    isRight === false
      ? drawn("path", {
          d: `M${px - 4} ${py - 4}L${px + 4} ${py + 4}M${px - 4} ${py + 4}L${px + 4} ${py - 4}`,
          stroke: data.colours[5], "stroke-width": 2,
        })
      : drawn("circle", { cx: px, cy: py, r: 3.5, fill: data.colours[0], "fill-opacity": 0.6 });
  svg.append(mark);
}

function place(id, chart, ...more) {
  const figure = byId(`figure-${id}`);
  if (figure) figure.querySelector(".drawing").replaceChildren(chart.svg, ...more);
}

function rangeOf(numbers) {
  const finite = numbers.filter((number) => number !== null);
  return finite.length
    ? [finite.reduce((a, b) => Math.min(a, b)), finite.reduce((a, b) => Math.max(a, b))]
    : [0, 1];
}

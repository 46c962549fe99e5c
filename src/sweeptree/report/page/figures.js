// The figures on variables, uncertainty and chains.

function showUse() {
  const uses = data.variables.uses.filter((use) => use.splits[0] > 0);
  const table = byId("use-table");
  const head = ["variable", "used by", "splits", "first split"];
  table.append(
    element("caption", {}, "Use of variables, with 95 % Monte-Carlo intervals"),
    element("thead", {}, element("tr", {}, ...head.map((h) => element("th", { scope: "col" }, h)))),
    element("tbody", {}, ...data.variables.uses.map(useRow)),
  );
  const line = 24;
  const left = 170;
  const most = Math.max(...uses.map((use) => use.splits[2]), 1e-9);
  const toX = (value) => left + (value / most) * (FRAME.width - left - 50);
  const height = Math.max(1, uses.length) * line + 8;
  const what = `Mean number of splits on each of ${uses.length} variables; the table below has the numbers.`;
  const svg = drawn("svg", { viewBox: `0 0 ${FRAME.width} ${height}`, role: "img", "aria-label": what });
  uses.forEach((use, i) => {
    const y = i * line + 8;
    const [mean, low, high] = use.splits;
    const { name } = data.columns[use.column];
    svg.append(
      drawn("text", { x: left - 8, y: y + 13, "text-anchor": "end" }, shortened(name, 22), drawn("title", {}, name)),
      drawn("rect", { x: left, y, width: toX(mean) - left, height: 17, fill: data.colours[0], rx: 2 }),
      drawn("line", { class: "ink", x1: toX(low), x2: toX(high), y1: y + 8.5, y2: y + 8.5, "stroke-width": 2 }),
      drawn("text", { class: "tick", x: toX(high) + 6, y: y + 13 }, mean.toFixed(2)),
    );
  });
  const n = data.variables.nColumns - data.variables.uses.length;
  const note = n > 0 ? [element("p", { class: "note" }, n === 1 ? "1 variable that is used less is left out." : `${n} variables that are used less are left out.`)] : [];
  place("use", { svg }, ...note);
}

function useRow(use) {
  const words = ([mean, low, high], inWords) => `${inWords(mean)} (${inWords(low)} to ${inWords(high)})`;
  const asNumber = (value) => value.toFixed(2);
  const asShare = (value) => asPercent(value);
  return element(
    "tr",
    {},
    element("th", { scope: "row", dir: "auto" }, data.columns[use.column].name),
    element("td", {}, words(use.used, asShare)),
    element("td", {}, words(use.splits, asNumber)),
    element("td", {}, words(use.root, asShare)),
  );
}

function startCurves() {
  const select = byId("curve-class");
  if (!select) return;
  select.append(...data.classes.map((label, j) => element("option", { value: j }, shortened(label, 60))));
  select.value = data.classes.length === 2 ? 1 : 0;
  select.addEventListener("change", showCurves);
  showCurves();
}

function showCurves() {
  const j = Number(byId("curve-class").value);
  const top = topOfCurves(j);
  byId("curve-scale").textContent = top < 1 ? `The axes end at ${top}, not at 1.` : "";
  const drawnCurves = data.variables.curves.map((curve) => {
    const { name } = data.columns[curve.column];
    const chart = curve.levels ? levelsChart(curve, j, top) : curveChart(curve, j, top);
    const legend = curve.levels ? [] : [element("span", { class: "legend" }, legendEntry(PAINT_OF_CUTS, "where trees cut"))];
    return element(
      "figure",
      {},
      element("figcaption", { dir: "auto" }, element("strong", {}, name), ...legend),
      element("div", { class: "drawing" }, chart),
    );
  });
  byId("curves").replaceChildren(...drawnCurves);
}

const TOPS = [0.001, 0.01, 0.1].flatMap((power) => [1, 2, 3, 5].map((m) => Number((m * power).toFixed(3))));

// Where the axis of a class ends, the same for all its curves, so that these can be compared.
function topOfCurves(j) {
  const highest = rangeOf(data.variables.curves.flatMap((curve) => ofClass(curve.upper, j)))[1];
  return TOPS.find((top) => highest <= top) ?? 1;
}

const PAINT_OF_CUTS = { fill: "currentColor", opacity: 0.18 };

const ofClass = (rows, j) => rows.map((row) => row[j]);

function curveChart(curve, j, top) {
  const { name, kind } = data.columns[curve.column];
  const [mean, lower, upper] = [curve.mean, curve.lower, curve.upper].map((rows) => ofClass(rows, j));
  const isDate = kind === "date";
  const ends = [curve.grid[0], curve.grid[curve.grid.length - 1]];
  const tickEnds = isDate ? ends.map((at, i) => [at + (i ? -1 : 1) * 0.1 * (ends[1] - ends[0]), dateInWords(at).slice(0, 10)]) : null;
  const last = mean.length - 1;
  const chart = frame({
    x: rangeOf([...curve.grid, ...curve.edges]),
    y: [0, top],
    labels: [shortened(name, 40), `P(${named(data.classes[j], 14)})`],
    what:
      `Probability of ${data.classes[j]} against ${name}: ${mean[0].toFixed(2)} at ` +
      `${curve.words[0]}, ${mean[last].toFixed(2)} at ${curve.words[last]}.`,
    xTicks: tickEnds,
  });
  const most = Math.max(...curve.splits, 1e-9);
  curve.splits.forEach((splits, i) => {
    const [from, to] = [chart.toX(curve.edges[i]), chart.toX(curve.edges[i + 1])];
    const height = (splits / most) * 50;
    chart.svg.append(
      drawn("rect", {
        x: from, width: Math.max(0, to - from), y: chart.toY(0) - height, height, ...PAINT_OF_CUTS,
      }),
    );
  });
  addBand(chart, curve.grid, lower, upper, classColour(j));
  addLine(chart, curve.grid, mean, { stroke: classColour(j) });
  return chart.svg;
}

function levelsChart(curve, j, top) {
  const { name } = data.columns[curve.column];
  const [mean, lower, upper] = [curve.mean, curve.lower, curve.upper].map((rows) => ofClass(rows, j));
  const n = curve.levels.length;
  const room = Math.max(4, Math.floor(44 / n));
  const chart = frame({
    x: [-0.5, n - 0.5],
    y: [0, top],
    labels: [
      n < curve.nLevels ? `${named(name, 30)} (${n} of ${curve.nLevels} levels)` : shortened(name, 40),
      `P(${named(data.classes[j], 14)})`,
    ],
    what:
      `Probability of ${data.classes[j]} by ${name}: ` +
      curve.levels.map((level, i) => `${level} ${mean[i].toFixed(2)}`).join(", "),
    xTicks: n > 12 ? [] : curve.levels.map((level, i) => [i, shortened(level, room)]),
  });
  curve.levels.forEach((level, i) => {
    chart.svg.append(
      drawn("circle", { cx: chart.toX(i), cy: chart.toY(mean[i]), r: 5, fill: classColour(j) },
        drawn("title", {}, `${level}: ${mean[i].toFixed(3)}`)),
    );
    addWhisker(chart, i, lower[i], upper[i]);
  });
  return chart.svg;
}

function showDoubts() {
  if (!data.doubts) return;
  showEntropies(data.doubts.entropies);
  showSplit(data.doubts.entropies.means);
  if (!data.doubts.calibration) return;
  showCalibration(data.doubts.calibration);
  showCoverage(data.doubts.coverage);
  byId("confidence").addEventListener("input", showEnvelope);
  showEnvelope();
}

function showCalibration(bins) {
  const least = Math.min(...bins.map((bin) => Math.min(bin.confidence, bin.accuracy)));
  const ends = [Math.max(0, Math.floor(least * 10 - 1) / 10), 1];
  const chart = frame({
    x: ends,
    y: ends,
    labels: ["probability of the predicted class", "share that is right"],
    what:
      "Calibration: " +
      bins.map((bin) => `sure to ${asPercent(bin.confidence)}, right in ${asPercent(bin.accuracy)}`).join("; "),
  });
  addLine(chart, ends, ends, { class: "axis", "stroke-dasharray": "5 4", "stroke-width": 1 });
  for (const bin of bins) {
    const half = 2 * bin.standard_error;
    addWhisker(chart, bin.confidence, Math.max(ends[0], bin.confidence - half), Math.min(1, bin.confidence + half), { opacity: 0.5 });
    addPoint(chart, bin.confidence, bin.accuracy, true);
  }
  place("calibration", chart);
}

function showCoverage({ coverage, accuracy }) {
  const [least] = rangeOf(accuracy);
  const last = accuracy.length - 1;
  const chart = frame({
    x: [0, 1],
    y: [Math.max(0, Math.floor(least * 20 - 1) / 20), 1],
    labels: ["share of rows answered", "accuracy"],
    what: `Accuracy is ${asPercent(accuracy[last])} if all rows are answered, and ${asPercent(accuracy[0])} for the surest ${asPercent(coverage[0])}.`,
  });
  addLine(chart, coverage, accuracy, { stroke: data.colours[0] });
  place("coverage", chart);
}

function showEntropies({ aleatoric, epistemic, isRight, nRows }) {
  const chart = frame({
    x: [0, rangeOf(aleatoric)[1]],
    y: [0, rangeOf(epistemic)[1]],
    labels: ["noise of the data (aleatoric)", "doubt of the model (epistemic)"],
    what: `Noise of the data up to ${rangeOf(aleatoric)[1].toFixed(3)} nats, doubt of the model up to ${rangeOf(epistemic)[1].toFixed(3)} nats.`,
  });
  aleatoric.forEach((noise, i) => addPoint(chart, noise, epistemic[i], isRight?.[i]));
  const some = aleatoric.length < nRows ? `${asCount(aleatoric.length)} of ${asCount(nRows)} rows. ` : "";
  const marks = isRight ? "Points are predicted rightly, crosses wrongly." : "";
  place("entropies", chart, element("p", { class: "note" }, some + marks));
}

function showSplit({ total, aleatoric, epistemic }) {
  const parts = [
    ["noise of the data", aleatoric, data.colours[4]],
    ["doubt of the model", epistemic, data.colours[1]],
  ];
  const what = `Of ${total.toFixed(3)} nats on average, ${parts.map(([name, value]) => `${value.toFixed(3)} are ${name}`).join(" and ")}.`;
  const svg = drawn("svg", { viewBox: `0 0 ${FRAME.width} 80`, role: "img", "aria-label": what });
  let x = 0;
  for (const [name, value, colour] of parts) {
    const width = total ? (value / total) * FRAME.width : 0;
    svg.append(
      drawn("rect", { x, y: 8, width, height: 26, fill: colour }),
      drawn("text", { x: x ? FRAME.width : 0, y: 52, "text-anchor": x ? "end" : "start" }, `${name}: ${value.toFixed(3)}`),
    );
    x += width || 0.01;
  }
  place("split", { svg }, element("p", { class: "note" }, what));
}

function countEnvelope(confidence) {
  const found = { right: 0, wrong: 0, disagree: 0 };
  for (const [agreement, right, wrong] of data.doubts.envelope) {
    if (agreement >= confidence) {
      found.right += right;
      found.wrong += wrong;
    } else found.disagree += right + wrong;
  }
  return found;
}

function showEnvelope() {
  const confidence = Number(byId("confidence").value);
  byId("confidence-shown").textContent = asPercent(confidence / 1000);
  byId("confidence").setAttribute("aria-valuetext", asPercent(confidence / 1000));
  const found = countEnvelope(confidence);
  const parts = [
    ["the trees agree and are right", found.right, data.colours[2]],
    ["the trees disagree", found.disagree, data.colours[7]],
    ["the trees agree and are wrong", found.wrong, data.colours[5]],
  ];
  const total = found.right + found.wrong + found.disagree;
  let x = 0;
  const bar = drawn("svg", { viewBox: "0 0 100 5", preserveAspectRatio: "none", "aria-hidden": "true", height: 28, width: "100%" });
  for (const [, n, colour] of parts) {
    bar.append(drawn("rect", { x, y: 0, width: (100 * n) / total, height: 5, fill: colour }));
    x += (100 * n) / total;
  }
  const words = parts.map(([name, n, colour]) =>
    legendEntry({ fill: colour }, `${name}: ${asCount(n)} (${asPercent(n / total)})`),
  );
  byId("envelope").replaceChildren(bar, element("div", { class: "legend" }, ...words));
}

function showTraces() {
  const { draws, leaves, logPosterior, nDraws, nChains } = data.traces;
  for (const [id, name, traces] of [
    ["leaves", "leaves", leaves],
    ["posterior", "log posterior", logPosterior],
  ]) {
    const [low, high] = rangeOf(traces.flat());
    const chart = frame({
      x: [0, nDraws],
      y: [low, high],
      labels: ["draw", name],
      what: `Trace of the ${name}, from ${shortNumber(low)} to ${shortNumber(high)}.`,
    });
    traces.forEach((trace, i) => {
      const there = draws.map((_, k) => k).filter((k) => trace[k] !== null);
      addLine(chart, there.map((k) => draws[k]), there.map((k) => trace[k]), {
        stroke: data.colours[i % data.colours.length], "stroke-width": 1, opacity: 0.85,
      });
    });
    const some = [
      draws.length < nDraws ? `${draws.length} of ${asCount(nDraws)} draws of each chain.` : "",
      traces.length < nChains ? `The first ${traces.length} of ${nChains} chains.` : "",
    ];
    place(id, chart, element("p", { class: "note" }, some.join(" ")));
  }
}

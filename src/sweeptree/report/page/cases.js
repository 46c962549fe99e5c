// The table of cases, and the case that was chosen.

const caseView = { sortedBy: "entropy", falling: true, chosen: 0 };

const predictedOf = (each) => each.mean.indexOf(Math.max(...each.mean));

const CASE_COLUMNS = [
  { name: "row", key: (each) => each.row, show: (each) => String(each.row) },
  { name: "class", key: (each) => each.truth ?? -1, show: (each) => (each.truth === null ? "–" : data.classes[each.truth]) },
  { name: "predicted", key: predictedOf, show: (each) => data.classes[predictedOf(each)] },
  { name: "probability", key: (each) => each.mean[predictedOf(each)], show: chanceInWords, isNumber: true },
  { name: "agreement", key: (each) => each.agreement, show: (each) => asPercent(each.agreement), isNumber: true },
  { name: "entropy", key: (each) => each.entropy, show: (each) => each.entropy.toFixed(3), isNumber: true },
  { name: "model doubt", key: (each) => each.epistemic, show: (each) => each.epistemic.toFixed(3), isNumber: true },
];

function chanceInWords(each) {
  const place = predictedOf(each);
  const [mean, low, high] = [each.mean, each.lower, each.upper].map((ps) => ps[place].toFixed(2));
  return `${mean} [${low}, ${high}]`;
}

const isWrong = (each) => each.truth !== null && each.truth !== predictedOf(each);

const CASE_KINDS = {
  all: () => true,
  wrong: isWrong,
  split: (each) => each.agreement < 0.9,
  outside: (each) => each.outside !== "",
};

const valuesOf = (each) => each.values.map((value) => (value === null ? NaN : value));

function wordsOf(each) {
  const values = valuesOf(each).map((value, i) => valueInWords(data.columns[i], value));
  return [...CASE_COLUMNS.map((column) => column.show(each)), ...values].join("\n").toLowerCase();
}

function casesFound() {
  const wanted = byId("case-filter").value.trim().toLowerCase();
  const isKind = CASE_KINDS[byId("case-kind").value];
  const { key } = CASE_COLUMNS.find((column) => column.name === caseView.sortedBy);
  const sign = caseView.falling ? -1 : 1;
  return data.cases.shown
    .filter((each) => isKind(each) && wordsOf(each).includes(wanted))
    .sort((one, other) => sign * (key(one) - key(other)) || one.row - other.row);
}

function showCases() {
  const found = casesFound();
  byId("case-found").textContent = `${found.length} of ${data.cases.shown.length} shown`;
  const table = byId("case-table");
  table.tHead.replaceChildren(element("tr", {}, ...CASE_COLUMNS.map(caseHeading)));
  table.tBodies[0].replaceChildren(...found.map(caseRow));
}

function caseHeading({ name, isNumber }) {
  const isSorted = caseView.sortedBy === name;
  const arrow = isSorted ? (caseView.falling ? " ↓" : " ↑") : "";
  const sort = () => {
    caseView.falling = isSorted ? !caseView.falling : true;
    caseView.sortedBy = name;
    showCases();
    byId("case-table").tHead.querySelector(`[data-name="${name}"]`).focus();
  };
  return element(
    "th",
    {
      scope: "col",
      "aria-sort": isSorted ? (caseView.falling ? "descending" : "ascending") : "none",
      ...(isNumber ? { class: "number" } : {}),
    },
    element("button", { type: "button", "data-name": name, onclick: sort }, name + arrow),
  );
}

function caseRow(each) {
  const row = element("tr", {
    "data-row": each.row,
    "aria-selected": String(caseView.chosen === each),
    onclick: () => chooseCase(each),
  });
  CASE_COLUMNS.forEach((column, i) => {
    const words = column.show(each);
    if (i === 0) row.append(element("th", { scope: "row" }, element("button", { type: "button" }, words)));
    else
      row.append(
        element("td", { dir: "auto", title: words, ...(column.isNumber ? { class: "number" } : {}) }, shortened(words, 30)),
      );
  });
  if (isWrong(each)) row.children[2].append(element("span", { class: "mark bad" }, " ✗ wrong"));
  return row;
}

function chooseCase(each) {
  caseView.chosen = each;
  for (const row of byId("case-table").tBodies[0].rows)
    row.setAttribute("aria-selected", String(Number(row.dataset.row) === each.row));
  showCase(each);
  startWhatIf(valuesOf(each), `row ${each.row}`);
}

function showCase(each) {
  const truth = each.truth === null ? "" : ` It is ${named(data.classes[each.truth])}.`;
  const outside = each.outside ? ` It has values outside what training has seen, in ${each.outside}.` : "";
  const place = predictedOf(each);
  const part = (title, ...content) => element("div", {}, element("h4", {}, title), ...content);
  const values = valuesOf(each).map((value, i) => `${named(data.columns[i].name)}: ${valueInWords(data.columns[i], value)}`);
  const lines = (name, empty) => list(each[name] ?? [], each[name] ? empty : "This needs the training rows.");
  byId("case").replaceChildren(
    element("h4", {}, `Row ${each.row}`),
    element(
      "p",
      { dir: "auto" },
      `Predicted ${named(data.classes[place])}. ${agreementInWords(each.agreement, place)}${truth}${outside}`,
    ),
    element(
      "div",
      { class: "case-parts" },
      part("Probabilities, 95 % intervals", ...chanceBars(each.mean, each.lower, each.upper)),
      part("Most draws ask", lines("conditions", "No condition is shared by half of the draws.")),
      part("The class would change, all else equal, with", lines("changes", "Nothing found.")),
      part("Most similar training cases", lines("similar", "Nothing found.")),
      element("details", {}, element("summary", {}, "Its values"), list(values, "")),
    ),
  );
}

function startCases() {
  const { shown, nRows, areTraining } = data.cases;
  byId("case-part").hidden = !shown.length;
  const which = areTraining ? "training rows (no test rows were given; the model has seen these)" : "test rows";
  const sizes = shown.length < nRows ? `The ${shown.length} most uncertain of ${asCount(nRows)}` : `All ${shown.length}`;
  const how = "Probabilities rest on all draws; conditions, changes and similar cases on those of this page.";
  byId("case-count").textContent = shown.length
    ? `${sizes} ${which}, most uncertain first. ${how}`
    : "There are no rows: no test rows were given, and the model was saved without its training rows.";
  if (!shown.length) {
    startWhatIf(typicalValues(), "typical values");
    return;
  }
  byId("case-filter").addEventListener("input", showCases);
  byId("case-kind").addEventListener("change", showCases);
  caseView.chosen = casesFound()[0];
  showCases();
  chooseCase(caseView.chosen);
}

// What would be predicted if the values of a case were different.

const whatIf = { values: [], result: null };

function typicalValues() {
  const values = data.columns.map(() => NaN);
  for (const { column, start } of data.cases.inputs) values[column] = start;
  return values;
}

function startWhatIf(values, from) {
  whatIf.values = [...values];
  whatIf.start = [...values];
  whatIf.from = from;
  const reset = element("button", { type: "button", id: "what-if-reset", onclick: () => startWhatIf(values, from) }, `Back to ${from}`);
  byId("what-if").replaceChildren(...data.cases.inputs.map(inputFor), element("div", {}, reset));
  showWhatIf();
}

function setValue(column, value) {
  whatIf.values[column] = value;
  showWhatIf();
}

function inputFor(input) {
  const column = data.columns[input.column];
  const make = { number: numberInput, date: dateInput, boolean: choiceInput, category: choiceInput };
  return element(
    "fieldset",
    { class: "input", "data-column": input.column },
    element("legend", { dir: "auto", title: column.name }, shortened(column.name, 60)),
    element("div", { class: "line" }, ...make[column.kind](input, column)),
  );
}

function choiceInput(input, column) {
  const levels = column.kind === "boolean" ? ["False", "True"] : column.levels;
  const options = levels.map((level, i) => element("option", { value: i }, shortened(level, 80)));
  if (column.kind === "category")
    options.push(element("option", { value: UNSEEN }, "a level not seen in training"));
  options.push(element("option", { value: "missing" }, "missing"));
  const select = element("select", { "aria-label": column.name }, ...options);
  const present = whatIf.values[input.column];
  select.value = Number.isNaN(present) ? "missing" : String(present);
  select.addEventListener("change", () =>
    setValue(input.column, select.value === "missing" ? NaN : Number(select.value)),
  );
  return [select];
}

function missingBox(input, column, fields, present) {
  const box = element("input", { type: "checkbox" });
  box.checked = Number.isNaN(present);
  const apply = () => fields.forEach((field) => (field.disabled = box.checked));
  box.addEventListener("change", () => {
    apply();
    fields[0].dispatchEvent(new Event("input"));
  });
  apply();
  return [box, element("label", { class: "missing" }, box, " missing")];
}

function numberInput(input, column) {
  const present = whatIf.values[input.column];
  const shown = Number.isNaN(present) ? input.start : present;
  const low = Math.min(input.low, shown);
  const high = Math.max(input.high, shown);
  const slider = element("input", { type: "range", step: "any", min: low, max: high, "aria-label": `${column.name}, slider` });
  const number = element("input", { type: "number", step: "any", "aria-label": column.name });
  slider.value = shown;
  number.value = shown;
  const [box, label] = missingBox(input, column, [number, slider], present);
  const take = (from, value) => {
    const isThere = !box.checked && from.value !== "" && Number.isFinite(value);
    setValue(input.column, isThere ? value : NaN);
  };
  number.addEventListener("input", () => {
    slider.value = number.value;
    take(number, Number(number.value));
  });
  slider.addEventListener("input", () => {
    number.value = Number(Number(slider.value).toPrecision(4));
    take(number, Number(number.value));
  });
  return [slider, number, label];
}

function dateInput(input, column) {
  const present = whatIf.values[input.column];
  const shown = new Date((Number.isNaN(present) ? input.start : present) / 1000).toISOString();
  const kind = input.hasTime ? "datetime-local" : "date";
  const field = element("input", { type: kind, "aria-label": column.name, ...(input.hasTime ? { step: 1 } : {}) });
  field.value = shown.slice(0, input.hasTime ? 19 : 10);
  const [box, label] = missingBox(input, column, [field], present);
  field.addEventListener("input", () => {
    const time = input.hasTime ? Date.parse(`${field.value}Z`) : Date.parse(field.value);
    setValue(input.column, box.checked ? NaN : 1000 * time);
  });
  return [field, label];
}

function changedInWords() {
  return data.columns
    .map((column, i) => [column, whatIf.start[i], whatIf.values[i]])
    .filter(([, before, now]) => !Object.is(before, now))
    .map(([column, before, now]) => `${named(column.name)}: ${valueInWords(column, now)} instead of ${valueInWords(column, before)}`);
}

function showWhatIf() {
  const means = predict(whatIf.values);
  const ends = predictInterval(whatIf.values);
  const place = means.indexOf(Math.max(...means));
  const before = predict(whatIf.start);
  const panel = byId("what-if-result");
  panel.dataset.means = JSON.stringify(means);
  panel.replaceChildren(
    element("h4", { dir: "auto" }, `Predicted: ${named(data.classes[place], 60)}`),
    ...chanceBars(means, ends.map((end) => end[0]), ends.map((end) => end[1])),
    element("p", {}, `${agreementInWords(agreementOn(whatIf.values, place), place)} From ${whatIf.from}, where its probability was ${before[place].toFixed(3)}.`),
    list(changedInWords(), "Nothing changed yet."),
  );
}

function noteOnWhatIf() {
  const { nDraws, nDrawsHere } = data.forest;
  const { error, inputs } = data.cases;
  const all = nDrawsHere === nDraws;
  const draws = all ? `all ${asCount(nDraws)} draws` : `${asCount(nDrawsHere)} of ${asCount(nDraws)} draws, evenly spread`;
  const off = !error
    ? "There are no rows to tell how far that is from all of them."
    : all
      ? "This is what the model itself predicts."
      : `On the ${data.cases.areTraining ? "training" : "test"} rows its probabilities differ from those of all draws by ${shortNumber(error.mean)} on average and ${shortNumber(error.largest)} at most.`;
  const left = data.columns.length - inputs.length;
  const unused = left ? ` ${left === 1 ? "1 column" : `${left} columns`} that none of these trees asks about ${left === 1 ? "is" : "are"} left out.` : "";
  byId("what-if-note").textContent =
    `Computed in this page from ${draws}. ${off}${unused} It speaks of the model, not of causes.`;
}

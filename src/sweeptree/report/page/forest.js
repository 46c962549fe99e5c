// Trees, and what is predicted from them.

// A tree from its record: nodes in preorder, with their children, parents and training rows.
function grownTree(record) {
  const nClasses = data.classes.length;
  const tree = { ...record, nodes: [] };
  let leaf = 0;
  let asked = 0;
  const grow = (parent, isLeft) => {
    const place = tree.nodes.length;
    const number = record.nodes[place];
    const node = { place, parent, isLeft, question: null };
    tree.nodes.push(node);
    if (number === -1) {
      node.counts = record.counts.slice(leaf * nClasses, (leaf + 1) * nClasses);
      leaf += 1;
      return node;
    }
    node.question = data.forest.questions[number];
    if (node.question.test === "at most") {
      node.threshold = record.thresholds[asked];
      node.shown = record.shown[asked];
      asked += 1;
    }
    node.left = grow(node, true);
    node.right = grow(node, false);
    node.counts = node.left.counts.map((count, j) => count + node.right.counts[j]);
    return node;
  };
  tree.root = grow(null, null);
  return tree;
}

function goesLeft(node, value) {
  const { test, level, missingLeft } = node.question;
  if (Number.isNaN(value)) return missingLeft;
  if (test === "at most") return value <= node.threshold;
  if (test === "is level") return value === level;
  if (test === "is missing") return false;
  return value < 0 ? missingLeft : ((level >> value) & 1) === 1;
}

function leafOf(tree, values) {
  let node = tree.root;
  while (node.question) node = goesLeft(node, values[node.question.column]) ? node.left : node.right;
  return node;
}

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

// The leaves that a case falls into: {weight, parameters of the Dirichlet}.
function dirichletsOf(values) {
  const found = [];
  for (const tree of trees()) {
    const { counts } = leafOf(tree, values);
    for (const [which, weight] of tree.alphas)
      if (weight > 0) found.push({ weight, parameters: withAlpha(counts, which) });
  }
  return found;
}

function withAlpha(counts, which) {
  return counts.map((count, j) => count + data.forest.alphas[which][j]);
}

// Whether the class probabilities in a leaf are uncertain: not so under the plug-in likelihood.
function hasSpread() {
  return data.forest.alphas[0].some((alpha) => alpha > 0);
}

// Class probabilities of a case, averaged over the draws of this page.
function predict(values) {
  const means = data.classes.map(() => 0);
  for (const { weight, parameters } of dirichletsOf(values)) {
    const total = sumOf(parameters);
    parameters.forEach((parameter, j) => (means[j] += (weight * parameter) / total));
  }
  const total = sumOf(means);
  return means.map((mean) => mean / total);
}

// The 95 % interval of each class probability of a case.
function predictInterval(values) {
  const found = dirichletsOf(values);
  const spread = hasSpread();
  return data.classes.map((_, j) => {
    const parts = found.map(({ weight, parameters }) => betaOf(parameters, j, weight, spread));
    const pooled = pooledParts(parts);
    return [mixtureQuantile(pooled, 0.025), mixtureQuantile(pooled, 0.975)];
  });
}

// The share of draws that vote for the class that is most probable.
function agreementOn(values, place) {
  let agreement = 0;
  let total = 0;
  for (const { weight, parameters } of dirichletsOf(values)) {
    const most = Math.max(...parameters);
    const nTied = parameters.filter((parameter) => parameter === most).length;
    if (parameters[place] === most) agreement += weight / nTied;
    total += weight;
  }
  return agreement / total;
}

// The probability of one class in a Dirichlet; without spread it is a single value.
function betaOf(parameters, j, weight, spread) {
  const a = parameters[j];
  const total = sumOf(parameters);
  return spread ? { weight, a, b: total - a } : { weight, value: a / total };
}

// Class probabilities of a node with their intervals, under the first value of alpha of its tree.
function chancesOf(tree, node) {
  const [which] = tree.alphas[0];
  const parameters = withAlpha(node.counts, which);
  const total = sumOf(parameters);
  const ends = parameters.map((_, j) => {
    const part = betaOf(parameters, j, 1, hasSpread());
    return [mixtureQuantile([part], 0.025), mixtureQuantile([part], 0.975)];
  });
  return {
    means: parameters.map((parameter) => parameter / total),
    lower: ends.map((end) => end[0]),
    upper: ends.map((end) => end[1]),
  };
}

// What holds on one side of a node, in words; the name may be shortened.
function sideInWords(node, isLeft, most = Infinity) {
  const { column } = node.question;
  const parts = isLeft ? node.question.yes : node.question.no;
  const words = parts.length > 1 ? parts.join(node.shown).replace(">  ", "> ") : parts[0];
  return named(data.columns[column].name, most) + words;
}

let grown = null;

// The trees of this page, grown when they are first needed.
function trees() {
  grown ??= data.forest.trees.map(grownTree);
  return grown;
}

// The viewer of trees: one tree at a time, folded, zoomed, walked through by keys.

const VIEW = { line: 30, gap: 46, bar: 60, margin: 8, name: 24, leastZoom: 0.2, readableZoom: 0.7 };
const KIND_NAMES = { map: "Most probable", confident: "Confident", central: "Central" };

const viewer = { tree: null, folded: new Set(), chosen: 0, zoom: 1, size: [0, 0], groups: new Map() };

const pen = document.createElement("canvas").getContext("2d");
pen.font = `13px ${getComputedStyle(document.body).fontFamily}`;
const widthOf = (text) => pen.measureText(text).width;

const isOpen = (node) => node.question && !viewer.folded.has(node.place);

function visibleNodes(node = viewer.tree.root) {
  return isOpen(node) ? [node, ...visibleNodes(node.left), ...visibleNodes(node.right)] : [node];
}

function depthOf(node) {
  return node.parent ? depthOf(node.parent) + 1 : 0;
}

function predictedIn(node) {
  const means = chancesOf(viewer.tree, node).means;
  const place = means.indexOf(Math.max(...means));
  return { means, place };
}

function boxText(node) {
  if (isOpen(node)) return sideInWords(node, true, VIEW.name);
  const { means, place } = predictedIn(node);
  const n = asCount(sumOf(node.counts));
  const name = named(data.classes[place], VIEW.name);
  return `${node.question ? "▸ " : ""}${name} ${means[place].toFixed(2)}  n = ${n}`;
}

// Leaves on a line each; a splitting node in the middle between its children.
function laidOut() {
  const places = new Map();
  let nLines = 0;
  const lay = (node, x) => {
    const text = shortened(boxText(node), 46);
    const width = widthOf(text) + (isOpen(node) ? 16 : VIEW.bar + 12);
    const here = { x, y: 0, width, text };
    places.set(node, here);
    if (isOpen(node)) {
      const next = x + width + VIEW.gap;
      here.y = (lay(node.left, next).y + lay(node.right, next).y) / 2;
    } else {
      here.y = VIEW.line * (nLines + 0.5) + VIEW.margin;
      nLines += 1;
    }
    return here;
  };
  lay(viewer.tree.root, VIEW.margin);
  const widest = Math.max(...[...places.values()].map((here) => here.x + here.width));
  viewer.size = [widest + VIEW.margin, nLines * VIEW.line + 2 * VIEW.margin];
  return places;
}

function drawTree() {
  const svg = byId("tree");
  const places = laidOut();
  viewer.groups = new Map();
  const branches = [];
  for (const [node, here] of places) {
    viewer.groups.set(node.place, drawnNode(node, here));
    if (node.parent) branches.push(...drawnBranch(places.get(node.parent), here, node.isLeft));
  }
  svg.replaceChildren(...branches, ...viewer.groups.values());
  svg.setAttribute("viewBox", `0 0 ${viewer.size[0]} ${viewer.size[1]}`);
  applyZoom();
}

function drawnBranch(from, to, isLeft) {
  const start = from.x + from.width;
  const d = `M${start} ${from.y}C${start + 16} ${from.y} ${start + 4} ${to.y} ${start + 20} ${to.y}H${to.x}`;
  return [
    drawn("path", { class: "branch", d }),
    drawn("text", { class: "answer", x: start + 22, y: to.y - 4 }, isLeft ? "yes" : "no"),
  ];
}

function drawnNode(node, here) {
  const group = drawn("g", {
    class: "node",
    role: "treeitem",
    tabindex: -1,
    "aria-level": depthOf(node) + 1,
    "aria-label": nodeInWords(node),
    "data-place": node.place,
    onclick: () => (viewer.chosen === node.place ? toggleFold(node) : choose(node.place, true)),
    onmouseenter: () => showNode(node),
    onmouseleave: () => showNode(viewer.tree.nodes[viewer.chosen]),
    onfocus: () => choose(node.place, false),
  });
  if (node.question) group.setAttribute("aria-expanded", String(Boolean(isOpen(node))));
  const top = here.y - 11;
  if (isOpen(node)) {
    group.append(drawn("rect", { class: "box", x: here.x, y: top, width: here.width, height: 22, rx: 6 }));
  } else {
    group.append(...classBars(node, here));
  }
  const textStart = isOpen(node) ? here.x + 8 : here.x + VIEW.bar + 8;
  group.append(
    drawn("text", { x: textStart, y: here.y + 4 }, here.text),
    drawn("rect", { class: "ring", x: here.x - 2, y: top - 1, width: here.width + 4, height: 24, rx: 7 }),
  );
  return group;
}

function classBars(node, here) {
  let x = here.x;
  return predictedIn(node).means.map((mean, place) => {
    const bar = drawn("rect", { x, y: here.y - 7, width: mean * VIEW.bar, height: 14, fill: classColour(place) });
    x += mean * VIEW.bar;
    return bar;
  });
}

function nodeInWords(node) {
  const rows = `${asCount(sumOf(node.counts))} rows`;
  const how = node.parent ? `${sideInWords(node.parent, node.isLeft)}: ` : "";
  if (node.question) return `${how}asks whether ${sideInWords(node, true)}; ${rows}`;
  const { means, place } = predictedIn(node);
  return `${how}${named(data.classes[place])} with probability ${means[place].toFixed(2)}; ${rows}`;
}

function choose(place, takesFocus) {
  viewer.chosen = place;
  for (const [each, group] of viewer.groups) {
    group.classList.toggle("chosen", each === place);
    group.setAttribute("tabindex", each === place ? 0 : -1);
  }
  showNode(viewer.tree.nodes[place]);
  if (takesFocus) viewer.groups.get(place).focus();
}

function showNode(node) {
  const way = [];
  for (let each = node; each.parent; each = each.parent)
    way.unshift(sideInWords(each.parent, each.isLeft));
  const { means, lower, upper } = chancesOf(viewer.tree, node);
  byId("node").replaceChildren(
    element("h4", { dir: "auto" }, node.question ? `${sideInWords(node, true)}?` : "Leaf"),
    ...chanceBars(means, lower, upper),
    element("p", { dir: "auto" }, `${asCount(sumOf(node.counts))} training rows (${rowsInWords(node.counts)})`),
    element("h4", {}, "The way here"),
    list(way, "The first node."),
  );
}

// Rows of each class that is there; of many classes, those with most rows.
function rowsInWords(counts) {
  const there = counts.map((count, j) => [named(data.classes[j]), count]).filter(([, count]) => count);
  const few = there.length <= MOST_CLASSES_SHOWN;
  const shown = few ? there : there.sort((a, b) => b[1] - a[1]).slice(0, MOST_CLASSES_SHOWN);
  const words = shown.map(([label, count]) => `${label}: ${asCount(count)}`).join(", ");
  return few ? words : `${words}, and ${there.length - shown.length} more classes`;
}

function toggleFold(node) {
  if (!node.question) return;
  if (!viewer.folded.delete(node.place)) viewer.folded.add(node.place);
  drawTree();
  choose(node.place, true);
}

function applyZoom() {
  const svg = byId("tree");
  svg.setAttribute("width", viewer.size[0] * viewer.zoom);
  svg.setAttribute("height", viewer.size[1] * viewer.zoom);
}

function zoomBy(factor) {
  viewer.zoom = Math.min(3, Math.max(VIEW.leastZoom, viewer.zoom * factor));
  applyZoom();
}

function zoomToFit() {
  const room = byId("tree-scroll").clientWidth - 4;
  viewer.zoom = Math.min(1, Math.max(VIEW.leastZoom, room / viewer.size[0]));
  applyZoom();
}

// Folds the deepest questions until the rest can be read without scrolling; two levels stay open.
function foldToBeRead() {
  const depth = new Map(viewer.tree.nodes.map((node) => [node, depthOf(node)]));
  const room = byId("tree-scroll").clientWidth - 4;
  laidOut();
  for (let level = Math.max(...depth.values()) - 1; level >= 2; level -= 1) {
    if (viewer.size[0] * VIEW.readableZoom <= room) return;
    for (const node of viewer.tree.nodes)
      if (node.question && depth.get(node) === level) viewer.folded.add(node.place);
    laidOut();
  }
}

function moveByKey(event) {
  const node = viewer.tree.nodes[viewer.chosen];
  const shown = visibleNodes();
  const at = shown.indexOf(node);
  const folds = event.key === "Enter" || event.key === " ";
  if (folds || (event.key === "ArrowRight" && node.question && !isOpen(node))) {
    event.preventDefault();
    toggleFold(node);
    return;
  }
  const next = {
    ArrowRight: isOpen(node) ? node.left : null,
    ArrowLeft: node.parent,
    ArrowUp: shown[at - 1],
    ArrowDown: shown[at + 1],
    Home: shown[0],
    End: shown[shown.length - 1],
  };
  if (!(event.key in next)) return;
  event.preventDefault();
  if (next[event.key]) choose(next[event.key].place, true);
}

function showTree(tree, title) {
  viewer.tree = tree;
  viewer.folded.clear();
  byId("tree-title").textContent = title;
  foldToBeRead();
  drawTree();
  zoomToFit();
  choose(0, false);
}

function treeInWords(tree) {
  const n = tree.nodes.filter((node) => !node.question).length;
  return `${n} ${n === 1 ? "leaf" : "leaves"}; ${asPercent(tree.share, 2)} of all draws are this very tree`;
}

function showSliderTree() {
  const place = Number(byId("tree-slider").value);
  const tree = trees()[place];
  const n = data.forest.trees.length;
  byId("tree-number").textContent = `${place + 1} of ${n}`;
  byId("tree-slider").setAttribute("aria-valuetext", `tree ${place + 1} of ${n}`);
  pressRepresentative(null);
  showTree(tree, `Tree ${place + 1}: ${treeInWords(tree)}.`);
}

function showRepresentative(record, button) {
  const tree = grownTree(record);
  pressRepresentative(button);
  showTree(
    tree,
    `${KIND_NAMES[record.kind]} tree: ${treeInWords(tree)}; it gives the same class as ${asPercent(record.speaksFor)} of the votes.`,
  );
}

function pressRepresentative(button) {
  for (const each of byId("representatives").children)
    each.setAttribute("aria-pressed", String(each === button));
}

function startViewer() {
  const { trees: shown, nTrees, nDraws, representative } = data.forest;
  byId("tree-count").textContent =
    shown.length === nTrees
      ? `All ${asCount(nTrees)} distinct trees of the ${asCount(nDraws)} draws, those with most draws first.`
      : `${asCount(shown.length)} of ${asCount(nTrees)} distinct trees: the heaviest, and an even spread over the ${asCount(nDraws)} draws; those with most draws first.`;
  byId("tree-legend").append(...legendOf(classesWithColours()));
  byId("tree-slider").max = shown.length - 1;
  byId("tree-slider").addEventListener("input", showSliderTree);
  byId("zoom-in").addEventListener("click", () => zoomBy(1.25));
  byId("zoom-out").addEventListener("click", () => zoomBy(0.8));
  byId("zoom-fit").addEventListener("click", zoomToFit);
  byId("unfold").addEventListener("click", () => {
    viewer.folded.clear();
    drawTree();
    zoomToFit();
    choose(0, false);
  });
  byId("tree").addEventListener("keydown", moveByKey);
  const buttons = representative.map((record) => {
    const button = element("button", { type: "button", "aria-pressed": "false" }, KIND_NAMES[record.kind]);
    button.addEventListener("click", () => showRepresentative(record, button));
    return button;
  });
  byId("representatives").append(...buttons);
  showSliderTree();
  if (buttons.length) buttons[buttons.length - 1].click();
}

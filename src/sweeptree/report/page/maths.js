// Quantiles of mixtures of beta distributions.

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

function logGamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i] / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// Probability that a beta variable is at most x.
function betaBelow(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  const logFront =
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(logFront) * betaFraction(x, a, b)) / a;
}

// The continued fraction of the incomplete beta function, by Lentz's method.
function betaFraction(x, a, b) {
  const tiny = 1e-300;
  const kept = (value) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / kept(1 + term * d);
      c = kept(1 + term / c);
      step = d * c;
      fraction *= step;
    }
    if (Math.abs(step - 1) < 1e-13) break;
  }
  return fraction;
}

// The value below which a mixture has a given share; its parts are {weight, a, b}, or, as under
// the plug-in likelihood, {weight, value}.
function mixtureQuantile(parts, share) {
  const total = parts.reduce((sum, part) => sum + part.weight, 0);
  if (parts.some((part) => "value" in part)) return pointQuantile(parts, share * total);
  let low = 0;
  let high = 1;
  while (high - low > 1e-7) {
    const middle = (low + high) / 2;
    const below = parts.reduce((sum, p) => sum + p.weight * betaBelow(middle, p.a, p.b), 0);
    if (below < share * total) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function pointQuantile(parts, wanted) {
  const points = [...parts].sort((one, other) => one.value - other.value);
  let below = 0;
  for (const { value, weight } of points) {
    below += weight;
    if (below >= wanted - 1e-12) return value;
  }
  return points[points.length - 1].value;
}

// Draws with the same numbers count as one part, which saves most of the work.
function pooledParts(parts) {
  const pooled = new Map();
  for (const part of parts) {
    const key = `${part.a},${part.b},${part.value}`;
    const there = pooled.get(key);
    if (there) there.weight += part.weight;
    else pooled.set(key, { ...part });
  }
  return [...pooled.values()];
}

"""Have the chains converged? R-hat and effective sample size after Vehtari et al. (2021)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.posterior import Traces
from sweeptree.verdict import FEWEST_DRAWS, Verdict


class Convergence(NamedTuple):
    """Diagnostics of one traced quantity."""

    rhat: float
    ess_bulk: float
    ess_tail: float


def convergence(traces: Traces) -> dict[str, Convergence]:
    """Diagnose the number of leaves and the log posterior.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=500, random_state=0).fit(X, y)
    >>> sorted(convergence(model.posterior_))
    ['log_posterior', 'n_leaves']
    """
    return {
        "n_leaves": diagnose(traces.n_leaves.astype(np.float64)),
        "log_posterior": diagnose(traces.log_posterior),
    }


def judge_traces(traces: Traces) -> Verdict:
    """Tell what the traces tell; the spread of the predictions is left open."""
    leaves, log_posterior = traces.n_leaves.astype(np.float64), traces.log_posterior
    with np.errstate(invalid="ignore"):
        return Verdict(rhat(leaves), rhat(log_posterior), ess_bulk(leaves), ess_bulk(log_posterior))


def diagnose(trace: FloatArray) -> Convergence:
    """Diagnose a (chain, draw) array; a log posterior may be minus infinity."""
    with np.errstate(invalid="ignore"):
        return Convergence(rhat(trace), ess_bulk(trace), ess_tail(trace))


def rhat(trace: FloatArray) -> float:
    """Rank-normalised split R-hat: the larger of its bulk and its tail version.

    A trace that never varies has R-hat 1: there is nothing about which chains could disagree.
    Chains that each stay at a value of their own have R-hat infinity.

    Parameters
    ----------
    trace : array of shape (n_chains, n_draws)

    Examples
    --------
    >>> import numpy as np
    >>> chains = np.random.default_rng(0).normal(size=(4, 1000))
    >>> round(rhat(chains), 2)
    1.0
    >>> rhat(chains + [[0], [0], [0], [5]]) > 1.5
    True
    """
    if _is_short(trace):
        return np.nan
    if _is_constant(trace):
        return 1.0
    halves = _split_chains(trace)
    folded = np.abs(halves - np.median(halves))
    return max(_plain_rhat(_rank_normalise(halves)), _plain_rhat(_rank_normalise(folded)))


def ess_bulk(trace: FloatArray) -> float:
    """Effective number of draws for the centre of the distribution.

    Parameters
    ----------
    trace : array of shape (n_chains, n_draws)

    Examples
    --------
    >>> import numpy as np
    >>> chains = np.random.default_rng(0).normal(size=(4, 1000))
    >>> 3000 < ess_bulk(chains) < 5000
    True
    """
    if _is_short(trace):
        return np.nan
    return _ess(_rank_normalise(_split_chains(trace)))


def ess_tail(trace: FloatArray) -> float:
    """Effective number of draws for the 5 % and 95 % quantiles, the smaller of the two.

    Parameters
    ----------
    trace : array of shape (n_chains, n_draws)

    Examples
    --------
    >>> import numpy as np
    >>> chains = np.random.default_rng(0).normal(size=(4, 1000))
    >>> 3000 < ess_tail(chains) < 5000
    True
    """
    if _is_short(trace):
        return np.nan
    quantiles = np.quantile(trace, (0.05, 0.95))
    return min(_ess(_split_chains((trace <= q).astype(np.float64))) for q in quantiles)


def standard_error_of_mean(trace: FloatArray) -> float:
    """Monte-Carlo standard error of a trace's mean: its standard deviation over √ESS.

    Parameters
    ----------
    trace : array of shape (n_chains, n_draws)

    Examples
    --------
    >>> import numpy as np
    >>> chains = np.random.default_rng(0).normal(size=(4, 1000))
    >>> 0.014 < standard_error_of_mean(chains) < 0.018
    True
    """
    if _is_short(trace):
        return np.nan
    return float(trace.std() / np.sqrt(_ess(_split_chains(trace))))


def _is_short(trace: FloatArray) -> bool:
    return bool(trace.shape[1] < FEWEST_DRAWS)


def _is_constant(trace: FloatArray) -> bool:
    return bool((trace == trace.flat[0]).all())


def _split_chains(trace: FloatArray) -> FloatArray:
    half = trace.shape[1] // 2
    return np.concatenate((trace[:, :half], trace[:, -half:]))


def _rank_normalise(trace: FloatArray) -> FloatArray:
    """Replace values by the normal scores of their average ranks."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    ranks = rankdata(trace, method="average").reshape(trace.shape)
    scores: FloatArray = ndtri((ranks - 0.375) / (trace.size + 0.25))
    return scores


def _plain_rhat(trace: FloatArray) -> float:
    if (trace == trace[:, :1]).all():  # stuck; of the folded trace, always as far from the median
        return 1.0 if _is_constant(trace) else np.inf
    n = trace.shape[1]
    within = trace.var(axis=1, ddof=1).mean()
    between = n * trace.mean(axis=1).var(ddof=1)
    return float(np.sqrt((between / within + n - 1) / n))


def _ess(trace: FloatArray) -> float:
    """Effective sample size by Geyer's initial monotone sequence of autocorrelation pairs."""
    n_chains, n = trace.shape
    if _is_constant(trace):
        return float(trace.size)
    covariance = _autocovariance(trace).mean(axis=0)
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + (trace.mean(axis=1).var(ddof=1) if n_chains > 1 else 0.0)
    correlation = 1.0 - (within - covariance) / total
    correlation[0] = 1.0
    n_pairs = max((n - 1) // 2, 1)
    pairs = correlation[: 2 * n_pairs].reshape(n_pairs, 2).sum(axis=1)
    not_positive = np.flatnonzero(pairs <= 0.0)
    last = int(not_positive[0]) if len(not_positive) else n_pairs - 1
    half_pair = float(correlation[2 * last])
    if pairs[last] < 0.0:
        half_pair = max(half_pair, 0.0)
    tau = -1.0 + 2.0 * float(np.minimum.accumulate(pairs[:last]).sum()) + half_pair
    return float(trace.size / max(tau, 1.0 / np.log10(trace.size)))


def _autocovariance(trace: FloatArray) -> FloatArray:
    """(chain, lag): biased autocovariance, by the Fourier transform."""
    from scipy.fft import irfft, next_fast_len, rfft

    n = trace.shape[1]
    padded = next_fast_len(2 * n)
    spectrum = rfft(trace - trace.mean(axis=1, keepdims=True), n=padded, axis=1)
    covariance: FloatArray = irfft(np.abs(spectrum) ** 2, n=padded, axis=1)[:, :n] / n
    return covariance

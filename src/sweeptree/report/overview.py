"""What was fitted, how good it is, and where to be careful, in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sweeptree.baseline import Baseline, baseline_scores, training_counts
from sweeptree.columns import IN_WORDS
from sweeptree.fitted import column_names
from sweeptree.names import listed
from sweeptree.prediction import chain_means
from sweeptree.report.evidence import Evidence
from sweeptree.report.headline import (
    Calibration,
    Score,
    as_cells,
    calibration_cells,
    headline_scores,
    judge_calibration,
)
from sweeptree.report.isolation import isolated
from sweeptree.report.subject import counted, is_or_are, subject
from sweeptree.summary import convergence_in_words
from sweeptree.uncertainty.report import is_lead_in_doubt, most_affected, outside_training

FEW_ROWS = 20
"""A class with fewer training rows than this is known only roughly."""
MOST_CLASSES_LISTED = 12
CALIBRATION_NOT_KNOWN = {
    "is_good": None,
    "title": "Calibration not known",
    "words": "Whether the probabilities can be believed is only seen on rows with known classes "
    "that the model was not fitted on.",
}
NOT_CONVERGED = "The chains have not converged: all that is said here is provisional."
TOO_FEW_ROWS_TO_TELL = {
    "is_good": None,
    "title": "Calibration not known",
    "words": "There are too few test rows to tell: if every prediction were wrong, that would not "
    "stand out from chance.",
}
PRIORS = {
    "geometric": "each leaf more is exp({leaf_penalty:g}) times less likely",
    "uniform": "every number of leaves equally likely",
    "paper": "every number of leaves equally likely, as the paper prints it",
    "flat": "every tree equally likely",
    "depth": "splits less likely the deeper they are (gamma {gamma:g}, delta {delta:g})",
    "range": "splits as likely as there is room for them (split_chance {split_chance:g})",
}


def overview(evidence: Evidence) -> dict[str, Any]:
    """Gather the first section."""
    record = {
        "subject": subject(evidence),
        "facts": _facts(evidence),
        "test_rows": counted(_n_test_rows(evidence), "test row"),
    }
    if evidence.test_labels is None:
        verdicts = [_on_convergence(evidence), CALIBRATION_NOT_KNOWN]
        return {**record, "scores": [], "verdicts": verdicts, "cares": _cares(evidence)}
    judged = evidence.test_labels, evidence.probabilities
    calibration = judge_calibration(*judged)
    baseline = _baseline(evidence)
    scores = headline_scores(*judged, baseline)
    return {
        **record,
        "scores": [*map(as_cells, scores), calibration_cells(calibration)],
        "commonest": baseline.commonest,
        "verdicts": [_on_convergence(evidence), _on_calibration(calibration)],
        "cares": [*_cares_about_scores(scores), *_cares(evidence)],
    }


def _n_test_rows(evidence: Evidence) -> int:
    return 0 if evidence.test_rows is None else len(evidence.test_rows)


def _baseline(evidence: Evidence) -> Baseline:
    labels = [isolated(str(label)) for label in evidence.model.classes_.tolist()]
    counts = training_counts(evidence.model.posterior_)
    places = np.arange(len(labels))
    found = baseline_scores(counts, evidence.test_labels, places)
    return found._replace(commonest=labels[found.commonest])


def _facts(evidence: Evidence) -> list[tuple[str, str]]:
    model: Any = evidence.model
    posterior = model.posterior_
    counts = class_counts(evidence)
    kinds = Counter(IN_WORDS[column.kind] for column in model.columns_)
    n_with_holes = sum(column.has_missing for column in model.columns_)
    holes = f"; {n_with_holes} with missing values" if n_with_holes else ""
    return [
        ("training rows", f"{evidence.n_training:,}"),
        ("columns", ", ".join(f"{kind} ({n})" for kind, n in kinds.items()) + holes),
        ("classes", _classes_in_words(counts)),
        ("strategy", f"{model.strategy}, {model.likelihood} likelihood"),
        ("prior of trees", f"{model.tree_prior}: {_prior_in_words(model)}"),
        (
            "posterior",
            f"{posterior.n_chains} chains of {posterior.n_draws:,} draws, "
            f"{len(posterior.trees):,} distinct trees, {posterior.n_leaves.mean():.1f} leaves on "
            "average",
        ),
    ]


def class_counts(evidence: Evidence) -> dict[str, int]:
    """Training rows of each class."""
    counts = training_counts(evidence.model.posterior_).tolist()
    labels = [isolated(str(label)) for label in evidence.model.classes_.tolist()]
    return dict(zip(labels, counts, strict=True))


def _classes_in_words(counts: dict[str, int]) -> str:
    listed = list(counts.items())[:MOST_CLASSES_LISTED]
    words = ", ".join(f"{label} ({n:,})" for label, n in listed)
    n_more = len(counts) - len(listed)
    return f"{words} and {n_more} more" if n_more else words


def _prior_in_words(model: Any) -> str:
    return PRIORS[model.tree_prior].format(**model.get_params(deep=False))


def _on_convergence(evidence: Evidence) -> dict[str, Any]:
    posterior = evidence.model.posterior_
    words = convergence_in_words(posterior)
    if not posterior.converged:
        return {"is_good": False, "title": "Not converged", "words": words}
    figures = posterior.verdict.in_short()
    return {"is_good": True, "title": "Converged", "words": f"{words} {figures}."}


def _on_calibration(found: Calibration) -> dict[str, Any]:
    if not found.can_be_told:
        return TOO_FEW_ROWS_TO_TELL
    chance = f"chance alone would give up to {found.by_chance:.3f} on so many rows"
    if found.is_calibrated:
        return {
            "is_good": True,
            "title": "Calibrated",
            "words": f"The calibration error is {found.error:.3f}; {chance}. The predictions are "
            "right about as often as they say.",
        }
    direction = "surer than they should be" if found.is_overconfident else "too modest"
    return {
        "is_good": False,
        "title": "Not calibrated",
        "words": f"The calibration error is {found.error:.3f}; {chance}. On average the "
        f"predictions are {direction}.",
    }


def _cares_about_scores(scores: list[Score]) -> list[str]:
    """Say it if the predictions are hardly better than the class shares of training."""
    loss = next(score for score in scores if score.name == "log-loss")
    if loss.baseline > loss.upper:
        return []
    interval = f" ({loss.lower:.3f} to {loss.upper:.3f})" if np.isfinite(loss.upper) else ""
    return [
        "The predictions are not clearly better than the baseline: their log-loss is "
        f"{loss.value:.3f}{interval}, and {loss.baseline:.3f} if every row is given the class "
        "shares of training."
    ]


def _cares(evidence: Evidence) -> list[str]:
    """Say where to be careful."""
    model: Any = evidence.model
    cares = [] if model.posterior_.converged else [NOT_CONVERGED]
    cares += [
        f"Only {counted(n, 'training row')} {is_or_are(n)} of class {label}."
        for label, n in class_counts(evidence).items()
        if n < FEW_ROWS
    ][:MOST_CLASSES_LISTED]
    if model.likelihood == "plug-in":
        cares.append("The plug-in likelihood is overconfident: its intervals are too narrow.")
    if not evidence.has_training:
        cares.append(
            "The model was saved without its training rows: there are no representative trees, no "
            "curves, no similar cases, and nothing tells whether a case is "
            "outside what training has seen."
        )
    if evidence.test_rows is not None:
        cares.extend(_cares_about_rows(evidence, evidence.test_rows))
    return cares


def _cares_about_rows(evidence: Evidence, rows: Any) -> list[str]:
    model, cares = evidence.model, []
    n_rows = counted(len(rows), "test row")
    if evidence.has_training:
        is_outside = outside_training(model.training_.X, rows)
        n_outside = int(is_outside.any(axis=1).sum())
        if n_outside:
            columns = listed(most_affected(is_outside.sum(axis=0), column_names(model)))
            cares.append(
                f"{n_outside:,} of {n_rows} {'has' if n_outside == 1 else 'have'} values outside "
                f"what training has seen, in {columns}; trees extend their outermost leaf without "
                "end."
            )
    n_doubtful = int(is_lead_in_doubt(chain_means(model.posterior_, rows, model.engine)).sum())
    if n_doubtful:
        cares.append(
            f"For {n_doubtful:,} of {n_rows} the lead over the next class is "
            "smaller than its Monte-Carlo error: more draws might predict another class."
        )
    return cares + _cares_about_classes(evidence)


def _cares_about_classes(evidence: Evidence) -> list[str]:
    """Name the class that is recognised least, if most of its rows are missed."""
    labels = evidence.test_labels
    if labels is None:
        return []
    predicted = evidence.probabilities.argmax(axis=1)
    found = [
        (float((predicted[labels == place] == place).mean()), int((labels == place).sum()), place)
        for place in np.unique(labels).tolist()
    ]
    share, n_rows, place = min(found)
    if share >= 0.5:
        return []
    label = isolated(str(evidence.model.classes_.tolist()[place]))
    if n_rows == 1:
        return [f"The only test row of class {label} is not recognised."]
    return [f"Of the {n_rows:,} test rows of class {label}, {100 * share:.0f} % are recognised."]

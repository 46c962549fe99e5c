"""Injury (synthetic stand-in): trauma cases whose probability of survival is known.

Inputs follow from one latent severity per case. The outcome follows TRISS log-odds with added
interactions, so that a tree has something to find that the score does not say.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.datasets._bunch import Table, deliver
from sweeptree.datasets._files import read_description
from sweeptree.datasets._sampling import RandomSource, as_generator, check_n_samples

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

FEATURE_NAMES = [
    "age",
    "sex_male",
    "penetrating",
    "gcs_eye",
    "gcs_motor",
    "gcs_verbal",
    "systolic_bp",
    "resp_rate",
    "pulse",
    "oximetry",
    "ais_head",
    "ais_face",
    "ais_chest",
    "ais_abdomen",
    "ais_limbs",
    "ais_external",
    "iss",
    "rts",
]

# Columns: intercept, RTS, ISS, age of 55 or more. The method is TRISS (Boyd, Tolson & Copes 1987,
# J. Trauma 27:370); the values are the 1995 revision from the Major Trauma Outcome Study.
TRISS_BLUNT = np.array([-0.4499, 0.8085, -0.0835, -1.7430])
TRISS_PENETRATING = np.array([-2.5355, 0.9934, -0.0651, -1.1360])

# Revised Trauma Score weights (Champion et al. 1989, J. Trauma 29:623).
RTS_GCS, RTS_PRESSURE, RTS_BREATHING = 0.9368, 0.7326, 0.2908

# Ours: a severe case mix, and a temper that keeps the best attainable accuracy near 86 %.
MEAN_SEVERITY = 0.85
LOG_ODDS_SHIFT = -0.60
TEMPER = 0.65

# Per body region, in the order of the ais_* columns.
REGION_SHIFT_BLUNT = np.array([0.35, -0.75, 0.05, -0.55, 0.10, -0.35])
REGION_SHIFT_PENETRATING = np.array([-0.75, -0.9, 0.35, 0.35, -0.35, 0.35])
REGION_LOADING = np.array([0.85, 0.40, 0.75, 0.70, 0.45, 0.20])
REGION_WORST_GRADE = np.array([6, 4, 6, 6, 5, 3])
GRADE_THRESHOLDS = np.array([0.35, 0.75, 1.20, 1.85, 2.65, 4.30])
HEAD, FACE, CHEST, ABDOMEN, LIMBS, EXTERNAL = range(6)


def make_injury(
    n_samples: int = 1468,
    *,
    random_state: RandomSource = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Draw Injury (synthetic stand-in): trauma cases with known probability of survival.

    No row is a patient. The inputs come from a latent-severity model and the outcome from published
    TRISS coefficients with added interactions; see ``DESCR``.

    Parameters
    ----------
    n_samples : int, default=1468
        Number of cases.
    random_state : int, Generator, RandomState or None, default=None
        Source of randomness; an int gives the same cases every time.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (n_samples, 18), ``target`` with codes 0 = died and 1 = survived,
        ``true_probability`` (n_samples,), an array of P(survived | x), ``feature_names``,
        ``target_names`` (alphabetical), ``frame`` and ``DESCR``.

    Examples
    --------
    >>> from sweeptree.datasets import make_injury
    >>> injury = make_injury(500, random_state=1)
    >>> injury.data.shape, injury.true_probability.shape
    ((500, 18), (500,))
    >>> injury.target_names.tolist()
    ['died', 'survived']
    """
    check_n_samples(n_samples)
    rng = as_generator(random_state)
    cases = _draw_cases(n_samples, rng)
    probability = survival_probability(cases)
    survived = rng.random(n_samples) < probability
    table = Table(
        data=cases,
        target=survived.astype(np.intp),
        feature_names=list(FEATURE_NAMES),
        target_names=np.array(["died", "survived"]),
    )
    return deliver(
        table,
        description=read_description("injury_synthetic"),
        return_X_y=return_X_y,
        as_frame=as_frame,
        true_probability=probability,
    )


def survival_probability(X: FloatArray) -> FloatArray:
    """Return the true P(survived | x) of each case; columns as in `FEATURE_NAMES`."""
    case = dict(zip(FEATURE_NAMES, X.T, strict=True))
    return _logistic(TEMPER * (_triss_log_odds(case) + _interactions(case) + LOG_ODDS_SHIFT))


def _logistic(log_odds: FloatArray) -> FloatArray:
    probability: FloatArray = 1.0 / (1.0 + np.exp(-log_odds))
    return probability


def _triss_log_odds(case: dict[str, FloatArray]) -> FloatArray:
    # TRISS scores children under 15 with the blunt coefficients whatever the mechanism.
    as_penetrating = (case["penetrating"] == 1) & (case["age"] >= 15)
    coefficients = np.where(as_penetrating[:, None], TRISS_PENETRATING, TRISS_BLUNT)
    terms = [np.ones_like(case["age"]), case["rts"], case["iss"], case["age"] >= 55]
    log_odds: FloatArray = (coefficients * np.column_stack(terms)).sum(axis=1)
    return log_odds


def _interactions(case: dict[str, FloatArray]) -> FloatArray:
    """Return what our model adds to the TRISS log-odds."""
    pressure, head, age = case["systolic_bp"], case["ais_head"], case["age"]
    brain_injury_in_hypotension = (head >= 4) & (pressure < 90)
    years_of_frailty = np.maximum(age - 65, 0) * (case["iss"] >= 16)
    fast_pulse_at_low_pressure = (case["pulse"] > 120) & (pressure < 100)
    chest_injury_in_hypoxia = (case["ais_chest"] >= 3) & (case["oximetry"] < 90)
    young_and_obeying_commands = (head <= 2) & (case["gcs_motor"] == 6) & (age < 40)
    added: FloatArray = (
        -2.0 * brain_injury_in_hypotension
        - 0.05 * years_of_frailty
        - 1.5 * fast_pulse_at_low_pressure
        - 1.8 * chest_injury_in_hypoxia
        + 1.0 * young_and_obeying_commands
    )
    return added


def _draw_cases(n: int, rng: np.random.Generator) -> FloatArray:
    # The frozen file depends on the order of the draws, here and in the functions called.
    age, male, penetrating = _draw_patients(n, rng)
    severity = rng.normal(MEAN_SEVERITY, 1.0, n)
    excess = severity - MEAN_SEVERITY
    ais = _draw_injuries(penetrating, severity, rng)
    bleeding = _bleeding(ais)
    glasgow = _draw_glasgow(ais, bleeding, excess, rng)
    coma = glasgow.sum(axis=1)
    shock = 0.55 * bleeding - 1.75 + 0.35 * excess + rng.normal(0, 0.8, n)
    pressure = _draw_pressure(age, ais, shock, rng)
    pulse = _draw_pulse(age, ais, shock, pressure, rng)
    breathing = _draw_breathing(ais, shock, coma, pressure, rng)
    oximetry = _draw_oximetry(ais, shock, breathing, rng)
    iss = _injury_severity_score(ais)
    rts = np.round(_revised_trauma_score(coma, pressure, breathing), 4)
    vitals = [pressure, breathing, pulse, oximetry]
    columns = [age, male, penetrating, glasgow, *vitals, ais, iss, rts]
    return np.column_stack(columns).astype(np.float64)


def _draw_patients(n: int, rng: np.random.Generator) -> tuple[IntArray, BoolArray, BoolArray]:
    """Return age, whether male, and whether the injury is penetrating."""
    male = rng.random(n) < 0.72
    younger = rng.random(n) < 0.68
    age = _whole(np.where(younger, rng.gamma(6.0, 5.5, n), rng.normal(66, 14, n)), 1, 98)
    penetrating = rng.random(n) < np.where(age < 50, 0.19, 0.06)
    return age, male, penetrating


def _draw_injuries(
    penetrating: BoolArray, severity: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Return the Abbreviated Injury Scale grade of each case (row) and region (column)."""
    shift = np.where(penetrating[:, None], REGION_SHIFT_PENETRATING, REGION_SHIFT_BLUNT)
    noise = rng.normal(0, 0.9, shift.shape)
    score = shift + REGION_LOADING * severity[:, None] + noise
    thresholds_passed = (score[:, :, None] > GRADE_THRESHOLDS).sum(axis=2)
    grade: IntArray = np.minimum(thresholds_passed, REGION_WORST_GRADE)
    unhurt = grade.max(axis=1) == 0
    grade[unhurt, EXTERNAL] = 1  # everyone admitted has some injury
    return grade


def _bleeding(ais: IntArray) -> FloatArray:
    trunk: IntArray = np.maximum(ais[:, CHEST], ais[:, ABDOMEN])
    return trunk + 0.4 * ais[:, LIMBS]


def _draw_glasgow(
    ais: IntArray, bleeding: FloatArray, excess: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Return the eye, motor and verbal components, all lowered by one brain impairment."""
    impairment = (
        0.62 * ais[:, HEAD]
        + 0.16 * np.maximum(bleeding - 3, 0)
        + 0.25 * excess
        + rng.normal(0, 0.75, len(ais))
    )
    best_and_thresholds = [(4, 1.9, 3.3), (6, 2.2, 3.9), (5, 1.6, 3.2)]
    return np.column_stack(
        [
            _draw_glasgow_component(impairment, best, first, last, rng)
            for best, first, last in best_and_thresholds
        ]
    )


def _draw_glasgow_component(
    impairment: FloatArray, best: int, first: float, last: float, rng: np.random.Generator
) -> IntArray:
    """Take one point off `best` for each threshold from `first` to `last` that is passed."""
    thresholds = np.linspace(first, last, best - 1)
    noisy = impairment + rng.normal(0, 0.35, len(impairment))
    points_lost: IntArray = (noisy[:, None] > thresholds).sum(axis=1)
    return best - points_lost


def _draw_pressure(
    age: IntArray, ais: IntArray, shock: FloatArray, rng: np.random.Generator
) -> IntArray:
    n = len(age)
    pressure = _whole(
        134
        + 0.22 * (age - 40)
        - 21 * np.maximum(shock, 0)
        + 6 * (ais[:, HEAD] >= 4)
        + rng.normal(0, 17, n),
        0,
        230,
    )
    unrecordable = (shock > 2.9) & (rng.random(n) < 0.35)
    return np.where(unrecordable, 0, pressure)


def _draw_pulse(
    age: IntArray,
    ais: IntArray,
    shock: FloatArray,
    pressure: IntArray,
    rng: np.random.Generator,
) -> IntArray:
    pulse = _whole(
        84
        + 15 * np.maximum(shock, 0)
        - 0.10 * (age - 40)
        - 5 * (ais[:, HEAD] >= 5)
        + rng.normal(0, 14, len(age)),
        0,
        190,
    )
    pulseless = np.flatnonzero(pressure == 0)
    pulse[pulseless[rng.random(len(pulseless)) < 0.6]] = 0
    return pulse


def _draw_breathing(
    ais: IntArray,
    shock: FloatArray,
    coma: IntArray,
    pressure: IntArray,
    rng: np.random.Generator,
) -> IntArray:
    """Return breaths per minute; deep coma and lost pressure may bring them under ten."""
    n = len(coma)
    rate = 18 + 2.4 * ais[:, CHEST] + 1.5 * np.maximum(shock, 0) + rng.normal(0, 4.5, n)
    failing = rng.random(n) < _logistic(-6.0 + 0.55 * (15 - coma) + 1.0 * (pressure == 0))
    return _whole(np.where(failing, rng.integers(0, 10, n), rate), 0, 55)


def _draw_oximetry(
    ais: IntArray, shock: FloatArray, breathing: IntArray, rng: np.random.Generator
) -> IntArray:
    return _whole(
        99.5
        - 1.1 * ais[:, CHEST]
        - 5.0 * (breathing < 8)
        - 2.0 * np.maximum(shock, 0)
        - np.abs(rng.normal(0, 2.5, len(breathing))),
        50,
        100,
    )


def _whole(values: FloatArray, low: int, high: int) -> IntArray:
    return np.clip(np.rint(values), low, high).astype(np.int64)


def _injury_severity_score(ais: IntArray) -> IntArray:
    """Return the sum of squares of the three worst grades, or 75 where any grade is 6."""
    worst_three = np.sort(ais, axis=1)[:, -3:]
    return np.where((ais == 6).any(axis=1), 75, (worst_three**2).sum(axis=1))


def _revised_trauma_score(coma: IntArray, pressure: IntArray, breathing: IntArray) -> FloatArray:
    coma_code = np.digitize(coma, [4, 6, 9, 13])
    pressure_code = np.digitize(pressure, [1, 50, 76, 90])
    # Breathing peaks in the middle: over 29 a minute is worse than 10 to 29, hence the last code.
    breathing_code = np.array([0, 1, 2, 4, 3])[np.digitize(breathing, [1, 6, 10, 30])]
    return RTS_GCS * coma_code + RTS_PRESSURE * pressure_code + RTS_BREATHING * breathing_code

"""A small table for the commands, and options that make chains short."""

import numpy as np

SHORT = ["--n-chains", "2", "--n-burn-in", "200", "--n-draws", "40", "--thin", "2"]
FIT = [*SHORT, "--random-state", "0", "--quiet"]


def patients(n_rows, seed=0):
    """Lines of a table in which the outcome follows age and dose, and pulse is noise."""
    rng = np.random.default_rng(seed)
    age, dose = rng.integers(20, 90, n_rows), rng.random(n_rows).round(3)
    pulse = rng.integers(50, 120, n_rows)
    outcome = np.where((age > 60) & (dose < 0.5), "died", "survived")
    lines = [
        f"{name},{a},{d},{p},{o}"
        for name, (a, d, p, o) in enumerate(zip(age, dose, pulse, outcome, strict=True))
    ]
    return ["patient,age,dose,pulse,outcome", *lines]

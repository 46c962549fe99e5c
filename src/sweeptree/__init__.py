"""Bayesian decision-tree classification whose uncertainty can be trusted."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweeptree.estimator import BayesianTreeClassifier

    __version__: str

__all__ = ["BayesianTreeClassifier", "__version__"]

_MODULE_OF = {"BayesianTreeClassifier": "sweeptree.estimator"}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: the command line starts without most."""
    if name == "__version__":
        from importlib.metadata import version

        return version("sweeptree")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'sweeptree' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

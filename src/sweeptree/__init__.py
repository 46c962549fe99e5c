"""Bayesian decision-tree classification whose uncertainty can be trusted."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweeptree.estimator import BayesianTreeClassifier
    from sweeptree.loading import ModelFileError, load

    __version__: str

__all__ = ["BayesianTreeClassifier", "ModelFileError", "__version__", "load"]

_MODULE_OF = {
    "BayesianTreeClassifier": "sweeptree.estimator",
    "ModelFileError": "sweeptree.loading",
    "load": "sweeptree.loading",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: the command line starts without most."""
    if name == "__version__":
        return import_module("importlib.metadata").version("sweeptree")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'sweeptree' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

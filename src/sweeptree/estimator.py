"""The scikit-learn face of the sampler."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from sweeptree import memory, resolving, settings
from sweeptree.arviz_export import ArvizMixin
from sweeptree.checkpoint import Checkpoint
from sweeptree.constraints import CONSTRAINTS, refuse_booleans
from sweeptree.crews import gather_crew
from sweeptree.elsewhere import n_threads_here
from sweeptree.encoding import FloatArray, encode
from sweeptree.engines import Blueprint
from sweeptree.files.mixin import FileMixin
from sweeptree.fitted import TrainingRows
from sweeptree.interpretation.mixin import InterpretationMixin
from sweeptree.posterior import Legend, Posterior
from sweeptree.prediction_mixin import PredictionMixin
from sweeptree.progress import is_wanted
from sweeptree.report.mixin import ReportMixin
from sweeptree.sampling import spawn_bit_generators
from sweeptree.stopping import Judge, rows_to_judge_by, run_chains, warning_about
from sweeptree.table import read_training_table, repeat_rows
from sweeptree.uncertainty.mixin import UncertaintyMixin


class BayesianTreeClassifier(
    PredictionMixin,
    UncertaintyMixin,
    InterpretationMixin,
    ReportMixin,
    FileMixin,
    ArvizMixin,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Bayesian averaging over decision trees.

    Trees are drawn from their posterior by reversible-jump Markov chain Monte Carlo; predictions
    average over the draws, so that every class probability carries what the data leave open.

    Parameters
    ----------
    strategy : {"exact", "standard", "restricting", "sweeping"}, default="exact"
        How chains walk. "exact" sweeps reversibly: beside the paper's moves it inserts and removes
        splits anywhere in the tree (graft and splice), exchanges neighbouring rules (swap), moves
        subtrees (regraft), turns splits above their parents (rotate, transpose), and chooses the
        rules of small splits among several; what it converges to is the posterior. The others are
        the paper's, with their biases. "standard" draws rules from the observed values and redraws
        a move that would leave a leaf with too few rows. "restricting" does the same, with small
        trees at first. "sweeping" draws rules over the whole range of a variable, and lets a change
        that starves one leaf remove that leaf. The restarting strategy is `n_chains` > 1: chains
        start afresh and are pooled.
    unavailable : {"redraw", "reject"}, default=None
        What happens to a move that cannot be made. "redraw" draws another, as the paper does,
        which biases the sampler a little; "reject" counts it as a rejection, which makes
        "standard" and "restricting" exact. None: the strategy's own ("reject" for "exact",
        "redraw" for the others).
    tree_prior : {"uniform", "paper", "flat", "geometric", "depth", "range"}, \
            default="geometric"
        Prior of a tree's shape, to which that of its rules comes; trees with a leaf of too few
        rows are left out. "uniform": every number of leaves k has the same weight, which the
        shapes with k leaves share equally. "paper": as printed in the paper, one Catalan number
        off. "flat": every shape has the same weight. "geometric": a shape with one leaf more has
        exp(`leaf_penalty`) times less. "depth": a node with d splits above it is split with
        chance gamma (1 + d)^-delta. "range": a node is split with chance `split_chance` times
        the share of all rules that would leave both its sides enough rows.
    leaf_penalty : float, default=0.35
        Of `tree_prior="geometric"`: from 0, which makes it flat, to 100.
    gamma, delta : float, default=0.95 and 1.0
        Of `tree_prior="depth"`: 0 < gamma <= 1, delta >= 0.
    split_chance : float, default=0.95
        Of `tree_prior="range"`: 0 < split_chance <= 1.
    rule_prior : {"observed", "continuous"}, default=None
        Prior of a rule given its variable: uniform over the gaps between observed values, or
        over the variable's range. None: the strategy's own ("continuous" for "sweeping",
        "observed" otherwise).
    categorical_features : "from_dtype", list of str or int, or mask, default="from_dtype"
        Columns whose values are levels without an order. Text and categories always are; names,
        numbers or a mask of further columns add those that hold codes.
    category_rules : {"levels", "groups"}, default="levels"
        What is asked of a category: "levels" asks whether it is one level; "groups" also asks
        whether it is one of several, every way to divide the levels being one rule, for up to 8
        levels.
    alpha : float, sequence of float or "learn", default="learn"
        Dirichlet parameter of the class probabilities in a leaf: one for all classes, one per
        class in their sorted order, as in `classes_`, or "learn", which samples it along with
        the tree. Learned, it is the same for all classes unless `class_prior` says otherwise,
        its sum over the classes being one of 16 values from 0.2 to 10, evenly spaced on the log
        scale and equally likely a priori. The plug-in likelihood has no alpha.
    likelihood : {"marginal", "plug-in"}, default="marginal"
        How the rows of a leaf count: "marginal" integrates the leaf's class probabilities out;
        "plug-in" takes the leaf's own frequencies, which comes nearest to the paper's tables,
        but is overconfident.
    class_prior : sequence of float or mapping of label to float, default=None
        What the classes' probabilities in a leaf are drawn towards, as strongly as `alpha` says:
        the share of each class, in their sorted order, as in `classes_`, or by its label. None:
        equal shares.
    min_samples_leaf : int, default=1
        Fewest training rows in a leaf.
    max_leaves : int, default=None
        Most leaves of a tree. None: as many as `min_samples_leaf` allows.
    move_probabilities : mapping of str to float, default=None
        Probability of each move by name: birth, death, change_split, change_rule, graft, splice,
        swap, regraft, rotate, transpose. They must sum to 1; a move left out is never made. None:
        the strategy's own (0.1, 0.1, 0.1, 0.7 for the paper's strategies, as in the paper).
    rule_scale : float, sequence of float, "tune", "ranks" or "prior", default=None
        How change-rule draws: "prior", anew from the rule's prior; "ranks", by a step of mixed
        size over the cut points; a number, by a Gaussian step with this standard deviation, as a
        share of the variable's range (one for all columns, or one per column); "tune", by a
        Gaussian step whose size is tuned in burn-in, then frozen. None: the strategy's own
        ("ranks" for "exact", "tune" for "sweeping", "prior" otherwise).
    restrict_leaves : int, default=10
        Of "restricting": most leaves during the first `restrict_moves` moves.
    restrict_moves : int, default=None
        Of "restricting": moves during which trees are held small. None: half of the burn-in.
    anneal : float, default=None
        Share of the burn-in over which the likelihood comes to count in full, while large trees
        are held back. The first chain starts with none of it, the others with different shares,
        so that chains reach the posterior from different sides. None: the strategy's own (0.5
        for "exact", 0 for the others).
    n_chains : int, default=4
        Number of independent chains. With fewer than 2 there is little to tell convergence by.
    n_burn_in : int, default=200_000
        Moves of each chain that are thrown away.
    n_draws : int or "auto", default="auto"
        Draws kept of each chain. "auto": the chains run until they have converged, or until
        `max_moves` or `max_seconds` stop them. They count as converged when R-hat is at most
        1.01 and the effective sample size at least 400, both for the number of leaves and for
        the log posterior, and when the probabilities that the chains predict differ by at most
        0.005 between them (the standard deviation, averaged over training rows and classes; of
        more than 1,000 rows, over 1,000 evenly spaced ones; with one chain, between its halves).
        Of each chain at most 1,000 draws are kept, and at most 4,000 where it runs so long
        that they are far apart; none from the first third of its moves.
    thin : int, default=100
        Moves from one draw to the next. With `n_draws="auto"` those at first: when a chain has
        1,000 draws, every second one is dropped and `thin` doubles; from 16 times the first
        `thin` on, when it has 4,000.
    max_moves : int, default=10_000_000
        Only used with `n_draws="auto"`: most moves of each chain, burn-in included. None: no
        limit.
    max_seconds : float, default=60.0
        Only used with `n_draws="auto"`: time after which the chains stop, converged or not;
        burn-in is cut short when it takes a third of it. Draws then depend on the speed of the
        machine. Each chain makes at least 6 draws, however little time there is. None: no limit.
    n_rungs : int or "auto", default="auto"
        Of "exact": walkers of each chain, at most 12, of which one samples from the posterior
        and the others help it from mode to mode; "auto" takes 1, and 5 for chains of open length
        once they turn out to be slow. The others count the likelihood by 0.08, 0.16 and so on
        less, cross between modes more easily, and exchange places with their neighbours. Moves
        are those of the one that samples; a move takes `n_rungs` times as long. Chains are slow
        if they need twice as many moves as they have sampled for, and 5 times as many as their
        burn-in took.
    trace : {"draws", "full"}, default="draws"
        "full" also keeps the number of leaves and the log likelihood after every move, burn-in
        included, in `posterior_.full_trace`; `n_draws` must then be a number.
    engine : {"kernel", "reference"}, default="kernel"
        "reference" is the same algorithm in plain Python, thousands of times slower, for reading
        and debugging. Both make the same moves from the same seed.
    checkpoint : str or path-like, default=None
        A file from which an interrupted or killed fit goes on. None: no file. While the chains
        run, where they are is written there every few seconds; the same fit, run again, goes on
        from it and ends with the very draws that it would have made undisturbed, unless
        `max_seconds` stops it. Time already spent counts. The file is removed when the fit has
        come to its end, and kept when Ctrl-C interrupts it. One that belongs to other data or
        settings is refused with a `CheckpointError`; `n_jobs`, `progress`, `memory_budget`,
        `max_moves` and `max_seconds` may differ.
    memory_budget : float, default=None
        Megabytes for the masks of rules, which are the larger part of what a fit holds. None: as
        much as the table takes in 64-bit numbers, and at least 4 MB. Less makes moves on large
        tables slower; the draws do not depend on it, unless `max_seconds` stops the chains.
    n_jobs : int, default=-1
        Chains that run at once, each on a thread, and threads that share the rows to predict, of
        these at most one per core; -1 means one per core, -2 one less, and so on. None: one, or
        what `joblib.parallel_config` says. Neither draws nor predictions depend on it, unless
        `max_seconds` stops the chains.
    random_state : int, RandomState instance or None, default=None
        Seed of all chains. None: another one for each fit.
    progress : bool or "auto", default="auto"
        Whether to show a bar per chain and the latest look at convergence on standard error;
        "auto" shows them in a terminal or a notebook.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of columns seen in `fit`.
    columns_ : tuple of Column
        What is known of each column: name, kind, levels of a category, and whether values were
        missing.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names, if `fit` saw a table that has them.
    posterior_ : Posterior
        The sampled trees, their traces, and the counts of moves by outcome; `converged`, and
        `stopped_by`: "converged", "max_moves", "max_seconds", "interrupted", or "n_draws" where
        their number was given.
    training_ : TrainingRows
        A copy of the training rows, `X`, and the places of their classes in `classes_`, `labels`:
        what explanations refer to.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of the splits that ask about each column, averaged over the posterior.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    >>> model.predict_proba(X[1:2]).shape
    (1, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        *,
        strategy: str = "exact",
        unavailable: str | None = None,
        tree_prior: str = "geometric",
        gamma: float = 0.95,
        delta: float = 1.0,
        leaf_penalty: float = 0.35,
        split_chance: float = 0.95,
        rule_prior: str | None = None,
        categorical_features: str | Sequence[str] | Sequence[int] | Sequence[bool] = "from_dtype",
        category_rules: str = "levels",
        alpha: float | Sequence[float] | str = "learn",
        likelihood: str = "marginal",
        class_prior: Sequence[float] | Mapping[Any, float] | None = None,
        min_samples_leaf: int = 1,
        max_leaves: int | None = None,
        move_probabilities: Mapping[str, float] | None = None,
        rule_scale: float | Sequence[float] | str | None = None,
        restrict_leaves: int = 10,
        restrict_moves: int | None = None,
        anneal: float | None = None,
        n_chains: int = 4,
        n_burn_in: int = 200_000,
        n_draws: int | str = "auto",
        thin: int = 100,
        max_moves: int | None = 10_000_000,
        max_seconds: float | None = 60.0,
        n_rungs: int | str = "auto",
        trace: str = "draws",
        engine: str = "kernel",
        checkpoint: str | PathLike[str] | None = None,
        memory_budget: float | None = None,
        n_jobs: int | None = -1,
        random_state: int | np.random.RandomState | None = None,
        progress: bool | str = "auto",
    ) -> None:
        self.strategy = strategy
        self.unavailable = unavailable
        self.tree_prior = tree_prior
        self.gamma = gamma
        self.delta = delta
        self.leaf_penalty = leaf_penalty
        self.split_chance = split_chance
        self.rule_prior = rule_prior
        self.categorical_features = categorical_features
        self.category_rules = category_rules
        self.alpha = alpha
        self.likelihood = likelihood
        self.class_prior = class_prior
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves = max_leaves
        self.move_probabilities = move_probabilities
        self.rule_scale = rule_scale
        self.restrict_leaves = restrict_leaves
        self.restrict_moves = restrict_moves
        self.anneal = anneal
        self.n_chains = n_chains
        self.n_burn_in = n_burn_in
        self.n_draws = n_draws
        self.thin = thin
        self.max_moves = max_moves
        self.max_seconds = max_seconds
        self.n_rungs = n_rungs
        self.trace = trace
        self.engine = engine
        self.checkpoint = checkpoint
        self.memory_budget = memory_budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianTreeClassifier:
        """Draw trees from their posterior given the training rows.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A NumPy array, a pandas or polars frame, an Arrow table, or a mapping of names to
            columns. Numbers, booleans, dates, categories and text, any of them with holes.
        y : array-like of shape (n_rows,)
            Class labels, at least two different ones.
        sample_weight : array-like of shape (n_rows,), default=None
            How many cases each row stands for: whole numbers. The same as repeating the rows.

        Returns
        -------
        BayesianTreeClassifier
            The fitted estimator itself.

        Warns
        -----
        ConvergenceWarning
            If the chains have not converged; it says what is missing. Where `n_draws` is a
            number, only if R-hat of the number of leaves or of the log posterior is above 1.01,
            or cannot be told from so few draws.
        OddTextWarning
            If a column of text looks like numbers, like dates, or like names of the rows.

        Examples
        --------
        >>> from sweeptree import BayesianTreeClassifier
        >>> from sweeptree.datasets import load_wisconsin
        >>> X, y = load_wisconsin(return_X_y=True)
        >>> model = BayesianTreeClassifier(random_state=0).fit(X, y)
        >>> model.posterior_.converged, model.posterior_.stopped_by
        (True, 'converged')
        >>> BayesianTreeClassifier(n_draws=50, random_state=0).fit(X, y).posterior_.n_leaves.shape
        (4, 50)
        """
        self.__dict__.pop("posterior_", None)  # a fit that fails must not leave half of another
        self._validate_params()
        refuse_booleans(self.get_params(deep=False))
        training = read_training_table(self, X, y, self.categorical_features)
        if sample_weight is not None:
            training = repeat_rows(training, sample_weight)
        self.columns_ = training.columns
        labels = self._encode_classes(training.y)
        self._check_enough_rows(len(labels))
        schedule = resolving.schedule_of(self)
        memory.check_draws_fit(schedule, self.n_chains, len(self.classes_), self.trace == "full")
        generators = spawn_bit_generators(check_random_state(self.random_state), self.n_chains)
        checkpoint = resolving.checkpoint_of(self, training.X, labels, generators[0])
        self.posterior_ = self._sample(training.X, labels, schedule, generators, checkpoint)
        X = training.X.copy() if training.is_borrowed else training.X
        self.training_ = TrainingRows(X, labels)
        self.feature_importances_ = self.posterior_.split_shares(self.n_features_in_)
        self._warn_unless_converged(checkpoint)
        return self

    def _sample(
        self,
        X: FloatArray,
        labels: npt.NDArray[np.int32],
        schedule: settings.Schedule,
        generators: Sequence[np.random.BitGenerator],
        checkpoint: Checkpoint | None,
    ) -> Posterior:
        kinds = resolving.rule_kinds(self.columns_, self.category_rules)
        n_threads = n_threads_here(self.n_jobs)
        table = encode(X, labels, len(self.classes_), kinds, n_threads)
        keeps_full_trace = self.trace == "full"
        target = resolving.target_of(self, table)
        strategy = resolving.strategy_of(self, table)
        legend = Legend(table.columns, np.array(target.alphas))
        blueprint = Blueprint(
            self.engine,
            table,
            target,
            strategy,
            resolving.mask_budget_of(self),
            keeps_full_trace=keeps_full_trace,
        )
        crew = gather_crew(blueprint, generators, schedule.thin, self.n_jobs)
        del table, blueprint  # the crew keeps what the chains need, which is less
        return run_chains(
            crew,
            legend,
            schedule,
            Judge(rows_to_judge_by(X), self.engine, n_threads),
            keeps_full_trace=keeps_full_trace,
            shows_progress=is_wanted(self.progress),
            checkpoint=checkpoint,
        )

    def _repr_html_inner(self) -> str:
        html: str = super()._repr_html_inner()
        return html + self._posterior_in_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._posterior_in_html()
        return bundle

    def _posterior_in_html(self) -> str:
        if not hasattr(self, "posterior_"):
            return ""
        state = "converged" if self.posterior_.converged else "not converged"
        return f"<div>{escape(repr(self.posterior_))}, {state}</div>"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def summary(self) -> None:
        """Print what was sampled: sizes, fit, convergence and moves.

        Examples
        --------
        >>> from sweeptree import BayesianTreeClassifier
        >>> from sweeptree.datasets import load_wisconsin
        >>> X, y = load_wisconsin(return_X_y=True)
        >>> model = BayesianTreeClassifier(n_draws=500, random_state=0).fit(X, y)
        >>> model.summary()  # doctest: +ELLIPSIS
        <BLANKLINE>
        ...
        """
        check_is_fitted(self, "posterior_")
        from sweeptree.summary import print_summary

        print_summary(self.posterior_)

    def _encode_classes(self, y: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has only one class, {self.classes_.tolist()[0]!r}; at least two are needed."
            )
        return labels.astype(np.int32)

    def _check_enough_rows(self, n_rows: int) -> None:
        if n_rows < 2 * self.min_samples_leaf:
            raise ValueError(
                f"X has n_samples={n_rows}, but min_samples_leaf={self.min_samples_leaf} needs "
                f"at least {2 * self.min_samples_leaf}; give more rows or lower min_samples_leaf."
            )

    def _warn_unless_converged(self, checkpoint: Checkpoint | None) -> None:
        message = warning_about(self.posterior_)
        if message is None:
            return
        if checkpoint and self.posterior_.stopped_by == "interrupted":
            message = f"{message} {checkpoint.how_to_go_on()}"
        kind = UserWarning if self.posterior_.converged else ConvergenceWarning
        warnings.warn(message, kind, stacklevel=3)

"""The estimator's parameters, learned without importing it."""

import inspect

import pytest

from sweeptree import BayesianTreeClassifier
from sweeptree.cli.estimator_options import (
    EstimatorOption,
    estimator_options,
    value_of,
    with_flags,
)

OPTIONS = {option.name: option for option in estimator_options()}
SIGNATURE = inspect.signature(BayesianTreeClassifier)


def test_options_are_the_parameters_of_the_estimator():
    assert list(OPTIONS) == list(SIGNATURE.parameters)


@pytest.mark.parametrize("name", SIGNATURE.parameters)
def test_an_option_has_the_default_type_and_words_of_its_parameter(name):
    option, parameter = OPTIONS[name], SIGNATURE.parameters[name]
    assert option.default == parameter.default
    assert option.annotation == parameter.annotation
    assert option.description.endswith(".")
    assert len(option.first_sentence) > 10
    written = "none" if option.default is None else str(option.default)
    assert option.value_of(written) == option.default


@pytest.mark.parametrize("name", SIGNATURE.parameters)
def test_the_default_of_an_option_is_told_in_words(name):
    option = OPTIONS[name]
    assert option.default_in_words != "None"
    if option.default is not None:
        assert option.default_in_words == str(option.default)


def test_a_default_of_none_is_told_by_what_it_means():
    assert OPTIONS["max_leaves"].default_in_words == "as many as --min-samples-leaf allows"
    assert OPTIONS["anneal"].default_in_words.endswith('(0.5 for "exact", 0 for the others)')


def test_choices_are_those_that_the_estimator_takes():
    for name, option in OPTIONS.items():
        for choice in option.choices:
            BayesianTreeClassifier(**{name: choice})._validate_params()
    assert OPTIONS["strategy"].choices == ["exact", "standard", "restricting", "sweeping"]
    assert OPTIONS["n_draws"].choices == []


@pytest.mark.parametrize(
    ("text", "annotation", "value"),
    [
        ("3", "int", 3),
        ("3.5", "int", "3.5"),
        ("3", "float", 3.0),
        ("None", "float | None", None),
        ("none", "str", "none"),
        ("true", "bool | str", True),
        ("auto", "bool | str", "auto"),
        ("1,2", "float | Sequence[float] | str", [1.0, 2.0]),
        ("a,b", "Sequence[str] | str", ["a", "b"]),
        ("birth=0.4, death=0.6", "Mapping[str, float] | None", {"birth": 0.4, "death": 0.6}),
        ("0=0.4,1=0.6", "Sequence[float] | Mapping[Any, float] | None", {0: 0.4, 1: 0.6}),
        ("no=0.4,yes=0.6", "Mapping[Any, float]", {"no": 0.4, "yes": 0.6}),
        ("ward,3", "str | Sequence[str] | Sequence[int] | Sequence[bool]", ["ward", 3]),
    ],
)
def test_text_becomes_a_value_of_its_type(text, annotation, value):
    found = value_of(text, annotation)
    assert found == value
    assert type(found) is type(value)


def test_a_single_name_is_a_list_of_one_where_names_may_be_given():
    words = '"from_dtype", list of str or int, or mask, default="from_dtype"'
    option = EstimatorOption("features", "str | Sequence[str]", "from_dtype", words, "Columns.")
    assert option.value_of("ward") == ["ward"]
    assert option.value_of("from_dtype") == "from_dtype"


def test_messages_speak_of_options_and_leave_other_words():
    message = 'Raise n_burn_in and thin, or use n_draws="auto"; the trace says why.'
    assert with_flags(message) == (
        "Raise --n-burn-in and --thin, or use --n-draws=auto; the trace says why."
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("alpha has 3 values but there are 2 classes.", "--alpha has 3 values but there are 2"),
        ("alpha and class_prior together", "--alpha and --class-prior together"),
        ("n_burn_in + n_draws * thin makes", "--n-burn-in + --n-draws * --thin makes"),
        ("gamma=1 with delta=0 splits; lower gamma.", "--gamma=1 with --delta=0 splits; lower --g"),
        ("t has 'c', none of the classes (alpha, gamma).", "t has 'c', none of the classes (alpha"),
        ("alpha has no column 'thin'.", "alpha has no column 'thin'."),
        ("n_jobs.npz cannot be loaded", "n_jobs.npz cannot be loaded"),
        ("out/n_jobs is a directory", "out/n_jobs is a directory"),
        ("n_jobs/a.csv, my-n_jobs and n_jobs-2 are", "n_jobs/a.csv, my-n_jobs and n_jobs-2 are"),
        ("raise alpha.csv or lower thin.", "raise alpha.csv or lower --thin."),
        ("There is no column 'n_jobs'; lower n_jobs.", "There is no column 'n_jobs'; lower --n-j"),
        ("'a n_jobs=4 b' and n_jobs=4", "'a n_jobs=4 b' and --n-jobs=4"),
        ("A model's n_jobs, \"n_jobs\" or chains' n_jobs", 'A model\'s --n-jobs, "n_jobs" or ch'),
    ],
)
def test_plain_words_become_options_only_where_they_must_be_parameters(message, said):
    assert with_flags(message).startswith(said)

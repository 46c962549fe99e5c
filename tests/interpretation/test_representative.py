import json
import pickle
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

from explained_models import drawn_votes, fit, two_classes
from sweeptree.interpretation.words import roundest_between

KINDS = ["map", "confident", "central"]


@pytest.fixture(scope="module", params=KINDS)
def tree(request, fitted):
    return fitted[0].representative_tree(request.param)


def draw_of(model, tree):
    """Where the tree stands among all draws."""
    posterior = model.posterior_
    for draw, which in enumerate(posterior.tree_index.ravel()):
        start, end = posterior.trees.node_offsets[which : which + 2]
        alpha = posterior.alphas[posterior.alpha_index.ravel()[draw]]
        if (
            np.array_equal(posterior.trees.variable[start:end], tree.variable)
            and np.array_equal(posterior.trees.threshold[start:end], tree.threshold)
            and np.array_equal(alpha, tree.alpha)
        ):
            return draw
    raise AssertionError("the tree is no draw")


def test_map_tree_has_the_highest_posterior(fitted):
    model = fitted[0]
    draw = draw_of(model, model.representative_tree("map"))
    log_posterior = model.posterior_.log_posterior.ravel()
    assert log_posterior[draw] == log_posterior.max()


def test_central_tree_is_closest_to_the_ensemble(fitted):
    model, X, _ = fitted
    draw = draw_of(model, model.representative_tree("central"))
    distances = ((drawn_votes(model, X) - model.predict_proba(X)) ** 2).sum(axis=(1, 2))
    assert distances[draw] == pytest.approx(distances.min())


@pytest.mark.parametrize("confidence", [0.7, 0.99])
def test_confident_tree_covers_most_then_errs_least_then_is_smallest(fitted, confidence):
    model, X, y = fitted
    draw = draw_of(model, model.representative_tree("confident", confidence))
    table = model.uncertainty(X)
    is_case = (table["predicted"] == y) & (table["agreement"] >= confidence - 1e-9)
    is_right = model.classes_[drawn_votes(model, X).argmax(axis=-1)] == y
    n_covered = (is_right & is_case.to_numpy()).sum(axis=1)
    n_errors = (~is_right).sum(axis=1)
    ranks = list(zip(-n_covered, n_errors, model.posterior_.n_leaves.ravel(), strict=True))
    assert ranks[draw] == min(ranks)


def test_tree_predicts_as_its_draw(fitted, tree):
    model, X, _ = fitted
    expected = drawn_votes(model, X)[draw_of(model, tree)]
    assert_allclose(tree.predict_proba(X), expected, rtol=1e-12)
    assert_array_equal(tree.predict(X), model.classes_[expected.argmax(axis=1)])


def test_tree_tells_how_much_of_the_ensemble_it_speaks_for(fitted, tree):
    model, X, _ = fitted
    probabilities = drawn_votes(model, X)
    is_top = probabilities == probabilities.max(axis=-1, keepdims=True)
    votes = is_top / is_top.sum(axis=-1, keepdims=True)
    alike = votes[:, np.arange(len(X)), tree.predict_proba(X).argmax(axis=1)]
    assert tree.speaks_for == pytest.approx(alike.mean())
    assert 0 < tree.posterior_share <= 1


def test_intervals_of_leaves_are_those_of_their_beta(tree):
    a = tree.counts + tree.alpha
    b = a.sum(axis=1, keepdims=True) - a
    for end, tail in enumerate((0.025, 0.975)):
        assert_allclose(tree.intervals[..., end], beta.ppf(tail, a, b), atol=1e-9)


def test_counts_of_a_node_are_those_of_its_children(tree):
    for node, right in enumerate(tree.right):
        if right >= 0:
            assert_array_equal(tree.counts[node], tree.counts[node + 1] + tree.counts[right])


def test_text_names_columns_classes_counts_and_intervals(tree):
    text = tree.to_text()
    assert text.count("class: ") == tree.n_leaves
    for node in np.flatnonzero(tree.variable >= 0):
        for answer in tree.question(node):
            assert f"|--- {answer}\n" in text
    leaf = int(np.flatnonzero(tree.variable == -1)[0])
    assert f"class: {tree.answer(leaf)} ({tree.rows_in_words(leaf)})" in text
    assert str(tree) == text


def test_thresholds_as_shown_send_training_rows_the_same_way(fitted, tree):
    X = fitted[1].to_numpy()
    for variable, threshold, shown in zip(tree.variable, tree.threshold, tree.shown, strict=True):
        if variable >= 0:
            assert_array_equal(X[:, variable] <= threshold, X[:, variable] <= float(shown))


@pytest.mark.parametrize(
    ("threshold", "values", "shown"),
    [(1.25, [1, 2], "1"), (0.31, [0.3, 0.312], "0.3"), (1e-9, [0, 2e-9], "0")],
)
def test_roundest_number_in_the_gap(threshold, values, shown):
    assert roundest_between(threshold, *values) == shown


def test_dictionary_is_json_and_complete(tree):
    record = json.loads(json.dumps(tree.to_dict()))

    def leaves(node):
        return leaves(node["left"]) + leaves(node["right"]) if "left" in node else [node]

    assert len(leaves(record["root"])) == record["n_leaves"] == tree.n_leaves
    assert record["root"]["counts"] == tree.counts[0].tolist()


def test_dot_has_every_node_and_edge(tree):
    dot = tree.to_dot()
    assert len(re.findall(r"^\d+ \[label=", dot, flags=re.M)) == len(tree.variable)
    assert dot.count(" -> ") == len(tree.variable) - 1


def test_picture_is_well_formed_and_takes_the_pages_colour(tree):
    svg = tree.to_svg()
    root = ElementTree.fromstring(svg)
    assert root.attrib["fill"] == "currentColor"
    words = " ".join(text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text"))
    assert words.count(" n = ") == tree.n_leaves
    assert svg in tree._repr_html_()


def test_picture_fits_its_frame_and_lines_do_not_overlap(tree):
    root = ElementTree.fromstring(tree.to_svg())
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = [r.attrib for r in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert all(float(b["x"]) + float(b["width"]) <= width for b in boxes)
    assert all(float(b["y"]) + float(b["height"]) <= height for b in boxes)
    splits = [b for b in boxes if b.get("rx")]
    for i, first in enumerate(splits):
        for second in splits[i + 1 :]:
            is_beside = abs(float(first["y"]) - float(second["y"])) >= 15
            is_apart = abs(float(first["x"]) - float(second["x"])) >= 30
            assert is_beside or is_apart


def test_plug_in_tree_has_no_spread_in_its_leaves():
    X, y = two_classes()
    tree = fit(X, y, likelihood="plug-in").representative_tree("map")
    assert_array_equal(tree.intervals[..., 0], tree.probabilities)
    assert tree.predict_proba(X).shape == (len(X), 2)


def test_trees_can_be_pickled(tree):
    assert pickle.loads(pickle.dumps(tree)).to_text() == tree.to_text()


def test_bad_input_is_named(binary):
    model, X, _ = binary
    with pytest.raises(ValueError, match="kind must be one of 'map', 'confident', 'central'"):
        model.representative_tree("best")
    with pytest.raises(ValueError, match="X has 3 columns; the trees were grown on 18"):
        model.representative_tree().predict_proba(X.to_numpy()[:, :3])


def test_a_tree_says_with_how_many_votes_it_agrees(fitted):
    tree = fitted[0].representative_tree("central")
    words = f"gives the same class as {100 * tree.speaks_for:.1f} % of the votes"
    assert words in repr(tree)
    assert words in tree.to_svg()

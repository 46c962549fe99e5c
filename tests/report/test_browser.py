"""The report in a real browser, without a network."""

import json
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sweeptree
from hostile_tables import LABELS, NAMES
from plotted_models import wide
from sweeptree.colours import DARK, LIGHT
from sweeptree.report.evidence import gather_evidence
from written_reports import write_report

pytestmark = pytest.mark.slow

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if BROWSER is None:
    pytest.skip("no chromium is installed; apt-get install chromium", allow_module_level=True)

sync_api = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER)
        yield browser
        browser.close()


@contextmanager
def opened(browser, path, **options):
    """A page that is offline; it must neither complain about anything nor ask for anything."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda r: r.url.startswith("file:") or complaints.append(r.url))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " event => console.error('refused: ' + event.violatedDirective))"
    )
    page.goto(path.as_uri())
    yield page
    context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def page(browser, mixed):
    with opened(browser, mixed.path) as page:
        yield page


def shown_means(page):
    return json.loads(page.locator("#what-if-result").get_attribute("data-means"))


def encoded(mixed):
    return gather_evidence(mixed.model, mixed.X_test, None).rows


def as_javascript(rows):
    return [[None if np.isnan(value) else value for value in row] for row in rows.tolist()]


def test_what_the_page_predicts_is_what_the_model_predicts(page, mixed):
    rows = as_javascript(encoded(mixed))
    call = "rows => rows.map(row => sweeptree.predict(row.map(v => v === null ? NaN : v)))"
    np.testing.assert_allclose(
        page.evaluate(call, rows), mixed.model.predict_proba(mixed.X_test), atol=1e-9
    )
    call = call.replace("predict(", "predictInterval(")
    expected = mixed.model.predict_interval(mixed.X_test[:8])
    np.testing.assert_allclose(page.evaluate(call, rows[:8]), expected, atol=1e-5)


def test_the_prediction_moves_with_every_kind_of_input(page, mixed):
    page.reload()  # other tests sort the cases
    page.locator("#case-table tbody tr").first.click()
    row = mixed.data["cases"]["shown"][0]["row"]
    case = mixed.X_test.iloc[[row]].copy()

    def agrees():
        np.testing.assert_allclose(shown_means(page), mixed.model.predict_proba(case)[0], atol=1e-9)

    def field(name):
        column = list(mixed.X_test.columns).index(name)
        return page.locator(f'fieldset[data-column="{column}"]')

    agrees()
    for name in ("age", "dose"):
        field(name).locator("input[type=checkbox]").set_checked(False)
        field(name).locator("input[type=number]").fill("61.5")
        case[name] = 61.5
        agrees()
    for ward, label in (("C", "C"), ("B", "B"), ("nowhere", "a level not seen in training")):
        field("ward").locator("select").select_option(label=label)
        case["ward"] = ward
        agrees()
    field("stage").locator("select").select_option(label="missing")
    case["stage"] = None
    agrees()
    field("smoker").locator("select").select_option(label="True")
    case["smoker"] = True
    agrees()
    field("admitted").locator("input[type=date]").fill("2024-02-29")
    case["admitted"] = np.datetime64("2024-02-29", "ns")
    agrees()
    field("age").locator("input[type=range]").fill("40")
    case["age"] = float(field("age").locator("input[type=number]").input_value())
    agrees()
    field("age").locator("input[type=checkbox]").check()
    case["age"] = np.nan
    agrees()
    page.locator("#what-if-reset").click()
    case = mixed.X_test.iloc[[row]]
    agrees()


def test_cases_can_be_sorted_found_and_chosen(page, mixed):
    rows = page.locator("#case-table tbody tr")
    n_all = rows.count()
    assert n_all == len(mixed.data["cases"]["shown"])
    page.locator("#case-table thead button", has_text="row").click()
    page.locator("#case-table thead button", has_text="row").click()
    numbers = [int(text) for text in page.locator("#case-table tbody th").all_inner_texts()]
    assert numbers == sorted(numbers)
    page.locator("#case-kind").select_option("wrong")
    is_wrong = mixed.model.predict(mixed.X_test) != mixed.y_test
    assert rows.count() == is_wrong.sum() == page.locator("#case-table .mark.bad").count()
    page.locator("#case-kind").select_option("outside")
    assert 0 < rows.count() < n_all
    page.locator("#case-kind").select_option("all")
    page.locator("#case-filter").fill("not seen in training")
    assert page.locator("#case-table tbody th").all_inner_texts() == ["40"]
    rows.first.click()
    assert "values outside what training has seen, in ward" in page.locator("#case").inner_text()
    for words in ("Most draws ask", "would change", "similar training cases"):
        assert words in page.locator("#case").inner_text()
    page.locator("#case-filter").fill("")


def test_the_envelope_is_counted_anew_as_the_slider_moves(page, mixed):
    for confidence in (0.5, 0.75, 1.0):
        page.locator("#confidence").fill(str(round(1000 * confidence)))
        found = mixed.model.envelope(mixed.X_test, mixed.y_test, confidence)
        words = page.locator("#envelope").inner_text()
        assert f"the trees agree and are right: {found.n_confident_correct} " in words
        assert f"the trees agree and are wrong: {found.n_confident_incorrect} " in words
        assert f"the trees disagree: {found.n_uncertain} " in words


def test_agreement_is_said_to_be_of_votes_and_no_probability(page, mixed):
    page.reload()  # other tests sort the cases
    page.locator("#case-table tbody tr").first.click()
    case = mixed.data["cases"]["shown"][0]
    label = mixed.model.classes_[int(np.argmax(case["mean"]))]
    words = f"% of the draws the most probable class is {label}."
    assert words in page.locator("#case").inner_text()
    assert words in page.locator("#what-if-result").inner_text()
    assert "is not the probability of that class" in page.locator("#uncertainty").inner_text()
    page.locator("#representatives button", has_text="Central").click()
    share = 100 * mixed.model.representative_tree("central").speaks_for
    words = f"it gives the same class as {share:.1f} % of the votes."
    assert words in page.locator("#tree-title").inner_text()


def test_trees_are_walked_through_by_keys(page):
    page.locator("#representatives button", has_text="Most probable").click()
    nodes = page.locator("#tree .node")
    n_nodes = nodes.count()
    assert n_nodes > 2
    nodes.first.focus()

    def chosen():
        return int(page.locator("#tree .chosen").get_attribute("data-place"))

    page.keyboard.press("ArrowRight")
    assert chosen() == 1
    assert page.evaluate("document.activeElement.dataset.place") == "1"
    page.keyboard.press("End")
    assert chosen() == n_nodes - 1
    page.keyboard.press("ArrowUp")
    assert chosen() == n_nodes - 2
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert nodes.count() == 1
    assert nodes.first.get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowRight")
    assert nodes.count() == n_nodes
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert chosen() == 0


def test_a_node_tells_its_rule_its_rows_and_its_chances(page, mixed):
    tree = mixed.model.representative_tree("map")
    page.locator("#representatives button", has_text="Most probable").click()
    leaf = int(np.flatnonzero(tree.variable == -1)[0])
    page.locator(f'#tree [data-place="{leaf}"]').hover()
    words = page.locator("#node").inner_text()
    assert f"{tree.counts[leaf].sum()} training rows ({tree.rows_in_words(leaf)})" in words
    for mean, (low, high) in zip(tree.probabilities[leaf], tree.intervals[leaf], strict=True):
        assert f"{mean:.3f} [{low:.3f}, {high:.3f}]" in words
    page.locator('#tree [data-place="0"]').hover()
    assert page.locator("#node h4").first.inner_text() == f"{tree.question(0).yes}?"


def test_the_slider_goes_through_trees_and_they_can_be_zoomed(page, mixed):
    n_trees = len(mixed.data["forest"]["trees"])
    page.locator("#tree-slider").fill(str(n_trees - 1))
    assert page.locator("#tree-number").inner_text() == f"{n_trees} of {n_trees}"
    width = "() => Number(document.getElementById('tree').getAttribute('width'))"
    before = page.evaluate(width)
    page.locator("#zoom-in").click()
    assert page.evaluate(width) == pytest.approx(1.25 * before)
    page.locator("#zoom-out").click()
    assert page.evaluate(width) == pytest.approx(before)
    page.locator("#zoom-fit").click()
    page.locator("#unfold").click()


def test_curves_follow_the_class_and_the_theme_its_button(page):
    before = page.locator("#curves").inner_html()
    page.locator("#curve-class").select_option("0")
    assert page.locator("#curves").inner_html() != before
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    assert colours_of_leaves(page) == set(map(as_seen, LIGHT[:2]))
    page.locator("#theme").click()
    assert page.evaluate(colour) != light
    assert colours_of_leaves(page) == set(map(as_seen, DARK[:2]))
    page.locator("#theme").click()
    assert page.evaluate(colour) == light


def colours_of_leaves(page):
    bars = page.locator("#tree rect:not([rx])").all()
    return {bar.evaluate("bar => getComputedStyle(bar).fill") for bar in bars}


def as_seen(colour):
    return "rgb({}, {}, {})".format(*bytes.fromhex(colour[1:]))


def test_figures_and_tables_say_what_they_are(page):
    for svg in page.locator("svg[role=img]").all():
        assert svg.get_attribute("aria-label")
    for table in page.locator("table").all():
        assert table.locator("caption").count() == 1
    unnamed = """() => [...document.querySelectorAll("input, select, button")]
        .filter(e => !(e.labels?.length || e.ariaLabel || e.textContent.trim())).length"""
    assert page.evaluate(unnamed) == 0


@pytest.mark.parametrize("width", [375, 768, 1280])
@pytest.mark.parametrize("report", ["mixed", "hostile"])
def test_no_width_makes_the_page_scroll_sideways(browser, request, report, width):
    path = request.getfixturevalue(report).path
    with opened(browser, path, viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """Large trees, and a class of which a row in forty is."""
    rng = np.random.default_rng(0)
    names = ["systolic_blood_pressure_at_admission", "LENGTH_OF_STAY_IN_THE_WARD", "age", "sex"]
    table = pd.DataFrame(rng.normal(size=(240, 3)), columns=names[:3])
    table["sex"] = rng.choice(["female", "male"], 240)
    score = table["age"] * table[names[0]] + table[names[1]]
    labels = np.where(score > 0, "home, with a nurse who calls", "transferred").astype(object)
    labels[::40] = "died"
    directory = tmp_path_factory.mktemp("rare")
    return write_report(directory, table, labels.astype(str), tree_prior="flat", n_draws=20)


VIEWER = Path(sweeptree.__file__).with_name("report") / "page" / "viewer.js"
LEAST_ZOOM = float(re.search(r"leastZoom: ([\d.]+)", VIEWER.read_text())[1])
"""A tree that is wider even so is scrolled."""


def zoom_of(page):
    tree = page.locator("#tree")
    return float(tree.get_attribute("width")) / float(tree.get_attribute("viewBox").split()[2])


@pytest.mark.parametrize("width", [375, 1300])
def test_a_large_tree_starts_folded_so_far_that_it_can_be_read_as_a_whole(browser, rare, width):
    with opened(browser, rare.path, viewport={"width": width, "height": 900}) as page:
        is_within = """() => {
            const { left, width } = document.getElementById("tree").getBoundingClientRect();
            const texts = [...document.querySelectorAll("#tree text")];
            const right = Math.max(...texts.map(text => text.getBoundingClientRect().right));
            return right <= left + width;
        }"""
        needs_no_scrolling = """() => {
            const room = document.getElementById("tree-scroll");
            return room.scrollWidth <= room.clientWidth;
        }"""
        assert page.evaluate(is_within)
        assert page.evaluate(needs_no_scrolling)
        levels = page.locator("#tree .node").evaluate_all("e => e.map(x => x.ariaLevel)")
        assert zoom_of(page) >= 0.7 or max(map(int, levels)) == 3
        assert page.locator("#tree .node[aria-expanded=false]").count() > 0
        page.get_by_role("button", name="Unfold all").click()
        assert page.locator("#tree .node:not([aria-expanded])").count() >= 12
        assert page.evaluate(is_within)
        assert page.evaluate(needs_no_scrolling) or zoom_of(page) == pytest.approx(LEAST_ZOOM)


def test_the_axis_of_a_rare_class_ends_where_its_curves_do(browser, rare):
    highest = max(row[0] for curve in rare.data["variables"]["curves"] for row in curve["upper"])
    assert rare.model.classes_[0] == "died"
    with opened(browser, rare.path) as page:
        page.locator("#curve-class").select_option("0")
        words = page.locator("#curve-scale").inner_text()
        top = float(re.fullmatch(r"The axes end at ([0-9.]+), not at 1\.", words)[1])
        page.locator("#curve-class").select_option("2")
        assert page.locator("#curve-scale").inner_text() == ""
    assert highest <= top <= 2 * highest


def test_only_where_trees_cut_there_is_grey_and_it_says_so(browser, rare):
    with opened(browser, rare.path) as page:
        for figure in page.locator("#curves figure").all():
            is_category = figure.locator("strong").inner_text() == "sex"
            assert ("where trees cut" in figure.inner_text()) != is_category
            assert (figure.locator(".drawing rect").count() == 0) == is_category


def test_numbers_of_one_column_have_the_same_decimals(browser, rare):
    number = r"\d+\.\d\d"
    share = r"\d+\.\d %"
    with opened(browser, rare.path) as page:
        rows = page.locator("#use-table tbody tr").all()
        cells = [row.locator("td").evaluate_all("e => e.map(x => x.textContent)") for row in rows]
        nats = page.locator("#figure-split .note").inner_text()
    for used, splits, first in cells:
        assert re.fullmatch(rf"{number} \({number} to {number}\)", splits)
        for words in (used, first):
            assert re.fullmatch(rf"{share} \({share} to {share}\)", words)
    assert len(re.findall(r"\d\.\d{3}\b", nats)) == 3


def test_names_in_the_picture_of_a_tree_stay_in_their_boxes(browser, rare, tmp_path):
    path = tmp_path / "tree.svg"
    path.write_text(rare.model.representative_tree("central").to_svg(), encoding="utf-8")
    beyond = """() => [...document.querySelectorAll("text")].map(each => {
        const box = each.parentNode.querySelector(":scope > rect[rx]")?.getBBox();
        const text = each.getBBox();
        const end = box ? box.x + box.width : document.documentElement.viewBox.baseVal.width;
        return text.x + text.width - end;
    })"""
    with opened(browser, path) as page:
        assert max(page.evaluate(beyond)) <= 0


def test_hostile_names_show_as_they_are_and_do_nothing(browser, hostile):
    with opened(browser, hostile.path) as page:
        texts = "elements => elements.map(e => e.textContent)"
        names = page.locator("#use-table tbody th").evaluate_all(texts)
        assert sorted(names) == sorted(NAMES)
        options = page.locator("#curve-class option").evaluate_all(texts)
        assert options == sorted(LABELS)
        assert page.evaluate("window.hacked") is None
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 2


def test_reports_of_bare_models_open_too(browser, mixed, tmp_path):
    mixed.model.save(tmp_path / "bare.sweeptree", training_rows=False)
    sweeptree.load(tmp_path / "bare.sweeptree").report(tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as page:
        assert "There are no rows" in page.locator("#case-count").inner_text()
        assert sum(shown_means(page)) == pytest.approx(1)


def test_a_node_with_many_classes_names_those_with_most_rows(browser, tmp_path):
    model, _, y = wide()
    model.report(tmp_path / "wide.html")
    with opened(browser, tmp_path / "wide.html") as page:
        page.locator('#tree [data-place="0"]').hover()
        words = page.locator("#node").inner_text()
    counts = np.unique(y, return_counts=True)[1]
    named = re.search(r"300 training rows \((.*)\)", words)[1].split(", ")
    assert [int(each.rsplit(": ")[-1]) for each in named[:-1]] == sorted(counts, reverse=True)[:12]
    assert named[-1] == f"and {len(counts) - 12} more classes"

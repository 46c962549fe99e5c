"""Makes the pictures of the docs: ``python docs/pictures.py``."""

import re
import shutil
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from scipy.stats import beta
from sklearn.exceptions import ConvergenceWarning

from sweeptree import BayesianTreeClassifier, plots
from sweeptree.colours import LIGHT
from sweeptree.datasets import load_injury
from sweeptree.demo import run_demo
from sweeptree.uncertainty.leaf_mixture import leaf_mixtures

IMAGES = Path(__file__).parent / "images"


class ConsoleWithoutFolders(Console):
    """A console that shows the name of the report, and not where it is on this machine."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as ever, but leave out the folder of a report."""
        super().print(*(_without_folder(each) for each in objects), **options)


def _without_folder(printed: Any) -> Any:
    if isinstance(printed, str):
        return re.sub(r"(?m)^/.*/(?=report\.html$)", "", printed)
    return printed


def picture_of_demo() -> Path:
    """Save what ``make demo`` prints as a picture, without fonts from elsewhere.

    Returns
    -------
    Path
        The report that it wrote.
    """
    console = ConsoleWithoutFolders(record=True, width=76)
    report = Path(run_demo(0, console)["report"])
    console.print()  # the picture cuts its last line short
    svg = console.export_svg(title="make demo")
    (IMAGES / "demo.svg").write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL))
    return report


def pictures_of_report(report: Path) -> None:
    """Photograph a report: on a desk, on a tablet in the dark, and on a telephone."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for name, width, height, scheme, part in (
            ("overview", 1280, 860, "light", "overview"),
            ("trees", 768, 860, "dark", "trees"),
            ("phone", 375, 800, "light", "what-if-title"),
        ):
            size = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme)
            page.goto(report.as_uri())
            page.evaluate("part => document.getElementById(part).scrollIntoView()", part)
            photograph = Image.open(BytesIO(page.screenshot()))
            photograph.quantize(64).save(IMAGES / f"report-{name}.png", optimize=True)
            page.close()
        browser.close()


def fit_injury(**parameters: Any) -> tuple[BayesianTreeClassifier, Any, Any, Any, Any]:
    """Fit two thirds of the synthetic Injury data; return the model, and both parts."""
    data = load_injury(as_frame=True)
    y = data.target_names[data.target]
    X_train, X_test = data.data[:1000], data.data[1000:]
    model = BayesianTreeClassifier(n_draws=1000, thin=500, random_state=0, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X_train, y[:1000])
    return model, X_train, y[:1000], X_test, y[1000:]


def picture_of_three_cases(model: BayesianTreeClassifier, X: Any) -> None:
    """Draw the posterior of the probability to survive, for three cases of the same data."""
    table = model.uncertainty(X)
    sure = table["entropy"].idxmin()
    noisy = (table["aleatoric"] - 5 * table["epistemic"]).idxmax()
    unknown = table["epistemic"].idxmax()
    names = ("sure", "noise: more data would not help", "lack of knowledge: more data would")
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.1), layout="constrained")
    grid = np.linspace(0.002, 0.998, 400)
    for place, (axis, row, name) in enumerate(
        zip(axes, (sure, noisy, unknown), names, strict=True)
    ):
        case = X.loc[[row]]
        (mixture,) = leaf_mixtures(model.posterior_, case.to_numpy(dtype=float), "kernel")
        a = mixture.parameters[:, 1]
        b = mixture.parameters[:, 0]
        density = mixture.shares @ beta.pdf(grid[None], a[:, None], b[:, None])
        low, high = model.predict_interval(case)[0, 1]
        is_inside = (grid >= low) & (grid <= high)
        axis.fill_between(grid, density[0], where=is_inside, color=LIGHT[0], alpha=0.3)
        axis.plot(grid, density[0], color=LIGHT[0])
        axis.axvline(model.predict_proba(case)[0, 1], color=LIGHT[5])
        figures = table.loc[row]
        axis.set_title(
            f"{name}\nγ {figures['agreement']:.2f} · entropy {figures['entropy']:.2f} = "
            f"{figures['aleatoric']:.2f} + {figures['epistemic']:.2f}",
            fontsize=9,
        )
        axis.set(xlim=(0, 1), yticks=[], xlabel="probability to survive")
        axis.set_ylim(0, min(density.max(), 12) * 1.05)
        if place == 0:
            axis.set_ylabel("posterior density")
    figure.suptitle("Injury (synthetic): three cases", fontsize=10)
    save(figure, "three_cases")


def picture_of_abstaining(model: BayesianTreeClassifier, X: Any, y: Any) -> None:
    """Draw accuracy against the share of cases that get an answer."""
    figure, axis = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    for by, colour in (("probability", LIGHT[0]), ("agreement", LIGHT[1])):
        curve = model.accuracy_coverage(X, y, by=by)
        is_many = curve.coverage * len(X) >= 20
        label = f"by {by}, area {curve.area:.3f}"
        axis.plot(curve.coverage[is_many], curve.accuracy[is_many], color=colour, label=label)
    axis.set(xlabel="share of cases answered", ylabel="accuracy of the answers")
    axis.set_title("Injury (synthetic), 468 cases held out", fontsize=9)
    axis.legend(fontsize=8)
    save(figure, "abstaining")


def picture_of_dependence(model: BayesianTreeClassifier, X: Any) -> None:
    """Draw how the prediction depends on one variable, with its band."""
    curve = model.partial_dependence(X, "iss")
    figure, axis = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    axis.fill_between(curve.grid, curve.lower[:, 1], curve.upper[:, 1], color=LIGHT[0], alpha=0.3)
    axis.plot(curve.grid, curve.mean[:, 1], color=LIGHT[0])
    axis.set(xlabel="iss (injury severity score)", ylabel="mean probability to survive")
    axis.set_title("Injury (synthetic): partial dependence, 95 % band", fontsize=9)
    save(figure, "dependence")


def picture_of_tree(model: BayesianTreeClassifier) -> None:
    """Draw the central tree of a model that prefers small trees, on white."""
    svg = model.representative_tree("central").to_svg()
    paper = '<rect width="100%" height="100%" fill="white"/>'
    (IMAGES / "tree.svg").write_text(svg.replace("<title>", f"{paper}\n<title>", 1))


def pictures_of_plots(
    model: BayesianTreeClassifier, small: BayesianTreeClassifier, X: Any, y: Any
) -> None:
    """Draw one picture with each function of `sweeptree.plots`, on cases held out."""
    unsure = X.iloc[model.entropies(X).epistemic.argmax()]
    with plots.style():
        drawn: dict[str, Any] = {
            "trace": plots.plot_trace(fit_with_full_trace()),
            "sizes": plots.plot_sizes(model),
            "moves": plots.plot_moves(model),
            "tree": plots.plot_tree(small),
            "variable_use": plots.plot_variable_use(model, most=12),
            "rule_density": plots.plot_rule_density(model, "iss"),
            "calibration": plots.plot_calibration(model, X, y),
            "entropy": plots.plot_entropy(model, X, y),
            "envelope": plots.plot_envelope(model, X, y),
            "coverage": plots.plot_coverage(model, X, y),
            "partition": plots.plot_partition(model, "iss", "rts"),
            "partial_dependence": plots.plot_partial_dependence(model, X, "iss"),
            "case": plots.plot_case(model, unsure),
        }
        for name, axes in drawn.items():
            save(np.ravel(axes)[0].figure, f"plot_{name}")


def fit_with_full_trace() -> BayesianTreeClassifier:
    """Fit two short chains of the exact strategy, every move of which is kept."""
    data = load_injury(as_frame=True)
    model = BayesianTreeClassifier(
        strategy="exact",
        n_chains=2,
        n_burn_in=20_000,
        n_draws=200,
        thin=100,
        trace="full",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(data.data[:1000], data.target[:1000])


def save(figure: Any, name: str) -> None:
    """Save a figure so that the same data give the same file."""
    mpl.rcParams["svg.hashsalt"] = name
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    pictures_of_report(picture_of_demo())
    fitted, X_train, _, X_test, y_test = fit_injury()
    picture_of_three_cases(fitted, X_test)
    picture_of_abstaining(fitted, X_test, y_test)
    picture_of_dependence(fitted, X_train)
    fitted_small, *_ = fit_injury(leaf_penalty=2.8)
    picture_of_tree(fitted_small)
    pictures_of_plots(fitted, fitted_small, X_test, y_test)

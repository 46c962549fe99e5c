"""What can be asked on the command line. Nothing heavy is imported here: --help must be quick."""

from __future__ import annotations

import argparse

from sweeptree.cli.arguments import (
    TABLE_HELP,
    AddNames,
    Commands,
    ShowVersion,
    add_columns,
    add_command,
    add_drop,
    add_general_options,
    add_level,
    add_model_and_table,
    add_random_state,
    add_run_options,
    add_scheduler,
    add_table_output,
    add_target,
    count,
    positive,
)
from sweeptree.cli.estimator_options import estimator_options

SECTIONS = ("tables", "figures", "readings", "bias")
"""Of `experiments.plan`, which would be slow to import for --help."""

TREE_KINDS = ("map", "confident", "central")
"""Of `interpretation.representative`."""

SHELLS = ("bash", "zsh", "fish")


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="sweeptree",
        description="Bayesian decision-tree classification whose uncertainty can be trusted.",
        epilog="Exit status: 0 done, 1 could not do it, 2 wrong call. "
        "`sweeptree COMMAND --help` has an example of each.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=ShowVersion, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        _add_fit,
        _add_predict,
        _add_evaluate,
        _add_explain,
        _add_tree,
        _add_summary,
        _add_report,
        _add_compare,
        _add_datasets,
        _add_demo,
        _add_reproduce,
        _add_completion,
    ):
        add(commands)
    return parser


def _add_fit(commands: Commands[argparse.ArgumentParser]) -> None:
    fit = add_command(
        commands,
        "fit TABLE --target COLUMN",
        "fit a model to a table and save it",
        "sweeptree fit patients.csv --target outcome --drop id --random-state 0",
    )
    fit.add_argument("table", metavar="TABLE", help=TABLE_HELP)
    add_target(fit, is_required=True)
    fit.add_argument(
        "-o",
        "--output",
        metavar="MODEL",
        help="where the model goes; default: the table's name with the suffix .sweeptree",
    )
    add_drop(fit)
    add_scheduler(fit)
    parameters = fit.add_argument_group(
        "parameters of the model",
        "Those of sweeptree.BayesianTreeClassifier. Lists are written with commas,\n"
        "mappings with equals signs; --class-prior takes either: 0.3,0.7 or ill=0.3,well=0.7.",
    )
    for option in estimator_options():
        parameters.add_argument(
            option.flag,
            action=AddNames if option.takes_names else "store",
            type=option.value_of,
            default=argparse.SUPPRESS,
            metavar=option.metavar,
            help=f"{option.first_sentence} Default: {option.default_in_words}".replace("%", "%%"),
        )


def _add_predict(commands: Commands[argparse.ArgumentParser]) -> None:
    predict = add_command(
        commands,
        "predict MODEL TABLE",
        "predict the class of each row, with its uncertainty",
        "sweeptree predict patients.sweeptree new.csv -o predictions.csv --keep id",
    )
    add_model_and_table(predict)
    add_table_output(predict)
    add_columns(predict, "--keep", "columns of TABLE to copy")
    predict.add_argument(
        "--no-intervals",
        action="store_true",
        help="leave out intervals, monte_carlo_error, is_lead_in_doubt, is_outside and outside_in: "
        "many times faster",
    )
    add_level(predict)


def _add_evaluate(commands: Commands[argparse.ArgumentParser]) -> None:
    evaluate = add_command(
        commands,
        "evaluate MODEL TABLE",
        "score a model on rows whose classes are known",
        "sweeptree evaluate patients.sweeptree held_out.csv --target outcome",
    )
    add_model_and_table(evaluate)
    add_target(evaluate, is_required=False)


def _add_explain(commands: Commands[argparse.ArgumentParser]) -> None:
    explain = add_command(
        commands,
        "explain MODEL TABLE --row N",
        "explain the prediction of one row",
        "sweeptree explain patients.sweeptree new.csv --row 0",
    )
    add_model_and_table(explain)
    explain.add_argument(
        "--row", type=count, required=True, metavar="N", help="which row; 0 is the first"
    )
    add_level(explain)


def _add_tree(commands: Commands[argparse.ArgumentParser]) -> None:
    tree = add_command(
        commands,
        "tree MODEL",
        "show one tree that speaks for the ensemble",
        "sweeptree tree patients.sweeptree --kind central -o tree.svg",
    )
    tree.add_argument("model", metavar="MODEL", help="a model that `sweeptree fit` saved")
    tree.add_argument(
        "--kind",
        choices=TREE_KINDS,
        default="central",
        help="the most probable, the one that covers most confident cases, or the one closest to "
        "the ensemble; default: central",
    )
    form = tree.add_mutually_exclusive_group()
    for name, what in (("text", "text"), ("svg", "a picture"), ("dot", "Graphviz's language")):
        form.add_argument(
            f"--{name}", dest="form", action="store_const", const=name, help=f"as {what}"
        )
    tree.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="a file instead of standard output; its suffix .svg, .dot or .txt tells the form",
    )


def _add_summary(commands: Commands[argparse.ArgumentParser]) -> None:
    summary = add_command(
        commands,
        "summary MODEL",
        "show what a model knows of its columns, and how its chains ran",
        "sweeptree summary patients.sweeptree",
    )
    summary.add_argument("model", metavar="MODEL", help="a model that `sweeptree fit` saved")


def _add_report(commands: Commands[argparse.ArgumentParser]) -> None:
    report = add_command(
        commands,
        "report MODEL [TABLE]",
        "write all about a model to one HTML file",
        "sweeptree report patients.sweeptree held_out.csv -o report.html --open",
    )
    report.add_argument("model", metavar="MODEL", help="a model that `sweeptree fit` saved")
    report.add_argument(
        "table",
        nargs="?",
        metavar="TABLE",
        help=f"rows that the model has not seen: {TABLE_HELP}",
    )
    add_target(report, is_required=False)
    report.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where the report goes; default: the model's name with the suffix .html",
    )
    report.add_argument("--open", action="store_true", help="show it in the browser")


def _add_compare(commands: Commands[argparse.ArgumentParser]) -> None:
    compare = add_command(
        commands,
        "compare TABLE --target COLUMN",
        "compare the strategies on a table of your own",
        "sweeptree compare patients.csv --target outcome --quick",
    )
    compare.add_argument("table", metavar="TABLE", help=TABLE_HELP)
    add_target(compare, is_required=True)
    add_drop(compare)
    compare.add_argument(
        "--min-samples-leaf",
        type=positive,
        default=3,
        metavar="N",
        help="fewest training rows in a leaf, the paper's p_min; default: 3",
    )
    add_run_options(compare)


def _add_datasets(commands: Commands[argparse.ArgumentParser]) -> None:
    datasets = add_command(
        commands,
        "datasets [export NAME]",
        "list the built-in data sets, or export one",
        "sweeptree datasets export votes -o votes.csv",
    )
    actions = datasets.add_subparsers(dest="action", metavar="ACTION")
    export = actions.add_parser(
        "export",
        prog="sweeptree datasets export",
        usage="sweeptree datasets export NAME [options]",
        help="write one to a file",
        description="Write a built-in data set to a file; the column `class` has its classes.",
        allow_abbrev=False,
    )
    add_general_options(export, default=argparse.SUPPRESS)
    export.add_argument("name", metavar="NAME", help="as `sweeptree datasets` lists it")
    add_table_output(export)


def _add_demo(commands: Commands[argparse.ArgumentParser]) -> None:
    demo = add_command(
        commands,
        "demo",
        "fit the built-in Wisconsin data, show the result, and write a report to a temporary "
        "directory",
        "sweeptree demo --random-state 1",
    )
    add_random_state(demo, "the split and the chains")


def _add_reproduce(commands: Commands[argparse.ArgumentParser]) -> None:
    reproduce = add_command(
        commands,
        "reproduce",
        "make the paper's tables and figures anew, and compare them with the printed ones",
        "sweeptree reproduce --quick --only tables",
    )
    reproduce.add_argument(
        "--only",
        nargs="+",
        action="extend",
        choices=SECTIONS,
        default=[],
        metavar="SECTION",
        help=f"sections to make, out of: {', '.join(SECTIONS)}; default: all",
    )
    reproduce.add_argument(
        "-o",
        "--output",
        default="reproduction",
        metavar="DIR",
        help="where files go, and from where an interrupted run goes on; default: reproduction",
    )
    add_run_options(reproduce)


def _add_completion(commands: Commands[argparse.ArgumentParser]) -> None:
    completion = add_command(
        commands,
        "completion {bash,zsh,fish}",
        "print a script that completes commands and options in a shell",
        'eval "$(sweeptree completion bash)"',
    )
    completion.add_argument("shell", choices=SHELLS, help="which shell")

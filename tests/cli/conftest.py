"""Small tables and a model, as files."""

import pytest

from patients import FIT, patients
from sweeptree import cli


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A model, and a table of rows that it has not seen."""
    directory = tmp_path_factory.mktemp("patients")
    for name, seed, n_rows in (("train", 0, 120), ("test", 1, 60)):
        (directory / f"{name}.csv").write_text("\n".join(patients(n_rows, seed)) + "\n")
    model, test = directory / "model.sweeptree", directory / "test.csv"
    call = ["fit", str(directory / "train.csv"), "--target", "outcome", "--drop", "patient"]
    assert cli.main([*call, "-o", str(model), *FIT]) == 0
    return str(model), str(test)


@pytest.fixture
def fails(capsys):
    """Runs a command that fails; returns its sentence, after checking that it is one."""

    def run(arguments, status):
        assert cli.main(arguments) == status
        out, err = capsys.readouterr()
        assert err.startswith("sweeptree: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        assert out == ""
        return err

    return run

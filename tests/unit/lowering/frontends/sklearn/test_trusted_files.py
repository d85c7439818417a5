"""Messages about files of scikit-learn that are trusted and cannot be unpickled."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tinyml.tools.main import main


class Raises:
    """An object whose unpickling raises an exception."""

    def __init__(self, source: str):
        self.source = source

    def __reduce__(self) -> tuple[Any, Any]:
        return exec, (self.source,)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys; sys.exit(0)", "cannot be unpickled: it ends the program with exit code 0"),
        ("raise GeneratorExit", "cannot be unpickled: GeneratorExit:"),
        (
            "class E(Exception):\n  def __str__(self): raise E\nraise E",
            "cannot be unpickled: E, whose message raises ",
        ),
        (
            "raise ModuleNotFoundError('no evil', name='evil-package')",
            "cannot be unpickled: ModuleNotFoundError: no evil",
        ),
        ("import sklearn.not_there", "cannot be unpickled: ModuleNotFoundError: No module named 'sklearn.not_there'"),
        (
            "raise ModuleNotFoundError('no', name='xgboost')",
            "needs the package xgboost: pip install xgboost",
        ),
    ],
)
def test_a_trusted_file_ends_nothing_and_names_no_package(
    source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, out = tmp_path / "model.pkl", tmp_path / "out"
    file.write_bytes(pickle.dumps(Raises(source)))
    np.savez(tmp_path / "val.npz", x=np.zeros((3, 4)))
    options = ["--val", str(tmp_path / "val.npz"), "--target", "host", "-o", str(out)]
    assert main(["compile", str(file), "--trust-pickle", *options]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"error: {file}: {said}")
    assert not out.exists()

"""The digits forest on the Uno: flash and cycles, which are deterministic, and the labels of `predict`.

The forest has 20 trees of depth 6 (973 inner nodes). Plain C takes 3,393 cycles in 14.7 KB with trees as code, and
6,960 cycles in 7.8 KB with trees as tables. With one vote for each tree, it takes 1,187 cycles in 8.6 KB and 5,354
cycles in 4.5 KB. emlearn takes 1,924 cycles in 10.7 KB.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import datasets, sk
from programs.spread import spread

from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.request import Request

TRAINED = 1347


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path, Any]:
    """The files of the forest's module, its validation data and its test data, and the forest. The labels of the test
    data are the forest's own answers.
    """
    x, y = datasets.load_digits(return_X_y=True)
    forest = sk.RandomForestClassifier(n_estimators=20, max_depth=6, random_state=0).fit(x[:TRAINED], y[:TRAINED])
    folder = tmp_path_factory.mktemp("digits")
    module, val, test = folder / "forest.mlir", folder / "val.npz", folder / "test.npz"
    module.write_text(str(import_estimator(forest, file="forest")))
    np.savez(val, x=x[:TRAINED].astype("f4"), y=y[:TRAINED])
    # The predictions stand for the labels, so that the accuracy is the agreement with them.
    np.savez(test, x=x[TRAINED:].astype("f4"), y=forest.predict(x[TRAINED:]))
    return module, val, test, forest


@pytest.mark.long
@pytest.mark.parametrize(
    ("votes", "flash", "most", "cycles", "agreement"),
    spread(
        [
            ("soft", None, 18_500, 1_100, 100.0),
            ("soft", 14_000, 14_000, 2_800, 100.0),
            ("soft", 8_000, 8_000, 4_500, 100.0),
            ("hard", None, 10_000, 850, 95.0),
            ("hard", 8_600, 8_600, 1_100, 95.0),
            ("hard", 4_200, 4_200, 3_200, 95.0),
        ],
        3,
    ),
)
def test_cycles_and_flash(
    digits: tuple[Path, Path, Path, Any],
    votes: str,
    flash: int | None,
    most: int,
    cycles: int,
    agreement: float,
    tmp_path: Path,
):
    model, val, test, _ = digits
    request = Request(model=model, val=val, test=test, width=8, votes=votes, flash=flash, target="uno", out=tmp_path)
    made = build_folder(request, board("uno"), tmp_path, must_fit=True)
    report, measured = made.report, made.measured
    assert report.mismatch is None
    assert measured is not None
    assert measured.cost is not None
    assert measured.flash_bytes <= most
    assert measured.cost <= cycles
    assert report.accuracy is not None
    assert report.accuracy >= agreement

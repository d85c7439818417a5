"""A test format, used in comparisons with SeeDot, whose 8-bit weights are converted to floats."""

from pathlib import Path

import numpy as np
import pytest
from programs.hybrid import POINT, HybridType
from programs.paths import ROOT
from programs.plugins import installed

from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


@pytest.mark.long
def test_the_board_computes_what_the_evaluator_does(tmp_path: Path):
    """A model with weights in the format compiles for an Uno. `compile` fails unless the scores of the simulated board
    equal the evaluator's bit for bit.
    """
    data = ["--val", str(TOUR / "val.npz"), "--format", "f32", "--weights", "hybrid:8"]
    with installed(POINT):
        assert main(["compile", str(TOUR / "tour.sd"), *data, "--target", "uno", "-o", str(tmp_path / "out")]) == 0
    assert "!hybrid.q<" in (tmp_path / "out/ir/1-formats.mlir").read_text()
    assert "tm_int_to_f32" in "".join(file.read_text() for file in (tmp_path / "out").rglob("*.c"))


def test_constants_are_within_half_a_step():
    weights = np.random.default_rng(0).uniform(-3, 2, 500)
    format = HybridType.of_width(8).for_range(weights.min(), weights.max())
    raws = format.encode(weights)
    assert raws.min() == -127
    assert np.abs(format.decode(raws) - weights).max() <= 0.5001 * format.factor.data

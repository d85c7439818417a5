"""A detector such as MinUn's, with fewer layers and on a small image: RNNPool, bottlenecks and heads."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.faces import Face, measure_face, write_face

from tinyml.targets.registry import HOST

SMALL = Face(8, 4, [(32, 1), (32, 1), (64, 2)], {1: True, 2: False})


@pytest.mark.parametrize(("board", "bits", "narrow"), [(HOST, 8, ()), ("cortex-m4", 16, ("X", "pixels", "pooled"))])
def test_bits_of_a_face(board: str, bits: int, narrow: tuple[str, ...], tmp_path: Path):
    """All confidences and boxes are the evaluator's."""
    _, mismatch = measure_face(write_face(SMALL, tmp_path / "face.sd", height=32, width=24), bits, board, narrow)
    assert mismatch is None

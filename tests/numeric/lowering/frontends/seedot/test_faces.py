"""A detector such as MinUn's, with fewer layers and on a small image: RNNPool, bottlenecks and heads."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.faces import Face, measure_face, write_face

from tinyml.targets.registry import HOST

SMALL = Face(8, 4, [(32, 1), (32, 1), (64, 2)], {1: True, 2: False})


@pytest.mark.parametrize(("board", "bits", "narrow"), [(HOST, 8, ()), ("cortex-m4", 16, ("X", "pixels", "pooled"))])
def test_bits_of_a_face(board: str, bits: int, narrow: tuple[str, ...], tmp_path: Path):
    """All answers are the evaluator's, and no more of a wide image is in RAM than three rows."""
    file = write_face(SMALL, tmp_path / "face.sd", height=32, width=24)
    measured, mismatch = measure_face(file, bits, board, narrow)
    assert mismatch is None
    if narrow:
        # The greatest images that are alive at a time: both rows of patches, each wide row, and what is on the stack.
        pixels, pooled, wide = 16 * 12 * 4, 4 * 3 * 64, 3 * 3 * 128 * 2
        assert measured.static_bytes + measured.stack_bytes < 32 * 24 + pixels + pooled + wide + 4096

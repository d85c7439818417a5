"""The guarantees of `lns`: its numbers are powers of two with fractional exponents, rounded to integers in exact
arithmetic, and a compiled program gives the bits that the evaluator computes, on this computer, an Uno and a Cortex-M4.
"""

from pathlib import Path

import numpy as np
import pytest
from lns import TOPS, WIDTHS, LogarithmicType

from tinyml.extend.testing import check_numbers, check_sums, is_available, run_tinyml

PROGRAM = """
let X = (8, 1) in [-1.0, 1.0] in
let W = (5, 8) in [-2.0, 2.0] in
let B = (5, 1) in [-1.0, 1.0] in
let V = (3, 5) in [-2.0, 2.0] in
argmax(V * tanh(W * X + B))
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_magnitudes_are_rounded_powers_of_two(width: int):
    """The magnitude with k steps of 1/d octave below 2^top is the integer m nearest to 2^(top + scale - k/d): of the
    d-th powers of 2m - 1, 2^(top + scale - k/d + 1) and 2m + 1, the second lies between the others.
    """
    steps = 1 << width - 4
    for top in (TOPS[0], 0, TOPS[-1]):
        format = LogarithmicType(width, top)
        magnitudes = format.magnitudes.tolist()
        assert len(magnitudes) == (1 << width - 1) - 1
        for k, magnitude in enumerate(reversed(magnitudes)):
            power = 1 << steps * (top + format.scale + 1) - k
            assert (2 * magnitude - 1) ** steps <= power <= (2 * magnitude + 1) ** steps


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_and_sums_are_those_of_reals(width: int):
    check_numbers(LogarithmicType.of_width(width))
    check_sums(LogarithmicType.of_width(width))


@pytest.mark.parametrize(("board", "width"), [("host", 4), ("uno", 8), ("cortex-m4", 6)])
def test_a_compiled_program_gives_the_bits_of_the_evaluator(board: str, width: int, tmp_path: Path):
    if not is_available(board):
        pytest.skip("its compiler or its simulator is not installed")
    random = np.random.default_rng(width)
    (tmp_path / "program.sd").write_text(PROGRAM)
    for name, shape in {"W": (5, 8), "B": (5, 1), "V": (3, 5)}.items():
        np.save(tmp_path / f"{name}.npy", random.uniform(-1, 1, shape).astype(np.float32))
    np.savez(tmp_path / "data.npz", x=random.uniform(-1, 1, (20, 8)).astype(np.float32), y=np.arange(20) % 3)
    data, out = str(tmp_path / "data.npz"), str(tmp_path / "out")
    program = ["compile", str(tmp_path / "program.sd"), "--val", data, "--target", board, "-o", out]
    assert not run_tinyml([*program, "--format", "lns", "--width", str(width)])
    assert not run_tinyml(["run", out, "--data", data, "--device", board, "--limit", "3"])

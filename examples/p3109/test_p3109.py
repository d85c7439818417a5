"""The guarantees of `p3109`: its patterns are those of the published tables, its roundings those of gfloat, and a
compiled program gives the bits that the evaluator computes, on this computer, an Uno and a Cortex-M4.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from operands import operands
from p3109 import PRECISIONS, Binary8Type, decoded, encoded, patterns, raws
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.testing import check_numbers, check_sums, is_available, run_tinyml

ORACLE = json.loads(Path(__file__).with_name("oracle.json").read_text())
PATTERNS = np.arange(256, dtype=np.uint8)
RAWS = raws(PATTERNS)

GFLOAT = range(2, 8)
"""The precisions of which gfloat 0.4 has the published numbers: its bias of binary8p1 differs."""

PROGRAM = """
let X = (8, 1) in [-1.0, 1.0] in
let W = (5, 8) in [-2.0, 2.0] in
let B = (5, 1) in [-1.0, 1.0] in
let V = (3, 5) in [-2.0, 2.0] in
argmax(V * relu(W * X + B))
"""


def digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("p", PRECISIONS)
def test_patterns_are_those_of_the_published_table(p: int):
    numbers = Binary8Type(p).decode(RAWS).tolist()
    assert digest(f"{code} {number.hex()}" for code, number in enumerate(numbers)) == ORACLE[str(p)]["table"]


@pytest.mark.parametrize("p", GFLOAT)
def test_roundings_are_those_of_gfloat(p: int):
    codes = patterns(Binary8Type(p).encode(np.array(operands(p)))).tolist()
    assert digest(map(str, codes)) == ORACLE[str(p)]["rounded"]


def test_special_patterns():
    """There is one zero and one NaN. Infinities are kept, and finite numbers beyond the range are not infinite."""
    for p in PRECISIONS:
        format = Binary8Type(p)
        reals = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e30, -1e30])
        codes = [0x00, 0x00, 0x80, 0x7F, 0xFF, 0x7E, 0xFE]
        assert patterns(format.encode(reals)).tolist() == codes
        assert patterns(encoded(reals.astype(np.float32), np.array(p, np.int8))).tolist() == codes
        np.testing.assert_array_equal(decoded(RAWS, np.array(p, np.int8)), format.decode(RAWS))
        np.testing.assert_array_equal(format.encode(format.decode(RAWS)), RAWS)
    np.testing.assert_array_equal(patterns(RAWS), PATTERNS)


@pytest.mark.parametrize("precision", [0, 8])
def test_other_precisions_are_refused(precision: int):
    with pytest.raises(VerifyException, match=r"needs a precision in \[1, 7\]"):
        Binary8Type(precision)


@pytest.mark.parametrize("p", [3, 4, 5])
def test_numbers_and_sums_are_those_of_reals(p: int):
    check_numbers(Binary8Type(p))
    check_sums(Binary8Type(p))


@pytest.mark.parametrize("p", [3, 4, 5])
@pytest.mark.parametrize("board", ["host", "uno", "cortex-m4"])
def test_a_compiled_program_gives_the_bits_of_the_evaluator(board: str, p: int, tmp_path: Path):
    if not is_available(board):
        pytest.skip("its compiler or its simulator is not installed")
    random = np.random.default_rng(p)
    (tmp_path / "program.sd").write_text(PROGRAM)
    for name, shape in {"W": (5, 8), "B": (5, 1), "V": (3, 5)}.items():
        np.save(tmp_path / f"{name}.npy", random.uniform(-1, 1, shape).astype(np.float32))
    np.savez(tmp_path / "data.npz", x=random.uniform(-1, 1, (20, 8)).astype(np.float32), y=np.arange(20) % 3)
    data, out = str(tmp_path / "data.npz"), str(tmp_path / "out")
    program = ["compile", str(tmp_path / "program.sd"), "--val", data, "--target", board, "-o", out]
    assert not run_tinyml([*program, "--format", f"!p3109.b<{p}>"])
    assert not run_tinyml(["run", out, "--data", data, "--device", board, "--limit", "3"])

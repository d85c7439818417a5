"""The guarantees of `takum`: its numbers are those of exact fractions, and a compiled program gives the bits that the
evaluator computes, on this computer, an Uno, a Cortex-M4 and in Verilog.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from takum import WIDTHS, TakumType, number
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.testing import check_numbers, check_sums, is_available, run_tinyml

PROGRAM = """
let X = (8, 1) in [-1.0, 1.0] in
let W = (5, 8) in [-2.0, 2.0] in
let B = (5, 1) in [-1.0, 1.0] in
let V = (3, 5) in [-2.0, 2.0] in
argmax(V * relu(W * X + B))
"""


def written(characteristic: int, fraction: str) -> str:
    """The bits of the positive takum (1 + 0.fraction) * 2^characteristic, by the definition of the paper."""
    if characteristic >= 0:
        r = (characteristic + 1).bit_length() - 1
        direction, regime, offset = "1", r, characteristic + 1 - (1 << r)
    else:
        r = (-characteristic).bit_length() - 1
        direction, regime, offset = "0", 7 - r, characteristic - 1 + (1 << r + 1)
    return f"0{direction}{regime:03b}{offset:0{r}b}{fraction}" if r else f"0{direction}{regime:03b}{fraction}"


@pytest.mark.parametrize("n", WIDTHS)
def test_numbers_are_those_of_the_definition(n: int):
    """Every positive takum is written with its characteristic and fraction; no pattern is left over."""
    found: dict[int, Fraction] = {}
    for characteristic in range(-255, 255):
        for place in range(8):
            bits = written(characteristic, f"{place:03b}")
            if "1" not in bits[n:]:
                found[int(bits[:n], 2)] = (1 + Fraction(place, 8)) * Fraction(2) ** characteristic
    found.pop(0, None)
    assert {pattern: number(pattern, n) for pattern in range(1, 1 << n - 1)} == found


@pytest.mark.parametrize("n", WIDTHS)
def test_raws_are_patterns_in_twos_complement(n: int):
    for format in (TakumType.of_width(n), TakumType.of_width(n).for_range(-200, 30)):
        raws, _ = format.numbers
        for raw, real in zip(raws.tolist(), format.decode(raws.astype(np.int8)).tolist(), strict=True):
            assert Fraction(real) == (0 if raw == 0 else number(abs(raw), n) * (1 if raw > 0 else -1))
        assert (raws == -raws[::-1]).all()


@pytest.mark.parametrize("n", WIDTHS)
def test_reals_are_rounded_to_the_nearest_number(n: int):
    format = TakumType.of_width(n)
    raws, _ = format.numbers
    numbers = format.decode(raws.astype(np.int8))
    halves = (numbers[1:] + numbers[:-1]) / 2
    reals = np.concatenate([numbers, np.nextafter(halves, -9), np.nextafter(halves, 9), [-1e9, 1e9]])
    nearest = np.abs(numbers[:, None] - reals).argmin(0)
    np.testing.assert_array_equal(format.encode(reals), raws[nearest])
    ties = format.encode(halves)
    assert ((ties % 2 == 0) | (np.diff(raws) > 1)).all()


@pytest.mark.parametrize("arguments", [(4, -2, 1), (9, -2, 1), (8, 0, 0), (8, -40, 1), (8, -41, 1)])
def test_types_without_integers_are_refused(arguments: tuple[int, int, int]):
    with pytest.raises(VerifyException, match="needs"):
        TakumType(*arguments)


@pytest.mark.parametrize("n", WIDTHS)
def test_numbers_and_sums_are_those_of_reals(n: int):
    check_numbers(TakumType.of_width(n))
    check_sums(TakumType.of_width(n))


@pytest.mark.parametrize(("board", "n"), [("host", 5), ("host", 6), ("uno", 8), ("cortex-m4", 7), ("ecp5-25k", 8)])
def test_a_compiled_program_gives_the_bits_of_the_evaluator(board: str, n: int, tmp_path: Path):
    if not is_available(board):
        pytest.skip("its compiler or its simulator is not installed")
    random = np.random.default_rng(n)
    (tmp_path / "program.sd").write_text(PROGRAM)
    for name, shape in {"W": (5, 8), "B": (5, 1), "V": (3, 5)}.items():
        np.save(tmp_path / f"{name}.npy", random.uniform(-1, 1, shape).astype(np.float32))
    np.savez(tmp_path / "data.npz", x=random.uniform(-1, 1, (20, 8)).astype(np.float32), y=np.arange(20) % 3)
    data, out = str(tmp_path / "data.npz"), str(tmp_path / "out")
    program = ["compile", str(tmp_path / "program.sd"), "--val", data, "--target", board, "-o", out]
    assert not run_tinyml([*program, "--format", "takum", "--width", str(n)])
    assert not run_tinyml(["run", out, "--data", data, "--device", board, "--limit", "3"])

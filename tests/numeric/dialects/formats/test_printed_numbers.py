"""Numbers that papers compute in their text: SeeDot 2.3 and 5.3, Shiftry 2.2, 5.3, 5.4 and 6.1, MinUn 2.2."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.printed import parse

from tinyml.dialects.formats.fixed.functions import Domain, ShiftryExp, TwoTableExp
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.published.seedot import SeedotType
from tinyml.dialects.formats.published.shiftry import ShiftryType
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass


@pytest.mark.parametrize(
    ("width", "real", "scale", "raw"),
    [(8, math.pi, 5, 100), (8, math.e, 5, 86), (8, math.pi, -2, 0), (16, 1.23, 14, 20152)],
)
def test_numbers_of_seedot(width: int, real: float, scale: int, raw: int):
    assert SeedotType.of_width(width).with_frac(scale).encode(np.array(real)) == raw


def test_pi_overflows_at_scale_6():
    """pi at scale 6 is the raw floor(64 pi) = 201, which wraps to -55 as an 8-bit number. SeeDot 2.3 instead doubles
    the raw 100 of scale 5 to 200, which wraps to -56.
    """
    assert math.floor(math.pi * 2**6) == 201
    assert SeedotType.of_width(8).with_frac(6).encode(np.array(math.pi)) == 201 - 256 == -55
    assert 2 * 100 - 256 == -56


@pytest.mark.parametrize(
    ("op", "width", "scale", "operands", "result_scale", "raw", "real"),
    [
        ("add", 8, 5, (100, 86), 4, 93, 5.8125),
        ("add", 8, 5, (100, 86), 5, -70, -2.1875),
        ("mul", 8, 5, (100, 86), 2, 30, 7.5),
        ("add", 16, 14, (20152, 20152), 13, 20152, 2.4599609375),
    ],
)
def test_sums_and_products_of_seedot(
    op: str, width: int, scale: int, operands: tuple[int, int], result_scale: int, raw: int, real: float
):
    """SeeDot's raws of four results: pi + e with halved operands (93 at scale 4), pi + e without halving, which
    overflows, pi times e (30 at scale 2), and 1.23 + 1.23.
    """
    operand, result = (f"tensor<1x1x!seedot.q<{width}, {at}>>" for at in (scale, result_scale))
    found = computed(
        f"""func.func @f(%x: {operand}) -> {result} {{
          %c = tdsl.const dense<{operands[1]}> : tensor<1x1xi{width}> -> {operand}
          %y = tdsl.{op} %x, %c : {operand}, {operand} -> {result}
          func.return %y : {result}
        }}""",
        operands[0],
        width,
    )
    assert (found, SeedotType.of_width(width).with_frac(result_scale).decode(np.array(found))) == (raw, real)


def computed(text: str, raw: int, width: int) -> int:
    """The raw that a program at L1 computes from one raw of `width` bits."""
    context, module = parse(text)
    ChooseAccumulatorsPass().apply(context, module)
    scores = evaluate(module, np.array([[raw]], f"i{width // 8}")).scores
    assert scores is not None
    return scores.item()


@pytest.mark.parametrize(
    ("width", "scale", "raw", "real"),
    [(16, 12, 23334, 5.6968), (16, 6, 364, 5.6875), (16, 13, -18867, -2.303), (8, 4, 91, 5.6875)],
)
def test_numbers_of_shiftry(width: int, scale: int, raw: int, real: float):
    """Shiftry's raws of 5.697: as a 16-bit number 23334 at scale 12, 364 at scale 6, and -18867 at scale 13, where it
    overflows; as an 8-bit number 91 at scale 4.
    """
    format = ShiftryType.of_width(width).with_frac(scale)
    assert format.encode(np.array(5.697)) == raw
    assert format.decode(np.array(raw)) == pytest.approx(real, abs=2e-4)


def test_psi_of_shiftry():
    """Shiftry's function Psi(23334, 8) = 91, which shifts the 16-bit number 5.697 by 8 bits, from scale 12 to scale 4,
    is computed by `tdsl.cast`.
    """
    wide, narrow = "tensor<1x1x!shiftry.q<16, 12>>", "tensor<1x1x!shiftry.q<16, 4>>"
    text = f"""func.func @f(%x: {wide}) -> {narrow} {{
      %y = tdsl.cast %x : {wide} -> {narrow}
      func.return %y : {narrow}
    }}"""
    assert computed(text, 23334, 16) == 91


def test_tables_of_seedot():
    """SeeDot 5.3.1: the 15 bits of a positive argument of exp consist of two indices of T = 6 bits and k = 3 dropped
    bits. The tables for the two indices have 64 entries each, 256 bytes in total.

    The paper drops the last 3 bits. tinyml rounds them, so that the table of the high index needs one more entry.
    """
    exp = TwoTableExp(Domain("exp", SeedotType.of_width(16).with_frac(12), SeedotType.of_width(16).with_frac(-1)), 6)
    assert (exp.domain.first, exp.domain.last) == (0, (1 << 15) - 1)
    assert (exp.dropped, exp.low_bits) == (3, 6)
    assert (len(exp.high), len(exp.low)) == (64 + 1, 64)
    assert exp.high.nbytes + exp.low.nbytes == 256 + 2


def test_exptable_of_seedot():
    """SeeDot's EXPTABLE (algorithm 1) for T = 6, arguments from m to M = 1420 with scale 11 and results with scale 14.

    The entries of the table for the high index are e^((m + 2^(k - T) i) / 2^11) with scale 14, the greatest at which
    the greatest entry fits in 16 bits. The printed scale GETP(e^m) = 30 is that of the least entry, at which the
    greatest entry overflows.
    """
    exp = TwoTableExp(Domain("exp", SeedotType.of_width(16).with_frac(11), SeedotType.of_width(16).with_frac(14)), 6)
    m, k = exp.domain.first, math.ceil(math.log2(exp.domain.last - exp.domain.first))
    reals = np.exp((m + 2 ** (k - 6) * np.arange(len(exp.high))) / 2**11)
    assert exp.domain.last == 1420
    assert exp.high_frac == 14
    np.testing.assert_array_equal(exp.high, np.trunc(reals * 2**14))
    printed = 15 - math.ceil(math.log2(reals[0]))
    assert printed == 30
    assert reals[-1] * 2**printed > 2**15


def test_the_range_of_arguments_of_exp():
    """SeeDot 5.3.1 derives the range m to M of the arguments of exp from a profile. tinyml derives it from the formats:
    m is the greatest argument whose exponential is less than half a unit of the result, and M the least whose
    exponential saturates.
    """
    exp = Domain("exp", SeedotType.of_width(16).with_frac(11), SeedotType.of_width(16).with_frac(14))
    assert (exp.first, exp.last) == (-21294, 1420)
    assert math.exp(-21294 / 2**11) * 2**14 < 0.5 < math.exp(-21293 / 2**11) * 2**14
    assert math.exp(1420 / 2**11) * 2**14 > 2**15 - 1 > math.exp(1419 / 2**11) * 2**14


@pytest.mark.parametrize(
    ("width", "scales", "entries", "size"), [(8, (4, 6), (128, 1), 128), (16, (11, 14), (256, 128), 768)]
)
def test_tables_of_shiftry(width: int, scales: tuple[int, int], entries: tuple[int, int], size: int):
    """Shiftry 5.4: the scales of the argument x and of the result of exp are 4 and 6 for 8-bit numbers, and 11 and 14
    for 16-bit numbers. The tables of exp for x <= 0 take 128 bytes for 8-bit numbers and 0.75 KB for 16-bit numbers.
    """
    exp = ShiftryExp(
        Domain(
            "exp", ShiftryType.of_width(width).with_frac(scales[0]), ShiftryType.of_width(width).with_frac(scales[1])
        )
    )
    assert (exp.source_frac, exp.frac) == scales
    assert (len(exp.high), len(exp.low)) == entries
    # 8 bits take no second table.
    assert exp.high.nbytes + (exp.low.nbytes if exp.index_bits else 0) == size
    assert exp.high[0] == 1 << scales[1]


def results(
    function: str, width: int, scales: tuple[int, int], family: str = "shiftry"
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Up to 2,001 raws over the whole range of a width, and the raws that a program computes from them by `function`.

    scales: the scales of argument and result.
    family: the dialect of the formats, `seedot` or `shiftry`.
    """
    arguments = np.unique(np.linspace(-(1 << width - 1) + 1, (1 << width - 1) - 1, 2001).astype(np.int64))
    source, result = (f"tensor<1x{len(arguments)}x!{family}.q<{width}, {scale}>>" for scale in scales)
    text = f"""func.func @f(%x: {source}) -> {result} {{
      %y = tdsl.{function} %x : {source} -> {result}
      func.return %y : {result}
    }}"""
    scores = evaluate(parse(text)[1], arguments[None].astype(f"i{width // 8}")).scores
    assert scores is not None
    return arguments, scores.ravel().astype(np.int64)


def test_sigmoid_of_shiftry_in_8_bits():
    """Shiftry's library 8: the sigmoid is 2^n a / (2^n + a) for x <= 0 and 2^n 2^n / (2^n + a) for x > 0, with n = 6.
    The raw a of exp(-|x|) is read from a table of 128 entries.
    """
    table = np.floor(np.exp(-np.arange(128) / 2**4) * 2**6).astype(np.int64)
    arguments, found = results("sigmoid", 8, (4, 6))
    a = table[np.abs(arguments)]
    np.testing.assert_array_equal(found, np.where(arguments <= 0, 2**6 * a, 2**6 * 2**6) // (2**6 + a))


def test_tanh_of_shiftry_in_16_bits():
    """Shiftry's library 9: tanh is 2^n (a - 2^n) / (a + 2^n) for x <= 0, with n = 14, psi = 7 and a = T1[2x / 2^psi]
    T2[2x % 2^psi], the product of two entries of tables of exp. For x > 0 the sign is reversed.
    """
    high = np.floor(np.exp(-np.arange(256) / 2**4) * 2**14).astype(np.int64)
    low = np.floor(np.exp(-np.arange(128) / 2**11) * 2**14).astype(np.int64)
    arguments, found = results("tanh", 16, (11, 14))
    size = np.minimum(2 * np.abs(arguments), (1 << 15) - 1)
    a = high[size // 2**7] * low[size % 2**7] // 2**14
    np.testing.assert_array_equal(found, np.sign(arguments) * (2**14 * (2**14 - a) // (a + 2**14)))


def test_exp_of_shiftry_is_more_precise_than_that_of_seedot():
    """Shiftry 5.4: tables of psi = 7 bits make exp more precise than SeeDot's tables of 6 bits. From -16 to 0 and at
    the scales 11 and 14, Shiftry's results differ from exp by at most 0.0002, and SeeDot's by more than 0.01.
    """
    errors: dict[str, float] = {}
    for family in ("shiftry", "seedot"):
        arguments, found = results("exp", 16, (11, 14), family)
        below = arguments <= 0
        errors[family] = float(np.abs(found / 2**14 - np.exp(arguments / 2**11))[below].max())
    assert errors["shiftry"] < 0.0002
    assert errors["seedot"] > 0.01


@pytest.mark.parametrize(("reach", "scale"), [(1.9999, 14), (17.0, 10)])
def test_outliers_of_shiftry(reach: float, scale: int):
    """Shiftry 6.1: 16-bit numbers in (-2, 2) have scale 14. If one of the numbers is 17, the scale of all numbers is
    10.
    """
    assert ShiftryType.of_width(16).for_range(-1.9999, reach) == ShiftryType.of_width(16).with_frac(scale)


@pytest.mark.parametrize(
    ("bits", "regime"), [("01110000", 2), ("01000000", 0), ("011111", 4), ("0000010", -4), ("00001000", -3)]
)
def test_regimes_of_posits(bits: str, regime: int):
    """MinUn 2.2 states the regimes of several bit sequences: 2 for 1110, 0 for 10, 4 for 11111 in a posit of 6 bits, -4
    for 00001, and likewise -3 for 0001. With es 2, a posit of regime k whose further bits are 0 represents 16^k.
    """
    assert PositType(len(bits), 2).decode(np.array(int(bits, 2))) == 16.0**regime


def test_six_zeros_are_no_regime():
    """According to MinUn 2.2, 000000 in a posit of 7 bits stands for the regime -6. But this posit is zero, and the
    least regime is -5.
    """
    format = PositType(7, 2)
    assert format.decode(np.array(0b0000000)) == 0
    assert format.decode(np.array(0b0000001)) == 16.0**-5

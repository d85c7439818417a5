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
    """SeeDot 2.3 doubles the raw 100 of scale 5 to 200, which wraps to -56. The rule yields 201, which wraps to -55 in
    8 bits.
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
    """The sums pi + e with halved operands, pi + e without (which overflows) and 1.23 + 1.23, and pi times e (30/4),
    have the raws of the paper.
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
    """The integer that a program computes from one input integer."""
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
    """The raws of 5.697 in 16 and 8 bits are those of the paper; at scale 13 the number overflows."""
    format = ShiftryType.of_width(width).with_frac(scale)
    assert format.encode(np.array(5.697)) == raw
    assert format.decode(np.array(raw)) == pytest.approx(real, abs=2e-4)


def test_psi_of_shiftry():
    """Psi(23334, 8) = 91 converts 5.697 from scale 12 to scale 4."""
    wide, narrow = "tensor<1x1x!shiftry.q<16, 12>>", "tensor<1x1x!shiftry.q<8, 4>>"
    text = f"""func.func @f(%x: {wide}) -> {narrow} {{
      %y = tdsl.cast %x : {wide} -> {narrow}
      func.return %y : {narrow}
    }}"""
    assert computed(text, 23334, 16) == 91


def test_tables_of_seedot():
    """SeeDot 5.3.1: the 15 bits of a positive number are two indices of T = 6 bits and k = 3 dropped bits. Each of the
    two tables has 64 entries.

    The paper truncates arguments to 12 bits; tinyml rounds them, which needs one entry more than the paper's 256 bytes.
    """
    exp = TwoTableExp(Domain("exp", SeedotType.of_width(16).with_frac(12), SeedotType.of_width(16).with_frac(-1)), 6)
    assert (exp.domain.first, exp.domain.last) == (0, (1 << 15) - 1)
    assert (exp.dropped, exp.low_bits) == (3, 6)
    assert (len(exp.high), len(exp.low)) == (64 + 1, 64)
    assert exp.high.nbytes + exp.low.nbytes == 256 + 2


def test_the_range_of_arguments_of_exp():
    """SeeDot 5.3.1 derives the range m to M of arguments from a profile. tinyml derives it from the formats: exp(m) is
    less than half a unit, and exp(M) saturates.
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


def results(function: str, width: int, scales: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Arguments over the whole range of a width, and the results of a program in Shiftry's types for them."""
    arguments = np.unique(np.linspace(-(1 << width - 1) + 1, (1 << width - 1) - 1, 2001).astype(np.int64))
    source, result = (f"tensor<1x{len(arguments)}x!shiftry.q<{width}, {scale}>>" for scale in scales)
    text = f"""func.func @f(%x: {source}) -> {result} {{
      %y = tdsl.{function} %x : {source} -> {result}
      func.return %y : {result}
    }}"""
    scores = evaluate(parse(text)[1], arguments[None].astype(f"i{width // 8}")).scores
    assert scores is not None
    return arguments, scores.ravel().astype(np.int64)


def test_sigmoid_of_shiftry_in_8_bits():
    """Shiftry's library 8: 2^n a / (2^n + a) for x <= 0 and 2^n 2^n / (2^n + a) for x > 0, with n = 6 and a from 128
    entries.
    """
    table = np.floor(np.exp(-np.arange(128) / 2**4) * 2**6).astype(np.int64)
    arguments, found = results("sigmoid", 8, (4, 6))
    a = table[np.abs(arguments)]
    np.testing.assert_array_equal(found, np.where(arguments <= 0, 2**6 * a, 2**6 * 2**6) // (2**6 + a))


def test_tanh_of_shiftry_in_16_bits():
    """Shiftry's library 9: 2^n (a - 2^n) / (a + 2^n) for x <= 0, with n = 14, psi = 7 and a = T1[2x / 2^psi] T2[2x %
    2^psi].
    """
    high = np.floor(np.exp(-np.arange(256) / 2**4) * 2**14).astype(np.int64)
    low = np.floor(np.exp(-np.arange(128) / 2**11) * 2**14).astype(np.int64)
    arguments, found = results("tanh", 16, (11, 14))
    size = np.minimum(2 * np.abs(arguments), (1 << 15) - 1)
    a = high[size // 2**7] * low[size % 2**7] // 2**14
    np.testing.assert_array_equal(found, np.sign(arguments) * (2**14 * (2**14 - a) // (a + 2**14)))


@pytest.mark.parametrize(("reach", "scale"), [(1.9999, 14), (17.0, 10)])
def test_outliers_of_shiftry(reach: float, scale: int):
    """Shiftry 6.1: samples in (-2, 2) have scale 14 in 16 bits. With one additional sample of 17, the scale chosen by
    the extremes is 4 less.
    """
    assert ShiftryType.of_width(16).for_range(-1.9999, reach) == ShiftryType.of_width(16).with_frac(scale)


@pytest.mark.parametrize(
    ("bits", "regime"), [("01110000", 2), ("01000000", 0), ("011111", 4), ("0000010", -4), ("00001000", -3)]
)
def test_regimes_of_posits(bits: str, regime: int):
    """MinUn 2.2: the bits 1110 are regime 2, 10 is regime 0, 11111 in 6 bits is regime 4, and 00001 is regime -4. With
    es 2, a posit of regime k without further bits is 16^k.
    """
    assert PositType(len(bits), 2).decode(np.array(int(bits, 2))) == 16.0**regime


def test_six_zeros_are_no_regime():
    """According to MinUn 2.2, 000000 in 7 bits has the regime -6. That posit is zero, and the least regime is -5."""
    format = PositType(7, 2)
    assert format.decode(np.array(0b0000000)) == 0
    assert format.decode(np.array(0b0000001)) == 16.0**-5

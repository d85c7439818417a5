"""Sums of products of standard posits, alone and with numbers of other exact formats, are exact and rounded once, in
numpy and on each device. Results that depend on NaR are NaR.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.quire import nearest_sum, quire_dot
from programs.devices import BOARDS
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.on_boards import difference, printed
from programs.spread import spread, spread_product
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.fixed.type import ByteType, FixedType
from tinyml.dialects.formats.minifloat import MinifloatType
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product
from tinyml.dialects.formats.posit.parts import parts_of
from tinyml.dialects.formats.posit.quire import QuireType, quire_for
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.posit.unpacked import Unpacked, UnpackedType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.devices.registry import LLVM, is_available, runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.fuse_distances import FuseDistancesPass

Raws = NDArray[np.signedinteger]

M = NumpyMachine()
WIDTHS = (*range(2, 17), 32)
STANDARD = list(product(WIDTHS, range(4)))
LENGTH, ROWS = 13, 3


def raws_of(format: PositType, shape: Sequence[int], seed: int) -> Raws:
    """Random raws of a format, without NaR."""
    greatest = format.posit.maxpos
    return np.random.default_rng(seed).integers(-greatest, greatest + 1, shape).astype(format.dtype)


def numbers(format: NumberFormat, raws: Raws) -> list[Fraction | None]:
    """The exact numbers that raws represent; None for NaR."""
    return [None if np.isnan(real) else Fraction(float(real)) for real in format.decode(raws).ravel()]


def products(a: Sequence[Fraction | None], b: Sequence[Fraction | None]) -> list[Fraction | None]:
    return [None if x is None or y is None else x * y for x, y in zip(a, b, strict=True)]


def sums(a: Sequence[Fraction | None], b: Sequence[Fraction | None]) -> list[Fraction | None]:
    return [None if x is None or y is None else x + y for x, y in zip(a, b, strict=True)]


def negated(some: Sequence[Fraction | None]) -> list[Fraction | None]:
    return [None if one is None else -one for one in some]


def nearest_integer(one: Fraction | None, format: ExactFormat) -> int:
    """The raw of a fixed-point format nearest to a number, halves upwards; the least raw for NaR."""
    low, high = format.raw_limits
    return low if one is None else min(max(math.floor(one * 2**format.scale + Fraction(1, 2)), low), high)


def scaled(some: Sequence[Fraction | None], exponent: int) -> list[Fraction | None]:
    return [None if one is None else one * Fraction(2) ** exponent for one in some]


@pytest.mark.long
@pytest.mark.parametrize(("n", "es"), spread(STANDARD, 24))
def test_sums_are_those_of_exact_integers(n: int, es: int):
    """Sums are exact in two quires, one for the given weights and one for any weights. They are computed as matrix
    products and product by product.
    """
    format = PositType(n, es)
    weights, x = raws_of(format, (1, 1, LENGTH), n), raws_of(format, (6, LENGTH, 1), es)
    x[0, 3], x[1, :] = format.posit.nar, format.posit.maxpos
    expected = [quire_dot(weights[0, 0], vector, format.posit) for vector in x[..., 0]]
    for factor in (Factor(format, weights), Factor(format)):
        quire = quire_for([Product(LENGTH, factor, Factor(format))])
        sums = quire.matmul(weights, format, x, format)
        np.testing.assert_array_equal(format.finish(M, sums, quire, None).ravel(), expected)
        step = quire.zero(M)
        for k in range(LENGTH):
            step = quire.mac(M, step, weights[..., k], format, x[:, k], format)
        np.testing.assert_array_equal(format.finish(M, step, quire, None).ravel(), expected)


MIXES: list[tuple[PositType, PositType, NumberFormat, PositType]] = [
    (PositType(8, 2), PositType(8, 2), PositType(8, 2), PositType(8, 2)),
    (PositType(8, 0), PositType(8, 0), PositType(8, 0), PositType(8, 0)),
    (PositType(16, 1), PositType(16, 1), PositType(16, 1), PositType(16, 1)),
    (PositType(6, 3), PositType(16, 2), FixedType(8, 5), PositType(8, 1)),
    (PositType(32, 2), PositType(8, 0), PositType(10, 1), PositType(32, 2)),
    (PositType(8, 1), PositType(32, 3), PositType(8, 2, -12, 2, 1), PositType(16, 2)),
    (PositType(12, 2), PositType(9, 3), PositType(16, 0), PositType(12, 0)),
    (PositType(2, 0), PositType(16, 3), FixedType(16, 20), PositType(8, 2, -15, 0)),
    (PositType(5, 1), PositType(7, 0), PositType(5, 1), PositType(4, 2)),
    (PositType(15, 1), PositType(14, 3), FixedType(4, 0), PositType(16, 2)),
    (PositType(32, 2), PositType(8, 2), PositType(8, 2), PositType(16, 2)),
    (PositType(12, 3), PositType(3, 0), PositType(8, 2), PositType(8, 2, -12, 2, 1)),
    (PositType(3, 0), PositType(4, 0), PositType(8, 2), PositType(4, 0)),
]
"""Of two weights each, of the input, which meets both, and of the result, from which the sums start, too."""


def program(mix: tuple[PositType, PositType, NumberFormat, PositType]) -> tuple[ModuleOp, list[Raws]]:
    """The program `W x + V x + b`, and the raws of the constants.

    mix: the formats of W, V, x and the result.
    """
    first, second, given, result = mix
    w, v = raws_of(first, (ROWS, LENGTH), 1), raws_of(second, (ROWS, LENGTH), 2)
    v[1] = 0
    b = result.encode(np.random.default_rng(3).normal(size=(ROWS, 1)))

    def constant(name: str, raws: Raws, format: PositType) -> str:
        shape = "x".join(map(str, raws.shape))
        stored = f"tensor<{shape}x{format.storage}>"
        return f"%{name} = tdsl.const dense<{raws.tolist()}> : {stored} -> tensor<{shape}x{format}>"

    types = [f"tensor<{ROWS}x{LENGTH}x{one}>" for one in (first, second)]
    x, y = f"tensor<{LENGTH}x1x{given.type}>", f"tensor<{ROWS}x1x{result}>"
    text = f"""
        func.func @sums(%x: {x}) -> {y} {{
          {constant("w", w, first)}
          {constant("v", v, second)}
          {constant("b", b, result)}
          %y = tdsl.matmul_sum %w, %x, %v, %x from %b : {y} : {types[0]}, {x}, {types[1]}, {x} -> {y}
          func.return %y : {y}
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    module.verify()
    return module, [w, v, b]


def inputs_of(format: NumberFormat) -> Raws:
    """Random raws. For posits, also the greatest raws, zeros, and NaR if the format has it."""
    if not isinstance(format, PositType):
        return format.encode(np.random.default_rng(4).normal(size=(5, LENGTH)))
    x = (
        format.encode(np.random.default_rng(4).normal(size=(5, LENGTH)))
        if format.bounds
        else raws_of(format, (5, LENGTH), 4)
    )
    x[1], x[2] = format.raw_limits[1], 0
    if format.bounds is None:
        x[3, 5] = format.posit.nar
    return x


def names_of(mix: Sequence[NumberFormat]) -> str:
    return " ".join(str(format.type) for format in mix)


@pytest.mark.long
@pytest.mark.parametrize("mix", MIXES, ids=names_of)
def test_several_products_and_a_start_are_rounded_once(mix: tuple[PositType, PositType, NumberFormat, PositType]):
    module, (w, v, b) = program(mix)
    first, second, given, result = mix
    x = inputs_of(given)
    expected = [
        [
            nearest_sum(
                scaled(
                    [
                        *products(numbers(first, w[row]), numbers(given, vector)),
                        *products(numbers(second, v[row]), numbers(given, vector)),
                        *numbers(result, b[row]),
                    ],
                    result.scaling,
                ),
                result.posit,
            )
            for row in range(ROWS)
        ]
        for vector in x
    ]
    expected = np.where(np.array(expected) == result.posit.nar, result.undefined, expected)
    scores = evaluate(module, x).scores
    np.testing.assert_array_equal(scores, expected.astype(result.dtype))


def assert_bits(module: ModuleOp, x: Raws, devices: Sequence[str], folder: Path) -> None:
    """Assert that devices compute the evaluator's bits."""
    for device in devices:
        source = printed(module, device, folder / device)
        assert difference(module, x, source, runner_for(device), folder / f"{device}-build") is None, device


def assert_hardware_bits(module: ModuleOp, x: Raws, folder: Path) -> None:
    """Assert that a simulated hardware module computes the evaluator's bits. If the simulator is not installed, the
    test is skipped.
    """
    need_simulator("iverilog")
    bits = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k")
    result = IcarusSimulation(verilog_of(bits), folder).run(interface_of(module), x)
    assert first_mismatch(evaluate(module, x), Outputs(None, result.scores)) is None


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("mix", spread(MIXES, 6), ids=names_of)
def test_devices_give_the_bits_of_the_evaluator(
    mix: tuple[PositType, PositType, NumberFormat, PositType], tmp_path: Path
):
    module, _ = program(mix)
    x = inputs_of(mix[2])
    turn = MIXES.index(mix)
    devices = [BOARDS[0], *spread(BOARDS[1:], 9)[turn % 3 :: 3], *([LLVM] if is_available(LLVM) else [])]
    assert_bits(module, x, devices, tmp_path)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("mix", spread(MIXES, 4), ids=names_of)
def test_hardware_gives_the_bits_of_the_evaluator(
    mix: tuple[PositType, PositType, NumberFormat, PositType], tmp_path: Path
):
    module, _ = program(mix)
    assert_hardware_bits(module, inputs_of(mix[2])[1:], tmp_path)


@pytest.mark.parametrize(("n", "es"), [(8, 2), (16, 1), (16, 3), (5, 0), (32, 2)])
def test_posits_become_fixed_point_by_one_rounding(n: int, es: int):
    format, fixed = PositType(n, es), FixedType(16, 7)
    greatest = format.posit.maxpos
    raws = np.arange(-greatest, greatest + 1, max(greatest >> 15, 1)).astype(format.dtype)
    np.testing.assert_array_equal(fixed.recode(M, raws, format), fixed.encode(format.decode(raws)))


@pytest.mark.parametrize(
    ("weights", "width", "layout"),
    [
        # 3 * 2^24 * 2^-24 and a sign, in units of 2^-48 and the three bits of each fraction.
        ([1, 1, 1], 26 + 30 + 24 + 3, (32, 4)),
        ([64, 64, 64], 28 + 30, (32, 4)),
        ([0, 0, 0], 24 + 24 + 3 + 4, (32, 4)),
    ],
    ids=["least", "one", "zero"],
)
def test_a_quire_is_as_wide_as_its_proof(weights: list[int], width: int, layout: tuple[int, int]):
    format = PositType(8, 2)
    raws = np.array([weights], np.int8)
    quire = quire_for([Product(3, Factor(format, raws), Factor(format))])
    assert (quire.bin.data, quire.step.data) == layout
    assert quire.width.data <= width + 4
    narrow = QuireType(quire.width.data - 1, quire.frac.data, *layout)
    assert quire.lacks([Product(3, Factor(format, raws), Factor(format))], None) is None
    assert narrow.lacks([Product(3, Factor(format, raws), Factor(format))], None) is not None


def test_a_program_with_a_narrow_quire_is_refused():
    module, _ = program(MIXES[2])
    for op in module.walk():
        if op.name == "tdsl.matmul_sum":
            op.properties["acc"] = QuireType(40, 30, 32, 8)
    with pytest.raises(VerifyException, match="sum"):
        module.verify()


@pytest.mark.parametrize(
    ("format", "layout", "holds"),
    [
        # Products of bytes, of at most 14 bits, and halves of others, of 16: 31 bits less that of the count are left.
        (PositType(8, 2), (32, 4), (1 << 17) - 2),
        (PositType(16, 2), (32, 4), (1 << 15) - 2),
        # Lower halves of 32 bits are moved by up to 15.
        (PositType(32, 2), (64, 16), (1 << 16) - 2),
    ],
    ids=["8", "16", "32"],
)
def test_bins_hold_sums_of_so_many_products(format: PositType, layout: tuple[int, int], holds: int):
    quire = QuireType(600, 300, *layout)
    for length in (holds, holds + 1):
        product = Product(length, Factor(format), Factor(format))
        assert (quire.lacks([product], None) is None) == (length == holds)


RESULTS = [
    (PositType(8, 2), FixedType(16, 7)),
    (PositType(16, 1), FixedType(8, 4)),
    (PositType(32, 2), FixedType(32, 12)),
    (PositType(16, 2), MinifloatType(4, 3, 1)),
    (PositType(6, 0), FixedType(8, 2)),
]


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize(("given", "result"), RESULTS, ids=[names_of(pair) for pair in RESULTS])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_sums_end_in_other_exact_formats(given: PositType, result: ExactFormat, sparse: bool, tmp_path: Path):
    """Sums are rounded once to the format of the result; NaR becomes the least number of this format. If the weights
    are sparse, they are multiplied by fixed-point numbers.
    """
    random = np.random.default_rng(6)
    factor: ExactFormat = FixedType(8, 4) if sparse else given
    weights = given.encode(random.normal(size=(ROWS, LENGTH)) * random.integers(0, 2, (ROWS, LENGTH)))
    x = factor.encode(random.normal(size=(8, LENGTH)) * 2.0 ** random.integers(-9, 5, (8, 1)))
    x[1], x[2] = factor.raw_limits[1], 0
    if not sparse:
        x[3, 2] = given.posit.nar
    types = f"tensor<{ROWS}x{LENGTH}x{given}{', #tdsl.csr' if sparse else ''}>", f"tensor<{LENGTH}x1x{factor.type}>"
    text = f"""
        func.func @sums(%x: {types[1]}) -> tensor<{ROWS}x1x{result.type}> {{
          %w = tdsl.const dense<{weights.tolist()}> : tensor<{ROWS}x{LENGTH}x{given.storage}> -> {types[0]}
          %y = tdsl.{"spmv" if sparse else "matmul"} %w, %x : {types[0]}, {types[1]} -> tensor<{ROWS}x1x{result.type}>
          func.return %y : tensor<{ROWS}x1x{result.type}>
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    module.verify()
    sums = [[products(numbers(given, row), numbers(factor, vector)) for row in weights] for vector in x]
    exact = [[None if None in terms else sum(filter(None, terms)) for terms in row] for row in sums]
    least = result.raw_limits[0]
    expected = [[least if one is None else result.encode_clipped(np.array(float(one))) for one in row] for row in exact]
    scores = evaluate(module, x).scores
    assert scores is not None
    np.testing.assert_array_equal(scores.reshape(len(x), ROWS), np.array(expected))
    assert_bits(module, x, ("host", "uno", "cortex-m4"), tmp_path)
    if (given, result) == RESULTS[1] and shutil.which("iverilog"):
        bits = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k")
        (tmp_path / "hw").mkdir()
        simulated = IcarusSimulation(verilog_of(bits), tmp_path / "hw").run(interface_of(module), x)
        assert first_mismatch(Outputs(None, scores), Outputs(None, simulated.scores)) is None


def test_posits_of_the_standard_meet_no_sparse_weights():
    format = PositType(8, 2)
    sparse = Product(3, Factor(format, np.array([[1, 0, 2]], np.int8)), Factor(format), sparse=True)
    assert "NaR times 0 is NaR" in str(quire_for([sparse]).lacks([sparse], None))


def test_weights_of_zero_and_wide_posits_have_a_quire():
    """The quire for weights of zero is wide enough for the significands of the products, although sums of zeros need no
    bits.
    """
    for format in (PositType(32, 0), PositType(32, 3), PositType(2, 0)):
        quire = quire_for([Product(3, Factor(format, np.zeros((1, 3), format.dtype)), Factor(PositType(8, 2)))])
        assert quire.layout.holds(format.n.data - 2)


@pytest.mark.parametrize("given", [PositType(2, 0), PositType(32, 2), PositType(16, 1), FixedType(16, 9)], ids=str)
@pytest.mark.parametrize("weights", [[0, 0], [1, 0], [-1, 1]], ids=str)
def test_every_part_of_a_product_has_a_bin(given: NumberFormat, weights: list[int]):
    """A quire has a bin for the last part of every product. Its number of bins suffices for weights of zero, which are
    added at the first position, and for the greatest product, whose last part contains only its sign.
    """
    for format in (PositType(32, 2), PositType(32, 0), PositType(16, 0), PositType(8, 2)):
        raws = np.array([weights], format.dtype)
        layout = quire_for([Product(2, Factor(format, raws), Factor(given))]).layout
        lhs, rhs = parts_of(format), parts_of(given)
        unit, parts = layout.unit(lhs, rhs), layout.product_parts(lhs, rhs)
        least = layout.leasts(lhs, rhs)
        significands, exponents, _ = lhs.split(raws)
        place = int(np.where(significands == 0, 0, exponents - least[0]).max()) // unit
        greatest = place + max(rhs.greatest - least[1], 0) // unit
        last = greatest * unit // max(layout.step, 1) + (parts - 1) * (layout.part // max(layout.step, 1))
        assert layout.is_single or last < layout.count, (format, layout)


def test_posits_of_the_standard_are_no_fixed_point():
    """`as_integers` returns None for a standard posit, which has NaR and no common exponent of its numbers, but
    integers for a posit of limited range.
    """
    assert PositType(3, 0).as_integers(16) is None
    assert PositType(8, 2, -12, 2, 1).as_integers(16) is not None


@pytest.mark.long
@pytest.mark.parametrize(("n", "es"), [(8, 0), (8, 3), (5, 2), (9, 3), (12, 0), (16, 1), (16, 3), (32, 2), (32, 3)])
def test_every_posit_is_taken_apart_and_put_together(n: int, es: int, tmp_path: Path):
    """The product of 1 and x is x, on two chips with different functions for posits. All posits of up to 8 bits are
    tested, and random wider ones of all magnitudes.
    """
    format = PositType(n, es)
    one = int(format.encode(np.array(1.0)))
    x, y = (f"tensor<1x1x{format}>" for _ in range(2))
    text = f"""
        func.func @one(%x: {x}) -> {y} {{
          %w = tdsl.const dense<[[{one}]]> : tensor<1x1x{format.storage}> -> tensor<1x1x{format}>
          %y = tdsl.matmul %w, %x : tensor<1x1x{format}>, {x} -> {y}
          func.return %y : {y}
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    greatest = format.posit.maxpos
    random = np.random.default_rng(n)
    raws = random.integers(-greatest, greatest + 1, 400) >> random.integers(0, n - 1, 400)
    every = np.arange(-greatest - 1, greatest + 1) if n <= 8 else np.array([-greatest - 1, -greatest, 0, 1, greatest])
    inputs = np.concatenate([every, raws]).astype(format.dtype)[:, None]
    for device in ("uno", "cortex-m4"):
        source, runner, interface = printed(module, device, tmp_path / device), runner_for(device), interface_of(module)
        result = runner.run(runner.build(source, interface, tmp_path / f"{device}-build"), interface, inputs)
        np.testing.assert_array_equal(result.scores, inputs)


@pytest.mark.parametrize(
    ("n", "es", "least", "step"), [(8, 2, -27, 4), (8, 0, -40, 2), (16, 1, -60, 2), (32, 2, -147, 4)]
)
def test_unpacked_posits_are_the_same_numbers(n: int, es: int, least: int, step: int):
    format, unpacked = PositType(n, es), Unpacked(UnpackedType(n, es, least, step))
    greatest = format.posit.maxpos
    raws = np.arange(-greatest, greatest + 1, max(greatest >> 12, 1)).astype(format.dtype)
    numbers = format.decode(raws)
    np.testing.assert_array_equal(unpacked.decode(unpacked.encode(numbers)), numbers)


def agrees(text: str, x: Raws, folder: Path) -> NDArray[Any]:
    """The raw outputs of a program on the evaluator. Asserts that the host, an Uno and, if it is installed, LLVM
    compute the same raws.
    """
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    module.verify()
    assert_bits(module, x, ["host", "uno", *([LLVM] if is_available(LLVM) else [])], folder)
    scores = evaluate(module, x).scores
    assert scores is not None
    return scores.ravel()


@pytest.mark.long
def test_products_of_integers_beside_posits_have_units_between_the_bins(tmp_path: Path):
    """Sums of posits and of fixed-point products are exact, although the unit 2^-9 of the fixed-point products lies
    between the units of two bins.
    """
    text = """
        func.func @sums(%x: tensor<5x1x!fixed.q<8, 4>>) -> tensor<1x1x!posit.p<16, 2>> {
          %w = tdsl.const dense<[[7, -3, 50, 11, 2]]> : tensor<1x5xi8> -> tensor<1x5x!fixed.q<8, 5>>
          %v = tdsl.const dense<[[0, 0, 0, 0, 1]]> : tensor<1x5xi8> -> tensor<1x5x!posit.p<8, 2>>
          %y = tdsl.matmul_sum %w, %x, %v, %x : tensor<1x5x!fixed.q<8, 5>>, tensor<5x1x!fixed.q<8, 4>>,
            tensor<1x5x!posit.p<8, 2>>, tensor<5x1x!fixed.q<8, 4>> -> tensor<1x1x!posit.p<16, 2>>
          func.return %y : tensor<1x1x!posit.p<16, 2>>
        }"""
    x = np.array([[5, -9, 33, 2, 64]], np.int8)
    exact = Fraction(5 * 7 + 9 * 3 + 33 * 50 + 2 * 11 + 64 * 2, 1 << 9) + Fraction(64, 16) / (1 << 24)
    assert agrees(text, x, tmp_path).tolist() == [PositType(16, 2).encode(np.array(float(exact)))]


@pytest.mark.long
@pytest.mark.parametrize(("fixed", "width"), [("s<8, 0>", 8), ("s<16, 8>", 16)])
def test_the_least_integer_is_subtracted(fixed: str, width: int, tmp_path: Path):
    type, least = f"tensor<2x!fixed.{fixed}>", -(1 << width - 1)
    text = f"""
        func.func @difference(%x: tensor<2x!posit.p<8, 2>>) -> tensor<2x!posit.p<16, 2>> {{
          %c = tdsl.const dense<[{least}, 5]> : tensor<2xi{width}> -> {type}
          %y = tdsl.sub %x, %c : tensor<2x!posit.p<8, 2>>, {type} -> tensor<2x!posit.p<16, 2>>
          func.return %y : tensor<2x!posit.p<16, 2>>
        }}"""
    scale = 0 if width == 8 else 8
    expected = PositType(16, 2).encode(np.array([-least, -5]) / (1 << scale))
    assert agrees(text, np.array([[0, 0]], np.int8), tmp_path).tolist() == expected.tolist()


@pytest.mark.long
@pytest.mark.parametrize("function", ["exp", "tanh", "sigmoid"])
@pytest.mark.parametrize(("result", "undefined"), [("!posit.p<8, 2>", -128), ("!posit.p<8, 0, -6, 1>", 0),
                                                   ("!fixed.q<8, 4>", -127)])  # fmt: skip
def test_functions_take_nar(function: str, result: str, undefined: int, tmp_path: Path):
    """If the argument is NaR, the result is NaR in a standard posit, 0 in a posit of limited range, and the least
    number of another format.
    """
    text = f"""
        func.func @function(%x: tensor<3x!posit.p<8, 2>>) -> tensor<3x{result}> {{
          %y = tdsl.{function} %x : tensor<3x!posit.p<8, 2>> -> tensor<3x{result}>
          func.return %y : tensor<3x{result}>
        }}"""
    first, *_ = agrees(text, np.array([[-128, 0, 64]], np.int8), tmp_path)
    assert first == undefined


@pytest.mark.long
@pytest.mark.parametrize(
    ("posit", "function"),
    spread_product(10, [(8, 2), (6, 0), (12, 1), (16, 1), (32, 2)], ["relu", "relu6", "exp", "tanh", "sigmoid"]),
)
def test_nar_stays_nar(posit: tuple[int, int], function: str, tmp_path: Path):
    """The result for NaR is NaR, in tables, in functions in floating point, and in ops that clamp. The exponential of
    the greatest posit saturates.
    """
    format = PositType(*posit)
    type = f"tensor<3x{format}>"
    text = f"""
        func.func @function(%x: {type}) -> {type} {{
          %y = tdsl.{function} %x : {type} -> {type}
          func.return %y : {type}
        }}"""
    greatest = format.posit.maxpos
    x = np.array([[format.posit.nar, 0, greatest]], format.dtype)
    first, _, last = agrees(text, x, tmp_path)
    assert first == format.posit.nar
    assert function not in ("relu", "exp") or last == greatest


def test_nar_stays_nar_in_hardware(tmp_path: Path):
    """In hardware, the result of a table is NaR if the relu before it has the argument NaR."""
    type = "tensor<3x!posit.p<8, 2>>"
    text = f"""
        func.func @limited(%x: {type}) -> {type} {{
          %y = tdsl.relu %x : {type} -> {type}
          %z = tdsl.tanh %y : {type} -> {type}
          func.return %z : {type}
        }}"""
    x = np.array([[-128, -5, 7]], np.int8)
    assert_hardware_bits(Parser(context(), text).parse_module(), x, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("result", [FixedType(16, 8), PositType(16, 0, -14, 1)], ids=str)
def test_functions_of_longer_posits_take_nar(result: ExactFormat, tmp_path: Path):
    text = f"""
        func.func @function(%x: tensor<2x!posit.p<16, 1>>) -> tensor<2x{result}> {{
          %y = tdsl.sigmoid %x : tensor<2x!posit.p<16, 1>> -> tensor<2x{result}>
          func.return %y : tensor<2x{result}>
        }}"""
    first, second = agrees(text, np.array([[-(1 << 15), 1 << 14]], np.int16), tmp_path)
    assert first == (result.raw_limits[0] if isinstance(result, FixedType) else 0)
    assert second > 0


@pytest.mark.long
@pytest.mark.parametrize("second", [PositType(8, 0), FixedType(8, 3)], ids=str)
def test_distances_of_posits_of_the_standard_take_nar(second: ExactFormat, tmp_path: Path):
    """The squared distance of a vector with NaR is NaR. Differences of standard posits are therefore not computed as
    fixed-point integers.
    """
    x, c, d = (f"tensor<2x1x{one}>" for one in (PositType(8, 0), second, PositType(8, 0)))
    text = f"""
        func.func @distance(%x: {x}) -> tensor<1x1x!posit.p<8, 0>> {{
          %c = tdsl.const dense<[[9], [-2]]> : tensor<2x1xi8> -> {c}
          %d = tdsl.sub %x, %c : {x}, {c} -> {d}
          %t = tdsl.reshape %d : {d} -> tensor<1x2x!posit.p<8, 0>>
          %y = tdsl.matmul %t, %d : tensor<1x2x!posit.p<8, 0>>, {d} -> tensor<1x1x!posit.p<8, 0>>
          func.return %y : tensor<1x1x!posit.p<8, 0>>
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    FuseDistancesPass().apply(context(), module)
    assert_bits(module, np.array([[5, -128], [5, 7]], np.int8), ["host", "uno"], tmp_path)
    scores = evaluate(module, np.array([[5, -128]], np.int8)).scores
    assert scores is not None
    assert scores.ravel().tolist() == [-128]


@pytest.mark.long
def test_integers_of_32_bits_join_sums_of_posits(tmp_path: Path):
    """The least 32-bit integer is added exactly to a sum of posits, although its magnitude of 32 bits leaves no bit for
    the sign.
    """
    types = "tensor<1x2x!posit.p<8, 2>>, tensor<2x1x!posit.p<8, 2>>", "tensor<1x1x!posit.p<16, 1>>"
    text = f"""
        func.func @sums(%x: tensor<2x1x!posit.p<8, 2>>) -> {types[1]} {{
          %w = tdsl.const dense<[[1, 64]]> : tensor<1x2xi8> -> tensor<1x2x!posit.p<8, 2>>
          %b = tdsl.const dense<[[{-(1 << 31)}]]> : tensor<1x1xi32> -> tensor<1x1x!fixed.s<32, 16>>
          %y = tdsl.matmul_sum %w, %x from %b : tensor<1x1x!fixed.s<32, 16>> : {types[0]} -> {types[1]}
          func.return %y : {types[1]}
        }}"""
    exact = -(1 << 15) + 64.0
    x = np.array([[0, PositType(8, 2).encode(np.array(64.0))]], np.int8)
    assert agrees(text, x, tmp_path).tolist() == [PositType(16, 1).encode(np.array(exact))]


@pytest.mark.long
@pytest.mark.parametrize("posit", ["<8, 0, -6, 0>", "<8, 0, -6, -1>", "<2, 0, 0, 1>"])
def test_bounds_below_1_round_by_one_line(posit: str, tmp_path: Path):
    text = f"""
        func.func @cast(%x: tensor<4x!fixed.q<8, 5>>) -> tensor<4x!posit.p{posit}> {{
          %y = tdsl.cast %x : tensor<4x!fixed.q<8, 5>> -> tensor<4x!posit.p{posit}>
          func.return %y : tensor<4x!posit.p{posit}>
        }}"""
    x = np.array([[0, 11, 31, -100]], np.int8)
    format = PositType(*map(int, posit.strip("<>").split(", ")))
    assert agrees(text, x, tmp_path).tolist() == format.encode_clipped(x.ravel() / 32).tolist()


@pytest.mark.long(seconds=5)
def test_a_split_product_of_32_bits_keeps_its_upper_word(tmp_path: Path):
    """0.25 * 7 + 0.75 * 7 is 7. The magnitudes of the products fill two parts of 16 bits, and their signs are in the
    next word.
    """
    text = """
        func.func @sum(%x: tensor<2x1x!fixed.q<4, 0>>) -> tensor<1x1x!posit.p<32, 2>> {
          %w = tdsl.const dense<[[805306368, 1006632960]]> : tensor<1x2xi32> -> tensor<1x2x!posit.p<32, 2>>
          %y = tdsl.matmul %w, %x : tensor<1x2x!posit.p<32, 2>>, tensor<2x1x!fixed.q<4, 0>>
            -> tensor<1x1x!posit.p<32, 2>>
          func.return %y : tensor<1x1x!posit.p<32, 2>>
        }"""
    x = np.array([[7, 7], [-7, -7], [7, -7], [0, 1]], np.int8)
    expected = PositType(32, 2).encode(0.25 * x[:, 0] + 0.75 * x[:, 1])
    assert agrees(text, x, tmp_path).tolist() == expected.tolist()
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    assert_bits(module, x, ["cortex-m4", "riscv"], tmp_path)
    assert_hardware_bits(module, x, tmp_path)


OPERANDS: list[tuple[ExactFormat, ExactFormat, ExactFormat]] = [
    (PositType(8, 0), PositType(8, 0), FixedType(8, 4)),
    (PositType(4, 0), PositType(4, 0), FixedType(8, 4)),
    (FixedType(8, 4), PositType(8, 0), FixedType(8, 4)),
    (PositType(8, 2), PositType(8, 2), FixedType(8, 4)),
    (PositType(32, 2), PositType(16, 1), FixedType(16, 4)),
    (PositType(8, 0), FixedType(8, 4), PositType(16, 1)),
]
"""The formats of two operands and of a result."""


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("formats", OPERANDS, ids=names_of)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "neg"])
def test_operations_end_in_other_formats(
    name: str, formats: tuple[ExactFormat, ExactFormat, ExactFormat], tmp_path: Path
):
    """The result of an operation on standard posits is rounded once. NaR becomes the least number of a fixed-point
    type.
    """
    first, second, result = formats
    random = np.random.default_rng(8)
    raws: list[Raws] = [
        raws_of(one, (12,), 5) if isinstance(one, PositType) else one.encode(random.normal(size=12))
        for one in (first, second)
    ]
    for place, (one, some) in enumerate(zip((first, second), raws, strict=True)):
        if isinstance(one, PositType):
            some[place : place + 2] = one.posit.nar
    types = [f"tensor<12x{one.type}>" for one in formats]
    operands = f"%x : {types[0]}" if name == "neg" else f"%x, %c : {types[0]}, {types[1]}"
    text = f"""
        func.func @operation(%x: {types[0]}) -> {types[2]} {{
          %c = tdsl.const dense<{raws[1].tolist()}> : tensor<12x{second.storage}> -> {types[1]}
          %y = tdsl.{name} {operands} -> {types[2]}
          func.return %y : {types[2]}
        }}"""
    a, b = (numbers(one, some) for one, some in zip((first, second), raws, strict=True))
    exact = {
        "add": sums(a, b),
        "sub": sums(a, negated(b)),
        "mul": products(a, b),
        "neg": negated(a),
    }[name]
    expected = [
        nearest_sum([one], result.posit) if isinstance(result, PositType) else nearest_integer(one, result)
        for one in exact
    ]
    assert agrees(text, raws[0][None], tmp_path).tolist() == expected
    module = Parser(context(), text).parse_module()
    assert_bits(module, raws[0][None], ["cortex-m4", "riscv"], tmp_path)
    assert_hardware_bits(module, raws[0][None], tmp_path)


CONVERSIONS: list[tuple[PositType, ExactFormat]] = [
    (PositType(8, 2), FixedType(8, 4)),
    (PositType(6, 3), FixedType(16, 12)),
    (PositType(8, 0), FixedType(32, 20)),
    (PositType(9, 0), MinifloatType(4, 3, 1)),
    (PositType(10, 3), FixedType(16, 3)),
    (PositType(16, 1), FixedType(32, 30)),
    (PositType(16, 3), FixedType(8, 0)),
    (PositType(32, 2), FixedType(32, 4)),
    (PositType(16, 1), FixedType(24, 8)),
    (PositType(7, 1), FixedType(27, 16)),
    (PositType(8, 2), ByteType(8, 5)),
    (PositType(9, 0), ByteType(8, 3)),
    (PositType(8, 3), PositType(8, 0)),
    (PositType(16, 2), PositType(8, 2)),
    (PositType(16, 0), PositType(12, 2, -12, 2)),
    (PositType(32, 2), PositType(32, 0)),
]
"""The formats of a number and of its conversion."""


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("formats", CONVERSIONS, ids=names_of)
def test_posits_become_numbers_of_other_formats(formats: tuple[PositType, ExactFormat], tmp_path: Path):
    """A conversion rounds once. NaR stays NaR, or becomes the least number or, in bounded posits, 0."""
    first, result = formats
    extreme = first.posit.maxpos
    raws = np.concatenate([[0, 1, -1, extreme, 1 - extreme, first.posit.nar], raws_of(first, (200,), 3)])
    x, y = f"tensor<206x{first.type}>", f"tensor<206x{result.type}>"
    text = f"""
        func.func @converted(%x: {x}) -> {y} {{
          %y = tdsl.cast %x : {x} -> {y}
          func.return %y : {y}
        }}"""
    inputs = raws.astype(first.dtype)[None]
    exact = numbers(first, inputs)
    if isinstance(result, FixedType):
        expected = [nearest_integer(one, result) for one in exact]
    elif isinstance(result, PositType) and result.bounds is None:
        expected = [nearest_sum([one], result.posit) for one in exact]
    else:
        nearest = result.encode_clipped(np.nan_to_num(first.decode(inputs[0])))
        expected = [result.undefined if one is None else int(raw) for one, raw in zip(exact, nearest, strict=True)]
    assert agrees(text, inputs, tmp_path).tolist() == expected
    module = Parser(context(), text).parse_module()
    assert_bits(module, inputs, ["cortex-m0", "cortex-m4", "riscv"], tmp_path)
    assert_hardware_bits(module, inputs, tmp_path)


@pytest.mark.parametrize(("n", "es"), STANDARD)
def test_nar_is_its_own_negative(n: int, es: int):
    format = PositType(n, es)
    raws = np.array([format.posit.nar, -format.posit.maxpos, -1, 0, 1, format.posit.maxpos], format.dtype)
    assert format.neg(M, raws, format).tolist() == [raws[0], *(-raws[1:]).tolist()]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("n", [3, 10, 32])
def test_nar_is_its_own_negative_on_devices(n: int, tmp_path: Path):
    format = PositType(n, 1)
    x = np.array([[format.posit.nar, -format.posit.maxpos, 1, 0]], format.dtype)
    text = f"""
        func.func @negated(%x: tensor<4x{format}>) -> tensor<4x{format}> {{
          %y = tdsl.neg %x : tensor<4x{format}> -> tensor<4x{format}>
          func.return %y : tensor<4x{format}>
        }}"""
    assert agrees(text, x, tmp_path).tolist() == [format.posit.nar, format.posit.maxpos, -1, 0]
    module = Parser(context(), text).parse_module()
    assert_bits(module, x, ["cortex-m4", "riscv"], tmp_path)
    assert_hardware_bits(module, x, tmp_path)


def test_a_sum_of_signed_products_of_posits_is_rounded_once():
    """8 * 8 - 6 * 1 + 1 is 59. NaR makes the sum NaR, and a product of three factors is refused."""
    posit, result = PositType(8, 0), FixedType(16, 4)
    eight, big, one = (np.array([int(posit.encode(np.array(real)))], np.int8) for real in (8.0, 6.0, 1.0))
    terms = [(1, [(eight, posit), (eight, posit)]), (-1, [(big, posit), (one, posit)]), (1, [(one, posit)])]
    assert result.combined(M, terms).tolist() == [(64 - 6 + 1) << 4]
    nar = np.array([-128], np.int8)
    assert result.combined(M, [*terms, (-1, [(one, posit), (nar, posit)])]).tolist() == [result.raw_limits[0]]
    with pytest.raises(InputError, match="more than two factors"):
        result.combined(M, [(1, [(one, posit)] * 3)])


@pytest.mark.long(seconds=10)
def test_sums_of_integers_start_from_a_posit(tmp_path: Path):
    """A sum of fixed-point products with a standard posit as initial value is computed in a quire. NaR makes it NaR."""
    text = """
        func.func @sum(%x: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!posit.p<8, 2>> {
          %w = tdsl.const dense<[[3, 5], [3, 5]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
          %b = tdsl.const dense<[[64], [-128]]> : tensor<2x1xi8> -> tensor<2x1x!posit.p<8, 2>>
          %y = tdsl.matmul_sum %w, %x from %b : tensor<2x1x!posit.p<8, 2>>
            : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!posit.p<8, 2>>
          func.return %y : tensor<2x1x!posit.p<8, 2>>
        }"""
    x = np.array([[16, 32], [-100, 7], [0, 0]], np.int8)
    reals = (3.0 * x[:, 0] + 5.0 * x[:, 1]) / 256 + 1
    scores = agrees(text, x, tmp_path).reshape(3, 2)
    assert scores[:, 0].tolist() == PositType(8, 2).encode(reals).tolist()
    assert scores[:, 1].tolist() == [-128] * 3
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    assert_hardware_bits(module, x, tmp_path)

"""SeeDot's and Shiftry's arithmetic: the numbers printed in the papers, and equal bits on every device."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import PRINTED
from programs.lowered import lowered
from programs.printed import WARNINGS, parse, write
from programs.spread import spread, spread_product

from tinyml.dialects import tdsl
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

ROWS = 3


def product(family: str, widths: tuple[int, int, int], fracs: tuple[int, int, int], length: int, op: str) -> str:
    """The source of the program `sums(X)`, which multiplies random weights W by the vector X.

    family: the dialect of the formats, `seedot` or `shiftry`.
    widths, fracs: the widths and scales of W, X and the result.
    length: the number of elements of X.
    op: the name of the op; `tdsl.spmv` for sparse weights.
    """
    random = np.random.default_rng(length)
    w, x, y = (f"!{family}.q<{width}, {frac}>" for width, frac in zip(widths, fracs, strict=True))
    raws = random.integers(-(1 << widths[0] - 1), 1 << widths[0] - 1, (ROWS, length))
    sparse = ", #tdsl.csr" if op == "tdsl.spmv" else ""
    raws[random.random(raws.shape) < 0.5 * bool(sparse)] = 0
    matrix, column, sums = f"tensor<{ROWS}x{length}x{w}{sparse}>", f"tensor<{length}x1x{x}>", f"tensor<{ROWS}x1x{y}>"
    return f"""func.func @sums(%X: {column}) -> ({sums}) {{
      %W = tdsl.const dense<{raws.tolist()}> : tensor<{ROWS}x{length}xi{widths[0]}> -> {matrix}
      %y = {op} %W, %X : {matrix}, {column} -> {sums}
      func.return %y : {sums}
    }}"""


def outputs(text: str, inputs: NDArray[np.generic]) -> NDArray[np.generic]:
    context, module = parse(text)
    ChooseAccumulatorsPass().apply(context, module)
    scores = evaluate(module, inputs).scores
    assert scores is not None
    return scores


def towards_zero(x: int, right: int) -> int:
    return -(-x >> right) if x < 0 else x >> right


def downwards(x: int, right: int) -> int:
    return x >> right


def wrapped(x: int, width: int) -> int:
    return (x + (1 << width - 1)) % (1 << width) - (1 << width - 1)


def tree_sum(a: list[int], halvings: int, width: int, divided: Callable[[int, int], int]) -> int:
    """The procedure TREESUM of SeeDot's algorithm 2, line by line, in integers of one width.

    a: the terms.
    halvings: the number of levels of the tree at which terms are halved.
    divided: computes x / 2^s from x and s, with the rounding of the arithmetic.
    """
    a, n, s = list(a), len(a), 1
    k = n // 2
    while k >= 1:
        if halvings <= 0:
            s = 0
        halvings -= 1
        for i in range(k):
            a[i] = wrapped(divided(a[2 * i], s) + divided(a[2 * i + 1], s), width)
        if n % 2:
            a[k] = divided(a[2 * k], s)
        n = (n + 1) // 2
        k = n // 2
    return a[0]


@pytest.mark.parametrize("length", [1, 3, 12, 300])
@pytest.mark.parametrize("halvings", [0, 1, 5, 9])
@pytest.mark.parametrize(
    ("family", "shifts", "width", "divided"), [("seedot", (8, 8), 16, towards_zero), ("shiftry", (0, 0), 32, downwards)]
)
def test_tree_sums(
    family: str, shifts: tuple[int, int], width: int, divided: Callable[[int, int], int], length: int, halvings: int
):
    levels = (length - 1).bit_length()
    fracs = (15, 15, 30 - sum(shifts) - min(halvings, levels))
    text = product(family, (16, 16, 16), fracs, length, "tdsl.matmul")
    inputs = np.random.default_rng(1).integers(-(1 << 15), 1 << 15, (4, length)).astype(np.int16)
    [weights] = [op.raws for op in parse(text)[1].walk() if isinstance(op, tdsl.ConstOp)]
    for row, found in zip(inputs, outputs(text, inputs), strict=True):
        for w, one in zip(weights, found, strict=True):
            terms = [
                wrapped(divided(int(a), shifts[0]) * divided(int(b), shifts[1]), width)
                for a, b in zip(w, row, strict=True)
            ]
            assert one == wrapped(tree_sum(terms, min(halvings, levels), width, divided), 16)


def sparse_mat_mul(a: list[int], b: list[int], halved: int, divided: int, width: int) -> int:
    """A row of the result of the procedure SPARSEMATMUL of SeeDot's algorithm 2, with the sums in the order of the
    columns.

    a: the row of the sparse matrix.
    b: the vector.
    halved: S_mul / 2, by which both factors are divided.
    divided: S_add, by which each product is divided before it is added.
    """
    c = 0
    for value, factor in zip(a, b, strict=True):
        if value != 0:
            t = wrapped(towards_zero(value, halved) * towards_zero(factor, halved), width)
            c = wrapped(c + towards_zero(t, divided), width)
    return c


@pytest.mark.parametrize("divided", [0, 1, 6])
def test_sparse_products_of_algorithm_2(divided: int):
    """A product with a sparse matrix of 16 bits equals SPARSEMATMUL, which adds the products of a row one after the
    other.
    """
    length, halved = 40, 8
    text = product("seedot", (16, 16, 16), (14, 13, 14 + 13 - 2 * halved - divided), length, "tdsl.spmv")
    inputs = np.random.default_rng(1).integers(-(1 << 15), 1 << 15, (4, length)).astype(np.int16)
    [weights] = [op.raws for op in parse(text)[1].walk() if isinstance(op, tdsl.ConstOp)]
    for row, found in zip(inputs, outputs(text, inputs), strict=True):
        assert found.tolist() == [sparse_mat_mul(w.tolist(), row.tolist(), halved, divided, 16) for w in weights]


TERMS = 200


def mat_add(a: int, b: int, apart: int, divided: int, width: int) -> int:
    """An element of the result of the procedure MATADD of SeeDot's algorithm 2.

    apart: n, the difference between the scales of the operands, of which the second is the greater one.
    divided: S_add, by which both operands are divided before they are added.
    """
    return wrapped(towards_zero(a, divided) + towards_zero(b, apart + divided), width)


@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("apart", [0, 1, 5])
@pytest.mark.parametrize("divided", [0, 1])
def test_sums_of_algorithm_2(width: int, apart: int, divided: int):
    """A sum of two vectors equals MATADD, which overflows if the operands are not halved."""
    frac, random = 4, np.random.default_rng(width)
    first, second, result = (
        f"tensor<{TERMS}x1x!seedot.q<{width}, {at}>>" for at in (frac, frac + apart, frac - divided)
    )
    a, b = random.integers(-(1 << width - 1), 1 << width - 1, (2, TERMS))
    text = f"""func.func @sum(%a: {first}) -> {result} {{
      %b = tdsl.const dense<{[[int(raw)] for raw in b]}> : tensor<{TERMS}x1xi{width}> -> {second}
      %y = tdsl.add %a, %b : {first}, {second} -> {result}
      func.return %y : {result}
    }}"""
    [found] = outputs(text, a[None].astype(f"i{width // 8}"))
    assert found.tolist() == [mat_add(int(x), int(y), apart, divided, width) for x, y in zip(a, b, strict=True)]


def arg_max(a: list[int]) -> int:
    """The procedure ARGMAX of SeeDot's algorithm 2, line by line."""
    index, most = 0, a[0]
    for i, value in enumerate(a):
        if value > most:
            most, index = value, i
    return index


def test_classes_of_algorithm_2():
    """The class of a vector equals ARGMAX, which takes the first of equal maxima."""
    vector = "tensor<5x1x!seedot.q<8, 4>>"
    text = f"func.func @class(%x: {vector}) -> index {{\n%y = tdsl.argmax %x : {vector}\nfunc.return %y : index\n}}"
    inputs = np.random.default_rng(1).integers(-2, 2, (TERMS, 5)).astype(np.int8)
    context, module = parse(text)
    ChooseAccumulatorsPass().apply(context, module)
    labels = evaluate(module, inputs).labels
    assert labels is not None
    assert labels.tolist() == [arg_max(row.tolist()) for row in inputs]


CASES = {
    "seedot 8": product("seedot", (8, 8, 8), (6, 7, 2), 21, "tdsl.matmul"),
    "seedot 16, odd shifts": product("seedot", (16, 16, 16), (14, 13, 20), 21, "tdsl.matmul"),
    "seedot 32": product("seedot", (32, 32, 32), (30, 29, 25), 5, "tdsl.matmul"),
    "seedot 16, sparse": product("seedot", (16, 16, 16), (14, 13, 8), 40, "tdsl.spmv"),
    "shiftry 8": product("shiftry", (8, 8, 8), (6, 7, 4), 300, "tdsl.matmul"),
    "shiftry 8 and 16": product("shiftry", (8, 16, 16), (6, 12, 9), 21, "tdsl.matmul"),
    "shiftry 16, finer than the products": product("shiftry", (16, 16, 16), (3, 4, 9), 5, "tdsl.matmul"),
    "shiftry 16, sparse": product("shiftry", (16, 16, 8), (14, 13, 5), 40, "tdsl.spmv"),
}

PRINTED_RULE = {
    "16 bits": product("shiftry_printed", (8, 8, 8), (6, 7, 4), 2, "tdsl.matmul"),
    "32 bits": product("shiftry_printed", (8, 8, 8), (6, 7, 4), 300, "tdsl.matmul"),
    "32 bits, of two widths": product("shiftry_printed", (8, 16, 16), (6, 12, 9), 21, "tdsl.matmul"),
    "64 bits": product("shiftry_printed", (16, 16, 16), (14, 13, 12), 3, "tdsl.matmul"),
    "64 bits, finer than the products": product("shiftry_printed", (16, 16, 16), (3, 4, 9), 5, "tdsl.matmul"),
    "64 bits, sparse": product("shiftry_printed", (16, 16, 8), (14, 13, 5), 40, "tdsl.spmv"),
}
"""Sums by rule C-MatMul of Shiftry's figure 5, by the width of their temporaries."""


def c_matmul(x: list[int], y: list[int], widths: tuple[int, int, int], scales: tuple[int, int, int]) -> int:
    """An element of a product of matrices by Shiftry's rule C-MatMul and its library 7, line by line. The shift is that
    of section 3, without the last term of the rule.

    x: a row of the left matrix.
    y: a column of the right matrix.
    widths, scales: the widths and scales of x, y and the result.
    """
    temporary = 2 ** math.ceil(math.log2(widths[0] + widths[1] + math.ceil(math.log2(len(x))) - 1))
    total = 0
    for a, b in zip(x, y, strict=True):
        total = wrapped(total + wrapped(a * b, temporary), temporary)
    n = scales[0] + scales[1] - scales[2]
    return wrapped(math.floor(Fraction(total) / Fraction(2) ** n), widths[2])


@pytest.mark.parametrize("length", [1, 2, 3, 21, 300])
@pytest.mark.parametrize("widths", [*itertools.product((8, 16), repeat=3)])
@pytest.mark.parametrize("result", [0, 7, 17])
def test_c_matmul_of_figure_5(widths: tuple[int, int, int], result: int, length: int):
    """Products of matrices equal `c_matmul`: with temporaries of 16, 32 and 64 bits, with results of lower and higher
    scale than the products, and with operands that are all least or all greatest.
    """
    scales = (6, 7, result)
    text = product("shiftry_printed", widths, scales, length, "tdsl.matmul")
    lowest, highest = -(1 << widths[1] - 1), (1 << widths[1] - 1) - 1
    inputs = np.random.default_rng(1).integers(lowest, highest + 1, (4, length)).astype(f"i{widths[1] // 8}")
    inputs[0], inputs[1] = lowest, highest
    [weights] = [op.raws for op in parse(text)[1].walk() if isinstance(op, tdsl.ConstOp)]
    for column, found in zip(inputs, outputs(text, inputs), strict=True):
        assert found.tolist() == [c_matmul(row.tolist(), column.tolist(), widths, scales) for row in weights]


@pytest.mark.parametrize("op", ["tdsl.matmul", "tdsl.spmv"])
@pytest.mark.parametrize("frac", [2, 4])
def test_products_of_factors_of_which_division_leaves_nothing_are_zero(op: str, frac: int, tmp_path: Path):
    """Both factors are divided by 2^8, so that nothing is left of one of 8 bits."""
    text = product("seedot", (16, 8, 8), (14, 6, frac), 21, op)
    assert not outputs(text, np.full((4, 21), -128, np.int8)).any()
    on_host_and("uno", text, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("case", "target"), spread_product(8, PRINTED_RULE, ("uno", "cortex-m4")))
def test_the_printed_rule_on_devices(case: str, target: str, tmp_path: Path):
    on_host_and(target, PRINTED_RULE[case], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("case", spread(CASES, 4))
def test_devices(case: str, tmp_path: Path):
    """Each program in `CASES` computes the evaluator's bits on the host and on one target. The cases are distributed
    over all targets.
    """
    on_host_and([*PRINTED][[*CASES].index(case) % len(PRINTED)], CASES[case], tmp_path)


def on_host_and(target: str, text: str, folder: Path):
    """Assert that a program computes the evaluator's raws on a target and, with the same C, on the host."""
    context, module = parse(text)
    ChooseAccumulatorsPass().apply(context, module)
    interface = interface_of(module)
    info = np.iinfo(interface.input_dtype)
    inputs = np.random.default_rng(0).integers(info.min, info.max, (6, interface.input_length), interface.input_dtype)
    inputs[0], inputs[1] = info.min, info.max
    expected = evaluate(module, inputs).scores
    lowered(module, context, end="loops-to-bits", target=target)
    source = write(str(module), target, folder / "source")
    # The formats have no kernels of a chip: the host runs what is printed for any of them.
    for runner in (HostRunner(sanitize=True), runner_for(target)):
        result = runner.run(runner.build(source, interface, folder / "build", "-O2", WARNINGS), interface, inputs)
        np.testing.assert_array_equal(result.scores, expected)


LINEAR = """func.func @linear(%x: tensor<4x1x!seedot.q<8, 7>>) -> tensor<1x1x!seedot.q<8, 5>> {
  %w = tdsl.const dense<[[49, -46, 115, -119]]> : tensor<1x4xi8> -> tensor<1x4x!seedot.q<8, 6>>
  %y = tdsl.matmul %w, %x : tensor<1x4x!seedot.q<8, 6>>, tensor<4x1x!seedot.q<8, 7>> -> tensor<1x1x!seedot.q<8, 5>>
  func.return %y : tensor<1x1x!seedot.q<8, 5>>
}"""


@pytest.mark.parametrize(("scale", "raw"), [(5, -98), (3, -24)])
def test_the_motivating_example_of_seedot(scale: int, raw: int):
    """SeeDot's section 3: program (3) computes -98 at scale 5. Program (2) computes -24 at scale 3, which is -3.0. The
    paper states -2.625.
    """
    x = np.trunc(np.array([[0.0767, 0.9238, -0.8311, 0.8213]]) * 128).astype(np.int8)
    assert outputs(LINEAR.replace("<8, 5>", f"<8, {scale}>"), x).item() == raw


@pytest.mark.parametrize("family", ["shiftry", "shiftry_printed"])
def test_the_homogeneous_program_of_shiftry(family: str):
    """Shiftry's pseudocode 2 in section 3 computes the raw -20935 at scale 12."""
    names = ("W1", "B1", "W2", "B2")
    reals = ([[0.0421, 0.1948], [1.021, -0.827]], [[-0.032], [0.619]], [[-0.402, -1.013]], [[0.737]])
    fracs, lines = (14, 15, 14, 15), list[str]()
    for name, matrix, frac in zip(names, reals, fracs, strict=True):
        raws = np.trunc(np.ldexp(np.array(matrix), frac)).astype(int).tolist()
        shape = f"{len(matrix)}x{len(matrix[0])}x"
        type = f"tensor<{shape}!shiftry.q<16, {frac}>>"
        lines.append(f"%{name} = tdsl.const dense<{raws}> : tensor<{shape}i16> -> {type}")
    program = """func.func @toy(%X: tensor<2x1x!shiftry.q<16, 13>>) -> tensor<1x1x!shiftry.q<16, 12>> {
      CONSTANTS
      %t1 = tdsl.matmul %W1, %X : tensor<2x2xA>, tensor<2x1x!shiftry.q<16, 13>> -> tensor<2x1xT>
      %t2 = tdsl.add %t1, %B1 : tensor<2x1xT>, tensor<2x1xB> -> tensor<2x1xT>
      %t3 = tdsl.matmul %W2, %t2 : tensor<1x2xA>, tensor<2x1xT> -> tensor<1x1xT>
      %t4 = tdsl.add %t3, %B2 : tensor<1x1xT>, tensor<1x1xB> -> tensor<1x1xT>
      func.return %t4 : tensor<1x1xT>
    }"""
    for letter, frac in (("A", 14), ("B", 15), ("T", 12)):
        program = program.replace(f"x{letter}>", f"x!shiftry.q<16, {frac}>>")
    x = np.trunc(np.array([[2.391, -3.583]]) * 8192).astype(np.int16)
    program = program.replace("CONSTANTS", "\n".join(lines)).replace("!shiftry.", f"!{family}.")
    assert outputs(program, x).item() == -20935

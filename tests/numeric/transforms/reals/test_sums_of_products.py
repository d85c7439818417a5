"""Sums of several products and a constant: the same bits in the evaluator and on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import PRINTED
from programs.lowered import lowered
from programs.printed import WARNINGS, parse, write
from programs.spread import spread_product

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

ROWS, LENGTHS = 5, (7, 12)


def program(width: int, fracs: tuple[int, int], bias_frac: int, columns: int = 1) -> str:
    """The source of `sums(X)`: W0 X0 + W1 X1 + B, where the two matrices of weights have different scales.

    fracs: the scales of W0 and W1.
    bias_frac: the scale of B.
    columns: the number of columns of X0, X1 and B.
    """
    random = np.random.default_rng(width)
    greatest = (1 << (width - 1)) - 1
    x = f"!fixed.q<{width}, {width - 2}>"
    total = sum(LENGTHS) * columns
    y = f"tensor<{ROWS}x{columns}x!fixed.q<{width}, 2>>"
    lines = [f"func.func @sums(%X: tensor<{total}x1x{x}>) -> ({y})"]
    lines.append("  attributes {tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0]>>} {")
    lines.append("  %zero = arith.constant 0 : index")
    factors: list[str] = []
    types: list[str] = []
    start = 0
    for i, (length, frac) in enumerate(zip(LENGTHS, fracs, strict=True)):
        raws = random.integers(-greatest // length, greatest // length + 1, (ROWS, length)).tolist()
        w = f"tensor<{ROWS}x{length}x!fixed.q<{width}, {frac}>>"
        part, matrix = f"tensor<{length * columns}x1x{x}>", f"tensor<{length}x{columns}x{x}>"
        lines += [
            f"  %W{i} = tdsl.const dense<{raws}> : tensor<{ROWS}x{length}xi{width}> -> {w}",
            f"  %at{i} = arith.constant {start} : index",
            f"  %p{i} = tdsl.slice %X[%at{i}, %zero] : tensor<{total}x1x{x}> -> {part}",
            f"  %x{i} = tdsl.reshape %p{i} : {part} -> {matrix}",
        ]
        factors += [f"%W{i}", f"%x{i}"]
        types += [w, matrix]
        start += length * columns
    bias = random.integers(-greatest, greatest + 1, (ROWS, columns)).tolist()
    b = f"tensor<{ROWS}x{columns}x!fixed.q<{width}, {bias_frac}>>"
    lines += [
        f"  %B = tdsl.const dense<{bias}> : tensor<{ROWS}x{columns}xi{width}> -> {b}",
        f"  %y = tdsl.matmul_sum {', '.join(factors)} from %B : {b} : {', '.join(types)} -> {y}",
        f"  func.return %y : {y}",
        "}",
    ]
    return "\n".join(lines)


CASES = {
    "8 bits, one scale": program(8, (5, 5), 4),
    "8 bits, the finer product first": program(8, (6, 4), 2),
    "8 bits, a small sum": program(8, (5, 4), 5, columns=2),
    "16 bits": program(16, (9, 12), 7),
}


@pytest.mark.long
@pytest.mark.parametrize(("case", "target"), spread_product(6, CASES, PRINTED))
def test_sums_of_products(case: str, target: str, tmp_path: Path):
    context, module = parse(CASES[case])
    ChooseAccumulatorsPass().apply(context, module)
    interface = interface_of(module)
    random = np.random.default_rng(0)
    greatest = (1 << (8 * interface.input_dtype.itemsize - 1)) - 1
    inputs = random.integers(-greatest, greatest + 1, (6, interface.input_length)).astype(interface.input_dtype)
    inputs[0], inputs[1] = greatest, -greatest
    expected = evaluate(module, inputs).scores
    lowered(module, context, end="loops-to-bits", target=target)
    source = write(str(module), target, tmp_path / "source")
    turn = [*CASES].index(case) + [*PRINTED].index(target)
    # The host runs what is printed for one target of each case, and for each target in some case.
    host = [] if turn % len(PRINTED) else [HostRunner(sanitize=True)]
    for runner in (*host, runner_for(target)):
        result = runner.run(runner.build(source, interface, tmp_path / "build", "-O2", WARNINGS), interface, inputs)
        np.testing.assert_array_equal(result.scores, expected, err_msg=runner.name)

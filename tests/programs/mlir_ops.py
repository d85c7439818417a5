"""Functions of one op in MLIR's generic text, and numpy's results for the same operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import erf
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from programs.paths import ROOT
from tinyml.lowering.frontends.mlir.importer import read_tensors
from tinyml.runtime.evaluator.evaluator import evaluate_reals

Floats: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

A: TypeAlias = Any
Function: TypeAlias = (
    Callable[[A], A] | Callable[[A, A], A] | Callable[[A, A, A], A] | Callable[[A, A, A, A], A]
    | Callable[[A, A, A, A, A], A]
)  # fmt: skip
"""A function of arrays, as many as the operands of an op."""

ROWS = 5
"""The samples of each case."""

TYPES = {"float64": "f32", "int64": "i64", "int32": "i32", "int8": "i8", "bool": "i1"}


@dataclass(frozen=True)
class X:
    """A variable operand, whose value is twice an argument of the function.

    shape: the shape of the operand.
    positive: True for positive numbers only.
    """

    shape: tuple[int, ...]
    positive: bool = False


@dataclass(frozen=True)
class Dims:
    """An operand of type `!tosa.shape` with the given numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """An op with its operands and numpy's result.

    operands: `X` for variable operands, `Dims` for shapes, arrays for constants.
    expected: a function that computes the result from the arrays of all operands except `Dims`.
    properties, region: the properties and the region of the op, as text.
    code: lines that compute `%r` from the operands `%a0`, `%a1` and so on; by default the op alone.
    after: lines that compute the result `%s` from `%r`, if the result is not `%r`.
    functions: other functions of the module.
    returns: the type of `%r`; by default that of the result.
    """

    operands: Sequence[X | Dims | Floats]
    expected: Function
    properties: str = ""
    region: str = ""
    after: str = ""
    code: str = ""
    functions: str = ""
    returns: str = ""


def literal(array: Floats) -> str:
    if not np.isfinite(array).all():
        return "0xFF800000"
    return str(array.tolist()).lower()


def typed(shape: Sequence[int], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def operand(at: int, of: X | Dims | Floats) -> tuple[str, str]:
    """The type of operand number `at`, and the line that defines it."""
    match of:
        case X():
            kind = typed(of.shape)
            return kind, f'%a{at} = "stablehlo.add"(%x{at}, %x{at}) : ({kind}, {kind}) -> {kind}'
        case Dims():
            count = len(of.numbers)
            values = f"dense<{[*of.numbers]}> : tensor<{count}xindex>"
            kind = f"!tosa.shape<{count}>"
            return kind, f'%a{at} = "tosa.const_shape"() <{{values = {values}}}> : () -> {kind}'
        case _:
            kind = typed(of.shape, TYPES[of.dtype.name])
            return kind, f'%a{at} = "stablehlo.constant"() <{{value = dense<{literal(of)}> : {kind}}}> : () -> {kind}'


def check(op: str, case: Case) -> None:
    """Assert that the program of a case computes numpy's result for each sample."""
    generator = np.random.default_rng(0)
    inputs = {
        at: generator.normal(size=(ROWS, *each.shape)) for at, each in enumerate(case.operands) if isinstance(each, X)
    }
    inputs = {at: abs(x) + 0.25 if getattr(case.operands[at], "positive", False) else x for at, x in inputs.items()}
    arrays = [
        [2 * inputs[at][row] if at in inputs else each for at, each in enumerate(case.operands)
         if not isinstance(each, Dims)]
        for row in range(ROWS)
    ]  # fmt: skip
    expected = [np.asarray(cast("Callable[..., Any]", case.expected)(*each)) for each in arrays]
    made = [operand(at, each) for at, each in enumerate(case.operands)]
    kinds, lines = [kind for kind, _ in made], [line for _, line in made]
    returned = typed(expected[0].shape, TYPES[expected[0].dtype.name])
    names = ", ".join(f"%a{at}" for at in range(len(kinds)))
    properties = f" <{{{case.properties}}}>" if case.properties else ""
    region = f" ({{{case.region}}})" if case.region else ""
    call = f'%r = "{op}"({names}){properties}{region} : ({", ".join(kinds)}) -> {case.returns or returned}'
    body = "\n".join([*lines, case.code or call, case.after or ""])
    arguments = {f"%x{at}": kinds[at] for at in inputs}
    text = f""""builtin.module"() ({{
  "func.func"() <{{function_type = ({", ".join(arguments.values())}) -> {returned}, sym_name = "main"}}> ({{
  ^bb0({", ".join(f"{name}: {kind}" for name, kind in arguments.items())}):
{body}
    "func.return"(%{"s" if case.after else "r"}) : ({returned}) -> ()
  }}) : () -> ()
{case.functions}
}}) : () -> ()"""
    assert f'"{op}"' in text
    outputs = evaluate_reals(read_tensors(text, "m.mlir"), np.concatenate([*map(_flat, inputs.values())], 1))
    found = outputs.labels if outputs.scores is None else outputs.scores
    assert found is not None
    np.testing.assert_allclose(found.reshape(ROWS, -1), _flat(np.array(expected)), rtol=1e-5, atol=1e-5)


def _flat(rows: Floats) -> Floats:
    return rows.reshape(ROWS, -1)


ROW, ONE, LIKE = X((1, 4)), X((1, 1)), np.array([[0.5, -1.25, 2.0, 3.5]])
erfs = np.vectorize(erf)


def chosen(mask: Any) -> Floats:
    return np.where(mask, 2.0, -3.0)


def sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: Mapping[str, Function] = {
    "abs": np.abs, "erf": erfs, "erfc": lambda x: 1 - erfs(x), "exp": np.exp, "exponential": np.exp, "log": np.log,
    "exponential_minus_one": np.expm1, "expm1": np.expm1, "logistic": sigmoid, "sigmoid": sigmoid, "tanh": np.tanh,
    "square": np.square, "absf": np.abs, "negf": np.negative, "negate": np.negative, "extf": np.copy,
    "truncf": np.copy, "convert": np.copy, "optimization_barrier": np.copy, "identity": np.copy, "cast": np.copy,
    "add": np.add, "addf": np.add, "sub": np.subtract, "subf": np.subtract, "subtract": np.subtract,
    "mulf": np.multiply, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "maximumf": np.maximum, "maxnumf": np.maximum, "minimumf": np.minimum, "minnumf": np.minimum,
}  # fmt: skip


def inside(op: str, case: Case) -> Case:
    """A case that computes the same results by the op of `case` in the body of `linalg.generic`."""
    count = len(case.operands)
    first = case.operands[0]
    assert isinstance(first, X)
    space, elements = typed(first.shape), [f"%e{at}" for at in range(count)]
    line = case.code or f'%q = "{op}"({", ".join(elements)}) : ({", ".join(["f32"] * count)}) -> f32'
    maps = ", ".join(["affine_map<(d0, d1) -> (d0, d1)>"] * (count + 1))
    parallel = ", ".join(["#linalg.iterator_type<parallel>"] * 2)
    code = f"""%o = "tensor.empty"() : () -> {space}
    %r = "linalg.generic"({"".join(f"%a{at}, " for at in range(count))}%o) <{{indexing_maps = [{maps}],
      iterator_types = [{parallel}], operandSegmentSizes = array<i32: {count}, 1>}}> ({{
    ^bb0({"".join(f"{each}: f32, " for each in elements)}%z: f32):
      {line}
      "linalg.yield"(%q) : (f32) -> ()
    }}) : ({", ".join([space] * (count + 1))}) -> {space}"""
    return Case(case.operands, case.expected, code=code)


def pool(kind: str, axes: tuple[int, ...], shape: tuple[int, ...]) -> Case:
    """The case of a pool along the given axes. Its windows have extent 2 along each axis, and strides of 2 along the
    first and 1 along the second.

    kind: `max` or `sum`.
    """

    def expected(x: Floats, *_: Floats) -> Floats:
        windows = strided(sliding_window_view(x, (2,) * len(axes), axes), axes)
        return getattr(windows, kind)(tuple(range(-len(axes), 0)))

    def result(x: Floats, window: Floats, start: Floats) -> Floats:
        return np.maximum(expected(x), start) if kind == "max" else expected(x) + start

    start = np.full(expected(np.zeros(shape)).shape, 0.25)
    steps = ", ".join("21"[: len(axes)])
    properties = f"strides = array<i64: {steps}>, dilations = dense<1> : tensor<{len(axes)}xi64>"
    return Case([X(shape), np.zeros((2,) * len(axes)), start], result, properties)


def strided(windows: Floats, axes: Sequence[int]) -> Floats:
    """Every second window along the first of `axes`."""
    return windows[(slice(None),) * axes[0] + (slice(None, None, 2),)]


def convolution(
    image: tuple[int, ...], axes: tuple[int, ...], filter: tuple[int, ...], size: int, sums: str, properties: str = ""
) -> Case:
    """The case of a convolution with windows of `size` along the axes, and strides of 2 and 1.

    image, filter: the shapes of the operands.
    sums: the subscripts of einsum, in which k and l are positions in a window.
    properties: the properties of an op without an initial value; by default the op has an initial value.
    """
    weights = np.random.default_rng(1).normal(size=filter).round(3)

    def expected(x: Floats, w: Floats, *start: Floats) -> Floats:
        windows = strided(sliding_window_view(x, (size,) * len(axes), axes), axes)
        return np.einsum(sums, windows, w) + (start[0] if start else 0.0)

    start = np.full(expected(np.zeros(image), weights).shape, 0.5)
    steps = ", ".join("21"[: len(axes)])
    if properties:
        return Case([X(image), weights], expected, properties)
    properties = f"strides = array<i64: {steps}>, dilations = dense<1> : tensor<{len(axes)}xi64>"
    return Case([X(image), weights, start], expected, properties)


def product(sums: str, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> Case:
    """The case of a product of two variable tensors with an initial value.

    sums: the subscripts of einsum.
    lhs, rhs: the shapes of the operands.
    """
    shape = np.einsum(sums, np.zeros(lhs), np.zeros(rhs)).shape
    return Case([X(lhs), X(rhs), np.full(shape, 0.5)], lambda a, b, start: np.einsum(sums, a, b) + start)


def function(dialect: str) -> str:
    """The text of a private function @f in a dialect, such as `func`. The function computes tanh."""
    kind = typed(ROW.shape)
    properties = f'function_type = ({kind}) -> {kind}, sym_name = "f", sym_visibility = "private"'
    return f""""{dialect}.func"() <{{{properties}}}> ({{
  ^bb0(%x: {kind}):
    %t = "stablehlo.tanh"(%x) : ({kind}) -> {kind}
    "{dialect}.return"(%t) : ({kind}) -> ()
  }}) : () -> ()"""


def overwritten(x: Floats, part: Floats, row: int, column: int) -> Floats:
    result = x.copy()
    result[row : row + part.shape[0], column : column + part.shape[1]] = part
    return result


def padded(x: Floats, *widths: tuple[int, int], number: float = 1.5) -> Floats:
    return np.pad(x, widths, constant_values=number)


def average(x: Floats, *_: Floats) -> Floats:
    """The averages of windows of 2 x 2 with a row of padding above, which does not count. The stride is 2 along the
    height and 1 along the width.
    """
    ones = np.pad(np.ones_like(x), [(0, 0), (1, 0), (0, 0), (0, 0)])
    image = np.pad(x, [(0, 0), (1, 0), (0, 0), (0, 0)])
    sums, counts = (sliding_window_view(each, (2, 2), (1, 2)).sum((-2, -1))[:, ::2] for each in (image, ones))
    return sums / counts


def biased(sums: str) -> Callable[..., Floats]:
    """A function that computes a convolution of an NHWC image with a padding of 1 on the left, a stride of 2 along its
    height, and a bias.

    sums: the subscripts of einsum for windows and filter.
    """

    def expected(x: Floats, w: Floats, bias: Floats, *_: Floats) -> Floats:
        image = np.pad(x, [(0, 0), (0, 0), (1, 0), (0, 0)])
        windows = sliding_window_view(image, (2, 2), (1, 2))[:, ::2]
        result = np.einsum(sums, windows, w)
        return result.reshape(*result.shape[:3], -1) + bias

    return expected


def named(dialect: str, names: str, operands: Sequence[X | Floats]) -> dict[str, Case]:
    """Cases of elementwise ops. Ops of `arith` and `math` are in the body of `linalg.generic`.

    names: the names of the ops in the dialect, separated by spaces.
    """
    cases: dict[str, Case] = {}
    for name in names.split():
        op, case = f"{dialect}.{name}", Case(operands, FUNCTIONS[name])
        cases[op] = inside(op, case) if dialect in ("arith", "math") else case
    return cases


def joined(first: A, second: A, third: A) -> A:
    """Three matrices, concatenated along axis 1."""
    return np.concatenate([first, second, third], 1)


def either(mask: A, a: A, b: A) -> A:
    """An array of the elements of `a` where `mask` is true, and of `b` elsewhere."""
    return cast("A", np.where(mask, a, b))


def greatest(x: Floats) -> Floats:
    image = np.pad(x, [(0, 0), (1, 0), (0, 0), (0, 0)], constant_values=-np.inf)
    return sliding_window_view(image, (2, 2), (1, 2))[:, ::2].max((-2, -1))


def beside(op: str, values: Any) -> Case:
    """The case of an op without operands, whose result `values` is added to a variable tensor.

    op: the text of the op up to its type.
    """
    code = f"""%c = {op} : () -> tensor<1x4xf32>
    %r = "stablehlo.add"(%a0, %c) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>"""
    return Case([ROW], lambda a: a + np.array(values), code=code)


def listed(*, computed: bool) -> list[str]:
    """If `computed`, the ops that docs/mlir.md lists for variable tensors. Otherwise the ops that it lists only for
    constants and in decomposed layers.
    """
    section = (
        (ROOT / "docs/mlir.md").read_text(encoding="utf-8").partition("<!-- ops: mlir -->\n")[2].partition("##")[0]
    )
    ops: list[str] = []
    for dialect, names in re.findall(r"^\* `(\w+)`: (.*(?:\n  .*)*)", section, re.MULTILINE):
        parts = [*re.split(r"on constants and in decomposed layers also", " ".join(names.split())), ""]
        ops += [f"{dialect}.{name}" for name in re.findall(r"\w+", parts[0 if computed else 1])]
    return ops

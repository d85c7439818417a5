"""Sums of products with any order of axes, compared with sums that numpy computes window by window."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tinyml.lowering.frontends.mlir.contraction import Equation, Windows, contract, pool
from tinyml.lowering.frontends.mlir.graph import GraphWriter, Tensor
from tinyml.lowering.frontends.onnx.importer import import_graph
from tinyml.runtime.evaluator.evaluator import evaluate_reals


def computed(to: GraphWriter, x: Tensor, result: Tensor, array: np.ndarray) -> np.ndarray:
    """The value of `result` that the imported graph computes on reals, with the shape of `result`.

    to: the writer of the graph.
    x: the input of the graph.
    array: the value of this input.
    """
    graph = to.graph(to.bodies[0], [x], [to.whole(result)])
    scores = evaluate_reals(import_graph(graph, "f"), array.reshape(1, -1)).scores
    assert scores is not None
    return scores.reshape(result.shape)


def writer(shape: tuple[int, ...]) -> tuple[GraphWriter, Tensor]:
    to = GraphWriter("f", ModuleOp([]))
    return to, to.argument("x", shape)


EXTENTS = {"n": 1, "y": 3, "x": 2, "k": 2, "l": 3, "o": 2, "z": 3}


@given(
    st.permutations(["n", "Y", "X", "g", "c"]),
    st.permutations(["g", "c", "o", "k", "l"]),
    st.permutations(["n", "y", "x", "g", "o"]),
    st.tuples(*[st.integers(1, 2)] * 4),
    st.sampled_from([(1, 2), (2, 1), (2, 2), (1, 1)]),
)
def test_a_convolution(image: list[str], filter: list[str], result: list[str], steps: Any, channels: tuple[int, int]):
    """Convolutions with groups, strides and dilations equal numpy's; groups of one channel are depthwise."""
    extents = {**EXTENTS, "g": channels[0], "c": channels[1]}
    sy, sx, dk, dl = steps
    extents["Y"] = (extents["y"] - 1) * sy + (extents["k"] - 1) * dk + 1
    extents["X"] = (extents["x"] - 1) * sx + (extents["l"] - 1) * dl + 1
    spelled = {"Y": f"{sy}*y+{dk}*k", "X": f"{sx}*x+{dl}*l"}
    generator = np.random.default_rng(0)
    shapes = [tuple(extents[letter] for letter in letters) for letters in (image, filter, result)]
    x, w, start = (generator.normal(size=shape).astype(np.float32) for shape in shapes)
    text = f"{' '.join(spelled.get(each, each) for each in image)}, {' '.join(filter)} -> {' '.join(result)}"
    to, argument = writer(shapes[0])
    sums = contract(to, Equation.parse(text), argument, to.constant(w), shapes[2], to.constant(start))
    expected = start.astype(np.float64)
    for place in product(*(range(extents[letter]) for letter in "nyxgockl")):
        at = dict(zip("nyxgockl", place, strict=True))
        at |= {"Y": sy * at["y"] + dk * at["k"], "X": sx * at["x"] + dl * at["l"]}
        i, j, k = (tuple(at[letter] for letter in letters) for letters in (image, filter, result))
        expected[k] += float(x[i]) * float(w[j])
    np.testing.assert_allclose(computed(to, argument, sums, x), expected, atol=1e-4)


@given(
    st.permutations(["n", "y", "x", "k"]), st.permutations(["k", "o", "z"]), st.permutations(["n", "y", "x", "o", "z"])
)
def test_a_product_of_matrices(lhs: list[str], rhs: list[str], result: list[str]):
    generator = np.random.default_rng(0)
    shapes = [tuple(EXTENTS[letter] for letter in letters) for letters in (lhs, rhs, result)]
    x, w = (generator.normal(size=shape).astype(np.float32) for shape in shapes[:2])
    to, argument = writer(shapes[0])
    equation = Equation.parse(f"{' '.join(lhs)}, {' '.join(rhs)} -> {' '.join(result)}")
    sums = contract(to, equation, argument, to.constant(w), shapes[2])
    expected = np.einsum(f"{''.join(lhs)},{''.join(rhs)}->{''.join(result)}", x, w)
    np.testing.assert_allclose(computed(to, argument, sums, x), expected, atol=1e-4)


@given(st.permutations([1, 2, 5, 4]), st.sampled_from(["Max", "Sum"]), st.integers(1, 2), st.integers(1, 2))
def test_a_pool(shape: list[int], kind: str, size: int, stride: int):
    """Pools along any two axes equal numpy's. A pool of a constant image is computed by the importer, with the same
    result.
    """
    sizes = [size if extent > 2 else 1 for extent in shape]
    strides = [stride if extent > 2 else 1 for extent in shape]
    out = tuple((n - s) // t + 1 for n, s, t in zip(shape, sizes, strides, strict=True))
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    to, argument = writer(tuple(shape))
    windows = Windows(sizes, strides, [1] * 4)
    known = pool(to, kind, to.constant(x), windows, out).array
    if (pooled := pool(to, kind, argument, windows, out)) is not argument:
        assert known is not None
        np.testing.assert_allclose(computed(to, argument, pooled, x), known, atol=1e-5)

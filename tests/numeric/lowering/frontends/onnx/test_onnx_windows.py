"""Convolutions and pools of any shape from ONNX, compared with onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.onnx_models import Array, check, imported, model, node
from programs.spread import examples
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError

RANDOM = np.random.default_rng(180)
AUTO = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


def reals(*shape: int) -> Array:
    return RANDOM.normal(size=shape).astype(np.float32)


def extents(rank: int, least: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(least, most), min_size=rank, max_size=rank)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Sequence[int], Sequence[int], dict[str, Any]]:
    """Random shapes of an image and a filter, and attributes of a convolution."""
    rank, groups = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    kernel = draw(extents(rank, 1, 3))
    attributes: dict[str, Any] = {"strides": draw(extents(rank, 1, 3)), "group": groups}
    auto = draw(st.sampled_from(AUTO))
    if auto == "NOTSET":
        attributes |= {"pads": draw(extents(2 * rank, 0, 2)), "dilations": draw(extents(rank, 1, 2))}
    else:
        attributes["auto_pad"] = auto
    image = [1, groups * draw(st.integers(1, 2)), *draw(extents(rank, 5, 7))]
    filter = [groups * draw(st.integers(1, 2)), image[1] // groups, *kernel]
    return image, filter, attributes


@given(convolutions())
@settings(max_examples=25, deadline=None)
def test_convolutions(drawn: tuple[Sequence[int], Sequence[int], dict[str, Any]]):
    image, filter, attributes = drawn
    constants = {"w": reals(*filter), "b": reals(filter[0])}
    check(model([node("Conv", "x w b", **attributes)], image, constants), samples=2, tolerance=1e-4)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_pools(data: st.DataObject):
    op, rank = data.draw(st.sampled_from(["MaxPool", "AveragePool"])), data.draw(st.integers(1, 2))
    kernel, pads = data.draw(extents(rank, 2, 3)), data.draw(extents(2 * rank, 0, 1))
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": data.draw(extents(rank, 1, 3)), "pads": pads}
    ceil, included = data.draw(st.booleans()), op == "AveragePool" and data.draw(st.booleans())
    # With both, the reference divides by the number of elements that the last window would have.
    assume(not (ceil and included))
    attributes |= {"ceil_mode": int(ceil)} | ({"count_include_pad": 1} if included else {})
    check(model([node(op, "x", **attributes)], [1, 2, *data.draw(extents(rank, 5, 7))], opset=22), samples=2)


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


@pytest.mark.parametrize("bias", ["b", "-"])
def test_a_batch_normalisation_vanishes_in_the_weights(bias: str):
    nodes = [node("Conv", f"x w {bias}", "c"), node("BatchNormalization", "c s o m v", epsilon=1e-3)]
    constants = {"w": reals(3, 1, 2, 2), "b": reals(3), "s": reals(3), "o": reals(3), "m": reals(3)}
    module = check(model(nodes, [1, 1, 4, 4], {**constants, "v": np.abs(reals(3)) + 0.5}))
    assert "tdsl.mul" not in names(module)
    assert names(module).count("tdsl.add") == 1


def test_weights_are_permuted_behind_a_flattened_image():
    nodes = [
        node("Conv", "x w", "c"),
        node("Relu", "c", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "p", "f"),
        node("Tanh", "f", "t"),
        node("Gemm", "t v b", transB=1),
    ]
    constants = {"w": reals(3, 1, 3, 3), "v": reals(5, 12), "b": reals(5)}
    module = check(model(nodes, [1, 1, 6, 6], constants))
    moved = [op for op in module.walk() if isinstance(op, tdsl.TransposeOp) and not op.keeps_order]
    assert moved == []


@given(st.data())
@settings(max_examples=examples(10), deadline=None)
def test_transposed_convolutions(data: st.DataObject):
    rank, groups = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    kernel, strides = data.draw(extents(rank, 1, 3)), data.draw(extents(rank, 1, 3))
    attributes: dict[str, Any] = {"strides": strides, "group": groups, "pads": data.draw(extents(2 * rank, 0, 2))}
    attributes["dilations"] = data.draw(extents(rank, 1, 2))
    attributes["output_padding"] = [data.draw(st.integers(0, stride - 1)) for stride in strides]
    image = [1, groups * data.draw(st.integers(1, 2)), *data.draw(extents(rank, 5, 6))]
    filter = [image[1], data.draw(st.integers(1, 2)), *kernel]
    constants = {"w": reals(*filter), "b": reals(groups * filter[1])}
    check(model([node("ConvTranspose", "x w b", **attributes)], image, constants), samples=2, tolerance=1e-4)


@pytest.mark.parametrize(
    ("attributes", "scales"),
    [
        ({"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, [1, 1, 2, 3]),
        ({}, [1, 1, 2, 2]),
        # Pixels lie just between two.
        ({}, [1, 1, 0.5, 0.5]),
        ({"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, [1, 1, 1.5, 0.5]),
        # Other pixels than those at y * height div new height.
        ({"nearest_mode": "ceil"}, [1, 1, 0.5, 1.5]),
        ({"coordinate_transformation_mode": "align_corners", "nearest_mode": "round_prefer_ceil"}, [1, 1, 1.75, 0.5]),
    ],
)
def test_resize(attributes: dict[str, Any], scales: list[float]):
    constants = {"s": np.array(scales, np.float32)}
    check(model([node("Resize", "x - s", mode="nearest", **attributes)], [1, 2, 4, 4], constants))


@pytest.mark.parametrize("mode", ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
@pytest.mark.parametrize("sizes", [[1, 2, 8, 10], [1, 2, 3, 2], [1, 2, 12, 1], [1, 2, 4, 5], [1, 2, 6, 15]])
def test_linear_interpolation(mode: str, sizes: list[int]):
    nodes = [node("Resize", "x - - s", mode="linear", coordinate_transformation_mode=mode)]
    check(model(nodes, [1, 2, 4, 5], {"s": np.array(sizes)}, opset=18))


def test_linear_interpolation_by_factors():
    """`Resize` of 5 elements by a factor of 1.7, for which 5 * 1.7 is not an integer, equals onnxruntime's."""
    constants = {"s": np.array([1, 1, 1.7], np.float32)}
    check(model([node("Resize", "x - s", mode="linear")], [1, 2, 5], constants))


@pytest.mark.parametrize(("extents", "parts"), [([4, 8], 2), ([4, 12], 3), ([6, 3], 1)])
def test_neighbours_with_a_period_are_slices_with_a_step(extents: list[int], parts: int):
    """If the pattern of neighbours in a linear interpolation repeats after `parts` results, the left and the right
    neighbours are each a concatenation of `parts` strided slices. If it repeats after each result, there is no
    concatenation.
    """
    before, after = extents
    nodes = [node("Resize", "x - - s", mode="linear")]
    module = imported(model(nodes, [1, 1, before], {"s": np.array([1, 1, after])}))
    joined = [len(op.parts) for op in module.walk() if isinstance(op, tdsl.ConcatOp) and op.axis.value.data == 3]
    assert joined == [parts] * len(joined)
    assert len(joined) == (2 if parts > 1 else 0)


def test_aligned_corners_of_a_broken_extent_are_refused():
    """`align_corners` with the extent 1.7 * 5 = 8.5 is rejected, because ONNX divides by 8.5 - 1, but onnxruntime by 8
    - 1.
    """
    nodes = [node("Resize", "x - s", mode="linear", coordinate_transformation_mode="align_corners")]
    with pytest.raises(InputError, match=r"Resize_y': 5 times 1.7 is no extent: give sizes, runtimes differ"):
        imported(model(nodes, [1, 2, 5], {"s": np.array([1, 1, 1.7], np.float32)}))


def test_cubic_interpolation_is_refused():
    with pytest.raises(InputError, match="Resize 'Resize_y': mode = cubic is not supported, only nearest or linear"):
        imported(model([node("Resize", "x - s", mode="cubic")], [1, 4], {"s": np.array([1, 2], np.float32)}))


def test_resize_to_a_size_between_convolutions():
    nodes = [node("Conv", "x w", "c"), node("Resize", "c - - size", "r", mode="nearest"), node("Conv", "r w")]
    constants = {"w": reals(2, 2, 1, 1), "size": np.array([1, 2, 6, 9])}
    check(model(nodes, [1, 2, 3, 3], constants))

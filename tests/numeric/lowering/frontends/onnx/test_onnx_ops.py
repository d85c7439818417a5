"""Ops of the ONNX frontend on reals, compared with onnxruntime. Other files of this folder test windows, op sets,
quantised ops and integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from oracles.onnx_models import FLOAT, Array, check, imported, model, node, number

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.masking import MaskedSoftmaxOp

RANDOM = np.random.default_rng(18)


def reals(*shape: int) -> Array:
    return RANDOM.normal(size=shape).astype(np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


ELEMENTWISE: dict[str, tuple[onnx.NodeProto, dict[str, Array]]] = {
    "Relu": (node("Relu", "x"), {}),
    "Tanh": (node("Tanh", "x"), {}),
    "Sigmoid": (node("Sigmoid", "x"), {}),
    "Exp": (node("Exp", "x"), {}),
    "Neg": (node("Neg", "x"), {}),
    "HardSwish": (node("HardSwish", "x"), {}),
    "HardSigmoid": (node("HardSigmoid", "x", alpha=0.3, beta=0.4), {}),
    "LeakyRelu": (node("LeakyRelu", "x", alpha=0.2), {}),
    "PRelu": (node("PRelu", "x c"), {"c": np.array([0.25], np.float32)}),
    "PRelu of channels": (node("PRelu", "x c"), {"c": reals(3, 1, 1)}),
    "Abs": (node("Abs", "x"), {}),
    "Elu": (node("Elu", "x", alpha=0.7), {}),
    "Selu": (node("Selu", "x"), {}),
    "Celu": (node("Celu", "x", alpha=0.6), {}),
    "Erf": (node("Erf", "x"), {}),
    "Softplus": (node("Softplus", "x"), {}),
    "Softsign": (node("Softsign", "x"), {}),
    "LogSoftmax": (node("LogSoftmax", "x", axis=1), {}),
    "Clip": (node("Clip", "x l h"), {"l": number(-0.5), "h": number(0.75)}),
    "Clip from below": (node("Clip", "x l"), {"l": number(0.25)}),
    "relu6": (node("Clip", "x l h"), {"l": number(0), "h": number(6)}),
    "Min": (node("Min", "x c"), {"c": number(0.3)}),
    "Min of tensors": (node("Min", "x c x"), {"c": reals(3, 1, 1)}),
    "Max of tensors": (node("Max", "c x d"), {"c": reals(4), "d": number(-0.2)}),
    "Max": (node("Max", "c x"), {"c": number(0.3)}),
    "Add": (node("Add", "x c"), {"c": reals(3, 1, 1)}),
    "Sub": (node("Sub", "c x"), {"c": reals(1, 1, 5, 1)}),
    "Mul": (node("Mul", "x c"), {"c": reals(4)}),
    "Div": (node("Div", "x c"), {"c": number(3)}),
    "Sum": (node("Sum", "x c x"), {"c": reals(4)}),
    "Pow": (node("Pow", "x c"), {"c": number(2)}),
    "Identity": (node("Identity", "x"), {}),
    "Dropout": (node("Dropout", "x"), {}),
    "Cast": (node("Cast", "x", to=FLOAT), {}),
    "Transpose": (node("Transpose", "x", perm=[0, 2, 3, 1]), {}),
    "Reshape": (node("Reshape", "x c"), {"c": ints(0, -1, 2)}),
    "Flatten": (node("Flatten", "x", axis=-2), {}),
    "Unsqueeze": (node("Unsqueeze", "x c"), {"c": ints(0, -1)}),
    "Squeeze": (node("Squeeze", "x c"), {"c": ints(0)}),
    "Slice": (node("Slice", "x s e a t"), {"s": ints(1, -1), "e": ints(9, -9), "a": ints(-1, 1), "t": ints(1, -1)}),
    "Slice in steps": (
        node("Slice", "x s e a t"),
        {"s": ints(-1, 9, 0), "e": ints(-9, -6, 4), "a": ints(2, 1, 3), "t": ints(-3, -2, 3)},
    ),
    "Gather": (node("Gather", "x c", axis=-1), {"c": ints(1, 2)}),
    "Gather one": (node("Gather", "x c", axis=2), {"c": np.array(-1, np.int64)}),
    "Concat": (node("Concat", "x c x", axis=1), {"c": reals(1, 2, 5, 4)}),
    "Pad": (node("Pad", "x c v"), {"c": ints(0, 0, 1, -1, 0, 0, 2, 1), "v": number(0.5)}),
    "ReduceMean": (node("ReduceMean", "x", axes=[-1, 1], keepdims=0), {}),
    "ReduceSum": (node("ReduceSum", "x c"), {"c": ints(1, 2)}),
    "ReduceSumSquare": (node("ReduceSumSquare", "x", axes=[3], keepdims=0), {}),
    "ReduceL1": (node("ReduceL1", "x", axes=[1]), {}),
    "ReduceLogSumExp": (node("ReduceLogSumExp", "x", axes=[0, 3], keepdims=0), {}),
    "ReduceMax": (node("ReduceMax", "x", axes=[2, 1]), {}),
    "ReduceMin": (node("ReduceMin", "x", keepdims=0), {}),
    "LayerNormalization": (node("LayerNormalization", "x s b", axis=2), {"s": reals(5, 4), "b": reals(5, 4)}),
    "InstanceNormalization": (node("InstanceNormalization", "x s b"), {"s": reals(3), "b": reals(3)}),
    "Softmax": (node("Softmax", "x", axis=1), {}),
    "LpNormalization": (node("LpNormalization", "x", axis=1), {}),
    "MatMul": (node("MatMul", "x c"), {"c": reals(4, 6)}),
    "MatMul of stacks": (node("MatMul", "x c"), {"c": reals(3, 4, 6)}),
    "MatMul of one matrix and a stack": (node("MatMul", "c x"), {"c": reals(2, 5)}),
    "MatMul of a vector and a stack": (node("MatMul", "c x"), {"c": reals(5)}),
    "GlobalAveragePool": (node("GlobalAveragePool", "x"), {}),
    "GlobalMaxPool": (node("GlobalMaxPool", "x"), {}),
}


@pytest.mark.long
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_an_op_computes_what_onnxruntime_does(name: str):
    last, constants = ELEMENTWISE[name]
    check(model([last], ["N", 3, 5, 4], constants))


@pytest.mark.parametrize(
    "name",
    ["Add", "Mul", "Softmax", "Concat", "Slice in steps", "Pad", "ReduceMean", "Transpose", "Sub", "MatMul of stacks"],
)
def test_an_op_follows_the_order_of_an_image(name: str):
    """After a convolution, whose result the program stores with channels last, the results of an op equal
    onnxruntime's.
    """
    last, constants = ELEMENTWISE[name]
    renamed = onnx.NodeProto()
    renamed.CopyFrom(last)
    renamed.ClearField("input")
    renamed.input.extend("image" if each == "x" else each for each in last.input)
    first = node("Conv", "x w", "image")
    check(model([first, renamed], [1, 2, 5, 4], {**constants, "w": reals(3, 2, 1, 1)}))


def test_a_product_of_two_computed_stacks():
    """The products of two stacks of matrices that both depend on the input equal onnxruntime's. Queries and keys in
    attention are such stacks.
    """
    check(model([node("Transpose", "x", "t", perm=[0, 1, 3, 2]), node("MatMul", "x t")], [1, 3, 5, 4], {}))


def test_transposed_stacks_are_divided_before_their_matrices_are_transposed():
    """The product of queries and keys for three heads transposes the matrix of each head separately, and never the
    whole stack.
    """
    nodes = [
        node("Transpose", "x", "q", perm=[0, 2, 1, 3]),
        node("Transpose", "x", "k", perm=[0, 2, 3, 1]),
        node("MatMul", "q k"),
    ]
    made = model(nodes, [1, 5, 3, 4], {})
    check(made)
    copied = [op for op in imported(made).walk() if isinstance(op, tdsl.TransposeOp) and not op.keeps_order]
    assert [tdsl.shape_of(op.out) for op in copied] == [(1, 1, 4, 5)] * 3


SIDE_BY_SIDE: dict[str, Any] = {"q_num_heads": 4, "kv_num_heads": 4}
KEYS = {"k": reals(1, 6, 12), "v": reals(1, 6, 8)}


@pytest.mark.parametrize(
    ("attributes", "constants"),
    [
        (SIDE_BY_SIDE, KEYS),
        ({**SIDE_BY_SIDE, "scale": 0.3}, {**KEYS, "m": reals(5, 6)}),
        ({"q_num_heads": 4, "kv_num_heads": 2}, {"k": reals(1, 6, 6), "v": reals(1, 6, 10), "m": reals(1, 4, 5, 6)}),
    ],
)
def test_attention_of_heads_side_by_side(attributes: dict[str, Any], constants: dict[str, Array]):
    """The op Attention equals onnxruntime's with an explicit scale, with an addend of the scores, and with keys and
    values that pairs of heads share.
    """
    check(model([node("Attention", " ".join(["x", *constants]), **attributes)], [1, 5, 12], constants, opset=23))


def test_attention_of_an_input_to_itself():
    check(model([node("Attention", "x x x", **SIDE_BY_SIDE)], [1, 5, 12], opset=23))


@pytest.mark.parametrize("shared", [4, 2])
def test_attention_of_an_axis_of_heads(shared: int):
    check(model([node("Attention", "x k v")], [1, 4, 5, 3], {name: reals(1, shared, 6, 3) for name in "kv"}, opset=23))


@pytest.mark.parametrize(
    ("attributes", "constants", "message"),
    [
        ({"left_window_size": 0}, KEYS, "windows and computed masks are not supported"),
        ({"right_window_size": 2}, KEYS, "windows and computed masks are not supported"),
        ({}, {**KEYS, "m": np.arange(30).reshape(5, 6) > 5}, "a row of the mask keeps no element"),
        ({}, {**KEYS, "m": reals(5, 4)}, r"the mask of shape \[5, 4\] is not for scores of shape \[1, 4, 5, 6\]"),
        ({"softcap": 2.0}, KEYS, "a softcap is not supported"),
        ({"kv_num_heads": 3}, KEYS, "4 heads of queries do not make groups for 3 heads of keys"),
        ({"q_num_heads": 5, "kv_num_heads": 5}, KEYS, r"shape \[1, 5, 12\] does not make 5 heads"),
    ],
)
def test_attention_that_is_not_supported(attributes: dict[str, Any], constants: dict[str, Array], message: str):
    last = node("Attention", " ".join(["x", *constants]), **{**SIDE_BY_SIDE, **attributes})
    with pytest.raises(InputError, match=message):
        imported(model([last], [1, 5, 12], constants, opset=23))


def test_a_computed_mask_of_attention_is_refused():
    """A mask of truth values that depends on the input is rejected. It would otherwise be added to the scores as
    numbers.
    """
    nodes = [node("MatMul", "x w", "s"), node("Greater", "s z", "m"), node("Attention", "x k v m", **SIDE_BY_SIDE)]
    constants = {**KEYS, "w": reals(12, 6), "z": number(0)}
    with pytest.raises(InputError, match="windows and computed masks are not supported"):
        imported(model(nodes, [1, 5, 12], constants, opset=23))


MASK = np.random.default_rng(3).random((5, 6)) < 0.5
MASK[:, 2] = True


def low(number: float) -> Array:
    return np.where(MASK, np.float32(0), np.float32(number))


@pytest.mark.long
@pytest.mark.parametrize("mask", [MASK, low(-np.inf), low(-1e9), low(-1e4), low(-1001) + reals(5, 6), MASK[None, None]])
def test_constant_masks_of_attention(mask: Array):
    constants = {**KEYS, "m": mask}
    made = model([node("Attention", "x k v m", **SIDE_BY_SIDE)], [1, 5, 12], constants, opset=23)
    check(made)
    assert any(isinstance(op, MaskedSoftmaxOp) for op in imported(made).walk())


@pytest.mark.parametrize("mask", [{}, {"m": MASK[:, :6]}])
def test_causal_attention(mask: dict[str, Array]):
    """Causal attention equals onnxruntime's without and with an additional mask. The mask leaves column 0 visible, so
    that no row is masked completely.
    """
    mask = {name: array | (np.arange(6) == 0) for name, array in mask.items()}
    nodes = [node("Attention", " ".join(["x k v", *mask]), is_causal=1, **SIDE_BY_SIDE)]
    check(model(nodes, [1, 5, 12], {**KEYS, **mask}, opset=23))


MASKED: dict[str, tuple[list[onnx.NodeProto], dict[str, Array]]] = {
    "a sum with infinity": ([node("Add", "x m", "s"), node("Softmax", "s", "y")], {"m": low(-np.inf)}),
    "a sum from the left": ([node("Add", "m x", "s"), node("Softmax", "s", "y")], {"m": low(-1e9)}),
    "a choice": ([node("Where", "b x l", "s"), node("Softmax", "s", "y")], {"b": MASK, "l": number(-np.inf)}),
    "the other choice": ([node("Where", "b l x", "s"), node("Softmax", "s", "y")], {"b": ~MASK, "l": number(-1e9)}),
    "a row for all": ([node("Add", "x m", "s"), node("Softmax", "s", "y")], {"m": low(-np.inf)[:1]}),
    "a test for NaN": (
        [
            *(node("Add", "x m", "s"), node("Softmax", "s", "p"), node("IsNaN", "p", "n")),
            node("Where", "n z p", "y"),
        ],
        {"m": low(-np.inf), "z": number(0)},
    ),
    "a triangle": (
        [
            *(node("Trilu", "o", "t", upper=0), node("Cast", "t", "b", to=onnx.TensorProto.BOOL)),
            *(node("Where", "b x l", "s"), node("Softmax", "s", "y")),
        ],
        {"o": np.ones((5, 6), np.float32), "l": number(-np.inf)},
    ),
}


@pytest.mark.parametrize("name", MASKED)
def test_a_softmax_of_masked_scores(name: str):
    nodes, constants = MASKED[name]
    made = model(nodes, [1, 2, 5, 6], constants)
    check(made)
    [softmax] = [op for op in imported(made).walk() if isinstance(op, MaskedSoftmaxOp)]
    assert len(tdsl.shape_of(softmax.mask)) == (1 if name == "a row for all" else 2)


@pytest.mark.parametrize(
    ("addend", "last"),
    [
        (low(-999), node("Softmax", "s", "y")),
        (low(-2000), node("Relu", "s", "y")),
        (low(-2000), node("Softmax", "s", "y", axis=2)),
        (np.full((5, 6), -2000, np.float32), node("Softmax", "s", "y")),
    ],
    ids=["a small number", "no softmax", "another axis", "masked entirely"],
)
def test_other_low_numbers_are_added(addend: Array, last: onnx.NodeProto):
    made = model([node("Add", "x m", "s"), last], [1, 2, 5, 6], {"m": addend})
    # Floats next to -2000 have 13 fractional bits.
    check(made, tolerance=1e-4)
    assert not any(isinstance(op, MaskedSoftmaxOp) for op in imported(made).walk())


@pytest.mark.parametrize(
    "nodes",
    [
        [node("Where", "b x l", "s"), node("Relu", "s", "y")],
        [node("Where", "b l x", "s"), node("Softmax", "s", "y", axis=2)],
        [node("Neg", "x", "n"), node("Where", "b x n", "y")],
    ],
    ids=["a low number without a softmax", "another axis", "two tensors"],
)
def test_a_choice_by_a_constant_condition(nodes: list[onnx.NodeProto]):
    """`Where` with a constant condition equals onnxruntime's before a Relu, before a softmax along an axis other than
    the last, and between two computed tensors. In these cases it does not become a masked softmax.
    """
    made = model(nodes, [1, 2, 5, 6], {"b": MASK, "l": number(-2000)})
    check(made, tolerance=1e-4)
    assert not any(isinstance(op, MaskedSoftmaxOp) for op in imported(made).walk())


def test_a_choice_of_scores_does_not_drop_the_shape_of_the_other_branch():
    constants = {"b": np.ones((1, 6), np.bool_), "l": np.zeros((5, 6), np.float32)}
    check(model([node("Where", "b x l")], [1, 6], constants))


def test_a_condition_of_numbers_is_refused():
    constants = {"b": np.ones(6, np.float32), "l": number(-2000)}
    with pytest.raises(InputError, match="Where_y': expected the result of a comparison as its condition"):
        imported(model([node("Where", "b x l")], [1, 6], constants))


def test_a_triangle_without_a_diagonal():
    """`Trilu` without its second input equals onnxruntime's, which begins at the main diagonal."""
    check(model([node("Trilu", "c -", "t"), node("Add", "x t")], [1, 4, 4], {"c": reals(4, 4)}))


def test_infinity_that_no_softmax_reads_is_refused():
    made = model([node("Add", "x m", "s"), node("Relu", "s", "y")], [1, 2, 5, 6], {"m": low(-np.inf)})
    with pytest.raises(InputError, match="a constant holds NaN, infinity"):
        imported(made)


def written_out(centred: bool, axes: list[int], inverse: bool, epsilon: float = 1e-3) -> onnx.ModelProto:
    """A model of a normalisation of a tensor (1, 3, 4, 6) as opsets below 17 express it, by a mean of squares and a
    root.

    centred: whether the mean is subtracted.
    axes: the axes of the means.
    inverse: whether the model multiplies by the reciprocal of the root instead of dividing by the root.
    """
    d = "d" if centred else "x"
    nodes = [node("ReduceMean", "x", "m", axes=axes), node("Sub", "x m", "d")] if centred else []
    nodes += [
        node("Pow", f"{d} two", "p") if inverse else node("Mul", f"{d} {d}", "p"),
        node("ReduceMean", "p", "v", axes=axes),
        node("Add", "e v" if inverse else "v e", "s"),
        node("Sqrt", "s", "r"),
        *([node("Reciprocal", "r", "i"), node("Mul", f"i {d}", "n")] if inverse else [node("Div", f"{d} r", "n")]),
        node("Mul", "n g", "z"),
        node("Add", "z h"),
    ]
    constants = {"two": number(2), "e": number(epsilon), "g": reals(6), "h": reals(6)}
    return model(nodes, [1, 3, 4, 6], constants, opset=16)


@pytest.mark.parametrize("axes", [[-1], [3], [2, 3], [-1, -2], [2], [1, 3]])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("centred", [True, False])
def test_a_normalisation_written_out(centred: bool, inverse: bool, axes: list[int]):
    """A normalisation that consists of several ops is imported as `tdsl.normalise`, the op of a LayerNormalization. The
    program contains a mean if and only if the normalisation subtracts one, and its results equal onnxruntime's.
    """
    module = check(written_out(centred, axes, inverse))
    assert any(isinstance(op, tdsl.NormaliseOp) for op in module.walk())
    assert any(isinstance(op, tdsl.MeanOp) for op in module.walk()) == centred


def test_a_root_of_other_sums_is_no_normalisation():
    """A division by a root is not imported as a normalisation if the mean is of one tensor and the squares are of
    another.
    """
    nodes = [
        node("ReduceMean", "x", "m", axes=[-1]),
        node("Sub", "x m", "d"),
        node("Mul", "x x", "p"),
        node("ReduceMean", "p", "v", axes=[-1]),
        node("Add", "v e", "s"),
        node("Sqrt", "s", "r"),
        node("Div", "d r"),
    ]
    with pytest.raises(InputError, match="Sqrt"):
        imported(model(nodes, [1, 3, 6], {"e": number(1e-3)}, opset=16))


def test_stacks_that_do_not_match_are_refused():
    with pytest.raises(InputError, match=r"the stacks of shapes \[1, 3, 5, 4\] and \[2, 4, 6\] do not match"):
        imported(model([node("MatMul", "x c")], [1, 3, 5, 4], {"c": reals(2, 4, 6)}))


@pytest.mark.parametrize("opset", [13, 18, 22])
@pytest.mark.parametrize(
    "attributes",
    [
        {"alpha": 0.5, "beta": 2.0},
        {"transB": 1},
    ],
)
def test_gemm(attributes: dict[str, Any], opset: int):
    weights = reals(7, 5) if "transB" in attributes else reals(5, 7)
    check(model([node("Gemm", "x w b", **attributes)], [1, 5], {"w": weights, "b": reals(7)}, opset=opset))


def test_shapes_are_folded():
    """A shape that ops compute from the shape of the input, as exporters write it, becomes a constant. The results
    equal onnxruntime's.
    """
    nodes = [
        node("Conv", "x w", "c"),
        node("Shape", "c", "s"),
        node("Gather", "s zero", "batch"),
        node("Unsqueeze", "batch axis", "first"),
        node("Concat", "first rest", "shape", axis=0),
        node("Reshape", "c shape", "flat"),
        node("Gemm", "flat v", "y"),
    ]
    constants = {
        "w": reals(4, 2, 2, 2),
        "zero": np.array(0, np.int64),
        "axis": ints(0),
        "rest": ints(-1),
        "v": reals(36, 3),
    }
    module = check(model(nodes, ["batch", 2, 4, 4], constants))
    assert [op.name for op in module.walk()].count("tdsl.transpose") == 1, "only that at the entrance"


def test_split_and_add():
    nodes = [node("Split", "x", "a b", axis=1), node("Sub", "a b")]
    check(model(nodes, [1, 6, 2]))
    nodes = [node("Split", "x c", "a b", axis=-1), node("Concat", "b a", axis=2)]
    check(model(nodes, [1, 6, 3], {"c": ints(1, 2)}))


def test_comparisons_choose():
    """Single elements of a comparison select between two values, as in exported decision trees; the results equal
    onnxruntime's.
    """
    nodes = [
        node("MatMul", "x t", "z"),
        node("Greater", "z zero", "above"),
        node("Cast", "above", "right", to=FLOAT),
        node("Sub", "one right", "left"),
        node("Gather", "right first", "g0", axis=1),
        node("Gather", "left second", "g1", axis=1),
        node("Mul", "g0 g1", "path"),
        node("Mul", "x path", "kept"),
        node("Gather", "z first", "z0", axis=1),
        node("LessOrEqual", "z0 one", "small"),
        node("Where", "small kept x"),
    ]
    constants = {"t": reals(4, 3), "zero": number(0), "one": number(1), "first": ints(0), "second": ints(2)}
    check(model(nodes, [1, 4], constants), samples=20)


def scan(axis: int, direction: int) -> onnx.NodeProto:
    body = helper.make_graph(
        [node("MatMul", "x_t w", "a"), node("Mul", "h_in half", "b"), node("Add", "a b", "h_out")],
        "body",
        [helper.make_tensor_value_info(name, FLOAT, None) for name in ("h_in", "x_t")],
        [helper.make_tensor_value_info("h_out", FLOAT, None)],
    )
    attributes = {"num_scan_inputs": 1, "scan_input_axes": [axis], "scan_input_directions": [direction]}
    return node("Scan", "h x", "y", body=body, **attributes)


@pytest.mark.parametrize(("axis", "direction"), [(1, 0), (1, 1), (0, 0)])
def test_scan(axis: int, direction: int):
    shape = [1, 4, 3] if axis else [4, 1, 3]
    check(model([scan(axis, direction)], shape, {"h": reals(1, 2), "w": reals(3, 2), "half": number(0.5)}))


@pytest.mark.parametrize(("axis", "direction"), [(0, 0), (1, 1), (-1, 0)])
def test_sequences_that_a_scan_returns(axis: int, direction: int):
    """The results of a scan's steps are stacked along any axis, in the order of the steps or reversed."""
    body = helper.make_graph(
        [node("Add", "h_in x_t", "h_out"), node("MatMul", "h_out w", "m")],
        "body",
        [helper.make_tensor_value_info(name, FLOAT, None) for name in ("h_in", "x_t")],
        [helper.make_tensor_value_info(name, FLOAT, None) for name in ("h_out", "m")],
    )
    attributes = {"scan_output_axes": [axis], "scan_output_directions": [direction]}
    scan = node("Scan", "h x", "last y", body=body, num_scan_inputs=1, **attributes)
    check(model([scan], [4, 1, 3], {"h": reals(1, 3), "w": reals(3, 2)}, outputs=("y", "last")))


def test_a_sequence_that_a_concatenation_extends():
    """If a concatenation appends to the sequence of a scan, the loop writes directly into the result of the
    concatenation. Other ops still read the sequence itself.
    """
    body = helper.make_graph(
        [node("Tanh", "x_t", "t")],
        "body",
        [helper.make_tensor_value_info("x_t", FLOAT, None)],
        [helper.make_tensor_value_info("t", FLOAT, None)],
    )
    nodes = [
        node("Scan", "x", "s", body=body, num_scan_inputs=1),
        node("Slice", "s three four zero", "last"),
        node("Concat", "s last x", "y", axis=0),
    ]
    network = model(nodes, [4, 3], {"zero": ints(0), "three": ints(3), "four": ints(4)})
    assert "tdsl.concat" not in str(check(network))


POSITIVE: dict[str, list[onnx.NodeProto]] = {
    "softsign": [node("Abs", "x", "a"), node("Add", "a half", "b")],
    "sigmoid": [node("Neg", "x", "n"), node("Exp", "n", "e"), node("Add", "half e", "b")],
    "square": [node("Mul", "x x", "s"), node("Relu", "x", "r"), node("Add", "s r", "t"), node("Add", "t half", "b")],
}


@pytest.mark.parametrize("name", POSITIVE)
def test_quotients_by_positive_numbers(name: str):
    check(model([*POSITIVE[name], node("Div", "x b")], [2, 5], {"half": number(0.5)}))


def test_factors_of_computed_matrices():
    nodes = [node("Transpose", "x", "t", perm=[1, 0]), node("Gemm", "x t x", alpha=0.5, beta=-3.0)]
    check(model(nodes, [4, 4]))


@pytest.mark.parametrize("mode", ["reflect", "edge"])
@pytest.mark.parametrize("pads", [(0, 0, 2, 1, 0, 0, 0, 3), (0, 0, -1, 3, 0, 0, 2, -2), (0, 1, 0, 0, 0, 1, 0, 0)])
def test_margins_that_repeat_elements(mode: str, pads: tuple[int, ...]):
    check(model([node("Pad", "x c", mode=mode)], [1, 2, 4, 6], {"c": ints(*pads)}))


@pytest.mark.parametrize(
    ("mode", "margin", "message"),
    [
        ("reflect", 4, "padding of 4 and 0 elements around 4"),
        ("wrap", 1, "mode = wrap is not supported, only constant, reflect, edge"),
        ("edge", 1 << 15, "a margin of 32768 elements is not supported, only up to 16384"),
    ],
)
def test_margins_that_do_not_fit_are_refused(mode: str, margin: int, message: str):
    with pytest.raises(InputError, match=message):
        imported(model([node("Pad", "x c", mode=mode)], [1, 4], {"c": ints(0, margin, 0, 0)}))


@pytest.mark.parametrize("added", [-0.5, 0.0])
def test_quotients_by_numbers_that_may_be_zero_are_refused(added: float):
    nodes = [node("Abs", "x", "a"), node("Add", "a c", "b"), node("Div", "x b")]
    with pytest.raises(InputError, match="Div_y': divides by a tensor that is neither a constant nor known to be posi"):
        imported(model(nodes, [4], {"c": number(added)}))


@pytest.mark.parametrize("shape", [[1, 4, 3], [2, 3, 1, 3], [1], [1, 1, 1]])
def test_expand(shape: list[int]):
    check(model([node("Expand", "x s")], [1, 1, 3], {"s": ints(*shape)}))


def test_tile():
    check(model([node("Tile", "x s")], [1, 2, 3], {"s": ints(2, 1, 3)}))


@pytest.mark.parametrize(
    ("op", "counts", "message"),
    [
        ("Expand", [1, 2, 2], r"Expand_y': cannot expand \[1, 2, 3\] to \[1, 2, 2\]"),
        ("Expand", [0, 2, 3], r"Expand_y': cannot expand \[1, 2, 3\] to \[0, 2, 3\]"),
        ("Expand", [-1, 2, 3], r"Expand_y': cannot expand \[1, 2, 3\] to \[-1, 2, 3\]"),
        ("Expand", [1 << 22, 2, 3], "4194304 copies along an axis are not supported, only up to 16384"),
        ("Tile", [1, 2], r"Tile_y': repeats \[1, 2\] do not fit the 3 axes"),
        ("Tile", [1, 0, 1], r"Tile_y': repeats \[1, 0, 1\] do not fit the 3 axes"),
        ("Tile", [1 << 14, 1 << 14, 1 << 14], "elements"),
        ("Tile", [1, 1, 1 << 15], "32768 copies along an axis are not supported, only up to 16384"),
    ],
)
def test_copies_that_are_refused(op: str, counts: list[int], message: str):
    with pytest.raises(InputError, match=message):
        imported(model([node(op, "x s")], [1, 2, 3], {"s": ints(*counts)}))


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("RNN", {}),
        ("GRU", {"linear_before_reset": 1}),
        ("GRU", {"direction": "reverse"}),
        ("LSTM", {"direction": "bidirectional"}),
    ],
)
@pytest.mark.parametrize("output", ["y -", "- y"])
def test_recurrent_layers(op: str, attributes: dict[str, Any], output: str):
    count, gates = 2 if attributes.get("direction") == "bidirectional" else 1, GATES[op]
    constants = {"w": reals(count, gates * 2, 3), "r": reals(count, gates * 2, 2), "b": reals(count, 2 * gates * 2)}
    check(model([node(op, "x w r b", output, hidden_size=2, **attributes)], [5, 1, 3], constants))


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("output", ["y -", "- y"])
def test_recurrent_layers_of_several_samples(op: str, direction: str, output: str):
    count, gates = 2 if direction == "bidirectional" else 1, GATES[op]
    constants = {"w": reals(count, gates * 2, 3), "r": reals(count, gates * 2, 2), "b": reals(count, 2 * gates * 2)}
    constants["h"] = reals(count, 4, 2)
    check(model([node(op, "x w r b - h", output, hidden_size=2, direction=direction)], [5, 4, 3], constants))


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        (
            "RNN",
            {"activations": ["LeakyRelu", "HardSigmoid"], "activation_alpha": [0.3, 0.4], "activation_beta": [0.6]},
        ),
        ("GRU", {"activations": ["Softsign", "Relu"] * 2, "clip": 0.4}),
        ("LSTM", {"activations": ["Elu", "Softplus", "Relu"] * 2, "activation_alpha": [0.5, 0.8], "clip": 0.7}),
        ("LSTM", {"input_forget": 1}),
    ],
)
def test_activations_of_recurrent_layers(op: str, attributes: dict[str, Any]):
    usual = {"RNN": 1, "GRU": 2, "LSTM": 3}[op]
    count = len(attributes.get("activations", ())) // usual or 1
    constants = {"w": reals(count, GATES[op] * 2, 3), "r": reals(count, GATES[op] * 2, 2)}
    direction = "bidirectional" if count == 2 else "forward"
    check(model([node(op, "x w r", hidden_size=2, direction=direction, **attributes)], [5, 2, 3], constants))


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("coupled", [0, 1])
def test_peepholes(samples: int, coupled: int):
    constants = {"w": reals(1, 8, 3), "r": reals(1, 8, 2), "p": reals(1, 6)}
    layer = node("LSTM", "x w r - - - - p", hidden_size=2, input_forget=coupled)
    check(model([layer], [5, samples, 3], constants))


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize(("op", "attributes"), [("RNN", {}), ("GRU", {"linear_before_reset": 1}), ("LSTM", {})])
def test_recurrent_layers_with_computed_weights_and_states(op: str, attributes: dict[str, Any], samples: int):
    rows = GATES[op] * 2
    constants = {"w": reals(1, rows, 3), "r": reals(1, rows, 2), "b": reals(1, 2 * rows), "h": reals(1, samples, 2)}
    nodes = [node("ReduceMean", "x", "m", keepdims=0), *(node("Mul", f"{each} m", f"{each}_m") for each in constants)]
    check(model([*nodes, node(op, "x w_m r_m b_m - h_m", hidden_size=2, **attributes)], [5, samples, 3], constants))


def test_states_are_inputs_and_outputs():
    """A single step of an LSTM whose states are inputs and outputs equals onnxruntime's."""
    constants = {"w": reals(1, 8, 3), "r": reals(1, 8, 2)}
    nodes = [node("Split", "x", "a h c", axis=2, num_outputs=3), node("LSTM", "a w r - - h c", "- y z", hidden_size=2)]
    constants["w"] = reals(1, 8, 2)
    for output in "yz":
        check(model(nodes, [1, 1, 6], constants, outputs=[output], opset=18))


@pytest.mark.parametrize(
    ("inputs", "attributes", "message"),
    [
        ("w r", {"activations": ["Affine"]}, "the activation Affine is not supported, only Elu, HardSigmoid, Leaky"),
        ("w r", {"activations": ["Tanh", "Tanh"]}, "expected 1 activations, got 2"),
        ("r w", {}, "the shapes of W, R and B, or the direction, do not fit"),
        ("e e", {}, "the shapes of W, R and B, or the direction, do not fit"),
        ("w b", {}, r"R must have the shape \(directions, 1 \* hidden, length\)"),
        ("w r - - b", {}, r"an initial state must have the shape \(directions, samples, hidden\)"),
        ("w r - - h", {}, r"an initial state must have the shape \(directions, samples, hidden\)"),
        ("w r - - - - b", {}, "RNN has no initial cell and no peepholes: expected at most 6 inputs"),
    ],
)
def test_refusals_of_recurrent_layers(inputs: str, attributes: dict[str, Any], message: str):
    constants = {"w": reals(1, 2, 3), "r": reals(1, 2, 2), "b": reals(1, 4), "h": reals(1, 2, 2), "e": reals(1, 0, 0)}
    with pytest.raises(InputError, match=message):
        imported(model([node("RNN", f"x {inputs}", hidden_size=2, **attributes)], [5, 1, 3], constants))


@pytest.mark.parametrize(("op", "limits"), [("Clip", "l h"), ("Max", "l"), ("Min", "h")])
def test_integer_constants_stay_integers(op: str, limits: str):
    """A model whose integer weights an op clamps, as in QCDQ exports, has onnxruntime's results."""
    weights = np.array([[-128, 5], [100, -3]], np.int8)
    nodes = [
        node(op, f"w {limits}", "limited"),
        node("DequantizeLinear", "limited s z", "d"),
        node("MatMul", "x d"),
    ]
    constants = {"w": weights, "l": np.array(-127, np.int8), "h": np.array(90, np.int8)}
    check(model(nodes, [1, 2], {**constants, "s": np.array(0.01, np.float32), "z": np.array(0, np.int8)}))

"""Ops whose definition changed, in the opsets before and after each change, compared with onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from oracles.onnx_models import FLOAT, Array, check, imported, model, node, number, reference

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.builder import HANDLERS, LOOPS
from tinyml.lowering.frontends.onnx.folding import FOLDED
from tinyml.lowering.frontends.onnx.ops import load_handlers
from tinyml.lowering.frontends.onnx.reader import OPSETS
from tinyml.runtime.evaluator.evaluator import evaluate_reals

RANDOM = np.random.default_rng(7)


def reals(*shape: int) -> Array:
    return RANDOM.normal(size=shape).astype(np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


SHAPE = [1, 3, 4, 6]
CHANNELS = {name: reals(3) for name in "sbm"} | {"v": np.abs(reals(3)) + 0.5}
NORMALISED = node("BatchNormalization", "x s b m v")
RESIZED = {"s": np.array([1, 1, 2, 3], np.float32)}

# The opsets at which each op is tried: the oldest with its definition, and the last before the next one.
CASES: dict[str, tuple[onnx.NodeProto, dict[str, Array], tuple[int, ...]]] = {
    "AveragePool": (node("AveragePool", "x", kernel_shape=[2, 2]), {}, (7, 10, 11, 19, 22)),
    "BatchNormalization": (NORMALISED, CHANNELS, (7, 8, 9, 14, 15)),
    "BatchNormalization, spatial": (node("BatchNormalization", "x s b m v", spatial=1), CHANNELS, (7, 8)),
    "Clip by attributes": (node("Clip", "x", min=-0.5, max=0.25), {}, (7, 10)),
    "Clip by one attribute": (node("Clip", "x", max=0.25), {}, (10,)),
    "Clip by inputs": (node("Clip", "x l h"), {"l": number(-0.5), "h": number(0.25)}, (11, 12, 13)),
    "Dropout": (node("Dropout", "x", ratio=0.5), {}, (7, 10)),
    "Dropout by inputs": (node("Dropout", "x r"), {"r": number(0.5)}, (12, 13, 22)),
    "Flatten": (node("Flatten", "x", axis=2), {}, (7, 9, 11, 13, 21)),
    "Gather": (node("Gather", "x i", axis=1), {"i": ints(1, 2)}, (7, 11, 13)),
    "Max": (node("Max", "x l"), {"l": number(0.1)}, (8, 12, 13)),
    "MaxPool": (node("MaxPool", "x", kernel_shape=[2, 2]), {}, (7, 8, 10, 11, 12, 22)),
    "Mul": (node("Mul", "x c"), {"c": reals(6)}, (7, 13, 14)),
    "Pad by attributes": (node("Pad", "x", pads=[0, 0, 1, -1, 0, 0, 2, 1], value=0.5), {}, (7, 10)),
    "Pad by inputs": (node("Pad", "x p v"), {"p": ints(0, 0, 1, -1, 0, 0, 2, 1), "v": number(0.5)}, (11, 13, 18, 19)),
    "ReduceMax by attributes": (node("ReduceMax", "x", axes=[1]), {}, (7, 11, 12, 13)),
    "ReduceMax by inputs": (node("ReduceMax", "x a"), {"a": ints(-1)}, (18, 20)),
    "ReduceMean by attributes": (node("ReduceMean", "x", axes=[2], keepdims=0), {}, (7, 11, 13)),
    "ReduceMean by inputs": (node("ReduceMean", "x a"), {"a": ints(2)}, (18,)),
    "ReduceSum by attributes": (node("ReduceSum", "x", axes=[1, 2]), {}, (7, 11, 12)),
    "ReduceSum by inputs": (node("ReduceSum", "x a"), {"a": ints(1, 2)}, (13,)),
    "Relu": (node("Relu", "x"), {}, (7, 13, 14)),
    "Reshape": (node("Reshape", "x c"), {"c": ints(0, -1, 2)}, (7, 13, 14, 19, 21)),
    "Resize of opset 10": (node("Resize", "x s"), RESIZED, (10,)),
    "Resize": (
        node("Resize", "x - s", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        RESIZED,
        (13, 18, 19),
    ),
    "Slice by attributes": (node("Slice", "x", starts=[1, -5], ends=[9, -1], axes=[1, 3]), {}, (7, 9)),
    "Slice without axes": (node("Slice", "x", starts=[0, 1], ends=[1, 2]), {}, (7,)),
    "Slice by inputs": (
        node("Slice", "x s e a"),
        {"s": ints(1, -5), "e": ints(9, -1), "a": ints(1, 3)},
        (10, 11, 13),
    ),
    "Softmax": (node("Softmax", "x", axis=3), {}, (7, 11, 13)),
    "Softmax from axis 2 on": (node("Softmax", "x", axis=2), {}, (7, 12, 13)),
    "Softmax by default": (node("Softmax", "x"), {}, (7, 11, 12, 13)),
    "Squeeze by attributes": (node("Squeeze", "x", axes=[0]), {}, (7, 11, 12)),
    "Squeeze by inputs": (node("Squeeze", "x a"), {"a": ints(0)}, (13, 21)),
    "Sum": (node("Sum", "x c"), {"c": reals(3, 1, 1)}, (8, 13)),
    "Unsqueeze by attributes": (node("Unsqueeze", "x", axes=[0, 2]), {}, (7, 11, 12)),
    "Unsqueeze by inputs": (node("Unsqueeze", "x a"), {"a": ints(0, 2)}, (13, 21)),
    "Upsample by attributes": (node("Upsample", "x", scales=[1.0, 1.0, 2.0, 3.0]), {}, (7, 8)),
    "Upsample by inputs": (node("Upsample", "x s"), RESIZED, (9,)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_an_op_means_what_its_opset_says(name: str):
    last, constants, opsets = CASES[name]
    for opset in opsets:
        check(model([last], SHAPE, constants, opset=opset), samples=1)


@pytest.mark.parametrize("opset", [7, 10, 11, 12, 13, 18])
def test_split(opset: int):
    inputs = opset >= 13
    split = node("Split", "x l" if inputs else "x", "a y", axis=1, **({} if inputs else {"split": [1, 2]}))
    check(model([split], SHAPE, {"l": ints(1, 2)} if inputs else {}, opset=opset), samples=1)


GROUPED = {"scale of each group": (18, reals(2), reals(2)), "scale of each channel": (21, reals(4), reals(4))}


@pytest.mark.parametrize("name", GROUPED)
def test_group_normalisation(name: str):
    opset, scale, addend = GROUPED[name]
    last = node("GroupNormalization", "x s b", num_groups=2)
    check(model([last], [1, 4, 3, 2], {"s": scale, "b": addend}, opset=opset), samples=1, tolerance=1e-4)


LATE: dict[str, tuple[onnx.NodeProto, dict[str, Array], int]] = {
    "Gelu": (node("Gelu", "x"), {}, 20),
    "Gelu by tanh": (node("Gelu", "x", approximate="tanh"), {}, 20),
    "Mish": (node("Mish", "x"), {}, 18),
    "RMSNormalization": (node("RMSNormalization", "x s", axis=2), {"s": reals(4, 6)}, 23),
    "Swish": (node("Swish", "x", alpha=1.5), {}, 24),
}


@pytest.mark.parametrize("name", LATE)
def test_ops_of_late_opsets(name: str):
    """For ops of an opset that onnxruntime does not yet support, results equal those of ONNX's own evaluator."""
    last, constants, opset = LATE[name]
    late = model([last], SHAPE, constants, opset=opset)
    x = RANDOM.normal(size=SHAPE).astype(np.float32)
    evaluator: Any = ReferenceEvaluator(late)
    expected: Array = evaluator.run(None, {"x": x})[0]
    got = evaluate_reals(imported(late), x.reshape(1, -1)).scores
    assert got is not None
    np.testing.assert_allclose(got.ravel(), expected.ravel(), rtol=1e-5, atol=1e-5)


def test_logarithms():
    """Logarithms of positive numbers equal onnxruntime's. Other numbers are not tested, because onnxruntime returns NaN
    or an infinity for them.
    """
    check(model([node("Softplus", "x", "s"), node("Log", "s")], SHAPE))


def test_a_recurrence_of_an_old_opset():
    weights = {"w": reals(1, 8, 3), "r": reals(1, 8, 2), "b": reals(1, 16)}
    for opset in (7, 14, 22):
        check(model([node("LSTM", "x w r b", hidden_size=2)], [4, 1, 3], weights, opset=opset), samples=1)


READ = """
7 And Or
10 QLinearConv
13 Gather
13 Abs ArgMax Ceil Concat Exp Floor Gemm Greater Less Log MatMul Max Min Neg ReduceSum Reciprocal Sigmoid Slice Softmax
13 ArgMin Sqrt Sum Tanh Tile Clip Expand
14 Add Div Mul Relu Sub
13 Erf LogSoftmax
15 BatchNormalization Pow
16 GreaterOrEqual LeakyRelu LessOrEqual PRelu Where
17 LayerNormalization
18 ReduceL1 ReduceMean ReduceProd ReduceSumSquare ScatterND Split
19 Equal Resize
20 Gelu ReduceMax ReduceMin
21 GroupNormalization QLinearMatMul
22 AveragePool Conv ConvTranspose Dropout Elu GRU GlobalAveragePool GlobalMaxPool HardSigmoid HardSwish
14 Trilu
22 Mish Softplus Softsign InstanceNormalization LSTM LpNormalization MaxPool RNN Selu
28 Celu
1 Not
23 RMSNormalization
24 Swish
25 Attention CastLike Constant ConstantOfShape Flatten Identity Pad Reshape Scan Shape Size Squeeze Transpose Unsqueeze
27 Range
28 ReduceLogSum ReduceLogSumExp Cast DequantizeLinear Mod QuantizeLinear
"""
"""The newest definition of each op that was compared with its handler."""


def test_every_definition_in_the_opsets_was_read():
    load_handlers()
    read = {op: int(line.split()[0]) for line in READ.strip().splitlines() for op in line.split()[1:]}
    newest: dict[str, int] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.domain and schema.since_version in OPSETS:
            newest[schema.name] = max(newest.get(schema.name, 0), schema.since_version)
    ops = {op for domain, op in HANDLERS if not domain} | LOOPS.keys() | FOLDED
    assert {op: newest[op] for op in ops if newest.get(op, 0) > read.get(op, 0)} == {}


IMAGE = {"k": reals(2, 3, 3, 3), "c": reals(2), "d": reals(2, 4)}
OLD: dict[str, tuple[int, list[onnx.NodeProto], list[onnx.NodeProto], dict[str, Array]]] = {
    "an addend for each channel": (
        1,
        [node("Conv", "x k", "z"), node("Add", "z c", axis=1, broadcast=1)],
        [node("Conv", "x k", "z"), node("Unsqueeze", "c a12", "e"), node("Add", "z e")],
        IMAGE,
    ),
    "a factor along two axes": (
        6,
        [node("Mul", "x d", axis=1, broadcast=1)],
        [node("Unsqueeze", "d a3", "e"), node("Mul", "x e")],
        {"d": reals(3, 4)},
    ),
    "a quotient by the last axes": (3, [node("Div", "x d", broadcast=1)], [node("Div", "x d")], {"d": reals(4, 6) + 3}),
    "a slope for each channel": (
        6,
        [node("PRelu", "x s")],
        [node("Unsqueeze", "s a12", "e"), node("PRelu", "x e")],
        {"s": reals(3)},
    ),
    "one slope": (1, [node("PRelu", "x s")], [node("PRelu", "x s")], {"s": reals(1)}),
    "a shape as an attribute": (
        4,
        [node("Reshape", "x", shape=[1, 12, -1])],
        [node("Reshape", "x s")],
        {"s": ints(1, 12, -1)},
    ),
    "an element type by its name": (5, [node("Cast", "x", to="FLOAT")], [node("Identity", "x")], {}),
    "Concat without an axis": (1, [node("Concat", "x x")], [node("Concat", "x x", axis=1)], {}),
    "Selu": (1, [node("Selu", "x")], [node("Selu", "x", alpha=1.6732, gamma=1.0507)], {}),
    "Pad by paddings": (
        1,
        [node("Pad", "x", paddings=[0, 0, 1, 0, 0, 0, 2, 1], value=0.5)],
        [node("Pad", "x p v")],
        {"p": ints(0, 0, 1, 0, 0, 0, 2, 1), "v": number(0.5)},
    ),
    "Upsample by two factors": (
        1,
        [node("Upsample", "x", height_scale=2.0, width_scale=3.0)],
        [node("Resize", "x - s", coordinate_transformation_mode="asymmetric", nearest_mode="floor")],
        RESIZED,
    ),
    "BatchNormalization": (1, [node("BatchNormalization", "x s b m v", is_test=1)], [NORMALISED], CHANNELS),
    "Softmax of all features": (
        1,
        [node("Softmax", "x")],
        [node("Flatten", "x", "f"), node("Softmax", "f")],
        {},
    ),
}  # fmt: skip
"""Nodes of opsets before 7, which onnxruntime does not execute, and nodes of opset 13 that are equivalent by ONNX's
specification.
"""


@pytest.mark.parametrize("name", OLD)
def test_an_op_of_an_opset_before_7(name: str):
    opset, old, new, constants = OLD[name]
    x = RANDOM.normal(size=(2, np.prod(SHAPE))).astype(np.float32)
    got = evaluate_reals(imported(model(old, SHAPE, constants, opset=opset)), x).scores
    axes = {"a12": ints(1, 2), "a3": ints(2)}
    expected = reference(model(new, SHAPE, {**constants, **axes}, opset=13), x)
    assert got is not None
    np.testing.assert_allclose(got.reshape(expected.shape), expected, rtol=1e-5, atol=1e-5)


def test_what_no_newer_op_says_of_opsets_before_7():
    message = _refused(1, node("Tile", "x t a"), t=ints(2), a=ints(1))
    assert (
        message
        == "test.onnx: Tile 'Tile_y': the Tile of opset 1 is not supported: export the model with opset 13 or newer"
    )
    assert "is_test = 0 is not supported" in _refused(6, node("BatchNormalization", "x s b m v", is_test=0), **CHANNELS)
    assert "axis = -2 is not supported" in _refused(6, node("Add", "x c", axis=-2, broadcast=1), c=reals(4))


def _refused(opset: int, last: onnx.NodeProto, **constants: Any) -> str:
    with pytest.raises(InputError) as caught:
        imported(model([last], SHAPE, constants, opset=opset, element=FLOAT))
    return str(caught.value)


def test_what_no_newer_definition_says_is_refused():
    assert "spatial = 0 is not supported" in _refused(7, node("BatchNormalization", "x s b m v", spatial=0), **CHANNELS)
    message = _refused(11, node("Clip", "x l", min=0.5), l=number(0))
    assert message == "test.onnx: Clip 'Clip_y': attribute 'min' is given as an input, too"

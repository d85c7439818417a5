"""The models that the ONNX frontend accepts and rejects, and its messages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from oracles.onnx_models import FLOAT, check, imported, model, node, number
from xdsl.dialects import func

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.tools.tinyml_opt import main

INT64, TEXT = onnx.TensorProto.INT64, onnx.TensorProto.STRING

RELU = model([node("Relu", "x")], ["N", 4])


def error_of(content: bytes, file: str = "model.onnx") -> str:
    with pytest.raises(InputError) as caught:
        read_onnx(content, file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed(change: Callable[[onnx.ModelProto], object]) -> bytes:
    """The bytes of a small model after `change` has modified it."""
    copy = onnx.ModelProto()
    copy.CopyFrom(RELU)
    change(copy)
    return copy.SerializeToString()


def set_opset(version: int) -> bytes:
    def change(model: onnx.ModelProto) -> None:
        model.opset_import[0].version = version

    return changed(change)


def rename(field: str, name: str) -> bytes:
    def change(model: onnx.ModelProto) -> None:
        getattr(model.graph.node[0], field)[0] = name

    return changed(change)


WRONG: dict[str, tuple[bytes, str]] = {
    "damaged": (b"\xff\xff", "model.onnx: not an ONNX model: the file is damaged"),
    "empty": (b"", "model.onnx: not an ONNX model: it holds no graph"),
    "new opset": (
        set_opset(99),
        "model.onnx: opset 99 is not supported, only 1 to 28",
    ),
    "second output": (
        model([node("MaxPool", "x", "y z", kernel_shape=[2, 2])], [1, 1, 4, 4], outputs=("y", "z")).SerializeToString(),
        "model.onnx: MaxPool 'MaxPool_y z': its output 'z' is not supported, only the first",
    ),
    "no elements": (
        model([node("Relu", "x")], [1, 0]).SerializeToString(),
        "model.onnx: input 'x' of shape [1, 0] has no elements",
    ),
    "long cycle": (
        model([node("Add", "x b", "a"), node("Neg", "a", "b"), node("Relu", "b")], [4]).SerializeToString(),
        "model.onnx: Neg 'Neg_b': computes 'b', which is defined, or used, before",
    ),
    "missing tensor": (
        rename("input", "z"),
        "model.onnx: 'z', an input of Relu 'Relu_y', is neither a constant nor an input nor computed before",
    ),
    "cycle": (rename("input", "y"), "model.onnx: Relu 'Relu_y': computes 'y', which is defined, or used, before"),
    "missing output": (
        rename("output", "z"),
        "model.onnx: 'y', an output, is neither a constant nor an input nor computed before",
    ),
    "layout": (
        model(
            [node("GRU", "x w w", hidden_size=1, layout=2)], [2, 1, 3], {"w": np.zeros((1, 3, 3), np.float32)}
        ).SerializeToString(),
        "model.onnx: GRU 'GRU_y': layout must be 0 or 1, got 2",
    ),
    "hidden size": (
        model(
            [node("LSTM", "x w w", hidden_size=2)], [2, 1, 3], {"w": np.zeros((1, 12, 3), np.float32)}
        ).SerializeToString(),
        "model.onnx: LSTM 'LSTM_y': hidden_size is 2, the weights are for a state of 3 elements",
    ),
    "no outputs": (changed(lambda model: model.graph.ClearField("output")), "model.onnx: graph 'graph' has no outputs"),
    "no input": (
        changed(lambda model: model.graph.ClearField("input")),
        "model.onnx: 'x', an input of Relu 'Relu_y', is neither a constant nor an input nor computed before",
    ),
    "two inputs of similar names": (
        changed(lambda model: model.graph.input.append(helper.make_tensor_value_info(":x", FLOAT, [1]))),
        "model.onnx: the names of the inputs do not differ in letters and digits: ['x', 'x']",
    ),
    "texts beside reals": (
        changed(lambda model: model.graph.input.append(helper.make_tensor_value_info("z", TEXT, [1]))),
        "model.onnx: input 'z' is of type 8, expected numbers",
    ),
    "two open extents": (
        model([node("Relu", "x")], ["N", "T"]).SerializeToString(),
        "model.onnx: input 'x' has several open extents, (N, T); only the batch may be",
    ),
    "integers": (
        model([node("Relu", "x")], [4], element=onnx.TensorProto.INT64).SerializeToString(),
        "model.onnx: Relu 'Relu_y': reads int64, which is not supported here: expected indices of Gather or ScatterND, "
        "a condition of Where, a Cast to floats, sums, products or movements; layers read int8 and uint8, or integers "
        "before a RequantShift",
    ),
    "constant output": (
        model([node("Neg", "c")], [4], {"c": number(1)}).SerializeToString(),
        "model.onnx: output 'y' does not depend on the input",
    ),
    "shape": (
        model([node("Add", "x c")], [4], {"c": np.zeros(3, np.float32)}).SerializeToString(),
        "model.onnx: Add 'Add_y': shapes 4 and 3 do not broadcast",
    ),
    "attribute": (
        model([node("Softmax", "x", axis="a")], [4]).SerializeToString(),
        "model.onnx: Softmax 'Softmax_y': attribute 'axis' is not an integer",
    ),
    "folding": (
        model(
            [node("Concat", "c d", "s", axis=0), node("Add", "x s")], [4], {"c": number(1), "d": number(1)}
        ).SerializeToString(),
        "model.onnx: Concat 'Concat_s': its constants do not fit: zero-dimensional arrays cannot be concatenated",
    ),
    "convolution in space": (
        model([node("Conv", "x w")], [1, 1, 4, 4, 4], {"w": np.ones((2, 1, 3, 3, 3), np.float32)}).SerializeToString(),
        "model.onnx: Conv 'Conv_y': expected an image NxCxHxW or a sequence NxCxL, got shape [1, 1, 4, 4, 4]",
    ),
    "cast to integers": (
        model([node("Cast", "x", to=INT64)], [2]).SerializeToString(),
        "model.onnx: Cast 'Cast_y': a conversion of computed numbers to int64 is not supported, "
        "only of reals to floats",
    ),
    "sum of magnitudes": (
        model([node("LpNormalization", "x", p=1)], [2]).SerializeToString(),
        "model.onnx: LpNormalization 'LpNormalization_y': p = 1 is not supported, only 2",
    ),
    "cast to truth": (
        model([node("Cast", "x", to=onnx.TensorProto.BOOL)], [2]).SerializeToString(),
        "model.onnx: Cast 'Cast_y': a conversion of computed numbers to bool is not supported, only of reals to floats",
    ),
    "cast like integers": (
        model([node("CastLike", "x c")], [2], {"c": np.zeros(1, np.int8)}).SerializeToString(),
        "model.onnx: CastLike 'CastLike_y': a conversion of computed numbers to int8 is not supported, "
        "only of reals to floats",
    ),
    "cast of raws": (
        model(
            [node("QuantizeLinear", "x s z", "q"), node("Cast", "q", to=FLOAT)],
            [2],
            {"s": np.array(0.5, np.float32), "z": np.array(0, np.int8)},
        ).SerializeToString(),
        "model.onnx: Cast 'Cast_y': a conversion of computed raws to float32 is not supported, only of reals to floats",
    ),
}


def with_function(*ops: str) -> bytes:
    """The bytes of a model with a local function `Twice`, which applies these ops in sequence."""
    names = ["x", *(f"v{number}" for number in range(1, len(ops))), "y"]
    nodes = [
        helper.make_node(op, [before], [after], domain="local" if op == "Twice" else "")
        for op, (before, after) in zip(ops, pairwise(names), strict=True)
    ]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    function = helper.make_function("local", "Twice", ["x"], ["y"], nodes, opsets)
    x, y = (helper.make_tensor_value_info(name, FLOAT, [1, 4]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Twice", ["x"], ["y"], domain="local")], "graph", [x], [y])
    return helper.make_model(graph, functions=[function], opset_imports=opsets, ir_version=9).SerializeToString()


def test_local_functions_are_inlined():
    names = [op.name for op in read_onnx(with_function("Sigmoid", "Tanh"), "m.onnx").walk()]
    assert [name for name in names if name.startswith("tdsl.")][:2] == ["tdsl.sigmoid", "tdsl.tanh"]


@pytest.mark.long
def test_functions_that_onnx_cannot_inline_are_refused():
    message = error_of(with_function("Relu", "Twice"), "m.onnx")
    assert message.startswith("m.onnx: its functions cannot be inlined: ")


@pytest.mark.parametrize("opset", [-3, 0, 29])
def test_other_opsets_are_refused(opset: int):
    assert error_of(set_opset(opset), "m.onnx") == f"m.onnx: opset {opset} is not supported, only 1 to 28"


@pytest.mark.parametrize("name", WRONG)
def test_invalid_models_are_refused_in_one_line(name: str):
    content, message = WRONG[name]
    assert error_of(content) == message


def test_an_unknown_op_names_its_node_and_what_helps():
    message = error_of(model([node("Hardmax", "x")], [4]).SerializeToString())
    assert message.startswith(
        "model.onnx: Hardmax 'Hardmax_y': the op is not supported: let onnxsim fold what is constant, write "
    )
    assert len(message) < 250


@pytest.mark.parametrize(
    ("namespace", "said"),
    [
        (": Net/pool: torch.nn.modules.pooling.AdaptiveAvgPool2d/index: aten.index.Tensor", "AdaptiveAvgPool2d 'pool'"),
        (
            ": torch.nn.modules.container.Sequential/1: torch.nn.modules.transformer.TransformerEncoderLayer/"
            "self_attn: torch.nn.modules.activation.MultiheadAttention/matmul: aten.matmul.default",
            "MultiheadAttention 'self_attn'",
        ),
    ],
)
def test_an_unknown_op_names_the_layer_that_it_was_exported_from(namespace: str, said: str):
    unknown = node("Hardmax", "x")
    unknown.metadata_props.add(key="namespace", value=namespace)
    message = error_of(model([unknown], [4]).SerializeToString())
    assert message.startswith(f"model.onnx: Hardmax 'Hardmax_y' of the layer {said}: the op is not supported: ")


@pytest.mark.long
def test_nodes_may_be_in_any_order():
    """Nodes may be listed in any order, also in a chain that is longer than Python's recursion limit, and in a subgraph
    that reads a later result.
    """
    chain = [node("Neg", f"t{i}", f"t{i + 1}") for i in range(2000)]
    nodes = [node("Relu", "x", "t0"), *chain, node("Identity", "t2000")]
    assert str(imported(model(nodes[::-1], [4]))) == str(imported(model(nodes, [4])))
    values = [helper.make_tensor_value_info(name, FLOAT, None) for name in ("x_t", "t")]
    body = helper.make_graph([node("Add", "x_t late", "t")], "body", values[:1], values[1:])
    nodes = [node("ReduceMax", "x", "late", axes=[0], keepdims=0), node("Scan", "x", body=body, num_scan_inputs=1)]
    assert str(imported(model(nodes[::-1], [4, 3]))) == str(imported(model(nodes, [4, 3])))


def test_what_no_output_needs_may_be_anything():
    nodes = [node("Erf", "x", "z"), node("Relu", "x")]
    assert "tdsl.relu" in str(imported(model(nodes, [1, 4])))


def test_a_classifier_returns_its_label():
    [function] = imported(RELU).ops
    assert isinstance(function, func.FuncOp)
    assert [str(type) for type in function.function_type.outputs] == ["index", "tensor<1x4xf32>"]
    nodes = [node("Relu", "x", "z"), node("ArgMax", "z", axis=1)]
    [function] = imported(model(nodes, [1, 4])).ops
    assert isinstance(function, func.FuncOp)
    assert [str(type) for type in function.function_type.outputs] == ["index"]


@pytest.mark.parametrize("element", [onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16, onnx.TensorProto.DOUBLE])
@pytest.mark.parametrize("raw", [True, False])
def test_constants_have_any_type(element: int, raw: bool):
    stored = model([node("Add", "x c"), node("Identity", "y", "z")], [1, 3], outputs=("z",))
    values = np.array([0.5, -2.0, 1.25], np.float32)
    if raw:
        array = values.astype(helper.tensor_dtype_to_np_dtype(element))
        tensor = helper.make_tensor("c", element, [3], array.tobytes(), raw=True)
    else:
        tensor = helper.make_tensor("c", element, [3], values.tolist())
    stored.graph.initializer.append(tensor)
    assert "dense<[5.000000e-01, -2.000000e+00, 1.250000e+00]>" in str(imported(stored))


def test_empty_constants_have_limits():
    stored = model([node("Add", "x c")], [1, 3])
    stored.graph.initializer.append(onnx.TensorProto(name="c", data_type=onnx.TensorProto.FLOAT, dims=[0, 1 << 62]))
    with pytest.raises(InputError, match="has more than 50000000 elements"):
        imported(stored)


def external(folder: Path, location: str, **entries: str) -> bytes:
    stored = model([node("Add", "x c")], [1, 3])
    tensor = numpy_helper.from_array(np.arange(3, dtype=np.float32), "c")
    (folder / "weights.bin").write_bytes(b"head" + tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": "4", **entries}.items():
        tensor.external_data.add(key=key, value=value)
    stored.graph.initializer.append(tensor)
    return stored.SerializeToString()


def test_external_data_lie_in_the_folder_of_the_model(tmp_path: Path):
    folder = tmp_path / "model"
    folder.mkdir()
    file = str(folder / "model.onnx")
    module = read_onnx(external(folder, "weights.bin"), file)
    assert "dense<[0.000000e+00, 1.000000e+00, 2.000000e+00]>" in str(module)
    (tmp_path / "secret").write_bytes(bytes(100))
    (folder / "link").symlink_to(tmp_path / "secret")
    for location in ("../secret", "link", str(tmp_path / "secret"), ""):
        message = error_of(external(folder, location), file)
        assert message.endswith(f"external data must lie in the model's folder, not in '{location}'")
    for entries in ({"offset": "5"}, {"length": "8"}, {"offset": "-4"}, {"offset": "x"}, {"offset": "9" * 30}):
        error_of(external(folder, "weights.bin", **entries), file)
    error_of(external(folder, "nowhere"), file)


def test_sizes_are_limited():
    """A model that would compute an excessively large constant is rejected before the constant is computed."""
    doublings = [node("Concat", f"{a} {a}", b, axis=0) for a, b in pairwise("abcdefghi")]
    token = ELEMENT_LIMIT.set(1000)
    try:
        for nodes in (
            [node("ConstantOfShape", "s", "c"), node("Add", "x c")],
            [node("Expand", "one s", "c"), node("Add", "x c")],
            [node("Range", "zero many one", "c"), node("Add", "x c")],
            [node("Tile", "row s", "c"), node("Add", "x c")],
            [*doublings, node("Add", "x i")],
        ):
            constants = {"s": np.array([2**40]), "one": number(1), "zero": number(0), "many": number(1e9)}
            constants |= {"row": np.ones(4, np.float32), "a": np.ones(8, np.float32)}
            assert "--max-elements" in error_of(model(nodes, [1], constants).SerializeToString())
    finally:
        ELEMENT_LIMIT.reset(token)


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    message = error_of(RELU.SerializeToString())
    assert message == "model.onnx: ONNX models need the package onnx: pip install 'tinyml-xdsl[onnx]'"


def test_commands_read_onnx(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "my-model.onnx"
    file.write_bytes(RELU.SerializeToString())
    assert main([str(file)]) == 0
    assert "func.func @my_model(%x: tensor<1x4xf32>)" in capsys.readouterr().out
    file.write_bytes(model([node("Hardmax", "x")], [4]).SerializeToString())
    assert main([str(file)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {file}: Hardmax 'Hardmax_y': the op is not supported")
    assert error.count("\n") == 1


DIFFERENCES = [
    node("Unsqueeze", "p two", "u"),
    node("Sub", "u b", "d"),
    node("Mul", "d d", "s"),
    node("ReduceSum", "s one", "t", keepdims=0),
]
EXPANDED = [
    node("Mul", "p p", "pp"),
    node("ReduceSum", "pp one", "xx"),
    node("MatMul", "p c", "pc"),
    node("Mul", "pc minus", "xb"),
    node("Add", "xx xb", "s"),
    node("Add", "s bb", "t"),
]


@pytest.mark.parametrize("nodes", [DIFFERENCES, EXPANDED])
def test_prototypes_become_a_loop(nodes: list[onnx.NodeProto]):
    """The two forms in which exporters write the distances of ProtoNN are imported as a loop: sums of squared
    differences, and expanded squares.
    """
    random = np.random.default_rng(3)
    b = random.normal(size=(1, 3, 4)).astype(np.float32)
    constants = {"w": random.normal(size=(5, 3)), "g": np.array(-0.3), "z": random.normal(size=(4, 6))}
    constants |= {"b": b, "c": b[0], "bb": (b[0] ** 2).sum(0), "minus": np.array(-2.0)}
    whole = [
        node("MatMul", "x w", "p"),
        *nodes,
        node("Mul", "t g", "m"),
        node("Exp", "m", "e"),
        node("MatMul", "e z"),
    ]
    arrays = {name: array.astype(np.float32) for name, array in constants.items()}
    module = check(model(whole, [1, 5], arrays | {"one": np.array([1]), "two": np.array([2])}))
    ops = [op.name for op in module.walk()]
    assert ops.count("scf.for") == 1
    assert ops.count("tdsl.index") == 2
    assert ops.count("tdsl.sub") == 1


def test_matrices_are_declared_sparse():
    """A matrix of weights is imported as sparse, like the left operand of SeeDot's `|*|`. If a bias is added to its
    products, it is imported as sparse only if many of its elements are zero. A matrix of zeros is never sparse.
    """

    def is_sparse(weights: np.ndarray[Any, Any], *, biased: bool) -> bool:
        nodes = [node("Gemm", "x w b") if biased else node("MatMul", "x w")]
        constants = {"w": weights} | ({"b": np.ones(8, np.float32)} if biased else {})
        return "tdsl.spmv" in str(imported(model(nodes, [1, 8], constants)))

    weights = np.random.default_rng(4).normal(size=(8, 8)).astype(np.float32)
    assert is_sparse(weights, biased=False)
    weights[:, :3] = 0
    assert is_sparse(weights, biased=False)
    assert not is_sparse(weights, biased=True)
    weights[:, 3:5] = 0
    assert is_sparse(weights, biased=True)
    assert not is_sparse(np.zeros_like(weights), biased=False)

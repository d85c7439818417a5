"""Every op of a program keeps its location in the input and the layer of the user's model, at each level down to L5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.onnx_models import model as onnx_model
from oracles.onnx_models import node
from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, ModuleOp, NoneAttr, UnknownLoc, f32
from xdsl.ir import Operation

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import TooLargeError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import (
    MAX_LAYERS,
    error_at,
    errors_at,
    file_location,
    fused,
    in_layer,
    layers,
    named,
    origin,
    place,
)
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.lowering.loops.operation_names import layers_by_name
from tinyml.lowering.pipelines import flatten
from tinyml.tools.main import main
from tinyml.transforms.ir.pipeline_names import (
    BITS_TO_LANES,
    BUFFERS_TO_LOOPS,
    BUFFERS_TO_UPSTREAM,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_BITS,
)

ROOT = Path(__file__).parents[3]
_WITHOUT = ("builtin.module", "func.func", "scf.yield")
"""What belongs to no op of the program."""

ATTENTION = "attention.onnx"


def imported(path: str) -> ModuleOp:
    if path == ATTENTION:
        return attention()
    file = ROOT / path
    return FRONTENDS.get(file.suffix.removeprefix("."))(file.read_bytes(), str(file))


def attention() -> ModuleOp:
    """A program of attention over three tokens of four features: queries, keys and values, scores and their softmax."""
    rng = np.random.default_rng(0)
    weights = {name: rng.standard_normal((4, 4)).astype(np.float32) for name in "abc"}
    nodes = [
        *(node("MatMul", f"x {name}", to) for name, to in zip("abc", ("q", "k", "v"), strict=True)),
        node("Transpose", "k", "kt", perm=[1, 0]),
        node("MatMul", "q kt", "scores"),
        node("Softmax", "scores", "shares", axis=-1),
        node("MatMul", "shares v"),
    ]
    return read_onnx(onnx_model(nodes, [3, 4], weights).SerializeToString(), ATTENTION)


def every_op(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if op.name not in _WITHOUT]


def is_located(op: Operation) -> bool:
    """Whether the location of an op is a line of a text, or a layer of a model whose file is not text."""
    at = place(op.location)
    return isinstance(at, FileLineColLoc) and (at.line.data > 0 or bool(layers(op.location)))


TO_BITS = FORMATS_TO_BUFFERS, BUFFERS_TO_LOOPS, LOOPS_TO_BITS
TO_HARDWARE = *TO_BITS, BITS_TO_LANES
TO_UPSTREAM = FORMATS_TO_BUFFERS, BUFFERS_TO_UPSTREAM

PROGRAMS = [
    # A network with state, sparse products and loops.
    ("examples/protonn-gesturepod/protonn_gesturepod.sd", {"target": "uno"}, TO_BITS),
    ("examples/fastgrnn-mnist16/fastgrnn_mnist16.sd", {"target": "uno"}, TO_BITS),
    ("tests/models/small-network/small_network.sd", {"target": "cortex-m4"}, TO_BITS),
    ("tests/models/pytorch/cnn-dynamo.onnx", {"target": "cortex-m4"}, TO_BITS),
    # Nests of elements become vectors.
    ("tests/models/pytorch/cnn-dynamo.onnx", {"target": "cortex-m55"}, TO_BITS),
    # Loops over rows of several layers.
    ("tests/models/pytorch/cnn-dynamo.onnx", {"target": "cortex-m4", "plan": "rows"}, TO_BITS),
    ("tests/models/pytorch/gru-script.onnx", {"target": "cortex-m4"}, TO_BITS),
    (ATTENTION, {"target": "cortex-m4"}, TO_BITS),
    ("tests/models/boosted/xgboost_iris.json", {"target": "uno"}, TO_BITS),
    ("tests/models/boosted/xgboost_iris.json", {"target": "host"}, TO_UPSTREAM),
    ("tests/models/pytorch/cnn-dynamo.onnx", {"target": "host"}, TO_UPSTREAM),
    ("tests/models/keras/mobile-int8.tflite", {"target": "cortex-m4"}, TO_BITS),
    ("tests/models/small-network/small_network.sd", {"target": "ice40-up5k"}, TO_HARDWARE),
]


@pytest.mark.long
@pytest.mark.parametrize(("model", "options", "below"), PROGRAMS)
def test_no_pass_loses_locations(model: str, options: dict[str, Any], below: Sequence[str], tmp_path: Path):
    module = imported(model)
    assert not [op.name for op in every_op(module) if not is_located(op)]
    [function] = defined_functions(module)
    elements = int(np.prod(function.function_type.inputs.data[0].get_shape()))  # type: ignore[attr-defined]
    np.savez(tmp_path / "x.npz", x=np.random.default_rng(0).standard_normal((8, elements)).astype("f4"))
    takes_reals = tdsl.format_of(function.body.block.args[0]).type == f32
    steps = flatten("reals-to-formats", {"data": str(tmp_path / "x.npz"), **options}) if takes_reals else []
    for step in [*steps, *(step for pipeline in below for step in flatten(pipeline, options))]:
        step.apply(context(), module)
        lost = [op.name for op in every_op(module) if not is_located(op)]
        assert not lost, (step.name, sorted(set(lost)), len(lost))


def test_layers_are_named_in_errors_and_by_the_names_of_operations():
    module = imported("tests/models/pytorch/cnn-dynamo.onnx")
    convolution = next(op for op in module.walk() if isinstance(op, tdsl.Conv2dOp))
    assert layers(convolution.location) == ("BatchNorm2d 'body.1'",)
    error = error_at(convolution, "is too large")
    assert str(error) == f"{ROOT / 'tests/models/pytorch/cnn-dynamo.onnx'}: BatchNorm2d 'body.1': is too large"
    # What it is fused with names both layers.
    relu = next(op for op in module.walk() if isinstance(op, tdsl.ReluOp))
    convolution.location = named(fused((convolution.location, relu.location)), "y = conv2d(w, x)")
    assert layers_by_name(module) == {"y = conv2d(w, x)": "BatchNorm2d 'body.1', ReLU 'body.2'"}


@pytest.mark.long
def test_a_program_of_bits_that_cannot_be_lowered_is_refused_with_the_layer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    val = tmp_path / "val.npz"
    x, y = np.random.default_rng(0).standard_normal((20, 100)), np.arange(20) % 5
    np.savez(val, x=x.astype("f4"), y=y)
    model = ROOT / "tests/models/pytorch/cnn-dynamo.onnx"
    options = ["--format", "posit", "--width", "16", "--target", "ecp5-25k", "-o", str(tmp_path / "out")]
    assert main(["compile", str(model), "--val", str(val), *options]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    layer = "AdaptiveAvgPool2d 'body.6'"
    assert error.startswith(f"error: {model}: {layer}: hardware has no floating point, in which mean = mean(")


def test_errors_are_located_once():
    module = imported("tests/models/pytorch/cnn-dynamo.onnx")
    first, second = [op for op in module.walk() if isinstance(op, tdsl.Conv2dOp)][:2]
    with pytest.raises(TooLargeError) as raised, errors_at(first), errors_at(second):
        raise TooLargeError("is too large")
    [layer] = layers(second.location)
    assert str(raised.value) == f"{ROOT / 'tests/models/pytorch/cnn-dynamo.onnx'}: {layer}: {second.name}: is too large"


@pytest.mark.parametrize(("count", "rest"), [(MAX_LAYERS, ()), (MAX_LAYERS + 1, ("others",)), (10_000, ("others",))])
def test_many_layers_of_one_operation_are_not_listed(count: int, rest: tuple[str, ...]):
    names = [f"layer {number}" for number in range(count)]
    location = fused([in_layer(file_location("model.onnx"), name) for name in names])
    assert layers(location) == (*names[:MAX_LAYERS], *rest)


def test_locations_of_several_operations():
    first, second = (in_layer(file_location("model.onnx"), name) for name in ("conv", "relu"))
    both = fused((first, second))
    assert both == FusedLoc((first, second), NoneAttr())
    assert fused((first, first)) == first
    # The name is that of the first, and an origin stands once.
    assert fused((named(first, "a"), named(second, "b"))) == named(both, "a")
    assert fused((both, first)) == both
    assert fused((UnknownLoc(), second)) == second
    assert fused((UnknownLoc(), UnknownLoc())) == UnknownLoc()
    assert origin(named(named(both, "map"), "step")) == both
    assert layers(named(both, "a")) == ("conv", "relu")
    assert place(both) == file_location("model.onnx")
    assert in_layer(file_location("model.onnx"), "") == file_location("model.onnx")

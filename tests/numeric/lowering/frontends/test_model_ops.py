"""Imports of ONNX and TensorFlow Lite ops that a test package defines: values, bytes, bits of a program, and errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from oracles.onnx_models import imported, model, node
from programs.on_boards import difference, printed
from programs.paths import ROOT
from programs.plugins import installed
from programs.tflite_models import TfliteModel, computed_by_tflm, raws

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import ONNX_OPS, TFLITE_OPS, PluginError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals

RANDOM = np.random.default_rng(78)
X = RANDOM.normal(size=(9, 1, 4, 6)).astype(np.float32)


@pytest.fixture
def plugin() -> Iterator[None]:
    folder = str(ROOT / "tests" / "plugins" / "glu")
    with (
        patch.object(sys, "path", [folder, *sys.path]),
        installed(
            EntryPoint("acme.Glu", "glu:read_onnx_glu", ONNX_OPS),
            EntryPoint("AcmeGlu", "glu:read_tflite_glu", TFLITE_OPS),
        ),
    ):
        yield


def gated(x: NDArray[Any], axis: int, bias: NDArray[Any] | float = 0.0) -> NDArray[Any]:
    value, gate = np.split(x, 2, axis)
    return value / (1 + np.exp(-(gate + bias)))


def of_onnx(bias: NDArray[Any] | None = None, *, op: str = "Glu", **attributes: Any) -> onnx.ModelProto:
    """A model of an op of the domain `acme` after a transposition. The importer does not execute the transposition, but
    stores the tensor in another order of axes.

    bias: the second operand of the op; None if it has only one operand.
    op: the name of the op.
    attributes: the attributes of the op.
    """
    inputs = "t" if bias is None else "t b"
    nodes = [node("Transpose", "x", "t", perm=[0, 2, 1]), node(op, inputs, domain="acme", **attributes)]
    made = model(nodes, [1, 4, 6], {} if bias is None else {"b": bias})
    made.opset_import.append(helper.make_opsetid("acme", 3))
    return made


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("axis", [-1, 1])
def test_an_op_of_onnx(axis: int):
    bias = RANDOM.normal(size=(3, 1) if axis == 1 else 2).astype(np.float32)
    module = imported(of_onnx(bias, axis=axis))
    expected = gated(X.transpose(0, 1, 3, 2)[:, 0], axis, bias)
    [found, *_] = evaluate_reals(module, X.reshape(9, -1)).tensors
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("plugin")
def test_a_compiled_program_computes_the_same_bits(tmp_path: Path):
    module = imported(of_onnx())
    np.savez(tmp_path / "val.npz", x=X)
    given = {"format": "fixed", "width": 16, "data": str(tmp_path / "val.npz"), "target": "host"}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", given))
    source = printed(module, "host", tmp_path / "c")
    assert difference(module, encode_inputs(module, X.reshape(9, -1)), source, runner_for("host"), tmp_path) is None


def of_tflite(dtype: str, *, own: bool, extent: int = 6) -> bytes:
    """The bytes of a model with a custom operator, or with TensorFlow Lite's operators for the same function.

    dtype: the type of the tensors.
    own: whether the custom operator is used.
    extent: the number of elements along the last axis of the input.
    """
    made = TfliteModel()
    quantised: dict[str, Any] = {} if dtype == "float32" else {"scales": 0.03, "zero_point": 4}
    x, y = made.tensor((1, 4, extent), dtype, **quantised), made.tensor((1, 4, extent // 2), dtype, **quantised)
    if own:
        made.op("CUSTOM AcmeGlu", [x], y, custom=b"\xff")
        return made.finish([x], [y])
    parts = [made.tensor((1, 4, extent // 2), dtype, **quantised) for _ in range(2)]
    of_gates: dict[str, Any] = {} if dtype == "float32" else {"scales": 2.0**-8, "zero_point": -128}
    gate = made.tensor((1, 4, extent // 2), dtype, **of_gates)
    made.op("SPLIT", [made.constant(2), x], parts, NumSplits=2)
    made.op("LOGISTIC", [parts[1]], gate)
    made.op("MUL", [parts[0], gate], y)
    return made.finish([x], [y])


@pytest.mark.usefixtures("plugin")
def test_an_operator_of_tensorflow_lite_on_floats():
    expected = computed_by_tflm(of_tflite("float32", own=False), X)[0]
    [found, *_] = evaluate_reals(read_tflite(of_tflite("float32", own=True), "m.tflite"), X.reshape(9, -1)).tensors
    np.testing.assert_allclose(found.reshape(9, -1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("plugin")
def test_an_operator_of_tensorflow_lite_on_bytes():
    x = raws(RANDOM, (50, 1, 4, 6))
    expected = computed_by_tflm(of_tflite("int8", own=False), x)[0]
    [found, *_] = evaluate(read_tflite(of_tflite("int8", own=True), "m.tflite"), x.reshape(50, -1)).tensors
    np.testing.assert_array_equal(found.reshape(50, -1), expected)


@pytest.mark.usefixtures("plugin")
def test_errors_name_the_op_of_the_model():
    with pytest.raises(InputError, match=r"^test.onnx: Glu 'Glu_y': attribute 'axis' is not an integer$"):
        imported(of_onnx(axis=1.5))
    with pytest.raises(InputError, match=r"operator 0 \(CUSTOM AcmeGlu, .*: axis -1 of \[1, 4, 5\] has no halves$"):
        read_tflite(of_tflite("float32", own=True, extent=5), "m.tflite")


def test_without_a_package_the_ops_are_refused():
    with pytest.raises(InputError, match=r"Glu 'Glu_y': the op is not supported: a package can import it"):
        imported(of_onnx())
    with pytest.raises(InputError, match=r"CUSTOM AcmeGlu, .* is not supported: a package can import it"):
        read_tflite(of_tflite("int8", own=True), "m.tflite")


def wrong(to: object, op: object) -> list[object]:
    """An import function that returns a wrong value: the op of the file instead of tensors."""
    return [op]


def none(to: object, op: object) -> list[object]:
    """An import function that returns no output although the file declares one."""
    return []


def test_what_a_package_returns_is_checked():
    wrongly = r"^plug-in 'acme.Glu' .*: expected an object of type SSAValue, got ModelOp$"
    with (
        installed(EntryPoint("acme.Glu", f"{__name__}:wrong", ONNX_OPS)),
        pytest.raises(PluginError, match=wrongly),
    ):
        imported(of_onnx())
    with (
        installed(EntryPoint("acme.Glu", f"{__name__}:none", ONNX_OPS)),
        pytest.raises(InputError, match=r"^test.onnx: Glu 'Glu_y': expected 1 outputs, the package gives 0$"),
    ):
        imported(of_onnx())
    with (
        installed(EntryPoint("AcmeGlu", f"{__name__}:none", TFLITE_OPS)),
        pytest.raises(InputError, match="expected 1 outputs, the package gives 0"),
    ):
        read_tflite(of_tflite("int8", own=True), "m.tflite")

"""Loops of TensorFlow Lite with a known number of steps, compared with TFLM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.lowered import lowered
from programs.spread import spread
from programs.tflite_models import NONE, TfliteModel, computed_by_tflm
from xdsl.dialects import scf

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite import importer, loops
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c

UNITS = 4


def recurrent(dtype: str, steps: int = 3, *, first: int = 0, counts: bool = True, comparison: str = "LESS") -> bytes:
    """The bytes of a model with a recurrent layer as a loop. Iteration `i` computes the next state from row `i` of the
    input and the state.

    dtype: the type of the input and of the state.
    steps: the limit of the counter.
    first: the initial value of the counter.
    counts: whether this value is constant; otherwise, it is an input of the model.
    comparison: the operator that compares the counter with `steps`.
    """
    random = np.random.default_rng(7)
    scale: dict[str, Any] = {"scales": 0.03, "zero_point": 2} if dtype == "int8" else {}

    def state(model: TfliteModel, rows: int = 1) -> int:
        return model.tensor((rows, UNITS), dtype, **scale)

    condition, body, model = TfliteModel(), TfliteModel(), TfliteModel()
    counter, less = condition.tensor((), "int32"), condition.tensor((), "bool")
    condition.op(comparison, [counter, condition.constant(steps)], less)
    model.called.append((condition, [counter, state(condition), state(condition, 3)], [less]))

    counter, h, x = body.tensor((), "int32"), state(body), state(body, 3)
    index, row, total, result = body.tensor((1,), "int32"), state(body), state(body), state(body)
    body.op("RESHAPE", [counter, body.constant([1])], index)
    body.op("GATHER", [x, index], row, Axis=0)
    body.op("ADD", [row, h], total)
    body.op("MAXIMUM", [total, body.constant(random.integers(-3, 4, (1, UNITS)), dtype, **scale)], result)
    following = body.tensor((), "int32")
    body.op("ADD", [counter, body.constant(1)], following)
    model.called.append((body, [counter, h, x], [following, result, x]))

    x, begun = state(model, 3), model.constant(np.full((1, UNITS), 2), dtype, **scale)
    counter = model.constant(first) if counts else model.tensor((), "int32")
    outputs = [model.tensor((), "int32"), state(model), state(model, 3)]
    model.op("WHILE", [counter, begun, x], outputs, CondSubgraphIndex=1, BodySubgraphIndex=2)
    result = state(model)
    model.op("SUB", [outputs[1], begun], result)
    return model.finish([x] if counts else [x, counter], [result])


@pytest.mark.parametrize(("first", "comparison", "steps"), [(0, "LESS", 3), (1, "LESS_EQUAL", 2), (2, "NOT_EQUAL", 3)])
def test_a_loop_in_bytes(first: int, comparison: str, steps: int):
    content = recurrent("int8", steps, first=first, comparison=comparison)
    x = np.random.default_rng(8).integers(-128, 128, (20, 3, UNITS)).astype(np.int8)
    [expected] = computed_by_tflm(content, x)
    got = evaluate(read_tflite(content, "loop.tflite"), x.reshape(20, -1)).scores
    np.testing.assert_array_equal(got, expected)


def test_a_loop_in_floats():
    content = recurrent("float32")
    x = np.random.default_rng(8).normal(size=(20, 3, UNITS)).astype(np.float32)
    [expected] = computed_by_tflm(content, x)
    scores = evaluate_reals(read_tflite(content, "loop.tflite"), x.reshape(20, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("target", spread(["host", "uno", "cortex-m4", "riscv"], 1))
def test_devices_give_the_bytes_of_tflm(target: str, tmp_path: Path):
    content = recurrent("int8")
    x = np.random.default_rng(8).integers(-128, 128, (20, 3, UNITS)).astype(np.int8)
    [expected] = computed_by_tflm(content, x)
    module, ctx, options = read_tflite(content, "loop.tflite"), context(), {"target": target}
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    interface = interface_of(module)
    lowered(module, ctx := context(), **options)
    write_c(module, ctx, target, tmp_path)
    runner = runner_for(target)
    built = runner.build(tmp_path, interface, tmp_path / "build")
    np.testing.assert_array_equal(runner.run(built, interface, x.reshape(20, -1)).scores, expected)


@dataclass(frozen=True)
class Layer:
    """A recurrent layer `h = relu(W x + U h + b)` as the converter of TensorFlow writes it, whose loop has a list of
    outputs, a counter of iterations beside that of steps, and constants among its values.

    sequences: whether the layer returns the outputs of all steps; its list has one element otherwise.
    backwards: whether the layer reads the last step first.
    update: the operator that writes an output to the list.
    """

    sequences: bool = True
    backwards: bool = False
    update: str = "CONCATENATION"
    dtype: str = "float32"

    STEPS: ClassVar[int] = 5
    INPUTS: ClassVar[int] = 3

    @property
    def weights(self) -> list[NDArray[np.float64]]:
        random = np.random.default_rng(11)
        return [random.normal(size=shape) / 2 for shape in ((UNITS, self.INPUTS), (UNITS, UNITS), (UNITS,))]

    def expected(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """The outputs for inputs of the shape (samples, steps, inputs)."""
        w, u, b = self.weights
        state, outputs = np.zeros((len(x), UNITS)), list[NDArray[np.float64]]()
        for row in reversed(range(self.STEPS)) if self.backwards else range(self.STEPS):
            state = np.maximum(x[:, row] @ w.T + state @ u.T + b, 0)
            outputs.append(state)
        return np.concatenate(outputs, 1) if self.sequences else state

    def content(self) -> bytes:
        condition, body, model = TfliteModel(), TfliteModel(), TfliteModel()
        length = self.STEPS if self.sequences else 1
        scale: dict[str, Any] = {"scales": 0.05, "zero_point": -3} if self.dtype == "int8" else {}
        shapes = {"x": (self.STEPS, 1, self.INPUTS), "list": (length, 1, UNITS), "h": (1, UNITS)}

        def values(to: TfliteModel) -> list[int]:
            """The iterations, their limit, the step, the list, the state, the number of steps, the input."""
            tensors = {name: to.tensor(shape, self.dtype, **scale) for name, shape in shapes.items()}
            counters = [to.tensor((), "int32") for _ in range(4)]
            return [*counters[:3], tensors["list"], tensors["h"], counters[3], tensors["x"]]

        given = values(condition)
        tests = [condition.tensor((), "bool") for _ in range(3)]
        condition.op("LESS", [given[0], given[1]], tests[0])
        condition.op("LESS", [given[2], given[5]], tests[1])
        condition.op("LOGICAL_AND", tests[:2], tests[2])
        model.called.append((condition, given, tests[2:]))

        given = values(body)
        iteration, limit, step, listed, h, count, x = given
        place: int = step
        if self.backwards:
            last, place = body.tensor((), "int32"), body.tensor((), "int32")
            body.op("SUB", [count, body.constant(1)], last)
            body.op("SUB", [last, step], place)
        row = body.tensor((1, self.INPUTS), self.dtype, **scale)
        body.op("GATHER", [x, place], row, Axis=0)
        ahead, back, total, after = (body.tensor((1, UNITS), self.dtype, **scale) for _ in range(4))
        kind = {"scales": 0.01} if self.dtype == "int8" else {}
        w, u, b = self.weights
        for operand, matrix, result, bias in ((row, w, ahead, b), (h, u, back, 0 * b)):
            raws = np.clip(np.rint(matrix / 0.01), -127, 127) if kind else matrix
            starts = np.rint(bias / (0.01 * 0.05)) if kind else bias
            start = {"scales": 0.01 * 0.05} if kind else {}
            constants = (
                body.constant(raws, self.dtype, **kind),
                body.constant(starts, "int32" if kind else "float32", **start),
            )
            body.op("FULLY_CONNECTED", [operand, *constants], result)
        body.op("ADD", [ahead, back], total, FusedActivationFunction=NONE)
        body.op("RELU", [total], after)
        item, updated = (
            body.tensor((1, 1, UNITS), self.dtype, **scale),
            body.tensor(shapes["list"], self.dtype, **scale),
        )
        body.op("RESHAPE", [after, body.constant([1, 1, UNITS])], item)
        at = step if self.sequences else body.constant(0)
        begin = body.tensor((1,), "int32")
        body.op("RESHAPE", [at, body.constant([1])], begin)
        starts = body.tensor((3,), "int32")
        body.op("CONCATENATION", [begin, body.constant([0, 0])], starts, Axis=0)
        if self.update == "CONCATENATION":
            behind, sizes, later = body.tensor((), "int32"), body.tensor((3,), "int32"), body.tensor((1,), "int32")
            following = body.tensor((3,), "int32")
            body.op("CONCATENATION", [begin, body.constant([-1, -1])], sizes, Axis=0)
            body.op("ADD", [at, body.constant(1)], behind)
            body.op("RESHAPE", [behind, body.constant([1])], later)
            body.op("CONCATENATION", [later, body.constant([0, 0])], following, Axis=0)
            # The extents are unknown to the file, or 0.
            open_shape: dict[str, Any] = {} if not self.sequences else {"signature": (-1, 1, UNITS)}
            parts = [body.tensor((int(self.sequences), 1, UNITS), self.dtype, **scale, **open_shape) for _ in range(2)]
            body.op("SLICE", [listed, body.constant([0, 0, 0]), sizes], parts[0])
            body.op("SLICE", [listed, following, body.constant([-1, -1, -1])], parts[1])
            body.op("CONCATENATION", [parts[0], item, parts[1]], updated, Axis=0)
        else:
            body.op("DYNAMIC_UPDATE_SLICE", [listed, item, starts], updated)
        counted = [body.tensor((), "int32") for _ in range(2)]
        for counter, result in zip((iteration, step), counted, strict=True):
            body.op("ADD", [counter, body.constant(1)], result)
        model.called.append((body, given, [counted[0], limit, counted[1], updated, after, count, x]))

        x = model.tensor(shapes["x"], self.dtype, **scale)
        zero = scale.get("zero_point", 0)
        begun = [model.constant(np.full(shapes[name], zero), self.dtype, **scale) for name in ("list", "h")]
        counters = [model.constant(number) for number in (0, self.STEPS, 0)]
        outputs = values(model)
        operands = [*counters, *begun, model.constant(self.STEPS), x]
        model.op("WHILE", operands, outputs, CondSubgraphIndex=1, BodySubgraphIndex=2)
        result = model.tensor(shapes["list"], self.dtype, **scale)
        model.op("RESHAPE", [outputs[3], model.constant(shapes["list"])], result)
        return model.finish([x], [result])


LAYERS = [
    Layer(),
    Layer(backwards=True),
    Layer(sequences=False),
    Layer(sequences=False, backwards=True),
    Layer(update="DYNAMIC_UPDATE_SLICE"),
]


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_a_recurrent_layer_of_the_converter_is_a_loop(layer: Layer):
    """The loop carries the state and, if the layer returns sequences, the list. Its body reads one row of the input and
    writes one element, and the weights stand outside of it.
    """
    module = read_tflite(layer.content(), "layer.tflite")
    [loop] = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert len(loop.results) == 1 + layer.sequences
    assert not any(isinstance(op, tdsl.ConstOp | tdsl.ConcatOp) for op in loop.body.walk())
    assert sum(isinstance(op, tdsl.InsertSliceOp) for op in loop.body.walk()) == layer.sequences
    x = np.random.default_rng(8).normal(size=(20, layer.STEPS, layer.INPUTS))
    scores = evaluate_reals(module, x.reshape(20, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, layer.expected(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layer", [replace(layer, dtype="int8") for layer in LAYERS], ids=str)
def test_a_loop_computes_the_bits_of_its_copies(layer: Layer, monkeypatch: pytest.MonkeyPatch):
    content = layer.content()
    looped = read_tflite(content, "layer.tflite")

    def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(loops, "counted_loop", nothing)
    monkeypatch.setattr(importer, "roll_steps", nothing)
    copied = read_tflite(content, "layer.tflite")
    assert [any(isinstance(op, scf.ForOp) for op in module.walk()) for module in (looped, copied)] == [True, False]
    x = np.random.default_rng(9).integers(-128, 128, (50, layer.STEPS * layer.INPUTS)).astype(np.int8)
    np.testing.assert_array_equal(evaluate(looped, x).scores, evaluate(copied, x).scores)


def endless(*, calls_itself: bool) -> bytes:
    """The bytes of a model with a loop whose condition is always true.

    calls_itself: whether the body of the loop contains a loop with the same body.
    """
    condition, body, model = TfliteModel(), TfliteModel(), TfliteModel()
    x, less = condition.tensor((1, 4), "float32"), condition.constant([1], "bool")
    model.called.append((condition, [x], [less]))
    x, y = (body.tensor((1, 4), "float32") for _ in range(2))
    if calls_itself:
        body.op("WHILE", [x], y, CondSubgraphIndex=1, BodySubgraphIndex=2)
    model.called.append((body, [x], [y if calls_itself else x]))
    x, y, z = (model.tensor((1, 4), "float32") for _ in range(3))
    model.op("WHILE", [x], y, CondSubgraphIndex=1, BodySubgraphIndex=2)
    model.op("TANH", [y], z)
    return model.finish([x], [z])


REFUSED = {
    "input": (
        recurrent("float32", counts=False),
        "the number of steps must not depend on the input; convert recurrent",
    ),
    "endless": (endless(calls_itself=False), "more than 10000 steps, or operators in all steps, are not supported"),
    "recursion": (endless(calls_itself=True), "calls graphs that the model does not have"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_loops_are_refused(name: str):
    content, message = REFUSED[name]
    with pytest.raises(InputError, match=r"operator 0 \(WHILE, ") as raised:
        read_tflite(content, "loop.tflite")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)

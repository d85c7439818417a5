"""Loops of TensorFlow Lite with a known number of steps, compared with TFLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.lowered import lowered
from programs.spread import spread
from programs.tflite_models import TfliteModel, computed_by_tflm

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
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

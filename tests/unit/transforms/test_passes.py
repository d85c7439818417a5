"""Passes are checked by the results of programs: the evaluator on tensors, and an interpreter of the lowered program on
bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from interpreters.memory import run
from numpy.typing import NDArray
from programs.carried import NO_ITERATION, PROGRAMS
from programs.formatted import LIMITS, new_context, parse, stays_finite, with_formats
from programs.spread import examples, spread, spread_product
from programs.tensors import programs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.pipelines import flatten
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, predict_function
from tinyml.tools.universe import TINYML

SAMPLES = 3
FORMATS = [("fixed", 16), ("fixed", 8), ("fixed", 32), ("fixed", 12), ("f32", None)]
PASSES = {**get_all_passes(), **TINYML.all_passes}

TO_FORMATS = [step.name for step in flatten("reals-to-formats", {"data": ""})]
CHOOSE = TO_FORMATS[TO_FORMATS.index("assign-format") + 1 :]
"""The passes at L1 that follow the assignment of formats."""

ROUND_LESS = ("accumulate-sums", "fuse-distances")
"""Passes that leave out roundings, and so change bits."""

TO_BITS = [
    step.name for name in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits") for step in flatten(name, {})
]
"""From L1 to L4."""


def apply(module: ModuleOp, names: Sequence[str], context: Context) -> None:
    for name in names:
        made: type[ModulePass] = PASSES[name]()
        made().apply(context, module)
        module.verify()


def inputs_of(module: ModuleOp) -> NDArray[np.float32]:
    shape = tdsl.shape_of(predict_function(module).body.block.args[0])
    return np.random.default_rng(7).normal(size=(SAMPLES, int(np.prod(shape)))).astype(np.float32)


def expect_same(lowered: ModuleOp, raws: NDArray[np.generic], expected: Outputs) -> None:
    assert expected.labels is not None
    assert expected.scores is not None
    for seed, (sample, label, scores) in enumerate(zip(raws, expected.labels, expected.scores, strict=True)):
        got_label, got_scores = run(lowered, sample, seed)
        assert got_label == label
        assert got_scores.reshape(-1).tobytes() == scores.tobytes()


def expect_lowering_keeps(module: ModuleOp, raws: NDArray[np.generic], choose: bool) -> None:
    """Assert that the results of a program at L1 do not change: by lowering to L4, and, if `choose` is True, by the
    decisions at L1 except those that reduce rounding.
    """
    expected = evaluate(module, raws)
    for name in CHOOSE if choose else ():
        apply(module, [name], new_context())
        before, expected = expected, evaluate(module, raws)
        if name not in ROUND_LESS:
            assert before.scores is not None
            assert expected.scores is not None
            assert np.array_equal(before.classes, expected.classes), name
            assert before.scores.tobytes() == expected.scores.tobytes(), name
    apply(module, TO_BITS, new_context())
    expect_same(module, raws, expected)


@pytest.mark.long
@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs(), st.sampled_from(FORMATS), st.booleans())
def test_lowering_keeps_every_bit(program: str, format: tuple[str, int | None], choose: bool):
    module = parse(program)
    inputs = inputs_of(module)
    if not stays_finite(module, inputs):
        reject()
    try:
        with_formats(module, inputs, *format)
        expect_lowering_keeps(module, encode_inputs(module, inputs), choose)
    except (InputError, VerifyException) as error:
        if any(limit in str(error) for limit in LIMITS):
            reject()
        raise


def expect_hoisting_keeps(module: ModuleOp) -> None:
    """Assert that `hoist-invariants` and lowering do not change the results. An op outside its loop thus has the same
    value, and its memory is not overwritten.
    """
    inputs = inputs_of(module)
    expected = evaluate(module, inputs)
    apply(module, ["hoist-invariants"], new_context())
    assert expected.scores is not None
    hoisted = evaluate(module, inputs)
    assert hoisted.scores is not None
    assert hoisted.scores.tobytes() == expected.scores.tobytes()
    expect_lowering_keeps(module, inputs, choose=False)


@pytest.mark.long
@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs())
def test_hoisting_keeps_every_bit(program: str):
    module = parse(program)
    if not stays_finite(module, inputs_of(module)):
        reject()
    expect_hoisting_keeps(module)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_hoisting_disturbs_no_buffer(name: str):
    expect_hoisting_keeps(parse(PROGRAMS[name]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("choose", "format", "name"), spread_product(20, [False, True], [("fixed", 8), ("f32", None)], PROGRAMS)
)
def test_buffers_do_not_disturb_each_other(name: str, format: tuple[str, int | None], choose: bool):
    module = parse(PROGRAMS[name])
    inputs = inputs_of(module)
    with_formats(module, inputs, *format)
    expect_lowering_keeps(module, encode_inputs(module, inputs), choose)


@pytest.mark.parametrize("choose", [False, True], ids=["plain", "chosen"])
def test_a_loop_that_never_runs_gives_its_initial_values(choose: bool):
    module = parse(NO_ITERATION)
    expect_lowering_keeps(module, encode_inputs(module, inputs_of(module)), choose)


@pytest.mark.long
@pytest.mark.parametrize("name", spread([*PROGRAMS][::2], 3))
def test_passes_keep_no_state_outside_the_text(name: str):
    """Running all passes on one module results in the same L4 program as running each pass separately on the text that
    the previous one prints.

    Some programs are in fixed point and others in floats.
    """
    whole = parse(PROGRAMS[name])
    with_formats(whole, inputs_of(whole), *(("f32", None) if list(PROGRAMS).index(name) % 4 else ("fixed", 16)))
    text = str(whole)
    apply(whole, [*CHOOSE, *TO_BITS], new_context())
    for step in (*CHOOSE, *TO_BITS):
        module = parse(text)
        apply(module, [step], new_context())
        text = str(module)
    assert text == str(whole)

"""Passes, judged by what programs compute: the evaluator on tensors against the lowered program on bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.pipelines import flatten
from tinyml.runtime.evaluator import Outputs, encode_inputs, evaluate, predict_function
from tinyml.tools.universe import DIALECTS, TINYML
from tinyml.transforms.assign_format import AssignFormatPass
from tinyml.transforms.profile import profile

from .memory_interpreter import run
from .tensor_programs import programs

SAMPLES = 3
FORMATS = [("fixed", 16), ("fixed", 8), ("fixed", 32), ("fixed", 12), ("f32", None)]
PASSES = {**get_all_passes(), **TINYML.all_passes}

LIMITS = ("overflows or is undefined", "does not fit in 64 bits", "no accumulator holds")
"""What passes say of programs whose values grow too large, or lie too far apart in scale."""

TO_FORMATS = flatten("reals-to-formats", {})
CHOOSE = TO_FORMATS[TO_FORMATS.index("assign-format") + 1 :]
"""What L1 goes through once formats are there."""

TO_BITS = [name for step in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits") for name in flatten(step, {})]
"""From L1 to L4."""


def new_context() -> Context:
    context = Context()
    for dialect in (Builtin, func.Func, scf.Scf, arith.Arith, memref.MemRef, *(make() for make in DIALECTS.values())):
        context.load_dialect(dialect)
    return context


def apply(module: ModuleOp, names: Sequence[str], context: Context) -> None:
    for name in names:
        made: type[ModulePass] = PASSES[name]()
        made().apply(context, module)
        module.verify()


def parse(program: str) -> ModuleOp:
    module = Parser(new_context(), program).parse_module()
    module.verify()
    return module


def inputs_of(module: ModuleOp) -> NDArray[np.float32]:
    shape = tdsl.shape_of(predict_function(module).body.block.args[0])
    return np.random.default_rng(7).normal(size=(SAMPLES, int(np.prod(shape)))).astype(np.float32)


def with_formats(module: ModuleOp, inputs: NDArray[np.float32], format: str, width: int | None) -> None:
    """From L0 to L1; programs whose values grow beyond all formats are not interesting."""
    profile(module, inputs)
    AssignFormatPass(format, width).apply(new_context(), module)
    module.verify()


def expect_same(lowered: ModuleOp, raws: NDArray[np.generic], expected: Outputs) -> None:
    assert expected.labels is not None
    assert expected.scores is not None
    for seed, (sample, label, scores) in enumerate(zip(raws, expected.labels, expected.scores, strict=True)):
        got_label, got_scores = run(lowered, sample, seed)
        assert got_label == label
        assert got_scores.reshape(-1).tobytes() == scores.tobytes()


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs(), st.sampled_from(FORMATS), st.booleans())
def test_lowering_keeps_every_bit(program: str, format: tuple[str, int | None], choose: bool):
    module = parse(program)
    inputs = inputs_of(module)
    try:
        with_formats(module, inputs, *format)
        raws = encode_inputs(module, inputs)
        expected = evaluate(module, raws)
        apply(module, CHOOSE if choose else (), new_context())
        after = evaluate(module, raws)
        apply(module, TO_BITS, new_context())
    except InputError as error:
        if any(limit in str(error) for limit in LIMITS):
            reject()
        raise
    assert after.labels is not None
    assert after.scores is not None
    assert after.labels.tolist() == np.asarray(expected.labels).tolist()
    assert after.scores.tobytes() == np.asarray(expected.scores).tobytes()
    expect_same(module, raws, expected)

"""Models whose tensors have formats of different families return the same bits on every device as in the evaluator. A
foreign format of the input alone hardly changes the classes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from programs.devices import PRINTED
from programs.lowered import lowered
from programs.number_formats import SORTS, Sort
from programs.paths import MODELS
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, predict_function
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import tensor_classes
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.reals.profile import ProfilePass

SAMPLES = 3
PUBLISHED = ("seedot", "shiftry")
STORED = [one for one in SORTS if one.option[0] not in PUBLISHED and one.variants[0].CONSTANTS_FROM is None]


def profiled(model: str) -> ModuleOp:
    """A model on reals after the passes that precede `assign-format`."""
    return _profiled(model).clone()


@cache
def _profiled(model: str) -> ModuleOp:
    module = load_program(MODELS[model], context())
    data = str(MODELS[model].with_name("val.npz"))
    passes = pipelines.flatten("reals-to-formats", {"data": data})
    profile = next(i for i, step in enumerate(passes) if isinstance(step, ProfilePass))
    pipelines.run(module, context(), passes[: profile + 1])
    return module


def spelled(tensor: str, sort: Sort) -> str:
    format, width = sort.option
    return f"{tensor}:{format}:{width}"


def tensors(module: ModuleOp) -> list[str]:
    """The names of the tensors of a program that are not constants."""
    return [one.name for one in tensor_classes(predict_function(module)) if not one.is_constant]


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "seed"), spread([(model, seed) for model in MODELS for seed in range(1 + (model != "fastgrnn"))], 2)
)
def test_the_same_bits_on_all_devices(model: str, seed: int, tmp_path: Path):
    ctx, reals = context(), profiled(model)
    random = np.random.default_rng(seed)
    chosen = tuple(spelled(name, STORED[random.integers(len(STORED))]) for name in tensors(reals))
    refine = pipelines.flatten("refine-formats", {})
    pipelines.run(reals, ctx, [AssignFormatPass(width=16, widths=chosen), *refine])
    x = load_data(str(MODELS[model].with_name("val.npz"))).x[:SAMPLES]
    raws, interface = encode_inputs(reals, x), interface_of(reals)
    expected = evaluate(reals, raws)
    # Both programs of a model together are printed for all targets in `make exhaustive`; the largest model has one.
    for target, devices in spread([*PRINTED.items()][seed::2], 2):
        module, folder = reals.clone(), tmp_path / target
        lowered(module, ctx, target=target)
        write_c(module, ctx, target, folder)
        for device in devices:
            runner = runner_for(device)
            result = runner.run(runner.build(folder, interface, folder / device), interface, raws)
            assert first_mismatch(expected, Outputs(result.labels, result.scores)) is None


@cache
def outputs_with(widths: tuple[str, ...]) -> Outputs:
    """The outputs of ProtoNN for 200 samples, in 16-bit fixed point except for the tensors to which `widths`, an option
    of `assign-format`, assigns other formats.
    """
    module = profiled("protonn")
    x = load_data(str(MODELS["protonn"].with_name("val.npz"))).x[:200]
    pipelines.run(module, context(), [AssignFormatPass(width=16, widths=widths), ChooseAccumulatorsPass()])
    return evaluate(module, encode_inputs(module, x))


@pytest.mark.long
@pytest.mark.parametrize("sort", STORED, ids=str)
def test_a_tensor_in_a_format_is_as_exact_as_this(sort: Sort):
    """If only the input has another format, a model returns the classes of 16-bit fixed point for all samples in
    formats of at least 12 bits, for at least 90 % in narrower signed formats, and for at least 85 % in narrower
    unsigned ones.
    """
    plain, stored = outputs_with(()), outputs_with((spelled("X", sort),))
    format = sort.variants[0]
    signed = format.decode(format.encode(np.array(-1.0))) < 0
    # Negative inputs become 0 in formats without a sign.
    least = 1.0 if format.bits >= 12 else 0.9 if signed else 0.85
    assert np.mean(plain.classes == stored.classes) >= least

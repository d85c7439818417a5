"""Random quantised networks, some with parts in floating point. Evaluator, sanitized host build and chip must agree."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from programs.devices import CORES, roomy
from programs.formatted import LIMITS
from programs.number_formats import SORTS
from programs.on_boards import difference, printed
from programs.printed import WARNING_FLAGS
from programs.random_networks import random_network, raw_inputs
from programs.random_onnx import random_onnx
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from fuzz.verdicts import ACCEPTED, REFUSED, Harm
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

SAMPLES = 4
BOARDS = [roomy(name) for names in CORES.values() for name in names]
NO_START = "no format of this family that adds up such numbers holds their initial sum"
"""The sums of published arithmetic begin with no bias."""

PLANS = ("auto", "auto", "rows", "pixels", "patches", "herringbone", "partial-32")


def drawn(number: int, random: Random) -> tuple[ModuleOp, NDArray[Any]]:
    """A random network at L1, and real inputs of shape (samples, elements)."""
    if random.random() < 0.5:
        content = random_network(random).finish()
        module = read_tflite(content, "network.tflite")
        format = tdsl.kept_format(module)
        inputs = format.decode(raw_inputs(content, SAMPLES, number)).astype(np.float32)
    else:
        module = read_onnx(random_onnx(random).SerializeToString(), "network.onnx")
        shape = SAMPLES, interface_of(module).input_length
        inputs = np.random.default_rng(number).normal(size=shape).astype(np.float32)
    module.verify()
    return module, inputs


def with_parts(module: ModuleOp, inputs: NDArray[Any], random: Random) -> str:
    """Assign a random number format to the floating-point parts, or leave them in floating point.

    Return the family and width of the format, or `f32`.
    """
    if not tdsl.is_mixed(module) or random.random() < 0.3:
        return "f32"
    family, width = random.choice(SORTS).option
    record_profiles(module, inputs)
    AssignFormatPass(family, width).apply(context(), module)
    return f"{family} {width}"


def random_networks(number: int, random: Random, folder: Path) -> str:
    """Run the C of a network for a board in the sanitized host build and on the simulated board. Return the verdict.

    Raises `Harm` if results differ from the evaluator's or a sanitizer reports an error.
    """
    board = BOARDS[number % len(BOARDS)]
    parts = ""
    try:
        module, inputs = drawn(number, random)
        parts = with_parts(module, inputs, random)
        pipelines.run(module, context(), pipelines.flatten("refine-formats", {"reuse_input": random.random() < 0.3}))
        module.verify()
        raws = encode_inputs(module, inputs)
        options = {
            "packed": random.choice(["auto", "always"]),
            "pack_buffers": random.random() < 0.3,
            "plan": random.choice(PLANS),
        }
        source = printed(module, board, folder / "printed", options)
        for runner in (HostRunner(sanitize=True), runner_for(board)):
            found = difference(module, raws, source, runner, folder / runner.variant, WARNING_FLAGS)
            if found is not None:
                raise Harm("mismatch", f"parts in {parts} on {runner.name}, printed for {board}: {found}")
    except DeviceError as error:
        raise Harm("sanitizer", f"parts in {parts}, {board}: {error}") from error
    except (InputError, VerifyException) as error:
        if any(limit in str(error) for limit in (*LIMITS, NO_START)):
            return REFUSED
        raise
    return ACCEPTED

"""Random valid programs; evaluator, sanitized host build and simulated chips must agree in every bit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import numpy as np
from hypothesis import HealthCheck, Phase, given, reject, seed, settings
from programs.devices import CORES
from programs.formatted import LIMITS, parse, stays_finite
from programs.number_formats import SORTS
from programs.on_boards import difference, printed
from programs.printed import WARNING_FLAGS
from programs.tensors import programs
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from fuzz.verdicts import ACCEPTED, REFUSED, Harm
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Runner, runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, predict_function
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

EXAMPLES = 3
"""Programs of a case; hypothesis begins each case with a simple one."""

SAMPLES = 6
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
BOARDS = [name for names in CORES.values() for name in names]


def random_programs(number: int, random: Random, folder: Path) -> str:
    """Run random programs in random number formats, some of them with narrower constants, on the host and on one board.
    Return the verdict: `REFUSED` if no program could be compiled.

    Raises `Harm` if results differ from the evaluator's or a sanitizer reports an error.
    """
    board = BOARDS[number % len(BOARDS)]
    # Products of numbers with few bits often lie half way between two results.
    places = random.randint(1, 8)
    verdicts: list[str] = []

    @seed(number)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=SLOW,
        phases=[Phase.generate],
    )
    @given(programs())
    def each(text: str) -> None:
        module = parse(text)
        shape = tdsl.shape_of(predict_function(module).body.block.args[0])
        inputs = np.random.default_rng(number).normal(size=(SAMPLES, int(np.prod(shape))))
        inputs = np.ldexp(np.round(np.ldexp(inputs, places)), -places).astype(np.float32)
        if not stays_finite(module, inputs):
            reject()
        # A failure is tried again: by the same choices, and in an empty folder.
        place = Path(tempfile.mkdtemp(dir=folder))
        verdicts.append(_agree(module, inputs, Random(f"{number} {text}"), board, place))

    each()
    return ACCEPTED if ACCEPTED in verdicts else REFUSED


def _agree(module: ModuleOp, inputs: np.ndarray, random: Random, board: str, folder: Path) -> str:
    ctx = context()
    family, width = random.choice(SORTS).option
    narrow = [format.bits for format in format_named(ctx, family, width).candidates if format.bits < 8]
    weights = f"{family}:{random.choice(narrow)}" if narrow and random.random() < 0.8 else None
    try:
        record_profiles(module, inputs)
        AssignFormatPass(family, width, weights=weights).apply(ctx, module)
        memory = {name: random.random() < 0.3 for name in ("reuse_input", "instances")}
        refining = {"format": family, **memory}
        pipelines.run(module, ctx, pipelines.flatten("refine-formats", refining))
        raws = encode_inputs(module, inputs)
        runners: list[tuple[str, Runner]] = [(board, HostRunner(sanitize=True)), (board, runner_for(board))]
        for target, runner in [*runners, (HOST, HostRunner(sanitize=True))]:
            source = folder / target
            if not source.exists():
                options = {
                    "packed": random.choice(["never", "always", "always"]),
                    "pack_buffers": random.random() < 0.3,
                }
                printed(module, target, source, options)
            found = difference(module, raws, source, runner, folder / runner.variant, WARNING_FLAGS)
            if found is not None:
                raise Harm("mismatch", f"{family} {width} on {runner.name}, printed for {target}: {found}")
    except DeviceError as error:
        raise Harm("sanitizer", str(error)) from error
    except (InputError, VerifyException) as error:
        if any(limit in str(error) for limit in LIMITS):
            return REFUSED
        raise
    return ACCEPTED

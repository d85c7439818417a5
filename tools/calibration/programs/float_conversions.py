"""Programs that measure the time to convert a caller's float to an element of a model's input."""

from __future__ import annotations

import numpy as np

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.float_inputs import run_on_floats
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, feature_map, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.board import Board
from tinyml.tools.calibration.formats import CONVERTED_FORMATS, CONVERTED_TYPES, QUANTISED_TYPE
from tinyml.tools.driver.stages import compile_kept, compile_stages, load_program
from tinyml.transforms.ir.real_numbers import conversion_functions

LENGTH = 40
"""Elements of an input, enough that the call around their loop is negligible."""

SAMPLES = 8

_SCALES = np.resize([0.5, 1.0, 2.0, 4.0], LENGTH)
UNITS = (
    None,
    tdsl.FeatureMap(_SCALES, np.zeros(LENGTH)),
    tdsl.FeatureMap(_SCALES, np.linspace(-0.5, 0.5, LENGTH)),
    tdsl.FeatureMap(0.8 * _SCALES, np.linspace(-0.5, 0.5, LENGTH)),
)
"""The units of features: one for all, powers of two, with zeros, and scales that need a multiplication."""

QUANTISER = tdsl.FeatureMap(np.full(LENGTH, 0.0235), np.zeros(LENGTH), np.zeros(LENGTH))
"""The unit of an input that a quantiser of QONNX rounds, of the type `QUANTISED_TYPE`."""

_OF_FLOATS = f"let X = ({LENGTH}, 1) in [-3.0, 3.0] in\nlet W = (2, {LENGTH}) in [-1.0, 1.0] in\nargmax(W * X)\n"
_OF_TYPE = "func.func @p(%X: {type}) -> index {{ %y = tdsl.argmax %X : {type} func.return %y : index }}"


def float_conversions(board: Board) -> dict[str, float]:
    """The time per element of each conversion of floats to raws on a board, by the names of the functions that convert.
    Inputs with and without a unit per feature are measured. Programs that do not fit the memory are omitted.
    """
    costs: dict[str, float] = {}
    programs: list[tuple[str, int | None, str | None, tdsl.FeatureMap | None]]
    programs = [(name, width, None, features) for name, width in CONVERTED_FORMATS for features in UNITS]
    programs += [("affine", 8, type, None) for type in CONVERTED_TYPES]
    programs.append(("affine", 8, QUANTISED_TYPE, QUANTISER))
    for name, width, type, features in programs:
        try:
            functions, time = measured_conversion(board, name, width, type, features)
        except InputError:
            # The program does not fit the memory.
            continue
        costs.setdefault(functions, round(time / LENGTH, 2))
    return dict(sorted(costs.items()))


def measured_conversion(
    board: Board, name: str, width: int | None, type: str | None = None, features: tdsl.FeatureMap | None = None
) -> tuple[str, float]:
    """The names of the conversion functions, and the time that an inference with floats takes in addition to one
    with raws.

    name, width: the format of the input.
    type: the type of the input, if it is not chosen from the data.
    features: the units of features.
    """
    rng = np.random.default_rng(0)
    with temporary_folder() as workdir:
        folder, floats, raws, out = (workdir / part for part in ("model", "floats", "raws", "out"))
        for part in (folder, floats, raws, out):
            part.mkdir()
        x = (rng.uniform(-1, 1, (SAMPLES, LENGTH)) * np.geomspace(1, 3, LENGTH)).astype(np.float32)
        np.savez(folder / "val.npz", x=x)
        np.save(folder / "W.npy", rng.uniform(-1, 1, (2, LENGTH)).astype(np.float32))
        text, suffix = _OF_FLOATS, "sd"
        if type is not None:
            text, suffix = _OF_TYPE.format(type=f"tensor<{LENGTH}x1x{type}>"), "mlir"
        (folder / f"p.{suffix}").write_text(text, encoding="utf-8")
        ctx = context()
        options = PipelineOptions(data=str(folder / "val.npz"), format=name, width=width, target=board.name)
        program = load_program(folder / f"p.{suffix}", ctx)
        if features is not None:
            tdsl.update_input(program, **features.fields)
        compiled = (compile_stages if type is None else compile_kept)(program, ctx, options)
        interface, runner = interface_of(compiled.formats), runner_for(board.name)
        (out / f"{interface.name}.c").write_text(compiled.source, encoding="utf-8")
        (out / f"{interface.name}.h").write_text(compiled.header, encoding="utf-8")
        _, real = run_on_floats(out, interface, x, board.name, floats)
        raw = runner.run(runner.build(out, interface, raws), interface, encode_inputs(compiled.formats, x))
    assert real.cycles is not None
    assert raw.cycles is not None
    [argument] = predict_function(compiled.formats).body.block.args
    functions = conversion_functions(tdsl.format_of(argument), feature_map(compiled.formats))
    return functions, float(real.cycles.mean() - raw.cycles.mean())

"""The time of generated code: matrix products with rounding, saturation and stores, and elementwise functions.

The programs at L1 either apply a function elementwise or multiply by a matrix.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.calibration.checkpoints import remembered
from tinyml.tools.calibration.formats import FUNCTIONS, PRODUCTS
from tinyml.tools.calibration.programs.measured_programs import LEVELS
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass


def time_of_product(device: str, name: str, optimize: str) -> float:
    """The time per product of generated code for a 64 x 64 matrix times a vector, in the device's unit.

    name: a pair of formats in `PRODUCTS`.
    """
    weights, vector = PRODUCTS[name]
    context, module = product(weights, vector)
    inputs = vector.encode(np.random.default_rng(1).uniform(-1, 1, (1, LENGTH)))
    return _mean_time(context, module, device, inputs, optimize) / (LENGTH * LENGTH)


@cache
def cycles_of_function(device: str, name: str, optimize: str = "-Os") -> float:
    """Cycles per element of a loop that applies a function in `FUNCTIONS`, minus the cycles of a loop that copies."""
    function, source, result = FUNCTIONS[name]
    called, copied = (function, str(source), str(result)), ("cast", str(source), str(source))
    return _loop_cycles(device, called, optimize) - _loop_cycles(device, copied, optimize)


def _loop_cycles(device: str, loop: tuple[str, str, str], optimize: str) -> float:
    context, module = program(*loop)
    interface = interface_of(module)
    info = np.iinfo(interface.input_dtype)
    inputs = np.linspace(-info.max, info.max, 8 * LENGTH).astype(interface.input_dtype).reshape(8, LENGTH)
    return _mean_time(context, module, device, inputs, optimize) / LENGTH


def _mean_time(context: Context, module: ModuleOp, device: str, inputs: NDArray[np.generic], optimize: str) -> float:
    def measure() -> float:
        return _measured_time(context, module, device, inputs, optimize)

    return remembered((device, optimize, module, inputs.tobytes()), measure)


def _measured_time(
    context: Context, module: ModuleOp, device: str, inputs: NDArray[np.generic], optimize: str
) -> float:
    runner, interface = runner_for(device), interface_of(module)
    with tempfile.TemporaryDirectory() as name:
        folder = write(context, module, device, Path(name))
        cycles = runner.run(runner.build(folder, interface, folder, optimize), interface, inputs).cycles
    assert cycles is not None
    return float(cycles.mean())


def print_products(
    devices: Sequence[str], limits: Mapping[tuple[str, str], float], levels: Sequence[str] = LEVELS
) -> None:
    """Print the time of every product on some devices of one chip.

    limits: the maximum times, by device and product name.
    levels: the optimisation levels of the C compiler.
    """
    print("Generated code for a matrix of 64 x 64: time per product")
    columns = [(device, level) for device in devices for level in levels]
    print(f"{'':<20}", *(f"{f'{device[-6:]} {level}':>10}" for device, level in columns), " limit")
    for name in PRODUCTS:
        figures = " ".join(f"{time_of_product(device, name, level):>10.2f}" for device, level in columns)
        asked = ", ".join(f"{device} {most}" for (device, formats), most in limits.items() if formats == name)
        print(f"{name:<20} {figures}  {asked}".rstrip())


LENGTH = 64


def program(function: str, source: str, result: str, scheme: str | None = None) -> tuple[Context, ModuleOp]:
    """Build the program `f(X)`, which applies a function elementwise to `LENGTH` numbers of format `source`.

    function: the name of the op in `tdsl`.
    result: the format of the results.
    scheme: the value of the op's attribute `scheme`; None to omit the attribute.

    Returns the context and the module of the program.
    """
    x, y = (f"tensor<{LENGTH}x1x{format}>" for format in (source, result))
    by = f' {{scheme = "{scheme}"}}' if scheme else ""
    return _parse(f"""func.func @f(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> {y} {{
      %y = tdsl.{function} %X{by} : {x} -> {y}
      func.return %y : {y}
    }}""")


def product(weights: ExactFormat, vector: ExactFormat) -> tuple[Context, ModuleOp]:
    """Build the program `f(X)`: a constant `LENGTH` x `LENGTH` matrix times a vector, in 8- or 16-bit numbers below 1.

    Sums fit in 32 bits, and results require saturation. Returns the context and the module of the program.
    """
    most = min(0.9, 0.045 * 2.0 ** (15 - weights.scale))
    reals = np.random.default_rng(0).uniform(-most, most, (LENGTH, LENGTH))
    raws = weights.encode(reals).tolist()
    x = y = f"tensor<{LENGTH}x1x{vector.type}>"
    w = f"tensor<{LENGTH}x{LENGTH}x{weights.type}>"
    ctx, module = _parse(f"""func.func @f(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> {y} {{
      %w = tdsl.const dense<{raws}> : tensor<{LENGTH}x{LENGTH}xi{weights.bits}> -> {w}
      %y = tdsl.matmul %w, %X : {w}, {x} -> {y}
      func.return %y : {y}
    }}""")
    ChooseAccumulatorsPass().apply(ctx, module)
    return ctx, module


def _parse(text: str) -> tuple[Context, ModuleOp]:
    ctx = context()
    module = Parser(ctx, text).parse_module()
    module.verify()
    return ctx, module


def write(ctx: Context, formats: ModuleOp, target: str, folder: Path) -> Path:
    """Compile a program at L1 for a target, write f.c and f.h to a folder and return the folder."""
    module = formats.clone()
    options = {"target": target}
    for name in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c"):
        pipelines.run(module, ctx, pipelines.flatten(name, options))
    write_c(module, ctx, target, folder)
    return folder

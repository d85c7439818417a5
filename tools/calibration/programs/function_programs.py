"""Programs at L1 that apply a function elementwise or multiply by a matrix, and their C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.lowering import pipelines
from tinyml.targets.c.print_c import write_c
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

LENGTH = 64


def program(function: str, source: str, result: str, scheme: str | None = None) -> tuple[Context, ModuleOp]:
    """The program `f(X)`, which applies a function elementwise to `LENGTH` numbers of format `source`."""
    x, y = (f"tensor<{LENGTH}x1x{format}>" for format in (source, result))
    by = f' {{scheme = "{scheme}"}}' if scheme else ""
    return _parse(f"""func.func @f(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> {y} {{
      %y = tdsl.{function} %X{by} : {x} -> {y}
      func.return %y : {y}
    }}""")


def product(weights: ExactFormat, vector: ExactFormat) -> tuple[Context, ModuleOp]:
    """The program `f(X)`: a constant `LENGTH` x `LENGTH` matrix times a vector, in 8- or 16-bit numbers below 1.

    Sums fit 32 bits, and results need saturation.
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

"""Assignment of number formats to the text of a program on reals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref, scf, tensor
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.universe import DIALECTS
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

LIMITS = ("frac must lie in", "does not fit in 64 bits", "beyond all accumulators")
"""Messages of passes about programs whose values grow too large or lie too far apart in scale."""


def new_context() -> Context:
    context = Context()
    for dialect in (
        Builtin,
        affine.Affine,
        func.Func,
        scf.Scf,
        arith.Arith,
        memref.MemRef,
        tensor.Tensor,
        *(make() for make in DIALECTS.values()),
    ):
        context.load_dialect(dialect)
    return context


def parse(program: str) -> ModuleOp:
    module = Parser(new_context(), program).parse_module()
    module.verify()
    return module


def stays_finite(module: ModuleOp, inputs: NDArray[np.float32]) -> bool:
    """Whether every value of the program on reals is finite."""
    finite: list[bool] = []
    evaluate_reals(module, inputs, lambda _, values: finite.append(bool(np.isfinite(values).all())))
    return all(finite)


def with_formats(module: ModuleOp, inputs: NDArray[np.float32], format: str, width: int | None) -> None:
    """Lower a program from L0 to L1; the inputs determine its scales."""
    record_profiles(module, inputs)
    AssignFormatPass(format, width).apply(new_context(), module)
    module.verify()

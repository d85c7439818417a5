"""Generated programs, each of which calls one kernel, built separately or many in one build."""

from __future__ import annotations

import pickle
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs import kernel_models
from programs.lowered import lowered
from programs.printed import WARNING_FLAGS, write_module
from programs.shared_folders import made_once
from tinyml.dialects.context import context
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.kernel import Kernel

Values = NDArray[Any]


@dataclass(frozen=True)
class KernelProgram:
    """The C of a program that calls a kernel, with inputs and the evaluator's scores for them."""

    interface: Interface
    inputs: Values
    expected: Values


def write_kernel_program(kernel: Kernel, target: str, folder: Path) -> KernelProgram:
    """Print the program of a kernel for a target, and assert that it calls the kernel."""
    ctx, module = context(), kernel_models.program(kernel)
    interface, inputs = interface_of(module), kernel_models.inputs(kernel)
    expected = evaluate(module, inputs).scores
    assert expected is not None
    packed = "never" if kernel.weights % 8 == 0 else "always"
    lowered(module, ctx, end="loops-to-bits", target=target, packed=packed)
    assert str(module).count(f"func.call @{kernel.symbol}(") == kernel_models.calls(kernel)
    write_module(module, ctx, target, folder)
    [source] = folder.glob(f"{interface.name}.c")
    assert re.search(rf"\b{kernel.symbol}\(", source.read_text())
    return KernelProgram(interface, inputs, expected)


def kernel_program(kernel: Kernel, target: str, folder: Path, shared: Path) -> KernelProgram:
    """The program of a kernel, whose C is copied to a folder.

    shared: the folder in which the program is written once per target.
    """

    def make(folder: Path) -> None:
        (folder / "program").write_bytes(pickle.dumps(write_kernel_program(kernel, target, folder)))

    made = made_once(shared / f"{target}-{kernel.symbol}", make)
    for file in made.glob("*.[ch]"):
        shutil.copy(file, folder)
    return pickle.loads((made / "program").read_bytes())


_HEADER = """\
#include <stdint.h>
#define batch_INPUT_LENGTH {inputs}
#define batch_OUTPUT_LENGTH {outputs}
void batch_predict(const int8_t *X);
const int8_t *batch_scores(void);
"""
_SOURCE = """\
#include "batch.h"
{includes}
static int8_t out[{outputs}];
const int8_t *batch_scores(void) {{ return out; }}
void batch_predict(const int8_t *X)
{{
    const void *x = X + {head}, *y = 0;
    uint16_t n = 0;
    switch (X[0]) {{
{cases}    }}
    for (uint16_t i = 0; i < n; i++)
        out[i] = ((const int8_t *)y)[i];
}}
"""
_CASE = "    case {number}: {name}_predict(({ctype})x); y = {name}_scores(); n = {bytes}; break;\n"
_HEAD = 8
"""Bytes before the input of a program, the first of which is its number."""


def check_batch(
    kernels: Sequence[Kernel], target: str, runner: Runner, folder: Path, shared: Path, optimize: str | None = None
) -> None:
    """Assert that the programs of some kernels, all in one build, compute the evaluator's scores.

    folder: the folder for the build.
    shared: the folder in which their C is written once for all runners.
    optimize: the optimisation level of the C compiler; None for the default of the runner.
    """
    folder.mkdir(exist_ok=True)
    programs = [kernel_program(kernel, target, folder, shared) for kernel in kernels]
    interfaces = [program.interface for program in programs]
    inputs, outputs = (max(sizes) for sizes in zip(*((i.input_bytes, i.output_bytes) for i in interfaces), strict=True))
    batch = Interface("batch", "int8_t", _HEAD + inputs, "int8_t", outputs, has_label=False)
    cases = "".join(
        _CASE.format(number=number, name=i.name, ctype=f"const {i.array_ctype} *", bytes=i.output_bytes)
        for number, i in enumerate(interfaces)
    )
    includes = "\n".join(f'#include "{interface.name}.h"' for interface in interfaces)
    (folder / "batch.h").write_text(_HEADER.format(inputs=batch.input_length, outputs=outputs))
    (folder / "batch.c").write_text(_SOURCE.format(includes=includes, outputs=outputs, head=_HEAD, cases=cases))
    rows: list[Values] = []
    for number, program in enumerate(programs):
        for sample in program.inputs:
            row = np.zeros(batch.input_length, np.int8)
            row[0] = number
            row[_HEAD : _HEAD + sample.nbytes] = np.ascontiguousarray(sample).view(np.int8)
            rows.append(row)
    build = runner.build(folder, batch, folder / "build", optimize, WARNING_FLAGS)
    scores = runner.run(build, batch, np.stack(rows)).scores
    assert scores is not None
    got = iter(scores)
    for kernel, program in zip(kernels, programs, strict=True):
        for wanted in program.expected:
            found = next(got)[: program.interface.output_bytes].view(program.expected.dtype)
            np.testing.assert_array_equal(found, wanted, err_msg=kernel.symbol)

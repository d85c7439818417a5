"""Classifiers by LLVM beside ours: instructions and bytes on an emulated chip at -Os, of equal raw outputs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.runtime.devices.device import Build
from tinyml.runtime.devices.llvm import build_upstream
from tinyml.runtime.devices.registry import HOST, LLVM, RunResult, runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import find_model

SAMPLES = 10
"""Validation samples whose instructions are averaged."""


def beside_llvm(model: Path, target: str) -> dict[str, Any]:
    """A classifier in fixed point of 16 bits on a board.

    `time` and `flash`: our program with the board's kernels, by gcc; `plain_...`: our C without kernels, by gcc;
    `llvm_...`: the same loops in upstream dialects, by LLVM. All of them give the evaluator's raw outputs.
    """
    program, val, _ = find_model(model)
    values: dict[str, Any] = {"samples": SAMPLES}
    runner = runner_for(target)
    with tempfile.TemporaryDirectory() as out:
        for prefix, compiled_for, device in (("", target, target), ("plain_", HOST, HOST), ("llvm_", HOST, LLVM)):
            folder = Path(out, compiled_for)
            if not folder.exists():
                folder.mkdir()
                request = Request(model=program, val=val, target=compiled_for, format="fixed", width=16, out=folder)
                build_folder(request, board(compiled_for), folder, must_fit=False)
            found = program_in(folder)
            interface = interface_of(found.formats)
            raws = encode_inputs(found.formats, found.samples[:SAMPLES])
            build = build_upstream if device == LLVM else type(runner).build
            with found.to_build(device) as source:
                built: Build = build(runner, source, interface, Path(out, f"{device}-build"), "-Os")
            ran: RunResult = runner.run(built, interface, raws)
            expected = evaluate(found.formats, raws)
            assert first_mismatch(expected, Outputs(ran.labels, ran.scores, ran.more)) is None
            assert ran.cycles is not None
            values |= {f"{prefix}time": round(float(np.mean(ran.cycles))), f"{prefix}flash": built.flash_bytes}
    return values

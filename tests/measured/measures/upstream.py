"""Classifiers by LLVM beside ours: instructions and bytes on an emulated chip at -Os, of equal raw outputs."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.dialects.context import context
from tinyml.runtime.devices.device import Build
from tinyml.runtime.devices.llvm import build_upstream
from tinyml.runtime.devices.registry import HOST, LLVM, RunResult, runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import board
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import compile_again, compile_stages, find_model, load_program
from tinyml.tools.driver.upstream import upstream_files

SAMPLES = 10
"""Validation samples whose instructions are averaged."""


def beside_llvm(model: Path, target: str) -> dict[str, Any]:
    """A classifier in fixed point of 16 bits on a board.

    `ours`: our program with the board's kernels, by gcc; `plain`: our C without kernels, by gcc; `llvm`: the same loops
    in upstream dialects, by LLVM. All of them give the evaluator's raw outputs.
    """
    program, val, _ = find_model(model)
    values: dict[str, Any] = {"samples": SAMPLES}
    runner, ctx = runner_for(target), context()
    with tempfile.TemporaryDirectory() as out:
        request = Request(model=program, val=val, target=target, format="fixed", width=16, out=Path(out))
        options, reals = request.pipeline_options(board(target)), load_program(program, ctx)
        ours = compile_stages(reals, ctx, options)
        plain = compile_again(ours, ctx, replace(options, target=HOST))
        interface = interface_of(ours.formats)
        raws = encode_inputs(ours.formats, load_program_data(reals, str(val)).x[:SAMPLES])
        expected = evaluate(ours.formats, raws)
        name = interface.name
        ways = {
            "ours": {f"{name}.c": ours.source},
            "plain": {f"{name}.c": plain.source},
            LLVM: upstream_files(plain.buffers),
        }
        for way, texts in ways.items():
            source = Path(out, way)
            source.mkdir()
            for file, text in {**texts, f"{name}.h": plain.header}.items():
                (source / file).write_text(text, encoding="utf-8")
            build = build_upstream if way == LLVM else type(runner).build
            built: Build = build(runner, source, interface, Path(out, f"{way}-build"), "-Os")
            ran: RunResult = runner.run(built, interface, raws)
            assert first_mismatch(expected, Outputs(ran.labels, ran.scores, ran.more)) is None
            assert ran.cycles is not None
            values[way] = {"time": round(float(np.mean(ran.cycles))), "flash": built.flash_bytes}
    return values

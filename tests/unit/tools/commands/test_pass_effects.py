"""`tinyml compile --pass-effects`: the lines of `tinyml-opt --pass-effects` for the program that was compiled."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from programs.paths import ROOT
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.lowering.pipeline_steps import If
from tinyml.targets.registry import board
from tinyml.tools import tinyml_opt
from tinyml.tools.driver import pass_effects
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.pass_watch import effects_of
from tinyml.tools.driver.request import Request, SearchRequest
from tinyml.tools.main import main
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.programs.digest import digest_of

TOUR = ROOT / "docs/tour"
EFFECTS = ("changed  ", "no change", "left out ")

DOWN = "formats-to-buffers{target=uno},buffers-to-loops,loops-to-bits,bits-to-c"


def effects_in(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(EFFECTS)]


def compile_(out: Path, *options: str) -> int:
    return main(["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "-o", str(out), *options])


def test_the_lines_are_those_of_tinyml_opt(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert compile_(tmp_path / "out", "--width", "8", "--pass-effects") == 0
    compiled = effects_in(capsys.readouterr().err)
    pipeline = f"reals-to-formats{{data={TOUR / 'val.npz'} width=8}},{DOWN}"
    assert (
        tinyml_opt.main([str(TOUR / "tour.sd"), "-p", pipeline, "--pass-effects", "-o", str(tmp_path / "c.mlir")]) == 0
    )
    assert compiled == effects_in(capsys.readouterr().err)
    assert {line[:9] for line in compiled} == {*EFFECTS}


def test_nothing_is_printed_without_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert compile_(tmp_path / "out", "--width", "8") == 0
    assert effects_in(capsys.readouterr().err) == []


def test_programs_that_share_memory_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert compile_(tmp_path / "out", "--pass-effects", "--with", str(tmp_path)) == 1
    assert "--pass-effects shows the passes of one program: omit --with" in capsys.readouterr().err


REQUESTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "search": {"format": "fixed", "search": SearchRequest("maxscale", {"jobs": 1})},
    "rows": {"format": "fixed", "width": 8, "row_scales": True},
    "ram": {"format": "fixed", "width": 16, "ram": 600},
    "hardware": {"format": "fixed", "width": 8, "target": "ice40-up5k"},
}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_passes_lead_to_the_compiled_program(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The lines belong to the program that is written, whatever chose its formats."""
    digests: list[str] = []

    def recorded(steps: Iterable[ModulePass | If], ctx: Context, op: ModuleOp) -> list[str]:
        lines = effects_of(steps, ctx, op)
        # Hardware modules are graphs, which have no digest.
        digests.append("" if any(inner.name == "hw.module" for inner in op.ops) else digest_of(op))
        return lines

    monkeypatch.setattr(pass_effects, "effects_of", recorded)
    asked = Request(model=TOUR / "tour.sd", val=TOUR / "val.npz", out=tmp_path, **REQUESTS[name])
    compilation = build_folder(asked, board(asked.target), tmp_path, must_fit=True, shows_effects=True)
    formats, *_, program = digests[1 if name == "search" else 0 :]
    assert formats == compilation.compiled.typed.digest
    assert program == digest_of(compilation.compiled.program)
    assert compilation.effects


OTHER_REQUESTS: dict[str, dict[str, Any]] = {
    "network": {"model": ROOT / "tests/models/litert/int8.tflite", "val": None, "target": "cortex-m4"},
}


@pytest.mark.long(seconds=8)
@pytest.mark.parametrize("name", [*REQUESTS, *OTHER_REQUESTS])
def test_a_pass_with_an_obstacle_changes_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The reason that a pass states before it runs holds: the program is the same afterwards, and so is the reason."""
    stated: set[str] = set()

    def checked(steps: Iterable[ModulePass | If], ctx: Context, op: ModuleOp) -> list[str]:
        for step in steps:
            if isinstance(step, If):
                continue
            reason = step.obstacle(op) if isinstance(step, ConditionalPass) else None
            before = str(op)
            step.apply(ctx, op)
            if isinstance(step, ConditionalPass) and reason is not None:
                stated.add(step.name)
                assert str(op) == before, step.name
                assert step.obstacle(op) == reason
        return []

    monkeypatch.setattr(pass_effects, "effects_of", checked)
    given: dict[str, Any] = {"model": TOUR / "tour.sd", "val": TOUR / "val.npz", **(REQUESTS | OTHER_REQUESTS)[name]}
    asked = Request(out=tmp_path, **given)
    build_folder(asked, board(asked.target), tmp_path, must_fit=True, shows_effects=True)
    assert len(stated) > 20

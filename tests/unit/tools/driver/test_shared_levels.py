"""Compilations of one model with different options share the results of the levels before the first pass whose options
differ.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from programs.pass_runs import counted_passes
from programs.paths import ROOT

from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.tools.driver.stages import VerifiedPrograms, compile_again, compile_stages, load_program

TOUR = ROOT / "docs/tour"
OPTIONS = PipelineOptions(data=str(TOUR / "val.npz"), target="uno", width=8)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "made", "not_made"),
    [
        (OPTIONS, (), ("profile", "assign-format", "pack-scratch", "select-kernels", "lower-arith-to-c")),
        (replace(OPTIONS, packer="best-fit"), ("pack-scratch", "lower-arith-to-c"), ("profile", "assign-format")),
        (replace(OPTIONS, flash=4000), ("select-kernels",), ("profile", "assign-format")),
        (replace(OPTIONS, width=16), ("assign-format", "pack-scratch"), ("profile",)),
    ],
)
def test_levels_of_equal_options_are_made_once(
    options: PipelineOptions, made: tuple[str, ...], not_made: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    ctx = context()
    programs, module = VerifiedPrograms(ctx), load_program(TOUR / "tour.sd", ctx)
    compile_stages(module, ctx, OPTIONS, programs=programs)
    runs = counted_passes(monkeypatch)
    shared = compile_stages(module, ctx, options, programs=programs)
    assert all(runs[name] for name in made)
    assert not any(runs[name] for name in not_made)
    alone = compile_stages(module, ctx, options)
    assert shared.source == alone.source
    assert shared.stages == alone.stages


def test_a_compilation_goes_on_from_its_formats(monkeypatch: pytest.MonkeyPatch):
    ctx = context()
    module = load_program(TOUR / "tour.sd", ctx)
    first = compile_stages(module, ctx, OPTIONS)
    runs = counted_passes(monkeypatch)
    again = compile_again(first, replace(OPTIONS, packed="always"))
    assert runs["profile"] == runs["pack-scratch"] == 0
    assert again.source == compile_stages(module, ctx, replace(OPTIONS, packed="always")).source

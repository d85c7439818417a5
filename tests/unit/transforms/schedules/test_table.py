"""The table of schedules, the lists derived from it, and a schedule of another package in one file."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from programs.paths import ROOT
from programs.plugins import installed
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.dialects.plugins import SCHEDULES, problems
from tinyml.lowering import pipelines
from tinyml.lowering.options import CompileOptions
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.tools.main import main
from tinyml.transforms.formats.plan_execution import PlanExecutionPass, streamed_segments
from tinyml.transforms.formats.receive_input import ReceiveInputPass
from tinyml.transforms.formats.tile_segment import TileSegmentPass
from tinyml.transforms.schedules.protocol import Schedule
from tinyml.transforms.schedules.table import SCHEDULES as ROWS
from tinyml.transforms.schedules.table import Traits, schedule_named, schedule_names, schedules, traits_of

ROOM = ROOT / "transforms/schedules"
PAGE = ROOT / "docs/schedules.md"
TABLE = re.compile(r"(?s)(?<=<!-- table of schedules -->\n).*?(?=\n\n)")

NETWORK = """
func.func @predict(%X: tensor<1x8x8x2x!fixed.q<8, 5>>) -> tensor<1x4x4x2x!fixed.q<8, 3>> {
  %F = tdsl.const dense<[[[[3, -1]]], [[[2, 5]]], [[[1, 1]]], [[[-7, 2]]]]> : tensor<4x1x1x2xi8>
    -> tensor<4x1x1x2x!fixed.q<8, 5>>
  %G = tdsl.const dense<[[[[1, 2, 3, -4]]], [[[5, -6, 7, 8]]]]> : tensor<2x1x1x4xi8> -> tensor<2x1x1x4x!fixed.q<8, 5>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<4x1x1x2x!fixed.q<8, 5>>, tensor<1x8x8x2x!fixed.q<8, 5>> -> tensor<1x8x8x4x!fixed.q<8, 4>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<2x1x1x4x!fixed.q<8, 5>>, tensor<1x8x8x4x!fixed.q<8, 4>> -> tensor<1x4x4x2x!fixed.q<8, 3>>
  func.return %z : tensor<1x4x4x2x!fixed.q<8, 3>>
}
"""


def test_a_file_of_the_room_is_a_schedule_or_the_contract():
    files = {path.stem for path in ROOM.glob("*.py")} - {"__init__", "protocol", "segments", "table"}
    assert files == {row.module.rpartition(".")[2] for row in ROWS.built_in.values()}
    assert [schedule.name for schedule in schedules()] == list(ROWS.built_in)


def test_the_page_has_the_table(request: pytest.FixtureRequest):
    rows = ["| mode | schedule |", "|---|---|", *(f"| `{one.name}` | {one.help} |" for one in schedules())]
    text = PAGE.read_text("utf-8")
    if request.config.getoption("--update-docs"):
        PAGE.write_text(text := TABLE.sub("\n".join(rows), text), "utf-8")
    assert TABLE.findall(text) == ["\n".join(rows)]


def test_traits_are_those_of_the_schedules():
    for schedule in schedules():
        traits = Traits(schedule.rounds, schedule.sliced, schedule.takes_ram, schedule.widens)
        assert traits_of(schedule.name) == traits, schedule.name


def test_a_schedule_that_is_left_out_is_named(monkeypatch: pytest.MonkeyPatch):
    [option] = [option for option in options_of(CompileOptions) if option.name == "plan"]
    assert option.absence("patches") is None

    def is_installed(where: str) -> bool:
        return "patches" not in where

    monkeypatch.setattr("tinyml.dialects.plugins.is_installed", is_installed)
    assert option.absence("patches") == (
        "the mode 'patches' needs the part 'schedules' of tinyml, which is not installed"
    )
    assert option.absence("rows") is option.absence("rowz") is None


def test_an_input_that_arrives_needs_its_part(monkeypatch: pytest.MonkeyPatch):
    program = (
        "func.func @model(%x: tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32> { func.return %x : tensor<1x4x4x1xf32> }"
    )
    module = Parser(context(), program).parse_module()
    ReceiveInputPass(input="memory").apply(context(), module)

    def is_installed(where: str) -> bool:
        return "streams" not in where

    monkeypatch.setattr("tinyml.dialects.extensions.is_installed", is_installed)
    for asked in ("push", "serial"):
        with pytest.raises(InputError, match=r"^this needs the part 'schedules' of tinyml, which is"):
            ReceiveInputPass(input=asked).apply(context(), module)


@pytest.fixture
def other_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Schedule]:
    """Register, for the duration of a test, the schedule that `tinyml new schedule` writes."""
    assert main(["new", "schedule", "inner_patches", str(tmp_path / "package")]) == 0
    capsys.readouterr()
    entry = EntryPoint("inner-patches", "inner_patches:SCHEDULE", SCHEDULES)
    with patch.object(sys, "path", [str(tmp_path / "package"), *sys.path]), installed(entry):
        yield import_module("inner_patches").SCHEDULE
    del sys.modules["inner_patches"]


def test_a_schedule_of_another_package_is_offered_everywhere(
    other_package: Schedule, capsys: pytest.CaptureFixture[str]
):
    assert schedule_names() == (*ROWS.built_in, "inner-patches")
    assert schedule_named("inner-patches") is other_package
    [option] = [option for option in options_of(CompileOptions) if option.name == "plan"]
    assert option.choices == schedule_names()
    assert main(["plan", str(ROOT / "docs/schedules/lenet.mlir"), "--bits", "8", "--json"]) == 0
    plans = json.loads(capsys.readouterr().out)
    assert plans["lower_bound"] < plans["inner-patches"]["bytes"] < plans["ordinary"]["bytes"]
    assert "quarters" in {segment["schedule"] for segment in plans["inner-patches"]["segments"]}


def test_a_schedule_of_another_package_executes(other_package: Schedule):
    ctx = context()
    module = Parser(ctx, NETWORK).parse_module()
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", {}))
    planned, tiled = module.clone(), module.clone()
    PlanExecutionPass("inner-patches").apply(ctx, planned)
    assert [segment["by"] for segment in streamed_segments(planned)] == ["quarters"]
    TileSegmentPass("y.0", "z.1", by="quarters").apply(ctx, tiled)
    x = np.random.default_rng(0).integers(-127, 128, (20, 128)).astype(np.int8)
    expected = evaluate(module, x).scores
    for program in (planned, tiled):
        program.verify()
        np.testing.assert_array_equal(evaluate(program, x).scores, expected)
    assert not module.is_structurally_equivalent(planned)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (EntryPoint("rows", "nowhere:X", SCHEDULES), "the mode 'rows' already exists"),
        (EntryPoint("quick", "nowhere:X", SCHEDULES), "ModuleNotFoundError"),
        (EntryPoint("quick", "tinyml.transforms.schedules.auto:AUTO", SCHEDULES), "has another name, 'auto'"),
    ],
)
def test_schedules_that_cannot_be_loaded_are_left_out(entry: EntryPoint, message: str):
    with installed(entry):
        assert [schedule.name for schedule in schedules()] == list(ROWS.built_in)
        assert schedule_named("rows").name == "rows"
        assert message in problems()[0]
        if entry.name == "quick":
            with pytest.raises(InputError, match=message):
                schedule_named("quick")

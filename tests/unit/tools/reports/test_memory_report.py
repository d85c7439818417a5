"""The memory map of a report: its text for a program and for a model, and its picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from programs.paths import ROOT
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten
from tinyml.tools.main import main
from tinyml.tools.reports.facts.memory_picture import draw_report
from tinyml.tools.reports.memory_report import fullest, memory_report, occupied
from tinyml.tools.universe import DIALECTS
from tinyml.transforms.buffers.liveness.live_ranges import Placed
from tinyml.transforms.buffers.pack_scratch import PackScratchPass

TOUR = ROOT / "docs/tour"

CHAIN = """
func.func @f(%X: memref<4xf32>, %Y: memref<4xf32>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  %0 = scratch.reuse %a : memref<4xf32> as memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.add %a, %Y : memref<4xf32>, memref<4xf32> into %0 : memref<4xf32>
  tdsl.reverse %0 {axis = 0 : i64} : memref<4xf32> into %b : memref<4xf32>
  func.return %b : memref<4xf32>
}
"""


def compile_tour(out: Path, *options: str) -> int:
    return main(
        [
            "compile",
            str(TOUR / "tour.sd"),
            "--val",
            str(TOUR / "val.npz"),
            "--target",
            "host",
            *(options or ("--width", "16")),
            "-o",
            str(out),
        ]
    )


def test_the_map_of_a_program():
    loaded = Context()
    for dialect in (Builtin, func.Func, *(make() for make in DIALECTS.values())):
        loaded.load_dialect(dialect)
    module = Parser(loaded, CHAIN).parse_module()
    PackScratchPass().apply(loaded, module)
    assert memory_report(module) == {
        "height": 28,
        "lower_bound": 28,
        "proof": "peak",
        "packer": "first-fit",
        "checked": None,
        "waste": 0,
        "peak": {
            "point": 2,
            "operation": "b = reverse(_)",
            "bytes": 28,
            "buffers": [{"buffer": "add(a, Y)", "bytes": 16}, {"buffer": "b", "bytes": 16}],
        },
        "map": [
            {"buffer": "a", "offset": 12, "bytes": 16, "first": 0, "last": 1, "ring": None, "overlaps": []},
            {"buffer": "add(a, Y)", "offset": 12, "bytes": 16, "first": 2, "last": 2, "ring": None, "overlaps": []},
            {
                "buffer": "b",
                "offset": 0,
                "bytes": 16,
                "first": 2,
                "last": 3,
                "ring": None,
                "overlaps": [{"buffer": "add(a, Y)", "bytes": 4}],
            },
        ],
    }


def quantised_lenet() -> ModuleOp:
    """The program of LeNet with 8-bit elements."""
    text = (ROOT / "docs/schedules/lenet.mlir").read_text()
    text = text.replace("dense<0.0> :", "dense<0> :").replace("xf32> ->", "xi8> ->", 3)
    return Parser(context(), text.replace("xf32>", "x!fixed.q<8, 5>>")).parse_module()


RINGS_AND_OVERLAPS: list[tuple[str, dict[str, Any], dict[str, tuple[str, int]]]] = [
    ("rows", {"relu1": {"held": 2, "of": 24, "by": "rows"}}, {"pool1": ("X", 688), "relu2": ("pool1", 558)}),
    ("pixels", {}, {"pool1": ("X", 644), "pool2": ("pool1", 192)}),
    ("ordinary", {}, {"relu1": ("X", 673), "pool1": ("relu1", 864)}),
]


@pytest.mark.long
@pytest.mark.parametrize(("plan", "rings", "expected"), RINGS_AND_OVERLAPS)
def test_rings_and_overlaps(plan: str, rings: dict[str, Any], expected: dict[str, tuple[str, int]]):
    """For each plan of LeNet, the report states the rings, and for each result the operand that it overlaps and the
    number of bytes.
    """
    module = quantised_lenet()
    options = {"plan": plan, "reuse_input": True}
    for step in (*flatten("refine-formats", options), *flatten("formats-to-buffers", options)):
        step.apply(context(), module)
    memory = memory_report(module)
    assert {row["buffer"]: row["ring"] for row in memory["map"] if row["ring"]} == rings
    under = [(row["buffer"], each) for row in memory["map"] for each in row["overlaps"]]
    assert {name: (each["buffer"], each["bytes"]) for name, each in under} == expected
    assert ("2 of 24 rows" in draw_report(plan, memory).finished()) == bool(rings)


def test_bytes_that_are_taken_over_count_once():
    boxes = [Placed("a", 0, 8, 0, 3), Placed("b", 0, 6, 1, 3), Placed("c", 12, 4, 2, 4)]
    assert [occupied(boxes, point) for point in range(5)] == [8, 8, 12, 12, 4]
    assert fullest(boxes) == 2
    assert (fullest([]), occupied([], 0)) == (0, 0)


def test_a_compiled_model_has_its_map(tmp_path: Path):
    assert compile_tour(tmp_path / "out") == 0
    report = json.loads((tmp_path / "out/report.json").read_text())
    memory = report["memory"]
    assert memory["height"] == report["ram_bytes"]["arena"] == memory["lower_bound"] == memory["peak"]["bytes"]
    assert memory["waste"] == 0
    assert [one["buffer"] for one in memory["map"]][-1] == "H"
    picture = (tmp_path / "out/pictures/memory.svg").read_text()
    assert f"tour: arena of {memory['height']} bytes, optimal" in picture
    assert f"{memory['height']} alive at 0, 0 wasted" in picture

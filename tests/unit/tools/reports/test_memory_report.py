"""The memory map of a report: what it says of a program and of a model, and its picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs.paths import ROOT
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

from tinyml.tools.main import main
from tinyml.tools.reports import memory_picture
from tinyml.tools.reports.memory_picture import can_draw, fullest, occupied
from tinyml.tools.reports.memory_report import memory_report
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


def compile_tour(out: Path) -> int:
    return main(["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "--target", "host", "-o", str(out)])


def test_the_map_of_a_program():
    context = Context()
    for dialect in (Builtin, func.Func, *(make() for make in DIALECTS.values())):
        context.load_dialect(dialect)
    module = Parser(context, CHAIN).parse_module()
    PackScratchPass().apply(context, module)
    assert memory_report(module) == {
        "height": 28,
        "lower_bound": 28,
        "waste": 0,
        "peak": {
            "point": 2,
            "operation": "b = reverse(_)",
            "bytes": 28,
            "buffers": [{"buffer": "add(a, Y)", "bytes": 16}, {"buffer": "b", "bytes": 16}],
        },
        "map": [
            {"buffer": "a", "offset": 12, "bytes": 16, "first": 0, "last": 1},
            {"buffer": "add(a, Y)", "offset": 12, "bytes": 16, "first": 2, "last": 2},
            {"buffer": "b", "offset": 0, "bytes": 16, "first": 2, "last": 3},
        ],
    }


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
    if can_draw():
        picture = (tmp_path / "out/memory.svg").read_text()
        assert f"tour: arena of {memory['height']} bytes, optimal" in picture
        assert f"{memory['height']} alive at 0, 0 wasted" in picture


def test_without_matplotlib_a_line_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def find_spec(name: str) -> None:
        return None

    monkeypatch.setattr(memory_picture, "find_spec", find_spec)
    assert compile_tour(tmp_path / "out") == 0
    assert not list((tmp_path / "out").glob("*.svg"))
    assert "matplotlib is not installed" in capsys.readouterr().out

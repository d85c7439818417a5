"""The worked example of Shiftry's section 3, in the arithmetic and by the search of the paper.

All statements hold for both kinds of temporaries: those of Shiftry's released code and those of its figure 5. All
printed digits are reproduced. The paper truncates them: -5.0457 is printed as -5.0456, and a loss of 0.07137 as 0.0713.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import FILECHECK
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.published.shiftry import PrintedShiftryType, ShiftryType
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.data import Data, load_data
from tinyml.tools.driver.stages import print_ir
from tinyml.transforms.buffers.liveness.live_ranges import live_ranges
from tinyml.transforms.buffers.pack_scratch import PackScratchPass
from tinyml.transforms.buffers.packing import Rectangle, pack
from tinyml.transforms.buffers.update_in_place import UpdateInPlacePass
from tinyml.transforms.formats.evaluation.candidates import SearchProblem
from tinyml.transforms.reals.profile import ProfilePass
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.workers import Workers
from tinyml.transforms.search.search_demote import (
    SearchDemotePass,
    cumulative_demotions,
    demote_each,
    explore_input_scale,
)

INPUTS = FILECHECK / "transforms"
FLOAT = -5.11167404

PARTIAL = {
    "W1": (-5.0456, 0.0660),
    "W2": (-5.0402, 0.0713),
    "B1": (-5.1022, 0.0093),
    "B2": (-5.1171, 0.0055),
    "X": (-5.0788, 0.0328),
    "t1": (-5.0012, 0.1104),
    "t2": (-5.0012, 0.1104),
    "t3": (-5.1875, 0.0758),
    "t4": (-5.1875, 0.0758),
}
"""Table 1: the result with one variable demoted, and the precision loss."""

CUMULATIVE = {
    "B2": (-5.1171, 0.0055),
    "B1": (-5.1093, 0.0022),
    "X": (-5.0781, 0.0335),
    "W1": (-5.0156, 0.0960),
    "W2": (-4.9453, 0.1663),
    "t3": (-5.0000, 0.1116),
    "t4": (-5.0000, 0.1116),
    "t1": (-4.8750, 0.2366),
    "t2": (-4.8750, 0.2366),
}
"""Table 2: with all variables down to this one demoted."""


def cut(x: float) -> float:
    """A number truncated to four digits after the point."""
    return math.trunc(x * 1e4) / 1e4


@pytest.fixture(scope="module")
def data() -> Data:
    return load_data(str(INPUTS / "Inputs" / "linear.npz"))


@pytest.fixture(scope="module", params=[ShiftryType, PrintedShiftryType], ids=lambda type: type.name)
def search(data: Data, request: pytest.FixtureRequest):
    text = (INPUTS / "search" / "search_demote.mlir").read_text()
    module = Parser(context(), text).parse_module()
    run(module, context(), [ProfilePass(str(INPUTS / "Inputs" / "linear.npz"))])
    with Evaluation(SearchProblem(print_ir(module), data.x, None, None), "error", Workers(1)) as evaluation:
        yield Search(evaluation, request.param.of_width(16))


def program(search: Search, demoted: list[str]) -> ModuleOp:
    """The program of the example after Shiftry's algorithm 13 has demoted the given tensors."""
    wide, narrow = search.uniform(search.prototype_of(16)), search.prototype_of(8)
    alone = demote_each(search, wide, narrow)
    names = [one.name for one in search.classes]
    choices = [alone[i].choice if name in demoted else wide[i] for i, name in enumerate(names)]
    return search.evaluator.candidates.program(search.formats(choices))


def result(search: Search, data: Data, demoted: list[str]) -> float:
    """The output of the example after Shiftry's algorithm 13 has demoted the given tensors."""
    module = program(search, demoted)
    scores = evaluate(module, encode_inputs(module, data.x.reshape(1, -1))).scores
    last = predict_function(module).body.block.last_op
    assert scores is not None
    assert last is not None
    return tdsl.format_of(last.operands[0]).decode(scores).item()


def test_the_program_in_floats(data: Data):
    """The program of the example in floats, whose constants are 32-bit floats, computes the result of Shiftry's
    pseudocode 1 to seven digits. With its constants in 64 bits, all printed digits agree.
    """
    w1, b1, w2, b2 = np.array([[0.0421, 0.1948], [1.021, -0.827]]), [-0.032, 0.619], [-0.402, -1.013], 0.737
    assert w2 @ (w1 @ [2.391, -3.583] + b1) + b2 == pytest.approx(-5.11167404, abs=5e-9)
    module = Parser(context(), (INPUTS / "search" / "search_demote.mlir").read_text()).parse_module()
    scores = evaluate_reals(module, data.x.reshape(1, -1)).scores
    assert scores is not None
    assert scores.item() == pytest.approx(-5.11167404, abs=5e-7)


def test_the_homogeneous_program(search: Search, data: Data):
    """The program with 16 bits for all tensors computes the results of Shiftry's pseudocode 2."""
    assert result(search, data, []) == -20935 / 4096


@pytest.mark.parametrize("name", PARTIAL)
def test_partial_demotion(search: Search, data: Data, name: str):
    found = result(search, data, [name])
    assert (cut(found), cut(abs(found - FLOAT))) == PARTIAL[name]


def test_b1_in_8_bits(search: Search):
    """Shiftry's pseudocode 3: with B1 demoted to -4 and 79 in 8 bits, the products are shifted by 15 and 9 bits, t1 by
    5 and B2 by 3.
    """
    ops = [op for op in program(search, ["B1"]).walk() if isinstance(op, tdsl.ConstOp | tdsl.MatmulOp | tdsl.AddOp)]
    formats: list[Any] = [tdsl.format_of(op.results[0]) for op in ops]
    w1, b1, w2, b2, t1, t2, t3, _ = (format.frac.data for format in formats)
    assert isinstance(ops[1], tdsl.ConstOp)
    assert ops[1].raws.ravel().tolist() == [-4, 79]
    assert (w1 + 13 - t1, t1 - t2, t2 - b1, w2 + t2 - t3, b2 - t3) == (15, 5, 0, 9, 3)


def test_the_order(search: Search):
    wide = search.uniform(search.prototype_of(16))
    programs = [wide, *cumulative_demotions(wide, demote_each(search, wide, search.prototype_of(8)))]
    changed = [{i for i, pair in enumerate(zip(*two, strict=True)) if len(set(pair)) > 1} for two in pairwise(programs)]
    order = [search.classes[i].name for [i] in changed]
    assert order == ["B2", "B1", "X", "W1", "W2", "t3", "t4", "t1", "t2"]


@pytest.mark.parametrize("count", range(1, 10))
def test_cumulative_demotion(search: Search, data: Data, count: int):
    names = list(CUMULATIVE)
    found = result(search, data, names[:count])
    assert (cut(found), cut(abs(found - FLOAT))) == CUMULATIVE[names[count - 1]]


def bytes_of(search: Search, demoted: list[str]) -> tuple[int, int]:
    """The bytes of the constants and the input of the example, and those of t1 to t4 in separate memory.

    demoted: the tensors that have 8 bits.
    """
    bytes = {one.name: one.elements * (1 if one.name in demoted else 2) for one in search.classes}
    temporaries = sum(bytes.pop(f"t{number}") for number in range(1, 5))
    return sum(bytes.values()), temporaries


def test_limits_of_the_example(search: Search):
    """Shiftry's limits are 14 bytes of flash and 8 of RAM. In 16 bits the program needs 22 and 12 bytes, in floats 44
    and 24.

    The paper states that pseudocode 4 fits 14 bytes; it needs 13. Demotion by the flash alone demotes the same tensors,
    B2, B1, X and W1, also if the input does not count as flash.
    """
    assert bytes_of(search, []) == (22, 12)
    elements = {one.name: one.elements for one in search.classes}
    temporaries = sum(elements.pop(f"t{number}") for number in range(1, 5))
    assert (4 * sum(elements.values()), 4 * temporaries) == (44, 24), "in floats"
    assert bytes_of(search, ["B2", "B1", "X", "W1"]) == (13, 12)
    assert next(count for count in range(10) if bytes_of(search, list(CUMULATIVE)[:count])[0] <= 14) == 4
    found = SearchDemotePass("", metric="error", flash=14, target="host").search(search)
    demoted = [name for name, reason in found.reasons.items() if reason.startswith("demoted")]
    assert sorted(demoted) == sorted(["B2", "B1", "X", "W1"])
    assert search.constant_bytes(search.formats(found.choices)) == 11


def test_the_program_in_one_array(search: Search):
    """The sizes and live ranges of t1 to t4, and their offsets in an array of 8 bytes, are those of Shiftry's table 3
    and pseudocode 5.
    """
    module = program(search, ["B2", "B1", "X", "W1"]).clone()
    steps = [step for step in flatten("formats-to-buffers", {}) if not isinstance(step, UpdateInPlacePass)]
    packing = next(i for i, step in enumerate(steps) if isinstance(step, PackScratchPass))
    run(module, context(), steps[:packing])
    buffers = [
        Rectangle(name, scratch.size_in_bytes(scratch.memref_type(buffer.result)), 2, *span)
        for name, (buffer, span) in zip(
            ("t1", "t2", "t3", "t4"), live_ranges(predict_function(module)).ranges.items(), strict=True
        )
    ]
    assert [buffer.size for buffer in buffers] == [4, 4, 2, 2]
    assert all(buffer.last - buffer.first == 1 for buffer in buffers), "alive for two instructions"
    assert [buffer.first - buffers[0].first for buffer in buffers] == [0, 1, 2, 3]
    placement = pack(buffers, "shiftry")
    assert (placement.offsets, placement.height) == ((0, 4, 0, 2), 8)


OUTLIERS = """func.func @greater(%X: tensor<2x1xf32>) -> (index, tensor<2x1xf32>) {
  %l = tdsl.argmax %X : tensor<2x1xf32>
  func.return %l, %X : index, tensor<2x1xf32>
}"""


def test_the_scale_of_the_input(tmp_path: Path):
    """Shiftry 6.1 and algorithm 12: all samples but two are in (-2, 2). By the extreme 17, the input has scale 10.
    Stage 1 of the algorithm chooses scale 14, with which the labels of close numbers are right.
    """
    first = np.concatenate([np.linspace(-1.9, 1.9, 499), 0.65 + np.linspace(-1, 1, 499) * 2.0**-10])
    x = np.stack([first, np.full(998, 0.65)], 1)
    x = np.concatenate([x, [[9.0, 0.65], [0.65, 17.0]]]).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    module = Parser(context(), OUTLIERS).parse_module()
    run(module, context(), [ProfilePass(str(tmp_path / "x.npz"))])
    with Evaluation(SearchProblem(print_ir(module), x, None, None), "disagreement", Workers(1)) as evaluation:
        search = Search(evaluation, ShiftryType.of_width(16))
        wide = search.uniform(search.prototype_of(16))
        assert search.formats(wide) == (ShiftryType.of_width(16).with_frac(10),)
        found = explore_input_scale(search, wide)
        assert search.formats([found]) == (ShiftryType.of_width(16).with_frac(14),)

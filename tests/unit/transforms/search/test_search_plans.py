"""`search-pareto` chooses a mode of execution together with the formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.searches import passes, profiled, some_data
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.ir.cost.demand import arena_and_input
from tinyml.transforms.search.search_pareto import SearchParetoPass

RAM = 400
"""Bytes, with the stack, which the small network has no room in op by op, not even in 8 bits."""


@pytest.fixture(name="file")
def some_file(tmp_path: Path) -> str:
    data = some_data("network")
    assert data.y is not None
    np.savez(tmp_path / "some.npz", x=data.x, y=data.y)
    return str(tmp_path / "some.npz")


def searched(file: str, *plans: str) -> ModuleOp:
    module = profiled("network").clone()
    search = SearchParetoPass(file, ram=RAM, widths=(8,), effort=1, jobs=1, metric="disagreement", plans=plans)
    run(module, context(), [search])
    return module


@pytest.mark.long
def test_rows_are_chosen_where_memory_is_short_op_by_op(file: str):
    with pytest.raises(InputError, match="no program within the limits was found: the least needs 4"):
        searched(file, "ordinary")
    module = searched(file, "ordinary", "rows")
    assert predict_function(module).attributes[tdsl.MODE] == StringAttr("rows")
    assert predict_function(module).attributes[tdsl.RAM] == IntegerAttr(RAM, i64)
    run(module, context(), passes(file)[1])
    planned = module.clone()
    run(planned, context(), flatten("formats-to-buffers", {}))
    assert [segment["by"] for segment in streamed_segments(planned)] == ["rows"]
    assert arena_and_input(planned) < RAM
    # A mode that is asked for goes before that of the search.
    run(module, context(), flatten("formats-to-buffers", {"plan": "ordinary"}))
    assert streamed_segments(module) == []
    assert arena_and_input(module) > RAM


def test_tiles_keep_within_what_a_search_was_limited_to():
    """The number of pixels that a kernel computes at once depends on the limit on RAM, which includes input tiles and
    the results of several pixels.
    """
    formats, ctx = profiled("network").clone(), context()
    run(formats, ctx, [AssignFormatPass(format="fixed", width=8), *flatten("refine-formats", {})])

    def taken(ram: int | None) -> int:
        module = formats.clone()
        if ram is not None:
            predict_function(module).attributes[tdsl.RAM] = IntegerAttr(ram, i64)
        run(module, ctx, flatten("formats-to-buffers", {"target": "uno"}))
        return arena_and_input(module)

    least, some, most = map(taken, (RAM, 600, None))
    assert least < some < most == taken(2048)
    run(formats, ctx, flatten("formats-to-buffers", {"target": "host"}))
    assert least == arena_and_input(formats)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("columns", r"unknown mode 'columns' \(one of ordinary"),
        ("partial-8", "a search cannot choose the mode of execution 'partial-8'"),
        ("auto", "a search cannot choose the mode of execution 'auto'"),
    ],
)
def test_modes_that_no_search_chooses(mode: str, message: str, file: str):
    with pytest.raises(InputError, match=message):
        searched(file, mode)

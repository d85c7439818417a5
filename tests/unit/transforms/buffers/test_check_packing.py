"""`check-packing` examines each byte range of the arena once, which limits its time."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.transforms.buffers import check_packing
from tinyml.transforms.buffers.check_packing import CheckPackingPass


def branches(count: int) -> str:
    """The text of a program of `count` tensors that are all live until they are added."""
    type = "memref<4xf32>"
    arena = f"memref<{16 * (count + 1)}xi8>"
    places = [f"%b{i} = scratch.view %arena[{16 * i} : i64] : {arena} to {type}" for i in range(count + 1)]
    made = [f"tdsl.exp %x : {type} into %b{i} : {type}" for i in range(count)]
    added = [f"tdsl.add %b{i}, %b{i + 1} : {type}, {type} into %b{count} : {type}" for i in range(count - 1)]
    first, last = f"%arena = scratch.arena {{alignment = 4 : i64}} : {arena}", f"func.return %b{count} : {type}"
    body = "\n".join([first, *places, *made, *added, last])
    return f"func.func @predict(%x: {type}) -> {type} {{\n{body}\n}}"


def test_branches_take_time_in_proportion(monkeypatch: pytest.MonkeyPatch):
    seen, span = 0, check_packing._span  # pyright: ignore[reportPrivateUsage]

    def counted(view: SSAValue) -> tuple[int, int]:
        nonlocal seen
        seen += 1
        return span(view)

    monkeypatch.setattr(check_packing, "_span", counted)
    counts = list[int]()
    for count in (20, 40):
        module = Parser(context(), branches(count)).parse_module()
        seen = 0
        CheckPackingPass().apply(context(), module)
        counts.append(seen)
    assert counts[1] <= 2 * counts[0]

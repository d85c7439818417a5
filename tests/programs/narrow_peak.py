"""Programs in few bytes of RAM: the tensors that make the peak have 8 bits, all others more (MinUn, 2021)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.context import context
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import ViewOp, element_bytes, memref_type, size_in_bytes
from tinyml.lowering import pipelines
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import tensor_classes
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.search.costs.working_memory import arena_and_input


def with_packed_buffers(
    profiled: ModuleOp, steps: Sequence[ModulePass], narrow: Sequence[str], ram: int | None
) -> tuple[ModuleOp, ModuleOp]:
    """A profiled program at L1 and at L2.

    steps: from `assign-format` on. narrow: names of tensors that have 8 bits nevertheless. ram: as long as the arena
    takes more bytes, the tensor with most of them at the peak gets 8 bits, too. Raises `ValueError` if none is left.
    """
    [function] = defined_functions(profiled)
    by_size = sorted(tensor_classes(function), key=lambda tensors: tensors.elements)
    classes = {value.name_hint: tensors.name for tensors in by_size for value in tensors.members if value.name_hint}
    at_l1 = next(i for i, step in enumerate(steps) if isinstance(step, PlanExecutionPass))
    names = list(narrow)
    while True:
        widths = tuple(f"{name}:8" for name in names)
        assigned = [
            replace(step, data=None, widths=widths) if isinstance(step, AssignFormatPass) else step
            for step in steps[:at_l1]
        ]
        formats = profiled.clone()
        pipelines.run(formats, context(), assigned)
        module = formats.clone()
        pipelines.run(module, context(), steps[at_l1:])
        if ram is None or arena_and_input(module) <= ram:
            return formats, module
        wide = Counter[str]()
        for view in alive_at_peak(module):
            type, name = memref_type(view.result), classes.get(view.result.name_hint or "")
            if name is not None and name not in names and element_bytes(type) > 1:
                wide[name] += size_in_bytes(type)
        if not wide:
            raise ValueError(f"the arena takes {arena_and_input(module)} bytes with {', '.join(names)} in 8 bits")
        [(name, _)] = wide.most_common(1)
        names.append(name)


def alive_at_peak(module: ModuleOp) -> list[ViewOp]:
    """The buffers of a packed program that are alive when most bytes of the arena are in use."""
    lives: dict[ViewOp, tuple[int, int]] = {}
    for view in module.walk():
        if isinstance(view, ViewOp) and view.live is not None:
            first, last = cast(ArrayAttr[IntegerAttr], view.live)
            lives[view] = first.value.data, last.value.data

    def alive(point: int) -> list[ViewOp]:
        return [view for view, (first, last) in lives.items() if first <= point <= last]

    def in_use(point: int) -> int:
        """Bytes; those of buffers that overlap count once."""
        used, end = 0, 0
        for view in sorted(alive(point), key=lambda view: view.offset.value.data):
            start = max(view.offset.value.data, end)
            end = max(view.offset.value.data + size_in_bytes(memref_type(view.result)), end)
            used += end - start
        return used

    return alive(max((first for first, _ in lives.values()), key=in_use))

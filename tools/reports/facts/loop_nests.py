"""The loop nests of a program at L3: how often each loop runs, and the kernels in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import source_names

KERNEL = "kernel"
"""The attribute by which an op names its kernel."""


@dataclass(frozen=True)
class NestFacts:
    """A loop, a kernel, or the steps between them.

    kind: "loop", "kernel" or "steps". label: `for i`, the kernel, or the names of ops with their number. turns: how
    often a loop runs for one run of what is around it; None if that is computed. operation: the source operation.
    """

    kind: str
    label: str
    operation: str
    turns: int | None = None
    inner: list[NestFacts] = field(default_factory=list["NestFacts"])

    @property
    def operations(self) -> Iterator[str]:
        """The source operations that it computes: those of its innermost parts."""
        if not self.inner:
            yield self.operation
        for each in self.inner:
            yield from each.operations

    @property
    def kernels(self) -> Iterator[tuple[str, str]]:
        """The kernels in it, each with its operation."""
        if self.kind == "kernel":
            yield self.label, self.operation
        for each in self.inner:
            yield from each.kernels


def loop_nests(loops: ModuleOp) -> list[NestFacts]:
    """The nests of a program at L3 in order; steps outside loops and kernels are left out."""
    return [nest for nest in _inside(defined_functions(loops)[0].body.block) if nest.kind != "steps"]


def _inside(block: Block) -> list[NestFacts]:
    found: list[NestFacts] = []
    for op in block.ops:
        names = source_names(op)
        operation = names[0] if names else ""
        if isinstance(op, scf.ForOp):
            label = f"for {op.body.block.args[0].name_hint or ''}".rstrip()
            found.append(NestFacts("loop", label, operation, _turns(op), _inside(op.body.block)))
        elif op.regions:
            inner = [each for region in op.regions for part in region.blocks for each in _inside(part)]
            found += [NestFacts("loop", op.name.partition(".")[2], operation, None, inner)] if inner else []
        elif (kernel := _kernel(op)) is not None:
            found.append(NestFacts("kernel", kernel, operation))
        elif op.name.startswith(("num.", "memref.store")):
            name = op.name.partition(".")[2]
            if found and found[-1].kind == "steps":
                if name not in (steps := found[-1].label.split(", ")):
                    found[-1] = NestFacts("steps", ", ".join([*steps, name]), operation)
            else:
                found.append(NestFacts("steps", name, operation))
    return found


def _kernel(op: Operation) -> str | None:
    """The function of the kernel that an op calls, with the sizes for which it is composed."""
    kernel = op.properties.get(KERNEL) or op.attributes.get(KERNEL)
    if kernel is None:
        return None
    name = re.search(r'"([^"]+)"', text := str(kernel))
    sizes = ", ".join(f"{word} {size}" for word, size in re.findall(r"(rows|runs|length|count) = (\d+)", text))
    called = name[1] if name else text
    return f"{called} ({sizes})" if sizes else called


def _turns(loop: scf.ForOp) -> int | None:
    low, high, step = (_constant(value) for value in (loop.lb, loop.ub, loop.step))
    return None if low is None or high is None or not step else max(-(-(high - low) // step), 0)


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None

"""`place-constants`: moves constants to far flash if all constants together exceed the flash that short addresses reach
(L3).

AVR's LPM reads the first 64 KB of flash. ELPM reads all of it, but needs a few more cycles for each kernel call and for
each element that is read without a kernel. Constants are moved to far flash only if not all of them fit the near flash.
They are moved in ascending order of the additional time per byte. The first constants are therefore large matrices
whose rows are read by kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import DATA
from tinyml.targets.registry import HOST, chip_of, compile_for, far_load
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.cost.demand import demand_of, far_call, trip_count
from tinyml.transforms.ir.indices import executions
from tinyml.transforms.ir.levels import PROGRAM_LOOPS


@dataclass(frozen=True)
class PlaceConstantsPass(ConditionalPass):
    """Mark constants as `far` if all constants together exceed the limit, and set the kernels that read far weights.

    Constants with equal bits move together. A constant stays near if a kernel without a variant for far weights, or a
    function for single packed elements, reads it. Constants are chosen by the additional time per byte, then by their
    order. If more bytes are chosen than necessary, the constants with the greatest additional time stay near. Without
    far flash, or if all constants fit, the program is unchanged. Constants that are data are never moved.

    target: as for `select-kernels`.
    near: the maximum bytes of near constants; the default is the number of bytes that the target's short addresses
        reach.

    Raises `InputError` for an unknown target.
    """

    name = "place-constants"
    takes = PROGRAM_LOOPS
    target: str = HOST
    near: int | None = None

    @property
    def _limit(self) -> int | None:
        return chip_of(self.target).flash_bytes if self.near is None else self.near

    def obstacle(self, module: ModuleOp) -> str | None:
        limit = self._limit
        if far_load(self.target) is None or limit is None:
            return f"{self.target} has no far flash"
        demand = demand_of(module)
        near = demand.constants - demand.far
        return f"the constants take {near:,.0f} of {limit:,} bytes" if near <= limit else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit = self._limit
        if far_load(self.target) is None or limit is None:
            return
        compile_for(op, self.target)
        demand = demand_of(op)
        if (surplus := demand.constants - demand.far - limit) > 0:
            for movable in _chosen(_movables(op, self.target), surplus):
                movable.move()


@dataclass(frozen=True)
class Movable:
    """Constants with equal bits that can move to far flash.

    kernels: the calls of kernels that read the constants.
    bytes: the size of one of the constants.
    time: the additional time of an inference if they are far, in the target's unit.
    """

    constants: Sequence[scratch.ConstantOp]
    kernels: Sequence[num.CallOp]
    bytes: int
    time: float

    def move(self) -> None:
        """Mark the constants as far, and set kernels for far weights in their readers."""
        for constant in self.constants:
            constant.far = UnitAttr()
        for op in self.kernels:
            assert op.kernel is not None
            op.kernel = num.FarKernelAttr.of(op.kernel)


def _chosen(movables: Sequence[Movable], surplus: int) -> list[Movable]:
    """Choose constants with at least `surplus` bytes in total whose move to far flash costs little time. All
    constants if they have fewer bytes.
    """
    taken: list[Movable] = []
    for movable in sorted(movables, key=lambda each: each.time / each.bytes):
        if surplus <= 0:
            break
        taken.append(movable)
        surplus -= movable.bytes
    for movable in sorted(taken, key=lambda each: -each.time):
        if surplus + movable.bytes <= 0:
            taken.remove(movable)
            surplus += movable.bytes
    return taken


def _movables(module: ModuleOp, target: str) -> list[Movable]:
    equal: dict[Attribute, list[scratch.ConstantOp]] = {}
    for op in module.walk():
        if isinstance(op, scratch.ConstantOp) and _may_move(op) and scratch.bytes_of(op.result):
            equal.setdefault(op.value, []).append(op)
    found = (movable_of(constants, target) for constants in equal.values())
    return [movable for movable in found if movable is not None]


def _may_move(op: scratch.ConstantOp) -> bool:
    return not op.loaded and op.far is None and DATA not in op.attributes


def movable_of(constants: Sequence[scratch.ConstantOp], target: str) -> Movable | None:
    """Constants with equal bits as a `Movable`. None if a reader requires that they are near.

    target: the board.
    """
    kernels: list[num.CallOp] = []
    time = 0.0
    for op, value in [reader for constant in constants for reader in _readers(constant.result)]:
        if isinstance(op, num.CallOp) and op.kernel is not None and [*op.operands].count(value) == 1:
            more = far_call(op.kernel, target)
            if more is None or op.factors[0] is not value:
                return None
            time += executions(op, trip_count) * more
            kernels.append(op)
        elif isinstance(op, memref.LoadOp) and scratch.packed_bits(scratch.memref_type(value)) is None:
            time += executions(op, trip_count) * (far_load(target) or 0)
        else:
            return None
    return Movable(constants, kernels, scratch.bytes_of(constants[0].result), time)


def _readers(value: SSAValue) -> list[tuple[Operation, SSAValue]]:
    found: list[tuple[Operation, SSAValue]] = []
    for use in value.uses:
        view = isinstance(use.operation, scratch.SliceOp)
        found += _readers(use.operation.results[0]) if view else [(use.operation, value)]
    return found

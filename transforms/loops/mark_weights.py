"""`mark-weights`: marks the numeric arrays of a program whose weights the user can replace (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import DATA, are_data, defined_functions
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.blobs.layout import HEAD
from tinyml.targets.blobs.place import NEAR, address_of, far_section
from tinyml.targets.registry import HOST, chip_of, compile_for
from tinyml.transforms.ir.cost.demand import demand_of, far_call
from tinyml.transforms.ir.forest_room import FAR_FOREST, known_room, tables_of
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.loops.place_constants import movable_of


@dataclass(frozen=True)
class MarkWeightsPass(ModulePass):
    """Set `tinyml.data` on every constant array in flash whose elements are numbers of a format, or sums.

    The tables that the compiler adds, such as multipliers of requantisation, depend on scales only and remain part
    of the program. The positions of the entries of sparse matrices already have the attribute.

    On a board whose short addresses do not reach all of its flash, all marked constants and the forests that become
    data later are far if the blob is at an address beyond the short ones. In a section, they are far if all constants
    together, or the blob as one array, are too large for short addresses.

    weights_at: the address of the blob, or a linker section; None to leave all constants near.
    target: as for `select-kernels`.

    A call that reads far weights, and whose kernel reads only near ones, becomes a loop.
    """

    name = "mark-weights"
    weights_at: str | None = None
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        marked = [each for each in op.walk() if isinstance(each, scratch.ConstantOp) and _is_data(each)]
        for constant in marked:
            constant.attributes[DATA] = UnitAttr()
        if self.weights_at is not None and far_section(self.target) is not None:
            compile_for(op, self.target)
            if self._are_far(op, marked):
                self._move(op, marked)

    def _are_far(self, module: ModuleOp, marked: Sequence[scratch.ConstantOp]) -> bool:
        assert self.weights_at is not None
        if (address := address_of(self.weights_at)) is not None:
            return address >= NEAR
        chip, forests = chip_of(self.target), sum(bytes for _, bytes in _forests(module))
        blob = HEAD + forests + sum(scratch.bytes_of(each.result) for each in marked)
        constants = forests + demand_of(module).constants
        limits = (constants, chip.flash_bytes), (blob, chip.object_bytes)
        return any(most is not None and bytes > most for bytes, most in limits)

    def _move(self, module: ModuleOp, marked: Sequence[scratch.ConstantOp]) -> None:
        for constant in marked:
            if (movable := movable_of([constant], self.target)) is None:
                _expand_calls(constant.result, self.target)
                movable = movable_of([constant], self.target)
            assert movable is not None, f"{constant} is read by a kernel"
            movable.move()
        for function, _ in _forests(module):
            function.attributes[FAR_FOREST] = UnitAttr()


def _is_data(constant: scratch.ConstantOp) -> bool:
    type = scratch.memref_type(constant.result)
    element = type.element_type
    numbers = number_format(element) is not None or accumulator_of(element) is not None
    weights = numbers and isinstance(type.memory_space, scratch.Flash) and are_data(constant)
    return weights or DATA in constant.attributes


def _expand_calls(array: SSAValue, target: str) -> None:
    """Expand the calls of kernels that read an array or its views, and have no variant for far weights, into loops."""
    for use in list(array.uses):
        match call := use.operation:
            case scratch.SliceOp():
                _expand_calls(call.result, target)
            case num.CallOp(routine=num.LoopRoutineAttr() as routine, kernel=num.KernelAttr() as kernel) if (
                far_call(kernel, target) is None
            ):
                sum = routine.expand(call, LoopBuilder(call))
                Rewriter.replace_op(call, [], [] if sum is None else [sum])
            case _:
                pass


def _forests(module: ModuleOp) -> Sequence[tuple[FuncOp, int]]:
    """The functions whose forest becomes data, and the bytes of its arrays."""
    found: list[tuple[FuncOp, int]] = []
    for function in defined_functions(module):
        if (room := known_room(function)) is None:
            continue
        for call in function.walk():
            if isinstance(call, num.CallOp) and isinstance(routine := call.routine, num.CodedForestAttr):
                inputs = scratch.elements_of(call.arguments[1])
                tables = tables_of(room, routine.forest, inputs).values()
                found.append((function, sum(type.itemsize * length for type, length in tables)))
    return found

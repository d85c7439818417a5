"""`mark-weights`: marks the numeric arrays of a program whose weights the user can replace (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import DATA, LIMITS, are_data, defined_functions
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

    If memory has other elements than the raws of the format, `tinyml.limits` states the least and the greatest raw. The
    widths of sums and the lengths of tables depend on these limits.

    The tables that the compiler adds, such as multipliers of requantisation, depend on scales only and remain part of
    the program. The positions of the entries of sparse matrices already have the attribute.

    On a board whose short addresses do not reach all of its flash, all marked constants and the forests that become
    data later are far if short addresses do not reach the address of the blob. In a section, they are far if all
    constants together, or the blob as one array, are too large for short addresses.

    weights_at: the address of the blob, or a linker section; None to leave all constants near.
    target: as for `select-kernels`.

    A call of a kernel that reads only near weights becomes a loop if its weights are far.
    """

    name = "mark-weights"
    weights_at: str | None = None
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        marked = [each for each in op.walk() if isinstance(each, scratch.ConstantOp) and _is_data(each)]
        for constant in marked:
            constant.attributes[DATA] = UnitAttr()
            if (limits := _limits(constant)) is not None:
                constant.attributes[LIMITS] = DenseArrayBase.from_list(i64, limits)
        if self.weights_at is not None:
            move_far_weights(op, marked, self.weights_at, self.target)


def _is_data(constant: scratch.ConstantOp) -> bool:
    type = scratch.memref_type(constant.result)
    element = type.element_type
    numbers = number_format(element) is not None or accumulator_of(element) is not None
    weights = numbers and isinstance(type.memory_space, scratch.Flash) and are_data(constant)
    return weights or DATA in constant.attributes


def _limits(constant: scratch.ConstantOp) -> tuple[int, int] | None:
    """The least and the greatest element of an array, including its own; None if its storage has no other elements."""
    format = number_format(scratch.memref_type(constant.result).element_type)
    if format is None or (limits := format.stored_limits) is None:
        return None
    # Sums that wrap around start from any number.
    low, high = min(limits[0], int(constant.raws.min(initial=0))), max(limits[1], int(constant.raws.max(initial=0)))
    return None if high - low + 1 == 1 << 8 * format.dtype.itemsize else (low, high)


def move_far_weights(module: ModuleOp, marked: Sequence[scratch.ConstantOp], weights_at: str, target: str) -> None:
    """Make constants, and the forests that become data later, far if short addresses do not reach them in the blob.

    marked: the constants of the blob.
    weights_at: the address of the blob, or a linker section.

    Raises `InputError` if a kernel reads a constant that must be far, has no variant that reads far constants, and
    cannot be expanded into a loop.
    """
    if far_section(target) is None:
        return
    compile_for(module, target)
    if not _are_far(module, marked, weights_at, target):
        return
    for constant in marked:
        if (movable := movable_of([constant], target)) is None:
            _expand_calls(constant.result, target)
            movable = movable_of([constant], target)
        if movable is None:
            raise InputError(f"--weights-at: a kernel of {target} reads weights only in the first 64 KB of flash")
        movable.move()
    for function, _ in _forests(module):
        function.attributes[FAR_FOREST] = UnitAttr()


def _are_far(module: ModuleOp, marked: Sequence[scratch.ConstantOp], weights_at: str, target: str) -> bool:
    if (address := address_of(weights_at)) is not None:
        return address >= NEAR
    chip, forests = chip_of(target), sum(bytes for _, bytes in _forests(module))
    blob = HEAD + forests + sum(scratch.bytes_of(each.result) for each in marked)
    constants = forests + demand_of(module).constants
    limits = (constants, chip.flash_bytes), (blob, chip.object_bytes)
    return any(most is not None and bytes > most for bytes, most in limits)


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

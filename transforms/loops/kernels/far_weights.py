"""Weights of a blob beyond the addresses that a short pointer reaches: `mark-weights` makes them far constants (L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.blobs.layout import HEAD
from tinyml.targets.blobs.place import NEAR, address_of, far_section
from tinyml.targets.registry import chip_of, compile_for
from tinyml.transforms.ir.cost.demand import demand_of, far_call
from tinyml.transforms.ir.forest_room import FAR_FOREST, known_room, tables_of
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.loops.place_constants import movable_of


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

"""`lower-scratch-to-memref`: lowers memory and interface of a program to upstream dialects (L4 to arith, func, memref,
scf).

MLIR's tools accept the result without special options. Constants and the arena become `memref.global`s, and buffers
become `memref.view`s of the arena. Every array is one-dimensional, so that no layout depends on a stride.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import scratch
from tinyml.dialects.discardable_attributes import OWN
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.trees import FOREST, ForestCode
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.rewriting import Rewriter, inherit_location
from tinyml.dialects.scratch import element_bytes, memref_type
from tinyml.dialects.tdsl.interface import read_interface
from tinyml.lowering.memref.flat_arrays import ARENA, FlatArrays, flat
from tinyml.lowering.memref.forests import add_votes
from tinyml.lowering.memref.packed_elements import PackedElements
from tinyml.lowering.memref.transposition import turn
from tinyml.targets.kernel import ELEMENT_FUNCTIONS
from tinyml.transforms.ir.addresses import AddressBuilder, ArrayLocation
from tinyml.transforms.ir.levels import BITS


@dataclass(frozen=True)
class LowerScratchToMemrefPass(ModulePass):
    """Replace memory and interface of the only program of a module NAME, and remove all attributes of tinyml's
    dialects.

    `NAME_predict(memref<Nxi16>) -> i32` accepts the raws of the input and returns the label, if there is one. In
    two cases the function has no argument. First, the caller may write the input to the address that `NAME_input()
    -> index` returns. Second, the caller may define the function `NAME_row(index, i32)`, which writes the row whose
    number is the second argument to the address in the first. `NAME_scores`, `NAME_output_1` and so on return
    addresses in the arena. With MLIR's bare-pointer calling convention these functions are the C functions of
    `NAME.h`. Calls of runtime functions that have no definition in integer ops become calls of `NAME_tm_FUNCTION`.
    Addresses are passed as `index`, and integers narrower than 32 bits are passed with 32 bits.

    Raises `InputError` for calls of a chip's kernels, programs with instances, weights that the caller writes,
    input that the caller pushes, and modules that do not have exactly one function.
    """

    name = "lower-scratch-to-memref"
    takes = BITS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = defined_functions(op)
        if len(functions) != 1:
            raise InputError(f"expected one function with a body, got {len(functions)}")
        _Program(op, functions[0]).lower()
        _erase_uncalled(op)
        for nested in op.walk():
            nested.attributes = {
                name: value for name, value in nested.attributes.items() if name.partition(".")[0] not in OWN
            }


def _erase_uncalled(module: ModuleOp) -> None:
    called = {nested.callee.string_value() for nested in module.walk() if isinstance(nested, func.CallOp)}
    for nested in list(module.ops):
        if isinstance(nested, func.FuncOp) and nested.is_declaration and nested.sym_name.data not in called:
            Rewriter.erase_op(nested)


class _Program:
    def __init__(self, module: ModuleOp, function: func.FuncOp):
        self.module, self.function, self.body = module, function, function.body.block
        self.name = function.sym_name.data
        self.arrays = FlatArrays(function)

    @property
    def nest(self) -> AddressBuilder:
        return self.arrays.nest

    def lower(self) -> None:
        self._check_interface()
        ops = list(self.function.walk())
        self._allocate(ops)
        for op in ops:
            self.arrays.nest = AddressBuilder(op)
            if not self.arrays.lower(op):
                self._lower(op)
        self._erase()
        self.function.sym_name = StringAttr(f"{self.name}_predict")

    def _check_interface(self) -> None:
        interface = read_interface(self.function)
        refused = {
            "its caller gives it the memory of an instance": interface.instances,
            "its caller pushes the input": interface.input.pushed,
            "its caller writes the weights": any(
                isinstance(op, scratch.ConstantOp) and op.loaded for op in self.function.walk()
            ),
        }
        for why, holds in refused.items():
            if holds:
                raise error_at(self.function, f"'{self.name}' has no form in upstream dialects: {why}")

    # Memory

    def _allocate(self, ops: Sequence[Operation]) -> None:
        for old in list(self.body.args):
            if not isinstance(old.type, MemRefType):
                raise error_at(self.function, f"expected arrays as arguments, got {old.type}")
            if all(isinstance(use.operation, scratch.ReceiveOp) for use in old.uses) and old.uses:
                continue
            new = self.body.insert_arg(flat(old), old.index)
            new.name_hint = old.name_hint
            self.arrays.at[old] = ArrayLocation(new, 0)
        for op in ops:
            self.arrays.allocate(op)

    def _lower(self, op: Operation) -> None:
        match op:
            case scratch.TurnOp():
                turn(self.arrays, op)
            case scratch.ReceiveOp():
                row = self.nest.insert(arith.IndexCastOp(op.row, i32))
                self._call(f"{self.name}_row", [self.arrays.address(op.dest), row], [])
            case func.CallOp():
                self._call_runtime(op)
            case func.ReturnOp():
                self._return(op)
            case scratch.ArenaOp() | scratch.ConstantOp() | scratch.ViewOp() | memref.AllocaOp():
                pass
            case _:
                if any(isinstance(value.type, MemRefType) for value in (*op.operands, *op.results)):
                    raise error_at(op, f"'{op.name}' has no form in upstream dialects")

    # Calls

    def _call(self, symbol: str, operands: Sequence[SSAValue], results: Sequence[Attribute]) -> func.CallOp:
        if symbol not in {nested.sym_name.data for nested in self.module.ops if isinstance(nested, func.FuncOp)}:
            declared = func.FuncOp.external(symbol, [value.type for value in operands], results)
            # Without unwind tables, which bare-metal chips do not support.
            declared.attributes["passthrough"] = ArrayAttr([StringAttr("nounwind")])
            Rewriter.insert_op(declared, InsertPoint.at_end(self.module.body.block))
        call = func.CallOp(symbol, operands, results)
        self.nest.put(call)
        return call

    def _call_runtime(self, op: func.CallOp) -> None:
        name = op.callee.string_value()
        if (function := ELEMENT_FUNCTIONS.get(name)) is not None:
            element = PackedElements(self.arrays, op.arguments[0 if function.kind != "unpack" else 1], function.bits)
            match function.kind:
                case "read":
                    read = element.load(self.nest.unsigned(op.arguments[1]), signed=True, type=op.results[0].type)
                    op.results[0].replace_all_uses_with(read)
                case "write":
                    element.store(op.arguments[2], self.nest.unsigned(op.arguments[1]))
                case "unpack":
                    element.unpack(op.arguments[0], op.arguments[2], signed=function.signed)
            return
        if name not in RUNTIME_FUNCTIONS:
            add_votes(self.arrays, self._forest(op), *op.arguments)
            return
        operands = [
            self.arrays.address(value) if isinstance(value.type, MemRefType) else self._as_c(value)
            for value in op.arguments
        ]
        result = op.results[0]
        narrow = _is_narrow(result.type)
        called = self._call(f"{self.name}_{name}", operands, [i32 if narrow else result.type]).results[0]
        if narrow:
            called = self.nest.insert(arith.TruncIOp(called, cast("IntegerType[int, Any]", result.type)))
        result.replace_all_uses_with(called)

    def _forest(self, op: func.CallOp) -> ForestCode:
        name = op.callee.string_value()
        declared = next(
            nested for nested in self.module.ops if isinstance(nested, func.FuncOp) and nested.sym_name.data == name
        )
        if (forest := declared.attributes.get(FOREST)) is None:
            cure = "lower the program from L2 by buffers-to-upstream, without kernels"
            raise error_at(op, f"'{name}' is not a function of the runtime: {cure}")
        return ForestCode.of(forest)

    def _as_c(self, value: SSAValue) -> SSAValue:
        """Extend an integer narrower than 32 bits to 32 bits. The call then does not depend on whether a
        calling convention extends integers.
        """
        return self.nest.insert(arith.ExtSIOp(value, i32)) if _is_narrow(value.type) else value

    def _return(self, op: func.ReturnOp) -> None:
        labels: list[SSAValue] = []
        number = 0
        for value in op.arguments:
            if isinstance(value.type, IndexType):
                labels = [self.nest.insert(arith.IndexCastOp(value, i32))]
            else:
                self._getter(f"output_{number}" if number else "scores", value)
                number += 1
        for view in self.arrays.views.values():
            if view.input is not None:
                self._getter("input", view.result)
        op.operands = labels

    def _getter(self, suffix: str, value: SSAValue) -> None:
        """Add the function NAME_suffix, which returns the address of an array in the arena as an index. Raises
        `InputError` for an array outside the arena, or at an offset that is not constant.

        It does not return a memref, since C has no memrefs. With bare pointers, MLIR 19 would return the allocated
        pointer of a view of a global, which is not the address of the view.
        """
        root, start = self.arrays.place(value)
        if (view := self.arrays.views.get(root)) is None or not isinstance(start, int):
            raise error_at(self.function, "the scores must be a view of the arena, or a slice at a constant offset")
        offset = view.offset.value.data + start * element_bytes(memref_type(root))
        block = Block()
        end = func.ReturnOp()
        block.add_op(end)
        nest = AddressBuilder(end)
        arena = nest.insert(memref.GetGlobalOp(ARENA, view.arena.type))
        address = nest.insert(memref.ExtractAlignedPointerAsIndexOp.get(arena))
        end.operands = [nest.add(address, nest.index(offset))]
        getter = func.FuncOp(f"{self.name}_{suffix}", ([], [IndexType()]), Region(block))
        inherit_location(view.location, getter)
        Rewriter.insert_op(getter, InsertPoint.after(self.function))

    def _erase(self) -> None:
        for op in reversed(list(self.function.walk())):
            arrays = [value for value in (*op.operands, *op.results) if isinstance(value.type, MemRefType)]
            lowered = isinstance(op, func.CallOp) and op.callee.string_value() in (
                *RUNTIME_FUNCTIONS,
                *ELEMENT_FUNCTIONS,
            )
            if lowered or any(value in self.arrays.at for value in arrays):
                Rewriter.erase_op(op, safe_erase=False)
        for argument in reversed(self.body.args):
            if argument in self.arrays.at or (argument.first_use is None and not self._replaces(argument)):
                self.body.erase_arg(argument, safe_erase=False)
        end = self.body.last_op
        assert end is not None
        types = [argument.type for argument in self.body.args], [value.type for value in end.operands]
        self.function.function_type = FunctionType.from_lists(*types)
        for properties in ("arg_attrs", "res_attrs"):
            self.function.properties.pop(properties, None)

    def _replaces(self, argument: SSAValue) -> bool:
        return any(place.memory is argument for place in self.arrays.at.values())


def _is_narrow(type: Attribute) -> bool:
    """Whether a type is an integer that C promotes to `int`."""
    return type in (i8, i16)

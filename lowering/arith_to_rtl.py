"""`lower-arith-to-rtl`: turns arrays into memories, and the input and the outputs into streams (L4 to hardware).

Loops and arithmetic are unchanged. The arena is split between buffers that neither overlap nor contain bytes of the
same word. Each piece becomes a memory, so that unrelated buffers have separate ports. Within a memory, buffers keep
their relative addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import affine, func, memref
from xdsl.dialects.builtin import AffineMapAttr, FunctionType, IndexType, IntegerType, MemRefType, ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.traits import SymbolTable
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, rtl, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.trees import FOREST
from tinyml.dialects.locations import error_at
from tinyml.dialects.num.index_ranges import is_linear
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import bytes_of, element_bytes, elements_of, memref_type, packed_bits, storage_of
from tinyml.dialects.tdsl.interface import InputInterface, update_interface
from tinyml.transforms.ir.addresses import AddressBuilder, ArrayLocation, FlatAccesses
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.index_maps import apply_map
from tinyml.transforms.ir.intervals import INDEX, intervals
from tinyml.transforms.ir.levels import BITS
from tinyml.transforms.rtl.unrolling.entry_rows import adds_entries


@dataclass(frozen=True)
class LowerArithToRtlPass(ModulePass):
    """Replace memrefs by `rtl` memories in the only function of a module, and remove the function's arguments and
    returned arrays.

    The new function first receives its input, element by element. An input that arrives row by row is instead received
    at the place where the program asks for a row. At its end, the function sends its outputs and returns the label, if
    there is one. A contraction with a constant compressed matrix is unchanged if the matrix entries can be distributed
    to processing elements. Any other contraction becomes loops.

    Raises `InputError` unless the module has exactly one function with a body, and for calls, packed arrays, arrays
    whose elements are not integers, constants that the caller loads, and copies between arrays.
    """

    name = "lower-arith-to-rtl"
    takes = BITS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = defined_functions(op)
        if len(functions) != 1:
            raise InputError(f"expected one function after inline-runtime, got {len(functions)}")
        for nest in [nested for nested in op.walk() if isinstance(nested, num.ContractOp)]:
            if not adds_entries(nest):
                expand_contraction(nest)
        _Memories(functions[0]).lower_function()


class _Memories(FlatAccesses):
    ORIGINS = "hardware has an argument, a constant, a local array or a view of the arena"

    def __init__(self, function: func.FuncOp):
        super().__init__(function)
        self.body = function.body.block
        self.extents = dict(_extents(function))

    def lower_function(self) -> None:
        self._allocate()
        self._stream_input()
        for op in list(self.function.walk()):
            self.nest = AddressBuilder(op)
            if self.lower(op):
                continue
            match op:
                case affine.ApplyOp():
                    if not self._divides(op):
                        apply_map(op, self.extents, self.nest)
                case num.EntriesOp():
                    op.operands = [op.start, *(self.place(array).memory for array in (op.gaps, op.lengths))]
                case scratch.ReceiveOp():
                    self._receive(op.dest)
                case func.ReturnOp():
                    self._finish(op)
                case scratch.ViewOp():
                    pass
                case func.CallOp():
                    raise _not_lowered(op)
                case _:
                    if any(isinstance(operand.type, MemRefType) for operand in op.operands):
                        raise error_at(op, f"'{op.name}' has no hardware")
        self._erase()
        for op in list(self.function.walk()):
            if isinstance(op, affine.ApplyOp):
                self.nest = AddressBuilder(op)
                self._divide(op)

    def _allocate(self) -> None:
        views = [op for op in self.function.walk() if isinstance(op, scratch.ViewOp)]
        for piece in _cut(views):
            memory = self.nest.insert(rtl.MemoryOp(piece.type))
            memory.name_hint = "arena"
            for view in views:
                offset = view.offset.value.data - piece.start
                if 0 <= offset < piece.end - piece.start:
                    self.at[view.result] = ArrayLocation(memory, offset * 8 // _element_of(view.result).width.data)
        for op in list(self.function.walk()):
            if isinstance(op, scratch.ConstantOp):
                if op.loaded:
                    raise error_at(op, "constants of hardware are part of it, not loaded")
                memory = self.nest.insert(rtl.MemoryOp(_whole(op.result), op.value))
                memory.name_hint = op.result.name_hint
                self.at[op.result] = ArrayLocation(memory, 0)
            elif isinstance(op, memref.AllocaOp):
                memory = self.nest.insert(rtl.MemoryOp(_whole(op.memref)))
                memory.name_hint = op.memref.name_hint
                self.at[op.memref] = ArrayLocation(memory, 0)
        for argument in self.body.args:
            if any(not isinstance(use.operation, scratch.ReceiveOp) for use in argument.uses):
                if not isinstance(argument.type, MemRefType):
                    raise error_at(self.function, f"expected inputs in memory, got {argument.type}")
                memory = self.nest.insert(rtl.MemoryOp(_whole(argument)))
                memory.name_hint = argument.name_hint
                self.at[argument] = ArrayLocation(memory, 0)

    def _stream_input(self) -> None:
        for argument in self.body.args:
            if argument in self.at:
                self._receive(argument)
        for op in self.body.ops:
            if isinstance(op, scratch.ViewOp) and op.input is not None:
                assert op.next_op is not None
                self.nest = AddressBuilder(op.next_op)
                self._receive(op.result)

    def _finish(self, op: func.ReturnOp) -> None:
        arrays = [value for value in op.operands if isinstance(value.type, MemRefType)]
        for number, array in enumerate(arrays):
            self.nest.each(
                self.nest.index(elements_of(array)),
                lambda at, array=array, number=number: self.nest.put(rtl.SendOp(self.load(array, at), number)),
            )
        op.operands = [value for value in op.operands if value not in arrays]
        results = [value.type for value in op.operands]
        self.function.properties["function_type"] = FunctionType.from_lists([], results)

    def _erase(self) -> None:
        gone = [
            op
            for op in self.function.walk()
            if any(isinstance(v.type, MemRefType) for v in (*op.operands, *op.results))
        ]
        for op in reversed([*gone]):
            Rewriter.erase_op(op, safe_erase=False)
        for argument in reversed(self.body.args):
            self.body.erase_arg(argument, safe_erase=False)
        for properties in ("arg_attrs", "res_attrs"):
            self.function.properties.pop(properties, None)
        update_interface(self.function, input=InputInterface())

    def copy(self, op: scratch.CopyRunOp) -> None:
        count = const_evaluate_operand(op.count)
        if count is None or count < 2:
            super().copy(op)
            return
        body = Block(arg_types=[IndexType()])
        with self.nest.inside(body):
            self.copy_element(op, body.args[0])
        self.nest.put(num.NestOp([count], Region(body)))

    def read(self, memory: SSAValue, index: SSAValue, array: SSAValue) -> SSAValue:
        return self.nest.insert(rtl.LoadOp(memory, index, _element_of(array)))

    def write(self, value: SSAValue, memory: SSAValue, index: SSAValue) -> None:
        self.nest.put(rtl.StoreOp(value, memory, index))

    def _divides(self, op: affine.ApplyOp) -> bool:
        """Whether an affine map has a quotient or a remainder of a value that is not the number of an axis."""
        numbers = all(operand in self.extents for operand in op.mapOperands)
        return not (numbers or is_linear(op.map.data.results[0]))

    def _divide(self, op: affine.ApplyOp) -> None:
        """Replace an affine map by arithmetic. Its operands become distances from the least values of their intervals,
        because arithmetic on indices rounds negative quotients up.

        Raises `InputError` if an operand has no known least value.
        """
        known, map, operands = intervals(self.function), op.map.data, list(op.mapOperands)
        terms = list[AffineExpr]()
        for place, operand in enumerate(operands):
            least, most = known.get(operand, INDEX)
            if least == INDEX[0]:
                raise error_at(op, "hardware divides only indices with a known least value")
            if least < 0:
                operands[place] = self.nest.add(operand, self.nest.index(-least))
            self.extents[operands[place]] = most - min(least, 0) + 1
            terms.append(AffineExpr.dimension(place) + min(least, 0))
        moved = map.results[0].replace_dims_and_symbols(terms[: map.num_dims], terms[map.num_dims :])
        op.operands, op.map = operands, AffineMapAttr(AffineMap(len(operands), 0, (moved,)))
        apply_map(op, self.extents, self.nest)

    def _receive(self, array: SSAValue) -> None:
        def body(at: SSAValue) -> None:
            self.store(self.nest.insert(rtl.ReceiveOp(_element_of(array))), array, at)

        self.nest.each(self.nest.index(elements_of(array)), body)


def _extents(function: func.FuncOp) -> Iterator[tuple[SSAValue, int]]:
    for op in function.walk():
        match op:
            case num.NestOp():
                yield from zip(op.body.block.args, op.shape, strict=True)
            case num.ReduceOp():
                yield op.body.block.args[0], op.numbers.stop
            case _:
                pass


def _not_lowered(op: func.CallOp) -> InputError:
    name = op.callee.string_value()
    declared = SymbolTable.lookup_symbol(op, op.callee)
    if declared is not None and FOREST in declared.attributes:
        return error_at(op, "a forest of trees has no hardware module: compile it for a processor")
    return error_at(op, f"'{name}' has no integer program")


def _whole(array: SSAValue) -> rtl.MemoryType:
    return rtl.MemoryType(elements_of(array), _element_of(array).width.data)


def _element_of(array: SSAValue) -> IntegerType[int, Any]:
    type = memref_type(array)
    stored = storage_of(type.element_type)
    if not isinstance(stored, IntegerType) or packed_bits(type) is not None:
        raise InputError(f"hardware has memories of integers of whole bytes, got {type}")
    return cast("IntegerType[int, Any]", stored)


@dataclass(frozen=True)
class _Piece:
    """A range of bytes of the arena that becomes one memory.

    The range is [start, end). Both ends are multiples of the word size `word`. All numbers are in bytes.
    """

    start: int
    end: int
    word: int

    @property
    def type(self) -> rtl.MemoryType:
        return rtl.MemoryType((self.end - self.start) // self.word, 8 * self.word)


def _cut(views: Sequence[scratch.ViewOp]) -> list[_Piece]:
    """Split an arena into pieces. Return the pieces in ascending order of addresses.

    Two views are in one piece only if they overlap or contain bytes of the same word, directly or through other views.
    The word size of a piece is the size of its widest element. Each piece becomes a memory with separate ports.
    """
    pieces = [
        _piece(view.offset.value.data, bytes_of(view.result), element_bytes(memref_type(view.result))) for view in views
    ]
    pieces.sort(key=lambda piece: piece.start)
    while True:
        merged: list[_Piece] = []
        for piece in pieces:
            if merged and piece.start < merged[-1].end:
                last = merged.pop()
                end = max(last.end, piece.end)
                piece = _piece(last.start, end - last.start, max(last.word, piece.word))
            merged.append(piece)
        if len(merged) == len(pieces):
            return merged
        pieces = merged


def _piece(start: int, size: int, word: int) -> _Piece:
    return _Piece(start - start % word, start + size + -(start + size) % word, word)

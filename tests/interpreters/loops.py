"""An interpreter of whole L4 functions, one scalar at a time: loops, branches, the arena, and constants in flash.

It is independent of the lowering to C and of the C printer. Integers are Python's. Only conversions wrap them around to
their widths, since L4 guarantees that results of arithmetic fit.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, MemRefType, ModuleOp, f32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

DTYPES = {"i8": "<i1", "i16": "<i2", "i32": "<i4", "f32": "<f4"}


def run(module: ModuleOp, inputs: NDArray[Any]) -> list[Any]:
    """Run the only function that has a body on an input, and return its results: a label as an int, scores as a flat
    array.
    """
    [function] = [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]
    interpreter = Interpreter()
    interpreter.values[function.body.block.args[0]] = inputs.reshape(-1)
    with np.errstate(all="ignore"):
        results = interpreter.block(function.body.block)
    return [result.copy() if isinstance(result, np.ndarray) else result for result in results]


def dtype(type: Attribute) -> np.dtype[Any]:
    return np.dtype(DTYPES[str(type)])


def wrap(value: int, width: int) -> int:
    return (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))


def width(type: Attribute) -> int:
    return 64 if isinstance(type, IndexType) else cast("IntegerType[Any, Any]", type).width.data


class Interpreter:
    """The state of a run. `values` maps each computed SSA value to an int, bool or float32, or to a flat array for a
    memref.
    """

    def __init__(self) -> None:
        self.values: dict[SSAValue, Any] = {}

    def block(self, block: Block) -> list[Any]:
        """Execute a block and return the operands of its terminator; an empty list for a block without a terminator."""
        for op in block.ops:
            operands = [self.values[operand] for operand in op.operands]
            if isinstance(op, func.ReturnOp | scf.YieldOp | num.NextOp):
                return operands
            results = self.execute(op, operands)
            for result, value in zip(op.results, results, strict=True):
                self.values[result] = value
        return []

    def execute(self, op: Operation, x: Sequence[Any]) -> Sequence[Any]:
        match op:
            case scf.ForOp():
                return self.loop(op, x)
            case num.ContractOp():
                for row in range(op.rows):
                    self.values[op.row] = row
                    self.block(op.body.block)
                return []
            case num.EntriesOp():
                return [self.entries(op, *x)]
            case scf.IfOp():
                region = op.true_region if x[0] else op.false_region
                return self.block(region.block) if region.blocks else []
            case memref.StoreOp():
                x[1][self.position(op.memref, x[2:])] = x[0]
                return []
            case memref.LoadOp():
                element = x[0][self.position(op.memref, x[1:])]
                return [element if element.dtype == np.float32 else int(element)]
            case func.CallOp():
                known = RUNTIME_FUNCTIONS[op.callee.root_reference.data]
                arguments = [
                    np.float32(value) if type == f32 else np.int32(value)
                    for value, type in zip(x, known.arguments, strict=True)
                ]
                result = known.reference(*arguments)
                return [np.float32(result) if known.result == f32 else int(result)]
            case _:
                return [self.compute(op, x)]

    def loop(self, op: scf.ForOp, x: Sequence[Any]) -> Sequence[Any]:
        low, high, step, *carried = x
        for i in range(low, high, step):
            for argument, value in zip(op.body.block.args, [i, *carried], strict=True):
                self.values[argument] = value
            carried = self.block(op.body.block)
        return carried

    def entries(self, op: num.EntriesOp, sum: int, gaps: NDArray[Any], lengths: NDArray[Any]) -> int:
        """The sum of products of a sparse row. The running sums of its gaps are the columns of its entries."""
        around = cast(num.ContractOp, op.parent_op())
        counts, unsigned = lengths.view(f"u{lengths.itemsize}"), gaps.view("u1").astype(int)
        first = int(counts[: self.values[around.row]].sum())
        entries = range(first, first + int(counts[self.values[around.row]]))
        for entry in entries:
            column = int(unsigned[first : entry + 1].sum())
            self.values |= zip(op.body.block.args, (sum, entry, column), strict=True)
            [sum] = self.block(op.body.block)
        return sum

    def position(self, value: SSAValue, indices: Sequence[int]) -> int:
        shape = cast("MemRefType[Attribute]", value.type).get_shape()
        assert all(0 <= index < extent for index, extent in zip(indices, shape, strict=True))
        return int(np.ravel_multi_index(tuple(indices), shape)) if shape else 0

    def compute(self, op: Operation, x: Sequence[Any]) -> Any:
        [result] = op.results
        match op:
            case arith.ConstantOp():
                value = cast("IntegerAttr[Any] | FloatAttr[Any]", op.value).value.data
                return np.float32(value) if result.type == f32 else int(value)
            case scratch.ConstantOp():
                element = cast("MemRefType[Attribute]", result.type).element_type
                return np.frombuffer(op.value.data.data, dtype(element))
            case scratch.ArenaOp():
                return np.zeros(op.size, np.int8)
            case scratch.ViewOp():
                view = cast("MemRefType[Attribute]", result.type)
                at, count = op.offset.value.data, prod(view.get_shape())
                return np.frombuffer(x[0], dtype(view.element_type), count, at)
            case scratch.SliceOp():
                count = prod(cast("MemRefType[Attribute]", result.type).get_shape())
                assert x[1] + count <= len(x[0])
                return x[0][x[1] : x[1] + count]
            case arith.AddfOp():
                return np.float32(x[0] + x[1])
            case arith.SubfOp():
                return np.float32(x[0] - x[1])
            case arith.MulfOp():
                return np.float32(x[0] * x[1])
            case arith.CmpfOp():
                return bool({1: x[0] == x[1], 2: x[0] > x[1], 3: x[0] >= x[1]}[op.predicate.value.data])
            case arith.CmpiOp():
                a, b = x
                return (a == b, a != b, a < b, a <= b, a > b, a >= b)[op.predicate.value.data]
            case arith.SelectOp():
                return x[1] if x[0] else x[2]
            case arith.ExtUIOp():
                return x[0] % (1 << width(op.input.type))
            case arith.ExtSIOp() if width(op.input.type) == 1:
                return -int(x[0])
            case arith.ExtSIOp():
                return x[0]
            case arith.TruncIOp() if width(result.type) == 1:
                return bool(x[0] & 1)
            case arith.TruncIOp() | arith.IndexCastOp():
                return wrap(x[0], width(result.type))
            case _:
                value = _INTEGER[type(op)](*x)
                assert value == wrap(value, width(result.type)) or result.type == IntegerType(1), op
                return value


_INTEGER: dict[type[Operation], Any] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.ShRSIOp: int.__rshift__,
    arith.AndIOp: int.__and__,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}

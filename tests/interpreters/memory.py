"""An interpreter of L4 functions on bytes, which tests accesses to memory.

Before the run, the arena is filled with random bytes. Constants and the caller's input are read-only. Every access is
checked against the shape of its buffer. Integer overflow is an error, since the lowering proves that there is none. The
interpreter executes each op in Python, and is therefore only suitable for small programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, ModuleOp, f32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

Bytes = NDArray[np.uint8]


def dtype_of(type: Attribute) -> np.dtype[Any]:
    if type == f32:
        return np.dtype("<f4")
    width = width_of(type)
    assert width is not None, f"{type} is not the type of a stored bit pattern"
    return np.dtype(f"<i{4 if width == 24 else width // 8}")


def width_of(type: Attribute) -> int | None:
    """The number of bits of an integer type; None for index and float types."""
    return cast("IntegerType", type).width.data if isinstance(type, IntegerType) else None


@dataclass(frozen=True)
class Buffer:
    """The value of a memref: bytes from an offset on, with an element type and a shape."""

    memory: Bytes
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def element(self, indices: tuple[int, ...]) -> NDArray[Any]:
        assert len(indices) == len(self.shape)
        assert all(0 <= index < extent for index, extent in zip(indices, self.shape, strict=True)), (
            f"element {indices} of a buffer of shape {self.shape}"
        )
        start = self.offset + int(np.ravel_multi_index(indices, self.shape) if indices else 0) * self.dtype.itemsize
        return self.memory[start : start + self.dtype.itemsize].view(self.dtype)

    def array(self) -> NDArray[Any]:
        size = prod(self.shape) * self.dtype.itemsize
        return self.memory[self.offset : self.offset + size].view(self.dtype).reshape(self.shape).copy()


def run(module: ModuleOp, input: NDArray[Any], seed: int = 0) -> list[Any]:
    """The results of the only function of a module that has a body, for an input of raws: an int for a scalar, an array
    for a memref.

    seed: determines the random bytes that fill the arena before the run.
    """
    [function] = [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]
    return _Run(np.random.default_rng(seed)).function(function, input)


def run_in_arena(module: ModuleOp, input: NDArray[Any]) -> tuple[list[Any], NDArray[np.bool_]]:
    """The results of a function, and for each byte of the arena whether the function or the caller writes it.

    A byte counts as written if it differs from its random initial value in at least one of two runs.
    """
    [function] = [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]
    runs = [_Run(np.random.default_rng(seed)) for seed in (0, 1)]
    results = [run.function(function, input) for run in runs]
    return results[0], np.logical_or(*(run.arena != run.poison for run in runs))


class _Run:
    def __init__(self, random: np.random.Generator):
        self.random = random
        self.values: dict[SSAValue, Any] = {}
        self.ops: dict[Block, list[tuple[Operation, Sequence[SSAValue], Sequence[SSAValue]]]] = {}
        self.arena = self.poison = np.zeros(0, np.uint8)

    def function(self, function: func.FuncOp, input: NDArray[Any]) -> list[Any]:
        self.input = _read_only(input)
        for argument in function.body.block.args:
            self.values[argument] = self.buffer(argument, self.input)
        results = self.block(function.body.block)
        return [result.array() if isinstance(result, Buffer) else result for result in results]

    def block(self, block: Block) -> list[Any]:
        # The bodies of loops are read once: properties of ops take longer than what the ops do.
        if block not in self.ops:
            self.ops[block] = [(op, [*op.operands], op.results) for op in block.ops]
        for op, operands, results in self.ops[block]:
            arguments = [self.values[value] for value in operands]
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                return arguments
            self.values.update(zip(results, self.operation(op, arguments), strict=True))
        raise AssertionError("a block without a terminator")

    def operation(self, op: Operation, arguments: list[Any]) -> list[Any]:
        if type(op) in _INTEGERS:
            return [_checked(op, arguments, _INTEGERS[type(op)](*arguments))]
        match op:
            case scf.ForOp():
                return self.loop(op, arguments)
            case scratch.ArenaOp():
                self.arena = self.random.integers(0, 256, op.size, np.uint8)
                self.poison = self.arena.copy()
                return [self.buffer(op.result, self.arena)]
            case scratch.ViewOp():
                offset = op.offset.value.data
                assert offset % dtype_of(scratch.memref_type(op.result).element_type).itemsize == 0
                if op.input is not None:
                    # The caller has filled it.
                    arguments[0].memory[offset : offset + len(self.input)] = self.input
                return [self.buffer(op.result, arguments[0].memory, offset)]
            case scratch.ConstantOp():
                return [self.buffer(op.result, _read_only(np.frombuffer(op.value.data.data, np.uint8)))]
            case scratch.SliceOp():
                return [self.slice(op, arguments[0], arguments[1])]
            case scratch.CopyRunOp():
                self.copy_run(op, *arguments)
                return []
            case memref.LoadOp():
                source, *indices = arguments
                [value] = source.element(tuple(indices))
                return [value if op.res.type == f32 else int(value)]
            case memref.StoreOp():
                value, target, *indices = arguments
                assert _fits(value, op.value.type)
                target.element(tuple(indices))[0] = value
                return []
            case arith.ConstantOp():
                value = cast("IntegerAttr[Any] | FloatAttr[Any]", op.value).value.data
                return [np.float32(value) if op.result.type == f32 else int(value)]
            case memref.CastOp():
                return arguments
            case func.CallOp():
                return [_call(op, arguments)]
            case _:
                with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                    result = _compute(op, arguments)
                return [_checked(op, arguments, result)]

    def loop(self, op: scf.ForOp, arguments: list[Any]) -> list[Any]:
        low, high, step, *carried = arguments
        index, *inner = op.body.block.args
        for i in range(low, high, step):
            self.values[index] = i
            self.values.update(zip(inner, carried, strict=True))
            carried = self.block(op.body.block)
        return carried

    @staticmethod
    def copy_run(op: scratch.CopyRunOp, source: Buffer, dest: Buffer, first: int, at: int, count: int) -> None:
        assert 0 <= count <= op.most.value.data
        if not count:
            return
        size = count * source.dtype.itemsize
        taken, given = (
            slice(run.offset + start * run.dtype.itemsize, run.offset + start * run.dtype.itemsize + size)
            for run, start in ((source, first), (dest, at))
        )
        for run, start in ((source, first), (dest, at)):
            assert 0 <= start <= start + count <= prod(run.shape)
        apart = taken.stop <= given.start or given.stop <= taken.start
        is_lower = op.down is not None and given.start < taken.start
        assert source.memory is not dest.memory or apart or is_lower, "the runs overlap"
        dest.memory[given] = source.memory[taken].copy()

    def slice(self, op: scratch.SliceOp, source: Buffer, offset: int) -> Buffer:
        shape = scratch.memref_type(op.result).get_shape()
        assert 0 <= offset <= prod(source.shape) - prod(shape), f"{op} lies outside its source at {offset}"
        return self.buffer(op.result, source.memory, source.offset + offset * source.dtype.itemsize)

    @staticmethod
    def buffer(value: SSAValue, memory: Bytes, offset: int = 0) -> Buffer:
        type_ = scratch.memref_type(value)
        buffer = Buffer(memory, offset, dtype_of(type_.element_type), type_.get_shape())
        assert offset + prod(buffer.shape) * buffer.dtype.itemsize <= len(memory)
        return buffer


def _read_only(array: NDArray[Any]) -> Bytes:
    memory = np.frombuffer(array.tobytes(), np.uint8)
    assert not memory.flags.writeable
    return memory


def _checked(op: Operation, arguments: list[Any], result: Any) -> Any:
    """Return the exact result of an op; raises `AssertionError` if the result does not fit its type, for example
    because a truncation would lose bits.
    """
    assert _fits(result, op.results[0].type), f"{op} overflows: {arguments}"
    return result


def _fits(value: Any, type: Attribute) -> bool:
    width = width_of(type)
    return width in (None, 1) or -(1 << (width - 1)) <= value < 1 << (width - 1)


def _call(op: func.CallOp, arguments: list[Any]) -> Any:
    typed = [
        value.array() if isinstance(value, Buffer) else np.array(value, dtype_of(operand.type))
        for value, operand in zip(arguments, op.arguments, strict=True)
    ]
    result = RUNTIME_FUNCTIONS[op.callee.string_value()].reference(*typed)
    return np.float32(result) if op.results[0].type == f32 else int(result)


def _zero_extend(op: arith.ExtUIOp, value: int) -> int:
    width = width_of(op.input.type)
    assert width is not None
    return value & ((1 << width) - 1)


def _shift(op: arith.ShRSIOp, value: int, amount: int) -> int:
    width = width_of(op.result.type)
    assert width is None or 0 <= amount < width
    return value >> amount


_COMPARE_INTEGERS: dict[int, Callable[[Any, Any], bool]] = {
    0: lambda a, b: a == b,
    1: lambda a, b: a != b,
    2: lambda a, b: a < b,
    3: lambda a, b: a <= b,
    4: lambda a, b: a > b,
    5: lambda a, b: a >= b,
}

_COMPARE_FLOATS: dict[int, Callable[[Any, Any], bool]] = {
    1: lambda a, b: bool(a == b),
    2: lambda a, b: bool(a > b),
    3: lambda a, b: bool(a >= b),
    4: lambda a, b: bool(a < b),
    5: lambda a, b: bool(a <= b),
}

_INTEGERS: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    # Towards zero, as in C.
    arith.DivSIOp: lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    arith.RemSIOp: lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}

_FLOATS: dict[type[Operation], Callable[[Any, Any], Any]] = {
    arith.AddfOp: lambda a, b: a + b,
    arith.SubfOp: lambda a, b: a - b,
    arith.MulfOp: lambda a, b: a * b,
}


def _compute(op: Operation, arguments: list[Any]) -> Any:
    """The exact result of an op on numbers."""
    match op:
        case arith.CmpiOp():
            return _COMPARE_INTEGERS[op.predicate.value.data](*arguments)
        case arith.CmpfOp():
            return _COMPARE_FLOATS[op.predicate.value.data](*arguments)
        case arith.SelectOp():
            return arguments[1] if arguments[0] else arguments[2]
        case arith.ShRSIOp():
            return _shift(op, *arguments)
        case arith.ExtUIOp():
            return _zero_extend(op, *arguments)
        case arith.ExtSIOp() | arith.TruncIOp() | arith.IndexCastOp():
            return arguments[0]
        case _:
            return np.float32(_FLOATS[type(op)](*arguments))

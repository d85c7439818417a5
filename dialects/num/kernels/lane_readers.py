"""The conversion of a `num.lane_function` to a `LaneProgram`. If a function cannot be converted, an error states the
reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.num.index_ranges import is_linear
from tinyml.dialects.num.kernels.lane_functions import LaneFunctionOp
from tinyml.dialects.num.kernels.lane_programs import (
    AT_LEAST,
    CASTS,
    GREATER,
    LEADING_ZEROS,
    RECIPROCAL,
    REQUANTISE,
    REQUANTISE_EVEN,
    Element,
    Entry,
    Join,
    LaneProgram,
    Operand,
    RowSum,
    Shared,
    called,
)
from tinyml.dialects.num.nests import GREATEST, PLACE, NextOp, ReduceOp
from tinyml.dialects.scratch.types import memref_type


def lane_program(function: LaneFunctionOp) -> LaneProgram:
    """The program of a lane function. Raises `VerifyException` for a function with unsupported ops or accesses."""
    return _Reader(function).read()


class _Reader:
    """The state of a conversion: the ops converted so far, and their accesses and sums."""

    def __init__(self, function: LaneFunctionOp):
        self.function, self.runs = function, list(function.runs)
        self.ops = list[Operation]()
        self.accesses = dict[Operation, Element | Shared | Entry]()
        self.sums = dict[Operation, RowSum]()
        self.values = dict[SSAValue, SSAValue]()
        self.join: Join | None = None
        self.lane: SSAValue | None = function.numbers[-1] if function.numbers else None
        self.first, self.loops = 0, list[SSAValue]()
        self.pitches = [0] * len(self.runs)

    def read(self) -> LaneProgram:
        for op in self.function.body.block.ops:
            if not self.function.shape and isinstance(op, ReduceOp):
                self._join(op)
                break
            self._op(op)
        if not self.function.shape and self.join is None:
            raise VerifyException("a function without axes joins all lanes")
        self._check_runs()
        return LaneProgram(
            self.function, self.ops, self.accesses, self.sums, self.join, self.values, tuple(self.pitches)
        )

    def _check_runs(self) -> None:
        """Raise `VerifyException` unless each input run is accessed in a single way, no lane reads the run that lanes
        write, and the distances between lines are nonnegative. If all lanes use one element of a run, there must be
        a single line.
        """
        uses = [set[str | Operation]() for _ in self.runs[:-1]]
        for access in self.accesses.values():
            if access.run == len(uses):
                raise VerifyException("lanes read the run that they write")
            uses[access.run].add(type(access).__name__)
            if isinstance(access, Shared) and self.pitches[access.run]:
                raise VerifyException("all lines share an element that all lanes share")
        for op, sum in self.sums.items():
            uses[sum.rows].add(op)
            uses[sum.vector].add("vector")
        if any(len(use) != 1 for use in uses):
            raise VerifyException("a run has elements, is a vector or a table, or has the rows of one sum")
        if min(self.pitches) < 0:
            raise VerifyException(f"each line lies behind the one before, got pitches of {self.pitches}")

    def _value(self, value: SSAValue, *, condition: bool = False) -> Operand:
        if (known := const_evaluate_operand(value)) is not None:
            return known
        if value not in self.values or (value.type == i1) != condition:
            raise VerifyException(f"a lane computes with an index, a condition, or with what all lanes join: {value}")
        return self.values[value]

    def _computed(self, op: Operation) -> None:
        self.ops.append(op)
        self.values[op.results[0]] = op.results[0]

    def _block(self, block: Block, without: Sequence[Operation] = ()) -> None:
        for op in block.ops:
            if op not in without and not isinstance(op, NextOp):
                self._op(op)

    def _op(self, op: Operation) -> None:
        match op:
            case memref.LoadOp():
                self.accesses[op] = self._load(op)
                self._computed(op)
            case memref.StoreOp():
                self._access(op)
                self._value(op.value)
                self.ops.append(op)
            case ReduceOp():
                self._reduce(op)
            case func.CallOp():
                self._call(op)
                self._computed(op)
            case arith.CmpiOp() | arith.AddiOp() | arith.SubiOp() | arith.MuliOp() | arith.AndIOp():
                if isinstance(op, arith.CmpiOp) and op.predicate.value.data not in (GREATER, AT_LEAST):
                    raise VerifyException("a lane compares by sgt or sge")
                self._all(op.operands)
                self._computed(op)
            case arith.MinSIOp() | arith.MaxSIOp():
                self._all(op.operands)
                self._computed(op)
            case arith.SelectOp():
                if isinstance(self._value(op.cond, condition=True), int):
                    raise VerifyException("a lane selects by a comparison")
                self._all(op.operands[1:])
                self._computed(op)
            case arith.ShLIOp() | arith.ShRSIOp():
                if const_evaluate_operand(op.rhs) is None or isinstance(self._value(op.lhs), int):
                    raise VerifyException("a lane shifts by a constant")
                self._computed(op)
            case arith.ExtSIOp() | arith.TruncIOp():
                if not isinstance(value := self._value(op.input), int):
                    self.values[op.result] = value
            case arith.ConstantOp() | affine.ApplyOp() | arith.IndexCastOp():
                # Those that use it look it up.
                pass
            case _:
                raise VerifyException(f"a lane does not have {op.name}")

    def _all(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            self._value(value)

    def _access(self, op: memref.LoadOp | memref.StoreOp) -> tuple[int, int, dict[SSAValue, int]]:
        """The accessed element: the index of the run, the constant offset, and the factor of each axis index."""
        run, (constant, factors) = self.runs.index(op.memref), index_terms(op.indices[0])
        if len(self.function.shape) > 1:
            self.pitches[run] = factors.pop(self.function.numbers[0], 0)
        return run, constant, factors

    def _load(self, op: memref.LoadOp) -> Element | Shared | Entry:
        if isinstance(cast := op.indices[0].owner, arith.IndexCastOp):
            if isinstance(index := self._value(cast.input), int):
                raise VerifyException("the index of a table's entry is not constant")
            return Entry(self.runs.index(op.memref), index, memref_type(op.memref).get_shape()[0])
        run, offset, factors = self._access(op)
        advance = 0 if self.lane is None else factors.pop(self.lane, 0)
        strides = tuple(factors.pop(number, 0) for number in self.loops)
        if factors or advance > 1 or (advance == 0 and (offset or any(strides))):
            raise VerifyException("a lane loads the element behind that of the lane before, or one that all share")
        return Element(run, offset + self.first, strides) if advance else Shared(run)

    def _call(self, op: func.CallOp) -> None:
        x, *_ = [self._value(value) for value in op.arguments]
        if called(op) not in (REQUANTISE, REQUANTISE_EVEN, LEADING_ZEROS, RECIPROCAL) or isinstance(x, int):
            raise VerifyException(f"a lane does not have {called(op)}")

    def _reduce(self, op: ReduceOp) -> None:
        if (sum := self._row_sum(op)) is not None:
            if self.loops:
                raise VerifyException("a sum over a row is not part of another")
            self.sums[op] = sum
            self._computed(op)
            return
        (number, *carried), last = op.body.block.args, op.body.block.last_op
        assert isinstance(last, NextOp)
        if op.numbers.start:
            raise VerifyException("a window begins at 0")
        self._all(op.starts)
        for argument, result in zip(carried, op.joined, strict=True):
            self.values[argument] = self.values[result] = argument
        self.ops.append(op)
        self.loops.append(number)
        self._block(op.body.block)
        self._all(last.values)
        self.ops.append(last)
        self.loops.pop()

    def _row_sum(self, op: ReduceOp) -> RowSum | None:
        """The description of a reduction that is a sum of products, or of squared differences, of a row and a vector;
        None for any other reduction.
        """
        (number, *carried), last = op.body.block.args, op.body.block.last_op
        if len(carried) != 1 or op.numbers.start or const_evaluate_operand(op.starts[0]) != 0 or self.lane is None:
            return None
        assert isinstance(last, NextOp)
        if not isinstance(sum := last.values[0].owner, arith.AddiOp) or sum.lhs is not carried[0]:
            return None
        if not isinstance(product := sum.rhs.owner, arith.MuliOp):
            return None
        differs, factors = False, [*product.operands]
        if factors[0] is factors[1] and isinstance(difference := factors[0].owner, arith.SubiOp):
            differs, factors = True, [*difference.operands]
        loads = [
            factor.owner.operands[0].owner if isinstance(factor.owner, CASTS) else factor.owner for factor in factors
        ]
        found = [self._access(load) for load in loads if isinstance(load, memref.LoadOp)]
        if len(found) < 2:
            return None
        # The factor that differs by lanes has the rows.
        (rows, first, theirs), (vector, begin, ours) = sorted(found, key=lambda each: self.lane not in each[2])
        pitch = theirs.pop(self.lane, 0)
        if pitch < 1 or first != -pitch * self.first or begin or theirs != {number: 1} or ours != {number: 1}:
            return None
        return RowSum(rows, pitch, vector, op.numbers.stop, differs)

    def _join(self, op: ReduceOp) -> None:
        """Record the description of the reduction that combines all lanes.

        Raises `VerifyException` unless the reduction computes a sum, the greatest value, or the index of the first
        greatest value. Its initial value must be a constant or an element that all lanes share.
        """
        (self.lane, *carried), last = op.body.block.args, op.body.block.last_op
        assert isinstance(last, NextOp)
        self.first = op.numbers.start
        [used] = [at for at, result in enumerate(op.joined) if result.uses]
        kinds = [kind.data for kind in op.kinds]
        valued = used
        if kinds[used] == PLACE:
            # The place of the greatest value, which is carried beside it.
            if sorted(kinds) != [GREATEST, PLACE]:
                raise VerifyException("a place is that of the greatest value")
            valued = 1 - used
        joins = [cast(Operation, one.owner) for one in last.values]
        joins += [
            one.cond.owner for one in joins if isinstance(one, arith.SelectOp) and isinstance(one.cond.owner, Operation)
        ]
        self._block(op.body.block, joins)
        values = [one for one in joins[valued].operands if one is not carried[valued]]
        if len(values) != 1 or isinstance(value := self._value(values[0]), int):
            raise VerifyException("lanes are joined by a sum, or by the greater of two values")
        start = self._value(op.starts[valued])
        if not isinstance(start, int) and not isinstance(self.accesses.get(cast(Operation, start.owner)), Shared):
            raise VerifyException("lanes are joined to a constant, or to an element that all share")
        first = other = 0
        if valued != used:
            given = const_evaluate_operand(op.starts[used])
            pairs = [[*one.operands] for one in joins if isinstance(one, arith.CmpiOp)]
            if given is None or pairs != [[values[0], carried[valued]]]:
                raise VerifyException("the first of equal values has the place")
            first, other = self.first, given
        self.ops.append(op)
        self.join = Join(kinds[used], start, value, first, other)


def index_terms(index: SSAValue) -> tuple[int, dict[SSAValue, int]]:
    """The constant of an affine index, and each axis's factor. Raises `VerifyException` for any other index."""
    if (known := const_evaluate_operand(index)) is not None:
        return known, {}
    if not isinstance(op := index.owner, affine.ApplyOp):
        return 0, {index: 1}
    map, numbers = op.map.data, list(op.mapOperands)
    if map.num_symbols or not is_linear(map.results[0]):
        raise VerifyException(f"an index of lanes is a sum of multiples of the numbers of axes, got {map}")
    dims = range(len(numbers))
    constant = map.results[0].eval([0] * len(numbers), [])
    total, factors = constant, dict[SSAValue, int]()
    for at, number in enumerate(numbers):
        factor = map.results[0].eval([int(at == dim) for dim in dims], []) - constant
        if (known := const_evaluate_operand(number)) is not None:
            total += factor * known
        elif factor:
            factors[number] = factors.get(number, 0) + factor
    return total, factors
